"""The command on tables in many files: streamed, verified, tried dry; killed and interrupted in the middle."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import polars as pl
import pytest

POLICY = {
    "columns": {
        "age": {"role": "quasi"},
        "zip": {"role": "quasi", "hierarchy": {"prefix": 3}},
        "disease": {"role": "sensitive"},
        "name": {"role": "identifier"},
    },
    "privacy": [{"model": "k-anonymity", "k": 5}, {"model": "beta-likeness", "beta": 4}],
    "method": "mondrian",
}


@pytest.fixture(scope="module")
def visits(desk):
    rng = np.random.default_rng(4)
    (desk / "visits").mkdir()
    for number in range(3):
        pl.DataFrame(
            {
                "age": rng.integers(20, 80, 400),
                "zip": pl.Series(["101", "102", "211", "212"]).gather(rng.integers(0, 4, 400)),
                "disease": pl.Series(["flu", "cold", "HIV"]).gather(rng.choice(3, 400, p=[0.5, 0.4, 0.1])),
                "name": [f"person {number} {i}" for i in range(400)],
            }
        ).write_parquet(desk / "visits" / f"part-{number}.parquet")
    (desk / "visits.json").write_text(json.dumps(POLICY))
    return "visits"


@pytest.mark.slow
def test_a_folder_is_streamed(visits, desk, run):
    """Made, said, verified from both ends; a pattern is the same table; in memory it has the same classes."""
    made = run("anonymize", visits, "visits.json", "-o", "out", "--engine", "streaming", "--format", "json")
    assert made.returncode == 0, made.stderr
    summary = json.loads(made.stdout)
    assert summary["engine"] == "streaming"
    assert summary["counts"]["published"] == 1200
    assert summary["proven"]["status"] == "proven"
    said = run("verify", "out", "--original", f"{visits}/*.parquet", "--engine", "streaming")
    assert said.returncode == 0, said.stdout
    assert "every row is that of one record, and none was lost or invented" in said.stdout
    assert run("verify", "out/public").returncode == 0
    whole = run("anonymize", visits, "visits.json", "-o", "whole", "--format", "json")
    assert json.loads(whole.stdout)["loss"]["ncp"] == pytest.approx(summary["loss"]["ncp"])
    assert (desk / "whole" / "public" / "release.parquet").is_file()
    text = run("anonymize", visits, "visits.json", "-o", "out", "--engine", "streaming", "--overwrite")
    assert "counted by the engine streaming" in text.stdout


@pytest.mark.slow
def test_a_dry_run(visits, desk, run):
    """Says which engine, how many different records, what is lost and what it costs; writes nothing."""
    said = run("check", visits, "visits.json", "--engine", "streaming")
    assert said.returncode == 0, said.stderr
    assert "counted by the engine streaming" in said.stdout
    assert "MB of memory" in said.stdout
    told = json.loads(run("check", visits, "visits.json", "--engine", "streaming", "--format", "json").stdout)
    assert told["records"] == 1200
    assert told["feasible"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("given", "code", "said"),
    [
        (["--engine", "steaming"], 2, "did you mean 'streaming'"),
        (
            ["--engine", "streaming", "--sheet", "x"],
            2,
            "--sheet can be given for tables that are read as a whole only",
        ),
        (
            ["--engine", "streaming", "--to", "sqlite:///x.db", "--to-table", "x"],
            2,
            "--to needs a release that is in memory",
        ),
    ],
)
def test_what_does_not_go_together(visits, desk, run, given, code, said):
    done = run("anonymize", visits, "visits.json", "-o", "never", *given)
    assert done.returncode == code
    assert said in done.stderr
    assert not (desk / "never").exists()


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_ended_in_the_middle(visits, desk, run, how):
    """The release that stood there stands there still, and the next run finds no debris."""
    target = desk / "kept"
    shutil.rmtree(target, ignore_errors=True)
    made = run("anonymize", visits, "visits.json", "-o", "kept", "--engine", "streaming")
    assert made.returncode == 0
    before = {path: path.read_bytes() for path in target.rglob("*") if path.is_file()}
    # Every file takes a while: the process is ended when the first is there.
    slow = (
        "import sys, time\n"
        "from likeness.folder import parts\n"
        "parts.ROWS = 200\n"
        "real = parts.write\n"
        "def write(*given):\n"
        "    real(*given)\n"
        "    time.sleep(0.5)\n"
        "parts.write = write\n"
        "from likeness.cli import main\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    command = ["anonymize", visits, "visits.json", "-o", "kept", "--engine", "streaming", "--overwrite"]
    process = subprocess.Popen([sys.executable, "-c", slow, *command], cwd=desk, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 120
    while time.monotonic() < until and not list(desk.glob(".kept.*/public/release/part-*")):
        time.sleep(0.05)
    process.send_signal(how)
    code = process.wait(timeout=60)
    assert code == (130 if how == signal.SIGINT else -how)
    assert {path: path.read_bytes() for path in target.rglob("*") if path.is_file()} == before
    again = run("anonymize", visits, "visits.json", "-o", "kept", "--engine", "streaming", "--overwrite")
    assert again.returncode == 0, again.stderr
    assert list(desk.glob(".kept.*.partial")) == []
