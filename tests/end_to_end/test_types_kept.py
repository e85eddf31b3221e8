"""Published columns in the types of the original: every library, exact values and regions."""

# ruff: noqa: DTZ001
from __future__ import annotations

import datetime as dt

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import likeness as lk

N = 24
BASE = {
    "age": [30 + i % 8 for i in range(N)],
    "word": ["b", "a", "c"] * 8,
    "flag": [True, False] * 12,
    "day": [dt.date(2024, 1, 1 + i % 5) for i in range(N)],
    "moment": [dt.datetime(2024, 1, 1 + i % 5, 3) for i in range(N)],
    "gaps": [None if i % 6 == 0 else i % 4 for i in range(N)],
    "holes": [None if i % 6 == 0 else "xyz"[i % 3] for i in range(N)],
    "real": [i % 3 + 0.5 for i in range(N)],
}
OTHERS = [name for name in BASE if name != "age"]


def released(frame, role, **more):
    names = frame.column_names if isinstance(frame, pa.Table) else frame.columns
    columns = dict.fromkeys(names, role()) | {"age": lk.quasi()}
    policy = lk.Policy(columns=columns, privacy=[lk.KAnonymity(2)], missing={"policy": "category"}, **more)
    return lk.anonymize(frame, policy, seed=1)


def pandas_numpy():
    frame = pd.DataFrame(BASE)
    frame["word"] = frame["word"].astype(pd.CategoricalDtype(["c", "b", "a", "never"], ordered=True))
    frame["gaps"] = frame["gaps"].astype("Int8")
    frame["flag"] = frame["flag"].astype("boolean")
    frame["day"] = pd.to_datetime(frame["day"])
    frame["holes"] = frame["holes"].astype(object)
    frame["real"] = frame["real"].astype("float32")
    frame.index = pd.Index([f"p{i}" for i in range(N)], name="pid")
    frame.columns.name = "columns"
    return frame


def pandas_arrow():
    table = pa.table(BASE)
    words = table["word"].cast(pa.dictionary(pa.int8(), pa.string()))
    table = table.set_column(1, "word", words)
    return table.to_pandas(types_mapper=pd.ArrowDtype)


@pytest.mark.parametrize("role", [lk.sensitive, lk.other])
@pytest.mark.parametrize("make", [pandas_numpy, pandas_arrow])
def test_pandas_keeps_index_order_labels_and_types(make, role):
    original = make()
    table = released(original, role).table
    assert table.columns.equals(original.columns)
    assert table.columns.names == original.columns.names
    assert table.index.name == original.index.name
    assert set(table.index) == set(original.index)
    kept = {name: str(dtype) for name, dtype in original.dtypes.items() if name not in {"age", "word"}}
    assert {name: str(table.dtypes[name]) for name in kept} == kept
    # Cell for cell, as the index tells whose row is whose.
    for name in OTHERS:
        theirs = original[name].loc[table.index]
        assert table[name].isna().tolist() == theirs.isna().tolist(), name
        assert table[name].dropna().tolist() == theirs.dropna().tolist(), name


@pytest.mark.parametrize("role", [lk.sensitive, lk.other])
def test_categories_keep_their_order_and_only_what_is_published(role):
    table = released(pandas_numpy(), role).table
    assert table["word"].dtype == pd.CategoricalDtype(["c", "b", "a"], ordered=True)
    arrow = released(pandas_arrow(), role).table["word"].dtype
    assert arrow == pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string()))
    words = pl.Series(BASE["word"], dtype=pl.Enum(["c", "b", "a", "never"]))
    frame = pl.DataFrame(BASE).with_columns(word=words)
    assert released(frame, role).table.schema["word"] == pl.Enum(["c", "b", "a"])
    dictionary = pa.array(["never", "c", "b", "a"])
    codes = pa.array([dictionary.index(word).as_py() for word in BASE["word"]], pa.int8())
    coded = pa.DictionaryArray.from_arrays(codes, dictionary, ordered=True)
    made = released(pa.table(BASE).set_column(1, "word", coded), role).table["word"]
    assert made.type == coded.type
    assert made.chunk(0).dictionary.to_pylist() == ["c", "b", "a"]


