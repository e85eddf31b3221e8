"""How little any release of a table can lose: lower bounds that hold whatever the classes are.

Whoever is published is in a class that holds the guarantee, and so of at least so many records: k under k-anonymity, as many of
other values as their own value needs. Records get prices by which no such class is worth more than it loses, the dual of
the choice of classes, so no release loses less than all are worth. A lonely record is worth what it makes k records lose. A
withheld one is charged 1 in its place. Where intervals are rounded outward to cells of a lattice, every record loses a cell,
too.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from math import ceil, prod
from os import cpu_count
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.microdata.grouping import Groups, group_codes
from likeness.microdata.levels import most_levels
from likeness.microdata.regions import LOSSES, attribute_weights, geometry
from likeness.models.base import LARGEST
from likeness.models.requirements import require_of
from likeness.progress import Progress
from likeness.relaxation import ClassNeeds, Relaxation, asked_of, combinations, gains, inner, levelled
from likeness.wording import count as counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from likeness.kernels.hulls import Geometry
    from likeness.microdata.data import Microdata
    from likeness.models.base import PrivacyModel
    from likeness.models.requirements import Requirement

PRICES = "prices"
RELAXATION = "relaxation"
TRIVIAL = "trivial"
_MOST_PAIRS = 3_000_000
_MOST_VALUES = 64
_MOST_STEPS, _STEPS_A_CELL = 20_000, 1_000
"""Hulls that are looked at for values that must mix, for all cells and for one, at most: a report does not wait for its bound."""
_MOST_NEAR, _MOST_LISTED, _MOST_LOOKS = 1_000, 2_000_000, 100_000_000
"""Neighbours of a cell and of all, at most, and looks at attributes of cells to find them."""
_STEPS_A_PRICE, _STEPS_IN_ALL = 100_000, 12_500_000
"""Cells that are looked at for one price and for all of them, at most."""
_MOST_GROUPED, _REACH, _STEPS = 120_000_000, 2.0, 200
"""Cells that are grouped by vectors of levels, at most; how far combinations reach that have a say in prices; steps to these."""
_MOST_DIFFERENT = 64
"""Different values of a class that the relaxation looks for, at most: every combination notes those that it has seen."""
_FEW = 10_000
"""Cells of a table whose other prices are found so fast that they are looked at beside these."""
_LARGE, _LEAST_SHARE = 30_000, 0.1
"""Records of which tables have all neighbours and cells that may be looked at, and the share of these that any table has."""
_GROWTH, _MOST_LEVELS = 1.25, 100
"""Of the levels of prices one to the next, and how many there are at most."""
_ROUNDED = 1 - 1e-9


@dataclass(frozen=True)
class Bound:
    """A loss that no release of a table falls below.

    Parameters
    ----------
    value
        Loss per record of the table, 1 for each that is withheld.
    found_by
        ``prices``: of all records, by which no class is worth more than it loses; ``relaxation``: such prices, less what classes
        can be worth more; ``trivial``: only 0 was found.
    why
        Why it is trivial; empty where it is not.

    Examples
    --------
    >>> Bound(0.25, "prices").gap(1.0)
    0.75
    """

    value: float
    found_by: str
    why: str = ""

    @property
    def trivial(self) -> bool:
        """Whether nothing was found."""
        return self.found_by == TRIVIAL

    def gap(self, loss: float) -> float:
        """Loss minus bound over loss: 0 where nothing can lose less.

        Parameters
        ----------
        loss
            What a release loses per record, 1 for each that is withheld.
        """
        return 0.0 if loss <= self.value else (loss - self.value) / loss

    def to_json(self, loss: float, withheld: int = 0) -> dict[str, Any]:
        """Write it, beside what a release loses that withholds so many records, as JSON can hold it."""
        found = {
            "value": self.value,
            "found_by": self.found_by,
            "charged_loss": loss,
            "charged_withheld": withheld,
            "gap": self.gap(loss),
        }
        return found | ({"why": self.why} if self.why else {})

    def line(self, loss: float, withheld: int = 0) -> str:
        """Say it in one line, beside what a release loses that withholds so many records.

        >>> Bound(0.25, "prices").line(0.5, withheld=2).partition("; ")[2]
        'this one loses 0.5 with 2 withheld records at 1 each, a gap of 50.0%'
        """
        if self.trivial:
            return f"no lower bound but 0 ({self.why})"
        charged = f" with {counted(withheld, 'withheld record')} at 1 each" if withheld else ""
        return (
            f"no release loses less than {self.value:.4g} a record (found by {self.found_by}); this one loses "
            f"{loss:.4g}{charged}, a gap of {self.gap(loss):.1%}"
        )


def said(told: Mapping[str, Any]) -> str:
    """Say in one line what `Bound.to_json` wrote."""
    return Bound(told["value"], told["found_by"], told.get("why", "")).line(
        told["charged_loss"], told["charged_withheld"]
    )


def lower_bound(
    data: Microdata,
    models: Iterable[PrivacyModel],
    loss: str,
    allowance: int,
    *,
    of_values: bool = True,
    patient: bool = False,
) -> Bound:
    """Find a loss that no release falls below.

    Parameters
    ----------
    data
        All records.
    models
        What must hold of every class, a model for each sensitive column.
    loss
        The loss of a cell: ``ncp``, ``glm`` or ``iloss``.
    allowance
        Most records that may be withheld: models that compare with the distribution of the others can be easier to hold then.
    of_values
        Whether models of sensitive values are about the classes that regions are of; not where buckets differ from these.
    patient
        Whether it may take some seconds, where nodes of hierarchies are shown.

    Returns
    -------
    Bound
        Proven up to rounding. Of tables of many cells only some are looked at, and the others are taken to lose nothing.
    """
    if data.individuals is not None:
        return Bound(0.0, TRIVIAL, "people may have several records")
    if data.survey_weights is not None:
        return Bound(0.0, TRIVIAL, "records have survey weights")
    if any(domain.shown != "region" for domain in data.quasi) or not data.quasi or data.size == 0:
        return Bound(0.0, TRIVIAL, "no regions are published")
    requirements = _asked(data, models, of_values)
    needed, others, values = _needs(data, requirements, allowance)
    data, cell = _rounded_down(data, loss)
    if not ((needed > 1) | (others > 0)).any() and cell == 0:
        return Bound(0.0, TRIVIAL, "no model says how many a class must hold")
    relaxed = 0.0
    if patient:
        # Whatever else is asked for, no class is smaller than what asks for the fewest needs.
        (k, different), own = asked_of(requirements, data)
        asked = ClassNeeds(max(k, int(needed.min())), min(different, _MOST_DIFFERENT))
        relaxed = 0.0 if asked.k == 1 else _relaxed(data, loss, asked, own, allowance) * _ROUNDED
        alike = needed.min() == needed.max() and others.max() < different
        if relaxed > 0 and alike and data.tuples.count > _FEW:
            return Bound(relaxed, RELAXATION)
    prices = _prices(data, loss, needed, others, values) + cell
    # Those that may be withheld instead, the dearest, lose 1 then.
    spared = np.sort(prices)[prices.size - min(allowance, prices.size) :]
    value = max(0.0, float(prices.sum() - np.maximum(0.0, spared - 1.0).sum())) / data.size * _ROUNDED
    if relaxed > value:
        return Bound(relaxed, RELAXATION)
    if value <= 0:
        return Bound(0.0, TRIVIAL, "every record that was looked at has enough others like it")
    return Bound(value, PRICES)


def _rounded_down(data: Microdata, loss: str) -> tuple[Microdata, float]:
    """Begin intervals that are rounded outward to cells where the cells begin; and what a record loses of its cells, at least.

    From the beginning of the first cell of a class to the end of the last it is as far as to where the last begins, and a cell.
    Cells may reach beyond the ends of the domain: as if these were farther apart, so that nothing loses more than everything.
    """
    quasi, codes, cell = list(data.quasi), data.codes.copy(), 0.0
    for j, (domain, weight) in enumerate(zip(data.quasi, attribute_weights(data.quasi), strict=True)):
        lattice = domain.lattice
        # Mixed with the missing value an interval loses everything, and no cell besides; where all are alike it loses nothing.
        if lattice is None or domain.shape != "interval" or domain.missing or domain.width <= 0:
            continue
        low, high = min(domain.low, float(domain.numbers[0])), max(domain.high, float(domain.numbers[-1]))
        quasi[j] = replace(domain, low=low, high=high)
        positions = LOSSES[loss].positions(quasi[j])
        widths = (positions[lattice.last] - positions[lattice.first])[codes[j]]
        codes[j] = lattice.first[codes[j]]
        cell += float(weight * widths.min())
    return (replace(data, quasi=tuple(quasi), codes=codes), cell) if cell > 0 else (data, 0.0)


def _relaxed(
    data: Microdata, loss: str, asked: ClassNeeds, values: NDArray[np.int64] | None, allowance: int
) -> float:
    """Bound what a record of any release loses that shows nodes of hierarchies; 0 where that takes too long.

    Its classes have as many records and different ``values`` (n,) as are asked for.
    """
    vectors = prod(most_levels(domain) for domain in data.quasi)
    if any(
        domain.shape != "tree" for domain in data.quasi
    ) or vectors * data.tuples.count > _MOST_GROUPED * _share(data):
        return 0.0
    cells = levelled(data, np.arange(data.size), np.zeros(data.size, np.int64), loss, values)
    if values is not None and cells.vectors * cells.sizes.size > _MOST_GROUPED * _share(data):
        # Records alike but for their values are fewer.
        return _relaxed(data, loss, ClassNeeds(asked.k), None, allowance)
    with ThreadPoolExecutor(max(1, cpu_count() or 1)) as workers:
        found = combinations(cells, asked, _REACH, cells.vectors, workers, Progress())
        relaxation = Relaxation(cells, asked, found, workers)
        # More than k in his cheapest combination lose is nobody worth, and nothing who has enough like him.
        relaxation.ceiling = asked.k * relaxation.prices
        relaxation.price(_STEPS)
        prices = relaxation.proven.copy()
        more = gains(cells, asked, prices, workers)
    # Whom no class can hold can only be withheld.
    prices[np.bincount(found.cells, minlength=prices.size) == 0] = 1.0
    value = inner(cells.sizes, prices) - more
    if allowance > 0:
        spared = np.sort(np.repeat(prices, cells.sizes))[data.size - min(allowance, data.size) :]
        value -= float(np.maximum(0.0, spared - 1.0).sum())
    return max(0.0, value) / data.size


def record_prices(
    data: Microdata, models: Iterable[PrivacyModel], loss: str, allowance: int, *, of_values: bool = True
) -> NDArray[np.float64]:
    """Find prices of the records by which no class that holds the models is worth more than its records lose together.

    Parameters
    ----------
    data, models, loss, allowance, of_values
        As for `lower_bound`, of a table whose quasi-identifiers are published as regions.

    Returns
    -------
    numpy.ndarray
        (n,) Prices, at least 0. Whom no class can hold is worth 1.
    """
    return _prices(data, loss, *_needs(data, _asked(data, models, of_values), allowance))


def _asked(data: Microdata, models: Iterable[PrivacyModel], of_values: bool) -> list[Requirement]:
    """List what is asked of the classes that regions are of."""
    return [one for one in require_of(models, data) if of_values or one.view is None]


def _share(data: Microdata) -> float:
    """Share of what may be looked at: the search of a small table is over sooner, and its report shall not take longer."""
    return min(1.0, max(_LEAST_SHARE, data.size / _LARGE))


def _cells_of(
    data: Microdata, needed: NDArray[np.int64], others: NDArray[np.int64], values: NDArray[np.int64]
) -> Groups:
    """Group records that are alike in their quasi-identifiers and in what they need."""
    columns = [*data.codes, values + 1, _ranks(needed), _ranks(others)]
    radices = [domain.codes for domain in data.quasi] + [int(own.max()) + 1 for own in columns[-3:]]
    return group_codes(columns, radices)


def _ranks(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number the different numbers."""
    return np.unique(numbers, return_inverse=True)[1].reshape(-1).astype(np.int64)


