"""SABRE (Cao, Karras, Kalnis & Tan 2011): bucketize sensitive values, redistribute records to classes (t-closeness).

Sensitive values near one another share a bucket, few enough that drawing from every bucket nearly in
proportion to its size keeps t-closeness whatever is drawn. A tree of halvings decides how many records each class
draws from each bucket; neighbours in the space of the quasi-identifiers fill it.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush
from typing import TYPE_CHECKING, ClassVar, cast

import numpy as np

from likeness.checks import choice
from likeness.errors import PolicyError, Refusal
from likeness.exact import times
from likeness.methods.base import Method, Problem, holding_classes, sizes_asked, table_fails
from likeness.methods.burel.buckets import Leaves, grow
from likeness.methods.sabre.ground import BOUNDS, Ground, Span, ground_of
from likeness.methods.spaces import join_failing, points
from likeness.microdata.plan import Plan, Reason
from likeness.models.t_closeness import TCloseness

if TYPE_CHECKING:
    from collections.abc import Iterator
    from fractions import Fraction

    from numpy.typing import NDArray

    from likeness.microdata.data import Microdata
    from likeness.models.base import PrivacyModel
    from likeness.models.earth_movers import Transport
    from likeness.models.requirements import Requirement, View

_MOST_BUCKETS = 4
"""More buckets than this many times the fewest are not tried."""
_TRIALS = 40
"""Partitions that are tried at most."""


@dataclass(frozen=True)
class Sabre(Method):
    """Bucketize sensitive values by their distance, then draw classes of neighbours from the buckets (t-closeness).

    The first requirement of t-closeness, with any ground distance, decides the buckets: nodes of the hierarchy
    (equal distances: a hierarchy of height 1) or intervals of ranks. k-anonymity decides how far classes
    are halved. Classes that fail any other requirement are joined with their neighbours on the Hilbert
    curve until they hold; where the whole table as one class does not, everything is withheld.

    Parameters
    ----------
    retrieve
        How a class finds records near its random seed: ``hilbert`` (default, the paper's SABRE-AK) by the
        difference of Hilbert keys; ``nearest`` (SABRE-KNN) by Euclidean distance, exactly.
    bound
        What is known of a class by its draws. ``exact`` (default): the distance of the farthest class that could
        be drawn so. ``tight``: what moving between buckets costs, and what then moving within
        them does in the worst case. ``plain``: the same, every move within a bucket taken to be as long as the
        bucket is wide. Each is at most the next.
    buckets
        ``slack`` (default, not in the paper): of the partitions that t allows the one of most classes over its
        number of buckets squared, because more classes lose less and more buckets lose more. ``fewest``: the first, as
        the paper has it; by chance it may leave no room for halving, and a larger t then loses more.

    Notes
    -----
    The paper's full text was not to be had: this is made from its abstract, Cao & Karras 2012, and another's program.
    Reconstructed are: the bounds, which are proven here (`Ground.farthest` of both kinds of
    ground distance); the choice of the bucket to split, by the largest fall of the sum of all bounds; the
    halving of draws, seeds and ties, as BUREL has them; ``exact`` and ``slack`` are ours.

    It looks at no sensitive value of the records it draws, only at their buckets, unless it must join classes
    for a requirement other than t-closeness and k-anonymity. Everything is decided in whole numbers. A class of
    t = 0 has exactly the table's distribution.

    References
    ----------
    Cao, Karras, Kalnis & Tan 2011, "SABRE: a Sensitive Attribute Bucketization and REdistribution framework for
    t-closeness", VLDB Journal 20(1); Cao & Karras 2012, sections 4 and 6.1.

    Examples
    --------
    >>> Sabre(retrieve="nearest")
    Sabre(retrieve='nearest', bound='exact', buckets='slack')
    """

    retrieve: str = "hilbert"
    bound: str = "exact"
    buckets: str = "slack"

    name: ClassVar[str] = "sabre"
    candidate: ClassVar[bool] = True

    def __post_init__(self) -> None:
        choice(self.name, "retrieve", self.retrieve, ("hilbert", "nearest"))
        choice(self.name, "bound", self.bound, BOUNDS)
        choice(self.name, "buckets", self.buckets, ("slack", "fewest"))

    def check(self, requirements: tuple[Requirement, ...]) -> None:
        """Refuse guarantees without t-closeness.

        Raises
        ------
        PolicyError
            When no requirement is t-closeness.
        """
        if not any(isinstance(requirement.model, TCloseness) for requirement in requirements):
            asked = ", ".join(dict.fromkeys(requirement.model.name for requirement in requirements))
            raise PolicyError(
                Refusal(
                    f"needs t-closeness, and the guarantee is {asked or 'empty'}; add it under privacy, such as "
                    "{model: t-closeness, t: 0.2}, or use another method, such as mondrian",
                    (self.name,),
                )
            )

    def made_for(self, models: tuple[PrivacyModel, ...]) -> bool:
        """t-closeness."""
        return any(isinstance(model, TCloseness) for model in models)

    def work(self, data: Microdata, requirements: tuple[Requirement, ...]) -> int:
        """Records are sorted along a curve and drawn; partitions of the sensitive values are tried."""
        values = max((one.view.domain.codes for one in requirements if one.view is not None), default=1)
        return 30 * data.size * data.size.bit_length() + 1000 * values**2

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
            When no requirement is t-closeness, or more than 63 quasi-identifiers have several values.
        """
        self.check(problem.requirements)
        data = problem.data
        if data.size == 0:
            return Plan(np.zeros(0, np.int64))
        task = _Task.of(problem.requirements, self.bound)
        codes = task.view.codes(data.sensitive_codes)
        counts = np.bincount(codes, minlength=task.view.domain.codes)[task.present]
        spans, drafts = self._decide(task, counts)
        of_rank = np.repeat(np.arange(len(spans)), [last - first + 1 for first, last in spans])
        of = np.full(task.view.domain.codes, -1, np.int64)
        of[task.present] = of_rank
        problem.progress.step("draw classes", 0, drafts.count)
        classes, places = self._materialise(problem, of[codes], drafts)
        joined = join_failing(problem, classes, places)
        if joined is None:
            return Plan(np.full(data.size, -1, np.int64), because={_why(problem): data.size})
        return Plan(joined[0], history=task.history(spans, drafts))

    def _decide(self, task: _Task, counts: NDArray[np.int64]) -> tuple[list[Span], Leaves]:
        """Choose buckets and draws."""
        chosen: tuple[list[Span], Leaves] | None = None
        most = 0.0
        for spans in self._candidates(task):
            starts = np.array([first for first, _ in spans])
            sizes = np.add.reduceat(counts, starts)
            drafts = halve(sizes, task.ground, spans, task.t, task.smallest)
            score = drafts.count / len(spans) ** 2
            if chosen is None or score > most:
                chosen, most = (spans, drafts), score
        assert chosen is not None  # noqa: S101  # one bucket per value is always allowed
        return chosen

    def _candidates(self, task: _Task) -> Iterator[list[Span]]:
        """Yield the partitions to try."""
        fewest = tried = wanted = 0
        for spans in partitions(task.ground, task.t):
            fewest = fewest or len(spans)
            if len(spans) > _MOST_BUCKETS * fewest and tried:
                return
            if len(spans) < wanted:
                continue
            yield spans
            tried += 1
            wanted = len(spans) + max(1, _MOST_BUCKETS * fewest // _TRIALS)
            if self.buckets == "fewest":
                return

    def _materialise(
        self, problem: Problem, bucket: NDArray[np.int64], drafts: Leaves
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Fill the leaves, in random order, with the records nearest to random seeds; (classes, places)."""
        from likeness.kernels.retrieval import retrieve_nearest, retrieve_on_curve, sort_by_small_keys

        space = points(problem.data)
        count = drafts.vectors.shape[1]
        rows = np.arange(bucket.size, dtype=np.int32)
        order = sort_by_small_keys(bucket, count, sort_by_small_keys(space.rank, space.keys.size, rows))
        starts = np.concatenate([[0], np.cumsum(np.bincount(bucket, minlength=count))])
        plan = (
            *drafts.drafts(),
            problem.rng.permutation(np.repeat(np.arange(drafts.times.size), drafts.times)),
            problem.rng.random(drafts.count),
        )
        rank = space.rank[order].astype(np.int32)
        classes = np.full(problem.data.size, -1, np.int64)
        if self.retrieve == "hilbert":
            seeds = retrieve_on_curve(order, rank, starts, space.keys, *plan, classes)
        else:
            seeds = retrieve_nearest(order, rank, starts, space.coordinates, *plan, classes)
        return classes, space.keys[seeds]


@dataclass(frozen=True, eq=False)
class _Task:
    """What the requirements ask of SABRE: ``requirement`` is the t-closeness that decides the buckets.

    ``ground``: over the values that occur, of codes ``present`` (m,). ``smallest``: no class has fewer records.
    """

    requirement: Requirement
    t: Fraction
    ground: Ground
    present: NDArray[np.int64]
    smallest: int

    @staticmethod
    def of(requirements: tuple[Requirement, ...], bound: str) -> _Task:
        """Find what decides."""
        found = next(one for one in requirements if isinstance(one.model, TCloseness))
        transport = cast("Transport", found.bound.transport)  # type: ignore[attr-defined]
        distance = cast("TCloseness", found.model).distance or cast("View", found.view).domain.distance
        ground = ground_of(transport, bound, ordered=distance == "ordered")
        smallest = max(sizes_asked(requirements), default=1)
        t = cast("Fraction", found.bound.t)  # type: ignore[attr-defined]
        return _Task(found, t, ground, np.flatnonzero(transport.counts), smallest)

    @property
    def view(self) -> View:
        """The values that are looked at."""
        return cast("View", self.requirement.view)

    def history(self, spans: list[Span], drafts: Leaves) -> dict[str, object]:
        """Keep what was decided, for the private report."""
        occurring = [self.view.domain.label_of(code) for code in self.present.tolist()]
        return {
            "buckets": [occurring[first : last + 1] for first, last in spans],
            "leaves": [
                {"drawn": vector, "classes": repeats}
                for vector, repeats in zip(drafts.vectors.tolist(), drafts.times.tolist(), strict=True)
            ],
        }


def _why(problem: Problem) -> Reason:
    """Say which requirements the whole table does not hold as one class."""
    whole = np.zeros(problem.data.size, np.int64)
    failing = [
        one.subject
        for one in problem.requirements
        if not holding_classes((one,), problem.data, whole, 1).all()
    ]
    return table_fails(failing)


def partitions(ground: Ground, t: Fraction) -> Iterator[list[Span]]:
    """Yield the bucket partitions that t allows, from the fewest buckets on.

    One bucket holds everything at first. While the bounds of all buckets together exceed t, the bucket
    whose split lowers them most is split; of equals, the leftmost. Then splitting goes on the same way, for those
    who want more buckets.
    """
    whole: Span = (0, len(ground.counts) - 1)
    allowed = t * ground.scale * ground.total
    cost = ground.cost(whole)
    splits: list[tuple[int, Span, list[Span]]] = []
    _offer(splits, ground, whole)
    buckets = {whole}
    while True:
        if cost <= allowed:
            yield sorted(buckets)
        if not splits:
            return
        fall, span, parts = heappop(splits)
        buckets.remove(span)
        buckets.update(parts)
        cost += fall
        for part in parts:
            _offer(splits, ground, part)


def _offer(splits: list[tuple[int, Span, list[Span]]], ground: Ground, span: Span) -> None:
    """Note what splitting a bucket would change."""
    parts = ground.split(span)
    if parts:
        heappush(splits, (sum(map(ground.cost, parts)) - ground.cost(span), span, parts))


def halve(
    sizes: NDArray[np.int64], ground: Ground, spans: list[Span], t: Fraction, smallest: int = 1
) -> Leaves:
    """Halve the bucket sizes, and the halves again, while no class drawn so can be farther than t.

    ``sizes`` (buckets,) are those of the buckets ``spans``; a class has at least ``smallest`` records.
    """
    farthest = ground.farthest(spans)
    unit = t.numerator * ground.scale * ground.total

    def near(nodes: NDArray[np.int64]) -> NDArray[np.bool_]:
        size = nodes.sum(axis=1)
        good = size >= max(1, smallest)
        allowed = times(size[good], unit)
        good[good] = times(farthest(nodes[good]), t.denominator) <= allowed
        return np.asarray(good)

    def may_split(nodes: NDArray[np.int64]) -> NDArray[np.bool_]:
        left = nodes >> 1
        split = near(left)
        split[split] = near((nodes - left)[split])
        return split

    return grow(sizes, may_split)
