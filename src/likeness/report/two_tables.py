"""What two tables that buckets link tell together, and what one table would under the same guarantee: for the steward alone."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness import registry
from likeness.choosing import LOSS
from likeness.encode import describe_columns
from likeness.errors import CannotBeMetError, PolicyError
from likeness.exact import rational
from likeness.forms.base import as_labelled
from likeness.methods.base import Method, method_for
from likeness.metrics.base import Evaluation
from likeness.metrics.query_error import QueryError
from likeness.microdata.statistics import count_classes
from likeness.models.theta_sensitivity import ThetaSensitivity
from likeness.progress import Progress
from likeness.randomness import stream
from likeness.solve import solve
from likeness.wording import count

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.microdata.data import Microdata
    from likeness.models.requirements import Requirement
    from likeness.proving.proof import Proof
    from likeness.release import Release
    from likeness.solve import Solution

_QUERIES, _PREDICATES = 1_000, 2
_TARGETS = 2_000
"""People attacked where there are more: drawn at random, always the same, so that a report takes seconds."""
_ATTACKS: dict[str, tuple[dict[str, Any], str, str]] = {
    "membership": ({"targets": _TARGETS}, "", "breached_in_class"),
    "non-membership": ({"targets": _TARGETS}, "", "breached_in_class"),
    "categorical-similarity": ({"scope": "joined"}, "joined", "in_class"),
    "sensitive-variance": ({"scope": "joined"}, "joined", "in_class"),
}
"""Attacks by who knows some of somebody's values, their parameters, and the details that tell of who joins the tables (where that
is empty, the success) and of who knows the bucket of a person."""


@dataclass(frozen=True)
class TwoTables:
    """Tables about a release of two tables.

    ``decided``: rows of guarantee, what it is decided on, what follows for who joins the tables, largest share of one value in a
    bucket. ``linked``: rows of what, smallest, mean, largest. ``categories``: rows of category, records, people and published
    people, where everybody's highest is published; ``history``: the other records, in words. ``compared``: rows of what, with
    two tables, and with one, by ``method``. ``predicates``: conditions of a query, in words; ``asked``: whether some are on the
    sensitive column too. ``attacks``: rows of attack, what is measured, the figure without the release, for who joins the tables,
    and for who knows the bucket too; ``claims``: where a paper claims something else. ``invented``: rows of what, and how many,
    where records are invented.
    """

    decided: list[list[str]]
    linked: list[list[str]]
    categories: list[list[str]]
    history: str
    method: str
    compared: list[list[str]]
    predicates: str
    asked: bool
    attacks: list[list[str]]
    claims: list[str]
    invented: list[list[str]]


def two_tables(release: Release) -> TwoTables | None:
    """Describe a release of two tables that buckets link; None of any other."""
    publication, data = release.publication, release.private.encoded.data
    if not publication.links_buckets:
        return None
    categories, history = _categories(release)
    models = tuple(release.private.encoded.name_models(release.private.policy.privacy))
    method = method_for(models, individuals=data.individuals is not None)
    predicates = min(_PREDICATES, len(data.quasi))
    return TwoTables(
        [
            _decided(release, proof, requirement)
            for proof, requirement in zip(
                release.verdict.proofs, release.private.solution.requirements, strict=True
            )
        ],
        [
            _spread("records of a bucket", publication.classes, np.arange(publication.size))
            if publication.counted is None
            else _spread("people of a bucket", publication.classes, publication.counted),
            _spread("regions that a bucket links to", publication.classes, publication.identities),
            _spread("buckets that a region links to", publication.identities, publication.classes),
        ],
        categories,
        history,
        method.name,
        _compared(release, method),
        count(predicates, "quasi-identifier"),
        bool(data.sensitive),
        *_attacked(release),
        _invented(release),
    )


def _decided(release: Release, proof: Proof, requirement: Requirement) -> list[str]:
    """Say what one guarantee is decided on, and what follows."""
    if proof.joined is None:
        return [proof.subject, "the table quasi", "", ""]
    follows = "holds too" if proof.joined else "does not follow"
    return [proof.subject, "every bucket", follows, _largest_share(release, requirement)]


def _largest_share(release: Release, requirement: Requirement) -> str:
    """Write the largest share of one value, or group of values, in a bucket."""
    data, plan = release.private.encoded.data, release.private.solution.plan
    buckets = plan.classes if plan.buckets is None else plan.buckets
    view, shown = requirement.view, buckets >= 0
    if view is None or not shown.any():
        return ""
    codes, own, people = view.codes(data.judged_codes), buckets, data.individuals
    if plan.added is not None:
        # Who invents records publishes one of everybody.
        codes = np.append(codes, view.codes(plan.added.sensitive))
        own = np.append(own, buckets[plan.added.of])
    stats = count_classes(own, int(buckets.max()) + 1, codes, view.values, people)
    sizes = stats.sizes[stats.class_of]
    largest = int(np.argmax(stats.count / sizes))
    return str(Fraction(int(stats.count[largest]), int(sizes[largest])))


def _attacked(release: Release) -> tuple[list[list[str]], list[str]]:
    """Measure what who knows some of somebody's values learns, and say where a paper claims something else."""
    publication, data = release.publication, release.private.encoded.data
    rows, claims = [], []
    for name, (given, joined, in_bucket) in _ATTACKS.items():
        attack = registry.create("attacks", name, given)
        if attack.inapplicable(publication, data) is not None:
            continue
        result = release.attack(attack)
        if not result.details.get("targets", 1):
            continue  # nobody has more values than are known
        figures = [result.baseline, result.details[joined] if joined else result.success]
        rows.append([name, result.meaning, *(f"{own:.4g}" for own in (*figures, result.details[in_bucket]))])
        if result.claim:
            claims.append(f"{name}: {result.claim}")
    return rows, claims


