"""What a profile says about one column.

Columns that say the same as others: one-to-one, or determined by another one.

A dependency is only reported when it holds without exception; a sample of records that contradicts it settles
that it does not, and what the sample leaves open is tried on all records.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.profiling import meaning as words
from likeness.profiling.cells import NUMBERS
from likeness.profiling.meaning import MANY, settings_of
from likeness.report.finding import Finding
from likeness.tables.dates import CENTURY
from likeness.tables.kinds import MARK_NAMES
from likeness.tables.spelling import are_formulas
from likeness.wording import count, quoted

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from likeness.profiling.cells import Cells, Marker
    from likeness.profiling.meaning import Meaning
    from likeness.profiling.reach import StrongestParameters

_SAMPLE = 4096
_PER_VALUE = 5
"""Records per value of a column from which it may be said to determine others: fewer determine anything."""
_OTHERWISE = 20
"""Records beside the most frequent value that a determined column must have: else it is chance."""


@dataclass(frozen=True)
class Link:
    """Column ``by`` determines ``column``; where ``both_ways``, this determines it too: they say the same."""

    by: str
    column: str
    both_ways: bool

    def __str__(self) -> str:
        """Say it in words."""
        if self.both_ways:
            return f"{self.column!r} and {self.by!r} say the same, value by value"
        return f"{self.by!r} determines {self.column!r}"

    def to_mapping(self) -> dict[str, Any]:
        """Write it as JSON can hold it."""
        return {"by": self.by, "column": self.column, "one_to_one": self.both_ways}


def find_links(columns: Mapping[str, Cells], rows: NDArray[np.int64] | None = None) -> tuple[Link, ...]:
    """Find columns that determine others, in the order of the columns.

    Of two that say the same, the one to keep determines: text rather than numbers, else the first. ``rows``: records to
    look at, one of each person where people have several; None for all.
    """
    taken = {
        name: cells.groups() if rows is None else cells.groups()[rows] for name, cells in columns.items()
    }
    counts = {name: np.bincount(codes, minlength=columns[name].radix) for name, codes in taken.items()}
    able = [name for name, own in counts.items() if _may_determine(own)]
    fit = [name for name, own in counts.items() if own.sum() - own.max() >= _OTHERWISE]
    found = {
        (a, b)
        for a, b in permutations(columns, 2)
        if a in able and b in fit and len(counts[a]) >= np.count_nonzero(counts[b])
        and _determines(taken[a], taken[b], len(counts[a]))
    }  # fmt: skip
    links = []
    for a, b in permutations(columns, 2):
        if (a, b) not in found:
            continue
        both = (b, a) in found
        if not both or a == _kept(columns[a], columns[b], list(columns)):
            links.append(Link(a, b, both))
    return tuple(links)


def determined_by(cells: Cells, columns: Mapping[str, Cells]) -> list[str]:
    """List the columns that one determines, looking at all records."""
    own = cells.groups()
    if not _may_determine(np.bincount(own, minlength=cells.radix)):
        return []
    return [
        name
        for name, other in columns.items()
        if name != cells.name
        and other.height - int(np.bincount(other.groups()).max()) >= _OTHERWISE
        and _determines(own, other.groups(), cells.radix)
    ]


def _may_determine(counts: NDArray[np.int64]) -> bool:
    """Whether a column has several values, and enough records of each."""
    values = int(np.count_nonzero(counts))
    return values > 1 and int(counts.sum()) >= _PER_VALUE * values


def _determines(a: NDArray[np.int32], b: NDArray[np.int32], values: int) -> bool:
    """Whether records with equal a have equal b."""
    step = max(1, len(a) // _SAMPLE)
    for own, other in ((a[::step], b[::step]), (a, b)):
        last = np.empty(values, np.int32)
        last[own] = other
        if not np.array_equal(last[own], other):
            return False
    return True


def _kept(a: Cells, b: Cells, order: Sequence[str]) -> str:
    """Of two columns that say the same, the one to keep."""
    if (a.kind in NUMBERS) != (b.kind in NUMBERS):
        return b.name if a.kind in NUMBERS else a.name
    return min(a.name, b.name, key=order.index)


_EXACT = 0.05
"""Share of records alone with a sensitive number from which its being published exactly is warned of."""
_FEW = 5
PUBLISHED = ("quasi", "sensitive")


@dataclass(frozen=True)
class ColumnProfile:
    """What a profile says about one column.

    ``kind``: as in `Cells`. ``records``, ``missing``: records with a value, and without one (declared markers included).
    ``distinct``: different values; ``alone``: records whose value no other record has.
    ``looks_like``: what it probably is, in a word or two. ``role``, ``reason``: proposed or given, and why, in a sentence.
    ``settings``: the column as the proposed policy has it. ``markers``: cells that mean, or may mean, a missing value.
    ``links``: in words, columns that say the same, determine it or are determined.
    ``findings``: what the steward should look at; ``warnings`` has it in words.
    ``span``: as in `Cells`; None where the policy takes numbers for categories.
    """

    name: str
    kind: str
    records: int
    missing: int
    distinct: int
    alone: int
    looks_like: str
    role: str
    reason: str
    settings: dict[str, Any]
    markers: tuple[Marker, ...] = ()
    links: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    span: float | None = None

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the steward should look at, in words."""
        return tuple(map(str, self.findings))

    @property
    def unique(self) -> float:
        """Share of the records with a value whose value no other record has."""
        return self.alone / self.records if self.records else 0.0

    @property
    def is_published(self) -> bool:
        """Whether the release has the column."""
        return self.role in {*PUBLISHED, "other"}

    @property
    def questions(self) -> tuple[str, ...]:
        """What may mean a missing value and is not declared, as questions."""
        return tuple(
            f"does {quoted(marker.text)} ({count(marker.records, 'record')}) mean a missing value? it is {marker.why}"
            for marker in self.markers
            if not marker.declared
        )

    def to_mapping(self) -> dict[str, Any]:
        """Write it as JSON can hold it."""
        return {
            "name": self.name,
            "kind": self.kind,
            "records": self.records,
            "missing": self.missing,
            "distinct": self.distinct,
            "alone": self.alone,
            "looks_like": self.looks_like,
            "role": self.role,
            "reason": self.reason,
            "settings": self.settings,
            "markers": [marker.to_mapping() for marker in self.markers],
            "links": list(self.links),
            "warnings": list(self.warnings),
        }


