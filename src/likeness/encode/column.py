"""One column of a table to one attribute: its domain and codes.

The declared domain of a column: what it says, and whether the values keep to it.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from likeness.errors import LikenessError, Refusal, did_you_mean
from likeness.exact import rational
from likeness.hierarchies import (
    Hierarchy,
    categories_from_mapping,
    check_covers,
    dates,
    from_rows,
    intervals,
    prefixes,
    read_categories,
    read_hierarchy,
)
from likeness.hierarchies.nested import from_nested
from likeness.hierarchies.problems import ALIKE
from likeness.microdata.domain import IN_ORDER, NUMERIC, Domain
from likeness.policy.hierarchy import rule_of
from likeness.tables import as_codes, texts
from likeness.wording import count, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from likeness.microdata.domain import Kind
    from likeness.policy.column import Column
    from likeness.policy.sections import Missing
    from likeness.tables import EncodedColumn, Table

_EXACT = 1 << 53
"""Whole numbers up to it are exact as floats."""


class EncodeError(LikenessError):
    """Problems of one column, gathered by `likeness.encode.encode`."""


def check_domain(encoded: EncodedColumn, column: Column) -> None:
    """Refuse values outside the declared domain, and domains of another kind than the values.

    Raises `EncodeError` naming the first value outside.
    """
    if column.domain is None:
        return
    name, values = encoded.name, encoded.values
    if not isinstance(column.domain[0], str):
        if encoded.kind in NUMERIC:
            numbers = Domain(name, cast("Kind", encoded.kind), values, "interval").numbers
        elif column.hierarchy is None:
            raise EncodeError(
                f"column {name!r}: its declared domain [{column.domain[0]}, {column.domain[1]}] is a range of numbers, "
                f"and its values are {encoded.kind}; say kind: integer or real, or list all values"
            )
        else:
            # Read as text for the sake of a hierarchy; the range is one of numbers all the same.
            numbers = np.array([_as_number(label) for label in texts(values)])
        low, high = ends_of(column.domain, encoded.kind)
        outside = texts(values[~((numbers >= low) & (numbers <= high))])
        where = f"outside its declared domain [{column.domain[0]}, {column.domain[1]}]"
        remedy = "; widen it, or declare bottom and top coding"
    else:
        listed = {str(value) for value in column.domain}
        outside = [label for label in texts(values) if label not in listed]
        where, remedy = "not in its declared domain", "; add it, or correct the table"
    if outside:
        more = f" (and {count(len(outside) - 1, 'more value')})" if len(outside) > 1 else ""
        raise EncodeError(f"column {name!r}: {quoted(outside[0])} is {where}{more}{remedy}")


def declared_values(column: Column, hierarchy: Hierarchy | None) -> list[str] | None:
    """List the texts of all values, in order: the declared domain, or the leaves of the hierarchy; None without either."""
    if column.domain is not None:
        return [str(value) for value in column.domain]
    return None if hierarchy is None else list(hierarchy.leaves)


def ends_of(domain: Sequence[Any], kind: str) -> tuple[float, float]:
    """Give both ends of a declared range as numbers; days since 1970 for dates."""
    if kind != "date":
        return float(domain[0]), float(domain[1])
    days = np.array(domain, "datetime64[D]").astype(np.int64)
    return float(days[0]), float(days[1])


def _as_number(text: str) -> float:
    """Read a number; NaN for anything else."""
    try:
        return float(text)
    except ValueError:
        return float("nan")


_LEAST, _MOST = -(2**63), 2**63 - 1
_NUMBER: dict[str, Callable[[Any], Any]] = {"integer": int, "real": float}


class EncodedAttribute(NamedTuple):
    """A quasi-identifier or sensitive attribute, encoded; ``treatment`` of its missing values is the policy's.

    ``codes``: (n,) int32, -1 for missing; ``missing``: how many of them are counted.
    """

    domain: Domain
    codes: NDArray[np.int32]
    missing: int
    treatment: str


def encode_attribute(
    table: Table,
    name: str,
    column: Column,
    missing: Missing,
    recoding: str,
    folder: Path,
    dropped: NDArray[np.bool_] | None = None,
) -> EncodedAttribute:
    """Encode one quasi-identifier or sensitive attribute.

    Parameters
    ----------
    table, name
        The table and the column.
    column
        What the policy says about it.
    missing
        What the policy says about its missing values.
    recoding
        ``tight``, ``hierarchy`` or ``set``; decides the shape of the column's regions.
    folder
        Where relative paths of hierarchies begin.
    dropped : (n,) bool, optional
        Records that are dropped already: what they miss is neither counted nor an error.
    """
    treatment = missing.policy
    encoded = _as_codes(table.encode(name, missing=missing.markers, kind=_asked_kind(column)), column, folder)
    lacking = encoded.codes < 0 if dropped is None else (encoded.codes < 0) & ~dropped
    number = int(np.count_nonzero(lacking) if table.copies is None else table.copies[lacking].sum())
    if number and treatment == "error":
        first = int(np.argmax(lacking))
        raise EncodeError(
            f"column {name!r}: {count(number, 'missing value')}, the first in {table.where(first, name)}; say missing: "
            "{policy: category} to keep them as a category or {policy: drop} to leave those records out"
        )
    if len(encoded.values) == 0:
        raise EncodeError(f"column {name!r}: every value is missing; give it role: drop")
    encoded = _clip(_rounded(encoded, column), column)
    if column.role == "sensitive":
        # The recoding is about regions; a sensitive column keeps its own geometry.
        recoding = "tight"
    domain, recode = _domain(encoded, column, number > 0 and treatment == "category", recoding, folder)
    codes = encoded.codes if recode is None else np.append(recode, -1).astype(np.int32)[encoded.codes]
    return EncodedAttribute(domain, np.ascontiguousarray(codes, np.int32), number, treatment)


def check_order(domain: Domain) -> None:
    """Refuse an ordered distance between values that have no order, nor categories, which have one. Raises `EncodeError`."""
    if domain.distance == "ordered" and domain.kind not in IN_ORDER and domain.categories is None:
        raise EncodeError(
            f"column {domain.name!r}: distance ordered needs numbers, dates or a declared order, and it is {domain.kind}; "
            "say kind: ordered and a domain, or give its values categories"
        )


def _as_codes(encoded: EncodedColumn, column: Column, folder: Path) -> EncodedColumn:
    """Codes that went through a column of floats as the codes they are, unless what lists the values has them so, too."""
    plain = as_codes(encoded)
    if plain is encoded:
        return encoded
    made = column.hierarchy is None or rule_of(column.hierarchy) is not None
    hierarchy = None if made else make_hierarchy(column.hierarchy, encoded, folder)
    listed = declared_values(column, hierarchy)
    if listed is None:
        return plain
    known = set(listed)
    return (
        encoded if any(label in known for label in texts(encoded.values) if label.endswith(".0")) else plain
    )


def categorize(domain: Domain, declared: str | dict[str, list[str]], folder: Path) -> Domain:
    """Give a sensitive attribute the categories that a policy declares: a file, or labels with their values.

    Raises `EncodeError` where a value has none, the missing one included; `HierarchyError` where they are none.
    """
    if isinstance(declared, str):
        named, categories = Path(declared).name, read_categories(folder / declared)
    else:
        named = f"the categories of {domain.name!r}"
        categories = categories_from_mapping(declared, f"categories: {domain.name}")
    if domain.missing:
        raise EncodeError(
            f"column {domain.name!r}: missing values have no category; say missing: {{policy: drop}} to leave their records out"
        )
    without = [label for label in domain.labels if label not in categories.rank]
    if without:
        more = f" (and {count(len(without) - 1, 'more value')})" if len(without) > 1 else ""
        near = did_you_mean(without[0], categories.rank, alike=ALIKE)
        raise EncodeError(
            f"column {domain.name!r}: {quoted(without[0])}{more} is in no category of {named}{near or '; add it to one'}"
        )
    return replace(domain, categories=categories)


def protect_only(domain: Domain, listed: Sequence[str]) -> Domain:
    """Protect only some values of a sensitive attribute: those listed, and those below nodes of its hierarchy that are.

    Raises `EncodeError` where one is neither a value that anybody has or that is declared, nor a node.
    """
    tree = domain.hierarchy
    chosen = np.zeros(domain.codes, np.bool_)
    for name in listed:
        if name in domain.code_of:
            chosen[domain.code_of[name]] = True
        elif tree is not None and name in tree.labels:
            node = tree.node_of(name)
            below = tree.leaves[tree.left[node] : tree.right[node] + 1]
            chosen[[domain.code_of[leaf] for leaf in below if leaf in domain.code_of]] = True
        else:
            known = {*domain.labels, *(() if tree is None else tree.labels)}
            near = did_you_mean(name, known) or "; leave it out, or correct it"
            raise EncodeError(f"column {domain.name!r}: values lists {quoted(name)}, which nobody has{near}")
    return replace(domain, protected=chosen)


def _rounded(encoded: EncodedColumn, column: Column) -> EncodedColumn:
    """Numbers as the nearest multiples of what the policy says, halves up."""
    if column.round is None:
        return encoded
    if encoded.kind not in {"integer", "real"}:
        raise EncodeError(f"column {encoded.name!r}: round needs numbers; its values are {encoded.kind}")
    step = rational(column.round)
    if encoded.kind == "integer":
        if step.denominator != 1:
            raise EncodeError(
                f"column {encoded.name!r}: round {column.round} is not a whole number, as its values are; say kind: real, or "
                "round to whole numbers"
            )
        size = int(step)
        if not encoded.values.size or max(-int(encoded.values[0]), int(encoded.values[-1])) > _MOST - size:
            raise EncodeError(
                f"column {encoded.name!r}: its values are too large to be rounded to {column.round}"
            )
        # The remainder is never negative, so that halves go up below 0 too.
        left = encoded.values % size
        near = encoded.values - left + np.where(2 * left >= size, size, 0)
    else:
        with np.errstate(over="ignore"):
            multiple, of = np.unique(np.floor(encoded.values / float(step) + 0.5), return_inverse=True)
        if not np.isfinite(multiple).all():
            raise EncodeError(
                f"column {encoded.name!r}: its values are too large to be rounded to {column.round}"
            )
        near = np.array([float(int(one) * step) for one in multiple.tolist()])[of]
    values, inverse = np.unique(near, return_inverse=True)
    codes = np.append(inverse, -1).astype(np.int32)[encoded.codes]
    return replace(encoded, codes=codes, values=values)


def _clip(encoded: EncodedColumn, column: Column) -> EncodedColumn:
    """Bottom and top coding."""
    if column.bottom is None and column.top is None:
        return encoded
    if encoded.kind not in NUMERIC:
        raise EncodeError(
            f"column {encoded.name!r}: bottom and top coding need numbers or dates; its values are {encoded.kind}"
        )
    # One end after the other: every value may lie beyond one.
    within = encoded.values
    if column.bottom is not None:
        within = np.maximum(within, _coded(encoded, "bottom", column.bottom))
    if column.top is not None:
        within = np.minimum(within, _coded(encoded, "top", column.top))
    values, inverse = np.unique(within, return_inverse=True)
    codes = np.append(inverse, -1).astype(np.int32)[encoded.codes]
    return replace(encoded, codes=codes, values=values)


def _coded(encoded: EncodedColumn, key: str, given: Any) -> Any:
    """Take the value that smaller or larger ones are set to as one of the column's kind."""
    if encoded.kind == "integer" and (int(given) != given or not _LEAST <= given <= _MOST):
        raise EncodeError(
            f"column {encoded.name!r}: {key} {given} is not a whole number of 64 bits, as its values are"
        )
    return np.datetime64(given, "D") if encoded.kind == "date" else _NUMBER[encoded.kind](given)


