"""Run a method again on what an adversary imagines: the same people, other sensitive values.

Arrangements of a class's values: what they say about its members, and chains that walk over them.

Where in their class records lie, and what a method's own rules make of that.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import factorial, prod
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likeness.methods.base import Problem, run_in_parts
from likeness.methods.spaces import axis
from likeness.microdata.grouping import group_codes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from likeness.attacks.base import Making
    from likeness.microdata.data import Microdata

_RECORDS_AT_ONCE = 1_000_000


@dataclass(frozen=True, eq=False)
class Rerun:
    """The method, and what it was asked, ready to run on other records.

    ``data`` are the published records, ``rng`` the method's randomness.
    """

    making: Making
    data: Microdata
    rng: np.random.Generator

    def labels(
        self, records: NDArray[np.int64], sensitive: NDArray[np.int64], parts: NDArray[np.int64] | None
    ) -> NDArray[np.int64]:
        """Class (or bucket) of each record when ``records`` (n,) have the sensitive values of the records ``sensitive`` (n,).

        ``parts`` (n,) numbers tables of their own, run at once; None: all are one table.
        """
        method = self.making.method
        one = self.data.take(records)
        other = self.data.sensitive_codes[:, sensitive]
        imagined = type(one)(
            one.quasi,
            one.codes,
            one.sensitive,
            np.ascontiguousarray(other),
            one.rows,
            knowledge=one.knowledge,
        )
        apart = [own for own in (one.parts(imagined) for one in self.making.requirements) if own is not None]
        if apart:
            apart += [] if parts is None else [parts]
            parts = group_codes(apart, [int(own.max(initial=0)) + 1 for own in apart]).of
        loss = method.lowered
        plan = run_in_parts(method, Problem(imagined, self.making.requirements, loss, self.rng, parts))
        return plan.classes if plan.buckets is None else plan.buckets

    def unchanged(
        self, table: NDArray[np.int64], imagined: NDArray[np.int64], published: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        """(r,) Whether the method would still make the published classes of some records.

        ``table`` (n,) are the records, ``published`` (n,) their classes from 0, ``imagined`` (r, n) whose sensitive values they
        have in every imagined table.
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
        """Whether the method, given the records of one class alone, would leave them whole: for every class (r,).

        ``imagined``: for every class, (r, members) whose sensitive values they have.
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
    """Arrange the values (n,) of some records in other ways: (r, n) the position whose value every record gets.

    Also whether these are all there are, each once; else they are ``most`` random ones.

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


CHAINS = 4
_ALLOWED = 0.3
"""Share of the steps of a chain that should be allowed."""
_MOVES = 5
"""How often every member must have got another value in each half of a chain, on average."""


class Beliefs(NamedTuple):
    """What is believed of the n members of one class.

    ``first``, ``second``: (n, m), probability of every value, each from half of what was tried; the same where everything
    was.
    ``errors``: (n, m), standard errors of their means.
    ``truth``: sum of the probabilities of the true values, and its standard error.
    """

    members: NDArray[np.int64]
    first: NDArray[np.float64]
    second: NDArray[np.float64]
    errors: NDArray[np.float64]
    truth: tuple[float, float]


class ClassTable:
    """The published records: classes, and values of the column the adversary is after."""

    def __init__(self, rerun: Rerun, labels: NDArray[np.int64], column: int) -> None:
        self.rerun = rerun
        self.labels = labels.astype(np.int64)
        self.values = rerun.data.sensitive_codes[column].astype(np.int64)
        self.width = rerun.data.sensitive[column].codes
        self.count = int(labels.max(initial=-1)) + 1
        self._order = np.argsort(labels, kind="stable")
        self._starts = np.searchsorted(labels[self._order], np.arange(self.count + 1))

    def members(self, number: int) -> NDArray[np.int64]:
        """Records of a class."""
        return self._order[self._starts[number] : self._starts[number + 1]]

    def beliefs(self, members: NDArray[np.int64], kept: NDArray[np.int64], *, complete: bool) -> Beliefs:
        """Count how often each of the records ``members`` (n,) has each value among arrangements.

        ``kept`` (r, n) is whose value everybody has, by position among the members; ``complete`` where these are all
        arrangements there are, not a random few.
        """
        held = self.values[members[kept]]
        right = (held == self.values[members]).sum(axis=1)
        if complete:
            shares = self._shares(held)
            return Beliefs(members, shares, shares, np.zeros_like(shares), (float(right.mean()), 0.0))
        first, second = self._shares(held[0::2]), self._shares(held[1::2])
        errors = _careful((first + second) / 2, held.shape[0])
        spread = float(right.std(ddof=1)) / held.shape[0] ** 0.5
        return Beliefs(members, first, second, errors, (float(right.mean()), spread))

    def _shares(self, held: NDArray[np.int64]) -> NDArray[np.float64]:
        """(n, m) Share of each value in every column."""
        keys = np.arange(held.shape[1]) * self.width + held
        counts = np.bincount(keys.ravel(), minlength=held.shape[1] * self.width)
        return np.asarray(counts.reshape(held.shape[1], self.width) / max(1, held.shape[0]))


