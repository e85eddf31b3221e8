"""Local search: every move keeps the guarantee, the loss falls, and what is left is a local optimum by plain loops."""

from __future__ import annotations

import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.methods.problems import TREE_ROWS, number, plain_set, problem, table, tree
from tests.methods.test_mdav import tables
from tests.oracles.k_member import loss_of

import likeness as lk
from likeness import registry
from likeness.kernels import borrowed, njit
from likeness.methods import local_search
from likeness.methods.base import Method, charged_loss
from likeness.methods.local_search import LocalSearch, kernels
from likeness.methods.local_search.pools import Items, Pools
from likeness.metrics.base import Evaluation
from likeness.metrics.discernibility import Discernibility
from likeness.microdata.data import Microdata
from likeness.microdata.plan import Plan
from likeness.microdata.regions import LOSSES, LOWERED, recode
from likeness.progress import Progress

pytestmark = pytest.mark.whole_search
MANY = 600_000_000
GUARANTEES = {
    "k": (lk.KAnonymity(2),),
    "l": (lk.KAnonymity(2), lk.DistinctLDiversity(2)),
    "beta": (lk.BasicBetaLikeness(1),),
    "t": (lk.TCloseness("0.4"),),
    "delta": (lk.DeltaDisclosure(1.2),),
    "recursive": (lk.RecursiveClDiversity(c=2, l=2),),
    "entropy": (lk.EntropyLDiversity(1.5),),
}


@pytest.fixture(autouse=True)
def few_steps_a_cell(monkeypatch):
    """Of a dozen records there is nothing to be found any more after a tenth of the steps."""
    monkeypatch.setattr(local_search, "_STEPS_A_CELL", 10_000)


def groups(classes) -> list[list[int]]:
    return [np.flatnonzero(classes == g).tolist() for g in np.unique(classes[classes >= 0])]


def charged(data, plan: Plan, loss: str) -> float:
    """Loss times records, 1 for each that is withheld."""
    return sum(len(own) * loss_of(data, own, loss) for own in groups(plan.classes)) + plan.withheld


def moves(classes, e: int):
    """Give all assignments by one record that moves, and by two that change places."""
    n = len(classes)
    for i, g in product(range(n), range(e)):
        if g != classes[i]:
            found = classes.copy()
            found[i] = g
            yield found
    for i, j in product(range(n), range(n)):
        if i < j and classes[i] != classes[j]:
            found = classes.copy()
            found[[i, j]] = classes[[j, i]]
            yield found


@pytest.mark.slow
@pytest.mark.parametrize("models", GUARANTEES.values(), ids=GUARANTEES)
@given(data=tables(), loss=st.sampled_from(["glm", "ncp"]), allowed=st.integers(0, 2))
@settings(deadline=None, max_examples=25)
def test_the_guarantee_holds_and_the_loss_falls(models, data, loss, allowed):
    asked = replace(problem(data, *models), loss=LOSSES[loss], allowance=allowed)
    begun = Plan(np.zeros(data.size, np.int64))
    if data.size == 0 or not asked.holding(begun.classes, 1).all():
        return
    plan = LocalSearch(loss=loss).improve(asked, begun, MANY)
    assert plan.withheld <= allowed
    left = np.flatnonzero(plan.published)
    kept = replace(problem(data.take(left), *models), loss=LOSSES[loss])
    # Models that compare with a distribution compare with that of the published records.
    assert kept.holding(plan.classes[left], plan.count).all()
    assert charged(data, plan, loss) <= charged(data, begun, loss) + 1e-9
    if plan.withheld == 0 and len(data.quasi):
        least = charged(data, plan, loss)
        for other in moves(plan.classes, plan.count):
            count = int(other.max()) + 1
            if charged(data, Plan(other), loss) < least - 1e-6:
                present = np.bincount(other, minlength=count) > 0
                assert not asked.holding(other, count)[present].all()


def partitions(records: int):
    """Every partition of so many records, -1 for those withheld."""
    ahead = [[]]
    for _ in range(records):
        ahead = [[*own, at] for own in ahead for at in range(-1, max(own, default=-1) + 2)]
    return [np.array(own, np.int64) for own in ahead]


