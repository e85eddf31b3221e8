"""A table as it came, whatever the frame library.

From a raw column to codes into its distinct values: markers, kind, order.
"""

from __future__ import annotations

import json
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from likeness.errors import InvalidError, Refusal, TableError, suggestion
from likeness.pages import in_notebook
from likeness.tables.columns import EncodedColumn, RawColumn, is_marked, is_packed
from likeness.tables.frames import library
from likeness.tables.kinds import KINDS, convert, detect, ranked
from likeness.wording import count

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from likeness.tables.columns import Distinct
    from likeness.tables.databases.addresses import ReadRows
    from likeness.tables.formats import Written


def encode(column: RawColumn, *, missing: Sequence[str], kind: str | None) -> EncodedColumn:
    """Dictionary-encode one raw column; cells with the text, or the number, of a ``missing`` marker are missing.

    ``kind``: one of `KINDS`; None to detect it. `TableError` if a cell is not of it, or it cannot be detected;
    `InvalidError` if there is no such kind.
    """
    if kind is not None and kind not in KINDS:
        raise InvalidError(f"no such kind: {kind!r}{suggestion(kind, KINDS)}")
    column = column.without(missing)
    kind = kind or detect(column)
    typed = convert(column, kind)
    if typed.dtype.is_numeric() and not column.values.dtype.is_numeric():
        # "-9.0" is the number that the marker "-9" names, as it would be in a column of numbers.
        wanted = ~is_marked(typed, missing)
        column, typed = column.keep(wanted), typed.filter(wanted)
    ranks, values = ranked(typed)
    codes = column.data.codes
    if not np.array_equal(ranks, np.arange(len(ranks))):
        codes = column.data.remap(ranks, values).codes
    return EncodedColumn(column.name, kind, codes, values.to_numpy())


_PREVIEW = 10
_FEW = 10_000
"""Columns of no more records are kept encoded: they are asked for again, and looking at them anew takes longer than a search."""
_ROW_NUMBERS = ", or write the table without the row numbers that R (row.names = FALSE) and pandas (index=False) put first"


