"""What DAnonyIR counts while a class grows, and what it leaves to the models' own tests."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from likeness.exact import rational
from likeness.methods._base import joint_views
from likeness.methods._danonyir_space import records_of

if TYPE_CHECKING:
    from fractions import Fraction

    from numpy.typing import NDArray

    from likeness.kernels.class_tests import LaidOutTests
    from likeness.kernels.danonyir_tests import Sets
    from likeness.methods._base import Problem
    from likeness.microdata.data import Microdata
    from likeness.models._requirements import Requirement, View

_MOST_PRODUCT = 1 << 62


class Asked(NamedTuple):
    """What every class must hold.

    Parameters
    ----------
    limits : (9,) int64
        What is counted (`likeness.kernels.danonyir_tests`).
    sets
        Sensitive values of the individuals.
    values
        Number of sensitive values.
    laid
        The other models' tests.
    width
        Length of their histogram.
    smallest
        No class has fewer individuals.
    """

    limits: NDArray[np.int64]
    sets: Sets
    values: int
    laid: LaidOutTests
    width: int
    smallest: int


def lay_out_limits(problem: Problem) -> Asked:
    """Lay out what every class must hold.

    The size and diversity models, those about individuals and records of Wang et al. 2019 and EIR l-diversity are counted
    as individuals join; one sensitive attribute can be counted so, seen as a whole. All other models bring their compiled test.
    """
    from likeness.kernels.class_tests import lay_out
    from likeness.kernels.danonyir_tests import LIMITS, OF_RECORDS, PEOPLE, Sets

    data = problem.data
    limits = np.zeros(LIMITS, np.int64)
    view: View | None = None
    others: list[Requirement] = []
    # Only counting decides EIR l-diversity exactly: its compiled test sees counts, not whose values they are.
    for requirement in sorted(problem.requirements, key=lambda one: one.model.name != "eir-l-diversity"):
        own = requirement.view
        same = own is None or view is None or own.looks_at == view.looks_at
        if (own is not None and (own.known or not same)) or not _count(requirement, limits, data):
            others.append(requirement)
        else:
            view = own or view
    views, tests, width = joint_views(replace(problem, requirements=tuple(others)))
    laid = lay_out(tests)
    limits[PEOPLE] = max(limits[PEOPLE], laid.smallest)
    first, value, values = _sets(data, view)
    if data.size == 0:
        limits[OF_RECORDS:] = 0
    return Asked(limits, Sets(first, value, views), values, laid, width, smallest_class(limits))


def smallest_class(limits: NDArray[np.int64]) -> int:
    """Count the individuals that every class must have at least."""
    from likeness.kernels.danonyir_tests import OF_RECORDS, PEOPLE, REASONING, VALUE_OF_PEOPLE

    least = max(1, int(limits[PEOPLE]), int(limits[REASONING]))
    for at in (OF_RECORDS, VALUE_OF_PEOPLE):
        if limits[at + 1] > 0:
            # Somebody has at least the average share, some value at least one individual.
            least = max(least, -(-int(limits[at + 1]) // max(1, int(limits[at]))))
    return least


def _count(requirement: Requirement, limits: NDArray[np.int64], data: Microdata) -> bool:
    """Whether a model's condition can be counted; then it is put into the limits."""
    from likeness.kernels import danonyir_tests as at

    model: Any = requirement.model
    people, shares = data.size + 1, []
    if model.name in {"k-anonymity", "ir-k-anonymity", "ir-kl-anonymity"}:
        limits[at.PEOPLE] = max(limits[at.PEOPLE], min(model.k, people))
    if model.name in {"distinct-l-diversity", "ir-kl-anonymity"}:
        limits[at.VALUES] = max(limits[at.VALUES], min(model.l, _distinct(requirement) + 1))
    if model.name == "eir-l-diversity":
        limits[at.REASONING] = max(limits[at.REASONING], min(model.l, people))
    if model.name in {"ir-alpha-beta-anonymity", "eir-alpha-beta-anonymity"}:
        whose = at.VALUE_OF_PEOPLE if model.name.startswith("eir") else at.VALUE_OF_PAIRS
        shares = [(at.OF_RECORDS, rational(model.alpha)), (whose, rational(model.beta))]
    records = max(1, records_of(data)[0].size)
    if any(max(share.numerator, share.denominator) * records > _MOST_PRODUCT for _, share in shares):
        return False
    for where, share in shares:
        _lower(limits, where, share)
    return bool(shares) or model.name in {
        "k-anonymity",
        "ir-k-anonymity",
        "ir-kl-anonymity",
        "distinct-l-diversity",
        "eir-l-diversity",
    }


def _distinct(requirement: Requirement) -> int:
    """Number of values there are."""
    return 0 if requirement.view is None else requirement.view.domain.codes


def _lower(limits: NDArray[np.int64], at: int, share: Fraction) -> None:
    """Lower a limit on a share."""
    known = int(limits[at + 1])
    if known == 0 or share.numerator * known < int(limits[at]) * share.denominator:
        limits[at], limits[at + 1] = share.numerator, share.denominator


def _sets(data: Microdata, view: View | None) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Find where the distinct values of each individual begin, the values, and how many there can be."""
    if view is None:
        return np.zeros(data.size + 1, np.int64), np.zeros(0, np.int64), 0
    records, of = records_of(data)
    values = view.domain.codes
    pairs = np.unique(of * values + view.codes(records.sensitive_codes))
    first = np.searchsorted(pairs, np.arange(data.size + 1) * values).astype(np.int64)
    return first, pairs % values, values
