"""Buckets of categories that are varied enough (θ-sensitivity): the papers' exchanges and noise, and dealing.

The papers' search (Khan et al. 2020; Fazal et al. 2023, algorithm 1) cuts the table into buckets of k in its order. Of a bucket
that is not varied enough, the last tuple of a most frequent category is exchanged with the first one behind the bucket whose
category it lacks; when there is none, it is filled up with invented records. Whoever comes late finds the rare categories gone,
so invented records gather at the end. Dealing gives every bucket its share of every category, and invents nobody.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from likeness.errors import PolicyError, Refusal
from likeness.methods.base import holding_classes, table_fails
from likeness.microdata.plan import Added, Plan, Reason
from likeness.models.theta_sensitivity import ThetaSensitivity

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.methods.base import Problem
    from likeness.microdata.data import Microdata
    from likeness.models.requirements import Requirement, View


@dataclass(frozen=True, eq=False)
class Varied:
    """Buckets as the papers' search makes them.

    ``buckets``: (n,) int64, bucket of each record; ``added``: what was invented, None if nothing; ``exchanges``: how many
    were made; ``filled``: buckets that have invented records.
    """

    buckets: NDArray[np.int64]
    added: Added | None
    exchanges: int
    filled: int

    @property
    def history(self) -> dict[str, int]:
        """What is kept of it in ``private/``."""
        invented = 0 if self.added is None else self.added.size
        return {"exchanges": self.exchanges, "invented": invented, "buckets_with_invented": self.filled}


def the_model(
    name: str, requirements: tuple[Requirement, ...], *, alone: bool
) -> tuple[ThetaSensitivity, Requirement, View]:
    """Find the θ-sensitivity among requirements, and what it looks at.

    ``alone``: nothing but sizes may be asked beside it. Raises `PolicyError` where it is not there once, or not ``alone``.
    """
    found = [
        (one.model, one, one.view)
        for one in requirements
        if isinstance(one.model, ThetaSensitivity) and one.view is not None
    ]
    if len(found) != 1:
        what = f"makes buckets for one {ThetaSensitivity.name}; this guarantee has {len(found)}"
        raise PolicyError(Refusal(what, (name,)))
    others = [one for one in requirements if one is not found[0][1] and not one.conditions.size_alone]
    if alone and (others or found[0][2].known):
        model = others[0].subject if others else f"{found[0][1].subject} with other sensitive columns known"
        what = f"variant: paper makes buckets for {ThetaSensitivity.name} and a size alone, not for {model}"
        raise PolicyError(Refusal(what, (name,)))
    return found[0]


def too_few(problem: Problem, k: int) -> Plan:
    """Withhold all, who are fewer than k."""
    data = problem.data
    reason = Reason("too-few", "fewer than {k} {word}", k=k, word=problem.word)
    return Plan(np.full(data.size, -1, np.int64), because={reason: data.size} if data.size else {})


def paper_buckets(
    data: Microdata, requirement: Requirement, view: View, k: int, order: NDArray[np.int64]
) -> Varied:
    """Make buckets of k (the last of k to 2k - 1) in an order of the records, with exchanges and noise.

    ``order``: (n,) int64, the records as they are scanned; at least k.
    """
    from likeness.methods._theta.kernels import exchange

    categories = view.codes(data.judged_codes)
    values = categories[order]
    n, width = values.size, view.values
    ends = np.arange(1, n // k + 1) * k
    ends[-1] = n
    counts = np.bincount(values, minlength=width)
    begins = np.concatenate([[0], np.cumsum(counts)])
    test = requirement.bound.class_test()
    standing, of_bucket, noise, exchanges = exchange(
        values,
        width,
        ends,
        np.argsort(_narrow(values, width), kind="stable"),
        begins,
        np.flatnonzero(counts),
        np.array(test.integers, np.int64),
        np.array(test.reals, np.float64),
        True,
    )
    buckets = np.empty(n, np.int64)
    buckets[order[standing]] = np.repeat(np.arange(ends.size), np.diff(ends, prepend=0))
    added = None
    if noise.size:
        of = order[standing[ends[of_bucket] - 1]]
        sensitive = data.sensitive_codes[:, of].copy()
        sensitive[view.column] = _value_of(data, view)[noise]
        added = Added(of, sensitive)
    return Varied(buckets, added, int(exchanges), int(np.unique(of_bucket).size))


def dealt_buckets(
    problem: Problem, requirements: tuple[Requirement, ...], view: View, k: int, order: NDArray[np.int64]
) -> Plan:
    """Deal records in some order into buckets of k or more, each with its share of every category.

    What fails is joined with its neighbours until it holds. All are withheld where all of them together do not hold:
    then no buckets do, if the models are closed under union.
    """
    data = problem.data
    count = max(1, data.size // k)
    buckets = deal(view.codes(data.judged_codes), view.values, order, count)
    good = holding_classes(requirements, data, buckets, count)
    while not good.all():
        if count == 1:
            failing = [
                one.subject for one in requirements if not holding_classes((one,), data, buckets, 1).all()
            ]
            return Plan(buckets).withhold(np.ones(data.size, np.bool_), table_fails(failing))
        joined = _joined(good)
        buckets, count = joined[buckets], int(joined[-1]) + 1
        # What was not joined holds as before.
        new = np.bincount(joined) > 1
        good = ~new | holding_classes(requirements, data, np.where(new[buckets], buckets, -1), count)
    return Plan(buckets)


def deal(
    categories: NDArray[np.int64], width: int, order: NDArray[np.int64], count: int
) -> NDArray[np.int64]:
    """Deal records in an order into buckets, each with its share of every category.

    Parameters
    ----------
    categories : (n,) int64
        Of each record.
    width
        Number of categories.
    order : (n,) int64
        The records, as they are dealt: of every category the first to the first buckets.
    count
        Number of buckets.

    Returns
    -------
    (n,) int64
        Bucket of each record; their sizes differ by 1 at most.
    """
    n = order.size
    shown = categories[order]
    counts = np.bincount(shown, minlength=width)
    by_category = np.argsort(_narrow(shown, width), kind="stable")
    # The middle of each record's share of its category: ascending in every category, so that a stable sort merges.
    middle = np.concatenate([(2 * np.arange(own) + 1) / (2 * own) for own in counts[counts > 0].tolist()])
    buckets = np.empty(n, np.int64)
    buckets[order[by_category[np.argsort(middle, kind="stable")]]] = np.arange(n) * count // n
    return buckets


def _joined(good: NDArray[np.bool_]) -> NDArray[np.int64]:
    """(E,) New number of each bucket: of neighbours that fail two are joined, and one alone with the one before."""
    index = np.arange(good.size)
    run = index - np.maximum.accumulate(np.where(good, index, -1))
    # The first of a run begins anew if another one follows that fails; the second stays with it.
    follows = np.append(~good[1:], False)
    fresh = good | ((run % 2 == 1) & follows)
    fresh[0] = True
    if good[0] or good.size < 2 or not good[1]:
        return np.cumsum(fresh) - 1
    # The first fails alone, and there is nothing before it.
    fresh[1] = False
    return np.cumsum(fresh) - 1


def _narrow(values: NDArray[np.int64], width: int) -> NDArray[np.integer]:
    """Few categories as small numbers, which are sorted by counting."""
    return values.astype(np.uint16) if width <= np.iinfo(np.uint16).max else values


def _value_of(data: Microdata, view: View) -> NDArray[np.int64]:
    """(width,) Of each category its most frequent value, the first of equals: what an invented record has."""
    if view.group is None:
        return np.arange(view.values)
    counts = np.bincount(data.sensitive_codes[view.column], minlength=view.group.size)
    order = np.lexsort((-np.arange(counts.size), counts))
    chosen = np.zeros(view.values, np.int64)
    chosen[view.group[order]] = order
    return chosen
