"""Equal rows of codes get equal numbers, however many codes there are."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from likeness.microdata import grouping
from likeness.microdata.grouping import (
    distinct,
    group_codes,
    group_keys,
    number_keys,
    one_to_one,
    pack,
    ranked,
)

EASY = settings(deadline=None, max_examples=80)


@st.composite
def code_columns(draw: st.DrawFn) -> tuple[list[np.ndarray], list[int]]:
    radices = draw(st.lists(st.sampled_from([1, 2, 3, 1 << 20, (1 << 31) - 1]), min_size=1, max_size=7))
    n = draw(st.integers(0, 30))
    columns = [
        np.array(
            draw(st.lists(st.sampled_from([0, radix // 2, radix - 1]), min_size=n, max_size=n)), np.int32
        )
        for radix in radices
    ]
    return columns, radices


@EASY
@given(given_=code_columns())
def test_keys_are_equal_exactly_where_rows_are(given_):
    columns, radices = given_
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    keys = pack(columns, radices).tolist()
    assert len(keys) == len(rows)
    assert len(set(keys)) == len(set(rows))
    assert len(set(zip(keys, rows, strict=True))) == len(set(rows))


@EASY
@given(given_=code_columns())
def test_groups_are_numbered_in_order_of_first_appearance(given_):
    columns, radices = given_
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    numbers = {row: number for number, row in enumerate(dict.fromkeys(rows))}
    groups = group_codes(columns, radices)
    assert groups.of.tolist() == [numbers[row] for row in rows]
    assert groups.first.tolist() == [rows.index(row) for row in numbers]
    assert groups.sizes.tolist() == [rows.count(row) for row in numbers]
    assert groups.count == len(numbers)


@EASY
@given(keys=st.lists(st.integers(-3, 3) | st.integers(-(2**63), 2**63 - 1), max_size=40))
def test_few_keys_are_numbered_without_compiled_code_as_with_it(keys):
    given_ = np.array(keys, np.int64)
    with patch.object(grouping, "_KERNELS", "not loaded"):
        plain = number_keys(given_)
    with patch.object(grouping, "_FEW", -1):
        compiled = number_keys(given_)
    for one, other in zip(plain, compiled, strict=True):
        assert one.dtype == other.dtype == np.int64
        assert np.array_equal(one, other)


def test_keys_below_overflow_sort_like_rows():
    columns = [np.array([1, 0, 1, 0]), np.array([0, 2, 2, 1])]
    order = np.argsort(pack(columns, [2, 3]))
    assert order.tolist() == [3, 1, 0, 2]


@pytest.mark.parametrize("keys", [[], [0], [-1, 5, -1], [2**62, -(2**62), 2**62]])
def test_any_keys_can_be_grouped(keys):
    groups = group_keys(np.array(keys, np.int64))
    assert groups.count == len(set(keys))
    assert [keys[i] for i in groups.first] == list(dict.fromkeys(keys))


def test_many_keys_grow_the_table():
    keys = np.random.default_rng(0).permutation(np.repeat(np.arange(5000), 2))
    groups = group_keys(keys)
    assert groups.count == 5000
    assert (keys[groups.first][groups.of] == keys).all()
    assert (groups.sizes == 2).all()


@EASY
@given(numbers=st.lists(st.one_of(st.integers(-3, 3), st.sampled_from([-(2**63), 2**63 - 1]))))
def test_distinct_numbers_are_those_of_numpy(numbers):
    found = distinct(np.array(numbers, np.int64))
    assert found.tolist() == np.unique(np.array(numbers, np.int64)).tolist()


@EASY
@given(pairs=st.lists(st.tuples(st.integers(-1, 4), st.integers(-1, 4)), max_size=8))
def test_columns_go_one_to_one_exactly_where_pairs_say_so(pairs):
    mine, theirs = (np.array([pair[i] for pair in pairs], np.int64) for i in (0, 1))
    expected = len(set(pairs)) == len({a for a, _ in pairs}) == len({b for _, b in pairs})
    assert one_to_one(mine, theirs) is expected
    assert one_to_one(mine.astype(np.int32), theirs) is expected


@EASY
@given(numbers=st.lists(st.one_of(st.integers(0, 9), st.integers(0, 10**9)), max_size=30))
def test_ranked_is_unique_with_its_inverse(numbers):
    numbers = np.array(numbers, np.int64)
    values, of = ranked(numbers)
    expected, places = np.unique(numbers, return_inverse=True)
    assert values.tolist() == expected.tolist()
    assert of.tolist() == places.tolist()
    assert values.dtype == of.dtype == np.int64