def _asked_kind(column: Column) -> str | None:
    """The kind a column is to be read as; None to find it from the data."""
    if column.kind in NUMERIC:
        return column.kind
    if column.kind in {"ordered", "categorical"}:
        return "text"
    rule = column.hierarchy
    if isinstance(rule, dict) and len(rule) == 1:
        if "dates" in rule:
            return "date"
        if "intervals" in rule:
            return None
    if column.hierarchy is not None:
        return "text"
    listed = column.domain is not None and isinstance(column.domain[0], str)
    return "text" if listed else None


def _domain(
    encoded: EncodedColumn, column: Column, missing: bool, recoding: str, folder: Path
) -> tuple[Domain, NDArray[np.int32] | None]:
    """Make the domain, and the new code of each of the encoded values where codes change."""
    name = encoded.name
    hierarchy = None
    if column.hierarchy is not None:
        hierarchy = make_hierarchy(column.hierarchy, encoded, folder)
        check_covers(texts(encoded.values), hierarchy, name)
    elif column.kind == "hierarchical":
        raise EncodeError(
            f"column {name!r}: kind hierarchical needs a hierarchy (a file, or prefix, intervals, dates)"
        )
    numeric = encoded.kind in NUMERIC
    check_domain(encoded, column)
    if hierarchy is not None and (
        column.kind in {None, "hierarchical", "categorical"}
        or recoding == "hierarchy"
        or column.distance == "hierarchical"
    ):
        return _hierarchical(encoded, column, hierarchy, missing, recoding)
    common: dict[str, Any] = {
        "hierarchy": hierarchy, "missing": missing, "weight": float(column.weight), "max_level": column.max_level,
    }  # fmt: skip
    if numeric:
        return _numeric(encoded, column, common), None
    ordered = column.kind == "ordered"
    labels = texts(encoded.values)
    recode = None
    declared = declared_values(column, hierarchy)
    if ordered and column.domain is None and (hierarchy is None or hierarchy.data_derived):
        # An order made from the table would tell of values that only withheld people have.
        raise EncodeError(f"column {name!r}: kind ordered needs domain: the list of its values in order")
    if declared is not None:
        rank = {label: i for i, label in enumerate(declared)}
        recode = np.array([rank[label] for label in labels], np.int32)
        labels = declared
    distance = column.distance or ("ordered" if ordered else "equal")
    domain = Domain(
        name,
        "ordered" if ordered else "categorical",
        np.array(labels, object),
        "interval" if ordered else "set",
        low=0.0,
        high=float(len(labels) - 1),
        distance=distance,
        declared=column.domain is not None,
        **common,
    )
    return domain, recode


