"""Attacks that guess the sensitive values of targets whose quasi-identifiers are known."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from likeness.attacks._individuals import sets_of
from likeness.attacks._targets import check_targets, choose_targets, published_codes
from likeness.attacks.base import Attack, AttackResult
from likeness.errors import suggestion

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.attacks._individuals import ValueSets
    from likeness.attacks.base import Making
    from likeness.forms.base import Publication
    from likeness.microdata.data import Microdata
    from likeness.microdata.domain import Domain


@dataclass(frozen=True, eq=False)
class Question:
    """One sensitive attribute, and whom the adversary looks for.

    Parameters
    ----------
    publication, original
        What was published, and what it was made from.
    column
        Position of the attribute in ``publication.sensitive``.
    records : (t,) int64
        The targets, by position: rows of ``original.units``, people where they have several records.
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
        return published_codes(self.domain, self.published)

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

        Of people with several values each is right, and the most frequent one is that which most people have.

        Parameters
        ----------
        guess : (t,) int64
            Guessed answers; -1 is never right.
        answer_of : (codes,) int64, optional
            The answer that each original value counts as; its published code when left out.
        """
        of = self.own_codes if answer_of is None else answer_of
        # Values that were not published are answers of their own.
        shown = np.where(of >= 0, of, int(of.max(initial=-1)) + 1 + np.arange(of.size))
        top = int(np.bincount(shown[self._everybody.value], minlength=1).argmax())
        own, total = self.sets.recoded(shown), max(1, self.records.size)
        right = int(np.count_nonzero(own.has(guess)))
        return right / total, int(np.count_nonzero(own.has(np.full(self.records.size, top)))) / total


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

    def refusal(self, publication: Publication, original: Microdata) -> str | None:
        """Say why the attack is not defined for a release, or None when it is."""
        problem = super().refusal(publication, original)
        if problem is not None:
            return problem
        names = [domain.name for domain in publication.sensitive]
        if not names:
            return f"{self.name}: the release has no sensitive column to guess"
        if self.sensitive is not None and self.sensitive not in names:
            return (
                f"{self.name}: {self.sensitive!r} is not a sensitive column of the release"
                f"{suggestion(self.sensitive, names)}"
            )
        problems = [self.refusal_of(publication, original, name) for name in self._columns(publication)]
        if any(problem is None for problem in problems):
            return None
        return problems[0]

    def refusal_of(self, publication: Publication, original: Microdata, name: str) -> str | None:  # noqa: ARG002
        """Say why the attack is not defined for one sensitive column, or None when it is."""
        return None

    def run(
        self,
        publication: Publication,
        original: Microdata,
        making: Making | None = None,  # noqa: ARG002
    ) -> AttackResult:
        """Attack all targets.

        Returns
        -------
        AttackResult
            Its baseline is guessing the table's most frequent value for everybody.

        Raises
        ------
        PolicyError
            When the attack is not defined for this release.
        """
        self.check(publication, original)
        records = choose_targets(original.units.size, self.targets, self.seed)
        names = [domain.name for domain in publication.sensitive]
        results = {
            name: self.attack_column(Question(publication, original, names.index(name), records))
            for name in self._columns(publication)
            if self.refusal_of(publication, original, name) is None
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
