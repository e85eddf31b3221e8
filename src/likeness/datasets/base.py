"""What every generated table is, and random draws that give the same bytes on every machine.

NumPy promises the raw words of a bit generator for ever, but neither the algorithms of ``Generator`` nor the last bit of ``exp``
and ``log``, which differ between processors. Generated tables therefore use nothing but raw words, integers and the four exactly
rounded operations.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InvalidError
from likeness.wording import quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl


class Dataset(ABC):
    """A table to generate; a small frozen value."""

    default_rows: ClassVar[int | None] = None
    """Rows of the table unless told otherwise; None where it has a size of its own."""

    @abstractmethod
    def generate(self, rows: int | None = None, seed: int = 0) -> pl.DataFrame:
        """Generate the table.

        Parameters
        ----------
        rows
            How many; None for as many as `default_rows` says.
        seed
            The same seed makes the same table.
        """

    def hierarchies(self) -> dict[str, list[list[str]]]:
        """Give the hierarchies of its columns by the name of their file; none unless it has some."""
        return {}

    def categories(self) -> dict[str, list[list[str]]]:
        """Give the ordered categories of its sensitive columns by the name of their file; none unless it has some.

        Their files are called as the table, a hyphen and that name.
        """
        return {}

    def beside(self, rows: int | None = None, seed: int = 0) -> dict[str, pl.DataFrame]:  # noqa: ARG002
        """Generate the tables that belong to the one of these rows and this seed; none unless it has some.

        Their files are called as that table, a hyphen and the key, and so does a policy name them: ``KEY.csv``.
        """
        return {}

    def policy(self) -> dict[str, Any] | None:
        """Give a policy for it, as a policy file holds it; None where it has none."""
        return None


Integers = NDArray[np.int64]
Reals = NDArray[np.float64]

MOST_ROWS = 2**32 - 2
"""Rows that polars can number."""


def check_size(rows: int | None, default: int, seed: int) -> int:
    """Say how many rows to generate: ``rows``, or ``default`` where it is None.

    Raises `InvalidError` with both problems at once: no row is to be made, or more than a table can have; the seed is negative;
    or one is no whole number.
    """
    rows = default if rows is None else rows
    wrong = [
        f"{name} must be a whole number of at least {least}; got {value!r}"
        for name, value, least in (("rows", rows, 1), ("seed", seed, 0))
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least
    ]
    if isinstance(rows, int | np.integer) and rows > MOST_ROWS:
        wrong.append(f"rows must be at most {MOST_ROWS:,}, for a table has no more; got {quoted(rows)}")
    if wrong:
        raise InvalidError(*wrong)
    return int(rows)


def broken_line(knots: Sequence[tuple[int, int]]) -> Integers:
    """Read a line through whole-number points at every whole number from the first to the last, rounded down.

    ``knots``: position and height of each corner, positions ascending.

    >>> broken_line([(16, 0), (18, 5), (19, 4)]).tolist()
    [0, 2, 5, 4]
    """
    first, last = knots[0][0], knots[-1][0]
    line = np.empty(last - first + 1, dtype=np.int64)
    for (left, low), (right, high) in pairwise(knots):
        position = np.arange(left, right + 1)
        line[position - first] = low + (high - low) * (position - left) // (right - left)
    return line


class Draws:
    """A stream of random numbers that depends on the seed and the purpose alone.

    ``purpose`` is mixed into the seed, so that two tables of one seed are independent of each other.
    """

    def __init__(self, seed: int, purpose: str) -> None:
        self._bits = np.random.PCG64(np.random.SeedSequence([seed, *purpose.encode()]))

    def words(self, n: int) -> NDArray[np.uint64]:
        """Draw n raw 64-bit words."""
        return np.asarray(self._bits.random_raw(n), dtype=np.uint64)

    def uniform(self, n: int) -> Reals:
        """Draw n reals of [0, 1), multiples of 2**-53."""
        return (self.words(n) >> np.uint64(11)).astype(np.float64) * 2.0**-53

    def below(self, bound: int | Integers, n: int) -> Integers:
        """Draw n whole numbers of [0, bound); ``bound`` may be one for each (n,)."""
        return (self.uniform(n) * bound).astype(np.int64)

    def bell(self, n: int) -> Reals:
        """Draw n reals of mean 0 and variance 1, nearly normal: the standardized sum of four uniform ones."""
        total = self.uniform(n)
        for _ in range(3):
            total += self.uniform(n)
        return np.asarray((total - 2.0) * np.sqrt(3.0), dtype=np.float64)

    def order(self, n: int) -> Integers:
        """Draw a permutation of 0 … n-1."""
        return np.argsort(self.words(n), kind="stable").astype(np.int64)

    def pick(self, weights: Sequence[int] | Integers, n: int) -> Integers:
        """Draw n positions, each with a probability in proportion to its whole-number weight."""
        bounds = np.cumsum(np.asarray(weights, dtype=np.int64))
        return np.searchsorted(bounds, self.below(int(bounds[-1]), n), side="right")

    def pick_given(self, weights: Any, given: Integers) -> Integers:
        """Draw one position for each entry of ``given`` (n,), by the weights in that row.

        ``weights``: whole numbers (conditions, positions); every row has a positive sum.
        """
        table = np.asarray(weights, dtype=np.int64)
        bounds = np.cumsum(table)  # one increasing line for all conditions: one search serves them
        totals = table.sum(axis=1)
        starts = np.cumsum(totals) - totals
        target = starts[given] + self.below(totals[given], len(given))
        position = np.searchsorted(bounds, target, side="right")
        return np.asarray(position - given * table.shape[1], dtype=np.int64)
