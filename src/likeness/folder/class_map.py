"""``classes.parquet``: what became of every row of the original. Private.

A class map is checked against itself and against what was published.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.errors import Refusal, TableError
from likeness.forms.base import as_labelled
from likeness.microdata.individuals import rows_of
from likeness.microdata.plan import Reason
from likeness.tables import Labelled, read_published, write
from likeness.wording import count, quoted

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

    from likeness.forms.base import Publication
    from likeness.release import Release

STATUS = ("published", "withheld", "dropped")
PUBLISHED, WITHHELD, DROPPED = range(3)
INVENTED = "invented"
"""Status of rows behind those of the original: records that nobody is; their ``row`` is the one that they copy."""
_COLUMNS = ("row", "status", "class", "published_row", "reason")
NOT_SAID = Reason("not-said", "not said")
"""Why rows are not published where nothing says why."""
_FURTHER = ("bucket", "person", "added")
"""Columns that only some class maps have, in this order."""


@dataclass(frozen=True, eq=False)
class ClassMap:
    """What became of the N rows of an original, in their order.

    ``status``: (N,) int8, position in `STATUS`.
    ``classes``: (N,) int64, equivalence class; -1 for rows that are not published.
    ``published_row``: (N,) int64, position in the first published table, from 0; -1 for rows that are not published. That of
    the person, where the rows of that table are people.
    ``reason``: (N,) int32, position in ``reasons``: why rows were withheld or dropped, the empty text for published ones.
    ``buckets``: (N,) int64, in forms where buckets differ from the classes; else None.
    ``persons``: (N,) int64, number of the individual, where people may have several records; -1 for dropped rows.
    Individuals who are published have the number they are published under, if they are published under any.
    ``added``: (N,) bool, rows that are no records of the original, but people of the first of two tables who have none in
    the second; None where there are none.
    ``copies``: (a,) int64, of each published record that nobody is the row whose quasi-identifiers it copies, and whose class
    and bucket it is in; ``copies_row``: (a,) int64, its position in the first published table. None where there are none.
    """

    status: NDArray[np.int8]
    classes: NDArray[np.int64]
    published_row: NDArray[np.int64]
    reason: NDArray[np.int32]
    reasons: tuple[str, ...]
    buckets: NDArray[np.int64] | None = None
    persons: NDArray[np.int64] | None = None
    added: NDArray[np.bool_] | None = None
    copies: NDArray[np.int64] | None = None
    copies_row: NDArray[np.int64] | None = None

    @property
    def height(self) -> int:
        """Rows of the original."""
        return int(self.status.shape[0])

    @property
    def published(self) -> NDArray[np.int64]:
        """Rows of the original that are published, ascending."""
        return np.flatnonzero(self.status == PUBLISHED)

    @cached_property
    def original_row(self) -> NDArray[np.int64]:
        """(n,) Row of the original that each published record was made from, or copies quasi-identifiers of, by published row."""
        rows, places = self.published, self.places
        if int(places.max(initial=-1)) + 1 < places.size:
            # Rows are people, with several records each.
            return np.asarray(rows[np.argsort(places, kind="stable")])
        found = np.empty(places.size, np.int64)
        found[places] = rows if self.copies is None else np.append(rows, self.copies)
        return found

    @property
    def places(self) -> NDArray[np.int64]:
        """(published,) Published row of each row of the original that has one, then of each record that nobody is."""
        own = self.published_row[self.published]
        return own if self.copies_row is None else np.append(own, self.copies_row)

    @cached_property
    def invented(self) -> NDArray[np.bool_] | None:
        """(published,) Which published rows are nobody's; None where all are somebody's."""
        if self.copies_row is None:
            return None
        found = np.zeros(self.places.size, np.bool_)
        found[self.copies_row] = True
        return found

    @property
    def row_of_record(self) -> NDArray[np.int64]:
        """(n,) Published row of each published record, ascending."""
        return np.sort(self.places)

    def counts(self) -> dict[str, Any]:
        """Account for every record: input = published - added + withheld + dropped, by reason.

        People without records are none of the input: where they are published, with a row that says so, that row is added. So are
        records that nobody is, of which ``invented`` says how many, where there are any.
        """
        records = np.ones(self.height, np.bool_) if self.added is None else ~self.added
        found: dict[str, Any] = {"input": int(records.sum()), "published": int(self.places.size)}
        for status in (WITHHELD, DROPPED):
            found[STATUS[status]] = self._by_reason((self.status == status) & records)
        without = int(np.count_nonzero(~records[self.published]))
        if self.copies is None:
            return found | {"added": without}
        return found | {"added": without + self.copies.size, INVENTED: int(self.copies.size)}

    @property
    def withheld_because(self) -> dict[str, int]:
        """Reason to the number of rows withheld, whatever they are."""
        return self._by_reason(self.status == WITHHELD)

    def _by_reason(self, rows: NDArray[np.bool_]) -> dict[str, int]:
        """Count some rows by reason."""
        numbers = np.bincount(self.reason[rows], minlength=len(self.reasons))
        return {self.reasons[i]: int(numbers[i]) for i in np.flatnonzero(numbers)}

    def columns(self) -> dict[str, Any]:
        """Lay out the columns of the file."""
        own, status, row = np.arange(self.height, dtype=np.int64), self.status.astype(np.int32), None
        labels, published_row = list(STATUS), self.published_row
        if self.copies is not None and self.copies_row is not None:
            labels, row = [*STATUS, INVENTED], np.append(own, self.copies)
            status = np.append(status, np.full(self.copies.size, len(STATUS), np.int32))
            published_row = np.append(published_row, self.copies_row)
        of = own if row is None else row
        found: dict[str, Any] = {
            "row": of,
            "status": Labelled(status, labels),
            "class": self.classes[of],
            "published_row": published_row,
            "reason": Labelled(self.reason[of], list(self.reasons)),
        }
        added = None if self.added is None else self.added.astype(np.int64)
        further = {"bucket": self.buckets, "person": self.persons, "added": added}
        return found | {name: numbers[of] for name, numbers in further.items() if numbers is not None}


def class_map_of(release: Release) -> ClassMap:
    """Make the class map of a release that knows its original."""
    private = release.private
    encoded, plan = private.encoded, private.solution.plan
    rows, height = encoded.data.rows, encoded.table.height
    dropped, withheld = list(encoded.because), list(plan.because)
    reasons = ("", *map(str, (*withheld, *dropped, NOT_SAID)))
    status = np.full(height, DROPPED, np.int8)
    status[rows] = np.where(plan.published, PUBLISHED, WITHHELD)
    reason = np.full(height, len(reasons) - 1, np.int32)
    if encoded.reasons is not None:
        known = encoded.reasons >= 0
        reason[known] = 1 + len(withheld) + encoded.reasons[known]
    numbers = plan.reason_of.astype(np.int64)
    reason[rows] = np.where(plan.published, 0, np.where(numbers < 0, len(reasons) - 1, 1 + numbers))
    classes = np.full(height, -1, np.int64)
    classes[rows] = plan.classes
    published_row = np.full(height, -1, np.int64)
    of_record = private.rows[next(iter(release.columns))]
    own = of_record >= 0
    published_row[rows[of_record[own]]] = np.flatnonzero(own)
    if release.publication.rows is not None:
        kept = plan.published
        published_row[rows[kept]] = rows_of(encoded.data, of_record)[kept]
    buckets = None
    if plan.buckets is not None:
        buckets = np.full(height, -1, np.int64)
        buckets[rows] = plan.buckets
    persons = _persons(release)
    found = ClassMap(
        status, classes, published_row, reason, reasons, buckets, persons, encoded.without_records
    )
    if plan.added is None:
        return found
    copies_row = np.empty(plan.added.size, np.int64)
    copies_row[-1 - of_record[~own]] = np.flatnonzero(~own)
    return replace(found, copies=rows[plan.added.of], copies_row=copies_row)


def counts_of(release: Release, found: ClassMap | None = None) -> dict[str, Any]:
    """Account for every record of the original of a release, as `ClassMap.counts`; once.

    ``found`` is its class map, where it was made already.
    """

    def counted() -> dict[str, Any]:
        return (found or class_map_of(release)).counts()

    return release.evaluation.once("counts", counted)


def _persons(release: Release) -> NDArray[np.int64] | None:
    """(N,) Number of the individual of every row of the original, from 1."""
    private = release.private
    data = private.encoded.data
    if data.individuals is None:
        return None
    people = int(data.individuals.max(initial=-1)) + 1
    numbers = np.full(people, -1, np.int64)
    main = next(iter(release.columns))
    if release.publication.persons is not None:
        shown = as_labelled(release.columns[main]["person"])
        of_row = np.array([int(label) for label in shown.labels], np.int64)[shown.codes]
        numbers[data.individuals[private.rows[main]]] = of_row
    without = np.flatnonzero(numbers < 0)
    numbers[without] = max(0, int(numbers.max(initial=-1))) + 1 + np.arange(without.size)
    found = np.full(private.encoded.table.height, -1, np.int64)
    found[data.rows] = numbers[data.individuals]
    return found


def write_class_map(found: ClassMap, path: Path) -> None:
    """Write a class map as Parquet; raises `OutputError` where the file cannot be written."""
    write(found.columns(), path, "parquet")


def read_class_map(path: Path, label: str) -> ClassMap:
    """Read a class map; raises `TableError` where it is damaged, or not as `write_class_map` leaves it.

    ``label`` is what messages call the file. Whether it agrees with itself is left to `own_problems`.
    """
    table = read_published(path)
    further = table.names[len(_COLUMNS) :]
    if table.names[: len(_COLUMNS)] != _COLUMNS or further != tuple(
        name for name in _FURTHER if name in further
    ):
        raise TableError(f"{label}: its columns are {', '.join(table.names)}, not {', '.join(_COLUMNS)}")
    status = table.encode("status", missing=(), kind="text")
    reason = table.encode("reason", missing=(), kind="text")
    frame, height = table.held, table.height
    del table
    row = numbers_of(frame, "row", label)
    invented = np.array([value == INVENTED for value in status.values] + [False], np.bool_)[status.codes]
    height -= int(invented.sum())
    if not np.array_equal(row[:height], np.arange(height)) or invented[:height].any():
        own = row[:height] != np.arange(height)
        wrong = int(np.argmax(own | invented[:height]))
        raise TableError(
            f"{label}: row {wrong + 1} of the original is not in its place; a row was taken out or moved"
        )
    classes, published_row = (numbers_of(frame, name, label) for name in ("class", "published_row"))
    others = {name: numbers_of(frame, name, label) for name in further}
    copies, copies_row = row[height:], published_row[height:]
    if copies.size:
        _check_copies(copies, height, {"class": classes, **others}, label)
    del row
    published_row, classes = published_row[:height], classes[:height]
    others = {name: numbers[:height] for name, numbers in others.items()}
    for name, numbers in {"class": classes, **others}.items():
        # There are no more classes or buckets than records; larger numbers would only exhaust the memory.
        least, most = (0, 1) if name == "added" else (-1, height - (name != "person"))
        outside = np.flatnonzero((numbers < least) | (numbers > most))
        if outside.size and name == "added":
            raise TableError(
                f"{label}: the column 'added' holds {int(numbers[outside[0]])}; it is 1 for people without records, else 0"
            )
        if outside.size:
            number, wrong = int(numbers[outside[0]]), int(outside[0])
            raise TableError(
                f"{label}: row {wrong + 1} of the original is said to be in the {name} {number}, which cannot be"
            )
    unknown = [str(value) for value in status.values if value not in {*STATUS, INVENTED}]
    if unknown or status.missing:
        raise TableError(f"{label}: {quoted(unknown[0] if unknown else 'null')} is not a status")
    places = np.array([(*STATUS, INVENTED).index(str(value)) for value in status.values], np.int8)
    if reason.missing:
        raise TableError(f"{label}: the column 'reason' holds null")
    return ClassMap(
        places[status.codes[:height]],
        classes,
        published_row,
        reason.codes[:height],
        tuple(map(str, reason.values)),
        others.get("bucket"),
        others.get("person"),
        others["added"] == 1 if "added" in others else None,
        copies if copies.size else None,
        copies_row if copies.size else None,
    )


def _check_copies(
    copies: NDArray[np.int64], height: int, told: dict[str, NDArray[np.int64]], label: str
) -> None:
    """Refuse invented records that copy no row of the original, or are said to be elsewhere than what they copy."""
    strange = np.flatnonzero((copies < 0) | (copies >= height))
    if strange.size:
        raise TableError(
            f"{label}: an invented record copies the row {int(copies[strange[0]]) + 1}, which is not there"
        )
    for name, numbers in told.items():
        elsewhere = np.flatnonzero(numbers[height:] != numbers[copies])
        if elsewhere.size:
            one = int(elsewhere[0])
            raise TableError(
                f"{label}: the invented record {one} is not in the {name} of row {int(copies[one]) + 1}, which it copies"
            )


def numbers_of(frame: Any, name: str, label: str) -> NDArray[np.int64]:
    """Take a column of whole numbers out of a frame."""
    column = frame.drop_in_place(name)
    if not column.dtype.is_integer() or column.null_count():
        raise TableError(f"{label}: the column {name!r} must hold a whole number for every row")
    return np.asarray(column.to_numpy(), np.int64)


SHOWN = 3


def listed(rows: NDArray[np.int64], name: Callable[[int], str] = str) -> str:
    """Name the first few rows, and how many more there are: ``4, 7, 9 and 2 more``."""
    shown = ", ".join(name(int(row)) for row in rows[:SHOWN])
    return shown if rows.size <= SHOWN else f"{shown} and {rows.size - SHOWN} more"


def of_original(rows: NDArray[np.int64]) -> str:
    """Name the first few rows of the original as people count them, from 1; they are kept from 0.

    >>> of_original(np.array([0, 4]))
    'row 1, 5 of the original'
    """
    return f"row {listed(rows + 1)} of the original"


def own_problems(found: ClassMap, label: str, *, of_people: bool = False) -> list[Refusal]:
    """Say where a class map contradicts itself; ``label`` is what messages call it, ``of_people``: published rows are people."""
    published = found.status == PUBLISHED
    empty = np.array([reason == "" for reason in found.reasons], np.bool_)[found.reason]
    rules = {
        "has a class, though it is not published, or none, though it is": published != (found.classes >= 0),
        "has a published row, though it is not published, or none, though it is": published
        != (found.published_row >= 0),
        "is not published and no reason is given, or is published and one is given": published != empty,
    }
    if found.persons is not None:
        rules["has no person, though it is not dropped, or one, though it is"] = (
            found.status == DROPPED
        ) != (found.persons < 0)
    if found.buckets is not None:
        rules["has a bucket, though it is not published, or none, though it is"] = published != (
            found.buckets >= 0
        )
    problems = [
        Refusal(what, (label,), about=of_original(np.flatnonzero(broken)))
        for what, broken in rules.items()
        if broken.any()
    ]
    if problems:
        return problems
    rows, places = found.published, found.places
    if found.copies is not None:
        if not published[found.copies].all():
            what = "is said to be copied by an invented record, and is not published"
            row = found.copies[~published[found.copies]]
            return [Refusal(what, (label,), about=of_original(row))]
        rows = np.append(rows, found.copies)
    if of_people:
        if found.persons is None:
            return [Refusal("the column 'person' is missing; published rows are people", (label,))]
        # One record stands for each person.
        _, first = np.unique(found.persons[rows], return_index=True)
        several = places != _first_of(found.persons[rows], places)
        rows, places = rows[first], places[first]
        if several.any():
            what = "is said to be published in another row than others of its person"
            return [Refusal(what, (label,), about=of_original(found.published[several]))]
    wrong = (places >= rows.size) | (places < 0)
    if wrong.any() or (np.bincount(places, minlength=rows.size) != 1).any():
        _, first = np.unique(places, return_index=True)
        twice = np.ones(rows.size, np.bool_)
        twice[first] = False
        wrong |= twice
        what = "is said to be published in a row that another one has, or that is not there"
        problems.append(Refusal(what, (label,), about=of_original(rows[wrong])))
    return problems


def _place_of(where: Callable[[int], str], row: NDArray[np.int64], record: int) -> str:
    """Name the place of the published row of a record."""
    return where(int(row[record]))


def _first_of(groups: NDArray[np.int64], numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """(n,) The first number of each one's group."""
    _, first, of = np.unique(groups, return_index=True, return_inverse=True)
    return np.asarray(numbers[first][of.reshape(-1)])


