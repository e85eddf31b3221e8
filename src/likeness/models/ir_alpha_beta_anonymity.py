"""Identity-reserved (α, β)-anonymity (Wang et al. 2019): no individual and no value fills a class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from likeness.models._of_individuals import BoundShares, IndividualShares
from likeness.models.base import Conditions
from likeness.wording import percentage

if TYPE_CHECKING:
    from likeness.models.base import BoundModel, SensitiveAttribute


@dataclass(frozen=True, repr=False)
class IrAlphaBetaAnonymity(IndividualShares):
    """At most a share α of a class's records is one individual's, and at most a share β has one sensitive value.

    A value counts once for each individual who has it. Where policies keep an individual's duplicate records, α counts them
    and β does not: it is the share of pairs of an individual and a value, as it would be without duplicates.

    Parameters
    ----------
    alpha
        Largest share of one individual in the records, ``max |R(p)| / |Q|``; above 0 and at most 1 (no limit).
    beta
        Largest share of one value in the records, ``max |R(s)| / |Q|``; above 0 and at most 1 (no limit). Texts such as
        ``"1/3"`` are exact.

    References
    ----------
    Wang, Du, Luo & Li 2019, definition 2.3 (3).

    Examples
    --------
    >>> IrAlphaBetaAnonymity(0.4, 0.6)
    IrAlphaBetaAnonymity(alpha=0.4, beta=0.6)
    """

    name: ClassVar[str] = "ir-alpha-beta-anonymity"
    closed_under_union: ClassVar[bool] = True
    closed_under_adding: ClassVar[bool] = False
    about_individuals: ClassVar[bool] = True

    @property
    def in_plain_words(self) -> str:
        """What it promises, in words of everyday."""
        alpha, beta = map(percentage, self.shares())
        return (
            f"In every group at most {alpha} of the records are one person's, and at most {beta} of "
            "them have the same "
            f"{self.counted}."
        )

    @property
    def conditions(self) -> Conditions:
        """All of it."""
        alpha, beta = self.shares()
        return Conditions(of_records=alpha, of_pairs=beta, complete=True)

    def bind_to(self, attribute: SensitiveAttribute) -> BoundModel:
        """Bind to a sensitive attribute."""
        return BoundShares(attribute, *self.shares(), of_people=False)
