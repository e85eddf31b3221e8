"""A profile: what was found in a table, and the policy it speaks for."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from likeness.errors import TableError, suggestion
from likeness.profiling.persons import individual_of
from likeness.wording import count

if TYPE_CHECKING:
    from pathlib import Path

    from likeness.policy import Policy
    from likeness.profiling.findings import ColumnProfile
    from likeness.profiling.guarantee import Proposal
    from likeness.profiling.links import Link
    from likeness.profiling.persons import Persons
    from likeness.profiling.reach import Reach
    from likeness.profiling.uniqueness import Uniqueness


@dataclass(frozen=True, repr=False)
class Profile:
    """What was found in a table, and the policy it speaks for; made by `profile`.

    Printed, it is a page for the steward; in a notebook, tables. It holds counts, markers of missing values and the
    labels of rare sensitive values, so it is private.

    Parameters
    ----------
    source
        What the table is called.
    records
        The number of records.
    size
        Bytes that the table takes in memory, as its frame library says.
    columns
        What is said about every column, in the order of the table.
    links
        Columns that say the same as others, or determine them.
    persons
        Duplicates, and people with several records.
    uniqueness
        How much the quasi-identifiers single people out.
    reach
        The strongest parameters each sensitive column can meet.
    guarantee
        The models that are proposed.
    warnings
        What the steward should look at, about the table as a whole.

    Examples
    --------
    >>> import polars as pl
    >>> import likeness as lk
    >>> ages, diseases = [30, 31, 30, 64, 66, 66], ["flu", "cold", "flu", "hiv", "flu", "cold"]
    >>> found = lk.profile(pl.DataFrame({"age": ages, "disease": diseases}))
    >>> found["disease"].role, found.uniqueness.together.below[2]
    ('sensitive', 2)
    >>> lk.anonymize(pl.DataFrame({"age": ages, "disease": diseases}), found.policy(), seed=1).table.height
    6
    """

    source: str
    records: int
    size: int
    columns: tuple[ColumnProfile, ...]
    links: tuple[Link, ...]
    persons: Persons
    uniqueness: Uniqueness
    reach: tuple[Reach, ...]
    guarantee: tuple[Proposal, ...]
    warnings: tuple[str, ...]

    def __getitem__(self, name: str) -> ColumnProfile:
        """Give what is said about one column.

        Raises
        ------
        TableError
            If there is no such column.
        """
        for column in self.columns:
            if column.name == name:
                return column
        known = [column.name for column in self.columns]
        raise TableError(f"{self.source}: no column {name!r}{suggestion(name, known)}")

    def with_role(self, role: str) -> tuple[str, ...]:
        """List the columns of one role, in the order of the table."""
        return tuple(column.name for column in self.columns if column.role == role)

    @property
    def individual(self) -> str | None:
        """The column that the proposed policy counts people by; None where each has one record, or none can be it."""
        return individual_of(self.persons, self.columns)

    @property
    def encoded_size(self) -> int:
        """Bytes that the columns to be generalized, and the sensitive ones, take once they are encoded."""
        return 4 * self.records * len(self.with_role("quasi") + self.with_role("sensitive"))

    def policy(self) -> Policy:
        """Make the proposed policy.

        Returns
        -------
        Policy
            The one that `policy_yaml` writes.
        """
        from likeness.policy import Policy

        return Policy.from_mapping(self.policy_mapping(), where="proposed policy")

    def policy_mapping(self) -> dict[str, Any]:
        """Write the proposed policy as the content of a policy file."""
        return {
            "columns": {column.name: column.settings for column in self.columns},
            "missing": {"markers": [""], "policy": "error"},
            **({} if self.individual is None else {"individual": self.individual}),
            "privacy": [proposal.model for proposal in self.guarantee],
        }

    def policy_yaml(self) -> str:
        """Write the proposed policy as YAML, with a comment on every column that says why.

        Returns
        -------
        str
            `anonymize` accepts it unchanged for the table it was made of.
        """
        from likeness.profiling.policy_text import write_policy

        return write_policy(self)

    def write_policy(self, path: str | Path) -> None:
        """Write the proposed policy to a file; UTF-8.

        Raises
        ------
        OutputError
            If the file cannot be written.
        """
        from pathlib import Path

        from likeness.errors import OutputError

        try:
            Path(path).write_text(self.policy_yaml(), encoding="utf-8", newline="\n")
        except OSError as problem:
            raise OutputError(f"{path}: cannot be written ({problem.strerror or problem})") from None

    def to_mapping(self) -> dict[str, Any]:
        """Write everything that was found as JSON can hold it."""
        return {
            "source": self.source,
            "records": self.records,
            "bytes": self.size,
            "encoded_bytes": self.encoded_size,
            "columns": [column.to_mapping() for column in self.columns],
            "links": [link.to_mapping() for link in self.links],
            "persons": self.persons.to_mapping(),
            "uniqueness": self.uniqueness.to_mapping(),
            "reach": {"k": self.records, "sensitive": [reach.to_mapping() for reach in self.reach]},
            "guarantee": [{**proposal.model, "reason": proposal.reason} for proposal in self.guarantee],
            "warnings": list(self.warnings),
            "policy": self.policy_mapping(),
        }

    def to_json(self) -> str:
        """Write everything that was found, and the proposed policy, as JSON text."""
        return json.dumps(self.to_mapping(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    def __str__(self) -> str:
        """Write everything for a person to read."""
        from likeness.profiling.page import as_text

        return as_text(self)

    def __repr__(self) -> str:
        """Say the most important in one line."""
        roles = ", ".join(
            f"{len(self.with_role(role))} {role}"
            for role in ("identifier", "quasi", "sensitive", "other", "drop")
            if self.with_role(role)
        )
        sizes = f"{count(self.records, 'record')}, {count(len(self.columns), 'column')}"
        return f"Profile({self.source}: {sizes}: {roles})"

    def _repr_html_(self) -> str:
        """Show everything in a notebook."""
        from likeness.profiling.page import as_html

        return as_html(self)
