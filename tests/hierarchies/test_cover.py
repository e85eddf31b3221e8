from __future__ import annotations

import pytest
from tests.hierarchies.trees import make

from likeness.errors import HierarchyError
from likeness.hierarchies import check_covers

COUNTRIES = make(
    [["Germany", "Europe", "*"], ["France", "Europe", "*"], ["Japan", "Asia", "*"]], "country.csv"
)


def problems(values, **known):
    with pytest.raises(HierarchyError) as caught:
        check_covers(values, COUNTRIES, "country", **known)
    return caught.value.problems


def test_leaves_are_covered():
    check_covers(["Japan", "Germany"], COUNTRIES, "country")
    check_covers([], COUNTRIES, "country")


def test_each_missing_value_is_named():
    assert problems(["89", "Japan", "germany", "Europe"]) == (
        "value '89' of column 'country' is not a leaf of country.csv; add a line for it",
        "value 'germany' of column 'country' is not a leaf of country.csv; did you mean 'Germany'?",
        (
            "value 'Europe' of column 'country' is not a leaf of country.csv; "
            "it is a node; add a leaf for records of which no more is known"
        ),
    )


def test_how_often_and_where():
    assert problems(["Japan", "Peru"], counts=[9, 1_234], lines=[2, 17])[0].startswith(
        "value 'Peru' of column 'country' (1,234 records, first on line 17) is not a leaf"
    )
    assert "(1 record)" in problems(["Peru"], counts=[1])[0]
    assert "(first on line 3)" in problems(["Peru"], lines=[3])[0]


def test_a_flood_is_counted():
    found = problems([f"value {i}" for i in range(5_000)])
    assert len(found) == 11
    assert found[-1] == "and 4990 more"


def test_codes_that_a_program_wrote_otherwise_are_told_in_one_line():
    codes = make([["1", "low", "*"], ["2", "low", "*"], ["007", "high", "*"]], "code.csv")
    with pytest.raises(HierarchyError) as caught:
        check_covers(["1.0", "2.0", "7", "9"], codes, "code")
    assert caught.value.problems == (
        (
            "2 values of column 'code' are written with decimal places, as pandas writes whole numbers where cells are missing: "
            "'1.0' is '1' in code.csv; write the table's without, in pandas by astype('Int64')"
        ),
        (
            "1 value of column 'code' is written with other leading zeros or spaces, as spreadsheet programs leave them: "
            "'7' is '007' in code.csv; write the table's codes as text, as the hierarchy has them"
        ),
        "value '9' of column 'code' is not a leaf of code.csv; add a line for it",
    )


def test_long_values_are_cut():
    (line,) = problems(["x" * 5_000])
    assert len(line) < 200
    assert "(5,000 characters)" in line
