"""Real tables are found where they are said to be, or their lack is."""

from __future__ import annotations

import pytest

from likeness.datasets.files import VARIABLE
from likeness.errors import TableError
from papers.figures.data import data_file


def test_a_file_in_the_folder_given_or_named_by_the_variable(tmp_path, monkeypatch):
    (tmp_path / "a.csv").write_text("x\n1\n")
    assert data_file(tmp_path, "a.csv") == tmp_path / "a.csv"
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    assert data_file(None, "a.csv") == tmp_path / "a.csv"


def test_what_is_missing_is_said(tmp_path, monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    with pytest.raises(TableError, match="no such folder of real tables; set LIKENESS_DATA"):
        data_file(None, "a.csv")
    with pytest.raises(TableError, match=r"lacks a\.csv"):
        data_file(tmp_path, "a.csv")
