"""(ρ1, ρ2)-privacy of every value (Evfimievski et al. 2003; Cao & Karras 2012, Definition 7)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from likeness.checks import number
from likeness.errors import PolicyError, suggestion
from likeness.exact import Real, float_above, largest_ratio
from likeness.models.base import BoundModel, GroupedModel, ParameterRange, SensitiveAttribute, Strength
from likeness.models.shares import ShareLimits
from likeness.wording import percentage, quoted

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from likeness.microdata.statistics import ClassStatistics

Shares = float | str | Fraction | Mapping[str, Any]


@dataclass(frozen=True, repr=False)
class RhoPrivacy(GroupedModel):
    """Confidence in a value whose share is at most ρ1 never rises above ρ2: no upward ρ1-to-ρ2 breach.

    In a class, confidence in a value is its share there; after perturbation, the posterior that the published
    value leads to.

    Parameters
    ----------
    rho2
        Largest confidence afterwards, above 0 and below 1: one for all values, or by value; values that are
        not named are not limited. Texts such as ``"1/3"`` are exact.
    rho1
        Largest share of the values this is about, above 0 and below ``rho2``: one for all, or by value; values
        that are not named are not limited. Where ``rho2`` is by value too, both must name the same values. By default
        every value, whatever its share (Definition 7).

    Notes
    -----
    A value whose share in the whole table is above its ρ2 cannot be hidden by any release: its ρ2 must be at
    least its share, or its ρ1 below it.

    References
    ----------
    Evfimievski, Gehrke & Srikant 2003, Definition 1 (upward breaches); Cao & Karras 2012,
    section 5, Definition 7.

    Examples
    --------
    >>> RhoPrivacy("1/2", rho1="1/10")
    RhoPrivacy(rho2='1/2', rho1='1/10')
    """

    rho2: Shares = field(hash=False)
    rho1: Shares | None = field(default=None, kw_only=True, hash=False)

    name: ClassVar[str] = "rho-privacy"
    ranges: ClassVar[Mapping[str, ParameterRange]] = MappingProxyType(
        {"rho2": ParameterRange(ends=(0.001, 0.999))}
    )
    closed_under_union: ClassVar[bool] = True
    closed_under_adding: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        for key, given in (("rho2", self.rho2), ("rho1", self.rho1)):
            if isinstance(given, Mapping):
                plain = {str(value): _writable(share) for value, share in given.items()}
                object.__setattr__(self, key, plain)
        low, high = self._read("rho1"), self._read("rho2")
        for value in (None, *{**low.named, **high.named}):
            before, after = low.of(value), high.of(value)
            if before is not None and after is not None and before >= after:
                concerned = "" if value is None else f" of {quoted(value)}"
                raise PolicyError(
                    f"{self.name}: rho1{concerned} must be below rho2; got {before} and {after}"
                )
        if low.named and high.named and low.named.keys() != high.named.keys():
            # One of them alone would limit nothing, though the policy reads as if it did.
            first, other = ("rho2", "rho1") if high.named.keys() - low.named.keys() else ("rho1", "rho2")
            value = next(v for v in (high if first == "rho2" else low).named if v not in getattr(self, other))
            raise PolicyError(
                f"{self.name}: {first} names {quoted(value)} and {other} does not, so that nothing would limit it; name it "
                "in both, or give rho1 as one number"
            )

    @property
    def in_plain_words(self) -> str:
        """What it promises, in words of everyday."""
        low, high = self._read("rho1"), self._read("rho2")
        if self.named_values:
            limits = [
                (quoted(value), percentage(after))
                for value in sorted(self.named_values)
                if (after := high.of(value)) is not None
            ]
            listed = ", ".join(f"{value} at most {limit}" for value, limit in limits)
            begin = f"In every group these values have shares of {listed}"
            if low.named or low.of(None) is not None:
                begin += ", each where it is no more frequent in the table than the parameter rho1 says"
            return f"{begin}. Other values are not limited."
        before, most = low.of(None), high.of(None)
        share = "100 %" if most is None else percentage(most)
        concerned = (
            "" if before is None else f" that at most {percentage(before)} have in {self.compared_with}"
        )
        return f"In every group at most {share} have the same {self.counted}{', of those' * bool(concerned)}{concerned}."

    def _read(self, key: str) -> _PerValue:
        """Read one parameter; its numbers must be above 0 and below 1."""
        given = getattr(self, key)
        if key == "rho1" and given is None:
            return _PerValue(None, {})
        if not isinstance(given, Mapping):
            return _PerValue(_share(self.name, key, given), {})
        if not given:
            raise PolicyError(f"{self.name}: {key} must name at least one value; got {given!r}")
        named = {value: _share(self.name, f"{key}[{value}]", share) for value, share in given.items()}
        return _PerValue(None, named)

    @property
    def named_values(self) -> frozenset[str]:
        """Values that have a ρ1 or a ρ2 of their own."""
        return frozenset({**self._read("rho1").named, **self._read("rho2").named})

    @property
    def compares(self) -> bool:
        """Whether what it asks of a class changes with the records that are published elsewhere: where there is a ρ1."""
        return self.rho1 is not None and super().compares

    def naming_only(self, values: Collection[str]) -> Self:
        """Leave values out that are not among these."""
        changed: dict[str, Any] = {}
        for key in ("rho1", "rho2"):
            given = getattr(self, key)
            if isinstance(given, Mapping):
                kept = {value: share for value, share in given.items() if value in values}
                if not kept:
                    return self
                changed[key] = kept
        return replace(self, **changed)

    def bind_to(self, attribute: SensitiveAttribute) -> BoundModel:
        """Bind to a sensitive attribute.

        Raises
        ------
        PolicyError
            When a parameter names a value that the column does not have.
        """
        labels = [attribute.label(code) for code in range(len(attribute.counts))]
        low, high = self._read("rho1"), self._read("rho2")
        if attribute.complete:
            unknown = [
                f"{self.name}: {attribute.domain.name!r} has no value {quoted(value)}{suggestion(value, labels)}"
                for value in {**low.named, **high.named}
                if value not in labels
            ]
            if unknown:
                raise PolicyError(*unknown)
        # Above its ρ1, or not named there, a value may become as sure as it likes.
        bounds = [low.of(label) for label in labels]
        concerned = [
            high.of(label) is not None and (self.rho1 is None or (bound is not None and p <= bound))
            for label, bound, p in zip(labels, bounds, attribute.shares, strict=True)
        ]
        limits = [high.of(label) if one else None for label, one in zip(labels, concerned, strict=True)]
        return _Bound(attribute, np.array(concerned, np.bool_), limits, high.default)


@dataclass(frozen=True)
class _PerValue:
    """One number for all values, or numbers for some of them."""

    default: Fraction | None
    named: dict[str, Fraction]

    def of(self, value: str | None) -> Fraction | None:
        return self.default if value is None else self.named.get(value, self.default)


class _Bound(ShareLimits):
    """Limits of some values.

    ``concerned``: (m,) bool, values that have a ρ2, and whose share is at most their ρ1.
    ``largest``: ρ2 of every value that has a limit; None for the others.
    ``common``: the one ρ2 of all values, when there is one.
    """

    def __init__(
        self,
        attribute: SensitiveAttribute,
        concerned: NDArray[np.bool_],
        largest: Sequence[Fraction | None],
        common: Fraction | None,
    ) -> None:
        super().__init__(attribute)
        self.concerned = concerned
        self.largest = largest
        self.unit = 1.0 if common is None else float(common)

    def limits_nothing(self) -> str:
        """Nobody has a value that is limited."""
        if (self.concerned & (self.attribute.counts > 0)).any():
            return ""
        return "no value that somebody has is named and has a share of at most rho1"

    def limits(self) -> tuple[Sequence[Real], None]:
        return [Real.of(Fraction(1) if limit is None else limit) for limit in self.largest], None

    def measured(self, stats: ClassStatistics) -> NDArray[np.float64]:
        """(E,) Smallest ρ2 each class meets; where values have their own, the largest part of one in use."""
        limits = np.array([np.inf if limit is None else float(limit) for limit in self.largest])[stats.value]
        worst = np.zeros(stats.classes)
        np.maximum.at(worst, stats.class_of, stats.count / stats.sizes[stats.class_of] / limits)
        return worst * self.unit

    def slack(self, measured: NDArray[np.float64]) -> NDArray[np.float64]:
        return self.unit - measured

    def strongest_posterior(self, posteriors: Sequence[Fraction]) -> Strength:
        """Smallest ρ2 that would do for all limited values; infinite when only 1 would."""
        share = max(
            (q for q, one in zip(posteriors, self.concerned, strict=True) if one), default=Fraction(0)
        )
        return Strength({"rho2": float("inf") if share == 1 else float_above(share)})

    def strongest(self, stats: ClassStatistics) -> Strength:
        """Smallest ρ2 that would do for all limited values; infinite when only 1 would."""
        limited = self.concerned[stats.value]
        share = largest_ratio(stats.count[limited], stats.sizes[stats.class_of[limited]])
        return Strength({"rho2": float("inf") if share == 1 else float_above(share)})


def _writable(share: Any) -> Any:
    """A number as policies and certificates can hold it."""
    return str(share) if isinstance(share, Fraction) else share


def _share(part: str, key: str, given: Any) -> Fraction:
    """Return a number strictly between 0 and 1."""
    share = number(part, key, given, above=0, at_most=1)
    if share == 1:
        raise PolicyError(f"{part}: {key} must be a number above 0 and below 1; got {given!r}")
    return share
