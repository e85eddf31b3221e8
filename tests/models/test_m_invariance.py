"""m-invariance: m different values, none of them twice."""

from __future__ import annotations

import pytest
from tests.models.tables import bind, count

from likeness.models.m_invariance import MInvariance


@pytest.mark.parametrize(
    ("counts", "m", "holds", "strongest"),
    [
        ([1, 1, 1, 0], 3, True, 3),
        ([1, 1, 1, 1], 3, True, 4),
        ([1, 1, 0, 0], 3, False, 2),
        ([2, 1, 1, 0], 3, False, 0),
        ([2, 1, 1, 0], 1, False, 0),
    ],
)
def test_no_value_is_there_twice(counts, m, holds, strongest):
    bound, stats = bind(MInvariance(m), counts), count([counts])
    assert bound.holds(stats).tolist() == [holds]
    assert bound.strongest(stats).values == {"m": strongest}


def test_it_says_what_is_kept_over_releases():
    assert MInvariance(4).signature_size == 4
    assert MInvariance(3).in_plain_words == (
        "Every group has at least 3 different values, and no two people of a group have the same."
    )
