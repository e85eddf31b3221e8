"""How a column declares its generalization hierarchy.

A file, a nested mapping, rows (leaf first, root last), a rule to make one from the values (``prefix``,
``intervals``, ``dates``) or, in Python, a hierarchy that is already made.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from likeness.errors import did_you_mean
from likeness.policy import values
from likeness.policy.problems import Entry, RefusalError, refusal, shown

DATE_LEVELS = ("day", "month", "quarter", "year", "decade")
"""From fine to coarse."""

_WAYS = "a file, a nested mapping, rows, or a rule such as {prefix: 5} or {intervals: [0, 18, 65]}"


def read_hierarchy(given: Any) -> Any:
    """Check and normalise what a policy says under ``hierarchy``.

    Parameters
    ----------
    given
        See above.

    Returns
    -------
    str or dict or list or Hierarchy
        A path; a nested mapping or a rule, in plain dicts and lists; rows of texts; the hierarchy itself.

    Raises
    ------
    PolicyError
        When it is none of these.

    Examples
    --------
    >>> read_hierarchy({"prefix": 5}), read_hierarchy({"dates": "year"})
    ({'prefix': 5}, {'dates': ['year']})
    >>> read_hierarchy({"*": {"Europe": ["Norway", "Chad"]}})
    {'*': {'Europe': ['Norway', 'Chad']}}
    >>> read_hierarchy([("flu", "lung", "*"), ("ulcer", "stomach", "*")])
    [['flu', 'lung', '*'], ['ulcer', 'stomach', '*']]
    """
    if isinstance(given, str | Path):
        if not str(given).strip():
            raise refusal(f"must not be empty; give {_WAYS}")
        return str(given)
    if is_made(given):
        return given
    if isinstance(given, Mapping):
        return _rule(given) if RULES.keys() & set(given) else _tree(given)
    if isinstance(given, list | tuple):
        return _rows(given)
    raise refusal(f"must be {_WAYS}", given)


def is_made(value: Any) -> bool:
    """Whether a value is a hierarchy object."""
    # Told by where its class comes from: a policy names hierarchies without importing numpy for them.
    return any(base.__module__.startswith("likeness.hierarchies") for base in type(value).__mro__)


def plain_hierarchy(declared: Any) -> Any:
    """Write a declared hierarchy as a policy file holds it: an object as its rows, all else as it is."""
    return [list(row) for row in declared.to_rows()] if is_made(declared) else declared


def rule_of(declared: Any) -> str | None:
    """Name the rule that a declared hierarchy follows, ``prefix`` for ``{prefix: 5}``; None where it follows none."""
    if isinstance(declared, dict) and len(declared) == 1:
        name = next(iter(declared))
        return name if name in RULES else None
    return None


def _rule(given: Mapping[Any, Any]) -> dict[str, Any]:
    """One rule and nothing else."""
    rules = [str(key) for key in given if key in RULES]
    if len(rules) > 1:
        raise refusal(f"{' and '.join(rules)} are two kinds of hierarchy; give one")
    beside = [key for key in given if key not in RULES]
    if beside:
        raise RefusalError(
            *(Entry((), f"unknown key {key!r} beside {rules[0]!r}", str(key)) for key in beside)
        )
    try:
        return {rules[0]: RULES[rules[0]](given[rules[0]])}
    except RefusalError as problem:
        raise RefusalError(
            *(entry._replace(place=(rules[0], *entry.place)) for entry in problem.entries)
        ) from None


def _prefix(given: Any) -> Any:
    """Length of the codes, and perhaps how many characters each level keeps."""
    if isinstance(given, Mapping) and {"digits"} <= set(given) <= {"digits", "kept"}:
        digits = _length(given["digits"])
        if "kept" not in given:
            return digits
        kept = [values.whole(length) for length in values.items(given["kept"])]
        if any(not 0 < length < digits for length in kept) or kept != sorted(set(kept), reverse=True):
            raise refusal(f"kept must descend between {digits - 1} and 1", kept)
        return {"digits": digits, "kept": kept}
    if isinstance(given, Mapping):
        raise refusal(
            "must be the length of the codes, or a mapping such as {digits: 5, kept: [3]}", dict(given)
        )
    return _length(given)


def _length(given: Any) -> int:
    """Length of codes."""
    length = values.whole(given)
    if length < 1:
        raise refusal("must be at least 1", given)
    return length


def _intervals(given: Any) -> Any:
    """Edges, or a width; for several levels lists of edges, or a list of widths."""
    if isinstance(given, Mapping):
        if set(given) != {"width"}:
            raise refusal("must be ascending edges, or a mapping such as {width: 5}", dict(given))
        return {"width": _widths(given["width"])}
    edges = values.items(given)
    levels = (
        [values.items(level) for level in edges]
        if edges and not any(map(values.is_number, edges))
        else [edges]
    )
    read = [[values.finite(edge) for edge in level] for level in levels]
    for level in read:
        if len(level) < 2 or any(low >= high for low, high in pairwise(level)):
            raise refusal("must be at least two ascending edges", level)
    return read if levels[0] is not edges else read[0]


def _widths(given: Any) -> Any:
    """One width, or several."""
    widths = [values.finite(width) for width in ([given] if values.is_number(given) else values.items(given))]
    if not widths or any(width <= 0 for width in widths):
        raise refusal("width must be above 0", given)
    return widths[0] if values.is_number(given) else widths


def _dates(given: Any) -> list[str]:
    """Levels of dates, from fine to coarse."""
    levels = [given] if isinstance(given, str) else values.items(given)
    if not levels or levels != [level for level in DATE_LEVELS if level in levels]:
        raise refusal(f"must be some of {', '.join(DATE_LEVELS)}, from fine to coarse", given)
    return levels


RULES = {"prefix": _prefix, "intervals": _intervals, "dates": _dates}
"""Rules that make a hierarchy from the values of a column, and how each is read."""


def _tree(given: Mapping[Any, Any]) -> dict[str, Any]:
    """Read a nested mapping with one root."""
    if len(given) != 1:
        roots = " beside ".join(shown(root) for root in list(given)[:2]) or "none"
        raise refusal(f"needs one root, found {roots}; put everything below one label such as '*'")
    root, below = next(iter(given.items()))
    meant = did_you_mean(str(root), RULES, alike=0.75)
    if meant and not isinstance(below, Mapping):
        raise refusal(f"unknown key {root!r}{meant}")
    tree = _below(given)
    assert isinstance(tree, dict)  # noqa: S101  # a mapping stays one
    return tree


def _below(given: Any) -> Any:
    """Read what stands below a label; None for a label that is a leaf itself."""
    if isinstance(given, Mapping):
        return {values.text(label): _below(below) for label, below in given.items()}
    if isinstance(given, list | tuple):
        return [_below(item) for item in given]
    return None if given is None else values.text(given)


def _rows(given: Any) -> list[list[str]]:
    """Rows of texts, leaf first, root last."""
    if not given or not all(isinstance(row, list | tuple) and row for row in given):
        raise refusal("must be rows such as [[flu, lung, '*'], [ulcer, stomach, '*']]", list(given))
    return [[values.text(label) for label in row] for row in given]
