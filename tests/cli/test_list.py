"""`likeness list`."""

from __future__ import annotations

import pytest

from likeness import registry


@pytest.mark.parametrize("kind", registry.KINDS)
def test_one_name_a_line_with_its_summary(kind, run):
    found = run("list", kind)
    assert found.code == 0
    assert found.err == ""
    lines = found.out.splitlines()
    assert [line.split()[0] for line in lines] == list(registry.names(kind))
    for line, name in zip(lines, registry.names(kind), strict=True):
        assert registry.summary(kind, name)
        assert line.endswith(registry.summary(kind, name))


def test_json(run):
    found = run("list", "models", "--format", "json").json
    assert [one["name"] for one in found] == list(registry.names("models"))
    assert all(one["summary"] for one in found)


def test_the_kinds(run):
    assert [line.split()[0] for line in run("list").out.splitlines()] == list(registry.KINDS)


def test_lines_are_never_wrapped_when_piped(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "30")
    assert len(run("list", "metrics").out.splitlines()) == len(registry.names("metrics"))
