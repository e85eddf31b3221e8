from datetime import date

import polars as pl
import pytest

from likeness.tables.kinds import are_ambiguous, to_dates


@pytest.mark.parametrize(
    "texts",
    [
        ["2024-01-31", "2024-02-01"],
        ["2024/01/31", "2024/02/01"],
        ["31.01.2024", "01.02.2024"],
        ["31.1.2024", "1.2.2024"],
        ["31/01/2024", "01/02/2024"],
        ["01/31/2024", "02/01/2024"],
        ["1/31/2024", "2/1/2024"],
    ],
)
def test_each_format(texts):
    assert to_dates(pl.Series(texts)).to_list() == [date(2024, 1, 31), date(2024, 2, 1)]


@pytest.mark.parametrize(
    "text", ["2024-02-30", "20240131", "2024-1-31", "31.01.24", "2024-01-31 12:00", "x", ""]
)
def test_what_is_no_date(text):
    assert to_dates(pl.Series([text])).to_list() == [None]


def test_the_format_of_most_cells_is_taken_and_others_are_null():
    assert to_dates(pl.Series(["31.01.2024", "01.02.2024", "2024-01-01"])).null_count() == 1


@pytest.mark.parametrize("texts", [["01/02/2024"], ["13/01/2024", "01/13/2024"]])
def test_day_and_month_that_cannot_be_told_apart_are_no_dates(texts):
    assert to_dates(pl.Series(texts)).null_count() == len(texts)
    assert are_ambiguous(pl.Series(texts))


def test_a_column_without_cells():
    assert to_dates(pl.Series([], dtype=pl.String)).to_list() == []
