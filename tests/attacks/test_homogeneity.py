"""Homogeneity: the most frequent value among everybody's candidates."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.attacks.releases import RECORD_FORMS, attacked
from tests.forms.publications import integers, publish, table, words
from tests.identity_reserved import S4_TABLE3, S4_TABLE4, s4_classes, s4_microdata
from tests.oracles.attacks_guessing import PlainRelease, first_best
from tests.oracles.attacks_individuals import PlainPeople, mean

import likeness as lk
from likeness.attacks.homogeneity import HomogeneityAttack
from likeness.forms.anatomized import AnatomizedForm
from likeness.forms.generalized import GeneralizedForm
from likeness.forms.identity_reserved import IdentityReservedForm

AGE = integers("age", [20, 25, 30, 60])
DISEASE = words("disease", ["cold", "flu", "hiv"])
SIX = table([(AGE, [0, 1, 2, 3, 3, 2])], [(DISEASE, [0, 0, 1, 2, 2, 2])])


@pytest.mark.parametrize("form", RECORD_FORMS)
@given(draw=st.data())
@settings(deadline=None, max_examples=25)
def test_figures_are_those_of_every_target_by_hand(form, draw):
    found = draw.draw(attacked(form))
    plain = PlainRelease(form, found.data, found.plan)
    right, certain, certainly, confidence = 0, 0, 0, []
    for target, truth in zip(plain.targets, plain.truth, strict=True):
        belief = plain.posterior(target)
        guess = first_best(belief, plain.likeliest)
        hit = plain.prior[guess] > 0 and guess == truth
        right += hit
        certain += 1 in belief.values()
        certainly += 1 in belief.values() and hit
        total = max(1, len(plain.kept_values))
        confidence.append(belief.get(guess, Fraction(plain.prior[guess], total)))
    result = HomogeneityAttack().run(found.publication, found.data)
    n = found.data.size
    assert result.success == right / n
    assert result.details["certain"] == certain / n
    assert result.details["certain_and_right"] == certainly / n
    assert result.details["max_confidence"] == pytest.approx(float(max(confidence)))
    assert result.details["mean_confidence"] == pytest.approx(float(sum(confidence)) / n)
    assert result.details["unmatched"] == sum(not plain.candidates(t) for t in plain.targets) / n


def most_of(counts: dict[int, int], otherwise: int) -> int:
    """The first of the most frequent values."""
    top = max(counts.values(), default=0)
    return min((v for v, n in counts.items() if n == top), default=otherwise)


@settings(deadline=None, max_examples=40)
@given(found=attacked("identity-reserved"))
def test_linked_people_are_counted(found):
    plain, values = PlainPeople(found.data, found.plan), range(4)
    usual = most_of({v: sum(v in plain.sets[p] for p in plain.published) for v in values}, -1)
    prior = plain.belief(plain.published, usual)
    right, known, half, all_, confidence, beliefs = 0, 0, 0, 0, [], []
    for target in plain.everybody:
        fit, truths = plain.release(target), plain.sets[target]
        counts = {v: sum(v in plain.sets[p] for p in fit) for v in values}
        guess = most_of(counts, usual) if fit else usual
        right += plain.published != [] and guess in truths
        confidence.append(Fraction(counts[guess], len(fit)) if fit else prior)
        own = [plain.belief(fit, v) for v in truths]
        beliefs.append(mean(own))
        half += max(own) >= Fraction(1, 2)
        all_ += max(own) == 1
        known += bool(fit) and confidence[-1] == 1
    result = HomogeneityAttack().run(found.publication, found.data)
    n = len(plain.everybody)
    assert result.success == right / n
    everywhere = {v: sum(v in plain.sets[p] for p in plain.everybody) for v in values}
    assert result.baseline == sum(most_of(everywhere, 0) in plain.sets[p] for p in plain.everybody) / n
    assert result.details["certain"] == known / n
    assert result.details["mean_confidence"] == pytest.approx(float(mean(confidence)))
    assert result.details["max_confidence"] == pytest.approx(float(max(confidence)))
    assert result.details["half"] == half / n
    assert result.details["disclosed"] == all_ / n
    assert result.details["mean_belief"] == pytest.approx(float(mean(beliefs)))
    drawn = Fraction(0)
    for number in plain.cells:
        members = [plain.sets[p] for p in plain.published if plain.class_of[p] == number]
        counts = [sum(v in own for own in members) for v in values]
        drawn += Fraction(sum(c * c for c in counts), sum(counts))
        assert result.details["max_share"] >= max(counts) / len(members)
    assert result.details["random_world"] == pytest.approx(float(drawn / max(1, len(plain.published))))
    assert set(result.details) <= {*HomogeneityAttack.explained, "targets"}


@settings(deadline=None, max_examples=40)
@given(found=attacked("generalized", several=True))
def test_of_records_that_are_not_linked_records_are_counted(found):
    plain, values = PlainPeople(found.data, found.plan), range(4)
    truth = found.data.sensitive_codes[0].tolist()
    rows = [i for p in plain.published for i in plain.records[p]]
    usual = most_of({v: sum(truth[i] == v for i in rows) for v in values}, -1) if rows else -1
    right = 0
    for target in plain.everybody:
        fit = plain.rows(target)
        guess = most_of({v: sum(truth[i] == v for i in fit) for v in values}, usual) if fit else usual
        right += guess in plain.sets[target]
    result = HomogeneityAttack().run(found.publication, found.data)
    assert result.success == right / len(plain.everybody)
    assert "half" not in result.details
    assert set(result.details) <= {*HomogeneityAttack.explained, "targets"}


@pytest.mark.parametrize(("classes", "half", "disclosed"), [(S4_TABLE3, 3, 3), (S4_TABLE4, 2, 0)])
def test_the_example_of_the_paper(classes, half, disclosed):
    # Table 3: Mike, Tim and Jane all have hypertension. Table 4: in {Mike, Lily, Tim, Tina} two have.
    data = s4_microdata(trees=classes is S4_TABLE3)
    publication, _, _ = publish(IdentityReservedForm(), data, s4_classes(classes))
    found = HomogeneityAttack().run(publication, data)
    assert found.details["half"] == pytest.approx(half / 7)
    assert found.details["disclosed"] == pytest.approx(disclosed / 7)
    assert found.details["max_confidence"] == (1.0 if disclosed else 0.5)
    # Hypertension for everybody is right of three.
    assert found.baseline == pytest.approx(3 / 7)


def test_a_class_of_one_value_gives_it_away():
    publication, _, _ = publish(GeneralizedForm(), SIX, [0, 0, 0, 1, 1, 1])
    found = HomogeneityAttack().run(publication, SIX)
    # [20, 30]: cold, cold, flu; [30, 60]: hiv three times. Those of 30 are in both: hiv 3 of 6.
    assert found.success == pytest.approx(5 / 6)
    assert found.baseline == 0.5
    assert found.gain == pytest.approx(1 / 3)
    assert found.details == {
        "max_confidence": 1.0, "mean_confidence": pytest.approx((2 * 2 / 3 + 2 * 1 / 2 + 2 * 1) / 6),
        "certain": pytest.approx(2 / 6), "certain_and_right": pytest.approx(2 / 6), "max_share": 1.0,
        "random_world": pytest.approx((5 / 3 + 3) / 6), "unmatched": 0.0, "targets": 6.0,
    }  # fmt: skip
    assert set(found.details) <= {*HomogeneityAttack.explained, "targets"}


def test_a_bucket_of_one_value_gives_it_away():
    publication, _, _ = publish(AnatomizedForm(), SIX, [0, 0, 0, 1, 1, 1])
    found = HomogeneityAttack().run(publication, SIX)
    # One of 30 is in each bucket: cold 1/3, flu 1/6, hiv 1/2.
    assert found.success == pytest.approx(5 / 6)
    assert found.details["certain"] == pytest.approx(2 / 6)


def test_an_empty_release_leaves_the_baseline_unreached():
    publication, _, _ = publish(GeneralizedForm(), SIX, [-1] * 6)
    found = HomogeneityAttack().run(publication, SIX)
    assert (found.success, found.baseline) == (0.0, 0.5)
    assert found.details["unmatched"] == 1.0


def test_several_sensitive_columns():
    job = words("job", ["clerk", "nurse"])
    data = table([(AGE, [0, 0, 3, 3])], [(DISEASE, [0, 1, 0, 1]), (job, [0, 0, 1, 1])])
    publication, _, _ = publish(GeneralizedForm(), data, [0, 0, 1, 1])
    found = HomogeneityAttack().run(publication, data)
    assert "'job'" in found.meaning
    assert (found.success, found.baseline) == (1.0, 0.5)
    assert found.details["success:disease"] == 0.5
    assert found.details["success:job"] == 1.0
    one = HomogeneityAttack(sensitive="disease").run(publication, data)
    assert (one.success, "success:disease" in one.details) == (0.5, False)
    with pytest.raises(lk.PolicyError, match=r"homogeneity: 'jib' is not a sensitive column .*'job'"):
        HomogeneityAttack(sensitive="jib").run(publication, data)


def test_without_a_sensitive_column_there_is_nothing_to_guess():
    data = table([(AGE, [0, 0, 3, 3])], [])
    publication, _, _ = publish(GeneralizedForm(), data, [0, 0, 1, 1])
    assert HomogeneityAttack().refusal(publication, data) == (
        "homogeneity: the release has no sensitive column to guess"
    )
    with pytest.raises(lk.PolicyError, match="no sensitive column"):
        HomogeneityAttack().run(publication, data)


def test_drawn_targets():
    publication, _, _ = publish(GeneralizedForm(), SIX, [0, 0, 0, 1, 1, 1])
    found = [HomogeneityAttack(targets=2, seed=seed).run(publication, SIX) for seed in (0, 0, *range(1, 9))]
    assert found[0] == found[1]
    assert len({one.success for one in found}) > 1
    assert all(one.details["targets"] == 2 for one in found)
    assert HomogeneityAttack(targets=99).run(publication, SIX) == HomogeneityAttack().run(publication, SIX)


def test_many_targets_of_one_beginning():
    """The kernel then adds up ranges instead of trying every class for every target."""
    rng = np.random.default_rng(4)
    n = 300
    age, sex = integers("age", list(range(90))), words("sex", ["f", "m"])
    data = table(
        [(age, rng.integers(0, 90, n).tolist()), (sex, rng.integers(0, 2, n).tolist())],
        [(DISEASE, rng.integers(0, 3, n).tolist())],
    )
    classes = (data.codes[0] // 9 + rng.integers(0, 3, n)).tolist()
    publication, _, made = publish(GeneralizedForm(), data, classes)
    plain = PlainRelease("generalized", data, made)
    right = sum(
        first_best(plain.posterior(target), 0) == truth
        for target, truth in zip(plain.targets, plain.truth, strict=True)
    )
    assert HomogeneityAttack().run(publication, data).success == right / n
