"""Levels of one attribute: groups nest, losses rise, padding is left out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from likeness.hierarchies import from_rows
from likeness.microdata.domain import Domain
from likeness.microdata.levels import ladder
from likeness.microdata.regions import LOSSES

ROWS = [["a", "x", "*"], ["b", "x", "*"], ["c", "y", "*"], ["d", "y", "*"]]


def tree(missing=False, max_level=None):
    hierarchy = from_rows(ROWS, "t", where=str)
    return Domain(
        "t",
        "hierarchical",
        np.array(hierarchy.leaves, object),
        "tree",
        hierarchy,
        missing,
        max_level=max_level,
    )


def test_a_hierarchy_gives_its_levels():
    codes = np.arange(4, dtype=np.int32)
    own = ladder(tree(), LOSSES["ncp"], 1.0, codes, np.ones(4, np.int64))
    assert [level.tolist() for level in own.group] == [[0, 1, 2, 3], [0, 0, 1, 1], [0, 0, 0, 0]]
    assert own.mean_loss == [0.0, 0.5, 1.0]


def test_a_limit_ends_the_levels():
    codes = np.arange(4, dtype=np.int32)
    assert ladder(tree(max_level=1), LOSSES["ncp"], 1.0, codes, np.ones(4, np.int64)).groups == [4, 2]


def test_the_missing_value_joins_only_at_the_root():
    codes = np.arange(5, dtype=np.int32)
    own = ladder(tree(missing=True), LOSSES["ncp"], 1.0, codes, np.ones(5, np.int64))
    assert own.groups == [5, 3, 1]
    assert own.group[1][4] not in own.group[1][:4]


@given(size=st.integers(1, 40), missing=st.booleans(), loss=st.sampled_from(sorted(LOSSES)))
@settings(deadline=None, max_examples=40)
def test_runs_of_numbers_nest_and_end_in_one_group(size, missing, loss):
    domain = Domain(
        "n", "integer", np.arange(size), "interval", missing=missing, low=0.0, high=float(size - 1)
    )
    codes = np.arange(domain.codes, dtype=np.int32)
    own = ladder(domain, LOSSES[loss], 1.0, codes, np.ones(domain.codes, np.int64))
    assert own.groups[-1] == 1
    assert own.mean_loss == sorted(own.mean_loss)
    assert own.mean_loss[0] == 0.0
    for fine, coarse in zip(own.group, own.group[1:], strict=False):
        pairs = set(zip(fine.tolist(), coarse.tolist(), strict=True))
        assert len(pairs) == len(set(fine.tolist()))


def test_the_loss_of_a_level_is_the_mean_over_records():
    own = ladder(tree(), LOSSES["ncp"], 0.5, np.array([0, 2], np.int32), np.array([3, 1]))
    assert own.mean_loss == pytest.approx([0.0, 0.25, 0.5])
