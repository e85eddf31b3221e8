from __future__ import annotations

import pytest
from tests.models.tables import accepts, bind, categorical, count, diseases, holds

from likeness.errors import PolicyError
from likeness.models.alpha_k_anonymity import AlphaKAnonymity


def test_both_sides_are_needed():
    reference = [9, 9]
    assert holds(AlphaKAnonymity(0.5, 4), reference, [1, 1], [2, 2], [3, 2]) == [False, True, False]
    bound = bind(AlphaKAnonymity(0.5, 4), reference)
    assert [accepts(bound, counts) for counts in ([1, 1], [2, 2], [3, 2], [3, 3])] == [
        False,
        True,
        False,
        True,
    ]


def test_decimals_mean_what_they_say():
    assert holds(AlphaKAnonymity(0.1, 1), [10] * 10, [1] * 10) == [True]
    assert holds(AlphaKAnonymity("1/3", 1), [3, 3, 3], [1, 1, 1], [333, 333, 334]) == [True, False]
    assert holds(AlphaKAnonymity(0.3333, 1), [3, 3, 3], [1, 1, 1]) == [False]


def test_alpha_may_concern_some_values_only():
    model = AlphaKAnonymity("1/4", 2, values=["angina"])
    reference = [2, 3, 3, 3, 4, 4]
    classes = [[0, 0, 0, 2, 0, 0], [0, 0, 0, 0, 2, 4], [0, 0, 0, 3, 1, 0]]
    assert holds(model, reference, *classes, domain=diseases()) == [True, False, True]
    assert [accepts(bind(model, reference, diseases()), counts) for counts in classes] == [True, False, True]
    strongest = bind(model, reference, diseases()).strongest(count(classes))
    assert strongest.values["k"] == 2
    assert strongest.values["alpha"] == pytest.approx(1 / 3)


def test_a_misspelt_value_is_an_error():
    with pytest.raises(
        PolicyError, match=r"^alpha-k-anonymity: 'sensitive' has no value 'anigna'; did you mean 'angina'"
    ):
        bind(AlphaKAnonymity(0.5, 2, values=["anigna"]), [1] * 6, diseases())


def test_a_release_may_lack_a_value_that_was_withheld():
    bound = bind(AlphaKAnonymity("1/2", 2, values=["gone", "0"]), [2, 2], complete=False)
    assert bound.holds(count([[1, 1], [2, 1]])).tolist() == [True, False]


def test_the_missing_value_can_be_named():
    model = AlphaKAnonymity("1/4", 1, values=["missing"])
    assert holds(model, [3, 2], [3, 1], [2, 1], domain=categorical(1, missing=True)) == [True, False]


def test_measured_and_strongest():
    bound = bind(AlphaKAnonymity(0.5, 3), [6, 6])
    stats = count([[2, 1], [2, 2], [1, 1]])
    assert bound.measured(stats).tolist() == [2 / 3, 0.5, float("inf")]
    assert bound.strongest(stats).values == {"alpha": 0.6666666666666667, "k": 2}


def test_smallest_classes():
    assert bind(AlphaKAnonymity(0.3, 2), [4, 0]).smallest_classes().tolist() == [4, 2]
    assert bind(AlphaKAnonymity(0.3, 7), [4, 4]).smallest_classes().tolist() == [7, 7]
    assert not bind(AlphaKAnonymity(1, 10**30), [4, 4]).holds(count([[4, 4]])).any()
    assert not accepts(bind(AlphaKAnonymity(1, 10**30), [4, 4]), [4, 4])


def test_a_record_more_may_break_it():
    assert holds(AlphaKAnonymity(0.5, 2), [2, 1], [1, 1], [2, 1]) == [True, False]
    assert not AlphaKAnonymity.closed_under_adding


@pytest.mark.parametrize(
    "bad", [{"alpha": 0}, {"alpha": 1.01}, {"k": 0}, {"values": "HIV"}, {"values": []}, {"values": [3]}]
)
def test_bad_parameters(bad):
    with pytest.raises(PolicyError, match=r"^alpha-k-anonymity: (alpha|k|values) must"):
        AlphaKAnonymity(**{"alpha": 0.5, "k": 2} | bad)
