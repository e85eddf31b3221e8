"""The table of section 7: closeness and diversity of what BUREL publishes; and how sure anybody may become."""

from __future__ import annotations

from math import exp, log
from typing import TYPE_CHECKING

import likeness as lk
from papers.beta_likeness.bench import BETAS, DEFAULT_BETA, Bench, by_class, shares_by_class
from papers.beta_likeness.systems import BUREL, BUREL_PAPER, LIBRARY, PAPER
from papers.figures import rules
from papers.figures.results import Claim, Panel, Results

if TYPE_CHECKING:
    from collections.abc import Sequence

LEAST_DIVERSITY = 6
COLUMNS = ("t", "average t", "ℓ", "average ℓ", "1 / largest share", "largest share")


def table_7(bench: Bench) -> Results:
    """Measure t, average t over the classes, ℓ and average ℓ at β 1 to 5."""
    panels, claims = [], []
    for name, reading, burel in (("t7", PAPER, BUREL_PAPER), ("t7-library", LIBRARY, BUREL)):
        series: dict[str, list[float]] = {column: [] for column in COLUMNS}
        for beta in BETAS:
            release = bench.make(burel, beta).release
            assert release is not None  # noqa: S101  # the whole table as one class always holds
            t, l = by_class(release, lk.TCloseness(1)), by_class(release, lk.DistinctLDiversity(1))  # noqa: E741
            largest = float(shares_by_class(release).max())
            row = (t.max(), t.mean(), l.min(), l.mean(), 1 / largest, largest)
            for column, value in zip(COLUMNS, row, strict=True):
                series[column].append(float(value))
        panels.append(
            Panel(
                name,
                f"Table of section 7: closeness and diversity reached by {burel.name}",
                "β",
                "",
                BETAS,
                series,
                note="ℓ counts the distinct values of a class; averages are over the classes.",
            )
        )
        claims += _claims(bench, name, reading, series)
    return Results(panels, claims)


def _claims(bench: Bench, name: str, reading: str, series: dict[str, list[float]]) -> list[Claim]:
    """What sections 6 and 7 say of these numbers."""
    return [
        Claim(
            name,
            "section 7, table",
            f"For reasonable values of β, ℓ assumes values no less than {LEAST_DIVERSITY}",
            reading,
            f"every class has at least {LEAST_DIVERSITY} distinct values at β 1 to 5",
            rules.at_least(series["ℓ"], LEAST_DIVERSITY),
            "a small class, which a large β or a finer search allows, holds few records and so few values",
        ),
        Claim(
            name,
            "section 6, before 6.1",
            "At the default β no sensitive value is more frequent in a class than f(largest p) (the paper: 20 %)",
            reading,
            f"largest share of any value in any class at β = {DEFAULT_BETA} is at most f(max p)",
            rules.at_most(
                _at(series["largest share"], DEFAULT_BETA), enhanced(bench.most_frequent, DEFAULT_BETA)
            ),
        ),
        Claim(
            name,
            "section 6, before 6.1",
            "β = 1 is a small value: it allows any value at most twice its share (the paper: 9.7 %)",
            reading,
            "largest share of any value in any class at β = 1 is at most 2 max p",
            rules.at_most(_at(series["largest share"], 1), 2 * bench.most_frequent),
        ),
    ]


def enhanced(share: float, beta: float) -> float:
    """Evaluate f(p), equation 1.

    Examples
    --------
    >>> round(enhanced(0.048402, 4), 4), round(enhanced(0.048402, 1), 4)
    (0.195, 0.0968)
    """
    return share * (1 + beta) if share <= exp(-beta) else share * (1 - log(share))


def _at(values: Sequence[float], beta: int) -> list[float]:
    """Take one point."""
    return [values[BETAS.index(beta)]]
