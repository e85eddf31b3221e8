# ruff: noqa: DTZ001
from datetime import UTC, date, datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from likeness.errors import TableError
from likeness.tables import read
from likeness.tables.table import name_problems

COLUMNS = [
    ([40, 31, 40], "integer", [31, 40], [1, 0, 1]),
    ([40.5, 31.0, 40.5], "real", [31.0, 40.5], [1, 0, 1]),
    (["f", "m", None], "text", ["f", "m"], [0, 1, -1]),
    (["f", "", "m"], "text", ["f", "m"], [0, -1, 1]),
    (["40", "9", "40"], "integer", [9, 40], [1, 0, 1]),
    (["02139", "10001", "02139"], "text", ["02139", "10001"], [0, 1, 0]),
    (["1.5", "1.50", "2"], "real", [1.5, 2.0], [0, 0, 1]),
    ([True, False, True], "boolean", [False, True], [1, 0, 1]),
    ([True, None, False], "boolean", [False, True], [1, -1, 0]),
    ([date(2024, 2, 1), date(2024, 1, 31), None], "date", [date(2024, 1, 31), date(2024, 2, 1)], [1, 0, -1]),
    ([datetime(2024, 2, 1), None], "date", [date(2024, 2, 1)], [0, -1]),
    ([datetime(2024, 2, 1, 12), None], "text", ["2024-02-01T12:00:00"], [0, -1]),
    ([Decimal("1.50"), Decimal("0.25"), None], "real", [0.25, 1.5], [1, 0, -1]),
    ([0.5, float("nan"), None], "real", [0.5], [0, -1, -1]),
    ([None, None], "text", [], [-1, -1]),
]  # fmt: skip


@pytest.mark.parametrize(("cells", "kind", "values", "codes"), COLUMNS)
def test_columns_are_the_same_in_every_library(make, cells, kind, values, codes):
    table = read(make({"x": cells}))
    column = table.encode("x")
    assert table.kind("x") == column.kind == kind
    assert column.values.tolist() == values
    assert column.codes.tolist() == codes
    assert column.name == "x"


def test_days_are_those_of_the_zone_the_times_are_in(make, library):
    evening = datetime(2024, 1, 31, 23, tzinfo=UTC)
    column = read(make({"x": [evening]}))
    if library == "pandas":
        zoned = column.frame.assign(x=column.frame["x"].dt.tz_convert("Asia/Tokyo"))
    elif library == "polars":
        zoned = column.frame.with_columns(pl.col("x").dt.convert_time_zone("Asia/Tokyo"))
    else:
        zoned = column.frame.cast(pa.schema([("x", pa.timestamp("us", "Asia/Tokyo"))]))
    assert read(zoned).encode("x", kind="date").values.tolist() == [date(2024, 2, 1)]


def test_what_int64_cannot_hold_stays_exact_as_text(make, library):
    large = np.array([2**63, 1], dtype=np.uint64)
    column = read(make({"x": large})).encode("x")
    assert (column.kind, column.values.tolist(), column.codes.tolist()) == ("text", ["1", str(2**63)], [1, 0])


def test_markers_mark_numbers(make):
    table = read(make({"x": [-9, 40, 31], "y": [-9.0, 2.5, 2.5]}))
    assert table.encode("x", missing=["", "-9"]).codes.tolist() == [-1, 1, 0]
    assert table.encode("y", missing=["-9"]).values.tolist() == [2.5]


def test_a_declared_kind_is_parsed(make):
    table = read(make({"x": [40, 31]}))
    assert table.encode("x", kind="text").values.tolist() == ["31", "40"]
    assert table.encode("x", kind="real").values.tolist() == [31.0, 40.0]
    with pytest.raises(TableError, match="frame: column 'x' is declared date, but 40 at row 1 is not a date"):
        table.encode("x", kind="date")


def test_mixed_columns_name_the_row(make, library):
    with pytest.raises(TableError) as caught:
        read(make({"age": ["40", None, "unknown", "31"]})).encode("age")
    assert str(caught.value) == (
        f"{library} frame: column 'age' mixes numbers and text: 'unknown' at row 3; "
        "declare its kind, or list the text under missing.markers"
    )


def test_infinite_numbers_are_refused_unless_marked(make):
    table = read(make({"x": [1.5, float("-inf")]}))
    with pytest.raises(TableError, match="holds an infinite number: -inf at row 2"):
        table.encode("x")
    assert table.encode("x", missing=["-inf"]).values.tolist() == [1.5]


@pytest.mark.parametrize("cell", [["a"], {"b": 1}, b"raw"])
def test_nested_columns_and_bytes_are_refused(make, library, cell):
    with pytest.raises(TableError, match=f"^{library} frame: column 'x' holds .*, not single values"):
        read(make({"x": [cell], "ok": [1]}))


def test_odd_names_work(make):
    name = 'hours-per week "é" %s'
    table = read(make({name: [1, 2]}))
    assert table.encode(name).name == name
    assert read(table.take(np.array([0]), [name])).names == (name,)


def test_an_unknown_column_gets_a_suggestion(make):
    with pytest.raises(TableError, match="no column 'agee'; did you mean 'age'"):
        read(make({"age": [1]})).encode("agee")


def test_rows_and_columns_are_taken_in_order(make, library):
    table = read(make({"a": [1, 2, 3], "b": ["x", "y", "z"], "c": [0, 0, 0]}))
    taken = table.take(np.array([2, 0, 2]), ["b", "a"])
    assert type(taken) is type(table.frame)
    as_dict = {"polars": lambda t: t.to_dict(as_series=False), "pandas": lambda t: t.to_dict("list"), "pyarrow": lambda t: t.to_pydict()}[library]  # fmt: skip  # noqa: E501
    assert list(as_dict(taken).items()) == [("b", ["z", "x", "z"]), ("a", [3, 1, 3])]


def test_a_table_shows_its_first_ten_rows(make, library):
    table = read(make({"secret": [f"cell-{i:02d}" for i in range(30)]}))
    for shown in (repr(table), table._repr_html_()):
        assert f"{library} frame ({library}): 30 rows, 1 column" in shown
        assert "cell-00" in shown
        assert "cell-09" in shown
        assert "cell-10" not in shown


def test_html_is_escaped(make):
    shown = read(make({"<b>": ["<script>alert(1)</script>"]}))._repr_html_()
    assert "<script>" not in shown


def test_name_problems():
    assert name_problems(["a", "b"], "t") == []
    assert [*map(str, name_problems(["a", " ", "a", "a"], "t"))] == [
        "t: column 2 has no name; name every column",
        "t: the name 'a' stands for columns 1 and 3 and 4; give each its own",
    ]


def test_asking_for_one_column_after_another_never_mixes_them(make):
    table = read(make({"a": [1, 2], "b": [5, 4]}))
    first = table.encode("a")
    assert table.encode("b").values.tolist() == [4, 5]
    assert table.encode("a").codes.tolist() == first.codes.tolist() == [0, 1]


def test_the_frame_is_never_changed(make, library):
    cells = {"a": ["x", None, "?"], "b": [-9, 1, 2]}
    frame = make(cells)
    table = read(frame)
    table.encode("a", missing=["?"])
    table.encode("b", missing=["-9"])
    equal = pd.DataFrame.equals if library == "pandas" else type(frame).equals
    assert equal(frame, make(cells))
