"""Releases of two tables are written, verified, opened and protected alike."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import polars as pl
import pytest
from tests.folder.samples import Folder, patients, policy, put

import likeness as lk
from likeness.tables import read_published

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def anatomy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release in two tables."""
    chosen = policy(
        method={"name": "anatomy", "l": 2},
        privacy=lk.DistinctLDiversity(2),
        columns={"habit": lk.quasi()},
    )
    return lk.anonymize(patients(), chosen, seed=3).write(tmp_path_factory.mktemp("anatomy") / "out")


@pytest.fixture
def folder(anatomy: Path, tmp_path: Path) -> Folder:
    """The same, to tamper with."""
    return Folder(shutil.copytree(anatomy, tmp_path / "out"))


def _lines(verdict: object) -> str:
    return "\n".join(verdict.problems) + repr(verdict.proofs)


def test_files(anatomy: Path) -> None:
    assert sorted(path.name for path in (anatomy / "public").iterdir()) == [
        "certificate.html",
        "certificate.json",
        "quasi.csv",
        "sensitive.csv",
    ]
    for part, original in ((anatomy, patients()), (anatomy, None), (anatomy / "public", None)):
        assert lk.verify(part, original).ok
    page = (anatomy / "public/certificate.html").read_text()
    assert "the set of the values" not in page
    assert "bucket" in pl.read_parquet(anatomy / "private/classes.parquet").columns


def test_opened(anatomy: Path) -> None:
    opened = lk.open_release(anatomy / "public")
    assert list(opened.tables) == ["quasi", "sensitive"]
    assert opened.table["age"].dtype == pl.Int64
    assert opened.estimate({"disease": {"flu", "cold", "gout", "two\nlines"}}) == 80


def _swap_buckets(folder: Folder) -> None:
    path = folder.root / "public/quasi.csv"
    frame = read_published(path).frame
    a = 0
    b = next(row for row in range(frame.height) if frame["bucket"][row] != frame["bucket"][a])
    index = [b if row == a else a if row == b else row for row in range(frame.height)]
    put(frame.with_columns(bucket=frame["bucket"][index]), path)


def _swap_values(folder: Folder) -> None:
    path = folder.root / "public/sensitive.csv"
    frame = read_published(path).frame
    counted = frame.columns[-1]
    rows = frame.with_row_index().rows(named=True)
    held = {
        number: {row["disease"] for row in rows if row["bucket"] == number}
        for number in frame["bucket"].unique()
    }
    a, b = next(
        (one["index"], two["index"])
        for one in rows
        for two in rows
        if one["disease"] not in held[two["bucket"]]
        and two["disease"] not in held[one["bucket"]]
        and one[counted] == two[counted]
    )
    index = [b if row == a else a if row == b else row for row in range(frame.height)]
    put(frame.with_columns(disease=frame["disease"][index]), path)


def test_swapped_buckets(folder: Folder) -> None:
    _swap_buckets(folder)
    folder.claim_what_holds()
    assert lk.verify(folder.root / "public").ok
    folder.audit()
    found = lk.verify(folder.root)
    assert "quasi.csv, line" in _lines(found)
    assert "is not shown as the other rows of the bucket" in _lines(found)


def test_swapped_values(folder: Folder) -> None:
    _swap_values(folder)
    folder.claim_what_holds()
    assert lk.verify(folder.root / "public").ok
    folder.audit()
    assert lk.verify(folder.root).ok
    assert "does not have the sensitive values of its records" in _lines(lk.verify(folder.root, patients()))


def test_table_missing(folder: Folder) -> None:
    (folder.root / "public/sensitive.csv").unlink()
    assert "sensitive.csv is missing" in _lines(lk.verify(folder.root / "public"))
    folder.certify()
    assert "the form anatomized publishes quasi, sensitive" in _lines(lk.verify(folder.root / "public"))


def test_row_moved_out_of_a_bucket(folder: Folder) -> None:
    path = folder.root / "public/sensitive.csv"
    frame = read_published(path).frame
    put(frame.slice(1), path)
    folder.certify()
    found = lk.verify(folder.root / "public")
    assert not found.ok
    assert "bucket" in _lines(found)
