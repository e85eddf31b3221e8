"""Anatomy (Xiao & Tao 2006): publish quasi-identifiers exactly, and sensitive values by buckets.

Records are dealt into buckets of l different sensitive values each, whatever their quasi-identifiers. Whoever
finds a record's bucket can give none of its values a probability above 1/l; but everybody sees who is in the
table.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.checks import whole
from likeness.errors import PolicyError, Refusal
from likeness.methods.base import Method, Problem
from likeness.methods.leftovers import withhold_buckets, withhold_identities
from likeness.microdata.plan import Plan, Reason
from likeness.models.base import fewest_removed
from likeness.wording import count, quoted

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Anatomy(Method):
    """Deal records into buckets of at least l different sensitive values; quasi-identifiers stay exact.

    Parameters
    ----------
    l
        Number of different sensitive values in every bucket, at least 2. No value may make up more than 1/l
        of what is published: who is too many is withheld, drawn at random, where the policy allows so many.

    Notes
    -----
    A bucket holds a value at most once, so it is distinct, entropy and frequency l-diverse at once. Buckets
    that do not hold another model the policy asks for are withheld. Models about quasi-identifiers alone
    (k-anonymity) are judged on these as they are published: exactly.

    References
    ----------
    Xiao & Tao 2006, "Anatomy: simple and effective privacy preservation", section 5.

    Examples
    --------
    >>> Anatomy(3)
    Anatomy(l=3)
    """

    l: int  # noqa: E741  # the literature's name

    name: ClassVar[str] = "anatomy"
    form: ClassVar[str] = "anatomized"
    # Quasi-identifiers are published as they are, which keeps to any level limit.
    takes_parts: ClassVar[bool] = True

    def __post_init__(self) -> None:
        whole(self.name, "l", self.l, at_least=2)

    def run(self, problem: Problem) -> Plan:
        """Deal the records; the plan's classes are the records of equal quasi-identifiers."""
        data = problem.data
        if len(data.sensitive) != 1:
            raise PolicyError(
                Refusal(
                    f"deals the values of one sensitive column; this table has "
                    f"{len(data.sensitive)}. Give the others another role, or use another method",
                    (self.name,),
                )
            )
        plan = withhold_identities(problem, Plan(data.tuples.of))
        kept = np.flatnonzero(plan.published)
        if kept.size == 0:
            return plan
        codes = data.sensitive_codes[0][kept]
        counts = np.bincount(codes, minlength=data.sensitive[0].codes).astype(np.int64)
        surplus = fewest_removed([self.l * np.arange(1, own + 1) for own in counts.tolist()])
        if surplus.any():
            if plan.withheld + surplus.sum() > problem.allowance or surplus.sum() == kept.size:
                return plan.withhold(plan.published, self._not_eligible(problem, counts))
            out = np.zeros(data.size, np.bool_)
            by_value, first = _shuffled(codes, surplus, problem.rng)
            out[kept[by_value[first]]] = True
            plan = plan.withhold(out, self._surplus(problem, surplus))
            kept = np.flatnonzero(plan.published)
            codes, counts = data.sensitive_codes[0][kept], counts - surplus
        buckets = np.full(data.size, -1, np.int64)
        buckets[kept] = _deal(codes, counts, self.l, problem.rng)
        plan = replace(plan, buckets=buckets)
        withheld = -1
        while plan.withheld != withheld:
            # What one kind of model withholds may leave too little for the other.
            withheld = plan.withheld
            plan = withhold_identities(problem, withhold_buckets(problem, plan))
        return plan

    def _surplus(self, problem: Problem, surplus: NDArray[np.int64]) -> Reason:
        """Say of which values there are too many."""
        label_of = problem.data.sensitive[0].label_of
        values = [quoted(label_of(value)) for value in np.argsort(-surplus, kind="stable").tolist()]
        return Reason(
            "surplus",
            "too many with {values} for buckets of {l} different values",
            values=", ".join(values[: np.count_nonzero(surplus)]),
            l=self.l,
        )

    def _not_eligible(self, problem: Problem, counts: NDArray[np.int64]) -> Reason:
        """Say which value is too frequent for l."""
        domain = problem.data.sensitive[0]
        most, total = int(counts.max()), int(counts.sum())
        value = domain.label_of(int(counts.argmax()))
        return Reason(
            "value-too-frequent",
            "{method}: {records:,} of {all} have the value {value!r} of {column!r}, more than 1/{l}; the largest l this table "
            "can have is {largest}",
            method=self.name,
            records=most,
            all=count(total, "record"),
            value=value,
            column=domain.name,
            l=self.l,
            largest=total // most,
        )


def _shuffled(
    codes: NDArray[np.int32], number: NDArray[np.int64], rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """(n,) Records by value, those of a value in random order; (n,) which are the first ``number`` (m,) of their value."""
    shuffled = rng.permutation(codes.size)
    counts = np.bincount(codes, minlength=number.size)
    place = np.arange(codes.size) - np.repeat(np.cumsum(counts) - counts, counts)
    return shuffled[np.argsort(codes[shuffled], kind="stable")], place < np.repeat(number, counts)


def _deal(
    codes: NDArray[np.int32], counts: NDArray[np.int64], width: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Bucket of each record."""
    from likeness.kernels.dealing import deal

    places = deal(counts, width)
    dealt = np.bincount(places, minlength=counts.shape[0])
    # The first records of each value take its places, the rest are left over.
    by_value, takes = _shuffled(codes, dealt, rng)
    begins = np.cumsum(counts) - counts
    buckets = np.empty(codes.shape[0], np.int64)
    buckets[by_value[takes]] = np.argsort(places, kind="stable") // width
    total = places.shape[0] // width
    having = {
        value: buckets[by_value[begins[value] : begins[value] + dealt[value]]]
        for value in np.unique(codes[by_value[~takes]]).tolist()
    }
    for record in by_value[~takes]:
        # Fewer than l are left, each of another value, and some bucket lacks it (properties 1 and 2).
        value = int(codes[record])
        free = np.setdiff1d(np.arange(total), having[value], assume_unique=True)
        buckets[record] = free[rng.integers(free.size)]
        having[value] = np.append(having[value], buckets[record])
    return buckets
