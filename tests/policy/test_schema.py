from __future__ import annotations

import json
import re

import pytest

from likeness import registry
from likeness.errors import PolicyError
from likeness.policy import Policy
from likeness.policy.parts import part_schema

pytestmark = pytest.mark.usefixtures("real_parts")

TYPES = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "null": type(None),
    "integer": int,
    "number": (int, float),
}
KEYWORDS = """
    $schema $defs $ref title description default type enum const properties required additionalProperties
    minProperties items minItems uniqueItems minLength maxLength minimum maximum exclusiveMinimum
    anyOf oneOf allOf if then
"""
UNDERSTOOD = set(KEYWORDS.split())


def is_type(value, kind):
    return isinstance(value, TYPES[kind]) and not (kind in {"integer", "number"} and isinstance(value, bool))


def valid(value, schema, root):
    """As much of JSON Schema as the policy's uses; an unknown keyword is a failure."""
    if isinstance(schema, bool):
        return schema
    assert set(schema) <= UNDERSTOOD, set(schema) - UNDERSTOOD
    if "$ref" in schema:
        name = schema["$ref"].removeprefix("#/$defs/")
        return valid(value, root["$defs"][name], root)
    kinds = schema.get("type", list(TYPES))
    checks = [
        any(is_type(value, kind) for kind in ([kinds] if isinstance(kinds, str) else kinds)),
        value in schema.get("enum", [value]),
        value == schema.get("const", value),
        all(valid(value, one, root) for one in schema.get("allOf", [])),
        "anyOf" not in schema or any(valid(value, one, root) for one in schema["anyOf"]),
        "oneOf" not in schema or sum(valid(value, one, root) for one in schema["oneOf"]) == 1,
        "if" not in schema or not valid(value, schema["if"], root) or valid(value, schema["then"], root),
    ]
    if isinstance(value, str):
        checks += [schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value))]
    if isinstance(value, dict):
        known = schema.get("properties", {})
        rest = schema.get("additionalProperties", True)
        checks += [valid(item, known.get(key, rest), root) for key, item in value.items()]
        checks += [
            set(schema.get("required", [])) <= set(value),
            len(value) >= schema.get("minProperties", 0),
        ]
    if isinstance(value, list):
        checks += [valid(item, schema.get("items", True), root) for item in value]
        checks.append(len(value) >= schema.get("minItems", 0))
    if is_type(value, "number"):
        checks += [value >= schema.get("minimum", value), value <= schema.get("maximum", value)]
        checks.append("exclusiveMinimum" not in schema or value > schema["exclusiveMinimum"])
    return all(checks)


GOOD = {
    "columns": {
        "ssn": {"role": "identifier", "action": "pseudonym"},
        "age": {"role": "quasi", "kind": "integer", "domain": [0, 110], "weight": 2, "bottom": 18, "top": 90},
        "zip": {"role": "quasi", "hierarchy": "zip.csv", "max_level": 3, "missing": {"markers": ["?", -9]}},
        "when": {"role": "quasi", "kind": "date", "hierarchy": {"dates": ["month"]}, "top": "2024-01-01"},
        "disease": {"role": "sensitive", "hierarchy": [["flu", "*"]], "distance": "hierarchical"},
        "notes": {"role": "drop"},
    },
    "privacy": [
        {"model": "k-anonymity", "k": 5},
        {"model": "beta-likeness", "beta": "7/2", "sensitive": "disease"},
    ],
    "method": {"name": "mondrian", "cut": "widest"},
    "form": {"name": "generalized", "recoding": "tight"},
    "withhold": {"at_most": 0.02},
    "seed": None,
    "output": {"format": "csv.gz"},
}


def but(**changes):
    return {**GOOD, **changes}


def column(**keys):
    return but(columns={"age": keys, "disease": {"role": "sensitive"}})


@pytest.mark.parametrize(
    "mapping",
    [
        GOOD,
        but(privacy={"model": "k-anonymity", "k": 5}),
        but(method="mondrian"),
        but(about={"title": "Visits", "publisher": "City", "contact": "me@city", "date": "2026-11-25"}),
        but(method=None, effort="thorough", minimize="glm"),
        but(method=None, minimize="discernibility"),
        but(method=None, minimize={"name": "query-error", "predicates": 2, "seed": 3}),
        but(method=None, effort={"seconds": 60}),
        but(categories={"disease": "severity.csv"}),
        but(categories={"disease": {"low": ["flu", 7], "high": ["gout"]}}),
        but(privacy=[{"model": "t-closeness", "t": 0.2, "by": "categories"}]),
        but(
            columns={
                "ssn": {"role": "identifier", "missing": {"policy": "drop"}},
                **column(role="quasi")["columns"],
            },
            individual="ssn",
            weights=None,
            records={"table": "visits.csv", "on": "ssn"},
            hygiene={"duplicates": "keep"},
        ),
        *(
            but(privacy=[{"model": "js-background", "j": 0.3}], knowledge=knowledge)
            for knowledge in (
                {"kernel": {"bandwidth": 0.3}},
                {"kernel": {"bandwidth": {"age": "1/3"}, "from": "registry.csv"}},
                {"table": "morbidity.csv"},
                {"table": {"file": "morbidity.csv"}, "name": "insurers", "sensitive": "disease"},
                {"release": "../2024/out"},
                {"frequency": {"levels": {"age": 2}, "smoothing": 1}},
                {"sequence": {"earlier": ["2022.csv"], "on": "ssn", "prior": {"kernel": {"bandwidth": 1}}}},
                [{"table": "a.csv", "name": "a"}, {"release": "out", "name": "b"}],
            )
        ),
    ],
)
def test_good_policies_fit(mapping):
    schema = Policy.json_schema()
    assert valid(mapping, schema, schema)
    Policy.from_mapping(mapping)


