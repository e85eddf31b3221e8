"""Section 7: the naive Bayes figure, deFinetti and corruption."""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING

import likeness as lk
from likeness.errors import CannotBeMetError
from papers.beta_likeness.bench import BETAS, DEFAULT_BETA, DEFAULT_QUASI, Bench
from papers.beta_likeness.systems import (
    BUREL,
    BUREL_AUTHORS,
    BUREL_PAPER,
    GENERALIZING,
    LIBRARY,
    PAPER,
    PERTURBATION,
    PERTURBATION_PAPER,
    chosen,
)
from papers.figures import rules
from papers.figures.results import Claim, Outcome, Panel, Results

if TYPE_CHECKING:
    from papers.beta_likeness.systems import System

NEAR = 1.1
ANATOMY = (2, 3, 4, 5, 6, 7)
ATTACKED = 20_000
ROUNDS = 20  # of a class of the whole table, each is slow
LARGEST_PRIOR, FROM_ORIGINAL = "most frequent value", "learned from the original table"


def naive_bayes(bench: Bench) -> Results:
    """Guess everybody's sensitive value by a classifier learned from the release, at β 1 to 5."""
    success: dict[str, list[float]] = {system.name: [] for system in GENERALIZING}
    lift: dict[str, list[float]] = {f"{system.name}: largest lift": [] for system in GENERALIZING}
    original = float("nan")
    for beta in BETAS:
        for system in GENERALIZING:
            release = bench.make(system, beta).release
            found = None if release is None else release.attack(lk.NaiveBayesAttack())
            success[system.name].append(float("nan") if found is None else found.success)
            own = float("nan") if found is None else found.details["largest_lift"]
            lift[f"{system.name}: largest lift"].append(own)
            original = original if found is None else found.details["learned_from_original"]
    series = success | {
        LARGEST_PRIOR: [bench.most_frequent] * len(BETAS),
        FROM_ORIGINAL: [original] * len(BETAS),
    }
    panel = Panel(
        "nb",
        f"Naive Bayes attack, {DEFAULT_QUASI} quasi-identifiers",
        "β",
        "share of sensitive values guessed",
        BETAS,
        series,
        extra=lift,
    )
    claims = [
        claim
        for reading in (PAPER, LIBRARY)
        for claim in _claims(bench, reading, chosen(reading, *GENERALIZING)["BUREL"], success, lift)
    ]
    return Results([panel], claims)


def _claims(
    bench: Bench, reading: str, burel: str, success: dict[str, list[float]], lift: dict[str, list[float]]
) -> list[Claim]:
    """What section 7 says of the attack."""
    lifts = lift[f"{burel}: largest lift"]
    # Equation (19) limits the lift of a value of share p by 1 + min{β, -ln p}, at most that of the rarest value.
    limits = [1 + min(beta, -log(bench.subject.shares[-1])) for beta in BETAS]
    worst = max(one / limit for one, limit in zip(lifts, limits, strict=True))
    return [
        Claim(
            "nb",
            "section 7, last figure",
            "The success rate remains remarkably close to the frequency of the most frequent value",
            reading,
            f"success at every β from 1 to 5 is at most {NEAR:g} times that frequency",
            rules.at_most(success[burel], NEAR * bench.most_frequent),
            "a release that keeps more of how sensitive values depend on quasi-identifiers, within what β allows, teaches more",
        ),
        Claim(
            "nb",
            "section 7, equation (19)",
            "β-likeness guarantees Pr[t|v] ≤ (1 + min{β, -ln p}) Pr[t]",
            reading,
            "the largest Pr[t|v] / Pr[t] is at most 1 + min{β, -ln p} for the rarest value at every β",
            Outcome(worst <= 1, f"at most {worst:.3g} of the limit"),
        ),
    ]


def definetti(bench: Bench) -> Results:
    """Attack Anatomy at ℓ 2 to 7 (after Cormode), and BUREL at β 1 to 5."""
    attack = lk.DefinettiAttack(targets=min(ATTACKED, bench.subject.table.height), rounds=ROUNDS)
    success, deal = list[float](), list[float]()
    for l in ANATOMY:  # noqa: E741  # the literature's name
        bench.tick(f"Anatomy, ℓ = {l}")
        found = _attacked(_anatomy(bench, l), attack)
        success.append(found[0])
        deal.append(found[1])
    anatomy = Panel(
        "definetti",
        "deFinetti attack on Anatomy",
        "ℓ",
        "share of sensitive values found",
        ANATOMY,
        {"Anatomy": success, "random deal": deal},
        note=f"Attacked: {attack.targets:,} records in whole groups, in at most {ROUNDS} rounds.",
    )
    series: dict[str, list[float]] = {system.name: [] for system in (BUREL_PAPER, BUREL_AUTHORS, BUREL)}
    deals: dict[str, list[float]] = {f"{name}: random deal": [] for name in series}
    for beta in BETAS:
        for system in (BUREL_PAPER, BUREL_AUTHORS, BUREL):
            found = _attacked(bench.make(system, beta).release, attack)
            series[system.name].append(found[0])
            deals[f"{system.name}: random deal"].append(found[1])
    burel = Panel(
        "definetti-burel",
        "deFinetti attack on BUREL",
        "β",
        "share of sensitive values found",
        BETAS,
        series,
        extra=deals,
    )
    return Results([anatomy, burel], _definetti_claims(success, series))


