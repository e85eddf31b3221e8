"""What a method decided: who is with whom, who is withheld, and why."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from likeness.microdata.mechanism import Mechanism


@dataclass(frozen=True, init=False)
class Reason:
    """Why records are withheld or dropped, as data: it becomes a sentence when somebody reads it.

    ``name``: what it is called, whatever the words: lower case, with hyphens. ``words``: the sentence, with its facts in
    braces; of no account in comparisons. ``facts``: what it is about, as JSON can hold it.

    Examples
    --------
    >>> reason = Reason("too-few", "fewer than {k} {word}", k=5, word="records")
    >>> str(reason), reason == Reason("too-few", "less than {k}", k=5, word="records")
    ('fewer than 5 records', True)
    """

    name: str
    words: str = field(compare=False)
    facts: Mapping[str, Any] = field(hash=False)

    def __init__(self, name: str, words: str, /, **facts: Any) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "words", words)
        object.__setattr__(self, "facts", facts)

    def __str__(self) -> str:
        """Say it in words."""
        return self.words.format_map(self.facts)

    def to_json(self) -> dict[str, Any]:
        """Write it as JSON can hold it, without the words."""
        return {"reason": self.name, **self.facts}

    @staticmethod
    def from_json(given: Mapping[str, Any], sentence: str) -> Reason:
        """Read it back; it says what it said when it was written."""
        facts = {key: value for key, value in given.items() if key != "reason"}
        return Reason(str(given["reason"]), sentence.replace("{", "{{").replace("}", "}}"), **facts)


@dataclass(frozen=True, eq=False)
class Added:
    """Records that nobody is: invented, so that classes or buckets hold a guarantee.

    ``of``: (a,) int64, the record whose quasi-identifiers each of them shows; they are in its class, and in its bucket.
    ``sensitive``: (s, a) int32, their sensitive codes.
    """

    of: NDArray[np.int64]
    sensitive: NDArray[np.int32]

    @property
    def size(self) -> int:
        """How many there are."""
        return int(self.of.size)

    def take(self, kept: NDArray[np.integer] | NDArray[np.bool_]) -> Added | None:
        """Keep some of them; None where none is left."""
        of = self.of[kept]
        return Added(of, self.sensitive[:, kept]) if of.size else None

    @staticmethod
    def together(several: Sequence[Added]) -> Added | None:
        """Put several into one; None where there are none."""
        if not several:
            return None
        return Added(
            np.concatenate([one.of for one in several]),
            np.concatenate([one.sensitive for one in several], axis=1),
        )


@dataclass(frozen=True, eq=False)
class Plan:
    """One decision about every record; what models judge, forms publish and metrics measure.

    Most methods fill only ``classes``; what is None is not used.

    ``classes``: (n,) int64, equivalence class of each record, numbered from 0; -1 for withheld records. Those of one class
    share all that is published of their quasi-identifiers.
    ``buckets``: (n,) int64, bucket of each record, -1 for withheld ones, where sensitive values are published by buckets
    that differ from the classes (two-table forms). Models about sensitive values are judged on these.
    ``sensitive``: (s, n) int32, codes to publish instead of the original sensitive ones (perturbation, categories).
    ``mechanism``: how ``sensitive`` was drawn from the original codes; its counts are those of the published records.
    Models about sensitive values are then judged on it, and not on classes.
    ``bounds``: (2, d, n) int32, smallest and largest code that the region of each record's class covers, where regions are
    wider than the members of their classes (cuts instead of tight hulls); looked at for published records.
    ``added``: records that nobody is, published like the others; None where there are none.
    ``because``: reasons for withholding, with the number of records each; ``withheld_because`` has them in words.
    ``reasons``: (n,) int32, position in ``because`` of each withheld record's reason, -1 for published ones; None
    where there is one reason at most.
    ``history``: private facts about how the decision was made; written to ``private/`` only.
    """

    classes: NDArray[np.int64]
    buckets: NDArray[np.int64] | None = None
    sensitive: NDArray[np.int32] | None = None
    mechanism: Mechanism | None = None
    bounds: NDArray[np.int32] | None = None
    added: Added | None = None
    because: dict[Reason, int] = field(default_factory=dict)
    reasons: NDArray[np.int32] | None = None
    history: dict[str, Any] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """Number of equivalence classes."""
        return int(self.classes.max(initial=-1)) + 1

    @property
    def published(self) -> NDArray[np.bool_]:
        """(n,) Whether each record is published."""
        mask: NDArray[np.bool_] = self.classes >= 0
        return mask

    @property
    def withheld(self) -> int:
        """Number of withheld records."""
        return int(np.count_nonzero(self.classes < 0))

    @property
    def withheld_because(self) -> dict[str, int]:
        """Why records are withheld, in words, with the number of records each."""
        return {str(reason): number for reason, number in self.because.items()}

    @property
    def reason_of(self) -> NDArray[np.int32]:
        """(n,) Position in ``because`` of each withheld record's reason, -1 for published ones."""
        if self.reasons is not None:
            return self.reasons
        return np.where(self.classes < 0, 0, -1).astype(np.int32)

    def withhold(self, records: NDArray[np.bool_], reason: Reason) -> Plan:
        """Withhold more records, and number the remaining classes anew; records withheld before keep their reason."""
        newly = int(np.count_nonzero(records & self.published))
        if newly == 0:
            return self
        classes = renumber(np.where(records, -1, self.classes))
        buckets = None if self.buckets is None else renumber(np.where(records, -1, self.buckets))
        because = dict(self.because)
        because[reason] = because.get(reason, 0) + newly
        number = list(because).index(reason)
        reasons = np.where(records & self.published, number, self.reason_of).astype(np.int32)
        added = None if self.added is None else self.added.take(classes[self.added.of] >= 0)
        return replace(self, classes=classes, buckets=buckets, because=because, reasons=reasons, added=added)

    def counting(self, copies: NDArray[np.int64] | None) -> Plan:
        """Count the records withheld for each reason, where rows stand for several (`Microdata.copies`)."""
        if copies is None or not self.because:
            return self
        out = self.reason_of >= 0
        numbers = np.bincount(self.reason_of[out], copies[out], len(self.because)).astype(np.int64)
        return replace(self, because=dict(zip(self.because, numbers.tolist(), strict=True)))

    def in_order(self, rng: np.random.Generator) -> NDArray[np.int64]:
        """(m,) Put the published records in random order, those that are added too: the i-th of these is ``-1 - i``."""
        rows = np.flatnonzero(self.published)
        if self.added is not None:
            rows = np.concatenate([rows, -1 - np.arange(self.added.size)])
        return rng.permutation(rows)

    def of_rows(self, of_records: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """(m,) Give rows, as `in_order` does, what is said of the records (n,); to those added what is said of whom they copy."""
        if self.added is None:
            return of_records[rows]
        # Behind the records, the last of the added first: so that -1 - i, counted from the end, is the i-th of them.
        return np.concatenate([of_records, of_records[self.added.of[::-1]]])[rows]

    def sensitive_of(self, codes: NDArray[np.int32], rows: NDArray[np.int64]) -> NDArray[np.int32]:
        """(s, m) Sensitive codes of rows as `in_order` gives them; ``codes`` (s, n) are those of the records."""
        own = codes if self.sensitive is None else self.sensitive
        if self.added is None:
            return own[:, rows]
        return np.concatenate([own, self.added.sensitive[:, ::-1]], axis=1)[:, rows]


class Decided(NamedTuple):
    """What was decided of the rows of a table, or of a block, of which some may be told apart.

    ``of`` (m,): the row that is meant by each of the plan. ``copies`` (m,): how many of its records; None where all are.
    """

    plan: Plan
    of: NDArray[np.int64]
    copies: NDArray[np.int64] | None


def side_by_side(
    plans: Sequence[Plan], records: Sequence[NDArray[np.int64]], instead: Mapping[str, Reason]
) -> Plan:
    """Put plans of parts of a table together; ``records`` are those of each part, by position in the whole table.

    ``instead``: reasons that say otherwise of a part what they say of a table, by name. Only plans of classes and buckets, with
    bounds and added records or without; private history stays with the parts.
    """
    size = sum(own.size for own in records)
    classes = np.full(size, -1, np.int64)
    buckets = np.full(size, -1, np.int64)
    bounds: NDArray[np.int32] | None = None
    reasons = np.full(size, -1, np.int32)
    because: dict[Reason, int] = {}
    added: list[Added] = []
    for plan, own in zip(plans, records, strict=True):
        classes[own] = np.where(plan.classes < 0, -1, plan.classes + int(classes.max(initial=-1)) + 1)
        if plan.buckets is not None:
            buckets[own] = np.where(plan.buckets < 0, -1, plan.buckets + int(buckets.max(initial=-1)) + 1)
        if plan.bounds is not None:
            if bounds is None:
                bounds = np.zeros((*plan.bounds.shape[:2], size), np.int32)
            bounds[:, :, own] = plan.bounds
        if plan.added is not None:
            added.append(Added(own[plan.added.of], plan.added.sensitive))
        named = [instead.get(reason.name, reason) for reason in plan.because]
        for reason, number in zip(named, plan.because.values(), strict=True):
            because[reason] = because.get(reason, 0) + number
        numbers = np.array([list(because).index(reason) for reason in named] or [-1], np.int32)
        reasons[own] = np.where(plan.reason_of >= 0, numbers[plan.reason_of], -1)
    return Plan(
        classes,
        None if all(plan.buckets is None for plan in plans) else buckets,
        bounds=bounds,
        added=Added.together(added),
        because=because,
        reasons=reasons,
    )


def spread(plan: Plan, of: NDArray[np.int64]) -> Plan:
    """Make a plan for individuals one for their records; ``of``: (n,) int64, individual of each record.

    Classes, buckets, bounds and reasons are spread, where it has any; the plan must have no sensitive codes.
    """
    reasons = plan.reason_of
    numbers = np.bincount(reasons[of] + 1, minlength=len(plan.because) + 1)
    because = dict(zip(plan.because, numbers[1:].tolist(), strict=False))
    return replace(
        plan,
        classes=plan.classes[of],
        buckets=None if plan.buckets is None else plan.buckets[of],
        bounds=None if plan.bounds is None else np.ascontiguousarray(plan.bounds[:, :, of]),
        because=because,
        reasons=reasons[of],
    )


def renumber(classes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number classes from 0 without gaps, keeping their order; -1 stays."""
    present = np.zeros(int(classes.max(initial=-1)) + 2, np.int64)
    present[classes + 1] = 1
    present[0] = 0
    numbers = np.cumsum(present) - 1
    numbers[0] = -1
    return numbers[classes + 1]
