"""Exact quasi-identifiers beside the overall distribution of the sensitive values, read back."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from likeness.forms._distribution import Distribution
from likeness.forms._exact_records import ExactRecords, one_sensitive
from likeness.forms._units import make_units

if TYPE_CHECKING:
    from collections.abc import Mapping

    from likeness.forms._base import Columns
    from likeness.forms._columns import PublishedColumns
    from likeness.forms._units import Units


class BaselinePublication(ExactRecords):
    """A baseline release, read back.

    All records are one class, as far as sensitive values go. ``sensitive_codes`` give every record one of the values
    in the distribution; which record has which means nothing, as nobody knows.

    Parameters
    ----------
    release, distribution
        Columns of the two tables.
    columns
        What the certificate says about them.

    Raises
    ------
    TableError
        When a column is missing, a text is no value of its column, or the tables contradict each other.
    """

    form: ClassVar[str] = "baseline"

    def __init__(self, release: Columns, distribution: Columns, columns: PublishedColumns) -> None:
        super().__init__(release, columns)
        self.distribution = Distribution(distribution, one_sensitive(self.form, columns), self.size)
        counts = self.distribution.counts
        self.sensitive = (self.distribution.domain,)
        self.sensitive_codes = np.repeat(np.arange(counts.size, dtype=np.int32), counts)[None]
        self.classes = np.zeros(self.size, np.int64)
        self.shares = counts / max(1, self.size)

    def describe_class(self, number: int) -> str:  # noqa: ARG002  # there is one
        """All records."""
        return "all records"

    def total(self, where: Mapping[str, Any], of: str | None = None, power: int = 0) -> float:
        """Add up the records whose quasi-identifiers meet conditions, times the overall share of the values that do.

        The estimator ``|S_t| · Σ p_v`` of spec section 4.3. Where survey weights are published, every record counts
        for as many people as its weight says.

        Raises
        ------
        TableError
            When a column was not published, or a condition does not suit its column.
        """
        matching, wanted = self.asked(where)
        records, values = self.weights(of, power)
        # All values together are exactly everybody, however the shares are rounded.
        share = 1.0 if wanted.all() and (values == 1).all() else float((self.shares * values)[wanted].sum())
        return float(records[matching].sum()) * share

    @cached_property
    def units(self) -> Units:
        """Distinct tuples; every record shows the same, the overall distribution."""
        domain = self.sensitive[0]
        sensitive = {domain.name: (domain, np.arange(domain.codes))}
        shown = np.zeros(self.size, np.int64)
        return make_units(
            self.exact_axes(), sensitive, self.identities, shown, self.survey_weights,
            self._first.shape[0], self.shares[None],
        )  # fmt: skip

    def posterior(self, target: Mapping[str, Any]) -> dict[str, dict[str, float]]:
        """Give the overall distribution, whoever the target is; empty when nobody matches.

        Raises
        ------
        TableError
            When the target names a column that is no published quasi-identifier.
        """
        self.check_target(target)
        return (
            {self.sensitive[0].name: self.distribution.by_label(self.shares, self.shares > 0)}
            if self.matching(target).any()
            else {}
        )