@pytest.mark.parametrize(
    "mapping",
    [
        {},
        but(columns={}),
        but(privcy=[]),
        but(privacy=[]),
        but(privacy=[{"model": "k-anonymity"}]),
        but(privacy=[{"model": "k-anonymity", "kk": 5, "k": 5}]),
        but(privacy=[{"model": "k-anonimity", "k": 5}]),
        but(method={"name": "bruel"}),
        but(method="bruel"),
        but(categories={"disease": 3}),
        but(categories={"disease": {"low": ["flu"]}}),
        but(categories={"disease": {"low": ["flu"], "high": []}}),
        but(categories={"disease": {"low": "flu", "high": ["gout"]}}),
        but(withhold={"at_most": 2}),
        but(method=None, effort="hard"),
        but(method=None, effort={"seconds": 0}),
        but(method=None, effort={"minutes": 1}),
        but(method=None, minimize="gcp"),
        but(method=None, minimize={"name": "query-error", "predicates": "two"}),
        but(method=None, minimize={"name": "gcp"}),
        but(seed=-1),
        but(output={"format": "ods"}),
        but(about={"title": ""}),
        but(about={"author": "City"}),
        but(missing={"policy": "keep"}),
        column(),
        column(role="qausi"),
        column(role="quasi", heirarchy="x.csv"),
        column(role="quasi", weight=0),
        column(role="quasi", hierarchy="x.csv", max_level=-1),
        column(role="quasi", distance="equal"),
        column(role="identifier", weight=2),
        column(role="drop", kind="real"),
        column(role="quasi", hierarchy=5),
        *(
            but(privacy=[{"model": "js-background", "j": 0.3}], knowledge=knowledge)
            for knowledge in (
                5,
                [],
                {},
                {"kernel": 0.3},
                {"kernel": {}},
                {"kernel": {"bandwidth": 0.3, "from_": "registry.csv"}},
                {"tabel": "morbidity.csv"},
                {"table": 5},
                {"table": "a.csv", "release": "out"},
                {"frequency": {"levels": 2}},
                {"sequence": {"on": "ssn"}},
            )
        ),
    ],
)
def test_bad_policies_fit_neither_the_schema_nor_the_library(mapping):
    schema = Policy.json_schema()
    assert not valid(mapping, schema, schema)
    with pytest.raises(PolicyError):
        Policy.from_mapping(mapping)


def test_the_schema_is_json_and_the_callers_own():
    schema = Policy.json_schema()
    assert json.loads(json.dumps(schema)) == schema
    schema["properties"].clear()
    assert set(Policy.json_schema()["properties"]) == set(Policy.model_fields)
    for name in re.findall(r'"#/\$defs/(\w+)"', json.dumps(Policy.json_schema())):
        assert name in Policy.json_schema()["$defs"]


@pytest.mark.parametrize("kind", ["models", "methods", "forms"])
def test_every_part_is_there_and_every_parameter_is_described(kind):
    described = {
        next(iter(one["properties"].values()))["const"]: one
        for one in Policy.json_schema()["$defs"][kind[:-1]]["oneOf"]
    }
    assert set(described) == set(registry.names(kind))
    for name, one in described.items():
        assert one["description"], name
        for parameter, schema in list(one["properties"].items())[1:]:
            assert schema.get("description"), f"{name}: {parameter}"
            assert schema.get("type") or schema.get("anyOf") or schema.get("enum"), f"{name}: {parameter}"


def test_what_lives_in_python_only_is_not_offered():
    schema = part_schema("models", "beta-likeness")
    assert "bound" not in schema["properties"]
    assert schema["required"] == ["model"]
    assert schema["properties"]["beta"]["type"] == ["number", "string", "null"]


@pytest.mark.parametrize(
    ("kind", "given", "fits"),
    [
        ("models", {"model": "t-closeness", "t": "1/5"}, True),
        ("models", {"model": "t-closeness", "t": 0.2}, True),
        ("models", {"model": "t-closeness", "t": [0.2]}, False),
        ("models", {"model": "t-closeness", "t": None}, False),
        ("models", {"model": "beta-likeness", "beta": None, "caps": {"flu": "1/2"}}, True),
        ("models", {"model": "beta-likeness", "caps": ["1/2"]}, False),
        ("models", {"model": "rho-privacy", "rho2": {"flu": 0.5}, "rho1": "1/10"}, True),
        ("models", {"model": "rho-privacy", "rho2": True}, False),
        ("models", {"model": "alpha-k-anonymity", "alpha": 0.5, "k": 2, "values": ["flu"]}, True),
        ("models", {"model": "alpha-k-anonymity", "alpha": 0.5, "k": 2, "values": "flu"}, False),
        ("models", {"model": "alpha-k-anonymity", "alpha": 0.5, "k": 2, "values": [1]}, False),
        ("models", {"model": "k-anonymity", "k": 5.5}, False),
        ("methods", {"name": "danonyir", "start_order": [1, 0], "neighbourhood": None}, True),
        ("methods", {"name": "danonyir", "start_order": ["first"]}, False),
        ("methods", {"name": "geneir", "attribute_order": ["age", "age"]}, True),
        ("methods", {"name": "geneir", "attribute_order": "age"}, False),
        ("methods", {"name": "mondrian", "strict": False}, True),
        ("methods", {"name": "mondrian", "strict": "no"}, False),
        ("methods", {"name": "mondrian", "most": 3}, False),
        ("forms", {"name": "generalized", "numeric_pairs": True}, True),
        ("forms", {"name": "generalized", "recoding": 5}, False),
    ],
)
def test_parameters_of_parts(kind, given, fits):
    name = given["model" if kind == "models" else "name"]
    assert valid(given, part_schema(kind, name), {}) is fits
