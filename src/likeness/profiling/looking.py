"""Look at a table and propose a policy for it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from likeness.errors import PolicyError, TableError, suggestion
from likeness.policy.column import Role
from likeness.profiling.cells import read_cells
from likeness.profiling.findings import PUBLISHED, describe, determined_by, find_links, redundant
from likeness.profiling.header import without_header
from likeness.profiling.joined import bring_together, in_two_tables, title_of
from likeness.profiling.meaning import MANY, interpret
from likeness.profiling.persons import Persons, find_persons, individual_of, measure_uniqueness, tells_apart
from likeness.profiling.reach import measure_reach, propose_guarantee
from likeness.profiling.result import Profile
from likeness.report.finding import Finding
from likeness.tables import Table, read, read_as_said
from likeness.wording import count, quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likeness.profiling.cells import Cells
    from likeness.profiling.findings import ColumnProfile, Link
    from likeness.profiling.joined import JoinedRecords, PeopleWithRecords
    from likeness.profiling.meaning import Meaning
    from likeness.profiling.persons import Uniqueness
    from likeness.profiling.reach import StrongestParameters


def profile(
    table: Any,
    *,
    records: Any = None,
    on: str | None = None,
    key: str | None = None,
    reading: Mapping[str, Any] | None = None,
    roles: Mapping[str, str] | None = None,
) -> Profile:
    """Look at a table and propose a policy for it: roles, kinds, hierarchies, a guarantee, each with its reason.

    Counts are of all records. Only the patterns that tell e-mail addresses, names and the like are tried on a
    sample, at most 10,000 distinct values of a column, evenly spread.

    The proposal is careful: what nothing is known about is a quasi-identifier, nearly unique texts are identifiers or
    dropped, nothing is proposed as ``other``, and no marker of missing values is applied unless the column cannot be
    read without it, or it is a day such as 1900-01-01 that stands out by its number. It is a proposal all the same: only the
    steward knows what an adversary may know.

    Parameters
    ----------
    table
        A polars, pandas or Arrow frame, a path, or what `likeness.read` returned.
    records
        A second table with the records of the people of the first, as `table`. What it says of how many records people have
        is in ``joined``; the policy names both tables.
    on, key
        The column that names a person, and what the second table calls it; found when left out. Never a number of visits or
        cases.
    reading
        How the file of the second table is read, as a policy says it under ``records``: ``delimiter``, ``encoding`` …
    roles
        Roles that are decided, by column; the others are proposed. Columns given the role ``other`` that could
        identify people are warned of.

    Returns
    -------
    Profile
        Its ``policy_yaml()`` is accepted by `anonymize` for this table as it is; of a second table that is a frame it says
        in one line which file it is to be.

    Raises
    ------
    TableError
        When a table cannot be read, or no column joins the two.
    PolicyError
        When `roles`, `on` or `key` names a column or a role that there is not.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"name": ["Ann", "Bob"], "zip": ["02139", "02141"], "visit": [1, 2]})
    >>> found = profile(frame, roles={"visit": "other"})
    >>> [(column.name, column.role) for column in found.columns]
    [('name', 'identifier'), ('zip', 'quasi'), ('visit', 'other')]

    >>> people = pl.DataFrame({"patient": ["a", "b", "c"], "age": [31, 40, 52]})
    >>> visits = pl.DataFrame({"patient": ["a", "a", "b"], "disease": ["flu", "cold", "flu"]})
    >>> joined = profile(people, records=visits).joined
    >>> joined.on, joined.most, joined.without_records
    ('patient', 2, 1)
    """
    original = table if isinstance(table, Table) else read(table)
    if records is None:
        _refuse_unneeded(on=on, key=key, reading=reading)
        given = _checked(roles or {}, original.names, original.source)
        cells = _read_all(original)
        return _look(original, cells, given, None, without_header(original, cells))
    second = read_as_said(records, **reading) if reading else read(records)
    path = Path(records).as_posix() if isinstance(records, str | os.PathLike) else None
    if path is None and second.format not in {"frame", "database"}:
        path = Path(second.source).as_posix()
    names = dict.fromkeys((*original.names, *second.names))
    given = _checked(roles or {}, tuple(names), f"{original.source} with {second.source}")
    first = original, _read_all(original)
    other = second, _read_all(second)
    rows = bring_together(first, other, given, on=on, key=key, table=path, reading=reading or {})
    return _look(original, rows.cells, given, rows, [*without_header(*first), *without_header(*other)])


def _refuse_unneeded(**given: Any) -> None:
    """Refuse what is about a second table where there is none."""
    said = [name for name, value in given.items() if value]
    if said:
        raise PolicyError(
            f"{' and '.join(said)}: about a second table, and none is given; give records=, or leave it out"
        )


def _look(
    table: Table,
    cells: dict[str, Cells],
    given: Mapping[str, str],
    rows: PeopleWithRecords | None,
    read: list[Finding],
) -> Profile:
    """Look at columns; ``rows``: at those of two tables. ``read``: what is said of how they were read."""
    meanings = {name: interpret(own) for name, own in cells.items()}
    supposed = {name: _as_given(own, given.get(name)) for name, own in meanings.items()}
    if rows is None:
        persons = find_persons(cells, supposed)
        dropped: dict[str, str] = {}
        measured = cells
    else:
        supposed[rows.facts.on] = meanings[rows.facts.on] = _as_key(meanings[rows.facts.on], rows.facts)
        dropped = dict.fromkeys(rows.facts.both, _IN_BOTH)
        keep = rows.keeps_all(
            {name: "drop" if name in dropped else own.role for name, own in supposed.items()}
        )
        measured = rows.measured(cells, keep=keep)
        persons = _persons_of(measured[rows.facts.on], rows)
    person = None if persons.column is None else measured[persons.column]
    published = {
        name: own
        for name, own in measured.items()
        if supposed[name].role in PUBLISHED and own.distinct and name not in dropped
    }
    links = find_links(published, _one_record_each(person))
    # What the policy will count people by (`individual_of`), which is not known before what is dropped is.
    counted = (
        person
        if person is not None and tells_apart(supposed[person.name].role, meanings[person.name].looks_like)
        else None
    )
    reaches = {
        name: measure_reach(own, counted)
        for name, own in published.items()
        if supposed[name].role == "sensitive"
    }
    dropped |= redundant(links, supposed, reaches, given)
    columns = tuple(
        describe(own, meanings[name], given.get(name), dropped.get(name), links)
        for name, own in cells.items()
    )
    if rows is not None:
        columns = tuple(in_two_tables(columns, rows))
    found = _assemble(table, published, columns, links, persons, person, reaches, rows)
    return replace(found, findings=(*read, *found.findings))


_IN_BOTH = "stands in both tables, and a policy can name it once: rename it in one of them to keep it"


def _as_key(meaning: Meaning, facts: JoinedRecords) -> Meaning:
    """Take the column that joins two tables for what it is."""
    reason = (
        meaning.reason
        if meaning.role == "identifier"
        else f"joins the people to their records in {facts.second}"
    )
    return replace(meaning, role="identifier", looks_like="id", reason=reason, settings={}, finding=None)


def _persons_of(person: Cells, rows: PeopleWithRecords) -> Persons:
    """Say who has how many records of two tables."""
    return Persons(rows.duplicates, person.name, person.distinct, int(person.counts.max()))


def _assemble(
    table: Table,
    published: Mapping[str, Cells],
    columns: tuple[ColumnProfile, ...],
    links: tuple[Link, ...],
    persons: Persons,
    person: Cells | None,
    reaches: Mapping[str, StrongestParameters],
    rows: PeopleWithRecords | None,
) -> Profile:
    """Measure what the columns that stay single out and can meet."""
    names = {
        role: [own.name for own in columns if own.role == role and own.name in published]
        for role in PUBLISHED
    }
    quasi, sensitive = ({name: published[name] for name in names[role]} for role in PUBLISHED)
    uniqueness = measure_uniqueness(quasi, person)
    reach = tuple(reaches[name] for name in sensitive)
    counted = rows is not None or individual_of(persons, columns) is not None
    height = table.height if rows is None or person is None else person.height
    findings = _findings(height, persons, columns, uniqueness, reach, of_people=counted)
    if not counted:
        findings += _perhaps_people(columns, published)
    return Profile(
        title_of(table),
        height,
        _size(table.held) + (0 if rows is None else _size(rows.second.held)),
        columns,
        links,
        persons,
        uniqueness,
        reach,
        propose_guarantee(height, persons, sensitive, reach, of_people=counted),
        (*([] if rows is None else rows.facts.findings()), *findings),
        None if rows is None else rows.facts,
    )


def _as_given(meaning: Meaning, role: str | None) -> Meaning:
    """Take a column for what the steward says it is."""
    if role is None or role == meaning.role:
        return meaning
    return replace(meaning, role=role, looks_like="id" if role == "identifier" else meaning.looks_like)


def _checked(roles: Mapping[str, str], names: Sequence[str], source: str) -> dict[str, str]:
    """Refuse columns and roles that there are not, all at once."""
    if not isinstance(roles, Mapping):
        raise PolicyError(
            f"roles: must give columns their roles, such as {{'visit': 'other'}}; got {quoted(roles)}"
        )
    known = get_args(Role)
    problems = [
        f"roles: {source} has no column {name!r}{suggestion(name, names)}"
        for name in roles
        if name not in names
    ]
    problems += [
        f"roles: {name!r}: there is no role {role!r}{suggestion(str(role), known)}"
        for name, role in roles.items()
        if role not in known
    ]
    if problems:
        raise PolicyError(*problems)
    return dict(roles)


def _read_all(table: Table) -> dict[str, Cells]:
    """Read every column; all problems at once."""
    found: dict[str, Cells] = {}
    problems: list[str] = []
    for name in table.names:
        try:
            found[name] = read_cells(table, name)
        except TableError as problem:
            problems += problem.problems
    if problems:
        raise TableError(*problems)
    return found


def _one_record_each(person: Cells | None) -> NDArray[np.int64] | None:
    """First record of every person, where people have several; else None, for all."""
    return None if person is None else np.unique(person.codes, return_index=True)[1]


def _size(frame: Any) -> int:
    """Bytes of a polars or pandas frame or a pyarrow table."""
    if hasattr(frame, "estimated_size"):
        return int(frame.estimated_size())
    if hasattr(frame, "nbytes"):
        return int(frame.nbytes)
    return int(frame.memory_usage(index=True, deep=False).sum())


def _findings(
    records: int,
    persons: Persons,
    columns: tuple[ColumnProfile, ...],
    uniqueness: Uniqueness,
    reach: tuple[StrongestParameters, ...],
    *,
    of_people: bool,
) -> list[Finding]:
    """What the steward should look at, about the table as a whole."""
    found: list[Finding] = []
    if persons.column is not None:
        facts = {
            "people": persons.people, "column": persons.column, "most": persons.most, "of_people": of_people,
        }  # fmt: skip
        found.append(Finding("several-records", facts, _several_records))
    if persons.duplicates:
        words = "exact duplicates of earlier records: {records:,}"
        found.append(Finding("duplicates", {"records": persons.duplicates}, words.format))
    if uniqueness.together is None:
        words = "no quasi-identifier is left to generalize; give role: quasi to what others may know"
        found.append(Finding("no-quasi-identifier", {}, words.format))
    if not any(column.role in {*PUBLISHED, "other"} for column in columns):
        words = "nothing would be published: every column is dropped or an identifier"
        found.append(Finding("nothing-published", {}, words.format))
    if not reach:
        words = (
            "no column looks sensitive, and k-anonymity does not keep all people of a class from sharing a value; "
            "give role: sensitive to what nobody should learn"
        )
        found.append(Finding("nothing-sensitive", {}, words.format))
    if records < MANY:
        found.append(Finding("few-records", {"records": records}, _few_records))
    words = (
        "{column!r} looks like survey weights; weights: {column} would count people by them in the information loss, and in "
        "estimates, too, where they are published (role: other)"
    )
    weights = [column.name for column in columns if column.looks_like == "survey weights"]
    return found + [Finding("survey-weights", {"column": name}, words.format) for name in weights]


_TELLS = 3
"""Other columns that a column determines from which it may number people whom nothing else does."""


def _perhaps_people(columns: tuple[ColumnProfile, ...], published: Mapping[str, Cells]) -> list[Finding]:
    """Ask about columns nothing is known of, that determine several others and repeat: people with several records do so."""
    found = []
    for own in columns:
        cells = published.get(own.name)
        if cells is None or own.looks_like not in {"number", "category"} or cells.distinct < MANY:
            continue
        told = determined_by(cells, published)
        if len(told) >= _TELLS:
            facts = {"column": own.name, "told": told}
            found.append(Finding("may-number-people", facts, _may_number_people))
    return found


def _may_number_people(*, column: str, told: Sequence[str]) -> str:
    """Ask whether a column numbers people."""
    return (
        f"{column!r} determines {', '.join(told)}: if it numbers people who have several records, say so "
        f"(--role {column}=identifier), so that classes count people"
    )


def _several_records(*, people: int, column: str, most: int, of_people: bool) -> str:
    """Say that people have several records, and what classes count."""
    counted = (
        f"Classes count people, because the policy says individual: {column}"
        if of_people
        else "Classes count records, not people, until the policy says individual: the identifier of each person"
    )
    return f"people have several records: {count(people, 'value')} of {column!r}, up to {count(most, 'record')} each. {counted}"


def _few_records(*, records: int) -> str:
    """Say that shares of few records say little."""
    return f"with only {count(records, 'record')}, shares say little about the columns"
