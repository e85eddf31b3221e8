"""A workload answered at once says what its queries say one by one."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.contracts.parts import example
from tests.forms.publications import integers, plan_for, publish, table, words
from tests.queries.workloads import askable, tables, wheres

import likeness as lk
from likeness import registry
from likeness.errors import TableError
from likeness.forms.generalized import GeneralizedForm
from likeness.forms.identity_reserved import IdentityReservedForm
from likeness.forms.perturbed import PerturbedForm
from likeness.microdata.plan import Plan, renumber
from likeness.queries import answering as _answering
from likeness.queries import answering as _units
from likeness.queries.query import Query, Workload

FORMS = [example("forms", name) for name in registry.names("forms")]
FORMS += [PerturbedForm(variant) for variant in ("clipped", "simplex", "bayes")]


def answers(publication, queries):
    """One by one, as far as they can be answered."""
    found = []
    for query in queries:
        try:
            found.append(publication.estimate(query))
        except TableError as refused:
            return [], str(refused)
    return found, ""


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS, ids=repr)
@given(draw=st.data())
@settings(deadline=None, max_examples=40)
def test_all_at_once_is_one_by_one(form, draw):
    data, plan = draw.draw(tables())
    publication, _, _ = publish(form, data, plan_for(form, data, plan))
    names = [own.name for own in (*data.quasi, *data.sensitive)]
    aggregate = draw.draw(st.sampled_from(["count", "individuals", "sum", "avg"]))
    of = None if aggregate in {"count", "individuals"} else draw.draw(st.sampled_from(names))
    asked = [draw.draw(wheres(data)) for _ in range(draw.draw(st.integers(1, 5)))]
    if draw.draw(st.integers(0, 3)):
        # Else some may name values that were not published: both ways must refuse.
        asked = [askable(publication, where) for where in asked]
    queries = [Query(where, aggregate, of) for where in asked]
    workload = Workload.of_queries(queries)
    expected, refused = answers(publication, queries)
    if refused:
        with pytest.raises(TableError):
            publication.estimate_all(workload)
        return
    found = publication.estimate_all(workload)
    if aggregate == "avg":
        # Rounding decides whether a count of nearly nothing is above 0.
        counts = np.array([publication.total(query.where, of, 0) for query in queries])
        clear = np.abs(counts) > 1e-6
        found, expected = found[clear], np.array(expected)[clear]
    assert found == pytest.approx(np.array(expected), rel=1e-9, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("form", FORMS, ids=repr)
def test_in_parts_and_cell_by_cell_it_says_the_same(form, monkeypatch):
    rng = np.random.default_rng(4)
    n = 900
    age = integers("age", list(range(50)))
    pay = integers("pay", list(range(30)))
    data = table(
        [(age, rng.integers(0, 50, n).tolist()), (words("sex", ["f", "m"]), rng.integers(0, 2, n).tolist())],
        [(pay, rng.integers(0, 30, n).tolist())],
    )
    plan = plan_for(form, data, Plan(renumber(data.codes[0].astype(np.int64) // 3)))
    ranges = [(int(a), int(a) + 9) for a in rng.integers(0, 20, 60)]
    queries = [Query({"age": one, "pay": one} if one[0] % 3 else {"pay": one}) for one in ranges]
    workload = Workload.of_queries(queries)
    workloads = [workload, workload.asking("sum", "age"), workload.asking("avg", "pay")]
    publication, _, _ = publish(form, data, plan)
    if publication.persons is not None:
        workloads.append(workload.asking("individuals"))
    expected = [[publication.estimate(query) for query in own] for own in workloads]
    for own, answers_of in zip(workloads, expected, strict=True):
        assert publication.estimate_all(own) == pytest.approx(answers_of, rel=1e-9, abs=1e-9)
    monkeypatch.setattr(_answering, "_MOST_ENTRIES", 0)
    monkeypatch.setattr(_units, "_DENSE", 0)
    again, _, _ = publish(form, data, plan)
    for own, answers_of in zip(workloads, expected, strict=True):
        assert again.estimate_all(own) == pytest.approx(answers_of, rel=1e-9, abs=1e-9)


def test_conditions_on_two_sensitive_columns():
    rng = np.random.default_rng(2)
    codes = rng.integers(0, 4, (3, 200))
    columns = [integers(name, [1, 2, 4, 8], missing=name == "pay") for name in ("age", "pay", "debt")]
    data = table(
        [(columns[0], codes[0].tolist())],
        [(own, c.tolist()) for own, c in zip(columns[1:], codes[1:], strict=True)],
    )
    publication, _, _ = publish(GeneralizedForm(), data, (np.arange(200) // 20).tolist())
    wheres_of = [{"pay": (2, 4)}, {"debt": [1, 8], "pay": (1, 4)}, {"age": (2, 4), "debt": (1, 2)}, {}]
    people, _, _ = publish(IdentityReservedForm(), data, (np.arange(200) // 20).tolist())
    for aggregate, of in (
        ("count", None),
        ("sum", "debt"),
        ("avg", "pay"),
        ("sum", "age"),
        ("individuals", None),
    ):
        queries = [Query(where, aggregate, of) for where in wheres_of]
        of_records = publication if aggregate != "individuals" else people
        expected = [of_records.estimate(query) for query in queries]
        assert of_records.estimate_all(Workload.of_queries(queries)) == pytest.approx(expected)


def test_an_empty_workload_has_no_answers():
    data = table([(integers("age", [1, 2]), [0, 1])], [(words("d", ["a"]), [0, 0])])
    publication, _, _ = publish(FORMS[0], data, plan_for(FORMS[0], data, Plan(np.array([0, 0]))))
    assert publication.estimate_all(Workload.of_queries([])).shape == (0,)


def test_survey_weights_count_people():
    made = lk.anonymize(
        pl.DataFrame({"age": [30, 31, 60, 61], "pay": [1, 2, 3, 4], "weight": [1.5, 2.5, 10.0, 20.0]}),
        lk.Policy(
            columns={"age": lk.quasi(), "pay": lk.sensitive(), "weight": lk.other()},
            privacy=lk.DistinctLDiversity(2),
            weights="weight",
        ),
        seed=1,
    )
    queries = [Query({}, "avg", "pay"), Query({"age": (60, 61)}, "avg", "pay")]
    expected = [(1.5 + 5 + 30 + 80) / 34, (30 + 80) / 30]
    assert [made.estimate(query) for query in queries] == pytest.approx(expected)
    assert made.publication.estimate_all(Workload.of_queries(queries)) == pytest.approx(expected)


def test_units_stand_along_the_curve_in_one_order():
    """Only units at one place of the curve are compared column by column: as if all were."""
    rng = np.random.default_rng(5)
    for count, most in ((1, 1), (50, 3), (400, 10_000), (3_000, 40)):
        ranks = [rng.integers(0, most, count) for _ in range(3)]
        order = _units.nearby(ranks, count)
        assert np.array_equal(np.sort(order), np.arange(count))
        again = rng.permutation(count)
        other = _units.nearby([own[again] for own in ranks], count)
        for own in ranks:
            assert np.array_equal(own[order], own[again][other])


@pytest.mark.parametrize("widths", [[1], [0, 3], [8, 1, 5], [2, 0, 0, 8, 8]])
def test_bits_of_columns_take_turns(widths):
    """What is looked up per column adds up to what going through the levels bit by bit gives."""
    rng = np.random.default_rng(2)
    places = [rng.integers(0, 1 << bits, 200) for bits in widths]
    plain = np.zeros(200, np.int64)
    for level in range(max(widths)):
        for place, bits in zip(places, widths, strict=True):
            if level < bits:
                plain = (plain << 1) | ((place >> (bits - 1 - level)) & 1)
    looked_up = sum(own[place] for own, place in zip(_units._bits_apart(widths), places, strict=True))
    assert np.array_equal(looked_up, plain)


@pytest.mark.parametrize("asked", [None, "age", 5])
def test_what_is_no_query_is_refused_in_one_line(asked):
    table = pl.DataFrame({"age": [30, 39], "disease": ["flu", "cold"]})
    columns = {"age": lk.quasi(), "disease": lk.sensitive()}
    release = lk.anonymize(table, lk.Policy(columns=columns, privacy=lk.KAnonymity(2)), seed=1)
    said = rf"^query: must say column to condition, as in \{{'age': \(30, 39\)\}}; got {asked!r}$"
    with pytest.raises(lk.PolicyError, match=said):
        release.estimate(asked)
    with pytest.raises(lk.PolicyError, match=r"^posterior: must give values of quasi-identifiers by column"):
        release.posterior(asked)
    with pytest.raises(lk.TableError, match="a condition is a pair"):
        release.estimate({"age": 5})
