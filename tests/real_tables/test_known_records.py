"""Who knows a record of somebody in INFORMS, or a category that somebody has none of: the paper's buckets give them away."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from tests.forms.publications import publish
from tests.oracles.theta import scan

import likeness as lk
from likeness.attacks.base import Making
from likeness.forms.angelized import AngelizedForm
from likeness.methods.angel import Angel
from likeness.microdata.plan import Plan
from papers.identity_reserved.real import informs_2005
from papers.two_tables.severity import severity

QUASI = ["month", "year", "gender", "race", "educ_year", "marry", "poverty", "hispanx"]
NUMBERS = {"month", "year", "educ_year"}


def asked(data_folder, **more):
    """Table and policy."""
    frame = informs_2005(data_folder).with_columns(
        pl.col(name).cast(pl.String) for name in QUASI if name not in NUMBERS
    )
    return frame, lk.Policy(
        columns={
            "patient_id": lk.identifier(),
            **{name: lk.quasi(kind="integer" if name in NUMBERS else "categorical") for name in QUASI},
            "diagnosis": lk.sensitive(kind="categorical"),
        },
        individual="patient_id",
        categories={"diagnosis": severity(frame["diagnosis"].to_list())},
        withhold={"at_most": 0},
        **more,
    )


@pytest.fixture(scope="module")
def informs(data_folder):
    """Everybody's highest category, regions of five by Mondrian, and the paper's buckets of two."""
    frame, policy = asked(data_folder, privacy=lk.KAnonymity(5), method=Angel(publish="highest"))
    release = lk.anonymize(frame, policy, seed=1)
    data, plan = release.private.encoded.data, release.private.solution.plan
    assert data.size == 26_854
    assert data.source.records.size == 98_703
    buckets, swaps, good = scan(data.sensitive_codes[0].tolist(), 5, 2, Fraction(3, 5))
    assert (swaps, good) == (9_310, True)
    made = Plan(plan.classes, np.array(buckets))
    publication, _, made = publish(AngelizedForm(), data, made)
    return publication, data, Making(Angel(), (), made)


@pytest.mark.slow
def test_one_known_record(informs):
    found = lk.MembershipAttack().run(*informs)
    assert found.details["targets"] == 16_641
    assert found.details["breached_in_class"] == pytest.approx(0.611, abs=5e-4)
    assert found.details["certain_in_class"] == pytest.approx(0.043, abs=5e-4)
    # Of regions of 5 to 9 people (NCP .0570); the smaller the regions, the more is learnt.
    assert found.success == pytest.approx(0.179, abs=5e-4)
    assert found.details["certain"] == 0
    assert "it succeeds on 17.9% of the targets, and on 61.1% where the bucket is known too" in found.claim


@pytest.mark.slow
def test_one_category_ruled_out(informs):
    found = lk.NonMembershipAttack().run(*informs)
    assert found.details["certain_in_class"] == pytest.approx(0.202, abs=5e-4)


@pytest.mark.slow
def test_invented_records_that_can_be_told(data_folder):
    method = lk.ThetaStarUtility("paper", grouping="mondrian")
    privacy = [lk.KAnonymity(5), lk.ThetaSensitivity(5, order="frequency")]
    release = lk.anonymize(*asked(data_folder, privacy=privacy, method=method), seed=1)
    found = release.attack(lk.CategoricalSimilarityAttack(k=5, order="frequency"))
    assert release.publication.size == 26_854 + 5_903
    # The last bucket has nine people; who does not know that takes four for invented, and is wrong about it.
    assert found.details["invented"] == 5_903 + 4
    assert (found.details["filled"], found.details["told"]) == (3_058, 759)
