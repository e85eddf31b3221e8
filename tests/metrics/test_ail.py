from __future__ import annotations

import pytest
from tests.metrics.examples import MINI, NOTHING, five_points

from likeness.errors import PolicyError
from likeness.metrics.ail import Ail
from likeness.metrics.ncp import Ncp


def test_is_ncp_when_nothing_is_withheld():
    assert Ail().measure(MINI) == pytest.approx(0.5)
    assert Ail(loss="glm").measure(MINI) == Ncp(loss="glm").measure(MINI)


def test_withheld_records_stand_in_the_divisor_only():
    assert Ail().measure(five_points([0, 0, 0, 0, -1])) == pytest.approx(1 / 5)
    assert Ail().measure(NOTHING) == 0


def test_unknown_loss():
    with pytest.raises(PolicyError, match="ail: loss must be one of"):
        Ail(loss="dm")
