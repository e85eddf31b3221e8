"""Tables in and out: CSV, JSON lines, Excel, Parquet, Arrow; frames of polars, pandas, pyarrow; Arrow streams; databases.

``read`` gives a `Table`, which encodes one column at a time; ``build`` makes a frame of the library the table came in,
``in_own_type`` a column in the type it had there; ``join`` takes a table of people and one of their records for one;
``write`` and ``read_published`` are the two ends of a published file, ``texts`` and ``read_texts`` of a value in one. pandas
and pyarrow are imported only when one of their frames is seen.
"""

from __future__ import annotations

from likeness.tables.columns import EncodedColumn, Labelled
from likeness.tables.formats import FileFormat, format_of
from likeness.tables.joining import Columned, JoinedTable, ToJoin, join
from likeness.tables.kinds import as_codes
from likeness.tables.own_types import in_own_type
from likeness.tables.parts import would_read
from likeness.tables.published import read_published
from likeness.tables.reading import read, read_again, read_as_said, read_beside
from likeness.tables.spelling import bare_names, misspelled, must_read, plain_value, read_texts, texts
from likeness.tables.table import Table
from likeness.tables.writing import build, retyped, widened, write

__all__ = [
    "Columned",
    "EncodedColumn",
    "FileFormat",
    "JoinedTable",
    "Labelled",
    "Table",
    "ToJoin",
    "as_codes",
    "bare_names",
    "build",
    "format_of",
    "in_own_type",
    "join",
    "misspelled",
    "must_read",
    "plain_value",
    "read",
    "read_again",
    "read_as_said",
    "read_beside",
    "read_published",
    "read_texts",
    "retyped",
    "texts",
    "widened",
    "would_read",
    "write",
]
