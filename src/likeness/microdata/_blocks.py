"""Blocks of values that stand for each other: which, how large, and how unlike the values outside.

A published value v makes the originals ``v + D`` (in the circle of the m values, D the block) more likely than all
others, and those of one block equally so. With the block {0} this is keeping or drawing from all. The same limit on
confidence leaves far less noise where a block has about m / (γ + 1) values: noise is what separates a value from m - 1
others then, and now only what separates blocks.

Floats only choose here; whatever they choose is rounded and checked exactly afterwards.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

_ALL_WIDTHS = 64
_PARTS = (0.7, 1.0, 1.3)
_STEPS = (0.0, 0.25, 0.5, 0.75, 1.0)
_WORK = 20_000_000
"""Cells that the search for one block may look at."""
_TRIES = 10


class Design(NamedTuple):
    """A block, and the smallest chance of any value to become a given value outside its blocks."""

    block: NDArray[np.int64]
    elsewhere: float


def incidence(m: int, block: NDArray[np.int64]) -> NDArray[np.bool_]:
    """(m, m) Whether published value v (row) stands for original i (column): ``i - v`` is in the block.

    Examples
    --------
    >>> incidence(3, np.array([0, 1])).astype(int)
    array([[1, 1, 0],
           [0, 1, 1],
           [1, 0, 1]])
    """
    apart = (np.arange(m)[None, :] - np.arange(m)[:, None]) % m
    return np.isin(apart, block)


def flat_block(m: int, width: int) -> NDArray[np.int64] | None:
    """Find a block whose shifts are as easy to tell apart as can be.

    The noise of a reconstruction is proportional to ``Σ_k 1 / |D̂_k|²`` (k > 0) with D̂ the Fourier transform of the
    block's 0/1 indicator: least for difference sets, for which all are equal. A local search: replace one member at a
    time by the best other one, until nothing helps.

    Returns
    -------
    (width,) int64, optional
        Members, 0 among them; None when all blocks of that width that were tried are singular.

    Examples
    --------
    >>> flat_block(7, 3).tolist()  # a difference set: every distance occurs once
    [0, 1, 3]
    """
    rng = np.random.Generator(np.random.PCG64([m, width]))
    waves = np.exp(-2j * np.pi * np.outer(np.arange(m), np.arange(1, m // 2 + 1)) / m)
    # Both halves of the spectrum are alike, but for the middle of an even number.
    weight = np.full(m // 2, 2.0)
    weight[-1:] = 2.0 if m % 2 else 1.0
    found, least, steps = None, np.inf, max(width, _WORK // waves.size)
    for start in [np.arange(width), *(rng.permutation(m)[:width] for _ in range(_TRIES))]:
        block, noise, used = _improve(start, waves, weight, steps)
        if noise < least * (1 - 1e-9):
            found, least = block, noise
        steps -= used
        if steps <= 0:
            break
    return None if found is None else _smallest_shift(found, m)


def _improve(
    start: NDArray[np.int64], waves: NDArray[np.complex128], weight: NDArray[np.float64], steps: int
) -> tuple[NDArray[np.int64], float, int]:
    """Replace one member after the other by the best value; returns the block, its noise and the steps taken."""
    block = start.copy()
    noise = float(_noise(waves[block].sum(axis=0), weight))
    vain = 0
    for step in range(steps):
        at = step % block.size
        noises = _noise(waves[block].sum(axis=0) - waves[block[at]] + waves, weight)
        noises[block] = np.inf
        best = int(np.argmin(noises))
        vain += 1
        if noises[best] < noise * (1 - 1e-9):
            block[at], noise, vain = best, float(noises[best]), 0
        if vain == block.size:
            return block, noise, step + 1
    return block, noise, steps


def _noise(spectrum: NDArray[np.complex128], weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Evaluate ``Σ_k 1 / |D̂_k|²``, infinite where a block is singular."""
    power = spectrum.real**2 + spectrum.imag**2
    return np.asarray(np.where(power > 1e-9, weight / np.maximum(power, 1e-9), np.inf).sum(axis=-1))


def _smallest_shift(block: NDArray[np.int64], m: int) -> NDArray[np.int64]:
    """Of all shifts and of the mirror image the first in order, so that a block has one name."""
    images = [np.sort((sign * (block - start)) % m) for sign in (1, -1) for start in block]
    return min(images, key=lambda image: tuple(image.tolist()))


def best_design(gammas: NDArray[np.float64], shares: NDArray[np.float64], alone: float) -> Design:
    """Choose the block whose plain reconstruction has the smallest total variance for the table's distribution.

    Parameters
    ----------
    gammas : (m,) float64
        By how much a published value may favour each value over others, above 1; infinite without a limit.
    shares : (m,) float64
        Share of each value.
    alone
        A chance Y for the block {0}: nothing worse is chosen.

    Examples
    --------
    >>> best_design(np.full(13, 3.0), np.full(13, 1 / 13), 1 / 15).block.size
    4
    """
    m = gammas.shape[0]
    best = Design(np.zeros(1, np.int64), alone)
    least = _variance(gammas, shares, np.eye(m, dtype=np.bool_), 1, alone)
    for width in _widths(m, float(np.median(gammas))):
        block = flat_block(m, width) if width > 1 else np.zeros(1, np.int64)
        if block is None:
            continue
        inside = incidence(m, block)
        for elsewhere in _smallest_chances(gammas, width):
            variance = _variance(gammas, shares, inside, width, elsewhere)
            if variance < least * (1 - 1e-9):
                best, least = Design(block, elsewhere), variance
    return best


def _widths(m: int, gamma: float) -> list[int]:
    """Block sizes worth trying."""
    most = max(1, m // 2)
    if m <= _ALL_WIDTHS:
        return list(range(1, most + 1))
    middle = m / (gamma + 1)
    return sorted({1, *(min(most, max(1, round(middle * part))) for part in _PARTS)})


def _smallest_chances(gammas: NDArray[np.float64], width: int) -> Iterator[float]:
    """Smallest chances Y outside a block: from one for all values, down to what the largest γ could use."""
    m = gammas.shape[0]
    even = 1 / (width * float(gammas.min()) + m - width)
    lowest = 1 / (width * float(gammas.max()) + m - width) if np.isfinite(gammas.max()) else 0.0
    for step in _STEPS:
        found = even + (max(lowest, 1 / (m * float(gammas.min()))) - even) * step
        if found * m * gammas.min() > 1 + 1e-9:
            yield found


def _variance(
    gammas: NDArray[np.float64],
    shares: NDArray[np.float64],
    inside: NDArray[np.bool_],
    width: int,
    elsewhere: float,
) -> float:
    """Total variance of the plain estimates from one record: ``Σ_v s_v |PM⁻¹ e_v|² - 1`` with ``s = PM p``."""
    m = gammas.shape[0]
    outside = np.maximum(elsewhere, (1 - width * gammas * elsewhere) / (m - width))
    matrix = np.where(inside, (1 - (m - width) * outside) / width, outside)
    try:
        inverse = np.linalg.inv(matrix)
    except np.linalg.LinAlgError:
        return np.inf
    found = float((matrix @ shares) @ (inverse**2).sum(axis=0)) - 1
    return found if np.isfinite(found) else np.inf
