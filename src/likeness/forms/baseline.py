"""Exact quasi-identifiers, and of sensitive values only how often each occurs overall (Cao & Karras 2012).

Exact quasi-identifiers beside the overall distribution of the sensitive values, read back.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from likeness.errors import PolicyError, TableError
from likeness.forms.base import Columns, Form, Publication, Published, by_label, publish_values
from likeness.forms.exact import (
    DISTRIBUTION,
    Distribution,
    ExactRecords,
    count_column,
    one_sensitive,
    publish_distribution,
)
from likeness.queries.answering import make_units

if TYPE_CHECKING:
    from collections.abc import Mapping

    from likeness.microdata.data import Microdata
    from likeness.microdata.plan import Plan
    from likeness.microdata.regions import Recoding
    from likeness.published.columns import PublishedColumns
    from likeness.queries.answering import Units


@dataclass(frozen=True)
class BaselineForm(Form):
    """Everybody's exact quasi-identifiers, and the overall distribution of the sensitive values beside them.

    The table ``release`` has a row per record, in random order; ``distribution`` one per sensitive value, with the
    number of records. Nothing links the two.

    References
    ----------
    Cao & Karras 2012, section 6.3, Baseline.

    Examples
    --------
    >>> BaselineForm().tables
    ('release', 'distribution')
    """

    name: ClassVar[str] = "baseline"
    tables: ClassVar[tuple[str, ...]] = ("release", DISTRIBUTION)
    publishes_exactly: ClassVar[bool] = True
    roles_in: ClassVar[Mapping[str, frozenset[str]]] = MappingProxyType(
        {"release": frozenset({"quasi", "other", "pseudonym"}), DISTRIBUTION: frozenset({"sensitive"})}
    )
    always_csv: ClassVar[frozenset[str]] = frozenset({DISTRIBUTION})
    sensitive_shown: ClassVar[str] = "only how many records have each value"
    remark: ClassVar[str] = (
        "quasi-identifiers are published exactly, one record a row, so everybody sees who is in the table; of sensitive "
        "values only the number of records of each is published"
    )
    further_remarks: ClassVar[tuple[str, ...]] = (
        "whoever knows the sensitive values of all records but one learns that one's from the numbers of records",
    )

    def keys_in(self, table: str, columns: PublishedColumns) -> frozenset[str]:
        """Name the counts of the distribution."""
        counted = (count_column(note.name) for note in columns.with_role("sensitive"))
        return frozenset(counted if table == DISTRIBUTION else ())

    def publish(self, data: Microdata, plan: Plan, recoding: Recoding, rng: np.random.Generator) -> Published:  # noqa: ARG002
        """Publish every kept record's quasi-identifiers, and the numbers of records of each sensitive value.

        Raises
        ------
        PolicyError
            When there is not exactly one sensitive column, or no quasi-identifier.
        """
        if len(data.sensitive) != 1:
            raise PolicyError(
                f"{self.name}: publishes one sensitive column; this table has {len(data.sensitive)}"
            )
        if not data.quasi:
            raise PolicyError(f"{self.name}: publishes quasi-identifiers, and no column has that role")
        rows = rng.permutation(np.flatnonzero(plan.published))
        release: dict[str, Any] = {
            domain.name: publish_values(domain, np.ascontiguousarray(codes[rows]))
            for domain, codes in zip(data.quasi, data.codes, strict=True)
        }
        domain = data.sensitive[0]
        counts = np.bincount(data.sensitive_codes[0][rows], minlength=domain.codes).astype(np.int64)
        distribution = publish_distribution(domain, counts)
        nobody = np.full(int(np.count_nonzero(counts)), -1, np.int64)
        return Published(
            {"release": release, DISTRIBUTION: distribution}, {"release": rows, DISTRIBUTION: nobody}
        )

    def read(self, tables: Mapping[str, Columns], columns: PublishedColumns) -> Publication:
        """Understand published tables.

        Raises
        ------
        TableError
            When they are not as `publish` makes them; says which table and column.
        """
        for name in self.tables:
            if name not in tables:
                raise TableError(f"the table {name!r} is not there; it was published with the others")
        return BaselinePublication(tables["release"], tables[DISTRIBUTION], columns)


class BaselinePublication(ExactRecords):
    """A baseline release, read back.

    All records are one class, as far as sensitive values go. ``sensitive_codes`` give every record one of the values
    in the distribution; which record has which means nothing, as nobody knows. Raises `TableError` where a column is
    missing, a text is no value of its column, or the tables contradict each other.
    """

    form: ClassVar[str] = "baseline"
    tells_classes: ClassVar[bool] = False

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

        The estimator ``|S_t| · Σ p_v`` (Cao & Karras 2012, section 6.3). Where survey weights are published, records count
        for as many people as their weight says. Raises `TableError` where a column was not published, a condition does not suit
        its column, or ``of`` is not a column of numbers.
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

        Raises `TableError` where the target names a column that is no published quasi-identifier.
        """
        self.check_target(target)
        return (
            {self.sensitive[0].name: by_label(self.sensitive[0], self.shares)}
            if self.matching(target).any()
            else {}
        )
