"""What a steward is warned of: as data, on the console, in the report, and by no release that gives no reason."""

from __future__ import annotations

import html
import json

import numpy as np
import polars as pl
import pytest

import likeness as lk

ROWS = 400
RNG = np.random.default_rng(2)
TABLE = pl.DataFrame(
    {
        "who": [f"p{i // 3}" for i in range(ROWS)],
        "age": RNG.integers(20, 60, ROWS),
        "zip": RNG.integers(0, 90, ROWS),
        "disease": ["gout", *RNG.choice(["flu", "cold", "acne"], ROWS - 1, p=[0.5, 0.3, 0.2])],
        "ward": RNG.choice(["north", "south"], ROWS),
    }
)
COLUMNS = {
    "who": lk.drop(),
    "age": lk.quasi(),
    "zip": lk.quasi(),
    "disease": lk.sensitive(),
    "ward": lk.drop(),
}


def made(*models: lk.KAnonymity, columns: dict[str, object] | None = None, **given: object) -> lk.Release:
    """A release of the table."""
    return lk.anonymize(
        TABLE, lk.Policy(columns=COLUMNS | (columns or {}), privacy=[*models], **given), seed=1
    )


def found(release: lk.Release) -> dict[str, dict[str, object]]:
    """The facts of every warning, by code."""
    return {one.code: dict(one.facts) for one in release.warnings}


def test_a_release_that_gives_no_reason_is_not_warned_of():
    assert made(lk.KAnonymity(5) & lk.TCloseness("0.4")).warnings == ()


def test_people_alone_in_their_class_are_counted():
    release = made(lk.TCloseness("0.6"))
    sizes = release.table.group_by("age", "zip").len()["len"]
    alone = int((sizes == 1).sum())
    assert alone > 10
    facts = {"alone": alone, "classes": len(sizes), "unit": "record", "models": ["t-closeness"]}
    assert found(release) == {"alone-in-a-class": facts}
    (line,) = map(str, release.warnings)
    assert line.startswith(f"{alone} of {len(sizes)} classes hold a single record")
    assert "add {model: k-anonymity, k: …}" in line
    # Nobody is alone in a class of two, whose regions tell other things.
    assert found(made(lk.TCloseness("0.6"), lk.KAnonymity(2))).keys() == {"regions-can-be-undone"}


def test_people_of_several_records_may_be_alone_in_their_class():
    release = made(lk.TCloseness("0.6"), columns={"who": lk.identifier()}, individual="who")
    individuals = release.private.encoded.data.individuals
    classes = release.private.solution.plan.classes
    people = pl.DataFrame({"own": classes, "who": individuals}).filter(pl.col("own") >= 0)
    alone = int((people.group_by("own").agg(pl.col("who").n_unique())["who"] == 1).sum())
    assert alone
    assert found(release)["alone-in-a-class"]["alone"] == alone
    assert found(release)["alone-in-a-class"]["unit"] == "person"


