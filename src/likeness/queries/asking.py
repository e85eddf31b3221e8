"""What conditions of queries may name: a misspelt value must not look like a value that nobody has."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.errors import TableError, suggestion
from likeness.hierarchies.observed import MASK
from likeness.published.columns import ColumnNote
from likeness.queries.axes import range_ends
from likeness.queries.overlap import (
    Overlap,
    as_text,
    as_values,
    is_range,
    place,
    place_on,
    range_of,
    read_stretch,
)
from likeness.queries.query import Consecutive
from likeness.queries.sums import shown_values, unknown_column
from likeness.wording import quoted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from likeness.hierarchies import Hierarchy
    from likeness.microdata.domain import Domain
    from likeness.published.regions import Region
    from likeness.queries.query import Workload


class Askable:
    """A column that conditions can be on, and the values it is known to have.

    A condition may name

    * numbers and days: any, also those outside the domain, of which there are no records;
    * ordered values and categories: those of the declared order, the hierarchy or the declared domain, also where no
      record has them; without such, those that were published;
    * nodes of a hierarchy: the values below them; of one made by a rule (intervals, dates, prefixes), whose values nobody was
      told, what their labels say;
    * the missing value (None), always.

    Values are looked up only when needed, in ``overlap`` (published regions) or ``domain``: one of the two is given.
    """

    def __init__(
        self,
        note: ColumnNote,
        tree: Hierarchy | None,
        *,
        overlap: Overlap | None = None,
        domain: Domain | None = None,
    ) -> None:
        self.note, self.tree = note, tree
        self._overlap, self._domain = overlap, domain

    @classmethod
    def of_domain(cls, domain: Domain) -> Askable:
        """Take a column whose values are known one by one."""
        domain = domain.single
        order = tuple(domain.labels) if domain.kind == "ordered" else None
        note = ColumnNote(domain.name, "quasi", domain.kind, domain.shape, order=order)
        return cls(note, domain.hierarchy if domain.shape == "tree" else None, domain=domain)

    @classmethod
    def of_regions(cls, note: ColumnNote, regions: Sequence[Region]) -> Askable:
        """Take a generalized column."""
        return cls(note, note.tree, overlap=Overlap(note, regions))

    @cached_property
    def values(self) -> frozenset[str]:
        """Values of an ordered column, or of one of nodes or sets; labels of nodes whose leaves nobody was told."""
        if self.note.order is not None:
            return frozenset(self.note.order)
        if self.tree is not None:
            return frozenset(self.tree.leaves)
        if self._domain is not None:
            return frozenset(self._domain.labels)
        assert self._overlap is not None  # noqa: S101  # one of the two is given
        return frozenset(value for value in shown_values(self._overlap) if value is not None)

    @cached_property
    def made(self) -> bool:
        """Whether its values are below nodes of a hierarchy that a rule made, and only their labels were published."""
        return self.note.shape == "tree" and self.tree is None

    @cached_property
    def _kinds(self) -> frozenset[bool]:
        """Whether values are days (True), numbers (False); nothing of other texts."""
        if self.made:
            return frozenset(
                days for days in (True, False) for label in self.values if read_stretch(label, days=days)
            )
        return frozenset(found[0] for value in self.values if (found := place(value)) is not None)

    @cached_property
    def _only_kind(self) -> bool | None:
        """Whether all values of a hierarchy are days (True) or numbers (False)."""
        if self.tree is None or len(self._kinds) != 1 or None in {place(value) for value in self.values}:
            return None
        return next(iter(self._kinds))

    def with_leaves(self, condition: Any) -> Any:
        """Put the values below nodes of a published hierarchy in their place; other conditions are given back as they are."""
        if self.tree is None or isinstance(condition, Consecutive) or is_range(condition):
            return condition
        named = as_values(condition, self.note.name)
        nodes = [value for value in named if value in self._nodes]
        if not nodes:
            return condition
        tree = self.tree
        spans = [(tree.left[node], tree.right[node] + 1) for node in map(tree.node_of, nodes)]
        return frozenset(named.difference(nodes).union(*(tree.leaves[first:stop] for first, stop in spans)))

    @cached_property
    def _nodes(self) -> frozenset[str]:
        """Labels of the inner nodes of a published hierarchy."""
        return frozenset() if self.tree is None else frozenset(self.tree.labels).difference(self.tree.leaves)

    def problem(self, conditions: Sequence[Any]) -> tuple[int, str] | None:
        """Find a condition that does not suit the column: its position, and what is wrong with it; None when all do."""
        ranges = [i for i, condition in enumerate(conditions) if is_range(condition)]
        if self.note.shape == "interval":
            found = self._problem_of_ranges(conditions, ranges)
        else:
            pairs = {i: between for i in ranges if (between := range_of(conditions[i])) is not None}
            found = next(
                ((i, text) for i, own in pairs.items() if (text := self._range_problem(conditions[i], own))),
                None,
            )
            ranges = list(pairs)
        if found is not None:
            return found
        taken = set(ranges)
        return self._problem_of_values({i: own for i, own in enumerate(conditions) if i not in taken})

    def _problem_of_ranges(self, conditions: Sequence[Any], ranges: list[int]) -> tuple[int, str] | None:
        """Find a range on an axis whose ends have no place on it, or no order."""
        if self.note.order is not None:
            for i in ranges:
                unknown = [end for end in map(as_text, conditions[i]) if end not in self.values]
                if unknown:
                    return i, self._unknown(unknown)
        if self.note.kind == "date":
            for i in ranges:
                partial = [text for text in map(as_text, conditions[i]) if not _is_day(text)]
                if partial:
                    return i, self._no_day(partial[0])
        try:
            ends = range_ends(self.note, [conditions[i] for i in ranges])
        except TableError:
            # One of them: say which.
            for i in ranges:
                if wrong_end := next(filter(self._no_number, map(as_text, conditions[i])), None):
                    return i, f"{self._where}: {quoted(wrong_end)} is not a number"
            raise
        assert ends is not None  # noqa: S101  # all are ranges
        backwards = np.flatnonzero(~(ends[0] <= ends[1]))
        if not backwards.size:
            return None
        i = ranges[int(backwards[0])]
        if np.isnan([own[backwards[0]] for own in ends]).any():
            return i, f"{self._where}: {quoted(conditions[i])} is no range, as one of its ends is no number"
        return i, self._reversed(conditions[i])

    def _range_problem(self, condition: Any, between: Any) -> str | None:
        """Say what is wrong with a range of numbers or days on a column of nodes or sets."""
        if between.low > between.high:
            return self._reversed(condition)
        if self.values and not self.made and between.days not in self._kinds:
            what = "days" if between.days else "numbers"
            return f"{self._where}: {quoted(condition)} is a range of {what}, and its values are none; give a list of values"
        return None

    def _problem_of_values(self, conditions: Mapping[int, Any]) -> tuple[int, str] | None:
        """Find a collection with a value that the column cannot have."""
        lists = {id(own.values): own for own in conditions.values() if isinstance(own, Consecutive)}
        # Lists of neighbours share their values, which may be very many.
        known = {at for at, own in lists.items() if self.values.issuperset(own.values)}
        for i, condition in conditions.items():
            if isinstance(condition, Consecutive) and id(condition.values) in known:
                continue
            try:
                unknown = as_values(condition, self.note.name) - {None}
            except TableError as problem:
                return i, str(problem)
            if not self._any:
                unknown = unknown - self.values - self._nodes
            if unknown:
                texts = [as_text(value) for value in condition if value is not None]
                wrong = [text for text in dict.fromkeys(texts) if text in unknown]
                told = self._problem_of(wrong, condition)
                if told is not None:
                    return i, told
        return None

    @property
    def _any(self) -> bool:
        """Whether its values are numbers or days on an axis, of which every one may be asked for."""
        return self.note.shape == "interval" and self.note.order is None

    def _problem_of(self, unknown: list[str], condition: Any) -> str | None:
        """Say what is wrong with values that are none of the known ones; None where they may be values all the same."""
        if self._any:
            if self.note.kind == "date" and (partial := [text for text in unknown if not _is_day(text)]):
                return self._no_day(partial[0])
            wrong = next(filter(self._no_number, unknown), None)
            return None if wrong is None else f"{self._where}: {wrong!r} is not a number"
        if self.made:
            numbers = {as_text(value) for value in condition if not isinstance(value, str)}
            unknown = [text for text in unknown if not self._may_be_below(text, numbers)]
        elif self._only_kind is not None:
            numbers = {as_text(value) for value in condition if not isinstance(value, str)}
            unknown = [text for text in unknown if not self._may_be_a_leaf(text, numbers)]
        # Where * may stand for anything, estimating says so.
        unsaid = (
            self.made
            and self._overlap is not None
            and any(region.what == "everything" for region in self._overlap.regions)
        )
        return self._unknown(unknown) if unknown and self.values and not unsaid else None

    def _no_number(self, text: str) -> bool:
        """Whether a text has no place on the axis."""
        try:
            place_on(self.note, text)
        except TableError:
            return True
        return False

    def _may_be_a_leaf(self, text: str, numbers: set[str]) -> bool:
        """Whether a hierarchy of nothing but days or numbers may have been asked for another one."""
        found = place(text)
        return found is not None and found[0] == self._only_kind and (found[0] or text in numbers)

    def _may_be_below(self, text: str, numbers: set[str]) -> bool:
        """Whether a value may be below a node whose label was made by a rule, or a masked code around some of them."""
        if self._length is not None and text not in numbers:
            # Codes that are masked from the right all have one length.
            if len(text) != self._length:
                return False
            known = text.rstrip(MASK)
            return MASK not in text or (
                MASK not in known and any(label.startswith(known) for label in self.values)
            )
        found = place(text)
        return found is not None and found[0] in self._kinds and not self._masked

    @cached_property
    def _masked(self) -> bool:
        """Whether codes were masked."""
        return any(label.endswith(MASK) for label in self.values)

    @cached_property
    def _length(self) -> int | None:
        """Length of codes of a column whose labels are masked codes, or codes; None where they are anything else."""
        lengths = {len(label) for label in self.values}
        if len(lengths) != 1 or not (self._masked or self._kinds == {False}):
            return None
        return None if any(label.startswith("[") for label in self.values) else lengths.pop()

    @property
    def _where(self) -> str:
        """Say which column it is."""
        return f"column {self.note.name!r}"

    def _reversed(self, condition: Any) -> str:
        low, high = condition
        return f"{self._where}: the range {quoted(condition)} ends before it begins; write {(high, low)!r}"

    def _no_day(self, text: str) -> str:
        return f"{self._where}: {quoted(text)} is not a day; write days like 2024-03-31"

    def _unknown(self, values: list[str]) -> str:
        """Say that values are none of the column's."""
        first, others = values[0], len(values) - 1
        more = f" (nor {'is 1 other' if others == 1 else f'are {others} others'})" if others else ""
        return (
            f"{self._where}: {quoted(first)} is not one of its values{more}{suggestion(first, self.values)}"
        )


