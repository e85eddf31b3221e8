"""Homogeneity: take the most frequent sensitive value among the records that may be somebody's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.attacks._base import AttackResult
from likeness.attacks._beliefs import Evidence
from likeness.attacks._guessing import GuessingAttack

if TYPE_CHECKING:
    from collections.abc import Mapping

    from likeness.attacks._guessing import Question


@dataclass(frozen=True)
class HomogeneityAttack(GuessingAttack):
    """Guess the sensitive value that most of the records that may be somebody's have.

    Every published record whose regions hold the target's quasi-identifiers is a candidate, and all are as
    likely. A candidate has each value with its share in the candidate's class (its bucket, in two-table
    forms); where sensitive values were randomized, with the confidence that its published value gives. For a
    target with no candidate the most frequent value of the release is guessed.

    Parameters
    ----------
    targets
        How many records to take as targets, drawn at random; all when left out.
    seed
        Which ones are drawn; the same seed, the same targets.
    sensitive
        The column to guess; all when left out, and the result is that of the largest gain.

    References
    ----------
    Machanavajjhala et al. 2006, "l-Diversity: privacy beyond k-anonymity", section 2; Cao & Karras 2012
    (paper 002), section 2; spec section 6.2.

    Examples
    --------
    >>> HomogeneityAttack(targets=1000)
    HomogeneityAttack(targets=1000, seed=0, sensitive=None)
    """

    name: ClassVar[str] = "homogeneity"
    explained: ClassVar[Mapping[str, str]] = {
        "baseline": "guessing the table's most frequent value for everybody",
        "max_confidence": "largest share of one value among the records that may be a target's",
        "mean_confidence": "the same, on average over the targets",
        "certain": "share of targets all of whose candidates have one value",
        "certain_and_right": "share of targets of whom that one value is true",
        "max_share": "largest share of one value in a class",
        "random_world": "share guessed by drawing a value from everybody's own class",
        "unmatched": "share of targets with no candidate",
    }

    def attack_column(self, question: Question) -> AttackResult:
        """Guess one sensitive attribute of all targets.

        Returns
        -------
        AttackResult
            Its details: ``max_confidence`` and ``mean_confidence`` of the guesses; ``certain``, the share of
            targets whose candidates all have one value, and ``certain_and_right``; ``max_share`` of a value in
            a class; ``random_world``, the share guessed by drawing from everybody's class; ``unmatched``
            targets; ``targets``, their number.
        """
        evidence = Evidence(question.publication, question.column)
        guesses = evidence.guess(question.original, question.records)
        certain = (guesses.candidates > 0) & (guesses.confidence >= 1 - 1e-12)
        success, baseline = question.score(guesses.answer)
        total = max(1, question.records.size)
        details = {
            "max_confidence": float(guesses.confidence.max(initial=0.0)),
            "mean_confidence": float(guesses.confidence.sum() / total),
            "certain": int(np.count_nonzero(certain)) / total,
            "certain_and_right": question.score(np.where(certain, guesses.answer, -1))[0],
            "max_share": evidence.strength.share,
            "random_world": evidence.strength.random_world,
            "unmatched": int(np.count_nonzero(guesses.candidates == 0)) / total,
            "targets": float(question.records.size),
        }
        return AttackResult(
            self.name,
            success,
            baseline,
            f"share of targets whose {question.name!r} is the most frequent among the records that may be theirs",
            details,
        )
