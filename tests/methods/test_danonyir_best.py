"""DAnonyIR beyond the paper: whom classes begin with, and moves between finished classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.identity_reserved import s4_microdata
from tests.methods.people import people
from tests.methods.test_danonyir import asked, model
from tests.oracles.danonyir_moves import move_between

from likeness.methods.danonyir import Danonyir, dearest_first, move_between_classes
from likeness.methods.danonyir.run import Run, lay_out_limits
from likeness.methods.danonyir.space import lay_out_space
from likeness.metrics.base import Evaluation
from likeness.metrics.glm import Glm
from likeness.microdata.data import Microdata
from likeness.microdata.domain import Domain
from likeness.microdata.plan import Plan, Reason, spread
from likeness.microdata.regions import recode

if TYPE_CHECKING:
    from likeness.methods.base import Problem

EASY = settings(deadline=None, max_examples=25)
MODELS = (
    ("ir-k-anonymity", 3),
    ("ir-kl-anonymity", 2, 3),
    ("eir-l-diversity", 3),
    ("ir-alpha-beta-anonymity", "0.5", "0.6"),
    ("eir-alpha-beta-anonymity", "0.6", "0.7"),
)


@st.composite
def tables(draw: st.DrawFn) -> Microdata:
    """Up to 40 people, their records alike or not."""
    n = draw(st.integers(6, 40))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    person = np.repeat(np.arange(n), rng.integers(1, 4, n))
    moved = draw(st.booleans())
    of = np.arange(person.size) if moved else person
    quasi = (
        Domain("age", "integer", np.arange(20, 30), "interval", low=20, high=29),
        Domain("job", "categorical", np.array(list("abcd"), object), "set"),
    )
    codes = np.array([rng.integers(0, domain.codes, person.size)[of] for domain in quasi], np.int32)
    disease = Domain("disease", "categorical", np.array(list("uvwxyz"), object), "set")
    values = rng.integers(0, 6, person.size).astype(np.int32)
    return Microdata(quasi, codes, (disease,), values[None], np.arange(person.size), individuals=person)


def lost(data: Microdata, classes: np.ndarray) -> float:
    """Mean loss of the records, those withheld counted in full."""
    assert data.people.members is not None
    alone = int((classes < 0).sum())
    told = Plan(classes, because={Reason("left-over", "left over"): alone} if alone else {})
    plan, recoding = recode(data, spread(told, data.people.members.of))
    kept = plan.published.mean()
    measured = Glm().measure(Evaluation(data, plan, recoding)) if kept else 0.0
    return float(measured)


def clustered(problem: Problem) -> tuple[Any, Any, np.ndarray]:
    """What the paper's variant finds, before any moves."""
    space, limits = lay_out_space(problem.data), lay_out_limits(problem)
    run = Run(space, limits, np.random.default_rng(0).permutation(problem.data.size))
    run.cluster(problem.progress)
    run.place_the_rest(problem)
    return space, limits, run.labels()


@pytest.mark.parametrize("given_", MODELS, ids=lambda own: own[0])
@given(data=tables())
@EASY
def test_moves_only_lower_the_loss_and_every_class_holds(given_, data):
    problem = asked(data.people, [model(*given_)])
    space, limits, before = clustered(problem)
    after, told = move_between_classes(problem, space, limits, before)
    assert ((before < 0) == (after < 0)).all()
    count = int(after.max(initial=-1)) + 1
    assert sorted(set(after.tolist()) - {-1}) == list(range(count))
    if not count:
        return
    assert problem.holding(after, count).all()
    assert lost(data, after) <= lost(data, before) + 1e-12
    if told and told["moved"] + told["classes dissolved"] == 0:
        assert after.tolist() == before.tolist()


@pytest.mark.parametrize("given_", [*MODELS, ("t-closeness", "0.5")], ids=lambda own: own[0])
@given(
    seed=st.integers(0, 10_000),
    size=st.integers(6, 30),
    differ=st.sampled_from([0.0, 0.3]),
    few=st.booleans(),
)
@EASY
def test_moves_are_those_of_a_plain_search(given_, seed, size, differ, few):
    problem = asked(people(seed, size, differ=differ, alike=8), [model(*given_)])
    # Few classes at random are large and wide; those that do not hold as they are stay as they are.
    space, limits, before = clustered(problem)
    if few:
        drawn = np.random.default_rng(seed).integers(0, 3, size)
        before = np.unique(drawn, return_inverse=True)[1]
        assume(problem.holding(before, int(before.max()) + 1).all())
    after, _ = move_between_classes(problem, space, limits, before)

    def holds(group: list[int]) -> bool:
        one = np.full(size, -1, np.int64)
        one[group] = 0
        return bool(problem.holding(one, 1)[0])

    grows = all(requirement.closed_under_adding for requirement in problem.requirements)
    assume(before.max() >= 1)
    assert after.tolist() == move_between(problem.data, before.tolist(), holds, grows=grows, rounds=20)


