"""Random small tables with classes, for metrics."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import strategies as st

from likeness.hierarchies import from_rows
from likeness.metrics.base import Evaluation
from likeness.microdata.data import Microdata
from likeness.microdata.domain import Domain
from likeness.microdata.plan import Plan, renumber
from likeness.microdata.regions import recode

if TYPE_CHECKING:
    from likeness.hierarchies import Hierarchy

DISEASE = Domain("disease", "categorical", np.array(["flu", "hiv", "ulcer"]), "set")


def tree(labels: list[str], groups: list[int]) -> Hierarchy:
    """Leaves, groups of leaves, and a root."""
    rows = [(label, f"group {group}", "*") for label, group in zip(labels, groups, strict=True)]
    return from_rows(rows, "tree", where=str)


@st.composite
def domains(draw: st.DrawFn, name: str) -> Domain:
    """One attribute of any shape, with levels (a hierarchy, or a plain set)."""
    size = draw(st.integers(1, 6))
    missing = draw(st.booleans())
    weight = draw(st.sampled_from([1.0, 2.5]))
    groups = draw(st.lists(st.integers(0, 2), min_size=size, max_size=size))
    kind = draw(st.sampled_from(["integer", "real", "date", "ordered", "hierarchical", "categorical", "set"]))
    if kind in {"hierarchical", "set"}:
        # Leaves in pre-order: the codes are the ranks.
        hierarchy = tree([f"v{i}" for i in range(size)], sorted(groups))
        shape = "tree" if kind == "hierarchical" else "set"
        values = np.array(hierarchy.leaves)
        return Domain(name, "hierarchical", values, shape, hierarchy, missing=missing, weight=weight)
    if kind == "categorical":
        # More than 64 codes now and then: two words of bits.
        many = draw(st.sampled_from([size, 70]))
        values = np.array([f"v{i:02d}" for i in range(many)])
        return Domain(name, "categorical", values, "set", missing=missing, weight=weight)
    steps = np.cumsum(draw(st.lists(st.integers(1, 9), min_size=size, max_size=size)))
    values = {
        "integer": steps,
        "real": steps / 8,
        "date": np.datetime64("2024-01-01") + steps.astype("timedelta64[D]"),
        "ordered": np.array([f"v{i}" for i in range(size)]),
    }[kind]
    plain = Domain(name, kind, values, "interval", missing=missing, weight=weight)
    wider = draw(st.integers(0, 3)) if kind != "ordered" else 0
    # Groups in any order: leaves then stand in another order than the values.
    return replace(
        plain,
        hierarchy=tree(plain.labels, groups),
        low=float(plain.numbers[0]),
        high=float(plain.numbers[-1]) + wider,
    )


@st.composite
def evaluations(draw: st.DrawFn, rows: int = 14) -> Evaluation:
    """Up to ``rows`` records of up to 3 quasi-identifiers, in up to 5 classes, some withheld."""
    quasi = tuple(draw(domains(f"a{j}")) for j in range(draw(st.integers(1, 3))))
    n = draw(st.integers(1, rows))
    codes = [draw(st.lists(st.integers(0, x.codes - 1), min_size=n, max_size=n)) for x in quasi]
    sick = draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    lowest = draw(st.sampled_from([-1, 0]))
    classes = draw(st.lists(st.integers(lowest, 4), min_size=n, max_size=n))
    return evaluate(quasi, codes, sick, classes)


def evaluate(
    quasi: tuple[Domain, ...], codes: list[list[int]], sick: list[int], classes: list[int]
) -> Evaluation:
    """Publish records of these codes in these classes."""
    n = len(classes)
    data = Microdata(
        quasi,
        np.array(codes, np.int32).reshape(len(quasi), n),
        (DISEASE,),
        np.array([sick], np.int32).reshape(1, n),
        np.arange(n),
    )
    return Evaluation(data, *recode(data, Plan(renumber(np.array(classes, np.int64)))))


def permuted(evaluation: Evaluation, order: list[int]) -> Evaluation:
    """The same release with its records in another order and its classes numbered backwards."""
    positions = np.array(order, np.int64)
    data = evaluation.data.take(positions)
    classes = evaluation.plan.classes[positions]
    plan = Plan(np.where(classes < 0, -1, evaluation.plan.count - 1 - classes))
    return Evaluation(data, *recode(data, plan))
