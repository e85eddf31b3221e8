from __future__ import annotations

import pytest
from tests.metrics.examples import (
    LEVELS,
    MINI,
    NOTHING,
    constant,
    five_points,
    number_or_missing,
)

from likeness.errors import PolicyError
from likeness.metrics.mini_table import mini_table
from likeness.metrics.ncp import Ncp


def test_mini_table_in_the_set_form():
    assert Ncp().measure(MINI) == pytest.approx(0.5)
    assert Ncp().by_attribute(MINI) == pytest.approx({"age": 0.4, "sex": 0.6})


def test_hierarchy_form_counts_the_leaves_of_the_node():
    # 20-30 covers 2 of 5 ages, 40-60 three of 5; a mixed sex both of 2.
    assert Ncp().by_attribute(LEVELS) == pytest.approx({"age": (2 * 0.4 + 3 * 0.6) / 5, "sex": 0.6})


def test_glm_form():
    assert Ncp(loss="glm").by_attribute(LEVELS) == pytest.approx(
        {"age": (2 * 0.25 + 3 * 0.5) / 5, "sex": 0.6}
    )


def test_sex_in_the_iloss_form_gives_the_papers_35():
    age, sex = Ncp().by_attribute(MINI)["age"], Ncp(loss="iloss").by_attribute(MINI)["sex"]
    assert (age + sex) / 2 == pytest.approx(0.35)


def test_points():
    assert Ncp().measure(five_points([0, 0, 0, 0, -1])) == pytest.approx(0.25)
    assert Ncp().measure(five_points([0] * 5)) == 1


def test_withheld_records_are_left_out_or_charged():
    four = five_points([0, 0, 0, 0, -1])
    assert Ncp(charge_withheld=True).measure(four) == pytest.approx((4 * 0.25 + 1) / 5)
    two_withheld = mini_table(withheld=2)
    assert Ncp().by_attribute(two_withheld) == pytest.approx({"age": 0.5, "sex": 1.0})
    assert Ncp(charge_withheld=True).by_attribute(two_withheld) == pytest.approx({"age": 0.7, "sex": 1.0})


def test_nothing_published_is_everything_lost():
    assert Ncp().measure(NOTHING) == Ncp(charge_withheld=True).measure(NOTHING) == 1
    assert Ncp().by_attribute(NOTHING) == {"age": 1, "sex": 1}


def test_constant_attributes_lose_nothing():
    assert Ncp().measure(constant(classes=[0, 0, 0])) == 0


def test_a_number_mixed_with_missing_loses_everything_and_missing_alone_nothing():
    assert Ncp().measure(number_or_missing([0, 1, 2, 2])) == 0
    assert Ncp().measure(number_or_missing([0, 0, 0, 1])) == pytest.approx(3 / 4)


def test_weights_are_scaled_to_one():
    # 3 : 1 for age.
    from dataclasses import replace

    age, sex = MINI.data.quasi
    data = replace(MINI.data, quasi=(replace(age, weight=3.0), sex))
    assert Ncp().measure(replace(MINI, data=data)) == pytest.approx(0.75 * 0.4 + 0.25 * 0.6)


def test_unknown_loss():
    with pytest.raises(PolicyError, match=r"ncp: loss must be one of glm, ncp, iloss; got 'gml'"):
        Ncp(loss="gml")
