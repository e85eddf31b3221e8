"""Earth mover's distances between a class and the reference distribution, as sums over intervals of values.

All three ground distances are distances in a tree, for which the optimal transport has a closed form: every
edge is crossed by the difference between what the class and the reference hold below it. An edge's values are
an interval of codes, so ``EMD = Σ weight · |q(interval) - p(interval)| / scale`` (another way to write
Li, Li & Venkatasubramanian 2007, section 5).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.errors import PolicyError
from likeness.microdata.domain import IN_ORDER

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.microdata.domain import Domain
    from likeness.microdata.statistics import ClassStatistics
    from likeness.models.base import SensitiveAttribute

DISTANCES = ("equal", "ordered", "hierarchical")


@dataclass(frozen=True, eq=False)
class Transport:
    """A ground distance laid out over the codes of a sensitive attribute.

    Any two intervals lie apart or one within the other; each comes before those within it. A class is looked at only where
    it has values. Intervals without any of them are crossed by what the reference holds there, which is summed once for all
    classes: the work is in proportion to the values that classes hold (times the height of a tree), whatever the number of
    values is.
    ``counts``: (m,) int64, the reference distribution.
    ``first``, ``last``: (k,) int64, codes between which each interval lies, both inclusive.
    ``weight``: (k,) int64, length of each interval's edge; ``scale`` is what makes the largest ground distance 1.
    ``ordered``: every interval begins at code 0, ends ascend and edges are 1 long.
    """

    counts: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    weight: NDArray[np.int64]
    scale: int
    ordered: bool = False

    @property
    def total(self) -> int:
        """Number of records of the reference distribution."""
        return int(self.counts.sum())

    @property
    def fits(self) -> bool:
        """Whether sums for classes of the reference's size fit 64 bits."""
        return int(self.weight.sum() + self.scale) * max(1, self.total) ** 2 < 1 << 62

    @cached_property
    def held(self) -> NDArray[np.int64]:
        """(k,) Records of the reference in each interval."""
        below = np.concatenate([[0], np.cumsum(self.counts)])
        return np.asarray(below[self.last + 1] - below[self.first])

    @cached_property
    def parent(self) -> NDArray[np.int64]:
        """(k,) Smallest interval around each, -1 for none."""
        found, path = [], [-1]
        last = self.last.tolist()
        for i, end in enumerate(last):
            while path[-1] >= 0 and last[path[-1]] < end:
                path.pop()
            found.append(path[-1])
            path.append(i)
        return np.array(found, np.int64)

    @property
    def nested(self) -> bool:
        """Whether intervals lie within others, as the nodes of a tree."""
        return not self.ordered and bool((self.parent >= 0).any())

    @cached_property
    def lowest(self) -> NDArray[np.int64]:
        """(m,) Smallest interval that holds each code, -1 for none."""
        found = np.full(len(self.counts), -1, np.int64)
        for i, (first, last) in enumerate(zip(self.first.tolist(), self.last.tolist(), strict=True)):
            found[first : last + 1] = i
        return found

    def for_present(self) -> NDArray[np.int64]:
        """Lay out what `likeness.kernels.present_tests` needs beside the intervals."""
        if self.ordered:
            return np.concatenate([[1], self.held, [0], np.cumsum(self.held)])
        everything = int((self.held * self.weight).sum())
        return np.concatenate([[0, everything], self.parent, self.held, self.lowest])

    def least_work(self, size: int) -> int:
        """``EMD · scale · size · total`` of the class of so many records that is nearest to the reference."""
        wanted = self.held * size
        rest = wanted % max(1, self.total)
        if self.ordered:
            # Rounded end by end: what lies below a later end never rounds to less.
            return int((np.minimum(rest, self.total - rest) * self.weight).sum())
        if not self.nested and (self.weight == 1).all():
            # Every value has what it wants, rounded down; the records that are left go where most is cut off.
            left = size - int(((wanted - rest) // max(1, self.total)).sum())
            cut = np.sort(rest)[::-1]
            return int((self.total - cut[:left]).sum() + cut[left:].sum())
        return self._least_of_tree(size, wanted)

    def _least_of_tree(self, size: int, wanted: NDArray[np.int64]) -> int:
        """See `least_work`: what each more record below a node costs, from the leaves upwards; it goes where it costs least."""
        held = np.arange(size + 1) * self.total
        widths = self.last - self.first + 1
        bare = widths.copy()
        np.subtract.at(bare, self.parent[self.parent >= 0], widths[self.parent >= 0])
        bare = np.append(bare, len(self.counts) - int(widths[self.parent < 0].sum()))
        below: dict[int, list[NDArray[np.int64]]] = {}

        def shared(node: int) -> NDArray[np.int64]:
            # Values below no child of a node are free there.
            free = [np.zeros(size, np.int64)] if bare[node] else []
            return np.sort(np.concatenate([*below.pop(node, []), *free]))[:size]

        for i in reversed(range(widths.size)):
            own = np.diff(abs(held - wanted[i])) * self.weight[i]
            below.setdefault(int(self.parent[i]), []).append(own + shared(i))
        return int((wanted * self.weight).sum() + shared(-1).sum())

    def work(self, stats: ClassStatistics) -> NDArray[Any]:
        """(E,) Integers: ``EMD · scale · size · total`` of every class."""
        fits = self.fits and int(stats.sizes.max(initial=0)) <= self.total
        kind = np.int64 if fits else object
        classes = stats.class_of
        sizes, count = stats.sizes.astype(kind), stats.count.astype(kind)
        # Records of each entry's class up to the entry, itself included.
        until = np.cumsum(count)
        before = np.concatenate([np.zeros(1, kind), until])[stats.start[classes]]
        if self.ordered:
            return self._chain(stats, sizes, until - before)
        return self._tree(stats, sizes, np.concatenate([np.zeros(1, kind), until]))

    def _chain(self, stats: ClassStatistics, sizes: NDArray[Any], until: NDArray[Any]) -> NDArray[Any]:
        """See `work`: between two of its values a class holds the same, and the reference ever more."""
        classes, total = stats.class_of, self.total
        sums = np.concatenate([[0], np.cumsum(self.held.astype(sizes.dtype))])
        begin = np.searchsorted(self.last, stats.value)
        end = np.append(begin[1:], self.last.size)
        end[stats.start[1:][stats.distinct > 0] - 1] = self.last.size
        size, own = sizes[classes], until * total
        # Up to `turn` the class holds at least its share.
        turn = np.searchsorted(self.held, (own // size).astype(np.int64), side="right").clip(begin, end)
        runs = (2 * turn - begin - end) * own - size * (2 * sums[turn] - sums[begin] - sums[end])
        ahead = np.zeros(stats.classes, np.int64)
        some = stats.distinct > 0
        ahead[some] = begin[stats.start[:-1][some]]
        return np.asarray(sizes * sums[ahead] + _sums(runs, stats))

    def _tree(self, stats: ClassStatistics, sizes: NDArray[Any], until: NDArray[Any]) -> NDArray[Any]:
        """See `work`: from every value of a class upwards, each interval at the first of its values there."""
        classes, value, total = stats.class_of, stats.value, self.total
        keys = classes * stats.values + value
        # The value of the same class before each, -1 for none.
        before = np.append(-1, value[:-1])
        before[stats.start[:-1][stats.distinct > 0]] = -1
        extra = np.zeros(len(value), until.dtype)
        entry, edge = np.arange(len(value)), self.lowest[value]
        while entry.size:
            kept = edge >= 0
            kept &= self.first[edge] > before[entry]
            entry, edge = entry[kept], edge[kept]
            end = np.searchsorted(keys, classes[entry] * stats.values + self.last[edge], side="right")
            expected = self.held[edge] * sizes[classes[entry]]
            crossing = abs((until[end] - until[entry]) * total - expected) - expected
            extra[entry] += crossing * self.weight[edge]
            edge = self.parent[edge]
        everything = int((self.held.astype(until.dtype) * self.weight).sum())
        return np.asarray(sizes * everything + _sums(extra, stats))


def _sums(of_entries: NDArray[Any], stats: ClassStatistics) -> NDArray[Any]:
    """(E,) Sum over the entries of each class."""
    until = np.concatenate([np.zeros(1, of_entries.dtype), np.cumsum(of_entries)])
    return np.asarray(until[stats.start[1:]] - until[stats.start[:-1]])


def transport(part: str, attribute: SensitiveAttribute, distance: str | None) -> Transport:
    """Lay out a ground distance: ``equal``, ``ordered`` or ``hierarchical``; None for the one the column declares.

    Raises `PolicyError` where the column has no such distance; ``part`` is the model, for messages.
    """
    chosen = distance or attribute.domain.distance
    problem = _problem(attribute.domain, chosen)
    if problem is not None:
        raise PolicyError(f"{part}: {problem}")
    if chosen == "ordered":
        return _ordered(attribute)
    if chosen == "hierarchical":
        return _hierarchical(attribute)
    values = np.arange(len(attribute.counts))
    return Transport(attribute.counts, values, values, np.ones(values.size, np.int64), 2)


def _problem(domain: Domain, distance: str) -> str | None:
    """Say why a column does not have a ground distance, or None."""
    if distance not in DISTANCES:
        return f"distance must be one of {', '.join(DISTANCES)}; got {distance!r}"
    column = f"the sensitive column {domain.name!r}"
    if distance == "ordered" and domain.kind not in IN_ORDER:
        return f"distance ordered needs numbers, dates or a declared order, and {column} is {domain.kind}"
    if distance == "ordered" and domain.missing:
        return (
            f"distance ordered has no place for the missing values of {column}; "
            "use distance equal, or drop those records (missing: drop)"
        )
    if distance == "hierarchical" and domain.hierarchy is None:
        if domain.distance == "hierarchical":
            what = f"distance hierarchical is that of the values of {column}, and not of their categories"
            return f"{what}; say distance: equal or ordered"
        return f"distance hierarchical needs a hierarchy, and {column} has none"
    if distance == "hierarchical" and domain.shape != "tree":
        return f"distance hierarchical needs kind: hierarchical, and {column} is {domain.kind}"
    return None


def _ordered(attribute: SensitiveAttribute) -> Transport:
    """Neighbours are 1 / (m - 1) apart; m counts the values that occur in the reference."""
    ends = np.flatnonzero(attribute.counts > 0)[:-1]
    first, weight = np.zeros(ends.size, np.int64), np.ones(ends.size, np.int64)
    return Transport(attribute.counts, first, ends, weight, max(1, ends.size), ordered=True)


def _hierarchical(attribute: SensitiveAttribute) -> Transport:
    """Values are as far apart as their common ancestor is high, in edges; a missing value hangs below the root."""
    tree = attribute.domain.hierarchy
    assert tree is not None  # noqa: S101  # checked by the caller
    # Of a tree made from the data only the leaves that were published are told, so only they give it its height.
    used = attribute.counts[: tree.size] > 0 if tree.data_derived else np.ones(tree.size, np.bool_)
    heights = tree.heights(used).astype(np.int64)
    below = np.concatenate([[0], np.cumsum(used)])
    nodes = np.arange(1, len(tree.labels))
    nodes = nodes[below[tree.right[nodes] + 1] > below[tree.left[nodes]]]
    first = tree.left[nodes].astype(np.int64)
    last = tree.right[nodes].astype(np.int64)
    weight = heights[tree.parent[nodes]] - heights[nodes]
    height = max(1, int(heights[0]))
    if attribute.domain.missing:
        # In a tree of one leaf, that leaf too comes to lie below the new root.
        alone = np.zeros(int(len(tree.labels) == 1), np.int64)
        code = np.array([attribute.domain.missing_code])
        first = np.concatenate([first, alone, code])
        last = np.concatenate([last, alone, code])
        weight = np.concatenate([weight, np.full(alone.size + 1, height)])
    return Transport(attribute.counts, first, last, weight, 2 * height)
