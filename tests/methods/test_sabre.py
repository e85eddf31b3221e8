from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.methods.problems import histograms, plain_set, problem, same, sizes, table
from tests.methods.sabre_cases import columns
from tests.models.tables import DISEASE_COUNTS, diseases, numbers
from tests.oracles.models import earth_movers_distance
from tests.oracles.sabre import Plain

import likeness as lk
from likeness.datasets.census import Census
from likeness.errors import PolicyError
from likeness.methods.sabre import Sabre
from likeness.microdata.data import Microdata
from likeness.models.beta_likeness import BetaLikeness
from likeness.models.distinct_l_diversity import DistinctLDiversity
from likeness.models.k_anonymity import KAnonymity
from likeness.models.requirements import require
from likeness.models.t_closeness import TCloseness

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likeness.methods.base import Problem
    from likeness.microdata.domain import Domain

VARIANTS = [
    Sabre(),
    Sabre(retrieve="nearest"),
    Sabre(bound="tight"),
    Sabre(bound="plain"),
    Sabre(buckets="fewest"),
    Sabre(retrieve="nearest", bound="plain", buckets="fewest"),
]
THRESHOLDS = st.sampled_from(["0", "1/20", "1/5", "1/3", "1/2", "1"])


def with_column(counts: Sequence[int], domain: Domain, seed: int = 0) -> Microdata:
    """A table whose sensitive column is the given one."""
    data = table(counts, seed, missing=seed % 2 == 1)
    return Microdata(data.quasi, data.codes, (domain,), data.sensitive_codes, data.rows)