def _definetti_claims(anatomy: list[float], burel: dict[str, list[float]]) -> list[Claim]:
    """What section 7 says of the attack; Anatomy has one reading."""
    found = [
        Claim(
            "definetti",
            "section 7, after Cormode",
            "deFinetti on Anatomy: success below 50 % at ℓ = 5 and below 30 % at ℓ = 7",
            PAPER,
            "measured success is below both",
            rules.everyone(rules.at_most([anatomy[3]], 0.5), rules.at_most([anatomy[5]], 0.3)),
            "Cormode's table is another: what the attack finds turns on how far sensitive values follow quasi-identifiers",
        ),
        Claim(
            "definetti",
            "section 7, after Cormode",
            "As ℓ rises, the deFinetti attack's success rate on Anatomy deteriorates",
            PAPER,
            "success falls from each ℓ to the next",
            rules.falls(anatomy),
        ),
    ]
    for reading, system in ((PAPER, BUREL_PAPER), (LIBRARY, BUREL)):
        found.append(
            Claim(
                "definetti-burel",
                "section 7",
                "A lower β value allows for a lower success rate of the deFinetti attack",
                reading,
                "success at every β is no higher than 5 % above that at the next β, and ends higher",
                rules.rises(burel[system.name], slack=0.05),
                "what literal BUREL really publishes does not follow β: at a larger β fewer buckets may fit, and fewer classes",
            )
        )
    return found


def corruption(bench: Bench) -> Results:
    """Let an adversary know a share of the others: BUREL and perturbation."""
    shares = (0.0, 0.25, 0.5, 0.75, 1.0)
    systems: tuple[System, ...] = (BUREL_PAPER, BUREL, PERTURBATION_PAPER, PERTURBATION)
    series: dict[str, list[float]] = {system.name: [] for system in systems}
    everybody: dict[str, float] = {}
    for system in systems:
        release = bench.make(system, DEFAULT_BETA).release
        for share in shares:
            found = None if release is None else release.attack(lk.CorruptionAttack(share=share))
            series[system.name].append(float("nan") if found is None else found.success)
            everybody[system.name] = (
                float("nan") if found is None else found.details.get("everybody_else", float("nan"))
            )
    panel = Panel(
        "corruption",
        f"Corruption attack at β = {DEFAULT_BETA}",
        "share of the others that is known",
        "mean probability given to the true value",
        shares,
        series,
    )
    claims = []
    for reading, system in ((PAPER, PERTURBATION_PAPER), (LIBRARY, PERTURBATION)):
        claims += [
            Claim(
                "corruption",
                "section 7",
                "Perturbation is immune to corruption attacks",
                reading,
                "success does not change with the share of the others in the class that is known",
                rules.flat(series[system.name], 0.0),
            ),
            Claim(
                "corruption",
                "section 7, with p published (end of section 5)",
                "… also where the exact overall distribution is published with it",
                reading,
                "who knows everybody else in the table is less than certain of the last value",
                _uncertain(everybody[system.name]),
                "counts of the whole table less the known values leave the last one",
            ),
        ]
    return Results([panel], claims)


def _uncertain(success: float) -> Outcome:
    """Decide whether an adversary is not certain."""
    if success != success:  # noqa: PLR0124  # NaN
        return rules.NOTHING
    return Outcome(success < 1, f"success {success:.3g}")


def _anatomy(bench: Bench, l: int) -> lk.Release | None:  # noqa: E741
    """Publish by Anatomy."""
    policy = lk.Policy(
        columns=bench.subject.columns(DEFAULT_QUASI), privacy=lk.DistinctLDiversity(l), method=lk.Anatomy(l)
    )
    try:
        return lk.anonymize(bench.subject.source, policy, seed=bench.seed)
    except CannotBeMetError:
        return None


def _attacked(release: lk.Release | None, attack: lk.DefinettiAttack) -> tuple[float, float]:
    """Success, and that of a random deal."""
    if release is None:
        return float("nan"), float("nan")
    found = release.attack(attack)
    return found.success, found.baseline
