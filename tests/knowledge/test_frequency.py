"""Frequencies by groups: counts of hierarchy levels, drawn to the whole table."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.knowledge.tables import COLUMNS, beliefs, learnt, policy_of, random_people, shares_of

import likeness as lk
from likeness.errors import LikenessError, PolicyError

ZIPS = {"role": "quasi", "hierarchy": {"prefix": 3}}
TWO = {"zip": ZIPS, "sex": {"role": "quasi"}, "disease": {"role": "sensitive"}}
PEOPLE = pl.DataFrame(
    {
        "zip": ["021", "022", "102", "102"],
        "sex": ["f", "m", "m", "m"],
        "disease": ["flu", "hiv", "hiv", "hiv"],
    }
)


def test_the_formula():
    # Of 4 records 1 has flu and 3 hiv; 02* is one and one, 102 hiv twice.
    found = beliefs(PEOPLE, policy_of(TWO, {"frequency": {"levels": {"zip": 1}, "smoothing": 1}}))
    one = [float(Fraction(1 + Fraction(1, 4), 3)), float(Fraction(1 + Fraction(3, 4), 3))]
    other = [float(Fraction(1, 4) / 3), float((2 + Fraction(3, 4)) / 3)]
    np.testing.assert_allclose(found, [one, one, other, other], atol=2**-39)


@pytest.mark.parametrize(
    ("levels", "smoothing", "wanted"),
    [
        ({"zip": 0}, 0, [[1, 0], [0, 1], [0, 1], [0, 1]]),
        ({"zip": 3}, 0, [[0.25, 0.75]] * 4),
        ({"zip": 2}, 0, [[0.5, 0.5], [0.5, 0.5], [0, 1], [0, 1]]),
        ({"zip": 2, "sex": 0}, 0, [[1, 0], [0, 1], [0, 1], [0, 1]]),
        ({"zip": 0}, "1e9", [[0.25, 0.75]] * 4),
    ],
)
def test_levels_and_smoothing(levels, smoothing, wanted):
    policy = policy_of(TWO, lk.FrequencyKnowledge(levels, smoothing))
    np.testing.assert_allclose(beliefs(PEOPLE, policy), wanted, atol=1e-8)


@settings(max_examples=40)
@given(st.integers(0, 10_000), st.integers(0, 3), st.sampled_from([0, 1, "1/3", 2.5]))
def test_it_is_the_count_one_record_at_a_time(seed, level, smoothing):
    frame = random_people(np.random.default_rng(seed), 25, missing=True)
    source = lk.FrequencyKnowledge({"zip": level, "sex": 0}, smoothing)
    found, subject = shares_of(frame, source, COLUMNS)
    values = subject.domain.labels_with(None)
    rows = frame.to_dicts()
    groups = [(row["sex"], None if row["zip"] is None else row["zip"][: 3 - level]) for row in rows]
    share = [sum(row["disease"] == value for row in rows) / len(rows) for value in values]
    a = float(Fraction(smoothing))
    for i, group in enumerate(groups):
        own = [row for row, other in zip(rows, groups, strict=True) if other == group]
        wanted = [
            (sum(row["disease"] == value for row in own) + a * p) / (len(own) + a)
            for value, p in zip(values, share, strict=True)
        ]
        np.testing.assert_allclose(found[i], wanted, atol=1e-12)


@pytest.mark.parametrize(
    ("given_levels", "words"),
    [
        ({}, "frequency: levels must say the hierarchy level of at least one column, as in {age: 2}; got {}"),
        (2, "frequency: levels must say the hierarchy level of at least one column, as in {age: 2}; got 2"),
        ({"zip": -1}, "frequency: levels of 'zip' must be a whole number of at least 0; got -1"),
        ({"zip": True}, "frequency: levels of 'zip' must be a whole number of at least 0; got True"),
        ({"zip": 1.5}, "frequency: levels of 'zip' must be a whole number of at least 0; got 1.5"),
    ],
)
def test_levels_that_are_none(given_levels, words):
    with pytest.raises(PolicyError) as refused:
        lk.FrequencyKnowledge(given_levels)
    assert refused.value.problems == (words,)


@pytest.mark.parametrize("smoothing", [-1, float("nan"), "some", True])
def test_smoothings_that_are_none(smoothing):
    with pytest.raises(PolicyError, match="frequency: smoothing must be a number of at least 0"):
        lk.FrequencyKnowledge({"zip": 1}, smoothing)


@pytest.mark.parametrize(
    ("levels", "words"),
    [
        ({"zap": 1}, "knowledge: frequency: 'zap' is not a quasi-identifier; did you mean 'zip'"),
        (
            {"sex": 1},
            "knowledge: frequency: 'sex' has no level 1, because it has no hierarchy; give it one, such as",
        ),
        ({"zip": 4}, "knowledge: frequency: 'zip' has no level 4; the root of its hierarchy is level 3"),
    ],
)
def test_levels_that_the_table_does_not_have(levels, words):
    with pytest.raises(LikenessError) as refused:
        learnt(PEOPLE, policy_of(TWO, {"frequency": {"levels": levels}}))
    assert len(refused.value.problems) == 1
    assert refused.value.problems[0].startswith(words)


def test_numbers_have_the_levels_of_their_hierarchy():
    frame = pl.DataFrame({"age": [21, 29, 31, 39], "disease": ["flu", "hiv", "flu", "flu"]})
    for kind in ({}, {"kind": "integer"}):
        columns = {
            "age": {"role": "quasi", "hierarchy": {"intervals": {"width": 10}}} | kind,
            "disease": {"role": "sensitive"},
        }
        found = beliefs(frame, policy_of(columns, {"frequency": {"levels": {"age": 1}, "smoothing": 0}}))
        assert found.tolist() == [[0.5, 0.5], [0.5, 0.5], [1, 0], [1, 0]]


def test_a_release_under_frequencies(tmp_path):
    frame = random_people(np.random.default_rng(3), 240).select("zip", "sex", "disease")
    columns = {name: COLUMNS[name] for name in frame.columns}
    policy = policy_of(
        columns, {"frequency": {"levels": {"zip": 1, "sex": 0}, "smoothing": 2}}, withhold={"at_most": 1}
    )
    release = lk.anonymize(frame, policy.replace(privacy=[lk.JsBackground(0.02), lk.KAnonymity(4)]), seed=2)
    (entry,) = release.certificate.knowledge
    assert entry["parameters"] == {"levels": {"zip": 1, "sex": 0}, "smoothing": "2"}
    assert release.verify().ok
    assert lk.verify(release.write(tmp_path / "out")).status == "proven"
    source = lk.FrequencyKnowledge
    assert source.check_facts(entry["parameters"]) == entry["parameters"]
    assert source.told(entry["parameters"]) == (
        "how often each value occurs among people alike in 'zip' on level 1 of its hierarchy and 'sex', "
        "the whole table counting for 2 of them"
    )
