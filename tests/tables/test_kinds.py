# ruff: noqa: DTZ001
from datetime import date, datetime

import numpy as np
import polars as pl
import pytest

from likeness.errors import TableError
from likeness.tables.distinct import Distinct
from likeness.tables.kinds import convert, detect, ranked
from likeness.tables.raw_column import RawColumn


def column(values, decimal=".", repeat=None):
    codes = np.repeat(np.arange(len(values)), repeat or [1] * len(values)).astype(np.int32)
    return RawColumn(
        "a.csv", "age", Distinct(codes, pl.Series(values)), decimal, lambda row: f"line {row + 2}"
    )


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1", "-2", "0"], "integer"),
        (["1", "2.5"], "real"),
        (["1.0"], "real"),
        (["02139", "10001"], "text"),
        (["02139", "10001", "N1 9GU"], "text"),
        (["9223372036854775808", "1"], "text"),
        (["2024-01-31"], "date"),
        (["31.01.2024"], "date"),
        (["01/02/2024"], "text"),
        (["2024-02-30"], "text"),
        (["true", "false"], "text"),
        (["a", "b", "3"], "text"),
        ([1, 2], "integer"),
        ([1.0, 2.0], "real"),
        ([True], "boolean"),
        ([date(2024, 1, 1)], "date"),
        ([datetime(2024, 1, 1)], "date"),
        ([datetime(2024, 1, 1), datetime(2024, 1, 1, 12)], "text"),
    ],
)
def test_the_kind_is_found_from_distinct_values(values, kind):
    assert detect(column(values)) == kind


def test_a_column_without_values_is_text():
    assert detect(column(pl.Series([], dtype=pl.String))) == "text"


def test_decimal_commas_are_numbers_where_they_can_be():
    assert detect(column(["3,5", "4"], decimal=None)) == "real"
    assert detect(column(["3,5", "4,25"], decimal=".")) == "text"


def test_mixing_counts_records_not_values():
    assert detect(column(["34", "x", "y"], repeat=[3, 2, 2])) == "text"
    with pytest.raises(TableError) as caught:
        detect(column(["34", "x", "y"], repeat=[4, 2, 2]))
    assert str(caught.value) == (
        "a.csv: column 'age' mixes numbers and text: 'x' at line 6; "
        "declare its kind, or list the text under missing.markers"
    )


@pytest.mark.parametrize(
    ("values", "kind", "expected"),
    [
        (["007", "+7"], "integer", [7, 7]),
        ([1.0, 2.0], "integer", [1, 2]),
        ([True, False], "integer", [1, 0]),
        (["1", "1.50"], "real", [1.0, 1.5]),
        ([1, 2], "real", [1.0, 2.0]),
        (["31.01.2024"], "date", [date(2024, 1, 31)]),
        ([datetime(2024, 1, 31, 12)], "date", [date(2024, 1, 31)]),
        (["True", "FALSE", "1", "0"], "boolean", [True, False, True, False]),
        ([1, 0], "boolean", [True, False]),
        ([1, 2], "text", ["1", "2"]),
        ([1.5], "text", ["1.5"]),
        ([True], "text", ["true"]),
        ([date(2024, 1, 31)], "text", ["2024-01-31"]),
        ([datetime(2024, 1, 31, 12), datetime(2024, 1, 31, 12, 0, 0, 500000)], "text",
         ["2024-01-31T12:00:00", "2024-01-31T12:00:00.500"]),
    ],
)  # fmt: skip
def test_values_are_read_as_the_declared_kind(values, kind, expected):
    assert convert(column(values), kind).to_list() == expected


@pytest.mark.parametrize(
    ("values", "kind", "message"),
    [
        (["1", "x"], "integer", "is declared integer, but 'x' at line 3 is not a whole number; "),
        (["1", "2.5"], "integer", "'2.5' at line 3 is not a whole number"),
        (["1", "9223372036854775808"], "integer", "at line 3 is not a whole number that fits 64 bits"),
        ([1.0, 2.5], "integer", "2.5 at line 3 is not a whole number"),
        ([1e300], "integer", "1e[+]300 at line 2 is not a whole number"),
        ([date(2024, 1, 1)], "integer", "'2024-01-01' at line 2 is not a whole number"),
        (["1", "nan"], "real", "'nan' at line 3 is not a number"),
        ([date(2024, 1, 1)], "real", "'2024-01-01' at line 2 is not a number"),
        (["2024-01-31", "soon"], "date", "'soon' at line 3 is not a date"),
        ([20240131], "date", "20240131 at line 2 is not a date"),
        (["true", "maybe"], "boolean", "'maybe' at line 3 is not true or false"),
        ([1.0], "boolean", "1.0 at line 2 is not true or false"),
        (
            ["01/02/2024"],
            "date",
            "in '01/02/2024' at line 2 day and month cannot be told apart; write dates as",
        ),
    ],
)
def test_the_first_cell_of_another_kind_is_named(values, kind, message):
    with pytest.raises(TableError, match=message) as caught:
        convert(column(values), kind)
    assert "declare kind: categorical" in str(caught.value)


@pytest.mark.parametrize("values", [[1.0, float("inf")], ["1.0", "1e999"]])
def test_infinite_numbers_are_refused(values):
    with pytest.raises(TableError, match=r"holds an infinite number: .* at line 3; .*missing.markers"):
        convert(column(values), "real")


def test_ranked_sorts_and_merges():
    ranks, values = ranked(pl.Series([2.0, 1.0, 2.0]))
    assert ranks.tolist() == [1, 0, 1]
    assert values.to_list() == [1.0, 2.0]


def test_text_is_ranked_by_code_point():
    assert ranked(pl.Series(["é", "z", "Z", "", "10", "9"]))[1].to_list() == ["", "10", "9", "Z", "z", "é"]
