"""Columns to a file whose bytes depend on nothing but the columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from likeness.errors import OutputError
from likeness.tables.building import native_columns
from likeness.tables.formulas import Formulas, escape, escape_names
from likeness.tables.frames import library

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

# Fixed, because the default follows the machine and how the frame happens to be cut into chunks.
_ROW_GROUP = 1 << 18


def write(
    columns: Mapping[str, Any],
    path: Path,
    format: Literal["csv", "parquet"],  # noqa: A002
    formulas: Formulas = "keep",
) -> None:
    r"""Write a table: the same columns give the same bytes, on any number of cores.

    Parameters
    ----------
    columns
        By name, all of n rows: `Labelled`, `EncodedColumn`, an array or a polars Series.
    path
        The file to write; its folder exists. An existing file is replaced.
    format
        ``"csv"`` (UTF-8, comma, LF, quotes where needed; null is an empty cell) or ``"parquet"``.
    formulas
        ``"keep"`` texts that a spreadsheet program would run, or ``"escape"`` them, names of columns too
        (`likeness.tables.formulas`).

    Raises
    ------
    OutputError
        If the file cannot be written.
    ValueError
        If the columns are not of one length.

    Examples
    --------
    >>> import numpy as np, tempfile
    >>> from pathlib import Path
    >>> from likeness.tables import Labelled
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "release.csv"
    ...     write({"age": Labelled(np.array([0, 0], dtype=np.int32), ["[18, 40]"])}, file, "csv")
    ...     file.read_bytes()
    b'age\n"[18, 40]"\n"[18, 40]"\n'
    """
    native = native_columns(library("polars"), columns)
    frame = pl.DataFrame([pl.Series(name, column) for name, column in native.items()]).rechunk()
    if formulas == "escape":
        frame = frame.with_columns(pl.col(pl.String).map_batches(escape, return_dtype=pl.String))
        frame.columns = escape_names(frame.columns)
    try:
        with path.open("wb") as file:
            if format == "csv":
                frame.write_csv(
                    file, separator=",", line_terminator="\n", quote_char='"', quote_style="necessary"
                )
            else:
                frame.write_parquet(file, compression="zstd", compression_level=3, row_group_size=_ROW_GROUP)
    except OSError as error:
        raise OutputError(f"{path}: cannot be written ({error.strerror or error})") from None
