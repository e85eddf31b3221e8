"""Rules that decide, from numbers alone, whether a claim holds. NaN is a missing point: it decides nothing."""

from __future__ import annotations

from itertools import pairwise
from math import exp, inf, isfinite, isnan, log
from typing import TYPE_CHECKING

from papers.figures.results import Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Series = Mapping[str, Sequence[float]]

NOTHING = Outcome(None, "nothing could be measured")


def below(series: Series, lower: str, *others: str) -> Outcome:
    """Decide whether one curve is below every other at every point.

    Examples
    --------
    >>> below({"a": [1, 2], "b": [3, 4]}, "a", "b")
    Outcome(holds=True, measured='a is below b at 2 of 2 points (0.333 to 0.5 times)')
    """
    told, good, points = [], True, 0
    for other in others:
        pairs = _pairs(series[lower], series[other])
        points += len(pairs)
        won = sum(one < two for one, two in pairs)
        good &= won == len(pairs)
        told.append(f"{lower} is below {other} at {won} of {len(pairs)} points{_range(pairs, ' times')}")
    return Outcome(good, "; ".join(told)) if points else NOTHING


def mean_ratio(series: Series, upper: str, lower: str, *, low: float = 0.0, high: float = inf) -> Outcome:
    """Decide whether the geometric mean of the ratio of two curves lies within limits.

    Examples
    --------
    >>> mean_ratio({"a": [1, 4], "b": [2, 8]}, "a", "b", high=0.6)
    Outcome(holds=True, measured='a is 0.5 times b on average (0.5 to 0.5)')
    """
    pairs = _pairs(series[upper], series[lower])
    positive = [(one, two) for one, two in pairs if 0 < one < inf and 0 < two < inf]
    left = len(pairs) - len(positive)
    told = f"; {left} points with 0 or ∞ left out" if left else ""
    if not positive:
        return NOTHING
    ratio = exp(sum(log(one / two) for one, two in positive) / len(positive))
    found = f"{upper} is {ratio:.3g} times {lower} on average{_range(positive)}{told}"
    return Outcome(low <= ratio <= high, found)


def ratios_within(series: Series, upper: str, lower: str, low: float, high: float) -> Outcome:
    """Decide whether the ratio of two curves lies within limits at every point.

    Examples
    --------
    >>> ratios_within({"a": [1, 4], "b": [2, 4]}, "a", "b", 0.5, 0.9)
    Outcome(holds=False, measured='a / b is 0.5 to 1 (mean 0.75), within at 1 of 2 points')
    """
    ratios = [one / two for one, two in _pairs(series[upper], series[lower]) if two > 0]
    if not ratios:
        return NOTHING
    good = sum(low <= ratio <= high for ratio in ratios)
    mean = sum(ratios) / len(ratios)
    told = f"{upper} / {lower} is {min(ratios):.4g} to {max(ratios):.4g} (mean {mean:.4g})"
    return Outcome(good == len(ratios), f"{told}, within at {good} of {len(ratios)} points")


def falls(values: Sequence[float], slack: float = 0.0) -> Outcome:
    """Decide whether a curve ends below its start and never rises by more than a share of the value before.

    Examples
    --------
    >>> falls([3, 2, 1]).holds, falls([3, 1, 2]).holds, falls([3, 2, 2.05, 1], slack=0.05).holds
    (True, False, True)
    """
    return _moves(values, slack, "falls", "rises")


def rises(values: Sequence[float], slack: float = 0.0) -> Outcome:
    """Decide whether a curve ends above its start and never falls by more than a share of the value before."""
    return _moves(values, slack, "rises", "falls")


def not_monotone(values: Sequence[float]) -> Outcome:
    """Decide whether a curve goes both up and down.

    Examples
    --------
    >>> not_monotone([1, 2, 1]).holds, not_monotone([1, 2, 3]).holds
    (True, False)
    """
    kept = [value for value in values if not isnan(value)]
    if len(kept) < 3:
        return NOTHING
    steps = [two - one for one, two in pairwise(kept)]
    return Outcome(min(steps) < 0 < max(steps), _shown(kept))


def flat(values: Sequence[float], within: float) -> Outcome:
    """Decide whether largest and smallest value differ by at most a share of the mean.

    Examples
    --------
    >>> flat([1, 1.1], 0.2).holds, flat([1, 2], 0.2).holds
    (True, False)
    """
    kept = [value for value in values if not isnan(value)]
    if not kept:
        return NOTHING
    spread = (max(kept) - min(kept)) / (sum(kept) / len(kept))
    return Outcome(spread <= within, f"{_shown(kept)}: a spread of {spread:.1%} of the mean")


def at_most(values: Sequence[float], limit: float) -> Outcome:
    """Decide whether no value is above a limit."""
    kept = [value for value in values if not isnan(value)]
    return Outcome(max(kept) <= limit, f"{_shown(kept)}, limit {limit:.4g}") if kept else NOTHING


def at_least(values: Sequence[float], limit: float) -> Outcome:
    """Decide whether no value is below a limit."""
    kept = [value for value in values if not isnan(value)]
    return Outcome(min(kept) >= limit, f"{_shown(kept)}, limit {limit:.4g}") if kept else NOTHING


def everyone(*found: Outcome) -> Outcome:
    """Decide whether several outcomes all hold; those that could not be measured decide nothing.

    Examples
    --------
    >>> everyone(Outcome(True, "one"), Outcome(None, "two")), everyone(Outcome(False, ""), Outcome(True, "")).holds
    (Outcome(holds=True, measured='one; two'), False)
    """
    judged = [one.holds for one in found if one.holds is not None]
    return Outcome(all(judged) if judged else None, "; ".join(one.measured for one in found))


def of(name: str, found: Outcome) -> Outcome:
    """Say what an outcome is about."""
    return Outcome(found.holds, f"{name}: {found.measured}")


def _moves(values: Sequence[float], slack: float, wanted: str, other: str) -> Outcome:
    """Decide whether a curve goes one way."""
    kept = [value for value in values if not isnan(value)]
    if len(kept) < 2:
        return NOTHING
    sign = 1 if wanted == "rises" else -1
    back = [(one, two) for one, two in pairwise(kept) if sign * (two - one) < -slack * abs(one)]
    good = not back and sign * (kept[-1] - kept[0]) > 0
    told = f"; {other} from {back[0][0]:.4g} to {back[0][1]:.4g}" if back else ""
    return Outcome(good, f"{_shown(kept)}{told}")


def _pairs(one: Sequence[float], two: Sequence[float]) -> list[tuple[float, float]]:
    """Points that both curves have."""
    return [(a, b) for a, b in zip(one, two, strict=True) if not (isnan(a) or isnan(b))]


def _range(pairs: list[tuple[float, float]], unit: str = "") -> str:
    """Smallest and largest ratio."""
    ratios = [one / two for one, two in pairs if two > 0 and isfinite(two)]
    return f" ({min(ratios):.3g} to {max(ratios):.3g}{unit})" if ratios else ""


def _shown(values: Sequence[float]) -> str:
    """Write a curve."""
    return " → ".join(f"{value:.4g}" for value in values)
