from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from tests.kernels.hitting import hit, lay_out, minimum

from likeness.kernels.hitting_set import UNLIMITED, class_minima, classes_diverse, hits_all

if TYPE_CHECKING:
    from tests.kernels.hitting import Family


def brute_force(family: Family) -> int:
    elements = sorted({one for values in family for one in values})
    return next(
        b
        for b in range(len(elements) + 1)
        if any(all(set(values) & set(chosen) for values in family) for chosen in combinations(elements, b))
    )


def random_family(rng: np.random.Generator, sets: int, values: int, largest: int, least: int = 1) -> Family:
    return [
        rng.choice(values, rng.integers(least, min(values, largest) + 1), replace=False).tolist()
        for _ in range(sets)
    ]


def test_equals_brute_force():
    rng = np.random.default_rng(1)
    for _ in range(3_000):
        family = random_family(rng, int(rng.integers(1, 11)), int(rng.integers(1, 10)), 4)
        tau = brute_force(family)
        assert [hit(family, b) is not None for b in range(8)] == [b >= tau for b in range(8)]
        assert minimum(family) == (tau, tau)


@pytest.mark.parametrize("sets", [64, 65, 100])
def test_families_of_more_than_one_word(sets):
    """Against the minimum by integer programming, on sets that no cheap test decides."""
    milp = pytest.importorskip("scipy.optimize").milp
    constraint = pytest.importorskip("scipy.optimize").LinearConstraint
    rng = np.random.default_rng(sets)
    for values in (20, 40):
        family = random_family(rng, sets, values, 6, least=3)
        matrix = np.zeros((sets, values))
        for row, members in zip(matrix, family, strict=True):
            row[members] = 1
        exact = milp(
            np.ones(values), integrality=np.ones(values), constraints=constraint(matrix, lb=1), bounds=(0, 1)
        )
        tau = round(exact.fun)
        assert hit(family, tau - 1) is None
        assert hit(family, tau) is not None
        assert minimum(family) == (tau, tau)


def test_who_is_named_twice_or_has_no_values_changes_nothing():
    first, value = np.array([0, 2, 2, 3, 5]), np.array([0, 1, 2, 0, 3])
    place, witness = np.full(4, -1), np.empty(2, np.int64)
    for people in ([0, 2, 3], [0, 1, 2, 3], [3, 2, 0, 0, 3], [1, 2, 2, 2, 0, 3]):
        chosen = np.array(people)
        assert not hits_all(first, value, chosen, chosen.size, 1, place, witness)
        assert hits_all(first, value, chosen, chosen.size, 2, place, witness)
        assert sorted(witness.tolist()) == [0, 2]
    assert hits_all(first, value, np.array([1]), 1, 0, place, witness)
    assert not hits_all(first, value, np.array([0]), 1, 0, place, witness)


def test_only_the_first_people_are_the_class():
    first, value = np.array([0, 1, 2, 3]), np.array([0, 0, 1])
    nothing = np.empty(0, np.int64)
    assert hits_all(first, value, np.array([0, 1, 2]), 2, 1, np.full(2, -1), nothing)
    assert not hits_all(first, value, np.array([0, 1, 2]), 3, 1, np.full(2, -1), nothing)
    assert hits_all(first, value, np.array([2, 0, 1]), 0, 0, np.full(2, -1), nothing)


def test_bounds_enclose_the_minimum_whatever_the_budget():
    rng = np.random.default_rng(3)
    gaps = 0
    for _ in range(100):
        family = random_family(rng, 30, 25, 4, least=2)
        least, most = minimum(family)
        assert least == most
        for budget in (0, 50, 500):
            low, high = minimum(family, budget)
            assert low <= least <= high
            gaps += low < high
            assert min(minimum(family, budget, least)) >= least
    assert gaps > 0


def test_classes_are_judged_one_by_one():
    rng = np.random.default_rng(8)
    classes = [random_family(rng, int(rng.integers(1, 8)), 6, 3) for _ in range(200)]
    first, value, values = lay_out([person for one in classes for person in one])
    start = np.concatenate([[0], np.cumsum([len(one) for one in classes])]).astype(np.int64)
    expected = np.array([brute_force(one) for one in classes])
    for l in range(1, 6):  # noqa: E741
        assert (classes_diverse(start, first, value, values, l) == (expected >= l)).all()
    assert (class_minima(start, first, value, values, 0, UNLIMITED) == expected[:, None]).all()


def test_an_empty_class_holds_nothing():
    empty = np.zeros(2, np.int64)
    assert not classes_diverse(empty, empty[:1], empty[:0], 3, 1).any()
    assert class_minima(empty, empty[:1], empty[:0], 3, 0, UNLIMITED).tolist() == [[0, 0]]


def test_real_classes(data_folder):
    """Classes of INFORMS 2005, of 8 and of 60 people, against integer programming."""
    milp = pytest.importorskip("scipy.optimize").milp
    constraint = pytest.importorskip("scipy.optimize").LinearConstraint
    table = pl.read_csv(data_folder / "informs2008" / "conditions05.csv", infer_schema=False)
    pairs = table.select("DUPERSID", "ICD9CODX").unique().sort("DUPERSID", "ICD9CODX")
    people = pairs["DUPERSID"].rank("dense").to_numpy().astype(np.int64) - 1
    codes = pairs["ICD9CODX"].rank("dense").to_numpy().astype(np.int64) - 1
    each = np.split(codes, np.flatnonzero(np.diff(people)) + 1)
    assert len(each) == 26_854
    rng = np.random.default_rng(6)
    for size in (8,) * 6 + (60,) * 3:
        family = [each[i].tolist() for i in rng.choice(len(each), size, replace=False)]
        known = sorted({value for values in family for value in values})
        matrix = np.array([[value in values for value in known] for values in family], float)
        ones = np.ones(len(known))
        exact = milp(ones, integrality=ones, constraints=constraint(matrix, lb=1), bounds=(0, 1))
        tau = round(exact.fun)
        assert minimum(family) == (tau, tau)
        assert hit(family, tau - 1) is None
