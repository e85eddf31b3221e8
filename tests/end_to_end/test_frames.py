"""Frames in, the same library out, and a folder that verifies against the frame."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import likeness as lk

COLUMNS = {"age": [30 + i % 40 for i in range(80)], "disease": ["flu", "cold", "hiv", "gout"] * 20}
POLICY = lk.Policy(
    columns={"age": lk.quasi(), "disease": lk.sensitive()},
    privacy=lk.KAnonymity(4) & lk.TCloseness(t=0.5),
)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_frames(make, tmp_path):
    original = make(COLUMNS)
    release = lk.anonymize(original, POLICY, seed=3)
    assert type(release.table) is type(original)
    folder = release.write(tmp_path / "out")
    assert lk.verify(folder, original).ok
    assert lk.verify(folder / "public").ok
    opened = lk.open_release(folder)
    assert opened.estimate({"disease": {"flu"}}) == pytest.approx(20)


def test_a_pandas_index_is_kept_and_never_written(tmp_path):
    original = pd.DataFrame(COLUMNS, index=[f"patient {i}" for i in range(80)])
    release = lk.anonymize(original, POLICY, seed=3)
    assert set(release.table.index) == set(original.index)
    assert (release.table["disease"] == original["disease"].loc[release.table.index]).all()
    folder = release.write(tmp_path / "out")
    assert "patient" not in (folder / "public" / "release.csv").read_text()
    assert lk.verify(folder, original).ok
