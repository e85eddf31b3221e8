from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from datetime import date
from pathlib import Path
from types import MappingProxyType

import pytest
from tests.policy.parts import Alone, Both, Covering, GeneralizedForm, KernelKnowledge, Shuffle

from likeness.endings import FORMATS
from likeness.errors import PolicyError
from likeness.metrics.gcp import Gcp
from likeness.metrics.query_error import QueryError
from likeness.models.k_anonymity import KAnonymity
from likeness.policy import (
    Column,
    Hygiene,
    Missing,
    Policy,
    Withhold,
    drop,
    identifier,
    other,
    quasi,
    sensitive,
)
from likeness.policy.files import read_yaml

SMALL = {
    "columns": {"age": {"role": "quasi"}, "disease": {"role": "sensitive"}},
    "privacy": [{"model": "alone", "k": 5}],
}
PEOPLE = {"columns": {**SMALL["columns"], "pid": {"role": "identifier"}}, "individual": "pid"}
ROLES = "one of identifier, quasi, sensitive, other, drop"
DECLARE = "declare every column of the table, as in columns: {age: {role: quasi}}"
KNOWN = ", ".join(one if one.isalpha() else repr(one) for one in FORMATS)
NEEDED = "say which guarantee the release must give, as in privacy: [{model: k-anonymity, k: 5}]"
# The policy of the contract (NAMES.md), with small parts.
WHOLE = """\
columns:
  ssn:     {role: identifier}
  age:     {role: quasi, kind: integer, domain: [0, 110], weight: 2, bottom: 18, top: 90}
  zip:     {role: quasi, hierarchy: zip.csv, max_level: 3}
  zip2:    {role: quasi, hierarchy: {prefix: 5}}
  income2: {role: quasi, hierarchy: {intervals: [0,18,40,65]}}
  born:    {role: quasi, kind: date, hierarchy: {dates: [month, year]}}
  sex:     {role: quasi}
  disease: {role: sensitive, hierarchy: icd.csv, distance: hierarchical}
  income:  {role: sensitive, kind: real}
  visit:   {role: other}
  patient_id: {role: identifier, missing: {policy: drop}}
  sampling_weight: {role: other}
  notes:   {role: drop}
missing: {markers: ["?"], policy: error}
individual: patient_id
records: {table: conditions.csv, on: patient_id}
hygiene: {duplicates: drop, inconsistent_quasi: hull, no_sensitive: drop}
weights: sampling_weight
categories: {disease: severity.csv}
knowledge: {kernel: {bandwidth: 0.3}}
privacy:
  - {model: alone, k: 5}
  - {model: covering, level: 4, sensitive: disease}
method: {name: shuffle, rounds: 2}
form: {name: generalized, recoding: tight}
withhold: {at_most: 0.02}
seed: null
output: {format: csv}
"""


def problems(mapping, **keys):
    with pytest.raises(PolicyError) as refused:
        Policy.from_mapping({**mapping, **keys})
    assert type(refused.value) is PolicyError
    return refused.value.problems


def saved(folder, text, name="policy.yaml"):
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def test_every_key_of_the_contract_is_understood(tmp_path):
    policy = Policy.load(saved(tmp_path, WHOLE))
    assert len(policy.columns) == 13
    assert policy.with_role("sensitive") == ("disease", "income")
    assert policy.columns["age"] == quasi(kind="integer", domain=(0, 110), weight=2, bottom=18, top=90)
    assert policy.privacy == (Alone(5), Covering(4, "disease"))
    assert policy.method == Shuffle(2)
    assert policy.form == GeneralizedForm()
    assert policy.withhold == Withhold(at_most=0.02)
    assert (policy.seed, policy.output.format, policy.output.numeric_pairs) == (None, "csv", False)
    assert policy.missing == Missing(markers=("?",))
    assert (policy.individual, policy.weights) == ("patient_id", "sampling_weight")
    assert policy.records.table == "conditions.csv"
    assert policy.knowledge == (KernelKnowledge(0.3),)
    assert policy.folder == tmp_path
    assert Policy.from_mapping(policy.to_mapping()) == policy


