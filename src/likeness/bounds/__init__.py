"""How little any release of a table can lose: lower bounds that hold whatever the classes are.

Whoever is published is in a class that holds the guarantee, and so loses at least what the least hull of them and of enough
others loses: k of them under k-anonymity, as many of other values as their own value needs. Where cells are few, what somebody
makes others lose is counted too: records get prices by which no class is worth more than it loses, the dual of the choice of
classes, raised one after the other. A withheld record is charged 1 in its place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.microdata.grouping import Groups, group_codes
from likeness.microdata.regions import LOSSES, geometry
from likeness.models.base import LARGEST, DistributionModel
from likeness.models.requirements import require_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from likeness.microdata.data import Microdata
    from likeness.models.base import PrivacyModel
    from likeness.models.requirements import Requirement

HULLS = "least hulls"
PRICES = "prices"
TRIVIAL = "trivial"
_MOST_PAIRS = 30_000_000
_MOST_PRICED = 2_000
_MOST_VALUES = 64
_MOST_STEPS, _STEPS_A_CELL = 200_000, 1_000
"""Hulls that are looked at for all cells, and for one, at most: a report is not to wait for its bound."""
_ROUNDED = 1 - 1e-9


@dataclass(frozen=True)
class Bound:
    """A loss that no release of a table falls below.

    Parameters
    ----------
    value
        Loss per record of the table, 1 for each that is withheld.
    found_by
        ``least hulls``, or ``prices``, which also count what records make others lose; ``trivial``: only 0 was found.
    why
        Why it is trivial; empty where it is not.

    Examples
    --------
    >>> Bound(0.25, "least hulls").gap(1.0)
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

    def to_json(self, loss: float) -> dict[str, Any]:
        """Write it, beside what a release loses, as JSON can hold it."""
        found = {"value": self.value, "found_by": self.found_by, "charged_loss": loss, "gap": self.gap(loss)}
        return found | ({"why": self.why} if self.why else {})

    def line(self, loss: float) -> str:
        """Say it in one line, beside what a release loses."""
        if self.trivial:
            return f"no lower bound but 0 ({self.why})"
        return (
            f"no release loses less than {self.value:.4g} a record (found by {self.found_by}); this one loses {loss:.4g}, "
            f"a gap of {self.gap(loss):.1%}"
        )


def said(told: Mapping[str, Any]) -> str:
    """Say in one line what `Bound.to_json` wrote."""
    return Bound(told["value"], told["found_by"], told.get("why", "")).line(told["charged_loss"])


def lower_bound(
    data: Microdata, models: Iterable[PrivacyModel], loss: str, allowance: int, *, of_values: bool = True
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
    requirements = [one for one in require_of(models, data) if of_values or one.view is None]
    needed, others, values = _needs(data, requirements, allowance)
    if not ((needed > 1) | (others > 0)).any():
        return Bound(0.0, TRIVIAL, "no model says how many a class must hold")
    cells = _cells_of(data, needed, others, values)
    found, way = _losses(data, loss, cells, needed[cells.first], others[cells.first], values[cells.first])
    value = max(0.0, _sum(found, cells.sizes, allowance)) / data.size * _ROUNDED
    if value <= 0:
        return Bound(0.0, TRIVIAL, "every record that was looked at has enough others like it")
    return Bound(value, way)


def _sum(found: NDArray[np.float64], sizes: NDArray[np.int64], allowance: int) -> float:
    """Add up what records lose at least; those that may be withheld instead, the dearest, lose 1 then."""
    order = np.argsort(-found, kind="stable")
    before = np.cumsum(sizes[order]) - sizes[order]
    out = np.clip(allowance - before, 0, sizes[order])
    spared = (out * np.maximum(0.0, found[order] - 1.0)).sum()
    return float((found * sizes).sum() - spared)


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


def _losses(
    data: Microdata,
    loss: str,
    cells: Groups,
    needed: NDArray[np.int64],
    others: NDArray[np.int64],
    values: NDArray[np.int64],
) -> tuple[NDArray[np.float64], str]:
    """(C,) What the records of each cell lose at least, taken together, and how that was found."""
    from likeness.bounds.kernels.hulls import least_hulls

    laid = geometry(data.quasi, LOSSES[loss])
    codes = np.ascontiguousarray(data.codes[:, cells.first].T)
    short = np.flatnonzero((cells.sizes < needed) | (others > 0))
    most = max(1, _MOST_PAIRS // cells.count)
    order = short if short.size <= most else short[np.linspace(0, short.size - 1, most).astype(np.int64)]
    steps = min(_STEPS_A_CELL, _MOST_STEPS // max(1, order.size) + 1)
    found = least_hulls(laid, codes, cells.sizes, values, needed, others, order, steps)
    if cells.count > _MOST_PRICED:
        return found, HULLS
    from likeness.bounds.kernels.prices import raised

    dearest = np.argsort(-found, kind="stable")
    priced = found
    for share in (0.5, 1.0):
        priced = raised(laid, codes, cells.sizes, needed, found, dearest, priced, share, _STEPS_A_CELL)
    return priced, PRICES


def _needs(
    data: Microdata, requirements: list[Requirement], allowance: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """(n,) Of each record, how many its class must hold, how many of other values, and its own value (-1: not asked)."""
    needed, others = np.ones(data.size, np.int64), np.zeros(data.size, np.int64)
    values = np.full(data.size, -1, np.int64)
    for one in requirements:
        conditions = one.model.conditions
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
    if model.conditions.values is not None:
        strange[:] = max(0, int(np.ceil(float(model.conditions.values))) - 1)
    compares = isinstance(model, DistributionModel) and not model.against_original and allowance > 0
    if not compares:
        smallest = requirement.bound.smallest_classes()
        if smallest.size == size:
            least = np.maximum(least, smallest)
    elif np.count_nonzero(counts) > _MOST_VALUES:
        return least, strange
    own = requirement.bound
    for code in np.flatnonzero(counts).tolist():
        if compares:
            # A value is limited least where all that is withheld is of other values.
            out = np.flatnonzero(codes != code)[:allowance]
            left = data.take(np.setdiff1d(np.arange(data.size), out))
            own = require_of((model,), left, data)[0].bound
        sizes = own.sizes_needed(counts)
        if sizes is None:
            break
        if sizes[code].size:
            least[code] = max(least[code], int(sizes[code][0]))
            apart = sizes[code] - np.arange(1, sizes[code].size + 1)
            strange[code] = max(strange[code], int(apart.min()))
    return least, strange


__all__ = ["HULLS", "PRICES", "TRIVIAL", "Bound", "lower_bound", "said"]
