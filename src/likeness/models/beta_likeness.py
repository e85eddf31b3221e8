"""Enhanced β-likeness (Cao & Karras 2012, Definition 3 and equation 1).

β-likeness with another bound than the paper's: a function, or the caps a certificate kept of one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from likeness.checks import number
from likeness.errors import PolicyError, suggestion
from likeness.exact import Real, rational
from likeness.models.beta_bounds import GainLimits, GainModel, enhanced_limit
from likeness.wording import quoted

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from likeness.microdata.statistics import ClassStatistics
    from likeness.models.base import BoundModel, SensitiveAttribute

Bound = Callable[[Fraction], "int | Fraction | tuple[Fraction, Fraction]"]


class CappedGain(GainLimits):
    """A cap of its own for every value; measured as the largest part of a cap that is used.

    ``caps`` has one per value; ``negative`` is the largest negative gain, None: no limit.
    """

    def __init__(
        self, attribute: SensitiveAttribute, caps: Sequence[Fraction], negative: Fraction | None
    ) -> None:
        super().__init__(attribute, None, negative)
        self._caps = caps

    def limits(self) -> tuple[Sequence[Real], Sequence[Real] | None]:
        """Return the caps."""
        return [Real.of(cap) for cap in self._caps], self.lower_limits()

    def limits_nothing(self) -> str:
        """Every cap is 1, of a column in which people have different values."""
        occurring = [self._caps[code] for code in np.flatnonzero(self.attribute.judged_counts).tolist()]
        single = np.count_nonzero(self.attribute.counts) < 2
        limited = single or any(cap < 1 for cap in occurring) or self.negative not in {None, 1}
        return "" if limited else "every value may be as sure as it likes, as its bound is 1"

    def ceilings(self) -> Sequence[Real]:
        """``p_s (1 - ln p_s)``: the strongest β is that of enhanced β-likeness."""
        return [enhanced_limit(p, None) for p in self.shares]

    def measured(self, stats: ClassStatistics) -> NDArray[np.float64]:
        """(E,) Largest part of a cap that is used, infinite where negative gain is too large."""
        caps = np.array([float(cap) for cap in self._caps])[stats.value]
        q = stats.count / stats.sizes[stats.class_of]
        used = np.where(caps > 0, q / np.where(caps > 0, caps, 1.0), np.inf)
        worst = np.zeros(stats.classes)
        np.maximum.at(worst, stats.class_of, used)
        worst[~self.loss_allowed(stats)] = np.inf
        return worst

    def slack(self, measured: NDArray[np.float64]) -> NDArray[np.float64]:
        """Part of the cap that is left."""
        return 1.0 - measured


def kept_caps(part: str, attribute: SensitiveAttribute, caps: Mapping[str, Any]) -> list[Fraction]:
    """Cap of every value from a certificate: 0 for values it does not name.

    Raises `PolicyError` where a cap is not a number from 0 to 1, or of a value that a complete domain does not have.
    """
    labels = [attribute.label(code) for code in range(len(attribute.counts))]
    unknown = [label for label in caps if label not in labels]
    if attribute.complete and unknown:
        raise PolicyError(
            f"{part}: {attribute.domain.name!r} has no value {unknown[0]!r}{suggestion(unknown[0], labels)}"
        )
    read = {label: number(part, f"caps[{label}]", cap, at_least=0, at_most=1) for label, cap in caps.items()}
    return [read.get(label, Fraction(0)) for label in labels]


def user_caps(part: str, shares: Sequence[Fraction], bound: Bound) -> list[Fraction]:
    """Cap of every share from the user's function, checked to be a bound where it is used.

    Raises `PolicyError` where the function falls, is below the share itself, or returns no number.
    """
    caps = {Fraction(0): Fraction(0)}
    before, share_before = Fraction(0), Fraction(0)
    for p in sorted(set(shares) - {0}):
        low, high = _enclosure(part, bound, p)
        if low < p:
            raise PolicyError(
                f"{part}: bound({p}) = {low} is below the share itself; a bound must be at least p"
            )
        if high < before:
            raise PolicyError(
                f"{part}: the bound falls from {before} at p = {share_before} to {high} at p = {p}; "
                "it must not fall"
            )
        before, share_before = low, p
        caps[p] = min(low, Fraction(1))
    return [caps[p] for p in shares]


def _enclosure(part: str, bound: Bound, p: Fraction) -> tuple[Fraction, Fraction]:
    """Evaluate a user's bound as rationals below and above it."""
    value: Any = bound(p)
    low, high = value if isinstance(value, tuple) and len(value) == 2 else (value, value)
    if not all(isinstance(end, int | Fraction) for end in (low, high)) or low > high:
        raise PolicyError(
            f"{part}: bound({p}) must return an int, a Fraction, or a pair of them (below, above); "
            f"got {quoted(value)}"
        )
    return Fraction(low), Fraction(high)


