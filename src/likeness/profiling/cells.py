"""One column as a profile looks at it: kind, distinct values, how many records have each, what is missing.

What the texts of a column look like: addresses, numbers of people, names, codes, free text.

Every pattern is tried on the distinct values, at most `MOST` of them, evenly spread: the only place where a
profile samples.

Cells that may mean a missing value: certain ones, those a column cannot be read without, and questions.

Nothing is applied silently. Empty and blank cells and nulls are missing for certain. Where words for *missing*
stand among numbers or dates, the column can only be read with them declared, so the proposed policy declares
them and says so. Everything else stays a value and is reported as a question.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from likeness.errors import TableError
from likeness.tables.dates import WORDED, are_filled, have_short_years
from likeness.tables.kinds import (
    MixedError,
    are_integers,
    are_whole_with_point,
    convert,
    sure_thousands,
    without_units,
)
from likeness.tables.units import unit_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likeness.tables import Table
    from likeness.tables.columns import RawColumn

MOST = 10_000
"""Distinct values that patterns are tried on."""

_PATTERNS = {
    "e-mail address": r"[\w.+-]+@[\w-]+\.[\w.-]+",
    "social security number": r"^[0-9]{3}-[0-9]{2}-[0-9]{4}$",
    "IP address": r"^[0-9]{1,3}(\.[0-9]{1,3}){3}$",
    "web address": r"^(https?://|www\.)\S+$",
    "phone number": r"^(\+[0-9]|\(?[0-9]{2,5}\)?[ ./-])[0-9() ./-]{5,}$",
    "date": rf"^([0-9]{{1,2}}[./-][0-9]{{1,2}}[./-]([0-9]{{2}}|[0-9]{{4}})|[0-9]{{4}}[./-][0-9]{{1,2}}[./-][0-9]{{1,2}})$|"
    rf"{WORDED}",
    "moment": r"^[0-9]{1,4}[./-][0-9]{1,2}[./-][0-9]{1,4}[ T][0-9]{1,2}:[0-9]{2}",
    "ZIP+4": r"^[0-9]{5}-[0-9]{4}$",
    "diagnosis code": r"^[A-TV-Z][0-9][0-9A-Z](\.[0-9A-Z]{1,4}|[0-9A-Z]{0,4})$",
    "name": r"^\p{Lu}[\p{L}'’.-]*,?( (\p{Lu}[\p{L}'’.-]*|d[aei]|de la|v[ao]n|von|bin|al)){1,4}$",
    "postal address": r"(?i)([0-9]+\w? .*\b(street|st|road|rd|avenue|ave|lane|ln|drive|dr|blvd|way|place|court)\b"
    r"|\w+(straße|strasse|weg|platz|gasse) [0-9]+)",
    "number": r"^[A-Za-z]{0,4}[-_ ]?[0-9][0-9A-Za-z-]*$",
}
_SEXES = (
    frozenset(
        {"f", "w", "female", "woman", "women", "girl", "weiblich", "frau", "femme", "mujer", "femenino"}
    ),
    frozenset({"m", "male", "man", "men", "boy", "männlich", "mann", "homme", "hombre", "masculino"}),
)
_SEX = frozenset({"x", "d", "other", "diverse", "divers", "unknown", "nonbinary", "non-binary"}).union(
    *_SEXES
)
"""What columns of sexes say; alone, ``x`` and ``other`` say anything, so both of `_SEXES` are to be there."""
_MARITAL = frozenset(
    {"married", "single", "divorced", "widowed", "separated", "never married", "never-married"}
)
_ILLNESSES = (
    r"(?i)\b(cancer|carcinoma|diabetes|asthma|flu|influenza|hepatitis|hypertension|depression|pneumonia|hiv|aids|"
    r"bronchitis|migraine|epilepsy|dementia|schizophrenia|gastritis|ulcer|infarction|stroke|arthritis|anaemia|anemia|"
    r"tuberculosis|heart (disease|failure|attack))\b"
)


@dataclass(frozen=True)
class Contents:
    """What the distinct texts of a column look like.

    ``shares``: pattern to the share of the ``tried`` values that have it, where any has. ``length``, ``words``: means.
    ``equal_length``: number of characters where all texts have as many, else None.
    """

    shares: dict[str, float]
    tried: int
    length: float
    words: float
    equal_length: int | None

    def share(self, pattern: str) -> float:
        """Share of the values that have a pattern."""
        return self.shares.get(pattern, 0.0)


def look_at(texts: pl.Series) -> Contents:
    """Try all patterns on the distinct texts of a column, at least one; of many, on at most `MOST`, evenly spread."""
    lengths = texts.str.len_chars()
    shortest, longest = lengths.min(), lengths.max()
    tried = texts if len(texts) <= MOST else texts.gather_every(-(-len(texts) // MOST))
    plain = tried.str.strip_chars()
    shares = {name: float(plain.str.contains(pattern).sum()) for name, pattern in _PATTERNS.items()}
    lower = plain.str.to_lowercase()
    said = set(lower) if len(texts) <= len(_SEX) else set()
    shares["sex"] = float(lower.is_in(list(_SEX)).sum()) if all(said & own for own in _SEXES) else 0.0
    # A single room is no marital status.
    married = lower.filter(lower.is_in(list(_MARITAL)))
    shares["marital status"] = float(len(married)) if married.n_unique() > 1 else 0.0
    shares["illness"] = float(plain.str.contains(_ILLNESSES).sum())
    return Contents(
        {name: count / len(tried) for name, count in shares.items() if count},
        len(tried),
        float(lengths.cast(pl.Float64).sum()) / len(texts),
        float(plain.str.count_matches(r"\S+").cast(pl.Float64).sum()) / len(tried),
        int(longest) if shortest == longest and isinstance(longest, int) else None,
    )


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
_CODED = (97, 98, 99)
_LARGEST_CODE = 20
_FAR = 1.5
"""All nines, or eights, are a question when the next largest value times this is below them."""


@dataclass(frozen=True)
class Marker:
    """A cell that means, or may mean, a missing value, and why.

    ``text`` is as under ``missing.markers`` of a policy; where the proposed one has not ``declared`` it, it is a question.
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

    ``values``: (m,) distinct, ascending; ``counts``: (m,) int64, records of each.
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
    if are_codes(values):
        known = {i for i, _ in found}
        coded = np.flatnonzero(np.isin(numbers, _CODED)).tolist()
        found += [
            (i, "a code of surveys and registers, far above all others") for i in coded if i not in known
        ]
    return [Marker(_plain(numbers[i]), int(counts[i]), declared=False, why=why) for i, why in found]


