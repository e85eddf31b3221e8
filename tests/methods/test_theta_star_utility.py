"""(θ*,k)-utility: the paper's example to the last entry, its grouping as it is written, and the variant that invents nobody."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.forms.publications import integers, table, words
from tests.methods import plain_theta
from tests.microdata.test_highest import COLUMNS, SEVERITY, TABLE

import likeness as lk
from likeness.errors import CannotBeMetError, PolicyError
from likeness.methods.base import Problem
from likeness.methods.theta_star_utility import ThetaStarUtility, greedy_groups
from likeness.metrics.ncp import Ncp
from likeness.microdata.regions import LOSSES
from likeness.models.requirements import require

LABELS = list(SEVERITY)


def asked(mu="0.6", method=None, privacy=None, k=2, **more):
    model = lk.ThetaSensitivity(k, mu, order="frequency")
    settings_ = {
        "columns": COLUMNS,
        "individual": "id",
        "categories": {"symptom": SEVERITY},
        "privacy": privacy or [lk.KAnonymity(k), model],
        "method": method or ThetaStarUtility("paper"),
    }
    return lk.Policy(**{**settings_, **more})


def buckets(release):
    """Label to number of every bucket, the invented records too, in the order of the search."""
    plan, data = release.private.solution.plan, release.private.encoded.data
    shown = [[] for _ in range(int(plan.buckets.max()) + 1)]
    names = TABLE["id"].gather(data.rows).to_list()
    for record, bucket in enumerate(plan.buckets.tolist()):
        shown[bucket].append((names[record], LABELS[data.sensitive_codes[0][record]]))
    if plan.added is not None:
        for i, of in enumerate(plan.added.of.tolist()):
            shown[plan.buckets[of]].append(("n", LABELS[plan.added.sensitive[0, i]]))
    return shown


@pytest.mark.parametrize("mu", ["0.5", "0.6", "0.7", "0.8", "0.88"])
def test_the_papers_table_12(mu):
    release = lk.anonymize(TABLE, asked(mu), seed=1)
    assert buckets(release) == [
        [("p1", "Mild"), ("p2", "Severe")],
        [("p3", "High"), ("p4", "Severe")],
        [("p5", "Low"), ("p7", "Asymptomatic")],
        [("p6", "Low"), ("p8", "Low"), ("n", "Mild")],
    ]
    plan = release.private.solution.plan
    assert plan.history == {"exchanges": 1, "invented": 1, "buckets_with_invented": 1}
    names = np.array(["p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8"])
    groups = [names[plan.classes == number].tolist() for number in range(plan.count)]
    assert groups == [["p1", "p5"], ["p2", "p6"], ["p3", "p7"], ["p4", "p8"]]
    shown = Counter(release.tables["quasi"].select("age", "zip", "sex").rows())
    assert shown == {
        ("[40, 42]", "[2139, 2341]", "Female"): 2,
        ("[40, 45]", "[2545, 2548]", "Male"): 2,
        ("45", "[2238, 2544]", "Female"): 2,
        ("[32, 38]", "[2538, 2843]", "Male"): 3,
    }
    entries = release.tables["sensitive"].group_by("bucket").agg("symptom", "count")
    told = sorted(sorted(zip(*row, strict=True)) for row in entries.select("symptom", "count").rows())
    assert told == [
        [("Asymptomatic", 1), ("Low", 1)],
        [("High", 1), ("Severe", 1)],
        [("Low", 2), ("Mild", 1)],
        [("Mild", 1), ("Severe", 1)],
    ]
    # Of the groups 0.881556, 0.777753, 0.869318, 1.789554 (a sum over attributes): 4.318182 in all.
    assert release.loss("glm")["glm"] * 8 * 3 == pytest.approx(4.318182, abs=5e-7)
    without, with_noise = (Ncp(loss="glm", include_noise=counted) for counted in (False, True))
    assert without.measure(release.evaluation) * 8 * 3 == pytest.approx(4.318182, abs=5e-7)
    assert with_noise.measure(release.evaluation) * 9 * 3 == pytest.approx(5.212959, abs=5e-7)
    assert sum(with_noise.by_attribute(release.evaluation).values()) * 9 == pytest.approx(5.212959, abs=5e-7)


def test_one_to_one_groups_lose_more_with_the_same_buckets():
    method = ThetaStarUtility("paper", link="tight")
    loose, tight = (lk.anonymize(TABLE, asked("0.6", **more), seed=1) for more in ({}, {"method": method}))
    assert buckets(tight) == buckets(loose)
    plan = tight.private.solution.plan
    assert plan.classes.tolist() == plan.buckets.tolist()
    # Of the groups p1 and p2, p3 and p4, p5 and p7, p6 and p8.
    assert tight.loss("glm")["glm"] * 8 * 3 == pytest.approx(11.015734, abs=5e-7)


@pytest.mark.parametrize("k", [2, 4])
def test_tight_buckets_are_as_large_as_groups_must_be(k):
    privacy = [lk.KAnonymity(k), lk.ThetaSensitivity(2, "1/3")]
    method = ThetaStarUtility(link="tight")
    release = lk.anonymize(TABLE, asked("0.6", method=method, privacy=privacy), seed=1)
    plan = release.private.solution.plan
    assert plan.classes.tolist() == plan.buckets.tolist()
    assert np.bincount(plan.buckets).min() >= k
    assert all(proof.holds for proof in release.verdict.proofs)


def test_at_most_eight_ninths_one_record_is_invented_and_then_two():
    release = lk.anonymize(TABLE, asked("0.9"), seed=1)
    assert buckets(release)[3] == [("p6", "Low"), ("p8", "Low"), ("n", "Mild"), ("n", "High")]
    measured = plain_theta.variance([1, 1, 2, 3])
    assert measured == Fraction(11, 16)
    variances = [
        plain_theta.variance([LABELS.index(own) for _, own in bucket]) for bucket in buckets(release)
    ]
    assert variances == [Fraction(1, 4)] * 3 + [measured]


def test_every_record_is_accounted_for(tmp_path):
    release = lk.anonymize(TABLE, asked(), seed=1)
    counts = release.counts
    assert counts["published"] - counts["added"] + sum(counts["dropped"].values()) == counts["input"] == 16
    assert (counts["published"], counts["added"], counts["invented"], counts["withheld"]) == (9, 1, 1, {})
    assert release.individual_counts["published"] == 8
    folder = release.write(tmp_path / "out")
    verdict = lk.verify(folder, TABLE)
    assert verdict.status == "proven"
    line = "16 records = 9 published - 1 added + 0 withheld + 8 dropped"
    assert any(line in check for check in verdict.checks)
    again = lk.open_release(folder, TABLE)
    assert again.counts == counts
    assert again.loss() == release.loss()
    assert again.attack_all() == release.attack_all()
    written = again.write(tmp_path / "again")
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            assert path.read_bytes() == (written / path.relative_to(folder)).read_bytes()


def test_a_bucket_without_a_value_of_its_people_is_found(tmp_path):
    release = lk.anonymize(TABLE, asked(), seed=1)
    folder = release.write(tmp_path / "out")
    file = folder / "public/sensitive.csv"
    entries = pl.read_csv(file)
    number = entries.filter(pl.col("symptom") == "High")["bucket"].item()
    changed = entries.with_columns(
        symptom=pl.when((pl.col("bucket") == number) & (pl.col("symptom") == "High"))
        .then(pl.lit("Mild"))
        .otherwise("symptom")
    )
    changed.write_csv(file)
    problems = lk.verify(folder, TABLE).problems
    assert any(
        f"bucket = {number} does not have the sensitive values of its records" in one for one in problems
    )


def test_a_small_table_is_one_bucket_and_fewer_than_k_are_refused():
    # Seven people are too few for two buckets of four.
    people = pl.DataFrame(
        {
            "id": ["a", "b", "c", "d", "e", "f", "g"],
            "age": [30, 31, 32, 33, 34, 35, 36],
            "zip": [1] * 7,
            "sex": ["f"] * 7,
            "symptom": ["Flu", "Flu", "Flu", "No Symptoms", "Cough", "Chest Pain", "Respiratory Problem"],
        }
    )
    alone = asked("0.6", k=4, privacy=[lk.ThetaSensitivity(4, "0.6", order="frequency")])
    release = lk.anonymize(people, alone, seed=1)
    plan = release.private.solution.plan
    assert int(plan.buckets.max()) == 0
    assert plan.added is None
    with pytest.raises(CannotBeMetError, match="the table of 7 records"):
        lk.anonymize(people, asked("0.6", k=8), seed=1)


@st.composite
def tables(draw):
    """Quasi-identifiers of two kinds, many of them alike, and a size."""
    k, n = draw(st.integers(1, 4)), draw(st.integers(4, 24))
    ages = draw(st.lists(st.integers(0, 6), min_size=n, max_size=n))
    jobs = draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))
    return k, ages, jobs


@settings(deadline=None, max_examples=120)
@given(given_=tables())
def test_the_greedy_grouping_is_the_plain_one(given_):
    k, ages, jobs = given_
    data = table(
        [(integers("age", list(range(7))), ages), (words("job", list("abcde")), jobs)],
        [(words("disease", ["d"]), [0] * len(ages))],
    )

    def loss(members):
        old, work = zip(*members, strict=True)
        return Fraction(max(old) - min(old), 6) + Fraction(len(set(work)) - 1, 4)

    found = greedy_groups(data, k, LOSSES["glm"])
    plain = plain_theta.grouped(list(zip(ages, jobs, strict=True)), k, loss)
    assert [np.flatnonzero(found == number).tolist() for number in range(len(plain))] == [
        sorted(group) for group in plain
    ]


def test_the_default_invents_nobody_and_anybody_can_check_it(tmp_path):
    release = lk.anonymize(TABLE, asked("0.5", ThetaStarUtility()), seed=1)
    plan = release.private.solution.plan
    assert plan.added is None
    assert release.counts["added"] == 0
    assert np.bincount(plan.buckets).min() >= 2
    folder = release.write(tmp_path / "out")
    verdict = lk.verify(folder / "public")
    assert verdict.status == "proven"
    assert {proof.scope for proof in verdict.proofs} == {"public"}


def test_other_models_of_values_are_kept_by_the_default_too():
    privacy = [lk.KAnonymity(2), lk.ThetaSensitivity(2, "0.3"), lk.MembershipSafety("0.9")]
    try:
        release = lk.anonymize(TABLE, asked(method=ThetaStarUtility(), privacy=privacy), seed=1)
    except CannotBeMetError as refused:
        assert "membership-safety" in refused.problems[0]
    else:
        assert all(proof.holds for proof in release.verdict.proofs)
    with pytest.raises(PolicyError, match="and a size alone, not for membership-safety"):
        lk.anonymize(TABLE, asked(privacy=privacy), seed=1)


def test_groups_are_as_large_as_buckets_where_no_size_is_asked():
    data = table([(integers("age", [0, 1]), [0, 1])], [(integers("disease", [0, 1]), [0, 1])])
    own = require([lk.ThetaSensitivity(2, "0.5", by="values")], data.sensitive, data.sensitive_codes)
    plan = ThetaStarUtility().run(Problem(data, own, LOSSES["glm"], np.random.default_rng(0)))
    assert plan.classes.tolist() == plan.buckets.tolist() == [0, 0]


def test_of_three_people_a_bucket_is_filled_up_until_it_is_varied():
    data = table([(integers("age", [0, 1, 2]), [0, 1, 2])], [(integers("disease", [0, 1]), [0, 0, 1])])
    for mu, invented in (("0.8", []), ("0.9", [1])):
        models = [lk.ThetaSensitivity(2, mu, by="values", order="frequency")]
        own = require(models, data.sensitive, data.sensitive_codes)
        plan = ThetaStarUtility("paper").run(Problem(data, own, LOSSES["glm"], np.random.default_rng(0)))
        assert plan.buckets.tolist() == [0, 0, 0]
        assert ([] if plan.added is None else plan.added.sensitive[0].tolist()) == invented
