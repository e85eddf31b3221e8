"""What every attack is: an adversary with some knowledge meets a publication."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from likeness.forms._base import Publication
    from likeness.microdata.data import Microdata


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
    """

    attack: str
    success: float
    baseline: float
    meaning: str
    details: dict[str, float] = field(default_factory=dict)

    @property
    def gain(self) -> float:
        """What the release adds for the adversary."""
        return self.success - self.baseline


class Attack(ABC):
    """An adversary with some knowledge; a small frozen value."""

    name: ClassVar[str]

    @abstractmethod
    def run(self, publication: Publication, original: Microdata) -> AttackResult:
        """Attack a publication; the original tells what targets look like and whether a guess was right.

        Parameters
        ----------
        publication
            What was published.
        original
            The original records: the adversary's knowledge is taken from here, and only what the attack says.
        """
