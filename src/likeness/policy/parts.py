"""The models, the method and the form a policy names: made by the registry, written back, and described by a JSON Schema.

With the schema editors complete policy files and say what is wrong while they are written.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import chain
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import PydanticOmit

from likeness import docstrings, registry
from likeness.errors import LikenessError, PolicyError, nearest, suggestion
from likeness.policy.column import ALLOWED
from likeness.policy.files import read_document
from likeness.policy.problems import Entry, Place, RefusalError, path, refusal, refuse_odd_keys, shown
from likeness.wording import quoted

if TYPE_CHECKING:
    from pathlib import Path

    from pydantic import BaseModel
    from pydantic_core.core_schema import CallableSchema, DictSchema

_EXAMPLES = {
    "models": "{model: k-anonymity, k: 5}",
    "methods": "{name: mondrian}",
    "forms": "{name: generalized, recoding: tight}",
    "metrics": "{name: query-error, predicates: 2}",
    "knowledge": "{kernel: {bandwidth: 0.3}}",
}


def find_models(given: Any) -> tuple[list[tuple[Place, Any]], list[Entry]]:
    """Make the privacy models of a policy, as many as can be made; say what is wrong with the others.

    ``given``: a model, a composition, a mapping, or a list of these. Each model comes with its place within ``privacy``:
    the position in the list, empty for one alone.
    """
    alone = not isinstance(given, list | tuple)
    listed = [given] if alone else list(given)
    if not listed:
        return [], [Entry((), f"give at least one model, such as {_EXAMPLES['models']}")]
    found: list[tuple[Place, Any]] = []
    problems: list[Entry] = []
    for i, item in enumerate(listed):
        place: Place = () if alone else (i,)
        for one in _members(item):
            try:
                found.append((place, read_part("models", one)))
            except RefusalError as problem:
                problems += (entry._replace(place=(*place, *entry.place)) for entry in problem.entries)
    return found, problems


def read_models(given: Any) -> tuple[Any, ...]:
    """Make the privacy models of a policy, or refuse them with all their problems."""
    found, problems = find_models(given)
    if problems:
        raise RefusalError(*problems)
    return tuple(model for _, model in found)


def read_part(kind: str, given: Any) -> Any:
    """Make one part of a kind (``models``, ``methods`` …): from itself, its name, or a mapping of name and parameters.

    Raises `PolicyError` when there is no such part, or its parameters are refused.
    """
    noun, key = registry.noun(kind), key_of(kind)
    if isinstance(given, str):
        return _create(kind, given, {})
    if not isinstance(given, Mapping):
        return _made(kind, given)
    if key not in given:
        near = nearest(key, [*map(str, given)])
        instead = "" if near is None else f" (not {quoted(near)})"
        raise refusal(f"the key {key!r} is missing{instead}; write {_EXAMPLES[kind]}")
    name = given[key]
    if not isinstance(name, str):
        raise RefusalError(Entry((key,), f"must be the name of a {noun}; got {shown(name)}"))
    parameters = {parameter: value for parameter, value in given.items() if parameter != key}
    refuse_odd_keys(parameters)
    return _create(kind, name, parameters)


def read_minimize(given: Any) -> Any:
    """Make the metric that a policy minimizes: from itself, its name, or a mapping of name and parameters.

    Raises `PolicyError` when it is none that can be minimized; says which can.

    >>> read_minimize("glm")
    Glm()
    """
    name = given.get("name") if isinstance(given, Mapping) else given
    known = registry.names("metrics")
    if isinstance(name, str) and not (name in known and registry.load("metrics", name).minimized):
        raise refusal(f"must be one of {', '.join(minimized())}", name)
    made = read_part("metrics", given)
    if not made.minimized:
        raise refusal(f"must be one of {', '.join(minimized())}", made.name)
    return made


def minimized() -> tuple[str, ...]:
    """List the metrics that a policy may minimize."""
    return tuple(name for name in registry.names("metrics") if registry.load("metrics", name).minimized)


def read_knowledge(given: Any) -> tuple[Any, ...]:
    """Make the sources of knowledge of a policy: one, or a list, each under its name, as in ``kernel: {bandwidth: 0.3}``.

    Beside it may stand ``name``, what models call it, and ``sensitive``, the column that it is about.
    """
    listed = list(given) if isinstance(given, list | tuple) else [given]
    found: list[Any] = []
    problems: list[Entry] = []
    for i, item in enumerate(listed):
        place: Place = (i,) if isinstance(given, list | tuple) else ()
        try:
            found.append(read_source(item))
        except RefusalError as problem:
            problems += (entry._replace(place=(*place, *entry.place)) for entry in problem.entries)
    called = [(source.sensitive, source.called) for source in found]
    several = {column for column, _ in called if sum(other == column for other, _ in called) > 1}
    unnamed = [own for own in called if own[0] in several and own[1] is None]
    if unnamed:
        problems.append(Entry((), "several sources of knowledge need names; give each a name:"))
    twice = next((own for own in called if own[1] is not None and called.count(own) > 1), None)
    if twice is not None:
        problems.append(Entry((), f"two sources of knowledge are called {quoted(twice[1])}"))
    if not listed:
        problems.append(Entry((), f"give at least one source of knowledge, such as {_EXAMPLES['knowledge']}"))
    if problems:
        raise RefusalError(*problems)
    return tuple(found)


def load_knowledge(path: str | Path) -> tuple[Any, ...]:
    """Make the sources of knowledge of a file that has the key ``knowledge``, as a policy has it.

    Raises `PolicyError` with the lines of all problems.
    """
    document = read_document(path)
    given = document.content.get("knowledge")
    if not given:
        missing = f"says no knowledge, such as knowledge: {_EXAMPLES['knowledge']}"
        raise PolicyError(f"{document.name}: {missing}")
    try:
        return read_knowledge(given)
    except RefusalError as problem:
        entries = (entry._replace(place=("knowledge", *entry.place)) for entry in problem.entries)
        raise PolicyError(*document.explain(entries)) from None


def read_source(given: Any) -> Any:
    """Make one source of knowledge."""
    if not isinstance(given, Mapping):
        return _made("knowledge", given)
    refuse_odd_keys(given)
    known = registry.names("knowledge")
    beside = {"name": "called", "sensitive": "sensitive"}
    sources = [key for key in given if key not in beside]
    unknown = [key for key in sources if key not in known]
    if unknown:
        raise RefusalError(
            Entry((), f"unknown key {quoted(unknown[0])}{suggestion(unknown[0], [*known, *beside])}")
        )
    if len(sources) != 1:
        raise refusal(f"give one source of knowledge, such as {_EXAMPLES['knowledge']}")
    (name,) = sources
    inner = given[name]
    if not isinstance(inner, Mapping):
        main = registry.load("knowledge", name).main
        if not main:
            raise RefusalError(
                Entry((name,), f"must be a mapping, such as {_EXAMPLES['knowledge']}; got {shown(inner)}")
            )
        inner = {main: inner}
    refuse_odd_keys(inner)
    for key in beside.values():
        if key in inner:
            raise RefusalError(Entry((name,), f"{name}: unknown parameter {quoted(key)}"))
    for key, field in beside.items():
        if key in given and not (isinstance(given[key], str) and given[key]):
            raise RefusalError(Entry((key,), f"must be a text; got {shown(given[key])}"))
        if key in given:
            inner = {**inner, field: given[key]}
    return _create("knowledge", name, dict(inner))


def plain_source(source: Any, place: Place) -> dict[str, Any]:
    """Write a source of knowledge as a policy file holds it."""
    given = plain_part("knowledge", source, place)
    called, sensitive = given.pop("called", None), given.pop("sensitive", None)
    found = {given.pop("name"): given}
    return (
        found
        | ({} if called is None else {"name": called})
        | ({} if sensitive is None else {"sensitive": sensitive})
    )


def key_of(kind: str) -> str:
    """Name the key that holds a part's name in a policy: ``model`` for models, ``name`` for methods and forms."""
    return "model" if kind == "models" else "name"


