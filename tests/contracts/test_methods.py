"""What holds of every method there is: a new file in `likeness/methods` is tested here at once."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from tests.contracts.parts import example
from tests.oracles import models as oracles

from likeness import registry
from likeness.errors import CannotBeMetError, PolicyError
from likeness.hierarchies import Categories, from_rows
from likeness.methods.base import Problem
from likeness.microdata.data import Microdata
from likeness.microdata.domain import Domain
from likeness.microdata.plan import spread
from likeness.microdata.regions import LOSSES
from likeness.models.requirements import require, require_of
from likeness.progress import Progress
from likeness.solve import solve

if TYPE_CHECKING:
    from likeness.microdata.plan import Plan

NAMES = registry.names("methods")
EASY = settings(deadline=None, max_examples=40)
FEW_STEPS = 200_000
GUARANTEES: tuple[tuple[tuple[str, dict[str, Any]], ...], ...] = (
    (("k-anonymity", {"k": 1}),),
    (("k-anonymity", {"k": 3}),),
    (("distinct-l-diversity", {"l": 3}),),
    (("m-invariance", {"m": 2}),),
    (("entropy-l-diversity", {"l": "2.5"}),),
    (("recursive-cl-diversity", {"c": 2, "l": 2}), ("alpha-k-anonymity", {"alpha": "0.5", "k": 2})),
    (("t-closeness", {"t": "0.35"}), ("k-anonymity", {"k": 2})),
    (("delta-disclosure", {"delta": 3}),),
    (("basic-beta-likeness", {"beta": 1}),),
    (("beta-likeness", {"beta": 2}),),
    (("ir-kl-anonymity", {"k": 3, "l": 2}),),
    (("beta-likeness", {"beta": 4}), ("k-anonymity", {"k": 4}), ("distinct-l-diversity", {"l": 2})),
    (("theta-sensitivity", {"k": 2, "mu": "0.7"}), ("k-anonymity", {"k": 3})),
    (("theta-sensitivity", {"k": 4, "mu": "0.4", "order": "frequency"}),),
)
ROWS = [(f"z{i}", f"group {i // 3}", "*") for i in range(8)]
TREE = from_rows(ROWS, "zip", where=str)
AGES = from_rows([(str(age), f"{age // 5 * 5}+", "*") for age in range(20, 30)], "age", where=str)
QUASI = (
    Domain("age", "integer", np.arange(20, 30), "interval", AGES, missing=True, low=18, high=33),
    Domain("zip", "hierarchical", np.array(TREE.leaves, object), "tree", TREE, weight=2.0),
    Domain("job", "categorical", np.array(list("abcde"), object), "set", missing=True),
)
NAMED = tuple(f"d{i}" for i in range(6))
DISEASE = Domain(
    "disease",
    "categorical",
    np.array(NAMED, object),
    "set",
    categories=Categories(NAMED, tuple((name,) for name in NAMED)),
)


@cache
@st.composite
def tables(draw: st.DrawFn) -> Microdata:
    """Up to 60 records of every kind of column, some of them alike."""
    n = draw(st.one_of(st.integers(1, 8), st.integers(20, 60)))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    distinct = draw(st.sampled_from([2, n]))
    codes = np.array([rng.integers(0, domain.codes, distinct) for domain in QUASI], np.int32)
    uneven = draw(st.booleans())
    shares = np.array([6, 5, 4, 3, 2, 1] if uneven else [1] * 6) / (21 if uneven else 6)
    sick = rng.choice(6, n, p=shares).astype(np.int32)
    return Microdata(QUASI, codes[:, rng.integers(0, distinct, n)], (DISEASE,), sick[None], np.arange(n))


@cache
@st.composite
def linked_tables(draw: st.DrawFn) -> Microdata:
    """Records of up to 30 people, up to 4 each; some people's differ in the quasi-identifiers, some are there twice."""
    people = draw(st.one_of(st.integers(1, 6), st.integers(10, 30)))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    of = np.repeat(np.arange(people), rng.integers(1, 5, people))
    rng.shuffle(of)
    distinct = draw(st.sampled_from([2, people]))
    codes = np.array([rng.integers(0, domain.codes, distinct) for domain in QUASI], np.int32)
    own = codes[:, rng.integers(0, distinct, people)][:, of]
    if draw(st.booleans()):
        moved = rng.random(of.size) < 0.1
        own[:, moved] = codes[:, rng.integers(0, distinct, int(moved.sum()))]
    shares = np.array([6, 5, 4, 3, 2, 1]) / 21
    sick = rng.choice(6, of.size, p=shares if draw(st.booleans()) else None).astype(np.int32)
    return Microdata(
        QUASI, own, (DISEASE,), sick[None], np.arange(of.size), np.unique(of, return_inverse=True)[1]
    )


