"""Search a table of counts block by block: what is searched at a time stays small, and many machines can share in it.

The first cuts are those of Mondrian, so every block holds the guarantee as one class. What a block is judged by is the whole
table's: the distributions that models compare with, and the ranges that losses are shares of. What blocks withhold is settled
over all of them, as `likeness.solve` settles it.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from likeness import registry
from likeness.errors import CannotBeMetError
from likeness.methods.leftovers import join_where_needed
from likeness.microdata.copies import counted_again, written_out
from likeness.microdata.grouping import count_copies, number_keys, pack
from likeness.microdata.plan import Decided, Plan, Reason, side_by_side
from likeness.models.requirements import require_of
from likeness.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from likeness.methods.base import Method, Problem
    from likeness.microdata.data import Microdata

ROWS = 1 << 22
"""Rows that are searched at a time: different records, or records where a method tells equal ones apart. A number, and no share
of a machine's memory, so that the same table gets the same classes on every machine."""
_OF_ROWS = 3
"""Blocks have at first one part in so many of these records, or more: they are cut where that loses least, not in the middle."""
_RANGES = (256, 128, 64, 32, 16, 8, 4)
"""Ranges of each quasi-identifier in which first cuts are looked for: as many as there may be at first, then fewer."""
_COARSE = 4
"""They are looked for among one part in so many of these rows, at most: few enough to take little time and memory."""
_NO_CLASSES = Reason("block-fails", "the method finds no classes in the block of the table that they are in")
"""Why records are withheld that a method gives up."""


class BlockProblem(NamedTuple):
    """Some rows of a table, to be searched by themselves; ``whole``: they are all that there are."""

    method: Method
    problem: Problem
    whole: bool


@dataclass(frozen=True)
class BlockSearch:
    """How a table is searched in blocks.

    Parameters
    ----------
    each
        Does the same for each of them, in their order (`likeness.engines.base.Engine.each`): here, or on many machines.
    writes_out
        Whether methods that tell equal records apart search the records of a block, written out.
    """

    each: Callable[[Callable[[BlockProblem], Decided], Sequence[BlockProblem], Progress, str], list[Decided]]
    writes_out: bool = False

    def suit(self, method: Method, data: Microdata) -> bool:
        """Whether a method searches a table in blocks."""
        if data.copies is None or method.full_domain:
            return False
        return data.size > ROWS if method.keeps_copies else self.writes_out

    def search(self, method: Method, problem: Problem) -> tuple[Decided, int]:
        """Cut a table in blocks and search each of them; tells how many there were, too.

        Raises what the work raises, where it is done on other machines: `TableError`.
        """
        data, members = problem.data, cut(method, problem)
        blocks = _BlockProblems(method, problem, members, problem.rng.spawn(len(members)))
        found = self.each(search_block, blocks, problem.progress, "search blocks")
        plans = [one.plan for one in found]
        if method.keeps_copies:
            whole = Decided(side_by_side(plans, members, {}), np.arange(data.size), None)
            return whole, len(members)
        of = np.concatenate([own[one.of] for own, one in zip(members, found, strict=True)])
        copies = np.concatenate([one.copies for one in found if one.copies is not None])
        ends = np.cumsum([one.of.size for one in found])
        places = np.split(np.arange(of.size), ends[:-1])
        return Decided(side_by_side(plans, places, {}), of, copies), len(members)


class _BlockProblems(Sequence[BlockProblem]):
    """Blocks that are made when they are asked for, so that not all of them are there at once."""

    def __init__(
        self,
        method: Method,
        problem: Problem,
        members: list[NDArray[np.int64]],
        rngs: list[np.random.Generator],
    ) -> None:
        self._method, self._problem, self._members, self._rngs = method, problem, members, rngs

    def __len__(self) -> int:
        return len(self._members)

    @overload
    def __getitem__(self, number: int) -> BlockProblem: ...

    @overload
    def __getitem__(self, number: slice) -> Sequence[BlockProblem]: ...

    def __getitem__(self, number: int | slice) -> BlockProblem | Sequence[BlockProblem]:
        if isinstance(number, slice):
            return [self[place] for place in range(*number.indices(len(self)))]
        whole, rows = self._problem, self._members[number]
        data = replace(whole.data.take(rows), rows=np.arange(rows.size))
        # Of what may be withheld it has its share.
        allowance = whole.allowance * data.count_records() // whole.data.count_records()
        rng, silent = deepcopy(self._rngs[number]), Progress()
        own = replace(whole, data=data, rng=rng, allowance=allowance, progress=silent, plans=None)
        return BlockProblem(self._method, own, len(self) == 1)


