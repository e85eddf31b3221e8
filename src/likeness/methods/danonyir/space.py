"""A table of individuals laid out for DAnonyIR: exact losses, hulls, and who has how many records."""

from __future__ import annotations

from math import gcd
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from likeness.exact import rational
from likeness.microdata.regions import LOSSES, geometry

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from numpy.typing import NDArray

    from likeness.kernels.hulls import Geometry
    from likeness.methods.danonyir.kernels.hulls import Hulls, Pool
    from likeness.microdata.data import Microdata
    from likeness.microdata.domain import Domain

_LARGEST = 1 << 61
_MOST_VALUES = 100_000
"""Values of a numeric attribute up to which they are read as fractions."""


class HullSpace(NamedTuple):
    """Individuals as DAnonyIR sees them: the distinct hulls (``profiles``), and who has which, with how many records.

    ``exact``: losses of the geometry are whole numbers. ``scale``: what a loss of 1 is in its unit.
    """

    geometry: Geometry
    profiles: Hulls
    crowd: Pool
    scale: float
    exact: bool


def records_of(data: Microdata) -> tuple[Microdata, NDArray[np.int64]]:
    """Give the records of a table of individuals, and (records,) whose they are; of other tables every record is one's own."""
    if data.members is None:
        return data, np.arange(data.size)
    return data.members.records, data.members.of


def whole_losses(domains: Sequence[Domain], records: int) -> tuple[Geometry, int] | None:
    """Lay out generalized losses (GLM, attribute weights as they stand) as whole numbers, and their common denominator.

    Numbers count as the decimal fractions they are written as. None where 64 bits do not hold sums over so many
    ``records``, or an attribute has too many values to be read as fractions.

    >>> from likeness.microdata.domain import Domain
    >>> age = Domain("age", "integer", np.array([30, 36]), "interval", low=30, high=39)
    >>> sex = Domain("sex", "categorical", np.array(["F", "M", "X"]), "set", weight=0.5)
    >>> found, denominator = whole_losses([age, sex], 10)
    >>> denominator, found.position[0, :2], found.set_loss[1, :4]
    (12, array([0, 8]), array([0, 0, 3, 6]))
    """
    laid = geometry(domains, LOSSES["glm"])
    if any(domain.shape == "interval" and domain.size > _MOST_VALUES for domain in domains):
        return None
    weights = [rational(domain.weight) for domain in domains]
    fractions = [
        _positions(domain, weight) if domain.shape == "interval" else [weight / max(1, domain.codes - 1)]
        for domain, weight in zip(domains, weights, strict=True)
    ]
    denominator = 1
    for one in [*weights, *(value for values in fractions for value in values)]:
        denominator *= one.denominator // gcd(denominator, one.denominator)
        if denominator > _LARGEST:
            return None
    total = sum(weights, start=rational(0))
    if denominator * 2 * (1 + total) * max(1, records) > _LARGEST:
        return None
    # The kernels take whole numbers in place of the declared floating-point ones.
    position: NDArray[Any] = np.zeros(laid.position.shape, np.int64)
    for j, (domain, own) in enumerate(zip(domains, fractions, strict=True)):
        if domain.shape == "interval":
            position[j, : len(own)] = [int(value * denominator) for value in own]
    steps: NDArray[Any] = np.array([int(values[0] * denominator) for values in fractions], np.int64)
    return laid._replace(
        position=position,
        most=np.array([int(weight * denominator) for weight in weights], np.int64),
        node_loss=_counted(laid.node_loss, laid.most, domains) * steps[:, None],
        set_loss=_counted(laid.set_loss, laid.most, domains) * steps[:, None],
    ), denominator


def _positions(domain: Domain, weight: Fraction) -> list[Fraction]:
    """Weighted position of every code of an interval attribute; the missing one lies two domain widths away."""
    low, width = rational(domain.low), rational(domain.high) - rational(domain.low)
    unit = weight / width if width > 0 else rational(0)
    found = [(rational(number) - low) * unit for number in domain.numbers.tolist()]
    return [*found, 2 * weight] if domain.missing else found


def _counted(
    losses: NDArray[np.float64], most: NDArray[np.float64], domains: Sequence[Domain]
) -> NDArray[Any]:
    """Values beyond the first that each loss stands for: losses are multiples of the weight over the values less one."""
    values = np.array([max(1, domain.codes - 1) for domain in domains], np.float64)
    shares = losses / np.where(most > 0, most, 1.0)[:, None]
    return np.rint(shares * values[:, None]).astype(np.int64)


