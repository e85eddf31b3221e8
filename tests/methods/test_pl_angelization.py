"""(p,l)-angelization, reconstructed: people of different categories are dealt into buckets, which are the classes too."""

from __future__ import annotations

import filecmp

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.forms.publications import integers, table, words
from tests.microdata.test_highest import COLUMNS, SEVERITY, TABLE

import likeness as lk
from likeness.errors import PolicyError
from likeness.methods.base import Problem
from likeness.microdata.regions import LOSSES
from likeness.models.requirements import require
from likeness.progress import Progress


def asked(method, *models, **more):
    given_ = {
        "columns": COLUMNS,
        "individual": "id",
        "categories": {"symptom": SEVERITY},
        "privacy": list(models)
        or [lk.KAnonymity(2), lk.PPlusSensitivity(method.p), lk.DistinctLDiversity(method.l)],
        "method": method,
        "withhold": {"at_most": 0.2},
    }
    return lk.Policy(**{**given_, **more})


def groups(release):
    """People by bucket, in the order that they stand in the table."""
    solution = release.private.solution
    names = release.private.encoded.table.encode("id")
    rows = release.private.encoded.data.rows
    found = {}
    for row, bucket in zip(rows, solution.plan.buckets, strict=True):
        found.setdefault(int(bucket), []).append(names.values[names.codes[row]])
    return {number: set(own) for number, own in sorted(found.items())}


def test_of_fazals_table_pairs_of_different_categories():
    release = lk.anonymize(TABLE, asked(lk.PlAngelization(2, 2)), seed=1)
    assert groups(release) == {0: {"p5", "p2"}, 1: {"p6", "p4"}, 2: {"p3", "p1"}, 3: {"p8", "p7"}}
    # Eight people, three attributes, all of weight 1: the paper's sum over rows and attributes.
    assert release.loss("ncp")["ncp"] * 24 == pytest.approx(9.254, abs=5e-4)
    assert release.verdict.status == "proven"
    shown = release.tables["sensitive"].group_by("bucket").agg("symptom")["symptom"].to_list()
    assert sorted(sorted(own) for own in shown) == [
        ["Asymptomatic", "Low"], ["High", "Mild"], ["Low", "Severe"], ["Low", "Severe"],
    ]  # fmt: skip


def test_of_fazals_table_three_categories_each_and_one_left_over():
    release = lk.anonymize(TABLE, asked(lk.PlAngelization(3, 3)), seed=1)
    assert groups(release) == {-1: {"p8"}, 0: {"p5", "p2", "p3", "p7"}, 1: {"p6", "p4", "p1"}}
    assert release.private.solution.plan.withheld_because == {
        "no bucket has room for their category, which one has 1 times at most": 1
    }


def test_a_loose_link_gives_regions_of_k_alone():
    tight, loose = (
        lk.anonymize(TABLE, asked(lk.PlAngelization(link=link)), seed=1) for link in ("tight", "loose")
    )
    assert groups(tight) == groups(loose)
    alone = lk.anonymize(TABLE, asked(lk.Angel(publish="highest"), lk.KAnonymity(2)), seed=1)
    assert loose.loss("ncp") == alone.loss("ncp")
    assert loose.loss("ncp")["ncp"] < tight.loss("ncp")["ncp"]


def test_a_larger_k_takes_several_rounds():
    people = pl.DataFrame({"age": range(24), "symptom": ["Flu", "Cough", "No Symptoms"] * 8})
    severity = {"none": ["No Symptoms"], "low": ["Flu"], "mild": ["Cough"]}
    policy = lk.Policy(
        columns={"age": lk.quasi(), "symptom": lk.sensitive()},
        categories={"symptom": severity},
        privacy=[lk.KAnonymity(5), lk.AlphaKAnonymity(alpha="1/2", k=5)],
        method=lk.PlAngelization(),
    )
    release = lk.anonymize(people, policy, seed=1)
    plan = release.private.solution.plan
    # Three rounds of two, as 5 / 2 is not whole; none has more than half of a bucket.
    assert np.bincount(plan.buckets).tolist() == [6, 6, 6, 6]
    assert (plan.buckets == plan.classes).all()


TWO = pl.DataFrame(
    {
        "id": ["a", "a", "b", "c", "c", "d"],
        "age": [30, 30, 31, 60, 60, 61],
        "symptom": ["Flu", "Cough", "Flu", "Flu", "Cough", "Flu"],
        "drug": ["opiate", "aspirin", "aspirin", "opiate", "opiate", "aspirin"],
    }
)


def of_two(form=None, **weights):
    return lk.Policy(
        columns={"id": lk.identifier(), "age": lk.quasi(), "symptom": lk.sensitive(), "drug": lk.sensitive()},
        individual="id",
        categories={
            "symptom": {"low": ["Flu"], "mild": ["Cough"]},
            "drug": {"free": ["aspirin"], "prescribed": ["opiate"]},
        },
        privacy=[lk.KAnonymity(2), lk.DistinctLDiversity(2, others="unknown")],
        method=lk.PlAngelization(weights=weights or None),
        form=form,
    )


