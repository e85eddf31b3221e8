"""Dates written as text: one format for the whole column, and only if it cannot be another."""

from __future__ import annotations

import polars as pl

_FORMATS = (
    ("^[0-9]{4}-[0-9]{2}-[0-9]{2}$", "%Y-%m-%d"),
    ("^[0-9]{4}/[0-9]{2}/[0-9]{2}$", "%Y/%m/%d"),
    ("^[0-9]{1,2}[.][0-9]{1,2}[.][0-9]{4}$", "%d.%m.%Y"),
)
_SLASHED = "^([0-9]{1,2})/([0-9]{1,2})/[0-9]{4}$"


def to_dates(texts: pl.Series) -> pl.Series:
    """Read dates in the one format that most of them have.

    Parameters
    ----------
    texts
        Distinct cells: YYYY-MM-DD, YYYY/MM/DD, DD.MM.YYYY, or DD/MM/YYYY and MM/DD/YYYY when some
        day above 12 tells which.

    Returns
    -------
    pl.Series
        Date, as long as `texts`; null where a cell is no date of that format.

    Examples
    --------
    >>> to_dates(pl.Series(["01/31/2024", "02/01/2024"])).to_list()
    [datetime.date(2024, 1, 31), datetime.date(2024, 2, 1)]
    >>> to_dates(pl.Series(["01/02/2024"])).to_list()  # January or February?
    [None]
    """
    best = pl.Series([None] * len(texts), dtype=pl.Date)
    for pattern, form in (*_FORMATS, *_slashed_format(texts)):
        matching = texts.str.contains(pattern)
        if not matching.any():
            continue
        dates = texts.set(~matching, None).str.to_date(form, strict=False)
        if dates.null_count() < best.null_count():
            best = dates
    return best


def are_ambiguous(texts: pl.Series) -> bool:
    """Whether the cells are dates with slashes whose day and month cannot be told apart."""
    return bool(texts.str.contains(_SLASHED).any()) and not _slashed_format(texts)


def _slashed_format(texts: pl.Series) -> list[tuple[str, str]]:
    """DD/MM/YYYY or MM/DD/YYYY if exactly one of them is possible."""
    slashed = texts.filter(texts.str.contains(_SLASHED))
    parts = slashed.str.extract_groups(_SLASHED).struct.unnest().cast(pl.Int32)
    first_is_day, second_is_day = ((column > 12).any() for column in parts.iter_columns())
    if first_is_day == second_is_day:
        return []
    return [(_SLASHED, "%d/%m/%Y" if first_is_day else "%m/%d/%Y")]
