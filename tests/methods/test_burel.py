from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.methods.burel_phases import as_counter, phases
from tests.methods.problems import histograms, plain_set, problem, same, sizes, table
from tests.oracles.models import beta_likeness

from likeness.datasets.census import salary_counts
from likeness.errors import PolicyError
from likeness.methods.burel import Burel
from likeness.methods.burel.buckets import bi_split
from likeness.microdata.data import Microdata
from likeness.models.basic_beta_likeness import BasicBetaLikeness
from likeness.models.beta_likeness import BetaLikeness
from likeness.models.distinct_l_diversity import DistinctLDiversity
from likeness.models.k_anonymity import KAnonymity
from likeness.models.t_closeness import TCloseness

EASY = settings(deadline=None, max_examples=60)
COUNTS = st.lists(st.integers(1, 30), min_size=1, max_size=9)
BETAS = st.sampled_from(["1/2", 1, 2, 4])
PAPER = Burel("paper")
VARIANTS = [
    PAPER,
    Burel(retrieve="nearest"),
    Burel(strict=True),
    Burel("paper", min_size=4),
    Burel(refine="hilbert"),
    Burel(refine="mondrian"),
    Burel(retrieve="nearest", refine="hilbert", min_size=3),
    Burel(refine="exchange"),
    Burel(buckets="slack"),
    Burel("mirror"),
    Burel("mirror", buckets="fewest", min_size=3),
    Burel("mirror", refine="mondrian"),
    Burel(),
    Burel(min_size=4),
    Burel(loss="glm"),
]
DEALT = [method for method in VARIANTS if method.setting.get("assembly") == "nearest"]


class TestPaperExamples:
    def test_example_2(self):
        # headache 2, epilepsy 3, brain tumors 3, anemia 3, angina 4, heart murmur 4; Cao & Karras 2012, Example 2
        buckets, leaves = phases([2, 3, 3, 3, 4, 4], 2)
        assert buckets.values == [[0, 1], [2, 3], [4, 5]]
        assert buckets.sizes.tolist() == [5, 6, 8]
        assert [round(float(limit), 6) for limit in buckets.limits] == [0.315789, 0.449341, 0.538557]
        assert as_counter(leaves) == Counter([(1, 1, 2), (1, 2, 2), (3, 3, 4)])

    def test_example_2_as_a_plan(self):
        data = table([2, 3, 3, 3, 4, 4])
        plan = PAPER.run(problem(data, BetaLikeness(2)))
        assert sorted(sizes(plan)) == [4, 5, 10]
        assert plan.history["buckets"] == [
            ["disease0", "disease1"],
            ["disease2", "disease3"],
            ["disease4", "disease5"],
        ]
        vectors = [leaf["drawn"] for leaf in plan.history["leaves"]]
        assert sorted(vectors) == [[1, 1, 2], [1, 2, 2], [3, 3, 4]]

    def test_example_1_needs_at_most(self):
        # Six singletons, β = 1: the share of two values is f(1/6) = 2/6; Cao & Karras 2012, Example 1
        assert len(phases([1] * 6, 1)[0].values) == 3
        assert len(phases([1] * 6, 1, strict=True)[0].values) == 6
        data = table([1] * 6)
        plan = PAPER.run(problem(data, BetaLikeness(1)))
        assert sizes(plan).tolist() == [3, 3]
        assert all(max(counts) == 1 for counts in histograms(data, plan))
        assert Burel(strict=True).run(problem(data, BetaLikeness(1))).count == 1

    def test_paper_000_example_1(self):
        # Flu 6, HIV 4, Hyp 8, BT 8; Amiri et al. 2016, Example 1
        buckets, leaves = phases([6, 4, 8, 8], 2)
        assert buckets.values == [[1, 0], [2, 3]]
        assert buckets.sizes.tolist() == [10, 16]
        half = bi_split(np.array([5, 8]), buckets.limits)
        assert as_counter(half) == Counter({(3, 4): 1, (1, 2): 2})
        assert as_counter(leaves) == Counter({(3, 4): 2, (1, 2): 4})

    @pytest.mark.parametrize("strict", [False, True])
    @pytest.mark.parametrize("counted", ["floors", "largest remainders"])
    def test_salaries_of_census(self, counted: str, *, strict: bool):
        # Shares like salaries. The leaves are those of the floors of the shares, whose sum is the table's size; the
        # generated census gives the 25 records that floors leave over to the largest remainders.
        counts = sorted(salary_counts(500_000).tolist())
        found = [2060, 1668, 1163, 742, 216]
        if counted == "floors":
            counts = [int(500_000 * (0.002018 + 0.046384 * (i / 49) ** 1.595179)) for i in range(50)]
            found = [2009, 1668, 1147, 746, 218]
        made = [phases(counts, beta, strict=strict) for beta in range(1, 6)]
        assert [len(buckets.values) for buckets, _ in made] == [50, 25, 17, 13, 13]
        assert [leaves.count for _, leaves in made] == found


