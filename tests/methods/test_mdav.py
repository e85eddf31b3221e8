"""MDAV: equal to a plain loop over records; the guarantee holds; what a steward sees."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.methods.problems import number, plain_set, problem, tree
from tests.oracles.mdav import clusters

import likeness as lk
from likeness.methods.mdav import Mdav
from likeness.microdata.data import Microdata

SICK = plain_set("disease", 2)


@st.composite
def tables(draw: st.DrawFn) -> Microdata:
    """Up to 25 records of all kinds of columns, many of them alike."""
    missing = draw(st.booleans())
    # Places of 0, 1/8 … 1: sums of them are exact, so that no tie is decided by rounding.
    domains = (number("age", 9, missing=missing), tree("work", missing=missing), plain_set("sex", 3))
    quasi = domains[: draw(st.integers(1, 3))]
    n = draw(st.integers(1, 25))
    codes = [draw(st.lists(st.integers(0, x.codes - 1), min_size=n, max_size=n)) for x in quasi]
    sick = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))
    return Microdata(quasi, np.array(codes, np.int32), (SICK,), np.array([sick], np.int32), np.arange(n))


@given(data=tables(), k=st.integers(1, 6))
@settings(deadline=None, max_examples=80)
def test_it_clusters_as_the_book_says(data, k):
    plan = Mdav(k).run(problem(data, lk.KAnonymity(1)))
    expected = np.empty(data.size, np.int64)
    for cluster, records in enumerate(clusters(data, min(k, data.size))):
        expected[records] = cluster
    assert plan.classes.tolist() == expected.tolist()


@given(data=tables(), k=st.integers(1, 6))
@settings(deadline=None, max_examples=30)
def test_further_models_hold_by_joining_clusters(data, k):
    asked = problem(data, lk.KAnonymity(k), lk.DistinctLDiversity(2))
    plan = Mdav().run(asked)
    whole = asked.holding(np.zeros(data.size, np.int64), 1).all()
    assert plan.published.all() == whole
    if whole:
        assert asked.holding(plan.classes, plan.count).all()


def test_the_mini_example():
    # 1 and 9 are the ends; the centre is 5.
    table = pl.DataFrame({"x": [1, 2, 3, 7, 8, 9], "s": list("ababab")})
    columns = {"x": lk.quasi(), "s": lk.sensitive()}
    release = lk.anonymize(table, lk.Policy(columns=columns, privacy=lk.KAnonymity(3), method=lk.Mdav()))
    assert sorted(release.table["x"].unique()) == ["[1, 3]", "[7, 9]"]


@pytest.mark.parametrize("k", [0, -1, 2.5, "many"])
def test_k_must_be_a_whole_number(k):
    with pytest.raises(lk.PolicyError, match="mdav: k must be"):
        Mdav(k)
