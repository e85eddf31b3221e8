"""Open a release from its files: what the public ones prove, and, with its original, all that the steward knew."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.attacks.matching import reach_of, shared_cells
from likeness.counting import encode_counted, find_counted
from likeness.encode import encode, join_records
from likeness.engines.base import engine_for
from likeness.errors import InvalidError, VerificationError
from likeness.folder.audit import content_digest, locate_records
from likeness.folder.layout import PARTS, find_layout
from likeness.folder.origin import exact_codes, other_columns
from likeness.folder.parts import is_in_parts, labelled_columns
from likeness.folder.private_part import read_private
from likeness.folder.public_part import read_public
from likeness.folder.verification import compare_policy, judge
from likeness.forms.base import as_labelled
from likeness.microdata.domain import NUMERIC
from likeness.microdata.grouping import distinct
from likeness.microdata.plan import Added, Plan
from likeness.microdata.regions import recode
from likeness.models.requirements import require_of
from likeness.policy import as_policy
from likeness.progress import Progress
from likeness.published.columns import parse_numbers
from likeness.published.regions import mean_kind
from likeness.published.text import EVERYTHING
from likeness.release import Private, Release
from likeness.solve import Solution
from likeness.tables import EncodedColumn, Labelled, Table, read_again
from likeness.wording import count

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from likeness.encode import Encoded
    from likeness.folder.audit import Audit
    from likeness.folder.class_map import ClassMap
    from likeness.folder.private_part import PrivatePart
    from likeness.folder.public_part import PublicPart
    from likeness.forms.base import Publication
    from likeness.microdata.data import Microdata
    from likeness.microdata.mechanism import Mechanism
    from likeness.models.requirements import Requirement
    from likeness.policy import Policy
    from likeness.proving.certificate import Certificate
    from likeness.proving.proof import Verdict


def open_release(
    folder: str | Path,
    original: Any = None,
    *,
    policy: Policy | Mapping[str, Any] | str | Path | None = None,
) -> Release:
    """Open a release from its folder, or from its ``public/`` alone; with its original, as the release that was written.

    What the files prove is proven again. With the original and ``private/`` it is also proven that the one was made from the
    other, and the release answers as the one that `likeness.anonymize` returned: losses, attacks, warnings and report are the
    same.

    Parameters
    ----------
    folder
        A release folder, or its ``public/``.
    original
        The table the release was made from: a frame, a path, or what `likeness.read` returned. Without it only the published
        files are read. A file is read as ``private/`` says that it was.
    policy
        What was asked: a `Policy`, a mapping, or the path of a policy file; what ``private/`` says when left out. Without
        ``private/`` it says what the columns are, and attacks work that need not know who is in which class.

    Returns
    -------
    Release
        Without the original its tables are polars frames; `Release.estimate`, `Release.posterior` and `Release.verify` work,
        what needs the original does not.

    Raises
    ------
    InvalidError
        When there is no such release, or an original is given and neither ``private/`` nor a policy says what its columns are.
    VerificationError
        When it does not prove what its certificate says, each line says where; or when it was not made from this original, or
        for another policy.

    Examples
    --------
    >>> import tempfile
    >>> import polars as pl, likeness as lk
    >>> table = pl.DataFrame({"age": [30, 31, 60, 61], "disease": ["flu", "cold", "flu", "cold"]})
    >>> columns = {"age": lk.quasi(), "disease": lk.sensitive()}
    >>> release = lk.anonymize(table, lk.Policy(columns=columns, privacy=lk.KAnonymity(2)), seed=7)
    >>> with tempfile.TemporaryDirectory() as place:
    ...     opened = lk.open_release(release.write(place + "/out"))
    ...     again = lk.open_release(place + "/out", table)
    >>> opened.posterior({"age": 30})
    {'disease': {'cold': 0.5, 'flu': 0.5}}
    >>> again.loss() == release.loss(), again.attack("linkage") == release.attack("linkage")
    (True, True)
    """
    layout = find_layout(folder)
    if original is None and policy is not None:
        raise InvalidError(
            "policy: is for a release that is opened with its original; give original=, or verify(folder, policy=…)"
        )
    try:
        public = read_public(layout)
        in_parts = public.certificate is not None and is_in_parts(public.certificate.files)
        if original is None or public.certificate is None:
            verdict = judge(public, None, None, None)
            return _opened(_row_by_row(public) if in_parts else public, verdict, folder)
        if in_parts:
            raise InvalidError(OF_COUNTS.format(folder))
        steward = None if layout.private is None else read_private(layout, layout.private, public)
    except OSError as problem:
        raise InvalidError(f"{folder}: cannot be read ({problem.strerror or problem})") from None
    reading = {} if steward is None or steward.audit is None else steward.audit.reading
    return _rejoined(
        public, steward, read_again(original, reading), None if policy is None else as_policy(policy), folder
    )


OF_COUNTS = (
    "{}: was made of counts, so nobody knows which row is whose; verify compares it with its original. To measure or attack a "
    "release, anonymize a sample in memory"
)
"""What is said of a release in parts beside its original."""


def _row_by_row(public: PublicPart) -> PublicPart:
    """Give every row of a release in parts a row of its own, as often as it was counted: they must fit in memory."""
    table, form, certificate = public.tables.get(PARTS), public.form, public.certificate
    if (
        table is None
        or table.copies is None
        or form is None
        or certificate is None
        or public.publication is None
    ):
        return public
    rows = np.repeat(np.arange(table.height), table.copies)
    whole = Table(table.take(rows, table.names), source=table.source, library="polars")
    notes = {note.name: note for note in certificate.columns.notes}
    tables = {**public.tables, PARTS: whole}
    shown = {name: labelled_columns(own, notes) for name, own in tables.items()}
    return replace(public, tables=tables, publication=form.read(shown, certificate.columns))


def _opened(
    public: PublicPart,
    verdict: Verdict,
    folder: str | Path,
    private: Private | None = None,
    original: Encoded | None = None,
) -> Release:
    """Make a release of what was read, once nothing is wrong with it."""
    verdict.raise_if_failed()
    if public.certificate is None or public.publication is None:
        raise VerificationError(f"{folder}: cannot be understood")
    tables = {
        name: _columns(name, table, public.certificate, as_made=private is not None)
        for name, table in public.tables.items()
    }
    return Release(tables, public.certificate, public.publication, verdict, private, original)


def _columns(
    name: str, table: Table, certificate: Certificate, *, as_made: bool
) -> Mapping[str, Labelled | EncodedColumn]:
    """Take the columns of a published table, numbers as numbers where the certificate says what they are.

    As they were made, the numbers that the form and pseudonyms bring are numbers too; anybody else has them as texts in CSV.
    """
    form, notes = certificate.make_form(), {note.name: note for note in certificate.columns.notes}
    kinds = {
        note.name: note.kind
        for note in notes.values()
        if note.kind in NUMERIC
        and (note.role == "sensitive" or (note.role == "quasi" and form.publishes_exactly))
    }
    kinds |= {
        note.name: mean_kind(note)
        for note in certificate.columns.with_role("quasi")
        if form.shows(note.kind, note.shape) == "mean"
    }
    brought = form.keys_in(name, certificate.columns)
    if name in form.undescribed and not (as_made and brought):
        return labelled_columns(table, notes)
    if as_made:
        kinds |= dict.fromkeys((*form.leading, *brought), "integer")
        kinds |= {note.name: "integer" for note in notes.values() if note.role in {"pseudonym", "added"}}
        pairs = {f"{note.name}_{end}": note.kind for note in notes.values() for end in ("low", "high")}
        kinds |= {pair: kind for pair, kind in pairs.items() if pair in brought}
        for word in form.words_in(name, certificate.columns):
            del kinds[word]
    columns: dict[str, Labelled | EncodedColumn] = {}
    for own in table.names:
        column = table.as_it_is(own)
        if column.kind != "text":
            columns[own] = column
        else:
            # Where a mean is not told, all are texts.
            plain = own in kinds and EVERYTHING not in column.values
            columns[own] = _numbers(column, kinds[own]) if plain else as_labelled(column)
    return columns


def _numbers(column: EncodedColumn, kind: str) -> EncodedColumn:
    """Read the texts of numbers or dates; empty cells are null."""
    present = np.array([text != "" for text in column.values], np.bool_)
    numbers = parse_numbers(kind, [str(text) for text in column.values[present]], column.name)
    values, codes = np.unique(numbers, return_inverse=True)
    recode = np.full(present.size + 1, -1, np.int32)
    recode[:-1][present] = codes
    return EncodedColumn(column.name, kind, recode[column.codes], values)


def _rejoined(
    public: PublicPart,
    steward: PrivatePart | None,
    original: Table,
    asked: Policy | None,
    folder: str | Path,
) -> Release:
    """Put a release beside its original again."""
    if steward is None and asked is None:
        raise InvalidError(
            f"{folder}: there is no private/ here to say what the columns are; give the policy (policy=, --policy)"
        )
    audit = None if steward is None else steward.audit
    policy = asked or (None if steward is None else steward.policy)
    encoded = None
    if policy is not None:
        located = locate_records(policy, original, audit)
        encoded = _encoded(original, located, audit, folder, is_kept=asked is None)
        policy = located.naming(_named(original, encoded))
    if steward is not None and audit is not None and asked is not None:
        named = asked.naming(audit.content["policy"]["columns"])
        steward.refusals += compare_policy(public, steward, named)
    verdict = judge(public, steward, encoded if steward is not None else None, policy)
    verdict.raise_if_failed()
    if encoded is None or public.publication is None:
        raise InvalidError(f"{folder}: cannot be understood; likeness verify says why")
    if audit is None or steward is None or steward.class_map is None:
        return _opened(public, verdict, folder, original=encoded)
    # What was known then is kept with the release; what it was learnt from may have changed.
    known = tuple(own.take(encoded.data.rows) for own in steward.knowledge)
    encoded = replace(encoded, data=replace(encoded.data, knowledge=known))
    # What may be said otherwise, or not at all, is taken as it was.
    kept = audit.written_policy
    policy = (asked or kept).replace(seed=kept.seed, output=kept.output, records=kept.records)
    main, policy = next(iter(public.tables)), policy.naming(_named(original, encoded))
    private = _private(main, public.publication, encoded, policy, audit, steward.class_map)
    if asked is None:
        private = replace(private, kept=audit.policy.naming(_named(original, encoded)))
    proven = private.prove(public.publication)
    return _opened(public, replace(proven, statements=verdict.statements), folder, private)


def _named(original: Table, encoded: Encoded) -> tuple[str, ...]:
    """Columns that a policy names: of an original that was counted not all are encoded."""
    own = encoded.table.names
    return (*dict.fromkeys((*original.names, *own)),) if encoded.table.ordered else own


def _encoded(
    original: Table, policy: Policy, audit: Audit | None, folder: str | Path, *, is_kept: bool
) -> Encoded:
    """Encode the original as a policy says; a table that does not fit the policy kept with a release is another one."""
    # A second table that is not there says nothing about the first.
    if audit is not None and audit.is_ordered:
        memory = engine_for(original, "memory")
        found = find_counted(memory, original, policy)
        encoding = partial(encode_counted, memory, found, policy, Progress())
    else:
        encoding = partial(encode, join_records(original, policy), policy)
    try:
        encoded = encoding()
    except InvalidError as problem:
        if audit is None or not is_kept:
            raise
        why = other_columns(original.names, audit) or problem.problems[0]
        raise _another(original, folder, why) from None
    if audit is not None and is_kept:
        _refuse_another(encoded, audit, original, folder)
    return encoded


def _refuse_another(encoded: Encoded, audit: Audit, original: Table, folder: str | Path) -> None:
    """Refuse a table that a release was not made from in one line: every cell would be wrong."""
    known = audit.content["original"]
    if known["rows"] != encoded.table.height:
        raise _another(
            original, folder, f"it has {count(encoded.table.height, 'row')}, not {known['rows']:,}"
        )
    if known["sha256"] != content_digest(encoded):
        raise _another(
            original, folder, "it has as many rows, but other values, or the same in another order"
        )


def _another(original: Table, folder: str | Path, why: str) -> VerificationError:
    """Say that a release was made from another table."""
    return VerificationError(f"{original.source} is not the table that {folder} was made from: {why}")


def _private(
    main: str,
    publication: Publication,
    encoded: Encoded,
    policy: Policy,
    audit: Audit,
    class_map: ClassMap,
) -> Private:
    """Take what only the steward has from the original and the private files."""
    data, method = encoded.data, audit.method
    of_row = np.full(encoded.table.height, -1, np.int64)
    of_row[data.rows] = np.arange(data.size)
    records = of_row[class_map.original_row]
    if publication.rows is not None:
        # The first record of each person stands for it.
        records = records[np.unique(class_map.row_of_record, return_index=True)[1]]
    plan = _plan(data, audit, class_map)
    plan = replace(plan, added=_added(data, publication, records, class_map))
    if publication.mechanism is not None:
        plan = _with_mechanism(plan, publication, data, records, publication.mechanism)
    if method.bounds_regions:
        plan = _with_bounds(plan, publication, data, records)
    plan, regions = recode(data, plan)
    solution = Solution(plan, regions, _requirements(encoded, policy, plan))
    if plan.added is not None:
        records[class_map.copies_row] = -1 - np.arange(plan.added.size)
    return Private(encoded, policy, method, solution, {main: records}, audit.entropy, audit.candidates)


def _added(
    data: Microdata, publication: Publication, records: NDArray[np.int64], class_map: ClassMap
) -> Added | None:
    """Take the records that nobody is from whom they copy, with their values: those of their classes that are no record's."""
    if class_map.copies is None or class_map.copies_row is None:
        return None
    places = class_map.copies_row
    somebody = np.ones(publication.size, np.bool_)
    somebody[places] = False
    order = np.argsort(publication.classes[places], kind="stable")
    sensitive = np.empty((len(data.sensitive), places.size), np.int32)
    for domain, codes in zip(publication.sensitive, publication.sensitive_codes, strict=True):
        j = data.sensitive_index(domain.name)
        width = data.sensitive[j].codes
        shown = exact_codes(domain, data.sensitive[j])[codes]
        number, times = np.unique(publication.classes * width + shown, return_counts=True)
        own = publication.classes[somebody] * width + data.sensitive_codes[j][records[somebody]]
        np.subtract.at(times, np.searchsorted(number, own), 1)
        sensitive[j, order] = np.repeat(number, times) % width
    return Added(records[places], sensitive)


