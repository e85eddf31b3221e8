"""Estimates of how many people there are, where a release says whose records belong together."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.forms.publications import integers, plan_for, publish, table, words
from tests.identity_reserved import S4_TABLE3, S4_TABLE4, s4_classes, s4_microdata
from tests.queries.workloads import askable

from likeness.errors import PolicyError, TableError
from likeness.forms.anatomized import AnatomizedForm
from likeness.forms.baseline import BaselineForm
from likeness.forms.generalized import GeneralizedForm
from likeness.forms.identity_reserved import IdentityReservedForm
from likeness.forms.perturbed import PerturbedForm
from likeness.microdata.plan import Plan
from likeness.queries.answering import TupleSets
from likeness.queries.query import Query, Workload


def s4(table_of, *, trees=False):
    return publish(IdentityReservedForm(), s4_microdata(trees=trees), s4_classes(table_of).tolist())[0]


@pytest.mark.parametrize(
    ("where", "records", "people"),
    # By hand. The third: half of the genders, a quarter of the codes; Mike twice and Tim.
    [
        ({"Age": (33, 36), "Disease": ["Hypertension"]}, Fraction(5, 3), Fraction(5, 3)),
        ({"Gender": ["M"], "Disease": ["Hypertension"]}, Fraction(1), Fraction(1)),
        (
            {"Gender": ["M"], "Postcode": ["10085"], "Disease": ["Hypertension", "Heart"]},
            Fraction(3, 8),
            Fraction(2, 8),
        ),
        ({"Disease": ["Hypertension", "Heart"]}, Fraction(5), Fraction(4)),
        ({}, Fraction(10), Fraction(7)),
        ({"Disease": ["HIV"], "Gender": ["M"], "Age": (30, 35)}, Fraction(0), Fraction(0)),
        ({"Disease": []}, Fraction(0), Fraction(0)),
    ],
)
def test_the_paper(where, records, people):
    publication = s4(S4_TABLE4)
    for aggregate, expected in (("count", records), ("individuals", people)):
        query = Query(where, aggregate)
        assert publication.estimate(query) == pytest.approx(float(expected), abs=1e-15)
        at_once = publication.estimate_all(Workload.of_queries([query]))
        assert at_once == pytest.approx([float(expected)], abs=1e-15)


def test_nodes_count_by_their_leaves():
    # Table 3: Q2 is 10085, 10086 and 10087 with Mike, Tim and Jane.
    where = {"Postcode": ["10085"], "Disease": ["Heart", "Diabetes"]}
    assert s4(S4_TABLE3, trees=True).estimate(Query(where, "individuals")) == pytest.approx(2 / 3)


@st.composite
def releases(draw):
    """People with up to 4 records each of one age and one town; their classes, some withheld."""
    records = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 1)), min_size=1, max_size=4)
    person = st.tuples(st.integers(0, 5), st.integers(0, 2), st.integers(-1, 2), records)
    found = draw(st.lists(person, min_size=1, max_size=8))
    rows = [(i, *own[:3], *record) for i, own in enumerate(found) for record in own[3]]
    rows = draw(st.permutations(rows))
    who, age, town, classes, pay, debt = (list(own) for own in zip(*rows, strict=True))
    ages, towns = integers("age", list(range(20, 26))), words("town", ["a", "b", "c"])
    pays, debts = integers("pay", [1, 2, 3, 4]), words("debt", ["no", "yes"])
    data = table([(ages, age), (towns, town)], [(pays, pay), (debts, debt)])
    return replace(data, individuals=np.array(who)), classes


@st.composite
def wheres(draw):
    """Conditions on some of the columns."""
    low, least = draw(st.integers(18, 26)), draw(st.integers(1, 4))
    known = {
        "age": (low, low + draw(st.integers(0, 5))),
        "town": draw(st.lists(st.sampled_from("abc"), unique=True)),
        "pay": (least, least + draw(st.integers(0, 3))),
        "debt": draw(st.lists(st.sampled_from(["no", "yes"]), unique=True)),
    }
    return {name: known[name] for name in draw(st.sets(st.sampled_from(list(known))))}


def plain(data, classes, where):
    """Class by class, person by person."""
    total = Fraction(0)
    regions: dict[tuple[object, ...], set[int]] = {}
    for own in set(classes) - {-1}:
        inside = [i for i, one in enumerate(classes) if one == own]
        ages, towns = ({int(data.codes[j, i]) for i in inside} for j in (0, 1))
        regions.setdefault((min(ages), max(ages), frozenset(towns)), set()).update(inside)
    for (low, high, towns), inside in regions.items():
        share = Fraction(1)
        if "age" in where:
            met = [age for age in range(low, high + 1) if where["age"][0] <= age + 20 <= where["age"][1]]
            share *= Fraction(len(met), high - low + 1)
        if "town" in where:
            share *= Fraction(len([town for town in towns if "abc"[town] in where["town"]]), len(towns))
        people = {
            int(data.individuals[i])
            for i in inside
            if ("pay" not in where or where["pay"][0] <= data.sensitive_codes[0, i] + 1 <= where["pay"][1])
            and ("debt" not in where or ["no", "yes"][data.sensitive_codes[1, i]] in where["debt"])
        }
        total += share * len(people)
    return total


@given(release=releases(), asked=st.lists(wheres(), min_size=1, max_size=4))
@settings(deadline=None, max_examples=80)
def test_equal_to_counting_people_one_by_one(release, asked):
    data, classes = release
    publication, _, _ = publish(IdentityReservedForm(), data, classes)
    asked = [askable(publication, where) for where in asked]
    expected = [float(plain(data, classes, where)) for where in asked]
    queries = [Query(where, "individuals") for where in asked]
    assert [publication.estimate(query) for query in queries] == pytest.approx(expected, abs=1e-12)
    assert publication.estimate_all(Workload.of_queries(queries)) == pytest.approx(expected, abs=1e-12)


def test_a_person_counts_for_the_mean_weight_of_its_records():
    publication = s4(S4_TABLE4)
    weights = np.zeros(10)
    heart = publication.sensitive_codes[0] == list(publication.sensitive[0].labels).index("Heart")
    weights[heart] = 3.0
    publication.survey_weights = weights
    # Mike and Ella have Heart and one more record: half of 3 each, and so for any other disease of theirs.
    for disease, expected in (("Heart", 3.0), ("Leukaemia", 1.5), ("HIV", 0.0)):
        query = Query({"Disease": [disease]}, "individuals")
        assert publication.estimate(query) == expected
        assert publication.estimate_all(Workload.of_queries([query])).tolist() == [expected]


@pytest.mark.parametrize("form", [GeneralizedForm(), AnatomizedForm(), BaselineForm(), PerturbedForm()])
def test_other_forms_do_not_say_whose_records_are_whose(form):
    data = s4_microdata()
    publication, _, _ = publish(form, data, plan_for(form, data, Plan(s4_classes(S4_TABLE4))))
    query = Query({"Disease": ["Heart"]}, "individuals")
    message = "only where a release says whose records belong together; this one is .*: count records"
    with pytest.raises(TableError, match=message):
        publication.estimate(query)
    with pytest.raises(TableError, match=message):
        publication.estimate_all(Workload.of_queries([query]))


def test_a_release_of_nobody_has_nobody():
    publication, _, _ = publish(IdentityReservedForm(), s4_microdata(), [-1] * 10)
    query = Query({}, "individuals")
    assert publication.estimate(query) == 0
    assert publication.estimate_all(Workload.of_queries([query])).tolist() == [0.0]


def test_columns_that_were_not_published():
    query = Query({"Diseas": ["Heart"]}, "individuals")
    for ask in (s4(S4_TABLE4).estimate, lambda own: s4(S4_TABLE4).estimate_all(Workload.of_queries([own]))):
        with pytest.raises(TableError, match="no published column 'Diseas' to query"):
            ask(query)


def test_people_have_no_numbers_to_sum():
    with pytest.raises(
        PolicyError, match="query: individuals counts people; it takes no column, and got of='age'"
    ):
        Query({}, "individuals", "age")


def test_sets_without_members_are_none():
    assert TupleSets(np.array([0]), np.zeros(0, np.int64)).any_of(np.ones((2, 3))).shape == (2, 0)


@pytest.mark.parametrize("rows", [0, 1, 8, 64, 65, 130])
def test_sets_are_met_by_any_of_their_tuples(rows):
    rng = np.random.default_rng(rows)
    values = (rng.random((rows, 5)) < 0.3).astype(np.float64)
    sets = [[0], [1], [2, 4], [0, 1, 2, 3, 4], [3, 4]]
    start = np.cumsum([0, *map(len, sets)])
    found = TupleSets(start, np.concatenate(sets)).any_of(values)
    assert found.tolist() == [[max(row[i] for i in own) for own in sets] for row in values.tolist()]
