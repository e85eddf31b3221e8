"""Releases over time under a ledger: everybody keeps the values that were possible of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.attacks.test_composition import COLUMNS, two_years

import likeness as lk
from likeness.cli import main
from likeness.folder.ledger import Ledger, _digest

if TYPE_CHECKING:
    from pathlib import Path

SMALL = {"who": lk.identifier(), "age": lk.quasi(kind="integer"), "disease": lk.sensitive()}
DISEASES = ["cold", "flu", "gout", "hiv"]


def policy(m: int = 2, columns: dict[str, lk.Column] | None = None, at_most: float = 0.9) -> lk.Policy:
    return lk.Policy(columns=columns or SMALL, privacy=lk.MInvariance(m), withhold={"at_most": at_most})


def groups_of(release: lk.Release, on: str, sensitive: str) -> dict[str, frozenset[str]]:
    """The values in the published group of everybody, by the published texts and the class map."""
    quasi, told = (release.columns[name] for name in ("quasi", "sensitive"))
    buckets = np.asarray(told["bucket"].values)[told["bucket"].codes]
    values = told[sensitive]
    counts = np.asarray(told["count"].values)[told["count"].codes]
    assert (counts == 1).all()
    shown: dict[int, set[str]] = {}
    for bucket, code in zip(buckets.tolist(), values.codes.tolist(), strict=True):
        shown.setdefault(bucket, set()).add(values.labels[code])
    of_row = np.asarray(quasi["bucket"].values)[quasi["bucket"].codes].tolist()
    frame = release.private.encoded.table.frame
    names = frame[on].cast(pl.String).to_list()
    records = release.private.rows["quasi"]
    rows = release.private.encoded.data.rows[records].tolist()
    return {names[row]: frozenset(shown[bucket]) for row, bucket in zip(rows, of_row, strict=True)}


@st.composite
def years(draw: st.DrawFn) -> list[list[tuple[int, int, int]]]:
    """Up to three tables of up to twelve people: who, how old, what they have; who leaves may come back, few values change."""
    disease = draw(st.lists(st.integers(0, 3), min_size=12, max_size=12))
    found = []
    for year in range(draw(st.integers(2, 3))):
        there = draw(st.lists(st.integers(0, 11), min_size=4, max_size=12, unique=True))
        for who in there:
            if year and draw(st.integers(0, 9)) == 0:
                disease[who] = draw(st.integers(0, 3))
        found.append([(who, 20 + (who * 7) % 30 + year, disease[who]) for who in there])
    return found


@pytest.mark.slow
@given(tables=years(), m=st.integers(2, 3))
@settings(deadline=None, max_examples=15)
def test_all_releases_together_leave_everybody_the_values_that_one_leaves(tables, m, tmp_path_factory):
    place = tmp_path_factory.mktemp("years")
    signatures: dict[str, frozenset[str]] = {}
    made = 0
    for year, rows in enumerate(tables):
        frame = pl.DataFrame(
            {
                "who": [f"p{who}" for who, _, _ in rows],
                "age": [age for _, age, _ in rows],
                "disease": [DISEASES[code] for _, _, code in rows],
            }
        )
        given_ = {"ledger": place / "ledger.json", "on": "who" if not made else None}
        try:
            release = lk.anonymize(frame, policy(m), seed=year, **given_)
        except lk.CannotBeMetError:
            continue
        made += 1
        release.write(place / f"{year}")
        own = dict(zip(frame["who"], frame["disease"], strict=True))
        groups = groups_of(release, "who", "disease")
        withheld = set(own) - set(groups)
        for who, values in groups.items():
            # m values at least, each once, the true one among them, and the same ones as ever.
            assert len(values) >= m
            assert own[who] in values
            assert signatures.setdefault(who, values) == values
        changed = {who for who in own if who in signatures and own[who] not in signatures[who]}
        assert changed <= withheld
        assert release.verify().ok
        assert lk.verify(place / f"{year}", frame).ok
    assume(made >= 2)
    ledger = Ledger.open(place / "ledger.json", "who", "disease", m)
    assert {
        who: frozenset(ledger.signatures[own]) for who, own in (ledger.people or {}).items()
    } == signatures
    assert len(ledger.releases) == made


def hospital(place: Path, m: int) -> tuple[lk.Release, lk.Release]:
    """Two years of a hospital under one ledger, the first one written."""
    asked = policy(m, COLUMNS, at_most=0.02)
    earlier, today = two_years()
    first = lk.anonymize(earlier, asked, seed=1, ledger=place / "ledger.json", on="patient_id")
    first.write(place / "first")
    return first, lk.anonymize(today, asked, seed=2, ledger=place / "ledger.json")


@pytest.mark.parametrize("m", [3, 4])
def test_a_hospital_s_second_year_tells_nothing_that_the_first_did_not(m, tmp_path):
    first, second = hospital(tmp_path, m)
    before, now = (groups_of(own, "patient_id", "diagnosis") for own in (first, second))
    both = set(before) & set(now)
    assert len(both) >= 0.99 * 1050
    assert all(before[who] == now[who] for who in both)
    assert any(
        "were in one, and have the values that were possible of them then" in line
        for line in second.verdict.checks
    )
    # Who looks by quasi-identifiers, or knows who was in which year: never less than m values, and never more than 1/m.
    found = second.attack(lk.CompositionAttack(earlier=first, on="patient_id"))
    assert found.details["certain"] == 0
    assert found.details["fewest_left"] >= m
    assert found.success <= 1 / m
    # Who knows everybody's group, the strongest of all, learns 1/m from one release, and nothing from both together.
    known = second.attack(lk.CompositionAttack(earlier=first, on="patient_id", knows="class"))
    assert known.details["this_release"] == pytest.approx(1 / m, abs=0.002)
    assert known.details["gain_low"] <= 0 <= known.details["gain_high"]
    assert known.details["certain"] == 0
    assert known.details["values_left"] == known.details["values_left_alone"]
    assert known.details["fewest_left"] == m
    # Everybody is published who was before, but for very few.
    assert second.private.solution.plan.withheld <= 5


@pytest.mark.parametrize(
    ("privacy", "method", "gain", "certain"),
    [
        # k = 5 and 4-diversity: one value is left of one in twenty people, and of nobody by one release alone.
        (lk.KAnonymity(5) & lk.DistinctLDiversity(4), "mondrian", 0.08, 0.04),
        # k = 5 and β = 4: classes are as large as the rarest value asks, so that little is gained, and nothing is certain.
        (lk.KAnonymity(5) & lk.BetaLikeness(4), "burel", 0.003, 0.0),
    ],
)
def test_two_ordinary_releases_of_the_same_tables_tell_more_than_one(privacy, method, gain, certain):
    asked = lk.Policy(columns=COLUMNS, privacy=privacy, method=method, withhold={"at_most": 0.1})
    first, second = (lk.anonymize(table, asked, seed=1) for table in two_years())
    found = second.attack(lk.CompositionAttack(earlier=first, on="patient_id", knows="class"))
    assert found.details["gain_low"] > gain
    assert found.details["certain_and_right"] >= certain
    assert found.details["certain_alone"] == 0
    assert found.details["values_left"] < found.details["values_left_alone"]


@pytest.mark.slow
def test_the_ledger_is_entered_once_and_is_the_steward_s(tmp_path):
    first, second = hospital(tmp_path, 3)
    text = (tmp_path / "ledger.json").read_text()
    first.write(tmp_path / "again")
    assert (tmp_path / "ledger.json").read_text() == text
    people = json.loads(text)["people"]
    public = b"".join(path.read_bytes() for path in (tmp_path / "first/public").iterdir())
    assert not any(who.encode() in public for who in people)
    assert b"ledger" not in public
    # Nobody may write another release into the ledger in between.
    third = lk.anonymize(two_years()[1], policy(3, COLUMNS, 0.02), seed=3, ledger=tmp_path / "ledger.json")
    second.write(tmp_path / "second")
    with pytest.raises(lk.OutputError, match="another release was written into this ledger since"):
        third.write(tmp_path / "third")
    assert not (tmp_path / "third").exists()
    verdict = lk.verify(tmp_path / "second", two_years()[1], ledger=tmp_path / "ledger.json")
    assert verdict.ok
    assert "1,500 of 1,500 people published were in one" in verdict.checks[-1]
    # A ledger that says something else of one person, or knows nothing of the release.
    content = json.loads((tmp_path / "ledger.json").read_text())
    content["signature_of"][0] = (content["signature_of"][0] + 1) % len(content["signatures"])
    content["sha256"] = _digest(content)
    (tmp_path / "changed.json").write_text(json.dumps(content))
    (problem,) = lk.verify(tmp_path / "first", two_years()[0], ledger=tmp_path / "changed.json").problems
    assert problem.startswith("m-invariance: 1 person published has other possible values")
    (tmp_path / "changed.json").write_text(text)
    (problem,) = lk.verify(tmp_path / "second", two_years()[1], ledger=tmp_path / "changed.json").problems
    assert problem == "changed.json: knows no release with this certificate.json"
    opened = lk.open_release(tmp_path / "second", original=two_years()[1])
    assert opened.loss() == second.loss()
    assert opened.attack("homogeneity") == second.attack("homogeneity")


def test_what_does_not_fit_is_refused_in_one_line(tmp_path):
    frame = pl.DataFrame(
        {"who": ["a", "b", "c", "d"], "age": [1, 2, 3, 4], "disease": ["flu", "cold", "flu", "cold"]}
    )
    place = tmp_path / "ledger.json"
    usual = policy()

    def refused(table: pl.DataFrame = frame, asked: lk.Policy = usual, **given_: object) -> str:
        with pytest.raises(lk.LikenessError) as problem:
            lk.anonymize(table, asked, seed=1, **({"ledger": place, "on": "who"} | given_))
        (line,) = problem.value.problems
        assert not place.exists() or place.read_text() == before
        return line

    before = ""
    assert "say which column tells people apart, as in on: patient_id" in refused(on=None)
    assert refused(on="whom") == "ledger: on: 'whom' is no column; did you mean 'who'?"
    assert "add {model: m-invariance, m: 3} to privacy" in refused(
        asked=lk.Policy(columns=SMALL, privacy=lk.KAnonymity(2))
    )
    assert "the method mondrian keeps to none" in refused(
        asked=lk.Policy(columns=SMALL, privacy=lk.MInvariance(2), method="mondrian")
    )
    assert "leave it out, or individual" in refused(asked=usual.replace(individual="who"))
    assert "k-anonymity asks for 5" in refused(
        asked=lk.Policy(columns=SMALL, privacy=lk.MInvariance(2) & lk.KAnonymity(5))
    )
    assert "2 records have 'a' in 'who'" in refused(frame.with_columns(who=pl.Series(["a", "a", "b", "c"])))
    assert "on: 'who' is missing in row" in refused(frame.with_columns(who=pl.Series(["a", None, "b", "c"])))
    with pytest.raises(lk.PolicyError, match="on: is read only with ledger"):
        lk.anonymize(frame, usual, on="who")
    lk.anonymize(frame, usual, seed=1, ledger=place, on="who").write(tmp_path / "out")
    before = place.read_text()
    assert "of another series of releases: of m 2, not 3" in refused(asked=policy(3))
    assert "of the people of the column 'who', not 'age'" in refused(on="age")
    for what, changed in (
        ("is no ledger of releases", "{}"),
        ("is no ledger of releases", "text"),
        ("was changed since it was written", before.replace('"flu"', '"hiv"')),
        ("was changed since it was written", before.replace('"a"', '"z"')),
    ):
        place.write_text(changed)
        with pytest.raises(lk.InvalidError, match=what):
            lk.anonymize(frame, usual, seed=1, ledger=place)
    place.write_text(before)
    # A value that is none of theirs any more, and one that nobody has any more.
    changed = frame.with_columns(
        disease=pl.Series(["hiv", "cold", "flu", "cold"]), age=pl.Series([1, 2, 3, 4])
    )
    again = lk.anonymize(changed, policy(at_most=1), seed=1, ledger=place)
    reasons = again.counts["withheld"]
    assert reasons == {
        "their value is none of those that earlier releases left possible of them": 1,
        "too few others have the values that earlier releases left possible of them": 1,
    }


@pytest.mark.slow
def test_the_command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    earlier, today = two_years(300)
    earlier.write_csv("2024.csv")
    today.write_csv("2025.csv")
    columns = {name: one.to_mapping() for name, one in COLUMNS.items()}
    asked = {"columns": columns, "privacy": [{"model": "m-invariance", "m": 3}], "withhold": {"at_most": 0.1}}
    (tmp_path / "policy.json").write_text(json.dumps(asked))
    common = ("policy.json", "--ledger", "ledger.json", "--seed", "1")
    assert main(["anonymize", "2024.csv", *common, "-o", "2024", "--on", "patient_id"]) == 0
    assert main(["anonymize", "2025.csv", *common, "-o", "2025"]) == 0
    assert main(["verify", "2025", "--original", "2025.csv", "--ledger", "ledger.json"]) == 0
    assert "m-invariance over 2 releases of the ledger: " in capsys.readouterr().out
    assert main(["verify", "2025", "--ledger", "ledger.json"]) == 2
    assert main(["verify", "2025/public"]) == 0
    capsys.readouterr()
    known = ("--earlier-original", "2024.csv", "--on", "patient_id", "--format", "json")
    given_ = [
        "attack",
        "2025",
        "--original",
        "2025.csv",
        "--attack",
        "composition",
        "--earlier",
        "2024",
        *known,
    ]
    assert main(given_) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert found["details"]["fewest_left"] >= 3
    assert (
        main(
            ["anonymize", "2025.csv", *common[:3], "-o", "more", "--on", "patient_id", "--ledger", "2025.csv"]
        )
        == 2
    )


def test_another_original_is_another_original_and_breaks_no_ledger(tmp_path, monkeypatch, capsys):
    """Of people in rows that a table does not have, or are others', a ledger says nothing."""
    monkeypatch.chdir(tmp_path)
    rows = {
        "who": [f"p{i}" for i in range(90)],
        "age": [20 + i % 30 for i in range(90)],
        "disease": list("abcdef") * 15,
    }
    table = pl.DataFrame(rows)
    policy = lk.Policy(
        columns={"who": lk.identifier(), "age": lk.quasi(), "disease": lk.sensitive()},
        privacy=lk.MInvariance(3),
    )
    lk.anonymize(table, policy, seed=1, ledger="ledger.json", on="who").write("out")
    for other in (
        table.head(80),
        pl.concat([table, table.head(3).with_columns(who=pl.lit("q") + pl.col("who"))]),
        table[::-1],
    ):
        verdict = lk.verify("out", other, ledger="ledger.json")
        assert not verdict.ok
        assert any("the original" in str(refusal) for refusal in verdict.refusals)
        assert not any("m-invariance" in str(refusal) for refusal in verdict.refusals)
    assert lk.verify("out", table, ledger="ledger.json").ok