def are_codes(values: pl.Series) -> bool:
    """Whether whole numbers (distinct, ascending) are small codes with 97, 98 or 99 among them, which registers give a meaning.

    >>> are_codes(pl.Series([1, 2, 97, 98])), are_codes(pl.Series([1, 2, 3])), are_codes(pl.Series([20, 45, 97]))
    (True, False, False)
    """
    numbers = values.cast(pl.Float64).to_numpy()
    coded = np.isin(numbers, _CODED)
    others = numbers[~coded]
    return bool(coded.any() and others.size > 1 and others.min() >= 0 and others.max() <= _LARGEST_CODE)


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
_TIMES, _LEAST = 5, 10
"""Times as often as any other day, and records, from which a day that programs write for a missing one stands out."""


def odd_days(values: pl.Series, counts: NDArray[np.int64]) -> list[Marker]:
    """Find days that programs write for a missing one.

    Those that stand out by their number are declared missing; others are asked about where they lie more than ten years before
    or after all other days. ``values``: (m,) distinct, ascending; ``counts``: (m,) int64, records of each.
    """
    days = values.to_numpy().astype("datetime64[D]")
    known = np.isin(days, [*_SENTINELS, *_LAST])
    inner = days[~known]
    if not inner.size:
        return []
    often = int(counts[~known].max())
    many = known & (counts >= max(_LEAST, _TIMES * often))
    odd = (np.isin(days, _SENTINELS) & (days < inner[0] - _DECADE)) | (
        np.isin(days, _LAST) & (days > inner[-1] + _DECADE)
    )
    far = "a day that programs write for a missing one, far from all others"
    frequent = "a day that programs write for a missing one, at least {:,} times as often there as any other"
    return [
        Marker(
            str(days[i]),
            int(counts[i]),
            declared=bool(many[i]),
            why=frequent.format(counts[i] // often) if many[i] else far,
        )
        for i in np.flatnonzero(odd | many)
    ]


def _plain(number: float) -> str:
    """Write a whole number without a point."""
    return str(int(number)) if float(number).is_integer() else repr(float(number))


NUMBERS = ("integer", "real")
_DIGITS = 17
_AMONG = {"integer": "whole numbers", "real": "numbers", "date": "dates"}


@dataclass(frozen=True, eq=False)
class Cells:
    """One column, read.

    ``kind``: ``integer``, ``real``, ``date``, ``moment`` (with a time of day), ``boolean`` or ``text``.
    ``codes``: (n,) int32, index into ``values`` of each record; -1 where the cell is missing.
    ``values``: the m distinct ones; for numbers and dates ascending. ``counts``: (m,) int64, records of each.
    ``markers``: what means, or may mean, a missing value; the empty cell and nulls are not listed.
    ``kind_to_declare``: what a policy must declare because the cells do not tell; None where they do. ``trouble`` says why,
    and ``remedy`` what would make it ``otherwise``, ``numbers`` or ``dates``: all of it if ``readable``, else only what is
    no text. Of dates that are read, ``trouble`` says in how many ways they are written; of texts, why they are no numbers.
    ``pointed``: whether its whole numbers are written with a decimal mark, such as ``1.0``.
    ``order``: of texts, the categories that the type of the column lists in order, and whether that is surely meant.
    ``unit``: of all its numbers, such as ``%``, where they are written with one.
    ``short_years``: whether any of its dates are written with two digits of the year.
    ``grouped``: the comma or point that separates its thousands, where nobody said so, and it can be nothing else.
    """

    name: str
    kind: str
    codes: NDArray[np.int32]
    values: pl.Series
    counts: NDArray[np.int64]
    markers: tuple[Marker, ...] = ()
    kind_to_declare: str | None = None
    trouble: str = ""
    remedy: str = ""
    otherwise: str = "numbers"
    pointed: bool = False
    readable: bool = False
    grouped: str | None = None
    short_years: bool = False
    unit: str | None = None
    order: tuple[tuple[str, ...], bool] | None = None

    @property
    def height(self) -> int:
        """All records."""
        return len(self.codes)

    @property
    def records(self) -> int:
        """Records that have a value."""
        return int(self.counts.sum())

    @property
    def missing(self) -> int:
        """Records without a value, declared markers included."""
        return self.height - self.records

    @property
    def distinct(self) -> int:
        """Different values."""
        return len(self.counts)

    @property
    def alone(self) -> int:
        """Records whose value no other record has."""
        return int(np.count_nonzero(self.counts == 1))

    @property
    def unique(self) -> float:
        """Share of the records with a value whose value no other record has."""
        return self.alone / self.records if self.records else 0.0

    @property
    def span(self) -> float | None:
        """From the smallest to the largest of numbers, or of dates in days; None for anything else."""
        if self.kind not in {"integer", "real", "date"} or not self.distinct:
            return None
        low, high = self.values[0], self.values[-1]
        return float((high - low).days if self.kind == "date" else high - low)

    @property
    def declared(self) -> tuple[str, ...]:
        """Markers a policy must declare for this column, beside the empty cell."""
        return tuple(marker.text for marker in self.markers if marker.declared)

    @cached_property
    def contents(self) -> Contents | None:
        """What the texts look like; None for other kinds, and without a value."""
        return look_at(self.values) if self.kind == "text" and self.distinct else None

    def take(self, rows: NDArray[np.int64]) -> Cells:
        """Take records, in any order and number; row -1 has no value. Values that none of them has are forgotten."""
        codes = np.append(self.codes, np.int32(-1))[rows]
        counts = np.bincount(codes + np.int32(1), minlength=self.distinct + 1)[1:]
        occurs = counts > 0
        if not occurs.all():
            fresh = np.append(np.cumsum(occurs, dtype=np.int32) - np.int32(1), np.int32(-1))
            codes = fresh[codes]
        return replace(self, codes=codes, values=self.values.filter(pl.Series(occurs)), counts=counts[occurs])

    def groups(self) -> NDArray[np.int32]:
        """(n,) Code of each record, the missing value being one of its own, the last."""
        return np.where(self.codes < 0, np.int32(self.distinct), self.codes) if self.missing else self.codes

    @property
    def radix(self) -> int:
        """Number of codes that `groups` has."""
        return self.distinct + (self.missing > 0)


def read_cells(table: Table, name: str) -> Cells:
    """Read one column; `TableError` where its cells cannot be read at all.

    >>> from likeness.tables import read
    >>> ages = read_cells(read(pl.DataFrame({"age": ["40", "31", "?", ""]})), "age")
    >>> ages.kind, ages.missing, ages.declared
    ('integer', 2, ('?',))
    """
    found = _read_cells(table, name)
    order = table.order(name) if found.kind == "text" else None
    if order is None:
        return found
    missing = {"", *found.declared}
    return replace(found, order=(tuple(one for one in order[0] if one not in missing), order[1]))


def _read_cells(table: Table, name: str) -> Cells:
    """Read one column, whatever order it has."""
    raw = table.raw(name).without(("",))  # it spares sorting millions of names
    values, counts = raw.values, raw.data.counts()
    if values.dtype == pl.Float64 and values.is_infinite().any():
        return _infinite(table, name, values, counts)
    if values.dtype == pl.String:
        return _texts(table, name, values, counts)
    return _finished(table, name, table.kind(name), (), ())


def _infinite(table: Table, name: str, values: pl.Series, counts: NDArray[np.int64]) -> Cells:
    """Numbers some of which are infinite: no interval holds them, so they are declared missing."""
    markers = _marked(
        values, counts, values.is_infinite().to_numpy(), declared=True, why="not a finite number"
    )
    return _finished(table, name, "real", markers, ())


def _texts(table: Table, name: str, values: pl.Series, counts: NDArray[np.int64]) -> Cells:
    """Text: numbers and dates are found in it; what stands among them is declared, or asked about."""
    is_word = worded(values, WORDS)
    blanks = _marked(values, counts, blank(values), declared=True, why="a blank cell")
    words = _marked(values, counts, is_word, declared=False, why="a usual word for a missing value")
    doubts = _marked(
        values, counts, worded(values, DOUBTFUL), declared=False, why="an answer, or a missing value"
    )
    kind, problem = _kind(table, name, blanks)
    # What no calendar has is missing only where days are read: first with it alone, then with words as well.
    filled = are_filled(values).to_numpy()
    for which, others in ((filled, [*words]), (is_word, []), (is_word | filled, [])):
        if (kind not in {None, "text"} and not (kind == "integer" and which is filled)) or not which.any():
            continue
        among = _marked(values, counts, which, declared=True, why="")
        typed, doubt = _kind(table, name, [*blanks, *among])
        if typed == "date" or (typed in _AMONG and not (which & filled).any()):
            why = {True: "is no day of the calendar", False: f"stands among {_AMONG[typed]}"}
            day = dict(zip(values, filled.tolist(), strict=True))
            blanks += [replace(marker, why=why[day[marker.text]]) for marker in among]
            kind, words, problem = typed, others, doubt
    found = _finished(table, name, kind or "text", blanks, [*words, *doubts])
    if kind:
        return found if problem is None else replace(found, trouble=problem.found)
    assert problem is not None  # noqa: S101  # there is a kind without one
    return replace(
        found,
        kind_to_declare="categorical",
        trouble="numbers and other texts are mixed" if problem.about == "mixed" else problem.found,
        remedy="correct the cells" if problem.about == "mixed" else problem.remedy,
        otherwise="dates" if problem.about == "dates" else "numbers",
        readable=problem.about != "mixed",
    )


def _kind(table: Table, name: str, markers: Sequence[Marker]) -> tuple[str | None, MixedError | None]:
    """Kind of a column once these markers are missing; None, and why, when it cannot be told."""
    missing = ("", *(marker.text for marker in markers))
    try:
        return table.kind(name, missing=missing), None
    except MixedError as problem:
        if problem.about == "dates" and _are_days(table, name, missing):
            return "date", problem
        return None, problem


def _are_days(table: Table, name: str, missing: Sequence[str]) -> bool:
    """Whether a column can be read as days once it is declared so: in several ways, none of which can be another day."""
    try:
        table.encode(name, missing=missing, kind="date")
    except TableError:
        return False
    return True


def _marked(
    values: pl.Series, counts: NDArray[np.int64], which: NDArray[np.bool_], *, declared: bool, why: str
) -> list[Marker]:
    """Markers of the values that are marked."""
    found = np.flatnonzero(which)
    return [Marker(str(values[int(i)]), int(counts[i]), declared=declared, why=why) for i in found]


def _finished(
    table: Table, name: str, kind: str, declared: Sequence[Marker], asked: Sequence[Marker]
) -> Cells:
    """Read the column with its declared markers missing."""
    missing = ("", *(marker.text for marker in declared))
    markers = (*declared, *asked)
    raw = table.raw(name).without(missing)
    unit = None
    if kind in NUMBERS and raw.values.dtype == pl.String:
        unit, raw = unit_of(raw.values), without_units(raw)
    if kind == "real" and raw.values.dtype == pl.Float64 and _are_whole(raw.values):
        kind = "integer"  # numbers that a null made floats
    pointed = (
        kind == "real" and raw.values.dtype == pl.String and _are_pointed(raw.values, raw.decimal or ".")
    )
    if pointed:
        kind = "integer"  # and that were written so
    if kind == "text" and raw.values.dtype == pl.String and raw.values.n_unique() == len(raw.values):
        return Cells(name, kind, raw.data.codes, raw.values, raw.data.counts(), markers)
    column = table.encode(name, missing=missing, kind=kind)
    if kind == "text":
        values = pl.Series(column.values.tolist(), dtype=pl.String)
        kind = "moment" if raw.values.dtype == pl.Datetime else "text"
    else:
        values = pl.Series(column.values)
    grouped = None
    if kind in NUMBERS:
        # A marker is the text of a cell, and of numbers with a unit that is another.
        markers = markers if unit else (*markers, *odd_numbers(values, column.counts()))
        if raw.values.dtype == pl.String and raw.thousands is None:
            grouped = sure_thousands(raw.values, raw.decimal)
    if kind == "date":
        odd = _as_written(odd_days(values, column.counts()), raw)
        told = [marker for marker in odd if marker.declared]
        if told:
            return _finished(table, name, kind, (*declared, *told), asked)
        markers = (*markers, *odd)
    short = kind == "date" and raw.values.dtype == pl.String and have_short_years(raw.values)
    return Cells(
        name,
        kind,
        column.codes,
        values,
        column.counts(),
        markers,
        pointed=pointed,
        grouped=grouped,
        short_years=short,
        unit=unit,
    )


def _as_written(markers: Sequence[Marker], raw: RawColumn) -> list[Marker]:
    """Write days as the column does, for a marker is compared with its cells: one marker for each way."""
    if not markers:
        return []
    days = convert(raw, "date").cast(pl.String).to_list()
    texts = (raw.values if raw.values.dtype == pl.String else raw.values.cast(pl.String)).to_list()
    counts = raw.data.counts()
    return [
        replace(marker, text=text, records=int(number))
        for marker in markers
        for day, text, number in zip(days, texts, counts, strict=True)
        if day == marker.text
    ]


def _are_pointed(texts: pl.Series, decimal: str) -> bool:
    """Whether all texts are whole numbers, some with a decimal mark, small enough to be exact."""
    whole = are_whole_with_point(texts, decimal)
    longest = texts.str.len_chars().max()
    return bool((whole | are_integers(texts)).all()) and isinstance(longest, int) and longest <= _DIGITS


def _are_whole(values: pl.Series) -> bool:
    """Whether all reals are whole numbers, small enough to be exact."""
    return len(values) > 0 and bool(((values == values.floor()) & (values.abs() < 2.0**53)).all())
