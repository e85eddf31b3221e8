"""Non-membership: what values that are ruled out reveal, against every target one by one."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.attacks.releases import attacked
from tests.attacks.table_12 import LOOSE, PEOPLE, PUBLISHED
from tests.forms.publications import publish
from tests.identity_reserved import S4_TABLE4, s4_classes, s4_microdata
from tests.oracles.attacks_individuals import PlainPeople
from tests.oracles.attacks_knowing import PlainKnowing, credit

import likeness as lk
from likeness.attacks import non_membership
from likeness.attacks.non_membership import NonMembershipAttack
from likeness.forms.angelized import AngelizedForm
from likeness.forms.identity_reserved import IdentityReservedForm


@settings(deadline=None, max_examples=40)
@given(draw=st.data(), form=st.sampled_from(["angelized", "anatomized", "generalized"]))
def test_figures_are_those_of_every_target_by_hand(draw, form):
    highest = draw.draw(st.booleans())
    found = draw.draw(attacked(form, highest=highest, rows=8))
    data = found.data
    assume(found.publication.size > 0)
    threshold = draw.draw(st.sampled_from([Fraction(1, 3), 0.5, "2/3", 1]))
    attack = NonMembershipAttack(known=draw.draw(st.sampled_from([1, 2, "all"])), threshold=threshold)
    plain = PlainKnowing(form, data, found.plan)
    values = data.sensitive[0].codes
    if highest:
        records = data.source.records
        ranks = records.sensitive[0].category_of[records.sensitive_codes[0]]
        had = [set(ranks[data.source.of == person].tolist()) for person in range(data.size)]
    else:
        had = [{value} for value in plain.release.truth]
    shown = {plain.release.truth[i] for i in plain.rows_of}
    figures = {"": plain.candidates, "_in_class": plain.own_class}
    sums = {end: dict.fromkeys(("breached", "certain", "guessed", "belief"), Fraction(0)) for end in figures}
    targets = 0
    for person, own in enumerate(had):
        lacking = sorted(set(range(values)) - own)
        if len(lacking) < (1 if attack.known == "all" else attack.known):
            continue
        targets += 1
        truth = plain.release.truth[person]
        choices = list(combinations(lacking, len(lacking) if attack.known == "all" else attack.known))
        for ruled in choices:
            for end, rows in figures.items():
                belief = plain.posterior(rows(person), set(range(values)) - set(ruled))
                share, chance = belief.get(truth, Fraction(0)), Fraction(1, len(choices))
                sums[end]["breached"] += chance * (share >= Fraction(threshold) and share > 0)
                sums[end]["certain"] += chance * (share == 1)
                sums[end]["guessed"] += chance * credit(belief, {truth} & shown)
                sums[end]["belief"] += chance * share
    result = attack.run(found.publication, data, found.making)
    n = max(1, targets)
    for end, own_sums in sums.items():
        success = result.details["breached_in_class"] if end else result.success
        assert success == pytest.approx(float(own_sums["breached"] / n))
        for name, key in (("certain", "certain"), ("guessed", "guessed"), ("mean_belief", "belief")):
            assert result.details[f"{name}{end}"] == pytest.approx(float(own_sums[key] / n))
    assert result.details["targets"] == targets
    assert result.details["standard_error"] == 0
    assert set(result.details) <= {*NonMembershipAttack.explained, "targets"}


@settings(deadline=None, max_examples=20)
@given(draw=st.data())
def test_any_record_of_a_person_is_a_truth_where_records_are_nobodys(draw):
    found = draw.draw(attacked("generalized", several=True))
    assume(found.publication.size > 0)
    data, plain = found.data, PlainPeople(found.data, found.plan)
    codes = data.sensitive_codes[0].tolist()
    breached, targets = 0, 0
    for target in plain.everybody:
        own = plain.sets[target]
        if len(own) == data.sensitive[0].codes:
            continue
        targets += 1
        left = [codes[row] for row in plain.rows(target) if codes[row] in own]
        breached += any(4 * left.count(v) >= 3 * len(left) for v in set(left))
    result = NonMembershipAttack(known="all", threshold=0.75).run(found.publication, data, found.making)
    assert result.success == breached / max(1, targets)


def test_the_papers_own_tables_are_breached():
    publication, _, _ = publish(AngelizedForm(), PUBLISHED, LOOSE)
    found = NonMembershipAttack(known="all").run(publication, PEOPLE)
    # p1 and p4 are believed by half, the six others with certainty.
    assert (found.success, found.details["certain"]) == (1, 6 / 8)
    assert found.details["mean_belief"] == 7 / 8
    assert found.details["mean_belief_without"] == pytest.approx(79 / 288)
    assert "it succeeds on 100.0% of the targets; without the release on 87.5%" in found.claim


@pytest.mark.slow
def test_one_choice_is_drawn_where_there_are_many(monkeypatch):
    publication, _, _ = publish(AngelizedForm(), PUBLISHED, LOOSE)
    for known in (1, 2):
        exact = NonMembershipAttack(known=known, threshold="2/5").run(publication, PEOPLE)
        monkeypatch.setattr(non_membership, "_MOST_SETS", 0)
        drawn = [
            NonMembershipAttack(known=known, threshold="2/5", seed=seed).run(publication, PEOPLE)
            for seed in (0, 0, *range(1, 400))
        ]
        monkeypatch.undo()
        assert drawn[0] == drawn[1]
        assert 0 < drawn[0].details["standard_error"] < 0.2
        for name in ("certain", "guessed", "mean_belief"):
            assert np.mean([own.details[name] for own in drawn]) == pytest.approx(
                exact.details[name], abs=0.02
            )
        assert np.mean([own.success for own in drawn]) == pytest.approx(exact.success, abs=0.02)


def test_nobody_is_a_target_who_has_too_many_values():
    publication, _, _ = publish(AngelizedForm(), PUBLISHED, LOOSE)
    # The first four have two categories of five, the others one.
    for known, targets in ((3, 8), (4, 4), (5, 0)):
        found = NonMembershipAttack(known=known).run(publication, PEOPLE)
        assert found.details["targets"] == targets
    assert (found.success, found.baseline, found.claim) == (0, 0, "")


def test_what_is_refused():
    data = s4_microdata()
    publication, _, _ = publish(IdentityReservedForm(), data, s4_classes(S4_TABLE4))
    with pytest.raises(
        lk.PolicyError, match="non-membership: is defined for anatomized, angelized, generalized"
    ):
        NonMembershipAttack().run(publication, data)


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        ({"known": 0}, "known must be a whole number"),
        ({"known": "some"}, "known must be a whole number"),
        ({"targets": 0}, "targets must be a whole number"),
        ({"threshold": 0}, "threshold must be a number above 0 and at most 1"),
    ],
)
def test_parameters_out_of_range(given_, message):
    with pytest.raises(lk.PolicyError, match=f"non-membership: {message}"):
        NonMembershipAttack(**given_)
