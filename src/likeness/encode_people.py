"""Who each row of a table is of, where people may have several records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from likeness.tables import JoinedTable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.policy import Policy
    from likeness.tables import Table

NOBODY = "records of nobody in the first table"
NO_RECORDS = "people without records"
"""Reasons why rows are dropped; those whose cell is missing have the reason ``missing <column>``."""


@dataclass(frozen=True, eq=False)
class People:
    """Who the rows of a table are of, before any rule about their values.

    Parameters
    ----------
    person : (rows,) int64
        Number of each row's person; -1 for rows that name none.
    count
        Number of people.
    reasons
        Why rows are dropped already, in the order of the rules.
    reason : (rows,) int32
        Position in ``reasons`` of each such row; -1 for the others.
    without_records : (rows,) bool
        Rows of a joined table that are people of the first table without a row in the second.
    problems
        What the policy makes an error, one line each.
    refused : (rows,) bool
        The rows that those are about.
    """

    person: NDArray[np.int64]
    count: int
    reasons: tuple[str, ...]
    reason: NDArray[np.int32]
    without_records: NDArray[np.bool_]
    problems: tuple[str, ...]
    refused: NDArray[np.bool_]

    @property
    def dropped(self) -> NDArray[np.bool_]:
        """(rows,) Rows that are dropped or refused already: what their cells lack is no matter, or said already."""
        return (self.reason >= 0) | self.refused


def find_people(table: Table, policy: Policy) -> People:
    """Find who the rows of a table are of.

    Parameters
    ----------
    table
        The table; joined already, where a second one holds the records.
    policy
        Says which column names a person, and what becomes of records that name none.

    Returns
    -------
    People

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
    >>> people = find_people(lk.read(frame), policy)
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
    rules = [(person < 0, f"missing {name}", "records that name no person", treatment, remedy)]
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
    reasons: list[str] = []
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
    return People(
        person, len(encoded.values), tuple(reasons), reason, without_records, tuple(problems), refused
    )


def _of_no_records(table: JoinedTable, policy: Policy) -> str:
    """What becomes of people without records: what becomes of the sensitive values they lack."""
    own = (
        name for name in table.names if table.from_second(name) and policy.columns[name].role == "sensitive"
    )
    rules = {policy.missing_of(name).policy for name in own}
    return next((rule for rule in ("drop", "error") if rule in rules), "keep")
