from __future__ import annotations

import csv
import math
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.models.tables import (
    DISEASE_COUNTS,
    accepts,
    bind,
    categorical,
    class_counts,
    count,
    diseases,
    holds,
)
from tests.oracles.models import enhanced_cap

from likeness import registry
from likeness.errors import PolicyError
from likeness.exact import ln_bounds
from likeness.models.beta_bounds import enhanced_limit
from likeness.models.beta_likeness import BetaLikeness

EASY = settings(deadline=None, max_examples=60)
shares = st.fractions(0, 1, max_denominator=10**6)
betas = st.fractions(Fraction(1, 100), 20, max_denominator=100)


def f(p: Fraction | float, beta: float) -> float:
    return float(enhanced_limit(Fraction(p), Fraction(beta)))


def test_nineteen_patients():
    # Cao & Karras 2012, example 2: β = 2.
    found = [f(Fraction(n, 19), 2) for n in (2, 3, 4)]
    assert found == pytest.approx([0.315789, 0.449341, 0.538557], abs=5e-7)
    leaves = [[1, 0, 1, 0, 1, 1], [0, 1, 2, 0, 0, 2], [1, 2, 0, 3, 3, 1]]
    rejected = [2, 0, 1, 1, 1, 1]
    assert holds(BetaLikeness(2), DISEASE_COUNTS, *leaves, rejected, domain=diseases()) == [True] * 3 + [
        False
    ]
    bound = bind(BetaLikeness(2), DISEASE_COUNTS, diseases())
    assert [accepts(bound, counts) for counts in [*leaves, rejected]] == [True] * 3 + [False]
    assert bound.smallest_classes().tolist() == [4, 3, 3, 3, 2, 2]


def test_four_illnesses():
    # Amiri et al. 2016, example 1: Flu 6, HIV 4, hypertension 8, brain tumor 8; β = 2.
    assert [f(Fraction(n, 26), 2) for n in (6, 4, 8)] == pytest.approx([0.56915, 0.44182, 0.67036], abs=5e-6)


def test_salaries_of_the_census():
    # Cao & Karras 2012, section 6: the most frequent salary class has 4.8402 %, the rarest .2018 %.
    most = Fraction("0.048402")
    assert [f(most, 4), f(most, 1)] == pytest.approx([0.19497, 0.0968], abs=5e-6)
    delta = [math.log(f(most, beta) / float(most)) for beta in range(1, 6)]
    assert delta == pytest.approx([0.6931, 1.0986, 1.3863, 1.3933, 1.3933], abs=5e-5)


N_MIN = {
    "Craft-repair": [4, 3, 3, 3, 3],
    "Machine-op-inspct": [8, 6, 5, 5, 5],
    "Protective-serv": [24, 16, 12, 10, 10],
    "Priv-house-serv": [98, 65, 49, 39, 32],
    "Armed-Forces": [1616, 1077, 808, 647, 462],
}


def test_smallest_classes_of_adults_occupations(data_folder):
    # Occupations of Adult, 45,222 rows.
    with (data_folder / "adult" / "adult_raw_48842.csv").open(newline="") as file:
        complete = [row for row in csv.DictReader(file) if "?" not in row.values()]
    assert len(complete) == 45_222
    counts = Counter(row["occupation"] for row in complete)
    names = sorted(counts)
    assert len(names) == 14
    for i, beta in enumerate([1, 2, 3, 4, 6]):
        sizes = bind(BetaLikeness(beta), [counts[name] for name in names]).smallest_classes()
        found = dict(zip(names, sizes.tolist(), strict=True))
        assert {name: found[name] for name in N_MIN} == {name: needed[i] for name, needed in N_MIN.items()}


@given(shares, betas)
@EASY
def test_f_is_what_the_definition_says(p, beta):
    truth = float(enhanced_cap(p, beta))
    assert f(p, beta) == pytest.approx(truth, rel=1e-15)
    assert p <= f(p, beta) + 1e-15
    assert (f(p, beta) < 1) == (p < 1) or p > Fraction(999, 1000)


def test_f_at_its_ends():
    for beta in (Fraction(1, 2), Fraction(7)):
        assert enhanced_limit(Fraction(0), beta).exact == 0
        assert enhanced_limit(Fraction(1), beta).exact == 1


@given(shares, shares, betas)
@EASY
def test_f_increases(p, q, beta):
    low, high = sorted([p, q])
    if low < high:
        assert enhanced_limit(low, beta).enclose(40)[1] < enhanced_limit(high, beta).enclose(40)[0]


@given(betas)
@EASY
def test_f_is_continuous_where_its_halves_meet(beta):
    bend = Fraction(math.exp(-beta)).limit_denominator(10**14)
    step = bend / 10**10
    below, above = enhanced_limit(bend - step, beta), enhanced_limit(bend + step, beta)
    assert below.exact is not None
    assert above.exact is None
    assert float(above) - float(below) == pytest.approx(0, abs=3 * float(step) * float(1 + beta))


@given(shares.filter(bool), betas, betas)
@EASY
def test_above_its_bend_f_does_not_depend_on_beta(p, beta, other):
    low = ln_bounds(1 / p, 40)[0]
    if low < min(beta, other):
        assert enhanced_limit(p, beta).enclose(50) == enhanced_limit(p, other).enclose(50)


