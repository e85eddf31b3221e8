"""How many people of a population are alone in their class, estimated from the classes of a sample of it.

The usual models: each takes only how many classes there are of each size, and the sampling fraction. They are those that Dankar
et al. 2012 compared, and that agencies and other tools use; `likeness.risk.latent_classes` knows the columns, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, inf, lgamma, log
from typing import TYPE_CHECKING

import numpy as np

from likeness.checks import number
from likeness.errors import PolicyError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

MODELS = ("zayatz", "slide-negative-binomial", "pitman", "dankar")
"""Names of the usual models, in the order of their papers."""
_GOLDEN = (5**0.5 - 1) / 2
_STEPS = 60
_PLACES = 24
"""Where a maximum or a root is looked for first, evenly."""


@dataclass(frozen=True, eq=False)
class SampleClasses:
    """The classes of a sample by size, and how large a share of the population the sample is.

    Parameters
    ----------
    sizes : (m,) int64
        Distinct sizes, ascending.
    classes : (m,) int64
        How many classes there are of each size.
    fraction
        Sampling fraction π, above 0 and at most 1.

    Examples
    --------
    >>> import numpy as np
    >>> found = SampleClasses.of(np.array([1, 1, 3]), 0.5)
    >>> found.uniques, found.people, found.population
    (2, 5, 10)
    """

    sizes: NDArray[np.int64]
    classes: NDArray[np.int64]
    fraction: float

    @classmethod
    def of(cls, sizes: NDArray[np.int64], fraction: float) -> SampleClasses:
        """Count classes of each size, given the size of each; empty ones are none."""
        checked = check_fraction(fraction)
        found, classes = np.unique(sizes[sizes > 0], return_counts=True)
        if not found.size:
            raise PolicyError(
                "uniqueness: the sample has no classes, so nothing can be said of the population"
            )
        return cls(found.astype(np.int64), classes.astype(np.int64), checked)

    @property
    def people(self) -> int:
        """n, the size of the sample."""
        return int((self.sizes * self.classes).sum())

    @property
    def population(self) -> int:
        """N = n / π, rounded."""
        return max(self.people, round(self.people / self.fraction))

    @property
    def count(self) -> int:
        """u, the number of classes."""
        return int(self.classes.sum())

    @property
    def uniques(self) -> int:
        """s₁, the number of classes of one."""
        return int(self.classes[self.sizes == 1].sum())

    @property
    def pairs(self) -> int:
        """s₂, the number of classes of two."""
        return int(self.classes[self.sizes == 2].sum())


def check_fraction(fraction: float) -> float:
    """Return a sampling fraction; raises `PolicyError` when it is none."""
    return float(number("risk", "sampling_fraction", fraction, above=0, at_most=1))


def zayatz(sample: SampleClasses) -> float | None:
    """Share of the population that is unique, by Zayatz' model: Bayes' rule, as if its classes were as large as the sample's.

    P(F = 1 | f = 1) = p₁ P(f = 1 | F = 1) / Σ_j p_j P(f = 1 | F = j), where p_j is the share of the sample's classes that are of
    size j, and f given F is hypergeometric; population uniques are s₁ P(F = 1 | f = 1) N / n.

    References
    ----------
    Zayatz 1991, "Estimation of the number of unique population elements using a sample", ASA Proceedings; Dankar et al. 2012,
    appendix A.

    Examples
    --------
    >>> import numpy as np
    >>> round(zayatz(SampleClasses.of(np.array([1, 1, 2, 4]), 0.5)), 4)  # N = 16: 2 / 8 · .25 / (.25 + 2/15 + 8/130)
    0.1405
    """
    if not sample.uniques:
        return 0.0
    size, people = sample.population, sample.people
    once = np.array([_once(size, int(own), people) for own in sample.sizes])
    shares = sample.classes / sample.count
    given = float(shares[0] * once[0] / (shares * once).sum())
    return sample.uniques * given / people


def _once(population: int, own: int, drawn: int) -> float:
    """Probability that exactly one of ``own`` people is drawn, of a population, without replacement."""
    rest = population - own
    if drawn - 1 > rest:
        return 0.0
    return exp(log(own) + _log_choose(rest, drawn - 1) - _log_choose(population, drawn))


def _log_choose(of: int, some: int) -> float:
    """Logarithm of a binomial coefficient."""
    return lgamma(of + 1) - lgamma(some + 1) - lgamma(of - some + 1)


def shlosser(sample: SampleClasses) -> float:
    """Estimate how many classes the population has, by Shlosser's modified estimator; slide negative binomial models take it.

    u + s₁ · [Σ i π² (1 − π²)^(i−1) s_i / Σ (1 − π)^i ((1 + π)^i − 1) s_i] · [Σ (1 − π)^i s_i / Σ i π (1 − π)^(i−1) s_i]²

    References
    ----------
    Haas & Stokes 1998, "Estimating the number of classes in a finite population", JASA 93, estimator D_Sh3.
    """
    fraction, i, s = sample.fraction, sample.sizes.astype(float), sample.classes.astype(float)
    if fraction >= 1:
        return float(sample.count)
    left = 1 - fraction
    squared = fraction * fraction
    upper = (i * squared * (1 - squared) ** (i - 1) * s).sum()
    # (1 − π)^i (1 + π)^i is (1 − π²)^i, which does not overflow.
    lower = (((1 - squared) ** i - left**i) * s).sum()
    missed, once = (left**i * s).sum(), (i * fraction * left ** (i - 1) * s).sum()
    if lower <= 0 or once <= 0:
        return float(sample.count)
    return float(sample.count + sample.uniques * (upper / lower) * (missed / once) ** 2)


def slide_negative_binomial(sample: SampleClasses) -> float | None:
    """Share of the population that is unique, by the slide negative binomial model; None where no parameters fit.

    One less than the size of a class of the population has a negative binomial distribution of shape α and probability β; there
    are K classes (`shlosser`), so K β^α people are unique. With d = (1 − π)(1 − β), α and β solve

    * s₁ = K π (β / (1 − d))^α (α d / (1 − d) + 1)
    * s₂ = K α β^α π² (1 − β) (2 − (1 − α) d) / (2 (1 − d)^(α + 2))

    Their ratio is quadratic in α, so that one unknown is left, which is looked for along all of β, and from no start.

    References
    ----------
    Chen & Keller-McNulty 1998, "Estimation of identification disclosure risk in microdata", Journal of Official Statistics 14.
    """
    if not sample.uniques:
        return 0.0
    if sample.fraction >= 1:
        return sample.uniques / sample.people
    classes, fraction = shlosser(sample), sample.fraction
    if not sample.pairs:
        return None
    wanted = sample.pairs / sample.uniques

    def off(place: float) -> float:
        """How far s₁ is missed at β, given by its log odds; infinite where no α has the ratio."""
        beta = 1 / (1 + exp(-place))
        shape = _shape(beta, fraction, wanted)
        if shape is None:
            return inf
        d = (1 - fraction) * (1 - beta)
        told = log(classes * fraction) + shape * (log(beta) - log(1 - d)) + log(shape * d / (1 - d) + 1)
        return told - log(sample.uniques)

    place = _root(off, -14.0, 14.0)
    if place is None:
        return None
    beta = 1 / (1 + exp(-place))
    shape = _shape(beta, fraction, wanted)
    return None if shape is None else min(1.0, classes * beta**shape / sample.population)


def _shape(beta: float, fraction: float, ratio: float) -> float | None:
    """Find the α above 0 for which s₂ / s₁ is a ratio, at some β."""
    d = (1 - fraction) * (1 - beta)
    # α c (2 − d + α d) = ratio · 2 (1 − d) (1 − d + α d), with c = π (1 − β).
    c, right = fraction * (1 - beta), 2 * ratio * (1 - d)
    a, b, e = c * d, c * (2 - d) - right * d, -right * (1 - d)
    if a <= 0:
        return None
    return float((-b + (b * b - 4 * a * e) ** 0.5) / (2 * a))


def _root(function: Callable[[float], float], low: float, high: float) -> float | None:
    """Find where a function is 0: among even places first, then by halving; None where it never changes its sign."""
    places = np.linspace(low, high, 8 * _PLACES).tolist()
    values = [function(place) for place in places]
    for i in range(len(places) - 1):
        one, other = values[i], values[i + 1]
        if not (np.isfinite(one) and np.isfinite(other)) or one * other > 0:
            continue
        left, right = places[i], places[i + 1]
        for _ in range(_STEPS):
            middle = (left + right) / 2
            if function(middle) * one > 0:
                left = middle
            else:
                right = middle
        return float((left + right) / 2)
    return None


def pitman(sample: SampleClasses) -> float | None:
    """Share of the population that is unique, by Pitman's sampling formula.

    θ and α, 0 ≤ α < 1, maximize the likelihood of the sample's classes (Hoshino 2001, equation 7)

    Σ_{i=1}^{u−1} log(θ + iα) − Σ_{i=1}^{n−1} log(θ + i) + Σ_j s_j Σ_{i=1}^{j−1} log(i − α),

    and the expected number of uniques in a population of N is N Γ(θ + α + N − 1) Γ(θ + 1) / (Γ(θ + α) Γ(θ + N)), which
    Hoshino writes for large N as Γ(θ + 1) / Γ(θ + α) · N^α. It is looked for along all of α, and of θ for each.

    References
    ----------
    Pitman 1995, "Exchangeable and partially exchangeable random partitions", Probability Theory and Related Fields 102; Hoshino
    2001, "Applying Pitman's sampling formula to microdata disclosure risk assessment", Journal of Official Statistics 17.
    """
    if not sample.uniques:
        return 0.0
    if sample.fraction >= 1:
        return sample.uniques / sample.people
    if sample.uniques == sample.people:
        return 1.0  # the likelihood grows towards classes that nobody shares
    size = sample.population

    def best(alpha: float) -> tuple[float, float]:
        """The largest likelihood at an α, and log(θ + α) there."""
        within = float(
            sum(
                s * (lgamma(j - alpha) - lgamma(1 - alpha))
                for j, s in zip(sample.sizes.tolist(), sample.classes.tolist(), strict=True)
            )
        )
        place = highest(lambda t: _between(sample, alpha, exp(t) - alpha), -12.0, log(1e3 * sample.people))
        return within + _between(sample, alpha, exp(place) - alpha), place

    alpha = highest(lambda own: best(own)[0], 0.0, 0.9999)
    theta = exp(best(alpha)[1]) - alpha
    told = lgamma(theta + alpha + size - 1) + lgamma(theta + 1) - lgamma(theta + alpha) - lgamma(theta + size)
    return min(1.0, exp(told))


def _between(sample: SampleClasses, alpha: float, theta: float) -> float:
    """Compute the part of Pitman's likelihood that θ changes."""
    u, n = sample.count, sample.people
    if alpha < 1e-3:  # differences of large logarithms would cancel
        first = float(np.log(theta + alpha * np.arange(1, u)).sum()) if u > 1 else 0.0
    else:
        first = (u - 1) * log(alpha) + lgamma(theta / alpha + u) - lgamma(theta / alpha + 1)
    return first - lgamma(theta + n) + lgamma(theta + 1)


