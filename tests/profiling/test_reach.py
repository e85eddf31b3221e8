import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.profiling.columns import all_cells, cells

from likeness.microdata.domain import Domain
from likeness.microdata.statistics import count_classes
from likeness.models.alpha_k_anonymity import AlphaKAnonymity
from likeness.models.base import SensitiveAttribute
from likeness.models.beta_likeness import BetaLikeness
from likeness.models.distinct_l_diversity import DistinctLDiversity
from likeness.models.eir_l_diversity import EirLDiversity
from likeness.models.entropy_l_diversity import EntropyLDiversity
from likeness.models.recursive_cl_diversity import RecursiveClDiversity
from likeness.models.requirements import require
from likeness.profiling.reach import BETAS, measure_reach, smallest_class

EXAMPLE_2 = ["a"] * 2 + ["b"] * 3 + ["c"] * 3 + ["d"] * 3 + ["e"] * 4 + ["f"] * 4
"""The salaries of Cao & Karras 2012, Example 2: 19 records."""


def test_smallest_classes_of_example_2():
    # f(2/19) = .3158, f(3/19) = .4493, f(4/19) = .5386 under β = 2.
    assert [smallest_class(count, 19, 2) for count in (2, 3, 4)] == [4, 3, 2]
    reach = measure_reach(cells(EXAMPLE_2))
    assert [(value.label, value.count) for value in reach.rare] == [("a", 2), ("b", 3), ("c", 3)]
    assert [value.smallest_class[2] for value in reach.rare] == [4, 3, 3]


def test_a_value_of_a_hundred_thousand_needs_a_large_class():
    assert [smallest_class(1, 100_000, beta) for beta in BETAS] == [50_000, 33_334, 20_000]


def test_equal_values_are_as_diverse_as_can_be():
    reach = measure_reach(cells(["a", "b", "c", "d"] * 5))
    assert (reach.values, reach.entropy_l, reach.alpha) == (4, 4.0, 0.25)
    assert reach.recursive_c == {2: pytest.approx(1 / 3), 3: 0.5, 4: 1.0}


def test_a_missing_value_is_a_value():
    reach = measure_reach(cells(["a", "a", "a", "b", "b", ""]))
    assert (reach.values, reach.rare[0].label, reach.rare[0].count) == (3, "missing", 1)


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
            cap = value.count / len(values)
            cap *= 1 + min(beta, -math.log(cap))
            assert size == pytest.approx(math.ceil(1 / cap - 1e-12))
            code = own.values.to_list().index(value.label)
            assert size == BetaLikeness(beta).bind(attribute).smallest_classes()[code]


def test_the_share_of_the_most_frequent_value_is_never_rounded_down():
    reach = measure_reach(cells(["a"] * 2 + ["b"]))
    assert Fraction(reach.alpha) >= Fraction(2, 3)


def test_people_are_counted_and_not_their_records():
    # Ann has the flu five times and a cold once, Bob has the flu, Cat a cold and gout, Dan gout.
    frame = {
        "who": ["ann"] * 6 + ["bob", "cat", "cat", "dan"],
        "disease": ["flu"] * 5 + ["cold", "flu", "cold", "gout", "gout"],
    }
    own = all_cells(frame)
    reach = measure_reach(own["disease"], own["who"])
    assert (reach.people, reach.alpha) == (4, 0.5)
    assert [(value.label, value.count) for value in reach.rare] == [("flu", 2), ("cold", 2), ("gout", 2)]
    # f(2/4) under β = 1 is 1/2 · (1 + ln 2) = .847; six pairs of a person and a value are spread evenly.
    assert reach.rare[0].smallest_class[1] == 2
    assert (reach.values, reach.entropy_l) == (3, pytest.approx(3))
    assert reach.recursive_c == {2: 0.5, 3: 1.0}
    # Two values are needed for the four people: one is had by two.
    assert reach.eir_l == 2
    assert reach.to_mapping()["rare_values"][0]["people"] == 2
    assert measure_reach(own["disease"]).alpha == 0.6
    assert measure_reach(own["disease"]).eir_l is None


def test_one_person_with_several_values():
    own = all_cells({"who": ["ann"] * 3, "disease": ["flu", "cold", ""]})
    reach = measure_reach(own["disease"], own["who"])
    assert (reach.people, reach.alpha, reach.eir_l) == (1, 1.0, 1)
    assert reach.rare[0].smallest_class[4] == 1


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3)), min_size=1, max_size=30))
def test_what_is_said_of_people_is_what_the_models_judge(records):
    own = all_cells({"who": [f"p{who}" for who, _ in records], "x": [f"v{value}" for _, value in records]})
    reach = measure_reach(own["x"], own["who"])
    domains = [Domain("x", "categorical", own["x"].values.to_numpy(), "set", distance="equal")]
    codes = own["x"].codes[None].astype(np.int32)
    people = own["who"].codes.astype(np.int64)
    whole = np.zeros(len(records), np.int64)

    def holds(model):
        (requirement,) = require([model], domains, codes, individuals=people)
        stats = requirement.statistics(whole, 1, domains, codes, people)
        return bool(requirement.bound.holds(stats).all())

    assert holds(AlphaKAnonymity(reach.alpha, reach.people, sensitive="x"))
    assert not holds(AlphaKAnonymity(Fraction(reach.alpha) - Fraction(1, 10**6), 1, sensitive="x"))
    assert holds(EntropyLDiversity(reach.entropy_l, sensitive="x"))
    assert not holds(EntropyLDiversity(reach.entropy_l + 1e-6, sensitive="x"))
    assert holds(EirLDiversity(reach.eir_l, sensitive="x"))
    for rank, c in reach.recursive_c.items():
        assert holds(RecursiveClDiversity(c * (1 + 1e-9), rank, sensitive="x"))
        assert not holds(RecursiveClDiversity(c * (1 - 1e-9), rank, sensitive="x"))
    for beta in BETAS:
        (requirement,) = require([BetaLikeness(beta, sensitive="x")], domains, codes, individuals=people)
        sizes = requirement.bound.smallest_classes()
        for value in reach.rare:
            assert sizes[own["x"].values.to_list().index(value.label)] == value.smallest_class[beta]
