"""Tables beside the own one, as a policy declares their columns: public ones, earlier ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from likeness.encode.column import encode_attribute
from likeness.errors import LikenessError, TableError
from likeness.hierarchies import from_rows
from likeness.microdata.domain import NUMERIC, Domain
from likeness.tables import read
from likeness.wording import quoted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.encode.column import EncodedAttribute
    from likeness.hierarchies import Hierarchy
    from likeness.knowledge.base import Subject
    from likeness.policy import Policy
    from likeness.tables import Table


@dataclass(frozen=True, eq=False)
class Beside:
    """A table beside the own one; ``where`` is what messages begin with, ``policy`` names every column of the own table."""

    table: Table
    policy: Policy
    where: str

    @classmethod
    def read(cls, subject: Subject, path: str, where: str) -> Beside:
        """Read it; ``path`` is meant from the policy's folder. `TableError`, from ``where``, where it cannot be read."""
        try:
            table = read((subject.policy.folder or Path()) / path)
        except TableError as problem:
            raise TableError(*problem.within(where)) from None
        return cls(table, subject.policy.naming(subject.encoded.table.names), f"{where}: {path}")

    def attribute(self, name: str) -> EncodedAttribute:
        """Encode a column as the own one is declared; its missing values are -1 unless they are a category."""
        self.check_columns([name])
        policy = self.policy
        recoding = "tight" if policy.form is None else policy.form.recoding
        try:
            found = encode_attribute(
                self.table,
                name,
                policy.columns[name],
                policy.missing_of(name),
                recoding,
                policy.folder or Path(),
            )
        except LikenessError as problem:
            raise TableError(*problem.within(self.where)) from None
        if not found.domain.missing:
            return found
        codes = np.where(found.codes < 0, found.domain.missing_code, found.codes)
        return found._replace(codes=codes.astype(np.int32))

    def check_columns(self, names: list[str]) -> None:
        """Refuse (`TableError`) a table that lacks columns."""
        lacking = [quoted(name) for name in names if name not in self.table.names]
        if lacking:
            has = ", ".join(self.table.names)
            raise TableError(f"{self.where}: lacks the column {' and '.join(lacking)}; it has {has}")


def join_domains(
    own: Domain, other: Domain, where: str
) -> tuple[Domain, NDArray[np.int64], NDArray[np.int64]]:
    """Put the values of two tables into one domain of the own one's geometry; the code there of each of both.

    A number lies where the own domain, as declared or observed, places it; it may lie outside. Where that has one value, the
    domain is that of both. Raises `TableError` where the two are not of one kind.
    """
    missing = own.missing or other.missing
    if own.shape == "interval" and own.kind in NUMERIC:
        if other.kind not in NUMERIC or (own.kind == "date") != (other.kind == "date"):
            raise TableError(
                f"{where}: column {own.name!r} is {other.kind} there, and {own.kind} in the table"
            )
        values = np.unique(np.concatenate([own.values, other.values]))
        joint = replace(own, values=values, hierarchy=None, missing=missing)
        if own.width == 0:
            # Of one value alone nothing can be said how far others are.
            joint = replace(joint, low=float(joint.numbers[0]), high=float(joint.numbers[-1]))
        mine, theirs = (np.searchsorted(values, domain.values) for domain in (own, other))
    else:
        further = [label for label in other.labels if label not in own.code_of]
        tree = own.hierarchy if own.shape == "tree" else None
        if tree is not None and further:
            tree = _joint_tree(tree, other.hierarchy, where)
        labels = [*own.labels, *further] if tree is None else list(tree.leaves)
        joint = replace(own, values=np.array(labels, object), hierarchy=tree, missing=missing)
        mine, theirs = (
            np.array([joint.code_of[label] for label in domain.labels], np.int64) for domain in (own, other)
        )
    last = [joint.missing_code]
    return (
        joint,
        np.concatenate([mine, last * own.missing]).astype(np.int64),
        np.concatenate([theirs, last * other.missing]).astype(np.int64),
    )


def _joint_tree(own: Hierarchy, other: Hierarchy | None, where: str) -> Hierarchy:
    """Join two hierarchies that one rule made."""
    rows = own.to_rows()
    rows += [] if other is None else [row for row in other.to_rows() if row[0] not in own.rank_of]
    depth = max(map(len, rows))
    padded = [[*row, *([row[-1]] * (depth - len(row)))] for row in rows]
    return from_rows(padded, own.name, where=lambda i: f"{where}: row {i + 1} of the hierarchy")