@pytest.mark.parametrize("models", GUARANTEES.values(), ids=GUARANTEES)
@given(
    data=tables(),
    size=st.integers(2, 5),
    loss=st.sampled_from(["glm", "ncp"]),
    allowed=st.integers(0, 2),
    apart=st.booleans(),
)
@settings(deadline=None, max_examples=15)
def test_nothing_loses_less_than_the_release_of_a_handful(models, data, size, loss, allowed, apart):
    data = data.take(np.arange(min(size, data.size)))
    if data.size == 0 or not len(data.quasi):
        return
    parts = np.arange(data.size) % 2 if apart else None
    asked = replace(problem(data, *models), allowance=allowed, parts=parts)
    compared = any(one.view is not None and not one.conditions.complete for one in asked.requirements)
    least = np.inf
    for own in partitions(data.size):
        out = int(np.count_nonzero(own < 0))
        mixed = apart and any(len({i % 2 for i in group}) > 1 for group in groups(own))
        # What is withheld changes what some models compare with: there it is held to those that withhold nobody.
        if mixed or out > (0 if compared else allowed) or out == data.size:
            continue
        if asked.holding(own, int(own.max()) + 1).all():
            least = min(least, charged(data, Plan(own), loss))
    if least == np.inf:
        return
    plan = LocalSearch(start="mondrian", loss=loss).run(asked)
    assert plan.withheld <= allowed
    assert charged(data, plan, loss) <= least + 1e-9
    left = np.flatnonzero(plan.published)
    kept = problem(data.take(left), *models)
    assert kept.holding(plan.classes[left], plan.count).all()
    if parts is not None:
        assert all(len({i % 2 for i in group}) == 1 for group in groups(plan.classes))


@given(data=tables(), k=st.integers(2, 4))
@settings(deadline=None, max_examples=25)
def test_it_starts_from_the_method_that_is_named(data, k):
    asked = problem(data, lk.KAnonymity(k))
    begun = lk.KMember().run(problem(data, lk.KAnonymity(k)))
    plan = LocalSearch(start="k-member", loss="glm").run(asked)
    assert plan.withheld == begun.withheld
    if begun.published.any():
        assert charged(data, plan, "glm") <= charged(data, begun, "glm") + 1e-9


def test_it_finds_the_two_groups_that_nobody_cut():
    codes = np.array([[0, 9, 1, 8, 0, 9]], np.int32)
    data = Microdata(
        (number("x", 10),), codes, (plain_set("s", 2),), np.array([[0, 1] * 3], np.int32), np.arange(6)
    )
    plan = LocalSearch().improve(problem(data, lk.KAnonymity(3)), Plan(np.zeros(6, np.int64)), MANY)
    assert groups(plan.classes) in ([[0, 2, 4], [1, 3, 5]], [[1, 3, 5], [0, 2, 4]])


def test_parts_are_split_off_from_those_they_need_to_hold():
    """Of either node 33 records hold by themselves, 23 of one value; no cut does, and the others show the whole tree."""
    work = tree("work")
    leaf = {name: rank for rank, name in enumerate(work.values)}
    codes = np.repeat([leaf["a"], leaf["c"]], 50)[None, :].astype(np.int32)
    disease = np.concatenate([np.repeat([0, 1], [40, 10]), np.repeat([0, 1], [10, 40])])[None, :]
    data = Microdata((work,), codes, (plain_set("s", 2),), disease.astype(np.int32), np.arange(100))
    asked = problem(data, lk.TCloseness("0.2"))
    assert not asked.holding(np.repeat([0, 1], 50), 2).any()
    plan = LocalSearch().improve(asked, Plan(np.zeros(100, np.int64)), MANY)
    assert charged(data, plan, "glm") == pytest.approx(34 * loss_of(data, range(100), "glm"))


@njit
def split_once(geometry, judges, pools):
    """Split one class off the only one; what they are charged before and after, and whether it lowered that."""
    geometry, judges, pools = borrowed(geometry), borrowed(judges), borrowed(pools)
    pool = kernels._pool(pools, 0)
    before = kernels._fill(geometry, pool)
    return before, kernels._split_off(geometry, judges, pool, 0), kernels._total(pool)


