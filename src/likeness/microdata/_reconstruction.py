"""Original counts estimated from published ones: the inverse of the matrix, and its non-negative variants."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likeness.errors import LikenessError, suggestion

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
    """Write a matrix as ``diag(α) + 1 Yᵀ``; None when it is not of that kind.

    Examples
    --------
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
    """Reads published counts with one matrix, all of whose values occur.

    Parameters
    ----------
    numerators : (m, m) int64
        Numerators of the matrix.
    scale
        Their denominator.
    counts : (m,) int64
        Original records of each value: where iterative Bayes begins.
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
    """Set negative estimates to 0 and scale the rest to the total.

    Examples
    --------
    >>> clip(np.array([-1.0, 2.0, 3.0]), np.array([4.0]))
    array([0. , 1.6, 2.4])
    """
    kept = np.maximum(estimates, 0.0)
    sums = kept.sum(axis=-1, keepdims=True)
    scaled = kept * np.divide(total, sums, out=np.zeros_like(sums), where=sums > 0)
    return np.asarray(scaled)


def project(estimates: NDArray[np.float64], total: NDArray[np.float64]) -> NDArray[np.float64]:
    """Find the nearest point with no negative entry and the given total (Held, Wolfe & Crowder 1974).

    Examples
    --------
    >>> project(np.array([-1.0, 2.0, 3.0]), np.array([4.0]))
    array([0. , 1.5, 2.5])
    """
    falling = -np.sort(-estimates, axis=-1)
    excess = np.cumsum(falling, axis=-1) - total
    levels = excess / np.arange(1, estimates.shape[-1] + 1)
    positive = np.maximum((falling > levels).sum(axis=-1, keepdims=True), 1)
    projected = np.maximum(estimates - np.take_along_axis(levels, positive - 1, axis=-1), 0.0)
    return np.asarray(projected)
