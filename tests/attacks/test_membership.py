"""Membership: what known values reveal, against every person one by one."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.attacks.releases import attacked
from tests.attacks.table_12 import LOOSE, PEOPLE, PUBLISHED
from tests.forms.publications import publish
from tests.identity_reserved import S4_TABLE4, s4_classes, s4_microdata
from tests.oracles.attacks_individuals import PlainPeople, mean
from tests.oracles.attacks_knowing import PlainKnowing, credit

import likeness as lk
from likeness.attacks._individuals import draw_known, sets_of
from likeness.attacks.membership import MembershipAttack
from likeness.forms.anatomized import AnatomizedForm
from likeness.forms.angelized import AngelizedForm
from likeness.forms.baseline import BaselineForm
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


@settings(deadline=None, max_examples=40)
@given(draw=st.data(), form=st.sampled_from(["angelized", "anatomized", "generalized"]))
def test_highest_categories_are_those_of_every_target_by_hand(draw, form):
    found = draw.draw(attacked(form, highest=True, rows=8))
    data = found.data
    assume(found.publication.size > 0)
    threshold = draw.draw(st.sampled_from([Fraction(1, 3), 0.5, "2/3", 1]))
    attack = MembershipAttack(
        known=draw.draw(st.integers(1, 3)), threshold=threshold, naive=draw.draw(st.booleans())
    )
    plain = PlainKnowing(form, data, found.plan)
    ranks = data.source.records.sensitive[0].category_of[data.source.records.sensitive_codes[0]]
    shown = {plain.release.truth[i] for i in plain.rows_of}
    figures = {"": plain.candidates, "_in_class": plain.own_class}
    sums = {
        end: dict.fromkeys(("breached", "certain", "guessed", "belief", "open"), Fraction(0))
        for end in figures
    }
    people, usual = [], []
    for person in range(data.size):
        own = ranks[data.source.of == person].tolist()
        if len(set(own)) == 1:
            continue
        people.append(person)
        truth = max(own)
        choices = list(combinations(own, min(attack.known, len(own))))
        for chosen in choices:
            chance = Fraction(1, len(choices))
            least = max(chosen)
            possible = {least} if attack.naive else set(range(least, 3))
            for end, rows in figures.items():
                belief = plain.posterior(rows(person), possible)
                true = {truth} & shown if least < truth else set()
                strongest = max((belief.get(v, Fraction(0)) for v in true), default=Fraction(0))
                own_sums = sums[end]
                own_sums["breached"] += chance * (strongest >= Fraction(threshold) and strongest > 0)
                own_sums["certain"] += chance * (strongest == 1)
                own_sums["guessed"] += chance * credit(belief, true)
                own_sums["belief"] += chance * strongest
                own_sums["open"] += chance * (least < truth)
            overall = Counter(v for v in plain.release.truth if v in possible or v not in shown)
            share = (
                Fraction(overall[truth], max(1, overall.total())) if least < truth and truth in shown else 0
            )
            usual.append(chance * (share >= Fraction(threshold) and share > 0 and truth in possible))
    result = attack.run(found.publication, data, found.making)
    n = max(1, len(people))
    for end, own_sums in sums.items():
        success = result.details["breached_in_class"] if end else result.success
        assert success == pytest.approx(float(own_sums["breached"] / n))
        assert result.details[f"certain{end}"] == pytest.approx(float(own_sums["certain"] / n))
        assert result.details[f"guessed{end}"] == pytest.approx(float(own_sums["guessed"] / n))
        mean_belief = own_sums["belief"] / own_sums["open"] if own_sums["open"] else 0
        assert result.details[f"mean_belief{end}"] == pytest.approx(float(mean_belief))
    assert result.baseline == pytest.approx(float(sum(usual) / n))
    assert result.details["targets"] == len(people)
    assert result.details["of_everybody"] == pytest.approx(result.success * len(people) / data.size)
    assert set(result.details) <= {*MembershipAttack.explained, "targets"}


@settings(deadline=None, max_examples=40)
@given(draw=st.data())
def test_candidates_that_are_known_to_be_the_targets_are_set_aside(draw):
    found = draw.draw(attacked("generalized", several=True))
    assume(found.publication.size > 0)
    threshold = draw.draw(st.sampled_from([Fraction(1, 3), 0.5, 1]))
    attack = MembershipAttack(
        known=draw.draw(st.integers(1, 2)), threshold=threshold, seed=draw.draw(st.integers(0, 9))
    )
    data, plain = found.data, PlainPeople(found.data, found.plan)
    codes = data.sensitive_codes[0].tolist()
    published = {codes[i] for p in plain.published for i in plain.records[p]}
    sets = sets_of(data, 0)
    told = draw_known(sets, attack.known, attack.seed)
    breached, beliefs, guessed = [], [], []
    for i, target in enumerate(plain.everybody):
        own = frozenset(sets.value[told & (sets.of == i)].tolist())
        rest = plain.sets[target] - own
        if not rest:
            continue
        left = Counter(codes[row] for row in plain.rows(target)) - Counter(own)
        share = {v: Fraction(left[v], max(1, left.total())) for v in rest}
        breached.append(max(share.values()) >= Fraction(threshold))
        beliefs.append(sum(share.values()) / len(share))
        guessed.append(credit({v: Fraction(n) for v, n in left.items()}, rest & published))
    result = attack.run(found.publication, data, found.making)
    n = max(1, len(breached))
    assert result.success == sum(breached) / n
    assert result.details["mean_belief"] == pytest.approx(float(sum(beliefs, Fraction(0)) / n))
    assert result.details["guessed"] == pytest.approx(float(sum(guessed, Fraction(0)) / n))
    assert result.details["targets"] == len(breached)
    assert not result.claim


def test_the_papers_own_tables_are_breached():
    publication, _, _ = publish(AngelizedForm(), PUBLISHED, LOOSE)
    found = MembershipAttack().run(publication, PEOPLE)
    # p2 by one of two records, and so p3 and p4: 1.5 of 8, where nobody is without knowledge; p2 with certainty.
    assert found.success * 4 == found.details["of_everybody"] * 8 == 1.5
    assert found.details["without_knowledge"] == 0
    assert found.details["certain"] * 4 == 0.5
    assert found.claim == (
        "Fazal et al. 2023 claim that two tables linked by buckets prevent this attack; it succeeds on 37.5% of the targets; "
        "without the release on 25.0%"
    )
    # Who takes what is published for what they know learns nothing else.
    assert MembershipAttack(naive=True).run(publication, PEOPLE).success == 0


def test_what_is_refused():
    data = s4_microdata()
    publication, _, _ = publish(BaselineForm(), data, s4_classes(S4_TABLE4))
    with pytest.raises(
        lk.PolicyError, match="membership: is defined for anatomized, angelized, generalized, ident"
    ):
        MembershipAttack().run(publication, data)
    publication, _, _ = publish(GeneralizedForm(), data, s4_classes(S4_TABLE4))
    assert MembershipAttack().run(publication, data).details["targets"] == 3
    alone = replace(data, individuals=None)
    with pytest.raises(
        lk.PolicyError, match="membership: everybody has one record here, so that who knows a value"
    ):
        MembershipAttack().run(publication, alone)
    publication, _, _ = publish(AnatomizedForm(), data, s4_classes(S4_TABLE4))
    with pytest.raises(
        lk.PolicyError, match="membership: is defined for two tables where they show one record a"
    ):
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
