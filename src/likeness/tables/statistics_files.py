"""Files of statistics programs: SPSS (.sav .zsav), Stata (.dta) and SAS (.sas7bdat, which is only read, and .xpt).

pyreadstat reads and writes them. Values that a file declares missing are missing; a column of codes that all have a label of
their own is a column of these labels, and what was made so is told. A published file has no labels and no notes, and the formats
of its numbers tell which are whole. As the time at which it was written it tells the first day of 1970: pyreadstat knows no
other than now, which is written over.
"""

from __future__ import annotations

import io
import re
import sys
from datetime import date
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl

from likeness.errors import Refusal, TableError
from likeness.tables.columns import as_whole
from likeness.tables.compression import bound
from likeness.wording import count, quoted

PROGRAMS = {"sav": "SPSS", "zsav": "SPSS", "dta": "Stata", "sas7bdat": "SAS", "xpt": "SAS"}
_WHOLE, _REAL = (
    {"sav": "F20.0", "zsav": "F20.0", "dta": "%20.0f", "xpt": "F20"},
    {
        "sav": "F20.6",
        "zsav": "F20.6",
        "dta": "%20.0g",
        "xpt": "BEST32",
    },
)
"""Formats of published numbers, by which whole ones are told from others."""
_LONGEST_NAME = 32
"""Characters of a name in Stata, of which pyreadstat writes longer ones."""
_EXACT = 1 << 53
_FROM, _TO = date(1600, 1, 1), date(9999, 12, 31)
"""Days that all three programs know."""
_STAMPS: dict[str, list[tuple[bytes, bytes, int | None]]] = {
    "sav": [(rb"\d\d [A-Z][a-z]{2} \d\d\d\d:\d\d:\d\d", b"01 Jan 7000:00:00", 92)],
    "dta": [(rb"\d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d", b"01 Jan 1970 00:00", None)],
    "xpt": [(rb"\d\d[A-Z]{3}\d\d:\d\d:\d\d:\d\d", b"01JAN70:00:00:00", at) for at in (144, 160, 464, 480)],
}
"""How the time is written, by what it is written over, and where it stands; None: behind ``<timestamp>``."""
_STAMPS["zsav"] = _STAMPS["sav"]
_AT = b"<timestamp>\x11"
_SAID = ("file_label", "notes", "variable_value_labels", "missing_ranges", "missing_user_values")
"""What a published file does not say beside its table, as pyreadstat names it."""
CELLS, BYTES_OF_A_BYTE = 1 << 24, 100
"""Cells that a file may hold whatever its size, and bytes for each of its bytes: equal ones take no room in .zsav."""


def packer(kind: str) -> str:
    """Tell the library that writes such files and its version; `ModuleNotFoundError` where it is not there."""
    # zlib, which packs these, is part of it, and another one on every kind of system.
    return f"pyreadstat {version('pyreadstat')}{f'-{sys.platform}' if kind == 'zsav' else ''}"


