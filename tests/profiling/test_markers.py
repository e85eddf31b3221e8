import numpy as np
import polars as pl
import pytest

from likeness.profiling.cells import DOUBTFUL, WORDS, blank, odd_numbers, worded


def found(values):
    return [marker.text for marker in odd_numbers(pl.Series(values), np.arange(1, len(values) + 1))]


@pytest.mark.parametrize(
    ("values", "odd"),
    [
        ([-9, 0, 1], ["-9"]),
        ([-9, -1, 5], ["-9", "-1"]),
        ([-9, -5, 5], []),  # -5 is a value, so perhaps -9 is one too
        ([-9, -1], []),
        ([1, 40, 999], ["999"]),
        ([1, 98, 99], []),
        ([1, 41310, 99999], ["99999"]),
        ([0.5, 1.5, 99.0], ["99"]),
        ([9], []),
        ([1, 9], []),
        ([], []),
    ],
)
def test_numbers_that_may_mean_a_missing_value(values, odd):
    assert found(values) == odd


def test_a_number_is_asked_about_and_not_declared():
    (marker,) = odd_numbers(pl.Series([-9, 3]), np.array([7, 1]))
    assert (marker.records, marker.declared) == (7, False)
    assert marker.to_mapping()["text"] == "-9"


def test_blanks_are_not_the_empty_cell():
    assert blank(pl.Series(["", " ", "\t", "a"])).tolist() == [False, True, True, False]


def test_words_in_any_case_and_with_blanks_around():
    assert worded(pl.Series([" Unknown ", "?", "N/A", "none", "NAB"]), WORDS).tolist() == [
        True,
        True,
        True,
        False,
        False,
    ]


def test_what_may_be_an_answer_is_not_among_the_certain_words():
    assert not WORDS & DOUBTFUL
    assert "none" in DOUBTFUL
