"""Enhanced identity-reserved (α, β)-anonymity (Wang et al. 2019): β whichever record is anybody's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from likeness.models._of_individuals import BoundShares, IndividualShares
from likeness.models.base import Conditions
from likeness.wording import percentage

if TYPE_CHECKING:
    from likeness.models.base import BoundModel, SensitiveAttribute


@dataclass(frozen=True, repr=False)
class EirAlphaBetaAnonymity(IndividualShares):
    """At most a share α of a class's records is one individual's; in no reasoning set has a value more than a share β.

    A reasoning set has one record for each individual, so that a value's largest share there is that of the individuals who
    have it (theorem 3.2).

    Parameters
    ----------
    alpha
        Largest share of one individual in the records, ``max |R(p)| / |Q|``; above 0 and at most 1 (no limit).
    beta
        Largest share of the individuals who have one value, ``max |P(s)| / n_Q``; above 0 and at most 1 (no limit). Texts such
        as ``"1/3"`` are exact.

    References
    ----------
    Wang, Du, Luo & Li 2019, definition 3.4, theorem 3.2.

    Examples
    --------
    >>> EirAlphaBetaAnonymity(0.4, 0.6)
    EirAlphaBetaAnonymity(alpha=0.4, beta=0.6)
    """

    name: ClassVar[str] = "eir-alpha-beta-anonymity"
    closed_under_union: ClassVar[bool] = True
    closed_under_adding: ClassVar[bool] = False
    about_individuals: ClassVar[bool] = True

    @property
    def in_plain_words(self) -> str:
        """What it promises, in words of everyday."""
        alpha, beta = map(percentage, self.shares())
        return (
            f"In every group at most {alpha} of the records are one person's, and at most {beta} of "
            "the people have the same "
            f"{self.counted}."
        )

    @property
    def conditions(self) -> Conditions:
        """All of it."""
        alpha, beta = self.shares()
        return Conditions(of_records=alpha, of_individuals=beta, complete=True)

    def bind_to(self, attribute: SensitiveAttribute) -> BoundModel:
        """Bind to a sensitive attribute."""
        return BoundShares(attribute, *self.shares(), of_people=True)
