from __future__ import annotations

import math

import pytest
from tests.models.tables import accepts, bind, count, diseases, holds

from likeness.errors import PolicyError
from likeness.models.basic_beta_likeness import BasicBetaLikeness


def test_six_diseases_in_pairs():
    # Cao & Karras 2012, example 1: q = 1/3 of p = 1/6 is a gain of exactly β = 1.
    pair, single = [1, 1, 1, 0, 0, 0], [1, 1, 0, 0, 0, 0]
    assert holds(BasicBetaLikeness(1), [1] * 6, pair, single) == [True, False]
    bound = bind(BasicBetaLikeness(1), [1] * 6)
    assert bound.measured(count([pair, single])) == pytest.approx([1, 2])
    assert bound.strongest(count([pair])).values == {"beta": 1.0}
    assert bound.strongest(count([pair, single])).values == {"beta": 2.0}
    assert bound.smallest_classes().tolist() == [3] * 6


def test_rare_values_gain_more():
    # Cao & Karras 2012, section 2: from .4 to .5, and from .01 to .11.
    assert bind(BasicBetaLikeness(1), [4, 6]).measured(count([[1, 1]])) == pytest.approx([0.25])
    assert bind(BasicBetaLikeness(1), [1, 99]).measured(count([[11, 89]])) == pytest.approx([10])
    assert holds(BasicBetaLikeness(10), [1, 99], [11, 89], [12, 88]) == [True, False]


def test_frequent_values_are_not_limited():
    assert holds(BasicBetaLikeness(1), [5, 5], [1, 0], [0, 3]) == [True, True]


def test_decimals_mean_what_they_say():
    # q = .13 = (1 + .3) p: binary floats would say .13 > .1 * 1.3 = .13000000000000000x or not, as they like.
    assert holds(BasicBetaLikeness(0.3), [10, 90], [13, 87], [131, 869]) == [True, False]


def test_negative_gain_can_be_limited():
    model = BasicBetaLikeness(1, negative=0.5)
    reference, classes = [4, 6], [[1, 4], [2, 3], [0, 5], [1, 5]]
    assert holds(model, reference, *classes) == [True, True, False, False]
    bound = bind(model, reference)
    assert [accepts(bound, counts) for counts in classes] == [True, True, False, False]
    assert bound.measured(count(classes))[2:].tolist() == [math.inf, math.inf]
    assert bound.strongest(count(classes[:2])).values == {"beta": 0.33333333333333337, "negative": 0.5}
    assert bound.strongest(count(classes[:3])).values["negative"] == 1
    # Every class needs the rarer value, at most 80 % of it, and both values.
    assert bound.smallest_classes().tolist() == [2, 2]


def test_values_that_the_reference_lacks_are_foreign():
    bound = bind(BasicBetaLikeness(100), [4, 4, 0])
    stats = count([[1, 1, 0], [1, 1, 1]])
    assert bound.holds(stats).tolist() == [True, False]
    assert bound.strongest(stats).values == {"beta": math.inf}
    assert not accepts(bound, [1, 1, 1])
    assert not accepts(bound, [10, 10, 5])


def test_a_record_more_may_break_it():
    assert holds(BasicBetaLikeness(0.1), [5, 5], [1, 1], [2, 1]) == [True, False]
    assert not BasicBetaLikeness.closed_under_adding


def test_caps_for_the_certificate():
    assert bind(BasicBetaLikeness("1/2"), [1, 2, 0, 0, 0, 0], diseases()).caps() == {
        "headache": "1/2",
        "epilepsy": "1",
    }


@pytest.mark.parametrize("bad", [{"beta": 0}, {"beta": 1, "negative": 1.5}, {"beta": 1, "negative": -0.1}])
def test_bad_parameters(bad):
    with pytest.raises(PolicyError, match=r"^basic-beta-likeness: (beta|negative) must be a number "):
        BasicBetaLikeness(**bad)


@pytest.mark.parametrize("level", [-1, 1.5, "1"])
def test_bad_levels(level):
    with pytest.raises(
        PolicyError, match=r"^basic-beta-likeness: level must be a whole number of at least 0"
    ):
        BasicBetaLikeness(1, level=level)
