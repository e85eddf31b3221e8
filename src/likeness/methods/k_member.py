"""k-member clustering (Byun et al. 2007): grow every class by the record that adds least information loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.checks import choice, whole
from likeness.methods._base import Method, Problem, joint_views
from likeness.methods._leftovers import join_leftovers
from likeness.methods._record_space import record_space
from likeness.metrics.loss import LOSSES, geometry
from likeness.microdata.plan import Plan
from likeness.models.k_anonymity import KAnonymity

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class KMember(Method):
    """Begin every class with the record farthest from the last one's first, and grow it by the record that costs least.

    A class grows until it has k records and all models hold. A record that is left at the end joins the class whose total
    loss it raises least, among those that still hold with it.

    Parameters
    ----------
    k
        Records of a class, at least 1; by default the k of the k-anonymity asked for, 2 without it.
    loss
        The information loss that grows least: ``glm`` (default), ``ncp`` or ``iloss``.

    Notes
    -----
    The first class begins farthest from a random record, as in the paper. Records of equal quasi-identifiers cost nothing
    more and join together; of equal costs the first in the table is taken. Records left over are judged by the classes
    as they were made. The time grows with the number of records times that of their distinct combinations.

    References
    ----------
    Byun, Kamra, Bertino & Li 2007, "Efficient k-anonymization using clustering techniques"; distances as spec section 1.4.

    Examples
    --------
    >>> KMember(loss="ncp")
    KMember(k=None, loss='ncp')
    """

    k: int | None = None
    loss: str = "glm"

    name: ClassVar[str] = "k-member"

    def __post_init__(self) -> None:
        if self.k is not None:
            whole(self.name, "k", self.k, at_least=1)
        choice(self.name, "loss", self.loss, tuple(LOSSES))

    def run(self, problem: Problem) -> Plan:
        """Cluster the records; those that no class can take are withheld."""
        from likeness.kernels.class_tests import lay_out
        from likeness.kernels.k_member import added_losses, k_member

        data, tuples = problem.data, problem.data.tuples
        asked = [one.model.k for one in problem.requirements if isinstance(one.model, KAnonymity)]
        k = max([self.k or (1 if asked else 2), *asked])
        if data.size < k:
            reason = {f"fewer than {k} records": data.size} if data.size else {}
            return Plan(np.full(data.size, -1, np.int64), withheld_because=reason)
        views, tests, width = joint_views(problem)
        laid = lay_out(tests)
        shape = geometry(data.quasi, LOSSES[self.loss])
        codes = np.ascontiguousarray(data.codes[:, tuples.first].T)
        classes = np.empty(data.size, np.int64)
        hulls = _room(data.size // k, codes.shape[1], int(shape.word[-1]))
        problem.progress.step("cluster", 0, data.size // k)
        count = k_member(
            shape,
            record_space(data),
            codes,
            np.concatenate([[0], np.cumsum(tuples.sizes)]).astype(np.int64),
            np.argsort(tuples.of, kind="stable").astype(np.int64),
            views,
            max(k, laid.smallest),
            width,
            laid.functions,
            laid.shape,
            laid.integers,
            laid.reals,
            int(problem.rng.integers(tuples.count)),
            classes,
            hulls,
        )

        def cheapest(record: int) -> NDArray[np.int64]:
            added = added_losses(shape, hulls, count, codes[tuples.of[record]])
            return np.argsort(added, kind="stable")

        return join_leftovers(problem, classes, np.flatnonzero(classes < 0), cheapest, "nearest")


def _room(
    classes: int, attributes: int, words: int
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64]]:
    """Make room for the hulls and sizes of so many classes."""
    return (
        np.zeros((classes, attributes), np.int32),
        np.zeros((classes, attributes), np.int32),
        np.zeros((classes, words), np.uint64),
        np.zeros((classes, attributes), np.int64),
        np.zeros(classes, np.int64),
    )
