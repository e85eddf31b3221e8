import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from likeness.errors import TableError
from likeness.tables.columns import Distinct, all_missing, from_integers, from_reals, from_texts

INT64 = np.iinfo(np.int64)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.one_of(st.integers(-5, 5), st.integers(INT64.min, INT64.max)), max_size=30),
    st.data(),
)
def test_integers_come_back_from_their_codes(numbers, data):
    valid = data.draw(st.lists(st.booleans(), min_size=len(numbers), max_size=len(numbers)))
    column = from_integers(np.array(numbers, dtype=np.int64), np.array(valid, dtype=bool))
    values = column.values.to_list()
    assert values == sorted({x for x, ok in zip(numbers, valid, strict=True) if ok})
    back = [None if code < 0 else values[code] for code in column.codes]
    assert back == [x if ok else None for x, ok in zip(numbers, valid, strict=True)]


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.uint8, np.uint32])
def test_narrow_integers_do_not_wrap(dtype):
    ends = np.array([np.iinfo(dtype).max, np.iinfo(dtype).min], dtype=dtype)
    assert from_integers(ends, None).values.to_list() == [int(ends[1]), int(ends[0])]


def test_a_large_range_is_sorted_and_a_small_one_counted_alike():
    numbers = np.array([3, 1, 3, 2], dtype=np.int64)
    small, large = from_integers(numbers, None), from_integers(numbers * 10**12, None)
    assert small.codes.tolist() == large.codes.tolist() == [2, 0, 2, 1]
    assert large.values.to_list() == [10**12, 2 * 10**12, 3 * 10**12]


@settings(deadline=None, max_examples=60)
@given(arrays(np.float64, st.integers(0, 30)))
def test_reals_come_back_and_nan_is_missing(numbers):
    column = from_reals(numbers)
    assert ((column.codes < 0) == np.isnan(numbers)).all()
    kept = ~np.isnan(numbers)
    assert (column.values.to_numpy()[column.codes[kept]] == numbers[kept]).all()


def test_zero_has_no_sign_and_narrow_floats_their_shortest_decimals():
    assert from_reals(np.array([0.0, -0.0])).values.to_list() == [0.0]
    assert from_reals(np.array([0.1, 2.5], dtype=np.float32)).values.to_list() == [0.1, 2.5]


def test_keep_makes_the_others_missing():
    column = Distinct(np.array([0, 1, 2, -1], dtype=np.int32), pl.Series(["a", "b", "c"]))
    kept = column.keep(np.array([True, False, True]))
    assert kept.codes.tolist() == [0, -1, 1, -1]
    assert kept.values.to_list() == ["a", "c"]


def test_all_missing_has_a_code_for_every_record():
    assert all_missing(3).codes.tolist() == [-1, -1, -1]


def test_text_that_is_not_unicode_is_an_error():
    with pytest.raises(TableError, match="not valid Unicode"):
        from_texts(np.array([0]), ["\ud800"])
