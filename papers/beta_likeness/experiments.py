"""Every experiment there is, and the figures that come of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from papers.beta_likeness.attacks import corruption, definetti, naive_bayes
from papers.beta_likeness.figure_4 import figure_4a, figure_4b, figure_4c
from papers.beta_likeness.figures_5_to_7 import figure_5, figure_6, figure_7
from papers.beta_likeness.figures_8_and_9 import POINTS, figure_8, figure_9
from papers.beta_likeness.statements import statements
from papers.beta_likeness.table_7 import table_7

if TYPE_CHECKING:
    from collections.abc import Callable

    from papers.beta_likeness.bench import Bench
    from papers.figures.results import Results


@dataclass(frozen=True)
class Experiment:
    """Some figures that are measured together.

    Parameters
    ----------
    panels
        Their names.
    run
        Measures them on one table.
    """

    panels: tuple[str, ...]
    run: Callable[[Bench], Results]


EXPERIMENTS = (
    Experiment(("text",), statements),
    Experiment(("4a",), figure_4a),
    Experiment(("4b",), figure_4b),
    Experiment(("4c", "4c-library"), figure_4c),
    Experiment(("t7", "t7-library"), table_7),
    Experiment(("5a", "5b"), figure_5),
    Experiment(("6a", "6b"), figure_6),
    Experiment(("7a", "7b"), figure_7),
    *(Experiment((f"8{panel}",), partial(figure_8, panel=panel)) for panel in POINTS),
    *(Experiment((f"9{panel}",), partial(figure_9, panel=panel)) for panel in POINTS),
    Experiment(("nb",), naive_bayes),
    Experiment(("definetti", "definetti-burel"), definetti),
    Experiment(("corruption",), corruption),
)
"""In the order of the paper."""


def named(only: str | None) -> tuple[Experiment, ...]:
    """Choose experiments by the names of their figures, or by how those begin.

    Raises
    ------
    ValueError
        When one names none.

    Examples
    --------
    >>> [one.panels for one in named("5b,4a")]
    [('4a',), ('5a', '5b')]
    >>> named("12")
    Traceback (most recent call last):
    ValueError: --only: there is no figure '12'; there are text, ...
    """
    if only is None:
        return EXPERIMENTS
    asked = [name.strip() for name in only.split(",") if name.strip()]
    known = [name for one in EXPERIMENTS for name in one.panels]
    for name in asked:
        if not any(panel.startswith(name) for panel in known):
            raise ValueError(f"--only: there is no figure {name!r}; there are {', '.join(known)}")
    return tuple(
        one for one in EXPERIMENTS if any(panel.startswith(name) for panel in one.panels for name in asked)
    )
