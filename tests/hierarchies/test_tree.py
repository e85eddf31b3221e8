from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.hierarchies.trees import Plain, assert_is, assert_same, make, plain_trees

from likeness.errors import HierarchyError
from likeness.hierarchies import from_nested, tree

# Cao & Karras 2012, Example 2: three nervous and three circulatory diseases.
DISEASES = make(
    [[leaf, "nervous", "any"] for leaf in ("headache", "epilepsy", "brain tumors")]
    + [[leaf, "circulatory", "any"] for leaf in ("anemia", "angina", "heart murmur")],
    "disease.csv",
)


def test_fields_of_a_small_tree():
    assert DISEASES.labels[:3] == ("any", "nervous", "headache")
    assert DISEASES.parent.tolist() == [-1, 0, 1, 1, 1, 0, 5, 5, 5]
    assert DISEASES.left.tolist() == [0, 0, 0, 1, 2, 3, 3, 4, 5]
    assert DISEASES.right.tolist() == [5, 2, 0, 1, 2, 5, 3, 4, 5]
    assert DISEASES.level.tolist() == [2, 1, 0, 0, 0, 1, 0, 0, 0]
    assert DISEASES.leaf_node.tolist() == [2, 3, 4, 6, 7, 8]
    assert (DISEASES.height, DISEASES.size, DISEASES.data_derived) == (2, 6, False)
    assert DISEASES.parent.dtype == DISEASES.left.dtype == DISEASES.level.dtype == np.int32


def test_a_hierarchy_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        DISEASES.parent[0] = 3
    with pytest.raises(AttributeError):
        DISEASES.name = "x"


def test_node_measures():
    assert DISEASES.leaf_count([0, 1, 2]).tolist() == [6, 3, 1]
    assert DISEASES.is_leaf([0, 1, 2]).tolist() == [False, False, True]
    assert DISEASES.children(0) == (1, 5)
    assert DISEASES.children(8) == ()
    assert DISEASES.node_of("circulatory") == 5
    assert DISEASES.leaf_rank("anemia") == 3


def test_unknown_labels_get_a_suggestion():
    with pytest.raises(
        HierarchyError, match=r"^value 'anaemia' is not a leaf of disease.csv; did you mean 'anemia'\?$"
    ):
        DISEASES.leaf_rank("anaemia")
    with pytest.raises(HierarchyError, match=r"^value 'nervous' is not a leaf of disease.csv"):
        DISEASES.leaf_rank("nervous")
    with pytest.raises(
        HierarchyError, match=r"^'Nervous' is not a label of disease.csv; did you mean 'nervous'\?$"
    ):
        DISEASES.node_of("Nervous")


def test_distance_is_the_height_of_the_common_ancestor():
    matrix = DISEASES.leaf_distances()
    assert matrix[0].tolist() == [0, 0.5, 0.5, 1, 1, 1]
    np.testing.assert_array_equal(matrix, matrix.T)
    assert DISEASES.leaf_distances() is matrix
    assert DISEASES.distance([2, 5], [0, 0]).tolist() == [0.5, 1]


def test_a_tree_of_one_leaf_has_distance_zero():
    single = make([["all", "all"]])
    assert single.height == 0
    assert single.leaf_distances().tolist() == [[0]]
    assert_same(make(single.to_rows()), single)


def test_all_distances_of_a_large_tree_are_refused(monkeypatch):
    monkeypatch.setattr(tree, "LARGEST_MATRIX", 1)
    large = make([["a", "*"], ["b", "*"]])
    with pytest.raises(ValueError, match=r"^t.csv has 2 leaves.*use distance\(\) on pairs$"):
        large.leaf_distances()
    assert large.distance([0], [1]).tolist() == [1]


@pytest.mark.parametrize(
    ("level", "labels"),
    [
        (0, list(DISEASES.leaves)),
        (1, ["nervous"] * 3 + ["circulatory"] * 3),
        (2, ["any"] * 6),
        (9, ["any"] * 6),
    ],
)
def test_levels_of_full_domain_recoding(level, labels):
    assert [DISEASES.labels[node] for node in DISEASES.ancestor_at(np.arange(6), level)] == labels


