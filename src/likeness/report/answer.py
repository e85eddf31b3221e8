"""The first screen of a report: what was asked, whether it is proven and to whom, who is in, what it cost, what it gives away."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor
from typing import TYPE_CHECKING

from likeness import registry
from likeness.choosing import LOSS
from likeness.wording import count, figure, phrase

if TYPE_CHECKING:
    from likeness.metrics.measuring import Measurements
    from likeness.release import Release

_TO_WHOM = {
    "public": "by anyone, from the published files alone",
    "mechanism": "by anyone, from the published matrix: how values are drawn, not these draws",
    "steward": "by the steward alone, from the private files",
}


_BECAME = {
    "without_records": "without a record in the second table",
    "differing_hull": "whose records differ in a quasi-identifier, published as the hull of all of them",
    "differing_first": "whose records differ in a quasi-identifier, published as in the first",
    "differing_mode": "whose records differ in a quasi-identifier, published as in most of them",
}


@dataclass(frozen=True)
class Answer:
    """What a steward wants to know first, in lines."""

    asked: tuple[str, ...]
    proven: bool
    verdict: str
    to_whom: tuple[str, ...]
    unit: str
    published: str
    missing: tuple[str, ...]
    loss: str
    cost: tuple[str, ...]
    gains: tuple[str, ...]


def answer(release: Release, measured: Measurements) -> Answer:
    """Find it."""
    proofs = release.verdict.proofs
    holds = all(proof.holds for proof in proofs)
    whom: dict[str, list[str]] = {}
    for proof in proofs:
        whom.setdefault(proof.scope, []).append(proof.model)
    several = len(whom) > 1
    to_whom = tuple(
        f"{', '.join(dict.fromkeys(models))}: {_TO_WHOM[scope]}" if several else _TO_WHOM[scope].capitalize()
        for scope, models in whom.items()
    )
    published, whole, missing, unit = _who_is_in(release)
    loss, cost = _cost(release, measured)
    return Answer(
        asked=tuple(
            f"{proof.model}{f' of {proof.column}' if proof.column else ''}{_given(proof.parameters)}"
            for proof in proofs
        ),
        proven=holds,
        verdict="It holds" if holds else "It does not hold",
        to_whom=to_whom,
        unit=unit,
        published=f"{published:,} of {whole:,}",
        missing=missing,
        loss=loss,
        cost=cost,
        gains=_gains(release),
    )


def _given(parameters: dict[str, object]) -> str:
    """Write the parameters of a model that say how much is asked."""
    told = phrase({key: value for key, value in parameters.items() if key not in {"sensitive", "others"}})
    return f", {told}".replace(" = ", "\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}") if told else ""


def _who_is_in(release: Release) -> tuple[int, int, tuple[str, ...], str]:
    """Published, all, what became of the others, and what is counted."""
    people = release.individual_counts
    if people is not None:
        lines = [
            f"{number:,} {_BECAME.get(reason, reason)}"
            for reason, number in people.items()
            if reason not in {"input", "published"} and number
        ]
        return people["published"], people["input"], tuple(lines or ["Nobody was left out"]), "people"
    counts = release.counts
    lines = [
        f"{sum(counts[kind].values()):,} {kind}"
        for kind in ("withheld", "dropped")
        if sum(counts[kind].values())
    ]
    if counts["added"]:
        lines.append(f"{counts['added']:,} added")
    return counts["published"], counts["input"], tuple(lines or ["Nobody was left out"]), "records"


def _cost(release: Release, measured: Measurements) -> tuple[str, tuple[str, ...]]:
    """The loss in large, and how little it could be."""
    metric = measured.metrics.get(LOSS.name)
    lines = [f"{count(release.certificate.classes, release.certificate.make_form().class_noun)}"]
    if metric is None or release.certificate.make_form().publishes_exactly:
        # What is lost there is not of the quasi-identifiers.
        error = measured.get("query-error")
        if error is None:
            return "not measured", tuple(lines)
        return f"{error:.1%} median error", ("of random queries", *lines)
    for bound, loss, _ in release.bounds({LOSS.name: metric}).values():
        told = "no release under this policy can lose less than"
        lines.insert(
            0,
            f"{told} {floor(10_000 * bound.value) / 10_000:.2%}"
            if not bound.trivial
            else "how little it could be is not known",
        )
        return f"{loss:.2%} of the detail", ("NCP: 0% is exact, 100% nothing", *lines)
    return f"{measured[LOSS.name]:.2%} of the detail", ("NCP: 0% is exact, 100% nothing", *lines)


def _gains(release: Release) -> tuple[str, ...]:
    """How much easier people are found: who knows all their quasi-identifiers picks the right record."""
    attack = registry.create("attacks", "linkage", {})
    data = release.private.encoded.data
    if not data.quasi or attack.refusal(release.publication, data) is not None:
        return ()
    result = release.attack(attack)
    details = result.details
    lines = [
        (
            f"{result.success:.2%} to pick the right record of somebody known by all quasi-identifiers; {result.baseline:.2%} in "
            "the original"
        ),
        f"one record alone fits {details['unique']:.1%} of all; {details['unique_before']:.1%} in the original",
    ]
    worst = details["prosecutor_max"]
    return (f"1 in {figure(round(1 / worst, 1))} at worst" if worst > 0 else "nobody can be linked", *lines)