def class_problems(
    found: ClassMap, publication: Publication, label: str, where: Callable[[int], str]
) -> list[Refusal]:
    """Say which published rows are not in the class, bucket or individual that the map says.

    The map must agree with itself (`own_problems`). For messages, ``label`` is the map's name and ``where`` names the place
    of a published row.
    """
    rows = found.places
    if rows.size != publication.size:
        what = f"it knows {count(rows.size, 'published row')}; published are {publication.size:,}"
        return [Refusal(what, (label,))]
    order = found.original_row
    problems: list[Refusal] = []
    if publication.rows is not None:
        row = found.row_of_record
        problems = _dealing_problems(row, publication, label)
        if problems:
            return problems
        publication, where = publication.dealt(row), partial(_place_of, where, row)
    if (found.persons is None) and publication.persons is not None:
        problems.append(Refusal("the column 'person' is missing; persons are published", (label,)))
    elif found.persons is not None and publication.persons is not None:
        problems = _partition_problems(found.persons[order], publication.persons, "person", label, where)
    if found.buckets is None:
        return problems + _partition_problems(
            found.classes[order], publication.classes, "class", label, where
        )
    return [
        *problems,
        *_partition_problems(found.classes[order], publication.identities, "class", label, where),
        *_partition_problems(found.buckets[order], publication.classes, "bucket", label, where),
    ]


