from __future__ import annotations

import numpy as np
import pytest

from likeness.errors import HierarchyError
from likeness.hierarchies import dates

DAYS = np.array(["2024-12-31", "2024-02-29", "2023-07-01", "2024-01-01", "1969-10-02"], "datetime64[D]")


def test_all_levels():
    tree = dates(DAYS, ["day", "month", "quarter", "year", "decade"], name="visit")
    assert tree.to_rows() == [
        ["1969-10-02", "1969-10", "1969-Q4", "1969", "1960s", "*"],
        ["2023-07-01", "2023-07", "2023-Q3", "2023", "2020s", "*"],
        ["2024-01-01", "2024-01", "2024-Q1", "2024", "2020s", "*"],
        ["2024-02-29", "2024-02", "2024-Q1", "2024", "2020s", "*"],
        ["2024-12-31", "2024-12", "2024-Q4", "2024", "2020s", "*"],
    ]
    assert tree.data_derived
    assert tree.name == "visit"


def test_some_levels():
    assert dates(DAYS, ["month", "year"]).to_rows()[0] == ["1969-10-02", "1969-10", "1969", "*"]
    assert dates(DAYS, ["day"]).height == 1


def test_times_of_day_are_not_looked_at():
    moments = np.array(["2024-03-01T23:59", "2024-03-01T00:00"], "datetime64[m]")
    assert dates(moments, ["month"]).leaves == ("2024-03-01",)


@pytest.mark.parametrize(
    ("levels", "message"),
    [
        (["week"], r"^d: 'week' is not a level of dates; known: day, decade, month, quarter, year$"),
        (
            ["monht", "yaer"],
            r"^d: 'monht' is not .*did you mean 'month'\?\nd: 'yaer' .*did you mean 'year'\?$",
        ),
        (["year", "month"], r"^d: date levels go from fine to coarse, each once: .*; got \[year, month\]$"),
        (["month", "month"], r"^d: date levels go from fine to coarse"),
        ([], r"^d: date levels go from fine to coarse"),
    ],
)
def test_levels_that_make_no_sense(levels, message):
    with pytest.raises(HierarchyError, match=message):
        dates(DAYS, levels, name="d")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.array(["2024-01-01", "NaT"], "datetime64[D]"), "^d: a missing date has no month or year"),
        (np.array([], "datetime64[D]"), "^d: there are no dates"),
        (np.array(["2024-01-01"]), "^d: date levels need dates; the column holds <U10 values$"),
    ],
)
def test_values_that_are_no_dates(values, message):
    with pytest.raises(HierarchyError, match=message):
        dates(values, ["month"], name="d")
