r"""Exact quasi-identifiers with perturbed sensitive values, and the matrix they were drawn by (Cao & Karras 2012).

The table ``perturbation``: the matrix PM of a mechanism as exact decimals, values as rows and columns.

The first column says which way the matrix lies, ``published \ original``, and holds the published values; every other
column is an original value. Values are written as in the release, save in the names of columns, which must not be empty:

========================================  ======================================
value                                     name of its column
========================================  ======================================
``flu``                                   ``flu``
the missing value                         ``{}``
three blanks                              a backslash before each
========================================  ======================================

A perturbed release, read back: what it proves, what an analyst computes and what an adversary believes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from likeness.errors import PolicyError, TableError, suggestion
from likeness.forms.base import Columns, Form, Publication, Published, by_label, publish_values
from likeness.forms.exact import (
    DISTRIBUTION,
    Distribution,
    ExactColumn,
    ExactRecords,
    column_of,
    count_column,
    one_sensitive,
    publish_distribution,
)
from likeness.microdata.mechanism import MOST_VALUES, SCALE, Mechanism
from likeness.published.columns import exact_labels
from likeness.published.text import MISSING, read_value, write_value
from likeness.queries.answering import answer_by_value, make_units
from likeness.queries.asking import read_query
from likeness.tables import Labelled, must_read
from likeness.wording import count, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from likeness.microdata.data import Microdata
    from likeness.microdata.domain import Domain
    from likeness.microdata.mechanism import Variant
    from likeness.microdata.plan import Plan
    from likeness.microdata.regions import Recoding
    from likeness.published.columns import PublishedColumns
    from likeness.queries.answering import Units
    from likeness.queries.query import Query, Workload


PERTURBATION = "perturbation"
"""The name of the table."""
ORIENTATION = r"published \ original"
"""The head of its first column. No value is written so: a backslash in a value is doubled."""
_MISSING_COLUMN = "{}"
_DECIMALS = len(str(SCALE)) - 1
_PROBABILITY = re.compile(rf"[01](?:\.[0-9]{{1,{_DECIMALS}}})?")


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
    Cao & Karras 2012, section 5.

    Examples
    --------
    >>> PerturbedForm(reconstruction="plain").tables
    ('release', 'distribution', 'perturbation')
    """

    reconstruction: str = "plain"

    name: ClassVar[str] = "perturbed"
    tables: ClassVar[tuple[str, ...]] = ("release", DISTRIBUTION, PERTURBATION)
    publishes_exactly: ClassVar[bool] = True
    publishes_counts: ClassVar[bool] = True
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
        return self._read(tables, columns, None)

    def read_counts(
        self, tables: Mapping[str, Columns], columns: PublishedColumns, copies: NDArray[np.int64]
    ) -> Publication:
        """Understand published tables whose first has its different rows only; raises what `read` does."""
        return self._read(tables, columns, copies)

    def _read(
        self, tables: Mapping[str, Columns], columns: PublishedColumns, copies: NDArray[np.int64] | None
    ) -> Publication:
        """Understand published tables."""
        for name in self.tables:
            if name not in tables:
                raise TableError(f"the table {name!r} is not there; it was published with the others")
        release, distribution, perturbation = (tables[name] for name in self.tables)
        return PerturbedPublication(
            release, distribution, perturbation, columns, check_variant(self.reconstruction), copies
        )


def publish_matrix(domain: Domain, mechanism: Mechanism) -> dict[str, Any]:
    """Publish the matrix of a mechanism over all codes of ``domain``, for the values that occur, as columns of texts."""
    active = mechanism.active
    labels = domain.labels_with(None)
    values = [labels[code] for code in active]
    rows = [MISSING if value is None else write_value(value) for value in values]
    columns: dict[str, Any] = {ORIENTATION: Labelled(np.arange(active.size, dtype=np.int32), rows)}
    factor = SCALE // mechanism.scale
    for value, code in zip(values, active.tolist(), strict=True):
        numerators, codes = np.unique(mechanism.numerators[active, code], return_inverse=True)
        texts = [_decimal(number * factor) for number in numerators.tolist()]
        columns[name_column(value)] = Labelled(codes.astype(np.int32), texts)
    return columns


