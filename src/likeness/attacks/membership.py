"""Membership knowledge: what linked records say of somebody of whom some sensitive values are known."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.attacks._columns import ColumnAttack
from likeness.attacks._individuals import (
    crowd_of_original,
    crowd_of_release,
    draw_known,
    known_values,
    sets_of,
    shown_codes,
)
from likeness.attacks.base import AttackResult, check_targets, choose_targets
from likeness.checks import number, whole

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from likeness.attacks._individuals import Answers
    from likeness.attacks.base import Making
    from likeness.forms.base import Publication
    from likeness.microdata.data import Microdata


@dataclass(frozen=True)
class MembershipAttack(ColumnAttack):
    """Learn further sensitive values of somebody known by all quasi-identifiers and by some of their values.

    The adversary keeps the published persons whose class's regions hold the target's quasi-identifiers and who have
    all the values known of the target, and believes a further value as strongly as the share of them that have it. A
    target is breached when that reaches the threshold for a value which it has and which was not known before. Only
    individuals who have such values are targets.

    The baseline knows the same values, and how they go together in the whole table, but has no release to look for
    the target in: its candidates are all individuals of the original table who have the known values.

    Parameters
    ----------
    sensitive
        The column of the values; when left out every sensitive column in turn, and the result is that of the largest
        gain.
    known
        How many true values the adversary knows, drawn at random for every target. People with no more values than
        that are no targets.
    threshold
        The belief that counts as a breach.
    targets
        How many individuals to take as targets, drawn at random; all when left out.
    seed
        Which ones, and which of their values, are drawn; the same seed, the same draws.

    Notes
    -----
    The adversary takes it that the target is in the release, as in the attacks `linkage` and `fingerprint`. The
    quasi-identifiers known of an individual whose records differ in them are those of the first record.

    References
    ----------
    Fazal et al. 2023, membership knowledge; on a publication of Wang et al. 2019: candidates are pseudonyms, and a pseudonym
    has a value or has not.

    Examples
    --------
    >>> MembershipAttack(known=2, targets=1000)
    MembershipAttack(sensitive=None, known=2, threshold=0.5, targets=1000, seed=0)
    """

    known: int = 1
    threshold: float | str | Fraction = 0.5
    targets: int | None = None
    seed: int = 0

    name: ClassVar[str] = "membership"
    forms: ClassVar[frozenset[str] | None] = frozenset({"identity-reserved"})
    takes_individuals: ClassVar[bool] = True
    explained: ClassVar[Mapping[str, str]] = {
        "baseline": "the same among all individuals of the original table who have the known values",
        "without_knowledge": "share of targets breached by the release when no value is known, only quasi-identifiers",
        "mean_belief": "mean belief in the targets' further values",
        "certain": "share of targets with a further value that all candidates have",
        "guessed": "share of targets guessed right by naming the further value that most candidates have",
        "identified": "share of targets with one candidate",
        "unmatched": "share of targets with no candidate",
        "targets": "individuals attacked: those with more values than are known",
    }

    def __post_init__(self) -> None:
        whole(self.name, "known", self.known, at_least=1)
        number(self.name, "threshold", self.threshold, above=0, at_most=1)
        check_targets(self.name, self.targets, self.seed)

    def attack_column(
        self,
        publication: Publication,
        original: Microdata,
        making: Making | None,  # noqa: ARG002
        sensitive: str,
    ) -> AttackResult:
        """Learn further values of one column.

        Returns
        -------
        AttackResult
            Its details: ``without_knowledge``, the share of targets breached when no value is known (every true value
            that is not among the known ones counts); ``mean_belief`` in the further values, on average over those of a
            target, then over targets; ``certain``, the share of targets with a further value of belief 1; ``guessed``,
            the share whose likeliest value is true (of equally likely ones any is named); ``identified`` and
            ``unmatched``, the shares with one candidate and with none; ``targets``, their number. All are 0 where
            nobody has more values than are known.
        """
        index = original.sensitive_index(sensitive)
        column = [domain.name for domain in publication.sensitive].index(sensitive)
        everybody = sets_of(original, index)
        possible = np.flatnonzero(everybody.sizes > self.known)
        rows = possible[choose_targets(possible.size, self.targets, self.seed)]
        told = draw_known(everybody, self.known, self.seed)
        known, further = everybody.keep(told).take(rows), everybody.keep(~told).take(rows)
        shown = shown_codes(publication, column, original)
        release = crowd_of_release(publication, column, original, rows)
        found = release.ask(known.recoded(shown), further.recoded(shown))
        blind = release.ask(known.keep(np.zeros(known.value.size, np.bool_)), further.recoded(shown))
        table = crowd_of_original(original, index, rows, by_quasi=False).ask(known, further)
        total = max(1, rows.size)
        beliefs = found.total / np.maximum(1, found.candidates) / further.sizes
        details = {
            "without_knowledge": self._breached(blind) / total,
            "mean_belief": float(beliefs.sum() / total),
            "certain": _reaching(found, Fraction(1)) / total,
            "guessed": float(found.credit.sum() / total),
            "identified": int(np.count_nonzero(found.candidates == 1)) / total,
            "unmatched": int(np.count_nonzero(found.candidates == 0)) / total,
            "targets": float(rows.size),
        }
        return AttackResult(
            self.name,
            self._breached(found) / total,
            self._breached(table) / total,
            f"share of individuals of whom a further {sensitive!r} is believed "
            f"with a probability of {self.threshold} or more, given {known_values(self.known)}",
            details,
        )

    def _breached(self, answers: Answers) -> int:
        """Number of targets with a further value believed as strongly as the threshold says."""
        return _reaching(answers, number(self.name, "threshold", self.threshold))


def _reaching(answers: Answers, belief: Fraction) -> int:
    """Number of targets with a further value of some belief or more: whole numbers are compared."""
    most: NDArray[np.object_] = answers.most.astype(object)
    needed = answers.candidates.astype(object) * belief.numerator
    return int(np.count_nonzero((most * belief.denominator >= needed) & (answers.candidates > 0)))
