"""The error of aggregate queries, as a metric."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.forms.publications import integers, publish, table, words

import likeness as lk
from likeness.errors import PolicyError
from likeness.forms.anatomized import AnatomizedForm
from likeness.forms.angelized import AngelizedForm
from likeness.forms.generalized import GeneralizedForm
from likeness.forms.microaggregated import MicroaggregatedForm
from likeness.metrics.base import Evaluation
from likeness.metrics.measuring import measure_all, metric_named
from likeness.metrics.mini_table import mini_table
from likeness.metrics.query_error import QueryError, affordable_queries
from likeness.microdata.plan import Plan, renumber
from likeness.microdata.regions import recode
from likeness.queries.drawing import draw_workload, relative_errors

AGE, PAY = integers("age", [1, 2, 3, 4]), integers("pay", [1, 2])
# Ages 1 to 4, published as [1, 4]: every range of two ages is estimated at half of the four.
DATA = table([(AGE, [0, 0, 0, 3])], [(PAY, [0, 0, 0, 0])])


def evaluate(data, classes):
    plan, recoding = recode(data, Plan(np.array(classes)))
    return Evaluation(data, plan, recoding, publish(GeneralizedForm(), data, plan)[0])


def test_by_hand():
    # Of the ranges 1-2, 2-3 and 3-4 the middle one finds nobody; the others 3 and 1, estimated at 2.
    asked = {"queries": 400, "predicates": 1, "selectivity": 0.25}
    one = evaluate(DATA, [0, 0, 0, 0])
    errors = relative_errors(one.publication, draw_workload(DATA, **asked))
    assert set(np.round(errors, 9)) == {round(1 / 3, 9), 1.0}
    share = np.mean(errors == 1.0)
    assert 0.4 < share < 0.6
    assert QueryError(**asked).measure(one) == np.median(errors)
    assert QueryError(**asked, statistic="mean").measure(one) == pytest.approx(share + (1 - share) / 3)


def test_without_a_condition_on_the_sensitive_column_by_hand():
    # Half of each domain: ages 1 to 2, 2 to 3 and 3 to 4, whatever the pay; answers as above, but 1 for each pay alone.
    both = table([(AGE, [0, 0, 0, 3])], [(PAY, [0, 0, 1, 1])])
    one = evaluate(both, [0, 0, 0, 0])
    metric = QueryError(400, 1, 0.5, sensitive=False, statistic="mean")
    workload = draw_workload(both, queries=400, predicates=1, selectivity=0.5, sensitive=False)
    assert set(workload.exact.tolist()) == {3.0, 1.0}
    assert not (workload.which.get("pay", np.full(1, -1)) >= 0).any()
    share = np.mean(workload.exact == 1)
    assert metric.measure(one) == pytest.approx(share * 1 + (1 - share) / 3)
    # Quasi-identifiers as they are answer every such query, whatever the buckets.
    assert QueryError(sensitive=False).measure(evaluate(both, [0, 0, 0, 1])) == 0


def test_that_of_amiri_asks_a_hundred_queries_about_one_quasi_identifier_each():
    found = measure_all(mini_table())
    plain = QueryError(100, 1, statistic="mean", sensitive=False)
    assert metric_named("query-error-quasi") == plain
    assert found["query-error-quasi"] == plain.measure(mini_table())
    assert found.details["query-error-quasi"]["queries"] == 100
    data = mini_table().data
    workload = draw_workload(data, queries=100, predicates=1, sensitive=False)
    errors = relative_errors(mini_table().publication, workload)
    assert found["query-error-quasi"] == pytest.approx(errors.mean())
    assert (sum(own >= 0 for own in workload.which.values()) == 1).all()
    with pytest.raises(PolicyError, match="there is no column to put a condition on"):
        QueryError(predicates=0, sensitive=False).measure(mini_table())


def test_what_is_withheld_counts_as_error():
    asked = QueryError(queries=300, predicates=1, selectivity=0.25, statistic="mean")
    assert asked.measure(evaluate(DATA, [0, 0, 0, 1])) == 0
    # The one of age 4 is not published: ranges that ask for it have an error of 1.
    assert 0.3 < asked.measure(evaluate(DATA, [0, 0, 0, -1])) < 0.7


def test_releases_measure_themselves():
    rng = np.random.default_rng(0)
    frame = pl.DataFrame(
        {"age": rng.integers(20, 60, 400), "zip": rng.integers(0, 9, 400), "pay": rng.integers(0, 20, 400)}
    )
    columns = {"age": lk.quasi(), "zip": lk.quasi(), "pay": lk.sensitive()}
    found = []
    for k in (2, 100):
        release = lk.anonymize(frame, lk.Policy(columns=columns, privacy=lk.KAnonymity(k)), seed=1)
        metric = QueryError(queries=300)
        (value,) = release.loss(metric).values()
        assert release.loss()["query-error"] > 0
        found.append(value)
    assert 0 < found[0] < found[1]


def test_sums_and_means_of_numbers():
    sums = QueryError(queries=50, predicates=1, aggregate="sum", of="age").measure(mini_table())
    means = QueryError(queries=50, predicates=1, aggregate="avg", of="age").measure(mini_table())
    assert 0 < means < sums < 2


def test_without_what_was_published_it_is_skipped():
    bare = replace(mini_table(), publication=None)
    with pytest.raises(PolicyError, match="query-error: needs the published tables"):
        QueryError().measure(bare)
    assert "query-error" in measure_all(bare).skipped


def test_a_release_that_does_not_say_what_its_star_is_cannot_be_measured():
    mixed = table([(integers("age", [1, 2], missing=True), [0, 1, 2])], [(PAY, [0, 1, 0])])
    with pytest.raises(
        PolicyError, match="query-error: column 'age': what '\\*' stands for was not published"
    ):
        QueryError(queries=5).measure(evaluate(mixed, [0, 0, 0]))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"queries": 0}, "queries must be a whole number of at least 1; got 0"),
        ({"predicates": -1}, "predicates must be a whole number of at least 0; got -1"),
        ({"selectivity": 1.5}, "selectivity must be a number above 0 and at most 1; got 1.5"),
        ({"statistic": "max"}, "statistic must be one of median, mean; got 'max'"),
        ({"aggregate": "avg"}, "avg needs of="),
    ],
)
def test_parameters(options, message):
    with pytest.raises(PolicyError, match=message):
        QueryError(**options)


def test_more_predicates_than_columns():
    with pytest.raises(PolicyError, match="5 predicates on 2 quasi-identifiers"):
        QueryError(predicates=5).measure(mini_table())


@pytest.mark.parametrize(
    ("values", "queries"), [(1, 10_000), (2_000, 10_000), (50_000, 400), (10_000_000, 100)]
)
def test_the_number_of_queries_fits_the_number_of_sensitive_values(values, queries):
    class Data:
        sensitive = (SimpleNamespace(codes=values),)
        size, tuples = 1, SimpleNamespace(count=1)

    assert affordable_queries(Data()) == queries


@pytest.mark.parametrize(
    ("records", "tuples", "queries"),
    [(100_000, 100_000, 10_000), (1_000_000, 900_000, 1_000), (10**8, 500, 10_000), (10**8, 10**8, 100)],
)
def test_the_number_of_queries_fits_the_number_of_different_records(records, tuples, queries):
    class Data:
        sensitive = (SimpleNamespace(codes=2),)
        size = records

    Data.tuples = SimpleNamespace(count=tuples)
    assert affordable_queries(Data()) == queries


def test_sensitive_values_that_nothing_asks_about_do_not_count():
    class Data:
        sensitive = (SimpleNamespace(codes=50_000),)
        size, tuples = 1, SimpleNamespace(count=1)

    assert affordable_queries(Data(), sensitive=False) == 10_000


def seldom_met(values):
    """60 records, all at the far end of a column: of random ranges, hardly any reaches them."""
    wide = replace(AGE, values=np.array([0, values]), low=0.0, high=float(values))
    return table([(wide, [1] * 60)], [(PAY, [0] * 60)])


def test_of_queries_that_mostly_find_nobody_fewer_are_asked_and_that_is_said():
    data, asked = seldom_met(2_000), QueryError(queries=3_000, predicates=1)
    plan, recoding = recode(data, Plan(np.zeros(60, np.int64)))
    one = Evaluation(data, plan, recoding, publish(GeneralizedForm(), data, plan)[0])
    found = measure_all(one, {"query-error": {"queries": 3_000, "predicates": 1}})
    told = found.details["query-error"]
    assert told["drawn"] == 30_000
    assert told["wanted"] == told["affordable"] == 3_000
    assert 1 <= told["queries"] < 1_000
    assert found.notes["query-error"] == (
        f"{told['queries']} queries instead of 3,000: of 30,000 random queries the others find no record"
    )
    assert asked.measure(one) == found["query-error"]
    workload = draw_workload(data, queries=3_000, predicates=1)
    assert (len(workload), workload.draws) == (told["queries"], 30_000)
    assert workload.exact.tolist() == [60.0] * len(workload)


def test_where_no_query_finds_anybody_it_is_not_measured():
    data = seldom_met(2_000_000_000)
    plan, recoding = recode(data, Plan(np.zeros(60, np.int64)))
    one = Evaluation(data, plan, recoding, publish(GeneralizedForm(), data, plan)[0])
    found = measure_all(one)
    assert "query-error" not in found
    assert found.skipped["query-error"].startswith(
        "query-error: only 0 of 20000 random queries find any record"
    )


def test_enough_queries_need_no_note():
    found = measure_all(mini_table())
    assert found.details["query-error"]["queries"] == 10_000
    assert "query-error" not in found.notes


def overlapping(data, plan, workload):
    """(queries,) Records whose class has a value in every range, each with the share of its bucket that is asked for."""
    buckets = plan.classes if plan.buckets is None else plan.buckets
    found = []
    for query in workload:
        total = Fraction(0)
        for i in np.flatnonzero(plan.published):
            own = plan.classes == plan.classes[i]
            part = Fraction(1)
            for domain, codes in zip(data.quasi, data.codes, strict=True):
                if domain.name not in query.where:
                    continue
                shown, asked = codes[own], query.where[domain.name]
                if domain.shape == "interval":
                    low, high = domain.labels[shown.min()], domain.labels[shown.max()]
                    part *= max(int(low), asked[0]) <= min(int(high), asked[1])
                else:
                    part *= bool({domain.labels[code] for code in shown} & set(asked))
            (pay,) = data.sensitive
            if pay.name in query.where:
                low, high = query.where[pay.name]
                # In one table what is a record's own stands in its row.
                beside = data.sensitive_codes[0][buckets == buckets[i] if plan.buckets is not None else [i]]
                part *= Fraction(sum(low <= int(pay.labels[code]) <= high for code in beside), beside.size)
            total += part
        found.append(total)
    return found


@given(data=st.data())
@settings(max_examples=40)
def test_overlapping_regions_count_wholly(data):
    n = data.draw(st.integers(1, 9))

    def codes(size):
        return data.draw(st.lists(st.integers(0, size - 1), min_size=n, max_size=n))

    own = table(
        [
            (integers("age", [1, 2, 3, 5, 8]), codes(5)),
            (words("sex", ["f", "m", "x"]), codes(3)),
            (integers("zip", [10, 20, 30]), codes(3)),
        ],
        [(integers("pay", [1, 2, 3]), codes(3))],
    )
    classes = np.array(codes(3))
    classes[data.draw(st.integers(0, n - 1))] = 0
    buckets = renumber(np.array(codes(2)))
    form, plan = data.draw(
        st.sampled_from(
            [
                (GeneralizedForm(), Plan(renumber(classes))),
                (AngelizedForm(), Plan(renumber(classes), buckets)),
            ]
        )
    )
    publication, _, plan = publish(form, own, plan)
    sensitive = data.draw(st.booleans())
    workload = draw_workload(own, queries=12, predicates=2, selectivity=0.3, seed=1, sensitive=sensitive)
    wanted = overlapping(own, plan, workload)
    found = relative_errors(publication, workload, "overlap")
    exact = [
        abs(one - int(prec)) / int(prec) for one, prec in zip(wanted, workload.exact.tolist(), strict=True)
    ]
    assert found == pytest.approx([float(one) for one in exact], abs=1e-12)
    if form.name == "generalized":
        # Nobody is withheld: what overlaps is at least what is there.
        assert all(one >= prec for one, prec in zip(wanted, workload.exact.tolist(), strict=True))


def test_overlapping_by_hand():
    # Of the ranges 1-2 and 3-4 the one region meets both: 4 are counted where 3 are, and where 1 is.
    asked = {"queries": 400, "predicates": 1, "selectivity": 0.25, "counting": "overlap"}
    one = evaluate(DATA, [0, 0, 0, 0])
    workload = draw_workload(DATA, queries=400, predicates=1, selectivity=0.25)
    errors = relative_errors(one.publication, workload, "overlap")
    assert set(np.round(errors, 9)) == {round(1 / 3, 9), 3.0}
    assert QueryError(**asked).measure(one) == np.median(errors)
    # Exact regions are met or not, as ever.
    assert QueryError(**asked).measure(evaluate(DATA, [0, 0, 0, 1])) == 0


def test_overlapping_is_of_regions_and_counts():
    with pytest.raises(PolicyError, match="counting: overlap goes with aggregate: count; got 'sum'"):
        QueryError(counting="overlap", aggregate="sum", of="age")
    with pytest.raises(PolicyError, match="counting must be"):
        QueryError(counting="some")
    plan = Plan(np.zeros(4, np.int64))
    means, _, plan = publish(MicroaggregatedForm(), DATA, plan)
    shown = Evaluation(DATA, plan, recode(DATA, plan)[1], means)
    asked = QueryError(100, 1, counting="overlap")
    with pytest.raises(
        PolicyError, match="counting: overlap is of regions, and microaggregated releases show means"
    ):
        asked.measure(shown)
    exact, _, plan = publish(AnatomizedForm(), DATA, Plan(np.arange(4), np.zeros(4, np.int64)))
    shown = Evaluation(DATA, plan, recode(DATA, plan)[1], exact)
    assert asked.measure(shown) == QueryError(100, 1).measure(shown)


def test_overlapping_nodes_count_wholly():
    rows = [
        [code, code[:2] + "*", code[:1] + "**", "*"] for code in ("111", "112", "121", "211", "212", "221")
    ]
    codes = [row[0] for row in rows] * 3
    frame = pl.DataFrame({"zip": codes, "sex": ["f", "m"] * 9, "pay": [1, 2, 3] * 6})
    columns = {
        "zip": lk.quasi(hierarchy=rows),
        "sex": lk.quasi(hierarchy=[["f", "*"], ["m", "*"]]),
        "pay": lk.sensitive(),
    }
    policy = lk.Policy(columns=columns, privacy=lk.KAnonymity(5), method=lk.Datafly())
    release = lk.anonymize(frame, policy, seed=1)
    shown = release.table
    below = {name: {row[0] for row in rows if name in row} for row in rows for name in row}
    sexes = {"f": {"f"}, "m": {"m"}, "*": {"f", "m"}}
    data = release.evaluation.data
    workload = draw_workload(data, queries=60, predicates=2, selectivity=0.2, seed=3, sensitive=False)
    wanted = [
        sum(
            bool(below[own["zip"]] & set(query.where["zip"]))
            and bool(sexes[own["sex"]] & set(query.where["sex"]))
            for own in shown.iter_rows(named=True)
        )
        for query in workload
    ]
    assert set(shown["zip"]) & {"11*", "1**", "*"}
    errors = np.abs(np.array(wanted) - workload.exact) / workload.exact
    assert relative_errors(release.publication, workload, "overlap") == pytest.approx(errors)
    assert (errors > 0).any()
