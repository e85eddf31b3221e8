"""Skewness: by how much a class raises a rare value's share."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.attacks.releases import RECORD_FORMS, attacked
from tests.forms.publications import integers, publish, table, words
from tests.oracles.attacks_guessing import PlainRelease, first_best

from likeness.attacks.skewness import SkewnessAttack
from likeness.forms.anatomized import AnatomizedForm
from likeness.forms.baseline import BaselineForm
from likeness.forms.generalized import GeneralizedForm

HIV = 9


def paper() -> tuple:
    """10,000 patients, 0.1 % of them with HIV, and a class of ten values that has one of these."""
    age = integers("age", [20, 60])
    disease = words("disease", [f"d{i}" for i in range(9)] + ["hiv"])
    codes = [0] * 10 + [1] * 9990
    sick = [*range(10), *([HIV] * 9), *(i % 9 for i in range(9981))]
    return table([(age, codes)], [(disease, sick)]), codes


@pytest.mark.parametrize("form", [GeneralizedForm(), AnatomizedForm()])
def test_the_papers_example(form):
    """Cao & Karras 2012, section 2: 10 % for a member of the class, 0.1 % overall."""
    data, classes = paper()
    publication, _, _ = publish(form, data, classes)
    found = SkewnessAttack().run(publication, data)
    assert found.success == 0.1
    assert found.baseline == 0.001
    assert found.details["max_ratio"] == 100.0
    # One of ten is guessed to have HIV and has it; elsewhere d0 to d8 gain most, by a hair.
    assert 0 < found.details["guessed"] < 0.2
    assert set(found.details) <= {*SkewnessAttack.explained, "targets"}


def test_the_baseline_form_raises_nothing():
    data, classes = paper()
    publication, _, _ = publish(BaselineForm(), data, classes)
    found = SkewnessAttack().run(publication, data)
    assert found.details["max_ratio"] == 1.0
    assert found.details["max_difference"] == 0.0
    assert found.gain == 0.0


@pytest.mark.parametrize("form", RECORD_FORMS)
@given(draw=st.data())
@settings(deadline=None, max_examples=25)
def test_the_value_that_rises_most_is_guessed(form, draw):
    found = draw.draw(attacked(form))
    plain = PlainRelease(form, found.data, found.plan)
    right = 0
    for target, truth in zip(plain.targets, plain.truth, strict=True):
        belief = plain.posterior(target)
        guess = first_best({v: x / plain.prior[v] for v, x in belief.items()}, plain.likeliest)
        right += plain.prior[guess] > 0 and guess == truth
    result = SkewnessAttack().run(found.publication, found.data)
    assert result.details["guessed"] == right / found.data.size
    if result.details["max_ratio"]:
        assert result.success == pytest.approx(result.baseline * result.details["max_ratio"])
