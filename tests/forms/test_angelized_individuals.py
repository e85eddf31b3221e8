"""Angelized tables of people with several records: everybody's region and bucket, and how many people have each value."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.forms.publications import integers, labelled, notes_on, publish, table, words

from likeness.attacks.homogeneity import HomogeneityAttack
from likeness.attacks.linkage import LinkageAttack
from likeness.errors import PolicyError, TableError
from likeness.forms.angelized import AngelizedForm
from likeness.microdata.plan import Plan
from likeness.models.alpha_k_anonymity import AlphaKAnonymity
from likeness.models.distinct_l_diversity import DistinctLDiversity
from likeness.models.eir_alpha_beta_anonymity import EirAlphaBetaAnonymity
from likeness.models.eir_l_diversity import EirLDiversity
from likeness.models.ir_kl_anonymity import IrKlAnonymity
from likeness.models.k_anonymity import KAnonymity
from likeness.models.t_closeness import TCloseness
from likeness.proving.proof import prove
from likeness.queries.query import Query, Workload
from likeness.tables import Labelled

FORM = AngelizedForm(individuals=True)
AGES = [20, 30, 40, 50]
VALUES = ["cold", "flu", "gout", "mumps"]


def people(ages, values, of):
    """A table of the records of people: whose each is, the age of each person, and the value of each record."""
    found = table(
        [(integers("age", AGES), [AGES.index(ages[own]) for own in of])],
        [(words("disease", VALUES), [VALUES.index(value) for value in values])],
    )
    return replace(found, individuals=np.array(of))


# Four people: a (20) has cold, flu and gout, b (30) has flu; c (40) has cold and flu, d (50) has mumps.
DATA = people([20, 30, 40, 50], ["cold", "flu", "gout", "flu", "cold", "flu", "mumps"], [0, 0, 0, 1, 2, 2, 3])
REGIONS, BUCKETS = [0, 0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 0, 0, 1]
PLAN = Plan(np.array(REGIONS), np.array(BUCKETS))


@pytest.fixture(scope="module")
def small():
    return publish(FORM, DATA, PLAN)[0]


def rows_of(columns):
    return sorted(zip(*([own.labels[code] for code in own.codes] for own in columns.values()), strict=True))


def test_a_row_a_person_and_the_people_who_have_each_value():
    _, published, _ = publish(FORM, DATA, PLAN)
    tables = labelled(published.tables)
    rows = rows_of(tables["quasi"])
    assert [row[0] for row in rows] == ["[20, 30]", "[20, 30]", "[40, 50]", "[40, 50]"]
    assert rows[0][1] != rows[1][1]
    assert rows[2][1] != rows[3][1]
    held = {}
    for bucket, value, number in rows_of(tables["sensitive"]):
        held.setdefault(bucket, {})[value] = number
    # The bucket of a and c, and that of b and d.
    assert sorted(held.values(), key=len) == [
        {"flu": "1", "mumps": "1"},
        {"cold": "2", "flu": "2", "gout": "1"},
    ]
    assert sorted(published.rows["quasi"].tolist()) == [0, 3, 4, 6]


def test_records_are_counted_and_nobody_is_said_to_have_them(small):
    assert small.size == 7
    assert small.persons is None
    assert np.bincount(small.rows).tolist().count(0) == 0
    verdict = prove(small, [KAnonymity(2)], several=True)
    assert (verdict.records, verdict.individuals, verdict.classes) == (7, 4, 2)


def test_people_are_counted_and_what_holds_whoever_has_which_is_public(small):
    models = [
        KAnonymity(2),
        KAnonymity(3),
        EirAlphaBetaAnonymity(1, 1),
        EirAlphaBetaAnonymity(1, Fraction(99, 100)),
        DistinctLDiversity(2),
        DistinctLDiversity(3),
        IrKlAnonymity(2, 2),
    ]
    proofs = prove(small, models, several=True).proofs
    assert [proof.holds for proof in proofs] == [True, False, True, False, True, False, True]
    assert {proof.scope for proof in proofs} == {"public"}
    # One of the first bucket's two people may have three of its five records, whoever that is.
    assert proofs[2].strength.values == {"alpha": 0.6, "beta": 1.0}


def test_how_many_records_one_has_only_the_steward_knows(small):
    model = EirAlphaBetaAnonymity("0.6", 1)
    tight = EirAlphaBetaAnonymity("0.55", 1)
    assert prove(small, [model], several=True).proofs[0].scope == "public"
    (proof,) = prove(small, [tight], several=True).proofs
    assert (proof.holds, proof.scope, proof.strength) == (None, "steward", None)
    # In truth it is so: a has three of the five records of their bucket.
    row = {0: None, 1: None, 2: None, 3: None}
    published = publish(FORM, DATA, PLAN)[1].rows["quasi"]
    for position, record in enumerate(published.tolist()):
        row[[0, 0, 0, 1, 2, 2, 3][record]] = position
    whose = np.array([row[own] for own in DATA.individuals.tolist()])
    (proof,) = prove(small, [tight], several=True, individuals=whose).proofs
    assert (proof.holds, proof.scope) == (False, "steward")


def test_who_has_which_values_is_decided_with_the_original_alone(small):
    model = EirLDiversity(2)
    assert prove(small, [model], several=True).proofs[0].holds is None
    rows = publish(FORM, DATA, PLAN)[1].rows["quasi"]
    place = {int(DATA.individuals[record]): position for position, record in enumerate(rows.tolist())}
    whose = np.array([place[own] for own in DATA.individuals.tolist()])
    (proof,) = prove(
        small, [model], DATA, several=True, individuals=whose, values=DATA.sensitive_codes
    ).proofs
    # The two of the first bucket both have cold.
    assert (proof.holds, proof.scope) == (False, "steward")


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ({}, 7),
        ({"disease": ["cold"]}, 2),
        # a or b: of one's bucket both have flu, of the other's one of two.
        ({"age": (20, 30), "disease": ["flu"]}, Fraction(3, 2)),
        ({"age": (20, 30)}, Fraction(5, 2) + 1),
        # An eleventh of the region of a and b.
        ({"age": (20, 20), "disease": ["cold", "flu"]}, Fraction(5, 22)),
    ],
)
def test_estimates_are_people_times_the_share_that_has_the_value(small, where, expected):
    assert small.estimate(Query(where)) == pytest.approx(float(expected))


def test_beliefs_need_not_sum_to_one(small):
    found = small.posterior({"age": 20})["disease"]
    assert found == {"cold": 0.5, "flu": 0.75, "gout": 0.25, "mumps": 0.25}
    assert small.posterior({"age": 35}) == {}
    with pytest.raises(TableError, match="no published quasi-identifier 'sex'"):
        small.posterior({"sex": "f"})


@st.composite
def releases(draw, most=4):
    """Random people, regions and buckets; everybody has some different values."""
    n = draw(st.integers(1, most))
    sets = [draw(st.sets(st.sampled_from(VALUES), min_size=1, max_size=3)) for _ in range(n)]
    ages = [draw(st.sampled_from(AGES)) for _ in range(n)]
    regions = [draw(st.integers(0, 1)) for _ in range(n)]
    buckets = [draw(st.integers(0, 1)) for _ in range(n)]
    of = [own for own, values in enumerate(sets) for _ in values]
    data = people(ages, [value for own in sets for value in sorted(own)], of)
    plan = Plan(
        np.unique([regions[own] for own in of], return_inverse=True)[1].astype(np.int64),
        np.unique([buckets[own] for own in of], return_inverse=True)[1].astype(np.int64),
    )
    publication, published, plan = publish(FORM, data, plan, draw(st.integers(0, 9)))
    return data, publication, published, plan


def dealings(publication):
    """All sets of values that the people of each bucket may have: each value ``count`` people, everybody one at least."""
    told = publication.tables
    for choice in product(
        *(
            [
                (int(bucket), int(code), own)
                for own in combinations(np.flatnonzero(told.classes == bucket).tolist(), int(number))
            ]
            for bucket, code, number in zip(
                told.entries.holders, told.entries.columns[0].codes, told.entries.counts, strict=True
            )
        )
    ):
        sets = [set() for _ in range(told.size)]
        for _, code, own in choice:
            for person in own:
                sets[person].add(code)
        if all(sets):
            yield sets


@settings(deadline=None, max_examples=60)
@given(draw=st.data())
def test_beliefs_are_those_over_all_dealings(draw):
    _, publication, _, _ = draw.draw(releases())
    age = draw.draw(st.sampled_from(AGES))
    matching = np.flatnonzero(publication.tables.matching({"age": age})).tolist()
    assume(matching)
    counts, worlds = Counter(), 0
    for sets in dealings(publication):
        worlds += 1
        counts.update(code for person in matching for code in sets[person])
    labels = publication.sensitive[0].labels
    expected = {
        labels[code]: float(Fraction(number, worlds * len(matching))) for code, number in counts.items()
    }
    assert publication.posterior({"age": age})["disease"] == pytest.approx(expected)


@settings(deadline=None, max_examples=60)
@given(draw=st.data())
def test_what_is_public_holds_in_every_dealing_and_what_fails_in_all(draw):
    _, publication, _, _ = draw.draw(releases())
    model = draw.draw(
        st.sampled_from(
            [
                EirAlphaBetaAnonymity(1, "0.5"),
                EirAlphaBetaAnonymity("0.5", "0.7"),
                EirAlphaBetaAnonymity("0.7", 1),
                EirAlphaBetaAnonymity("0.34", 1),
                AlphaKAnonymity(alpha="0.5", k=2),
                TCloseness("0.3"),
                EirLDiversity(2),
                IrKlAnonymity(2, 3),
            ]
        )
    )
    proofs = prove(publication, [model], several=True).proofs
    decided = {
        tuple(proof.holds for proof in prove_as(publication, sets, model)) for sets in dealings(publication)
    }
    for place, proof in enumerate(proofs):
        found = {own[place] for own in decided}
        if proof.holds is not None:
            assert found == {proof.holds}
        if proof.holds is None and not isinstance(model, EirLDiversity):
            assert False in found
        assert proof.scope == ("steward" if proof.holds is None else "public")


def prove_as(publication, sets, model):
    """Prove of a release that says whose records are whose."""
    told = publication.dealt(
        np.array([person for person, own in enumerate(sets) for _ in own], np.int64),
        np.array([[code for own in sets for code in sorted(own)]], np.int32),
    )
    told.persons, told.rows = told.rows, None
    return prove(told, [model], several=True).proofs


@settings(deadline=None, max_examples=60)
@given(draw=st.data())
def test_records_are_dealt_as_they_may_be_and_workloads_say_what_queries_say(draw):
    data, publication, published, plan = draw.draw(releases(8))
    told = publication.tables
    assert publication.size == data.size
    assert told.size == published.rows["quasi"].size == np.unique(data.individuals).size
    assert set(publication.rows.tolist()) == set(range(told.size))
    pairs = set(zip(publication.rows.tolist(), publication.sensitive_codes[0].tolist(), strict=True))
    assert len(pairs) == publication.size
    assert np.array_equal(publication.classes, told.classes[publication.rows])
    at = published.rows["quasi"]
    assert len(set(zip(told.classes.tolist(), plan.buckets[at].tolist(), strict=True))) == len(
        set(told.classes.tolist())
    )
    wanted = [
        {"age": (20, 30)},
        {"age": (30, 50), "disease": ["flu"]},
        {"disease": ["cold", "gout"]},
    ]
    known = [own for own in wanted if set(own.get("disease", [])) <= set(publication.sensitive[0].labels)]
    workload = Workload.of_queries([Query(own) for own in known])
    assert publication.estimate_all(workload) == pytest.approx(
        [publication.estimate(Query(w)) for w in known]
    )
    for name, number in Counter(publication.sensitive_codes[0].tolist()).items():
        value = publication.sensitive[0].labels[name]
        assert publication.estimate(Query({"disease": [value]})) == pytest.approx(number)


@settings(deadline=None, max_examples=60)
@given(draw=st.data())
def test_attacks_count_people_and_believe_what_beliefs_are(draw):
    data, publication, _, _ = draw.draw(releases(8))
    targets = [{"age": AGES[code]} for code in data.people.codes[0].tolist()]
    found = [publication.tables.matching(target).sum() for target in targets]
    linked = LinkageAttack().run(publication, data)
    assert linked.success == pytest.approx(np.mean([1 / number for number in found]))
    assert linked.details["unique"] == pytest.approx(np.mean([number == 1 for number in found]))
    guessed = HomogeneityAttack().run(publication, data).details
    largest = [max(publication.posterior(target)["disease"].values()) for target in targets]
    assert guessed["mean_confidence"] == pytest.approx(np.mean(largest))
    assert guessed["max_confidence"] == pytest.approx(max(largest))


@pytest.mark.parametrize(
    ("counts", "line"),
    [
        ({"gout": "3"}, r"column 'count': 3 people of the bucket \d are said to have one value; the table 'quasi' has 2"),
        ({"flu": None}, r"column 'count': the counts of the bucket \d sum to 1; each of its 2 people has a value"),
    ],
)  # fmt: skip
def test_more_people_than_the_bucket_has_or_fewer_values_are_refused(counts, line):
    _, published, plan = publish(FORM, DATA, PLAN)
    notes = notes_on(FORM, DATA, plan, published)
    tables = labelled(published.tables)
    rows = rows_of(tables["sensitive"])
    of_two = next(bucket for bucket, value, _ in rows if value == "mumps")
    changed = [
        (bucket, value, counts.get(value, number) if (value != "flu" or bucket == of_two) else number)
        for bucket, value, number in rows
    ]
    tables["sensitive"] = columns(list(tables["sensitive"]), [row for row in changed if row[2] is not None])
    with pytest.raises(TableError, match=line):
        FORM.read(tables, notes)


def columns(names, rows):
    return {
        name: Labelled(np.arange(len(rows), dtype=np.int32), [row[i] for row in rows])
        for i, name in enumerate(names)
    }


def test_a_value_twice_of_one_person_is_refused():
    twice = people([20, 30], ["flu", "flu", "cold"], [0, 0, 1])
    with pytest.raises(PolicyError, match=r"repeat one of their person: 1; .*hygiene: \{duplicates: drop\}"):
        publish(FORM, twice, Plan(np.zeros(3, np.int64), np.zeros(3, np.int64)))


def test_individuals_is_true_or_false():
    with pytest.raises(PolicyError, match="individuals must be true or false; got 1"):
        AngelizedForm(individuals=1)
