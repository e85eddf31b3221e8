"""GeneIR: the paper's tables for every order of attributes, and the same as a plain run over sets of codes."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, permutations
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.identity_reserved import S4_TABLE3, s4_microdata, s4_people
from tests.oracles import geneir as oracle

from likeness.errors import PolicyError
from likeness.hierarchies import from_rows
from likeness.methods import geneir as _geneir_residual
from likeness.methods.base import Problem
from likeness.methods.geneir import Geneir
from likeness.methods.geneir.climb import lay_out_levels
from likeness.microdata.data import Microdata
from likeness.microdata.domain import Domain
from likeness.microdata.plan import spread
from likeness.microdata.regions import LOSSES, recode
from likeness.models.eir_alpha_beta_anonymity import EirAlphaBetaAnonymity
from likeness.models.eir_l_diversity import EirLDiversity
from likeness.models.ir_alpha_beta_anonymity import IrAlphaBetaAnonymity
from likeness.models.ir_k_anonymity import IrKAnonymity
from likeness.models.ir_kl_anonymity import IrKlAnonymity
from likeness.models.requirements import require_of

if TYPE_CHECKING:
    from likeness.microdata.plan import Plan

NAMES = {"A": "Age", "P": "Postcode", "G": "Gender"}
PAPER = {"kl": (IrKlAnonymity(3, 3),), "alpha-beta": (IrAlphaBetaAnonymity("0.4", "0.6"),)}


def problem(data: Microdata, models: tuple[Any, ...], seed: int = 0, **more: Any) -> Problem:
    """A problem about the people of a table."""
    units = data.units
    more = {"allowance": units.size} | more
    return Problem(units, require_of(models, units), LOSSES["glm"], np.random.default_rng(seed), **more)


def replayed(word: str, models: tuple[Any, ...]) -> tuple[Fraction, Plan]:
    """Table 2 of the paper, climbed in the order of a word, and what the ten records lose."""
    data = s4_microdata(trees=True)
    plan = Geneir(attribute_order=[NAMES[letter] for letter in word]).run(problem(data, models))
    whole = spread(plan, data.people.members.of)
    assert whole.bounds is not None
    wide = (whole.bounds[1] - whole.bounds[0]).tolist()
    lost = sum(
        (
            Fraction(cell, domain.codes - 1)
            for domain, row in zip(data.quasi, wide, strict=True)
            for cell in row
        ),
        Fraction(0),
    )
    return lost, plan


@pytest.mark.parametrize("models", PAPER.values(), ids=PAPER)
@pytest.mark.parametrize(
    ("word", "lost", "used"),
    [
        ("AAPG", "115/6", "AAPG"),
        ("AAPPG", "45/2", "AAPPG"),
        ("APPGA", "175/9", "APPG"),
        ("APPAG", "200/9", "APPAG"),
        ("GAAPP", "145/6", "GAAP"),
        ("GAPPA", "220/9", "GAPP"),
    ],
)
def test_forced_orders_lose_what_the_paper_s_table_loses(word, lost, used, models):
    found, plan = replayed(word, models)
    assert found == Fraction(lost)
    assert plan.history["climbed"] == [NAMES[letter] for letter in used]
    assert plan.history["residual"] == plan.withheld == 0
    assert plan.history["loss"] == pytest.approx(float(found / 30))


@pytest.mark.parametrize("models", PAPER.values(), ids=PAPER)
def test_all_thirty_orders(models):
    orders = {"".join(word) for word in permutations("AAPPG")}
    assert len(orders) == 30
    assert Counter(str(replayed(word, models)[0]) for word in orders) == {
        "115/6": 3, "45/2": 3, "175/9": 3, "200/9": 3, "145/6": 9, "220/9": 9,
    }  # fmt: skip


def test_it_makes_table_3():
    lost, plan = replayed("AAPG", PAPER["kl"])
    data = s4_microdata(trees=True)
    assert plan.classes.tolist() == s4_people(S4_TABLE3).tolist()
    assert lost / (10 * 3) == Fraction(23, 36)
    _, recoding = recode(data, spread(plan, data.people.members.of))
    shown = [[a.domain.hierarchy.labels[a.node[a.of[e]]] for a in recoding.attributes] for e in range(2)]
    assert shown == [["F", "*", "1007*"], ["*", "*", "1008*"]]
    enhanced = problem(data, (EirLDiversity(2),)).holding(plan.classes, 2)
    assert enhanced.tolist() == [True, False]


def test_random_orders_are_of_the_thirty():
    data = s4_microdata(trees=True)
    seen = set()
    for seed in range(40):
        plan = Geneir().run(problem(data, PAPER["kl"], seed))
        word = "".join(name[0] for name in plan.history["climbed"])
        assert plan.history["loss"] == pytest.approx(float(replayed(word, PAPER["kl"])[0] / 30))
        seen.add(plan.history["loss"])
    assert len(seen) == 6


# Small random tables, against the plain run.

UNEVEN = from_rows(
    [("a", "x", "p", "*"), ("b", "x", "p", "*"), ("c", "y", "p", "*"), ("d", "d", "p", "*"), ("e", "e", "e", "*")],
    "work",
    where=str,
)  # fmt: skip
AGES = from_rows(
    [(str(age), f"{age // 3 * 3}+", f"{age // 6 * 6}++", "*") for age in (20, 21, 23, 26, 27, 31, 35)],
    "age",
    where=str,
)
VALUES = 5

Models = tuple[Any, ...]
MODELS: dict[str, Models] = {
    "k": (IrKAnonymity(3),),
    "kl": (IrKlAnonymity(2, 3),),
    "one": (IrKAnonymity(1),),
    "eir-l": (EirLDiversity(2),),
    "eir-3": (EirLDiversity(3),),
    "alpha-beta": (IrAlphaBetaAnonymity("0.5", "0.6"),),
    "heavy": (IrAlphaBetaAnonymity("0.3", "1/2"),),
    "eir-alpha-beta": (EirAlphaBetaAnonymity("0.6", "0.5"),),
    "both": (EirLDiversity(2), EirAlphaBetaAnonymity("0.5", "0.7")),
}


def holding(data: Microdata, models: Models) -> Any:
    """The models by their definitions, on lists of people."""
    own = np.arange(data.size) if data.individuals is None else data.individuals
    sick = data.sensitive_codes[0]
    sets = {p: set(sick[own == p].tolist()) for p in own.tolist()}
    number = Counter(own.tolist())

    def holds(people: list[int]) -> bool:
        values = set().union(*(sets[p] for p in people))
        records = sum(number[p] for p in people)
        most = max(number[p] for p in people)
        largest = max(sum(value in sets[p] for p in people) for value in values)
        for model in models:
            if isinstance(model, IrKAnonymity):
                good = len(people) >= model.k
            elif isinstance(model, IrKlAnonymity):
                good = len(people) >= model.k and len(values) >= model.l
            elif isinstance(model, EirLDiversity):
                few = combinations(sorted(values), min(model.l - 1, len(values)))
                good = not any(all(sets[p] & set(hit) for p in people) for hit in few)
            else:
                of = len(people) if isinstance(model, EirAlphaBetaAnonymity) else records
                good = Fraction(most, records) <= Fraction(str(model.alpha))
                good = good and Fraction(largest, of) <= Fraction(str(model.beta))
            if not good:
                return False
        return True

    return holds


@st.composite
def tables(draw: st.DrawFn) -> Microdata:
    """Up to 24 people with up to 4 records, all kinds of columns; some people's records differ."""
    people = draw(st.integers(1, 24))
    rng = np.random.default_rng(draw(st.integers(0, 100_000)))
    missing = draw(st.booleans())
    work = Domain("work", "hierarchical", np.array(UNEVEN.leaves, object), "tree", UNEVEN, missing=missing)
    ages = np.array([int(leaf) for leaf in AGES.leaves])
    age = Domain(
        "age",
        "integer",
        ages,
        "interval",
        AGES,
        missing=missing,
        low=18,
        high=draw(st.sampled_from([35, 40])),
    )
    sex = Domain(
        "sex", "categorical", np.array(list("fmx"), object), "set", weight=draw(st.sampled_from([1.0, 0.3]))
    )
    quasi = (work, age, sex)
    linked = draw(st.booleans())
    number = rng.integers(1, 5, people) if linked else np.ones(people, np.int64)
    of = np.repeat(np.arange(people), number)
    codes = np.array([rng.integers(0, domain.codes, people) for domain in quasi])[:, of]
    if linked and draw(st.booleans()):
        other = rng.random(of.size) < 0.15
        codes[:, other] = np.array([rng.integers(0, domain.codes, int(other.sum())) for domain in quasi])
    sick = rng.choice(VALUES, of.size, p=np.array([8, 4, 2, 1, 1]) / 16)
    kept = np.unique(of * VALUES + sick, return_index=True)[1] if linked else np.arange(of.size)
    disease = Domain("disease", "categorical", np.array(list("vwxyz"), object), "set")
    return Microdata(
        quasi,
        codes[:, kept].astype(np.int32),
        (disease,),
        sick[kept][None].astype(np.int32),
        np.arange(kept.size),
        individuals=of[kept] if linked else None,
    )


