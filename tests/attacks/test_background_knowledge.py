"""Background knowledge: beliefs against permanents, worked examples, samples within their errors, and the three figures."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from math import exp, prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.forms.publications import integers, publish, table, words

import likeness as lk
from likeness.attacks.background_knowledge import BackgroundKnowledgeAttack
from likeness.attacks.background_knowledge.kernels import (
    BALANCED,
    EXACT,
    SAMPLED,
)
from likeness.attacks.base import Making
from likeness.forms.anatomized import AnatomizedForm
from likeness.forms.baseline import BaselineForm
from likeness.forms.generalized import GeneralizedForm
from likeness.kernels.arrangements import balanced, believe_exactly
from likeness.kernels.beliefs import odds
from likeness.methods.mondrian import Mondrian
from likeness.microdata.knowledge import Knowledge, rounded
from likeness.microdata.plan import Plan

EASY = settings(deadline=None, max_examples=60)
AGE = integers("age", [20, 25, 30, 60])
DISEASE = words("disease", ["HIV", "flu", "none"])


def permanent(rows):
    """Ryser's formula."""
    n = len(rows)
    total = 0
    for size in range(1, n + 1):
        for columns in combinations(range(n), size):
            total += (-1) ** (n - size) * prod(sum(row[c] for c in columns) for row in rows)
    return total


def beliefs_by_permanents(weights, counts):
    """(n, k) The belief in each value of each member: arrangements with it, over all."""
    slots = [s for s, count in enumerate(counts) for _ in range(count)]
    square = [[row[s] for s in slots] for row in weights]
    whole = permanent(square)
    found = []
    for x in range(len(square)):
        own = []
        for s, count in enumerate(counts):
            column = slots.index(s)
            rest = [
                [cell for c, cell in enumerate(row) if c != column] for y, row in enumerate(square) if y != x
            ]
            ways = square[x][column] * (permanent(rest) if rest else 1)
            own.append(Fraction(count * ways, whole))
        found.append(own)
    return found


def beliefs(rows, codes, how=None, sweeps=10_000):
    """(n, m) Beliefs of one class, by the attack, of members with these rows and values; and the standard errors."""
    data, plan = one_class(rows, codes)
    world = world_of(data, plan, how, sweeps)
    found, errors = np.zeros((2, len(rows), len(rows[0])))
    values = world.histograms.value
    found[:, values] = world.found.reshape(-1, values.size)[world.unit_of]
    errors[:, values] = world.errors.reshape(-1, values.size)[world.unit_of]
    return found, errors


def world_of(data, plan, how=None, sweeps=10_000):
    from likeness.attacks._columns import histograms
    from likeness.attacks.background_knowledge import Joint

    records = np.flatnonzero(plan.published)
    of = plan.classes[records]
    found = histograms(of, data.sensitive_codes[0][records], data.sensitive[0].codes)
    world = Joint(found, of, data.knowledge[0], records)
    if how is not None:
        ways = world._ways
        world._ways = lambda: np.where(ways() == 0, 0, how)
    world.believe(BackgroundKnowledgeAttack(sweeps=sweeps))
    return world


def known(shares, domain=DISEASE, name=None):
    return Knowledge.from_shares(domain, np.array(shares, np.float64), np.arange(len(shares)), name)


def one_class(rows, codes):
    m = len(rows[0])
    domain = words("disease", [f"v{s:02d}" for s in range(m)])
    data = table([(AGE, [0] * len(codes))], [(domain, list(codes))])
    data = replace(data, knowledge=(known(rows, domain),))
    return data, Plan(np.zeros(len(codes), np.int64))


def attack(data, plan, form=None, **given_):
    publication, _, made = publish(form or AnatomizedForm(), data, plan)
    return BackgroundKnowledgeAttack(**given_).run(publication, data, Making(Mondrian(), (), made))


def random_class(rng, size, values, *, zeros=0.0, sharp=1.0):
    """Beliefs of everybody, and values that are possible for all of them."""
    shares = rng.dirichlet(np.full(values, sharp), size)
    codes = rng.integers(0, values, size)
    shares[(rng.random(shares.shape) < zeros) & (codes[:, None] != np.arange(values))] = 0.0
    return shares, codes


