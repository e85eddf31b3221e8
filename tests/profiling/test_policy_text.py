import polars as pl
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

import likeness as lk
from likeness.profiling import profile

PATIENTS = {
    "name": ["Ann Lee", "Bob Roy", "Cy Poe", "Di Fox", "Ed Kay", "Flo Day"],
    "age": ["31", "40", "?", "31", "52", "52"],
    "work": ["a", "a", "?", "b", "b", "b"],
    "zip": ["02139", "02139", "02141", "", "10001", "10001"],
    "disease": ["flu", "hiv", "flu", "cold", "cold", "flu"],
}


def text_of(frame, **options):
    return profile(pl.DataFrame(frame), **options).policy_yaml()


def load(text, folder):
    path = folder / "policy.yaml"
    path.write_text(text, encoding="utf-8")
    return lk.Policy.load(path)


def test_every_column_has_its_reason_above_it():
    lines = [line.strip() for line in text_of(PATIENTS).splitlines()]
    for name in PATIENTS:
        (at,) = [i for i, line in enumerate(lines) if line.startswith(f"{name}: {{role: ")]
        assert lines[at - 1].startswith("# ")
        assert any("values" in line for line in lines[:at])


def test_shares_are_of_all_records_not_of_those_with_a_value():
    """Of six records one is the only one with its age, its zip, and another one has none: it was a fifth."""
    assert text_of(PATIENTS).count("3 values, 16.7 % of records unique, 1 record without") == 2


def test_it_says_what_the_profile_proposes(tmp_path):
    found = profile(pl.DataFrame(PATIENTS))
    policy = load(found.policy_yaml(), tmp_path)
    assert policy.to_mapping() == found.policy().to_mapping()
    assert yaml.safe_load(found.policy_yaml())["missing"] == {"markers": [""], "policy": "error"}


def test_a_marker_that_must_be_declared_is_declared_and_explained():
    text = text_of(PATIENTS)
    assert "age: {role: quasi, kind: integer, missing: {markers: ['', '?'], policy: category}}" in text
    assert "# declared missing: '?', 1 record: stands among whole numbers" in text


def test_a_question_is_a_suggestion_that_can_be_taken(tmp_path):
    text = text_of(PATIENTS)
    suggestion = "work: {role: quasi, missing: {markers: ['', '?'], policy: category}}"
    assert f"  # {suggestion}" in text
    assert "\n  work: {role: quasi}\n" in text
    taken = text.replace("\n  work: {role: quasi}\n", "\n").replace(f"# {suggestion}", suggestion)
    policy = load(taken, tmp_path)
    assert policy.missing_of("work").markers == ("", "?")
    release = lk.anonymize(pl.DataFrame(PATIENTS), policy, seed=1)
    assert release.table.height == 6


def test_several_records_a_person_and_survey_weights_are_suggested(tmp_path):
    frame = {"patient_id": [1, 1, 2, 3], "fnlwgt": [10, 20, 30, 40], "age": [30, 30, 40, 40]}
    text = text_of(frame)
    assert "\nindividual: patient_id\n" in text
    assert "# weights: fnlwgt" in text
    assert (
        "# Survey weights: losses count people by them; estimates, too, where they are published (role: other):"
        in text
    )
    taken = text.replace("# weights", "weights")
    policy = load(taken, tmp_path)
    assert (policy.individual, policy.weights) == ("patient_id", "fnlwgt")


def test_warnings_are_told():
    assert "# check: published as it is" in text_of({"name": ["Ann", "Bob"]}, roles={"name": "other"})
    assert "# Check: no column looks sensitive" in text_of({"age": [1, 2]})


ODD = ["a: b", "# c", "- d", "[e]", "{f}", "g,h", "'i'", '"j"', "k\nl", "\tm", "?", "no", "null", "~", "1",
       "1.0", "2024-01-01", "true", "ä " * 70, "<<", "*n", "&o", "!p", "%q", "@r", "`s",
       "|", ">", "t\u2028u", "v\x85w", "=", "\\"]  # fmt: skip


@pytest.mark.parametrize("name", ODD)
def test_odd_names(name, tmp_path):
    frame = pl.DataFrame({name: ["1", "2", "", "4"], "x": ["a", "a", "b", "?"]})
    text = profile(frame).policy_yaml()
    assert all(line.isprintable() or name in line for line in text.split("\n"))
    policy = load(text, tmp_path)
    assert list(policy.columns) == [name, "x"]


@settings(deadline=None, max_examples=40)
@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=130).filter(str.strip))
def test_any_name(tmp_path_factory, name):
    text = profile(pl.DataFrame({name: ["u", "u", "v", "?"]})).policy_yaml()
    try:
        policy = load(text, tmp_path_factory.mktemp("policy"))
    except lk.PolicyError as problem:
        pytest.fail(f"{problem}\n{text}")
    assert list(policy.columns) == [name]
