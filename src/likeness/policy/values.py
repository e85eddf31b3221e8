"""Numbers, dates and texts as they come from YAML, JSON and Python.

Declared values of a column: its domain, and where it is cut off.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

from likeness.policy.problems import refusal
from likeness.seeds import seed_problem
from likeness.wording import quoted


def whole(value: Any) -> int:
    """Read a whole number, or refuse the value; truths are none."""
    if isinstance(value, Integral) and not isinstance(value, bool):
        return int(value)
    raise refusal("must be a whole number", value)


def seed(value: Any) -> int:
    """Read a whole number that is not too large for a seed, or refuse the value."""
    number = whole(value)
    if problem := seed_problem(number):
        raise refusal(problem, value)
    return number


def finite(value: Any) -> int | float:
    """Read a finite number, whole ones as int, or refuse the value; truths and texts are none."""
    if not is_number(value):
        raise refusal("must be a number", value)
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise refusal("must be a finite number", value)
    return int(value) if isinstance(value, Integral) else number


def is_number(value: Any) -> bool:
    """Whether a value is a number, and no truth."""
    return isinstance(value, Real | Decimal) and not isinstance(value, bool)


def day(value: Any) -> date:
    """Read a day, or refuse the value: a date, a point in time at midnight without a zone, or ISO text."""
    if isinstance(value, datetime):
        if value == datetime(value.year, value.month, value.day):  # noqa: DTZ001  # a zone makes it unequal
            return value.date()
    elif isinstance(value, date):
        return value
    elif isinstance(value, str):
        try:
            return date.fromisoformat(value)
        except ValueError:
            pass
    raise refusal("must be a date such as 2024-03-01", value)


def text(value: Any) -> str:
    """Write a value as the text that stands for it in a table, or refuse it.

    >>> text("02139"), text(5), text(0.5), text(True), text(date(2024, 3, 1))
    ('02139', '5', '0.5', 'true', '2024-03-01')
    """
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Integral):
        return str(int(value))
    if isinstance(value, Real):
        return repr(float(value))
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, date):
        return value.isoformat()
    raise refusal("must be a text", value)


def items(value: Any) -> list[Any]:
    """Read a list of values (a list, tuple, range or array), or refuse the value; a text is none."""
    if isinstance(value, list | tuple | range):
        return list(value)
    if hasattr(value, "tolist") and not isinstance(value, str | Mapping):
        found = value.tolist()
        if isinstance(found, list):
            return found
    raise refusal("must be a list", value)


RANGES = ("integer", "real", "date")
"""Kinds whose domain is a range: both ends."""
LISTS = ("ordered", "categorical")
"""Kinds whose domain is the list of all values."""


def read_domain(given: Any, kind: str | None) -> tuple[Any, ...]:
    """Read a domain as its kind demands: both ends of a range (int, float or date), or the texts of all values.

    ``kind``: None when it is found from the data: texts are then all values, two numbers the ends of a range, and all else
    is refused, as is an empty list, a reversed range, or any domain of a ``hierarchical`` column.

    >>> read_domain([0, 110], "integer"), read_domain([1, 2, 3], "ordered"), read_domain(["a", "b"], None)
    ((0, 110), ('1', '2', '3'), ('a', 'b'))
    """
    listed = items(given)
    if not listed:
        raise refusal("must not be empty")
    if kind == "hierarchical":
        raise refusal("the values of a hierarchical column are the leaves of its hierarchy; leave it out")
    if kind in LISTS or (kind is None and all(isinstance(value, str) for value in listed)):
        return _texts(listed)
    if kind is None and not all(map(is_number, listed)):
        raise refusal("mixes texts and other values; put all in quotes, or say the kind", listed)
    if len(listed) != 2:
        remedy = "say kind: ordered or categorical when it lists values"
        raise refusal(f"is not both ends of a range; {remedy}")
    low, high = ends = tuple(read_bound(end, kind) for end in listed)
    if low > high:
        raise refusal("is reversed: the lower end comes first", given)
    return ends


def read_listed(given: Any) -> tuple[str, ...]:
    """Read a list of values as their texts, each once, or refuse it.

    >>> read_listed(["HIV", 31])
    ('HIV', '31')
    """
    listed = items(given)
    if not listed:
        raise refusal("must not be empty")
    return _texts(listed)


def read_bound(given: Any, kind: str | None) -> Any:
    """Read one end of a range, or refuse it: a date or an int as the kind says, else an int or a float."""
    if kind == "date":
        return day(given)
    number = finite(given)
    if kind == "integer":
        if number != int(number):
            raise refusal("must be a whole number, as the kind is integer", given)
        return int(number)
    return number


def _texts(listed: list[Any]) -> tuple[str, ...]:
    """Texts of all values, each once."""
    found = [text(value) for value in listed]
    twice = [value for value in dict.fromkeys(found) if found.count(value) > 1]
    if twice:
        raise refusal(f"lists {quoted(twice[0])} more than once")
    return tuple(found)
