"""Which models a mechanism can meet: those that are limits on the confidence in each value and nothing else."""

from __future__ import annotations

from fractions import Fraction

import pytest
from tests.models.tables import bind, diseases

from likeness import registry
from likeness.models.alpha_k_anonymity import AlphaKAnonymity
from likeness.models.basic_beta_likeness import BasicBetaLikeness
from likeness.models.beta_likeness import BetaLikeness
from likeness.models.rho_privacy import RhoPrivacy

REFERENCE = [1, 3, 6]


def limits(model):
    found = bind(model, REFERENCE).posterior_limits()
    return None if found is None else [limit.exact for limit in found]


def test_share_limits_are_limits_on_confidence():
    assert limits(BasicBetaLikeness(2)) == [Fraction(3, 10), Fraction(9, 10), 1]
    assert limits(RhoPrivacy(0.5, rho1=0.3)) == [Fraction(1, 2), Fraction(1, 2), 1]
    assert limits(AlphaKAnonymity("2/3", 1, values=["1"])) == [1, Fraction(2, 3), 1]
    assert limits(BetaLikeness(bound=lambda p: min(Fraction(1), 2 * p))) == [
        Fraction(1, 5),
        Fraction(3, 5),
        1,
    ]
    enhanced = bind(BetaLikeness(1), REFERENCE).posterior_limits()
    assert [round(float(limit), 6) for limit in enhanced] == [0.2, 0.6, 0.906495]


def test_a_limit_on_negative_gain_is_more_unless_it_limits_nothing():
    assert limits(BasicBetaLikeness(2, negative=0.5)) is None
    assert limits(BetaLikeness(2, negative=0.99)) is None
    assert limits(BasicBetaLikeness(2, negative=1)) == limits(BasicBetaLikeness(2))


def test_a_smallest_class_is_more():
    assert limits(AlphaKAnonymity("2/3", 2)) is None


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("t-closeness", {"t": 0.2}),
        ("distinct-l-diversity", {"l": 2}),
        ("entropy-l-diversity", {"l": 2}),
        ("recursive-cl-diversity", {"c": 1, "l": 2}),
        ("delta-disclosure", {"delta": 1}),
        ("delta-disclosure", {"beta": 1}),
    ],
)
def test_other_models_are_more(name, parameters):
    assert limits(registry.create("models", name, parameters)) is None


def test_groups_of_values_have_a_limit_each():
    model = BetaLikeness(1, level=1)
    assert len(bind(model, [2, 3, 3, 3, 4, 4], diseases()).posterior_limits()) == 6