@given(data=tables(), models=st.sampled_from([*GUARANTEES.values()]))
@settings(deadline=None, max_examples=60)
def test_what_is_split_off_holds_and_so_do_those_who_stay(data, models):
    asked = problem(data, *models)
    whole = np.zeros(data.size, np.int64)
    if data.size == 0 or not len(data.quasi) or not asked.holding(whole, 1).all():
        return
    table = Items.of(asked, np.arange(data.size))
    pools = Pools.of(table, whole, np.random.default_rng(0), 1_000)
    before, lowered, told = split_once(table.geometry, table.judges, pools.laid)
    of = pools.classes()
    assert of.max() + 1 == 1 + lowered
    assert asked.holding(of, 1 + lowered).all()
    assert before == pytest.approx(charged(data, Plan(whole), "glm"))
    after = charged(data, Plan(of), "glm")
    assert told == pytest.approx(after)
    assert (after < before) == lowered
    # What is counted of classes is what is counted of their items.
    assert split_once(table.geometry, table.judges, pools.laid)[0] == pytest.approx(after)


def shows(data, own: list[int]) -> tuple:
    """What a class shows of its records, as texts say it."""
    found = []
    for domain, codes in zip(data.quasi, data.codes, strict=True):
        values = {int(codes[i]) for i in own}
        if domain.missing_code in values and len(values) > 1 and domain.shape != "set":
            found.append("anything")
        elif domain.shape == "set" or len(values) == 1:
            found.append(frozenset(values))
        elif domain.shape == "tree":
            above = [{row[1] for i, row in enumerate(TREE_ROWS) if i in values}]
            found.append(above[0].pop() if len(above[0]) == 1 else "anything")
        else:
            found.append((min(values), max(values)))
    return tuple(found)


def discernibility(data, classes) -> int:
    """Squares of the sizes of classes, those that show the same being one; as many for each withheld as there are records."""
    sizes: dict[tuple, int] = {}
    for own in groups(classes):
        sizes[shows(data, own)] = sizes.get(shows(data, own), 0) + len(own)
    return sum(size**2 for size in sizes.values()) + int((classes < 0).sum()) * data.size


@pytest.mark.slow
@pytest.mark.parametrize("models", GUARANTEES.values(), ids=GUARANTEES)
@given(data=tables(), allowed=st.integers(0, 2))
@settings(deadline=None, max_examples=25)
def test_discernibility_falls_until_no_move_lowers_it(models, data, allowed):
    asked = replace(problem(data, *models), loss=LOWERED["discernibility"], allowance=allowed)
    begun = Plan(np.zeros(data.size, np.int64))
    if not asked.holding(begun.classes, 1).all():
        return
    plan = LocalSearch(loss="discernibility").improve(asked, begun, MANY)
    assert plan.withheld <= allowed
    least = discernibility(data, plan.classes)
    assert least <= discernibility(data, begun.classes)
    told = Evaluation(data, *recode(data, plan))
    assert Discernibility().measure(told) == least
    if plan.withheld:
        return
    for other in moves(plan.classes, plan.count):
        found = [shows(data, own) for own in groups(other)]
        # Two classes that show the same are one that somebody would have to be moved out of.
        if len(set(found)) == len(found) and discernibility(data, other) < least:
            present = np.bincount(other, minlength=plan.count) > 0
            assert not asked.holding(other, plan.count)[present].all()


def of_numbers(*numbers: int):
    codes = np.array([numbers], np.int32)
    return Microdata(
        (number("x", 10),),
        codes,
        (plain_set("s", 1),),
        np.zeros((1, len(numbers)), np.int32),
        np.arange(len(numbers)),
    )


@pytest.mark.parametrize(
    ("data", "k", "allowed", "sizes"),
    [
        # Halves of equal records show the same, and are no classes of their own.
        pytest.param(of_numbers(0, 0, 0, 0, 0, 0), 3, 0, [6], id="36 stay 36"),
        pytest.param(of_numbers(0, 0, 0, 0, 0, 0, 9, 9, 9), 3, 0, [4, 5], id="36 + 9 become 16 + 25"),
        pytest.param(of_numbers(0, 0, 0, 0, 0), 3, 1, [4], id="25 become 16 + 5 withheld"),
        pytest.param(of_numbers(0, 1, 2, 3, 4, 5, 6, 7), 2, 0, [2, 2, 2, 2], id="four pairs"),
    ],
)
def test_classes_are_as_small_as_may_be_where_that_counts(data, k, allowed, sizes):
    asked = replace(problem(data, lk.KAnonymity(k)), loss=LOWERED["discernibility"], allowance=allowed)
    begun = np.zeros(data.size, np.int64)
    begun[data.codes[0] == 9] = 1
    plan = LocalSearch(loss="discernibility").improve(asked, Plan(begun), MANY)
    assert sorted(len(own) for own in groups(plan.classes)) == sizes
    assert plan.withheld == allowed
    least = sum(size**2 for size in sizes) + allowed * data.size
    assert charged_loss(asked, plan) == pytest.approx(1e-6 * least, rel=1e-5)


