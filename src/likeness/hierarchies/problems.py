"""Refusing a hierarchy: every problem at once, but no flood; and what was probably meant."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from likeness.errors import HierarchyError
from likeness.wording import quoted

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

SHOWN = 10
"""How many problems of one hierarchy are listed before the rest is only counted."""

SEARCHED = 2_000
"""Above this number of labels no similar one is looked for: comparing texts takes too long."""


def refuse(problems: Sequence[str]) -> None:
    """Raise one error with all problems, if there are any.

    Parameters
    ----------
    problems
        One line each, in the order of the file; from the eleventh on they are only counted.

    Raises
    ------
    HierarchyError
        When there is at least one problem.

    Examples
    --------
    >>> refuse([])
    >>> refuse(["age.csv, line 3: the cell in column 2 is empty; fill it in"])
    Traceback (most recent call last):
    likeness.errors.HierarchyError: age.csv, line 3: the cell in column 2 is empty; fill it in
    """
    if not problems:
        return
    shown = list(problems[:SHOWN])
    if len(problems) > SHOWN:
        shown.append(f"and {len(problems) - SHOWN} more")
    raise HierarchyError(*shown)


def did_you_mean(value: str, labels: Collection[str]) -> str:
    """Say which label was probably meant, or nothing.

    Parameters
    ----------
    value
        The text that is not a label.
    labels
        All labels.

    Returns
    -------
    str
        ``; did you mean 'Germany'?``, or the empty text when nothing is near.

    Examples
    --------
    >>> did_you_mean("germany", ["France", "Germany"])
    "; did you mean 'Germany'?"
    >>> did_you_mean("89", ["17", "18"])
    ''
    """
    plain = value.strip().casefold()
    near = [label for label in labels if label.strip().casefold() == plain][:1]
    if not near and len(labels) <= SEARCHED and not _is_number(value):
        near = get_close_matches(value, labels, n=1, cutoff=0.75)
    return f"; did you mean {quoted(near[0])}?" if near else ""


def _is_number(value: str) -> bool:
    """Whether a text is a number: another number is never what was meant."""
    try:
        float(value)
    except ValueError:
        return False
    return True
