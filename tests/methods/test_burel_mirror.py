from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.methods.burel_phases import buckets_of
from tests.methods.problems import histograms, number, plain_set, problem, same, table, tree
from tests.oracles import burel as plain

from likeness.methods.burel import Burel
from likeness.methods.burel.buckets import bi_split
from likeness.methods.burel.drawing import first_places
from likeness.methods.spaces import points
from likeness.microdata.data import Microdata
from likeness.microdata.regions import LOSSES
from likeness.models.beta_likeness import BetaLikeness
from likeness.models.k_anonymity import KAnonymity

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from likeness.microdata.domain import Domain

EASY = settings(deadline=None, max_examples=40)
COUNTS = st.lists(st.integers(3, 40), min_size=2, max_size=6)
BLIND = [Burel("paper"), Burel("mirror"), Burel(retrieve="nearest"), Burel("paper", buckets="slack")]


@EASY
@given(counts=COUNTS, seed=st.integers(0, 99), missing=st.booleans())
def test_assembly_as_defined(counts: list[int], seed: int, missing: bool):
    data = table(counts, seed, missing=missing, numbers=9)
    found = Burel("mirror", buckets="fewest", min_size=2).run(problem(data, BetaLikeness(2)))
    if found.withheld:
        return
    buckets = buckets_of(counts, BetaLikeness(2))
    bucket = buckets.of[data.sensitive_codes[0]]
    rank = points(data).rank
    by_rank = {row: place for place, row in enumerate(np.argsort(rank, kind="stable").tolist())}

    def along(j: int) -> Callable[[int], tuple[int, int]]:
        return lambda row: (int(data.codes[j, row]), by_rank[row])

    portions = [np.flatnonzero(bucket == j).tolist() for j in range(len(buckets.values))]
    expected = plain.mirror(
        portions,
        lambda vector: plain.eligible(vector, buckets.limits, 2),
        along,
        lambda rows: sum(spread(domain, data.codes[j, rows].tolist()) for j, domain in enumerate(data.quasi)),
        len(data.quasi),
    )
    classes = [np.flatnonzero(found.classes == label).tolist() for label in range(found.count)]
    assert sorted(classes) == sorted(sorted(rows) for rows in expected)


def spread(domain: Domain, codes: list[int]) -> float:
    """Size-weighted expected loss of two records of three columns, rounded as the kernel rounds: ties decide."""
    if not codes:
        return 0.0
    size, counted, weight = len(codes), Counter(codes), 1 / 3
    if domain.shape != "interval":
        same_value = float(sum(times * times for times in counted.values()))
        return size * (weight * (1.0 - same_value / size / size))
    places = [weight * x for x in LOSSES["ncp"].positions(domain).tolist()]
    before, total = 0, 0.0
    for code in range(min(codes), max(codes)):
        before += counted[code]
        total += min(places[code + 1] - places[code], weight) * before * (size - before)
    return size * (2.0 * total / size / size)


@EASY
@given(COUNTS, st.sampled_from([1, 2, 4]), st.integers(0, 99))
def test_classes_have_the_sizes_of_the_tree(counts: list[int], beta: object, seed: int):
    data = table(counts, seed)
    for slack in (False, True):
        method = Burel("mirror", buckets="slack" if slack else "fewest")
        plan = method.run(problem(data, BetaLikeness(beta)))  # type: ignore[arg-type]
        buckets = buckets_of(counts, BetaLikeness(beta), slack=slack)  # type: ignore[arg-type]
        leaves = bi_split(buckets.sizes, buckets.limits)
        drawn = Counter(
            tuple(sum(counted[code] for code in values) for values in buckets.values)
            for counted in histograms(data, plan)
        )
        expected: Counter[tuple[int, ...]] = Counter()
        for vector, times in zip(leaves.vectors.tolist(), leaves.times.tolist(), strict=True):
            expected[tuple(vector)] += times
        assert drawn == expected


def dealt_anew(data: Microdata, bucket: NDArray[np.int64], seed: int = 1) -> Microdata:
    """The table with the sensitive values of every bucket dealt anew among its records."""
    dealt = data.sensitive_codes.copy()
    rng = np.random.default_rng(seed)
    for j in range(int(bucket.max()) + 1):
        rows = np.flatnonzero(bucket == j)
        dealt[0, rows] = rng.permutation(dealt[0, rows])
    return Microdata(data.quasi, data.codes, data.sensitive, dealt, data.rows)


@pytest.mark.parametrize("method", BLIND, ids=repr)
@settings(deadline=None, max_examples=25)
@given(counts=st.lists(st.integers(5, 40), min_size=3, max_size=7), seed=st.integers(0, 99))
def test_values_may_change_hands_within_a_bucket(method: Burel, counts: list[int], seed: int):
    """What immunity to minimality attacks rests on (Cao & Karras 2012, section 7)."""
    data = table(counts, seed)
    slack = method.setting["buckets"] == "slack"
    bucket = buckets_of(counts, BetaLikeness(2), slack=slack).of[data.sensitive_codes[0]]
    other = dealt_anew(data, bucket, seed)
    one, two = (method.run(problem(x, BetaLikeness(2), KAnonymity(3), seed=seed)) for x in (data, other))
    assert same(one, two)


@pytest.mark.parametrize(
    "method",
    [Burel(), Burel(refine="hilbert"), Burel(refine="mondrian"), Burel("mirror", refine="exchange")],
    ids=repr,
)
def test_the_others_look_at_values(method: Burel):
    data = table([20, 30, 50, 80, 130, 200, 300], numbers=40)
    bucket = buckets_of([20, 30, 50, 80, 130, 200, 300], BetaLikeness(4), slack=method.variant == "mirror").of
    other = dealt_anew(data, bucket[data.sensitive_codes[0]])
    assert not same(*(method.run(problem(x, BetaLikeness(4))) for x in (data, other)))


def test_many_records_of_one_tuple():
    quasi = (number("age", 3), plain_set("sex", 2), tree("work"))
    codes = np.zeros((3, 60), np.int32)
    sick = np.repeat(np.arange(3), 20).astype(np.int32)[None]
    data = Microdata(quasi, codes, (plain_set("s", 3),), sick, np.arange(60))
    plan = Burel("mirror").run(problem(data, BetaLikeness(1)))
    assert plan.count > 5
    assert first_places(plan.classes, points(data), plan.count).tolist() == [0] * plan.count