def agree(data: Microdata, plan: Plan, plain: oracle.Geneir) -> None:
    """The same classes in the same order, the same regions, the same people withheld."""
    classes = [sorted(np.flatnonzero(plan.classes == e).tolist()) for e in range(plan.count)]
    assert classes == [sorted(people) for people, _ in plain.classes]
    assert np.flatnonzero(plan.classes < 0).tolist() == plain.withheld
    assert plan.bounds is not None
    for people, region in plain.classes:
        for person in people:
            shown = plan.bounds[:, :, person].T.tolist()
            assert shown == [[min(own), max(own)] for own in region]
    assert plan.history["residual"] == len(plain.residual)
    assert plan.withheld == sum(plan.withheld_because.values()) == len(plain.withheld)
    whole = sum(Fraction(str(domain.weight)) for domain in data.quasi) * data.size
    assert plan.history["loss"] == pytest.approx(float(plain.lost / whole))


@pytest.mark.slow
@pytest.mark.parametrize("models", MODELS.values(), ids=MODELS)
@pytest.mark.parametrize("choice", ["random", "least-loss"])
@given(data=tables(), seed=st.integers(0, 99))
@settings(deadline=None, max_examples=25)
def test_it_runs_as_the_book_says(models, choice, data, seed):
    own = problem(data, models, seed)
    plan = Geneir(attribute_choice=choice).run(own)
    names = [domain.name for domain in data.quasi]
    picks = [names.index(name) for name in plan.history["climbed"]]
    monotone = all(model.closed_under_adding for model in models)
    holds = holding(data, models)
    plain = oracle.Geneir(data, picks if choice == "random" else None, holds, monotone)
    assert plain.picks == picks
    agree(data, plan, plain)
    assert own.holding(plan.classes, plan.count).all()
    assert all(holds(people) for people, _ in plain.classes)


