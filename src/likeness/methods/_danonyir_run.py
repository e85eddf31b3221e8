"""One run of DAnonyIR: the kernels called in steps that can be watched and interrupted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.kernels.danonyir import State
    from likeness.methods._base import Problem
    from likeness.methods._danonyir_limits import Asked
    from likeness.methods._danonyir_space import Space
    from likeness.progress import Progress

_LOOKS_A_STEP = 20_000_000
_STEP = 100


class Run:
    """A clustering under way.

    Parameters
    ----------
    space
        The individuals.
    asked
        What every class must hold.
    order : (n,) int64
        All individuals, in the order in which those that are left begin classes.
    decided : int8, optional
        Decisions of an earlier run from the same order, to be taken again without deciding (to time what deciding costs).
    classes : (n,) int64, optional
        Classes that are made already, numbered from 0 without gaps; everybody else (-1) is left over.
    """

    def __init__(
        self,
        space: Space,
        asked: Asked,
        order: NDArray[np.int64],
        decided: NDArray[np.int8] | None = None,
        classes: NDArray[np.int64] | None = None,
    ) -> None:
        from likeness.kernels.danonyir import begin, restore
        from likeness.kernels.danonyir_tests import REASONING, tally

        self.space, self.asked, self.order = space, asked, order
        witness = max(0, int(asked.limits[REASONING]) - 1)
        room = tally(order.size, asked.values, asked.width, witness)
        smallest = asked.smallest
        if classes is not None:
            smallest = max(1, order.size // (int(classes.max(initial=0)) + 1))
        self.state: State = begin(space.profiles, space.crowd, room, smallest)
        if classes is not None:
            restore(space.geometry, space.profiles, asked.sets, self.state, classes)
        self.replay = decided is not None
        if decided is not None:
            self.state.decided[: decided.size] = decided
        self.left_over = 0
        self.joined = 0
        self.kept: NDArray[np.int64] | None = None

    @property
    def most(self) -> np.int64 | np.float64:
        """More than any distance, of the losses' type."""
        return np.int64(1 << 62) if self.space.exact else np.float64(np.inf)

    def cluster(self, progress: Progress) -> None:
        """Make classes until nobody is left who could begin one."""
        from likeness.kernels.danonyir import LEFT, go_on

        space, asked, total, over = self.space, self.asked, self.order.size, False
        while not over:
            over = go_on(
                space.geometry,
                space.profiles,
                asked.sets,
                self.order,
                asked.limits,
                asked.laid.functions,
                asked.laid.shape,
                asked.laid.integers,
                asked.laid.reals,
                self.state,
                self.most,
                space.exact,
                self.replay,
                _LOOKS_A_STEP,
            )
            progress.step("cluster", total - int(self.state.numbers[LEFT]), total)

    @property
    def rest(self) -> NDArray[np.int64]:
        """The individuals of the last class, if it does not hold, in the order they joined it."""
        from likeness.kernels.danonyir import PHASE, STUCK
        from likeness.kernels.danonyir_tests import COUNT

        if self.state.numbers[PHASE] != STUCK:
            return np.zeros(0, np.int64)
        tally = self.state.tally
        return tally.people[: int(tally.numbers[COUNT])].copy()

    def place_the_rest(self, problem: Problem) -> tuple[list[int], list[int]]:
        """Let everybody left over join the nearest class that holds with them, unless it costs as much as withholding them.

        Where more would be withheld than the policy allows, those join after all who cost the least beyond that, and those with
        whom no class holds become one with the classes nearest to them, as many as it takes.

        Returns
        -------
        dear, alone
            Those whom every class that holds with them costs too much, and those with whom no class holds.
        """
        space, records = self.space, self.space.crowd.records
        everything = space.geometry.most.sum() if space.exact else sum(space.geometry.most.tolist())
        rest = self.rest
        self.left_over = rest.size
        self._count()
        grows = all(one.closed_under_adding for one in problem.requirements)
        dear: list[int] = []
        alone: list[int] = []
        beyond: list[float] = []
        for number, person in enumerate(rest.tolist()):
            if number % _STEP == 0:
                problem.progress.step("join leftovers", number, rest.size)
            row, apart = self._nearest(person, grows=grows)
            limit = records[person] * everything
            if row < 0:
                alone.append(person)
            elif apart < limit or apart == 0:
                self._join(row, person)
            else:
                dear.append(person)
                beyond.append(float(apart - limit))
        excess = len(dear) + len(alone) - max(0, problem.allowance)
        for at in np.argsort(beyond, kind="stable")[: max(0, excess)].tolist():
            row, _ = self._nearest(dear[at], grows=grows)
            if row >= 0:
                self._join(row, dear[at])
                dear[at] = -1
        dear = [person for person in dear if person >= 0]
        if alone and len(dear) + len(alone) > max(0, problem.allowance) and self._take_classes(alone):
            alone = []
        return dear, alone

    def _take_classes(self, people: list[int]) -> bool:
        """Make a class of individuals and the classes nearest to them; whether that holds, else nothing changes."""
        from likeness.kernels.danonyir import take_classes

        space, asked, laid, before = self.space, self.asked, self.asked.laid, self.labels()
        if take_classes(
            space.geometry,
            space.profiles,
            asked.sets,
            asked.limits,
            laid.functions,
            laid.shape,
            laid.integers,
            laid.reals,
            self.state,
            np.array(people, np.int64),
            self.most,
        ):
            self.joined += len(people)
            return True
        self.kept = before
        return False

    def _count(self) -> None:
        """Count the classes as they are now, one behind the other."""
        from likeness.kernels.danonyir import pack
        from likeness.kernels.danonyir_counts import count_classes

        pack(self.state)
        label, records = self.labels(), self.space.crowd.records
        self.filled = np.bincount(label + 1)[1:].astype(np.int64)
        self.counts = count_classes(self.asked.sets, records, label, self.filled.size, self.asked.values)

    def _nearest(self, person: int, *, grows: bool) -> tuple[int, Any]:
        """Row of the nearest class that holds with an individual, -1 when there is none; and how far it is."""
        from likeness.kernels.danonyir_rest import nearest_with

        space, asked, laid = self.space, self.asked, self.asked.laid
        row, apart = nearest_with(
            space.geometry, space.profiles, asked.sets, asked.limits, laid.functions, laid.shape, laid.integers,
            laid.reals, self.state, self.counts, self.filled, person, grows, self.most,
        )  # fmt: skip
        return int(row), apart

    def _join(self, row: int, person: int) -> None:
        """Let an individual join a class."""
        from likeness.kernels.danonyir import join
        from likeness.kernels.danonyir_counts import enter

        join(self.space.geometry, self.space.profiles, self.state, row, person)
        enter(self.asked.sets, self.space.crowd.records, self.counts, row, person)
        self.filled[row] += 1
        self.joined += 1

    def distances_of_classes(self, row: int) -> NDArray[Any]:
        """Find how far a class is from each; from itself, farther than from any."""
        from likeness.kernels.danonyir import ROWS
        from likeness.kernels.danonyir_hulls import apart

        state, sizes, geometry = self.state, self.state.sizes, self.space.geometry
        away: NDArray[Any] = np.full(int(state.numbers[ROWS]), self.most, self.space.profiles.parts.dtype)
        for other in range(away.size):
            if other != row:
                away[other] = apart(
                    geometry,
                    state.crowd.attributes,
                    state.classes,
                    row,
                    sizes[row],
                    state.classes,
                    other,
                    sizes[other],
                )
        return away

    def labels(self) -> NDArray[np.int64]:
        """(n,) Class of each individual, -1 for those in none."""
        from likeness.kernels.danonyir import labels

        if self.kept is not None:
            return self.kept
        return np.asarray(labels(self.state), np.int64)

    def history(self) -> dict[str, Any]:
        """Say what happened."""
        from likeness.kernels.danonyir import MERGED
        from likeness.kernels.danonyir_tests import SEARCHES

        return {
            "losses": "whole numbers" if self.space.exact else "floating point",
            "classes taken into others": int(self.state.numbers[MERGED]),
            "individuals left over": self.left_over,
            "of these joined to classes": self.joined,
            "hitting sets searched": int(self.state.tally.numbers[SEARCHES]),
        }
