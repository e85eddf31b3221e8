"""Random workloads, and how much they select."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.forms.publications import integers, plan_for, publish, table, words
from tests.metrics.tables import tree

from likeness.errors import PolicyError, TableError
from likeness.forms.anatomized import AnatomizedForm
from likeness.forms.generalized import GeneralizedForm
from likeness.hierarchies import prefixes
from likeness.microdata.domain import Domain
from likeness.microdata.plan import Plan
from likeness.queries.drawing import (
    Listed,
    Numbers,
    Reals,
    axis_share,
    draw_workload,
    exact_answers,
    line_of,
    relative_errors,
)
from likeness.queries.query import Consecutive, Query, Workload

AGE = replace(integers("age", list(range(16, 95))), declared=True)
SEX = words("sex", ["f", "m"])
LEVEL = Domain("level", "ordered", np.array(["low", "mid", "high"], object), "interval")
PAY = integers("pay", list(range(50)))


def census(n=3_000, seed=0):
    rng = np.random.default_rng(seed)
    columns = [(own, rng.integers(0, own.size, n).tolist()) for own in (AGE, SEX, LEVEL, PAY)]
    return table(columns[:3], columns[3:])


DATA = census()


@pytest.mark.parametrize(
    ("predicates", "share"), [(1, 0.316), (2, 0.464), (3, 0.562), (4, 0.631), (5, 0.681)]
)
def test_share_of_each_axis(predicates, share):
    assert axis_share(0.1, predicates + 1) == pytest.approx(share, abs=5e-4)


def test_ranges_of_numbers_have_their_width_and_begin_anywhere():
    line = line_of(AGE)
    assert isinstance(line, Numbers)
    assert line.width(0.562) == 44
    starts = line.draw(np.random.default_rng(0), 0.562, 4_000)
    assert set(starts) == set(range(79 - 44 + 1))
    assert {line.condition(start, 0.562)[1] - line.condition(start, 0.562)[0] for start in starts} == {43}
    assert line.condition(35, 0.562) == (51, 94)
    assert line.width(0.001) == 1


@pytest.mark.parametrize(
    ("domain", "start", "share", "expected"),
    [
        (Domain("x", "real", np.array([1.0, 5.0]), "interval", low=0.0, high=8.0), 1.5, 0.25, (1.5, 3.5)),
        (LEVEL, 1, 0.6, ("mid", "high")),
        (
            Domain("day", "date", np.array(["2024-01-01", "2024-01-10"], "M8[D]"), "interval"),
            3,
            0.5,
            ("2024-01-04", "2024-01-08"),
        ),
        # A domain that was not given, or is too narrow, is what was observed.
        (Domain("n", "integer", np.array([5, 9]), "interval"), 0, 1.0, (5, 9)),
    ],
)
def test_conditions(domain, start, share, expected):
    assert line_of(domain).condition(start, share) == expected


def test_leaves_are_taken_in_pre_order_unless_nobody_knows_it():
    declared = tree(["b", "a", "c"], [0, 0, 1])
    leaves = Domain("x", "hierarchical", np.array(declared.leaves, object), "tree", declared)
    found = line_of(leaves).condition(0, 0.6)
    assert isinstance(found, Consecutive)
    assert list(found) == list(declared.leaves[:2])
    made = prefixes(["12", "11", "21"], 2, name="zip")
    codes = Domain("zip", "hierarchical", np.array(made.leaves, object), "tree", made)
    line = line_of(codes)
    assert isinstance(line, Listed)
    assert line.condition(1, 0.6) == (12, 21)


def test_reals_fit_their_domain():
    starts = Reals(2.0, 4.0).draw(np.random.default_rng(1), 0.75, 500)
    assert 2.0 <= starts.min() < 2.02
    assert 2.48 < starts.max() <= 2.5


def test_the_widest_domain_of_whole_numbers():
    line = Numbers(-(2**63), 2**63 - 1)
    start = line.draw(np.random.default_rng(0), 0.5, 9).max()
    low, high = line.condition(start, 0.5)
    assert -(2**63) <= low < high <= 2**63 - 1


@pytest.mark.slow
def test_every_query_has_its_predicates_and_finds_something():
    workload = draw_workload(DATA, queries=500, predicates=2, seed=5)
    assert len(workload) == 500
    counts = sum((workload.which[name] >= 0).astype(int) for name in ("age", "sex", "level"))
    assert set(counts) == {2}
    assert (workload.which["pay"] >= 0).all()
    assert workload.exact.min() > 0
    assert {name for i in range(40) for name in workload[i].where} == {"age", "sex", "level", "pay"}
    brute = [plain_count(query) for query in list(workload)[:60]]
    assert workload.exact[:60].tolist() == brute
    assert exact_answers(DATA, workload) == pytest.approx(workload.exact)


def plain_count(query):
    """Count record by record."""
    found = 0
    for row in range(DATA.size):
        values = {
            own.name: own.values[code]
            for own, code in zip(
                (*DATA.quasi, *DATA.sensitive),
                (*DATA.codes[:, row], *DATA.sensitive_codes[:, row]),
                strict=True,
            )
        }
        found += all(meets(values[name], condition) for name, condition in query.where.items())
    return found


def meets(value, condition):
    if isinstance(condition, Consecutive):
        return value in list(condition)
    if isinstance(condition[0], str):
        order = list(LEVEL.values)
        return order.index(condition[0]) <= order.index(value) <= order.index(condition[1])
    return condition[0] <= value <= condition[1]


def test_uniform_tables_have_the_selectivity_that_was_asked_for():
    rng = np.random.default_rng(3)
    own = [integers(f"a{j}", list(range(100))) for j in range(4)]
    data = table(
        [(x, rng.integers(0, 100, 20_000).tolist()) for x in own[:3]],
        [(own[3], rng.integers(0, 100, 20_000).tolist())],
    )
    for selectivity in (0.05, 0.25):
        workload = draw_workload(data, queries=400, predicates=3, selectivity=selectivity)
        assert workload.exact.mean() / data.size == pytest.approx(selectivity, rel=0.05)


def test_the_seed_decides():
    first, again, other = (draw_workload(DATA, queries=50, seed=seed) for seed in (1, 1, 2))
    assert list(first) == list(again)
    assert list(first) != list(other)


def test_queries_that_find_nothing_are_drawn_again():
    alone = table([(AGE, [40])], [(PAY, [7])])
    workload = draw_workload(alone, queries=200, predicates=1, selectivity=0.01)
    assert workload.exact.tolist() == [1.0] * 200


def test_other_columns_and_none():
    workload = draw_workload(DATA, queries=30, predicates=1, sensitive=False, among=["age"])
    assert list(workload.which) == ["age"]
    assert (workload.which["age"] >= 0).all()
    # S alone: the range covers all of the selectivity.
    alone = draw_workload(DATA, queries=30, predicates=0, selectivity=0.5)
    assert {query.where["pay"][1] - query.where["pay"][0] for query in alone} == {24}


def test_sums_and_means():
    workload = draw_workload(DATA, queries=40, predicates=1, aggregate="avg", of="age")
    counts = exact_answers(DATA, workload.asking("count"))
    sums = exact_answers(DATA, workload.asking("sum", "age"))
    assert workload.exact == pytest.approx(sums / counts)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"predicates": 4}, PolicyError, "query-error: 4 predicates on 3 quasi-identifiers; ask for fewer"),
        ({"selectivity": 0}, PolicyError, "query-error: selectivity must be a number above 0"),
        ({"queries": 0}, PolicyError, "query-error: queries must be a whole number of at least 1"),
        ({"predicates": 0, "sensitive": False}, PolicyError, "there is no column to put a condition on"),
        ({"among": ["aeg"]}, TableError, "'aeg' is not a quasi-identifier; did you mean 'age'"),
        ({"aggregate": "sum", "of": "sex"}, TableError, "column 'sex': is not a column of numbers"),
    ],
)
def test_what_cannot_be_drawn(options, error, message):
    with pytest.raises(error, match=message):
        draw_workload(DATA, **options)


def test_a_workload_that_finds_nothing_ends():
    wide = replace(PAY, values=np.array([0, 10**9]), low=0.0, high=1e9)
    far = table([(replace(AGE, high=1e9), [0])], [(wide, [0])])
    with pytest.raises(PolicyError, match="only 0 of 20000 random queries find any record; ask for fewer"):
        draw_workload(far, queries=1_000, selectivity=1e-12)
    with pytest.raises(PolicyError, match="the table has no records to ask about"):
        draw_workload(DATA.take(np.zeros(0, np.int64)), queries=5)


def test_errors_of_exact_and_of_empty_releases():
    workload = draw_workload(DATA, queries=100)
    classes = Plan(np.arange(DATA.size))
    exact, _, _ = publish(GeneralizedForm(), DATA, classes)
    assert relative_errors(exact, workload) == pytest.approx(np.zeros(100), abs=1e-12)
    nobody, _, _ = publish(GeneralizedForm(), DATA, [-1] * DATA.size)
    assert relative_errors(nobody, workload).tolist() == [1.0] * 100
    assert (
        relative_errors(nobody, draw_workload(DATA, queries=9, aggregate="avg", of="age")).tolist()
        == [1.0] * 9
    )
    with pytest.raises(PolicyError, match="the workload has no exact answers"):
        relative_errors(exact, Workload.of_queries([Query({})]))


def test_one_workload_fits_releases_of_every_form():
    workload = draw_workload(DATA, queries=60, seed=8)
    plan = Plan(np.arange(DATA.size) // 10)
    for form in (GeneralizedForm(), AnatomizedForm()):
        publication, _, _ = publish(form, DATA, plan_for(form, DATA, plan))
        errors = relative_errors(publication, workload)
        plain = [abs(publication.estimate(q) - x) / x for q, x in zip(workload, workload.exact, strict=True)]
        assert errors == pytest.approx(plain, abs=1e-9)
