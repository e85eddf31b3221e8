"""Experiments of a paper: some figures measured together, chosen by name, written as soon as they are done."""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from papers.figures.plots import draw, plot_ending
from papers.figures.report import report, write_claims, write_csv
from papers.figures.results import Results
from papers.figures.showing import Showing

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


@dataclass(frozen=True)
class Experiment:
    """Some figures that are measured together.

    Parameters
    ----------
    panels
        Their names.
    run
        Measures them on one table, which the paper's bench holds.
    """

    panels: tuple[str, ...]
    run: Callable[[Any], Results]


def choose(experiments: tuple[Experiment, ...], only: str | None) -> tuple[Experiment, ...]:
    """Choose experiments by the names of their figures, or by how those begin.

    Raises
    ------
    ValueError
        When one names none.

    Examples
    --------
    >>> known = (Experiment(("4a",), Results), Experiment(("5a", "5b"), Results))
    >>> [one.panels for one in choose(known, "5b,4a")]
    [('4a',), ('5a', '5b')]
    >>> choose(known, "12")
    Traceback (most recent call last):
    ValueError: --only: there is no figure '12'; there are 4a, 5a, 5b
    """
    if only is None:
        return experiments
    asked = [name.strip() for name in only.split(",") if name.strip()]
    known = [name for one in experiments for name in one.panels]
    for name in asked:
        if not any(panel.startswith(name) for panel in known):
            raise ValueError(f"--only: there is no figure {name!r}; there are {', '.join(known)}")
    return tuple(
        one for one in experiments if any(panel.startswith(name) for panel in one.panels for name in asked)
    )


def positive(text: str) -> int:
    """Read a whole number of at least 1."""
    number = int(text.replace(",", "").replace("_", ""))
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def command_line(
    paper: str, told: str | None, experiments: Sequence[Experiment] = ()
) -> argparse.ArgumentParser:
    """Declare the options that the commands of all papers have.

    Parameters
    ----------
    paper
        Name of its package.
    told
        What the command does.
    experiments
        Those that can be chosen by name; no option when there are none.
    """
    parser = argparse.ArgumentParser(prog=f"python -m papers.{paper}", description=told)
    parser.add_argument(
        "--out", type=Path, default=Path("out", paper), help=f"folder for the results (out/{paper})"
    )
    parser.add_argument("--data", type=Path, help="folder of the real tables (LIKENESS_DATA)")
    parser.add_argument("--seed", type=int, default=1, help="of generated tables, releases and workloads (1)")
    parser.add_argument(
        "--plots", choices=("png", "svg", "none"), default="png", help="how plots are drawn (png)"
    )
    if experiments:
        names = ", ".join(name for one in experiments for name in one.panels)
        parser.add_argument("--only", help=f"some of {names}; with commas")
    return parser


def redo(
    chosen: argparse.Namespace,
    subjects: Sequence[Any],
    measure: Callable[[Any, Showing, str | None], Results],
    *,
    steps: int,
    notes: Sequence[str],
    title: str,
) -> int:
    """Measure every table and write the report, saying how far the work is.

    Parameters
    ----------
    chosen
        What was given of `command_line`'s options.
    subjects
        The tables.
    measure
        Measures one of them; is told of the display, and of the ending of plots.
    steps
        Steps of the display.
    notes
        What is to know about the run: shown first, and written into the report.
    title
        The report's.

    Returns
    -------
    int
        The exit code.
    """
    ending = plot_ending(chosen.plots)
    start = time.perf_counter()
    told = list(notes)
    if ending is None and chosen.plots != "none":
        told.append("no plots: matplotlib is not installed (pip install -e '.[papers]')")
    with Showing(steps) as shown:
        for note in told:
            shown.say(note)
        found = [(subject, measure(subject, shown, ending)) for subject in subjects]
    told.append(f"{time.perf_counter() - start:.0f} seconds")
    path = chosen.out / "report.md"
    path.write_text(report(found, told, ending, title=title), encoding="utf-8")
    sys.stdout.write(f"{path}\n")
    return 0


def refuse(problem: ValueError) -> int:
    """Say that an option is wrong; gives the exit code."""
    sys.stderr.write(f"error: {problem}\n")
    return 2


def write(results: Results, folder: Path, ending: str | None) -> None:
    """Write the numbers and plots of some figures into a folder, which is made if it is not there."""
    folder.mkdir(parents=True, exist_ok=True)
    for panel in results.panels:
        write_csv(panel, folder)
        if ending is not None and panel.y:
            draw(panel, folder / f"figure_{panel.name}.{ending}")


def run(
    bench: Any, name: str, experiments: Sequence[Experiment], folder: Path, shown: Showing, ending: str | None
) -> Results:
    """Run experiments on one table, and write each as soon as it is done.

    Parameters
    ----------
    bench
        What they are measured on.
    name
        The table's.
    experiments
        What to run.
    folder
        Where results go; made if it is not there.
    shown
        Told how far the work is.
    ending
        Of plots; None for none.
    """
    everything = Results([], [])
    for experiment in experiments:
        with shown.running(f"{name} {', '.join(experiment.panels)}"):
            results = experiment.run(bench)
        write(results, folder, ending)
        everything.panels.extend(results.panels)
        everything.claims.extend(results.claims)
    write_claims(everything.claims, folder / "claims.csv")
    return everything