@pytest.mark.parametrize("name", ["heavy", "both"])
@given(data=tables(), seed=st.integers(0, 9))
@settings(deadline=None, max_examples=20)
def test_without_room_for_all_histograms_it_is_the_same(name, data, seed):
    plan = Geneir().run(problem(data, MODELS[name], seed))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_geneir_residual, "_CELLS", 0)
        patch.setattr(_geneir_residual, "_WORK", 1)
        again = Geneir().run(problem(data, MODELS[name], seed))
    assert plan.classes.tolist() == again.classes.tolist()


@given(data=tables(), low=st.sampled_from([18.0, 18.5]))
@settings(deadline=None, max_examples=20)
def test_losses_are_whole_numbers_where_they_can_be(data, low):
    data = replace(data, quasi=(data.quasi[0], replace(data.quasi[1], low=low), data.quasi[2]))
    levels = lay_out_levels(data, data.size)
    assert levels.loss.dtype == (np.int64 if low == 18 else np.float64)
    weights = [Fraction(str(domain.weight)) for domain in data.quasi]
    for j, (domain, weight) in enumerate(zip(data.quasi, weights, strict=True)):
        for code in range(domain.codes):
            for level in range(levels.region.shape[1]):
                region = levels.region[j, level, code]
                plain = oracle.node(domain, code, min(level, oracle.height(domain)))
                assert [levels.low[j, region], levels.high[j, region]] == [min(plain), max(plain)]
                share = weight * oracle.loss(domain, plain) / sum(weights)
                if low == 18:
                    assert Fraction(int(levels.loss[j, region]), int(levels.whole)) == share
                else:
                    assert levels.loss[j, region] / levels.whole == pytest.approx(float(share))


