"""Homogeneity: take the most frequent sensitive value among the records that may be somebody's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.attacks._beliefs import Evidence, GuessingAttack
from likeness.attacks._individuals import ValueSets, crowd_of_release
from likeness.attacks.base import AttackResult

if TYPE_CHECKING:
    from collections.abc import Mapping

    from likeness.attacks._beliefs import Question


@dataclass(frozen=True)
class HomogeneityAttack(GuessingAttack):
    """Guess the sensitive value that most of the records that may be somebody's have.

    Every published record whose regions hold the target's quasi-identifiers is a candidate, and all are as
    likely. A candidate has each value with its share in the candidate's class (its bucket, in two-table
    forms); where sensitive values were randomized, with the confidence that its published value gives. For a
    target with no candidate the most frequent value of the release is guessed.

    Where people have several records, targets are people, and any value of theirs is a right answer. If the release
    links their records, so are candidates, and a value is believed as strongly as the share of them that have it
    (Wang et al. 2019: in their Table 3 everybody who may be Mike has hypertension, in Table 4 half of them have).
    If not, the adversary sees no more than records: candidates are records, and shares are of records.

    Parameters
    ----------
    targets
        How many records (people, where they have several) to take as targets, drawn at random; all when left out.
    seed
        Which ones are drawn; the same seed, the same targets.
    sensitive
        The column to guess; all when left out, and the result is that of the largest gain.

    References
    ----------
    Machanavajjhala et al. 2006, "l-Diversity: privacy beyond k-anonymity", section 2; Cao & Karras 2012,
    section 2; Wang et al. 2019, section 3.

    Examples
    --------
    >>> HomogeneityAttack(targets=1000)
    HomogeneityAttack(targets=1000, seed=0, sensitive=None)
    """

    name: ClassVar[str] = "homogeneity"
    takes_individuals: ClassVar[bool] = True
    explained: ClassVar[Mapping[str, str]] = {
        "baseline": "guessing the table's most frequent value for everybody",
        "max_confidence": "largest share of one value among the records (or people) that may be a target's",
        "mean_confidence": "the same, on average over the targets",
        "certain": "share of targets all of whose candidates have one and the same value",
        "certain_and_right": "share of targets of whom that one value is true",
        "max_share": "largest share of one value in a class",
        "random_world": "share guessed by drawing a value from everybody's own class",
        "unmatched": "share of targets with no candidate",
        "mean_belief": "mean belief in the true values of a target",
        "half": "share of targets with a true value that at least half of their candidates have",
        "disclosed": "share of targets with a true value that all of their candidates have",
    }

    def attack_column(self, question: Question) -> AttackResult:
        """Guess one sensitive attribute of all targets.

        Returns
        -------
        AttackResult
            Its details: ``max_confidence`` and ``mean_confidence`` of the guesses; ``certain``, the share of
            targets whose candidates all have one value, and ``certain_and_right``; ``max_share`` of a value in
            a class; ``random_world``, the share guessed by drawing from everybody's class; ``unmatched``
            targets; ``targets``, their number. Where it is published whose records are whose also ``mean_belief`` in
            the true values of a target, and the shares of targets with a true value that at least ``half`` of the
            candidates, or all of them (``disclosed``), have.
        """
        evidence = Evidence(question.publication, question.column)
        guesses = evidence.guess(question.original.units, question.records)
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
        if question.publication.persons is not None:
            details |= _beliefs_in_truths(question)
        return AttackResult(
            self.name,
            success,
            baseline,
            f"share of targets whose {question.name!r} is the most frequent "
            f"among the {'people who may be them' if question.publication.counted is not None else 'records that may be theirs'}",
            details,
        )


def _beliefs_in_truths(question: Question) -> dict[str, float]:
    """How strongly the true values of people are believed."""
    crowd = crowd_of_release(question.publication, question.column, question.original, question.records)
    nothing = ValueSets(np.zeros(question.records.size + 1, np.int64), np.zeros(0, np.int64))
    found = crowd.ask(nothing, question.sets.recoded(question.own_codes))
    total, candidates = max(1, question.records.size), np.maximum(1, found.candidates)
    beliefs = found.total / candidates / np.maximum(1, question.sets.sizes)
    matched = found.candidates > 0
    return {
        "mean_belief": float(beliefs.sum() / total),
        "half": int(np.count_nonzero(matched & (2 * found.most >= found.candidates))) / total,
        "disclosed": int(np.count_nonzero(matched & (found.most == found.candidates))) / total,
    }
