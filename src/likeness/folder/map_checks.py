"""Whether a class map agrees with itself and with what was published."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likeness.folder.class_map import DROPPED, PUBLISHED
from likeness.wording import count

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from likeness.folder.class_map import ClassMap
    from likeness.forms.base import Publication

SHOWN = 3


def listed(rows: NDArray[np.int64], name: Callable[[int], str] = str) -> str:
    """Name the first few rows, and how many more there are.

    Examples
    --------
    >>> listed(np.array([4, 7, 9, 12, 13]))
    '4, 7, 9 and 2 more'
    """
    shown = ", ".join(name(int(row)) for row in rows[:SHOWN])
    return shown if rows.size <= SHOWN else f"{shown} and {rows.size - SHOWN} more"


def own_problems(found: ClassMap, label: str) -> list[str]:
    """Say where a class map contradicts itself.

    Parameters
    ----------
    found
        The class map.
    label
        What messages call it.
    """
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
        f"{label}: row {listed(np.flatnonzero(broken))} of the original {what}"
        for what, broken in rules.items()
        if broken.any()
    ]
    if problems:
        return problems
    rows = found.published
    places = found.published_row[rows]
    wrong = places >= rows.size
    if wrong.any() or (np.bincount(places, minlength=rows.size) != 1).any():
        _, first = np.unique(places, return_index=True)
        twice = np.ones(rows.size, np.bool_)
        twice[first] = False
        wrong |= twice
        problems.append(
            f"{label}: row {listed(rows[wrong])} of the original is said to be published in a row that "
            "another one has, or that is not there"
        )
    return problems


def class_problems(
    found: ClassMap, publication: Publication, label: str, where: Callable[[int], str]
) -> list[str]:
    """Say which published rows are not in the class that the map says.

    Parameters
    ----------
    found
        The class map; it agrees with itself.
    publication
        What was published.
    label
        What messages call the class map.
    where
        Names the place of a published row.
    """
    rows = found.published
    if rows.size != publication.size:
        return [f"{label}: it knows {count(rows.size, 'published row')}; published are {publication.size:,}"]
    order = found.original_row
    problems = []
    if (found.persons is None) and publication.persons is not None:
        problems.append(f"{label}: the column 'person' is missing; persons are published")
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


def _alike(of: NDArray[np.int64], other: NDArray[np.int64]) -> bool:
    """Whether rows that are equal in one column are equal in another."""
    last = np.zeros(int(of.max()) + 1, other.dtype)
    last[of] = other
    return bool(np.array_equal(last[of], other))


def _partition_problems(
    told: NDArray[np.int64], shown: NDArray[np.int64], word: str, label: str, where: Callable[[int], str]
) -> list[str]:
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
        problems.append(f"{named}: is not shown as the other rows of the {word} it has in {label}")
    used, times = np.unique(usual[usual >= 0], return_counts=True)
    for one in used[times > 1][:SHOWN]:
        both = np.flatnonzero(usual == one)
        problems.append(
            f"{label}: {word} {listed(both)} show the same in the published table, where they are one"
        )
    return problems
