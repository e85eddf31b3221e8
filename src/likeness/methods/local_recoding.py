"""Best-first local recoding: publish first what can be published with the least generalization.

Every record is generalized to one of the level vectors of full-domain generalization, but different records to different
ones: vectors are visited in the order of what they lose, and at each the groups that hold are taken out of the table
before the next is tried. Where attributes have coarse hierarchies this loses less than cutting top down, which commits to an
attribute's split before it knows who will be alone.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.checks import choice, whole
from likeness.methods._base import Method, Problem, joint_views
from likeness.methods._levels import Ladder, ladder
from likeness.metrics.loss import LOSSES
from likeness.metrics.loss.cell import attribute_weights
from likeness.microdata.grouping import group_codes
from likeness.microdata.plan import Plan, renumber

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from likeness.kernels.class_tests import LaidOutTests


@dataclass(frozen=True)
class LocalRecoding(Method):
    """Generalize every record no further than it takes to join a class that holds: vectors of levels, least loss first.

    Parameters
    ----------
    loss
        The information loss that orders the vectors: ``ncp``, ``glm`` or ``iloss``.
    most_vectors
        How many level vectors to visit; what is left then forms one class per part, joined with the
        most general classes where it does not hold by itself. Each visit groups the records that are still left.

    Notes
    -----
    Levels are those of the hierarchy; plain sets have two (exact, anything), numbers without a hierarchy double the run of
    neighbouring values from level to level. Published regions are tight, so a class may show less than its vector.

    References
    ----------
    The recoding is that of ARX's local transformation (Prasser et al. 2020), ordered by loss instead of found by
    repeated full-domain searches; spec sections 4.11 and 4.12 for the lattice.

    Examples
    --------
    >>> LocalRecoding()
    LocalRecoding(loss='ncp', most_vectors=20000)
    """

    loss: str = "ncp"
    most_vectors: int = 20000

    name: ClassVar[str] = "local-recoding"
    forms: ClassVar[tuple[str, ...]] = ("identity-reserved",)
    takes_individuals: ClassVar[bool] = True
    takes_parts: ClassVar[bool] = True

    def __post_init__(self) -> None:
        choice(self.name, "loss", self.loss, tuple(LOSSES))
        whole(self.name, "most_vectors", self.most_vectors, at_least=1)

    def run(self, problem: Problem) -> Plan:
        """Take out groups that hold, vector by vector; parts that cannot hold as a whole are withheld."""
        data = problem.data
        parts = np.zeros(data.size, np.int64) if problem.parts is None else problem.parts
        good = problem.holding(parts, int(parts.max(initial=-1)) + 1)
        kept = np.flatnonzero(good[parts])
        because = {}
        if kept.size < data.size:
            reason = (
                "the part of the table allowed by the level limits, as one class, does not hold the guarantee"
            )
            if problem.parts is None:
                reason = "the whole table as one class does not hold the guarantee"
            because[reason] = data.size - kept.size
        classes = np.full(data.size, -1, np.int64)
        if kept.size:
            classes[kept] = self._recode(problem, kept, parts[kept])
        return Plan(renumber(classes), withheld_because=because)

    def _recode(
        self, problem: Problem, records: NDArray[np.int64], parts: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Class of each of the records."""
        from likeness.kernels.class_tests import lay_out

        data = problem.data
        views, tests, width = joint_views(problem)
        tuples = group_codes(data.codes[:, records], [domain.codes for domain in data.quasi])
        radices = [tuples.count, *([max(width, 1)] * len(views)), int(parts.max()) + 1]
        cells = group_codes([tuples.of, *views[:, records], parts], radices)
        first = records[cells.first]
        loss = LOSSES[self.loss]
        weights = attribute_weights(data.quasi)
        ladders = [
            ladder(domain, loss, weight, codes[first], cells.sizes)
            for domain, weight, codes in zip(data.quasi, weights, data.codes, strict=True)
        ]
        table = _Cells(
            ladders, cells.sizes, np.ascontiguousarray(views[:, first].T), parts[cells.first], width
        )
        label, taken = self._take_out(table, lay_out(tests))
        return self._join_rest(problem, records, parts, label[cells.of], taken)

    def _take_out(self, table: _Cells, tests: LaidOutTests) -> tuple[NDArray[np.int64], int]:
        """Class of each cell, -1 for those that no vector took; and the number of classes."""
        label = np.full(table.sizes.size, -1, np.int64)
        left = np.arange(table.sizes.size)
        taken = 0
        for visited, vector in enumerate(_by_loss(table.ladders)):
            if left.size == 0 or visited == self.most_vectors:
                break
            group, holds = table.groups(left, vector, tests)
            if holds.any():
                number = np.cumsum(holds) - 1 + taken
                out = holds[group]
                label[left[out]] = number[group[out]]
                taken += int(holds.sum())
                left = left[~out]
        return label, taken

    def _join_rest(
        self,
        problem: Problem,
        records: NDArray[np.int64],
        parts: NDArray[np.int64],
        label: NDArray[np.int64],
        taken: int,
    ) -> NDArray[np.int64]:
        """Make the rest of each part a class, joined with the part's most general classes until it holds."""
        classes = np.full(problem.data.size, -1, np.int64)
        for part in np.unique(parts[label < 0]):
            rest = (label < 0) & (parts == part)
            # Classes were numbered as they were taken out: the last is the most general.
            partners = iter(np.unique(label[(parts == part) & (label >= 0)])[::-1].tolist())
            while True:
                classes[:] = -1
                classes[records[rest]] = 0
                if problem.holding(classes, 1)[0]:
                    break
                rest |= label == next(partners)
            label[rest] = taken
            taken += 1
        return label