def lay_out_space(data: Microdata) -> HullSpace:
    """Lay out a table of individuals (or of records that are everybody's only one)."""
    from likeness.methods.danonyir.kernels.hulls import fill_parts

    records, of = records_of(data)
    found = whole_losses(data.quasi, records.size)
    laid, scale = found or (geometry(data.quasi, LOSSES["glm"]), 1)
    exact = found is not None
    hulls = _individual_hulls(data, laid, exact)
    # Attributes of few values first make a tree with few nodes; sums of rounded losses keep to the table's order.
    values = [np.unique(hulls.low[:, j]).size if exact else j for j in range(len(data.quasi))]
    attributes = np.argsort(values, kind="stable").astype(np.int64)
    crowd = _crowd(hulls, laid, attributes, np.bincount(of, minlength=data.size).astype(np.int64))
    first = crowd.lowest[crowd.start[:-1]]
    profiles = hulls._replace(
        low=hulls.low[first], high=hulls.high[first], bits=hulls.bits[first], parts=hulls.parts[first]
    )
    fill_parts(laid, profiles)
    return HullSpace(laid, profiles, crowd, float(scale), exact)


def _individual_hulls(data: Microdata, laid: Geometry, exact: bool) -> Hulls:
    """Hull of every individual's records."""
    from likeness.kernels.hulls import class_ranges, class_sets
    from likeness.methods.danonyir.kernels.hulls import Hulls

    records, of = records_of(data)
    n, d = data.size, len(data.quasi)
    low, high = np.zeros((n, d), np.int32), np.zeros((n, d), np.int32)
    bits = np.zeros((n, int(laid.word[-1])), np.uint64)
    for j, domain in enumerate(data.quasi):
        codes = np.ascontiguousarray(records.codes[j])
        low[:, j], high[:, j] = class_ranges(codes, of, n)
        start, end = int(laid.word[j]), int(laid.word[j + 1])
        if domain.shape == "set":
            bits[:, start:end] = class_sets(codes, of, n, end - start)
    parts = np.zeros((n, d), np.int64) if exact else np.zeros((n, d))
    return Hulls(low, high, bits, parts)


def _crowd(hulls: Hulls, laid: Geometry, attributes: NDArray[np.int64], records: NDArray[np.int64]) -> Pool:
    """Order everybody by hull, attribute by attribute, and lay out the tree of equal first attributes."""
    from likeness.methods.danonyir.kernels.hulls import Pool

    n = records.size
    of_level = [_columns(hulls, laid, int(j)) for j in attributes]
    keys = [column for columns in of_level for column in columns]
    fewest = np.lexsort([records, *reversed(keys)]).astype(np.int64)
    # Where the node of each level changes, from the root on, which has everybody.
    changes = np.zeros(n, np.bool_)
    changes[:1] = True
    begins = [np.flatnonzero(changes)]
    for columns in of_level:
        for column in columns:
            ordered = column[fewest]
            changes[1:] |= ordered[1:] != ordered[:-1]
        begins.append(np.flatnonzero(changes))
    start = np.append(begins[-1], n).astype(np.int64)
    profile = np.zeros(n, np.int64)
    profile[fewest] = np.repeat(np.arange(start.size - 1), np.diff(start))
    level = np.cumsum([0, *(begin.size for begin in begins)])
    # Levels stand one behind the other, so that children of neighbouring nodes are neighbours too.
    children = [level[k + 1] + np.searchsorted(begins[k + 1], begins[k]) for k in range(attributes.size)]
    parents = [
        level[k] + np.searchsorted(begins[k], begins[k + 1], side="right") - 1 for k in range(attributes.size)
    ]
    begin = np.concatenate(begins)
    return Pool(
        records,
        profile,
        fewest,
        np.argsort(profile, kind="stable").astype(np.int64),
        start,
        start[:-1].copy(),
        start[:-1].copy(),
        np.ones(n, np.bool_),
        attributes,
        np.concatenate([[-1], *parents]).astype(np.int64),
        np.concatenate([*children, np.full(begins[-1].size + 1, level[-1])]).astype(np.int64),
        profile[fewest[begin]],
        np.concatenate([np.diff(np.append(one, n)) for one in begins]).astype(np.int64),
        np.concatenate([np.minimum.reduceat(records[fewest], one) for one in begins]).astype(np.int64),
    )


def _columns(hulls: Hulls, laid: Geometry, j: int) -> list[NDArray[np.integer]]:
    """Columns in which equal hulls of one attribute are equal."""
    words = range(int(laid.word[j]), int(laid.word[j + 1]))
    return [hulls.low[:, j], hulls.high[:, j], *(hulls.bits[:, word] for word in words)]
