"""(α, k)-anonymity (Wong et al. 2006): k-anonymity, and no value takes more than a share α of a class."""

from __future__ import annotations

from collections.abc import Sequence  # noqa: TC003  # the schema of policies reads annotations
from dataclasses import dataclass, replace
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from likeness.checks import number, whole
from likeness.errors import PolicyError, suggestion
from likeness.exact import Real, float_above, largest_ratio, rational
from likeness.models.base import (
    COUNT,
    SHARE,
    BoundModel,
    Conditions,
    SensitiveAttribute,
    SensitiveModel,
    SomeValues,
    Strength,
)
from likeness.models.shares import ShareLimits
from likeness.wording import count, percentage, quoted

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from numpy.typing import NDArray

    from likeness.microdata.statistics import ClassStatistics
    from likeness.models.base import ParameterRange


@dataclass(frozen=True, repr=False)
class AlphaKAnonymity(SensitiveModel):
    """Every class holds at least k records, and a share of at most α of them has the same sensitive value.

    Parameters
    ----------
    alpha
        Largest share, above 0 and at most 1. Texts such as ``"1/3"`` are exact.
    k
        Smallest allowed class, at least 1.
    values
        Sensitive values that α applies to; by default all.

    References
    ----------
    Wong et al. 2006, "(α, k)-anonymity".

    Examples
    --------
    >>> AlphaKAnonymity(0.5, 3, values=["HIV"])
    AlphaKAnonymity(alpha=0.5, k=3, values=('HIV',))
    """

    alpha: float | str | Fraction
    k: int
    values: Sequence[str] | None = None

    name: ClassVar[str] = "alpha-k-anonymity"
    some_values: ClassVar[SomeValues | None] = "limits"
    ranges: ClassVar[Mapping[str, ParameterRange]] = MappingProxyType({"alpha": SHARE, "k": COUNT})
    closed_under_union: ClassVar[bool] = True
    closed_under_adding: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        number(self.name, "alpha", self.alpha, above=0, at_most=1)
        whole(self.name, "k", self.k, at_least=1)
        if self.values is None:
            return
        if (
            isinstance(self.values, str)
            or not isinstance(self.values, list | tuple)
            or not self.values
            or not all(isinstance(value, str) for value in self.values)
        ):
            raise PolicyError(f"{self.name}: values must be a list of sensitive values; got {self.values!r}")
        if len(set(self.values)) < len(self.values):
            raise PolicyError(f"{self.name}: values names one twice; got {list(self.values)!r}")
        object.__setattr__(self, "values", tuple(self.values))

    @property
    def in_plain_words(self) -> str:
        """What it promises, in words of everyday."""
        share = percentage(rational(self.alpha))
        begin = f"Every group has at least {count(self.k, 'person')}"
        if self.values is None:
            return f"{begin}, and at most {share} of them have the same {self.counted}."
        named = ", ".join(map(quoted, self.values))
        return f"{begin}, and at most {share} of them have the same of these values: {named}. Other values are not limited."

    @property
    def named_values(self) -> frozenset[str]:
        """Values that α applies to, where it does not apply to all."""
        return frozenset(self.values or ())

    def naming_only(self, values: Collection[str]) -> Self:
        """Leave values out that are not among these."""
        kept = [value for value in self.values or () if value in values]
        return replace(self, values=kept) if kept else self

    @property
    def conditions(self) -> Conditions:
        """What can be counted of it."""
        return Conditions(size=self.k)

    def bind_to(self, attribute: SensitiveAttribute) -> BoundModel:
        """Bind to a sensitive attribute.

        Raises
        ------
        PolicyError
            When ``values`` names one that the column does not have.
        """
        labels = [attribute.label(code) for code in range(len(attribute.counts))]
        known = set(labels)
        listed = known if self.values is None else self.values
        if attribute.complete:
            unknown = [
                f"{self.name}: {attribute.domain.name!r} has no value {quoted(value)}{suggestion(value, labels)}"
                for value in listed
                if value not in known
            ]
            if unknown:
                raise PolicyError(*unknown)
        named = set(listed)
        concerned = np.array([label in named for label in labels], np.bool_)
        if attribute.protected is not None:
            concerned &= attribute.protected
        alpha = number(self.name, "alpha", self.alpha, above=0)
        return _Bound(attribute, alpha, self.k, concerned, named=self.values is not None)


class _Bound(ShareLimits):
    def __init__(
        self,
        attribute: SensitiveAttribute,
        alpha: Fraction,
        k: int,
        concerned: NDArray[np.bool_],
        *,
        named: bool,
    ) -> None:
        super().__init__(attribute, smallest=k)
        self.alpha = alpha
        self.concerned = concerned
        self.named = named

    def limits_nothing(self) -> str:
        """Nobody has any of the values that are named for α."""
        concerned = self.concerned & (self.attribute.counts > 0)
        return "" if concerned.any() or not self.named else "nobody has any of its values"

    def limits(self) -> tuple[Sequence[Real], None]:
        return [Real.of(self.alpha if limited else Fraction(1)) for limited in self.concerned], None

    def measured(self, stats: ClassStatistics) -> NDArray[np.float64]:
        worst = np.zeros(stats.classes)
        np.maximum.at(worst, stats.class_of, np.where(self.concerned[stats.value], stats.count, 0))
        return np.where(stats.sizes >= self.smallest, worst / np.maximum(stats.sizes, 1), np.inf)

    def slack(self, measured: NDArray[np.float64]) -> NDArray[np.float64]:
        return float(self.alpha) - measured

    def strongest_posterior(self, posteriors: Sequence[Fraction]) -> Strength:
        """Smallest α that limits confidence in the values it is about; classes there are none."""
        share = max(
            (q for q, one in zip(posteriors, self.concerned, strict=True) if one), default=Fraction(0)
        )
        return Strength({"alpha": float_above(share), "k": 1.0})

    def strongest(self, stats: ClassStatistics) -> Strength:
        limited = self.concerned[stats.value]
        share = largest_ratio(stats.count[limited], stats.sizes[stats.class_of[limited]])
        smallest = float(stats.sizes.min()) if stats.classes else 0.0
        return Strength({"alpha": float_above(share), "k": smallest})
