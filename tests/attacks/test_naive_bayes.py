"""Naive Bayes: the classifier against plain fractions, what β-likeness limits, and the paper's claim."""

from __future__ import annotations

from fractions import Fraction
from math import log

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.attacks.releases import COVERING, attacked
from tests.attacks.test_beliefs import published
from tests.forms.publications import integers, publish, table, words
from tests.oracles.attacks_guessing import PlainRelease, first_best
from tests.pace import argsorts

import likeness as lk
from likeness import registry
from likeness.attacks.naive_bayes import NaiveBayesAttack, classify, largest_lift
from likeness.attacks.naive_bayes import conditionals as _conditionals
from likeness.attacks.naive_bayes.conditionals import learn, learn_from_table
from likeness.forms.anatomized import AnatomizedForm
from likeness.forms.generalized import GeneralizedForm
from likeness.methods.burel import Burel

VARIANTS = ("counts", "laplace", "uniform")
EASY = settings(deadline=None, max_examples=25)
AGE = integers("age", [20, 25, 30, 60])
SEX = words("sex", ["f", "m"])
DISEASE = words("disease", ["cold", "flu", "hiv"])


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("form", COVERING)
@given(draw=st.data())
@EASY
def test_everybody_is_guessed_as_by_hand(form, variant, draw):
    found = draw.draw(attacked(form))
    data = found.data
    plain = PlainRelease(form, data, found.plan)
    tables = plain.naive_bayes(variant)
    learned = learn(found.publication, data, 0, variant)
    own = published(found)
    codes = learned.totals.size
    for mine, by_hand in zip(learned.shares(0, codes), tables, strict=True):
        shown = {v: own[v] for v in range(plain.values) if own[v] >= 0}
        for v, code in shown.items():
            assert mine[:, code] == pytest.approx([float(row[v]) for row in by_hand], rel=1e-9, abs=1e-12)
    guess, confidence = classify(learned, data.codes)
    result = NaiveBayesAttack(variant=variant).run(found.publication, data)
    right = 0
    for t, target in enumerate(plain.targets):
        scores = plain.score(target, tables)
        best = first_best(dict(enumerate(scores)), plain.likeliest)
        if form != "perturbed" or clear(scores):
            assert guess[t] == own[best]
        right += guess[t] == own[plain.truth[t]] >= 0
        if any(scores):
            assert confidence[t] == pytest.approx(float(max(scores) / sum(scores)))
    assert result.success == right / data.size
    counts = np.bincount(data.sensitive_codes[0])
    assert result.baseline == counts.max() / data.size


def clear(scores: list[Fraction]) -> bool:
    """Whether one value is better than all others by more than the rounding of reconstructed counts."""
    first, second = sorted(scores, reverse=True)[:2]
    return first > second * Fraction(1_000_001, 1_000_000)


@given(draw=st.data())
@EASY
def test_the_table_itself_is_learned_as_its_own_release(draw):
    """Classes of one record show every value exactly."""
    found = draw.draw(attacked("generalized"))
    data = found.data
    alone, _, _ = publish(GeneralizedForm(), data, list(range(data.size)))
    released = learn(alone, data, 0, "counts")
    own = learn_from_table(data, 0, range(len(data.quasi)), "counts")
    guess, _ = classify(released, data.codes)
    known, _ = classify(own, data.codes)
    to_published = data.sensitive[0].codes_in(alone.sensitive[0])
    assert guess.tolist() == to_published[known].tolist()
    assert largest_lift(released) == pytest.approx(largest_lift(own))
    result = NaiveBayesAttack().run(alone, data)
    assert result.success == result.details["learned_from_original"]


@given(draw=st.data())
@EASY
def test_few_values_at_a_time_are_guessed_the_same(draw):
    found = draw.draw(attacked(draw.draw(st.sampled_from(["generalized", "anatomized"]))))
    whole = NaiveBayesAttack().run(found.publication, found.data)
    most = _conditionals.MOST_CELLS
    _conditionals.MOST_CELLS = 1
    try:
        assert NaiveBayesAttack().run(found.publication, found.data) == whole
    finally:
        _conditionals.MOST_CELLS = most


def test_a_table_worked_out_by_hand():
    data = table([(AGE, [0, 1, 2, 3, 3, 2]), (SEX, [0, 1, 1, 0, 0, 1])], [(DISEASE, [0, 0, 1, 1, 1, 0])])
    publication, _, _ = publish(GeneralizedForm(), data, [0, 0, 0, 1, 1, 1])
    # Class 0: 20-30, {f, m}: cold 2, flu 1. Class 1: 30-60, {f, m}: cold 1, flu 2.
    learned = learn(publication, data, 0, "counts")
    age, sex = learned.shares(0, 2)
    assert age.tolist() == [[2 / 3, 1 / 3], [2 / 3, 1 / 3], [1, 1], [1 / 3, 2 / 3]]
    assert sex.tolist() == [[1, 1], [1, 1]]
    # Of 30 nothing is known: the first value.
    found = NaiveBayesAttack().run(publication, data)
    assert found.success == pytest.approx(5 / 6)
    assert found.baseline == 0.5
    assert found.details["largest_lift"] == pytest.approx(4 / 3)
    assert found.details["max_confidence"] == pytest.approx(2 / 3)
    assert found.details["most_frequent"] == pytest.approx(4 / 6)
    assert found.details["random_world"] == pytest.approx((4 + 1) / 9)
    uniform = learn(publication, data, 0, "uniform").shares(0, 2)[0]
    assert uniform.sum(axis=0) == pytest.approx([1, 1])
    laplace = learn(publication, data, 0, "laplace").shares(0, 2)[0]
    assert laplace[0].tolist() == [3 / 7, 2 / 7]


