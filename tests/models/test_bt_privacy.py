"""(B,t)-privacy: worked examples, the estimate and the truth, bounds on classes too large to count."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.models.tables import (
    accepts,
    bind,
    categorical,
    count,
    diseases,
    distributions,
    holds,
    known,
    numbers,
)
from tests.oracles import models as oracles

import likeness as lk
from likeness.kernels.arrangements import estimate, largest_change
from likeness.models import bt_privacy
from likeness.models.bt_privacy import _arranged, _estimated, _Smoothing

EASY = settings(deadline=None, max_examples=60)
FOUR = known([[0.001, 0.999], [0.05, 0.95]])


def change(model, reference, counts, domain=None):
    return float(bind(model, reference, domain).measured(count([counts]))[0])


class TestExamples:
    def test_the_estimate_of_three_people(self):
        weights = np.array([[0.05, 0.95], [0.30, 0.70]])
        found = np.empty((2, 2))
        estimate(weights, np.array([2, 1]), np.array([1, 2]), found)
        assert found[:, 0].round(4).tolist() == [0.1461, 0.5821]
        exact = _estimated([[5, 95], [30, 70]], [2, 1], [1, 2])
        assert np.allclose(np.array(exact, float), found, atol=1e-15)

    def test_the_truth_of_three_people(self):
        found = _arranged([[5, 95], [30, 70]], [2, 1], [1, 2])
        assert [round(float(own[0]), 4) for own in found] == [0.0986, 0.8028]

    @pytest.mark.slow
    def test_the_estimate_is_no_bound(self):
        # Four of .001 and one of .05; one of them has HIV, the first value.
        assert round(float(_estimated([[1, 999], [50, 950]], [4, 1], [1, 4])[1][0]), 3) == 0.547
        assert round(float(_arranged([[1, 999], [50, 950]], [4, 1], [1, 4])[1][0]), 3) == 0.929
        counts = [0, 4, 1, 0]
        estimated, exact = (
            change(lk.BtPrivacy(1, posterior=name), FOUR, counts) for name in ("omega", "exact")
        )
        assert estimated < exact
        t = str(round((estimated + exact) / 2, 6))
        assert holds(lk.BtPrivacy(t), FOUR, counts) == [True]
        assert holds(lk.BtPrivacy(t, posterior="exact"), FOUR, counts) == [False]

    def test_who_is_alone_is_known(self):
        # JSD((1/2, 1/2), (1, 0)) is irrational.
        even = known([[1, 1]])
        for name in ("omega", "exact"):
            assert holds(lk.BtPrivacy("0.3112781244591328", posterior=name), even, [1, 0]) == [False]
            assert holds(lk.BtPrivacy("0.3112781244591329", posterior=name), even, [1, 0]) == [True]
            assert holds(lk.BtPrivacy(0, posterior=name), even, [1, 1]) == [True]

    def test_knowledge_that_the_class_contradicts(self):
        sure = known([[1, 0, 0]])
        for name in ("omega", "exact"):
            assert holds(lk.BtPrivacy("0.999999", posterior=name), sure, [0, 1, 1]) == [False]
            assert holds(lk.BtPrivacy(1, posterior=name), sure, [0, 1, 1]) == [True]

    def test_several_bandwidths_are_several_models(self):
        rng = np.random.default_rng(1)
        import polars as pl

        frame = pl.DataFrame({"age": rng.integers(20, 60, 200), "disease": rng.choice(["a", "b", "c"], 200)})
        policy = lk.Policy(
            columns={"age": lk.quasi(), "disease": lk.sensitive()},
            knowledge=[
                {"kernel": {"bandwidth": 0.1}, "name": "near"},
                {"kernel": {"bandwidth": 0.5}, "name": "far"},
            ],
            privacy=lk.BtPrivacy("0.3", knowledge="near") & lk.BtPrivacy("0.1", knowledge="far"),
            method={"name": "mondrian"},
            withhold={"at_most": 0.5},
        )
        release = lk.anonymize(frame, policy, seed=1)
        assert release.verify().ok
        assert release.attack("background-knowledge").details["targets"] > 0


class TestDecisions:
    @EASY
    @given(draw=st.data())
    def test_what_floats_cannot_tell_fractions_decide(self, draw):
        reference = draw.draw(distributions(3))
        counts = draw.draw(
            st.lists(st.integers(0, 2), min_size=reference.count * 3, max_size=reference.count * 3).filter(
                any
            )
        )
        name = draw.draw(st.sampled_from(["omega", "exact"]))
        found = change(lk.BtPrivacy(1, posterior=name), reference, counts)
        for off in (-1e-13, 0, 1e-13):
            t = Fraction(min(1.0, max(0.0, found + off))).limit_denominator(10**16)
            expected = oracles.bt_privacy(counts, reference, categorical(3), t=str(t), posterior=name)
            bound = bind(lk.BtPrivacy(str(t), posterior=name), reference)
            assert bound.holds(count([counts])).tolist() == [expected]
            assert expected or not accepts(bound, counts)

    @pytest.mark.slow
    @EASY
    @given(draw=st.data())
    def test_bounds_by_odds_are_never_below_the_truth(self, draw):
        reference = draw.draw(distributions(4))
        counts = draw.draw(
            st.lists(st.integers(0, 3), min_size=reference.count * 4, max_size=reference.count * 4).filter(
                any
            )
        )
        codes = np.flatnonzero(counts)
        number, shares = np.array(counts)[codes], reference.shares
        nothing = np.zeros((0, 0))
        exact = largest_change(codes, number, shares, shares, nothing, 1 << 20)
        bound = largest_change(codes, number, shares, shares, nothing, 0)
        assert exact <= bound + 1e-12
        assert bound <= 1
        assert largest_change(codes, number, shares, shares, np.eye(4), 0) == 1.0

    def test_classes_too_large_to_count_are_bounded(self):
        rng = np.random.default_rng(2)
        alike = known(np.array([[0.3, 0.25, 0.2, 0.15, 0.1]] * 9) + rng.random((9, 5)) * 1e-4)
        counts = np.array([30, 25, 20, 15, 10] * 9)
        assert holds(lk.BtPrivacy("0.001", posterior="exact"), alike, counts.tolist()) == [True]
        # Knowledge of one person far from the others' makes all odds large.
        apart = known([*alike.shares.tolist(), [1e-6, 0.25, 0.25, 0.25, 0.249999]])
        counts = np.append(counts, [1, 1, 1, 1, 1])
        assert holds(lk.BtPrivacy("0.1", posterior="exact"), apart, counts.tolist()) == [False]
        assert change(lk.BtPrivacy(1, posterior="exact"), apart, counts.tolist()) <= 1

    def test_what_takes_too_many_steps_counts_as_violated(self, monkeypatch):
        even = known([[1, 1]])
        model = lk.BtPrivacy(0, posterior="exact")
        assert holds(model, even, [1, 1]) == [True]
        monkeypatch.setattr(bt_privacy, "_EXACT_STATES", 3)
        assert holds(model, even, [1, 1]) == [False]


class TestSmoothing:
    def test_near_values_count_as_partly_the_same(self):
        domain = numbers([1, 2, 3, 4])
        sure = known([[1, 0, 0, 0]])
        reference = known([[4, 3, 2, 1]])
        plain = change(lk.BtPrivacy(1), reference, [1, 0, 0, 0], domain)
        smooth = change(lk.BtPrivacy(1, smooth=1), reference, [1, 0, 0, 0], domain)
        assert 0 < smooth < plain
        assert change(lk.BtPrivacy(1, smooth=1), sure, [3, 0, 0, 0], domain) == 0.0

    def test_bandwidths_up_to_one_do_not_smooth_values_without_distance(self):
        reference = known([[4, 3, 2, 1]])
        assert change(lk.BtPrivacy(1, smooth=1), reference, [1, 0, 2, 0]) == pytest.approx(
            change(lk.BtPrivacy(1), reference, [1, 0, 2, 0]), abs=1e-15
        )

    def test_weights_by_hierarchy(self):
        found = _Smoothing(diseases(), Fraction(1)).matrix
        # Three values of each part are half the height apart: 1 - 1/4; the others 1.
        assert np.allclose(found[0], np.array([1, 0.75, 0.75, 0, 0, 0]) / 2.5)

    def test_too_many_values(self):
        with pytest.raises(
            lk.PolicyError, match=r"^bt-privacy: 'sensitive' has 5,000 values, too many to smooth"
        ):
            bind(lk.BtPrivacy("0.1", smooth=1), known([[1] * 5000]))


class TestRefusals:
    @pytest.mark.parametrize("t", [-0.1, 1.01, "x", None])
    def test_t_is_between_0_and_1(self, t):
        with pytest.raises(
            lk.PolicyError, match=r"^bt-privacy: t must be a number of at least 0 and at most 1"
        ):
            lk.BtPrivacy(t)

    def test_others(self):
        with pytest.raises(lk.PolicyError, match="posterior must"):
            lk.BtPrivacy(0.1, posterior="bayes")
        with pytest.raises(lk.PolicyError, match="smooth must be a number above 0"):
            lk.BtPrivacy(0.1, smooth=0)
        with pytest.raises(lk.PolicyError, match="needs knowledge of 'sensitive'"):
            bind(lk.BtPrivacy(0.1), [1, 1])
