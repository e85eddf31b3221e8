from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.identity_reserved import (
    S4_TABLE2,
    S4_TABLE3,
    S4_TABLE4,
    s4_classes,
    s4_microdata,
    s4_people,
    s4_statistics,
)
from tests.models.families import VALUES, accepts, bind_to_people, count_individuals, holds, people, tau_of
from tests.models.tables import bind, count
from tests.oracles import hitting_sets as plain

from likeness.microdata.statistics import count_classes
from likeness.models import eir_l_diversity
from likeness.models.eir_l_diversity import EirLDiversity
from likeness.models.ir_kl_anonymity import IrKlAnonymity
from likeness.models.requirements import require_of

EASY = settings(deadline=None, max_examples=200)


def test_the_examples():
    """Table 3 is vulnerable, Table 4 is not (Wang et al. 2019)."""
    bound = bind(EirLDiversity(3), [1] * 7)
    three, four = s4_statistics(S4_TABLE3), s4_statistics(S4_TABLE4)
    assert bound.measured(three).tolist() == [4, 1]
    assert bound.holds(three).tolist() == [True, False]
    assert bind(IrKlAnonymity(3, 3), [1] * 7).holds(three).tolist() == [True, True]
    assert bound.measured(four).tolist() == [3, 3]
    assert bound.holds(four).tolist() == [True, True]
    assert bound.strongest(four).values == {"l": 3}
    assert bound.slack(bound.measured(three)).tolist() == [1, -2]


@EASY
@given(st.lists(people(5), min_size=1, max_size=4), st.integers(1, 5))
def test_search_and_proof_agree_with_the_definition(classes, l):  # noqa: E741
    bound = bind_to_people(EirLDiversity(l), *classes)
    judged = bound.judge(count_individuals(*classes))
    for one, good, measured, slack in zip(classes, judged.holds, judged.measured, judged.slack, strict=True):
        assert measured == tau_of(one)
        assert good == (tau_of(one) >= l)
        assert slack == tau_of(one) - l
        assert good or not accepts(bound, one)
    assert bound.strongest(count_individuals(*classes)).values == {"l": min(map(tau_of, classes))}


@EASY
@given(people(6), st.integers(1, 6))
def test_a_search_sees_all_that_counts_can_say(one, l):  # noqa: E741
    having = sorted(sum(value in person for person in one) for value in range(VALUES))
    accepted = accepts(bind_to_people(EirLDiversity(l), one), one)
    assert accepted == (sum(having[VALUES - l + 1 :]) < len(one) if l > 1 else len(one) > 0)


@EASY
@given(people(5), st.integers(1, 5))
def test_it_implies_individuals_and_values(one, l):  # noqa: E741
    if holds(EirLDiversity(l), one) == [True]:
        assert len(one) >= l
        assert len({value for person in one for value in person}) >= l
        assert holds(IrKlAnonymity(l, l), one) == [True]


@EASY
@given(people(4), people(1), people(4))
def test_adding_and_uniting_never_lowers_it(one, somebody, other):
    tau = tau_of(one)
    assert tau_of(one + somebody) in {tau, tau + 1}
    assert tau_of(one + other) >= max(tau, tau_of(other))
    union = bind_to_people(EirLDiversity(1), one + other).measured(count_individuals(one + other))
    assert union.tolist() == [tau_of(one + other)]


@EASY
@given(people(5))
def test_what_is_added_to_a_person_may_break_it(one):
    """Not adding an individual, but giving one of the class another value."""
    more = [[*person, *({5} - set(person))] for person in one]
    assert tau_of(more) == 1
    assert holds(EirLDiversity(2), more) == [False]


def test_without_individuals_it_is_the_number_of_values():
    classes = [[2, 1, 0], [1, 1, 1], [0, 4, 0]]
    bound = bind(EirLDiversity(2), [3, 6, 1])
    assert bound.measured(count(classes)).tolist() == [2, 3, 1]
    assert bound.holds(count(classes)).tolist() == [True, True, False]


