"""deFinetti: assignments against scipy and all permutations, planted truths, and what must not leak."""

from __future__ import annotations

from itertools import pairwise, permutations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment
from tests.adult import EIGHT, complete
from tests.forms.publications import integers, publish, table, words
from tests.metrics.tables import evaluations

import likeness as lk
from likeness.attacks.base import Making
from likeness.attacks.definetti import DefinettiAttack, _stretches
from likeness.attacks.kernels.assignment import assign_best, assign_groups, balance, swap_values
from likeness.forms.anatomized import AnatomizedForm
from likeness.forms.generalized import GeneralizedForm
from likeness.methods.mondrian import Mondrian
from likeness.microdata.data import Microdata
from likeness.microdata.plan import Plan

EASY = settings(deadline=None, max_examples=60)
AGE = integers("age", [20, 25, 30, 60])
DISEASE = words("disease", ["a", "b", "d"])
SCORES = st.integers(1, 7).flatmap(
    lambda n: st.lists(st.lists(st.integers(-9, 9), min_size=n, max_size=n), min_size=n, max_size=n)
)


def attack(data, plan, form=None, **given_):
    publication, _, made = publish(form or AnatomizedForm(), data, plan)
    return DefinettiAttack(**given_).run(publication, data, Making(Mondrian(), (), made))


class TestAssignments:
    @EASY
    @given(rows=SCORES)
    def test_the_best_assignment_equals_scipy(self, rows):
        scores = np.array(rows, np.float64)
        found = assign_best(scores)
        assert sorted(found.tolist()) == list(range(len(rows)))
        own, best = linear_sum_assignment(scores, maximize=True)
        assert scores[np.arange(len(rows)), found].sum() == scores[own, best].sum()

    def test_large_real_scores(self):
        scores = np.random.default_rng(1).normal(size=(64, 64))
        own, best = linear_sum_assignment(scores, maximize=True)
        found = assign_best(scores)
        assert scores[np.arange(64), found].sum() == pytest.approx(scores[own, best].sum(), abs=1e-9)

    @pytest.mark.slow
    @EASY
    @given(draw=st.data())
    def test_exchanges_end_where_no_exchange_helps(self, draw):
        counts = draw.draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
        n = sum(counts)
        cells = st.lists(st.integers(-9, 9), min_size=len(counts), max_size=len(counts))
        scores = np.array(draw.draw(st.lists(cells, min_size=n, max_size=n)), np.float64)
        starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        slots = np.array(draw.draw(st.permutations(range(n))), np.int64)

        def value_of(order):
            own = np.empty(n, np.int64)
            own[order] = np.repeat(np.arange(len(counts)), counts)
            return own

        before = scores[np.arange(n), value_of(slots)].sum()
        swaps = swap_values(scores, starts, slots)
        own = value_of(slots)
        after = scores[np.arange(n), own].sum()
        assert sorted(slots.tolist()) == list(range(n))
        assert after >= before + swaps
        for i in range(n):
            for j in range(n):
                gain = scores[i, own[j]] + scores[j, own[i]] - scores[i, own[i]] - scores[j, own[j]]
                assert gain <= 0
        if len(counts) == 2:
            best = (
                max(
                    sum(scores[i, v] for i, v in enumerate(way))
                    for way in set(permutations(np.repeat([0, 1], counts).tolist()))
                )
                if n <= 6
                else after
            )
            assert after == best

    @EASY
    @given(draw=st.data(), exact=st.booleans())
    def test_groups_keep_their_values_and_fit_best(self, draw, exact):
        sizes = draw.draw(st.lists(st.integers(1, 5), min_size=1, max_size=3))
        n = sum(sizes)
        codes = np.array(
            [draw.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)) for _ in range(2)], np.int32
        )
        given_ = np.array(draw.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)), np.int32)
        cells = st.lists(st.integers(-5, 5), min_size=3, max_size=3)
        scores = np.array(draw.draw(st.lists(cells, min_size=6, max_size=6)), np.float64)
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        held = [np.unique(given_[a:b], return_counts=True) for a, b in pairwise(starts)]
        assigned = given_.copy()
        changed = assign_groups(
            codes, np.array([0, 3]), scores, np.arange(n), starts,
            np.concatenate([v for v, _ in held]).astype(np.int64),
            np.concatenate([c for _, c in held]).astype(np.int64),
            np.concatenate([[0], np.cumsum([v.size for v, _ in held])]).astype(np.int64),
            64 if exact else 0, assigned,
        )  # fmt: skip
        assert changed == np.count_nonzero(assigned != given_)

        def fit(records, values):
            return sum(
                scores[codes[0, i], v] + scores[3 + codes[1, i], v]
                for i, v in zip(records, values, strict=True)
            )

        for a, b in pairwise(starts.tolist()):
            own, before = assigned[a:b].tolist(), given_[a:b].tolist()
            assert sorted(own) == sorted(before)
            assert fit(range(a, b), own) >= fit(range(a, b), before)
            if exact:
                assert fit(range(a, b), own) == max(
                    fit(range(a, b), way) for way in set(permutations(before))
                )

    def test_shares_are_balanced(self):
        # By hand: HIV with .05, .05, .30 beside none, one HIV among three.
        weights = np.array([[0.95, 0.05], [0.95, 0.05], [0.7, 0.3]])
        balance(weights, np.array([2, 1]), 500)
        assert weights[:, 1] == pytest.approx([0.1796, 0.1796, 0.6407], abs=5e-5)
        assert weights.sum(axis=1) == pytest.approx([1, 1, 1])
        assert weights.sum(axis=0) == pytest.approx([2, 1])


