"""What the numpydoc docstring of a class or function says, for help, ``likeness show`` and the schema of policies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from docstring_parser.numpydoc import parse

if TYPE_CHECKING:
    from docstring_parser import Docstring

_SOURCES = ("references", "notes")


def description(thing: Any) -> str:
    """Take what a docstring says before its sections."""
    return (_parsed(thing).description or "").strip()


def examples(thing: Any) -> str:
    """Take the examples of a docstring, as they stand there."""
    return "\n".join(
        part for one in _parsed(thing).examples for part in (one.snippet, one.description) if part
    ).strip()


def parameters(thing: Any) -> dict[str, str]:
    """Take the text of every parameter, those of a class's bases included; ``a, b`` are two names with one."""
    return {
        name.strip(): one.description or ""
        for base in reversed(thing.__mro__ if isinstance(thing, type) else (thing,))
        for one in _parsed(base).params
        if one.args[0] == "param"
        for name in one.arg_name.split(",")
    }


def sources(thing: Any) -> str:
    """Take what a docstring says of where the thing is from: its references and notes."""
    told = {one.args[0]: one.description or "" for one in _parsed(thing).meta}
    return "\n".join(told[section] for section in _SOURCES if section in told)


def _parsed(thing: Any) -> Docstring:
    """Parse the docstring that a class, function or module has of its own."""
    return parse(thing.__doc__)
