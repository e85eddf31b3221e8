from __future__ import annotations

from tests.identity_reserved import S4_TABLE3, S4_TABLE4, s4_statistics
from tests.models.families import accepts, bind_to_people, holds
from tests.models.tables import bind, count

from likeness.models.ir_k_anonymity import IrKAnonymity


def test_people_count_not_records():
    classes = [[[0, 1, 2]], [[0], [0]], [[0, 1], [2], [3]]]
    assert holds(IrKAnonymity(2), *classes) == [False, True, True]
    assert [accepts(bind_to_people(IrKAnonymity(2), *classes), one) for one in classes] == [False, True, True]


def test_the_example():
    for table in (S4_TABLE3, S4_TABLE4):
        stats = s4_statistics(table)
        bound = IrKAnonymity(3).bind(None)
        assert bound.holds(stats).tolist() == [True, True]
        assert sorted(bound.measured(stats).tolist()) == [3, 4]
        assert bound.strongest(stats).values == {"k": 3}
    assert IrKAnonymity(4).bind(None).holds(s4_statistics(S4_TABLE4)).tolist() == [False, True]


def test_without_individuals_every_record_is_one():
    assert bind(IrKAnonymity(3), [9]).holds(count([[3], [2]])).tolist() == [True, False]


def test_it_is_about_people():
    assert IrKAnonymity.about_individuals
    assert not IrKAnonymity.needs_sensitive
