"""What basic and enhanced β-likeness share."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.checks import number
from likeness.exact import Real, float_above, largest_ratio, ln_bounds, times
from likeness.models.base import (
    GAIN,
    GroupedModel,
    ParameterRange,
    SensitiveAttribute,
    SomeValues,
    Strength,
)
from likeness.models.shares import ShareLimits, within
from likeness.wording import decimal, percentage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from likeness.microdata.statistics import ClassStatistics


@dataclass(frozen=True, kw_only=True, repr=False)
class GainModel(GroupedModel):
    """A model that limits the relative gain of confidence in each sensitive value.

    Parameters
    ----------
    negative
        Also limit the loss of confidence: ``(p_s - q_s) / p_s <= negative`` for every value; 1 limits nothing
        (Cao & Karras 2012, sections 3 and 7, negative gain).
    """

    negative: float | str | Fraction | None = None
    some_values: ClassVar[SomeValues | None] = "limits"
    ranges: ClassVar[Mapping[str, ParameterRange]] = MappingProxyType(
        {"beta": GAIN, "negative": ParameterRange(ends=(0.001, 1))}
    )

    closed_under_union: ClassVar[bool] = True
    closed_under_adding: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.negative is not None:
            number(self.name, "negative", self.negative, at_least=0, at_most=1)

    @property
    def beyond_posteriors(self) -> str:
        """A limit on negative gain, where one is asked for."""
        return "" if self.negative is None else "negative"

    def gain_in_words(self, gain: Fraction) -> str:
        """Say that no value's share grows by more than a relative gain; without a full stop."""
        return (
            f"In every group the share of each {self.counted} is at most {decimal(1 + gain)} times its share in "
            f"{self.compared_with}: by so much at most does anybody become surer of it who knows somebody's group"
        )

    @property
    def loss_in_words(self) -> str:
        """A sentence more, where shares are limited from below too."""
        limit = self.negative_limit
        if limit is None or limit == 1:
            return ""
        return f" Nor is it less than {percentage(1 - limit)} of its share there."

    @property
    def negative_limit(self) -> Fraction | None:
        """The limit on negative gain as a fraction."""
        if self.negative is None:
            return None
        return number(self.name, "negative", self.negative, at_least=0, at_most=1)


