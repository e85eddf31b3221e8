import datetime as dt
import json

import polars as pl
import pytest
import yaml

import likeness as lk
from likeness.encode import encode
from likeness.knowledge.base import Subject
from likeness.profiling import Profile, profile
from likeness.tables import read

FRAME = pl.DataFrame({"name": ["Ann", "Bob", "Cy"], "age": [30, 30, 40], "disease": ["flu", "flu", "hiv"]})


@pytest.fixture(scope="module")
def found():
    return profile(FRAME)


def test_columns_by_name_and_role(found):
    assert found["age"].role == "quasi"
    assert found.with_role("quasi") == ("age",)
    with pytest.raises(lk.TableError, match="no column 'aeg'; did you mean 'age'"):
        found["aeg"]


def test_json_holds_everything(found):
    held = json.loads(found.to_json())
    assert held == found.to_mapping()
    assert [column["name"] for column in held["columns"]] == FRAME.columns
    assert held["uniqueness"]["together"]["below"] == {"2": 1, "5": 3, "10": 3}
    assert held["reach"]["k"] == 3
    assert held["reach"]["sensitive"][0]["distinct_l"] == 2
    assert lk.Policy.from_mapping(held["policy"]).to_mapping() == found.policy().to_mapping()
    assert (held["bytes"], held["encoded_bytes"]) == (FRAME.estimated_size(), 3 * 2 * 4)


def test_the_policy_file(found, tmp_path):
    path = tmp_path / "policy.yaml"
    found.write_policy(path)
    assert path.read_text(encoding="utf-8") == found.policy_yaml()
    assert lk.anonymize(FRAME, path, seed=1).table.height == 3
    with pytest.raises(lk.OutputError, match="cannot be written"):
        found.write_policy(tmp_path / "no" / "policy.yaml")


def test_it_is_public():
    assert isinstance(lk.profile(FRAME), Profile)


def test_it_says_what_a_bandwidth_would_mean():
    table = pl.DataFrame(
        {
            "age": [20, 90, 60, 33] * 9,
            "birthday": [dt.date(1990, 1, 1), dt.date(1990, 1, 31)] * 18,
            "sex": ["f", "m"] * 18,
            "diagnosis": ["flu", "flu", "hiv"] * 12,
        }
    )
    found = lk.profile(table, roles={"age": "quasi", "birthday": "quasi", "sex": "quasi"})
    exactly = "known exactly: only people of the same value count"
    assert found.known_by_kernel() == {
        "age": "people count whose values lie less than 21 apart, the nearer the more",
        "birthday": "people count whose values meet below 30% of the height of the hierarchy, the lower the more",
        "sex": exactly,
    }
    assert found.known_by_kernel(2)["sex"] == "people of any other value count 75% of those of the same"
    assert found.known_by_kernel(2)["birthday"].startswith("people whose values meet at the root count 75%")
    # It is what the report says of a policy that asks for it.
    text = found.policy_yaml()
    assert "# knowledge: {kernel: {bandwidth: 0.3}}\n" in text
    asked = text.replace("# knowledge:", "knowledge:").replace(
        "privacy:\n", "privacy:\n  - {model: js-background, j: 1}\n"
    )
    policy = lk.Policy.from_mapping(yaml.safe_load(asked))
    subject = Subject(encode(read(table), policy), policy, 0)
    said = dict(policy.knowledge[0].meaning(subject))
    assert said.pop("birthday") == "people count whose values meet at level 0 of 3 or below"
    assert said == {name: words for name, words in found.known_by_kernel().items() if name != "birthday"}
    assert found.to_mapping()["knowledge"] == {"bandwidth": 0.3, "columns": found.known_by_kernel()}
    assert "people count whose values lie less than 21 apart" in str(found)


def test_without_a_sensitive_column_nothing_is_to_be_known():
    found = lk.profile(pl.DataFrame({"age": [20, 90, 60, 33] * 9}), roles={"age": "quasi"})
    assert found.known_by_kernel() == {}
    assert "knowledge" not in found.policy_yaml()