def test_survey_weights_say_nothing_of_who_shares_a_class():
    rows = pl.DataFrame({"x": [0, 1, 2, 3, 4, 5], "w": [1.0, 100.0, 1.0, 1.0, 1.0, 7.0], "s": list("ababab")})
    columns = {"x": lk.quasi(), "w": lk.drop(), "s": lk.sensitive()}
    asked = lk.Policy(
        columns=columns, weights="w", privacy=lk.KAnonymity(2), method=LocalSearch(loss="discernibility")
    )
    assert lk.anonymize(rows, asked, seed=1).loss("discernibility")["discernibility"] == 12


def test_people_are_counted_where_they_have_several_records():
    visits = pl.DataFrame(
        {"id": [1, 1, 2, 3, 4, 4, 5, 6], "age": [20, 24, 20, 60, 61, 66, 33, 34], "s": "abcabcab"}
    )
    visits = visits.with_columns(s=pl.Series(list("abcabcab")))
    columns = {"id": lk.identifier(), "age": lk.quasi(), "s": lk.sensitive()}
    asked = lk.Policy(
        columns=columns,
        individual="id",
        privacy=lk.KAnonymity(2),
        method=LocalSearch(start="mondrian", loss="discernibility"),
    )
    assert lk.anonymize(visits, asked, seed=1).loss("discernibility")["discernibility"] == 12


def test_who_makes_a_class_wide_is_withheld_as_far_as_may_be():
    codes = np.array([[0, 0, 1, 1, 50, 51, 99]], np.int32)
    data = Microdata(
        (number("x", 100),), codes, (plain_set("s", 1),), np.zeros((1, 7), np.int32), np.arange(7)
    )
    begun = Plan(np.array([0, 0, 0, 0, 1, 1, 1]))
    wide = replace(problem(data, lk.KAnonymity(2)), loss=LOSSES["ncp"])
    # The class loses 3 · 49/99, and 2/99 without the last.
    assert LocalSearch().improve(wide, begun, MANY).withheld == 0
    found = LocalSearch().improve(replace(wide, allowance=1), begun, MANY)
    assert np.flatnonzero(found.classes < 0).tolist() == [6]
    assert [reason.name for reason in found.because] == ["outlier"]


def test_who_is_withheld_is_the_same_of_pools_that_were_improved_and_of_pools_laid_out_anew():
    # Eight crowds, each with somebody far off; four of them have one more than they need.
    far = np.arange(8) * 5_000 + 2_500
    near = [start + np.arange(29 + i % 2) for i, start in enumerate(range(0, 40_000, 5_000))]
    begun = np.concatenate([*(np.full(own.size, i) for i, own in enumerate(near)), np.arange(8)])
    data = of_numbers(*np.concatenate([*near, far]).tolist())
    data = replace(data, quasi=(number("x", 40_000),))
    asked = replace(problem(data, lk.KAnonymity(30)), loss=LOSSES["ncp"])
    items = Items.of(asked, np.arange(data.size))
    with ThreadPoolExecutor(2) as workers:
        improved = Pools.of(items, begun, np.random.default_rng(1), 100_000)
        improved.improve(workers, threading.Event())
        anew = Pools.of(items, improved.classes(), np.random.default_rng(2), 0)
        assert improved.withhold(workers, 6) == anew.withhold(workers, 6) == 4
    assert data.codes[0][improved.classes() < 0].tolist() == far[1::2].tolist()
    assert np.array_equal(improved.classes() < 0, anew.classes() < 0)


