"""Every experiment there is, and the figures that come of it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from papers.figures.results import Panel, Results
from papers.figures.running import Experiment
from papers.identity_reserved.claims import claims_at_full_size, claims_by_level, claims_by_shares
from papers.identity_reserved.explanations import by_conditions, by_diagnoses, by_hierarchies, by_size
from papers.identity_reserved.panels import FIGURES
from papers.identity_reserved.systems import BETTER, BY_LEVEL, BY_SHARES, Setting, System

if TYPE_CHECKING:
    from collections.abc import Callable

    from papers.figures.results import Claim
    from papers.identity_reserved.bench import Bench


TWO_NOTE = (
    "With β = 0.4 the enhanced model needs three individuals in a class (1 / β rounded up), so every class of two is vulnerable, "
    "however its values are; their share is in the CSV file (columns `classes of two`)."
)


def family(bench: Bench, systems: tuple[System, ...]) -> Results:
    """Four figures of three systems."""
    own = [figure for figure in FIGURES.values() if figure.systems is systems]
    bench.fill(systems, [setting for figure in own for setting in figure.settings])
    panels = {figure.name: figure.panel(bench) for figure in own}
    judge: Callable[..., list[Claim]] = claims_by_level if systems is BY_LEVEL else claims_by_shares
    return Results([_noted(panel) for panel in panels.values()], judge(panels))


def full_size(bench: Bench) -> Results:
    """Make one release of the whole table by each system, and by better ones, all quantities as the paper fixes them."""
    systems = (*BY_LEVEL, *BY_SHARES, *BETTER)
    whole = bench.on(bench.whole, runs=1)
    whole.fill(systems, [Setting()])
    found = [whole.mean(system, Setting()) for system in systems]
    names = tuple(system.name for system in systems)
    told = {
        "NLoss": "loss",
        "v": "vulnerable",
        "relative error, λ = 1": "error_1",
        "relative error, λ = 6": "error_d",
        "processor seconds": "seconds",
        "individuals per class": "people",
        "classes of two": "small",
        "withheld": "withheld",
    }
    panel = Panel(
        "full",
        f"The whole table, {bench.whole.people:,} persons, one run; l = 6, α = 0.6, β = 0.4, d = 6 "
        f"({', '.join(f'{i}: {name}' for i, name in enumerate(names, 1))})",
        "system",
        "",
        range(1, len(names) + 1),
        {row: [float(getattr(one, what)) for one in found] for row, what in told.items()},
    )
    return Results([panel], claims_at_full_size(panel, names))


def _noted(panel: Panel) -> Panel:
    """Say what a reader of figure 3 should know."""
    return panel if panel.name[0] != "3" else replace(panel, note=TWO_NOTE)


def _names(systems: tuple[System, ...]) -> tuple[str, ...]:
    """Names of the figures of one family."""
    return tuple(name for name, figure in FIGURES.items() if figure.systems is systems)


EXPERIMENTS = (
    Experiment(_names(BY_LEVEL), partial(family, systems=BY_LEVEL)),
    Experiment(_names(BY_SHARES), partial(family, systems=BY_SHARES)),
    Experiment(("distinct",), by_diagnoses),
    Experiment(("size",), by_size),
    Experiment(("hierarchies",), by_hierarchies),
    Experiment(("conditions",), by_conditions),
    Experiment(("full",), full_size),
)