PAIRS = ("entropy-l-diversity", "recursive-cl-diversity", "t-closeness")
"""Models that count pairs of an individual and a value, because their shares must sum to 1."""


def counts_of_people(data: Microdata, chosen: np.ndarray, name: str) -> list[int]:
    """How many individuals of some records have each value."""
    assert data.individuals is not None
    people, sick = data.individuals[chosen].tolist(), data.sensitive_codes[0][chosen].tolist()
    pairs = set(zip(people, sick, strict=True))
    counts = [sum(value == own for _, own in pairs) for value in range(6)]
    return counts if name in PAIRS else oracles.OfPeople(counts, len(set(people)))


def check_people(data: Microdata, plan: Plan, i: int, reference: np.ndarray) -> None:
    """Every published class holds for its people, by the plain definitions; everybody's records are in one class."""
    assert data.individuals is not None
    buckets = plan.classes if plan.buckets is None else plan.buckets
    for labels in (plan.classes, buckets):
        assert labels.shape == (data.size,)
        assert sorted(set(labels.tolist()) - {-1}) == list(range(int(labels.max(initial=-1)) + 1))
        for person in range(int(data.individuals.max()) + 1):
            assert len(set(labels[data.individuals == person].tolist())) == 1
    assert plan.withheld == sum(plan.withheld_because.values())
    assert plan.reason_of.tolist().count(-1) == data.size - plan.withheld
    for name, given_ in GUARANTEES[i]:
        plain = getattr(oracles, name.replace("-", "_"))
        whole = counts_of_people(data, reference, name)
        labels = buckets if registry.load("models", name).needs_sensitive else plan.classes
        for number in range(int(labels.max(initial=-1)) + 1):
            counts = counts_of_people(data, labels == number, name)
            assert plain(counts, whole, DISEASE, **given_), (name, counts)


@cache
def accepted(name: str, *, linked: bool = False) -> tuple[int, ...]:
    """Positions of the guarantees that a method takes at all, of records or of people with several."""
    six = np.arange(6)
    codes = np.zeros((len(QUASI), 6), np.int32)
    data = Microdata(QUASI, codes, (DISEASE,), six[None].astype(np.int32), six, six if linked else None)
    found = []
    for i in range(len(GUARANTEES)):
        try:
            example("methods", name).check(require_of(made(i), data))
        except PolicyError:
            continue
        found.append(i)
    assert found, f"{name} takes none of the guarantees here; add one that it takes"
    return tuple(found)


@cache
def part(name: str) -> Any:
    """A method as its documentation makes it; where it goes on for a number of steps, for few: whatever it finds has to hold."""
    method = example("methods", name)
    return replace(method, steps=FEW_STEPS) if "steps" in registry.parameters(method) else method


def run(method: Any, asked: Problem) -> Plan:
    """Run a method; a table that it says is too large for it is no example."""
    try:
        return method.run(asked)
    except PolicyError as refusal:
        (line,) = refusal.problems
        assert line.startswith(f"{method.name}: is for small tables: ")
        reject()


@cache
def made(i: int) -> tuple[Any, ...]:
    return tuple(registry.create("models", name, given_) for name, given_ in GUARANTEES[i])


