"""A table in many files, of which nobody holds the whole: found, and looked at as a query that some engine runs.

What is found of it are counts: how many records say the same, in the columns that are asked for. They are a table like any other,
whose rows stand for so many records each (`Table.copies`).
"""

from __future__ import annotations

import glob
import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import polars as pl

from likeness.errors import Refusal, TableError
from likeness.progress import Progress
from likeness.tables.columns import narrowed, packed_text
from likeness.tables.csv_files import Dialect, count_in_file, ends_blank, header_of
from likeness.tables.databases import is_url
from likeness.tables.formats import FileFormat, Written
from likeness.tables.table import Table
from likeness.wording import quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

_KINDS = {".parquet": "parquet", ".pq": "parquet", ".csv": "csv", ".tsv": "csv", ".tab": "csv"}
_ODD_QUOTES, _QUOTE = "quotes are used inconsistently", "double every quote inside a quoted cell"
_WIDEST = 1 << 62
PIECE = 1 << 22
"""Records that are counted at a time: their counts are then put with those of the others."""
COPIES = "how many records say this"
"""Column of the numbers of records, in a frame of different ones."""


@dataclass(frozen=True)
class PartedTable:
    """A table in files of one kind.

    ``source``: what messages call it. ``files``: in the order of their names. ``kind``: ``parquet`` or ``csv``.
    ``delimiter``, ``decimal``, ``columns``: of CSV; the names as they are meant. ``heights``: of CSV, once its files were looked
    through, how many records each has. ``reading``: what was said of how to read them, as `Table.reading`.
    """

    source: str
    files: tuple[Path, ...]
    kind: str
    delimiter: str = ","
    decimal: str | None = "."
    columns: tuple[str, ...] = ()
    heights: tuple[int, ...] = ()
    reading: Mapping[str, Any] = field(default_factory=dict)

    @property
    def written(self) -> Written:
        """How a release of the same kind is written."""
        return Written(FileFormat("parquet" if self.kind == "parquet" else "csv", self.delimiter))

    @property
    def names(self) -> tuple[str, ...]:
        """Columns, in order."""
        return self.columns or tuple(self.scan().collect_schema().names())

    def scan(self) -> pl.LazyFrame:
        """Ask for all records; texts of CSV as they stand there."""
        if self.kind == "parquet":
            return pl.scan_parquet(list(self.files), glob=False)
        if self.heights and len(self.columns) > 1 and any(map(ends_blank, self.files)):
            found = zip(self.files, self.heights, strict=True)
            return pl.concat([self._scan_csv([path], height) for path, height in found])
        return self._scan_csv(list(self.files), None)

    def _scan_csv(self, files: list[Path], rows: int | None) -> pl.LazyFrame:
        """Ask for all records of CSV files, or for so many of the first."""
        return pl.scan_csv(
            files,
            separator=self.delimiter,
            infer_schema=False,
            empty_string_is_null=False,
            glob=False,
            n_rows=rows,
            # polars leaves quotes doubled in names.
            new_columns=list(self.columns),
        )

    def looked_through(self, progress: Progress) -> PartedTable:
        """Count the records of CSV files (``heights``), looking at every line; Parquet tells its own.

        Whoever reads them takes a record without its last cells for one that has no values there, and more than that.
        `TableError` at the first line that is none of a table.
        """
        if self.kind != "csv":
            return self
        heights = []
        for number, path in enumerate(self.files):
            progress.step("look through", number, len(self.files))
            heights.append(count_in_file(path, Dialect(self.delimiter), len(self.names)))
        return replace(self, heights=tuple(heights))

    def check_number(self, found: int) -> None:
        """Refuse files of which another number of records was read than `looked_through` counted."""
        if self.heights and found != sum(self.heights):
            raise TableError(Refusal(_ODD_QUOTES, (self.source,), remedy=_QUOTE))

    def pieces(self, collect: Callable[[pl.LazyFrame], pl.DataFrame]) -> list[pl.LazyFrame]:
        """Ask for all records piece by piece: some millions of a file at a time, where its kind tells how many it has.

        ``collect`` runs a query.
        """
        if self.kind != "parquet":
            places = range(len(self.files))
            return [
                replace(self, files=self.files[i : i + 1], heights=self.heights[i : i + 1]).scan()
                for i in places
            ]
        found = []
        for path in self.files:
            whole = pl.scan_parquet(path, glob=False)
            height = collect(whole.select(pl.len())).item()
            found += [whole.slice(begin, PIECE) for begin in range(0, height, PIECE)]
        return found or [self.scan()]


