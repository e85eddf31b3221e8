"""Two tables as one: the people of the first, and their records in the second."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import polars as pl

from likeness.errors import TableError, nearest, suggestion
from likeness.tables.columns import RawColumn
from likeness.tables.frames import FrameLibrary, library
from likeness.tables.kinds import as_codes, convert
from likeness.tables.table import Table
from likeness.wording import count, quoted

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from likeness.tables.columns import EncodedColumn

_EXACT = {pl.Int64, pl.Float64, pl.Boolean, pl.Date}
"""Types of distinct values that every library holds as they are."""


class Columned(Protocol):
    """What has columns and a name of its own."""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""

    @property
    def source(self) -> str:
        """What messages call it."""


class ToJoin:
    """A table of people, found and not read, and one of their records that will be joined to it.

    ``names``: the columns that `join` will give, and what stands in both; ``key``, of the second, is none of them.
    `TableError` where that has no such column.
    """

    def __init__(self, first: Columned, second: Table, on: str, key: str | None) -> None:
        self.first, self.second, self.on, self.key = first, second, on, on if key is None else key
        _check_key(second, self.key)
        self.source = f"{first.source} with {second.source}"
        self.names = (*dict.fromkeys((*first.names, *(name for name in second.names if name != self.key))),)


class JoinedTable(Table):
    """The rows of a table of records with what a table of people says of their persons; made by `join`.

    The rows are those of the second table in their order, then one for each person of the first that has none there, in
    the order of the first. Cells that neither table has are null. The frame is of the library the first came in.

    ``on``: the column that names a person; here it holds texts. ``key``: what it is called in the second table.
    ``first_row``, ``second_row``: (rows,) int64, row of each table that a row is made of; -1 for none.
    ``without_records``: (rows,) bool, people of the first table without a row in the second.
    ``of_nobody``: (rows,) bool, rows of the second table that name a person the first does not have.
    """

    def __init__(
        self,
        frame: Any,
        *,
        first: Table,
        second: Table,
        on: str,
        key: str,
        first_row: NDArray[np.int64],
        second_row: NDArray[np.int64],
        of_nobody: NDArray[np.bool_],
    ) -> None:
        self.first, self.second, self.on, self.key = first, second, on, key
        self.first_row, self.second_row = first_row, second_row
        self.without_records: NDArray[np.bool_] = second_row < 0
        self.of_nobody = of_nobody
        super().__init__(
            frame,
            source=f"{first.source} with {second.source}",
            library=first.library,
            giver=first.giver,
            format=first.format,
            decimal=first.decimal,
            thousands=first.thousands,
            written=first.written,
            ordered=first.ordered,
            read_rows=first.read_rows,
            reading=first.reading,
        )

    def where(self, row: int, column: str | None = None) -> str:
        """Name the place of a record in the table it comes from: ``"line 17 of conditions.csv"``.

        For a ``column`` of the first table alone the place there, else that in the second; where one has no row, the other's.
        """
        places = [(self.second, int(self.second_row[row])), (self.first, int(self.first_row[row]))]
        if self._from_first(column):
            places.reverse()
        table, place = next((table, place) for table, place in places if place >= 0)
        return f"{table.where(place)} of {table.source}"

    def from_second(self, column: str) -> bool:
        """Whether only the second table has a column."""
        return column != self.on and column not in self.first.names

    def raw(self, name: str) -> RawColumn:
        """Fetch the raw column; numbers are written as in the table that has it."""
        own = self.first if self._from_first(name) else self.second
        where = partial(self.where, column=name)
        return replace(super().raw(name), decimal=own.decimal, thousands=own.thousands, where=where)

    def _from_first(self, column: str | None) -> bool:
        """Whether only the first table has a column."""
        return column is not None and column != self.on and column in self.first.names


def join(
    first: Table,
    second: Table,
    on: str,
    *,
    key: str | None = None,
    missing: Sequence[str] = ("",),
    missing_in_second: Sequence[str] | None = None,
    unused: Collection[str] = (),
) -> JoinedTable:
    """Join the records of a second table, any number of each person, to the people of a first, one row each.

    ``on``, called ``key`` in the second table, names a person, compared as text: ``007`` is not ``7``, but ``7.0`` is where a
    column of floats wrote it (`as_codes`). ``missing`` marks
    cells in it that name nobody, ``missing_in_second`` those of the second table; None: the same. Of ``unused`` names,
    which may stand in both tables because nobody needs them, the second's are left out. Types of columns are kept, or,
    where the first is a pandas frame or pyarrow table, become that library's (numbers, dates, truth values, texts).
    `TableError` when a table has no such column, another name stands in both, a person stands twice in the first, or no
    record is of a person of the first.
    """
    key = on if key is None else key
    missing_there = missing if missing_in_second is None else missing_in_second
    people = as_codes(first.encode(on, missing=missing, kind="text"))
    _check_key(second, key)
    records = as_codes(second.encode(key, missing=missing_there, kind="text"))
    both = [name for name in second.names if name in first.names and name != key and name not in unused]
    if both:
        raise TableError(
            *(
                f"{second.source}: column {name!r} stands in {first.source}, too; rename it in one of them, "
                "or give it role: drop"
                for name in both
            )
        )
    _refuse_twice(first, people)
    row_of = np.full(len(people.values) + 1, -1, np.int64)
    row_of[people.codes] = np.arange(first.height)
    row_of[-1] = -1  # missing
    person = _same_individuals(people, records)
    if not (person >= 0).any():
        raise TableError(_nobody(first, second, (on, missing), (key, missing_there)))
    of_records = row_of[person]
    has_records = np.zeros(first.height, np.bool_)
    has_records[of_records[of_records >= 0]] = True
    alone = np.flatnonzero(~has_records)
    none = np.full(alone.size, -1, np.int64)
    first_row = np.concatenate([of_records, alone])
    second_row = np.concatenate([np.arange(second.height), none])
    of_nobody = np.concatenate([(records.codes >= 0) & (person < 0), none >= 0])
    frames = library(first.library)
    labels = [*people.values, *records.values]
    known = np.where(records.codes < 0, -1, records.codes + len(people.values))
    columns: dict[str, Any] = {}
    for name in first.names:
        if name == on:
            codes = np.concatenate([known, people.codes[alone]]).astype(np.int32)
            columns[name] = frames.texts(codes, labels)
        else:
            columns[name] = _taken(first, name, first_row, frames, native=True)
    for name in second.names:
        if name not in columns and name != key:
            native = first.library == second.library
            columns[name] = _taken(second, name, second_row, frames, native=native)
    return JoinedTable(
        frames.assemble(first.held, columns, None),
        first=first,
        second=second,
        on=on,
        key=key,
        first_row=first_row,
        second_row=second_row,
        of_nobody=of_nobody,
    )


def _check_key(second: Columned, key: str) -> None:
    """Refuse a second table without the column that names a person."""
    if key in second.names:
        return
    what = f"{second.source}: no column {key!r}{suggestion(key, second.names)}"
    if nearest(key, second.names) is None:
        what += "; where the column that names a person is called otherwise in the second table, say so: records: {key: …}"
    raise TableError(what)


def _refuse_twice(first: Table, people: EncodedColumn) -> None:
    """Refuse a table of people in which one stands twice."""
    repeated = people.counts() > 1
    if not repeated.any():
        return
    again = np.append(repeated, False)[people.codes]
    row = int(np.argmax(again))
    other = row + 1 + int(np.argmax(people.codes[row + 1 :] == people.codes[row]))
    whom = count(int(np.count_nonzero(repeated)), "person")
    raise TableError(
        f"{first.source}: column {people.name!r} names {whom} more than once, the first in "
        f"{first.where(row)} and {first.where(other)}; give each person one row, their records belong in records.table"
    )


def _same_individuals(people: EncodedColumn, records: EncodedColumn) -> NDArray[np.int64]:
    """(records,) Code in the first table of each record's person; -1 for none."""
    known = pl.DataFrame(
        {"text": pl.Series(people.values.tolist(), dtype=pl.String), "code": np.arange(len(people.values))}
    )
    asked = pl.DataFrame({"text": pl.Series(records.values.tolist(), dtype=pl.String)})
    found = asked.join(known, on="text", how="left", maintain_order="left")["code"]
    codes = np.append(found.fill_null(-1).to_numpy(), -1).astype(np.int64)
    return np.asarray(codes[records.codes])


