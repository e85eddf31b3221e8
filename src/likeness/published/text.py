r"""The text of a region: unambiguous, and read back to the same region.

========================  ==================================================
text                      region
========================  ==================================================
``*``                     everything, the missing value included
(empty)                   the missing value
``18`` · ``flu``          one value
``[18, 40]``              all values from 18 to 40
``{a|b}``                 the values a and b
``Europe``                a hierarchy node, by its label
========================  ==================================================

A backslash before a character takes away its meaning: a value that is itself ``*``, or that would be read as an interval or
a set, is escaped, and so are the separators of an interval or set inside one; an empty value is written ``\e``. Other values
stand as they were, ``[60-70)`` too, so that they join with those of the original.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

EVERYTHING = "*"
MISSING = ""
_MEANING = re.compile(r"([\\|{}\[\],*])")
_PIECE = re.compile(r"\\(.)", re.DOTALL)


def write_value(value: str) -> str:
    r"""Write one value or node label.

    >>> write_value("flu"), write_value("*"), write_value("{x}"), write_value("[60-70)"), write_value("")
    ('flu', '\\*', '\\{x}', '[60-70)', '\\e')
    """
    if value == "":
        return "\\e"
    text = value.replace("\\", "\\\\")
    return f"\\{text}" if value == EVERYTHING or _looks_like_several(value) else text


def _looks_like_several(value: str) -> bool:
    """Whether a value would be read as an interval or a set."""
    between = value[0] + value[-1]
    return (between == "[]" and ", " in value) or (between == "{}" and len(value) > 1)


def write_label(label: str) -> str:
    r"""Write the label of a hierarchy node: in such a column brackets and braces mean nothing.

    >>> write_label("[20, 24]"), write_label("*"), write_label("a\\b")
    ('[20, 24]', '\\*', 'a\\\\b')
    """
    if label in {"", EVERYTHING}:
        return write_value(label)
    return label.replace("\\", "\\\\")


def read_value(text: str) -> str:
    """Read what `write_value` wrote."""
    if "\\" not in text:
        return text
    return "" if text == "\\e" else _PIECE.sub(r"\1", text)


def _inside(value: str) -> str:
    """Write a value inside an interval or set."""
    if value == "":
        return "\\e"
    return _MEANING.sub(r"\\\1", value)


def write_set(values: Sequence[str | None]) -> str:
    r"""Write a set of at least two values (None: the missing value).

    >>> write_set(["a", "b|c"]), write_set(["a", None])
    ('{a|b\\|c}', '{a|}')
    """
    return "{" + "|".join("" if value is None else _inside(value) for value in values) + "}"


def write_interval(low: str, high: str) -> str:
    """Write an interval by the texts of its ends: ``[18, 40]``, or the one value where they are equal."""
    return write_value(low) if low == high else f"[{_inside(low)}, {_inside(high)}]"


def _split(text: str, separator: str) -> list[str]:
    """Split at separators that are not escaped."""
    if "\\" not in text:
        return text.split(separator)
    parts, current, at = [], [], 0
    while at < len(text):
        if text[at] == "\\" and at + 1 < len(text):
            current.append(text[at : at + 2])
            at += 2
        elif text.startswith(separator, at):
            parts.append("".join(current))
            current = []
            at += len(separator)
        else:
            current.append(text[at])
            at += 1
    parts.append("".join(current))
    return parts


def read_set(text: str) -> list[str | None] | None:
    """Read the members of a set (None: the missing value), or None when the text is not one."""
    if not (text.startswith("{") and text.endswith("}") and len(text) > 1):
        return None
    return [None if part == "" else read_value(part) for part in _split(text[1:-1], "|")]


def read_interval(text: str) -> tuple[str, str] | None:
    """Read the ends of an interval, or None when the text is not one."""
    if not (text.startswith("[") and text.endswith("]")):
        return None
    parts = _split(text[1:-1], ", ")
    return (read_value(parts[0]), read_value(parts[1])) if len(parts) == 2 else None
