# ruff: noqa: DTZ001
from contextlib import suppress
from dataclasses import replace
from datetime import date, datetime

import numpy as np
import polars as pl
import pytest

from likeness.errors import TableError
from likeness.tables.columns import Distinct, RawColumn
from likeness.tables.kinds import MixedError, convert, detect, ranked, sure_thousands


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
    # Where the point is the mark, they are not, and it is not silent.
    with pytest.raises(
        MixedError,
        match="'age' is of numbers with a decimal comma, as '3,5'; read the table with decimal=','",
    ):
        detect(column(["3,5", "4,25"], decimal="."))
    assert detect(column(["3,5", "4,25", "1,2,3"], decimal=".")) == "text"


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
        ([20241301], "date", "20241301 at line 2 is not a date"),
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


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (
            ["13/01/2024", "01/13/2024", "01/02/2024", "2024-01-01"],
            (
                "in 4 ways: YYYY-MM-DD (1 cell, the first '2024-01-01' at line 5) and DD/MM/YYYY (1 cell, the first '13/01/2024' "
                "at line 2) and MM/DD/YYYY (1 cell, the first '01/13/2024' at line 3) and DD/MM/YYYY or MM/DD/YYYY (1 cell, "
                "the first '01/02/2024' at line 4)"
            ),
        ),
        (
            ["2020-12-31", "9999-99-99", "0000-00-00"],
            (
                "holds what is no day of the calendar: 2 cells, the first '9999-99-99' at line 3; say missing: {markers: "
                '["", "0000-00-00", "9999-99-99"]} for the column where that means a missing value'
            ),
        ),
        (
            ["2020-12-31", "2020-12-30", "2020-02-30"],
            "no day of the calendar: 1 cell, the first '2020-02-30' at line 4; correct it",
        ),
        (["2020-12-31", "soon"], "holds texts that are no dates: 1 cell, the first 'soon' at line 3"),
        (
            ["1,234", "56,789", "12"],
            (
                "separates thousands by a comma in 2 cells, the first '1,234' at line 2; read the table with thousands=',' "
                "(--thousands ,), or, where these are no numbers"
            ),
        ),
        (["1.234.567", "1"], "separates thousands by a point in 1 cell, the first '1.234.567' at line 2"),
        (
            ["1 234", "1"],
            "separates thousands by a space in 1 cell, the first '1 234' at line 2; read the table with thousands=' '",
        ),
        (["1'234", "1"], "separates thousands by an apostrophe"),
    ],
)
def test_mixtures_are_named_with_a_remedy_that_loses_nothing(values, words):
    with pytest.raises(TableError) as found:
        detect(column(values))
    assert words in str(found.value)
    kind = "date" if "2024-01-01" in values or values[0] == "2020-12-31" else "integer"
    with pytest.raises(TableError) as declared:
        convert(column(values), kind)
    assert words.partition(";")[0] in str(declared.value)


def test_dates_in_several_ways_are_read_once_declared_where_each_can_be_one_day_only():
    days = column(["2020-12-31", "30.12.2020", "12/29/2020"])
    with pytest.raises(TableError) as found:
        detect(days)
    assert "writes dates in 3 ways: YYYY-MM-DD (1 cell, the first '2020-12-31' at line 2) and" in str(
        found.value
    )
    assert "; declare kind: date, which reads each, or write all days as YYYY-MM-DD, or" in str(found.value)
    assert convert(days, "date").to_list() == [date(2020, 12, 31), date(2020, 12, 30), date(2020, 12, 29)]
    with pytest.raises(TableError, match="the first '01/02/2020' at line 3"):
        convert(column(["2020-12-31", "01/02/2020"]), "date")


@pytest.mark.parametrize(
    ("values", "thousands", "decimal", "kind", "expected"),
    [
        (["1,234", "12", "-1,234,567"], ",", ".", "integer", [1234, 12, -1234567]),
        (["1,234.5", "12"], ",", ".", "real", [1234.5, 12.0]),
        (["1.234,5", "12"], ".", None, "real", [1234.5, 12.0]),
        (["1.234", "12"], ".", None, "integer", [1234, 12]),
        (["1 234", "1\u00a0234", "1\u202f235"], " ", ".", "integer", [1234, 1234, 1235]),
        (["1'234", "1’235"], "'", ".", "integer", [1234, 1235]),
    ],
)  # fmt: skip
def test_thousands_are_read_where_it_is_said_what_separates_them(values, thousands, decimal, kind, expected):
    raw = replace(column(values, decimal), thousands=thousands)
    assert detect(raw) == kind
    assert convert(raw, kind).to_list() == expected


@pytest.mark.parametrize(
    ("values", "decimal", "kind", "expected"),
    [
        (["925,000", "1,250,000"], None, "integer", [925_000, 1_250_000]),
        (["925,000", "1,250,000", "-12"], ".", "integer", [925_000, 1_250_000, -12]),
        (["1,234.50", "12"], None, "real", [1234.5, 12.0]),
        (["1.234,50", "12"], None, "real", [1234.5, 12.0]),
        (["1.234.567", "12"], ",", "integer", [1234567, 12]),
    ],
)
def test_thousands_that_can_be_nothing_else_are_found(values, decimal, kind, expected):
    raw = column(values, decimal)
    assert detect(raw) == kind
    assert convert(raw, kind).to_list() == expected


