"""Figures 7, 8, 11 and 12, and all methods by RGCP: times, t-closeness, query errors."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isnan
from typing import TYPE_CHECKING

import numpy as np

from likeness.queries.drawing import draw_workload, relative_errors
from papers.background_knowledge import why
from papers.background_knowledge.maps import AXES, READINGS, halves, panel_of, speaker, values
from papers.background_knowledge.measuring import Estimate, publish
from papers.background_knowledge.subjects import known
from papers.background_knowledge.systems import (
    CLOSE,
    EVERY,
    EVERY_CLOSE,
    HILBERT,
    HILBERT_CHUNK,
    KS,
    LIBRARY,
    PAPER,
    Setting,
    System,
)
from papers.figures import rules
from papers.figures.results import Outcome, Panel, Results

if TYPE_CHECKING:
    from collections.abc import Sequence

    from papers.background_knowledge.bench import Bench
    from papers.background_knowledge.subjects import Source

CLOSENESS = tuple(Setting(k=k, j="0.6", t=0.5) for k in KS)
SELECTIVITIES = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3)
QUERIES = 100
FLAT = 0.25
CLOSE_RATIO = 1.1
MOST_BY_HILBERT = 0.3


def times_by_j(bench: Bench) -> Results:
    """Figure 7: time against J."""
    bench = bench.timed()
    panel = panel_of(
        bench, "7", "processor seconds of the search, clustering included", "J", ("seconds", "seconds")
    )
    panel = replace(panel, logarithmic=True)
    js, claims = AXES["J"][1], []
    at = js.index(0.3)
    for reading, own in READINGS.items():
        say = speaker("7", "section 5.4", reading)
        inc, agg, beta = (system.name for system in own)
        for name in (inc, agg, beta):
            claims.append(
                say(
                    f"The time of {name} is the same for J ≥ 0.3",
                    "a spread of at most a quarter of the mean",
                    rules.flat(panel.series[name][at:], FLAT),
                    why.TIMES,
                )
            )
            if name == beta:
                continue
            low, high = panel.series[name][:at], panel.series[name][at:]
            told = f"{', '.join(f'{one:.3g}' for one in low)} s below 0.3, {min(high):.3g} to {max(high):.3g} s from there on"
            claims.append(
                say(
                    f"The time of {name} is lower for J < 0.3",
                    "below all times from 0.3 on",
                    Outcome(max(low) < min(high), told),
                    why.TIMES_LOW,
                )
            )
        claims.append(
            say(
                "β_GE is fastest",
                "below at every point",
                rules.below(panel.series, beta, inc, agg),
                why.TIMES,
            )
        )
    return Results([panel], claims)


def times_by_k(bench: Bench) -> Results:
    """Figure 8: time against k where all are one cluster."""
    bench = bench.timed()
    systems, settings = (*PAPER, *LIBRARY), tuple(Setting(k=k, j="0.6") for k in KS)
    bench.fill(systems, settings)
    panel = Panel(
        "8",
        "processor seconds of the search, clustering included, J = 0.6, β = 3",
        "k",
        "seconds",
        list(map(float, KS)),
        values(bench, systems, settings, "seconds"),
        spread=halves(bench, systems, settings, "seconds"),
    )
    claims = []
    for reading, own in READINGS.items():
        inc, agg, beta = (system.name for system in own)
        say = speaker("8", "section 5.4", reading)
        claims += [
            say(
                "β_GE is fastest",
                "below at every point",
                rules.below(panel.series, beta, inc, agg),
                why.TIMES,
            ),
            say(
                "kAgg is faster than kInc",
                "below at every point",
                rules.below(panel.series, agg, inc),
                why.TIMES_K,
            ),
        ]
    return Results([panel], claims)


def closeness(bench: Bench) -> Results:
    """Figure 11: kInc and kAgg beside the Hilbert index-based algorithm, under t-closeness."""
    bench.fill(CLOSE, CLOSENESS)
    loss, risk, share = (values(bench, CLOSE, CLOSENESS, what) for what in ("gcp", "linked", "withheld"))
    timed = bench.timed()
    timed.fill(CLOSE, CLOSENESS)
    seconds = values(timed, CLOSE, CLOSENESS, "seconds")
    panel = Panel(
        "11",
        "R-U map under t-closeness, t = 0.5, J = 0.6, k changes: GCP over all records, against RL",
        "k",
        "GCP / N",
        list(map(float, KS)),
        loss,
        spread=halves(bench, CLOSE, CLOSENESS, "gcp"),
        along=("RL", risk),
        extra={
            f"{name}: {told}": curve
            for told, curves in (
                ("withheld", share),
                ("seconds", seconds),
                ("RGCP", values(bench, CLOSE, CLOSENESS, "rgcp")),
            )
            for name, curve in curves.items()
        },
    )
    claims = []
    for reading, own in READINGS.items():
        say = speaker("11", "section 5.5", reading)
        for name in (own[0].name, own[1].name):
            for other in (HILBERT.name, HILBERT_CHUNK.name):
                claims += [
                    say(
                        f"{name} loses less than {other} at equal RL",
                        "GCP, interpolated at the other's RL, below at every point within the range of both",
                        at_equal_risk((risk[name], loss[name]), (risk[other], loss[other])),
                        why.CLOSE,
                    ),
                    say(
                        f"{name} is slower than {other}",
                        "seconds above at every point",
                        rules.below(seconds, other, name),
                    ),
                ]
    claims += [
        speaker("11", "section 5.5", "paper")(
            f"{name} withholds at most 30 %",
            "at most 0.3 at every point",
            rules.at_most(share[name], MOST_BY_HILBERT),
        )
        for name in (HILBERT.name, HILBERT_CHUNK.name)
    ]
    return Results([panel], claims)


def at_equal_risk(
    own: tuple[Sequence[float], Sequence[float]], other: tuple[Sequence[float], Sequence[float]]
) -> Outcome:
    """Decide whether one map lies below another where their risks overlap.

    Parameters
    ----------
    own, other
        Risks and losses.

    Examples
    --------
    >>> at_equal_risk(([1, 3], [0.1, 0.3]), ([2, 9], [0.5, 0.1]))
    Outcome(holds=True, measured='less at 1 of 1 points of equal RL (0.4 times)')
    """
    pairs = sorted((x, y) for x, y in zip(*own, strict=True) if not isnan(x + y))
    if not pairs:
        return rules.NOTHING
    risks, losses = zip(*pairs, strict=True)
    ratios = [
        float(np.interp(x, risks, losses)) / y
        for x, y in zip(*other, strict=True)
        if not isnan(x + y) and risks[0] <= x <= risks[-1]
    ]
    if not ratios:
        return Outcome(None, "the risks of the two do not overlap")
    won = sum(one < 1 for one in ratios)
    spread = f"{min(ratios):.3g}" if len(ratios) == 1 else f"{min(ratios):.3g} to {max(ratios):.3g}"
    return Outcome(won == len(ratios), f"less at {won} of {len(ratios)} points of equal RL ({spread} times)")


@dataclass(frozen=True)
class Asked:
    """Queries to put to the releases of some systems.

    Parameters
    ----------
    source
        The table.
    systems, setting, seed
        How it is published.
    """

    source: Source
    systems: tuple[System, ...]
    setting: Setting
    seed: int


def query_errors(asked: Asked) -> list[list[float]]:
    """Mean relative errors of queries on one quasi-identifier: of each system, at each selectivity."""
    workloads = [
        draw_workload(
            known(asked.source).data,
            queries=QUERIES,
            predicates=1,
            selectivity=share,
            seed=asked.seed,
            sensitive=False,
        )
        for share in SELECTIVITIES
    ]
    found = []
    for system in asked.systems:
        release, _ = publish(asked.source, system, asked.setting, asked.seed)
        found.append([float(relative_errors(release.publication, one).mean()) for one in workloads])
    return found


def queries(bench: Bench) -> Results:
    """Figure 12: mean relative error of 100 queries of one quasi-identifier each."""
    setting = Setting(j="0.6", t=0.5)
    jobs = [Asked(source, CLOSE, setting, bench.seed + i) for i, source in enumerate(bench.subject.sources)]
    tables = np.array(bench.each(query_errors, jobs, "queries"))
    estimates = {
        system.name: [Estimate.of(tables[:, i, s].tolist()) for s in range(len(SELECTIVITIES))]
        for i, system in enumerate(CLOSE)
    }
    panel = Panel(
        "12",
        f"mean relative error of {QUERIES} queries of one quasi-identifier, k = 5, t = 0.5, J = 0.6",
        "selectivity",
        "mean relative error",
        SELECTIVITIES,
        {name: [one.mean for one in curve] for name, curve in estimates.items()},
        spread={name: [one.half for one in curve] for name, curve in estimates.items()},
        note="The paper does not give k. Withheld records are missing from the answers.",
    )
    claims = []
    for reading, own in READINGS.items():
        inc, agg = own[0].name, own[1].name
        say = speaker("12", "section 5.5", reading)
        claims.append(
            say(
                "The errors of kInc and kAgg are very close",
                "ratio within 10 % at every point",
                rules.ratios_within(panel.series, inc, agg, 1 / CLOSE_RATIO, CLOSE_RATIO),
                why.QUERIES_CLOSE,
            )
        )
        for name in (inc, agg):
            for other in (HILBERT.name, HILBERT_CHUNK.name):
                pairs = list(zip(panel.series[name], panel.series[other], strict=True))
                won = sum(one < two for one, two in pairs)
                ratio = rules.mean_ratio(panel.series, name, other).measured
                claims.append(
                    say(
                        f"{name} errs less than {other} in most cases",
                        "below at more than half of the points",
                        Outcome(2 * won > len(pairs), f"below at {won} of {len(pairs)} points; {ratio}"),
                        why.QUERIES,
                    )
                )
    return Results([panel], claims)


ROWS = {
    "RGCP": "rgcp",
    "NCP": "ncp",
    "GCP of the published": "published",
    "withheld": "withheld",
    "RL": "linked",
    "mean size": "mean",
    "smallest": "least",
    "share in the largest": "largest",
    "seconds": "seconds",
}


def methods(bench: Bench) -> Results:
    """All methods of this library by RGCP, under β-likeness and under t-closeness."""
    panels = [
        _ranked(bench, "methods-0.3", EVERY, Setting(j="0.3"), "β = 3, J = 0.3"),
        _ranked(bench, "methods-0.8", EVERY, Setting(j="0.8"), "β = 3, J = 0.8"),
        _ranked(bench, "methods-t", EVERY_CLOSE, Setting(j="0.6", t=0.5), "t = 0.5, J = 0.6"),
    ]
    return Results(panels, [])


def _ranked(bench: Bench, name: str, systems: tuple[System, ...], setting: Setting, told: str) -> Panel:
    """Put methods in the order of their RGCP."""
    bench.fill(systems, [setting])
    found = {row: {s: bench.curve(s, [setting], what)[0] for s in systems} for row, what in ROWS.items()}
    order = sorted(systems, key=lambda s: (isnan(found["RGCP"][s].mean), found["RGCP"][s].mean))
    names = ", ".join(f"{i}: {s.name}" for i, s in enumerate(order, 1))
    several = len(bench.subject.sources) > 1
    return Panel(
        name,
        f"All methods by RGCP, k = 5, {told} ({names})",
        "method",
        "",
        range(1, len(order) + 1),
        {row: [found[row][s].mean for s in order] for row in ROWS},
        spread={row: [found[row][s].half for s in order] for row in ROWS} if several else {},
        note=why.METHODS,
    )
