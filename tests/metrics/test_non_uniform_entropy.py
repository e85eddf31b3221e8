from __future__ import annotations

from math import log2

import numpy as np
import pytest
from tests.metrics.examples import LEVELS, MINI, NOTHING, constant, number_or_missing, one_column

from likeness.metrics.mini_table import mini_table
from likeness.metrics.non_uniform_entropy import NonUniformEntropy
from likeness.microdata.domain import Domain


def test_mini_table():
    bits = NonUniformEntropy().by_attribute(MINI)
    share = NonUniformEntropy(normalised=True).by_attribute(MINI)
    assert bits == pytest.approx({"sex": 3.3808, "age": 6.7549}, abs=5e-5)
    assert share == pytest.approx({"sex": 0.6964, "age": 0.5818}, abs=5e-5)
    assert bits["sex"] / share["sex"] == pytest.approx(4.8548, abs=5e-5)
    assert NonUniformEntropy().measure(MINI) == pytest.approx(sum(bits.values()))
    assert NonUniformEntropy(normalised=True).measure(MINI) == pytest.approx(sum(share.values()) / 2)


def test_hierarchies_that_cover_the_same_records_cost_the_same():
    assert NonUniformEntropy().measure(LEVELS) == pytest.approx(NonUniformEntropy().measure(MINI))


def test_local_counts_are_those_of_the_class():
    # Sex: the second class is F M F; age: all values of a class differ.
    bits = NonUniformEntropy(local=True).by_attribute(MINI)
    assert bits == pytest.approx({"age": 2 * 1 + 3 * log2(3), "sex": 2 * log2(3 / 2) + log2(3)})


@pytest.mark.parametrize("local", [False, True])
def test_withheld_records_cost_the_whole_domain(local):
    metric = NonUniformEntropy(local=local)
    within = {
        "age": 3 * log2(3),
        "sex": 2 * log2(3 / 2) + log2(3) if local else 2 * log2(5 / 2) + log2(5 / 3),
    }
    assert metric.by_attribute(mini_table(withheld=2)) == pytest.approx(
        {"age": within["age"] + 2 * log2(5), "sex": within["sex"] + 2 * log2(5 / 3)}
    )
    assert metric.measure(NOTHING) == pytest.approx(5 * log2(5) + 3 * log2(5 / 3) + 2 * log2(5 / 2))
    assert NonUniformEntropy(local=local, normalised=True).measure(NOTHING) == pytest.approx(1)


def test_what_is_exact_costs_exactly_nothing():
    rng = np.random.default_rng(3)
    values = rng.integers(0, 9, 1000)
    letters = Domain("letter", "categorical", np.array(list("abcdefghi")), "set")
    numbers = Domain("number", "real", np.linspace(0, 1, 9), "interval", low=0, high=1)
    for domain in (letters, numbers):
        release = one_column(domain, values.tolist(), values.tolist())
        assert NonUniformEntropy().measure(release) == 0
        assert NonUniformEntropy(local=True).measure(release) == 0


def test_constant_attribute():
    assert NonUniformEntropy(normalised=True).measure(constant(classes=[0, 0, -1])) == 0


def test_missing_is_a_category():
    # {10, missing} covers all four records.
    release = number_or_missing([0, 1, 0, 2])
    assert NonUniformEntropy().measure(release) == pytest.approx(log2(4) + log2(4 / 2))
