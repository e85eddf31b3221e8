import numpy as np
import polars as pl
import pytest

from likeness.errors import InvalidError
from likeness.tables import read


def test_texts_of_equal_numbers_are_one_value():
    column = read(pl.DataFrame({"dose": ["1.50", "1.5", "0.5", "-9.0"]})).encode("dose", missing=["-9"])
    assert column.kind == "real"
    assert column.values.tolist() == [0.5, 1.5]
    assert column.codes.tolist() == [1, 1, 0, -1]


def test_the_kind_is_found_after_markers_are_missing():
    table = read(pl.DataFrame({"age": ["34", "?", "", "61"]}))
    column = table.encode("age", missing=["", "?"])
    assert column.kind == table.kind("age", missing=["", "?"]) == "integer"
    assert column.codes.tolist() == [0, -1, -1, 1]


def test_without_markers_the_empty_text_is_a_value():
    column = read(pl.DataFrame({"a": ["x", "", None]})).encode("a", missing=[])
    assert column.values.tolist() == ["", "x"]
    assert column.codes.tolist() == [1, 0, -1]


@pytest.mark.parametrize(
    ("values", "kind", "dtype"),
    [
        (["1"], "integer", np.dtype(np.int64)),
        (["1.5"], "real", np.dtype(np.float64)),
        (["2024-01-31"], "date", np.dtype("datetime64[D]")),
        ([True], "boolean", np.dtype(np.bool_)),
        (["x"], "text", np.dtype(object)),
        ([None], "text", np.dtype(object)),
    ],
)
def test_values_have_the_type_of_their_kind(values, kind, dtype):
    column = read(pl.DataFrame({"a": values})).encode("a")
    assert column.kind == kind
    assert column.values.dtype == dtype
    assert column.codes.dtype == np.int32


def test_a_column_of_markers_has_no_values():
    column = read(pl.DataFrame({"a": ["?", "?"]})).encode("a", missing=["?"])
    assert column.values.tolist() == []
    assert column.missing == 2


def test_an_unknown_kind_gets_a_suggestion():
    with pytest.raises(InvalidError, match="no such kind: 'intger'; did you mean 'integer'"):
        read(pl.DataFrame({"a": [1]})).encode("a", kind="intger")
