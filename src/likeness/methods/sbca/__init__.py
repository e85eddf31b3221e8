"""SBCA (Sarrafi Aghdam & Sonehara 2016): clusters of similar records, for numbers and categories without hierarchies.

A class is the first record that is left and the k - 1 records nearest to it. How similar two categories are is learnt from
the records themselves: from how often they occur together with the first record's other categories.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.checks import choice, whole
from likeness.methods._lattice import one_class
from likeness.methods.base import Method, Problem, clusters_at_most, joint_views, sizes_asked
from likeness.methods.leftovers import join_leftovers, nearest_first
from likeness.microdata.plan import Plan, Reason

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from likeness.methods.sbca.kernels import Sorted
    from likeness.microdata.data import Microdata
    from likeness.models.requirements import Requirement

_DISTANCES_A_STEP = 5_000_000


@dataclass(frozen=True)
class Sbca(Method):
    """Build one class after the other from the first record that is left and those nearest to it.

    The table is sorted by its attribute of fewest values. Categorical attributes are looked at from few values to many. Of
    an attribute with two values the other is at distance 1; of one with more, values are ordered by how near their
    frequency is to that of the record's own value, among the records equal to it in the attributes before (the
    contingency table, equation 6), and the distance is the place in this order over the number of values less one.
    Numbers are apart by their difference over the range (equation 7). A class grows by the nearest records until all models
    hold.

    Parameters
    ----------
    k
        Records of a class, at least 2; by default the k of the k-anonymity asked for, 2 without it. Of both the larger counts.
    leftover
        What becomes of the records that make no class at the end: ``last`` (default, the paper's recommendation) joins them
        with the last class, ``nearest`` each with the class of the nearest first record, ``withhold`` publishes none. Where
        the last class would no longer hold, they go to the nearest class that does; where none of the ten nearest does, they
        are withheld.
    widening
        Which records are added to a context of fewer than k: ``nearest`` (default) those of the next distance in the
        attributes before, until there are k; ``all`` of them at once.
    ties
        Values of equal similarity: ``dense`` (default) gives them the same place; ``order`` places them after each other,
        more frequent ones first, then in the order they appear in.
    normalize
        ``sum`` (default): every attribute counts the same; ``by-type``: numbers and categories count one half each.

    Notes
    -----
    The paper leaves open how a context is widened, where values of equal similarity stand, and how numbers and categories are
    put on one scale; ``widening``, ``ties`` and ``normalize`` are the readings, and its example is the same under all of them.
    ``dense`` loses less than ``order`` or as much, on the first 5,000 records of Adult for every k. A context of fewer than k is
    that of the records left, as the class itself is; attributes of one value left tell nothing apart. A missing value
    is 1 away from numbers and a category of its own.

    Weights and hierarchies of the policy are not looked at: where a column is published along a hierarchy, a class loses
    what its lowest common ancestor says, and Mondrian or local recoding are the better choice. Records equal in all
    quasi-identifiers are at distance 0 and join first; where they suffice, nothing else is computed, and the result is the
    same. The paper's operation count O((n/k)(n - nk/2 - 1)) is negative for k > 2; it is n²/(2k) distances.

    References
    ----------
    Sarrafi Aghdam & Sonehara 2016, "Achieving high data utility k-anonymization using similarity-based clustering model",
    sections 5 and 6.

    Examples
    --------
    >>> Sbca(leftover="nearest")
    Sbca(k=None, leftover='nearest', widening='nearest', ties='dense', normalize='sum')
    """

    k: int | None = None
    leftover: str = "last"
    widening: str = "nearest"
    ties: str = "dense"
    normalize: str = "sum"

    name: ClassVar[str] = "sbca"
    forms: ClassVar[tuple[str, ...]] = ("identity-reserved",)
    takes_individuals: ClassVar[bool] = True
    candidate: ClassVar[bool] = True
    outdone_by_moves: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.k is not None:
            whole(self.name, "k", self.k, at_least=2)
        choice(self.name, "leftover", self.leftover, ("last", "nearest", "withhold"))
        choice(self.name, "widening", self.widening, ("nearest", "all"))
        choice(self.name, "ties", self.ties, ("dense", "order"))
        choice(self.name, "normalize", self.normalize, ("sum", "by-type"))

    @property
    def joins_rest(self) -> bool:
        """False where leftover records are to be withheld."""
        return self.leftover != "withhold"

    def work(self, data: Microdata, requirements: tuple[Requirement, ...]) -> int:
        """Every class looks at all attributes of all distinct tuples."""
        clusters = clusters_at_most(data, requirements)
        return 2 * clusters * data.tuples.count * max(1, len(data.quasi)) + 1000 * data.size

    def run(self, problem: Problem) -> Plan:
        """Decide every record's class."""
        from likeness.kernels.class_tests import lay_out
        from likeness.methods.sbca.kernels import CLASSES, LEFT, Options, begin, go_on

        data = problem.data
        if not data.quasi:
            return one_class(problem)
        k = self._size(problem)
        if data.size < k:
            words = "fewer than {k} {word} are left, and no class has fewer"
            reason = Reason("too-few-left", words, k=k, word=problem.word)
            return Plan(np.full(data.size, -1, np.int64), because={reason: data.size} if data.size else {})
        views, tests, width = joint_views(problem)
        laid = lay_out(tests)
        order = _sorted_by_fewest_values(data)
        table = _sorted_table(data, order, views)
        options = Options(self.widening == "all", self.ties == "dense", self.normalize == "by-type")
        state = begin(table, k, width)
        over = False
        while not over:
            over = go_on(
                table,
                options,
                k,
                laid.functions,
                laid.shape,
                laid.integers,
                laid.reals,
                laid.smallest,
                state,
                _DISTANCES_A_STEP,
            )
            problem.progress.step("cluster", data.size - int(state.numbers[LEFT]), data.size)
        classes = np.empty(data.size, np.int64)
        classes[order] = state.label
        begins = state.begins[: int(state.numbers[CLASSES])]
        nearest = _nearest_classes(table, begins, np.argsort(order))
        return join_leftovers(problem, classes, order[state.label < 0], nearest, self.leftover)

    def _size(self, problem: Problem) -> int:
        """Records of a class."""
        asked = sizes_asked(problem.requirements)
        return max([self.k or 2, *asked])


def _sorted_by_fewest_values(data: Microdata) -> NDArray[np.int64]:
    """(n,) Records sorted by the attribute of fewest values; equal ones in the order of the table."""
    values = [np.unique(codes).size for codes in data.codes]
    return np.argsort(data.codes[int(np.argmin(values))], kind="stable").astype(np.int64)


def _sorted_table(data: Microdata, order: NDArray[np.int64], views: NDArray[np.int32]) -> Sorted:
    """Lay out the sorted table for the kernel."""
    from likeness.methods.sbca.kernels import Sorted

    tuples = data.tuples
    of = tuples.of[order]
    numbers = [j for j, domain in enumerate(data.quasi) if domain.shape == "interval"]
    others = [j for j, domain in enumerate(data.quasi) if domain.shape != "interval"]
    first = tuples.first
    return Sorted(
        np.array([data.quasi[j].places(np.nan)[data.codes[j, first]] for j in numbers], np.float64).reshape(
            len(numbers), first.size
        ),
        np.array([data.codes[j, first] for j in others], np.int32).reshape(len(others), first.size),
        np.array([data.quasi[j].codes for j in others], np.int64),
        of,
        np.concatenate([[0], np.cumsum(tuples.sizes)]).astype(np.int64),
        np.argsort(of, kind="stable").astype(np.int64),
        np.ascontiguousarray(views[:, order]),
    )


def _nearest_classes(
    table: Sorted, begins: NDArray[np.int64], place: NDArray[np.int64]
) -> Callable[[int], NDArray[np.int64]]:
    """Rank classes by the distance of their first record: difference of numbers over the range, 0 or 1 for categories."""

    def ranked(record: int) -> NDArray[np.int64]:
        own = table.of[place[record]]
        apart = np.abs(table.numbers[:, begins] - table.numbers[:, [own]])
        one_missing = np.isnan(table.numbers[:, begins]) != np.isnan(table.numbers[:, [own]])
        apart = np.where(one_missing, 1.0, np.nan_to_num(apart))
        differ = table.categories[:, begins] != table.categories[:, [own]]
        return nearest_first(apart.sum(axis=0) + differ.sum(axis=0))

    return ranked