def plain_part(kind: str, part: Any, place: Place) -> dict[str, Any]:
    """Write a part as a policy file holds it.

    Raises `PolicyError`, which names ``place``, when a parameter lives only in Python, such as a function.
    """
    found = {key_of(kind): part.name}
    for name, value in registry.parameters(part).items():
        try:
            found[name] = _plain(value)
        except TypeError:
            what = "a function" if callable(value) else f"a {type(value).__name__}"
            raise PolicyError(
                f"{path(place)}: {part.name}: {name} is {what}, which no policy file can hold"
            ) from None
    return found


def plain_parts(given: Mapping[str, Any]) -> dict[str, Any]:
    """Write the parts of a policy (``privacy``, and others where given) as a policy file holds them.

    Raises `PolicyError` with one line for each that lives only in Python.
    """
    problems: list[str] = []

    def plain(kind: str, part: Any, place: Place) -> dict[str, Any]:
        try:
            return plain_part(kind, part, place)
        except PolicyError as problem:
            problems.extend(problem.problems)
            return {}

    found: dict[str, Any] = {
        "privacy": [plain("models", model, ("privacy", i)) for i, model in enumerate(given["privacy"])]
    }
    for key, kind in (("method", "methods"), ("form", "forms"), ("minimize", "metrics")):
        if given.get(key) is not None:
            found[key] = plain(kind, given[key], (key,))
    if given.get("knowledge"):
        sources = [plain_source(one, ("knowledge", i)) for i, one in enumerate(given["knowledge"])]
        found["knowledge"] = sources[0] if len(sources) == 1 else sources
    if problems:
        raise PolicyError(*problems)
    return found


