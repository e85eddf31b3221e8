from __future__ import annotations

from fractions import Fraction
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.methods.sabre_cases import draws, ground, grounds, spans_of
from tests.models.tables import DISEASE_COUNTS, DISEASES, bind, count, diseases, hierarchical, numbers, tree
from tests.oracles.models import earth_movers_distance

from likeness.methods.sabre.ground import BOUNDS, Ground, Span
from likeness.models.t_closeness import TCloseness

THRESHOLDS = st.fractions(0, 1, max_denominator=20)


def share(ground_: Ground, spans: list[Span], drawn: list[int]) -> Fraction:
    """The bound as a distance."""
    (found,) = ground_.farthest(spans)(np.array([drawn]))
    return Fraction(int(found), ground_.scale * ground_.total * sum(drawn))


@given(st.data())
@settings(deadline=None, max_examples=150)
def test_costs_and_splits_are_the_plain_ones(data):
    fast, plain = data.draw(grounds())
    waiting = [tuple(plain.present)]
    while waiting:
        bucket = waiting.pop()
        (span,) = spans_of(plain, [bucket])
        assert Fraction(fast.cost(span), fast.scale * fast.total) == plain.cost(bucket)
        parts = plain.split(bucket)
        assert fast.split(span) == spans_of(plain, parts)
        waiting += parts


@given(st.data())
@settings(deadline=None, max_examples=150)
def test_the_farthest_class_is_the_plain_one(data):
    fast, plain = data.draw(grounds(most=6))
    buckets = plain.buckets(data.draw(THRESHOLDS))
    drawn = data.draw(draws(buckets))
    assert prod(map(len, buckets)) <= 6**6
    assert share(fast, spans_of(plain, buckets), drawn) == plain.farthest(buckets, drawn)


@given(st.data())
@settings(deadline=None, max_examples=100)
def test_each_bound_is_at_most_the_next(data):
    fast, plain = data.draw(grounds())
    buckets = plain.buckets(data.draw(THRESHOLDS))
    spans, drawn = spans_of(plain, buckets), data.draw(draws(buckets))
    bounds = [
        share(ground(plain.reference, plain.domain, plain.distance, bound), spans, drawn) for bound in BOUNDS
    ]
    assert bounds == sorted(bounds)
    # In the table's own shares, the first two are the same: nothing moves between buckets.
    own = [sum(plain.reference[code] for code in bucket) for bucket in buckets]
    at_rest = [
        share(ground(plain.reference, plain.domain, plain.distance, bound), spans, own) for bound in BOUNDS
    ]
    assert (
        at_rest[0]
        == at_rest[1]
        == Fraction(
            sum(ground(plain.reference, plain.domain, plain.distance).cost(span) for span in spans),
            fast.scale * fast.total,
        )
    )


@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize("distance", ["equal", "ordered", "hierarchical"])
def test_no_class_is_farther_than_its_bound(distance, bound):
    """EMD <= ΣU + D, against the exact distance of the model, on two thousand tables and classes each."""
    rng = np.random.default_rng(7)
    checked = 0
    for _ in range(100):
        size = int(rng.integers(2, 30))
        rows = [(str(i), f"a{i // 3}", f"b{i // 9}", "*") for i in range(size)]
        domain = hierarchical(tree(rows)) if distance == "hierarchical" else numbers(list(range(size)))
        reference = rng.integers(1, 40, size)
        fast = ground(reference.tolist(), domain, distance, bound)
        spans = [(0, size - 1)]
        for _ in range(int(rng.integers(0, 6))):
            at = int(rng.integers(len(spans)))
            spans[at : at + 1] = fast.split(spans[at]) or [spans[at]]
        # Some classes are like the table, some have few values, some all of a bucket at one end.
        classes = []
        for _ in range(20):
            kept = rng.random(size) < rng.random() + 0.05
            kept[int(rng.integers(size))] = True
            n = rng.integers(1, 30)
            classes.append(rng.multinomial(n, reference * kept / (reference * kept).sum()))
        drawn = np.array([[held[a : b + 1].sum() for a, b in spans] for held in classes])
        bound_model = bind(TCloseness(1, distance=distance), reference.tolist(), domain)
        work = bound_model.transport.work(count(classes))
        assert (work <= fast.farthest(spans)(drawn)).all()
        checked += len(classes)
    assert checked == 2000


