from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.identity_reserved import S4_TABLE3, S4_TABLE4, s4_classes, s4_microdata
from tests.metrics.examples import MINI, NOTHING
from tests.metrics.tables import evaluate

from likeness.errors import PolicyError
from likeness.metrics.base import Evaluation
from likeness.metrics.measuring import measure_all
from likeness.metrics.vulnerable_classes import VulnerableClasses
from likeness.microdata.domain import Domain
from likeness.microdata.plan import Plan
from likeness.microdata.regions import recode


def s4(table):
    data = s4_microdata(trees=table is S4_TABLE3)
    return Evaluation(data, *recode(data, Plan(s4_classes(table))))


@pytest.mark.parametrize(
    ("table", "expected"),
    # In Q2 of table 3 everybody has Hypertension: T6. Both classes of table 4 are safe: T7.
    [(S4_TABLE3, 0.5), (S4_TABLE4, 0.0)],
)
def test_the_tables_of_the_paper(table, expected):
    assert VulnerableClasses(l=3).measure(s4(table)) == expected
    assert VulnerableClasses(alpha=0.4, beta=0.6, sensitive="Disease").measure(s4(table)) == expected


def test_classes_that_do_not_hold_the_first_model_are_not_vulnerable():
    # Q2 of table 3 has three people: no IR (4, 4). Hypertension is 3 of its 5 records.
    assert VulnerableClasses(l=4).measure(s4(S4_TABLE3)) == 0
    assert VulnerableClasses(alpha=0.4, beta="59/100").measure(s4(S4_TABLE3)) == 0


def test_tables_of_one_record_each_have_no_vulnerable_classes():
    alone = replace(s4(S4_TABLE3), data=replace(s4(S4_TABLE3).data, individuals=None))
    assert VulnerableClasses(l=3).measure(alone) == 0
    assert VulnerableClasses(l=1).measure(NOTHING) == 0


def test_what_is_published_is_looked_at():
    release = s4(S4_TABLE3)
    changed = release.data.sensitive_codes.copy()
    # With another disease of Tim's the class is as safe as its records make it look.
    changed[0, 3] = 0
    plan = replace(release.plan, sensitive=changed)
    assert VulnerableClasses(l=2).measure(release) == 0.5
    assert VulnerableClasses(l=2).measure(replace(release, plan=plan)) == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "vulnerable-classes: needs either l, or alpha and beta; got none of them"),
        ({"l": 2, "alpha": 0.5, "beta": 0.5}, "got l, alpha, beta"),
        ({"alpha": 0.5}, "got alpha"),
        ({"l": 0}, "vulnerable-classes: l must be a whole number of at least 1; got 0"),
        (
            {"alpha": 0.5, "beta": 2},
            "vulnerable-classes: .*beta must be a number above 0 and at most 1; got 2",
        ),
    ],
)
def test_parameters(options, message):
    with pytest.raises(PolicyError, match=message):
        VulnerableClasses(**options)


def test_without_its_column_it_is_skipped():
    with pytest.raises(PolicyError, match="'pay' is not a sensitive column"):
        VulnerableClasses(l=2, sensitive="pay").measure(MINI)
    assert "needs either l" in measure_all(MINI).skipped["vulnerable-classes"]


@st.composite
def releases(draw):
    """People with up to 3 different values, a record each; classes are never alike."""
    people = st.tuples(st.integers(-1, 2), st.sets(st.integers(0, 2), min_size=1))
    found = draw(st.lists(people, min_size=1, max_size=8))
    rows = [(i, own, value) for i, (own, values) in enumerate(found) for value in sorted(values)]
    classes = [own for _, own, _ in rows]
    place = Domain("place", "integer", np.arange(3), "interval", low=0, high=2)
    release = evaluate((place,), [[max(0, own) for own in classes]], [value for _, _, value in rows], classes)
    return replace(release, data=replace(release.data, individuals=np.array([i for i, _, _ in rows])))


def plain_share(release, l, alpha, beta):  # noqa: E741
    """By enumerating every reasoning set."""
    data, classes = release.data, release.plan.classes
    vulnerable = 0
    for number in range(release.plan.count):
        of = {}
        for i in np.flatnonzero(classes == number):
            of.setdefault(int(data.individuals[i]), []).append(int(data.sensitive_codes[0, i]))
        distinct = [set(own) for own in of.values()]
        records = [value for own in of.values() for value in own]
        sets = list(product(*distinct))
        if l is not None:
            plain = len(of) >= l and len(set(records)) >= l
            enhanced = all(len(set(one)) >= l for one in sets)
        else:
            most = Fraction(max(len(own) for own in of.values()), len(records))
            pairs = [value for own in distinct for value in own]
            plain = most <= alpha and Fraction(max(map(pairs.count, pairs)), len(records)) <= beta
            enhanced = most <= alpha and all(
                Fraction(max(map(one.count, one)), len(one)) <= beta for one in sets
            )
        vulnerable += plain and not enhanced
    return vulnerable / max(1, release.plan.count)


@given(release=releases(), l=st.integers(1, 3))
@settings(deadline=None, max_examples=150)
def test_equal_to_all_reasoning_sets(release, l):  # noqa: E741
    assert VulnerableClasses(l=l).measure(release) == plain_share(release, l, None, None)


@given(
    release=releases(),
    alpha=st.sampled_from(["1/3", "1/2", 1]),
    beta=st.sampled_from(["1/3", "1/2", "2/3"]),
)
@settings(deadline=None, max_examples=150)
def test_equal_to_all_reasoning_sets_in_shares(release, alpha, beta):
    expected = plain_share(release, None, Fraction(alpha), Fraction(beta))
    assert VulnerableClasses(alpha=alpha, beta=beta).measure(release) == expected


def test_every_sensitive_column_counts():
    release = s4(S4_TABLE3)
    (disease,), (codes,) = release.data.sensitive, release.data.sensitive_codes
    other = replace(disease, name="other")
    same = np.zeros_like(codes)
    data = replace(release.data, sensitive=(disease, other), sensitive_codes=np.stack([codes, same]))
    both = replace(release, data=data)
    # Of the other column there is one value: no class is IR (3, 3)-anonymous in both.
    assert VulnerableClasses(l=3).measure(both) == 0
    assert VulnerableClasses(l=3, sensitive="Disease").measure(both) == 0.5
