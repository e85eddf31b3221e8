"""DAnonyIR: the paper's example as fractions; equal to the book on random tables; who is withheld, and why."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.identity_reserved import S4_TABLE4, s4_microdata, s4_people
from tests.methods.people import asked, people
from tests.methods.problems import plain_set, table
from tests.methods.problems import problem as of_records
from tests.oracles import danonyir as oracle

from likeness import registry
from likeness.errors import PolicyError
from likeness.methods.base import Problem
from likeness.methods.danonyir import Danonyir, too_heavy
from likeness.methods.danonyir import space as _danonyir_space
from likeness.methods.danonyir.space import lay_out_space
from likeness.microdata.data import Microdata
from likeness.microdata.domain import Domain
from likeness.microdata.plan import Plan


def model(name, *given_):
    return registry.load("models", name)(*given_)


PAPER = [
    ("ir-kl-anonymity", 3, 3),
    ("eir-l-diversity", 3),
    ("ir-alpha-beta-anonymity", 0.4, 0.6),
    ("eir-alpha-beta-anonymity", 0.4, 0.6),
]
RANDOM = [
    *PAPER,
    ("ir-k-anonymity", 4),
    ("ir-kl-anonymity", 2, 4),
    ("eir-l-diversity", 2),
    ("eir-l-diversity", 4),
    ("ir-alpha-beta-anonymity", "1/4", "0.3"),
    ("eir-alpha-beta-anonymity", "0.3", "1/3"),
    ("distinct-l-diversity", 4),
    ("alpha-k-anonymity", "0.5", 3),
    ("t-closeness", "0.3"),
    ("basic-beta-likeness", 1),
]


def reference(problem: Problem, order: list[int], *, exact: bool = True) -> tuple[np.ndarray, list[int]]:
    """Class of each individual by the book, deciding as proofs do; and who is withheld."""

    def holds(group: list[int]) -> bool:
        one = np.full(problem.data.size, -1, np.int64)
        one[group] = 0
        return bool(problem.holding(one, 1)[0])

    grows = all(requirement.closed_under_adding for requirement in problem.requirements)
    made, withheld = oracle.cluster(problem.data, order, holds, monotone=grows, exact=exact)
    classes = np.full(problem.data.size, -1, np.int64)
    for number, group in enumerate(made):
        classes[group] = number
    return classes, withheld


def drawn(problem: Problem, seed: int = 0) -> list[int]:
    return np.random.default_rng(seed).permutation(problem.data.size).tolist()


# The paper's example


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        ({6}, {1: "50/9", 2: "3/2", 3: "25/6", 4: "10/9", 5: "11/6", 7: "5/6"}),
        ({6, 7}, {1: "15/2", 2: "41/18", 3: "35/6", 4: "25/18", 5: "49/18"}),
        ({3}, {1: "1/2", 2: "23/9", 5: "25/9", (4, 6, 7): "79/9"}),
        ({1, 3}, {2: "95/18", 5: "103/18", (4, 6, 7): "239/18"}),
        ({1, 2, 3}, {5: "17/6", (4, 6, 7): "25/2"}),
    ],
    ids=["T2", "T3", "T4", "T4 {1,3}", "T4 {1,2,3}"],
)
def test_the_papers_distances(one, expected):
    from likeness.methods.danonyir.kernels.hulls import apart, copy_hull, widen
    from likeness.methods.danonyir.kernels.search import hulls

    data = s4_microdata().people
    space = lay_out_space(data)
    assert space.exact
    both = hulls(2, 3, space.profiles.bits.shape[1], np.int64)
    for other, fraction in expected.items():
        groups = (one, {other} if isinstance(other, int) else set(other))
        size = []
        for row, group in enumerate(groups):
            members = [person - 1 for person in sorted(group)]
            size.append(int(space.crowd.records[members].sum()))
            copy_hull(both, row, space.profiles, space.crowd.profile[members[0]])
            for person in members[1:]:
                widen(space.geometry, both, row, space.profiles, space.crowd.profile[person])
        found = apart(space.geometry, space.crowd.attributes, both, 0, size[0], both, 1, size[1])
        assert Fraction(int(found), int(space.scale)) == Fraction(fraction), other


def total_loss(data: Microdata, classes: np.ndarray) -> Fraction:
    """Equation 14: over all records, from the original to the published value."""
    losses, sides = oracle.Exact(data), oracle.individuals(data)
    total = Fraction(0)
    for number in range(-1, int(classes.max()) + 1):
        group = [sides[person] for person in np.flatnonzero(classes == number)]
        if not group:
            continue
        records = sum(side.records for side in group)
        hull = group[0]
        for side in group[1:]:
            hull = hull.with_(side)
        own = losses.everything if number < 0 else sum(losses.of(hull.hull))
        total += Fraction(records * own, losses.denominator)
    return total


@pytest.mark.parametrize("asks", PAPER, ids=str)
def test_the_papers_classes(asks):
    problem = asked(s4_microdata().people, [model(*asks)])
    plan = Danonyir("paper", start_order=(6, 3)).run(problem)
    assert plan.classes.tolist() == s4_people(S4_TABLE4).tolist()
    assert plan.withheld == 0
    loss = total_loss(problem.data, plan.classes)
    assert loss == Fraction(65, 6)
    assert loss / (10 * 3) == Fraction(13, 36)
    # {1, 2, 3} holds IR (3, 3) already, and Tina is left over.
    left = 1 if asks[0] == "ir-kl-anonymity" else 0
    assert plan.history["individuals left over"] == left
    assert plan.history["of these joined to classes"] == left


def test_losses_telescope():
    data = people(3, 12, differ=0.5)
    losses, sides = oracle.Exact(data), oracle.individuals(data)
    for a in sides:
        for b in sides:
            for c in sides:
                x, y, z = (sum(losses.of(one.hull)) for one in (a, a.with_(b), a.with_(b).with_(c)))
                assert (y - x) + (z - y) == z - x
                assert x <= y <= z


# Equal to the book


@pytest.mark.parametrize("asks", RANDOM, ids=str)
@given(
    seed=st.integers(0, 10_000),
    size=st.integers(1, 20),
    most=st.integers(1, 4),
    differ=st.sampled_from([0.0, 0.1, 0.5]),
    alike=st.sampled_from([None, 5]),
)
@settings(deadline=None, max_examples=25)
def test_it_clusters_as_the_book_says(asks, seed, size, most, differ, alike):
    data = people(seed, size, most=most, differ=differ, alike=alike)
    problem = asked(data, [model(*asks)])
    plan = Danonyir("paper").run(problem)
    heavy = too_heavy(problem)
    if heavy.any():
        assert (plan.classes[heavy] == -1).all()
        problem = asked(data.take(np.flatnonzero(~heavy)), [model(*asks)])
        assert not too_heavy(problem).any()
        if problem.data.size == 0:
            return
    classes, withheld = reference(problem, drawn(problem))
    assert plan.classes[~heavy].tolist() == classes.tolist()
    assert plan.withheld == len(withheld) + heavy.sum()
    if plan.published.any():
        assert asked(data, [model(*asks)]).holding(plan.classes, plan.count).all()


@given(seed=st.integers(0, 10_000), size=st.integers(2, 20))
@settings(deadline=None, max_examples=25)
def test_several_models_at_once(seed, size):
    data = people(seed, size)
    problem = asked(
        data, [model("eir-l-diversity", 3), model("entropy-l-diversity", "2.5"), model("k-anonymity", 4)]
    )
    assert Danonyir("paper").run(problem).classes.tolist() == reference(problem, drawn(problem))[0].tolist()


@pytest.mark.slow
@pytest.mark.parametrize("asks", [("eir-l-diversity", 3), ("ir-alpha-beta-anonymity", 0.4, 0.6)], ids=str)
@given(seed=st.integers(0, 10_000), size=st.integers(2, 16), alike=st.sampled_from([None, 5]))
@settings(deadline=None, max_examples=25)
def test_rounded_losses_are_summed_in_the_order_of_the_attributes(asks, seed, size, alike):
    data = people(seed, size, alike=alike, differ=0.3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_danonyir_space, "whole_losses", lambda domains, records: None)
        problem = asked(data, [model(*asks)])
        heavy = too_heavy(problem)
        plan = Danonyir("paper").run(problem)
    assume(not heavy.any())
    if plan.published.any():
        assert plan.history["losses"] == "floating point"
    assert plan.classes.tolist() == reference(problem, drawn(problem), exact=False)[0].tolist()


def test_losses_that_64_bits_do_not_hold_are_rounded():
    primes = [9_999_991, 9_999_973, 9_999_971]
    wide = tuple(
        Domain(f"x{prime}", "integer", np.arange(5), "interval", low=0, high=prime) for prime in primes
    )
    data = people(1, 20, quasi=wide, differ=0.2)
    assert not lay_out_space(data).exact
    problem = asked(data, [model("eir-l-diversity", 3)])
    assert (
        Danonyir("paper").run(problem).classes.tolist()
        == reference(problem, drawn(problem), exact=False)[0].tolist()
    )


@given(counts=st.lists(st.integers(1, 8), min_size=2, max_size=5), seed=st.integers(0, 1000))
@settings(deadline=None, max_examples=25)
def test_without_individuals_every_record_is_one(counts, seed):
    data = table(counts, seed, missing=True)
    problem = of_records(data, model("eir-l-diversity", 2), model("k-anonymity", 3))
    problem = replace(problem, allowance=data.size)
    assert Danonyir("paper").run(problem).classes.tolist() == reference(problem, drawn(problem))[0].tolist()


@pytest.mark.slow
def test_a_thousand_people_as_the_book_says():
    data = people(0, 1_000, most=4, differ=0.02)
    problem = asked(data, [model("eir-l-diversity", 5)])
    plan = Danonyir("paper").run(problem)
    assert plan.classes.tolist() == reference(problem, drawn(problem))[0].tolist()


# Who is withheld


def same_disease(size: int) -> Microdata:
    quasi = (Domain("x", "integer", np.arange(size), "interval", low=0, high=max(1, size - 1)),)
    codes = np.arange(size, dtype=np.int32)[None]
    return Microdata(
        quasi,
        codes,
        (plain_set("disease", 3),),
        np.ones((1, size), np.int32),
        np.arange(size),
        individuals=np.arange(size),
    ).people


@pytest.mark.parametrize(
    ("data", "asks"),
    [
        (same_disease(6), ("eir-l-diversity", 2)),
        (same_disease(1), ("ir-k-anonymity", 2)),
        (people(0, 3), ("eir-l-diversity", 4)),
        (people(0, 3), ("eir-l-diversity", 10**30)),
    ],
    ids=["one disease", "one individual", "fewer individuals than l", "absurd l"],
)
def test_nobody_is_published_where_the_whole_table_does_not_hold(data, asks):
    plan = Danonyir("paper").run(asked(data, [model(*asks)]))
    assert (plan.classes == -1).all()
    (reason,) = plan.withheld_because
    assert reason.startswith(f"the whole table as one class does not hold {asks[0]}")
    assert plan.withheld_because[reason] == data.size


def test_one_individual_can_be_enough():
    data = same_disease(1)
    assert Danonyir("paper").run(asked(data, [model("eir-l-diversity", 1)])).classes.tolist() == [0]
    assert (
        Danonyir("paper").run(asked(data.take(np.zeros(0, np.int64)), [model("eir-l-diversity", 1)])).count
        == 0
    )


def test_a_constant_attribute_costs_nothing():
    constant = (
        Domain("x", "integer", np.array([5]), "interval", low=5, high=5),
        plain_set("sex", 1),
        Domain("y", "integer", np.arange(4), "interval", low=0, high=3),
    )
    data = people(0, 20, quasi=constant)
    space = lay_out_space(data)
    assert (space.geometry.position[0] == 0).all()
    assert (space.geometry.set_loss[1] == 0).all()
    problem = asked(data, [model("eir-l-diversity", 3)])
    assert Danonyir("paper").run(problem).classes.tolist() == reference(problem, drawn(problem))[0].tolist()


def test_without_quasi_identifiers_all_are_alike():
    data = people(0, 20, quasi=())
    problem = asked(data, [model("eir-l-diversity", 3)])
    plan = Danonyir("paper").run(problem)
    assert plan.classes.tolist() == reference(problem, drawn(problem))[0].tolist()
    assert plan.published.all()


def with_heavy(records: int) -> Microdata:
    """Ten individuals with two records each and one with many, who stands in the middle."""
    of = np.concatenate([np.repeat(np.arange(10), 2), np.full(records, 10)])
    quasi = (Domain("x", "integer", np.arange(11), "interval", low=0, high=10),)
    place = np.where(of == 10, 5, of + (of >= 5)).astype(np.int32)
    sick = np.concatenate([np.tile([0, 1, 1, 2, 2, 3, 3, 0, 1, 3], 2), np.arange(records)]).astype(np.int32)
    return Microdata(
        quasi, place[None], (plain_set("disease", 60),), sick[None], np.arange(of.size), individuals=of
    ).people


def test_individuals_too_heavy_for_any_class_are_withheld_and_named_as_the_reason():
    data = with_heavy(50)
    plan = Danonyir("paper").run(asked(data, [model("ir-alpha-beta-anonymity", 0.4, 0.6)]))
    assert plan.classes[10] == -1
    assert plan.published.sum() > 5
    reason = list(plan.withheld_because)[plan.reason_of[10]]
    assert reason.startswith("individuals with more records than any class of this table could hold")
    assert plan.withheld_because[reason] == 1
    lighter = with_heavy(10)
    assert not too_heavy(asked(lighter, [model("ir-alpha-beta-anonymity", 0.4, 0.6)])).any()
    # Whoever is heavy needs many others: first, everybody is still there.
    first = Danonyir("paper", start_order=(11,))
    assert first.run(asked(lighter, [model("ir-alpha-beta-anonymity", 0.4, 0.6)])).published[10]


def test_everybody_is_too_heavy_for_a_tiny_share():
    data = people(0, 10)
    plan = Danonyir("paper").run(asked(data, [model("eir-alpha-beta-anonymity", 0.05, 0.9)]))
    assert plan.withheld == 10
    assert list(plan.withheld_because.values()) == [10]


def test_reasons_add_up():
    for seed in range(30):
        data = people(seed, 20, most=4)
        plan = Danonyir("paper").run(asked(data, [model("eir-alpha-beta-anonymity", "0.3", "0.3")]))
        found = np.bincount(plan.reason_of + 1, minlength=len(plan.withheld_because) + 1)[1:]
        assert found.tolist() == list(plan.withheld_because.values())
        assert (plan.reason_of >= 0).tolist() == (plan.classes < 0).tolist()


def test_it_withholds_who_costs_as_much_to_join():
    # Two at one end make a class; whoever is left over at the other end costs 1 to everybody.
    quasi = (Domain("x", "integer", np.array([0, 10]), "interval", low=0, high=10),)
    data = Microdata(
        quasi,
        np.array([[0, 0, 1]], np.int32),
        (plain_set("disease", 3),),
        np.array([[0, 1, 2]], np.int32),
        np.arange(3),
        individuals=np.arange(3),
    ).people
    plan = Danonyir("paper", start_order=(1,)).run(asked(data, [model("ir-k-anonymity", 2)]))
    assert plan.classes.tolist() == [0, 0, -1]
    assert list(plan.withheld_because) == [
        "individuals left over whose joining the nearest class costs more than withholding them"
    ]
    strict = Danonyir("paper", start_order=(1,)).run(asked(data, [model("ir-k-anonymity", 2)], allowance=0))
    assert strict.classes.tolist() == [0, 0, 0]
    assert strict.withheld_because == {}


@pytest.mark.parametrize("variant", ["paper", "best"])
@settings(deadline=None, max_examples=25)
@given(
    asks=st.sampled_from([("ir-k-anonymity", 10), ("ir-kl-anonymity", 5, 3), ("eir-l-diversity", 3)]),
    seed=st.integers(0, 10**6),
    size=st.integers(1, 40),
    allowance=st.integers(0, 3),
)
def test_no_more_are_withheld_than_may_be_where_the_whole_table_holds(variant, asks, seed, size, allowance):
    data = people(seed, size)
    problem = asked(data, [model(*asks)], seed, allowance=allowance)
    plan = Danonyir(variant).run(problem)
    withheld = int((~plan.published).sum())
    assert withheld <= allowance or not problem.holding(np.zeros(data.size, np.int64), 1).all()
    assert withheld == sum(plan.withheld_because.values())
    free = Danonyir(variant).run(asked(data, [model(*asks)], seed))
    if int((~free.published).sum()) <= allowance:
        assert np.array_equal(plan.classes, free.classes)


# Its face


def test_leftovers_with_whom_no_class_holds_take_classes_in():
    # Who has three records may not join two who have one each (3/5 > 1/2), but four such (3/7).
    quasi = (Domain("x", "integer", np.arange(11), "interval", low=0, high=10),)
    data = Microdata(
        quasi,
        np.array([[0, 0, 10, 10, 4, 4, 4]], np.int32),
        (plain_set("disease", 4),),
        np.array([[0, 1, 2, 3, 0, 1, 2]], np.int32),
        np.arange(7),
        individuals=np.array([0, 1, 2, 3, 4, 4, 4]),
    ).people
    models = [model("ir-alpha-beta-anonymity", "1/2", "1/2")]
    method = Danonyir("paper", start_order=(1, 3, 5))
    free = method.run(asked(data, models))
    assert free.classes.tolist() == [0, 0, 1, 1, -1]
    assert free.withheld_because == {"individuals left over, and no class holds with them": 1}
    strict = method.run(asked(data, models, allowance=0))
    assert strict.classes.tolist() == [0] * 5
    assert strict.history["of these joined to classes"] == strict.history["individuals left over"] == 1


def test_where_no_classes_help_leftovers_are_withheld_and_the_classes_stay():
    quasi = (Domain("x", "integer", np.arange(11), "interval", low=0, high=10),)
    data = Microdata(
        quasi,
        np.array([[0, 0, 10, 10, 4]], np.int32),
        (plain_set("disease", 4),),
        np.array([[0, 1, 0, 1, 0]], np.int32),
        np.arange(5),
        individuals=np.arange(5),
    ).people
    models = [model("ir-alpha-beta-anonymity", "1/2", "1/2")]
    plan = Danonyir("paper", start_order=(1, 3, 5)).run(asked(data, models, allowance=0))
    assert plan.classes.tolist() == [0, 0, 1, 1, -1]


def test_start_order_is_checked():
    assert Danonyir("paper", start_order=[6, 3]) == Danonyir("paper", start_order=(6, 3))
    with pytest.raises(PolicyError, match="danonyir: variant must"):
        Danonyir("literal")
    for wrong in ("6", 6, (0,), (1.5,)):
        with pytest.raises(PolicyError, match="danonyir: start_order must"):
            Danonyir("paper", start_order=wrong)


def test_numbers_of_the_start_order_are_those_of_the_whole_table():
    data = s4_microdata().people
    rest = data.take(np.array([0, 1, 2, 4, 5, 6]))
    problem = asked(rest, [model("ir-k-anonymity", 2)])
    for variant in ("paper", "best"):
        order = Danonyir(variant, start_order=(6, 4, 3, 6))._order(problem, np.ones(rest.size, np.int64))
        assert order[:2].tolist() == [4, 2]
        assert sorted(order.tolist()) == list(range(6))


def test_another_run_from_the_same_decisions_is_the_same():
    from likeness.methods.danonyir.kernels.search import DECIDED
    from likeness.methods.danonyir.run import Run, lay_out_limits
    from likeness.progress import Progress

    problem = asked(people(5, 40), [model("eir-l-diversity", 3)])
    order = np.array(drawn(problem))
    runs = []
    for decided in (None, "again"):
        known = None if decided is None else runs[0].state.decided[: int(runs[0].state.numbers[DECIDED])]
        run = Run(lay_out_space(problem.data), lay_out_limits(problem), order, known)
        run.cluster(Progress())
        run.place_the_rest(problem)
        runs.append(run)
    assert runs[0].labels().tolist() == runs[1].labels().tolist()
    assert Plan(runs[0].labels()).count > 1