def problem(data: Microdata, i: int, seed: int = 0) -> Problem:
    requirements = require(made(i), data.sensitive, data.sensitive_codes)
    return Problem(data, requirements, LOSSES["glm"], np.random.default_rng(seed))


def check(data: Microdata, plan: Plan, i: int, reference: list[int]) -> None:
    """Every published class (or bucket) holds, by the plain definitions; nobody is lost."""
    sick = data.sensitive_codes[0]
    buckets = plan.classes if plan.buckets is None else plan.buckets
    assert ((buckets < 0) == (plan.classes < 0)).all()
    for labels in (plan.classes, buckets):
        assert labels.shape == (data.size,)
        assert sorted(set(labels.tolist()) - {-1}) == list(range(int(labels.max(initial=-1)) + 1))
    assert plan.withheld == sum(plan.withheld_because.values())
    assert plan.reason_of.tolist().count(-1) == data.size - plan.withheld
    for name, given_ in GUARANTEES[i]:
        of_sensitive = registry.load("models", name).needs_sensitive
        if of_sensitive and plan.mechanism is not None:
            check_mechanism(data, plan, name, given_)
            continue
        labels = buckets if of_sensitive else plan.classes
        for number in range(int(labels.max(initial=-1)) + 1):
            counts = np.bincount(sick[labels == number], minlength=6).tolist()
            plain = getattr(oracles, name.replace("-", "_"))
            assert plain(counts, reference, DISEASE, **given_), (name, counts)


def check_mechanism(data: Microdata, plan: Plan, name: str, given_: dict[str, Any]) -> None:
    """Whoever sees a published value believes in the originals in proportions that hold, as a class's would."""
    assert plan.mechanism is not None
    assert plan.sensitive is not None
    reference = np.bincount(data.sensitive_codes[0][plan.published], minlength=6).tolist()
    assert plan.mechanism.counts.tolist() == reference
    assert plan.mechanism.problems() == []
    for parts in plan.mechanism.numerators.tolist():
        counts = [n * part for n, part in zip(reference, parts, strict=True)]
        plain = getattr(oracles, name.replace("-", "_"))
        assert not any(counts) or plain(counts, reference, DISEASE, **given_), (name, counts)


@pytest.mark.parametrize("name", NAMES)
@given(draw=st.data())
@EASY
def test_every_class_holds_and_nobody_is_lost(name, draw):
    method, data = part(name), draw.draw(tables())
    i = draw.draw(st.sampled_from(accepted(name)))
    plan = run(method, problem(data, i))
    check(data, plan, i, np.bincount(data.sensitive_codes[0], minlength=6).tolist())


@pytest.mark.parametrize("name", NAMES)
@given(draw=st.data())
@EASY
def test_the_whole_search_holds_against_what_is_published(name, draw):
    method, data = part(name), draw.draw(tables())
    i = draw.draw(st.sampled_from(accepted(name)))
    refusal = None
    try:
        found = solve(method, data, made(i), np.random.default_rng(0), Fraction(1), Progress())
    except CannotBeMetError as problem_:
        refusal = problem_
    except PolicyError as too_large:
        assert too_large.problems[0].startswith(f"{name}: is for small tables: ")
        reject()
    if refusal is not None:
        assert all(line.startswith(("cannot be met: ", "withheld ")) for line in refusal.problems)
        return
    plan = found.plan
    assert plan.published.any()
    kept = data.sensitive_codes[0][plan.published]
    check(data, plan, i, np.bincount(kept, minlength=6).tolist())
    assert found.recoding.classes == plan.count


OF_PEOPLE = [name for name in NAMES if registry.load("methods", name).takes_individuals]


@pytest.mark.parametrize("name", OF_PEOPLE)
@given(draw=st.data())
@EASY
def test_classes_of_people_hold_and_nobody_is_lost(name, draw):
    method, data = part(name), draw.draw(linked_tables())
    i = draw.draw(st.sampled_from(accepted(name, linked=True)))
    people = data.people
    plan = method.run(Problem(people, require_of(made(i), people), LOSSES["glm"], np.random.default_rng(0)))
    assert plan.classes.shape == (people.size,)
    check_people(data, spread(plan, people.members.of), i, np.ones(data.size, np.bool_))