def test_parts_are_kept_apart():
    data = table([20, 20])
    parts = np.arange(40, dtype=np.int64) % 2
    asked = replace(problem(data, lk.KAnonymity(2)), parts=parts)
    plan = LocalSearch().improve(asked, Plan(parts.copy()), MANY)
    assert plan.count > 2
    assert all(len({parts[i] for i in own}) == 1 for own in groups(plan.classes))


def test_any_number_of_processors_finds_the_same(monkeypatch):
    data = table([150, 150, 100], numbers=60)
    found = []
    for cores in (1, 3):
        monkeypatch.setattr(local_search, "cpu_count", lambda cores=cores: cores)
        asked = problem(data, lk.KAnonymity(3), lk.BetaLikeness(2))
        found.append(LocalSearch(start="mondrian", steps=3_000_000).run(asked))
    assert np.array_equal(found[0].classes, found[1].classes)


def test_the_loss_it_keeps_up_to_date_is_that_of_the_classes(monkeypatch):
    data = table([60, 40], numbers=30)
    told = []
    improve = Pools.improve

    def listened(pools, workers, stopped):
        told.append(improve(pools, workers, stopped))
        return told[-1]

    monkeypatch.setattr(Pools, "improve", listened)
    plan = LocalSearch(loss="glm").improve(
        problem(data, lk.KAnonymity(3), lk.DistinctLDiversity(2)), Plan(np.zeros(100, np.int64)), MANY
    )
    begun = pytest.approx(charged(data, Plan(np.zeros(100, np.int64)), "glm"), rel=1e-9)
    # Where it lowers the loss no more it begins anew, and keeps the best it came to.
    assert min(after for _, after, _ in told) == pytest.approx(charged(data, plan, "glm"), rel=1e-9)
    assert told[0][0] == begun
    assert sum(before == begun for before, _, _ in told) > local_search._IN_VAIN


class _Listening(Progress):
    def __init__(self):
        self.notes = []

    def note(self, message):
        self.notes.append(message)


def test_the_first_interrupt_ends_the_search_and_keeps_what_it_found(monkeypatch):
    data = table([150, 150], numbers=60)
    begun = Plan(np.zeros(300, np.int64))
    rounds = []
    improve = Pools.improve

    def interrupted(pools, workers, stopped):
        found = improve(pools, workers, stopped)
        rounds.append(found)
        os.kill(os.getpid(), signal.SIGINT)
        return found

    monkeypatch.setattr(Pools, "improve", interrupted)
    ordinary = signal.getsignal(signal.SIGINT)
    listening = _Listening()
    asked = replace(problem(data, lk.KAnonymity(3)), progress=listening)
    plan = LocalSearch().improve(asked, begun, MANY)
    assert len(rounds) == 1
    assert len(listening.notes) == 1
    assert signal.getsignal(signal.SIGINT) is ordinary
    assert asked.holding(plan.classes, plan.count).all()
    assert charged(data, plan, "ncp") < charged(data, begun, "ncp")


def test_seconds_end_it(monkeypatch):
    rounds = []
    improve = Pools.improve

    def waiting(pools, workers, stopped):
        rounds.append(1)
        found = improve(pools, workers, stopped)
        assert stopped.wait(60)
        return found

    monkeypatch.setattr(Pools, "improve", waiting)
    asked = replace(problem(table([150, 150], numbers=60), lk.KAnonymity(3)), loss=LOSSES["ncp"])
    plan = LocalSearch(start="mondrian", seconds=0.2).run(asked)
    assert len(rounds) == 1
    assert plan.history["local-search"].ended == "its time was up"
    assert asked.holding(plan.classes, plan.count).all()


@pytest.mark.slow
def test_of_several_starts_the_one_that_gets_farthest_goes_on():
    data = table([150, 150], numbers=60)
    found = {}
    for start in ("mondrian", "sbca", ["mondrian", "sbca"]):
        asked = replace(problem(data, lk.KAnonymity(3)), loss=LOSSES["ncp"])
        plan = LocalSearch(start=start, steps=30_000_000).run(asked)
        found[str(start)] = charged_loss(asked, plan)
    both = found.pop("['mondrian', 'sbca']")
    assert both <= max(found.values())
    assert LocalSearch(start=["mondrian", {"name": "sbca"}]).label == "local-search from mondrian, sbca"


