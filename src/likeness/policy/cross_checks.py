"""What the sections of a policy say about one another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

from likeness.errors import suggestion
from likeness.policy.column import Column, Role
from likeness.policy.parts import find_models
from likeness.policy.people import people_problems
from likeness.policy.problems import Entry, Place

if TYPE_CHECKING:
    from collections.abc import Iterator

LATER: dict[str, str] = {
    "categories": "categories of sensitive values come",
    "knowledge": "adversaries' background knowledge comes",
}
"""Keys whose systems are not built yet, and what comes with a later version."""


@dataclass(frozen=True)
class Outline:
    """As much of a policy as can be told, whatever else is wrong with it.

    Parameters
    ----------
    roles
        Role of every column; None where it cannot be told.
    models
        Place and value of every model that can be made.
    """

    roles: dict[str, str | None]
    models: list[tuple[Place, Any]]

    @property
    def sensitive(self) -> list[str]:
        """Columns that are sensitive for certain."""
        return [name for name, role in self.roles.items() if role == "sensitive"]


def outline(given: Mapping[str, Any]) -> Outline:
    """Read roles and models from what was given, passing over what is wrong.

    Examples
    --------
    >>> outline({"columns": {"age": {"role": "quasi", "weight": -1}, "sex": {"role": "qausi"}}}).roles
    {'age': 'quasi', 'sex': None}
    """
    columns = given.get("columns")
    roles = {str(name): _role(raw) for name, raw in columns.items()} if isinstance(columns, Mapping) else {}
    return Outline(roles, find_models(given["privacy"])[0] if "privacy" in given else [])


def _role(raw: Any) -> str | None:
    """Role of one column, if it can be told."""
    role = raw.role if isinstance(raw, Column) else raw.get("role") if isinstance(raw, Mapping) else None
    return role if isinstance(role, str) and role in get_args(Role) else None


def contradictions(given: Mapping[str, Any]) -> Iterator[Entry]:
    """Find problems between the sections of a policy.

    Parameters
    ----------
    given
        What was given under known keys, right or wrong.

    Examples
    --------
    >>> from likeness.policy.problems import line
    >>> [line(entry) for entry in contradictions({"columns": {"age": {"role": "quasi"}}, "weights": "wgt"})]
    ["weights: there is no column 'wgt' in columns; known: age"]
    """
    columns = given.get("columns")
    if not isinstance(columns, Mapping):
        return
    if not columns:
        yield Entry(("columns",), "declare every column of the table; found none")
        return
    known = outline(given)
    for place, model in known.models:
        yield from _covered(("privacy", *place), model, known)
    for key in ("individual", "weights"):
        yield from _declared((key,), given.get(key), known)
    yield from people_problems(given, known.roles, known.models)
    categories = given.get("categories")
    for name in categories if isinstance(categories, Mapping) else ():
        yield from _is_sensitive(("categories",), name, known)
    records = given.get("records")
    on = records.get("on") if isinstance(records, Mapping) else getattr(records, "on", None)
    yield from _declared(("records", "on"), on, known)


def _covered(place: Place, model: Any, known: Outline) -> Iterator[Entry]:
    """Whether a model finds the sensitive column it needs."""
    if not getattr(model, "needs_sensitive", False):
        return
    column = getattr(model, "sensitive", None)
    if column is not None:
        for entry in _is_sensitive(place, column, known):
            yield entry._replace(message=f"{model.name}: {entry.message}")
    elif not known.sensitive and None not in known.roles.values():
        yield Entry(place, f"{model.name}: needs a sensitive column; give one role: sensitive")


def _is_sensitive(place: Place, name: Any, known: Outline) -> Iterator[Entry]:
    """Whether a name is that of a sensitive column."""
    missing = list(_declared(place, name, known))
    yield from missing
    role = known.roles.get(name) if isinstance(name, str) else None
    if not missing and role not in {None, "sensitive"}:
        yield Entry(place, f"the column {name!r} has the role {role}, not sensitive")


def _declared(place: Place, name: Any, known: Outline) -> Iterator[Entry]:
    """Whether a name is that of a column."""
    if isinstance(name, str) and name and name not in known.roles:
        yield Entry(place, f"there is no column {name!r} in columns{suggestion(name, known.roles)}")