def highest(function: Callable[[float], float], low: float, high: float) -> float:
    """Find where a function is highest, between two ends: among even places first, then by golden sections around the best."""
    places = np.linspace(low, high, _PLACES).tolist()
    values = [function(place) for place in places]
    at = int(np.argmax(values))
    left, right = places[max(0, at - 1)], places[min(_PLACES - 1, at + 1)]
    one, other = right - _GOLDEN * (right - left), left + _GOLDEN * (right - left)
    first, second = function(one), function(other)
    for _ in range(_STEPS):
        if right - left < 1e-9 * (1 + abs(left)):
            break
        if first >= second:
            right, other, second = other, one, first
            one = right - _GOLDEN * (right - left)
            first = function(one)
        else:
            left, one, first = one, other, second
            other = left + _GOLDEN * (right - left)
            second = function(other)
    return float((left + right) / 2)


def dankar(sample: SampleClasses) -> tuple[float, str]:
    """Share of the population that is unique by the decision rule of Dankar et al., and the model that it chose.

    Up to a sampling fraction of .1 Pitman's model; above it the smaller of Zayatz' and the slide negative binomial estimate, the
    first where the second has none.

    References
    ----------
    Dankar, El Emam, Neisa & Roffey 2012, "Estimating the re-identification risk of clinical data sets", BMC Medical Informatics
    and Decision Making 12:66.
    """
    first = zayatz(sample)
    assert first is not None  # noqa: S101  # it always has an estimate
    if sample.fraction <= 0.1:
        found = pitman(sample)
        return (first, "zayatz") if found is None else (found, "pitman")
    second = slide_negative_binomial(sample)
    return (first, "zayatz") if second is None or first < second else (second, "slide-negative-binomial")


def usual_models(sample: SampleClasses) -> dict[str, float | None]:
    """Estimate the share of the population that is unique by each of the usual models; None where one has no estimate.

    Examples
    --------
    >>> import numpy as np
    >>> found = usual_models(SampleClasses.of(np.array([1, 2, 3]), 1.0))
    >>> {name: round(own, 4) for name, own in found.items()}  # all of the population was seen: one of six
    {'zayatz': 0.1667, 'slide-negative-binomial': 0.1667, 'pitman': 0.1667, 'dankar': 0.1667}
    """
    told = (zayatz(sample), slide_negative_binomial(sample), pitman(sample), dankar(sample)[0])
    return dict(zip(MODELS, told, strict=True))
