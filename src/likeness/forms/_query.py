"""What can be asked of published tables: aggregate queries."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from likeness.checks import choice
from likeness.errors import PolicyError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

AGGREGATES = ("count", "individuals", "sum", "avg")


@dataclass(frozen=True)
class Query:
    """An aggregate query over the records that meet every condition: how many they are, whose, or a sum or mean of theirs.

    Parameters
    ----------
    where
        Column to condition: a pair ``(low, high)`` of numbers, ISO dates or values of an ordered column (both ends
        included), or a collection of values (None: the missing value).
        Numbers and days may lie anywhere; a category or ordered value must be one that was published, declared or stands in the
        column's hierarchy: estimating refuses others, so that 0 always means that nobody has it.
    aggregate
        ``count`` (records), ``individuals`` (people with a record that meets all conditions at once; only releases that say
        whose records belong together can tell), ``sum`` or ``avg``.
    of
        The column of numbers whose sum or mean is asked for; records in which it is missing are left out.

    Raises
    ------
    PolicyError
        When the aggregate is unknown, or does not go with ``of``.

    Examples
    --------
    >>> Query({"age": (30, 39), "disease": {"flu"}}).where["age"]
    (30, 39)
    >>> Query({"disease": {"flu"}}, "avg", of="age").aggregate
    'avg'
    """

    where: Mapping[str, tuple[Any, Any] | Collection[Any]] = field(default_factory=dict)
    aggregate: str = "count"
    of: str | None = None

    def __post_init__(self) -> None:
        choice("query", "aggregate", self.aggregate, AGGREGATES)
        counted = {"count": "records", "individuals": "people"}.get(self.aggregate)
        if counted and self.of is not None:
            raise PolicyError(
                f"query: {self.aggregate} counts {counted}; it takes no column, and got of={self.of!r}"
            )
        if not counted and self.of is None:
            raise PolicyError(f"query: {self.aggregate} needs of=, the column of numbers")
