from __future__ import annotations

import tracemalloc
from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from tests.hierarchies.trees import make, plain_trees
from tests.models.tables import (
    DISEASE_COUNTS,
    accepts,
    bind,
    categorical,
    class_counts,
    count,
    diseases,
    domains,
    hierarchical,
    holds,
    numbers,
    tree,
)

from likeness.errors import PolicyError
from likeness.hierarchies import from_nested, intervals
from likeness.microdata.domain import Domain
from likeness.microdata.statistics import count_classes
from likeness.models.t_closeness import TCloseness
from likeness.published.columns import note_on, read_domain

SALARIES = numbers([3, 4, 5, 6, 7, 8, 9, 10, 11])


def distance(reference, counts, domain=None, **options) -> float:
    return float(bind(TCloseness(0.5, **options), reference, domain).measured(count([counts]))[0])


def test_equal_distance_of_the_papers_example():
    # Cao & Karras 2012, section 2: (.4, .6) and (.5, .5), (.01, .99) and (.11, .89) are both .1 apart.
    assert distance([4, 6], [1, 1]) == pytest.approx(0.1)
    assert distance([1, 99], [11, 89]) == pytest.approx(0.1)
    assert holds(TCloseness(0.1), [1, 99], [11, 89]) == [True]
    assert holds(TCloseness("0.0999999999999999999999"), [1, 99], [11, 89]) == [False]


@pytest.mark.parametrize(
    ("salaries", "expected"), [({3, 4, 5}, Fraction(3, 8)), ({6, 8, 11}, Fraction(1, 6))]
)
def test_ordered_distance_of_nine_salaries(salaries, expected):
    counts = [int(value in salaries) for value in SALARIES.values]
    assert distance([1] * 9, counts, SALARIES) == pytest.approx(float(expected), abs=1e-15)
    assert holds(TCloseness(str(expected)), [1] * 9, counts, domain=SALARIES) == [True]
    less = expected - Fraction(1, 10**25)
    assert holds(TCloseness(str(less)), [1] * 9, counts, domain=SALARIES) == [False]


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ([1, 1, 1, 0, 0, 0], 0.578947),
        ([0, 0, 0, 1, 1, 1], 0.421053),
        ([1, 0, 0, 0, 0, 0], 0.736842),
    ],
)
def test_hierarchical_distance_of_the_papers_diseases(counts, expected):
    assert distance(DISEASE_COUNTS, counts, diseases()) == pytest.approx(expected, abs=5e-7)


def cheapest_transport(p, q, distances) -> float:
    m = len(p)
    rows = np.kron(np.eye(m), np.ones(m))
    columns = np.kron(np.ones(m), np.eye(m))
    found = linprog(distances.ravel(), A_eq=np.vstack([rows, columns]), b_eq=np.concatenate([p, q]))
    return float(found.fun)


@given(st.data())
@settings(deadline=None, max_examples=25)
def test_distances_are_those_of_a_linear_program(data):
    domain = data.draw(domains())
    reference = data.draw(st.lists(st.integers(1, 4), min_size=domain.codes, max_size=domain.codes))
    counts = data.draw(class_counts(domain.codes))
    m, size = domain.codes, domain.size
    ground = 1 - np.eye(m)
    if domain.distance == "hierarchical":
        ground[:size, :size] = domain.hierarchy.leaf_distances()
    if domain.distance == "ordered":
        ground = np.abs(np.subtract.outer(range(m), range(m))) / max(1, m - 1)
    p, q = np.array(reference) / sum(reference), np.array(counts) / sum(counts)
    assert distance(reference, counts, domain) == pytest.approx(cheapest_transport(p, q, ground), abs=1e-9)


def test_a_tree_written_with_repeated_labels_has_the_same_distances():
    # The definition counts edges: {a, b} and {c, d} are half as high as the root.
    padded = tree([("a", "X", "X", "*"), ("b", "X", "X", "*"), ("c", "Y", "Y", "*"), ("d", "Y", "Y", "*")])
    nested = from_nested("'*': {X: [a, b], Y: [c, d]}", "sensitive")
    for written in (padded, nested):
        assert distance([1] * 4, [1, 0, 1, 0], hierarchical(written)) == 1 / 4
        assert holds(TCloseness("1/4"), [1] * 4, [1, 0, 1, 0], domain=hierarchical(written)) == [True]
        assert holds(TCloseness("0.2499"), [1] * 4, [1, 0, 1, 0], domain=hierarchical(written)) == [False]