IDS = {"id": lk.identifier(), "age": lk.quasi(), "d": lk.sensitive()}
TWO = lk.Policy(columns=IDS, privacy=lk.MInvariance(2), withhold={"at_most": 0})


def year(*rows: tuple[object, ...]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=["id", "age", "d"], orient="row")


def test_people_whose_release_is_that_of_others_byte_for_byte_are_entered(tmp_path):
    """A release is known by its certificate, and another one may have the same: whoever was not entered was told apart later."""
    ledger = tmp_path / "ledger.json"
    first = lk.anonymize(year(("ann", 30, "flu"), ("bob", 31, "cold")), TWO, seed=1, ledger=ledger, on="id")
    first.write(tmp_path / "1")
    once = ledger.read_bytes()
    first.write(tmp_path / "again")
    assert ledger.read_bytes() == once
    alike = year(("cem", 30, "flu"), ("dan", 31, "cold"))
    second = lk.anonymize(alike, TWO, seed=1, ledger=ledger)
    second.write(tmp_path / "2")
    names = ("certificate.json", "quasi.csv", "sensitive.csv")
    assert all(
        (tmp_path / "1" / "public" / name).read_bytes() == (tmp_path / "2" / "public" / name).read_bytes()
        for name in names
    )
    assert set(Ledger.read(ledger).people or {}) == {"ann", "bob", "cem", "dan"}
    assert lk.verify(tmp_path / "2", alike, ledger=ledger).ok
    second.write(tmp_path / "more")
    assert len(Ledger.read(ledger).releases) == 2
    # Cem had flu or cold: with gout beside it flu would be certain.
    with pytest.raises(lk.CannotBeMetError):
        lk.anonymize(year(("cem", 31, "flu"), ("eve", 33, "gout")), TWO, seed=1, ledger=ledger)


