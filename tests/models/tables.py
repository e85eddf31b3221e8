"""Small sensitive columns and their classes, for the tests of models.

Strategies that are drawn from again and again are made once: making one takes longer than drawing from it.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from hypothesis import strategies as st

from likeness.hierarchies import Categories, from_rows
from likeness.kernels.class_tests import evaluate, lay_out
from likeness.microdata.domain import Domain
from likeness.microdata.knowledge import Distributions, rounded
from likeness.microdata.statistics import ClassStatistics, count_classes
from likeness.models.base import BoundModel, PrivacyModel, SensitiveAttribute

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likeness.hierarchies import Hierarchy

KINDS = ("categorical", "numbers", "tree")
DISEASES = ("headache", "epilepsy", "brain tumors", "anemia", "angina", "heart murmur")
"""Cao & Karras 2012, example 2: nineteen patients; the first three diseases are nervous, the others circulatory."""
DISEASE_COUNTS = (2, 3, 3, 3, 4, 4)


def tree(rows: Sequence[Sequence[str]]) -> Hierarchy:
    return from_rows([list(row) for row in rows], "sensitive", where=lambda i: f"line {i + 1}")


def categorical(values: int, *, missing: bool = False) -> Domain:
    labels = np.array([str(value) for value in range(values)], object)
    return Domain("sensitive", "categorical", labels, "set", missing=missing)


def numbers(values: Sequence[float], kind: Any = "integer", distance: str = "ordered") -> Domain:
    array = np.array(values)
    return Domain("sensitive", kind, array, "interval", low=min(values), high=max(values), distance=distance)


def hierarchical(hierarchy: Hierarchy, *, missing: bool = False) -> Domain:
    leaves = np.array(hierarchy.leaves, object)
    return Domain(
        "sensitive", "hierarchical", leaves, "tree", hierarchy, missing=missing, distance="hierarchical"
    )


def diseases() -> Domain:
    body = ["nervous"] * 3 + ["circulatory"] * 3
    return hierarchical(tree([(disease, part, "*") for disease, part in zip(DISEASES, body, strict=True)]))


def count(classes: Sequence[Sequence[int]]) -> ClassStatistics:
    """Statistics of classes from their counts of each value."""
    table = np.array(classes, np.int64)
    entries = np.flatnonzero(table)
    return ClassStatistics(
        table.sum(axis=1),
        table.shape[1],
        entries // table.shape[1],
        entries % table.shape[1],
        table.flat[entries],
    )


def count_records(classes: Sequence[Sequence[int]]) -> ClassStatistics:
    """The same, by way of the records."""
    table = np.array(classes, np.int64)
    which, code = np.divmod(np.repeat(np.arange(table.size), table.ravel()), table.shape[1])
    return count_classes(which, table.shape[0], code, table.shape[1])


def bind(
    model: PrivacyModel,
    reference: Sequence[int] | Distributions,
    domain: Domain | None = None,
    *,
    complete: bool = True,
) -> BoundModel:
    """Bind to the counts that classes are compared with, or to what is known of everybody."""
    if isinstance(reference, Distributions):
        domain = categorical(reference.values) if domain is None else domain
        nobody = np.zeros(domain.codes, np.int64)
        return model.bind(SensitiveAttribute(domain, nobody, complete, knowledge=reference))
    domain = categorical(len(reference)) if domain is None else domain
    return model.bind(SensitiveAttribute(domain, np.array(reference, np.int64), complete))


def holds(
    model: PrivacyModel,
    reference: Sequence[int] | Distributions,
    *classes: Sequence[int],
    domain: Domain | None = None,
) -> list[bool]:
    return bind(model, reference, domain).holds(count(classes)).tolist()


def accepts(bound: BoundModel, counts: Sequence[int]) -> bool:
    """What a search is told about a class."""
    tests = lay_out([bound.class_test()])
    size = int(sum(counts))
    histogram = np.array(counts, np.int64)
    if size < tests.smallest:
        return False
    return bool(evaluate(tests.functions, tests.shape, tests.integers, tests.reals, size, histogram))


@cache
@st.composite
def domains(draw: st.DrawFn, kinds: Sequence[str] = KINDS) -> Domain:
    """Columns of one to five values, in as many kinds as a model is for."""
    kind = draw(st.sampled_from(kinds))
    size = draw(st.integers(1, 5))
    if kind == "categorical":
        return categorical(size, missing=draw(st.booleans()))
    if kind == "categorized":
        ranks = draw(st.lists(st.integers(0, 2), min_size=size, max_size=size))
        own = [tuple(str(i) for i, rank in enumerate(ranks) if rank == r) for r in range(3)]
        return replace(categorical(size), categories=Categories(("low", "mild", "high"), tuple(own)))
    if kind == "numbers":
        steps = draw(st.lists(st.integers(1, 3), min_size=size, max_size=size))
        return numbers(np.cumsum(steps).tolist(), distance=draw(st.sampled_from(["equal", "ordered"])))
    low = draw(st.lists(st.integers(0, 2), min_size=size, max_size=size))
    high = draw(st.lists(st.integers(0, 1), min_size=3, max_size=3))
    rows = [(str(i), f"low {part}", f"high {high[part]}", "*") for i, part in enumerate(low)]
    return hierarchical(tree(rows), missing=draw(st.booleans()))


@cache
def class_counts(values: int, largest: int = 4) -> st.SearchStrategy[list[int]]:
    """Counts of one class that is not empty."""
    return st.lists(st.integers(0, largest), min_size=values, max_size=values).filter(any)


@cache
def distributions(values: int, most: int = 3) -> st.SearchStrategy[Distributions]:
    """One to three distributions over some values."""
    row = st.lists(st.integers(0, 4), min_size=values, max_size=values).filter(any)
    return st.lists(row, min_size=1, max_size=most).map(known)


def known(shares: Sequence[Sequence[float]]) -> Distributions:
    """Distinct distributions, in ascending order."""
    return Distributions(np.unique(rounded(np.array(shares, np.float64)), axis=0))
