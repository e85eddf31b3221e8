"""Run a method again on what an adversary imagines: the same people, other sensitive values."""

from __future__ import annotations

from dataclasses import dataclass
from math import factorial, prod
from typing import TYPE_CHECKING

import numpy as np

from likeness.methods.base import Problem
from likeness.metrics.loss import LOSSES
from likeness.microdata.grouping import group_codes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from likeness.attacks._base import Making
    from likeness.microdata.data import Microdata

_RECORDS_AT_ONCE = 1_000_000


@dataclass(frozen=True, eq=False)
class Rerun:
    """The method, and what it was asked, ready to run on other records.

    Parameters
    ----------
    making
        How the release was made.
    data
        The published records.
    rng
        Randomness of the method.
    """

    making: Making
    data: Microdata
    rng: np.random.Generator

    def labels(
        self, records: NDArray[np.int64], sensitive: NDArray[np.int64], parts: NDArray[np.int64] | None
    ) -> NDArray[np.int64]:
        """Class of each record when these records have the sensitive values of those.

        Parameters
        ----------
        records, sensitive : (n,) int64
            Whose quasi-identifiers and whose sensitive values every record has.
        parts : (n,) int64, optional
            Tables of their own.
        """
        method = self.making.method
        one = self.data.take(records)
        other = self.data.sensitive_codes[:, sensitive]
        imagined = type(one)(one.quasi, one.codes, one.sensitive, np.ascontiguousarray(other), one.rows)
        loss = LOSSES[getattr(method, "loss", "glm")]
        plan = method.run(Problem(imagined, self.making.requirements, loss, self.rng, parts))
        return plan.classes if plan.buckets is None else plan.buckets

    def unchanged(
        self, table: NDArray[np.int64], imagined: NDArray[np.int64], published: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        """(r,) Whether the method would still make the published classes of some records.

        Parameters
        ----------
        table : (n,) int64
            The records.
        imagined : (r, n) int64
            Whose sensitive values they have, in every imagined table.
        published : (n,) int64
            Their published classes, numbered from 0.
        """
        count = int(published.max(initial=-1)) + 1
        kept = np.empty(imagined.shape[0], np.bool_)
        step = max(1, _RECORDS_AT_ONCE // max(1, table.size))
        for first in range(0, imagined.shape[0], step):
            some = imagined[first : first + step]
            parts = np.repeat(np.arange(some.shape[0]), table.size)
            found = self.labels(np.tile(table, some.shape[0]), some.ravel(), parts)
            kept[first : first + step] = _same_partitions(
                found, np.tile(published, some.shape[0]), parts, count
            )
        return kept

    def members_unchanged(
        self, members: list[NDArray[np.int64]], imagined: list[NDArray[np.int64]]
    ) -> list[NDArray[np.bool_]]:
        """Whether the method, given the records of one class alone, would leave them whole.

        Parameters
        ----------
        members
            The records of every class.
        imagined
            For every class, (r, members) whose sensitive values they have.

        Returns
        -------
        list of (r,) bool
        """
        kept = [np.empty(own.shape[0], np.bool_) for own in imagined]
        for batch in _batches(imagined):
            records = np.concatenate([np.tile(members[g], stop - at) for g, at, stop in batch])
            sensitive = np.concatenate([imagined[g][at:stop].ravel() for g, at, stop in batch])
            sizes = np.concatenate([np.full(stop - at, members[g].size) for g, at, stop in batch])
            parts = np.repeat(np.arange(sizes.size), sizes)
            found = self.labels(records, sensitive, parts)
            whole = _same_partitions(found, np.zeros(found.size, np.int64), parts, 1)
            begin = 0
            for g, at, stop in batch:
                kept[g][at:stop] = whole[begin : begin + stop - at]
                begin += stop - at
        return kept


def _same_partitions(
    found: NDArray[np.int64], published: NDArray[np.int64], parts: NDArray[np.int64], count: int
) -> NDArray[np.bool_]:
    """(parts,) Whether each part, one after the other, was cut into the published classes, with nothing withheld."""
    starts = np.flatnonzero(np.diff(parts, prepend=-1))
    least = np.minimum.reduceat(found, starts)
    if count == 1:
        return np.asarray((least >= 0) & (least == np.maximum.reduceat(found, starts)))
    kept = np.maximum(found, 0)
    own = np.unique(parts * (int(kept.max()) + 1) + kept, return_index=True)[1]
    # As many classes as were published, and as many pairs of a class now and then: the same classes.
    both = group_codes([parts, kept, published], [starts.size, int(kept.max()) + 1, count]).first
    same = np.bincount(parts[own], minlength=starts.size) == count
    same &= np.bincount(parts[both], minlength=starts.size) == count
    return np.asarray(same & (least >= 0))


def _batches(imagined: list[NDArray[np.int64]]) -> Iterator[list[tuple[int, int, int]]]:
    """Tables that are run at once: stretches of the imagined tables of some classes."""
    batch: list[tuple[int, int, int]] = []
    room = _RECORDS_AT_ONCE
    for g, own in enumerate(imagined):
        at = 0
        while at < own.shape[0]:
            stop = min(own.shape[0], at + max(1, room // max(1, own.shape[1])))
            batch.append((g, at, stop))
            room -= (stop - at) * own.shape[1]
            at = stop
            if room <= 0:
                yield batch
                batch, room = [], _RECORDS_AT_ONCE
    if batch:
        yield batch


def arrangements(
    values: NDArray[np.integer], most: int, rng: np.random.Generator
) -> tuple[NDArray[np.int64], bool]:
    """Arrange the values of some records in other ways.

    Parameters
    ----------
    values : (n,) int
        Their values.
    most
        How many arrangements are wanted.
    rng
        Where random ones come from.

    Returns
    -------
    (r, n) int64
        Position whose value every record gets.
    bool
        Whether these are all there are, each once; else they are ``most`` random ones.

    Examples
    --------
    >>> every, complete = arrangements(np.array([5, 7, 5]), 10, np.random.default_rng(0))
    >>> complete, np.array([5, 7, 5])[every].tolist()
    (True, [[5, 5, 7], [5, 7, 5], [7, 5, 5]])
    """
    _, of, counts = np.unique(values, return_inverse=True, return_counts=True)
    if counts.size <= 1:
        return np.arange(values.size)[None, :], True
    # Two values have at least n arrangements: factorials of large classes are never computed.
    if values.size <= most + 1:
        ways = factorial(values.size) // prod(factorial(int(c)) for c in counts)
        if ways <= most:
            return _every(of, counts), True
    return rng.permuted(np.tile(np.arange(values.size), (most, 1)), axis=1), False


def _every(of: NDArray[np.integer], counts: NDArray[np.integer]) -> NDArray[np.int64]:
    """All distinct arrangements, in lexicographic order of the values."""
    pools = [np.flatnonzero(of == value).tolist() for value in range(counts.size)]
    found: list[list[int]] = []

    def extend(chosen: list[int], used: list[int]) -> None:
        if len(chosen) == of.size:
            found.append(chosen)
            return
        for value, pool in enumerate(pools):
            if used[value] < len(pool):
                after = used.copy()
                after[value] += 1
                extend([*chosen, pool[used[value]]], after)

    extend([], [0] * counts.size)
    return np.array(found, np.int64).reshape(len(found), of.size)
