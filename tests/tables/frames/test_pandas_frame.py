# ruff: noqa: DTZ001
import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from likeness.errors import TableError
from likeness.tables import read


def encode(values, dtype=None, **options):
    return read(pd.DataFrame({"x": pd.Series(values, dtype=dtype)})).encode("x", **options)


def facts(column):
    return column.kind, column.values.tolist(), column.codes.tolist()


@pytest.mark.parametrize(
    "dtype", [object, "string", "category", "str", pd.StringDtype("python", na_value=np.nan)]
)
def test_every_type_of_text(dtype):
    assert facts(encode(["m", None, "f", "m"], dtype)) == ("text", ["f", "m"], [1, -1, 0, 1])
    assert facts(encode(["40", None, "9", "40"], dtype)) == ("integer", [9, 40], [1, -1, 0, 1])


@pytest.mark.parametrize("dtype", ["Int64", "Int8", "UInt16", "int64[pyarrow]", "category", object])
def test_whole_numbers_beside_nulls(dtype):
    assert facts(encode([100, None, 7], dtype)) == ("integer", [7, 100], [1, -1, 0])


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "uint64", "Int64", "Sparse[int64]"])
def test_whole_numbers_of_every_width(dtype):
    assert facts(encode([100, 7, 7], dtype)) == ("integer", [7, 100], [1, 0, 0])


def test_integers_that_became_floats_are_integers_again():
    assert facts(encode([40, None, 31])) == ("integer", [31, 40], [1, -1, 0])
    assert facts(encode([40.5, None, 31])) == ("real", [31.0, 40.5], [1, -1, 0])
    assert facts(encode([40.0, 31.0])) == ("real", [31.0, 40.0], [1, 0])
    assert facts(encode([1e300, None])) == ("real", [1e300], [0, -1])
    assert facts(encode([40, None, 31], missing=["31"])) == ("integer", [40], [0, -1, -1])


@pytest.mark.parametrize("dtype", ["Float64", "float32", "float64[pyarrow]", object])
def test_reals_beside_nulls(dtype):
    assert facts(encode([0.1, None, 2.5, 2.5], dtype)) == ("real", [0.1, 2.5], [0, -1, 1, 1])


@pytest.mark.parametrize("dtype", ["boolean", "category", object, "bool[pyarrow]"])
def test_booleans_beside_nulls(dtype):
    assert facts(encode([True, None, False], dtype)) == ("boolean", [False, True], [1, -1, 0])


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_days_of_every_unit(unit):
    days = pd.Series(pd.to_datetime(["2024-02-01", None, "2024-01-31"])).astype(f"datetime64[{unit}]")
    expected = [dt.date(2024, 1, 31), dt.date(2024, 2, 1)]
    assert facts(encode(days)) == ("date", expected, [1, -1, 0])
    assert facts(encode(days.astype("category"))) == ("date", expected, [1, -1, 0])


@pytest.mark.parametrize(
    "dtype", ["timestamp[us][pyarrow]", "timestamp[ns][pyarrow]", "timestamp[s, tz=UTC][pyarrow]"]
)
def test_points_in_time_of_arrow_types(dtype):
    column = encode(pd.Series([dt.datetime(2024, 1, 31), None]).astype(dtype))
    assert facts(column) == ("date", [dt.date(2024, 1, 31)], [0, -1])


@pytest.mark.parametrize(
    "dtype",
    ["string[pyarrow]", "large_string[pyarrow]", pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string()))],
)
def test_text_of_arrow_types(dtype):
    assert facts(encode(["m", None, "f"], dtype)) == ("text", ["f", "m"], [1, -1, 0])


@pytest.mark.parametrize("dtype", [object, "date32[pyarrow]"])
def test_days_as_objects(dtype):
    assert facts(encode([dt.date(2024, 1, 31), None], dtype)) == ("date", [dt.date(2024, 1, 31)], [0, -1])
    if dtype is object:
        moments = [dt.datetime(2024, 1, 31), None]
        assert facts(encode(moments, object)) == ("date", [dt.date(2024, 1, 31)], [0, -1])


