"""Columns with odd labels, and what a published region covers, for the tests of forms."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from hypothesis import strategies as st

from likeness.hierarchies import from_rows
from likeness.microdata.domain import Domain
from likeness.queries.overlap import Overlap

if TYPE_CHECKING:
    from likeness.published.columns import ColumnNote
    from likeness.published.regions import Region

ODD = ["*", "", "[1, 2]", "{a|b}", "a|b", "a, b", "\\e", "é√\U0001f600", " ", "]", "}", "-1", "None", "a\\"]


@st.composite
def odd_domains(draw: st.DrawFn, name: str) -> Domain:
    """A column whose labels hold every separator there is."""
    labels = draw(st.lists(st.sampled_from(ODD), min_size=1, max_size=6, unique=True))
    missing = draw(st.booleans())
    kind = draw(st.sampled_from(["ordered", "hierarchical", "categorical"]))
    if kind == "ordered":
        values = np.array(labels, object)
        return Domain(name, kind, values, "interval", missing=missing, high=float(len(labels) - 1))
    if kind == "categorical":
        return Domain(name, kind, np.array(sorted(labels), object), "set", missing=missing)
    leaves = [label for label in labels if label.strip()] or ["leaf"]
    groups = sorted(draw(st.lists(st.integers(0, 1), min_size=len(leaves), max_size=len(leaves))))
    rows = [(leaf, f"{{group|{group}}}", "the root") for leaf, group in zip(leaves, groups, strict=True)]
    tree = from_rows(rows, name, where=str)
    shape = draw(st.sampled_from(["tree", "set"]))
    return Domain(name, kind, np.array(tree.leaves, object), shape, tree, missing=missing)


def covered(region: Region, note: ColumnNote, domain: Domain) -> frozenset[int]:
    """Codes of all values that a region holds, the missing value among them."""
    overlap = Overlap(note, [region])
    values = [*domain.labels, *([None] if domain.missing else [])]
    return frozenset(code for code, value in enumerate(values) if overlap.contains(value)[0])
