"""What a policy says about people with several records, and whether it goes together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from likeness.policy.problems import Entry, Place

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SAME_RULE = {"category": "value", "drop": "drop"}
"""Rules about missing cells, and what `Hygiene.no_sensitive` calls them."""

_EXAMPLE = "individual: the column that names a person, as in individual: patient_id"


def people_problems(
    given: Mapping[str, Any], roles: Mapping[str, str | None], models: Sequence[tuple[Place, Any]]
) -> Iterator[Entry]:
    """Find keys about people with several records that do not go together.

    Parameters
    ----------
    given
        What was given under known keys, right or wrong.
    roles
        Role of every column; None where it cannot be told.
    models
        Place and value of every model that can be made.

    Examples
    --------
    >>> from likeness.policy.problems import line
    >>> given = {"columns": {"zip": {"role": "quasi"}}, "individual": "zip"}
    >>> [line(entry) for entry in people_problems(given, {"zip": "quasi"}, [])]
    ["individual: the column 'zip' has the role quasi; give it role: identifier, because it names a person"]
    """
    person = given.get("individual")
    about = [(place, model) for place, model in models if getattr(model, "about_individuals", False)]
    if person is None:
        for key in ("records", "hygiene"):
            if given.get(key) is not None:
                yield Entry((key,), f"is about people with several records; add {_EXAMPLE}")
        for place, model in about:
            message = f"{model.name}: is about people with several records; add {_EXAMPLE}"
            yield Entry(("privacy", *place), message)
    elif isinstance(person, str):
        yield from _person(person, given, roles)
        yield from _rules(given, [model.name for _, model in about])
    yield from _missing_elsewhere(person, given["columns"], roles)


def _person(person: str, given: Mapping[str, Any], roles: Mapping[str, str | None]) -> Iterator[Entry]:
    """Whether the column that names a person can do so."""
    role = roles.get(person)
    if role not in {None, "identifier"}:
        message = (
            f"the column {person!r} has the role {role}; give it role: identifier, because it names a person"
        )
        yield Entry(("individual",), message)
    column = given["columns"].get(person)
    if _key(column, "action") == "pseudonym":
        message = (
            "pseudonym: people with several records get their linked number from the form identity-reserved, which "
            "publishes it as person; leave action out"
        )
        yield Entry(("columns", person, "action"), message)
    if _key(_key(column, "missing"), "policy") == "category":
        message = "category: records that name nobody are not all of one person; say drop to leave them out, or error"
        yield Entry(("columns", person, "missing", "policy"), message)
    on = _key(given.get("records"), "on")
    if isinstance(on, str) and on in roles and person in roles and on != person:
        message = (
            f"{on!r} is not the column that individual names, {person!r}; tables are joined on the person"
        )
        yield Entry(("records", "on"), message)


def _rules(given: Mapping[str, Any], about: Sequence[str]) -> Iterator[Entry]:
    """Whether the rules for records and people contradict a model, or the rules about missing cells."""
    hygiene = given.get("hygiene")
    if about and _key(hygiene, "duplicates") == "keep":
        message = f"keep: in {about[0]} a person has a sensitive value once; say drop, or error"
        yield Entry(("hygiene", "duplicates"), message)
    told = hygiene if isinstance(hygiene, Mapping) else getattr(hygiene, "model_fields_set", ())
    rule = _key(hygiene, "no_sensitive") if "no_sensitive" in told else None
    policy = _key(given.get("missing"), "policy")
    same = SAME_RULE.get(policy) if isinstance(policy, str) else None
    if rule in ("drop", "value", "error") and same is not None and rule != same:
        message = f"{rule}: contradicts missing.policy: {policy}; say it in one place"
        yield Entry(("hygiene", "no_sensitive"), message)


def _missing_elsewhere(
    person: Any, columns: Mapping[str, Any], roles: Mapping[str, str | None]
) -> Iterator[Entry]:
    """Rules about missing cells of identifiers that name no person."""
    for name, column in columns.items():
        if roles.get(name) == "identifier" and name != person and _key(column, "missing") is not None:
            yield Entry(
                ("columns", name, "missing"),
                "of identifiers, only the column that individual names has a rule about missing cells; leave it out",
            )


def _key(given: Any, key: str) -> Any:
    """Value of a key of a mapping or a declaration; None where there is none."""
    return given.get(key) if isinstance(given, Mapping) else getattr(given, key, None)
