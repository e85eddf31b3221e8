"""What `attack` says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from likeness import registry
from likeness.cli._options import part
from likeness.cli._text import columns, number

if TYPE_CHECKING:
    from collections.abc import Iterable

    from likeness.attacks._base import Attack, AttackResult

BEFORE = "_before"
"""How the details of an attack name what the original allows."""


def make(given: Iterable[str]) -> list[Attack]:
    """Make attacks of ``NAME`` or ``NAME:key=value,…``; all there are when none is given.

    Raises
    ------
    PolicyError
        When there is no such attack or parameter.
    """
    asked = [part(one) for one in given] or [(name, {}) for name in registry.names("attacks")]
    return [registry.create("attacks", name, parameters) for name, parameters in asked]


def as_json(result: AttackResult) -> dict[str, Any]:
    """Write a result as JSON can hold it."""
    return {
        "attack": result.attack,
        "success": result.success,
        "baseline": result.baseline,
        "gain": result.gain,
        "meaning": result.meaning,
        "details": result.details,
    }


def as_text(results: Iterable[AttackResult]) -> list[str]:
    """Write results for people: each figure before and after."""
    lines: list[str] = []
    for result in results:
        rows = [["", "original", "release"], ["success", number(result.baseline), number(result.success)]]
        for name, value in result.details.items():
            if not name.endswith(BEFORE):
                before = result.details.get(f"{name}{BEFORE}")
                rows.append([name.replace("_", " "), "" if before is None else number(before), number(value)])
        lines += ["", f"{result.attack}: {result.meaning}", *columns(rows)]
    return lines[1:]
