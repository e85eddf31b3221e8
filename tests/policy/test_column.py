from __future__ import annotations

from datetime import date, datetime
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from likeness.errors import PolicyError
from likeness.hierarchies import from_rows
from likeness.policy import Column, drop, identifier, other, quasi, sensitive

DISEASES = from_rows([("flu", "*"), ("ulcer", "*")], "disease", where=str)


def problems(**keys):
    with pytest.raises(PolicyError) as refused:
        Column.read(keys)
    return refused.value.problems


def test_the_keys_of_the_policy_file_become_values():
    age = Column.read(
        {"role": "quasi", "kind": "integer", "domain": [0, 110], "weight": 2, "bottom": 18, "top": 90}
    )
    assert (age.domain, age.weight, age.bottom, age.top) == ((0, 110), 2.0, 18, 90)
    assert isinstance(age.weight, float)
    assert (age.max_level, age.hierarchy, age.missing, age.distance) == (None, None, None, None)


def test_constructors_take_the_same_keys():
    assert quasi(kind="real", domain=[0, 1]) == Column.read(
        {"role": "quasi", "kind": "real", "domain": [0, 1]}
    )
    assert sensitive(distance="equal") == Column.read({"role": "sensitive", "distance": "equal"})
    assert identifier(action="pseudonym").action == "pseudonym"
    assert [column.role for column in (identifier(), other(), drop())] == ["identifier", "other", "drop"]


def test_constructors_refuse_with_a_plain_policy_error_that_names_the_role():
    with pytest.raises(PolicyError) as refused:
        quasi(weight=-1, domain=[3, 1], kind="integer")
    assert type(refused.value) is PolicyError
    assert refused.value.problems == (
        "quasi.domain: is reversed: the lower end comes first; got [3, 1]",
        "quasi.weight: must be above 0; got -1",
    )


def test_a_misspelt_key_is_one_problem_and_what_it_meant_is_not_missed_as_well():
    assert problems(role="quasi", heirarchy="zip.csv", max_level=2) == (
        "unknown key 'heirarchy'; did you mean 'hierarchy'?",
    )
    assert problems(rle="quasi") == ("unknown key 'rle'; did you mean 'role'?",)


def test_a_missing_role_lists_the_roles():
    assert problems() == ("the key 'role' is missing; give one of identifier, quasi, sensitive, other, drop",)
    assert problems(role="qausi") == (
        "role: must be one of identifier, quasi, sensitive, other, drop; got 'qausi'; did you mean 'quasi'?",
    )
    assert problems(role=["quasi", "sensitive"])[0].startswith("role: must be one of identifier, quasi")


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        (
            {"role": "identifier", "weight": 2},
            "weight is not a key of an identifier column; only of a quasi one",
        ),
        (
            {"role": "quasi", "distance": "equal"},
            "distance is not a key of a quasi column; only of a sensitive one",
        ),
        (
            {"role": "sensitive", "action": "drop"},
            "action is not a key of a sensitive column; only of an identifier one",
        ),
        (
            {"role": "drop", "kind": "real"},
            "kind is not a key of a drop column; only of a quasi or a sensitive or an other one",
        ),
        (
            {"role": "other", "hierarchy": "x.csv"},
            "hierarchy is not a key of an other column; only of a quasi or a sensitive one",
        ),
    ],
)
def test_keys_of_other_roles_are_refused(keys, problem):
    assert problems(**keys) == (problem,)


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ({"weight": 0}, "weight: must be above 0; got 0"),
        ({"weight": True}, "weight: must be a number; got True"),
        ({"weight": "2"}, "weight: must be a number; got '2'"),
        ({"weight": float("nan")}, "weight: must be a finite number; got nan"),
        ({"weight": 10**400}, "weight: must be a finite number; got 1000"),
        ({"weight": -(10**5000)}, "weight: must be a finite number; got a number with too many digits"),
        ({"max_level": -1, "hierarchy": "x.csv"}, "max_level: must be at least 0; got -1"),
        ({"max_level": 1.5, "hierarchy": "x.csv"}, "max_level: must be a whole number; got 1.5"),
        ({"max_level": 1}, "max_level needs a hierarchy"),
        ({"kind": "hierarchical"}, "kind: hierarchical needs a hierarchy"),
        ({"kind": "integre"}, "kind: must be one of integer, real, date, ordered, hierarchical, categorical"),
        ({"kind": "integer", "domain": [0.5, 2]}, "domain: must be a whole number, as the kind"),
        ({"kind": "real", "domain": [2, 1]}, "domain: is reversed: the lower end comes first; got [2, 1]"),
        ({"kind": "real", "domain": [1, 2, 3]}, "domain: is not both ends of a range"),
        ({"kind": "real", "domain": [0, float("inf")]}, "domain: must be a finite number; got inf"),
        ({"kind": "date", "domain": ["2024-01-01", "2023-01-01"]}, "domain: is reversed"),
        ({"kind": "date", "domain": ["1.1.2024", "2025-01-01"]}, "domain: must be a date such as 2024-03-01"),
        ({"kind": "ordered", "domain": []}, "domain: must not be empty"),
        ({"kind": "ordered", "domain": ["a", "b", "a"]}, "domain: lists 'a' more than once"),
        ({"kind": "ordered", "domain": "ab"}, "domain: must be a list; got 'ab'"),
        ({"kind": "ordered", "domain": [None]}, "domain: must be a text; got None"),
        ({"kind": "hierarchical", "hierarchy": "x.csv", "domain": ["a"]}, "domain: the values of a hier"),
        ({"domain": [1, 2, 3]}, "domain: is not both ends of a range; say kind: ordered or categorical"),
        ({"domain": ["a", 2]}, "domain: mixes texts and other values"),
        ({"bottom": 90, "top": 18}, "bottom: 90 lies above top, 18; swap them"),
        ({"kind": "integer", "bottom": 0.5}, "bottom: must be a whole number, as the kind"),
        ({"bottom": "x"}, "bottom: must be a number; got 'x'"),
        ({"kind": "ordered"}, "kind: ordered needs a domain: the list of its values in order"),
        (
            {"kind": "ordered", "domain": ["1"], "bottom": 1},
            "bottom: needs numbers or dates; the kind is ordered",
        ),
        ({"domain": [0, 50], "top": 90}, "top: 90 lies outside the domain, 0 to 50"),
        ({"domain": ["a", "b"], "top": 90}, "domain: lists texts, but top need numbers or dates"),
        ({"kind": "integer", "hierarchy": {"prefix": 5}}, "hierarchy: prefix makes a hierarchy of codes"),
        ({"kind": "date", "hierarchy": {"intervals": {"width": 5}}}, "hierarchy: intervals makes"),
        ({"kind": "real", "hierarchy": {"dates": ["year"]}}, "hierarchy: dates makes a hierarchy of dates"),
        ({"prefix": 5}, "unknown key 'prefix'; write it below hierarchy, as in hierarchy: {prefix: 5}"),
        ({"missing": {"policy": "dorp"}}, "missing.policy: must be one of error, category, drop; got 'dorp'"),
        ({"missing": "drop"}, "missing: must be a mapping such as {policy: category}; got 'drop'"),
    ],
)
def test_each_contradiction_of_a_quasi_identifier_is_one_line(keys, problem):
    (found,) = problems(role="quasi", **keys)
    assert found.startswith(problem)


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ({"distance": "hierarchical"}, "distance: hierarchical needs a hierarchy"),
        ({"distance": "ordered", "kind": "categorical"}, "distance: ordered needs an order"),
        ({"distance": "euclid"}, "distance: must be one of equal, ordered, hierarchical; got 'euclid'"),
    ],
)
def test_each_contradiction_of_a_sensitive_attribute_is_one_line(keys, problem):
    (found,) = problems(role="sensitive", **keys)
    assert found.startswith(problem)


