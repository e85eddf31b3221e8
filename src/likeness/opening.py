"""Open a release from its published files, and put it beside its original again, as measures and attacks need it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from likeness.attacks.base import Making
from likeness.attacks.matching import reach_of, shared_cells
from likeness.encode import encode, join_records
from likeness.errors import InvalidError, VerificationError
from likeness.folder.audit import Audit, content_digest, locate_records
from likeness.folder.layout import find_layout
from likeness.folder.origin import exact_codes
from likeness.folder.private_part import read_private
from likeness.folder.public_part import labelled_columns, read_public
from likeness.folder.verification import judge
from likeness.forms.base import as_labelled
from likeness.metrics.base import Evaluation
from likeness.microdata.domain import NUMERIC
from likeness.microdata.grouping import distinct
from likeness.microdata.plan import Plan
from likeness.microdata.regions import recode
from likeness.models.requirements import require_of
from likeness.policy import as_policy
from likeness.published.columns import parse_numbers
from likeness.release import Release
from likeness.tables import EncodedColumn, Labelled
from likeness.wording import count

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from likeness.encode import Encoded
    from likeness.folder.class_map import ClassMap
    from likeness.forms.base import Publication
    from likeness.methods.base import Method
    from likeness.microdata.mechanism import Mechanism
    from likeness.policy import Policy
    from likeness.proving.certificate import Certificate
    from likeness.tables import Table


def open_release(folder: str | Path) -> Release:
    """Open a release from its folder, or from its ``public/`` alone.

    Only the published files are read, and what they prove is proven again; the original is not known to it.

    Parameters
    ----------
    folder
        A release folder, or its ``public/``.

    Returns
    -------
    Release
        With its tables as polars frames; `Release.estimate`, `Release.posterior` and `Release.verify` work,
        what needs the original does not.

    Raises
    ------
    InvalidError
        When there is no such release.
    VerificationError
        When it does not prove what its certificate says; each line says where.

    Examples
    --------
    >>> import tempfile
    >>> import polars as pl, likeness as lk
    >>> table = pl.DataFrame({"age": [30, 31, 60, 61], "disease": ["flu", "cold", "flu", "cold"]})
    >>> columns = {"age": lk.quasi(), "disease": lk.sensitive()}
    >>> release = lk.anonymize(table, lk.Policy(columns=columns, privacy=lk.KAnonymity(2)), seed=7)
    >>> with tempfile.TemporaryDirectory() as place:
    ...     opened = lk.open_release(release.write(place + "/out"))
    >>> opened.posterior({"age": 30})
    {'disease': {'cold': 0.5, 'flu': 0.5}}
    """
    layout = find_layout(folder)
    try:
        public = read_public(layout)
        verdict = judge(public, None, None, None)
    except OSError as problem:
        raise InvalidError(f"{folder}: cannot be read ({problem.strerror or problem})") from None
    verdict.raise_if_failed()
    if public.certificate is None or public.publication is None:
        raise VerificationError(f"{folder}: cannot be understood")
    undescribed = public.certificate.make_form().undescribed
    notes = {note.name: note for note in public.certificate.columns.notes}
    tables = {
        name: labelled_columns(table, notes) if name in undescribed else _columns(table, public.certificate)
        for name, table in public.tables.items()
    }
    return Release(tables, public.certificate, public.publication, verdict)


def _columns(table: Table, certificate: Certificate) -> dict[str, Labelled | EncodedColumn]:
    """Take the columns of a published table, numbers as numbers where the certificate says what they are."""
    notes = {note.name: note for note in certificate.columns.notes}
    exact = certificate.make_form().publishes_exactly
    columns: dict[str, Labelled | EncodedColumn] = {}
    for name in table.names:
        note, column = notes[name], table.as_it_is(name)
        numeric = note.kind in NUMERIC and (note.role == "sensitive" or (note.role == "quasi" and exact))
        if column.kind != "text":
            columns[name] = column
        else:
            columns[name] = _numbers(column, note.kind) if numeric else as_labelled(column)
    return columns


def _numbers(column: EncodedColumn, kind: str) -> EncodedColumn:
    """Read the texts of numbers or dates; empty cells are null."""
    present = np.array([text != "" for text in column.values], np.bool_)
    numbers = parse_numbers(kind, [str(text) for text in column.values[present]], column.name)
    values, codes = np.unique(numbers, return_inverse=True)
    recode = np.full(present.size + 1, -1, np.int32)
    recode[:-1][present] = codes
    return EncodedColumn(column.name, kind, recode[column.codes], values)


@dataclass(frozen=True, eq=False)
class Rejoined:
    """A release and its original.

    ``policy``: what was asked. ``class_map``: what became of every record; ``method``: what made the release; both None
    without ``private/``.
    """

    publication: Publication
    encoded: Encoded
    policy: Policy
    class_map: ClassMap | None
    method: Method | None = None

    @property
    def evaluation(self) -> Evaluation:
        """What metrics look at.

        Raises `InvalidError` without ``private/``, which alone says who is in which class.
        """
        if self.class_map is None:
            raise InvalidError(_HIDDEN)
        rows = self.encoded.data.rows
        buckets = None if self.class_map.buckets is None else self.class_map.buckets[rows]
        withheld = self.class_map.withheld_because
        plan = Plan(self.class_map.classes[rows], buckets, withheld_because=withheld)
        if self.publication.mechanism is not None:
            plan = self._with_mechanism(plan, self.class_map.original_row, self.publication.mechanism)
        if self.method is not None and self.method.bounds_regions:
            plan = self._with_bounds(plan, self.class_map.original_row)
        return Evaluation(self.encoded.data, *recode(self.encoded.data, _gapless(plan)), self.publication)

    @property
    def making(self) -> Making | None:
        """How the release was made; None without ``private/``."""
        if self.class_map is None or self.method is None:
            return None
        data, plan = self.encoded.data, self.evaluation.plan
        models = self.encoded.name_models(self.policy.privacy)
        requirements = require_of(models, data.take(np.flatnonzero(plan.published)), data)
        return Making(self.method, requirements, plan)

    def _records(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Record of each row of the original."""
        data = self.encoded.data
        records = np.full(self.encoded.table.height, -1, np.int64)
        records[data.rows] = np.arange(data.size)
        return np.asarray(records[rows])

    def _with_bounds(self, plan: Plan, rows: NDArray[np.int64]) -> Plan:
        """Add what the published regions cover, where they are wider than their classes' members."""
        data, publication = self.encoded.data, self.publication
        records = self._records(rows)
        bounds = np.stack([data.codes, data.codes])
        for cells, j in shared_cells(publication, data):
            reach = reach_of(cells, data.quasi[j])
            of = cells.of[publication.identities]
            low, high = reach.low[of], reach.high[of]
            if reach.is_set:
                low, high = reach.members[low], reach.members[high - 1]
            bounds[0, j, records], bounds[1, j, records] = low, high
        return replace(plan, bounds=bounds)

    def _with_mechanism(self, plan: Plan, rows: NDArray[np.int64], mechanism: Mechanism) -> Plan:
        """Add the published values and how they were drawn, in the codes of the original."""
        data = self.encoded.data
        records = self._records(rows)
        to_original = exact_codes(self.publication.sensitive[0], data.sensitive[0])
        sensitive = data.sensitive_codes.copy()
        sensitive[0, records] = to_original[self.publication.sensitive_codes[0]]
        moved = mechanism.moved(to_original, data.sensitive[0].codes)
        return replace(plan, sensitive=sensitive, mechanism=moved)


