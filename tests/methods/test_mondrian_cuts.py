"""Cuts worked out by hand, and what the search does with cells; the plain search is compared in test_mondrian."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.methods.cutting import classes_of, make_problem, microdata, problems

from likeness.hierarchies import from_rows
from likeness.kernels.class_tests import ClassTest, lay_out, size_at_least
from likeness.kernels.hulls import bits_set
from likeness.kernels.present_tests import of_present
from likeness.methods.mondrian import Mondrian
from likeness.methods.mondrian.kernels import cuts
from likeness.microdata.domain import Domain
from likeness.microdata.regions import LOSSES, geometry

AGE = Domain("age", "integer", np.arange(17), "interval", low=0, high=16)
JOB = Domain("job", "categorical", np.array(list("abcde"), object), "set")
ROWS = [("a", "ab", "*"), ("b", "ab", "*"), ("c", "cd", "*"), ("d", "cd", "*"), ("e", "e2", "*")]
TREE = from_rows(ROWS, "town", where=str)
TOWN = Domain("town", "hierarchical", np.array(TREE.leaves, object), "tree", TREE)
CHOICES = {"least-loss": cuts.LEAST_LOSS, "all": cuts.ALL, "widest": cuts.WIDEST}


def cut(domains, codes, k, choice="least-loss", weights=None, parts=None, deal=False):
    """Classes of cells as lists of cells."""
    laid = lay_out([ClassTest(size_at_least, [k])])
    shape = geometry(domains, LOSSES["glm"])
    count = len(codes[0])
    label = np.full(count, -1, np.int64)
    order = np.concatenate(parts) if parts else np.arange(count)
    starts = np.cumsum([0, *map(len, parts or [order])])
    ranks, histograms = cuts.node_histograms(np.zeros((0, count), np.int32), 0, int(shape.values.max()))
    classes = cuts.partition(
        of_present(laid), laid.smallest, shape,
        np.array(codes, np.int32), np.array(weights or [1] * count, np.int64), ranks,
        order.astype(np.int64), starts.astype(np.int64), CHOICES[choice], deal,
        cuts.scratch(int(shape.values.max()), len(domains), int(shape.word[-1]), 0), histograms, label,
    )  # fmt: skip
    assert sorted(set(label.tolist())) == list(range(classes))
    return sorted(np.flatnonzero(label == number).tolist() for number in range(classes))


def test_the_threshold_that_saves_most():
    # 0, 1 | 15, 16 saves more than the median of the widest would when all weight is on one side.
    assert cut([AGE], [[0, 1, 15, 16]], 2) == [[0, 1], [2, 3]]
    assert cut([AGE], [[0, 1, 2, 3, 16]], 1) == [[0], [1], [2], [3], [4]]
    assert cut([AGE], [[0, 8, 9, 16]], 2) == [[0, 1], [2, 3]]


def test_a_value_in_the_middle_against_the_rest():
    # b fills a class of its own; a and c are too few to stand alone but hold together.
    assert cut([JOB], [[0, 1, 1, 1, 1, 2]], 2) == [[0, 5], [1, 2, 3, 4]]
    # Of a tree, a leaf in the middle, or a whole branch: here c and d, the branch of two.
    assert cut([TOWN], [[0, 2, 3, 4]], 2) == [[0, 3], [1, 2]]


def test_children_of_a_node():
    assert cut([TOWN], [[0, 1, 2, 3, 4, 4]], 2, "all") == [[0, 1], [2, 3], [4, 5]]
    # One child too small: the paper's cut is not allowed, least loss still finds a branch against the rest.
    assert cut([TOWN], [[0, 1, 2, 3, 4]], 2, "all") == [[0, 1, 2, 3, 4]]
    assert cut([TOWN], [[0, 1, 2, 3, 4]], 2) == [[0, 1], [2, 3, 4]]


def test_the_median_and_the_next_dimension():
    # Age is wider, but three records share its median: only `all` goes on to the job.
    codes = [[16, 16, 16, 0], [0, 0, 1, 1]]
    assert cut([AGE, JOB], codes, 2, "widest") == [[0, 1, 2, 3]]
    assert cut([AGE, JOB], codes, 2, "all") == [[0, 1], [2, 3]]


def test_dealing_the_median():
    assert cut([AGE], [[3, 5, 5, 5, 9]], 2, "all", deal=True) == [[0, 1], [2, 3, 4]]


def test_parts_are_cut_apart():
    assert cut([AGE], [[0, 1, 2, 3]], 2, parts=[[0, 3], [1, 2]]) == [[0, 3], [1, 2]]


@pytest.mark.parametrize("choice", CHOICES)
def test_cells_stand_for_as_many_records_as_they_weigh(choice):
    codes = [[0, 4, 4, 9, 16], [0, 0, 1, 1, 2]]
    weights = [3, 1, 2, 2, 4]
    found = cut([AGE, JOB], codes, 3, choice, weights)
    repeated = [np.repeat(column, weights).tolist() for column in codes]
    owner = np.repeat(np.arange(5), weights)
    expected = cut([AGE, JOB], repeated, 3, choice)
    assert found == sorted(sorted(set(owner[records].tolist())) for records in expected)


def test_nothing_to_cut():
    assert cut([AGE, JOB], [[4, 4, 4], [1, 1, 1]], 1) == [[0, 1, 2]]
    assert cut([AGE], [[7]], 1) == [[0]]


@settings(deadline=None, max_examples=40)
@given(draw=st.data())
def test_a_larger_k_never_makes_more_classes(draw):
    # Not true of every search, but of median cuts of one column: those of a larger k are the first of a smaller.
    data, _ = draw.draw(problems())
    own = replace(data, quasi=data.quasi[:1], codes=np.ascontiguousarray(data.codes[:1]))
    counts = [
        len(classes_of(Mondrian(cut="widest").run(make_problem(own, [("k-anonymity", {"k": k})]))))
        for k in (1, 2, 4)
        if k <= own.size
    ]
    assert counts == sorted(counts, reverse=True)


def test_many_values_fill_several_words():
    job = Domain("job", "categorical", np.array([f"{i:03}" for i in range(130)], object), "set")
    data = microdata([job], [[0, 64, 129, 63, 128, 1]], [0] * 6)
    plan = Mondrian().run(make_problem(data, [("k-anonymity", {"k": 2})]))
    # The best first cut; three pairs would be better still, but no single cut leads there.
    assert sorted(np.bincount(plan.classes)) == [3, 3]


@given(word=st.integers(0, 2**64 - 1))
def test_bits_are_counted(word):
    assert bits_set(np.uint64(word)) == word.bit_count()
