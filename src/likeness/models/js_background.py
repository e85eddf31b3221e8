"""J-constraint on background knowledge: nobody of a class is believed otherwise than the others."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.checks import choice, number
from likeness.errors import PolicyError
from likeness.exact import rational
from likeness.microdata.clustering import MOST_JOINED, clusters_of, dendrogram_of
from likeness.microdata.divergence import BITS, ERROR, in_bits, jensen_shannon, odds_ratio
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
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from likeness.kernels.class_tests import ClassTest
    from likeness.microdata.knowledge import Distributions
    from likeness.microdata.statistics import ClassStatistics


@dataclass(frozen=True, repr=False)
class JsBackground(KnowledgeModel):
    """Any two people of a class are believed to have nearly the same distribution of the sensitive value.

    For all x, y of a class ``JSD(ω_x, ω_y) <= j``, and with ``odds`` also ``max_s ω_x(s)/ω_y(s) <= odds · min_s ω_x(s)/ω_y(s)``
    over the values s that the class has. The first alone bounds no belief: ω(HIV) = .001 and .05 are .0224 bits apart, and in a
    class of these two with one HIV the belief is .981. With the second, belief in s is at most ``odds · c_s / |G|`` (swap two
    people in every arrangement of the values).

    Parameters
    ----------
    j
        Largest Jensen-Shannon divergence, at least 0; in bits unless ``base`` says otherwise.
    base
        Of the logarithms: 2, or ``e``.
    odds
        Largest ratio of two ratios of beliefs, at least 1; any when left out.

    References
    ----------
    Amiri et al. 2016, Definition 1. That divergences bound no belief, and odds do, is shown here.

    Examples
    --------
    >>> JsBackground("0.3")
    JsBackground(j='0.3')
    """

    j: float | str | Fraction
    base: int | str = 2
    odds: float | str | Fraction | None = None

    name: ClassVar[str] = "js-background"
    ranges: ClassVar[Mapping[str, ParameterRange]] = MappingProxyType({"j": SHARE})
    closed_under_union: ClassVar[bool] = False
    closed_under_adding: ClassVar[bool] = False
    closed_under_removing: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        number(self.name, "j", self.j, at_least=0)
        choice(self.name, "base", str(self.base), ("2", "e"))
        if self.odds is not None:
            number(self.name, "odds", self.odds, at_least=1)

    @property
    def in_plain_words(self) -> str:
        """What it promises, in words of everyday."""
        odds = (
            ""
            if self.odds is None
            else (
                " For no two of its values is it, the one against the other, more than "
                f"{decimal(rational(self.odds))} times as likely "
                "of one of the two people as of the other."
            )
        )
        return (
            "Whoever knows beforehand what is named below believes nearly the same of any two people "
            "of a group: the two beliefs differ "
            f"by at most {decimal(rational(self.j))}, where 0 is no difference.{odds}"
        )

    def bind_to(self, attribute: SensitiveAttribute) -> BoundModel:
        """Bind to what is known.

        Raises
        ------
        PolicyError
            When nothing is.
        """
        if attribute.knowledge is None:
            raise PolicyError(f"{self.name}: needs knowledge of {attribute.domain.name!r}")
        return _Bound(
            attribute.knowledge,
            rational(self.j),
            BITS if str(self.base) == "2" else None,
            None if self.odds is None else rational(self.odds),
        )


class _Bound(BoundModel):
    """Codes are those of a distribution and a value, ``distribution · m + value``."""

    def __init__(
        self, known: Distributions, j: Fraction, base: Fraction | None, odds: Fraction | None
    ) -> None:
        self.known, self.j, self.base, self.odds = known, j, base, odds

    @cached_property
    def _negative_entropies(self) -> NDArray[np.float64]:
        from likeness.kernels.beliefs import entropies

        return np.asarray(entropies(self.known.shares))

    def parts(self, limit: Fraction | None = None) -> NDArray[np.int64]:
        """(c · m,) The clusters of complete linkage, cut at j: Amiri et al. 2016, section 3.3."""
        clusters = clusters_of(self.known, self.j if limit is None else limit, self.base)
        return np.repeat(clusters, self.known.values)

    def part_limits(self) -> NDArray[np.float64]:
        """The heights of the joins, where all are known."""
        if self.known.count > MOST_JOINED:
            return np.zeros(0)
        return np.unique(dendrogram_of(self.known).height) * (math.log(2) if self.base is None else 1)

    def may_join(self, codes: NDArray[np.int64], stats: ClassStatistics) -> NDArray[np.bool_]:
        """Whether nobody of a class is further than j from who comes, by more than roundings go."""
        from likeness.kernels.beliefs import reach

        ones, place = np.unique(codes // self.known.values, return_inverse=True)
        who, limit = self._members(stats), in_bits(self.j, self.base) - ERROR
        found = reach(ones, who.start, who.items, self.known.shares, self._negative_entropies, limit)
        return np.asarray(found[place.reshape(-1)])

    @property
    def parts_suffice(self) -> bool:
        """Where odds are not limited."""
        return self.odds is None

    def holds(self, stats: ClassStatistics) -> NDArray[np.bool_]:
        """Decide by floats what they can tell, and the rest by exact enclosures and fractions."""
        who = self._members(stats)
        apart, limit = self._divergences(who), in_bits(self.j, self.base)
        good = apart <= limit + ERROR
        for g in np.flatnonzero(good & (apart >= limit - ERROR)).tolist():
            good[g] = all(
                jensen_shannon(one, other, self.base).at_most(self.j)
                for one, other in combinations(self.known.rows[who.of(g)].tolist(), 2)
            )
        if self.odds is None:
            return good
        values = self._values(stats)
        odds, most = self._log_odds(who, values), math.log(self.odds)
        good &= odds <= most + ERROR
        for g in np.flatnonzero(good & (odds >= most - ERROR)).tolist():
            good[g] = self._largest_odds(who.of(g), values.of(g)) <= self.odds
        return good

    def measured(self, stats: ClassStatistics) -> NDArray[np.float64]:
        """(E,) Largest divergence of two people of each class; infinite where their odds are beyond the limit."""
        who = self._members(stats)
        apart = self._divergences(who) * (math.log(2) if self.base is None else 1)
        if self.odds is None:
            return apart
        odds = self._log_odds(who, self._values(stats))
        return np.where(odds <= math.log(self.odds) + ERROR, apart, np.inf)

    def slack(self, measured: NDArray[np.float64]) -> NDArray[np.float64]:
        """Distance to j."""
        return float(self.j) - measured

    def strongest(self, stats: ClassStatistics) -> Strength:
        """The largest divergence, and the largest odds where these are limited."""
        who = self._members(stats)
        apart = float(self._divergences(who).max(initial=0)) * (math.log(2) if self.base is None else 1)
        found = {"j": apart + ERROR if apart > ERROR else apart}
        if self.odds is not None:
            odds = float(self._log_odds(who, self._values(stats)).max(initial=0))
            found["odds"] = math.exp(odds) * (1 + ERROR) if odds > ERROR else 1.0
        return Strength(found)

    def class_test(self) -> ClassTest:
        """The distributions, with limits that lie below by more than roundings go."""
        from likeness.kernels.class_tests import ClassTest, beliefs_within

        most = math.inf if self.odds is None else math.log(self.odds) - ERROR
        limits = [in_bits(self.j, self.base) - ERROR, most]
        reals = np.concatenate([limits, self.known.shares.reshape(-1), self._negative_entropies])
        c, m = self.known.rows.shape
        return ClassTest(beliefs_within, [c, m], reals, values=c * m)

    def _members(self, stats: ClassStatistics) -> _Lists:
        """The distinct distributions of each class."""
        return _Lists.of_keys(stats.class_of, stats.value // self.known.values, stats.classes)

    def _values(self, stats: ClassStatistics) -> _Lists:
        """The values of each class."""
        m = self.known.values
        keys = np.unique(stats.class_of * m + stats.value % m)
        return _Lists.of_keys(keys // m, keys % m, stats.classes)

    def _divergences(self, who: _Lists) -> NDArray[np.float64]:
        """(E,) Largest divergence of two of each class, in bits."""
        from likeness.kernels.beliefs import widest

        return np.asarray(widest(who.start, who.items, self.known.shares, self._negative_entropies))

    def _log_odds(self, who: _Lists, values: _Lists) -> NDArray[np.float64]:
        """(E,) Logarithm of the largest odds of two of each class."""
        from likeness.kernels.beliefs import odds

        return np.asarray(odds(who.start, who.items, values.start, values.items, self.known.shares))

    def _largest_odds(self, who: NDArray[np.int64], values: NDArray[np.int64]) -> Fraction:
        """Find the largest odds of two of some distributions, exactly; they are known to be finite."""
        rows = self.known.rows[who].tolist()
        found = (odds_ratio(one, other, values.tolist()) for one, other in combinations(rows, 2))
        return max((one for one in found if one is not None), default=Fraction(1))


@dataclass(frozen=True, eq=False)
class _Lists:
    """A list of numbers for each class, one behind the other; ``start`` (E + 1,) says where each begins in ``items``."""

    start: NDArray[np.int64]
    items: NDArray[np.int64]

    @classmethod
    def of_keys(cls, class_of: NDArray[np.int64], items: NDArray[np.int64], classes: int) -> _Lists:
        """Make lists of pairs in ascending order, each kept once."""
        new = np.ones(items.size, np.bool_)
        new[1:] = (np.diff(items) != 0) | (np.diff(class_of) != 0)
        start = np.searchsorted(class_of[new], np.arange(classes + 1)).astype(np.int64)
        return cls(start, items[new])

    def of(self, g: int) -> NDArray[np.int64]:
        """The list of one class."""
        return self.items[self.start[g] : self.start[g + 1]]
