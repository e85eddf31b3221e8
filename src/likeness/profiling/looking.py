"""Look at a table and propose a policy for it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from likeness.errors import PolicyError, TableError, suggestion
from likeness.policy.column import Role
from likeness.profiling.cells import read_cells
from likeness.profiling.findings import PUBLISHED, describe, find_links, redundant
from likeness.profiling.meaning import MANY, interpret
from likeness.profiling.persons import find_persons, individual_of, measure_uniqueness, tells_apart
from likeness.profiling.reach import measure_reach, propose_guarantee
from likeness.profiling.result import Profile
from likeness.report.finding import Finding
from likeness.tables import Table, read
from likeness.wording import count

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from likeness.profiling.cells import Cells
    from likeness.profiling.findings import ColumnProfile, Link
    from likeness.profiling.meaning import Meaning
    from likeness.profiling.persons import Persons, Uniqueness
    from likeness.profiling.reach import StrongestParameters


def profile(table: Any, *, roles: Mapping[str, str] | None = None) -> Profile:
    """Look at a table and propose a policy for it: roles, kinds, hierarchies, a guarantee, each with its reason.

    Counts are of all records. Only the patterns that tell e-mail addresses, names and the like are tried on a
    sample, at most 10,000 distinct values of a column, evenly spread.

    The proposal is careful: what nothing is known about is a quasi-identifier, nearly unique texts are identifiers or
    dropped, nothing is proposed as ``other``, and no marker of missing values is applied unless the column cannot be
    read without it. It is a proposal all the same: only the steward knows what an adversary may know.

    Parameters
    ----------
    table
        A polars, pandas or Arrow frame, a path, or what `likeness.read` returned.
    roles
        Roles that are decided, by column; the others are proposed. Columns given the role ``other`` that could
        identify people are warned of.

    Returns
    -------
    Profile
        Its ``policy_yaml()`` is accepted by `anonymize` for this table as it is.

    Raises
    ------
    TableError
        When the table cannot be read.
    PolicyError
        When `roles` names a column or a role that there is not.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"name": ["Ann", "Bob"], "zip": ["02139", "02141"], "visit": [1, 2]})
    >>> found = profile(frame, roles={"visit": "other"})
    >>> [(column.name, column.role) for column in found.columns]
    [('name', 'identifier'), ('zip', 'quasi'), ('visit', 'other')]
    """
    original = table if isinstance(table, Table) else read(table)
    given = _checked(roles or {}, original)
    cells = _read_all(original)
    meanings = {name: interpret(own) for name, own in cells.items()}
    supposed = {name: _as_given(own, given.get(name)) for name, own in meanings.items()}
    persons = find_persons(cells, supposed)
    person = None if persons.column is None else cells[persons.column]
    published = {
        name: own for name, own in cells.items() if supposed[name].role in PUBLISHED and own.distinct
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
    dropped = redundant(links, supposed, reaches, given)
    columns = tuple(
        describe(own, meanings[name], given.get(name), dropped.get(name), links)
        for name, own in cells.items()
    )
    return _assemble(original, published, columns, links, persons, person, reaches)


def _assemble(
    table: Table,
    published: Mapping[str, Cells],
    columns: tuple[ColumnProfile, ...],
    links: tuple[Link, ...],
    persons: Persons,
    person: Cells | None,
    reaches: Mapping[str, StrongestParameters],
) -> Profile:
    """Measure what the columns that stay single out and can meet."""
    names = {
        role: [own.name for own in columns if own.role == role and own.name in published]
        for role in PUBLISHED
    }
    quasi, sensitive = ({name: published[name] for name in names[role]} for role in PUBLISHED)
    uniqueness = measure_uniqueness(quasi, person)
    reach = tuple(reaches[name] for name in sensitive)
    counted = individual_of(persons, columns) is not None
    return Profile(
        _title(table),
        table.height,
        _size(table.held),
        columns,
        links,
        persons,
        uniqueness,
        reach,
        propose_guarantee(table.height, persons, sensitive, reach, of_people=counted),
        tuple(_findings(table.height, persons, columns, uniqueness, reach, of_people=counted)),
    )


def _as_given(meaning: Meaning, role: str | None) -> Meaning:
    """Take a column for what the steward says it is."""
    if role is None or role == meaning.role:
        return meaning
    return replace(meaning, role=role, looks_like="id" if role == "identifier" else meaning.looks_like)


def _checked(roles: Mapping[str, str], table: Table) -> dict[str, str]:
    """Refuse columns and roles that there are not, all at once."""
    known = get_args(Role)
    problems = [
        f"roles: {table.source} has no column {name!r}{suggestion(name, table.names)}"
        for name in roles
        if name not in table.names
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


def _title(table: Table) -> str:
    """Name of the file, without its folder, or what frame it is."""
    return table.source if table.format in {"frame", "database"} else Path(table.source).name


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
