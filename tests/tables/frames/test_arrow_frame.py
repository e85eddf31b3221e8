# ruff: noqa: DTZ001
from datetime import date, datetime, time, timedelta

import numpy as np
import pyarrow as pa
import pytest

from likeness.errors import TableError
from likeness.tables import read


def encode(array, **options):
    return read(pa.table({"x": array})).encode("x", **options)


def test_chunks_with_dictionaries_of_their_own():
    column = encode(pa.chunked_array([["b", "a", None], ["c", "a"], []], type=pa.string()))
    assert column.values.tolist() == ["a", "b", "c"]
    assert column.codes.tolist() == [1, 0, -1, 2, 0]


@pytest.mark.parametrize(
    "array",
    [
        pa.array(["m", None, "f", "m"]).dictionary_encode(),
        pa.array(["m", None, "f", "m"], type=pa.large_string()),
        pa.array(["m", None, "f", "m"]).cast(pa.string_view()),
        pa.chunked_array(
            [pa.array(["m", None]).dictionary_encode(), pa.array(["f", "m"]).dictionary_encode()]
        ),
    ],
)
def test_every_type_of_text(array):
    column = encode(array)
    assert (column.values.tolist(), column.codes.tolist()) == (["f", "m"], [1, -1, 0, 1])


def test_dictionaries_of_numbers():
    assert encode(pa.array([40, 31, 40]).dictionary_encode()).values.tolist() == [31, 40]


@pytest.mark.parametrize(
    "kind", [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()]
)
def test_integers_of_every_width(kind):
    column = encode(pa.chunked_array([pa.array([100, None], type=kind), pa.array([7], type=kind)]))
    assert (column.kind, column.values.tolist(), column.codes.tolist()) == ("integer", [7, 100], [1, -1, 0])


def test_what_int64_cannot_hold_stays_exact_as_text():
    assert encode(pa.array([2**64 - 1, 5], type=pa.uint64())).values.tolist() == ["18446744073709551615", "5"]


@pytest.mark.parametrize("kind", [pa.float16(), pa.float32(), pa.float64()])
def test_floats_of_every_width(kind):
    assert encode(pa.array([0.5, None, 0.1], type=pa.float64()).cast(kind)).codes.tolist() == [1, -1, 0]


@pytest.mark.parametrize("kind", [pa.date32(), pa.date64(), pa.timestamp("s"), pa.timestamp("ns")])
def test_days(kind):
    column = encode(pa.array([datetime(2024, 1, 31), None], type=pa.timestamp("s")).cast(kind))
    assert (column.kind, column.values.tolist()) == ("date", [date(2024, 1, 31)])


def test_times_of_day_are_text():
    assert encode(pa.array([time(9, 30)])).values.tolist() == ["09:30:00.000000"]


@pytest.mark.parametrize(
    "array", [pa.array([timedelta(1)]), pa.array([b"x"]), pa.array([[1]]), pa.array([{"a": 1}])]
)
def test_columns_without_single_values_are_refused(array):
    with pytest.raises(TableError, match="not single values"):
        encode(array)


def test_names_that_stand_twice_are_refused():
    with pytest.raises(TableError, match="the name 'a' stands for columns 1 and 2"):
        read(pa.table([pa.array([1]), pa.array([2])], names=["a", "a"]))


def test_rows_of_text_views_can_be_taken():
    table = read(pa.table({"a": pa.array(["x", "y", None]).cast(pa.string_view()), "b": [1, 2, 3]}))
    assert table.take(np.array([2, 0]), ["a", "b"]).to_pydict() == {"a": [None, "x"], "b": [3, 1]}
