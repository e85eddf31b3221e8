from __future__ import annotations

import pytest
from hypothesis import given, settings
from tests.metrics.examples import MINI, NOTHING, five_points
from tests.metrics.tables import evaluations

from likeness.errors import PolicyError
from likeness.metrics.gcp import Gcp
from likeness.metrics.ncp import Ncp


def test_points():
    assert Gcp().measure(five_points([0, 0, 0, 0, -1])) == 1.0
    assert Gcp().measure(five_points([0] * 5)) == 5.0
    assert Gcp().measure(five_points([-1] * 5)) == 0.0


def test_mini_table():
    assert Gcp().measure(MINI) == pytest.approx(2.5)
    assert Gcp(normalised=True).measure(MINI) == pytest.approx(0.5)


def test_nothing_published():
    assert Gcp().measure(NOTHING) == 0
    assert Gcp(normalised=True).measure(NOTHING) == 1


@settings(deadline=None, max_examples=50)
@given(evaluation=evaluations())
def test_normalised_is_ncp(evaluation):
    for loss in ("ncp", "glm", "iloss"):
        assert Gcp(loss=loss, normalised=True).measure(evaluation) == Ncp(loss=loss).measure(evaluation)


def test_unknown_loss():
    with pytest.raises(PolicyError, match="gcp: loss must be one of"):
        Gcp(loss="dm")