def test_a_level_below_the_leaves_is_refused():
    with pytest.raises(ValueError, match="at least 0; got -1"):
        DISEASES.cut(-1)


def test_uneven_branches_climb_only_as_far_as_the_level_allows():
    world = from_nested("'*': {US: , Asia: {East: [Japan, China], South: [India]}}", "world")
    assert world.to_rows() == [
        ["US", "US", "US", "*"],
        ["Japan", "East", "Asia", "*"],
        ["China", "East", "Asia", "*"],
        ["India", "South", "Asia", "*"],
    ]


def test_shows_itself_in_a_line():
    assert repr(DISEASES) == "Hierarchy('disease.csv': 6 leaves, height 2, root 'any')"
    odd = make([["<b>", "*"], ["c", "*"]])
    assert "&lt;b&gt;, c" in odd._repr_html_()
    assert "<b>, c" not in odd._repr_html_()


def test_survives_pickling():
    assert_same(pickle.loads(pickle.dumps(DISEASES)), DISEASES)


@given(plain_trees())
@settings(deadline=None, max_examples=60)
def test_every_node_is_the_interval_of_its_leaves(plain: Plain):
    assert_is(make(plain.rows()), plain)


@given(plain_trees())
@settings(deadline=None, max_examples=60)
def test_rows_of_a_tree_give_the_tree_again(plain: Plain):
    hierarchy = make(plain.rows())
    assert hierarchy.to_rows() == plain.rows()
    assert_same(make(hierarchy.to_rows()), hierarchy)


@given(plain_trees())
@settings(deadline=None, max_examples=40)
def test_each_level_covers_every_leaf_once_and_climbs_as_defined(plain: Plain):
    hierarchy = make(plain.rows())
    for level in range(hierarchy.height + 2):
        nodes = hierarchy.cut(level)
        covered = [rank for n in nodes for rank in range(hierarchy.left[n], hierarchy.right[n] + 1)]
        assert covered == list(range(hierarchy.size))
        for rank, found in enumerate(hierarchy.ancestor_at(np.arange(hierarchy.size), level)):
            node = hierarchy.leaf_node[rank]
            while node and hierarchy.level[hierarchy.parent[node]] <= level:
                node = hierarchy.parent[node]
            assert found == node


@given(plain_trees())
@settings(deadline=None, max_examples=40)
def test_the_distance_is_an_ultrametric(plain: Plain):
    d = make(plain.rows()).leaf_distances()
    assert (np.diag(d) == 0).all()
    assert d.max() <= 1
    assert (d[:, None, :] <= np.maximum(d[:, :, None], d[None, :, :])).all()


@given(st.data(), plain_trees())
@settings(deadline=None, max_examples=60)
def test_repeated_labels_change_levels_but_no_distance(data, plain: Plain):
    once, padded = make(plain.rows()), make(plain.padded_rows(data.draw))
    np.testing.assert_array_equal(padded.parent, once.parent)
    assert padded.heights().tolist() == [node.height() for node in plain.nodes()]
    np.testing.assert_array_equal(padded.leaf_distances(), once.leaf_distances())
    np.testing.assert_array_equal(padded.unpadded.level, once.level)
    assert_same(make(padded.to_rows()), padded)


@given(st.data(), plain_trees())
@settings(deadline=None, max_examples=40)
def test_heights_over_some_leaves_are_those_of_the_tree_without_the_others(data, plain: Plain):
    whole = make(plain.rows())
    kept = np.array(data.draw(st.lists(st.booleans(), min_size=whole.size, max_size=whole.size)))
    if not kept.any():
        assert not whole.heights(kept).any()
        return
    part = make([row for row, keep in zip(plain.rows(), kept, strict=True) if keep])
    found = dict(zip(whole.labels, whole.heights(kept).tolist(), strict=True))
    assert {label: found[label] for label in part.labels} == dict(
        zip(part.labels, part.heights().tolist(), strict=True)
    )
