"""BUREL with every sensitive value a bucket of its own: cuts of the quasi-identifiers that exchange records."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, pairwise
from os import cpu_count
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likeness.exact import Real, smallest_sizes
from likeness.methods.base import joint_views
from likeness.models.beta_bounds import GainLimits

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.kernels.class_tests import ClassTest, LaidOutTests
    from likeness.kernels.hulls import Geometry
    from likeness.kernels.node_summary import Scratch
    from likeness.methods.base import Problem
    from likeness.methods.burel.kernels.exchange import Caps, Sides
    from likeness.microdata.regions import CellLoss

_SCHEDULES: tuple[tuple[tuple[Fraction, float], ...], ...] = (
    ((Fraction(1), 0.05),),
    ((Fraction(19, 20), 0.1), (Fraction(1), 0.05)),
)
"""Ways to cut, of which the one with the smallest loss is kept. A way is a sequence of passes: the part of the way
from p to f(p) that shares may use, and the share of each limit that parts leave free where they can."""

_MANY = 20_000
"""Records that are worth more than one thread."""
_PIECE = 50_000
"""Records whose classes a thread cuts at a time, about: a number, though what is found does not depend on it."""


@dataclass(frozen=True, eq=False)
class _Setting:
    """What all passes share."""

    problem: Problem
    geometry: Geometry
    views: NDArray[np.int32]
    tests: list[ClassTest]
    width: int
    requirement: int
    values: NDArray[np.int32]


def exchange_classes(
    problem: Problem, loss: CellLoss, classes: NDArray[np.int64] | None = None
) -> NDArray[np.int64]:
    """(n,) Cut classes that hold (None: all records) into smaller ones, by exchanging cuts, until none lowers the loss.

    The first requirement with limits on relative gain, of which there must be one, says which values change sides.
    Where a cut is allowed as it is, the least-loss cut of Mondrian is taken.
    """
    from likeness.microdata.regions import geometry

    if classes is None:
        classes = np.zeros(problem.data.size, np.int64)
    views, tests, width = joint_views(problem)
    at = next(i for i, one in enumerate(problem.requirements) if isinstance(one.bound, GainLimits))
    view = problem.requirements[at].view
    assert view is not None  # noqa: S101  # limits on gain are about sensitive values
    values = view.codes(problem.data.judged_codes).astype(np.int32)
    setting = _Setting(problem, geometry(problem.data.quasi, loss), views, tests, width, at, values)
    best, least = classes, np.inf
    number = max(1, cpu_count() or 1) if classes.size >= _MANY else 1
    with ThreadPoolExecutor(number) as ways, ThreadPoolExecutor(number) as workers:
        if number > 1:
            # Compiles or loads what all of them run.
            _cut(setting, *_SCHEDULES[0][0], np.where(np.arange(classes.size) < 1, 0, -1), workers)
        found = ways.map(lambda schedule: _cut_by(setting, schedule, classes, workers), _SCHEDULES)
        for tried in range(len(_SCHEDULES)):
            problem.progress.step("cut classes", tried, len(_SCHEDULES))
            cut = next(found)
            lost = total_loss(setting.geometry, problem.data.codes, cut)
            if lost < least:
                best, least = cut, lost
    return best


def _cut_by(
    setting: _Setting,
    schedule: tuple[tuple[Fraction, float], ...],
    classes: NDArray[np.int64],
    workers: ThreadPoolExecutor,
) -> NDArray[np.int64]:
    """Run the passes of a way to cut, one after the other."""
    for part, reserve in schedule:
        classes = _cut(setting, part, reserve, classes, workers)
    return classes


def total_loss(geometry: Geometry, codes: NDArray[np.int32], classes: NDArray[np.int64]) -> float:
    """Sum of the losses of all records' classes."""
    from likeness.methods.burel.kernels.exchange import classes_loss

    members, starts = _by_class(classes)
    return float(classes_loss(geometry, np.ascontiguousarray(codes[:, members]), starts))


