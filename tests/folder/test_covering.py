"""Regions cover what a plain reading of them covers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from likeness.folder.origin import covered
from likeness.forms.base import ShownColumn
from likeness.hierarchies import from_rows
from likeness.microdata.domain import Domain
from likeness.published.columns import ColumnNote
from likeness.published.regions import read_region
from likeness.published.text import write_interval, write_set

TREE = from_rows(
    [("flu", "lung", "*"), ("cold", "lung", "*"), ("gout", "joint", "*")],
    "disease",
    where=lambda i: f"row {i}",
)


def _covered(text: str, domain: Domain) -> list[bool]:
    note = ColumnNote(
        domain.name, "quasi", domain.kind, domain.shape,
        order=tuple(domain.labels) if domain.kind == "ordered" else None,
    )  # fmt: skip
    codes = np.arange(domain.codes)
    cells = ShownColumn(note, [read_region(text, note)], np.zeros(1, np.int64))
    return covered(cells, np.zeros(domain.codes, np.int64), domain, codes).tolist()


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(-(2**60), 2**60), min_size=1, max_size=9, unique=True), st.data())
def test_whole_numbers(values: list[int], data: st.DataObject) -> None:
    domain = Domain("x", "integer", np.array(sorted(values)), "interval", missing=True)
    low, high = sorted(data.draw(st.lists(st.integers(-(2**60), 2**60), min_size=2, max_size=2)))
    assert _covered(write_interval(str(low), str(high)), domain) == [
        low <= x <= high for x in sorted(values)
    ] + [False]


@settings(deadline=None, max_examples=60)
@given(st.lists(st.floats(-1e9, 1e9), min_size=2, max_size=9, unique=True))
def test_real_numbers_are_compared_as_they_are_written(values: list[float]) -> None:
    ordered = np.unique(np.array(values) + 0.0)
    domain = Domain("x", "real", ordered, "interval")
    low, high = float(ordered[0]), float(ordered[-1])
    inside = [Fraction(str(low)) <= Fraction(str(float(x))) <= Fraction(str(high)) for x in ordered]
    assert _covered(f"[{low}, {high}]", domain) == inside == [True] * ordered.size


def test_a_tenth_is_in_its_own_interval() -> None:
    domain = Domain("x", "real", np.array([0.1, 0.3, 0.30000000000000004]), "interval")
    assert _covered("[0.1, 0.3]", domain) == [True, True, False]
    assert _covered("0.3", domain) == [False, True, False]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("lung", [True, True, False, False]),
        ("gout", [False, False, True, False]),
        ("*", [True, True, True, True]),
        ("", [False, False, False, True]),
        ("liver", [False, False, False, False]),
    ],
)
def test_nodes(text: str, expected: list[bool]) -> None:
    domain = Domain("disease", "hierarchical", np.array(TREE.leaves, object), "tree", TREE, missing=True)
    assert _covered(text, domain) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (write_set(["*", "a|b"]), [True, False, True, False]),
        (write_set(["x", None]), [False, True, False, True]),
        ("\\*", [True, False, False, False]),
        ("*", [True, True, True, True]),
        ("unheard", [False, False, False, False]),
    ],
)
def test_sets(text: str, expected: list[bool]) -> None:
    domain = Domain("habit", "categorical", np.array(["*", "x", "a|b"], object), "set", missing=True)
    assert _covered(text, domain) == expected


def test_order_and_dates() -> None:
    grades = Domain("grade", "ordered", np.array(["low", "mid", "high"], object), "interval")
    assert _covered("[mid, high]", grades) == [False, True, True]
    days = Domain("day", "date", np.array(["1969-12-31", "2024-02-29"], "datetime64[D]"), "interval")
    assert _covered("[1970-01-01, 2024-02-29]", days) == [False, True]
