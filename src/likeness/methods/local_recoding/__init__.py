"""Best-first local recoding: publish first what can be published with the least generalization.

Every record is generalized to one of the level vectors of full-domain generalization, but different records to different
ones: vectors are visited in the order of what they lose, and at each the groups that hold are taken out of the table
before the next is tried. Where attributes have coarse hierarchies this loses less than cutting top down, which commits to an
attribute's split before it knows who will be alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from math import prod
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.checks import choice, whole
from likeness.methods.base import Method, Problem, cells_at_most, joint_views, recode_parts_that_hold
from likeness.methods.mondrian import Mondrian
from likeness.microdata.grouping import group_codes
from likeness.microdata.levels import Ladder, ladder, most_levels, vectors_by_loss
from likeness.microdata.regions import LOSSES, attribute_weights
from likeness.models.base import SensitiveModel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.kernels.class_tests import LaidOutTests
    from likeness.microdata.data import Microdata
    from likeness.microdata.plan import Plan
    from likeness.models.base import PrivacyModel
    from likeness.models.requirements import Requirement

_VISITS_A_STEP = 256


@dataclass(frozen=True)
class LocalRecoding(Method):
    """Generalize every record no further than it takes to join a class that holds: vectors of levels, least loss first.

    Parameters
    ----------
    loss
        The information loss that orders the vectors: ``ncp``, ``glm`` or ``iloss``.
    most_vectors
        How many level vectors to visit. Each visit groups the records that are still left.

    Notes
    -----
    What is left after the last vector - few records, unless ``most_vectors`` ended the search, as it does with many columns - is
    joined with the most general classes where it does not hold by itself, and cut top down, as `likeness.Mondrian` does. The
    private history keeps how many vectors were visited and how many records were left; a search that was ended says so.

    Levels are those of the hierarchy; plain sets have two (exact, anything), numbers without a hierarchy double the run of
    neighbouring values from level to level. Published regions are tight, so a class may show less than its vector.

    References
    ----------
    The recoding is that of ARX's local transformation (Prasser et al. 2020), ordered by loss instead of found by
    repeated full-domain searches.

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
    candidate: ClassVar[bool] = True

    def __post_init__(self) -> None:
        choice(self.name, "loss", self.loss, tuple(LOSSES))
        whole(self.name, "most_vectors", self.most_vectors, at_least=1)

    @property
    def ignores_order(self) -> bool:
        """Always: what is taken out together is a matter of levels alone."""
        return True

    @property
    def keeps_copies(self) -> bool:
        """Always: groups at a vector of levels are taken out whole, and the rest is cut strictly."""
        return True

    def work(self, data: Microdata, requirements: tuple[Requirement, ...]) -> int:
        """Every vector of levels looks at all attributes of the cells that are left, and has a neighbour for each attribute."""
        vectors = min(self.most_vectors, prod(most_levels(domain) for domain in data.quasi))
        cells = cells_at_most(data, requirements)
        attributes = max(1, len(data.quasi))
        return (vectors + 40 * cells.bit_length()) * cells * attributes + 60 * vectors * attributes**2

    def suffices(self, models: tuple[PrivacyModel, ...]) -> bool:
        """Where values do not matter."""
        return not any(isinstance(model, SensitiveModel) for model in models)

    def run(self, problem: Problem) -> Plan:
        """Take out groups that hold, vector by vector; parts that cannot hold as a whole are withheld."""
        return recode_parts_that_hold(problem, partial(self._recode, problem))

    def _recode(
        self, problem: Problem, records: NDArray[np.int64], parts: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], dict[str, int]]:
        """Class of each of the records; and what to keep for the steward."""
        from likeness.kernels.class_tests import lay_out

        data = problem.data
        views, tests, width = joint_views(problem)
        copies = None if data.copies is None else data.copies[records]
        tuples = group_codes(data.codes[:, records], [domain.codes for domain in data.quasi])
        radices = [tuples.count, *([max(width, 1)] * len(views)), int(parts.max()) + 1]
        cells = group_codes([tuples.of, *views[:, records], parts], radices, copies)
        # Classes are numbered as cells are met.
        cells = cells.sorted_by([parts, *data.codes[:, records], *views[:, records]])
        first = records[cells.first]
        loss = LOSSES[self.loss]
        weights = attribute_weights(data.quasi)
        ladders = [
            ladder(domain, loss, weight, codes[first], cells.sizes)
            for domain, weight, codes in zip(data.quasi, weights, data.codes, strict=True)
        ]
        table = _Combinations(
            ladders, cells.sizes, np.ascontiguousarray(views[:, first].T), parts[cells.first], width
        )
        laid = lay_out(tests)
        label, taken, visited = self._take_out(problem, table, laid)
        left = int(np.count_nonzero(label[cells.of] < 0))
        if visited == self.most_vectors and left:
            problem.progress.note(
                f"{self.name}: {visited:,} vectors of levels were visited (most_vectors), and {left:,} of {data.size:,} "
                f"{problem.word} are in none of their classes; they are cut top down"
            )
        rests = _with_partners(table, laid, label)[cells.of]
        classes = label[cells.of]
        there = np.flatnonzero(rests >= 0)
        if there.size:
            cuts, asked = Mondrian(loss=self.loss), replace(problem, loss=loss)
            classes[there] = taken + cuts.partition(asked, records[there], rests[there])
        return classes, {"visited": visited, "rest": left}

    def _take_out(
        self, problem: Problem, table: _Combinations, tests: LaidOutTests
    ) -> tuple[NDArray[np.int64], int, int]:
        """Class of each cell, -1 for those that no vector took; the number of classes, and of vectors that were visited."""
        from likeness.methods.local_recoding.kernels import LEFT, TAKEN, VISITED, take_out

        size = table.sizes.size
        label, left = np.full(size, -1, np.int64), np.arange(size)
        state = np.zeros(3, np.int64)
        state[LEFT] = size
        groups, radices = table.stacked()
        vectors = islice(vectors_by_loss(table.ladders), self.most_vectors)
        while state[LEFT] and (some := list(islice(vectors, _VISITS_A_STEP))):
            take_out(
                tests.functions,
                tests.shape,
                tests.integers,
                tests.reals,
                tests.smallest,
                groups,
                radices,
                table.rows_of(some),
                table.places,
                table.sizes,
                table.width,
                label,
                left,
                state,
            )
            problem.progress.step("take out what holds", size - int(state[LEFT]), size)
        return label, int(state[TAKEN]), int(state[VISITED])