def _plan(data: Microdata, audit: Audit, class_map: ClassMap) -> Plan:
    """Take who is with whom, and why others are withheld, from a class map; reasons in the order of the audit."""
    because = class_map.withheld_because
    because = {why: because[why] for why in {**audit.content["counts"]["withheld"], **because}}
    number = {why: i for i, why in enumerate(because)}
    known = audit.reasons
    of_reason = np.array([number.get(why, -1) for why in class_map.reasons], np.int32)
    classes = class_map.classes[data.rows]
    used = distinct(classes[classes >= 0])
    if used.size and not np.array_equal(used, np.arange(used.size)):
        raise InvalidError("private/classes.parquet: its classes are not numbered from 0")
    return Plan(
        classes,
        None if class_map.buckets is None else class_map.buckets[data.rows],
        because={known[why]: many for why, many in because.items()},
        reasons=np.where(classes < 0, of_reason[class_map.reason[data.rows]], -1).astype(np.int32),
    )


def _with_bounds(plan: Plan, publication: Publication, data: Microdata, records: NDArray[np.int64]) -> Plan:
    """Add what the published regions cover, where they are wider than their classes' members."""
    bounds = np.stack([data.codes, data.codes])
    for cells, j in shared_cells(publication, data):
        if data.quasi[j].shown != "region":
            continue
        reach = reach_of(cells, data.quasi[j])
        of = cells.of[publication.identities]
        low, high = reach.low[of], reach.high[of]
        if reach.is_set:
            low, high = reach.members[low], reach.members[high - 1]
        bounds[0, j, records], bounds[1, j, records] = low, high
    return replace(plan, bounds=bounds)


def _with_mechanism(
    plan: Plan, publication: Publication, data: Microdata, records: NDArray[np.int64], mechanism: Mechanism
) -> Plan:
    """Add the published values and how they were drawn, in the codes of the original."""
    to_original = exact_codes(publication.sensitive[0], data.sensitive[0])
    sensitive = data.sensitive_codes.copy()
    sensitive[0, records] = to_original[publication.sensitive_codes[0]]
    moved = mechanism.moved(to_original, data.sensitive[0].codes)
    return replace(plan, sensitive=sensitive, mechanism=moved)


def _requirements(encoded: Encoded, policy: Policy, plan: Plan) -> tuple[Requirement, ...]:
    """Bind the guarantee as the search did: to the records, or individuals, that are published."""
    units = encoded.data.units
    shown = plan.published
    if units.members is not None:
        shown = np.zeros(units.size, np.bool_)
        shown[units.members.of[plan.published]] = True
    here = units if shown.all() else units.take(np.flatnonzero(shown))
    return require_of(encoded.name_models(policy.privacy), here, units)
