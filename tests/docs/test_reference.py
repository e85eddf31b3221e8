"""The reference has everything: every public name, part, command, exit code and key of a policy."""

from __future__ import annotations

import re

import pytest
from docs._site.blocks import ROOT
from docs._site.listings import LISTINGS

import likeness as lk
from likeness import registry
from likeness.cli import COMMANDS, main
from likeness.policy import Policy

REFERENCE = ROOT / "docs" / "reference"
ASKED = re.compile(r"^<!-- generated: (.+) -->$", re.MULTILINE)


def asked() -> set[str]:
    """What the reference's pages ask to have generated."""
    return {
        found for page in REFERENCE.glob("*.md") for found in ASKED.findall(page.read_text(encoding="utf-8"))
    }


def test_every_public_name_is_there():
    page = (REFERENCE / "python.md").read_text(encoding="utf-8")
    documented = re.findall(r"^\.\. (?:auto\w+|py:data):: likeness\.(\w+)$", page, re.MULTILINE)
    assert sorted(documented) == sorted(lk.__all__)


def test_every_kind_of_part_has_a_page():
    assert {f"parts {kind}" for kind in registry.KINDS} < asked()


@pytest.mark.parametrize("kind", registry.KINDS)
def test_every_part_is_listed(kind):
    listed = LISTINGS["parts"](kind)
    for name in registry.names(kind):
        assert (f"({kind}-{name})=" in listed) == (registry.distribution(kind, name) is None), name


def test_every_command_is_listed():
    assert {"commands", "exit-codes"} < asked()
    listed = LISTINGS["commands"]()
    assert re.findall(r"^## likeness (\w+)$", listed, re.MULTILINE) == list(COMMANDS)
    assert "`--at-most STR...`" in listed
    assert "likeness demo" in listed


def test_every_exit_code_is_listed(capsys):
    listed = re.findall(r"^(\d+) +\w", LISTINGS["exit-codes"](), re.MULTILINE)
    assert main(["--help"]) == 0
    told = re.findall(r"^  (\d+) +\w", capsys.readouterr().out, re.MULTILINE)
    assert len(told) > 5
    assert set(told) < set(listed)


def test_every_key_of_a_policy_is_listed():
    assert "policy" in asked()
    schema = Policy.json_schema()
    listed = LISTINGS["policy"]()
    mappings = [schema, *(one for one in schema["$defs"].values() if "properties" in one)]
    keys = [key for one in mappings for key in one["properties"]]
    assert sorted(re.findall(r"^\| `(\w+)` \|", listed, re.MULTILINE)) == sorted(keys)