def test_numbers_are_one_name_and_one_value_however_their_column_came(tmp_path):
    """A column of whole numbers becomes one of floats where a program finds a gap in it."""
    ledger = tmp_path / "ledger.json"
    whole = year((1, 30, 40), (2, 31, 50), (3, 32, 40), (4, 33, 50))
    lk.anonymize(whole, TWO, seed=1, ledger=ledger, on="id").write(tmp_path / "1")
    for column in ("id", "d"):
        floats = whole.with_columns(pl.col(column).cast(pl.Float64))
        again = lk.anonymize(floats, TWO, seed=1, ledger=ledger)
        assert again.verdict.ok
        assert any("4 of 4 people published were in one" in str(told) for told in again.verdict.statements)
        again.write(tmp_path / column)
        assert set(Ledger.read(ledger).people or {}) == {"1", "2", "3", "4"}
        assert set(Ledger.read(ledger).signatures) == {("40", "50")}
    other = year((1.0, 30, 40), (3.0, 31, 60))
    with pytest.raises(lk.CannotBeMetError):
        lk.anonymize(other, TWO, seed=1, ledger=ledger)


@pytest.mark.parametrize("name", ["P7", " p7", "p7 "])
def test_who_is_written_otherwise_than_before_is_refused(tmp_path, name):
    ledger = tmp_path / "ledger.json"
    lk.anonymize(year(("p7", 30, "flu"), ("007", 31, "cold")), TWO, seed=1, ledger=ledger, on="id").write(
        tmp_path / "1"
    )
    with pytest.raises(lk.PolicyError) as refused:
        lk.anonymize(
            year((name, 30, "flu"), ("7", 31, "gout"), ("q", 30, "cold")), TWO, seed=1, ledger=ledger
        )
    assert str(refused.value) == (
        "ledger: 2 people of this table differ from one of earlier releases only in spaces, capital letters, leading zeros or "
        f"decimal places, such as '{name}' and 'p7'; write everybody as before"
    )
    # Who is there, too, as before is somebody else.
    both = year((name, 30, "flu"), ("p7", 30, "flu"), ("007", 31, "cold"), ("q", 30, "cold"))
    assert lk.anonymize(both, TWO, seed=1, ledger=ledger).certificate.records == 4


