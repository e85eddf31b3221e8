"""Conditions of many queries laid out on one published column, for `kernels.workloads`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left, bisect_right
from copy import copy
from functools import cache, cached_property, lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from likeness.queries.overlap import (
    as_values,
    axis_of,
    condition_shares,
    is_range,
    place,
    place_on,
    range_of,
    stretch_part,
)
from likeness.queries.query import Consecutive
from likeness.queries.sums import (
    ANYTHING,
    check_numbers,
    made_ends,
    region_sums,
    shown_values,
    value_weights,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from numpy.typing import NDArray

    from likeness.microdata.domain import Domain
    from likeness.published.columns import ColumnNote
    from likeness.published.regions import Region
    from likeness.queries.overlap import Overlap


class Stretches(NamedTuple):
    """The stretch of an axis that each region covers; the last end before the first where it covers nothing."""

    first: NDArray[np.float64]
    last: NDArray[np.float64]
    step: NDArray[np.float64]
    inverse: NDArray[np.float64]

    @classmethod
    def of(cls, first: Any, last: Any, step: Any) -> Stretches:
        """Lay out stretches of these ends and steps."""
        first, last = np.array(first, np.float64), np.array(last, np.float64)
        # A single number is one value of one, on any axis.
        step = np.where(first == last, 1.0, np.asarray(step, np.float64))
        inverse = np.zeros(first.shape)
        np.divide(1.0, last - first + step, out=inverse, where=last >= first)
        return cls(first, last, step, inverse)


class Spans(NamedTuple):
    """Conditions that are ranges on an axis on which every region is a stretch."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    stretches: Stretches


class Codes(NamedTuple):
    """Conditions that are ranges of an exact column's codes."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]


class Sets(NamedTuple):
    """Conditions that are ranges of the ranks of values, on a column of value sets."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    begins: NDArray[np.int64]
    """(R + 1,) where the members of each region begin."""
    members: NDArray[np.int32]
    """Ranks of members, region after region, ascending; the missing value has none."""
    size: NDArray[np.int64]
    """(R,) Number of members, the missing value included."""


class Shares(NamedTuple):
    """Conditions by the share of each region that meets them."""

    table: NDArray[np.float64]
    """(D, R)"""


LaidOut = Codes | Spans | Sets | Shares


class Axis(ABC):
    """One published column: its R regions, and in ``of`` (units,) which of them each unit has."""

    of: NDArray[np.int64]

    @abstractmethod
    def width(self, conditions: Sequence[Any], power: int | None) -> int:
        """R where conditions need a table of shares; 0 where they are laid out by their ends alone."""

    @property
    @abstractmethod
    def ranks(self) -> NDArray[np.int64]:
        """(R,) Place of each region in an order that depends on nothing but what the regions say."""

    def at(self, of: NDArray[np.int64]) -> Axis:
        """Give other units the same regions."""
        other = copy(self)
        other.of = of
        return other

    @abstractmethod
    def lay_out(self, conditions: Sequence[Any], power: int | None) -> LaidOut:
        """Lay out distinct conditions, as in `Query` or `ANYTHING`.

        ``power``: None: the share of each region that meets each condition; 0: of what is not missing; 1: times the mean
        number there. Raises `TableError` where a condition does not suit the column, or sums are asked for and it holds no
        numbers.
        """


class ExactAxis(Axis):
    """A column that was published exactly: its regions are the codes of ``domain``."""

    def __init__(self, domain: Domain, of: NDArray[np.integer]) -> None:
        self.domain, self.of = domain, np.asarray(of, np.int64)

    def width(self, conditions: Sequence[Any], power: int | None = None) -> int:
        """Only conditions that are no ranges of codes need a table."""
        assert power is None  # noqa: S101  # see `answer`
        if self.domain.shape == "interval" or code_ranges(self.domain, conditions) is not None:
            return 0
        return self.domain.codes

    @property
    def ranks(self) -> NDArray[np.int64]:
        """Codes stand in the order of the values."""
        return np.arange(self.domain.codes)

    def lay_out(self, conditions: Sequence[Any], power: int | None = None) -> Codes | Shares:
        """Lay out neighbouring values as ranges of codes, everything else as tables; sums are made of weights."""
        assert power is None  # noqa: S101  # see `answer`
        found = code_ranges(self.domain, conditions)
        if found is not None:
            return Codes(*found)
        table = exact_shares(self.domain, conditions)
        return _neighbours(table) or Shares(table)


