"""Equal rows of code columns, found by packing them into one integer."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray


_FEW = 1 << 14
"""Keys that are not worth loading compiled code for."""
_KERNELS = "likeness.kernels.grouping"
_MARKED = 8
"""Places that are marked for every number, at most, rather than that numbers be sorted."""


@dataclass(frozen=True, eq=False)
class Groups:
    """Groups of equal rows, numbered in order of first appearance.

    ``of``: (n,) int64, group of each row; ``first``, ``sizes``: (groups,) int64, first row and number of rows of each.
    """

    of: NDArray[np.int64]
    first: NDArray[np.int64]
    sizes: NDArray[np.int64]

    @property
    def count(self) -> int:
        """Number of groups."""
        return int(self.first.shape[0])

    def sorted_by(self, columns: Sequence[NDArray[np.integer]]) -> Groups:
        """Number the groups anew, in the order of what their first rows have in some columns (n,), the first of which decides."""
        order = np.lexsort([column[self.first] for column in reversed(columns)])
        number = np.empty_like(order)
        number[order] = np.arange(order.size)
        return Groups(number[self.of], self.first[order], self.sizes[order])


def pack(
    columns: NDArray[np.integer] | Iterable[NDArray[np.integer]],
    radices: Sequence[int],
    length: int | None = None,
) -> NDArray[np.int64]:
    """Pack rows of codes into one 64-bit key each, (n,): equal keys, equal rows.

    ``columns``: (d, n), column j in 0 … radices[j] - 1; columns that are made one at a time, so that not all are there at once,
    need ``length``, which is n. Keys of different calls cannot be compared: where they would not fit, the rows' beginnings are
    numbered anew.

    >>> pack(np.array([[0, 1], [2, 0]]), [2, 3])
    array([2, 3])
    """
    if length is None:
        # Of no columns at all, an array still tells how many rows there are, all of them equal.
        columns = columns if isinstance(columns, np.ndarray) else [*columns]
        rows = columns.shape[1:] if isinstance(columns, np.ndarray) else [len(own) for own in columns[:1]]
        length = rows[0] if len(rows) else 0
    key = np.zeros(length, np.int64)
    span = 1
    for column, radix in zip(columns, radices, strict=True):
        if span * max(radix, 1) >= 1 << 62:
            # The product no longer fits: number the prefixes first, there are at most n of them.
            key, firsts = number_keys(key)
            span = max(1, firsts.shape[0])
        key *= max(radix, 1)
        key += column
        span *= max(radix, 1)
    return key


def group_codes(
    columns: NDArray[np.integer] | Sequence[NDArray[np.integer]],
    radices: Sequence[int],
    copies: NDArray[np.int64] | None = None,
) -> Groups:
    """Group equal rows of codes, given as for `pack`; ``copies`` (n,) is how often each row counts, once where left out."""
    found = group_keys(pack(columns, radices))
    if copies is None:
        return found
    return replace(found, sizes=count_copies(found.of, copies, found.count))


def add_up(keys: NDArray[np.int64], numbers: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Add up the numbers of equal keys: the distinct keys, ascending, and their sums; Python's integers stay exact.

    Examples
    --------
    >>> add_up(np.array([3, 1, 3]), np.array([1, 2, 4]))
    (array([1, 3]), array([2, 5]))
    """
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    first = np.flatnonzero(np.diff(ordered, prepend=-1))
    return ordered[first], np.add.reduceat(numbers[order], first) if first.size else numbers[:0]


def count_copies(
    numbers: NDArray[np.int64], copies: NDArray[np.int64] | None, count: int
) -> NDArray[np.int64]:
    """(count,) How often each number stands there; ``copies`` (n,) is how often each place counts, once where left out.

    >>> count_copies(np.array([0, 2, 2]), np.array([5, 1, 3]), 3)
    array([5, 0, 4])
    """
    # Weighted, they are sums of floats, exact to 2**53: more records than any table has.
    return np.bincount(numbers, copies, count).astype(np.int64)


def distinct(numbers: NDArray[np.integer]) -> NDArray[np.int64]:
    """Find the distinct numbers, ascending.

    As `numpy.unique`, which hashes where nothing else is asked of it: a hundred times as long on a column of distinct
    numbers (numpy 2.4; 456,767 of them: .36 s against .003).
    """
    ordered = np.sort(np.asarray(numbers, np.int64), axis=None)
    fresh = np.ones(ordered.size, np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=fresh[1:])
    return ordered[fresh]


def ranked(numbers: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Find the distinct numbers, none below 0, ascending, and (n,) the place of each number among them.

    As `numpy.unique` with its inverse, which sorts; where there are about as many places as numbers, they are marked.

    >>> ranked(np.array([7, 3, 7]))
    (array([3, 7]), array([1, 0, 1]))
    """
    most = int(numbers.max(initial=-1)) + 1
    if most > _MARKED * numbers.size:
        values, of = np.unique(numbers, return_inverse=True)
        return values, of.reshape(-1).astype(np.int64)
    there = np.zeros(most, np.bool_)
    there[numbers] = True
    return np.flatnonzero(there), (np.cumsum(there) - 1)[numbers]


def one_to_one(mine: NDArray[np.integer], theirs: NDArray[np.integer]) -> bool:
    """Whether two columns of numbers name the same things: equal rows of one are equal rows of the other."""
    # Numbered in order of first appearance, columns that name the same things are the same.
    return np.array_equal(
        group_keys(np.asarray(mine, np.int64)).of, group_keys(np.asarray(theirs, np.int64)).of
    )


def group_keys(keys: NDArray[np.int64]) -> Groups:
    """Group equal keys, numbered in order of first appearance."""
    of, first = number_keys(keys)
    return Groups(of, first, np.bincount(of, minlength=first.shape[0]).astype(np.int64))


def number_keys(keys: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number equal keys in order of first appearance: the number of each (n,), and where each number appeared first.

    >>> number_keys(np.array([7, 3, 7]))
    (array([0, 1, 0]), array([0, 1]))
    """
    keys = np.ascontiguousarray(keys, np.int64)
    if keys.size <= _FEW and _KERNELS not in sys.modules:
        # Loading numba and one kernel takes as long as sorting millions of keys.
        _, first, of = np.unique(keys, return_index=True, return_inverse=True)
        order = np.argsort(first)
        number = np.empty_like(order)
        number[order] = np.arange(order.size)
        return number[of.reshape(-1)], first[order]
    from likeness.kernels.grouping import first_appearance

    of, first = first_appearance(keys)
    return of, first