@dataclass(frozen=True, eq=False)
class _Cells:
    """Distinct combinations of codes, and how to group them at a vector of levels."""

    ladders: list[Ladder]
    sizes: NDArray[np.int64]
    places: NDArray[np.int32]
    parts: NDArray[np.int64]
    width: int

    def groups(
        self, left: NDArray[np.int64], vector: tuple[int, ...], tests: LaidOutTests
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Group of each of the cells, and whether each group holds."""
        from likeness.kernels.group_tests import groups_hold

        columns = [own.group[level][left] for own, level in zip(self.ladders, vector, strict=True)]
        radices = [own.groups[level] for own, level in zip(self.ladders, vector, strict=True)]
        found = group_codes([*columns, self.parts[left]], [*radices, int(self.parts.max()) + 1])
        sizes = np.bincount(found.of, self.sizes[left], found.count).astype(np.int64)
        if len(tests.shape) == 0:
            return found.of, sizes >= tests.smallest
        # Only the cells of groups of sufficient size are looked at.
        order = np.flatnonzero((sizes >= tests.smallest)[found.of])
        order = order[np.argsort(found.of[order], kind="stable")]
        holds = groups_hold(
            tests.functions,
            tests.shape,
            tests.integers,
            tests.reals,
            tests.smallest,
            sizes,
            self.places,
            self.sizes,
            left[order],
            np.searchsorted(found.of[order], np.arange(found.count + 1)),
            self.width,
        )
        return found.of, holds


def _by_loss(ladders: list[Ladder]) -> Iterator[tuple[int, ...]]:
    """Yield all vectors of levels by ascending mean loss; ties by the vector."""
    start = (0,) * len(ladders)
    waiting = [(0.0, start)]
    seen = {start}
    while waiting:
        _, vector = heapq.heappop(waiting)
        yield vector
        for j, own in enumerate(ladders):
            if vector[j] + 1 < len(own.mean_loss):
                above = (*vector[:j], vector[j] + 1, *vector[j + 1 :])
                if above not in seen:
                    seen.add(above)
                    lost = sum(x.mean_loss[level] for x, level in zip(ladders, above, strict=True))
                    heapq.heappush(waiting, (lost, above))
