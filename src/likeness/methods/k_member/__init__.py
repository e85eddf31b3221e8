"""k-member clustering (Byun et al. 2007): grow every class by the record that adds least information loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.checks import choice, whole
from likeness.methods.base import Method, Problem, clusters_at_most, joint_views, sizes_asked
from likeness.methods.leftovers import join_leftovers, nearest_first
from likeness.methods.spaces import record_space
from likeness.microdata.plan import Plan, Reason
from likeness.microdata.regions import LOSSES, geometry

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.kernels.hulls import Geometry
    from likeness.microdata.data import Microdata
    from likeness.models.requirements import Requirement

_LOOKS_A_STEP = 20_000_000
_BLOCK = 32
"""Tuples near each other, which are looked at together before each of them."""


@dataclass(frozen=True)
class KMember(Method):
    """Begin every class with the record farthest from the last one's first, and grow it by the record that costs least.

    A class grows until it has k records and all models hold. A record that is left at the end joins the class whose total
    loss it raises least, among the ten first of which it is tried whether they still hold with it.

    Parameters
    ----------
    k
        Records of a class, at least 1; by default the k of the k-anonymity asked for, 2 without it. Of both the larger counts.
    loss
        The information loss that grows least: ``glm`` (default), ``ncp`` or ``iloss``.

    Notes
    -----
    The first class begins farthest from a random record, as in the paper. Records of equal quasi-identifiers cost nothing
    more and join together; of equal costs (nearer than 1e-12) the first in the table is taken. Records left over are judged
    by the classes as they were made. The time grows with the number of classes times that of distinct combinations.

    References
    ----------
    Byun, Kamra, Bertino & Li 2007, "Efficient k-anonymization using clustering techniques"; distances:
    Amiri et al. 2016, section 4.

    Examples
    --------
    >>> KMember(loss="ncp")
    KMember(k=None, loss='ncp')
    """

    k: int | None = None
    loss: str = "glm"

    name: ClassVar[str] = "k-member"
    forms: ClassVar[tuple[str, ...]] = ("identity-reserved",)
    takes_individuals: ClassVar[bool] = True
    candidate: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.k is not None:
            whole(self.name, "k", self.k, at_least=1)
        choice(self.name, "loss", self.loss, tuple(LOSSES))

    def work(self, data: Microdata, requirements: tuple[Requirement, ...]) -> int:
        """Every class looks at some attributes of many distinct tuples; every record is placed once."""
        clusters = clusters_at_most(data, requirements)
        return clusters * data.tuples.count * max(1, len(data.quasi)) + 3000 * data.size

    def run(self, problem: Problem) -> Plan:
        """Cluster the records; those that no class can take are withheld."""
        from likeness.kernels.class_tests import lay_out
        from likeness.methods.k_member.kernels import CLASSES, LEFT, added_losses, begin, go_on

        data, tuples = problem.data, problem.data.tuples
        asked = sizes_asked(problem.requirements)
        k = max([self.k or (1 if asked else 2), *asked])
        if data.size < k:
            reason = Reason("too-few", "fewer than {k} {word}", k=k, word=problem.word)
            return Plan(np.full(data.size, -1, np.int64), because={reason: data.size} if data.size else {})
        views, tests, width = joint_views(problem)
        laid = lay_out(tests)
        shape = geometry(data.quasi, LOSSES[self.loss])
        codes = np.ascontiguousarray(data.codes[:, tuples.first].T)
        start = np.concatenate([[0], np.cumsum(tuples.sizes)]).astype(np.int64)
        record = np.argsort(tuples.of, kind="stable").astype(np.int64)
        space = record_space(data)
        wanted = max(k, laid.smallest)
        first = int(problem.rng.integers(tuples.count))
        state = begin(shape, space, start, _near_together(shape, codes), _BLOCK, wanted, width, first)
        over = False
        while not over:
            over = go_on(
                shape,
                space,
                codes,
                start,
                record,
                views,
                wanted,
                laid.functions,
                laid.shape,
                laid.integers,
                laid.reals,
                state,
                _LOOKS_A_STEP,
            )
            problem.progress.step("cluster", data.size - int(state.numbers[LEFT]), data.size)
        count = int(state.numbers[CLASSES])

        def cheapest(one: int) -> NDArray[np.int64]:
            added = added_losses(shape, state.hulls, count, codes, tuples.of[one])
            # Rounded, so that of equal ones the first made is taken.
            return nearest_first(np.round(added, 9))

        classes = state.label
        return join_leftovers(problem, classes, np.flatnonzero(classes < 0), cheapest, "nearest")


def _near_together(shape: Geometry, codes: NDArray[np.int32]) -> NDArray[np.int64]:
    """(U,) Order tuples so that near ones stand together: halves of the attribute that spreads most, until they are a block."""
    most = np.maximum(shape.values - 1, 1)
    found: list[NDArray[np.int64]] = []
    waiting = [np.arange(len(codes))]
    while waiting:
        tuples = waiting.pop()
        here = codes[tuples]
        spread = np.ptp(here, axis=0) * shape.most / most if tuples.size > _BLOCK else np.zeros(1)
        if not spread.max(initial=0) > 0:
            found.append(tuples)
            continue
        half = tuples.size // 2
        order = np.argpartition(here[:, int(spread.argmax())], half)
        waiting += [tuples[order[half:]], tuples[order[:half]]]
    return np.concatenate(found) if found else np.zeros(0, np.int64)
