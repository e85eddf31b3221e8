import subprocess
import sys

import pandas as pd
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import likeness as lk
from likeness import registry
from likeness.datasets import files
from likeness.profiling import profile

MESSY = st.sampled_from(
    ["", " ", "?", "NA", "none", "-9", "1", "2", "7", "90+", "1.5", "1,234", "01", "+3", "2024-01-31", "01/02/2024",
     "a", "b", "{a|b}", "*", "true", "inf", "A. Lee", "a@b.org", "12345678901234567890", "1,234,567", "1.234,5", "91911.0",
     "31.12.2020", "31/12/2020", "1900-01-01", "nie", "immer"]
)  # fmt: skip
NAMES = [
    "x",
    "age",
    "zip",
    "name",
    "id",
    "patient_id",
    "disease",
    "income",
    "notes",
    "sex",
    "person",
    "fnlwgt",
    "a: b",
]


def anonymize_as_proposed(source, folder):
    """Profile, write the policy, load it, anonymize: what a steward would do."""
    found = profile(source)
    path = folder / "policy.yaml"
    found.write_policy(path)
    policy = lk.Policy.load(path)
    assert policy.to_mapping() == found.policy().to_mapping()
    return found, lk.anonymize(source, policy, seed=1)


def as_csv(frame, folder):
    path = folder / "table.csv"
    frame.write_csv(path)
    return path


