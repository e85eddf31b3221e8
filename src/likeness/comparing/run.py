"""One run of a comparison: what was asked, and what became of it, as data."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

from likeness.errors import Refusal
from likeness.wording import phrase

if TYPE_CHECKING:
    from collections.abc import Mapping

MADE = "made"
CANNOT = "cannot-be-met"
UNFIT = "does-not-fit"
LATE = "out-of-time"
LARGE = "out-of-memory"
BROKEN = "broken-off"
OUTCOMES = {
    MADE: "made a release",
    CANNOT: "finds no release",
    UNFIT: "does not fit",
    LATE: "out of time",
    LARGE: "out of memory",
    BROKEN: "broken off",
}
"""What may become of a run, and how it is said."""

BEST = "best"
"""What stands for the best known method: a policy that names none."""


class RunLimits(NamedTuple):
    """How long a run may take, in seconds, and how much memory its process may hold, in bytes."""

    seconds: float
    memory: int


class Attacked(NamedTuple):
    """How often an attack succeeded, and how often it would have without the release."""

    success: float
    baseline: float


@dataclass(frozen=True)
class ComparedRun:
    """One method under one guarantee, and what became of it.

    Parameters
    ----------
    method
        Its name; ``best`` for the best known method, which is what makes a release where a policy names none.
    parameters
        Those of the method that differ from their defaults.
    asked
        What was varied: ``k-anonymity.k`` to the value asked.
    outcome
        ``made``, or why there is no release: ``cannot-be-met``, ``does-not-fit``, ``out-of-time``, ``out-of-memory`` or
        ``broken-off``.
    why
        The refusals, where there is no release.
    made_by
        The method that made the release, with what it starts from: of the best known one, which was chosen.
    form
        How it is published.
    strength
        The strongest parameters that hold, ``t-closeness.t`` to value, of every model that can be measured.
    loss
        Every metric that applies.
    attacks
        Every attack that was tried: how often it succeeded, and how often it would have without the release.
    records, withheld, classes, smallest
        Records (individuals, where people may have several) that could be published, those withheld, the equivalence classes and
        how many share the smallest.
    seconds
        Time it took to encode, search, publish and prove.
    memory
        The most memory its process was seen to hold, in bytes.
    limits
        What it was allowed.
    """

    method: str
    parameters: Mapping[str, Any]
    asked: Mapping[str, float]
    outcome: str
    why: tuple[Refusal, ...] = ()
    made_by: str = ""
    form: str = ""
    strength: Mapping[str, float] = field(default_factory=dict)
    loss: Mapping[str, float] = field(default_factory=dict)
    attacks: Mapping[str, Attacked] = field(default_factory=dict)
    records: int = 0
    withheld: int = 0
    classes: int = 0
    smallest: int = 0
    seconds: float | None = None
    memory: int | None = None
    limits: RunLimits | None = None

    @property
    def made(self) -> bool:
        """Whether it made a release."""
        return self.outcome == MADE

    @property
    def label(self) -> str:
        """The method with the parameters it was given."""
        given = phrase(dict(self.parameters))
        return f"{self.method} ({given})" if given else self.method

    def __str__(self) -> str:
        """Say what was asked, and by which method."""
        return f"{self.label} under {', '.join(f'{name} = {value:g}' for name, value in self.asked.items())}"

    @property
    def withheld_share(self) -> float:
        """Share of the records that it withheld."""
        return self.withheld / max(1, self.records)

    @property
    def proven(self) -> dict[str, float]:
        """What was varied, as it holds of the release: at least as strong as asked."""
        return {name: self.strength.get(name, value) for name, value in self.asked.items()}

    def figures(self, what: str) -> Mapping[str, float]:
        """Give all figures of a kind: ``strength``, ``loss``, or ``attacks``, of which how often each succeeded."""
        succeeded = {name: one.success for name, one in self.attacks.items()}
        return {"strength": self.strength, "loss": self.loss, "attacks": succeeded}[what]

    def may_do_better(self, limits: RunLimits) -> bool:
        """Whether it is worth another try: it was broken off, or is allowed more than it was then."""
        if self.limits is None:
            return self.outcome == BROKEN
        more_time = self.outcome == LATE and limits.seconds > self.limits.seconds
        more_memory = self.outcome == LARGE and limits.memory > self.limits.memory
        return self.outcome == BROKEN or more_time or more_memory

    def to_json(self) -> dict[str, Any]:
        """Write it as JSON can hold it; infinite figures are texts."""
        told = asdict(self) | {
            "why": [refusal.to_json() for refusal in self.why],
            "strength": _written(self.strength),
            "loss": _written(self.loss),
            "attacks": {name: _written(one._asdict()) for name, one in self.attacks.items()},
            "limits": None if self.limits is None else self.limits._asdict(),
        }
        return {key: value for key, value in told.items() if value not in (None, "", [], {})}

    @staticmethod
    def from_json(given: Mapping[str, Any]) -> ComparedRun:
        """Read it back."""
        limits = given.get("limits")
        made = ComparedRun(
            given["method"],
            given.get("parameters", {}),
            given["asked"],
            given["outcome"],
            tuple(map(Refusal.from_json, given.get("why", []))),
            strength=_read(given.get("strength", {})),
            loss=_read(given.get("loss", {})),
            attacks={name: Attacked(**_read(one)) for name, one in given.get("attacks", {}).items()},
            limits=None if limits is None else RunLimits(**limits),
        )
        plain = ("made_by", "form", "records", "withheld", "classes", "smallest", "seconds", "memory")
        return replace(made, **{key: given[key] for key in plain if key in given})


def _written(figures: Mapping[str, float]) -> dict[str, float | str]:
    """Write figures as JSON can hold them."""
    return {name: value if isfinite(value) else str(value) for name, value in figures.items()}


def _read(figures: Mapping[str, float | str]) -> dict[str, float]:
    """Read figures back."""
    return {name: float(value) for name, value in figures.items()}
