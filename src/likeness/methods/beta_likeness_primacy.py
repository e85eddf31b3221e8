"""β-likeness-primacy (Amiri et al. 2016, section 3.5): BUREL where the values at hand are not distributed as the table's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.checks import whole
from likeness.methods.base import Method, Problem, sizes_asked, table_fails
from likeness.methods.burel.buckets import bi_split, bucketize, drawn, gain_limits, largest_count
from likeness.methods.burel.drawing import draw
from likeness.methods.spaces import join_failing, points
from likeness.microdata.plan import Plan
from likeness.models.beta_bounds import GainModel

if TYPE_CHECKING:
    from likeness.methods.burel.buckets import Buckets
    from likeness.models.base import PrivacyModel
    from likeness.models.requirements import Requirement


@dataclass(frozen=True)
class BetaLikenessPrimacy(Method):
    """Share the records of every sensitive value out among classes, as many of them as β-likeness and k allow.

    Sensitive values of similar frequency share a bucket: their joint share *among the records at hand* is at most f of the
    smallest of their shares *in the table* (β_Partition). The sizes of the buckets are halved, and the halves again, while both
    halves may be classes of k records (β_Split). A class then draws from its first bucket a random record and those nearest to
    it on the Hilbert curve, and from the other buckets those nearest to it.

    Parameters
    ----------
    k
        Smallest class; by default the k of the k-anonymity asked for, 1 without it.

    Notes
    -----
    Where the records at hand are not the whole table but those who may share a class, given what is known of them, a value may
    be too frequent among them even for a bucket of its own: then no class of all of them holds (Lemma 2), and all are
    withheld. In a whole table that never happens, and the method is the variant ``paper`` of `Burel`. Classes that fail other
    requirements are joined with neighbours on the curve.

    Printed otherwise, read so: equation 1 lets b go up to e, or no value could be alone in a bucket; shares are compared with
    f(p), not with β; the halves are rounded down and up.

    The paper holds it to be immune to minimality attacks, because seeds are drawn at random. The sizes of the classes are not,
    and where what is known was learnt from the table itself, its sensitive values decide the parts.

    References
    ----------
    Amiri et al. 2016, section 3.5, Algorithm 5; Cao & Karras 2012, section 4.

    Examples
    --------
    >>> BetaLikenessPrimacy(k=5)
    BetaLikenessPrimacy(k=5)
    """

    k: int | None = None

    name: ClassVar[str] = "beta-likeness-primacy"

    def __post_init__(self) -> None:
        if self.k is not None:
            whole(self.name, "k", self.k, at_least=1)

    def check(self, requirements: tuple[Requirement, ...]) -> None:
        """Refuse guarantees without β-likeness.

        Raises
        ------
        PolicyError
            When no requirement limits relative gains.
        """
        gain_limits(self.name, requirements)

    def made_for(self, models: tuple[PrivacyModel, ...]) -> bool:
        """β-likeness, basic or enhanced."""
        return any(isinstance(model, GainModel) for model in models)

    def run(self, problem: Problem) -> Plan:
        """Draw classes; everybody is withheld where a value is too frequent, or where not even all as one class hold."""
        data = problem.data
        if data.size == 0:
            return Plan(np.zeros(0, np.int64))
        bound, view = gain_limits(self.name, problem.requirements)
        smallest = max(self.k or 1, *sizes_asked(problem.requirements), 1)
        codes = view.codes(data.sensitive_codes)
        counts = np.bincount(codes, minlength=view.domain.codes)
        buckets = bucketize(counts, bound.attribute, bound.upper_limits, strict=False)
        if data.size < smallest or not _all_hold(buckets, data.size):
            failing = table_fails(one.subject for one in problem.requirements)
            return Plan(np.full(data.size, -1, np.int64), because={failing: data.size})
        leaves = bi_split(buckets.sizes, buckets.limits, smallest)
        problem.progress.step("draw classes", 0, leaves.count)
        joined = join_failing(problem, *draw(problem, "hilbert", buckets.of[codes], points(data), leaves))
        if joined is None:
            failing = table_fails(one.subject for one in problem.requirements)
            return Plan(np.full(data.size, -1, np.int64), because={failing: data.size})
        return Plan(joined[0], history=drawn(bound.attribute, buckets, leaves))


def _all_hold(buckets: Buckets, total: int) -> bool:
    """Whether no bucket, of one value or several, has more records than its limit allows of all (Lemma 2)."""
    return all(
        size <= largest_count(limit, total)
        for size, limit in zip(buckets.sizes.tolist(), buckets.limits, strict=True)
    )
