"""DAnonyIR in neighbourhoods: everybody in one, each holding; classes hold whatever the division; near the loss of the whole."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.methods.people import asked, people
from tests.methods.test_danonyir import model, total_loss
from tests.methods.test_danonyir_best import MODELS

from likeness.errors import PolicyError
from likeness.methods.danonyir import Danonyir, _dealt, neighbourhoods
from likeness.progress import Progress

EASY = settings(deadline=None, max_examples=15)


class Heard(Progress):
    """Keeps the stages."""

    def __init__(self) -> None:
        self.stages: list[str] = []

    def step(self, stage: str, done: int, total: int) -> None:
        self.stages.append(stage)


@pytest.mark.slow
@pytest.mark.parametrize("variant", ["best", "paper"])
@pytest.mark.parametrize("asks", [*MODELS, ("t-closeness", "0.6")], ids=lambda own: own[0])
@given(seed=st.integers(0, 10_000), size=st.integers(2, 60), most=st.integers(1, 30))
@EASY
def test_classes_hold_whatever_the_division(asks, variant, seed, size, most):
    data = people(seed, size, alike=12)
    problem = asked(data, [model(*asks)])
    plan = Danonyir(variant, neighbourhood=most).run(problem)
    assert plan.withheld == sum(plan.withheld_because.values())
    if plan.count:
        assert problem.holding(plan.classes, plan.count).all()
    # Where more individuals harm no class, nobody is withheld unless the whole table does not hold, or joining costs too much.
    if all(one.closed_under_adding for one in problem.requirements):
        assert plan.count > 0 or plan.withheld == size
    again = Danonyir(variant, neighbourhood=most).run(asked(data, [model(*asks)]))
    assert again.classes.tolist() == plan.classes.tolist()


@pytest.mark.parametrize("asks", MODELS, ids=lambda own: own[0])
@given(seed=st.integers(0, 10_000), size=st.integers(4, 60), most=st.integers(1, 30))
@EASY
def test_every_neighbourhood_holds_or_is_the_whole(asks, seed, size, most):
    problem = asked(people(seed, size, alike=12), [model(*asks)])
    parts = neighbourhoods(problem, most)
    count = int(parts.max()) + 1
    assert sorted(set(parts.tolist())) == list(range(count))
    assert count == 1 or problem.holding(parts, count).all()


def test_a_table_no_larger_than_a_neighbourhood_stays_whole():
    data = people(4, 50)
    for variant in ("best", "paper"):
        whole = Danonyir(variant).run(asked(data, [model("eir-l-diversity", 3)]))
        same = Danonyir(variant, neighbourhood=50).run(asked(data, [model("eir-l-diversity", 3)]))
        assert whole.classes.tolist() == same.classes.tolist()
        assert "neighbourhoods" not in same.history


def test_neighbourhoods_are_at_most_so_large_where_they_hold():
    problem = asked(people(1, 2_000, most=2, alike=300), [model("ir-k-anonymity", 2)])
    sizes = np.bincount(neighbourhoods(problem, 300))
    assert sizes.size >= 2_000 // 300
    assert sizes.max() <= 300
    # All alike: no cut divides them, so they are dealt.
    problem = asked(people(1, 100, most=1, differ=0.0, alike=1), [model("ir-k-anonymity", 2)])
    assert np.bincount(neighbourhoods(problem, 30)).tolist() == [25] * 4


def test_parts_are_dealt_in_the_order_of_their_profiles():
    parts = np.array([0, 1, 0, 1, 0, 0, 1])
    profile = np.array([3, 0, 1, 0, 2, 0, 9])
    assert _dealt(parts, profile, 2).tolist() == [1, 2, 0, 2, 1, 0, 3]
    assert _dealt(parts, profile, 4).tolist() == parts.tolist()


def test_a_neighbourhood_that_cannot_hold_joins_its_nearest():
    # Four values are needed, and two people with one record each never have them.
    data = people(2, 12, most=1)
    problem = asked(data, [model("eir-l-diversity", 4)])
    assert not problem.holding(np.arange(12) // 2, 6).any()
    parts = neighbourhoods(problem, 2)
    assert int(parts.max()) + 1 < 6
    assert parts.max() == 0 or problem.holding(parts, int(parts.max()) + 1).all()


def test_what_happened_is_told():
    data, heard = people(3, 400, most=3, alike=80), Heard()
    problem = asked(data, [model("ir-kl-anonymity", 3, 3)])
    object.__setattr__(problem, "progress", heard)
    plan = Danonyir(neighbourhood=150).run(problem)
    count = plan.history["neighbourhoods"]
    assert count >= 3
    assert heard.stages[0] == "divide"
    assert f"neighbourhood {count} of {count}: cluster" in heard.stages
    assert plan.history["rounds of moves"] <= 20
    assert plan.history["losses"] == "whole numbers"


@pytest.mark.slow
def test_the_loss_is_near_that_of_the_whole_table():
    data = people(5, 4_000, most=3, differ=0.02)
    problem = asked(data, [model("eir-l-diversity", 3)])
    lost = [total_loss(data, Danonyir(neighbourhood=most).run(problem).classes) for most in (None, 1_000)]
    assert lost[1] <= Fraction(11, 10) * lost[0]


def test_the_option_is_checked():
    for wrong in (0, 1.5, "all", True):
        with pytest.raises(PolicyError, match="danonyir: neighbourhood must"):
            Danonyir(neighbourhood=wrong)
