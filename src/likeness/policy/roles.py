"""Columns as Python users declare them: a function for each role, with the keys of the policy file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from likeness.errors import PolicyError
from likeness.policy.column import Action, Column, Distance, Kind, Role
from likeness.policy.problems import RefusalError, line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date
    from pathlib import Path

    from likeness.hierarchies import Hierarchy
    from likeness.policy.sections import ColumnMissing

    Bound = float | date | str
    Domain = Sequence[float] | Sequence[date] | Sequence[str]
    HierarchyKey = str | Path | Mapping[str, Any] | Sequence[Sequence[str]] | Hierarchy
    MissingKey = ColumnMissing | Mapping[str, Any]


def identifier(*, action: Action | None = None, missing: MissingKey | None = None) -> Column:
    """Declare a column that names a person; it is never published.

    Parameters
    ----------
    action
        ``drop``, the default, or ``pseudonym``: a random number in its place.
    missing
        Only for the column that the policy's ``individual`` names: which cells name nobody, and whether such
        records are dropped.

    Raises
    ------
    PolicyError
        When a key is refused.

    Examples
    --------
    >>> identifier()
    Column(role='identifier')
    """
    return _column("identifier", action=action, missing=missing)


def quasi(
    *,
    kind: Kind | None = None,
    domain: Domain | None = None,
    weight: float | None = None,
    bottom: Bound | None = None,
    top: Bound | None = None,
    max_level: int | None = None,
    missing: MissingKey | None = None,
    hierarchy: HierarchyKey | None = None,
) -> Column:
    """Declare a quasi-identifier: a column an adversary may know of a person.

    Parameters
    ----------
    kind, domain, weight, bottom, top, max_level, missing, hierarchy
        See `Column`.

    Raises
    ------
    PolicyError
        When a key is refused.

    Examples
    --------
    >>> quasi(kind="integer", domain=[0, 110], weight=2)
    Column(role='quasi', kind='integer', domain=(0, 110), weight=2.0)
    >>> quasi(weight=0)
    Traceback (most recent call last):
    likeness.errors.PolicyError: quasi.weight: must be above 0; got 0
    """
    return _column(
        "quasi",
        kind=kind,
        domain=domain,
        weight=weight,
        bottom=bottom,
        top=top,
        max_level=max_level,
        missing=missing,
        hierarchy=hierarchy,
    )


def sensitive(
    *,
    kind: Kind | None = None,
    domain: Domain | None = None,
    missing: MissingKey | None = None,
    hierarchy: HierarchyKey | None = None,
    distance: Distance | None = None,
) -> Column:
    """Declare a sensitive attribute: what nobody should learn about a person.

    Parameters
    ----------
    kind, domain, missing, hierarchy, distance
        See `Column`.

    Raises
    ------
    PolicyError
        When a key is refused.

    Examples
    --------
    >>> sensitive(hierarchy="icd.csv", distance="hierarchical")
    Column(role='sensitive', hierarchy='icd.csv', distance='hierarchical')
    """
    return _column(
        "sensitive", kind=kind, domain=domain, missing=missing, hierarchy=hierarchy, distance=distance
    )


def other(*, kind: Kind | None = None, missing: MissingKey | None = None) -> Column:
    """Declare a column that is published as it is.

    Parameters
    ----------
    kind, missing
        See `Column`.

    Raises
    ------
    PolicyError
        When a key is refused.

    Examples
    --------
    >>> other()
    Column(role='other')
    """
    return _column("other", kind=kind, missing=missing)


def drop() -> Column:
    """Declare a column that is left out of the release.

    Examples
    --------
    >>> drop()
    Column(role='drop')
    """
    return _column("drop")


def _column(role: Role, **given: Any) -> Column:
    """Make a column of what was given; every problem begins with the role."""
    try:
        return Column(role=role, **{key: value for key, value in given.items() if value is not None})
    except RefusalError as problem:
        entries = (entry._replace(place=(role, *entry.place)) for entry in problem.entries)
        raise PolicyError(*(line(entry) for entry in entries)) from None
