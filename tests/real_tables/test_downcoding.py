"""What follows of Adult's people from regions alone, and what is left of it on a lattice."""

from __future__ import annotations

import pytest
from tests.adult import SIX, complete

import likeness as lk


def attacked(folder, k, form, method="mondrian"):
    """An attacked release, and its loss."""
    # In the order of the file: so Mondrian makes the classes of the figures in the change log.
    frame = complete(folder)
    frame = frame.select(name for name in frame.columns if name in SIX)
    policy = lk.Policy(
        columns=dict.fromkeys(frame.columns, lk.quasi()),
        privacy=lk.KAnonymity(k),
        method={"name": method},
        form=form,
    )
    release = lk.anonymize(frame, policy, seed=1)
    return release.attack("downcoding"), release.loss("glm")["glm"]


@pytest.fixture(scope="module")
def tight(data_folder):
    form = {"name": "generalized", "recoding": "set"}
    return {k: attacked(data_folder, k, form) for k in (2, 5)}


@pytest.fixture(scope="module")
def grid(data_folder):
    form = {"name": "generalized", "recoding": "grid", "steps": {"age": 2}}
    return {k: attacked(data_folder, k, form) for k in (2, 5)}


@pytest.fixture(scope="module")
def grows(data_folder):
    form = {"name": "generalized", "recoding": "set", "attained": 2}
    return {k: attacked(data_folder, k, form) for k in (2, 5)}


def test_a_quarter_is_recovered_where_classes_have_two(tight):
    result, _ = tight[2]
    assert 0.23 < result.success < 0.26
    assert result.details["right_in_class"] == result.details["recovered"]
    assert result.details["singled_in_class"] > 0.8
    assert tight[5][0].success == 0


def test_pairs_tell_most(data_folder):
    result, _ = attacked(data_folder, 2, {"name": "generalized", "recoding": "set"}, "sbca")
    assert result.success > 0.6


@pytest.mark.parametrize("k", [2, 5])
def test_two_years_hide_exact_tuples(tight, grid, k):
    (result, loss), (_, without) = grid[k], tight[k]
    assert result.success == 0
    assert result.details["singled_in_class"] < result.details["coin_in_class"]
    # Everybody's age is two years wide, which alone loses one of 72 in one of six columns: nobody's is exact.
    assert loss - without < 1 / 72 / 6 + 1e-9


@pytest.mark.slow
def test_regions_that_grow_tell_nothing_certain(tight, grows):
    for k in (2, 5):
        result, _ = grows[k]
        assert (result.success, result.details["values_known"]) == (0, 0)
    (result, loss), (_, without) = grows[5], tight[5]
    assert result.details["singled_in_class"] < result.details["coin_in_class"]
    assert loss < 1.1 * without


@pytest.mark.slow
def test_hiding_pairs_costs_a_tenth(tight, grows):
    (result, loss), (before, without) = grows[2], tight[2]
    assert loss < 1.11 * without
    assert result.details["singled_in_class"] < 0.61 < before.details["singled_in_class"]
