"""What people had before: the prior times how often a value follows what they had, over how often it follows at all."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.knowledge.tables import beliefs, learnt, policy_of, saved, shares_of

import likeness as lk
from likeness.errors import LikenessError, PolicyError
from likeness.knowledge.base import KnowledgeSource

COLUMNS = {"who": {"role": "identifier"}, "sex": {"role": "quasi"}, "disease": {"role": "sensitive"}}
VALUES = ["cold", "flu", "gout", "hiv"]


def year(rng, people, size, values=VALUES):
    """A table of some people."""
    who = rng.choice(people, min(size, people), replace=False)
    return pl.DataFrame(
        {
            "who": [f"p{i}" for i in who],
            "sex": rng.choice(["f", "m"], who.size),
            "disease": rng.choice(values, who.size),
        }
    )


def plain(own, earlier, smoothing, values, prior):
    """(n, m) Shares in fractions, one person and one pair of tables at a time."""
    had = [dict(frame.select("who", "disease").iter_rows()) for frame in earlier]
    a = Fraction(smoothing)
    found = []
    for i, who in enumerate(own["who"].to_list()):
        row = list(prior[i])
        for r in range(1, len(had) + 1):
            x = had[-r].get(who)
            if x is None:
                continue
            pairs = [
                (one[p], other[p])
                for one, other in zip(had, had[r:], strict=False)
                for p in one.keys() & other.keys()
            ]
            for s, value in enumerate(values):
                ends = sum(end == value for _, end in pairs)
                begins = sum(begin == x for begin, _ in pairs)
                if not ends or not begins + a:
                    continue
                share = Fraction(ends, len(pairs))
                follows = (sum(pair == (x, value) for pair in pairs) + a * share) / (begins + a)
                row[s] *= follows / share
        if not any(row):
            row = list(prior[i])
        found.append([float(x / sum(row)) for x in row])
    return np.array(found)


@settings(max_examples=40)
@given(st.integers(0, 100_000), st.integers(1, 3), st.sampled_from([0, 1, "1/3"]))
def test_it_is_the_formula(tmp_path_factory, seed, tables, smoothing):
    rng = np.random.default_rng(seed)
    folder = tmp_path_factory.mktemp("years")
    # Somebody had what nobody has any more.
    earlier = [year(rng, 30, 25, [*VALUES, "pest"]) for _ in range(tables)]
    own = year(rng, 40, 30)
    source = lk.SequenceKnowledge(
        [saved(folder, f"{i}.csv", frame) for i, frame in enumerate(earlier)], "who", None, smoothing
    )
    found, subject = shares_of(own, source, COLUMNS, folder)
    values = subject.domain.labels
    totals = [Fraction(int(x)) for x in subject.totals]
    np.testing.assert_allclose(
        found, plain(own, earlier, smoothing, values, [totals] * own.height), atol=1e-12
    )


def test_the_prior_may_be_any_source(tmp_path):
    rng = np.random.default_rng(3)
    earlier, own = [year(rng, 30, 25) for _ in range(2)], year(rng, 40, 30)
    for i, frame in enumerate(earlier):
        saved(tmp_path, f"{i}.csv", frame)
    knowledge = {
        "sequence": {"earlier": ["0.csv", "1.csv"], "on": "who", "prior": {"kernel": {"bandwidth": 1}}}
    }
    policy = policy_of(COLUMNS, knowledge, tmp_path)
    (source,) = policy.knowledge
    assert source == lk.SequenceKnowledge(("0.csv", "1.csv"), "who", lk.KernelKnowledge(1))
    assert policy.to_mapping()["knowledge"] == knowledge
    assert type(policy).from_mapping(policy.to_mapping()) == policy
    (tmp_path / "policy.yaml").write_text(policy.to_yaml())
    assert type(policy).load(tmp_path / "policy.yaml") == policy
    found, subject = shares_of(own, source, COLUMNS, tmp_path)
    prior, _ = shares_of(own, lk.KernelKnowledge(1), COLUMNS)
    exact = [[Fraction(x).limit_denominator(1000) for x in row] for row in prior]
    np.testing.assert_allclose(found, plain(own, earlier, 1, subject.domain.labels, exact), atol=1e-12)


@pytest.mark.parametrize("smoothing", [0, 1, 5])
@pytest.mark.parametrize("prior", [None, {"kernel": {"bandwidth": 1}}])
def test_values_that_do_not_depend_on_the_past_leave_the_prior_as_it_is(tmp_path, smoothing, prior):
    # Of everybody who had one of two values, of 12 and 24 people, a sixth, a third and a half have each value next.
    first = ["flu"] * 12 + ["hiv"] * 24
    second = ["cold"] * 2 + ["flu"] * 4 + ["hiv"] * 6 + ["cold"] * 4 + ["flu"] * 8 + ["hiv"] * 12
    frame = pl.DataFrame({"who": range(36), "sex": ["f", "m"] * 18})
    saved(tmp_path, "1.csv", frame.with_columns(disease=pl.Series(first)))
    saved(tmp_path, "2.csv", frame.with_columns(disease=pl.Series(second)))
    own = frame.with_columns(disease=pl.Series(np.random.default_rng(1).choice(["cold", "flu", "hiv"], 36)))
    source = {"earlier": ["1.csv", "2.csv"], "on": "who", "smoothing": smoothing}
    given_prior = {} if prior is None else {"prior": prior}
    known, _ = learnt(own, policy_of(COLUMNS, {"sequence": source | given_prior}, tmp_path))
    alone = prior or {"frequency": {"levels": {"sex": 0}, "smoothing": 1}}
    wanted, _ = learnt(own, policy_of(COLUMNS, alone, tmp_path))
    if prior is None:
        totals = [(own["disease"] == value).sum() for value in ("cold", "flu", "hiv")]
        assert known.distributions.count == 1
        np.testing.assert_allclose(known.distributions.shares[0], np.array(totals) / 36, atol=2**-39)
    else:
        # To the last bit.
        assert np.array_equal(known.distributions.rows[known.of], wanted.distributions.rows[wanted.of])


def test_what_always_follows_is_known(tmp_path):
    saved(tmp_path, "1.csv", pl.DataFrame({"who": [1, 2, 3, 4], "disease": ["flu", "hiv", "flu", "hiv"]}))
    saved(tmp_path, "2.csv", pl.DataFrame({"who": [1, 2, 3, 4], "disease": ["flu", "hiv", "flu", "hiv"]}))
    own = pl.DataFrame({"who": [1, 2, 9], "sex": ["f", "f", "f"], "disease": ["flu", "hiv", "flu"]})
    policy = policy_of(
        COLUMNS, {"sequence": {"earlier": ["1.csv", "2.csv"], "on": "who", "smoothing": 0}}, tmp_path
    )
    found = beliefs(own, policy)
    np.testing.assert_allclose(found, [[1, 0], [0, 1], [2 / 3, 1 / 3]], atol=2**-39)


def test_a_past_that_rules_everything_out_is_counted(tmp_path):
    saved(tmp_path, "1.csv", pl.DataFrame({"who": [1, 2, 3], "disease": ["flu", "hiv", "pest"]}))
    saved(tmp_path, "2.csv", pl.DataFrame({"who": [1, 2, 3], "disease": ["flu", "hiv", "pest"]}))
    own = pl.DataFrame({"who": [3, 2], "sex": ["f", "m"], "disease": ["flu", "hiv"]})
    source = lk.SequenceKnowledge(["1.csv", "2.csv"], "who", smoothing=0)
    found, subject = shares_of(own, source, COLUMNS, tmp_path)
    assert found.tolist() == [[0.5, 0.5], [0, 1]]
    assert subject.counted == {"contradicted": 1}


@pytest.mark.parametrize(
    ("keys", "earlier", "words"),
    [
        ({"on": "who", "earlier": []}, None, "sequence: earlier must name at least one table"),
        ({"on": "who", "earlier": [3]}, None, "sequence: each of earlier must be the path of a file; got 3"),
        ({"on": 3, "earlier": "1.csv"}, None, "sequence: on must be the name of a column; got 3"),
        ({"on": "who", "earlier": "1.csv", "smoothing": -1}, None, "sequence: smoothing must be a number of at least 0"),
        ({"on": "who", "earlier": "1.csv", "prior": 3}, None, "sequence: prior must be a source of knowledge"),
        ({"on": "who", "earlier": "1.csv", "prior": {"kernel": {"bandwidth": 0}}}, None, "sequence: prior: kernel: band"),
        (
            {"on": "who", "earlier": "1.csv", "prior": {"table": "t.csv", "sensitive": "disease"}},
            None,
            "sequence: prior is of the same column and has no name; leave name and sensitive out there",
        ),
        ({"on": "sex", "earlier": "1.csv"}, {"who": [1]}, "sequence: on: 'sex' is not an identifier"),
        ({"on": "wo", "earlier": "1.csv"}, {"who": [1]}, "sequence: on: 'wo' is not an identifier; did you mean 'who'"),
        ({"on": "who", "earlier": "0.csv"}, None, "knowledge: sequence: earlier: "),
        ({"on": "who", "earlier": "1.csv"}, {"id": [1], "disease": ["flu"]}, "1.csv: lacks the column 'who'; it has id, disease"),
        (
            {"on": "who", "earlier": "1.csv"},
            {"who": [1, 2, 1], "disease": ["flu"] * 3},
            "1.csv: 'who': '1' stands there again in line 4; a person has one record in each earlier table",
        ),
        (
            {"on": "who", "earlier": "1.csv"},
            {"who": [1, 2], "disease": ["flu", None]},
            "1.csv: column 'disease': 1 missing value, the first in line 3",
        ),
    ],
)  # fmt: skip
def test_bad_input_is_one_line(tmp_path, keys, earlier, words):
    if earlier is not None:
        saved(tmp_path, "1.csv", pl.DataFrame(earlier))
    own = pl.DataFrame({"who": [1, 2], "sex": ["f", "m"], "disease": ["flu", "hiv"]})
    with pytest.raises(LikenessError) as refused:
        learnt(own, policy_of(COLUMNS, {"sequence": keys}, tmp_path))
    assert len(refused.value.problems) == 1
    assert words in refused.value.problems[0]


def test_records_that_name_nobody_are_nobodys_past(tmp_path):
    saved(tmp_path, "1.csv", pl.DataFrame({"who": ["a", None, None], "disease": ["flu", "hiv", "hiv"]}))
    own = pl.DataFrame({"who": ["a", None], "sex": ["f", "m"], "disease": ["flu", "hiv"]})
    source = {"sequence": {"earlier": "1.csv", "on": "who"}}
    assert beliefs(own, policy_of(COLUMNS, source, tmp_path)).tolist() == [[0.5, 0.5], [0.5, 0.5]]


def test_facts_are_how_many_tables_and_never_which():
    source = lk.SequenceKnowledge(["a.csv", "b.csv"], "who", lk.KernelKnowledge("0.3", from_="c.csv"), "1/2")
    told = source.facts
    assert told == {
        "earlier": 2,
        "smoothing": "1/2",
        "prior": {"source": "kernel", "parameters": {"bandwidth": "0.3", "from": True}},
    }
    assert source.check_facts(told) == told
    assert source.told(told) == (
        "what each person had in 2 earlier tables, how values follow one another there, and what people alike have: another "
        "table, smoothed by a kernel of bandwidth 0.3"
    )
    assert source.told({"earlier": 1, "smoothing": "1"}).endswith(
        "1 earlier table, how values follow one another there, and what everybody has"
    )
    for wrong in (
        {"earlier": 0},
        {"earlier": True},
        {"smoothing": 1},
        {"prior": {"source": "nothing", "parameters": {}}},
    ):
        with pytest.raises((LikenessError, ValueError)):
            source.check_facts(told | wrong)
    assert isinstance(source, KnowledgeSource)
    with pytest.raises(PolicyError):
        lk.SequenceKnowledge((), "who")


def test_people_of_one_tuple_and_other_pasts_are_published_apart(tmp_path):
    rng = np.random.default_rng(12)
    people = 200
    chronic = rng.random(people) < 0.5
    who = pl.DataFrame(
        {"who": range(people), "sex": rng.choice(["f", "m"], people), "age": rng.integers(20, 70, people)}
    )

    def visits():
        return who.with_columns(
            disease=pl.Series(
                np.where(chronic, rng.choice(["hiv", "gout"], people), rng.choice(["flu", "cold"], people))
            )
        )

    for name in ("2022.csv", "2023.csv"):
        saved(tmp_path, name, visits())
    own = visits()
    columns = COLUMNS | {"age": {"role": "quasi"}}
    policy = policy_of(
        columns,
        {"sequence": {"earlier": ["2022.csv", "2023.csv"], "on": "who"}},
        tmp_path,
        withhold={"at_most": 1},
    ).replace(privacy=[lk.JsBackground(0.3), lk.KAnonymity(4)])
    release = lk.anonymize(own, policy, seed=1)
    assert release.verify().ok
    assert lk.verify(release.write(tmp_path / "out"), own, policy=policy).status == "proven"
    plan = release.private.solution.plan
    for number in range(int(plan.classes.max()) + 1):
        assert np.unique(chronic[plan.classes == number]).size == 1
    # Nothing of the past is public.
    public = b"".join(path.read_bytes() for path in (tmp_path / "out" / "public").iterdir())
    assert b"2022" not in public