def test_defaults_are_those_of_the_contract():
    policy = Policy.from_mapping(SMALL)
    assert (policy.method, policy.form, policy.seed, policy.folder) == (None, None, None, None)
    assert policy.missing == Missing(markers=("",), policy="error")
    assert policy.withhold.at_most == 0.01
    assert policy.hygiene == Hygiene(duplicates="drop", inconsistent_quasi="hull", no_sensitive="drop")
    assert policy.output.format is None
    assert policy.to_mapping() == SMALL


def test_python_and_file_make_the_same_policy():
    made = Policy(
        columns={
            "ssn": identifier(),
            "age": quasi(weight=2),
            "visit": other(),
            "notes": drop(),
            "dis": sensitive(),
        },
        privacy=Both((Alone(5), Covering(4))),
        method=Shuffle(rounds=2),
        form="generalized",
        missing={"markers": ["?"]},
        seed=7,
    )
    assert Policy.from_mapping(made.to_mapping()) == made
    assert made.to_mapping()["privacy"] == [{"model": "alone", "k": 5}, {"model": "covering", "level": 4}]
    assert made != made.replace(seed=8)


def test_all_problems_of_a_file_are_reported_at_once_with_their_lines(tmp_path):
    text = """\
columns:
  ssn: {role: qusi}
  age: {role: quasi, heirarchy: x.csv, weight: 0}
  zip: {}
  zip: {role: sensitive}
privacy:
  - {model: alone, k: 5}
  - {model: alone, kk: 5}
  - {model: covering, level: 1, sensitive: age}
mehtod: shuffle
withhold: {at_most: 2}
weights: wgt
seed: -1
"""
    with pytest.raises(PolicyError) as refused:
        Policy.load(saved(tmp_path, text))
    assert refused.value.problems == (
        f"policy.yaml, line 2: columns.ssn.role: must be {ROLES}; got 'qusi'; did you mean 'quasi'?",
        "policy.yaml, line 3: columns.age: unknown key 'heirarchy'; did you mean 'hierarchy'?",
        "policy.yaml, line 3: columns.age.weight: must be above 0; got 0",
        "policy.yaml, line 4: columns: 'zip' is given twice, in line 4 and in line 5; a column has one role",
        f"policy.yaml, line 4: columns.zip: the key 'role' is missing; give {ROLES}",
        "policy.yaml, line 8: privacy[1]: alone: unknown parameter 'kk'; did you mean 'k'?",
        "policy.yaml, line 9: privacy[2]: covering: the column 'age' has the role quasi, not sensitive",
        "policy.yaml, line 10: unknown key 'mehtod'; did you mean 'method'?",
        "policy.yaml, line 11: withhold.at_most: must be at most 1; got 2",
        "policy.yaml, line 12: weights: there is no column 'wgt' in columns; known: age, ssn, zip",
        "policy.yaml, line 13: seed: must be at least 0; got -1",
    )


def test_a_seed_that_no_release_folder_can_hold_is_refused():
    columns = {"age": {"role": "quasi"}}
    assert Policy(columns=columns, privacy={"model": "alone", "k": 5}, seed=2**128 - 1).seed == 2**128 - 1
    with pytest.raises(PolicyError) as refused:
        Policy(columns=columns, privacy={"model": "alone", "k": 5}, seed=2**128)
    assert refused.value.problems == (
        f"seed: must be below 2^128; take one of at most 38 digits; got {2**128}",
    )


