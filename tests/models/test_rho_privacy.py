"""(ρ1, ρ2)-privacy: which values it is about, and what it allows them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from tests.methods.problems import table
from tests.models.tables import bind, count, holds

from likeness import registry
from likeness.errors import CannotBeMetError, PolicyError
from likeness.methods.mondrian import Mondrian
from likeness.models.rho_privacy import RhoPrivacy
from likeness.progress import Progress
from likeness.solve import solve

REFERENCE = [1, 3, 6]


def test_no_value_may_exceed_rho2():
    model = RhoPrivacy(0.75)
    assert holds(model, REFERENCE, [0, 1, 3], [1, 2, 3], [0, 3, 0]) == [True, True, False]


def test_values_more_frequent_than_rho1_may_become_certain():
    model = RhoPrivacy(0.5, rho1=0.3)
    # Shares .1 and .3 are at most ρ1, .6 is not.
    assert holds(model, REFERENCE, [0, 0, 6], [1, 1, 0], [2, 1, 1], [0, 2, 1]) == [True, True, True, False]


def test_limits_by_value():
    model = RhoPrivacy({"0": "1/5", "2": "7/10"})
    assert holds(model, REFERENCE, [1, 4, 0], [1, 3, 0], [0, 3, 7], [0, 2, 7]) == [True, False, True, False]
    assert holds(RhoPrivacy(0.5, rho1={"1": 0.4}), REFERENCE, [9, 0, 0], [1, 3, 0]) == [True, False]
    assert holds(RhoPrivacy(0.5, rho1={"2": 0.4}), REFERENCE, [9, 0, 0], [0, 0, 1]) == [True, True]


def test_a_value_that_rho1_does_not_name_is_not_limited_though_nobody_has_it():
    assert holds(RhoPrivacy(0.5, rho1={"1": 0.4}), [0, 3, 7], [9, 0, 0]) == [True]
    assert holds(RhoPrivacy(0.5, rho1=0.4), [0, 3, 7], [9, 0, 0]) == [False]


def test_how_strong_a_table_is():
    classes = count([[1, 1, 2], [1, 2, 0]])
    assert bind(RhoPrivacy(0.9), REFERENCE).strongest(classes).values == {"rho2": 0.6666666666666667}
    assert bind(RhoPrivacy(0.9, rho1=0.1), REFERENCE).strongest(classes).values == {
        "rho2": 0.33333333333333337
    }
    assert bind(RhoPrivacy(0.9), REFERENCE).strongest(count([[0, 0, 1]])).values == {"rho2": float("inf")}
    assert bind(RhoPrivacy(0.9), REFERENCE).measured(classes).tolist() == [0.5, pytest.approx(2 / 3)]
    by_value = bind(RhoPrivacy({"0": "1/2"}), REFERENCE)
    assert by_value.measured(classes).tolist() == [0.5, pytest.approx(2 / 3)]
    # Values that are not limited do not count.
    assert by_value.strongest(count([[1, 0, 3], [0, 0, 1]])).values == {"rho2": 0.25}
    assert by_value.slack(by_value.measured(classes)).tolist() == [0.5, pytest.approx(1 / 3)]


def test_a_limit_below_the_share_is_out_of_reach_of_every_release():
    assert bind(RhoPrivacy({"2": "1/2", "0": "1/2"}), REFERENCE).out_of_reach() == (
        ". No release of all of them can hold it: '2' has a share of 0.6, above its limit of 0.5"
    )
    assert bind(RhoPrivacy({"2": "3/5"}), REFERENCE).out_of_reach() == ""
    data = table([1, 3, 6])
    with pytest.raises(
        CannotBeMetError, match=r"No release of all of them can hold it: 'disease2' has a share of 0\.6"
    ):
        solve(
            Mondrian(),
            data,
            [RhoPrivacy({"disease2": 0.5})],
            np.random.default_rng(0),
            Fraction(1, 10),
            Progress(),
        )


def test_smallest_classes():
    assert bind(RhoPrivacy({"0": "1/5", "1": "2/3"}), REFERENCE).smallest_classes().tolist() == [5, 2, 1]


@pytest.mark.parametrize("model", [RhoPrivacy({"00": 0.5}), RhoPrivacy(0.5, rho1={"00": 0.1})])
def test_an_unknown_value_is_an_error_where_all_are_known(model):
    with pytest.raises(PolicyError, match=r"'sensitive' has no value '00'; did you mean '0'\?"):
        bind(model, REFERENCE)
    # Read back from a release, a withheld value is no longer there.
    assert bind(model, REFERENCE, complete=False).holds(count([[1, 0, 0]])).all()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"rho2": 1}, "rho2 must be a number above 0 and below 1; got 1"),
        ({"rho2": 0}, "rho2 must be a number above 0"),
        ({"rho2": {}}, "rho2 must name at least one value"),
        ({"rho2": {"a": 2}}, r"rho2\[a\] must be a number"),
        ({"rho2": 0.5, "rho1": {"a": 0}}, r"rho1\[a\] must be a number"),
        ({"rho2": 0.5, "rho1": 0.5}, "rho1 must be below rho2; got 1/2 and 1/2"),
        ({"rho2": {"a": 0.5}, "rho1": 0.6}, "rho1 of 'a' must be below rho2; got 3/5 and 1/2"),
        ({"rho2": {"a": 0.5, "b": 0.9}, "rho1": {"b": 0.95, "c": 0.99}}, "rho1 of 'b' must be below rho2"),
        (
            {"rho2": {"a": 0.5, "b": 0.9}, "rho1": {"a": 0.2}},
            "rho2 names 'b' and rho1 does not, so that nothing would limit it; name it in both",
        ),
        ({"rho2": {"a": 0.5}, "rho1": {"a": 0.2, "b": 0.1}}, "rho1 names 'b' and rho2 does not"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(PolicyError, match=f"^rho-privacy: {message}"):
        RhoPrivacy(**parameters)


def test_a_policy_can_hold_it():
    model = RhoPrivacy({"a": Fraction(1, 3), 5: 0.5}, rho1={"a": "1/10", "5": 0.2})
    kept = registry.parameters(model)
    assert kept == {"rho2": {"a": "1/3", "5": 0.5}, "rho1": {"a": "1/10", "5": 0.2}}
    assert registry.create("models", "rho-privacy", kept) == model
    assert repr(model) == "RhoPrivacy(rho2={'a': '1/3', '5': 0.5}, rho1={'a': '1/10', '5': 0.2})"
