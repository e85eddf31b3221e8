from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.models.tables import accepts, bind, count, holds

from likeness.errors import PolicyError
from likeness.models import entropy_l_diversity
from likeness.models.entropy_l_diversity import EntropyLDiversity, as_diverse_as


@pytest.mark.parametrize("l", [1, 2, 3, 7, 10, 50])
@pytest.mark.parametrize("each", [1, 3, 1000])
def test_l_equally_frequent_values_are_enough(l, each):  # noqa: E741
    uniform = [each] * l
    assert holds(EntropyLDiversity(l), uniform, uniform) == [True]
    assert accepts(bind(EntropyLDiversity(l), uniform), uniform)
    more = EntropyLDiversity(f"{l}.0000000000000000000001")
    assert holds(more, uniform, uniform) == [False]
    assert not accepts(bind(more, uniform), uniform)


def test_exp_of_the_entropy_is_measured_and_not_truncated():
    # (1/2, 1/4, 1/4): 1.5 ln 2.
    bound = bind(EntropyLDiversity(2), [4, 2, 2])
    stats = count([[2, 1, 1], [2, 1, 1]])
    assert bound.measured(stats) == pytest.approx(2**1.5)
    assert bound.strongest(stats).values["l"] == pytest.approx(2**1.5, rel=1e-11)
    assert bound.strongest(count([[3, 3, 0], [5, 4, 4]])).values == {"l": 2.0}


@pytest.mark.parametrize("factor", [1, 1000, 10**9])
def test_ties_of_unequal_counts_hold(factor):
    # n = 8: 8**8 = 4**8 * 4**4.
    tie = [factor * part for part in (4, 1, 1, 1, 1)]
    worse = [*tie[:4], tie[4] - 1]
    assert holds(EntropyLDiversity(4), tie, tie, worse) == [True, False]
    assert not accepts(bind(EntropyLDiversity(4), tie), worse)


def test_a_tie_too_long_to_compare_counts_as_violated(monkeypatch):
    monkeypatch.setattr(entropy_l_diversity, "_LARGEST_POWER", 0)
    assert not as_diverse_as((1, 1, 1, 1, 4), Fraction(4))
    assert as_diverse_as((1, 1, 1, 1, 3), Fraction(4))


@given(st.lists(st.integers(1, 50), min_size=2, max_size=5), st.sampled_from([10**15, 10**30]))
@settings(deadline=None, max_examples=50)
def test_what_floats_cannot_tell_apart_is_decided(counts, digits):
    n = sum(counts)
    with localcontext(prec=80):
        logarithm = n * Decimal(n).ln() - sum(c * Decimal(c).ln() for c in counts)
        effective = Fraction((logarithm / n).exp())
    below, above = (
        Fraction(int(effective * digits) - 1, digits),
        Fraction(int(effective * digits) + 2, digits),
    )
    assert holds(EntropyLDiversity(str(below)), counts, counts) == [True]
    assert holds(EntropyLDiversity(str(above)), counts, counts) == [False]
    assert not accepts(bind(EntropyLDiversity(str(above)), counts), counts)


def test_a_record_more_may_lower_the_entropy():
    assert holds(EntropyLDiversity(2), [2, 1], [1, 1], [2, 1]) == [True, False]
    assert not EntropyLDiversity.closed_under_adding


def test_many_ties_take_no_time():
    classes = np.tile([[3, 3, 0], [2, 0, 2], [1, 1, 2]], (10_000, 1))
    assert holds(EntropyLDiversity(2), classes.sum(axis=0), *classes) == [True] * 30_000


def test_smallest_classes_round_up():
    assert bind(EntropyLDiversity(2.5), [4, 0, 4]).smallest_classes().tolist() == [3, 1, 3]


def test_less_than_one_value_is_refused():
    with pytest.raises(
        PolicyError, match=r"^entropy-l-diversity: l must be a number of at least 1; got 0.5$"
    ):
        EntropyLDiversity(0.5)
