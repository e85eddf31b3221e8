"""Similarity: classes whose values differ but mean nearly the same."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.attacks.releases import DISEASES, RECORD_FORMS, attacked
from tests.forms.publications import integers, publish, table, words
from tests.oracles.attacks_guessing import PlainRelease, first_best

import likeness as lk
from likeness.attacks.homogeneity import HomogeneityAttack
from likeness.attacks.similarity import SimilarityAttack
from likeness.forms.generalized import GeneralizedForm
from likeness.hierarchies import from_rows
from likeness.microdata.domain import Domain

WEIGHT = integers("weight", [50, 60, 70, 80])
AGE = integers("age", [40, 50, 60, 70])
NERVOUS = ("headache", "epilepsy", "brain tumors")
TREE = from_rows(
    [(leaf, "nervous problem", "any") for leaf in NERVOUS]
    + [(leaf, "circulatory problem", "any") for leaf in ("heart murmur", "anemia", "angina")],
    "disease",
    where=str,
)
DISEASE = Domain("disease", "hierarchical", np.array(TREE.leaves, object), "tree", TREE)
TABLE_1 = table(
    [(WEIGHT, [2, 1, 0, 2, 3, 1]), (AGE, [0, 2, 1, 1, 1, 3])],
    [(DISEASE, [TREE.rank_of[d] for d in (*NERVOUS, "heart murmur", "anemia", "angina")])],
)


def test_the_papers_example():
    """Cao & Karras 2012, section 2: every disease differs, and the first class is all nervous."""
    publication, _, _ = publish(GeneralizedForm(), TABLE_1, [0, 0, 0, 1, 1, 1])
    found = SimilarityAttack().run(publication, TABLE_1)
    assert found.details["max_share"] == 1.0
    assert found.details["category_beta"] == 1.0
    assert found.details["max_confidence"] == 1.0
    assert found.details["categories"] == 2
    # By value no class has more than one of three.
    assert HomogeneityAttack().run(publication, TABLE_1).details["max_share"] == pytest.approx(1 / 3)
    # Mike, of 70 and 40, can only be in the first class ([50, 70], [40, 60]); Beth, of 80, only in the second
    # ([60, 80], [50, 70]).
    assert found.baseline == 0.5
    assert found.success > found.baseline
    assert set(found.details) <= {*SimilarityAttack.explained, "targets"}


@pytest.mark.parametrize("form", RECORD_FORMS)
@given(draw=st.data())
@settings(deadline=None, max_examples=25)
def test_categories_are_guessed_as_by_hand(form, draw):
    found = draw.draw(attacked(form))
    plain = PlainRelease(form, found.data, found.plan)
    domain = found.data.sensitive[0]
    names = {DISEASES.rank_of["flu"]: 0, DISEASES.rank_of["tb"]: 0, DISEASES.rank_of["hiv"]: 1, 3: 2}
    prior = Counter(names[v] for v in plain.kept_values)
    likeliest = min((c for c, n in prior.items() if n == max(prior.values())), default=-1)
    right, beliefs = 0, []
    for target, truth in zip(plain.targets, plain.truth, strict=True):
        belief = grouped(plain.posterior(target), names)
        guess = first_best(belief, likeliest)
        right += guess == names[truth]
        beliefs += belief.values()
    result = SimilarityAttack().run(found.publication, found.data)
    assert result.success == right / found.data.size
    assert result.details["categories"] == 2 + domain.missing
    classes = [grouped(belief, names) for _, belief in plain.class_beliefs()]
    total = len(plain.kept_values)
    gains = [float(x * total / prior[c] - 1) for own in classes for c, x in own.items()]
    assert result.details["category_beta"] == pytest.approx(max(gains, default=0), abs=1e-9)
    shares = [float(x) for own in classes for x in own.values()]
    assert result.details["max_share"] == pytest.approx(max(shares, default=0))


def grouped(belief, names) -> dict:
    found = {}
    for v, share in belief.items():
        found[names[v]] = found.get(names[v], 0) + share
    return found


def test_ordered_values_are_cut_into_runs():
    salary = Domain("salary", "integer", np.arange(10), "interval", low=0, high=9)
    data = table([(AGE, [0] * 5 + [3] * 5)], [(salary, list(range(10)))])
    publication, _, _ = publish(GeneralizedForm(), data, [0] * 5 + [1] * 5)
    found = SimilarityAttack(runs=2).run(publication, data)
    assert (found.success, found.baseline, found.details["categories"]) == (1.0, 0.5, 2)
    assert SimilarityAttack().run(publication, data).details["categories"] == 5
    # A value that most have is a run of its own; of the others there are fewer runs.
    crowded = table([(AGE, [0] * 10)], [(salary, [0] + [5] * 8 + [9])])
    publication, _, _ = publish(GeneralizedForm(), crowded, [0] * 10)
    assert SimilarityAttack().run(publication, crowded).baseline == 0.8


def test_what_has_no_categories_is_refused():
    data = table([(AGE, [0, 3])], [(words("job", ["clerk", "nurse"]), [0, 1])])
    publication, _, _ = publish(GeneralizedForm(), data, [0, 1])
    with pytest.raises(
        lk.PolicyError, match="'job' have neither a hierarchy nor an order, so none are similar"
    ):
        SimilarityAttack().run(publication, data)
    both = table([(AGE, [0, 3])], [(words("job", ["clerk", "nurse"]), [0, 1]), (DISEASE, [0, 5])])
    publication, _, _ = publish(GeneralizedForm(), both, [0, 1])
    assert SimilarityAttack().refusal(publication, both) is None
    assert "'disease'" in SimilarityAttack().run(publication, both).meaning
    refused = SimilarityAttack(sensitive="job").refusal(publication, both)
    assert refused is not None
    assert "'job'" in refused


def test_the_root_is_no_level():
    publication, _, _ = publish(GeneralizedForm(), TABLE_1, [0, 0, 0, 1, 1, 1])
    refused = SimilarityAttack(level=2).refusal(publication, TABLE_1)
    assert refused is not None
    assert "level 2 of the hierarchy of 'disease' is its root" in refused


def test_values_of_another_order_than_the_leaves():
    """A number's hierarchy has its leaves in its own order."""
    tree = from_rows([("3", "odd", "*"), ("1", "odd", "*"), ("2", "even", "*")], "n", where=str)
    number = Domain("n", "integer", np.array([1, 2, 3]), "interval", tree, low=1, high=3)
    data = table([(AGE, [0, 0, 3])], [(replace(number), [0, 2, 1])])
    publication, _, _ = publish(GeneralizedForm(), data, [0, 0, 1])
    found = SimilarityAttack().run(publication, data)
    assert (found.success, found.baseline) == (1.0, pytest.approx(2 / 3))


@pytest.mark.parametrize("given_", [{"level": 0}, {"runs": 1}, {"targets": 0}])
def test_parameters_out_of_range(given_):
    with pytest.raises(lk.PolicyError, match=r"similarity: .* must be a whole number"):
        SimilarityAttack(**given_)
