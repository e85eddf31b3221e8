import polars as pl
import pytest

from likeness.errors import TableError
from likeness.tables import read

FRAME = pl.DataFrame({"age": [40, None, 31], "zip": ["02139", "10001", ""]})
WRITERS = {
    "a.parquet": FRAME.write_parquet,
    "a.pq": FRAME.write_parquet,
    "a.arrow": FRAME.write_ipc,
    "a.feather": FRAME.write_ipc,
    "a.ipc": FRAME.write_ipc_stream,
}


@pytest.mark.parametrize("name", WRITERS)
def test_each_format_comes_back(tmp_path, name):
    path = tmp_path / name
    WRITERS[name](path)
    table = read(path)
    assert table.frame.equals(FRAME)
    assert table.library == "polars"
    assert table.format == ("parquet" if "p" in path.suffix[1:3] and name != "a.ipc" else "arrow")
    assert table.where(0) == "row 1"
    assert table.encode("age").codes.tolist() == [1, -1, 0]
    assert table.kind("zip") == "text"


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("keep", [0.0, 0.02, 0.5, 0.9])
def test_truncated_files_are_errors(tmp_path, name, keep):
    path = tmp_path / name
    WRITERS[name](path)
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * keep)])
    with pytest.raises(TableError) as caught:
        read(path)
    assert len(str(caught.value).splitlines()) == 1
    assert str(path) in str(caught.value)


def test_text_is_no_parquet(csv_file):
    with pytest.raises(TableError, match="not a whole Parquet file"):
        read(csv_file("a,b\n1,2\n", "a.parquet"))


def test_no_records_nested_and_bytes(tmp_path):
    path = tmp_path / "a.parquet"
    FRAME.head(0).write_parquet(path)
    with pytest.raises(TableError, match="has columns and no records"):
        read(path)
    pl.DataFrame({"tags": [["a"]], "raw": [b"a"], "ok": [1]}).write_parquet(path)
    with pytest.raises(TableError, match=r"column 'tags' holds List.*not single values") as caught:
        read(path)
    assert len(caught.value.problems) == 2


def test_csv_options_are_refused(tmp_path):
    path = tmp_path / "a.parquet"
    FRAME.write_parquet(path)
    with pytest.raises(TableError, match="delimiter and header can be given for CSV files only"):
        read(path, delimiter=";", header=False)
