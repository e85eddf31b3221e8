"""A table and a policy to microdata: columns, roles, what is dropped and why, weights, renamed columns, two tables."""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np
import polars as pl
import pytest

import likeness as lk
from likeness.encode import Encoded, encode
from likeness.tables import JoinedTable, join, read

K = lk.KAnonymity(1)


def encoded(frame: pl.DataFrame, columns: dict[str, Any], **given: Any) -> Any:
    """The table as its policy says."""
    return encode(read(frame), lk.Policy(columns=columns, privacy=given.pop("privacy", K), **given))


FRAME = pl.DataFrame(
    {
        "name": ["x", "y", "z", "w"],
        "age": [40, None, 20, 30],
        "job": ["cook", "nurse", "?", None],
        "disease": ["flu", None, "flu", "cold"],
        "note": ["", None, "n", "?"],
        "weight": [1.5, 2.0, 0.0, 1.0],
    }
)
COLUMNS = {
    "name": lk.identifier(),
    "age": lk.quasi(),
    "job": lk.quasi(),
    "disease": lk.sensitive(),
    "note": lk.other(),
    "weight": lk.drop(),
}


def test_a_level_above_the_hierarchy_is_refused():
    frame = pl.DataFrame({"zip": ["02139", "02141"], "born": [1980, 1990]})
    rows = [[code, code[:3], "*"] for code in frame["zip"]]
    for hierarchy, height in (({"prefix": 5}, 5), (rows, 2)):
        columns = {"zip": lk.quasi(hierarchy=hierarchy, max_level=height), "born": lk.drop()}
        assert encoded(frame, columns).data.quasi[0].max_level == height
        columns["zip"] = lk.quasi(hierarchy=hierarchy, max_level=height + 1)
        with pytest.raises(lk.LikenessError) as caught:
            encoded(frame, columns)
        assert caught.value.exit_code == 2
        (told,) = caught.value.problems
        assert told.startswith(
            f"column 'zip': max_level {height + 1} is above the root of its hierarchy, which has level {height}; "
        )


def test_a_delimiter_that_divides_nothing_is_said_to_be_wrong(tmp_path):
    (tmp_path / "t.csv").write_text("age,zip\n30,02139\n")
    policy = lk.Policy(columns={"age": lk.quasi(), "zip": lk.quasi()}, privacy=K)
    with pytest.raises(lk.PolicyError) as caught:
        encode(read(tmp_path / "t.csv", delimiter=";"), policy)
    (told,) = caught.value.problems
    assert (
        "t.csv: the delimiter ';' divides nothing: there is one column, 'age,zip'; leave the delimiter out"
        in told
    )


def test_attributes_stand_in_the_order_of_the_table():
    given = dict(reversed(COLUMNS.items()))
    found = encoded(FRAME, given, missing={"markers": ["?"], "policy": "category"})
    assert [domain.name for domain in found.data.quasi] == ["age", "job"]
    assert [domain.name for domain in found.data.sensitive] == ["disease"]
    assert found.roles == {name: column.role for name, column in COLUMNS.items()}
    assert found.with_role("other") == ["note"]
    assert found.data.codes.tolist() == [[2, 3, 0, 1], [0, 1, 2, 2]]
    assert found.data.sensitive_codes.tolist() == [[1, 2, 1, 0]]
    assert found.missing == {"age": 1, "job": 2, "disease": 1}
    assert found.dropped == {}
    assert found.reasons is None
    assert found.data.rows.tolist() == [0, 1, 2, 3]


def test_dropped_records_are_counted_once_with_their_first_reason():
    found = encoded(FRAME, COLUMNS, missing={"markers": ["?"], "policy": "drop"})
    assert found.dropped == {"missing age": 1, "missing job": 2, "missing disease": 0}
    assert found.missing == {"age": 1, "job": 2, "disease": 1}
    assert found.data.rows.tolist() == [0]
    assert found.reasons.tolist() == [-1, 0, 1, 1]
    assert found.data.size + sum(found.dropped.values()) == FRAME.height


