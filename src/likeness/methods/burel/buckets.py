"""BUREL's first two phases: sensitive values in buckets, and how many records of each a class draws (Cao & Karras 2012).

The ECTree, which SABRE grows too, halves the sizes of the buckets, and the halves again (section 4.4).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, cast

import numpy as np

from likeness.errors import PolicyError, Refusal
from likeness.exact import smallest_sizes
from likeness.models.beta_bounds import GainLimits

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from likeness.exact import Real
    from likeness.models.base import SensitiveAttribute
    from likeness.models.requirements import Requirement, View


@dataclass(frozen=True, eq=False)
class Leaves:
    """The leaves of an ECTree; equal ones are kept once.

    ``vectors``: (leaves, buckets) records drawn from each bucket. ``times``: (leaves,) leaves with this vector.
    """

    vectors: NDArray[np.int64]
    times: NDArray[np.int64]

    @property
    def count(self) -> int:
        """Number of leaves: of classes."""
        return int(self.times.sum())

    def drafts(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Lay out the vectors for retrieval: where each begins, its buckets, its records from each."""
        vector, bucket = np.nonzero(self.vectors)
        start = np.searchsorted(vector, np.arange(len(self.vectors) + 1)).astype(np.int64)
        return start, bucket.astype(np.int64), self.vectors[vector, bucket]


def grow(sizes: NDArray[np.int64], may_split: Callable[[NDArray[np.int64]], NDArray[np.bool_]]) -> Leaves:
    """Halve the bucket sizes (buckets,), and the halves again, while both halves may be classes.

    The left half of x is ``⌊x / 2⌋``, bucket by bucket. The nodes on level L hold ``⌊(B_j + r) / 2^L⌋`` records of
    bucket j, for r from 0 to 2^L - 1: at most (buckets + 1) distinct vectors, which grow with r and so differ in
    their sums. Each is looked at once. ``may_split`` says of nodes (nodes, buckets) whether both halves may be classes.
    """
    nodes, times = sizes[None, :].astype(np.int64), np.ones(1, np.int64)
    leaves: list[NDArray[np.int64]] = []
    leaf_times: list[NDArray[np.int64]] = []
    while len(nodes):
        split = may_split(nodes)
        left = nodes[split] >> 1
        leaves.append(nodes[~split])
        leaf_times.append(times[~split])
        children = np.concatenate([left, nodes[split] - left])
        _, first, of = np.unique(children.sum(axis=1), return_index=True, return_inverse=True)
        split_times = np.zeros(first.size, np.int64)
        np.add.at(split_times, of, np.tile(times[split], 2))
        nodes, times = children[first], split_times
    return Leaves(np.concatenate(leaves), np.concatenate(leaf_times))


@dataclass(frozen=True, eq=False)
class Buckets:
    """A bucket partition φ of the sensitive values that occur.

    ``values``: codes of each bucket's, by ascending frequency; the buckets in the same order. ``sizes``: in records.
    ``limits``: largest share of a class that each bucket may have, f of its least frequent value.
    ``of``: (m,) bucket of each value; -1 for values that do not occur.
    """

    values: list[list[int]]
    sizes: NDArray[np.int64]
    limits: list[Real]
    of: NDArray[np.int64]


def gain_limits(name: str, requirements: Sequence[Requirement]) -> tuple[GainLimits, View]:
    """Find the requirement that decides the buckets, the first that limits relative gains; `PolicyError` where none does.

    ``name`` is the method's.
    """
    for one in requirements:
        if isinstance(one.bound, GainLimits):
            return one.bound, cast("View", one.view)
    asked = ", ".join(dict.fromkeys(one.model.name for one in requirements))
    raise PolicyError(
        Refusal(
            f"needs beta-likeness or basic-beta-likeness, and the guarantee is "
            f"{asked or 'empty'}; add one of them, or use another method, such as mondrian",
            (name,),
        )
    )


def drawn(attribute: SensitiveAttribute, buckets: Buckets, leaves: Leaves) -> dict[str, object]:
    """Keep what was decided, for the private report: the values of the buckets, and what classes draw from each."""
    return {
        "buckets": [[attribute.label(code) for code in values] for values in buckets.values],
        "leaves": [
            {"drawn": vector, "classes": times}
            for vector, times in zip(leaves.vectors.tolist(), leaves.times.tolist(), strict=True)
        ],
    }


_MORE_BUCKETS = Fraction(13, 10)
_HALVINGS = 30


def bucketize(
    counts: NDArray[np.int64],
    attribute: SensitiveAttribute,
    limits: Sequence[Real],
    *,
    strict: bool,
    slack: bool = False,
) -> Buckets:
    """Partition the values that occur, of ``counts`` (m,) records, into buckets; ``limits`` are f(p) of each value.

    ``strict``: values make a bucket if their joint share is *below* the limit, as the paper prints it, instead of at
    most the limit, as its Lemma 2 and Example 1 need. ``slack``: as `slack_partition`, instead of the fewest buckets.
    Values are ordered by limit, which never falls with frequency, then by frequency in ``attribute``.
    """
    total = int(counts.sum())
    present = np.flatnonzero(counts)
    known: dict[int, int] = {}
    most = np.empty(present.size, np.int64)
    for at, code in enumerate(present):
        limit = limits[int(code)]
        if id(limit) not in known:
            known[id(limit)] = largest_count(limit, total, strict=strict)
        most[at] = known[id(limit)]
    # The limit never falls with the frequency; sorting by it first keeps that true of any limits.
    order = np.lexsort((present, attribute.counts[present], most))
    codes = present[order]
    segments = (slack_partition if slack else dp_partition)(counts[codes], most[order])
    of = np.full(counts.size, -1, np.int64)
    for bucket, (begin, end) in enumerate(segments):
        of[codes[begin:end]] = bucket
    return Buckets(
        [codes[begin:end].tolist() for begin, end in segments],
        np.array([counts[codes[begin:end]].sum() for begin, end in segments], np.int64),
        [limits[int(codes[begin])] for begin, _ in segments],
        of,
    )


