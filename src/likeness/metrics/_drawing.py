"""Random ranges on the domain of one attribute: the conditions of random queries."""

from __future__ import annotations

from abc import ABC, abstractmethod
from math import ceil
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from likeness.forms._stretches import place
from likeness.forms._workload import Consecutive
from likeness.microdata.domain import NUMERIC
from likeness.tables import texts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.microdata.domain import Domain


CONDITIONS: Final = ("ranges", "values")
"""How conditions are drawn."""


class Line(ABC):
    """The domain of an attribute, as something that ranges are drawn on."""

    @abstractmethod
    def draw(self, rng: np.random.Generator, share: float, count: int) -> NDArray[np.float64]:
        """(count,) Draw where ranges begin that cover a share of the domain."""

    @abstractmethod
    def condition(self, start: float, share: float) -> Any:
        """Make a condition, as in `Query`, of the range that begins there."""


class Places(Line):
    """A discrete domain of L places: whole numbers, days, ranks of values, of leaves in pre-order.

    A range covers ``w = max(1, round(L · share))`` of them and begins at any of the first L - w + 1, all equally
    likely (spec section 5.4).
    """

    size: int
    up: bool = False
    """Whether widths are rounded up: ``⌈L · share⌉`` (spec 2.7 of paper 004)."""

    def width(self, share: float) -> int:
        """Count the places a range covers.

        Examples
        --------
        >>> Numbers(16, 94).width(0.562)
        44
        >>> line = Numbers(16, 94)
        >>> line.up = True
        >>> line.width(0.562)
        45
        """
        places = self.size * share
        # A share such as 0.001^(1/3) is a bit above what it stands for.
        return max(1, ceil(round(places, 9)) if self.up else round(places))

    def draw(self, rng: np.random.Generator, share: float, count: int) -> NDArray[np.float64]:
        """(count,) Draw first places."""
        # Whole numbers of 64 bits may lie further apart than signed ones can count.
        return rng.integers(0, self.size - self.width(share) + 1, count, np.uint64).astype(np.float64)


class Numbers(Places):
    """Whole numbers from ``low`` to ``high``, or days since 1970.

    Examples
    --------
    >>> Numbers(16, 94).condition(4, 0.5)
    (20, 59)
    """

    def __init__(self, low: int, high: int, *, days: bool = False) -> None:
        self.low, self.size, self.days = low, high - low + 1, days

    def condition(self, start: float, share: float) -> Any:
        """Make a pair."""
        first = self.low + int(start)
        ends = (first, first + self.width(share) - 1)
        return tuple(texts(np.array(ends, "datetime64[D]"))) if self.days else ends


class Listed(Places):
    """Values in an order of their own.

    Parameters
    ----------
    values
        What the ends of a pair may be, or the values themselves.
    pairs
        Whether a range is a pair of its ends, which columns that have an order understand.
    """

    def __init__(self, values: tuple[Any, ...], *, pairs: bool) -> None:
        self.values, self.size, self.pairs = values, len(values), pairs

    def condition(self, start: float, share: float) -> Any:
        """Make a pair, or a collection of neighbours."""
        first = int(start)
        stop = first + self.width(share)
        return (
            (self.values[first], self.values[stop - 1])
            if self.pairs
            else Consecutive(self.values, first, stop)
        )


class Chosen(Places):
    """Values of which any may be asked for together, all sets of so many being equally likely.

    What is drawn is a number that the choice follows from.

    Parameters
    ----------
    values
        All of them.

    Examples
    --------
    >>> line = Chosen(("flu", "gout", "HIV", "ulcer"))
    >>> line.condition(line.draw(np.random.default_rng(1), 0.5, 1)[0], 0.5)
    ['HIV', 'ulcer']
    """

    def __init__(self, values: tuple[Any, ...]) -> None:
        self.values, self.size, self.up = values, len(values), True

    def draw(self, rng: np.random.Generator, share: float, count: int) -> NDArray[np.float64]:
        """(count,) Draw numbers; only one where there is nothing to choose."""
        if self.width(share) == self.size:
            return np.zeros(count)
        return rng.integers(0, 1 << 53, count).astype(np.float64)

    def condition(self, start: float, share: float) -> Any:
        """Make a list of values."""
        rng = np.random.Generator(np.random.PCG64(int(start)))
        chosen = np.sort(rng.choice(self.size, self.width(share), replace=False))
        return [self.values[i] for i in chosen.tolist()]


class Reals(Line):
    """Real numbers from ``low`` to ``high``: a range is ``share`` of that long and begins anywhere it fits.

    Examples
    --------
    >>> Reals(0.0, 8.0).condition(1.0, 0.5)
    (1.0, 5.0)
    """

    def __init__(self, low: float, high: float) -> None:
        self.low, self.high = low, high

    def draw(self, rng: np.random.Generator, share: float, count: int) -> NDArray[np.float64]:
        """(count,) Draw lower ends."""
        return self.low + (self.high - self.low) * (1 - share) * rng.random(count)

    def condition(self, start: float, share: float) -> Any:
        """Make a pair."""
        return (float(start), float(start + (self.high - self.low) * share))


def line_of(domain: Domain, conditions: str = "ranges") -> Line:
    """Choose what conditions on a column are drawn from.

    Parameters
    ----------
    domain
        The column.
    conditions
        ``ranges`` (paper 002), or ``values``: any values of categories and leaves, widths rounded up (paper 004).
    """
    line = _line_of(domain)
    if conditions == "values" and isinstance(line, Listed) and not line.pairs:
        return Chosen(line.values)
    if conditions == "values" and isinstance(line, Places):
        line.up = True
    return line


def _line_of(domain: Domain) -> Line:
    """Choose what ranges on a column are ranges of.

    Whole numbers and days between the ends of the domain, declared ones where they are; lengths for reals; ranks for
    ordered values, leaves and categories. Leaves of a hierarchy made from the data that are numbers or days are
    ordered by these, because nobody else is told their ranks. The missing value is never asked for.
    """
    if domain.kind in NUMERIC:
        ends = (domain.low, domain.high)
        if not (ends[0] <= domain.numbers.min() and domain.numbers.max() <= ends[1]):
            ends = (float(domain.numbers.min()), float(domain.numbers.max()))
        if domain.kind == "real":
            return Reals(*ends)
        return Numbers(int(np.ceil(ends[0])), int(np.floor(ends[1])), days=domain.kind == "date")
    labels = tuple(domain.labels)
    if domain.kind == "ordered":
        return Listed(labels, pairs=True)
    found = [place(label) for label in labels]
    if domain.hierarchy is not None and domain.hierarchy.data_derived and all(found):
        ordered = sorted((one for one in found if one is not None), key=lambda one: one[1])
        return Listed(tuple(_end(*one) for one in ordered), pairs=True)
    return Listed(labels, pairs=False)


def _end(days: bool, at: Any) -> Any:
    """Write a number or a day as an end of a condition."""
    if days:
        return texts(np.array([int(at)], "datetime64[D]"))[0]
    return int(at) if at.denominator == 1 else float(at)
