"""The hygiene rules for people with several records: duplicates, differing quasi-identifiers, and what is counted.

Who each row of a table is of, where people may have several records.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from likeness.errors import TableError
from likeness.microdata.grouping import group_codes, number_keys, pack
from likeness.microdata.plan import Reason
from likeness.tables import JoinedTable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from likeness.microdata.data import Microdata
    from likeness.policy import Policy
    from likeness.policy.sections import Hygiene
    from likeness.tables import Table

NOBODY = Reason("record-of-nobody", "records of nobody in the first table")
NO_RECORDS = Reason("person-without-records", "people without records")
DUPLICATES = Reason("duplicate", "duplicate records of one person")
"""Reasons why rows are dropped."""


def missing_value(column: str) -> Reason:
    """Make the reason why rows are dropped whose cell in a column is missing."""
    return Reason("missing-value", "missing {column}", column=column)


@dataclass(frozen=True, eq=False)
class RowIndividuals:
    """Who the rows of a table are of, before any rule about their values.

    ``person``: (rows,) int64, number of each row's person, below ``count``; -1 for rows that name none.
    ``reasons``: why rows are dropped already, in the order of the rules; ``reason`` (rows,) int32 is the position of each
    such row's, -1 for the others.
    ``without_records``: (rows,) bool, rows of a joined table that are people of the first one without a row in the second.
    ``problems``: what the policy makes an error, one line each; ``refused`` (rows,) bool are the rows that those are about.
    """

    person: NDArray[np.int64]
    count: int
    reasons: tuple[Reason, ...]
    reason: NDArray[np.int32]
    without_records: NDArray[np.bool_]
    problems: tuple[str, ...]
    refused: NDArray[np.bool_]

    @property
    def dropped(self) -> NDArray[np.bool_]:
        """(rows,) Rows that are dropped or refused already: what their cells lack is no matter, or said already."""
        return (self.reason >= 0) | self.refused


def find_row_individuals(table: Table, policy: Policy) -> RowIndividuals:
    """Find who the rows of a table are of.

    Parameters
    ----------
    table
        The table; joined already, where a second one holds the records.
    policy
        Says which column names a person, and what becomes of records that name none.

    Returns
    -------
    RowIndividuals

    Raises
    ------
    TableError
        When the column cannot be read.

    Examples
    --------
    >>> import polars as pl, likeness as lk
    >>> columns = {"who": lk.identifier(), "age": lk.quasi()}
    >>> policy = lk.Policy(columns=columns, privacy=lk.KAnonymity(2), individual="who")
    >>> frame = pl.DataFrame({"who": ["b", "a", "b", None], "age": [1, 2, 3, 4]})
    >>> people = find_row_individuals(lk.read(frame), policy)
    >>> people.person.tolist(), people.count
    ([1, 0, 1, -1], 2)
    >>> people.problems[0][:64]
    "column 'who': records that name no person: 1, the first in row 4"
    """
    name = policy.individual
    assert name is not None  # noqa: S101  # asked only of policies that name it
    missing = policy.missing_of(name)
    encoded = table.encode(name, missing=missing.markers, kind="text")
    person = encoded.codes.astype(np.int64)
    treatment = "drop" if missing.policy == "drop" else "error"
    remedy = "correct them, or drop them with missing: {policy: drop} in this column"
    rules = [(person < 0, missing_value(name), "records that name no person", treatment, remedy)]
    without_records = np.zeros(table.height, np.bool_)
    if isinstance(table, JoinedTable):
        person = np.where(table.of_nobody, -1, person)
        without_records = table.without_records & (person >= 0)
        what = f"records of nobody in {table.first.source}"
        rules.append((table.of_nobody, NOBODY, what, treatment, remedy))
        what = f"people without a record in {table.second.source}"
        remedy = "hygiene: {no_sensitive: drop} leaves them out, {no_sensitive: value} takes it for a value of theirs"
        rules.append((without_records, NO_RECORDS, what, _of_no_records(table, policy), remedy))
    reason = np.full(table.height, -1, np.int32)
    reasons: list[Reason] = []
    problems = []
    refused = np.zeros(table.height, np.bool_)
    for found, title, what, treatment, remedy in rules:
        if treatment == "drop" and found.any():
            reason[found] = len(reasons)
            reasons.append(title)
        elif treatment == "error" and found.any():
            refused |= found
            first = table.where(int(np.argmax(found)), name)
            number = np.count_nonzero(found)
            problems.append(f"column {name!r}: {what}: {number}, the first in {first}; {remedy}")
    return RowIndividuals(
        person, len(encoded.values), tuple(reasons), reason, without_records, tuple(problems), refused
    )


def _of_no_records(table: JoinedTable, policy: Policy) -> str:
    """What becomes of people without records: what becomes of the sensitive values they lack."""
    own = (
        name for name in table.names if table.from_second(name) and policy.columns[name].role == "sensitive"
    )
    rules = {policy.missing_of(name).policy for name in own}
    return next((rule for rule in ("drop", "error") if rule in rules), "keep")


@dataclass(frozen=True)
class HygieneCounts:
    """What was found, and done, where people may have several records; for the report.

    Parameters
    ----------
    people_before
        People in the table (in the first table, where a second holds the records), whatever becomes of their records.
    people
        People of the records that go on.
    records
        Records that go on.
    most
        Largest number of records of one of these people.
    nobody
        Records that name no person, or none of the first table; all dropped, or there is an error.
    without_records
        People of the first table that no row of the second is of.
    without_sensitive
        People none of whose records has a value in any sensitive column, ``without_records`` among them.
    duplicates
        Records of one person with the same values in all sensitive columns as an earlier one, dropped or kept; of
        the records that all other rules leave.
    inconsistent
        People whose remaining records differ in a quasi-identifier.
    inconsistent_rule
        What was done about them: ``hull``, ``first`` or ``mode``; ``error`` where there are none.
    duplicates_rule
        What was done about duplicates: ``drop`` or ``keep``; ``error`` where there are none.

    Examples
    --------
    >>> counts = HygieneCounts(
    ...     people_before=5, people=4, records=10, most=4, nobody=0, without_records=0, without_sensitive=1,
    ...     duplicates=2, inconsistent=0, inconsistent_rule="hull", duplicates_rule="drop",
    ... )
    >>> counts.individuals_dropped, counts.mean
    (1, 2.5)
    """  # fmt: skip

    people_before: int
    people: int
    records: int
    most: int
    nobody: int
    without_records: int
    without_sensitive: int
    duplicates: int
    inconsistent: int
    inconsistent_rule: str
    duplicates_rule: str

    @property
    def individuals_dropped(self) -> int:
        """People of whom no record goes on."""
        return self.people_before - self.people

    @property
    def mean(self) -> float:
        """Records per person that go on."""
        return self.records / max(1, self.people)


@dataclass(frozen=True, eq=False)
class InOrder:
    """Records after the hygiene rules.

    ``kept``: (n,) int64, positions of the records that are no dropped duplicates.
    ``codes``: (d, kept) int32, of the quasi-identifiers.
    ``individuals``: (kept,) int64, number of each record's person, in order of first appearance.
    ``duplicates``: records with the same values in all sensitive columns as an earlier one of their person.
    ``inconsistent``: people whose records differ in a quasi-identifier.
    """

    kept: NDArray[np.int64]
    codes: NDArray[np.int32]
    individuals: NDArray[np.int64]
    duplicates: int
    inconsistent: int


def put_in_order(
    records: Microdata,
    person: NDArray[np.int64],
    hygiene: Hygiene,
    place: Callable[[int], str],
    called: Mapping[str, str] = MappingProxyType({}),
) -> InOrder:
    """Apply the rules about duplicate records and differing quasi-identifiers.

    ``records`` are all that are left, missing values encoded; ``person`` (n,) is who each is of. For messages, ``place``
    names the place of a record by its row, ``called`` gives attributes the names of their columns, where they differ.
    Raises `TableError` where a rule makes an error of what is found.
    """
    kept = np.arange(records.size)
    earlier = _earlier(records, person)
    again = earlier < kept
    duplicates = int(np.count_nonzero(again))
    if duplicates and hygiene.duplicates == "error":
        later = int(np.argmax(again))
        where = place(int(records.rows[later])), place(int(records.rows[earlier[later]]))
        raise _duplicates_refused(duplicates, *where)
    codes = records.codes
    if duplicates and hygiene.duplicates == "drop":
        kept = np.flatnonzero(~again)
        codes = codes[:, kept]
    individuals, first = number_keys(person[kept])
    tuples = group_codes(codes, [domain.codes for domain in records.quasi]).of if len(codes) else kept * 0
    differs = tuples != tuples[first][individuals]
    differing = np.zeros(first.size, np.bool_)
    differing[individuals[differs]] = True
    inconsistent = int(np.count_nonzero(differing))
    if inconsistent and hygiene.inconsistent_quasi == "error":
        later = int(np.argmax(differs))
        before = int(first[individuals[later]])
        names = [
            called.get(domain.name, domain.name)
            for domain, own in zip(records.quasi, codes, strict=True)
            if own[later] != own[before]
        ]
        rows = records.rows[kept]
        where = place(int(rows[before])), place(int(rows[later]))
        raise _differing_refused(inconsistent, *where, names)
    if inconsistent and hygiene.inconsistent_quasi in {"first", "mode"}:
        chosen = (
            first if hygiene.inconsistent_quasi == "first" else _modes(individuals, tuples, first, differing)
        )
        codes = codes[:, chosen[individuals]]
    return InOrder(kept, np.ascontiguousarray(codes), individuals, duplicates, inconsistent)


def _duplicates_refused(duplicates: int, later: str, earlier: str) -> TableError:
    """Say where a person's record stands twice."""
    return TableError(
        "hygiene.duplicates: records of one person with the same values in all sensitive columns as an earlier one: "
        f"{duplicates}, the first in {later}, as in {earlier}; correct them, or drop them with hygiene: {{duplicates: drop}}"
    )