def is_parted(source: Any) -> bool:
    """Whether a source is a folder of files, or a pattern that names several.

    >>> is_parted("visits/*.parquet"), is_parted("visits.parquet")
    (True, False)
    """
    if not isinstance(source, str | os.PathLike):
        return False
    path = Path(source)
    pattern = glob.has_magic(str(source)) and not is_url(str(source))
    return path.is_dir() or (pattern and not path.exists())


def files_of(source: str | os.PathLike[str]) -> list[Path]:
    """List the files that a table of many files could be of, as `find_parts` does, without looking into them."""
    path = Path(source)
    if path.is_file():
        return [path] if path.suffix.lower() in _KINDS else []
    named = glob.glob(str(source), recursive=True)  # noqa: PTH207  # patterns may be absolute
    found = sorted(path.rglob("*") if path.is_dir() else map(Path, named))
    base = path if path.is_dir() else path.parent
    return [one for one in found if one.is_file() and not _beside(one, base)]


def would_read(source: str | os.PathLike[str], target: Path) -> bool:
    """Whether files that are written into a folder are read as some of a table: of a folder, or of those that a pattern names.

    ``target``: absolute.
    """
    text = str(source)
    base = Path(source)
    if not base.is_dir():
        if "**" not in text or is_url(text):
            return False
        base = Path(text[: text.index("**")] or ".")
        base = base if base.is_dir() else base.parent
    base = base.resolve()
    inside = target.is_relative_to(base)
    return inside and not any(name[:1] in {".", "_"} for name in target.relative_to(base).parts)


def find_parts(
    source: str | os.PathLike[str], *, delimiter: str | None = None, decimal: str | None = None
) -> PartedTable:
    """Find the files of a table: those of a folder and of the folders in it, those that a pattern names, or one file.

    Files whose names begin with a point or an underscore are none of it: programs that write many files leave such beside them.
    ``delimiter``, ``decimal``: of CSV; None to find them.

    Raises
    ------
    TableError
        Where there is none, they are of several kinds, or do not have the same columns.
    """
    path = Path(source)
    files = [path] if path.is_file() else files_of(path)
    kinds = {_KINDS.get(one.suffix.lower()) for one in files}
    if not files or None in kinds or len(kinds) > 1:
        what = "holds no file of a table" if not files else "holds files of several kinds"
        if files and kinds == {None}:
            what = f"holds {quoted(files[0].name)}, which no table of many files can be"
        raise TableError(
            Refusal(what, (str(source),), remedy="give a folder, or a pattern, of Parquet or CSV files")
        )
    kind = str(kinds.pop())
    options = {"delimiter": delimiter, "decimal": decimal}
    reading = {name: value for name, value in options.items() if value is not None}
    if kind == "csv":
        names, delimiter = header_of(files[0], delimiter)
        for one in files[1:]:
            _same_columns(files[0], names, one, header_of(one, delimiter)[0])
        point = decimal or ("." if delimiter == "," else None)
        return PartedTable(str(source), tuple(files), kind, delimiter, point, tuple(names), reading=reading)
    first = _schema(files[0])
    for one in files[1:]:
        own = _schema(one)
        _same_columns(files[0], list(first), one, list(own))
        for name, dtype in first.items():
            if own[name] != dtype:
                what = f"column {quoted(name)} is {own[name]} there, and {dtype} in {files[0].name}"
                raise TableError(Refusal(what, (str(one),), remedy="write it with one type"))
    return PartedTable(str(source), tuple(files), kind, decimal=decimal or ".", reading=reading)


def _beside(path: Path, base: Path) -> bool:
    """Whether a file, or a folder that it is in, is none of the table's."""
    inside = path.relative_to(base).parts if path.is_relative_to(base) else (path.name,)
    return any(name[:1] in {".", "_"} for name in inside)


def _schema(path: Path) -> dict[str, pl.DataType]:
    """Read the columns of a Parquet file, and their types."""
    try:
        if not path.stat().st_size:
            _refuse_empty(path)
        return dict(pl.read_parquet_schema(path))
    except (pl.exceptions.PolarsError, OSError) as problem:
        raise _not_whole(path, problem) from None


def _not_whole(path: Path, problem: Exception) -> TableError:
    """Say that a file is no Parquet file, or not all of one."""
    reason = next(iter(str(problem).splitlines()), type(problem).__name__)
    return TableError(Refusal(f"not a whole Parquet file ({reason})", (str(path),)))


def _refuse_empty(path: Path) -> NoReturn:
    raise TableError(Refusal("the file is empty", (str(path),)))