def test_each_column_may_have_its_own_rule():
    own = COLUMNS | {"age": lk.quasi(missing={"policy": "drop"}), "job": lk.quasi(missing={"markers": []})}
    found = encoded(FRAME, own, missing={"markers": ["?"], "policy": "category"})
    assert found.data.rows.tolist() == [0, 2, 3]
    job = found.data.quasi[1]
    assert job.labels == ["?", "cook", "nurse"]
    assert found.data.codes[1].tolist() == [1, 0, job.missing_code]


def test_what_is_not_published_may_miss_anything():
    columns = COLUMNS | dict.fromkeys(("age", "job", "disease"), lk.drop())
    assert encoded(FRAME, columns).data.size == 4


def test_survey_weights_follow_the_records():
    found = encoded(FRAME, COLUMNS, weights="weight", missing={"markers": ["?"], "policy": "drop"})
    assert found.data.survey_weights.tolist() == [1.5]
    everybody = encoded(FRAME, COLUMNS, weights="weight", missing={"policy": "category"})
    assert everybody.data.survey_weights.tolist() == [1.5, 2.0, 0.0, 1.0]


def test_attribute_weights_reach_the_domains():
    found = encoded(FRAME, COLUMNS | {"age": lk.quasi(weight=2.5)}, missing={"policy": "category"})
    assert [domain.weight for domain in found.data.quasi] == [2.5, 1.0]


@pytest.mark.parametrize(
    ("taken", "fresh"), [([], "person_original"), (["person_original"], "person_original_")]
)
def test_columns_whose_names_releases_use_are_renamed(taken, fresh):
    frame = pl.DataFrame({"person": ["a", "b"], "bucket": ["c", "d"]} | {name: [1, 2] for name in taken})
    columns = {"person": lk.sensitive(), "bucket": lk.quasi()} | dict.fromkeys(taken, lk.drop())
    models = lk.DistinctLDiversity(1, sensitive="person") & lk.KAnonymity(1)
    found = encoded(frame, columns, privacy=models)
    assert found.renamed == {"person": fresh, "bucket": "bucket_original"}
    assert [found.data.quasi[0].name, found.data.sensitive[0].name] == ["bucket_original", fresh]
    named = found.name_models(models)
    assert named == (lk.DistinctLDiversity(1, sensitive=fresh), lk.KAnonymity(1))
    assert found.published_name("person") == fresh
    assert found.published_name("other") == "other"


def test_a_dropped_column_needs_no_other_name():
    found = encoded(pl.DataFrame({"person": [1, 2], "age": [1, 2]}), {"person": lk.drop(), "age": lk.quasi()})
    assert found.renamed == {}


def problems(frame: pl.DataFrame, columns: dict[str, Any], **given: Any) -> tuple[str, ...]:
    """What is wrong, one line each."""
    with pytest.raises(lk.InvalidError) as caught:
        encoded(frame, columns, **given)
    assert all("\n" not in line for line in caught.value.problems)
    return caught.value.problems


def test_table_and_policy_must_name_the_same_columns():
    columns = {key: column for key, column in COLUMNS.items() if key not in {"note", "weight"}}
    found = problems(FRAME, columns | {"wieght": lk.drop(), "agee": lk.drop()})
    assert found == (
        (
            "polars frame: the policy does not name column 'note'; add it under columns with a role "
            "(role: drop leaves it out)"
        ),
        (
            "polars frame: the policy does not name column 'weight'; add it under columns with a role "
            "(role: drop leaves it out)"
        ),
        "the policy names column 'wieght', which polars frame does not have; did you mean 'weight'?",
        "the policy names column 'agee', which polars frame does not have; known: note, weight",
    )


def test_all_columns_are_looked_at_before_anything_is_said():
    columns = COLUMNS | {"age": lk.quasi(domain=[30, 35]), "job": lk.quasi(hierarchy="none.csv")}
    found = problems(FRAME, columns, missing={"markers": ["?"], "policy": "error"})
    assert len(found) == 3
    assert found[0].startswith("column 'age': 1 missing value, the first in row 2")
    assert found[1].startswith("column 'job': 2 missing values, the first in row 3")
    assert found[2].startswith("column 'disease': 1 missing value, the first in row 2")
    later = problems(FRAME, columns, missing={"markers": ["?"], "policy": "category"})
    assert later[0].startswith(
        "column 'age': '20' is outside its declared domain [30, 35] (and 1 more value)"
    )
    assert "none.csv" in later[1]


