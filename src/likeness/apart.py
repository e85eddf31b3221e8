"""Who may share a class with whom, and what of a part of the table no classes can publish.

Level limits and what adversaries know beforehand keep parts of a table apart. Upper limits on the shares of values survive the
union of classes, so they tell how much of a part any classes can publish: who is too many may move to another part, or is
withheld.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likeness.errors import PolicyError
from likeness.methods.base import holding_classes
from likeness.microdata.grouping import count_copies, group_codes
from likeness.microdata.plan import Decided, Plan, Reason

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from likeness.microdata.data import Microdata
    from likeness.models.base import BoundModel
    from likeness.models.requirements import Requirement, View

_VALUES_SHOWN = 3
_HANDFUL = 8
"""Records of which it makes no difference who leaves."""
RARE_VALUES = "rare-values"
"""Name of the reason why those are withheld who have values of few."""
_MORE_FREQUENT = 1.5
"""Times as many as have the rarest value must have the one that is then the rarest: else classes stay nearly as large."""


def parts_of(units: Microdata, requirements: Iterable[Requirement]) -> NDArray[np.int64] | None:
    """(n,) Number the parts whose records may share a class, given level limits and the models; None where all may.

    Raises `PolicyError` as `level_parts` does.
    """
    found = [
        parts
        for parts in (level_parts(units), *(one.parts(units) for one in requirements))
        if parts is not None
    ]
    if len(found) < 2:
        return found[0] if found else None
    return group_codes(found, [int(parts.max(initial=0)) + 1 for parts in found]).of


def level_parts(units: Microdata) -> NDArray[np.int64] | None:
    """Number the parts whose records or individuals may share a class under the hierarchy level limits; None without limits.

    Raises `PolicyError` where a limit stands on a column without a hierarchy, or keeps one individual's records apart.
    """
    columns, radices = [], []
    data = units if units.members is None else units.members.records
    for domain, codes in zip(data.quasi, data.codes, strict=True):
        if domain.max_level is None:
            continue
        if domain.hierarchy is None:
            raise PolicyError(f"column {domain.name!r}: max_level needs a hierarchy")
        tree = domain.hierarchy
        leaves = np.array([tree.rank_of[label] for label in domain.labels], np.int64)
        # The missing value lies directly below the root.
        alone = 0 if domain.max_level >= tree.height else len(tree.labels)
        node = np.append(tree.ancestor_at(leaves, domain.max_level), alone)
        columns.append(node[codes])
        radices.append(len(domain.hierarchy.labels) + 1)
    if not columns:
        return None
    of_records = group_codes(columns, radices).of
    if units.members is None:
        return of_records
    parts = np.empty(units.size, np.int64)
    parts[units.members.of] = of_records
    if (parts[units.members.of] != of_records).any():
        raise PolicyError(
            "max_level: there are people whose records differ in a quasi-identifier by more than the limit allows; say "
            "hygiene: {inconsistent_quasi: first}, or leave the limit out"
        )
    # Numbered without gaps: parts that only other records have are gone.
    return np.unique(parts, return_inverse=True)[1].reshape(-1).astype(np.int64)


def move_surplus(
    here: Microdata, requirements: tuple[Requirement, ...], parts: NDArray[np.int64]
) -> NDArray[np.int64]:
    """(n,) Parts in which those a part has too many of stand with another, all of whose people they may share a class with.

    Nobody moves where models do not say who may (`BoundModel.may_join`), nor into a part that would then not hold any more, or
    have too many itself.
    """
    limited = _limited(requirements)
    apart = [one for one in requirements if one.bound.parts() is not None]
    if not limited or not apart or here.members is not None:
        return parts
    count = int(parts.max(initial=-1)) + 1
    searched = tuple(one for one in requirements if not one.bound.parts_suffice)
    failing = ~holding_classes(searched, here, parts, count)
    level = level_parts(here)
    away = _eccentricity(here, parts, count)
    parts = parts.copy()
    for bound, view in limited:
        codes = view.codes(here.judged_codes)
        for part in np.flatnonzero(failing).tolist():
            own = np.flatnonzero(parts == part)
            surplus = bound.surplus(np.bincount(codes[own], minlength=view.values))
            if surplus is None or not surplus.any():
                continue
            own = own[surplus[codes[own]] > 0]
            own = own[np.argsort(-away[own], kind="stable")]
            fits = np.logical_and.reduce([one.may_join(here, own, parts, count) for one in apart])
            fits[:, part] = False
            if level is not None:
                of_part = np.full(count, -1, np.int64)
                of_part[parts] = level
                fits &= level[own][:, None] == of_part[None, :]
            for value in np.argsort(-surplus, kind="stable")[: np.count_nonzero(surplus)].tolist():
                left = int(surplus[value])
                for target in np.argsort(-fits[codes[own] == value].sum(axis=0), kind="stable").tolist():
                    movers = own[(codes[own] == value) & fits[:, target] & (parts[own] == part)][:left]
                    if not movers.size:
                        continue
                    movers = movers[: _room(bound, codes[parts == target], view.values, value, movers.size)]
                    if not movers.size:
                        continue
                    inside = np.concatenate([np.flatnonzero(parts == target), movers])
                    one = np.zeros(inside.size, np.int64)
                    if failing[target] or holding_classes(searched, here.take(inside), one, 1)[0]:
                        parts[movers] = target
                        left -= movers.size
                    if not left:
                        break
    return parts


def limits_shares(requirements: Iterable[Requirement]) -> bool:
    """Whether any model limits the shares of values from above, so that a part of the table may have too many of one."""
    return bool(_limited(requirements))


def _of_values(requirements: Iterable[Requirement]) -> list[tuple[BoundModel, View]]:
    """Models of values, whatever else is known of a record, and what they look at."""
    return [(one.bound, one.view) for one in requirements if one.view is not None and not one.view.known]


def _limited(requirements: Iterable[Requirement]) -> list[tuple[BoundModel, View]]:
    """Those of them that limit the shares of values from above."""
    return [
        (bound, view)
        for bound, view in _of_values(requirements)
        if bound.sizes_needed(np.zeros(view.values, np.int64)) is not None
    ]


def _room(bound: BoundModel, codes: NDArray[np.int64], values: int, value: int, most: int) -> int:
    """How many more of a value a part with these codes may have, ``most`` at most, counting that it grows by them."""
    had = np.count_nonzero(codes == value)
    counts = np.zeros(values, np.int64)
    counts[value] = had + most
    needed = bound.sizes_needed(counts)
    fine = (
        []
        if needed is None
        else np.flatnonzero(needed[value][had:] <= codes.size + np.arange(1, most + 1)).tolist()
    )
    return fine[-1] + 1 if fine else 0


def withhold_surplus(
    here: Microdata,
    requirements: tuple[Requirement, ...],
    parts: NDArray[np.int64],
    because: dict[Reason, int],
) -> Decided | None:
    """Withhold of each part that no classes can publish whole what it has too much of; None where there is nothing.

    As few as that takes (`BoundModel.surplus`). Of a value that is too frequent those leave among whose neighbours it is most
    frequent (`_Halves`). Parts that fail for other reasons are left to the method.
    """
    of_values = _of_values(requirements)
    if not of_values:
        return None
    count = int(parts.max(initial=-1)) + 1
    failing = ~holding_classes(requirements, here, parts, count)
    if not failing.any():
        return None
    if here.members is not None:
        return _withhold_people(here, requirements, parts, np.flatnonzero(failing), because)
    left = np.ones(here.size, np.int64) if here.copies is None else here.copies.copy()
    had = left.copy()
    surplus_of: list[str] = []
    for bound, view in of_values:
        codes, total = view.codes(here.judged_codes), np.zeros(view.values, np.int64)
        for part in np.flatnonzero(failing).tolist():
            rows = np.flatnonzero((parts == part) & (left > 0))
            counts = count_copies(codes[rows], left[rows], view.values)
            surplus = bound.surplus(counts)
            if surplus is None or surplus.sum() == counts.sum():
                continue
            total += surplus
            left[rows] -= _Halves(here, rows, left[rows]).leaving(codes[rows], surplus)
        most = np.argsort(-total, kind="stable")[: np.count_nonzero(total)]
        surplus_of += [view.domain.name_of(value) for value in most.tolist()]
    if np.array_equal(left, had):
        return None
    reason = _too_many(surplus_of)
    because[reason] = because.get(reason, 0) + int((had - left).sum())
    return leaving(here, had - left, reason)


def _withhold_people(
    here: Microdata,
    requirements: tuple[Requirement, ...],
    parts: NDArray[np.int64],
    failing: NDArray[np.int64],
    because: dict[Reason, int],
) -> Decided | None:
    """See `withhold_surplus`: of people with several values each, those who have most of the values that are too frequent.

    Only where a part holds without them.
    """
    out = np.zeros(here.size, np.bool_)
    surplus_of: list[str] = []
    for part in failing.tolist():
        left = parts == part
        names: list[str] = []
        for bound, view in _of_values(requirements):
            gone, values = _people_too_many(here, bound, view, left)
            left &= ~gone
            names += [view.domain.name_of(value) for value in values]
        rows = np.flatnonzero(left)
        one = np.zeros(rows.size, np.int64)
        if names and rows.size and holding_classes(requirements, here.take(rows), one, 1)[0]:
            out |= (parts == part) & ~left
            surplus_of += names
    if not out.any():
        return None
    reason = _too_many(list(dict.fromkeys(surplus_of)))
    because[reason] = because.get(reason, 0) + int(out.sum())
    return leaving(here, out.astype(np.int64), reason)


def _people_too_many(
    here: Microdata, bound: BoundModel, view: View, among: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], list[int]]:
    """(n,) Whom to withhold of some people so that no value is too frequent, and of which values there were too many.

    Those leave first who have most of these values, from where most people like them are.
    """
    pairs = np.stack(_values_of(here, view))
    pairs = pairs[:, among[pairs[0]]]
    # What people are told apart by where all else is equal: their values, from the first on.
    place = np.arange(pairs.shape[1]) - np.searchsorted(pairs[0], pairs[0])
    values = np.full((int(place.max(initial=-1)) + 1, here.size), -1, np.int64)
    values[place, pairs[0]] = pairs[1]
    left, found = among.copy(), np.zeros(view.values, np.bool_)
    while True:
        there = left[pairs[0]]
        counts, size = np.bincount(pairs[1, there], minlength=view.values), int(left.sum())
        excess = _excess(bound, counts, size)
        if excess is None or not excess.any():
            return among & ~left, np.flatnonzero(found).tolist()
        found |= excess > 0
        score = np.bincount(pairs[0, there], excess[pairs[1, there]] > 0, minlength=here.size)
        most = left & (score == score.max())
        # Many at a time as long as there are many too many; in an order of their own, so that of rows decides nothing.
        some = min(max(1, int(excess.max()) // 4), int(np.count_nonzero(most)))
        rows = np.flatnonzero(left)
        rows = rows[np.lexsort(values[::-1, rows])]
        one = np.ones(rows.size, np.int64)
        goes = _Halves(here, rows, one).leaving(most[rows].astype(np.int64), np.array([0, some]))
        left[rows[goes > 0]] = False


def _excess(bound: BoundModel, counts: NDArray[np.int64], size: int) -> NDArray[np.int64] | None:
    """(m,) How many with each value must leave so many people at least, by itself, so that it is not too frequent."""
    low, high = np.zeros(counts.size, np.int64), counts.copy()
    first = bound.too_frequent(counts, np.full(counts.size, size, np.int64))
    if first is None:
        return None
    high[~first] = 0
    while (low < high).any():
        middle = (low + high) // 2
        still = bound.too_frequent(counts - middle, size - middle)
        assert still is not None  # noqa: S101  # it was not for all of them
        low, high = (
            np.where(still & (low < high), middle + 1, low),
            np.where(still, high, np.minimum(high, middle)),
        )
    return high


def _too_many(values: list[str]) -> Reason:
    """Why those are withheld who have values that are too frequent."""
    words = "too many with {values} among those who may share a class with them"
    return Reason("surplus", words, values=_some_of(values))


def leaving(here: Microdata, gone: NDArray[np.int64], reason: Reason) -> Decided:
    """Withhold so many of the records that each row stands for: a row of which only some go becomes two.

    ``gone`` (n,): how many of each.
    """
    had = np.ones(here.size, np.int64) if here.copies is None else here.copies
    of = np.concatenate([np.flatnonzero(gone < had), np.flatnonzero(gone)])
    out = np.arange(of.size) >= np.count_nonzero(gone < had)
    copies = np.where(out, gone[of], (had - gone)[of])
    order = np.argsort(of, kind="stable")
    of, out, copies = of[order], out[order], copies[order]
    plan = Plan(np.zeros(of.size, np.int64)).withhold(out, reason)
    return Decided(plan, of, None if here.copies is None else copies)


def rare_values(
    here: Microdata, requirements: Iterable[Requirement], allowance: int
) -> list[tuple[NDArray[np.bool_], Reason]]:
    """Say whom to withhold so that the rarest value is a more frequent one: (n,) who, and why, for some such choices.

    Of people with several values those who have one of the rarest.

    Models that compare with what is published let a class with a value of few be no smaller than the share of these few allows,
    whoever else is in it. At most ``allowance`` records; of each column the fewest values, and the most.
    """
    found = []
    views = {one.view.domain.name: one.view for one in requirements if one.compares and one.view is not None}
    for view in views.values():
        who, codes = _values_of(here, view)
        counts = count_copies(codes, here.copies, view.values)
        order = np.argsort(counts, kind="stable")
        order = order[counts[order] > 0]
        often = counts[order]
        fits = (np.cumsum(often)[:-1] <= allowance) & (often[1:] >= _MORE_FREQUENT * often[0])
        ends = np.flatnonzero(fits)
        for end in dict.fromkeys(ends[[0, -1]].tolist() if ends.size else []):
            values = order[: end + 1]
            reason = Reason(
                RARE_VALUES,
                "so few have {values} that the large classes they need would lose more than withholding them does",
                values=_some_of([view.domain.name_of(value) for value in values.tolist()]),
            )
            rare = np.zeros(here.size, np.bool_)
            rare[who[np.isin(codes, values)]] = True
            found.append((rare, reason))
    return found


def _values_of(here: Microdata, view: View) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Say who has which values, once each: row and code."""
    if here.members is None:
        return np.arange(here.size), view.codes(here.judged_codes)
    pairs = np.unique(np.stack([here.members.of, view.codes(here.members.records.judged_codes)]), axis=1)
    return pairs[0], pairs[1]


