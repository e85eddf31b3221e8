"""Domains: what codes stand for."""

from __future__ import annotations

import numpy as np

from likeness.microdata.domain import Domain


def test_numbers_of_every_kind():
    days = Domain("day", "date", np.array(["1970-01-01", "1970-01-31"], "datetime64[D]"), "interval")
    assert days.numbers.tolist() == [0.0, 30.0]
    assert Domain("x", "real", np.array([0.5, 2]), "interval").numbers.tolist() == [0.5, 2.0]
    grades = Domain("grade", "ordered", np.array(["low", "high"], object), "interval")
    assert grades.numbers.tolist() == [0.0, 1.0]


def test_the_missing_value_is_one_code_more():
    own = Domain("x", "integer", np.array([3, 5]), "interval", missing=True, low=1, high=9)
    assert (own.size, own.codes, own.missing_code, own.width) == (2, 3, 2, 8.0)
    none = Domain("x", "integer", np.array([3, 5]), "interval")
    assert (none.codes, none.missing_code) == (2, -1)


def test_showing_it_shows_no_value():
    own = Domain("x", "categorical", np.array(["secret"]), "set")
    assert repr(own) == "Domain('x', categorical, 1 value, set)"
