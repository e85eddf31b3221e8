"""The Hilbert index-based algorithm: equal to the letter; what a steward sees."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.methods.problems import problem, table
from tests.methods.test_k_anonymity_primacy import COLUMNS, holding
from tests.methods.test_k_anonymity_primacy import table as ill

import likeness as lk
from likeness.methods.hilbert_index import HilbertIndex
from likeness.methods.spaces import points

EASY = settings(deadline=None, max_examples=60)


def asked_of(seed: int, k: int):
    rng = np.random.default_rng(seed)
    data = table(rng.integers(1, 12, 4).tolist(), seed)
    return problem(data, lk.KAnonymity(k), lk.TCloseness("0.25", distance="equal"))


def along_curve(data) -> list[int]:
    rank = points(data).rank
    return sorted(range(data.size), key=lambda record: (rank[record], record))


@given(seed=st.integers(0, 10_000), k=st.integers(1, 5), window=st.sampled_from([None, 1, 3, 8]))
@EASY
def test_greedy_is_the_letter(seed, k, window):
    asked = asked_of(seed, k)
    holds, left = holding(asked), along_curve(asked.data)
    expected = []
    while len(left) >= k:
        group: list[int] = []
        for x in left[: window or 40 * k]:
            group.append(x)
            if len(group) >= k and holds(group):
                expected.append(sorted(group))
                left = [record for record in left if record not in group]
                break
        else:
            left = left[1:]
    plan = HilbertIndex(window=window).run(asked)
    assert [np.flatnonzero(plan.classes == i).tolist() for i in range(plan.count)] == expected
    assert plan.withheld == asked.data.size - sum(map(len, expected)) == sum(plan.because.values())


@given(seed=st.integers(0, 10_000), k=st.integers(1, 5))
@EASY
def test_chunks_are_the_letter(seed, k):
    asked = asked_of(seed, k)
    holds, left = holding(asked), along_curve(asked.data)
    expected = []
    while left:
        sizes = range(k, min(2 * k, len(left)) + 1)
        found = next((size for size in sizes if holds(left[:size])), None)
        if found is not None:
            expected.append(sorted(left[:found]))
        left = left[found or 2 * k :]
    plan = HilbertIndex(mode="chunk").run(asked)
    assert [np.flatnonzero(plan.classes == i).tolist() for i in range(plan.count)] == expected


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["greedy", "chunk"])
@pytest.mark.parametrize("odds", [None, 3])
def test_a_release_against_what_is_known(mode, odds):
    policy = lk.Policy(
        columns=COLUMNS,
        privacy=lk.KAnonymity(3) & lk.TCloseness("0.5") & lk.JsBackground("0.3", odds=odds),
        method=HilbertIndex(mode=mode),
        knowledge={"kernel": {"bandwidth": 0.3}},
        withhold={"at_most": 1},
    )
    release = lk.anonymize(ill(300), policy, seed=1)
    assert release.verify().ok
    assert release.counts["published"] >= 150


@pytest.mark.parametrize(
    ("given_", "message"), [({"mode": "fast"}, "mode must be"), ({"window": 0}, "window must be")]
)
def test_bad_parameters_say_what_they_must_be(given_, message):
    with pytest.raises(lk.PolicyError, match=f"hilbert-index: {message}"):
        HilbertIndex(**given_)