def test_python_users_get_the_same_lines_without_a_file():
    with pytest.raises(PolicyError) as refused:
        Policy(columns={"age": {"role": "quasi", "weight": 0}}, privacy={"model": "alone", "k": 5}, seed=-1)
    assert type(refused.value) is PolicyError
    assert refused.value.problems == (
        "columns.age.weight: must be above 0; got 0",
        "seed: must be at least 0; got -1",
    )
    assert refused.value.exit_code == 2


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        ({"columns": {}}, "columns: declare every column of the table; found none"),
        ({"columns": []}, "columns: must be a mapping; got []"),
        ({"columns": {2020: {"role": "drop"}}}, "columns: the name 2020 is not text; put it in quotes"),
        ({"columns": {"a": 5}}, "columns.a: must be a mapping such as {role: quasi}; got 5"),
        ({"columns": {"a b": {}}}, "columns['a b']: the key 'role' is missing; give one of"),
        ({"privacy": []}, "privacy: give at least one model, such as {model: k-anonymity, k: 5}"),
        ({"privacy": None}, "privacy: must be a model such as"),
        (
            {"privacy": {"model": "alone", "kk": 1}},
            "privacy: alone: unknown parameter 'kk'; did you mean 'k'?",
        ),
        (
            {"privacy": [{"model": "covering", "level": 1, "sensitive": "disaese"}]},
            "privacy[0]: covering: there is no column 'disaese' in columns; did you mean 'disease'?",
        ),
        (
            {"privacy": [{"model": "covering", "level": 1, "sensitive": "age"}]},
            "privacy[0]: covering: the column 'age' has the role quasi, not sensitive",
        ),
        (
            {"columns": {"age": {"role": "quasi"}}, "privacy": [{"model": "covering", "level": 1}]},
            "privacy[0]: covering: needs a sensitive column; give one role: sensitive",
        ),
        ({"missing": {"policy": "keep"}}, "missing.policy: must be one of error, category, drop; got 'keep'"),
        ({"missing": {"markers": [{}]}}, "missing.markers: a marker such as ? must stand in quotes"),
        ({"missing": {"markers": [None]}}, "missing.markers: must be a text; got None"),
        ({"missing": {"markers": {"?": None}}}, "missing.markers: must be a list; got {'?': None}"),
        ({"individual": "pid"}, "individual: there is no column 'pid' in columns"),
        ({"individual": 5}, "individual: must be text; got 5"),
        ({"individual": ""}, "individual: must not be empty; got ''"),
        ({"weights": "wgt"}, "weights: there is no column 'wgt' in columns; known: age, disease"),
        ({**PEOPLE, "records": {"table": "t.csv"}}, "records: the key 'on' is missing"),
        (
            {**PEOPLE, "records": {"table": "t.csv", "on": "pdi"}},
            "records.on: there is no column 'pdi' in columns; did you mean 'pid'?",
        ),
        ({"categories": {"age": "a.csv"}}, "categories: the column 'age' has the role quasi, not sensitive"),
        ({"categories": {"x": "a.csv"}}, "categories: there is no column 'x' in columns"),
        ({"knowledge": {}}, "knowledge: give one source of knowledge, such as {kernel: {bandwidth: 0.3}}"),
        (
            {"knowledge": []},
            "knowledge: give at least one source of knowledge, such as {kernel: {bandwidth: 0.3}}",
        ),
        ({"knowledge": {"kernl": {}}}, "knowledge: unknown key 'kernl'; did you mean 'kernel'?"),
        (
            {"knowledge": {"kernel": 0.3}},
            "knowledge.kernel: must be a mapping, such as {kernel: {bandwidth: 0.3}}; got 0.3",
        ),
        ({"knowledge": {"kernel": {}}}, "knowledge: kernel: the parameter 'bandwidth' is missing"),
        ({"knowledge": {"kernel": {"bandwidth": 0}}}, "knowledge: kernel: bandwidth must be above 0; got 0"),
        (
            {"knowledge": {"kernel": {"bandwidth": 1, "called": "x"}}},
            "knowledge.kernel: kernel: unknown parameter 'called'",
        ),
        ({"knowledge": {"kernel": {"bandwidth": 1}, "name": 3}}, "knowledge.name: must be a text; got 3"),
        (
            {"knowledge": [{"kernel": {"bandwidth": 1}}, {"kernel": {"bandwidth": 2}, "name": "x"}]},
            "knowledge: several sources of knowledge need names; give each a name:",
        ),
        (
            {"knowledge": [{"kernel": {"bandwidth": i}, "name": "x"} for i in (1, 2)]},
            "knowledge: two sources of knowledge are called 'x'",
        ),
        (
            {"knowledge": {"kernel": {"bandwidth": 1}, "sensitive": "age"}},
            "knowledge: the column 'age' has the role quasi, not sensitive",
        ),
        (
            {"privacy": [{"model": "believing", "level": 1}]},
            "privacy[0]: believing: needs what an adversary may know beforehand; say it, as in knowledge:",
        ),
        (
            {
                "privacy": [{"model": "believing", "level": 1, "knowledge": "insurer"}],
                "knowledge": {"kernel": {"bandwidth": 1}, "name": "insurers"},
            },
            "privacy[0]: believing: there is no knowledge called 'insurer'; did you mean 'insurers'?",
        ),
        (
            {**PEOPLE, "hygiene": {"duplicates": "hull"}},
            "hygiene.duplicates: must be one of drop, keep, error; got 'hull'",
        ),
        ({"method": "shufle"}, "method: there is no method 'shufle'; did you mean 'shuffle'?"),
        ({"form": {"recoding": "set", "nmae": 1}}, "form: generalized: unknown parameter 'nmae'"),
        ({"withhold": 0.02}, "withhold: must be a mapping such as {at_most: 0.01}; got 0.02"),
        ({"withhold": {"at_most": -0.1}}, "withhold.at_most: must be at least 0; got -0.1"),
        ({"withhold": {"at_most": "2%"}}, "withhold.at_most: must be a number; got '2%'"),
        (
            {"effort": "hard"},
            "effort: must be one of quick, normal, thorough, or a time such as {seconds: 60}; got 'hard'",
        ),
        (
            {"effort": 60},
            "effort: must be one of quick, normal, thorough, or a time such as {seconds: 60}; got 60",
        ),
        ({"effort": {"minutes": 1}}, "effort: must be one of quick, normal, thorough, or a time"),
        ({"effort": {"seconds": 0}}, "effort: seconds must be above 0; got 0"),
        ({"effort": {"seconds": "soon"}}, "effort: must be a number; got 'soon'"),
        ({"effort": {"seconds": float("nan")}}, "effort: "),
        (
            {"effort": "quick", "method": "shuffle"},
            "effort: is for policies that name no method; leave it out, or say",
        ),
        (
            {"minimize": "glm", "method": "shuffle"},
            "minimize: is for policies that name no method; leave it out, or say",
        ),
        ({"seed": 1.5}, "seed: must be a whole number; got 1.5"),
        ({"seed": True}, "seed: must be a whole number; got True"),
        ({"output": {"format": "ods"}}, f"output.format: must be one of {KNOWN}; got 'ods'"),
        ({"about": {"title": "two\nlines"}}, "about.title: must be one line of at most 300 characters"),
        ({"about": {"title": "x" * 301}}, "about.title: must be one line of at most 300 characters"),
        (
            {"about": {"publisher": "\u202eytic"}},
            "about.publisher: must be one line of at most 300 characters",
        ),
        ({"about": {"contact": " "}}, "about.contact: must not be empty"),
        ({"about": {"date": "today"}}, "about.date: must be a date such as 2024-03-01; got 'today'"),
        ({"about": "City"}, "about: must be a mapping such as {title:"),
        ({"output": {"numeric_pairs": "yes"}}, "output.numeric_pairs: must be true or false; got 'yes'"),
        ({"privcy": []}, "unknown key 'privcy'; did you mean 'privacy'?"),
    ],
)
def test_each_mistake_is_one_line_that_begins_with_its_place(keys, line):
    (found,) = problems(SMALL, **keys)
    assert found.startswith(line)


