"""Homogeneity: the most frequent value among everybody's candidates."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.attacks.releases import attacked
from tests.forms.publications import integers, publish, table, words
from tests.oracles.attacks_guessing import PlainRelease, first_best

import likeness as lk
from likeness import registry
from likeness.attacks.homogeneity import HomogeneityAttack
from likeness.forms.anatomized import AnatomizedForm
from likeness.forms.generalized import GeneralizedForm

AGE = integers("age", [20, 25, 30, 60])
DISEASE = words("disease", ["cold", "flu", "hiv"])
SIX = table([(AGE, [0, 1, 2, 3, 3, 2])], [(DISEASE, [0, 0, 1, 2, 2, 2])])


@pytest.mark.parametrize("form", registry.names("forms"))
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
