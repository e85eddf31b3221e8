from __future__ import annotations

from tests.metrics.examples import MINI, NOTHING, constant

from likeness.metrics.average_class_size import AverageClassSize
from likeness.metrics.mini_table import mini_table


def test_published_records_per_class():
    assert AverageClassSize().measure(MINI) == 2.5
    assert AverageClassSize().measure(mini_table(withheld=1)) == 2
    assert AverageClassSize().measure(mini_table(withheld=2)) == 3


def test_classes_that_look_alike_are_one():
    assert AverageClassSize().measure(constant(classes=[0, 1, 2])) == 3


def test_nothing_published_is_the_worst():
    assert AverageClassSize().measure(NOTHING) == 5
