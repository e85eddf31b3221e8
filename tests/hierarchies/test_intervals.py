from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from likeness.errors import HierarchyError
from likeness.hierarchies import intervals


def test_classes_of_fixed_width():
    ages = intervals(np.array([3, 7, 12]), width=5, name="age")
    assert ages.to_rows() == [["3", "[0, 4]", "*"], ["7", "[5, 9]", "*"], ["12", "[10, 14]", "*"]]
    assert ages.data_derived
    assert ages.name == "age"


def test_several_widths_and_negative_numbers():
    tree = intervals(np.array([-1, 0, 19, -11]), width=[5, 10, 20])
    assert tree.to_rows() == [
        ["-11", "[-15, -11]", "[-20, -11]", "[-20, -1]", "*"],
        ["-1", "[-5, -1]", "[-10, -1]", "[-20, -1]", "*"],
        ["0", "[0, 4]", "[0, 9]", "[0, 19]", "*"],
        ["19", "[15, 19]", "[10, 19]", "[0, 19]", "*"],
    ]


def test_explicit_edges():
    tree = intervals(np.array([0, 17, 18, 39, 40, 64]), edges=[0, 18, 40, 65])
    assert [row[1] for row in tree.to_rows()] == ["[0, 17]"] * 2 + ["[18, 39]"] * 2 + ["[40, 64]"] * 2


def test_levels_of_edges_with_a_class_that_stays():
    tree = intervals(np.array([5, 20, 50]), edges=[[0, 18, 40, 65], [0, 18, 65]])
    assert tree.to_rows() == [
        ["5", "[0, 17]", "[0, 17]", "*"],
        ["20", "[18, 39]", "[18, 64]", "*"],
        ["50", "[40, 64]", "[18, 64]", "*"],
    ]


def test_floats_are_half_open_and_decimal():
    tree = intervals(np.array([0.3, 0.1, 0.7, 1e-7]), width=0.1)
    assert tree.to_rows() == [
        ["1e-07", "[0, 0.1)", "*"],
        ["0.1", "[0.1, 0.2)", "*"],
        ["0.3", "[0.3, 0.4)", "*"],
        ["0.7", "[0.7, 0.8)", "*"],
    ]
    assert intervals(np.array([36.6]), edges=[36, 37.5]).to_rows() == [["36.6", "[36, 37.5)", "*"]]
    assert intervals(np.array([0.5], np.float32), width=1e30).to_rows()[0][1] == "[0, 1E+30)"


def test_integers_between_broken_edges_stay_integers():
    tree = intervals(np.array([2, 3]), edges=[0, 2.5, 5])
    assert tree.to_rows() == [["2", "[0, 2]", "*"], ["3", "[3, 4]", "*"]]


def test_integers_beyond_the_precision_of_floats():
    big = 2**53
    tree = intervals(np.array([big, big + 1, big + 2]), edges=[big, big + 1, big + 3])
    assert [row[1] for row in tree.to_rows()] == [f"[{big}, {big}]"] + [f"[{big + 1}, {big + 2}]"] * 2


def test_numpy_numbers_as_width_and_edges():
    values = np.array([1, 6])
    assert (
        intervals(values, width=np.int64(5)).to_rows()
        == intervals(values, edges=np.array([0, 5, 10])).to_rows()
    )


