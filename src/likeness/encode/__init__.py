"""From a table and a policy to microdata: every value checked, every dropped record counted."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.encode.column import (
    EncodedAttribute,
    EncodeError,
    categorize,
    check_order,
    encode_attribute,
    protect_only,
)
from likeness.encode.individuals import (
    DUPLICATES,
    NO_RECORDS,
    HygieneCounts,
    RowIndividuals,
    count_individuals,
    find_row_individuals,
    missing_value,
    put_in_order,
)
from likeness.encode.lattice import on_lattice, that_grows
from likeness.errors import (
    MOST_PROBLEMS,
    CannotBeMetError,
    LikenessError,
    PolicyError,
    Refusal,
    TableError,
    suggestion,
)
from likeness.forms.base import RESERVED
from likeness.microdata.data import Microdata
from likeness.microdata.grouping import count_copies
from likeness.models.base import SensitiveModel
from likeness.models.requirements import one_a_column, one_a_source
from likeness.policy.files import write_yaml
from likeness.published.columns import Coded, ColumnNote, PublishedColumns, note_on
from likeness.tables import JoinedTable, Table, ToJoin, join, read_as_said
from likeness.wording import count, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from likeness.forms.base import Form
    from likeness.microdata.domain import Domain
    from likeness.microdata.plan import Reason
    from likeness.models.base import PrivacyModel
    from likeness.policy import Missing, Policy
    from likeness.policy.sections import Records
    from likeness.tables import Columned

_TOLD = "the release would tell that there was somebody"
_FEW = 3
_PASTED = 1_000
"""Columns that a policy does not name, each of which has a line of its own; more are told in one."""
_LINKED = ("class",)
"""Names that releases use themselves where people may have several records."""


@dataclass(frozen=True, eq=False)
class Encoded:
    """A table, encoded as its policy says.

    ``data``: the records that go on, in the order of the table; attributes have the names they are published under.
    ``table``: the original.
    ``because``: reasons for dropping records before anything was searched, with the number of records each; ``dropped`` has
    them in words.
    ``missing``: column to the number of its missing values, where there were any.
    ``renamed``: column to the name it is published under, where that differs.
    ``roles``: column to its role, in the order of the table.
    ``reasons``: (rows of the table,) int32, position in ``because`` of each dropped row's reason, -1 for rows that go on;
    None where none is dropped.
    ``survey_weights``, ``individual``: the column of survey weights, and the one that names a person where people may have
    several records (``data.individuals`` numbers them); None where there is none.
    ``hygiene``: what was found and done about people with several records.
    ``without_records``: (rows of the table,) bool, rows that are no records, but people of the first of two tables who
    have none in the second; None where there are no such rows.
    """

    data: Microdata
    table: Table
    because: dict[Reason, int] = field(default_factory=dict)
    missing: dict[str, int] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict)
    roles: dict[str, str] = field(default_factory=dict)
    reasons: NDArray[np.int32] | None = None
    survey_weights: str | None = None
    individual: str | None = None
    hygiene: HygieneCounts | None = None
    without_records: NDArray[np.bool_] | None = None

    @cached_property
    def record_of(self) -> NDArray[np.int64]:
        """(rows of the table,) Record of ``data`` that each row is, by position; -1 for rows that were dropped."""
        found = np.full(self.table.height, -1, np.int64)
        found[self.data.rows] = np.arange(self.data.size)
        return found

    @property
    def is_written_out(self) -> bool:
        """Whether records that were counted have a row of ``data`` each, for a search that tells them apart."""
        return self.table.copies is not None and self.data.copies is None

    @property
    def input_records(self) -> int:
        """Records of the input: rows of the table that are not people without any."""
        people = 0 if self.without_records is None else int(self.without_records.sum())
        return self.table.records - people

    @property
    def dropped(self) -> dict[str, int]:
        """Why rows are dropped before anything is searched, in words, with the number of rows each."""
        return {str(reason): number for reason, number in self.because.items()}

    @property
    def dropped_records(self) -> dict[str, int]:
        """Reason to the number of records dropped before anything was searched; people without records are none."""
        return {str(reason): number for reason, number in self.because.items() if reason != NO_RECORDS}

    def with_role(self, role: str) -> list[str]:
        """Columns of one role, in the order of the table."""
        return [name for name, own in self.roles.items() if own == role]

    def pseudonyms(self, policy: Policy) -> list[str]:
        """Identifiers that a policy publishes as random numbers, in the order of the table."""
        return [name for name in self.with_role("identifier") if policy.columns[name].action == "pseudonym"]

    def published_name(self, name: str) -> str:
        """Name a column is published under."""
        return self.renamed.get(name, name)

    def dtype(self, published: str) -> Any:
        """Tell the type of the original of a published column; None where it has none, or is text (`Table.dtype`)."""
        name = self.original_name(published)
        # Numbers of a form's own may have the name of a column that is published under another one.
        same = name in self.table.names and self.published_name(name) == published
        return self.table.dtype(name) if same else None

    def original_name(self, published: str) -> str:
        """Name in the table of a column that is published under another."""
        return next((name for name, fresh in self.renamed.items() if fresh == published), published)

    def name_models(self, models: Iterable[PrivacyModel]) -> tuple[PrivacyModel, ...]:
        """Let models cover one column, and one source of knowledge, each, under the name it is published under."""
        named = (
            replace(model, sensitive=self.renamed[model.sensitive])
            if isinstance(model, SensitiveModel) and model.sensitive in self.renamed
            else model
            for model in models
        )
        each = one_a_column(named, [domain.name for domain in self.data.sensitive])
        return one_a_source(each, [(own.sensitive, own.name) for own in self.data.knowledge])


def encode(table: Table, policy: Policy) -> Encoded:
    """Encode a table; where the policy has a second table with the records, it is read and joined first.

    Raises `PolicyError`, `TableError` or `HierarchyError` with every problem found, one line each: columns the policy does
    not name or the table does not have, values of the wrong kind or outside a declared domain, missing values where none
    are allowed, gaps in hierarchies, records of nobody and what the hygiene rules make an error.
    """
    table = join_records(table, policy)
    policy = policy.naming(table.names)
    check_columns(table, policy)
    if table.height == 0:
        raise TableError(f"{table.source}: there are no records")
    people = None if policy.individual is None else find_row_individuals(table, policy)
    recoding = "tight" if policy.form is None else policy.form.recoding
    steps = (None if policy.form is None else policy.form.steps) or {}
    attained = None if policy.form is None else policy.form.attained
    folder = policy.folder or Path()
    problems: list[str] = [] if people is None else list(people.problems)
    if attained is not None and people is not None:
        problems.append(
            "form: attained counts records, and individual: says that people have several; leave attained out, or declare steps "
            "(recoding: grid)"
        )
    problems += [
        f"form: steps: {name!r} is no quasi-identifier of the policy"
        for name in steps
        if name not in policy.columns or policy.columns[name].role != "quasi"
    ]
    error: type[LikenessError] = PolicyError
    found: dict[str, EncodedAttribute] = {}
    for name in table.names:
        column = policy.columns[name]
        if column.role not in {"quasi", "sensitive"}:
            continue
        try:
            attribute = encode_attribute(
                table, name, column, missing_in(table, policy, name), recoding, folder,
                dropped=None if people is None else people.dropped,
            )  # fmt: skip
            if column.role == "quasi" and name in steps:
                attribute = on_lattice(attribute, steps[name])
            if column.role == "quasi" and attained is not None:
                attribute = that_grows(attribute, attained, column)
            if name in policy.categories:
                domain = categorize(attribute.domain, policy.categories[name], folder)
                attribute = attribute._replace(domain=domain)
            check_order(attribute.domain)
            if column.values is not None:
                attribute = attribute._replace(domain=protect_only(attribute.domain, column.values))
        except EncodeError as problem:
            problems.extend(problem.problems)
        except LikenessError as problem:
            problems.extend(problem.problems)
            error = type(problem)
        else:
            found[name] = attribute
    if problems:
        raise error(*problems)
    encoded = _assemble(table, policy, found, people)
    _refuse_what_nobody_has(encoded)
    return _show(_prepare(encoded, policy), policy)


def _refuse_what_nobody_has(encoded: Encoded) -> None:
    """Refuse categories that nobody has, which are counted by what is asked by category, and columns without protected values."""
    problems = []
    for domain, codes in zip(encoded.data.sensitive, encoded.data.sensitive_codes, strict=True):
        if not _somebody_protected(domain, codes):
            problems.append(
                f"column {domain.name!r}: nobody has any of the values that are sensitive; give it role: other"
            )
        problems += [
            f"column {domain.name!r}: nobody has the category {quoted(label)}; join it with another one, or remove it"
            for label in _without_anybody(domain, codes)
        ]
    if problems:
        raise PolicyError(*problems)


def _somebody_protected(domain: Domain, codes: NDArray[np.integer]) -> bool:
    """Whether anybody has a value that needs protection."""
    return domain.protected is None or bool(domain.protected[codes].any())


def _without_anybody(domain: Domain, codes: NDArray[np.integer]) -> list[str]:
    """List the categories of which no record has a value."""
    if domain.categories is None:
        return []
    rank = domain.categories.rank
    there = {rank[domain.labels[code]] for code in np.unique(codes).tolist()}
    return [label for number, label in enumerate(domain.categories.labels) if number not in there]


def _prepare(encoded: Encoded, policy: Policy) -> Encoded:
    """Make the table that the policy's method publishes; the records it leaves out are dropped."""
    if policy.method is None:
        return encoded
    try:
        data, reason = policy.method.prepared(encoded.data)
    except PolicyError as problem:
        raise PolicyError(*problem.within(policy.method.name)) from None
    left_out = encoded.data.size - data.size
    if reason is None or not left_out:
        return replace(encoded, data=data)
    reasons = (
        np.full(encoded.table.height, -1, np.int32) if encoded.reasons is None else encoded.reasons.copy()
    )
    gone = np.zeros(encoded.table.height, np.bool_)
    gone[encoded.data.rows] = True
    gone[data.rows] = False
    reasons[gone] = len(encoded.because)
    return replace(encoded, data=data, because={**encoded.because, reason: left_out}, reasons=reasons)