class TestPlans:
    @pytest.mark.parametrize("method", VARIANTS, ids=repr)
    @settings(deadline=None, max_examples=30)
    @given(data=st.data())
    def test_every_class_holds_and_nobody_is_lost(self, method: Sabre, data):
        domain, distance = data.draw(columns())
        counts = data.draw(
            st.lists(st.integers(0, 30), min_size=domain.codes, max_size=domain.codes).filter(any)
        )
        t, seed = data.draw(THRESHOLDS), data.draw(st.integers(0, 99))
        microdata = with_column(counts, domain, seed)
        plan = method.run(problem(microdata, TCloseness(t, distance=distance), seed=seed))
        assert plan.withheld == 0
        for held in histograms(microdata, plan):
            assert earth_movers_distance(held, counts, domain, distance) <= Fraction(t)

    @pytest.mark.parametrize("bound", ["exact", "tight", "plain"])
    @settings(deadline=None, max_examples=30)
    @given(data=st.data())
    def test_classes_draw_what_the_plain_leaves_say(self, bound: str, data):
        domain, distance = data.draw(columns(5))
        counts = data.draw(
            st.lists(st.integers(0, 15), min_size=domain.codes, max_size=domain.codes).filter(any)
        )
        t, k = Fraction(data.draw(THRESHOLDS)), data.draw(st.integers(1, 5))
        microdata = with_column(counts, domain)
        asked = problem(microdata, TCloseness(t, distance=distance), KAnonymity(min(k, sum(counts))))
        plan = Sabre(bound=bound, buckets="fewest").run(asked)
        plain = Plain(counts, domain, distance, bound)
        buckets = plain.buckets(t)
        own = [sum(counts[code] for code in bucket) for bucket in buckets]
        drawn = Counter(
            tuple(sum(held[code] for code in bucket) for bucket in buckets)
            for held in histograms(microdata, plan)
        )
        assert drawn == Counter(plain.leaves(buckets, own, t, min(k, sum(counts))))

    def test_the_papers_diseases(self):
        # The hierarchy of Cao & Karras 2012, Example 2, ten times as many: 80 nervous, 110 circulatory.
        data = with_column([10 * n for n in DISEASE_COUNTS], diseases())
        plan = Sabre(buckets="fewest").run(problem(data, TCloseness("2/5")))
        assert plan.history["buckets"] == [
            ["headache", "epilepsy", "brain tumors"],
            ["anemia", "angina", "heart murmur"],
        ]
        drawn = [(leaf["drawn"], leaf["classes"]) for leaf in plan.history["leaves"]]
        assert sum(sum(vector) * times for vector, times in drawn) == 190
        assert plan.count == sum(times for _, times in drawn) > 20
        assert len(Sabre().run(problem(data, TCloseness("14/19"))).history["buckets"]) == 1

    def test_the_tighter_bound_finds_more_classes(self):
        data = with_column([n * 37 for n in (9, 8, 7, 6, 5, 4, 3, 2, 1)], numbers(list(range(9))))
        counts = {
            bound: Sabre(bound=bound, buckets="fewest").run(problem(data, TCloseness("1/20"))).count
            for bound in ("exact", "tight", "plain")
        }
        assert counts["exact"] > counts["tight"] > counts["plain"] > 1

    def test_the_fewest_buckets_may_leave_no_room(self):
        # At t = 1/4 the bound of two buckets is met with nothing to spare: no halving, though at 1/5 there are many.
        data = with_column([n * 37 for n in (9, 8, 7, 6, 5, 4, 3, 2, 1)], numbers(list(range(9))))
        asked = {t: problem(data, TCloseness(t)) for t in ("1/5", "1/4")}
        literal = {t: Sabre(buckets="fewest").run(asked[t]) for t in asked}
        assert (literal["1/4"].count, len(literal["1/4"].history["buckets"])) == (1, 2)
        assert literal["1/5"].count > 100
        slack = Sabre().run(asked["1/4"])
        assert slack.count > 100
        assert len(slack.history["buckets"]) == 3

    def test_t_0_gives_every_value_its_own_bucket(self):
        data = with_column([4, 8, 12], numbers([1, 2, 3]))
        plan = Sabre().run(problem(data, TCloseness(0)))
        assert plan.history["buckets"] == [["1"], ["2"], ["3"]]
        assert sorted(histograms(data, plan)) == [[1, 2, 3]] * 4
        data = with_column([4, 8, 13], numbers([1, 2, 3]))
        assert Sabre().run(problem(data, TCloseness(0))).count == 1

    def test_t_1_leaves_single_records(self):
        data = with_column([4, 8, 12], numbers([1, 2, 3]))
        assert Sabre().run(problem(data, TCloseness(1))).count == 24

    @pytest.mark.parametrize("method", VARIANTS, ids=repr)
    def test_same_seed_same_plan(self, method: Sabre):
        data = with_column([40, 60, 90, 100], numbers([1, 2, 3, 4]))
        one, two, other = (method.run(problem(data, TCloseness("1/5"), seed=s)) for s in (1, 1, 2))
        assert same(one, two)
        assert not same(one, other)

    def test_nearest_classes_are_more_compact(self):
        data = table([2000, 3000, 5000], numbers=1000)
        spread = {}
        for retrieve in ("hilbert", "nearest"):
            plan = Sabre(retrieve=retrieve).run(problem(data, TCloseness("1/5")))
            ages = data.codes[0].astype(float)
            mean = np.bincount(plan.classes, ages) / sizes(plan)
            spread[retrieve] = float(np.abs(ages - mean[plan.classes]).mean())
        # Dealt at random, ages would lie about 250 from their class's mean.
        assert spread["nearest"] < spread["hilbert"] < 150

    def test_one_sensitive_value(self):
        data = table([37])
        assert Sabre().run(problem(data, TCloseness(0))).count == 37
        assert sorted(sizes(Sabre().run(problem(data, TCloseness(0), KAnonymity(5))))) == [5, 5, 9, 9, 9]

    def test_missing_sensitive_category_counts_as_a_value(self):
        data = with_column([10, 20, 30], plain_set("disease", 2, missing=True))
        plan = Sabre().run(problem(data, TCloseness("1/10")))
        assert plan.history["buckets"] == [["disease0"], ["disease1"], ["missing"]]

    def test_empty_table(self):
        data = table([3]).take(np.zeros(0, np.int64))
        assert Sabre().run(problem(data, TCloseness(1))).classes.size == 0


