"""Exact comparisons: rationals, reals known by rational enclosures as narrow as asked, floats rounded to the safe side.

No tolerance is ever in the violator's favour: a comparison that cannot be decided counts as violated. Logarithms come from
`decimal`, whose ``ln`` and ``exp`` are correctly rounded, so one unit in the last place encloses them. Integer products never
overflow.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

_MOST_DIGITS = 320
"""Decimal digits after which a comparison counts as undecided."""
_EXPONENT_DIGITS = 4
"""Longest exponent of a number in a text, its sign included: ``1e999999999`` would fill the memory."""
_WRITTEN = re.compile(r"[0-9eE.+/-]+")
"""What numbers are written with: Python takes spaces, underscores and the digits of all scripts too."""
_NO_LIMIT = int(np.iinfo(np.int64).max)
_NO_CLASS = 1 << 40
"""More records than any class has."""


def rational(value: float | str | Fraction | Decimal) -> Fraction:
    """Read a number as the fraction a person means by it: a float stands for its shortest decimal text, 0.1 for 1/10.

    A text may be a decimal or a fraction, ``1/3``. Raises `ValueError` when it is not a finite number (truths are none), or
    is larger than numbers of 64 bits are.
    """
    if isinstance(value, bool):
        raise ValueError(f"{value!r} is not a number")  # noqa: TRY004  # callers handle one kind of error
    if isinstance(value, float | np.floating):
        text = repr(float(value))
        if text in {"nan", "inf", "-inf"}:
            raise ValueError(f"{text} is not a finite number")
        return Fraction(text)
    if isinstance(value, np.integer):
        return Fraction(int(value))
    if isinstance(value, str) and not _WRITTEN.fullmatch(value):
        raise ValueError(f"{value!r} is not a number")
    if isinstance(value, str) and len(value.lower().partition("e")[2]) > _EXPONENT_DIGITS:
        raise ValueError(f"{value!r} is out of range")
    try:
        exact = Fraction(value)
        float(exact)
    except OverflowError:
        raise ValueError("it is not a number of 64 bits") from None
    return exact


# A table has few different shares, and a search asks about them for one class after the other.
@lru_cache(maxsize=4096)
def ln_bounds(x: Fraction, digits: int) -> tuple[Fraction, Fraction]:
    """Enclose the natural logarithm of a positive rational.

    ``digits``: significant decimal digits of the two logarithms, of numerator and denominator, that are subtracted.
    """
    if x == 1:
        return Fraction(0), Fraction(0)
    context = Context(prec=digits)
    low = high = Fraction(0)
    for number, sign in ((x.numerator, 1), (x.denominator, -1)):
        if number == 1:
            continue
        # Decimal.ln wants its argument within the precision to be correctly rounded.
        logarithm = context.ln(Decimal(number)) if len(str(number)) <= digits else None
        if logarithm is None:
            logarithm = Context(prec=len(str(number)) + digits).ln(Decimal(number))
        exact = Fraction(logarithm)
        unit = Fraction(10) ** (logarithm.adjusted() + 1 - digits)
        low += sign * exact - unit
        high += sign * exact + unit
    return low, high


def exp_bounds(x: Fraction, digits: int) -> tuple[Fraction, Fraction]:
    """Enclose the exponential of a rational of moderate size; ``digits``: significant decimal digits."""
    if x == 0:
        return Fraction(1), Fraction(1)
    # The argument's rounding must not cost digits of the result: as many more as its whole part has.
    argument = digits + len(str(abs(int(x)))) + 1
    ends = []
    for rounding, sign in ((ROUND_FLOOR, -1), (ROUND_CEILING, 1)):
        at = Context(prec=argument, rounding=rounding).divide(Decimal(x.numerator), Decimal(x.denominator))
        value = Context(prec=digits).exp(at)
        ends.append(Fraction(value) + sign * Fraction(10) ** (value.adjusted() + 1 - digits))
    return ends[0], ends[1]


@dataclass(frozen=True, eq=False)
class Real:
    """A real number known by enclosures.

    ``enclose`` gives, for a number of digits, rationals below and above the number. ``exact``: itself, when it is rational.
    """

    enclose: Callable[[int], tuple[Fraction, Fraction]]
    exact: Fraction | None = None

    @staticmethod
    def of(value: Fraction) -> Real:
        """Wrap a rational."""
        return Real(lambda _: (value, value), value)

    def __float__(self) -> float:
        """Return the nearest float of the lower end of a 30-digit enclosure."""
        return float(self.enclose(30)[0])

    def at_least(self, value: Fraction) -> bool:
        """Whether the number is provably at least ``value``; undecided is False."""
        if self.exact is not None:
            return self.exact >= value
        digits = 30
        while digits <= _MOST_DIGITS:
            low, high = self.enclose(digits)
            if low >= value:
                return True
            if high < value:
                return False
            digits *= 2
        return False

    def at_most(self, value: Fraction) -> bool:
        """Whether the number is provably at most ``value``; undecided is False."""
        return Real(
            lambda digits: tuple(-end for end in reversed(self.enclose(digits))),  # type: ignore[arg-type,return-value]
            None if self.exact is None else -self.exact,
        ).at_least(-value)


def shares_at_most(
    counts: NDArray[np.int64], sizes: NDArray[np.int64], which: NDArray[np.integer], limits: Sequence[Real]
) -> NDArray[np.bool_]:
    """Decide ``counts / sizes <= limits[which]`` exactly, element by element: True (n,) where it is proven.

    ``counts``, ``sizes``: (n,) int64, sizes positive. ``which``: (n,) index of each element's limit.
    """
    return _compare(counts, sizes, which, limits, below=True)


def shares_at_least(
    counts: NDArray[np.int64], sizes: NDArray[np.int64], which: NDArray[np.integer], limits: Sequence[Real]
) -> NDArray[np.bool_]:
    """Decide ``counts / sizes >= limits[which]`` exactly, element by element (see `shares_at_most`)."""
    return _compare(counts, sizes, which, limits, below=False)


def _compare(
    counts: NDArray[np.int64],
    sizes: NDArray[np.int64],
    which: NDArray[np.integer],
    limits: Sequence[Real],
    *,
    below: bool,
) -> NDArray[np.bool_]:
    """Compare by scaled integers first; what those leave open, by fractions."""
    if counts.size == 0:
        return np.zeros(0, np.bool_)
    # Limits are shares, so scaled limits times sizes stay below 2**62.
    scale = max(1, 61 - int(sizes.max()).bit_length())
    # Values of equal shares have one limit: of 50,000 values each once, it is enclosed once.
    ends = {}
    for limit in dict.fromkeys(limits):
        under, over = _scaled(*limit.enclose(30), scale)
        ends[limit] = max(min(under, 1 << scale), -1), max(min(over, (1 << scale) + 1), -1)
    low, high = np.array([ends[limit] for limit in limits], np.int64).reshape(-1, 2).T
    left = counts.astype(np.int64) << scale
    surely_below = left <= low[which] * sizes
    surely_above = left >= high[which] * sizes
    holds: NDArray[np.bool_] = surely_below if below else surely_above
    maybe = left <= high[which] * sizes if below else left >= low[which] * sizes
    at = np.flatnonzero(maybe & ~holds)
    if at.size:
        cases, back = np.unique(np.stack([which[at], counts[at], sizes[at]]), axis=1, return_inverse=True)
        decided = []
        for i, count, size in cases.T.tolist():
            share = Fraction(count, size)
            decided.append(limits[i].at_least(share) if below else limits[i].at_most(share))
        holds[at] = np.array(decided)[back.ravel()]
    return holds


def smallest_sizes(limit: Real, most: int) -> NDArray[np.int64]:
    """(most,) For every count c = 1 … most, the smallest size n with ``c / n <= limit``, a positive share.

    The largest int64 stands where no class could be so large, or the limit is not provably positive.

    >>> smallest_sizes(Real.of(Fraction(2, 5)), 4)
    array([ 3,  5,  8, 10])
    """
    counts = np.arange(1, most + 1, dtype=np.int64)
    if not counts.size:
        return counts
    low, high = limit.enclose(40)
    if low <= 0:
        return np.full(most, _NO_LIMIT, np.int64)
    if low >= 1:
        return counts
    if limit.exact is not None and most * limit.exact.denominator < 1 << 62:
        return -(-(counts * limit.exact.denominator) // limit.exact.numerator)
    scale = max(1, 62 - max(1, most).bit_length())
    under, over = _scaled(low, high, scale)
    if under == 0:
        return np.array([_smallest_size(int(c), limit) for c in counts], np.int64)
    sizes = -(-(counts << scale) // under)
    for at in np.flatnonzero(sizes != -(-(counts << scale) // over)):
        sizes[at] = _smallest_size(int(counts[at]), limit)
    return sizes


def _scaled(low: Fraction, high: Fraction, scale: int) -> tuple[int, int]:
    """Round an enclosure outwards to multiples of ``2**-scale``."""
    return (low.numerator << scale) // low.denominator, -((-high.numerator << scale) // high.denominator)


def _smallest_size(count: int, limit: Real) -> int:
    """Find the smallest provable size for one count."""
    low, high = limit.enclose(60)
    if low <= 0:
        return _NO_LIMIT
    size = -int(-count // high)
    if size > _NO_CLASS:
        return _NO_LIMIT
    while not limit.at_least(Fraction(count, size)):
        size += 1
    return size


def largest_sizes(limit: Real, most: int) -> NDArray[np.int64]:
    """(most + 1,) For every count c = 0 … most, the largest size n with ``c / n >= limit``.

    A limit that is not positive limits nothing: the largest int64.

    >>> largest_sizes(Real.of(Fraction(2, 5)), 2)
    array([0, 2, 5])
    """
    counts = np.arange(most + 1, dtype=np.int64)
    low, high = limit.enclose(40)
    if high <= 0:
        return np.full(most + 1, _NO_LIMIT, np.int64)
    exact = limit.exact
    if exact is not None and max(most, 1) * exact.denominator < 1 << 62 and exact.numerator < 1 << 62:
        return counts * exact.denominator // exact.numerator
    scale = max(1, 62 - max(1, most).bit_length())
    under, over = _scaled(low, min(high, Fraction(2)), scale)
    sizes = (counts << scale) // over
    generous = (counts << scale) // under if under > 0 else np.full(most + 1, _NO_LIMIT, np.int64)
    for at in np.flatnonzero((sizes != generous) & (sizes < _NO_CLASS) & (counts > 0)):
        sizes[at] = _largest_size(int(counts[at]), limit)
    return sizes


def _largest_size(count: int, limit: Real) -> int:
    """Find the largest provable size for one count."""
    low, high = limit.enclose(60)
    size = min(int(count // low), _NO_CLASS) if low > 0 else int(count // high)
    while size > 0 and not limit.at_most(Fraction(count, size)):
        size -= 1
    return size


_FITS = 1 << 62
"""Products below this fit 64-bit integers, sums of two of them too."""


def times(values: NDArray[Any], factor: int | NDArray[Any]) -> NDArray[Any]:
    """Multiply exactly: in 64 bits where the products fit, in Python's integers (dtype object) where not.

    ``values`` (n,) are int64 or object, ``factor`` a whole number of any size, or (n,) of them.
    """
    if _largest(values) * _largest(factor) < _FITS:
        return values * factor
    return values.astype(object) * factor


def _largest(values: int | NDArray[Any]) -> int:
    """Largest magnitude."""
    return abs(values) if isinstance(values, int) else int(np.abs(values).max(initial=1))


def largest_ratio(over: NDArray[Any], under: NDArray[Any]) -> Fraction:
    """Find the largest of many quotients exactly; 0 of none.

    Numerators are not negative, denominators positive; both (n,) int64 or object.
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

    >>> float_above(Fraction(1, 3)), rational(float_above(Fraction(1, 3))) >= Fraction(1, 3)
    (0.33333333333333337, True)
    """
    near = float(value)
    while rational(near) < value:
        near = math.nextafter(near, math.inf)
    return near


def float_below(value: Fraction) -> float:
    """Round to a float whose shortest decimal text is at most the value.

    >>> float_below(Fraction(2, 3)), rational(float_below(Fraction(2, 3))) <= Fraction(2, 3)
    (0.6666666666666666, True)
    """
    return -float_above(-value)


def fraction_below(value: Fraction, largest: int) -> Fraction:
    """Find the largest fraction up to the value (not negative) whose denominator is at most ``largest`` (at least 1).

    Continued fractions: the last convergent and semiconvergent that fit enclose the value, and no other
    fraction that fits lies between them (`fractions.Fraction.limit_denominator` returns the nearer one).

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
