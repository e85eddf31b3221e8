"""A table of people and one of their records: the column that joins them, and whose the records are.

The column that joins them names a person once in the first table and any number of times in the second. Names decide before
values do, and what numbers visits, cases or orders never joins people to their records.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from likeness.errors import PolicyError, TableError, suggestion
from likeness.profiling import meaning as words
from likeness.profiling.meaning import MANY
from likeness.profiling.persons import count_groups
from likeness.report.finding import Finding
from likeness.report.measured import size_ranges
from likeness.tables import Table, as_codes, join
from likeness.wording import count, quoted

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from numpy.typing import NDArray

    from likeness.profiling.cells import Cells
    from likeness.profiling.findings import ColumnProfile
    from likeness.tables import EncodedColumn, JoinedTable

_NAMED, _UNNAMED = 0.5, 0.95
"""Share of the rows of the first table that must have a value of their own: where its name speaks of people, and where not."""
_SPARSE = 2
"""Times as far as they are many that numbers must reach, to be compared by their values alone: small numbers are always equal."""
_SURE = 4
"""What two names that both speak of people add up to."""
_COVERED = 0.9
"""Share of the records, and of the values, that must be of people where names do not say so, or nobody has two records."""


@dataclass(frozen=True)
class JoinedRecords:
    """How the records of a second table belong to the people of a first.

    ``first``, ``second``: what the tables are called. ``on``, ``key``: the column that names a person in each.
    ``table``, ``reading``: the file of the second table and how it is read, as a policy says it under ``records``; no file
    where it is a frame.
    ``people``: different ones that the first table names; ``twice``: those of them it names more than once; ``nameless``: its
    rows that name nobody. ``records``: rows of the second table; ``unnamed``: those that name nobody; ``of_nobody``: those
    that name a person the first does not have. ``without_records``: people none of the records is of.
    ``sizes``: numbers of records, in ranges that double, each with the people who have so many and their records.
    ``most``: largest number of records of one. ``both``: columns beside the key that stand in both tables; ``added``: those
    that only the second has.
    """

    first: str
    second: str
    on: str
    key: str
    table: str | None
    reading: Mapping[str, Any]
    people: int
    twice: int
    nameless: int
    records: int
    unnamed: int
    of_nobody: int
    without_records: int
    sizes: tuple[tuple[str, int, int], ...]
    most: int
    both: tuple[str, ...]
    added: tuple[str, ...]

    @property
    def drops(self) -> bool:
        """Whether the policy must say that rows which name nobody, or nobody of the first table, are dropped."""
        return bool(self.nameless or self.unnamed or self.of_nobody)

    def of_policy(self, table: str) -> dict[str, Any]:
        """Write what a policy says under ``records``; ``table``: path of the second table from the policy."""
        own = {} if self.key == self.on else {"key": self.key}
        said = {
            name: list(value) if isinstance(value, tuple) else value for name, value in self.reading.items()
        }
        return {"table": table, "on": self.on, **own, **said}

    def to_mapping(self) -> dict[str, Any]:
        """Write it as JSON can hold it."""
        return {
            "first": self.first,
            "second": self.second,
            "on": self.on,
            "key": self.key,
            "people": self.people,
            "people_twice": self.twice,
            "rows_without_a_person": self.nameless,
            "records": self.records,
            "records_without_a_person": self.unnamed,
            "records_of_nobody": self.of_nobody,
            "people_without_records": self.without_records,
            "records_of_a_person": [
                {"records": name, "people": people, "records_of_them": records}
                for name, people, records in self.sizes
            ],
            "most": self.most,
            "in_both": list(self.both),
            "added": list(self.added),
        }

    def lines(self) -> list[str]:
        """Say it for people, a line each."""
        named = quoted(self.on) + ("" if self.key == self.on else f", {quoted(self.key)} in the second")
        having = self.people - self.without_records
        none = (
            f"{count(self.without_records, 'person')} {'has' if self.without_records == 1 else 'have'} none"
        )
        theirs = count(sum(records for _, _, records in self.sizes), "record")
        told = f"{count(having, 'person')} {'has' if having == 1 else 'have'} {theirs}"
        found = [
            f"{self.second} is joined to {self.first} by {named}, which names {count(self.people, 'person')}",
            f"{told}, up to {self.most:,} each; {none}",
        ]
        found += [
            f"{name} {'record' if name == '1' else 'records'} each: {count(people, 'person')}, {count(records, 'record')}"
            for name, people, records in self.sizes
        ]
        others = {
            "records of nobody in the first table": self.of_nobody,
            "records that name nobody": self.unnamed,
            "rows of the first table that name nobody": self.nameless,
            "people who stand more than once in the first table": self.twice,
        }
        return found + [f"{what}: {number:,}" for what, number in others.items() if number]

    def findings(self) -> list[Finding]:
        """What the steward should look at."""
        found = []
        if self.twice:
            facts = {"people": self.twice, "table": self.first, "column": self.on}
            found.append(Finding("people-twice", facts, _twice))
        if self.drops:
            facts = {
                "of_nobody": self.of_nobody, "unnamed": self.unnamed + self.nameless, "table": self.first, "column": self.on,
            }  # fmt: skip
            found.append(Finding("records-of-nobody", facts, _of_nobody))
        if self.without_records:
            facts = {"people": self.without_records, "table": self.second}
            found.append(Finding("people-without-records", facts, _without))
        return found


def _twice(*, people: int, table: str, column: str) -> str:
    """Say what is to be done about people who stand twice."""
    stand, first = ("stands", "its") if people == 1 else ("stand", "the")
    return (
        f"{count(people, 'person')} {stand} more than once in {table}, by {column!r}: here {first} first row counts, and "
        "anonymize refuses the table until everybody has one"
    )


def _of_nobody(*, of_nobody: int, unnamed: int, table: str, column: str) -> str:
    """Say which records are dropped."""
    found = [f"{count(of_nobody, 'record')} of nobody in {table}"] if of_nobody else []
    found += [f"{count(unnamed, 'row')} without a value of {column!r}"] if unnamed else []
    return f"{' and '.join(found)} would be dropped, because the policy says missing: {{policy: drop}} for {column!r}"


def _without(*, people: int, table: str) -> str:
    """Say who has no records."""
    return (
        f"{count(people, 'person')} without a record in {table}: left out where a sensitive column of it lacks no value "
        "(hygiene: {no_sensitive: drop}), else kept without one"
    )


@dataclass(frozen=True, eq=False)
class PeopleWithRecords:
    """The rows that a policy makes of two tables, for looking at them.

    ``first``, ``second``: the tables, people of the first once. ``cells``: every column of the two, as its own table has it.
    ``joined``: both as one. ``facts``: what is told of it.
    """

    first: Table
    second: Table
    cells: dict[str, Cells]
    joined: JoinedTable
    facts: JoinedRecords
    duplicates: int

    def keeps_all(self, roles: Mapping[str, str]) -> bool:
        """Whether people without records go on, by the sensitive columns of the second table: none, or all may be missing."""
        return all(
            own.missing > 0
            for name, own in self.cells.items()
            if roles[name] == "sensitive" and name in self.facts.added
        )

    def measured(self, names: Collection[str], *, keep: bool) -> dict[str, Cells]:
        """Give columns as they are in the rows that go on: records of people; ``keep``: and people without any."""
        table = self.joined
        goes = (table.first_row >= 0) & (keep | (table.second_row >= 0))
        return {
            name: self.cells[name].take(
                (table.second_row if name in self.facts.added else table.first_row)[goes]
            )
            for name in names
        }


def bring_together(
    first: tuple[Table, Mapping[str, Cells]],
    second: tuple[Table, Mapping[str, Cells]],
    given: Mapping[str, str],
    *,
    on: str | None,
    key: str | None,
    table: str | None,
    reading: Mapping[str, Any],
) -> PeopleWithRecords:
    """Find the column that joins two tables, each with its columns, unless it is told; and join them by it.

    ``given``: roles that are decided. Raises `TableError` where no column does, or none of the records is of anybody.
    """
    people, own = first
    records, other = second
    on, key = _told(first, second, on, key)
    if given.get(on, "identifier") != "identifier":
        raise PolicyError(f"roles: {on!r} joins the two tables, and must be an identifier")
    both = tuple(name for name in records.names if name in people.names and name not in {key, on})
    unused = [name for name in both if given.get(name, "drop") == "drop"]
    who = as_codes(people.encode(on, kind="text"))
    counts = who.counts()
    twice = int(np.count_nonzero(counts > 1))
    if twice:
        people = people.rows(_first_rows(who))
    joined = join(people, records, on, key=key, unused=unused)
    whose = joined.second_row >= 0
    sizes = np.bincount(joined.first_row[whose & (joined.first_row >= 0)], minlength=people.height)
    sizes = np.sort(sizes[sizes > 0])
    of_nobody = int(np.count_nonzero(joined.of_nobody))
    nameless = people.encode(on, kind="text").missing
    title = title_of(people)
    facts = JoinedRecords(
        first=title,
        second=f"second {title}" if title == title_of(records) else title_of(records),
        on=on,
        key=key,
        table=table,
        reading=dict(reading),
        people=len(counts),
        twice=twice,
        nameless=nameless,
        records=records.height,
        unnamed=int(np.count_nonzero(whose & (joined.first_row < 0))) - of_nobody,
        of_nobody=of_nobody,
        without_records=int(np.count_nonzero(~whose)) - nameless,
        sizes=tuple(size_ranges(sizes)),
        most=int(sizes[-1]),
        both=both,
        added=tuple(name for name in joined.names if joined.from_second(name)),
    )
    if twice:
        kept = _first_rows(who)
        own = {name: cells.take(kept) for name, cells in own.items()}
    cells = {name: own[name] if name in own else other[name] for name in joined.names}
    return PeopleWithRecords(
        people, records, cells, joined, facts, records.height - count_groups(list(other.values()))
    )


def title_of(table: Table) -> str:
    """Name of the file of a table, without its folder, or what frame it is."""
    return table.source if table.format in {"frame", "database"} else Path(table.source).name


def _first_rows(who: EncodedColumn) -> NDArray[np.int64]:
    """Rows that name nobody, and the first of everybody, ascending."""
    _, first = np.unique(who.codes[who.codes >= 0], return_index=True)
    named = np.flatnonzero(who.codes >= 0)[first]
    return np.sort(np.concatenate([named, np.flatnonzero(who.codes < 0)]))


def _told(
    first: tuple[Table, Mapping[str, Cells]],
    second: tuple[Table, Mapping[str, Cells]],
    on: str | None,
    key: str | None,
) -> tuple[str, str]:
    """Take the columns that are told, and find the others."""
    problems = [
        f"{option}: {table.source} has no column {name!r}{suggestion(name, table.names)}"
        for option, name, (table, _) in (("on", on, first), ("key", key, second))
        if name is not None and name not in table.names
    ]
    if problems:
        raise PolicyError(*problems)
    if on is not None and (key is not None or on in second[1]):
        return on, key or on
    found = _find_key(first, second, on, key)
    if found is not None:
        return found
    (people, own), (records, _) = first, second
    if on is None and key is None and _find_key(second, first, None, None) is not None:
        remedy = f"{people.source} has several rows of a person: give the table with one row of each first"
    elif not own:
        remedy = "give a table of people"
    else:
        remedy = "say which does with on= (--on), and key= (--records-key) where the second table calls it otherwise"
    raise TableError(
        f"no column of {records.source} was found to name the people of {people.source}; {remedy}"
    )


def _find_key(
    first: tuple[Table, Mapping[str, Cells]],
    second: tuple[Table, Mapping[str, Cells]],
    on: str | None,
    key: str | None,
) -> tuple[str, str] | None:
    """Find the pair of columns that most likely names the same people; None where none does."""
    people = {
        name: cells
        for name, cells in first[1].items()
        if name == on or (on is None and _may_be_people(cells))
    }
    whose = {
        name: cells
        for name, cells in second[1].items()
        if name == key or (key is None and _may_be_a_key(cells))
    }
    texts = {name: _texts(first[0], name) for name in people}
    ranked = []
    for name, repeating in whose.items():
        records = as_codes(second[0].encode(name, kind="text"))
        own, counts = pl.Series(records.values.tolist(), dtype=pl.String), records.counts()
        for who, person in people.items():
            shared = own.is_in(texts[who].implode()).to_numpy()
            covered = float(counts[shared].sum()) / max(1, int(counts.sum()))
            repeats = repeating.unique < 1
            named = _person(who) + _person(name)
            told = who == on or name == key
            said = told or _agree(who, name)
            most = covered >= _COVERED and float(shared.mean()) >= _COVERED
            # Where everybody has one record at most and most records are nobody's, records are numbered, not people.
            of_people = told or named == _SURE or most or repeats
            if covered and of_people and (said or (most and _cannot_be_chance(person, int(shared.sum())))):
                ranked.append(((said, repeats, named, who == name, covered), who, name))
    # Of equals, the first to stand in the tables.
    return None if not ranked else max(ranked, key=lambda found: found[0])[1:]


def _texts(table: Table, name: str) -> pl.Series:
    """Distinct texts of a column."""
    return pl.Series(as_codes(table.encode(name, kind="text")).values.tolist(), dtype=pl.String)


def _numbers_records(name: str) -> bool:
    """Whether a name speaks of visits, cases or orders, and of no person."""
    if words.numbers_what(name) == "record":
        return True
    return words.has(name, words.RECORDS) and not words.has(name, words.PERSONS)


def _may_be_people(cells: Cells) -> bool:
    """Whether nearly every row of a column has a value of its own, and is no number of a record."""
    if cells.kind not in {"integer", "text"} or not cells.distinct or _numbers_records(cells.name):
        return False
    enough = _NAMED if _person(cells.name) else _UNNAMED
    return cells.distinct >= enough * cells.height


def _may_be_a_key(cells: Cells) -> bool:
    """Whether a column of the second table may name people."""
    return cells.kind in {"integer", "text"} and cells.distinct > 0 and not _numbers_records(cells.name)


def _person(name: str) -> int:
    """How much a name says that it is a number of a person: 2, 1 of something, 0."""
    whose = words.numbers_what(name)
    if whose == "person" or (whose == "perhaps" and words.has(name, words.ALONE)):
        return 2
    return int(whose == "something")


def _agree(first: str, second: str) -> bool:
    """Whether two names may mean the same number of people: they are the same, or both are such numbers."""
    return words.parts(first) == words.parts(second) or (_person(first) > 0 and _person(second) > 0)


def _cannot_be_chance(people: Cells, shared: int) -> bool:
    """Whether so many shared values tell by themselves that they are of the same people."""
    if shared < MANY:
        return False
    span = people.span
    return span is None or span >= _SPARSE * people.distinct


def in_two_tables(columns: tuple[ColumnProfile, ...], rows: PeopleWithRecords) -> Iterator[ColumnProfile]:
    """Give columns as a policy of two tables has them: who names nobody is dropped, who has no records lacks what these say."""
    keep = rows.facts.without_records and rows.keeps_all({own.name: own.role for own in columns})
    for own in columns:
        settings = own.settings
        if own.name == rows.facts.on and rows.facts.drops:
            settings = {**settings, "missing": {"policy": "drop"}}
        elif own.role in {"quasi", "sensitive"}:
            if not {"kind", "hierarchy"} & settings.keys() and not _kind_is_told(rows, own):
                settings = {**settings, "kind": "categorical"}
            if keep and own.name in rows.facts.added:
                settings = {**settings, "missing": {**settings.get("missing", {}), "policy": "category"}}
        yield replace(own, settings=settings)


def _kind_is_told(rows: PeopleWithRecords, column: ColumnProfile) -> bool:
    """Whether the cells tell a column's kind where both tables are one, too: there people count by their records."""
    missing = ("", *(marker.text for marker in column.markers if marker.declared))
    try:
        rows.joined.kind(column.name, missing=missing)
    except TableError:
        return False
    return True
