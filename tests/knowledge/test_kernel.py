"""Kernel priors: equal to the plain double sum, on every kind of column, from the own table and from another."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.adult import THREE, complete
from tests.knowledge.tables import COLUMNS, beliefs, learnt, policy_of, random_people, saved, shares_of

import likeness as lk
from likeness.errors import LikenessError, PolicyError, TableError
from likeness.knowledge import kernel
from likeness.microdata.divergence import BITS, jensen_shannon

QUASI = ("age", "height", "born", "rank", "zip", "sex")


def place(name, value):
    """Where a value lies on the axis of its column, or None where it has none."""
    if value is None or name in {"zip", "sex"}:
        return None
    if name == "rank":
        return ["low", "mid", "top"].index(value)
    return (value - np.datetime64("1970-01-01").item()).days if name == "born" else value


def distance(name, a, b, width):
    """Distance of two values of a column, between 0 and 1; of a missing one 1 to all others."""
    if a is None or b is None:
        return float(a is not b)
    if name == "sex":
        return float(a != b)
    if name == "zip":
        same = next((i for i in range(3) if a[i] != b[i]), 3)
        return (3 - same) / 3
    return abs(place(name, a) - place(name, b)) / width[name]


def plain(own, other, scales, domain, *, leave_one_out=False):
    """(n, m) The double sum over all records of another table, or of the own one."""
    width = {"age": 110, "rank": 2}
    for name in ("height", "born"):
        ends = [place(name, value) for value in own[name]]
        width[name] = max(ends) - min(ends)
    values = domain.labels_with(None)
    mine, theirs = own.to_dicts(), other.to_dicts()
    found = np.zeros((len(mine), len(values)))
    for i, q in enumerate(mine):
        for k, t in enumerate(theirs):
            if leave_one_out and i == k:
                continue
            weight = 1.0
            for name, scale in scales.items():
                weight *= max(0.0, 1 - (distance(name, q[name], t[name], width) / scale) ** 2)
            found[i, values.index(t["disease"])] += weight
        if found[i].sum() < 1e-12:
            for t in theirs:
                found[i, values.index(t["disease"])] += 1
    return found / found.sum(axis=1, keepdims=True)


@st.composite
def tables(draw):
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    frame = random_people(rng, draw(st.integers(2, 25)), missing=draw(st.booleans()))
    if any(own.null_count() == frame.height for own in frame):
        frame = random_people(rng, frame.height, missing=False)
    if frame["height"].n_unique() < 2 or frame["born"].n_unique() < 2:
        frame = frame.with_columns(height=1.5 + pl.int_range(frame.height) / 100)
        frame = frame.with_columns(born=pl.date(1970, 1, 1) + pl.duration(days=pl.int_range(frame.height)))
    names = draw(st.lists(st.sampled_from(QUASI), min_size=1, unique=True))
    scales = {name: draw(st.sampled_from([0.05, 0.3, 0.5, 1.0, 1.5])) for name in names}
    return frame, scales


@pytest.mark.parametrize("grid", [1 << 27, 0])
@settings(max_examples=30)
@given(tables(), st.booleans())
def test_it_is_the_double_sum(grid, made, leave_one_out):
    frame, scales = made
    source = lk.KernelKnowledge(scales, leave_one_out=leave_one_out)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel, "_GRID", grid)
        found, subject = shares_of(frame, source, COLUMNS)
    wanted = plain(frame, frame, scales, subject.domain, leave_one_out=leave_one_out)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12)


@pytest.mark.parametrize("grid", [1 << 27, 0])
@settings(max_examples=25)
@given(tables(), st.integers(0, 1000), st.integers(1, 25))
def test_from_another_table_it_is_the_double_sum_over_that(tmp_path_factory, grid, made, seed, size):
    frame, scales = made
    folder = tmp_path_factory.mktemp("from")
    public = random_people(np.random.default_rng(seed), size)
    columns = COLUMNS | {"disease": {"role": "sensitive", "missing": {"policy": "category"},
                                     "kind": "categorical", "domain": ["flu", "hiv", "cold", "gout"]}}  # fmt: skip
    # Hierarchies made by a rule are made of both tables; numbers may lie outside the own ones.
    source = lk.KernelKnowledge(
        scales, from_=saved(folder, "public.csv", public.sample(fraction=1, seed=seed))
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel, "_GRID", grid)
        found, subject = shares_of(frame, source, columns, folder)
    wanted = plain(frame, public, scales, subject.domain)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12)


def test_who_has_nobody_like_them_there_is_believed_to_have_what_everybody_has(tmp_path):
    frame = pl.DataFrame({"age": [20, 90, 91], "disease": ["flu", "cold", "flu"]})
    public = pl.DataFrame({"age": [20, 22, 20], "disease": ["flu", "flu", "cold"]})
    source = lk.KernelKnowledge(0.1, from_=saved(tmp_path, "public.csv", public))
    columns = {"age": {"role": "quasi", "domain": [0, 100]}, "disease": {"role": "sensitive"}}
    found, subject = shares_of(frame, source, columns, tmp_path)
    # cold, flu; the one of 22 counts 1 - .2² = .96.
    np.testing.assert_allclose(found, [[1 / 2.96, 1.96 / 2.96], [1 / 3, 2 / 3], [1 / 3, 2 / 3]])
    assert subject.counted == {"unlike": 2}


def test_a_table_of_one_age_is_told_from_others(tmp_path):
    frame = pl.DataFrame({"age": [40, 40], "disease": ["flu", "cold"]})
    public = pl.DataFrame({"age": [20, 40, 60], "disease": ["cold", "flu", "cold"]})
    source = lk.KernelKnowledge(0.5, from_=saved(tmp_path, "public.csv", public))
    columns = {"age": {"role": "quasi"}, "disease": {"role": "sensitive"}}
    found, _ = shares_of(frame, source, columns, tmp_path)
    # The ends of both tables are 40 years apart: the others are half that away, and the kernel is 0 there.
    assert found.tolist() == [[0, 1]] * 2


def test_the_example_of_three_ages():
    frame = pl.DataFrame({"age": [40, 55, 80], "disease": ["HIV", "flu", "flu"]})
    columns = {"age": {"role": "quasi", "domain": [0, 100]}, "disease": {"role": "sensitive"}}
    found = beliefs(frame, policy_of(columns, {"kernel": {"bandwidth": 0.3}}))
    assert found[:, 0] == pytest.approx([0.571429, 0.364865, 0], abs=5e-7)
    assert found[2, 0] == 0


def test_a_wide_bandwidth_knows_the_table_and_a_narrow_one_every_tuple():
    frame = pl.DataFrame({"sex": ["f", "f", "m", "m"], "disease": ["flu", "hiv", "flu", "flu"]})
    columns = {"sex": {"role": "quasi"}, "disease": {"role": "sensitive"}}
    exact = beliefs(frame, policy_of(columns, {"kernel": {"bandwidth": 1}}))
    assert exact.tolist() == [[0.5, 0.5], [0.5, 0.5], [1, 0], [1, 0]]
    wide = beliefs(frame, policy_of(columns, {"kernel": {"bandwidth": 1000}}))
    np.testing.assert_allclose(wide, [[0.75, 0.25]] * 4, atol=1e-6)


def test_on_adult(data_folder):
    frame = complete(data_folder, 45_222).select(*THREE, "occupation")
    columns = {name: {"role": "quasi"} for name in THREE} | {"occupation": {"role": "sensitive"}}
    known, encoded = learnt(frame, policy_of(columns, {"kernel": {"bandwidth": 0.3}}))
    assert encoded.data.tuples.count == 1_749
    people = {row: i for i, row in enumerate(frame.select(THREE).iter_rows())}
    one, woman, school = (
        known.distributions.rows[known.of[people[row]]]
        for row in [(40, "Male", "Bachelors"), (40, "Female", "Bachelors"), (40, "Male", "HS-grad")]
    )
    share = dict(zip(known.labels, one / 2**40, strict=True))
    assert share["Exec-managerial"] == pytest.approx(0.284862, abs=5e-7)
    assert share["Prof-specialty"] == pytest.approx(0.254387, abs=5e-7)
    assert share["Sales"] == pytest.approx(0.183966, abs=5e-7)
    for other, apart in ((woman, Fraction("0.069119")), (school, Fraction("0.301950"))):
        found = jensen_shannon(one.tolist(), other.tolist(), BITS)
        assert found.at_most(apart + Fraction(1, 10**6))
        assert not found.at_most(apart - Fraction(1, 10**6))


@pytest.mark.parametrize(
    ("bandwidth", "words"),
    [
        (0, "kernel: bandwidth must be a number above 0; got 0"),
        (-1, "kernel: bandwidth must be a number above 0; got -1"),
        (float("nan"), "kernel: bandwidth must be a number above 0; got nan"),
        (True, "kernel: bandwidth must be a number above 0; got True"),
        ("wide", "kernel: bandwidth must be a number above 0; got 'wide'"),
        ({"age": 0}, "kernel: bandwidth of 'age' must be a number above 0; got 0"),
        ({}, "kernel: bandwidth: give one for all columns, such as 0.3, or one by column"),
    ],
)
def test_bandwidths_that_are_none(bandwidth, words):
    with pytest.raises(PolicyError) as refused:
        lk.KernelKnowledge(bandwidth)
    assert refused.value.problems == (words,)


TWO = {"age": {"role": "quasi"}, "disease": {"role": "sensitive"}}
PAIR = pl.DataFrame({"age": [20, 30], "disease": ["flu", "cold"]})


@pytest.mark.parametrize(
    ("knowledge", "public", "words"),
    [
        (
            {"kernel": {"bandwidth": {"agee": 1}}},
            None,
            "'agee' is not a quasi-identifier; did you mean 'age'",
        ),
        ({"kernel": {"bandwidth": {"disease": 1}}}, None, "'disease' is not a quasi-identifier"),
        ({"kernel": {"bandwidth": 1, "from": "nowhere.csv"}}, None, "knowledge: kernel: from: "),
        (
            {"kernel": {"bandwidth": 1, "from": "public.csv"}},
            {"age": [20], "illness": ["flu"]},
            "public.csv: lacks the column 'disease'; it has age, illness",
        ),
        (
            {"kernel": {"bandwidth": 1, "from": "public.csv"}},
            {"age": [20, 21], "disease": ["flu", "gout"]},
            "public.csv: 'disease' is 'gout' in line 3, which nobody in the table has; declare it",
        ),
        (
            {"kernel": {"bandwidth": 1, "from": "public.csv"}},
            {"age": [20, None], "disease": ["flu", "flu"]},
            "public.csv: column 'age': 1 missing value, the first in line 3",
        ),
        (
            {"kernel": {"bandwidth": 1, "from": "public.csv"}},
            {"age": ["young", "old"], "disease": ["flu", "flu"]},
            "public.csv: column 'age' is ",
        ),
    ],
)
def test_bad_input_is_one_line(tmp_path, knowledge, public, words):
    if public is not None:
        saved(tmp_path, "public.csv", pl.DataFrame(public))
    with pytest.raises(LikenessError) as refused:
        learnt(PAIR, policy_of(TWO, knowledge, tmp_path))
    assert len(refused.value.problems) == 1
    assert words in refused.value.problems[0]


def test_leaving_one_out_is_about_the_own_table():
    with pytest.raises(PolicyError, match="kernel: leave_one_out is about the own table"):
        lk.KernelKnowledge(0.3, leave_one_out=True, from_="public.csv")
    with pytest.raises(PolicyError, match="kernel: from must be the path of a file; got 3"):
        lk.KernelKnowledge(0.3, from_=3)


def test_a_key_that_python_has_itself_is_one_in_policies(tmp_path):
    policy = policy_of(TWO, lk.KernelKnowledge(0.3, from_="public.csv"))
    assert policy.to_mapping()["knowledge"] == {"kernel": {"bandwidth": 0.3, "from": "public.csv"}}
    assert type(policy).from_mapping(policy.to_mapping()) == policy
    (tmp_path / "policy.yaml").write_text(policy.to_yaml())
    assert type(policy).load(tmp_path / "policy.yaml") == policy
    with pytest.raises(PolicyError, match="kernel: unknown parameter 'from_'; did you mean 'from'"):
        policy_of(TWO, {"kernel": {"bandwidth": 0.3, "from_": "public.csv"}})


def test_facts_say_how_and_never_from_what():
    for source, told in [
        (lk.KernelKnowledge(0.3), {"bandwidth": "0.3"}),
        (lk.KernelKnowledge("1/3", leave_one_out=True), {"bandwidth": "1/3", "leave_one_out": True}),
        (lk.KernelKnowledge({"age": 0.1}, from_="secret.csv"), {"bandwidth": {"age": "0.1"}, "from": True}),
    ]:
        assert source.facts == told
        assert type(source).check_facts(told) == told
    assert lk.KernelKnowledge.told({"bandwidth": "0.3", "from": True}).startswith(
        "what people alike have: another table, smoothed by a kernel of bandwidth 0.3"
    )
    with pytest.raises((LikenessError, TypeError)):
        lk.KernelKnowledge.check_facts({"bandwidth": "0.3", "file": "secret.csv"})


def test_distances_go_to_one_and_are_symmetric():
    _, subject = shares_of(
        random_people(np.random.default_rng(3), 40, missing=True), lk.KernelKnowledge(1), COLUMNS
    )
    for domain in subject.data.quasi:
        found = kernel.distances(domain)
        assert found.max() <= 1
        assert (found == found.T).all()
        assert all((found[i, k] == 0) == (i == k) for i, k in product(range(domain.codes), repeat=2))


def test_a_release_that_a_public_table_says_something_of(tmp_path):
    rng = np.random.default_rng(5)
    frame = random_people(rng, 200).select("age", "sex", "disease")
    name = saved(tmp_path, "registry.csv", random_people(rng, 300).select("age", "sex", "disease"))
    columns = {name: COLUMNS[name] for name in frame.columns}
    policy = policy_of(
        columns, {"kernel": {"bandwidth": {"age": 0.3}, "from": name}}, tmp_path, withhold={"at_most": 1}
    ).replace(privacy=[lk.JsBackground(0.1), lk.KAnonymity(3)])
    release = lk.anonymize(frame, policy, seed=1)
    assert release.verify().ok
    assert release.certificate.knowledge[0]["parameters"] == {"bandwidth": {"age": "0.3"}, "from": True}
    written = release.write(tmp_path / "out")
    assert lk.verify(written).status == "proven"
    assert "registry" not in (written / "public" / "certificate.json").read_text()
    with pytest.raises(TableError):
        learnt(frame, policy.in_folder("/nowhere"))
