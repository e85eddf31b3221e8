"""A release can be opened from its published files and answers as the one that was written."""

from __future__ import annotations

import pickle
import shutil
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests.folder.samples import patients, policy, release

import likeness as lk
from likeness.errors import InvalidError, LikenessError, VerificationError


@pytest.mark.parametrize("format_", ["csv", "parquet"])
@pytest.mark.parametrize("part", ["", "public"])
def test_opened_answers_as_written(format_: str, part: str, tmp_path: Path) -> None:
    made = release(output={"format": format_})
    opened = lk.open_release(made.write(tmp_path / "out") / part)
    for query in ({"age": (30, 50)}, {"disease": {"flu", "gout"}}, {"habit": {"*", ""}}):
        assert opened.estimate(query) == made.estimate(query)
    for target in ({"age": 40}, {"age": 70, "habit": "{a|b}"}):
        assert opened.posterior(target) == made.posterior(target)
    assert opened.verify().ok
    assert opened.verify().proofs == made.verify().proofs
    assert opened.certificate.records == made.table.height == opened.table.height
    assert list(opened.table.columns) == list(made.table.columns)
    texts = [
        frame.with_columns(pl.all().cast(pl.String).fill_null("")) for frame in (opened.table, made.table)
    ]
    assert texts[0].equals(texts[1])


def test_numbers_come_back_as_numbers(tmp_path: Path) -> None:
    frame = patients().with_columns(
        income=pl.Series([None, *np.random.default_rng(1).normal(size=79).round(9).tolist()]),
        since=pl.date(2020, 1, 1) + pl.duration(days=pl.int_range(80) % 9),
    )
    kept = {"missing": {"policy": "category"}}
    columns = {
        "income": lk.sensitive(**kept),
        "since": lk.sensitive(),
        "habit": lk.drop(),
        "disease": lk.drop(),
    }
    made = lk.anonymize(frame, policy(columns=columns, privacy=lk.KAnonymity(4)), seed=1)
    folder = made.write(tmp_path / "out")
    assert lk.verify(folder, frame).ok
    opened = lk.open_release(folder)
    assert opened.table["income"].dtype == pl.Float64
    assert opened.table["since"].dtype == pl.Date
    assert opened.table["income"].equals(made.table["income"])


def test_original_is_not_known(written: Path) -> None:
    opened = lk.open_release(written)
    for needs in (opened.loss, lambda: opened.private, lambda: opened.attack("linkage")):
        with pytest.raises(LikenessError):
            needs()
    assert pickle.loads(pickle.dumps(opened)).verify().ok


def test_tampered_is_not_opened(written: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(written, tmp_path / "out"))
    with (folder / "public/release.csv").open("a") as file:
        file.write("1,2\n")
    with pytest.raises(VerificationError, match=r"release\.csv"):
        lk.open_release(folder)
    (folder / "public/release.csv").unlink()
    with pytest.raises(VerificationError, match=r"release\.csv is missing"):
        lk.open_release(folder)
    with pytest.raises(InvalidError):
        lk.open_release(tmp_path)
