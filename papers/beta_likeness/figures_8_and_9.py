"""Figures 8 and 9: median relative error of aggregate queries, after generalization and after perturbation (6.2, 6.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from likeness.queries.drawing import draw_workload, relative_errors
from papers.beta_likeness.bench import BETAS, DEFAULT_BETA, NAN, Bench
from papers.beta_likeness.systems import GENERALIZING, LIBRARY, PAPER, RANDOMIZING, chosen
from papers.figures import rules
from papers.figures.results import Claim, Panel, Results

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import likeness as lk
    from likeness.queries.query import Workload
    from papers.beta_likeness.systems import System

QUASI, PREDICATES, SELECTIVITY = 5, 3, 0.1
LAMBDAS, QUASI_SIZES, THETAS = (1, 2, 3, 4, 5), (1, 2, 3, 4, 5), (0.05, 0.1, 0.15, 0.2, 0.25)
ERROR = "median relative error"
FLAT = 0.05
_SPREAD = "BUREL's classes cover much of the space, and within them records are not spread evenly, as estimates take them to be"
_NOT_LOSS = "errors follow the loss, which does not follow β for the literal bucketization"
_INDEPENDENT = (
    "the Baseline errs only where the sensitive value depends on the quasi-identifiers; with weak dependence, few records or "
    "a small β the noise of reconstruction is larger"
)
_MORE = "with one more quasi-identifier the queries are spread over other columns, and each range is over a different domain"
_WHY_PERTURBED = {
    "λ": "ranges grow slowly with λ (θ^(1/(λ+1)) is 0.32 to 0.68 of a domain); θ is the share of records only where attributes "
    "are uniform and independent: with more predicates fewer records may be left, and the noise weighs more",
    "β": "beyond e^-β the bound f no longer grows for frequent values, and their α even falls a little",
    "θ": "",
}


@dataclass(frozen=True)
class Point:
    """What is asked at one point of a figure."""

    beta: float = DEFAULT_BETA
    quasi: int = QUASI
    predicates: int = PREDICATES
    selectivity: float = SELECTIVITY


class Asking:
    """Asks all systems the same queries; workloads and releases are made once.

    Parameters
    ----------
    bench
        The table.
    systems
        Who is asked.
    """

    def __init__(self, bench: Bench, systems: Sequence[System]) -> None:
        self.bench = bench
        self.systems = systems
        self.workloads: dict[tuple[int, int, float], Workload] = {}

    def errors(self, points: Sequence[Point]) -> dict[str, list[float]]:
        """Median relative error of every system at every point."""
        found: dict[str, list[float]] = {system.name: [] for system in self.systems}
        for system in self.systems:
            release, made = None, (0.0, 0)
            for point in points:
                if (point.beta, point.quasi) != made:
                    release, made = (
                        self.bench.make(system, point.beta, point.quasi).release,
                        (point.beta, point.quasi),
                    )
                found[system.name].append(NAN if release is None else self.median(release, point))
        return found

    def median(self, release: lk.Release, point: Point) -> float:
        """Median relative error of one release."""
        key = (point.quasi, point.predicates, point.selectivity)
        if key not in self.workloads:
            self.workloads[key] = draw_workload(
                release.private.encoded.data,
                queries=self.bench.queries,
                predicates=point.predicates,
                selectivity=point.selectivity,
                seed=self.bench.seed,
            )
        return float(np.median(relative_errors(release.publication, self.workloads[key])))


POINTS: dict[str, tuple[str, Sequence[float], Callable[[float], Point]]] = {
    "a": ("λ, predicates on quasi-identifiers", LAMBDAS, lambda x: Point(predicates=int(x))),
    "b": ("β", BETAS, lambda x: Point(beta=x)),
    "c": (
        "number of quasi-identifiers",
        QUASI_SIZES,
        lambda x: Point(quasi=int(x), predicates=min(PREDICATES, int(x))),
    ),
    "d": ("θ, selectivity", THETAS, lambda x: Point(selectivity=x)),
}
"""What each panel varies; everything else is as in `Point`."""


def figure_8(bench: Bench, panel: str) -> Results:
    """Ask generalized releases."""
    found = _panel(bench, "8", panel, GENERALIZING, "after generalization")
    claims = []
    for reading in (PAPER, LIBRARY):
        names = chosen(reading, *GENERALIZING)
        burel, others = names["BUREL"], [names["LMondrian"], names["DMondrian"]]
        claims.append(
            Claim(
                found.name,
                "section 6.2, figure 8, last sentence",
                "BUREL achieves consistently better utility",
                reading,
                "error of BUREL is below that of LMondrian and DMondrian at every point",
                rules.below(found.series, burel, *others),
                _SPREAD,
            )
        )
        claims += _shape(found, reading, burel, others)
    return Results([found], claims)


def _shape(panel: Panel, reading: str, burel: str, others: list[str]) -> list[Claim]:
    """What the paper says of how each curve of figure 8 goes."""
    series, section = panel.series, f"section 6.2, figure 8({panel.name[1]})"
    every = [burel, *others]
    if panel.name == "8a":
        return [
            Claim(
                panel.name,
                section,
                "The error does not depend monotonically on λ",
                reading,
                "the error of BUREL goes both up and down",
                rules.not_monotone(series[burel]),
                "where classes are small against the ranges that are asked for, estimates err at the edges of the ranges, and "
                "every predicate adds some",
            )
        ]
    if panel.name == "8b":
        return [
            Claim(
                panel.name,
                section,
                "As β grows, the error drops",
                reading,
                "the error of BUREL never rises by more than 5 % from one β to the next, and ends lower",
                rules.falls(series[burel], slack=0.05),
                _NOT_LOSS,
            )
        ]
    if panel.name == "8c":
        growth = {name: [_growth(series[name])] for name in every}
        return [
            Claim(
                panel.name,
                section,
                "The error increases with the number of quasi-identifiers, for all methods",
                reading,
                "the error of each never falls by more than 5 % from one number to the next, and ends higher",
                rules.everyone(*(rules.of(name, rules.rises(series[name], slack=0.05)) for name in every)),
                _MORE,
            ),
            Claim(
                panel.name,
                section,
                "BUREL presents the most modest increase with the number of quasi-identifiers",
                reading,
                "error with 5 over error with 1 is smaller for BUREL than for the others",
                rules.below(growth, burel, *others),
                "who begins with a small error has the most room to grow",
            ),
        ]
    return [
        Claim(
            panel.name,
            section,
            "As θ grows, the estimate becomes more accurate",
            reading,
            "the error of each never rises by more than 5 % from one θ to the next, and ends lower",
            rules.everyone(*(rules.of(name, rules.falls(series[name], slack=0.05)) for name in every)),
            "where estimates are no better than guesses, larger ranges do not help",
        )
    ]


def _growth(values: Sequence[float]) -> float:
    """Last value over the first; NaN where that is not above 0."""
    return values[-1] / values[0] if values[0] > 0 else NAN


def figure_9(bench: Bench, panel: str) -> Results:
    """Ask perturbed releases, and the Baseline."""
    found = _panel(bench, "9", panel, RANDOMIZING, "after perturbation")
    claims = []
    for reading in (PAPER, LIBRARY):
        names = chosen(reading, *RANDOMIZING)
        scheme, baseline = names["perturbation"], names["Baseline"]
        claims.append(
            Claim(
                found.name,
                "section 6.3, last sentence",
                "In all presented cases the perturbation-based scheme is more accurate than the Baseline",
                reading,
                "its error is below the Baseline's at every point",
                rules.below(found.series, scheme, baseline),
                _INDEPENDENT,
            )
        )
        claims += _shape_perturbed(found, reading, scheme, baseline)
    return Results([found], claims)


def _shape_perturbed(panel: Panel, reading: str, scheme: str, baseline: str) -> list[Claim]:
    """What the paper says of how each curve of figure 9 goes."""
    own, section = panel.series[scheme], f"section 6.3, figure 9({panel.name[1]})"
    falling = {"9a": "λ", "9b": "β", "9d": "θ"}
    if panel.name == "9c":
        return [
            Claim(
                panel.name,
                section,
                "The error does not change uniformly with the number of quasi-identifiers",
                reading,
                "the error of the scheme goes both up and down",
                rules.not_monotone(own),
            )
        ]
    what = falling[panel.name]
    found = [
        Claim(
            panel.name,
            section,
            f"The error decreases as a function of {what}",
            reading,
            f"the error of the scheme never rises by more than 5 % from one {what} to the next, and ends lower",
            rules.falls(own, slack=0.05),
            _WHY_PERTURBED[what],
        )
    ]
    if panel.name == "9b":
        found.append(
            Claim(
                panel.name,
                section,
                "The Baseline is independent of β",
                reading,
                f"its largest and smallest error differ by at most {FLAT:.0%} of the mean",
                rules.flat(panel.series[baseline], FLAT),
            )
        )
    return found


def _panel(bench: Bench, number: str, panel: str, systems: Sequence[System], words: str) -> Panel:
    """Measure one panel."""
    x, xs, point = POINTS[panel]
    series = Asking(bench, systems).errors([point(value) for value in xs])
    fixed = {
        "a": f"{QUASI} quasi-identifiers, β = {DEFAULT_BETA}, θ = {SELECTIVITY}",
        "b": f"{QUASI} quasi-identifiers, λ = {PREDICATES}, θ = {SELECTIVITY}",
        "c": f"β = {DEFAULT_BETA}, θ = {SELECTIVITY}, λ = {PREDICATES} or all where there are fewer",
        "d": f"{QUASI} quasi-identifiers, β = {DEFAULT_BETA}, λ = {PREDICATES}",
    }[panel]
    note = f"{bench.queries:,} queries, the same for all; {fixed}."
    return Panel(f"{number}{panel}", f"Median relative error {words}", x, ERROR, xs, series, note=note)
