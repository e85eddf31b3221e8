"""Any policy survives being written; any content is a policy or a list of problems."""

from __future__ import annotations

import json
from datetime import date

from hypothesis import given, settings
from hypothesis import strategies as st

from likeness.errors import PolicyError
from likeness.policy import Policy
from likeness.policy.files import read_json, read_yaml

solid = st.text(min_size=1, max_size=4).filter(str.strip)
names = st.text(min_size=1, max_size=8) | st.sampled_from(
    ["no", "2020", "~", "age", "a: b", "007", "1.50", "<<", "null"]
)
texts = st.text(max_size=6) | st.sampled_from(["no", "1.50", "null", "-9", "?", "2024-01-01", "{", "true"])
numbers = st.integers(-1000, 1000) | st.floats(-1e6, 1e6)
days = st.dates(date(1900, 1, 1), date(2100, 1, 1)).map(date.isoformat)


def ranges(ends):
    return st.lists(ends, min_size=2, max_size=2).map(sorted)


def some(**keys):
    return st.fixed_dictionaries({}, optional=keys)


missing = some(
    markers=st.lists(texts | st.integers(), max_size=3), policy=st.sampled_from(["error", "category", "drop"])
)
trees = st.builds(
    lambda root, below: {root: below},
    names.filter(lambda name: name not in {"prefix", "intervals", "dates"}),
    st.dictionaries(names, st.lists(texts) | st.none(), max_size=3),
)
hierarchies = st.one_of(
    st.just("zip.csv"),
    trees,
    st.lists(st.lists(texts, min_size=1, max_size=3), min_size=1, max_size=3),
    st.sampled_from([{"prefix": 5}, {"prefix": {"digits": 5, "kept": [3]}}, {"dates": ["month", "year"]}]),
    ranges(st.integers(0, 9)).filter(lambda e: e[0] < e[1]).map(lambda edges: {"intervals": edges}),
    st.floats(0.1, 100).map(lambda width: {"intervals": {"width": width}}),
)
values = st.one_of(
    st.just({}),
    ranges(numbers).map(lambda ends: {"domain": ends}),
    ranges(numbers).map(lambda ends: {"kind": "real", "bottom": ends[0], "top": ends[1]}),
    ranges(st.integers(-9, 9)).map(lambda ends: {"kind": "integer", "domain": ends}),
    ranges(days).map(lambda ends: {"kind": "date", "domain": ends, "top": ends[1]}),
    st.lists(texts, min_size=1, max_size=4, unique=True).map(lambda v: {"kind": "ordered", "domain": v}),
    hierarchies.map(lambda h: {"hierarchy": h, "max_level": 2}),
)
columns = st.one_of(
    st.sampled_from(
        [{"role": "drop"}, {"role": "identifier"}, {"role": "identifier", "action": "pseudonym"}]
    ),
    some(missing=missing).map(lambda keys: {"role": "other", **keys}),
    st.builds(
        lambda v, keys: {"role": "quasi", **v, **keys},
        values,
        some(missing=missing, weight=st.floats(0.01, 9)),
    ),
    some(hierarchy=hierarchies, missing=missing, distance=st.just("equal")).map(
        lambda keys: {"role": "sensitive", **keys}
    ),
)
models = st.lists(
    st.integers(1, 9).map(lambda k: {"model": "alone", "k": k})
    | st.floats(0.1, 9).map(lambda level: {"model": "covering", "level": level, "sensitive": "disease"}),
    min_size=1,
    max_size=3,
)
policies = st.fixed_dictionaries(
    {
        "columns": st.dictionaries(names, columns, max_size=4).map(
            lambda c: {**c, "disease": {"role": "sensitive"}}
        ),
        "privacy": models,
    },
    optional={
        "missing": missing,
        "weights": st.just("disease"),
        "categories": st.just("c.csv").map(lambda path: {"disease": path})
        | st.dictionaries(
            solid, st.lists(solid, min_size=1, max_size=2, unique=True), min_size=2, max_size=3
        ).map(lambda own: {"disease": own}),
        "knowledge": st.sampled_from(
            [
                {"kernel": {"bandwidth": 0.3}},
                {"kernel": {"bandwidth": 0.3}, "name": "insurers", "sensitive": "disease"},
                [{"kernel": {"bandwidth": 1}, "name": "a"}, {"kernel": {"bandwidth": 2}, "name": "b"}],
            ]
        ),
        "method": st.sampled_from(
            ["shuffle", {"name": "shuffle", "rounds": 3}, {"name": "shuffle", "strict": True}]
        ),
        "form": st.sampled_from([{"recoding": "set"}, "generalized"]),
        "withhold": some(at_most=st.floats(0, 1)),
        "seed": st.none() | st.integers(0, 2**80),
        "about": some(
            title=st.sampled_from(["A title", "ünïcode: #1", None]),
            date=st.sampled_from(["2026-11-25", None]),
        ),
        "output": some(format=st.sampled_from(["csv", "parquet", None]), numeric_pairs=st.booleans()),
    },
)


