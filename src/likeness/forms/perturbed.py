"""Exact quasi-identifiers with perturbed sensitive values, and the matrix they were drawn by (Cao & Karras 2012)."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from likeness.errors import PolicyError, TableError
from likeness.forms._anatomized import count_column
from likeness.forms._base import Columns, Form, Publication, Published, publish_values
from likeness.forms._distribution import DISTRIBUTION, publish_distribution
from likeness.forms._matrix import PERTURBATION, publish_matrix
from likeness.forms._perturbed import PerturbedPublication, check_variant

if TYPE_CHECKING:
    from collections.abc import Mapping

    from likeness.forms._columns import PublishedColumns
    from likeness.microdata.data import Microdata
    from likeness.microdata.plan import Plan
    from likeness.microdata.regions import Recoding


@dataclass(frozen=True)
class PerturbedForm(Form):
    """Everybody's exact quasi-identifiers, a perturbed sensitive value, and how it was drawn.

    The table ``release`` has a row per record, in random order; ``distribution`` the number of records of each
    original value (p); ``perturbation`` the probability that each original value (column) is published as each value
    (row): the matrix PM, in exact decimals.

    Parameters
    ----------
    reconstruction
        How `Release.estimate` reads the perturbed values: ``plain``, ``clipped``, ``simplex`` or ``bayes``.

    Notes
    -----
    ``plain`` is unbiased and may give negative numbers; its estimates for parts of a table add up to that for the
    whole. The others give no negative number and are biased: among few records they give rare values too much and
    frequent ones too little. Median relative error of counts with three predicates beside the sensitive one
    (selectivity .1) on the generated census table, β = 4, rule ``capped``, means of up to six releases:

    =======  =====  =======  =======  =====  ========
    records  plain  clipped  simplex  bayes  baseline
    =======  =====  =======  =======  =====  ========
    5,000    .211   .197     .182     .137   .096
    20,000   .099   .111     .102     .079   .102
    100,000  .042   .050     .046     .049   .100
    500,000  .021   .025     .024     .047   .106
    =======  =====  =======  =======  =====  ========

    So ``plain`` is the default, and ``bayes`` (which stops early, near the overall distribution) the better choice for
    tables of 20,000 records or fewer. The column baseline is what the overall distribution alone gives: on small tables
    perturbation with this rule is no better.

    References
    ----------
    Cao & Karras 2012 (paper 002), section 5; spec section 4.2.

    Examples
    --------
    >>> PerturbedForm(reconstruction="plain").tables
    ('release', 'distribution', 'perturbation')
    """

    reconstruction: str = "plain"

    name: ClassVar[str] = "perturbed"
    tables: ClassVar[tuple[str, ...]] = ("release", DISTRIBUTION, PERTURBATION)
    publishes_exactly: ClassVar[bool] = True
    roles_in: ClassVar[Mapping[str, frozenset[str]]] = MappingProxyType(
        {DISTRIBUTION: frozenset({"sensitive"})}
    )
    always_csv: ClassVar[frozenset[str]] = frozenset({DISTRIBUTION, PERTURBATION})
    undescribed: ClassVar[frozenset[str]] = frozenset({PERTURBATION})
    protected_by_randomness: ClassVar[bool] = True
    sensitive_shown: ClassVar[str] = "perturbed: drawn by the matrix in perturbation.csv"
    remark: ClassVar[str] = (
        "quasi-identifiers are published exactly, one record a row, so everybody sees who is in the table; sensitive "
        "values are published perturbed, one per record, with the matrix they were drawn by (PM, perturbation.csv) and "
        "the exact number of records of each original value (p, distribution.csv)"
    )
    further_remarks: ClassVar[tuple[str, ...]] = (
        (
            "what is proven is the mechanism, p and PM: whatever value it publishes of somebody, confidence in any original "
            "value stays within the limits for an adversary whose prior is p; it is not proven how the values at hand were "
            "drawn"
        ),
        (
            "p is exact: whoever knows the original values of all records but one learns that one's from p, whatever the "
            "mechanism; whoever knows those of many learns how the values are distributed among the others"
        ),
    )

    def __post_init__(self) -> None:
        check_variant(self.reconstruction)

    def keys_in(self, table: str, columns: PublishedColumns) -> frozenset[str]:
        """Name the counts of the distribution."""
        counted = (count_column(note.name) for note in columns.with_role("sensitive"))
        return frozenset(counted if table == DISTRIBUTION else ())

    def publish(self, data: Microdata, plan: Plan, recoding: Recoding, rng: np.random.Generator) -> Published:  # noqa: ARG002
        """Publish every kept record's quasi-identifiers and perturbed value, and the mechanism.

        Raises
        ------
        PolicyError
            When there is not exactly one sensitive column, or the plan perturbs nothing.
        """
        if len(data.sensitive) != 1:
            raise PolicyError(
                f"{self.name}: publishes one sensitive column; this table has {len(data.sensitive)}"
            )
        mechanism = plan.mechanism
        if mechanism is None or plan.sensitive is None:
            raise PolicyError(f"{self.name}: needs a method that perturbs sensitive values; use perturbation")
        rows = rng.permutation(np.flatnonzero(plan.published))
        release: dict[str, Any] = {
            domain.name: publish_values(domain, np.ascontiguousarray(codes[rows]))
            for domain, codes in zip(data.quasi, data.codes, strict=True)
        }
        domain = data.sensitive[0]
        release[domain.name] = publish_values(domain, np.ascontiguousarray(plan.sensitive[0][rows]))
        nobody = np.full(mechanism.active.size, -1, np.int64)
        return Published(
            {
                "release": release,
                DISTRIBUTION: publish_distribution(domain, mechanism.counts),
                PERTURBATION: publish_matrix(domain, mechanism),
            },
            {"release": rows, DISTRIBUTION: nobody, PERTURBATION: nobody},
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
        release, distribution, perturbation = (tables[name] for name in self.tables)
        return PerturbedPublication(
            release, distribution, perturbation, columns, check_variant(self.reconstruction)
        )
