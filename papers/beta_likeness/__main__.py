"""Redo the figures of Cao & Karras 2012 (paper 002): numbers, plots, and the paper's claims beside them."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from papers.beta_likeness.bench import Bench
from papers.beta_likeness.experiments import EXPERIMENTS
from papers.beta_likeness.subjects import Subject, subjects
from papers.figures.plots import plot_ending
from papers.figures.report import report
from papers.figures.running import choose, positive, run
from papers.figures.showing import Showing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from papers.figures.results import Results


def main(words: Sequence[str] | None = None) -> int:
    """Run the experiments that were asked for."""
    chosen = options().parse_args(words)
    try:
        experiments = choose(EXPERIMENTS, chosen.only)
    except ValueError as problem:
        sys.stderr.write(f"error: {problem}\n")
        return 2
    ending = plot_ending(chosen.plots)
    tables, missing = subjects(chosen.rows, chosen.seed, chosen.data)
    start = time.perf_counter()
    notes = [
        f"{chosen.rows:,} rows asked for; {chosen.queries:,} queries a workload; seed {chosen.seed}",
        *(
            f"{one.name}: {one.table.height:,} records, {len(one.shares)} sensitive values, the most frequent "
            f"{one.shares[0]:.3%}, the rarest {one.shares[-1]:.3%}"
            for one in tables
        ),
        *missing,
    ]
    if ending is None:
        notes.append("no plots: matplotlib is not installed (pip install -e '.[papers]')")
    found: list[tuple[Subject, Results]] = []
    with Showing(len(tables) * len(experiments)) as shown:
        for note in notes:
            shown.say(note)
        for subject in tables:
            bench = Bench(subject, chosen.queries, chosen.seed, chosen.repeat, shown.tick)
            results = run(bench, subject.name, experiments, chosen.out / subject.name, shown, ending)
            found.append((subject, results))
    notes.append(f"{time.perf_counter() - start:.0f} seconds")
    path = chosen.out / "report.md"
    path.write_text(report(found, notes, ending), encoding="utf-8")
    sys.stdout.write(f"{path}\n")
    return 0


def options() -> argparse.ArgumentParser:
    """Declare the command line."""
    parser = argparse.ArgumentParser(prog="python -m papers.beta_likeness", description=__doc__)
    parser.add_argument(
        "--rows", type=positive, default=100_000, help="records of each table (100,000; full size: 500,000)"
    )
    parser.add_argument("--queries", type=positive, default=10_000, help="queries of each workload (10,000)")
    parser.add_argument("--out", type=Path, default=Path("out/beta_likeness"), help="folder for the results")
    parser.add_argument("--data", type=Path, help="folder of the real tables (LIKENESS_DATA)")
    parser.add_argument(
        "--only", help=f"some of {', '.join(x for one in EXPERIMENTS for x in one.panels)}; with commas"
    )
    parser.add_argument("--seed", type=int, default=1, help="of tables, releases and workloads (1)")
    parser.add_argument(
        "--repeat", type=positive, default=3, help="runs of which the fastest is taken as the time (3)"
    )
    parser.add_argument("--plots", choices=("png", "svg", "none"), default="png")
    return parser


if __name__ == "__main__":
    sys.exit(main())