@pytest.mark.parametrize("name", OF_PEOPLE)
@given(draw=st.data())
@EASY
def test_the_whole_search_holds_for_the_people_it_publishes(name, draw):
    method, data = part(name), draw.draw(linked_tables())
    i = draw.draw(st.sampled_from(accepted(name, linked=True)))
    try:
        found = solve(method, data, made(i), np.random.default_rng(0), Fraction(1), Progress())
    except CannotBeMetError as problem_:
        assert all(line.startswith(("cannot be met: ", "withheld ")) for line in problem_.problems)
        return
    plan = found.plan
    assert plan.published.any()
    check_people(data, plan, i, plan.published)
    assert found.recoding.classes == plan.count
    for attribute, codes in zip(found.recoding.attributes, data.codes, strict=True):
        inside = attribute.contains(codes[plan.published])
        assert inside[attribute.of[plan.classes[plan.published]], np.arange(inside.shape[1])].all()


@pytest.mark.parametrize("name", OF_PEOPLE)
@given(draw=st.data())
@EASY
def test_people_with_one_record_each_are_records(name, draw):
    method, data = part(name), draw.draw(tables())
    i = draw.draw(st.sampled_from(accepted(name)))
    linked = replace(data, individuals=np.arange(data.size))
    people = linked.people
    plans = [
        method.run(Problem(own, require_of(made(i), own), LOSSES["glm"], np.random.default_rng(7)))
        for own in (data, people)
    ]
    assert plans[0].classes.tolist() == plans[1].classes.tolist()


@pytest.mark.parametrize("name", NAMES)
@given(draw=st.data())
@EASY
def test_the_same_seed_makes_the_same_plan(name, draw):
    method, data = part(name), draw.draw(tables())
    i = draw.draw(st.sampled_from(accepted(name)))
    plans = [run(method, problem(data, i, seed=7)) for _ in range(2)]
    assert plans[0].classes.tolist() == plans[1].classes.tolist()
    assert (plans[0].buckets is None) == (plans[1].buckets is None)
    if plans[0].buckets is not None:
        assert plans[0].buckets.tolist() == plans[1].buckets.tolist()
    assert (plans[0].sensitive is None) == (plans[1].sensitive is None)
    if plans[0].sensitive is not None:
        assert plans[0].sensitive.tolist() == plans[1].sensitive.tolist()
    assert plans[0].withheld_because == plans[1].withheld_because


def partition(plan: Plan, order: np.ndarray) -> set[frozenset[int]]:
    return {frozenset(order[plan.classes == number].tolist()) for number in range(-1, plan.count)}


@pytest.mark.parametrize("name", [name for name in NAMES if example("methods", name).ignores_order])
@given(draw=st.data())
@EASY
def test_the_order_of_the_records_does_not_matter_where_the_method_says_so(name, draw):
    method, data = part(name), draw.draw(tables())
    i = draw.draw(st.sampled_from(accepted(name)))
    order = np.array(draw.draw(st.permutations(range(data.size))))
    straight = partition(method.run(problem(data, i)), np.arange(data.size))
    assert partition(method.run(problem(data.take(order), i)), order) == straight


@pytest.mark.parametrize("name", NAMES)
@given(draw=st.data())
@EASY
def test_a_method_leaves_the_records_as_they_are(name, draw):
    method, data = part(name), draw.draw(tables())
    i = draw.draw(st.sampled_from(accepted(name)))
    before = data.codes.copy(), data.sensitive_codes.copy(), data.rows.copy()
    run(method, problem(data, i))
    for own, now in zip(before, (data.codes, data.sensitive_codes, data.rows), strict=True):
        assert (own == now).all()


@pytest.mark.parametrize("name", NAMES)
def test_its_form_is_there(name):
    assert registry.load("methods", name).form in registry.names("forms")
