"""In files that have types, columns that still are of their original's type have it; the others are said."""

from __future__ import annotations

import json
from datetime import date
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.folder.samples import Folder

import likeness as lk
from likeness.forms.base import as_labelled
from likeness.tables import EncodedColumn, Labelled, read_published, retyped

if TYPE_CHECKING:
    from pathlib import Path

ROWS = 60
NUMBERS = range(ROWS)
TABLE = pl.DataFrame(
    {
        "age": pl.Series([20 + i % 40 for i in NUMBERS], dtype=pl.UInt8),
        "sex": pl.Series(["f", "m"] * 30, dtype=pl.Categorical),
        "smokes": pl.Series([i % 2 == 0 for i in NUMBERS]),
        "born": [date(1960 + i % 2, 1, 1) for i in NUMBERS],
        "ill": pl.Series([i % 3 == 0 if i % 7 else None for i in NUMBERS], dtype=pl.Boolean),
        "visits": pl.Series([i % 5 if i % 11 else None for i in NUMBERS], dtype=pl.Int16),
        "dose": pl.Series([i % 4 / 10 for i in NUMBERS], dtype=pl.Float32),
        "seen": [date(2024, 1, 1 + i % 9) for i in NUMBERS],
        "grade": pl.Series(["low", "high", "low"] * 20, dtype=pl.Enum(["low", "mid", "high"])),
        "note": [f"{i % 9}" for i in NUMBERS],
    }
)
COLUMNS = {
    "age": lk.quasi(),
    "sex": lk.quasi(),
    "smokes": lk.quasi(),
    "born": lk.quasi(),
    "ill": lk.sensitive(missing={"policy": "category"}),
    **{name: lk.other() for name in ("visits", "dose", "seen", "grade", "note")},
}


