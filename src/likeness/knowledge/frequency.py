"""Frequencies by groups of people: who has looked at such data before knows how often values occur among people alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction  # noqa: TC003  # the schema of policies reads annotations
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from likeness.checks import number, whole
from likeness.errors import PolicyError
from likeness.exact import rational
from likeness.knowledge.base import KnowledgeSource, Subject, refuse_size
from likeness.microdata.domain import SUITABLE
from likeness.microdata.grouping import group_codes
from likeness.wording import quoted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.microdata.domain import Domain


@dataclass(frozen=True)
class FrequencyKnowledge(KnowledgeSource):
    """An adversary who knows how often each value occurs among people of a group, such as those of one age class.

    The belief in value s of somebody in a group g is ``(N_s(g) + a p_s) / (N(g) + a)``, where N counts the records of the group,
    p is the distribution of the whole table and a the smoothing. Groups are those of hierarchy levels of the columns that are
    named; columns that are not named tell nothing, as ``*``.

    Parameters
    ----------
    levels
        Hierarchy level of each column that tells something: 0 for its values themselves, which need no hierarchy, 1 for the
        nodes right above them, and so on. The missing value is a group of its own.
    smoothing
        a, at least 0: how many records the distribution of the whole table counts for. With 0, who is alone in a group is known.

    Examples
    --------
    >>> FrequencyKnowledge({"age": 2})
    FrequencyKnowledge(levels={'age': 2}, smoothing=1)
    """

    levels: Mapping[str, int]
    smoothing: float | str | Fraction = 1

    name: ClassVar[str] = "frequency"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.levels, Mapping) or not self.levels:
            raise PolicyError(
                f"{self.name}: levels must say the hierarchy level of at least one column, as in {{age: 2}}; "
                f"got {quoted(self.levels)}"
            )
        for column, level in self.levels.items():
            whole(self.name, f"levels of {quoted(column)}", level, at_least=0)
        number(self.name, "smoothing", self.smoothing, at_least=0)

    def __hash__(self) -> int:
        """Mappings have none."""
        return hash((self.called, self.sensitive, tuple(sorted(self.levels.items())), self.smoothing))

    def __repr__(self) -> str:
        """Levels and smoothing."""
        return f"FrequencyKnowledge(levels={dict(self.levels)!r}, smoothing={self.smoothing!r})"

    @property
    def facts(self) -> dict[str, Any]:
        """Levels and smoothing."""
        return {
            "levels": {column: int(level) for column, level in self.levels.items()},
            "smoothing": str(self.smoothing),
        }

    @classmethod
    def check_facts(cls, facts: Mapping[str, Any]) -> dict[str, Any]:
        """Make the same of them."""
        return cls(**facts).facts

    @classmethod
    def told(cls, facts: Mapping[str, Any]) -> str:
        """Say it in words."""
        by = " and ".join(
            f"{name!r}" + (f" on level {level} of its hierarchy" if level else "")
            for name, level in facts["levels"].items()
        )
        smoothed = rational(facts["smoothing"])
        drawn = f", the whole table counting for {facts['smoothing']} of them" if smoothed else ""
        return f"how often each value occurs among people alike in {by}{drawn}"

    def shares(self, subject: Subject) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Count every group."""
        data, values = subject.data, subject.domain.codes
        where = f"knowledge: {self.name}"
        places = subject.find_quasi(self.levels, where)
        groups = [
            _groups(data.quasi[j], level, where)
            for j, level in zip(places, self.levels.values(), strict=True)
        ]
        cells = group_codes(
            [own[data.codes[j]] for j, own in zip(places, groups, strict=True)],
            [int(own.max()) + 1 for own in groups],
        )
        refuse_size(self, cells.count, values)
        counts = np.bincount(cells.of * values + subject.codes, minlength=cells.count * values).reshape(
            -1, values
        )
        whole_table = subject.totals / data.size
        return counts + float(rational(self.smoothing)) * whole_table, cells.of


def _groups(domain: Domain, level: int, where: str) -> NDArray[np.int64]:
    """(codes,) Group of each value of an attribute on a hierarchy level; the missing value's is its own."""
    own = np.arange(domain.codes)
    if level == 0:
        return own
    tree = domain.hierarchy
    if tree is None:
        raise PolicyError(
            f"{where}: {domain.name!r} has no level {level}, because it has no hierarchy; give it one, such as hierarchy: "
            f"{SUITABLE[domain.kind]}, or say level 0"
        )
    if level > tree.height:
        raise PolicyError(
            f"{where}: {domain.name!r} has no level {level}; the root of its hierarchy is level {tree.height}"
        )
    ranks = np.array([tree.rank_of[label] for label in domain.labels], np.int64)
    own[: domain.size] = tree.ancestor_at(ranks, level)
    own[domain.size :] = own[: domain.size].max(initial=0) + 1
    return own
