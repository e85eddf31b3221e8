"""JSON Schema of policy files, so that editors complete them and say what is wrong while they are written."""

from __future__ import annotations

import copy
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import PydanticOmit

from likeness import docstrings, registry
from likeness.policy.column import ALLOWED
from likeness.policy.parts import key_of

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic_core.core_schema import CallableSchema, DictSchema

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
    """Describe one model, method or form as a policy names it; texts of its parameters are those of its docstring."""
    part = registry.load(kind, name)
    texts = docstrings.parameters(part)
    made = TypeAdapter(part).json_schema(schema_generator=_OfParts)
    properties: dict[str, Any] = {key_of(kind): {"const": name}}
    for parameter, described in made.get("properties", {}).items():
        properties[parameter] = _without_noise(described)
        if parameter in texts:
            properties[parameter]["description"] = " ".join(texts[parameter].split())
    return {
        "type": "object",
        "description": registry.summary(kind, name),
        "properties": properties,
        "required": [key_of(kind), *made.get("required", ())],
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
