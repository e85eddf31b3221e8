"""From a table and a policy to microdata: every value checked, every dropped record counted."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.encode_column import encode_attribute
from likeness.encode_domain import EncodeError
from likeness.errors import LikenessError, PolicyError, TableError, suggestion
from likeness.microdata.data import Microdata
from likeness.models._base import SensitiveModel

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from likeness.microdata.domain import Domain
    from likeness.models._base import PrivacyModel
    from likeness.policy import Policy
    from likeness.tables import Table

_RESERVED = ("person", "bucket")


@dataclass(frozen=True, eq=False)
class Encoded:
    """A table, encoded as its policy says.

    Parameters
    ----------
    data
        The records that go on, in the order of the table; attributes have the names they are published under.
    table
        The original.
    dropped
        Reason to the number of records dropped before anything was searched.
    missing
        Column to the number of its missing values, where there were any.
    renamed
        Column to the name it is published under, where that differs.
    roles
        Column to its role, in the order of the table.
    reasons : (rows of the table,) int32, optional
        Position in ``dropped`` of each dropped row's reason, -1 for rows that go on; left out where none is
        dropped.
    survey_weights
        The column of survey weights, if there is one.
    """

    data: Microdata
    table: Table
    dropped: dict[str, int] = field(default_factory=dict)
    missing: dict[str, int] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict)
    roles: dict[str, str] = field(default_factory=dict)
    reasons: NDArray[np.int32] | None = None
    survey_weights: str | None = None

    def with_role(self, role: str) -> list[str]:
        """Columns of one role, in the order of the table."""
        return [name for name, own in self.roles.items() if own == role]

    def published_name(self, name: str) -> str:
        """Name a column is published under."""
        return self.renamed.get(name, name)

    def name_models(self, models: Iterable[PrivacyModel]) -> tuple[PrivacyModel, ...]:
        """Let models cover the columns under the names they are published under."""
        return tuple(
            replace(model, sensitive=self.renamed[model.sensitive])
            if isinstance(model, SensitiveModel) and model.sensitive in self.renamed
            else model
            for model in models
        )


def encode(table: Table, policy: Policy) -> Encoded:
    """Encode a table.

    Parameters
    ----------
    table
        The original.
    policy
        What its columns mean.

    Returns
    -------
    Encoded

    Raises
    ------
    PolicyError, TableError, HierarchyError
        Every problem found, one line each: columns the policy does not name or the table does not have, values of the
        wrong kind or outside a declared domain, missing values where none are allowed, gaps in hierarchies.
    """
    policy.refuse_unbuilt()
    _check_columns(table, policy)
    recoding = (
        policy.form.recoding if policy.form is not None and hasattr(policy.form, "recoding") else "tight"
    )
    folder = policy.folder or Path()
    problems: list[str] = []
    error: type[LikenessError] = PolicyError
    found: dict[str, tuple[Domain, NDArray[np.int32], int, str]] = {}
    for name in table.names:
        column = policy.columns[name]
        if column.role not in {"quasi", "sensitive"}:
            continue
        try:
            attribute = encode_attribute(table, name, column, policy.missing_of(name), recoding, folder)
        except EncodeError as problem:
            problems.extend(problem.problems)
        except LikenessError as problem:
            problems.extend(problem.problems)
            error = type(problem)
        else:
            found[name] = attribute
    if problems:
        raise error(*problems)
    return _assemble(table, policy, found)


def _check_columns(table: Table, policy: Policy) -> None:
    """Refuse tables and policies that do not name the same columns."""
    unnamed = [name for name in table.names if name not in policy.columns]
    absent = [name for name in policy.columns if name not in table.names]
    problems = [
        f"{table.source}: the policy does not name column {name!r}; add it under columns with a role "
        "(role: drop leaves it out)"
        for name in unnamed
    ]
    problems += [
        f"the policy names column {name!r}, which {table.source} does not have{suggestion(name, unnamed or table.names)}"
        for name in absent
    ]
    if problems:
        raise PolicyError(*problems)
    if table.height == 0:
        raise TableError(f"{table.source}: there are no records")


def _assemble(
    table: Table, policy: Policy, found: dict[str, tuple[Domain, NDArray[np.int32], int, str]]
) -> Encoded:
    """Drop what is to be dropped and stack the columns."""
    kept = np.ones(table.height, np.bool_)
    reasons = np.full(table.height, -1, np.int32)
    dropped: dict[str, int] = {}
    for name, (_, codes, count, treatment) in found.items():
        if count and treatment == "drop":
            newly = kept & (codes < 0)
            reasons[newly] = len(dropped)
            dropped[f"missing {name}"] = int(newly.sum())
            kept &= codes >= 0
    rows = np.flatnonzero(kept)
    if rows.size == 0:
        raise TableError(
            f"{table.source}: every record has a missing value and is dropped; choose missing: category"
        )
    roles: dict[str, str] = {name: policy.columns[name].role for name in table.names}
    renamed = {
        name: _free_name(name, table.names)
        for name in _RESERVED
        if name in table.names and roles[name] != "drop"
    }
    stacks: dict[str, tuple[list[Domain], list[NDArray[np.int32]]]] = {
        "quasi": ([], []),
        "sensitive": ([], []),
    }
    for name, (domain, codes, _, _) in found.items():
        domains, columns = stacks[policy.columns[name].role]
        own = codes if rows.size == table.height else codes[rows]
        domains.append(replace(domain, name=renamed.get(name, name)))
        columns.append(
            np.where(own < 0, domain.missing_code, own).astype(np.int32) if domain.missing else own
        )
    weights = None if policy.weights is None else _survey_weights(table, policy.weights)[rows]
    data = Microdata(
        tuple(stacks["quasi"][0]),
        np.array(stacks["quasi"][1], np.int32).reshape(len(stacks["quasi"][0]), rows.size),
        tuple(stacks["sensitive"][0]),
        np.array(stacks["sensitive"][1], np.int32).reshape(len(stacks["sensitive"][0]), rows.size),
        rows,
        survey_weights=weights,
    )
    missing = {name: count for name, (_, _, count, _) in found.items() if count}
    return Encoded(
        data, table, dropped, missing, renamed, roles, None if kept.all() else reasons, policy.weights
    )


def _free_name(name: str, taken: tuple[str, ...]) -> str:
    """Name a column anew, because releases use its name themselves."""
    fresh = f"{name}_original"
    while fresh in taken:
        fresh += "_"
    return fresh


def _survey_weights(table: Table, name: str) -> NDArray[np.float64]:
    """Survey weight of every row."""
    column = table.encode(name)
    if column.kind not in {"integer", "real"} or column.missing:
        raise PolicyError(f"weights: column {name!r} must hold a number for every record")
    numbers: NDArray[Any] = column.values.astype(np.float64)
    if (numbers < 0).any():
        raise PolicyError(f"weights: column {name!r} holds a negative weight")
    return np.asarray(numbers[column.codes], np.float64)
