"""People with several values: whom an adversary takes them for, against every person one by one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.attacks.releases import attacked
from tests.forms.publications import integers, publish, table, words
from tests.identity_reserved import (
    S4_DISEASES,
    S4_NAMES,
    S4_TABLE3,
    S4_TABLE4,
    s4_classes,
    s4_microdata,
)
from tests.oracles.attacks_individuals import PlainPeople

from likeness.attacks import _individuals
from likeness.attacks._individuals import (
    ValueSets,
    crowd_of_original,
    crowd_of_release,
    draw_known,
    mean_chance,
    sets_of,
    shown_codes,
)
from likeness.forms.identity_reserved import IdentityReservedForm

MIKE = S4_NAMES.index("Mike")


def only(*values: str) -> ValueSets:
    """One individual who has some diseases of the paper's example."""
    codes = np.array(sorted(map(S4_DISEASES.index, values)), np.int64)
    return ValueSets(np.array([0, codes.size]), codes)


@pytest.mark.parametrize(
    ("table", "known", "further", "fit", "have"),
    [
        # Wang et al. 2019: in Table 3 whoever may be Mike has hypertension, in Table 4 half of them have.
        (S4_TABLE3, (), "Hypertension", 3, 3),
        (S4_TABLE4, (), "Hypertension", 4, 2),
        # "Heart" singles out his number, "Hypertension" leaves 2 of 4.
        (S4_TABLE4, ("Heart",), "Hypertension", 1, 1),
        (S4_TABLE4, ("Hypertension",), "Heart", 2, 1),
        (S4_TABLE4, ("Heart", "Hypertension"), "Cancer", 1, 0),
        (S4_TABLE4, ("HIV",), "Cancer", 1, 0),
        (S4_TABLE4, ("Syphilis",), "Cancer", 0, 0),
    ],
)
def test_mike(table, known, further, fit, have):
    data = s4_microdata(trees=table is S4_TABLE3)
    publication, _, _ = publish(IdentityReservedForm(), data, s4_classes(table))
    crowd = crowd_of_release(publication, 0, data, np.array([MIKE]))
    shown = shown_codes(publication, 0, data)
    found = crowd.ask(only(*known).recoded(shown), only(further).recoded(shown))
    assert (found.candidates.tolist(), found.most.tolist(), found.total.tolist()) == ([fit], [have], [have])


def test_value_sets():
    sets = ValueSets(np.array([0, 2, 2, 5]), np.array([1, 4, 0, 1, 3]))
    assert sets.count == 3
    assert sets.sizes.tolist() == [2, 0, 3]
    assert sets.of.tolist() == [0, 0, 2, 2, 2]
    assert sets.has(np.array([4, 4, 4])).tolist() == [True, False, False]
    assert not sets.has(np.array([-1, -1, -1])).any()
    turned = sets.take(np.array([2, 1, 0]))
    assert (turned.first.tolist(), turned.value.tolist()) == ([0, 3, 3, 5], [0, 1, 3, 1, 4])
    kept = sets.keep(sets.value > 0)
    assert (kept.first.tolist(), kept.value.tolist()) == ([0, 2, 2, 4], [1, 4, 1, 3])
    assert sets.recoded(np.array([9, -1, 0, 0, 0])).value.tolist() == [-1, 0, 9, -1, 0]


def test_values_of_the_example():
    sets = sets_of(s4_microdata(), 0)
    assert sets.sizes.tolist() == [2, 1, 1, 2, 1, 2, 1]
    assert [S4_DISEASES[v] for v in sets.value[:2]] == ["Heart", "Hypertension"]


def test_every_value_is_known_as_often():
    sets = ValueSets(np.array([0, 1, 4]), np.array([7, 1, 2, 3]))
    drawn = np.array([draw_known(sets, 2, seed) for seed in range(300)])
    assert drawn[:, 0].all()
    assert (drawn[:, 1:].sum(axis=1) == 2).all()
    # Binomial, 300 draws of 2/3: four standard deviations are 33.
    assert (abs(drawn[:, 1:].sum(axis=0) - 200) < 33).all()
    assert np.array_equal(draw_known(sets, 2, 5), draw_known(sets, 2, 5))
    assert draw_known(sets, None, 0).all()
    assert not draw_known(sets, 0, 0).any()


