"""Anatomy: buckets of different values, and what happens where there can be none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.forms.publications import integers, table, words

import likeness as lk
from likeness.methods.anatomy import Anatomy
from likeness.methods.base import Problem
from likeness.microdata.regions import LOSSES
from likeness.models.requirements import require

AGE = integers("age", list(range(8)))


def problem(codes, models=(), ages=None, values=9, seed=0):
    disease = words("disease", [f"d{i}" for i in range(values)])
    ages = [i % 8 for i in range(len(codes))] if ages is None else ages
    data = table([(AGE, ages)], [(disease, codes)])
    requirements = require(models, data.sensitive, data.sensitive_codes)
    return Problem(data, requirements, LOSSES["glm"], np.random.default_rng(seed))


def buckets(plan, codes):
    found = {}
    for record, number in enumerate(plan.buckets.tolist()):
        if number >= 0:
            found.setdefault(number, []).append(codes[record])
    return found


@settings(deadline=None, max_examples=150)
@given(codes=st.lists(st.integers(0, 8), min_size=2, max_size=40), width=st.integers(2, 4))
def test_buckets_of_different_values_or_nothing(codes, width):
    plan = Anatomy(width).run(problem(codes))
    most = max(map(codes.count, codes))
    if most * width > len(codes):
        assert plan.withheld == len(codes)
        (reason,) = plan.withheld_because
        assert f"{most} of {len(codes)} records have the value" in reason
        assert f"the largest l this table can have is {len(codes) // most}" in reason
        assert len(codes) // most < width
        return
    assert plan.withheld == 0
    found = buckets(plan, codes)
    assert sorted(value for held in found.values() for value in held) == sorted(codes)
    assert sorted(found) == list(range(len(found)))
    for held in found.values():
        assert len(set(held)) == len(held) >= width


@settings(deadline=None, max_examples=150)
@given(
    codes=st.lists(st.integers(0, 3), min_size=2, max_size=40),
    width=st.integers(2, 4),
    seed=st.integers(0, 9),
)
def test_the_fewest_who_are_too_many_are_withheld_where_that_may_be(codes, width, seed):
    counts = [codes.count(value) for value in range(4)]
    # The most that buckets of different values can hold: no value more often than there are buckets.
    most = max(
        (n for n in range(len(codes) + 1) if sum(min(own, n // width) for own in counts) >= n), default=0
    )
    made = problem(codes, values=4, seed=seed)
    plan = Anatomy(width).run(replace(made, allowance=len(codes) - 1))
    if most == 0:
        assert plan.withheld == len(codes)
        return
    assert plan.withheld == len(codes) - most
    for held in buckets(plan, codes).values():
        assert len(set(held)) == len(held) >= width
    if plan.withheld:
        (reason,) = plan.because
        assert reason.name == "surplus"
        fewer = Anatomy(width).run(replace(made, allowance=plan.withheld - 1))
        assert fewer.withheld == len(codes)


def test_classes_are_records_of_equal_quasi_identifiers():
    plan = Anatomy(2).run(problem([0, 1, 2, 3, 4, 5], ages=[3, 1, 3, 1, 1, 7]))
    assert plan.classes.tolist() == [0, 1, 0, 1, 1, 2]


def test_left_over_records_join_buckets_without_their_value():
    # Seven records of seven values in buckets of three: one is left over, and may join either bucket.
    joined = set()
    for seed in range(20):
        plan = Anatomy(3).run(problem(list(range(7)), seed=seed))
        sizes = np.bincount(plan.buckets)
        assert sorted(sizes.tolist()) == [3, 4]
        joined.add(int(sizes.argmax()))
    assert joined == {0, 1}


def test_who_is_with_whom_is_random_and_the_seed_decides():
    codes = [0, 1, 2] * 10
    plans = [Anatomy(3).run(problem(codes, seed=seed)).buckets.tolist() for seed in (1, 1, 2, 3)]
    assert plans[0] == plans[1]
    assert plans[0] != plans[2] != plans[3]


def test_identities_that_are_too_few_are_withheld_before_dealing():
    ages = [0] * 6 + [1] * 6 + [2]
    plan = Anatomy(2).run(problem([0, 1] * 6 + [0], [lk.KAnonymity(6)], ages=ages))
    assert plan.classes.tolist() == [0] * 6 + [1] * 6 + [-1]
    assert plan.withheld_because == {"quasi-identifiers, published exactly, do not hold k-anonymity": 1}
    assert plan.buckets[-1] == -1


def test_buckets_that_do_not_hold_another_model_are_withheld():
    codes = [0] * 4 + [1] * 4 + [2] * 4
    plan = Anatomy(2).run(problem(codes, [lk.DistinctLDiversity(3)]))
    assert plan.withheld == 12
    assert plan.withheld_because == {"their bucket does not hold distinct-l-diversity on 'disease'": 12}


def test_it_takes_one_sensitive_column():
    two = [(words("a", ["x", "y"]), [0, 1]), (words("b", ["x", "y"]), [0, 1])]
    for sensitive in ([], two):
        data = table([(AGE, [0, 1])], sensitive)
        own = Problem(data, (), LOSSES["glm"], np.random.default_rng(0))
        with pytest.raises(lk.PolicyError, match=f"this table has {len(sensitive)}"):
            Anatomy(2).run(own)


@pytest.mark.parametrize("l", [1, 0, -1, 2.0, "3", True])
def test_l_out_of_range(l):  # noqa: E741
    with pytest.raises(lk.PolicyError, match="anatomy: l must be a whole number of at least 2"):
        Anatomy(l)


def frame(rows=240):
    rng = np.random.default_rng(4)
    return pl.DataFrame(
        {
            "name": [f"n{i}" for i in range(rows)],
            "visit": [f"v{i}" for i in range(rows)],
            "age": rng.integers(20, 80, rows),
            "zip": rng.choice(["02139", "02140", "10001"], rows),
            "disease": rng.choice(["cold", "flu", "gout", "hiv", "ulcer"], rows, p=[0.3, 0.3, 0.2, 0.1, 0.1]),
        }
    )


def policy(privacy, method, **columns):
    own = {
        "name": lk.identifier(),
        "visit": lk.other(),
        "age": lk.quasi(),
        "zip": lk.quasi(hierarchy={"prefix": 5}),
        "disease": lk.sensitive(),
    }
    return lk.Policy(columns=own | columns, privacy=privacy, method=method)


def test_through_the_same_doors():
    table_ = frame()
    release = lk.anonymize(table_, policy(lk.DistinctLDiversity(3), Anatomy(3)), seed=1)
    assert list(release.tables) == ["quasi", "sensitive"]
    quasi, sensitive = release.tables["quasi"], release.tables["sensitive"]
    assert quasi.columns == ["visit", "age", "zip", "bucket"]
    assert sensitive.columns == ["bucket", "disease", "count"]
    # Quasi-identifiers and other columns are exact, bucket by bucket the diseases are those of its people.
    joined = quasi.join(table_, on=["visit", "age", "zip"])
    assert joined.height == 240
    counted = joined.group_by("bucket", "disease").len("count").sort("bucket", "disease")
    assert counted["count"].sum() == 240
    assert counted.cast({"count": pl.Int64}).equals(sensitive.sort("bucket", "disease"))
    assert release.verify().ok
    assert release.certificate.classes == quasi["bucket"].n_unique()
    assert release.loss("glm") == {"glm": 0.0}
    assert (
        release.estimate({"disease": ["flu"]})
        == table_["disease"].value_counts().filter(disease="flu")["count"][0]
    )
    assert sum(release.posterior({"age": 30})["disease"].values()) == pytest.approx(1)
    assert "everybody sees who is in the table" in release.certificate.remarks[-2]


def test_the_same_seed_makes_the_same_release():
    tables = [
        lk.anonymize(frame(), policy(lk.DistinctLDiversity(3), Anatomy(3)), seed=seed).tables
        for seed in (1, 1, 2)
    ]
    assert tables[0]["quasi"].equals(tables[1]["quasi"])
    assert tables[0]["sensitive"].equals(tables[1]["sensitive"])
    assert not tables[0]["quasi"].equals(tables[2]["quasi"])


@pytest.mark.parametrize(
    ("privacy", "width", "message"),
    [
        (lk.DistinctLDiversity(4), 4, "more than 1/4; the largest l this table can have is 3"),
        (lk.DistinctLDiversity(3) & lk.KAnonymity(40), 3, "published exactly, do not hold k-anonymity"),
        (lk.DistinctLDiversity(4), 3, "their bucket does not hold distinct-l-diversity on 'disease'"),
    ],
)
def test_what_cannot_be_met_says_why(privacy, width, message):
    with pytest.raises(lk.CannotBeMetError) as problem_:
        lk.anonymize(frame(), policy(privacy, Anatomy(width)), seed=1)
    assert problem_.value.exit_code == 3
    assert message in str(problem_.value)


def test_a_level_limit_is_kept_by_exact_values():
    columns = {"zip": lk.quasi(hierarchy={"prefix": 5}, max_level=1)}
    release = lk.anonymize(frame(), policy(lk.DistinctLDiversity(3), Anatomy(3), **columns), seed=1)
    assert sorted(release.tables["quasi"]["zip"].unique()) == ["02139", "02140", "10001"]


def test_columns_with_the_names_of_the_links():
    own = frame().rename({"visit": "bucket", "age": "count"})
    columns = {
        "name": lk.drop(), "bucket": lk.other(), "count": lk.quasi(), "zip": lk.drop(), "disease": lk.sensitive(),
    }  # fmt: skip
    made = lk.Policy(columns=columns, privacy=lk.DistinctLDiversity(3), method=Anatomy(3))
    release = lk.anonymize(own, made, seed=1)
    assert release.tables["quasi"].columns == ["bucket_original", "count", "bucket"]
    assert release.tables["sensitive"].columns == ["bucket", "disease", "count"]
    assert release.verify().ok


def test_written_read_back_and_proven_from_its_bytes(tmp_path):
    release = lk.anonymize(frame(), policy(lk.DistinctLDiversity(3), Anatomy(3)), seed=1)
    out = release.write(tmp_path / "out")
    assert {path.name for path in (out / "public").glob("*.csv")} == {"quasi.csv", "sensitive.csv"}
    assert lk.verify(out / "public").ok
    assert lk.verify(out, frame()).ok
    again = lk.open_release(out / "public")
    for where in ({"disease": ["flu"]}, {"age": (30, 40), "disease": ["flu", "hiv"]}, {"zip": ["02139"]}):
        assert again.estimate(where) == pytest.approx(release.estimate(where))
    assert again.posterior({"age": 30}) == release.posterior({"age": 30})


def test_a_bucket_that_was_changed_is_found(tmp_path):
    release = lk.anonymize(frame(), policy(lk.DistinctLDiversity(3), Anatomy(3)), seed=1)
    file = release.write(tmp_path / "out") / "public" / "sensitive.csv"
    bucket, value, _ = file.read_text().splitlines()[1].split(",")
    rows = [line.split(",") for line in file.read_text().splitlines()]
    size = sum(row[0] == bucket for row in rows)
    kept = [row for row in rows if row[0] != bucket]
    file.write_text("\n".join(map(",".join, [*kept, [bucket, value, str(size)]])) + "\n")
    lines = lk.verify(file.parent).lines()
    assert any(line.startswith("VIOLATED: distinct-l-diversity") for line in lines)
    assert f"  violated in the class bucket = {bucket}" in lines
