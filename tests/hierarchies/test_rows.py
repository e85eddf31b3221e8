from __future__ import annotations

import re
from itertools import groupby

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.hierarchies.trees import assert_same, make

from likeness.errors import HierarchyError


def lines(text: str) -> list[list[str]]:
    return [line.split(";") for line in text.split()]


def problems(text: str) -> tuple[str, ...]:
    with pytest.raises(HierarchyError) as caught:
        make(lines(text))
    return caught.value.problems


def test_siblings_keep_the_order_of_first_appearance():
    tree = make(lines("d;Q;* a;P;* c;Q;* b;P;*"))
    assert tree.labels == ("*", "Q", "d", "c", "P", "a", "b")


def test_repeated_labels_are_one_node():
    tree = make(lines("US;US;* Japan;Asia;* India;Asia;*"))
    assert tree.labels == ("*", "US", "Asia", "Japan", "India")
    assert tree.level.tolist() == [2, 0, 1, 0, 0]
    assert tree.to_rows() == lines("US;US;* Japan;Asia;* India;Asia;*")


def test_a_padded_file_says_on_which_level_a_node_begins():
    below, above = make(lines("a;a;G;* b;b;G;*")), make(lines("a;G;G;* b;G;G;*"))
    assert below.level[below.node_of("G")] == 2
    assert above.level[above.node_of("G")] == 1
    assert below.to_rows() == lines("a;a;G;* b;b;G;*")
    assert above.to_rows() == lines("a;G;G;* b;G;G;*")


def test_a_node_begins_where_its_last_leaf_reaches_it():
    mixed = make(lines("a;G;G;* b;b;G;* c;H;I;*"))
    assert mixed.level[mixed.node_of("G")] == 2
    assert [mixed.labels[n] for n in mixed.ancestor_at([0, 1, 2], 1)] == ["a", "b", "H"]


def test_a_padded_root_lowers_the_tree():
    assert make(lines("a;*;* b;*;*")).height == 1


def test_a_single_child_keeps_its_own_label():
    tree = make(lines("Germany;Europe;* Japan;Asia;* India;Asia;*"))
    europe, germany = tree.node_of("Europe"), tree.node_of("Germany")
    assert tree.children(europe) == (germany,)
    assert tree.left[europe] == tree.left[germany]
    assert tree.right[europe] == tree.right[germany]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "a;A;* b;* c;A;*",
            (
                "t.csv, line 2: the line of 'b' has 2 cells where most have 3; "
                "repeat a label where a path is shorter, or write the tree as nested YAML"
            ),
        ),
        ("a;A;* b;;* c;A;*", "t.csv, line 2: the line of 'b' has nothing in cell 2; fill it in"),
        (
            "a;A;* a;B;*",
            "t.csv, line 2: leaf 'a' is listed twice, with other parents on t.csv, line 1; keep one line",
        ),
        (
            "a;A;* b;A;* a;A;*",
            "t.csv, line 3: leaf 'a' is listed twice, with the same parents on t.csv, line 1; keep one line",
        ),
        (
            "a;A;* b;B;all c;A;*",
            (
                "t.csv, line 2: two roots: 'b' ends in 'all', that on t.csv, line 1 in '*'; "
                "end every line in one label"
            ),
        ),
        (
            "a;X;A;* b;X;B;*",
            (
                "t.csv, line 2: 'X' lies below 'B' here and below 'A' on t.csv, line 1; "
                "a label means one node: rename one"
            ),
        ),
        (
            "a;X;A;* b;A;A;* c;X;X;*",
            (
                "t.csv, line 3: 'X' lies below '*' here and below 'A' on t.csv, line 1; "
                "a label means one node: rename one"
            ),
        ),
        (
            "a;b;* b;b;* c;c;*",
            "t.csv, line 1: 'b' stands above 'a' but is a leaf itself (t.csv, line 2); rename one of them",
        ),
        (
            "a;X;Y;X;* b;X;X;X;*",
            "t.csv, line 1: 'X' comes twice on one path, with 'Y' between (a cycle); rename one of them",
        ),
        (
            "a;*;Y;* b;Z;Z;*",
            "t.csv, line 1: '*' comes twice on one path, with 'Y' between (a cycle); rename one of them",
        ),
        (
            "a;*;a;* b;b;b;*",
            "t.csv, line 1: 'a' stands above '*' but is a leaf itself (t.csv, line 1); rename one of them",
        ),
    ],
)
def test_says_file_line_and_value(text, expected):
    assert expected in problems(text)


def test_one_column_is_no_hierarchy():
    assert problems("a b c") == (
        "t.csv, line 1: 'a' is alone on its line; write the leaf first and the root last, with ';' between",
    )


def test_no_rows():
    with pytest.raises(HierarchyError, match=r"^t.csv: holds no leaf"):
        make([])


def test_an_empty_row_is_ragged():
    with pytest.raises(HierarchyError, match=r"^t.csv, line 2: the line has 0 cells where most have 2"):
        make([["a", "*"], [], ["b", "*"]])


def test_all_problems_come_at_once_in_the_order_of_the_lines():
    found = problems("a;A;* b;B; c;C a;A;* d;D;* e;E;all")
    assert [int(re.search(r"line (\d+):", text)[1]) for text in found] == [2, 3, 3, 4, 6]


def test_many_problems_are_counted():
    rows = "".join(f"v{i};A;* w{i};* " for i in range(12)) + "x;A;*"
    found = problems(rows)
    assert len(found) == 11
    assert found[-1] == "and 2 more"


@given(st.integers(1, 6), st.integers(2, 5), st.data())
@settings(deadline=None, max_examples=400)
def test_accepts_exactly_what_is_unambiguous(count, width, data):
    inner = st.lists(st.sampled_from("abXY*"), min_size=width - 2, max_size=width - 2)
    leaf = st.sampled_from("abcdef")
    rows = [[data.draw(leaf), *data.draw(inner), "*"] for _ in range(count)]
    paths = [[label for label, _ in groupby(row)] for row in rows]
    above: dict[str, set[tuple[str, ...]]] = {}
    for path in paths:
        for i, label in enumerate(path):
            above.setdefault(label, set()).add(tuple(path[i + 1 :]))
    leaves = [path[0] for path in paths]
    proper = (
        len(set(leaves)) == count
        and all(len(set(path)) == len(path) for path in paths)
        and all(len(ways) == 1 for ways in above.values())
        and all(label not in leaves for path in paths for label in path[1:])
    )
    if not proper:
        with pytest.raises(HierarchyError):
            make(rows)
        return
    tree = make(rows)
    assert set(tree.labels) == set(above)
    for node, label in enumerate(tree.labels):
        below = {path[0] for path in paths if label in path}
        assert set(tree.leaves[tree.left[node] : tree.right[node] + 1]) == below
    assert (tree.level[tree.parent[1:]] > tree.level[1:]).all()
    assert_same(make(tree.to_rows()), tree)


def test_a_hundred_thousand_leaves():
    rows = [[str(i), f"tens {i // 10}", f"thousands {i // 1000}", "*"] for i in range(100_000)]
    tree = make(rows)
    assert len(tree.labels) == 100_000 + 10_000 + 100 + 1
    assert tree.distance(np.array([0, 0, 0]), np.array([9, 999, 99_999])).tolist() == [1 / 3, 2 / 3, 1]