@pytest.mark.parametrize("room", [1 << 24, 0])
@settings(deadline=None, max_examples=30)
@given(draw=st.data())
def test_everybody_is_asked_about_as_by_hand(room, draw):
    found = draw.draw(attacked("identity-reserved"))
    number = draw.draw(st.sampled_from([0, 1, 2, None]))
    told = draw_known(sets_of(found.data, 0), number, draw.draw(st.integers(0, 9)))
    people = st.integers(0, told.size and sets_of(found.data, 0).count - 1)
    rows = np.array(draw.draw(st.lists(people, unique=True)), np.int64)
    asked_as_by_hand(found.data, found.plan, found.publication, told, rows, room)


@pytest.mark.slow
@pytest.mark.parametrize("room", [1 << 24, 60, 0])
@pytest.mark.parametrize("number", [0, 1, 2, None])
@pytest.mark.parametrize("spread_out", [False, True])
def test_many_are_asked_about_as_by_hand(spread_out, number, room):
    rng = np.random.default_rng(3)
    size, individuals = 400, 90
    person = np.sort(
        np.concatenate([np.arange(individuals), rng.integers(0, individuals, size - individuals)])
    )
    age = rng.integers(0, 12, individuals)
    # Classes of ages close by, whose regions match few; or of anybody, whose regions match nearly all.
    ranked = np.argsort(rng.random(individuals) if spread_out else age, kind="stable")
    own = np.empty(individuals, np.int64)
    own[ranked] = np.arange(individuals) // 5
    disease = words("disease", [f"d{i:02}" for i in range(14)])
    # Some diseases are common, most are rare.
    codes = np.minimum(rng.geometric(0.25, size) - 1, 13)
    sex = rng.integers(0, 2, individuals)[person]
    quasi = [
        (integers("age", list(range(12))), age[person].tolist()),
        (words("sex", list("fm")), sex.tolist()),
    ]
    data = replace(table(quasi, [(disease, codes.tolist())]), individuals=person)
    publication, _, plan = publish(IdentityReservedForm(), data, own[person].tolist())
    told = draw_known(sets_of(data, 0), number, 1)
    asked_as_by_hand(data, plan, publication, told, np.arange(individuals), room)


def asked_as_by_hand(data, plan, publication, told, rows, room):
    """Ask about some people by what is told of them, among all crowds, and compare with everybody one by one."""
    plain, sets = PlainPeople(data, plan), sets_of(data, 0)
    known, further = sets.keep(told).take(rows), sets.keep(~told).take(rows)
    shown = shown_codes(publication, 0, data)
    ways = (
        (crowd_of_release(publication, 0, data, rows), shown, plain.release),
        (crowd_of_original(data, 0, rows), np.arange(shown.size), plain.original),
        (crowd_of_original(data, 0, rows, by_quasi=False), np.arange(shown.size), lambda _: plain.everybody),
    )
    for crowd, code_of, people in ways:
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(_individuals, "_MOST_MATCHES", room)
            patched.setattr(_individuals, "_MOST_BITS", 5 * room)
            answers = crowd.ask(known.recoded(code_of), further.recoded(code_of))
            alone = crowd.ask(known.recoded(code_of))
        assert np.array_equal(alone.candidates, answers.candidates)
        assert not alone.total.any()
        for i, row in enumerate(rows.tolist()):
            target = plain.everybody[row]
            own = frozenset(known.value[known.of == i].tolist())
            rest = frozenset(further.value[further.of == i].tolist())
            assert own | rest == plain.sets[target]
            left = plain.knowing(people(target), own)
            have = [sum(v in plain.sets[p] for p in left) for v in rest]
            assert answers.candidates[i] == len(left)
            assert answers.most[i] == max(have, default=0)
            assert answers.total[i] == sum(have)
            if rest:
                assert answers.credit[i] == pytest.approx(float(plain.credit(left, own, rest)))


def test_mean_chance():
    assert mean_chance(np.array([1, 0])) == 0.5
    assert mean_chance(np.zeros(0, np.int64)) == 0.0
    assert mean_chance(np.array([4, 2, 0]), np.array([2, 3, 1])) == 0.5
