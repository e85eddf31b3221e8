"""What an adversary is taken to know beforehand, in numbers, and what came of it: for the steward alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from likeness import registry
from likeness.attacks.base import Making
from likeness.choosing import LOSS
from likeness.errors import CannotBeMetError, PolicyError
from likeness.exact import rational
from likeness.knowledge.base import Subject
from likeness.metrics.base import Evaluation
from likeness.models.base import KnowledgeModel
from likeness.progress import Progress
from likeness.proving.certificate import remark_on_knowledge
from likeness.randomness import stream
from likeness.solve import solve
from likeness.wording import quoted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.microdata.data import Microdata
    from likeness.microdata.knowledge import Knowledge
    from likeness.models.requirements import Requirement
    from likeness.release import Release
    from likeness.solve import Solution

_COMPARED = 1_500
"""Distributions that are compared pair by pair; of more, those of people evenly spread over the table."""
_PARTS_SHOWN = 10
_TARGETS = 2_000
"""People whose values are guessed where there are more: drawn at random, always the same, so that a report takes seconds."""

_GUESSED = {
    "baseline": "guessed right by what is known beforehand",
    "by_class": "guessed right by the class",
    "success": "guessed right by both",
    "added": "more than by the class",
    "largest_belief": "largest belief in one value",
}
_LITTLE = 0.02
"""More right guesses than by the class alone, as a share of people, that are called little."""


@dataclass(frozen=True, eq=False)
class KnownTables:
    """Tables about one source of knowledge.

    ``title``, ``told``: what it is, in words. ``figures``: name and number. ``meaning``: what its parameters mean, by column.
    ``apart``: value and what is believed of each of the two people who are believed most unlike; ``who``: these two.
    ``parts``: rows of model, records of a part, and how many of them are published; ``more_parts`` are left out.
    """

    title: str
    told: str
    figures: list[list[str]]
    meaning: list[list[str]]
    who: list[str]
    apart: list[list[str]]
    parts: list[list[str]]
    more_parts: int


@dataclass(frozen=True)
class WithAndWithout:
    """What keeping people apart costs and buys.

    ``rows``: what, with it, and without it. ``notes``: sentences about what follows.
    """

    rows: list[list[str]]
    notes: list[str]


def known_tables(release: Release) -> list[KnownTables]:
    """Describe every source of knowledge of a release."""
    private = release.private
    encoded, policy = private.encoded, private.policy
    found = []
    for source, own, entry in zip(
        policy.knowledge, encoded.data.knowledge, release.certificate.knowledge, strict=True
    ):
        column = encoded.data.sensitive_index(own.sensitive)
        who, apart = _farthest(encoded.data, own)
        parts = _parts(release, column, own)
        found.append(
            KnownTables(
                f"{source.name}, on {own.sensitive!r}" + (f", called {quoted(own.name)}" if own.name else ""),
                remark_on_knowledge(entry),
                [*_divergences(own), *_odds(release, own)],
                [list(row) for row in source.meaning(Subject(encoded, policy, column))],
                who,
                apart,
                parts[:_PARTS_SHOWN],
                max(0, len(parts) - _PARTS_SHOWN),
            )
        )
    return found


def _compared(own: Knowledge) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Distributions that are compared, and their divergences, pair by pair (`kernels.beliefs.divergences`)."""
    from likeness.kernels.beliefs import divergences, entropies

    had = np.unique(own.of).astype(np.int64)
    if had.size > _COMPARED:
        spread = np.linspace(0, own.of.size - 1, _COMPARED).astype(np.int64)
        had = np.unique(own.of[spread]).astype(np.int64)
    shares = np.ascontiguousarray(own.distributions.shares[had])
    return had, np.asarray(divergences(shares, entropies(shares)))


def _divergences(own: Knowledge) -> list[list[str]]:
    """Say how many distributions there are, and how far apart two people are believed to be."""
    had, apart = _compared(own)
    rows = [["different distributions", f"{np.unique(own.of).size:,}"]]
    if had.size < 2:
        return [*rows, ["divergence of any two people, in bits", "0"]]
    people = np.bincount(own.of, minlength=own.distributions.count)[had].astype(np.float64)
    first, second = np.triu_indices(had.size, 1)
    order = np.argsort(apart, kind="stable")
    # Two people of one distribution are not apart.
    weights = (people[first] * people[second])[order]
    below = (people * (people - 1)).sum() / 2 + np.cumsum(weights)
    at = int(np.searchsorted(below, below[-1] / 2))
    return [
        *rows,
        [
            "median divergence of two people, in bits",
            f"{apart[order[at]] if below[0] <= below[-1] / 2 or at else 0.0:.4g}",
        ],
        ["largest divergence of two people, in bits", f"{apart[order[-1]]:.4g}"],
    ]


