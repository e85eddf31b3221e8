"""A stranger's cells must not run in the spreadsheet of whoever opens a release."""

from __future__ import annotations

import json
import re

import polars as pl
import pytest

import likeness as lk
from likeness.report.warned import findings_of, formulas_in

EVIL = "=cmd|' /C calc'!A0"
TABLE = pl.DataFrame(
    {
        "age": [30, 31, 60, 61, -5, -6],
        "job": ["+A1", "+A1", "'+A1", "'+A1", "nurse", "nurse"],
        "@disease": ["=1+1", "flu", "'=1+1", "flu", "flu", "=1+1"],
        "note": [EVIL, "", "fine", "-5", "x" * 5000, f"={'y' * 5000}"],
    }
)
COLUMNS = {"age": lk.quasi(), "job": lk.quasi(), "@disease": lk.sensitive(), "note": lk.other()}


def made(**given):
    return lk.anonymize(TABLE, lk.Policy(columns=COLUMNS, privacy=lk.KAnonymity(2), **given), seed=3)


def test_formulas_are_warned_of_by_column_with_a_short_example(tmp_path):
    lines = [str(found) for found in formulas_in(made())]
    assert [re.match(r"(.*?)(:|begins)", line)[1].strip() for line in lines] == [
        "the name of the column '@disease'",
        "column 'job'",
        "column 'note'",
    ]
    assert "2 published cells begin as formulas do, such as " in lines[2]
    assert all("say output: {formulas: escape}" in line and len(line) < 300 for line in lines)
    release = made()
    assert {*lines} <= {str(found) for found in findings_of(release)}
    report = (release.write(tmp_path / "out") / "private" / "report.html").read_text()
    assert "begin as formulas do" in report


@pytest.mark.parametrize("form", [None, "anatomized"])
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_escaped_releases_hold_no_formula_and_mean_the_same(tmp_path, form, kind):
    from likeness.tables import read_published
    from likeness.tables.spelling import are_formulas

    more = (
        {} if form is None else {"method": {"name": "anatomy", "l": 2}, "privacy": lk.DistinctLDiversity(2)}
    )
    policy = lk.Policy(
        **(
            {
                "columns": COLUMNS,
                "privacy": lk.KAnonymity(2),
                "output": {"format": kind, "formulas": "escape"},
            }
            | more
        )
    )
    release = lk.anonymize(TABLE, policy, seed=3)
    assert formulas_in(release) == []
    folder = release.write(tmp_path / "out")
    for file in folder.glob(f"public/*.{kind}"):
        frame = read_published(file).frame
        for texts in (pl.Series(frame.columns), *(column for column in frame if column.dtype == pl.String)):
            assert not are_formulas(texts).any()
    assert json.loads((folder / "public/certificate.json").read_text())["formulas"] == "escape"
    for place in (folder, folder / "public"):
        assert lk.verify(place).ok
    opened = lk.open_release(folder / "public")
    query = {"@disease": {"=1+1"}}
    assert opened.estimate(query) == release.estimate(query) == 2
    assert sorted(opened.table["note"].to_list()) == sorted(release.table["note"].to_list())


def test_a_bare_formula_in_an_escaped_release_is_found(tmp_path):
    folder = made(output={"format": "csv", "formulas": "escape"}).write(tmp_path / "out")
    file = folder / "public/release.csv"
    assert "'=cmd" in file.read_text()
    file.write_text(file.read_text().replace("'=cmd", "=cmd"))
    problems = lk.verify(folder / "public").problems
    assert any("stands without the apostrophe" in problem for problem in problems)


def test_a_certificate_that_hides_the_escaping_is_found(tmp_path):
    folder = made(output={"format": "csv", "formulas": "escape"}).write(tmp_path / "out")
    file = folder / "public/certificate.json"
    plain = json.loads(file.read_text())
    for value in (None, "keep", "other", 1):
        told = {key: own for key, own in plain.items() if key != "formulas"} | (
            {} if value is None else {"formulas": value}
        )
        file.write_text(json.dumps(told, indent=2, ensure_ascii=False) + "\n")
        assert not lk.verify(folder).ok