def share(part: int, whole: int) -> str:
    """Write a share in percent that never rounds something to nothing, nor nearly all to all.

    >>> share(1, 100_000), share(99_999, 100_000), share(1, 8), share(0, 9)
    ('under 0.1 %', 'over 99.9 %', '12.5 %', '0 %')
    """
    if part in {0, whole} or not whole:
        return "0 %" if part == 0 else "100 %"
    percent = 100 * part / whole
    return "under 0.1 %" if percent < 0.1 else "over 99.9 %" if percent > 99.9 else f"{percent:.1f} %"


def redundant(
    links: Iterable[Link],
    meanings: Mapping[str, Meaning],
    reaches: Mapping[str, StrongestParameters],
    given: Collection[str] = (),
) -> dict[str, str]:
    """Find columns to drop because others say the same or tell a sensitive value: name to why; those ``given`` stay."""
    found: dict[str, str] = {}
    # What tells a sensitive value goes first: nothing else goes for the sake of a column that goes itself.
    for link in sorted(links, key=lambda link: meanings[link.column].role != "sensitive"):
        goes, why = _needless(link, meanings, reaches)
        stays = link.by if goes == link.column else link.column
        if goes is not None and goes not in given and stays not in found:
            found.setdefault(goes, f"{link}{why}")
    return found


def _needless(
    link: Link, meanings: Mapping[str, Meaning], reaches: Mapping[str, StrongestParameters]
) -> tuple[str | None, str]:
    """Which of two linked columns to drop, if any, and why."""
    roles = meanings[link.by].role, meanings[link.column].role
    if roles == ("quasi", "sensitive"):
        return link.by, ", which is sensitive: whoever knows the one knows the other"
    if roles == ("sensitive", "quasi"):
        return (link.column, f", and {link.by!r} is sensitive") if link.both_ways else (None, "")
    if roles == ("sensitive", "sensitive"):
        finer = not link.both_ways and reaches[link.column].suits_beta and not reaches[link.by].suits_beta
        return link.by if finer else link.column, ": one of two sensitive columns is enough"
    return link.column, ": it tells nothing more"


