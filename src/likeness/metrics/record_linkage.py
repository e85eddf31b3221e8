"""Record linkage (Amiri et al. 2016, section 5.1): records that are found again by what lies nearest to them."""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from likeness.metrics.base import Metric, class_sizes
from likeness.microdata.grouping import group_codes
from likeness.microdata.representatives import TIE, class_columns, region_distances

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from likeness.metrics.base import Evaluation


@dataclass(frozen=True)
class RecordLinkage(Metric):
    """Expected number of records that somebody finds who guesses among the classes nearest to each.

    Of a record whose own class is among the nearest, the chance is 1 over the records of all of these; else it is 0.

    Parameters
    ----------
    normalised
        Divide by the number of records.
    joined
        Count of everybody who is found only the share of their sensitive values among all that their class leads to: the mean of
        the shares in its records' buckets, or in itself, in one table.

    Notes
    -----
    Nearest is by the distance from what stands for a class (`likeness.microdata.representatives`), not by whether its region
    covers the record: a record far from the middle of its own class may be nearer to another. The value is at most the
    number of classes. Invented records are among those of a class, for nobody can tell; they are not looked for.

    Fazal et al. 2023 claim that linkage almost vanishes when tables are linked loosely. On their own example it is 11/3, and 5/3
    when each class is a bucket; ``joined`` 215/216 and 17/18. Both rank the loose link worse.

    References
    ----------
    Amiri et al. 2016, section 5.1; Fazal et al. 2023, equations 26 and 27.

    Examples
    --------
    >>> from likeness.metrics.mini_table import mini_table
    >>> RecordLinkage().measure(mini_table())
    2.0
    """

    normalised: bool = False
    joined: bool = False

    name: ClassVar[str] = "record-linkage"
    unasked: ClassVar[bool] = False
    range: ClassVar[str] = "0 to N: 0 finds nobody, N everybody; normalised, 0 to 1"
    withheld: ClassVar[str] = "Nobody finds them."
    variants: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "record-linkage-normalised": {"normalised": True},
        "record-linkage-joined": {"joined": True},
    }

    def measure(self, evaluation: Evaluation) -> float:
        """Sum over all records; per record where it is ``normalised``."""
        from likeness.metrics.kernels import ClassRegions, chances

        data, plan, recoding = evaluation.data, evaluation.plan, evaluation.recoding
        kept = np.flatnonzero(plan.published)
        found: list[float] = []
        if kept.size:
            # Records of one tuple in one class have one chance.
            keys = data.tuples.of[kept] * recoding.classes + plan.classes[kept]
            pairs, times = np.unique(keys, return_counts=True)
            tuples, first = np.unique(pairs // recoding.classes, return_index=True)
            own, begins = pairs % recoding.classes, np.append(first, pairs.size)
            shown = ClassRegions(
                class_columns(recoding),
                np.array([regions.domain.shape == "interval" for regions in recoding.shown], np.bool_),
                (class_sizes(evaluation) + _invented(evaluation)).astype(np.float64),
            )
            shares = (
                _mean_shares(evaluation, kept, np.searchsorted(pairs, keys))
                if self.joined
                else np.ones(pairs.size)
            )
            for part, away in region_distances(data, recoding, tuples):
                here = slice(begins[part.start], begins[part.stop])
                chance = chances(shown, away, begins[part.start : part.stop + 1] - here.start, own[here], TIE)
                found += (chance * times[here] * shares[here]).tolist()
        total = fsum(found)
        return total / data.size if self.normalised and data.size else total


def _invented(evaluation: Evaluation) -> NDArray[np.int64]:
    """(E,) Invented records of each class."""
    plan, classes = evaluation.plan, evaluation.recoding.classes
    if plan.added is None:
        return np.zeros(classes, np.int64)
    return np.bincount(plan.classes[plan.added.of], minlength=classes).astype(np.int64)


def _mean_shares(
    evaluation: Evaluation, kept: NDArray[np.int64], of: NDArray[np.int64]
) -> NDArray[np.float64]:
    """(groups,) Mean share of their sensitive values among all that their class leads to; ``of`` (kept,): groups of records."""
    data, plan = evaluation.data, evaluation.plan
    added = 0 if plan.added is None else plan.added.size
    rows = np.append(kept, -1 - np.arange(added))
    classes = plan.of_rows(plan.classes, rows)
    buckets = classes if plan.buckets is None else plan.of_rows(plan.buckets, rows)
    values = group_codes(plan.sensitive_of(data.sensitive_codes, rows), [own.codes for own in data.sensitive])
    width, sizes = max(1, values.count), np.bincount(buckets)
    held, counts = np.unique(buckets * width + values.of, return_counts=True)
    linked, times = np.unique(classes * sizes.size + buckets, return_counts=True)
    begins = np.searchsorted(linked, np.arange(int(classes.max(initial=-1)) + 2) * sizes.size)
    asked, which = np.unique(classes * width + values.of, return_inverse=True)
    own, value = np.divmod(asked, width)
    many = np.diff(begins)[own]
    entries = np.repeat(begins[own] - np.cumsum(many) + many, many) + np.arange(int(many.sum()))
    keys = linked[entries] % sizes.size * width + np.repeat(value, many)
    at = np.minimum(np.searchsorted(held, keys), held.size - 1)
    share = np.where(held[at] == keys, counts[at], 0) / sizes[keys // width] * times[entries]
    found = np.bincount(np.repeat(np.arange(asked.size), many), share, asked.size) / np.bincount(classes)[own]
    total = np.bincount(of, found[which.reshape(-1)[: kept.size]])
    return np.asarray(total / np.bincount(of), np.float64)
