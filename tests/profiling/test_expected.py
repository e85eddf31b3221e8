"""Roles, kinds and people of thirteen tables are as ``expected.yaml`` says, which was written beforehand."""

from pathlib import Path

import polars as pl
import pytest
import yaml
from tests.profiling.tables import made

from likeness import anonymize
from likeness.policy import Policy
from likeness.profiling import profile

EXPECTED = yaml.safe_load(Path(__file__).with_name("expected.yaml").read_text(encoding="utf-8"))
SHARED = {
    "conditions05": "informs2008/conditions05.csv",
    "adult_raw_48842": "adult/adult_raw_48842.csv",
}
KINDS = {"ordered": "ordered", "integer": "number", "real": "number", "date": "date"}
MISSED: set[tuple[str, str]] = set()
"""Columns whose role or kind is not found."""


def kind(column):
    if column.role not in {"quasi", "sensitive"}:
        return "-"
    return KINDS.get(column.settings.get("kind") or column.kind, "code")


def misses(name, table):
    """Columns whose role or kind is not the expected one; the people must be right."""
    found = profile(table)
    assert found.individual == EXPECTED[name]["people"], name
    return {
        (name, own): (found[own].role, kind(found[own]))
        for own, right in EXPECTED[name]["columns"].items()
        if (found[own].role, kind(found[own])) != tuple(right)
    }


def test_generated_tables():
    tables = made()
    assert len(tables) == len(EXPECTED) - len(SHARED)
    missed = {key: what for name, table in tables.items() for key, what in misses(name, table).items()}
    assert set(missed) == MISSED, missed
    columns = sum(len(own["columns"]) for own in EXPECTED.values())
    assert len(missed) <= columns / 10


@pytest.mark.parametrize("name", SHARED)
def test_shared_tables(name, data_folder):
    assert not misses(name, data_folder / SHARED[name])


@pytest.mark.parametrize("name", ["encounters", "covid_mx", "survey", "klinik", "payroll"])
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