def _some_of(names: list[str]) -> str:
    """Name the first of several values."""
    more = f" and {len(names) - _VALUES_SHOWN} more" if len(names) > _VALUES_SHOWN else ""
    return ", ".join(names[:_VALUES_SHOWN]) + more


def least_withheld(units: Microdata, requirements: tuple[Requirement, ...], parts: NDArray[np.int64]) -> int:
    """Fewest records of parts that are kept apart which no classes can publish, as far as upper limits on shares tell.

    Of a part that fails for other reasons, nobody can be published as one class, and all are counted.
    """
    count = int(parts.max(initial=-1)) + 1
    sizes = count_copies(parts, units.copies, count)
    kept = sizes.copy()
    for requirement in requirements:
        for part in np.flatnonzero(~holding_classes((requirement,), units, parts, count)).tolist():
            gone = _least_gone(units, requirement, parts == part)
            kept[part] = 0 if gone is None else min(kept[part], sizes[part] - gone)
    for requirement in requirements:
        if requirement.conditions.size is not None:
            kept[kept < requirement.conditions.size] = 0
    return int((sizes - kept).sum())


def _least_gone(units: Microdata, requirement: Requirement, among: NDArray[np.bool_]) -> int | None:
    """Fewest of some records, or people, without whom the others can be one class; None where the model does not tell."""
    view = requirement.view
    if view is None or view.known:
        return None
    who, codes = _values_of(units, view)
    own = among[who]
    counts = count_copies(codes[own], None if units.copies is None else units.copies[who[own]], view.values)
    if units.members is None:
        surplus = requirement.bound.surplus(counts)
        return None if surplus is None else int(surplus.sum())
    # Whoever leaves may have several of the values: of each by itself so many must.
    excess = _excess(requirement.bound, counts, int(among.sum()))
    return None if excess is None or not excess.any() else int(excess.max())