def read_statistics(
    data: bytes, kind: str, *, source: str, encoding: str | None
) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Read a file of a statistics program from its bytes.

    Beside the frame, what was made of it, by column: ``labelled`` and ``partly_labelled`` columns, ``user_missing`` (how many
    values of SPSS, which letters of Stata and SAS); and what is in the file and in no table: ``titles``, the labels of columns,
    and the labels of those that are ``ordinal``, by their codes. Numbers that are all whole are integers. `TableError` if it is
    damaged, holds far more than tables do, or pyreadstat is missing.
    """
    frame, meta = _read(data, kind, source, encoding, bound(len(data)))
    missing = _user_missing(data, kind, source, encoding, meta)
    if kind in {"sav", "zsav"}:
        for name, own in missing.items():
            column = frame[name]
            wanted = pl.Series([False]).new_from_index(0, len(column))
            for one in own:
                wanted |= (column >= one["lo"]) & (column <= one["hi"])
            wanted = wanted.fill_null(value=False)
            missing[name] = int(wanted.sum())
            frame = frame.with_columns(column.set(wanted, None))
    labelled, partly, ordinal = [], [], {}
    for name, labels in meta.variable_value_labels.items():
        if name not in frame.columns:
            continue
        column = frame[name]
        present = column.drop_nulls().unique()
        told = [labels.get(value) for value in present.to_list()]
        if present.is_empty() or None in told or len(set(told)) < len(told):
            partly.append(name)
            continue
        labelled.append(name)
        if meta.variable_measure.get(name) == "ordinal":
            ordinal[name] = [labels[value] for value in present.sort().to_list()]
        frame = frame.with_columns(column.replace_strict(present, pl.Series(told), return_dtype=pl.String))
    titles = {name: label for name, label in meta.column_names_to_labels.items() if label and label != name}
    made = {
        "labelled": labelled, "partly_labelled": partly, "user_missing": missing, "titles": titles, "ordinal": ordinal,
    }  # fmt: skip
    found = {key: value for key, value in made.items() if value}
    return pl.DataFrame([as_whole(column) for column in frame.iter_columns()]), found


def _user_missing(data: bytes, kind: str, source: str, encoding: str | None, meta: Any) -> dict[str, Any]:
    """Which values a file declares missing, by column: ranges in SPSS, letters in Stata and SAS."""
    if kind in {"sav", "zsav"}:
        return dict(meta.missing_ranges)
    if kind == "xpt":
        return {}
    _, again = _read(data, kind, source, encoding, bound(len(data)), user_missing=True, output_format="dict")
    return {name: sorted(letters) for name, letters in again.missing_user_values.items() if letters}


def _read(
    data: bytes, kind: str, source: str, encoding: str | None, most: int, **given: Any
) -> tuple[pl.DataFrame, Any]:
    """Let pyreadstat read a file of at most so many bytes in memory: its frame, and what it says of itself."""
    if not data:
        raise TableError(Refusal("the file is empty", (source,)))
    options: dict[str, Any] = {"output_format": "polars", "encoding": encoding}
    _, meta = _ask(data, kind, source, metadataonly=True, **options)
    width = max(1, sum(max(8, size) for size in meta.variable_storage_width.values()))
    rows = meta.number_rows
    if rows is not None and rows * width > most:
        what = f"says it holds {count(rows, 'record')} of {width:,} bytes; no more than {most:,} bytes are read from it"
        raise TableError(Refusal(what, (source,)))
    if kind in {"sav", "zsav"}:
        options["user_missing"] = True
    # One more than there may be: a file that is written as it comes does not say how many there are.
    frame, meta = _ask(data, kind, source, row_limit=most // width + 1, **(options | given))
    if meta.number_rows is not None and meta.number_rows * width > most:
        raise TableError(Refusal(f"holds more than {most:,} bytes; no more are read from it", (source,)))
    return frame, meta


def _ask(data: bytes, kind: str, source: str, **options: Any) -> tuple[Any, Any]:
    """Call pyreadstat."""
    try:
        import pyreadstat
    except ModuleNotFoundError:
        raise TableError(missing_library(kind, source)) from None
    readers: dict[str, Any] = {
        "sav": pyreadstat.read_sav,
        "zsav": pyreadstat.read_sav,
        "dta": pyreadstat.read_dta,
        "sas7bdat": pyreadstat.read_sas7bdat,
        "xpt": pyreadstat.read_xport,
    }
    try:
        found: tuple[Any, Any] = readers[kind](io.BytesIO(data), **options)
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001  # of whatever class, by what stands in the file
        reason = next(iter(str(error).splitlines()), type(error).__name__)
        raise TableError(
            Refusal(f"not a whole {PROGRAMS[kind]} file ({reason}); fetch or write it again", (source,))
        ) from None
    return found


def missing_library(kind: str, source: str) -> Refusal:
    """Say that the library is missing that reads such files."""
    return Refusal(
        f"is a file of {PROGRAMS[kind]}, and pyreadstat, which reads that, is not installed; pip install 'likeness[statistics]'",
        (source,),
    )


def write_statistics(frame: pl.DataFrame, path: Path, kind: str) -> None:
    """Write a published table, always in the same way; `ValueError` where such a file cannot hold it."""
    import pyreadstat

    long = [name for name in frame.columns if kind == "dta" and len(name) > _LONGEST_NAME]
    if long:
        raise ValueError(
            f"Stata knows no names of more than {_LONGEST_NAME} characters, such as {quoted(long[0])}"
        )
    plain = pl.DataFrame([_plain(column) for column in frame.iter_columns()])
    # Numbers are whole or not by what they were, not by what they are written as.
    formats = {
        name: (_WHOLE if frame[name].dtype.is_integer() else _REAL)[kind]
        for name, dtype in plain.schema.items()
        if dtype == pl.Float64
    }
    options: dict[str, Any] = {"variable_format": formats}
    if kind == "dta":
        options["version"] = 14
    if kind == "zsav":
        options["compress"] = True
    writers: dict[str, Any] = {"dta": pyreadstat.write_dta, "xpt": pyreadstat.write_xport}
    try:
        writers.get(kind, pyreadstat.write_sav)(plain, str(path), **options)
    except Exception as error:  # noqa: BLE001  # of whatever class, by what stands in the table
        reason = next(iter(str(error).splitlines()), type(error).__name__)
        raise ValueError(f"a file of {PROGRAMS[kind]} cannot hold it ({reason})") from None
    data = bytearray(path.read_bytes())
    for pattern, stamp, place in _STAMPS[kind]:
        at = data.find(_AT) + len(_AT) if place is None else place
        if re.fullmatch(pattern, bytes(data[at : at + len(stamp)])) is None:
            raise ValueError(
                f"pyreadstat {version('pyreadstat')} writes the time elsewhere than is known here"
            )
        data[at : at + len(stamp)] = stamp
    path.write_bytes(data)
    _check_kept(frame, bytes(data), path, kind)


def _plain(column: pl.Series) -> pl.Series:
    """Take a column as a file can have it: numbers of 64 bits, days, texts; what is none of them, or not exactly, is text."""
    dtype = column.dtype
    if dtype.is_integer() and bool(column.is_between(-_EXACT, _EXACT).all()):
        return column.cast(pl.Float64)
    if dtype == pl.Float64 or (dtype == pl.Date and bool(column.is_between(_FROM, _TO).all())):
        return column
    return column.cast(pl.String).fill_null("")


def _check_kept(frame: pl.DataFrame, data: bytes, path: Path, kind: str) -> None:
    """Make sure that what was written is read back; `ValueError`, which names the column, where it is not."""
    found = read_published_statistics(data, kind, str(path))
    if found.columns != frame.columns:
        raise ValueError(f"a file of {PROGRAMS[kind]} would name its columns {', '.join(found.columns)}")
    for name in frame.columns:
        own, back = (column.cast(pl.String).fill_null("") for column in (frame[name], found[name]))
        if not own.equals(back):
            row = int((own != back).arg_max() or 0)
            raise ValueError(
                f"column {quoted(name)} holds {quoted(own[row])}, and a file of {PROGRAMS[kind]} would give back "
                f"{quoted(back[row])}"
            )


def read_published_statistics(data: bytes, kind: str, source: str) -> pl.DataFrame:
    """Read what `write_statistics` wrote; `TableError` where it says anything beside its table, or holds far more than it may.

    Whether it is so to the byte is not looked at (`is_written_so`).
    """
    most = BYTES_OF_A_BYTE * len(data) + 8 * CELLS if kind == "zsav" else 8 * len(data) + 8
    frame, meta = _read(data, kind, source, None, most)
    said = [name for name in _SAID if vars(meta).get(name)]
    said += [name for name, label in meta.column_names_to_labels.items() if label]
    if said:
        raise TableError(
            Refusal(f"says something beside its table ({', '.join(said)}); it was changed", (source,))
        )
    columns = []
    for column in frame.iter_columns():
        shown = meta.original_variable_types[column.name]
        # Where all values are missing there is no telling but by the format.
        wanted = {_WHOLE[kind]: pl.Int64, _REAL[kind]: pl.Float64}.get(shown, pl.Date)
        if column.dtype == pl.Null or (column.dtype.is_numeric() and wanted != pl.Date):
            columns.append(column.cast(wanted, strict=False))
        elif column.dtype in {pl.String, pl.Date}:
            columns.append(column)
        else:
            what = f"column {column.name!r} is of the type {column.dtype}, shown as {shown}; it was changed"
            raise TableError(Refusal(what, (source,)))
    return pl.DataFrame(columns)


def is_written_so(frame: pl.DataFrame, data: bytes, kind: str) -> bool:
    """Whether a file is, to the byte, what `write_statistics` writes of its table."""
    with TemporaryDirectory() as place:
        path = Path(place) / f"again.{kind}"
        try:
            write_statistics(frame, path, kind)
        except ValueError:
            return False
        return path.read_bytes() == data