class RegionAxis(Axis):
    """A generalized column: its regions are those of ``overlap``."""

    def __init__(self, overlap: Overlap, of: NDArray[np.integer]) -> None:
        self.overlap, self.of = overlap, np.asarray(of, np.int64)

    def width(self, conditions: Sequence[Any], power: int | None) -> int:
        """Ranges on axes and of neighbouring leaves or members need no table."""
        shape = self.overlap.note.shape
        if shape == "interval" or (power is None and rank_ranges(conditions, self._known) is not None):
            return 0
        return len(self.overlap.regions)

    @cached_property
    def _known(self) -> Sequence[str | None]:
        """Values in an order: leaves of the hierarchy, or every value that was shown; nothing where neither is known."""
        if self.overlap.note.shape == "set":
            return shown_values(self.overlap)
        return () if self.overlap.tree is None else self.overlap.tree.leaves

    @cached_property
    def ranks(self) -> NDArray[np.int64]:
        """Regions in the order of their ends, then of their texts."""
        ranks = np.empty(len(self.overlap.regions), np.int64)
        ranks[sorted(range(ranks.size), key=lambda r: _place_of(self.overlap.regions[r]))] = np.arange(
            ranks.size
        )
        return ranks

    @cached_property
    def _intervals(self) -> Stretches:
        """The regions of an axis."""
        ends = [self.overlap.ends(region) for region in self.overlap.regions]
        return Stretches.of([low for low, _ in ends], [high for _, high in ends], self.overlap.step)

    def lay_out(self, conditions: Sequence[Any], power: int | None) -> LaidOut:
        """Lay out ranges on axes and of neighbouring values by their ends, everything else as tables of shares."""
        overlap = self.overlap
        overlap.check_everything()
        laid: Spans | Sets | Shares | None = None
        if overlap.note.shape == "interval":
            ends = range_ends(overlap.note, conditions)
            if power is not None:
                check_numbers(overlap.note)
            if ends is not None:
                low, high = (np.ceil(ends[0]), np.floor(ends[1])) if overlap.step else ends
                laid = Spans(low, high, self._intervals)
        elif overlap.note.shape == "tree" and overlap.tree is None:
            laid = None if power is not None else self._made(conditions)
        else:
            laid = (None if power is not None else self._ranges(conditions)) or Shares(
                self._table(conditions, power)
            )
        return laid or self._one_by_one(conditions, power)

    def _one_by_one(self, conditions: Sequence[Any], power: int | None) -> Shares:
        """Lay out conditions of any kind."""
        if power is None:
            return Shares(np.array([self.overlap.shares(condition) for condition in conditions]))
        return Shares(np.array([region_sums(self.overlap, condition, power) for condition in conditions]))

    def _made(self, conditions: Sequence[Any]) -> Spans | None:
        """Lay out ranges of whole numbers or days over a hierarchy made by a rule; None for other conditions."""
        ranges = [found for condition in conditions if (found := range_of(condition)) is not None]
        days = {one.days for one in ranges}
        whole = all(end.denominator == 1 for one in ranges for end in (one.low, one.high))
        if len(ranges) < len(conditions) or len(days) != 1 or not whole:
            return None
        low, high = np.array([(float(one.low), float(one.high)) for one in ranges]).T
        ends = self.overlap.by_label(lambda region: made_ends(self.overlap, region, days=days == {True}))
        return Spans(low.copy(), high.copy(), Stretches.of(*np.array(ends).reshape(-1, 3).T))

    def _ranges(self, conditions: Sequence[Any]) -> Spans | Sets | None:
        """Lay out conditions on values that stand next to each other; None for others."""
        ends = rank_ranges(conditions, self._known)
        if ends is None:
            return None
        if self.overlap.tree is None:
            begins, members = self._members
            known = np.array([value is not None for value in self._known], np.bool_)[members]
            own = np.append(0, np.cumsum(known))[begins]
            return Sets(*ends, own, members[known].astype(np.int32), np.diff(begins))
        return Spans(*ends, Stretches.of(self._leaf_ends[:, 0], self._leaf_ends[:, 1] - 1, 1.0))

    @cached_property
    def _leaf_ends(self) -> NDArray[np.int64]:
        """(R, 2) Positions of the first leaf of each node, and of the one after the last."""
        return np.array([self._leaves(region) for region in self.overlap.regions], np.int64).reshape(-1, 2)

    @cached_property
    def _members(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(R + 1,) (entries,) Where each set's members begin, and their positions, ascending."""
        place_in = {value: i for i, value in enumerate(self._known)}
        sets = [
            sorted(place_in[value] for value in self.overlap.members(region))
            for region in self.overlap.regions
        ]
        sizes = np.array([len(own) for own in sets], np.int64)
        members = np.fromiter(chain.from_iterable(sets), np.int64, int(sizes.sum()))
        return np.append(0, np.cumsum(sizes)), members

    def shares(self, condition: Any) -> NDArray[np.float64]:
        """(R,) Share of each region that meets a condition."""
        return self.overlap.shares(condition)

    def sums(self, condition: Any, power: int) -> NDArray[np.float64]:
        """(R,) The same, times the mean number there to some power."""
        return region_sums(self.overlap, condition, power)

    def _table(self, conditions: Sequence[Any], power: int | None) -> NDArray[np.float64]:
        """(D, R) Shares of nodes and sets."""
        note, tree = self.overlap.note, self.overlap.tree
        known = self._known if tree is None else [*tree.leaves, None]
        table = membership(conditions, known, note.name).astype(np.float64)
        if power is not None:
            table *= value_weights(note, known, power)
        if tree is None:
            begins, members = self._members
            found = np.empty((len(conditions), begins.size - 1))
            for own, values in zip(found, table, strict=True):
                # One condition at a time: what sets hold is laid out once, not once for each condition.
                own[:] = np.add.reduceat(values[members], begins[:-1]) / np.diff(begins)
            return found
        below = np.zeros(table.shape)
        np.cumsum(table[:, :-1], axis=1, out=below[:, 1:])
        ends = self._leaf_ends
        shares = (below[:, ends[:, 1]] - below[:, ends[:, 0]]) / np.maximum(ends[:, 1] - ends[:, 0], 1)
        missing = [region.what == "values" for region in self.overlap.regions]
        return np.where(missing, table[:, -1:], shares)

    def _leaves(self, region: Region) -> tuple[int, int]:
        """Positions of the first leaf of a node, and of the one after the last."""
        assert self.overlap.tree is not None  # noqa: S101  # the caller made sure
        if region.what == "node":
            return region.low, region.high + 1
        return 0, self.overlap.tree.size if region.what == "everything" else 0


class TouchedAxis(Axis):
    """A generalized column whose regions count wholly under every condition that they have a value in common with.

    Of ranges on an axis one end is enough.
    """

    def __init__(self, axis: RegionAxis) -> None:
        self.axis, self.of = axis, axis.of

    def width(self, conditions: Sequence[Any], power: int | None) -> int:  # noqa: ARG002
        """All conditions need a table."""
        return len(self.axis.overlap.regions)

    @property
    def ranks(self) -> NDArray[np.int64]:
        """Regions in the order they have."""
        return self.axis.ranks

    def lay_out(self, conditions: Sequence[Any], power: int | None) -> Shares:
        """Lay out whether each region meets each condition, as 0 and 1; numbers are not summed."""
        assert power is None  # noqa: S101  # see `QueryError`
        laid = self.axis.lay_out(conditions, None)
        if isinstance(laid, Spans):
            first, last = laid.stretches.first, laid.stretches.last
            met = np.maximum(first, laid.low[:, None]) <= np.minimum(last, laid.high[:, None])
        elif isinstance(laid, Sets):
            regions = np.repeat(np.arange(laid.size.size), np.diff(laid.begins))
            inside = (laid.low[:, None] <= laid.members) & (laid.members <= laid.high[:, None])
            met = np.array([np.bincount(regions, own, laid.size.size) > 0 for own in inside])
        else:
            assert isinstance(laid, Shares)  # noqa: S101  # codes are of exact columns
            met = laid.table > 0
        return Shares(met.astype(np.float64))


class MeanAxis(Axis):
    """A column of class means: its regions are those of ``overlap``, every one a single number, the missing value or ``*``.

    A mean of whole numbers meets a condition where the whole number nearest to it does (of two the larger one); it is summed as
    it is.
    """

    def __init__(self, overlap: Overlap, of: NDArray[np.integer]) -> None:
        self.overlap, self.of = overlap, np.asarray(of, np.int64)
        single = [region.low if region.what == "interval" else np.nan for region in overlap.regions]
        self.numbers = np.array(single, np.float64)
        self.places = np.floor(self.numbers + 0.5) if overlap.note.kind == "integer" else self.numbers
        self.missing = np.array([None in region.values for region in overlap.regions], np.bool_)
        self.everything = np.array([region.what == "everything" for region in overlap.regions], np.bool_)

    def width(self, conditions: Sequence[Any], power: int | None) -> int:
        """Ranges need no table."""
        return 0 if self._ends(conditions, power) is not None else len(self.overlap.regions)

    def _ends(
        self, conditions: Sequence[Any], power: int | None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """(D,) (D,) Ends of conditions that are all ranges; None where one is not, or means are summed that lie elsewhere."""
        moved = power is not None and self.places is not self.numbers
        return None if moved else range_ends(self.overlap.note, conditions)

    @cached_property
    def ranks(self) -> NDArray[np.int64]:
        """Means in ascending order, then the missing value, then ``*``."""
        order = np.lexsort((self.numbers, self.everything, self.missing))
        ranks = np.empty(order.size, np.int64)
        ranks[order] = np.arange(order.size)
        return ranks

    @cached_property
    def _stretches(self) -> Stretches:
        """Means as stretches from each to itself; of ``*`` that of everything."""
        low, high = (np.where(self.missing, end, self.places) for end in (np.inf, -np.inf))
        low[self.everything], high[self.everything] = self._low, self._high
        return Stretches.of(low, high, self.overlap.step)

    @property
    def _low(self) -> float:
        """Where the stretch of ``*`` begins."""
        return float(np.floor(self.overlap.low)) if self.overlap.step else self.overlap.low

    @property
    def _high(self) -> float:
        """Where it ends."""
        return float(np.ceil(self.overlap.high)) if self.overlap.step else self.overlap.high

    def lay_out(self, conditions: Sequence[Any], power: int | None) -> Spans | Shares:
        """Lay out ranges by their ends, other conditions as tables."""
        self.overlap.check_everything()
        if power is not None:
            check_numbers(self.overlap.note)
        ends = self._ends(conditions, power)
        if ends is not None:
            low, high = (np.ceil(ends[0]), np.floor(ends[1])) if self.overlap.step else ends
            return Spans(low, high, self._stretches)
        if power is None:
            return Shares(np.array([self.shares(condition) for condition in conditions]))
        return Shares(np.array([self.sums(condition, power) for condition in conditions]))

    def shares(self, condition: Any) -> NDArray[np.float64]:
        """(R,) Whether each mean meets a condition, as 0 and 1; of ``*`` the share that does."""
        self.overlap.check_everything()
        inside, lacking = self._met(condition)
        found = inside.astype(np.float64)
        found[self.missing] = float(lacking)
        found[self.everything] = self._of_everything(condition, 0)
        return found

    def sums(self, condition: Any, power: int) -> NDArray[np.float64]:
        """(R,) The same times the mean to some power; the missing value adds nothing."""
        self.overlap.check_everything()
        check_numbers(self.overlap.note)
        inside, _ = self._met(condition)
        found = np.where(inside, np.nan_to_num(self.numbers) ** power, 0.0)
        found[self.everything] = self._of_everything(condition, power)
        return found

    def _met(self, condition: Any) -> tuple[NDArray[np.bool_], bool]:
        """(R,) Whether each mean meets a condition; whether the missing value does."""
        if condition is ANYTHING:
            return ~np.isnan(self.numbers), True
        if is_range(condition):
            low, high = (place_on(self.overlap.note, end) for end in condition)
            return (low <= self.places) & (self.places <= high), False
        values = as_values(condition, self.overlap.note.name)
        points = [place_on(self.overlap.note, value) for value in values if value is not None]
        return np.isin(self.places, points), None in values

    def _of_everything(self, condition: Any, power: int) -> float:
        """What ``*`` adds: records are spread evenly over the domain, or over what was published."""
        if not self.everything.any():
            return 0.0
        low, high, step = self._low, self._high, self.overlap.step
        if condition is ANYTHING:
            spans = [(-np.inf, np.inf)]
        elif is_range(condition):
            first, last = (place_on(self.overlap.note, end) for end in condition)
            spans = [(first, last)]
        else:
            values = as_values(condition, self.overlap.note.name)
            spans = [(x, x) for x in {place_on(self.overlap.note, own) for own in values if own is not None}]
        return sum(stretch_part(low, high, step, first, last, power) for first, last in spans)


def code_ranges(
    domain: Domain, conditions: Sequence[Any]
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """(D,) (D,) First and last code that meets each condition; None when one is no range of codes by what it says."""
    if domain.shape != "interval":
        return rank_ranges(conditions, domain.labels)
    ends = range_ends(axis_of(domain), conditions)
    if ends is None:
        return None
    low = np.searchsorted(domain.numbers, ends[0], "left")
    high = np.searchsorted(domain.numbers, ends[1], "right") - 1
    return low.astype(np.float64), high.astype(np.float64)


def rank_ranges(
    conditions: Sequence[Any], values: Sequence[str | None]
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """(D,) (D,) First and last rank in ``values`` that each condition covers; the last before the first where it is none.

    None unless all conditions are `Consecutive`, in lists that hold all of ``values`` in the same order. The missing
    value (None) may stand at the end of ``values``; no range covers it.

    >>> rank_ranges([Consecutive(("a", "b", "c", "d"), 1, 3)], ["a", "c", "d"])
    (array([1.]), array([1.]))
    """
    if not all(isinstance(condition, Consecutive) for condition in conditions):
        return None
    low, high = np.zeros(len(conditions)), np.zeros(len(conditions))
    told = values[:-1] if values and values[-1] is None else values
    for at, own in {id(own.values): own.values for own in conditions}.items():
        place_in = {value: i for i, value in enumerate(own)}
        rank = np.array([-1 if value is None else place_in.get(value, -1) for value in told], np.int64)
        if not rank.size or rank[0] < 0 or not np.all(np.diff(rank) > 0):
            return None
        those = [i for i, own in enumerate(conditions) if id(own.values) == at]
        low[those] = np.searchsorted(rank, [conditions[i].first for i in those])
        high[those] = np.searchsorted(rank, [conditions[i].stop for i in those]) - 1.0
    return low, high


def _neighbours(table: NDArray[np.float64]) -> Codes | None:
    """Take rows of zeros and ones as ranges of codes; None when the ones of a row are not side by side."""
    count = table.sum(axis=1)
    if not table.shape[1]:
        return Codes(count, count - 1)
    first = table.argmax(axis=1)
    last = table.shape[1] - 1 - table[:, ::-1].argmax(axis=1)
    if not np.all((last - first + 1 == count) | (count == 0)):
        return None
    return Codes(first.astype(np.float64), first + count - 1)


def exact_shares(domain: Domain, conditions: Sequence[Any]) -> NDArray[np.float64]:
    """(D, codes) 1 for every value of an exactly published column that meets each condition, else 0."""
    if domain.shape != "interval":
        return membership(conditions, domain.labels_with(None), domain.name).astype(np.float64)
    ends = range_ends(axis_of(domain), conditions)
    if ends is not None:
        numbers = np.append(domain.numbers, np.full(int(domain.missing), np.nan))
        return ((ends[0][:, None] <= numbers) & (numbers <= ends[1][:, None])).astype(np.float64)
    return np.array([condition_shares(domain, condition) for condition in conditions])


def range_ends(
    note: ColumnNote, conditions: Sequence[Any]
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """(D,) (D,) Ends of conditions that are all ranges on an axis; None when one is not."""
    if not all(condition is ANYTHING or is_range(condition) for condition in conditions):
        return None
    numeric = note.kind in {"integer", "real"}
    ends = [(-np.inf, np.inf) if condition is ANYTHING else condition for condition in conditions]
    if not numeric or not {type(end) for pair in ends for end in pair} <= {int, float}:
        plain = {int, float} if numeric else set()
        ends = [tuple(float(x) if type(x) in plain else place_on(note, x) for x in pair) for pair in ends]
    found = np.array(ends, np.float64).reshape(-1, 2)
    return np.ascontiguousarray(found[:, 0]), np.ascontiguousarray(found[:, 1])


def membership(conditions: Sequence[Any], values: Sequence[str | None], column: str) -> NDArray[np.bool_]:
    """(D, V) Whether each of ``values``, distinct (None: the missing one), meets each condition; ``column`` is for messages.

    Conditions are collections of values, pairs of numbers or days, or `ANYTHING`.
    """
    met = np.zeros((len(conditions), len(values)), np.bool_)
    positions: dict[int, NDArray[np.int64]] = {}
    placed = cache(lambda days: _places(tuple(values), days=days))
    for i, condition in enumerate(conditions):
        if condition is ANYTHING:
            met[i] = True
        elif isinstance(condition, Consecutive):
            own = positions.get(id(condition.values))
            if own is None:
                rank = {value: at for at, value in enumerate(condition.values)}
                own = np.array([-1 if value is None else rank.get(value, -1) for value in values], np.int64)
                positions[id(condition.values)] = own
            met[i] = (condition.first <= own) & (own < condition.stop)
        else:
            between = range_of(condition)
            if between is None:
                wanted = as_values(condition, column)
                met[i] = [value in wanted for value in values]
            else:
                places, ranks = placed(between.days)
                first, stop = bisect_left(places, between.low), bisect_right(places, between.high)
                met[i] = (first <= ranks) & (ranks < stop)
    return met


@lru_cache(maxsize=16)  # parts of a workload ask of the same values
def _places(values: tuple[str | None, ...], *, days: bool) -> tuple[list[Fraction], NDArray[np.int64]]:
    """Places of those values that are days, or numbers, ascending, and (V,) the rank of each value's; -1 for other values."""
    found = [None if value is None else place(value) for value in values]
    own = [None if one is None or one[0] != days else one[1] for one in found]
    places = sorted({one for one in own if one is not None})
    rank = {one: at for at, one in enumerate(places)}
    return places, np.array([-1 if one is None else rank[one] for one in own], np.int64)


def _place_of(region: Region) -> tuple[str, float, float, list[str]]:
    """Where a region stands among others; nothing but what it says decides."""
    low, high = (float(region.low), float(region.high)) if region.low is not None else (0.0, 0.0)
    return region.what, low, high, sorted("" if value is None else f"={value}" for value in region.values)
