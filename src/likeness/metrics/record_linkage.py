"""Record linkage (Amiri et al. 2016, section 5.1): records that are found again by what lies nearest to them."""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from likeness.metrics.base import Metric, class_sizes
from likeness.microdata.representatives import TIE, class_columns, region_distances

if TYPE_CHECKING:
    from collections.abc import Mapping

    from likeness.metrics.base import Evaluation


@dataclass(frozen=True)
class RecordLinkage(Metric):
    """Expected number of records that somebody finds who guesses among the classes nearest to each.

    Of a record whose own class is among the nearest, the chance is 1 over the records of all of these; else it is 0.

    Parameters
    ----------
    normalised
        Divide by the number of records.

    Notes
    -----
    Nearest is by the distance from what stands for a class (`likeness.microdata.representatives`), not by whether its region
    covers the record: a record far from the middle of its own class may be nearer to another. The value is at most the
    number of classes.

    References
    ----------
    Amiri et al. 2016, section 5.1.

    Examples
    --------
    >>> from likeness.metrics.mini_table import mini_table
    >>> RecordLinkage().measure(mini_table())
    2.0
    """

    normalised: bool = False

    name: ClassVar[str] = "record-linkage"
    unasked: ClassVar[bool] = False
    range: ClassVar[str] = "0 to N: 0 finds nobody, N everybody; normalised, 0 to 1"
    withheld: ClassVar[str] = "Nobody finds them."
    variants: ClassVar[Mapping[str, Mapping[str, Any]]] = {"record-linkage-normalised": {"normalised": True}}

    def measure(self, evaluation: Evaluation) -> float:
        """Sum over all records; per record where it is ``normalised``."""
        from likeness.metrics.kernels import ClassRegions, chances

        data, plan, recoding = evaluation.data, evaluation.plan, evaluation.recoding
        kept = np.flatnonzero(plan.published)
        found: list[float] = []
        if kept.size:
            # Records of one tuple in one class have one chance.
            pairs, times = np.unique(
                data.tuples.of[kept] * recoding.classes + plan.classes[kept], return_counts=True
            )
            tuples, first = np.unique(pairs // recoding.classes, return_index=True)
            own, begins = pairs % recoding.classes, np.append(first, pairs.size)
            shown = ClassRegions(
                class_columns(recoding),
                np.array([regions.domain.shape == "interval" for regions in recoding.shown], np.bool_),
                class_sizes(evaluation).astype(np.float64),
            )
            for part, away in region_distances(data, recoding, tuples):
                here = slice(begins[part.start], begins[part.stop])
                chance = chances(shown, away, begins[part.start : part.stop + 1] - here.start, own[here], TIE)
                found += (chance * times[here]).tolist()
        total = fsum(found)
        return total / data.size if self.normalised and data.size else total