@given(st.data(), plain_trees())
@settings(deadline=None, max_examples=40)
def test_every_spelling_of_a_tree_gives_the_distance_of_a_linear_program(data, plain):
    once = make(plain.rows())
    rank = {leaf: i for i, leaf in enumerate(once.leaves)}
    m, top = once.size, max(1, plain.height())
    ground = np.zeros((m, m))
    for node in plain.nodes():  # parents first: what stays is the lowest common ancestor
        within = [rank[leaf] for leaf in node.leaves()]
        ground[np.ix_(within, within)] = node.height() / top
    reference = data.draw(st.lists(st.integers(1, 4), min_size=m, max_size=m))
    counts = data.draw(class_counts(m))
    cheapest = cheapest_transport(
        np.array(reference) / sum(reference), np.array(counts) / sum(counts), ground
    )
    for written in (once, make(plain.padded_rows(data.draw)), make(plain.padded_rows(data.draw))):
        domain = hierarchical(written)
        assert distance(reference, counts, domain) == pytest.approx(cheapest, abs=1e-9)
        bound = bind(TCloseness(0.5), reference, domain)
        assert bound.transport.work(count([counts])).tolist() == [
            round(cheapest * 2 * top * sum(counts) * sum(reference))
        ]


def test_a_tree_made_from_the_data_is_as_high_as_its_published_leaves():
    # Of such a tree the certificate tells only the published leaves; both sides must find the same heights.
    values = np.array([1, 3, 6, 7, 12])
    whole = intervals(values, edges=[[0, 5, 10, 20], [0, 10, 20]], name="sensitive")
    assert whole.heights().max() == 3
    domain = hierarchical(whole)
    note = note_on(domain, "sensitive", np.array([4]))
    assert read_domain(note, ["12"])[0].hierarchy.heights().max() == 2
    assert bind(TCloseness(0.5), [0, 0, 0, 0, 3], domain).transport.scale == 2 * 2
    assert bind(TCloseness(0.5), [1, 0, 0, 0, 3], domain).transport.scale == 2 * 3
    assert distance([1, 0, 0, 0, 3], [1, 0, 0, 0, 0], domain) == 3 / 4


def dense_work(laid, counts) -> list[int]:
    """The sum over all intervals, of the whole histogram of each class."""
    total = sum(laid.counts.tolist())
    found = []
    for own in counts:
        extra = [c * total - p * sum(own) for c, p in zip(map(int, own), laid.counts.tolist(), strict=True)]
        edges = zip(laid.first.tolist(), laid.last.tolist(), laid.weight.tolist(), strict=True)
        found.append(sum(w * abs(sum(extra[a : b + 1])) for a, b, w in edges))
    return found


@given(st.data(), st.sampled_from([1, 10**8, 10**12]))
@settings(deadline=None, max_examples=80)
def test_only_values_that_are_there_are_looked_at_and_the_work_is_that_of_all(data, times):
    kind = data.draw(st.sampled_from(["equal", "ordered", "tree"]))
    written = make(data.draw(plain_trees()).padded_rows(data.draw)) if kind == "tree" else None
    missing = kind != "ordered" and data.draw(st.booleans())
    if written is not None:
        domain = hierarchical(written, missing=missing)
    elif kind == "ordered":
        domain = numbers(range(data.draw(st.integers(1, 12))))
    else:
        domain = categorical(data.draw(st.integers(1, 12)), missing=missing)
    some = st.lists(st.integers(0, 3), min_size=domain.codes, max_size=domain.codes)
    reference = data.draw(some.filter(any))
    counts = data.draw(st.lists(some, min_size=1, max_size=5))
    bound = bind(TCloseness("1/3"), [n * times for n in reference], domain)
    laid = bound.transport
    assert laid.work(count(counts)).tolist() == dense_work(laid, counts)
    whole = [laid.scale * laid.total * sum(own) for own in counts]
    assert holds_of(bound, counts) == [
        3 * work <= all_ for work, all_ in zip(dense_work(laid, counts), whole, strict=True)
    ]


