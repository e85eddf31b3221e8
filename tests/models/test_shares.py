"""Share limits against fractions: the loops of `likeness.models.shares` and the search's tables."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.models.tables import accepts, categorical, class_counts, count

from likeness.exact import Real
from likeness.models.base import SensitiveAttribute, Strength
from likeness.models.shares import ShareLimits, within

if TYPE_CHECKING:
    from likeness.microdata.statistics import ClassStatistics

limits = st.fractions(Fraction(-1, 4), Fraction(5, 4), max_denominator=12)


class Limits(ShareLimits):
    """Any limits."""

    def __init__(self, counts, upper, lower, smallest=1):
        super().__init__(SensitiveAttribute(categorical(len(counts)), np.array(counts)), smallest)
        self.upper = [Real.of(limit) for limit in upper]
        self.lower = None if lower is None else [Real.of(limit) for limit in lower]

    def limits(self):
        return self.upper, self.lower

    def measured(self, stats: ClassStatistics):
        return np.zeros(stats.classes)

    def slack(self, measured):
        return measured

    def strongest(self, stats: ClassStatistics):
        return Strength({})


@given(st.data())
@settings(deadline=None, max_examples=200)
def test_limits_are_decided_as_fractions(data):
    values = data.draw(st.integers(1, 4))
    classes = data.draw(st.lists(class_counts(values, 6), min_size=1, max_size=3))
    upper = data.draw(st.lists(limits, min_size=values, max_size=values))
    lower = data.draw(st.none() | st.lists(limits, min_size=values, max_size=values))
    smallest = data.draw(st.integers(1, 8))
    bound = Limits(np.sum(classes, axis=0), upper, lower, smallest)
    expected = [
        sum(counts) >= smallest
        and all(
            (c == 0 or Fraction(c, sum(counts)) <= high)
            and (lower is None or lower[s] <= 0 or Fraction(c, sum(counts)) >= lower[s])
            for s, (c, high) in enumerate(zip(counts, upper, strict=True))
        )
        for counts in classes
    ]
    assert bound.holds(count(classes)).tolist() == expected
    assert [accepts(bound, counts) for counts in classes] == expected


def test_counts_beyond_the_reference_are_refused_by_searches():
    bound = Limits([2, 0], [Fraction(1), Fraction(1, 2)], None)
    assert accepts(bound, [2, 0])
    assert not accepts(bound, [3, 0])
    assert not accepts(bound, [1, 2])


def test_values_that_no_class_may_lack_bind_all():
    bound = Limits(
        [5, 5, 0], [Fraction(1, 2), Fraction(1, 7), Fraction(1)], [Fraction(1, 9), Fraction(0), Fraction(0)]
    )
    assert bound.smallest_classes().tolist() == [2, 7, 2]
    both = Limits([5, 5], [Fraction(1), Fraction(1)], [Fraction(1, 9), Fraction(1, 9)])
    assert both.smallest_classes().tolist() == [2, 2]


def test_no_classes():
    nothing = count(np.zeros((0, 2), np.int64))
    assert within(nothing, [Real.of(Fraction(1))] * 2, [Real.of(Fraction(1, 2))] * 2).tolist() == []
