"""What a publication shows of one sensitive attribute: the histogram of every class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likeness.exact import Real
    from likeness.microdata.domain import Domain
    from likeness.models.requirements import Requirement


@dataclass(frozen=True, eq=False)
class Histograms:
    """How often each value occurs in each class; values that do not occur are left out.

    Parameters
    ----------
    class_of, value, count : (entries,) int64
        Class, code and number of records of every entry, by class and then by code.
    sizes : (E,) int64
        Records of each class.
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
    """Count the values of every class.

    Parameters
    ----------
    classes : (n,) int64
        Class of each record, numbered from 0.
    codes : (n,) int
        Value of each record.
    values
        Number of codes.

    Examples
    --------
    >>> found = histograms(np.array([0, 1, 0]), np.array([2, 0, 2]), 3)
    >>> found.value, found.count, found.sizes
    (array([2, 0]), array([2, 1]), array([2, 1]))
    """
    keys, counts = np.unique(classes * values + codes, return_counts=True)
    return Histograms(keys // values, keys % values, counts.astype(np.int64), np.bincount(classes))


def column_of(domains: Sequence[Domain], name: str) -> int:
    """Find the position of an attribute that is there."""
    return [domain.name for domain in domains].index(name)


def translate(own: Domain, other: Domain) -> NDArray[np.int64]:
    """(codes,) Code that each value of one domain has in another; -1 for values that are not there.

    Examples
    --------
    >>> from likeness.microdata.domain import Domain
    >>> few, all_ = (Domain("d", "categorical", np.array(list(v)), "set") for v in ("ac", "abc"))
    >>> translate(few, all_)
    array([0, 2])
    """
    found = [other.code_of.get(label, -1) for label in own.labels]
    return np.array([*found, *([other.missing_code] if own.missing else [])], np.int64)


def share_limits(
    requirements: tuple[Requirement, ...], published: Domain
) -> tuple[Sequence[Real], NDArray[np.int64]] | None:
    """Find the limits on the shares of an attribute's values that a guarantee promises, if it does.

    Parameters
    ----------
    requirements
        The guarantee; its first model with limits on single values counts.
    published
        The attribute, as published.

    Returns
    -------
    limits
        Upper limits (such as f of β-likeness), and
    of : (codes,) int64
        which of them each published code has; -1 where the guarantee knows no such value.
    None
        When no model limits shares.
    """
    from likeness.models.shares import ShareLimits

    for requirement in requirements:
        view = requirement.view
        if view is None or view.group is not None or view.domain.name != published.name:
            continue
        if isinstance(requirement.bound, ShareLimits):
            return requirement.bound.upper_limits, translate(published, view.domain)
    return None
