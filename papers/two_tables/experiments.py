"""Every experiment there is."""

from __future__ import annotations

from functools import partial

from papers.figures.running import Experiment
from papers.two_tables.figures import FIGURES, figures
from papers.two_tables.side_by_side import side_by_side

SAME = (5, 4)
"""The k at which all systems are compared: that of the other experiments, and the paper's."""
EXPERIMENTS = (
    *(Experiment((f"systems-{k}", f"systems-{k}-plot"), partial(side_by_side, k=k)) for k in SAME),
    Experiment(tuple(FIGURES), figures),
)