def _show(encoded: Encoded, policy: Policy) -> Encoded:
    """Note what the policy's form shows of each quasi-identifier."""
    form, data = policy.form, encoded.data
    if form is None:
        return encoded
    quasi = tuple(replace(domain, shown=form.shows(domain.kind, domain.shape)) for domain in data.quasi)
    return replace(encoded, data=replace(data, quasi=quasi))


def read_records(records: Records, folder: Path | None) -> Table:
    """Read the second table of a policy; a relative path is meant from the policy's ``folder``. Raises `TableError`."""
    try:
        return read_as_said((folder or Path()) / records.table, **records.reading)
    except TableError as problem:
        raise TableError(*problem.within("records")) from None


def join_records(table: Table, policy: Policy, second: Table | None = None) -> Table:
    """Join the second table of the policy, if it names one; a table that is joined already stays as it is.

    ``second``: that table, where it was read before. Raises `TableError` where it cannot be read, or they cannot be joined.
    """
    records = policy.records
    if records is None or isinstance(table, JoinedTable):
        return table
    second = read_records(records, policy.folder) if second is None else second
    columns = policy.naming([*table.names, *second.names]).columns
    unused = {name for name, column in columns.items() if column.role == "drop"} - {policy.weights}
    return join(
        table,
        second,
        records.on,
        key=records.key,
        missing=policy.missing_of(records.on).markers,
        missing_in_second=policy.missing_of(records.on, in_records=True).markers,
        unused=unused,
    )


