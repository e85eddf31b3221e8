"""Perturbation (Cao & Karras 2012, section 5): exact quasi-identifiers, randomized sensitive values.

Every record's sensitive value is kept with a chance of its own and else replaced by any value, by the same
published matrix for all records. Whoever sees a record's published value gains limited confidence in any
original one, even who knows everybody else's; but everybody sees who is in the table.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.checks import choice
from likeness.errors import PolicyError, Refusal
from likeness.methods.base import Method, Problem
from likeness.methods.leftovers import withhold_identities
from likeness.microdata.grouping import count_copies
from likeness.microdata.mechanism import MOST_VALUES
from likeness.microdata.plan import Plan
from likeness.microdata.retention import RULES, Limits, retain
from likeness.models.base import SensitiveAttribute, SensitiveModel
from likeness.wording import count

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.models.requirements import Requirement, View

_INSTEAD = (
    "beta-likeness or basic-beta-likeness (without negative), rho-privacy, or alpha-k-anonymity with k: 1 "
    "(k-anonymity beside it is judged on the exact quasi-identifiers)"
)


@dataclass(frozen=True)
class Perturbation(Method):
    """Randomize the sensitive column so that no published value raises confidence above the models' limits.

    Parameters
    ----------
    rule
        How the chances are chosen: ``capped`` (keep a value or draw from all; keeps the most records unchanged
        among the mechanisms of this kind, and works for every table), ``paper`` (the same, by Theorem 3 as
        printed; refuses tables for which it is false), ``uniform`` (the same, with one chance for all values)
        or ``blocks`` (every published value stands for a block of originals, itself among them; fewer records
        keep their value, and the reconstruction has the smallest variance).

    Notes
    -----
    It takes models that limit the confidence in every value and ask nothing else of sensitive values: several
    of them hold together. Models about quasi-identifiers alone (k-anonymity) are judged on these as they are
    published: exactly.

    References
    ----------
    Cao & Karras 2012, section 5. Ye & Barg 2018 and Park, Nam & Lee 2023 for
    ``blocks`` (see `likeness.microdata.retention.retain`).

    Examples
    --------
    >>> Perturbation()
    Perturbation(rule='capped')
    """

    rule: str = "capped"

    name: ClassVar[str] = "perturbation"
    form: ClassVar[str] = "perturbed"
    # Quasi-identifiers are published as they are, which keeps to any level limit.
    takes_parts: ClassVar[bool] = True
    # One matrix for all records.
    full_domain: ClassVar[bool] = True

    @property
    def keeps_copies(self) -> bool:
        """Records that say the same have one matrix; that their values are drawn one by one is seen to afterwards."""
        return True

    def __post_init__(self) -> None:
        choice(self.name, "rule", self.rule, RULES)

    @property
    def leaves_surplus(self) -> bool:
        """False: values are changed until nobody has too many."""
        return False

    def check(self, requirements: tuple[Requirement, ...]) -> None:
        """Refuse models that are more than limits on the confidence in each value."""
        limited = [one for one in requirements if one.view is not None]
        problems = [
            Refusal(
                f"cannot meet {one.subject}{_because(one)}, which is not a limit on the confidence in each value alone",
                (self.name,),
                remedy=f"use {_INSTEAD}, or another method",
            )
            for one in limited
            if one.bound.posterior_limits() is None
        ]
        if not limited:
            what = "needs a model that limits the confidence in each value"
            problems = [Refusal(what, (self.name,), remedy=f"use {_INSTEAD}")]
        for view in [one.view for one in limited if one.view is not None][:1]:
            values = view.domain.codes if view.group is None else len(view.group)
            if values > MOST_VALUES:
                what = (
                    f"has {count(values, 'value')}; the published matrix has the square of that, so that at most {MOST_VALUES} "
                    "are supported. Generalize the column first, or use another method"
                )
                problems.append(Refusal(what, (self.name,), column=view.domain.name))
        if problems:
            raise PolicyError(*problems)

    def run(self, problem: Problem) -> Plan:
        """Choose the matrix and draw; the plan's classes are the records of equal quasi-identifiers.

        Where records are counted, their values are still to be drawn (`likeness.microdata.copies.drawn`).
        """
        data = problem.data
        if len(data.sensitive) != 1:
            raise PolicyError(
                Refusal(
                    f"randomizes one sensitive column; this table has {len(data.sensitive)}. Give the others "
                    "another role, or use another method",
                    (self.name,),
                )
            )
        self.check(problem.requirements)
        plan = withhold_identities(problem, Plan(data.tuples.of))
        kept = np.flatnonzero(plan.published)
        if kept.size == 0:
            return plan
        domain = data.sensitive[0]
        codes = data.sensitive_codes[0][kept]
        counts = count_copies(codes, None if data.copies is None else data.copies[kept], domain.codes)
        limits = [_limits(one, one.view, counts) for one in problem.requirements if one.view is not None]
        mechanism = retain(counts, limits, self.rule, domain.label_of)
        history = {"rule": self.rule, "expected_truth": mechanism.expected_truth}
        plan = replace(plan, mechanism=mechanism, history=history)
        if data.copies is not None:
            return plan
        published = data.sensitive_codes.copy()
        published[0, kept] = mechanism.perturb(codes, problem.rng)
        changed = int(np.count_nonzero(published[0, kept] != codes))
        return replace(plan, sensitive=published, history=history | {"changed": changed})


def _because(requirement: Requirement) -> str:
    """Name the parameter that asks for more than a limit on each value."""
    parameter = requirement.model.beyond_posteriors
    return f" with {parameter}" if parameter else ""


def _limits(requirement: Requirement, view: View, counts: NDArray[np.int64]) -> Limits:
    """Limits against the distribution of the records that are published."""
    model, bound = requirement.model, requirement.bound
    if isinstance(model, SensitiveModel) and not model.against_original:
        seen = counts if view.group is None else np.bincount(view.group, counts).astype(np.int64)
        bound = model.bind(SensitiveAttribute(view.domain, seen))
    return Limits(bound.posterior_limits() or (), view.group)
