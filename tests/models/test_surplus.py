"""How many of each value records must lose so that the rest can be one class: the fewest, by brute force."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.models.tables import categorical

from likeness.microdata.statistics import count_classes
from likeness.models.alpha_k_anonymity import AlphaKAnonymity
from likeness.models.base import SensitiveAttribute, SensitiveModel
from likeness.models.distinct_l_diversity import DistinctLDiversity
from likeness.models.entropy_l_diversity import EntropyLDiversity
from likeness.models.kl_diversity import KlDiversity
from likeness.models.recursive_cl_diversity import RecursiveClDiversity
from likeness.models.rho_privacy import RhoPrivacy

SHARES = st.sampled_from(["1/4", "1/3", "2/5", "1/2", "3/5", "4/5"])
MODELS = {
    "alpha-k": st.builds(AlphaKAnonymity, SHARES, st.integers(1, 4)),
    "rho": st.builds(RhoPrivacy, SHARES),
    "kl": st.builds(KlDiversity, st.integers(1, 3), st.integers(1, 3)),
    "recursive": st.builds(
        RecursiveClDiversity, st.sampled_from(["1/2", "1", "3/2", "3"]), st.integers(2, 4)
    ),
    "entropy": st.builds(EntropyLDiversity, st.sampled_from(["1.2", "1.8", "2", "2.5", "3"])),
}


def bound_to(model: SensitiveModel, counts: list[int]) -> Any:
    return model.bind_to(SensitiveAttribute(categorical(len(counts)), np.array(counts, np.int64)))


def is_held(bound: Any, kept: tuple[int, ...]) -> bool:
    there = np.flatnonzero(kept)
    copies = np.array(kept, np.int64)[there]
    stats = count_classes(np.zeros(there.size, np.int64), 1, there, len(kept), copies=copies)
    return bool(bound.holds(stats)[0])


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
@given(data=st.data(), counts=st.lists(st.integers(0, 6), min_size=1, max_size=4))
@settings(deadline=None, max_examples=60)
def test_no_fewer_would_do(model, data, counts):
    made = data.draw(model)
    bound, everybody = bound_to(made, counts), sum(counts)
    surplus = bound.surplus(np.array(counts, np.int64))
    ways = product(*(range(n + 1) for n in counts))
    most = max((sum(kept) for kept in ways if sum(kept) and is_held(bound, kept)), default=0)
    assert int(surplus.sum()) == everybody - most
    assert (surplus >= 0).all()
    if most:
        assert is_held(bound, tuple((np.array(counts) - surplus).tolist()))


def test_large_counts_take_no_longer():
    counts = np.array([600_000_000, 200_000_000, 100_000_000], np.int64)
    surplus = bound_to(RecursiveClDiversity("3/2", 2), counts.tolist()).surplus(counts)
    # r_1 < 3/2 · 300,000,000
    assert surplus.tolist() == [150_000_001, 0, 0]


def test_who_asks_for_different_values_does_not_tell():
    assert bound_to(DistinctLDiversity(2), [5, 1]).surplus(np.array([5, 1])) is None
