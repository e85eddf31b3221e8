"""Attacks on one sensitive column at a time."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from likeness.attacks.base import Attack, AttackResult
from likeness.errors import PolicyError, suggestion

if TYPE_CHECKING:
    from likeness.attacks.base import Making
    from likeness.forms.base import Publication
    from likeness.microdata.data import Microdata


@dataclass(frozen=True)
class ColumnAttack(Attack):
    """An adversary who is after one sensitive column, or each of them in turn.

    Parameters
    ----------
    sensitive
        The column. When left out all are attacked, and the result is that of the largest gain, with
        ``success:COLUMN`` of every one in its details.
    """

    sensitive: str | None = None

    def refusal(self, publication: Publication, original: Microdata) -> str | None:
        """Say why the attack is not defined for a release, or None when it is."""
        problem = super().refusal(publication, original)
        if problem is not None:
            return problem
        names = [domain.name for domain in publication.sensitive]
        if not names:
            return f"{self.name}: the release has no sensitive column to attack"
        if self.sensitive is not None and self.sensitive not in names:
            hint = suggestion(self.sensitive, names)
            return f"{self.name}: {self.sensitive!r} is not a sensitive column of the release{hint}"
        if publication.size == 0:
            return f"{self.name}: nothing was published, so there is nobody to attack"
        return None

    def run(
        self, publication: Publication, original: Microdata, making: Making | None = None
    ) -> AttackResult:
        """Attack the column, or all of them.

        Returns
        -------
        AttackResult
            Its details are named and explained in ``explained``.

        Raises
        ------
        PolicyError
            When the attack is not defined for this release (`refusal` says why), or needs to know how it was
            made and does not.
        """
        self.check(publication, original)
        if self.sensitive is not None:
            return self.attack_column(publication, original, making, self.sensitive)
        names = [domain.name for domain in publication.sensitive]
        found = [self.attack_column(publication, original, making, name) for name in names]
        if len(found) == 1:
            return found[0]
        each = {f"success:{name}": one.success for name, one in zip(names, found, strict=True)}
        most = max(found, key=lambda one: one.gain)
        return replace(most, details={**most.details, **each})

    @abstractmethod
    def attack_column(
        self, publication: Publication, original: Microdata, making: Making | None, sensitive: str
    ) -> AttackResult:
        """Attack one column of a release that the attack is defined for."""

    def insist(self, making: Making | None, what: str) -> Making:
        """Insist on knowing how the release was made.

        Parameters
        ----------
        making
            How it was made, or None.
        what
            What of it is needed, for the message.

        Raises
        ------
        PolicyError
            When nobody said how it was made.
        """
        if making is None:
            raise PolicyError(
                f"{self.name}: needs to know {what}, and the published tables alone do not say it; attack the "
                "release itself, or its folder with private/"
            )
        return making
