"""What an experiment gives: panels of numbers, and the paper's claims beside them."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Panel:
    """One figure: some curves over the same values.

    Parameters
    ----------
    name
        As in the paper: ``4a``.
    title
        What it shows.
    x, y
        Labels of the axes.
    xs
        Values along the first axis.
    series
        Curve to its values; NaN where there is none.
    logarithmic
        Whether the second axis is.
    extra
        Further columns of the CSV file that no curve shows.
    beside
        The same, also in the report.
    note
        What a reader should know.
    spread
        Curve to half the width of the 95 % interval of each of its values, where there is one.
    along
        Name and values, by curve, of first coordinates of its own for each: the plot is then a map of pairs, and ``xs`` tells
        which pair is whose.
    labels
        What the values along the first axis stand for, where they are but numbers of rows: the report then shows these.
    words
        Columns of words, which no curve shows.
    """

    name: str
    title: str
    x: str
    y: str
    xs: Sequence[float]
    series: dict[str, list[float]]
    logarithmic: bool = False
    extra: dict[str, list[float]] = field(default_factory=dict)
    beside: dict[str, list[float]] = field(default_factory=dict)
    note: str = ""
    spread: dict[str, list[float]] = field(default_factory=dict)
    along: tuple[str, dict[str, list[float]]] | None = None
    labels: Sequence[str] = ()
    words: dict[str, list[str]] = field(default_factory=dict)

    @property
    def shown(self) -> dict[str, list[float]]:
        """Columns of the report: curves, the first coordinates that those of a map have, and what stands beside."""
        label, firsts = self.along or ("", {})
        return self.series | {f"{name}: {label}": values for name, values in firsts.items()} | self.beside

    def table(self) -> list[list[str]]:
        """Head and rows, as written to CSV: every digit."""
        spread = {f"{name} ±": values for name, values in self.spread.items()}
        columns = {**self.shown, **spread, **self.extra}
        firsts = self.labels or [written(x) for x in self.xs]
        body = zip(
            firsts, *(map(written, own) for own in columns.values()), *self.words.values(), strict=True
        )
        return [[self.x, *columns, *self.words], *map(list, body)]


@dataclass(frozen=True)
class Outcome:
    """What a rule found.

    Parameters
    ----------
    holds
        None where nothing could be measured.
    measured
        In words, with numbers.
    """

    holds: bool | None
    measured: str


@dataclass(frozen=True)
class Claim:
    """A statement of the paper beside what was measured.

    Parameters
    ----------
    panel
        The figure it is about.
    section
        Where the paper says it.
    text
        What it says.
    reading
        What was compared: ``paper`` (the methods as it describes them) or ``library`` (the defaults here).
    rule
        When it counts as holding; fixed before anything was measured.
    outcome
        What the rule found.
    why
        What explains it where it does not hold.
    """

    panel: str
    section: str
    text: str
    reading: str
    rule: str
    outcome: Outcome
    why: str = ""

    @property
    def verdict(self) -> str:
        """In one or two words."""
        return {True: "holds", False: "does not hold", None: "not measured"}[self.outcome.holds]


@dataclass(frozen=True)
class Results:
    """Panels and claims of some experiments."""

    panels: list[Panel]
    claims: list[Claim]


def written(value: float) -> str:
    """Write a number; nothing where there is none.

    Examples
    --------
    >>> written(3), written(0.1), written(float("nan")), written(float("inf"))
    ('3', '0.1', '', 'inf')
    """
    if value != value:  # noqa: PLR0124  # NaN
        return ""
    return str(int(value)) if isfinite(value) and value == int(value) else repr(float(value))