_HIDDEN = "without private/ nobody knows which record is in which class; measure the release folder itself"


def rejoin(folder: Path, original: Table, policy: Path | None = None, *, measuring: bool = False) -> Rejoined:
    """Verify a release and put it beside its original.

    ``folder``: the release folder, or its ``public/`` alone. ``policy``: what ``private/`` says when left out.
    ``measuring``: whether ``private/`` is needed, which alone says who is in which class.
    Raises `InvalidError` when there is no such release, or neither ``private/`` nor a policy says what the columns are;
    `VerificationError` when the release is not what its files say, or was not made from this original: nothing is measured
    then.
    """
    layout = find_layout(folder)
    public = read_public(layout)
    steward = None if layout.private is None else read_private(layout, layout.private, public)
    told = as_policy(policy) if policy is not None else None if steward is None else steward.policy
    if measuring and steward is None:
        raise InvalidError(f"{folder}: {_HIDDEN}")
    if told is None and steward is None:
        raise InvalidError(f"{folder}: there is no private/ here to say what the columns are; give --policy")
    audit = None if steward is None else steward.audit
    encoded = None
    if told is not None:
        located = locate_records(told, original, audit)
        # A second table that is not there says nothing about the first.
        whole = join_records(original, located)
        try:
            encoded = encode(whole, located)
        except InvalidError as problem:
            if audit is None or policy is not None:
                raise
            raise _another(original, folder, problem.problems[0]) from None
        told = told.naming(encoded.table.names)
    if audit is not None and policy is None and encoded is not None:
        _refuse_another(encoded, audit, original, folder)
    judge(public, steward, encoded if steward is not None else None, told).raise_if_failed()
    if public.publication is None or encoded is None or told is None:
        raise InvalidError(f"{folder}: cannot be understood; likeness verify says why")
    if steward is None or audit is None:
        return Rejoined(public.publication, encoded, told, None)
    return Rejoined(public.publication, encoded, told, steward.class_map, audit.method)


def _refuse_another(encoded: Encoded, audit: Audit, original: Table, folder: Path) -> None:
    """Refuse a table that a release was not made from in one line: every cell would be wrong."""
    told = audit.content["original"]
    if told["rows"] != encoded.table.height:
        raise _another(original, folder, f"it has {count(encoded.table.height, 'row')}, not {told['rows']:,}")
    if told["sha256"] != content_digest(encoded):
        raise _another(
            original, folder, "it has as many rows, but other values, or the same in another order"
        )


def _another(original: Table, folder: Path, why: str) -> VerificationError:
    """Say that a release was made from another table."""
    return VerificationError(f"{original.source} is not the table that {folder} was made from: {why}")


def _gapless(plan: Plan) -> Plan:
    """Check that classes are numbered as plans number them; a class map that was verified is."""
    used = distinct(plan.classes[plan.published])
    if used.size and not np.array_equal(used, np.arange(used.size)):
        raise InvalidError("private/classes.parquet: its classes are not numbered from 0")
    return plan
