"""What is measured of a release that a comparison made; in the worker process that made it."""

from __future__ import annotations

from dataclasses import MISSING, fields
from functools import cache
from math import isnan
from typing import TYPE_CHECKING, Any

from likeness import registry
from likeness.comparing.run import BROKEN, CANNOT, LARGE, MADE, UNFIT, Attacked
from likeness.errors import CannotBeMetError, InvalidError, LikenessError, Refusal
from likeness.proving.proof import prove
from likeness.report.measured import smallest_class
from likeness.searching.scale import model_to_measure

if TYPE_CHECKING:
    from collections.abc import Iterable

    from likeness.models.base import PrivacyModel
    from likeness.proving.proof import Proof
    from likeness.release import Release

TARGETS = 1_000
"""People attacked where there are more: drawn at random, always the same, so that all runs are measured alike."""


def figures_of(release: Release) -> dict[str, Any]:
    """Measure a release: what `ComparedRun` holds of one."""
    counts, people = release.counts, release.individual_counts
    withheld = sum(counts["withheld"].values()) if people is None else people["withheld"]
    published = counts["published"] if people is None else people["published"]
    return {
        "outcome": MADE,
        "made_by": release.private.method.label,
        "form": release.certificate.form["name"],
        "strength": strengths(release),
        "loss": {name: float(value) for name, value in release.loss().items()},
        "attacks": attacked(release),
        "records": published + withheld,
        "withheld": withheld,
        "classes": release.certificate.classes,
        "smallest": smallest_class(release),
    }


def failed(problem: BaseException) -> dict[str, Any]:
    """Say why there is no release."""
    if isinstance(problem, LikenessError):
        outcome = CANNOT if isinstance(problem, CannotBeMetError) else BROKEN
        outcome = UNFIT if isinstance(problem, InvalidError) else outcome
        return {"outcome": outcome, "why": problem.refusals}
    if isinstance(problem, MemoryError):
        return {"outcome": LARGE, "why": (Refusal("there is not enough memory for it"),)}
    what = f"a defect of likeness: {type(problem).__name__}: {problem}"
    return {"outcome": BROKEN, "why": (Refusal(" ".join(what.split())),)}


def strengths(release: Release) -> dict[str, float]:
    """Measure a release by every model of its guarantee, and by every other that one parameter is enough for.

    The strongest parameters that hold of every sensitive column, by model and parameter.
    """
    private = release.private
    data = private.encoded.data
    found: dict[str, float] = {}
    own = {model.name: model for model in private.policy.privacy}
    for name, model in own.items():
        _note(found, model, (proof for proof in release.verdict.proofs if proof.model == name))
    for model in _measures():
        if model.name in own:
            continue
        try:
            proofs = prove(release.publication, private.encoded.name_models([model]), data).proofs
        except LikenessError:
            # It is about something that this table, or this form, does not have.
            continue
        _note(found, model, proofs)
    return found


def _note(found: dict[str, float], model: PrivacyModel, proofs: Iterable[Proof]) -> None:
    """Note the weakest strength of several proofs about one model."""
    for proof in proofs:
        values = {} if proof.strength is None else proof.strength.values
        for parameter in values.keys() & model.ranges.keys():
            name, value = f"{model.name}.{parameter}", float(values[parameter])
            weaker = min if model.ranges[parameter].larger_is_stronger else max
            found[name] = weaker(found.get(name, value), value)


@cache
def _measures() -> tuple[PrivacyModel, ...]:
    """Every model that needs one parameter and no knowledge, as weak as it can be."""
    found = []
    for name in registry.names("models"):
        part = registry.load("models", name)
        needed = [field.name for field in fields(part) if field.default is MISSING]
        if len(needed) != 1 or needed[0] not in part.ranges or part.needs_knowledge:
            continue
        try:
            found.append(model_to_measure(name, needed[0]))
        except LikenessError:
            # No value of it refuses nothing.
            continue
    return tuple(found)


def attacked(release: Release) -> dict[str, Attacked]:
    """Attack a release by every attack that is made on a number of targets: how often it succeeds, and how often without."""
    found = {}
    for name in registry.names("attacks"):
        if "targets" not in {field.name for field in fields(registry.load("attacks", name))}:
            continue
        targets = min(TARGETS, max(1, release.private.encoded.data.units.size))
        try:
            result = release.attack(registry.create("attacks", name, {"targets": targets}))
        except LikenessError:
            # It is not defined for this release.
            continue
        if not isnan(result.success):
            found[name] = Attacked(float(result.success), float(result.baseline))
    return found
