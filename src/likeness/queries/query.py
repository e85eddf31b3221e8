"""What can be asked of published tables: aggregate queries.

Many aggregate queries at once: their distinct conditions, and which query has which.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from likeness.checks import choice
from likeness.errors import PolicyError
from likeness.wording import count, shortened

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from numpy.typing import NDArray

AGGREGATES = ("count", "individuals", "sum", "avg")


@dataclass(frozen=True)
class Query:
    """An aggregate query over the records that meet every condition: how many they are, whose, or a sum or mean of theirs.

    Parameters
    ----------
    where
        Column to condition: a pair ``(low, high)`` of numbers, ISO dates or values of an ordered column (both ends
        included), or a collection of values (None: the missing value); a node of a published hierarchy is the values below it.
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
        When the aggregate is unknown, or does not go with ``of``, or no conditions by column are given.

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
        if not isinstance(self.where, Mapping):
            raise PolicyError(
                f"query: must say column to condition, as in {{'age': (30, 39)}}; got {shortened(repr(self.where))}"
            )
        choice("query", "aggregate", self.aggregate, AGGREGATES)
        counted = {"count": "records", "individuals": "people"}.get(self.aggregate)
        if counted and self.of is not None:
            raise PolicyError(
                f"query: {self.aggregate} counts {counted}; it takes no column, and got of={self.of!r}"
            )
        if not counted and self.of is None:
            raise PolicyError(f"query: {self.aggregate} needs of=, the column of numbers")


class Consecutive(Sequence[str]):
    """A condition: ``values[first:stop]``, neighbours in a list of all values, which is shared and not copied."""

    __slots__ = ("first", "stop", "values")

    def __init__(self, values: tuple[str, ...], first: int, stop: int) -> None:
        self.values, self.first, self.stop = values, first, stop

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[str]: ...
    def __getitem__(self, at: int | slice) -> str | Sequence[str]:
        """Give one of its values, or some."""
        return self.values[self.first : self.stop][at]

    def __len__(self) -> int:
        """Count its values."""
        return self.stop - self.first

    def __eq__(self, other: object) -> bool:
        """Whether another one has the same values."""
        return isinstance(other, Consecutive) and list(self) == list(other)

    def __hash__(self) -> int:
        """Agree with equality."""
        return hash(tuple(self))

    def __repr__(self) -> str:
        """Show its values."""
        return f"Consecutive({list(self)!r})"


@dataclass(frozen=True, eq=False)
class Workload:
    """Aggregate queries in arrays: what `Publication.estimate_all` answers at once; all ask for the same aggregate.

    ``conditions``: column to its distinct conditions, each as in `Query`.
    ``which``: column to (queries,) int64, the condition of each query; -1 where it has none on the column.
    ``exact``: (queries,) answers on the original table, or None.
    ``drawn``: whether the conditions come from the domains of a table, and so name nothing that is not there; a value
    that was not published is then one that nobody kept. Others are checked.
    ``draws``: how many random queries were drawn to find these, those included whose exact answer is 0, or None.

    >>> queries = [Query({"age": (30, 39)}), Query({"age": (30, 39), "disease": {"flu"}})]
    >>> workload = Workload.of_queries(queries)
    >>> len(workload), workload.conditions["age"], workload.which["disease"]
    (2, [(30, 39)], array([-1,  0]))
    """

    conditions: Mapping[str, Sequence[Any]]
    which: Mapping[str, NDArray[np.int64]]
    size: int
    aggregate: str = "count"
    of: str | None = None
    exact: NDArray[np.float64] | None = None
    drawn: bool = False
    draws: int | None = None

    def __post_init__(self) -> None:
        Query({}, self.aggregate, self.of)

    @classmethod
    def of_queries(cls, queries: Iterable[Query]) -> Workload:
        """Lay out queries that all ask for the same aggregate; `PolicyError` when they do not."""
        given = list(queries)
        asked = {(query.aggregate, query.of) for query in given}
        if len(asked) > 1:
            raise PolicyError("a workload asks for one aggregate of one column; make one workload of each")
        names = dict.fromkeys(name for query in given for name in query.where)
        conditions: dict[str, list[Any]] = {name: [] for name in names}
        known: dict[Any, int] = {}
        which = {name: np.full(len(given), -1, np.int64) for name in names}
        for i, query in enumerate(given):
            for name, condition in query.where.items():
                key = (name, _key(condition))
                if key not in known:
                    known[key] = len(conditions[name])
                    conditions[name].append(condition)
                which[name][i] = known[key]
        aggregate, of = asked.pop() if asked else ("count", None)
        return cls(conditions, which, len(given), aggregate, of)

    def asking(self, aggregate: str, of: str | None = None) -> Workload:
        """Ask for another aggregate under the same conditions; exact answers are forgotten."""
        return replace(self, aggregate=aggregate, of=of, exact=None)

    def take(self, queries: NDArray[np.int64]) -> Workload:
        """Keep only some queries, by position."""
        return replace(
            self,
            which={name: own[queries] for name, own in self.which.items()},
            size=int(queries.shape[0]),
            exact=None if self.exact is None else self.exact[queries],
        )

    def __len__(self) -> int:
        """Count the queries."""
        return self.size

    def __getitem__(self, number: int) -> Query:
        """Give one query by itself."""
        if not -self.size <= number < self.size:
            raise IndexError(number)
        where = {
            name: self.conditions[name][int(own[number])]
            for name, own in self.which.items()
            if own[number] >= 0
        }
        return Query(where, self.aggregate, self.of)

    def __iter__(self) -> Iterator[Query]:
        """Give the queries one by one."""
        return (self[number] for number in range(self.size))

    def __repr__(self) -> str:
        """Say how many queries there are, and of what."""
        asked = self.aggregate if self.of is None else f"{self.aggregate} of {self.of}"
        return f"Workload({count(self.size, 'query')}: {asked})"


def _key(condition: Any) -> Any:
    """Make something hashable of a condition; equal keys mean equal conditions."""
    if isinstance(condition, tuple):
        return condition, tuple(type(end) for end in condition)
    try:
        return frozenset((type(value), value) for value in condition)
    except TypeError:
        # Not a collection: answering says so.
        return id(condition)
