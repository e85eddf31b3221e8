"""Intervals of shares, and of differences of two, against what defines them and what papers print."""

from __future__ import annotations

from math import comb, sqrt

import numpy as np
import pytest
from scipy.stats import beta

import likeness as lk
from likeness.intervals import clopper_pearson, difference, paired_difference, wilson


@pytest.mark.parametrize("level", [0.9, 0.95])
def test_exact_intervals_hold_their_level_for_every_share(level):
    for tries in (5, 40):
        held = [clopper_pearson(hits, tries, level) for hits in range(tries + 1)]
        for hits, own in enumerate(held):
            tail = (1 - level) / 2
            low = 0 if hits == 0 else beta.ppf(tail, hits, tries - hits + 1)
            high = 1 if hits == tries else beta.ppf(1 - tail, hits + 1, tries - hits)
            assert (own.low, own.high) == (pytest.approx(low), pytest.approx(high))
        for share in np.linspace(0.01, 0.99, 37):
            chances = [
                comb(tries, hits) * share**hits * (1 - share) ** (tries - hits) for hits in range(tries + 1)
            ]
            assert sum(chance for chance, own in zip(chances, held, strict=True) if share in own) >= level


def test_intervals_of_nothing_and_of_differences():
    assert (wilson(0, 0).low, wilson(0, 0).high) == (0.0, 1.0)
    assert (clopper_pearson(0, 0).low, clopper_pearson(0, 0).high) == (0.0, 1.0)
    found = difference(wilson(9, 10), 0.9, wilson(3, 10), 0.3)
    # Newcombe 1998, table II, example c.
    assert (round(found.low, 4), round(found.high, 4)) == (0.1705, 0.8090)
    with pytest.raises(lk.PolicyError, match="hits"):
        wilson(3, 2)


@pytest.mark.parametrize(("right", "total"), [(0, 10), (3, 10), (50, 100), (100, 100)])
def test_wilson_s_ends_are_where_his_inequality_is_an_equation(right, total):
    found = wilson(right, total)
    share = right / total
    assert share in found
    for end in (found.low, found.high):
        apart = abs(share - end)
        assert end in {0.0, 1.0} or apart == pytest.approx(1.959963984540054 * sqrt(end * (1 - end) / total))


def test_of_pairs_that_do_not_differ_the_difference_may_be_on_either_side():
    found = paired_difference(0, 0, 1000)
    assert -0.01 < found.low < 0 < found.high < 0.01
    assert (paired_difference(10, 0, 10).high, paired_difference(0, 10, 10).low) == (1.0, -1.0)
    with pytest.raises(lk.PolicyError, match="hits"):
        paired_difference(6, 5, 10)
