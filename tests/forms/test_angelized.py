"""Angelized tables, published and read back: regions and buckets that have nothing to do with each other."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.forms.publications import integers, labelled, notes_on, publish, table, words

import likeness as lk
from likeness.errors import PolicyError, TableError
from likeness.forms.anatomized import AnatomizedForm
from likeness.forms.angelized import AngelizedForm
from likeness.forms.generalized import GeneralizedForm
from likeness.microdata.plan import Plan, renumber
from likeness.models.distinct_l_diversity import DistinctLDiversity
from likeness.models.k_anonymity import KAnonymity
from likeness.proving.proof import prove
from likeness.queries.query import Query, Workload
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


PAYS = [1, 2, 1, 2, 3, 1, 3, 2, 1]
TWICE = table(
    [column(integers, "age", AGES)], [column(words, "severity", SEVERITIES), column(integers, "pay", PAYS)]
)
APART = AngelizedForm(apart=True)


def by_bucket(published):
    found = {}
    for bucket, *values in rows_of(labelled(published.tables)["sensitive"]):
        found.setdefault(bucket, []).append(tuple(values))
    return sorted(map(sorted, found.values()))


def test_what_records_have_together_is_counted():
    publication, published, _ = publish(FORM, TWICE, LOOSE)
    assert list(published.tables["sensitive"]) == ["bucket", "severity", "pay", "count"]
    assert by_bucket(published) == sorted(
        [
            [("Mild", "1", "1"), ("Severe", "2", "1")],
            [("High", "1", "1"), ("Severe", "2", "1")],
            [("Asymptomatic", "3", "1"), ("Low", "3", "1")],
            [("Low", "1", "1"), ("Low", "2", "1"), ("Mild", "1", "1")],
        ]
    )
    assert [domain.name for domain in publication.sensitive] == ["severity", "pay"]
    shown = [domain.labels for domain in publication.sensitive]
    held = {}
    for number, one, other in zip(publication.classes, *publication.sensitive_codes, strict=True):
        held.setdefault(int(number), []).append((shown[0][one], shown[1][other], "1"))
    assert sorted(map(sorted, held.values())) == by_bucket(published)
    assert publication.estimate(Query({"severity": ["Low"], "pay": (1, 1)})) == pytest.approx(1)
    assert publication.estimate(Query({"severity": ["Severe"], "pay": (1, 1)})) == 0
    assert publication.posterior({"age": 45})["pay"] == pytest.approx({"1": 5 / 12, "2": 1 / 3, "3": 1 / 4})


def test_apart_each_column_is_listed_by_itself():
    publication, published, _ = publish(APART, TWICE, LOOSE)
    assert list(published.tables["sensitive"]) == ["bucket", "column", "severity", "pay", "count"]
    last = [
        ("pay", "", "1", "2"),
        ("pay", "", "2", "1"),
        ("severity", "Low", "", "2"),
        ("severity", "Mild", "", "1"),
    ]
    assert last in by_bucket(published)
    # What goes with what is as chance has it: the three of that bucket are 2/3 Low, and 2/3 have the pay 1.
    assert publication.estimate(Query({"severity": ["Low"], "pay": (1, 1)})) == pytest.approx(3 * 4 / 9)
    assert publication.estimate(Query({"severity": ["Severe"], "pay": (1, 1)})) == pytest.approx(1)
    together, _, _ = publish(FORM, TWICE, LOOSE)
    for person in range(8):
        known = {"age": AGES[person]}
        for name in ("severity", "pay"):
            assert publication.posterior(known)[name] == pytest.approx(together.posterior(known)[name])


@settings(deadline=None, max_examples=60)
@given(draw=st.data())
def test_workloads_over_several_columns_are_answered_as_single_queries(draw):
    form = draw.draw(st.sampled_from([FORM, APART, AnatomizedForm(), AnatomizedForm(apart=True)]))
    n = draw.draw(st.integers(1, 12))
    codes = [draw.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)) for _ in range(4)]
    data = table(
        [(integers("age", [1, 2, 3, 4]), codes[0])],
        [
            (words("a", list("wxyz")), codes[1]),
            (integers("b", [5, 6, 7, 8], missing=True), [c + 1 for c in codes[2]]),
        ],
    )
    plan = Plan(data.tuples.of if form.publishes_exactly else np.array(codes[3]) // 2, np.array(codes[3]))
    plan = Plan(renumber(plan.classes), renumber(plan.buckets))
    publication, published, _ = publish(form, data, plan)
    asked = [
        {"age": (1, 2), "a": [labels]} | more
        for labels in sorted({data.sensitive[0].labels[c] for c in codes[1]})
        for more in ({}, {"b": (5, 7)}, {"b": [None]} if 4 in [c + 1 for c in codes[2]] else {})
    ]
    for aggregate, of in (("count", None), ("sum", "b"), ("avg", "age")):
        queries = [Query(where, aggregate, of) for where in asked]
        found = publication.estimate_all(Workload.of_queries(queries))
        assert found == pytest.approx([publication.estimate(query) for query in queries], nan_ok=True)
    # Every bucket holds what its records have, whatever the order.
    rows = published.rows["quasi"]
    for number in range(int(publication.classes.max()) + 1):
        here = publication.classes == number
        for domain, read, own in zip(
            publication.sensitive, publication.sensitive_codes, data.sensitive, strict=True
        ):
            own_codes = data.sensitive_codes[data.sensitive_index(own.name)][rows[here]]
            assert sorted(map(domain.name_of, read[here])) == sorted(map(own.name_of, own_codes))


def test_known_values_of_other_columns_count_where_they_are_told_together():
    # In both buckets everybody of one pay has one severity: who knows the pay knows it, unless the columns are apart.
    data = table(
        [(integers("age", [1]), [0] * 4)],
        [(words("severity", ["High", "Low"]), [0, 1, 0, 1]), (integers("pay", [1, 2]), [0, 1, 0, 1])],
    )
    model = DistinctLDiversity(2, sensitive="severity")
    for form, holds in ((FORM, False), (APART, True)):
        publication, _, _ = publish(form, data, Plan(np.zeros(4, np.int64), np.array([0, 0, 1, 1])))
        assert [proof.holds for proof in prove(publication, [model]).proofs] == [holds]
        assert prove(publication, [replace(model, others="unknown")]).ok


def test_rows_that_say_too_much_are_refused():
    _, published, made = publish(APART, TWICE, LOOSE)
    notes, tables = notes_on(APART, TWICE, made, published), labelled(published.tables)
    own = tables["sensitive"]["severity"]
    full = Labelled(own.codes, [label or "Low" for label in own.labels])
    with pytest.raises(TableError, match="column 'severity': a row of another column has a value of it"):
        APART.read({**tables, "sensitive": {**tables["sensitive"], "severity": full}}, notes)
    which = tables["sensitive"]["column"]
    other = Labelled(which.codes, ["age" if label == "pay" else label for label in which.labels])
    with pytest.raises(TableError, match="column 'column': 'age' is no sensitive column"):
        APART.read({**tables, "sensitive": {**tables["sensitive"], "column": other}}, notes)
    with pytest.raises(PolicyError, match="angelized: apart must be true or false; got 'yes'"):
        AngelizedForm(apart="yes")


@pytest.mark.parametrize("apart", [False, True])
def test_a_folder_of_several_sensitive_columns_is_verified(tmp_path, apart):
    frame = pl.DataFrame({"age": AGES[:8], "severity": SEVERITIES[:8], "pay": [None, *PAYS[1:8]]})
    policy = lk.Policy(
        columns={
            "age": lk.quasi(),
            "severity": lk.sensitive(),
            "pay": lk.sensitive(missing={"policy": "category"}),
        },
        privacy=[lk.KAnonymity(2), lk.DistinctLDiversity(2, others="unknown")],
        method="angel",
        form=AngelizedForm(apart=apart),
    )
    release = lk.anonymize(frame, policy, seed=1)
    release.write(tmp_path / "out")
    assert lk.verify(tmp_path / "out" / "public").ok
    assert lk.verify(tmp_path / "out").status == "proven"
    assert release.tables["sensitive"]["count"].sum() == (16 if apart else 8)


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