@dataclass(frozen=True, eq=False)
class _Combinations:
    """Distinct combinations of codes, and how to group them at a vector of levels."""

    ladders: list[Ladder]
    sizes: NDArray[np.int64]
    places: NDArray[np.int32]
    parts: NDArray[np.int64]
    width: int

    def stacked(self) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Group of each cell at every level of every attribute, with the parts behind them; and how many groups each has."""
        rows = [group for own in self.ladders for group in own.group]
        radices = [count for own in self.ladders for count in own.groups]
        return np.array([*rows, self.parts], np.int32), np.array([*radices, int(self.parts.max()) + 1])

    def rows_of(self, vectors: list[tuple[int, ...]]) -> NDArray[np.int64]:
        """(vectors, attributes + 1) Rows of the stacked groups that vectors of levels combine, the parts last."""
        begins = np.cumsum([0, *(len(own.group) for own in self.ladders)])
        levels = np.array(vectors, np.int64).reshape(len(vectors), len(self.ladders))
        ends = np.full((len(vectors), 1), begins[-1])
        return np.ascontiguousarray(np.hstack([begins[:-1] + levels, ends]).astype(np.int64))


def _with_partners(table: _Combinations, tests: LaidOutTests, label: NDArray[np.int64]) -> NDArray[np.int64]:
    """(cells,) Join the cells of each part that are left with its most general classes until they hold: number of the part.

    ``label`` (cells,) are classes, -1 for what is left. -1 for cells that stay in their class. Where all classes of a part are
    joined it is whole, and holds.
    """
    from likeness.methods.local_recoding.kernels import classes_to_join

    rests = np.full(label.size, -1, np.int64)
    for number, part in enumerate(np.unique(table.parts[label < 0]).tolist()):
        inside = np.flatnonzero(table.parts == part)
        # Classes were numbered as they were taken out: the last is the most general. What is left comes first.
        rank = np.where(label[inside] < 0, np.iinfo(np.int64).max, label[inside])
        order = inside[np.argsort(-rank, kind="stable")]
        begins = np.flatnonzero(np.diff(label[order], prepend=-2))
        starts = np.append(begins, order.size)
        joined = classes_to_join(
            tests.functions,
            tests.shape,
            tests.integers,
            tests.reals,
            tests.smallest,
            order,
            starts,
            table.places,
            table.sizes,
            table.width,
        )
        rests[order[: starts[joined]]] = number
    return rests
