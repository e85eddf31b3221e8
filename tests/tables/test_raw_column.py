from datetime import date

import numpy as np
import polars as pl
import pytest

from likeness.tables.columns import Distinct, RawColumn, is_marked


def column(codes, values):
    data = Distinct(np.array(codes, dtype=np.int32), pl.Series(values))
    return RawColumn("a.csv", "age", data, ".", lambda row: f"line {row + 2}")


@pytest.mark.parametrize(
    ("values", "markers", "expected"),
    [
        (["", "?", " ?"], ["?"], [False, True, False]),
        (["", "x"], [""], [True, False]),
        ([-9, 9], ["-9"], [True, False]),
        ([-9, 9], ["-9.0", "9.5", "x", ""], [True, False]),
        ([-9.0, 2.5], ["-9", " 2.5 "], [True, True]),
        ([2**53 + 1, 2**53], ["9007199254740993"], [True, False]),
        ([float("inf"), 1.0], ["inf"], [True, False]),
        ([1, 2], ["nan", "1_0", "99999999999999999999"], [False, False]),
        ([True, False], ["True"], [True, False]),
        ([date(1900, 1, 1), date(2000, 1, 1)], ["1900-01-01"], [True, False]),
        (["a"], [], [False]),
        ([1.5], [], [False]),
    ],
)
def test_markers_name_text_numbers_and_dates(values, markers, expected):
    assert is_marked(pl.Series(values), markers).to_list() == expected


def test_without_forgets_markers_and_values_that_do_not_occur():
    kept = column([0, 2, 0, -1], ["a", "b", "?"]).without(["?"])
    assert kept.values.to_list() == ["a"]
    assert kept.data.codes.tolist() == [0, -1, 0, -1]


def test_first_points_at_the_first_record_not_the_first_value():
    raw = column([0, -1, 2, 1], ["a", "b", "c"])
    assert raw.first(pl.Series([False, True, True])) == "'c' at line 4"


def test_long_cells_are_cut_in_messages():
    shown = column([0], ["x" * 500]).first(pl.Series([True]))
    assert len(shown) < 80
    assert "…" in shown


def test_line_breaks_in_cells_do_not_break_the_message():
    assert "\n" not in column([0], ["a\nb"]).first(pl.Series([True]))


def test_errors_name_table_and_column():
    assert str(column([0], ["x"]).error("is odd")) == "a.csv: column 'age' is odd"
