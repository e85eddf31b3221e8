"""``cells.parquet``: what the records of an original say, how many say so, and the class that they are in. Private.

Where an engine counted records it stands for the class map. Whoever says the same stands in one row, or in one for each class
that they are in and each value that was drawn for them, one behind the other. Classes are numbered as in the solution, -1 where
records are withheld or dropped; which, and why, then stands beside it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from likeness.errors import LikenessError, Refusal, TableError
from likeness.forms.base import as_labelled, publish_values
from likeness.microdata.grouping import count_copies, group_codes
from likeness.published.text import MISSING
from likeness.tables import Labelled, write
from likeness.tables.parts import gathered, read_packed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from likeness.encode import Encoded
    from likeness.forms.base import Publication
    from likeness.microdata.domain import Domain
    from likeness.microdata.plan import Plan
    from likeness.tables import Table

_ORIGINAL, _PUBLISHED = "original: ", "published: "
_RECORDS, _CLASS, _STATUS, _REASON = "records", "class", "status", "reason"
_DROPPED, _WITHHELD = "dropped", "withheld"


@dataclass(frozen=True, eq=False)
class TextColumns:
    """Columns of a table, those of ``names``, as codes and texts, one at a time; of ``rows`` (n,), or of all where left out."""

    table: Table
    names: tuple[str, ...]
    rows: NDArray[np.int64] | None = None

    def __iter__(self) -> Iterator[Labelled]:
        """Go through them."""
        for name in self.names:
            column = as_labelled(self.table.as_it_is(name))
            yield column if self.rows is None else replace(column, codes=column.codes[self.rows])


@dataclass(frozen=True, eq=False)
class CountedCells:
    """What different records of an original say, and what became of them.

    ``names``, ``originals``: the columns that were counted, as codes and texts. ``copies``: (n,) int64. ``classes``: (n,) int64,
    -1 where they are not published, and ``reason`` (n,) int32 is then the place of the reason in ``reasons``: ``withheld``, or
    ``dropped`` before anything was searched, with why; -1 where they are published.
    ``published``: by sensitive column the texts of the values that were published instead, where they were drawn.
    """

    names: tuple[str, ...]
    originals: Iterable[Labelled]
    copies: NDArray[np.int64]
    classes: NDArray[np.int64]
    reason: NDArray[np.int32]
    reasons: tuple[tuple[str, str], ...]
    published: Mapping[str, Labelled] = field(default_factory=dict)

    def counts(self) -> dict[str, Any]:
        """What became of all records, as ``audit.json`` has it."""
        numbers = np.bincount(self.reason + 1, self.copies, len(self.reasons) + 1).astype(np.int64).tolist()
        told: dict[str, dict[str, int]] = {_WITHHELD: {}, _DROPPED: {}}
        for (kind, why), number in sorted(zip(self.reasons, numbers[1:], strict=True)):
            if number:
                told[kind][why] = number
        return {
            "input": int(self.copies.sum()),
            "published": numbers[0],
            "withheld": told[_WITHHELD],
            "dropped": told[_DROPPED],
            "added": 0,
        }


def cells_of(encoded: Encoded, plan: Plan) -> CountedCells:
    """Say what became of the records of an original that were counted."""
    table, data = encoded.table, encoded.data
    assert table.copies is not None and data.copies is not None  # noqa: S101, PT018  # counted
    because = encoded.reasons if encoded.reasons is not None else np.full(table.height, -1, np.int32)
    dropped = np.flatnonzero(because >= 0)
    own = np.where(plan.published, -1, plan.reason_of + len(encoded.because))
    rows = np.concatenate([data.rows, dropped])
    order = np.argsort(rows, kind="stable")
    as_counted = np.array_equal(rows[order], np.arange(table.height))
    originals = TextColumns(table, table.names, None if as_counted else rows[order])
    return CountedCells(
        table.names,
        originals,
        np.concatenate([data.copies, table.copies[dropped]])[order],
        np.concatenate([plan.classes, np.full(dropped.size, -1)])[order],
        np.concatenate([own, because[dropped]])[order].astype(np.int32),
        tuple(
            [(_DROPPED, str(why)) for why in encoded.because]
            + [(_WITHHELD, str(why)) for why in plan.because]
        ),
        {} if plan.sensitive is None else _drawn(data.sensitive, plan, plan.sensitive, dropped.size, order),
    )


def _drawn(
    domains: Sequence[Domain],
    plan: Plan,
    sensitive: NDArray[np.int32],
    dropped: int,
    order: NDArray[np.int64],
) -> dict[str, Labelled]:
    """Give the texts of published values, in some order; nothing where records are withheld, or ``dropped``, which follow."""
    found = {}
    for domain, codes in zip(domains, sensitive, strict=True):
        texts = value_texts(domain)
        own = np.where(plan.published, codes, len(texts))
        own = np.concatenate([own, np.full(dropped, len(texts))])[order].astype(np.int32)
        found[domain.name] = as_labelled(_once(Labelled(own, [*texts, MISSING])))
    return found


def value_texts(domain: Domain) -> list[str]:
    """(codes,) The text of each value as it is published."""
    column = as_labelled(publish_values(domain, np.arange(domain.codes, dtype=np.int32)))
    return [column.labels[code] for code in column.codes.tolist()]


def _once(column: Labelled) -> Labelled:
    """Give labels that stand there twice one place."""
    place = {text: i for i, text in enumerate(dict.fromkeys(column.labels))}
    codes = np.array([place[text] for text in column.labels], np.int32)[column.codes]
    return Labelled(codes, [*place])


def write_cells(cells: CountedCells, path: Path) -> None:
    """Write them."""
    columns: dict[str, Any] = {
        f"{_ORIGINAL}{name}": _packed(column)
        for name, column in zip(cells.names, cells.originals, strict=True)
    }
    columns |= {f"{_PUBLISHED}{name}": _packed(column) for name, column in cells.published.items()}
    columns[_RECORDS] = cells.copies
    columns[_CLASS] = cells.classes
    columns[_STATUS] = _packed(Labelled(cells.reason, [kind for kind, _ in cells.reasons]))
    columns[_REASON] = _packed(Labelled(cells.reason, [why for _, why in cells.reasons]))
    write(columns, path, "parquet")


def _packed(column: Labelled) -> pl.Series:
    """Write texts out as codes of a few bytes; -1 is null."""
    codes = np.where(column.codes < 0, len(column.labels), column.codes)
    return gathered(pl.Series(column.labels, dtype=pl.String), codes)


def read_cells(path: Path, label: str) -> CountedCells:
    """Read them back; `TableError` where the file is no such one."""
    try:
        table = read_packed(path)
        names, drawn = (
            tuple(name.removeprefix(what) for name in table.names if name.startswith(what))
            for what in (_ORIGINAL, _PUBLISHED)
        )
        shown = (*(f"{_ORIGINAL}{name}" for name in names), *(f"{_PUBLISHED}{name}" for name in drawn))
        if table.names != (*shown, _RECORDS, _CLASS, _STATUS, _REASON):
            raise TableError(
                Refusal("its columns are not those that likeness writes; it was changed", (label,))
            )
        # Without its texts, which are many.
        frame = table.held
        copies, classes = (frame[name].cast(int).to_numpy() for name in (_RECORDS, _CLASS))
    except LikenessError as problem:
        raise TableError(*(refusal.called(label) for refusal in problem.refusals)) from None
    except (ValueError, TypeError) as problem:
        raise TableError(Refusal(f"cannot be read; it was changed ({problem})", (label,))) from None
    status, why = (as_labelled(table.as_it_is(name)) for name in (_STATUS, _REASON))
    if not {*status.labels} <= {MISSING, _DROPPED, _WITHHELD}:
        raise TableError(Refusal("has a status that is none; it was changed", (label,)))
    pairs = group_codes([status.codes, why.codes], [len(status.labels), len(why.labels)])
    told = [(status.labels[status.codes[row]], why.labels[why.codes[row]]) for row in pairs.first.tolist()]
    reasons = [pair for pair in told if pair != (MISSING, MISSING)]
    place = np.array([reasons.index(pair) if pair in reasons else -1 for pair in told], np.int32)
    return CountedCells(
        names,
        TextColumns(table, tuple(f"{_ORIGINAL}{name}" for name in names)),
        copies.astype(np.int64),
        classes.astype(np.int64),
        place[pairs.of],
        tuple(reasons),
        {name: as_labelled(table.as_it_is(f"{_PUBLISHED}{name}")) for name in drawn},
    )


def cells_problems(cells: CountedCells, publication: Publication | None, label: str) -> list[Refusal]:
    """Say what is wrong with them, by themselves and beside what was published."""
    problems = []
    if cells.copies.min(initial=1) < 1 or cells.classes.min(initial=0) < -1:
        problems.append(Refusal("counts nobody, or has a class below -1; it was changed", (label,)))
        return problems
    bad = (cells.classes < 0) != (cells.reason >= 0)
    if bad.any():
        problems.append(Refusal("says why of records that are published, or not why of others", (label,)))
    if publication is None:
        return problems
    kept = cells.classes >= 0
    most = int(cells.classes.max(initial=-1)) + 1
    own = np.bincount(cells.classes[kept], cells.copies[kept], most).astype(np.int64)
    shown = np.bincount(publication.classes, publication.copies).astype(np.int64)
    if not np.array_equal(np.sort(own), np.sort(shown)):
        what = "its classes do not hold as many records as those that were published"
        problems.append(Refusal(what, (label,)))
    return problems


def rows_of_cells(cells: CountedCells, encoded: Encoded) -> NDArray[np.int64] | None:
    """(n,) Row of the original, counted again, that each cell has records of; None where it does not hold these records."""
    table = encoded.table
    if table.names != cells.names or table.copies is None:
        return None
    differs = np.zeros(cells.copies.size, np.bool_)
    differs[:1] = True
    for column in cells.originals:
        differs[1:] |= column.codes[1:] != column.codes[:-1]
    of = np.cumsum(differs) - 1
    first = np.flatnonzero(differs)
    if first.size != table.height or not np.array_equal(
        count_copies(of, cells.copies, first.size), table.copies
    ):
        return None
    firsts = (replace(column, codes=column.codes[first]) for column in cells.originals)
    return of if all(map(same_texts, firsts, TextColumns(table, table.names))) else None


def same_texts(one: Labelled, other: Labelled) -> bool:
    """Whether two columns say the same, row by row; none of their labels stands there twice."""
    number = {label: i for i, label in enumerate(one.labels)}
    place = np.array([number.get(label, -1) for label in other.labels], np.int32)
    return np.array_equal(one.codes, place[other.codes])
