"""What the sections of a policy say about one another.

What a policy says about people with several records, and whether it goes together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

from likeness.errors import PolicyError, suggestion
from likeness.policy.column import Column, Role
from likeness.policy.parts import find_models, read_knowledge
from likeness.policy.problems import Entry, Place, RefusalError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SAME_RULE = {"category": "value", "drop": "drop"}
"""Rules about missing cells, and what `Hygiene.no_sensitive` calls them."""

_EXAMPLE = "individual: the column that names a person, as in individual: patient_id"


def individual_problems(
    given: Mapping[str, Any], roles: Mapping[str, str | None], models: Sequence[tuple[Place, Any]]
) -> Iterator[Entry]:
    """Find keys about people with several records that do not go together.

    ``given``: what was given under known keys, right or wrong. ``roles``: of every column; None where it cannot be told.
    ``models``: place and value of every model that can be made.
    """
    person = given.get("individual")
    about = [(place, model) for place, model in models if model.about_individuals]
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


@dataclass(frozen=True)
class Outline:
    """As much of a policy as can be told, whatever else is wrong with it.

    ``roles``: of every column; None where it cannot be told. ``models``: place and value of each that can be made.
    """

    roles: dict[str, str | None]
    models: list[tuple[Place, Any]]

    @property
    def sensitive(self) -> list[str]:
        """Columns that are sensitive for certain."""
        return [name for name, role in self.roles.items() if role == "sensitive"]


def outline(given: Mapping[str, Any]) -> Outline:
    """Read roles and models from what was given, passing over what is wrong."""
    columns = given.get("columns")
    roles = {str(name): _role(raw) for name, raw in columns.items()} if isinstance(columns, Mapping) else {}
    return Outline(roles, find_models(given["privacy"])[0] if "privacy" in given else [])


def _role(raw: Any) -> str | None:
    """Role of one column, if it can be told."""
    role = raw.role if isinstance(raw, Column) else raw.get("role") if isinstance(raw, Mapping) else None
    return role if isinstance(role, str) and role in get_args(Role) else None


def contradictions(given: Mapping[str, Any]) -> Iterator[Entry]:
    """Find problems between the sections of a policy; ``given`` is all that stands under known keys, right or wrong."""
    columns = given.get("columns")
    if not isinstance(columns, Mapping):
        return
    if not columns:
        yield Entry(("columns",), "declare every column of the table; found none")
        return
    if given.get("method") is not None:
        for key in ("effort", "minimize"):
            if given.get(key) is not None:
                what = "is for policies that name no method; leave it out, or say method: {name: local-search, start: mondrian}"
                yield Entry((key,), what)
    known = outline(given)
    for place, model in known.models:
        yield from _covered(("privacy", *place), model, known)
    for key in ("individual", "weights"):
        yield from _declared((key,), given.get(key), known)
    yield from individual_problems(given, known.roles, known.models)
    yield from _knowledge_problems(given, known)
    categories = given.get("categories")
    for name in categories if isinstance(categories, Mapping) else ():
        yield from _is_sensitive(("categories",), name, known)
    records = given.get("records")
    on = records.get("on") if isinstance(records, Mapping) else getattr(records, "on", None)
    yield from _declared(("records", "on"), on, known)


def _knowledge_problems(given: Mapping[str, Any], known: Outline) -> Iterator[Entry]:
    """Rules between what adversaries know and the models about it."""
    sources = given.get("knowledge")
    try:
        made = read_knowledge(sources) if sources else ()
    except (RefusalError, PolicyError):
        return  # said of the section itself
    about = [(place, model) for place, model in known.models if model.needs_knowledge]
    for source in made:
        if source.sensitive is not None:
            yield from _is_sensitive(("knowledge",), source.sensitive, known)
    called = [source.called for source in made if source.called is not None]
    for place, model in about:
        where = ("privacy", *place)
        if not made:
            what = "needs what an adversary may know beforehand; say it, as in knowledge: {kernel: {bandwidth: 0.3}}"
            yield Entry(where, f"{model.name}: {what}")
        elif model.knowledge is not None and model.knowledge not in called:
            hint = suggestion(model.knowledge, called)
            yield Entry(where, f"{model.name}: there is no knowledge called {model.knowledge!r}{hint}")


def _covered(place: Place, model: Any, known: Outline) -> Iterator[Entry]:
    """Whether a model finds the sensitive column it needs."""
    if not model.needs_sensitive:
        return
    column = model.sensitive
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
