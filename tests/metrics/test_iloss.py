from __future__ import annotations

import numpy as np
import pytest
from tests.metrics.examples import MINI, NOTHING, constant, one_column

from likeness.metrics.iloss import Iloss
from likeness.microdata.domain import Domain


def test_integers_count_the_whole_numbers_of_the_domain():
    # 20 to 60 are 41 integers; 20-30 stands for 10 others, 40-60 for 20.
    assert Iloss().by_attribute(MINI) == pytest.approx({"age": (2 * 10 + 3 * 20) / 41 / 5, "sex": 0.3})


def test_reals_count_the_distinct_values():
    real = Domain("dose", "real", np.array([0.5, 0.75, 9.0, 10.0]), "interval", low=0.5, high=10.0)
    assert Iloss().measure(one_column(real, [0, 1, 2, 3], [0, 0, 0, 1])) == pytest.approx(3 / 4 * 2 / 4)


def test_never_reaches_one_for_what_is_published():
    letters = Domain("letter", "categorical", np.array(list("abcd")), "set")
    assert Iloss().measure(one_column(letters, [0, 1, 2, 3], [0, 0, 0, 0])) == 1 - 1 / 4


def test_ends():
    assert Iloss().measure(NOTHING) == 1
    assert Iloss().measure(constant(classes=[0, 0, 0])) == 0
