from __future__ import annotations

from fractions import Fraction
from math import log

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.methods.burel_phases import buckets_of
from tests.methods.problems import plain_set
from tests.oracles import burel as plain

from likeness.datasets.census import salary_counts
from likeness.exact import Real
from likeness.methods.burel.buckets import dp_partition, largest_count, slack_partition
from likeness.models.base import SensitiveAttribute
from likeness.models.beta_likeness import BetaLikeness

EASY = settings(deadline=None, max_examples=60)
COUNTS = st.lists(st.integers(1, 30), min_size=1, max_size=9)
BETAS = st.sampled_from(["1/2", 1, 2, 4])


@EASY
@given(COUNTS, BETAS, st.booleans())
def test_one_pass_finds_what_the_recursion_finds(counts: list[int], beta: object, strict: bool):
    model = BetaLikeness(beta)  # type: ignore[arg-type]
    buckets = buckets_of(counts, model, strict=strict)
    order = sorted(range(len(counts)), key=lambda code: (counts[code], code))
    attribute = SensitiveAttribute(plain_set("disease", len(counts)), np.array(counts))
    limits = model.bind(attribute).upper_limits  # type: ignore[attr-defined]
    ascending, limits = [counts[code] for code in order], [limits[code] for code in order]
    segments = plain.dp_partition(ascending, limits, strict=strict)
    assert buckets.values == [order[begin:end] for begin, end in segments]
    assert buckets.sizes.tolist() == [sum(ascending[begin:end]) for begin, end in segments]
    assert [buckets.of[code] for code in order] == [
        j for j, (begin, end) in enumerate(segments) for _ in range(begin, end)
    ]
    if not strict:
        assert len(segments) == plain.fewest_buckets(ascending, limits)


@EASY
@given(COUNTS, st.lists(st.fractions(0, 1, max_denominator=9), min_size=9, max_size=9), st.booleans())
def test_other_bounds(counts: list[int], bounds: list[Fraction], strict: bool):
    """Any nondecreasing limits, also ties between them."""
    ascending = sorted(counts)
    limits = [Real.of(limit) for limit in sorted(bounds)[: len(counts)]]
    most = [largest_count(limit, sum(counts), strict=strict) for limit in limits]
    segments = dp_partition(np.array(ascending), np.array(most))
    assert segments == plain.dp_partition(ascending, limits, strict=strict)


def test_values_that_do_not_occur_are_in_no_bucket():
    buckets = buckets_of([0, 3, 0, 4], BetaLikeness(1))
    assert sorted(code for values in buckets.values for code in values) == [1, 3]
    assert buckets.of.tolist()[0] == buckets.of.tolist()[2] == -1


def test_irrational_limits_count_exactly():
    # f(1/4) = (1 + ln 4) / 4 = .59657…
    attribute = SensitiveAttribute(plain_set("disease", 2), np.array([1, 3]))
    limit = BetaLikeness(9).bind(attribute).upper_limits[0]  # type: ignore[attr-defined]
    expected = (1 + log(4)) / 4
    for total in (1, 7, 10**6, 10**9):
        assert largest_count(limit, total) == int(expected * total)
        assert largest_count(limit, total, strict=True) == int(expected * total)


def test_many_values():
    counts = np.random.default_rng(1).integers(1, 40, 50_000)
    buckets = buckets_of(counts.tolist(), BetaLikeness(4))
    assert sum(len(values) for values in buckets.values) == 50_000
    shares = buckets.sizes / counts.sum()
    assert all(share <= float(limit) for share, limit in zip(shares, buckets.limits, strict=True))
    assert len(buckets.values) < 50_000 / 4


@EASY
@given(COUNTS, st.lists(st.integers(1, 120), min_size=9, max_size=9))
def test_slack_buckets_have_the_most_room(counts: list[int], bounds: list[int]):
    ascending, most = sorted(counts), sorted(bounds)[: len(counts)]
    segments = slack_partition(np.array(ascending), np.array(most))
    fewest = dp_partition(np.array(ascending), np.array(most))
    allowed = -(-13 * len(fewest) // 10)
    assert len(segments) <= allowed
    assert [begin for begin, _ in segments] == [0, *(end for _, end in segments[:-1])]
    assert segments[-1][1] == len(counts)
    for begin, end in segments:
        assert end == begin + 1 or sum(ascending[begin:end]) <= most[begin]
    best = plain.most_room(ascending, most, allowed)
    found = plain.smallest_room(ascending, most, segments)
    # Only where singles are enough is there no smallest room.
    assert found == best or (best > 1 and abs(float(found / best) - 1) < 1e-6) or best >= found >= max(most)


def test_slack_buckets_on_salaries():
    counts = sorted(salary_counts(100_000).tolist())
    made = {slack: buckets_of(counts, BetaLikeness(4), slack=slack) for slack in (False, True)}
    assert [len(made[slack].values) for slack in (False, True)] == [13, 17]
    room = {
        slack: min(
            float(limit) * sum(counts) / size
            for limit, size in zip(own.limits, own.sizes.tolist(), strict=True)
        )
        for slack, own in made.items()
    }
    assert room[False] < 1.03
    assert room[True] > 1.2
