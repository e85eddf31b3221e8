"""What adversaries know: whole multiples of 2^-40 that sum to exactly 1, each distribution once."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from likeness.microdata.data import Microdata
from likeness.microdata.domain import Domain
from likeness.microdata.knowledge import UNIT, Knowledge, rounded


def disease(m, *, missing=False):
    return Domain(
        "disease", "categorical", np.array([f"d{i}" for i in range(m)], object), "set", missing=missing
    )


numbers = st.floats(0, 1e6, allow_subnormal=False) | st.sampled_from([0.0, 1e-300, 1 / 3, 1.0, 1e300])


@st.composite
def shares(draw):
    m = draw(st.integers(1, 8))
    rows = draw(st.lists(st.lists(numbers, min_size=m, max_size=m).filter(any), min_size=1, max_size=12))
    return np.array(rows).reshape(-1, m)


@given(shares())
def test_rows_are_whole_numbers_that_sum_to_one_and_lie_within_a_unit(given_shares):
    rows = rounded(given_shares)
    assert rows.dtype == np.int64
    assert (rows >= 0).all()
    assert (rows.sum(axis=1) == UNIT).all()
    exact = [[Fraction(x) / sum(map(Fraction, row)) * UNIT for x in row] for row in given_shares.tolist()]
    # The quotient is a float, whose last digit is worth less than 2^-12 units; sums of m of them may be off as often.
    assert all(
        abs(found - wanted) < 1 + Fraction(1, 1000)
        for one, other in zip(rows.tolist(), exact, strict=True)
        for found, wanted in zip(one, other, strict=True)
    )


@pytest.mark.parametrize(
    ("given_shares", "wanted"),
    [
        ([1, 1, 1], [UNIT // 3 + 1, UNIT // 3, UNIT // 3]),
        ([2, 1, 0], [UNIT // 3 * 2 + 1, UNIT // 3, 0]),
        ([0.5, 0.25, 0.25], [UNIT // 2, UNIT // 4, UNIT // 4]),
        ([7], [UNIT]),
        ([1, 1, 1, 1, 1, 1, 1], [UNIT // 7 + 1] * 2 + [UNIT // 7] * 5),
    ],
)
def test_what_rounding_down_leaves_goes_to_those_that_lost_most(given_shares, wanted):
    assert rounded(np.array([given_shares], float)).tolist() == [wanted]


@given(shares(), st.data())
def test_equal_distributions_are_one_and_all_are_had(given_shares, data):
    u, m = given_shares.shape
    of = np.array(data.draw(st.lists(st.integers(0, u - 1), min_size=1, max_size=30)))
    known = Knowledge.from_shares(disease(m), given_shares, of, "mine")
    rows = known.distributions.rows
    assert np.array_equal(rows[known.of], rounded(given_shares)[of])
    assert len({tuple(row) for row in rows.tolist()}) == len(rows) == known.distributions.count
    assert rows.tolist() == sorted(rows.tolist())
    assert set(known.of.tolist()) == set(range(len(rows)))
    assert (known.name, known.sensitive, known.distributions.values) == ("mine", "disease", m)
    assert known.share(0, 0) == Fraction(int(rows[known.of[0], 0]), UNIT)
    assert (known.distributions.shares * UNIT == rows).all()


def test_the_order_of_the_rows_changes_nothing():
    rng = np.random.default_rng(1)
    given_shares = rng.integers(1, 4, (20, 3)).astype(float)
    order = rng.permutation(20)
    one = Knowledge.from_shares(disease(3), given_shares, np.arange(20))
    other = Knowledge.from_shares(disease(3), given_shares[order], np.argsort(order))
    assert np.array_equal(one.distributions.rows, other.distributions.rows)
    assert np.array_equal(one.of, other.of)


def test_the_missing_value_is_a_value_without_label():
    known = Knowledge.from_shares(disease(2, missing=True), np.array([[1.0, 1.0, 2.0]]), np.array([0]))
    assert known.labels == ("d0", "d1", None)


def test_it_is_cut_with_the_table_and_stays_what_it_was():
    own, quasi = disease(2), Domain("sex", "categorical", np.array(["f", "m"], object), "set")
    known = Knowledge.from_shares(own, np.array([[1.0, 0.0], [0.5, 0.5]]), np.array([0, 1, 1, 0]))
    codes = np.array([[0, 1, 1, 0]], np.int32)
    data = Microdata(
        (quasi,), codes, (own,), np.array([[0, 1, 0, 0]], np.int32), np.arange(4), knowledge=(known,)
    )
    assert data.judged_codes.tolist() == [[0, 1, 0, 0], known.of.tolist()]
    fewer = data.take(np.array([3, 0]))
    (cut,) = fewer.knowledge
    assert cut.of.tolist() == known.of[[3, 0]].tolist()
    # Nobody has the other any more; it is kept, so that numbers mean the same.
    assert cut.distributions is known.distributions
    assert fewer.judged_codes.shape == (2, 2)
