"""`likeness show`, and what it finds out about parts."""

from __future__ import annotations

from dataclasses import fields

import pytest

from likeness import docstrings, registry
from likeness.registry import describe

PARTS = [(kind, name) for kind in registry.KINDS for name in registry.names(kind)]


@pytest.mark.parametrize(("kind", "name"), PARTS)
def test_every_part_tells_its_parameters_and_source(kind, name):
    found = describe(kind, name)
    assert found["description"]
    assert found["source"]
    assert [one["name"] for one in found["parameters"]] == [
        registry.key_of(field) for field in fields(registry.load(kind, name))
    ]
    assert all(one["description"] for one in found["parameters"]), found


def test_a_model(run):
    text = run("show", "k-anonymity").out
    assert text.startswith("k-anonymity (model, in Python KAnonymity)\n")
    assert "k (required)" in text
    assert "proof: public: anyone can check it" in text
    assert "still holds when a record is added: yes" in text


def test_a_method_and_its_defaults(run):
    (found,) = run("show", "mondrian", "--format", "json").json
    assert {one["name"]: one["default"] for one in found["parameters"]}["cut"] == "least-loss"
    assert found["facts"]["publishes in the form"] == "generalized"


def test_a_source_of_knowledge(run):
    text = run("show", "table").out
    assert text.startswith("table (source of knowledge, in Python TableKnowledge)\n")
    assert "file (required)" in text
    # What Python cannot call from is from_ there.
    (found,) = run("show", "kernel", "--format", "json").json
    assert [one["name"] for one in found["parameters"]][-3:] == ["bandwidth", "leave_one_out", "from"]
    listed = run("list", "knowledge").out.splitlines()
    assert [line.split()[0] for line in listed] == ["frequency", "kernel", "release", "sequence", "table"]


def test_names_of_two_kinds(run):
    assert run("show", "models/proximity").out.startswith("proximity (model")
    (line,) = run("show", "models/linkage").errors
    assert "there is no model 'linkage'" in line


def test_descriptions_parameters_and_sources():
    def documented():
        """Do it.

        At once.

        Parameters
        ----------
        a, b : int
            Both.
        c
            One
            long text.

        References
        ----------
        Somewhere.
        """

    assert docstrings.description(documented) == "Do it.\n\nAt once."
    assert docstrings.parameters(documented) == {"a": "Both.", "b": "Both.", "c": "One\nlong text."}
    assert docstrings.sources(documented) == "Somewhere."