def _same_columns(first: Path, names: Sequence[str], path: Path, own: Sequence[str]) -> None:
    """Refuse a file that has other columns than the first, or has them in another order."""
    if list(names) != list(own):
        odd = next((name for name in [*own, *names] if (name in own) != (name in names)), None)
        what = "has the columns in another order" if odd is None else f"differs in column {quoted(odd)}"
        raise TableError(
            Refusal(f"{what} from {first.name}", (str(path),), remedy="give files of the same columns")
        )


def count_cells(
    query: pl.LazyFrame,
    names: Sequence[str],
    *,
    source: str,
    collect: Callable[[pl.LazyFrame], pl.DataFrame],
    pieces: Sequence[pl.LazyFrame] = (),
    progress: Progress | None = None,
    decimal: str | None = ".",
    counted: bool = False,
    **more: Any,
) -> Table:
    """Count the records that say the same in some columns; the rows are in the order of their values, the first column first.

    So nothing depends on the order of the records, on the files that they are in or on how many are looked at together.

    Parameters
    ----------
    query
        The records.
    names
        The columns, one at least.
    pieces
        The same records, some at a time; all at once where left out. Each is read twice: for its values, then for its rows.
    progress
        Where to say how many are done.
    source
        What messages call the table.
    collect
        Runs a query.
    decimal
        The decimal mark of numbers in columns of texts.
    counted
        Whether rows stand for several records, as the column `COPIES` says.
    more
        What else `Table` takes.

    Raises
    ------
    TableError
        Where columns hold what no column of a table can.
    """
    schema = query.select(names).collect_schema()
    # Refuses columns that hold no single values.
    Table(schema.to_frame(), source=source, library="polars")
    exprs = [_plain(name, dtype) for name, dtype in schema.items()]
    pieces, progress = pieces or [query], progress or Progress()
    values = {
        name: pl.Series(name, [], dtype) for name, dtype in query.select(exprs).collect_schema().items()
    }
    for number, piece in enumerate(pieces):
        progress.step("count", number, 2 * len(pieces))
        found = collect(piece.select(exprs).select(pl.col(name).unique().implode() for name in names))
        values = {name: pl.concat([own, found[name][0]]).unique() for name, own in values.items()}
    values = {name: own.drop_nulls().sort() for name, own in values.items()}
    words, radices = _words(values)
    often = (pl.col(COPIES).sum() if counted else pl.len()).cast(pl.Int64).alias(COPIES)
    by = [word.meta.output_name() for word in words]
    counts = _Counts()
    for number, piece in enumerate(pieces, len(pieces)):
        progress.step("count", number, 2 * len(pieces))
        asked = piece.with_columns(exprs).select(*words, *([COPIES] if counted else []))
        some = collect(asked.group_by(by).agg(often))
        counts.add([some[word].to_numpy() for word in by], some[COPIES].to_numpy())
    keys, copies = counts.together()
    columns = {name: gathered(values[name], codes) for name, codes in _apart(keys, radices, names)}
    return Table(
        pl.DataFrame({name: columns[name] for name in names}),
        source=source,
        library="polars",
        decimal=decimal,
        copies=copies,
        **more,
    )


class _Counts:
    """How often each of some packed rows was found, piece by piece; those of many pieces are put together as they grow."""

    def __init__(self) -> None:
        self._runs: list[tuple[list[NDArray[np.int64]], NDArray[np.int64]]] = []
        self._waiting = self._held = 0

    def add(self, words: list[NDArray[np.int64]], copies: NDArray[np.int64]) -> None:
        """Add what a piece has: the words of its different rows, and how often each is there."""
        self._runs.append((words, copies))
        self._waiting += copies.size
        # As many as there are already: so every row is looked at a few times only, however many pieces there are.
        if self._waiting >= max(PIECE, self._held):
            self._runs = [self.together()]
            self._held, self._waiting = self._runs[0][1].size, 0

    def together(self) -> tuple[list[NDArray[np.int64]], NDArray[np.int64]]:
        """Give the different rows, in the order of their words, and how often each was found."""
        words = [np.concatenate(own) for own in zip(*(words for words, _ in self._runs), strict=True)]
        copies = np.concatenate([copies for _, copies in self._runs])
        self._runs = []
        order = np.lexsort(words[::-1]) if len(words) > 1 else np.argsort(words[0], kind="stable")
        differs = np.zeros(order.size, np.bool_)
        differs[:1] = True
        for number, word in enumerate(words):
            ordered = word[order]
            differs[1:] |= ordered[1:] != ordered[:-1]
            words[number] = ordered
        begins = np.flatnonzero(differs)
        totals = np.add.reduceat(copies[order], begins) if begins.size else copies
        return [word[begins] for word in words], totals


