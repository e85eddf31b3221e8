from datetime import date

import numpy as np
import pandas as pd
import polars as pl
import pytest

from likeness.tables import Labelled, build, read

CODES = np.array([1, 0, -1, 1], dtype=np.int32)


def cells(library, frame, name):
    if library == "pandas":
        return [None if pd.isna(cell) else cell for cell in frame[name].tolist()]
    column = frame[name]
    return column.to_list() if library == "polars" else column.to_pylist()


def test_labels_become_text(make, library):
    like = read(make({"a": [0, 0, 0, 0]}))
    built = build(
        like, {"a": Labelled(CODES, ["[18, 40]", "é|\n"]), "b": Labelled(CODES.clip(0), ["x", "x"])}
    )
    assert type(built) is type(like.frame)
    assert cells(library, built, "a") == ["é|\n", "[18, 40]", None, "é|\n"]
    assert cells(library, built, "b") == ["x", "x", "x", "x"]
    kind = {"polars": lambda: built.schema["a"] == pl.String, "pandas": lambda: str(built["a"].dtype) == "str", "pyarrow": lambda: str(built.schema.field("a").type) == "string"}[library]  # fmt: skip  # noqa: E501
    assert kind() or (library == "pandas" and pd.__version__ < "3" and built["a"].dtype == object)


def test_nothing_but_nulls(make, library):
    like = read(make({"a": [0, 0]}))
    built = build(like, {"a": Labelled(np.array([-1, -1], dtype=np.int32), [])})
    assert cells(library, built, "a") == [None, None]


@pytest.mark.parametrize(
    "values",
    [
        [40, 31, 40],
        [40, None, 31],
        [1.5, None, 0.25],
        ["f", None, "m"],
        ["02139", "10001", "02139"],
        [True, False, True],
        [True, None, False],
        [None, None, None],
    ],
)
def test_encoded_columns_become_their_values_again(make, library, values):
    table = read(make({"x": values}))
    built = build(table, {"x": table.encode("x")})
    assert cells(library, built, "x") == values


def test_dates_become_dates_again(make, library):
    days = [date(2024, 2, 1), None, date(2024, 1, 31)]
    table = read(make({"x": days}))
    back = cells(library, build(table, {"x": table.encode("x")}), "x")
    assert [day.date() if isinstance(day, pd.Timestamp) else day for day in back] == days


def test_whole_numbers_stay_whole_beside_nulls(make, library):
    table = read(make({"x": [2**53 + 1, None, 1]})) if library != "pandas" else read(
        pd.DataFrame({"x": pd.array([2**53 + 1, None, 1], dtype="Int64")})
    )  # fmt: skip
    assert cells(library, build(table, {"x": table.encode("x")}), "x") == [2**53 + 1, None, 1]


def test_arrays_and_native_columns(make, library):
    table = read(make({"x": [1, 2, 3], "visit": ["a", "b", "c"]}))
    rows = np.array([2, 0, 1])
    taken = table.take(rows, ["visit"])
    native = taken["visit"]
    built = build(
        table,
        {"n": np.array([0.5, 1.5, 2.5]), "t": np.array(["x", None, "y"], dtype=object), "visit": native},
    )
    assert cells(library, built, "n") == [0.5, 1.5, 2.5]
    assert cells(library, built, "t") == ["x", None, "y"]
    assert cells(library, built, "visit") == ["c", "a", "b"]


def test_columns_of_different_length_are_refused(make):
    with pytest.raises(ValueError, match=r"of one length; got \{'a': 1, 'b': 2\}"):
        build(read(make({"a": [0]})), {"a": np.array([1]), "b": np.array([1, 2])})


def test_the_pandas_index_is_kept():
    frame = pd.DataFrame({"a": [1, 2, 3]}, index=pd.Index(["x", "y", "x"], name="who"))
    built = build(read(frame), {"a": np.array([3, 1])}, index_rows=np.array([2, 0]))
    assert built.index.tolist() == ["x", "x"]
    assert built.index.name == "who"
    assert built["a"].tolist() == [3, 1]
    assert build(read(frame), {"a": np.array([3, 1])}).index.tolist() == [0, 1]


def test_pandas_labels_are_given_back():
    frame = pd.DataFrame({0: [1, 2], "b": [3, 4]})
    built = build(read(frame), {"0": np.array([1, 2]), "person": np.array([7, 8])})
    assert built.columns.tolist() == [0, "person"]


def test_a_native_pandas_column_is_taken_by_position():
    frame = pd.DataFrame({"a": [1, 2]}, index=[10, 20])
    built = build(read(frame), {"a": frame["a"].iloc[::-1], "b": np.array([5, 6])})
    assert built["a"].tolist() == [2, 1]