def test_a_release_of_the_ledger_is_of_people_whom_it_knows(tmp_path):
    """Identifiers are not published, nor in what is known of the original: the ledger is what tells that they are others."""
    ledger = tmp_path / "ledger.json"
    table = year(("a", 30, "flu"), ("b", 31, "cold"), ("c", 32, "flu"), ("d", 33, "cold"))
    lk.anonymize(table, TWO, seed=1, ledger=ledger, on="id").write(tmp_path / "1")
    assert lk.verify(tmp_path / "1", table, ledger=ledger).ok
    verdict = lk.verify(tmp_path / "1", table.with_columns(id=pl.Series(["a", "b", "c", "x"])), ledger=ledger)
    assert [str(refusal) for refusal in verdict.refusals] == [
        "m-invariance: 1 person published is unknown to the ledger, the first in row 4"
    ]


@pytest.mark.parametrize(
    "wrong",
    [
        {"signature_of": [99, 0]},
        {"signature_of": [0]},
        {"signature_of": ["0", "0"]},
        {"people": [None, "b"]},
        {"people": ["a", "a"]},
        {"signatures": [[1, 2]]},
        {"signatures": {}},
    ],
)
def test_a_ledger_whose_parts_do_not_fit_together_is_none(tmp_path, wrong):
    """Whoever writes one by hand can write its digest, too."""
    ledger = tmp_path / "ledger.json"
    table = year(("a", 30, "flu"), ("b", 31, "cold"))
    lk.anonymize(table, TWO, seed=1, ledger=ledger, on="id").write(tmp_path / "1")
    content = json.loads(ledger.read_text("utf-8")) | wrong
    ledger.write_text(json.dumps(content | {"sha256": _digest(content)}), "utf-8")
    with pytest.raises(lk.InvalidError, match="people and signatures do not fit together"):
        lk.anonymize(table, TWO, seed=1, ledger=ledger)


