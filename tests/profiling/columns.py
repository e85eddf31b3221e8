"""Columns for these tests."""

import polars as pl

from likeness.profiling.cells import read_cells
from likeness.profiling.meaning import interpret
from likeness.tables import read


def cells(values, name="x", **options):
    """One column, read."""
    return read_cells(read(pl.DataFrame({name: pl.Series(values, **options)})), name)


def meaning(values, name="x", **options):
    return interpret(cells(values, name, **options))


def all_cells(frame):
    table = read(pl.DataFrame(frame))
    return {name: read_cells(table, name) for name in table.names}