def missing_in(table: Table, policy: Policy, name: str) -> Missing:
    """Say which cells of a column of a table are missing: a second table may have markers of its own."""
    return policy.missing_of(name, in_records=isinstance(table, JoinedTable) and table.from_second(name))


def _say_unnamed(table: Columned, unnamed: list[str]) -> list[str]:
    """Say which columns a policy does not name: of many at once, with the lines that name them below."""
    if len(unnamed) <= _FEW:
        return [
            f"{table.source}: the policy does not name column {name!r}; add it under columns with a role "
            "(role: drop leaves it out)"
            for name in unnamed
        ]
    shown = ", ".join(map(quoted, unnamed[:_FEW]))
    pasted = write_yaml({"columns": {name: {"role": "drop"} for name in unnamed[:_PASTED]}}).splitlines()[1:]
    if len(unnamed) > _PASTED:
        pasted.append(f"  # and {len(unnamed) - _PASTED:,} more")
    line = (
        f"{table.source}: the policy does not name {len(unnamed):,} of {count(len(table.names), 'column')}: {shown} and "
        f"{count(len(unnamed) - _FEW, 'other')}; add these lines under columns, with another role for what is to be published:"
    )
    return ["\n".join([line, *pasted])]


def _undivided(table: Table, absent: list[str]) -> Refusal | None:
    """Say that a delimiter that was given divides nothing, where the only column is named after several of the policy's."""
    given = table.reading.get("delimiter")
    if given is None or len(table.names) > 1 or sum(name in table.names[0] for name in absent) < 2:
        return None
    what = f"the delimiter {given!r} divides nothing: there is one column, {quoted(table.names[0])}"
    remedy = "leave the delimiter out (--delimiter), and it is found, or give the one that stands there"
    return Refusal(what, (table.source,), remedy=remedy)


