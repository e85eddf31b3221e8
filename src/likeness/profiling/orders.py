"""Find the order of texts that have one: ranges such as ``[60-70)``, quarters, answers on a scale, padded codes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_NUMBER = r"(\d+(?:\.\d+)?)"
_RANGE = re.compile(rf"[\[(]?\s*{_NUMBER}\s*(?:-|–|,|to|bis|à|a)\s*{_NUMBER}\s*[\])]?", re.IGNORECASE)
_BELOW = re.compile(rf"(?:<=?|≤|under|below|unter|up to)\s*{_NUMBER}", re.IGNORECASE)
_ABOVE = re.compile(
    rf"(?:>=?|≥|over|above|über)\s*{_NUMBER}|{_NUMBER}\s*(?:\+|(?:and|or) (?:older|over|more|above))",
    re.IGNORECASE,
)
_QUARTER = re.compile(r"(\d{4})[ -]?[QT]([1-4])")
_PADDED = re.compile(r"\d+")

_SCALES = tuple(
    tuple(scale.split(", "))
    for scale in (
        "strongly disagree, disagree, somewhat disagree, neutral, somewhat agree, agree, strongly agree",
        "strongly disagree, disagree, neither agree nor disagree, agree, strongly agree",
        "very dissatisfied, dissatisfied, neutral, satisfied, very satisfied",
        "very unlikely, unlikely, neutral, likely, very likely",
        "never, rarely, sometimes, often, usually, always",
        "very poor, poor, fair, good, very good, excellent",
        "very bad, bad, neutral, good, very good",
        "very low, low, medium, high, very high",
        "none, mild, moderate, severe, very severe",
    )
)
"""Answers from the lowest to the highest."""
_FEW = 60
"""Values up to which an order is written down."""


def order_of(texts: Iterable[str], *, codes: bool) -> list[str] | None:
    """Put texts in the order they have; None where not all of them have one. ``codes``: padded digits have one, too.

    >>> order_of(["[10-20)", "[0-10)"], codes=True), order_of(["65+", "<18", "18-64"], codes=True)
    (['[0-10)', '[10-20)'], ['<18', '18-64', '65+'])
    >>> order_of(["red", "blue"], codes=True)
    """
    values = list(texts)
    if not 2 <= len(values) <= _FEW:
        return None
    for key in (_by_range, _by_quarter, *((_by_code,) if codes and len({*map(len, values)}) == 1 else ())):
        ranked = _ranked(values, key)
        if ranked is not None:
            return ranked
    for scale in _SCALES:
        ranked = _ranked(values, _by_scale(scale))
        if ranked is not None:
            return ranked
    return None


def _ranked(values: list[str], key: Callable[[str], tuple[float, ...] | None]) -> list[str] | None:
    """Sort values by their keys; None where one has no key, or two have the same."""
    keys = {value: key(value.strip()) for value in values}
    known = {value: own for value, own in keys.items() if own is not None}
    if len(known) < len(values) or len(set(known.values())) < len(values):
        return None
    return sorted(values, key=known.__getitem__)


def _by_range(text: str) -> tuple[float, ...] | None:
    """Lower end of a range, those that are open below first."""
    for pattern, rank in ((_BELOW, 0), (_RANGE, 1), (_ABOVE, 2)):
        found = pattern.fullmatch(text)
        if found:
            ends = [float(end) for end in found.groups() if end]
            return (rank, *ends) if ends == sorted(ends) else None
    return None


def _by_quarter(text: str) -> tuple[float, ...] | None:
    """Year and quarter."""
    found = _QUARTER.fullmatch(text)
    return None if found is None else tuple(map(float, found.groups()))


def _by_code(text: str) -> tuple[float, ...] | None:
    """Digits with zeros before them, as a number."""
    return (float(text),) if _PADDED.fullmatch(text) else None


def _by_scale(scale: tuple[str, ...]) -> Callable[[str], tuple[float, ...] | None]:
    """Place of an answer on a scale."""
    places = {answer: (float(i),) for i, answer in enumerate(scale)}
    return lambda text: places.get(text.lower())
