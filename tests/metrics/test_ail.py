from __future__ import annotations

import pytest
from hypothesis import given
from tests.metrics.examples import MINI, NOTHING, five_points
from tests.metrics.tables import evaluations

from likeness.errors import PolicyError
from likeness.metrics.ail import Ail
from likeness.metrics.base import withheld_weight
from likeness.metrics.ncp import Ncp
from likeness.microdata.regions import LOSSES


def test_is_ncp_when_nothing_is_withheld():
    assert Ail().measure(MINI) == pytest.approx(0.5)
    assert Ail(loss="glm").measure(MINI) == Ncp(loss="glm").measure(MINI)


def test_withheld_records_stand_in_the_divisor_only():
    assert Ail().measure(five_points([0, 0, 0, 0, -1])) == pytest.approx(1 / 5)
    assert Ail().measure(NOTHING) == 0


@given(evaluation=evaluations())
def test_it_has_least_where_the_mean_has_that_charges_withheld_records(evaluation):
    """The two differ by the share that is withheld, so `minimize: ail` is `minimize: ncp`."""
    for loss in LOSSES:
        own = Ail(loss)
        assert own.searched == loss
        assert not own.charges_withheld
        size = evaluation.data.size
        withheld = 1.0 if size == 0 else withheld_weight(evaluation) / size
        assert own.measure(evaluation) + withheld == pytest.approx(
            Ncp(loss, charge_withheld=True).measure(evaluation)
        )


def test_unknown_loss():
    with pytest.raises(PolicyError, match="ail: loss must be one of"):
        Ail(loss="dm")
