"""Attacks on one sensitive column at a time, and what a publication shows of it: the histogram of every class."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from likeness.attacks.base import Attack, AttackResult
from likeness.errors import PolicyError, suggestion

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likeness.attacks.base import Making
    from likeness.errors import Refusal
    from likeness.exact import Real
    from likeness.forms.base import Publication
    from likeness.microdata.data import Microdata
    from likeness.microdata.domain import Domain
    from likeness.models.requirements import Requirement


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

    def inapplicable(self, publication: Publication, original: Microdata) -> Refusal | None:
        """Find why the attack is not defined for a release; None when it is."""
        problem = super().inapplicable(publication, original)
        if problem is not None:
            return problem
        names = [domain.name for domain in publication.sensitive]
        if not names:
            return self._refused("the release has no sensitive column to attack")
        if self.sensitive is not None and self.sensitive not in names:
            hint = suggestion(self.sensitive, names)
            return self._refused(f"{self.sensitive!r} is not a sensitive column of the release{hint}")
        if publication.size == 0:
            return self._refused("nothing was published, so there is nobody to attack")
        return None

    def run(
        self, publication: Publication, original: Microdata, making: Making | None = None
    ) -> AttackResult:
        """Attack the column, or all of them; the result's details are named and explained in ``explained``.

        Raises `PolicyError` where the attack is not defined for this release (`refusal` says why), or needs to know how it
        was made and does not.
        """
        self.check(publication, original)
        if self.sensitive is not None:
            return self.attack_column(publication, original, making, self.sensitive)
        names = self.columns(publication, original)
        found = [self.attack_column(publication, original, making, name) for name in names]
        if len(found) == 1:
            return found[0]
        each = {f"success:{name}": one.success for name, one in zip(names, found, strict=True)}
        most = max(found, key=lambda one: one.gain)
        return replace(most, details={**most.details, **each})

    def columns(self, publication: Publication, original: Microdata) -> list[str]:  # noqa: ARG002
        """Names of the columns that it is after."""
        return [domain.name for domain in publication.sensitive if self.sensitive in {None, domain.name}]

    @abstractmethod
    def attack_column(
        self, publication: Publication, original: Microdata, making: Making | None, sensitive: str
    ) -> AttackResult:
        """Attack one column of a release that the attack is defined for."""

    def insist(self, making: Making | None, what: str) -> Making:
        """Insist on knowing how the release was made: `PolicyError` where ``making`` is None.

        ``what`` of it is needed, for the message.
        """
        if making is None:
            raise PolicyError(
                self._refused(
                    f"needs to know {what}, and the published tables alone do not say it",
                    "attack the release itself, or its folder with private/",
                )
            )
        return making


@dataclass(frozen=True, eq=False)
class Histograms:
    """How often each value occurs in each class; values that do not occur are left out.

    ``class_of``, ``value``, ``count`` (entries,) are ordered by class and then by code. ``sizes`` (E,) counts the records
    of each class.
    """

    class_of: NDArray[np.int64]
    value: NDArray[np.int64]
    count: NDArray[np.int64]
    sizes: NDArray[np.int64]

    @property
    def agreement(self) -> NDArray[np.float64]:
        """(E,) ``Σ_s (c_s / |G|)²``: how likely two draws from a class agree; a guess at random from its values is right."""
        shares = self.count / self.sizes[self.class_of]
        return np.asarray(np.bincount(self.class_of, shares**2, self.sizes.size), np.float64)


def histograms(classes: NDArray[np.int64], codes: NDArray[np.integer], values: int) -> Histograms:
    """Count the values of every class: ``classes`` (n,) from 0, ``codes`` (n,) below ``values``."""
    keys, counts = np.unique(classes * values + codes, return_counts=True)
    return Histograms(keys // values, keys % values, counts.astype(np.int64), np.bincount(classes))


def column_of(domains: Sequence[Domain], name: str) -> int:
    """Find the position of an attribute that is there."""
    return [domain.name for domain in domains].index(name)


def share_limits(
    requirements: tuple[Requirement, ...], published: Domain
) -> tuple[Sequence[Real], NDArray[np.int64]] | None:
    """Find the limits on the shares of an attribute's values that a guarantee promises; None where no model limits shares.

    Returned are upper limits (such as f of β-likeness) of the first model with limits on single values, and (codes,) which
    of them each code of ``published`` has; -1 where the guarantee knows no such value.
    """
    from likeness.models.shares import ShareLimits

    for requirement in requirements:
        view = requirement.view
        if view is None or view.group is not None or view.domain.name != published.name:
            continue
        if isinstance(requirement.bound, ShareLimits):
            return requirement.bound.upper_limits, published.codes_in(view.domain)
    return None
