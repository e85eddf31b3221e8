"""What a published text says, read by the letter of `NAMES.md`: nothing here comes from likeness.

A column is a `Field`; `read` turns one of its published texts into a `Region`, two of which are equal when
they say the same.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from fractions import Fraction
from typing import Any

NUMBERS = ("integer", "real", "date")


@dataclass
class Field:
    """One column as a test made it.

    ``paths`` gives every leaf's text its ancestors, the leaf first, the root last; ``order`` the declared order;
    ``cells`` the original cells after bottom and top coding (None: missing).
    """

    name: str
    kind: str
    cells: list[Any]
    column: dict[str, Any]
    order: list[str] | None = None
    paths: dict[str, list[str]] | None = None

    def shape(self, recoding: str) -> str:
        """How the regions of the column are written."""
        if self.kind == "categorical":
            return "set"
        if self.kind == "hierarchical":
            text = "intervals" not in str(self.column["hierarchy"]) and "dates" not in str(
                self.column["hierarchy"]
            )
            return "set" if recoding == "set" and text else "tree"
        return "tree" if self.paths is not None and recoding == "hierarchy" else "interval"

    def protected(self, text: str | None) -> bool:
        """Whether a value needs protection: itself, or a node above it, is listed where only some do."""
        listed = self.column.get("values")
        return listed is None or (
            text is not None and bool({text, *(self.paths or {}).get(text, ())} & {*listed})
        )

    def text(self, cell: Any) -> str:
        """Write one value."""
        return cell.isoformat() if isinstance(cell, date) else str(cell)


def severity(column: Field) -> dict[str, list[str]]:
    """Categories for the values of a column: those that somebody has by turns, what is only declared in the first."""
    shown = sorted({column.text(cell) for cell in column.cells if cell is not None})
    count = min(3, max(2, len(shown)))
    found = {f"category {i}": shown[i::count] for i in range(count)}
    declared = column.paths or column.order or column.column.get("domain") or ()
    found["category 0"] += [text for text in declared if isinstance(text, str) and text not in shown]
    return found


@dataclass(frozen=True)
class Region:
    """Everything, an interval between two positions, or a set of texts (None: the missing value)."""

    everything: bool = False
    ends: tuple[Any, Any] | None = None
    members: frozenset[str | None] = frozenset()
    column: Field = field(default=None, compare=False)  # type: ignore[assignment]

    def holds(self, cell: Any) -> bool:
        """Whether a cell of the original lies in the region."""
        if self.everything:
            return True
        if self.ends is None:
            return (None if cell is None else self.column.text(cell)) in self.members
        return cell is not None and self.ends[0] <= place(self.column, self.column.text(cell)) <= self.ends[1]


def place(column: Field, text: str) -> Any:
    """Position of a value on its axis."""
    if column.order is not None:
        return column.order.index(text)
    return date.fromisoformat(text) if column.kind == "date" else Fraction(text)


def tokens(text: str) -> list[tuple[str, bool]]:
    """Characters, and whether a backslash took away their meaning."""
    found, at = [], 0
    while at < len(text):
        escaped = text[at] == "\\"
        at += escaped
        found.append((text[at], escaped))
        at += 1
    return found


def parts(inner: list[tuple[str, bool]], separator: str) -> list[str | None]:
    """Split at separators that mean something; None is an empty part, an escaped e alone an empty value."""
    pieces: list[list[tuple[str, bool]]] = [[]]
    for token in inner:
        if token == (separator, False):
            pieces.append([])
        else:
            pieces[-1].append(token)
    return [None if not piece else plain(piece) for piece in pieces]


def plain(piece: list[tuple[str, bool]]) -> str:
    """One value."""
    return "" if piece == [("e", True)] else "".join(character for character, _ in piece)


def read(text: str | None, column: Field, recoding: str) -> Region:
    """Read a published cell."""
    if text is None or text == "":
        return Region(members=frozenset({None}), column=column)
    if text == "*":
        return Region(everything=True, column=column)
    letters = tokens(text)
    first, last = letters[0], letters[-1]
    shape = column.shape(recoding)
    if shape == "tree":
        label = plain(letters)
        below = frozenset(leaf for leaf, path in column.paths.items() if label in path)
        assert below, f"{column.name}: {text!r} is no node"
        return Region(members=below, column=column)
    if shape == "set":
        members = (
            parts(letters[1:-1], "|") if (first, last) == (("{", False), ("}", False)) else [plain(letters)]
        )
        return Region(members=frozenset(members), column=column)
    if (first, last) == (("[", False), ("]", False)):
        low, high = parts(letters[1:-1], ",")
        assert high[0] == " "
        ends = place(column, low), place(column, high[1:])
        assert ends[0] < ends[1], text
        return Region(ends=ends, column=column)
    return Region(ends=(place(column, plain(letters)),) * 2, column=column)