class Walk:
    """Chains over the arrangements of one class."""

    def __init__(self, table: ClassTable, members: NDArray[np.int64]) -> None:
        self.members, self.table = members, table
        self.state = np.tile(np.arange(members.size), (CHAINS, 1))
        self.counts = np.zeros((CHAINS, members.size, table.width))
        self.block = float(members.size)
        self.moved = np.zeros(2)

    def propose(self, rng: np.random.Generator) -> NDArray[np.int64]:
        """(chains, members) Deal the values of a block of members anew, in every chain."""
        size, proposal = self.members.size, self.state.copy()
        block = max(2, min(size, round(self.block)))
        for chain in proposal:
            which = rng.choice(size, block, replace=False)
            chain[which] = chain[rng.permutation(which)]
        return proposal

    def move(self, proposal: NDArray[np.int64], allowed: NDArray[np.bool_], *, adapt: bool) -> None:
        """Go where one may; count what everybody then has, once blocks are no longer adapted."""
        values = self.table.values[self.members]
        changed = (values[proposal] != values[self.state])[allowed].sum()
        self.moved[0 if adapt else 1] += float(changed)
        self.state[allowed] = proposal[allowed]
        if adapt:
            factor = 1.25 if allowed.mean() >= _ALLOWED else 0.8
            self.block = min(max(2.0, self.block * factor), float(self.members.size))
            return
        chains = np.arange(CHAINS)[:, None]
        self.counts[chains, np.arange(self.members.size)[None, :], values[self.state]] += 1

    def beliefs(self, steps: int) -> Beliefs | None:
        """Frequencies; None when members were moved too seldom to have forgotten the truth."""
        if self.moved.min() < _MOVES * CHAINS * self.members.size:
            return None
        shares = self.counts / steps
        mean = shares.mean(axis=0)
        # As many independent arrangements as would differ as much as the chains do.
        spread = shares.var(axis=0, ddof=1).sum() / CHAINS
        worth = max(1.0, float((mean * (1 - mean)).sum() / spread)) if spread > 0 else 1.0
        own = shares[:, np.arange(self.members.size), self.table.values[self.members]].sum(axis=1)
        truth = float(own.mean()), float(own.std(ddof=1)) / CHAINS**0.5
        halves = shares[0::2].mean(axis=0), shares[1::2].mean(axis=0)
        return Beliefs(self.members, *halves, _careful(mean, worth), truth)


def _careful(shares: NDArray[np.float64], worth: float) -> NDArray[np.float64]:
    """Standard errors of probabilities estimated from so many arrangements; never 0."""
    careful = (shares * worth + 1) / (worth + 2)
    return np.asarray(np.sqrt(careful * (1 - careful) / worth))


_REACHES = np.array([0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0])
"""Distances from the middle of the class, in units of the median distance, that places begin at."""
PLACES = 2 * (_REACHES.size + 1)
_CAUTION = 50.0
"""Imagined holders of a value, evenly spread over the places, added to those counted."""


def places(data: Microdata, labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """(n,) Place of every record in its class: how far from the middle, and whether alone there.

    The distance from the class's mean, every attribute running from 0 to 1, is compared with the median distance of
    its members; records whose quasi-identifiers nobody else in the class has have places of their own. ``labels`` (n,)
    are numbered from 0 without gaps.
    """
    sizes = np.bincount(labels)
    squares = np.zeros(labels.size)
    for domain, codes in zip(data.quasi, data.codes, strict=True):
        own = axis(domain)[codes]
        squares += (own - (np.bincount(labels, own) / sizes)[labels]) ** 2
    # What differs by rounding only is equally distant.
    distance = np.round(np.sqrt(squares), 9)
    order = np.lexsort((distance, labels))
    median = distance[order][np.cumsum(sizes) - sizes + sizes // 2]
    reach = np.digitize(distance / np.maximum(median, 1e-9)[labels], _REACHES)
    alike = group_codes([data.tuples.of, labels], [data.tuples.count, sizes.size])
    alone = alike.sizes[alike.of] == 1
    return np.asarray(2 * reach + alone, np.int64)


def learn_places(
    rerun: Rerun, values: NDArray[np.int64], width: int, simulations: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """(2, places, m) Count the holders of each value in each place, in imagined tables; every other table apart.

    An imagined table has everybody's quasi-identifiers, and ``values`` (n,) dealt at random; ``width`` is m.
    """
    counts = np.zeros((2, PLACES, width), np.int64)
    everybody = np.arange(values.size)
    for number in range(simulations):
        dealt = rng.permutation(values.size)
        labels = rerun.labels(everybody, dealt, None)
        inside = np.flatnonzero(labels >= 0)
        if inside.size == 0:
            continue
        own = np.unique(labels[inside], return_inverse=True)[1].astype(np.int64)
        keys = places(rerun.data.take(inside), own) * width + values[dealt[inside]]
        counts[number % 2] += np.bincount(keys, minlength=PLACES * width).reshape(PLACES, width)
    return counts


def lifts(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """(places, m) How much more often than anybody the holders of each value come to lie in each place.

    >>> lifts(np.array([[900, 100], [900, 300]])).round(2)
    array([[1.1 , 0.6 ],
           [0.92, 1.33]])
    """
    total = max(1, int(counts.sum()))
    usual = np.maximum(counts.sum(axis=1, keepdims=True) / total, 1e-9)
    often = (counts + _CAUTION * usual) / (counts.sum(axis=0) + _CAUTION)
    return np.asarray(often / usual)
