"""How much of each published region a condition covers, when records are spread evenly over their region.

What labels of numbers, dates and masked codes stand for, read from the labels themselves.

Hierarchies made by a rule (intervals, dates, prefixes) are not published, because their leaves are the values of the
original. Their labels say what lies below them all the same.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from fractions import Fraction
from functools import cached_property, lru_cache
from math import ceil, floor
from numbers import Number
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from likeness.errors import Refusal, TableError
from likeness.exact import rational
from likeness.hierarchies.observed import MASK
from likeness.microdata.domain import NUMERIC
from likeness.published.columns import ColumnNote
from likeness.published.regions import Region, position
from likeness.wording import quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from numpy.typing import NDArray

    from likeness.microdata.domain import Domain

_PERIOD = re.compile(r"(\d{4})(?:-Q([1-4])|-(\d\d)(?:-(\d\d))?|(?<=0)(s))?", re.ASCII)
_CLASS = re.compile(r"\[([^\s,]+), ([^\s,]+)([\])])")


@dataclass(frozen=True)
class Stretch:
    """A stretch of numbers or days (since 1970): ``step`` is 1 for whole numbers and days, 0 for reals.

    ``open``: whether ``high`` itself lies outside.
    """

    low: Fraction
    high: Fraction
    step: int = 0
    open: bool = False

    def holds(self, place: Fraction) -> bool:
        """Whether a number or day lies in it."""
        return self.low <= place < self.high if self.open else self.low <= place <= self.high

    def share(self, low: Fraction, high: Fraction) -> float:
        """Share of it between two ends, both included: in values for whole numbers and days, in length for reals."""
        if self.low == self.high:
            return float(low <= self.low <= high)
        if self.step:
            # A condition may end between two whole numbers.
            low, high = Fraction(ceil(low)), Fraction(floor(high))
        inside = min(self.high, high) - max(self.low, low) + self.step
        return float(max(Fraction(0), inside) / (self.high - self.low + self.step))


def stretch_part(first: float, last: float, step: float, low: float, high: float, power: int = 0) -> float:
    """Share of a stretch between two ends, both included, times the mean number there to some power.

    ``step`` is 1 for whole numbers, days and ranks, 0 for reals. A stretch of one number counts whole.

    >>> stretch_part(30, 39, 1, 35, 99), stretch_part(30, 39, 1, 35, 99, 1), stretch_part(0, 2, 0, 1, 2, 1)
    (0.5, 18.5, 0.75)
    """
    if step:
        # A condition may end between two whole numbers.
        low, high = float(np.ceil(low)), float(np.floor(high))
    begin, end = max(first, low), min(last, high)
    if begin > end:
        return 0.0
    share = 1.0 if first == last else (end - begin + step) / (last - first + step)
    return float(share * ((begin + end) / 2) ** power)


@lru_cache(maxsize=1 << 16)
def read_stretch(label: str, *, days: bool) -> Stretch | None:
    """Read what a label stands for: a period of days, or a class of numbers or a single one; None for other labels.

    ``[18, 39]`` holds whole numbers, ``[18, 40)`` reals; with ``days``, ``2020s``, ``2024``, ``2024-Q1``, ``2024-03`` or a day.
    """
    if days:
        return _read_period(label)
    parts = _CLASS.fullmatch(label)
    if parts is None:
        number = _number(label)
        return None if number is None else Stretch(number, number)
    low, high = _number(parts[1]), _number(parts[2])
    if low is None or high is None:
        return None
    half_open = parts[3] == ")"
    return Stretch(low, high, step=0 if half_open else 1, open=half_open)


@lru_cache(maxsize=1 << 14)  # workloads ask of the same ends and values very often
def place(text: str) -> tuple[bool, Fraction] | None:
    """Say whether a text is a day (else a number), and where it lies, days since 1970; None for other texts."""
    if len(text) == 10 and (period := _read_period(text)) is not None:
        return True, period.low
    number = _number(text)
    return None if number is None else (False, number)


def stands_for(label: str, value: str) -> bool:
    """Whether a node of a hierarchy made by a rule has a value below it, or is it.

    >>> stands_for("021**", "02139"), stands_for("2024-03", "2024-03-31"), stands_for("[18, 39]", "40")
    (True, True, False)
    """
    if label == value:
        return True
    if label.endswith(MASK):
        return len(label) == len(value) and value.startswith(label.rstrip(MASK))
    found = place(value)
    if found is None:
        return False
    stretch = read_stretch(label, days=found[0])
    return stretch is not None and stretch.holds(found[1])


class Under(NamedTuple):
    """What of a node's label lies under some values and nodes.

    ``whole``: all of it. ``stretch``: what it stands for, where it is days or numbers; ``parts``: ends of its parts that lie
    there, both included and apart from each other.
    """

    whole: bool
    stretch: Stretch | None = None
    parts: tuple[tuple[Fraction, Fraction], ...] = ()

    def share(self) -> float:
        """Share of the node."""
        if self.whole or self.stretch is None:
            return float(self.whole)
        return sum(self.stretch.share(low, high) for low, high in self.parts)


def stretches_under(label: str, values: Iterable[str | None]) -> Under | None:
    """Find what of a node of a hierarchy made by a rule lies under some values or nodes; None where its label does not tell.

    >>> stretches_under("2024-03", {"2024", None}), stretches_under("02139", {"021**"}), stretches_under("021**", {"02139"})
    (Under(whole=True, stretch=None, parts=()), Under(whole=True, stretch=None, parts=()), None)
    >>> stretches_under("2024", {"2024-12", "2024-Q4", "2024-01-01"}).share() == (92 + 1) / 366
    True
    """
    told, own, found = True, None, []
    for value in values:
        if value is None:
            continue
        if label == value:
            return Under(whole=True)
        if label.endswith(MASK) or value.endswith(MASK):
            same = len(label) == len(value)
            if same and value.endswith(MASK) and label.startswith(value.rstrip(MASK)):
                return Under(whole=True)
            told = told and not (same and value.startswith(label.rstrip(MASK)))
            continue
        both = _both_read(label, value)
        if both is None:
            continue
        own, asked = both
        ends_there = asked.holds(own.high) or (own.open and own.high == asked.high)
        if asked.low <= own.low and ends_there:
            return Under(whole=True)
        if own.low < own.high:
            found.append((max(own.low, asked.low), min(own.high, asked.high)))
    return Under(False, own, _apart(found, own.step if own is not None else 0)) if told else None


def _both_read(label: str, value: str) -> tuple[Stretch, Stretch] | None:
    """Read two labels as days, or else as numbers; None where they are not both."""
    for days in (True, False):
        own, other = read_stretch(label, days=days), read_stretch(value, days=days)
        if own is not None and other is not None:
            return own, other
    return None


def _apart(parts: Iterable[tuple[Fraction, Fraction]], step: int) -> tuple[tuple[Fraction, Fraction], ...]:
    """Join stretches that overlap, or stand side by side; leave out what ends before it begins."""
    found: list[tuple[Fraction, Fraction]] = []
    for low, high in sorted(parts):
        if low > high:
            continue
        if found and low <= found[-1][1] + step:
            found[-1] = found[-1][0], max(found[-1][1], high)
        else:
            found.append((low, high))
    return tuple(found)


@dataclass(frozen=True)
class Range:
    """A condition between two ends, both included and both days or numbers, on columns not published in intervals."""

    days: bool
    low: Fraction
    high: Fraction

    def holds(self, value: str | None) -> bool:
        """Whether a single value lies between the ends."""
        found = None if value is None else place(value)
        return found is not None and found[0] == self.days and self.low <= found[1] <= self.high


def read_range(condition: Any, texts: tuple[str, str]) -> Range | None:
    """Take a pair of numbers or days as a range; None for a pair of other values, which is a collection.

    ``texts`` are the ends of ``condition`` as texts. Numbers written as text are codes, not ends.
    """
    places = [place(text) for text in texts]
    if places[0] is None or places[1] is None or places[0][0] != places[1][0]:
        return None
    if not all(
        found[0] or _is_plain_number(end) for found, end in zip(places, condition, strict=True) if found
    ):
        return None
    return Range(places[0][0], places[0][1], places[1][1])


def _is_plain_number(value: Any) -> bool:
    """Whether a value is a number rather than a text or a truth value."""
    return isinstance(value, Number | np.number) and not isinstance(value, bool | np.bool_)


def _read_period(label: str) -> Stretch | None:
    """Read a decade, year, quarter, month or day."""
    parts = _PERIOD.fullmatch(label)
    if parts is None:
        return None
    year, quarter, month, day = (int(part) if part else None for part in parts.groups()[:4])
    assert year is not None  # noqa: S101  # the pattern has it
    first = month or (3 * quarter - 2 if quarter else 1)
    months = 1 if month else 3 if quarter else 120 if parts[5] else 12
    try:
        low = date(year, first, day or 1)
        if day:
            return Stretch(_day(low), _day(low), 1)
        after = np.datetime64(f"{year:04}-{first:02}", "M") + months
        return Stretch(_day(low), Fraction(int(after.astype("M8[D]").astype(np.int64)) - 1), 1)
    except ValueError:
        return None


def _day(day: date) -> Fraction:
    """Days since 1970."""
    return Fraction(day.toordinal() - date(1970, 1, 1).toordinal())


def _number(text: str) -> Fraction | None:
    """Read a finite decimal number exactly."""
    try:
        # Before it is computed with: 1e999999999 is a number of so many digits.
        return None if "/" in text else rational(text)
    except ValueError:
        return None


_Found = TypeVar("_Found")

_PUBLISH_TREE = (
    "ask without the column; whoever publishes can give its hierarchy as a file of all codes instead of a rule (prefix, dates, "
    "intervals): a file is published with the release, and then every code can be asked for"
)


class UntoldError(TableError):
    """What a region stands for is not published."""


class UntoldNodesError(UntoldError):
    """It is a node of a hierarchy that a rule made from the data."""


class Overlap:
    """The regions of one published column, ready for conditions; ``note`` is what the certificate says about it."""

    def __init__(self, note: ColumnNote, regions: Sequence[Region]) -> None:
        self.note = note
        self.regions = regions
        self.tree = note.tree
        ends = [(r.low, r.high) for r in regions if r.what == "interval"]
        # What "*" may stand for: the declared domain, else all that was published.
        self.low = note.low if note.low is not None else float(min((low for low, _ in ends), default=np.nan))
        self.high = (
            note.high if note.high is not None else float(max((high for _, high in ends), default=np.nan))
        )
        if note.order is not None:
            self.low, self.high = 0.0, len(note.order) - 1.0
        members = frozenset().union(*(r.values for r in regions if r.what == "values"))
        self.universe: frozenset[str | None] = members if note.values is None else frozenset(note.values)

    def shares(self, condition: Any) -> NDArray[np.float64]:
        """(R,) Share of each region that meets a condition.

        Raises `TableError` where the condition does not suit the column, or nobody was told what a region stands for.
        """
        self.check_everything()
        if is_range(condition) and self.note.shape == "interval":
            low, high = (place_on(self.note, end) for end in condition)
            return np.array([self._interval_share(region, low, high) for region in self.regions])
        between = self.between(condition)
        if between is not None and self.note.shape == "tree" and self.tree is None:
            return np.array(self.by_label(lambda region: self._made_share(region, between)))
        values = as_values(condition, self.note.name) if between is None else self.values_between(between)
        if self.note.shape == "interval":
            points = {_place(self.note, value) for value in values if value is not None}
            missing = np.array([float(None in values and None in r.values) for r in self.regions])
            return missing + [sum(self._interval_share(r, x, x) for x in points) for r in self.regions]
        if self.note.shape == "tree":
            return np.array(self.by_label(lambda region: self._node_share(region, values)))
        return np.array([self._set_share(region, values) for region in self.regions])

    def by_label(self, found: Callable[[Region], _Found]) -> list[_Found]:
        """(R,) Find something of every region, by the order of their labels: what cannot be found fails at the same one."""
        by_place = {i: found(self.regions[i]) for i in self._in_order}
        return [by_place[i] for i in range(len(self.regions))]

    @cached_property
    def _in_order(self) -> list[int]:
        """Places of the regions, by their labels."""
        return sorted(
            range(len(self.regions)), key=lambda i: min(map(str, self.regions[i].values), default="")
        )

    def between(self, condition: Any) -> Range | None:
        """Take a pair of numbers or days as a range also of a column that is published in nodes or sets."""
        return range_of(condition) if self.note.shape != "interval" else None

    def values_between(self, between: Range) -> set[str | None]:
        """Values of a column of nodes or sets that lie in a range."""
        shown = {value for region in self.regions for value in region.values}
        known = self.tree.leaves if self.tree is not None else shown | self.universe
        return {value for value in known if between.holds(value)}

    def check_everything(self) -> None:
        """Refuse to guess what ``*`` stands for."""
        unknown = {
            "interval": not np.isfinite(self.low),
            "tree": self.tree is None,
            "set": not self.universe,
        }[self.note.shape]
        if unknown and any(region.what == "everything" for region in self.regions):
            remedy = (
                _PUBLISH_TREE
                if self.note.shape == "tree"
                else "ask without the column, or have it published again with its domain, such as domain: [0, 110]"
                if self.note.kind in {"integer", "real"}
                else "ask without the column, or have it published again with its domain, the list of its values"
                if self.note.kind != "date"
                else "ask without the column, or have it published again with its domain, the first and last day"
            )
            what = "what '*' stands for was not published, so nothing can be estimated over it"
            untold = UntoldNodesError if self.note.shape == "tree" else UntoldError
            raise untold(Refusal(what, (f"column {self.note.name!r}",), remedy=remedy))

    def contains(self, value: Any) -> NDArray[np.bool_]:
        """(R,) Whether each region may hold a value (None: the missing value)."""
        if self.note.shape == "set":
            text = None if value is None else as_text(value)
            # Without the note's word on it, "*" may stand for anything.
            anything = self.note.values is None or text in self.universe
            return np.array(
                [anything if r.what == "everything" else text in r.values for r in self.regions], np.bool_
            )
        if value is None:
            return np.array([r.what == "everything" or None in r.values for r in self.regions], np.bool_)
        text = as_text(value)
        if self.note.shape == "interval":
            x = position(self.note, text)
            return np.array(
                [
                    r.what == "everything" or (r.what == "interval" and r.low <= x <= r.high)
                    for r in self.regions
                ],
                np.bool_,
            )
        return np.array([self._node_contains(region, text) for region in self.regions], np.bool_)

    def _interval_share(self, region: Region, low: float, high: float) -> float:
        """Share of an interval, in values for whole numbers, days and ranks, in length for reals."""
        first, last = self.ends(region)
        return stretch_part(first, last, self.step, low, high)

    @property
    def step(self) -> float:
        """0 on an axis of reals, 1 on those of whole numbers, days and ranks."""
        return 0.0 if self.note.kind == "real" else 1.0

    def ends(self, region: Region) -> tuple[float, float]:
        """Ends of an interval; the last before the first where there is none."""
        if region.what == "everything":
            return self.low, self.high
        if region.what == "interval":
            return float(region.low), float(region.high)
        return np.inf, -np.inf

    def _node_share(self, region: Region, values: set[str | None]) -> float:
        """Share of a hierarchy node's leaves."""
        if self.tree is None and region.what != "values":
            return self._made_share(region, values)
        return self._set_share(region, values)

    def members(self, region: Region) -> Collection[str | None]:
        """Values a region of nodes or sets stands for: leaves below the node, members of the set."""
        if self.tree is None or region.what == "values":
            return self.universe if region.what == "everything" else region.values
        if region.what == "everything":
            return self.tree.leaves
        return self.tree.leaves[region.low : region.high + 1]

    def _made_share(self, region: Region, condition: set[str | None] | Range) -> float:
        """Share of a node of a hierarchy made by a rule, as far as its label tells."""
        if region.what == "values":
            return float(not isinstance(condition, Range) and None in condition)
        label = str(next(iter(region.values)))
        if isinstance(condition, Range):
            stretch = read_stretch(label, days=condition.days)
            if stretch is not None:
                return stretch.share(condition.low, condition.high)
        else:
            under = stretches_under(label, condition)
            if under is not None:
                return under.share()
        raise self.untold(label)

    def untold(self, label: str) -> UntoldError:
        """Say that nobody was told what lies below a node."""
        what = (
            f"how many values {quoted(label)} stands for is not published, so no part of it can be estimated"
        )
        remedy = f"name whole nodes, such as {{{quoted(label)}}}, or {_PUBLISH_TREE}"
        return UntoldNodesError(Refusal(what, (f"column {self.note.name!r}",), remedy=remedy))

    def _node_contains(self, region: Region, value: str) -> bool:
        """Whether a node may hold a leaf."""
        if region.what == "everything":
            return True
        if region.what == "values":
            return False
        if self.tree is None:
            return stands_for(str(next(iter(region.values))), value)
        return value in self.tree.rank_of and region.low <= self.tree.rank_of[value] <= region.high

    def _set_share(self, region: Region, values: set[str | None]) -> float:
        """Share of a value set."""
        members = self.members(region)
        return sum(member in values for member in members) / len(members)