def test_people_whose_records_differ_are_their_hulls():
    visits = pl.DataFrame({"id": [1, 1, 2, 3, 4, 4], "age": [20, 24, 20, 60, 61, 66], "s": list("abcabc")})
    columns = {"id": lk.identifier(), "age": lk.quasi(), "s": lk.sensitive()}
    policy = lk.Policy(
        columns=columns,
        individual="id",
        privacy=lk.KAnonymity(2),
        method=LocalSearch(start="mondrian"),
    )
    release = lk.anonymize(visits, policy, seed=1)
    assert sorted(set(release.table["age"])) == ["[20, 24]", "[60, 66]"]


def test_survey_weights_say_what_a_record_counts_for():
    # Six people on a line; who weighs most is let alone with its nearest.
    rows = pl.DataFrame({"x": [0, 1, 2, 3], "w": [1.0, 100.0, 100.0, 1.0], "s": list("abab")})
    columns = {"x": lk.quasi(), "w": lk.drop(), "s": lk.sensitive()}
    policy = lk.Policy(columns=columns, weights="w", privacy=lk.KAnonymity(2), method=LocalSearch())
    assert lk.anonymize(rows, policy, seed=1).loss("ncp")["ncp"] == pytest.approx(1 / 3)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("several", [False, True])
def test_what_it_lowers_is_what_is_measured_where_people_or_records_weigh_more_than_others(several, weighted):
    rng = np.random.default_rng(7)
    # Who comes often is old, and weighs more.
    person = np.repeat(np.arange(90), np.arange(90) // 15 + 1) if several else np.arange(90)
    visits = pl.DataFrame(
        {
            "id": person,
            "age": 20 + person // 2 + rng.integers(0, 4, person.size),
            "town": rng.choice(["a", "b", "c"], person.size),
            "w": rng.integers(1, 9, person.size).astype(float),
            "s": rng.choice(["x", "y", "z"], person.size),
        }
    )
    columns = {
        "id": lk.identifier(),
        "age": lk.quasi(),
        "town": lk.quasi(),
        "w": lk.drop(),
        "s": lk.sensitive(),
    }
    further = ({"individual": "id"} if several else {}) | ({"weights": "w"} if weighted else {})
    asked = lk.Policy(
        columns=columns,
        privacy=lk.KAnonymity(4),
        method=LocalSearch(start="mondrian", steps=3_000_000),
        **further,
    )
    release = lk.anonymize(visits, asked, seed=1)
    told = release.private.solution.plan.history["local-search"]
    assert told.after < told.before
    assert release.loss("ncp-total")["ncp-total"] == pytest.approx(told.after)
    begun = lk.anonymize(visits, asked.replace(method="mondrian"), seed=1)
    assert begun.loss("ncp-total")["ncp-total"] == pytest.approx(told.before)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"start": "mondrain"}, "local-search: start: .*did you mean 'mondrian'"),
        ({"start": 3}, "start must be the name of a method"),
        ({"start": {"name": "anatomy", "l": 2}}, "start: anatomy makes no classes that could be improved"),
        ({"start": {"name": "mondrian", "cut": "utd"}}, "makes no classes that could be improved"),
        ({"start": "local-search"}, "makes no classes that could be improved"),
        ({"start": {"name": "k-member", "k": 0}}, "local-search: start: k-member: k"),
        ({"start": []}, "start must name a method; the list is empty"),
        (
            {"start": ["mondrian", "local-search"]},
            "start: local-search makes no classes that could be improved",
        ),
        ({"steps": 0}, "steps must be"),
        ({"seconds": 0}, "seconds must be"),
        ({"loss": "ail"}, "loss must be one of glm, ncp, iloss, discernibility; got 'ail'"),
    ],
)
def test_what_is_wrong_with_it_is_said(given, words):
    with pytest.raises(lk.PolicyError, match=words):
        LocalSearch(**given)


def test_what_it_starts_from_may_be_given_in_any_way():
    assert (
        LocalSearch(start={"name": "k-member"}) == LocalSearch(start="k-member") == LocalSearch(lk.KMember())
    )
    assert LocalSearch(start="k-member").label == "local-search from k-member"
    assert Method.label.fget(LocalSearch()) == LocalSearch().label == "local-search"


