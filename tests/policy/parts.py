"""Small parts that stand in for models, methods and forms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from likeness.errors import PolicyError

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Shuffle:
    """Shuffle.

    Parameters
    ----------
    rounds
        How often.
    """

    rounds: int = 1
    strict: bool = False
    ratio: float | None = None
    name: ClassVar[str] = "shuffle"

    def __post_init__(self) -> None:
        if self.rounds < 1:
            raise PolicyError(f"{self.name}: rounds must be at least 1; got {self.rounds}")


@dataclass(frozen=True)
class GeneralizedForm:
    recoding: str = "tight"
    name: ClassVar[str] = "generalized"


class Model:
    sensitive: str | None = None
    needs_sensitive: ClassVar[bool] = False
    about_individuals: ClassVar[bool] = False
    needs_knowledge: ClassVar[bool] = False
    knowledge: str | None = None


@dataclass(frozen=True)
class Alone(Model):
    k: int
    name: ClassVar[str] = "alone"


@dataclass(frozen=True)
class Covering(Model):
    level: Any
    sensitive: str | None = None
    name: ClassVar[str] = "covering"
    needs_sensitive: ClassVar[bool] = True


@dataclass(frozen=True)
class Believing(Covering):
    knowledge: str | None = None
    name: ClassVar[str] = "believing"
    needs_knowledge: ClassVar[bool] = True


@dataclass(frozen=True)
class KernelKnowledge:
    bandwidth: float
    called: str | None = None
    sensitive: str | None = None
    name: ClassVar[str] = "kernel"
    main: ClassVar[str] = ""

    def __post_init__(self) -> None:
        if self.bandwidth <= 0:
            raise PolicyError(f"{self.name}: bandwidth must be above 0; got {self.bandwidth}")


@dataclass(frozen=True)
class Glm:
    name: ClassVar[str] = "glm"
    minimized: ClassVar[bool] = True


@dataclass(frozen=True)
class Both:
    models: tuple[Any, ...]


PARTS: Mapping[str, Mapping[str, type]] = {
    "models": {"alone": Alone, "covering": Covering, "believing": Believing},
    "methods": {"shuffle": Shuffle},
    "forms": {"generalized": GeneralizedForm},
    "knowledge": {"kernel": KernelKnowledge},
    "metrics": {"glm": Glm},
}