def test_a_bad_hierarchy_does_not_also_count_as_no_hierarchy():
    assert problems(role="quasi", hierarchy=5, max_level=2, kind="hierarchical")[0].startswith(
        "hierarchy: must be a file"
    )
    assert len(problems(role="quasi", hierarchy=5, max_level=2, kind="hierarchical")) == 1


def test_dates_say_the_kind_and_are_days():
    column = quasi(domain=[date(2020, 1, 1), datetime.fromisoformat("2024-12-31")], top=date(2023, 1, 1))
    assert column.kind == "date"
    assert column.domain == (date(2020, 1, 1), date(2024, 12, 31))
    assert type(column.domain[1]) is date
    assert (
        "such as 2024-03-01" in problems(role="quasi", bottom=datetime.fromisoformat("2024-01-01T12:00"))[0]
    )


def test_listed_values_are_the_texts_of_the_table():
    assert quasi(kind="ordered", domain=[1, 2.5, True, "x"]).domain == ("1", "2.5", "true", "x")
    assert quasi(domain=["low", "high"]).domain == ("low", "high")


def test_numbers_of_other_libraries_are_plain_numbers():
    column = quasi(kind="integer", domain=np.array([0, 110]), weight=Fraction(1, 2), bottom=np.int64(18))
    assert column.domain == (0, 110)
    assert all(type(end) is int for end in column.domain)
    assert type(column.bottom) is int
    assert column.weight == 0.5


def test_a_column_can_be_a_hierarchy_object():
    column = sensitive(hierarchy=DISEASES, distance="hierarchical")
    assert column.hierarchy is DISEASES
    assert column.to_mapping() == {
        "role": "sensitive",
        "hierarchy": [["flu", "*"], ["ulcer", "*"]],
        "distance": "hierarchical",
    }


def test_null_is_the_same_as_leaving_a_key_out():
    assert Column.read({"role": "drop", "kind": None, "hierarchy": None, "domain": None}) == drop()


def test_a_column_is_frozen():
    with pytest.raises(ValueError, match="frozen"):
        quasi().weight = 3


@given(st.floats(min_value=-1e9, max_value=1e9), st.floats(min_value=-1e9, max_value=1e9))
@settings(max_examples=50, deadline=None)
def test_a_range_is_accepted_exactly_when_its_ends_ascend(low, high):
    keys = {"role": "quasi", "kind": "real", "domain": [low, high]}
    if low <= high:
        assert Column.read(keys).domain == (low, high)
    else:
        assert problems(**keys)[0].startswith("domain: is reversed")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"round": 0}, "round: must be above 0"),
        ({"round": "x"}, "round: must be a number"),
        ({"kind": "date", "round": 5}, "round: needs numbers; the kind is date"),
        ({"kind": "integer", "round": 0.5}, "round: must be a whole number, as the kind is integer; got 0.5"),
        ({"round": 5, "top": 88}, "top: 88 is no multiple of 5, to which values are rounded"),
        (
            {"round": 0.1, "domain": [0, 0.35]},
            "domain: 0.35 is no multiple of 0.1, to which values are rounded",
        ),
    ],
)
def test_what_cannot_be_rounded_to(given, message):
    assert any(message in one for one in problems(role="quasi", **given))


def test_rounding_is_kept():
    assert quasi(round=10, top=90).round == 10
    assert sensitive(round=0.5).round == 0.5
