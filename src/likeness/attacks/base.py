"""What every attack is: an adversary with some knowledge looks for targets in a publication."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness import registry
from likeness.checks import check_seed, whole
from likeness.errors import PolicyError, Refusal
from likeness.wording import columns, figure, printed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Self

    from numpy.typing import NDArray

    from likeness.encode import Encoded
    from likeness.forms.base import Publication
    from likeness.methods.base import Method
    from likeness.microdata.data import Microdata
    from likeness.microdata.plan import Plan
    from likeness.models.requirements import Requirement

    ReleaseReader = Callable[[Any, str], "Held"]
    """Gives an earlier release that is named somehow; ``where`` it is named, for messages."""


@dataclass(frozen=True, eq=False)
class Making:
    """How a release was made, for adversaries who know the algorithm (Kerckhoffs' principle).

    Parameters
    ----------
    method
        The method, with its parameters.
    requirements
        The guarantee, bound to the distribution that the classes were judged by.
    plan
        The plan that was published, of the original records; an attack takes from it only what was published.
    """

    method: Method
    requirements: tuple[Requirement, ...]
    plan: Plan


@dataclass(frozen=True, eq=False)
class Held:
    """A release, as somebody has it.

    Parameters
    ----------
    publication
        What was published.
    original
        The table it was made from, where that is at hand.
    rows
        (n,) int64, the record of the original that each published one was made from, below 0 for those that nobody is; where
        that is known.
    """

    publication: Publication
    original: Encoded | None = None
    rows: NDArray[np.int64] | None = None


@dataclass(frozen=True)
class AttackResult:
    """What an attack achieved, beside what it would have achieved anyway.

    Parameters
    ----------
    attack
        Its name.
    success
        Its main measure, from 0 to 1; what it means is said by ``meaning``.
    baseline
        The same measure without the release (or by guessing).
    meaning
        One sentence for people.
    details
        Further figures by name.
    claim
        What a paper claims of such releases and this contradicts, with the numbers; empty where there is no such claim.
    """

    attack: str
    success: float
    baseline: float
    meaning: str
    details: dict[str, float] = field(default_factory=dict)
    claim: str = ""

    @property
    def gain(self) -> float:
        """What the release adds for the adversary."""
        return self.success - self.baseline

    _repr_pretty_ = printed

    def __str__(self) -> str:
        """Write every figure in a line, below what success means."""
        figures = {"success": self.success, "baseline": self.baseline, **self.details}
        rows = [(name.replace("_", " "), figure(value)) for name, value in figures.items()]
        return "\n".join([f"{self.attack}: {self.meaning}", *columns(rows), *filter(None, [self.claim])])


class AttackResults(dict[str, AttackResult]):
    """What the attacks on a release achieved, by name, and those that are not defined for it.

    Attributes
    ----------
    refusals : dict of str to tuple of Refusal
        Why each other attack was not run; in words, ``skipped``.
    """

    def __init__(self) -> None:
        super().__init__()
        self.refusals: dict[str, tuple[Refusal, ...]] = {}

    @property
    def skipped(self) -> dict[str, str]:
        """Why each other attack was not run, in words."""
        return {name: " ".join(map(str, refusals)) for name, refusals in self.refusals.items()}

    _repr_pretty_ = printed

    def __str__(self) -> str:
        """Write a line for every attack, with what success means, and for every one that was not run, why."""
        rows = [(name, figure(one.success), figure(one.baseline), one.meaning) for name, one in self.items()]
        told = columns([("attack", "success", "baseline", ""), *rows], "")
        return "\n".join([*told, *(f"not run: {why}" for why in self.skipped.values())])


class Attack(ABC):
    """An adversary with some knowledge; a small frozen value."""

    name: ClassVar[str]
    forms: ClassVar[frozenset[str] | None] = None
    """Forms of release it is defined for; None for all."""
    of_regions: ClassVar[bool] = False
    """Whether it reads from regions whom they cover, so that it says nothing where means or modes are published instead."""
    takes_individuals: ClassVar[bool] = False
    """Whether it counts people where people may have several records; without that it counts records, and is refused there."""
    takes_knowledge: ClassVar[bool] = False
    """Whether its adversary knows something of everybody beforehand, which may be said when it is run."""
    takes_earlier: ClassVar[bool] = False
    """Whether its adversary has earlier releases of the same people, a parameter ``earlier``."""
    averaged: ClassVar[bool] = True
    """Whether its success is a mean over its targets, who are repetitions of one trial; not where it is that of one class."""
    explained: ClassVar[Mapping[str, str]] = {}
    """What its baseline and its details mean, by name, each in half a sentence for people."""

    @abstractmethod
    def run(
        self, publication: Publication, original: Microdata, making: Making | None = None
    ) -> AttackResult:
        """Attack a publication; the original tells what targets look like and whether a guess was right.

        Parameters
        ----------
        publication
            What was published.
        original
            The original records: the adversary's knowledge is taken from here, and only what the attack says.
        making
            How it was made, for attacks whose adversary knows the algorithm.

        Raises
        ------
        PolicyError
            When the attack is not defined for this release (`refusal` says why).
        """

    def informed(self, own: Held, read: ReleaseReader) -> Self:  # noqa: ARG002  # most know nothing else
        """Look up what its adversary has beside this release: itself, where that is nothing.

        Parameters
        ----------
        own
            The release attacked; its original is there.
        read
            Reads another release, or takes it as it is.
        """
        return self

    def refusal(self, publication: Publication, original: Microdata) -> str | None:
        """Say why the attack is not defined for a release, or None when it is."""
        problem = self.inapplicable(publication, original)
        return None if problem is None else str(problem)

    def inapplicable(self, publication: Publication, original: Microdata) -> Refusal | None:
        """Find why the attack is not defined for a release; None when it is."""
        if self.forms is not None and publication.form not in self.forms:
            return self._refused(
                f"is defined for {', '.join(sorted(self.forms))} releases, not for {publication.form} ones"
            )
        if self.of_regions and not publication.covers:
            return self._refused(
                f"reads from regions whom they cover, and {publication.form} releases show means that need cover nobody"
            )
        if original.individuals is not None and not self.takes_individuals:
            able = [
                name for name in registry.names("attacks") if registry.load("attacks", name).takes_individuals
            ]
            return self._refused(
                "takes every record for another person's, and individual: names whose records are whose; "
                f"attacks that count people: {', '.join(able)}"
            )
        return None

    def _refused(self, what: str, remedy: str = "") -> Refusal:
        """Refuse something in the attack's name."""
        return Refusal(what, (self.name,), remedy=remedy)

    def check(self, publication: Publication, original: Microdata) -> None:
        """Refuse a release that the attack is not defined for.

        Raises
        ------
        PolicyError
            Saying why.
        """
        problem = self.inapplicable(publication, original)
        if problem is not None:
            raise PolicyError(problem)


def check_targets(name: str, targets: int | None, seed: int) -> None:
    """Check what `choose_targets` is told by the attack ``name``; raises `PolicyError` where one is out of range."""
    if targets is not None:
        whole(name, "targets", targets, at_least=1)
    check_seed(name, seed)


def choose_targets(size: int, targets: int | None, seed: int) -> NDArray[np.int64]:
    """(t,) Draw ``targets`` positions below ``size``, ascending; all of them where None or no fewer than there are.

    The same seed, the same targets.
    """
    if targets is None or targets >= size:
        return np.arange(size)
    rng = np.random.Generator(np.random.PCG64(seed))
    return np.sort(rng.choice(size, targets, replace=False))
