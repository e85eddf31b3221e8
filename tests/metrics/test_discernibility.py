from __future__ import annotations

import pytest
from tests.metrics.examples import MINI, NOTHING

from likeness.errors import PolicyError
from likeness.metrics.discernibility import Discernibility
from likeness.metrics.mini_table import mini_table


def test_mini_table():
    assert Discernibility().measure(MINI) == 13


def test_withheld_records_cost_the_whole_table_each():
    assert Discernibility().measure(mini_table(withheld=2)) == 9 + 2 * 5
    assert Discernibility().measure(NOTHING) == 25


def test_small_classes_count_as_withheld():
    assert Discernibility(k=3).measure(MINI) == 9 + 2 * 5
    assert Discernibility(k=4).measure(MINI) == 25


def test_k_must_be_a_whole_number():
    with pytest.raises(PolicyError, match="discernibility: k must be a whole number of at least 1; got 0"):
        Discernibility(k=0)