def name_column(value: str | None) -> str:
    r"""Name the column of a value, None being the missing one; `read_column` reads it back.

    >>> name_column("flu"), name_column(None), name_column("  ")
    ('flu', '{}', '\\ \\ ')
    """
    if value is None:
        return _MISSING_COLUMN
    text = write_value(value)
    return text if text.strip() else "".join(f"\\{character}" for character in value)


def read_column(name: str) -> str | None:
    """Read the value that a column is named after by `name_column`; None is the missing one."""
    return None if name == _MISSING_COLUMN else read_value(name)


def read_matrix(table: Columns, distribution: Distribution) -> Mechanism:
    """Read the published matrix, the table ``perturbation``; the distribution has the values and the mechanism's counts.

    Raises `TableError` where it is no matrix of probabilities over these values; says which row or column is wrong.
    """
    first = column_of(PERTURBATION, table, ORIENTATION)
    names = [name for name in table if name != ORIENTATION]
    for name in names:
        _check_name(name)
    across = distribution.find(PERTURBATION, [read_column(name) for name in names])
    down = distribution.find(PERTURBATION, exact_labels(first.labels, distribution.note))[first.codes]
    _check_values("row", down, distribution)
    _check_values("column", across, distribution)
    # Declared values that nobody has count too: the matrix has the square of all.
    most = max(down.size, distribution.counts.size)
    if most > MOST_VALUES:
        raise TableError(
            f"table {PERTURBATION!r}: it has {count(most, 'value')}; at most {MOST_VALUES} are supported"
        )
    numerators = np.zeros((distribution.counts.size, distribution.counts.size), np.int64)
    for name, code in zip(names, across.tolist(), strict=True):
        numerators[down, code] = _read_entries(name, table[name].labels)[table[name].codes]
        total = int(numerators[:, code].sum())
        if total != SCALE:
            raise TableError(
                f"table {PERTURBATION!r}: the column {name!r} must sum to 1; it sums to {_decimal(total)}"
            )
    mechanism = Mechanism(distribution.counts, numerators)
    problems = mechanism.problems() if distribution.counts.any() else []
    if problems:
        raise TableError(*(f"table {PERTURBATION!r}: {problem}" for problem in problems))
    return mechanism


def _check_name(name: str) -> None:
    """Refuse a name of a column that is not the one its value gives it."""
    wrong = must_read(name, name_column(read_column(name)))
    if wrong is not None:
        raise TableError(f"table {PERTURBATION!r}: the name of a column: {wrong}")


def _check_values(what: str, codes: NDArray[np.int32], distribution: Distribution) -> None:
    """Refuse a value that has no row or column, or two."""
    times = np.bincount(codes, minlength=distribution.counts.size)
    for wrong, has in (
        (times > 1, f"more than one {what}"),
        ((times == 0) & (distribution.counts > 0), f"no {what}"),
    ):
        if wrong.any():
            value = distribution.name(int(np.argmax(wrong)))
            raise TableError(f"table {PERTURBATION!r}: the value {value} has {has}; every value has one")


def _read_entries(name: str, texts: Sequence[str]) -> NDArray[np.int64]:
    """Read probabilities as multiples of 1 / SCALE."""
    found = []
    for text in texts:
        whole, _, decimals = text.partition(".")
        numerator = int(whole + decimals.ljust(_DECIMALS, "0")) if _PROBABILITY.fullmatch(text) else SCALE + 1
        if numerator > SCALE:
            raise TableError(
                f"table {PERTURBATION!r}, column {name!r}: {quoted(text)} is not a probability of at most {_DECIMALS} decimals"
            )
        wrong = must_read(text, _decimal(numerator))
        if wrong is not None:
            raise TableError(f"table {PERTURBATION!r}, column {name!r}: {wrong}")
        found.append(numerator)
    return np.array(found, np.int64)


def _decimal(numerator: int) -> str:
    """Write a multiple of 1 / SCALE: ``1``, ``0``, ``0.25``."""
    whole, rest = divmod(numerator, SCALE)
    return f"{whole}.{rest:0{_DECIMALS}d}".rstrip("0").rstrip(".")


VARIANTS: tuple[Variant, ...] = ("plain", "clipped", "simplex", "bayes")
"""How original counts are estimated from published ones: see `Mechanism.reconstruct`."""