def _eccentricity(here: Microdata, parts: NDArray[np.int64], count: int) -> NDArray[np.float64]:
    """(n,) How far each record lies from the middle of its part: sum over attributes, as shares of the range."""
    found = np.zeros(here.size)
    order = np.argsort(parts, kind="stable")
    start = np.searchsorted(parts[order], np.arange(count + 1))
    weights = np.ones(here.size, np.int64) if here.copies is None else here.copies
    half = count_copies(parts, here.copies, count) // 2
    for domain, codes in zip(here.quasi, here.codes, strict=True):
        places = domain.places(0.5)[codes]
        if domain.shape == "set":
            # Of plain categories the middle is the most frequent one.
            cells = count_copies(parts * domain.codes + codes, here.copies, count * domain.codes)
            cells = cells.reshape(count, -1)
            found += codes != cells.argmax(axis=1)[parts]
            continue
        within = order[np.lexsort((places[order], parts[order]))]
        passed = np.cumsum(weights[within])
        before = np.append(0, passed)[start[:-1]]
        middle = np.searchsorted(passed, before + half, side="right")
        found += np.abs(places - places[within[middle]][parts])
    return found


def hopeless_records(requirement: Requirement, data: Microdata) -> NDArray[np.bool_]:
    """Find the records whose known sensitive values alone violate a requirement, even in a class of everybody: (n,) bool.

    Every part of a class whose records share what the adversary knows must hold. Where the part of the whole table does
    not, at least one smaller part of these records would not either, if the model is closed under union: some of them must
    be withheld, and withholding all of them always helps.
    True also for individuals one of whose records is such a record. All False where nothing is taken as known, or the model
    is not closed under union.
    """
    hopeless = np.zeros(data.size, np.bool_)
    of = np.arange(data.size) if data.members is None else data.members.of
    sharing, failing = _sharing(requirement, data)
    hopeless[of[failing[sharing]]] = True
    return hopeless


