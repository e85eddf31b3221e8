"""Clusters of near records that exchange some until they hold, and the merging of those that do not.

What k-anonymity-primacy and t-close microaggregation share: Algorithm 2 of Amiri et al. 2016, which is Algorithm 2 of Soria-Comas
et al. 2015 with another measure of how far a cluster is off.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from likeness.methods.base import joint_views
from likeness.methods.spaces import record_space
from likeness.microdata.grouping import group_codes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.kernels.hulls import Geometry
    from likeness.kernels.record_distance import Space
    from likeness.methods._refining.kernels import Merging, State, Tests
    from likeness.methods.base import Problem
    from likeness.microdata.regions import CellLoss

_WORK_A_STEP = 20_000_000


@dataclass(frozen=True, eq=False)
class LaidOutRecords:
    """The records of a problem as the kernels see them: tuple by tuple, in the order of the table.

    ``order``: (n,) the record that stands at each place. ``kind``: (n,) by place.
    """

    problem: Problem
    order: NDArray[np.int64]
    kind: NDArray[np.int64]
    tests: Tests
    space: Space

    @cached_property
    def tuple_of(self) -> NDArray[np.int64]:
        """(n,) Tuple at each place."""
        return self.problem.data.tuples.of[self.order]

    @classmethod
    def of(cls, problem: Problem) -> LaidOutRecords:
        """Lay out the records of a problem."""
        from likeness.kernels.class_excess import limits_shares_alone, measures_of
        from likeness.kernels.class_tests import lay_out
        from likeness.methods._refining.kernels import Tests

        data = problem.data
        order = np.argsort(data.tuples.of, kind="stable")
        views, tests, width = joint_views(problem)
        laid = lay_out(tests)
        shares = limits_shares_alone(laid) and len(views) == 1
        if shares:
            # The rule for shares reads the value of a record off its kind.
            kind, places = views[0].astype(np.int64), np.arange(width)[:, None]
        elif len(views):
            groups = group_codes(views, [width] * len(views))
            kind, places = groups.of, views[:, groups.first].T.astype(np.int64)
        else:
            kind, places = np.zeros(data.size, np.int64), np.zeros((1, 0), np.int64)
        judged = Tests(
            laid.functions,
            measures_of(laid),
            laid.smallest,
            laid.shape,
            laid.integers,
            laid.reals,
            shares,
            np.ascontiguousarray(places, np.int64),
            width,
        )
        return cls(problem, order, np.ascontiguousarray(kind[order]), judged, record_space(data))

    def begin(self, label: NDArray[np.int64], clusters: int) -> State:
        """Make a state in which the records labelled -1 (n,), by place, are left, with room for so many clusters."""
        from likeness.kernels.record_distance import running_sums
        from likeness.methods._refining.kernels import State, marks_of

        count = self.problem.data.tuples.count
        queue = np.flatnonzero(label < 0)
        sizes = np.bincount(self.tuple_of[queue], minlength=count)
        alive = np.flatnonzero(sizes)
        sums, present, counts = running_sums(self.space, sizes)
        return State(
            self.tuple_of,
            self.kind,
            np.concatenate([[0], np.cumsum(sizes)])[:-1].astype(np.int64),
            sizes.astype(np.int64),
            queue,
            np.append(alive, np.zeros(count - alive.size, np.int64)),
            marks_of(self.tuple_of, self.kind, count),
            sums,
            present,
            counts,
            np.empty(count),
            label.copy(),
            np.zeros(clusters, np.bool_),
            np.zeros(clusters),
            np.array([queue.size, alive.size, 0, -1], np.int64),
            np.zeros(self.space.ancestors.shape[:2]),
            np.empty(count, np.int64),
            np.zeros(self.tests.width, np.int64),
        )

    def generated(self, k: int, *, two: bool, exchange: bool = True) -> Clusters:
        """Make clusters of k records; the last of up to 2k - 1. Without ``exchange``, and from two seeds, it is MDAV."""
        from likeness.methods._refining.kernels import RECORDS, generate

        size = self.problem.data.size
        state = self.begin(np.full(size, -1, np.int64), size // k + 1)
        over = False
        while not over:
            over = generate(self.space, self.tests, state, k, two, exchange, _WORK_A_STEP)
            self.problem.progress.step("cluster", size - int(state.numbers[RECORDS]), size)
        return self.made(state)

    def made(self, state: State) -> Clusters:
        """Give the clusters of a state."""
        from likeness.methods._refining.kernels import CLUSTERS

        made = int(state.numbers[CLUSTERS])
        return Clusters(self, state.label, state.holds[:made].copy(), state.excess[:made].copy())


@dataclass(frozen=True, eq=False)
class Clusters:
    """Clusters of records.

    ``label``: (n,) cluster of the record at each place, -1 for none. ``holds``, ``excess``: (E,) whether each is known to hold,
    and how far it is off.
    """

    table: LaidOutRecords
    label: NDArray[np.int64]
    holds: NDArray[np.bool_]
    excess: NDArray[np.float64]

    @property
    def by_record(self) -> NDArray[np.int64]:
        """(n,) Cluster of each record, in the order of the table."""
        found = np.empty(self.label.size, np.int64)
        found[self.table.order] = self.label
        return found

    def without(self, clusters: NDArray[np.int64]) -> Clusters:
        """Leave some clusters out: their records are in none."""
        kept = np.ones(self.holds.size, np.bool_)
        kept[clusters] = False
        number = np.where(kept, np.cumsum(kept) - 1, -1)
        return Clusters(self.table, number[self.label], self.holds[kept], self.excess[kept])

    def merged(self, loss: CellLoss, *, published: bool) -> Clusters:
        """Merge those that do not hold, the farthest off first: with any cluster (``published``), or among themselves.

        With any: where the loss grows least. Among themselves: where the union loses least. Losses are times records.
        """
        from likeness.methods._refining.kernels import merge
        from likeness.microdata.regions import geometry

        problem, shape = self.table.problem, geometry(self.table.problem.data.quasi, loss)
        merging = self._merging(shape)
        failing = int(np.count_nonzero(~self.holds))
        over = False
        while not over:
            over = merge(shape, self.table.tests, merging, published, _WORK_A_STEP)
            left = int(np.count_nonzero(~merging.holds & (merging.size > 0)))
            problem.progress.step("merge clusters", failing - left, failing)
        return self._of(merging)

    def merged_nearest(self, loss: CellLoss) -> Clusters:
        """Merge those that do not hold, the farthest off first, with the cluster whose centre is nearest.

        Algorithm 1 of Soria-Comas et al. 2015.
        """
        from likeness.methods._refining.kernels import merge_nearest, write_centres
        from likeness.microdata.regions import geometry

        problem, shape = self.table.problem, geometry(self.table.problem.data.quasi, loss)
        merging, space, of = self._merging(shape), self.table.space, self.table.tuple_of
        count = self.holds.size
        centres = space._replace(
            numbers=np.empty((count, space.numbers.shape[1])),
            categories=np.empty((count, space.categories.shape[1]), np.int32),
        )
        write_centres(space, of, merging, centres)
        failing = int(np.count_nonzero(~self.holds))
        over = False
        while not over:
            over = merge_nearest(space, of, shape, self.table.tests, merging, centres, _WORK_A_STEP)
            left = int(np.count_nonzero(~merging.holds & (merging.size > 0)))
            problem.progress.step("merge clusters", failing - left, failing)
        return self._of(merging)

    def _merging(self, shape: Geometry) -> Merging:
        from likeness.methods._refining.kernels import Merging, fill

        data = self.table.problem.data
        count, d = self.holds.size, len(data.quasi)
        merging = Merging(
            np.full(count, -1, np.int64),
            np.full(count, -1, np.int64),
            np.zeros(count, np.int64),
            np.full(data.size, -1, np.int64),
            np.zeros(count, np.bool_),
            np.zeros(count),
            np.full((count, d), np.iinfo(np.int32).max, np.int32),
            np.full((count, d), -1, np.int32),
            np.zeros((count, int(shape.word[-1])), np.uint64),
            np.zeros((count, d)),
            self.table.kind,
            np.ascontiguousarray(data.codes[:, self.table.order]),
            np.zeros(self.table.tests.width, np.int64),
            np.full(1, -1, np.int64),
            np.zeros(self.table.tests.width, np.int64),
        )
        fill(shape, self.table.tests, merging, self.label)
        return merging

    def _of(self, merging: Merging) -> Clusters:
        from likeness.methods._refining.kernels import labels

        kept = merging.size > 0
        label = labels(merging.head, merging.next, self.label.size)
        return Clusters(self.table, label, merging.holds[kept], merging.excess[kept])

    def grown(self, k: int) -> Clusters:
        """Let the cluster that is off most take records of the others that do not hold, nearest first, until it holds.

        Then the next begins with the record farthest from it (the incremental approach, Amiri et al. 2016, Algorithm 4); of all
        made so at most the last does not hold.
        """
        from likeness.methods._refining.kernels import CLUSTERS, RECORDS, SEED, grow_one_by_one

        failing = np.flatnonzero(~self.holds)
        if failing.size == 0:
            return self
        worst = failing[np.argmax(self.excess[failing])]
        first = np.flatnonzero(self.label == worst)
        free = ~self.holds[self.label]
        number = np.cumsum(self.holds) - 1
        label = np.where(free, -1, number[self.label])
        kept = int(np.count_nonzero(self.holds))
        asked = label.copy()
        asked[first] = kept
        left = int(np.count_nonzero(asked < 0))
        state = self.table.begin(asked, kept + left // k + 2)
        for sums in (state.sums, state.present, state.counts):
            sums[:] = 0
        state.holds[:kept] = True
        state.numbers[CLUSTERS], state.numbers[SEED] = kept, 0
        over = False
        while not over:
            over = grow_one_by_one(self.table.space, self.table.tests, state, first, k, _WORK_A_STEP)
            first = np.zeros(0, np.int64)
            self.table.problem.progress.step("grow clusters", left - int(state.numbers[RECORDS]), left)
        made = int(state.numbers[CLUSTERS]) + 1
        return Clusters(self.table, state.label, state.holds[:made].copy(), np.zeros(made))
