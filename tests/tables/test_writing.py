import os
import subprocess
import sys
from datetime import date

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from likeness.errors import OutputError
from likeness.tables import Labelled, read_published, write

ODD = [
    "",
    " ",
    ",",
    '"',
    '""',
    "\n",
    "\r",
    "\r\n",
    "{a|b}",
    "[18, 40]",
    "é",
    "\ufeff",
    "a\0b",
    "NA",
    "null",
    "007",
]
CELL = st.one_of(
    st.sampled_from(ODD),
    st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=6),
)
NAME = st.text(alphabet=st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6).filter(str.strip)


@settings(deadline=None, max_examples=150)
@given(names=st.lists(NAME, min_size=1, max_size=3, unique=True), data=st.data())
def test_text_comes_back_cell_for_cell(tmp_path_factory, names, data):
    rows = data.draw(st.integers(0, 5))
    columns = {name: data.draw(st.lists(CELL, min_size=rows, max_size=rows)) for name in names}
    labelled = {
        name: Labelled(np.arange(rows, dtype=np.int32), cells) if rows else pl.Series([], dtype=pl.String)
        for name, cells in columns.items()
    }
    folder = tmp_path_factory.getbasetemp()
    first, second = folder / "first.csv", folder / "second.csv"
    write(labelled, first, "csv")
    table = read_published(first)
    assert table.names == tuple(names)
    assert table.frame.to_dict(as_series=False) == columns
    write({name: table.frame[name] for name in names}, second, "csv")
    assert second.read_bytes() == first.read_bytes()
    write(labelled, folder / "first.parquet", "parquet")
    assert read_published(folder / "first.parquet").frame.to_dict(as_series=False) == columns


@settings(deadline=None, max_examples=50)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=5))
def test_numbers_come_back_exactly(tmp_path_factory, numbers):
    path = tmp_path_factory.getbasetemp() / "numbers.csv"
    write({"x": np.array(numbers)}, path, "csv")
    assert [float(cell) for cell in read_published(path).frame["x"]] == numbers


def test_csv_bytes(tmp_path):
    path = tmp_path / "a.csv"
    codes = np.array([0, 1, -1], dtype=np.int32)
    columns = {
        "age": Labelled(codes, ["[18, 40]", 'say "x"']),
        "n": np.array([3, 1, 2]),
        "x": np.array([0.5, 2.0, 1e-7]),
        "ok": np.array([True, False, True]),
        "seen": pl.Series([date(2024, 1, 31), None, date(2024, 2, 1)]),
    }
    write(columns, path, "csv")
    assert path.read_bytes() == (
        b'age,n,x,ok,seen\n"[18, 40]",3,0.5,true,2024-01-31\n'
        b'"say ""x""",1,2.0,false,\n,2,1e-07,true,2024-02-01\n'
    )


def test_a_null_in_a_single_column_is_a_record(tmp_path):
    path = tmp_path / "a.csv"
    write({"a": pl.Series([None, "x", None], dtype=pl.String)}, path, "csv")
    assert read_published(path).frame["a"].to_list() == ["", "x", ""]


PROGRAM = """
import sys
from pathlib import Path
import numpy as np
from likeness.tables import Labelled, write
generator = np.random.default_rng(0)
columns = {
    "age": Labelled(generator.integers(-1, 50, 300_000, dtype=np.int32), [f"[{i}, 9]" for i in range(50)]),
    "n": generator.integers(0, 10**6, 300_000),
}
for name in ("a.csv", "a.parquet"):
    write(columns, Path(sys.argv[1]) / name, name[2:])
"""


def test_bytes_do_not_depend_on_the_number_of_threads(tmp_path):
    for threads in ("1", "3"):
        (tmp_path / threads).mkdir()
        subprocess.run(
            [sys.executable, "-c", PROGRAM, tmp_path / threads],
            check=True,
            env={**os.environ, "POLARS_MAX_THREADS": threads},
        )
    for name in ("a.csv", "a.parquet"):
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "3" / name).read_bytes()


def test_bytes_do_not_depend_on_chunks(tmp_path):
    numbers = pl.Series(np.arange(1000))
    for name, column in {
        "whole": numbers,
        "pieces": pl.concat([numbers[:300], numbers[300:]], rechunk=False),
    }.items():
        write({"x": column}, tmp_path / name, "parquet")
    assert (tmp_path / "whole").read_bytes() == (tmp_path / "pieces").read_bytes()


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_where_nothing_can_be_written(tmp_path, kind):
    with pytest.raises(OutputError, match=r"a: cannot be written \(No such file or directory\)"):
        write({"a": np.array([1])}, tmp_path / "gone" / "a", kind)


def test_columns_of_different_length_are_refused(tmp_path):
    with pytest.raises(ValueError, match="one length"):
        write({"a": np.array([1]), "b": np.array([1, 2])}, tmp_path / "a.csv", "csv")


def test_csv_written_in_parts_is_the_same(tmp_path, monkeypatch):
    columns = {
        "a": Labelled(np.array([0, 1, -1, 1, 0, 2, 2], np.int32), ["x, y", 'say "so"', ""]),
        "n": np.array([1.5, 2.0, 3.25, 4.0, 5.0, 6.0, 7.0]),
    }
    write(columns, tmp_path / "whole.csv", "csv")
    monkeypatch.setattr("likeness.tables.writing._ROW_GROUP", 3)
    write(columns, tmp_path / "parts.csv", "csv")
    assert (tmp_path / "parts.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()


def test_tables_without_rows_have_a_header(tmp_path):
    write({"a": Labelled(np.zeros(0, np.int32), [])}, tmp_path / "none.csv", "csv")
    assert (tmp_path / "none.csv").read_bytes() == b"a\n"
