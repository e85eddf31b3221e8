import polars as pl
import pytest

from likeness.errors import TableError
from likeness.tables.kinds import (
    are_integers,
    are_numbers,
    decimal_mark,
    to_integers,
    to_reals,
    with_leading_zero,
)


@pytest.mark.parametrize("text", ["0", "-0", "7", "-12", "9223372036854775808"])
def test_plain_integers(text):
    assert are_integers(pl.Series([text])).all()


@pytest.mark.parametrize("text", ["", "01", "+1", " 1", "1 ", "1\n", "1.0", "1e5", "٣", "--1", "1_0"])
def test_what_is_no_plain_integer(text):
    assert not are_integers(pl.Series([text])).any()


@pytest.mark.parametrize("text", ["1", "-0.5", ".5", "5.", "1.5e-7", "1e+16"])
def test_plain_numbers(text):
    assert are_numbers(pl.Series([text]), ".").all()


@pytest.mark.parametrize(
    "text", ["", ".", "-", "00.5", "+4912", "12E4", "1e5", "nan", "inf", "1,5", "1.2.3", "0x1"]
)
def test_what_is_no_plain_number(text):
    assert not are_numbers(pl.Series([text]), ".").any()


def test_leading_zeros_mark_codes():
    assert with_leading_zero(pl.Series(["10001", "02139"])).to_list() == [False, True]
    assert not with_leading_zero(pl.Series(["0", "-0", "10", "0.5", "0x1"])).any()
    assert not with_leading_zero(pl.Series([10, 2139])).any()


def test_declared_integers_may_be_padded_and_signed():
    read = to_integers(pl.Series([" 7 ", "+7", "007", "1.0", "x", "9223372036854775808"]))
    assert read.to_list() == [7, 7, 7, None, None, None]


def test_declared_reals_may_be_padded_signed_and_have_any_exponent():
    assert to_reals(pl.Series([" 1.5", "+2", "1e5", "007", "nan", "inf", "1,5"]), ".").to_list() == [
        1.5, 2.0, 100000.0, 7.0, None, None, None,
    ]  # fmt: skip
    assert to_reals(pl.Series(["1,5", "2", "1.5"]), ",").to_list() == [1.5, 2.0, None]


@pytest.mark.parametrize(
    ("texts", "mark"),
    [
        (["1.5", "2"], "."),
        (["1,5", "2"], ","),
        (["0,125", "3,250"], ","),
        (["a", "b"], "."),
        (["1", "2"], "."),
    ],
)
def test_the_decimal_mark_is_found(texts, mark):
    assert decimal_mark(pl.Series(texts), None, column="c") == mark


@pytest.mark.parametrize("texts", [["1.600", "980", "3.609"], ["12.345"], ["-1.600", "0", "7"]])
def test_a_point_that_may_separate_thousands_is_an_error(texts):
    with pytest.raises(
        TableError,
        match=f"c: the point in '{texts[0]}' may be a decimal mark or separate thousands; read the",
    ):
        decimal_mark(pl.Series(texts), None, column="c")
    assert decimal_mark(pl.Series(texts), ".", column="c") == "."


@pytest.mark.parametrize(
    "texts", [["1.600", "0.980"], ["1.600", "1200"], ["1.234", "5.5"], ["0.125"], ["1.600", ".5"]]
)
def test_a_point_that_cannot_separate_thousands_is_a_decimal_mark(texts):
    assert decimal_mark(pl.Series(texts), None, column="c") == "."


def test_a_known_decimal_mark_is_not_questioned():
    assert decimal_mark(pl.Series(["1,234"]), ",", column="c") == ","


def test_a_comma_that_may_separate_thousands_is_an_error():
    with pytest.raises(
        TableError, match="c: the comma in '1,234' may be a decimal mark or separate thousands"
    ):
        decimal_mark(pl.Series(["1,234", "56,789", "12"]), None, column="c")