def _hierarchical(
    encoded: EncodedColumn, column: Column, hierarchy: Hierarchy | None, missing: bool, recoding: str
) -> tuple[Domain, NDArray[np.int32]]:
    """Domain whose codes are leaf ranks."""
    assert hierarchy is not None  # noqa: S101  # the caller made sure
    if column.max_level is not None and column.max_level > hierarchy.height:
        raise EncodeError(
            Refusal(
                f"max_level {column.max_level} is above the root of its hierarchy, which has level {hierarchy.height}",
                (f"column {encoded.name!r}",),
                remedy="name a level below it, or leave max_level out: then every level may be published",
            )
        )
    if missing and len(hierarchy.labels) == 1:
        raise EncodeError(
            f"column {encoded.name!r}: a hierarchy of one value has no root above the missing value"
        )
    labels = texts(encoded.values)
    recode = np.array([hierarchy.rank_of[label] for label in labels], np.int32)
    shape: Any = "set" if recoding == "set" and encoded.kind not in NUMERIC else "tree"
    domain = Domain(
        encoded.name,
        "hierarchical",
        np.array(hierarchy.leaves, object),
        shape,
        hierarchy,
        missing,
        0.0,
        float(hierarchy.size - 1),
        float(column.weight),
        column.max_level,
        column.distance or "hierarchical",
        not hierarchy.data_derived,
    )
    return domain, recode