def describe(
    cells: Cells, meaning: Meaning, given: str | None, dropped: str | None, links: Iterable[Link]
) -> ColumnProfile:
    """Put together what is said about one column.

    ``given``: the role the steward gave, if any, which decides. ``dropped``: why the column is redundant, if it is.
    """
    role, reason = meaning.role, meaning.reason
    if given is not None:
        role, reason = given, "as given" if given == role else f"as given; proposed was {role}: {reason}"
    elif dropped is not None:
        role, reason = "drop", dropped
    own = tuple(str(link) for link in links if cells.name in {link.by, link.column})
    found = ColumnProfile(
        cells.name, cells.kind, cells.records, cells.missing, cells.distinct, cells.alone, meaning.looks_like,
        role, reason, _settings(cells, meaning, role), cells.markers, own,
    )  # fmt: skip
    numeric = found.settings.get("kind") != "categorical" and "hierarchy" not in found.settings
    span = cells.span if numeric else None
    return replace(found, findings=tuple(_findings(cells, meaning, role)), span=span)


def _settings(cells: Cells, meaning: Meaning, role: str) -> dict[str, Any]:
    """Write the column as a policy has it."""
    if role not in PUBLISHED:
        return {"role": role}
    own = meaning.settings if meaning.role == role else settings_of(cells)
    found: dict[str, Any] = {"role": role, **own}
    if cells.declared:
        found["missing"] = {"markers": ["", *cells.declared], "policy": "category"}
    elif cells.missing:
        found["missing"] = {"policy": "category"}
    return found


def _findings(cells: Cells, meaning: Meaning, role: str) -> list[Finding]:
    """What the steward should look at."""
    found = [] if meaning.finding is None else [meaning.finding]
    if role in PUBLISHED and not cells.distinct:
        found.append(Finding("empty", {}, "every cell is missing: give it role: drop".format))
    codes = (
        words.has(cells.name, words.CODED) and not cells.readable
    )  # with letters in some of them, as codes have
    if cells.kind_to_declare is not None and not codes and (role in PUBLISHED or cells.readable):
        becomes = "declared categorical" if role in PUBLISHED else "taken for text"
        facts = {
            "trouble": cells.trouble, "becomes": becomes, "remedy": cells.remedy, "otherwise": cells.otherwise,
        }  # fmt: skip
        sentence = "{trouble}, so it is {becomes}; {remedy} to treat it as {otherwise}"
        found.append(Finding("kind-not-told", facts, sentence.format))
    if role in PUBLISHED and cells.kind == "date" and cells.trouble:
        sentence = "{trouble}; each is read as the one day it can be, and published as YYYY-MM-DD"
        found.append(Finding("days-in-several-ways", {"trouble": cells.trouble}, sentence.format))
    if role in PUBLISHED and cells.unit is not None and cells.kind in NUMBERS:
        sentence = (
            "its numbers are written with {unit}, and read and published without: say so beside the release"
        )
        found.append(Finding("unit-found", {"unit": cells.unit}, sentence.format))
    if role in PUBLISHED and cells.short_years:
        sentence = "its years have two digits: they are read as {first} to {last}, and published with four"
        found.append(
            Finding("two-digit-years", dict(zip(("first", "last"), CENTURY, strict=True)), sentence.format)
        )
    if cells.kind == "text" and cells.trouble and cells.kind_to_declare is None:
        facts = {"trouble": cells.trouble, "remedy": cells.remedy}
        found.append(Finding("decimal-commas", facts, "{trouble}: {remedy}".format))
    if role in PUBLISHED and cells.grouped is not None:
        facts = {"mark": cells.grouped, "called": MARK_NAMES[cells.grouped]}
        sentence = "its thousands are separated by {called}, which can be nothing else: they are read, and published without"
        found.append(Finding("thousands-found", facts, sentence.format))
    if role in PUBLISHED and words.has(cells.name, words.CODED):
        found += _about_codes(cells)
    if role in PUBLISHED and cells.pointed:
        found += _about_points(meaning.settings if meaning.role == role else settings_of(cells))
    if role in {*PUBLISHED, "other"}:
        found += _about_texts(cells, role)
    if role == "sensitive" and cells.kind in NUMBERS and cells.unique >= _EXACT and cells.records >= MANY:
        found.append(
            Finding("numbers-of-their-own", {"alone": cells.alone, "records": cells.records}, _own_numbers)
        )
    if role == "other":
        found += _identifying(cells, meaning)
    return found


