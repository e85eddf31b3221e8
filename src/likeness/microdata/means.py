"""Class means: what numbers and dates are published as in place of the interval of their class."""

from __future__ import annotations

from dataclasses import dataclass
from math import lcm
from typing import TYPE_CHECKING

import numpy as np

from likeness.exact import rational

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.microdata.domain import Domain

_EXACT = 1 << 53
"""Whole numbers up to here are numbers of 64 bits."""
_LIMB = 24
"""Bits of the parts in which large numbers are summed: 2²⁹ of them sum to at most 2⁵³."""


@dataclass(frozen=True, eq=False)
class Means:
    """The means of one attribute: R distinct ones, and which class has which.

    ``of``: (E,) int64, mean of each class.
    ``numbers``: (R,) float64, ascending: the number of 64 bits nearest to the mean (half to even), of dates the nearest day,
    since 1970; NaN where there is none. ``missing``, ``everything``: (R,) bool, whether all values are missing, or only some.
    """

    domain: Domain
    of: NDArray[np.int64]
    numbers: NDArray[np.float64]
    missing: NDArray[np.bool_]
    everything: NDArray[np.bool_]

    @property
    def count(self) -> int:
        """Number of distinct means."""
        return int(self.numbers.shape[0])


def class_means(domain: Domain, codes: NDArray[np.integer], classes: NDArray[np.int64], count: int) -> Means:
    """Find the mean of every class, exactly, and round it once.

    ``codes``, ``classes`` (n,): code and class, from 0, of each record; -1 for no class. A number stands for what its text says:
    0.1 is a tenth. Where some of a class's values are missing there is no mean.

    >>> from likeness.microdata.domain import Domain
    >>> age = Domain("age", "integer", np.array([20, 30, 61]), "interval", missing=True)
    >>> class_means(age, np.array([0, 1, 1, 2, 2, 3, 3]), np.array([0, 0, 1, 1, 2, 2, 3]), 4).numbers
    array([25. , 45.5,  nan,  nan])
    """
    kept = classes >= 0
    codes, classes = np.asarray(codes, np.int64)[kept], classes[kept]
    sizes = np.bincount(classes, minlength=count)
    lacking = np.zeros(count, np.int64)
    if domain.missing:
        lacking = np.bincount(classes[codes == domain.missing_code], minlength=count)
    flag = np.where(lacking == 0, 0, np.where(lacking == sizes, 1, 2))
    whole = np.flatnonzero(flag == 0)
    found, own = np.unique(_rounded(domain, codes, classes, sizes, whole), return_inverse=True)
    of = np.empty(count, np.int64)
    of[whole] = own.reshape(-1)
    without = [number for number in (1, 2) if (flag == number).any()]
    for place, number in enumerate(without, found.size):
        of[flag == number] = place
    numbers = np.append(found, np.full(len(without), np.nan))
    none = np.zeros(found.size, np.bool_)
    missing, everything = (np.append(none, [number == own for number in without]) for own in (1, 2))
    return Means(domain, of, numbers, missing.astype(np.bool_), everything.astype(np.bool_))


def _rounded(
    domain: Domain,
    codes: NDArray[np.int64],
    classes: NDArray[np.int64],
    sizes: NDArray[np.int64],
    which: NDArray[np.int64],
) -> NDArray[np.float64]:
    """(which,) Means of some classes, rounded once: to a number of 64 bits, of dates to a day."""
    if not which.size:
        return np.zeros(0)
    used = codes < domain.size
    numerators, scale = _numerators(domain)
    # Only what somebody here has: withheld extremes need not be summed.
    present = np.flatnonzero(np.bincount(codes[used], minlength=domain.size))
    least = min(numerators[code] for code in present.tolist())
    above = [numerator - least for numerator in numerators]
    sums = _sums(above, codes[used], classes[used], sizes.size)
    totals = [sums[number] + least * int(sizes[number]) for number in which.tolist()]
    each = sizes[which].tolist()
    if domain.kind == "date":
        return np.array([_to_even(total, size) for total, size in zip(totals, each, strict=True)], np.float64)
    # Python divides whole numbers of any size exactly, and rounds once.
    means = [total / (size * scale) for total, size in zip(totals, each, strict=True)]
    return np.array(means, np.float64) + 0.0


def _numerators(domain: Domain) -> tuple[list[int], int]:
    """Write the values as whole numbers over one denominator."""
    if domain.kind == "real":
        exact = [rational(value) for value in domain.values.tolist()]
        scale = lcm(*(number.denominator for number in exact)) if exact else 1
        return [number.numerator * (scale // number.denominator) for number in exact], scale
    if domain.kind == "date":
        return domain.values.astype("datetime64[D]").astype(np.int64).tolist(), 1
    return domain.values.astype(np.int64).tolist(), 1


def _sums(values: list[int], codes: NDArray[np.int64], classes: NDArray[np.int64], count: int) -> list[int]:
    """(count,) Sum of ``values[code]`` over the records of each class, exactly; values below 0 are nobody's."""
    largest = max(values)
    if largest * codes.size < _EXACT:
        weights = np.array([max(value, 0) for value in values], np.float64)
        return [int(total) for total in np.bincount(classes, weights[codes], count).tolist()]
    sums = [0] * count
    mask = (1 << _LIMB) - 1
    for place in range(0, largest.bit_length(), _LIMB):
        limbs = np.array([(max(value, 0) >> place) & mask for value in values], np.float64)
        part = np.bincount(classes, limbs[codes], count).tolist()
        sums = [total + (int(own) << place) for total, own in zip(sums, part, strict=True)]
    return sums


def _to_even(total: int, size: int) -> int:
    """Divide to the nearest whole number, half to even."""
    quotient, rest = divmod(total, size)
    return quotient + (2 * rest > size or (2 * rest == size and quotient % 2 == 1))