def test_of_several_columns_everybody_shows_the_highest_category_of_each(tmp_path):
    release = lk.anonymize(TWO, of_two(), seed=1)
    assert groups(release) == {0: {"a", "b"}, 1: {"c", "d"}}
    assert sorted(release.tables["sensitive"].drop("bucket").rows()) == [
        *[("low", "free", 1)] * 2,
        *[("mild", "prescribed", 1)] * 2,
    ]
    assert release.verdict.status == "proven"
    TWO.write_csv(tmp_path / "two.csv")
    apart = lk.anonymize(
        tmp_path / "two.csv", of_two(lk.AngelizedForm(apart=True), drug="3/4", symptom="1/4"), seed=1
    )
    assert apart.tables["sensitive"].height == 8
    assert apart.verdict.status == "proven"
    apart.write(tmp_path / "out")
    assert lk.verify(tmp_path / "out", tmp_path / "two.csv").status == "proven"
    lk.open_release(tmp_path / "out", tmp_path / "two.csv").write(tmp_path / "again")
    same = [path.relative_to(tmp_path / "out") for path in (tmp_path / "out").rglob("*.*")]
    assert len(same) > 4
    assert filecmp.cmpfiles(tmp_path / "out", tmp_path / "again", same, shallow=False)[0] == same
    report = (tmp_path / "out" / "private" / "report.html").read_text()
    assert "symptom: mild" in report
    assert "drug: prescribed" in report


def test_a_release_is_written_and_verified_beside_its_original(tmp_path):
    TABLE.write_csv(tmp_path / "people.csv")
    release = lk.anonymize(tmp_path / "people.csv", asked(lk.PlAngelization()), seed=1)
    release.write(tmp_path / "out")
    assert lk.verify(tmp_path / "out" / "public").status == "proven"
    assert lk.verify(tmp_path / "out", tmp_path / "people.csv").status == "proven"


def plain(leads, heavy, width, rounds):
    """Bucket of everybody, as the pseudocode says it."""
    queues = {
        lead: sorted((i for i, own in enumerate(leads) if own == lead), key=lambda i: (-heavy[i], i))
        for lead in set(leads)
    }
    buckets, taken = [], []
    while sum(map(bool, queues.values())) >= width:
        longest = sorted(queues, key=lambda lead: (-len(queues[lead]), -lead))[:width]
        taken += [queues[lead].pop(0) for lead in longest]
        if len(taken) == width * rounds:
            buckets.append(taken)
            taken = []
    found = [-1] * len(leads)
    for number, own in enumerate(buckets):
        for i in own:
            found[i] = number
    for i in range(len(leads)):
        if found[i] < 0:
            for number in range(len(buckets)):
                if sum(leads[j] == leads[i] for j in range(len(leads)) if found[j] == number) < rounds:
                    found[i] = number
                    break
    return found


@settings(deadline=None, max_examples=150)
@given(draw=st.data())
def test_deals_as_the_pseudocode(draw):
    n = draw.draw(st.integers(1, 30))
    codes = [draw.draw(st.lists(st.integers(0, 4), min_size=n, max_size=n)) for _ in range(2)]
    p, k = draw.draw(st.integers(2, 4)), draw.draw(st.integers(1, 7))
    weights = draw.draw(st.sampled_from([None, {"s": 1, "t": 1}, {"s": "1/3", "t": "2/3"}]))
    values = [words(name, [f"d{i}" for i in range(5)]) for name in "st"]
    data = table([(integers("age", list(range(n))), list(range(n)))], list(zip(values, codes, strict=True)))
    requirements = require([lk.KAnonymity(k)], data.sensitive, data.sensitive_codes)
    problem = Problem(data, requirements, LOSSES["ncp"], np.random.default_rng(0), progress=Progress())
    plan = lk.PlAngelization(p, 2, weights).run(problem)
    heaviest = 1 if weights and weights["t"] != 1 else 0
    each = (1, 2) if heaviest else (1, 1)
    heavy = [each[0] * one + each[1] * other for one, other in zip(*codes, strict=True)]
    assert plan.buckets.tolist() == plain(codes[heaviest], heavy, p, -(-k // p))


@pytest.mark.parametrize(
    ("given_", "line"),
    [
        ({"p": 1}, "p must be a whole number of at least 2; got 1"),
        ({"l": 1}, "l must be a whole number of at least 2; got 1"),
        ({"link": "lose"}, "link must be one of tight, loose; got 'lose'"),
        ({"batches": 3}, "batches must be the name of a method; got 3"),
        ({"batches": "anatomy"}, "l"),
        ({"weights": {"a": 0}}, "the weight of 'a' must be"),
        ({"weights": []}, "weights must be a mapping of sensitive columns to numbers"),
    ],
)
def test_parameters(given_, line):
    with pytest.raises(PolicyError, match=line):
        lk.PlAngelization(**given_)


@pytest.mark.parametrize(
    ("weights", "line"),
    [
        ({"symptoms": 1}, "pl-angelization: weights: 'symptoms' is not a sensitive column"),
        ({"symptom": 1}, "pl-angelization: weights: the sensitive column 'drug' has none"),
    ],
)
def test_weights_are_of_the_sensitive_columns(weights, line):
    with pytest.raises(PolicyError, match=line):
        lk.anonymize(TWO, of_two(**weights), seed=1)


def test_categories_are_needed():
    with pytest.raises(PolicyError, match="pl-angelization: needs categories of 'symptom'"):
        lk.anonymize(TABLE, asked(lk.PlAngelization(), lk.KAnonymity(2), categories={}), seed=1)
