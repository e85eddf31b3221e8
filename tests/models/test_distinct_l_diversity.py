from __future__ import annotations

from tests.models.tables import accepts, bind, categorical, count, holds

from likeness.models.distinct_l_diversity import DistinctLDiversity


def test_values_are_counted_once():
    assert holds(DistinctLDiversity(2), [9, 1, 1], [9, 0, 0], [8, 1, 0], [1, 1, 1]) == [False, True, True]


def test_a_missing_value_kept_as_a_category_is_a_value():
    assert holds(DistinctLDiversity(2), [2, 1], [1, 1], domain=categorical(1, missing=True)) == [True]


def test_the_class_of_fewest_values_decides():
    bound = bind(DistinctLDiversity(2), [2, 2, 1])
    assert bound.strongest(count([[1, 1, 1], [1, 1, 0]])).values == {"l": 2}
    assert bound.smallest_classes().tolist() == [2, 2, 2]


def test_more_values_than_there_are():
    bound = bind(DistinctLDiversity(10**30), [2, 2])
    assert not bound.holds(count([[2, 2]])).any()
    assert not accepts(bound, [2, 2])
    assert not accepts(bind(DistinctLDiversity(3), [2, 2]), [2, 2])
