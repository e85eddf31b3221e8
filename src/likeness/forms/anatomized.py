"""Anatomized tables (Xiao & Tao 2006): exact quasi-identifiers and sensitive values, linked by buckets.

Anatomized tables, read back: what they prove, what an analyst computes and what an adversary believes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from likeness.forms.base import Columns, Form, Publication, Published, ShownColumn, publish_values
from likeness.forms.buckets import (
    BucketPublication,
    check_apart,
    check_tables,
    keys_in,
    published_beside,
    words_in,
)
from likeness.forms.exact import ExactColumn
from likeness.microdata.grouping import group_codes
from likeness.queries.asking import Askable
from likeness.queries.axes import ExactAxis
from likeness.queries.sums import number_weights, unknown_column

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from likeness.microdata.data import Microdata
    from likeness.microdata.plan import Plan
    from likeness.microdata.regions import Recoding
    from likeness.published.columns import PublishedColumns
    from likeness.queries.axes import Axis


@dataclass(frozen=True)
class AnatomizedForm(Form):
    """Two tables: everybody's exact quasi-identifiers with a bucket, and every bucket's sensitive values.

    The table ``quasi`` has a row per record, in random order; ``sensitive`` one per bucket and value, with
    the number of records. The column ``bucket`` links them; its numbers are random.

    Parameters
    ----------
    apart
        List the values of each of several sensitive columns by themselves, in a column ``column`` the name of the one that a
        row is of. By default what records have together is counted, so that who knows one of their values learns of the others.

    References
    ----------
    Xiao & Tao 2006, "Anatomy: simple and effective privacy preservation", definition 3 (QIT and ST).

    Examples
    --------
    >>> AnatomizedForm().tables
    ('quasi', 'sensitive')
    """

    apart: bool = False

    name: ClassVar[str] = "anatomized"
    tables: ClassVar[tuple[str, ...]] = ("quasi", "sensitive")
    publishes_exactly: ClassVar[bool] = True
    roles_in: ClassVar[Mapping[str, frozenset[str]]] = MappingProxyType(
        {"quasi": frozenset({"quasi", "other", "pseudonym"}), "sensitive": frozenset({"sensitive"})}
    )
    publishes_buckets: ClassVar[bool] = True
    remark: ClassVar[str] = (
        "quasi-identifiers are published exactly, one record a row, so everybody sees who is in the table; "
        "sensitive values are published by bucket, each with how often it is there"
    )

    def __post_init__(self) -> None:
        check_apart(self.name, self.apart)

    def keys_in(self, table: str, columns: PublishedColumns) -> frozenset[str]:
        """Name the bucket, and the counts of the sensitive values."""
        return keys_in(table, columns, apart=self.apart)

    def words_in(self, table: str, columns: PublishedColumns) -> frozenset[str]:
        """Name the column that says of which sensitive column a row is, where each is listed by itself."""
        return words_in(table, columns, apart=self.apart)

    def publish(self, data: Microdata, plan: Plan, recoding: Recoding, rng: np.random.Generator) -> Published:  # noqa: ARG002
        """Publish every kept record's quasi-identifiers, and its bucket's sensitive values.

        Raises
        ------
        PolicyError
            When there is no sensitive column.
        """
        rows = rng.permutation(np.flatnonzero(plan.published))
        quasi: dict[str, Any] = {
            domain.name: publish_values(domain, np.ascontiguousarray(codes[rows]))
            for domain, codes in zip(data.quasi, data.codes, strict=True)
        }
        return published_beside(self, quasi, rows, data, plan, rng, apart=self.apart)

    def read(self, tables: Mapping[str, Columns], columns: PublishedColumns) -> Publication:
        """Understand published tables.

        Raises
        ------
        TableError
            When they are not as `publish` makes them; says which table and column.
        """
        check_tables(tables, self.tables)
        return AnatomizedPublication(tables["quasi"], tables["sensitive"], columns, apart=self.apart)


class AnatomizedPublication(BucketPublication):
    """Anatomized tables, read back: exact quasi-identifiers, linked with buckets of sensitive values."""

    form: ClassVar[str] = "anatomized"

    def __init__(
        self, quasi: Columns, sensitive: Columns, columns: PublishedColumns, *, apart: bool = False
    ) -> None:
        super().__init__(quasi, sensitive, columns, apart=apart)
        self.columns = tuple(ExactColumn("quasi", quasi, note) for note in columns.with_role("quasi"))
        groups = group_codes([c.codes for c in self.columns], [c.domain.codes for c in self.columns])
        self.identities = groups.of if self.columns else np.zeros(self.size, np.int64)
        self._first = groups.first if self.columns else np.zeros(min(1, self.size), np.int64)

    @cached_property
    def cells(self) -> tuple[ShownColumn, ...]:  # type: ignore[override]  # an attribute computed when first used
        """What is shown of each identity: single values."""
        return tuple(
            ShownColumn(column.note, column.regions(), column.codes[self._first].astype(np.int64))
            for column in self.columns
        )

    @cached_property
    def askable(self) -> Mapping[str, Askable]:
        """Columns that can be asked about."""
        domains = (*(column.domain for column in self.columns), *self.sensitive)
        return {domain.name: Askable.of_domain(domain) for domain in domains}

    def shares(self, where: Mapping[str, Any], of: str | None, power: int) -> NDArray[np.float64]:
        """1 where a record meets all conditions, else 0; times the number ``of``, where that is a quasi-identifier."""
        found = np.ones(self.size)
        by_name = {column.note.name: column for column in self.columns}
        published = [domain.name for domain in self.sensitive]
        for name in (*where, *(() if of is None else (of,))):
            if name not in by_name and name not in published:
                raise unknown_column(name, (*by_name, *published))
        for name, condition in where.items():
            if name in by_name:
                found = found * by_name[name].meets(condition)
        if of in by_name:
            found = found * number_weights(by_name[of].domain, power)[by_name[of].codes]
        return found

    @property
    def axes_of_identities(self) -> Mapping[str, Axis]:
        """Distinct tuples."""
        return {c.note.name: ExactAxis(c.domain, c.codes[self._first]) for c in self.columns}

    def matching(self, target: Mapping[str, Any]) -> NDArray[np.bool_]:
        """(n,) Records whose quasi-identifiers are the target's, as far as these are known."""
        found = np.ones(self.size, np.bool_)
        for column in self.columns:
            if column.note.name in target:
                found &= column.meets([target[column.note.name]])
        return found