def _farthest(data: Microdata, own: Knowledge) -> tuple[list[str], list[list[str]]]:
    """Describe the two people who are believed most unlike: who they are, and the values that differ most."""
    had, apart = _compared(own)
    if had.size < 2:
        return [], []
    first, second = np.triu_indices(had.size, 1)
    pair = int(np.argmax(apart))
    both = [int(had[first[pair]]), int(had[second[pair]])]
    who = []
    for one in both:
        record = int(np.argmax(own.of == one))
        who.append(
            ", ".join(
                domain.label_of(int(codes[record]))
                for domain, codes in zip(data.quasi, data.codes, strict=True)
            )
        )
    shares = own.distributions.shares[both]
    most = np.argsort(-np.abs(shares[0] - shares[1]), kind="stable")[:3]
    labels = ["(missing)" if label is None else label for label in own.labels]
    return who, [[labels[s], f"{shares[0, s]:.4g}", f"{shares[1, s]:.4g}"] for s in most.tolist()]


def _about(release: Release, own: Knowledge) -> list[Requirement]:
    """Requirements about one source of knowledge."""
    return [
        one
        for one in release.private.solution.requirements
        if isinstance(one.model, KnowledgeModel)
        and one.model.sensitive == own.sensitive
        and one.model.knowledge in {None, own.name}
    ]


def _parts(release: Release, column: int, own: Knowledge) -> list[list[str]]:
    """Say which parts were kept apart, and how many records of each are published; the largest first."""
    private = release.private
    data, shown = private.encoded.data, private.solution.plan.published
    domain = data.sensitive[column]
    rows = []
    for requirement in _about(release, own):
        parts = requirement.parts(data)
        if parts is None:
            continue
        sizes, published = np.bincount(parts), np.bincount(parts[shown], minlength=int(parts.max()) + 1)
        for part in np.argsort(-sizes, kind="stable").tolist():
            codes = data.sensitive_codes[column][parts == part]
            frequent = np.bincount(codes, minlength=domain.codes)
            label, share = domain.name_of(int(frequent.argmax())), frequent.max() / codes.size
            rows.append(
                [requirement.subject, f"{sizes[part]:,}", f"{published[part]:,}", f"{label}: {share:.0%}"]
            )
    return rows


