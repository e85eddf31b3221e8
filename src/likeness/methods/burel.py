"""BUREL (Cao & Karras 2012, paper 002, section 4): bucketize sensitive values, reallocate records to classes.

Sensitive values of similar frequency share a bucket, few enough that drawing from every bucket in
proportion to its size keeps β-likeness whatever is drawn. A tree of halvings decides how many records each
class draws from each bucket; neighbours in the space of the quasi-identifiers fill it, whatever their
sensitive values are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, cast

import numpy as np

from likeness.checks import choice, whole
from likeness.errors import PolicyError
from likeness.methods._base import Method, Problem, holding_classes, joint_views
from likeness.methods._burel_buckets import Buckets, bucketize
from likeness.methods._burel_merge import join_failing
from likeness.methods._burel_space import Points, points
from likeness.methods._burel_tree import Leaves, bi_split
from likeness.methods.mondrian import Mondrian
from likeness.microdata.plan import Plan
from likeness.models._beta import GainLimits
from likeness.models._requirements import Requirement
from likeness.models.k_anonymity import KAnonymity

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.models._requirements import View


@dataclass(frozen=True)
class Burel(Method):
    """Bucketize sensitive values by frequency, then draw classes of neighbours from the buckets (β-likeness).

    The first requirement of basic or enhanced β-likeness, with any bound f, decides the buckets.
    k-anonymity decides how far classes are halved. Classes that fail any other requirement are joined with
    their neighbours on the Hilbert curve until they hold; where the whole table as one class does not,
    everything is withheld.

    Parameters
    ----------
    retrieve
        How a class finds records near its random seed: ``hilbert`` (default) by the difference of Hilbert
        keys, the paper's heuristic; ``nearest`` by Euclidean distance, exactly, as the paper sets out:
        slower with many quasi-identifiers and small classes, at less loss.
    min_size
        Smallest class, at least 1: BUREL by itself protects nobody's identity (with one sensitive value only,
        classes are single records).
    strict
        Values share a bucket only if their joint share is *below* f of the rarest, as section 4.3 prints it;
        otherwise (default) if it is at most f, as Lemma 2 and Example 1 have it.
    refine
        Not in the paper; the authors' program has it, and its figures probably too. Classes are split
        further while the frequencies that are really there allow it: ``hilbert`` halves every bucket's part
        of a class along the curve, ``mondrian`` cuts classes at the medians of quasi-identifiers, ``none``
        (default) leaves them.

    Notes
    -----
    What makes BUREL immune to minimality attacks (section 7) is that it never looks at the sensitive values
    of the records it draws, only at their buckets. That is so with ``refine: none`` under one β-likeness
    model and k-anonymity, and lost otherwise: both refinements look at sensitive values, and so does
    joining the classes that fail further requirements about them.

    Shares are compared exactly (integers; f enclosed by rationals). Of partitions into equally few buckets
    the one the paper's recursion finds is taken: from the last bucket on, each begins as late as possible.
    Values of equal frequency stand in the order of their codes.

    References
    ----------
    Cao & Karras 2012, "Publishing microdata with a robust privacy guarantee" (paper 002), section 4;
    refinement: spec section 4.1.

    Examples
    --------
    >>> Burel(min_size=5)
    Burel(retrieve='hilbert', min_size=5, strict=False, refine='none')
    """

    retrieve: str = "hilbert"
    min_size: int = 1
    strict: bool = False
    refine: str = "none"

    name: ClassVar[str] = "burel"

    def __post_init__(self) -> None:
        choice(self.name, "retrieve", self.retrieve, ("hilbert", "nearest"))
        whole(self.name, "min_size", self.min_size, at_least=1)
        if not isinstance(self.strict, bool):
            raise PolicyError(f"{self.name}: strict must be true or false; got {self.strict!r}")
        choice(self.name, "refine", self.refine, ("none", "hilbert", "mondrian"))

    def check(self, requirements: tuple[Requirement, ...]) -> None:
        """Refuse guarantees without β-likeness.

        Raises
        ------
        PolicyError
            When no requirement limits relative gains.
        """
        if not any(isinstance(requirement.bound, GainLimits) for requirement in requirements):
            asked = ", ".join(dict.fromkeys(requirement.model.name for requirement in requirements))
            raise PolicyError(
                f"{self.name}: needs beta-likeness or basic-beta-likeness, and the guarantee is "
                f"{asked or 'empty'}; add one of them, or use another method, such as mondrian"
            )

    def run(self, problem: Problem) -> Plan:
        """Decide every record's class.

        Returns
        -------
        Plan
            Classes that all hold; or everything withheld, when the whole table as one class does not hold.
            The history keeps the buckets (texts of their values) and the leaves of the ECTree (records drawn
            from each bucket, and by how many classes).

        Raises
        ------
        PolicyError
            When no requirement limits relative gains, or more than 63 quasi-identifiers have several values.
        """
        self.check(problem.requirements)
        data = problem.data
        if data.size == 0:
            return Plan(np.zeros(0, np.int64))
        problem = self._with_min_size(problem)
        bound, view = _first_gain_limits(problem.requirements)
        codes = view.codes(data.sensitive_codes)

        counts = np.bincount(codes, minlength=view.domain.codes)
        buckets = bucketize(counts, bound.attribute, bound.upper_limits, strict=self.strict)
        leaves = bi_split(buckets.sizes, buckets.limits, _smallest_class(problem.requirements))
        problem.progress.step("draw classes", 0, leaves.count)
        bucket, space = buckets.of[codes], points(data)
        classes, seeds = self._materialise(problem, bucket, space, leaves)

        joined = join_failing(problem, classes, seeds)
        if joined is None:
            return Plan(np.full(data.size, -1, np.int64), withheld_because={self._why(problem): data.size})
        if self.refine != "none":
            problem.progress.step("refine classes", 0, joined[1].size)
            # What no class test promised but the proof refuses is joined again; at worst nothing was gained.
            joined = join_failing(problem, *self._refined(problem, bucket, space, *joined)) or joined
        return Plan(joined[0], history=_history(bound, buckets, leaves))

    def _with_min_size(self, problem: Problem) -> Problem:
        """Require the smallest class size like any other requirement."""
        if self.min_size == 1:
            return problem
        model = KAnonymity(self.min_size)
        least = Requirement(model, model.bind(None), None)
        return replace(problem, requirements=(*problem.requirements, least))

    def _why(self, problem: Problem) -> str:
        """Say which requirements the whole table does not hold as one class."""
        whole_table = np.zeros(problem.data.size, np.int64)
        subjects = [one.subject for one in problem.requirements]
        if self.min_size > 1:
            subjects[-1] = f"min_size = {self.min_size}"
        failing = [
            subject
            for subject, one in zip(subjects, problem.requirements, strict=True)
            if not holding_classes((one,), problem.data, whole_table, 1).all()
        ]
        return f"the whole table as one class does not hold {', '.join(failing)}"

    def _materialise(
        self, problem: Problem, bucket: NDArray[np.int64], space: Points, leaves: Leaves
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Fill the leaves, in random order, with the records nearest to random seeds; (classes, places)."""
        from likeness.kernels.neighbours import retrieve_nearest
        from likeness.kernels.retrieval import retrieve_on_curve

        order = _along_curve(bucket, leaves.vectors.shape[1], space)
        starts = np.concatenate([[0], np.cumsum(np.bincount(bucket, minlength=leaves.vectors.shape[1]))])
        drafts = (
            *leaves.drafts(),
            problem.rng.permutation(np.repeat(np.arange(leaves.times.size), leaves.times)),
            problem.rng.random(leaves.count),
        )
        rank = space.rank[order].astype(np.int32)
        classes = np.full(problem.data.size, -1, np.int64)
        if self.retrieve == "hilbert":
            seeds = retrieve_on_curve(order, rank, starts, space.keys, *drafts, classes)
        else:
            seeds = retrieve_nearest(order, rank, starts, space.coordinates, *drafts, classes)
        return classes, space.keys[seeds]

    def _refined(
        self,
        problem: Problem,
        bucket: NDArray[np.int64],
        space: Points,
        classes: NDArray[np.int64],
        seeds: NDArray[np.int64],
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Split classes while the parts hold; (classes, places of the classes they were split from)."""
        if self.refine == "mondrian":
            finer = Mondrian(cut="all").run(replace(problem, parts=classes)).classes
            parent = np.zeros(int(finer.max()) + 1, np.int64)
            parent[finer] = classes
            return finer, seeds[parent]
        from likeness.kernels.class_tests import lay_out
        from likeness.kernels.halving import halve_classes
        from likeness.kernels.retrieval import sort_by_small_keys

        buckets = int(bucket.max()) + 1
        members = sort_by_small_keys(classes, seeds.size, _along_curve(bucket, buckets, space))
        starts = np.concatenate([[0], np.cumsum(np.bincount(classes, minlength=seeds.size))])
        views, tests, width = joint_views(problem)
        laid = lay_out(tests)
        finer = np.empty_like(classes)
        parent = halve_classes(
            laid.functions,
            laid.shape,
            laid.integers,
            laid.reals,
            laid.smallest,
            views,
            width,
            bucket,
            buckets,
            members,
            starts,
            finer,
        )
        return finer, seeds[parent]


def _first_gain_limits(requirements: tuple[Requirement, ...]) -> tuple[GainLimits, View]:
    """Find the requirement that decides the buckets."""
    found = next(one for one in requirements if isinstance(one.bound, GainLimits))
    return cast("GainLimits", found.bound), cast("View", found.view)


def _smallest_class(requirements: tuple[Requirement, ...]) -> int:
    """Find the largest k asked for."""
    return max((one.model.k for one in requirements if isinstance(one.model, KAnonymity)), default=1)


def _along_curve(bucket: NDArray[np.int64], buckets: int, space: Points) -> NDArray[np.int32]:
    """(n,) Records sorted by bucket, then along the curve, then by row."""
    from likeness.kernels.retrieval import sort_by_small_keys

    rows = np.arange(bucket.size, dtype=np.int32)
    by_rank = sort_by_small_keys(space.rank, space.keys.size, rows)
    return np.asarray(sort_by_small_keys(bucket, buckets, by_rank))


def _history(bound: GainLimits, buckets: Buckets, leaves: Leaves) -> dict[str, object]:
    """Keep what was decided, for the private report."""
    return {
        "buckets": [[bound.attribute.label(code) for code in values] for values in buckets.values],
        "leaves": [
            {"drawn": vector, "classes": times}
            for vector, times in zip(leaves.vectors.tolist(), leaves.times.tolist(), strict=True)
        ],
    }