def test_mixtures_of_objects():
    assert facts(encode([Decimal("1.5"), None, Decimal("1.50")], object)) == ("real", [1.5], [0, -1, 0])
    assert facts(encode([1, 2.5, None], object)) == ("real", [1.0, 2.5], [0, 1, -1])
    with pytest.raises(TableError, match="mixes numbers and text: 'unknown' at row 3"):
        encode([40, 31, "unknown", None], object)
    assert facts(encode([1, "a", "b", "c", None], object)) == ("text", ["1", "a", "b", "c"], [0, 1, 2, 3, -1])
    assert facts(encode([1, True, "a", "b"], object)) == ("text", ["1", "True", "a", "b"], [0, 1, 2, 3])
    assert facts(encode([2**70, 5], object)) == ("text", ["1180591620717411303424", "5"], [0, 1])


def test_every_null_is_missing():
    nulls = [None, float("nan"), pd.NA, pd.NaT, "x"]
    assert encode(nulls, object).codes.tolist() == [-1, -1, -1, -1, 0]


def test_categories_may_be_numbers_intervals_or_unused():
    assert facts(encode(pd.Categorical([40, None, 31], categories=[99, 40, 31]))) == (
        "integer",
        [31, 40],
        [1, -1, 0],
    )
    cut = pd.Series(pd.cut(pd.Series([1, 11]), [0, 10, 20]))
    assert facts(encode(cut)) == ("text", ["(0, 10]", "(10, 20]"], [0, 1])
    assert facts(encode(pd.Categorical([1, "1", 1], categories=[1, "1"]))) == ("integer", [1], [0, 0, 0])


def test_periods_are_text():
    assert encode(pd.Series(pd.period_range("2024-01", periods=2, freq="M"))).values.tolist() == [
        "2024-01",
        "2024-02",
    ]


@pytest.mark.parametrize(
    "index",
    [
        [7, 3, 5],
        ["c", "a", "b"],
        [1, 1, 1],
        pd.MultiIndex.from_tuples([(1, "a"), (0, "b"), (1, "a")]),
        [2, 1, 0],
    ],
)
@pytest.mark.parametrize("values", [[40, 31, 40], ["f", None, "m"], [1.5, np.nan, 2.0], [3.0, np.nan, 2.0]])
def test_the_index_never_matters(index, values):
    plain = pd.DataFrame({"x": values})
    odd = pd.DataFrame({"x": values}, index=index)
    assert facts(read(odd).encode("x")) == facts(read(plain).encode("x"))
    taken = read(odd).take(np.array([2, 0]), ["x"])
    assert taken["x"].tolist()[0] == values[2]
    assert taken.index.equals(odd.index[[2, 0]])


def test_column_labels_become_text():
    table = read(pd.DataFrame({0: [1], 1.5: [2], "hours-per-week": [3], ("a", "b"): [4]}))
    assert table.names == ("0", "1.5", "hours-per-week", "('a', 'b')")
    assert table.encode("0").values.tolist() == [1]
    with pytest.raises(TableError, match="the name '0' stands for columns 1 and 2"):
        read(pd.DataFrame([[1, 2]], columns=[0, "0"]))
    with pytest.raises(TableError, match="the name 'a' stands for columns 1 and 2"):
        read(pd.DataFrame([[1, 2]], columns=["a", "a"]))
    with pytest.raises(TableError, match="column 2 has no name"):
        read(pd.DataFrame([[1, 2]], columns=["a", ""]))


@pytest.mark.parametrize(
    "cells", [[[1]], [{"a": 1}], [b"x"], [(1, 2)], [{1}], [1j], [dt.timedelta(1)], ["x", [1]], [None, [1]]]
)
def test_columns_without_single_values_are_refused(cells):
    with pytest.raises(TableError, match=r"column 'x' holds .*, not single values"):
        read(pd.DataFrame({"x": pd.Series(cells)}))


def test_text_that_is_not_unicode_names_the_column():
    with pytest.raises(TableError, match="pandas frame: column 'x': a text cell is not valid Unicode"):
        encode(["a", "\ud800"], object)