def surplus_of_known(requirement: Requirement, data: Microdata) -> NDArray[np.int64]:
    """(n,) Of the `hopeless_records`, those without whom the others who share what is known of them can share a class.

    How many of each row, as `withhold_surplus` finds them in parts. All, where a model sets no upper limits on shares.
    """
    hopeless = hopeless_records(requirement, data)
    had = np.ones(data.size, np.int64) if data.copies is None else data.copies
    gone = np.where(hopeless, had, 0)
    view = requirement.view
    if view is None or data.members is not None or not hopeless.any():
        return gone
    sharing, failing = _sharing(requirement, data)
    codes = view.codes(data.judged_codes)
    for group in np.flatnonzero(failing).tolist():
        rows = np.flatnonzero(sharing == group)
        surplus = requirement.bound.surplus(count_copies(codes[rows], had[rows], view.values))
        # Where there is none, they fail for another reason.
        if surplus is not None and surplus.any():
            gone[rows] = _Halves(data, rows, had[rows]).leaving(codes[rows], surplus)
    return gone


def _sharing(requirement: Requirement, data: Microdata) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """(n,) Which records share what an adversary knows of them, and which of these groups do not hold together."""
    view = requirement.view
    records = data if data.members is None else data.members.records
    if view is None or not view.known or not requirement.model.closed_under_union:
        return np.zeros(records.size, np.int64), np.zeros(1, np.bool_)
    stats = requirement.of_rows(data, np.zeros(data.size, np.int64), 1)
    known = view.known_codes(data.sensitive, records.sensitive_codes)
    _, sharing = np.unique(known, return_inverse=True)
    return sharing.reshape(-1).astype(np.int64), ~requirement.bound.holds(stats)


