from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.models.tables import accepts, bind, count, holds
from tests.oracles import models as oracles

import likeness as lk
from likeness.errors import PolicyError
from likeness.exact import rational
from likeness.models.theta_sensitivity import ThetaSensitivity

FIVE = [1] * 5
READINGS = [{"order": "severity"}, {"order": "frequency"}, {"index": "category-id"}]
TABLE_12 = {"1": [0, 0, 1, 0, 1], "2": [0, 0, 0, 1, 1], "3": [1, 1, 0, 0, 0], "4": [0, 2, 1, 0, 0]}
"""Fazal et al. 2023, table 12b: asymptomatic, low, mild, high and severe entries of each bucket."""
INFORMS = [667, 4_133, 11_782, 8_625, 1_647]
"""People of INFORMS 2005 by the highest category of their diagnoses, the least severe first."""


def variance(counts: list[int], **reading: str) -> Fraction:
    """σ² as the model has it: five times as many records have the same, and of five categories at most 2."""
    model = ThetaSensitivity(5, 1, **reading)
    bound = bind(model, FIVE)
    more = [5 * n for n in counts] + [0] * (5 - len(counts))
    near = Fraction(2 * float(bound.measured(count([more]))[0])).limit_denominator(sum(counts) ** 2)
    if 0 < near <= 2:
        below, above = near / 2, near / 2 + Fraction(1, 10**12)
        assert holds(ThetaSensitivity(5, below, **reading), FIVE, more) == [True]
        assert above > 1 or holds(ThetaSensitivity(5, above, **reading), FIVE, more) == [False]
    return near


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ([2], "0"),
        ([1, 1], "1/4"),
        ([2, 1], "2/9"),
        ([3, 1], "3/16"),
        ([2, 2], "1/4"),
        ([2, 1, 1], "11/16"),
        ([1, 1, 1], "2/3"),
        ([1, 1, 1, 1], "5/4"),
        ([3, 1, 1], "16/25"),
        ([2, 1, 1, 1], "34/25"),
        ([9, 1], "9/100"),
        ([1, 1, 1, 1, 1], "2"),
        ([2, 2, 2, 2, 2], "2"),
        ([6, 1, 1, 1, 1], "2"),
    ],
)
def test_variances_of_histograms(counts, expected):
    assert variance(counts, order="frequency") == Fraction(expected)
    assert variance(sorted(counts), order="frequency") == Fraction(expected)


def test_the_order_matters_from_three_categories_on():
    assert variance([1, 2, 1], order="frequency") == Fraction(11, 16)
    assert variance([1, 2, 1]) == Fraction(1, 2)
    # Absent categories count for their number only.
    assert variance([1, 0, 0, 0, 1]) == Fraction(1, 4)
    assert bind(ThetaSensitivity(2, 1, index="category-id"), FIVE).measured(count([[1, 0, 0, 0, 1]])) == [16]


def test_an_uneven_class_may_have_the_larger_variance():
    uneven, even = ([4, 1, 1, 1, 1], [2, 2, 2, 1, 1])
    measured = bind(ThetaSensitivity(5, 1, order="frequency"), FIVE).measured(count([uneven, even])) * 2
    assert measured.tolist() == [35 / 16, 111 / 64]


def test_theta_grows_with_k_up_to_the_number_of_categories():
    full = ["1/4", "2/3", "5/4", "2", "2", "2", "2", "2", "2"]
    for k, expected in zip(range(2, 11), full, strict=True):
        # Two categories as often have 1/4: with μ this much of the largest, they just hold.
        model = ThetaSensitivity(k, Fraction(1, 4) / Fraction(expected))
        assert holds(model, FIVE, [k, k, 0, 0, 0]) == [True]
        assert holds(ThetaSensitivity(k, 1), FIVE, [k] * 5) == [True]
        if k > 2:
            assert holds(
                ThetaSensitivity(k, Fraction("0.25001") / Fraction(expected)), FIVE, [k, k, 0, 0, 0]
            ) == [False]


@pytest.mark.parametrize("reading", READINGS[:2])
def test_table_12_holds_up_to_eight_ninths(reading):
    table = np.sum(list(TABLE_12.values()), axis=0).tolist()
    classes = list(TABLE_12.values())
    for mu in ("1/2", "3/5", "7/10", "4/5", "0.88", "8/9"):
        assert holds(ThetaSensitivity(2, mu, **reading), table, *classes) == [True] * 4
    assert holds(ThetaSensitivity(2, "0.9", **reading), table, *classes) == [True, True, True, False]
    # A second invented record, High: 11/16 in either order of the paper.
    assert holds(ThetaSensitivity(2, "0.9", **reading), table, [0, 2, 1, 1, 0]) == [True]
    assert bind(ThetaSensitivity(2, "0.9", **reading), table).strongest(count(classes)).values == {
        "mu": pytest.approx(8 / 9, abs=1e-15),
        "k": 2,
    }


