"""One column to its domain: kinds, declared values, bottom and top coding, missing cells, hierarchies."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from likeness.encode.column import EncodeError, encode_attribute
from likeness.errors import HierarchyError, LikenessError, TableError
from likeness.policy import Column, Missing
from likeness.tables import read

ROWS = [["a", "A", "*"], ["b", "A", "*"], ["c", "B", "*"]]


def encoded(
    cells: Any, recoding: str = "tight", role: str = "quasi", missing: str = "error", **column: Any
) -> Any:
    """Domain, codes, number of missing cells and their treatment."""
    table = read(pl.DataFrame({"x": cells}))
    rule = Missing(markers=["", "?"], policy=missing)
    return encode_attribute(table, "x", Column(role=role, **column), rule, recoding, Path())


def values(cells: Any, **given: Any) -> list[str | None]:
    """Text of every cell as encoded."""
    domain, codes, _, _ = encoded(cells, **given)
    return [None if code < 0 else domain.labels[code] for code in codes]


@pytest.mark.parametrize(
    ("cells", "column", "kind", "shape"),
    [
        ([3, 1, 2], {}, "integer", "interval"),
        (["3", "1", "2"], {}, "integer", "interval"),
        ([0.5, 1.0, 0.25], {}, "real", "interval"),
        ([3, 1, 2], {"kind": "real"}, "real", "interval"),
        ([3.0, 1.0, 2.0], {"kind": "integer"}, "integer", "interval"),
        ([date(2024, 1, 2), date(2023, 1, 1), date(2024, 1, 1)], {}, "date", "interval"),
        (["b", "a", "c"], {}, "categorical", "set"),
        (["02139", "10001", "02141"], {}, "categorical", "set"),
        ([3, 1, 2], {"kind": "categorical"}, "categorical", "set"),
        ([True, False, True], {}, "categorical", "set"),
        (["b", "a", "c"], {"kind": "ordered", "domain": ["c", "b", "a"]}, "ordered", "interval"),
        (["b", "a", "c"], {"kind": "ordered", "hierarchy": ROWS}, "ordered", "interval"),
        (["b", "a", "c"], {"hierarchy": ROWS}, "hierarchical", "tree"),
        (["b", "a", "c"], {"hierarchy": ROWS, "kind": "categorical"}, "hierarchical", "tree"),
        (["021", "022", "031"], {"hierarchy": {"prefix": 3}}, "hierarchical", "tree"),
        ([3, 1, 2], {"hierarchy": {"intervals": {"width": 2}}}, "hierarchical", "tree"),
        ([3, 1, 2], {"hierarchy": {"intervals": {"width": 2}}, "kind": "integer"}, "integer", "interval"),
        ([date(2024, 1, 2), date(2023, 1, 1), date(2024, 1, 1)], {"hierarchy": {"dates": ["year"]}}, "hierarchical", "tree"),
    ],
)  # fmt: skip
def test_kinds_and_shapes(cells, column, kind, shape):
    domain, codes, missing, _ = encoded(cells, **column)
    assert (domain.kind, domain.shape, missing) == (kind, shape, 0)
    assert codes.dtype == np.int32
    texts = [str(cell).lower() if isinstance(cell, bool) else str(cell) for cell in cells]
    shown = [domain.labels[code] for code in codes]
    assert shown == texts or [float(x) for x in shown] == [float(x) for x in texts]


@pytest.mark.parametrize(
    ("recoding", "column", "shape"),
    [
        ("set", {"hierarchy": ROWS}, "set"),
        ("hierarchy", {"hierarchy": ROWS}, "tree"),
        ("hierarchy", {"hierarchy": ROWS, "kind": "ordered"}, "tree"),
        ("set", {"hierarchy": ROWS, "kind": "ordered"}, "interval"),
        ("hierarchy", {}, "set"),
    ],
)
def test_the_recoding_decides_the_shape_of_a_quasi_identifier(recoding, column, shape):
    assert encoded(["b", "a", "c"], recoding, **column)[0].shape == shape


@pytest.mark.parametrize("recoding", ["tight", "hierarchy", "set"])
def test_the_recoding_does_not_change_a_sensitive_column(recoding):
    assert encoded(["b", "a", "c"], recoding, "sensitive", hierarchy=ROWS)[0].shape == "tree"
    rule = {"intervals": {"width": 2}}
    assert encoded([3, 1], recoding, "sensitive", kind="integer", hierarchy=rule)[0].shape == "interval"
    far = encoded([3, 1], recoding, "sensitive", kind="integer", hierarchy=rule, distance="hierarchical")[0]
    assert (far.shape, far.distance) == ("tree", "hierarchical")


@pytest.mark.parametrize(
    ("cells", "column", "distance"),
    [
        ([1, 2], {}, "ordered"),
        (["a", "b"], {}, "equal"),
        (["a", "b"], {"kind": "ordered", "domain": ["b", "a"]}, "ordered"),
        (["a", "b"], {"hierarchy": ROWS}, "hierarchical"),
        (["a", "b"], {"hierarchy": ROWS, "distance": "equal"}, "equal"),
        ([1, 2], {"distance": "equal"}, "equal"),
    ],
)
def test_ground_distances_follow_the_kind_unless_declared(cells, column, distance):
    assert encoded(cells, role="sensitive", **column)[0].distance == distance


def test_declared_ranges_may_be_wider_than_what_was_observed():
    domain = encoded([20, 30], domain=[0, 110])[0]
    assert (domain.low, domain.high, domain.declared) == (0, 110, True)
    assert encoded([20, 30])[0].declared is False
    days = encoded([date(1970, 1, 3)], domain=[date(1970, 1, 1), date(1970, 1, 11)])[0]
    assert (days.low, days.high) == (0, 10)


def test_a_range_of_numbers_holds_for_numbers_that_have_a_hierarchy():
    rows = [[str(i), "all"] for i in range(50)]
    domain = encoded([20, 30], domain=[0, 40], hierarchy=rows)[0]
    assert (domain.kind, domain.size) == ("hierarchical", 50)
    for outside in (41, "x"):
        with pytest.raises(LikenessError, match=f"column 'x': '{outside}' is outside its declared domain"):
            encoded(["20", str(outside)], domain=[0, 40], hierarchy=[*rows, ["x", "all"]])


def test_declared_values_keep_their_order_and_count_though_unobserved():
    domain, codes, _, _ = encoded(["b", "a", "b"], kind="ordered", domain=["c", "b", "a"])
    assert domain.labels == ["c", "b", "a"]
    assert codes.tolist() == [1, 2, 1]
    assert encoded(["b"], domain=["a", "b", "z"])[0].size == 3
    assert encoded([3, 1], kind="ordered", domain=[5, 3, 1])[1].tolist() == [1, 2]
    leaves = encoded(["b", "a"], kind="ordered", hierarchy=ROWS)[0]
    assert leaves.labels == ["a", "b", "c"]


@pytest.mark.parametrize("hierarchy", [None, {"prefix": 1}])
def test_an_order_is_declared_and_never_made_from_the_table(hierarchy):
    with pytest.raises(LikenessError, match="domain"):
        encoded(["b", "a"], kind="ordered", hierarchy=hierarchy)
    assert encoded(["b", "a"], kind="ordered", hierarchy=hierarchy, domain=["b", "a"])[0].values_declared


def test_bottom_and_top_coding():
    assert values([10, 18, 40, 95], bottom=18, top=90) == ["18", "18", "40", "90"]
    assert values([0.5, 2.5], top=2) == ["0.5", "2.0"]
    assert values([1, 2], bottom=10, top=20) == ["10", "10"]
    days = [date(1920, 5, 1), date(1990, 5, 1)]
    assert values(days, bottom=date(1930, 1, 1)) == ["1930-01-01", "1990-05-01"]
    assert values([1, None, 9], top=5, missing="category") == ["1", None, "5"]
    # The hierarchy is made of the values that are left.
    tree = encoded([1, 7, 23], top=9, hierarchy={"intervals": {"width": 5}})[0].hierarchy
    assert tree.leaves == ("1", "7", "9")


@pytest.mark.parametrize("treatment", ["category", "drop"])
def test_missing_cells_are_counted_and_marked(treatment):
    domain, codes, count, told = encoded(["a", "?", None, "b", ""], missing=treatment)
    assert codes.tolist() == [0, -1, -1, 1, -1]
    assert (count, told, domain.missing) == (3, treatment, treatment == "category")


def test_a_category_only_where_something_is_missing():
    assert encoded(["a", "b"], missing="category")[0].missing is False


@pytest.mark.parametrize(
    ("cells", "column", "message"),
    [
        ([1, None, None], {}, "column 'x': 2 missing values, the first in row 2; say missing: {policy: category} "),
        ([None, None], {"missing": "drop"}, "column 'x': every value is missing; give it role: drop"),
        ([1, 2, 9], {"domain": [2, 5]}, "column 'x': '1' is outside its declared domain [2, 5] (and 1 more value); "),
        ([0], {"domain": [0.5, 2]}, "column 'x': '0' is outside its declared domain [0.5, 2]"),
        ([1], {"domain": [2, 5], "recoding": "hierarchy", "kind": "integer", "hierarchy": {"intervals": {"width": 2}}},
         "column 'x': '1' is outside its declared domain [2, 5]"),
        (["a"], {"domain": ["b"]}, "column 'x': 'a' is not in its declared domain; add it, or correct the table"),
        (["a"], {"domain": ["b"], "hierarchy": ROWS}, "column 'x': 'a' is not in its declared domain"),
        (["a"], {"domain": [1, 2]}, "column 'x': its declared domain [1, 2] is a range of numbers, and its values are text"),
        (["007"], {"domain": [0, 9]}, "column 'x': its declared domain [0, 9] is a range of numbers, and its values are text"),
        (["a"], {"bottom": 1}, "column 'x': bottom and top coding need numbers or dates; its values are text"),
        ([1], {"bottom": 0.5}, "column 'x': bottom 0.5 is not a whole number of 64 bits, as its values are"),
        ([-1.7e308, 1.7e308], {}, "column 'x': its values lie further apart than a number of 64 bits can say"),
        ([2**62, 2**62 + 100], {}, f"column 'x': {2**62} and {2**62 + 100} are one number to losses, which take the first 53"),
        ([1], {"top": 10**30}, f"column 'x': top {10**30} is not a whole number of 64 bits"),
        (["a"], {"hierarchy": {"intervals": {"width": 2}}}, "column 'x': intervals need numbers; its values are text"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_column_is_one_clear_line(cells, column, message):
    with pytest.raises(EncodeError) as caught:
        encoded(cells, **column)
    (line,) = caught.value.problems
    assert line.startswith(message), line


@pytest.mark.parametrize(
    ("cells", "column", "error", "message"),
    [
        (["a", "d"], {"hierarchy": ROWS}, HierarchyError, "value 'd' of column 'x' is not a leaf of x"),
        ([3, 5], {"hierarchy": ROWS}, HierarchyError, "value '3' of column 'x' is not a leaf of x"),
        (["1"], {"hierarchy": {"dates": ["month"]}}, TableError, "column 'x' is declared date, but '1'"),
        (["021", "2"], {"hierarchy": {"prefix": 3}}, HierarchyError, "x: code '2' has 1 character where 3"),
        (["a"], {"hierarchy": "none.csv"}, HierarchyError, "none.csv: no such file"),
        (["1", "x", "3"], {"kind": "integer"}, TableError, "is declared integer, but 'x' at row 2"),
        (["1", "2", "x"], {}, TableError, "mixes numbers and text: 'x' at row 3"),
        ([1.5], {"kind": "integer"}, TableError, "is declared integer, but 1.5 at row 1"),
        ([float("inf")], {}, TableError, "holds an infinite number"),
        ([7], {"hierarchy": {"intervals": [0, 5]}}, HierarchyError, "7"),
    ],
)
def test_what_tables_and_hierarchies_refuse_names_the_value(cells, column, error, message):
    with pytest.raises(error) as caught:
        encoded(cells, **column)
    assert message in str(caught.value)
    assert all("\n" not in line for line in caught.value.problems)


def test_a_hierarchy_of_one_value_has_no_root_above_the_missing_one():
    tree = [["a", "a"]]
    with pytest.raises(LikenessError, match="a hierarchy of one value has no root above the missing value"):
        encoded(["a", None], missing="category", hierarchy=tree)


@pytest.mark.parametrize(
    "hierarchy",
    [
        ROWS,
        {"*": {"A": ["a", "b"], "B": ["c"]}},
        {"*": {"A": {"a": None, "b": None}, "B": {"c": None}}},
    ],
)
def test_hierarchies_in_all_their_writings(hierarchy):
    tree = encoded(["a", "b", "c"], hierarchy=hierarchy)[0].hierarchy
    assert tree.leaves == ("a", "b", "c")
    assert [tree.labels[node] for node in tree.common_ancestor([0, 0], [1, 2])] == ["A", "*"]


def test_a_hierarchy_file_is_meant_from_the_folder_of_the_policy(tmp_path):
    (tmp_path / "x.csv").write_text("a;A;*\nb;A;*\n")
    table = read(pl.DataFrame({"x": ["a", "b"]}))
    column = Column(role="quasi", hierarchy="x.csv")
    domain, *_ = encode_attribute(table, "x", column, Missing(), "tight", tmp_path)
    assert domain.hierarchy.leaves == ("a", "b")
    assert domain.declared


@pytest.mark.parametrize(
    ("cells", "column", "expected"),
    [
        ([-4, -2], {"bottom": 0}, ["0", "0"]),
        ([95, 99], {"top": 90}, ["90", "90"]),
        ([-4, -2], {"bottom": 0, "top": 9}, ["0", "0"]),
        ([1.5, 2.5], {"top": -1.0}, ["-1.0", "-1.0"]),
    ],
)
def test_all_values_may_lie_beyond_an_end(cells, column, expected):
    assert values(cells, **column) == expected


@pytest.mark.parametrize(
    ("cells", "step", "found"),
    [
        ([14, 15, 16, 25, -15, -16, 0], 10, ["-20", "-10", "0", "10", "20", "30"]),
        ([1.04, 1.05, 0.25, 0.3], 0.1, ["0.3", "1.0", "1.1"]),
        ([0.25, 0.75, -0.25], 0.5, ["0.0", "0.5", "1.0"]),
        ([7, 8], 1, ["7", "8"]),
    ],
)
def test_rounding(cells, step, found):
    assert sorted(set(values(cells, round=step)), key=float) == found


@given(st.lists(st.integers(-(10**6), 10**6), min_size=1), st.integers(1, 1_000))
def test_whole_numbers_are_rounded_to_the_nearest_multiple_halves_up(numbers, step):
    plain = [str((2 * number + step) // (2 * step) * step) for number in numbers]
    assert values(numbers, round=step) == plain


def test_ends_are_coded_after_rounding():
    assert values([14, 16, 95], round=10, top=90) == ["10", "20", "90"]


@pytest.mark.parametrize(
    ("cells", "column", "message"),
    [
        (["a"], {"round": 10}, "column 'x': round needs numbers; its values are text"),
        (
            [1, 2],
            {"round": 0.5},
            "column 'x': round 0.5 is not a whole number, as its values are; say kind: real",
        ),
        ([2**63 - 2, 0], {"round": 10}, "column 'x': its values are too large to be rounded to 10"),
        ([1e308, 0.5], {"round": 0.001}, "column 'x': its values are too large to be rounded to 0.001"),
    ],
)
def test_what_cannot_be_rounded_is_refused_in_one_line(cells, column, message):
    with pytest.raises(EncodeError, match=re.escape(message)):
        values(cells, **column)


LISTS = [["1", "low", "*"], ["2", "high", "*"]]


@pytest.mark.parametrize(
    ("cells", "column", "found"),
    [
        (["91911.0", "10012.0", "91911.0"], {"hierarchy": {"prefix": 5}}, ["91911", "10012", "91911"]),
        ([91911.0, 10012.0], {"kind": "categorical"}, ["91911", "10012"]),
        (["1.0", "1", "2.0"], {"hierarchy": LISTS}, ["1", "1", "2"]),
        (["1.0", "2.0"], {"kind": "ordered", "domain": ["2", "1"]}, ["1", "2"]),
        # Who lists them so means them so.
        (["1.0", "2.0"], {"kind": "ordered", "domain": ["2.0", "1.0"]}, ["1.0", "2.0"]),
        (["1.0", "2.0"], {"hierarchy": [["1.0", "low", "*"], ["2.0", "high", "*"]]}, ["1.0", "2.0"]),
        (["250.0", "E11"], {"kind": "categorical"}, ["250.0", "E11"]),
        (["250.00", "401.00"], {"kind": "categorical"}, ["250.00", "401.00"]),
        (["1.0", "01"], {"kind": "categorical"}, ["1.0", "01"]),
    ],
)
def test_codes_that_went_through_floats_are_the_codes_they_are(cells, column, found):
    assert values(cells, **column) == found
