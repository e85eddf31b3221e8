"""Figures 4 to 6, 9 and 10, tables 5 and 6: what is lost, linked and withheld as k, β and J change."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING

from papers.background_knowledge import why
from papers.background_knowledge.systems import BETAS, JS, KS, LIBRARY, PAPER, Setting
from papers.figures import rules
from papers.figures.results import Claim, Outcome, Panel, Results

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from papers.background_knowledge.bench import Bench
    from papers.background_knowledge.systems import System

READINGS = {"paper": PAPER, "library": LIBRARY}
BY_K = tuple(Setting(k=k) for k in KS)
BY_J = tuple(Setting(j=j) for j in JS)
BY_BETA = tuple(Setting(beta=beta) for beta in BETAS)
AXES = {
    "k": (BY_K, tuple(map(float, KS)), "J = 0.8, β = 3"),
    "J": (BY_J, tuple(map(float, JS)), "k = 5, β = 3"),
    "β": (BY_BETA, BETAS, "J = 0.8, k = 5"),
}
SLACK = 0.05
MOST_REMOVED = 11 / 4_000

Curves = dict[str, list[float]]


def values(bench: Bench, systems: Sequence[System], settings: Sequence[Setting], what: str) -> Curves:
    """Measure one thing, by system."""
    return {system.name: [one.mean for one in bench.curve(system, settings, what)] for system in systems}


def halves(bench: Bench, systems: Sequence[System], settings: Sequence[Setting], what: str) -> Curves:
    """Half the 95 % intervals of one thing, by system; nothing where there is one table."""
    if len(bench.subject.sources) < 2:
        return {}
    return {system.name: [one.half for one in bench.curve(system, settings, what)] for system in systems}


def panel_of(
    bench: Bench,
    name: str,
    title: str,
    x: str,
    what: tuple[str, str],
    systems: Sequence[System] = (*PAPER, *LIBRARY),
) -> Panel:
    """Draw one thing against k, J or β.

    Parameters
    ----------
    bench
        The tables.
    name, title
        Of the panel.
    x
        ``k``, ``J`` or ``β``.
    what
        What is measured (`Measured`), and how the figure calls it.
    systems
        The curves.
    """
    settings, xs, fixed = AXES[x]
    bench.fill(systems, settings)
    return Panel(
        name,
        f"{title}, {fixed}",
        x,
        what[1],
        xs,
        values(bench, systems, settings, what[0]),
        spread=halves(bench, systems, settings, what[0]),
    )


def risk_and_loss(bench: Bench, number: str, x: str) -> Results:
    """Draw a map of risk and loss: figures 4, 5 and 6."""
    systems = (*PAPER, *LIBRARY)
    settings, xs, fixed = AXES[x]
    bench.fill(systems, settings)
    loss, risk = (values(bench, systems, settings, what) for what in ("gcp", "linked"))
    further = {"withheld": "withheld", "GCP of the published": "published", "RGCP": "rgcp", "RL ±": "linked"}
    extra: Curves = {}
    for told, what in further.items():
        found = halves if told.endswith("±") else values
        extra |= {f"{name}: {told}": curve for name, curve in found(bench, systems, settings, what).items()}
    panel = Panel(
        number,
        f"R-U map, {fixed}, {x} changes: GCP over all records, against RL",
        x,
        "GCP / N",
        xs,
        loss,
        spread=halves(bench, systems, settings, "gcp"),
        along=("RL", risk),
        extra=extra,
        note="GCP charges nothing for withheld records; their share and RGCP are in the CSV file.",
    )
    return Results(
        [panel], [one for reading in READINGS for one in _map_claims(bench, panel, reading, loss, risk)]
    )


def _map_claims(bench: Bench, panel: Panel, reading: str, loss: Curves, risk: Curves) -> list[Claim]:
    """What section 5.2.1 says of a map."""
    inc, agg, beta = (system.name for system in READINGS[reading])
    say = speaker(panel.name, "section 5.2.1", reading)
    found = [
        say(
            "β_GE loses most",
            "GCP above those of kInc and kAgg at every point",
            rules.everyone(rules.below(loss, inc, beta), rules.below(loss, agg, beta)),
            why.LOSES_MOST[reading],
        ),
        say(
            "β_GE links least",
            "RL below those of kInc and kAgg at every point",
            rules.below(risk, beta, inc, agg),
            why.LINKS_LEAST,
        ),
        say(
            "kInc loses less than kAgg", "GCP below at every point", rules.below(loss, inc, agg), why.INC_AGG
        ),
    ]
    if panel.name == "4":
        ranges = {name: max(loss[name]) - min(loss[name]) for name in (inc, agg, beta)}
        told = ", ".join(f"{name} {value:.3g}" for name, value in ranges.items())
        found.append(
            say(
                "The range of β_GE's loss is smaller than those of kInc and kAgg",
                "largest less smallest GCP",
                Outcome(ranges[beta] < min(ranges[inc], ranges[agg]), told),
                why.RANGE,
            )
        )
    if panel.name == "5":
        by_k = values(bench, READINGS[reading], BY_K, "gcp")[beta]
        here, there = (max(curve) - min(curve) for curve in (loss[beta], by_k))
        found += [
            say(
                "The range of β_GE's loss is wide, unlike that of figure 4",
                "largest less smallest GCP is larger than in figure 4",
                Outcome(here > there, f"{here:.3g}, figure 4: {there:.3g}"),
            ),
            say("kAgg links most", "RL above those of kInc and β_GE at every point",
                rules.everyone(rules.below(risk, inc, agg), rules.below(risk, beta, agg)), why.INC_AGG),
        ]  # fmt: skip
    return found


def sizes(bench: Bench, number: str, x: str) -> Results:
    """Tables 5 and 6: smallest class and mean size."""
    systems = (*PAPER, *LIBRARY)
    settings, xs, fixed = AXES[x]
    bench.fill(systems, settings)
    least, mean = (values(bench, systems, settings, what) for what in ("least", "mean"))
    panel = Panel(
        f"table{number}",
        f"Table {number}: mean size of the classes, {fixed}; smallest class in the columns `least`",
        x,
        "records of a class",
        xs,
        mean,
        spread=halves(bench, systems, settings, "mean"),
        beside={f"{name}: least": curve for name, curve in least.items()},
        extra={
            f"{name}: share in the largest": curve
            for name, curve in values(bench, systems, settings, "largest").items()
        },
    )
    claims = []
    for reading, own in READINGS.items():
        inc, agg, beta = (system.name for system in own)
        say = speaker(panel.name, "section 5.2.2", reading)
        gaps = {name: [a - b for a, b in zip(mean[name], least[name], strict=True)] for name in mean}
        claims += [
            say(
                f"The mean size of {name} grows with {x}",
                "rises, but for 5 %",
                rules.rises(mean[name], SLACK),
                why.SIZES[x],
            )
            for name in (inc, agg, beta)
        ]
        claims += [
            say(
                "The classes of kInc and kAgg are smaller than those of β_GE",
                "mean size below at every point",
                rules.everyone(rules.below(mean, inc, beta), rules.below(mean, agg, beta)),
                why.GIANTS,
            ),
            say(
                "kAgg makes larger classes than kInc",
                "mean size above at every point",
                rules.below(mean, inc, agg),
                why.INC_AGG,
            ),
        ]
        if number == "5":
            claims.append(
                say(
                    "Mean and smallest size differ most in β_GE",
                    "difference above those of kInc and kAgg at every point",
                    rules.everyone(rules.below(gaps, inc, beta), rules.below(gaps, agg, beta)),
                    why.GIANTS,
                )
            )
    return Results([panel], claims)


def removed(bench: Bench, number: str, x: str) -> Results:
    """Figures 9a and 9b: who is withheld."""
    panel = panel_of(
        bench, number, "share of the records that are withheld", x, ("withheld", "share withheld")
    )
    claims = []
    for reading, own in READINGS.items():
        inc, agg, beta = (system.name for system in own)
        say = speaker(number, "section 5.4", reading)
        share = panel.series
        claims += [
            say(
                f"{name} withholds at most 11 of 4,000 records",
                "at most 11 / 4,000 at every point",
                rules.at_most(share[name], MOST_REMOVED),
                why.WITHHELD,
            )
            for name in (inc, agg, beta)
        ]
        claims += [
            say(
                "β_GE withholds fewest",
                "not above kInc and kAgg at any point",
                rules.everyone(not_above(share, beta, inc), not_above(share, beta, agg)),
                why.FEWEST,
            ),
            say(
                "kInc withholds fewer than kAgg",
                "not above at any point",
                not_above(share, inc, agg),
                why.INC_AGG,
            ),
        ]
        if x == "J":
            claims += [
                say(
                    f"{name} withholds more at small J",
                    "falls, but for 5 %",
                    _withheld(share[name], rules.falls),
                    why.BY_J,
                )
                for name in (inc, agg, beta)
            ]
        else:
            claims += [
                say(
                    f"{name} withholds fewer at small k",
                    "rises, but for 5 %",
                    _withheld(share[name], rules.rises),
                    why.SMALL_K,
                )
                for name in (inc, agg, beta)
            ]
    return Results([panel], claims)


def _withheld(curve: Sequence[float], rule: Callable[[Sequence[float], float], Outcome]) -> Outcome:
    """Judge who is withheld; nothing where nobody is anywhere."""
    return rule(curve, SLACK) if any(curve) else Outcome(None, "nobody is withheld anywhere")


def not_above(series: Mapping[str, Sequence[float]], lower: str, upper: str) -> Outcome:
    """Decide whether a curve is nowhere above another.

    Examples
    --------
    >>> not_above({"a": [1, 2], "b": [1, 3]}, "a", "b")
    Outcome(holds=True, measured='a is not above b at 2 of 2 points (mean 1.5 and 2)')
    """
    pairs = [
        (one, two)
        for one, two in zip(series[lower], series[upper], strict=True)
        if not (isnan(one) or isnan(two))
    ]
    if not pairs:
        return rules.NOTHING
    good = sum(one <= two for one, two in pairs)
    means = [sum(column) / len(pairs) for column in zip(*pairs, strict=True)]
    told = f"{lower} is not above {upper} at {good} of {len(pairs)} points (mean {means[0]:.3g} and {means[1]:.3g})"
    return Outcome(good == len(pairs), told)


def penalties(bench: Bench) -> Results:
    """Figure 10: GCP beside RGCP, which charges for the withheld."""
    own = tuple(setting for setting in BY_J if "0.2" <= setting.j <= "0.6")
    systems = (*PAPER, *LIBRARY)
    bench.fill(systems, own)
    loss, removed_too = (values(bench, systems, own, what) for what in ("gcp", "rgcp"))
    panel = Panel(
        "10",
        "GCP and RGCP over all records (k_R 1.1, n_R 1.2), k = 5, β = 3",
        "J",
        "loss / N",
        [float(setting.j) for setting in own],
        {
            f"{name}: {told}": curve[name]
            for name in loss
            for told, curve in (("GCP", loss), ("RGCP", removed_too))
        },
    )
    claims = []
    for reading, triple in READINGS.items():
        say = speaker("10", "section 5.4", reading)
        for system in triple:
            gap = [b - a for a, b in zip(loss[system.name], removed_too[system.name], strict=True)]
            gaps, some = " → ".join(f"{one:.3g}" for one in gap), any(gap)
            claims += [
                say(
                    f"GCP of {system.name} is less than its RGCP",
                    "below at every point",
                    Outcome(all(one > 0 for one in gap) if some else None, f"RGCP - GCP: {gaps}"),
                    why.EQUAL_WHERE_ALL,
                ),
                say(
                    f"RGCP and GCP of {system.name} differ most at J = 0.2",
                    "largest difference at the first point",
                    Outcome(gap[0] >= max(gap) if some else None, f"RGCP - GCP: {gaps}"),
                    why.BY_J,
                ),
            ]
    return Results([panel], claims)


def speaker(panel: str, section: str, reading: str) -> Callable[..., Claim]:
    """Make claims of one section about one panel, in one reading."""

    def say(text: str, rule: str, outcome: Outcome, reason: str = "") -> Claim:
        return Claim(panel, section, text.replace(" (paper)", ""), reading, rule, outcome, reason)

    return say
