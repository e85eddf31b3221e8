"""Shares of the values of columns and of pairs of them, in the original and as estimated from what was published.

The values of a column are the cells that are compared. An estimate between two numbers or days that occur counts for the nearer
one, half for each where both are as near, so that shares sum to 1 on both sides; numbers, days and ordered values of which there
are more than ``bins`` are compared in at most so many groups of neighbours, with about as many records in each.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.errors import PolicyError, TableError
from likeness.metrics.base import publication_of
from likeness.microdata.domain import NUMERIC
from likeness.microdata.regions import attribute_weights
from likeness.queries.overlap import place
from likeness.queries.query import Consecutive
from likeness.tables import texts
from likeness.wording import count

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from likeness.forms.base import Publication
    from likeness.metrics.base import Evaluation
    from likeness.microdata.data import Microdata
    from likeness.microdata.domain import Domain
    from likeness.queries.contingency import ContingencyTables

BINS = 100
"""Default of ``bins``."""
_FIRST_DAY, _LAST_DAY = "0001-01-01", "9999-12-31"
_FAR = 1 << 62
_WHOLE = 1e-9
"""Estimates nearer than this to a whole number are that number: thirds of a record are summed to records; of people, to 0."""


@dataclass(frozen=True, eq=False)
class ColumnCells:
    """What is compared of a column: its D cells, the missing value last.

    ``of``: (codes,) int64, cell of each code. ``counts``: (D,) int64, records of the original in each. ``conditions``: what asks
    for each cell; where something lies as near to two of them, for all cells with it in the lower one, then in the upper one.
    """

    domain: Domain
    of: NDArray[np.int64]
    counts: NDArray[np.int64]
    conditions: Sequence[Any]

    @property
    def size(self) -> int:
        """Number D."""
        return int(self.counts.shape[0])

    @property
    def grouped(self) -> bool:
        """Whether there are fewer cells than values."""
        return self.size < self.domain.codes

    def name_of(self, cell: int) -> str:
        """Name a cell in messages, by the values in it."""
        first, last = self.ends_of(cell)
        if first == self.domain.missing_code:
            return "the missing value"
        name = self.domain.name_of(first)
        return name if first == last else f"{name} to {self.domain.name_of(last)}"

    def ends_of(self, cell: int) -> tuple[int, int]:
        """First and last code of a cell."""
        first, last = np.flatnonzero(self.of == cell)[[0, -1]].tolist()
        return first, last


def column_cells(domain: Domain, codes: NDArray[np.int32], bins: int) -> ColumnCells:
    """Choose the cells of a column, from the records of the original (n,)."""
    values = np.bincount(codes, minlength=domain.codes).astype(np.int64)
    of = np.arange(domain.codes)
    if domain.shape == "interval" and domain.size > bins:
        of[: domain.size] = _groups(values[: domain.size], bins)
        of[domain.size :] = of[domain.size - 1] + 1
    counts = np.bincount(of, values).astype(np.int64)
    lower, upper = (_conditions(domain, of[: domain.size], up=up) for up in (0, 1))
    missing: list[Any] = [[None]] if domain.missing else []
    return ColumnCells(
        domain, of, counts, [*lower, *missing, *([*upper, *missing] if upper != lower else [])]
    )


def _groups(counts: NDArray[np.int64], bins: int) -> NDArray[np.int64]:
    """(V,) Group of each value: that in which the middle of its records lies, of ``bins`` with equally many; none is empty."""
    middles = 2 * np.cumsum(counts) - counts
    place_of = middles * bins // max(1, 2 * int(counts.sum()))
    _, group = np.unique(place_of, return_inverse=True)
    return np.asarray(group, np.int64).reshape(-1)


def _conditions(domain: Domain, of: NDArray[np.int64], *, up: int) -> list[Any]:
    """Ask for each cell of a column, the missing value left out; with ``up`` 1 what lies as near to two cells is in the upper."""
    labels = domain.labels
    if domain.shape != "interval":
        values = tuple(labels)  # shared by all conditions
        return _made(domain, up) or [Consecutive(values, i, i + 1) for i in range(domain.size)]
    last = np.flatnonzero(np.diff(of, append=-1))
    first = np.append(0, last + 1)[:-1]
    if domain.kind not in NUMERIC:
        return [(labels[a], labels[b]) for a, b in zip(first.tolist(), last.tolist(), strict=True)]
    numbers = domain.numbers.astype(np.int64) if domain.kind == "date" else domain.values
    found = _nearest(numbers[first].tolist(), numbers[last].tolist(), up, whole=domain.kind != "real")
    return [_days(one) for one in found] if domain.kind == "date" else found


def _nearest(first: Sequence[Any], last: Sequence[Any], up: int, *, whole: bool) -> list[tuple[float, float]]:
    """Ends, which belong to it, of what is nearest to each of ascending stretches; ±∞ at the far ends.

    >>> _nearest([1, 4, 6], [1, 4, 6], 0, whole=True)
    [(-inf, 2), (3, 5), (6, inf)]
    """
    lows: list[float] = [-np.inf]
    highs: list[float] = []
    for low, high in zip(last, first[1:], strict=False):
        if whole:
            highs.append((int(low) + int(high) - up) // 2)
            lows.append(highs[-1] + 1)
        else:
            # The two may be neighbours among numbers of 64 bits.
            highs.append(float(min(low + (high - low) / 2, np.nextafter(high, -np.inf))))
            lows.append(float(np.nextafter(highs[-1], np.inf)))
    return list(zip(lows, [*highs, np.inf], strict=True)) if first else []


def _days(ends: tuple[float, float]) -> tuple[str, str]:
    """Write ends of days since 1970."""
    far = (_FIRST_DAY, _LAST_DAY)
    low, high = (
        texts(np.array([int(end)], "datetime64[D]"))[0] if np.isfinite(end) else furthest
        for end, furthest in zip(ends, far, strict=True)
    )
    return low, high


def _made(domain: Domain, up: int) -> list[Any]:
    """Ask for the leaves of a hierarchy that a rule made of numbers or days by their ends; nothing for others."""
    tree = domain.hierarchy
    if tree is None or not tree.data_derived:
        return []
    places = [own for label in domain.labels if (own := place(label)) is not None]
    ascending = sorted({own for _, own in places})
    if len(ascending) < domain.size or len({days for days, _ in places}) > 1:
        return []
    days, whole = places[0][0], all(own.denominator == 1 for own in ascending)
    numbers = [int(own) if whole else float(own) for own in ascending]
    ends = dict(zip(ascending, _nearest(numbers, numbers, up, whole=whole), strict=True))
    return [_days(ends[own]) if days else _finite(ends[own], whole=whole) for _, own in places]


def _finite(ends: tuple[float, float], *, whole: bool) -> tuple[float, float]:
    """Nodes of hierarchies are asked for by finite ends."""
    low, high = (end if np.isfinite(end) else int(np.sign(end)) * _FAR for end in ends)
    return (low, high) if whole else (float(low), float(high))


def compare(metric: str, evaluation: Evaluation, bins: int, *, sensitive: bool = False) -> Compared:
    """Put a table beside its release, once for all metrics that ask for it; ``sensitive``: its sensitive columns too.

    Raises `PolicyError` in the name of ``metric`` where there are no published tables, or these do not say enough.
    """
    publication = publication_of(metric, evaluation)
    try:
        found = evaluation.once(
            ("compared", bins), lambda: Compared.of_quasi(evaluation.data, publication, bins)
        )
        if sensitive:
            found = evaluation.once(("compared", bins, "sensitive"), found.with_sensitive)
    except TableError as problem:
        raise PolicyError(*problem.within(metric)) from None
    return found


def compare_column(subject: str, evaluation: Evaluation, bins: int, name: str) -> Compared:
    """Put one column beside its release, as `compare` does where all can be; what others lack does not count against it.

    Raises `PolicyError` in the name of ``subject`` where what is published of the column does not say enough.
    """
    publication = publication_of(subject, evaluation)
    try:
        return compare(subject, evaluation, bins, sensitive=True)
    except PolicyError:
        pass
    try:
        return evaluation.once(
            ("compared", bins, "column", name),
            lambda: Compared.of_column(evaluation.data, publication, bins, name),
        )
    except TableError as problem:
        raise PolicyError(*problem.within(subject)) from None


class Compared:
    """Shares of an original table beside those of its release, cell by cell.

    Shares are of the records of the whole table on one side, of what is published on the other; of people where survey weights
    were published. ``columns`` has the cells of each. Raises `TableError` where what is published does not say enough.
    """

    def __init__(
        self,
        data: Microdata,
        bins: int,
        weights: NDArray[np.float64] | None,
        columns: Mapping[str, ColumnCells],
        tables: ContingencyTables,
    ) -> None:
        self._data, self._bins, self._weights, self.columns, self._tables = (
            data,
            bins,
            weights,
            columns,
            tables,
        )
        self._codes = {
            domain.name: codes
            for domain, codes in zip(
                (*data.quasi, *data.sensitive), (*data.codes, *data.sensitive_codes), strict=True
            )
        }

    @classmethod
    def of_quasi(cls, data: Microdata, publication: Publication, bins: int) -> Compared:
        """Put the quasi-identifiers beside each other."""
        columns = zip(data.quasi, data.codes, strict=True)
        return cls._of(data, publication, bins, columns)

    @classmethod
    def of_column(cls, data: Microdata, publication: Publication, bins: int, name: str) -> Compared:
        """Put a quasi-identifier or sensitive column beside itself, whatever is said of the others."""
        columns = zip((*data.quasi, *data.sensitive), (*data.codes, *data.sensitive_codes), strict=True)
        return cls._of(data, publication, bins, (own for own in columns if own[0].name == name))

    @classmethod
    def _of(
        cls,
        data: Microdata,
        publication: Publication,
        bins: int,
        chosen: Iterable[tuple[Domain, NDArray[np.int32]]],
    ) -> Compared:
        people = data.survey_weights is not None and bool((publication.survey_weights != 1).any())
        columns = {domain.name: column_cells(domain, codes, bins) for domain, codes in chosen}
        tables = publication.contingency(_asked(columns), drawn=True)
        return cls(data, bins, data.survey_weights if people else None, columns, tables)

    def with_sensitive(self) -> Compared:
        """Put the sensitive columns beside each other too."""
        data = self._data
        columns = {
            domain.name: column_cells(domain, codes, self._bins)
            for domain, codes in zip(data.sensitive, data.sensitive_codes, strict=True)
        }
        self._tables.add(_asked(columns))
        return Compared(data, self._bins, self._weights, {**self.columns, **columns}, self._tables)

    def original(self, *names: str) -> NDArray[np.float64]:
        """(D,) or (D, D') Shares of the original's records in the cells of a column, or of two."""
        return _shares(self.original_counts(*names))

    def published(self, *names: str) -> NDArray[np.float64]:
        """(D,) or (D, D') Shares of what is published, as estimated; zeros where nothing is."""
        return _shares(self.published_counts(*names))

    def original_counts(self, *names: str) -> NDArray[np.float64]:
        """(D,) or (D, D') Records, or people, of the original."""
        sizes = [self.columns[name].size for name in names]
        keys = np.zeros(self._data.size, np.int64)
        for name, size in zip(names, sizes, strict=True):
            keys *= size
            keys += self.columns[name].of[self._codes[name]]
        found = np.bincount(keys, self._weights, int(np.prod(sizes)))
        return found.astype(np.float64).reshape(sizes)

    def published_counts(self, *names: str) -> NDArray[np.float64]:
        """(D,) or (D, D') Records, or people, that are published, as estimated.

        Estimates below 0, which a reconstruction of randomized values gives, count as 0.
        """
        counts = self._tables.pair(*names) if len(names) > 1 else self._tables.of(*names)
        for axis, name in enumerate(names):
            size = self.columns[name].size
            if counts.shape[axis] > size:
                lower, upper = np.split(counts, [size], axis)
                counts = (lower + upper) / 2
        if self._weights is None:
            near, within = np.rint(counts), _WHOLE
        else:
            near, within = np.zeros(counts.shape), _WHOLE * float(self._weights.mean())
        return np.maximum(np.where(np.abs(counts - near) < within, near, counts), 0.0)


def _asked(columns: Mapping[str, ColumnCells]) -> dict[str, Sequence[Any]]:
    """All conditions on each column."""
    return {name: own.conditions for name, own in columns.items()}


def _shares(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide by the sum; zeros where that is 0."""
    total = float(counts.sum())
    return counts / total if total > 0 else np.zeros(counts.shape)


def weighted_mean(evaluation: Evaluation, parts: Mapping[str, float]) -> float:
    """Average what was measured of the quasi-identifiers, by their weights."""
    weights = attribute_weights(evaluation.data.quasi).tolist()
    return fsum(
        weight * parts[domain.name] for weight, domain in zip(weights, evaluation.data.quasi, strict=True)
    )


def grouped(compared: Compared) -> dict[str, float]:
    """Count the columns that were compared in groups of values, for details."""
    columns = sum(own.grouped for own in compared.columns.values())
    return {"grouped": columns} if columns else {}


def grouped_note(details: Mapping[str, float], bins: int) -> str:
    """Say in words what `grouped` counted.

    >>> grouped_note({"grouped": 2}, 100)
    '2 columns of more than 100 values compared in at most so many groups of neighbours'
    """
    if not details.get("grouped"):
        return ""
    columns = count(int(details["grouped"]), "column")
    return f"{columns} of more than {bins:,} values compared in at most so many groups of neighbours"
