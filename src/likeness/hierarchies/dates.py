"""Date hierarchies: days generalized to months, quarters and years."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likeness.errors import HierarchyError, suggestion
from likeness.hierarchies.rows import from_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likeness.hierarchies.tree import Hierarchy

LEVELS = ("day", "month", "quarter", "year")
"""From the finest to the coarsest."""


def dates(values: NDArray[np.datetime64], levels: Sequence[str], *, name: str = "dates") -> Hierarchy:
    """Group days into months, quarters and years below the root ``*``.

    ``values``: datetime64; times of day are not looked at. ``levels``: some of day, month, quarter, year, from fine to
    coarse; the leaves are ISO days in any case, ascending. Raises `HierarchyError` for an unknown level, another order,
    values that are no dates, a missing date, or none at all.

    >>> days = np.array(["2024-03-31", "2024-04-01"], "datetime64[D]")
    >>> dates(days, ["month", "quarter", "year"]).to_rows()[0]
    ['2024-03-31', '2024-03', '2024-Q1', '2024', '*']
    """
    _check_levels(levels, name)
    moments = np.asarray(values)
    if moments.dtype.kind != "M":
        raise HierarchyError(f"{name}: date levels need dates; the column holds {moments.dtype} values")
    if np.isnat(moments).any():
        raise HierarchyError(f"{name}: a missing date has no month or year; declare it as missing")
    days = np.unique(moments.astype("datetime64[D]"))
    if not days.size:
        raise HierarchyError(f"{name}: there are no dates to make levels of")
    texts = np.datetime_as_string(days).tolist()
    columns = [_labels(days, level) for level in levels if level != "day"]
    rows = zip(texts, *columns, ["*"] * len(texts), strict=True)
    return from_rows(rows, name, where=lambda i: f"{name}, value {texts[i]}", data_derived=True)


def _check_levels(levels: Sequence[str], name: str) -> None:
    """HierarchyError unless the levels are known and go from fine to coarse."""
    unknown = [level for level in levels if level not in LEVELS]
    if unknown:
        raise HierarchyError(
            *(
                f"{name}: {level!r} is not a level of dates{suggestion(str(level), LEVELS)}"
                for level in unknown
            )
        )
    places = [LEVELS.index(level) for level in levels]
    if not places or places != sorted(set(places)):
        raise HierarchyError(
            f"{name}: date levels go from fine to coarse, each once: some of {', '.join(LEVELS)}; "
            f"got [{', '.join(levels)}]"
        )


def _labels(days: NDArray[np.datetime64], level: str) -> list[str]:
    """Text of each day's month, quarter or year."""
    if level == "month":
        return [str(text) for text in np.datetime_as_string(days.astype("datetime64[M]"))]
    years = np.datetime_as_string(days.astype("datetime64[Y]")).tolist()
    if level == "year":
        return [str(year) for year in years]
    quarters = days.astype("datetime64[M]").astype(np.int64) % 12 // 3 + 1
    return [f"{year}-Q{quarter}" for year, quarter in zip(years, quarters.tolist(), strict=True)]