def test_whoever_is_over_may_be_a_second_one_in_a_group():
    """Of 14 records no value has more than a third: so all can be in groups of three different values or more."""
    values = ["d4"] * 4 + ["d5"] * 4 + ["d2"] * 3 + ["d1"] * 2 + ["d3"]
    table = year(*((f"p{i}", 20 + i, value) for i, value in enumerate(values)))
    policy = TWO.replace(privacy=lk.MInvariance(3))
    for seed in range(10):
        release = lk.anonymize(table, policy, seed=seed)
        assert (release.certificate.records, release.verdict.ok) == (14, True)


def test_what_dropped_records_say_is_said_not_to_be_compared(tmp_path):
    table = pl.DataFrame({"age": [30, 31, None, 30, 31], "d": ["flu", "cold", "flu", "cold", "flu"]})
    policy = lk.Policy(
        columns={"age": lk.quasi(), "d": lk.sensitive()}, privacy=lk.KAnonymity(2), missing={"policy": "drop"}
    )
    out = lk.anonymize(table, policy, seed=1).write(tmp_path / "out")
    (told,) = [
        str(one)
        for one in lk.verify(out, table).statements
        if "the table the release was made from" in str(one)
    ]
    assert told.endswith("; 1 record is dropped, and what it says is not compared")