@dataclass(frozen=True, repr=False)
class BetaLikeness(GainModel):
    """No class raises confidence in a value of overall share p_s above ``p_s (1 + min{β, -ln p_s})``.

    It asks for no number of records in a class: without k-anonymity beside it, somebody may be alone in one.

    Parameters
    ----------
    beta
        Largest relative gain, above 0. Left out only with ``bound`` or ``caps``.
    bound
        Another bound f as a Python function of a `~fractions.Fraction` (never in a policy file):
        nondecreasing, at least p, returning an exact number (int, Fraction) or a pair that encloses it.
    caps
        The caps a bound gave, value by value, as rationals: how a certificate keeps a bound.

    References
    ----------
    Cao & Karras 2012, Definition 3, equation (1).

    Examples
    --------
    >>> BetaLikeness(4)
    BetaLikeness(beta=4)
    """

    beta: float | str | Fraction | None = None
    bound: Bound | None = field(default=None, kw_only=True)
    caps: Mapping[str, Any] | None = field(default=None, kw_only=True, hash=False)

    name: ClassVar[str] = "beta-likeness"

    def __post_init__(self) -> None:
        super().__post_init__()
        given = sum(option is not None for option in (self.beta, self.bound, self.caps))
        if given != 1:
            raise PolicyError(f"{self.name}: give either beta or, in Python, a bound; got {given} of them")
        if self.beta is not None:
            number(self.name, "beta", self.beta, above=0)
        if self.bound is not None and not callable(self.bound):
            raise PolicyError(f"{self.name}: bound must be a Python function; got {self.bound!r}")
        if self.caps is not None and not isinstance(self.caps, Mapping):
            raise PolicyError(f"{self.name}: caps must give a number for every value; got {self.caps!r}")
        if self.beta is None and self.against_original:
            raise PolicyError(
                f"{self.name}: a bound of one's own needs reference: published; the caps that the certificate keeps of it would "
                "tell the original's distribution"
            )

    @property
    def in_plain_words(self) -> str:
        """What it promises, in words of everyday."""
        if self.beta is None:
            each = f"In every group the share of each {self.counted} is at most a limit of its own, which certificate.json lists."
            return each + self.loss_in_words
        return f"{self.gain_in_words(rational(self.beta))}; of frequent values less.{self.loss_in_words}"

    @property
    def has_function(self) -> bool:
        """Whether a bound is given."""
        return self.bound is not None

    def caps_of(self, shares: Iterable[Fraction]) -> dict[str, str]:
        """Evaluate the bound."""
        return {} if self.bound is None else {str(share): str(self.bound(share)) for share in shares}

    def with_caps(self, caps: Mapping[str, str]) -> Self:
        """Keep the caps that the bound gave instead of it."""
        return self if self.bound is None else replace(self, bound=None, caps=caps)

    @property
    def named_values(self) -> frozenset[str]:
        """Values that have a cap."""
        return frozenset(self.caps or ())

    def naming_only(self, values: Collection[str]) -> Self:
        """Leave caps of values out that are not among these."""
        kept = {value: cap for value, cap in (self.caps or {}).items() if value in values}
        return replace(self, caps=kept) if kept else self

    def bind_to(self, attribute: SensitiveAttribute) -> BoundModel:
        """Bind to a sensitive attribute."""
        if self.caps is not None:
            caps = kept_caps(self.name, attribute, self.caps)
            return CappedGain(attribute, caps, self.negative_limit)
        if self.bound is not None:
            caps = user_caps(self.name, attribute.shares, self.bound)
            return CappedGain(attribute, caps, self.negative_limit)
        beta = number(self.name, "beta", self.beta, above=0)
        return _Bound(attribute, beta, self.negative_limit)


class _Bound(GainLimits):
    def limits(self) -> tuple[Sequence[Real], Sequence[Real] | None]:
        by_share = {p: enhanced_limit(p, self.beta) for p in set(self.shares)}
        return [by_share[p] for p in self.shares], self.lower_limits()

    def ceilings(self) -> Sequence[Real]:
        by_share = {p: enhanced_limit(p, None) for p in set(self.shares)}
        return [by_share[p] for p in self.shares]
