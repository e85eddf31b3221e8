"""One sheet of an Excel file to a polars frame: its first row that is not blank names the columns.

fastexcel reads the cells. What it would do in silence is not left to it: give columns without a name one, rename the second
of two, take one sheet of several.
"""

from __future__ import annotations

import io
import logging
import zipfile
import zlib
from typing import TYPE_CHECKING, Any

import polars as pl

from likeness.errors import Refusal, TableError, suggestion
from likeness.tables.columns import as_whole
from likeness.tables.compression import bound
from likeness.tables.table import name_problems
from likeness.wording import quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

_SILENT = logging.NullHandler()
"""fastexcel says on stderr that a column is empty; whoever listens to its logger hears it still."""
_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError)
_TIME, _MIDNIGHT = r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$", " 00:00:00"
"""How fastexcel writes a date that stands in a column beside texts."""
_OLD = b"\xd0\xcf\x11\xe0"


def read_sheet(data: bytes, *, source: str, sheet: str | None) -> pl.DataFrame:
    """Read the sheet of that name; or, left out, the only one in sight that is not blank.

    Numbers that are all whole are integers, as Excel has no others; dates without times are dates. Cells with errors, such
    as #N/A, are missing; rows without a value are no records, columns without a name or a value no columns. `TableError` if
    the file is damaged or holds far more than tables do, several sheets may be meant, or a library is missing.
    """
    try:
        import fastexcel
    except ModuleNotFoundError:
        raise TableError(
            Refusal(
                "is an Excel file, and fastexcel, which reads that, is not installed; pip install 'likeness[excel]'",
                (source,),
            )
        ) from None
    _check_archive(data, source)
    logger = logging.getLogger("fastexcel")
    if _SILENT not in logger.handlers:
        logger.addHandler(_SILENT)
    try:
        reader = fastexcel.read_excel(data)
        name = _choose(reader, sheet, source)
        head = reader.load_sheet(name, header_row=None, n_rows=1, dtypes="string").to_polars()
        frame = reader.load_sheet(name, header_row=0, schema_sample_rows=None).to_polars()
    except fastexcel.FastExcelError as error:
        reason = next(iter(str(error).splitlines()), type(error).__name__)
        raise TableError(
            Refusal(f"not a whole Excel file ({reason}); fetch or save it again", (source,))
        ) from None
    if not head.width:
        raise TableError(Refusal(f"the sheet {quoted(name)} is empty", (source,)))
    return _tidy(frame, [text or "" for text in head.row(0)], source)


def _check_archive(data: bytes, source: str) -> None:
    """Refuse what is no whole archive of XML, and what would unpack to far more than tables do."""
    if not data:
        raise TableError(Refusal("the file is empty", (source,)))
    if data.startswith(_OLD):
        raise TableError(
            Refusal(
                "is protected by a password, or an old .xls file by another name; "
                "save it as .xlsx without a password",
                (source,),
            )
        )
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            most = bound(len(data))
            if sum(member.file_size for member in archive.infolist()) > most:
                raise TableError(
                    Refusal(f"unpacks to more than {most >> 20:,} MB; save the sheet as CSV", (source,))
                )
            damaged = archive.testzip()
    except _DAMAGED as error:
        raise TableError(
            Refusal(f"not a whole Excel file ({error}); fetch or save it again", (source,))
        ) from None
    if damaged is not None:
        raise TableError(
            Refusal(f"not a whole Excel file ({damaged} is damaged); fetch or save it again", (source,))
        )


def _choose(reader: Any, sheet: str | None, source: str) -> str:
    """Find the sheet that is meant; where it is not said, the only one that can be seen and holds anything."""
    names: list[str] = reader.sheet_names
    if sheet is not None:
        if sheet not in names:
            listed = ", ".join(map(quoted, names))
            raise TableError(
                Refusal(f"no sheet {sheet!r}{suggestion(sheet, names)}; it has {listed}", (source,))
            )
        return sheet
    if len(names) == 1:
        return names[0]
    loaded = {name: reader.load_sheet(name, n_rows=1, header_row=None) for name in names}
    filled = [name for name, one in loaded.items() if one.visible == "visible" and one.width]
    if len(filled) > 1:
        listed = ", ".join(map(quoted, filled))
        raise TableError(Refusal(f"has several sheets: {listed}; say which with sheet= (--sheet)", (source,)))
    return filled[0] if filled else names[0]


def _tidy(frame: pl.DataFrame, names: Sequence[str], source: str) -> pl.DataFrame:
    """Name the columns as the sheet does, and leave away what is blank."""
    kept = [i for i, name in enumerate(names) if name.strip() or frame[:, i].null_count() < frame.height]
    problems = name_problems([names[i] for i in kept], source)
    if problems:
        raise TableError(*problems)
    columns = [_typed(frame[:, i]).alias(names[i]) for i in kept]
    whole = pl.DataFrame(columns)
    return whole.filter(~pl.all_horizontal(pl.all().is_null())) if columns else whole


def _typed(column: pl.Series) -> pl.Series:
    """Take numbers that are all whole as integers, and times that are all midnight as dates, also among texts."""
    if column.dtype == pl.String:
        times = column.str.contains(_TIME).fill_null(value=False)
        if times.any() and column.filter(times).str.ends_with(_MIDNIGHT).all():
            return column.set(times, None).fill_null(column.str.strip_suffix(_MIDNIGHT))
        return column
    if column.dtype == pl.Datetime and bool((column == column.dt.truncate("1d")).all()):
        return column.cast(pl.Date)
    return as_whole(column)
