"""Intervals for shares that were found by trying, and for the difference of two."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from math import exp, lgamma, log, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from likeness.checks import number, whole

if TYPE_CHECKING:
    from numpy.typing import NDArray

LEVEL = 0.95
"""How often an interval is to hold what it is about, where nothing else is said."""
_HALVINGS = 60


@dataclass(frozen=True)
class Interval:
    """Where a figure lies, and how often intervals made so hold it.

    Parameters
    ----------
    low, high
        Its ends, inclusive.
    level
        In what share of repetitions, at least, such an interval holds the true figure.
    """

    low: float
    high: float
    level: float = LEVEL

    def __contains__(self, figure: float) -> bool:
        return self.low <= figure <= self.high

    def to_json(self) -> dict[str, float]:
        """Write it as JSON can hold it."""
        return {"low": self.low, "high": self.high, "level": self.level}


def wilson(hits: float, tries: int, level: float = LEVEL) -> Interval:
    """Wilson's score interval of a share; on average over shares it holds its level, for single ones it may fall below.

    ``hits`` may be a sum of probabilities: what lies between 0 and 1 varies no more than what is 0 or 1.

    References
    ----------
    Wilson 1927, "Probable inference, the law of succession, and statistical inference", JASA 22.
    Newcombe 1998, Statistics in Medicine 17, table I, method 3, prints .0624 to .1605 for 15 of 148.

    Examples
    --------
    >>> found = wilson(15, 148)
    >>> round(found.low, 4), round(found.high, 4)
    (0.0624, 0.1605)
    """
    _check(hits, tries, level)
    if tries == 0:
        return Interval(0.0, 1.0, level)
    z = NormalDist().inv_cdf(0.5 + level / 2)
    share, squared = hits / tries, z * z
    middle = (share + squared / (2 * tries)) / (1 + squared / tries)
    half = z / (1 + squared / tries) * sqrt(share * (1 - share) / tries + squared / (4 * tries * tries))
    # Of none or all, the end is the share itself, whatever rounding makes of it.
    return Interval(max(0.0, min(share, middle - half)), min(1.0, max(share, middle + half)), level)


def clopper_pearson(hits: int, tries: int, level: float = LEVEL) -> Interval:
    """Clopper and Pearson's exact interval of a share: it holds its level whatever the share is.

    References
    ----------
    Clopper & Pearson 1934, "The use of confidence or fiducial limits illustrated in the case of the binomial", Biometrika 26.
    Newcombe 1998, table I, method 5, prints .0578 to .1617 for 15 of 148.

    Examples
    --------
    >>> found = clopper_pearson(15, 148)
    >>> round(found.low, 4), round(found.high, 4)
    (0.0578, 0.1617)
    >>> clopper_pearson(0, 10).low, round(clopper_pearson(0, 10).high, 4)
    (0.0, 0.3085)
    """
    _check(hits, tries, level)
    if tries == 0:
        return Interval(0.0, 1.0, level)
    tail = (1 - level) / 2
    return Interval(_smallest_share(hits, tries, tail), 1 - _smallest_share(tries - hits, tries, tail), level)


def difference(one: Interval, share: float, other: Interval, other_share: float) -> Interval:
    """Interval of the difference of two independent shares, from the interval of each.

    References
    ----------
    Newcombe 1998, "Interval estimation for the difference between independent proportions", Statistics in Medicine 17,
    method 10, who takes Wilson's intervals: 56 of 70 less 48 of 80 lies from .0524 to .3339 (table II, example a).

    Examples
    --------
    >>> found = difference(wilson(56, 70), 56 / 70, wilson(48, 80), 48 / 80)
    >>> round(found.low, 4), round(found.high, 4)
    (0.0524, 0.3339)
    """
    gain = share - other_share
    below = sqrt((share - one.low) ** 2 + (other.high - other_share) ** 2)
    above = sqrt((one.high - share) ** 2 + (other_share - other.low) ** 2)
    return Interval(max(-1.0, gain - below), min(1.0, gain + above), one.level)


def paired_difference(gained: int, lost: int, tries: int, level: float = LEVEL) -> Interval:
    """Agresti and Min's interval of the difference of two shares of the same tries.

    Parameters
    ----------
    gained, lost
        How many hit the second time only, and the first time only.
    tries
        Of how many.
    level
        As for the others.

    References
    ----------
    Agresti & Min 2005, "Simple improved confidence intervals for comparing matched proportions", Statistics in Medicine 24.

    Examples
    --------
    >>> found = paired_difference(5, 0, 10)
    >>> round(found.low, 3), round(found.high, 2)
    (0.093, 0.74)
    """
    _check(gained + lost, tries, level)
    z, more = NormalDist().inv_cdf(0.5 + level / 2), tries + 2
    share = (gained - lost) / more
    half = z * sqrt(max(0.0, gained + lost + 1 - (gained - lost) ** 2 / more)) / more
    return Interval(max(-1.0, share - half), min(1.0, share + half), level)


def _check(hits: float, tries: int, level: float) -> None:
    """Refuse what is no number of hits among tries."""
    whole("interval", "tries", tries, at_least=0)
    number("interval", "hits", float(hits), at_least=0, at_most=tries)
    if not 0 < level < 1:
        number("interval", "level", level, above=0, at_most=0.999999)


@lru_cache(maxsize=1 << 16)
def _smallest_share(hits: int, tries: int, tail: float) -> float:
    """Find by halving the share, from below, of which so many hits or more come with a probability of ``tail``."""
    if hits == 0:
        return 0.0
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if 1 - _at_most(hits - 1, tries, middle) < tail:
            low = middle
        else:
            high = middle
    return low


def _at_most(hits: int, tries: int, share: float) -> float:
    """Probability of no more than some hits."""
    if share <= 0:
        return 1.0
    if share >= 1:
        return float(hits >= tries)
    ways = _log_ways(tries)[: hits + 1]
    numbers = np.arange(hits + 1)
    terms = ways + numbers * log(share) + (tries - numbers) * log(1 - share)
    largest = float(terms.max())
    return min(1.0, exp(largest) * float(np.exp(terms - largest).sum()))


@cache
def _log_ways(tries: int) -> NDArray[np.float64]:
    """(tries + 1,) Logarithm of the number of ways to have each number of hits."""
    factorials = np.array([lgamma(i + 1) for i in range(tries + 1)])
    return np.asarray(factorials[-1] - factorials - factorials[::-1])
