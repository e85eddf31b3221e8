from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.methods.sabre_cases import ground, grounds, spans_of
from tests.models.tables import DISEASE_COUNTS, categorical, diseases, numbers
from tests.oracles.sabre import Plain

from likeness.datasets.census import salary_counts
from likeness.methods.sabre import partitions

SALARIES = numbers(list(range(50)))
THRESHOLDS = ("0.05", "0.1", "0.2", "0.8")


@given(st.data())
@settings(deadline=None, max_examples=200)
def test_the_first_partition_is_the_plain_one(data):
    fast, plain = data.draw(grounds())
    t = data.draw(st.fractions(0, 1, max_denominator=20))
    assert next(partitions(fast, t)) == spans_of(plain, plain.buckets(t))


@given(st.data())
@settings(deadline=None, max_examples=50)
def test_every_partition_splits_one_bucket_and_keeps_the_bound(data):
    fast, _ = data.draw(grounds())
    t = data.draw(st.fractions(0, 1, max_denominator=20))
    found = list(partitions(fast, t))
    values = len(fast.counts)
    for spans in found:
        assert sum(map(fast.cost, spans)) <= t * fast.scale * fast.total
        assert [code for a, b in spans for code in range(a, b + 1)] == list(range(values))
    assert found[-1] == [(code, code) for code in range(values)]
    for fewer, more in pairwise(found):
        (split,) = set(fewer) - set(more)
        assert set(more) - set(fewer) == set(fast.split(split))


def test_the_papers_diseases():
    fast = ground(DISEASE_COUNTS, diseases(), "hierarchical")
    assert next(partitions(fast, Fraction(14, 19))) == [(0, 5)]
    assert next(partitions(fast, Fraction(7, 19))) == [(0, 2), (3, 5)]
    # Splitting the circulatory diseases, 4/19, lowers the sum more than the nervous ones, 3/19.
    assert next(partitions(fast, Fraction(6, 19))) == [(0, 2), (3, 3), (4, 4), (5, 5)]
    assert next(partitions(fast, Fraction(0))) == [(code, code) for code in range(6)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bound", "sizes"), [("exact", [9, 6, 3, 1]), ("tight", [9, 6, 3, 1]), ("plain", [12, 8, 4, 2])]
)
def test_salaries_of_census(bound, sizes):
    counts = salary_counts(500_000).tolist()
    found = [next(partitions(ground(counts, SALARIES, "ordered", bound), Fraction(t))) for t in THRESHOLDS]
    assert list(map(len, found)) == sizes
    plain = Plain(counts, SALARIES, "ordered", bound)
    assert found[2] == spans_of(plain, plain.buckets(Fraction("0.2")))


def test_equal_distances_give_one_bucket_or_one_per_value():
    fast = ground([5, 3, 2], categorical(3), "equal")
    assert list(partitions(fast, Fraction(7, 10))) == [[(0, 0), (1, 1), (2, 2)]]
    assert next(partitions(fast, Fraction(8, 10))) == [(0, 2)]


@pytest.mark.slow
def test_fifty_thousand_values_are_split_at_once():
    line = ground([1, 2] * 25_000, numbers(list(range(50_000))), "ordered")
    assert len(next(partitions(line, Fraction(1, 100)))) < 100
    assert len(next(partitions(line, Fraction(0)))) == 50_000