class Table:
    """A table as it came: its native frame, and each column encoded on request; made by `likeness.tables.read`.

    ``frame``: a polars or pandas frame or a pyarrow table; never changed.
    ``source``: what messages call it: the path, or ``"polars frame"``.
    ``library``: ``"polars"``, ``"pandas"`` or ``"pyarrow"``.
    ``format``: what it was read from: ``"csv"``, ``"jsonl"``, ``"excel"``, ``"parquet"``, ``"arrow"``, the ending of a
    statistics program's file, ``"database"`` or ``"frame"``.
    ``first_line``: for CSV, the line of the file on which the first record begins; messages then count lines.
    ``decimal``: the decimal mark of numbers in text columns; None to find it for each column.
    ``thousands``: what separates their thousands; None if nothing does, or what can be nothing else.
    ``written``: how its file is written, and so a release of the same kind; None for frames.
    ``copies``: (height,) int64, how many records each row stands for, where records were counted; None where each is one.
    ``ordered``: whether its records were counted, and written out in the order of their values.
    ``giver``: what gave the frame, where that is of another library, such as a DuckDB relation.
    ``read_rows``: where it stands in a database, if it was read from one.
    ``reading``: the options of `likeness.tables.read` that were given, as JSON can hold them.
    ``names``, ``height``: the columns in order, and the number of records.

    `TableError` for duplicate or empty column names, and columns whose cells are not single values.
    """

    def __init__(
        self,
        frame: Any,
        *,
        source: str,
        library: str,
        format: str = "frame",  # noqa: A002
        first_line: int | None = None,
        decimal: str | None = ".",
        thousands: str | None = None,
        written: Written | None = None,
        giver: Any = None,
        copies: NDArray[np.int64] | None = None,
        ordered: bool = False,
        read_rows: ReadRows | None = None,
        reading: Mapping[str, Any] | None = None,
    ) -> None:
        self.held = frame
        self.read_rows = read_rows
        self.reading = dict(reading or {})
        self.copies = copies
        self.ordered = ordered
        self.giver = giver
        self.source = source
        self.library = library
        self.format = format
        self.first_line = first_line
        self.decimal = decimal
        self.thousands = thousands
        self.written = written
        self.names: tuple[str, ...] = tuple(self._native.names(frame))
        self.height: int = self._native.height(frame)
        self._latest: tuple[str, Distinct] | None = None
        self._kinds: dict[tuple[str, tuple[str, ...]], str] = {}
        self._encoded: dict[tuple[str, tuple[str, ...], str | None], EncodedColumn] = {}
        problems: list[str | Refusal] = [*name_problems(self.names, source), *self._unusable()]
        if problems:
            raise TableError(*problems)

    def written_out(self) -> Table:
        """Give every record that was counted a row of its own, in the order of the values."""
        if self.copies is None:
            return self
        rows = np.repeat(np.arange(self.height), self.copies)
        return self._with(self.take(rows, self.names), None, self, ordered=True)

    def kind(self, name: str, *, missing: Sequence[str] = ("",)) -> str:
        """Detect what kind a column is, by the rules of `likeness.tables.kinds.detect`; ``missing``: markers.

        `TableError` if there is no such column, or it mixes numbers and text.
        """
        key = name, tuple(missing)
        if key not in self._kinds:
            self._kinds[key] = detect(self.raw(name).without(missing))
        return self._kinds[key]

    @property
    def records(self) -> int:
        """Number of records: of rows, unless these stand for several."""
        return self.height if self.copies is None else int(self.copies.sum())

    def is_text(self, name: str) -> bool:
        """Whether the cells of a column are text, whatever they may be read as; always so in CSV."""
        return bool(self.raw(name).values.dtype == pl.String)

    def dtype(self, name: str) -> pl.DataType | None:
        """Tell the type of a column, of a table that polars holds; None of others, and where it is text."""
        if self.library != "polars":
            return None
        dtype: pl.DataType = self.held.schema[name]
        return None if dtype == pl.String or is_packed(dtype) else dtype

    def has_comma(self, name: str) -> bool:
        """Whether a column of numbers that are text has any with a comma for its decimal mark."""
        values = self.raw(name).values
        may = values.dtype == pl.String and self.decimal != "." and self.thousands != ","
        return may and bool(values.str.contains(",", literal=True).any())

    def encode(self, name: str, *, missing: Sequence[str] = ("",), kind: str | None = None) -> EncodedColumn:
        """Dictionary-encode one column, as ``kind``, or as what is detected from its distinct values.

        ``missing``: markers: a cell with this text, or this number, is missing; null and NaN always are. `TableError` if there
        is no such column, a cell is not of the declared kind, a number is infinite, or numbers and text are mixed.
        """
        key = name, tuple(missing)
        known = self._kinds.get(key) if kind is None else kind
        if (found := self._encoded.get((*key, known))) is not None:
            return found
        found = encode(self.raw(name), missing=missing, kind=known)
        if kind is None:
            self._kinds[key] = found.kind
        if self.height <= _FEW:
            self._encoded[*key, found.kind] = found
        return found

    def order(self, name: str) -> tuple[list[str], bool] | None:
        """Categories that the type of a column lists in order, as text, and whether it says that the order is meant.

        An ordered Categorical of pandas and an ordered dictionary of Arrow say so, and SPSS of labels by their codes; an Enum of
        polars has one anyway.
        """
        ordinal = {} if self.written is None else self.written.read.get("ordinal", {})
        if name in ordinal:
            return list(ordinal[name]), True
        found: tuple[list[str], bool] | None = self._native.order(self.held, self._position(name))
        return found

    def as_it_is(self, name: str) -> EncodedColumn:
        """Dictionary-encode a column whose cells are published unchanged: empty ones are a text like any other."""
        return self.encode(name, missing=(), kind="text" if self.is_text(name) else None)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of all cells in their order, the same for the same values from any frame library or kind of file.

        Numbers and dates count as such where they are read as such, all else as text; null, NaN and the empty text are one.
        """
        found = sha256(json.dumps([self.height, self.names]).encode())
        for name in self.names:
            try:
                column = self.encode(name)
            except TableError:
                # Numbers among texts, or infinite ones: nobody may need this column.
                column = self.encode(name, kind="text")
            found.update(column.digest())
        if self.copies is not None:
            found.update(np.ascontiguousarray(self.copies, "<i8").data)
        return found.hexdigest()

    def rows(self, rows: NDArray[np.int64]) -> Table:
        """Take records, in any order, as a table whose cells are read as those of this one."""
        copies = None if self.copies is None else self.copies[rows]
        return self._with(self.take(rows, self.names), copies, self)

    def marked_as(self, other: Table) -> Table:
        """Read the numbers in its texts by the marks of another table."""
        return self._with(self.held, self.copies, other)

    def _with(
        self, frame: Any, copies: NDArray[np.int64] | None, marks: Table, *, ordered: bool = False
    ) -> Table:
        """Make a table of another frame with these columns, whose numbers have the marks of a table."""
        return Table(
            frame,
            source=self.source,
            library=self.library,
            format=self.format,
            decimal=marks.decimal,
            thousands=marks.thousands,
            written=self.written,
            copies=copies,
            ordered=ordered,
            read_rows=self.read_rows,
            reading=self.reading,
        )

    def take(self, rows: NDArray[np.int64], names: Sequence[str]) -> Any:
        """Take records, in any order, as a frame of the library the table came in; a pandas frame keeps its index."""
        return self._native.take(self.held, rows, [self._position(name) for name in names])

    def column(self, name: str, rows: NDArray[np.int64]) -> Any:
        """Take one column of some records, in its own type; categories that none of the records has are forgotten."""
        return self._native.column(self.held, rows, self._position(name))

    def where(self, row: int, column: str | None = None) -> str:  # noqa: ARG002  # joined tables ask
        """Name the place of a record (from 0) as people find it: ``"line 17"`` of the CSV file, or ``"row 16"``, from 1.

        Quoted cells may span several lines. ``column``: what it is about, for tables joined of two.
        """
        if self.copies is not None:
            return count(int(self.copies[row]), "equal record")
        if self.ordered:
            return f"row {row + 1} in the order of the values"
        if self.first_line is None:
            return f"row {row + 1}"
        # Every cell of a CSV table is text: the line breaks inside the cells above count too.
        above = self.held.head(row)
        inside = sum(
            column.cast(pl.String).str.count_matches("\n", literal=True).sum()
            for column in above.iter_columns()
        )
        return f"line {self.first_line + row + inside}"

    def __repr__(self) -> str:
        """Title and first rows."""
        text, _ = self._native.preview(self.held, _PREVIEW)
        return f"{self._title()}\n{text}"

    def _repr_html_(self) -> str:
        """Title and first rows, for notebooks."""
        _, html = self._native.preview(self.held, _PREVIEW)
        return in_notebook(self._title(), frame=html)

    def _title(self) -> str:
        """Where it is from and how large it is."""
        return f"Table {self.source} ({self.library}): {count(self.height, 'row')}, {count(len(self.names), 'column')}"

    @cached_property
    def frame(self) -> Any:
        """The frame as it came; ``held`` may keep columns of text packed (`likeness.tables.columns`)."""
        return self._native.unpacked(self.held)

    @property
    def _native(self) -> Any:
        """The functions for this frame library."""
        return library(self.library)

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {name: position for position, name in enumerate(self.names)}

    def _position(self, name: str) -> int:
        """Where the column stands."""
        position = self._positions.get(name)
        if position is None:
            raise TableError(f"{self.source}: no column {name!r}{suggestion(name, self.names)}")
        return position

    def raw(self, name: str) -> RawColumn:
        """Fetch the raw column; the latest one is kept, because its kind is asked before its codes."""
        position = self._position(name)
        if self._latest is None or self._latest[0] != name:
            try:
                self._latest = (name, self._native.distinct(self.held, position))
            except TableError as error:
                raise TableError(*error.within(f"{self.source}: column {name!r}")) from None
        return RawColumn(
            self.source, name, self._latest[1], self.decimal, self.where, self.thousands, self.copies
        )

    def _unusable(self) -> list[str]:
        """Columns that no method can read, one line each."""
        return [
            f"{self.source}: column {name!r} holds {kind}, not single values; convert it or leave it out"
            for name, kind in self._native.unusable(self.held).items()
        ]


def name_problems(names: Sequence[str], source: str) -> list[Refusal]:
    """Say which column names are empty or stand twice, one line each."""
    problems = [
        Refusal(f"column {i} has no name; name every column{_ROW_NUMBERS if i == 1 else ''}", (source,))
        for i, name in enumerate(names, 1)
        if not name.strip()
    ]
    places: dict[str, list[int]] = {}
    for i, name in enumerate(names, 1):
        places.setdefault(name, []).append(i)
    for name, own in places.items():
        if len(own) > 1 and name.strip():
            listed = " and ".join(map(str, own))
            problems.append(
                Refusal(
                    f"the name {name!r} stands for columns {listed}", (source,), remedy="give each its own"
                )
            )
    return problems
