"""Skewness: classes in which a sensitive value is much more frequent than in the whole table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.attacks._beliefs import Evidence, GuessingAttack
from likeness.attacks.base import AttackResult

if TYPE_CHECKING:
    from collections.abc import Mapping

    from likeness.attacks._beliefs import Question


@dataclass(frozen=True)
class SkewnessAttack(GuessingAttack):
    """Find the class and the sensitive value whose share there exceeds the overall share by the largest factor.

    The success is the share q of that value in that class: what an adversary believes of a member. The
    baseline is its overall share p. Their quotient is what β-likeness limits, to ``1 + β`` or less: in the
    paper's example one case of HIV among 10 records, where the table has one among 1,000, is a factor of 100.
    Where sensitive values were randomized, q is the confidence that the published values of a class give.

    Parameters
    ----------
    targets
        How many records to take as targets, drawn at random; all when left out. Only ``guessed`` looks at
        targets.
    seed
        Which ones are drawn; the same seed, the same targets.
    sensitive
        The column to look at; all when left out, and the result is that of the largest gain.

    References
    ----------
    Cao & Karras 2012, section 2; Li et al. 2007, "t-Closeness", section 3.

    Examples
    --------
    >>> SkewnessAttack(sensitive="disease")
    SkewnessAttack(targets=None, seed=0, sensitive='disease')
    """

    name: ClassVar[str] = "skewness"
    averaged: ClassVar[bool] = False
    explained: ClassVar[Mapping[str, str]] = {
        "baseline": "the overall share of the same value",
        "max_ratio": "the factor by which a class raises the share of that value; β-likeness limits it",
        "max_difference": "largest amount by which a class raises the share of any value",
        "max_share": "largest share of one value in a class",
        "guessed": "share of targets guessed right by naming the value that rises most among their candidates",
        "random_world": "share guessed by drawing a value from everybody's own class",
    }

    def attack_column(self, question: Question) -> AttackResult:
        """Look at one sensitive attribute.

        Returns
        -------
        AttackResult
            Its details: ``max_ratio``, success over baseline; ``max_difference``, the largest rise of any
            share; ``max_share`` of a value in a class; ``guessed``, the share of targets whose value is the
            one that rises most among their candidates; ``random_world``, the share guessed by drawing from
            everybody's class; ``targets``, their number.
        """
        evidence = Evidence(question.publication, question.column)
        strength = evidence.strength
        rarity = np.zeros(evidence.prior.size)
        np.divide(1.0, evidence.prior, out=rarity, where=evidence.prior_counts > 0)
        guesses = evidence.guess(question.original, question.records, rarity)
        details = {
            "max_ratio": strength.ratio,
            "max_difference": strength.difference,
            "max_share": strength.share,
            "guessed": question.score(guesses.answer)[0],
            "random_world": strength.random_world,
            "targets": float(question.records.size),
        }
        return AttackResult(
            self.name,
            strength.belief,
            strength.prior,
            f"share of the value of {question.name!r} that some class raises by the largest factor, in that class",
            details,
        )
