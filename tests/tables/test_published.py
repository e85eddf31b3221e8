import polars as pl
import pytest

from likeness.errors import TableError
from likeness.tables import read_published


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
def test_tampered_files_are_errors(csv_file, content, message):
    with pytest.raises(TableError, match=message):
        read_published(csv_file(content))


def test_what_is_not_published(tmp_path, csv_file):
    with pytest.raises(TableError, match="no such file"):
        read_published(tmp_path / "a.csv")
    with pytest.raises(
        TableError, match=r"unknown extension '\.txt'; published tables are \.csv or \.parquet"
    ):
        read_published(csv_file("a\n1\n", "a.txt"))
