"""t-closeness through microaggregation: equal to plain loops over records; the bound of t-first; what a steward sees."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.methods.problems import number, problem, table
from tests.methods.test_k_anonymity_primacy import earth, holding, tables
from tests.oracles import primacy as letter
from tests.oracles.mdav import Plain

import likeness as lk
from likeness.methods.mdav import Mdav
from likeness.methods.t_close_microaggregation import TCloseMicroaggregation, subsets
from likeness.microdata.data import Microdata

if TYPE_CHECKING:
    from collections.abc import Callable

EASY = settings(deadline=None, max_examples=50)
T = lk.TCloseness("0.3", distance="equal")


def classes_of(plan) -> list[list[int]]:
    return sorted(np.flatnonzero(plan.classes == i).tolist() for i in range(plan.count))


def merged(
    data: Microdata,
    made: list[list[int]],
    holds: Callable[[list[int]], bool],
    off: Callable[[list[int]], Any],
) -> list[list[int]]:
    """Merge the cluster that is farthest off with the one whose centre is nearest."""
    plain, clusters = Plain(data), dict(enumerate(made))
    while len(clusters) > 1:
        failing = [i for i, records in clusters.items() if not holds(records)]
        if not failing:
            break
        worst = max(failing, key=lambda i: (off(clusters[i]), -i))
        centre = plain.centre(clusters[worst])
        others = [i for i in clusters if i != worst]
        best = min(others, key=lambda i: (round(plain.distance(plain.centre(clusters[i]), centre), 9), i))
        clusters[worst] = clusters[worst] + clusters.pop(best)
    return sorted(map(sorted, clusters.values()))


@pytest.mark.parametrize("variant", ["merge", "k-first"])
@given(data=tables(), k=st.integers(1, 5))
@EASY
def test_clusters_and_their_merging_are_the_letter(variant, data, k):
    k = min(k, data.size)
    asked = problem(data, lk.KAnonymity(k), T)
    holds, off = holding(asked), earth(data)
    kept = (lambda _: True) if variant == "merge" else holds
    made = [records for records, _ in letter.generated(data, k, kept, off)]
    plan = TCloseMicroaggregation(variant=variant, k=k).run(asked)
    assert classes_of(plan) == merged(data, made, holds, off)


@given(data=tables(), k=st.integers(1, 6))
@settings(deadline=None, max_examples=30)
def test_without_anything_to_merge_it_is_mdav(data, k):
    asked = problem(data, lk.TCloseness(1, distance="equal"))
    mine = TCloseMicroaggregation(variant="merge", k=k).run(asked)
    assert mine.classes.tolist() == Mdav(k).run(problem(data, lk.KAnonymity(1))).classes.tolist()


def ranked(n: int, seed: int) -> Microdata:
    """Records of n different sensitive values."""
    rng = np.random.default_rng(seed)
    codes = np.array([rng.integers(0, 9, n), rng.integers(0, 5, n)], np.int32)
    quasi = (number("age", 9), number("size", 5))
    return Microdata(
        quasi, codes, (number("pay", n),), rng.permutation(n)[None].astype(np.int32), np.arange(n)
    )


def shared_out(data: Microdata, count: int) -> list[list[int]]:
    """One record of each of ``count`` subsets a cluster, two of those in the middle while they have too many."""
    plain = Plain(data)
    clusters, over = divmod(data.size, count)
    middle = [(count - 1) // 2, count // 2]
    sizes = [clusters] * count
    for i in range(over):
        sizes[middle[0] if count % 2 or i < over - over // 2 else middle[1]] += 1
    by_value = sorted(range(data.size), key=lambda record: int(data.sensitive_codes[0, record]))
    of = dict(zip(by_value, [s for s, size in enumerate(sizes) for _ in range(size)], strict=True))
    left = sorted(range(data.size), key=lambda record: (int(data.tuples.of[record]), record))
    found: list[list[int]] = []
    point: list[Any] = []
    while left:
        aim = plain.centre(left) if len(found) % 2 == 0 else point
        seed = max(left, key=lambda x: (round(plain.distance(plain.point(x), aim), 9), -left.index(x)))
        point = plain.point(seed)
        near = sorted(left, key=lambda x: (plain.distance(plain.point(x), point), left.index(x)))
        own = []
        for s in range(count):
            inside = [x for x in near if of[x] == s]
            own += inside[: 2 if len(inside) > clusters - len(found) else 1]
        found.append(own)
        left = [x for x in left if x not in own]
    return found


@pytest.mark.slow
@given(
    n=st.integers(2, 60),
    seed=st.integers(0, 1000),
    k=st.integers(1, 4),
    t=st.sampled_from(["0.05", "0.1", "0.3"]),
)
@EASY
def test_t_first_is_the_letter_and_its_bound_holds(n, seed, k, t):
    data = ranked(n, seed)
    k = min(k, n)
    asked = problem(data, lk.KAnonymity(k), lk.TCloseness(t, distance="ordered"))
    count = subsets(n, k, Fraction(t))
    made = shared_out(data, count)
    holds = holding(asked)
    if n % count == 0:
        # (n - k) / (2 (n - 1) k) bounds every cluster of one record of each subset.
        assert all(map(holds, made))
        assert classes_of(TCloseMicroaggregation(variant="t-first").run(asked)) == sorted(map(sorted, made))
    plan = TCloseMicroaggregation(variant="t-first").run(asked)
    assert asked.holding(plan.classes, plan.count).all()
    if all(map(holds, made)):
        assert classes_of(plan) == sorted(map(sorted, made))


def test_the_numbers_of_subsets_of_the_paper():
    assert [subsets(1080, 2, Fraction(t)) for t in ("0.05", "0.1", "0.25")] == [10, 5, 2]
    assert subsets(11, 4, Fraction(1)) == 5
    assert subsets(1, 1, Fraction(0)) == 1


@pytest.mark.slow
@pytest.mark.parametrize("variant", ["merge", "k-first", "t-first"])
def test_a_release_against_what_is_known(variant):
    rng = np.random.default_rng(4)
    age = rng.integers(20, 80, 300)
    pay = np.clip((age - 20) // 10 + rng.integers(0, 4, 300), 0, 8)
    frame = pl.DataFrame({"age": age, "sex": rng.choice(["f", "m"], 300), "pay": pay})
    policy = lk.Policy(
        columns={"age": lk.quasi(), "sex": lk.quasi(), "pay": lk.sensitive(kind="integer")},
        privacy=lk.KAnonymity(3) & lk.TCloseness("0.2", distance="ordered") & lk.JsBackground("0.5"),
        method=TCloseMicroaggregation(variant=variant),
        knowledge={"kernel": {"bandwidth": 0.3}},
        withhold={"at_most": 1},
    )
    release = lk.anonymize(frame, policy, seed=1)
    assert release.verify().ok
    assert release.counts["published"] > 0


@pytest.mark.parametrize(
    ("given_", "models", "message"),
    [
        ({"variant": "x"}, (), "variant must be"),
        ({"k": 0}, (), "k must be"),
        ({}, (lk.KAnonymity(2),), "needs t-closeness, and the guarantee is k-anonymity"),
        ({"variant": "t-first"}, (T,), "variant t-first sorts by the sensitive value"),
    ],
)
def test_what_it_cannot_do_it_says_in_one_line(given_, models, message):
    with pytest.raises(lk.PolicyError, match=f"t-close-microaggregation: {message}"):
        TCloseMicroaggregation(**given_).run(problem(table([3, 3]), *models))
