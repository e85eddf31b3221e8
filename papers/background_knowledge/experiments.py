"""Every experiment there is, on which tables, and the figures that come of it."""

from __future__ import annotations

from functools import partial

from papers.background_knowledge.comparing import closeness, methods, queries, times_by_j, times_by_k
from papers.background_knowledge.distributions import moved
from papers.background_knowledge.guessing import EXPERIMENTS as GUESSING
from papers.background_knowledge.guessing import one_cluster
from papers.background_knowledge.maps import penalties, removed, risk_and_loss, sizes
from papers.background_knowledge.subjects import ADULT, BKSEQ, WHOLE
from papers.figures.running import Experiment

ALL, PEOPLE, GENERATED = frozenset({ADULT, WHOLE, BKSEQ}), frozenset({ADULT, WHOLE}), frozenset({BKSEQ})
ON: dict[Experiment, frozenset[str]] = {
    Experiment(("4",), partial(risk_and_loss, number="4", x="k")): ALL,
    Experiment(("5",), partial(risk_and_loss, number="5", x="J")): ALL,
    Experiment(("6",), partial(risk_and_loss, number="6", x="β")): ALL,
    Experiment(("table5",), partial(sizes, number="5", x="k")): PEOPLE,
    Experiment(("table6",), partial(sizes, number="6", x="J")): PEOPLE,
    Experiment(("table7", "table8"), moved): PEOPLE,
    Experiment(("7",), times_by_j): GENERATED,
    Experiment(("8",), times_by_k): GENERATED,
    Experiment(("9a",), partial(removed, number="9a", x="k")): PEOPLE,
    Experiment(("9b",), partial(removed, number="9b", x="J")): PEOPLE,
    Experiment(("10",), penalties): ALL,
    Experiment(("11",), closeness): GENERATED,
    Experiment(("12",), queries): GENERATED,
    Experiment(("methods-0.3", "methods-0.8", "methods-t"), methods): ALL,
    **{Experiment(panels, run): GENERATED for panels, run in GUESSING},
    Experiment(("bkseq-clusters",), one_cluster): GENERATED,
}
"""Experiment to the subjects it is done on, in the order they are done."""
EXPERIMENTS = tuple(ON)
