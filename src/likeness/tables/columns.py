"""Columns: as they came, as small integers, and to be built.

Every frame library brings a column's distinct values here, before anyone decides what kind they are; everything after works on
distinct values only. An encoded column says which of them each record has; a labelled one has a code per record and the label of
each code. Columns of text are codes into a dictionary of their own: four bytes a cell, whatever it says.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from likeness.errors import TableError
from likeness.wording import quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

_STORED = {"integer": "<i8", "real": "<f8", "date": "<M8[D]"}


@dataclass(frozen=True, eq=False)
class EncodedColumn:
    """A column as codes into its distinct values.

    ``kind``: ``integer``, ``real``, ``date``, ``boolean`` or ``text``.
    ``codes``: (n,) int32, index into ``values`` of each record; -1 where the value is missing.
    ``values``: (m,) those that occur, ascending; int64, float64, datetime64[D], bool, or an object array of str, by kind.

    >>> import polars as pl
    >>> from likeness.tables import read
    >>> age = read(pl.DataFrame({"age": [40, 31, None, 40]})).encode("age")
    >>> age.codes.tolist(), age.values.tolist(), age.counts().tolist(), age.missing
    ([1, 0, -1, 1], [31, 40], [1, 2], 1)
    """

    name: str
    kind: str
    codes: NDArray[np.int32]
    values: NDArray[Any]

    def counts(self) -> NDArray[np.int64]:
        """(m,) Records of each value; missing ones are counted nowhere."""
        # Shifting by one gives the missing records a bin of their own, which is then left out.
        return np.bincount(self.codes + np.int32(1), minlength=len(self.values) + 1)[1:]

    def digest(self) -> bytes:
        """SHA-256 of the values and of which record has which; truth values are texts."""
        if self.kind in _STORED:
            what, values = self.kind, np.ascontiguousarray(self.values.astype(_STORED[self.kind])).tobytes()
        else:
            texts = [str(value) for value in self.values.tolist()]
            if self.kind == "boolean":
                texts = [text.lower() for text in texts]
            lengths = np.array(list(map(len, texts)), "<i8").tobytes()
            what, values = "text", lengths + "".join(texts).encode("utf-8", "surrogatepass")
        found = sha256(f"{what} {len(self.values)} {len(self.codes)} ".encode())
        found.update(values)
        found.update(np.ascontiguousarray(self.codes, "<i4").data)
        return found.digest()

    @property
    def missing(self) -> int:
        """The number of records whose value is missing."""
        return int(np.count_nonzero(self.codes < 0))


@dataclass(frozen=True, eq=False)
class Labelled:
    """A text column given as codes, so that each label is written once.

    ``codes``: (n,) int32, index into ``labels`` of each record; -1 makes the cell null. Labels need not be sorted and may
    repeat.
    """

    codes: NDArray[np.int32]
    labels: list[str]


@dataclass(frozen=True, eq=False)
class Distinct:
    """Codes per record and the raw values they stand for.

    ``codes``: (n,) int32; -1 where the value is null or NaN. ``values``: Int64, Float64, Boolean, Date, Datetime or String,
    without nulls, in any order; some may not occur, and Strings may repeat.
    """

    codes: NDArray[np.int32]
    values: pl.Series

    def remap(self, table: NDArray[np.integer[Any]], values: pl.Series) -> Distinct:
        """Send code c to ``table[c]``, a code into `values` or -1."""
        # -1 indexes the last entry, which is therefore -1 as well.
        extended = np.append(table.astype(np.int32, copy=False), np.int32(-1))
        return Distinct(extended[self.codes], values)

    def counts(self) -> NDArray[np.int64]:
        """Shape (m,): the records of each value."""
        return np.bincount(self.codes + np.int32(1), minlength=len(self.values) + 1)[1:]

    def keep(self, wanted: NDArray[np.bool_]) -> Distinct:
        """Make the values that are not wanted missing; shape (m,)."""
        if wanted.all():
            return self
        table = np.where(wanted, np.cumsum(wanted) - 1, -1)
        return self.remap(table, self.values.filter(pl.Series(wanted)))


def all_missing(height: int) -> Distinct:
    """Make a column without a single value."""
    return Distinct(np.full(height, -1, dtype=np.int32), pl.Series([], dtype=pl.String))


def from_texts(codes: NDArray[np.integer[Any]], texts: pl.Series | Sequence[str]) -> Distinct:
    """Text: the library's own dictionary codes (-1 = null) and its dictionary."""
    if not isinstance(texts, pl.Series):
        try:
            texts = pl.Series(texts, dtype=pl.String)
        except UnicodeEncodeError as error:
            raise TableError(
                f"a text cell is not valid Unicode (a lone surrogate, {error.object[error.start]!r}); "
                "repair it before reading the table"
            ) from None
    return Distinct(codes.astype(np.int32, copy=False), texts)


