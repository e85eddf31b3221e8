"""A published table in many files: written part by part, and counted again from their bytes.

Rows that say the same are published as often as there were records, so the counts of the different ones decide what is written:
all of them stand in one random order, of which each file holds a stretch. Of a file that is read again only its counts are kept.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from likeness.endings import FORMATS
from likeness.errors import LikenessError, Refusal, TableError
from likeness.folder.layout import CERTIFICATE, PARTS, digest
from likeness.forms.base import as_labelled
from likeness.microdata.grouping import count_copies, group_codes, group_keys, pack
from likeness.tables import Labelled, Table, read_published, write
from likeness.tables.parts import gathered
from likeness.wording import count

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from likeness.progress import Progress
    from likeness.published.columns import ColumnNote
    from likeness.tables import EncodedColumn, FileFormat
    from likeness.tables.spelling import Formulas

ROWS = 1 << 20
"""Rows of a file."""
_SORTED = 1 << 21
"""Rows that are sorted at a time where two tables are compared."""
_NAME = re.compile(rf"{PARTS}/part-[0-9]{{5,}}\.([a-z0-9.]+)")


def part_name(number: int, ending: str) -> str:
    """Name a file of a table in parts.

    >>> part_name(12, "parquet")
    'release/part-00012.parquet'
    """
    return f"{PARTS}/part-{number:05d}.{ending}"


def parts_among(names: Iterable[str]) -> list[str]:
    """Take the first of these files as far as they are those of a table in parts: numbered from 0, all of one kind, in order.

    >>> parts_among(["release/part-00000.csv", "release/part-00001.csv", "distribution.csv"])
    ['release/part-00000.csv', 'release/part-00001.csv']
    """
    found = [match for match in map(_NAME.fullmatch, names) if match]
    endings = {match[1] for match in found} & {*FORMATS}
    return [match[0] for i, match in enumerate(found) if {match[0]} == {part_name(i, own) for own in endings}]


def is_in_parts(names: Collection[str]) -> bool:
    """Whether the first of these files are those of a table in parts.

    >>> is_in_parts(["release/part-00000.csv", "release/part-00001.csv"]), is_in_parts(["release.csv"])
    (True, False)
    """
    own = parts_among(names)
    return bool(own) and list(names)[: len(own)] == own


def write_parts(
    columns: Mapping[str, Labelled | EncodedColumn],
    copies: NDArray[np.int64],
    rng: np.random.Generator,
    public: Path,
    how: FileFormat,
    formulas: Formulas,
    typed: Callable[[Mapping[str, Any]], Mapping[str, Any]],
    progress: Progress,
) -> dict[str, dict[str, Any]]:
    """Write every row as often as it is published, all in one random order; and tell what a certificate says of the files.

    ``columns`` are of the different rows, ``copies`` (n,) how often each is published. ``typed`` gives columns the types of the
    original.
    """
    (public / PARTS).mkdir()
    # Four bytes a row are held, whatever it says.
    order = np.repeat(np.arange(copies.size, dtype=np.int32), copies)
    rng.shuffle(order)
    files: dict[str, dict[str, Any]] = {}
    begins = range(0, max(1, order.size), ROWS)
    for number, begin in enumerate(begins):
        progress.step("write", number, len(begins))
        rows = order[begin : begin + ROWS]
        own = {name: _shown(column, rows) for name, column in columns.items()}
        name = part_name(number, how.ending)
        write(typed(own), public / name, how, formulas)
        files[name] = {
            "sha256": digest(public / name),
            "rows": rows.size,
            "columns": list(columns),
            **how.facts,
        }
    return files


def _shown(column: Labelled | EncodedColumn, rows: NDArray[np.int32]) -> Labelled | EncodedColumn:
    """Take some rows of a column, in any order and repeated."""
    return replace(column, codes=column.codes[rows])


@dataclass(frozen=True)
class PartFile:
    """A file of a table in parts: where it is, what messages call it, what its certificate says of it and of the columns."""

    path: Path
    label: str
    facts: Mapping[str, Any]
    formulas: Formulas
    notes: Mapping[str, ColumnNote]


@dataclass(frozen=True, eq=False)
class CountedPart:
    """What a file holds: its different rows, and how often each stands there; and everything that is wrong with it.

    ``codes``: (columns, n) int32. ``labels``: the texts that they stand for, by column. ``copies``: (n,) int64; None
    where it could not be read.
    """

    names: tuple[str, ...]
    labels: tuple[list[str], ...]
    codes: NDArray[np.int32]
    copies: NDArray[np.int64] | None
    refusals: tuple[Refusal, ...]


def count_part(part: PartFile) -> CountedPart:
    """Read one file, hold it to its certificate, and count the rows that say the same."""
    wrong, table = read_certified(part.path, part.label, part.facts, part.formulas)
    nothing = np.zeros((0, 0), np.int32)
    if table is None:
        return CountedPart((), (), nothing, None, tuple(wrong))
    try:
        columns = labelled_columns(table, part.notes)
    except LikenessError as problem:
        return CountedPart((), (), nothing, None, (*wrong, *problem.within(part.label)))
    codes = [column.codes for column in columns.values()]
    groups = group_codes(codes, [len(column.labels) for column in columns.values()])
    return CountedPart(
        tuple(columns),
        tuple(column.labels for column in columns.values()),
        np.array([own[groups.first] for own in codes], np.int32),
        groups.sizes,
        tuple(wrong),
    )


def together(parts: Sequence[CountedPart]) -> CountedPart:
    """Put the counts of several files of a table together."""
    names = parts[0].names
    labels, places = [], []
    for j in range(len(names)):
        shared, own = _numbered([part.labels[j] for part in parts])
        labels.append(shared)
        places.append(own)

    def column(j: int) -> NDArray[np.int32]:
        """(n,) One column of all of them, one behind the other."""
        return np.concatenate([own[part.codes[j]] for own, part in zip(places[j], parts, strict=True)])

    total = sum(part.codes.shape[1] for part in parts)
    keys = pack(map(column, range(len(names))), [len(own) for own in labels], total)
    groups = group_keys(keys)
    copies = np.concatenate([part.copies for part in parts if part.copies is not None])
    different = np.empty((len(names), groups.count), np.int32)
    for j, codes in enumerate(different):
        codes[:] = column(j)[groups.first]
    return CountedPart(names, tuple(labels), different, count_copies(groups.of, copies, groups.count), ())


def _numbered(several: Iterable[Sequence[str]]) -> tuple[list[str], list[NDArray[np.int32]]]:
    """Number the texts of several lists together: the different ones, and the place of each text of each list among them."""
    number: dict[str, int] = {}
    places = [np.array([number.setdefault(text, len(number)) for text in own], np.int32) for own in several]
    return list(number), places


def table_of(counted: CountedPart, source: str) -> Table:
    """Make a table of texts of the different rows of a table in parts."""
    frame = pl.DataFrame(
        [
            gathered(pl.Series(texts, dtype=pl.String), codes.astype(np.int64)).alias(name)
            for name, codes, texts in zip(counted.names, counted.codes, counted.labels, strict=True)
        ]
    )
    return Table(frame, source=source, library="polars", copies=counted.copies)


def same_rows(
    columns: Mapping[str, Labelled | EncodedColumn], copies: NDArray[np.int64], published: Table
) -> bool:
    """Whether rows, each published as often as said, are those of a table that was counted, whatever their order."""
    if {*columns} != {*published.names} or published.copies is None:
        return False

    def both(name: str) -> list[Labelled]:
        """One column of the rows, and of the published ones."""
        return [as_labelled(columns[name]), as_labelled(published.as_it_is(name))]

    shared = {name: _numbered([own.labels for own in both(name)]) for name in published.names}
    packed = (
        np.concatenate([places[own.codes] for places, own in zip(shared[name][1], both(name), strict=True)])
        for name in published.names
    )
    # One column at a time is there in codes.
    keys = pack(packed, [len(texts) for texts, _ in shared.values()], copies.size + published.height)
    return _balanced(keys, np.concatenate([copies, -published.copies]))


def _balanced(keys: NDArray[np.int64], numbers: NDArray[np.int64]) -> bool:
    """Whether the numbers of every key, none below 0, add up to 0; some of the keys are sorted at a time."""
    turns = 1 + keys.size // _SORTED
    for turn in range(turns):
        own = np.flatnonzero(keys % turns == turn)
        own = own[np.argsort(keys[own])]
        begins = np.flatnonzero(np.diff(keys[own], prepend=-1))
        if own.size and np.add.reduceat(numbers[own], begins).any():
            return False
    return True


def read_certified(
    path: Path, label: str, facts: Mapping[str, Any], formulas: Formulas
) -> tuple[list[Refusal], Table | None]:
    """Read a published file and compare it with its entry in the certificate: what is wrong, and the table if it can be read."""
    wrong = []
    if digest(path) != facts["sha256"]:
        wrong.append(Refusal(f"its SHA-256 is not the one in {CERTIFICATE}; the file was changed", (label,)))
    try:
        table = read_published(path, formulas, facts)
    except TableError as problem:
        return [*wrong, *(refusal.called(label) for refusal in problem.refusals)], None
    if list(table.names) != facts["columns"]:
        what = f"its columns are {', '.join(table.names)}; {CERTIFICATE} says {', '.join(facts['columns'])}"
        wrong.append(Refusal(what, (label,)))
    if table.height != facts["rows"]:
        what = f"it has {count(table.height, 'row')}; {CERTIFICATE} says {facts['rows']}"
        wrong.append(Refusal(what, (label,)))
    return wrong, table


def labelled_columns(table: Table, notes: Mapping[str, ColumnNote]) -> dict[str, Labelled]:
    """Take all columns of a published table as codes and texts; ``notes`` is what the certificate says of each, by name.

    Raises `TableError` where a protected column shows nothing in two ways, as Parquet can: null and the empty text.
    """
    columns = {name: as_labelled(table.as_it_is(name)) for name in table.names}
    for name, column in columns.items():
        if len({*column.labels}) < len(column.labels) and (name not in notes or notes[name].role != "other"):
            raise TableError(
                f"column {name!r}: holds both null and the empty text; the missing value is written in one way"
            )
    return columns