def classes_of(size: int, values: int) -> list[list[int]]:
    """All classes of so many records."""
    chosen = combinations_with_replacement(range(values), size)
    return [np.bincount(own, minlength=values).tolist() for own in map(list, chosen)]


@given(domains(), st.data(), st.sampled_from([1, 10**6]), st.fractions(0, 1, max_denominator=20))
@settings(deadline=None, max_examples=60)
def test_the_nearest_class_of_a_size_and_the_smallest_that_holds_are_those_of_all_classes(
    domain, data, times, t
):
    reference = data.draw(
        st.lists(st.integers(0, 6), min_size=domain.codes, max_size=domain.codes).filter(any)
    )
    bound = bind(TCloseness(t), [n * times for n in reference], domain)
    laid = bound.transport
    held = {}
    for size in range(1, 5):
        every = classes_of(size, domain.codes)
        assert laid.least_work(size) == min(dense_work(laid, every)), size
        held[size] = any(holds_of(bound, every))
    smallest = next((size for size, own in held.items() if own), min(5, sum(reference) * times))
    assert bound.smallest_class >= smallest
    assert held.get(bound.smallest_class, True)


def test_the_smallest_class_of_many_values_is_looked_for_no_longer_than_it_takes():
    # Each of 1,000 equal values wants its own record: with 800 of them the distance is a fifth.
    reference = [3] * 1_000
    assert bind(TCloseness("0.2"), reference).smallest_class == 501
    assert bind(TCloseness("0.6"), reference).smallest_class == 400
    # A class of nobody but all of them is as the whole is.
    assert bind(TCloseness(0), [2, 1]).smallest_class == 3
    assert bind(TCloseness(0), [2, 4]).smallest_class == 3


def holds_of(bound, counts) -> list[bool]:
    return bound.holds(count(counts)).tolist()


def test_values_that_the_table_lacks_do_not_stretch_the_order():
    assert distance([1, 0, 1], [1, 0, 0], numbers([1, 2, 3])) == pytest.approx(0.5)
    assert distance([1, 0, 0, 1, 1], [1, 0, 0, 0, 0], numbers([1, 2, 3, 4, 5])) == pytest.approx(0.5)


def test_one_value_is_at_no_distance():
    assert distance([5], [2], numbers([7])) == 0
    alone = hierarchical(tree([("a", "a")]), missing=True)
    assert alone.hierarchy.height == 0
    assert distance([1, 1], [1, 0], alone) == 0.5
    assert distance([4, 0], [1, 0], alone) == 0


def test_a_missing_value_hangs_below_the_root():
    domain = hierarchical(tree([("a", "A", "*"), ("b", "A", "*"), ("c", "C", "*")]), missing=True)
    # From a: b is 1/2 away, c and the missing value 1.
    assert distance([1, 1, 1, 1], [1, 0, 0, 0], domain) == pytest.approx((0.5 + 1 + 1) / 4)
    assert distance([1, 1, 1, 1], [0, 0, 0, 1], domain) == pytest.approx(3 / 4)


