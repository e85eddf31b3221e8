"""The lattice of full-domain generalizations of a table: every attribute at one level of its hierarchy, for all records.

The levels of one attribute say which values share a group at each, and what that loses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from likeness.errors import PolicyError
from likeness.methods.base import PART_FAILS, joint_views
from likeness.microdata.domain import SUITABLE
from likeness.microdata.grouping import group_codes
from likeness.microdata.levels import tree_levels
from likeness.microdata.plan import Plan, Reason, renumber
from likeness.microdata.regions import LOSSES, attribute_weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.kernels.class_tests import LaidOutTests
    from likeness.methods._lattice.kernels import Lattice
    from likeness.methods.base import Problem
    from likeness.microdata.data import Microdata
    from likeness.microdata.domain import Domain
    from likeness.microdata.regions import CellLoss

Level = tuple[int, "NDArray[np.int32]", "NDArray[np.float64]"]
"""Number of a level, and the group and the loss of every cell there."""


@dataclass(frozen=True, eq=False)
class LevelledTable:
    """A table's distinct cells at every level of every attribute, in the order of the search.

    ``order``: position in the table of each attribute. ``levels``: numbers of each attribute's levels; those that join
    nothing are left out. ``cell_of``: (n,) cell of each record.
    """

    lattice: Lattice
    order: list[int]
    levels: list[list[int]]
    cell_of: NDArray[np.int64]

    def named(self, data: Microdata, vector: NDArray[np.int64]) -> dict[str, int]:
        """Level of every attribute at a vector, in the order of the table."""
        chosen = {j: own[int(at)] for j, own, at in zip(self.order, self.levels, vector, strict=True)}
        return {data.quasi[j].name: chosen[j] for j in sorted(chosen)}


def level_table(
    method: str, data: Microdata, loss: str, views: NDArray[np.int32], width: int
) -> LevelledTable:
    """Lay out the lattice of a table; ``method`` is for messages, ``views`` and ``width`` are those of `joint_views`.

    Attributes of few levels come first in the search: their bounds rise in large steps. Raises `PolicyError` where a
    quasi-identifier has no levels.
    """
    from likeness.methods._lattice.kernels import Lattice

    check_levels(method, data)
    tuples = data.tuples
    radices = [tuples.count, *([max(width, 1)] * len(views))]
    cells = group_codes([tuples.of, *views], radices, data.copies)
    weights = attribute_weights(data.quasi)
    by_attribute = [
        _distinct_levels(domain, LOSSES[loss], codes[cells.first])
        for domain, codes in zip(data.quasi, data.codes, strict=True)
    ]
    order = sorted(
        range(len(by_attribute)), key=lambda j: (len(by_attribute[j]), -int(by_attribute[j][0][1].max()), j)
    )
    rows = [(level, group, weights[j] * lost) for j in order for level, group, lost in by_attribute[j]]
    lattice = Lattice(
        np.cumsum([0, *(len(by_attribute[j]) for j in order)]).astype(np.int64),
        np.array([group for _, group, _ in rows], np.int32),
        np.array([int(group.max()) + 1 for _, group, _ in rows], np.int64),
        np.array([level for level, _, _ in rows], np.int64),
        np.array([lost for _, _, lost in rows], np.float64),
        cells.sizes.astype(np.int64),
        np.ascontiguousarray(views[:, cells.first], np.int32),
        np.array(order, np.int64),
    )
    levels = [[level for level, _, _ in by_attribute[j]] for j in order]
    return LevelledTable(lattice, order, levels, cells.of)


def prepare(method: str, problem: Problem, loss: str) -> tuple[LevelledTable, LaidOutTests, int]:
    """Lay out the lattice and the tests of a problem, with the joint histogram's length, and tell of padded hierarchies.

    Raises `PolicyError` where a quasi-identifier has no levels.
    """
    from likeness.kernels.class_tests import lay_out

    views, tests, width = joint_views(problem)
    table = level_table(method, problem.data, loss, views, width)
    note_padding(problem)
    return table, lay_out(tests), width


def check_levels(method: str, data: Microdata) -> None:
    """Refuse attributes that have no levels to generalize to, with a `PolicyError` that names all of them."""
    problems = [
        f"{method}: generalizes whole columns level by level, and column {domain.name!r} ({domain.kind}) has no "
        f"hierarchy; give it one, such as hierarchy: {SUITABLE[domain.kind]}, or use mondrian"
        for domain in data.quasi
        if domain.hierarchy is None and domain.shape == "interval" and domain.codes > 1
    ]
    if problems:
        raise PolicyError(*problems)


def note_padding(problem: Problem) -> None:
    """Tell of hierarchies whose leaves lie at unequal depth."""
    for domain in problem.data.quasi:
        tree = domain.hierarchy
        if tree is not None and tree.height > 0 and (tree.level[tree.parent[1:]] - tree.level[1:] > 1).any():
            problem.progress.note(
                f"column {domain.name!r}: the leaves of its hierarchy lie at unequal depth; they are levelled by padding, each "
                "value standing for itself on the levels it lacks"
            )


def lowest(vectors: NDArray[np.int64]) -> NDArray[np.int64]:
    """Keep the vectors that no other one lies below, by ascending sum; of equal ones the first."""
    order = np.argsort(vectors.sum(axis=1), kind="stable")
    kept = np.zeros((0, vectors.shape[1]), np.int64)
    for vector in vectors[order]:
        # What lies below has a smaller sum, so it was kept or has something kept below it.
        if not (kept <= vector).all(axis=1).any():
            kept = np.concatenate([kept, vector[None, :]])
    return kept


def _distinct_levels(domain: Domain, loss: CellLoss, codes: NDArray[np.int32]) -> list[Level]:
    """Levels of one attribute for the cells of a table; each joins something that the one below does not."""
    present = np.flatnonzero(np.bincount(codes, minlength=domain.codes))
    found: list[Level] = []
    groups = 0
    for level, (group, lost) in enumerate(_all_levels(domain, loss)):
        # Found from the values, which are far fewer than the cells.
        distinct, dense = np.unique(group[present], return_inverse=True)
        if distinct.size != groups:
            number = np.zeros(domain.codes, np.int32)
            number[present] = dense
            found.append((level, number[codes], lost[codes]))
            groups = distinct.size
    return found


def _all_levels(domain: Domain, loss: CellLoss) -> list[tuple[NDArray[np.int64], NDArray[np.float64]]]:
    """Give group and loss of every code at every level, from the values themselves to the root."""
    exact = np.arange(domain.codes, dtype=np.int64), np.zeros(domain.codes)
    if domain.shape == "tree":
        return [exact, *tree_levels(domain, loss)]
    if domain.hierarchy is not None:
        return [exact, *_levels_of_numbers(domain, loss)]
    everything = np.zeros(domain.codes, np.int64), np.full(domain.codes, loss.by_count(domain.codes)[-1])
    return [exact, everything]


def _levels_of_numbers(domain: Domain, loss: CellLoss) -> list[tuple[NDArray[np.int64], NDArray[np.float64]]]:
    """Levels of numbers that have a hierarchy but are published as intervals: the interval of each node's numbers."""
    tree = domain.hierarchy
    assert tree is not None  # noqa: S101  # the caller asked
    leaves = np.array([tree.rank_of[label] for label in domain.labels], np.int64)
    top = tree.height if domain.max_level is None else min(domain.max_level, tree.height)
    positions = loss.positions(domain)
    levels = []
    for level in range(1, top + 1):
        node = tree.ancestor_at(leaves, level).astype(np.int64)
        lost = np.zeros(domain.codes)
        for own in np.unique(node):
            inside = np.flatnonzero(node == own)
            lost[inside] = positions[inside.max()] - positions[inside.min()]
        if domain.missing:
            root = level == tree.height
            node = np.append(node, 0 if root else len(tree.labels))
            lost = np.ones(domain.codes) if root else lost
        levels.append((node, lost))
    return levels


