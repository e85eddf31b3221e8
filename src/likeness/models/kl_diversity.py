"""(k,l)-diversity (Gong et al. 2017): what is published of somebody is shared by k people, and by a share of 1/l of a class."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from likeness.checks import whole
from likeness.exact import Real
from likeness.models.base import (
    COUNT,
    LARGEST,
    BoundModel,
    Conditions,
    SensitiveAttribute,
    SensitiveModel,
    Strength,
)
from likeness.models.shares import ShareLimits
from likeness.wording import count, percentage, quoted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from likeness.microdata.statistics import ClassStatistics
    from likeness.models.base import ParameterRange


@dataclass(frozen=True, repr=False)
class KlDiversity(SensitiveModel):
    """Every published sensitive value is that of at least k people, and of at most a share 1/l of each class.

    It was made for tables in which the value of a person is a set, as ``one-to-many-generalization`` publishes them: then k
    people share each set, wherever they are in the table. What all values of a set have in common is known of each of them,
    and nothing here limits that.

    Parameters
    ----------
    k
        Fewest people with each value that is published, at least 1.
    l
        At least 1: no class holds a value more often than in 1 of l, so that it has l people and l values at least.

    Notes
    -----
    k is asked of the sensitive values and l of the classes, as in the published program; Fazal et al. 2023 have it the other
    way round. k is counted among the published records; a class with a rarer value does not hold.

    References
    ----------
    Gong et al. 2017, "Anonymizing 1:M microdata with high utility".

    Examples
    --------
    >>> KlDiversity(k=10, l=5)
    KlDiversity(k=10, l=5)
    """

    k: int
    l: int  # noqa: E741  # the literature's name

    name: ClassVar[str] = "kl-diversity"
    ranges: ClassVar[Mapping[str, ParameterRange]] = MappingProxyType({"k": COUNT, "l": COUNT})
    # How many share a value has nothing to do with the classes that they are in.
    closed_under_union: ClassVar[bool] = True
    closed_under_adding: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        whole(self.name, "k", self.k, at_least=1)
        whole(self.name, "l", self.l, at_least=1)

    @property
    def in_plain_words(self) -> str:
        """What it promises, in words of everyday."""
        return (
            f"Every {self.counted} that is published is that of at least {count(self.k, 'person')}, "
            "and in every group at most "
            f"{percentage(Fraction(1, self.l))} of the people have the same one."
        )

    @property
    def conditions(self) -> Conditions:
        """What can be counted of it."""
        return Conditions(size=self.l, values=Fraction(self.l))

    @property
    def compares(self) -> bool:
        """True: a value is as rare as the records that are published make it."""
        return True

    def eased(self, share: Fraction) -> Self:  # noqa: ARG002  # whatever the share
        """Give the model itself: of fewer records no value is had by more people."""
        return self

    def bind_to(self, attribute: SensitiveAttribute) -> BoundModel:
        """Bind to a sensitive attribute."""
        return _Bound(attribute, self.k, self.l)


class _Bound(ShareLimits):
    def __init__(self, attribute: SensitiveAttribute, k: int, l: int) -> None:  # noqa: E741
        super().__init__(attribute, smallest=l)
        self.k, self.l = k, l
        self.rare = attribute.counts < k

    def limits(self) -> tuple[Sequence[Real], None]:
        return [Real.of(Fraction(1, self.l))] * len(self.attribute.counts), None

    def holds(self, stats: ClassStatistics) -> NDArray[np.bool_]:
        good = super().holds(stats)
        good[stats.class_of[self.rare[stats.value]]] = False
        return good

    def _at_least(self, upper: Sequence[Real], counts: NDArray[np.int64]) -> list[NDArray[np.int64]]:
        """No class may hold a rare value, whatever its size."""
        found = super()._at_least(upper, counts)
        return [
            np.full(own.size, LARGEST) if rare else own for own, rare in zip(found, self.rare, strict=True)
        ]

    def posterior_limits(self) -> None:
        """None: it is not about the confidence in a value alone."""

    def measured(self, stats: ClassStatistics) -> NDArray[np.float64]:
        # Where l does not hold, no k is met.
        found = np.full(stats.classes, np.inf)
        np.minimum.at(found, stats.class_of, self.attribute.counts[stats.value].astype(np.float64))
        return np.where(super().holds(stats), found, 0.0)

    def slack(self, measured: NDArray[np.float64]) -> NDArray[np.float64]:
        return measured - self.k

    def because(self, stats: ClassStatistics) -> str:
        """Name the rarest value, where one is too rare."""
        rare = stats.value[self.rare[stats.value]]
        if not rare.size:
            return ""
        code = int(rare[np.argmin(self.attribute.counts[rare])])
        have = int(self.attribute.counts[code])
        return f"; {quoted(self.attribute.label(code))} is published of {have}, fewer than k = {self.k}"

    def strongest(self, stats: ClassStatistics) -> Strength:
        if stats.classes == 0:
            return Strength({"k": 0.0, "l": 0.0})
        shared = int(self.attribute.counts[stats.value].min())
        return Strength({"k": float(shared), "l": float((stats.sizes[stats.class_of] // stats.count).min())})
