"""Experiments of a paper: some figures measured together, chosen by name, written as soon as they are done."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from papers.figures.plots import draw
from papers.figures.report import write_claims, write_csv
from papers.figures.results import Results

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from papers.figures.showing import Showing


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
    folder.mkdir(parents=True, exist_ok=True)
    everything = Results([], [])
    for experiment in experiments:
        with shown.running(f"{name} {', '.join(experiment.panels)}"):
            results = experiment.run(bench)
        for panel in results.panels:
            write_csv(panel, folder)
            if ending is not None and panel.y:
                draw(panel, folder / f"figure_{panel.name}.{ending}")
        everything.panels.extend(results.panels)
        everything.claims.extend(results.claims)
    write_claims(everything.claims, folder / "claims.csv")
    return everything
