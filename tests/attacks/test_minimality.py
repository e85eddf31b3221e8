"""Minimality: re-running Mondrian against trying every arrangement; BUREL against all its random choices."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.contracts.parts import example
from tests.forms.publications import integers, publish, table, words
from tests.methods.problems import problem
from tests.metrics.tables import domains
from tests.oracles.attacks_minimality import chances, kept_posteriors, posteriors, weigh

import likeness as lk
from likeness import registry
from likeness.attacks import minimality
from likeness.attacks.base import Making
from likeness.attacks.minimality import MinimalityAttack
from likeness.attacks.minimality.rerun import PLACES, Rerun, arrangements, places
from likeness.forms.anatomized import AnatomizedForm
from likeness.forms.generalized import GeneralizedForm
from likeness.methods.anatomy import Anatomy
from likeness.methods.burel import Burel
from likeness.methods.k_member import KMember
from likeness.methods.mondrian import Mondrian
from likeness.methods.spaces import points
from likeness.microdata.plan import Reason
from likeness.microdata.regions import recode
from likeness.models.requirements import require

EASY = settings(deadline=None, max_examples=40)
DISEASE = words("disease", ["a", "b", "c", "d"])
CUTS = ["least-loss", "all", "widest"]


def released(data, method, *models, seed=0, form=None):
    """Make, publish and know how."""
    asked = problem(data, *models, seed=seed)
    plan, _ = recode(data, method.run(asked))
    publication, _, made = publish(form or GeneralizedForm(), data, plan)
    return publication, Making(method, asked.requirements, made)


def attack(data, method, *models, form=None, **given_):
    publication, making = released(data, method, *models, form=form)
    return MinimalityAttack(**given_).run(publication, data, making)


def partition(classes) -> frozenset[frozenset[int]]:
    return frozenset(frozenset(np.flatnonzero(classes == g).tolist()) for g in np.unique(classes))


class TestMondrian:
    # Three people of 20, two of 30, values a a b c d, 2-diversity: the cut between them would have been made, unless
    # both of 30 have a (Wong et al. 2007, the example of their section 1 in small).
    AGES = integers("age", [20, 30])

    @pytest.mark.parametrize("cut", CUTS)
    def test_why_was_this_not_cut(self, cut):
        data = table([(self.AGES, [0, 0, 0, 1, 1])], [(DISEASE, [1, 2, 3, 0, 0])])
        found = attack(data, Mondrian(cut=cut), lk.DistinctLDiversity(2))
        assert found.success == pytest.approx((2 * 1 + 3 * 1 / 3) / 5)
        assert found.baseline == pytest.approx((2 * 2 + 3) / 25)
        assert found.details["largest_increase"] == pytest.approx(1 - 2 / 5)
        assert found.details["largest_increase_error"] == found.details["standard_error"] == 0
        assert found.details["kept"] == pytest.approx(6 / 60)
        assert found.details["exact"] == 1
        assert found.details["classes"] == 1
        assert set(found.details) <= set(MinimalityAttack.explained)

    def test_what_the_values_do_not_decide_says_nothing(self):
        data = table([(self.AGES, [0, 0, 0, 1, 1])], [(DISEASE, [1, 2, 3, 0, 0])])
        found = attack(data, Mondrian(), lk.KAnonymity(3))
        assert found.gain == pytest.approx(0, abs=1e-12)
        assert found.details["kept"] == 1
        assert "above_limit" not in found.details

    @EASY
    @given(
        draw=st.data(),
        cut=st.sampled_from(CUTS),
        model=st.sampled_from([lk.DistinctLDiversity(2), lk.BetaLikeness(1)]),
    )
    def test_equals_trying_every_arrangement(self, draw, cut, model):
        n = draw.draw(st.integers(3, 7))
        quasi = tuple(draw.draw(domains(f"a{j}")) for j in range(2))
        codes = [draw.draw(st.lists(st.integers(0, x.codes - 1), min_size=n, max_size=n)) for x in quasi]
        values = draw.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
        data = table(list(zip(quasi, codes, strict=True)), [(DISEASE, values)])
        method = Mondrian(cut=cut)
        publication, making = released(data, method, model)
        assume(publication.size == n)

        def run(own, records):
            one = replace(data, sensitive_codes=np.array([own], np.int32)).take(np.array(records))
            asked = replace(problem(one, model), requirements=making.requirements)
            return partition(method.run(asked).classes)

        classes = [np.flatnonzero(making.plan.classes == g).tolist() for g in range(making.plan.count)]
        found = {}
        for whole_table in (False, True):
            before = after = Fraction(0)
            undecided = 0
            for members in classes:
                whole = frozenset({frozenset(range(len(members)))})
                published = partition(making.plan.classes)

                def same(own, members=members, whole=whole, published=published, whole_table=whole_table):
                    if whole_table:
                        return run(own, list(range(n))) == published
                    return run(own, members) == whole

                if not same(tuple(values)):
                    # Regions that came out equal were merged: the method does not make this class by itself.
                    undecided += 1
                    continue
                beliefs = kept_posteriors(members, values, same)
                after += sum(beliefs[at][values[i]] for at, i in enumerate(members))
                own = [values[i] for i in members]
                before += sum(Fraction(own.count(v), len(own)) for v in own)
            attacker = MinimalityAttack(classes=None, permutations=5040, whole_table=whole_table)
            got = attacker.run(publication, data, making)
            targets = got.details["targets"]
            assert got.details["undecided"] * len(classes) == pytest.approx(undecided)
            assert got.success * targets == pytest.approx(float(after))
            assert got.baseline * targets == pytest.approx(float(before))
            found[whole_table] = got
        if cut == "widest":
            # Every cut above a class is judged by whole classes: the class alone tells all.
            assert found[False].success == pytest.approx(found[True].success)
        assert found[True].details["kept"] <= found[False].details["kept"] + 1e-12

    def test_random_arrangements_agree_with_all_of_them(self):
        rng = np.random.default_rng(3)
        ages = integers("age", list(range(8)))
        data = table([(ages, rng.integers(0, 8, 9).tolist())], [(DISEASE, rng.integers(0, 4, 9).tolist())])
        publication, making = released(data, Mondrian(), lk.DistinctLDiversity(3))
        exact = MinimalityAttack(classes=None, permutations=400_000).run(publication, data, making)
        assert exact.details["exact"] == 1
        drawn = MinimalityAttack(classes=None, permutations=1000).run(publication, data, making)
        assert drawn.details["exact"] < 1
        assert abs(drawn.success - exact.success) < 4 * drawn.details["standard_error"] + 1e-9

    @pytest.mark.slow
    def test_chains_agree_with_all_arrangements(self):
        # Few arrangements are kept, and chains must find the rest of them.
        data = table([(self.AGES, [0] * 6 + [1] * 3)], [(DISEASE, [0, 1, 1, 2, 3, 3, 0, 0, 0])])
        publication, making = released(data, Mondrian(), lk.DistinctLDiversity(2))
        exact = MinimalityAttack(permutations=4000).run(publication, data, making)
        drawn = MinimalityAttack(permutations=300).run(publication, data, making)
        assert exact.details["exact"] == 1
        assert exact.details["kept"] < 0.1
        assert drawn.details["chained"] == 1
        assert drawn.details["undecided"] == 0
        assert abs(drawn.success - exact.success) < 4 * drawn.details["standard_error"]

    def test_relaxed_cuts_are_not_tried_again_class_by_class(self):
        assert Mondrian().cuts_from_above
        assert not Mondrian(cut="widest", strict=False).cuts_from_above
        assert not Mondrian(cut="utd").cuts_from_above
        assert not Burel().cuts_from_above


class TestBurel:
    """Cao & Karras 2012, section 7: "this separation of tasks renders BUREL immune to minimality attacks"."""

    METHOD = Burel(variant="paper")

    @staticmethod
    def people(ages, values):
        domain = integers("age", list(range(min(ages), max(ages) + 1)))
        return table([(domain, [age - min(ages) for age in ages])], [(DISEASE, values)])

    def keys(self, data):
        space = points(data)
        return space.keys[space.rank].tolist()

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("ages", "values", "beta"),
        [([0, 10, 15, 40], [0, 1, 1, 0], 1), ([6, 46, 59, 164, 176, 179], [0, 1, 0, 1, 1, 1], 1)],
    )
    def test_the_enumeration_is_burel(self, ages, values, beta):
        data = self.people(ages, values)
        counts = Counter(
            partition(self.METHOD.run(problem(data, lk.BetaLikeness(beta), seed=seed)).classes)
            for seed in range(200)
        )
        drafts = [[1, 1]] * 2 if len(ages) == 4 else [[1, 2]] * 2
        wanted = chances(self.keys(data), values, drafts)
        assert set(counts) == {made for made, chance in wanted.items() if chance}
        for made, chance in wanted.items():
            error = (float(chance * (1 - chance)) / 200) ** 0.5
            assert abs(counts[made] / 200 - float(chance)) < 4 * error + 1e-9

    def test_four_people(self):
        data = self.people([0, 10, 15, 40], [0, 1, 1, 0])
        published = frozenset({frozenset({0, 1}), frozenset({2, 3})})
        found = posteriors(self.keys(data), [0, 1, 1, 0], published, [0, 1], [[1, 1], [1, 1]])
        assert [beliefs[0] for beliefs in found] == [
            Fraction(3, 5),
            Fraction(2, 5),
            Fraction(2, 5),
            Fraction(3, 5),
        ]

    def test_six_people_one_of_whom_is_certain(self):
        # Under 1-likeness nobody's belief in a should pass f(1/3) = 2/3; knowing BUREL, one may be sure of it.
        data = self.people([6, 46, 59, 164, 176, 179], [0, 1, 0, 1, 1, 1])
        published = frozenset({frozenset({1, 2, 3}), frozenset({0, 4, 5})})
        keys = self.keys(data)
        assert chances(keys, [0, 1, 0, 1, 1, 1], [[1, 2], [1, 2]])[published] == Fraction(1, 2)
        found = posteriors(keys, [0, 1, 0, 1, 1, 1], published, [0, 1], [[1, 2], [1, 2]])
        assert found[0][0] == 1
        assert found[4][0] == found[5][0] == 0
        bound = require([lk.BetaLikeness(1)], data.sensitive, data.sensitive_codes)[0].bound
        assert bound.upper_limits[0].exact == Fraction(2, 3)

    def test_mirror_assembly_is_not_immune_either(self):
        # Deterministic: every bucket is halved at its own quantile. Had 77 not a, it would be with 60.
        values = [0, 0, 1, 1, 1, 1]
        data = self.people([60, 77, 110, 162, 183, 184], values)
        asked = problem(data, lk.BetaLikeness(1))
        method = Burel(variant="mirror")
        published = frozenset({frozenset({0, 2, 3}), frozenset({1, 4, 5})})

        def chance(own):
            one = replace(data, sensitive_codes=np.array([own], np.int32))
            return Fraction(int(partition(method.run(replace(asked, data=one)).classes) == published))

        assert chance(tuple(values)) == 1
        found = weigh(values, published, chance)
        assert found[0][0] == found[1][0] == 1

    @EASY
    @given(draw=st.data())
    def test_within_a_bucket_the_claim_holds_exactly(self, draw):
        # Values 0 and 1 share a bucket: a record's chances of them are as their counts in its class.
        keys = sorted(draw.draw(st.lists(st.integers(0, 60), min_size=6, max_size=6, unique=True)))
        values = draw.draw(st.permutations([0, 1, 2, 2, 2, 2]))
        bucket_of = [0, 0, 1]
        drafts = [[1, 2], [1, 2]]
        for published, chance in chances(keys, [bucket_of[v] for v in values], drafts).items():
            assert chance > 0
            found = posteriors(keys, values, published, bucket_of, drafts)
            for members in published:
                own = [values[i] for i in members]
                for i in members:
                    assert found[i][0] * own.count(1) == found[i][1] * own.count(0)

    @pytest.mark.parametrize("variant", ["paper", "mirror"])
    def test_the_attack_learns_where_rare_values_lie(self, variant):
        # Values dealt at random: whatever is gained, the method gave away.
        rng = np.random.default_rng(5)
        values = rng.permutation(np.repeat([0, 1, 2, 3], [40, 360, 800, 800]))
        ages = integers("age", list(range(1000)))
        data = table([(ages, rng.integers(0, 1000, 2000).tolist())], [(DISEASE, values.tolist())])
        publication, making = released(data, Burel(variant=variant), lk.BetaLikeness(4))
        found = MinimalityAttack(classes=None, simulations=6).run(publication, data, making)
        assert found == MinimalityAttack(classes=None, simulations=6).run(publication, data, making)
        assert found.gain > 0.005
        assert found.details["above_limit"] > 0.01
        assert "kept" not in found.details
        if variant == "mirror":
            # Whoever is far from the others of their class has the rarest value.
            assert found.details["largest_increase"] > 0.3 + 2 * found.details["largest_increase_error"]


@pytest.mark.parametrize("name", registry.names("methods"))
def test_methods_that_cut_from_above_leave_their_classes_whole(name):
    method = example("methods", name)
    if not method.cuts_from_above:
        return
    rng = np.random.default_rng(4)
    ages = integers("age", list(range(40)))
    data = table([(ages, rng.integers(0, 40, 300).tolist())], [(DISEASE, rng.integers(0, 4, 300).tolist())])
    found = attack(data, method, lk.DistinctLDiversity(3), classes=None, permutations=2)
    assert found.details["classes"] > 5
    assert found.details["undecided"] <= found.details["chained"]


def test_anatomy_deals_whatever_people_look_like():
    rng = np.random.default_rng(5)
    ages = integers("age", list(range(50)))
    data = table([(ages, rng.integers(0, 50, 800).tolist())], [(DISEASE, rng.integers(0, 4, 800).tolist())])
    found = attack(data, Anatomy(2), lk.DistinctLDiversity(2), form=AnatomizedForm(), classes=None)
    assert found.baseline == pytest.approx(1 / 2, abs=0.01)
    assert abs(found.gain) < 0.02


@EASY
@given(values=st.lists(st.integers(0, 3), min_size=1, max_size=6), most=st.integers(2, 800))
def test_arrangements_are_all_or_random(values, most):
    from itertools import permutations

    own = np.array(values)
    every, complete = arrangements(own, most, np.random.default_rng(0))
    wanted = sorted(set(permutations(values)))
    assert complete == (len(wanted) <= most)
    if complete:
        assert [tuple(own[row].tolist()) for row in every] == wanted
    else:
        assert every.shape == (most, len(values))
    assert all(sorted(row) == list(range(len(values))) for row in every.tolist())


def test_batches_change_nothing(monkeypatch):
    rng = np.random.default_rng(3)
    ages = integers("age", list(range(30)))
    data = table([(ages, rng.integers(0, 30, 24).tolist())], [(DISEASE, rng.integers(0, 4, 24).tolist())])
    publication, making = released(data, Mondrian(), lk.DistinctLDiversity(3))
    for whole_table in (False, True):
        attacker = MinimalityAttack(permutations=20, whole_table=whole_table)
        monkeypatch.setattr("likeness.attacks.minimality.rerun._RECORDS_AT_ONCE", 1_000_000)
        at_once = attacker.run(publication, data, making)
        monkeypatch.setattr("likeness.attacks.minimality.rerun._RECORDS_AT_ONCE", 70)
        assert attacker.run(publication, data, making) == at_once


def test_places():
    ages = integers("age", [0, 10, 20, 30, 100])
    data = table([(ages, [1, 1, 2, 0, 4])], [(DISEASE, [0] * 5)])
    found = places(data, np.zeros(5, np.int64))
    assert found.max() < PLACES
    # Both of 10 have somebody beside them; the one of 100 is alone and farthest.
    assert (found % 2).tolist() == [0, 0, 1, 1, 1]
    assert found.argmax() == 4


def test_how_it_was_made_must_be_known():
    data = table([(integers("age", [20, 30]), [0, 1])], [(DISEASE, [0, 1])])
    publication, making = released(data, Mondrian(), lk.KAnonymity(2))
    with pytest.raises(lk.PolicyError, match="minimality: needs to know the method, the guarantee and who"):
        MinimalityAttack().run(publication, data)
    limited = replace(data, quasi=(replace(data.quasi[0], max_level=1),))
    with pytest.raises(
        lk.PolicyError, match="minimality: is not defined for releases with hierarchy level limits"
    ):
        MinimalityAttack().run(publication, limited, making)


def test_withheld_records_are_no_targets():
    data = table([(integers("age", [20, 30]), [0, 0, 1, 1, 1, 1])], [(DISEASE, [0, 0, 1, 2, 3, 3])])
    publication, making = released(data, Mondrian(), lk.DistinctLDiversity(2))
    plan = making.plan.withhold(np.arange(6) == 5, Reason("chosen", "chosen"))
    publication, _, plan = publish(GeneralizedForm(), data, plan)
    found = MinimalityAttack().run(publication, data, replace(making, plan=plan))
    assert found.details["targets"] == 5
    assert found.success == pytest.approx((2 * 1 + 3 * 1 / 3) / 5)
    assert isinstance(Rerun(making, data, np.random.default_rng(0)).data.size, int)


def test_large_tables_are_imagined_fewer_times():
    attack = MinimalityAttack()
    assert [attack.runs(n) for n in (1, 200_000, 400_000, 1_000_000, 10**8)] == [10, 10, 5, 2, 2]
    assert MinimalityAttack(simulations=6).runs(10**8) == 6


@pytest.mark.parametrize("seed", range(3))
def test_slow_methods_are_run_fewer_times_and_it_is_said(monkeypatch, seed):
    rng = np.random.default_rng(seed)
    ages = integers("age", list(range(40)))
    data = table([(ages, rng.integers(0, 40, 120).tolist())], [(DISEASE, rng.integers(0, 4, 120).tolist())])
    publication, making = released(data, KMember(), lk.DistinctLDiversity(2))
    work = making.method.work(data, making.requirements)
    assert MinimalityAttack().run(publication, data, making).details["simulations"] == 10
    monkeypatch.setattr(minimality, "_WORK_OF_SIMULATIONS", 3 * work)
    found = MinimalityAttack().run(publication, data, making)
    assert found.details["simulations"] == 3
    assert found == MinimalityAttack(simulations=3).run(publication, data, making)
    monkeypatch.setattr(minimality, "_WORK_OF_SIMULATIONS", 1)
    assert MinimalityAttack().run(publication, data, making).details["simulations"] == 2


def test_how_many_arrangements_were_tried_is_said():
    data = table([(integers("age", [20, 30]), [0, 0, 1, 1])], [(DISEASE, [0, 1, 0, 1])])
    found = attack(data, Mondrian(), lk.DistinctLDiversity(2), classes=None)
    # Two classes of two values each, or one of four in all their arrangements.
    assert found.details["arrangements"] == (2 + 2 if found.details["classes"] == 2 else 6)
    assert found.details["exact"] == 1


@pytest.mark.parametrize(
    "given_", [{"classes": 0}, {"permutations": 1}, {"simulations": 0}, {"whole_table": 1}, {"seed": -1}]
)
def test_parameters_out_of_range(given_):
    with pytest.raises(lk.PolicyError, match="minimality: "):
        MinimalityAttack(**given_)
