"""GeneIR's last step: individuals join the equivalence class of the closest lowest common ancestor that holds with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import boolean, float64, int32, int64, types, void

from likeness.kernels import njit
from likeness.kernels.class_tests import TESTS, evaluate

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Residual(NamedTuple):
    """The individuals that are left, r of them."""

    row: NDArray[np.int64]
    """(r,) the rows of the table that they are."""
    code: NDArray[np.int32]
    """(r, d) a code of each."""
    level: NDArray[np.int64]
    """(r, d) the level from which on all records of each share that code's region."""
    records: NDArray[np.int64]
    """(r,) number of records."""


class Classes(NamedTuple):
    """The E equivalence classes; the kernel changes them."""

    code: NDArray[np.int32]
    """(E, d) a code that each covers."""
    level: NDArray[np.int64]
    """(E, d) the level at which that code's region is the class's."""
    records: NDArray[np.int64]
    """(E,) number of records."""
    size: NDArray[np.int64]
    """(E,) number of individuals."""
    last: NDArray[np.int64]
    """(E,) the individual that joined last."""
    before: NDArray[np.int64]
    """(n,) the individual that joined the same class before, -1 for the first."""
    histograms: NDArray[np.int64]
    """(E, width) joint histogram of each class; of one row when there is no room for all, then made anew for every test."""


RESIDUAL = types.NamedTuple((int64[::1], int32[:, ::1], int64[:, ::1], int64[::1]), Residual)
CLASSES = types.NamedTuple(
    (int32[:, ::1], int64[:, ::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[:, ::1]), Classes
)
_REGION = (int32[:, :, ::1],)
_TESTS = (TESTS, int64[:, ::1], int64[::1], float64[::1], int64, int32[:, ::1])


@njit(
    [
        int64(*_REGION, int64[:, ::1], int64[::1], RESIDUAL, int64, CLASSES, int64, int64),
        float64(*_REGION, float64[:, ::1], int64[::1], RESIDUAL, int64, CLASSES, int64, float64),
    ],
    cache=True,
)
def apart(region, loss, height, left, p, classes, e, limit):
    """Distance of individual p and class e (Wang et al. 2019, eq. 17), or the limit where it is not below.

    Both become their lowest common ancestor, and each record pays what that loses more than before. Codes that no level
    joins are as far apart as the limit. ``region`` (d, L, codes), ``loss`` (d, regions), ``height`` (d,): `climb.RegionsByLevel`.
    """
    total = limit - limit
    for j in range(height.shape[0]):
        one, other = left.code[p, j], classes.code[e, j]
        at = max(left.level[p, j], classes.level[e, j])
        while at <= height[j] and region[j, at, one] != region[j, at, other]:
            at += 1
        if at > height[j]:
            return limit
        joined = loss[j, region[j, at, one]]
        total += left.records[p] * (joined - loss[j, region[j, left.level[p, j], one]])
        total += classes.records[e] * (joined - loss[j, region[j, classes.level[e, j], other]])
        if total >= limit:
            return limit
    return total


@njit(boolean(*_TESTS, RESIDUAL, int64, CLASSES, int64), cache=True)
def holds_with(functions, shape, integers, reals, smallest, places, left, p, classes, e):
    """Whether class e holds the tests with individual p in it."""
    if classes.size[e] + 1 < smallest:
        return False
    if shape.shape[0] == 0:
        return True
    alone = classes.histograms.shape[0] < classes.size.shape[0]
    histogram = classes.histograms[0 if alone else e]
    if alone:
        histogram[:] = 0
        person = classes.last[e]
        while person >= 0:
            for v in range(places.shape[1]):
                histogram[places[person, v]] += 1
            person = classes.before[person]
    for v in range(places.shape[1]):
        histogram[places[left.row[p], v]] += 1
    held = evaluate(functions, shape, integers, reals, classes.size[e] + 1, histogram)
    for v in range(places.shape[1]):
        histogram[places[left.row[p], v]] -= 1
    return held


@njit(void(*_REGION, int32[:, ::1], RESIDUAL, int64, CLASSES, int64), cache=True)
def join(region, places, left, p, classes, e):
    """Let individual p join class e, which becomes the lowest common ancestor."""
    for j in range(region.shape[0]):
        at = max(left.level[p, j], classes.level[e, j])
        while region[j, at, left.code[p, j]] != region[j, at, classes.code[e, j]]:
            at += 1
        classes.level[e, j] = at
    classes.records[e] += left.records[p]
    classes.size[e] += 1
    classes.before[left.row[p]] = classes.last[e]
    classes.last[e] = left.row[p]
    if classes.histograms.shape[0] == classes.size.shape[0]:
        for v in range(places.shape[1]):
            classes.histograms[e, places[left.row[p], v]] += 1


@njit(
    [
        void(*_REGION, loss, int64[::1], whole, *_TESTS, RESIDUAL, CLASSES, int64[::1], int64, int64)
        for loss, whole in ((int64[:, ::1], int64), (float64[:, ::1], float64))
    ],
    cache=True,
)
def join_closest(
    region,
    loss,
    height,
    whole,
    functions,
    shape,
    integers,
    reals,
    smallest,
    places,
    left,
    classes,
    joined,
    begin,
    end,
):
    """Let individuals begin … end - 1 join the closest class that holds with them, one after the other.

    Of equally close classes the first is joined; who would lose no less by joining than by being withheld (``whole`` a
    record) joins none. ``joined`` (r,) receives the classes; -1 for none. ``functions`` … ``smallest``: the tests that
    joining could break (`class_tests.lay_out`); ``places`` (n, v): positions in their histogram.
    """
    count = classes.size.shape[0]
    found = np.empty(count, loss.dtype)
    near = np.empty(count, np.int64)
    for p in range(begin, end):
        limit = left.records[p] * whole
        nearest = -1
        candidates = 0
        for e in range(count):
            distance = apart(region, loss, height, left, p, classes, e, limit)
            if distance < limit:
                if nearest < 0 or distance < found[nearest]:
                    nearest = candidates
                found[candidates] = distance
                near[candidates] = e
                candidates += 1
        joined[p] = -1
        if nearest < 0:
            continue
        if holds_with(functions, shape, integers, reals, smallest, places, left, p, classes, near[nearest]):
            joined[p] = near[nearest]
        else:
            for at in np.argsort(found[:candidates], kind="mergesort"):
                if at != nearest and holds_with(
                    functions, shape, integers, reals, smallest, places, left, p, classes, near[at]
                ):
                    joined[p] = near[at]
                    break
        if joined[p] >= 0:
            join(region, places, left, p, classes, joined[p])


@njit(void(int64[:, ::1], int32[:, ::1], int64[::1]), cache=True)
def count_members(histograms, places, classes):
    """Count the individuals of every class in its histogram; those of class -1 are left out."""
    for person in range(classes.shape[0]):
        if classes[person] >= 0:
            for v in range(places.shape[1]):
                histograms[classes[person], places[person, v]] += 1
