"""Further measurements that explain where ratios differ from the paper's: diagnoses per person, people, hierarchies."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from papers.figures.results import Panel, Results
from papers.identity_reserved.systems import (
    DANONYIR_AB,
    DANONYIR_EAB,
    DANONYIR_EL,
    DANONYIR_KL,
    GENEIR_AB,
    GENEIR_KL,
    GENEIR_LEAST,
    Setting,
)

if TYPE_CHECKING:
    from papers.identity_reserved.bench import Bench

MOST_DIAGNOSES = (1, 2, 4, 8, 100)
SIZES = (0.25, 0.5, 1.0, 2.0, 4.0)
CONDITIONS = tuple(range(1, 9))
WIDTH = 0.5
FIXED = Setting()


def by_diagnoses(bench: Bench) -> Results:
    """Keep only the first so many diagnoses of each person, as they are and evenly spread: what the enhanced models cost."""
    parts = [bench.on(bench.subject.at_most(most)) for most in MOST_DIAGNOSES]
    even = [bench.on(part.subject.scattered(1, bench.seed)) for part in parts]
    for part in (*parts, *even):
        part.fill(_PAIRS, [FIXED])
    xs = [round(part.subject.each, 3) for part in parts]
    note = (
        f"Of each person the first {', '.join(map(str, MOST_DIAGNOSES[:-1]))} diagnoses, or all, are kept; α = 0.6, β = 0.4. "
        "Evenly spread: each of them replaced by any code, all equally likely. With one diagnosis each the enhanced models are "
        "the plain ones. The paper claims 1.0148 to 1.0347 (El/kl) and 1.0127 to 1.0519 (Eαβ/αβ)."
    )
    panel = Panel(
        "distinct",
        f"What the enhanced models cost, by diagnoses per person; d = l = 6; {bench.subject.people:,} persons",
        "distinct diagnoses per person",
        "ratio of NLoss",
        xs,
        _costs(parts, "") | _costs(even, ", evenly spread"),
        logarithmic=True,
        extra={
            "kept of each person at most": list(map(float, MOST_DIAGNOSES)),
            **_told(parts, ""),
            **_told(even, ", evenly spread"),
        },
        note=note,
    )
    return Results([panel], [])


_PAIRS = (DANONYIR_KL, DANONYIR_EL, DANONYIR_AB, DANONYIR_EAB)


def _costs(parts: list[Bench], word: str) -> dict[str, list[float]]:
    """What the enhanced models cost, as ratios of losses."""
    loss = {system: [part.mean(system, FIXED).loss for part in parts] for system in _PAIRS}
    return {
        f"DAnonyIR_El / DAnonyIR_kl{word}": _over(loss[DANONYIR_EL], loss[DANONYIR_KL]),
        f"DAnonyIR_Eαβ / DAnonyIR_αβ{word}": _over(loss[DANONYIR_EAB], loss[DANONYIR_AB]),
    }


def _told(parts: list[Bench], word: str) -> dict[str, list[float]]:
    """Further columns: vulnerable classes, how large classes are, how frequent the most frequent diagnosis."""
    columns = {
        f"v of {system.name}{word}": [p.mean(system, FIXED).vulnerable for p in parts]
        for system in _PAIRS[::2]
    }
    people = {
        f"individuals per class of {one.name}{word}": [p.mean(one, FIXED).people for p in parts]
        for one in _PAIRS
    }
    most = {f"persons with the most frequent diagnosis{word}": [_most_frequent(part) for part in parts]}
    return columns | people | most


def by_size(bench: Bench) -> Results:
    """More or fewer people: how ratios depend on the size of the table."""
    parts = [bench.on(bench.whole.sample(round(bench.subject.people * size), bench.seed)) for size in SIZES]
    systems = (GENEIR_KL, DANONYIR_KL, DANONYIR_EL, GENEIR_AB, DANONYIR_AB)
    for part in parts:
        part.fill(systems, [FIXED])
    loss = {system: [part.mean(system, FIXED).loss for part in parts] for system in systems}
    panel = Panel(
        "size",
        "Ratios of losses by number of persons; d = 6, l = 6, α = 0.6, β = 0.4",
        "persons",
        "ratio of NLoss",
        [part.subject.people for part in parts],
        {
            "GeneIR_kl / DAnonyIR_kl": _over(loss[GENEIR_KL], loss[DANONYIR_KL]),
            "GeneIR_kl / DAnonyIR_El": _over(loss[GENEIR_KL], loss[DANONYIR_EL]),
            "GeneIR_αβ / DAnonyIR_αβ": _over(loss[GENEIR_AB], loss[DANONYIR_AB]),
            "DAnonyIR_El / DAnonyIR_kl": _over(loss[DANONYIR_EL], loss[DANONYIR_KL]),
        },
        extra={f"NLoss of {system.name}": values for system, values in loss.items()},
        note="DAnonyIR gains more from more people than GeneIR, so the ratio grows with the table.",
    )
    return Results([panel], [])


def by_conditions(bench: Bench) -> Results:
    """More conditions on the same releases, where the paper also has more quasi-identifiers: figures 6b and 7c."""
    setting = Setting(quasi=len(CONDITIONS))
    systems = (GENEIR_KL, DANONYIR_KL, DANONYIR_EL)
    jobs = [
        replace(
            bench.job(system, setting, 0),
            one=bench.workload(setting.quasi, count),
            all=bench.workload(setting.quasi, count, WIDTH ** (count + 1)),
        )
        for system in systems
        for count in CONDITIONS
    ]
    found = bench.measure(jobs)
    rows = {system.name: found[i * len(CONDITIONS) :][: len(CONDITIONS)] for i, system in enumerate(systems)}
    panel = Panel(
        "conditions",
        f"Relative error by the number of conditions, d = 8, l = 6; {bench.subject.people:,} persons, one run",
        "λ",
        "mean relative error",
        CONDITIONS,
        {name: [one.error_1 for one in row] for name, row in rows.items()}
        | {f"{name} (half of each domain)": [one.error_d for one in row] for name, row in rows.items()},
        logarithmic=True,
        note=(
            "The releases are the same for all λ. Queries select 5 % of a uniform table, each condition the same share of its "
            "domain; or each condition selects half of its domain, so that fewer records are meant the more conditions there are."
        ),
    )
    return Results([panel], [])


def by_hierarchies(bench: Bench) -> Results:
    """Other hierarchies and another choice of attribute for GeneIR, whose hierarchies the paper does not give."""
    flat, binary = bench.on(bench.subject.flat()), bench.on(bench.subject.binary())
    bench.fill([GENEIR_KL, GENEIR_LEAST, DANONYIR_KL], [FIXED])
    base = bench.mean(DANONYIR_KL, FIXED).loss
    kinds = {
        "our hierarchies": bench.mean(GENEIR_KL, FIXED),
        "hierarchies of one step": flat.mean(GENEIR_KL, FIXED),
        "binary hierarchies": binary.mean(GENEIR_KL, FIXED),
        "our hierarchies, the attribute that loses least": bench.mean(GENEIR_LEAST, FIXED),
    }
    listed = ", ".join(f"{i}: {name}" for i, name in enumerate(kinds, 1))
    panel = Panel(
        "hierarchies",
        f"GeneIR_kl ({listed}); d = 6, l = 6; {bench.subject.people:,} persons",
        "kind",
        "",
        range(1, len(kinds) + 1),
        {
            "NLoss": [one.loss for one in kinds.values()],
            "GeneIR_kl / DAnonyIR_kl": [one.loss / base for one in kinds.values()],
            "v": [one.vulnerable for one in kinds.values()],
            "individuals per class": [one.people for one in kinds.values()],
        },
        note="The paper gives no hierarchies and picks attributes at random.",
    )
    return Results([panel], [])


def _over(one: list[float], other: list[float]) -> list[float]:
    """Divide point by point."""
    return [a / b if b else float("nan") for a, b in zip(one, other, strict=True)]


def _most_frequent(bench: Bench) -> float:
    """Share of persons that have the most frequent diagnosis: below it no β can be met by all."""
    counts = bench.subject.table["diagnosis"].value_counts()["count"]
    return float(counts.max()) / bench.subject.people  # type: ignore[arg-type]