class GainLimits(ShareLimits):
    """Share limits that come from limits on relative gain.

    ``beta`` is the largest relative gain, None for other bounds; ``negative`` the largest negative gain, None: no limit.
    """

    def __init__(
        self, attribute: SensitiveAttribute, beta: Fraction | None, negative: Fraction | None
    ) -> None:
        super().__init__(attribute)
        self.beta = beta
        self.negative = negative
        self.shares = attribute.shares

    @abstractmethod
    def ceilings(self) -> Sequence[Real]:
        """Upper limits per value that no β lifts."""

    def yardsticks(self) -> NDArray[np.float64]:
        """The reference itself: shares over its shares are the relative gains plus 1 (Amiri et al. 2016, section 3.4)."""
        return np.concatenate([[self.attribute.total], self.attribute.counts]).astype(np.float64)

    def lower_limits(self) -> Sequence[Real] | None:
        """``p_s (1 - negative)`` per value, when negative gain is limited."""
        if self.negative is None:
            return None
        return [Real.of(p * (1 - self.negative)) for p in self.shares]

    def gains(self, stats: ClassStatistics) -> NDArray[np.float64]:
        """(entries,) Relative gain ``(q_s - p_s) / p_s`` of every value present; infinite where p_s is 0."""
        p = np.array([float(share) for share in self.shares])[stats.value]
        q = stats.count / stats.sizes[stats.class_of]
        with np.errstate(divide="ignore"):
            return np.asarray(np.where(p > 0, (q - p) / np.where(p > 0, p, 1.0), np.inf))

    def measured(self, stats: ClassStatistics) -> NDArray[np.float64]:
        """(E,) Smallest β each class meets: its largest positive gain, infinite where no β would do."""
        worst = np.zeros(stats.classes)
        np.maximum.at(worst, stats.class_of, self.gains(stats))
        worst[~(within(stats, self.ceilings()) & self.loss_allowed(stats))] = np.inf
        return worst

    def loss_allowed(self, stats: ClassStatistics) -> NDArray[np.bool_]:
        """(E,) Whether negative gain is within its limit, if it has one."""
        lower = self._limits[1]
        if lower is None:
            return np.ones(stats.classes, np.bool_)
        return within(stats, [Real.of(Fraction(1))] * len(lower), lower)

    def slack(self, measured: NDArray[np.float64]) -> NDArray[np.float64]:
        """How much the gain could still grow."""
        return (np.inf if self.beta is None else float(self.beta)) - measured

    def strongest(self, stats: ClassStatistics) -> Strength:
        """Smallest β, infinite where no β would do; the smallest limit on negative gain if there is one."""
        met = within(stats, self.ceilings()).all()
        found = {"beta": float_above(self.largest_gain(stats)) if met else float("inf")}
        if self.negative is not None:
            found["negative"] = float_above(self._largest_loss(stats))
        return Strength(found)

    def strongest_posterior(self, posteriors: Sequence[Fraction]) -> Strength:
        """Smallest β: the largest relative gain, infinite where confidence exceeds what any β allows."""
        there = np.flatnonzero(self.attribute.judged_counts).tolist()
        pairs = [(posteriors[code], self.shares[code]) for code in there]
        ceilings = [self.ceilings()[code] for code in there]
        met = all(limit.at_least(q) for limit, (q, _) in zip(ceilings, pairs, strict=True))
        gain = max((q / p - 1 for q, p in pairs), default=Fraction(0))
        found = {"beta": float_above(max(gain, Fraction(0))) if met else float("inf")}
        # The other end is not limited, or the mechanism would not be one for this model.
        return Strength(found if self.negative is None else found | {"negative": 1.0})

    def largest_gain(self, stats: ClassStatistics) -> Fraction:
        """Find the largest positive gain over all classes, exactly; foreign values are left out."""
        n = self.attribute.counts[stats.value]
        known = n > 0
        found = times(stats.count[known], self.attribute.total)
        expected = times(n[known], stats.sizes[stats.class_of[known]])
        return max(largest_ratio(found, expected) - 1, Fraction(0))

    def _largest_loss(self, stats: ClassStatistics) -> Fraction:
        """Find the largest negative gain over all classes, exactly; 1 when a class lacks a value."""
        n = self.attribute.counts[stats.value]
        known = n > 0
        if np.count_nonzero(known) < stats.classes * np.count_nonzero(self.attribute.judged_counts):
            return Fraction(1)
        if not known.any():
            return Fraction(0)
        found = times(stats.count[known], self.attribute.total)
        expected = times(n[known], stats.sizes[stats.class_of[known]])
        return max(1 - 1 / largest_ratio(expected, found), Fraction(0))

    def caps(self) -> dict[str, str]:
        """Upper limits as rationals, never above the true ones, by value: for the certificate."""
        found: dict[str, Fraction] = {}
        for code, limit in enumerate(self._limits[0]):
            if self.attribute.judged_counts[code] > 0:
                # Should a value be called "missing" like the missing one, both keep the smaller limit.
                label = self.attribute.label(code)
                low = limit.enclose(40)[0]
                found[label] = min(low, found.get(label, low))
        return {label: str(cap) for label, cap in found.items()}


def enhanced_limit(p: Fraction, beta: Fraction | None) -> Real:
    """Evaluate ``f(p) = p (1 + min{β, -ln p})`` (Cao & Karras 2012, equation 1); without β, ``p (1 - ln p)``.

    >>> round(float(enhanced_limit(Fraction(2, 19), Fraction(2))), 6)
    0.315789
    """
    if p in {0, 1}:
        return Real.of(p)
    if beta is not None and Real(lambda digits: ln_bounds(1 / p, digits)).at_least(beta):
        return Real.of(p * (1 + beta))

    def enclose(digits: int) -> tuple[Fraction, Fraction]:
        low, high = ln_bounds(1 / p, digits)
        return p * (1 + low), p * (1 + high)

    return Real(enclose)
