"""How far records lie from what classes show, and which class is nearest to each (Amiri et al. 2016, section 4).

A class is represented by the middle of its interval of every numeric attribute, by the node of a hierarchy, by its set of plain
values; where means and modes are published, by these. Numbers are apart by the Euclidean distance of their places in their
domains; a leaf from a node by the edges between them, over twice the height of the hierarchy; a plain value by 0 from a set that
has it, by 1 from another, and by 1/2 from the set of everything, as a leaf from the root of a hierarchy of height 1. Both are
summed; attribute weights count.
"""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING

import numpy as np

from likeness.microdata.means import Means
from likeness.microdata.plan import Plan
from likeness.microdata.regions import attribute_weights, recode, region_losses

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from likeness.hierarchies import Hierarchy
    from likeness.microdata.data import Microdata
    from likeness.microdata.regions import AttributeRegions, CellLoss, Recoding

TIE = 1e-12
"""Distances nearer than this are equal: rounding must not decide between them."""
_PAIRS = 1 << 21


def apart(regions: AttributeRegions | Means, codes: NDArray[np.integer]) -> NDArray[np.float64]:
    """(c, R) How far values lie from the representative of every region of one attribute, or mean, unweighted."""
    domain = regions.domain
    if isinstance(regions, Means):
        numbers = np.append(domain.numbers, np.nan)[np.where(codes == domain.missing_code, -1, codes)]
        return apart_from_means(regions.numbers, regions.everything, numbers, domain.width)
    if domain.shape == "interval":
        places = domain.places(np.nan)
        known = places[: domain.size]
        low = np.where(regions.everything, known.min(initial=0.0), places[regions.low])
        high = np.where(regions.everything, known.max(initial=0.0), places[regions.high])
        own, middle = places[codes][:, None], ((low + high) / 2)[None, :]
        found = np.abs(own - middle)
        found[np.isnan(own) & np.isnan(middle)] = 0.0
        found[np.isnan(own) & regions.everything] = 0.5
        return np.asarray(np.where(np.isnan(found), 1.0, found))
    if domain.shape == "tree" and domain.hierarchy is not None and regions.node is not None:
        return _edges_apart(regions, domain.hierarchy.unpadded, codes)
    there = regions.contains(np.asarray(codes, np.int64)).T
    return np.where(regions.everything, 0.5, np.where(there, 0.0, 1.0))


def apart_from_means(
    means: NDArray[np.float64],
    everything: NDArray[np.bool_],
    numbers: NDArray[np.float64],
    width: float,
) -> NDArray[np.float64]:
    """(c, R) How far numbers (NaN: missing) lie from means (NaN: missing, or everything), over the width of the domain.

    >>> apart_from_means(np.array([40.5, np.nan]), np.array([False, False]), np.array([40.0, np.nan]), 50)
    array([[0.01, 1.  ],
           [1.  , 0.  ]])
    """
    return _apart_from_mean(means[None, :], everything[None, :], numbers[:, None], width)


def _apart_from_mean(
    means: NDArray[np.float64], everything: NDArray[np.bool_], numbers: NDArray[np.float64], width: float
) -> NDArray[np.float64]:
    """How far numbers lie from means of the same shape, or broadcast against them."""
    found = np.abs(numbers - means) / (width if width > 0 else np.inf)
    found[np.isnan(numbers) & np.isnan(means)] = 0.0
    return np.asarray(np.where(everything, 0.5, np.where(np.isnan(found), 1.0, found)))


