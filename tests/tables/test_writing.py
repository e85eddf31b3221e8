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
from likeness.tables import Labelled, published, read_published, write
from likeness.tables.writing import csv_lines

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


@pytest.mark.slow
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


def plain_csv(columns):
    """A table of lists as CSV, cell by cell."""

    def cell(value):
        text = "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
        if any(c in text for c in ',"\r\n'):
            return '"' + text.replace('"', '""') + '"'
        return text or ('""' if len(columns) == 1 else "")

    rows = [
        [cell(name) for name in columns],
        *([cell(v) for v in row] for row in zip(*columns.values(), strict=True)),
    ]
    return "".join(",".join(row) + "\n" for row in rows).encode()


@settings(deadline=None, max_examples=100)
@given(data=st.data(), rows=st.integers(0, 9), at_once=st.sampled_from([1, 2, 4, 1 << 16]))
def test_csv_is_what_cell_by_cell_gives(data, rows, at_once):
    kinds = {
        "t, 1": (pl.String, st.none() | CELL),
        "t2": (pl.Categorical, st.none() | st.sampled_from(ODD)),
        "n": (pl.Int64, st.none() | st.integers(-(10**9), 10**9)),
        "b": (pl.Boolean, st.none() | st.booleans()),
        "d": (pl.Date, st.none() | st.dates()),
    }
    chosen = data.draw(st.lists(st.sampled_from(sorted(kinds)), min_size=1, max_size=4, unique=True))
    lists = {name: data.draw(st.lists(kinds[name][1], min_size=rows, max_size=rows)) for name in chosen}
    frame = pl.DataFrame({name: pl.Series(lists[name], dtype=kinds[name][0]) for name in chosen})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("likeness.tables.writing._LINES_AT_ONCE", at_once)
        assert b"".join(csv_lines(frame)) == plain_csv(lists)


@pytest.mark.slow
@settings(deadline=None, max_examples=150)
@given(data=st.data(), rows=st.integers(0, 9), width=st.integers(1, 3), part=st.integers(1, 40))
def test_a_file_read_in_parts_is_the_same(tmp_path_factory, data, rows, width, part):
    cells = [data.draw(st.lists(CELL, min_size=rows, max_size=rows)) for _ in range(width)]
    frame = pl.DataFrame({f"{i}": pl.Series(own, dtype=pl.String) for i, own in enumerate(cells)})
    path = tmp_path_factory.getbasetemp() / "parts.csv"
    path.write_bytes(b"".join(csv_lines(frame)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(published, "_PART", part)
        found = published._in_parts(path, ",")
        if found is None:
            # polars takes the mark away where a part begins with it.
            assert "\ufeff" in frame.to_series(0)
            return
        assert found.frame.rows() == frame.rows()
        again = read_published(path)
        assert [found.where(row) for row in range(rows)] == [again.where(row) for row in range(rows)]
        assert b"".join(published._parts(path.open("rb"))) == path.read_bytes()
        # What `write` does not leave so is left to the reading of all of it.
        assert published._in_parts(_with(path, path.read_bytes() + b"\n"), ",") is None


def _with(path, data):
    """The file, holding something else."""
    path.write_bytes(data)
    return path


def test_csv_written_in_parts_is_the_same(tmp_path, monkeypatch):
    columns = {
        "a": Labelled(np.array([0, 1, -1, 1, 0, 2, 2], np.int32), ["x, y", 'say "so"', ""]),
        "n": np.array([1.5, 2.0, 3.25, 4.0, 5.0, 6.0, 7.0]),
    }
    write(columns, tmp_path / "whole.csv", "csv")
    # Of three lines a part, column a has as many texts as a part has lines, and n more.
    monkeypatch.setattr("likeness.tables.writing._LINES_AT_ONCE", 3)
    write(columns, tmp_path / "parts.csv", "csv")
    assert (tmp_path / "parts.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()


def test_tables_without_rows_have_a_header(tmp_path):
    write({"a": Labelled(np.zeros(0, np.int32), [])}, tmp_path / "none.csv", "csv")
    assert (tmp_path / "none.csv").read_bytes() == b"a\n"
