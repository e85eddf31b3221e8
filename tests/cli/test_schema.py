"""`likeness schema`."""

from __future__ import annotations

from likeness.policy import Policy


def test_the_schema_of_policies(run):
    found = run("schema")
    assert found.code == 0
    assert found.json == Policy.json_schema()