def with_people(policy, people):
    """The policy of a table in which people have several records, or the same one."""
    if people is None:
        return policy
    rule = policy.get("missing", {}).get("policy")
    if rule in {"category", "drop"} and "no_sensitive" in people.get("hygiene", {}):
        people["hygiene"]["no_sensitive"] = {"category": "value"}.get(rule, rule)
    return {**policy, **people, "columns": {**policy["columns"], "pid": {"role": "identifier"}}}


people = some(
    records=st.just({"table": "t.csv", "on": "pid"}),
    hygiene=some(
        duplicates=st.sampled_from(["drop", "keep"]),
        inconsistent_quasi=st.sampled_from(["hull", "first", "mode", "error"]),
        no_sensitive=st.sampled_from(["drop", "value", "error"]),
    ),
).map(lambda keys: {"individual": "pid", **keys})
policies = st.builds(with_people, policies, st.none() | people)


@given(policies)
@settings(max_examples=100, deadline=None)
def test_a_policy_survives_being_written(mapping):
    policy = Policy.from_mapping(mapping)
    written = policy.to_mapping()
    assert Policy.from_mapping(written) == policy
    assert Policy.from_mapping(written).to_mapping() == written
    assert Policy.from_mapping(read_json(json.dumps(written), "p.json").content) == policy
    assert Policy.from_mapping(read_yaml(policy.to_yaml(), "p.yaml").content) == policy
    assert policy.replace() == policy
    for same in (Policy.from_mapping(written), policy.replace()):
        assert all(same.missing_of(name) == policy.missing_of(name) for name in policy.columns)


WORDS = """
    columns privacy role kind domain weight bottom top hierarchy missing markers model k name sensitive prefix
    intervals width dates method form recoding seed records individual categories knowledge kernel hygiene
    withhold at_most output disease kept digits
"""
keys = st.sampled_from(WORDS.split()) | st.text(max_size=3)
scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=4)
    | st.dates()
    | st.datetimes()
    | st.sampled_from(
        ["quasi", "sensitive", "integer", "date", "ordered", "alone", "covering", "shuffle", "month"]
    )
)
content = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=20,
)


@given(
    st.dictionaries(keys, content, max_size=5),
    st.dictionaries(st.text(max_size=2), st.dictionaries(keys, content, max_size=4) | content, max_size=2)
    | content,
    content,
)
@settings(max_examples=200, deadline=None)
def test_any_content_is_a_policy_or_a_list_of_problems(mapping, some_columns, privacy):
    for candidate in (mapping, {**mapping, "columns": some_columns, "privacy": privacy}):
        try:
            found = Policy.from_mapping(candidate, where="p.yaml")
        except PolicyError as refused:
            found = refused
        if isinstance(found, PolicyError):
            assert found.problems
            assert all(line.startswith("p.yaml: ") and "\n" not in line for line in found.problems)
