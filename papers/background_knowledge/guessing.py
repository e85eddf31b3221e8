"""What knowledge adds to the share of right guesses, with and without J, of the same people."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from likeness.apart import parts_of
from likeness.attacks._columns import histograms
from likeness.attacks.background_knowledge import BackgroundKnowledgeAttack, Joint
from likeness.datasets.bkseq import Clinic
from likeness.kernels.beliefs import divergences, entropies
from papers.background_knowledge import why
from papers.background_knowledge.measuring import Estimate, publish
from papers.background_knowledge.subjects import BkseqSource, known
from papers.background_knowledge.systems import BETA_GE, BUREL, Setting, System
from papers.figures import rules
from papers.figures.results import Claim, Outcome, Panel, Results

if TYPE_CHECKING:
    from numpy.typing import NDArray

    import likeness as lk
    from papers.background_knowledge.bench import Bench

SYSTEMS = (BETA_GE, BUREL)
JS = {
    0.9: ("0.1", "0.2", "0.3", "0.5", "0.8"),
    0.6: ("0.1", "0.2", "0.3", "0.5"),
    0.28: ("0.1", "0.2", "0.3"),
}
"""Largest divergence in the table to the values of J that are tried, beside none."""
FEWEST = 10
ALONE, CLASS, BOTH, ADDED = "by knowledge", "by class", "by both", "added"
NO_CLASS, NO_BOTH, NO_ADDED = "by class, no J", "by both, no J", "added, no J"
SERIES = (ALONE, CLASS, BOTH, ADDED, NO_CLASS, NO_BOTH, NO_ADDED)
TOLD = ("withheld", "clusters", "GCP", "GCP, no J")
NONE = 1.0
"""Where panels have what was measured without J: no two distributions are further apart than 1 bit."""
SECTION = "issue 12, line 9"


@dataclass(frozen=True, eq=False)
class Chances:
    """(n,) How likely each record's value is guessed: by knowledge alone, by its class alone, by both; NaN where withheld."""

    alone: NDArray[np.float64]
    by_class: NDArray[np.float64]
    both: NDArray[np.float64]


def chances(
    release: lk.Release, source: BkseqSource, attack: BackgroundKnowledgeAttack | None = None
) -> Chances:
    """Attack every published record as `BackgroundKnowledgeAttack` does, and keep what becomes of each.

    Parameters
    ----------
    release
        Generalized, of one table.
    source
        The table, and what is known of its people, whatever the release was made against.
    attack
        Its parameters.
    """
    data = known(source).data
    plan = release.private.solution.plan
    records = np.flatnonzero(plan.published)
    of = np.unique(plan.classes[records], return_inverse=True)[1].reshape(-1).astype(np.int64)
    codes = data.sensitive_codes[0][records]
    world = Joint(histograms(of, codes, data.sensitive[0].codes), of, data.knowledge[0], records)
    world.believe(attack or BackgroundKnowledgeAttack())
    both, by_class = world.guessed(codes)
    found = Chances(*(np.full(data.size, np.nan) for _ in range(3)))
    found.alone[records] = world.guessed_before(codes)
    found.by_class[records], found.both[records] = by_class, both
    return found


def guess(job: tuple[BkseqSource, tuple[str, ...], tuple[System, ...]]) -> list[dict[str, float]]:
    """Measure one table: of each system what is guessed without J, and under each J.

    Parameters
    ----------
    job
        The table, the values of J, the systems.
    """
    source, js, systems = job
    found = []
    for system in systems:
        free, _ = publish(source, system, Setting(j=""), source.seed)
        without = chances(free, source)
        found.append(_compared(without, without, free, free, 1))
        for j in js:
            release, _ = publish(source, system, Setting(j=j), source.seed)
            parts = parts_of(known(source).data, release.private.solution.requirements)
            clusters = 1 if parts is None else int(parts.max()) + 1
            found.append(_compared(chances(release, source), without, release, free, clusters))
    return found