def _members(item: Any) -> tuple[Any, ...]:
    """Models of a composition; anything else is one."""
    members = getattr(item, "models", None)
    return members if isinstance(members, tuple) else (item,)


def _create(kind: str, name: str, parameters: dict[str, Any]) -> Any:
    """Make a part by name; every refusal is ours."""
    try:
        part = registry.create(kind, name, parameters)
    except LikenessError as problem:
        raise RefusalError(*(Entry((), text) for text in problem.problems)) from None
    except (TypeError, ValueError, ArithmeticError) as problem:
        # A part that trips over a value of a type it did not expect refuses it all the same.
        raise refusal(f"{name}: a parameter is not understood: {problem}") from None
    # YAML's `no` is a text here, and would count as true.
    wrong = [
        key for key in parameters if _is_truth(type(part), key) and not isinstance(parameters[key], bool)
    ]
    if wrong:
        texts = (f"{name}: {key} must be true or false; got {shown(parameters[key])}" for key in wrong)
        raise RefusalError(*(Entry((), text) for text in texts))
    return part


def _is_truth(part: type[Any], key: str) -> bool:
    """Whether a parameter is declared as true or false."""
    return any(field.name == key and field.type in {"bool", bool} for field in fields(part))


def _made(kind: str, given: Any) -> Any:
    """Check that an object is a part of this kind."""
    noun = registry.noun(kind)
    if isinstance(given, type):
        raise refusal(f"{given.__name__} is a class; give one with its parameters, {given.__name__}(…)")
    name = getattr(given, "name", None)
    if is_dataclass(given) and isinstance(name, str):
        other = next(
            (home for home in registry.KINDS if home != kind and registry.belongs(given, home)), None
        )
        if other is None or registry.belongs(given, kind):
            return given
        raise refusal(f"must be a {noun}; {name} is one of the {other}")
    raise refusal(f"must be a {noun} such as {_EXAMPLES[kind]}", given)


def _plain(value: Any) -> Any:
    """Write a parameter as JSON can hold it; TypeError when it cannot."""
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Fraction | Decimal):
        exact = Fraction(value)
        return exact.numerator if exact.denominator == 1 else str(exact)
    if isinstance(value, Real):
        return float(value)
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return {key: _plain(item) for key, item in value.items()}
    if is_dataclass(value) and registry.belongs(value, "knowledge"):
        return plain_source(value, ())
    raise TypeError(type(value).__name__)


DRAFT = "https://json-schema.org/draft/2020-12/schema"


def policy_schema(policy: type[BaseModel]) -> dict[str, Any]:
    """Describe policy files, with every model, method and form there is: JSON Schema, draft 2020-12; a fresh copy."""
    return copy.deepcopy(_policy_schema(policy))


@cache
def _policy_schema(policy: type[BaseModel]) -> dict[str, Any]:
    """Describe policy files, once."""
    schema: dict[str, Any] = {"$schema": DRAFT, **policy.model_json_schema()}
    definitions: dict[str, Any] = schema["$defs"]
    for kind in ("models", "methods", "forms"):
        definitions[kind[:-1]] = {"oneOf": [part_schema(kind, name) for name in registry.names(kind)]}
    one_model = {"$ref": "#/$defs/model"}
    keys = schema["properties"]
    several = {"type": "array", "minItems": 1, "items": one_model}
    keys["privacy"] = {"description": keys["privacy"]["description"], "anyOf": [several, one_model]}
    for key in ("method", "form"):
        names = {"enum": [*registry.names(f"{key}s"), None]}
        keys[key]["anyOf"] = [{"$ref": f"#/$defs/{key}"}, names]
    definitions["metric"] = {"oneOf": [part_schema("metrics", name) for name in minimized()]}
    keys["minimize"]["anyOf"] = [{"$ref": "#/$defs/metric"}, {"enum": [*minimized(), None]}]
    definitions["knowledge"] = {"oneOf": [_source_schema(name) for name in registry.names("knowledge")]}
    one_source = {"$ref": "#/$defs/knowledge"}
    sources = {"type": "array", "minItems": 1, "items": one_source}
    keys["knowledge"] = {"description": keys["knowledge"]["description"], "anyOf": [one_source, sources]}
    keys["columns"]["minProperties"] = 1
    definitions["Column"]["allOf"] = [_only(role, allowed) for role, allowed in ALLOWED.items()]
    schema = _without_noise(schema)
    schema["title"] = "Policy of likeness"
    return schema


