"""k-anonymity-primacy: equal to the letter record by record; nobody is lost; what a steward sees."""

from __future__ import annotations

import math
from dataclasses import replace
from time import process_time
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.methods.problems import number, plain_set, problem, tree
from tests.oracles import primacy as letter

import likeness as lk
from likeness.datasets import files
from likeness.methods._refining import LaidOutRecords
from likeness.methods.k_anonymity_primacy import KAnonymityPrimacy
from likeness.metrics.base import Evaluation
from likeness.metrics.rgcp import Rgcp
from likeness.microdata.data import Microdata
from likeness.microdata.regions import LOSSES, recode

if TYPE_CHECKING:
    from collections.abc import Callable

    from likeness.methods.base import Problem

EASY = settings(deadline=None, max_examples=60)


@st.composite
def tables(draw: st.DrawFn) -> Microdata:
    """Up to 40 records of all kinds of columns, many of them alike."""
    missing = draw(st.booleans())
    # Places of 0, 1/8 … 1: sums of them are exact, so that no tie is decided by rounding.
    domains = (number("age", 9, missing=missing), tree("work", missing=missing), plain_set("sex", 3))
    quasi = domains[: draw(st.integers(1, 3))]
    n = draw(st.integers(1, 40))
    rng = np.random.default_rng(draw(st.integers(0, 100_000)))
    codes = np.array([rng.integers(0, domain.codes, n) for domain in quasi], np.int32)
    m = draw(st.integers(1, 5))
    share = np.arange(1, m + 1) ** draw(st.integers(0, 2))
    sick = rng.choice(m, n, p=share / share.sum()).astype(np.int32)
    used, sick = np.unique(sick, return_inverse=True)
    return Microdata(
        quasi, codes, (plain_set("disease", used.size),), sick[None].astype(np.int32), np.arange(n)
    )


def holding(asked: Problem) -> Callable[[list[int]], bool]:
    def holds(records: list[int]) -> bool:
        classes = np.full(asked.data.size, -1, np.int64)
        classes[records] = 0
        return bool(asked.holding(classes, 1)[0])

    return holds


def same(clusters, expected) -> None:
    """Equal clusters, whatever their order: merging names a union after the one that was farther off."""
    found = clusters.by_record
    mine = sorted(
        (np.flatnonzero(found == cluster).tolist(), bool(held)) for cluster, held in enumerate(clusters.holds)
    )
    assert mine == sorted((sorted(records), held) for records, held in expected)


@given(data=tables(), k=st.integers(1, 5), beta=st.sampled_from(["0.5", 1, 3]), two=st.booleans())
@EASY
def test_under_beta_likeness_it_is_the_letter(data, k, beta, two):
    k = min(k, data.size)
    asked = problem(data, lk.KAnonymity(k), lk.BetaLikeness(beta))
    holds, off = holding(asked), letter.gain(data)
    expected = letter.generated(data, k, holds, off, two=two)
    made = LaidOutRecords.of(asked).generated(k, two=two)
    for cluster, (records, held) in enumerate(expected):
        assert sorted(np.flatnonzero(made.by_record == cluster)) == sorted(records)
        assert made.holds[cluster] == held
        assert made.excess[cluster] == pytest.approx(float(off(records)), rel=1e-12)
    for published in (False, True):
        merged = made.merged(LOSSES["ncp"], published=published)
        same(merged, letter.merged(data, expected, holds, off, published=published))
    same(made.grown(k), letter.grown(data, expected, k, holds, off))


def earth(data: Microdata) -> letter.Off:
    whole = np.bincount(data.sensitive_codes[0])

    def off(records: list[int]) -> float:
        counts = np.bincount(data.sensitive_codes[0][records], minlength=whole.size)
        return round(float(np.abs(counts / len(records) - whole / data.size).sum()) / 2 / 0.3, 9)

    return off


def few(data: Microdata) -> letter.Off:
    return lambda records: 3 / len(set(data.sensitive_codes[0][records].tolist()))


def uneven(data: Microdata) -> letter.Off:
    def off(records: list[int]) -> float:
        counts = np.bincount(data.sensitive_codes[0][records])
        return round(-sum(c * math.log(c / len(records)) for c in counts.tolist() if c) / len(records), 9)

    return lambda records: math.exp(math.log(2.5) - off(records))