def _odds(release: Release, own: Knowledge) -> list[list[str]]:
    """Say how far beliefs in a class may differ, and what that bounds: belief in s is at most ρ · c_s / |G|."""
    from likeness.kernels.beliefs import odds

    private = release.private
    plan, data = private.solution.plan, private.encoded.data
    classes = plan.classes if plan.buckets is None else plan.buckets
    shown = np.flatnonzero(classes >= 0)
    count_ = int(classes.max(initial=-1)) + 1
    if not shown.size or plan.mechanism is not None:
        return []
    codes = data.sensitive_codes[data.sensitive_index(own.sensitive)].astype(np.int64)
    members = _lists(classes[shown], own.of[shown].astype(np.int64), own.distributions.count, count_)
    values = _lists(classes[shown], codes[shown], own.distributions.values, count_)
    ratio = np.exp(np.asarray(odds(*members, *values, own.distributions.shares)))
    sizes = np.bincount(classes[shown], minlength=count_)
    m = own.distributions.values
    cells, counts = np.unique(classes[shown] * m + codes[shown], return_counts=True)
    bound = np.minimum(1.0, ratio[cells // m] * counts / sizes[cells // m])
    largest = f"{ratio[np.isfinite(ratio)].max(initial=1):.4g}"
    beyond = int(np.count_nonzero(~np.isfinite(ratio)))
    return [
        ["largest finite odds ρ of two people of a class", largest],
        ["classes in which one is believed to have a value that another cannot have", f"{beyond:,}"],
        ["median over classes of ρ", f"{np.median(ratio):.4g}"],
        [
            "share of records for whom no belief can exceed ½ (belief in s is at most ρ·c_s/|G|)",
            _safe(cells // m, bound, sizes),
        ],
    ]


def _safe(of: NDArray[np.int64], bound: NDArray[np.float64], sizes: NDArray[np.int64]) -> str:
    """Share of published records in classes where every bound is at most one half."""
    most = np.zeros(sizes.size)
    np.maximum.at(most, of, bound)
    return f"{sizes[most <= 0.5].sum() / max(1, int(sizes.sum())):.1%}"


def _lists(
    classes: NDArray[np.int64], items: NDArray[np.int64], most: int, count_: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where the distinct items of each class begin, and these, ascending."""
    keys = np.unique(classes * most + items)
    return np.searchsorted(keys // most, np.arange(count_ + 1)).astype(np.int64), keys % most


def with_and_without(release: Release) -> WithAndWithout:
    """What keeping people apart who are believed otherwise costs and buys.

    Without it, the same method makes classes under what else the policy asks. Guesses are of at most `_TARGETS` people that each
    publishes. Empty where nothing else is asked, or no model is about what is known.
    """
    private = release.private
    data, at_most = private.encoded.data, rational(private.policy.withhold.at_most)
    models = private.encoded.name_models(private.policy.privacy)
    rest = [model for model in models if not model.needs_knowledge]
    if not rest or len(rest) == len(models):
        return WithAndWithout([], [])
    kept, rng = private.solution, stream(private.entropy, "search")
    try:
        free = solve(private.method, data, rest, rng, at_most, Progress())
    except (CannotBeMetError, PolicyError) as problem:
        return WithAndWithout([["a release under what else is asked", "made", str(problem.refusals[0])]], [])
    rows = [
        ["normalized certainty penalty, 1 for each withheld", *(_loss(data, one) for one in (kept, free))],
        ["records withheld", *(f"{int((~one.plan.published).sum()):,}" for one in (kept, free))],
        ["records in a class with people of several parts", *(_mixed(release, one) for one in (kept, free))],
    ]
    notes = []
    for own in data.knowledge:
        with_it, without = (_guesses(release, one, own) for one in (kept, free))
        about = f", {quoted(own.name)}" if own.name else ""
        rows += [
            [f"{words} ({own.sensitive!r}{about})", f"{with_it[name]:.4g}", f"{without[name]:.4g}"]
            for name, words in _GUESSED.items()
            if name in with_it
        ]
        if without and without["added"] <= _LITTLE:
            notes.append(
                f"Of {own.sensitive!r}{about}: without keeping anybody apart, who knows this guesses {without['added']:+.1%} of "
                "people right beyond the class alone. Neighbours are believed alike: no bound on divergence is needed for that."
            )
    return WithAndWithout(rows, notes)


def _loss(data: Microdata, solution: Solution) -> str:
    """What a solution loses."""
    return f"{LOSS.measure(Evaluation(data, solution.plan, solution.recoding)):.4g}"


def _mixed(release: Release, solution: Solution) -> str:
    """How many share a class with somebody whom complete linkage keeps apart from them."""
    data, classes = release.private.encoded.data, solution.plan.classes
    shown = classes >= 0
    mixed = np.zeros(int(classes.max(initial=-1)) + 1, np.bool_)
    for requirement in release.private.solution.requirements:
        parts = requirement.parts(data)
        if parts is not None:
            of_first = np.zeros(mixed.size, np.int64)
            of_first[classes[shown]] = parts[shown]
            mixed[classes[shown][parts[shown] != of_first[classes[shown]]]] = True
    return f"{int(mixed[classes[shown]].sum()):,}"


def _guesses(release: Release, solution: Solution, own: Knowledge) -> dict[str, float]:
    """What an adversary with one source of knowledge guesses; empty where no attack on this form takes knowledge."""
    private = release.private
    making = Making(private.method, solution.requirements, solution.plan)
    data = replace(private.encoded.data, knowledge=(own,))
    for name in registry.names("attacks"):
        if not registry.load("attacks", name).takes_knowledge:
            continue
        attack = registry.create(
            "attacks", name, {"targets": min(_TARGETS, int(solution.plan.published.sum()))}
        )
        if attack.inapplicable(release.publication, data) is None:
            found = attack.run(release.publication, data, making)
            figures = {"baseline": found.baseline, "success": found.success, **found.details}
            figures["added"] = found.success - figures["by_class"]
            return {name: figures[name] for name in _GUESSED}
    return {}