class TestPlans:
    @pytest.mark.parametrize("method", VARIANTS, ids=repr)
    @settings(deadline=None, max_examples=25)
    @given(counts=COUNTS, beta=BETAS, seed=st.integers(0, 99), missing=st.booleans())
    def test_every_class_holds_and_nobody_is_lost(
        self, method: Burel, counts: list[int], beta: object, seed: int, missing: bool
    ):
        data = table(counts, seed, missing=missing)
        plan = method.run(problem(data, BetaLikeness(beta), seed=seed))  # type: ignore[arg-type]
        if plan.withheld:
            assert data.size < method.min_size
            assert plan.withheld_because == {
                f"the whole table as one class does not hold min_size = {method.min_size}": data.size
            }
            return
        for counted in histograms(data, plan):
            assert sum(counted) >= method.min_size
            assert beta_likeness(counted, counts, data.sensitive[0], beta=beta)

    @EASY
    @given(COUNTS, BETAS, st.integers(0, 99))
    def test_classes_draw_what_the_leaves_say(self, counts: list[int], beta: object, seed: int):
        data = table(counts, seed)
        plan = PAPER.run(problem(data, BetaLikeness(beta), seed=seed))  # type: ignore[arg-type]
        buckets, leaves = phases(counts, beta)
        drawn = Counter(
            tuple(sum(counted[code] for code in values) for values in buckets.values)
            for counted in histograms(data, plan)
        )
        assert drawn == as_counter(leaves)

    @pytest.mark.parametrize("method", [PAPER, Burel("mirror"), Burel()], ids=repr)
    def test_basic_beta_likeness_and_other_bounds(self, method: Burel):
        counts = [5, 9, 20, 31, 60]
        data = table(counts)
        plan = method.run(problem(data, BasicBetaLikeness(2)))
        for counted in histograms(data, plan):
            assert all(q * 125 <= 3 * p * sum(counted) for q, p in zip(counted, counts, strict=True))
        assert plan.count > 1
        bound = BetaLikeness(bound=lambda p: min(Fraction(1), 2 * p))
        plan = method.run(problem(data, bound))
        for counted in histograms(data, plan):
            assert all(q * 125 <= 2 * p * sum(counted) for q, p in zip(counted, counts, strict=True))
        assert plan.count > 1

    @pytest.mark.parametrize("method", VARIANTS, ids=repr)
    def test_same_seed_same_plan(self, method: Burel):
        data = table([40, 60, 90, 100])
        one, two, other = (method.run(problem(data, BetaLikeness(2), seed=s)) for s in (1, 1, 2))
        assert same(one, two)
        # Only seeds of classes are drawn at random.
        assert same(one, other) != (method in DEALT)

    def test_classes_are_compact(self):
        data = table([2000, 3000, 5000], numbers=1000)
        spread = {}
        for method in (Burel(retrieve="hilbert"), Burel(retrieve="nearest")):
            plan = method.run(problem(data, BetaLikeness(2)))
            assert plan.count > 1000
            ages = data.codes[0].astype(float)
            mean = np.bincount(plan.classes, ages) / sizes(plan)
            spread[str(method.retrieve)] = float(np.abs(ages - mean[plan.classes]).mean())
        # Dealt at random, ages would lie about 200 from their class's mean.
        assert spread["nearest"] < spread["hilbert"] < 120

    def test_one_sensitive_value(self):
        data = table([37])
        assert PAPER.run(problem(data, BetaLikeness(4))).count == 37
        plan = Burel("paper", min_size=5).run(problem(data, BetaLikeness(4)))
        assert sorted(sizes(plan)) == [5, 5, 9, 9, 9]

    def test_missing_sensitive_category_counts_as_a_value(self):
        data = table([10, 20, 30])
        codes = data.sensitive_codes
        domain = plain_set("disease", 2, missing=True)
        data = Microdata(data.quasi, data.codes, (domain,), codes, data.rows)
        plan = PAPER.run(problem(data, BetaLikeness(1)))
        assert plan.history["buckets"][-1] == ["missing"]
        for counted in histograms(data, plan):
            assert beta_likeness(counted, [10, 20, 30], domain, beta=1)

    def test_empty_table(self):
        data = table([3]).take(np.zeros(0, np.int64))
        assert PAPER.run(problem(data, BetaLikeness(1))).classes.size == 0


