"""δ-disclosure privacy (Brickell & Shmatikov 2008): no value's share changes by a factor of e^δ or more."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.checks import number
from likeness.exact import Real, exp_bounds
from likeness.models._base import BoundModel, SensitiveAttribute, SensitiveModel, Strength
from likeness.models._shares import ShareLimits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likeness.microdata.statistics import ClassStatistics

_LARGEST = Fraction(200)
"""From here on every δ decides alike: no class has e^200 records."""


@dataclass(frozen=True, repr=False)
class DeltaDisclosure(SensitiveModel):
    """For every value of the table, ``|ln(q_s / p_s)| < δ`` in every class.

    A class that lacks a value of the table violates it for every δ. The logarithm is the natural one.

    Parameters
    ----------
    delta
        Bound, above 0. Texts such as ``"1/3"`` are exact.

    References
    ----------
    Brickell & Shmatikov 2008; Cao & Karras 2012 (paper 002), sections 2 and 6.2; spec sections 2, 8.1 (3) and
    8.4 (ARX and pyCANON skip absent values).

    Examples
    --------
    >>> DeltaDisclosure(1.5)
    DeltaDisclosure(delta=1.5)
    """

    delta: float | str | Fraction

    name: ClassVar[str] = "delta-disclosure"
    closed_under_union: ClassVar[bool] = True
    closed_under_adding: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        number(self.name, "delta", self.delta, above=0)

    def bind_to(self, attribute: SensitiveAttribute) -> BoundModel:
        """Bind to a sensitive attribute."""
        return _Bound(attribute, number(self.name, "delta", self.delta, above=0))


class _Bound(ShareLimits):
    """``p e^-δ < q < p e^δ``; for rational δ, p and q the ends are never reached, so ``<=`` is the same."""

    def __init__(self, attribute: SensitiveAttribute, delta: Fraction) -> None:
        super().__init__(attribute)
        self.delta = delta

    def limits(self) -> tuple[Sequence[Real], Sequence[Real]]:
        delta = min(self.delta, _LARGEST)
        upper = {p: _scaled_exp(p, delta) for p in set(self.attribute.shares)}
        lower = {p: _scaled_exp(p, -delta) for p in upper}
        shares = self.attribute.shares
        return [upper[p] for p in shares], [lower[p] for p in shares]

    def measured(self, stats: ClassStatistics) -> NDArray[np.float64]:
        p = self.attribute.counts / max(1, self.attribute.total)
        q = stats.count / stats.sizes[stats.class_of]
        with np.errstate(divide="ignore"):
            change = np.abs(np.log(q) - np.log(p[stats.value]))
        worst = np.zeros(stats.classes)
        np.maximum.at(worst, stats.class_of, change)
        present = np.bincount(stats.class_of[p[stats.value] > 0], minlength=stats.classes)
        worst[present < np.count_nonzero(p)] = np.inf
        return worst

    def slack(self, measured: NDArray[np.float64]) -> NDArray[np.float64]:
        return float(self.delta) - measured

    def strongest(self, stats: ClassStatistics) -> Strength:
        """Infimum of δ: every larger one is met."""
        return Strength({"delta": float(self.measured(stats).max(initial=0.0))})


def _scaled_exp(p: Fraction, delta: Fraction) -> Real:
    """``p e^δ``, at most 1."""
    if p == 0 or (delta > 0 and p * exp_bounds(delta, 30)[0] >= 1):
        return Real.of(Fraction(p > 0))

    def enclose(digits: int) -> tuple[Fraction, Fraction]:
        low, high = exp_bounds(delta, digits)
        return p * low, p * high

    return Real(enclose)
