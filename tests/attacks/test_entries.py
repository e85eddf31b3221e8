"""Categories of whole classes, buckets and regions: `categorical-similarity` and `sensitive-variance`."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.attacks.releases import attacked
from tests.attacks.table_12 import GROUPS, LOOSE, PEOPLE, PUBLISHED
from tests.forms.publications import publish
from tests.oracles.theta import variance

import likeness as lk
from likeness.attacks.categorical_similarity import CategoricalSimilarityAttack, _Noise
from likeness.attacks.sensitive_variance import SensitiveVarianceAttack
from likeness.forms.angelized import AngelizedForm
from likeness.forms.generalized import GeneralizedForm
from likeness.microdata.plan import Plan
from likeness.models.base import SensitiveAttribute

BOTH = (CategoricalSimilarityAttack(), SensitiveVarianceAttack(order="frequency"))


@pytest.mark.parametrize("attack", BOTH)
def test_the_example_of_the_paper(attack):
    # Before swaps and noise p5 and p6 would be one bucket, both low.
    before, _, _ = publish(AngelizedForm(), PEOPLE, Plan(np.array(GROUPS), np.repeat(np.arange(4), 2)))
    found = attack.run(before, PEOPLE)
    assert (found.success, found.details["classes"], found.baseline) == (0.25, 0.25, 0)
    assert (found.details["regions"], found.details["joined"]) == (0, 0)
    after, _, _ = publish(AngelizedForm(), PUBLISHED, LOOSE)
    found = attack.run(after, PEOPLE)
    assert {found.success, *found.details.values()} == {0}


def test_invented_records_of_the_paper_can_be_told():
    after, _, _ = publish(AngelizedForm(), PUBLISHED, LOOSE)
    for order in ("severity", "frequency"):
        found = CategoricalSimilarityAttack(k=2, order=order).run(after, PEOPLE)
        # Mild is the one invented record of the fourth bucket; p6 and p8, the others of it, are Low.
        assert (found.details["invented"], found.details["filled"], found.details["told"]) == (1, 1, 1)
        assert (found.details["classes"], found.success) == (1 / 4, 3 / 9)
    publication, _, _ = publish(GeneralizedForm(), PEOPLE, GROUPS)
    with pytest.raises(lk.PolicyError, match="k is the size of buckets, and one table has none"):
        CategoricalSimilarityAttack(k=2).run(publication, PEOPLE)


@pytest.mark.parametrize(("k", "categories"), [(2, 3), (3, 3), (4, 3), (3, 4), (5, 4)])
def test_what_can_be_told_is_what_one_bucket_only_is_filled_up_to(k, categories):
    """Every bucket of k filled up by the plain rule, from every last record."""
    theta = Fraction(3, 5) * Fraction(min(k, categories) ** 2 - 1, 12)
    possible = {}
    for real in product(range(k + 1), repeat=categories):
        if sum(real) != k:
            continue
        for start in [value for value, count in enumerate(real) if count]:
            counts, last = list(real), start
            while variance(counts) < theta:
                circle = [(last + step) % categories for step in range(1, categories + 1)]
                last = min(circle, key=lambda value, counts=counts: counts[value])
                counts[last] += 1
            if sum(counts) > k:
                invented = tuple(count - own for count, own in zip(counts, real, strict=True))
                possible.setdefault(tuple(counts), set()).add(invented)
    model = lk.ThetaSensitivity(k, "3/5", order="frequency")
    attribute = SensitiveAttribute(PEOPLE.sensitive[0], np.ones(categories, np.int64))
    noise = _Noise(model.bind_to(attribute), np.arange(categories), k)
    told = {counts: noise.of(counts) for counts in possible}
    assert told == {
        counts: next(iter(own)) if len(own) == 1 else (0,) * categories for counts, own in possible.items()
    }
    assert any(map(any, told.values()))


def test_variance_is_that_of_theta():
    after, _, _ = publish(AngelizedForm(), PUBLISHED, LOOSE)
    # 2/9 of (2, 1) is no less than .88 of 1/4, and less than .9.
    for mu, share in ((0.88, 0), (0.9, 3 / 9)):
        assert SensitiveVarianceAttack(mu=mu, order="frequency").run(after, PEOPLE).success == share
    with pytest.raises(lk.PolicyError, match="mu must be a number above 0"):
        SensitiveVarianceAttack(mu=0)


@settings(deadline=None, max_examples=40)
@given(draw=st.data(), form=st.sampled_from(["angelized", "anatomized", "generalized"]))
def test_figures_are_those_of_every_class_by_hand(draw, form):
    found = draw.draw(attacked(form, highest=True))
    publication = found.publication
    assume(publication.size > 0)
    domain = publication.sensitive[0]
    ranks = [domain.categories.rank[domain.labels[code]] for code in publication.sensitive_codes[0].tolist()]
    classes, identities = publication.classes.tolist(), publication.identities.tolist()
    n = len(classes)
    buckets = {c: [ranks[i] for i in range(n) if classes[i] == c] for c in set(classes)}
    regions = {
        r: [v for c in {classes[i] for i in range(n) if identities[i] == r} for v in buckets[c]]
        for r in set(identities)
    }
    theta = Fraction(3, 5) * Fraction(min(2, len(set(ranks))) ** 2 - 1, 12)

    def varies(values):
        return theta > 0 and len(values) >= 2 and variance([values.count(v) for v in range(3)]) >= theta

    for attack, flagged in (
        (BOTH[0], lambda values: len(set(values)) == 1),
        (BOTH[1], lambda values: not varies(values)),
    ):
        result = attack.run(publication, found.data)
        expected = {
            "classes": np.mean([flagged(own) for own in buckets.values()]),
            "in_class": np.mean([flagged(buckets[c]) for c in classes]),
            "regions": np.mean([flagged(own) for own in regions.values()]),
            "joined": np.mean([flagged(regions[r]) for r in identities]),
        }
        assert result.details == pytest.approx(expected)
        assert result.success == result.details["in_class"]
        joined = type(attack)(scope="joined").run(publication, found.data)
        if attack is BOTH[0]:
            assert joined.success == result.details["joined"]
        assert result.baseline == float(
            len(set(found.data.sensitive_codes[0].tolist())) == 1
            if attack is BOTH[0]
            else not _whole(found.data)
        )


def _whole(data) -> bool:
    codes = data.sensitive_codes[0].tolist()
    theta = Fraction(3, 5) * Fraction(min(2, len(set(codes))) ** 2 - 1, 12)
    return theta > 0 and len(codes) >= 2 and variance([codes.count(v) for v in range(3)]) >= theta


@settings(deadline=None, max_examples=5)
@given(draw=st.data())
def test_columns_without_categories_are_refused(draw):
    found = draw.draw(attacked("generalized"))
    assume(found.publication.size > 0)
    with pytest.raises(lk.PolicyError) as refused:
        CategoricalSimilarityAttack().run(found.publication, found.data)
    (problem,) = refused.value.problems
    assert problem == (
        "categorical-similarity: needs categories of 'disease', and it has none; "
        "give them, as in categories: {disease: severity.csv}"
    )


def test_one_table_has_one_scope():
    publication, _, _ = publish(GeneralizedForm(), PEOPLE, GROUPS)
    for attack in BOTH:
        details = attack.run(publication, PEOPLE).details
        assert details["classes"] == details["regions"]
        assert details["in_class"] == details["joined"]
    with pytest.raises(lk.PolicyError, match="scope must be one of bucket, joined"):
        CategoricalSimilarityAttack(scope="region")