def test_a_table_must_hold_records():
    assert problems(FRAME.head(0), COLUMNS) == ("polars frame: has columns and no records",)
    (line,) = problems(FRAME[1:3], COLUMNS, missing={"markers": ["?"], "policy": "drop"})
    assert line == "polars frame: every record has a missing value and is dropped; choose missing: category"


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([-1.0, 1.0], "weights: column 'w' holds a negative weight"),
        (["a", "b"], "weights: column 'w' must hold a number for every record"),
        ([None, 1.0], "weights: column 'w' must hold a number for every record"),
    ],
)
def test_survey_weights_must_be_numbers(weights, message):
    frame = pl.DataFrame({"age": [1, 2], "w": weights})
    assert problems(frame, {"age": lk.quasi(), "w": lk.drop()}, weights="w") == (message,)


def test_codes_are_what_methods_expect():
    data = encoded(FRAME, COLUMNS, missing={"markers": ["?"], "policy": "category"}).data
    for codes, domain in zip(data.codes, data.quasi, strict=True):
        assert codes.dtype == np.int32
        assert codes.min() >= 0
        assert codes.max() < domain.codes
    assert data.codes.flags.c_contiguous


def test_an_encoded_table_without_quasi_identifiers_has_no_codes():
    found = encoded(pl.DataFrame({"s": ["a", "b"]}), {"s": lk.sensitive()})
    assert found.data.codes.shape == (0, 2)
    assert found.data.tuples.count == 1


VISITORS = {"who": lk.identifier(), "age": lk.quasi(), "sex": lk.quasi(), "disease": lk.sensitive()}
PEOPLE = pl.DataFrame({"who": ["a", "b", "c"], "age": [40, 31, None], "sex": ["f", "m", "f"]})
VISITS = "who,disease,place\na,flu,1\nb,cold,2\na,flu,3\nb,,4\n"


def of_two(people: Any, visits: str, folder: Any, **given: Any) -> Encoded:
    """Two tables as their policy says."""
    (folder / "visits.csv").write_text(visits)
    columns = VISITORS | {"place": lk.drop()} | given.pop("columns", {})
    keys = {
        "columns": columns,
        "privacy": K,
        "individual": "who",
        "records": {"table": "visits.csv", "on": "who"},
    }
    return encode(read(people), lk.Policy(**(keys | given)).in_folder(folder))


def refused(people: Any, visits: str, folder: Any, **given: Any) -> tuple[str, ...]:
    """Why two tables cannot be used, one line each."""
    with pytest.raises(lk.InvalidError) as caught:
        of_two(people, visits, folder, **given)
    assert all("\n" not in line for line in caught.value.problems)
    return caught.value.problems


def test_a_second_table_holds_the_records(tmp_path):
    found = of_two(PEOPLE, VISITS, tmp_path)
    assert isinstance(found.table, JoinedTable)
    # c, without a record, is not missed an age either.
    assert found.dropped == {
        "people without records": 1,
        "missing disease": 1,
        "duplicate records of one person": 1,
    }
    assert found.missing == {"disease": 1}
    assert found.data.rows.tolist() == [0, 1]
    assert found.reasons.tolist() == [-1, -1, 2, 1, 0]
    counts = found.hygiene
    assert (counts.people_before, counts.people, counts.without_records, counts.without_sensitive) == (
        3,
        2,
        1,
        1,
    )
    assert found.data.size + sum(found.dropped.values()) == found.table.height == 5


def test_a_joined_table_is_not_joined_again(tmp_path):
    found = of_two(PEOPLE, VISITS, tmp_path)
    (tmp_path / "visits.csv").unlink()
    keys = {"columns": VISITORS | {"place": lk.drop()}, "privacy": K, "individual": "who"}
    policy = lk.Policy(**keys, records={"table": "visits.csv", "on": "who"}).in_folder(tmp_path)
    assert encode(found.table, policy).table is found.table