def made(path: Path, **changes: Any) -> lk.Release:
    """A release in which smokers, and who was born when, stand as they are: classes are of these."""
    given_policy = {"columns": COLUMNS, "privacy": lk.KAnonymity(5), "method": {"name": "mondrian"}}
    return lk.anonymize(path, lk.Policy(**(given_policy | changes)), seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_types_are_those_that_came(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"people.{ending}"
    (TABLE.write_parquet if ending == "parquet" else TABLE.write_ipc)(path)
    columns = {**COLUMNS, "age": lk.drop(), "sex": lk.drop()}
    release = made(path, columns=columns)
    folder = release.write(tmp_path / "out")
    file = folder / f"public/release.{ending}"
    shown = pl.read_parquet(file) if ending == "parquet" else pl.read_ipc(file)
    assert dict(shown.schema) == {
        "smokes": pl.Boolean,
        "born": pl.Date,
        "ill": pl.Boolean,
        "visits": pl.Int16,
        "dose": pl.Float32,
        "seen": pl.Date,
        "grade": pl.String,
        "note": pl.String,
    }
    names = shown.columns
    as_texts = TABLE.select(names).with_columns(pl.col("grade").cast(pl.String))
    assert shown.sort(names).equals(as_texts.sort(names))
    (found,) = (one for one in release.findings if one.code == "types-not-kept")
    assert found.facts == {"columns": {"grade": "Enum"}}
    assert not found.warned
    assert "'grade' (Enum)" in str(found)
    assert lk.verify(folder, path).ok
    assert lk.verify(folder / "public").ok
    again = lk.open_release(folder, original=path).write(tmp_path / "again")
    assert (again / f"public/release.{ending}").read_bytes() == file.read_bytes()


def test_what_is_generalized_is_text(tmp_path: Path) -> None:
    path = tmp_path / "people.parquet"
    TABLE.write_parquet(path)
    release = made(path)
    folder = release.write(tmp_path / "out")
    shown = pl.read_parquet(folder / "public/release.parquet")
    assert shown.schema["age"] == pl.String
    assert shown["age"].str.starts_with("[").any()
    (found,) = (one for one in release.findings if one.code == "types-not-kept")
    assert found.facts["columns"]["age"] == "UInt8"
    assert found.facts["columns"]["sex"] == "Categorical"
    assert lk.verify(folder, path).ok
    # CSV has no types, and frames are files of none.
    plain = made(path, output={"format": "csv"})
    assert [one for one in plain.findings if one.code == "types-not-kept"] == []


def test_json_lines_have_truth_values_and_numbers(tmp_path: Path) -> None:
    path = tmp_path / "people.jsonl"
    TABLE.select("smokes", "ill", "visits", "note").write_ndjson(path)
    columns = {name: COLUMNS[name] for name in ("smokes", "ill", "visits", "note")}
    folder = made(path, columns=columns).write(tmp_path / "out")
    records = [json.loads(line) for line in (folder / "public/release.jsonl").read_text().splitlines()]
    assert {type(record["smokes"]) for record in records} == {bool}
    assert {record["ill"] for record in records} == {True, False, None}
    assert {type(record["visits"]) for record in records} == {int, type(None)}
    assert {type(record["note"]) for record in records} == {str}
    assert lk.verify(folder, path).ok


@pytest.mark.parametrize(
    ("labels", "dtype", "expected"),
    [
        (["40", "31"], pl.Int8(), [40, 31]),
        (["40", ""], pl.Int8(), [40, None]),
        (["400", "31"], pl.Int8(), None),
        (["-1"], pl.UInt8(), None),
        (["040"], pl.Int64(), None),
        (["[30, 40]", "31"], pl.Int64(), None),
        (["*"], pl.Boolean(), None),
        (["true", ""], pl.Boolean(), [True, None]),
        (["True"], pl.Boolean(), None),
        (["0.1", "1e-07"], pl.Float32(), [0.1, 1e-07]),
        (["0.10000000149", "2.5"], pl.Float32(), None),
        (["1e+300"], pl.Float32(), None),
        (["1.0"], pl.Float64(), [1.0]),
        (["1"], pl.Float64(), None),
        (["2024-03-01", ""], pl.Date(), [date(2024, 3, 1), None]),
        (["2024-03"], pl.Date(), None),
        (["a"], pl.String(), None),
        (["a"], pl.Enum(["a"]), None),
        ([""], pl.Int64(), [None]),
    ],
)
def test_retyped(labels: list[str], dtype: pl.DataType, expected: list[Any] | None) -> None:
    # What does not occur may be anything.
    column = Labelled(np.arange(len(labels), dtype=np.int32), [*labels, "(*)"])
    found = retyped(column, dtype)
    assert (None if found is None else found.dtype) == (None if expected is None else dtype)
    if found is not None and expected is not None:
        wanted = pl.Series(expected, dtype=dtype)
        assert found.equals(wanted)


@given(st.lists(st.none() | st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=5))
def test_retyped_numbers_keep_their_texts(values: list[int | None]) -> None:
    distinct = np.array(sorted({value for value in values if value is not None}), np.int64)
    codes = [-1 if value is None else int(np.searchsorted(distinct, value)) for value in values]
    column = EncodedColumn("n", "integer", np.array(codes, np.int32), distinct)
    for dtype in (pl.Int8(), pl.Int64(), pl.UInt64()):
        found = retyped(column, dtype)
        try:
            expected = pl.Series(values, dtype=dtype)
        except (OverflowError, TypeError):
            expected = None
        assert (None if found is None else found.to_list()) == (
            None if expected is None else expected.to_list()
        )


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["csv", "jsonl", "xlsx", "parquet", "arrow", "sav"])
def test_narrow_types_in_every_kind_of_file(tmp_path: Path, ending: str) -> None:
    """A tenth in 32 bits is a tenth, whatever it is written in."""
    frame = TABLE.drop("sex", "grade")
    columns = {name: COLUMNS[name] for name in frame.columns}
    asked = {"columns": columns, "privacy": lk.KAnonymity(5), "method": {"name": "mondrian"}}
    release = lk.anonymize(frame, lk.Policy(**asked, output={"format": ending}), seed=1)
    folder = release.write(tmp_path / "out")
    assert lk.verify(folder, frame).ok
    shown = read_published(folder / f"public/release.{ending}")
    told = as_labelled(shown.as_it_is("dose"))
    assert set(told.labels) == {"0.0", "0.1", "0.2", "0.3"}


def test_a_file_that_does_not_say_what_packed_it(tmp_path: Path) -> None:
    path = tmp_path / "people.parquet"
    TABLE.write_parquet(path)
    out = Folder.__new__(Folder)
    out.root = made(path).write(tmp_path / "out")
    assert "packed" not in str(lk.verify(out.root / "public"))
    out.rewrite(lambda content: content["files"]["release.parquet"].pop("packed_by"))
    found = lk.verify(out.root / "public")
    assert found.ok
    assert "does not say what packed it; whether its bytes are those" in str(found)
