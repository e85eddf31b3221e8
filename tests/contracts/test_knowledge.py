"""What holds of every source of knowledge: policies, certificates and schemas say the same of it."""

from __future__ import annotations

import json

import pytest
from tests.contracts.parts import every_part, example

from likeness import registry
from likeness.policy import Policy
from likeness.policy.parts import plain_source, read_knowledge
from likeness.proving.certificate import remark_on_knowledge

ALL = pytest.mark.parametrize("name", [name for _, name in every_part("knowledge")])
FILES = (".csv", "../", "/out")


@ALL
def test_a_policy_holds_it_and_it_comes_back(name):
    made = example("knowledge", name)
    plain = plain_source(made, ())
    assert list(plain) == [name]
    assert read_knowledge(json.loads(json.dumps(plain))) == (made,)
    named = {**plain, "name": "theirs", "sensitive": "disease"}
    (found,) = read_knowledge([named])
    assert (found.called, found.sensitive) == ("theirs", "disease")
    assert plain_source(found, ()) == named
    policy = {"columns": {"disease": {"role": "sensitive"}}, "privacy": {"model": "js-background", "j": 1}}
    whole = Policy.from_mapping(policy | {"knowledge": plain})
    assert Policy.from_mapping(whole.to_mapping()) == whole


@ALL
def test_its_main_parameter_may_stand_alone(name):
    kind = registry.load("knowledge", name)
    if kind.main:
        made = example("knowledge", name)
        assert read_knowledge({name: plain_source(made, ())[name][kind.main]}) == (made,)


@ALL
def test_a_certificate_tells_how_and_never_which_file(name):
    made = example("knowledge", name)
    facts = json.loads(json.dumps(made.facts))
    assert made.check_facts(facts) == made.facts
    assert json.dumps(made.check_facts(facts)) == json.dumps(made.facts)
    told = made.told(facts)
    assert told[0].islower()
    assert not told.endswith(".")
    assert not any(part in text for part in FILES for text in (told, json.dumps(facts)))
    said = remark_on_knowledge({"source": name, "sensitive": "disease", "parameters": facts})
    assert said == f"'disease': the adversary is taken to know {told}"


@ALL
def test_what_no_source_tells_is_refused(name):
    made = example("knowledge", name)
    for wrong in ({"nonsense": 1}, {"called": "x"}, {"sensitive": "disease"}):
        try:
            found = made.check_facts({**made.facts, **wrong})
        except (ValueError, TypeError, KeyError, registry.PolicyError):
            continue
        assert found == made.facts  # it is not written again, so a certificate with it is refused


@ALL
def test_the_schema_has_it(name):
    schema = Policy.json_schema()["$defs"]["knowledge"]["oneOf"]
    (own,) = (one for one in schema if one["required"] == [name])
    assert set(own["properties"]) == {name, "name", "sensitive"}
    inner = own["properties"][name]
    whole = inner["anyOf"][0] if "anyOf" in inner else inner
    keys = set(plain_source(example("knowledge", name), ())[name])
    assert keys <= set(whole["properties"])
    assert all("description" in described for described in whole["properties"].values())
    assert not any(key.endswith("_") for key in whole["properties"])