MINIMIZED = "ail, discernibility, glm, iloss, ncp, query-error"


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ("gcp", f"must be one of {MINIMIZED}; got 'gcp'"),
        ("npc", f"must be one of {MINIMIZED}; got 'npc'"),
        ({"name": "gcp"}, f"must be one of {MINIMIZED}; got 'gcp'"),
        (Gcp(), f"must be one of {MINIMIZED}; got 'gcp'"),
        (KAnonymity(2), "must be a metric; k-anonymity is one of the models"),
        (3, "must be a metric such as {name: query-error, predicates: 2}; got 3"),
        ({"predicates": 2}, "the key 'name' is missing; write {name: query-error, predicates: 2}"),
        (
            {"name": "query-error", "predicate": 2},
            "query-error: unknown parameter 'predicate'; did you mean 'predicates'?",
        ),
        ({"name": "query-error", "selectivity": 2}, "query-error: selectivity must be"),
    ],
)
@pytest.mark.usefixtures("real_parts")
def test_what_cannot_be_minimized_is_refused_in_one_line(given, line):
    (found,) = problems(SMALL, privacy={"model": "k-anonymity", "k": 5}, minimize=given)
    assert found.startswith(f"minimize: {line}")


@pytest.mark.usefixtures("real_parts")
def test_a_workload_is_declared_by_the_parameters_of_the_metric():
    asked = {**SMALL, "privacy": [{"model": "k-anonymity", "k": 5}]}
    declared = {"name": "query-error", "predicates": 2, "selectivity": 0.05}
    policy = Policy.from_mapping({**asked, "minimize": declared})
    assert policy.minimize == QueryError(predicates=2, selectivity=0.05)
    assert policy.to_mapping()["minimize"] == declared
    assert policy == Policy.from_mapping(policy.to_mapping()) == policy.replace(minimize=policy.minimize)
    assert Policy.from_mapping({**asked, "minimize": "glm"}).to_mapping()["minimize"] == {"name": "glm"}


