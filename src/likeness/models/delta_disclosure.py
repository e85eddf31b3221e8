"""δ-disclosure privacy (Brickell & Shmatikov 2008): no value's share changes by a factor of e^δ or more."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import ceil
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.checks import number
from likeness.errors import PolicyError
from likeness.exact import Real, exp_bounds, float_above, largest_ratio, ln_bounds, rational, times
from likeness.models.base import (
    GAIN,
    BoundModel,
    DistributionModel,
    ParameterRange,
    SensitiveAttribute,
    SomeValues,
    Strength,
)
from likeness.models.shares import ShareLimits, within
from likeness.wording import decimal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from likeness.microdata.statistics import ClassStatistics

_LARGEST = Fraction(200)
"""From here on every δ decides alike: no class has e^200 records."""


@dataclass(frozen=True, repr=False)
class DeltaDisclosure(DistributionModel):
    """For every value of the table, ``|ln(q_s / p_s)| < δ`` in every class.

    A class that lacks a value of the table violates it for every δ. The logarithm is the natural one.

    It asks for no number of records in a class: without k-anonymity beside it, somebody may be alone in one.

    Parameters
    ----------
    delta
        Bound, above 0. Texts such as ``"1/3"`` are exact.
    beta
        Instead of ``delta``: take ``δ = ln(1 + min{β, -ln max_s p_s})`` from the reference distribution, above
        0. Every class that holds it then also holds β-likeness (Cao & Karras 2012, section 6.2: under
        Mondrian, their DMondrian). A column of one value, for which δ would be 0, always holds it.

    Raises
    ------
    PolicyError
        When not exactly one of the two is given, or it is not a number above 0.

    References
    ----------
    Brickell & Shmatikov 2008; Cao & Karras 2012, sections 2 and 6.2. A value that a class
    lacks violates it, as defined; ARX and pyCANON skip absent values.

    Examples
    --------
    >>> DeltaDisclosure(1.5), DeltaDisclosure(beta=4)
    (DeltaDisclosure(delta=1.5), DeltaDisclosure(beta=4))
    """

    delta: float | str | Fraction | None = None
    beta: float | str | Fraction | None = None

    name: ClassVar[str] = "delta-disclosure"
    some_values: ClassVar[SomeValues | None] = "limits"
    ranges: ClassVar[Mapping[str, ParameterRange]] = MappingProxyType(
        {"delta": ParameterRange(ends=(0.01, 20), weakest=100), "beta": GAIN}
    )
    closed_under_union: ClassVar[bool] = True
    closed_under_adding: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.delta is None) == (self.beta is None):
            given = "neither" if self.delta is None else "both"
            raise PolicyError(
                f"{self.name}: give either delta or the beta that it is derived from; got {given}"
            )
        if self.delta is not None:
            number(self.name, "delta", self.delta, above=0)
        if self.beta is not None:
            number(self.name, "beta", self.beta, above=0)

    @property
    def in_plain_words(self) -> str:
        """What it promises, in words of everyday."""
        if self.beta is not None:
            factor = decimal(1 + rational(self.beta))
        else:
            bound = exp_bounds(rational(self.delta or 0), 6)[1]
            factor = f"{ceil(bound * 1000) / 1000:,}"
        return (
            f"Every group has every value of {self.compared_with}. No share in a group is {factor} times that in "
            f"{self.compared_with} or more, or the other way around."
        )

    def bind_to(self, attribute: SensitiveAttribute) -> BoundModel:
        """Bind to a sensitive attribute."""
        if self.beta is not None:
            return _Derived(attribute, number(self.name, "beta", self.beta, above=0))
        return _Bound(attribute, number(self.name, "delta", self.delta, above=0))


class _Bound(ShareLimits):
    """``p e^-δ < q < p e^δ``; for rational δ, p and q the ends are never reached, so ``<=`` is the same."""

    def __init__(self, attribute: SensitiveAttribute, delta: Fraction) -> None:
        super().__init__(attribute)
        self.delta = delta

    def limits(self) -> tuple[Sequence[Real], Sequence[Real]]:
        delta = min(self.delta, _LARGEST)
        return _by_count(self.attribute, lambda p: (_scaled_exp(p, delta), _scaled_exp(p, -delta)))

    def measured(self, stats: ClassStatistics) -> NDArray[np.float64]:
        return _changes(self.attribute, stats)

    def slack(self, measured: NDArray[np.float64]) -> NDArray[np.float64]:
        return float(self.delta) - measured

    def strongest(self, stats: ClassStatistics) -> Strength:
        """Infimum of δ: every larger one is met."""
        return Strength({"delta": float(self.measured(stats).max(initial=0.0))})


class _Derived(ShareLimits):
    """``p / g < q < p g`` with ``g = 1 + min{β, -ln max p}``, which is e^δ: no exponential is needed."""

    def __init__(self, attribute: SensitiveAttribute, beta: Fraction) -> None:
        super().__init__(attribute)
        self.beta = beta

    @property
    def delta(self) -> float:
        """The δ derived from β: infinitely strict, 0, for a column of one value."""
        return math.log(float(_growth(self.attribute, self.beta)))

    def limits(self) -> tuple[Sequence[Real], Sequence[Real]]:
        return _within_factor(self.attribute, _growth(self.attribute, self.beta))

    def measured(self, stats: ClassStatistics) -> NDArray[np.float64]:
        """(E,) Infimum of the β that each class meets, infinite where no β would do."""
        worst = np.expm1(_changes(self.attribute, stats))
        worst[~self._met_by_some_beta(stats)] = np.inf
        return np.asarray(worst)

    def slack(self, measured: NDArray[np.float64]) -> NDArray[np.float64]:
        return float(self.beta) - measured

    def strongest(self, stats: ClassStatistics) -> Strength:
        """A β just above the infimum, infinite where no β would do; 0 where every β does."""
        if not self._met_by_some_beta(stats).all():
            return Strength({"beta": math.inf})
        n = self.attribute.counts[stats.value]
        found = times(stats.count, self.attribute.total)
        expected = times(n, stats.sizes[stats.class_of])
        largest = max(largest_ratio(found, expected), largest_ratio(expected, found), Fraction(1))
        return Strength({"beta": 0.0 if largest == 1 else math.nextafter(float_above(largest - 1), math.inf)})

    def _met_by_some_beta(self, stats: ClassStatistics) -> NDArray[np.bool_]:
        """(E,) Whether a class holds when β limits nothing; then it has no value foreign to the reference."""
        limits = _within_factor(self.attribute, _growth(self.attribute, None))
        return within(stats, *self.on_protected(*limits))


def _changes(attribute: SensitiveAttribute, stats: ClassStatistics) -> NDArray[np.float64]:
    """(E,) Largest ``|ln(q_s / p_s)|`` of each class, infinite where it lacks a value."""
    p = attribute.counts / max(1, attribute.total)
    q = stats.count / stats.sizes[stats.class_of]
    with np.errstate(divide="ignore"):
        change = np.abs(np.log(q) - np.log(p[stats.value]))
    worst = np.zeros(stats.classes)
    np.maximum.at(worst, stats.class_of, change)
    present = np.bincount(stats.class_of[p[stats.value] > 0], minlength=stats.classes)
    worst[present < np.count_nonzero(attribute.judged_counts)] = np.inf
    return worst


def _growth(attribute: SensitiveAttribute, beta: Fraction | None) -> Real:
    """Evaluate ``1 + min{β, -ln max_s p_s}``; without β, ``1 - ln max_s p_s``; 1 where one value has all records, or none has."""
    largest = Fraction(int(attribute.judged_counts.max(initial=0)), max(1, attribute.total))
    if largest in {0, 1}:
        return Real.of(Fraction(1))
    if beta is not None and Real(lambda digits: ln_bounds(1 / largest, digits)).at_least(beta):
        return Real.of(1 + beta)

    @cache
    def enclose(digits: int) -> tuple[Fraction, Fraction]:
        low, high = ln_bounds(1 / largest, digits)
        return 1 + low, 1 + high

    return Real(enclose)


def _within_factor(attribute: SensitiveAttribute, growth: Real) -> tuple[list[Real], list[Real]]:
    """Limits that ``<=`` may test for ``p / growth < q < p growth``, value by value.

    A rational end must not be reached: a share c / n below a / b is at most ``a / b - 1 / (b n)``, and no class has more
    than all N records, so the end is moved inwards by ``1 / (b N)``.
    """
    total = max(1, attribute.total)
    return _by_count(attribute, lambda p: _ends(p, growth, total))


def _by_count(
    attribute: SensitiveAttribute, limits: Callable[[Fraction], tuple[Real, Real]]
) -> tuple[list[Real], list[Real]]:
    """Upper and lower limits of every value, made once for every share that occurs."""
    total = max(1, attribute.total)
    distinct, of = np.unique(attribute.counts, return_inverse=True)
    found = [limits(Fraction(count, total)) for count in distinct.tolist()]
    which = of.ravel().tolist()
    return [found[i][0] for i in which], [found[i][1] for i in which]


def _ends(p: Fraction, growth: Real, total: int) -> tuple[Real, Real]:
    """Upper and lower limit of one share."""
    if p in {0, 1}:
        # The only value of a column has the share 1 in every class; a foreign one has none.
        return Real.of(p), Real.of(p)
    if growth.exact is None:

        @cache
        def above(digits: int) -> tuple[Fraction, Fraction]:
            low, high = growth.enclose(digits)
            return p * low, p * high

        @cache
        def below(digits: int) -> tuple[Fraction, Fraction]:
            low, high = growth.enclose(digits)
            return p / high, p / low

        return Real(above), Real(below)
    high, low = p * growth.exact, p / growth.exact
    return (
        Real.of(high - Fraction(1, high.denominator * total)),
        Real.of(low + Fraction(1, low.denominator * total)),
    )


def _scaled_exp(p: Fraction, delta: Fraction) -> Real:
    """``p e^δ``, at most 1."""
    if p == 0 or (delta > 0 and p * exp_bounds(delta, 30)[0] >= 1):
        return Real.of(Fraction(p > 0))

    @cache
    def enclose(digits: int) -> tuple[Fraction, Fraction]:
        low, high = exp_bounds(delta, digits)
        return p * low, p * high

    return Real(enclose)