class PerturbedPublication(ExactRecords):
    """A perturbed release, read back.

    ``classes`` are the records of equal quasi-identifiers; ``sensitive_codes`` are the perturbed values. ``variant`` is how
    `estimate` reads published counts. Raises `TableError` where a column is missing, a text is no value of its column, the
    tables contradict each other, or PM is no matrix of probabilities.
    """

    form: ClassVar[str] = "perturbed"

    def __init__(
        self,
        release: Columns,
        distribution: Columns,
        perturbation: Columns,
        columns: PublishedColumns,
        variant: Variant,
        copies: NDArray[np.int64] | None = None,
    ) -> None:
        super().__init__(release, columns)
        note = one_sensitive(self.form, columns)
        self.variant, self.copies = variant, copies
        self.distribution = Distribution(distribution, note, self.records)
        self.mechanism = self._mechanism = read_matrix(perturbation, self.distribution)
        self.sensitive = (self.distribution.domain,)
        # No record need have been drawn as a value that is protected.
        shown = ExactColumn("release", release, replace(note, sensitive_values=None))
        labels = shown.domain.labels_with(None)
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
        """(..., m) Estimate how many records have each original sensitive value from counts of the published ones.

        ``counts`` (..., m) are published records of every value, over any set of records; for ``variant`` see
        `Mechanism.reconstruct` (None: the form's ``reconstruction``). Raises `PolicyError` where there is no such variant,
        `LikenessError` where the matrix has no inverse and the variant needs one.
        """
        chosen = check_variant(self.variant if variant is None else variant)
        return self._mechanism.reconstruct(np.asarray(counts, np.float64), chosen)

    def describe_class(self, number: int) -> str:
        """Its quasi-identifiers."""
        return self.describe_identity(number)

    def total(self, where: Mapping[str, Any], of: str | None = None, power: int = 0) -> float:
        """Reconstruct the original values of the records whose quasi-identifiers meet conditions; add those that do.

        The estimator of Cao & Karras 2012, section 5: ``Σ N'_v`` with N' = PM⁻¹ E', or a biased variant of N' (the form's
        ``reconstruction``). Where survey weights are published, every record counts for as many people as its weight says; in
        sums, for its number. Raises `TableError` where a column was not published, a condition does not suit its column, or
        ``of`` is not a column of numbers.
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

    @property
    def reconstructing(self) -> Callable[[NDArray[np.float64]], NDArray[np.float64]] | None:
        """The variants that forbid negative numbers, which no matrix tells."""
        return None if self.variant == "plain" else self.reconstruct

    def reconstructed(self, query: Query, variant: str | None = None) -> dict[str, float]:
        """Estimate how many of the records that meet a query have each original sensitive value; the missing one is ``""``.

        A condition on the sensitive column chooses which values are returned; for ``variant`` see `Mechanism.reconstruct`
        (None: the form's ``reconstruction``). Raises `PolicyError` where the query asks for a sum or mean, or there is no such
        variant, `TableError` where a column was not published, or a condition does not suit its column.
        """
        if query.aggregate != "count":
            raise PolicyError("a reconstruction counts records; leave the aggregate out")
        chosen = check_variant(self.variant if variant is None else variant)
        where = read_query(self.askable, query.where, None, self.beside)
        matching, wanted = self.asked(where)
        found = self._reconstruct_over(matching, self.survey_weights, chosen)
        return by_label(self.distribution.domain, found, wanted & (self.distribution.counts > 0))

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
        overall distribution (Cao & Karras 2012, section 5). Empty where nobody matches; raises `TableError` where the target
        names a column that is no published quasi-identifier.
        """
        self.check_target(target)
        matching = self.matching(target)
        if not matching.any():
            return {}
        seen = np.bincount(self.sensitive_codes[0][matching], minlength=self.sensitive[0].codes)
        joint = self._mechanism.matrix * self._mechanism.counts
        rows = np.flatnonzero(seen)
        beliefs = (seen[rows] / seen.sum()) @ (joint[rows] / joint[rows].sum(axis=1, keepdims=True))
        return {self.sensitive[0].name: by_label(self.sensitive[0], beliefs)}


def check_variant(variant: str) -> Variant:
    """Refuse a way to reconstruct that does not exist: `PolicyError`, saying which there are."""
    if variant not in VARIANTS:
        raise PolicyError(
            f"perturbed: there is no reconstruction {variant!r}{suggestion(str(variant), VARIANTS)}; there are "
            + ", ".join(VARIANTS)
        )
    return variant
