"""Markdown that is made from the program itself: its parts, its commands, the keys of a policy."""

from __future__ import annotations

import json
import re
from importlib import import_module
from typing import Any

from likeness import cli, registry

RST = "```{{eval-rst}}\n{}\n```\n"


def parts(kind: str) -> str:
    """List every part of a kind: a table, then a section each."""
    rows = [
        f"| [`{name}`](#{_label(kind, name)}) | {_cell(registry.summary(kind, name))} |"
        for name in _ours(kind)
    ]
    table = "\n".join(("| name | what it is |", "| --- | --- |", *rows))
    return "\n".join((table, "", *(_part(kind, name) for name in _ours(kind))))


def _ours(kind: str) -> tuple[str, ...]:
    """Name the parts that this distribution brings."""
    return tuple(name for name in registry.names(kind) if registry.distribution(kind, name) is None)


def _label(kind: str, name: str) -> str:
    """Name the place of a part: the same names occur in several kinds."""
    return f"{kind}-{name}"


def _part(kind: str, name: str) -> str:
    """Write the section of a part."""
    told = registry.describe(kind, name)
    facts = {**told["facts"], **({"proof": told["scope"]} if "scope" in told else {})}
    lines = [f"* {words}: {_fact(value)}" for words, value in facts.items() if value not in ("", ())]
    return "\n".join(
        (
            f"({_label(kind, name)})=",
            f"## {name}",
            "",
            RST.format(f".. autoclass:: likeness.{told['class']}"),
            *lines,
            "",
        )
    )


def _fact(value: object) -> str:
    """Write what is so of a part."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple | list):
        return ", ".join(f"`{one}`" for one in value)
    return str(value)


def commands() -> str:
    """Write a section for every command, from its own help."""
    return "\n".join(_command(name) for name in cli.COMMANDS)


def _command(name: str) -> str:
    """Write the section of a command."""
    app = import_module(f"likeness.cli.{name}").command
    text = app.generate_docs(output_format="markdown", heading_level=2, usage_name=f"likeness {name}")
    body = re.sub(r"\A.*?(?=^```)", "", text, flags=re.DOTALL | re.MULTILINE).replace("```console", "```text")
    epilogue = [line.removeprefix("  ") for line in (app.help_epilogue or "").splitlines()[1:]]
    shown = ["", "**Examples**:", "", "```text", *epilogue, "```", ""] if epilogue else []
    return "\n".join((f"(command-{name})=", f"## likeness {name}", "", body.strip(), *shown, ""))


def exit_codes() -> str:
    """List the exit codes, as the package of the commands does."""
    lines = (cli.__doc__ or "").splitlines()
    rules = [number for number, line in enumerate(lines) if line.startswith("====")]
    return RST.format("\n".join(lines[rules[0] : rules[-1] + 1]))


def policy_keys() -> str:
    """List every key of a policy file, from its schema."""
    from likeness.policy import Policy

    whole = Policy.json_schema()
    named = whole["$defs"]
    lines = [_keys(whole, named)]
    for name, one in named.items():
        if "properties" in one:
            place = _place(name, whole)
            lines += [
                f"(policy-{name.lower()})=",
                f"## Below `{place}`",
                "",
                one.get("description", ""),
                "",
                _keys(one, named),
            ]
    return "\n".join(lines)


def _place(name: str, whole: dict[str, Any]) -> str:
    """Where in a policy a kind of mapping stands."""
    holders = [("", whole), *((other, one) for other, one in whole["$defs"].items() if "properties" in one)]
    for holder, one in holders:
        for key, said in one["properties"].items():
            if f'"#/$defs/{name}"' in json.dumps(said):
                return f"{_place(holder, whole)} {key}:" if holder else f"{key}:"
    raise ValueError(f"nothing in a policy is a {name}")


def _keys(one: dict[str, Any], named: dict[str, Any]) -> str:
    """Write the keys of a mapping, each with what it may be."""
    required = one.get("required", ())
    rows = [
        f"| `{key}` | {_cell(said.get('description', ''))} | {_cell(_kind(said, named))} | "
        f"{'required' if key in required else _default(said)} |"
        for key, said in one["properties"].items()
    ]
    return "\n".join(("| key | what it says | value | left out |", "| --- | --- | --- | --- |", *rows, ""))


def _default(said: dict[str, Any]) -> str:
    """Write a key's default."""
    value = said.get("default")
    return "" if value in (None, {}) else f"`{json.dumps(value, ensure_ascii=False)}`"


PAGES = {
    "model": "models",
    "method": "methods",
    "form": "forms",
    "metric": "metrics",
    "knowledge": "knowledge",
}
"""Pages of the parts that a policy names."""


def _kind(said: dict[str, Any], named: dict[str, Any]) -> str:
    """Say what a value may be, in a few words."""
    if "$ref" in said:
        name = said["$ref"].rpartition("/")[2]
        if name not in PAGES:
            return f"[its keys](#policy-{name.lower()})"
        return f"[a {registry.noun(PAGES[name])}]({PAGES[name]}.md)"
    if "const" in said:
        return f"`{said['const']}`"
    if "enum" in said:
        values = [one for one in said["enum"] if one is not None]
        return "its name" if len(values) > MOST_VALUES else ", ".join(f"`{one}`" for one in values)
    for several in ("anyOf", "oneOf"):
        if several in said:
            choices = [one for one in said[several] if one.get("type") != "null"]
            parts = [one for one in choices if one.get("$ref", "").rpartition("/")[2] in PAGES]
            if len(parts) == 1 and len(choices) == 2:
                (other,) = (one for one in choices if one not in parts)
                return (
                    f"{_kind(parts[0], named)}{', or its name' if 'enum' in other else ', or a list of them'}"
                )
            return " or ".join(dict.fromkeys(_kind(one, named) for one in choices))
    if "description" in said and said.get("type") == "object" and "properties" in said:
        return f"{said['description'].rstrip('.').lower()}: {', '.join(f'`{key}`' for key in said['properties'])}"
    return _type(said, named)


MOST_VALUES = 8
"""Names that are listed; more of them have a page of their own."""
WORDS = {
    "string": "a text",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a mapping",
}


def _type(said: dict[str, Any], named: dict[str, Any]) -> str:
    """Say of which type a value is."""
    kinds = said.get("type", ())
    kinds = [kinds] if isinstance(kinds, str) else kinds
    words = [WORDS[kind] for kind in kinds if kind != "null"]
    if kinds == ["array"] and isinstance(said.get("items"), dict) and (inner := _kind(said["items"], named)):
        return f"a list: {inner}"
    if kinds == ["object"] and isinstance(said.get("additionalProperties"), dict):
        inner = _kind(said["additionalProperties"], named)
        return f"a mapping: {inner}" if inner else words[0]
    return " or ".join(words)


def _cell(text: str) -> str:
    """Write a text so that it stays in one cell of a table."""
    return text.replace("``", "`").replace("|", "\\|").replace("\n", " ")


LISTINGS = {"parts": parts, "commands": commands, "exit-codes": exit_codes, "policy": policy_keys}
"""What a page may ask for, by ``<!-- generated: NAME ARGUMENT … -->``."""
