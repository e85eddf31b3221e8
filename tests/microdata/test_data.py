"""Microdata: records in codes."""

from __future__ import annotations

import numpy as np
import pytest

from likeness.errors import PolicyError
from likeness.microdata.data import Microdata
from likeness.microdata.domain import Domain

AGE = Domain("age", "integer", np.array([20, 30, 40]), "interval", low=20, high=40)
SEX = Domain("sex", "categorical", np.array(["f", "m"]), "set")
DISEASE = Domain("disease", "categorical", np.array(["cold", "flu"]), "set")


def data() -> Microdata:
    return Microdata(
        (AGE, SEX),
        np.array([[2, 0, 2, 1], [0, 1, 0, 1]], np.int32),
        (DISEASE,),
        np.array([[0, 1, 1, 0]], np.int32),
        np.array([0, 1, 3, 7]),
        individuals=np.array([0, 0, 1, 2]),
        survey_weights=np.array([1.0, 2.0, 3.0, 4.0]),
    )


def test_distinct_tuples():
    tuples = data().tuples
    assert tuples.of.tolist() == [0, 1, 0, 2]
    assert tuples.sizes.tolist() == [2, 1, 1]


def test_without_quasi_identifiers_all_records_are_alike():
    own = Microdata((), np.zeros((0, 4), np.int32), (DISEASE,), data().sensitive_codes, np.arange(4))
    assert own.tuples.of.tolist() == [0, 0, 0, 0]
    assert own.tuples.sizes.tolist() == [4]
    assert own.take(np.array([], np.int64)).tuples.count == 0


def test_take_keeps_everything_about_a_record():
    part = data().take(np.array([3, 0]))
    assert part.size == 2
    assert part.codes.tolist() == [[1, 2], [1, 0]]
    assert part.sensitive_codes.tolist() == [[0, 0]]
    assert part.rows.tolist() == [7, 0]
    assert part.individuals.tolist() == [2, 0]
    assert part.survey_weights.tolist() == [4.0, 1.0]
    assert part.quasi == (AGE, SEX)
    assert part.tuples.count == 2


def test_sensitive_columns_by_name():
    assert data().sensitive_index("disease") == 0
    with pytest.raises(PolicyError, match="'diseas' is not a sensitive column; did you mean 'disease'"):
        data().sensitive_index("diseas")


def test_showing_it_shows_no_record():
    assert repr(data()) == "Microdata(4 records, 2 quasi-identifiers, 1 sensitive)"