def publish_at(
    data: Microdata, table: LevelledTable, laid: LaidOutTests, width: int, vector: NDArray[np.int64]
) -> Plan:
    """Publish every record at a vector of levels; groups that do not hold there are withheld."""
    from likeness.methods._lattice.kernels import begin, groups_at

    groups = groups_at(
        table.lattice,
        begin(table.lattice, width),
        laid.functions,
        laid.shape,
        laid.integers,
        laid.reals,
        laid.smallest,
        vector,
    )
    classes = renumber(groups[table.cell_of])
    withheld = data.size - int(np.count_nonzero(classes >= 0))
    reason = Reason(
        "group-fails", "their group does not hold the guarantee at the levels chosen for the table"
    )
    return Plan(classes, because={reason: withheld} if withheld else {})


def one_class(problem: Problem) -> Plan:
    """Without quasi-identifiers there is one class, or nothing."""
    classes = np.zeros(problem.data.size, np.int64)
    return Plan(classes) if problem.data.size == 0 else coarsest(problem)


def coarsest(problem: Problem) -> Plan:
    """Publish the parts of the table that hold as one class each, when no vector of levels was found; else nothing.

    They are judged exactly, while the tests of a search may refuse what holds: for models whose exact decision is long.
    """
    data = problem.data
    parts = np.zeros(data.size, np.int64) if problem.parts is None else problem.parts
    failing = ~problem.holding(parts, int(parts.max(initial=-1)) + 1)[parts]
    # Without parts nobody says which records the limits keep apart.
    if problem.parts is None and any(domain.max_level is not None for domain in data.quasi):
        failing[:] = True
    withheld = int(failing.sum())
    if withheld == data.size or data.count_records(failing) > max(0, problem.allowance):
        reason = Reason("no-levels-hold", "no vector of levels holds within the limit on withheld records")
        return Plan(np.full(data.size, -1, np.int64), because={reason: data.size})
    classes = renumber(np.where(failing, -1, parts))
    return Plan(classes, because={PART_FAILS: withheld} if withheld else {})
