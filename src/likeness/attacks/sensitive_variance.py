"""Sensitive variance: classes or buckets whose sensitive values vary too little over their categories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from likeness.attacks._entries import EntriesAttack
from likeness.models.base import SensitiveAttribute
from likeness.models.theta_sensitivity import ThetaSensitivity

if TYPE_CHECKING:
    from fractions import Fraction

    import numpy as np
    from numpy.typing import NDArray

    from likeness.microdata.domain import Domain
    from likeness.microdata.statistics import ClassStatistics


@dataclass(frozen=True)
class SensitiveVarianceAttack(EntriesAttack):
    """Find people in a class, or a bucket, whose categories vary less than θ: its most frequent one is then likely theirs.

    Parameters
    ----------
    sensitive
        The column; when left out every one with categories in turn, and the result is that of the largest gain.
    scope
        Whose success is reported: ``bucket`` (default), who knows the class or bucket of a person; or ``joined``, who knows the
        quasi-identifiers and sees all values of all buckets that people of the same region are in. In one table both are
        the same. Both stand in the details.
    k, mu, index, order
        As those of `ThetaSensitivity`: variances below ``θ = μ (min(k, C)² - 1) / 12`` are small. Classes of fewer than k records
        are counted too.

    References
    ----------
    Fazal et al. 2023, definition 3 (sva), equations 1 and 2.

    Examples
    --------
    >>> SensitiveVarianceAttack(k=5)
    SensitiveVarianceAttack(sensitive=None, scope='bucket', k=5, mu=0.6, index='distinct', order='severity')
    """

    k: int = 2
    mu: float | str | Fraction = 0.6
    index: str = "distinct"
    order: str = "severity"

    name: ClassVar[str] = "sensitive-variance"
    what: ClassVar[str] = "varies less than θ over the categories"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._model  # noqa: B018  # checks the parameters

    @property
    def _model(self) -> ThetaSensitivity:
        """What classes of enough variance hold."""
        return ThetaSensitivity(self.k, self.mu, self.index, self.order)

    def flagged(self, stats: ClassStatistics, domain: Domain, counts: NDArray[np.int64]) -> NDArray[np.bool_]:
        """(E,) Whether the variance is too small."""
        return ~self._model.bind_to(SensitiveAttribute(domain, counts)).holds(stats)
