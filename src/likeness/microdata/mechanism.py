"""The published mechanism of a perturbed column: what each value may become, and how likely that is.

A mechanism is what a perturbed release is proven by, drawn from and read with: whoever has it can check how
far a published value may raise confidence in an original one, and estimate how often the original ones occur.

Draws are unbiased integers from a cryptographic stream. How far a published value raises confidence in an original one is
decided exactly: floats, with a bound on their error, decide what is far from equality, integers the rest. Original counts are
estimated from published ones by the inverse of the matrix, or its non-negative variants.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from likeness.errors import InvalidError, LikenessError, suggestion
from likeness.microdata.grouping import add_up
from likeness.wording import count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likeness.exact import Real

_KEY_BYTES = 32
_DRAWN = 1 << 20
"""Records whose values are drawn at a time, where they are counted."""
_WORDS = 1 << 18
"""64-bit words of one block: 2 MB of memory, whatever the table's size."""


def uniform_integers(rng: np.random.Generator, size: int, below: int) -> NDArray[np.int64]:
    """Draw ``size`` independent integers, each of ``0 … below - 1`` equally likely; ``below`` is at most 2**62.

    One key of 256 bits is taken from the generator; the integers come from SHAKE-256 of the key and a block number, and
    are as hard to guess as what the generator was seeded with. Its own numbers would give its state away to whoever sees
    enough of them.
    """
    key = rng.bytes(_KEY_BYTES)
    # Words above the last multiple of `below` are drawn again, which leaves no remainder more likely.
    bound = np.uint64((1 << 64) // below * below - 1)
    found = np.empty(size, np.int64)
    filled = block = 0
    while filled < size:
        words = min(_WORDS, size - filled + 64)
        message = key + block.to_bytes(8, "little")
        drawn = np.frombuffer(hashlib.shake_256(message).digest(8 * words), "<u8")
        good = drawn[drawn <= bound][: size - filled] % np.uint64(below)
        found[filled : filled + good.size] = good.astype(np.int64)
        filled += good.size
        block += 1
    return found


class _Confidence:
    """Confidence ``Σ_{i in g} n_i N[v, i] / Σ_j n_j N[v, j]`` in group g after seeing v."""

    def __init__(
        self, counts: NDArray[np.int64], numerators: NDArray[np.int64], group: NDArray[np.int64] | None
    ) -> None:
        self._counts, self._numerators = counts, numerators
        self.groups = counts.shape[0] if group is None else int(group.max(initial=-1)) + 1
        of = np.arange(counts.shape[0]) if group is None else group
        self._members = [np.flatnonzero(of == g) for g in range(self.groups)] if group is not None else None
        joint = numerators.astype(np.float64) * counts.astype(np.float64)
        totals = joint.sum(axis=1)
        # A row that nothing leads to is never published.
        self.rows = np.flatnonzero(totals > 0)
        if self._members is not None:
            joint = np.stack([joint[:, own].sum(axis=1) for own in self._members], axis=1)
        self.rough = joint[self.rows] / totals[self.rows, None]
        # Sums of m non-negative products: relative error below (m + 4) units of rounding each.
        self.error = (2 * counts.shape[0] + 16) * 2.0**-53
        self._totals: dict[int, int] = {}

    def exact(self, rows: NDArray[np.int64], g: int) -> Fraction:
        """Largest confidence in g over some rows (positions in `rows`)."""
        if self._members is None:
            parts = [int(n) for n in self._numerators[self.rows[rows], g]]
            weight = int(self._counts[g])
            above = [part * weight for part in parts]
        else:
            own = self._members[g]
            block = self._numerators[np.ix_(self.rows[rows], own)].astype(object)
            above = (block @ self._counts[own].astype(object)).tolist()
        least: dict[int, int] = {}
        for row, part in zip(self.rows[rows].tolist(), above, strict=True):
            total = self._total(row)
            least[part] = min(total, least.get(part, total))
        return max((Fraction(part, total) for part, total in least.items()), default=Fraction(0))

    def _total(self, row: int) -> int:
        if row not in self._totals:
            terms = zip(self._counts.tolist(), self._numerators[row].tolist(), strict=True)
            self._totals[row] = sum(n * part for n, part in terms)
        return self._totals[row]


def holds(
    counts: NDArray[np.int64],
    numerators: NDArray[np.int64],
    limits: Sequence[Real],
    group: NDArray[np.int64] | None,
) -> NDArray[np.bool_]:
    """Decide for every value or group whether confidence in it stays within its limit."""
    confidence = _Confidence(counts, numerators, group)
    good = np.zeros(confidence.groups, np.bool_)
    for g in range(confidence.groups):
        low, high = limits[g].enclose(30)
        rough = confidence.rough[:, g]
        most = float(rough.max(initial=0.0))
        if most * (1 + confidence.error) <= float(low) * (1 - 2.0**-50):
            good[g] = True
        elif most * (1 - confidence.error) <= float(high) * (1 + 2.0**-50):
            good[g] = limits[g].at_least(confidence.exact(_near_the_top(rough, confidence.error), g))
    return good


def largest(
    counts: NDArray[np.int64], numerators: NDArray[np.int64], group: NDArray[np.int64] | None
) -> list[Fraction]:
    """Find the largest confidence in every value or group, exactly."""
    confidence = _Confidence(counts, numerators, group)
    return [
        confidence.exact(_near_the_top(confidence.rough[:, g], confidence.error), g)
        for g in range(confidence.groups)
    ]


def _near_the_top(rough: NDArray[np.float64], error: float) -> NDArray[np.int64]:
    """Rows that may have the largest confidence."""
    return np.flatnonzero(rough >= rough.max(initial=0.0) * (1 - 4 * error))


VARIANTS = ("plain", "clipped", "simplex", "bayes")
_CELLS = 1 << 14
_PRODUCTS = 1 << 18
_SINGULAR = (
    "perturbation: the matrix has no inverse, because too little of the original values is kept; "
    "reconstruct with variant 'bayes'"
)


def structure(
    numerators: NDArray[np.int64], scale: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Write the matrix ``numerators / scale`` as ``diag(α) + 1 Yᵀ``: α and Y; None when it is not of that kind.

    >>> structure(np.array([[75, 25], [25, 75]]), 100)
    (array([0.5, 0.5]), array([0.25, 0.25]))
    """
    m = numerators.shape[0]
    if m == 1:
        return np.ones(1), np.zeros(1)
    elsewhere = numerators[np.where(np.arange(m) == 0, 1, 0), np.arange(m)]
    same = numerators == elsewhere
    np.fill_diagonal(same, True)
    if not same.all():
        return None
    return (np.diag(numerators) - elsewhere) / scale, elsewhere / scale


class Inverter:
    """Reads published counts with one matrix, ``numerators / scale`` (m, m), all of whose values occur.

    ``counts``: (m,) int64, original records of each value: where iterative Bayes begins.
    """

    def __init__(self, numerators: NDArray[np.int64], scale: int, counts: NDArray[np.int64]) -> None:
        self._structure = structure(numerators, scale)
        self._matrix = numerators / scale
        self._prior = counts / counts.sum()
        self._inverse: NDArray[np.float64] | None = None

    def estimate(
        self,
        observed: NDArray[np.float64],
        variant: str,
        *,
        rounds: int = 200,
        tolerance: float = 1e-7,
    ) -> NDArray[np.float64]:
        """(..., m) Estimates by one of the `VARIANTS`."""
        if variant not in VARIANTS:
            raise LikenessError(f"perturbation: no reconstruction {variant!r}{suggestion(variant, VARIANTS)}")
        if variant == "bayes":
            return self._bayes(observed, rounds, tolerance)
        plain = self._plain(observed)
        if variant == "plain":
            return plain
        total = observed.sum(axis=-1, keepdims=True)
        return clip(plain, total) if variant == "clipped" else project(plain, total)

    def _plain(self, observed: NDArray[np.float64]) -> NDArray[np.float64]:
        if self._structure is None:
            if self._inverse is None:
                self._inverse = _inverse(self._matrix)
            return np.asarray(observed @ self._inverse.T)
        alpha, constant = self._structure
        order = np.argsort(np.abs(alpha), kind="stable")
        least = order[0]
        if alpha.size > 1 and alpha[order[1]] == 0:
            raise LikenessError(_SINGULAR)
        # Sherman & Morrison, multiplied by the smallest α, which may be 0.
        others = order[1:]
        weights = constant * 1.0
        weights[others] *= alpha[least] / alpha[others]
        below = alpha[least] + weights.sum()
        if abs(below) < 1e-13 * (abs(alpha[least]) + np.abs(weights).sum()):
            raise LikenessError(_SINGULAR)
        shared = (observed @ weights) / below
        found = np.empty(observed.shape)
        found[..., others] = (observed[..., others] - shared[..., None]) / alpha[others]
        # Columns sum to 1, so totals are kept; this stays accurate when the smallest α is tiny.
        found[..., least] = observed.sum(axis=-1) - found[..., others].sum(axis=-1)
        return np.asarray(found)

    def _bayes(self, observed: NDArray[np.float64], rounds: int, tolerance: float) -> NDArray[np.float64]:
        flat = observed.reshape(-1, observed.shape[-1])
        found = np.zeros(flat.shape)
        # As many at a time as stay in the processor's cache for all rounds; products of more are spread over
        # threads, which costs more than it gains.
        m = flat.shape[1]
        step = max(1, _CELLS // m) if self._structure is not None else max(16, _PRODUCTS // m**2)
        for begin in range(0, flat.shape[0], step):
            found[begin : begin + step] = self._iterate(flat[begin : begin + step], rounds, tolerance)
        return np.asarray(found.reshape(observed.shape))

    def _iterate(self, flat: NDArray[np.float64], rounds: int, tolerance: float) -> NDArray[np.float64]:
        """(q, m) Iterative Bayes from the published distribution; every row stops by itself."""
        found = np.zeros(flat.shape)
        rows = np.flatnonzero(flat.any(axis=1))
        seen = flat[rows]
        enough = tolerance * seen.sum(axis=1)
        now = seen.sum(axis=1, keepdims=True) * self._prior
        for _ in range(rounds):
            if not rows.size:
                return found
            expected = self._forward(now)
            after = now * self._backward(np.divide(seen, expected, out=expected, where=expected > 0))
            going = np.abs(after - now).sum(axis=1) > enough
            now = after
            if not going.all():
                found[rows[~going]] = now[~going]
                rows, seen, now, enough = rows[going], seen[going], now[going], enough[going]
        found[rows] = now
        return found

    def _forward(self, original: NDArray[np.float64]) -> NDArray[np.float64]:
        """(q, m) Published counts that originals lead to."""
        if self._structure is None:
            return np.asarray(original @ self._matrix.T)
        alpha, constant = self._structure
        return np.asarray(original * alpha + (original @ constant)[:, None])

    def _backward(self, ratio: NDArray[np.float64]) -> NDArray[np.float64]:
        """(q, m) The transposed matrix times a ratio per published value."""
        if self._structure is None:
            return np.asarray(ratio @ self._matrix)
        alpha, constant = self._structure
        return np.asarray(ratio * alpha + ratio.sum(axis=1, keepdims=True) * constant)


def _inverse(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Invert any matrix that can be inverted in floats."""
    sizes = np.linalg.svd(matrix, compute_uv=False)
    if sizes[-1] <= sizes[0] * matrix.shape[0] * 2.0**-48:
        raise LikenessError(_SINGULAR)
    return np.asarray(np.linalg.inv(matrix), np.float64)


def clip(estimates: NDArray[np.float64], total: NDArray[np.float64]) -> NDArray[np.float64]:
    """Set negative estimates (..., m) to 0 and scale the rest to the total (..., 1)."""
    kept = np.maximum(estimates, 0.0)
    sums = kept.sum(axis=-1, keepdims=True)
    scaled = kept * np.divide(total, sums, out=np.zeros_like(sums), where=sums > 0)
    return np.asarray(scaled)


def project(estimates: NDArray[np.float64], total: NDArray[np.float64]) -> NDArray[np.float64]:
    """Find the nearest point with no negative entry and the given total (Held, Wolfe & Crowder 1974).

    ``estimates``: (..., m); ``total``: (..., 1).
    """
    falling = -np.sort(-estimates, axis=-1)
    excess = np.cumsum(falling, axis=-1) - total
    levels = excess / np.arange(1, estimates.shape[-1] + 1)
    positive = np.maximum((falling > levels).sum(axis=-1, keepdims=True), 1)
    projected = np.maximum(estimates - np.take_along_axis(levels, positive - 1, axis=-1), 0.0)
    return np.asarray(projected)


SCALE = 10**15
"""Probabilities are whole multiples of 1 / SCALE: 15 decimals say them exactly."""
MOST_VALUES = 1_000
"""Largest number of sensitive values: the matrix has its square."""

Variant = Literal["plain", "clipped", "simplex", "bayes"]


@dataclass(frozen=True, eq=False)
class Mechanism:
    """A randomized response: the chance that each original value is published as each value.

    ``counts``: (m,) int64, how many of the published records have each original value: the adversary's prior.
    ``numerators``: (m, m) int64, ``PM[v, i] = numerators[v, i] / scale``: the chance that original value i is published as
    v. Rows are published values, columns original ones; every column of a value that occurs sums to ``scale``. Values that
    do not occur take no part: their rows and columns are zero.
    Cao & Karras 2012, section 5, Definition 6 and matrix PM.

    >>> coin = Mechanism(np.array([3, 1]), np.array([[75, 25], [25, 75]]), 100)
    >>> coin.largest_posteriors()
    [Fraction(9, 10), Fraction(1, 2)]
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
        """Refuse what is not a mechanism: `InvalidError` says everything that is wrong with it."""
        found = self.problems()
        if found:
            raise InvalidError(*(f"perturbation: {problem}" for problem in found))

    def posterior_holds(
        self, limits: Sequence[Real], group: NDArray[np.int64] | None = None
    ) -> NDArray[np.bool_]:
        """Decide for every value whether no published value raises confidence in it above its limit.

        ``max_v p_i PM[v, i] / Σ_j p_j PM[v, j] <= limit_i`` (Cao & Karras 2012, Definitions 6 and 7), exactly: floats decide
        only what is far from equality. ``group``: (m,) group of each value, when confidence in groups is limited; limits and
        results are then one per group. True for values that do not occur.
        """
        return holds(self.counts, self.numerators, limits, group)

    def largest_posteriors(self, group: NDArray[np.int64] | None = None) -> list[Fraction]:
        """Largest confidence any published value gives in each value (or group), exactly; 0 where none occurs."""
        return largest(self.counts, self.numerators, group)

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
        found = structure(self.numerators[np.ix_(self.active, self.active)], self.scale)
        if found is None:
            return None
        alpha = np.zeros(self.values)
        alpha[self.active] = found[0]
        return alpha

    def moved(self, codes: NDArray[np.integer], values: int) -> Mechanism:
        """Give the same mechanism in the codes of another domain, which has ``values`` codes.

        ``codes``: (m,) new code of every value; looked at for values that occur.
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

        A record of value i becomes the first v with ``u < numerators[0, i] + … + numerators[v, i]``, where its u is uniform
        below ``scale`` (`uniform_integers`, which takes one key from ``rng``). All ``codes`` (n,) must occur in ``counts``.
        """
        return self.publish(codes, uniform_integers(rng, codes.shape[0], self.scale))

    def perturb_counts(
        self, codes: NDArray[np.integer], copies: NDArray[np.int64], rng: np.random.Generator
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
        """Draw a published value for each of the records that rows stand for, as `perturb` does, some of them at a time.

        ``codes`` (n,), ``copies`` (n,): the original value of each row, and for how many records it stands. Gives the row and the
        published value, both ascending, of those that say the same now, and how many they are.
        """
        ends = np.cumsum(copies)
        keys, numbers = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for begin in range(0, int(copies.sum()), _DRAWN):
            end = min(begin + _DRAWN, int(ends[-1]))
            first, last = np.searchsorted(ends, (begin, end - 1), side="right")
            rows = np.arange(first, last + 1)
            own = np.minimum(ends[rows], end) - np.maximum(ends[rows] - copies[rows], begin)
            of = np.repeat(rows, own)
            shown = self.perturb(codes[of], rng).astype(np.int64)
            drawn, times = np.unique(of * self.values + shown, return_counts=True)
            keys.append(drawn)
            numbers.append(times.astype(np.int64))
        # A row of many records stands in several parts.
        found, totals = add_up(np.concatenate(keys), np.concatenate(numbers))
        rows, published = np.divmod(found, self.values)
        return rows, published.astype(np.int32), totals

    def publish(self, codes: NDArray[np.integer], draws: NDArray[np.int64]) -> NDArray[np.int32]:
        """Publish records by given draws, one integer from 0 to ``scale - 1`` each (see `perturb`).

        `LikenessError` at a code that does not occur in ``counts``.
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

    def plausible(
        self,
        published: NDArray[np.integer],
        original: NDArray[np.integer],
        copies: NDArray[np.int64] | None = None,
    ) -> bool:
        """Whether about as many values were published as themselves as the mechanism keeps; codes (n,) of every record.

        ``copies`` (n,): how many records say so, where they are counted.
        Released by the mechanism, fewer than one table in 10^12 is not plausible (more than 8 standard deviations and 8 records
        away from the expectation; Bernstein's inequality).
        """
        chance = np.diag(self.matrix)[original]
        often = np.ones(chance.size, np.int64) if copies is None else copies
        away = abs(int(often[published == original].sum()) - float(chance @ often))
        return bool(away <= 8 * float((chance * (1 - chance)) @ often) ** 0.5 + 8)

    @cached_property
    def _inverter(self) -> Inverter:
        inside = self.numerators[np.ix_(self.active, self.active)]
        return Inverter(inside, self.scale, self.counts[self.active])

    def reconstruct(
        self, counts: NDArray[np.number[Any]], variant: Variant = "plain", **options: Any
    ) -> NDArray[np.float64]:
        """Estimate how often each original value occurs in sets of records, from ``counts`` (..., m) of their published ones.

        ``plain``: ``PM⁻¹ counts``, unbiased, may be negative: Cao & Karras 2012, section 5 (N' = PM⁻¹ E'). The others are
        biased, mostly for rare values, and often nearer. ``clipped``: negative ones are set to 0, the rest scaled to the same
        total. ``simplex``: the nearest point (Euclid) with no negative entry and the same total. ``bayes``: iterative Bayes
        (Agrawal & Aggarwal 2001) from the distribution of the mechanism's own counts towards the most likely non-negative ones,
        for ``rounds`` (200) or until one moves less than ``tolerance`` (1e-7) of the records; where little is kept, more rounds
        follow the noise. `LikenessError` without an inverse, unless by ``bayes``, and at a value that is never published.
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
        """(m,) Standard error of each value's original records, reconstructed plainly from all; 0 for values that do not occur.

        Every value is drawn by itself, so the published numbers have the covariance ``Σ_i n_i (diag(c_i) - c_i c_iᵀ)`` with
        ``c_i`` the columns of PM and ``n_i`` the records of each original value; with ``B = PM⁻¹`` the variance of an estimate
        is ``Σ_v B[i, v]² (PM n)_v - n_i``. From a share s of the records it is about s times as much. `LikenessError` when the
        matrix has no inverse.
        """
        inverse = self._inverter.estimate(np.eye(self.active.size), "plain").T
        counts = self.counts[self.active]
        shown = self.matrix[np.ix_(self.active, self.active)] @ counts
        found = np.zeros(self.values)
        found[self.active] = np.sqrt(np.maximum(inverse**2 @ shown - counts, 0.0))
        return found
