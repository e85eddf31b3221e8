"""The one text of every value: what is published is written so, and nothing else is read back.

Where a value could be written in two ways, the way that was taken could say something about a person whom the values
do not tell apart from others: ``020`` and ``20`` are one age and two rows. So a text is a value only where writing that
value gives the same text again.
"""

from __future__ import annotations

import re
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.wording import quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

LONGEST_NUMBER = 64
"""Characters of the longest text that is looked at as a number or day: more than any has that is written here."""
_WHOLE = re.compile(r"[+-]?[0-9]+")
_REAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_DAY = re.compile(r"-?[0-9]{4,}-[0-9]{2}-[0-9]{2}")
_PLAIN = {"integer": _WHOLE, "real": _REAL, "date": _DAY}


def texts(values: NDArray[Any] | Sequence[Any]) -> list[str]:
    """Write distinct values as the texts a release uses: ISO days, shortest decimals, ``true`` and ``false``.

    >>> texts(np.array([1.0, -0.0, 1e-7])), texts(np.array(["2024-03-01"], "datetime64[D]"))
    (['1.0', '0.0', '1e-07'], ['2024-03-01'])
    """
    array = np.asarray(values)
    if array.dtype.kind == "M":
        return [str(day) for day in array.astype("datetime64[D]")]
    if array.dtype.kind == "b":
        return ["true" if value else "false" for value in array.tolist()]
    if array.dtype.kind == "f":
        array = array + 0.0  # -0.0 is 0.0
    return [str(value) for value in array.tolist()]


def read_texts(kind: str, written: Sequence[str]) -> NDArray[Any]:
    """Read numbers or days that `texts` wrote: (n,) int64, finite float64 or datetime64[D].

    ``kind``: ``integer``, ``real`` or ``date``. `ValueError` at the first text that is none of that kind, or that `texts`
    writes otherwise (``020``); says what is wrong with it.
    """
    listed = list(written)
    if max(map(len, listed), default=0) <= LONGEST_NUMBER:
        try:
            values = _parse(kind, listed)
        except (ValueError, OverflowError):
            values = None
        if values is not None and not _unlimited(values).any() and texts(values) == listed:
            return values
    wrong = next(text for text in listed if misspelled(kind, text) is not None)
    raise ValueError(misspelled(kind, wrong))


def misspelled(kind: str, text: str) -> str | None:
    """Say what is wrong with the text of a number or day; None where nothing is."""
    value = plain_value(kind, text)
    if value is None:
        return f"{quoted(text)} is not of the kind {kind}"
    return must_read(text, texts(np.array([value]))[0])


def plain_value(kind: str, text: str) -> Any:
    """Take a number or day that a text stands for, however it is written; None where it stands for none.

    >>> plain_value("integer", " 020"), plain_value("real", "1_0"), plain_value("date", "NaT")
    (20, None, None)
    """
    plain = text.strip()
    if len(plain) > LONGEST_NUMBER or _PLAIN[kind].fullmatch(plain) is None:
        return None
    if kind == "integer":
        whole = int(plain)
        return whole if -(2**63) <= whole < 2**63 else None
    if kind == "real":
        number = float(plain)
        return number if isfinite(number) else None
    try:
        return np.datetime64(plain, "D")
    except ValueError:
        return None


def must_read(text: str, right: str) -> str | None:
    """Say how a text must be written; None where it is written so."""
    return (
        None
        if text == right
        else f"{quoted(text)} must read {quoted(right)}: one value is written in one way"
    )


def _parse(kind: str, written: list[str]) -> NDArray[Any]:
    """Read short texts of numbers or days, not looking at how they are written."""
    if kind == "integer":
        return np.array([int(text) for text in written], np.int64)
    if kind == "date":
        return np.array(written, "datetime64[D]")
    return np.array([float(text) for text in written], np.float64)


def _unlimited(values: NDArray[Any]) -> NDArray[np.bool_]:
    """(n,) What is no number and no day, or infinite."""
    return np.asarray(np.isnat(values) if values.dtype.kind == "M" else ~np.isfinite(values))
