"""Both (α, β) models: the same tests, with what β is a share of."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.identity_reserved import S4_TABLE3, S4_TABLE4, s4_statistics
from tests.models.families import (
    accepts,
    alpha_of,
    beta_of,
    bind_to_people,
    count_individuals,
    enhanced_beta_of,
    holds,
    people,
)
from tests.models.tables import bind, count
from tests.oracles.models import fractions

from likeness.errors import PolicyError
from likeness.exact import rational
from likeness.models.eir_alpha_beta_anonymity import EirAlphaBetaAnonymity
from likeness.models.ir_alpha_beta_anonymity import IrAlphaBetaAnonymity

BOTH = [(IrAlphaBetaAnonymity, beta_of), (EirAlphaBetaAnonymity, enhanced_beta_of)]
EASY = settings(deadline=None, max_examples=100)
SHARES = fractions("1/6", "1")


@pytest.mark.parametrize(("model", "share"), BOTH)
@EASY
@given(classes=st.lists(people(), min_size=1, max_size=3), alpha=SHARES, beta=SHARES)
def test_search_and_proof_agree_with_the_definition(model, share, classes, alpha, beta):
    bound = bind_to_people(model(alpha, beta), *classes)
    judged = bound.judge(count_individuals(*classes))
    for one, good, measured, slack in zip(classes, judged.holds, judged.measured, judged.slack, strict=True):
        assert good == (alpha_of(one) <= Fraction(alpha) and share(one) <= Fraction(beta))
        assert accepts(bound, one) == good
        assert measured == (float(alpha_of(one)) if share(one) <= Fraction(beta) else float("inf"))
        assert slack > -1e-9 if good else slack < 1e-9


@pytest.mark.parametrize(("model", "share"), BOTH)
@EASY
@given(classes=st.lists(people(), min_size=1, max_size=3))
def test_the_strongest_limits_are_met_and_hardly_above_the_shares(model, share, classes):
    stats = count_individuals(*classes)
    found = bind_to_people(model(1, 1), *classes).strongest(stats).values
    assert list(found) == ["alpha", "beta"]
    assert holds(model(**found), *classes) == [True] * len(classes)
    for value, of in zip(found.values(), (alpha_of, share), strict=True):
        largest = max(map(of, classes))
        assert largest <= rational(value) <= largest * Fraction(1 + 1e-15)


@EASY
@given(one=people(), alpha=SHARES, beta=SHARES)
def test_the_enhanced_model_implies_the_other(one, alpha, beta):
    if holds(EirAlphaBetaAnonymity(alpha, beta), one) == [True]:
        assert holds(IrAlphaBetaAnonymity(alpha, beta), one) == [True]
        assert len(one) >= -(-1 // Fraction(beta))
        assert len(one) >= -(-1 // Fraction(alpha))
        assert all(sum(map(len, one)) >= len(person) / Fraction(alpha) for person in one)


@pytest.mark.parametrize(("model", "share"), BOTH)
@EASY
@given(one=people(), other=people(), alpha=SHARES, beta=SHARES)
def test_unions_hold(model, share, one, other, alpha, beta):
    if holds(model(alpha, beta), one, other) == [True, True]:
        assert holds(model(alpha, beta), one + other) == [True]


@pytest.mark.parametrize("model", [IrAlphaBetaAnonymity, EirAlphaBetaAnonymity])
def test_an_individual_more_may_break_it(model):
    one = [[0], [1], [2]]
    assert holds(model("1/3", "1/3"), one, [*one, [2]]) == [True, False]
    assert holds(model("1/3", 1), one, [*one, [2, 3, 4]]) == [True, False]
    assert not model.closed_under_adding


def test_the_examples():
    """Tables 3 and 4 of Wang et al. 2019, as exact fractions."""
    three, four = s4_statistics(S4_TABLE3), s4_statistics(S4_TABLE4)
    ir, eir = (bind(model("2/5", "3/5"), [1] * 7) for model in (IrAlphaBetaAnonymity, EirAlphaBetaAnonymity))
    assert ir.holds(three).tolist() == [True, True]
    assert eir.holds(three).tolist() == [True, False]
    assert eir.strongest(three).values == {"alpha": 0.4, "beta": 1.0}
    assert ir.holds(four).tolist() == eir.holds(four).tolist() == [True, True]
    assert eir.strongest(four).values == {"alpha": 0.4, "beta": 0.5}
    for table, shares in ((three, ["1/4", 1]), (four, ["1/3", "1/2"])):
        for number, beta in enumerate(shares):
            exactly = Fraction(beta)
            below = exactly - Fraction(1, 10**9)
            assert bind(EirAlphaBetaAnonymity("2/5", exactly), [1] * 7).holds(table)[number]
            assert not bind(EirAlphaBetaAnonymity("2/5", below), [1] * 7).holds(table)[number]
        for model in (IrAlphaBetaAnonymity, EirAlphaBetaAnonymity):
            assert not bind(model(Fraction(2, 5) - Fraction(1, 10**9), 1), [1] * 7).holds(table).any()


@pytest.mark.parametrize("model", [IrAlphaBetaAnonymity, EirAlphaBetaAnonymity])
def test_decimals_mean_what_they_say(model):
    """2 / 5 <= 0.4, although the float 0.4 is not 2 / 5."""
    one = [[0, 1], [2], [3], [4]]
    assert holds(model(0.4, 0.4), one) == [True]
    assert holds(model("0.39999999999999999", 0.4), one) == [False]
    assert accepts(bind_to_people(model(0.4, 0.4), one), one)
    assert not accepts(bind_to_people(model("0.39999999999999999", 0.4), one), one)


def test_two_individuals_are_vulnerable_under_the_paper_s_limits():
    """With α = 0.6 and β = 0.4, EIR needs three individuals."""
    one = [[0, 1, 2], [3, 4]]
    assert holds(IrAlphaBetaAnonymity(0.6, 0.4), one) == [True]
    assert holds(EirAlphaBetaAnonymity(0.6, 0.4), one) == [False]
    assert bind_to_people(EirAlphaBetaAnonymity(0.6, 0.4), one).smallest_classes()[0] == 3
    assert bind_to_people(IrAlphaBetaAnonymity(0.6, 0.4), one).smallest_classes()[0] == 2


def test_duplicates_that_a_policy_keeps_do_not_dilute_values():
    """Tim's record is there three times: three of four records are his, but each value is that of one person."""
    one = [[0, 0, 0], [1]]
    assert holds(IrAlphaBetaAnonymity("3/4", "1/2"), one) == [True]
    assert holds(IrAlphaBetaAnonymity("3/4", "1/3"), one) == [False]
    assert holds(IrAlphaBetaAnonymity("1/2", "1/2"), one) == [False]


def test_without_individuals_every_record_is_one():
    for model in (IrAlphaBetaAnonymity, EirAlphaBetaAnonymity):
        bound = bind(model("1/3", "2/3"), [9, 9])
        assert bound.holds(count([[2, 1], [1, 1], [3, 1]])).tolist() == [True, False, False]


def test_values_that_no_release_can_hold_are_named():
    table = [[0, 1], [0], [0, 2]]
    assert bind_to_people(IrAlphaBetaAnonymity(0.4, 0.5), table).out_of_reach() == (
        ". No release of all of them can hold it: '0' has a share of 0.6, above beta"
    )
    assert not bind_to_people(IrAlphaBetaAnonymity(0.4, 0.6), table).out_of_reach()


@pytest.mark.parametrize("bad", [{"alpha": 0}, {"alpha": 1.01}, {"beta": 0}, {"beta": "5/4"}])
@pytest.mark.parametrize("model", [IrAlphaBetaAnonymity, EirAlphaBetaAnonymity])
def test_bad_parameters(model, bad):
    with pytest.raises(PolicyError, match=rf"^{model.name}: (alpha|beta) must"):
        model(**{"alpha": 0.5, "beta": 0.5} | bad)
