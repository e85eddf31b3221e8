import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.profiling.columns import cells

from likeness.microdata.domain import Domain
from likeness.microdata.statistics import count_classes
from likeness.models._base import SensitiveAttribute
from likeness.models.alpha_k_anonymity import AlphaKAnonymity
from likeness.models.beta_likeness import BetaLikeness
from likeness.models.distinct_l_diversity import DistinctLDiversity
from likeness.models.entropy_l_diversity import EntropyLDiversity
from likeness.models.recursive_cl_diversity import RecursiveClDiversity
from likeness.profiling.reach import BETAS, measure_reach, smallest_class

EXAMPLE_2 = ["a"] * 2 + ["b"] * 3 + ["c"] * 3 + ["d"] * 3 + ["e"] * 4 + ["f"] * 4
"""The salaries of Cao & Karras 2012 (paper 002), Example 2: 19 records."""


def test_smallest_classes_of_example_2():
    # f(2/19) = .3158, f(3/19) = .4493, f(4/19) = .5386 under β = 2.
    assert [smallest_class(count, 19, 2) for count in (2, 3, 4)] == [4, 3, 2]
    reach = measure_reach(cells(EXAMPLE_2))
    assert [(value.label, value.records) for value in reach.rare] == [("a", 2), ("b", 3), ("c", 3)]
    assert [value.smallest_class[2] for value in reach.rare] == [4, 3, 3]


def test_a_value_of_a_hundred_thousand_needs_a_large_class():
    assert [smallest_class(1, 100_000, beta) for beta in BETAS] == [50_000, 33_334, 20_000]


def test_equal_values_are_as_diverse_as_can_be():
    reach = measure_reach(cells(["a", "b", "c", "d"] * 5))
    assert (reach.values, reach.entropy_l, reach.alpha) == (4, 4.0, 0.25)
    assert reach.recursive_c == {2: pytest.approx(1 / 3), 3: 0.5, 4: 1.0}


def test_a_missing_value_is_a_value():
    reach = measure_reach(cells(["a", "a", "a", "b", "b", ""]))
    assert (reach.values, reach.rare[0].label, reach.rare[0].records) == (3, "missing", 1)


def test_which_columns_suit_beta_likeness():
    assert measure_reach(cells(["a", "b", "c", "d"] * 5)).suits_beta
    assert measure_reach(cells(["a"] * 990 + ["b"] * 9 + ["c"])).suits_beta  # few records with rare values
    assert not measure_reach(cells([str(i) for i in range(100)] * 2)).suits_beta
    assert not measure_reach(cells([i % 201 for i in range(40_200)])).suits_beta
    assert measure_reach(cells([i % 200 for i in range(40_000)])).suits_beta


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(1, 9), min_size=1, max_size=6))
def test_what_is_said_can_be_met_and_no_more(counts):
    values = [f"v{i}" for i, count in enumerate(counts) for _ in range(count)]
    own = cells(values)
    reach = measure_reach(own)
    codes = own.codes.astype(np.int64)
    domain = Domain("x", "categorical", own.values.to_numpy(), "set")
    attribute = SensitiveAttribute(domain, own.counts)
    whole = count_classes(np.zeros_like(codes), 1, codes, own.distinct)

    def holds(model):
        return bool(model.bind(attribute).holds(whole).all())

    assert holds(DistinctLDiversity(reach.values))
    assert not holds(DistinctLDiversity(reach.values + 1))
    assert holds(EntropyLDiversity(reach.entropy_l))
    assert not holds(EntropyLDiversity(reach.entropy_l + 1e-6))
    assert holds(AlphaKAnonymity(reach.alpha, len(values)))
    assert reach.alpha == pytest.approx(max(counts) / sum(counts))
    for rank, c in reach.recursive_c.items():
        assert holds(RecursiveClDiversity(c * (1 + 1e-9), rank))
        assert c == pytest.approx(max(counts) / sum(sorted(counts, reverse=True)[rank - 1 :]))
    for value in reach.rare:
        for beta, size in value.smallest_class.items():
            cap = value.records / len(values)
            cap *= 1 + min(beta, -math.log(cap))
            assert size == pytest.approx(math.ceil(1 / cap - 1e-12))
            code = own.values.to_list().index(value.label)
            assert size == BetaLikeness(beta).bind(attribute).smallest_classes()[code]


def test_the_share_of_the_most_frequent_value_is_never_rounded_down():
    reach = measure_reach(cells(["a"] * 2 + ["b"]))
    assert Fraction(reach.alpha) >= Fraction(2, 3)
