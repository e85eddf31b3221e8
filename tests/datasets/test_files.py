import polars as pl
import pytest

from likeness.datasets import files
from likeness.errors import TableError


@pytest.mark.parametrize(
    ("part", "complete", "rows"),
    [("train", True, 30_162), ("all", True, 45_222), ("train", False, 32_561), ("all", False, 48_842)],
)
def test_adult_has_the_rows_the_literature_counts(data_folder, part, complete, rows):
    table = files.adult(data_folder, part=part, complete=complete)
    assert table.shape == (rows, 15)
    assert table.schema["age"] == pl.Int64
    missing = sum(
        (table[column] == "?").sum() for column in table.columns if table.schema[column] == pl.String
    )
    assert (missing == 0) is complete


def test_the_first_5000_complete_rows_are_those_of_paper_001(data_folder):
    first = files.adult(data_folder).head(5000)
    assert [first[column].n_unique() for column in ("age", "sex", "native-country")] == [67, 2, 39]


def test_adult_hierarchies_are_named_by_column(data_folder):
    found = files.adult_hierarchies(data_folder)
    assert len(found) == 9
    assert set(found) <= set(files.adult(data_folder).columns)
    assert all(path.is_file() for path in found.values())


def test_census_income_gets_its_names(data_folder):
    table = files.census_income(data_folder)
    assert table.shape == (199_523, 42)
    assert len(set(table.columns)) == 42
    assert table["age"].max() == 90
    assert sorted(table["income_class"].unique()) == ["- 50000.", "50000+."]
    assert sorted(table["year"].unique()) == [94, 95]
    assert "NA" in table["hispanic_origin"].unique()
    question_marks = [
        name for name in table.columns if table.schema[name] == pl.String and (table[name] == "?").any()
    ]
    assert len(question_marks) == 8
    assert table.null_count().sum_horizontal().item() == 0
    assert table["instance_weight"].dtype == pl.Float64


def test_a_folder_that_is_not_there(tmp_path, monkeypatch):
    with pytest.raises(TableError, match="no such folder of benchmark files; set LIKENESS_DATA"):
        files.adult(tmp_path / "nowhere")
    monkeypatch.setenv("LIKENESS_DATA", str(tmp_path / "elsewhere"))
    with pytest.raises(TableError, match="elsewhere: no such folder"):
        files.census_income()


def test_a_folder_that_lacks_the_file(tmp_path):
    with pytest.raises(TableError, match=r"lacks adult/adult_raw_48842\.csv"):
        files.adult(tmp_path)
    with pytest.raises(TableError, match=r"lacks census_income/"):
        files.census_income(tmp_path)


def test_the_folder_is_named_by_the_environment(data_folder, monkeypatch):
    monkeypatch.setenv("LIKENESS_DATA", str(data_folder))
    assert files.adult().height == 30_162
