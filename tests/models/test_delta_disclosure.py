from __future__ import annotations

import math

import pytest
from tests.models.tables import accepts, bind, categorical, count, holds

from likeness.models.delta_disclosure import DeltaDisclosure


@pytest.mark.parametrize("delta", [0.01, 1, 50, 10**6])
def test_a_class_that_lacks_a_value_fails_for_every_delta(delta):
    # pyCANON and ARX skip absent values (peers, false answer 6).
    reference = [50, 49, 1]
    bound = bind(DeltaDisclosure(delta), reference)
    assert not bound.holds(count([[50, 49, 0]])).any()
    assert not accepts(bound, [50, 49, 0])
    assert bound.measured(count([[50, 49, 0]])).tolist() == [math.inf]
    assert bound.strongest(count([[50, 49, 0], reference])).values == {"delta": math.inf}
    assert bound.holds(count([reference])).all()


def test_both_directions_count_and_the_logarithm_is_natural():
    # q = 1/4 of p = 1/2 is ln 2 away, 3/4 is ln 1.5 away.
    reference = [50, 50]
    assert holds(DeltaDisclosure(0.7), reference, [1, 3]) == [True]
    assert holds(DeltaDisclosure(0.69), reference, [1, 3], [3, 1]) == [False, False]
    assert bind(DeltaDisclosure(1), reference).measured(count([[1, 3]])) == pytest.approx(math.log(2))


def test_the_strongest_delta_is_an_infimum():
    bound = bind(DeltaDisclosure(1), [5, 5])
    found = bound.strongest(count([[2, 2], [3, 3], [4, 2]])).values["delta"]
    assert found == pytest.approx(math.log(1.5))


def test_a_table_of_one_value_always_holds():
    assert holds(DeltaDisclosure(0.001), [7], [3], [4]) == [True, True]


def test_values_that_the_reference_lacks():
    assert holds(DeltaDisclosure(9), [4, 4, 0], [2, 2, 0], [2, 2, 1]) == [True, False]
    assert not accepts(bind(DeltaDisclosure(9), [4, 4, 0]), [2, 2, 1])
    # An unused category of missing values is not asked for.
    assert holds(DeltaDisclosure(1), [4, 0], [2, 0], domain=categorical(1, missing=True)) == [True]


def test_every_class_needs_room_for_the_rarest_value():
    # 1 / (p e) of the rarest value, 1 in 100.
    bound = bind(DeltaDisclosure(1), [99, 1])
    assert bound.smallest_classes().tolist() == [37, 37]
    assert bound.holds(count([[36, 1], [35, 1]])).tolist() == [True, False]


def test_a_record_more_may_break_it():
    assert holds(DeltaDisclosure(0.1), [50, 50], [1, 1], [2, 1]) == [True, False]
    assert not DeltaDisclosure.closed_under_adding
