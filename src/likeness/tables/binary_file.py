"""Parquet and Arrow files to polars frames."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import polars as pl

from likeness.errors import TableError
from likeness.tables.table import Table

if TYPE_CHECKING:
    from pathlib import Path

_ARROW_FILE = b"ARROW1"


def read_binary(
    path: Path,
    data: bytes,
    *,
    format: str,  # noqa: A002
    decimal: str = ".",
    thousands: str | None = None,
) -> Table:
    """Read a Parquet or Arrow IPC file (file or stream format).

    Parameters
    ----------
    path
        The file.
    data
        Its bytes.
    format
        ``"parquet"`` or ``"arrow"``.
    decimal
        The decimal mark of numbers in text columns.
    thousands
        What separates their thousands, if anything does.

    Returns
    -------
    Table
        Of a polars frame.

    Raises
    ------
    TableError
        If it is truncated or damaged.
    """
    if not data:
        raise TableError(f"{path}: the file is empty")
    try:
        frame = _decode(data, format)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        reason = next(iter(str(error).splitlines()), type(error).__name__)
        name = {"parquet": "Parquet", "arrow": "Arrow"}[format]
        raise TableError(f"{path}: not a whole {name} file ({reason}); fetch or write it again") from None
    return Table(
        frame, source=str(path), library="polars", format=format, decimal=decimal, thousands=thousands
    )


def _decode(data: bytes, format: str) -> pl.DataFrame:  # noqa: A002
    """Decode the frame in these bytes."""
    if format == "parquet":
        return pl.read_parquet(io.BytesIO(data))
    if data.startswith(_ARROW_FILE):
        return pl.read_ipc(io.BytesIO(data))
    return pl.read_ipc_stream(io.BytesIO(data))
