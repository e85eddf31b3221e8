"""Formulas in published texts: what is one, and that escaping them loses nothing."""

from __future__ import annotations

import re

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from likeness.errors import TableError
from likeness.tables import read_published, write
from likeness.tables.spelling import are_formulas, escape, unescape

RUN = [
    "=1+1",
    "=cmd|' /C calc'!A0",
    "@SUM(1)",
    "+A1",
    "-A1",
    "-2+3+cmd|' /C calc'!A0",
    "\t=1",
    "\n=1",
    "\r=1",
    "＝1+1",
    "-ve",
]
PLAIN = [
    "-5",
    "+5",
    "-1.5e-05",
    "-inf",
    "-",
    "--",
    "+49 170 1234",
    "-3 / 2",
    "=",
    "@",
    "a=b",
    "'=1",
    "",
    " =1",
    "2-3",
    "x@y.z",
]
TEXTS = st.lists(st.text(alphabet="'=+-@a1 \t\n|e.", max_size=6), min_size=1, max_size=8)


def test_what_a_spreadsheet_runs_is_a_formula_and_numbers_and_marks_are_none():
    assert are_formulas(pl.Series(RUN)).all()
    assert not are_formulas(pl.Series(PLAIN)).any()


def plainly(text: str) -> str:
    """The rule, character by character."""
    core = text.lstrip("'")
    number = re.fullmatch("[+-]([0-9]*[.,]?[0-9]+e[+-]?[0-9]+|inf|infinity|nan)", core, re.IGNORECASE)
    runs = (len(core) > 1 and core[0] in "=@\t\r\n") or (
        core[:1] in {"+", "-"} and set(core) - set("0123456789+.,:/() -") and not number
    )
    return "'" + text if runs else text


@given(TEXTS)
def test_escaping_is_read_back_in_one_way_and_leaves_no_formula(texts):
    written = escape(pl.Series(texts))
    assert written.to_list() == [plainly(text) for text in texts]
    assert unescape(written).to_list() == texts
    assert not are_formulas(written).any()
    assert len(set(written)) == len(set(texts))


@given(TEXTS)
def test_every_file_without_bare_formulas_is_written_by_one_text(texts):
    shown = pl.Series(texts).filter(~are_formulas(pl.Series(texts)))
    assert escape(unescape(shown)).to_list() == shown.to_list()


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_files_hold_no_formula_and_are_read_back(tmp_path, suffix):
    texts = [*RUN, *PLAIN, "'", "''=1"]
    file = tmp_path / f"release.{suffix}"
    numbers = list(range(-5, len(texts) - 5))
    write({"=name": pl.Series(texts), "n": pl.Series(numbers)}, file, suffix, "escape")
    raw = read_published(file)
    assert raw.names == ("'=name", "n")
    assert not are_formulas(raw.frame["'=name"].cast(pl.String)).any()
    frame = read_published(file, "escape").frame
    assert frame["=name"].to_list() == texts
    assert frame["n"].cast(pl.Int64).to_list() == numbers


@pytest.mark.parametrize(
    ("text", "where"), [("n,m\na,2\n=1,3\n", "line 3, column 'n': '=1'"), ("=n\na\n", "column '=n'")]
)
def test_a_formula_that_is_not_escaped_was_not_written_so(tmp_path, text, where):
    file = tmp_path / "release.csv"
    file.write_text(text)
    assert read_published(file).height
    with pytest.raises(TableError, match=f"{re.escape(where)} stands without the apostrophe"):
        read_published(file, "escape")