def _compared(
    under: Chances, without: Chances, release: lk.Release, free: lk.Release, clusters: int
) -> dict[str, float]:
    """Average over the people published with and without J."""
    people = ~np.isnan(under.both) & ~np.isnan(without.both)

    def mean(one: NDArray[np.float64]) -> float:
        return float(one[people].mean())

    return {
        ALONE: mean(under.alone),
        CLASS: mean(under.by_class),
        BOTH: mean(under.both),
        ADDED: mean(under.both) - mean(under.by_class),
        NO_CLASS: mean(without.by_class),
        NO_BOTH: mean(without.both),
        NO_ADDED: mean(without.both) - mean(without.by_class),
        "withheld": float(sum(release.counts["withheld"].values())),
        "clusters": float(clusters),
        "GCP": release.loss("gcp-normalised")["gcp-normalised"],
        "GCP, no J": free.loss("gcp-normalised")["gcp-normalised"],
    }


def guessing(bench: Bench, max_jsd: float) -> Results:
    """Draw what is guessed against J, for each system, on generated tables whose people differ by at most ``max_jsd``."""
    seeds = range(bench.seed, bench.seed + bench.seeds)
    js = JS[max_jsd]
    jobs = [(BkseqSource(seed, bench.rows, max_jsd), js, (system,)) for seed in seeds for system in SYSTEMS]
    measured = bench.each(guess, jobs, f"max_jsd {max_jsd}")
    xs = [NONE, *map(float, js)]
    panels, claims = [], []
    for i, system in enumerate(SYSTEMS):
        own = measured[i :: len(SYSTEMS)]
        estimates = {
            what: [Estimate.of([table[row][what] for table in own]) for row in range(len(xs))]
            for what in (*SERIES, *TOLD)
        }
        means = {what: [one.mean for one in found] for what, found in estimates.items()}
        panels.append(
            Panel(
                name(max_jsd, system),
                f"share guessed right against J, {system.name}, max_jsd {max_jsd:g}, k = 5, β = 3, {len(seeds)} tables of "
                f"{bench.rows:,}, of the people published both with and without J",
                "J",
                "share of right guesses",
                xs,
                {what: means[what] for what in SERIES},
                note="J = 1 is no J. ± is half of the 95 % interval over tables. Withheld: people, under J.",
                beside={what: means[what] for what in TOLD},
                spread={what: [one.half for one in found] for what, found in estimates.items()},
            )
        )
        claims += _claims(max_jsd, system, own, js)
    panels.append(_by_table(max_jsd, seeds, measured, js))
    return Results(panels, claims)


def _by_table(
    max_jsd: float, seeds: range, measured: list[list[dict[str, float]]], js: tuple[str, ...]
) -> Panel:
    """Draw what knowledge adds in each table."""
    at = 1 + js.index("0.1")
    columns: dict[str, list[float]] = {}
    for i, system in enumerate(SYSTEMS):
        rows = [table[at] for table in measured[i :: len(SYSTEMS)]]
        columns |= {
            f"{system.name}: added, no J": [row[NO_ADDED] for row in rows],
            f"{system.name}: added, J = 0.1": [row[ADDED] for row in rows],
        }
    rows = [table[at] for table in measured[:: len(SYSTEMS)]]
    return Panel(
        f"bkseq-{max_jsd:g}-tables",
        f"What knowledge adds in each table, max_jsd {max_jsd:g}, of the people published under J = 0.1",
        "seed",
        "",
        list(seeds),
        columns,
        beside={what: [row[what] for row in rows] for what in (ALONE, "withheld", "clusters")},
    )


def name(max_jsd: float, system: System) -> str:
    """Name a panel.

    Examples
    --------
    >>> name(0.9, BETA_GE)
    'bkseq-0.9-beta-likeness-primacy'
    """
    return f"bkseq-{max_jsd:g}-{system.method}"


