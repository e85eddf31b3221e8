"""``likeness show``: one part, its parameters, what it promises and where it is from; its class says it all."""

from __future__ import annotations

from typing import Any

from likeness.cli._app import command as as_command
from likeness.cli._console import console
from likeness.cli._options import Format


def as_text(part: dict[str, Any]) -> str:
    """Write what `registry.describe` found for people."""
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
    from likeness import registry

    found = [registry.describe(*place) for place in registry.find(name)]
    if format == "json":
        console.json(found)
        return
    console.lines("\n".join(as_text(part) for part in found).splitlines())


command = as_command(show)