def test_null_is_the_same_as_leaving_a_key_out():
    nothing = dict.fromkeys(Policy.model_fields.keys() - SMALL.keys())
    policy = Policy.from_mapping({**SMALL, **nothing, "missing": {"markers": None}})
    assert policy == Policy.from_mapping(SMALL)
    assert policy.replace(seed=3).replace(seed=None, method=None) == policy


def test_a_chosen_method_takes_the_place_of_how_it_was_to_be_found():
    policy = Policy.from_mapping({**SMALL, "effort": {"seconds": 5}, "minimize": "glm"})
    assert policy.to_mapping()["effort"] == {"seconds": 5.0}
    assert policy.naming_method(Shuffle()) == Policy.from_mapping({**SMALL, "method": "shuffle"})
    assert "effort" not in Policy.from_mapping({**SMALL, "effort": "normal"}).to_mapping()


def test_any_mapping_will_do():
    frozen = MappingProxyType({"age": MappingProxyType({"role": "quasi"})})
    assert Policy(columns=frozen, privacy=Alone(2)).columns == {"age": quasi()}


def test_missing_keys_say_what_to_do():
    assert problems({}) == (
        f"the key 'columns' is missing; {DECLARE}",
        f"the key 'privacy' is missing; {NEEDED}",
    )
    assert problems({"columns": SMALL["columns"], "privcy": SMALL["privacy"]}) == (
        "unknown key 'privcy'; did you mean 'privacy'?",
    )


def test_no_sensitive_column_is_not_claimed_while_a_role_cannot_be_told():
    columns = {"disease": {"role": "sensitve"}}
    (found,) = problems(
        SMALL, columns=columns, privacy=[{"model": "covering", "level": 1, "sensitive": "disease"}]
    )
    assert found.startswith("columns.disease.role: must be one of")


def test_what_is_no_mapping_is_refused():
    with pytest.raises(PolicyError, match=r"^policy\.yaml: must be a mapping of keys and values; got \[\]$"):
        Policy.from_mapping([], where="policy.yaml")
    with pytest.raises(PolicyError, match=r"^the key 5 is not text; put it in quotes$"):
        Policy.from_mapping({5: 1})


