"""What a naive Bayes classifier learns from a publication: how often values of attributes go together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from likeness.attacks._matching import Reach, reach_of, shared_cells
from likeness.microdata.grouping import group_codes
from likeness.microdata.statistics import ClassStatistics, count_classes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from likeness.forms._base import Publication
    from likeness.microdata.data import Microdata

    Tables = list[NDArray[np.float64]]

MOST_CELLS = 1 << 22


@dataclass(frozen=True, eq=False)
class Attribute:
    """One quasi-identifier: which of its codes the records of which class cover.

    Parameters
    ----------
    reach : Reach
        Codes that the region of each part covers.
    part_class, records : (parts,) int64
        Class of the records of each part, and their number.
    codes
        Number of codes.
    """

    reach: Reach
    part_class: NDArray[np.int64]
    records: NDArray[np.int64]
    codes: int

    def count(self, stats: ClassStatistics, first: int, stop: int, *, evenly: bool) -> NDArray[np.float64]:
        """(codes, stop - first) Records of every sensitive value whose region covers every code."""
        from likeness.kernels.naive_bayes import attribute_counts

        reach = self.reach
        return np.asarray(
            attribute_counts(
                reach.is_set, reach.low, reach.high, reach.members, self.part_class, self.records, stats.start,
                stats.value, stats.count, stats.sizes, self.codes, first, stop, evenly,
            )
        )  # fmt: skip


class Conditionals:
    """Priors Pr[v] and conditional probabilities Pr[t_j|v] of quasi-identifier values given a sensitive one.

    ``Pr[t_j|v] = Σ_{G: t_j in region_j(G)} c_v(G) / N_v`` (Cao & Karras 2012, paper 002, equation 17).

    Parameters
    ----------
    attributes
        The quasi-identifiers.
    stats
        Sensitive values of every class.
    publication
        Where published counts are to be reconstructed (randomized values); None where they are the counts.
    variant
        ``counts``, ``laplace`` or ``uniform``: see `NaiveBayesAttack`.
    """

    def __init__(
        self,
        attributes: Sequence[Attribute],
        stats: ClassStatistics,
        publication: Publication | None,
        variant: str,
    ) -> None:
        self.attributes = tuple(attributes)
        self.stats = stats
        self.variant = variant
        self.randomized = publication
        mechanism = None if publication is None else publication.mechanism
        self.totals = stats.totals if mechanism is None else mechanism.counts.astype(np.int64)
        """(m,) N_v: records of every sensitive value."""
        self.size = int(stats.sizes.sum())

    @property
    def likeliest(self) -> int:
        """The most frequent value, the first of equal ones; -1 where nothing was published."""
        return int(self.totals.argmax()) if self.totals.any() else -1

    def runs(self) -> Iterator[tuple[int, int]]:
        """Yield runs of sensitive values, from the first to before the last, of a few million cells each."""
        m = self.totals.size
        widest = sum(attribute.codes for attribute in self.attributes)
        step = max(1, m if self.randomized is not None else MOST_CELLS // max(1, widest))
        for first in range(0, m, step):
            yield first, min(m, first + step)

    def counts(self, first: int, stop: int) -> Tables:
        """(codes, stop - first) For every attribute, records of every sensitive value that cover every code."""
        evenly = self.variant == "uniform"
        tables = [one.count(self.stats, first, stop, evenly=evenly) for one in self.attributes]
        if self.randomized is None:
            return tables
        return [np.maximum(0.0, self.randomized.reconstruct(table)) for table in tables]

    def shares(self, first: int, stop: int, counts: Tables | None = None) -> Tables:
        """(codes, stop - first) For every attribute, Pr[t_j|v]; 0 for values that nobody has."""
        totals = self.totals[first:stop]
        found = []
        tables = self.counts(first, stop) if counts is None else counts
        for attribute, table in zip(self.attributes, tables, strict=True):
            add, more = (1, attribute.codes) if self.variant == "laplace" else (0, 0)
            share = (table + add) / np.maximum(1, totals + more)
            found.append(np.where(totals > 0, share, 0.0))
        return found

    def marginals(self) -> Tables:
        """(codes,) For every attribute, Pr[t_j]: the share of records that cover every code."""
        sizes = self.stats.sizes
        start = np.arange(sizes.size + 1)
        alike = ClassStatistics(sizes, 1, start[:-1], np.zeros(sizes.size, np.int64), sizes)
        evenly = self.variant == "uniform"
        return [one.count(alike, 0, 1, evenly=evenly)[:, 0] / max(1, self.size) for one in self.attributes]


def learn(publication: Publication, original: Microdata, column: int, variant: str) -> Conditionals:
    """Learn from what was published.

    Parameters
    ----------
    publication
        What was published.
    original
        What gives the quasi-identifiers' values their codes.
    column
        Position of the sensitive attribute in ``publication.sensitive``.
    variant
        See `Conditionals`.
    """
    classes = int(publication.classes.max(initial=-1)) + 1
    values = publication.sensitive[column].codes
    stats = count_classes(publication.classes, classes, publication.sensitive_codes[column], values)
    attributes = []
    for cells, j in shared_cells(publication, original):
        domain = original.quasi[j]
        regions = cells.of[publication.identities]
        parts = group_codes([regions, publication.classes], [len(cells.regions), max(1, classes)])
        reach = reach_of(cells, domain).take(regions[parts.first])
        attributes.append(Attribute(reach, publication.classes[parts.first], parts.sizes, domain.codes))
    return Conditionals(attributes, stats, None if publication.mechanism is None else publication, variant)


def learn_from_table(original: Microdata, index: int, columns: Sequence[int], variant: str) -> Conditionals:
    """Learn from the original table.

    Parameters
    ----------
    original
        All records.
    index
        Position of the sensitive attribute.
    columns
        Positions of the quasi-identifiers.
    variant
        See `Conditionals`.
    """
    sensitive = original.sensitive_codes[index]
    m = original.sensitive[index].codes
    # Every sensitive value is a class of its own.
    stats = count_classes(sensitive.astype(np.int64), m, sensitive, m)
    attributes = []
    for j in columns:
        parts = group_codes([original.codes[j], sensitive], [original.quasi[j].codes, m])
        own = original.codes[j][parts.first].astype(np.int64)
        reach = Reach(False, own, own, np.zeros(0, np.int64))
        attributes.append(
            Attribute(reach, sensitive[parts.first].astype(np.int64), parts.sizes, original.quasi[j].codes)
        )
    return Conditionals(attributes, stats, None, variant)
