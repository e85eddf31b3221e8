"""Prefix hierarchies for codes: 02139 → 0213* → 021** → … → *."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likeness.errors import HierarchyError
from likeness.hierarchies.problems import refuse
from likeness.hierarchies.rows import from_rows
from likeness.wording import count, quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likeness.hierarchies.tree import Hierarchy

MASK = "*"


def prefixes(
    values: Sequence[str], digits: int, *, kept: Sequence[int] | None = None, name: str = "prefixes"
) -> Hierarchy:
    """Mask codes from the right, one character per level, below the root ``*``; leaves ascend.

    ``digits``: the length of every code. ``kept``: how many leading characters each level keeps, from fine to coarse, [3]
    for 02139 → 021** → *; left out, one less on each level.
    Raises `HierarchyError` for codes of another length or with a ``*`` in them, levels that do not descend, or no codes.

    >>> prefixes(["02139", "02141"], 5).to_rows()[0]
    ['02139', '0213*', '021**', '02***', '0****', '*']
    """
    if digits < 1:
        raise HierarchyError(f"{name}: a prefix hierarchy needs codes of at least 1 character; got {digits}")
    codes = sorted(set(values))
    if not codes:
        raise HierarchyError(f"{name}: there are no codes to make prefixes of")
    refuse(_problems(codes, digits, name))
    lengths = list(range(digits - 1, 0, -1)) if kept is None else list(kept)
    if any(not 0 < length < digits for length in lengths) or lengths != sorted(set(lengths), reverse=True):
        raise HierarchyError(
            f"{name}: the characters kept must descend between {digits - 1} and 1; "
            f"got [{', '.join(map(str, lengths))}]"
        )
    rows = [(code, *(code[:length].ljust(digits, MASK) for length in lengths), MASK) for code in codes]
    return from_rows(rows, name, where=lambda i: f"{name}, code {codes[i]}", data_derived=True)


def _problems(codes: list[str], digits: int, name: str) -> list[str]:
    """Say what is wrong with codes, a line for all that have the same wrong with them."""
    problems = []
    short = [code for code in codes if len(code) < digits]
    long = [code for code in codes if len(code) > digits]
    for wrong, remedy in ((short, "write codes with their leading zeros"), (long, "declare that many")):
        if wrong:
            # All of them must fit: the longest tells how many characters to declare.
            code = max(wrong, key=len)
            problems.append(
                f"{name}: code {quoted(code)} has {count(len(code), 'character')} where {digits} are declared{_more(wrong)}; "
                f"{remedy}, or use a hierarchy file"
            )
    masked = [code for code in codes if len(code) == digits and MASK in code]
    if masked:
        problems.append(
            f"{name}: code {quoted(masked[0])} holds the mask {MASK!r}{_more(masked)}; declare such codes as missing"
        )
    return problems


def _more(codes: list[str]) -> str:
    """Say how many codes there are beside one that is shown."""
    return f" (and {count(len(codes) - 1, 'more code')})" if len(codes) > 1 else ""
