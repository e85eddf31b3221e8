"""The search is timed from its first step to the first of publishing."""

from __future__ import annotations

import time
from math import isnan

from papers.figures.timing import SearchClock


def test_only_the_search_is_timed():
    clock = SearchClock()
    assert isnan(clock.seconds)
    clock.step("encode", 0, 1)
    clock.step("search", 0, 2)
    time.sleep(0.02)
    clock.step("search", 1, 2)
    clock.step("publish", 0, 1)
    assert clock.seconds >= 0.02
    assert 0 <= clock.processor < clock.seconds


def test_work_takes_processor_time():
    clock = SearchClock()
    clock.step("search", 0, 1)
    sum(i * i for i in range(300_000))
    clock.step("publish", 0, 1)
    assert clock.processor > 0
