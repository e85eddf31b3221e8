"""Keys of one column that do not go together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from likeness.policy.domain import RANGES
from likeness.policy.hierarchy import rule_of
from likeness.policy.problems import Entry

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from likeness.policy.column import Column

ALLOWED: dict[str, frozenset[str]] = {
    "identifier": frozenset({"action", "missing"}),
    "quasi": frozenset({"kind", "domain", "weight", "bottom", "top", "max_level", "missing", "hierarchy"}),
    "sensitive": frozenset({"kind", "domain", "missing", "hierarchy", "distance"}),
    "other": frozenset({"kind", "missing"}),
    "drop": frozenset(),
}
"""Keys that mean something for a role, beside ``role`` itself."""

_RULE_KINDS = {
    "prefix": ("codes", ("ordered", "hierarchical", "categorical")),
    "intervals": ("numbers", ("integer", "real", "hierarchical")),
    "dates": ("dates", ("date", "hierarchical")),
}


def contradictions(column: Column, given: Mapping[str, Any], bad: frozenset[str]) -> Iterator[Entry]:
    """Find keys of one column that do not go together.

    Parameters
    ----------
    column
        The column, without the bad keys.
    given
        What was given under known keys.
    bad
        Keys whose values are already refused.

    Examples
    --------
    >>> from likeness.policy import Column
    >>> Column.read({"role": "quasi", "distance": "equal"})
    Traceback (most recent call last):
    likeness.policy.problems.RefusalError: distance is not a key of a quasi column; only of a sensitive one
    """
    yield from _foreign(column.role, given)
    yield from _ranges(column, bad)
    if "hierarchy" not in bad:
        yield from _hierarchies(column)
    yield from _orders(column, bad)


def _orders(column: Column, bad: frozenset[str]) -> Iterator[Entry]:
    """Find orders that nothing tells."""
    published = column.role in {"quasi", "sensitive"}
    told = column.domain is not None or column.hierarchy is not None or bool({"domain", "hierarchy"} & bad)
    if column.kind == "ordered" and published and not told:
        yield Entry((), "kind: ordered needs a domain: the list of its values in order", "kind")
    if column.distance == "ordered" and column.kind == "categorical":
        message = "ordered needs an order, and kind categorical has none; say kind: ordered and a domain"
        yield Entry(("distance",), message)


def _foreign(role: str, given: Mapping[str, Any]) -> Iterator[Entry]:
    """Keys of other roles."""
    for key, value in given.items():
        if key == "role" or value is None or key in ALLOWED[role]:
            continue
        homes = " or ".join(_article(other) for other, keys in ALLOWED.items() if key in keys)
        yield Entry((), f"{key} is not a key of {_article(role)} column; only of {homes} one", key)


def _article(role: str) -> str:
    """Put the article before a role."""
    return f"an {role}" if role[0] in "io" else f"a {role}"


def _ranges(column: Column, bad: frozenset[str]) -> Iterator[Entry]:
    """Bottom and top coding, and what they lie in."""
    coded = {key: getattr(column, key) for key in ("bottom", "top") if getattr(column, key) is not None}
    if "kind" in bad or not coded:
        return
    if column.kind not in {None, *RANGES}:
        for key in coded:
            yield Entry((key,), f"needs numbers or dates; the kind is {column.kind}")
        return
    if len(coded) == 2 and coded["bottom"] > coded["top"]:
        yield Entry(("bottom",), f"{coded['bottom']} lies above top, {coded['top']}; swap them")
    if column.domain is None:
        return
    low, high = column.domain[0], column.domain[-1]
    if isinstance(low, str):
        yield Entry(("domain",), f"lists texts, but {' and '.join(coded)} need numbers or dates")
        return
    for key, end in coded.items():
        if not low <= end <= high:
            yield Entry((key,), f"{end} lies outside the domain, {low} to {high}")


def _hierarchies(column: Column) -> Iterator[Entry]:
    """Find what needs a hierarchy, and whether it suits the kind."""
    if column.hierarchy is None:
        needs = {
            "max_level": column.max_level is not None,
            "kind": column.kind == "hierarchical",
            "distance": column.distance == "hierarchical",
        }
        for key, is_needed in needs.items():
            if is_needed:
                what = "max_level" if key == "max_level" else f"{key}: hierarchical"
                yield Entry((), f"{what} needs a hierarchy; give one, such as hierarchy: {{prefix: 5}}", key)
        return
    rule = rule_of(column.hierarchy)
    if rule is None or column.kind is None:
        return
    of_what, kinds = _RULE_KINDS[rule]
    if column.kind not in kinds:
        yield Entry(("hierarchy",), f"{rule} makes a hierarchy of {of_what}; the kind is {column.kind}")
