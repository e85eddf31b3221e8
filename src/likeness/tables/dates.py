"""Dates written as text: one format for the whole column, and only if it cannot be another."""

from __future__ import annotations

import polars as pl

_FORMATS = (
    ("^[0-9]{4}-[0-9]{2}-[0-9]{2}$", "%Y-%m-%d"),
    ("^[0-9]{4}/[0-9]{2}/[0-9]{2}$", "%Y/%m/%d"),
    ("^[0-9]{1,2}[.][0-9]{1,2}[.][0-9]{4}$", "%d.%m.%Y"),
)
_SLASHED = "^([0-9]{1,2})/([0-9]{1,2})/[0-9]{4}$"
_NAMES = {
    "%Y-%m-%d": "YYYY-MM-DD",
    "%Y/%m/%d": "YYYY/MM/DD",
    "%d.%m.%Y": "DD.MM.YYYY",
    "%d/%m/%Y": "DD/MM/YYYY",
    "%m/%d/%Y": "MM/DD/YYYY",
}
READ = frozenset(_NAMES.values())
"""Names of the spellings that can be read."""
EITHER = "DD/MM/YYYY or MM/DD/YYYY"
_OTHERS = (
    ("^[0-9]{1,2}([./-])[0-9]{1,2}([./-])[0-9]{2}$", "a day with a year of two digits"),
    ("^[0-9]{1,2}-[0-9]{1,2}-[0-9]{4}$", "DD-MM-YYYY or MM-DD-YYYY"),
    (
        "^[0-9]{1,2}[ .-]*[A-Za-z]{3,9}[ .,-]*[0-9]{2,4}$|^[A-Za-z]{3,9}[ .]*[0-9]{1,2},? *[0-9]{4}$",
        "a day with a month in words",
    ),
    ("^[0-9]{4}[-/][0-9]{2}[-/][0-9]{2}[T ][0-9]{1,2}:[0-9]{2}", "a day with its time"),
)
"""Spellings that are named and not read."""
_FILLED = "^(?:0+[-/.]0+[-/.]0+|9+[-/.]9+[-/.]9+|[0-9]{4}[-/](?:00[-/]00|99[-/]99)|(?:00[/.]00|99[/.]99)[/.][0-9]{4})$"


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


def spellings(texts: pl.Series) -> tuple[dict[str, pl.Series], pl.Series]:
    """Sort cells by how they write dates, for messages.

    Parameters
    ----------
    texts
        Distinct cells.

    Returns
    -------
    dict of str to Boolean Series
        Which cells are days, by the name of their spelling; spellings that occur only. Days with slashes may be of two
        spellings (`EITHER`) where others of both occur, or none that tells.
    Boolean Series
        Which cells are written like a date and are no day of the calendar, such as 2023-02-29 and 9999-99-99.

    Examples
    --------
    >>> found, none = spellings(pl.Series(["2020-12-31", "31/12/2020", "9999-99-99", "soon"]))
    >>> {name: cells.to_list() for name, cells in found.items()}
    {'YYYY-MM-DD': [True, False, False, False], 'DD/MM/YYYY': [False, True, False, False]}
    >>> none.to_list()
    [False, False, True, False]
    """
    found: dict[str, pl.Series] = {}
    none = texts.is_null()
    for pattern, form in _FORMATS:
        like = texts.str.contains(pattern).fill_null(value=False)
        days = like & texts.set(~like, None).str.to_date(form, strict=False).is_not_null()
        found[_NAMES[form]] = days
        none |= like & ~days
    slashed = texts.str.contains(_SLASHED).fill_null(value=False)
    by_day, by_month = (
        slashed & texts.set(~slashed, None).str.to_date(form, strict=False).is_not_null()
        for form in ("%d/%m/%Y", "%m/%d/%Y")
    )
    only = {"DD/MM/YYYY": by_day & ~by_month, "MM/DD/YYYY": by_month & ~by_day}
    certain = [name for name, cells in only.items() if cells.any()]
    both = by_day & by_month
    found |= only
    if len(certain) == 1:
        found[certain[0]] |= both
    else:
        found[EITHER] = both
    none |= slashed & ~by_day & ~by_month
    for pattern, name in _OTHERS:
        found[name] = texts.str.contains(pattern).fill_null(value=False) & ~none
    return {name: cells for name, cells in found.items() if cells.any()}, none


def are_filled(texts: pl.Series) -> pl.Series:
    """Which cells are written like a date, and all zeros or nines in day and month: they stand for a missing value.

    Examples
    --------
    >>> are_filled(pl.Series(["9999-99-99", "00.00.0000", "2020-00-00", "2020-02-30"])).to_list()
    [True, True, True, False]
    """
    return texts.str.contains(_FILLED).fill_null(value=False)
