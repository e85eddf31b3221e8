"""Whether the names of a file's columns look like its first record."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from likeness.profiling.cells import NUMBERS, WORDS
from likeness.report.finding import Finding
from likeness.tables.dates import to_any_dates
from likeness.tables.kinds import are_numbers
from likeness.wording import quoted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from likeness.profiling.cells import Cells
    from likeness.tables import Table

_SHOWN = 3


def without_header(table: Table, columns: Mapping[str, Cells]) -> list[Finding]:
    r"""Ask whether a file has a header, where more of its names look like cells of their columns than do not.

    A number is a cell of numbers, a day of days, and what stands below of any column. Against it speaks another name of numbers
    or days, and one that a column of values which repeat does not have. Numbers in equal steps are names, as of years.

    >>> from likeness.profiling.cells import read_cells
    >>> from likeness.tables import read_as_said
    >>> import io
    >>> table = read_as_said(io.BytesIO(b"34,f\n40,m\n29,f\n"))
    >>> [one.code for one in without_header(table, {name: read_cells(table, name) for name in table.names})]
    ['header-may-be-lacking']
    """
    if table.format not in {"csv", "excel"} or table.reading.get("header", True) is not True:
        return []
    typed = {name: own for name, own in columns.items() if own.kind in {*NUMBERS, "date"}}
    like = [name for name, own in typed.items() if _is_of(name, own.kind)]
    unlike = [name for name in typed if name not in like and name.strip().lower() not in WORDS]
    if _in_steps([name for name in like if typed[name].kind in NUMBERS]):
        like = []
    for name, own in columns.items():
        if own.kind != "text" or not own.distinct or name.strip().lower() in WORDS:
            continue
        if (own.values == name).any():
            like.append(name)
        elif 2 * own.distinct <= own.records:
            unlike.append(name)
    if len(like) <= len(unlike):
        return []
    like = [name for name in table.names if name in like]
    facts = {"table": table.source, "format": table.format, "names": like}
    return [Finding("header-may-be-lacking", facts, _no_header)]


def _is_of(name: str, kind: str) -> bool:
    """Whether a name is a number or a day, as the cells below it are."""
    text = pl.Series([name.strip()])
    if kind == "date":
        return not to_any_dates(text).has_nulls()
    return bool(are_numbers(text, ".").all() or are_numbers(text, ",").all())


def _in_steps(names: Sequence[str]) -> bool:
    """Whether numbers follow each other in equal steps: three or more in any, two in steps of one."""
    numbers = np.array([float(name.replace(",", ".")) for name in names])
    steps = np.unique(np.diff(numbers))
    return bool(steps.size == 1 and (numbers.size > 2 or steps[0] == 1))


def _no_header(*, table: str, format: str, names: Sequence[str]) -> str:  # noqa: A002
    """Say which names look like cells, and how to read a file without names."""
    listed = ", ".join(map(quoted, names[:_SHOWN]))
    more = " and others" if len(names) > _SHOWN else ""
    remedy = (
        "read it with header=False (--no-header), or give the names (--header NAME,NAME)"
        if format == "csv"
        else "write their names above"
    )
    looks = (
        "looks like a cell of its column, and is taken for a name; if it is a cell"
        if len(names) == 1
        else "look like cells of their columns, and are taken for names; if they are cells"
    )
    return f"the first line of {table} may be a record: {listed}{more} {looks}, {remedy}"