def check_columns(table: Columned, policy: Policy) -> None:
    """Refuse tables and policies that do not name the same columns; `PolicyError` says which."""
    there = set(table.names)
    unnamed = [name for name in table.names if name not in policy.columns]
    absent = [name for name in policy.columns if name not in there]
    if isinstance(table, Table) and (told := _undivided(table, absent)):
        raise PolicyError(told)
    problems = _say_unnamed(table, unnamed)
    for number, name in enumerate(absent):
        if isinstance(table, JoinedTable | ToJoin) and name == table.key:
            problems.append(
                f"the policy names column {name!r}, which names people in {table.second.source}: that is {table.on!r}; leave it "
                "out"
            )
            continue
        # For problems that are only counted, nothing similar need be looked for.
        hint = suggestion(name, unnamed or table.names) if number < MOST_PROBLEMS else ""
        problems.append(f"the policy names column {name!r}, which {table.source} does not have{hint}")
    if problems:
        raise PolicyError(*problems)


def _assemble(
    table: Table,
    policy: Policy,
    found: dict[str, EncodedAttribute],
    people: RowIndividuals | None,
) -> Encoded:
    """Drop what is to be dropped and stack the columns."""
    reasons = np.full(table.height, -1, np.int32) if people is None else people.reason.copy()
    titles = [] if people is None else list(people.reasons)
    for name, attribute in found.items():
        if attribute.missing and attribute.treatment == "drop":
            reasons[(reasons < 0) & (attribute.codes < 0)] = len(titles)
            titles.append(missing_value(name))
    rows = np.flatnonzero(reasons < 0)
    if rows.size == 0:
        why = (
            "every record has a missing value"
            if people is None
            else f"every record is one of {', '.join(map(str, titles))}"
        )
        raise TableError(f"{table.source}: {why} and is dropped; choose missing: category")
    roles: dict[str, str] = {name: policy.columns[name].role for name in table.names}
    renamed = {
        name: _free_name(name, table.names)
        for name in (*RESERVED, *(_LINKED if policy.individual is not None else ()))
        if name in table.names and roles[name] != "drop"
    }
    data = _stack(found, roles, renamed, rows)
    hygiene = None
    if people is not None:
        called = {fresh: name for name, fresh in renamed.items()}
        in_order = put_in_order(data, people.person[rows], policy.hygiene, table.where, called)
        if in_order.kept.size < rows.size:
            reasons[np.delete(rows, in_order.kept)] = len(titles)
            titles.append(DUPLICATES)
            data = data.take(in_order.kept)
        data = replace(data, codes=in_order.codes, individuals=in_order.individuals)
        sensitive = [own.codes >= 0 for name, own in found.items() if roles[name] == "sensitive"]
        has_value = np.any(sensitive, axis=0) if sensitive else ~people.without_records
        hygiene = count_individuals(people, in_order, has_value, policy.hygiene)
    if policy.weights is not None:
        data = replace(data, survey_weights=_survey_weights(table, policy.weights, data.rows))
    if table.copies is not None:
        data = replace(data, copies=table.copies[data.rows])
    missing = {name: own.missing for name, own in found.items() if own.missing}
    numbers = count_copies(reasons.astype(np.int64) + 1, table.copies, len(titles) + 1)[1:]
    return Encoded(
        data,
        table,
        dict(zip(titles, numbers.tolist(), strict=True)),
        missing,
        renamed,
        roles,
        None if data.size == table.height else reasons,
        policy.weights,
        policy.individual,
        hygiene,
        people.without_records if people is not None and people.without_records.any() else None,
    )


def _stack(
    found: dict[str, EncodedAttribute],
    roles: dict[str, str],
    renamed: dict[str, str],
    rows: NDArray[np.int64],
) -> Microdata:
    """Stack the columns of the rows that are kept."""

    def stack(role: str) -> tuple[tuple[Domain, ...], NDArray[np.int32]]:
        own = {name: attribute for name, attribute in found.items() if roles[name] == role}
        columns = np.zeros((len(own), rows.size), np.int32)
        for column, attribute in zip(columns, own.values(), strict=True):
            column[:] = attribute.codes if rows.size == attribute.codes.size else attribute.codes[rows]
            if attribute.domain.missing:
                column[column < 0] = attribute.domain.missing_code
        return tuple(replace(own[name].domain, name=renamed.get(name, name)) for name in own), columns

    return Microdata(*stack("quasi"), *stack("sensitive"), rows)


