"""(p,l)-angelization (Kanwal et al. 2019), reconstructed: people of different categories make a bucket, and a class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import lcm
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from likeness import registry
from likeness.checks import choice, number, whole
from likeness.errors import PolicyError, Refusal, suggestion
from likeness.methods.base import Method, Problem, run_in_parts, sizes_asked
from likeness.methods.leftovers import withhold_buckets, withhold_classes
from likeness.microdata.highest import HISTORY, highest_of_each
from likeness.microdata.plan import Plan, Reason
from likeness.wording import quoted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.microdata.data import Microdata

LINKS = ("tight", "loose")
"""Whether people of one bucket share their region."""


@dataclass(frozen=True)
class PlAngelization(Method):
    """Deal people into buckets of different categories; the people of a bucket are a class, whose region all of them show.

    This is a reconstruction: the original could not be had. What is known of it is what others say: several sensitive columns,
    whose categories make a fingerprint; weights; buckets that are p-sensitive and l-diverse; and one class a bucket.

    Everybody is published once, with the highest category of theirs in every sensitive column (their fingerprint); that
    of the column of the largest weight is their leading one. People queue by it, those of the largest weighted sum
    of categories first. A round takes one from each of the max(p, l) longest queues, of equally long ones those of higher
    categories. Who is left over joins the first bucket that has their leading category less often than it has rounds; who finds
    none is withheld.

    Parameters
    ----------
    p
        Number of different leading categories in a bucket, at least 2.
    l
        Number of different fingerprints in a bucket, at least 2.
    weights
        Weight of each sensitive column, by name; all alike where it is left out. Of equally heavy ones the first leads.
    link
        ``tight`` (default): a class is a bucket, as published. ``loose``: regions are of classes of their own, made
        for what is asked of sizes alone, to show what the tight link costs and gives away.
    batches
        The method that makes these classes, by its name.

    Notes
    -----
    Under ``k-anonymity`` with k above max(p, l) a bucket takes ⌈k / max(p, l)⌉ rounds, so that no leading category has more than
    1/max(p, l) of it. Of several sensitive columns fingerprints are published whole, with their numbers; the form's
    ``apart`` lists each column by itself. Buckets that do not hold the guarantee are withheld.

    References
    ----------
    Kanwal et al. 2019, "Privacy-preserving model and generalization correlation attacks for 1:M data with multiple sensitive
    attributes", as Fazal et al. 2023 and Khan et al. 2020 describe it.

    Examples
    --------
    >>> PlAngelization(p=3, l=2)
    PlAngelization(p=3, l=2, weights=None, link='tight', batches='mondrian')
    """

    p: int = 2
    l: int = 2  # noqa: E741  # the literature's name
    weights: Mapping[str, Any] | None = field(default=None, hash=False)
    link: str = "tight"
    batches: str = "mondrian"

    name: ClassVar[str] = "pl-angelization"
    form: ClassVar[str] = "angelized"

    def __post_init__(self) -> None:
        whole(self.name, "p", self.p, at_least=2)
        whole(self.name, "l", self.l, at_least=2)
        choice(self.name, "link", self.link, LINKS)
        if not isinstance(self.batches, str):
            what = f"batches must be the name of a method; got {quoted(self.batches)}"
            raise PolicyError(Refusal(what, (self.name,)))
        if self._of_batches.form != Method.form:
            raise PolicyError(Refusal(f"batches: {self.batches} makes no classes of records", (self.name,)))
        if self.weights is None:
            return
        if not isinstance(self.weights, Mapping) or not self.weights:
            what = f"weights must be a mapping of sensitive columns to numbers; got {quoted(self.weights)}"
            raise PolicyError(Refusal(what, (self.name,)))
        for column, weight in self.weights.items():
            number(self.name, f"the weight of {column!r}", weight, above=0)
        object.__setattr__(self, "weights", dict(self.weights))

    @property
    def _of_batches(self) -> Method:
        """The method that makes classes where the link is loose."""
        found: Method = registry.create("methods", self.batches, {})
        return found

    @property
    def leaves_one_record(self) -> bool:
        """Everybody's fingerprint is published, and nothing else of them."""
        return True

    @property
    def joins_rest(self) -> bool:
        """Who finds no bucket is withheld, as described."""
        return False

    def prepared(self, data: Microdata) -> tuple[Microdata, Reason | None]:
        """Keep of everybody the highest category in every sensitive column."""
        if not data.sensitive:
            raise PolicyError(Refusal("needs a sensitive column"))
        return highest_of_each(data, int(np.argmax(self._weights_of(data)))), HISTORY

    def _weights_of(self, data: Microdata) -> NDArray[np.int64]:
        """(s,) Weight of each sensitive column, as whole numbers of the same ratios."""
        names = [domain.name for domain in data.sensitive]
        given = self.weights
        if given is None:
            return np.ones(len(names), np.int64)
        for name in given:
            if name not in names:
                what = f"weights: {name!r} is not a sensitive column{suggestion(name, names)}"
                raise PolicyError(Refusal(what))
        lacking = next((name for name in names if name not in given), None)
        if lacking is not None:
            raise PolicyError(Refusal(f"weights: the sensitive column {lacking!r} has none"))
        exact = [number(self.name, "weights", given[name]) for name in names]
        whole_part = lcm(*(one.denominator for one in exact))
        return np.array([int(one * whole_part) for one in exact], np.int64)

    def run(self, problem: Problem) -> Plan:
        """Deal everybody into buckets, which are the classes where the link is tight."""
        data = problem.data
        k = max([1, *sizes_asked(problem.requirements)])
        dealt = _deal(data, self._weights_of(data), max(self.p, self.l), k)
        words = "no bucket has room for their category, which one has {rounds} times at most"
        reason = Reason("no-bucket", words, rounds=-(-k // max(self.p, self.l)))
        plan = Plan(np.maximum(dealt, 0), np.maximum(dealt, 0)).withhold(dealt < 0, reason)
        withheld = -1
        while plan.withheld != withheld:
            # What one half of the guarantee withholds may leave too little for the other.
            withheld = plan.withheld
            plan = withhold_buckets(problem, plan)
            if self.link == "loose":
                plan = self._loosened(problem, plan)
            plan = withhold_classes(problem, plan)
        return plan

    def _loosened(self, problem: Problem, plan: Plan) -> Plan:
        """Give the published people classes of their own, for what is asked of sizes."""
        kept = np.flatnonzero(plan.published)
        size = tuple(one for one in problem.requirements if one.view is None)
        if not kept.size or not size:
            return plan
        method = self._of_batches
        parts = (
            None
            if problem.parts is None
            else np.unique(problem.parts[kept], return_inverse=True)[1].reshape(-1).astype(np.int64)
        )
        here = replace(
            problem, data=problem.data.take(kept), requirements=size, parts=parts, loss=method.lowered
        )
        made = run_in_parts(method, here)
        classes = plan.classes.copy()
        classes[kept] = np.maximum(made.classes, 0)
        plan = replace(plan, classes=classes)
        for position, reason in enumerate(made.because):
            gone = np.zeros(problem.data.size, np.bool_)
            gone[kept] = ~made.published & (made.reason_of == position)
            plan = plan.withhold(gone, reason)
        return plan


def _deal(data: Microdata, weights: NDArray[np.int64], width: int, k: int) -> NDArray[np.int64]:
    """(n,) Bucket of everybody, -1 where no bucket has room."""
    from likeness.kernels.dealing import deal, place_leftovers

    leads = data.sensitive_codes[int(np.argmax(weights))].astype(np.int64)
    categories = data.sensitive[int(np.argmax(weights))].codes
    heavy = (weights[:, None] * (data.sensitive_codes.astype(np.int64) + 1)).sum(axis=0)
    counts = np.bincount(leads, minlength=categories).astype(np.int64)
    # Of equally long queues those of higher categories are taken first, which `deal` does of smaller codes.
    places = categories - 1 - deal(counts[::-1].copy(), width)
    rounds = -(-k // width)
    places = places[: places.size // (width * rounds) * width * rounds]
    queues = np.lexsort((np.arange(data.size), -heavy, leads))
    taken = np.bincount(places, minlength=categories)
    begins = np.cumsum(counts) - counts
    front = np.arange(data.size) - np.repeat(begins, counts) < np.repeat(taken, counts)
    found = np.full(data.size, -1, np.int64)
    found[queues[front]] = np.argsort(places, kind="stable") // (width * rounds)
    buckets = places.size // (width * rounds)
    held = np.bincount(
        places * max(1, buckets) + np.arange(places.size) // (width * rounds), minlength=categories * buckets
    )
    left = np.sort(queues[~front])
    found[left] = place_leftovers(leads[left], held.reshape(categories, buckets), rounds)
    return found
