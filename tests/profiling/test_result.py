import json

import polars as pl
import pytest

import likeness as lk
from likeness.profiling import Profile, profile

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
    read = json.loads(found.to_json())
    assert read == found.to_mapping()
    assert [column["name"] for column in read["columns"]] == FRAME.columns
    assert read["uniqueness"]["together"]["below"] == {"2": 1, "5": 3, "10": 3}
    assert read["reach"]["k"] == 3
    assert read["reach"]["sensitive"][0]["distinct_l"] == 2
    assert lk.Policy.from_mapping(read["policy"]).to_mapping() == found.policy().to_mapping()
    assert (read["bytes"], read["encoded_bytes"]) == (FRAME.estimated_size(), 3 * 2 * 4)


def test_the_policy_file(found, tmp_path):
    path = tmp_path / "policy.yaml"
    found.write_policy(path)
    assert path.read_text(encoding="utf-8") == found.policy_yaml()
    assert lk.anonymize(FRAME, path, seed=1).table.height == 3
    with pytest.raises(lk.OutputError, match="cannot be written"):
        found.write_policy(tmp_path / "no" / "policy.yaml")


def test_it_is_public():
    assert isinstance(lk.profile(FRAME), Profile)
