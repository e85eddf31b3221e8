"""Non-membership knowledge: what a release says of somebody of whom some sensitive values are ruled out."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.attacks._columns import ColumnAttack, column_of
from likeness.attacks._individuals import sets_of, shown_codes
from likeness.attacks._knowing import (
    EXPLAINED,
    NO_SETS,
    Cases,
    Inquiry,
    Told,
    against_the_claim,
    records_by_category,
    single,
)
from likeness.attacks.base import AttackResult, check_targets, choose_targets
from likeness.checks import number, whole
from likeness.wording import count

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

    from numpy.typing import NDArray

    from likeness.attacks._individuals import ValueSets
    from likeness.attacks.base import Making
    from likeness.errors import Refusal
    from likeness.forms.base import Publication
    from likeness.microdata.data import Microdata

_MOST_SETS = 64
"""Sets of values that may be known, up to which all are tried."""
_MOST_CELLS = 1 << 24
"""Random numbers drawn at once."""


@dataclass(frozen=True)
class NonMembershipAttack(ColumnAttack):
    """Learn a sensitive value of somebody known by all quasi-identifiers, and by some values that they do not have.

    Every published record whose region holds the target's quasi-identifiers may be the target's, and has each value with its
    share in the record's class (its bucket, in two tables). The values ruled out are dropped, and what is left is believed by its
    share. A target is breached where a true value is believed as strongly as the threshold says.

    Where of everybody the highest category is published, the categories ruled out are those of which the target has no
    record at all. The baseline knows the same of the target, and from the original table only how frequent the values are.

    Parameters
    ----------
    sensitive
        The column of the values; when left out every sensitive column in turn, and the result is that of the largest
        gain.
    known
        How many values that a target does not have the adversary knows, each choice as likely: all choices are tried where there
        are few, else one is drawn for every target. ``all``: every one. Who has nearly all values, so that fewer are
        left, is no target.
    threshold
        The belief that counts as a breach.
    targets
        How many people (records, where each is another person's) to take as targets, drawn at random; all when left out.
    seed
        Which ones, and which values, are drawn; the same seed, the same draws.

    Notes
    -----
    The adversary takes it that the target is in the release. Against ``q`` values ruled out, ``recursive-cl-diversity`` with
    ``l = q + 2`` and ``c = δ / (1 - δ)`` of every class bounds all beliefs by δ.

    References
    ----------
    Fazal et al. 2023, definition 2 (nma), and the abstract, which claims that loosely linked tables prevent it; on their own
    Table 12 six of eight people are known with certainty by who knows all categories that they do not have.

    Examples
    --------
    >>> NonMembershipAttack(known="all")
    NonMembershipAttack(sensitive=None, known='all', threshold=0.5, targets=None, seed=0)
    """

    known: int | str = 1
    threshold: float | str | Fraction = 0.5
    targets: int | None = None
    seed: int = 0

    name: ClassVar[str] = "non-membership"
    forms: ClassVar[frozenset[str] | None] = frozenset({"anatomized", "angelized", "generalized"})
    takes_individuals: ClassVar[bool] = True
    explained: ClassVar[Mapping[str, str]] = EXPLAINED | {
        "baseline": "the same for who has no release, from the shares of the original table",
        "standard_error": "of the success, where one choice of what is known is drawn for every target; 0 where all are tried",
    }

    def __post_init__(self) -> None:
        if self.known != "all":
            whole(self.name, "known", self.known, at_least=1)
        number(self.name, "threshold", self.threshold, above=0, at_most=1)
        check_targets(self.name, self.targets, self.seed)

    def inapplicable(self, publication: Publication, original: Microdata) -> Refusal | None:
        """Find why the attack is not defined for a release; None when it is."""
        problem = super().inapplicable(publication, original)
        if problem is None and original.source is not None and not publication.shows_highest(0):
            return self._refused(NO_SETS)
        return problem

    def attack_column(
        self, publication: Publication, original: Microdata, making: Making | None, sensitive: str
    ) -> AttackResult:
        """Learn values of one column.

        Returns
        -------
        AttackResult
            Its details: those of every `Inquiry`, and ``standard_error``.
        """
        column = column_of(publication.sensitive, sensitive)
        had = _values_had(original, sensitive)
        possible = np.flatnonzero((~had).sum(axis=1) >= (1 if self.known == "all" else int(self.known)))
        rows = possible[choose_targets(possible.size, self.targets, self.seed)]
        sets, target, told, chance = self._choices(had[rows])
        own = shown_codes(publication, column, original)
        if original.source is not None:
            index = original.sensitive_index(sensitive)
            truths = single(own[original.sensitive_codes[index][rows]])
        else:
            truths = sets_of(original, original.sensitive_index(sensitive)).take(rows).recoded(own)
        allowed = np.ones((sets.shape[0] + 1, publication.sensitive[column].codes), np.bool_)
        ruled, value = np.nonzero(sets)
        allowed[ruled[own[value] >= 0] + 1, own[value[own[value] >= 0]]] = False
        cases = Cases(target, told + 1, chance, truths.take(target))
        limit = number(self.name, "threshold", self.threshold)
        inquiry = Inquiry(publication, original, making, column, rows, Told(allowed), cases, truths, limit)
        success, baseline, details = inquiry.answer()
        drawn = self.known != "all" and not self._few(had.shape[1])
        details["standard_error"] = float(drawn) * float(np.sqrt(success * (1 - success) / max(1, rows.size)))
        what = "all values" if self.known == "all" else count(int(self.known), "value")
        return AttackResult(
            self.name,
            success,
            baseline,
            f"share of people of whom a true {sensitive!r} is believed with a probability of {self.threshold} or more, "
            f"given {what} that they do not have",
            details,
            against_the_claim(publication, success, baseline, details),
        )

    def _few(self, values: int) -> bool:
        """Whether all choices of what is known can be tried."""
        return comb(values, int(self.known)) <= _MOST_SETS

    def _choices(
        self, had: NDArray[np.bool_]
    ) -> tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Sets of values (k, V) that may be ruled out; of every case its target, its set, and how likely that is the one known.

        ``had`` (t, V): the values of every target.
        """
        everybody, ones = np.arange(had.shape[0]), np.ones(had.shape[0])
        if self.known == "all":
            sets, told = np.unique(~had, axis=0, return_inverse=True)
            return sets, everybody, told.reshape(-1).astype(np.int64), ones
        known = int(self.known)
        if not self._few(had.shape[1]):
            drawn = _draw(had, known, self.seed)
            if known > 1:
                return drawn, everybody, everybody, ones
            return np.eye(had.shape[1], dtype=np.bool_), everybody, np.argmax(drawn, axis=1), ones
        members = [list(own) for own in combinations(range(had.shape[1]), known)]
        sets = np.zeros((len(members), had.shape[1]), np.bool_)
        for number_, own in enumerate(members):
            sets[number_, own] = True
        target, told = np.nonzero((had.astype(np.int64) @ sets.T.astype(np.int64)) == 0)
        chance = 1 / np.bincount(target, minlength=had.shape[0])[target]
        return sets, target, told, chance


def _values_had(original: Microdata, sensitive: str) -> NDArray[np.bool_]:
    """(people, V) Which values everybody has: of the attribute, or categories where the highest are published."""
    if original.source is not None:
        found = records_by_category(original, sensitive)
        # In the codes of what is published, which are those of the categories.
        return np.asarray(found.counts > 0, np.bool_)
    index = original.sensitive_index(sensitive)
    sets: ValueSets = sets_of(original, index)
    had = np.zeros((sets.count, original.sensitive[index].codes), np.bool_)
    had[sets.of, sets.value] = True
    return had


def _draw(had: NDArray[np.bool_], known: int, seed: int) -> NDArray[np.bool_]:
    """(t, V) Draw ``known`` values of everybody that they do not have, each choice as likely."""
    # Not the stream that targets are drawn from.
    rng = np.random.Generator(np.random.PCG64([seed, 2]))
    found = np.zeros_like(had)
    step = max(1, _MOST_CELLS // max(1, had.shape[1]))
    for begin in range(0, had.shape[0], step):
        own = had[begin : begin + step]
        numbers = np.where(own, 2.0, rng.random(own.shape))
        least = np.argpartition(numbers, known - 1, axis=1)[:, :known]
        np.put_along_axis(found[begin : begin + step], least, True, axis=1)
    return found
