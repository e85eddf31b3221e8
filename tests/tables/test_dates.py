from datetime import date

import polars as pl
import pytest

from likeness.tables.dates import NO_CENTURY, are_ambiguous, have_short_years, spellings, to_dates


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
        ["31-01-2024", "01-02-2024"],
        ["1-31-2024", "2-1-2024"],
        ["20240131", "20240201"],
        ["31.01.24", "1.2.24"],
        ["01/31/24", "02/01/24"],
        ["31. Januar 2024", "1. Feb. 2024"],
        ["31 January 2024", "1st of February 2024"],
        ["Jan 31, 2024", "February 1, 2024"],
        ["31-Jan-2024", "01FEB2024"],
        ["31 janvier 2024", "1er février 2024"],
        ["31 de enero de 2024", "1 de febrero de 2024"],
        ["31-JAN-24", "1-feb-24"],
    ],
)
def test_each_format(texts):
    assert to_dates(pl.Series(texts)).to_list() == [date(2024, 1, 31), date(2024, 2, 1)]


@pytest.mark.parametrize(
    "text",
    [
        "2024-02-30",
        "20241301",
        "10240131",
        "2024-1-31",
        "6 Foo 2021",
        "March 2021",
        "2024-01-31 12:00",
        "x",
        "",
    ],
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


def test_two_digits_of_a_year_are_of_the_century_up_to_2068_whatever_day_it_is():
    days = pl.Series(["31.12.69", "01.01.99", "29.02.00"])
    assert to_dates(days).to_list() == [date(1969, 12, 31), date(1999, 1, 1), date(2000, 2, 29)]
    assert have_short_years(days)
    assert not have_short_years(pl.Series(["31.12.1969"]))


@pytest.mark.parametrize(
    "texts", [["01.02.20", "01.02.68"], ["6 Mar 45", "6 Mar 20"], ["13/01/20", "13/01/55"]]
)
def test_years_of_two_digits_that_would_be_to_come_are_of_no_sure_century(texts):
    days = pl.Series(texts)
    assert to_dates(days).null_count() == 2
    assert spellings(days)[0][NO_CENTURY].all()


def test_years_that_may_stand_first_are_not_taken_for_days():
    assert to_dates(pl.Series(["21/03/06", "21/04/17", "20/05/18"])).null_count() == 3
    assert to_dates(pl.Series(["21/03/06", "14/04/06", "20/05/07"])).null_count() == 0