def test_columns_of_both_tables_that_are_not_named_may_be_dropped(tmp_path):
    people = PEOPLE.with_columns(age=pl.Series([40, 31, 22]), place=pl.lit("x"))
    columns = {"columns": VISITORS | {"*": lk.drop()}, "privacy": K, "individual": "who"}
    (tmp_path / "visits.csv").write_text(VISITS)
    policy = lk.Policy(**columns, records={"table": "visits.csv", "on": "who"}).in_folder(tmp_path)
    assert encode(read(people), policy).data.individuals is not None


def test_people_without_records_may_keep_their_place_or_be_an_error(tmp_path):
    people = PEOPLE.with_columns(age=pl.Series([40, 31, 22]))
    found = of_two(people, VISITS, tmp_path, hygiene={"no_sensitive": "value"})
    assert found.hygiene.people == 3
    assert found.data.sensitive_codes[0].tolist() == [1, 0, 2, 2]
    assert found.missing == {"disease": 2}
    lines = refused(PEOPLE, VISITS, tmp_path, hygiene={"no_sensitive": "error"})
    assert lines[0] == (
        f"column 'who': people without a record in {tmp_path}/visits.csv: 1, the first in row 3 of polars frame; "
        "hygiene: {no_sensitive: drop} leaves them out, {no_sensitive: value} takes it for a value of theirs"
    )
    # With a place of their own in the release, they must say the rest, too.
    (line,) = refused(PEOPLE, VISITS, tmp_path, hygiene={"no_sensitive": "value"})
    assert line.startswith("column 'age': 1 missing value, the first in row 3 of polars frame")


def test_missing_rules_of_the_policy_are_for_people_without_records_too(tmp_path):
    assert of_two(PEOPLE, VISITS, tmp_path, missing={"policy": "category"}).hygiene.people == 3
    assert of_two(PEOPLE, VISITS, tmp_path, missing={"policy": "drop"}).dropped["people without records"] == 1
    own = {
        "disease": lk.sensitive(missing={"policy": "category"}),
        "age": lk.quasi(missing={"policy": "category"}),
    }
    assert of_two(PEOPLE, VISITS, tmp_path, columns=own).hygiene.people == 3


def test_people_are_kept_without_records_where_these_say_nothing_sensitive(tmp_path):
    people = PEOPLE.with_columns(age=pl.Series([40, 31, 22]), disease=pl.Series(["flu", "cold", "gout"]))
    found = of_two(people, "who,place\na,1\nb,2\na,3\n", tmp_path)
    assert found.hygiene.people == 3
    assert found.dropped == {"duplicate records of one person": 1}


def test_records_of_nobody_are_an_error_or_dropped(tmp_path):
    stray = VISITS + "x,flu,5\n,flu,6\n"
    assert refused(PEOPLE, stray, tmp_path) == (
        (
            f"column 'who': records that name no person: 1, the first in line 7 of {tmp_path}/visits.csv; correct them, "
            "or drop them with missing: {policy: drop} in this column"
        ),
        (
            f"column 'who': records of nobody in polars frame: 1, the first in line 6 of {tmp_path}/visits.csv; correct "
            "them, or drop them with missing: {policy: drop} in this column"
        ),
        *(
            line
            for line in refused(PEOPLE, stray, tmp_path)
            if line.startswith(("column 'age'", "column 'sex'"))
        ),
    )
    own = {"who": lk.identifier(missing={"policy": "drop"})}
    found = of_two(PEOPLE, stray, tmp_path, columns=own)
    assert found.dropped == {
        "missing who": 1,
        "records of nobody in the first table": 1,
        "people without records": 1,
        "missing disease": 1,
        "duplicate records of one person": 1,
    }
    assert (found.hygiene.nobody, found.hygiene.people_before) == (2, 3)
    assert found.data.size + sum(found.dropped.values()) == found.table.height == 7


