"""Basic β-likeness (Cao & Karras 2012, Definition 2)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from likeness.checks import number
from likeness.exact import Real, rational
from likeness.models.beta_bounds import GainLimits, GainModel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likeness.models.base import BoundModel, SensitiveAttribute


@dataclass(frozen=True, repr=False)
class BasicBetaLikeness(GainModel):
    """In no class does confidence in a sensitive value grow by more than β times: ``q_s <= (1 + β) p_s``.

    It asks for no number of records in a class: without k-anonymity beside it, somebody may be alone in one.

    Parameters
    ----------
    beta
        Largest relative gain, above 0. Texts such as ``"1/3"`` are exact.

    References
    ----------
    Cao & Karras 2012, Definition 2.

    Examples
    --------
    >>> BasicBetaLikeness("1/3"), BasicBetaLikeness("1/3").limit
    (BasicBetaLikeness(beta='1/3'), Fraction(1, 3))
    """

    beta: float | str | Fraction

    name: ClassVar[str] = "basic-beta-likeness"

    def __post_init__(self) -> None:
        super().__post_init__()
        number(self.name, "beta", self.beta, above=0)

    @property
    def in_plain_words(self) -> str:
        """What it promises, in words of everyday."""
        return f"{self.gain_in_words(rational(self.beta))}.{self.loss_in_words}"

    @property
    def limit(self) -> Fraction:
        """β as a fraction."""
        return number(self.name, "beta", self.beta, above=0)

    def bind_to(self, attribute: SensitiveAttribute) -> BoundModel:
        """Bind to a sensitive attribute."""
        return _Bound(attribute, self.limit, self.negative_limit)


class _Bound(GainLimits):
    def limits(self) -> tuple[Sequence[Real], Sequence[Real] | None]:
        assert self.beta is not None  # noqa: S101  # basic β-likeness has no other bound
        return [Real.of(min(Fraction(1), p * (1 + self.beta))) for p in self.shares], self.lower_limits()

    def ceilings(self) -> Sequence[Real]:
        return [Real.of(Fraction(p > 0)) for p in self.shares]
