from __future__ import annotations

import numpy as np
import pytest
from tests.metrics.examples import LEVELS, NOTHING, constant, one_column

from likeness.metrics.glm import Glm
from likeness.metrics.ncp import Ncp
from likeness.microdata.domain import Domain


def test_other_values_of_the_domain():
    letters = Domain("letter", "categorical", np.array(list("abcde")), "set")
    release = one_column(letters, [0, 1, 2, 3, 4], [0, 0, 1, 1, 1])
    assert Glm().measure(release) == pytest.approx((2 * 1 / 4 + 3 * 2 / 4) / 5)
    assert Ncp().measure(release) == pytest.approx((2 * 2 / 5 + 3 * 3 / 5) / 5)


def test_is_the_glm_form_of_ncp():
    assert Glm().measure(LEVELS) == Ncp(loss="glm").measure(LEVELS)
    assert Glm().by_attribute(LEVELS) == Ncp(loss="glm").by_attribute(LEVELS)


def test_ends():
    assert Glm().measure(NOTHING) == 1
    assert Glm().measure(constant(classes=[0, 0, 0])) == 0
