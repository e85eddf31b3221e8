from __future__ import annotations

import numpy as np
import pytest
from tests.methods.problems import number, plain_set, problem, table

from likeness.errors import PolicyError
from likeness.methods.burel import Burel
from likeness.methods.spaces import axis, points
from likeness.microdata.data import Microdata
from likeness.microdata.domain import Domain
from likeness.models.beta_likeness import BetaLikeness


def test_axes():
    assert axis(number("n", 3, missing=True)).tolist() == [0, 0.5, 1, 2]
    assert axis(plain_set("s", 3)).tolist() == [0, 0.5, 1]
    assert axis(plain_set("s", 2, missing=True)).tolist() == [0, 0.5, 1]
    assert axis(plain_set("s", 1)).tolist() == [0]
    declared = Domain("n", "real", np.array([2.0, 3.0]), "interval", low=0.0, high=4.0)
    assert axis(declared).tolist() == [0.5, 0.75]


def test_records_of_one_tuple_share_a_rank():
    data = table([30, 30], missing=True, numbers=3)
    space = points(data)
    tuples = [tuple(row) for row in data.codes.T.tolist()]
    assert len({*zip(tuples, space.rank.tolist(), strict=True)}) == len(set(tuples)) == space.keys.size
    assert (np.diff(space.keys) >= 0).all()


def test_attributes_without_variety_have_no_axis():
    quasi = tuple(plain_set(f"q{j}", 1 if j else 3) for j in range(70))
    codes = np.zeros((70, 6), np.int32)
    codes[0] = [0, 1, 2, 2, 1, 0]
    data = Microdata(quasi, codes, (plain_set("s", 1),), np.zeros((1, 6), np.int32), np.arange(6))
    assert points(data).rank.tolist() == [0, 1, 2, 2, 1, 0]
    assert Burel("paper").run(problem(data, BetaLikeness(1))).count == 6


def test_too_many_axes():
    quasi = tuple(plain_set(f"q{j}", 2) for j in range(64))
    codes = np.tile(np.array([0, 1], np.int32), (64, 1))
    data = Microdata(quasi, codes, (plain_set("s", 1),), np.zeros((1, 2), np.int32), np.arange(2))
    with pytest.raises(PolicyError, match="at most 63 quasi-identifiers; got 64"):
        Burel("paper").run(problem(data, BetaLikeness(1)))