def within(values: list[float], low: float, high: float) -> tuple[Outcome, Outcome]:
    """Decide whether the mean, and whether every table's number lies within limits.

    Examples
    --------
    >>> within([0.1, 0.2], 0.0, 0.15)[1]
    Outcome(holds=False, measured='0.15 ± 0.64 (0.1 to 0.2), within at 1 of 2 tables')
    """
    good = sum(low <= value <= high for value in values)
    estimate = Estimate.of(values)
    told = f"{estimate.mean:.3g} ± {estimate.half:.2g} ({min(values):.3g} to {max(values):.3g})"
    told += f", within at {good} of {len(values)} tables"
    return Outcome(low <= estimate.mean <= high, told), Outcome(good == len(values), told)


def _claims(
    max_jsd: float, system: System, tables: list[list[dict[str, float]]], js: tuple[str, ...]
) -> list[Claim]:
    """What line 9 says of one panel; a row of a table without J, then one for each J."""
    free = [rows[0][ADDED] for rows in tables]
    least = [rows[1 + js.index("0.1")] for rows in tables]
    without, under = [row[NO_ADDED] for row in least], [row[ADDED] for row in least]
    said: list[tuple[str, list[float], float, float]] = []
    if max_jsd == 0.9 and system is BETA_GE:
        said = [
            ("Knowledge adds .11 to .29 to β_GE's share of right guesses without J", without, 0.11, 0.29),
            ("It adds at most .03 to β_GE's at J = .1", under, -1, 0.03),
        ]
    elif max_jsd == 0.9:
        said = [
            ("Knowledge adds .02 to .08 to BUREL's share of right guesses without J", without, 0.02, 0.08),
            ("It adds at most .02 to BUREL's at J = .1", under, -1, 0.02),
        ]
    elif max_jsd == 0.6 and system is BUREL:
        said = [("BUREL gains at most .02 without any J", free, -1, 0.02)]
    panel = name(max_jsd, system)
    found = []
    for text, values, low, high in said:
        rule = f"at most {high:g}" if low < 0 else f"{low:g} to {high:g}"
        mean, each = within(values, low, high)
        found += [
            Claim(panel, SECTION, text, "library", f"the mean over tables is {rule}", mean),
            Claim(
                panel,
                SECTION,
                f"{text}, in every table",
                "library",
                f"every table: {rule}",
                each,
                why.EVERY_TABLE,
            ),
        ]
    return found


def farthest(source: BkseqSource) -> list[float]:
    """Find the largest divergence of two people of each table of a sequence, in bits: from there on all are one cluster."""
    clinic = Clinic(source.dataset, source.rows, source.seed)
    found = []
    for table in clinic.tables():
        shares = clinic.knowledge(table)["share"].cast(pl.Float64).to_numpy()
        shares = np.ascontiguousarray(shares.reshape(-1, source.dataset.results))
        found.append(float(divergences(shares, entropies(shares)).max()))
    return found


def one_cluster(bench: Bench) -> Results:
    """Look at every table of every sequence where two people differ by at most .28."""
    seeds = range(bench.seed, bench.seed + bench.seeds)
    jobs = [BkseqSource(seed, bench.rows, 0.28) for seed in seeds]
    found = np.array(bench.each(farthest, jobs, "largest divergence"))
    panel = Panel(
        "bkseq-clusters",
        f"Largest divergence of two people of each table of {len(seeds)} sequences of {found.shape[1]}, max_jsd 0.28",
        "seed",
        "",
        list(seeds),
        {
            "least of the tables": found.min(axis=1).tolist(),
            "largest of the tables": found.max(axis=1).tolist(),
        },
        note="From the largest divergence on, complete linkage has one cluster.",
    )
    claim = Claim(
        panel.name,
        "section 5.4 and " + SECTION,
        "At max_jsd .28 there is one cluster for J ≥ .3 in every release",
        "library",
        "the largest divergence of two people is at most 0.3 in every table",
        rules.at_most([float(found.max())], 0.3),
    )
    return Results([panel], [claim])


EXPERIMENTS = tuple(
    (
        (*(name(max_jsd, system) for system in SYSTEMS), f"bkseq-{max_jsd:g}-tables"),
        partial(guessing, max_jsd=max_jsd),
    )
    for max_jsd in JS
)
