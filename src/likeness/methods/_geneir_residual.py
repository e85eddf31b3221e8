"""GeneIR's last step: whoever is left joins the closest class, or is withheld where that loses no more."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from likeness.methods._base import joint_views

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.kernels.class_tests import LaidOutTests
    from likeness.kernels.geneir import Classes
    from likeness.methods._geneir_climb import Climb

_CELLS = 1 << 26
"""Largest number of counts that are held at once (512 MB)."""
_WORK = 1 << 24
"""Distances from one report of progress to the next."""

NO_CLASS = "no group of equal regions holds the guarantee, at none of the levels"
APART = "their records differ by more than the level limits allow"
TOO_FAR = "no class that would hold with them is near enough: joining it loses no less than withholding"


def join_residual(climb: Climb) -> int:
    """Let each individual that is left join the closest class it may, in the order of the table.

    Classes are widened as they are joined. Under models that adding can break, only classes that hold with the individual
    count (HANDLE of paper 004, section 4.3, with lowest common ancestors for hulls); the others hold as they did. Where more
    would be withheld than the policy allows, the first of them join whatever it costs.

    Returns
    -------
    int
        Number of individuals that were left.
    """
    from likeness.kernels.class_tests import lay_out
    from likeness.kernels.geneir import Residual, join_closest

    rows, formed, levels, problem = climb.left, climb.formed, climb.levels, climb.problem
    count = formed.records.size
    if rows.size == 0 or count == 0:
        return int(rows.size)
    breakable = tuple(one for one in problem.requirements if not one.closed_under_adding)
    views, tests, width = joint_views(replace(problem, requirements=breakable))
    places = np.ascontiguousarray(views.T)
    laid = lay_out(tests)
    classes = _classes(climb, places, width, laid)
    left = Residual(
        rows,
        np.ascontiguousarray(problem.data.codes[:, rows].T),
        np.ascontiguousarray(climb.start[:, rows].T),
        climb.records[rows],
    )
    joined = np.full(rows.size, -1, np.int64)

    def join(whole: float, begin: int, end: int) -> None:
        join_closest(
            levels.region,
            levels.loss,
            levels.height,
            whole,
            laid.functions,
            laid.shape,
            laid.integers,
            laid.reals,
            laid.smallest,
            places,
            left,
            classes,
            joined,
            begin,
            end,
        )

    step = max(1, _WORK // count)
    for begin in range(0, rows.size, step):
        problem.progress.step("join the closest classes", begin, rows.size)
        join(levels.whole, begin, min(begin + step, rows.size))
    whatever = (1 << 62) // int(left.records.max()) if levels.loss.dtype == np.int64 else 1e300
    excess = int(np.count_nonzero(joined < 0)) - max(0, problem.allowance)
    for person in np.flatnonzero(joined < 0).tolist():
        if excess <= 0:
            break
        join(whatever, person, person + 1)
        excess -= int(joined[person] >= 0)
    climb.classes[rows] = joined
    return int(rows.size)


def reasons(climb: Climb, names: dict[str, int]) -> NDArray[np.int32]:
    """(n,) Why each individual is withheld, by position in ``names``, which is filled with counts; -1 for published ones."""
    withheld = climb.classes < 0
    found = np.full(withheld.size, -1, np.int32)
    without = TOO_FAR if climb.formed.records.size else NO_CLASS
    for reason, who in ((without, withheld & climb.possible), (APART, withheld & ~climb.possible)):
        if who.any():
            found[who] = len(names)
            names[reason] = int(np.count_nonzero(who))
    return found


def _classes(climb: Climb, places: NDArray[np.int32], width: int, tests: LaidOutTests) -> Classes:
    """Lay out the classes for the kernel, which widens those of the climb."""
    from likeness.kernels.geneir import Classes, count_members

    formed, of = climb.formed, climb.classes
    count = formed.records.size
    order = np.argsort(of, kind="stable")
    order = order[np.searchsorted(of[order], 0) :]
    before = np.full(of.size, -1, np.int64)
    same = of[order[1:]] == of[order[:-1]]
    before[order[1:][same]] = order[:-1][same]
    last = np.empty(count, np.int64)
    last[of[order]] = order
    size = np.bincount(of[order], minlength=count).astype(np.int64)
    fits = count == 1 or count * width <= _CELLS
    histograms = np.zeros((count if fits else 1, max(1, width)), np.int64)
    if fits and tests.shape.shape[0]:
        count_members(histograms, places, of)
    return Classes(formed.code, formed.level, formed.records, size, last, before, histograms)