def _prices(
    data: Microdata,
    loss: str,
    needed: NDArray[np.int64],
    others: NDArray[np.int64],
    values: NDArray[np.int64],
) -> NDArray[np.float64]:
    """(n,) Prices of the records, by which no class is worth more than it loses."""
    from likeness.bounds.kernels.near import neighbours, spread
    from likeness.bounds.kernels.prices import grown

    cells = _cells_of(data, needed, others, values)
    needed, others, values = needed[cells.first], others[cells.first], values[cells.first]
    laid = geometry(data.quasi, LOSSES[loss])
    codes = np.ascontiguousarray(data.codes[:, cells.first].T)
    # First what tells most cells apart: whole blocks of far ones are passed over.
    axes = np.argsort(-spread(laid, codes), kind="stable")
    order = np.lexsort(codes.T[axes[::-1]])
    codes, sizes = codes[order], cells.sizes[order]
    needed, others, values = needed[order], others[order], values[order]
    floors = _floors(laid, codes, sizes, needed, others, values)
    # Whom not even everybody is enough for can only be withheld, and is in no class.
    alone = needed > data.size
    floors[alone] = np.inf
    anchors = np.flatnonzero(((sizes < needed) | (floors > 0)) & ~alone)
    same, after = _blocks(codes[:, axes])
    share = _share(data)
    listed = neighbours(
        laid,
        codes,
        axes,
        same,
        after,
        sizes,
        needed,
        floors,
        anchors,
        _GROWTH,
        min(_MOST_NEAR, int(_MOST_LISTED * share) // max(1, anchors.size)),
        _MOST_LOOKS,
    )
    found = np.zeros(cells.count)
    highest = listed[-1].max(initial=0.0)
    if highest > 0:
        levels = _levels(listed[2], highest)
        found[order] = grown(
            laid,
            codes,
            sizes,
            needed,
            floors,
            anchors,
            *listed,
            levels,
            _STEPS_A_PRICE,
            int(_STEPS_IN_ALL * share),
        )
    found[order[alone]] = 1.0
    return found[cells.of]


def _floors(
    laid: Geometry,
    codes: NDArray[np.int32],
    sizes: NDArray[np.int64],
    needed: NDArray[np.int64],
    others: NDArray[np.int64],
    values: NDArray[np.int64],
) -> NDArray[np.float64]:
    """(C,) What a class of each cell loses at least for the other values that it must have; 0 where none must be."""
    from likeness.bounds.kernels.hulls import least_hulls

    mixed = np.flatnonzero(others > 0)
    if not mixed.size:
        return np.zeros(sizes.size)
    most = max(1, _MOST_PAIRS // sizes.size)
    looked_at = mixed if mixed.size <= most else mixed[np.linspace(0, mixed.size - 1, most).astype(np.int64)]
    steps = min(_STEPS_A_CELL, _MOST_STEPS // looked_at.size + 1)
    return np.asarray(least_hulls(laid, codes, sizes, values, needed, others, looked_at, steps))


def _blocks(codes: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Find where sorted rows change: in how many columns each is as the one before, and (d, C) the next that is not."""
    count, d = codes.shape
    changed = np.ones((count, d), np.bool_)
    changed[1:] = np.logical_or.accumulate(codes[1:] != codes[:-1], axis=1)
    after = np.full((d, count), count, np.int64)
    for j in range(d):
        begins = np.flatnonzero(changed[:, j])
        after[j] = np.append(begins[1:], count)[np.cumsum(changed[:, j]) - 1]
    return np.count_nonzero(~changed, axis=1).astype(np.int64), after


def _levels(losses: NDArray[np.float64], highest: float) -> NDArray[np.float64]:
    """Levels for prices to grow to, up to the highest; of those below every loss that is not 0 only the last."""
    levels = highest * _GROWTH ** -np.arange(_MOST_LEVELS, dtype=np.float64)[::-1]
    least = losses[losses > 0].min(initial=highest)
    return levels[max(0, int(np.searchsorted(levels, least)) - 1) :]


def _needs(
    data: Microdata, requirements: list[Requirement], allowance: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """(n,) Of each record, how many its class must hold, how many of other values, and its own value (-1: not asked)."""
    needed, others = np.ones(data.size, np.int64), np.zeros(data.size, np.int64)
    values = np.full(data.size, -1, np.int64)
    for one in requirements:
        conditions = one.conditions
        needed = np.maximum(needed, min(conditions.size or 1, LARGEST))
        if one.view is None:
            continue
        codes = one.view.codes(data.judged_codes)
        least, strange = _of_values(data, one, codes, allowance)
        needed = np.maximum(needed, least[codes])
        # Of several columns only one can be counted apart.
        if strange.any() and not others.any():
            others, values = strange[codes], codes
    return np.minimum(needed, data.size + 1), np.minimum(others, data.size + 1), values


def _of_values(
    data: Microdata, requirement: Requirement, codes: NDArray[np.int64], allowance: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(codes,) How many records a class must hold that has one of each value, and how many of other values."""
    assert requirement.view is not None  # noqa: S101  # asked only of models of values
    size = requirement.view.values
    counts = np.bincount(codes, minlength=size)
    least, strange = np.ones(size, np.int64), np.zeros(size, np.int64)
    model = requirement.model
    if requirement.conditions.values is not None:
        strange[:] = max(0, min(data.size + 1, ceil(requirement.conditions.values)) - 1)
    judged = replace(data, quasi=(), codes=data.codes[:0])
    eased = requirement.at_least(judged, allowance)
    compares, own = eased is None, (eased or requirement).bound
    if not compares:
        least[:] = own.smallest_class
        smallest = own.smallest_classes()
        if smallest.size == size:
            least = np.maximum(least, smallest)
    elif own.sizes_needed(counts) is None or np.count_nonzero(counts) > _MOST_VALUES:
        return least, strange
    for code in np.flatnonzero(counts).tolist():
        if compares:
            # A value is limited least where all that is withheld is of other values.
            left = np.ones(data.size, np.bool_)
            left[np.flatnonzero(codes != code)[:allowance]] = False
            own = require_of((model,), judged.take(np.flatnonzero(left)), judged)[0].bound
        sizes = own.sizes_needed(counts)
        if sizes is None:
            break
        if sizes[code].size:
            least[code] = max(least[code], int(sizes[code][0]))
            apart = sizes[code] - np.arange(1, sizes[code].size + 1)
            strange[code] = max(strange[code], int(apart.min()))
    return least, strange


__all__ = ["PRICES", "RELAXATION", "TRIVIAL", "Bound", "lower_bound", "record_prices", "said"]