def test_the_buckets_of_the_order_of_the_file():
    buckets = [[0, 0, 1, 0, 1], [0, 0, 0, 1, 1], [0, 2, 0, 0, 0], [1, 1, 0, 0, 0]]
    assert holds(ThetaSensitivity(2, "3/5"), FIVE, *buckets) == [True, True, False, True]


@pytest.mark.parametrize(
    ("reading", "expected"),
    [({"order": "frequency"}, Fraction(189989702, 180284329) / 2), ({}, Fraction(137383913, 360568658))],
)
def test_the_strongest_share_of_a_table_as_one_class(reading, expected):
    bound = bind(ThetaSensitivity(5, "3/5", **reading), INFORMS)
    found = bound.strongest(count([INFORMS])).values["mu"]
    assert rational(found) <= expected < rational(math.nextafter(found, 1))
    assert not bound.holds(count([INFORMS])).any()
    assert bind(ThetaSensitivity(5, expected, **reading), INFORMS).holds(count([INFORMS])).all()
    assert accepts(bind(ThetaSensitivity(5, expected, **reading), INFORMS), INFORMS)
    assert bound.because(count([INFORMS])) == " (largest share of one category in a class: 0.438743)"


LARGEST_SHARES = {
    ("distinct", "frequency"): "2/3 3/5 4/7 4/7 7/11 9/13 11/15 13/17 15/19",
    ("distinct", "severity"): "2/3 3/5 4/7 4/7 7/11 9/13 11/15 13/17 15/19",
    ("category-id", "severity"): "2/3 4/5 6/7 8/9 10/11 11/12 11/12 11/12 11/12",
}


@pytest.mark.parametrize("reading", LARGEST_SHARES)
def test_what_share_of_one_category_the_variance_allows(reading):
    index, order = reading
    found = []
    for k in range(2, 11):
        every = classes_of(k)
        held = every[bind(ThetaSensitivity(k, "3/5", index=index, order=order), FIVE).holds(count(every))]
        sizes = held.sum(axis=1)
        shares = {Fraction(int(a), int(b)) for a, b in zip(held.max(axis=1), sizes, strict=True)}
        found.append(str(max(shares)))
    assert found == LARGEST_SHARES[reading].split()
    words = ThetaSensitivity.__doc__.replace("\n    ", " ")
    assert all(share in words for share in found)


def classes_of(k: int) -> np.ndarray:
    """All classes of k to 2k - 1 records of five categories."""
    few = np.arange(2 * k)
    grid = np.stack(np.meshgrid(few, few, few, few, indexing="ij"), axis=-1).reshape(-1, 4)
    grid = grid[grid.sum(axis=1) < 2 * k]
    found = []
    for size in range(k, 2 * k):
        inside = grid[grid.sum(axis=1) <= size]
        found.append(np.column_stack([inside, size - inside.sum(axis=1)]))
    return np.concatenate(found)


@pytest.mark.parametrize("reading", [READINGS[0], READINGS[2]])
def test_by_severity_the_variance_of_a_union_is_not_below_both(reading):
    """For all pairs of small classes and every θ at once."""
    assert ThetaSensitivity(2, 1, **reading).closed_under_union
    every = np.array([c for c in product(range(4), repeat=4) if sum(c) > 1])
    bound = bind(ThetaSensitivity(2, 1, **reading), [1] * 4)
    of = bound.measured(count(every))
    rng = np.random.default_rng(2)
    a, b = rng.integers(0, len(every), (2, 20_000))
    together = bound.measured(count(every[a] + every[b]))
    assert (together >= np.minimum(of[a], of[b]) - 1e-12).all()


@pytest.mark.parametrize(
    ("a", "b", "k", "mu"),
    [
        ([3, 1, 1], [1, 3, 1], 3, Fraction(16, 25) / Fraction(2, 3)),
        ([3, 1, 1, 1, 0], [1, 1, 1, 3, 0], 5, Fraction(3, 5)),
    ],
)
def test_by_frequency_a_union_may_not_hold(a, b, k, mu):
    union = (np.array(a) + b).tolist()
    model = ThetaSensitivity(k, mu, order="frequency")
    assert not model.closed_under_union
    everybody = [n + (n == 0) for n in union]
    assert holds(model, everybody, a, b, union) == [True, True, False]


