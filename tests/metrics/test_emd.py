"""The earth mover's distance of quasi-identifiers, and the shares that it compares."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.contracts.parts import example
from tests.forms.publications import integers, plan_for, publish, table, words
from tests.metrics.tables import evaluations, tree

import likeness as lk
from likeness import registry
from likeness.errors import PolicyError, TableError
from likeness.forms.generalized import GeneralizedForm
from likeness.metrics.base import Evaluation
from likeness.metrics.emd import Emd, _moved
from likeness.metrics.marginals import Compared, column_cells
from likeness.metrics.measuring import measure_all
from likeness.metrics.mini_table import mini_table
from likeness.microdata.domain import Domain
from likeness.microdata.plan import Plan, renumber
from likeness.microdata.regions import recode
from likeness.queries.query import Query
from likeness.tables import texts

FORMS = [example("forms", name) for name in registry.names("forms")]
D = (words("d", ["x", "y"]), [0, 1])


def evaluate(data, classes, form=None):
    plan, recoding = recode(data, Plan(renumber(np.array(classes, np.int64))))
    return Evaluation(data, plan, recoding, publish(form or GeneralizedForm(), data, plan)[0])


def one_column(domain, codes, classes):
    return evaluate(table([(domain, codes)], [(words("d", ["x"]), [0] * len(codes))]), classes)


def plain_shares(data, publication):
    """(D,) of every column of whole numbers, days, ranks or categories: value by value, each to the nearest that occurs."""
    found = {}
    for domain in data.quasi:
        values = [[None]] if domain.missing else []
        if domain.shape == "interval" and domain.kind in {"integer", "date"}:
            own = [int(x) for x in domain.numbers]
            counts = np.zeros(domain.codes)
            for x in range(own[0] - 5, own[-1] + 6):
                asked = texts(np.array([x], "datetime64[D]")) if domain.kind == "date" else [x]
                apart = np.abs(np.array(own) - x)
                near = np.flatnonzero(apart == apart.min())
                counts[near] += publication.total({domain.name: asked}) / near.size
            if values:
                counts[-1] = publication.total({domain.name: [None]})
        else:
            counts = np.array(
                [publication.total({domain.name: x}) for x in [*([y] for y in domain.labels), *values]]
            )
        found[domain.name] = counts / counts.sum() if counts.sum() > 0 else np.zeros(domain.codes)
    return found


def plain_emd(domain, before, after):
    """By the definitions of the distances."""
    if not after.any():
        return 1.0
    if domain.shape == "set" and domain.kind != "hierarchical":
        return np.abs(before - after).sum() / 2
    if domain.shape == "interval":
        if domain.missing:
            parts = 1 - before[-1], 1 - after[-1]
            gone = abs(before[-1] - after[-1])
            if min(parts) == 0:
                return gone
            some = replace(domain, missing=False)
            return gone + min(parts) * plain_emd(some, before[:-1] / parts[0], after[:-1] / parts[1])
        here = before > 0
        # Values that nobody has stand with the next one that somebody has.
        place = np.minimum(np.cumsum(here) - here, here.sum() - 1)
        moved = np.bincount(place, after - before)
        return np.abs(np.cumsum(moved)).sum() / max(1, here.sum() - 1)
    hierarchy = domain.hierarchy
    heights = hierarchy.heights()
    height = max(1, int(heights[0]))
    found = abs(before[-1] - after[-1]) * height if domain.missing else 0.0
    for node in range(1, len(hierarchy.labels)):
        inside = slice(hierarchy.left[node], hierarchy.right[node] + 1)
        edge = heights[hierarchy.parent[node]] - heights[node]
        found += edge * abs((after - before)[inside].sum())
    return found / (2 * height)


def compared(data, publication, bins=100, *, sensitive=False):
    found = Compared.of_quasi(data, publication, bins)
    return found.with_sensitive() if sensitive else found


@pytest.mark.parametrize("form", FORMS, ids=repr)
@given(evaluation=evaluations())
@settings(deadline=None, max_examples=40)
def test_it_is_what_estimates_say_value_by_value(form, evaluation):
    data = evaluation.data
    plan = plan_for(form, data, evaluation.plan)
    publication, _, plan = publish(form, data, plan)
    plan, recoding = recode(data, plan)
    try:
        shares = compared(data, publication)
    except TableError:
        with pytest.raises(PolicyError, match="emd: column"):
            Emd().measure(Evaluation(data, plan, recoding, publication))
        return
    plain = plain_shares(data, publication)
    parts = Emd().by_attribute(Evaluation(data, plan, recoding, publication))
    for domain, codes in zip(data.quasi, data.codes, strict=True):
        before = np.bincount(codes, minlength=domain.codes) / data.size
        assert shares.original(domain.name) == pytest.approx(before)
        if domain.kind != "real" or domain.shape != "interval":
            assert shares.published(domain.name) == pytest.approx(plain[domain.name], abs=1e-9)
        expected = plain_emd(domain, before, shares.published(domain.name))
        assert parts[domain.name] == pytest.approx(expected, abs=1e-9)
        assert 0 <= parts[domain.name] <= 1


@given(evaluation=evaluations())
@settings(deadline=None, max_examples=40)
def test_what_is_published_as_it_is_has_not_moved(evaluation):
    data = evaluation.data
    exact = evaluate(data, data.tuples.of)
    assert Emd().measure(exact) == 0
    assert Emd(bins=2).measure(exact) == 0


@given(st.data())
@settings(deadline=None)
def test_it_is_symmetric_and_a_metric_on_shares(draw):
    size = draw.draw(st.integers(2, 6))
    labels = [f"v{i}" for i in range(size)]
    shape = draw.draw(st.sampled_from(["set", "interval", "tree"]))
    kind = {"set": "categorical", "interval": "ordered", "tree": "hierarchical"}[shape]
    groups = sorted(draw.draw(st.lists(st.integers(0, 2), min_size=size, max_size=size)))
    domain = Domain("a", kind, np.array(labels, object), shape, tree(labels, groups))
    cells = column_cells(domain, np.arange(size, dtype=np.int32), 100)
    counts = st.lists(st.integers(0, 9), min_size=size, max_size=size).filter(any)
    one, two, three = (np.array(own) / sum(own) for own in (draw.draw(counts) for _ in range(3)))
    assert _moved(cells, one, two) == pytest.approx(_moved(cells, two, one), abs=1e-12)
    assert _moved(cells, one, three) <= _moved(cells, one, two) + _moved(cells, two, three) + 1e-12
    assert (_moved(cells, one, two) < 1e-12) == np.allclose(one, two)


def test_by_hand():
    # Ages 20 to 60 in [20, 30] and [40, 60]: shares 1, 1, 11/14, 20/14, 11/14 of fifths. Sex: .7 and .3, were .6 and .4.
    found = Emd().by_attribute(mini_table())
    assert found == pytest.approx({"age": 3 / 140, "sex": 0.1})
    assert Emd().measure(mini_table()) == pytest.approx((3 / 140 + 0.1) / 2)
    # Leaves of a hierarchy: within their node nothing is further than 1/2; F and M below the root.
    tabled = Emd().by_attribute(mini_table(hierarchies=True))
    assert tabled == pytest.approx({"age": 0.0, "sex": 0.1})


def test_numbers_between_two_that_occur_count_half_for_each():
    # 0, 1 and 2 are a third of two records each; half of the middle third is nearer to neither.
    assert Emd().measure(one_column(integers("a", [0, 2]), [0, 1], [0, 0])) == 0
    # Of [0, 6]: 0, 1 | 2 (half) … around 3, and 5, 6 and half of the 4s and the fives: shares 1.5/7 and so on.
    found = compared(*of(one_column(integers("a", [0, 3, 6]), [0, 1, 2], [0, 0, 0]))).published("a")
    assert found == pytest.approx(np.array([2, 3, 2]) / 7)
    found = compared(*of(one_column(integers("a", [0, 2, 6]), [0, 1, 2], [0, 0, 0]))).published("a")
    assert found == pytest.approx(np.array([1.5, 3, 2.5]) / 7)


def of(evaluation):
    return evaluation.data, evaluation.publication


def test_reals_are_spread_by_length():
    real = Domain("a", "real", np.array([0.0, 1.0, 4.0]), "interval", low=0.0, high=4.0)
    found = compared(*of(one_column(real, [0, 1, 2], [0, 0, 0]))).published("a")
    assert found == pytest.approx(np.array([0.5, 2.0, 1.5]) / 4)
    # Neighbours among all numbers of 64 bits have no number between them.
    near = np.nextafter(1.0, 2.0)
    narrow = Domain("a", "real", np.array([1.0, near]), "interval", low=1.0, high=float(near))
    assert compared(*of(one_column(narrow, [0, 1, 1], [0, 1, 1]))).published("a").tolist() == [1 / 3, 2 / 3]


def test_days_of_a_rule_made_hierarchy_and_on_an_axis_are_the_same():
    frame = pl.DataFrame({"day": [f"2024-0{m}-1{d}" for m in (1, 2) for d in (0, 2, 4)], "d": list("xyxyxy")})
    found = {}
    for name, column in {
        "axis": lk.quasi(kind="date"),
        "rule": lk.quasi(hierarchy={"dates": ["month"]}),
    }.items():
        policy = lk.Policy(columns={"day": column, "d": lk.sensitive()}, privacy=lk.KAnonymity(3))
        release = lk.anonymize(frame, policy, seed=1)
        found[name] = compared(release.evaluation.data, release.publication).published("day")
    # On the axis classes are [10th, 14th]; 11 and 13 count half for each neighbour.
    assert found["axis"] == pytest.approx(np.array([1.5, 2, 1.5] * 2) / 10)
    # January has 31 days and February 29; those between the two decades go to the nearer.
    assert found["rule"].sum() == pytest.approx(1)
    assert found["rule"][0] == pytest.approx(10.5 / 31 / 2)


def test_the_missing_value_is_as_far_as_can_be():
    age = integers("age", [1, 2, 3], missing=True)
    age = replace(age, low=1.0, high=3.0, declared=True)
    # One of three is missing; within [1, 3] nothing says so.
    evaluation = one_column(age, [0, 2, 3], [0, 0, 0])
    after = compared(*of(evaluation)).published("age")
    assert after == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0])
    # A third has moved by 1, and the rest, two thirds of the table, from (1/2, 0, 1/2) to thirds.
    assert Emd().measure(evaluation) == pytest.approx(1 / 3 + 2 / 3 * 0.5 * (1 / 6 + 1 / 6))


def test_many_numbers_are_compared_in_groups():
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 1000, 5000)
    present, codes = np.unique(codes, return_inverse=True)
    domain = integers("pay", (present * 3).tolist())
    one = one_column(domain, codes.tolist(), codes // 50)
    cells = column_cells(domain, codes.astype(np.int32), 20)
    assert cells.size == 20
    assert cells.grouped
    assert cells.counts.sum() == 5000
    assert cells.counts.min() > 230
    assert cells.counts.max() < 270
    ends = cells.conditions[: cells.size]
    assert all(high + 1 == low for (_, high), (low, _) in pairwise(ends))
    found = measure_all(one, {"emd": {"bins": 20}})
    assert found.details["emd"] == {"grouped": 1}
    assert (
        found.notes["emd"]
        == "1 column of more than 20 values compared in at most so many groups of neighbours"
    )
    assert 0 < found["emd"] < 0.01
    assert cells.name_of(0).startswith("'0' to '")
    # One value that nearly everybody has is one group, and no group is empty.
    skewed = np.append(np.zeros(5000, np.int32), np.arange(300, dtype=np.int32))
    few = column_cells(integers("pay", list(range(300))), skewed, 10)
    assert few.counts.min() > 0
    assert few.size <= 10


def test_nothing_published_is_as_far_as_can_be():
    assert Emd().measure(one_column(integers("a", [1, 2]), [0, 1], [-1, -1])) == 1.0


def test_withheld_records_change_shares():
    # One of four is gone: half and half became a third and two thirds.
    assert Emd().measure(one_column(integers("a", [1, 2]), [0, 0, 1, 1], [0, -1, 1, 1])) == pytest.approx(
        1 / 6
    )


def test_survey_weights_that_are_published_count_people():
    frame = pl.DataFrame({"sex": list("ffmm"), "d": list("xyxy"), "w": [1.0, 3.0, 2.0, 4.0], "id": range(4)})
    columns = {"sex": lk.quasi(), "d": lk.sensitive(), "w": lk.other(), "id": lk.drop()}
    policy = lk.Policy(columns=columns, privacy=lk.KAnonymity(2), weights="w")
    release = lk.anonymize(frame, policy, seed=1)
    shares = compared(release.evaluation.data, release.publication)
    assert shares.original("sex").tolist() == pytest.approx([0.4, 0.6])
    assert shares.published("sex").tolist() == pytest.approx([0.4, 0.6])
    weight = release.estimate(Query({"sex": ["f"]}))
    assert weight == pytest.approx(4.0)


def test_what_a_release_does_not_tell_is_one_line():
    mixed = table([(integers("age", [1, 2], missing=True), [0, 1, 2])], [(words("d", ["x"]), [0, 0, 0])])
    with pytest.raises(PolicyError, match=r"emd: column 'age': what '\*' stands for was not published"):
        Emd().measure(evaluate(mixed, [0, 0, 0]))
    with pytest.raises(PolicyError, match="emd: needs the published tables"):
        Emd().measure(replace(mini_table(), publication=None))
    with pytest.raises(PolicyError, match="emd: bins must be a whole number of at least 2; got 1"):
        Emd(bins=1)