def test_no_beta_allows_a_gain_above_the_logarithm():
    # p = 1/2 may rise to .8466, not to .9, however large β.
    reference = [50, 50]
    bound = bind(BetaLikeness(10**6), reference)
    stats = count([[84, 16], [9, 1]])
    assert bound.holds(stats).tolist() == [True, False]
    assert bound.measured(stats).tolist() == pytest.approx([0.68, math.inf])
    assert bound.strongest(stats).values == {"beta": math.inf}
    assert bound.strongest(count([[84, 16]])).values == {"beta": 0.68}


def test_a_record_more_may_break_it():
    assert holds(BetaLikeness(0.1), [5, 5], [1, 1], [2, 1]) == [True, False]
    assert not BetaLikeness.closed_under_adding


def squared(p: Fraction) -> Fraction:
    return 2 * p - p * p


def test_any_bound_as_a_function():
    reference, classes = [10, 10, 20], [[3, 1, 4], [4, 2, 3], [1, 1, 7]]
    bound = bind(BetaLikeness(bound=squared), reference)
    # Caps 7/16, 7/16, 3/4.
    assert bound.caps() == {"0": "7/16", "1": "7/16", "2": "3/4"}
    assert bound.holds(count(classes)).tolist() == [True, False, False]
    assert [accepts(bound, counts) for counts in classes] == [True, False, False]
    assert bound.measured(count(classes)) == pytest.approx([6 / 7, 64 / 63, 28 / 27])
    assert bound.slack(bound.measured(count(classes))) == pytest.approx([1 / 7, -1 / 63, -1 / 27])


def test_a_certificate_keeps_the_caps_of_a_bound():
    reference, classes = [10, 10, 20], [[3, 1, 4], [4, 2, 3], [7, 0, 9], [1, 1, 7]]
    bound = bind(BetaLikeness(bound=squared), reference)
    kept = registry.create("models", "beta-likeness", {"caps": bound.caps()})
    assert registry.parameters(kept) == {"caps": {"0": "7/16", "1": "7/16", "2": "3/4"}}
    assert hash(kept) == hash(registry.create("models", "beta-likeness", {"caps": bound.caps()}))
    again = bind(kept, reference)
    assert (
        again.holds(count(classes)).tolist()
        == bound.holds(count(classes)).tolist()
        == [True, False, True, False]
    )
    assert again.caps() == bound.caps()
    # A value the certificate does not name may not occur.
    assert holds(BetaLikeness(caps={"0": 1}), [1, 1], [1, 0], [9, 1]) == [True, False]


def test_a_bound_with_limited_negative_gain():
    model = BetaLikeness(bound=squared, negative="1/2")
    assert holds(model, [1, 1, 2], [3, 1, 4], [3, 0, 5], [7, 4, 5]) == [True, False, True]
    assert bind(model, [1, 1, 2]).measured(count([[3, 0, 5]])).tolist() == [math.inf]


def test_enclosures_count_by_their_safe_end():
    def rough(p: Fraction) -> tuple[Fraction, Fraction]:
        return squared(p) - Fraction(1, 10**6), squared(p) + Fraction(1, 10**6)

    # 7/16 exactly was allowed by the exact bound.
    assert holds(BetaLikeness(bound=squared), [1, 1, 2], [7, 2, 7]) == [True]
    assert holds(BetaLikeness(bound=rough), [1, 1, 2], [7, 2, 7]) == [False]


def test_a_bound_above_one_is_one():
    assert bind(BetaLikeness(bound=lambda p: p + 1), [1, 3]).caps() == {"0": "1", "1": "1"}


@pytest.mark.parametrize(
    ("bound", "complaint"),
    [
        (lambda p: p / 2, "is below the share itself"),
        (lambda p: max(p, 1 - p), "the bound falls from 3/4 at p = 1/4 to 1/2"),
        (float, "must return an int, a Fraction, or a pair"),
        (lambda p: (p, p, p), "must return an int, a Fraction, or a pair"),
        (lambda p: (1, p), "must return an int, a Fraction, or a pair"),
    ],
)
def test_what_is_no_bound_is_refused(bound, complaint):
    with pytest.raises(PolicyError, match=rf"^beta-likeness: .*{complaint}"):
        bind(BetaLikeness(bound=bound), [1, 2, 1]).holds(count([[1, 1, 1]]))


@pytest.mark.parametrize(
    "bad",
    [{}, {"beta": 1, "bound": squared}, {"beta": 1, "caps": {}}, {"bound": 3}, {"caps": 3}, {"beta": 0}],
)
def test_exactly_one_bound_is_needed(bad):
    with pytest.raises(PolicyError, match=r"^beta-likeness: "):
        BetaLikeness(**bad)


@pytest.mark.parametrize("cap", [-1, 1.5, "x", None])
def test_caps_are_shares(cap):
    with pytest.raises(
        PolicyError, match=r"^beta-likeness: caps\[0\] must be a number of at least 0 and at most 1"
    ):
        bind(BetaLikeness(caps={"0": cap}), [1, 1])


def test_a_value_named_like_the_missing_one_shares_the_smaller_cap():
    domain = categorical(2, missing=True)
    domain.labels[1] = "missing"
    bound = bind(BetaLikeness(1), [4, 2, 1], domain)
    assert set(bound.caps()) == {"0", "missing"}
    assert Fraction(bound.caps()["missing"]) == Fraction(2, 7)


@given(st.data())
@EASY
def test_kept_caps_never_allow_more_than_the_bound(data):
    reference = data.draw(class_counts(4))
    bound = bind(BetaLikeness(data.draw(st.integers(1, 5))), reference)
    kept = bind(BetaLikeness(caps=bound.caps()), reference)
    counts = data.draw(class_counts(4))
    assert bound.holds(count([counts]))[0] == kept.holds(count([counts]))[0]