def from_integers(
    numbers: NDArray[Any], valid: NDArray[np.bool_] | None, dtype: pl.DataType | type[pl.DataType] = pl.Int64
) -> Distinct:
    """Whole numbers, or what is stored as such (dates, times, booleans), as `dtype`.

    `numbers` must fit int64; what stands where `valid` is False does not matter.
    """
    kept = numbers if valid is None else numbers[valid]
    codes, values = _rank(kept.astype(np.int64, copy=False))
    return Distinct(_spread(codes, valid), pl.Series(values).cast(dtype))


def from_reals(numbers: NDArray[Any]) -> Distinct:
    """Floating-point numbers; NaN is missing."""
    valid = ~np.isnan(numbers)
    kept = numbers[valid] + numbers.dtype.type(0)  # -0.0 becomes 0.0
    values, codes = np.unique(kept, return_inverse=True)
    # A narrow 0.1 means 0.1, not 0.10000000149: take the shortest decimal that gives it.
    exact = (
        values if values.dtype == np.float64 else np.array([float(str(v)) for v in values], dtype=np.float64)
    )
    return Distinct(_spread(codes, valid), pl.Series(exact, dtype=pl.Float64))


def _rank(numbers: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Find the rank of each number among the distinct ones, and these, ascending."""
    if numbers.size == 0:
        return np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int64)
    low, high = int(numbers.min()), int(numbers.max())
    if high - low >= max(4 * numbers.size, 1 << 16):
        values, codes = np.unique(numbers, return_inverse=True)
        return codes.astype(np.int32), values
    # A small range needs no sorting: mark what occurs, then count the marks.
    offsets = numbers - low
    occurs = np.zeros(high - low + 1, dtype=np.bool_)
    occurs[offsets] = True
    ranks = np.cumsum(occurs, dtype=np.int32) - np.int32(1)
    return ranks[offsets], np.flatnonzero(occurs) + low


def _spread(codes: NDArray[np.integer[Any]], valid: NDArray[np.bool_] | None) -> NDArray[np.int32]:
    """Codes of the valid records set among -1 for the others."""
    if valid is None or codes.size == valid.size:
        return codes.astype(np.int32, copy=False)
    spread = np.full(valid.size, -1, dtype=np.int32)
    spread[valid] = codes
    return spread


_WHOLE = re.compile(r"[+-]?[0-9]+")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+|inf)(?:[eE][+-]?[0-9]+)?", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class RawColumn:
    """One column's distinct raw values, with what a message needs to point at a cell.

    ``decimal``: the decimal mark of numbers in text; None if it is still to be found. ``thousands``: what separates their
    thousands, where that was said. ``where`` names the place of a row (from 0): ``"line 17"`` or ``"row 16"``. ``copies``: (n,)
    how many records each row stands for; None where each is one.
    """

    source: str
    name: str
    data: Distinct
    decimal: str | None
    where: Callable[[int], str]
    thousands: str | None = None
    copies: NDArray[np.int64] | None = None

    @property
    def title(self) -> str:
        """How messages call the column."""
        return f"{self.source}: column {self.name!r}"

    @property
    def values(self) -> pl.Series:
        """The distinct raw values."""
        return self.data.values

    def records(self) -> NDArray[np.int64]:
        """(m,) How many records have each of the distinct values."""
        if self.copies is None:
            return self.data.counts()
        found = np.zeros(len(self.values) + 1, np.int64)
        np.add.at(found, self.data.codes, self.copies)
        return found[:-1]

    def keep(self, wanted: pl.Series | NDArray[np.bool_]) -> RawColumn:
        """Make all other values missing."""
        return replace(self, data=self.data.keep(np.asarray(wanted, dtype=np.bool_)))

    def first(self, among: pl.Series) -> str:
        """Show the first cell whose value is among these: ``'unknown' at line 17``."""
        marked = np.append(among.to_numpy(), False)  # the last entry stands for missing
        row = int(np.argmax(marked[self.data.codes]))
        value = self.values[int(self.data.codes[row])]
        return f"{quoted(value if isinstance(value, (str, int, float)) else str(value))} at {self.where(row)}"

    def error(self, problem: str) -> TableError:
        """Make an error about this column."""
        return TableError(f"{self.title} {problem}")

    def without(self, markers: Sequence[str]) -> RawColumn:
        """Make missing what a marker names, and forget values that do not occur."""
        column = self.keep(~is_marked(self.values, markers)) if len(self.values) and markers else self
        return column.keep(column.data.counts() > 0)


def is_marked(values: pl.Series, markers: Sequence[str]) -> pl.Series:
    """Which values a marker names: equal text, equal number, or the text of a date or boolean (capitals or not)."""
    if values.dtype.is_numeric():
        return values.is_in(_numbers(markers, whole=values.dtype.is_integer()))
    if values.dtype == pl.Boolean:
        markers = [marker.casefold() for marker in markers]
    texts = values if values.dtype == pl.String else values.cast(pl.String)
    return texts.is_in(list(markers))


def _numbers(markers: Sequence[str], *, whole: bool) -> list[float]:
    """Read the markers that are numbers, for a column of whole numbers or of others."""
    texts = [marker.strip() for marker in markers]
    # Whole numbers are read as such: a float is not exact beyond 2**53.
    exact = [int(text) for text in texts if _WHOLE.fullmatch(text)]
    others = [float(text) for text in texts if _NUMBER.fullmatch(text) and not _WHOLE.fullmatch(text)]
    if not whole:
        return [*map(float, exact), *others]
    exact += [int(x) for x in others if x.is_integer()]
    return [x for x in exact if -(2**63) <= x < 2**63]


_EXACT = float(1 << 53)
_OWN = "likeness"
"""Namespace of the dictionaries; categories of a table that somebody gave are in others."""


def packed_text(codes: type[pl.DataType] = pl.UInt32) -> pl.Categorical:
    """Make the type of one column; its dictionary is shared with no other and freed with it."""
    return pl.Categorical(pl.Categories.random(namespace=_OWN, physical=codes))


def narrowed(column: pl.Series, *, growing: int = 1) -> pl.Series:
    """Pack a column of texts, packed or not, as closely as their number allows: one or two bytes a cell instead of four.

    ``growing``: how many times as many texts there may come to be, where other parts are to have the same type.
    """
    texts = growing * column.n_unique()
    for codes, most in ((pl.UInt8, 1 << 8), (pl.UInt16, 1 << 16)):
        # One number less: the highest may stand for null.
        if texts < most:
            return column.cast(packed_text(codes))
    return column if is_packed(column.dtype) else column.cast(packed_text())


def as_whole(column: pl.Series) -> pl.Series:
    """Take numbers that are all whole, and exact as such, as integers: of programs that have no others."""
    if column.dtype.is_float() and bool(((column == column.round()) & (column.abs() < _EXACT)).all()):
        return column.cast(pl.Int64)
    return column


def as_text(column: pl.Series) -> pl.Series:
    """Unpack a column, for whoever is to see it; columns that are not packed stay as they are."""
    return column.cast(pl.String) if is_packed(column.dtype) else column


def packed(column: pl.Series) -> tuple[NDArray[np.int32], pl.Series]:
    """Take any column as codes, (n,) with -1 for null, and the distinct texts they stand for, in any order."""
    if not is_packed(column.dtype):
        column = column.cast(pl.String).cast(packed_text())
    distinct = column.unique().drop_nulls()
    places = column.to_physical().cast(pl.Int64)
    number = np.full(int(distinct.to_physical().to_numpy().max(initial=0)) + 2, -1, np.int32)
    number[distinct.to_physical().to_numpy()] = np.arange(distinct.len(), dtype=np.int32)
    # Null takes the last place.
    return number[places.fill_null(-1).to_numpy()], distinct.cast(pl.String)


def is_packed(dtype: pl.DataType) -> bool:
    """Whether a column of that type is text as codes into a dictionary of its own."""
    return isinstance(dtype, pl.Categorical) and dtype.categories.namespace() == _OWN
