"""Distinct l-diversity (Machanavajjhala et al. 2006): several different values in every class."""

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
class DistinctLDiversity(SensitiveModel):
    """Every equivalence class holds at least l different sensitive values.

    Where only some values need protection, every class that has one of them holds at least l different values of any kind: the
    others are the don't-care values of positive disclosure in Machanavajjhala et al. 2006.

    Parameters
    ----------
    l
        Number of values, at least 1. A missing value kept as a category counts as one.

    References
    ----------
    Machanavajjhala et al. 2006, "ℓ-diversity".

    Examples
    --------
    >>> DistinctLDiversity(3)
    DistinctLDiversity(l=3)
    """

    l: int  # noqa: E741  # the literature's name

    name: ClassVar[str] = "distinct-l-diversity"
    some_values: ClassVar[SomeValues | None] = "present"
    ranges: ClassVar[Mapping[str, ParameterRange]] = MappingProxyType({"l": COUNT})
    closed_under_union: ClassVar[bool] = True
    closed_under_adding: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        whole(self.name, "l", self.l, at_least=1)

    @property
    def in_plain_words(self) -> str:
        """What it promises, in words of everyday."""
        return f"Every group has at least {self.counted_as(self.l)}. How frequent each is, is not limited."

    @property
    def conditions(self) -> Conditions:
        """All of it."""
        return Conditions(values=Fraction(self.l), complete=True)

    def bind_to(self, attribute: SensitiveAttribute) -> BoundModel:
        """Bind to a sensitive attribute."""
        return DistinctValues(attribute, "l", self.l)
