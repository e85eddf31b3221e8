"""Redo the figures of Cao & Karras 2012: numbers, plots, and the paper's claims beside them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from papers.beta_likeness.bench import Bench
from papers.beta_likeness.experiments import EXPERIMENTS
from papers.beta_likeness.subjects import Subject, subjects
from papers.figures.running import choose, command_line, positive, redo, refuse, run

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from papers.figures.results import Results
    from papers.figures.showing import Showing

TITLE = "β-likeness (Cao & Karras 2012)"


def main(words: Sequence[str] | None = None) -> int:
    """Run the experiments that were asked for."""
    chosen = options().parse_args(words)
    try:
        experiments = choose(EXPERIMENTS, chosen.only)
    except ValueError as problem:
        return refuse(problem)
    tables, missing = subjects(chosen.rows, chosen.seed, chosen.data)
    notes = [
        f"{chosen.rows:,} rows asked for; {chosen.queries:,} queries a workload; seed {chosen.seed}",
        *(
            f"{one.name}: {one.table.height:,} records, {len(one.shares)} sensitive values, the most frequent "
            f"{one.shares[0]:.3%}, the rarest {one.shares[-1]:.3%}"
            for one in tables
        ),
        *missing,
    ]

    def measure(subject: Subject, shown: Showing, ending: str | None) -> Results:
        bench = Bench(subject, chosen.queries, chosen.seed, chosen.repeat, shown.tick)
        return run(bench, subject.name, experiments, chosen.out / subject.name, shown, ending)

    return redo(chosen, tables, measure, steps=len(tables) * len(experiments), notes=notes, title=TITLE)


def options() -> argparse.ArgumentParser:
    """Declare the command line."""
    parser = command_line("beta_likeness", __doc__, EXPERIMENTS)
    parser.add_argument(
        "--rows", type=positive, default=100_000, help="records of each table (100,000; full size: 500,000)"
    )
    parser.add_argument("--queries", type=positive, default=10_000, help="queries of each workload (10,000)")
    parser.add_argument(
        "--repeat", type=positive, default=3, help="runs of which the fastest is taken as the time (3)"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
