"""p-sensitivity (Truta & Vinay 2006): several different values in every class."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from likeness.checks import whole
from likeness.models.base import COUNT, BoundModel, Conditions, SensitiveAttribute, SensitiveModel, SomeValues
from likeness.models.distinct import DistinctValues

if TYPE_CHECKING:
    from collections.abc import Mapping

    from likeness.models.base import ParameterRange


@dataclass(frozen=True, repr=False)
class PSensitivity(SensitiveModel):
    """Every class holds at least p different sensitive values; with ``k-anonymity`` this is p-sensitive k-anonymity.

    The condition of ``distinct-l-diversity`` under its other name. It counts values and looks neither at their shares nor at what
    they mean: nine of ten may have one value, and p cancers are p values. ``p-plus-sensitivity`` counts categories.

    Parameters
    ----------
    p
        Number of values, at least 1; of categories with ``by: categories``.

    References
    ----------
    Truta & Vinay 2006, "Privacy protection: p-sensitive k-anonymity property", definition 2.

    Examples
    --------
    >>> PSensitivity(3)
    PSensitivity(p=3)
    """

    p: int

    name: ClassVar[str] = "p-sensitivity"
    some_values: ClassVar[SomeValues | None] = "present"
    ranges: ClassVar[Mapping[str, ParameterRange]] = MappingProxyType({"p": COUNT})
    # Neither a record more nor another class takes a value away.
    closed_under_union: ClassVar[bool] = True
    closed_under_adding: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        whole(self.name, "p", self.p, at_least=1)

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