def test_records_that_nobody_is_counted_for_weigh_nothing():
    rows = pl.DataFrame({"x": [0, 1, 8, 9], "w": [0.0, 2.0, 0.0, 3.0], "s": list("abab")})
    columns = {"x": lk.quasi(), "w": lk.drop(), "s": lk.sensitive()}
    policy = lk.Policy(columns=columns, weights="w", privacy=lk.KAnonymity(2), method=LocalSearch())
    assert sorted(set(lk.anonymize(rows, policy, seed=1).table["x"])) == ["[0, 1]", "[8, 9]"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("start", "steps", "ended"),
    [
        pytest.param("mondrian", MANY, "no move was worth it any more", id="converged"),
        pytest.param("mondrian", 200_000, "its steps were used up", id="used up"),
        pytest.param(["mondrian", "sbca"], 300_000, "its steps were used up", id="two starts"),
    ],
)
@pytest.mark.parametrize("loss", ["glm", "discernibility"])
def test_what_it_gained_and_why_it_ended_are_kept(start, steps, ended, loss):
    data = table([150, 150], numbers=60)
    asked = problem(data, lk.KAnonymity(3))
    starts = start if isinstance(start, list) else [start]
    begun = [registry.create("methods", one, {}).run(asked) for one in starts]
    plan = LocalSearch(start=start, steps=steps, loss=loss).run(asked)
    told = plan.history["local-search"]
    own = told.before, told.after
    if loss == "discernibility":
        squares = [
            float(np.square(np.bincount(recode(data, one)[0].classes)).sum()) for one in (*begun, plan)
        ]
        least, end = min(squares[:-1]) / 300, squares[-1] / 300
    else:
        least, end = min(charged(data, one, loss) for one in begun) / 300, charged(data, plan, loss) / 300
    assert own == (pytest.approx(least, rel=1e-5), pytest.approx(end, rel=1e-5))
    # Of classes of three each, as SBCA's are, none can be smaller.
    assert told.after < told.before or told.before == pytest.approx(3)
    assert (told.loss, told.most, told.ended) == (loss, steps, ended)
    # A pool ends behind the move that takes its last step, and every start has its pools.
    assert steps <= told.steps <= 1.5 * steps if ended == "its steps were used up" else told.steps < steps
    assert str(told).endswith(f" steps, of about {steps:,}; ended when {ended}")


def test_an_interrupt_ends_the_search_from_all_starts(monkeypatch):
    rounds = []
    improve = Pools.improve

    def interrupted(pools, workers, stopped):
        rounds.append(1)
        os.kill(os.getpid(), signal.SIGINT)
        return improve(pools, workers, stopped)

    monkeypatch.setattr(Pools, "improve", interrupted)
    asked = replace(problem(table([150, 150], numbers=60), lk.KAnonymity(3)), progress=_Listening())
    plan = LocalSearch(start=["mondrian", "sbca"]).run(asked)
    assert len(rounds) == 1
    assert plan.history["local-search"].ended == "it was interrupted"
    assert asked.holding(plan.classes, plan.count).all()


@pytest.mark.parametrize("seed", range(3))
def test_leaves_of_one_cell_of_a_lattice_are_one_node(seed):
    """Two leaves of a class that are shown as one cell have no node between them: looking for one never ended."""
    draw = np.random.default_rng(seed)
    tree = [[leaf, "left" if leaf in "ab" else "middle", "root"] for leaf in "abcde"]
    frame = pl.DataFrame({"age": draw.integers(1, 15, 28), "place": draw.choice(list("abcde"), 28)})
    policy = lk.Policy(
        columns={"age": lk.quasi(), "place": lk.quasi(hierarchy=tree)},
        privacy=lk.KAnonymity(3),
        form={"name": "generalized", "recoding": "grid", "steps": {"place": 1}},
    )
    quick = lk.anonymize(frame, policy.replace(effort="quick"), seed=1)
    normal = lk.anonymize(frame, policy, seed=1)
    assert {*normal.table["place"]} <= {"left", "middle", "root", "*"}
    assert normal.loss("ncp-total")["ncp-total"] <= quick.loss("ncp-total")["ncp-total"]
    assert normal.verify().ok