def condition_shares(domain: Domain, condition: Any) -> NDArray[np.float64]:
    """(codes,) 1 for every value of an exactly published column that meets a condition, else 0.

    Raises `TableError` where the condition does not suit the column.
    """
    if is_range(condition) and domain.shape == "interval":
        low, high = (_place(axis_of(domain), as_text(end)) for end in condition)
        own = (domain.numbers >= low) & (domain.numbers <= high)
        return np.append(own, np.zeros(int(domain.missing))).astype(np.float64)
    between = range_of(condition) if domain.shape != "interval" else None
    if between is not None:
        values: set[str | None] = {label for label in domain.labels if between.holds(label)}
    else:
        values = as_values(condition, domain.name)
    if domain.kind in NUMERIC and domain.shape == "interval":
        own = np.isin(
            domain.numbers, [_place(axis_of(domain), value) for value in values if value is not None]
        )
    else:
        own = np.array([label in values for label in domain.labels], np.bool_)
    return np.append(own, np.full(int(domain.missing), None in values)).astype(np.float64)


def axis_of(domain: Domain) -> ColumnNote:
    """Note on the axis of a domain."""
    order = tuple(domain.labels) if domain.kind == "ordered" else None
    return ColumnNote(domain.name, "quasi", domain.kind, "interval", order=order)