@pytest.mark.parametrize(
    ("visits", "words"),
    [
        (None, "records: {}/visits.csv: no such file"),
        ("", "records: {}/visits.csv: the file is empty"),
        ("who,disease,place\n", "records: {}/visits.csv: holds a header and no records"),
        ("whom,disease,place\na,flu,1\n", "{}/visits.csv: no column 'who'; did you mean 'whom'?"),
        (
            "who,disease,place\nz,flu,1\n",
            "no row of {}/visits.csv is of a person of polars frame: they have no",
        ),
        ("who,disease,place,age\na,flu,1,2\n", "{}/visits.csv: column 'age' stands in polars frame, too;"),
        (
            "who,disease,place,more\na,flu,1,2\n",
            "polars frame with {}/visits.csv: the policy does not name column 'more'",
        ),
        (
            "who,disease\na,flu\n",
            "the policy names column 'place', which polars frame with {}/visits.csv does not",
        ),
    ],
)
def test_a_second_table_that_cannot_be_used_is_one_clear_line(visits, words, tmp_path):
    if visits is None:
        keys = {"columns": VISITORS, "privacy": K, "individual": "who"}
        policy = lk.Policy(**keys, records={"table": "visits.csv", "on": "who"}).in_folder(tmp_path)
        with pytest.raises(lk.InvalidError) as caught:
            encode(read(PEOPLE), policy)
        lines = caught.value.problems
    else:
        lines = refused(PEOPLE, visits, tmp_path)
    (line,) = lines
    assert line.startswith(words.format(tmp_path))


def test_columns_that_are_dropped_may_stand_in_both(tmp_path):
    people = PEOPLE.with_columns(place=pl.lit("x"))
    assert of_two(people, VISITS, tmp_path).dropped["people without records"] == 1
    (line,) = refused(people, VISITS, tmp_path, weights="place")
    assert "column 'place' stands in polars frame, too" in line


@pytest.mark.slow
def test_informs(data_folder):
    folder = data_folder / "informs2008"
    quasi = ["DOBMM", "DOBYY", "SEX", "RACEX", "EDUCYEAR", "marry"]
    people = read(folder / "demographics05test.csv")
    columns = dict.fromkeys((*people.names, "ICD9CODX", "year"), lk.drop()) | dict.fromkeys(quasi, lk.quasi())
    columns |= {"DUPERSID": lk.identifier(), "ICD9CODX": lk.sensitive(kind="categorical")}
    policy = lk.Policy(
        columns=columns,
        privacy=K,
        individual="DUPERSID",
        records={"table": "conditions05.csv", "on": "DUPERSID"},
    ).in_folder(folder)
    found = encode(people, policy)
    counts = found.hygiene
    assert (counts.people_before, counts.people, counts.without_records) == (33_961, 26_854, 7_107)
    # The 6,152 rows that repeat one by person and code repeat it exactly: household and year are functions of the person.
    assert found.dropped == {"people without records": 7_107, "duplicate records of one person": 6_152}
    assert (found.data.size, counts.most, counts.inconsistent) == (98_703, 36, 0)
    assert found.table.height == 104_855 + 7_107
    conditions = pl.read_csv(folder / "conditions05.csv", infer_schema=False)
    assert conditions.height - conditions.unique().height == 6_152
    assert conditions.height - conditions.unique(["DUPERSID", "ICD9CODX"]).height == 6_152
    assert (
        join(people, read(folder / "conditions05.csv"), "DUPERSID", unused={"DUID"}).without_records.sum()
        == 7_107
    )


def test_many_columns_without_a_name_in_the_policy_are_one_line_and_what_to_paste(tmp_path):
    frame = pl.DataFrame({f"c{i}": [1, 2] for i in range(42)} | {"age": [30, 31], "no": ["a", "b"]})
    with pytest.raises(lk.InvalidError) as caught:
        encoded(frame, {"age": lk.quasi()})
    (one,) = caught.value.problems
    first, *lines = one.split("\n")
    assert first == (
        "polars frame: the policy does not name 43 of 44 columns: 'c0', 'c1', 'c2' and 40 others; add these lines under columns, "
        "with another role for what is to be published:"
    )
    assert len(lines) == 43
    pasted = (
        "columns:\n  age: {role: quasi}\n" + "\n".join(lines) + "\nprivacy: [{model: k-anonymity, k: 2}]\n"
    )
    (tmp_path / "policy.yaml").write_text(pasted)
    assert encode(read(frame), lk.Policy.load(tmp_path / "policy.yaml")).data.size == 2