@pytest.mark.parametrize(
    ("values", "decimal"),
    [
        (["925,000", "850,000"], None),  # a decimal mark, perhaps
        (["1,250,000", "1,25"], None),  # the mark of two things
        (["1.234.567", "12"], "."),  # which was said to be the decimal mark
        (["1,250,000", "n/a"], None),
        (["1 250 000", "1 000"], None),  # numbers of telephones are written so, too
    ],
)
def test_thousands_are_never_guessed(values, decimal):
    assert sure_thousands(pl.Series(values), decimal) is None


def test_what_is_no_group_of_three_is_no_number():
    raw = replace(column(["1,234", "1,23"]), thousands=",")
    with pytest.raises(TableError, match="'1,23' at line 3 is not a whole number"):
        convert(raw, "integer")


def test_whole_numbers_with_a_point_are_whole_once_declared():
    assert convert(column(["1.0", "10.00", "7"]), "integer").to_list() == [1, 10, 7]
    assert convert(column(["1,0"], ","), "integer").to_list() == [1]
    with pytest.raises(TableError, match=r"'1\.5' at line 3 is not a whole number"):
        convert(column(["1.0", "1.5"]), "integer")


@pytest.mark.parametrize("values", [["20210306", "19991231"], [20210306, 19991231]])
def test_whole_numbers_that_are_all_days_are_dates(values):
    raw = column(values)
    assert detect(raw) == "date"
    assert set(convert(raw, "date").to_list()) == {date(2021, 3, 6), date(1999, 12, 31)}
    assert detect(column([*values, type(values[0])(20211306)])) == "integer"
    assert detect(column([*values, type(values[0])(10210306)])) == "integer"


def test_dates_of_no_sure_century_are_refused_where_they_are_declared():
    with pytest.raises(
        TableError, match=r"may be of this century or the last: 2 cells, the first .*; write all days as YYYY"
    ):
        convert(column(["01.02.20", "01.02.68"]), "date")


@pytest.mark.parametrize(
    ("values", "decimal", "kind", "expected"),
    [
        (["12.5%", "3%", "-1%"], None, "real", [12.5, 3.0, -1.0]),
        (["12,5 %", "3,25 %"], None, "real", [12.5, 3.25]),
        (["12%", "3 %"], ".", "integer", [12, 3]),
        (["$1,200.50", "$30", "-$7"], None, "real", [1200.5, 30.0, -7.0]),
        (["1.200,50 €", "30 €"], None, "real", [1200.5, 30.0]),
        (["£30", "£1"], ".", "integer", [30, 1]),
        (["CHF 30", "EUR 1"][:1] * 2, ".", "integer", [30, 30]),
        (["\u22125", "5"], ".", "integer", [-5, 5]),
        (["12,5-", "3,25"], None, "real", [-12.5, 3.25]),
        (["(1,300.50)", "12"], None, "real", [-1300.5, 12.0]),
        (["($13)", "$12"], ".", "integer", [-13, 12]),
        (["($13.50)", "$12.25"], ".", "real", [-13.5, 12.25]),
    ],
)
def test_numbers_with_one_unit_or_a_sign_of_their_own_are_numbers(values, decimal, kind, expected):
    raw = column(values, decimal)
    assert detect(raw) == kind
    assert convert(raw, kind).to_list() == expected
    assert convert(raw, "text").to_list() == values


@pytest.mark.parametrize(
    "values",
    [
        ["(1)", "(2)"], ["12-", "13-"], ["1-2", "3-4"], ["$x", "%"], ["--5", "(5"], ["$5%", "5"],
        ["(13)", "12"], ["2-", "2", "3"], ["0", "1+", "2+"],
    ],
)  # fmt: skip
def test_what_is_no_number_with_a_unit_is_text(values):
    with suppress(MixedError):
        assert detect(column(values)) == "text"


@pytest.mark.parametrize("values", [["$5", "€6"], ["5%", "6"], ["5%", "$1,200"]])
def test_numbers_of_several_units_are_refused(values):
    with pytest.raises(
        MixedError, match=r"has numbers with different units: .*; write all in one unit, or declare"
    ) as found:
        detect(column(values))
    assert found.value.about == "units"
    with pytest.raises(TableError, match="has numbers with different units"):
        convert(column(values), "real")


def test_a_word_among_numbers_with_a_unit_is_named():
    with pytest.raises(MixedError, match="mixes numbers and text: 'n/a' at line 4"):
        detect(column(["5%", "6%", "n/a"]))
    with pytest.raises(TableError, match="'n/a' at line 4 is not a number"):
        convert(column(["5%", "6%", "n/a"]), "real")