def test_missing_values_follow_the_column_and_else_the_table():
    columns = {
        "age": quasi(missing={"policy": "drop"}),
        "zip": quasi(missing={"markers": [-9, "?"]}),
        "sex": quasi(),
    }
    policy = Policy(columns=columns, privacy=Alone(2), missing=Missing(markers=("?",), policy="category"))
    assert policy.missing_of("age") == Missing(markers=("?",), policy="drop")
    assert policy.missing_of("zip") == Missing(markers=("-9", "?"), policy="category")
    assert policy.missing_of("sex") == policy.missing


def test_a_loaded_policy_knows_its_folder_and_is_equal_wherever_it_lies(tmp_path):
    policy = Policy.load(saved(tmp_path, Policy.from_mapping(SMALL).to_yaml()))
    assert policy.folder == tmp_path
    assert policy.replace(seed=3).folder == tmp_path
    assert Policy.from_mapping(SMALL, folder="/data").folder == Path("/data")
    assert policy == Policy.from_mapping(SMALL)


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        (
            "",
            "categories.disease: must not be empty; give a file, or each category with the list of its values",
        ),
        (3, "categories.disease: must be a file, or each category with the list of its values; got 3"),
        ({"Low": "Flu"}, "categories.disease.Low: must be a list; got 'Flu'"),
        ({"Low": ["Flu"], "Mild": None}, "categories.disease.Mild: must be a list; got None"),
        (
            {"Low": ["Flu"]},
            "categories.disease: there must be two categories at least; found 1; give all of them, least severe first",
        ),
        (
            {"Low": ["Flu"], "Mild": []},
            "categories.disease: category 'Mild' has no values; write them, or remove it",
        ),
        (
            {"Low": ["Flu", "Flu"], "Mild": ["x"]},
            "categories.disease: category 'Low' has the value 'Flu' twice; remove one",
        ),
        (
            {"": ["Flu"], "Mild": ["x"]},
            "categories.disease: category has no label; write it before its values",
        ),
    ],
)
def test_categories_that_are_none_are_refused_where_they_stand(given, complaint):
    with pytest.raises(PolicyError) as refused:
        Policy.from_mapping({**SMALL, "categories": {"disease": given}})
    assert complaint in refused.value.problems


def test_categories_are_a_path_or_labels_with_their_values():
    columns = {"age": {"role": "quasi"}, "d": {"role": "sensitive"}}
    common = {"columns": columns, "privacy": {"model": "alone", "k": 5}}
    assert Policy(**common, categories={"d": Path("severity.csv")}).categories == {"d": "severity.csv"}
    made = Policy(**common, categories={"d": {"1": ("Flu", 7), "no": ("Cough",)}})
    assert made.categories == {"d": {"1": ["Flu", "7"], "no": ["Cough"]}}
    written = made.to_yaml()
    assert Policy.from_mapping(read_yaml(written, "p.yaml").content) == made
    assert read_yaml("categories: {d: {1: [07, no], low: [x]}}", "p.yaml").content == {
        "categories": {"d": {"1": ["07", "no"], "low": ["x"]}}
    }


def test_a_role_that_is_none_is_refused():
    with pytest.raises(PolicyError, match="there is no role 'qausi'; did you mean 'quasi'"):
        Policy.from_mapping(SMALL).with_role("qausi")


def test_a_policy_is_a_frozen_value_that_can_be_copied_and_sent():
    policy = Policy.from_mapping(SMALL, folder="/data")
    with pytest.raises(ValueError, match="frozen"):
        policy.seed = 3
    for twin in (copy.deepcopy(policy), pickle.loads(pickle.dumps(policy))):
        assert twin == policy
        assert twin.folder == policy.folder
    with pytest.raises(TypeError, match="unhashable"):
        hash(policy)


def test_refusals_can_be_sent_to_another_process():
    with pytest.raises(PolicyError) as refused:
        Column.read({})
    twin = pickle.loads(pickle.dumps(refused.value))
    assert twin.problems == refused.value.problems
    assert twin.entries == refused.value.entries


