"""Exact numbers of people, and the paper's workload of queries about them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.forms.publications import integers, publish, table, words
from tests.identity_reserved import S4_TABLE4, s4_classes, s4_microdata
from tests.metrics.tables import evaluate
from tests.queries.workloads import tables, wheres

from likeness.errors import PolicyError, TableError
from likeness.forms.generalized import GeneralizedForm
from likeness.forms.identity_reserved import IdentityReservedForm
from likeness.metrics.average_class_size import AverageClassSize
from likeness.metrics.base import Evaluation
from likeness.metrics.c_avg import CAvg
from likeness.metrics.classification import Classification
from likeness.metrics.discernibility import Discernibility
from likeness.metrics.measuring import measure_all
from likeness.metrics.query_error import QueryError
from likeness.microdata.plan import Plan
from likeness.microdata.regions import recode
from likeness.queries.drawing import (
    Chosen,
    IndividualCounts,
    Numbers,
    draw_workload,
    exact_answers,
    line_of,
    relative_errors,
)
from likeness.queries.overlap import condition_shares
from likeness.queries.query import Query, Workload

S4 = s4_microdata()
PAPER = {"selectivity": 0.05, "conditions": "values"}


def s4(form=None, withheld=()):
    """Table 4, some individuals withheld."""
    classes = s4_classes(S4_TABLE4)
    classes[np.isin(S4.individuals, withheld)] = -1
    plan, recoding = recode(S4, Plan(classes))
    return Evaluation(S4, plan, recoding, publish(form or IdentityReservedForm(), S4, plan)[0])


@pytest.mark.parametrize(
    ("where", "records", "people"),
    # Worked out by hand.
    [
        ({"Age": (33, 36), "Disease": ["Hypertension"]}, 3, 3),
        ({"Gender": ["M"], "Disease": ["Hypertension"]}, 2, 2),
        ({"Gender": ["M"], "Postcode": ["10085"], "Disease": ["Hypertension", "Heart"]}, 2, 1),
        ({"Disease": ["Hypertension", "Heart"]}, 5, 4),
        ({}, 10, 7),
    ],
)
def test_precise_answers_of_the_paper(where, records, people):
    assert exact_answers(S4, Workload.of_queries([Query(where)])).tolist() == [records]
    assert exact_answers(S4, Workload.of_queries([Query(where, "individuals")])).tolist() == [people]


@given(draw=st.data())
@settings(deadline=None, max_examples=100)
def test_equal_to_looking_at_every_record(draw):
    data, _ = draw.draw(tables())
    n = data.size
    individuals = np.array(draw.draw(st.lists(st.integers(0, 4), min_size=n, max_size=n)))
    weights = np.array(draw.draw(st.lists(st.sampled_from([0.5, 1.0, 4.0]), min_size=n, max_size=n)))
    data = replace(data, individuals=individuals, survey_weights=weights)
    asked = [draw.draw(wheres(data)) for _ in range(3)]
    expected = []
    for where in asked:
        meets = np.ones(n, np.bool_)
        for domain, codes in zip(
            (*data.quasi, *data.sensitive), (*data.codes, *data.sensitive_codes), strict=True
        ):
            if domain.name in where:
                meets &= condition_shares(domain, where[domain.name])[codes] > 0
        found = {int(who) for who, met in zip(individuals, meets, strict=True) if met}
        expected.append((len(found), sum(weights[individuals == who].mean() for who in found)))
    workload = Workload.of_queries([Query(where, "individuals") for where in asked])
    assert exact_answers(data, workload).tolist() == [count for count, _ in expected]
    weighed = exact_answers(data, workload, people=True)
    assert weighed == pytest.approx([weight for _, weight in expected])


def test_who_has_one_record_is_one_individual():
    alone = replace(S4, individuals=None)
    workload = Workload.of_queries([Query({"Disease": ["Heart"]}, "individuals"), Query({}, "individuals")])
    assert exact_answers(alone, workload).tolist() == [2, 10]


def test_the_columns_are_checked_where_everybody_differs():
    differing = replace(S4, individuals=np.zeros(10, np.int64))
    counts = IndividualCounts(differing, np.ones(10))
    assert counts.answer(Workload.of_queries([Query({}, "individuals")])).tolist() == [1]
    with pytest.raises(TableError, match="no published column 'age'"):
        counts.answer(Workload.of_queries([Query({"age": (1, 2)}, "individuals")]))


def people(n=2_000, seed=0):
    """People with 1 to 5 records: an age, a town of 20, a sex; diagnoses of 40."""
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(n), rng.integers(1, 6, n))
    columns = [
        (integers("age", list(range(80))), rng.integers(0, 80, n)),
        (words("town", [f"t{i:02d}" for i in range(20)]), rng.integers(0, 20, n)),
        (words("sex", ["f", "m"]), rng.integers(0, 2, n)),
    ]
    diagnosis = words("diagnosis", [f"d{i:02d}" for i in range(40)])
    data = table(
        [(domain, own[who].tolist()) for domain, own in columns],
        [(diagnosis, rng.integers(0, 40, who.size).tolist())],
    )
    return replace(data, individuals=who)


def test_the_workload_of_the_paper():
    data = people()
    share = 0.05 ** (1 / 3)
    workload = draw_workload(data, queries=500, predicates=2, aggregate="individuals", **PAPER)
    widths = {name: set() for name in ("age", "town", "sex", "diagnosis")}
    asked = {name: set() for name in widths}
    for query in workload:
        assert len(query.where) == 3
        assert "diagnosis" in query.where
        for name, condition in query.where.items():
            widths[name].add(condition[1] - condition[0] + 1 if name == "age" else len(condition))
            asked[name] |= {tuple(condition)}
    # ⌈80 · 0.368⌉, ⌈20 · 0.368⌉, ⌈2 · 0.368⌉, ⌈40 · 0.368⌉
    assert widths == {"age": {30}, "town": {8}, "sex": {1}, "diagnosis": {15}}
    assert share == pytest.approx(0.3684, abs=1e-4)
    assert len(asked["town"]) > 200
    assert asked["sex"] == {("f",), ("m",)}
    assert {value for towns in asked["town"] for value in towns} == {f"t{i:02d}" for i in range(20)}
    assert workload.exact.min() >= 1
    assert (workload.exact <= exact_answers(data, workload.asking("count"))).all()


def test_widths_are_rounded_up_but_not_for_rounding_errors():
    ages = line_of(integers("age", list(range(10))), "values")
    assert isinstance(ages, Numbers)
    # 0.001^(1/3) is 0.1 and a bit more.
    assert [ages.width(share) for share in (0.001 ** (1 / 3), 0.11, 1.0, 0.001)] == [1, 2, 10, 1]
    assert line_of(integers("age", list(range(10)))).width(0.11) == 1


def test_every_set_of_values_is_as_likely():
    line = Chosen(("a", "b", "c", "d"))
    starts = line.draw(np.random.default_rng(0), 0.5, 6_000)
    found = [tuple(line.condition(start, 0.5)) for start in starts.tolist()]
    counts = [found.count(pair) for pair in sorted(set(found))]
    assert len(counts) == 6
    # Each has a sixth: 1,000 with a standard deviation of 29.
    assert max(abs(count - 1_000) for count in counts) < 130
    assert line.condition(line.draw(np.random.default_rng(0), 1.0, 1)[0], 1.0) == ["a", "b", "c", "d"]


def test_the_metric_counts_people():
    asked = {"queries": 200, "predicates": 1, "statistic": "mean", **PAPER}
    release = s4()
    workload = draw_workload(S4, queries=200, predicates=1, aggregate="individuals", **PAPER)
    errors = relative_errors(release.publication, workload)
    expected = [
        abs(release.publication.estimate(query) - exact) / exact
        for query, exact in zip(workload, workload.exact, strict=True)
    ]
    assert errors == pytest.approx(expected)
    assert QueryError(**asked, count="individuals").measure(release) == np.mean(errors)
    assert QueryError(**asked | {"statistic": "median"}, count="individuals").measure(release) == np.median(
        errors
    )
    each = replace(release, publication=publish(IdentityReservedForm(), S4, S4.individuals.tolist())[0])
    assert QueryError(**asked, count="individuals").measure(each) == 0


def test_the_metric_needs_a_release_that_says_whose_records_are_whose():
    release = s4(GeneralizedForm())
    with pytest.raises(
        PolicyError, match="query-error: individuals can be counted only where a release says"
    ):
        QueryError(10, 1, 0.5, count="individuals").measure(release)
    found = measure_all(release, {"query-error": {"queries": 10, "selectivity": 0.5, "count": "individuals"}})
    assert "individuals can be counted only" in found.skipped["query-error"]
    assert QueryError(10, 1, 0.5).measure(release) > 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"count": "people"}, "query-error: count must be one of records, individuals; got 'people'"),
        (
            {"conditions": "value"},
            "conditions must be one of ranges, values; got 'value'; did you mean 'values'",
        ),
        ({"aggregate": "individuals"}, "query-error: aggregate must be one of count, sum, avg"),
        (
            {"aggregate": "sum", "of": "Age", "count": "individuals"},
            "query-error: count: individuals goes with aggregate: count; got 'sum'",
        ),
    ],
)
def test_parameters(options, message):
    with pytest.raises(PolicyError, match=message):
        QueryError(**options)


def test_sizes_are_of_people():
    # Three and four people in classes of five records each.
    assert AverageClassSize().measure(s4()) == 3.5
    assert CAvg(k=3).measure(s4()) == pytest.approx(7 / 2 / 3)
    assert Discernibility().measure(s4()) == 9 + 16
    assert Discernibility(k=4).measure(s4()) == 3 * 7 + 16
    # Without Mike, who has two records.
    without = s4(withheld=[0])
    assert AverageClassSize().measure(without) == 3
    assert CAvg(k=3).measure(without) == pytest.approx(7 / 2 / 3)
    assert Discernibility().measure(without) == 9 + 9 + 7
    nobody = s4(withheld=range(7))
    assert [one.measure(nobody) for one in (AverageClassSize(), CAvg(k=2), Discernibility())] == [7, 3.5, 49]


def test_votes_are_about_records():
    # Hypertension is 3 of the 10 records, and everybody's vote in one of the classes; all other diseases are there once.
    assert Classification().measure(s4()) == pytest.approx(1 - (1 + 2) / 10)


def test_a_table_of_nobody():
    empty = evaluate((), [], [], [])
    empty = replace(empty, data=replace(empty.data, individuals=np.zeros(0, np.int64)))
    assert [one.measure(empty) for one in (AverageClassSize(), CAvg(k=2), Discernibility())] == [0, 0, 0]