def _dealing_problems(row: NDArray[np.int64], publication: Publication, label: str) -> list[Refusal]:
    """Say which buckets do not have as many records as the map says; ``row`` (n,) is whose each record is, after the map."""
    assert publication.rows is not None  # noqa: S101  # asked of such releases alone
    people = int(publication.rows.max(initial=-1)) + 1
    if int(row.max(initial=-1)) + 1 != people:
        what = f"it knows {count(int(row.max(initial=-1)) + 1, 'published person')}; published are {people:,}"
        return [Refusal(what, (label,))]
    class_of = np.zeros(people, np.int64)
    class_of[publication.rows] = publication.classes
    told = np.bincount(class_of[row], minlength=int(class_of.max(initial=-1)) + 1)
    shown = np.bincount(publication.classes, minlength=told.size)
    return [
        Refusal(
            f"the people of {publication.describe_class(int(number))} have {count(int(told[number]), 'record')} in it; published "
            f"{'is' if shown[number] == 1 else 'are'} {shown[number]:,}",
            (label,),
        )
        for number in np.flatnonzero(told != shown)[:SHOWN]
    ]


def _alike(of: NDArray[np.int64], other: NDArray[np.int64]) -> bool:
    """Whether rows that are equal in one column are equal in another."""
    last = np.zeros(int(of.max()) + 1, other.dtype)
    last[of] = other
    return bool(np.array_equal(last[of], other))


