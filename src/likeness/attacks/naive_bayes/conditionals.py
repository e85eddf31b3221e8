"""What a naive Bayes classifier learns from a publication: how often values of attributes go together.

Naive Bayes where sensitive values were randomized: what chance does not explain, and the target's own value.

Reconstructed counts of few records are mostly noise, and a classifier that believes them guesses worse than who
guesses the most frequent value. Whoever attacks believes them as far as chance does not explain them, and then looks
at what was published of the target.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from likeness.attacks.matching import Reach, reach_of, shared_cells
from likeness.microdata.grouping import group_codes
from likeness.microdata.statistics import ClassStatistics, count_classes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from likeness.forms.base import Publication
    from likeness.microdata.data import Microdata
    from likeness.microdata.mechanism import Mechanism

if TYPE_CHECKING:
    Tables = list[NDArray[np.float64]]

MOST_CELLS = 1 << 22


@dataclass(frozen=True, eq=False)
class Attribute:
    """One quasi-identifier: which of its codes the records of which class cover.

    ``reach`` is what the region of each part covers; ``part_class`` and ``records`` (parts,) are the class of the part's
    records and their number, ``codes`` the number of codes.
    """

    reach: Reach
    part_class: NDArray[np.int64]
    records: NDArray[np.int64]
    codes: int

    def count(self, stats: ClassStatistics, first: int, stop: int, *, evenly: bool) -> NDArray[np.float64]:
        """(codes, stop - first) Records of every sensitive value whose region covers every code."""
        from likeness.attacks.kernels.naive_bayes import attribute_counts

        reach = self.reach
        return np.asarray(
            attribute_counts(
                reach.is_set, reach.low, reach.high, reach.members, self.part_class, self.records, stats.start,
                stats.value, stats.count, stats.sizes, self.codes, first, stop, evenly,
            )
        )  # fmt: skip


class Conditionals:
    """Priors Pr[v] and conditional probabilities Pr[t_j|v] of quasi-identifier values given a sensitive one.

    ``Pr[t_j|v] = Σ_{G: t_j in region_j(G)} c_v(G) / N_v`` (Cao & Karras 2012, equation 17). ``stats`` counts the sensitive
    values of every class. ``publication`` is given where published counts are to be reconstructed (randomized values),
    None where they are the counts. ``variant``: ``counts``, ``laplace`` or ``uniform``, see `NaiveBayesAttack`.
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
    """Learn of the sensitive attribute at ``column`` of ``publication.sensitive`` from what was published.

    ``original`` only gives the quasi-identifiers' values their codes.
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
    """Learn from the original table: the sensitive attribute at ``index``, given the quasi-identifiers at ``columns``."""
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


ERRORS = 4.0
"""Standard errors by which shares must differ more than by chance before any difference is believed."""
MOST_WEIGHED_CELLS = 1 << 21


def weigh(learned: Conditionals, mechanism: Mechanism) -> Tables:
    """Estimate how much more frequent each sensitive value is among those who have each quasi-identifier value.

    For every attribute (codes, m) ``Pr[v|t_j] / Pr[v]``, above 0; 1 for values that nobody has. With n_t records of t_j,
    the reconstructed share q of v has the variance ``s / n_t``, where ``s = Σ_k E_k W[k, v]² - p_v²``, E is the published
    distribution and W the inverse of PM, which must exist. Over all C values of the attribute, ``Σ_t n_t (q - p_v)²`` is
    about C s when v does not depend on the attribute. What exceeds this by four standard errors, ``4 s √(2C)``, is taken
    for the variance τ of the true shares, and q - p_v is multiplied by ``τ / (τ + s / n_t)``: an empirical Bayes estimate,
    which is p_v where chance explains everything.
    """
    active = mechanism.active
    prior = mechanism.counts[active] / mechanism.counts.sum()
    inside = mechanism.matrix[np.ix_(active, active)]
    unit = np.eye(mechanism.values)[active]
    inverse = mechanism.reconstruct(unit, "plain")[:, active]
    own = np.maximum(0.0, (inside @ prior) @ inverse**2 - prior**2)
    found = []
    for attribute in learned.attributes:
        published = attribute.count(learned.stats, 0, mechanism.values, evenly=False)[:, active]
        lift = np.ones((published.shape[0], mechanism.values))
        sizes = published.sum(axis=1, keepdims=True)
        there = np.flatnonzero(sizes[:, 0] > 0)
        sizes = sizes[there]
        shares = published[there] @ inverse / sizes
        more = (sizes * (shares - prior) ** 2).sum(axis=0) - own * (
            there.size + ERRORS * np.sqrt(2 * there.size)
        )
        spread = np.maximum(0.0, more / max(1.0, float(sizes.sum())))
        noise = own / sizes
        believed = np.where(spread > 0, spread / np.where(spread > 0, spread + noise, 1.0), 0.0)
        # A true share is not negative, and hardly ever certain to be 0.
        lift[np.ix_(there, active)] = np.maximum(1e-6, 1 + believed * (shares / prior - 1))
        found.append(lift)
    return found


def classify_weighed(
    learned: Conditionals,
    mechanism: Mechanism,
    lifts: Tables,
    codes: NDArray[np.int32],
    identity: NDArray[np.int64] | None,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Guess the sensitive value of targets from published counts, the mechanism, and the lifts of `weigh`.

    With ``w_i = Pr[i] Π_j Pr[i|t_j] / Pr[i]``, a record published as v has the original value i with a probability in
    proportion to ``w_i PM[v, i]``; the belief about a target is the mean over all records of its quasi-identifiers.
    ``codes`` (d, targets); ``identity`` (targets,) is the class of records that have them, or -1, None where no
    quasi-identifiers were published. Returned, each (targets,): the guess from w alone, the guess with what was published
    of the target, the belief in it.
    """
    targets, stats = codes.shape[1], learned.stats
    own = np.full(targets, -1) if identity is None else identity
    ends = np.append(stats.start[1:] - stats.start[:-1], 0)[own]
    with np.errstate(divide="ignore"):
        prior = np.log(mechanism.counts / mechanism.counts.sum())
    logs = [np.log(lift) for lift in lifts]
    alone, guess = np.empty(targets, np.int64), np.empty(targets, np.int64)
    confidence = np.empty(targets)
    for first, stop in _blocks(np.maximum(1, ends) * mechanism.values):
        score = np.tile(prior, (stop - first, 1))
        for one, column in zip(logs, codes, strict=True):
            score += one[column[first:stop]]
        alone[first:stop] = score.argmax(axis=1)
        weights = np.exp(score - score.max(axis=1, keepdims=True))
        beliefs = weights / weights.sum(axis=1, keepdims=True)
        seen = np.flatnonzero(own[first:stop] >= 0)
        times = ends[first:stop][seen]
        if times.size:
            of = np.repeat(seen, times)
            begins = np.cumsum(times) - times
            entry = np.repeat(stats.start[own[first:stop][seen]] - begins, times) + np.arange(of.size)
            each = weights[of] * mechanism.matrix[stats.value[entry]]
            share = stats.count[entry] / stats.sizes[stats.class_of[entry]]
            each *= (share / np.maximum(each.sum(axis=1), np.finfo(float).tiny))[:, None]
            beliefs[seen] = np.add.reduceat(each, begins)
        guess[first:stop] = beliefs.argmax(axis=1)
        confidence[first:stop] = beliefs.max(axis=1)
    return alone, guess, confidence


def _blocks(cells: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Yield runs of targets of a few million cells each."""
    ends = np.cumsum(cells)
    first = 0
    while first < cells.size:
        room = (ends[first - 1] if first else 0) + MOST_WEIGHED_CELLS
        stop = max(first + 1, int(np.searchsorted(ends, room, side="right")))
        yield first, stop
        first = stop
