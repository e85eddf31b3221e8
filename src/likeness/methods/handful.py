"""The best of all partitions of a handful of records, under any composition of models."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from likeness.methods.base import holding_classes
from likeness.microdata.data import Members
from likeness.microdata.plan import Plan, renumber
from likeness.microdata.regions import attribute_weights, recode, region_losses
from likeness.models.requirements import require_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from likeness.methods.base import Problem
    from likeness.microdata.data import Microdata
    from likeness.microdata.plan import Reason

_MOST_RECORDS = 12
"""Of more, there are too many sets of records to judge each."""


def is_handful(problem: Problem) -> bool:
    """Whether all partitions can be looked at, and what a class loses depends on its own records alone, one a person."""
    data = problem.data
    return (
        0 < data.size <= _MOST_RECORDS
        and (data.members is None or data.members.records.size == data.size)
        and data.copies is None
        and data.source is None
        and data.survey_weights is None
        and not data.knowledge
        and bool(data.quasi)
        and not problem.loss.crowd
        and all(domain.attained is None and domain.shown == "region" for domain in data.quasi)
    )


def best_partitions(problem: Problem) -> Iterator[NDArray[np.int64]]:
    """Give the classes (n,) of least loss, -1 for whom the policy allows to withhold where that loses less; then without.

    Every set of records is judged as a class, exactly. Then the least loss of every set is that of a class which holds, with
    the first of its records, and of what is left (or what the first is charged). The first partition given may fail where
    models compare with the distribution of what is published; none is given where no partition holds.
    """
    data, records = problem.data, problem.data.size
    everybody = (1 << records) - 1
    sets = np.arange(1, everybody + 1)
    number, row = np.nonzero((sets[:, None] >> np.arange(records)) & 1)
    classes = _repeated(data, row)
    holds = holding_classes(problem.requirements, classes, number, sets.size)
    if problem.parts is not None:
        of_set = problem.parts[row[np.searchsorted(number, np.arange(sets.size))]]
        holds[number[problem.parts[row] != of_set[number]]] = False
    merged, recoding = recode(classes, Plan(number))
    shown = np.zeros(sets.size, np.int64)
    shown[number] = merged.classes
    lost = np.zeros(recoding.classes)
    for regions, weight in zip(recoding.attributes, attribute_weights(data.quasi), strict=True):
        lost += weight * region_losses(regions, problem.loss)[regions.of]
    cost = np.append(0.0, lost[shown] * np.bincount(number))
    good = sets[holds]
    beginning = [good[good & -good == 1 << bit] for bit in range(records)]
    allowance = min(max(0, problem.allowance), records)
    price = problem.loss.withheld(records)
    # Of every set of records, by how many of it may be withheld: the least loss, and the class of its first record.
    least = np.full((everybody + 1, allowance + 1), np.inf)
    least[0] = 0.0
    taken = np.zeros(least.shape, np.int64)
    for own in range(1, everybody + 1):
        first = own & -own
        some = beginning[first.bit_length() - 1]
        some = some[some & ~own == 0]
        if some.size:
            together = cost[some, None] + least[own ^ some]
            best = together.argmin(axis=0)
            least[own], taken[own] = together[best, np.arange(allowance + 1)], some[best]
        without = np.append(np.inf, price + least[own ^ first, :-1])
        taken[own, without < least[own]] = 0
        least[own] = np.minimum(least[own], without)
    for most in dict.fromkeys((allowance, 0)):
        if least[everybody, most] < np.inf:
            yield _followed(taken, records, most)


def as_plan(classes: NDArray[np.int64], reason: Reason) -> Plan:
    """Make a plan of such classes; whom they leave out is withheld for the ``reason``."""
    out = classes < 0
    return Plan(renumber(np.where(out, classes.max() + 1, classes))).withhold(out, reason)


def _repeated(data: Microdata, rows: NDArray[np.int64]) -> Microdata:
    """Take records, some of them several times, each time for another person's."""
    if data.members is None:
        return data.take(rows)
    record = np.argsort(data.members.of)[rows]
    members = Members(np.arange(rows.size), data.members.records.take(record))
    return replace(replace(data, members=None).take(rows), members=members)


def _followed(taken: NDArray[np.int64], records: int, most: int) -> NDArray[np.int64]:
    """(n,) Class of each record, by the class that was taken of what was left."""
    classes = np.full(records, -1, np.int64)
    left, number = (1 << records) - 1, 0
    while left:
        own = int(taken[left, most])
        if own == 0:
            left ^= left & -left
            most -= 1
            continue
        classes[(own >> np.arange(records)) & 1 == 1] = number
        left ^= own
        number += 1
    return classes


def holds_published(problem: Problem, plan: Plan) -> bool:
    """Whether all classes of a plan hold once equal ones are one, compared with the distribution of what it publishes."""
    merged = recode(problem.data, plan)[0]
    left = np.flatnonzero(merged.published)
    if not left.size:
        return False
    data = problem.data.take(left)
    requirements = problem.requirements
    if left.size < problem.data.size:
        requirements = require_of(tuple(one.model for one in requirements), data, problem.data)
    return bool(holding_classes(requirements, data, merged.classes[left], merged.count).all())
