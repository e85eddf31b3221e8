"""A table of shares: how likely each value is for people of certain quasi-identifiers, as insurers and offices have it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from likeness.errors import LikenessError, TableError, suggestion
from likeness.exact import rational
from likeness.forms.base import as_labelled
from likeness.knowledge.base import SCALED, KnowledgeSource, Subject, path_of, refuse_size
from likeness.microdata.domain import NUMERIC
from likeness.microdata.grouping import group_codes
from likeness.published.columns import note_on
from likeness.published.regions import Region, read_region
from likeness.published.text import EVERYTHING, MISSING, read_value
from likeness.queries.cells import match, reach
from likeness.tables import plain_value, read, texts
from likeness.wording import count, quoted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from likeness.microdata.domain import Domain
    from likeness.microdata.grouping import Groups
    from likeness.published.columns import ColumnNote
    from likeness.tables import Labelled, Table

_NEARLY = Fraction(1, 1_000_000)
"""What the shares of a cell may sum to more or less than 1; they are scaled then."""
_OWN = ("value", "share")


@dataclass(frozen=True)
class TableKnowledge(KnowledgeSource):
    """Shares that are known from a table: of each cell of quasi-identifiers how likely each value is.

    Each line of the table is one cell and one value. A cell is written as releases write regions: ``[18, 40]``, ``{a|b}``,
    ``Europe`` (a node of the column's hierarchy), ``40``, ``*`` for everything, the empty text for the missing value.
    Quasi-identifiers that the table has no column of mean ``*`` everywhere. The column ``value`` holds the sensitive value,
    ``share`` its share of the cell, a decimal number or a fraction (``1/3``); values that a cell does not name have share 0.
    The shares of a cell sum to 1: more than 10⁻⁶ beside it is an error, less is scaled and counted.

    Cells may lie inside others: everybody has the shares of the most specific cell that holds them, which lies inside all
    others that do; it is an error when there is none, or more than one.

    Parameters
    ----------
    file
        The table, any file that is read: its path from the policy's folder. In policies ``table: morbidity.csv`` will do.

    Examples
    --------
    >>> TableKnowledge("morbidity.csv")
    TableKnowledge(file='morbidity.csv')
    """

    file: str

    name: ClassVar[str] = "table"
    main: ClassVar[str] = "file"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "file", path_of(self.name, "file", self.file))

    def __repr__(self) -> str:
        """Only the file."""
        return f"TableKnowledge(file={self.file!r})"

    @classmethod
    def told(cls, facts: Mapping[str, Any]) -> str:  # noqa: ARG003  # nothing of it is told
        """Say it in words."""
        return "how likely each value is for people of their quasi-identifiers, by a table of shares"

    def shares(self, subject: Subject) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Find everybody's cell."""
        where = f"knowledge: {self.name}"
        try:
            table = read((subject.policy.folder or Path()) / self.file)
        except TableError as problem:
            raise TableError(*problem.within(where)) from None
        shown = _Shown(table, f"{where}: {self.file}", subject)
        refuse_size(self, shown.cells.count, subject.domain.codes)
        shares = shown.shares()
        if not shown.names:
            return shares, np.zeros(subject.data.size, np.int64)
        columns = shown.columns()
        used = subject.data.codes[shown.quasi]
        tuples = group_codes(used, [subject.data.quasi[j].codes for j in shown.quasi])
        start, cells = match(
            [column.holds for column in columns],
            [column.of for column in columns],
            np.ascontiguousarray(used[:, tuples.first]),
        )
        return shares, shown.most_specific(columns, tuples, start, cells)[tuples.of]


@dataclass(frozen=True, eq=False)
class _Column:
    """A column of cells; ``of`` (cells,) is the region of each cell, ``size`` (R,) is larger where a region lies around another.

    ``holds``: (codes, R) as of `reach`.
    """

    regions: list[Region]
    of: NDArray[np.int64]
    holds: NDArray[np.bool_]
    size: NDArray[np.int64]

    def inside(self, one: int, other: int) -> bool:
        """Whether a region lies inside another, or is it."""
        a, b = self.regions[one], self.regions[other]
        if a == b or b.what == "everything":
            return True
        if a.what != b.what:
            return False
        if a.what == "values":
            return a.values <= b.values
        if a.low is not None:
            return bool(b.low <= a.low and a.high <= b.high)
        return bool(
            self.size[one] < self.size[other] and not (self.holds[:, one] & ~self.holds[:, other]).any()
        )


class _Shown:
    """A table of shares, read; every message begins with ``where``."""

    def __init__(self, table: Table, where: str, subject: Subject) -> None:
        self.table, self.where, self.subject = table, where, subject
        lacking = [quoted(name) for name in _OWN if name not in table.names]
        if lacking:
            has = ", ".join(table.names)
            raise TableError(f"{where}: lacks the column {' and '.join(lacking)}; it has {has}")
        self.names = [name for name in table.names if name not in _OWN]
        self.quasi = subject.find_quasi(self.names, where)
        self.texts = [as_labelled(table.as_it_is(name)) for name in self.names]
        self.cells = self._cells()

    def _cells(self) -> Groups:
        """Lines of one cell."""
        if not self.names:
            return group_codes([np.zeros(self.table.height, np.int64)], [1])
        return group_codes([text.codes for text in self.texts], [len(text.labels) for text in self.texts])

    def shares(self) -> NDArray[np.float64]:
        """(cells, m) Shares of every value; each row sums to nearly 1."""
        domain = self.subject.domain
        problems: list[str] = []
        values = as_labelled(self.table.as_it_is("value"))
        known = np.array([_code_of(domain, label) for label in values.labels], np.int64)[values.codes]
        self._refuse(
            problems, known < 0, "value", values,
            lambda label: f"{quoted(label)} is no value of {domain.name!r}{suggestion(label, domain.labels)}",
        )  # fmt: skip
        written = as_labelled(self.table.as_it_is("share"))
        exact = [_share(label) for label in written.labels]
        none = np.array([share is None for share in exact])[written.codes]
        negative = np.array([share is not None and share < 0 for share in exact])[written.codes]
        self._refuse(problems, none, "share", written, lambda label: f"{quoted(label)} is not a number")
        self._refuse(problems, negative, "share", written, lambda label: f"{label} is negative")
        if problems:
            raise TableError(*problems)
        m = domain.codes
        pairs = group_codes([self.cells.of, known], [self.cells.count, m])
        if pairs.count < self.table.height:
            again = int(np.setdiff1d(np.arange(self.table.height), pairs.first)[0])
            cell = self.cell(int(self.cells.of[again]))
            raise TableError(
                f"{self.where}: {self.table.where(again)}: {domain.name_of(int(known[again]))} of {cell} stands there twice"
            )
        totals = [Fraction(0)] * self.cells.count
        for cell, share in zip(self.cells.of.tolist(), written.codes.tolist(), strict=True):
            totals[cell] += exact[share] or 0
        wrong = [cell for cell, total in enumerate(totals) if abs(total - 1) > _NEARLY]
        if wrong:
            more = f", nor do those of {count(len(wrong) - 1, 'other cell')}" if len(wrong) > 1 else ""
            raise TableError(
                f"{self.where}: the shares of {self.cell(wrong[0])} sum to {float(totals[wrong[0]])}, not to 1{more}"
            )
        self.subject.counted[SCALED] = sum(total != 1 for total in totals)
        found = np.zeros((self.cells.count, m))
        found[self.cells.of, known] = np.array([float(share or 0) for share in exact])[written.codes]
        return found

    def columns(self) -> list[_Column]:
        """Read the cells."""
        problems: list[str] = []
        found = []
        for j, text in zip(self.quasi, self.texts, strict=True):
            domain = self.subject.data.quasi[j]
            note = note_on(domain, "quasi", self.subject.data.codes[j])
            if domain.hierarchy is not None and domain.hierarchy.data_derived:
                # Made from the table, it lacks what nobody has; the labels say what they stand for.
                note = replace(note, hierarchy=None)
            regions = []
            for i, label in enumerate(text.labels):
                try:
                    regions.append(_region(label, note, domain))
                except LikenessError as problem:
                    line = self.table.where(int(np.argmax(text.codes == i)))
                    problems.append(f"{self.where}: {line}: {problem.problems[0]}")
            if not problems:
                holds = reach(note, regions, domain)
                of = text.codes[self.cells.first].astype(np.int64)
                found.append(_Column(regions, of, holds, _sizes(regions, holds, domain)))
        if problems:
            raise TableError(*problems)
        return found

    def most_specific(
        self, columns: list[_Column], tuples: Groups, start: NDArray[np.int64], cells: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """(tuples,) The one cell that lies inside all others that hold a tuple; of t ``cells[start[t]:start[t + 1]]`` do."""
        many = np.diff(start)
        if (many == 0).any():
            self._refuse_people(tuples, many == 0, "in no cell; add one, or a line of * for everybody else")
        # Around another is larger in at least one column and smaller in none: the sum tells which may lie inside all others.
        size = np.zeros(self.cells.count, np.int64)
        for column in columns:
            size += column.size[column.of]
        of = np.repeat(np.arange(many.size), many)
        least = np.minimum.reduceat(size[cells], start[:-1])
        first = np.flatnonzero(size[cells] == least[of])
        best = np.empty(many.size, np.int64)
        best[of[first][::-1]] = cells[first][::-1]
        others = np.flatnonzero(cells != best[of])
        pairs = group_codes([best[of[others]], cells[others]], [self.cells.count] * 2)
        outside = np.zeros(pairs.count, np.bool_)
        for pair, at in enumerate(others[pairs.first].tolist()):
            both = [(column, int(column.of[best[of[at]]]), int(column.of[cells[at]])) for column in columns]
            alike = all(column.regions[one] == column.regions[other] for column, one, other in both)
            outside[pair] = alike or not all(column.inside(one, other) for column, one, other in both)
        if outside.any():
            wrong = others[outside[pairs.of]]
            at = int(wrong[0])
            two = f"{self.cell(int(best[of[at]]))} and {self.cell(int(cells[at]))}"
            unclear = np.zeros(many.size, np.bool_)
            unclear[of[wrong]] = True
            self._refuse_people(tuples, unclear, f"in {two}, neither of which lies inside the other")
        return best

    def cell(self, number: int) -> str:
        """Say which cell it is."""
        row = self.cells.first[number]
        parts = (
            f"{name} = {text.labels[text.codes[row]]}"
            for name, text in zip(self.names, self.texts, strict=True)
        )
        return ", ".join(parts) or "everybody"

    def _refuse_people(self, tuples: Groups, wrong: NDArray[np.bool_], what: str) -> None:
        """Say of whom the table does not say it."""
        data, table = self.subject.data, self.subject.encoded.table
        first = int(np.argmax(wrong[tuples.of]))
        who = ", ".join(
            f"{name} = {data.quasi[j].label_of(int(data.codes[j, first]))}"
            for name, j in zip(self.names, self.quasi, strict=True)
        )
        number = int(np.count_nonzero(wrong[tuples.of]))
        raise TableError(
            f"{self.where}: {count(number, 'record')} of {table.source}, the first in "
            f"{table.where(int(data.rows[first]))} ({who}), {'is' if number == 1 else 'are'} {what}"
        )

    def _refuse(
        self, problems: list[str], wrong: NDArray[np.bool_], name: str, column: Labelled, words: Any
    ) -> None:
        """Note the first of many wrong lines."""
        if not wrong.any():
            return
        at = int(np.argmax(wrong))
        number = int(np.count_nonzero(wrong)) - 1
        more = f" (so it is with {count(number, 'more line')})" if number else ""
        label = column.labels[column.codes[at]]
        problems.append(f"{self.where}: {self.table.where(at)}: column {name!r}: {words(label)}{more}")


def _code_of(domain: Domain, label: str) -> int:
    """Code of a sensitive value as it is written; -1 for none."""
    if label == MISSING:
        return domain.missing_code
    if domain.kind in NUMERIC and (number := plain_value(domain.kind, label)) is not None:
        label = texts(np.array([number], domain.values.dtype))[0]
        return domain.code_of.get(label, -1)
    return domain.code_of.get(read_value(label), -1)


def _share(label: str) -> Fraction | None:
    """Read a share; None for what is no number."""
    try:
        return rational(label.strip())
    except (ValueError, ArithmeticError):
        return None


def _region(text: str, note: ColumnNote, domain: Domain) -> Region:
    """Read a cell; a node stands for its leaves also where it has one only, and where the column is published in sets."""
    tree = note.tree if note.shape == "tree" else domain.hierarchy if note.shape == "set" else None
    label = read_value(text)
    if tree is None or text == EVERYTHING or label in tree.rank_of or label not in tree.labels:
        return read_region(text, note)
    node = tree.node_of(label)
    if node == 0:
        return Region("everything", text=text)
    low, high = int(tree.left[node]), int(tree.right[node])
    if note.shape == "tree":
        return Region("node", low, high, text=text)
    return Region("values", values=frozenset(tree.leaves[low : high + 1]), text=text)


def _sizes(regions: list[Region], holds: NDArray[np.bool_], domain: Domain) -> NDArray[np.int64]:
    """(R,) Rank of each region by its size: one that lies around another has a higher one."""
    tree = domain.hierarchy

    def size(i: int, region: Region) -> tuple[int, Any, int]:
        if region.what == "everything":
            return (1, 0, 0)
        if region.what == "values":
            return (0, len(region.values), 0)
        if region.low is not None:
            return (0, region.high - region.low, 0)
        # Of nodes above the same values the lower one is the smaller.
        (label,) = region.values
        known = tree is not None and label in tree.labels
        return (0, int(holds[:, i].sum()), int(tree.level[tree.node_of(str(label))]) if tree and known else 0)

    sizes = [size(i, region) for i, region in enumerate(regions)]
    rank = {own: i for i, own in enumerate(sorted(set(sizes)))}
    return np.array([rank[own] for own in sizes], np.int64)
