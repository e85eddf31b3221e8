"""Figures 4a-c: β-likeness face to face with t-closeness (section 6.1)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import likeness as lk
from likeness.errors import CannotBeMetError
from papers.beta_likeness.bench import BETAS, Bench, real_beta, real_t
from papers.beta_likeness.systems import (
    BUREL,
    BUREL_PAPER,
    LIBRARY,
    PAPER,
    SABRE,
    SABRE_PAPER,
    T_MONDRIAN,
    T_MONDRIAN_PAPER,
    System,
)
from papers.figures import rules
from papers.figures.results import Claim, Panel, Results

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

CLOSENESS = (0.05, 0.1, 0.15, 0.2, 0.25)
LEVELS = 5
TOLERANCE = 0.05
RANGE_OF_BETA, RANGE_OF_T = (0.05, 50), (0.002, 1)
WIDE = 2.0
NAN = float("nan")
READINGS: dict[str, tuple[System, System, System]] = {
    PAPER: (BUREL_PAPER, SABRE_PAPER, T_MONDRIAN_PAPER),
    LIBRARY: (BUREL, SABRE, T_MONDRIAN),
}
_WHY = (
    "t-closeness does not limit relative gains; but at a small t Mondrian can cut so rarely that its few, large classes "
    "resemble the table in every respect, rare values included; at a real β of 0 it publishes a single class"
)
_NOTE = (
    "Loss moves in steps: a competitor is taken at the tried t on either side of the wanted AIL that loses no less "
    "than BUREL, as the paper has it. The AIL of every release is in the CSV file."
)


class _Curves:
    """Real β, t and AIL of releases, by system and point."""

    def __init__(self, systems: Sequence[System] | None = None) -> None:
        everybody = systems or [system for three in READINGS.values() for system in three]
        names = [system.name for system in everybody]
        self.beta: dict[str, list[float]] = {name: [] for name in names}
        self.t: dict[str, list[float]] = {name: [] for name in names}
        self.ail: dict[str, list[float]] = {name: [] for name in names}

    def add(self, system: System, release: lk.Release | None) -> None:
        """Measure a release."""
        self.beta[system.name].append(real_beta(release))
        self.t[system.name].append(real_t(release))
        self.ail[system.name].append(loss_of(release))

    def panel(self, name: str, title: str, x: str, xs: Sequence[float], note: str = "") -> Panel:
        """Lay them out."""
        extra = {f"{name}: t": own for name, own in self.t.items()}
        extra |= {f"{name}: AIL": own for name, own in self.ail.items()}
        y = "measured β (largest relative gain)"
        return Panel(name, title, x, y, xs, self.beta, logarithmic=True, extra=extra, note=note)


def figure_4a(bench: Bench) -> Results:
    """Take BUREL at β; give its closeness to tMondrian and SABRE; measure the β of all three."""
    curves = _Curves()
    for beta in BETAS:
        for burel, *others in READINGS.values():
            made = bench.make(burel, beta).release
            t = real_t(made)
            curves.add(burel, made)
            for system in others:
                curves.add(system, bench.make(system, t).release)
    panel = curves.panel("4a", "Real β at equal t, given β", "β", BETAS)
    return Results([panel], _claims("4a", curves.beta))


def figure_4b(bench: Bench) -> Results:
    """Give t to tMondrian and SABRE, and to BUREL the largest β whose release has that closeness."""
    curves = _Curves()
    for t in CLOSENESS:
        for burel, *others in READINGS.values():
            run = partial(lk.weakest, parameter="beta", measured={"t-closeness.t": t}, between=RANGE_OF_BETA)
            found = _searched(bench, burel, run)
            curves.add(burel, None if found is None else found.release)
            for system in others:
                curves.add(system, bench.make(system, t).release)
    panel = curves.panel("4b", "Real β at equal t, given t", "t", CLOSENESS)
    return Results([panel], _claims("4b", curves.beta))


def figure_4c(bench: Bench) -> Results:
    """Give all three nearly the same information loss, BUREL never more than the others; each reading at its own losses."""
    panels, claims = [], []
    for name, reading in (("4c", PAPER), ("4c-library", LIBRARY)):
        burel, sabre, mondrian = READINGS[reading]
        curves = _Curves((burel, sabre, mondrian))
        levels = _levels(bench, burel)
        for level in levels:
            run = partial(lk.strongest, parameter="beta", loss={"ail": level}, between=RANGE_OF_BETA)
            found = _searched(bench, burel, run)
            spent = NAN if found is None else loss_of(found.release)
            curves.add(burel, None if found is None else found.release)
            for system in (sabre, mondrian):
                curves.add(system, _at_loss(bench, system, level, spent))
        panels.append(curves.panel(name, "Real β at equal AIL", "AIL", levels, _NOTE))
        claims += [
            *_claims(name, curves.beta),
            Claim(
                name,
                "section 6.1, figure 4(c)",
                "At equal AIL SABRE provides higher β-likeness privacy than tMondrian",
                reading,
                "the real β of SABRE is below that of tMondrian at every AIL",
                rules.below(curves.beta, sabre.name, mondrian.name),
                _WHY,
            ),
        ]
    return Results(panels, claims)


def loss_of(release: lk.Release | None) -> float:
    """Measure the average information loss."""
    return NAN if release is None else release.loss("ail")["ail"]


def _levels(bench: Bench, burel: System) -> list[float]:
    """Losses from just above the least that BUREL has for some β up to 5, to 0.9."""
    low = min(min(bench.make(burel, beta).loss() for beta in BETAS) + 0.02, 0.85)
    return [round(low + (0.9 - low) * step / (LEVELS - 1), 3) for step in range(LEVELS)]


def _at_loss(bench: Bench, system: System, level: float, spent: float) -> lk.Release | None:
    """Release nearest to a loss that loses no less than what BUREL spent."""
    run = partial(lk.strongest, parameter="t", loss={"ail": level}, between=RANGE_OF_T)
    found = _searched(bench, system, run)
    if found is None or loss_of(found.release) >= spent or found.next_tried is None:
        return None if found is None else found.release
    return bench.make(system, found.next_tried.value).release


def _searched(bench: Bench, system: System, run: Callable[..., lk.Searched]) -> lk.Searched | None:
    """Search, or say that there is none."""
    bench.tick(f"search, {system.name}")
    policy = bench.policy(system, 0.5)
    try:
        return run(bench.subject.source, policy, tolerance=TOLERANCE, seed=bench.seed)
    except CannotBeMetError:
        return None


def _claims(panel: str, series: dict[str, list[float]]) -> list[Claim]:
    """What the paper says of all three comparisons."""
    found = []
    same = "AIL" if panel.startswith("4c") else "t-closeness"
    for reading, (burel, *others) in READINGS.items():
        if burel.name not in series:
            continue
        names = [system.name for system in others]
        found += [
            Claim(
                panel,
                f"section 6.1, figure 4({panel[1]})",
                f"At equal {same} BUREL provides consistently higher β-likeness privacy than SABRE and tMondrian",
                reading,
                "the real β of BUREL is below both others' at every point",
                rules.below(series, burel.name, *names),
                _WHY,
            ),
            Claim(
                panel,
                "section 6.1, last paragraph",
                f"At equal {same} t-closeness schemes fail by a wide margin to achieve good β-likeness privacy",
                reading,
                f"the real β of each is at least {WIDE:g} times that of BUREL on (geometric) average",
                rules.everyone(*(rules.mean_ratio(series, name, burel.name, low=WIDE) for name in names)),
                _WHY,
            ),
        ]
    return found