@pytest.mark.parametrize("given_", MODELS, ids=lambda own: own[0])
@given(data=tables())
@EASY
def test_the_best_variant_holds_and_loses_nobody(given_, data):
    problem = asked(data.people, [model(*given_)])
    plan = Danonyir().run(problem)
    assert plan.withheld == sum(plan.withheld_because.values())
    if plan.count:
        assert problem.holding(plan.classes, plan.count).all()
    again = Danonyir().run(asked(data.people, [model(*given_)]))
    assert again.classes.tolist() == plan.classes.tolist()


def test_somebody_moves_where_their_class_is_narrower_without_them():
    # Ages 20 20 29 | 28 29 29: the first class holds with two, and all lose less when its third joins the others.
    ages = Domain("age", "integer", np.arange(20, 30), "interval", low=20, high=29)
    codes = np.array([[0, 0, 9, 8, 9, 9]], np.int32)
    disease = Domain("disease", "categorical", np.array(list("uv"), object), "set")
    values = np.array([[0, 1, 0, 1, 0, 1]], np.int32)
    data = Microdata((ages,), codes, (disease,), values, np.arange(6), individuals=np.arange(6))
    problem = asked(data.people, [model("ir-k-anonymity", 2)])
    space, limits = lay_out_space(data.people), lay_out_limits(problem)
    moved, told = move_between_classes(problem, space, limits, np.array([0, 0, 0, 1, 1, 1]))
    assert moved.tolist() == [0, 0, 1, 1, 1, 1]
    assert told["moved"] == 1


def test_a_class_that_costs_more_than_its_people_elsewhere_dissolves():
    # 20 29 between two classes of equals: each of the two is better off with one of them.
    ages = Domain("age", "integer", np.arange(20, 30), "interval", low=20, high=29)
    codes = np.array([[0, 0, 9, 9, 0, 9]], np.int32)
    disease = Domain("disease", "categorical", np.array(list("uv"), object), "set")
    values = np.array([[0, 1, 0, 1, 0, 1]], np.int32)
    data = Microdata((ages,), codes, (disease,), values, np.arange(6), individuals=np.arange(6))
    problem = asked(data.people, [model("ir-k-anonymity", 2)])
    space, limits = lay_out_space(data.people), lay_out_limits(problem)
    moved, told = move_between_classes(problem, space, limits, np.array([0, 0, 1, 1, 2, 2]))
    assert moved.tolist() == [0, 0, 1, 1, 0, 1]
    assert told["classes dissolved"] == 1


def test_whoever_can_lose_most_begins():
    # Mike and Jane have two records; Ella too, and she is farther from the others than they are.
    data = s4_microdata().people
    assert data.members is not None
    order = dearest_first(data, np.bincount(data.members.of), np.random.default_rng(0))
    assert sorted(order.tolist()) == list(range(7))
    assert set(order[:3].tolist()) == {0, 3, 5}


def test_a_large_class_that_few_can_leave_holds_afterwards():
    # 300 people in one class have one value as often as is allowed: whoever leaves without it breaks the limit.
    rng = np.random.default_rng(3)
    n = 300 + 2
    ages = Domain("age", "integer", np.arange(20, 60), "interval", low=20, high=59)
    codes = np.concatenate([rng.integers(0, 30, 300), [39, 39]])[None].astype(np.int32)
    disease = Domain("disease", "categorical", np.array(list("uvwx"), object), "set")
    values = np.array([[*([0] * 150), *([1, 2, 3] * 50), 0, 1]], np.int32)
    data = Microdata((ages,), codes, (disease,), values, np.arange(n), individuals=np.arange(n))
    problem = asked(data.people, [model("eir-alpha-beta-anonymity", "0.9", "0.5")])
    space, limits = lay_out_space(data.people), lay_out_limits(problem)
    labels = np.array([0] * 300 + [1, 1])
    moved, _ = move_between_classes(problem, space, limits, labels)
    assert problem.holding(moved, int(moved.max()) + 1).all()
