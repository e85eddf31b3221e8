"""What a release makes an adversary believe at most: the largest share of every sensitive value, beside its share of all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.microdata.statistics import count_classes

if TYPE_CHECKING:
    from likeness.forms.base import Publication
    from likeness.microdata.data import Microdata
    from likeness.microdata.plan import Plan


@dataclass(frozen=True)
class ValueBelief:
    """The largest belief in one value, of whoever is in the class that tells most of it.

    Parameters
    ----------
    column
        The sensitive column.
    value
        The value, as text; None for the missing one.
    belief
        Its largest share of a class; where values were randomized, its largest confidence.
    prior
        Its share of all published records; of people, where they may have several.
    """

    column: str
    value: str | None
    belief: float
    prior: float

    @property
    def gain(self) -> float:
        """How much more is believed than before."""
        return self.belief - self.prior

    def to_json(self) -> dict[str, Any]:
        """Write it as JSON can hold it."""
        return {
            "column": self.column,
            "value": self.value,
            "belief": self.belief,
            "prior": self.prior,
            "gain": self.gain,
        }


def largest_beliefs(
    publication: Publication, original: Microdata | None = None, plan: Plan | None = None
) -> list[ValueBelief]:
    """Find the largest belief in every sensitive value, those of the largest gain first.

    A class (a bucket, of two tables) tells each value with its share; of people, where they may have several records: whose
    these are, where it was not published, ``original`` and ``plan`` tell. Where values were randomized, the published value v
    stands for the original one i with the confidence p_i PM[v, i] / Σ_j p_j PM[v, j] (Cao & Karras 2012, section 5), and the
    largest over v is told.
    """
    found = []
    several = None if plan is None else _with_several(publication, original)
    for column, domain in enumerate(publication.sensitive if several is None else several.sensitive):
        labels = domain.labels_with(None)
        if publication.mechanism is not None:
            joint = publication.mechanism.matrix * publication.mechanism.counts
            readings = joint / np.maximum(joint.sum(axis=1, keepdims=True), np.finfo(float).tiny)
            most = readings.max(axis=0)
            prior = np.asarray(publication.mechanism.counts, float)
            prior /= max(1.0, float(prior.sum()))
        else:
            if several is not None and plan is not None:
                kept = plan.published
                classes, codes = plan.classes[kept], several.sensitive_codes[column][kept]
                who = None if several.individuals is None else several.individuals[kept]
            else:
                classes, codes = publication.classes, publication.sensitive_codes[column]
                who = publication.counted
            stats = count_classes(classes, int(classes.max(initial=-1)) + 1, codes, domain.codes, who)
            most = np.zeros(domain.codes)
            np.maximum.at(most, stats.value, stats.count / stats.sizes[stats.class_of])
            prior = stats.totals / max(1, int(stats.sizes.sum()))
        protected = np.ones(len(labels), np.bool_) if domain.protected is None else domain.protected
        found += [
            ValueBelief(domain.name, label, float(belief), float(own))
            for label, belief, own, told in zip(labels, most, prior, protected, strict=False)
            if told and own > 0
        ]
    return sorted(found, key=lambda one: (-one.gain, one.column, str(one.value)))


def _with_several(publication: Publication, original: Microdata | None) -> Microdata | None:
    """The original, where people may have several records in the classes of a form that does not say whose are whose."""
    if original is None or original.individuals is None or original.source is not None:
        return None
    told = publication.counted is not None or publication.links_buckets or publication.mechanism is not None
    return None if told else original