class TestExamples:
    def test_three_people_one_of_whom_has_hiv(self):
        shares = [[0.05, 0, 0.95], [0.05, 0, 0.95], [0.30, 0, 0.70]]
        found, _ = beliefs(shares, [2, 2, 0])
        assert found[:, 0].round(4).tolist() == [0.0986, 0.0986, 0.8028]
        scaled, _ = beliefs(shares, [2, 2, 0], how=BALANCED)
        assert scaled[:, 0].round(4).tolist() == [0.1796, 0.1796, 0.6407]

    def test_the_estimate_is_no_bound(self):
        hiv = np.array([0.001] * 4 + [0.05])
        found, _ = beliefs(np.stack([hiv, 1 - hiv], axis=1), [1, 1, 1, 1, 0])
        assert found[:, 0].round(3).tolist() == [0.018] * 4 + [0.929]

    def test_two_people_who_are_nearly_alike(self):
        found, _ = beliefs([[0.001, 0.999], [0.05, 0.95]], [1, 0])
        assert found[1, 0].round(3) == 0.981

    def test_everybody_believed_alike(self):
        data, plan = one_class([[0.2, 0.3, 0.5]] * 5, [0, 0, 1, 2, 2])
        result = attack(data, plan)
        assert result.details["uncertainty"] == 1.0
        assert result.details["largest_belief"] == 0.4
        assert result.details["largest_bound"] == 0.4
        assert result.success == result.details["by_class"] == (4 * 0.5) / 5
        assert result.baseline == 0.4
        assert result.details["added"] == 0.0