def often(data: Microdata) -> letter.Off:
    def off(records: list[int]) -> float:
        counts = sorted(np.bincount(data.sensitive_codes[0][records], minlength=2).tolist())
        tail = len(records) - counts[-1]
        return counts[-1] / (2 * tail) if tail else math.inf

    return off


def shares(data: Microdata) -> letter.Off:
    def off(records: list[int]) -> float:
        return max(np.bincount(data.sensitive_codes[0][records]).tolist()) / len(records) / 0.5

    return off


OTHERS = (
    ((lk.TCloseness("0.3", distance="equal"),), earth),
    ((lk.DistinctLDiversity(3),), few),
    ((lk.EntropyLDiversity("2.5"),), uneven),
    ((lk.RecursiveClDiversity(c=2, l=2),), often),
    ((lk.AlphaKAnonymity(alpha="0.5", k=2),), shares),
    ((lk.TCloseness("0.3", distance="equal"), lk.DistinctLDiversity(3)), None),
)


@pytest.mark.parametrize(("models", "measure"), OTHERS)
@given(data=tables(), k=st.integers(1, 5))
@settings(deadline=None, max_examples=15)
def test_under_other_guarantees_it_is_the_letter_too(models, measure, data, k):
    k = min(k, data.size)
    asked = problem(data, lk.KAnonymity(k), *models)
    off = measure(data) if measure else lambda records: max(earth(data)(records), few(data)(records))
    expected = letter.generated(data, k, holding(asked), off)
    made = LaidOutRecords.of(asked).generated(k, two=True)
    found = np.full(data.size, -1)
    for cluster, (records, _) in enumerate(expected):
        found[records] = cluster
    assert made.by_record.tolist() == found.tolist()
    assert made.holds.tolist() == [held for _, held in expected]


@given(data=tables(), k=st.integers(1, 5), rest=st.sampled_from(["agglomerative", "incremental"]))
@EASY
def test_absorbing_publishes_everybody_wherever_one_class_would_do(data, k, rest):
    asked = problem(data, lk.KAnonymity(k), lk.BetaLikeness(1))
    plan = KAnonymityPrimacy(rest=rest).run(asked)
    assert plan.published.all() == asked.holding(np.zeros(data.size, np.int64), 1).all()
    assert asked.holding(plan.classes, plan.count).all()