def test_tables_and_policies_of_many_other_names_are_refused_with_the_first_of_them():
    names = [[f"{letter}{i}" for i in range(3_000)] for letter in "ab"]
    table = pl.DataFrame({name: [1] for name in names[0]})
    policy = lk.Policy(
        columns={name: lk.other() for name in names[1]} | {"q": lk.quasi()}, privacy=[lk.KAnonymity(1)]
    )
    with pytest.raises(
        lk.PolicyError, match=r"(?s)does not name 3,000 of 3,000 columns: 'a0'.*\nand 2,982 more$"
    ) as caught:
        lk.anonymize(table, policy)
    assert len(caught.value.problems) == 3_002


@pytest.mark.parametrize("names", [["c0", "age"], ["age"], ["age", "*"]])
def test_a_star_declares_the_columns_that_are_not_named(tmp_path, names):
    frame = pl.DataFrame({name: [1, 1, 2, 2] for name in names})
    (tmp_path / "policy.yaml").write_text(
        'columns: {age: {role: quasi}, "*": {role: drop}}\nprivacy: [{model: k-anonymity, k: 2}]\nseed: 3\n'
    )
    policy = lk.Policy.load(tmp_path / "policy.yaml")
    others = [name for name in names if name != "age"]
    release = lk.anonymize(frame, policy)
    assert release.table.columns == ["age"]
    assert release.private.encoded.roles == {"age": "quasi"} | dict.fromkeys(others, "drop")
    # Written out or not, it is one policy: the same draws.
    written = lk.Policy(
        columns={"age": lk.quasi()} | dict.fromkeys(others, lk.drop()), privacy=[lk.KAnonymity(2)], seed=3
    )
    assert policy.naming(names) == written
    assert lk.anonymize(frame, written).table.equals(release.table)
    folder = release.write(tmp_path / "out")
    assert lk.verify(folder, frame, policy=policy).ok
    assert lk.verify(folder, policy=tmp_path / "policy.yaml").ok


def test_a_star_declares_columns_of_a_second_table(tmp_path):
    pl.DataFrame({"id": [1, 2, 3], "age": [30, 30, 31], "x": [1, 2, 3]}).write_csv(tmp_path / "people.csv")
    pl.DataFrame({"id": [1, 1, 2, 3], "disease": list("abab"), "y": [1, 2, 3, 4]}).write_csv(
        tmp_path / "records.csv"
    )
    policy = lk.Policy(
        columns={"id": lk.identifier(), "age": lk.quasi(), "disease": lk.sensitive(), "*": lk.drop()},
        privacy=[lk.KAnonymity(3)],
        individual="id",
        records={"table": str(tmp_path / "records.csv"), "on": "id"},
        seed=1,
    )
    release = lk.anonymize(tmp_path / "people.csv", policy)
    assert {name for name, role in release.private.encoded.roles.items() if role == "drop"} == {"x", "y"}
    assert lk.verify(release.write(tmp_path / "out"), tmp_path / "people.csv").ok


@pytest.mark.parametrize(
    ("values", "kind", "step", "why"),
    [
        ([1.7e18, 1.7e18 + 256], "real", 60, "its values are too large for steps of 60"),
        ([0.1, 18.1], "real", 1e-18, "its values are too large for steps of 1e-18"),
        ([date(1, 1, 1), date(2020, 5, 5)], "date", 30, "steps of 30 days around 0001-01-01 leave the years 1 to 9999"),
        ([date(2020, 5, 5), date(9999, 12, 31)], "date", 30, "steps of 30 days around 9999-12-31 leave the years"),
    ],
)  # fmt: skip
def test_cells_that_cannot_be_written_are_refused(values, kind, step, why):
    frame = pl.DataFrame({"a": values * 5, "s": ["p", "q"] * 5})
    form = lk.GeneralizedForm(recoding="grid", steps={"a": step})
    columns = {"a": lk.quasi(kind=kind), "s": lk.sensitive()}
    with pytest.raises(lk.LikenessError, match=why):
        lk.anonymize(frame, lk.Policy(columns=columns, privacy=lk.KAnonymity(2), form=form))
