from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.metrics.examples import MINI, NOTHING, five_points
from tests.metrics.tables import DISEASE

from likeness.errors import PolicyError
from likeness.metrics.classification import Classification
from likeness.metrics.mini_table import mini_table


def test_mini_table():
    assert Classification().measure(MINI) == pytest.approx(1 / 5)


def test_of_tied_values_one_is_the_majority():
    # pycanon counts no majority here: 4 wrong instead of 2.
    tied = five_points([0, 0, 0, 0, -1])
    data = replace(tied.data, sensitive_codes=np.array([[0, 0, 1, 1, 2]], np.int32))
    assert Classification().measure(replace(tied, data=data)) == pytest.approx((2 + 1) / 5)


def test_withheld_records_are_wrong():
    assert Classification().measure(mini_table(withheld=2)) == pytest.approx((2 + 1) / 5)
    assert Classification().measure(NOTHING) == 1


def test_another_sensitive_attribute():
    second = replace(DISEASE, name="second")
    data = replace(
        MINI.data,
        sensitive=(*MINI.data.sensitive, second),
        sensitive_codes=np.vstack([MINI.data.sensitive_codes, np.array([[0, 1, 0, 1, 2]], np.int32)]),
    )
    both = replace(MINI, data=data)
    assert Classification().measure(both) == pytest.approx(1 / 5)
    assert Classification(sensitive="second").measure(both) == pytest.approx(3 / 5)
    with pytest.raises(PolicyError, match="'secnd' is not a sensitive column; did you mean 'second'"):
        Classification(sensitive="secnd").measure(both)


def test_a_missing_sensitive_value_is_a_value():
    asked = replace(MINI.data.sensitive[0], missing=True)
    codes = np.array([[2, 2, 2, 0, 0]], np.int32)
    data = replace(MINI.data, sensitive=(asked,), sensitive_codes=codes)
    assert Classification().measure(replace(MINI, data=data)) == pytest.approx(1 / 5)


def test_needs_a_sensitive_attribute():
    data = replace(MINI.data, sensitive=(), sensitive_codes=np.zeros((0, 5), np.int32))
    with pytest.raises(PolicyError, match="classification: needs a sensitive column"):
        Classification().measure(replace(MINI, data=data))
