"""m-invariant groups (Xiao & Tao 2007): everybody keeps the values that earlier releases left possible of them.

1. Division: who was published before belongs to the bucket of their signature, the values of their group then.
2. Balancing: a bucket needs equally many of each of its values; newcomers take the places that are free. Where there are none
   of a value, as many of the others are withheld. (The paper invents counterfeits there; without them everybody can count what
   is published, and m is proven to all.)
3. Assignment: the newcomers that are left get new signatures, few different ones, so that later releases find others to fill up
   with.
4. Split: a bucket is cut into groups of one record of each value, by the attribute after which they extend least.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from likeness.errors import PolicyError, Refusal
from likeness.methods.base import Method, Problem, sizes_asked
from likeness.methods.leftovers import withhold_buckets
from likeness.microdata.plan import Plan, Reason
from likeness.microdata.regions import attribute_weights
from likeness.microdata.signatures import Signatures
from likeness.wording import count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likeness.microdata.data import Microdata
    from likeness.models.base import PrivacyModel
    from likeness.models.requirements import Requirement

CHANGED = Reason(
    "value-outside-signature", "their value is none of those that earlier releases left possible of them"
)
UNFILLED = Reason(
    "signature-unfilled", "too few others have the values that earlier releases left possible of them"
)
SURPLUS = Reason("value-too-frequent", "too many have their value for groups of {m} different ones")
"""Reasons why records are withheld; the last with the m of the release."""


@dataclass(frozen=True)
class MInvariant(Method):
    """Groups of m different sensitive values, in which everybody keeps the values of their group in earlier releases.

    How many values, m, is that of the model `MInvariance`, which the policy must ask for. Who is known from earlier releases
    stands in a ledger (`likeness.anonymize`, ``ledger``); without one everybody is new. Somebody whose value is none of their
    signature any more is withheld: published with it, both releases together would tell that it changed.

    References
    ----------
    Xiao & Tao 2007, "m-invariance: towards privacy preserving re-publication of dynamic datasets", section 5.

    Examples
    --------
    >>> MInvariant()
    MInvariant()
    """

    name: ClassVar[str] = "m-invariant"
    form: ClassVar[str] = "angelized"
    keeps_signatures: ClassVar[bool] = True

    @property
    def joins_rest(self) -> bool:
        """Who finds no group is withheld: joined with one, they would change what it leaves possible."""
        return False

    def made_for(self, models: tuple[PrivacyModel, ...]) -> bool:
        """Whether m-invariance is asked for."""
        return any(model.signature_size is not None for model in models)

    def check(self, requirements: tuple[Requirement, ...]) -> None:
        """Refuse a guarantee without m-invariance, of several columns, or of larger groups."""
        m = _asked(requirements)
        if not m:
            raise PolicyError(
                Refusal(
                    "makes groups of m different values, and the policy asks for no m",
                    (self.name,),
                    remedy="add {model: m-invariance, m: 3} to privacy",
                )
            )
        size = max([0, *sizes_asked(requirements)])
        if size > m:
            what = f"makes groups of {count(m, 'person')}, and k-anonymity asks for {size}"
            raise PolicyError(Refusal(what, (self.name,), remedy=f"ask for m = {size}, or leave k out"))

    def run(self, problem: Problem) -> Plan:
        """Make the groups; who finds none is withheld."""
        data = problem.data
        if len(data.sensitive) != 1:
            what = f"keeps the values of one sensitive column; this table has {len(data.sensitive)}"
            raise PolicyError(Refusal(what, (self.name,), remedy="give the others another role"))
        m = _asked(problem.requirements)
        dealt = _deal(data, m, problem.rng)
        groups = _split(data, dealt.buckets)
        found = Plan(np.where(groups < 0, 0, groups), buckets=np.where(groups < 0, 0, groups))
        for reason, records in (
            (CHANGED, dealt.changed),
            (UNFILLED, dealt.unfilled),
            (Reason(SURPLUS.name, SURPLUS.words, m=m), dealt.surplus),
        ):
            found = found.withhold(records, reason)
        return withhold_buckets(problem, found)


def _asked(requirements: tuple[Requirement, ...]) -> int:
    """Take the m that is asked for, 0 where none is."""
    return max([0, *(one.model.signature_size or 0 for one in requirements)])


class _Filled(NamedTuple):
    """Buckets, each with as many records of each of its values; and (n,) who is in none, and why."""

    buckets: list[NDArray[np.int64]]
    """(values, groups) records of each."""
    changed: NDArray[np.bool_]
    unfilled: NDArray[np.bool_]
    surplus: NDArray[np.bool_]


class _Queues:
    """The records of each value, in random order, as they are taken; ``left`` (m,) says how many there are."""

    def __init__(self, codes: NDArray[np.int32], records: NDArray[np.int64], values: int) -> None:
        order = records[np.argsort(codes[records], kind="stable")]
        self.left = np.bincount(codes[records], minlength=values).astype(np.int64)
        self._order, self._at = order, np.cumsum(self.left) - self.left

    def take(self, value: int, number: int) -> NDArray[np.int64]:
        """Take the next records of a value."""
        found = self._order[self._at[value] : self._at[value] + number]
        self._at[value] += number
        self.left[value] -= number
        return found


def _deal(data: Microdata, m: int, rng: np.random.Generator) -> _Filled:
    """Divide, balance, and assign."""
    codes, values = data.sensitive_codes[0], data.sensitive[0].codes
    known = data.signatures
    if known is None:
        known = Signatures(
            np.full(data.size, -1, np.int64), np.zeros((0, values), np.bool_), np.zeros(0, np.int64)
        )
    old = known.of >= 0
    changed = old.copy()
    changed[old] = ~known.sets[known.of[old], codes[old]]
    shuffled = rng.permutation(data.size)
    new = _Queues(codes, shuffled[~old[shuffled]], values)
    buckets = _balance(known, codes, shuffled[(old & ~changed)[shuffled]], new)
    buckets += _assign(new, m)
    inside = np.zeros(data.size, np.bool_)
    for bucket in buckets:
        inside[bucket.reshape(-1)] = True
    return _Filled(buckets, changed, old & ~changed & ~inside, ~old & ~inside)


def _balance(
    known: Signatures, codes: NDArray[np.int32], old: NDArray[np.int64], new: _Queues
) -> list[NDArray[np.int64]]:
    """Make the buckets of the signatures that ``old`` records have, with newcomers where there are too few of a value.

    As many groups as the most frequent value of the bucket asks for, unless too few newcomers have one of the others.
    """
    found = []
    order = old[np.argsort(known.of[old], kind="stable")]
    own, begins = np.unique(known.of[order], return_index=True)
    parts = np.split(order, begins[1:]) if own.size else []
    for signature, records in zip(own.tolist(), parts, strict=True):
        values = np.flatnonzero(known.sets[signature])
        if values.size < known.sizes[signature]:
            # Nobody in the table has one of its values.
            continue
        queues = _Queues(codes, records, new.left.size)
        groups = int(min(queues.left.max(), (queues.left + new.left)[values].min()))
        rows = []
        for value in values.tolist():
            there = min(groups, int(queues.left[value]))
            rows.append(np.concatenate([queues.take(value, there), new.take(value, groups - there)]))
        if groups:
            found.append(np.array(rows, np.int64))
    return found


def _assign(new: _Queues, m: int) -> list[NDArray[np.int64]]:
    """Give newcomers new signatures of m values, the most frequent ones that are left, and those that are over one more value.

    As many groups have one signature as can be while no other value is left with more than a group in m of the rest.
    """
    found: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
    while np.count_nonzero(new.left) >= m:
        order = np.argsort(-new.left, kind="stable")
        most, total = order[:m], int(new.left.sum())
        next_ = int(new.left[order[m]]) if order.size > m else 0
        groups = max(1, min(int(new.left[most[-1]]), (total - m * next_) // m))
        found.append((most, np.array([new.take(value, groups) for value in most.tolist()], np.int64)))
    return _with_one_more(found, new)


def _with_one_more(
    found: list[tuple[NDArray[np.int64], NDArray[np.int64]]], new: _Queues
) -> list[NDArray[np.int64]]:
    """Put those who are over into a group each that lacks their value, the last groups first.

    A group takes a second one only where every other has the value, or one more already.
    """
    enlarged: list[tuple[set[int], NDArray[np.int64]]] = []
    buckets = [(set(values.tolist()), bucket) for values, bucket in found]
    for value in np.flatnonzero(new.left).tolist():
        grown = []
        for groups in (buckets, enlarged):
            for i in range(len(groups) - 1, -1, -1):
                values, bucket = groups[i]
                number = 0 if value in values else min(int(new.left[value]), bucket.shape[1])
                if number:
                    more = new.take(value, number)
                    grown.append(({*values, value}, np.concatenate([bucket[:, :number], more[None]])))
                    groups[i] = values, bucket[:, number:]
        enlarged += grown
    return [bucket for _, bucket in (*buckets, *enlarged) if bucket.shape[1]]


def _split(data: Microdata, buckets: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """(n,) Group of each record, -1 for who is in no bucket."""
    from likeness.methods.m_invariant.kernels import split_bucket

    groups = np.full(data.size, -1, np.int64)
    weights = attribute_weights(data.quasi)
    places = np.array(
        [
            domain.places(2.0)[codes] * weight
            for domain, codes, weight in zip(data.quasi, data.codes, weights.tolist(), strict=True)
        ],
        np.float64,
    ).reshape(-1, data.size)
    ranks = np.ascontiguousarray(data.codes, np.int64)
    made = 0
    for bucket in buckets:
        own = np.ascontiguousarray(bucket)
        split_bucket(own, places, ranks)
        groups[own] = made + np.arange(own.shape[1])
        made += own.shape[1]
    return groups