class TestOtherRequirements:
    def test_k_anonymity_limits_the_halving(self):
        data = table([30, 40, 50, 60])
        for k in (1, 7, 30, 180):
            plan = PAPER.run(problem(data, BetaLikeness(2), KAnonymity(k)))
            option = Burel("paper", min_size=k).run(problem(data, BetaLikeness(2)))
            assert same(plan, option)
            assert sizes(plan).min() >= k
        assert plan.count == 1

    @pytest.mark.parametrize("method", [PAPER, Burel("mirror"), Burel()], ids=repr)
    def test_k_above_the_table(self, method: Burel):
        data = table([3, 4])
        plan = method.run(problem(data, BetaLikeness(2), KAnonymity(8)))
        assert plan.withheld == 7
        assert plan.withheld_because == {"the whole table as one class does not hold k-anonymity": 7}

    @pytest.mark.parametrize("method", [PAPER, *VARIANTS[4:6], *VARIANTS[7:]], ids=repr)
    @settings(deadline=None, max_examples=25)
    @given(counts=st.lists(st.integers(2, 60), min_size=3, max_size=6), seed=st.integers(0, 99))
    def test_failing_classes_are_joined(self, method: Burel, counts: list[int], seed: int):
        data = table(counts, seed)
        asked = problem(data, BetaLikeness(4), DistinctLDiversity(3), TCloseness("3/10"), seed=seed)
        plan = method.run(asked)
        assert plan.withheld == 0
        assert asked.holding(plan.classes, plan.count).all()
        for counted in histograms(data, plan):
            assert sum(count > 0 for count in counted) >= 3
            assert beta_likeness(counted, counts, data.sensitive[0], beta=4)

    def test_joining_does_not_swallow_the_table(self):
        data = table([400, 400, 100, 100])
        alone = PAPER.run(problem(data, BetaLikeness(4)))
        diverse = PAPER.run(problem(data, BetaLikeness(4), DistinctLDiversity(3)))
        assert alone.count > diverse.count > alone.count / 10

    def test_what_even_one_class_cannot_hold(self):
        data = table([30, 40])
        plan = Burel(refine="hilbert").run(problem(data, BetaLikeness(1), DistinctLDiversity(3)))
        assert plan.withheld == 70
        assert list(plan.withheld_because) == [
            "the whole table as one class does not hold distinct-l-diversity on 'disease'"
        ]

    @pytest.mark.parametrize("method", [PAPER, Burel("mirror"), Burel()], ids=repr)
    def test_negative_gain(self, method: Burel):
        data = table([100, 200, 300])
        asked = problem(data, BetaLikeness(2, negative="1/2"))
        plan = method.run(asked)
        assert 1 < plan.count < method.run(problem(data, BetaLikeness(2))).count
        for counted in histograms(data, plan):
            assert all(2 * 600 * q >= p * sum(counted) for q, p in zip(counted, [100, 200, 300], strict=True))

    @pytest.mark.parametrize("method", [PAPER, Burel("mirror"), Burel()], ids=repr)
    def test_known_sensitive_values(self, method: Burel):
        # Within a class, those who share the known value are a class of their own to the adversary.
        data = table([60, 60])
        other = np.arange(120, dtype=np.int32) % 2
        both = np.array([data.sensitive_codes[0], other])
        data = Microdata(data.quasi, data.codes, (*data.sensitive, plain_set("cost", 2)), both, data.rows)
        asked = problem(data, BetaLikeness("1/2", sensitive="disease"))
        plan = method.run(asked)
        assert plan.count > 1
        assert asked.holding(plan.classes, plan.count).all()

    def test_without_beta_likeness(self):
        data = table([3, 4])
        for models in ([KAnonymity(2)], [KAnonymity(2), TCloseness("1/5")], []):
            with pytest.raises(PolicyError, match="burel: needs beta-likeness or basic-beta-likeness"):
                Burel().run(problem(data, *models))