def search_block(block: BlockProblem) -> Decided:
    """Search one block, wherever this runs; what a method cannot do in one of several is joined, or withheld."""
    method, problem, whole = block
    data = problem.data
    if not method.keeps_copies:
        problem = replace(problem, data=written_out(data))
    size = problem.data.size
    try:
        plan = method.run(problem)
    except CannotBeMetError:
        if whole:
            raise
        plan = Plan(np.zeros(size, np.int64)).withhold(np.ones(size, np.bool_), _NO_CLASSES)
    plan = join_where_needed(method, problem, plan)
    if method.keeps_copies:
        return Decided(plan, data.rows, None)
    data, plan = counted_again(problem.data, plan)
    return Decided(plan, data.rows, data.copies)


def cut(method: Method, problem: Problem) -> list[NDArray[np.int64]]:
    """Cut a table of counts in blocks of `ROWS` rows at most, as far as the guarantee allows; gives the rows of each.

    A row is a different record, or a record where the method tells equal ones apart. Blocks are cut by Mondrian under the
    guarantee and a least number of records, which gets smaller until they are small enough, or cannot be cut.
    """
    data = problem.data
    done: list[NDArray[np.int64]] = []
    wide = [np.arange(data.size)]
    records = data.count_records()
    least = records * ROWS // (_OF_ROWS * (data.size if method.keeps_copies else records))
    while wide and least:
        found = [part for rows in wide for part in _parted(problem, rows, least)]
        least = least if len(found) > len(wide) else least // 2
        wide = [rows for rows in found if _height(method, data, rows) > ROWS]
        done += [rows for rows in found if _height(method, data, rows) <= ROWS]
    # In the order of the table, whatever order they were cut in.
    return sorted(done + wide, key=lambda rows: int(rows[0]))


def _height(method: Method, data: Microdata, rows: NDArray[np.int64]) -> int:
    """Count what a method would search of some rows."""
    return rows.size if method.keeps_copies else data.count_records(rows)


def _parted(problem: Problem, rows: NDArray[np.int64], least: int) -> list[NDArray[np.int64]]:
    """Cut some rows into parts that hold, of so many records at least; as they are where there is no such cut."""
    data, of = _coarse(problem, rows)
    large = require_of((registry.create("models", "k-anonymity", {"k": max(2, least)}),), data, data)
    asked = replace(problem, data=data, requirements=(*problem.requirements, *large), progress=Progress())
    mondrian: Method = registry.create("methods", "mondrian", {})
    classes = mondrian.run(asked).classes
    if classes.min(initial=0) < 0:
        return [rows]
    own = classes[of]
    ends = np.cumsum(np.bincount(own))
    return [rows[part] for part in np.split(np.argsort(own, kind="stable"), ends[:-1])]


def _coarse(problem: Problem, rows: NDArray[np.int64]) -> tuple[Microdata, NDArray[np.int64]]:
    """Count some rows by ranges of every quasi-identifier, and by the sensitive values that models look at.

    So first cuts are made in a table of a million rows, whatever there is; of smaller tables the ranges are single values.

    Returns
    -------
    data
        A row for every combination that there is, with the first value of each range.
    of : (rows,) int64
        Its row, for each of the rows.
    """
    data = problem.data
    assert data.copies is not None  # noqa: S101  # counts are searched in blocks
    copies = data.copies[rows]
    looked_at = data.sensitive if any(one.view is not None for one in problem.requirements) else ()
    radices = [domain.codes for domain in (*data.quasi, *looked_at)]
    for ranges in _RANGES:
        first_of = [
            _ranges(np.bincount(codes[rows], copies, domain.codes), ranges)
            for domain, codes in zip(data.quasi, data.codes, strict=True)
        ]
        quasi = (first[codes[rows]] for first, codes in zip(first_of, data.codes, strict=True))
        sensitive = (data.sensitive_codes[i][rows] for i in range(len(looked_at)))
        of, first = number_keys(pack(chain(quasi, sensitive), radices, rows.size))
        if first.size * _COARSE <= ROWS:
            break
    found = data.take(rows[first])
    codes = np.array([own[codes] for own, codes in zip(first_of, found.codes, strict=True)], np.int32)
    return replace(found, codes=codes, copies=count_copies(of, copies, first.size)), of


def _ranges(counts: NDArray[Any], number: int) -> NDArray[np.int32]:
    """(codes,) The first code of the range that each is in: of ranges of codes in their order, of about as many records each."""
    there = np.flatnonzero(counts)
    shares = counts[there].astype(np.int64)
    own = (np.cumsum(shares) - shares) * number // max(1, int(shares.sum()))
    begins = there[np.diff(own, prepend=-1) > 0]
    place = np.searchsorted(begins, np.arange(counts.size), side="right") - 1
    # What nobody has may lie before them all.
    return begins[np.maximum(place, 0)].astype(np.int32)
