"""Cells that may mean a missing value: certain ones, those a column cannot be read without, and questions.

Nothing is applied silently. Empty and blank cells and nulls are missing for certain. Where words for *missing*
stand among numbers or dates, the column can only be read with them declared, so the proposed policy declares
them and says so. Everything else stays a value and is reported as a question.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from numpy.typing import NDArray

WORDS = frozenset(
    {
        "?", "??", "???", "-", "--", ".", "..", "n/a", "#n/a", "na", "<na>", "n.a.", "nan", "null", "nul", "unknown",
        "unk", "unkn", "missing", "not available", "not known", "not stated", "not reported", "not recorded",
        "no answer", "no data", "don't know", "dont know", "refused", "declined", "prefer not to say", "undefined",
    }
)  # fmt: skip
"""Texts that usually mean a missing value, in any case."""

DOUBTFUL = frozenset({"none", "nil", "nothing", "not applicable", "not in universe", "other/unknown"})
"""Texts that may be an answer or none at all; only ever a question."""

_NEGATIVE = (-1, -7, -8, -9, -88, -98, -99, -999, -9999)
_NINES = re.compile("99+|88+")
_FAR = 1.5
"""All nines, or eights, are a question when the next largest value times this is below them."""


@dataclass(frozen=True)
class Marker:
    """A cell that means, or may mean, a missing value.

    Parameters
    ----------
    text
        The cell, as a policy lists it under ``missing.markers``.
    records
        Records that have it.
    declared
        Whether the proposed policy declares it; otherwise it is a question.
    why
        Why it is taken for a marker.
    """

    text: str
    records: int
    declared: bool
    why: str

    def to_mapping(self) -> dict[str, Any]:
        """Write it as JSON can hold it."""
        return {"text": self.text, "records": self.records, "declared": self.declared, "why": self.why}


def blank(texts: pl.Series) -> NDArray[np.bool_]:
    """Which texts are blanks only, but not empty."""
    return ((texts.str.strip_chars() == "") & (texts != "")).to_numpy()


def worded(texts: pl.Series, words: frozenset[str]) -> NDArray[np.bool_]:
    """Which texts are among the words, in any case, blanks around them left out."""
    return texts.str.strip_chars().str.to_lowercase().is_in(list(words)).to_numpy()


def odd_numbers(values: pl.Series, counts: NDArray[np.int64]) -> list[Marker]:
    """Find numbers that may mean a missing value: ``-9`` among positive ones, ``999`` far above all others.

    Parameters
    ----------
    values
        Distinct numbers, ascending.
    counts : (m,) int64
        Records of each.

    Examples
    --------
    >>> [marker.text for marker in odd_numbers(pl.Series([-9, 1, 2, 999]), np.ones(4, np.int64))]
    ['-9', '999']
    """
    numbers = values.cast(pl.Float64).to_numpy()
    found = []
    below = np.flatnonzero(numbers < 0)
    if below.size and below.size < numbers.size and set(numbers[below].tolist()) <= set(_NEGATIVE):
        found += [(int(i), "a negative number where all others are not") for i in below]
    if numbers.size > 1:
        last = float(numbers[-1])
        before = float(numbers[-2])
        if last.is_integer() and _NINES.fullmatch(str(int(last))) and last > _FAR * max(before, 1.0):
            found.append((numbers.size - 1, "far above all others"))
    return [Marker(_plain(numbers[i]), int(counts[i]), declared=False, why=why) for i, why in found]


_SENTINELS = tuple(
    np.datetime64(day, "D")
    for day in (
        "0001-01-01",
        "1582-10-15",
        "1753-01-01",
        "1899-12-30",
        "1899-12-31",
        "1900-01-01",
        "1901-01-01",
        "1970-01-01",
    )
)
_LAST = tuple(np.datetime64(day, "D") for day in ("2099-12-31", "2100-01-01", "2999-12-31", "9999-12-31"))
_DECADE = np.timedelta64(3653, "D")


def odd_days(values: pl.Series, counts: NDArray[np.int64]) -> list[Marker]:
    """Find days that programs write for a missing one, at least ten years before or after all others.

    Parameters
    ----------
    values
        Distinct days, ascending.
    counts : (m,) int64
        Records of each.

    Examples
    --------
    >>> from datetime import date
    >>> days = pl.Series([date(1900, 1, 1), date(2020, 1, 1), date(9999, 12, 31)])
    >>> [marker.text for marker in odd_days(days, np.ones(3, np.int64))]
    ['1900-01-01', '9999-12-31']
    """
    days = values.to_numpy().astype("datetime64[D]")
    inner = days[~np.isin(days, [*_SENTINELS, *_LAST])]
    if not inner.size:
        return []
    odd = (np.isin(days, _SENTINELS) & (days < inner[0] - _DECADE)) | (
        np.isin(days, _LAST) & (days > inner[-1] + _DECADE)
    )
    why = "a day that programs write for a missing one, far from all others"
    return [Marker(str(days[i]), int(counts[i]), declared=False, why=why) for i in np.flatnonzero(odd)]


def _plain(number: float) -> str:
    """Write a whole number without a point."""
    return str(int(number)) if float(number).is_integer() else repr(float(number))
