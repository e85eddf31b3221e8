"""The family of p-sensitivity: counts of values and of categories that a class has."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from tests.hierarchies.test_categories import SEVERITY
from tests.models.tables import bind, categorical, count, holds

import likeness as lk
from likeness.errors import PolicyError
from likeness.hierarchies import categories_from_mapping

SMALL = [c for c in product(range(4), repeat=3) if any(c)]
MONOTONE = [lk.PSensitivity(2), lk.PPlusSensitivity(2), lk.PAlphaSensitivity(2, 1, by="categories")]


def severe():
    """The symptoms of Fazal et al. 2023, table 3, by category."""
    symptoms = [value for own in SEVERITY.values() for value in own]
    return replace(
        categorical(0),
        values=np.array(symptoms, object),
        categories=categories_from_mapping(SEVERITY, "severity"),
    )


def counts_of(*symptoms):
    return [symptoms.count(label) for label in severe().labels]


@pytest.mark.parametrize("model", MONOTONE, ids=lambda model: model.name)
def test_unions_and_records_more_keep_what_holds(model):
    every = np.array(SMALL)
    bound = bind(model, [9, 9, 9])
    held = every[bound.holds(count(every))]
    assert 0 < len(held) < len(every)
    for more in every:
        assert bound.holds(count(held + more)).all()
    assert type(model).closed_under_union
    assert type(model).closed_under_adding


def test_balance_is_lost_in_unions_and_by_records():
    model = lk.BalancedPPlusSensitivity(2)
    assert holds(model, [9, 9, 9], [2, 1, 0], [4, 2, 0], [1, 1, 1], [3, 1, 1]) == [True, False, True, False]
    assert holds(model, [9, 9, 9], [1, 1, 0], [0, 1, 1], [1, 2, 1], [0, 2, 0]) == [True, True, True, False]
    assert holds(model, [9, 9, 9], [2, 1, 0], [3, 1, 0]) == [True, False]
    assert not model.closed_under_union
    assert not model.closed_under_adding
    bound = bind(model, [9, 9, 9])
    assert bound.because(count([[3, 1, 1], [9, 2, 0]])) == " (one category has 7 records more than another)"
    assert bound.strongest(count([[1, 1, 1], [2, 1, 0]])).values == {"p": 2}
    assert bound.strongest(count([[1, 1, 1], [3, 1, 0]])).values == {"p": 0}


def test_a_variance_implies_two_categories_and_nothing_of_the_family_implies_a_variance():
    classes = [*SMALL, (3, 1, 0)]
    varied = bind(lk.ThetaSensitivity(2, "1/100"), [9] * 3).holds(count(classes))
    plus = bind(lk.PPlusSensitivity(2), [9] * 3).holds(count(classes))
    assert not (varied & ~plus).any()
    # Three of four equal: 3/16, below half of what four have.
    assert holds(lk.PPlusSensitivity(2), [9] * 4, [3, 1, 0, 0]) == [True]
    assert holds(lk.ThetaSensitivity(4, "1/2"), [9] * 4, [3, 1, 0, 0]) == [False]
    assert float(Fraction(3, 16)) < 0.625


def test_values_weigh_by_their_categories():
    domain = severe()
    everything = [1] * domain.size
    worst = counts_of("Lungs Infection", "Respiratory Problem")
    mixed = counts_of("No Symptoms", "Flu", "Lungs Infection")
    low = counts_of("Flu", "Headache", "Flu")
    for alpha, expected in (
        ("1/12", [False, True, True]),
        ("3/2", [False, True, True]),
        ("7/4", [False, True, False]),
    ):
        assert holds(lk.PAlphaSensitivity(2, alpha), everything, worst, mixed, low, domain=domain) == expected
    assert holds(lk.PAlphaSensitivity(2, "1.7501"), everything, mixed, domain=domain) == [False]
    assert holds(lk.PAlphaSensitivity(3, "1/2"), everything, mixed, low, domain=domain) == [True, False]
    bound = bind(lk.PAlphaSensitivity(1, 1), everything, domain)
    assert bound.strongest(count([mixed, low])).values == {"p": 2, "alpha": 1.5}
    assert bound.out_of_reach() == ""
    # All thirteen together: 1 + 3 · 3/4 + 4 · 1/2 + 3 · 1/4.
    assert bind(lk.PAlphaSensitivity(1, "6.01"), everything, domain).out_of_reach() == (
        ". No release can hold it: all values together weigh 6"
    )


def test_values_without_categories_have_no_weight():
    with pytest.raises(
        PolicyError, match=r"^p-alpha-sensitivity: weighs the values of 'sensitive' by their categories"
    ):
        bind(lk.PAlphaSensitivity(2, 1), [1, 1])


@pytest.mark.parametrize("model", [lk.PPlusSensitivity, lk.BalancedPPlusSensitivity])
def test_models_of_categories_count_no_values(model):
    with pytest.raises(PolicyError, match=rf"^{model.name}: is about categories; leave by out"):
        model(2, by="values")