def _free_name(name: str, taken: tuple[str, ...]) -> str:
    """Name a column anew, because releases use its name themselves."""
    fresh = f"{name}_original"
    while fresh in taken:
        fresh += "_"
    return fresh


def _survey_weights(table: Table, name: str, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """Survey weight of every record."""
    column = table.encode(name)
    codes = column.codes[rows]
    if column.kind not in {"integer", "real"} or (codes < 0).any():
        raise PolicyError(f"weights: column {name!r} must hold a number for every record")
    numbers: NDArray[Any] = column.values.astype(np.float64)
    if (numbers < 0).any():
        raise PolicyError(f"weights: column {name!r} holds a negative weight")
    return np.asarray(numbers[codes], np.float64)


def refuse_telling(data: Microdata, kept: NDArray[np.bool_], models: Iterable[PrivacyModel] = ()) -> None:
    """Refuse to withhold everybody who has what a release names in any case: it would tell that there was somebody.

    Those are categories, values that need protection, and values that models name. ``kept`` (n,) is whether each record is
    published. Raises `CannotBeMetError`.
    """
    if not kept.any():
        return
    remedy = "weaken the guarantee"
    for domain, codes in zip(data.sensitive, data.sensitive_codes, strict=True):
        where = (f"column {domain.name!r}",)
        gone = _without_anybody(domain, codes[kept])
        if gone:
            what = f"everybody of the category {quoted(gone[0])} would have to be withheld"
            joined = f"{remedy}, or join the category with another one"
            raise CannotBeMetError(reasons=[Refusal(what, where, why=_TOLD, remedy=joined)])
        if not _somebody_protected(domain, codes[kept]):
            what = "everybody who has a sensitive value would have to be withheld"
            why = f"nothing would be left to protect, and {_TOLD}"
            raise CannotBeMetError(reasons=[Refusal(what, where, why=why, remedy=remedy)])
        for model in models:
            if not isinstance(model, SensitiveModel) or model.sensitive not in {None, domain.name}:
                continue
            named = model.named_values & {*domain.labels}
            # All values are looked through only where some are named.
            lost = named and named - {domain.label_of(code) for code in np.unique(codes[kept]).tolist()}
            if lost:
                what = f"everybody with {quoted(min(lost))}, whom {model.name} is about, would have to be withheld"
                raise CannotBeMetError(reasons=[Refusal(what, where, why=_TOLD, remedy=remedy)])


def describe_columns(
    encoded: Encoded,
    policy: Policy,
    form: Form,
    kept: NDArray[np.bool_],
    tables: Mapping[str, Iterable[str]],
) -> PublishedColumns:
    """Write the notes on all published columns, in the order of ``tables``: published tables and their columns.

    ``kept`` (n,) is whether each record is published. Columns that are none of the original's are noted as added; tables
    that the form leaves undescribed have no notes. Raises `CannotBeMetError` where everybody of a category is withheld: the
    note names all categories, and one that nobody has is refused, so that it would tell that somebody had it; or everybody
    who has a value that needs protection.
    """
    data = encoded.data
    refuse_telling(data, kept)
    coded = {
        encoded.published_name(name): Coded(column.bottom, column.top, column.round)
        for name, column in policy.columns.items()
    }
    known: dict[str, ColumnNote] = {}
    for domain, codes in zip(data.quasi, data.codes, strict=True):
        known[domain.name] = note_on(
            domain,
            "quasi",
            codes[kept],
            regions=not form.publishes_exactly,
            shown=domain.shown,
            coded=coded.get(domain.name, Coded()),
        )
    for domain, codes in zip(data.sensitive, data.sensitive_codes, strict=True):
        known[domain.name] = note_on(domain, "sensitive", codes[kept], coded=coded.get(domain.name, Coded()))
    weights = None if encoded.survey_weights is None else encoded.published_name(encoded.survey_weights)
    for name in map(encoded.published_name, encoded.with_role("other")):
        known[name] = ColumnNote(name, "other", survey_weight=name == weights)
    for name in map(encoded.published_name, encoded.pseudonyms(policy)):
        known[name] = ColumnNote(name, "pseudonym")
    names = dict.fromkeys(
        name for table, own in tables.items() if table not in form.undescribed for name in own
    )
    return PublishedColumns(tuple(known.get(name, ColumnNote(name, "added")) for name in names))
