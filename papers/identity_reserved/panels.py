"""Figures 2 to 9: which curve over which axis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from papers.figures.results import Panel
from papers.identity_reserved.systems import (
    ALPHAS,
    BETAS,
    BY_LEVEL,
    BY_SHARES,
    DIMENSIONS,
    LEVELS,
    Setting,
    System,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from papers.identity_reserved.bench import Bench

AXES: dict[str, tuple[tuple[float, ...], tuple[Setting, ...]]] = {
    "k = l": (LEVELS, tuple(Setting(level=level) for level in LEVELS)),
    "α": (ALPHAS, tuple(Setting(alpha=alpha) for alpha in ALPHAS)),
    "β": (BETAS, tuple(Setting(beta=beta) for beta in BETAS)),
    "d": (DIMENSIONS, tuple(Setting(quasi=quasi) for quasi in DIMENSIONS)),
}
FIXED = {"k = l": "d = 6", "α": "β = 0.4, d = 6", "β": "α = 0.6, d = 6"}


@dataclass(frozen=True)
class Figure:
    """One panel of the paper.

    Parameters
    ----------
    name
        As in the paper.
    what
        What of `Measured` the curves show.
    axis
        What changes.
    systems
        The curves.
    """

    name: str
    what: str
    axis: str
    systems: tuple[System, ...]

    @property
    def settings(self) -> tuple[Setting, ...]:
        """What is asked at each point."""
        return AXES[self.axis][1]

    def panel(self, bench: Bench) -> Panel:
        """Measure its curves.

        Parameters
        ----------
        bench
            The table.
        """
        series = {system.name: bench.curve(system, self.settings, self.what) for system in self.systems}
        extra = {
            f"{system.name}: {told}": bench.curve(system, self.settings, what)
            for system in self.systems
            for what, told in (
                ("people", "individuals per class"),
                ("small", "classes of two"),
                ("withheld", "withheld"),
            )
        }
        title, y = TITLES[self.what]
        fixed = FIXED.get(self.axis) or ("l = 6" if self.systems is BY_LEVEL else "α = 0.6, β = 0.4")
        return Panel(
            self.name,
            f"{title}, {fixed}; {bench.subject.people:,} persons",
            self.axis if self.what != "error_d" else "λ = d",
            y,
            AXES[self.axis][0],
            series,
            extra=extra,
        )


TITLES = {
    "vulnerable": ("vulnerable classes", "share of classes, v"),
    "loss": ("information loss", "NLoss"),
    "error_1": ("relative error of queries, λ = 1", "mean relative error"),
    "error_d": ("relative error of queries on all quasi-identifiers", "mean relative error"),
    "seconds": ("time of the search", "processor seconds"),
}


def _figures(numbers: Sequence[int], axes: Sequence[str], systems: tuple[System, ...]) -> list[Figure]:
    """Four figures of one family: v, loss, query error, time; a panel for each axis."""
    found = []
    for number, what in zip(numbers, ("vulnerable", "loss", "error_1", "seconds"), strict=True):
        for letter, axis in zip("abc", axes, strict=False):
            shown = "error_d" if (what, axis) == ("error_1", "d") else what
            found.append(Figure(f"{number}{letter}", shown, axis, systems))
    return found


FIGURES = {
    figure.name: figure
    for figure in (
        *_figures((2, 4, 6, 8), ("k = l", "d"), BY_LEVEL),
        *_figures((3, 5, 7, 9), ("α", "β", "d"), BY_SHARES),
    )
}
"""All panels of the paper by name."""