@pytest.mark.parametrize("rows", [30_162, 301_620, 30_162_000, 2_000_000_000])
def test_many_rows_do_not_overflow(rows):
    # ARX declares .10 where .305 is true at 301,620 rows (peers, false answer 8).
    domain = diseases()
    reference = [rows // 19 * part for part in DISEASE_COUNTS]
    nervous = [part if code < 3 else 0 for code, part in enumerate(reference)]
    for t, good in [(0.1, False), (0.3, False), ("11/19", True), ("0.5789", False)]:
        bound = bind(TCloseness(t), reference, domain)
        assert bound.holds(count([nervous, reference])).tolist() == [good, True]
        tie = t == "11/19" and not bound.transport.fits
        assert accepts(bound, nervous) == (good and not tie)
        assert accepts(bound, reference)
    assert bound.transport.fits == (rows < 10**9)
    assert bound.strongest(count([nervous])).values["t"] == pytest.approx(11 / 19)


def test_sums_beyond_64_bits_are_exact():
    domain = numbers(list(range(50)))
    lower_half = [40_000_000] * 25 + [0] * 25
    # Σ over the 49 steps of min(i, 50 - i) / 50.
    exact = Fraction(25 * 25, 50 * 49)
    for t in (exact, exact - Fraction(1, 10**30)):
        bound = bind(TCloseness(t), [40_000_000] * 50, domain)
        assert not bound.transport.fits
        assert bound.holds(count([lower_half])).tolist() == [t == exact]
        assert not accepts(bound, lower_half)
    assert accepts(bind(TCloseness("0.2552"), [40_000_000] * 50, domain), lower_half)


def test_long_bounds_do_not_overflow():
    reference, counts = [400_000, 600_000], [1, 1]
    assert holds(TCloseness("0.1"), reference, counts) == [True]
    for t in ("0.1000000000000000001", "0.0999999999999999999", "0.3333333333333333333"):
        bound = bind(TCloseness(t), reference)
        good = bool(bound.holds(count([counts]))[0])
        assert good == (Fraction(t) >= Fraction(1, 10))
        assert accepts(bound, counts) == good


def test_the_strongest_t_is_met():
    bound = bind(TCloseness(1), [1, 1, 1])
    stats = count([[1, 0, 0], [1, 1, 1]])
    found = bound.strongest(stats).values["t"]
    assert found == pytest.approx(2 / 3)
    assert holds(TCloseness(found), [1, 1, 1], [1, 0, 0]) == [True]


def test_a_record_more_may_break_it():
    assert holds(TCloseness(0), [2, 2], [1, 1], [2, 1]) == [True, False]
    assert not TCloseness.closed_under_adding


def test_the_models_own_distance_wins():
    assert bind(TCloseness(0.5, distance="equal"), [1, 1, 1], numbers([1, 2, 3])).transport.scale == 2
    assert distance([1, 1, 1], [1, 0, 0], numbers([1, 2, 3]), distance="equal") == pytest.approx(2 / 3)
    assert distance([1, 1, 1], [1, 0, 0], numbers([1, 2, 3])) == pytest.approx(1 / 2)


def test_columns_without_the_distance_are_refused():
    with pytest.raises(
        PolicyError, match=r"^t-closeness: distance ordered needs numbers, .* is categorical$"
    ):
        bind(TCloseness(0.1, distance="ordered"), [1, 1])
    with pytest.raises(
        PolicyError, match=r"^t-closeness: distance hierarchical needs a hierarchy, .* has none$"
    ):
        bind(TCloseness(0.1, distance="hierarchical"), [1, 1], categorical(2))
    missing = Domain("income", "integer", np.array([1, 2]), "interval", missing=True, distance="ordered")
    with pytest.raises(
        PolicyError, match=r"^t-closeness: distance ordered has no place for the missing values"
    ):
        bind(TCloseness(0.1), [1, 1, 1], missing)
    with pytest.raises(
        PolicyError, match=r"^t-closeness: distance must be one of .*; did you mean 'ordered'"
    ):
        TCloseness(0.1, distance="orderd")


@pytest.mark.parametrize("t", [-0.1, 1.1])
def test_bad_bounds(t):
    with pytest.raises(
        PolicyError, match=r"^t-closeness: t must be a number of at least 0 and at most 1; got "
    ):
        TCloseness(t)


@pytest.mark.parametrize("distance", ["equal", "ordered"])
def test_the_work_grows_with_the_records_and_not_with_classes_times_values(distance):
    peaks = []
    for values in (2_000, 8_000):
        bound = bind(TCloseness(0.5, distance=distance), [1] * values, numbers(range(values)))
        classes = np.arange(values) // 4
        stats = count_classes(classes, values // 4, np.random.default_rng(1).permutation(values), values)
        bound.holds(stats)
        tracemalloc.start()
        bound.holds(stats)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    # Four times the values and records; a table of classes by values would be sixteen times as large.
    assert peaks[1] < 6 * peaks[0]
