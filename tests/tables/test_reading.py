import polars as pl
import pytest

from likeness.errors import TableError
from likeness.tables import read


def test_frames_keep_their_library(make, library):
    frame = make({"age": [40, 31]})
    table = read(frame)
    assert table.frame is frame
    assert (table.library, table.source, table.format) == (library, f"{library} frame", "frame")
    assert (table.names, table.height) == (("age",), 2)


def test_a_table_is_returned_as_it_is():
    table = read(pl.DataFrame({"a": [1]}))
    assert read(table) is table


def test_lazy_frames_are_collected():
    assert read(pl.LazyFrame({"a": [1]})).height == 1


@pytest.mark.parametrize("thing", [[1], None, 3, {"a": [1]}])
def test_other_things_are_no_tables(thing):
    with pytest.raises(TableError, match=r"cannot read a table from '.*'; give a path, a polars"):
        read(thing)


def test_frames_without_records_or_columns(make):
    with pytest.raises(TableError, match="has columns and no records"):
        read(make({"a": []}))
    with pytest.raises(TableError, match="has no columns"):
        read(make({}))


def test_paths(csv_file, tmp_path):
    path = csv_file("a\n1\n", "A.CSV")
    assert read(path).source == read(str(path)).source == str(path)
    with pytest.raises(TableError, match=r"unknown extension '\.doc'; known: \.csv"):
        read(tmp_path / "a.doc")
    for name in ("a.xlsb", "a.XLS", "a.ods"):
        with pytest.raises(TableError, match="is a spreadsheet of another kind"):
            read(tmp_path / name)
    with pytest.raises(TableError, match=r"unknown extension ''"):
        read(tmp_path / "a")
    with pytest.raises(TableError, match=r"unknown extension '\.gz'"):
        read(tmp_path / "a.parquet.gz")
    (tmp_path / "empty").mkdir()
    with pytest.raises(TableError, match="holds no file of a table"):
        read(tmp_path / "empty")
    with pytest.raises(TableError, match="no such file"):
        read(tmp_path / "a.csv")
    with pytest.raises(TableError, match="no such file"):
        read(tmp_path / "a.parquet")


def test_options_no_file_can_have_are_reported_at_once(csv_file):
    with pytest.raises(TableError) as caught:
        read(csv_file("a\n1\n"), delimiter="ab", quote="''", decimal="'")
    assert len(caught.value.problems) == 3


def test_decimal_applies_to_text_in_frames(make):
    frame = make({"dose": ["3,5", "2"]})
    assert read(frame, decimal=",").encode("dose").values.tolist() == [2.0, 3.5]


def test_thousands_are_said_for_files_and_frames(csv_file):
    path = csv_file("pay;n\n1.234,5;1\n12;2\n")
    assert read(path, thousands=".").encode("pay").values.tolist() == [12.0, 1234.5]
    frame = pl.DataFrame({"pay": ["1,234", "12"]})
    assert read(frame, thousands=",").encode("pay").values.tolist() == [12, 1234]
    with pytest.raises(TableError, match="decimal and thousands are the same mark"):
        read(frame, thousands=",", decimal=",")
    with pytest.raises(TableError, match="thousands must be a comma, a point, a space or an apostrophe"):
        read(frame, thousands="_")


@pytest.mark.parametrize("name", ["policy.yaml", "policy.yml", "policy.json"])
def test_a_policy_in_place_of_a_table_is_called_that(tmp_path, name):
    (tmp_path / name).write_text("columns: {}")
    with pytest.raises(
        TableError, match="is named as policies are, and no table; the table stands first, and the policy"
    ):
        read(tmp_path / name)
