"""Categorical similarity: classes or buckets whose sensitive values are all of one category."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.attacks._entries import EntriesAttack

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.microdata.domain import Domain
    from likeness.microdata.statistics import ClassStatistics


@dataclass(frozen=True)
class CategoricalSimilarityAttack(EntriesAttack):
    """Name the category of everybody in a class, or a bucket, whose values are all of one category.

    Parameters
    ----------
    sensitive
        The column; when left out every one with categories in turn, and the result is that of the largest gain.
    scope
        Whose success is reported: ``bucket`` (default), who knows the class or bucket of a person; or ``joined``, who knows the
        quasi-identifiers and sees all values of all buckets that people of the same region are in. In one table both are
        the same. Both stand in the details.

    References
    ----------
    Fazal et al. 2023, definition 4 (csa).

    Examples
    --------
    >>> CategoricalSimilarityAttack(scope="joined")
    CategoricalSimilarityAttack(sensitive=None, scope='joined')
    """

    name: ClassVar[str] = "categorical-similarity"
    what: ClassVar[str] = "is all of one category"

    def flagged(self, stats: ClassStatistics, domain: Domain, counts: NDArray[np.int64]) -> NDArray[np.bool_]:  # noqa: ARG002
        """(E,) Whether there is one category only."""
        return np.asarray(stats.distinct == 1, np.bool_)
