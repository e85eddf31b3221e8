"""What a search must reach."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import polars as pl
import pytest

import likeness as lk
from likeness.errors import PolicyError
from likeness.searching.scale import Goal, loss_goals, measured_goals


@pytest.fixture(scope="module")
def release():
    table = pl.DataFrame({"age": [30, 31, 60, 61], "disease": ["flu", "cold", "flu", "flu"]})
    columns = {"age": lk.quasi(), "disease": lk.sensitive()}
    return lk.anonymize(table, lk.Policy(columns=columns, privacy=lk.KAnonymity(2)), seed=1)


def test_losses_are_the_release_s(release):
    (ncp, other) = loss_goals({"ncp": 0.2, lk.CAvg(k=2): "1/2"})
    assert ncp.measure(release) == release.loss("ncp")["ncp"]
    assert other.measure(release) == 1.0
    assert (other.name, other.limit, other.met(1.0)) == ("CAvg(k=2)", Fraction(1, 2), False)


def test_higher_is_better_for_some(release):
    (utility,) = loss_goals({"utility": 0.5})
    assert utility.at_least
    assert utility.met(0.5)
    assert not utility.met(0.49)


def test_measured_privacy_is_the_proof_s(release):
    # p(flu) = 3/4; classes {flu, cold} and {flu, flu}: gains 1/3 and, for cold, 1; distance 1/4.
    beta, t, k = measured_goals({"basic-beta-likeness.beta": 1, "t-closeness.t": 0.25, "k-anonymity.k": 3})
    assert beta.measure(release) == 1.0
    assert t.measure(release) == 0.25
    assert k.measure(release) == 2
    assert (beta.met(1.0), t.met(0.25), k.met(2)) == (True, True, False)


def test_a_model_with_its_parameters(release):
    (goal,) = measured_goals({lk.TCloseness(1, distance="equal"): 0.25})
    assert goal.measure(release) == 0.25


@pytest.mark.parametrize("at_least", [False, True])
def test_infinite_values(at_least):
    goal = Goal("any", Fraction(5), lambda release: 0.0, at_least)
    assert goal.met(np.inf) is at_least


@pytest.mark.parametrize(
    ("goals", "complaint"),
    [
        ({}, "give a metric"),
        ({"nccp": 1}, "did you mean 'ncp'"),
        ({"ncp": "low"}, "must be a number"),
        (["ncp"], "give a metric"),
        ("ncp", "give a metric"),
        ({3: 1}, "metrics: must be given one by one"),
    ],
)
def test_refused_losses(goals, complaint):
    with pytest.raises(PolicyError, match=complaint):
        loss_goals(goals)


@pytest.mark.parametrize(
    ("goals", "complaint"),
    [
        ({}, "give a parameter"),
        ({"t-closeness": 1}, "name it, as in t-closeness.t"),
        ({"t-closeness.tt": 1}, "did you mean 't'"),
        ({"t-closenes.t": 1}, "did you mean 't-closeness'"),
        ({"t-closeness.t": 5}, "^measured: t-closeness: t must be a number .* at most 1; got 5$"),
        ({"t-closeness.t": "1.5"}, "^measured: t-closeness: t must be a number .* at most 1; got 1.5$"),
        ({lk.TCloseness(1, distance="equal"): -1}, "^measured: t-closeness: t must be a number .*; got -1$"),
        ({"k-anonymity.k": 0}, "^measured: k-anonymity: k must be a whole number of at least 1; got 0$"),
        ("t-closeness.t", "give a parameter"),
        ({3: 1}, "must name a parameter of a model, such as t-closeness.t, or be a model; got 3"),
    ],
)
def test_refused_measures(goals, complaint):
    with pytest.raises(PolicyError, match=complaint):
        measured_goals(goals)
