"""Exact quasi-identifiers, and of sensitive values only how often each occurs overall (Cao & Karras 2012)."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from likeness.errors import PolicyError, TableError
from likeness.forms._anatomized import count_column
from likeness.forms._base import Columns, Form, Publication, Published, publish_values
from likeness.forms._baseline import BaselinePublication
from likeness.forms._distribution import DISTRIBUTION, publish_distribution

if TYPE_CHECKING:
    from collections.abc import Mapping

    from likeness.forms._columns import PublishedColumns
    from likeness.microdata.data import Microdata
    from likeness.microdata.plan import Plan
    from likeness.microdata.regions import Recoding


@dataclass(frozen=True)
class BaselineForm(Form):
    """Everybody's exact quasi-identifiers, and the overall distribution of the sensitive values beside them.

    The table ``release`` has a row per record, in random order; ``distribution`` one per sensitive value, with the
    number of records. Nothing links the two.

    References
    ----------
    Cao & Karras 2012 (paper 002), section 6.3, Baseline; spec section 4.3.

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
