"""Refusing a hierarchy: every problem at once, but no flood."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likeness.errors import HierarchyError

if TYPE_CHECKING:
    from collections.abc import Sequence

SHOWN = 10
"""How many problems of one hierarchy are listed before the rest is only counted."""

ALIKE = 0.75
"""How alike a value and a label must be for the label to be meant: labels resemble each other more than names do."""


def refuse(problems: Sequence[str]) -> None:
    """Raise one `HierarchyError` with all problems, if there are any.

    One line each, in the order of the file; from the eleventh on they are only counted.
    """
    if not problems:
        return
    shown = list(problems[:SHOWN])
    if len(problems) > SHOWN:
        shown.append(f"and {len(problems) - SHOWN} more")
    raise HierarchyError(*shown)
