"""Published files back in, cell for cell: what is proven is proven from these bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likeness.errors import TableError
from likeness.tables.binary_file import read_binary
from likeness.tables.csv_dialect import Dialect
from likeness.tables.csv_file import parse
from likeness.tables.file_bytes import read_bytes
from likeness.tables.table import Table

if TYPE_CHECKING:
    from pathlib import Path


def read_published(path: Path) -> Table:
    r"""Read a file that `likeness.tables.write` wrote.

    Nothing is inferred: every cell of a CSV file is text, an empty cell is ``""``, and there are no
    nulls. Parquet keeps its types. A table without records is a table here.

    Parameters
    ----------
    path
        A .csv or .parquet file.

    Returns
    -------
    Table
        Of a polars frame.

    Raises
    ------
    TableError
        If the file is not there, damaged, or not as `write` leaves it: UTF-8, commas, equally many
        cells in each record.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "release.csv"
    ...     _ = file.write_text("zip,sex\n02139,\n")
    ...     read_published(file).frame.rows()
    [('02139', '')]
    """
    if path.suffix == ".parquet":
        return read_binary(path, format="parquet")
    if path.suffix != ".csv":
        raise TableError(f"{path}: unknown extension {path.suffix!r}; published tables are .csv or .parquet")
    data = read_bytes(path)
    if not data:
        raise TableError(f"{path}: the file is empty")
    try:
        data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise TableError(
            f"{path}: not UTF-8 at line {line} (byte offset {error.start}); it was changed"
        ) from None
    frame, first_line = parse(data, Dialect(","), source=str(path))
    return Table(frame, source=str(path), library="polars", format="csv", first_line=first_line)
