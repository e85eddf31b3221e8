"""Rows that are not where the class map has them are found, and only those."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from likeness.folder.class_map import ClassMap, class_problems, listed, own_problems
from likeness.microdata.grouping import one_to_one


@dataclass
class _Shown:
    """Classes as a publication shows them."""

    classes: np.ndarray
    persons: np.ndarray | None = None
    rows: np.ndarray | None = None

    @property
    def identities(self) -> np.ndarray:
        return self.classes

    @property
    def size(self) -> int:
        return len(self.classes)


def _map(classes: list[int], order: list[int]) -> ClassMap:
    rows = len(classes)
    nothing = np.zeros(rows, np.int64)
    return ClassMap(nothing, np.array(classes), np.array(order), nothing, ("",))


def _problems(told: ClassMap, shown: list[int]) -> list[str]:
    found = class_problems(told, _Shown(np.array(shown)), "classes.parquet", lambda row: f"line {row + 2}")
    return [str(refusal) for refusal in found]


@settings(deadline=None, max_examples=50)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=12), st.randoms(use_true_random=False))
def test_any_numbering_of_the_same_classes_agrees(classes: list[int], random: object) -> None:
    order = list(range(len(classes)))
    random.shuffle(order)
    names = list(range(4))
    random.shuffle(names)
    shown = [0] * len(classes)
    for row, place in enumerate(order):
        shown[place] = names[classes[row]]
    told = _map(classes, order)
    assert own_problems(told, "classes.parquet") == []
    assert _problems(told, shown) == []


def test_the_odd_one_is_named() -> None:
    told = _map([0, 0, 0, 1, 1, 1], [5, 4, 3, 2, 1, 0])
    (problem,) = _problems(told, [7, 7, 7, 4, 4, 7])
    assert problem.startswith("line 7 (class 0): is not shown as the other rows")


def test_two_classes_shown_as_one() -> None:
    told = _map([0, 0, 1, 1], [0, 1, 2, 3])
    (problem,) = _problems(told, [2, 2, 2, 2])
    assert "class 0, 1 show the same" in problem


def test_number_of_rows() -> None:
    assert "knows 2 published rows; published are 3" in _problems(_map([0, 0], [0, 1]), [0, 0, 0])[0]


def test_listed() -> None:
    assert listed(np.array([1])) == "1"
    assert listed(np.array([1, 2, 3, 4])) == "1, 2, 3 and 1 more"


@settings(deadline=None, max_examples=100)
@given(data=st.data(), rows=st.integers(1, 12), most=st.integers(1, 4))
def test_classes_are_right_where_they_are_the_same_by_other_numbers(data, rows, most):
    told, shown = (
        np.array(data.draw(st.lists(st.integers(0, most), min_size=rows, max_size=rows))) for _ in range(2)
    )
    if data.draw(st.booleans()):
        shown = np.array(data.draw(st.permutations(range(most + 1))))[told]
    places = np.array(data.draw(st.permutations(range(rows))))
    found = ClassMap(np.zeros(rows, np.int8), told, places, np.zeros(rows, np.int32), ("",))
    assert own_problems(found, "map") == []
    problems = class_problems(found, _Shown(shown), "map", str)
    assert (problems == []) == one_to_one(found.classes[found.original_row], shown)
    if rows > 1:
        places[0] = places[1]
        assert len(own_problems(found, "map")) == 1
