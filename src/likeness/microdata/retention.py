"""How often a mechanism may keep each value, so that no published value leads to too much confidence.

By the paper's scheme every record keeps its value i with chance α_i and else becomes any of the m values that occur,
each with the same chance; its rules differ in the α. By `blocks`, a published value stands for several originals.
All mechanisms are computed in integers, rounded to the safe side, and checked exactly against the limits.

Blocks of values that stand for each other: which, how large, and how unlike the values outside.

A published value v makes the originals ``v + D`` (in the circle of the m values, D the block) more likely than all
others, and those of one block equally so. With the block {0} this is keeping or drawing from all. The same limit on
confidence leaves far less noise where a block has about m / (γ + 1) values: noise is what separates a value from m - 1
others then, and now only what separates blocks.

Floats only choose here; whatever they choose is rounded and checked exactly afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likeness.errors import CannotBeMetError, Refusal
from likeness.microdata.mechanism import SCALE, Mechanism
from likeness.wording import quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from likeness.exact import Real

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
    """(m, m) Whether published value v (row) stands for original i (column): ``i - v`` modulo m is in the block.

    >>> incidence(3, np.array([0, 1])).astype(int)
    array([[1, 1, 0],
           [0, 1, 1],
           [1, 0, 1]])
    """
    apart = (np.arange(m)[None, :] - np.arange(m)[:, None]) % m
    return np.isin(apart, block)


def flat_block(m: int, width: int) -> NDArray[np.int64] | None:
    """Find a block, (width,) with 0 in it, whose shifts are as easy to tell apart as can be; None when all tried are singular.

    The noise of a reconstruction is proportional to ``Σ_k 1 / |D̂_k|²`` (k > 0) with D̂ the Fourier transform of the
    block's 0/1 indicator: least for difference sets, for which all are equal. A local search: replace one member at a
    time by the best other one, until nothing helps.

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

    ``gammas``: (m,) by how much a published value may favour each value over others, above 1; infinite without a limit.
    ``shares``: (m,) of each value. ``alone``: a chance Y for the block {0}: nothing worse is chosen.
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


RULES = ("capped", "paper", "uniform", "blocks")
_DIGITS = 40
_FLOOR = Fraction(1, 2)
"""No α falls below this part of what `uniform` keeps: values could not be reconstructed from less."""
_ALONE = np.zeros(1, np.int64)
_LEAST = Fraction(1, 1_000_000)
"""Smallest α: nothing could be learned from less, whatever the table."""
_PLACE = ("perturbation",)


@dataclass(frozen=True, eq=False)
class Limits:
    """Largest confidence in each value, or in each group of values; ``group``: (m,) int64, group of each value."""

    largest: Sequence[Real]
    group: NDArray[np.int64] | None = None


def retain(
    counts: NDArray[np.int64],
    limits: Sequence[Limits],
    rule: str = "capped",
    label: Callable[[int], str] = str,
) -> Mechanism:
    """Find the mechanism of a rule that keeps all limits; ``counts``: (m,) int64, original records of each value.

    ``paper``: α_i of Theorem 3, refused when some α_i is below a millionth: the theorem is false where it is not above 0.
    ``capped``: ``α_i = min(M, (γ_i (1 - M) - 1) / (m - 1))`` with the M of `_best`, to keep the most records unchanged.
    ``uniform``: one α for all values. ``blocks``: every published value stands for a block of originals, chosen for the
    smallest variance of the plain reconstruction.

    `CannotBeMetError` when no mechanism can keep the limits, or that of this rule cannot; it names the value to blame, by
    ``label``. Cao & Karras 2012, section 5, Theorems 2 and 3; ``capped`` is ours. Ye & Barg 2018 and Park, Nam & Lee 2023
    for ``blocks``.
    """
    active = np.flatnonzero(counts > 0)
    gammas = _gammas(counts, limits, active, label)
    finite = [gamma for gamma in gammas if gamma is not None]
    if active.size <= 1 or not finite:
        return _made(counts, [0] * active.size, _ALONE)
    least, most = min(finite), None if len(finite) < len(gammas) else max(finite)
    m = active.size
    worst = label(int(active[gammas.index(least)]))
    if (least - 1) / (least + m - 1) < _LEAST:
        why = (
            f"confidence in {quoted(worst)} may hardly rise above its share, so that next to "
            "nothing of any value could be kept; allow more, or publish the distribution alone (method: baseline)"
        )
        raise CannotBeMetError(reasons=[Refusal(why, _PLACE)])
    block = _ALONE
    if rule == "uniform":
        elsewhere = 1 / (least + m - 1)
    elif rule == "paper":
        elsewhere = _papers(least, most, m, worst)
    else:
        shares = [Fraction(int(counts[i]), int(counts.sum())) for i in active]
        elsewhere = (1 - _best(gammas, shares, least, most)) / m
    if rule == "blocks":
        known = np.array([np.inf if gamma is None else float(gamma) for gamma in gammas])
        block, chance = best_design(known, counts[active] / counts.sum(), float(elsewhere))
        elsewhere = Fraction(chance)
    return _safe(counts, gammas, limits, elsewhere, block)