def _plain(name: str, dtype: pl.DataType) -> pl.Expr:
    """Write equal values of a column equally: one zero, one missing number, texts by what they say."""
    column = pl.col(name)
    if dtype.is_float():
        return (column.fill_nan(None) + 0.0).alias(name)
    return column.cast(pl.String) if isinstance(dtype, pl.Categorical) else column


def _words(values: dict[str, pl.Series]) -> tuple[list[pl.Expr], list[list[int]]]:
    """Pack the ranks of the values of a row into as few whole numbers of 64 bits as they fit in; and the radices in each."""
    words: list[pl.Expr] = []
    radices: list[list[int]] = []
    span = _WIDEST
    for name, own in values.items():
        radix = len(own) + 1
        rank = _rank(name, own)
        if span * radix >= _WIDEST:
            words.append(rank)
            radices.append([radix])
            span = radix
        else:
            words[-1] = words[-1] * radix + rank
            radices[-1].append(radix)
            span *= radix
    return [word.alias(f"word {number}") for number, word in enumerate(words)], radices


def _rank(name: str, values: pl.Series) -> pl.Expr:
    """Rank a column among its values; null comes last."""
    column = pl.col(name)
    if not len(values):
        return pl.lit(0, pl.Int64) + column.is_null().cast(pl.Int64) * 0
    if values.dtype == pl.String:
        ranks = column.cast(pl.Enum(values)).to_physical().cast(pl.Int64)
    else:
        ranks = column.replace_strict(values, pl.int_range(len(values), eager=True), return_dtype=pl.Int64)
    return ranks.fill_null(len(values))


def _apart(
    words: list[NDArray[np.int64]], radices: list[list[int]], names: Sequence[str]
) -> Iterator[tuple[str, NDArray[np.int64]]]:
    """Take packed ranks apart, one column at a time, the last first."""
    left = list(names)
    for word, own in zip(reversed(words), reversed(radices), strict=True):
        rest = word
        for radix in reversed(own):
            rest, rank = np.divmod(rest, radix)
            yield left.pop(), rank


def gathered(values: pl.Series, ranks: NDArray[np.int64]) -> pl.Series:
    """Write out the values of a column by their places; the place behind the last is null, and texts are kept packed."""
    if values.dtype == pl.String:
        width = pl.UInt8 if len(values) < 255 else pl.UInt16 if len(values) < 65_535 else pl.UInt32
        values = values.cast(packed_text(width))
    return values.extend_constant(None, 1).gather(pl.Series(ranks))


def read_packed(path: Path) -> Table:
    """Read a Parquet file column by column, texts packed at once; `TableError` where it is none."""
    try:
        whole = pl.scan_parquet(path, glob=False)
        columns = [_packed(whole.select(name), dtype) for name, dtype in whole.collect_schema().items()]
        return Table(pl.DataFrame(columns), source=str(path), library="polars", format="parquet")
    except (pl.exceptions.PolarsError, OSError) as problem:
        raise _not_whole(path, problem) from None


def _packed(column: pl.LazyFrame, dtype: pl.DataType) -> pl.Series:
    """Collect a column."""
    if dtype != pl.String:
        return column.collect().to_series()
    return narrowed(column.select(pl.all().cast(packed_text())).collect(engine="streaming").to_series())


def collected(parts: PartedTable, ask: Callable[[], pl.DataFrame]) -> pl.DataFrame:
    """Ask polars for something of the files of a table that was looked through; `TableError` where it cannot read them."""
    try:
        return ask()
    except (pl.exceptions.PolarsError, OSError) as problem:
        if parts.kind == "csv" and isinstance(problem, pl.exceptions.ComputeError):
            raise TableError(Refusal(_ODD_QUOTES, (parts.source,), remedy=_QUOTE)) from None
        reason = next(iter(str(problem).splitlines()), type(problem).__name__)
        raise TableError(
            Refusal(f"cannot be read ({reason})", (parts.source,), remedy="look at its files")
        ) from None


def read_whole(parts: PartedTable) -> Table:
    """Read all files of a table into memory."""
    parts = parts.looked_through(Progress())
    frame = collected(parts, parts.scan().collect)
    parts.check_number(frame.height)
    return Table(
        frame,
        source=parts.source,
        library="polars",
        format=parts.kind,
        decimal=parts.decimal,
        written=parts.written,
        reading=parts.reading,
    )