def _numeric(encoded: EncodedColumn, column: Column, common: dict[str, Any]) -> Domain:
    """Domain of numbers or dates."""
    name, values = encoded.name, encoded.values
    kind: Any = encoded.kind
    domain = Domain(name, kind, values, "interval", **common)
    numbers = domain.numbers
    same = np.flatnonzero(numbers[1:] == numbers[:-1])
    # Where they lie farther apart, what such numbers differ by is nothing beside the width of the domain.
    if (
        same.size
        and kind == "integer"
        and column.role == "quasi"
        and int(values[-1]) - int(values[0]) < _EXACT
    ):
        raise EncodeError(
            f"column {name!r}: {values[same[0]]} and {values[same[0] + 1]} are one number to losses, which take the first 53 "
            "binary digits; give it kind: categorical, or role: identifier where it names people"
        )
    low, high = float(numbers[0]), float(numbers[-1])
    if column.domain is not None:
        low, high = ends_of(column.domain, kind)
    if not np.isfinite(high - low):
        raise EncodeError(
            f"column {name!r}: its values lie further apart than a number of 64 bits can say; "
            "declare bottom and top coding"
        )
    return Domain(
        name, kind, values, "interval", low=low, high=high, distance=column.distance or "ordered",
        declared=column.domain is not None, **common,
    )  # fmt: skip


def make_hierarchy(declared: Any, encoded: EncodedColumn, folder: Path) -> Hierarchy:
    """Read, or make from the observed values, the hierarchy a policy declares for a column."""
    name = encoded.name
    if isinstance(declared, Hierarchy):
        return declared
    if isinstance(declared, str | Path):
        return read_hierarchy(folder / declared)
    if isinstance(declared, dict) and len(declared) == 1:
        (rule, options), *_ = declared.items()
        if rule == "prefix":
            options = options if isinstance(options, dict) else {"digits": options}
            return prefixes(texts(encoded.values), options["digits"], kept=options.get("kept"), name=name)
        if rule == "dates":
            return dates(encoded.values, options, name=name)
        if rule == "intervals":
            numbers = _numbers_of(encoded)
            if isinstance(options, dict):
                return intervals(numbers, width=options["width"], name=name)
            return intervals(numbers, edges=options, name=name)
    if isinstance(declared, dict):
        import json

        return from_nested(json.dumps(declared), name, json=True)
    rows: Sequence[Sequence[str]] = declared
    return from_rows(rows, name, where=lambda i: f"row {i + 1} of the hierarchy of column {name!r}")


def _numbers_of(encoded: EncodedColumn) -> NDArray[Any]:
    """Values of a column that must be numbers."""
    if encoded.kind not in {"integer", "real"}:
        raise EncodeError(f"column {encoded.name!r}: intervals need numbers; its values are {encoded.kind}")
    return encoded.values
