"""Redo the figures of Wang et al. 2019 (paper 004): numbers, plots, and the paper's claims beside them."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from papers.figures.plots import plot_ending
from papers.figures.report import report
from papers.figures.running import choose, positive, run
from papers.figures.showing import Showing
from papers.identity_reserved.bench import Bench
from papers.identity_reserved.experiments import EXPERIMENTS
from papers.identity_reserved.pool import pool_of
from papers.identity_reserved.subjects import Subject, subjects

if TYPE_CHECKING:
    from collections.abc import Sequence

    from papers.figures.results import Results

TITLE = "Identity-reserved models (Wang, Du, Luo & Li 2019)"


def main(words: Sequence[str] | None = None) -> int:
    """Run the experiments that were asked for."""
    chosen = options().parse_args(words)
    try:
        experiments = choose(EXPERIMENTS, chosen.only)
    except ValueError as problem:
        sys.stderr.write(f"error: {problem}\n")
        return 2
    ending = plot_ending(chosen.plots)
    tables, missing = subjects(chosen.records, chosen.seed, chosen.data)
    start = time.perf_counter()
    notes = [
        f"figures: {chosen.people:,} persons drawn from each table, means of {chosen.runs} runs (the paper: 50)",
        f"the whole tables once; {chosen.queries:,} queries a workload; seed {chosen.seed}; {chosen.processes} processes",
        *(
            f"{one.name}: {one.people:,} persons with {one.table.height:,} records, {one.each:.2f} distinct diagnoses each"
            for one in tables
        ),
        *missing,
    ]
    if ending is None and chosen.plots != "none":
        notes.append("no plots: matplotlib is not installed (pip install -e '.[papers]')")
    found: list[tuple[Subject, Results]] = []
    with Showing(len(tables) * len(experiments)) as shown, pool_of(chosen.processes) as pool:
        for note in notes:
            shown.say(note)
        for subject in tables:
            part = subject.sample(chosen.people, chosen.seed)
            bench = Bench(part, subject, chosen.runs, chosen.queries, chosen.seed, pool, shown.tick)
            results = run(bench, subject.name, experiments, chosen.out / subject.name, shown, ending)
            found.append((subject, results))
    notes.append(f"{time.perf_counter() - start:.0f} seconds")
    path = chosen.out / "report.md"
    path.write_text(report(found, notes, ending, title=TITLE), encoding="utf-8")
    sys.stdout.write(f"{path}\n")
    return 0


def options() -> argparse.ArgumentParser:
    """Declare the command line."""
    parser = argparse.ArgumentParser(prog="python -m papers.identity_reserved", description=__doc__)
    parser.add_argument("--people", type=positive, default=4_000, help="persons of each figure (4,000)")
    parser.add_argument(
        "--runs", type=positive, default=3, help="releases that are averaged (3; the paper: 50)"
    )
    parser.add_argument("--records", type=positive, help="of the generated table (456,767, the paper's size)")
    parser.add_argument("--queries", type=positive, default=1_000, help="queries of each workload (1,000)")
    parser.add_argument("--processes", type=positive, default=2, help="releases made side by side (2)")
    parser.add_argument(
        "--out", type=Path, default=Path("out/identity_reserved"), help="folder for the results"
    )
    parser.add_argument("--data", type=Path, help="folder of the real tables (LIKENESS_DATA)")
    parser.add_argument(
        "--only", help=f"some of {', '.join(x for one in EXPERIMENTS for x in one.panels)}; with commas"
    )
    parser.add_argument("--seed", type=int, default=1, help="of tables, releases and workloads (1)")
    parser.add_argument("--plots", choices=("png", "svg", "none"), default="png")
    return parser


if __name__ == "__main__":
    sys.exit(main())