EXPECTED = {
    "hospital": {
        "name": "identifier",
        "patient_id": "identifier",
        "zip": "quasi",
        "age": "quasi",
        "sex": "quasi",
        "insurance": "quasi",
        "admitted": "quasi",
        "length_of_stay": "quasi",
        "diagnosis": "sensitive",
    },
    "hospital-visits": {
        "patient_id": "identifier",
        "name": "identifier",
        "zip": "quasi",
        "birth_date": "quasi",
        "sex": "quasi",
        "visit_date": "quasi",
        "diagnosis": "sensitive",
        "cost": "drop",
    },
    # What a household has to live on looks like something that nobody should learn.
    "informs": {
        "patient_id": "identifier",
        "month": "quasi",
        "year": "quasi",
        "gender": "quasi",
        "race": "quasi",
        "educ_year": "quasi",
        "marry": "quasi",
        "poverty": "sensitive",
        "hispanx": "quasi",
        "diagnosis": "sensitive",
    },
    "census": {
        "age": "quasi",
        "gender": "quasi",
        "education": "quasi",
        "marital_status": "quasi",
        "work_class": "quasi",
        "salary_class": "sensitive",
    },
    "bkseq": {
        "patient_id": "identifier",
        "sex": "quasi",
        "age": "quasi",
        "weight": "quasi",
        "result": "sensitive",
    },
    "symptoms": {
        "patient_id": "identifier",
        "age": "quasi",
        "zip": "quasi",
        "sex": "quasi",
        "symptom": "sensitive",
    },
    # Nothing in the name of a monthly charge says that others cannot know it.
    "isp": {"age": "quasi", "sex": "quasi", "location": "quasi", "monthly_charge": "quasi"},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", registry.names("datasets"))
@pytest.mark.parametrize("rows", [40, 2000])
def test_every_generated_table_is_anonymized_as_proposed(name, rows, tmp_path):
    frame = registry.load("datasets", name)().generate(rows=rows, seed=5)
    found, release = anonymize_as_proposed(as_csv(frame, tmp_path), tmp_path)
    if rows > 1000:
        assert {column.name: column.role for column in found.columns} == EXPECTED[name]
    left_out = sum(release.private.encoded.dropped.values()) + release.private.solution.plan.withheld
    assert release.table.height + left_out == rows
    assert set(release.private.encoded.dropped) <= {"duplicate records of one person"}
    assert set(release.table.columns) == set(found.with_role("quasi") + found.with_role("sensitive"))


def test_people_with_several_records_are_told_and_covered(tmp_path):
    frame = registry.load("datasets", "hospital-visits")().generate(rows=2000, seed=5)
    found, release = anonymize_as_proposed(as_csv(frame, tmp_path), tmp_path)
    people = frame["patient_id"].value_counts()
    assert found.persons.column == "patient_id"
    assert (found.persons.people, found.persons.most) == (people.height, people["count"].max())
    assert found.guarantee[0].model == {"model": "k-anonymity", "k": 5}
    assert "\nindividual: patient_id\n" in found.policy_yaml()
    assert found.individual == found.policy().individual == "patient_id"
    assert any("Classes count people" in warning for warning in found.warnings)
    of_value = frame.group_by("diagnosis").agg(pl.col("patient_id").n_unique())["patient_id"]
    (reach,) = found.reach
    assert (reach.people, reach.alpha) == (people.height, pytest.approx(of_value.max() / people.height))
    assert reach.rare[0].count == of_value.min()
    encoded = release.private.encoded
    distinct = frame.select("patient_id", "diagnosis").unique().height
    assert encoded.dropped == {"duplicate records of one person": 2000 - distinct}
    assert encoded.hygiene.people == people.height


def test_the_guarantee_that_links_records_is_written_beside_the_proposed_one(tmp_path):
    frame = registry.load("datasets", "hospital-visits")().generate(rows=2000, seed=5)
    text = profile(as_csv(frame.drop("visit_date"), tmp_path)).policy_yaml()
    proposed, instead = text.split("privacy:\n")[0], text.split("random number:\n")[1]
    assert "model: eir-l-diversity, l: 3, sensitive: diagnosis" in instead
    path = tmp_path / "linked.yaml"
    path.write_text(f"{proposed}privacy:\n{instead.replace('  # -', '  -')}")
    release = lk.anonymize(frame.drop("visit_date"), lk.Policy.load(path), seed=1)
    assert release.certificate.form["name"] == "identity-reserved"
    assert all(proof.holds for proof in release.verdict.proofs)


def test_people_are_not_counted_by_names_or_by_what_is_no_identifier(tmp_path):
    frame = registry.load("datasets", "hospital-visits")().generate(rows=2000, seed=5)
    for left, roles in ((frame.drop("patient_id"), {}), (frame, {"patient_id": "other", "name": "drop"})):
        found = profile(as_csv(left, tmp_path), roles=roles)
        assert found.persons.column == ("patient_id" if roles else "name")
        assert found.individual is None
        assert found.policy().individual is None
        assert ("\n# individual: name\n" in found.policy_yaml()) == (not roles)
        assert found.guarantee[0].model["k"] == 4 * found.persons.most + 1
        assert any("Classes count records" in warning for warning in found.warnings)


@pytest.mark.slow
def test_adult(data_folder, tmp_path):
    found, release = anonymize_as_proposed(data_folder / "adult" / "adult_raw_48842.csv", tmp_path)
    assert found.with_role("sensitive") == ("occupation", "salary-class")
    assert found.with_role("drop") == ("fnlwgt", "education-num")
    assert [str(link) for link in found.links] == [
        "'education-num' and 'education' say the same, value by value"
    ]
    asked = {
        column.name: [(marker.text, marker.records) for marker in column.markers] for column in found.columns
    }
    assert {name: markers for name, markers in asked.items() if markers} == {
        "workclass": [("?", 2799)],
        "occupation": [("?", 2809)],
        "capital-gain": [("99999", 244)],
        "native-country": [("?", 857)],
    }
    assert found.persons.duplicates == 52
    together = found.uniqueness.together
    assert together is not None
    assert len(together.columns) == 11
    frame = files.adult(data_folder, part="all", complete=False)
    sizes = frame.group_by(together.columns).len()["len"]
    for size, records in together.below.items():
        assert records == sizes.filter(sizes < size).sum()
    assert (together.groups, together.smallest) == (len(sizes), 1)
    rare = {value.label: value.smallest_class[4] for value in found.reach[0].rare}
    assert rare == {"Armed-Forces": 652, "Priv-house-serv": 41, "Protective-serv": 11}
    # Whoever has one of the two rarest is withheld: all others would lose more by the classes that these need.
    assert {"Armed-Forces", "Priv-house-serv"}.isdisjoint(release.table["occupation"].to_list())
    withheld = release.counts["withheld"]
    (reason,) = [why for why in withheld if "'Armed-Forces', 'Priv-house-serv'" in why]
    assert withheld[reason] == frame["occupation"].is_in(["Armed-Forces", "Priv-house-serv"]).sum()
    assert release.table.height == 48_842 - sum(withheld.values())


@pytest.mark.slow
def test_census_income(data_folder, tmp_path):
    frame = files.census_income(data_folder)
    found = profile(frame)
    assert found.persons.duplicates == 3229
    assert found["instance_weight"].looks_like == "survey weights"
    assert found["major_industry"].role == "drop"
    assert found["hispanic_origin"].questions[0].startswith("does 'NA' (874 records)")
    part, release = anonymize_as_proposed(as_csv(frame.sample(3000, seed=2), tmp_path), tmp_path)
    assert release.table.height == 3000
    assert len(part.columns) == 42


@pytest.mark.slow
def test_informs(data_folder, tmp_path):
    people = pl.read_csv(data_folder / "informs2008" / "demographics05test.csv").sample(3000, seed=2)
    found, _ = anonymize_as_proposed(people, tmp_path)
    assert found.with_role("identifier") == ("DUID", "PID", "DUPERSID")
    assert [marker.text for marker in found["EDUCYEAR"].markers] == ["-9", "-8", "-7", "-1"]
    assert found.persons.column is None
    conditions = profile(data_folder / "informs2008" / "conditions05.csv")
    assert (conditions.persons.column, conditions.persons.most) == ("DUPERSID", 53)
    assert conditions.persons.duplicates == 6152
    assert conditions["ICD9CODX"].role == "sensitive"


def test_frames_of_every_library_give_the_same(tmp_path):
    frame = pl.DataFrame({"age": [30, 31, None, 40] * 9, "disease": ["flu", "hiv", "flu", None] * 9})
    sources = [frame, frame.to_pandas(), frame.to_arrow(), as_csv(frame, tmp_path)]
    found = [profile(source) for source in sources]
    assert {str(own.policy().to_mapping()) for own in found} == {str(found[0].policy().to_mapping())}
    assert all(own.size > 0 for own in found)
    assert (found[0].source, found[3].source) == ("polars frame", "table.csv")


def test_given_roles_are_kept_and_bad_ones_refused():
    frame = pl.DataFrame({"town": ["a", "b", "c", "d"] * 20, "state": ["X", "X", "Y", "Y"] * 20})
    assert profile(frame)["state"].role == "drop"
    assert profile(frame, roles={"state": "quasi"})["state"].role == "quasi"
    with pytest.raises(lk.PolicyError) as caught:
        profile(frame, roles={"twon": "quasi", "town": "qausi"})
    assert [problem.split(";")[1] for problem in caught.value.problems] == [
        " did you mean 'town'?",
        " did you mean 'quasi'?",
    ]


def test_a_given_identifier_may_name_people_with_several_records():
    frame = pl.DataFrame({"who": ["a", "a", "b", "c"] * 20, "x": ["u", "v"] * 40})
    assert profile(frame).persons.column is None
    assert profile(frame, roles={"who": "identifier"}).persons.column == "who"


def test_links_of_people_are_looked_for_among_people():
    # By record, birth would determine sex only because everybody is there several times.
    who = [i // 5 for i in range(500)]
    birth = [f"{1900 + i}-01-01" for i in who]
    frame = pl.DataFrame({"patient_id": who, "birth": birth, "sex": ["f" if i % 2 else "m" for i in who]})
    assert profile(frame).links == ()
    assert profile(frame.drop("patient_id")).links != ()


@pytest.mark.parametrize(("roles", "told"), [({}, True), ({"a": "other"}, False), ({"a": "quasi"}, False)])
def test_that_nothing_would_be_published_is_told(roles, told):
    found = profile(pl.DataFrame({"a": [1, 1, 1]}), roles=roles)
    assert ("nothing would be published: every column is dropped or an identifier" in found.warnings) == told


def test_all_unreadable_columns_are_told_at_once():
    frame = pd.DataFrame({"a": ["\ud800"], "b": ["\udfff"], "c": ["1"]}, dtype=object)
    with pytest.raises(lk.TableError) as caught:
        profile(frame)
    assert ["'a'" in caught.value.problems[0], "'b'" in caught.value.problems[1]] == [True, True]


def test_kernels_are_not_loaded():
    lines = (
        "import sys, polars, likeness as lk",
        "lk.profile(polars.DataFrame({'a': [1, 1, 2]})).policy_yaml()",
        "sys.exit(any(name in sys.modules for name in ('numba', 'pandas', 'pyarrow')))",
    )
    assert subprocess.run([sys.executable, "-c", "; ".join(lines)], check=False).returncode == 0


@pytest.mark.slow
@settings(
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_any_table_is_anonymized_as_proposed(tmp_path, data):
    names = data.draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True))
    rows = data.draw(st.integers(1, 40))
    columns = {}
    for name in names:
        few = data.draw(st.lists(MESSY, min_size=1, max_size=4))
        columns[name] = data.draw(st.lists(st.sampled_from(few), min_size=rows, max_size=rows))
    frame = pl.DataFrame(columns)
    source = frame if data.draw(st.booleans()) else as_csv(frame, tmp_path)
    found, release = anonymize_as_proposed(source, tmp_path)
    published = found.with_role("quasi") + found.with_role("sensitive")
    encoded = release.private.encoded
    assert encoded.individual == found.individual
    assert release.table.height == (rows - sum(encoded.dropped.values()) if published else 0)
    str(found), found.to_json(), found._repr_html_()
