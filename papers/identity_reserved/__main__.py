"""Redo the figures of Wang et al. 2019: numbers, plots, and the paper's claims beside them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from papers.figures.pool import pool_of
from papers.figures.running import choose, command_line, positive, redo, refuse, run
from papers.identity_reserved.bench import Bench
from papers.identity_reserved.experiments import EXPERIMENTS
from papers.identity_reserved.subjects import Subject, subjects
from papers.identity_reserved.warming import warm_up

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from papers.figures.results import Results
    from papers.figures.showing import Showing

TITLE = "Identity-reserved models (Wang, Du, Luo & Li 2019)"


def main(words: Sequence[str] | None = None) -> int:
    """Run the experiments that were asked for."""
    chosen = options().parse_args(words)
    try:
        experiments = choose(EXPERIMENTS, chosen.only)
    except ValueError as problem:
        return refuse(problem)
    tables, missing = subjects(chosen.records, chosen.seed, chosen.data)
    notes = [
        f"figures: {chosen.people:,} persons drawn from each table, means of {chosen.runs} runs (the paper: 50)",
        f"the whole tables once; {chosen.queries:,} queries a workload; seed {chosen.seed}; {chosen.processes} processes",
        *(
            f"{one.name}: {one.people:,} persons with {one.table.height:,} records, {one.each:.2f} distinct diagnoses each"
            for one in tables
        ),
        *missing,
    ]
    with pool_of(chosen.processes, warm_up) as pool:

        def measure(subject: Subject, shown: Showing, ending: str | None) -> Results:
            part = subject.sample(chosen.people, chosen.seed)
            bench = Bench(part, subject, chosen.runs, chosen.queries, chosen.seed, pool, shown.tick)
            return run(bench, subject.name, experiments, chosen.out / subject.name, shown, ending)

        steps = len(tables) * len(experiments)
        return redo(chosen, tables, measure, steps=steps, notes=notes, title=TITLE)


def options() -> argparse.ArgumentParser:
    """Declare the command line."""
    parser = command_line("identity_reserved", __doc__, EXPERIMENTS)
    parser.add_argument("--people", type=positive, default=4_000, help="persons of each figure (4,000)")
    parser.add_argument(
        "--runs", type=positive, default=3, help="releases that are averaged (3; the paper: 50)"
    )
    parser.add_argument("--records", type=positive, help="of the generated table (456,767, the paper's size)")
    parser.add_argument("--queries", type=positive, default=1_000, help="queries of each workload (1,000)")
    parser.add_argument("--processes", type=positive, default=2, help="releases made side by side (2)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
