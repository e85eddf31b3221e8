"""Plurality: everybody is taken to have what most of their class have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.attacks.base import Attack, AttackResult

if TYPE_CHECKING:
    from collections.abc import Mapping

    from likeness.attacks.base import Making
    from likeness.forms.base import Publication
    from likeness.microdata.data import Microdata


@dataclass(frozen=True)
class PluralityAttack(Attack):
    """Guess that each published record has the most frequent sensitive value of its class.

    The success is the share of published records that are guessed right; with several sensitive columns, of the one for
    which it is largest. The baseline names the most frequent value of all.

    References
    ----------
    Machanavajjhala et al. 2006, "ℓ-diversity", section 2.1 (homogeneity attack, here of a majority).

    Examples
    --------
    >>> PluralityAttack()
    PluralityAttack()
    """

    name: ClassVar[str] = "plurality"
    forms: ClassVar[frozenset[str] | None] = frozenset({"generalized"})
    explained: ClassVar[Mapping[str, str]] = {
        "baseline": "the share of the most frequent value of all",
        "unanimous": "share of the records whose whole class has one value",
    }

    def run(
        self,
        publication: Publication,
        original: Microdata,
        making: Making | None = None,
    ) -> AttackResult:
        """Guess for every record."""
        self.check(publication, original)
        best = (0.0, 0.0, 0.0)
        classes, n = publication.classes, max(1, publication.size)
        for domain, codes in zip(publication.sensitive, publication.sensitive_codes, strict=True):
            counts = np.zeros((int(classes.max(initial=-1)) + 1, domain.codes), np.int64)
            np.add.at(counts, (classes, codes), 1)
            most, sizes = counts.max(axis=1, initial=0), counts.sum(axis=1)
            overall = counts.sum(axis=0).max(initial=0)
            best = max(best, (most.sum() / n, overall / n, sizes[most == sizes].sum() / n))
        success, baseline, unanimous = map(float, best)
        return AttackResult(
            self.name,
            success,
            baseline,
            "share of published records whose value is the most frequent of their class",
            {"unanimous": unanimous},
        )
