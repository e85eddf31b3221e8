"""Redo the figures of Fazal et al. 2023: numbers, plots, and the paper's claims beside them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from papers.figures.pool import pool_of
from papers.figures.running import choose, command_line, positive, redo, refuse, run
from papers.two_tables.bench import Bench
from papers.two_tables.experiments import EXPERIMENTS
from papers.two_tables.subjects import Subject, subjects
from papers.two_tables.warming import warm_up

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from papers.figures.results import Results
    from papers.figures.showing import Showing

TITLE = "(θ*,k)-utility for people with several records (Fazal et al. 2023)"


def main(words: Sequence[str] | None = None) -> int:
    """Run the experiments that were asked for."""
    chosen = options().parse_args(words)
    try:
        experiments = choose(EXPERIMENTS, chosen.only)
    except ValueError as problem:
        return refuse(problem)
    tables, missing = subjects(chosen.people, chosen.seed, chosen.data)
    notes = [
        f"figures: at most {chosen.people:,} people of each table; panels systems-…: all of them; seed {chosen.seed}",
        f"{chosen.queries:,} queries a workload; times: fastest of {chosen.repeat}; {chosen.processes} processes",
        *(f"{one.name}: {one.count:,} people with {one.table.height:,} records" for one in tables),
        *missing,
    ]
    with pool_of(chosen.processes, warm_up) as pool:

        def measure(subject: Subject, shown: Showing, ending: str | None) -> Results:
            part = subject.sample(chosen.people, chosen.seed)
            bench = Bench(part, subject, chosen.queries, chosen.seed, chosen.repeat, pool, shown.tick)
            return run(bench, subject.name, experiments, chosen.out / subject.name, shown, ending)

        steps = len(tables) * len(experiments)
        return redo(chosen, tables, measure, steps=steps, notes=notes, title=TITLE)


def options() -> argparse.ArgumentParser:
    """Declare the command line."""
    parser = command_line("two_tables", __doc__, EXPERIMENTS)
    parser.add_argument("--people", type=positive, default=6_000, help="of the figures (6,000)")
    parser.add_argument("--queries", type=positive, default=1_000, help="queries of each workload (1,000)")
    parser.add_argument("--repeat", type=positive, default=3, help="releases that are timed (3)")
    parser.add_argument("--processes", type=positive, default=1, help="releases made side by side (1)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
