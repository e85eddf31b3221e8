"""Every experiment there is, and the figures that come of it."""

from __future__ import annotations

from functools import partial

from papers.beta_likeness.attacks import corruption, definetti, naive_bayes
from papers.beta_likeness.figure_4 import figure_4a, figure_4b, figure_4c
from papers.beta_likeness.figures_5_to_7 import figure_5, figure_6, figure_7
from papers.beta_likeness.figures_8_and_9 import POINTS, figure_8, figure_9
from papers.beta_likeness.statements import statements
from papers.beta_likeness.table_7 import table_7
from papers.figures.running import Experiment

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
