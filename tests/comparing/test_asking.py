"""Which runs a comparison is of."""

from __future__ import annotations

import pytest
from tests.comparing.runs import COLUMNS, POLICY, TABLE

import likeness as lk
from likeness.comparing.asking import grid_of, runs_asked
from likeness.encode import encode
from likeness.tables import read

DATA = encode(read(TABLE), POLICY).data


def policy(*privacy, **more):
    return lk.Policy(columns=COLUMNS, privacy=list(privacy), **more)


def grid(told, vary=None):
    return {lever.subject: values for lever, values in grid_of(told, vary, DATA).items()}


@pytest.mark.parametrize(
    ("privacy", "wanted"),
    [
        (lk.KAnonymity(5), {"k-anonymity.k": (2, 5, 10, 20, 40)}),
        (lk.KAnonymity(1), {"k-anonymity.k": (1, 2, 4, 10)}),
        (lk.KAnonymity(60), {"k-anonymity.k": (24, 60)}),
        (lk.TCloseness("0.2"), {"t-closeness.t": (0.8, 0.4, 0.2, 0.1, 0.05)}),
        (lk.TCloseness(0.5), {"t-closeness.t": (1, 0.5, 0.25, 0.125)}),
        (lk.BetaLikeness(4), {"beta-likeness.beta": (16, 8, 4, 2, 1)}),
        (lk.DistinctLDiversity(2), {"distinct-l-diversity.l": (2,)}),
    ],
)
def test_values_around_its_own_from_the_weakest(privacy, wanted):
    assert grid(policy(privacy)) == wanted


def test_values_that_are_given():
    both = policy(lk.KAnonymity(5), lk.BetaLikeness(4))
    given = {"beta": ["1", "4", 4], "k": [5, 2]}
    assert grid(both, given) == {"beta-likeness.beta": (4, 1), "k-anonymity.k": (2, 5)}
    runs = runs_asked(both, ["mondrian", "best"], grid_of(both, given, DATA), "quick", 7)
    assert len(runs) == 2 * 2 * 2
    assert {one.policy.seed for one in runs} == {7}
    assert [one.policy.effort for one in runs if one.name == "best"] == ["quick"] * 4
    assert runs[0].values == {"beta-likeness.beta": 4, "k-anonymity.k": 2}
    assert runs[0].policy.privacy == (lk.KAnonymity(2), lk.BetaLikeness(4))


@pytest.mark.parametrize(
    ("vary", "complaint"),
    [
        ({}, "name a parameter"),
        ({"k": []}, "takes whole numbers"),
        ({"k": [2.5]}, "takes whole numbers; got 2.5"),
        ({"k": ["x"]}, "must be a number"),
        ({"k": [0]}, "above 0"),
        ({"beta": [1]}, "has no such parameter"),
    ],
)
def test_values_that_are_refused(vary, complaint):
    with pytest.raises(lk.PolicyError, match=complaint):
        grid_of(POLICY, vary, DATA)


def test_every_method_that_publishes_the_same_form_is_asked():
    runs = runs_asked(POLICY, None, grid_of(POLICY, {"k": [5]}, DATA), None, 1)
    names = [one.name for one in runs]
    assert "regions-of" not in names  # of an earlier release
    assert names[0] == "best"
    assert {"mondrian", "mdav", "burel", "datafly"} <= set(names)
    assert {"anatomy", "perturbation", "baseline"}.isdisjoint(names)
    assert {one.policy.form for one in runs} == {None}


def test_all_publish_in_the_form_that_is_asked_for():
    own = policy(lk.KAnonymity(5), form="microaggregated")
    runs = runs_asked(own, None, grid_of(own, {"k": [5]}, DATA), None, 1)
    assert {"best", "mondrian", "mdav"} <= {one.name for one in runs}
    assert {one.policy.form.name for one in runs} == {"microaggregated"}


def test_methods_of_other_forms_are_asked_by_name():
    (run,) = runs_asked(POLICY, [lk.Anatomy(l=2)], grid_of(POLICY, {"k": [5]}, DATA), None, 1)
    assert run.policy.form is None
    assert run.policy.method == lk.Anatomy(l=2)


def test_the_policys_method_keeps_its_parameters():
    own = policy(lk.KAnonymity(5), method=lk.Mondrian(cut="widest"))
    runs = runs_asked(own, None, grid_of(own, {"k": [5]}, DATA), None, 1)
    assert [one.method for one in runs if one.name == "mondrian"] == [lk.Mondrian(cut="widest")]
    assert runs[0].policy.method is None


def test_unknown_methods_are_refused():
    with pytest.raises(lk.PolicyError, match="did you mean 'mondrian'"):
        runs_asked(POLICY, ["mondrain"], grid_of(POLICY, None, DATA), None, 1)
    with pytest.raises(lk.PolicyError, match="name one"):
        runs_asked(POLICY, [], grid_of(POLICY, None, DATA), None, 1)
