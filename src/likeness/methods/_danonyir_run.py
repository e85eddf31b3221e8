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
    """

    def __init__(
        self, space: Space, asked: Asked, order: NDArray[np.int64], decided: NDArray[np.int8] | None = None
    ) -> None:
        from likeness.kernels.danonyir import begin
        from likeness.kernels.danonyir_tests import REASONING, tally

        self.space, self.asked, self.order = space, asked, order
        witness = max(0, int(asked.limits[REASONING]) - 1)
        self.state: State = begin(
            space.profiles, space.crowd, tally(order.size, asked.values, asked.width, witness), asked.smallest
        )
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
        from likeness.kernels.danonyir import ROWS

        space = self.space
        grows = all(one.closed_under_adding for one in problem.requirements)
        apart = np.zeros(max(1, int(self.state.numbers[ROWS])), space.profiles.parts.dtype)
        everything = space.geometry.most.sum() if space.exact else sum(space.geometry.most.tolist())
        rest = self.rest
        self.left_over = rest.size
        dear: list[int] = []
        alone: list[int] = []
        beyond: list[float] = []
        for number, person in enumerate(rest.tolist()):
            if number % _STEP == 0:
                problem.progress.step("join leftovers", number, rest.size)
            row = self._nearest(person, apart, grows=grows)
            limit = space.crowd.records[person] * everything
            if row < 0:
                alone.append(person)
            elif apart[row] < limit:
                self._join(row, person)
            else:
                dear.append(person)
                beyond.append(float(apart[row] - limit))
        excess = len(dear) + len(alone) - max(0, problem.allowance)
        for at in np.argsort(beyond, kind="stable")[: max(0, excess)].tolist():
            row = self._nearest(dear[at], apart, grows=grows)
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

    def _nearest(self, person: int, apart: NDArray[Any], *, grows: bool) -> int:
        """Row of the nearest class that holds with an individual, -1 when there is none; fills in how far the classes are."""
        from likeness.kernels.danonyir import distances

        apart[:] = self.most
        distances(self.space.geometry, self.space.profiles, self.state, person, apart, self.most)
        while True:
            row = int(np.argmin(apart))
            if apart[row] == self.most:
                return -1
            if grows or self._would_hold(row, person):
                return row
            apart[row] = self.most

    def _join(self, row: int, person: int) -> None:
        """Let an individual join a class."""
        from likeness.kernels.danonyir import join

        join(self.space.geometry, self.space.profiles, self.state, row, person)
        self.joined += 1

    def _would_hold(self, row: int, person: int) -> bool:
        """Whether a class holds with one more individual."""
        from likeness.kernels.danonyir import would_hold

        asked, laid = self.asked, self.asked.laid
        return bool(
            would_hold(
                asked.sets,
                asked.limits,
                laid.functions,
                laid.shape,
                laid.integers,
                laid.reals,
                self.state,
                row,
                person,
            )
        )

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
