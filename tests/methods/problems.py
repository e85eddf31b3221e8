"""Small tables as a method meets them, and an independent check of what it decided."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.hierarchies import from_rows
from likeness.methods.base import Problem
from likeness.microdata.data import Microdata
from likeness.microdata.domain import Domain
from likeness.microdata.regions import LOSSES
from likeness.models.requirements import require

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likeness.microdata.plan import Plan
    from likeness.models.base import PrivacyModel

TREE_ROWS = [["a", "x", "*"], ["b", "x", "*"], ["c", "y", "*"], ["d", "y", "*"], ["e", "y", "*"]]


def number(name: str, size: int, *, missing: bool = False) -> Domain:
    return Domain(name, "integer", np.arange(size), "interval", missing=missing, low=0, high=max(1, size - 1))


def plain_set(name: str, size: int, *, missing: bool = False) -> Domain:
    labels = np.array([f"{name}{i}" for i in range(size)], object)
    return Domain(name, "categorical", labels, "set", missing=missing)


def tree(name: str, *, missing: bool = False) -> Domain:
    hierarchy = from_rows(TREE_ROWS, name, where=lambda i: f"line {i + 1}")
    leaves = np.array(hierarchy.leaves, object)
    return Domain(name, "hierarchical", leaves, "tree", hierarchy, missing=missing)


def table(counts: Sequence[int], seed: int = 0, *, missing: bool = False, numbers: int = 12) -> Microdata:
    """A table with so many records of each sensitive value, and random quasi-identifiers of all shapes."""
    rng = np.random.default_rng(seed)
    quasi = (number("age", numbers, missing=missing), plain_set("sex", 2), tree("work", missing=missing))
    sensitive = np.repeat(np.arange(len(counts)), counts)
    rng.shuffle(sensitive)
    size = sensitive.size
    codes = np.array([rng.integers(0, domain.codes, size) for domain in quasi], np.int32)
    return Microdata(
        quasi,
        codes,
        (plain_set("disease", len(counts)),),
        sensitive[None, :].astype(np.int32),
        np.arange(size),
    )


def problem(data: Microdata, *models: PrivacyModel, seed: int = 0) -> Problem:
    requirements = require(models, data.sensitive, data.sensitive_codes)
    return Problem(data, requirements, LOSSES["glm"], np.random.default_rng(seed))


def histograms(data: Microdata, plan: Plan) -> list[list[int]]:
    """Count the sensitive values of every class by a plain loop."""
    counts: list[list[int]] = [[0] * data.sensitive[0].codes for _ in range(plan.count)]
    for label, code in zip(plan.classes.tolist(), data.sensitive_codes[0].tolist(), strict=True):
        if label >= 0:
            counts[label][code] += 1
    return counts


def same(one: Plan, other: Plan) -> bool:
    return bool(np.array_equal(one.classes, other.classes))


def sizes(plan: Plan) -> Any:
    return np.bincount(plan.classes[plan.published], minlength=plan.count)
