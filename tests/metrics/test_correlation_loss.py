"""What is lost of the dependence between columns."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations
from math import log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.contracts.parts import example
from tests.forms.publications import integers, plan_for, publish, table, words
from tests.metrics.test_emd import compared, evaluate
from tests.queries.workloads import tables

from likeness import registry
from likeness.errors import PolicyError, TableError
from likeness.forms.anatomized import AnatomizedForm
from likeness.forms.baseline import BaselineForm
from likeness.forms.generalized import GeneralizedForm
from likeness.forms.perturbed import PerturbedForm
from likeness.metrics import correlation_loss as _correlation_loss
from likeness.metrics.base import Evaluation
from likeness.metrics.correlation_loss import CorrelationLoss, dependence
from likeness.metrics.mini_table import mini_table
from likeness.microdata.plan import Plan
from likeness.microdata.regions import recode
from likeness.tables import texts

FORMS = [example("forms", name) for name in registry.names("forms")]
FORMS += [PerturbedForm("simplex")]


def plain_dependence(counts):
    """By the definitions, cell by cell."""
    counts = np.asarray(counts, float)
    total = counts.sum()
    if total <= 0:
        return 0.0
    rows, columns = counts.sum(1) / total, counts.sum(0) / total
    information = sum(
        p / total * log2(p / total / (rows[i] * columns[j])) for (i, j), p in np.ndenumerate(counts) if p > 0
    )
    least = min(-sum(p * log2(p) for p in own if p > 0) for own in (rows, columns))
    return information / least if least > 1e-12 else 0.0


def asked(domain):
    """Conditions that are to be asked one by one, and the cells that each counts for, with shares."""
    missing = [([None], {domain.size: 1.0})] if domain.missing else []
    if domain.shape != "interval" or domain.kind not in {"integer", "date"}:
        return [*(([x], {i: 1.0}) for i, x in enumerate(domain.labels)), *missing]
    own = np.array([int(x) for x in domain.numbers])
    found = []
    for x in range(int(own[0]) - 5, int(own[-1]) + 6):
        near = np.flatnonzero(np.abs(own - x) == np.abs(own - x).min())
        value = texts(np.array([x], "datetime64[D]")) if domain.kind == "date" else [x]
        found.append((value, dict.fromkeys(near.tolist(), 1 / near.size)))
    return [*found, *missing]


def plain_table(publication, one, other):
    """Records of every pair of values, each number counting for the nearest that occur."""
    first, second = asked(one), asked(other)
    conditions = {one.name: [x for x, _ in first], other.name: [y for y, _ in second]}
    estimates = publication.contingency(conditions, drawn=True).pair(one.name, other.name)
    found = np.zeros((one.codes, other.codes))
    for (_, rows), line in zip(first, estimates, strict=True):
        for (_, columns), estimate in zip(second, line, strict=True):
            for i, a in rows.items():
                for j, b in columns.items():
                    found[i, j] += a * b * estimate
    return np.maximum(found, 0)


def test_by_hand():
    # Age told sex and disease; now it tells of sex what its class tells, and of disease too.
    before = [[[0, 1], [0, 1], [1, 0], [0, 1], [1, 0]], [[1, 0]] * 3 + [[0, 1]] * 2, [[1, 1], [2, 1]]]
    spread = np.array([5.5, 10, 5.5]) / 21
    after = [
        [[0, 1], [0, 1], *(np.outer(spread, [1.5, 1.5]))],
        [[1, 0], [1, 0], *(np.outer(spread, [1, 2]))],
        [[0.5, 1], [2.5, 1]],
    ]
    changes = [abs(plain_dependence(x) - plain_dependence(y)) for x, y in zip(before, after, strict=True)]
    assert plain_dependence(before[0]) == pytest.approx(1)
    assert CorrelationLoss().measure(mini_table()) == pytest.approx(np.mean(changes))


def test_weights_of_columns_count_by_their_product():
    sexes = words("sex", ["f", "m"])
    zips = words("zip", ["1", "2"])
    heavy = words("land", ["a", "b"])
    heavy = replace(heavy, weight=3.0)
    data = table(
        [(sexes, [0, 0, 1, 1]), (zips, [0, 1, 0, 1]), (heavy, [0, 0, 1, 1])], [(words("d", ["x"]), [0] * 4)]
    )
    # All in one class: land told sex, of weight 3 · 1; the others were independent, and d is constant.
    one = evaluate(data, [0, 0, 0, 0])
    assert CorrelationLoss().measure(one) == pytest.approx(3 / (1 + 3 + 3 + 1 + 1 + 3))


@given(st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=1, max_size=4))
def test_dependence_is_the_formula(counts):
    found = dependence(np.array(counts, float))
    assert found == pytest.approx(plain_dependence(counts), abs=1e-9)
    assert 0 <= found <= 1
    assert dependence(np.array(counts, float).T) == pytest.approx(found, abs=1e-12)


@pytest.mark.parametrize("form", FORMS, ids=repr)
@given(drawn=tables())
@settings(deadline=None, max_examples=15)
def test_it_is_what_estimates_say_pair_by_pair(form, drawn):
    data, plan = drawn
    publication, _, plan = publish(form, data, plan_for(form, data, plan))
    one = Evaluation(data, *recode(data, plan), publication)
    try:
        shown = compared(data, publication, sensitive=True)
    except TableError:
        with pytest.raises(PolicyError, match="correlation-loss: column"):
            CorrelationLoss().measure(one)
        return
    domains = [*data.quasi, *data.sensitive]
    codes = [*data.codes, *data.sensitive_codes]
    changes, weights = [], []
    for i, j in combinations(range(len(domains)), 2):
        pair = domains[i].name, domains[j].name
        before = np.zeros((domains[i].codes, domains[j].codes))
        for (x, y), n in Counter(zip(codes[i].tolist(), codes[j].tolist(), strict=True)).items():
            before[x, y] = n
        assert shown.original_counts(*pair).tolist() == before.tolist()
        after = shown.published_counts(*pair)
        if "real" not in {domains[i].kind, domains[j].kind}:
            assert after == pytest.approx(plain_table(publication, domains[i], domains[j]), abs=1e-8)
        changes.append(abs(plain_dependence(before) - plain_dependence(after)))
        weights.append(domains[i].weight * domains[j].weight)
    assert CorrelationLoss().measure(one) == pytest.approx(np.average(changes, weights=weights), abs=1e-6)


@given(drawn=tables())
@settings(deadline=None, max_examples=25)
def test_what_is_published_as_it_is_loses_nothing(drawn):
    data, _ = drawn
    exact = evaluate(data, data.tuples.of)
    assert CorrelationLoss().measure(exact) == 0
    assert CorrelationLoss(bins=2).measure(exact) == 0


def test_every_form_loses_what_it_hides():
    # Age tells sex (odd or even) and d (young or old); sex and d are independent.
    ages = [n % 4 for n in range(24)]
    data = table(
        [(integers("age", [20, 21, 22, 23]), ages), (words("sex", ["f", "m"]), [n % 2 for n in ages])],
        [(words("d", ["x", "y"]), [n // 2 for n in ages])],
    )

    def lost(form, classes):
        publication, _, plan = publish(form, data, plan_for(form, data, Plan(np.array(classes))))
        return CorrelationLoss().measure(Evaluation(data, *recode(data, plan), publication))

    young_old, all_alike = [n // 2 for n in ages], [0] * 24
    # Of three pairs, one class of all loses both; exact quasi-identifiers keep that of age and sex.
    assert lost(GeneralizedForm(), all_alike) == pytest.approx(2 / 3)
    assert lost(AnatomizedForm(), all_alike) == pytest.approx(1 / 3)
    assert lost(BaselineForm(), all_alike) == pytest.approx(1 / 3)
    # Within the young and the old, age no longer tells sex but still d.
    assert lost(GeneralizedForm(), young_old) == pytest.approx(1 / 3)
    assert lost(AnatomizedForm(), young_old) == 0
    # What was perturbed is estimated again, but for chance.
    assert 0 < lost(PerturbedForm(), all_alike) < 1 / 3


def test_nothing_published_loses_all_and_too_many_values_are_refused(monkeypatch):
    data = table([(integers("a", [1, 2]), [0, 1])], [(words("d", ["x", "y"]), [0, 1])])
    assert CorrelationLoss().measure(evaluate(data, [-1, -1])) == 1
    monkeypatch.setattr(_correlation_loss, "MOST_CELLS", 3)
    with pytest.raises(PolicyError) as refused:
        CorrelationLoss().measure(evaluate(data, [0, 1]))
    assert str(refused.value) == (
        "correlation-loss: 'a' and 'd' have 2 and 2 values; at most 3 pairs are compared; leave this metric out"
    )


def test_a_table_of_one_column_has_no_pairs():
    assert CorrelationLoss().measure(evaluate(table([(integers("a", [1, 2]), [0, 1])], []), [0, 0])) == 0
