"""The divergence of quasi-identifiers, and what is said where it is infinite."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.contracts.parts import example
from tests.forms.publications import integers, plan_for, publish
from tests.metrics.tables import evaluations
from tests.metrics.test_emd import compared, evaluate, one_column

from likeness import registry
from likeness.errors import PolicyError, TableError
from likeness.metrics.base import Evaluation
from likeness.metrics.kl_divergence import KlDivergence, divergence
from likeness.metrics.measuring import measure_all, metric_named
from likeness.metrics.mini_table import mini_table
from likeness.microdata.regions import recode

FORMS = [example("forms", name) for name in registry.names("forms")]
COUNTS = st.lists(st.integers(0, 9), min_size=4, max_size=4).filter(any)


def test_by_hand():
    found = KlDivergence().by_attribute(mini_table())
    # Sex was .6 and .4 and is .7 and .3; ages are 1, 1, 11/14, 20/14 and 11/14 of fifths.
    sex = 0.6 * np.log2(0.6 / 0.7) + 0.4 * np.log2(0.4 / 0.3)
    age = np.log2([1, 1, 14 / 11, 14 / 20, 14 / 11]).mean()
    assert found == pytest.approx({"age": age, "sex": sex})
    assert round(sex, 5) == 0.03258
    assert KlDivergence().measure(mini_table()) == pytest.approx((age + sex) / 2)


@pytest.mark.parametrize(
    ("before", "after", "bits"),
    [((4, 6), (5, 5), 0.029049), ((1, 99), (3, 97), 0.013300), ((0, 2), (1, 1), 1.0)],
)
def test_divergences_of_the_papers(before, after, bits):
    assert divergence(np.array(before, float), np.array(after, float)) == pytest.approx(bits, abs=5e-7)


@given(COUNTS, st.lists(st.integers(1, 9), min_size=4, max_size=4))
def test_it_is_never_negative_and_0_of_equal_shares_alone(one, other):
    one, other = np.array(one, float), np.array(other, float)
    found = divergence(one, other)
    assert found >= 0
    assert (found < 1e-12) == np.allclose(one / one.sum(), other / other.sum())
    assert divergence(one, 3 * one) < 1e-12


@pytest.mark.parametrize("form", FORMS, ids=repr)
@given(evaluation=evaluations(), smoothing=st.sampled_from([0, 0.5]))
@settings(deadline=None, max_examples=30)
def test_it_is_the_formula_on_estimated_counts(form, evaluation, smoothing):
    data = evaluation.data
    publication, _, plan = publish(form, data, plan_for(form, data, evaluation.plan))
    one = Evaluation(data, *recode(data, plan), publication)
    metric = KlDivergence(smoothing)
    try:
        shown = compared(data, publication)
    except TableError:
        with pytest.raises(PolicyError, match="kl-divergence: column"):
            metric.measure(one)
        return
    expected = {}
    for name in shown.columns:
        counts = shown.original_counts(name) + smoothing, shown.published_counts(name) + smoothing
        expected[name] = sum(
            p / counts[0].sum() * (np.log2(p / counts[0].sum()) - np.log2(q / counts[1].sum()))
            if q
            else np.inf
            for p, q in zip(*(own.tolist() for own in counts), strict=True)
            if p
        )
    if np.isinf(list(expected.values())).any():
        assert not smoothing
        lost = [name for name, value in expected.items() if np.isinf(value)]
        with pytest.raises(PolicyError) as refused:
            metric.measure(one)
        assert [own.column for own in refused.value.refusals] == lost
    else:
        assert metric.by_attribute(one) == pytest.approx(expected, abs=1e-9)


@given(evaluation=evaluations())
@settings(deadline=None, max_examples=30)
def test_what_is_published_as_it_is_has_none(evaluation):
    exact = evaluate(evaluation.data, evaluation.data.tuples.of)
    assert KlDivergence().measure(exact) == 0
    assert KlDivergence(smoothing=0.5, bins=2).measure(exact) == 0


def test_where_it_is_infinite_the_value_is_named():
    gone = one_column(integers("age", [1, 2, 3]), [0, 0, 1, 2, 2], [-1, -1, -1, 0, 0])
    with pytest.raises(PolicyError) as refused:
        KlDivergence().measure(gone)
    assert str(refused.value) == (
        "kl-divergence: 'age' has '1' in 2 records of the original and in none of the release, as estimated, and 1 other value "
        "likewise, so the divergence is infinite; set smoothing: 0.5 to add half a record to every value on both sides, or leave "
        "this metric out"
    )
    assert "infinite" in measure_all(gone).skipped["kl-divergence"]
    age = replace(integers("age", [1, 2], missing=True), declared=True)
    with pytest.raises(PolicyError, match="'age' has the missing value in 1 record of the original"):
        KlDivergence().measure(one_column(age, [0, 1, 2], [0, 0, 0]))
    # Half a record more of each: 2.5, 1.5 and 2.5 against .5, .5 and 2.5.
    p, q = np.array([2.5, 1.5, 2.5]) / 6.5, np.array([0.5, 0.5, 2.5]) / 3.5
    smoothed = KlDivergence(smoothing=0.5).measure(gone)
    assert smoothed == pytest.approx((p * np.log2(p / q)).sum())
    assert metric_named("kl-divergence", {"smoothing": 0.5}).measure(gone) == smoothed


def test_parameters():
    with pytest.raises(PolicyError, match="kl-divergence: smoothing must be a number of at least 0; got -1"):
        KlDivergence(smoothing=-1)
    with pytest.raises(PolicyError, match="bins must be a whole number of at least 2"):
        KlDivergence(bins=0)
