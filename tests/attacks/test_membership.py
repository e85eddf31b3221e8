"""Membership: what known values reveal, against every person one by one."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.attacks.releases import attacked
from tests.forms.publications import publish
from tests.identity_reserved import S4_TABLE4, s4_classes, s4_microdata
from tests.oracles.attacks_individuals import PlainPeople, mean

import likeness as lk
from likeness.attacks._individuals import draw_known, sets_of
from likeness.attacks.membership import MembershipAttack
from likeness.forms.generalized import GeneralizedForm
from likeness.forms.identity_reserved import IdentityReservedForm


@settings(deadline=None, max_examples=40)
@given(draw=st.data())
def test_figures_are_those_of_every_target_by_hand(draw):
    found = draw.draw(attacked("identity-reserved"))
    assume(found.publication.size > 0)
    threshold = draw.draw(st.sampled_from([Fraction(1, 3), 0.5, "2/3", 1]))
    attack = MembershipAttack(
        known=draw.draw(st.integers(1, 2)), threshold=threshold, seed=draw.draw(st.integers(0, 9))
    )
    plain = PlainPeople(found.data, found.plan)
    sets = sets_of(found.data, 0)
    told = draw_known(sets, attack.known, attack.seed)
    breached, blind, usual, beliefs, certain, guessed, left = [], [], [], [], 0, [], []
    for i, target in enumerate(plain.everybody):
        own = frozenset(sets.value[told & (sets.of == i)].tolist())
        rest = plain.sets[target] - own
        if not rest:
            continue
        fit = plain.knowing(plain.release(target), own)
        own_beliefs = [plain.belief(fit, v) for v in rest]
        limit = Fraction(threshold)
        breached.append(max(own_beliefs) >= limit)
        blind.append(max(plain.belief(plain.release(target), v) for v in rest) >= limit)
        alike = plain.knowing(plain.everybody, own)
        usual.append(max(plain.belief(alike, v) for v in rest) >= limit)
        beliefs.append(mean(own_beliefs))
        certain += max(own_beliefs) == 1
        guessed.append(plain.credit(fit, own, rest))
        left.append(len(fit))
    n = max(1, len(left))
    result = attack.run(found.publication, found.data)
    assert result.success == sum(breached) / n
    assert result.baseline == sum(usual) / n
    assert result.details == {
        "without_knowledge": sum(blind) / n,
        "mean_belief": pytest.approx(float(mean(beliefs))),
        "certain": certain / n,
        "guessed": pytest.approx(float(mean(guessed))),
        "identified": left.count(1) / n,
        "unmatched": left.count(0) / n,
        "targets": len(left),
    }
    assert set(result.details) <= set(MembershipAttack.explained)


def test_the_example_of_the_paper():
    data = s4_microdata()
    publication, _, _ = publish(IdentityReservedForm(), data, s4_classes(S4_TABLE4))
    # Mike, Jane and Ella have two diseases. Whichever is known of Jane or Ella, the other follows; of Mike's, heart
    # reveals hypertension, and hypertension leaves heart to one of two.
    found = [MembershipAttack(seed=seed).run(publication, data) for seed in range(12)]
    assert {one.success for one in found} == {1.0}
    assert {one.details["certain"] for one in found} == {2 / 3, 1.0}
    assert {one.details["targets"] for one in found} == {3.0}
    strict = [MembershipAttack(seed=seed, threshold=0.6).run(publication, data) for seed in range(12)]
    assert {one.success for one in strict} == {2 / 3, 1.0}
    assert [one.success for one in strict] == [one.details["certain"] for one in found]
    # Three diseases of nobody.
    none = MembershipAttack(known=2).run(publication, data)
    assert (none.success, none.baseline, none.details["targets"]) == (0, 0, 0)


def test_drawn_targets():
    data = s4_microdata()
    publication, _, _ = publish(IdentityReservedForm(), data, s4_classes(S4_TABLE4))
    every = MembershipAttack().run(publication, data)
    assert MembershipAttack(targets=3).run(publication, data) == every
    found = [MembershipAttack(targets=1, seed=seed).run(publication, data) for seed in (0, 0, *range(1, 30))]
    assert found[0] == found[1]
    assert len({one.details["mean_belief"] for one in found}) > 1
    assert all(one.details["targets"] == 1 for one in found)


def test_what_is_refused():
    data = s4_microdata()
    publication, _, _ = publish(GeneralizedForm(), data, s4_classes(S4_TABLE4))
    with pytest.raises(lk.PolicyError, match="membership: is defined for identity-reserved releases"):
        MembershipAttack().run(publication, data)


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        ({"known": 0}, "known must be a whole number"),
        ({"targets": 0}, "targets must be a whole number"),
        ({"seed": -1}, "seed must be a whole number"),
        ({"threshold": 0}, "threshold must be a number above 0 and at most 1"),
        ({"threshold": 1.5}, "threshold must be a number above 0 and at most 1"),
    ],
)
def test_parameters_out_of_range(given_, message):
    with pytest.raises(lk.PolicyError, match=f"membership: {message}"):
        MembershipAttack(**given_)


def test_thresholds_are_exact():
    # One of three is not .3333333333333334.
    data = s4_microdata()
    publication, _, _ = publish(IdentityReservedForm(), data, [0] * 10)
    # Everybody in one class; three have hypertension: of whom it is known of Jane, diabetes is one of three.
    exact = {MembershipAttack(threshold="1/3", seed=s).run(publication, data).success for s in range(12)}
    above = {
        MembershipAttack(threshold="33333333334/100000000000", seed=s).run(publication, data).success
        for s in range(12)
    }
    assert exact == {1.0}
    assert min(above) < 1
