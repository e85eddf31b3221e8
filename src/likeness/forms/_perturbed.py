"""A perturbed release, read back: what it proves, what an analyst computes and what an adversary believes."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from likeness.errors import PolicyError, TableError, suggestion
from likeness.forms._answering import answer_by_value
from likeness.forms._asking import check_query
from likeness.forms._distribution import Distribution
from likeness.forms._exact import ExactColumn
from likeness.forms._exact_records import ExactRecords, one_sensitive
from likeness.forms._matrix import read_matrix
from likeness.forms._units import make_units

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from likeness.forms._base import Columns
    from likeness.forms._columns import PublishedColumns
    from likeness.forms._query import Query
    from likeness.forms._units import Units
    from likeness.forms._workload import Workload
    from likeness.microdata.mechanism import Variant

VARIANTS: tuple[Variant, ...] = ("plain", "clipped", "simplex", "bayes")
"""How original counts are estimated from published ones: see `Mechanism.reconstruct`."""


class PerturbedPublication(ExactRecords):
    """A perturbed release, read back.

    ``classes`` are the records of equal quasi-identifiers; ``sensitive_codes`` are the perturbed values.

    Parameters
    ----------
    release, distribution, perturbation
        Columns of the three tables.
    columns
        What the certificate says about them.
    variant
        How `estimate` reads published counts.

    Raises
    ------
    TableError
        When a column is missing, a text is no value of its column, the tables contradict each other, or PM is no
        matrix of probabilities.
    """

    form: ClassVar[str] = "perturbed"

    def __init__(
        self,
        release: Columns,
        distribution: Columns,
        perturbation: Columns,
        columns: PublishedColumns,
        variant: Variant,
    ) -> None:
        super().__init__(release, columns)
        note = one_sensitive(self.form, columns)
        self.variant = variant
        self.distribution = Distribution(distribution, note, self.size)
        self.mechanism = self._mechanism = read_matrix(perturbation, self.distribution)
        self.sensitive = (self.distribution.domain,)
        shown = ExactColumn("release", release, note)
        labels = [*shown.domain.labels, *([None] if shown.domain.missing else [])]
        used = np.unique(shown.codes)
        of_shown = np.full(len(labels), -1, np.int32)
        of_shown[used] = self.distribution.find("release", [labels[code] for code in used.tolist()])
        self.sensitive_codes = of_shown[shown.codes][None]
        self._check_possible()
        self.classes = self.identities

    def _check_possible(self) -> None:
        """Refuse published values that the mechanism never publishes."""
        weights = (self._mechanism.numerators > 0) @ (self._mechanism.counts > 0)
        never = np.flatnonzero(weights[self.sensitive_codes[0]] == 0)
        if never.size:
            value = self.distribution.name(int(self.sensitive_codes[0, never[0]]))
            raise TableError(
                f"table 'release', column {self.sensitive[0].name!r}: the value {value} is never published, "
                "as its row of the table 'perturbation' is 0"
            )

    def reconstruct(
        self, counts: NDArray[np.floating], variant: Variant | None = None
    ) -> NDArray[np.float64]:
        """Estimate how many records have each original sensitive value from counts of the published ones.

        Parameters
        ----------
        counts : (..., m) float
            Published records of every value, over any set of records.
        variant
            See `Mechanism.reconstruct`; the form's ``reconstruction`` when left out.

        Returns
        -------
        (..., m) float

        Raises
        ------
        PolicyError
            When there is no such variant.
        LikenessError
            When the matrix has no inverse and the variant needs one.
        """
        chosen = check_variant(self.variant if variant is None else variant)
        return self._mechanism.reconstruct(np.asarray(counts, np.float64), chosen)

    def describe_class(self, number: int) -> str:
        """Its quasi-identifiers."""
        return self.describe_identity(number)

    def total(self, where: Mapping[str, Any], of: str | None = None, power: int = 0) -> float:
        """Reconstruct the original values of the records whose quasi-identifiers meet conditions; add those that do.

        The estimator of Cao & Karras 2012 (paper 002), section 5: ``Σ N'_v`` with N' = PM⁻¹ E', or a biased variant
        of N' (the form's ``reconstruction``). Where survey weights are published, every record counts for as many
        people as its weight says; in sums, for its number.

        Raises
        ------
        TableError
            When a column was not published, or a condition does not suit its column.
        """
        matching, wanted = self.asked(where)
        records, values = self.weights(of, power)
        if wanted.all() and (values == 1).all():
            return float(records[matching].sum())
        return float((self._reconstruct_over(matching, records) * values)[wanted].sum())

    @cached_property
    def units(self) -> Units:
        """Distinct tuples with their published values; ``PM⁻¹`` says what these say of the original ones."""
        domain = self.sensitive[0]
        sensitive = {domain.name: (domain, np.arange(domain.codes))}
        mixing = None
        if self.variant == "plain":
            active = self._mechanism.active
            mixing = np.zeros((domain.codes, domain.codes))
            mixing[active] = self.reconstruct(np.eye(domain.codes)[active])
        return make_units(
            self.exact_axes(), sensitive, self.identities, self.sensitive_codes[0], self.survey_weights,
            self._first.shape[0], mixing,
        )  # fmt: skip

    def totals(self, workload: Workload, power: int | None = None) -> NDArray[np.float64]:
        """(queries,) What `total` is for every query of a workload."""
        if self.variant == "plain":
            return super().totals(workload, power)
        found = np.zeros(len(workload))
        for queries, parts, values in answer_by_value(self.units, workload, power):
            # The variants that forbid negative numbers take what is negative by itself.
            for sign, counts in zip((1, -1), parts, strict=True):
                some = counts.any(axis=1)
                found[queries[some]] += sign * (self.reconstruct(counts[some]) * values[some]).sum(axis=1)
        return found

    def reconstructed(self, query: Query, variant: str | None = None) -> dict[str, float]:
        """Estimate how many of the records that meet a query have each original sensitive value.

        Parameters
        ----------
        query
            Conditions; one on the sensitive column chooses which values are returned.
        variant
            See `Mechanism.reconstruct`; the form's ``reconstruction`` when left out.

        Returns
        -------
        dict
            Value to estimated number of records; the missing value is the empty text.

        Raises
        ------
        PolicyError
            When the query asks for a sum or mean, or there is no such variant.
        TableError
            When a column was not published, or a condition does not suit its column.
        """
        if query.aggregate != "count":
            raise PolicyError("a reconstruction counts records; leave the aggregate out")
        chosen = check_variant(self.variant if variant is None else variant)
        check_query(self.askable, query.where, None, self.beside)
        matching, wanted = self.asked(query.where)
        found = self._reconstruct_over(matching, self.survey_weights, chosen)
        return self.distribution.by_label(found, wanted & (self.distribution.counts > 0))

    def _reconstruct_over(
        self, matching: NDArray[np.bool_], records: NDArray[np.float64], variant: Variant | None = None
    ) -> NDArray[np.float64]:
        """(m,) What the records of each original value count for together, among some records."""
        found = np.zeros(self.sensitive[0].codes)
        codes, own = self.sensitive_codes[0][matching], records[matching]
        # The variants that forbid negative numbers take what is negative by itself.
        for sign, part in ((1, np.maximum(own, 0.0)), (-1, np.maximum(-own, 0.0))):
            if part.any():
                counts = np.bincount(codes, part, found.size).astype(np.float64)
                found += sign * self.reconstruct(counts, variant)
        return found

    def posterior(self, target: Mapping[str, Any]) -> dict[str, dict[str, float]]:
        """Average, over all records that match, what their published values say of their original ones.

        A record published as v had the value i with probability ``p_i PM[v, i] / Σ_j p_j PM[v, j]``, where p is the
        overall distribution (Cao & Karras 2012, paper 002, section 5).

        Raises
        ------
        TableError
            When the target names a column that is no published quasi-identifier.
        """
        self.check_target(target)
        matching = self.matching(target)
        if not matching.any():
            return {}
        seen = np.bincount(self.sensitive_codes[0][matching], minlength=self.sensitive[0].codes)
        joint = self._mechanism.matrix * self._mechanism.counts
        rows = np.flatnonzero(seen)
        beliefs = (seen[rows] / seen.sum()) @ (joint[rows] / joint[rows].sum(axis=1, keepdims=True))
        return {self.sensitive[0].name: self.distribution.by_label(beliefs, beliefs > 0)}


def check_variant(variant: str) -> Variant:
    """Refuse a way to reconstruct that does not exist.

    Raises
    ------
    PolicyError
        Saying which there are.

    Examples
    --------
    >>> check_variant("plain")
    'plain'
    """
    if variant not in VARIANTS:
        raise PolicyError(
            f"perturbed: there is no reconstruction {variant!r}{suggestion(str(variant), VARIANTS)}; there are "
            + ", ".join(VARIANTS)
        )
    return variant