def _differing_refused(people: int, earlier: str, later: str, names: list[str]) -> TableError:
    """Say where a person's records differ, and in which columns."""
    return TableError(
        f"hygiene.inconsistent_quasi: people whose records differ in quasi-identifiers: {people}, the first in "
        f"{earlier} and {later} ({', '.join(names)}); correct them, or choose hygiene: {{inconsistent_quasi: hull}}"
    )


def _earlier(records: Microdata, person: NDArray[np.int64]) -> NDArray[np.int64]:
    """(n,) First record of the same person with the same values in all sensitive columns, itself where there is none.

    Without sensitive columns no two records are the same: nothing says what a record is about.
    """
    if not records.sensitive:
        return np.arange(records.size)
    radices = [domain.codes for domain in records.sensitive]
    same, first = number_keys(
        pack([person, *records.sensitive_codes], [int(person.max(initial=0)) + 1, *radices])
    )
    return np.asarray(first[same])


def _modes(
    individuals: NDArray[np.int64],
    tuples: NDArray[np.int64],
    first: NDArray[np.int64],
    differing: NDArray[np.bool_],
) -> NDArray[np.int64]:
    """(individuals,) A record of each with their most frequent tuple: of equally frequent ones the first to appear.

    ``individuals`` and ``tuples`` (n,) number the person and the tuple of each record; ``first`` (individuals,) is the
    first record of each, ``differing`` marks those whose tuples differ.
    """
    members = np.flatnonzero(differing[individuals])
    pairs, lead = number_keys(
        pack([individuals[members], tuples[members]], [first.size, int(tuples.max(initial=0)) + 1])
    )
    owners = individuals[members[lead]]
    # Ascending, and later ones overwrite: the most frequent pair comes last, of equals the first to appear.
    order = np.lexsort((-lead, np.bincount(pairs)))
    chosen = first.copy()
    chosen[owners[order]] = members[lead[order]]
    return chosen


def count_individuals(
    people: RowIndividuals, in_order: InOrder, has_value: NDArray[np.bool_], hygiene: Hygiene
) -> HygieneCounts:
    """Count what the rules found and did; ``has_value`` (rows,) marks rows with a value in some sensitive column."""
    here = np.bincount(people.person[people.person >= 0], minlength=people.count) > 0
    told = np.bincount(people.person[(people.person >= 0) & has_value], minlength=people.count) > 0
    sizes = np.bincount(in_order.individuals)
    return HygieneCounts(
        people_before=int(np.count_nonzero(here)),
        people=sizes.size,
        records=in_order.individuals.size,
        most=int(sizes.max(initial=0)),
        nobody=int(np.count_nonzero(people.person < 0)),
        without_records=int(np.count_nonzero(people.without_records)),
        without_sensitive=int(np.count_nonzero(here & ~told)),
        duplicates=in_order.duplicates,
        inconsistent=in_order.inconsistent,
        inconsistent_rule=hygiene.inconsistent_quasi,
        duplicates_rule=hygiene.duplicates,
    )