def test_what_a_policy_shows_is_short_and_escaped():
    policy = Policy(
        columns={
            "<b>age": quasi(kind="date", domain=[date(2020, 1, 1), date(2021, 1, 1)]),
            "dis": sensitive(),
        },
        privacy=Both((Alone(5), Covering(4))),
        method=Shuffle(),
    )
    assert repr(policy) == "Policy(2 columns: 1 quasi, 1 sensitive; alone & covering; shuffle)"
    assert str(policy).splitlines() == [
        "Policy: 2 columns: 1 quasi, 1 sensitive; alone & covering; shuffle",
        "  column  role",
        "  <b>age  quasi      kind: 'date', domain: ['2020-01-01', '2021-01-01']",
        "  dis     sensitive",
        "privacy",
        "  Alone(k=5)",
        "  Covering(level=4, sensitive=None)",
        "method: Shuffle(rounds=1, strict=False, ratio=None)",
    ]
    page = policy._repr_html_()
    assert "<b>" not in page
    assert "&lt;b&gt;age" in page
    assert "2020-01-01" in page


def test_json_is_read_by_its_ending(tmp_path):
    text = '{"columns": {"age": {"role": "quasi"}},\n "privacy": [{"model": "alone", "k": 5}], "seed": 7}'
    assert Policy.load(saved(tmp_path, text, "policy.json")).seed == 7
    with pytest.raises(PolicyError) as refused:
        Policy.load(saved(tmp_path, text.replace("seed", "sede"), "policy.json"))
    assert refused.value.problems == ("policy.json: unknown key 'sede'; did you mean 'seed'?",)


@pytest.mark.usefixtures("real_parts")
def test_the_guarantee_of_the_real_models_is_checked_too():
    assert problems(
        SMALL, privacy=[{"model": "k-anonymity", "k": 0}, {"model": "beta-likeness", "beta": 0}]
    ) == (
        "privacy[0]: k-anonymity: k must be a whole number of at least 1; got 0",
        "privacy[1]: beta-likeness: beta must be a number above 0; got 0",
    )
    no_sensitive = {"age": {"role": "quasi"}}
    assert problems(SMALL, columns=no_sensitive, privacy=[{"model": "beta-likeness", "beta": 4}]) == (
        "privacy[0]: beta-likeness: needs a sensitive column; give one role: sensitive",
    )


@pytest.mark.usefixtures("real_parts")
def test_a_bound_that_is_a_function_lives_in_python_only():
    from likeness.models.beta_likeness import BetaLikeness
    from likeness.models.k_anonymity import KAnonymity

    model = KAnonymity(2) & BetaLikeness(bound=lambda p: 2 * p)
    policy = Policy(columns={"age": quasi(), "dis": sensitive()}, privacy=model)
    with pytest.raises(
        PolicyError, match=r"^privacy\[1\]: beta-likeness: bound is a function, which no policy file"
    ):
        policy.to_yaml()


@pytest.mark.usefixtures("real_parts")
def test_the_policies_of_the_datasets_are_policies():
    from likeness import registry

    for name in ("hospital", "census"):
        mapping = registry.create("datasets", name, {}).policy()
        assert Policy.from_mapping(mapping).to_mapping() == mapping


def test_reading_a_policy_loads_no_numbers_or_frames():
    script = (
        "import sys, likeness.policy; "
        "print([m for m in ('numpy', 'polars', 'pandas', 'numba', 'pyarrow') if m in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_the_words_of_a_choice_are_those_of_its_type():
    from likeness.policy.sections import Output, Records

    for kind, given, key, said in (
        (
            Records,
            {"table": "visits.csv", "on": "age"},
            "thousands",
            """one of ',', '.', ' ', "'"; got '_'""",
        ),
        (Output, {}, "format", f"one of {KNOWN}; got 'csw'; did you mean 'csv'?"),
    ):
        wrong = "_" if key == "thousands" else "csw"
        with pytest.raises(PolicyError) as caught:
            kind(**given, **{key: wrong})
        assert [(one.where, one.what) for one in caught.value.refusals] == [((key,), f"must be {said}")]
