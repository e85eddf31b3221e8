"""What holds of every attack there is: a new file in `likeness/attacks` is tested here at once."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from math import isfinite

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.contracts.parts import example
from tests.forms.publications import publish
from tests.metrics.tables import evaluations

from likeness import registry

NAMES = registry.names("attacks")
FORMS = registry.names("forms")
EASY = settings(deadline=None, max_examples=40)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", NAMES)
@given(evaluation=evaluations())
@EASY
def test_success_and_baseline_are_shares(name, form, evaluation):
    publication, _, _ = publish(example("forms", form), evaluation.data, evaluation.plan)
    found = example("attacks", name).run(publication, evaluation.data)
    assert found.attack == name
    assert 0 <= found.success <= 1
    assert 0 <= found.baseline <= 1
    assert found.gain == found.success - found.baseline
    assert found.meaning[0].islower()
    assert not found.meaning.endswith(".")
    assert all(type(value) is float and isfinite(value) for value in found.details.values())
    with pytest.raises(FrozenInstanceError):
        found.success = 0.0


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", NAMES)
@given(draw=st.data())
@EASY
def test_the_same_release_is_attacked_the_same(name, form, draw):
    evaluation = draw.draw(evaluations())
    attack, own = example("attacks", name), example("forms", form)
    results = [
        attack.run(publish(own, evaluation.data, evaluation.plan, seed)[0], evaluation.data)
        for seed in (1, 1)
    ]
    assert results[0] == results[1]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", NAMES)
@given(evaluation=evaluations())
@EASY
def test_attacks_change_nothing(name, form, evaluation):
    data = evaluation.data
    publication, _, _ = publish(example("forms", form), data, evaluation.plan)
    before = data.codes.copy(), data.sensitive_codes.copy(), publication.classes.copy()
    example("attacks", name).run(publication, data)
    for own, now in zip(before, (data.codes, data.sensitive_codes, publication.classes), strict=True):
        assert np.array_equal(own, now)