class _Halves:
    """Some rows, cut in halves at the middle of the attribute in which they are widest, and these again, as far as is asked.

    So neighbours stay together, and what leaves can be taken from where there is most of it: what is left is then as even as
    can be, and cuts of classes need fewer exchanges. ``copies`` (n,): how many records each row stands for. Where records are
    equal, any of them may leave; nothing else depends on the order of rows.
    """

    def __init__(self, here: Microdata, rows: NDArray[np.int64], copies: NDArray[np.int64]) -> None:
        self.codes, self.copies = here.codes[:, rows], copies
        # The missing value lies behind all others.
        self.places = [domain.places(2.0) for domain in here.quasi]
        self.order = np.arange(rows.size)
        self.middles: dict[tuple[int, int], int] = {}

    def leaving(self, values: NDArray[np.int64], surplus: NDArray[np.int64]) -> NDArray[np.int64]:
        """(n,) How many records of each row are among the ``surplus`` (m,) of each of the ``values`` (n,)."""
        gone = np.zeros(values.size, np.int64)
        for value in np.flatnonzero(surplus).tolist():
            has = np.where(values == value, self.copies, 0)
            waiting = [(0, values.size, int(surplus[value]))]
            while waiting:
                begin, end, quota = waiting.pop()
                if not quota:
                    continue
                own = self.order[begin:end]
                records, having = int(self.copies[own].sum()), int(has[own].sum())
                middle = begin if quota >= having or records <= _HANDFUL else self._cut(begin, end)
                if middle == begin:
                    gone[own] += self._farthest(own, has[own], quota)
                    continue
                first = self.order[begin:middle]
                size, ours = int(self.copies[first].sum()), int(has[first].sum())
                stay, others = having - quota, records - having
                # What stays is in proportion to the others beside it, rounded; where all have the value, to how many they are.
                kept = (
                    (2 * stay * (size - ours) + others) // (2 * others) if others else stay * size // records
                )
                goes = min(max(ours - kept, 0, quota - (having - ours)), ours, quota)
                waiting += [(begin, middle, goes), (middle, end, quota - goes)]
        return gone

    def _cut(self, begin: int, end: int) -> int:
        """Put the rows of a stretch that lie below its middle before the others; where these begin, or its begin if none do."""
        if (begin, end) not in self.middles:
            own = self.order[begin:end]
            low, high = self.codes[:, own].min(axis=1), self.codes[:, own].max(axis=1)
            ends = zip(self.places, low.tolist(), high.tolist(), strict=True)
            widths = np.array([places[last] - places[first] for places, first, last in ends] or [0.0])
            widest = int(widths.argmax())
            middle = begin
            if widths[widest] > 0:
                codes = self.codes[widest, own] - low[widest]
                below = np.cumsum(count_copies(codes, self.copies[own], int(high[widest] - low[widest]) + 1))
                # The last one is not below any.
                at = min(int(np.searchsorted(2 * below, below[-1])), int(codes.max()) - 1)
                own = own[np.argsort(codes > at, kind="stable")]
                self.order[begin:end] = own
                middle += int(np.count_nonzero(codes <= at))
            self.middles[begin, end] = middle
        return self.middles[begin, end]

    def _farthest(self, own: NDArray[np.int64], has: NDArray[np.int64], quota: int) -> NDArray[np.int64]:
        """(n,) Take so many from some rows, the farthest from the middle first; of equal ones their quasi-identifiers decide."""
        placed = np.array([places[codes[own]] for places, codes in zip(self.places, self.codes, strict=True)])
        middle = (placed.min(axis=1, keepdims=True) + placed.max(axis=1, keepdims=True)) / 2
        order = np.lexsort((*self.codes[:, own], -np.abs(placed - middle).sum(axis=0)))
        before = np.cumsum(has[order]) - has[order]
        found = np.zeros(own.size, np.int64)
        found[order] = np.clip(quota - before, 0, has[order])
        return found
