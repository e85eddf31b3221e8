"""θ-sensitive k-anonymity: the papers' search is its plain scan; dealing invents nobody."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.forms.publications import integers, table
from tests.methods import plain_theta

import likeness as lk
from likeness.errors import CannotBeMetError, PolicyError
from likeness.methods._theta import paper_buckets, the_model
from likeness.methods.base import Problem, holding_records
from likeness.methods.theta_sensitive import ThetaSensitive
from likeness.microdata.regions import LOSSES
from likeness.models.requirements import require

NUMBERINGS = {
    "frequency": {"order": "frequency"},
    "severity": {},
    "category-id": {"index": "category-id"},
}


def problem(values, ages, *models):
    data = table(
        [(integers("age", list(range(max(ages) + 1))), ages)],
        [(integers("disease", list(range(max(values) + 1))), values)],
    )
    requirements = require(models, data.sensitive, data.sensitive_codes)
    return Problem(data, requirements, LOSSES["glm"], np.random.default_rng(0))


def bounded(k, mu, numbering="frequency"):
    return lk.ThetaSensitivity(k, mu, by="values", **NUMBERINGS[numbering])


SEVERITY = {"low": ["cold"], "mild": ["flu"], "high": ["gout"]}


@st.composite
def tables(draw):
    """Categories with gaps, ties and rare ones; a size and a share."""
    k = draw(st.integers(2, 6))
    few = draw(st.sampled_from([[0, 1], [0, 1, 2], [0, 2, 3, 5], list(range(6))]))
    often = draw(st.lists(st.sampled_from(few), min_size=1, max_size=3))
    values = draw(st.lists(st.sampled_from([*few, *often * 4]), min_size=k, max_size=50))
    return values, k, Fraction(draw(st.integers(1, 20)), 20)


@settings(deadline=None, max_examples=150)
@given(given_=tables(), numbering=st.sampled_from(list(NUMBERINGS)))
def test_the_search_is_the_plain_scan(given_, numbering):
    values, k, mu = given_
    if len(set(values)) < 2:
        return
    own = problem(values, [0] * len(values), bounded(k, str(float(mu)), numbering))
    _, requirement, view = the_model("", own.requirements, alone=True)
    found = paper_buckets(own.data, requirement, view, k, np.arange(len(values)))
    at, noise, exchanges = plain_theta.search(values, k, mu, numbering)
    bucket = np.minimum(np.arange(len(values)) // k, len(values) // k - 1)
    assert found.buckets[at].tolist() == bucket.tolist()
    added = found.added
    of, shown = ([], []) if added is None else (added.of.tolist(), added.sensitive[0].tolist())
    assert list(zip(shown, of, strict=True)) == [(value, copied) for _, value, copied in noise]
    assert found.history == {
        "exchanges": exchanges,
        "invented": len(noise),
        "buckets_with_invented": len({number for number, *_ in noise}),
    }


@settings(deadline=None, max_examples=60)
@given(given_=tables(), seed=st.integers(0, 100))
def test_what_the_papers_search_makes_holds_with_what_it_invents(given_, seed):
    values, k, mu = given_
    ages = np.random.default_rng(seed).integers(0, 9, len(values)).tolist()
    own = problem(values, ages, bounded(k, str(float(mu))), lk.KAnonymity(k))
    plan = ThetaSensitive("paper").run(own)
    if len(set(values)) > 1:
        assert holding_records(own.requirements, own.data, plan).all()


@settings(deadline=None, max_examples=60)
@given(given_=tables(), seed=st.integers(0, 100), numbering=st.sampled_from(list(NUMBERINGS)))
def test_dealing_holds_or_the_whole_table_does_not(given_, seed, numbering):
    values, k, mu = given_
    ages = np.random.default_rng(seed).integers(0, 9, len(values)).tolist()
    own = problem(values, ages, bounded(k, str(float(mu)), numbering))
    plan = ThetaSensitive().run(own)
    whole = plain_theta.variance(values, numbering) >= plain_theta.threshold(values, k, mu) > 0
    if not plan.published.all():
        assert plan.withheld == len(values)
        assert not whole
        return
    if numbering != "frequency":  # closed under union: what holds in parts holds of all
        assert whole
    assert plan.added is None
    for number in range(plan.count):
        members = [value for value, of in zip(values, plan.classes.tolist(), strict=True) if of == number]
        assert len(members) >= k
        assert plain_theta.variance(members, numbering) >= plain_theta.threshold(values, k, mu)


def test_of_even_categories_every_class_has_as_many_of_each():
    values = [0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4] * 5
    plan = ThetaSensitive().run(problem(values, list(range(60)), bounded(6, "0.9")))
    assert plan.count == 10
    for number in range(10):
        counts = np.bincount(np.array(values)[plan.classes == number], minlength=5).tolist()
        assert counts == [2, 1, 1, 1, 1]
        # Who are near stay near: every class is of six neighbours, give or take one category's step.
        assert np.ptp(np.flatnonzero(plan.classes == number)) < 12


def test_tuples_are_exchanged_in_the_order_of_quasi_identifiers():
    # By age: 0 0 | 0 1: the second of the first bucket is exchanged with the only one that helps.
    plan = ThetaSensitive("paper").run(problem([1, 0, 0, 0], [9, 1, 2, 3], bounded(2, "1")))
    assert plan.classes.tolist() == [0, 0, 1, 1]
    # Of (2, 1) the variance is 2/9, below 1/4: a second one is invented, and both copy the bucket's last.
    assert (plan.added.of.tolist(), plan.added.sensitive.tolist()) == ([2, 2], [[1, 1]])


def test_it_makes_buckets_of_angel_unless_it_would_invent_records():
    method = lk.Angel(buckets="theta-sensitive")
    release = lk.anonymize(PEOPLE, asked(model=lk.ThetaSensitivity(3, "0.2"), method=method), seed=1)
    assert release.certificate.form["name"] == "angelized"
    assert all(proof.holds for proof in release.verdict.proofs)
    with pytest.raises(PolicyError, match="would invent records, which are in no other table"):
        lk.Angel(buckets={"name": "theta-sensitive", "variant": "paper"})


def test_what_it_was_not_made_for_is_refused():
    values, ages = [0, 1] * 4, list(range(8))
    with pytest.raises(PolicyError, match="makes buckets for one theta-sensitivity; this guarantee has 0"):
        ThetaSensitive().check(problem(values, ages, lk.KAnonymity(2)).requirements)
    both = problem(values, ages, bounded(2, "1/2"), lk.DistinctLDiversity(2))
    ThetaSensitive().check(both.requirements)
    with pytest.raises(PolicyError, match="and a size alone, not for distinct-l-diversity on 'disease'"):
        ThetaSensitive("paper").check(both.requirements)
    with pytest.raises(PolicyError, match="variant"):
        ThetaSensitive("best")


PEOPLE = pl.DataFrame(
    {
        "age": list(range(20, 32)),
        "sex": ["f", "m"] * 6,
        "disease": ["flu"] * 7 + ["gout", "cold", "flu", "flu", "flu"],
    }
)
COLUMNS = {"age": lk.quasi(), "sex": lk.quasi(), "disease": lk.sensitive()}


def asked(variant="paper", model=None, **more):
    settings_ = {
        "columns": COLUMNS,
        "categories": {"disease": SEVERITY},
        "privacy": [model or lk.ThetaSensitivity(3, "0.8", order="frequency"), lk.KAnonymity(3)],
        "method": ThetaSensitive(variant),
    }
    return lk.Policy(**{**settings_, **more})


def test_invented_records_are_published_and_told_to_the_steward_alone(tmp_path):
    release = lk.anonymize(PEOPLE, asked(), seed=1)
    counts = release.counts
    assert counts["added"] == counts["invented"] > 0
    assert counts["input"] == counts["published"] - counts["added"] == 12
    assert release.table.height == counts["published"] == release.certificate.records
    rows = release.private.rows["release"]
    assert sorted(rows[rows < 0].tolist()) == [-1 - i for i in reversed(range(counts["added"]))]
    folder = release.write(tmp_path / "out")
    told = json.loads((folder / "public/certificate.json").read_text())
    assert told["noise"] is True
    assert {claim["scope"] for claim in told["guarantee"]} == {"steward"}
    assert all(claim["measured"] is None for claim in told["guarantee"])
    private = pl.read_parquet(folder / "private/classes.parquet")
    invented = private.filter(pl.col("status") == "invented")
    assert invented["row"].to_list() == release.private.solution.plan.added.of.tolist()
    # What they copy is in the class that they are in.
    copied = private.filter(pl.col("status") == "published").join(invented, on="row", how="semi")
    assert set(copied["class"]) == set(invented["class"])
    shown = release.table[invented["published_row"].to_list()].select("age", "sex").rows()
    like = private.filter(pl.col("status") == "published")
    own = [like.filter(pl.col("row") == row)["published_row"].item() for row in invented["row"]]
    assert shown == release.table[own].select("age", "sex").rows()


def test_who_has_the_public_files_alone_can_check_nothing_of_it(tmp_path):
    folder = lk.anonymize(PEOPLE, asked(), seed=1).write(tmp_path / "out")
    public = lk.verify(folder / "public")
    assert public.status == "nothing checkable"
    assert {proof.holds for proof in public.proofs} == {None}
    assert any("declares that some published records are nobody's" in check for check in public.checks)
    assert lk.verify(folder).status == lk.verify(folder, PEOPLE).status == "proven"
    opened = lk.open_release(folder, PEOPLE)
    again = opened.write(tmp_path / "again")
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            assert path.read_bytes() == (again / path.relative_to(folder)).read_bytes()
    # Somebody says what nobody may.
    file = folder / "public/certificate.json"
    told = json.loads(file.read_text())
    told["counts"]["individuals"] = 12
    file.write_text(json.dumps(told, indent=2, ensure_ascii=False) + "\n")
    found = lk.verify(folder / "public")
    assert any("individuals are counted, and noise is declared" in line for line in found.problems)


def test_a_claim_that_the_public_files_refute_is_refused(tmp_path):
    folder = lk.anonymize(PEOPLE, asked(), seed=1).write(tmp_path / "out")
    file = folder / "public/certificate.json"
    told = json.loads(file.read_text())
    for claim in told["guarantee"]:
        if claim["model"] == "k-anonymity":
            claim["parameters"]["k"] = 9
    file.write_text(json.dumps(told, indent=2, ensure_ascii=False) + "\n")
    found = lk.verify(folder / "public")
    assert [proof.holds for proof in found.proofs] == [None, False]


def moved(frame, told, changes):
    """Change cells of the class map's last row."""
    last = frame.tail(1).with_columns(**{name: pl.lit(value, told[name]) for name, value in changes.items()})
    return pl.concat([frame.head(-1), last])


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"row": 99}, "copies the row 100, which is not there"),
        ({"class": 0}, "is not in the class of row"),
        ({"published_row": 0}, "is said to be published in a row that another one has"),
        ({"status": "published"}, "is not in its place; a row was taken out or moved"),
    ],
)
def test_a_class_map_that_contradicts_itself_is_refused(tmp_path, changes, why):
    folder = lk.anonymize(PEOPLE, asked(), seed=1).write(tmp_path / "out")
    file = folder / "private/classes.parquet"
    frame = pl.read_parquet(file)
    moved(frame, frame.schema, changes).write_parquet(file)
    assert any(why in line for line in lk.verify(folder).problems)


def test_without_invented_records_it_is_refused_with_the_strongest():
    with pytest.raises(CannotBeMetError) as refused:
        lk.anonymize(PEOPLE, asked("dealt", lk.ThetaSensitivity(3, "0.9")), seed=1)
    # 10 of flu, 1, 1: numbers 0 cold, 1 flu, 2 gout.
    counts = [1, 10, 1]
    variance = plain_theta.variance([i for i, n in enumerate(counts) for _ in range(n)], "severity")
    assert f"mu = {float(variance / Fraction(2, 3)):.6g}"[:9] in refused.value.problems[0]


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"columns": COLUMNS | {"sex": lk.other()}}, "nobody has their 'sex', which is published as it is"),
        (
            {
                "knowledge": {"kernel": {"bandwidth": 0.3}},
                "privacy": [lk.ThetaSensitivity(3, "0.8", order="frequency"), lk.JsBackground("1")],
            },
            "of whom nobody knows anything beforehand",
        ),
        ({"form": "microaggregated"}, "invents records here, which microaggregated cannot publish"),
    ],
)
def test_nothing_is_said_of_nobody(more, why):
    with pytest.raises(PolicyError, match=why):
        lk.anonymize(PEOPLE, asked(**more), seed=1)
