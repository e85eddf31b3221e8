"""``likeness show``: one part, its parameters, what it promises and where it is from; its class says it all."""

from __future__ import annotations

import inspect
from dataclasses import MISSING, fields
from typing import TYPE_CHECKING, Any

from likeness import docstrings, registry
from likeness.cli._app import command as as_command
from likeness.cli._console import console
from likeness.cli._options import Format
from likeness.errors import PolicyError, did_you_mean

if TYPE_CHECKING:
    from dataclasses import Field

FACTS = {
    "methods": {"form": "publishes in the form", "takes_parts": "keeps to max_level"},
    "models": {
        "needs_sensitive": "needs a sensitive column",
        "closed_under_union": "holds for the union of two classes that hold",
        "closed_under_adding": "still holds when a record is added",
    },
    "forms": {"tables": "tables", "publishes_exactly": "quasi-identifiers as they are", "remark": "remark"},
    "metrics": {
        "range": "range",
        "lower_is_better": "lower is better",
        "withheld": "withheld records",
        "variants": "variants",
    },
    "attacks": {},
    "datasets": {"default_rows": "rows by default"},
}
"""Attributes of the classes of each kind, and what people call them."""


def find(name: str) -> list[tuple[str, str]]:
    """Find the parts of a name, ``NAME`` or ``KIND/NAME``.

    Returns
    -------
    list
        Kind and name of each.

    Raises
    ------
    PolicyError
        When there is none; says which was probably meant.

    Examples
    --------
    >>> find("k-anonymity")
    [('models', 'k-anonymity')]
    """
    asked, slash, own = name.rpartition("/")
    kinds = (asked,) if slash else tuple(registry.KINDS)
    found = [(kind, own) for kind in kinds if own in registry.names(kind)]
    if not found:
        known = {known for kind in kinds for known in registry.names(kind)}
        hint = did_you_mean(own, known) or "; likeness list shows what there is"
        raise PolicyError(f"there is no {asked[:-1] or 'part'} {own!r}{hint}")
    return found


def describe(kind: str, name: str) -> dict[str, Any]:
    """Say everything about a part, as JSON can hold it."""
    part = registry.load(kind, name)
    described = docstrings.parameters(part)
    return {
        "name": name,
        "kind": kind[:-1],
        "class": part.__name__,
        "description": docstrings.description(part),
        "parameters": [_parameter(field, described.get(field.name, "")) for field in fields(part)],
        "facts": {
            words: value
            for attribute, words in FACTS[kind].items()
            if (value := getattr(part, attribute, None)) is not None
        },
        **({"scope": _scope(part)} if kind == "models" else {}),
        **({"distribution": origin} if (origin := registry.distribution(kind, name)) is not None else {}),
        "source": docstrings.sources(part) or docstrings.description(inspect.getmodule(part)),
    }


def as_text(part: dict[str, Any]) -> str:
    """Write what `describe` found for people."""
    lines = [f"{part['name']} ({part['kind']}, in Python {part['class']})", "", part["description"], ""]
    if part["parameters"]:
        lines.append("Parameters")
        for one in part["parameters"]:
            given = "required" if one["required"] else f"default {one['default']}"
            lines.append(f"  {one['name']} ({given})")
            lines += [f"      {line}" for line in one["description"].splitlines()]
        lines.append("")
    facts = {
        **({"proof": part["scope"]} if "scope" in part else {}),
        **part["facts"],
        **({"brought by": part["distribution"]} if "distribution" in part else {}),
    }
    if facts:
        lines += [f"{words}: {_words(value)}" for words, value in facts.items()] + [""]
    if part["source"]:
        lines += ["Source", *(f"  {line}".rstrip() for line in part["source"].splitlines()), ""]
    return "\n".join(lines).replace("``", "")


def _parameter(field: Field[Any], text: str) -> dict[str, Any]:
    """Say what a parameter is, and what it is when left out."""
    default = field.default
    if default is MISSING and field.default_factory is not MISSING:
        default = field.default_factory()
    found = {"name": field.name, "required": default is MISSING, "description": text}
    return found if default is MISSING else found | {"default": default}


def _scope(model: type[Any]) -> str:
    """Say who can check a model's proof."""
    if any(field.name == "reference" for field in fields(model)):
        return "public: anyone can check it; with reference: original, the steward alone"
    return "public: anyone can check it"


def _words(value: Any) -> str:
    """Write a fact for people."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple | list | dict):
        return ", ".join(map(str, value)) or "none"
    return str(value)


def show(name: str, /, *, format: Format = "text") -> None:  # noqa: A002  # the option's name
    """Show a method, model, form, metric, attack or dataset: parameters, defaults, guarantee, source.

    Parameters
    ----------
    name
        As list prints it; kind/name where two kinds have the same, such as models/proximity.

    Examples
    --------
    likeness show burel
    likeness show beta-likeness
    likeness show attacks/linkage --format json
    """
    found = [describe(*place) for place in find(name)]
    if format == "json":
        console.json(found)
        return
    console.lines("\n".join(as_text(part) for part in found).splitlines())


command = as_command(show)
