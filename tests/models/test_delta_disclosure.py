from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.models.tables import accepts, bind, categorical, class_counts, count, holds

from likeness import registry
from likeness.datasets.census import salary_counts
from likeness.errors import PolicyError
from likeness.models.beta_likeness import BetaLikeness
from likeness.models.delta_disclosure import DeltaDisclosure


@pytest.mark.parametrize("delta", [0.01, 1, 50, 10**6])
def test_a_class_that_lacks_a_value_fails_for_every_delta(delta):
    # pyCANON and ARX skip absent values (peers, false answer 6).
    reference = [50, 49, 1]
    bound = bind(DeltaDisclosure(delta), reference)
    assert not bound.holds(count([[50, 49, 0]])).any()
    assert not accepts(bound, [50, 49, 0])
    assert bound.measured(count([[50, 49, 0]])).tolist() == [math.inf]
    assert bound.strongest(count([[50, 49, 0], reference])).values == {"delta": math.inf}
    assert bound.holds(count([reference])).all()


def test_both_directions_count_and_the_logarithm_is_natural():
    # q = 1/4 of p = 1/2 is ln 2 away, 3/4 is ln 1.5 away.
    reference = [50, 50]
    assert holds(DeltaDisclosure(0.7), reference, [1, 3]) == [True]
    assert holds(DeltaDisclosure(0.69), reference, [1, 3], [3, 1]) == [False, False]
    assert bind(DeltaDisclosure(1), reference).measured(count([[1, 3]])) == pytest.approx(math.log(2))


def test_the_strongest_delta_is_an_infimum():
    bound = bind(DeltaDisclosure(1), [5, 5])
    found = bound.strongest(count([[2, 2], [3, 3], [4, 2]])).values["delta"]
    assert found == pytest.approx(math.log(1.5))


def test_a_table_of_one_value_always_holds():
    assert holds(DeltaDisclosure(0.001), [7], [3], [4]) == [True, True]


def test_values_that_the_reference_lacks():
    assert holds(DeltaDisclosure(9), [4, 4, 0], [2, 2, 0], [2, 2, 1]) == [True, False]
    assert not accepts(bind(DeltaDisclosure(9), [4, 4, 0]), [2, 2, 1])
    # An unused category of missing values is not asked for.
    assert holds(DeltaDisclosure(1), [4, 0], [2, 0], domain=categorical(1, missing=True)) == [True]


def test_every_class_needs_room_for_the_rarest_value():
    # 1 / (p e) of the rarest value, 1 in 100.
    bound = bind(DeltaDisclosure(1), [99, 1])
    assert bound.smallest_classes().tolist() == [37, 37]
    assert bound.holds(count([[36, 1], [35, 1]])).tolist() == [True, False]


def test_a_record_more_may_break_it():
    assert holds(DeltaDisclosure(0.1), [50, 50], [1, 1], [2, 1]) == [True, False]
    assert not DeltaDisclosure.closed_under_adding