@given(data=tables(), seed=st.integers(0, 9))
@settings(deadline=None, max_examples=20)
def test_broken_numbers_are_compared_as_floats(data, seed):
    age = replace(data.quasi[1], low=18.5)
    own = problem(replace(data, quasi=(data.quasi[0], age, data.quasi[2])), MODELS["heavy"], seed)
    plan = Geneir().run(own)
    assert own.holding(plan.classes, plan.count).all()
    assert plan.withheld == sum(plan.withheld_because.values())


@given(data=tables(), seed=st.integers(0, 9))
@settings(deadline=None, max_examples=30)
def test_level_limits_keep_parts_apart(data, seed):
    work = replace(data.quasi[0], max_level=2)
    data = replace(data, quasi=(work, *data.quasi[1:]))
    branch = np.array([*UNEVEN.ancestor_at(np.arange(5), 2).tolist(), 99])
    parts = np.unique(branch[data.units.codes[0]], return_inverse=True)[1].astype(np.int64)
    plan = Geneir().run(problem(data, MODELS["kl"], seed, parts=parts))
    whole = plan if data.individuals is None else spread(plan, data.units.members.of)
    shown = branch[data.codes[0]]
    for e in range(plan.count):
        assert len(set(shown[whole.classes == e].tolist())) == 1
    assert problem(data, MODELS["kl"]).holding(plan.classes, plan.count).all()
    apart = [p for p in range(plan.classes.size) if len(set(shown[_records(data, p)].tolist())) > 1]
    assert (plan.classes[apart] < 0).all()
    assert plan.because.get(_geneir_residual.APART, 0) == len(apart)


def _records(data: Microdata, person: int) -> np.ndarray:
    return np.arange(data.size) == person if data.individuals is None else data.individuals == person


@given(data=tables(), seed=st.integers(0, 9))
@settings(deadline=None, max_examples=20)
def test_several_tries_keep_the_least_loss(data, seed):
    one = problem(data, MODELS["heavy"], seed)
    losses = [Geneir().run(one).history["loss"] for _ in range(4)]
    best = Geneir(tries=4).run(problem(data, MODELS["heavy"], seed))
    assert best.history["loss"] == min(losses)


# Edges.


def linked(people: list[tuple[int, list[int]]], age: Domain | None = None) -> Microdata:
    """People with a code of one column and a list of values each."""
    ages = np.array([int(leaf) for leaf in AGES.leaves])
    domain = age or Domain("age", "integer", ages, "interval", AGES, low=20, high=35)
    of = [p for p, (_, values) in enumerate(people) for _ in values]
    disease = Domain("disease", "categorical", np.array(list("vwxyz"), object), "set")
    return Microdata(
        (domain,),
        np.array([[people[p][0] for p in of]], np.int32),
        (disease,),
        np.array([[value for _, values in people for value in values]], np.int32),
        np.arange(len(of)),
        individuals=np.array(of),
    )


