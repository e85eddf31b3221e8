"""θ-sensitive k-anonymity (Khan et al. 2020): classes of k whose sensitive categories vary enough, in one table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.checks import choice
from likeness.methods._theta import dealt_buckets, paper_buckets, the_model, too_few
from likeness.methods.base import Method, Problem, sizes_asked
from likeness.microdata.plan import Plan

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.microdata.data import Microdata
    from likeness.models.requirements import Requirement


@dataclass(frozen=True)
class ThetaSensitive(Method):
    """Sort the records by their quasi-identifiers, and make classes of k that hold θ-sensitivity.

    The size of classes is the k of `ThetaSensitivity`, or of k-anonymity where that is more.

    Parameters
    ----------
    variant
        ``dealt`` (default): every class gets its share of every category from the records in their order, and those that fail
        are joined with their neighbours; nobody is invented, and what the whole table as one class does not hold is refused.
        ``paper``: consecutive classes of k, records exchanged with the first later one that helps, and where none does records
        are invented, which copy the quasi-identifiers of their class's last record. Such a release is larger than its table,
        says so in its certificate, and nobody can check it without ``private/``.

    Notes
    -----
    The paper's algorithm could not be had; it is that of Fazal et al. 2023, algorithm 1, lines 20 to 27, in which whole tuples
    are exchanged, so that regions cover the people of whom values are published. Records count as people: where people have
    several, that is a baseline to compare with, and no guarantee about people.

    References
    ----------
    Khan et al. 2020, "θ-sensitive k-anonymity: an anonymization model for IoT based electronic health records". Fazal et
    al. 2023, algorithm 1.

    Examples
    --------
    >>> ThetaSensitive()
    ThetaSensitive(variant='dealt')
    >>> ThetaSensitive("paper")
    ThetaSensitive(variant='paper')
    """

    variant: str = "dealt"

    name: ClassVar[str] = "theta-sensitive"

    def __post_init__(self) -> None:
        choice(self.name, "variant", self.variant, ("dealt", "paper"))

    @property
    def joins_rest(self) -> bool:
        """Nobody is left over, or everybody."""
        return False

    @property
    def invents(self) -> bool:
        """True of the paper's variant."""
        return self.variant == "paper"

    def check(self, requirements: tuple[Requirement, ...]) -> None:
        """Refuse what has no θ-sensitivity, and in the paper's variant more than that and sizes."""
        the_model(self.name, requirements, alone=self.invents)

    def run(self, problem: Problem) -> Plan:
        """Make the classes; everybody is withheld where there are none that hold."""
        model, requirement, view = the_model(self.name, problem.requirements, alone=self.invents)
        k = max([model.k, *sizes_asked(problem.requirements)])
        if problem.data.size < k:
            return too_few(problem, k)
        order = _by_quasi(problem.data)
        if not self.invents:
            return dealt_buckets(problem, problem.requirements, view, k, order)
        found = paper_buckets(problem.data, requirement, view, k, order)
        return Plan(found.buckets, added=found.added, history=found.history)


def _by_quasi(data: Microdata) -> NDArray[np.int64]:
    """(n,) Sort records by their quasi-identifiers, the first column first, equal ones in the order of the table."""
    if not data.quasi:
        return np.arange(data.size)
    tuples = data.tuples
    rank = np.empty(tuples.count, np.int64)
    rank[np.lexsort(data.codes[::-1, tuples.first])] = np.arange(tuples.count)
    return np.argsort(rank[tuples.of], kind="stable")