def _gammas(
    counts: NDArray[np.int64],
    limits: Sequence[Limits],
    active: NDArray[np.int64],
    label: Callable[[int], str],
) -> list[Fraction | None]:
    """γ of every value that occurs: by how much a published value may favour it over others; None: without limit.

    ``γ = ρ2 / (1 - ρ2) · (1 - p) / p`` (Cao & Karras 2012, Theorem 2, for groups with p the share of the group).
    """
    total = int(counts.sum())
    found: list[Fraction | None] = [None] * active.size
    for one in limits:
        group = np.arange(counts.shape[0]) if one.group is None else one.group
        sizes = np.bincount(group, counts).astype(np.int64)
        own: dict[int, Fraction | None] = {}
        for g in np.unique(group[active]).tolist():
            prior = Fraction(int(sizes[g]), total)
            if not one.largest[g].at_least(prior):
                members = ", ".join(repr(label(int(i))) for i in active[group[active] == g][:3])
                why = (
                    f"{members} has a share of {float(prior):.6g} of the records, above "
                    f"the limit of {float(one.largest[g]):.6g} on the confidence in it, so that no release can meet it; "
                    "allow at least the share"
                )
                raise CannotBeMetError(reasons=[Refusal(why, _PLACE)])
            # An enclosure that is narrow enough lies above the prior, as the limit does.
            low = max(one.largest[g].enclose(_DIGITS)[0], prior)
            own[g] = None if low >= 1 else low / (1 - low) * (1 - prior) / prior
        for at, i in enumerate(active.tolist()):
            gamma, before = own[int(group[i])], found[at]
            if gamma is not None and (before is None or gamma < before):
                found[at] = gamma
    return found


def _papers(least: Fraction, most: Fraction | None, m: int, worst: str) -> Fraction:
    """C of Theorem 3, the smallest chance to become any one other value."""
    smallest = Fraction(0) if most is None else 1 / (most + m - 1)
    alpha = (m * least * smallest - 1) / (m - 1)
    if alpha < _LEAST:
        why = (
            f"rule 'paper' would keep {quoted(worst)} with chance {float(alpha):.6g}, which must "
            f"be at least {float(_LEAST):.6g}: others may gain so much more confidence that nothing is left for it, and "
            "the paper's theorem 3 does not hold. Use rule: capped, which works for this table"
        )
        raise CannotBeMetError(reasons=[Refusal(why, _PLACE)])
    return smallest


def _best(
    gammas: Sequence[Fraction | None], shares: Sequence[Fraction], least: Fraction, most: Fraction | None
) -> Fraction:
    """M that maximises ``Σ p_i min(M, (γ_i (1 - M) - 1) / (m - 1))``: concave, with its corners where both agree."""
    m = len(gammas)
    rising = Fraction(1)
    known = [(gamma, p) for gamma, p in zip(gammas, shares, strict=True) if gamma is not None]
    found = (least - 1) / (least + m - 1)
    # No α may fall below a part of what `uniform` keeps; the paper's M is always allowed where it works.
    last = 1 - (1 + (m - 1) * _FLOOR * found) / least
    if most is not None:
        papers = (most - 1) / (most + m - 1)
        last = max(last, papers if least * (1 - papers) - 1 >= (m - 1) * _LEAST else last)
    for gamma, p in sorted(known):
        corner = (gamma - 1) / (gamma + m - 1)
        if rising <= 0:
            return found
        if corner >= last:
            return last
        found = corner
        rising -= p + p * gamma / (m - 1)
    return last if rising > 0 else found


def _safe(
    counts: NDArray[np.int64],
    gammas: Sequence[Fraction | None],
    limits: Sequence[Limits],
    elsewhere: Fraction,
    block: NDArray[np.int64],
) -> Mechanism:
    """Round to whole parts of 1 / SCALE such that the exact check passes.

    ``elsewhere``: smallest chance Y of any value to become another given one outside its blocks. Every value i gets as much
    inside them, X_i each, as ``X_i <= γ_i Y`` allows (Theorem 2). ``block``: what a published value stands for.
    """
    m, width = len(gammas), block.size
    smallest = -int(-elsewhere * SCALE // 1)
    while True:
        parts = []
        for gamma in gammas:
            own = smallest
            if gamma is not None:
                at_most = int(gamma * smallest // 1)
                own = max(smallest, -((width * at_most - SCALE) // (m - width)))
            parts.append(min(own, SCALE // m))
        mechanism = _made(counts, parts, block)
        if all(mechanism.posterior_holds(one.largest, one.group).all() for one in limits):
            return mechanism
        # Rounding broke it: keep a little less (with 1 / m everywhere nothing is left to break).
        smallest = min(smallest + max(1, smallest // 1_000_000), SCALE // m)


def _made(counts: NDArray[np.int64], parts: Sequence[int], block: NDArray[np.int64]) -> Mechanism:
    """Make the mechanism whose values become each one outside their blocks with the given parts of SCALE."""
    active = np.flatnonzero(counts > 0)
    inside = incidence(active.size, block)
    outside = np.array(parts, np.int64)
    left = SCALE - (active.size - block.size) * outside
    # What does not divide evenly goes to the first of them, one part each.
    more = (np.cumsum(inside, axis=0) <= left % block.size) & inside
    numerators = np.zeros((counts.shape[0], counts.shape[0]), np.int64)
    numerators[np.ix_(active, active)] = np.where(inside, left // block.size + more, outside)
    return Mechanism(counts, numerators, SCALE)