def _about_codes(cells: Cells) -> list[Finding]:
    """Say that some codes may have got a decimal place: those of a column in which no other digit follows a point."""
    if cells.kind != "text" or not cells.distinct:
        return []
    pointed = cells.values.str.contains(r"^[0-9]+\.0$")
    if not pointed.any() or cells.values.str.contains(r"^[0-9]+\.[0-9]*[1-9]").any():
        return []
    facts = {
        "cells": int(cells.counts[pointed.to_numpy()].sum()), "example": cells.values.filter(pointed)[0],
    }  # fmt: skip
    return [Finding("codes-perhaps-with-points", facts, _perhaps_points)]


def _perhaps_points(*, cells: int, example: str) -> str:
    """Say which codes may be others."""
    written = f"{count(cells, 'code')} {'is' if cells == 1 else 'are'} written like {quoted(example)}"
    return (
        f"{written}, among codes that are no numbers: a program may have taken {quoted(example.removesuffix('.0'))} for one; "
        "correct the table where it did"
    )


def _own_numbers(*, alone: int, records: int) -> str:
    """Say how many records a number tells from all others."""
    return (
        f"{share(alone, records)} of the records have a number of their own, which is published exactly: whoever knows it finds "
        "the record; round it"
    )


def _about_points(settings: Mapping[str, Any]) -> list[Finding]:
    """Say what becomes of whole numbers that are written like 1.0; nothing where they are grouped anyhow."""
    written = "written like 1.0, as pandas does where cells are missing"
    if settings.get("kind") == "integer":
        sentence = f"its whole numbers are {written}: it is declared integer, and published as 1"
        return [Finding("numbers-written-with-points", {}, sentence.format)]
    if settings.get("kind") == "categorical" or "prefix" in settings.get("hierarchy", {}):
        sentence = f"its codes are {written}: they are read as 1, and published so"
        return [Finding("codes-written-with-points", {}, sentence.format)]
    return []


def _about_texts(cells: Cells, role: str) -> list[Finding]:
    """Say which texts would run in a spreadsheet, and which are spelled in several ways."""
    if cells.kind != "text" or not cells.distinct:
        return []
    found = []
    formulas = are_formulas(cells.values)
    if formulas.any():
        number = int(cells.counts[formulas.to_numpy()].sum())
        facts = {"cells": number, "example": cells.values.filter(formulas)[0]}
        found.append(Finding("formulas", facts, _formulas))
    if role in PUBLISHED:
        bare = cells.values.str.strip_chars().str.to_lowercase()
        alike = cells.values.filter(bare.is_duplicated()).gather(bare.filter(bare.is_duplicated()).arg_sort())
        if len(alike):
            facts = {"alike": len(alike), "values": cells.distinct, "examples": [alike[0], alike[1]]}
            found.append(Finding("spellings", facts, _spellings))
    return found


def _formulas(*, cells: int, example: str) -> str:
    """Say how many cells are formulas."""
    begins = "begins as a formula does" if cells == 1 else "begin as formulas do"
    return (
        f"{count(cells, 'cell')} {begins}, such as {quoted(example)}, which a spreadsheet program may run: say output: "
        "{formulas: escape}, or correct the table"
    )


def _spellings(*, alike: int, values: int, examples: Sequence[str]) -> str:
    """Say how many values are spelled in several ways."""
    return (
        f"{alike:,} of {count(values, 'value')} differ from another only in capital letters or blanks, such as "
        f"{quoted(examples[0])} and {quoted(examples[1])}, and count as different ones: write each in one way"
    )


def _identifying(cells: Cells, meaning: Meaning) -> list[Finding]:
    """Why a column that is published as it is could identify people."""
    few = int(cells.counts[cells.counts < _FEW].sum())
    known = words.find(cells.name, words.QUASI) or meaning.looks_like not in {
        "number",
        "category",
        "constant",
    }
    if meaning.role == "identifier" or meaning.looks_like in {"free text", "unique text", "unique number"}:
        sentence = "published as it is, it would identify people: {reason}"
        return [Finding("would-identify", {"reason": meaning.reason}, sentence.format)]
    if few:
        return [Finding("few-share-a-value", {"fewer_than": _FEW, "records": few}, _few_share)]
    if known:
        sentence = "published as it is, it could identify people who are known by their {looks_like}"
        return [Finding("others-know-it", {"looks_like": meaning.looks_like}, sentence.format)]
    return []


def _few_share(*, fewer_than: int, records: int) -> str:
    """Say how many records have a value that few share."""
    return f"published as it is, it could identify people: fewer than {fewer_than} share the value of {count(records, 'record')}"
