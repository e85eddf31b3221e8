"""Angelized tables (Tao et al. 2009): generalized quasi-identifiers and sensitive values, linked by buckets."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from likeness.forms.base import Columns, Form, Publication, Published
from likeness.forms.buckets import (
    BUCKET,
    BucketPublication,
    check_apart,
    check_tables,
    keys_in,
    published_beside,
    words_in,
)
from likeness.forms.generalized import GeneralizedForm, GeneralizedPublication
from likeness.queries.asking import Askable
from likeness.queries.sums import unknown_column

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from likeness.forms.base import ShownColumn
    from likeness.microdata.data import Microdata
    from likeness.microdata.plan import Plan
    from likeness.microdata.regions import Recoding
    from likeness.published.columns import PublishedColumns
    from likeness.queries.axes import Axis


@dataclass(frozen=True)
class AngelizedForm(Form):
    """Two tables: everybody's region with a bucket, and every bucket's sensitive values.

    The table ``quasi`` has a row per record, in random order, with what `GeneralizedForm` shows of its quasi-identifiers;
    ``sensitive`` one per bucket and value, with the number of records. The column ``bucket`` links them; its numbers are
    random. People of one region may be in many buckets, and of one bucket in many regions.

    Parameters
    ----------
    recoding, numeric_pairs
        As those of `GeneralizedForm`.
    apart
        List the values of each of several sensitive columns by themselves, in a column ``column`` the name of the one that a
        row is of. By default what records have together is counted, so that who knows one of their values learns of the others.

    References
    ----------
    Tao, Chen, Xiao, Zhou & Zhang 2009, "ANGEL: enhancing the utility of generalization for privacy preserving publication"
    (the generalized table GT and the bucket table BT); Fazal et al. 2023 (the quasi table QT and the sensitive table ST).

    Examples
    --------
    >>> AngelizedForm().tables
    ('quasi', 'sensitive')
    """

    recoding: str = "tight"
    numeric_pairs: bool = False
    apart: bool = False

    name: ClassVar[str] = "angelized"
    tables: ClassVar[tuple[str, ...]] = ("quasi", "sensitive")
    roles_in: ClassVar[Mapping[str, frozenset[str]]] = MappingProxyType(
        {"quasi": frozenset({"quasi", "other", "pseudonym"}), "sensitive": frozenset({"sensitive"})}
    )
    takes_individuals: ClassVar[bool] = False
    publishes_buckets: ClassVar[bool] = True
    publishes_added: ClassVar[bool] = True
    remark: ClassVar[str] = (
        "sensitive values are published by bucket, each with its number of records; what k-anonymity and its like say is decided "
        "on the table of quasi-identifiers, what models say of sensitive values on the buckets"
    )

    def __post_init__(self) -> None:
        self._quasi.__post_init__()
        check_apart(self.name, self.apart)

    @property
    def _quasi(self) -> GeneralizedForm:
        """The form of the table of quasi-identifiers."""
        return GeneralizedForm(self.recoding, self.numeric_pairs)

    def with_numeric_pairs(self) -> Self:
        """Publish the ends of regions as numbers too."""
        return replace(self, numeric_pairs=True)

    def keys_in(self, table: str, columns: PublishedColumns) -> frozenset[str]:
        """Name the bucket, the counts of the sensitive values, and the numeric pairs."""
        pairs = self._quasi.keys_in(table, columns) if table == "quasi" else frozenset[str]()
        return keys_in(table, columns, apart=self.apart) | pairs

    def words_in(self, table: str, columns: PublishedColumns) -> frozenset[str]:
        """Name the column that says of which sensitive column a row is, where each is listed by itself."""
        return words_in(table, columns, apart=self.apart)

    def publish(self, data: Microdata, plan: Plan, recoding: Recoding, rng: np.random.Generator) -> Published:
        """Publish every kept record's region, and its bucket's sensitive values.

        Raises
        ------
        PolicyError
            When there is no sensitive column, or a column of the table has the name of a numeric pair.
        """
        shown = self._quasi.publish(data, plan, recoding, rng)
        table, rows = shown.tables["release"], shown.rows["release"]
        sensitive = {domain.name for domain in data.sensitive}
        quasi = {name: column for name, column in table.items() if name not in sensitive}
        return published_beside(self, quasi, rows, data, plan, rng, apart=self.apart)

    def read(self, tables: Mapping[str, Columns], columns: PublishedColumns) -> Publication:
        """Understand published tables.

        Raises
        ------
        TableError
            When they are not as `publish` makes them; says which table and column.
        """
        check_tables(tables, self.tables)
        return AngelizedPublication(
            tables["quasi"], tables["sensitive"], columns, pairs=self.numeric_pairs, apart=self.apart
        )


class AngelizedPublication(BucketPublication):
    """Angelized tables, read back: regions of quasi-identifiers, linked with buckets of sensitive values.

    ``identities`` are the regions. ``regions``: the table of quasi-identifiers by itself.
    """

    form: ClassVar[str] = "angelized"
    claimed_immune: ClassVar[str] = "Fazal et al. 2023"

    def __init__(
        self,
        quasi: Columns,
        sensitive: Columns,
        columns: PublishedColumns,
        *,
        pairs: bool = False,
        apart: bool = False,
    ) -> None:
        super().__init__(quasi, sensitive, columns, apart=apart)
        notes = tuple(note for note in columns.notes if note.role != "sensitive")
        shown = {name: column for name, column in quasi.items() if name != BUCKET}
        self.regions = GeneralizedPublication(shown, replace(columns, notes=notes), pairs=pairs)
        # Without a quasi-identifier nobody can be told from anybody.
        self.identities = self.regions.classes if self.regions.names else np.zeros(self.size, np.int64)
        self.cells: tuple[ShownColumn, ...] = self.regions.cells

    @cached_property
    def askable(self) -> Mapping[str, Askable]:
        """Columns that can be asked about."""
        return {
            **self.regions.askable,
            **{domain.name: Askable.of_domain(domain) for domain in self.sensitive},
        }

    def shares(self, where: Mapping[str, Any], of: str | None, power: int) -> NDArray[np.float64]:
        """Share of each record's region that meets all conditions, as in generalized tables; times the mean of ``of`` there."""
        published = [domain.name for domain in self.sensitive]
        names = (*self.regions.names, *published)
        for name in (*where, *(() if of is None else (of,))):
            if name not in names:
                raise unknown_column(name, names)
        quasi = {name: condition for name, condition in where.items() if name not in published}
        return self.regions.shares(quasi, None if of in published else of, power)[self.identities]

    @property
    def axes_of_identities(self) -> Mapping[str, Axis]:
        """Regions."""
        return self.regions.axes_by_name

    def matching(self, target: Mapping[str, Any]) -> NDArray[np.bool_]:
        """(n,) Records whose region contains the target's quasi-identifiers, as far as these are known."""
        return np.isin(self.identities, self.regions.candidates(target))