def _nobody(
    first: Table, second: Table, person: tuple[str, Sequence[str]], whose: tuple[str, Sequence[str]]
) -> str:
    """Say that no record is of anybody, and what may be the reason; of each table the column, and its markers."""
    both = ((first, person), (second, whose))
    kinds = [table.kind(name, missing=missing) for table, (name, missing) in both]
    told = "" if kinds[0] == kinds[1] else f" (it holds {kinds[0]} values in one, {kinds[1]} in the other)"
    named = (
        repr(person[0])
        if person[0] == whose[0]
        else f"{quoted(person[0])} ({quoted(whose[0])} in the second)"
    )
    return (
        f"no row of {second.source} is of a person of {first.source}: they have no text of column {named} in common{told}; "
        "write people the same way in both: leading zeros, spaces and decimal places count"
    )


def _taken(table: Table, name: str, rows: NDArray[np.int64], frames: FrameLibrary, *, native: bool) -> Any:
    """Rows of a column for the library of the first table; null for row -1."""
    if native and table.library == "polars":
        places = pl.Series(rows, dtype=pl.Int64).set(pl.Series(rows < 0), None)
        return table.held[name].gather(places)
    data = library(table.library).distinct(table.held, table.names.index(name))
    codes = np.append(data.codes, np.int32(-1))[rows]
    values = data.values
    if values.dtype not in _EXACT and values.dtype != pl.String:
        # Points in time: dates where all are midnights, else texts, as they are read anyway.
        midnight = (values == values.dt.truncate("1d")).all()
        raw = RawColumn(table.source, name, data, table.decimal, table.where, table.thousands)
        values = convert(raw, "date" if midnight else "text")
    if values.dtype == pl.String or values.is_empty():
        return frames.texts(codes, values.cast(pl.String).to_list())
    return frames.array(values.to_numpy()[codes], codes >= 0)