def _is_day(text: str) -> bool:
    """Whether a text is a day, and not a year, a month or a time."""
    found = place(text)
    return found is not None and found[0]


def read_query(
    askable: Mapping[str, Askable], where: Mapping[str, Any], of: str | None, beside: Sequence[str] = ()
) -> dict[str, Any]:
    """Take the conditions of a query, with values for nodes of hierarchies; refuse what names what there is not.

    ``beside`` names columns that are published and cannot be asked about. Raises `TableError` with a line for every column that
    is not there, and every condition that does not suit its column.
    """
    problems = _unknown_columns(askable, (*where, *(() if of is None else (of,))), beside)
    for name, condition in where.items():
        if name in askable and (found := askable[name].problem([condition])) is not None:
            problems.append(found[1])
    if problems:
        raise TableError(*problems)
    return {name: askable[name].with_leaves(condition) for name, condition in where.items()}


def read_conditions(
    askable: Mapping[str, Askable],
    conditions: Mapping[str, Sequence[Any]],
    beside: Sequence[str] = (),
    *,
    drawn: bool = False,
) -> Mapping[str, Sequence[Any]]:
    """Take lists of conditions, as `read_query` does; those that are ``drawn``, as in `Workload`, as they are."""
    problems = _unknown_columns(askable, tuple(conditions), beside)
    for name, own in () if drawn else conditions.items():
        if name in askable and (found := askable[name].problem(own)) is not None:
            problems.append(found[1])
    if problems:
        raise TableError(*problems)
    if drawn:
        return conditions
    return {name: [*map(askable[name].with_leaves, own)] for name, own in conditions.items()}


