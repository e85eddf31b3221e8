"""Non-uniform entropy (Gionis & Tassa 2009)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from likeness.metrics.base import Metric, class_sizes, region_sizes, table_counts
from likeness.microdata.regions import attribute_weights

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from likeness.metrics.base import Evaluation
    from likeness.microdata.regions import AttributeRegions


@dataclass(frozen=True)
class NonUniformEntropy(Metric):
    """Bits needed to tell the true value of every cell from what is published.

    ``-Σ log2(n(x) / n(region))``, where n(x) and n(region) are the numbers of records of the original table,
    withheld ones included, that have the cell's value, and any value of its published region.

    Parameters
    ----------
    normalised
        Divide each attribute's bits by those of withholding everything, -Σ log2(n(x) / N), and average by
        attribute weight; a constant attribute has 0. Otherwise bits are summed over the attributes,
        unweighted.
    local
        Count n(x) and n(region) in the cell's equivalence class instead of the whole table: a class then
        costs its size times its entropy.

    Notes
    -----
    The missing value is one more category, directly under the root. When nothing is published the normalised
    value is 1 (if no attribute is constant).

    References
    ----------
    Gionis & Tassa 2009, "k-anonymization with minimal loss of information".

    Examples
    --------
    >>> from likeness.metrics.mini_table import mini_table
    >>> bits = NonUniformEntropy().by_attribute(mini_table())
    >>> round(bits["age"], 4), round(bits["sex"], 4)
    (6.7549, 3.3808)
    >>> round(NonUniformEntropy(normalised=True).by_attribute(mini_table())["sex"], 4)
    0.6964
    """

    normalised: bool = False
    local: bool = False

    name: ClassVar[str] = "non-uniform-entropy"
    of_regions: ClassVar[bool] = True
    range: ClassVar[str] = "0 to N·d·log₂N: 0 keeps every quasi-identifier value, in bits; normalised, 0 to 1"
    withheld: ClassVar[str] = "Every cell of theirs costs what the whole domain costs, -log2(n(x) / N)."
    variants: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "non-uniform-entropy-normalised": {"normalised": True},
        "non-uniform-entropy-local": {"local": True},
    }

    def measure(self, evaluation: Evaluation) -> float:
        """Sum, or average, over all quasi-identifiers."""
        parts = np.array(list(self.by_attribute(evaluation).values()), np.float64)
        if self.normalised:
            return min(1.0, float((attribute_weights(evaluation.data.quasi) * parts).sum()))
        return float(parts.sum())

    def by_attribute(self, evaluation: Evaluation) -> dict[str, float]:
        """Bits, or their share of the most possible, of each quasi-identifier."""
        bits = evaluation.once(("bits", self.local), lambda: self._bits(evaluation))
        return {
            name: (own / most if most > 0 else 0.0) if self.normalised else own
            for name, (own, most) in bits.items()
        }

    def _bits(self, evaluation: Evaluation) -> dict[str, tuple[float, float]]:
        """Bits of each quasi-identifier, and the most possible."""
        sizes = class_sizes(evaluation)
        return {
            regions.domain.name: self._of_attribute(evaluation, regions, codes, sizes)
            for regions, codes in zip(evaluation.recoding.attributes, evaluation.data.codes, strict=True)
        }

    def _of_attribute(
        self,
        evaluation: Evaluation,
        regions: AttributeRegions,
        codes: NDArray[np.int32],
        sizes: NDArray[np.int64],
    ) -> tuple[float, float]:
        """Bits of one quasi-identifier, and the most possible."""
        classes = evaluation.plan.classes
        counts = np.bincount(codes, minlength=regions.domain.codes).astype(np.int64)
        surprise = np.log2(max(1, codes.shape[0])) - _log2(counts)
        bits = float((np.bincount(codes[classes < 0], minlength=counts.shape[0]) * surprise).sum())
        if self.local:
            bits += _local_bits(classes, codes, sizes, regions.domain.codes)
        else:
            bits += _table_bits(classes, codes, sizes, regions, counts)
        most = float((counts * surprise).sum())
        # Differences of sums may be off by their last bits.
        return min(max(bits, 0.0), most), most


def _log2(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """log2 of counts, 0 for 0 (such counts are always multiplied by 0)."""
    return np.log2(np.maximum(counts, 1))


def _table_bits(
    classes: NDArray[np.int64],
    codes: NDArray[np.int32],
    sizes: NDArray[np.int64],
    regions: AttributeRegions,
    counts: NDArray[np.int64],
) -> float:
    """Bits of the published cells, by the counts of the whole table; the sum does not depend on the order of records.

    Cells are counted per region and per value; regions of one value are left out, so that what is exact costs exactly 0.
    """
    records = region_sizes(regions, sizes)
    covered = table_counts(regions, counts)
    inexact = (regions.low != regions.high) | regions.everything
    published = np.zeros(counts.shape[0], np.int64)
    if inexact.any():
        # Withheld records look up the class -1, the last entry.
        chosen = np.append(inexact[regions.of], False)[classes]
        published = np.bincount(codes[chosen], minlength=counts.shape[0])
    return float((records * _log2(covered))[inexact].sum() - (published * _log2(counts)).sum())


def _local_bits(
    classes: NDArray[np.int64], codes: NDArray[np.int32], sizes: NDArray[np.int64], values: int
) -> float:
    """Size times entropy of every class: Σ |G| log2 |G| - Σ c log2 c, c the values' counts in it."""
    kept = classes >= 0
    # Plain sorting of these keys is several times faster than hashing them.
    pairs = np.sort(classes[kept] * values + codes[kept])
    last = np.flatnonzero(np.append(pairs[1:] != pairs[:-1], True)) if pairs.size else pairs
    within = np.diff(last, prepend=-1)
    return _sum_of_logs(sizes) - _sum_of_logs(within)


def _sum_of_logs(counts: NDArray[np.int64]) -> float:
    """Σ c log2 c, in ascending order of c: the same whatever the order of the counts."""
    times = np.bincount(counts)
    values = np.arange(times.shape[0])
    return float((times * values * _log2(values)).sum())
