"""Anatomized tables (Xiao & Tao 2006): exact quasi-identifiers and sensitive values, linked by buckets."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from likeness.errors import PolicyError, TableError
from likeness.forms._anatomized import BUCKET, AnatomizedPublication, count_column
from likeness.forms._base import Columns, Form, Publication, Published, publish_values
from likeness.forms._exact import whole_column

if TYPE_CHECKING:
    from collections.abc import Mapping

    from likeness.forms._columns import PublishedColumns
    from likeness.microdata.data import Microdata
    from likeness.microdata.plan import Plan
    from likeness.microdata.regions import Recoding


@dataclass(frozen=True)
class AnatomizedForm(Form):
    """Two tables: everybody's exact quasi-identifiers with a bucket, and every bucket's sensitive values.

    The table ``quasi`` has a row per record, in random order; ``sensitive`` one per bucket and value, with
    the number of records. The column ``bucket`` links them; its numbers are random.

    References
    ----------
    Xiao & Tao 2006, "Anatomy: simple and effective privacy preservation", definition 3 (QIT and ST).

    Examples
    --------
    >>> AnatomizedForm().tables
    ('quasi', 'sensitive')
    """

    name: ClassVar[str] = "anatomized"
    tables: ClassVar[tuple[str, ...]] = ("quasi", "sensitive")
    publishes_exactly: ClassVar[bool] = True
    roles_in: ClassVar[Mapping[str, frozenset[str]]] = MappingProxyType(
        {"quasi": frozenset({"quasi", "other", "pseudonym"}), "sensitive": frozenset({"sensitive"})}
    )
    remark: ClassVar[str] = (
        "quasi-identifiers are published exactly, one record a row, so everybody sees who is in the table; "
        "sensitive values are published by bucket, each with its number of records"
    )

    def keys_in(self, table: str, columns: PublishedColumns) -> frozenset[str]:
        """Name the bucket, and the counts of the sensitive values."""
        counted = {count_column(note.name) for note in columns.with_role("sensitive")}
        return frozenset({BUCKET} | (counted if table == "sensitive" else set()))

    def publish(self, data: Microdata, plan: Plan, recoding: Recoding, rng: np.random.Generator) -> Published:  # noqa: ARG002
        """Publish every kept record's quasi-identifiers, and its bucket's sensitive values.

        Raises
        ------
        PolicyError
            When there is not exactly one sensitive column.
        """
        if len(data.sensitive) != 1:
            raise PolicyError(
                f"{self.name}: publishes one sensitive column; this table has {len(data.sensitive)}"
            )
        rows = rng.permutation(np.flatnonzero(plan.published))
        buckets = (plan.classes if plan.buckets is None else plan.buckets)[rows]
        # Numbers in no order of anything: a method may number its buckets by what is in them.
        numbers = rng.permutation(int(buckets.max(initial=-1)) + 1)[buckets]
        quasi: dict[str, Any] = {
            domain.name: publish_values(domain, np.ascontiguousarray(codes[rows]))
            for domain, codes in zip(data.quasi, data.codes, strict=True)
        }
        quasi[BUCKET] = whole_column(BUCKET, numbers + 1)
        domain = data.sensitive[0]
        codes = (data.sensitive_codes if plan.sensitive is None else plan.sensitive)[0][rows]
        keys, counts = np.unique(numbers * domain.codes + codes, return_counts=True)
        counted = count_column(domain.name)
        sensitive: dict[str, Any] = {
            BUCKET: whole_column(BUCKET, keys // domain.codes + 1),
            domain.name: publish_values(domain, (keys % domain.codes).astype(np.int32)),
            counted: whole_column(counted, counts.astype(np.int64)),
        }
        nobody = np.full(keys.shape[0], -1, np.int64)
        return Published({"quasi": quasi, "sensitive": sensitive}, {"quasi": rows, "sensitive": nobody})

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
        return AnatomizedPublication(tables["quasi"], tables["sensitive"], columns)