def _by_class(classes: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Records class by class, in their order, and where each class begins."""
    from likeness.kernels.retrieval import sort_by_small_keys

    count = int(classes.max(initial=-1)) + 1
    members = sort_by_small_keys(classes, count, np.arange(classes.size, dtype=np.int32)).astype(np.int64)
    starts = np.concatenate([[0], np.cumsum(np.bincount(classes, minlength=count))]).astype(np.int64)
    return members, starts


def _cut(
    setting: _Setting,
    part: Fraction,
    reserve: float,
    classes: NDArray[np.int64],
    workers: ThreadPoolExecutor,
) -> NDArray[np.int64]:
    """(n,) Run one pass over classes, -1 for records that are left out: they do not depend on each other."""
    from likeness.kernels.class_tests import lay_out

    caps, test = limited(setting.problem, setting.requirement, part)
    tests = list(setting.tests)
    tests[setting.requirement] = tests[setting.requirement]._replace(integers=test)
    step = _PassOverClasses(setting, lay_out(tests), caps, reserve)
    kept = np.flatnonzero(classes >= 0)
    members, starts = _by_class(classes[kept])
    rows = kept[members]
    alone = starts.size == 2
    if alone:
        # What comes of the first cuts are many.
        members, starts = _by_class(_strictly_cut(step, step.work_space(), rows, starts))
        rows = rows[members]
    found = [*workers.map(lambda own: step.over(*own, cut=not alone), _pieces(rows, starts))]
    done, number = np.full(classes.size, -1, np.int64), 0
    for turn in range(max(map(len, found), default=0)):
        for closed in (own[turn] for own in found if turn < len(own)):
            done[closed.rows] = number + np.repeat(np.arange(closed.sizes.size), closed.sizes)
            number += closed.sizes.size
    return done


def _pieces(
    rows: NDArray[np.int64], starts: NDArray[np.int64]
) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Deal classes that follow each other to pieces of about as many records; of few records there is one piece."""
    ends = np.searchsorted(starts, np.arange(_PIECE, rows.size + _PIECE, _PIECE))
    bounds = np.unique([0, *np.minimum(ends, starts.size - 1)])
    return [
        (rows[starts[begin] : starts[end]], starts[begin : end + 1] - starts[begin])
        for begin, end in pairwise(bounds.tolist())
    ]


class _Closed(NamedTuple):
    """Classes that no cut makes smaller; ``rows``: class by class; ``sizes``: how many each has."""

    rows: NDArray[np.int64]
    sizes: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class _PassOverClasses:
    """What is the same wherever one pass cuts."""

    setting: _Setting
    laid: LaidOutTests
    caps: Caps
    reserve: float

    def work_space(self) -> Scratch:
        """Allocate what a thread needs."""
        from likeness.kernels.node_summary import scratch

        shape, width = self.setting.geometry, self.setting.width
        return scratch(int(shape.values.max(initial=1)), shape.kind.size, int(shape.word[-1]), width)

    def over(self, rows: NDArray[np.int64], starts: NDArray[np.int64], *, cut: bool) -> list[_Closed]:
        """Cut some classes strictly while that is allowed, then each by one exchange, and again; what is closed, by turns.

        ``cut``: whether it begins with strict cuts.
        """
        from likeness.methods.burel.kernels.exchange import sides

        space, counts, found = self.work_space(), sides(self.caps.share.size), []
        while rows.size:
            if cut:
                members, starts = _by_class(_strictly_cut(self, space, rows, starts))
                rows = rows[members]
            cut = True
            members, cuts = _exchanged(self, space, counts, rows, starts)
            rows = rows[members]
            closed = cuts == starts[1:]
            sizes = np.diff(starts)
            in_closed = np.repeat(closed, sizes)
            found.append(_Closed(rows[in_closed], sizes[closed]))
            parts = np.stack([cuts - starts[:-1], starts[1:] - cuts], axis=1)[~closed]
            rows, starts = rows[~in_closed], np.concatenate([[0], np.cumsum(parts)]).astype(np.int64)
        return found


def _strictly_cut(
    step: _PassOverClasses, space: Scratch, rows: NDArray[np.int64], starts: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Class of each row after all least-loss cuts of Mondrian that the tests allow."""
    from likeness.kernels.present_tests import of_present
    from likeness.methods.mondrian.kernels.cuts import LEAST_LOSS, node_histograms, partition

    setting, laid = step.setting, step.laid
    codes, views, _ = _in_order(setting, rows)
    ranks, histograms = node_histograms(views, setting.width, int(setting.geometry.values.max(initial=1)))
    label = np.zeros(rows.size, np.int64)
    one_each, members = np.ones(rows.size, np.int64), np.arange(rows.size)
    partition(
        of_present(laid),
        laid.smallest,
        setting.geometry,
        codes,
        one_each,
        ranks,
        members,
        starts,
        LEAST_LOSS,
        False,
        space,
        histograms,
        label,
    )
    return label


def _exchanged(
    step: _PassOverClasses,
    space: Scratch,
    counts: Sides,
    rows: NDArray[np.int64],
    starts: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Cut every class once by an exchange: (rows rearranged, where the second part of each class begins)."""
    from likeness.methods.burel.kernels.exchange import exchange_once

    setting, laid = step.setting, step.laid
    codes, views, values = _in_order(setting, rows)
    members = np.arange(rows.size)
    cuts = exchange_once(
        laid.functions,
        laid.shape,
        laid.integers,
        laid.reals,
        laid.smallest,
        setting.geometry,
        step.caps,
        step.reserve,
        codes,
        views,
        values,
        members,
        starts,
        space,
        counts,
    )
    return members, cuts


def _in_order(
    setting: _Setting, rows: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Codes, positions in the histogram and values of some records: side by side they are read much faster."""
    return (
        np.take(setting.problem.data.codes, rows, axis=1, mode="clip"),
        np.take(setting.views, rows, axis=1, mode="clip"),
        np.take(setting.values, rows, mode="clip"),
    )


def limited(problem: Problem, requirement: int, part: Fraction) -> tuple[Caps, NDArray[np.int64]]:
    """Caps, and the integers of the class test, for shares that use only a part of the way from p to f(p).

    The whole way keeps the test as it is; any less makes it stricter, never laxer.
    """
    from likeness.methods.burel.kernels.exchange import Caps

    bound = problem.requirements[requirement].bound
    assert isinstance(bound, GainLimits)  # noqa: S101  # that is how it was found
    integers = np.asarray(bound.class_test().integers, np.int64)
    m = len(bound.upper_limits)
    start, base = integers[: m + 1].copy(), 2 * (m + 1)
    tables = integers[base : base + int(start[-1])].copy()
    limits = list(bound.upper_limits)
    if part < 1:
        known: dict[Fraction, Real] = {}
        for value, (p, limit) in enumerate(zip(bound.shares, bound.upper_limits, strict=True)):
            if p not in known:
                # Rounded down to multiples of 2^-40, which keep the tables' arithmetic short.
                aim = p + part * (limit.enclose(40)[0] - p)
                known[p] = Real.of(Fraction(int(aim * 2**40), 2**40))
            limits[value] = known[p]
            begin, end = int(start[value]), int(start[value + 1])
            stricter = smallest_sizes(known[p], end - begin)
            tables[begin:end] = np.maximum(tables[begin:end], stricter)
        integers = np.fromiter(
            chain(integers[:base], tables, integers[base + tables.size :]), np.int64, integers.size
        )
    return Caps(np.array([float(limit) for limit in limits]), start, tables), integers
