"""Redo the figures of Sarrafi Aghdam & Sonehara 2016: numbers, plots, and the paper's claims beside them."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from papers.figures.data import data_folder
from papers.figures.report import write_claims
from papers.figures.running import command_line, redo, write
from papers.similarity_clustering.experiments import KS, run
from papers.similarity_clustering.subjects import Subject, subjects

if TYPE_CHECKING:
    from collections.abc import Sequence

    from papers.figures.results import Results
    from papers.figures.showing import Showing

TITLE = "Similarity-based clustering (Sarrafi Aghdam & Sonehara 2016)"


def main(words: Sequence[str] | None = None) -> int:
    """Redo everything on both tables."""
    chosen = options().parse_args(words)
    tables, notes = subjects(data_folder(chosen.data), chosen.seed)

    def measure(subject: Subject, shown: Showing, ending: str | None) -> Results:
        with shown.running(subject.name):
            results = run(subject, chosen.seed, shown.tick, chosen.ks)
        folder = chosen.out / subject.name
        write(results, folder, ending)
        write_claims(results.claims, folder / "claims.csv")
        return results

    notes = [*notes, f"seed {chosen.seed}"]
    return redo(chosen, tables, measure, steps=len(tables), notes=notes, title=TITLE)


def options() -> argparse.ArgumentParser:
    """Declare the command line."""
    parser = command_line("similarity_clustering", __doc__)
    parser.add_argument("--ks", type=rising, default=KS, help="values of k, with commas (2,5,10,20 … 100)")
    return parser


def rising(text: str) -> tuple[int, ...]:
    """Read values of k, put in order."""
    try:
        found = tuple(sorted({int(word) for word in text.split(",")}))
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be whole numbers with commas; got {text!r}") from None
    if found[0] < KS[0]:
        raise argparse.ArgumentTypeError(f"must be at least {KS[0]}; got {found[0]}")
    return found


if __name__ == "__main__":
    sys.exit(main())
