"""Two tables looked at together: the column that joins them, whose the records are, and a policy that takes both."""

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.profiling.tables import made
from tests.profiling.test_expected import EXPECTED

import likeness as lk
from likeness.profiling import profile

MESSY = st.sampled_from(
    ["", "?", "none", "-9", "1", "2", "1.5", "01", "2024-01-31", "a", "b", "{a|b}", "a@b.org"]
)


def people(number=40, **columns):
    frame = {
        "patient_id": [f"P{7 * i:04}" for i in range(number)],
        "age": [20 + 3 * i % 50 for i in range(number)],
        "zip": [f"0{2100 + i % 7}" for i in range(number)],
    }
    return pl.DataFrame(frame | columns)


def visits(records=120, **columns):
    frame = {
        "visit_id": [1000 + i for i in range(records)],
        "patient_id": [f"P{7 * (i % 33):04}" for i in range(records)],
        "disease": [("flu", "cold", "hiv", "asthma")[i * i % 7 % 4] for i in range(records)],
    }
    return pl.DataFrame(frame | columns)


def as_files(folder, first, second):
    first.write_csv(folder / "people.csv")
    second.write_csv(folder / "visits.csv")
    return folder / "people.csv", folder / "visits.csv"


def anonymize_as_proposed(folder, first, second, **options):
    """Profile two files, write the policy elsewhere, and anonymize the first: what a steward would do."""
    own, other = as_files(folder, first, second)
    found = profile(own, records=other, **options)
    (folder / "policies").mkdir()
    found.write_policy(folder / "policies" / "policy.yaml")
    return found, lk.anonymize(own, folder / "policies" / "policy.yaml", seed=1)


def test_the_policy_of_two_tables_is_accepted_as_it_is(tmp_path):
    found, release = anonymize_as_proposed(tmp_path, people(), visits())
    policy = lk.Policy.load(tmp_path / "policies" / "policy.yaml")
    assert (policy.individual, policy.records.table, policy.records.on) == (
        "patient_id",
        "../visits.csv",
        "patient_id",
    )
    assert {own.name: own.role for own in found.columns} == {
        "patient_id": "identifier",
        "age": "quasi",
        "zip": "quasi",
        "visit_id": "identifier",
        "disease": "sensitive",
    }
    with_records = visits()["patient_id"].n_unique()
    assert release.private.encoded.hygiene.people == with_records
    assert found.individual == "patient_id"
    assert found.persons.people == with_records
    assert found.joined.without_records == 40 - with_records


def test_who_has_how_many_records_is_told():
    second = pl.DataFrame(
        {
            "who": ["a", "a", "a", "b", "c", "x", None],
            "disease": ["flu", "cold", "hiv", "flu", "flu", "flu", "hiv"],
        }
    )
    first = pl.DataFrame({"who": ["a", "b", "c", "d", "e"], "age": [30, 31, 32, 33, 34]})
    found = profile(first, records=second, on="who")
    told = found.joined
    assert (told.people, told.records, told.most) == (5, 7, 3)
    assert (told.without_records, told.of_nobody, told.unnamed, told.nameless, told.twice) == (2, 1, 1, 0, 0)
    assert told.sizes == (("1", 2, 2), ("3 to 4", 1, 3))
    assert found.records == 5
    page = str(found)
    assert "\n  second polars frame is joined to polars frame by 'who', which names 5 people\n" in page
    assert "\n  3 people have 5 records, up to 3 each; 2 people have none\n" in page
    assert "\n  1 record each: 2 people, 2 records\n" in page
    assert "1 record of nobody in polars frame and 1 row without a value of 'who' would be dropped" in page
    assert {one.code for one in found.findings} >= {"records-of-nobody", "people-without-records"}
    held = found.to_mapping()["joined"]
    assert held["records_of_a_person"][1] == {"records": "3 to 4", "people": 1, "records_of_them": 3}
    assert held["records_of_nobody"] == 1


def test_of_a_frame_the_policy_names_a_file_in_one_line(tmp_path):
    found = profile(people(), records=visits())
    text = found.policy_yaml()
    (line,) = [line for line in text.splitlines() if line.startswith("records:")]
    assert "table: records.csv" in line
    first, _ = as_files(tmp_path, people(), visits())
    (tmp_path / "policy.yaml").write_text(text.replace(line, line.replace("records.csv", "visits.csv")))
    assert lk.anonymize(first, tmp_path / "policy.yaml", seed=1).table.height > 0


@pytest.mark.parametrize("library", ["polars", "pandas", "pyarrow"])
def test_frames_of_every_library_give_the_same(library):
    def convert(frame):
        return {"polars": frame, "pandas": frame.to_pandas(), "pyarrow": frame.to_arrow()}[library]

    found = profile(convert(people()), records=convert(visits()))
    expected = profile(people(), records=visits())
    assert found.policy_mapping() == expected.policy_mapping()
    assert found.joined.sizes == expected.joined.sizes


def keys(first, second):
    joined = profile(first, records=second).joined
    return joined.on, joined.key