def test_the_papers_diseases():
    # Nervous 8 of 19, circulatory 11 of 19; a class of all headaches is 14/19 away.
    fast = ground(DISEASE_COUNTS, diseases(), "hierarchical")
    assert DISEASES[:3] == ("headache", "epilepsy", "brain tumors")
    unit = fast.scale * fast.total
    assert Fraction(fast.cost((0, 5)), unit) == Fraction(14, 19)
    assert fast.split((0, 5)) == [(0, 2), (3, 5)]
    # All nervous diseases are headaches: half of 6/19; all circulatory ones anemias: half of 8/19.
    assert [Fraction(fast.cost(span), unit) for span in ((0, 2), (3, 5))] == [
        Fraction(3, 19),
        Fraction(4, 19),
    ]
    plain = ground(DISEASE_COUNTS, diseases(), "hierarchical", "plain")
    assert Fraction(plain.cost((0, 5)), unit) == Fraction(17, 19)
    assert Fraction(plain.cost((0, 2)), unit) == Fraction(3, 19)
    # Uniform on the nervous ones is 11/19 away at least, all headaches at most.
    assert share(fast, [(0, 5)], [3]) == Fraction(14, 19)
    assert share(fast, [(0, 2), (3, 5)], [3, 0]) == Fraction(14, 19)
    uniform = earth_movers_distance([1, 1, 1, 0, 0, 0], DISEASE_COUNTS, diseases(), "hierarchical")
    assert uniform == Fraction(11, 19)


def test_nine_salaries():
    # Uniform on 3 … 11; {3, 4, 5} is 3/8 away.
    salaries = numbers(list(range(3, 12)))
    fast = ground([1] * 9, salaries, "ordered")
    assert Fraction(fast.cost((0, 8)), fast.scale * fast.total) == Fraction(36, 9 * 8)
    assert fast.split((0, 8)) == [(0, 3), (4, 8)]
    assert share(fast, [(0, 2), (3, 8)], [1, 0]) == Fraction(1, 2)
    assert earth_movers_distance([1, 1, 1, 0, 0, 0, 0, 0, 0], [1] * 9, salaries, "ordered") == Fraction(3, 8)


@pytest.mark.parametrize("distance", ["ordered", "hierarchical"])
@pytest.mark.parametrize("bound", BOUNDS)
def test_sums_beyond_64_bits_are_exact(distance, bound):
    rows = [(str(i), f"a{i // 3}", "*") for i in range(9)]
    domain = numbers(list(range(9))) if distance == "ordered" else hierarchical(tree(rows))
    reference = [1, 2, 3, 4, 5, 6, 7, 8, 9]
    small = ground(reference, domain, distance, bound)
    large = ground([n * 10**9 for n in reference], domain, distance, bound)
    spans = [(0, 2), (3, 5), (6, 8)]
    drawn = [7, 3, 1]
    assert large.farthest(spans)(np.array([drawn])).dtype == object
    assert small.farthest(spans)(np.array([drawn])).dtype == np.int64
    assert share(small, spans, drawn) == share(large, spans, [n * 10**9 for n in drawn])
    assert [n * 10**9 for n in map(small.cost, spans)] == list(map(large.cost, spans))


def test_wide_hierarchies_are_looked_at_piece_by_piece():
    rows = [(str(i), f"a{i // 50}", "*") for i in range(5_000)]
    fast = ground([3] * 5_000, hierarchical(tree(rows)), "hierarchical")
    spans = fast.split((0, 4_999))
    assert len(spans) == 100
    drawn = np.random.default_rng(1).integers(0, 9, (1_500, 100))
    found = fast.farthest(spans)(drawn)
    assert (
        found.tolist() == [int(fast.farthest(spans)(row[None])[0]) for row in drawn[:3]] + found[3:].tolist()
    )