@pytest.mark.parametrize("role", [lk.sensitive, lk.other])
def test_polars_keeps_order_and_types(role):
    narrow = [
        pl.col("gaps").cast(pl.Int8),
        pl.col("real").cast(pl.Float32),
        pl.col("word").cast(pl.Categorical),
    ]
    zone = pl.col("moment").dt.replace_time_zone("Europe/Rome")
    original = pl.DataFrame(BASE).with_columns(
        *narrow, zone, price=pl.Series(["1.50", "2.00"] * 12, dtype=pl.Decimal(8, 2))
    )
    table = released(original, role).table
    assert table.schema == original.schema | {"age": pl.String}
    assert table.columns == original.columns
    for name in original.columns[1:]:
        assert sorted(map(str, table[name])) == sorted(map(str, original[name])), name


@pytest.mark.parametrize("role", [lk.sensitive, lk.other])
def test_pyarrow_keeps_order_and_types(role):
    original = pa.table(BASE).cast(
        pa.schema(
            [
                ("age", pa.int64()),
                ("word", pa.large_string()),
                ("flag", pa.bool_()),
                ("day", pa.date32()),
                ("moment", pa.timestamp("ms")),
                ("gaps", pa.uint8()),
                ("holes", pa.string()),
                ("real", pa.float32()),
            ]
        )
    )
    table = released(original, role).table
    assert table.column_names == original.column_names
    assert table.drop(["age"]).schema == original.drop(["age"]).schema
    for name in OTHERS:
        assert sorted(map(str, table[name].to_pylist())) == sorted(map(str, original[name].to_pylist())), name


@pytest.mark.parametrize("make", [pl.DataFrame, pa.table, pd.DataFrame])
def test_exact_quasi_identifiers_keep_their_types(make):
    frame = make({"age": BASE["age"], "flag": BASE["flag"], "word": BASE["word"]})
    columns = {"age": lk.quasi(), "flag": lk.quasi(), "word": lk.sensitive()}
    policy = lk.Policy(
        columns=columns,
        privacy=lk.DistinctLDiversity(2),
        form="anatomized",
        method={"name": "anatomy", "l": 2},
    )
    quasi = lk.anonymize(frame, policy, seed=1).tables["quasi"]
    types = {"polars": lambda t: t.schema, "pandas": lambda t: t.dtypes, "pyarrow": lambda t: t.schema.field}
    of = types[type(frame).__module__.partition(".")[0]]
    for name in ("age", "flag"):
        old, new = (of(one)(name) if callable(of(one)) else of(one)[name] for one in (frame, quasi))
        assert getattr(new, "type", new) == getattr(old, "type", old)


def test_what_the_original_has_no_cell_for_is_changed_and_says_what_was_proven():
    moments = [dt.datetime(2024, 1, 1 + i % 2, 3 + i) for i in range(12)]
    frame = pl.DataFrame(
        {"age": [30, 31] * 6, "moment": moments, "flag": [True, False] * 6, "n": [10, 99] * 6}
    )
    frame = frame.with_columns(pl.col("n").cast(pl.Int16), text=pl.Series(["7", "8"] * 6))
    columns = {
        "age": lk.quasi(),
        "moment": lk.sensitive(kind="date"),
        "flag": lk.quasi(),
        "n": lk.sensitive(round=50),
        "text": lk.sensitive(),
    }
    table = lk.anonymize(frame, lk.Policy(columns=columns, privacy=lk.KAnonymity(12)), seed=1).table
    # A moment would tell the hour, which was not published; and a top that is coded is nobody's.
    assert table.schema == {
        "age": pl.String,
        "moment": pl.Date,
        "flag": pl.String,
        "n": pl.Int64,
        "text": pl.Int64,
    }
    assert set(table["flag"]) == {"*"}
    assert set(table["n"]) == {0, 100}
