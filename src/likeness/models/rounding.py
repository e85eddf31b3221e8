"""Numbers rounded to the safe side, and integer products that never overflow."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.exact import rational

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FITS = 1 << 62
"""Products below this fit 64-bit integers, sums of two of them too."""


def times(values: NDArray[Any], factor: int | NDArray[Any]) -> NDArray[Any]:
    """Multiply exactly: in 64 bits where the products fit, in Python's integers where not.

    Parameters
    ----------
    values : (n,) int64 or object
        Whole numbers.
    factor
        A whole number of any size, or (n,) of them.

    Examples
    --------
    >>> times(np.array([3, 2]), 10**30)
    array([3000000000000000000000000000000, 2000000000000000000000000000000], dtype=object)
    """
    if _largest(values) * _largest(factor) < _FITS:
        return values * factor
    return values.astype(object) * factor


def _largest(values: int | NDArray[Any]) -> int:
    """Largest magnitude."""
    return abs(values) if isinstance(values, int) else int(np.abs(values).max(initial=1))


def largest_ratio(over: NDArray[Any], under: NDArray[Any]) -> Fraction:
    """Find the largest of many quotients exactly; 0 of none.

    Parameters
    ----------
    over, under : (n,) int64 or object
        Numerators, not negative, and denominators, positive.

    Examples
    --------
    >>> largest_ratio(np.array([1, 2, 3]), np.array([3, 5, 10]))
    Fraction(2, 5)
    """
    if over.size == 0:
        return Fraction(0)
    quotients = over.astype(np.float64) / under.astype(np.float64)
    # Far more than three roundings: every quotient that may be the largest is compared exactly.
    near = quotients >= quotients.max() * (1 - 1e-12)
    pairs = set(zip(over[near].tolist(), under[near].tolist(), strict=True))
    return max(Fraction(int(a), int(b)) for a, b in pairs)


def float_above(value: Fraction) -> float:
    """Round to a float whose shortest decimal text is at least the value.

    Examples
    --------
    >>> float_above(Fraction(1, 3)), rational(float_above(Fraction(1, 3))) >= Fraction(1, 3)
    (0.33333333333333337, True)
    """
    near = float(value)
    while rational(near) < value:
        near = math.nextafter(near, math.inf)
    return near


def fraction_below(value: Fraction, largest: int) -> Fraction:
    """Find the largest fraction up to the value whose denominator is at most ``largest``.

    Parameters
    ----------
    value
        Not negative.
    largest
        Largest denominator, at least 1.

    Notes
    -----
    Continued fractions: the last convergent and semiconvergent that fit enclose the value, and no other
    fraction that fits lies between them (`fractions.Fraction.limit_denominator` returns the nearer one).

    Examples
    --------
    >>> fraction_below(Fraction("3.14159"), 10), fraction_below(Fraction(1, 3), 10)
    (Fraction(25, 8), Fraction(1, 3))
    """
    if value.denominator <= largest:
        return value
    p0, q0, p1, q1 = 0, 1, 1, 0
    n, d = value.numerator, value.denominator
    while True:
        whole = n // d
        if q0 + whole * q1 > largest:
            break
        p0, q0, p1, q1 = p1, q1, p0 + whole * p1, q0 + whole * q1
        n, d = d, n - whole * d
    steps = (largest - q0) // q1
    ends = (Fraction(p0 + steps * p1, q0 + steps * q1), Fraction(p1, q1))
    return min(ends)
