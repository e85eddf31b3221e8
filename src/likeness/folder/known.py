"""``knowledge.parquet``: what adversaries are taken to know of every record beforehand. Private; only where a model needs it.

One line for each record (``kind`` record: which distribution it has), and one for each share of a distribution that is not 0
(``kind`` value, or missing for the missing value). The first distribution of each source names all values, in their order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.errors import TableError
from likeness.folder.class_map import numbers_of
from likeness.microdata.knowledge import UNIT, Distributions, Knowledge
from likeness.tables import Labelled, read_published, write

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

KINDS = ("record", "value", "missing")
RECORD, VALUE, MISSING = range(3)
_CHANGED = "it is not as likeness writes it; it was changed"
_COLUMNS = ("source", "kind", "row", "distribution", "value", "share")


def write_known(knowledge: Sequence[Knowledge], rows: NDArray[np.int64], path: Path) -> None:
    """Write what is known of the records of an original; ``rows`` (n,) are theirs. `OutputError` where it cannot be written."""
    parts: dict[str, list[NDArray[Any]]] = {name: [] for name in _COLUMNS}
    labels = ["", *sorted({label for own in knowledge for label in own.labels if label is not None})]
    number = {label: i for i, label in enumerate(labels)}
    for source, own in enumerate(knowledge):
        shares = own.distributions.rows
        told = shares > 0
        told[0] = True
        which, value = np.nonzero(told)
        of_value = np.array([0 if label is None else number[label] for label in own.labels], np.int32)
        kinds = np.array([MISSING if label is None else VALUE for label in own.labels], np.int32)
        n, entries = rows.size, which.size
        for name, of_records, of_values in (
            ("source", np.full(n, source), np.full(entries, source)),
            ("kind", np.full(n, RECORD, np.int32), kinds[value]),
            ("row", rows, np.full(entries, -1)),
            ("distribution", own.of, which),
            ("value", np.zeros(n, np.int32), of_value[value]),
            ("share", np.zeros(n, np.int64), shares[which, value]),
        ):
            parts[name] += [of_records, of_values]
    whole = {name: np.concatenate(found) for name, found in parts.items()}
    columns: dict[str, Any] = {
        name: Labelled(whole[name].astype(np.int32), list(KINDS) if name == "kind" else labels)
        if name in {"kind", "value"}
        else whole[name].astype(np.int64)
        for name in _COLUMNS
    }
    write(columns, path, "parquet")


def read_known(
    path: Path, label: str, sources: Sequence[Mapping[str, Any]], height: int
) -> tuple[Knowledge, ...]:
    """Read what is known of the ``height`` rows of an original; rows that are no records have the distribution -1.

    ``sources`` say, as the certificate does, what each is about. Raises `TableError` where the file is damaged, or is not as
    `write_known` leaves it.
    """
    table = read_published(path)
    if table.names != _COLUMNS:
        raise TableError(f"{label}: its columns are {', '.join(table.names)}, not {', '.join(_COLUMNS)}")
    kind, value = (table.encode(name, missing=(), kind="text") for name in ("kind", "value"))
    of_kind = np.array([KINDS.index(text) if text in KINDS else -1 for text in kind.values], np.int64)[
        kind.codes
    ]
    texts = [str(text) for text in value.values]
    source, row, distribution, share = (
        numbers_of(table.held, name, label) for name in ("source", "row", "distribution", "share")
    )
    if (of_kind < 0).any() or not np.array_equal(np.unique(source), np.arange(len(sources))):
        raise TableError(
            f"{label}: it is not about the {len(sources)} sources of knowledge of certificate.json"
        )
    record = of_kind == RECORD
    unused = np.array([text == "" for text in texts], np.bool_)[value.codes]
    if (share[record] != 0).any() or not unused[record].all() or (row[~record] != -1).any():
        raise TableError(f"{label}: {_CHANGED}")
    found = []
    for number, about in enumerate(sources):
        own = source == number
        found.append(
            _one(
                about,
                (row[own & (of_kind == RECORD)], distribution[own & (of_kind == RECORD)]),
                [column[own & (of_kind != RECORD)] for column in (distribution, of_kind, value.codes, share)],
                texts,
                height,
                label,
            )
        )
    return tuple(found)


def _one(
    about: Mapping[str, Any],
    records: tuple[NDArray[np.int64], NDArray[np.int64]],
    entries: Sequence[NDArray[Any]],
    texts: Sequence[str],
    height: int,
    label: str,
) -> Knowledge:
    """Put one source together."""
    distribution, kind, code, share = entries
    count = int(distribution.max(initial=-1)) + 1
    first = distribution == 0
    labels = tuple(
        None if what == MISSING else texts[i]
        for what, i in zip(kind[first].tolist(), code[first].tolist(), strict=True)
    )
    at = {own: i for i, own in enumerate(labels)}
    cell = np.array([at.get(text, -1) for text in texts] + [at.get(None, -1)], np.int64)
    place = cell[np.where(kind == MISSING, len(texts), code)]
    rows = np.zeros((count, len(labels)), np.int64)
    good = len(at) == len(labels) and count > 0 and None not in labels[:-1]
    good = good and bool((place >= 0).all() and (distribution >= 0).all())
    good = good and bool((share >= 0).all() and (share <= UNIT).all())
    if good:
        rows[distribution, place] = share
        good = (
            bool((rows.sum(axis=1) == UNIT).all())
            and np.count_nonzero(rows) + int((share == 0).sum()) == share.size
        )
    row, of = records
    good = good and bool((np.diff(row) > 0).all() and (of >= 0).all() and (of < count).all())
    good = good and (not row.size or bool(row[0] >= 0 and row[-1] < height))
    if not good:
        raise TableError(f"{label}: {_CHANGED}")
    whole = np.full(height, -1, np.int32)
    whole[row] = of
    return Knowledge(str(about["sensitive"]), labels, Distributions(rows), whole, about.get("name"))
