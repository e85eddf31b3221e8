"""Mondrian (LeFevre et al. 2006): cut the quasi-identifier space in two, again and again, while both sides hold.

The paper cuts the widest dimension at its median. The default here looks at every dimension and every cut position and
takes the allowed cut that lowers the size-weighted information loss most. Under β-likeness, δ-disclosure and
t-closeness it is LMondrian, DMondrian and tMondrian of Cao & Karras 2012 (section 6).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.checks import choice
from likeness.errors import PolicyError, Refusal
from likeness.methods.base import PART_FAILS, TABLE_FAILS, Method, Problem, cells_at_most, joint_views
from likeness.microdata.grouping import group_codes
from likeness.microdata.plan import Plan, renumber

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.microdata.data import Microdata
    from likeness.microdata.domain import Domain
    from likeness.models.requirements import Requirement

_CUTS = ("least-loss", "all", "widest", "utd")


@dataclass(frozen=True)
class Mondrian(Method):
    """Cut the table top down into classes, by the allowed cut that lowers the information loss most.

    Parameters
    ----------
    cut
        ``least-loss`` (default): over all dimensions and positions - thresholds for ordered values, children of a
        hierarchy node, one value or child against the rest, frequency-ordered prefixes of plain sets - the allowed cut
        that lowers the size-weighted loss most. ``widest``: the median of the widest dimension, as the paper;
        ``all``: as ``widest``, with the next dimension when a cut is not allowed. ``utd``: as the UTD Anonymization Toolbox,
        with which Sarrafi Aghdam & Sonehara 2016 compare:
        ``all``, where widths are those of the cuts made so far (half-open: from the cut
        below to the one above) and the published regions are bounded by these, instead of tight hulls.
    strict
        Records with equal values stay together. With False (``widest`` and ``all`` only) records at the median
        are dealt so that both halves are equal: relaxed Mondrian.
    loss
        The information loss that ``least-loss`` lowers: ``glm``, ``ncp`` or ``iloss``.

    References
    ----------
    LeFevre, DeWitt & Ramakrishnan 2006, "Mondrian multidimensional k-anonymity".

    Examples
    --------
    >>> Mondrian(cut="widest")
    Mondrian(cut='widest', strict=True, loss='glm')
    """

    cut: str = "least-loss"
    strict: bool = True
    loss: str = "glm"

    name: ClassVar[str] = "mondrian"
    forms: ClassVar[tuple[str, ...]] = ("identity-reserved",)
    takes_individuals: ClassVar[bool] = True
    takes_parts: ClassVar[bool] = True
    candidate: ClassVar[bool] = True

    def __post_init__(self) -> None:
        choice(self.name, "cut", self.cut, _CUTS)
        choice(self.name, "loss", self.loss, ("glm", "ncp", "iloss"))
        if not self.strict and self.cut in {"least-loss", "utd"}:
            raise PolicyError(
                Refusal(
                    f"strict: false deals records at the median, which {self.cut!r} does not do; use widest or all",
                    (self.name,),
                )
            )

    @property
    def ignores_order(self) -> bool:
        """True of strict cuts; relaxed ones deal records in their order."""
        return self.strict

    @property
    def keeps_copies(self) -> bool:
        """True of strict cuts."""
        return self.strict

    @property
    def bounds_regions(self) -> bool:
        """True of ``utd``: regions are products of cuts."""
        return self.cut == "utd"

    @property
    def cuts_from_above(self) -> bool:
        """True of strict cuts, save ``utd``'s: these depend on the cuts before, and relaxed ones on the order of the records."""
        return self.strict and self.cut != "utd"

    def work(self, data: Microdata, requirements: tuple[Requirement, ...]) -> int:
        """Every attribute's cuts are weighed by the hulls of all: about as many rounds as the cells can be halved."""
        cells, attributes = cells_at_most(data, requirements), max(1, len(data.quasi))
        # Of few attributes what is done once for each takes longer than the pairs.
        return cells * attributes * max(40, 8 * attributes) * cells.bit_length()

    def run(self, problem: Problem) -> Plan:
        """Partition the records; parts that cannot hold the requirements are withheld."""
        data = problem.data
        parts = np.zeros(data.size, np.int64) if problem.parts is None else problem.parts
        count = int(parts.max(initial=-1)) + 1
        good = problem.holding(parts, count)
        if not good.all():
            failing = ~good[parts]
            plan = Plan(renumber(np.where(failing, -1, parts)))
            reason = PART_FAILS if count > 1 else TABLE_FAILS
            because = {reason: int(failing.sum())} if failing.any() else {}
            plan = Plan(plan.classes, because=because)
            kept = np.flatnonzero(~failing)
            if kept.size == 0:
                return plan
            if self.cut == "utd":
                return replace(self._cut_by_bounds(problem, kept, plan.classes[kept]), because=because)
            classes = np.full(data.size, -1, np.int64)
            classes[kept] = self.partition(problem, kept, plan.classes[kept])
            return Plan(classes, because=because)
        if self.cut == "utd":
            return self._cut_by_bounds(problem, np.arange(data.size), parts)
        return Plan(self.partition(problem, None, parts))

    def _cut_by_bounds(self, problem: Problem, records: NDArray[np.int64], parts: NDArray[np.int64]) -> Plan:
        """Classes of records whose regions are bounded by cuts, as the UTD toolbox makes them."""
        from likeness.kernels.class_tests import lay_out
        from likeness.kernels.present_tests import of_present
        from likeness.methods.mondrian.kernels.cuts import node_histograms
        from likeness.methods.mondrian.kernels.utd_cuts import partition

        data = problem.data
        views, tests, width = joint_views(problem)
        cells = group_codes(
            [data.tuples.of[records], *views[:, records], parts],
            [data.tuples.count, *([max(width, 1)] * len(views)), int(parts.max()) + 1],
            None if data.copies is None else data.copies[records],
        )
        first = records[cells.first]
        order = np.argsort(parts[cells.first], kind="stable").astype(np.int64)
        starts = np.searchsorted(parts[cells.first][order], np.arange(int(parts.max()) + 2)).astype(np.int64)
        codes = np.ascontiguousarray(data.codes[:, first])
        label = np.empty(first.size, np.int64)
        bounds = _bounds_of_parts(data, codes, parts[cells.first])
        laid = lay_out(tests)
        ranks, histograms = node_histograms(views[:, first], width, 1)
        partition(
            codes,
            _places(data.quasi),
            ranks,
            cells.sizes,
            of_present(laid),
            laid.smallest,
            histograms,
            order,
            starts,
            label,
            bounds,
        )
        classes = np.full(data.size, -1, np.int64)
        classes[records] = label[cells.of]
        of_records = np.stack([data.codes, data.codes])
        of_records[:, :, records] = bounds[:, :, cells.of]
        return Plan(classes, bounds=of_records)

    def partition(
        self, problem: Problem, records: NDArray[np.int64] | None, parts: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Cut classes that hold into smaller ones.

        Parameters
        ----------
        problem
            The records and requirements.
        records : (r,) int64, optional
            The records to cut; left out, all.
        parts : (r,) int64
            Their classes, numbered from 0, all of which hold.

        Returns
        -------
        (r,) int64
            Their new classes.
        """
        from likeness.kernels.class_tests import lay_out
        from likeness.kernels.present_tests import of_present
        from likeness.methods.mondrian.kernels import cuts
        from likeness.microdata.regions import geometry

        data = problem.data
        views, tests, width = joint_views(problem)
        codes = data.codes
        if records is not None:
            codes, views = codes[:, records], views[:, records]
        copies = data.copies
        if records is not None and copies is not None:
            copies = copies[records]
        radices = [domain.codes for domain in data.quasi]
        tuples = data.tuples if records is None else group_codes(codes, radices, copies)
        cell_of, first, weights = tuples.of, tuples.first, tuples.sizes
        if not self.strict:
            size = codes.shape[1]
            cell_of, first, weights = np.arange(size), np.arange(size), np.ones(size, np.int64)
        elif views.shape[0] or parts.max(initial=0) > 0:
            cells = group_codes(
                [tuples.of, *views, parts],
                [tuples.count, *([max(width, 1)] * len(views)), int(parts.max()) + 1],
                copies,
            )
            cell_of, first, weights = cells.of, cells.first, cells.sizes
        cell_part = parts[first]
        order = np.argsort(cell_part, kind="stable")
        starts = np.searchsorted(cell_part[order], np.arange(int(parts.max(initial=-1)) + 2))
        shape = geometry(data.quasi, problem.loss)
        laid = lay_out(tests)
        label = np.zeros(first.shape[0], np.int64)
        most = int(shape.values.max(initial=1))
        ranks, histograms = cuts.node_histograms(views[:, first], width, most)
        cuts.partition(
            of_present(laid),
            laid.smallest,
            shape,
            np.ascontiguousarray(codes[:, first]),
            weights,
            ranks,
            order.astype(np.int64),
            starts.astype(np.int64),
            {"widest": cuts.WIDEST, "all": cuts.ALL, "least-loss": cuts.LEAST_LOSS}[self.cut],
            not self.strict,
            cuts.scratch(most, len(data.quasi), int(shape.word[-1]), 0),
            histograms,
            label,
        )
        return label[cell_of]


def _places(quasi: tuple[Domain, ...]) -> NDArray[np.float64]:
    """(d, codes) Place of every code on its axis from 0 to 1; categories stand in the order of their codes."""
    found = np.zeros((len(quasi), max((domain.codes for domain in quasi), default=1)))
    for j, domain in enumerate(quasi):
        # The missing value lies beyond the last one.
        own = domain.places(0.0)
        found[j, : domain.codes] = np.where(
            np.arange(domain.codes) < domain.size, own, own.max(initial=0.0) + 1
        )
    return found


def _bounds_of_parts(
    data: Microdata, codes: NDArray[np.int32], parts: NDArray[np.int64]
) -> NDArray[np.int32]:
    """(2, d, cells) Smallest and largest code of the part that each cell is in: of the domain, where there is one part."""
    if parts.max(initial=0) == 0:
        whole = np.array([domain.codes - 1 for domain in data.quasi], np.int32)[:, None]
        return np.stack([np.zeros_like(codes), np.broadcast_to(whole, codes.shape)]).copy()
    order = np.argsort(parts, kind="stable")
    starts = np.flatnonzero(np.diff(parts[order], prepend=-1))
    low, high = (
        np.minimum.reduceat(codes[:, order], starts, axis=1),
        np.maximum.reduceat(codes[:, order], starts, axis=1),
    )
    return np.stack([low[:, parts], high[:, parts]])
