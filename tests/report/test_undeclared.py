from __future__ import annotations

import polars as pl

import likeness as lk
from likeness.report.people import undeclared_people

ROWS = 12
TABLE = pl.DataFrame(
    {
        "who": [f"p{i // 3}" for i in range(ROWS)],
        "visit": [f"v{i}" for i in range(ROWS)],
        "age": [20 + i // 3 for i in range(ROWS)],
        "disease": ["flu", "cold", "gout"] * 4,
    }
)
COLUMNS = {"who": lk.identifier(), "visit": lk.identifier(), "age": lk.quasi(), "disease": lk.sensitive()}


def test_a_class_of_one_person_is_told():
    release = lk.anonymize(TABLE, lk.Policy(columns=COLUMNS, privacy=lk.KAnonymity(3)), seed=1)
    (line,) = undeclared_people(release)
    assert str(line) == (
        "column 'who' has 4 values in 12 published records: if it names people, the smallest class holds 1 of them under "
        "k = 3, 4 of 4 classes fewer than that, and 4 of 4 classes a single one; say individual: who to count people"
    )


def test_nothing_is_told_where_the_policy_names_the_individual():
    release = lk.anonymize(
        TABLE, lk.Policy(columns=COLUMNS, privacy=lk.KAnonymity(2), individual="who"), seed=1
    )
    assert undeclared_people(release) == []
    assert release.certificate.individuals == 4


def test_names_that_several_share_by_chance_are_no_sign():
    # One in three has a name that another one has, but nearly never in the same class.
    rows = 600
    table = pl.DataFrame(
        {"name": [f"n{i % 400}" for i in range(rows)], "age": [20 + i // 10 for i in range(rows)]}
    )
    release = lk.anonymize(
        table,
        lk.Policy(columns={"name": lk.identifier(), "age": lk.quasi()}, privacy=lk.KAnonymity(3)),
        seed=1,
    )
    assert undeclared_people(release) == []


def test_two_people_of_one_name_are_no_sign():
    rows = 300
    table = pl.DataFrame(
        {
            "name": ["same", "same", *(f"n{i}" for i in range(rows - 2))],
            "age": [20 + i % 7 for i in range(rows)],
        }
    )
    columns = {"name": lk.identifier(), "age": lk.quasi()}
    release = lk.anonymize(table, lk.Policy(columns=columns, privacy=lk.KAnonymity(3)), seed=1)
    assert undeclared_people(release) == []