@given(data=tables(), k=st.integers(1, 5), rest=st.sampled_from(["agglomerative", "incremental"]))
@EASY
def test_the_cheapest_withholds_what_it_may_where_that_lowers_rgcp(data, k, rest):
    asked = replace(problem(data, lk.KAnonymity(k), lk.BetaLikeness(1)), allowance=data.size // 3)
    every = KAnonymityPrimacy(rest=rest).run(asked)
    plan = KAnonymityPrimacy(rest=rest, leftover="cheapest").run(asked)
    assert asked.holding(plan.classes, plan.count).all()
    assert plan.withheld == sum(plan.because.values())
    costs = [Rgcp().measure(Evaluation(data, *recode(data, one))) for one in (plan, every)]
    assert costs[0] <= costs[1] + 1e-9
    if every.published.all():
        assert plan.withheld <= asked.allowance
        assert (plan.withheld > 0) == (costs[0] < costs[1] - 1e-9) or costs[0] == pytest.approx(costs[1])
    nobody = KAnonymityPrimacy(rest=rest, leftover="cheapest").run(replace(asked, allowance=0))
    assert nobody.classes.tolist() == every.classes.tolist()


def test_one_rare_value_is_cheaper_withheld():
    # Somebody of the one rare value needs everybody: withheld, the others are classes of three.
    ages = number("age", 31)
    codes = np.array([[*range(30), 30]], np.int32)
    sick = np.array([[*([0, 1, 2] * 10), 3]], np.int32)
    data = Microdata((ages,), codes, (plain_set("disease", 4),), sick, np.arange(31))
    asked = problem(data, lk.KAnonymity(3), lk.BetaLikeness("0.5"))
    assert KAnonymityPrimacy().run(asked).withheld == 0
    plan = KAnonymityPrimacy(leftover="cheapest").run(replace(asked, allowance=4))
    assert plan.classes[30] == -1
    assert [reason.name for reason in plan.because] == ["cheaper-withheld"]


def test_one_exchange_by_hand():
    # The three nearest to 0 are all ill; the nearest of the others, at 3, comes in, and the farthest of them, at 2, leaves.
    ages = number("age", 12)
    codes = np.array([[0, 1, 2, 3, 3, 4, 4]], np.int32)
    sick = np.array([[0, 0, 0, 1, 1, 1, 1]], np.int32)
    data = Microdata((ages,), codes, (plain_set("disease", 2),), sick, np.arange(7))
    asked = problem(data, lk.KAnonymity(3), lk.AlphaKAnonymity(alpha="0.7", k=1))
    made = LaidOutRecords.of(asked).generated(3, two=False)
    assert made.by_record.tolist() == [0, 0, 1, 0, 1, 1, 1]


def table(rows: int = 600) -> pl.DataFrame:
    rng = np.random.default_rng(5)
    age = rng.integers(20, 80, rows)
    risk = np.clip((age - 20) / 60, 0.05, 0.95)
    illness = np.where(rng.random(rows) < risk, "heart", rng.choice(["flu", "cold", "none"], rows))
    return pl.DataFrame({"age": age, "sex": rng.choice(["f", "m"], rows), "illness": illness})


COLUMNS = {"age": lk.quasi(), "sex": lk.quasi(), "illness": lk.sensitive()}


@pytest.mark.parametrize("rest", ["agglomerative", "incremental"])
def test_a_release_against_what_is_known(rest):
    policy = lk.Policy(
        columns=COLUMNS,
        privacy=lk.KAnonymity(4) & lk.BetaLikeness(2) & lk.JsBackground("0.2"),
        method=KAnonymityPrimacy(rest=rest),
        knowledge={"kernel": {"bandwidth": 0.3}},
        withhold={"at_most": 0.3},
    )
    release = lk.anonymize(table(), policy, seed=1)
    assert release.verify().ok
    assert release.counts["published"] >= 420


def test_suppressing_is_the_letter_and_asks_for_the_original():
    policy = {
        "columns": COLUMNS,
        "method": KAnonymityPrimacy(leftover="suppress"),
        "withhold": {"at_most": 1},
    }
    original = lk.BetaLikeness("0.8", reference="original")
    release = lk.anonymize(table(), lk.Policy(privacy=lk.KAnonymity(4) & original, **policy), seed=1)
    assert release.counts["withheld"]
    with pytest.raises(
        lk.PolicyError, match=r"k-anonymity-primacy: leftover: suppress .* reference: original"
    ):
        lk.anonymize(table(), lk.Policy(privacy=lk.KAnonymity(4) & lk.BetaLikeness("0.8"), **policy))


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        ({"k": 0}, "k must be"),
        ({"rest": "some"}, "rest must be"),
        ({"leftover": "keep"}, "leftover must be"),
        ({"seeds": 2}, "seeds must be"),
        ({"loss": "all"}, "loss must be"),
    ],
)
def test_bad_parameters_say_what_they_must_be(given_, message):
    with pytest.raises(lk.PolicyError, match=f"k-anonymity-primacy: {message}"):
        KAnonymityPrimacy(**given_)


ADULT = {name: lk.quasi() for name in ("age", "sex", "education")} | {"occupation": lk.sensitive()}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("k", "leftover", "reference", "least", "most"),
    [
        (5, "absorb", "published", 0, 0),
        (5, "suppress", "original", 0.25, 0.35),
        (20, "suppress", "original", 0.02, 0.04),
    ],
)
def test_all_of_adult_given_what_neighbours_tell(data_folder, k, leftover, reference, least, most):
    table = files.adult(data_folder, part="all").select(*ADULT)
    policy = lk.Policy(
        columns=ADULT,
        privacy=lk.KAnonymity(k) & lk.BetaLikeness(3, reference=reference) & lk.JsBackground("0.8"),
        method=KAnonymityPrimacy(leftover=leftover),
        knowledge={"kernel": {"bandwidth": 0.3}},
        withhold={"at_most": 0.5},
    )
    lk.anonymize(table.head(500), policy, seed=1)  # kernels are loaded
    numbers = np.random.default_rng(0).integers(0, 1 << 62, table.height)
    began = process_time()
    for _ in range(20):
        np.argsort(numbers)
    argsort = (process_time() - began) / 20
    began = process_time()
    release = lk.anonymize(table, policy, seed=1)
    print(f"k={k} {leftover}: {(process_time() - began) / argsort:.0f} argsorts of {table.height} numbers")
    assert table.height == 45_222
    assert least <= sum(release.counts["withheld"].values()) / table.height <= most
    if leftover == "absorb":
        assert release.loss("ncp")["ncp"] == pytest.approx(0.41, abs=0.02)