@pytest.mark.parametrize(
    ("values", "arguments", "message"),
    [
        (
            [1, 65, 70],
            {"edges": [0, 65]},
            r"^x: value 70 lies outside the interval edges 0 to 65 \(and 1 more value\); add an edge above it$",
        ),
        ([1, 65], {"edges": [0, 65]}, r"^x: value 65 .*\(the last is exclusive\); add an edge above it$"),
        (
            range(-5000, 5000),
            {"edges": [0, 65]},
            r"^x: value -5000 .* \(and 4,999 more values\); .* below it\nx: value 4999 .* \(and 4,934 more values\); .*$",
        ),
        ([-1, 3], {"edges": [0, 65]}, r"^x: value -1 lies outside .* 0 to 65; add an edge at or below it$"),
        ([1], {"edges": [0, 5, 5]}, r"^x: interval edges must ascend, two at least; got \[0, 5, 5\]$"),
        ([1], {"edges": [0]}, r"^x: interval edges must ascend, two at least; got \[0\]$"),
        ([1], {"edges": []}, r"^x: interval edges must ascend, two at least; got \[\]$"),
        ([1], {"edges": [[0, 5, 9], [0, 6, 9]]}, r"^x: the interval edges \[0, 6, 9\] do not nest: "),
        ([1], {"edges": [[0, 5, 9], [0, 5]]}, r"^x: the interval edges \[0, 5\] do not nest"),
        ([1], {"edges": [0, [5, 9]]}, r"^x: interval edges are numbers, or lists of numbers"),
        ([1], {"edges": [0, float("inf")]}, r"^x: inf is not a bound or width of intervals"),
        ([1], {"width": 0}, r"^x: an interval width must be above 0; got 0$"),
        ([1], {"width": [-5.0, 5]}, r"^x: an interval width must be above 0; got -5.0$"),
        ([1], {"width": []}, r"^x: the list of interval widths is empty"),
        ([1], {"width": [5, 12]}, r"^x: interval width 12 is not a larger multiple of 5"),
        ([1], {"width": [5, 5]}, r"^x: interval width 5 is not a larger multiple of 5"),
        ([1], {}, r"^x: intervals need a width or edges; got neither$"),
        ([1], {"width": 5, "edges": [0, 5]}, r"^x: intervals need a width or edges; got both$"),
        ([], {"width": 5}, r"^x: there are no values"),
        ([1.0, np.nan], {"width": 5}, r"^x: a missing or infinite number lies in no interval"),
        (["a"], {"width": 5}, r"^x: intervals need numbers"),
    ],
)
def test_what_makes_no_intervals(values, arguments, message):
    with pytest.raises(HierarchyError, match=message):
        intervals(np.array(values), name="x", **arguments)


def test_every_value_outside_is_counted():
    """One line a side, not one a value; the value that is furthest out, for which one edge serves all."""
    with pytest.raises(HierarchyError) as caught:
        intervals(np.arange(30), edges=[5, 10], name="x")
    assert caught.value.problems == (
        "x: value 0 lies outside the interval edges 5 to 10 (and 4 more values); add an edge at or below it",
        "x: value 29 lies outside the interval edges 5 to 10 (and 19 more values); add an edge above it",
    )


@given(
    st.lists(st.integers(-10_000, 10_000), min_size=1, max_size=30),
    st.integers(1, 50),
    st.lists(st.integers(2, 4), max_size=3),
)
@settings(deadline=None, max_examples=60)
def test_every_integer_lies_in_its_labels(numbers, width, factors):
    widths = [width]
    for factor in factors:
        widths.append(widths[-1] * factor)
    tree = intervals(np.array(numbers), width=widths)
    assert [int(leaf) for leaf in tree.leaves] == sorted(set(numbers))
    for row in tree.to_rows():
        for label, size in zip(
            [cell for cell in dict.fromkeys(row[1:-1]) if cell[0] == "["], widths, strict=True
        ):
            low, high = (int(part) for part in label[1:-1].split(", "))
            assert low <= int(row[0]) <= high
            assert high - low + 1 == size
            assert low % size == 0


@given(
    st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=30), st.sampled_from([0.1, 0.25, 1 / 3, 7.0, 1e-3])
)
@settings(deadline=None, max_examples=60)
def test_every_float_lies_in_its_label(numbers, width):
    tree = intervals(np.array(numbers), width=width)
    for row in tree.to_rows():
        low, high = (float(part) for part in row[1][1:-1].split(", "))
        assert low <= float(row[0]) <= high
        assert high - low == pytest.approx(width, rel=1e-3)


def test_a_hundred_thousand_values():
    tree = intervals(np.arange(100_000), width=[10, 1000])
    assert len(tree.labels) == 100_000 + 10_000 + 100 + 1
