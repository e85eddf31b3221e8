"""Declared values of a column: its domain, and where it is cut off."""

from __future__ import annotations

from typing import Any

from likeness.policy import values
from likeness.policy.problems import refusal
from likeness.wording import quoted

RANGES = ("integer", "real", "date")
"""Kinds whose domain is a range: both ends."""
LISTS = ("ordered", "categorical")
"""Kinds whose domain is the list of all values."""


def read_domain(given: Any, kind: str | None) -> tuple[Any, ...]:
    """Read a domain as its kind demands.

    Parameters
    ----------
    given
        A list.
    kind
        The column's kind; None when it is found from the data, and the values must then speak for themselves.

    Returns
    -------
    tuple
        Both ends of a range (int, float or date), or the texts of all values.

    Raises
    ------
    PolicyError
        When it is no such list.

    Examples
    --------
    >>> read_domain([0, 110], "integer"), read_domain([1, 2, 3], "ordered"), read_domain(["a", "b"], None)
    ((0, 110), ('1', '2', '3'), ('a', 'b'))
    >>> read_domain([1, 2, 3], None)
    Traceback (most recent call last):
    likeness.policy.problems.RefusalError: is not both ends of a range; say kind: ordered or ...
    """
    listed = values.items(given)
    if not listed:
        raise refusal("must not be empty")
    if kind == "hierarchical":
        raise refusal("the values of a hierarchical column are the leaves of its hierarchy; leave it out")
    if kind in LISTS or (kind is None and all(isinstance(value, str) for value in listed)):
        return _texts(listed)
    if kind is None and not all(map(values.is_number, listed)):
        raise refusal("mixes texts and other values; put all in quotes, or say the kind", listed)
    if len(listed) != 2:
        remedy = "say kind: ordered or categorical when it lists values"
        raise refusal(f"is not both ends of a range; {remedy}")
    low, high = ends = tuple(read_bound(end, kind) for end in listed)
    if low > high:
        raise refusal("is reversed: the lower end comes first", given)
    return ends


def read_bound(given: Any, kind: str | None) -> Any:
    """Read one end of a range: an int, a float or a date.

    Examples
    --------
    >>> read_bound(18, "integer"), read_bound("2024-03-01", "date")
    (18, datetime.date(2024, 3, 1))
    """
    if kind == "date":
        return values.day(given)
    number = values.finite(given)
    if kind == "integer":
        if number != int(number):
            raise refusal("must be a whole number, as the kind is integer", given)
        return int(number)
    return number


def _texts(listed: list[Any]) -> tuple[str, ...]:
    """Texts of all values, each once."""
    found = [values.text(value) for value in listed]
    twice = [value for value in dict.fromkeys(found) if found.count(value) > 1]
    if twice:
        raise refusal(f"lists {quoted(twice[0])} more than once")
    return tuple(found)
