"""Enhanced β-likeness (Cao & Karras 2012, paper 002, Definition 3 and equation 1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

from likeness.checks import number
from likeness.errors import PolicyError
from likeness.models._beta import GainLimits, GainModel, enhanced_limit
from likeness.models._caps import Bound, CappedGain, kept_caps, user_caps

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from fractions import Fraction

    from likeness.exact import Real
    from likeness.models._base import BoundModel, SensitiveAttribute


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
    Cao & Karras 2012 (paper 002), Definition 3, equation (1).

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
