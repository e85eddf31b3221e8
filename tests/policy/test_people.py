"""What a policy may say about people with several records, and what contradicts itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import pytest
from tests.policy.parts import Alone

from likeness.errors import PolicyError
from likeness.models.base import PrivacyModel
from likeness.policy import Hygiene, Policy, Records, drop, identifier, other, quasi, sensitive

COLUMNS = {"pid": identifier(), "age": quasi(), "zip": other(), "disease": sensitive(), "cost": sensitive()}


@dataclass(frozen=True)
class AboutPeople(PrivacyModel):
    """A model about people with several records, for these tests alone."""

    name: ClassVar[str] = "about-people"
    closed_under_union: ClassVar[bool] = True
    closed_under_adding: ClassVar[bool] = True
    about_individuals: ClassVar[bool] = True

    @property
    def in_plain_words(self) -> str:
        """Never asked here."""
        raise NotImplementedError

    def bind(self, attribute: Any) -> Any:
        """Never asked here."""
        raise NotImplementedError


def policy(**keys: Any) -> Policy:
    """A policy of these columns."""
    return Policy(**({"columns": COLUMNS, "privacy": Alone(2)} | keys))


def problems(**keys: Any) -> tuple[str, ...]:
    """What is wrong with it, one line each."""
    with pytest.raises(PolicyError) as refused:
        policy(**keys)
    return refused.value.problems


ADD = "is about people with several records; add individual: the column that names a person, as in individual: patient_id"


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        ({"hygiene": {"duplicates": "drop"}}, f"hygiene: {ADD}"),
        ({"records": {"table": "v.csv", "on": "pid"}}, f"records: {ADD}"),
        ({"privacy": AboutPeople()}, f"privacy: about-people: {ADD}"),
        ({"privacy": [Alone(2), AboutPeople()]}, f"privacy[1]: about-people: {ADD}"),
        (
            {"individual": "zip"},
            "individual: the column 'zip' has the role other; give it role: identifier, because it names a person",
        ),
        (
            {"individual": "pid", "columns": COLUMNS | {"pid": identifier(action="pseudonym")}},
            (
                "columns.pid.action: pseudonym: people with several records get their linked number from the form "
                "identity-reserved, which publishes it as person; leave action out"
            ),
        ),
        (
            {"individual": "pid", "columns": COLUMNS | {"pid": identifier(missing={"policy": "category"})}},
            (
                "columns.pid.missing.policy: category: records that name nobody are not all of one person; say drop to "
                "leave them out, or error"
            ),
        ),
        (
            {"columns": COLUMNS | {"pid": identifier(missing={"policy": "drop"})}},
            (
                "columns.pid.missing: of identifiers, only the column that individual names has a rule about missing "
                "cells; leave it out"
            ),
        ),
        (
            {"individual": "pid", "records": {"table": "v.csv", "on": "age"}},
            "records.on: 'age' is not the column that individual names, 'pid'; tables are joined on the person",
        ),
        (
            {"individual": "pid", "privacy": AboutPeople(), "hygiene": {"duplicates": "keep"}},
            "hygiene.duplicates: keep: in about-people a person has a sensitive value once; say drop, or error",
        ),
        (
            {"individual": "pid", "missing": {"policy": "category"}, "hygiene": {"no_sensitive": "drop"}},
            "hygiene.no_sensitive: drop: contradicts missing.policy: category; say it in one place",
        ),
        (
            {"individual": "pid", "missing": {"policy": "drop"}, "hygiene": Hygiene(no_sensitive="error")},
            "hygiene.no_sensitive: error: contradicts missing.policy: drop; say it in one place",
        ),
    ],
)
def test_each_contradiction_is_one_line(keys, line):
    assert problems(**keys) == (line,)


@pytest.mark.parametrize(
    "keys",
    [
        {"records": Records(table="v.csv", on="pid")},
        {"privacy": AboutPeople()},
        {"hygiene": {"duplicates": "keep"}},
        {"privacy": AboutPeople(), "hygiene": {"duplicates": "error"}},
        {"missing": {"policy": "category"}, "hygiene": {"no_sensitive": "value"}},
        {"missing": {"policy": "drop"}, "hygiene": {"no_sensitive": "drop", "duplicates": "keep"}},
        {"missing": {"policy": "category"}, "hygiene": {"duplicates": "keep"}},
        {"columns": COLUMNS | {"pid": identifier(missing={"policy": "drop", "markers": ["?"]})}},
    ],
)
def test_what_goes_together_is_taken_and_written(keys):
    made = policy(individual="pid", **keys)
    if not isinstance(made.privacy[0], AboutPeople):
        assert Policy.from_mapping(made.to_mapping()) == made


def test_a_pseudonym_is_refused_only_where_people_have_several_records():
    assert (
        policy(columns=COLUMNS | {"pid": identifier(action="pseudonym")}).columns["pid"].action == "pseudonym"
    )


@pytest.mark.parametrize("value", [5, [], {}, {"duplicates": []}, {"no_sensitive": {}}])
def test_values_of_any_kind_are_refused_in_lines(value):
    assert problems(individual="pid", hygiene=value, records=value) if value != {} else True
    assert problems(individual=value or 5, hygiene={"no_sensitive": "drop"})


MEANING = {"drop": "drop", "value": "category", "error": "error"}


@pytest.mark.parametrize("rule", MEANING)
def test_the_hygiene_rule_decides_about_sensitive_columns_alone(rule):
    made = policy(individual="pid", hygiene={"no_sensitive": rule})
    assert made.missing_of("disease").policy == made.missing_of("cost").policy == MEANING[rule]
    assert made.missing_of("age").policy == "error"
    assert made.missing_of("pid").policy == "error"


def test_by_default_records_without_a_sensitive_value_are_dropped_in_tables_of_several_records_a_person():
    assert policy(individual="pid").missing_of("disease").policy == "drop"
    assert policy().missing_of("disease").policy == "error"


@pytest.mark.parametrize("said", ["error", "category", "drop"])
def test_what_missing_says_in_as_many_words_comes_first(said):
    made = policy(individual="pid", missing={"policy": said, "markers": ["?"]})
    assert made.missing_of("disease").policy == said
    again = Policy.from_mapping(made.to_mapping())
    assert again.missing_of("disease") == made.missing_of("disease")
    assert made.to_mapping()["missing"] == {"markers": ["?"], "policy": said}


def test_an_error_is_not_written_where_it_changes_nothing():
    assert "missing" not in policy(missing={"policy": "error"}).to_mapping()
    both = policy(individual="pid", missing={"policy": "error"}, hygiene={"no_sensitive": "drop"})
    assert both.missing_of("disease").policy == "drop"
    assert both.missing_of("age").policy == "error"
    assert "missing" not in both.to_mapping()
    assert Policy.from_mapping(both.to_mapping()).missing_of("disease").policy == "drop"


def test_what_a_column_says_comes_first_of_all():
    columns = COLUMNS | {
        "disease": sensitive(missing={"policy": "category"}),
        "cost": sensitive(missing={"markers": ["?"]}),
    }
    made = policy(columns=columns, individual="pid", hygiene={"no_sensitive": "error"})
    assert made.missing_of("disease").policy == "category"
    assert made.missing_of("cost").policy == "error"
    assert made.missing_of("cost").markers == ("?",)
    assert policy(columns=columns, individual="pid").missing_of("cost").policy == "drop"


def test_a_policy_can_be_taken_to_another_folder(tmp_path):
    made = policy(individual="pid", missing={"policy": "error"}, seed=3)
    moved = made.in_folder(tmp_path)
    assert (moved.folder, made.folder) == (tmp_path, None)
    assert moved == made
    assert moved.missing_of("disease").policy == "error"
    assert moved.replace(columns={**COLUMNS, "note": drop()}).folder == tmp_path