@pytest.mark.parametrize("reading", READINGS)
def test_a_record_more_may_break_it(reading):
    assert holds(ThetaSensitivity(2, "1/2", **reading), [9, 1], [1, 1], [9, 1]) == [True, False]
    assert not ThetaSensitivity(2, "1/2", **reading).closed_under_adding


def test_one_category_is_no_diversity():
    bound = bind(ThetaSensitivity(2, "1/10"), [9, 0])
    assert not bound.holds(count([[9, 0]])).any()
    assert not accepts(bound, [9, 0])
    assert bound.strongest(count([[9, 0]])).values == {"mu": 0, "k": 2}
    assert bound.out_of_reach() == ". No release can hold it: there is one category only"


@given(
    st.lists(st.integers(0, 10**9), min_size=2, max_size=5).filter(lambda c: sum(c) > 1),
    st.sampled_from(READINGS),
    st.sampled_from(["0.333333333333333333", "1e-12", "0.7", "1", "0.61803398874989484820"]),
)
@settings(deadline=None, max_examples=80)
def test_large_counts_neither_overflow_nor_accept_too_much(counts, reading, mu):
    bound = bind(ThetaSensitivity(2, mu, **reading), counts)
    good = bool(bound.holds(count([counts]))[0])
    assert good == oracle(counts, mu, reading)
    if accepts(bound, counts) != good:
        assert good
        # The search compares with the nearest fraction above that 64 bits leave room for: of a large table less near.
        room = 2**62 // (sum(counts) * (len(counts) - 1)) ** 2
        coarse = 1 / (room * bound._full(2)) if room else 0
        assert abs(bound.judge(count([counts])).slack[0]) < max(1e-8, coarse)


def oracle(counts, mu, reading):
    """σ² by its moments: the other oracle makes a list of all records."""
    there = [(code, n) for code, n in enumerate(counts) if n]
    if reading.get("order") == "frequency":
        there.sort(key=lambda pair: -pair[1])
    numbers = [code if reading.get("index") else i for i, (code, _) in enumerate(there)]
    total = sum(n for _, n in there)
    mean = Fraction(sum(x * n for x, (_, n) in zip(numbers, there, strict=True)), total)
    found = sum((x - mean) ** 2 * n for x, (_, n) in zip(numbers, there, strict=True)) / total
    return len(there) > 1 and found >= Fraction(mu) * Fraction(min(2, len(there)) ** 2 - 1, 12)


@pytest.mark.parametrize("reading", READINGS)
@given(
    counts=st.lists(st.integers(0, 3), min_size=2, max_size=5).filter(any),
    mu=st.sampled_from(["1/4", "3/5", "1"]),
)
@settings(deadline=None, max_examples=40)
def test_both_oracles_agree(reading, counts, mu):
    if sum(counts) < 2:
        return
    reference = [max(1, n) for n in counts]
    assert holds(ThetaSensitivity(2, mu, **reading), reference, counts) == [
        oracles.theta_sensitivity(counts, reference, None, k=2, mu=mu, **reading)
    ]


@pytest.mark.parametrize(
    ("given_", "words"),
    [
        ({"k": 1}, "k must be a whole number of at least 2"),
        ({"mu": 0}, "mu must be a number above 0"),
        ({"mu": 2}, "mu must be a number above 0 and at most 1"),
        ({"index": "id"}, "index must be one of distinct, category-id"),
        ({"order": "size"}, "order must be one of severity, frequency"),
        (
            {"index": "category-id", "order": "frequency"},
            "order: frequency numbers the categories of a class",
        ),
    ],
)
def test_bad_parameters(given_, words):
    with pytest.raises(PolicyError, match=f"^theta-sensitivity: {words}"):
        ThetaSensitivity(**{"k": 5, "mu": "3/5"} | given_)


def test_the_report_says_the_largest_share_beside_every_theta(tmp_path):
    table = pl.DataFrame({"age": [1] * 6 + [50] * 6, "d": list("aabbbcaaabbc")})
    policy = lk.Policy(
        columns={"age": lk.quasi(), "d": lk.sensitive(kind="ordered", domain=["a", "b", "c"])},
        privacy=ThetaSensitivity(3, "3/5", by="values"),
        method="mondrian",
    )
    out = lk.anonymize(table, policy, seed=1).write(tmp_path / "out")
    assert "largest share of one category in a class: 0.5" in (out / "private/report.html").read_text()
    assert lk.verify(out / "public").status == "proven"
