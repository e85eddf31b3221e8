"""The published mechanism of a perturbed column: what each value may become, and how likely that is.

A mechanism is what a perturbed release is proven by, drawn from and read with: whoever has it can check how
far a published value may raise confidence in an original one, and estimate how often the original ones occur.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from likeness.errors import InvalidError, LikenessError
from likeness.microdata import _posterior, _reconstruction
from likeness.microdata._stream import uniform_integers
from likeness.wording import count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likeness.exact import Real

SCALE = 10**15
"""Probabilities are whole multiples of 1 / SCALE: 15 decimals say them exactly."""
MOST_VALUES = 1_000
"""Largest number of sensitive values: the matrix has its square."""

Variant = Literal["plain", "clipped", "simplex", "bayes"]


@dataclass(frozen=True, eq=False)
class Mechanism:
    """A randomized response: the chance that each original value is published as each value.

    Values that do not occur take no part: their rows and columns are zero.

    Parameters
    ----------
    counts : (m,) int64
        Records of every value in the original column, over the published records: the adversary's prior.
    numerators : (m, m) int64
        ``PM[v, i] = numerators[v, i] / scale``: the chance that original value i is published as v. Rows are
        published values, columns original ones; every column of a value that occurs sums to ``scale``.
    scale
        The common denominator.

    References
    ----------
    Cao & Karras 2012 (paper 002), section 5, Definition 6 and matrix PM.

    Examples
    --------
    >>> coin = Mechanism(np.array([3, 1]), np.array([[75, 25], [25, 75]]), 100)
    >>> coin.problems()
    []
    >>> coin.largest_posteriors()
    [Fraction(9, 10), Fraction(1, 2)]
    >>> coin.reconstruct(np.array([10, 10])).tolist()
    [10.0, 10.0]
    """

    counts: NDArray[np.int64]
    numerators: NDArray[np.int64]
    scale: int = SCALE

    @property
    def values(self) -> int:
        """m, the number of codes, those that do not occur included."""
        return int(self.counts.shape[0])

    @cached_property
    def active(self) -> NDArray[np.int64]:
        """Codes of the values that occur, ascending."""
        return np.flatnonzero(self.counts > 0)

    @cached_property
    def matrix(self) -> NDArray[np.float64]:
        """(m, m) PM as floats."""
        return self.numerators / self.scale

    def problems(self) -> list[str]:
        """Say what keeps this from being a mechanism; empty when nothing does."""
        m = self.values
        if self.counts.ndim != 1 or self.numerators.shape != (m, m):
            return [f"the matrix must be {m} by {m}; got {' by '.join(map(str, self.numerators.shape))}"]
        if m > MOST_VALUES:
            return [f"the matrix has {count(m, 'value')}; at most {MOST_VALUES} are supported"]
        if not 0 < self.scale <= SCALE:
            return [f"the denominator must be from 1 to {SCALE}; got {self.scale}"]
        if (self.counts < 0).any() or not self.active.size:
            return ["the numbers of original records must be at least 0, and one of them above"]
        if (self.numerators < 0).any() or (self.numerators > self.scale).any():
            return ["every entry of the matrix must be a probability, from 0 to 1"]
        sums = np.where(self.counts > 0, self.scale, 0)
        wrong = np.flatnonzero(self.numerators.sum(axis=0) != sums)
        found = [
            f"column {i} of the matrix must sum to {Fraction(int(sums[i]), self.scale)}; it sums to "
            f"{Fraction(int(self.numerators[:, i].sum()), self.scale)}"
            for i in wrong.tolist()
        ]
        idle = np.flatnonzero((self.counts == 0) & (self.numerators > 0).any(axis=1))
        found += [
            f"row {v} of the matrix is of a value that does not occur; it must be 0" for v in idle.tolist()
        ]
        return found

    def check(self) -> None:
        """Refuse what is not a mechanism.

        Raises
        ------
        InvalidError
            Saying everything that is wrong with it.
        """
        found = self.problems()
        if found:
            raise InvalidError(*(f"perturbation: {problem}" for problem in found))

    def posterior_holds(
        self, limits: Sequence[Real], group: NDArray[np.int64] | None = None
    ) -> NDArray[np.bool_]:
        """Decide for every value whether no published value raises confidence in it above its limit.

        ``max_v p_i PM[v, i] / Σ_j p_j PM[v, j] <= limit_i`` (paper 002, Definitions 6 and 7), exactly: floats
        decide only what is far from equality.

        Parameters
        ----------
        limits
            One per value, or one per group of values.
        group : (m,) int64, optional
            Group of each value, when confidence in groups is limited.

        Returns
        -------
        (m,) or (groups,) bool
            True for values that do not occur.

        Examples
        --------
        >>> from likeness.exact import Real
        >>> coin = Mechanism(np.array([3, 1]), np.array([[75, 25], [25, 75]]), 100)
        >>> coin.posterior_holds([Real.of(Fraction(9, 10)), Real.of(Fraction(49, 100))])
        array([ True, False])
        """
        return _posterior.holds(self.counts, self.numerators, limits, group)

    def largest_posteriors(self, group: NDArray[np.int64] | None = None) -> list[Fraction]:
        """Largest confidence any published value gives in each value (or group), exactly; 0 where none occurs."""
        return _posterior.largest(self.counts, self.numerators, group)

    def gains(self, group: NDArray[np.int64] | None = None) -> list[Fraction]:
        """Largest relative gain of confidence in each value (or group): posterior over prior, less 1."""
        total = int(self.counts.sum())
        own = self.counts if group is None else np.bincount(group, self.counts).astype(np.int64)
        return [
            Fraction(0) if n == 0 else most * total / n - 1
            for most, n in zip(self.largest_posteriors(group), own.tolist(), strict=True)
        ]

    @cached_property
    def retention(self) -> NDArray[np.float64] | None:
        """(m,) Chance α_i to keep each value before drawing from all; None for any other kind of matrix.

        The matrix is then ``diag(α) + 1 Yᵀ`` on the values that occur; α is 0 for those that do not.
        """
        found = _reconstruction.structure(self.numerators[np.ix_(self.active, self.active)], self.scale)
        if found is None:
            return None
        alpha = np.zeros(self.values)
        alpha[self.active] = found[0]
        return alpha

    def moved(self, codes: NDArray[np.integer], values: int) -> Mechanism:
        """Give the same mechanism in the codes of another domain.

        Parameters
        ----------
        codes : (m,) int
            New code of every value; looked at for values that occur.
        values
            Number of codes there.

        Examples
        --------
        >>> coin = Mechanism(np.array([3, 1]), np.array([[75, 25], [25, 75]]), 100)
        >>> coin.moved(np.array([2, 0]), 3).counts.tolist()
        [1, 0, 3]
        """
        new = np.asarray(codes)[self.active]
        counts, numerators = np.zeros(values, np.int64), np.zeros((values, values), np.int64)
        counts[new] = self.counts[self.active]
        numerators[np.ix_(new, new)] = self.numerators[np.ix_(self.active, self.active)]
        return Mechanism(counts, numerators, self.scale)

    @property
    def expected_truth(self) -> float:
        """Expected share of records that are published with their own value."""
        return float(self.counts @ np.diag(self.matrix) / self.counts.sum())

    def perturb(self, codes: NDArray[np.integer], rng: np.random.Generator) -> NDArray[np.int32]:
        """Draw a published value for every record, independently and with exactly the matrix's chances.

        Record r becomes the first v with ``u_r < numerators[0, i] + … + numerators[v, i]``, where the u are
        uniform below ``scale`` (see `uniform_integers`).

        Parameters
        ----------
        codes : (n,) int
            Original values; all must occur in ``counts``.
        rng
            Where one key of 256 bits is taken from.

        Returns
        -------
        (n,) int32
        """
        return self.publish(codes, uniform_integers(rng, codes.shape[0], self.scale))

    def publish(self, codes: NDArray[np.integer], draws: NDArray[np.int64]) -> NDArray[np.int32]:
        """Publish records by given draws (see `perturb`).

        Parameters
        ----------
        codes : (n,) int
            Original values.
        draws : (n,) int64
            One integer from 0 to ``scale - 1`` per record.
        """
        order = np.argsort(codes.astype(np.int16), kind="stable")
        sizes = np.bincount(codes, minlength=self.values)
        if sizes.shape[0] > self.values or (sizes[self.counts == 0] > 0).any():
            raise LikenessError("perturbation: a record has a value that the mechanism does not know")
        ends = np.cumsum(sizes)
        up_to = np.cumsum(self.numerators, axis=0)
        found = np.empty(codes.shape[0], np.int32)
        for i in np.flatnonzero(sizes).tolist():
            own = order[ends[i] - sizes[i] : ends[i]]
            found[own] = np.searchsorted(up_to[:, i], draws[own], side="right")
        return found

    def plausible(self, published: NDArray[np.integer], original: NDArray[np.integer]) -> bool:
        """Whether about as many values were published as themselves as the mechanism keeps.

        Released by the mechanism, fewer than one table in 10^12 is not plausible (more than 8 standard deviations and 8 records
        away from the expectation; Bernstein's inequality).

        Parameters
        ----------
        published, original : (n,) int
            Codes of every record.

        Examples
        --------
        >>> coin = Mechanism(np.array([300, 100]), np.array([[75, 25], [25, 75]]), 100)
        >>> values = np.repeat([0, 1], [300, 100])
        >>> coin.plausible(values, values), coin.plausible(coin.perturb(values, np.random.default_rng(1)), values)
        (False, True)
        """
        chance = np.diag(self.matrix)[original]
        kept = int(np.count_nonzero(published == original))
        away = abs(kept - float(chance.sum()))
        return bool(away <= 8 * float((chance * (1 - chance)).sum()) ** 0.5 + 8)

    @cached_property
    def _inverter(self) -> _reconstruction.Inverter:
        inside = self.numerators[np.ix_(self.active, self.active)]
        return _reconstruction.Inverter(inside, self.scale, self.counts[self.active])

    def reconstruct(
        self, counts: NDArray[np.number[Any]], variant: Variant = "plain", **options: Any
    ) -> NDArray[np.float64]:
        """Estimate how often each original value occurs among records, from their published values.

        Parameters
        ----------
        counts : (..., m)
            Published records of each value; every leading index is a set of records of its own.
        variant
            ``plain``: ``PM⁻¹ counts``, unbiased, may be negative. ``clipped``: negative estimates are set to 0 and
            the rest scaled to the same total. ``simplex``: the nearest point (Euclid) with no negative entry and
            the same total. ``bayes``: iterative Bayes from the published distribution towards the most likely
            non-negative counts. The last three are biased, mostly for rare values, and often nearer.
        options
            Of ``bayes``: ``rounds`` (200 by default) and ``tolerance`` (stops earlier when a round moves less
            than this share of the records, 1e-7 by default). Where little is kept, more rounds follow the noise:
            stopped early, estimates stay nearer to the published distribution.

        Returns
        -------
        (..., m) float64

        Raises
        ------
        LikenessError
            When the matrix has no inverse, unless by ``bayes``; when a record has a value that is never published.

        References
        ----------
        Cao & Karras 2012 (paper 002), section 5 (N' = PM⁻¹ E'); Agrawal & Aggarwal 2001 for ``bayes``.
        """
        observed = np.asarray(counts, np.float64)
        if observed.shape[-1:] != (self.values,):
            raise LikenessError(
                f"perturbation: counts must be of {count(self.values, 'value')}; got shape {observed.shape}"
            )
        if self.active.size < self.values and observed[..., self.counts == 0].any():
            raise LikenessError("perturbation: a record has a value that the mechanism never publishes")
        found = np.zeros(observed.shape)
        if self.active.size:
            found[..., self.active] = self._inverter.estimate(observed[..., self.active], variant, **options)
        return found

    def standard_errors(self) -> NDArray[np.float64]:
        """Standard error of the number of records of each original value, reconstructed plainly from all records.

        Every value is drawn by itself, so the published numbers have the covariance ``Σ_i n_i (diag(c_i) - c_i c_iᵀ)``
        with ``c_i`` the columns of PM and ``n_i`` the records of each original value; with ``B = PM⁻¹`` the variance of an
        estimate is ``Σ_v B[i, v]² (PM n)_v - n_i``. From a share s of the records it is about s times as much.

        Returns
        -------
        (m,) float64
            0 for values that do not occur.

        Raises
        ------
        LikenessError
            When the matrix has no inverse.

        Examples
        --------
        >>> Mechanism(np.array([48, 16]), np.array([[75, 25], [25, 75]]), 100).standard_errors().round(3)
        array([6.928, 6.928])
        """
        inverse = self._inverter.estimate(np.eye(self.active.size), "plain").T
        counts = self.counts[self.active]
        shown = self.matrix[np.ix_(self.active, self.active)] @ counts
        found = np.zeros(self.values)
        found[self.active] = np.sqrt(np.maximum(inverse**2 @ shown - counts, 0.0))
        return found