def own_distances(
    regions: AttributeRegions | Means, codes: NDArray[np.integer], of: NDArray[np.int64]
) -> NDArray[np.float64]:
    """(p,) How far each value lies from the representative of one region of one attribute, ``of`` (p,), unweighted."""
    if isinstance(regions, Means):
        numbers = np.append(regions.domain.numbers, np.nan)[
            np.where(codes == regions.domain.missing_code, -1, codes)
        ]
        return _apart_from_mean(regions.numbers[of], regions.everything[of], numbers, regions.domain.width)
    pairs, where = np.unique(of * regions.domain.codes + codes, return_inverse=True)
    each = np.zeros(pairs.size)
    values, at = np.unique(pairs % regions.domain.codes, return_inverse=True)
    step = max(1, _PAIRS // max(1, regions.count))
    for begin in range(0, values.size, step):
        here = (at >= begin) & (at < begin + step)
        away = apart(regions, values[begin : begin + step])
        each[here] = away[at[here] - begin, pairs[here] // regions.domain.codes]
    return np.asarray(each[where])


def _edges_apart(
    regions: AttributeRegions, tree: Hierarchy, codes: NDArray[np.integer]
) -> NDArray[np.float64]:
    """(c, R) Edges between leaves and nodes over twice the height; the missing value is one more leaf below the root."""
    depth = np.zeros(len(tree.labels), np.int64)
    for below, above in enumerate(tree.parent[1:].tolist(), 1):
        depth[below] = depth[above] + 1
    assert regions.node is not None  # noqa: S101  # the caller looked
    missing_region, missing = regions.node < 0, np.asarray(codes) == regions.domain.missing_code
    node, leaf = np.maximum(regions.node, 0), np.where(missing, 0, codes)
    low = np.minimum(leaf[:, None], tree.left[node][None, :])
    high = np.maximum(leaf[:, None], tree.right[node][None, :])
    # A node above a single leaf is higher than what both have in common.
    common = np.minimum(depth[tree.common_ancestor(low, high)], depth[node][None, :])
    edges = depth[tree.leaf_node[leaf]][:, None] + depth[node][None, :] - 2 * common
    edges[missing] = 1 + depth[node]
    edges[:, missing_region] = 1 + depth[tree.leaf_node[leaf]][:, None]
    edges[np.ix_(missing, missing_region)] = 0
    return np.asarray(edges / (2 * max(1, tree.height)))


def distances(
    data: Microdata, recoding: Recoding, tuples: NDArray[np.int64]
) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    """Yield some of the tuples at a time, and (tuples, E) how far each lies from the representative of every class.

    ``tuples``: (t,) numbers of distinct tuples.
    """
    columns = class_columns(recoding)
    for part, away in region_distances(data, recoding, tuples, recoding.classes):
        squares = np.zeros((part.stop - part.start, recoding.classes))
        others = np.zeros_like(squares)
        for j, regions in enumerate(recoding.shown):
            total = squares if regions.domain.shape == "interval" else others
            total += away[:, columns[:, j]]
        yield part, np.sqrt(squares) + others


def region_distances(
    data: Microdata, recoding: Recoding, tuples: NDArray[np.int64], beside: int = 0
) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    """Yield some of the tuples at a time, and (tuples, ΣR) how far each lies from all regions, weighted, attribute by attribute.

    Distances of intervals are squared: of a class, they are summed before their root is taken. ``beside``: how many numbers the
    caller needs for every tuple.
    """
    weights = attribute_weights(data.quasi) * len(data.quasi)
    width = sum(regions.count for regions in recoding.shown)
    step = max(1, _PAIRS // max(1, width, beside))
    first = data.tuples.first[tuples]
    for begin in range(0, tuples.size, step):
        part = slice(begin, min(begin + step, tuples.size))
        found = [np.zeros((part.stop - begin, 0))]
        for j, regions in enumerate(recoding.shown):
            own = apart(regions, data.codes[j, first[part]])
            found.append(weights[j] * own**2 if regions.domain.shape == "interval" else weights[j] * own)
        yield part, np.concatenate(found, axis=1)


def class_columns(recoding: Recoding) -> NDArray[np.int64]:
    """(E, d) Where each class's regions stand in what `region_distances` yields."""
    counts = [regions.count for regions in recoding.shown]
    begins = np.cumsum([0, *counts[:-1]])[: len(counts)]
    found = np.zeros((recoding.classes, len(counts)), np.int64)
    for j, regions in enumerate(recoding.shown):
        found[:, j] = begins[j] + regions.of
    return found


def nearest_classes(
    data: Microdata, recoding: Recoding, records: NDArray[np.int64], loss: CellLoss
) -> NDArray[np.int64]:
    """(r,) The class nearest to each of some records; of equally near ones that which loses least more with it.

    Of those the one whose region begins first, so that the numbers of classes decide nothing.
    """
    tuples, of = np.unique(data.tuples.of[records], return_inverse=True)
    found = np.zeros(tuples.size, np.int64)
    weights = attribute_weights(data.quasi)
    codes = data.codes[:, data.tuples.first[tuples]]
    place = _places(recoding)
    for part, away in distances(data, recoding, tuples):
        near = away <= away.min(axis=1, keepdims=True) + TIE
        found[part] = near.argmax(axis=1)
        for i in np.flatnonzero(near.sum(axis=1) > 1).tolist():
            classes = np.flatnonzero(near[i])
            more = np.zeros(classes.size)
            for j, regions in enumerate(recoding.attributes):
                own = regions.of[classes]
                grown = loss_with(regions, own, np.full(own.size, codes[j, part.start + i]), loss)
                more += weights[j] * (grown - loss_with(regions, own, regions.low[own], loss))
            least = classes[more <= more.min() + TIE]
            found[part.start + i] = least[np.argmin(place[least])]
    return found[of]


def _places(recoding: Recoding) -> NDArray[np.int64]:
    """(E,) Place of each class among all, sorted by the values of their regions."""
    keys: list[NDArray[np.integer]] = []
    for regions in recoding.attributes:
        words = [] if regions.members is None else list(regions.members.view(np.int64).T)
        keys += [key[regions.of] for key in (regions.low, regions.high, *words)]
    place = np.empty(recoding.classes, np.int64)
    place[np.lexsort(keys[::-1])] = np.arange(recoding.classes)
    return place


def loss_with(
    regions: AttributeRegions, of: NDArray[np.int64], codes: NDArray[np.integer], loss: CellLoss
) -> NDArray[np.float64]:
    """(p,) Unweighted loss of the smallest region that covers one of one attribute, ``of`` (p,), and a value, ``codes`` (p,)."""
    domain, by_count = regions.domain, loss.by_count(regions.domain.codes)
    missing = domain.missing_code
    low, high = np.minimum(regions.low[of], codes), np.maximum(regions.high[of], codes)
    mixed = (high == missing) & (low != missing) if missing >= 0 else np.zeros(of.size, np.bool_)
    if domain.shape == "interval":
        positions = loss.positions(domain)
        return np.asarray(np.where(mixed, 1.0, np.minimum(1.0, positions[high] - positions[low])))
    if regions.members is not None:
        there = (regions.members[of, codes >> 6] >> (np.asarray(codes) & 63).astype(np.uint64)) & np.uint64(1)
        return np.asarray(by_count[regions.sizes[of] + 1 - there.astype(np.int64)])
    tree = domain.hierarchy
    assert tree is not None  # noqa: S101  # the shape tree always has one
    inner = ~mixed & (low != missing) if missing >= 0 else np.ones(of.size, np.bool_)
    node = tree.common_ancestor(np.where(inner, low, 0), np.where(inner, high, 0))
    leaves = np.where(inner, tree.right[node] - tree.left[node] + 1, 1)
    # The root stands for the missing value too.
    return np.asarray(by_count[np.where(mixed | (inner & (node == 0) & (leaves > 1)), domain.codes, leaves)])


def removed_loss(
    data: Microdata,
    plan: Plan,
    recoding: Recoding,
    loss: CellLoss,
    prices: tuple[float, float] = (1.1, 1.2),
    *,
    classes_pay: bool = True,
    weights: NDArray[np.float64] | None = None,
) -> tuple[float, float]:
    """Removed global certainty penalty of a plan (Amiri et al. 2016, Definition 2; see the metric ``rgcp``).

    ``prices``: k_R of classes joined with the withheld records that they are nearest to, n_R of publishing nothing.
    ``classes_pay``: all records of a joined class pay, else the withheld ones. ``weights``: (n,) what each record counts for.

    Gives what the published records lose, and what is paid beyond for those withheld: 0 exactly where nothing is.
    """
    each = np.ones(data.size) if weights is None else weights
    if plan.count == 0:
        alone = _losses_of(data, *recode(data, Plan(np.zeros(data.size, np.int64))), loss)
        return 0.0, prices[1] * fsum((each * alone).tolist())
    out = ~plan.published
    home = plan.classes.copy()
    home[out] = nearest_classes(data, recoding, np.flatnonzero(out), loss)
    joined = np.zeros(recoding.classes, np.bool_)
    joined[home[out]] = True
    before = _losses_of(data, Plan(home), recoding, loss)
    # Regions may be wider than their classes.
    after = np.maximum(before, _losses_of(data, *recode(data, Plan(home)), loss))
    published = np.where(out, 0.0, before)
    pays = joined[home] if classes_pay else out
    beyond = np.where(pays, prices[0] * after, before) - published
    return fsum((each * published).tolist()), fsum((each * beyond).tolist())


def _losses_of(data: Microdata, plan: Plan, recoding: Recoding, loss: CellLoss) -> NDArray[np.float64]:
    """(n,) What every record loses in its class."""
    found = np.zeros(data.size)
    for weight, regions in zip(attribute_weights(data.quasi), recoding.attributes, strict=True):
        found += weight * region_losses(regions, loss)[regions.of[plan.classes]]
    return found