class TestRefinement:
    @pytest.mark.parametrize("refine", ["hilbert", "mondrian", "exchange"])
    @settings(deadline=None, max_examples=25)
    @given(counts=st.lists(st.integers(5, 60), min_size=2, max_size=8), seed=st.integers(0, 99))
    def test_classes_are_parts_of_the_literal_ones(self, refine: str, counts: list[int], seed: int):
        data = table(counts, seed)
        literal = PAPER.run(problem(data, BetaLikeness(2), KAnonymity(2), seed=seed))
        refined = Burel(refine=refine).run(problem(data, BetaLikeness(2), KAnonymity(2), seed=seed))
        pairs = set(zip(refined.classes.tolist(), literal.classes.tolist(), strict=True))
        assert len(pairs) == refined.count >= literal.count
        assert refined.withheld == 0
        assert sizes(refined).min() >= 2

    @pytest.mark.parametrize("refine", ["hilbert", "mondrian", "exchange"])
    def test_finds_more_classes(self, refine: str):
        # DP leaves no slack here, as in the paper's own data.
        data = table([20, 30, 50, 80, 130, 200, 300], numbers=40)
        literal = PAPER.run(problem(data, BetaLikeness(4)))
        assert Burel(refine=refine).run(problem(data, BetaLikeness(4))).count > literal.count


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"retrieve": "hilber"}, "burel: retrieve must be one of hilbert, nearest.*did you mean 'hilbert'"),
        ({"min_size": 0}, "burel: min_size must be a whole number of at least 1; got 0"),
        ({"strict": "yes"}, "burel: strict must be true or false; got 'yes'"),
        ({"refine": "all"}, "burel: refine must be one of none, hilbert, mondrian, exchange"),
        ({"variant": "papr"}, "burel: variant must be one of best, mirror, paper.*did you mean 'paper'"),
        ({"buckets": "few"}, "burel: buckets must be one of fewest, slack"),
        ({"assembly": "far"}, "burel: assembly must be one of nearest, mirror"),
        ({"loss": "nc"}, "burel: loss must be one of glm, ncp, iloss"),
        ({"variant": "best", "strict": False}, "burel: strict is about drawing from buckets.*best has none"),
        ({"variant": "mirror", "retrieve": "hilbert"}, "burel: retrieve says how the assembly nearest"),
    ],
)
def test_options(option: dict[str, object], message: str):
    with pytest.raises(PolicyError, match=message):
        Burel(**option)  # type: ignore[arg-type]
