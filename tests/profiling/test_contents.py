import polars as pl
import pytest

from likeness.profiling.cells import MOST, look_at


@pytest.mark.parametrize(
    ("pattern", "value"),
    [
        ("e-mail address", "write to ann.lee+x@mail.example.org now"),
        ("social security number", "078-05-1120"),
        ("IP address", "192.168.0.1"),
        ("web address", "https://example.org/a?b=c"),
        ("phone number", "+49 89 1234567"),
        ("phone number", "(617) 555-0199"),
        ("phone number", "617-555-0199"),
        ("date", "01/02/2024"),
        ("moment", "2024-01-31 23:59:01"),
        ("moment", "2024-01-31T23:59"),
        ("ZIP+4", "02139-4307"),
        ("diagnosis code", "E11.9"),
        ("diagnosis code", "F32"),
        ("name", "Mary Q. O'Brien"),
        ("name", "García, José"),
        ("name", "Ludwig van Beethoven"),
        ("postal address", "12 Main Street"),
        ("postal address", "Hauptstraße 5"),
        ("number", "P0004711"),
        ("illness", "Type 2 diabetes"),
    ],
)
def test_what_has_a_pattern(pattern, value):
    assert look_at(pl.Series([value])).share(pattern) == 1


@pytest.mark.parametrize(
    ("pattern", "values", "share"),
    [
        ("sex", ["Female", "male"], 1),
        ("sex", ["m", "w", "d", "?"], 0.75),
        ("sex", ["Female"], 0),
        ("sex", ["x", "y"], 0),
        ("sex", ["m", "other"], 0),
        ("marital status", ["Divorced", "single"], 1),
        ("marital status", ["single", "double"], 0),
    ],
)
def test_what_two_values_say(pattern, values, share):
    assert look_at(pl.Series(values)).share(pattern) == share


@pytest.mark.parametrize(
    ("pattern", "value"),
    [
        ("e-mail address", "@home"),
        ("phone number", "12345"),
        ("phone number", "2024"),
        ("phone number", "Room 12 34 56 78"),
        ("date", "1/2"),
        ("diagnosis code", "Flu"),
        ("name", "acute bronchitis"),
        ("name", "Sales manager"),
        ("number", "abcdefg1"),
        ("illness", "influencer"),
    ],
)
def test_what_lacks_a_pattern(pattern, value):
    assert look_at(pl.Series([value])).share(pattern) == 0


def test_shares_lengths_and_words():
    look = look_at(pl.Series(["a b", "cde", "fgh"]))
    assert look.share("e-mail address") == 0
    assert (look.length, look.words, look.equal_length) == (3, 4 / 3, 3)
    assert look_at(pl.Series(["ab", "c"])).equal_length is None


def test_no_more_values_are_tried_than_is_said():
    values = pl.Series(range(3 * MOST + 1)).cast(pl.String)
    assert MOST / 2 < look_at(values).tried <= MOST
    assert look_at(values.head(MOST)).tried == MOST