class TestBeliefs:
    @EASY
    @given(draw=st.data())
    def test_exact_beliefs_are_quotients_of_permanents(self, draw):
        n, m = draw.draw(st.integers(1, 7)), draw.draw(st.integers(1, 4))
        cells = st.lists(st.integers(0, 6), min_size=m, max_size=m)
        weights = draw.draw(st.lists(cells, min_size=n, max_size=n))
        codes = draw.draw(st.lists(st.integers(0, m - 1), min_size=n, max_size=n))
        for row, code in zip(weights, codes, strict=True):
            row[code] += 1
        rows = rounded(np.array(weights, np.float64))
        values, counts = np.unique(codes, return_counts=True)
        expected = beliefs_by_permanents([[int(row[s]) for s in values] for row in rows], counts.tolist())
        found, _ = beliefs(weights, codes, how=EXACT)
        assert np.abs(found[:, values] - np.array(expected, float)).max() <= 1e-12

    def test_nine_people(self):
        rng = np.random.default_rng(9)
        shares, codes = random_class(rng, 9, 6, zeros=0.2, sharp=0.2)
        values, counts = np.unique(codes, return_counts=True)
        rows = [[int(row[s]) for s in values] for row in rounded(shares)]
        found, _ = beliefs(shares, codes)
        expected = np.array(beliefs_by_permanents(rows, counts.tolist()), float)
        assert np.abs(found[:, values] - expected).max() <= 1e-12

    @EASY
    @given(draw=st.data())
    def test_beliefs_add_up_to_people_and_values(self, draw):
        rng = np.random.default_rng(draw.draw(st.integers(0, 10**6)))
        u, k = draw.draw(st.integers(2, 5)), draw.draw(st.integers(2, 5))
        members, counts = rng.integers(1, 5, u), rng.integers(1, 5, k)
        members[0] += max(0, counts.sum() - members.sum())
        counts[0] += members.sum() - counts.sum()
        found = np.empty((u, k))
        assert believe_exactly(rng.dirichlet(np.ones(k), u), members, counts, found)
        assert np.allclose(found.sum(axis=1), 1, atol=1e-12)
        assert np.allclose(members @ found, counts, atol=1e-11)

    def test_large_classes_of_few_values_neither_vanish_nor_overflow(self):
        rng = np.random.default_rng(4)
        weights = rng.random((700, 2)) ** 9 * 1e-6 + 1e-9
        found = np.empty((700, 2))
        assert believe_exactly(weights, np.ones(700, np.int64), np.array([350, 350]), found)
        assert np.allclose(found.sum(axis=0), 350)
        # One value at a time: how many of the first x have the first, and of the others.
        part = balanced(weights, np.ones(700, np.int64), np.array([350, 350]), 100)[0][:, 0]
        before, after = [np.ones(1)], [np.ones(1)]
        for p in part:
            before.append(np.convolve(before[-1], [1 - p, p]))
        for p in part[::-1]:
            after.append(np.convolve(after[-1], [1 - p, p]))
        for x in (0, 1, 350, 699):
            rest = np.convolve(before[x], after[699 - x])
            expected = part[x] * rest[349] / (part[x] * rest[349] + (1 - part[x]) * rest[350])
            assert found[x, 0] == pytest.approx(expected, abs=1e-11)

    def test_large_classes_of_few_distributions_neither_vanish_nor_overflow(self):
        rng = np.random.default_rng(6)
        counts = np.array([11, 8, 44, 1, 2, 1, 3, 79, 2, 41, 3, 2])
        weights = rng.dirichlet(np.ones(12), 2)
        found = np.empty((2, 12))
        assert believe_exactly(weights, np.array([196, 1]), counts, found)
        # The one has s in proportion to ω(s) c_s / ω'(s), ω' of the others.
        alone = weights[1] * counts / weights[0]
        assert np.allclose(found[1], alone / alone.sum(), atol=1e-13)
        assert np.allclose(196 * found[0] + found[1], counts, atol=1e-11)

    def test_no_belief_exceeds_what_the_odds_allow(self):
        rng = np.random.default_rng(12)
        for _ in range(3000):
            size, values = rng.integers(2, 9), rng.integers(2, 5)
            shares, codes = random_class(rng, size, values, sharp=rng.choice([0.2, 1, 5]))
            data, plan = one_class(shares, codes)
            world = world_of(data, plan)
            counts = world.histograms.count
            rho = exp(
                odds(
                    world.first_unit, world.distributions, world.first_value, world.histograms.value,
                    world.known.distributions.shares,
                )[0]
            )  # fmt: skip
            limit = rho * counts / size
            assert (world.found.reshape(-1, counts.size) <= limit * (1 + 1e-12)).all()
            assert world.bounds[0] == pytest.approx(min(1, limit.max()))

    @pytest.mark.parametrize("zeros", [0.0, 0.3])
    def test_samples_are_within_their_errors(self, zeros):
        rng = np.random.default_rng(3)
        off = []
        for _ in range(12):
            shares, codes = random_class(rng, 16, 4, zeros=zeros)
            exact, _ = beliefs(shares, codes, how=EXACT)
            found, errors = beliefs(shares, codes, how=SAMPLED)
            assert np.abs(found.sum(axis=1) - 1).max() < 1e-9
            told = errors > 1e-9
            assert np.abs(found - exact)[~told].max(initial=0) < 1e-6
            off += (np.abs(found - exact)[told] / errors[told]).tolist()
        # Of a normal distribution 68 % are within one error and 99.7 % within three; batches are not quite independent.
        assert np.mean(np.array(off) < 1) > 0.55
        assert np.mean(np.array(off) < 4) > 0.99
        assert 0.6 < np.sqrt(np.mean(np.square(off))) < 1.6

    def test_scaling_is_off_by_less_the_larger_the_class(self):
        rng = np.random.default_rng(5)
        worst = []
        for size in (8, 32, 128):
            off = []
            for _ in range(10):
                shares, codes = random_class(rng, size, 3, sharp=1.0)
                exact, _ = beliefs(shares, codes, how=EXACT)
                scaled, _ = beliefs(shares, codes, how=BALANCED)
                off.append(float(np.abs(exact - scaled).max()))
            worst.append(np.mean(off))
        assert worst[0] > 3 * worst[1] > 9 * worst[2]
        assert worst[2] < 0.01

    def test_knowledge_that_rules_every_arrangement_out_counts_as_hardly_possible(self):
        found, _ = beliefs([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0]], [1, 2])
        assert found[:, 0].tolist() == [0, 0]
        assert found[1, 1] == pytest.approx(1.0, abs=1e-9)
        data, plan = one_class([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0]], [1, 2])
        assert attack(data, plan).details["contradicted"] == 1.0
        for how in (SAMPLED, BALANCED):
            same, _ = beliefs([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0]], [1, 2], how=how)
            assert same[1, 1] == pytest.approx(1.0, abs=1e-3)

    def test_classes_that_cannot_be_counted_are_sampled_and_larger_ones_scaled(self):
        rng = np.random.default_rng(7)
        rows, codes = random_class(rng, 400, 14)
        diseases = words("disease", [f"v{s:02d}" for s in range(14)])
        age = integers("age", list(range(400)))
        data = table([(age, list(range(400)))], [(diseases, codes.tolist())])
        data = replace(data, knowledge=(known(rows, diseases),))
        details = attack(data, Plan(np.repeat([0, 1], [100, 300])), sweeps=64).details
        assert details["exact"] == 0.0
        assert details["sampled"] == 0.25
        assert details["standard_error"] > 0
        assert attack(data, Plan(np.arange(400) // 8)).details["exact"] == 1.0


class TestFigures:
    def test_they_are_shares_of_targets_guessed_right_with_ties_shared(self):
        data = table([(AGE, [0, 0, 1, 1])], [(DISEASE, [0, 2, 1, 2])])
        rows = [[0.6, 0.2, 0.2], [0.2, 0.2, 0.6], [0.4, 0.4, 0.2], [0.4, 0.4, 0.2]]
        data = replace(data, knowledge=(known(rows),))
        result = attack(data, Plan(np.array([0, 0, 1, 1])))
        # Before: right, right, one of two, wrong. By class: one of two, all four times. Both: right, right, one of two twice.
        assert result.baseline == 2.5 / 4
        assert result.details["by_class"] == 0.5
        assert result.success == 3 / 4
        assert result.details["added"] == 0.25
        assert result.details["mean_belief"] == pytest.approx((0.9 + 0.9 + 0.5 + 0.5) / 4)
        assert result.details["largest_belief"] == pytest.approx(0.9)
        entropy = -0.9 * np.log2(0.9) - 0.1 * np.log2(0.1)
        assert result.details["uncertainty"] == pytest.approx((2 * entropy + 2) / 4)
        assert result.details["classes"], result.details["targets"] == (2.0, 4.0)

    def test_withheld_records_are_nobodys_targets(self):
        data = table([(AGE, [0, 0, 1])], [(DISEASE, [0, 2, 1])])
        data = replace(data, knowledge=(known(np.eye(3)[[0, 2, 1]]),))
        result = attack(data, Plan(np.array([0, 0, -1])))
        assert (result.success, result.baseline, result.details["targets"]) == (1.0, 1.0, 2.0)

    def test_every_form_says_what_its_classes_say(self):
        rows = [[0.6, 0.2, 0.2], [0.2, 0.2, 0.6], [0.5, 0.4, 0.1], [0.3, 0.5, 0.2]]
        data = table([(AGE, [0, 0, 1, 1])], [(DISEASE, [0, 2, 1, 2])])
        data = replace(data, knowledge=(known(rows),))
        plan = Plan(np.array([0, 0, 1, 1]))
        general, anatomized = attack(data, plan, GeneralizedForm()), attack(data, plan)
        assert general == anatomized
        base = attack(data, plan, BaselineForm())
        assert base.details["classes"] == 1.0
        assert base == attack(data, Plan(plan.classes, np.zeros(4, np.int64)))

    def test_targets_are_some_of_the_published_records(self):
        rng = np.random.default_rng(2)
        rows, codes = random_class(rng, 40, 3)
        data = table([(AGE, [0] * 40)], [(DISEASE, codes.tolist())])
        data = replace(data, knowledge=(known(rows),))
        plan = Plan(np.arange(40) // 4)
        assert attack(data, plan, targets=40) == attack(data, plan)
        some = attack(data, plan, targets=5, seed=1)
        assert some.details["targets"] == 5
        assert some.details["classes"] <= 5

    def test_several_sources_are_tried_each(self):
        data = table([(AGE, [0, 0])], [(DISEASE, [0, 2])])
        sharp, blunt = known(np.eye(3)[[0, 2]], name="sharp"), known([[1, 1, 1]] * 2, name="blunt")
        data = replace(data, knowledge=(blunt, sharp))
        plan = Plan(np.array([0, 0]))
        both = attack(data, plan)
        assert both.success == both.details["success:sharp"] == 1.0
        assert both.details["success:blunt"] == 0.5
        assert attack(data, plan, knowledge="blunt").success == 0.5

    def test_columns_that_nothing_is_known_of_are_left_out(self):
        job = words("job", ["a", "b"])
        data = table([(AGE, [0, 0])], [(DISEASE, [0, 2]), (job, [0, 1])])
        data = replace(data, knowledge=(known(np.eye(3)[[0, 2]]),))
        plan = Plan(np.array([0, 0]))
        assert "'disease'" in attack(data, plan, GeneralizedForm()).meaning
        with pytest.raises(
            lk.PolicyError, match=r"^background-knowledge: nothing is known beforehand about 'job'$"
        ):
            attack(data, plan, GeneralizedForm(), sensitive="job")


class TestRefusals:
    def test_nothing_is_known(self):
        data = table([(AGE, [0, 0])], [(DISEASE, [0, 2])])
        with pytest.raises(
            lk.PolicyError, match=r"^background-knowledge: nothing says what an adversary may know"
        ):
            attack(data, Plan(np.array([0, 0])))

    def test_unknown_names(self):
        data = table([(AGE, [0, 0])], [(DISEASE, [0, 2])])
        data = replace(data, knowledge=(known([[1, 1, 1]] * 2, name="registry"),))
        with pytest.raises(lk.PolicyError, match=r"no knowledge is called 'registri'.*'registry'"):
            attack(data, Plan(np.array([0, 0])), knowledge="registri")

    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            ({"knowledge": 3}, "knowledge must be the name of one"),
            ({"sweeps": 10}, "sweeps must be"),
            ({"targets": 0}, "targets must be"),
        ],
    )
    def test_parameters(self, parameters, message):
        with pytest.raises(lk.PolicyError, match=f"^background-knowledge: {message}"):
            BackgroundKnowledgeAttack(**parameters)

    def test_who_is_in_which_class_is_needed(self):
        data = table([(AGE, [0, 0])], [(DISEASE, [0, 2])])
        data = replace(data, knowledge=(known([[1, 1, 1]] * 2),))
        publication, _, _ = publish(AnatomizedForm(), data, Plan(np.array([0, 0])))
        with pytest.raises(lk.PolicyError, match="needs to know who is in which class"):
            BackgroundKnowledgeAttack().run(publication, data)