def _invented(release: Release) -> list[list[str]]:
    """Count invented records, the buckets that have some, and those of which it can be told which."""
    private = release.private
    plan = private.solution.plan
    buckets = plan.classes if plan.buckets is None else plan.buckets
    if plan.added is None:
        return []
    rows = [
        ["invented records", f"{plan.added.of.size:,}"],
        ["buckets with invented records", f"{np.unique(buckets[plan.added.of]).size:,}"],
    ]
    for model in private.encoded.name_models(private.policy.privacy):
        if not isinstance(model, ThetaSensitivity):
            continue
        known = {"k": model.k, "mu": model.mu, "order": model.order}
        attack = registry.create("attacks", "categorical-similarity", known)
        if attack.inapplicable(release.publication, private.encoded.data) is None:
            told = release.attack(attack).details["told"]
            rows.append([f"buckets of which who knows k = {model.k} and the method can tell", f"{told:,.0f}"])
    return rows


def _spread(what: str, of: NDArray[np.int64], other: NDArray[np.int64]) -> list[str]:
    """Count how many different ``other`` go with each ``of``, over records."""
    if not of.size:
        return [what, "", "", ""]
    pairs = np.unique(np.stack([of, other]), axis=1)
    found = np.bincount(pairs[0])
    found = found[found > 0]
    return [what, f"{found.min():,}", f"{found.mean():,.4g}", f"{found.max():,}"]


def _categories(release: Release) -> tuple[list[list[str]], str]:
    """Count records, people and published people by category, where everybody's highest is published."""
    data, plan = release.private.encoded.data, release.private.solution.plan
    if data.source is None:
        return [], ""
    records, rows = data.source.records, []
    for i, domain in enumerate(data.sensitive):
        ranks = records.sensitive[i].category_of[records.sensitive_codes[i]]
        people = data.sensitive_codes[i]
        columns = [
            np.bincount(codes, minlength=domain.size) for codes in (ranks, people, people[plan.published])
        ]
        of = "" if len(data.sensitive) == 1 else f"{domain.name}: "
        rows += [
            [of + label, *(f"{numbers[code]:,}" for numbers in columns)]
            for code, label in enumerate(domain.labels)
        ]
    return rows, count(records.size - data.size, "record")


def _compared(release: Release, method: Method) -> list[list[str]]:
    """Measure the release, and one table under the same guarantee by one method."""
    private = release.private
    data, at_most = private.encoded.data, rational(private.policy.withhold.at_most)
    models = private.encoded.name_models(private.policy.privacy)
    try:
        one = solve(method, data, models, stream(private.entropy, "search"), at_most, Progress())
    except (CannotBeMetError, PolicyError) as problem:
        return [["a release in one table", "", str(problem.refusals[0])]]
    both = release.evaluation, _in_one_table(release, one)
    rows = [
        [
            "normalized certainty penalty, 1 for each withheld",
            *(f"{LOSS.measure(own):.4g}" for own in both),
        ],
        ["records withheld", *(f"{own.plan.withheld:,}" for own in both)],
    ]
    for words, sensitive in (("with", True), ("without", False)):
        metric = QueryError(_QUERIES, predicates=min(_PREDICATES, len(data.quasi)), sensitive=sensitive)
        if (not sensitive or data.sensitive) and all(metric.inapplicable(own) is None for own in both):
            rows.append(
                [
                    f"error of queries {words} a sensitive condition",
                    *(_measured(metric, own) for own in both),
                ]
            )
    return rows


def _measured(metric: QueryError, evaluation: Evaluation) -> str:
    """Measure, or say why not."""
    try:
        return f"{metric.measure(evaluation):.4g}"
    except PolicyError as problem:
        return str(problem.refusals[0])


def _in_one_table(release: Release, solution: Solution) -> Evaluation:
    """Publish a solution in one table, in memory alone, and read it back."""
    private = release.private
    data: Microdata = private.encoded.data
    form = registry.create("forms", Method.form, {})
    published = form.publish(data, solution.plan, solution.recoding, stream(private.entropy, "publish"))
    columns = describe_columns(
        private.encoded, private.policy, form, solution.plan.published, published.tables
    )
    texts = {
        name: {key: as_labelled(column) for key, column in table.items()}
        for name, table in published.tables.items()
    }
    return Evaluation(data, solution.plan, solution.recoding, form.read(texts, columns))
