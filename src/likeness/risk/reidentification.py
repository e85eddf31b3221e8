"""The chance of finding somebody's record, and how it is spread over people: prosecutor, journalist, marketer."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.attacks.matching import count_matches, own_is_nearest
from likeness.checks import number
from likeness.microdata.grouping import distinct
from likeness.wording import figure

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from likeness.forms.base import Publication
    from likeness.microdata.data import Microdata
    from likeness.microdata.plan import Plan

USED_BY = {
    Fraction(
        1, 11
    ): "European Medicines Agency (Policy 0070) and Health Canada (public release of clinical information); "
    "11 is the smallest cell of public releases in the United States",
    Fraction(
        1, 20
    ): "public releases of Canadian and United States patient data, cells of 20 (El Emam 2013, chapter 16)",
}
"""Thresholds that are named, and by whom they are used. Agencies write one in eleven as 0.09."""
THRESHOLDS = (0.09, 0.05)
"""What is asked of where nothing else is said."""
_ENDS = (0.0, 0.01, 0.05, 1 / 11, 0.2, 1 / 3, 0.5, 1.0)
"""Ends of the intervals that a distribution is told in; one in eleven is written as 0.09."""


def threshold_of(given: Any) -> Fraction:
    """Read a threshold of chances: 0.09 is read as one in eleven, which agencies round to it.

    Raises `PolicyError` when it is no number above 0 and at most 1.

    >>> threshold_of(0.09), threshold_of("0.05"), threshold_of("1/3")
    (Fraction(1, 11), Fraction(1, 20), Fraction(1, 3))
    """
    exact = number("risk", "threshold", given, above=0, at_most=1)
    return Fraction(1, 11) if exact == Fraction(9, 100) else exact


@dataclass(frozen=True)
class Spread:
    """How chances are spread over people, or over records.

    Parameters
    ----------
    counted
        How many of them there are.
    minimum, mean, maximum
        Of their chances.
    above
        Threshold, as it was given, to the share of them whose chance is above it.
    distribution
        Pairs of an upper end, inclusive, and the share of them between the end before and this one; the first begins at 0,
        which it includes.
    """

    counted: int
    minimum: float
    mean: float
    maximum: float
    above: dict[str, float]
    distribution: tuple[tuple[float, float], ...]

    @classmethod
    def of(cls, chances: NDArray[np.float64], thresholds: Iterable[Any]) -> Spread:
        """Spread out the chances (n,) of people; all is 0 where there is nobody.

        Examples
        --------
        >>> import numpy as np
        >>> found = Spread.of(np.array([1 / 11, 0.5]), [0.09])
        >>> found.mean, found.above
        (0.29545454545454547, {'0.09': 0.5})
        """
        many = max(1, chances.size)
        # One in eleven is the threshold itself, not above it, however it is rounded.
        slack = 1 + 1e-9
        upto = [float(np.count_nonzero(chances <= end * slack) / many) for end in _ENDS[1:]]
        return cls(
            int(chances.size),
            float(chances.min(initial=1.0)) if chances.size else 0.0,
            float(chances.mean()) if chances.size else 0.0,
            float(chances.max(initial=0.0)),
            {
                str(given): float(np.count_nonzero(chances > float(threshold_of(given)) * slack) / many)
                for given in thresholds
            },
            tuple(
                (end, high - low) for end, high, low in zip(_ENDS[1:], upto, [0.0, *upto[:-1]], strict=True)
            ),
        )

    def to_json(self) -> dict[str, Any]:
        """Write it as JSON can hold it."""
        return {
            "counted": self.counted,
            "minimum": self.minimum,
            "mean": self.mean,
            "maximum": self.maximum,
            "above": dict(self.above),
            "distribution": [{"at_most": end, "share": share} for end, share in self.distribution],
        }

    def row(self) -> list[str]:
        """Write minimum, mean, maximum and the shares above thresholds as cells."""
        return [figure(value) for value in (self.minimum, self.mean, self.maximum, *self.above.values())]


def chances_of_prosecutor(
    publication: Publication, original: Microdata, plan: Plan | None
) -> NDArray[np.float64]:
    """(units,) Chance of picking everybody's own record, or person, who are known by all quasi-identifiers, and to be in it.

    One over the published people who may be them, where the release links records of people; else the share of candidate records
    that are theirs (`likeness.LinkageAttack`). Where means are published, it is 0 of those who are not nearest to their own.
    Who has no candidates has none.
    """
    units = original.units
    everybody = np.arange(units.size)
    counts, tuples = count_matches(publication, units, everybody)
    candidates = counts[tuples.of]
    own = np.ones(units.size, np.int64)
    if not publication.covers:
        if plan is None:
            return np.where(candidates > 0, 1 / np.maximum(1, candidates), 0.0)
        own = own_is_nearest(publication, original, plan, everybody).astype(np.int64)
    elif publication.counted is None and units.members is not None:
        own = np.bincount(units.members.of, minlength=units.size).astype(np.int64)
    return np.asarray(np.minimum(own, candidates) / np.maximum(1, candidates))


def marketer(publication: Publication) -> float:
    """Share of all published people linked right at once, by picking at random in every class: classes over people."""
    identities = int(publication.identities.max(initial=-1)) + 1
    people = publication.size if publication.counted is None else distinct(publication.counted).size
    return identities / max(1, people)


def published_units(original: Microdata, plan: Plan | None) -> NDArray[np.bool_]:
    """(units,) Whether a record of everybody is published; all, where it is not known."""
    units = original.units
    if plan is None:
        return np.ones(units.size, np.bool_)
    if units.members is None:
        return plan.published
    return np.bincount(units.members.of, plan.published, units.size) > 0


def table_of(spreads: Sequence[tuple[str, Spread]]) -> list[list[str]]:
    """Write several spreads in rows below a head."""
    above = list(spreads[0][1].above) if spreads else []
    head = ["", "minimum", "mean", "maximum", *(f"above {own}" for own in above)]
    return [head, *([name, *spread.row()] for name, spread in spreads)]
