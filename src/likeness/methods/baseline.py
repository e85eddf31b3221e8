"""Publish nothing but the overall distribution of the sensitive values (the Baseline of Cao & Karras 2012)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from likeness.errors import PolicyError, Refusal
from likeness.methods.base import Method, Problem, holding_classes
from likeness.methods.leftovers import withhold_identities
from likeness.microdata.plan import Plan, Reason


@dataclass(frozen=True)
class Baseline(Method):
    """Publish quasi-identifiers exactly, and of sensitive values only how often each occurs overall.

    Nobody learns more of anybody than the overall distribution, so any model that the table holds as a single
    class is held; what is lost is every link between quasi-identifiers and sensitive values. Models about
    quasi-identifiers alone (k-anonymity) are judged on these as they are published: exactly.

    References
    ----------
    Cao & Karras 2012, section 6.3, Baseline.

    Examples
    --------
    >>> Baseline()
    Baseline()
    """

    name: ClassVar[str] = "baseline"
    form: ClassVar[str] = "baseline"
    # Quasi-identifiers are published as they are, which keeps to any level limit.
    takes_parts: ClassVar[bool] = True

    @property
    def ignores_order(self) -> bool:
        """Nothing depends on the order of the records."""
        return True

    def run(self, problem: Problem) -> Plan:
        """Put all records into one bucket; the plan's classes are the records of equal quasi-identifiers.

        Raises
        ------
        PolicyError
            When there is not exactly one sensitive column.
        """
        data = problem.data
        if len(data.sensitive) != 1:
            raise PolicyError(
                Refusal(
                    f"publishes the distribution of one sensitive column; this table has "
                    f"{len(data.sensitive)}. Give the others another role, or use another method",
                    (self.name,),
                )
            )
        plan = withhold_identities(problem, Plan(data.tuples.of))
        buckets = np.where(plan.published, 0, -1).astype(np.int64)
        plan = replace(plan, buckets=buckets)
        for requirement in problem.requirements:
            if requirement.view is None or not plan.published.any():
                continue
            if not holding_classes((requirement,), data, buckets, 1).all():
                words = "all records, as the one class they are, do not hold {model}"
                plan = plan.withhold(
                    plan.published, Reason("all-records-fail", words, model=requirement.subject)
                )
        return plan
