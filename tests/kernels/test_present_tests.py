"""Tests on the values that are present decide what those on the whole histogram decide."""

from __future__ import annotations

from fractions import Fraction
from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.hierarchies.trees import make, plain_trees
from tests.models.tables import bind, categorical, distributions, hierarchical, numbers

import likeness as lk
from likeness.kernels import class_tests
from likeness.kernels.class_tests import ClassTest, evaluate, individuals_and_values_at_least, lay_out
from likeness.kernels.present_tests import evaluate_present, first_at_least, of_present

EASY = settings(deadline=None, max_examples=120)


def both(tests, histogram, size=None, extra=()):
    """What both evaluations say; ``extra`` places are told of though nothing is there."""
    laid = lay_out(tests)
    counts = np.array(histogram, np.int64)
    size = int(counts.sum()) if size is None else size
    places = np.union1d(np.flatnonzero(counts), np.array(extra, np.int64)).astype(np.int64)
    dense = evaluate(laid.functions, laid.shape, laid.integers, laid.reals, size, counts)
    return dense, evaluate_present(of_present(laid), size, places, np.ascontiguousarray(counts[places]))


@st.composite
def some_test(draw, m, reference):
    """One test of any kind on m values."""
    kind = draw(st.sampled_from(["distinct", "entropy", "recursive", "windows", "people", "model"]))
    if kind == "model":
        model = draw(
            st.sampled_from(
                [
                    lk.TCloseness("0.3", distance="equal"),
                    lk.TCloseness("0.3", distance="ordered"),
                    lk.BetaLikeness(1),
                    lk.DeltaDisclosure(1),
                ]
            )
        )
        return bind(model, reference, numbers(range(m))).class_test()
    l = draw(st.integers(1, 4))  # noqa: E741
    if kind == "distinct":
        return ClassTest(class_tests.distinct_at_least, [l], values=m)
    if kind == "entropy":
        return ClassTest(class_tests.entropy_at_least, [l], [log(l) + 1e-12 if l > 1 else 0.0], values=m)
    if kind == "recursive":
        return ClassTest(class_tests.recursively_diverse, [draw(st.integers(1, 5)), 2, l + 1], values=m)
    if kind == "people":
        return ClassTest(individuals_and_values_at_least, [2, l], values=m)
    reach = draw(st.integers(0, 2))
    first = [max(0, value - reach) for value in range(m)]
    last = [min(m - 1, value + reach) for value in range(m)]
    return ClassTest(class_tests.windows_at_most, [l, *first, *last], values=m)


@pytest.mark.slow
@EASY
@given(st.data())
def test_every_test_and_composition_decides_the_same(data):
    m = data.draw(st.integers(1, 7))
    some = st.lists(st.integers(0, 4), min_size=m, max_size=m)
    reference = data.draw(st.lists(st.integers(1, 5), min_size=m, max_size=m))
    found, histogram = [], []
    for _ in range(data.draw(st.integers(1, 3))):
        test = data.draw(some_test(m, reference))
        slices = data.draw(st.integers(1, 3))
        # Behind the values of a slice may stand its size.
        stride = m + data.draw(st.booleans())
        size_at = data.draw(st.sampled_from([class_tests.OWN_SUM, *([m] if stride > m else [])]))
        if slices == 1 and data.draw(st.booleans()):
            size_at = class_tests.CLASS_SIZE
        found.append(test._replace(offset=len(histogram), slices=slices, stride=stride, size_at=size_at))
        for _ in range(slices):
            own = data.draw(some)
            # An own size is that of people who may have several values, or the sum.
            histogram += [*own, *([sum(own)] if stride > m else [])]
    extra = data.draw(st.lists(st.integers(0, len(histogram) - 1), max_size=4))
    size = max(1, sum(histogram[:m]))
    dense, present = both(found, histogram, size, extra)
    assert present == dense