class TestOtherRequirements:
    def test_k_anonymity_limits_the_halving(self):
        data = with_column([30, 40, 50, 60], numbers([1, 2, 3, 4]))
        for k in (1, 7, 30, 180):
            plan = Sabre().run(problem(data, TCloseness("1/4"), KAnonymity(k)))
            assert sizes(plan).min() >= k
        assert plan.count == 1

    def test_k_above_the_table(self):
        plan = Sabre().run(problem(table([3, 4]), TCloseness("1/4"), KAnonymity(8)))
        assert plan.withheld_because == {"the whole table as one class does not hold k-anonymity": 7}

    @settings(deadline=None, max_examples=30)
    @given(counts=st.lists(st.integers(1, 60), min_size=3, max_size=6), seed=st.integers(0, 99))
    def test_failing_classes_are_joined(self, counts: list[int], seed: int):
        data = with_column(counts, numbers(list(range(len(counts)))), seed)
        asked = problem(
            data,
            DistinctLDiversity(3),
            TCloseness("3/10"),
            TCloseness("1/2", distance="equal"),
            BetaLikeness(3),
            seed=seed,
        )
        plan = Sabre().run(asked)
        assert plan.withheld == 0
        assert asked.holding(plan.classes, plan.count).all()

    def test_what_even_one_class_cannot_hold(self):
        data = with_column([30, 40], numbers([1, 2]))
        plan = Sabre().run(problem(data, TCloseness("1/10"), DistinctLDiversity(3)))
        assert plan.withheld_because == {
            "the whole table as one class does not hold distinct-l-diversity on 'sensitive'": 70
        }

    def test_known_sensitive_values(self):
        data = table([60, 60])
        other = np.arange(120, dtype=np.int32) % 2
        both = np.array([data.sensitive_codes[0], other])
        data = Microdata(data.quasi, data.codes, (*data.sensitive, plain_set("cost", 2)), both, data.rows)
        asked = problem(data, TCloseness("1/4", sensitive="disease"))
        plan = Sabre().run(asked)
        assert plan.count > 1
        assert asked.holding(plan.classes, plan.count).all()

    @pytest.mark.parametrize("missing", [0, 1])
    def test_the_original_distribution_as_reference(self, missing: int):
        # Some records have been withheld, even all of one value; the distribution is still the whole table's.
        whole = with_column([40, 50, 60, 4], numbers([1, 2, 3, 4]))
        value = whole.sensitive_codes[0]
        here = whole.take(np.flatnonzero((value != 3) if missing else (np.arange(154) % 11 > 0)))
        asked = original(here, whole, TCloseness("1/4", reference="original"))
        plan = Sabre().run(asked)
        assert plan.withheld == 0
        assert plan.count > 5
        assert asked.holding(plan.classes, plan.count).all()

    def test_a_table_too_far_from_the_original(self):
        whole = with_column([50, 50], numbers([1, 2]))
        here = whole.take(np.flatnonzero(whole.sensitive_codes[0] == 0))
        plan = Sabre().run(original(here, whole, TCloseness("1/4", reference="original")))
        assert plan.withheld == here.size

    def test_without_t_closeness(self):
        data = table([3, 4])
        for models in ([KAnonymity(2)], [KAnonymity(2), BetaLikeness(1)], []):
            with pytest.raises(PolicyError, match=r"^sabre: needs t-closeness, and the guarantee is "):
                Sabre().run(problem(data, *models))

    def test_ordered_distances_have_no_place_for_missing_values(self):
        domain = replace(numbers([1, 2]), missing=True)
        with pytest.raises(PolicyError, match="no place for the missing values"):
            problem(with_column([3, 4, 5], domain), TCloseness("1/4"))


def original(here: Microdata, whole: Microdata, model: TCloseness) -> Problem:
    """Fewer records, compared with the whole table."""
    asked = problem(whole)
    bound = require([model], whole.sensitive, here.sensitive_codes, whole.sensitive_codes)
    return replace(asked, data=here, requirements=bound)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"retrieve": "hilber"}, "sabre: retrieve must be one of hilbert, nearest.*did you mean 'hilbert'"),
        ({"bound": "loose"}, "sabre: bound must be one of exact, tight, plain; got 'loose'"),
        ({"buckets": 7}, "sabre: buckets must be one of slack, fewest; got 7"),
    ],
)
def test_options(option: dict[str, object], message: str):
    with pytest.raises(PolicyError, match=message):
        Sabre(**option)  # type: ignore[arg-type]


@pytest.mark.parametrize("distance", ["ordered", "equal"])
@pytest.mark.parametrize("method", VARIANTS[:2], ids=repr)
def test_a_release_of_the_census_is_proven(method: Sabre, distance: str):
    made = Census()
    policy = made.policy(3) | {
        "privacy": [lk.TCloseness("0.2", distance=distance), lk.KAnonymity(5)],
        "method": method,
        "withhold": {"at_most": 0},
    }
    release = lk.anonymize(made.generate(5_000, seed=3), lk.Policy.from_mapping(policy), seed=1)
    assert release.table.height == 5_000
    assert release.certificate.classes > 1
    assert {entry["model"] for entry in release.certificate.guarantee} == {"t-closeness", "k-anonymity"}
