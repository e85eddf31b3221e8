from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from tests.models.tables import bind, categorical, count, count_records

from likeness.errors import PolicyError
from likeness.models.base import Composition, SensitiveAttribute, Strength
from likeness.models.basic_beta_likeness import BasicBetaLikeness
from likeness.models.distinct_l_diversity import DistinctLDiversity
from likeness.models.k_anonymity import KAnonymity
from likeness.models.t_closeness import TCloseness
from likeness.policy import Policy, quasi, sensitive


def test_models_compose_flatly():
    k, diverse, close = KAnonymity(2), DistinctLDiversity(2), TCloseness(0.2)
    assert (k & diverse & close).models == (k, diverse, close)
    assert (k & (diverse & close)).models == (k, diverse, close)
    assert isinstance(k & diverse, Composition)


def test_compositions_are_written_as_one_would_write_them():
    joined = KAnonymity(2) & (BasicBetaLikeness("1/3", sensitive="disease") & TCloseness(0.2))
    assert eval(repr(joined)) == joined
    assert repr(joined).count(" & ") == 2
    policy = Policy(columns={"age": quasi(), "disease": sensitive()}, privacy=joined)
    assert policy.privacy == joined.models == tuple(joined)


@pytest.mark.parametrize(
    ("wrong", "got"),
    [
        (3, "3"),
        ("k-anonymity", "'k-anonymity'"),
        (None, "a NoneType"),
        ({"model": "k-anonymity", "k": 5}, "a dict"),
    ],
)
def test_only_models_are_joined(wrong, got):
    told = f"&: joins privacy models, as in KAnonymity(5) & BetaLikeness(4); got {got}"
    models = KAnonymity(5), KAnonymity(5) & TCloseness(0.2)
    for join in [lambda model: model & wrong, lambda model: wrong & model]:
        for model in models:
            with pytest.raises(PolicyError) as problem:
                join(model)
            assert problem.value.problems == (told,)


def test_a_class_is_no_model():
    told = r"^&: TCloseness is a class; give one with its parameters, TCloseness\(…\)$"
    with pytest.raises(PolicyError, match=told):
        _ = KAnonymity(5) & TCloseness
    with pytest.raises(PolicyError, match=told):
        _ = TCloseness & KAnonymity(5)


def test_representations_show_what_was_given():
    assert repr(KAnonymity(2)) == "KAnonymity(k=2)"
    assert repr(BasicBetaLikeness(4)) == "BasicBetaLikeness(beta=4)"
    given = BasicBetaLikeness("1/3", sensitive="disease", negative=0.5, reference="original")
    assert eval(repr(given)) == given


def test_the_scope_follows_the_reference():
    assert TCloseness(0.2).scope == "public"
    assert TCloseness(0.2, reference="original").scope == "steward"
    assert KAnonymity(2).scope == "public"


def test_strength_reads_well():
    assert str(Strength({"alpha": 0.4, "k": 5.0})) == "alpha = 0.4, k = 5"
    assert str(Strength({"beta": math.inf})) == "beta = inf"


def test_a_sensitive_attribute_knows_its_shares():
    attribute = SensitiveAttribute(categorical(2, missing=True), np.array([1, 0, 3]))
    assert attribute.total == 4
    assert attribute.shares == [Fraction(1, 4), 0, Fraction(3, 4)]
    assert [attribute.label(code) for code in range(3)] == ["0", "1", "missing"]
    assert attribute.smallest_classes(5).tolist() == [5, 1, 5]


def test_judgements():
    judgement = bind(DistinctLDiversity(2), [3, 1]).judge(count([[2, 0], [1, 1]]))
    assert judgement.holds.tolist() == [False, True]
    assert judgement.measured.tolist() == [1, 2]
    assert judgement.slack.tolist() == [-1, 0]
    assert not judgement.all_hold


def test_a_sensitive_model_needs_a_sensitive_column():
    with pytest.raises(PolicyError, match=r"^t-closeness: needs a sensitive column, and none is declared$"):
        TCloseness(0.1).bind(None)


def test_two_ways_to_count_agree():
    classes = [[2, 0, 1], [0, 3, 3]]
    one, other = count(classes), count_records(classes)
    for name in ("sizes", "class_of", "value", "count"):
        assert getattr(one, name).tolist() == getattr(other, name).tolist()