@EASY
@given(st.data(), plain_trees(), st.fractions(0, 1, max_denominator=12))
def test_transport_over_trees(data, plain, t):
    domain = hierarchical(make(plain.rows()), missing=data.draw(st.booleans()))
    m = domain.codes
    reference = data.draw(st.lists(st.integers(0, 4), min_size=m, max_size=m).filter(any))
    counts = data.draw(st.lists(st.integers(0, 3), min_size=m, max_size=m).filter(any))
    bound = bind(lk.TCloseness(str(t)), reference, domain)
    dense, present = both(
        [bound.class_test()], counts, extra=data.draw(st.lists(st.integers(0, m - 1), max_size=3))
    )
    assert present == dense


@EASY
@given(st.data(), st.fractions(0, 1, max_denominator=12))
def test_beliefs(data, limit):
    known = data.draw(distributions(3))
    codes = known.count * 3
    counts = data.draw(st.lists(st.integers(0, 2), min_size=codes, max_size=codes).filter(any))
    models = (
        lk.JsBackground(str(limit)),
        lk.JsBackground(1, odds=1 + 8 * limit),
        lk.BtPrivacy(str(limit)),
        lk.BtPrivacy(str(limit), posterior="exact", smooth="1/2"),
    )
    extra = data.draw(st.lists(st.integers(0, codes - 1), max_size=3))
    for model in models:
        test = bind(model, known).class_test()
        assert of_present(lay_out([test])).known.tolist() == [1]
        dense, present = both([test], counts, extra=extra)
        assert present == dense


@pytest.mark.parametrize("kind", ["equal", "ordered", "tree"])
@given(st.data())
@settings(deadline=None, max_examples=40)
def test_where_sums_would_overflow_nothing_is_accepted_that_is_not_so(kind, data):
    m = data.draw(st.integers(2, 9))
    domain = numbers(range(m)) if kind == "ordered" else categorical(m)
    if kind == "tree":
        domain = hierarchical(make([[f"v{i}", f"g{i // 3}", "*"] for i in range(m)]))
    scale = 10**9
    reference = [n * scale for n in data.draw(st.lists(st.integers(1, 4), min_size=m, max_size=m))]
    counts = data.draw(st.lists(st.integers(0, 3), min_size=m, max_size=m).filter(any))
    loose = bind(lk.TCloseness(1), reference, domain)
    laid = loose.transport
    assert not laid.fits
    extra = [
        Fraction(q, sum(counts)) - Fraction(p, sum(reference)) for q, p in zip(counts, reference, strict=True)
    ]
    edges = zip(laid.first.tolist(), laid.last.tolist(), laid.weight.tolist(), strict=True)
    exact = sum(w * abs(sum(extra[a : b + 1])) for a, b, w in edges) / laid.scale
    for t, good in ((exact - Fraction(1, 10**12), False), (exact + Fraction(1, 10**9), True)):
        if 0 <= t <= 1:
            test = bind(lk.TCloseness(str(t)), reference, domain).class_test()
            assert both([test], counts) == (good, good)


def test_a_test_that_limits_absent_values_is_asked_about_all():
    bound = bind(lk.DeltaDisclosure(1), [3, 3, 3], numbers(range(3)))
    assert of_present(lay_out([bound.class_test()])).known.tolist() == [0]
    assert both([bound.class_test()], [1, 1, 0]) == (False, False)
    assert both([bound.class_test()], [1, 1, 1]) == (True, True)
    beta = bind(lk.BetaLikeness(1), [3, 3, 3], numbers(range(3)))
    assert of_present(lay_out([beta.class_test()])).known.tolist() == [1]


@EASY
@given(st.lists(st.integers(-3, 9), max_size=8), st.integers(-4, 10), st.integers(0, 3))
def test_positions_in_ascending_numbers(values, key, begin):
    ascending = np.array(sorted(values), np.int64)
    begin = min(begin, ascending.size)
    expected = begin + int(np.searchsorted(ascending[begin:], key))
    assert first_at_least(ascending, begin, ascending.size, key) == expected