def test_records_are_counted_and_the_smallest_class_has_fewer_people():
    # Every class has more people than half its records, and yet fewer than k.
    table = pl.DataFrame({"who": [f"p{i % 7}" for i in range(70)], "age": [20 + i // 10 for i in range(70)]})
    asked = lk.Policy(columns={"who": lk.identifier(), "age": lk.quasi()}, privacy=lk.KAnonymity(10))
    release = lk.anonymize(table, asked, seed=1)
    facts = found(release)["people-not-counted"]
    assert (facts["smallest"], facts["asked"], facts["fewer"], facts["classes"]) == (7, "k = 10", 7, 7)
    (line,) = map(str, release.warnings)
    assert "the smallest class holds 7 of them under k = 10, 7 of 7 classes fewer than that" in line
    # As many people as are asked for, with none twice in a class: nothing is missed.
    apart = table.with_columns(who=pl.format("p{}", pl.int_range(70) % 35))
    assert lk.anonymize(apart, asked, seed=1).warnings == ()


@pytest.mark.parametrize(
    ("models", "asked"),
    [
        ([lk.DistinctLDiversity(3)], "l = 3"),
        ([lk.KAnonymity(2), lk.EntropyLDiversity("5/2")], "l = 3"),
        ([lk.KAnonymity(4), lk.DistinctLDiversity(2)], "k = 4"),
    ],
)
def test_the_largest_number_that_is_asked_of_a_class_is_named(models, asked):
    table = TABLE.with_columns(
        disease=pl.Series(["flu", "cold", "acne", "gout"] * 100), age=pl.Series(np.arange(ROWS) // 3)
    )
    columns = COLUMNS | {"who": lk.identifier()}
    release = lk.anonymize(table, lk.Policy(columns=columns, privacy=models), seed=1)
    facts = found(release)["people-not-counted"]
    assert facts["asked"] == asked
    assert facts["smallest"] < int(asked[-1])


def test_a_release_that_tells_nothing_names_the_model_and_the_value():
    # Gout has one record in 400: no class but the whole table may hold it.
    release = made(lk.KAnonymity(2), lk.BetaLikeness("0.01"), withhold={"at_most": 0})
    facts = found(release)["tells-nothing"]
    assert (facts["classes"], facts["units"]) == (1, ROWS)
    assert facts["loss"] == release.loss("glm")["glm"] > 0.95
    (needed,) = facts["needed_by"]
    assert (needed["model"], needed["column"]) == ("beta-likeness", "disease")
    assert needed["values"]["gout"] > ROWS / 2
    line = str(release.warnings[-1])
    assert "beta-likeness on 'disease' needs that (smallest class that may hold a value: 'gout' " in line
    assert "k-anonymity" not in line
    assert line.endswith("or let their records be withheld (withhold: at_most)")


def test_a_model_without_such_values_is_named_where_no_half_holds_it():
    release = made(lk.TCloseness("0.0001"), lk.KAnonymity(2))
    (needed,) = found(release)["tells-nothing"]["needed_by"]
    halved = needed["halved"]
    assert needed == {
        "model": "t-closeness",
        "column": "disease",
        "values": {},
        "known": [],
        "halved": halved,
    }
    # What is said to be met by two halves is: there are more classes then, and fewer just below.
    assert release.certificate.classes == 1
    assert (halved["column"], halved["parameter"]) == ("zip", "t")
    assert f"both halves would meet t-closeness with t = {halved['value']}" in str(release.warnings[-1])
    weaker = made(lk.TCloseness(halved["value"]), lk.KAnonymity(2))
    assert weaker.certificate.classes > 1
    (needed,) = found(made(lk.KAnonymity(300)))["tells-nothing"]["needed_by"]
    halved = needed["halved"]
    assert needed == {"model": "k-anonymity", "column": None, "values": {}, "known": [], "halved": halved}
    assert halved["parameter"] == "k"
    assert 100 < halved["value"] <= ROWS / 2


def test_other_sensitive_columns_that_are_known_are_named():
    table = TABLE.with_columns(
        disease=pl.Series(["flu", "flu", "cold", "cold"] * 100), ward=pl.Series(["north", "south"] * 200)
    )
    asked = lk.Policy(
        columns=COLUMNS | {"ward": lk.sensitive()},
        privacy=lk.TCloseness("0.0005", sensitive="ward"),
        method=lk.Mondrian(),
    )
    release = lk.anonymize(table, asked, seed=1)
    (needed,) = found(release)["tells-nothing"]["needed_by"]
    assert needed["known"] == ["disease"]
    assert str(release.warnings[-1]).endswith(
        "or take other sensitive columns as unknown where they are (others: unknown)"
    )


def test_where_no_model_needs_it_the_method_is_looked_at():
    method = {"name": "incognito"}
    levels = {name: lk.quasi(hierarchy={"intervals": [0, 1000]}) for name in ("age", "zip")}
    release = made(lk.KAnonymity(100), columns=levels, method=method)
    assert found(release)["tells-nothing"]["needed_by"] == []
    assert "no model needs that by itself: look at the method" in str(release.warnings[-1])


def test_one_class_of_equal_quasi_identifiers_tells_everything():
    table = TABLE.with_columns(age=pl.lit(40), zip=pl.lit(1))
    asked = lk.Policy(columns=COLUMNS, privacy=lk.KAnonymity(5))
    assert lk.anonymize(table, asked, seed=1).warnings == ()


def test_the_report_and_the_release_say_the_same(tmp_path):
    release = made(lk.TCloseness("0.6"), columns={"who": lk.identifier()}, effort="quick")
    assert set(found(release)) == {"people-not-counted", "alone-in-a-class"}
    page = html.unescape((release.write(tmp_path / "out") / "private/report.html").read_text())
    for one in release.warnings:
        assert page.count(f"<strong>Warning:</strong> {one}.") == 1
        assert json.loads(json.dumps(dict(one.facts))) == dict(one.facts)


def test_namesakes_in_one_large_class_are_no_sign():
    table = TABLE.with_columns(who=pl.format("n{}", pl.int_range(ROWS) % 380))
    asked = lk.Policy(columns=COLUMNS | {"who": lk.identifier()}, privacy=lk.TCloseness("0.0001"))
    assert set(found(lk.anonymize(table, asked, seed=1))) == {"tells-nothing"}


WEIGHED = TABLE.with_columns(weight=np.array([1.5, 2.5, *np.repeat([3.25, 4.75], (ROWS - 2) // 2)]))


@pytest.mark.parametrize(
    ("columns", "given", "expected"),
    [
        ({"weight": lk.other()}, {"weights": "weight"}, {"alone": 2, "people": ROWS, "weights": True}),
        # Two of four hundred are few, where nobody says that these are weights.
        ({"weight": lk.other()}, {}, None),
        ({"weight": lk.drop()}, {"weights": "weight"}, None),
        ({"weight": lk.drop(), "number": lk.other()}, {}, {"alone": ROWS, "people": ROWS, "weights": False}),
    ],
)
def test_numbers_that_nobody_else_has_are_counted(columns, given, expected):
    table = WEIGHED.with_columns(number=pl.int_range(ROWS) * 1.5)
    asked = lk.Policy(columns=COLUMNS | {"number": lk.drop()} | columns, privacy=[lk.KAnonymity(2)], **given)
    release = lk.anonymize(table, asked, seed=1)
    name = "number" if columns.get("number") else "weight"
    known = found(release).get("alone-with-a-number")
    assert known == (None if expected is None else expected | {"column": name, "unit": "record"})
    if expected:
        (line,) = [str(one) for one in release.warnings if one.code == "alone-with-a-number"]
        assert f"column {name!r}: {expected['alone']} of {ROWS} records have a " in line


def test_people_with_several_records_are_counted_once_with_their_numbers():
    rng = np.random.default_rng(4)
    table = TABLE.with_columns(weight=pl.Series(rng.integers(0, 60, ROWS)))
    asked = lk.Policy(
        columns=COLUMNS | {"who": lk.identifier(), "weight": lk.other()},
        privacy=[lk.KAnonymity(2)],
        individual="who",
        weights="weight",
        hygiene={"duplicates": "keep"},
    )
    release = lk.anonymize(table, asked, seed=1)
    shown = release.private.solution.plan.published
    held: dict[int, set[str]] = {}
    kept = table[release.private.encoded.data.rows[shown].tolist()]
    for who, weight in zip(kept["who"], kept["weight"], strict=True):
        held.setdefault(weight, set()).add(who)
    alone = set().union(*(people for people in held.values() if len(people) == 1))
    facts = found(release).get("alone-with-a-number")
    assert (0 if facts is None else facts["alone"]) == len(alone)
    assert facts is None or (facts["unit"], facts["people"]) == ("person", kept["who"].n_unique())


def test_a_column_that_mixes_numbers_and_texts_is_published_as_it_is_and_warned_of_as_texts(tmp_path):
    """Nothing has to be known of what is published as it is; the release could be made, and not be written."""
    codes = [str(100 + i % 7) for i in range(59)]
    table = pl.DataFrame({"age": [20 + i % 6 for i in range(60)], "code": [*codes, "fine"]})
    policy = lk.Policy(columns={"age": lk.quasi(), "code": lk.other()}, privacy=lk.KAnonymity(5))
    release = lk.anonymize(table, policy, seed=1)
    assert "alone-with-a-number" not in found(release)
    assert lk.verify(release.write(tmp_path / "out"), original=table).ok
    assert sorted(release.table["code"]) == sorted(table["code"])
    table.write_parquet(tmp_path / "table.parquet")
    made = lk.publish(tmp_path / "table.parquet", policy, tmp_path / "parts", engine="streaming")
    assert made.verdict.ok


def test_everybody_looks_alike_where_nothing_is_a_quasi_identifier():
    """k-anonymity of nothing is proven of all records, whose other columns are published exactly."""
    table = pl.DataFrame({"age": list(range(40)), "zip": [f"1{i:03}" for i in range(40)]})
    policy = lk.Policy(columns={"age": lk.other(), "zip": lk.other()}, privacy=lk.KAnonymity(5))
    release = lk.anonymize(table, policy, seed=1)
    assert found(release)["no-quasi-identifier"] == {"others": 2}
    (said,) = [str(one) for one in release.warnings if one.code == "no-quasi-identifier"]
    assert said.startswith(
        "no column has the role quasi, so everybody is taken to look alike, and what is published as it is (2 columns)"
    )
    told = policy.replace(columns={"age": lk.quasi(), "zip": lk.other()})
    assert "no-quasi-identifier" not in found(lk.anonymize(table, told, seed=1))


def test_codes_that_a_policy_calls_numbers_lose_their_zeros_and_it_is_said(tmp_path):
    zips = [f"{i % 9 * 1000 + 139:05}" for i in range(90)]
    table = pl.DataFrame({"zip": zips, "age": ["007", *["40"] * 88, "00"], "flat": ["01"] * 90})
    columns = {
        "zip": {"role": "quasi", "kind": "integer"},
        "age": {"role": "quasi", "kind": "real", "missing": {"markers": ["00"], "policy": "category"}},
        "flat": {"role": "other", "kind": "integer"},
    }
    policy = lk.Policy(columns=columns, privacy=lk.KAnonymity(5))
    release = lk.anonymize(table, policy, seed=1)
    said = {one.facts["column"]: one for one in release.warnings if one.code == "leading-zeros-lost"}
    assert {name: one.facts["records"] for name, one in said.items()} == {"zip": 90, "age": 1}
    assert str(said["zip"]) == (
        "column 'zip': 90 cells such as '00139' begin with a zero, which numbers do not keep; say kind: categorical in place "
        "of integer where they are codes"
    )
    made = lk.publish(table, policy, tmp_path / "out", engine="memory")
    assert [one.facts for one in made.warnings if one.code == "leading-zeros-lost"] == [
        one.facts for one in said.values()
    ]
    kept = policy.replace(columns={**columns, "zip": {"role": "quasi", "kind": "categorical"}})
    again = lk.anonymize(table, kept, seed=1).warnings
    assert [one.facts["column"] for one in again if one.code == "leading-zeros-lost"] == ["age"]


def test_years_of_two_digits_are_warned_of():
    table = pl.DataFrame(
        {"born": [f"{1 + i % 28}.05.{70 + i % 30}" for i in range(90)], "zip": ["1", "2"] * 45}
    )
    policy = lk.Policy(columns={"born": lk.quasi(), "zip": lk.quasi()}, privacy=lk.KAnonymity(5))
    (said,) = [one for one in lk.anonymize(table, policy, seed=1).warnings if one.code == "two-digit-years"]
    assert said.facts == {"columns": ["born"], "first": 1969, "last": 2068}
    assert str(said).startswith("years of two digits in 'born' are read as 1969 to 2068; ")
    assert [one.code for one in lk.profile(table)["born"].findings] == ["two-digit-years"]


def test_units_are_lost_and_it_is_said():
    table = pl.DataFrame(
        {"share": [f"{i % 30}.5 %" for i in range(90)], "pay": [f"${1 + i % 9},200.50" for i in range(90)]}
    )
    policy = lk.Policy(columns={"share": lk.quasi(), "pay": lk.sensitive()}, privacy=lk.KAnonymity(5))
    (said,) = [
        one for one in lk.anonymize(table, policy, seed=1).warnings if one.code == "units-not-published"
    ]
    assert said.facts == {"columns": {"share": "%", "pay": "$"}}
    found = lk.profile(table)
    assert [one.facts for one in found["share"].findings if one.code == "unit-found"] == [{"unit": "%"}]
    mixed = lk.profile(pl.DataFrame({"share": ["5 %", "$6"] * 20}))["share"]
    assert "has numbers with different units" in mixed.warnings[0]


def test_days_in_whole_numbers_are_written_as_days(tmp_path):
    table = pl.DataFrame({"born": [19700101 + i % 28 for i in range(90)], "zip": ["1", "2"] * 45})
    table.write_parquet(tmp_path / "t.parquet")
    policy = lk.Policy(columns={"born": lk.quasi(), "zip": lk.quasi()}, privacy=lk.KAnonymity(5))
    release = lk.anonymize(tmp_path / "t.parquet", policy, seed=1)
    release.write(tmp_path / "out")
    shown = pl.read_parquet(tmp_path / "out" / "public" / "release.parquet")["born"]
    assert shown.str.contains("1970-01-[0-9]{2}").all()
    assert lk.verify(tmp_path / "out", original=tmp_path / "t.parquet").ok


def test_signatures_without_a_ledger_are_of_one_release(tmp_path):
    table = pl.DataFrame(
        {
            "who": [f"p{i}" for i in range(60)],
            "age": [20 + i % 30 for i in range(60)],
            "disease": list("abcdef") * 10,
        }
    )
    columns = {"who": lk.identifier(), "age": lk.quasi(), "disease": lk.sensitive()}
    policy = lk.Policy(columns=columns, privacy=lk.MInvariance(3))
    (said,) = [one for one in lk.anonymize(table, policy, seed=1).warnings if one.code == "no-ledger"]
    assert said.facts == {"models": ["m-invariance"]}
    assert "a later one may break it" in str(said)
    kept = lk.anonymize(table, policy, seed=1, ledger=tmp_path / "ledger.json", on="who")
    assert "no-ledger" not in {one.code for one in kept.warnings}


def test_verdicts_show_themselves_in_notebooks_and_no_record():
    release = made(lk.KAnonymity(2))
    shown = release.verdict._repr_html_()
    assert shown.startswith("<div><b>Verdict</b>: proven (")
    assert "k-anonymity (k = 2)" in shown
    assert "gout" not in shown


@pytest.mark.parametrize(("effort", "seed", "warned"), [({"seconds": 0.1}, 1, 1), ("quick", 1, 0)])
def test_a_seed_does_not_make_again_what_seconds_decide(effort, seed, warned):
    table = pl.DataFrame({"age": [i % 30 for i in range(90)], "zip": ["1", "2"] * 45})
    policy = lk.Policy(
        columns={"age": lk.quasi(), "zip": lk.quasi()}, privacy=lk.KAnonymity(5), effort=effort
    )
    for given, expected in ((seed, warned), (None, 0)):
        said = [
            one for one in lk.anonymize(table, policy, seed=given).warnings if one.code == "depends-on-time"
        ]
        assert len(said) == expected
