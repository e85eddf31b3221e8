"""JSON Schema of policy files, so that editors complete them and say what is wrong while they are written."""

from __future__ import annotations

import copy
import inspect
import typing
from dataclasses import MISSING, Field, fields
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

from likeness import docstrings, registry
from likeness.policy.column import ALLOWED
from likeness.policy.parts import key_of

if TYPE_CHECKING:
    from pydantic import BaseModel

DRAFT = "https://json-schema.org/draft/2020-12/schema"

_SIMPLE: dict[Any, dict[str, Any]] = {
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    Fraction: {"type": ["number", "string"]},
    str: {"type": "string"},
    type(None): {"type": "null"},
}


def policy_schema(policy: type[BaseModel]) -> dict[str, Any]:
    """Describe policy files, with every model, method and form there is.

    Parameters
    ----------
    policy
        The whole file.

    Returns
    -------
    dict
        JSON Schema, draft 2020-12; a fresh copy.

    Examples
    --------
    >>> from likeness.policy import Policy
    >>> schema = policy_schema(Policy)
    >>> schema["$schema"], schema["$defs"]["model"]["oneOf"][0]["required"][0]
    ('https://json-schema.org/draft/2020-12/schema', 'model')
    """
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
    noise = {"title"} | ({"default"} if schema.get("default", "") is None else set())
    return {key: _without_noise(value) for key, value in schema.items() if key not in noise}


def part_schema(kind: str, name: str) -> dict[str, Any]:
    """Describe one model, method or form as a policy names it.

    Parameters
    ----------
    kind
        ``models``, ``methods`` or ``forms``.
    name
        The part's name.

    Examples
    --------
    >>> schema = part_schema("models", "k-anonymity")
    >>> schema["properties"]["k"]
    {'type': 'integer', 'description': 'Smallest allowed class, at least 1.'}
    >>> schema["required"]
    ['model', 'k']
    """
    part = registry.load(kind, name)
    texts = docstrings.parameters(part)
    properties: dict[str, Any] = {key_of(kind): {"const": name}}
    required = [key_of(kind)]
    for field in fields(part):
        described = _of_field(part, field)
        if described is None:
            continue
        if field.name in texts:
            described["description"] = " ".join(texts[field.name].split())
        properties[field.name] = described
        if field.default is MISSING and field.default_factory is MISSING:
            required.append(field.name)
    return {
        "type": "object",
        "description": registry.summary(kind, name),
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def _only(role: str, allowed: frozenset[str]) -> dict[str, Any]:
    """Leave a column of one role only the keys that mean something for it."""
    foreign = sorted(frozenset().union(*ALLOWED.values()) - allowed)
    return {
        "if": {"properties": {"role": {"const": role}}, "required": ["role"]},
        "then": {"properties": dict.fromkeys(foreign, False)},
    }


def _of_field(part: type[Any], field: Field[Any]) -> dict[str, Any] | None:
    """Describe one parameter; None when it lives in Python only."""
    hint = _hint(part, field)
    if hint is None:
        return {}
    described = _of_hint(hint)
    if (
        described is not None
        and field.default is not MISSING
        and isinstance(field.default, str | int | float)
    ):
        described["default"] = field.default
    return described


def _hint(part: type[Any], field: Field[Any]) -> Any:
    """Type of a parameter, or None when its annotation cannot be read."""
    if not isinstance(field.type, str):
        return field.type
    home = next(base for base in part.__mro__ if field.name in inspect.get_annotations(base))
    names = {**vars(typing), **vars(inspect.getmodule(home) or typing), "Fraction": Fraction}
    try:
        return eval(field.type, names)  # noqa: S307  # our own source
    except (NameError, TypeError):
        return None


def _of_hint(hint: Any) -> dict[str, Any] | None:
    """Describe a type; None for functions, which no file can hold."""
    if hint in _SIMPLE:
        return dict(_SIMPLE[hint])
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin in {tuple, list} or getattr(origin, "__name__", "") in {"Sequence", "Iterable"}:
        items = _of_hint(arguments[0]) if arguments else None
        return {"type": "array", "items": items or {}}
    if origin is dict or getattr(origin, "__name__", "") == "Mapping":
        return {"type": "object"}
    if getattr(origin, "__name__", "") == "Callable":
        return None
    if arguments and (origin is typing.Union or str(origin) == "<class 'types.UnionType'>"):
        options = [_of_hint(argument) for argument in arguments if argument is not type(None)]
        real = [option for option in options if option is not None]
        if not real:
            return None
        return _merged([*real, _SIMPLE[type(None)]] if type(None) in arguments else real)
    return {}


def _merged(options: list[dict[str, Any]]) -> dict[str, Any]:
    """One of several types, as short as can be."""
    if all(set(option) == {"type"} for option in options):
        kinds: list[str] = []
        for option in options:
            kinds += [option["type"]] if isinstance(option["type"], str) else option["type"]
        found = list(dict.fromkeys(kinds))
        return {"type": found[0] if len(found) == 1 else found}
    return options[0] if len(options) == 1 else {"anyOf": options}
