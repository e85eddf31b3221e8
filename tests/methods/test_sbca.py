"""SBCA: the paper's example, equality with the paper's plain procedure, leftovers, loss on Adult, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.adult import complete
from tests.methods.problems import number, plain_set, problem, tree
from tests.oracles import sbca as oracle

import likeness as lk
from likeness.methods.sbca import Sbca
from likeness.microdata.data import Microdata

SICK = plain_set("disease", 3)
OPTIONS = st.fixed_dictionaries(
    {
        "widening": st.sampled_from(["nearest", "all"]),
        "ties": st.sampled_from(["dense", "order"]),
        "normalize": st.sampled_from(["sum", "by-type"]),
    }
)


@st.composite
def tables(draw: st.DrawFn) -> Microdata:
    """Up to 30 records of all kinds of columns, many alike."""
    missing = draw(st.booleans())
    every = (
        number("age", 9, missing=missing),
        plain_set("sex", 2),
        plain_set("town", 5, missing=missing),
        tree("work"),
        number("children", 4),
    )
    quasi = tuple(every[j] for j in draw(st.permutations(range(5)))[: draw(st.integers(1, 5))])
    n = draw(st.integers(1, 30))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    distinct = draw(st.sampled_from([3, n]))
    codes = np.array([rng.integers(0, domain.codes, distinct) for domain in quasi], np.int32)
    sick = rng.integers(0, 3, n).astype(np.int32)
    return Microdata(quasi, codes[:, rng.integers(0, distinct, n)], (SICK,), sick[None], np.arange(n))


@pytest.mark.parametrize("models", [(), (lk.DistinctLDiversity(2),), (lk.BasicBetaLikeness(1),)], ids=str)
@given(data=tables(), k=st.integers(2, 6), options=OPTIONS)
@settings(deadline=None, max_examples=50)
def test_it_clusters_as_the_paper_says(models, data, k, options):
    asked = problem(data, lk.KAnonymity(k), *models)
    plan = Sbca(leftover="withhold", **options).run(asked)

    def holds(group: list[int]) -> bool:
        one = np.full(data.size, -1, np.int64)
        one[group] = 0
        return bool(asked.holding(one, 1)[0])

    made, left = oracle.classes(data, k, holds, **options)
    expected = np.full(data.size, -1, np.int64)
    for label, group in enumerate(made):
        expected[group] = label
    assert plan.classes.tolist() == expected.tolist()
    assert plan.withheld == len(left)


@pytest.mark.parametrize("leftover", ["last", "nearest", "withhold"])
@given(data=tables(), k=st.integers(2, 6))
@settings(deadline=None, max_examples=40)
def test_leftovers_join_only_where_the_models_still_hold(leftover, data, k):
    asked = problem(data, lk.KAnonymity(k), lk.BasicBetaLikeness(1))
    plan = Sbca(leftover=leftover).run(asked)
    assert plan.withheld == sum(plan.withheld_because.values())
    if plan.published.any():
        assert asked.holding(plan.classes, plan.count).all()


PAPER = pl.DataFrame(
    {
        "sex": ["Male"] * 9 + ["Female"] * 11,
        "nationality": ["Japan"] * 4 + ["USA"] * 4 + ["Iran"] + ["Japan"] * 4 + ["USA"] + ["Iran"] * 6,
        "s": ["a", "b"] * 10,
    }
)


@pytest.mark.parametrize("dense", [True, False])
def test_the_example_of_the_paper(dense):
    # Figure 3, tables 1 and 2: the context of (Male, Japan), and of everybody once Male has fewer than k.
    nationality = PAPER["nationality"].to_list()
    code = {"Japan": 0, "USA": 1, "Iran": 2}
    everywhere = [code[one] for one in nationality]
    men = everywhere[:9]
    assert [men.count(c) for c in range(3)] == [4, 4, 1]
    assert oracle.similarity(men, everywhere, 0, dense=dense) == {0: 0.0, 1: 0.5, 2: 1.0}
    assert [everywhere.count(c) for c in range(3)] == [8, 5, 7]
    assert oracle.similarity(everywhere, everywhere, 0, dense=dense) == {0: 0.0, 2: 0.5, 1: 1.0}


@pytest.mark.parametrize(("k", "joined"), [(6, "USA"), (10, "Iran")])
def test_the_context_widens_when_it_has_fewer_than_k(k, joined):
    columns = {"sex": lk.quasi(), "nationality": lk.quasi(), "s": lk.sensitive()}
    # Men first: the first record is (Male, Japan).
    table = PAPER.with_columns(pl.col("sex").replace({"Male": "0 Male", "Female": "1 Female"}))
    policy = lk.Policy(columns=columns, privacy=lk.KAnonymity(k), method=lk.Sbca())
    release = lk.anonymize(table, policy, seed=1)
    classes = release.private.solution.plan.classes
    first = set(table.filter(pl.Series(classes == classes[0])).select("sex", "nationality").rows())
    expected = {
        # Four Japanese men, then Americans at (0 + 1/2) / 2.
        "USA": {("0 Male", "Japan"), ("0 Male", "USA")},
        # Of 20 Iran is nearest to Japan: the Iranian man (1/4); American men, Japanese women are at 1/2.
        "Iran": {("0 Male", "Japan"), ("0 Male", "Iran"), ("0 Male", "USA"), ("1 Female", "Japan")},
    }
    assert first <= expected[joined]
    assert ("0 Male", joined) in first


def test_fewer_records_than_k_are_withheld():
    with pytest.raises(lk.CannotBeMetError, match="the strongest it could meet is k = 20"):
        columns = {"sex": lk.quasi(), "nationality": lk.quasi(), "s": lk.sensitive()}
        lk.anonymize(PAPER, lk.Policy(columns=columns, privacy=lk.KAnonymity(21), method=lk.Sbca()))


def test_without_quasi_identifiers_there_is_one_class():
    columns = {"sex": lk.drop(), "nationality": lk.drop(), "s": lk.sensitive()}
    release = lk.anonymize(PAPER, lk.Policy(columns=columns, privacy=lk.KAnonymity(2), method=lk.Sbca()))
    assert release.evaluation.plan.classes.tolist() == [0] * 20


def release(table: pl.DataFrame, k: int, **options: Any) -> lk.Release:
    quasi = ("age", "sex", "native-country")
    columns = {
        name: lk.quasi() if name in quasi else lk.sensitive() if name == "salary-class" else lk.drop()
        for name in table.columns
    }
    return lk.anonymize(table, lk.Policy(columns=columns, privacy=lk.KAnonymity(k), method=Sbca(**options)))


PROTOTYPE = {2: 0.0017, 5: 0.0066, 10: 0.013, 20: 0.021, 50: 0.043, 100: 0.078}
"""NCP-total of an independent prototype."""


@pytest.mark.slow
def test_adult_loses_no_more_than_the_prototype(data_folder):
    table = complete(data_folder, 5_000)
    lost = {k: release(table, k).loss("ncp-total")["ncp-total"] for k in (2, 5, *range(10, 101, 10))}
    assert max(lost.values()) < 0.2
    assert all(lost[k] <= most for k, most in PROTOTYPE.items())