def _partition_problems(
    told: NDArray[np.int64], shown: NDArray[np.int64], word: str, label: str, where: Callable[[int], str]
) -> list[Refusal]:
    """Compare two ways to put the same rows into classes."""
    if told.size == 0:
        return []
    if _alike(told, shown) and _alike(shown, told):
        return []
    width = int(shown.max()) + 1
    keys, counts = np.unique(told * width + shown, return_counts=True)
    of_told, of_shown = keys // width, keys % width
    # Most rows of a class show its region; the others are where something was changed.
    order = np.lexsort((-counts, of_told))
    _, first = np.unique(of_told[order], return_index=True)
    usual = np.full(int(told.max()) + 1, -1, np.int64)
    usual[of_told[order[first]]] = of_shown[order[first]]
    strays = np.flatnonzero(usual[told] != shown)
    problems = []
    if strays.size:
        named = listed(strays, lambda row: f"{where(row)} ({word} {told[row]})")
        problems.append(Refusal(f"is not shown as the other rows of the {word} it has in {label}", (named,)))
    used, times = np.unique(usual[usual >= 0], return_counts=True)
    for one in used[times > 1][:SHOWN]:
        both = np.flatnonzero(usual == one)
        what = "show the same in the published table, where they are one"
        problems.append(Refusal(what, (label,), about=f"{word} {listed(both)}"))
    return problems
