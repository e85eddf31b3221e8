"""Dates written as text: one format for the whole column, and only if it cannot be another.

Which of day and month comes first, where slashes or hyphens part them, only a day above 12 tells. Years of two digits are those
from 1969 to 2068, as POSIX has it, whatever day it is today, so a table is read next year as it is this year; a column in which
one of them would be to come may be of the last century, and is not read.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterator

CENTURY = (1969, 2068)
"""First and last year that two digits stand for."""

_MONTHS = (
    # English, German, French, Spanish, in small letters and without accents; with what is written for the longer words.
    "jan january januar janner janv janvier ene enero",
    "feb february februar feber fev fevr fevrier febrero",
    "mar march mrz marz maerz mars marzo",
    "apr april avr avril abr abril",
    "may mai mayo",
    "jun june juni juin junio",
    "jul july juli juil juillet julio",
    "aug august aout ago agosto",
    "sep sept september septembre septiembre setiembre",
    "oct october okt oktober octobre octubre",
    "nov november novembre noviembre",
    "dec december dez dezember decembre dic diciembre",
)
_NUMBER_OF = {word: month for month, words in enumerate(_MONTHS, 1) for word in words.split()}


def _worded(year: str) -> tuple[str, str]:
    """Patterns of days whose month is a word, any word: those that begin with the day, and with the month."""
    day_first = (
        r"^([0-9]{1,2})(?:st|nd|rd|th|er|º)?[.]?[ -]*(?:of |de |d['’])?(\p{L}{3,})[.]?,?[ -]*(?:de |del )?"
    )
    return (
        f"{day_first}({year})$",
        rf"^(\p{{L}}{{3,}})[.]?[ -]*([0-9]{{1,2}})(?:st|nd|rd|th)?(?:, *| +|-)({year})$",
    )


_DAY_FIRST, _MONTH_FIRST = _worded("[0-9]{4}|[0-9]{2}")


@dataclass(frozen=True)
class _Spelling:
    """A way to write days, how people call it, and how it is read; ``short``: with two digits of the year."""

    name: str
    pattern: str
    form: str
    short: bool = False
    worded: bool = False

    def read(self, texts: pl.Series) -> tuple[pl.Series, pl.Series]:
        """Which cells are written so, and their days; null where the calendar has none, or none of a sure century."""
        like = texts.str.contains(self.pattern).fill_null(value=False)
        if not like.any():
            return like, pl.Series([None], dtype=pl.Date).new_from_index(0, len(texts))
        plain = texts.set(~like, None)
        if self.worded:
            plain = _in_numbers(plain)
        if self.short:
            plain = _with_century(plain)
        return like, plain.str.to_date(self.form, strict=False)

    def is_sure(self, days: pl.Series) -> bool:
        """Whether no day would be to come, of which only two digits of the year are written."""
        return not (self.short and (days > datetime.now(UTC).date()).any())


def _in_numbers(texts: pl.Series) -> pl.Series:
    """Write days whose month is a word as DD.MM.YYYY, or DD.MM.YY; null where the word is no month."""
    day, word, year = (
        texts.str.extract(_DAY_FIRST, own).fill_null(texts.str.extract(_MONTH_FIRST, other))
        for own, other in ((1, 2), (2, 1), (3, 3))
    )
    words = word.unique().drop_nulls()
    months = pl.Series([_NUMBER_OF.get(_bare(one)) for one in words], dtype=pl.Int64)
    number = word.replace_strict(words, months, default=None, return_dtype=pl.Int64).cast(pl.String)
    return day + "." + number + "." + year


def _bare(word: str) -> str:
    """Write a word in small letters without accents."""
    plain = unicodedata.normalize("NFKD", word.casefold())
    return "".join(letter for letter in plain if not unicodedata.combining(letter))


def _with_century(texts: pl.Series) -> pl.Series:
    """Write years of two digits with four, those of `CENTURY`."""
    last = texts.str.replace("([./-])(69|[7-9][0-9])$", "${1}19$2")
    return last.str.replace("([./-])([0-6][0-9])$", "${1}20$2")


WORDED = f"{_DAY_FIRST}|{_MONTH_FIRST}"
"""A day whose month is a word, any word."""
_COMPACT = _Spelling("YYYYMMDD", "^(?:(?:18|19|20)[0-9]{6}|99991231)$", "%Y%m%d")
_SURE = (
    _Spelling("YYYY-MM-DD", "^[0-9]{4}-[0-9]{2}-[0-9]{2}$", "%Y-%m-%d"),
    _Spelling("YYYY/MM/DD", "^[0-9]{4}/[0-9]{2}/[0-9]{2}$", "%Y/%m/%d"),
    _Spelling("DD.MM.YYYY", "^[0-9]{1,2}[.][0-9]{1,2}[.][0-9]{4}$", "%d.%m.%Y"),
    _COMPACT,
    _Spelling("months in words", "|".join(_worded("[0-9]{4}")), "%d.%m.%Y", worded=True),
    _Spelling("DD.MM.YY", "^[0-9]{1,2}[.][0-9]{1,2}[.][0-9]{2}$", "%d.%m.%Y", short=True),
    _Spelling(
        "months in words and years of two digits",
        "|".join(_worded("[0-9]{2}")),
        "%d.%m.%Y",
        short=True,
        worded=True,
    ),
)


@dataclass(frozen=True)
class _Doubtful:
    """Two ways to write days that look alike: by the day or by the month first."""

    mark: str
    short: bool

    @property
    def pattern(self) -> str:
        """Three numbers, of which the last is the year."""
        year = "{2}" if self.short else "{4}"
        return f"^([0-9]{{1,2}}){self.mark}([0-9]{{1,2}}){self.mark}([0-9]{year})$"

    def both(self) -> tuple[_Spelling, _Spelling]:
        """By the day first, and by the month."""
        year, own = "YY" if self.short else "YYYY", self.mark
        return (
            _Spelling(f"DD{own}MM{own}{year}", self.pattern, f"%d{own}%m{own}%Y", short=self.short),
            _Spelling(f"MM{own}DD{own}{year}", self.pattern, f"%m{own}%d{own}%Y", short=self.short),
        )

    @property
    def name(self) -> str:
        """Both names, of days that may be either."""
        return " or ".join(one.name for one in self.both())

    def told(self, texts: pl.Series) -> list[_Spelling]:
        """The one that is possible; nothing where both are, or none, or the years may stand first as well."""
        written = texts.filter(texts.str.contains(self.pattern).fill_null(value=False))
        if not len(written):
            return []
        first, second, last = written.str.extract_groups(self.pattern).struct.unnest().cast(pl.Int32)
        by_day, by_month = ((part > 12).any() for part in (first, second))
        if by_day == by_month:
            return []
        # 21/03/06 may be a day of March 2021: years, unlike days, are few.
        years_first = self.short and by_day and (last <= 31).all() and first.n_unique() <= last.n_unique()
        return [] if years_first else [self.both()[0 if by_day else 1]]


_EITHER = tuple(_Doubtful(mark, short) for short in (False, True) for mark in "/-")
READ = frozenset(one.name for one in (*_SURE, *(own for pair in _EITHER for own in pair.both())))
"""Names of the spellings that can be read."""
EITHER = frozenset(one.name for one in _EITHER)
"""Names of days of which nobody knows whether the day or the month comes first."""
NO_CENTURY = "years of two digits, of this century or the last"
_TIMED = ("^[0-9]{4}[-/][0-9]{2}[-/][0-9]{2}[T ][0-9]{1,2}:[0-9]{2}", "a day with its time")
"""A spelling that is named and not read."""
LIKE_A_DATE = "|".join([*(one.pattern for one in _SURE), *(one.pattern for one in _EITHER), _TIMED[0]])
_FILLED = "^(?:0+[-/.]0+[-/.]0+|9+[-/.]9+[-/.]9+|[0-9]{4}[-/](?:00[-/]00|99[-/]99)|(?:00[/.]00|99[/.]99)[/.][0-9]{4}|0{8}|9{8})$"


def _readings(texts: pl.Series) -> Iterator[tuple[_Spelling, pl.Series]]:
    """The spellings that occur and can be read in one way, and the days of the cells that are written so."""
    told = [own for one in _EITHER for own in one.told(texts)]
    for spelling in (*_SURE, *told):
        like, days = spelling.read(texts)
        if like.any() and spelling.is_sure(days):
            yield spelling, days


def to_dates(texts: pl.Series) -> pl.Series:
    """Read dates in the one format that most of them have; null where a cell is no date of that format.

    YYYY-MM-DD, YYYY/MM/DD, DD.MM.YYYY, YYYYMMDD, days with the month in words; DD/MM/YYYY and MM/DD/YYYY, or with hyphens, when
    some day above 12 tells which. Years may have two digits where none of the days would be to come (`CENTURY`).

    >>> to_dates(pl.Series(["6-mar-2021", "31 de diciembre de 2020"])).to_list()
    [datetime.date(2021, 3, 6), datetime.date(2020, 12, 31)]
    """
    best = pl.Series([None], dtype=pl.Date).new_from_index(0, len(texts))
    for _, days in _readings(texts):
        if days.null_count() < best.null_count():
            best = days
    return best


def to_any_dates(texts: pl.Series) -> pl.Series:
    """Read dates each in its own format, where none of them can be another day; null where a cell is no such date.

    The formats are those of `to_dates`; days with slashes need some day above 12 that tells which of the two they are.

    >>> to_any_dates(pl.Series(["2020-12-31", "31.12.2020", "12/31/2020"])).n_unique()
    1
    """
    found = pl.Series([None], dtype=pl.Date).new_from_index(0, len(texts))
    for _, days in _readings(texts):
        found = found.fill_null(days)
    return found


def are_compact(values: pl.Series) -> bool:
    """Whether whole numbers, as such or as texts, are all days written YYYYMMDD, of the years 1800 to 2099 (or 9999-12-31).

    >>> are_compact(pl.Series([20210306, 19991231])), are_compact(pl.Series(["20210306", "20211306"]))
    (True, False)
    """
    return len(values) > 0 and not compact_days(values).has_nulls()


def compact_days(values: pl.Series) -> pl.Series:
    """Days that whole numbers write as YYYYMMDD; null where one is no such day."""
    texts = values if values.dtype == pl.String else values.cast(pl.String)
    return _COMPACT.read(texts)[1]


def have_short_years(texts: pl.Series) -> bool:
    """Whether any days, which can all be read, have years of two digits."""
    return any(spelling.short and days.count() for spelling, days in _readings(texts))


def are_ambiguous(texts: pl.Series) -> bool:
    """Whether the cells are dates whose day and month cannot be told apart."""
    return any(texts.str.contains(one.pattern).any() and not one.told(texts) for one in _EITHER)


def spellings(texts: pl.Series) -> tuple[dict[str, pl.Series], pl.Series]:
    """Sort cells by how they write dates, for messages: which are days, by spelling, and which are no day of the calendar.

    Only spellings that occur; days with slashes may be of two (`EITHER`) where others of both occur, or none that tells; days of
    two digits of the year are `NO_CENTURY` where any would be to come.
    No day of the calendar is what is written like a date, such as 2023-02-29 and 9999-99-99.
    """
    found: dict[str, pl.Series] = {}
    none = texts.is_null()
    if not texts.str.contains(LIKE_A_DATE).any():
        return found, none
    unsure = none
    for spelling in _SURE:
        like, days = spelling.read(texts)
        if spelling.is_sure(days):
            found[spelling.name] = days.is_not_null()
        else:
            unsure = unsure | days.is_not_null()
        # Who knows what else a word may be, or eight digits.
        if not spelling.worded and spelling is not _COMPACT:
            none |= like & days.is_null()
    for one in _EITHER:
        (like, first), (_, second) = (spelling.read(texts) for spelling in one.both())
        by_day, by_month = first.is_not_null(), second.is_not_null()
        names = [spelling.name for spelling in one.both()]
        only = dict(zip(names, (by_day & ~by_month, by_month & ~by_day), strict=True))
        certain = [name for name, cells in only.items() if cells.any()]
        told = one.told(texts)
        if one.short and told and not told[0].is_sure(told[0].read(texts)[1]):
            unsure = unsure | by_day | by_month
        elif len(certain) == 1 and told:
            found[certain[0]] = only[certain[0]] | (by_day & by_month)
        elif one.short:
            found[one.name] = by_day | by_month
        else:
            found |= only
            found[one.name] = by_day & by_month
        none |= like & ~by_day & ~by_month
    none |= are_filled(texts) & texts.str.contains("[-/.]")
    found[NO_CENTURY] = unsure & ~none
    found[_TIMED[1]] = texts.str.contains(_TIMED[0]).fill_null(value=False) & ~none
    return {name: cells for name, cells in found.items() if cells.any()}, none


def are_filled(texts: pl.Series) -> pl.Series:
    """Which cells are written like a date, and all zeros or nines in day and month: they stand for a missing value."""
    return texts.str.contains(_FILLED).fill_null(value=False)