def test_what_nobody_can_hold_withholds_everybody_at_once():
    plan = Geneir().run(problem(linked([(0, [0]), (1, [1])]), (EirLDiversity(3),)))
    assert plan.classes.tolist() == [-1, -1]
    assert plan.because == {_geneir_residual.NO_CLASS: 2}
    assert plan.history["climbed"] == []


def test_everybody_shares_a_disease():
    data = linked([(i, [0, 1 + i % 3]) for i in range(6)])
    plan = Geneir().run(problem(data, (EirLDiversity(2),)))
    assert plan.withheld == 6
    assert plan.history["loss"] == 1


def test_a_heavy_person_is_withheld_and_the_others_are_not():
    data = linked([(0, [0]), (0, [1]), (1, [2]), (1, [3]), (6, [0, 1, 2, 3, 4])])
    plan = Geneir().run(problem(data, (IrAlphaBetaAnonymity("0.5", "0.5"),)))
    assert plan.classes.tolist() == [0, 0, 1, 1, -1]
    assert plan.because == {_geneir_residual.TOO_FAR: 1}


def test_the_last_one_left_joins_the_closest_class():
    # Ages 20, 21, 23 lie in [18, 21) … by threes: {20}, {21, 23}, {26}, …; by sixes {20, 21, 23}, {26, 27}, {31, 35}.
    data = linked([(1, [0]), (2, [1]), (4, [0]), (4, [1]), (0, [0])])
    plan = Geneir().run(problem(data, (IrKAnonymity(2),)))
    # The one of 20 is left alone after one step; to widen {27} to everything costs more than {21, 23} to [20, 23].
    assert plan.classes.tolist() == [1, 1, 0, 0, 1]
    assert plan.history["residual"] == 1
    assert plan.bounds is not None
    assert plan.bounds[:, 0, 0].tolist() == [0, 2]


def test_joining_that_loses_no_less_than_withholding_is_not_done():
    # Everything loses 15/15 for the one record, and for the two that are there: more than withholding one.
    data = linked([(0, [0]), (0, [1]), (6, [2])])
    plan = Geneir().run(problem(data, (IrKAnonymity(2),)))
    assert plan.classes.tolist() == [0, 0, -1]
    strict = Geneir().run(problem(data, (IrKAnonymity(2),), allowance=0))
    assert strict.classes.tolist() == [0, 0, 0]
    assert strict.withheld_because == {}


@pytest.mark.parametrize("name", ["k", "kl", "eir-3"])
@given(data=tables(), seed=st.integers(0, 99), allowance=st.integers(0, 2))
@settings(deadline=None, max_examples=40)
def test_no_more_are_withheld_than_may_be_where_the_whole_table_holds(name, data, seed, allowance):
    own = problem(data, MODELS[name], seed, allowance=allowance)
    plan = Geneir().run(own)
    withheld = int((~plan.published).sum())
    assert withheld <= allowance or not own.holding(np.zeros(own.data.size, np.int64), 1).all()