def test_what_is_impossible_leaves_the_most_frequent_value():
    # Somebody of 60 was withheld: no published record may be theirs.
    data = table([(AGE, [0, 0, 1, 3])], [(DISEASE, [1, 1, 0, 2])])
    publication, _, _ = publish(GeneralizedForm(), data, [0, 0, 1, -1])
    found = NaiveBayesAttack().run(publication, data)
    assert found.success == 3 / 4
    assert found.details["most_frequent"] == 3 / 4


def test_a_bucket_gives_everybody_its_shares():
    data = table([(AGE, [0, 1, 2, 3])], [(DISEASE, [0, 1, 0, 2])])
    publication, _, _ = publish(AnatomizedForm(), data, [0, 0, 1, 1])
    age = learn(publication, data, 0, "counts").shares(0, 3)[0]
    assert age.tolist() == [[0.25, 0.5, 0], [0.25, 0.5, 0], [0.25, 0, 0.5], [0.25, 0, 0.5]]


@pytest.mark.parametrize("beta", [1, 2, 4])
@given(draw=st.data())
@settings(deadline=None, max_examples=25)
def test_beta_likeness_limits_what_is_learned(beta, draw):
    """Equation 19: Pr[t_j|v] <= (1 + min{β, -ln p_v}) Pr[t_j]."""
    found = draw.draw(attacked("generalized"))
    data, plan = found.data, found.plan
    codes, kept = data.sensitive_codes[0], plan.published
    counts = np.bincount(codes[kept], minlength=data.sensitive[0].codes)
    total = max(1, int(counts.sum()))
    # Withhold nothing, but let only classes that hold be looked at: others are joined into one.
    caps = [1 + min(beta, -log(n / total)) if n else 1.0 for n in counts]
    classes = plan.classes.copy()
    for g in range(plan.count):
        own = np.bincount(codes[plan.classes == g], minlength=counts.size) / (plan.classes == g).sum()
        if any(q > cap * n / total for q, cap, n in zip(own, caps, counts, strict=True) if n):
            classes[plan.classes == g] = plan.count
    joined = np.bincount(codes[classes == plan.count], minlength=counts.size)
    if any(
        q / max(1, joined.sum()) > cap * n / total for q, cap, n in zip(joined, caps, counts, strict=True)
    ):
        classes[kept] = 0
    _, renumbered = np.unique(classes, return_inverse=True)
    publication, _, _ = publish(GeneralizedForm(), data, (renumbered - (classes.min() < 0)).tolist())
    learned = learn(publication, data, 0, "counts")
    shown = published(found)
    for share, marginal in zip(learned.shares(0, learned.totals.size), learned.marginals(), strict=True):
        for v, cap in enumerate(caps):
            if shown[v] >= 0:
                assert (share[:, shown[v]] <= cap * marginal * (1 + 1e-12)).all()


def test_bad_parameters():
    with pytest.raises(lk.PolicyError, match="naive-bayes: variant must be one of counts, laplace, uniform"):
        NaiveBayesAttack(variant="laplas")


def census(rows: int) -> tuple[pl.DataFrame, dict]:
    """The generated census table with the paper's first three quasi-identifiers."""
    frame = registry.create("datasets", "census", {}).generate(rows, 1)
    quasi = ("age", "gender", "education")
    columns = {name: lk.quasi() if name in quasi else lk.drop() for name in frame.columns}
    return frame, columns | {"salary_class": lk.sensitive()}


@pytest.mark.slow
@pytest.mark.parametrize("beta", [1, 2, 3, 4, 5])
def test_the_papers_claim_at_the_papers_size(beta):
    """Cao & Karras 2012, section 7: literal BUREL leaves hardly more than the most frequent value.

    At 100,000 rows, with a fifth of the classes, single runs with β = 4 reach 1.17 times the largest prior.
    """
    frame, columns = census(500_000)
    policy = lk.Policy(columns=columns, privacy=lk.BetaLikeness(beta), method=Burel(variant="paper"))
    found = lk.anonymize(frame, policy, seed=1).attack("naive-bayes")
    assert found.baseline == pytest.approx(0.048402, abs=1e-4)
    assert found.success <= 1.1 * found.baseline
    assert found.details["largest_lift"] <= 1 + beta
    assert found.details["learned_from_original"] > 1.3 * found.baseline


@pytest.mark.slow
def test_a_large_table_takes_a_moment():
    rng = np.random.default_rng(3)
    rows = 500_000
    frame = pl.DataFrame(
        {
            **{f"a{j}": rng.integers(0, size, rows) for j, size in enumerate((79, 2, 17, 6, 10))},
            "salary": rng.integers(0, 50, rows).astype(str),
        }
    )
    columns = {f"a{j}": lk.quasi() for j in range(5)} | {"salary": lk.sensitive()}
    policy = lk.Policy(columns=columns, privacy=lk.KAnonymity(3), method=lk.Mondrian())
    release = lk.anonymize(frame, policy, seed=1)
    assert release.certificate.classes > 100_000
    assert argsorts(lambda: release.attack("naive-bayes"), rows, times=1) < 400
