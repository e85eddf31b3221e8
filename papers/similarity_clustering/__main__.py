"""Redo the figures of Sarrafi Aghdam & Sonehara 2016 (paper 001): numbers, plots, and the paper's claims beside them."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from papers.figures.data import data_folder
from papers.figures.plots import draw, plot_ending
from papers.figures.report import report, write_claims, write_csv
from papers.figures.showing import Showing
from papers.similarity_clustering.experiments import KS, run
from papers.similarity_clustering.subjects import subjects

if TYPE_CHECKING:
    from collections.abc import Sequence

TITLE = "Similarity-based clustering (Sarrafi Aghdam & Sonehara 2016)"


def main(words: Sequence[str] | None = None) -> int:
    """Redo everything on both tables."""
    chosen = options().parse_args(words)
    ending = plot_ending(chosen.plots)
    tables, notes = subjects(data_folder(chosen.data), chosen.seed)
    start = time.perf_counter()
    found = []
    with Showing(len(tables)) as shown:
        for note in notes:
            shown.say(note)
        for subject in tables:
            with shown.running(subject.name):
                results = run(subject, chosen.seed, shown.tick, chosen.ks)
            folder = chosen.out / subject.name
            folder.mkdir(parents=True, exist_ok=True)
            for panel in results.panels:
                write_csv(panel, folder)
                if ending is not None and panel.y:
                    draw(panel, folder / f"figure_{panel.name}.{ending}")
            write_claims(results.claims, folder / "claims.csv")
            found.append((subject, results))
    notes.append(f"{time.perf_counter() - start:.0f} seconds; seed {chosen.seed}")
    path = chosen.out / "report.md"
    path.write_text(report(found, notes, ending, title=TITLE), encoding="utf-8")
    sys.stdout.write(f"{path}\n")
    return 0


def options() -> argparse.ArgumentParser:
    """Declare the command line."""
    parser = argparse.ArgumentParser(prog="python -m papers.similarity_clustering", description=__doc__)
    parser.add_argument(
        "--out", type=Path, default=Path("out/similarity_clustering"), help="folder for the results"
    )
    parser.add_argument("--data", type=Path, help="folder of the real tables (LIKENESS_DATA)")
    parser.add_argument("--seed", type=int, default=1, help="of the generated table and the releases (1)")
    parser.add_argument("--ks", type=rising, default=KS, help="values of k, with commas (2,5,10,20 … 100)")
    parser.add_argument("--plots", choices=("png", "svg", "none"), default="png")
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
