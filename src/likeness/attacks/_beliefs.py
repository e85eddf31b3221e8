"""What publications say about the sensitive values of everybody whose quasi-identifiers are known, and attacks that guess by it.

A belief adds up the records that may be the target's.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from likeness.attacks._individuals import sets_of
from likeness.attacks.base import Attack, AttackResult, check_targets, choose_targets
from likeness.attacks.matching import match_targets
from likeness.errors import suggestion
from likeness.microdata.grouping import group_codes
from likeness.microdata.individuals import find_individuals
from likeness.microdata.statistics import count_classes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.attacks._individuals import ValueSets
    from likeness.attacks.base import Making
    from likeness.errors import Refusal
    from likeness.forms.base import Publication
    from likeness.microdata.data import Microdata
    from likeness.microdata.domain import Domain

Triple = tuple["NDArray[np.int64]", "NDArray[np.int64]", "NDArray[np.int64]"]
Quadruple = tuple["NDArray[np.int64]", "NDArray[np.int64]", "NDArray[np.int64]", "NDArray[np.int64]"]


@dataclass(frozen=True, eq=False)
class Guesses:
    """What is guessed of every one of t targets.

    ``answer``: (t,) int64, the guess; without candidates the answer of the largest prior, -1 where nothing was published.
    ``confidence``: (t,) float64, the belief in it; the prior for targets without candidates.
    ``candidates``: (t,) int64, published records (or individuals) that may be the target's.
    """

    answer: NDArray[np.int64]
    confidence: NDArray[np.float64]
    candidates: NDArray[np.int64]


@dataclass(frozen=True)
class BeliefStrength:
    """How strong beliefs about the records of classes are.

    ``random_world``: share of the published records guessed by drawing from the beliefs about their classes,
    ``Σ_G Σ_s c_s² / (|G| P)``: every arrangement of a class's values is as likely. Of individuals with several values,
    one of which has to be drawn, |G| counts the values in place of the individuals.
    ``share``, ``difference``: largest belief in one answer, and largest belief less prior.
    ``belief``, ``prior``, ``ratio``: of the class and answer whose belief exceeds the prior by the largest factor; of
    equal factors that of the largest belief.
    """

    random_world: float
    share: float
    difference: float
    belief: float
    prior: float
    ratio: float


class Evidence:
    """What a publication says about one sensitive attribute, the one at ``column`` of ``publication.sensitive``.

    In forms that publish sensitive values as they are, every record has each value with its share in the
    record's class. Where they were randomized, a published value v stands for each original value i with the
    confidence ``p_i PM[v, i] / Σ_j p_j PM[v, j]`` (Cao & Karras 2012, section 5). Where it is published
    whose records are whose, or how many people have a value, individuals stand for records: a value's share is that
    of the individuals that have it.
    ``group`` (m,) is the answer that each value counts as; None: values are the answers. Where only some values need
    protection, the adversary is after these alone (``protected`` (answers,), None: all).
    """

    def __init__(self, publication: Publication, column: int, group: NDArray[np.int64] | None = None) -> None:
        self.publication = publication
        self.values = publication.sensitive[column].codes
        codes = publication.sensitive_codes[column]
        groups = self.values if group is None else int(group.max(initial=-1)) + 1
        protected = publication.sensitive[column].protected
        if protected is not None and group is not None:
            protected = np.bincount(group[protected], minlength=groups) > 0
        self.protected = protected
        count = int(publication.classes.max(initial=-1)) + 1
        stats = count_classes(publication.classes, count, codes, self.values, publication.counted)
        mechanism = publication.mechanism
        if mechanism is None:
            self.stats = stats if group is None else stats.regroup(group, groups)
            self.readings = np.zeros((0, groups))
            self.prior_counts = self.stats.totals
        else:
            self.stats = stats
            joint = mechanism.matrix * mechanism.counts
            own = joint / np.maximum(joint.sum(axis=1, keepdims=True), np.finfo(float).tiny)
            of = np.arange(self.values) if group is None else group
            answers = np.zeros((self.values, groups))
            answers[np.arange(self.values), of] = 1.0
            self.readings = own @ answers
            self.prior_counts = np.bincount(of, mechanism.counts, groups).astype(np.int64)
        # Individuals may have several answers: these do not add up to them.
        several = publication.counted is not None
        self.total = int((self.stats.sizes if several else self.prior_counts).sum())

    @cached_property
    def prior(self) -> NDArray[np.float64]:
        """(answers,) Overall share of each answer, as published."""
        return np.asarray(self.prior_counts / max(1, self.total))

    @property
    def likeliest(self) -> int:
        """The answer of the largest prior, the first of equal ones; -1 where nothing was published."""
        counts = (
            self.prior_counts if self.protected is None else np.where(self.protected, self.prior_counts, 0)
        )
        return int(counts.argmax()) if counts.any() else -1

    @cached_property
    def strength(self) -> BeliefStrength:
        """How strong the beliefs about the records of classes are."""
        stats, total = self.stats, self.total
        if self.publication.size == 0 or self.likeliest < 0:
            return BeliefStrength(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        if self.readings.shape[0]:
            from likeness.attacks.kernels.beliefs import strongest_readings

            own = slice(None) if self.protected is None else self.protected
            readings = np.ascontiguousarray(self.readings[:, own])
            agreement, share, difference, belief, prior = strongest_readings(
                self.of_classes(), readings, self.prior[own]
            )
            world = agreement / self.publication.size
            return BeliefStrength(world, share, difference, belief, prior, belief / prior)
        draws_of = stats.of_values().sizes
        if self.protected is not None:
            stats = stats.of_some(self.protected)
        sizes, overall = stats.sizes[stats.class_of], self.prior_counts[stats.value]
        shares = stats.count / sizes
        # Products of whole numbers, divided once.
        ratios = stats.count * total / (sizes * overall)
        top = np.flatnonzero(ratios == ratios.max())
        at = int(top[shares[top].argmax()])
        draws = draws_of[stats.class_of]
        return BeliefStrength(
            float((stats.count * (stats.count / draws)).sum() / total),
            float(shares.max()),
            float((shares - overall / total).max()),
            float(shares[at]),
            float(overall[at] / total),
            float(ratios[at]),
        )

    def guess(
        self, original: Microdata, records: NDArray[np.int64], scale: NDArray[np.float64] | None = None
    ) -> Guesses:
        """Guess the answer of each of the targets ``records`` (t,), positions in ``original``: that of the largest belief.

        ``scale`` (answers,) is what beliefs are multiplied by before they are compared; None: nothing.
        """
        from likeness.attacks.kernels.beliefs import guess_exactly, guess_matching

        match = match_targets(self.publication, original, records)
        parts, classes = self.parts(match.reaches[0].low.size), self.of_classes()
        tuples, values = match.targets.count, self.stats.values
        answer = np.full(tuples, self.likeliest)
        belief, found = np.zeros(tuples), np.zeros(tuples, np.int64)
        weights = np.ones(self.prior.size) if scale is None else scale
        if self.protected is not None:
            weights = np.where(self.protected, weights, 0.0)
        if match.exact is not None:
            guess_exactly(match.exact, parts, classes, self.readings, weights, values, answer, belief, found)
        else:
            own = np.empty(tuples, np.int64)
            own[match.order] = np.arange(tuples)
            codes, kind, low, high, members = match.lay_out()
            guess_matching(
                codes, kind, low, high, members, parts, classes, self.readings, weights, values, answer,
                belief, found,
            )  # fmt: skip
            answer, belief, found = answer[own], belief[own], found[own]
        fallback = self.prior[self.likeliest] if self.likeliest >= 0 else 0.0
        confidence = np.where(found > 0, belief / np.maximum(1, found), fallback)
        return Guesses(answer[match.targets.of], confidence[match.targets.of], found[match.targets.of])

    def parts(self, identities: int) -> Triple:
        """Which classes the records (or individuals) of every identity are in."""
        publication = self.publication
        groups = group_codes(
            [publication.identities, publication.classes], [max(1, identities), max(1, self.stats.classes)]
        )
        sizes = groups.sizes
        if publication.counted is not None:
            sizes = find_individuals(groups.of, groups.count, publication.counted).sizes
        of = publication.identities[groups.first]
        order = np.argsort(of, kind="stable")
        start = np.searchsorted(of[order], np.arange(identities + 1)).astype(np.int64)
        return start, publication.classes[groups.first][order], sizes[order]

    def of_classes(self) -> Quadruple:
        """The values in every class."""
        return self.stats.start, self.stats.value, self.stats.count, self.stats.sizes


@dataclass(frozen=True, eq=False)
class Question:
    """One sensitive attribute, that at ``column`` of ``publication.sensitive``, and whom the adversary looks for.

    ``original`` is what the publication was made from. ``records`` (t,) are the targets: rows of ``original.units``,
    people where they have several records.
    """

    publication: Publication
    original: Microdata
    column: int
    records: NDArray[np.int64]
    index: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "index", self.original.sensitive_index(self.name))

    @property
    def name(self) -> str:
        """The column."""
        return self.publication.sensitive[self.column].name

    @property
    def domain(self) -> Domain:
        """Its original values."""
        return self.original.sensitive[self.index]

    @property
    def published(self) -> Domain:
        """Its published values."""
        return self.publication.sensitive[self.column]

    @property
    def own_codes(self) -> NDArray[np.int64]:
        """(codes,) Published code of each original value, -1 for those not published."""
        return self.domain.codes_in(self.published)

    @cached_property
    def sets(self) -> ValueSets:
        """The original values of every target."""
        return self._everybody.take(self.records)

    @cached_property
    def _everybody(self) -> ValueSets:
        """The original values of everybody."""
        return sets_of(self.original, self.index)

    def score(
        self, guess: NDArray[np.int64], answer_of: NDArray[np.int64] | None = None
    ) -> tuple[float, float]:
        """Share of targets that are guessed right, and that have the most frequent value of the table.

        Where only some values need protection, only guesses of these can be right, and the most frequent one is of them. Of
        people with several values each is right, and the most frequent one is that which most people have. ``guess`` (t,):
        -1 is never right. ``answer_of`` (codes,) is the answer each original value counts as, None: its published code; values
        that have none (-1) are answers of their own.
        """
        of = self.own_codes if answer_of is None else answer_of
        # Values that were not published are answers of their own.
        own = of >= 0
        values = self._everybody.value
        if self.domain.protected is not None:
            own &= self.domain.protected
            values = values[self.domain.protected[values]]
        shown = np.where(own, of, int(of.max(initial=-1)) + 1 + np.arange(of.size))
        top = int(np.bincount(shown[values], minlength=1).argmax())
        theirs, total = self.sets.recoded(shown), max(1, self.records.size)
        right = int(np.count_nonzero(theirs.has(guess)))
        return right / total, int(np.count_nonzero(theirs.has(np.full(self.records.size, top)))) / total


@dataclass(frozen=True)
class GuessingAttack(Attack):
    """An adversary who guesses the sensitive values of people known by all quasi-identifiers.

    Parameters
    ----------
    targets
        How many records (people, where they have several) to take as targets, drawn at random; all when left out.
    seed
        Which ones are drawn; the same seed, the same targets.
    sensitive
        The column to guess. When left out all are, and the result is that of the largest gain, with
        ``success:COLUMN`` of every one in its details.
    """

    targets: int | None = None
    seed: int = 0
    sensitive: str | None = None

    def __post_init__(self) -> None:
        check_targets(self.name, self.targets, self.seed)

    def inapplicable(self, publication: Publication, original: Microdata) -> Refusal | None:
        """Find why the attack is not defined for a release; None when it is."""
        problem = super().inapplicable(publication, original)
        if problem is not None:
            return problem
        names = [domain.name for domain in publication.sensitive]
        if not names:
            return self._refused("the release has no sensitive column to guess")
        if self.sensitive is not None and self.sensitive not in names:
            return self._refused(
                f"{self.sensitive!r} is not a sensitive column of the release{suggestion(self.sensitive, names)}"
            )
        problems = [self.inapplicable_to(publication, original, name) for name in self._columns(publication)]
        if any(problem is None for problem in problems):
            return None
        return problems[0]

    def inapplicable_to(self, publication: Publication, original: Microdata, name: str) -> Refusal | None:  # noqa: ARG002
        """Find why the attack is not defined for one sensitive column; None when it is."""
        return None

    def run(
        self,
        publication: Publication,
        original: Microdata,
        making: Making | None = None,  # noqa: ARG002
    ) -> AttackResult:
        """Attack all targets; the baseline is guessing the table's most frequent value for everybody.

        Columns that the attack is not defined for are left out; raises `PolicyError` where it is not defined for the release.
        """
        self.check(publication, original)
        records = choose_targets(original.units.size, self.targets, self.seed)
        names = [domain.name for domain in publication.sensitive]
        results = {
            name: self.attack_column(Question(publication, original, names.index(name), records))
            for name in self._columns(publication)
            if self.inapplicable_to(publication, original, name) is None
        }
        worst = max(results.values(), key=lambda result: result.gain)
        every = {f"success:{name}": result.success for name, result in results.items()}
        return worst if len(results) == 1 else replace(worst, details=worst.details | every)

    @abstractmethod
    def attack_column(self, question: Question) -> AttackResult:
        """Guess one sensitive attribute of all targets."""

    def _columns(self, publication: Publication) -> list[str]:
        """Names of the columns to guess."""
        return (
            [domain.name for domain in publication.sensitive] if self.sensitive is None else [self.sensitive]
        )
