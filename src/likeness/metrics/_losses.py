"""Sums of cell losses over the published records.

Records are counted per distinct region and summed without rounding, so neither the order of the records nor the
numbers of the classes change a sum. Where there are survey weights, every record counts in proportion to its own, whether
they are published or not, and all of them together as many as there are.
"""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING

import numpy as np

from likeness.microdata.grouping import distinct
from likeness.microdata.losses import LOSSES, attribute_weights, region_losses
from likeness.microdata.statistics import count_classes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.metrics.base import Evaluation
    from likeness.microdata.regions import AttributeRegions


def class_sizes(evaluation: Evaluation) -> NDArray[np.int64]:
    """(E,) Records of each class."""

    def counted() -> NDArray[np.int64]:
        classes = evaluation.plan.classes
        sizes = np.bincount(classes[classes >= 0], minlength=evaluation.recoding.classes)
        return np.asarray(sizes, np.int64)

    return evaluation.once("class sizes", counted)


def class_people(evaluation: Evaluation) -> NDArray[np.int64]:
    """(E,) People of each class: its records, unless people have several; then its individuals."""
    classes = evaluation.recoding.classes
    return count_classes(evaluation.plan.classes, classes, individuals=evaluation.data.individuals).sizes


def everybody(evaluation: Evaluation) -> int:
    """Count the people of the original table."""
    individuals = evaluation.data.individuals
    return evaluation.data.size if individuals is None else distinct(individuals).size


def region_sizes(regions: AttributeRegions, sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """(R,) Records of each region of one attribute, from those of each class."""
    return np.bincount(regions.of, sizes, regions.count).astype(np.int64)


def record_weights(evaluation: Evaluation) -> NDArray[np.float64] | None:
    """(n,) What each record counts for, N in all; None where each counts for one."""
    weights = evaluation.data.survey_weights
    if weights is None or not weights.any():
        return None
    return np.asarray(weights * (weights.size / fsum(weights.tolist())))


def published_weight(evaluation: Evaluation) -> float:
    """What the published records count for together: their number, unless there are survey weights."""
    weights, plan = record_weights(evaluation), evaluation.plan
    if weights is None or not plan.withheld:
        return float(evaluation.data.size - plan.withheld)
    return fsum(weights[plan.published].tolist())


def withheld_weight(evaluation: Evaluation) -> float:
    """What the withheld records count for together."""
    return evaluation.data.size - published_weight(evaluation)


def attribute_losses(evaluation: Evaluation, loss: str) -> NDArray[np.float64]:
    """(d,) Loss of each attribute, unweighted, summed over the published records."""
    return evaluation.once(("attribute losses", loss), lambda: _attribute_losses(evaluation, loss))


def _attribute_losses(evaluation: Evaluation, loss: str) -> NDArray[np.float64]:
    weights, classes = record_weights(evaluation), evaluation.plan.classes
    sizes: NDArray[np.integer | np.floating] = class_sizes(evaluation)
    if weights is not None:
        kept = classes >= 0
        sizes = np.bincount(classes[kept], weights[kept], evaluation.recoding.classes)
    return np.array(
        [
            fsum(
                (
                    np.bincount(regions.of, sizes, regions.count) * region_losses(regions, LOSSES[loss])
                ).tolist()
            )
            for regions in evaluation.recoding.attributes
        ],
        np.float64,
    )


def published_loss(evaluation: Evaluation, loss: str) -> float:
    """Sum of |G| · loss(G) over the classes, with attribute weights that sum to 1."""
    total = float((attribute_weights(evaluation.data.quasi) * attribute_losses(evaluation, loss)).sum())
    # Weights such as 1/3 may sum to one bit above 1.
    return min(total, published_weight(evaluation))


def mean_loss(evaluation: Evaluation, loss: str, *, charge_withheld: bool = False) -> float:
    """Loss per published record, or per record with 1 for each withheld one."""
    return _per_record(evaluation, published_loss(evaluation, loss), charge_withheld=charge_withheld)


def mean_losses(evaluation: Evaluation, loss: str, *, charge_withheld: bool = False) -> dict[str, float]:
    """Take the same mean of each attribute by itself, unweighted."""
    totals = attribute_losses(evaluation, loss).tolist()
    return {
        domain.name: _per_record(evaluation, total, charge_withheld=charge_withheld)
        for domain, total in zip(evaluation.data.quasi, totals, strict=True)
    }


def _per_record(evaluation: Evaluation, total: float, *, charge_withheld: bool) -> float:
    """Divide a sum over published records as its metric does; 1 when nothing is published."""
    records, published = evaluation.data.size, published_weight(evaluation)
    if published <= 0:
        return 1.0
    if charge_withheld:
        return (total + withheld_weight(evaluation)) / records
    return min(1.0, total / published)
