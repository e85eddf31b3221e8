"""Record linkage where tables are linked by buckets, and records are invented."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.attacks.table_12 import BUCKETS, GROUPS, PEOPLE
from tests.forms.publications import integers, table, words

from likeness.metrics.base import Evaluation
from likeness.metrics.record_linkage import RecordLinkage
from likeness.microdata.plan import Added, Plan
from likeness.microdata.regions import recode

# Fazal et al. 2023, table 12: a record that nobody is copies p8, and is Mild.
MILD = Added(np.array([7]), np.array([[2]], np.int32))


def evaluation(data, classes, buckets, added=None):
    plan, recoding = recode(data, Plan(np.array(classes), buckets=np.array(buckets), added=added))
    return Evaluation(data, plan, recoding)


@pytest.mark.parametrize(
    ("classes", "linked", "with_invented", "joined"),
    [
        (GROUPS, 4, Fraction(11, 3), Fraction(215, 216)),
        (BUCKETS, 2, Fraction(5, 3), Fraction(17, 18)),
    ],
    ids=["loose", "one to one"],
)
def test_the_papers_example_by_its_own_measure(classes, linked, with_invented, joined):
    assert RecordLinkage().measure(evaluation(PEOPLE, classes, BUCKETS)) == linked
    released = evaluation(PEOPLE, classes, BUCKETS, MILD)
    assert RecordLinkage().measure(released) == pytest.approx(float(with_invented), rel=1e-15)
    assert RecordLinkage(joined=True).measure(released) == pytest.approx(float(joined), rel=1e-15)


@settings(deadline=None, max_examples=60)
@given(draw=st.data())
def test_what_is_found_of_a_value_is_the_mean_of_its_shares_in_buckets(draw):
    n = draw.draw(st.integers(1, 12))
    ages, values, classes, buckets = (
        draw.draw(st.lists(st.integers(0, most), min_size=n, max_size=n)) for most in (4, 2, 3, 3)
    )
    numbered = [[sorted(set(own)).index(one) for one in own] for own in (classes, buckets)]
    data = table([(integers("age", list(range(5))), ages)], [(words("s", ["a", "b", "c"]), values)])
    copied = draw.draw(st.lists(st.integers(0, n - 1), max_size=3))
    invented = draw.draw(st.lists(st.integers(0, 2), min_size=len(copied), max_size=len(copied)))
    added = Added(np.array(copied, np.int64), np.array([invented], np.int32)) if copied else None
    found = evaluation(data, *numbered, added)
    alone, joined = (RecordLinkage(joined=own).measure(found) for own in (False, True))
    rows = [
        (*pair, value) for *pair, value in zip(found.plan.classes.tolist(), numbered[1], values, strict=True)
    ]
    rows += [(*rows[of][:2], value) for of, value in zip(copied, invented, strict=True)]
    shares = [
        np.mean(
            [
                np.mean([other[2] == value for other in rows if other[1] == row[1]])
                for row in rows
                if row[0] == own
            ]
        )
        for own, _, value in rows[:n]
    ]
    chances = per_record(found, rows)
    assert alone == pytest.approx(sum(chances))
    assert joined == pytest.approx(sum(c * s for c, s in zip(chances, shares, strict=True)))


def per_record(found, rows):
    """The chance of finding each record: by how far it is from the middle of every class's region."""
    data, regions = found.data, found.recoding.attributes[0]
    span = data.quasi[0].width
    sizes = [sum(row[0] == own for row in rows) for own in range(found.recoding.classes)]
    chances = []
    for record in range(data.size):
        age = data.quasi[0].numbers[data.codes[0][record]]
        away = []
        for own in range(found.recoding.classes):
            low, high = (data.quasi[0].numbers[end[regions.of[own]]] for end in (regions.low, regions.high))
            away.append(abs(age - (low + high) / 2) / span)
        nearest = [own for own, one in enumerate(away) if one <= min(away) + 1e-9]
        here = found.plan.classes[record] in nearest
        chances.append(here / sum(sizes[own] for own in nearest))
    return chances
