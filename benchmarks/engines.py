"""Engines side by side, each in a process: ``python -m benchmarks.engines [--rows N] [--engines memory,spark] [--method M]``.

A register of generated people, in files of a million rows: six quasi-identifiers and one sensitive value, some of which hang
together, so that different records grow with the records. Seconds are beside one stable argsort of as many numbers, without the
start of Spark; what ``memory`` writes has the class map and the report with its attacks, which the others have not. Memory is
that of the Python process.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import polars as pl

from benchmarks.clock import unit

ROWS_A_FILE = 1_000_000
COLUMNS = ("age", "region", "sex", "education", "marital", "children")
GUARANTEES: dict[str, list[dict[str, Any]]] = {
    "k = 10": [{"model": "k-anonymity", "k": 10}],
    "beta = 4": [{"model": "beta-likeness", "beta": 4}],
}


def register(rows: int, folder: Path) -> Path:
    """Write the register into a folder, file by file: the same people for every size, the first ``rows`` of them."""
    folder.mkdir(parents=True, exist_ok=True)
    regions = pl.Series([f"{n:03}" for n in range(200)])
    diseases = pl.Series([f"diagnosis {n:02}" for n in range(30)])
    frequent = 1 / np.arange(3, 33)
    for number, begin in enumerate(range(0, rows, ROWS_A_FILE)):
        size = min(ROWS_A_FILE, rows - begin)
        rng = np.random.default_rng([7, number])
        age = np.clip(rng.normal(44, 21, size), 0, 99).astype(np.int16)
        grown = age >= 18
        pl.DataFrame(
            {
                "age": age,
                "region": regions.gather(np.minimum(rng.zipf(1.4, size) - 1, 199)),
                "sex": pl.Series(["F", "M"]).gather(rng.integers(0, 2, size)),
                "education": np.where(grown, np.minimum(rng.poisson(3, size), 9), 0).astype(np.int8),
                "marital": pl.Series(["single", "married", "divorced", "widowed"]).gather(
                    np.where(grown, np.minimum(rng.poisson(0.4 + age / 90, size), 3), 0)
                ),
                "children": np.where(grown, np.minimum(rng.poisson(1.2, size), 7), 0).astype(np.int8),
                "diagnosis": diseases.gather(rng.choice(30, size, p=frequent / frequent.sum())),
            }
        ).write_parquet(folder / f"part-{number:04}.parquet")
    return folder


def policy(privacy: list[dict[str, Any]], method: str = "mondrian") -> dict[str, Any]:
    """What the columns mean."""
    columns = {name: {"role": "quasi"} for name in COLUMNS}
    columns["region"] = {"role": "quasi", "hierarchy": {"prefix": 3}}
    return {
        "columns": columns | {"diagnosis": {"role": "sensitive"}},
        "privacy": privacy,
        "method": method,
    }


def run(engine: str, source: Path, asked: dict[str, Any]) -> dict[str, Any]:
    """Publish in a new process; seconds by stage, and the most memory that it held."""
    with tempfile.TemporaryDirectory() as place:
        command = [
            sys.executable,
            "-m",
            "benchmarks.engines",
            "--one",
            engine,
            str(source),
            place,
            json.dumps(asked),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return {"failed": (done.stderr.strip().splitlines() or ["?"])[-1]}
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def one(engine: str, source: str, place: str, asked: str) -> None:
    """Publish here, and print what it took."""
    import resource

    import likeness as lk
    from likeness.progress import Progress

    class Stages(Progress):
        """Notes when each stage begins."""

        def __init__(self) -> None:
            self.begun: list[tuple[str, float]] = []

        def step(self, stage: str, done: int, total: int) -> None:  # noqa: ARG002
            if not self.begun or self.begun[-1][0] != stage:
                self.begun.append((stage, perf_counter()))

    # Kernels are loaded, and Spark starts, before anything is timed.
    tiny = pl.DataFrame({"age": [1, 2] * 20, "diagnosis": ["a", "b"] * 20})
    tiny.write_parquet(Path(place) / "tiny.parquet")
    given = json.loads(asked)
    small = given | {"columns": {"age": {"role": "quasi"}, "diagnosis": {"role": "sensitive"}}}
    starting = perf_counter()
    lk.publish(Path(place) / "tiny.parquet", small, Path(place) / "tiny", engine=engine)
    begun = perf_counter()
    stages = Stages()
    if engine == "memory":
        table = lk.read(source)
        release = lk.anonymize(table, given, progress=stages)
        stages.step("write", 0, 1)
        release.write(Path(place) / "out")
        records, classes = release.certificate.records, release.certificate.classes
        loss, cells = release.loss("ncp")["ncp"], release.private.encoded.data.tuples.count
    else:
        made = lk.publish(source, given, Path(place) / "out", engine=engine, progress=stages)
        records, classes, loss, cells = (
            made.certificate.records,
            made.certificate.classes,
            made.loss["ncp"],
            made.cells,
        )
    end = perf_counter()
    times: dict[str, float] = {}
    for (stage, start), (_, stop) in zip(stages.begun, [*stages.begun[1:], ("", end)], strict=True):
        name = "search" if stage.startswith(given["method"]) else stage
        times[name] = times.get(name, 0) + stop - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(
        json.dumps(
            {
                "seconds": end - begun,
                "start": begun - starting,
                "memory": memory,
                "records": records,
                "classes": classes,
                "cells": cells,
                "ncp": loss,
                "stages": times,
            }
        )
    )


def report(
    sizes: tuple[int, ...], engines: tuple[str, ...], guarantees: tuple[str, ...], method: str
) -> None:
    """Print a line for every size, guarantee and engine."""
    figures = f"{'seconds':>9}{'argsorts':>9}{'MB':>8}{'cells':>12}{'classes':>10}{'ncp':>8}"
    print(f"{'rows':>12} {'guarantee':10} {'engine':10}{figures}")
    for rows in sizes:
        place = Path(tempfile.mkdtemp())
        try:
            source, sort = register(rows, place / "in"), unit(rows)
            for name in guarantees:
                for engine in engines:
                    line(rows, name, engine, run(engine, source, policy(GUARANTEES[name], method)), sort)
        finally:
            shutil.rmtree(place, ignore_errors=True)


def line(rows: int, guarantee: str, engine: str, found: dict[str, Any], sort: float) -> None:
    """Print what one run took."""
    if "failed" in found:
        print(f"{rows:>12,} {guarantee:10} {engine:10} {found['failed']}", flush=True)
        return
    print(
        f"{rows:>12,} {guarantee:10} {engine:10}{found['seconds']:>9.1f}{found['seconds'] / sort:>9.1f}"
        f"{found['memory'] / 1e6:>8,.0f}{found['cells']:>12,}{found['classes']:>10,}{found['ncp']:>8.4f}  "
        + ", ".join(f"{stage} {seconds:.1f}" for stage, seconds in found["stages"].items()),
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", default="1000000,10000000")
    parser.add_argument("--engines", default="memory,streaming,spark")
    parser.add_argument("--guarantees", default=",".join(GUARANTEES))
    parser.add_argument("--method", default="mondrian")
    parser.add_argument("--one", nargs=4)
    chosen = parser.parse_args()
    if chosen.one:
        one(*chosen.one)
        return
    sizes = tuple(int(size) for size in chosen.rows.split(","))
    report(sizes, tuple(chosen.engines.split(",")), tuple(chosen.guarantees.split(",")), chosen.method)


if __name__ == "__main__":
    main()
