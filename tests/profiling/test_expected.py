"""Roles, kinds and people of seventeen tables are as ``expected.yaml`` says, which was written beforehand."""

from pathlib import Path

import polars as pl
import pytest
import yaml
from tests.profiling.tables import made

import likeness as lk
from likeness import anonymize
from likeness.datasets import files
from likeness.policy import Policy
from likeness.profiling import profile

EXPECTED = yaml.safe_load(Path(__file__).with_name("expected.yaml").read_text(encoding="utf-8"))
SHARED = {
    "conditions05": "informs2008/conditions05.csv",
    "adult_raw_48842": "adult/adult_raw_48842.csv",
    "demographics05test": "informs2008/demographics05test.csv",
    "census_income": None,  # its file has no header
}
KINDS = {"ordered": "ordered", "integer": "number", "real": "number", "date": "date"}
MISSED = {
    "census_income": {
        "major_occupation": "occupation_code determines it, and one of the two is proposed",
        "live_in_this_house_1_year_ago": "migration_code_msa determines it",
        "capital_gains": "nothing says that others cannot know it, as in Adult",
    },
    "demographics05test": {"HISPANX": "RACETHNX determines it"},
    "kasse": {
        "Bruttoeinkommen": "decimal commas in a frame, which are read only where that is said: it is warned of"
    },
}
"""Columns whose role or kind is not the expected one, and why."""


def kind(column):
    if column.role not in {"quasi", "sensitive"}:
        return "-"
    return KINDS.get(column.settings.get("kind") or column.kind, "code")


def misses(name, table):
    """Columns whose role or kind is not the expected one; the people must be right."""
    found = profile(table)
    assert found.individual == EXPECTED[name]["people"], name
    return {
        own: (found[own].role, kind(found[own]))
        for own, right in EXPECTED[name]["columns"].items()
        if (found[own].role, kind(found[own])) != tuple(right)
    }


def test_generated_tables():
    tables = made()
    assert len(tables) == len(EXPECTED) - len(SHARED)
    for name, table in tables.items():
        assert misses(name, table).keys() == MISSED.get(name, {}).keys(), name


@pytest.mark.slow
@pytest.mark.parametrize("name", SHARED)
def test_shared_tables(name, data_folder):
    path = SHARED[name]
    table = files.census_income(data_folder) if path is None else data_folder / path
    found = misses(name, table)
    assert found.keys() == MISSED.get(name, {}).keys(), found


def test_few_are_missed():
    columns = sum(len(own["columns"]) for own in EXPECTED.values())
    assert (columns, sum(map(len, MISSED.values()))) == (148, 5)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["encounters", "covid_mx", "survey", "klinik", "payroll", "discharges", "urgencias", "kasse"]
)
def test_what_is_proposed_is_a_policy_that_works(name, tmp_path):
    table = made()[name]
    path = tmp_path / "policy.yaml"
    path.write_text(profile(table).policy_yaml(), encoding="utf-8")
    policy = Policy.load(path)
    assert policy.individual == EXPECTED[name]["people"]
    release = anonymize(table, policy)
    assert release.table.height > 0


def test_a_number_that_only_almost_tells_records_apart_is_nobodys():
    amounts = [*range(1000, 2000), 1000, 1001]
    found = profile(pl.DataFrame({"cents": amounts, "sex": ["f", "m"] * 501}))
    assert found.individual is None


def test_lines_of_an_encounter_are_not_people():
    lines = pl.DataFrame({"encounter_id": [i // 3 for i in range(300)], "sex": ["f", "m", "m"] * 100})
    assert profile(lines).individual is None


def test_decimal_commas_of_a_frame_are_told_with_the_option_that_reads_them():
    frame = made()["kasse"]
    (warning,) = profile(frame)["Bruttoeinkommen"].warnings
    assert warning.endswith("read the table with decimal=',' (--decimal ,) to treat it as numbers")
    assert profile(lk.read(frame, decimal=","))["Bruttoeinkommen"].settings["kind"] == "real"


def test_a_column_that_may_number_people_is_asked_about():
    frame = made()["urgencias"].rename({"num_historia": "x"})
    found = profile(frame)
    assert found.individual is None
    (asked,) = [str(one) for one in found.findings if one.code == "may-number-people"]
    assert asked.startswith("'x' determines ")
    assert "--role x=identifier" in asked
    assert profile(frame, roles={"x": "identifier"}).individual == "x"