def test_a_key_of_another_name_is_found():
    assert keys(people(), visits().rename({"patient_id": "pid"})) == ("patient_id", "pid")
    assert keys(
        people().rename({"patient_id": "Versichertennr"}), visits().rename({"patient_id": "pat"})
    ) == (
        "Versichertennr",
        "pat",
    )


def test_unnamed_keys_are_found_by_values_that_cannot_be_equal_by_chance():
    first, second = people().rename({"patient_id": "x"}), visits().rename({"patient_id": "y"})
    assert keys(first, second) == ("x", "y")
    small = pl.DataFrame({"x": list(range(40)), "age": [30 + i % 9 for i in range(40)]})
    counts = pl.DataFrame({"weeks": [i % 38 for i in range(200)], "disease": ["flu", "cold"] * 100})
    with pytest.raises(lk.TableError, match="no column of polars frame was found to name the people"):
        profile(small, records=counts)
    assert profile(small, records=counts, on="x", key="weeks").joined.most == 6


@pytest.mark.parametrize("name", ["encounter_id", "visit_id", "Fallnummer", "numero_sejour", "stay"])
def test_a_number_of_an_encounter_joins_nobody(name):
    first = people(**{name: [1000 + i for i in range(40)]})  # the first visit of everybody
    second = visits().rename({"visit_id": name})
    assert keys(first, second) == ("patient_id", "patient_id")
    with pytest.raises(lk.TableError, match="was found to name the people"):
        profile(first.drop("patient_id"), records=second.drop("patient_id"))


def test_of_two_numbers_the_one_that_repeats_names_people():
    first = people().rename({"patient_id": "id"}).with_columns(id=pl.int_range(40))
    second = visits().drop("visit_id").with_columns(uid=pl.int_range(120), person=pl.int_range(120) % 40)
    assert keys(first, second) == ("id", "person")


def test_numbers_of_records_that_nothing_calls_so_join_nobody():
    first = people(seq=list(range(1, 41))).drop("patient_id")
    second = visits().drop("visit_id", "patient_id").with_columns(seq=pl.int_range(1, 121))
    with pytest.raises(lk.TableError, match="was found to name the people"):
        profile(first, records=second)
    assert keys(first, second.head(40)) == ("seq", "seq")  # a record each


@pytest.mark.slow
@pytest.mark.parametrize("name", ["x", "codice", "ref", "pat", "id_paciente"])
@pytest.mark.parametrize("table", ["klinik", "urgencias", "kasse", "encounters", "visits"])
def test_the_key_of_tables_like_those_that_people_have(table, name):
    whole, key = made()[table], EXPECTED[table]["people"]
    own = [
        one
        for one in whole.columns
        if one == key or whole.group_by(key).agg(pl.col(one).n_unique())[one].max() == 1
    ]
    first = whole.select(own).unique(subset=key, maintain_order=True)
    number = next(one for one in whole.columns if one not in own and whole[one].n_unique() == whole.height)
    earliest = whole.group_by(key, maintain_order=True).agg(pl.col(number).first())
    first = first.join(earliest, on=key)  # the number of everybody's first record, to be tempted by
    second = whole.drop(one for one in own if one != key).rename({key: name})
    assert keys(first, second) == (key, name)


def test_another_number_of_people_does_not_take_the_place_of_the_key():
    second = visits(doctor_id=[f"P{7 * (i % 40):04}" for i in range(120)])
    assert keys(people(), second) == ("patient_id", "patient_id")


def test_tables_the_other_way_round_are_told():
    with pytest.raises(
        lk.TableError, match="has several rows of a person: give the table with one row of each first"
    ):
        profile(visits(), records=people())


def test_people_who_stand_twice_are_counted_once_and_told():
    first = pl.concat([people(), people().head(3).with_columns(age=pl.lit(99, pl.Int64))])
    found = profile(first, records=visits())
    assert (found.joined.twice, found.joined.people) == (3, 40)
    (warning,) = [str(one) for one in found.findings if one.code == "people-twice"]
    assert "3 people stand more than once in polars frame, by 'patient_id'" in warning
    assert 99 not in found["age"].settings.get("domain", [])
    assert found["age"].records == 40
    assert found.policy_mapping() == profile(people(), records=visits()).policy_mapping()


def test_columns_of_both_tables_are_dropped_and_told(tmp_path):
    second = visits(age=[50] * 120)
    found, _ = anonymize_as_proposed(tmp_path, people(), second)
    assert found["age"].role == "drop"
    assert "stands in both tables" in found["age"].reason
    with pytest.raises(lk.TableError, match="'age' stands in polars frame, too"):
        profile(people(), records=second, roles={"age": "quasi"})


def test_records_of_nobody_and_without_a_person_are_dropped_by_the_policy(tmp_path):
    second = pl.concat([visits(), visits(6).with_columns(patient_id=pl.Series(["zz", None] * 3))])
    first = pl.concat([people(), people(1).with_columns(patient_id=pl.lit(None, pl.String))])
    found, release = anonymize_as_proposed(tmp_path, first, second)
    assert (found.joined.of_nobody, found.joined.unnamed, found.joined.nameless) == (3, 3, 1)
    assert found["patient_id"].settings == {"role": "identifier", "missing": {"policy": "drop"}}
    assert release.private.encoded.hygiene.nobody == 7


