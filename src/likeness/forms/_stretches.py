"""What labels of numbers, dates and masked codes stand for, read from the labels themselves.

Hierarchies made by a rule (intervals, dates, prefixes) are not published, because their leaves are the values of the
original. Their labels say what lies below them all the same.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor
from numbers import Number
from typing import Any

import numpy as np

from likeness.exact import rational
from likeness.hierarchies.prefixes import MASK

_PERIOD = re.compile(r"(\d{4})(?:-Q([1-4])|-(\d\d)(?:-(\d\d))?)?", re.ASCII)
_CLASS = re.compile(r"\[([^\s,]+), ([^\s,]+)([\])])")


@dataclass(frozen=True)
class Stretch:
    """A stretch of numbers or days.

    Parameters
    ----------
    low, high
        Its ends; days since 1970.
    step
        1 for whole numbers and days, 0 for reals.
    open
        Whether ``high`` itself lies outside.
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

    Parameters
    ----------
    first, last
        Ends of the stretch.
    step
        1 for whole numbers, days and ranks, 0 for reals.
    low, high
        Ends of the condition.
    power
        0 for the share alone.

    Examples
    --------
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

    Examples
    --------
    >>> read_stretch("[18, 39]", days=False).share(Fraction(18), Fraction(28))
    0.5
    >>> read_stretch("2024-Q1", days=True).holds(place("2024-03-31")[1])
    True
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


def place(text: str) -> tuple[bool, Fraction] | None:
    """Say whether a text is a day (else a number), and where it lies; None for other texts.

    Examples
    --------
    >>> place("1970-01-02"), place("1.5"), place("flu")
    ((True, Fraction(1, 1)), (False, Fraction(3, 2)), None)
    """
    if len(text) == 10 and (period := _read_period(text)) is not None:
        return True, period.low
    number = _number(text)
    return None if number is None else (False, number)


def stands_for(label: str, value: str) -> bool:
    """Whether a node of a hierarchy made by a rule has a value below it, or is it.

    Examples
    --------
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


@dataclass(frozen=True)
class Range:
    """A condition between two ends, both included, for columns that are not published in intervals.

    Parameters
    ----------
    days
        Whether the ends are days.
    low, high
        The ends.
    """

    days: bool
    low: Fraction
    high: Fraction

    def holds(self, value: str | None) -> bool:
        """Whether a single value lies between the ends."""
        found = None if value is None else place(value)
        return found is not None and found[0] == self.days and self.low <= found[1] <= self.high


def read_range(condition: Any, texts: tuple[str, str]) -> Range | None:
    """Take a pair of numbers or days as a range; None for a pair of other values, which is a collection.

    Parameters
    ----------
    condition
        A pair.
    texts
        Its ends as texts. Numbers written as text are codes, not ends.
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
    """Read a year, quarter, month or day."""
    parts = _PERIOD.fullmatch(label)
    if parts is None:
        return None
    year, quarter, month, day = (int(part) if part else None for part in parts.groups())
    assert year is not None  # noqa: S101  # the pattern has it
    first = month or (3 * quarter - 2 if quarter else 1)
    months = 1 if month else 3 if quarter else 12
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
