from __future__ import annotations

import numpy as np
import pytest
from tests.models.tables import accepts, bind, categorical, count, holds, numbers

from likeness.errors import PolicyError
from likeness.microdata.domain import Domain
from likeness.models.proximity import Proximity


def test_windows_lie_around_the_records_of_the_class():
    salaries = numbers([1000, 1100, 2000, 3000])
    classes = [[1, 0, 1, 1], [1, 1, 1, 1], [1, 1, 2, 2]]
    assert holds(Proximity(100, 3), [9, 9, 9, 9], *classes, domain=salaries) == [True, False, True]
    bound = bind(Proximity(100, 3), [9, 9, 9, 9], salaries)
    assert [accepts(bound, counts) for counts in classes] == [True, False, True]
    assert bound.measured(count(classes)).tolist() == [3, 2, 3]
    assert bound.strongest(count([[1, 1, 1, 2], [1, 0, 1, 1]])).values == {"epsilon": 100, "m": 2}
    assert bound.smallest_classes().tolist() == [3, 3, 3, 3]


def test_without_a_distance_equal_values_alone_crowd():
    assert holds(Proximity(0, 2), [2, 2, 2], [1, 1, 0], [2, 1, 0], domain=numbers([1, 2, 3])) == [True, False]


def test_decimals_are_as_far_apart_as_their_texts_say():
    assert 0.8 - 0.7 > 0.1
    tenths = numbers([0.7, 0.8, 1.9], "real")
    assert holds(Proximity(0.1, 2), [2, 2, 2], [1, 1, 1], domain=tenths) == [False]
    assert holds(Proximity("0.0999999999999999999999", 2), [2, 2, 2], [1, 1, 1], domain=tenths) == [True]


def test_dates_are_days_apart():
    days = np.array(["2024-02-28", "2024-03-01", "2024-06-01"], "datetime64[D]")
    visits = Domain("visit", "date", days, "interval")
    assert holds(Proximity(2, 2), [1, 1, 1], [1, 1, 1], domain=visits) == [False]
    assert holds(Proximity(1, 2), [1, 1, 1], [1, 1, 1], domain=visits) == [True]


def test_declared_orders_are_ranks_apart():
    severity = Domain("severity", "ordered", np.array(["mild", "severe", "fatal"], object), "interval")
    assert holds(Proximity(1, 2), [2, 2, 2], [1, 0, 1], [1, 1, 0], domain=severity) == [True, False]


def test_the_union_of_good_classes_may_be_bad():
    # 1 is near 0 and 2, which are not near each other.
    values = numbers([0, 1, 2, 100])
    classes = [[1, 0, 1, 0], [0, 1, 0, 1]]
    assert holds(Proximity(1, 2), [1, 1, 1, 1], *classes, domain=values) == [True, True]
    assert holds(Proximity(1, 2), [1, 1, 1, 1], np.sum(classes, axis=0), domain=values) == [False]
    assert not Proximity.closed_under_union


def test_a_record_more_may_break_it():
    assert holds(Proximity(0, 2), [2, 1], [1, 1], [2, 1], domain=numbers([1, 9])) == [True, False]
    assert not Proximity.closed_under_adding


def test_what_has_no_distance_is_refused():
    with pytest.raises(
        PolicyError, match=r"^proximity: needs numbers, dates or a declared order, .* is categorical$"
    ):
        bind(Proximity(1, 2), [1, 1], categorical(2))
    missing = Domain("income", "integer", np.array([1, 2]), "interval", missing=True)
    with pytest.raises(PolicyError, match=r"^proximity: the missing values of the sensitive column 'income'"):
        bind(Proximity(1, 2), [1, 1, 1], missing)


@pytest.mark.parametrize("m", [10**19, 10**30])
def test_an_m_that_no_table_has(m):
    bound = bind(Proximity(1, m), [3, 3], numbers([1, 9]))
    assert not bound.holds(count([[3, 3]])).any()
    assert not accepts(bound, [3, 3])
