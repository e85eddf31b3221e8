"""Random columns of every kind, with what a policy declares about them."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import polars as pl
from hypothesis import strategies as st
from tests.properties.plain_regions import NUMBERS, Field

ODD = ["a", "b", "*", "", "[1, 2]", "{a|b}", "a, b", "\\e", "é", " ", "NA", "-1", "None", "x-y", "]", "\n"]
TREES: list[list[list[str]]] = [
    [["a", "A", "any"], ["b", "A", "any"], ["c", "B", "any"], ["d", "B", "any"], ["e", "B", "any"]],
    [["a", "a", "*"], ["b", "[b, c]", "*"], ["c", "[b, c]", "*"]],
    [
        ["u", "U", "P", "*"],
        ["v", "U", "P", "*"],
        ["w", "W", "P", "*"],
        ["x", "x", "x", "*"],
        ["y", "{y}", "Q", "*"],
    ],
    [["a", "only"], ["*a", "only"]],
]
DAYS = [date(2023, 12, 30) + timedelta(days=17 * i) for i in range(9)]
MARKERS = {"?", ""}


def numbers(draw: st.DrawFn, rows: int, role: str) -> Field:
    """Whole or other numbers, or dates; declared ends, bottom and top coding, derived hierarchies."""
    kind = draw(st.sampled_from(NUMBERS))
    pools: dict[str, st.SearchStrategy[Any]] = {
        "integer": st.integers(-3, 12),
        "real": st.sampled_from([-0.5, 0.0, 0.1, 0.30000000000000004, 1.25, 7.0, 1e-7, 123456.5]),
        "date": st.sampled_from(DAYS),
    }
    own = pools[kind]
    column: dict[str, Any] = {"kind": kind}
    cells = draw(st.lists(own, min_size=rows, max_size=rows))
    if role == "quasi" and draw(st.booleans()):
        low, high = sorted([draw(own), draw(own)])
        column |= {"bottom": low, "top": high}
        cells = [min(max(cell, low), high) for cell in cells]
    elif draw(st.integers(0, 2)) == 0:
        wide = {"integer": [-50, 50], "real": [-1, 2e6], "date": [date(2000, 1, 1), date(2030, 1, 1)]}
        column["domain"] = wide[kind]
    if role == "quasi" and draw(st.booleans()):
        column["weight"] = draw(st.sampled_from([0.5, 3]))
    paths = None
    if role == "quasi" and kind != "real" and draw(st.booleans()):
        column["hierarchy"], paths = (
            declared() if kind == "integer" and draw(st.booleans()) else derived(kind, cells)
        )
        # A day as bottom or top says that the kind is date, and then the regions are intervals; texts have neither.
        if draw(st.booleans()) and not (
            "bottom" in column and (kind == "date" or isinstance(column["hierarchy"], list))
        ):
            kind = "hierarchical"
            column = {k: v for k, v in column.items() if k not in {"kind", "domain"}}
    return Field("", kind, cells, column, None, paths)


def declared() -> tuple[list[list[str]], dict[str, list[str]]]:
    """A file that holds more numbers than the table, largest first."""
    rows = [[str(i), f"from {i // 4 * 4}", "low" if i < 4 else "high", "all"] for i in range(19, -9, -1)]
    return rows, {row[0]: row for row in rows}


def derived(kind: str, cells: list[Any]) -> tuple[dict[str, Any], dict[str, list[str]]]:
    """Classes of five numbers, or months and years."""
    if kind == "date":
        days = {day.isoformat(): [day.isoformat(), f"{day:%Y-%m}", f"{day:%Y}", "*"] for day in cells}
        return {"dates": ["month", "year"]}, days
    low = {cell: cell // 5 * 5 for cell in cells}
    return {"intervals": {"width": 5}}, {
        str(cell): [str(cell), f"[{begin}, {begin + 4}]", "*"] for cell, begin in low.items()
    }


def ordered(draw: st.DrawFn, rows: int, role: str) -> Field:
    """Texts in a declared order."""
    order = draw(
        st.lists(st.sampled_from([o for o in ODD if o not in MARKERS]), min_size=1, max_size=6, unique=True)
    )
    cells = draw(st.lists(st.sampled_from(order), min_size=rows, max_size=rows))
    column: dict[str, Any] = {"kind": "ordered", "domain": order}
    if draw(st.integers(0, 3)) or not all(value.strip() for value in order):
        return Field("", "ordered", cells, column, order)
    halves = [[value, f"half {2 * i // len(order)}", "both"] for i, value in enumerate(order)]
    column["hierarchy"] = halves if draw(st.booleans()) else halves[::-1]
    if draw(st.booleans()) and column["hierarchy"] == halves:
        del column["domain"]
    return Field("", "ordered", cells, column, order, {row[0]: row for row in halves})


def hierarchical(draw: st.DrawFn, rows: int, role: str) -> Field:
    """Leaves of a declared tree, or codes with prefixes."""
    if draw(st.integers(0, 3)) == 0:
        codes = ["0010", "0011", "0020", "1020", "1021"]
        cells = draw(st.lists(st.sampled_from(codes), min_size=rows, max_size=rows))
        paths = {c: [c, c[:3] + "*", c[:2] + "**", c[:1] + "***", "*"] for c in cells}
        return Field("", "hierarchical", cells, {"hierarchy": {"prefix": 4}}, None, paths)
    tree = draw(st.sampled_from(TREES))
    cells = draw(st.lists(st.sampled_from([row[0] for row in tree]), min_size=rows, max_size=rows))
    return Field("", "hierarchical", cells, {"hierarchy": tree}, None, {row[0]: row for row in tree})


def categorical(draw: st.DrawFn, rows: int, role: str) -> Field:
    """Plain texts; all values declared, or not."""
    pool = draw(st.lists(st.sampled_from(ODD), min_size=1, max_size=7, unique=True))
    cells = draw(st.lists(st.sampled_from(pool), min_size=rows, max_size=rows))
    column: dict[str, Any] = {"kind": "categorical"}
    if draw(st.integers(0, 3)) == 0:
        column["domain"] = ODD
    return Field("", "categorical", [None if cell in MARKERS else cell for cell in cells], column)


def series(own: Field) -> pl.Series:
    """The column as it stands in the table."""
    cells = [cell for cell in own.cells if cell is not None]
    text = not cells or isinstance(cells[0], str)
    dtype = pl.String if text else {int: pl.Int64, float: pl.Float64, date: pl.Date}[type(cells[0])]
    return pl.Series(own.name, own.cells, dtype)