@pytest.mark.parametrize("disease", [None, "flu"])
def test_people_without_records_are_where_the_sensitive_column_may_be_missing(tmp_path, disease):
    first = people(60)
    second = visits(ward=["a", "b", "c"] * 40).with_columns(
        disease=pl.when(pl.col("visit_id") < 1005).then(pl.lit(disease)).otherwise("disease")
    )
    found, release = anonymize_as_proposed(tmp_path, first, second)
    kept = disease is None
    assert found["ward"].settings.get("missing") == ({"policy": "category"} if kept else None)
    having = second["patient_id"].n_unique()
    assert release.private.encoded.hygiene.people == found.persons.people == (60 if kept else having)


def test_a_kind_that_only_the_records_leave_open_is_declared(tmp_path):
    # Of the people a third has a number, of the records most are theirs.
    first = people(30, ward=[str(i) if i < 10 else "ab"[i % 2] for i in range(30)])
    second = visits().with_columns(
        patient_id=pl.Series(
            [f"P{7 * (i % 40 % 10):04}" for i in range(100)] + [f"P{7 * i:04}" for i in range(10, 30)]
        )
    )
    assert "kind" not in profile(first)["ward"].settings
    found, _ = anonymize_as_proposed(tmp_path, first, second)
    assert found["ward"].settings["kind"] == "categorical"


def test_the_key_is_an_identifier_whatever_it_is_called():
    first, second = people().rename({"patient_id": "age_group"}), visits().rename({"patient_id": "age_group"})
    found = profile(first, records=second)
    assert (found["age_group"].role, found.individual) == ("identifier", "age_group")
    with pytest.raises(lk.PolicyError, match="'age_group' joins the two tables"):
        profile(first, records=second, roles={"age_group": "quasi"})


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"on": "patiet_id"}, "on: polars frame has no column 'patiet_id'; did you mean 'patient_id'"),
        ({"key": "patiet_id"}, "key: polars frame has no column 'patiet_id'; did you mean 'patient_id'"),
        ({"roles": {"diseas": "quasi"}}, "no column 'diseas'; did you mean 'disease'"),
    ],
)
def test_what_is_told_and_not_there(given, words):
    with pytest.raises(lk.PolicyError, match=words):
        profile(people(), records=visits(), **given)


def test_what_is_about_a_second_table_needs_one():
    with pytest.raises(lk.PolicyError, match="key and reading: about a second table"):
        profile(people(), key="x", reading={"delimiter": ";"})


def test_how_the_second_table_is_read_goes_into_the_policy(tmp_path):
    first, second = as_files(tmp_path, people(), visits(disease=["Ménière", "flu", "hiv"] * 40))
    second.write_bytes(second.read_text("utf-8").replace(",", ";").encode("cp1252"))
    found = profile(first, records=second, reading={"encoding": "cp1252", "delimiter": ";"})
    policy = found.policy()
    assert policy.records.reading == {"encoding": "cp1252", "delimiter": ";"}
    assert lk.anonymize(first, policy, seed=1).table.height > 0


def test_conditions_of_people(data_folder):
    folder = data_folder / "informs2008"
    found = profile(folder / "demographics05test.csv", records=folder / "conditions05.csv")
    told = found.joined
    assert (told.on, told.key, told.people, told.records) == ("DUPERSID", "DUPERSID", 33961, 104855)
    assert (told.without_records, told.of_nobody, told.most) == (7107, 0, 53)
    assert told.both == ("DUID",)
    assert sum(people for _, people, _ in told.sizes) == 33961 - 7107


@pytest.mark.slow
@settings(
    deadline=None,
    max_examples=40,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_any_two_tables_are_anonymized_as_proposed(tmp_path_factory, data):
    names = data.draw(
        st.lists(st.sampled_from(["age", "zip", "x", "name", "notes"]), max_size=3, unique=True)
    )
    others = data.draw(st.lists(st.sampled_from(["disease", "income", "y", "age"]), max_size=3, unique=True))
    number, records = 2 * data.draw(st.integers(1, 4)), data.draw(st.integers(1, 20))
    who = [f"P{7 * i}" for i in range(number)]
    few = data.draw(st.lists(MESSY, min_size=1, max_size=4))

    def column(rows):
        return data.draw(st.lists(st.sampled_from(few), min_size=rows, max_size=rows))

    first = pl.DataFrame(
        {"patient_id": who, "sex": ["f", "m"] * (number // 2), **{name: column(number) for name in names}}
    )
    whose = data.draw(st.lists(st.sampled_from([*who, "x9", ""]), min_size=records, max_size=records))
    second = pl.DataFrame({"patient_id": [who[0], *whose], **{name: column(records + 1) for name in others}})
    found, release = anonymize_as_proposed(tmp_path_factory.mktemp("two"), first, second)
    encoded = release.private.encoded
    assert encoded.individual == found.individual == "patient_id"
    published = found.with_role("quasi") + found.with_role("sensitive")
    assert set(release.table.columns) == set(published)
    str(found), found.to_json(), found._repr_html_()
