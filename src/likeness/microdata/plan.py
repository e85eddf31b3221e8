"""What a method decided: who is with whom, who is withheld, and why."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

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
    ``added``: (a, …) records added as noise, as codes; none of the methods so far adds any.
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
    added: NDArray[np.int32] | None = None
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
        return replace(self, classes=classes, buckets=buckets, because=because, reasons=reasons)


def side_by_side(
    plans: Sequence[Plan], records: Sequence[NDArray[np.int64]], instead: Mapping[str, Reason]
) -> Plan:
    """Put plans of parts of a table together; ``records`` are those of each part, by position in the whole table.

    ``instead``: reasons that say otherwise of a part what they say of a table, by name. Only plans of classes and buckets, with
    bounds or without; private history stays with the parts.
    """
    size = sum(own.size for own in records)
    classes = np.full(size, -1, np.int64)
    buckets = np.full(size, -1, np.int64)
    bounds: NDArray[np.int32] | None = None
    reasons = np.full(size, -1, np.int32)
    because: dict[Reason, int] = {}
    for plan, own in zip(plans, records, strict=True):
        classes[own] = np.where(plan.classes < 0, -1, plan.classes + int(classes.max(initial=-1)) + 1)
        if plan.buckets is not None:
            buckets[own] = np.where(plan.buckets < 0, -1, plan.buckets + int(buckets.max(initial=-1)) + 1)
        if plan.bounds is not None:
            if bounds is None:
                bounds = np.zeros((*plan.bounds.shape[:2], size), np.int32)
            bounds[:, :, own] = plan.bounds
        named = [instead.get(reason.name, reason) for reason in plan.because]
        for reason, number in zip(named, plan.because.values(), strict=True):
            because[reason] = because.get(reason, 0) + number
        numbers = np.array([list(because).index(reason) for reason in named] or [-1], np.int32)
        reasons[own] = np.where(plan.reason_of >= 0, numbers[plan.reason_of], -1)
    return Plan(
        classes,
        None if all(plan.buckets is None for plan in plans) else buckets,
        bounds=bounds,
        because=because,
        reasons=reasons,
    )


def spread(plan: Plan, of: NDArray[np.int64]) -> Plan:
    """Make a plan for individuals one for their records; ``of``: (n,) int64, individual of each record.

    Classes, buckets, bounds and reasons are spread; the plan must have no sensitive codes.
    """
    reasons = plan.reason_of
    numbers = np.bincount(reasons[of] + 1, minlength=len(plan.because) + 1)[1:]
    because = dict(zip(plan.because, numbers.tolist(), strict=True))
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
