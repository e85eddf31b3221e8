"""p⁺-sensitivity (Sun, Sun & Wang 2011): several categories of values in every class."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from likeness.checks import whole
from likeness.models.base import COUNT, BoundModel, Conditions, SensitiveAttribute, SensitiveModel
from likeness.models.distinct import DistinctValues, of_categories

if TYPE_CHECKING:
    from collections.abc import Mapping

    from likeness.models.base import ParameterRange


@dataclass(frozen=True, repr=False)
class PPlusSensitivity(SensitiveModel):
    """Every class holds sensitive values of at least p different categories; with ``k-anonymity``, p⁺-sensitive k-anonymity.

    It counts the categories that the policy gives the column's values (``categories:``) and does not look at their shares:
    three of four records may be of one category.

    Parameters
    ----------
    p
        Number of categories, at least 1.

    References
    ----------
    Sun, Sun & Wang 2011, "Extended k-anonymity models against sensitive attribute disclosure".

    Examples
    --------
    >>> PPlusSensitivity(2)
    PPlusSensitivity(p=2)
    """

    p: int
    by: str = field(default="categories", kw_only=True)

    name: ClassVar[str] = "p-plus-sensitivity"
    ranges: ClassVar[Mapping[str, ParameterRange]] = MappingProxyType({"p": COUNT})
    # Neither a record more nor another class takes a value away.
    closed_under_union: ClassVar[bool] = True
    closed_under_adding: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        whole(self.name, "p", self.p, at_least=1)
        of_categories(self)

    @property
    def in_plain_words(self) -> str:
        """What it promises, in words of everyday."""
        return f"Every group has at least {self.counted_as(self.p)}. How frequent each is, is not limited."

    @property
    def conditions(self) -> Conditions:
        """All of it."""
        return Conditions(values=Fraction(self.p), complete=True)

    def bind_to(self, attribute: SensitiveAttribute) -> BoundModel:
        """Bind to a sensitive attribute."""
        return DistinctValues(attribute, "p", self.p)
