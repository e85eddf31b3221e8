"""The J-constraint on background knowledge: exact ends, odds, and what a class's belief can come to."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.models.tables import accepts, bind, categorical, count, distributions, holds, known
from tests.oracles import models as oracles

import likeness as lk
from likeness.microdata.divergence import ERROR, jensen_shannon, odds_ratio
from likeness.microdata.knowledge import Distributions

EASY = settings(deadline=None, max_examples=100)
TWO = known([[1, 0], [1, 1]])
"""A half each, and all of the first."""
HIV = known([[0.001, 0.999], [0.05, 0.95]])


def counts_of(reference, largest=2):
    codes = reference.count * reference.values
    return st.lists(st.integers(0, largest), min_size=codes, max_size=codes).filter(any)


class TestDivergence:
    def test_the_exact_divergence_of_certainty_and_a_half(self):
        # 3/4 log2(4/3), which no decimal is.
        assert holds(lk.JsBackground("0.3112781244591328"), TWO, [1, 0, 1, 0]) == [False]
        assert holds(lk.JsBackground("0.3112781244591329"), TWO, [1, 0, 1, 0]) == [True]

    def test_the_search_accepts_neither_and_what_is_clearly_within(self):
        for j, good in (
            ("0.3112781244591328", False),
            ("0.3112781244591329", False),
            ("0.31127812447", True),
        ):
            assert accepts(bind(lk.JsBackground(j), TWO), [1, 0, 1, 0]) is good

    def test_natural_logarithms(self):
        # ln 2 times as much: .2157615543388356…
        assert holds(lk.JsBackground("0.2157615543388", base="e"), TWO, [1, 0, 1, 0]) == [False]
        assert holds(lk.JsBackground("0.2157615543389", base="e"), TWO, [1, 0, 1, 0]) == [True]
        bound = bind(lk.JsBackground(1, base="e"), TWO)
        assert bound.measured(count([[1, 0, 1, 0]])).round(9).tolist() == [0.215761554]

    def test_rational_divergences_are_met_exactly(self):
        halves = known([[1, 1, 0], [1, 0, 1]])
        assert holds(lk.JsBackground("0.5"), halves, [1] * 6) == [True]
        assert holds(lk.JsBackground("0.4999999999999999"), halves, [1] * 6) == [False]
        apart = known([[1, 0], [0, 1]])
        assert holds(lk.JsBackground(1), apart, [1] * 4) == [True]
        assert holds(lk.JsBackground("0.9999999999999999"), apart, [1] * 4) == [False]

    def test_who_is_alone_is_like_themselves(self):
        assert holds(lk.JsBackground(0), TWO, [3, 0, 0, 0], [0, 0, 1, 2], [1, 0, 0, 1]) == [True, True, False]

    def test_the_divergence_bounds_no_belief(self):
        bound = bind(lk.JsBackground("0.0225"), HIV)
        assert bound.measured(count([[0, 1, 1, 0]])).round(4).tolist() == [0.0224]
        assert bound.holds(count([[0, 1, 1, 0]])).tolist() == [True]
        # One of the two has HIV: the belief that it is the second.
        assert round(0.999 * 0.05 / (0.999 * 0.05 + 0.001 * 0.95), 3) == 0.981


class TestOdds:
    def test_they_are_over_the_values_of_the_class(self):
        # .05/.001 over .95/.999 is 52.58; of one value alone it is 1.
        exact = odds_ratio(*HIV.rows.tolist(), [0, 1])
        assert round(float(exact), 2) == 52.58
        classes = [0, 1, 1, 0], [1, 0, 1, 0]
        assert holds(lk.JsBackground(1, odds=str(exact)), HIV, *classes) == [True, True]
        below = exact - Fraction(1, 10**30)
        assert holds(lk.JsBackground(1, odds=below), HIV, *classes) == [False, True]

    def test_what_one_rules_out_and_another_does_not_is_beyond_all_odds(self):
        reference = known([[1, 1, 0], [1, 2, 1]])
        assert holds(lk.JsBackground(1, odds=10**9), reference, [1, 0, 0, 0, 0, 1]) == [False]
        assert holds(lk.JsBackground(1, odds=2), reference, [1, 0, 0, 0, 1, 0]) == [True]
        assert bind(lk.JsBackground(1, odds=2), reference).measured(count([[1, 0, 0, 0, 0, 1]])).tolist() == [
            np.inf
        ]

    def test_what_all_rule_out_says_nothing(self):
        reference = known([[1, 1, 0], [3, 1, 0]])
        assert holds(lk.JsBackground(1, odds=3), reference, [1, 0, 1, 0, 1, 0]) == [True]
        assert holds(lk.JsBackground(1, odds="2.99"), reference, [1, 0, 1, 0, 1, 0]) == [False]

    def test_a_searched_class_has_smaller_odds(self):
        for odds, good in ((52, False), (53, True)):
            assert accepts(bind(lk.JsBackground(1, odds=odds), HIV), [0, 1, 1, 0]) is good


class TestReference:
    @pytest.mark.slow
    @EASY
    @given(draw=st.data())
    def test_random_classes_at_their_own_divergence(self, draw):
        """All pairs, by fractions and 80 digits, at limits a breath away from the largest divergence."""
        reference = draw.draw(distributions(4, 4))
        counts = draw.draw(counts_of(reference))
        base = draw.draw(st.sampled_from([2, "e"]))
        found = float(bind(lk.JsBackground(1, base=base), reference).measured(count([counts]))[0])
        for off in (-1e-15, 0, 1e-15, 1e-9, -1e-9):
            j = Fraction(max(0.0, found + off)).limit_denominator(10**17)
            expected = oracles.js_background(counts, reference, categorical(4), j=str(j), base=base)
            bound = bind(lk.JsBackground(str(j), base=base), reference)
            assert bound.holds(count([counts])).tolist() == [expected]
            assert expected or not accepts(bound, counts)

    @EASY
    @given(draw=st.data())
    def test_random_classes_at_their_own_odds(self, draw):
        reference = draw.draw(distributions(3, 4))
        counts = draw.draw(counts_of(reference))
        members = np.flatnonzero(np.array(counts).reshape(-1, 3).sum(axis=1))
        values = np.flatnonzero(np.array(counts).reshape(-1, 3).sum(axis=0)).tolist()
        pairs = combinations(reference.rows[members].tolist(), 2)
        found = [odds_ratio(one, other, values) for one, other in pairs]
        if None in found:
            assert holds(lk.JsBackground(1, odds=10**12), reference, counts) == [False]
            return
        largest = max(found, default=Fraction(1))
        assert holds(lk.JsBackground(1, odds=largest), reference, counts) == [True]
        assert not accepts(bind(lk.JsBackground(1, odds=largest), reference), counts) or largest == 1
        if largest > 1:
            below = max(Fraction(1), largest - Fraction(1, 10**40))
            assert holds(lk.JsBackground(1, odds=below), reference, counts) == [False]

    @EASY
    @given(draw=st.data())
    def test_parts_are_classes_that_hold(self, draw):
        reference = draw.draw(distributions(4, 12))
        j = draw.draw(st.sampled_from(["0", "0.05", "0.2", "0.5", "1"]))
        bound = bind(lk.JsBackground(j), reference)
        parts = bound.parts()
        table = np.zeros((int(parts.max()) + 1, parts.size), np.int64)
        table[parts, np.arange(parts.size)] = 1
        assert bound.parts_suffice
        assert bound.holds(count(table.tolist())).all()
        assert not bind(lk.JsBackground(j, odds=2), reference).parts_suffice


class TestErrors:
    def test_floats_are_nearer_than_the_error_says(self):
        rng = np.random.default_rng(8)
        for scale in (3, 1000, 1 << 40):
            for m in (2, 14, 300):
                rows = rng.integers(0, scale, (2, m))
                rows[:, 0] += scale * m - rows.sum(axis=1)
                told = bind(lk.JsBackground(1), Distributions(rows)) if scale == 1 << 40 else None
                exact = float(jensen_shannon(rows[0].tolist(), rows[1].tolist()))
                from likeness.kernels.beliefs import divergence, entropies

                shares = rows / rows[0].sum()
                assert abs(divergence(shares, entropies(shares), 0, 1) - exact) < ERROR / 4
                assert told is None or told.known.values == m

    @pytest.mark.parametrize(
        ("given_", "message"),
        [
            ({"j": -0.1}, "j must be a number of at least 0"),
            ({"j": "1e-1x"}, "j must be a number of at least 0"),
            ({"j": 0.1, "base": 10}, "base must"),
            ({"j": 0.1, "odds": 0.9}, "odds must be a number of at least 1"),
            ({"j": 0.1, "knowledge": 3}, "knowledge must be the name of one"),
        ],
    )
    def test_parameters(self, given_, message):
        with pytest.raises(lk.PolicyError, match=f"^js-background: {message}"):
            lk.JsBackground(**given_)

    def test_nothing_is_known(self):
        with pytest.raises(lk.PolicyError, match=r"^js-background: needs knowledge of 'sensitive'"):
            bind(lk.JsBackground(0.1), [1, 1])
