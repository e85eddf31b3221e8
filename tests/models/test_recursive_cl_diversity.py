from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.models.tables import accepts, bind, count, holds

from likeness.errors import PolicyError
from likeness.models.recursive_cl_diversity import RecursiveClDiversity


def ascending_reading(counts: list[int], c: float, l: int) -> bool:  # noqa: E741
    """What pyCANON and anjana check: r_1 is the rarest value (peers, false answer 1)."""
    r = sorted(count for count in counts if count > 0)
    return len(r) >= l and r[0] < c * sum(r[l - 1 :])


@pytest.mark.parametrize("counts", [[10, 1, 0], [407, 19, 1], [6, 2, 1]])
def test_what_others_verify_by_starting_from_the_rarest_value_is_violated(counts):
    assert ascending_reading(counts, 2, 2)
    assert holds(RecursiveClDiversity(2, 2), counts, counts) == [False]
    assert not accepts(bind(RecursiveClDiversity(2, 2), counts), counts)


def test_the_comparison_is_strict():
    # r = 4, 2, 1, 1.
    reference = [4, 2, 1, 1]
    assert holds(RecursiveClDiversity(1, 2), reference, reference) == [False]
    assert holds(RecursiveClDiversity("1.0001", 2), reference, reference) == [True]
    assert holds(RecursiveClDiversity(2, 3), reference, reference) == [False]
    assert holds(RecursiveClDiversity("2.0001", 3), reference, reference) == [True]


def test_fewer_than_l_values_violate_every_c():
    bound = bind(RecursiveClDiversity(10**9, 3), [5, 5, 1])
    stats = count([[5, 5, 0]])
    assert not bound.holds(stats).any()
    assert bound.measured(stats).tolist() == [math.inf]
    assert bound.strongest(stats).values == {"c": math.inf, "l": 3}


def test_the_strongest_c_is_an_infimum():
    bound = bind(RecursiveClDiversity(2, 2), [5, 5, 3])
    assert bound.strongest(count([[3, 2, 1], [2, 3, 2]])).values == {"c": 1.0, "l": 2}
    assert bound.strongest(count([[3, 2, 2], [2, 3, 1]])).values["c"] == 1.0
    assert bound.strongest(count([[3, 1, 1]])).values["c"] == 1.5


@given(
    st.lists(st.integers(0, 10**6), min_size=3, max_size=4).filter(any),
    st.integers(0, 4),
    st.sampled_from(["0.333333333333333333", "3.14159265358979323846", "1e15", "1e-12", 10**40, "1e-40"]),
)
@settings(deadline=None, max_examples=60)
def test_long_factors_neither_overflow_nor_accept_too_much(counts, plus, c):
    reference = [count + plus for count in counts]
    for model in (RecursiveClDiversity(c, 2), RecursiveClDiversity(c, 3)):
        bound = bind(model, reference)
        good = bool(bound.holds(count([counts]))[0])
        r = sorted((part for part in counts if part), reverse=True)
        assert good == (len(r) >= model.l and r[0] < Fraction(c) * sum(r[model.l - 1 :]))
        assert accepts(bound, counts) == good


def test_a_record_more_may_break_it():
    assert holds(RecursiveClDiversity(2, 2), [2, 1], [1, 1], [2, 1]) == [True, False]
    assert not RecursiveClDiversity.closed_under_adding


@pytest.mark.parametrize(("c", "l"), [(0, 2), (-1, 2), (2, 1), (2, 2.0)])
def test_bad_parameters(c, l):  # noqa: E741
    with pytest.raises(PolicyError, match=r"^recursive-cl-diversity: "):
        RecursiveClDiversity(c, l)
