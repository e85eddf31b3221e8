"""ANGEL (Tao et al. 2009): generalize for k alone, and let buckets give the guarantee about sensitive values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from likeness import registry
from likeness.checks import choice
from likeness.errors import PolicyError, Refusal
from likeness.methods.base import Method, Problem, method_for, run_in_parts
from likeness.methods.leftovers import withhold_buckets, withhold_classes
from likeness.microdata.highest import HISTORY, highest
from likeness.microdata.individuals import refuse_uncountable
from likeness.microdata.plan import Plan, Reason
from likeness.microdata.regions import merge_equal
from likeness.progress import Progress
from likeness.wording import quoted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.microdata.data import Microdata
    from likeness.models.requirements import Requirement

PUBLISHED = ("values", "highest")
"""What may be published of everybody's sensitive values: all, or the highest category."""


@dataclass(frozen=True)
class Angel(Method):
    """Two partitions of the records: batches, which are generalized, and buckets, whose sensitive values are published.

    Models about how many people are alike (k-anonymity) are asked of the batches alone, models about sensitive values of the
    buckets alone. So quasi-identifiers lose what k-anonymity alone makes them lose, whatever the sensitive guarantee, and an
    adversary who joins the tables believes in a value a mean of its shares in buckets: at most the largest.

    Parameters
    ----------
    batches
        The method that makes batches: its name, or a mapping of ``name`` and parameters.
    buckets
        The method that makes buckets; by default the one that was made for the guarantee, else ``mondrian``. One that keeps
        people who are alike together lets queries that join the tables err less.
    publish
        ``values`` (default): sensitive values as they are; where people have several records, all values of everybody: buckets
        tell how many of their people have each, and not which values are of one person. ``highest``: of everybody the highest
        category alone, one record a person (Fazal et al. 2023); it needs ``categories`` of the one sensitive column. All other
        records of a person are history: dropped, and counted in ``private/`` only. Quasi-identifiers are those of the record
        that is kept.

    Notes
    -----
    A record that either method withholds is withheld; both are run again on the others until none is. Without a model about
    sensitive values everybody's bucket is their batch; without one about how many are alike everybody is a batch
    with those of equal quasi-identifiers, which are then published exactly, as Anatomy does.

    References
    ----------
    Tao, Chen, Xiao, Zhou & Zhang 2009, "ANGEL: enhancing the utility of generalization for privacy preserving publication".

    Examples
    --------
    >>> Angel()
    Angel(batches='mondrian', buckets=None, publish='values')
    >>> Angel(buckets={"name": "k-member"}) == Angel(buckets="k-member")
    True
    """

    batches: Any = "mondrian"
    buckets: Any = None
    publish: str = "values"

    name: ClassVar[str] = "angel"
    form: ClassVar[str] = "angelized"
    takes_parts: ClassVar[bool] = True
    takes_individuals: ClassVar[bool] = True

    def __post_init__(self) -> None:
        choice(self.name, "publish", self.publish, PUBLISHED)
        for name in ("batches", "buckets"):
            given = getattr(self, name)
            if given is None and name == "buckets":
                continue
            method = self._made(name, given)
            # A name stands for the method as it is by default, so that equal methods are equal however they were given.
            plain = registry.parameters(method)
            object.__setattr__(self, name, method if plain else method.name)

    def _made(self, name: str, given: Any) -> Method:
        """Make the method that a parameter names."""
        if isinstance(given, Mapping):
            rest = {key: value for key, value in given.items() if key != "name"}
            given = self._create(name, given.get("name"), rest)
        elif isinstance(given, str):
            given = self._create(name, given, {})
        if not isinstance(given, Method):
            what = f"{name} must be the name of a method, or a mapping such as {{name: mondrian}}; got {quoted(given)}"
            raise PolicyError(Refusal(what, (self.name,)))
        if given.form != Method.form:
            what = f"{name}: {given.name} makes no classes of records"
            raise PolicyError(Refusal(what, (self.name,)))
        if given.invents:
            what = f"{name}: {given.name} would invent records, which are in no other table"
            raise PolicyError(Refusal(what, (self.name,), remedy="leave its variant out"))
        return given

    def _create(self, name: str, method: Any, parameters: Mapping[str, Any]) -> Method:
        """Make a method by its name; what is wrong with it is said of the parameter."""
        if not isinstance(method, str):
            raise PolicyError(Refusal(f"{name}: say which method, as in {{name: mondrian}}", (self.name,)))
        try:
            found: Method = registry.create("methods", method, dict(parameters))
        except PolicyError as problem:
            raise PolicyError(*problem.within(f"{self.name}: {name}")) from None
        return found

    @property
    def _of_batches(self) -> Method:
        """The method that makes batches."""
        return self._made("batches", self.batches)

    def _of_buckets(self, requirements: tuple[Requirement, ...], individuals: bool = False) -> Method:
        """The method that makes buckets for a guarantee, of records or of ``individuals``."""
        if self.buckets is not None:
            return self._made("buckets", self.buckets)
        return method_for(tuple(one.model for one in requirements), individuals=individuals)

    @property
    def leaves_one_record(self) -> bool:
        """Whether everybody's highest category is published, and nothing else of them."""
        return self.publish == "highest"

    def prepared(self, data: Microdata) -> tuple[Microdata, Reason | None]:
        """Keep of everybody the highest category, where that is what is published; else refuse what repeats a value."""
        if self.publish == "highest":
            return highest(data), HISTORY
        if data.individuals is not None:
            refuse_uncountable(data)
        return data, None

    def check(self, requirements: tuple[Requirement, ...]) -> None:
        """Refuse what either method refuses of its half of the guarantee."""
        size, value = _halves(requirements)
        if size:
            self._of_batches.check(size)
        if value and not any(one.model.about_individuals for one in value):
            self._of_buckets(value).check(value)

    def run(self, problem: Problem) -> Plan:
        """Make batches and buckets of the records that both can hold."""
        size, value = _halves(problem.requirements)
        data, left = problem.data, np.arange(problem.data.size)
        reasons: dict[Reason, NDArray[np.int64]] = {}
        while True:
            here = _of_records(problem, left)
            batches = self._batches(replace(here, requirements=size), merged=not value)
            buckets = self._buckets(replace(here, requirements=value), batches)
            out = np.zeros(left.size, np.bool_)
            for plan in (batches, buckets):
                for number, reason in enumerate(plan.because):
                    new = ~plan.published & (plan.reason_of == number) & ~out
                    reasons[reason] = np.append(reasons.get(reason, np.zeros(0, np.int64)), left[new])
                    out |= new
            if not out.any():
                break
            left = left[~out]
            if not left.size:
                break
        classes, of_bucket = np.full(data.size, -1, np.int64), np.full(data.size, -1, np.int64)
        if left.size:
            classes[left], of_bucket[left] = batches.classes, buckets.classes
        found = Plan(np.where(classes < 0, 0, classes), buckets=np.where(of_bucket < 0, 0, of_bucket))
        for reason, records in reasons.items():
            gone = np.zeros(data.size, np.bool_)
            gone[records] = True
            found = found.withhold(gone, reason)
        return found

    def _taking(self, problem: Problem, name: str, method: Method) -> Method:
        """Refuse a method that takes every record for another person's, where people have several."""
        if problem.data.members is None or method.takes_individuals:
            return method
        what = f"{name}: {method.name} does not take tables in which people have several records; use danonyir or mondrian"
        raise PolicyError(Refusal(what, (self.name,)))

    def _batches(self, problem: Problem, *, merged: bool) -> Plan:
        """Batches, where ``merged`` those of equal regions as the one that they are; of equal tuples where no size is asked."""
        if not problem.requirements:
            return Plan(problem.data.tuples.of)
        method = self._taking(problem, "batches", self._of_batches)
        plan = run_in_parts(method, replace(problem, loss=method.lowered))
        if merged:
            plan = merge_equal(problem.data, plan)
        return withhold_classes(problem, plan, "batch")

    def _buckets(self, problem: Problem, batches: Plan) -> Plan:
        """Buckets; the batches where nothing is asked of sensitive values."""
        if not problem.requirements:
            return Plan(np.maximum(batches.classes, 0))
        method = self._of_buckets(problem.requirements, problem.data.members is not None)
        method = self._taking(problem, "buckets", method)
        # Regions are of batches: level limits keep no bucket apart.
        return withhold_buckets(problem, run_in_parts(method, replace(problem, loss=method.lowered)))


def _halves(
    requirements: tuple[Requirement, ...],
) -> tuple[tuple[Requirement, ...], tuple[Requirement, ...]]:
    """What is asked of how many are alike, and what of sensitive values."""
    return (
        tuple(one for one in requirements if one.view is None),
        tuple(one for one in requirements if one.view is not None),
    )


def _of_records(problem: Problem, left: NDArray[np.int64]) -> Problem:
    """The same problem of some of its records."""
    if left.size == problem.data.size:
        return problem
    parts = None if problem.parts is None else problem.parts[left]
    if parts is not None:
        parts = np.unique(parts, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return replace(problem, data=problem.data.take(left), parts=parts, progress=Progress())
