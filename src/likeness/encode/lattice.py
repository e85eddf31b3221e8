"""Make ready the domains of quasi-identifiers for regions that are rounded outward, to a lattice or by what few members have."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.encode.column import EncodedAttribute, EncodeError
from likeness.exact import rational
from likeness.microdata.attained import Attained
from likeness.microdata.domain import NUMERIC, Domain
from likeness.microdata.lattice import DeclaredLattice
from likeness.published.attained import known_ends
from likeness.published.lattice import Step, cell_of
from likeness.wording import quoted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.policy.column import Column

_MOST = 1 << 62


def on_lattice(attribute: EncodedAttribute, step: Step) -> EncodedAttribute:
    """Round the regions of an attribute outward to cells that were declared.

    Numbers, days: multiples of the step. Ordered values: so many of them that follow each other, from the first. Hierarchies:
    nodes of a level. Plain categories: groups of values. Ends of cells that nobody has join the domain.

    Raises `EncodeError` where the step does not suit the column.
    """
    domain = attribute.domain
    if isinstance(step, list):
        domain, of = _groups(domain, step)
    elif domain.shape == "tree":
        return attribute._replace(domain=replace(domain, lattice=_level(domain, _whole(domain, step, 1))))
    elif domain.kind in NUMERIC:
        domain, of = _multiples(domain, step)
    elif domain.kind == "ordered":
        size = _whole(domain, step, 2)
        first = np.arange(domain.size) // size * size
        last = np.minimum(first + size - 1, domain.size - 1)
        lattice = DeclaredLattice(_with_missing(domain, first), _with_missing(domain, last))
        return attribute._replace(domain=replace(domain, lattice=lattice))
    else:
        raise EncodeError(
            f"column {domain.name!r}: plain categories have no order, so that a step of {step} says nothing of them; list "
            "groups of values, such as [[a, b], [c, d, e]]"
        )
    codes = np.append(of, -1).astype(np.int32)[attribute.codes]
    return attribute._replace(domain=domain, codes=codes)


def why_not_growing(domain: Domain, column: Column) -> str:
    """Say why regions of a column cannot grow (`that_grows`), as the end of a message; empty where they can."""
    if column.round is not None:
        # A region that grows by one tells where it was: between multiples there is nobody.
        return (
            "attained does not go with round, whose multiples are known to be the only values; declare steps for it "
            "(recoding: grid) instead of one of them"
        )
    if domain.shape == "interval" and domain.kind == "real":
        return (
            "attained needs values that have neighbours, and real numbers have none; publish whole numbers (kind: integer), "
            "give it a hierarchy, or declare steps for it (recoding: grid) instead of attained"
        )
    return ""


def that_grows(attribute: EncodedAttribute, least: int, column: Column) -> EncodedAttribute:
    """Let the regions of an attribute grow where fewer than ``least`` members have an end, a listed value or a child.

    The neighbours of whole numbers and days join the domain, whoever has them, but none beyond what ``column`` declares. Raises
    `EncodeError` for real numbers, of which nobody can say which are neighbours.
    """
    domain = attribute.domain
    if why := why_not_growing(domain, column):
        raise EncodeError(f"column {domain.name!r}: {why}")
    if domain.shape != "interval":
        return attribute._replace(domain=replace(domain, attained=Attained(least)))
    if domain.kind == "ordered":
        grows = replace(Attained.between(least, 0, domain.size - 1), places=np.arange(domain.size))
        return attribute._replace(domain=replace(domain, attained=grows))
    if (np.abs(domain.numbers) > _MOST).any():
        raise EncodeError(f"column {domain.name!r}: its values are too large for attained")
    plain = domain.values.astype("datetime64[D]") if domain.kind == "date" else domain.values
    own = plain.astype(np.int64)
    lowest, highest = known_ends(
        domain.low if domain.declared else None,
        domain.high if domain.declared else None,
        column.bottom,
        column.top,
    )
    rule = Attained.between(least, lowest, highest)
    known = [end for end in (lowest, highest) if end is not None]
    # How far an end can grow: by one, or by two or three where the other end may not.
    by = range(-3, 3) if known else range(-1, 2)
    numbers = np.unique(np.concatenate([own, *(own + more for more in by), np.array(known, np.int64)]))
    numbers = numbers[(numbers >= numbers[0] if lowest is None else numbers >= lowest)]
    numbers = numbers[(numbers <= numbers[-1] if highest is None else numbers <= highest)]
    whole = numbers.astype("datetime64[D]") if domain.kind == "date" else numbers.astype(plain.dtype)
    codes = np.append(np.searchsorted(numbers, own), -1).astype(np.int32)[attribute.codes]
    grows = replace(rule, places=numbers - rule.origin)
    return attribute._replace(domain=replace(domain, values=whole, attained=grows), codes=codes)


def _whole(domain: Domain, step: Any, least: int) -> int:
    """Take a step as a whole number."""
    size = rational(step)
    if size.denominator != 1 or size < least:
        what = "level of its hierarchy" if domain.shape == "tree" else "whole number"
        raise EncodeError(
            f"column {domain.name!r}: its step must be a {what} of at least {least}; got {quoted(step)}"
        )
    return int(size)


def _with_missing(domain: Domain, codes: NDArray[np.integer]) -> NDArray[np.int32]:
    """(codes,) With the missing value, a cell of its own."""
    return np.append(codes, [domain.size] * domain.missing).astype(np.int32)


def _level(domain: Domain, level: int) -> DeclaredLattice:
    """Nodes of a level."""
    tree = domain.hierarchy
    assert tree is not None  # noqa: S101  # the shape tree always has one
    if level >= tree.height and level >= int(tree.level[0]):
        raise EncodeError(
            f"column {domain.name!r}: level {level} of its hierarchy leaves nothing to tell; its root has level {tree.level[0]}"
        )
    node = np.asarray(tree.ancestor_at(np.arange(tree.size), level), np.int32)
    first, last = _with_missing(domain, tree.left[node]), _with_missing(domain, tree.right[node])
    return DeclaredLattice(first, last, node=node)


def _multiples(domain: Domain, step: Any) -> tuple[Domain, NDArray[np.int64]]:
    """Cells of numbers or days: the domain with their ends, and the new code of each of its values."""
    real = domain.kind == "real"
    size = rational(step) if real else Fraction(_whole(domain, step, 2))
    if not real and (np.abs(domain.numbers) + float(size) > _MOST).any():
        raise EncodeError(f"column {domain.name!r}: its values are too large for steps of {step}")
    plain = domain.values.astype("datetime64[D]").astype(np.int64) if domain.kind == "date" else domain.values
    cells = [cell_of(rational(x) if real else x, size, real=real) for x in plain.tolist()]
    ends = np.array(cells, plain.dtype).reshape(-1, 2)
    # Where neighbouring numbers of 64 bits are farther apart, cells would be the values themselves.
    if real and (2 * np.spacing(np.abs(ends)) > float(size)).any():
        raise EncodeError(f"column {domain.name!r}: its values are too large for steps of {step}")
    if domain.kind == "date":
        _check_calendar(domain.name, ends, step)
    values, inverse = np.unique(np.concatenate([plain, ends[:, 0], ends[:, 1]]), return_inverse=True)
    of, low, high = inverse.reshape(3, -1)
    first, last = np.arange(values.size), np.arange(values.size)
    first[of], last[of] = low, high
    whole = values.astype("datetime64[D]") if domain.kind == "date" else values
    wider = replace(domain, values=whole)
    lattice = DeclaredLattice(_with_missing(wider, first), _with_missing(wider, last))
    return replace(wider, lattice=lattice), of.astype(np.int64)


def _check_calendar(name: str, ends: NDArray[np.int64], step: Any) -> None:
    """Refuse cells that end where no date can be written."""
    first, last = (day.toordinal() - date(1970, 1, 1).toordinal() for day in (date.min, date.max))
    beyond = ends[(ends[:, 0] < first) | (ends[:, 1] > last)]
    if beyond.size:
        inside = np.datetime64(int(np.clip(beyond[0].mean(), first, last)), "D")
        raise EncodeError(
            f"column {name!r}: steps of {step} days around {inside} leave the years 1 to 9999; declare such days missing, or "
            "give the column a bottom or top"
        )


def _groups(domain: Domain, step: list[list[str]]) -> tuple[Domain, NDArray[np.int64]]:
    """Groups of plain categories: the domain with all values that were declared, and the new code of each."""
    if domain.shape != "set":
        raise EncodeError(
            f"column {domain.name!r}: groups of values are for plain categories; give numbers, dates and ordered values a step, "
            "and what has a hierarchy a level"
        )
    group = {value: number for number, own in enumerate(step) for value in own}
    without = [label for label in domain.labels if label not in group]
    if without:
        raise EncodeError(
            f"column {domain.name!r}: {quoted(without[0])} is in none of its groups; add it to one"
        )
    labels = [*domain.labels] if domain.declared else sorted(group)
    beyond = sorted(set(group) - set(labels))
    if beyond:
        raise EncodeError(f"column {domain.name!r}: {quoted(beyond[0])} is not in its declared domain")
    of = np.array([labels.index(label) for label in domain.labels], np.int64)
    missing = [len(step)] * domain.missing
    wider = replace(domain, values=np.array(labels, object), high=float(len(labels) - 1))
    same = np.arange(wider.codes, dtype=np.int32)
    lattice = DeclaredLattice(same, same, np.array([*(group[label] for label in labels), *missing], np.int64))
    of = np.append(of, [wider.size] * domain.missing) if domain.missing else of
    return replace(wider, lattice=lattice), of
