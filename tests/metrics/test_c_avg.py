from __future__ import annotations

import pytest
from tests.metrics.examples import MINI, NOTHING

from likeness.errors import PolicyError
from likeness.metrics.c_avg import CAvg
from likeness.metrics.mini_table import mini_table


def test_mini_table():
    assert CAvg(k=2).measure(MINI) == 1.25


def test_divides_by_the_k_that_was_asked_for():
    # The classes have 2 and 3 records: the k that was reached is 2.
    assert CAvg(k=1).measure(MINI) == 2.5


def test_withheld_records_count():
    assert CAvg(k=2).measure(mini_table(withheld=2)) == 2.5
    assert CAvg(k=2).measure(NOTHING) == 2.5


def test_k_must_be_a_whole_number():
    with pytest.raises(PolicyError, match="c-avg: k must be a whole number"):
        CAvg(k=2.5)
