"""What is found about a release: a code and figures, put into words when they are shown; what is kept of sensitive values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness import registry
from likeness.errors import LikenessError
from likeness.microdata.grouping import count_copies
from likeness.wording import count

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from likeness.forms.base import Publication
    from likeness.metrics.base import Evaluation
    from likeness.microdata.mechanism import Mechanism


@dataclass(frozen=True)
class Finding:
    """One thing that a steward should know about a release.

    ``code``: what kind of thing, such as ``alone-in-a-class``.
    ``facts``: the names and numbers it is about, as JSON can hold them.
    ``words``: puts the facts into one sentence without its full stop; of no account in comparisons.
    ``warned``: whether it is a warning, and not merely said.
    """

    code: str
    facts: Mapping[str, Any]
    words: Callable[..., str] = field(repr=False, compare=False)
    warned: bool = True

    def __str__(self) -> str:
        """Say it in one sentence."""
        return self.words(**self.facts)


TOLD_APART = 0.05
"""Share of what a perturbed value tells of its original up to which it is said to tell next to nothing."""


def kept_findings(evaluation: Evaluation) -> list[Finding]:
    """Say what is kept of the sensitive values, and how many records are alone with their quasi-identifiers.

    Empty for forms that generalize, which publish sensitive values exactly and say so, unless these are sets.
    """
    found = [
        _of_sets(evaluation, i)
        for i, domain in enumerate(evaluation.data.sensitive)
        if domain.sets is not None
    ]
    if found:
        return found
    shown = evaluation.publication
    if shown is None or not shown.size or not registry.load("forms", shown.form).publishes_exactly:
        return []
    found = _perturbed(evaluation, shown.mechanism) if shown.mechanism is not None else _by_bucket(shown)
    identities = int(shown.identities.max(initial=-1)) + 1
    alone = int(np.count_nonzero(count_copies(shown.identities, shown.copies, identities) == 1))
    facts = {"alone": alone, "records": shown.records, "form": shown.form}
    return [*found, Finding("alone-exactly", facts, _alone_exactly, warned=False)]


def _perturbed(evaluation: Evaluation, mechanism: Mechanism) -> list[Finding]:
    """Count the sensitive values that are kept, and how far off a reconstructed number of records is."""
    data, plan = evaluation.data, evaluation.plan
    published = plan.published
    shares = mechanism.counts / mechanism.counts.sum()
    # As many would be right if every value were drawn as the published ones are distributed, whatever its original.
    chance = float(shares @ (mechanism.matrix @ shares))
    expected = mechanism.expected_truth
    same = None
    if plan.sensitive is not None:
        same = data.count_records((plan.sensitive[0] == data.sensitive_codes[0]) & published)
    facts = {
        "column": data.sensitive[0].name,
        "records": data.count_records(published),
        "kept": same,
        "expected": expected,
        "chance": chance,
    }
    try:
        errors = mechanism.standard_errors()[mechanism.active]
    except LikenessError:
        errors = np.array([np.nan])
    known = bool(np.isfinite(errors).all())
    facts["error"] = float(np.median(errors)) if known else None
    facts["largest_error"] = float(errors.max()) if known else None
    found = [Finding("sensitive-values-kept", facts, _values_kept, warned=False)]
    told = 0.0 if chance == 1 else (expected - chance) / (1 - chance)
    if mechanism.active.size > 1 and told <= TOLD_APART:
        figures = {"column": facts["column"], "expected": expected, "chance": chance}
        found.append(Finding("perturbed-values-tell-nothing", figures, _perturbed_tells_nothing))
    return found


def _values_kept(
    *,
    column: str,
    records: int,
    kept: int | None,
    expected: float,
    chance: float,
    error: float | None,
    largest_error: float | None,
) -> str:
    """Say how many values are kept, and how far off reconstructed numbers are."""
    here = "" if kept is None else f"{kept:,} {'was' if kept == 1 else 'were'}; "
    line = (
        f"of the {count(records, 'sensitive value')} of {column!r}, {expected:.1%} are expected to be kept ({here}drawn without "
        f"regard to their originals, {chance:.1%} would be)"
    )
    if error is None:
        return f"{line}; the matrix has no inverse, so numbers of records can be reconstructed by iterative Bayes only"
    return (
        f"{line}; the number of records with a value, reconstructed from all, has a standard error of {error:,.1f} (median), "
        f"at most {largest_error:,.1f}; from a share s of the records, √s of that"
    )


def _perturbed_tells_nothing(*, column: str, expected: float, chance: float) -> str:
    """Say that perturbed values tell next to nothing."""
    return (
        f"the published values of {column!r} tell next to nothing of the original ones: {expected:.1%} are expected to be kept, "
        f"and {chance:.1%} would be, drawn without regard to them; weaken the guarantee, or group rare values (level, with a "
        "hierarchy)"
    )


def _by_bucket(shown: Publication) -> list[Finding]:
    """Say how likely the likeliest value of a record's bucket is its own."""
    codes = shown.sensitive[0].codes
    of = shown.classes
    buckets = int(of.max(initial=-1)) + 1
    keys, counts = np.unique(of * codes + shown.sensitive_codes[0], return_counts=True)
    most = np.zeros(buckets, np.int64)
    np.maximum.at(most, keys // codes, counts)
    sizes = np.bincount(of, minlength=buckets)
    facts = {
        "column": shown.sensitive[0].name,
        "buckets": buckets,
        "told": int(most.sum()) / shown.size,
        "most": float((most / sizes).max()),
        "overall": int(np.bincount(shown.sensitive_codes[0]).max()) / shown.size,
    }
    # An adversary learns nothing from one bucket, and an analyst neither.
    return [Finding("sensitive-values-by-bucket", facts, _bucketed, shown.tells_classes and buckets == 1)]


def _bucketed(*, column: str, buckets: int, told: float, most: float, overall: float) -> str:
    """Say how many values can be told."""
    if buckets == 1:
        return (
            f"no sensitive value of {column!r} is kept beside its record, only how many records have each: whoever takes the "
            f"most frequent one for everybody's is right in {overall:.1%}"
        )
    return (
        f"all sensitive values of {column!r} are kept, by bucket: which is whose is not; the likeliest one of its bucket is a "
        f"record's own in {told:.1%} (the most frequent one of all in {overall:.1%}), in no bucket more often than {most:.1%}"
    )


def _of_sets(evaluation: Evaluation, column: int) -> Finding:
    """Say how many share a set, what is lost of the values, and whose set tells some exactly and others not."""
    data, published = evaluation.data, evaluation.plan.published
    sets = data.sensitive[column].sets
    assert sets is not None  # noqa: S101  # asked only of domains that have them
    assert data.source is not None  # noqa: S101  # where there are sets, somebody had several records
    own = data.sensitive_codes[column]
    people = np.bincount(own[published], minlength=sets.count)
    of = data.source.of
    kept = published[of]
    lost = sets.losses(data.source.records.sensitive_codes[column][kept], own[of][kept])
    facts = {
        "column": data.sensitive[column].name,
        "people": int(people.sum()),
        "sets": int(np.count_nonzero(people)),
        "fewest": int(people[people > 0].min(initial=people.max(initial=0))),
        "items": int(lost.size),
        "lost": float(lost.mean()) if lost.size else 0.0,
        "mixed": int(people[sets.mixes_levels].sum()),
    }
    return Finding("sensitive-sets", facts, _shared_sets, warned=False)


def _shared_sets(
    *, column: str, people: int, sets: int, fewest: int, items: int, lost: float, mixed: int
) -> str:
    """Say what is published of sets."""
    return (
        f"of {count(people, 'person')} {count(sets, 'set')} of values of {column!r} {'is' if sets == 1 else 'are'} published, "
        f"each of {fewest:,} or more; of their {count(items, 'value')}, {lost:.2%} is lost by generalizing (SA-NCP); {mixed:,} "
        "have a set that shows some values exactly beside general ones, and so tells them of whoever is known to be in it"
    )


def _alone_exactly(*, alone: int, records: int, form: str) -> str:
    """Say how many records are the only ones with their quasi-identifiers."""
    return (
        f"{alone:,} of {count(records, 'record')} {'is' if alone == 1 else 'are'} the only one{'' if alone == 1 else 's'} with "
        f"{'its' if alone == 1 else 'their'} quasi-identifiers, which {form} releases publish exactly"
    )
