"""The command on a table of every kind of file: its release is such a file, verifies, and a changed one does not."""

from __future__ import annotations

import json

import polars as pl
import pytest

from likeness.endings import FORMATS
from likeness.tables import read, write

KINDS = ["csv.gz", "csv.zst", "jsonl.xz", *(ending for ending in FORMATS if "." not in ending)]
COLUMNS = {"age": "quasi", "zip": "quasi", "diagnosis": "sensitive", "seen": "other"}


@pytest.fixture(scope="module")
def people(desk):
    rows = range(200)
    frame = pl.DataFrame(
        {
            "age": [20 + i * 7 % 60 for i in rows],
            "zip": [f"{i % 4:05}" for i in rows],
            "diagnosis": [["flu", "=1+1", "co,ld", 'the "x"', "ärger"][i % 5] for i in rows],
            "seen": pl.Series([19_800 + i % 30 for i in rows], dtype=pl.Int32).cast(pl.Date),
        }
    )
    asked = {
        "columns": {name: {"role": role} for name, role in COLUMNS.items()},
        "privacy": {"model": "k-anonymity", "k": 5},
        "effort": "quick",
    }
    asked["columns"]["zip"]["kind"] = "categorical"
    (desk / "kinds.json").write_text(json.dumps(asked))
    return frame


@pytest.mark.slow
@pytest.mark.parametrize("ending", KINDS)
def test_a_kind(people, desk, here, ending):
    table = f"people.{ending}"
    write({name: people[name] for name in people.columns}, desk / table, ending)
    out = f"out-{ending}"
    made = here("anonymize", table, "kinds.json", "-o", out)
    assert made.returncode == 0, made.stderr
    file = desk / out / "public" / f"release.{ending}"
    released = read(file)
    assert released.names == tuple(people.columns)
    assert released.height == people.height
    assert sorted(released.frame["diagnosis"].to_list()) == sorted(people["diagnosis"].to_list())
    assert here("verify", out, "--original", table).returncode == 0
    assert here("verify", f"{out}/public").returncode == 0
    data = file.read_bytes()
    file.write_bytes(data + data[-1:])
    failed = here("verify", f"{out}/public")
    assert failed.returncode == 1
    assert f"release.{ending}" in failed.stdout
