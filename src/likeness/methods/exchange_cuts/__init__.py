"""Exchange cuts: the table is cut top down, and records change sides where a cut alone would leave a side that does not hold."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import chain
from os import cpu_count
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from likeness.checks import choice, whole
from likeness.errors import PolicyError, Refusal
from likeness.methods.base import PART_FAILS, TABLE_FAILS, Method, Problem, charged_loss, joint_views
from likeness.microdata.grouping import group_codes
from likeness.microdata.plan import Plan, renumber
from likeness.microdata.regions import LOSSES, geometry
from likeness.models.base import SensitiveModel
from likeness.models.beta_bounds import GainModel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.kernels.hulls import Geometry
    from likeness.methods.exchange_cuts.kernels import SideTests, Strata
    from likeness.microdata.data import Microdata
    from likeness.models.base import PrivacyModel
    from likeness.models.requirements import Requirement

_FIRST = ((8, False, False), (0, False, True), (2, False, False), (8, True, False), (4, False, False))
"""First passes: in sixteenths, how much more parts must be able to differ from their class; see `Pass`."""
_MANY = 300_000
"""Records that are cut unasked, over all runs: of larger tables only the first run is made."""
_LAST = (0, False, False)


@dataclass(frozen=True)
class ExchangeCuts(Method):
    """Cut the table top down, exchanging records between the sides of a cut, under any models of sensitive values.

    Every class is cut at the position of one attribute that lowers the loss most. Where a side would not hold, the other takes
    in some of its records: of every sensitive value (every combination of several) the *kept* side keeps no more than some share
    of what the class has, the largest share with which both hold, and those nearest the cut leave. At a small enough share
    the kept side is made up as the class is, which is why this finds cuts under t-closeness where Mondrian finds none.

    Parameters
    ----------
    loss
        The information loss that is lowered: ``ncp`` (default), ``glm`` or ``iloss``.
    runs
        How many ways to begin are tried, 1 to 5: left out, all, and of larger tables as many as cut 300,000 records in all.

    Notes
    -----
    Cuts that use up what a guarantee allows leave parts that cannot be cut again. So there are several runs of two passes, of
    which the one that loses least is kept. In the first pass parts must hold even if they differed from their class by 1 + r
    times as much as they do, in the second as they are. In the runs, in this order, r = 1/2; nobody is exchanged in the first
    pass; r = 1/8; r = 1/2 and shares of what the table has, where that is more; r = 1/4. They use all processors. Classes are
    judged by the class tests of the models, which are exact; a reserve is no guarantee.

    References
    ----------
    Cao & Karras 2012, section 4 (BUREL draws from every bucket in proportion to its size, which holds whatever the model is that
    compares with the whole); top-down and by cuts it is ours, as in `Burel`'s variant ``best`` for limits on gain alone.

    Examples
    --------
    >>> ExchangeCuts(loss="glm")
    ExchangeCuts(loss='glm', runs=None)
    """

    loss: str = "ncp"
    runs: int | None = None

    name: ClassVar[str] = "exchange-cuts"
    forms: ClassVar[tuple[str, ...]] = ("identity-reserved",)
    takes_individuals: ClassVar[bool] = True
    takes_parts: ClassVar[bool] = True
    candidate: ClassVar[bool] = True

    def __post_init__(self) -> None:
        choice(self.name, "loss", self.loss, tuple(LOSSES))
        if self.runs is not None:
            whole(self.name, "runs", self.runs, at_least=1, at_most=len(_FIRST))

    def check(self, requirements: tuple[Requirement, ...]) -> None:
        """Refuse guarantees that look at no sensitive value: there would be nothing to exchange for."""
        if all(one.view is None for one in requirements):
            what = "exchanges records for the sake of their sensitive values, and the guarantee looks at none; use mondrian"
            raise PolicyError(Refusal(what, (self.name,)))

    def work(self, data: Microdata, requirements: tuple[Requirement, ...]) -> int:
        """Every attribute's cuts are weighed by the hulls of all, then by what both sides hold of every value, in each run.

        As measured: its steps are longer under some models than under others, and no longer than those of moves under any.
        """
        attributes, values = max(1, len(data.quasi)), sum(one.view.values for one in requirements if one.view)
        weighed = attributes * (8 * attributes + min(values, 200))
        return 4 * (1 + len(self._begun(data.size))) * data.size * weighed * data.size.bit_length() // 3

    def always_tried(self, models: tuple[PrivacyModel, ...], records: int, *, served: bool) -> bool:
        """Where nothing else cuts so: of many records under limits on gain alone `Burel`, which exchanges, too, loses less.

        Measured on Adult, a census and a hospital, of 300,000 records to a million: 11 to 19 % less.
        """
        looking = [model for model in models if isinstance(model, SensitiveModel)]
        return not served or records <= _MANY or not all(isinstance(model, GainModel) for model in looking)

    def suffices(self, models: tuple[PrivacyModel, ...]) -> bool:
        """Where values are to be mixed: it mixes them already."""
        return any(isinstance(model, SensitiveModel) for model in models)

    def _begun(self, size: int) -> tuple[tuple[int, bool, bool], ...]:
        """First passes of a table of so many records."""
        return _FIRST[: self.runs or max(1, _MANY // max(1, size))]

    def run(self, problem: Problem) -> Plan:
        """Cut the records; parts that cannot hold the requirements are withheld."""
        data = problem.data
        parts = np.zeros(data.size, np.int64) if problem.parts is None else problem.parts
        count = int(parts.max(initial=-1)) + 1
        failing = ~problem.holding(parts, count)[parts]
        because = {PART_FAILS if count > 1 else TABLE_FAILS: int(failing.sum())} if failing.any() else {}
        kept = np.flatnonzero(~failing)
        if not kept.size:
            return Plan(np.full(data.size, -1, np.int64), because=because)
        return Plan(self._cut(problem, kept, parts[kept]), because=because)

    def _cut(self, problem: Problem, kept: NDArray[np.int64], parts: NDArray[np.int64]) -> NDArray[np.int64]:
        """(n,) The classes of the run that loses least; -1 for records that are not kept."""
        asked = replace(problem, loss=LOSSES[self.loss])
        table = _CutTable.of(asked, kept)

        def run(way: tuple[int, bool, bool]) -> NDArray[np.int64]:
            classes = np.full(problem.data.size, -1, np.int64)
            classes[kept] = table.cut(table.cut(parts, way), _LAST)
            return classes

        best, least = None, np.inf
        first, *others = table.different(self._begun(kept.size))
        with ThreadPoolExecutor(max(1, cpu_count() or 1)) as workers:
            # The first compiles or loads what all of them run.
            runs = chain([run(first)], workers.map(run, others))
            for number, classes in enumerate(runs):
                problem.progress.step("cut classes", number, 1 + len(others))
                lost = charged_loss(asked, Plan(classes))
                if best is None or lost < least:
                    best, least = classes, lost
        assert best is not None  # noqa: S101  # there are runs
        return renumber(best)


class _CutTable(NamedTuple):
    """The records that are cut, laid out for the kernels."""

    geometry: Geometry
    tests: SideTests
    of_shares: SideTests
    strata: Strata
    codes: NDArray[np.int32]
    width: int

    @classmethod
    def of(cls, problem: Problem, kept: NDArray[np.int64]) -> _CutTable:
        """Lay out some records of a problem."""
        from likeness.kernels.class_excess import is_of_shares
        from likeness.kernels.class_tests import lay_out
        from likeness.methods.exchange_cuts.kernels import SideTests, Strata

        data = problem.data
        views, tests, width = joint_views(problem)
        groups = group_codes(list(views[:, kept]), [max(width, 1)] * len(views))
        shape = geometry(data.quasi, problem.loss)
        return cls(
            shape,
            SideTests.of(lay_out(tests)),
            SideTests.of(lay_out([test for test in tests if is_of_shares(test)])),
            Strata(groups.of, np.ascontiguousarray(views[:, kept[groups.first]].T, np.int64), groups.sizes),
            np.ascontiguousarray(data.codes[:, kept]),
            width,
        )

    def different(self, ways: tuple[tuple[int, bool, bool], ...]) -> tuple[tuple[int, bool, bool], ...]:
        """Leave out ways that find what others find: a reserve is about shares, and nothing else."""
        if len(self.of_shares.shape):
            return ways
        return tuple(dict.fromkeys((0, as_table, strict) for _, as_table, strict in ways))

    def cut(self, parts: NDArray[np.int64], way: tuple[int, bool, bool]) -> NDArray[np.int64]:
        """(r,) Classes of the records, cut from parts that hold; ``way`` makes a `Pass`."""
        from likeness.kernels.node_summary import scratch
        from likeness.methods.exchange_cuts.kernels import Pass, cut_with_exchanges, room

        members = np.argsort(parts, kind="stable")
        starts = np.searchsorted(parts[members], np.arange(int(parts.max()) + 2))
        label = np.empty(parts.size, np.int64)
        shape = self.geometry
        space = scratch(int(shape.values.max(initial=1)), shape.kind.size, int(shape.word[-1]), 1)
        work = room(parts.size, self.strata.records.size, self.width)
        laid = shape, self.tests, self.of_shares, self.strata, self.codes
        cut_with_exchanges(*laid, members, starts, Pass(*way), space, work, label)
        return label
