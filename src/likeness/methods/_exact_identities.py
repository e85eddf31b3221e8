"""Models about quasi-identifiers alone, where these are published exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likeness.methods.base import holding_classes

if TYPE_CHECKING:
    from likeness.methods.base import Problem
    from likeness.microdata.plan import Plan


def withhold_identities(problem: Problem, plan: Plan) -> Plan:
    """Withhold records whose exact quasi-identifiers do not hold a model about these alone (k-anonymity).

    Parameters
    ----------
    problem
        What is asked.
    plan
        Its classes are the records of equal quasi-identifiers.
    """
    for requirement in problem.requirements:
        if requirement.view is None:
            good = holding_classes((requirement,), problem.data, plan.classes, plan.count)
            reason = f"quasi-identifiers, published exactly, do not hold {requirement.subject}"
            plan = plan.withhold(~np.append(good, True)[plan.classes], reason)
    return plan
