"""Counts of records and the records themselves: `Microdata.copies` written out, and counted again.

Methods that tell equal records apart work on the records. What they decide says the same of most records that are equal, so it is
counted again before anything is published.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from likeness.microdata.grouping import group_codes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.microdata.data import Microdata
    from likeness.microdata.plan import Plan


def written_out(data: Microdata) -> Microdata:
    """Give every record a row of its own, in the order of the rows that stood for them."""
    if data.copies is None:
        return data
    return replace(data.take(np.repeat(np.arange(data.size), data.copies)), copies=None)


def drawn(
    data: Microdata, plan: Plan, rng: np.random.Generator
) -> tuple[Plan, NDArray[np.int64], NDArray[np.int64]]:
    """Draw the values that counted records are published with, by the mechanism of their plan.

    Gives the plan of a row for every different record and published value, those withheld among them; the row of ``data`` (m,)
    that each is of, ascending; and how many of its records (m,).
    """
    assert data.copies is not None and plan.mechanism is not None  # noqa: S101, PT018  # counted
    kept, out = np.flatnonzero(plan.published), np.flatnonzero(~plan.published)
    own, published, copies = plan.mechanism.perturb_counts(
        data.sensitive_codes[0][kept], data.copies[kept], rng
    )
    of = np.concatenate([kept[own], out])
    order = np.argsort(of, kind="stable")
    sensitive = np.concatenate([published, data.sensitive_codes[0][out]])[order][None]
    of, copies = of[order], np.concatenate([copies, data.copies[out]])[order]
    changed = int(copies[sensitive[0] != data.sensitive_codes[0][of]].sum())
    plan = replace(
        plan,
        classes=plan.classes[of],
        reasons=None if plan.reasons is None else plan.reasons[of],
        sensitive=np.ascontiguousarray(sensitive),
        history=plan.history | {"changed": changed},
    )
    return plan, of, copies


def counted_again(data: Microdata, plan: Plan) -> tuple[Microdata, Plan]:
    """Count the records that one row of the original stands for and of which a plan says the same.

    Parameters
    ----------
    data
        Records, as `written_out` makes them, or counts of them.
    plan
        What was decided of them; without records that nobody is (`Plan.added`) or regions wider than their classes.

    Returns
    -------
    data
        A row for every different record and decision, with how many records it stands for, in the order of the records.
    plan
        What was decided of it.
    """
    keys, radices = [data.rows, plan.classes + 1], [int(data.rows.max(initial=-1)) + 1, plan.count + 1]
    if plan.buckets is not None:
        keys.append(plan.buckets + 1)
        radices.append(int(plan.buckets.max(initial=-1)) + 2)
    if plan.reasons is not None:
        keys.append(plan.reasons.astype(np.int64) + 1)
        radices.append(len(plan.because) + 1)
    for codes in [] if plan.sensitive is None else plan.sensitive:
        keys.append(codes.astype(np.int64))
        radices.append(int(codes.max(initial=-1)) + 1)
    groups = group_codes(keys, radices, data.copies)
    first = groups.first
    return replace(data.take(first), copies=groups.sizes), replace(
        plan,
        classes=plan.classes[first],
        buckets=None if plan.buckets is None else plan.buckets[first],
        reasons=None if plan.reasons is None else plan.reasons[first],
        sensitive=None if plan.sensitive is None else np.ascontiguousarray(plan.sensitive[:, first]),
    )
