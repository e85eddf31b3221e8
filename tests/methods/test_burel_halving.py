from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.methods.burel_phases import phases
from tests.methods.problems import problem, table
from tests.oracles import burel as plain
from tests.oracles.models import beta_likeness

from likeness.methods.burel import Burel
from likeness.methods.spaces import points
from likeness.models.beta_likeness import BetaLikeness

if TYPE_CHECKING:
    from likeness.microdata.data import Microdata

EASY = settings(deadline=None, max_examples=60)


@EASY
@given(st.lists(st.integers(3, 40), min_size=2, max_size=6), st.integers(0, 99))
def test_halving_as_written(counts: list[int], seed: int):
    data = table(counts, seed)
    literal = Burel("paper").run(problem(data, BetaLikeness(2), seed=seed))
    refined = Burel(refine="hilbert").run(problem(data, BetaLikeness(2), seed=seed))
    buckets, _ = phases(counts, 2)
    bucket = buckets.of[data.sensitive_codes[0]]
    rank = points(data).rank
    expected = []
    for label in range(literal.count):
        members = np.flatnonzero(literal.classes == label)
        portions = [
            sorted(members[bucket[members] == j].tolist(), key=lambda row: (rank[row], row))
            for j in range(len(buckets.values))
        ]
        expected += plain.halve(portions, lambda rows: bool(rows) and holds(data, rows, counts))
    found = [np.flatnonzero(refined.classes == label).tolist() for label in range(refined.count)]
    assert sorted(found) == sorted(sorted(rows) for rows in expected)


def holds(data: Microdata, rows: list[int], counts: list[int]) -> bool:
    counted = np.bincount(data.sensitive_codes[0][rows], minlength=len(counts)).tolist()
    return bool(beta_likeness(counted, counts, data.sensitive[0], beta=2))
