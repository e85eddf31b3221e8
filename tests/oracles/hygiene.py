"""The hygiene rules as a plain loop over records."""

from __future__ import annotations

from collections import Counter
from typing import Any


def tidy(
    records: list[dict[str, Any]],
    *,
    quasi: list[str],
    sensitive: list[str],
    duplicates: str,
    inconsistent: str,
    no_sensitive: str,
) -> tuple[list[tuple[int, int, tuple[Any, ...]]], Counter[str], dict[str, int]]:
    """Put a table in order; people are under ``who``, None is missing, records without a person are dropped.

    Returns
    -------
    list
        Row, number of the person, and quasi-identifiers of every record that goes on.
    Counter
        Dropped records by reason.
    dict
        People before, people, without a sensitive value, duplicates, inconsistent people.
    """
    dropped: Counter[str] = Counter()
    left = []
    for row, record in enumerate(records):
        lacking = [name for name in sensitive if record[name] is None]
        if record["who"] is None:
            dropped["missing who"] += 1
        elif lacking and no_sensitive == "drop":
            dropped[f"missing {lacking[0]}"] += 1
        else:
            left.append(row)
    seen: set[tuple[Any, ...]] = set()
    kept, repeated = [], 0
    for row in left:
        key = (records[row]["who"], *(records[row][name] for name in sensitive))
        if sensitive and key in seen:
            repeated += 1
            if duplicates == "drop":
                dropped["duplicate records of one person"] += 1
                continue
        seen.add(key)
        kept.append(row)
    said: dict[Any, list[tuple[Any, ...]]] = {}
    for row in kept:
        said.setdefault(records[row]["who"], []).append(tuple(records[row][name] for name in quasi))
    number = {who: i for i, who in enumerate(said)}
    found = []
    for row in kept:
        tuples = said[records[row]["who"]]
        own = tuple(records[row][name] for name in quasi)
        if inconsistent == "first":
            own = tuples[0]
        elif inconsistent == "mode":
            own = max(tuples, key=lambda one: (tuples.count(one), -tuples.index(one)))
        found.append((row, number[records[row]["who"]], own))
    people = {record["who"] for record in records} - {None}
    with_value = {
        record["who"]
        for record in records
        if not sensitive or any(record[name] is not None for name in sensitive)
    }
    counts = {
        "people_before": len(people),
        "people": len(said),
        "without_sensitive": len(people - with_value),
        "duplicates": repeated,
        "inconsistent": sum(len(set(tuples)) > 1 for tuples in said.values()),
    }
    return found, dropped, counts
