"""Exchange cuts: equal to plain loops; the guarantee holds, nobody is lost, and there are cuts where Mondrian finds none."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.methods.problems import number, plain_set, problem, table, tree
from tests.methods.test_local_search import GUARANTEES, groups
from tests.oracles.exchange_cuts import cut_all
from tests.oracles.k_member import loss_of

import likeness as lk
from likeness.kernels.class_tests import lay_out
from likeness.methods.base import Problem
from likeness.methods.exchange_cuts import _FIRST, ExchangeCuts, _CutTable
from likeness.methods.exchange_cuts.kernels import SideTests
from likeness.microdata.data import Microdata
from likeness.microdata.regions import LOSSES

WAYS = [(0, False, False), (8, False, False), (4, True, False), (0, False, True), (16, False, True)]
LIMIT = Fraction(2, 5)


@st.composite
def tables(draw: st.DrawFn, values: int = 3) -> Microdata:
    """Up to 24 records with some sensitive values; sums of losses are exact, so that rounding decides no tie."""
    missing = draw(st.booleans())
    domains = [number("age", 9), tree("work", missing=missing), plain_set("sex", 3), plain_set("town", 5)]
    quasi = tuple(
        draw(st.lists(st.sampled_from(domains), min_size=1, max_size=2, unique_by=lambda x: x.name))
    )
    n = draw(st.integers(1, 24))
    codes = [draw(st.lists(st.integers(0, x.codes - 1), min_size=n, max_size=n)) for x in quasi]
    sick = draw(st.lists(st.integers(0, values - 1), min_size=n, max_size=n))
    disease = plain_set("disease", values)
    return Microdata(quasi, np.array(codes, np.int32), (disease,), np.array([sick], np.int32), np.arange(n))


def close(whole: list[int]):
    """Equal-distance t-closeness with t = 2/5, by fractions."""
    total = sum(whole)

    def holds(counts: list[int], size: int) -> bool:
        over = (Fraction(c, size) - Fraction(w, total) for c, w in zip(counts, whole, strict=True))
        return sum(abs(x) for x in over) / 2 <= LIMIT

    return holds


def diverse(counts: list[int], size: int) -> bool:
    """Distinct 2-diversity of at least two."""
    return size >= 2 and sum(c > 0 for c in counts) >= 2


def passed(asked: Problem, way: tuple[int, bool, bool]) -> list[list[int]]:
    """Classes of one pass of the kernel, each in ascending order."""
    kept = np.arange(asked.data.size)
    laid = _CutTable.of(asked, kept)
    return sorted(groups(laid.cut(np.zeros(kept.size, np.int64), way)))


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("loss", ["glm", "ncp"])
@given(data=tables())
@settings(deadline=None, max_examples=20)
def test_a_pass_is_what_plain_loops_find(data, way, loss):
    whole = np.bincount(data.sensitive_codes[0], minlength=3).tolist()
    for model, holds in ((lk.TCloseness(LIMIT), close(whole)), (lk.DistinctLDiversity(2), diverse)):
        asked = replace(problem(data, model, lk.KAnonymity(1)), loss=LOSSES[loss])
        if not asked.holding(np.zeros(data.size, np.int64), 1).all():
            continue
        expected = cut_all(data, holds, loss, way)
        assert passed(asked, way) == sorted(sorted(own) for own in expected)


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
@given(data=tables(values=9))
@settings(deadline=None, max_examples=20)
def test_so_it_is_where_few_have_a_value(data, way):
    """Most shares leave as many records as the one before, and are passed over."""
    asked = replace(problem(data, lk.DistinctLDiversity(3)), loss=LOSSES["ncp"])
    if not asked.holding(np.zeros(data.size, np.int64), 1).all():
        return
    expected = cut_all(data, lambda counts, size: size >= 3 and sum(c > 0 for c in counts) >= 3, "ncp", way)
    assert passed(asked, way) == sorted(sorted(own) for own in expected)


@given(data=tables())
@settings(deadline=None, max_examples=20)
def test_a_reserve_is_about_shares_alone(data):
    everybody, one_class = np.arange(data.size), np.zeros(data.size, np.int64)
    asked = problem(data, lk.DistinctLDiversity(2))
    laid = _CutTable.of(asked, everybody)
    assert laid.different(_FIRST) == _FIRST
    # As where people have several records: shares are of parts of the histogram there.
    without = laid._replace(of_shares=SideTests.of(lay_out([])))
    assert without.different(_FIRST) == ((0, False, False), (0, False, True), (0, True, False))
    if asked.holding(one_class, 1).all():
        found = [without.cut(one_class, way).tolist() for way in _FIRST if way[1:] == (False, False)]
        assert all(one == found[0] for one in found)


@pytest.mark.slow
@given(seed=st.integers(0, 1000))
@settings(deadline=None, max_examples=5)
def test_so_it_is_where_neighbours_are_taken_together(seed):
    data = table([60, 30, 20], seed, numbers=129)
    data = Microdata(
        data.quasi[:1], data.codes[:1], data.sensitive, data.sensitive_codes, np.arange(data.size)
    )
    asked = replace(problem(data, lk.TCloseness(LIMIT)), loss=LOSSES["ncp"])
    expected = cut_all(data, close([60, 30, 20]), "ncp", (4, False, False))
    assert passed(asked, (4, False, False)) == sorted(sorted(own) for own in expected)


@pytest.mark.parametrize("models", [x for name, x in GUARANTEES.items() if name != "k"])
@given(data=tables(), loss=st.sampled_from(["glm", "ncp", "iloss"]))
@settings(deadline=None, max_examples=25)
def test_every_class_holds_and_nobody_is_lost(models, data, loss):
    asked = problem(data, *models)
    plan = ExchangeCuts(loss=loss).run(asked)
    whole = asked.holding(np.zeros(data.size, np.int64), 1).all()
    assert plan.published.all() == whole
    if whole:
        assert asked.holding(plan.classes, plan.count).all()
        lost = sum(len(own) * loss_of(data, own, loss) for own in groups(plan.classes))
        assert lost <= data.size * loss_of(data, list(range(data.size)), loss) + 1e-9


def test_records_change_sides_where_no_cut_holds():
    # Values stand in two runs: no threshold leaves both in both sides, and one record of each run changes sides.
    codes = np.array([[0, 1, 2, 3, 4, 5, 6, 7]], np.int32)
    sick = np.array([[0, 0, 0, 0, 1, 1, 1, 1]], np.int32)
    data = Microdata((number("age", 8),), codes, (plain_set("disease", 2),), sick, np.arange(8))
    asked = problem(data, lk.TCloseness(Fraction(1, 4)))
    assert lk.Mondrian().run(asked).count == 1
    plan = ExchangeCuts().run(asked)
    assert plan.count > 1
    assert asked.holding(plan.classes, plan.count).all()


def test_parts_are_cut_apart_and_those_that_cannot_hold_are_withheld():
    data = table([20, 20], seed=3)
    parts = (np.arange(40) % 3).astype(np.int64)
    # The third part has one value only.
    sick = data.sensitive_codes.copy()
    sick[0, parts == 2] = 0
    data = Microdata(data.quasi, data.codes, data.sensitive, sick, data.rows)
    asked = replace(problem(data, lk.DistinctLDiversity(2)), parts=parts)
    plan = ExchangeCuts().run(asked)
    assert (plan.published == (parts != 2)).all()
    for own in groups(plan.classes):
        assert len(set(parts[own].tolist())) == 1
    assert asked.holding(plan.classes, plan.count).all()


def test_nobody_at_all():
    empty = table([1, 1]).take(np.zeros(0, np.int64))
    assert ExchangeCuts().run(problem(empty, lk.DistinctLDiversity(2))).classes.size == 0


def test_a_guarantee_that_looks_at_no_sensitive_value_is_refused():
    frame = pl.DataFrame({"x": [1, 2, 3, 4], "s": list("abab")})
    policy = lk.Policy(
        columns={"x": lk.quasi(), "s": lk.sensitive()}, privacy=lk.KAnonymity(2), method=ExchangeCuts()
    )
    with pytest.raises(lk.PolicyError, match="the guarantee looks at none; use mondrian"):
        lk.anonymize(frame, policy)


def test_people_with_several_records():
    frame = pl.DataFrame(
        {
            "person": [i // 2 for i in range(80)],
            "age": [20 + (i // 2) % 17 for i in range(80)],
            "ill": [["flu", "cold", "ache"][(7 * i + i // 5) % 3] for i in range(80)],
        }
    )
    policy = lk.Policy(
        columns={"person": lk.identifier(), "age": lk.quasi(), "ill": lk.sensitive()},
        individual="person",
        privacy=lk.EirLDiversity(2),
        method=ExchangeCuts(),
    )
    release = lk.anonymize(frame, policy)
    assert release.private.solution.plan.count > 1
    assert release.verify().ok


@pytest.mark.parametrize(
    ("models", "records", "served", "tried"),
    [
        pytest.param((lk.BetaLikeness(4),), 300_000, True, True, id="not many"),
        pytest.param((lk.BetaLikeness(4),), 300_001, True, False, id="many"),
        pytest.param(
            (lk.BetaLikeness(4), lk.KAnonymity(5)), 300_001, True, False, id="no other looks at values"
        ),
        pytest.param((lk.BetaLikeness(4), lk.DistinctLDiversity(3)), 300_001, True, True, id="another looks"),
        pytest.param((lk.TCloseness("0.2"),), 300_001, True, True, id="t-closeness"),
        pytest.param((lk.BetaLikeness(4),), 300_001, False, True, id="nothing else has a release"),
    ],
)
def test_of_many_records_it_is_not_tried_where_another_method_loses_less(models, records, served, tried):
    assert ExchangeCuts().always_tried(models, records, served=served) is tried
