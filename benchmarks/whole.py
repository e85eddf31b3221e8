"""The whole way from a CSV file to a release folder: CPU time and memory, each in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

_LIBRARY = """
import sys
from pathlib import Path
import likeness as lk
release = lk.anonymize(sys.argv[1], Path(sys.argv[2]), seed=1)
if sys.argv[3]:
    release.write(sys.argv[3])
"""
_COMMAND = "import sys; from likeness.cli import main; sys.exit(main())"


class Cost(NamedTuple):
    """What a process took."""

    seconds: float
    """CPU time, of the system included."""
    megabytes: float
    """Largest resident memory."""


class Costs(NamedTuple):
    """What the same release took in three ways."""

    anonymize: Cost
    """``lk.anonymize``."""
    write: Cost
    """``lk.anonymize`` and `Release.write`."""
    command: Cost
    """``likeness anonymize``."""


def costs(table: pl.DataFrame, roles: dict[str, str], rest: str = "") -> tuple[Costs, float]:
    """Anonymize a table in three ways, k = 5; what each took, and the megabytes of the CSV file.

    ``rest``: further lines of the policy.
    """
    columns = "".join(f"  {name}: {{role: {role}}}\n" for name, role in roles.items())
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        given, policy = folder / "in.csv", folder / "policy.yaml"
        table.write_csv(given)
        policy.write_text(f"columns:\n{columns}privacy:\n- {{model: k-anonymity, k: 5}}\n{rest}")
        library = [sys.executable, "-c", _LIBRARY, str(given), str(policy)]
        command = [sys.executable, "-c", _COMMAND, "anonymize", str(given), str(policy), "--seed", "1"]
        found = Costs(
            _run([*library, ""]),
            _run([*library, str(folder / "library")]),
            _run([*command, "-o", str(folder / "command")]),
        )
        return found, given.stat().st_size / 1e6


def _run(command: list[str]) -> Cost:
    """Run a process to its end."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{command[3:]} ended with {process.returncode}")
    kilobytes = used.ru_maxrss / (1024 if sys.platform == "darwin" else 1)
    return Cost(used.ru_utime + used.ru_stime, kilobytes / 1e3)


def with_texts(rows: int, values: int) -> tuple[pl.DataFrame, dict[str, str]]:
    """Five coarse quasi-identifiers and one of many texts."""
    rng = np.random.default_rng(5)
    words = np.array([f"note {i:05d}" for i in rng.permutation(values)])
    sizes = {"age": 74, "workclass": 8, "education": 16, "status": 7, "sex": 2, "salary": 2}
    columns = {name: rng.binomial(2 * size, 0.3, rows) % size for name, size in sizes.items()}
    frame = pl.DataFrame({**columns, "text": words[rng.integers(0, values, rows)]})
    return frame, {name: "sensitive" if name == "salary" else "quasi" for name in frame.columns}


def register(rows: int) -> tuple[pl.DataFrame, dict[str, str]]:
    """Eight columns such as the register of an epidemic has."""
    rng = np.random.default_rng(6)
    state = rng.binomial(31, 0.4, rows)
    days = np.datetime64("2020-02-01") + rng.integers(0, 360, rows).astype("timedelta64[D]")
    frame = pl.DataFrame(
        {
            "sex": np.array(["F", "M"])[rng.integers(0, 2, rows)],
            "age": np.clip(rng.gamma(6, 7, rows).astype(int), 0, 110),
            "state": np.array([f"State {i:02d}" for i in range(32)])[state],
            "municipality": state * 1000 + np.minimum(rng.geometric(0.02, rows), 77),
            "onset": days,
            "result": np.array(["negative", "positive", "pending"])[rng.integers(0, 3, rows)],
            "hospitalised": np.array(["no", "yes"])[(rng.random(rows) < 0.1).astype(int)],
            "comorbidity": np.array(["none", "diabetes", "obesity", "asthma"])[rng.integers(0, 4, rows)],
        }
    )
    others = {"result": "other", "hospitalised": "other", "comorbidity": "sensitive"}
    return frame, {name: others.get(name, "quasi") for name in frame.columns}


def report(what: str, table: pl.DataFrame, roles: dict[str, str]) -> None:
    """Print the costs of one table."""
    found, size = costs(table, roles)
    base = found.write
    print(f"{what}, {table.height:,} rows, {size:,.0f} MB of CSV")
    for name, own in zip(("lk.anonymize", "and write", "likeness anonymize"), found, strict=True):
        print(
            f"  {name:<20}{own.seconds:>8.1f} CPU s{own.megabytes:>8,.0f} MB = {own.megabytes / size:>5.1f} files"
            f"{own.seconds / base.seconds:>8.2f} × the time of writing{own.megabytes / base.megabytes:>6.2f} × its memory"
        )