def largest_count(limit: Real, total: int, *, strict: bool = False) -> int:
    """Find the largest c with ``c / total <= limit`` (``<`` when strict), provably."""
    if limit.exact is not None:
        exact = limit.exact * total
        return -int(-exact // 1) - 1 if strict else int(exact // 1)
    # An irrational limit is never met exactly, so "at most" and "below" are the same.
    low, high = limit.enclose(40)
    least, most = int(low * total // 1), int(high * total // 1)
    while most > least and not limit.at_least(Fraction(most, total)):
        most -= 1
    return most


def dp_partition(counts: NDArray[np.int64], most: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Cut the ascending values into the fewest segments (begin, end) that may be buckets (function DPpartition).

    A segment of several values may be one if it has at most ``most`` (m,), ascending, of its first value records; a
    single value always may. Where several b attain N[e] = min N[b - 1] + 1 (equation 6), the largest is
    taken. N never falls with e, and the b that may begin a segment ending at e are the last ones before it:
    one pass with two pointers finds what the paper's O(m²) recursion finds.

    >>> dp_partition(np.array([2, 3, 3, 3, 4, 4]), np.array([5, 8, 8, 8, 10, 10]))
    [(0, 2), (2, 4), (4, 6)]
    """
    size = len(counts)
    records = [0, *np.cumsum(counts).tolist()]
    allowed = most.tolist()
    fewest = [0] * (size + 1)
    begin_of = [0] * (size + 1)
    last_with = [0] * (size + 1)
    first = 0
    for end in range(1, size + 1):
        while first < end - 1 and records[end] - records[first] > allowed[first]:
            first += 1
        begin = last_with[fewest[first]]
        fewest[end] = fewest[begin] + 1
        begin_of[end] = begin
        last_with[fewest[end]] = end
    segments = []
    end = size
    while end > 0:
        segments.append((begin_of[end], end))
        end = begin_of[end]
    return segments[::-1]


def slack_partition(counts: NDArray[np.int64], most: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Cut the ascending values into up to 1.3 times the fewest segments, with the most room below the limits.

    The room of a segment of several values is ``most`` of its first value over its records; what counts is the
    smallest. For any room asked of all segments, `dp_partition` finds the fewest; the more room, the more
    segments, so halving the possible rooms finds the largest that so many segments allow.
    Ours; the constraint is Lemma 2 of Cao & Karras 2012, section 4.3.

    >>> counts, most = np.array([1, 2, 2, 3, 3, 3]), np.array([5, 10, 10, 12, 12, 12])
    >>> dp_partition(counts, most), slack_partition(counts, most)
    ([(0, 3), (3, 6)], [(0, 2), (2, 4), (4, 6)])
    """
    best = dp_partition(counts, most)
    allowed = -(-len(best) * _MORE_BUCKETS.numerator // _MORE_BUCKETS.denominator)
    low, high = 1.0, float((most / counts).max(initial=1.0))
    for _ in range(_HALVINGS):
        if low >= high:
            break
        room = (low + high) / 2
        # Rounded down, so at most the limit whatever the room.
        tried = dp_partition(counts, np.minimum(most, (most / room).astype(np.int64)))
        if len(tried) <= allowed:
            low, best = room, tried
        else:
            high = room
    return best


def bi_split(sizes: NDArray[np.int64], limits: Sequence[Real], smallest: int = 1) -> Leaves:
    """Halve the bucket sizes, and the halves again, while both halves may be classes (function biSplit).

    A vector x may be a class if ``x_j / Σx <= limit_j`` for every bucket (Theorem 1) and ``Σx >= smallest``.
    A vector of ones and zeros stays.
    """
    eligible = _Eligibility(sizes, limits, smallest)

    def may_split(nodes: NDArray[np.int64]) -> NDArray[np.bool_]:
        split = nodes.max(axis=1) > 1
        left = nodes[split] >> 1
        split[split] = eligible(left) & eligible(nodes[split] - left)
        return np.asarray(split, np.bool_)

    return grow(sizes, may_split)


class _Eligibility:
    """The eligibility condition, by tables of the smallest class that may hold so many of a bucket."""

    def __init__(self, sizes: NDArray[np.int64], limits: Sequence[Real], smallest: int) -> None:
        self.start, self.least = least_sizes(sizes, limits)
        self.smallest = smallest

    def __call__(self, nodes: NDArray[np.int64]) -> NDArray[np.bool_]:
        size = nodes.sum(axis=1)
        least = self.least[self.start + nodes].max(axis=1, initial=max(1, self.smallest))
        return np.asarray(size >= least, np.bool_)


def least_sizes(
    sizes: NDArray[np.int64], limits: Sequence[Real]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Tabulate the smallest class that may hold 0, 1, 2, … records of each bucket, up to half of it.

    Returns (buckets,) where each bucket's table begins, and the tables, one after the other.
    """
    # Only halves are asked about, never the root.
    most = [(int(size) + 1) // 2 for size in sizes]
    tables = [smallest_sizes(limit, count) for limit, count in zip(limits, most, strict=True)]
    start = np.concatenate([[0], np.cumsum([len(table) + 1 for table in tables])])[:-1].astype(np.int64)
    nothing = np.zeros(1, np.int64)
    return start, np.concatenate([part for table in tables for part in (nothing, table)])
