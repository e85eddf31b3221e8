"""Redo the figures of Amiri et al. 2016: numbers, plots, and the paper's claims beside them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from papers.background_knowledge.bench import Bench
from papers.background_knowledge.experiments import EXPERIMENTS, ON
from papers.background_knowledge.subjects import ROWS, Subject, subjects
from papers.background_knowledge.warming import warm_up
from papers.figures.data import data_folder
from papers.figures.pool import pool_of
from papers.figures.running import choose, command_line, positive, redo, refuse, run

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from papers.figures.results import Results
    from papers.figures.showing import Showing

TITLE = "Hierarchical anonymization against background knowledge (Amiri, Yazdani, Shakery & Chinaei 2016)"


def main(words: Sequence[str] | None = None) -> int:
    """Run the experiments that were asked for."""
    chosen = options().parse_args(words)
    try:
        experiments = choose(EXPERIMENTS, chosen.only)
    except ValueError as problem:
        return refuse(problem)
    tables, missing = subjects(chosen.rows, chosen.samples, chosen.seed, data_folder(chosen.data))
    own = {one.name: [each for each in experiments if one.name in ON[each]] for one in tables}
    tables = [one for one in tables if own[one.name]]
    notes = [
        f"samples and generated tables of {chosen.rows:,} records, {chosen.samples} of each; seed {chosen.seed}",
        f"panels bkseq-…: {chosen.seeds} tables; {chosen.processes} processes",
        *missing,
    ]
    with pool_of(chosen.processes, warm_up) as pool:

        def measure(subject: Subject, shown: Showing, ending: str | None) -> Results:
            bench = Bench(subject, chosen.rows, chosen.seeds, chosen.seed, pool, shown.tick)
            return run(bench, subject.name, own[subject.name], chosen.out / subject.name, shown, ending)

        steps = sum(map(len, own.values()))
        return redo(chosen, tables, measure, steps=steps, notes=notes, title=TITLE)


def options() -> argparse.ArgumentParser:
    """Declare the command line."""
    parser = command_line("background_knowledge", __doc__, EXPERIMENTS)
    parser.add_argument("--rows", type=positive, default=ROWS, help="of samples and generated tables (4,000)")
    parser.add_argument(
        "--samples", type=positive, default=5, help="samples of Adult, and generated tables (5)"
    )
    parser.add_argument(
        "--seeds", type=positive, default=10, help="generated tables of the panels bkseq-… (10)"
    )
    parser.add_argument("--processes", type=positive, default=2, help="jobs done side by side (2)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
