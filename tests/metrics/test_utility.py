from __future__ import annotations

import pytest
from hypothesis import given, settings
from tests.metrics.examples import MINI, NOTHING, five_points
from tests.metrics.tables import evaluations

from likeness.errors import PolicyError
from likeness.metrics.ncp import Ncp
from likeness.metrics.utility import Utility


def test_charges_withheld_records():
    assert Utility().measure(MINI) == pytest.approx(0.5)
    assert Utility().measure(five_points([0, 0, 0, 0, -1])) == pytest.approx(1 - 2 / 5)
    assert Utility().by_attribute(MINI) == pytest.approx({"age": 0.6, "sex": 0.4})
    assert Utility().measure(NOTHING) == 0


@settings(deadline=None, max_examples=50)
@given(evaluation=evaluations())
def test_is_what_ncp_total_leaves(evaluation):
    for loss in ("ncp", "glm", "iloss"):
        total = Ncp(loss=loss, charge_withheld=True).measure(evaluation)
        assert Utility(loss=loss).measure(evaluation) == 1 - total


def test_unknown_loss():
    with pytest.raises(PolicyError, match="utility: loss must be one of"):
        Utility(loss="dm")