def _without_noise(schema: Any) -> Any:
    """Leave out titles, which repeat the keys, null defaults, and all but the first line of docstrings."""
    if isinstance(schema, list):
        return [_without_noise(item) for item in schema]
    if not isinstance(schema, dict):
        return schema.split("\n\n")[0] if isinstance(schema, str) else schema
    # A key that is called title is described by a schema, not by a text.
    titled = {"title"} if isinstance(schema.get("title"), str) else set()
    noise = titled | ({"default"} if schema.get("default", "") is None else set())
    return {key: _without_noise(value) for key, value in schema.items() if key not in noise}


def part_schema(kind: str, name: str) -> dict[str, Any]:
    """Describe one model, method or form as a policy names it; texts of its parameters are those of its docstring."""
    part = registry.load(kind, name)
    texts = docstrings.parameters(part)
    made = TypeAdapter(part).json_schema(schema_generator=_OfParts)
    properties: dict[str, Any] = {key_of(kind): {"const": name}}
    keys = {field.name: registry.key_of(field) for field in fields(part)}
    for parameter, described in made.get("properties", {}).items():
        key = keys[parameter]
        properties[key] = _without_noise(described)
        if parameter in texts:
            properties[key]["description"] = " ".join(texts[parameter].split())
        if kind == "methods" and not {*properties[key]} - {"description", "default"}:
            # What has no type of files is another method.
            properties[key]["anyOf"] = [{"$ref": "#/$defs/method"}, {"enum": [*registry.names(kind), None]}]
    return {
        "type": "object",
        "description": registry.summary(kind, name),
        "properties": properties,
        "required": [key_of(kind), *(keys[parameter] for parameter in made.get("required", ()))],
        "additionalProperties": False,
    }


def _source_schema(name: str) -> dict[str, Any]:
    """Describe one source of knowledge as a policy names it."""
    own = part_schema("knowledge", name)
    properties = own["properties"]
    beside = {"name": properties.pop("called"), "sensitive": properties.pop("sensitive")}
    del properties["name"]
    for described in properties.values():
        if not {*described} - {"description", "default"}:
            # What has no type of files is another source.
            described["anyOf"] = [{"$ref": "#/$defs/knowledge"}, {"type": "null"}]
    own["required"] = [key for key in own["required"] if key != "name"]
    main = registry.load("knowledge", name).main
    described = {"anyOf": [own, properties[main]]} if main else own
    return {
        "type": "object",
        "properties": {name: described, **beside},
        "required": [name],
        "additionalProperties": False,
    }


class _OfParts(GenerateJsonSchema):
    """Pydantic's generator, without what no file can hold, and as short as can be."""

    def callable_schema(self, schema: CallableSchema) -> dict[str, Any]:  # noqa: ARG002
        """Leave out functions: they live in Python only."""
        raise PydanticOmit

    def dict_schema(self, schema: DictSchema) -> dict[str, Any]:
        """Leave out that values may be anything."""
        made = super().dict_schema(schema)
        return {key: value for key, value in made.items() if (key, value) != ("additionalProperties", True)}

    def get_flattened_anyof(self, schemas: list[dict[str, Any]]) -> dict[str, Any]:
        """Write simple types as a list of their names; a fraction is a text like any other."""
        made = super().get_flattened_anyof(schemas)
        options = [{key: one[key] for key in one if one[key] != "fraction"} for one in made.get("anyOf", ())]
        if not options or any(set(option) != {"type"} for option in options):
            if {"type": "string"} in made.get("anyOf", ()):
                made["anyOf"] = [one for one in made["anyOf"] if one.get("format") != "fraction"]
            return made
        kinds = [
            [option["type"]] if isinstance(option["type"], str) else option["type"] for option in options
        ]
        return {"type": list(dict.fromkeys(chain.from_iterable(kinds)))}


def _only(role: str, allowed: frozenset[str]) -> dict[str, Any]:
    """Leave a column of one role only the keys that mean something for it."""
    foreign = sorted(frozenset().union(*ALLOWED.values()) - allowed)
    return {
        "if": {"properties": {"role": {"const": role}}, "required": ["role"]},
        "then": {"properties": dict.fromkeys(foreign, False)},
    }
