"""(k,l)-diversity: k people share every published value, and no class has one more often than in 1 of l."""

from __future__ import annotations

import pytest
from tests.models.tables import bind, count, holds

from likeness.errors import PolicyError
from likeness.models.kl_diversity import KlDiversity


def test_k_counts_everybody_and_l_the_class():
    # The second value is published of one person: no class with it holds, however large.
    assert holds(KlDiversity(2, 2), [4, 1, 4], [1, 0, 1], [2, 0, 2], [1, 1, 1]) == [True, True, False]
    assert holds(KlDiversity(1, 2), [4, 1, 4], [1, 1, 1], [3, 0, 1]) == [True, False]
    assert holds(KlDiversity(4, 1), [4, 1, 4], [4, 0, 0]) == [True]


def test_strongest_is_the_rarest_value_and_the_largest_share():
    bound = bind(KlDiversity(2, 2), [6, 3, 5])
    assert bound.strongest(count([[2, 2, 2], [4, 1, 3]])).values == {"k": 3.0, "l": 2.0}
    assert bound.strongest(count([[1, 1, 1], [3, 0, 3]])).values == {"k": 3.0, "l": 2.0}


def test_it_names_the_value_that_is_too_rare():
    assert (
        bind(KlDiversity(2, 1), [3, 1]).because(count([[1, 1]]))
        == "; '1' is published of 1, fewer than k = 2"
    )
    assert bind(KlDiversity(2, 1), [3, 2]).because(count([[1, 1]])) == ""


@pytest.mark.parametrize("given_", [{"k": 0, "l": 2}, {"k": 2, "l": 0}])
def test_parameters(given_):
    with pytest.raises(PolicyError, match="must be a whole number of at least 1; got 0"):
        KlDiversity(**given_)
