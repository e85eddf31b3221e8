"""DAnonyIR's kernels against plain loops: who is nearest, which class is, and whether the class that grows holds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.methods.people import asked, people
from tests.oracles import danonyir as oracle

from likeness import registry
from likeness.methods.danonyir.kernels.counts import (
    REASONING,
    SEARCHES,
    clear,
    count_individual,
    holds,
    tally,
)
from likeness.methods.danonyir.kernels.hulls import (
    apart,
    copy_hull,
    fill_parts,
    nearest_class,
    nearest_individual,
    remove,
    widen,
)
from likeness.methods.danonyir.kernels.search import hulls
from likeness.methods.danonyir.run import lay_out_limits
from likeness.methods.danonyir.space import lay_out_space, whole_losses
from likeness.microdata.domain import Domain

MOST = np.int64(1 << 62)


@given(seed=st.integers(0, 10_000), size=st.integers(3, 40), joined=st.integers(1, 4), gone=st.integers(0, 6))
@settings(deadline=None, max_examples=30)
def test_the_nearest_individual_is_the_first_of_the_nearest(seed, size, joined, gone):
    data = people(seed, size, differ=0.2, alike=8)
    space, losses, sides = lay_out_space(data), oracle.Exact(data), oracle.individuals(data)
    rng = np.random.default_rng(seed)
    taken = rng.permutation(size)[: min(size - 1, joined + gone)].tolist()
    own = hulls(1, len(data.quasi), space.profiles.bits.shape[1], np.int64)
    members = taken[:joined]
    side = sides[members[0]]
    copy_hull(own, 0, space.profiles, space.crowd.profile[members[0]])
    for person in taken:
        remove(space.crowd, person)
    for person in members[1:]:
        side = side.with_(sides[person])
        widen(space.geometry, own, 0, space.profiles, space.crowd.profile[person])
    found, distance, looks = nearest_individual(
        space.geometry, space.profiles, space.crowd, own, side.records, True, MOST
    )
    left = [person for person in range(size) if person not in taken]
    best = min((_distance(losses, sides[person], side), person) for person in left)
    assert (distance * losses.denominator, found) == (best[0] * int(space.scale), best[1])
    assert looks > 0


def _distance(losses, a, b):
    joined = sum(losses.of(a.with_(b).hull))
    return a.records * (joined - sum(losses.of(a.hull))) + b.records * (joined - sum(losses.of(b.hull)))


@given(seed=st.integers(0, 10_000), size=st.integers(3, 30))
@settings(deadline=None, max_examples=20)
def test_the_nearest_class_is_the_first_of_those_nearer(seed, size):
    data = people(seed, size, alike=6)
    space = lay_out_space(data)
    rng = np.random.default_rng(seed)
    d, words = len(data.quasi), space.profiles.bits.shape[1]
    classes, own = hulls(size, d, words, np.int64), hulls(1, d, words, np.int64)
    sizes = rng.integers(0, 4, size)
    for row in range(size):
        copy_hull(classes, row, space.profiles, space.crowd.profile[row])
    copy_hull(own, 0, space.profiles, space.crowd.profile[0])
    least = np.zeros(size, np.int64)
    order = space.crowd.attributes
    for step in range(3):
        far = [int(apart(space.geometry, order, own, 0, 2, classes, row, sizes[row])) for row in range(size)]
        there = [row for row in range(size) if sizes[row] > 0]
        best = min(((far[row], row) for row in there), default=(int(MOST), -1))
        assert nearest_class(space.geometry, order, classes, sizes, size, least, own, 2, MOST) == best[1]
        # It must be nearer than what is to be beaten, and bounds from narrower hulls stay good.
        assert nearest_class(space.geometry, order, classes, sizes, size, least, own, 2, best[0]) == -1
        widen(space.geometry, own, 0, space.profiles, space.crowd.profile[(step + 1) % size])


@pytest.mark.slow
@pytest.mark.parametrize(
    "asks",
    [
        ("eir-l-diversity", 3),
        ("eir-l-diversity", 1),
        ("ir-kl-anonymity", 3, 4),
        ("ir-alpha-beta-anonymity", "0.3", "0.35"),
        ("eir-alpha-beta-anonymity", "0.3", "0.5"),
    ],
    ids=str,
)
@given(seed=st.integers(0, 10_000), size=st.integers(1, 25), most=st.integers(1, 5))
@settings(deadline=None, max_examples=25)
def test_counting_decides_as_the_proof_does(asks, seed, size, most):
    data = people(seed, size, most=most)
    problem = asked(data, [registry.load("models", asks[0])(*asks[1:])])
    laid = lay_out_limits(problem)
    room = tally(size, laid.values, laid.width, max(0, int(laid.limits[REASONING]) - 1))
    records = np.bincount(data.members.of, minlength=size).astype(np.int64)
    for _ in range(2):
        clear(room)
        for person in np.random.default_rng(seed).permutation(size).tolist():
            count_individual(room, laid.sets, records, person)
            one = np.full(size, -1, np.int64)
            one[room.people[: room.numbers[0]]] = 0
            decided = holds(
                room, laid.sets, laid.limits, laid.laid.functions, laid.laid.shape, laid.laid.integers,
                laid.laid.reals,
            )  # fmt: skip
            assert decided == problem.holding(one, 1)[0]
    assert asks[0] == "eir-l-diversity" or room.numbers[SEARCHES] == 0


def test_whole_losses_are_the_papers_fractions():
    age = Domain("age", "integer", np.array([32, 34]), "interval", low=30, high=39)
    place = Domain("x", "real", np.array([0.1, 0.3]), "interval", low=0.1, high=0.7, weight=0.5)
    found, denominator = whole_losses([age, place], 3)
    assert denominator == 18
    assert (found.position[0, 1] - found.position[0, 0]) * 9 == 2 * denominator
    assert found.position[1, :2].tolist() == [0, denominator // 6]
    many = Domain("x", "integer", np.arange(100_001), "interval", low=0, high=100_000)
    assert whole_losses([many], 3) is None


def test_a_hull_loses_what_its_attributes_do():
    data = people(4, 20, differ=0.5)
    space, losses, sides = lay_out_space(data), oracle.Exact(data), oracle.individuals(data)
    fill_parts(space.geometry, space.profiles)
    for person, side in enumerate(sides):
        parts = space.profiles.parts[space.crowd.profile[person]]
        assert (parts * losses.denominator).tolist() == [
            part * int(space.scale) for part in losses.of(side.hull)
        ]


def test_the_papers_examples_of_losses():
    ages = Domain("age", "integer", np.arange(30, 40), "interval", low=30, high=39)
    codes = np.array(["10070", "10073", "10076", "10077", "10085", "10086", "10087"], object)
    found, denominator = whole_losses([ages, Domain("postcode", "categorical", codes, "set")], 10)
    # Age 32 as [30, 34]; a postcode as any of the four that begin with 1007.
    assert (found.position[0, 4] - found.position[0, 0]) * 9 == 4 * denominator
    assert found.set_loss[1, 4] * 2 == denominator