def planted(rows: int, width: int, seed: int = 0) -> tuple[Microdata, Plan]:
    """Everybody's value follows from their city; buckets of ``width`` different values."""
    rng = np.random.default_rng(seed)
    values = np.concatenate([rng.choice(6, width, replace=False) for _ in range(rows // width)])
    cities = words("city", list("ABCDEF"))
    sick = words("disease", list("uvwxyz"))
    data = table([(cities, values.tolist())], [(sick, values.tolist())])
    order = rng.permutation(values.size)
    return data.take(order), Plan(data.tuples.of[order], (np.arange(values.size) // width)[order])


@pytest.mark.parametrize("variant", ["hard", "soft"])
@pytest.mark.parametrize("width", [2, 3])
def test_a_planted_truth_is_found(variant, width):
    data, plan = planted(600, width)
    found = attack(data, plan, variant=variant)
    assert found.success == 1.0
    assert found.baseline == pytest.approx(1 / width)
    assert found.details["converged"] == 1
    assert found.details["classes"] == 600 // width
    assert set(found.details) <= set(DefinettiAttack.explained)
    assert found.details["most_frequent_of_class"] == pytest.approx(1 / width)


@pytest.mark.parametrize("variant", ["hard", "soft"])
def test_the_order_of_the_original_tells_nothing(variant):
    # Everybody looks alike, and the original is sorted by the sensitive value: only chance is left.
    values = np.repeat([0, 1, 2], 40)
    data = table([(AGE, [0] * 120)], [(DISEASE, values.tolist())])
    plan = Plan(np.zeros(120, np.int64), np.tile(np.arange(40), 3))
    found = [attack(data, plan, variant=variant, seed=seed) for seed in range(30)]
    rates = np.array([one.success for one in found])
    # 30 times 40 buckets, each with 1 of 3 right on average and variance 1/9 at most (1/3 where a guess repeats).
    assert abs(rates.mean() - 1 / 3) < 4 * np.sqrt(2 / 9 / (30 * 120) * 3)
    assert all(one.baseline == pytest.approx(1 / 3) for one in found)


@EASY
@given(evaluation=evaluations(), variant=st.sampled_from(["hard", "soft"]), seed=st.integers(0, 3))
def test_shares_on_any_release(evaluation, variant, seed):
    data, plan = evaluation.data, evaluation.plan
    if not plan.published.any():
        return
    for form in (AnatomizedForm(), GeneralizedForm()):
        found = attack(data, plan, form, variant=variant, seed=seed, bins=2)
        assert 0 <= found.success <= 1
        assert found.details["targets"] == plan.published.sum()
        assert found.details["most_frequent_of_class"] >= found.baseline - 1e-12
        own = [data.sensitive_codes[0][plan.classes == g].tolist() for g in range(plan.count)]
        expected = sum(v.count(s) ** 2 / len(v) for v in own for s in set(v)) / plan.published.sum()
        assert found.baseline == pytest.approx(expected)
        again = attack(data, plan, form, variant=variant, seed=seed, bins=2)
        assert again == found


def test_one_value_a_class_is_known():
    data = table([(AGE, [0, 1, 2, 3])], [(DISEASE, [0, 0, 1, 1])])
    found = attack(data, [0, 0, 1, 1], GeneralizedForm())
    assert found.success == found.baseline == 1.0


def test_targets_come_in_whole_classes():
    data, plan = planted(600, 3)
    found = attack(data, plan, targets=100)
    assert 100 <= found.details["targets"] < 103
    assert found.details["targets"] == 3 * found.details["classes"]
    assert attack(data, plan, targets=10**6) == attack(data, plan)


def test_ordered_values_are_cut_into_stretches():
    domain = integers("x", list(range(1000)), missing=True)
    codes = np.arange(1001, dtype=np.int32)
    own, size = _stretches(domain, codes, 10)
    assert size == 11
    assert own[-1] == 10
    assert (np.diff(own) >= 0).all()
    assert set(np.bincount(own)[:10].tolist()) <= {99, 100, 101}
    assert _stretches(domain, codes, 1001)[0] is codes


def test_who_is_in_which_class_must_be_known():
    data, plan = planted(12, 3)
    publication, _, _ = publish(AnatomizedForm(), data, plan)
    with pytest.raises(lk.PolicyError, match="definetti: needs to know who is in which class"):
        DefinettiAttack().run(publication, data)


@pytest.mark.parametrize(
    "given_", [{"variant": "firm"}, {"rounds": 0}, {"bins": 1}, {"targets": 0}, {"seed": -1}]
)
def test_parameters_out_of_range(given_):
    with pytest.raises(lk.PolicyError, match="definetti: "):
        DefinettiAttack(**given_)


@pytest.mark.slow
def test_anatomy_of_adult(data_folder):
    # Cormode, as Cao & Karras 2012 section 7 quotes him: below 50 % at l = 5, below 30 % at l = 7; far above the random deal. The
    # soft variant, which is stronger than what he looked at, has .28 to .33 at l = 7: there the quote does not hold.
    frame = complete(data_folder)
    columns = {name: lk.quasi() for name in EIGHT} | {"occupation": lk.sensitive()}
    columns |= {name: lk.drop() for name in frame.columns if name not in columns}
    for l, limits in ((5, {"hard": 0.5, "soft": 0.5}), (7, {"hard": 0.3, "soft": 0.4})):  # noqa: E741
        policy = lk.Policy(columns=columns, privacy=lk.DistinctLDiversity(l), method=lk.Anatomy(l))
        release = lk.anonymize(frame, policy, seed=1)
        for variant, most in limits.items():
            found = release.attack(DefinettiAttack(variant=variant))
            assert found.baseline == pytest.approx(1 / l, abs=1e-3)
            assert found.baseline + 0.02 < found.success < most


def test_through_the_release():
    rng = np.random.default_rng(2)
    age = rng.integers(20, 60, 600)
    ill = np.where(rng.random(600) < 0.8, age // 10, rng.integers(2, 6, 600))
    frame = pl.DataFrame({"age": age, "disease": [f"d{i}" for i in ill]})
    columns = {"age": lk.quasi(), "disease": lk.sensitive()}
    policy = lk.Policy(columns=columns, privacy=lk.DistinctLDiversity(2), method=lk.Anatomy(2))
    found = lk.anonymize(frame, policy, seed=1).attack("definetti")
    assert found.success > 0.75 > found.baseline == pytest.approx(0.5)


def test_shares_that_fit_in_no_memory_are_refused(monkeypatch):
    data = table([(AGE, [0, 1, 2, 3])], [(DISEASE, [0, 1, 2, 0])])
    made = Plan(np.zeros(4, np.int64))
    assert attack(data, made, GeneralizedForm()).details["classes"] == 1
    monkeypatch.setattr("likeness.attacks.definetti._MOST_SHARES_OF_CLASS", 11)
    with pytest.raises(
        lk.PolicyError, match=r"^definetti: classes of up to 4 records with 3 sensitive values are too"
    ):
        attack(data, made, GeneralizedForm())
    monkeypatch.setattr("likeness.attacks.definetti._MOST_SHARES_OF_CLASS", 12)
    monkeypatch.setattr("likeness.attacks.definetti._MOST_SHARES", 11)
    with pytest.raises(lk.PolicyError, match="leave this attack out"):
        attack(data, made, GeneralizedForm())
    assert attack(data, made, GeneralizedForm(), variant="hard").details["classes"] == 1
