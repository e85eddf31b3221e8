"""The risk of somebody of whom only the size of their class in a sample is known, by the usual models of official statistics."""

from __future__ import annotations

from math import exp, lgamma, log
from typing import TYPE_CHECKING

import numpy as np

from likeness.checks import number, whole
from likeness.risk.uniqueness import check_fraction

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MOST = 10**9
"""Above this, nobody asks for a class of a sample."""


def individual_risk(sizes: NDArray[np.int64], fraction: float) -> NDArray[np.float64]:
    """(t,) Expected chance 1 / F of finding somebody whose class has ``sizes`` people in the sample, by Benedetti and Franconi.

    F given f is negative binomial: P(F = h | f) = C(h − 1, f − 1) p^f (1 − p)^(h − f), h ≥ f, with p = f over the sum of the
    sampling weights, here the sampling fraction. So the mean of 1 / F is I_f = ∫₀¹ y^(f−1) p / (p + (1 − p) y) dy: μ-Argus and
    sdcMicro print p / (1 − p) · log(1 / p) for f = 1 and p / (1 − p) · (1 − p / (1 − p) · log(1 / p)) for f = 2, and by parts
    I_f = p / (1 − p) · (1 / (f − 1) − I_{f−1}) for all others.

    Parameters
    ----------
    sizes : (t,) int64
        f of each, at least 1.
    fraction
        p, the sampling fraction.

    References
    ----------
    Benedetti & Franconi 1998, "Statistical and technological solutions for controlled data dissemination", NTTS; Polettini 2003,
    "Some remarks on the individual risk methodology", section 2.

    Examples
    --------
    >>> import numpy as np
    >>> individual_risk(np.array([1, 2, 3]), 0.1).round(4)  # .1 / .9 · log 10 and so on
    array([0.2558, 0.0827, 0.0464])
    """
    p = check_fraction(fraction)
    own, of = np.unique(sizes, return_inverse=True)
    if p == 1:
        return np.asarray((1 / own)[of.reshape(-1)])
    # Gauss and Legendre's nodes are exact to rounding but for the first sizes, whose integrand is steep at 0.
    nodes, weights = np.polynomial.legendre.leggauss(200)
    y, w = (nodes + 1) / 2, weights / 2
    ratio = p / (1 - p)
    first = ratio * log(1 / p)
    closed = {1: first, 2: ratio * (1 - first)}
    risk = [
        closed[size] if size in closed else float((w * y ** (size - 1) * p / (p + (1 - p) * y)).sum())
        for size in own.tolist()
    ]
    return np.asarray(np.array(risk)[of.reshape(-1)])


def least_sample_size(k: int, fraction: float, significance: float = 0.05) -> int:
    """Smallest class of a sample from which it can be said that the population has k such people or more.

    The hypothesis that there are k − 1 of them is refused where so many in the sample would be too improbable: their number is
    binomial with the sampling fraction, and at least one is there, since the class was seen. That is the test of El Emam and
    Dankar, who approximate by a Poisson distribution truncated at 0; with `poisson_sample_size` as they write it.

    References
    ----------
    El Emam & Dankar 2008, "Protecting privacy using k-anonymity", JAMIA 15, hypothesis testing for k-map.

    Examples
    --------
    >>> least_sample_size(5, 0.1), poisson_sample_size(5, 0.1), least_sample_size(5, 1.0)
    (3, 3, 5)
    """
    k, p, level = _asked(k, fraction, significance)
    hidden = k - 1
    if hidden == 0:
        return 1
    if p == 1:
        return k
    seen = 1 - (1 - p) ** hidden
    chances = [
        exp(
            lgamma(hidden + 1)
            - lgamma(i + 1)
            - lgamma(hidden - i + 1)
            + i * log(p)
            + (hidden - i) * log(1 - p)
        )
        for i in range(1, hidden + 1)
    ]
    return _first_improbable(chances, seen, level)


def poisson_sample_size(k: int, fraction: float, significance: float = 0.05) -> int:
    """`least_sample_size`, with the Poisson distribution truncated at 0 that El Emam & Dankar 2008 take."""
    k, p, level = _asked(k, fraction, significance)
    mean = (k - 1) * p
    if mean == 0:
        return 1
    chances = [exp(i * log(mean) - mean - lgamma(i + 1)) for i in range(1, k + 60)]
    return min(k, _first_improbable(chances, 1 - exp(-mean), level))


def _asked(k: int, fraction: float, significance: float) -> tuple[int, float, float]:
    """Check what a test is asked for."""
    level = float(number("risk", "significance", significance, above=0, at_most=0.5))
    return whole("risk", "k", k, at_least=1, at_most=_MOST), check_fraction(fraction), level


def _first_improbable(chances: list[float], seen: float, significance: float) -> int:
    """Find the number from which on all are together no more probable than the significance, given that one was seen."""
    beyond, size = 0.0, len(chances) + 1
    while size > 1 and (beyond + chances[size - 2]) / seen <= significance:
        beyond += chances[size - 2]
        size -= 1
    return size