@pytest.mark.parametrize(
    ("model", "own", "sick", "classes"),
    [
        (IrKAnonymity(2), [1, 1, 2, 2, 0], [0, 1, 0, 1, 2], [0, 0, 1, 1, 0]),
        (IrAlphaBetaAnonymity("1/2", "1/2"), [1, 1, 2, 2, 0], [0, 1, 0, 1, 2], [0, 0, 1, 1, 0]),
        # With another 0 the first class would not hold; the second, once widened, is closer.
        (IrAlphaBetaAnonymity("1/2", "1/2"), [1, 1, 2, 2, 0, 0], [0, 1, 2, 3, 0, 0], [0, 0, 1, 1, 1, 1]),
        (IrAlphaBetaAnonymity("1/2", "1/2"), [1, 1, 2, 2, 0, 0], [0, 1, 2, 3, 2, 2], [0, 0, 1, 1, 0, 0]),
        # Of three equally close ones the first two would not hold.
        (
            IrAlphaBetaAnonymity("1/2", "1/2"),
            [1, 1, 2, 2, 3, 3, 4, 4, 0],
            [0, 1, 1, 0, 2, 3, 3, 4, 0],
            [0, 0, 1, 1, 2, 2, 3, 3, 2],
        ),
    ],
)
def test_of_equally_close_classes_the_first_that_holds_is_joined(model, own, sick, classes):
    quasi = tuple(
        Domain(name, "categorical", np.array(list("abcde"), object), "set")
        for name in ("one", "two", "six", "ten")
    )
    codes = np.zeros((4, len(own)), np.int32)
    codes[0] = own
    disease = Domain("disease", "categorical", np.array(list("vwxyz"), object), "set")
    data = Microdata(quasi, codes, (disease,), np.array([sick], np.int32), np.arange(len(own)))
    plan = Geneir(attribute_order=["ten", "six", "two", "one"]).run(problem(data, (model,)))
    assert plan.classes.tolist() == classes
    assert plan.history["residual"] == own.count(0)


def test_people_whose_records_differ_start_at_their_common_ancestor():
    data = linked([(0, [0, 1]), (0, [0, 1]), (1, [2]), (2, [3])])
    codes = data.codes.copy()
    codes[0, [1, 3]] = 2
    plan = Geneir().run(problem(replace(data, codes=codes), (IrKAnonymity(2),)))
    # The first two are [20, 23] from the start; the others reach {21, 23} below it.
    assert plan.classes.tolist() == [0, 0, 1, 1]
    assert plan.bounds is not None
    assert plan.bounds[:, 0].T.tolist() == [[0, 2], [0, 2], [1, 2], [1, 2]]
    assert plan.history["left"] == [2]


def test_who_comes_to_show_the_region_of_a_class_is_in_it():
    # 27 reaches [26, 27] when the two whose records differ have been published as that.
    data = linked([(3, [0, 1]), (3, [0, 1]), (4, [2]), (0, [3]), (1, [4])])
    codes = data.codes.copy()
    codes[0, [1, 3]] = 4
    plan = Geneir().run(problem(replace(data, codes=codes), (IrKAnonymity(2),)))
    assert plan.classes.tolist() == [0, 0, 0, 1, 1]
    assert plan.history["residual"] == 0


def test_without_quasi_identifiers_there_is_one_class():
    data = linked([(0, [0]), (1, [1])])
    bare = replace(data, quasi=(), codes=np.zeros((0, 2), np.int32))
    assert Geneir().run(problem(bare, (IrKAnonymity(2),))).classes.tolist() == [0, 0]
    assert Geneir().run(problem(bare, (IrKAnonymity(3),))).classes.tolist() == [-1, -1]


def test_numbers_without_levels_are_refused():
    age = Domain("age", "integer", np.arange(7), "interval", low=0, high=6)
    with pytest.raises(PolicyError, match=r"'age'.*no hierarchy"):
        Geneir().run(problem(linked([(0, [0]), (1, [1])], age), (IrKAnonymity(2),)))


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        ({"attribute_order": "age"}, "must list names of columns"),
        ({"attribute_order": [3]}, "must list names of columns"),
        ({"attribute_choice": "leastloss"}, "did you mean 'least-loss'"),
        ({"tries": 0}, "tries must be a whole number of at least 1"),
        ({"tries": 2, "attribute_choice": "least-loss"}, "leave one of them out"),
    ],
)
def test_parameters_are_checked(given_, message):
    with pytest.raises(PolicyError, match=message):
        Geneir(**given_)


def test_unknown_columns_are_refused():
    with pytest.raises(PolicyError, match="'agee', which is not a quasi-identifier; did you mean 'age'"):
        Geneir(attribute_order=["agee"]).run(problem(linked([(0, [0])]), (IrKAnonymity(1),)))
