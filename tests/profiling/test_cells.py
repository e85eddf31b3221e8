import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests.profiling.columns import cells

from likeness.profiling.cells import read_cells
from likeness.tables import read


def markers(found):
    return [(marker.text, marker.declared) for marker in found.markers]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1", "2"], "integer"),
        (["1.5", "2"], "real"),
        (["2024-01-31", "2024-02-01"], "date"),
        (["01", "02"], "text"),
        (["a", "1"], "text"),
        ([1, 2], "integer"),
        ([True, False], "boolean"),
        ([dt.date(2024, 1, 1)], "date"),
        ([dt.datetime(2024, 1, 1, 8, 30)], "moment"),  # noqa: DTZ001
        ([1.5, None], "real"),
        ([1.0, None], "integer"),
    ],
)
def test_kinds(values, kind):
    assert cells(values).kind == kind


def test_numbers_that_a_null_made_floats_are_whole_again():
    table = read(pd.DataFrame({"age": [40, None, 31]}))
    found = read_cells(table, "age")
    assert (found.kind, found.values.to_list(), found.missing) == ("integer", [31, 40], 1)


@pytest.mark.parametrize("word", ["?", "NA", "unknown", "N/A", "-"])
@pytest.mark.parametrize(
    ("values", "kind"), [(["40", "31"], "integer"), (["1.5", "2"], "real"), (["2024-01-31"], "date")]
)
@pytest.mark.parametrize("times", [1, 9])
def test_words_among_numbers_and_dates_are_declared(values, kind, word, times):
    found = cells([*values, *[word] * times])
    assert (found.kind, found.missing, found.declared) == (kind, times, (word,))


def test_words_among_texts_are_only_asked_about():
    found = cells(["Private", "?", "State-gov", "?"])
    assert (found.missing, found.declared, markers(found)) == (0, (), [("?", False)])
    assert found.markers[0].records == 2


def test_words_among_codes_with_leading_zeros_are_only_asked_about():
    assert markers(cells(["02139", "10001", "NA"])) == [("NA", False)]


def test_what_may_be_an_answer_makes_a_column_of_numbers_categorical():
    found = cells(["1", "2", "3", "none"])
    assert (found.kind, found.kind_to_declare, found.missing) == ("text", "categorical", 0)
    assert markers(found) == [("none", False)]
    assert "mixed" in found.trouble


def test_numbers_mixed_with_other_texts_are_categorical():
    found = cells(["1", "2", "3", "90+", "?"])
    assert (found.kind_to_declare, found.distinct, markers(found)) == ("categorical", 5, [("?", False)])


def test_empty_cells_and_nulls_are_missing_and_no_marker():
    found = cells(["a", "", None, "b"])
    assert (found.missing, found.distinct, found.markers) == (2, 2, ())


def test_blank_cells_are_declared():
    assert markers(cells(["a", "  ", "b"])) == [("  ", True)]
    found = cells(["1", " ", "2"])
    assert (found.kind, found.missing, found.declared) == ("integer", 1, (" ",))


def test_infinite_numbers_are_declared_missing():
    found = cells([1.5, float("inf"), float("-inf"), float("nan")])
    assert (found.kind, found.missing, sorted(found.declared)) == ("real", 3, ["-inf", "inf"])


def test_commas_that_may_mean_two_things(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x;y\n1,234;a\n5,678;b\n")
    found = read_cells(read(path), "x")
    assert (found.kind, found.kind_to_declare) == ("text", "categorical")
    assert "thousands" in found.trouble


def test_counts():
    found = cells(["a", "b", "a", "", "c"])
    assert (found.height, found.records, found.distinct, found.alone, found.unique) == (5, 4, 3, 2, 0.5)
    assert found.radix == 4
    assert (found.groups() >= 0).all()
    assert found.groups()[3] == 3


def test_a_column_without_a_value():
    found = cells(["", ""])
    assert (found.distinct, found.missing, found.unique, found.contents) == (0, 2, 0, None)


def test_codes_stand_for_the_values():
    values = ["b", "a", "", "b"]
    found = cells(values)
    decoded = [found.values[int(code)] if code >= 0 else "" for code in found.codes]
    assert decoded == values
    assert np.array_equal(np.bincount(found.codes[found.codes >= 0]), found.counts)


def test_equal_texts_of_a_dictionary_are_one_value():
    table = read(pl.DataFrame({"x": ["a", "b", "a"]}).to_arrow())
    assert read_cells(table, "x").distinct == 2


def test_days_that_no_calendar_has_are_declared_among_dates():
    found = cells(["2020-12-31", "2020-01-01", "9999-99-99", "0000-00-00", "unknown", "none"][:5])
    assert found.kind == "date"
    assert {marker.text: (marker.declared, marker.why) for marker in found.markers} == {
        "9999-99-99": (True, "is no day of the calendar"),
        "0000-00-00": (True, "is no day of the calendar"),
        "unknown": (True, "stands among dates"),
    }


def test_days_written_in_two_ways_are_told_with_both():
    found = cells(["2020-12-31", "2020-01-01", "31/12/2020"])
    assert (found.kind, found.kind_to_declare, found.distinct) == ("date", None, 2)
    assert "YYYY-MM-DD (2 cells, the first '2020-12-31' at row 1) and DD/MM/YYYY (1 cell" in found.trouble


def test_days_that_may_be_another_day_are_told_with_the_others():
    found = cells(["2020-12-31", "2020-01-01", "01/02/2020"])
    assert (found.kind, found.kind_to_declare, found.otherwise) == ("text", "categorical", "dates")
    assert "DD/MM/YYYY or MM/DD/YYYY (1 cell" in found.trouble
    assert found.remedy == "write all days as YYYY-MM-DD"


def test_a_wrong_day_is_no_marker():
    found = cells(["2020-12-31", "2020-01-01", "2020-02-30"])
    assert (found.kind_to_declare, markers(found), found.remedy) == ("categorical", [], "correct it")


def test_days_far_from_all_others_are_asked_about():
    assert markers(cells(["9999-12-31", "2020-01-01", "1900-01-01"])) == [
        ("1900-01-01", False),
        ("9999-12-31", False),
    ]
    assert markers(cells(["1970-01-01", "1969-12-31", "1971-01-01"])) == []


def test_whole_numbers_with_a_point_are_whole():
    found = cells(["1.0", "2.0", "10.0", ""])
    assert (found.kind, found.pointed, found.values.to_list()) == ("integer", True, [1, 2, 10])
    assert cells(["1.0", "2.5"]).kind == "real"
    assert cells(["91911.0", "12345678901234567890"]).kind == "real"  # which is too large for a whole number


def test_eight_zeros_or_nines_are_declared_among_days_of_eight_digits():
    found = cells(["20201231", "20200101", "99999999", "00000000"])
    assert found.kind == "date"
    assert markers(found) == [("99999999", True), ("00000000", True)]
    assert cells(["20201231", "12345678", "99999999"]).kind == "integer"
