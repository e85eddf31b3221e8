"""Membership knowledge: what a release says of somebody of whom some sensitive values are known."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.attacks._columns import ColumnAttack, column_of
from likeness.attacks._individuals import (
    crowd_of_original,
    crowd_of_release,
    draw_known,
    known_values,
    sets_of,
    shown_codes,
)
from likeness.attacks._knowing import (
    EXPLAINED,
    NO_SETS,
    ONE_RECORD,
    Cases,
    Inquiry,
    Told,
    against_the_claim,
    records_by_category,
    single,
)
from likeness.attacks.base import AttackResult, check_targets, choose_targets
from likeness.checks import number, whole

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from likeness.attacks._individuals import Answers
    from likeness.attacks.base import Making
    from likeness.errors import Refusal
    from likeness.forms.base import Publication
    from likeness.microdata.data import Microdata


@dataclass(frozen=True)
class MembershipAttack(ColumnAttack):
    """Learn further sensitive values of somebody known by all quasi-identifiers and by some of their values.

    Where it is published whose records are whose, the adversary keeps the published persons whose class's regions hold the
    target's quasi-identifiers and who have all the values known of the target, and believes a further value as strongly as
    the share of them that have it. A target is breached when that reaches the threshold for a value which it has and which
    was not known before. Only individuals who have such values are targets.

    Where of everybody the highest category is published, in one table or in two linked by buckets, the adversary knows some
    of the target's records. Every published record whose region holds the quasi-identifiers may be the target's, and has each
    category with its share in the record's class or bucket; those below the highest known one are impossible, and what is left
    is believed by its share. A target is breached where its published category is believed as strongly as the threshold says,
    and was not known. Targets are the people with several categories; every choice of their records is as likely to be the known
    one, and figures are exact means over all of them.

    Where all records are published and nobody says whose are whose, one candidate record for each known value is the target's:
    these are set aside, and a further value is believed as strongly as its share of the rest.

    The baseline knows the same values, and how they go together in the whole table, but has no release to look for
    the target in.

    Parameters
    ----------
    sensitive
        The column of the values; when left out every sensitive column in turn, and the result is that of the largest
        gain.
    known
        How many true values (records, where highest categories are published) the adversary knows of every target, each
        choice as likely; drawn at random where single values are published. People with no more values than
        that are no targets then.
    threshold
        The belief that counts as a breach.
    targets
        How many individuals to take as targets, drawn at random; all when left out.
    seed
        Which ones, and which of their values, are drawn; the same seed, the same draws.
    naive
        Let the adversary take what is published for the category of what is known, as if not the highest were published.

    Notes
    -----
    The adversary takes it that the target is in the release, as in the attacks `linkage` and `fingerprint`. The
    quasi-identifiers known of an individual whose records differ in them are those of the first record (of the published
    one, where one a person is).

    References
    ----------
    Fazal et al. 2023, definition 1 (ma), membership knowledge: rule 15 and the abstract claim that nothing follows from it in two
    loosely linked tables, and on their own Table 12 three of eight people can be breached. On a publication of Wang et al. 2019
    candidates are pseudonyms, and a pseudonym has a value or has not.

    Examples
    --------
    >>> MembershipAttack(known=2, targets=1000)
    MembershipAttack(sensitive=None, known=2, threshold=0.5, targets=1000, seed=0, naive=False)
    """

    known: int = 1
    threshold: float | str | Fraction = 0.5
    targets: int | None = None
    seed: int = 0
    naive: bool = False

    name: ClassVar[str] = "membership"
    forms: ClassVar[frozenset[str] | None] = frozenset(
        {"anatomized", "angelized", "generalized", "identity-reserved"}
    )
    takes_individuals: ClassVar[bool] = True
    explained: ClassVar[Mapping[str, str]] = EXPLAINED | {
        "baseline": "the same in the original table, for who has no release: among all who have the known values",
        "of_everybody": "the success as a share of all people, those of one category too",
        "identified": "share of targets with one candidate",
        "targets": "people attacked: those with more values than are known, or with several categories",
    }

    def __post_init__(self) -> None:
        whole(self.name, "known", self.known, at_least=1)
        number(self.name, "threshold", self.threshold, above=0, at_most=1)
        check_targets(self.name, self.targets, self.seed)

    def inapplicable(self, publication: Publication, original: Microdata) -> Refusal | None:
        """Find why the attack is not defined for a release: nothing is left to learn of who has one value."""
        problem = super().inapplicable(publication, original)
        if problem is not None or publication.persons is not None:
            return problem
        if original.source is not None:
            return None if publication.shows_highest(0) else self._refused(NO_SETS)
        if original.individuals is None:
            return self._refused(*ONE_RECORD)
        if publication.links_buckets:
            return self._refused(
                "is defined for two tables where they show one record a person, the highest category",
                "publish that",
            )
        return None

    def attack_column(
        self, publication: Publication, original: Microdata, making: Making | None, sensitive: str
    ) -> AttackResult:
        """Learn further values of one column.

        Returns
        -------
        AttackResult
            Its details, all explained in ``explained``. Where persons are published: ``without_knowledge``, the share of
            targets breached when no value is known (every true value that is not among the known ones counts);
            ``mean_belief`` in the further values, on average over those of a target, then over targets; ``certain``, the
            share of targets with a further value of belief 1; ``guessed``, the share whose likeliest value is true (of
            equally likely ones any is named); ``identified`` and ``unmatched``, the shares with one candidate and with none;
            ``targets``, their number. All are 0 where nobody has more values than are known. Elsewhere those of every
            `Inquiry`, and ``of_everybody``.
        """
        column = column_of(publication.sensitive, sensitive)
        if publication.persons is not None:
            return self._among_persons(publication, original, column)
        ask = self._of_highest if original.source is not None else self._of_records
        inquiry = ask(publication, original, making, column)
        success, baseline, details = inquiry.answer()
        people = original.units.size if self.targets is None else min(self.targets, original.units.size)
        if original.source is not None:
            details["of_everybody"] = success * inquiry.rows.size / max(1, people)
        return AttackResult(
            self.name,
            success,
            baseline,
            self._meaning(sensitive),
            details,
            against_the_claim(publication, success, baseline, details),
        )

    def _meaning(self, sensitive: str) -> str:
        """Say what the success is."""
        return (
            f"share of individuals of whom a further {sensitive!r} is believed "
            f"with a probability of {self.threshold} or more, given {known_values(self.known)}"
        )

    def _of_highest(
        self, publication: Publication, original: Microdata, making: Making | None, column: int
    ) -> Inquiry:
        """Ask of everybody with several categories, of whom some records are known, for the highest one."""
        chosen = choose_targets(original.size, self.targets, self.seed)
        found = records_by_category(original, publication.sensitive[column].name)
        counts = found.counts[chosen]
        several = np.count_nonzero(counts, axis=1) > 1
        rows, counts = chosen[several], counts[several]
        # Chance that no known record is above a category: all of them are drawn among those up to it.
        upto, every = np.cumsum(counts, axis=1), counts.sum(axis=1, keepdims=True)
        chance = np.ones(counts.shape)
        for i in range(min(self.known, int(every.max(initial=0)))):
            chance *= np.where(every > i, np.maximum(upto - i, 0) / np.maximum(1, every - i), 1.0)
        chance = np.diff(chance, axis=1, prepend=0.0)
        target, known = np.nonzero((counts > 0) & (chance > 0))
        highest = counts.shape[1] - 1 - np.argmax(counts[:, ::-1] > 0, axis=1)
        own = shown_codes(publication, column, original)
        published = own[original.sensitive_codes[original.sensitive_index(found.name)][rows]]
        cases = Cases(
            target, known + 1, chance[target, known], single(published[target], known < highest[target])
        )
        left = [publication.consistent(column, told) for told in ((), *((label,) for label in found.labels))]
        if self.naive:
            labels = publication.sensitive[column].labels_with(None)
            left[1:] = [np.array([label == own for label in labels]) for own in found.labels]
        return Inquiry(
            publication,
            original,
            making,
            column,
            rows,
            Told(np.array(left)),
            cases,
            single(published),
            self._limit,
        )

    def _of_records(
        self, publication: Publication, original: Microdata, making: Making | None, column: int
    ) -> Inquiry:
        """Ask of everybody with more values than are known for the others, where records are nobody's."""
        everybody = sets_of(original, original.sensitive_index(publication.sensitive[column].name))
        possible = np.flatnonzero(everybody.sizes > self.known)
        rows = possible[choose_targets(possible.size, self.targets, self.seed)]
        told = draw_known(everybody, self.known, self.seed)
        own = shown_codes(publication, column, original)
        known, further = (everybody.keep(part).take(rows).recoded(own) for part in (told, ~told))
        values = publication.sensitive[column].codes
        alone = self.known == 1
        taken = np.zeros((values + 1 if alone else rows.size + 1, values), np.bool_)
        if alone:
            taken[np.arange(values) + 1, np.arange(values)] = True
            row = known.value + 1
        else:
            row = np.arange(rows.size) + 1
            shown = known.value >= 0
            taken[known.of[shown] + 1, known.value[shown]] = True
        cases = Cases(np.arange(rows.size), row, np.ones(rows.size), further)
        truths = everybody.take(rows).recoded(own)
        left = Told(np.broadcast_to(np.True_, taken.shape), taken)
        return Inquiry(publication, original, making, column, rows, left, cases, truths, self._limit)

    @property
    def _limit(self) -> Fraction:
        """The threshold, exactly."""
        return number(self.name, "threshold", self.threshold)

    def _among_persons(self, publication: Publication, original: Microdata, column: int) -> AttackResult:
        """Look for everybody among published persons."""
        sensitive = publication.sensitive[column].name
        index = original.sensitive_index(sensitive)
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
            self._meaning(sensitive),
            details,
        )

    def _breached(self, answers: Answers) -> int:
        """Number of targets with a further value believed as strongly as the threshold says."""
        return _reaching(answers, self._limit)


def _reaching(answers: Answers, belief: Fraction) -> int:
    """Number of targets with a further value of some belief or more: whole numbers are compared."""
    most: NDArray[np.object_] = answers.most.astype(object)
    needed = answers.candidates.astype(object) * belief.numerator
    return int(np.count_nonzero((most * belief.denominator >= needed) & (answers.candidates > 0)))
