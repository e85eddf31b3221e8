"""Angelized tables, published and read back: regions and buckets that have nothing to do with each other."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from tests.forms.publications import integers, labelled, notes_on, publish, table, words

from likeness.errors import PolicyError, TableError
from likeness.forms.angelized import AngelizedForm
from likeness.forms.generalized import GeneralizedForm
from likeness.microdata.plan import Plan
from likeness.models.distinct_l_diversity import DistinctLDiversity
from likeness.models.k_anonymity import KAnonymity
from likeness.proving.proof import prove
from likeness.queries.query import Query
from likeness.tables import Labelled

FORM = AngelizedForm()
# Fazal et al. 2023, Tables 10 and 12: eight people p1 … p8, and the invented record, which copies the quasi-identifiers of p8.
AGES, ZIPS = [40, 45, 45, 38, 42, 40, 45, 32, 32], [2139, 2545, 2238, 2843, 2341, 2548, 2544, 2538, 2538]
SEXES = ["F", "M", "F", "M", "F", "M", "F", "M", "M"]
SEVERITIES = ["Mild", "Severe", "High", "Severe", "Low", "Low", "Asymptomatic", "Low", "Mild"]
GROUPS = [0, 1, 2, 3, 0, 1, 2, 3, 3]
BUCKETS = [0, 0, 1, 1, 2, 3, 2, 3, 3]


def column(make, name, values):
    own = sorted(set(values))
    return make(name, own), [own.index(value) for value in values]


DATA = table(
    [
        column(integers, "age", AGES),
        column(integers, "zip", ZIPS),
        column(words, "sex", SEXES),
    ],
    [column(words, "severity", SEVERITIES)],
)
LOOSE = Plan(np.array(GROUPS), np.array(BUCKETS))
TIGHT = Plan(np.array(BUCKETS), np.array(BUCKETS))


def target(person):
    return {"age": AGES[person], "zip": ZIPS[person], "sex": SEXES[person]}


def believed(plan, person):
    publication, _, _ = publish(FORM, DATA, plan)
    return publication.posterior(target(person))["severity"]


def rows_of(columns):
    return sorted(
        zip(*([own.labels[code] for code in own.codes] for own in columns.values()), strict=True), key=str
    )


def test_regions_in_one_table_and_values_in_the_other():
    _, published, _ = publish(FORM, DATA, LOOSE)
    tables = labelled(published.tables)
    assert list(tables) == ["quasi", "sensitive"]
    assert list(tables["quasi"]) == ["age", "zip", "sex", "bucket"]
    assert list(tables["sensitive"]) == ["bucket", "severity", "count"]
    rows = rows_of(tables["quasi"])
    assert [row[:3] for row in rows] == [
        *[("45", "[2238, 2544]", "F")] * 2,
        *[("[32, 38]", "[2538, 2843]", "M")] * 3,
        *[("[40, 42]", "[2139, 2341]", "F")] * 2,
        *[("[40, 45]", "[2545, 2548]", "M")] * 2,
    ]
    shared = {row[3]: [own[:3] for own in rows if own[3] == row[3]] for row in rows}
    assert sorted(map(len, shared.values())) == [2, 2, 2, 3]
    # The women of 45 are in two buckets, and no bucket is of one region alone.
    assert len({row[3] for row in rows[:2]}) == 2
    assert all(len(set(own)) > 1 for own in shared.values())
    held = {}
    for bucket, value, count in rows_of(tables["sensitive"]):
        held.setdefault(bucket, []).append((value, count))
    assert sorted(held.values()) == sorted(
        [
            [("Mild", "1"), ("Severe", "1")],
            [("High", "1"), ("Severe", "1")],
            [("Asymptomatic", "1"), ("Low", "1")],
            [("Low", "2"), ("Mild", "1")],
        ]
    )


@pytest.mark.parametrize(
    ("persons", "expected"),
    [
        ((0, 4), {"Mild": "1/4", "Severe": "1/4", "Low": "1/4", "Asymptomatic": "1/4"}),
        ((2, 6), {"High": "1/4", "Severe": "1/4", "Low": "1/4", "Asymptomatic": "1/4"}),
        ((1, 5), {"Mild": "5/12", "Low": "1/3", "Severe": "1/4"}),
        ((3, 7), {"Low": "4/9", "Mild": "2/9", "High": "1/6", "Severe": "1/6"}),
    ],
)
def test_beliefs_are_means_over_the_buckets_of_all_who_match(persons, expected):
    for person in persons:
        assert believed(LOOSE, person) == pytest.approx(
            {key: float(Fraction(x)) for key, x in expected.items()}
        )


@pytest.mark.parametrize(("plan", "mean"), [(LOOSE, Fraction(79, 288)), (TIGHT, Fraction(63, 160))])
def test_mean_belief_in_the_truth(plan, mean):
    found = [believed(plan, person)[SEVERITIES[person]] for person in range(8)]
    assert sum(found) / 8 == pytest.approx(float(mean))


def test_nobody_believes_more_than_the_largest_share_of_a_bucket():
    for person in range(8):
        assert max(believed(LOOSE, person).values()) <= 2 / 3


def test_regions_prove_sizes_and_buckets_prove_values():
    publication, _, _ = publish(FORM, DATA, LOOSE)
    verdict = prove(publication, [KAnonymity(2), KAnonymity(3), DistinctLDiversity(2), DistinctLDiversity(3)])
    assert [proof.holds for proof in verdict.proofs] == [True, False, True, False]
    assert verdict.proofs[1].strength.values == {"k": 2}
    assert all(shown.startswith("age = ") for shown in verdict.proofs[1].failures)
    assert all(shown.startswith("bucket = ") for shown in verdict.proofs[3].failures)


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ({}, 9),
        ({"severity": ["Low"]}, 3),
        # The men of 32 to 38 share their region; each has a third or none of their bucket's values.
        ({"sex": ["M"], "severity": ["Low"]}, Fraction(2, 3) * 3),
        ({"sex": ["F"], "severity": ["Low"]}, Fraction(1, 2) * 2),
        # A third of the years 40 to 42, of two people: one in the bucket of Low and Asymptomatic.
        ({"age": (42, 42), "sex": ["F"], "severity": ["Low"]}, Fraction(1, 3) * Fraction(1, 2)),
    ],
)
def test_estimates_spread_regions_and_share_buckets(where, expected):
    publication, _, _ = publish(FORM, DATA, LOOSE)
    assert publication.estimate(Query(where)) == pytest.approx(float(expected))


def test_the_table_of_quasi_identifiers_is_answered_as_if_it_were_alone():
    publication, _, _ = publish(FORM, DATA, LOOSE)
    alone, _, _ = publish(GeneralizedForm(), DATA, LOOSE)
    for where in (
        {"age": (40, 41)},
        {"zip": (2500, 2600), "sex": ["M"]},
        {"age": (40, 45), "zip": (2500, 2600)},
    ):
        assert publication.estimate(Query(where)) == pytest.approx(alone.estimate(Query(where)))


def test_no_number_of_a_bucket_means_anything():
    seen = set()
    for seed in range(12):
        _, published, _ = publish(FORM, DATA, LOOSE, seed)
        own = labelled(published.tables)["quasi"]["bucket"]
        seen.add(own.labels[own.codes[published.rows["quasi"] == 2][0]])
    assert len(seen) > 2


def test_several_sensitive_columns_are_refused():
    twice = table(
        [column(integers, "age", AGES)], [column(words, "a", SEXES), column(words, "b", SEVERITIES)]
    )
    with pytest.raises(PolicyError, match="angelized: publishes one sensitive column; this table has 2"):
        publish(FORM, twice, LOOSE)


def test_tables_that_contradict_each_other_are_refused():
    _, published, made = publish(FORM, DATA, LOOSE)
    notes = notes_on(FORM, DATA, made, published)
    tables = labelled(published.tables)
    own = tables["sensitive"]["count"]
    other = Labelled(own.codes, [{"1": "2", "2": "1"}[label] for label in own.labels])
    changed = {**tables, "sensitive": {**tables["sensitive"], "count": other}}
    with pytest.raises(TableError, match="the counts of the bucket 1 do not sum to its"):
        FORM.read(changed, notes)
    with pytest.raises(TableError, match="the table 'sensitive' is not there"):
        FORM.read({"quasi": tables["quasi"]}, notes)