def _place(note: ColumnNote, text: str) -> float:
    """Place a value of a condition, which need not be one of the column's, on its axis."""
    if note.kind in {"integer", "real"} and text in {"inf", "-inf"}:
        return float(text)
    # A condition on whole numbers may still say 30.5, or 30.0.
    return float(position(replace(note, kind="real") if note.kind == "integer" else note, text))


def place_on(note: ColumnNote, value: Any) -> float:
    """Place a value of a condition on the axis of a column."""
    return _place(note, as_text(value))


def is_range(condition: Any) -> bool:
    """Whether a condition is a pair (low, high), for columns that have an order."""
    return isinstance(condition, tuple) and len(condition) == 2


def range_of(condition: Any) -> Range | None:
    """Take a pair of numbers or days as a range; None for anything else."""
    return (
        read_range(condition, (as_text(condition[0]), as_text(condition[1]))) if is_range(condition) else None
    )


def as_text(value: Any) -> str:
    """Write a value of a condition as a release writes it: midnights are days, truth values are in small letters."""
    if isinstance(value, np.datetime64) and not np.isnat(value):
        value = value.astype("M8[us]").item()
    if isinstance(value, datetime):
        whole_day = value.time() == time()
        return value.date().isoformat() if whole_day else value.isoformat()
    return str(value).lower() if isinstance(value, bool | np.bool_) else str(value)


def as_values(condition: Any, column: str) -> set[str | None]:
    """Take a condition as a collection of values, as texts (None: the missing value); `TableError` when it is none."""
    if isinstance(condition, str) or not hasattr(condition, "__iter__"):
        raise TableError(
            f"column {column!r}: a condition is a pair (low, high) or a collection of values; got {quoted(condition)}"
        )
    # Most values are texts already, and workloads have very many.
    return {value if value is None or type(value) is str else as_text(value) for value in condition}
