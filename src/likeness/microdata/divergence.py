"""How far two beliefs are apart: Jensen-Shannon divergence and odds, by exact enclosures and by floats.

The divergence is ``JSD(a, b) = H((a + b) / 2) - (H(a) + H(b)) / 2``; its square root is a metric (Endres & Schindelin 2003).
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from likeness.exact import Real, ln_bounds

if TYPE_CHECKING:
    from collections.abc import Sequence

ERROR = 1e-12
"""No divergence of floats is further from the true one: its terms are at most 1 in sum, so that roundings stay far below."""


BITS = Fraction(2)
"""Base of the logarithms, unless said otherwise."""


def in_bits(j: Fraction, base: Fraction | None) -> float:
    """Write a divergence in bits; ``base`` of its logarithms, None: e."""
    return float(j) / (math.log(2) if base is None else 1)


def jensen_shannon(one: Sequence[int], other: Sequence[int], base: Fraction | None = BITS) -> Real:
    """Divergence of two distributions, each given by whole numbers of one sum; ``base`` of the logarithms, None: e.

    Exactly rational where every logarithm is, as for distributions without a common value.

    >>> jensen_shannon([2, 0], [1, 1]).at_most(Fraction("0.3112781244591329"))
    True
    >>> jensen_shannon([2, 0], [1, 1]).at_most(Fraction("0.3112781244591328"))
    False
    >>> jensen_shannon([1, 1, 0], [1, 0, 1]).exact
    Fraction(1, 2)
    """
    total = sum(one)
    terms = [
        (Fraction(x, 2 * total), Fraction(2 * x, x + y))
        for a, b in zip(one, other, strict=True)
        for x, y in ((int(a), int(b)), (int(b), int(a)))
        if x
    ]
    powers = [_power_of_two(ratio) for _, ratio in terms]
    if base == BITS and None not in powers:
        return Real.of(
            sum(
                (weight * (power or 0) for (weight, _), power in zip(terms, powers, strict=True)), Fraction(0)
            )
        )
    if all(ratio == 1 for _, ratio in terms):
        return Real.of(Fraction(0))

    def enclose(digits: int) -> tuple[Fraction, Fraction]:
        ends = [(weight, ln_bounds(ratio, digits)) for weight, ratio in terms]
        low = sum((weight * lower for weight, (lower, _) in ends), Fraction(0))
        high = sum((weight * upper for weight, (_, upper) in ends), Fraction(0))
        if base is None:
            return low, high
        least, most = ln_bounds(base, digits)
        return (low / most if low > 0 else low / least), (high / least if high > 0 else high / most)

    return Real(enclose)


def _power_of_two(ratio: Fraction) -> int | None:
    """Logarithm to base 2, where it is whole."""
    over, under = ratio.numerator, ratio.denominator
    if over & (over - 1) or under & (under - 1):
        return None
    return over.bit_length() - under.bit_length()


def odds_ratio(one: Sequence[int], other: Sequence[int], values: Sequence[int]) -> Fraction | None:
    """How far apart the odds of two distributions are: max over min of ω_x(s) / ω_y(s) over ``values``; None: beyond all limits.

    Values that neither thinks possible say nothing.
    """
    ratios = []
    for s in values:
        a, b = int(one[s]), int(other[s])
        if a == b == 0:
            continue
        if a == 0 or b == 0:
            return None
        ratios.append(Fraction(a, b))
    return max(ratios) / min(ratios) if ratios else Fraction(1)
