import gzip
import os

import polars as pl
import pytest

from likeness.errors import TableError
from likeness.tables import published, read_published


def test_nothing_is_inferred(csv_file):
    table = read_published(csv_file("a,b\n007,\nNA,null\n 1 ,\n"))
    assert table.frame.rows() == [("007", ""), ("NA", "null"), (" 1 ", "")]
    assert table.frame.null_count().row(0) == (0, 0)


def test_other_delimiters_and_padding_are_content(csv_file):
    assert read_published(csv_file("a;b,c\n1;2, 3\n")).frame.rows() == [("1;2", " 3")]


def test_a_table_without_records(csv_file):
    table = read_published(csv_file("a,b\n"))
    assert (table.names, table.height) == (("a", "b"), 0)


def test_parquet_keeps_types(tmp_path):
    path = tmp_path / "a.parquet"
    pl.DataFrame({"n": [1, None]}).write_parquet(path)
    assert read_published(path).frame["n"].to_list() == [1, None]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "the file is empty"),
        ("a,b\n1\n", "line 2 has 1 cell, but there are 2 columns"),
        ("a,a\n1,2\n", "the name 'a' stands for columns 1 and 2"),
        (b"a\n\xff\n", r"not UTF-8 at line 2 \(byte offset 2\); it was changed"),
        ('a,b\n1,"2\n', "the record after line 1 cannot be read"),
    ],
)
@pytest.mark.parametrize("part", [1, 4, 1 << 23])
def test_tampered_files_are_errors(csv_file, content, message, part, monkeypatch):
    monkeypatch.setattr(published, "_PART", part)
    with pytest.raises(TableError, match=message):
        read_published(csv_file(content))


def test_what_is_not_published(tmp_path, csv_file):
    with pytest.raises(TableError, match="no such file"):
        read_published(tmp_path / "a.csv")
    with pytest.raises(
        TableError, match=r"unknown extension '\.txt'; published tables are \.csv, \.tsv, .*text compressed"
    ):
        read_published(csv_file("a\n1\n", "a.txt"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('a,b\n"1",2\n', r"""line 2 reads '"1",2' and must read '1,2'; it was changed"""),
        ('a,b\n1,""\n', r"""line 2 reads '1,""' and must read '1,'"""),
        ('"a",b\n1,2\n', r"""line 1 reads '"a",b' and must read 'a,b'"""),
        ("a,b\r\n1,2\r\n", r"line 1 reads 'a,b\\r' and must read 'a,b'"),
        ("a,b\n1,2\r\n3,4\n", r"line 2 reads '1,2\\r' and must read"),
        ("a,b\n1,2", "line 2 is cut off; it was changed"),
        ("a,b\n1,2\n\n", "line 3 must not be there"),
        ('a,b\n"x\ny",2\n3,"4"\n', "line 4 reads"),
        ("a\n1\n\n", r"""line 3 reads '' and must read '""'"""),
    ],
)
def test_a_table_has_one_text(csv_file, content, message):
    """How a cell is quoted could tell rows of equal cells apart."""
    with pytest.raises(TableError, match=message):
        read_published(csv_file(content))


def test_a_byte_order_mark_is_content(csv_file):
    assert read_published(csv_file("\ufeffa,b\n1,2\n")).names == ("\ufeffa", "b")


def test_compressed_tables_are_not_unpacked(tmp_path):
    for name in ("a.csv", "a.parquet"):
        (tmp_path / name).write_bytes(gzip.compress(b"a\n1\n"))
        with pytest.raises(TableError, match="is compressed, which its name does not say"):
            read_published(tmp_path / name)


@pytest.mark.parametrize("name", ["a.csv", "a.parquet"])
def test_pipes_are_not_waited_for(tmp_path, name):
    os.mkfifo(tmp_path / name)
    with pytest.raises(TableError, match="is no file, but a device or pipe"):
        read_published(tmp_path / name)


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (pl.Series([1.0, -0.0]), "row 2, column 'x': -0.0 is no number that is published"),
        (pl.Series([1.0, float("nan")]), "row 2, column 'x': nan is no number"),
        (pl.Series([1.0, float("inf")]), "row 2, column 'x': inf is no number"),
        (
            pl.Series([1, 2]).cast(pl.Time),
            "column 'x' is of the type Time; published columns are String, Int8, Int16, ",
        ),
        (pl.Series(["a"], dtype=pl.Categorical), "is of the type Categorical"),
        (pl.Series([b"a"]), "Binary"),
    ],
)
def test_parquet_has_the_types_that_are_written(tmp_path, column, message):
    path = tmp_path / "a.parquet"
    pl.DataFrame({"x": column}).write_parquet(path)
    with pytest.raises(TableError, match=message):
        read_published(path)


def test_a_small_parquet_file_of_very_many_cells(tmp_path, monkeypatch):
    path = tmp_path / "a.parquet"
    pl.DataFrame({"x": pl.repeat("flu", 1_000_000, eager=True)}).write_parquet(path)
    assert read_published(path).height == 1_000_000
    monkeypatch.setattr(published, "CELLS", 0)
    monkeypatch.setattr(published, "CELLS_OF_A_BYTE", 1)
    with pytest.raises(
        TableError, match=r"says it holds 1,000,000 cells; at most [0-9,]+ are read from a file of"
    ):
        read_published(path)


def test_columns_without_number(csv_file):
    with pytest.raises(TableError, match="has more than 16,384 columns"):
        read_published(csv_file(",".join(map(str, range(20_000))) + "\n"))


def test_lists_are_refused_unread(tmp_path, monkeypatch):
    file = tmp_path / "release.parquet"
    pl.DataFrame({"x": [[0] * 1000]}).write_parquet(file)
    monkeypatch.setattr("likeness.tables.published.read_binary", lambda *_, **__: pytest.fail("was read"))
    with pytest.raises(TableError, match="column 'x' is of the type List"):
        read_published(file)