class TestDerivedFromBeta:
    """Cao & Karras 2012, section 6.2: DMondrian."""

    @pytest.mark.parametrize(
        ("beta", "delta"), [(1, 0.6931), (2, 1.0986), (3, 1.3863), (4, 1.3933), (5, 1.3933)]
    )
    def test_the_papers_constants(self, beta: int, delta: float):
        # The generated census has exactly the shares of its half a million salaries.
        bound = bind(DeltaDisclosure(beta=beta), salary_counts(500_000).tolist())
        assert round(bound.delta, 4) == delta

    @given(st.data())
    @settings(deadline=None, max_examples=100)
    def test_a_class_that_holds_it_holds_beta_likeness(self, data):
        values = data.draw(st.integers(1, 4))
        reference = data.draw(st.lists(st.integers(1, 6), min_size=values, max_size=values))
        counts = data.draw(class_counts(values))
        beta = data.draw(st.fractions("1/12", 4, max_denominator=12))
        if holds(DeltaDisclosure(beta=beta), reference, counts) == [True]:
            assert holds(BetaLikeness(beta), reference, counts) == [True]

    def test_and_not_the_other_way_round(self):
        # What is absent, or far rarer than in the table, only δ-disclosure forbids.
        for counts in ([6, 6, 0], [8, 7, 1]):
            assert holds(BetaLikeness(1), [10, 10, 10], counts) == [True]
            assert holds(DeltaDisclosure(beta=1), [10, 10, 10], counts) == [False]

    @pytest.mark.parametrize(("first", "good"), [(20, False), (19, True), (6, True), (5, False)])
    def test_it_is_strict_where_beta_decides(self, first: int, good: bool):
        # Of 1 in 10 a class may hold less than twice and more than half.
        counts = [first, *[(100 - first + i) // 9 for i in range(9)]]
        assert sum(counts) == 100
        bound = bind(DeltaDisclosure(beta=1), [100] * 10)
        assert bound.holds(count([counts])).tolist() == [good]
        assert accepts(bound, counts) == good

    def test_classes_far_larger_than_the_reference_keep_the_strictness(self):
        bound = bind(DeltaDisclosure(beta=1), [1, 1, 1, 1])
        counts = [2, 1, 1, 0]
        assert bound.holds(count([[4, 1, 1, 2], counts, [1000, 400, 300, 300]])).tolist() == [False] * 3

    @pytest.mark.parametrize(("counts", "good"), [([16, 9], True), ([84, 16], False), ([5, 0], False)])
    @pytest.mark.parametrize("beta", ["7/10", 1, 2, "1e300"])
    def test_a_large_beta_does_not_matter(self, counts, beta, good: bool):
        # -ln 1/2 = .693: 1/2 may grow to .847 and fall to .295.
        bound = bind(DeltaDisclosure(beta=beta), [50, 50])
        assert bound.holds(count([counts, counts[::-1]])).tolist() == [good, good]
        assert bound.delta == pytest.approx(math.log(1 + math.log(2)))

    def test_a_column_of_one_value_always_holds(self):
        assert holds(DeltaDisclosure(beta="1e-300"), [7], [3], [4]) == [True, True]
        assert holds(DeltaDisclosure(beta=4), [7, 0], [3, 0], [3, 1]) == [True, False]
        assert bind(DeltaDisclosure(beta=4), [7]).strongest(count([[3]])).values == {"beta": 0}

    def test_the_strongest_beta_is_just_above_the_infimum(self):
        bound = bind(DeltaDisclosure(beta=3), [10, 10, 10, 10])
        found = bound.strongest(count([[3, 2, 2, 3], [2, 2, 2, 2]])).values["beta"]
        assert found == pytest.approx(0.25)
        assert Fraction(repr(found)) > Fraction(1, 4)
        assert bound.measured(count([[3, 2, 2, 3], [2, 2, 2, 2], [9, 1, 1, 1]])) == pytest.approx(
            [0.25, 0, math.inf], abs=1e-12
        )
        assert bound.strongest(count([[9, 1, 1, 1]])).values == {"beta": math.inf}

    def test_every_class_needs_room(self):
        # Less than (1 - ln .99) times 1 in 100: a record of it needs 100; and none may lack it.
        bound = bind(DeltaDisclosure(beta=1), [990, 10])
        assert bound.smallest_classes().tolist() == [100, 100]
        assert bound.holds(count([[500, 4], [98, 1], [99, 1], [990, 10]])).tolist() == [
            False,
            False,
            True,
            True,
        ]

    def test_half_a_million_records_are_decided_at_once(self):
        counts = salary_counts(500_000)
        bound = bind(DeltaDisclosure(beta=2), counts.tolist())
        assert bound.holds(count([counts.tolist(), (counts // 5).tolist()])).all()
        assert accepts(bound, (counts // 5).tolist())


@pytest.mark.parametrize(
    ("given_", "words"),
    [({}, "got neither"), ({"delta": 1, "beta": 4}, "got both"), ({"delta": None}, "got neither")],
)
def test_exactly_one_of_delta_and_beta(given_, words):
    with pytest.raises(PolicyError, match=rf"^delta-disclosure: give either delta or the beta .*{words}$"):
        registry.create("models", "delta-disclosure", given_)


@pytest.mark.parametrize("key", ["delta", "beta"])
@pytest.mark.parametrize("bad", ["abc", math.nan, math.inf, -1, 0, "", [], True, "1/0", Decimal("Infinity")])
def test_bad_bounds(key, bad):
    with pytest.raises(PolicyError, match=rf"^delta-disclosure: {key} must be a number above 0; got "):
        DeltaDisclosure(**{key: bad})


def test_parameters_are_kept_as_they_were_given():
    for model in (
        DeltaDisclosure("1/3"),
        DeltaDisclosure(beta="7/2"),
        DeltaDisclosure(beta=4, reference="original"),
    ):
        kept = registry.parameters(model)
        assert registry.create("models", "delta-disclosure", kept) == model
        assert ("beta" in kept) != ("delta" in kept)
    assert np.isfinite(bind(DeltaDisclosure(beta=4), [3, 4]).delta)