def test_individuals_with_one_record_each_are_like_none():
    rng = np.random.default_rng(5)
    classes, codes = rng.integers(0, 30, 400), rng.integers(0, 9, 400)
    alone = count_classes(classes, 30, codes, 9, rng.permutation(400))
    bound = bind(EirLDiversity(6), [1] * 9)
    assert bound.measured(alone).tolist() == bound.measured(count_classes(classes, 30, codes, 9)).tolist()
    assert bound.holds(alone).tolist() == (bound.measured(alone) >= 6).tolist()


def test_the_space_of_q2_in_table_3():
    """Mike, Tim and Jane, by their records."""
    records = {"Mike": ["r1", "r2"], "Tim": ["r4"], "Jane": ["r5", "r6"]}
    assert {frozenset(chosen) for chosen in plain.reasoning_space(records.values())} == {
        frozenset(chosen)
        for chosen in (("r1", "r4", "r5"), ("r1", "r4", "r6"), ("r2", "r4", "r5"), ("r2", "r4", "r6"))
    }
    named = [S4_TABLE2[i][0] for i in np.flatnonzero(s4_classes(S4_TABLE3) == 1)]
    assert named == ["Mike", "Mike", "Tim", "Jane", "Jane"]


def test_far_above_l_a_measurement_may_stop_at_what_is_certain(monkeypatch):
    """Without a budget for the search, the disjoint individuals are certain; never less than l where it holds."""
    rng = np.random.default_rng(2)
    one = [rng.choice(40, 4, replace=False).tolist() for _ in range(60)]
    stats = count_individuals(one, values=40)
    exact = bind(EirLDiversity(2), [1] * 40).measured(stats)[0]
    monkeypatch.setattr(eir_l_diversity, "BUDGET", 0)
    certain = [bind(EirLDiversity(l), [1] * 40).measured(stats)[0] for l in range(1, 20)]  # noqa: E741
    assert certain[0] < exact
    for l, least in enumerate(certain, 1):  # noqa: E741
        assert least <= exact
        assert bind(EirLDiversity(l), [1] * 40).holds(stats).tolist() == [exact >= l] == [least >= l]


def test_a_table_with_too_few_values_says_so():
    assert "'sensitive' has 2 values" in bind(EirLDiversity(3), [4, 2]).out_of_reach()
    assert bind(EirLDiversity(3), [4, 2, 1]).smallest_classes().tolist() == [3, 3, 3]
    assert not bind(EirLDiversity(10**30), [4, 4]).holds(count([[4, 4]])).any()
    assert not bind(EirLDiversity(10**30), [4, 4]).holds(count_individuals([[0, 1], [1]], values=2)).any()
    assert (
        bind(EirLDiversity(10**30), [4, 4])
        .because(count_individuals([[0, 1], [1]], values=2))
        .endswith(" '1'")
    )


def test_half_of_table_3_is_vulnerable():
    """Of two classes that are IR (3, 3)-anonymous one is not EIR 3-diverse."""
    bound = [require_of((model,), s4_microdata())[0] for model in (IrKlAnonymity(3, 3), EirLDiversity(3))]
    for table, vulnerable in ((S4_TABLE3, [False, True]), (S4_TABLE4, [False, False])):
        people = [one.of_rows(s4_microdata().people, s4_people(table), 2) for one in bound]
        plain, enhanced = (one.bound.holds(stats) for one, stats in zip(bound, people, strict=True))
        assert (plain & ~enhanced).tolist() == vulnerable
        records = bound[1].of_rows(s4_microdata(), s4_classes(table), 2)
        assert bound[1].bound.holds(records).tolist() == enhanced.tolist()


def test_everybody_shares_one_value():
    """Nothing but l = 1 can be met, and one individual alone never meets more."""
    one = [[0, 1], [0, 2], [0], [0, 3, 4]]
    assert [holds(EirLDiversity(l), one) for l in (1, 2)] == [[True], [False]]  # noqa: E741
    assert [holds(EirLDiversity(l), [[0, 1, 2]]) for l in (1, 2)] == [[True], [False]]  # noqa: E741