def read_workload(askable: Mapping[str, Askable], workload: Workload, beside: Sequence[str] = ()) -> Workload:
    """Take a workload, as `read_query` does, and refuse it, saying which query it is.

    Every distinct condition is looked at once. Those drawn from the domains of a table are taken as they are: a value
    that was not published is then one that nobody kept.
    """
    used = {name: np.unique(which[which >= 0]).tolist() for name, which in workload.which.items()}
    asked = [name for name, conditions in used.items() if conditions]
    problems = _unknown_columns(askable, (*asked, *(() if workload.of is None else (workload.of,))), beside)
    for name in () if workload.drawn else asked:
        conditions = [workload.conditions[name][at] for at in used[name]]
        if name in askable and (found := askable[name].problem(conditions)) is not None:
            first = np.flatnonzero(workload.which[name] == used[name][found[0]])[0]
            problems.append(f"query {first}: {found[1]}")
    if problems:
        raise TableError(*problems)
    if workload.drawn:
        return workload
    read = {name: list(own) for name, own in workload.conditions.items()}
    for name in asked:
        for at in used[name]:
            read[name][at] = askable[name].with_leaves(read[name][at])
    return replace(workload, conditions=read)


def _unknown_columns(
    askable: Mapping[str, Askable], names: Sequence[str], beside: Sequence[str]
) -> list[str]:
    """Say of every column that is not there that it is not."""
    missing = (name for name in dict.fromkeys(names) if name not in askable)
    return [str(unknown_column(name, askable, beside)) for name in missing]
