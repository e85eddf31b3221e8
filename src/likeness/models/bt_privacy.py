"""(B,t)-privacy: nobody learns much more of anybody than they knew (Li, Li & Zhang 2009)."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.checks import choice, number
from likeness.errors import PolicyError
from likeness.exact import rational
from likeness.microdata.divergence import jensen_shannon
from likeness.models.base import (
    SHARE,
    BoundModel,
    KnowledgeModel,
    ParameterRange,
    SensitiveAttribute,
    Strength,
)
from likeness.wording import decimal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from likeness.kernels.class_tests import ClassTest
    from likeness.microdata.domain import Domain
    from likeness.microdata.knowledge import Distributions
    from likeness.microdata.statistics import ClassStatistics

_STATES = 1 << 14
"""Most states of a class whose exact beliefs are found; beyond, they are bounded by the odds."""
_EXACT_STATES = 1 << 10
"""The same where floats cannot decide, and fractions have to."""
_ERROR = 1e-10
"""No divergence found by floats is further from the true one: all sums but the last are of positive numbers."""
_MOST_SMOOTHED = 1 << 12


@dataclass(frozen=True, repr=False)
class BtPrivacy(KnowledgeModel):
    """What is believed of anybody once the release is seen is nearly what was believed before.

    For every member x of a class, ``JSD(ω_x, b_x) <= t`` in bits, with the belief b_x that an adversary comes to who knows all ω
    and sees the values of the class. Whom the adversary knows how well, B, is the knowledge of the policy, such as ``kernel:
    {bandwidth: 0.3}``; a skyline of several (B, t) is as many models, each with a source of its own (``knowledge``).

    Parameters
    ----------
    t
        Largest divergence, from 0 to 1.
    posterior
        What b is. ``omega``, the Ω-estimate of the paper: ``b_x(s)`` in proportion to ``c_s ω_x(s) / Σ_y ω_y(s)`` over members
        y. It is an estimate, no bound: in a class of five with one HIV, four of whom have ω(HIV) = .001 and one .05, it says .547
        of the last, and the truth is .929. ``exact``: the share of the arrangements of the values, each as likely as the product
        of its ω, in which x has s. Where a class has too many to count (more than 2¹⁴ states), it holds only where the odds prove
        it: ``c_s / (ρ |G|) <= b_x(s) <= ρ c_s / |G|``, ρ the largest odds of two members over its values.
    smooth
        Bandwidth b of a kernel that smooths both distributions over near values before they are compared, above 0:
        ``Σ_u a_u K(d_su / b) / Σ_u K(d_su / b)``, scaled to sum to 1, with ``K(x) = 1 - x²`` below 1, else 0, and distances of
        the column: of ranks, in the hierarchy, or 0 and 1. Not at all when left out.

    References
    ----------
    Li, Li & Zhang 2009, sections II to IV.

    Examples
    --------
    >>> BtPrivacy("0.2")
    BtPrivacy(t='0.2')
    """

    t: float | str | Fraction
    posterior: str = "omega"
    smooth: float | str | Fraction | None = None

    name: ClassVar[str] = "bt-privacy"
    ranges: ClassVar[Mapping[str, ParameterRange]] = MappingProxyType({"t": SHARE})
    closed_under_union: ClassVar[bool] = False
    closed_under_adding: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        number(self.name, "t", self.t, at_least=0, at_most=1)
        choice(self.name, "posterior", self.posterior, ("omega", "exact"))
        if self.smooth is not None:
            number(self.name, "smooth", self.smooth, above=0)

    @property
    def in_plain_words(self) -> str:
        """What it promises, in words of everyday."""
        estimated = (
            "" if self.posterior == "exact" else " What is believed afterwards is estimated, and may be more."
        )
        return (
            "Whoever knows beforehand what is named below learns little about anybody: what they "
            "believe of a person before and after "
            f"seeing the release differs by at most {decimal(rational(self.t))}, where 0 is no "
            f"difference and 1 the largest.{estimated}"
        )

    def bind_to(self, attribute: SensitiveAttribute) -> BoundModel:
        """Bind to what is known.

        Raises
        ------
        PolicyError
            When nothing is, or values are too many to smooth.
        """
        if attribute.knowledge is None:
            raise PolicyError(f"{self.name}: needs knowledge of {attribute.domain.name!r}")
        smoothing = None
        if self.smooth is not None:
            if attribute.domain.codes > _MOST_SMOOTHED:
                raise PolicyError(
                    f"{self.name}: {attribute.domain.name!r} has {attribute.domain.codes:,} values, too many to smooth "
                    f"over; leave smooth out, or group them to at most {_MOST_SMOOTHED:,}"
                )
            smoothing = _Smoothing(attribute.domain, rational(self.smooth))
        return _Bound(attribute.knowledge, rational(self.t), self.posterior == "exact", smoothing)


class _Smoothing:
    """A kernel over the values of a sensitive attribute."""

    def __init__(self, domain: Domain, bandwidth: Fraction) -> None:
        size, codes = domain.size, domain.codes
        steps, whole = np.ones((codes, codes), np.int64), 1
        ranks = np.arange(size)
        if domain.distance == "ordered":
            whole = max(1, size - 1)
            near = np.abs(ranks[:, None] - ranks[None, :])
        elif domain.distance == "hierarchical" and domain.hierarchy is not None:
            whole = max(1, int(domain.hierarchy.unpadded.level[0]))
            near = np.rint(domain.hierarchy.distance(ranks[:, None], ranks[None, :]) * whole).astype(np.int64)
        else:
            near = (ranks[:, None] != ranks[None, :]).astype(np.int64)
        steps *= whole
        steps[:size, :size] = near
        np.fill_diagonal(steps, 0)
        self.steps, self.whole, self.bandwidth = steps, whole, bandwidth

    @cached_property
    def by_steps(self) -> list[Fraction]:
        """The kernel at each distance."""
        reached = (Fraction(step, self.whole) / self.bandwidth for step in range(self.whole + 1))
        return [max(Fraction(0), 1 - x * x) for x in reached]

    @cached_property
    def matrix(self) -> NDArray[np.float64]:
        """(m, m) Weight of value u in the smoothed share of value s."""
        kernel = np.array([float(x) for x in self.by_steps])[self.steps]
        return np.asarray(kernel / kernel.sum(axis=1, keepdims=True))

    def of(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """(c, m) Distributions smoothed."""
        found = np.array([(self.matrix * row).sum(axis=1) for row in shares])
        return np.asarray(found / found.sum(axis=1, keepdims=True))

    def exactly(self, shares: Sequence[Fraction]) -> list[Fraction]:
        """Smooth one distribution."""
        found = []
        for steps in self.steps.tolist():
            kernel = [self.by_steps[step] for step in steps]
            found.append(sum((k * a for k, a in zip(kernel, shares, strict=True)), Fraction(0)) / sum(kernel))
        total = sum(found)
        return [share / total for share in found]


class _Bound(BoundModel):
    """Codes are those of a distribution and a value, ``distribution · m + value``."""

    def __init__(self, known: Distributions, t: Fraction, exact: bool, smoothing: _Smoothing | None) -> None:
        self.known, self.t, self.exact, self.smoothing = known, t, exact, smoothing

    @property
    def states(self) -> int:
        """Most states of a class whose exact beliefs are found; -1 for the estimate."""
        return _STATES if self.exact else -1

    @cached_property
    def layout(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """The distributions, as they are compared, and the smoothing: what `likeness.kernels.arrangements.changes` takes."""
        shares = self.known.shares
        if self.smoothing is None:
            return shares, shares, np.zeros((0, 0))
        return shares, self.smoothing.of(shares), self.smoothing.matrix

    def holds(self, stats: ClassStatistics) -> NDArray[np.bool_]:
        """Decide by floats what they can tell, and the rest by fractions."""
        return self._at_most(self.t, stats, self.measured(stats))

    def measured(self, stats: ClassStatistics) -> NDArray[np.float64]:
        """(E,) Largest divergence of belief and knowledge in each class, in bits; a bound where beliefs cannot be found."""
        from likeness.kernels.arrangements import changes

        found = changes(stats.start, stats.value, stats.count, *self.layout, self.states)
        return np.asarray(np.minimum(1.0, found))

    def slack(self, measured: NDArray[np.float64]) -> NDArray[np.float64]:
        """Distance to t."""
        return float(self.t) - measured

    def strongest(self, stats: ClassStatistics) -> Strength:
        """The largest divergence."""
        measured = self.measured(stats)
        if self._at_most(Fraction(0), stats, measured).all():
            return Strength({"t": 0.0})
        return Strength({"t": min(1.0, float(measured.max(initial=0)) + 2 * _ERROR)})

    def class_test(self) -> ClassTest:
        """The distributions, with a limit that lies below by more than roundings go."""
        from likeness.kernels.class_tests import ClassTest, beliefs_kept

        c, m = self.known.rows.shape
        limit = math.inf if self.t == 1 else float(self.t) - _ERROR
        layout = self.layout[: 1 if self.smoothing is None else 3]
        integers = [c, m, self.states, int(self.smoothing is not None)]
        reals = np.concatenate([np.array([limit]), *(own.reshape(-1) for own in layout)])
        return ClassTest(beliefs_kept, integers, reals, values=c * m)

    def _at_most(
        self, t: Fraction, stats: ClassStatistics, measured: NDArray[np.float64]
    ) -> NDArray[np.bool_]:
        """(E,) Whether it is proven that nobody's belief goes further than ``t`` from what was known."""
        if t == 1:
            return np.ones(stats.classes, np.bool_)
        good = measured <= float(t) + _ERROR
        for g in np.flatnonzero(good & (measured >= float(t) - _ERROR)).tolist():
            one = slice(int(stats.start[g]), int(stats.start[g + 1]))
            good[g] = self._decide(t, stats.value[one].tolist(), stats.count[one].tolist())
        return good

    def _decide(self, t: Fraction, codes: list[int], number: list[int]) -> bool:
        """Decide one class by fractions; what takes too many steps counts as violated."""
        m = self.known.values
        members: defaultdict[int, int] = defaultdict(int)
        tally: defaultdict[int, int] = defaultdict(int)
        for code, records in zip(codes, number, strict=True):
            members[code // m] += records
            tally[code % m] += records
        values, counts = zip(*sorted(tally.items()), strict=True)
        rows = [self.known.rows[x].tolist() for x in members]
        weights = [[row[s] for s in values] for row in rows]
        people = list(members.values())
        found = _arranged(weights, people, counts) if self.exact else _estimated(weights, people, counts)
        if found is None:
            return False
        for row, belief in zip(rows, found, strict=True):
            before, after = [Fraction(share) for share in row], [Fraction(0)] * m
            for s, share in zip(values, belief, strict=True):
                after[s] = share
            if self.smoothing is not None:
                before, after = self.smoothing.exactly(before), self.smoothing.exactly(after)
            if not jensen_shannon(*_whole(before, after)).at_most(t):
                return False
        return True


def _estimated(weights: list[list[int]], people: list[int], counts: Sequence[int]) -> list[list[Fraction]]:
    """The Ω-estimate of what is believed of each distribution's members."""
    size = sum(people)
    totals = [sum(n * row[c] for n, row in zip(people, weights, strict=True)) for c in range(len(counts))]
    found = []
    for row in weights:
        own = [
            Fraction(count * weight, total) if total else Fraction(count, size)
            for weight, count, total in zip(row, counts, totals, strict=True)
        ]
        whole = sum(own)
        found.append(
            [
                share / whole if whole else Fraction(count, size)
                for share, count in zip(own, counts, strict=True)
            ]
        )
    return found


def _arranged(
    weights: list[list[int]], people: list[int], counts: Sequence[int]
) -> list[list[Fraction]] | None:
    """What is believed of each distribution's members over all arrangements; None where there is none, or too many."""
    if math.prod(count + 1 for count in counts) > _EXACT_STATES:
        return None
    found = []
    for x, row in enumerate(weights):
        ways: dict[tuple[int, ...], int] = {(0,) * len(counts): 1}
        for y, other in enumerate(weights):
            for _ in range(people[y] - (x == y)):
                following: defaultdict[tuple[int, ...], int] = defaultdict(int)
                for state, number_of in ways.items():
                    for c, weight in enumerate(other):
                        if weight and state[c] < counts[c]:
                            following[(*state[:c], state[c] + 1, *state[c + 1 :])] += number_of * weight
                ways = following
        own = [
            weight * ways.get((*counts[:c], counts[c] - 1, *counts[c + 1 :]), 0)
            for c, weight in enumerate(row)
        ]
        if not sum(own):
            return None
        found.append([Fraction(part, sum(own)) for part in own])
    return found


def _whole(one: Sequence[Fraction], other: Sequence[Fraction]) -> tuple[list[int], list[int]]:
    """Two distributions as whole numbers of one sum."""
    one, other = ([share / sum(own) for share in own] for own in (one, other))
    common = math.lcm(*(share.denominator for share in (*one, *other)))
    return [int(share * common) for share in one], [int(share * common) for share in other]
