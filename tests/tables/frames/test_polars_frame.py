# ruff: noqa: DTZ001
from datetime import time, timedelta

import polars as pl
import pytest

from likeness.errors import TableError
from likeness.tables import read


def encode(series, **options):
    return read(pl.DataFrame({"x": series})).encode("x", **options)


@pytest.mark.parametrize(
    "dtype", [pl.Categorical, pl.Categorical(pl.Categories.random()), pl.Enum(["z", "m", "f", "unused"])]
)
def test_categories(dtype):
    column = encode(pl.Series(["m", None, "f", "m"], dtype=dtype))
    assert column.values.tolist() == ["f", "m"]
    assert column.codes.tolist() == [1, -1, 0, 1]


def test_a_slice_of_a_categorical_has_only_its_own_values():
    whole = pl.Series(["a", "b", "c"], dtype=pl.Categorical)
    assert encode(whole[1:]).values.tolist() == ["b", "c"]


@pytest.mark.parametrize(
    "dtype", [pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64, pl.Int128]
)
def test_integers_of_every_width(dtype):
    column = encode(pl.Series([100, None, 7], dtype=dtype))
    assert (column.kind, column.values.tolist(), column.codes.tolist()) == ("integer", [7, 100], [1, -1, 0])


def test_what_int64_cannot_hold_stays_exact_as_text():
    column = encode(pl.Series([2**64 - 1, None, 5], dtype=pl.UInt64))
    assert (column.kind, column.values.tolist()) == ("text", ["18446744073709551615", "5"])
    with pytest.raises(TableError, match="is not a whole number that fits 64 bits"):
        encode(pl.Series([2**64 - 1], dtype=pl.UInt64), kind="integer")


def test_narrow_floats_mean_their_decimals():
    assert encode(pl.Series([0.1], dtype=pl.Float32)).values.tolist() == [0.1]


@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_points_in_time_of_every_unit(unit):
    from datetime import date, datetime

    column = encode(pl.Series([datetime(2024, 1, 31)], dtype=pl.Datetime(unit)))
    assert column.values.tolist() == [date(2024, 1, 31)]


def test_times_of_day_are_text():
    assert encode(pl.Series([time(9, 30)])).values.tolist() == ["09:30:00"]


def test_columns_without_single_values_are_refused():
    frame = pl.DataFrame({"d": [timedelta(1)], "s": [{"a": 1}], "o": pl.Series([object()], dtype=pl.Object)})
    with pytest.raises(TableError) as caught:
        read(frame)
    assert len(caught.value.problems) == 3
