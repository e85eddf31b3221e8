from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.identity_reserved import S4_TABLE3, S4_TABLE4, s4_statistics
from tests.models.families import accepts, bind_to_people, count_individuals, holds, people
from tests.models.tables import bind

from likeness.models.ir_kl_anonymity import IrKlAnonymity


@settings(deadline=None)
@given(st.lists(people(), min_size=1, max_size=3), st.integers(1, 4), st.integers(1, 5))
def test_search_and_proof_agree_with_the_definition(classes, k, l):  # noqa: E741
    model = IrKlAnonymity(k, l)
    expected = [len(one) >= k and len({s for person in one for s in person}) >= l for one in classes]
    assert holds(model, *classes) == expected
    assert [accepts(bind_to_people(model, *classes), one) for one in classes] == expected


def test_the_example():
    bound = bind(IrKlAnonymity(3, 3), [1] * 7)
    for table in (S4_TABLE3, S4_TABLE4):
        assert bound.holds(s4_statistics(table)).tolist() == [True, True]
    assert bound.strongest(s4_statistics(S4_TABLE3)).values == {"k": 3, "l": 3}
    assert bound.strongest(s4_statistics(S4_TABLE4)).values == {"k": 3, "l": 4}


def test_one_person_may_have_all_values():
    one = [[0, 1, 2], [0]]
    assert holds(IrKlAnonymity(2, 3), one) == [True]
    assert bind_to_people(IrKlAnonymity(2, 3), one).smallest_classes().tolist() == [2, 2, 2, 1, 1, 1]


def test_measured_is_the_number_of_individuals_where_there_are_values_enough():
    classes = [[[0, 1], [0]], [[0], [0], [0]]]
    bound = bind_to_people(IrKlAnonymity(2, 2), *classes)
    judged = bound.judge(count_individuals(*classes))
    assert judged.measured.tolist() == [2, 0]
    assert judged.slack.tolist() == [0, -2]
    assert bound.strongest(count_individuals(*classes)).values == {"k": 2, "l": 1}


def test_a_table_with_too_few_values_says_so():
    assert bind(IrKlAnonymity(2, 3), [4, 0, 2]).out_of_reach() == (
        ". No release can hold it: 'sensitive' has 2 values"
    )
    assert not bind(IrKlAnonymity(2, 2), [4, 0, 2]).out_of_reach()
