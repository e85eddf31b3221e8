"""`strongest` and `weakest`: a bisection that returns a release which meets the goals, and claims no more."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import likeness as lk
from likeness.datasets.census import Census
from likeness.errors import CannotBeMetError, PolicyError
from likeness.progress import Progress
from likeness.searching.scale import Scale
from likeness.searching.search import _bisect

COLUMNS = {"age": lk.quasi(), "disease": lk.sensitive()}


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(3)
    disease = np.array(["flu", "cold", "hiv"])[rng.choice(3, 400, p=[0.6, 0.3, 0.1])]
    return pl.DataFrame({"age": rng.integers(20, 80, 400), "disease": disease})


def policy(privacy, **more):
    return lk.Policy(columns=COLUMNS, privacy=privacy, **more)


def test_the_largest_k_is_what_trying_all_finds(people):
    few = people[:60]
    found = lk.strongest(few, policy(lk.KAnonymity(2), effort="quick"), "k", loss={"ncp": 0.3}, seed=1)
    losses = {
        k: lk.anonymize(few, policy(lk.KAnonymity(k), effort="quick"), seed=1).loss("ncp")["ncp"]
        for k in range(1, 61)
    }
    assert losses[found.value] <= 0.3 < losses[found.value + 1]
    assert isinstance(found.value, int)
    assert found.next_tried.value == found.value + 1


def test_what_was_found_meets_the_goal_and_its_neighbour_does_not(people):
    found = lk.strongest(
        people,
        policy(lk.BetaLikeness(1), method=lk.Burel(variant="paper")),
        "beta",
        loss={"ail": 0.4},
        seed=1,
    )
    last = {one.value: one for one in found.tried}
    assert last[found.value].met
    assert found.release.loss("ail")["ail"] == last[found.value].reached["ail"] <= 0.4
    assert not found.next_tried.met
    assert found.next_tried.value < found.value <= found.next_tried.value * 1.0101
    # A stronger value that meets the goals would have been returned, had one been tried.
    assert not any(one.met and one.value < found.value for one in found.tried)


@pytest.mark.slow
def test_the_weakest_beta_with_a_closeness(people):
    asked = policy(lk.BetaLikeness(1), effort="quick")
    found = lk.weakest(people, asked, "beta", measured={"t-closeness.t": 0.15}, seed=1)
    assert max(one.value for one in found.tried if one.met) == found.value
    assert found.next_tried.value > found.value
    assert found.next_tried.reached["t-closeness.t"] > 0.15
    proof = lk.anonymize(people, policy(lk.BetaLikeness(found.value) & lk.TCloseness("0.15")), seed=1)
    assert proof.verify().ok


def test_several_goals_hold_together(people):
    found = lk.weakest(
        people,
        policy(lk.KAnonymity(1)),
        "k",
        measured={"t-closeness.t": 0.3, "k-anonymity.k": 20, lk.TCloseness(1, distance="equal"): 0.25},
        seed=1,
    )
    reached = next(one.reached for one in found.tried if one.value == found.value)
    assert reached["t-closeness.t"] <= 0.25
    assert reached["k-anonymity.k"] >= 20


def test_the_same_with_a_seed_and_the_policy_s_seed(people):
    words = ("beta",)
    wanted = {"loss": {"ail": 0.3}, "tolerance": 0.1}
    one = lk.strongest(
        people, policy(lk.BetaLikeness(2), method=lk.Burel(variant="paper")), *words, **wanted, seed=5
    )
    two = lk.strongest(
        people, policy(lk.BetaLikeness(9), method=lk.Burel(variant="paper"), seed=5), *words, **wanted
    )
    assert (one.value, one.tried) == (two.value, two.tried)
    assert one.release.table.equals(two.release.table)


def test_without_a_seed_the_release_is_the_one_measured(people):
    found = lk.strongest(
        people,
        policy(lk.BetaLikeness(2), method=lk.Burel(variant="paper")),
        "beta",
        loss={"ail": 0.3},
        tolerance=0.5,
    )
    reached = next(one.reached for one in found.tried if one.value == found.value)
    assert found.release.loss("ail") == reached


def test_the_whole_range_may_do(people):
    found = lk.strongest(people, policy(lk.KAnonymity(2)), "k", loss={"ncp": 1}, seed=1)
    assert (found.value, found.next_tried) == (400, None)
    assert "the end of the range" in repr(found)


@pytest.mark.slow
def test_unreachable_goals_say_what_was_reached(people):
    with pytest.raises(
        CannotBeMetError,
        match=r"none of 9 values tried \(0\.01 to 100\) .* at the weakest, 100, ncp = 0\.\d+",
    ):
        lk.strongest(people, policy(lk.BetaLikeness(2), effort="quick"), "beta", loss={"ncp": 0}, seed=1)
    with pytest.raises(CannotBeMetError, match=r"at the strongest, 0\.5, k-anonymity\.k = \d+; ask for less"):
        lk.weakest(
            people,
            policy(lk.BetaLikeness(2), effort="quick"),
            "beta",
            measured={"k-anonymity.k": 400},
            between=(0.5, 2),
            seed=1,
        )


def test_values_that_no_release_meets_are_kept_with_the_reason(people):
    found = lk.strongest(people, policy(lk.DistinctLDiversity(2)), "l", loss={"ncp": 1}, seed=1)
    assert found.value == 3
    assert "cannot be met" in found.next_tried.problem
    with pytest.raises(CannotBeMetError, match="there is no release: cannot be met"):
        lk.strongest(people, policy(lk.DistinctLDiversity(2)), "l", loss={"ncp": 1}, between=(5, 9))


@pytest.mark.parametrize("k", [2, 5])
def test_no_more_values_are_asked_for_than_there_are(people, k):
    """Among as many as there are records, only a few can be met, and a search from the strong end may miss them all."""
    table = people.with_columns(who=pl.Series([i // 2 for i in range(400)]))
    columns = {**COLUMNS, "who": lk.identifier()}
    asked = lk.Policy(columns=columns, privacy=lk.EirLDiversity(2), individual="who")
    found = lk.weakest(table, asked, "l", measured={"ir-k-anonymity.k": k}, seed=1)
    assert max(one.value for one in found.tried) == 3
    assert {one.value: one for one in found.tried}[found.value].reached["ir-k-anonymity.k"] >= k


def test_columns_that_were_renamed():
    table = pl.DataFrame({"age": list(range(30)), "bucket": ["a", "b", "c"] * 10})
    columns = {"age": lk.quasi(), "bucket": lk.sensitive()}
    asked = lk.Policy(columns=columns, privacy=lk.BetaLikeness(1, sensitive="bucket"))
    found = lk.strongest(table, asked, "beta", loss={"ncp": 0.2}, seed=1, tolerance=0.1)
    assert found.release.loss("ncp")["ncp"] <= 0.2
    near = lk.TCloseness(1, sensitive="bucket")
    other = lk.weakest(table, asked, "beta", measured={near: 0.2}, seed=1, tolerance=0.1)
    assert other.release.certificate.make_models()[0].sensitive == "bucket_original"
    assert max(one.reached[repr(near)] for one in other.tried if one.met) <= 0.2


def test_progress_counts_tries_and_hides_their_stages(people):
    class Heard(Progress):
        def __init__(self):
            self.heard = []

        def step(self, stage, done, total):
            self.heard.append((stage, done, total))

    heard = Heard()
    asked = policy(lk.KAnonymity(2), method=lk.Mondrian())
    found = lk.strongest(people, asked, "k", loss={"ncp": 0.3}, seed=1, progress=heard)
    assert {stage for stage, _, _ in heard.heard} == {"encode", "try"}
    steps = [(done, total) for stage, done, total in heard.heard if stage == "try"]
    assert [done for done, _ in steps] == list(range(len(found.tried)))
    assert all(done < total for done, total in steps)
    assert steps[-1][1] == len(found.tried)


def test_bad_parameters_are_found_before_the_table_is_read():
    with pytest.raises(PolicyError, match="no such parameter"):
        lk.strongest("nowhere.csv", policy(lk.KAnonymity(2)), "beta", loss={"ncp": 0.3})


class UpAndDown:
    """A search whose middle meets the goals, and neither end."""

    def __init__(self, low, high):
        self.low, self.high, self.asked, self.left = low, high, [], 0

    def meets(self, value):
        self.asked.append(value)
        return self.low <= value <= self.high


def test_a_search_whose_weak_end_fails_begins_at_the_weakest_value_that_does_not():
    scale = Scale(0.01, 100, False, False, 0.01)
    tries = UpAndDown(2, 20)
    value, beyond = _bisect(tries, scale, 100, 0.01)
    assert 2 <= value <= 2 * 1.01
    assert beyond < 2
    assert tries.asked[1] == 31.62
    assert _bisect(UpAndDown(50, 51), scale, 100, 0.01) is None
    assert _bisect(UpAndDown(0, 1), scale, 100, 0.01) == (0.01, None)


@pytest.mark.slow
def test_burel_loses_more_at_some_larger_beta_and_the_search_still_holds():
    table = Census().generate(20_000, seed=0)
    quasi = {"age", "gender", "education"}
    columns = {
        name: lk.quasi() if name in quasi else lk.sensitive() if name == "salary_class" else lk.drop()
        for name in table.columns
    }
    asked = lk.Policy(columns=columns, privacy=lk.BetaLikeness(1), method=lk.Burel(variant="paper"))
    for limit in (0.95, 0.8, 0.7):
        found = lk.strongest(table, asked, "beta", loss={"ail": limit}, seed=1, between=(0.5, 10))
        assert found.release.loss("ail")["ail"] <= limit
        assert found.next_tried is None or not found.next_tried.met
