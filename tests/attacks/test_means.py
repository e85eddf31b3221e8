"""Attacks on releases of means and modes: candidates are the classes that lie nearest."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.attacks.releases import COVERING, RECORD_FORMS, attacked
from tests.forms.publications import as_shown, integers, publish, table, words
from tests.oracles.nearest import PlainNearest

from likeness.attacks.base import Making
from likeness.attacks.homogeneity import HomogeneityAttack
from likeness.attacks.linkage import LinkageAttack
from likeness.attacks.naive_bayes import NaiveBayesAttack
from likeness.errors import PolicyError
from likeness.forms.microaggregated import MicroaggregatedForm
from likeness.methods.mondrian import Mondrian
from likeness.metrics.base import Evaluation
from likeness.metrics.measuring import measure
from likeness.metrics.ncp import Ncp
from likeness.metrics.record_linkage import RecordLinkage
from likeness.metrics.sse import Sse
from likeness.microdata.regions import recode

MEANS = tuple(name for name in RECORD_FORMS if name not in COVERING)
AGE = integers("age", [10, 18, 20, 30, 40, 50])
DISEASE = words("disease", ["cold", "flu"])


def released(ages, sick, classes):
    """Ages published as means: what was published, the original, how it was made, and what metrics see."""
    form = MicroaggregatedForm()
    codes = [AGE.code_of[str(age)] for age in ages]
    data = as_shown(form, table([(AGE, codes)], [(DISEASE, sick)]))
    publication, _, plan = publish(form, data, classes)
    making = Making(Mondrian(), (), plan)
    return publication, data, making, Evaluation(data, *recode(data, plan), publication)


def test_by_hand():
    # Means 15 and 36: 20, whose own mean is 15, lies nearest to it; so does 18, whose own mean is 36.
    publication, data, making, measured = released([10, 20, 18, 40, 50], [0, 0, 1, 1, 1], [0, 0, 1, 1, 1])
    found = LinkageAttack().run(publication, data, making)
    assert found.success == pytest.approx((1 / 2 + 1 / 2 + 0 + 1 / 3 + 1 / 3) / 5)
    assert found.details["misled"] == 1 / 5
    assert RecordLinkage().measure(measured) == pytest.approx(5 / 3)
    # 18 is taken for one of the first class, and guessed wrong.
    guessed = HomogeneityAttack().run(publication, data)
    assert (guessed.success, guessed.details["certain"]) == (4 / 5, 1)
    # Squares over the width of the domain, 40.
    assert Sse().measure(measured) == pytest.approx((25 + 25 + 18**2 + 4**2 + 14**2) / 1600)


def test_what_lies_as_far_from_two_means_may_be_in_both():
    # 20 lies as far from the mean 10 as from its own, 30: it is one of four.
    publication, data, making, measured = released([10, 10, 20, 40], [0, 0, 0, 1], [0, 0, 1, 1])
    found = LinkageAttack().run(publication, data, making)
    assert found.success == pytest.approx((1 / 2 + 1 / 2 + 1 / 4 + 1 / 2) / 4)
    assert found.details["misled"] == 0
    assert RecordLinkage().measure(measured) == pytest.approx(1.75)
    assert publication.posterior({"age": 20}) == {"disease": {"cold": 0.75, "flu": 0.25}}


@pytest.mark.parametrize("form", MEANS)
@given(draw=st.data())
@settings(deadline=None, max_examples=40)
def test_linkage_against_brute_force(form, draw):
    found = draw.draw(attacked(form))
    plain = PlainNearest(found.data, found.plan)
    sizes = np.bincount(found.plan.classes[found.plan.published], minlength=1)
    chances, misled = [], 0
    for record, codes in enumerate(found.data.codes.T.tolist()):
        near = plain.near(dict(enumerate(codes)))
        mine = int(found.plan.classes[record]) in near
        misled += not mine
        chances.append(Fraction(int(mine), max(1, int(sizes[near].sum()))) if near else Fraction(0))
    result = LinkageAttack().run(found.publication, found.data, found.making)
    assert result.success == pytest.approx(float(sum(chances)) / found.data.size)
    assert result.details["misled"] == misled / found.data.size
    assert result.details["prosecutor_max"] == pytest.approx(float(max(chances)))


def test_refusals():
    publication, data, _, measured = released([10, 20, 18, 40, 50], [0, 0, 1, 1, 1], [0, 0, 1, 1, 1])
    with pytest.raises(
        PolicyError, match="linkage: needs to know who is in which class, as means cover nobody"
    ):
        LinkageAttack().run(publication, data)
    with pytest.raises(
        PolicyError, match="naive-bayes: reads from regions whom they cover, and microaggregated"
    ):
        NaiveBayesAttack().run(publication, data)
    found = measure(measured, ())
    assert {"sse", "query-error", "discernibility", "average-class-size"} <= set(found)
    assert "ncp" not in found
    assert found.skipped["ncp"] == (
        "ncp: measures regions, and means or modes are published instead ('age'); measure sse or query-error"
    )
    with pytest.raises(PolicyError, match="ncp: measures regions"):
        measure(measured, (), {"ncp": Ncp()})
