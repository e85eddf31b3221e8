"""Databases in place of files, in every command that takes a table."""

from __future__ import annotations

import json
import sqlite3

import polars as pl
import pytest
from tests.postgresql import ADA, PASSWORD

CODED = "se%2Fcr%40t"


@pytest.fixture
def clinic(desk):
    """The table of the desk in a database, beside an empty one."""
    rows = pl.read_csv(desk / "patients.csv", schema_overrides={"zip": pl.String}).rows()
    with sqlite3.connect(desk / "clinic.db") as connection:
        connection.execute("CREATE TABLE patients (age INTEGER, zip TEXT, disease TEXT)")
        connection.executemany("INSERT INTO patients VALUES (?, ?, ?)", rows)
        connection.execute("CREATE TABLE visits (x)")
    connection.close()
    return "sqlite:///clinic.db"


def published(folder):
    return (folder / "public" / "release.csv").read_bytes()


def test_every_command_reads_a_database(run, desk, clinic, released):
    there = (clinic, "--table", "patients")
    assert run("anonymize", *there, "policy.yaml", "-o", "mine", "--seed", "1").code == 0
    assert published(desk / "mine") == published(released)
    as_query = ("--query", "SELECT * FROM patients WHERE age > 0;")
    for words in (
        ("profile", *there),
        ("check", *there, "policy.yaml"),
        ("check", clinic, "policy.yaml", *as_query),
        ("verify", "mine", "--original", *there),
        ("verify", "out", "--original", clinic, *as_query),
        ("attack", "mine", "--original", *there),
        ("measure", "mine", "--original", *there),
        ("strongest", *there, "policy.yaml", "--parameter", "k", "--loss", "ncp=0.9"),
        ("apply", "mine", *there, "-o", "next"),
    ):
        assert run(*words).code == 0, words
    audit = json.loads((desk / "mine" / "private" / "audit.json").read_text())
    assert audit["original"]["source"] == "patients of sqlite:///clinic.db"


def test_refusals_are_one_line(run, clinic):
    for words, line in (
        (
            (clinic,),
            f"{clinic}: has 2 tables: patients, visits; say which one (--table), or give a query (--query)",
        ),
        ((clinic, "--table", "patient"), f"{clinic}: has no table 'patient'; there are: patients, visits"),
        ((clinic, "--table", "visits"), f"visits of {clinic}: has columns and no records"),
        (
            (clinic, "--table", "visits", "--sheet", "a"),
            "sheet can be given for files only, and this is a database; leave it out",
        ),
        (("patients.csv", "--query", "x"), "query can be given for databases only; leave it out"),
        (("sqlite:///none.db",), "sqlite:///none.db: there is no such file"),
    ):
        done = run("profile", *words)
        assert (done.code, done.errors) == (2, [line])


def test_a_password_is_nowhere(run, desk, postgresql):
    postgresql.run("DROP TABLE IF EXISTS people", "CREATE TABLE people (age integer, zip text, disease text)")
    frame = pl.read_csv(desk / "patients.csv", schema_overrides={"zip": pl.String})
    values = ", ".join(f"({age}, '{code}', '{disease}')" for age, code, disease in frame.rows())
    postgresql.run(f"INSERT INTO people VALUES {values}", f"GRANT SELECT ON people TO {ADA}")
    url, shown = postgresql.url(user=ADA), f"postgresql://{ADA}@/postgres?host={postgresql.folder}"
    there = (url, "--table", "people")
    said = [
        run("profile", *there, "-o", "proposed.yaml"),
        run("check", *there, "policy.yaml", "--format", "json"),
        run("anonymize", *there, "policy.yaml", "-o", "out"),
        run("verify", "out", "--original", *there, "--format", "json"),
        run("measure", "out", "--original", *there),
        run("--traceback", "check", url, "policy.yaml", "--table", "nix"),
        run("check", url.replace(CODED, f"wrong{CODED}"), "policy.yaml", "--table", "people"),
        run("check", url.replace(CODED, PASSWORD), "policy.yaml", "--table", "people"),
    ]
    assert [done.code for done in said] == [0, 0, 0, 0, 0, 2, 2, 2]
    assert f"then: likeness check {shown} --table people proposed.yaml" in said[0].err
    audit = json.loads((desk / "out" / "private" / "audit.json").read_text())
    assert audit["original"]["source"] == f"people of {shown}"
    files = [path.read_bytes() for path in desk.rglob("*") if path.is_file()]
    texts = [text.encode() for done in said for text in (done.out, done.err)] + files
    assert len(files) > 8
    for secret in (PASSWORD.encode(), CODED.encode(), b"se/cr", b"cr@t"):
        assert not any(secret in text for text in texts)
