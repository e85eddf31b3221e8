"""Databases in place of files, in every command that takes a table."""

from __future__ import annotations

import json
import sqlite3

import polars as pl
import pytest
from tests.postgresql import ADA, PASSWORD

from likeness.tables import read
from likeness.tables.databases import sessions

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


@pytest.mark.slow
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


def test_a_table_is_not_replaced_by_its_own_release(run, desk, clinic):
    before = (desk / "clinic.db").read_bytes()
    there = (
        clinic,
        "--table",
        "patients",
        "policy.yaml",
        "-o",
        "mine",
        "--overwrite",
        "--to-table",
        "Patients",
    )
    done = run("anonymize", *there, "--to", clinic)
    assert (done.code, done.errors) == (
        2,
        [f"{clinic}: 'Patients' is the table that the release is made from; give another name"],
    )
    # By whatever URL it is reached.
    assert run("anonymize", *there, "--to", f"sqlite:///{desk}/clinic.db").code == 2
    assert (desk / "clinic.db").read_bytes() == before
    assert not (desk / "mine").exists()


@pytest.mark.slow
def test_a_password_is_nowhere(run, desk, postgresql):
    database = postgresql.fresh()
    frame = pl.read_csv(desk / "patients.csv", schema_overrides={"zip": pl.String})
    values = ", ".join(f"({age}, '{code}', '{disease}')" for age, code, disease in frame.rows())
    postgresql.run(
        "CREATE TABLE people (age integer, zip text, disease text)",
        f"INSERT INTO people VALUES {values}",
        f"GRANT SELECT ON people TO {ADA}",
        f"GRANT CREATE ON SCHEMA public TO {ADA}",
        database=database,
    )
    url, shown = (
        postgresql.url(database, user=ADA),
        f"postgresql://{ADA}@/{database}?host={postgresql.folder}",
    )
    there = (url, "--table", "people")
    said = [
        run("profile", *there, "-o", "proposed.yaml"),
        run("check", *there, "policy.yaml", "--format", "json"),
        run("anonymize", *there, "policy.yaml", "-o", "out", "--to", url, "--to-table", "open"),
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


def rows(url, table):
    return sorted(read(url, table=table).frame.fill_null("").rows())


def rows_of(folder):
    return sorted(pl.read_csv(folder / "public" / "release.csv", infer_schema=False).rows())


def test_a_release_is_put_into_a_database_too(run, desk, clinic):
    into = ("--to", "sqlite:///research.db", "--to-table", "open")
    done = run("anonymize", clinic, "--table", "patients", "policy.yaml", "-o", "out", *into)
    assert done.code == 0
    assert (
        "  open in sqlite:///research.db: the same rows, read back and compared before they were committed"
        in done.out
    )
    assert rows("sqlite:///research.db", "open") == rows_of(desk / "out")
    # The database it came from, and new records in the regions of the first release.
    back = ("--to", clinic, "--to-table", "open", "--format", "json")
    done = run("apply", "out", clinic, "--table", "patients", "-o", "next", *back)
    assert done.json["database"] == {"url": clinic, "tables": ["open"]}
    assert rows(clinic, "open") == rows_of(desk / "next")
    done = run("anonymize", "patients.csv", "policy.yaml", "-o", "out", "--overwrite", "--seed", "3", *back)
    assert (done.code, rows(clinic, "open")) == (0, rows_of(desk / "out"))


def test_what_cannot_be_put_is_refused_before_any_work(run, desk, clinic):
    begin = ("anonymize", "patients.csv", "policy.yaml", "-o", "out")
    both = "--to and --to-table belong together: the URL of a database, and the name of a table in it"
    there = f"{clinic}: has a table 'visits' already; say --overwrite to replace it, or give another name"
    for words, line in (
        (("--to", clinic), both),
        (("--to-table", "x"), both),
        (("--to", clinic, "--to-table", "visits"), there),
        (("--to", "sqlite:///none/x.db", "--to-table", "x"), "none/x.db: cannot be written: the folder"),
        (
            ("--to", "research.db", "--to-table", "x"),
            "where tables are put must be the URL of a database: sqlite:///",
        ),
    ):
        done = run(*begin, *words)
        assert (done.code, [error[: len(line)] for error in done.errors]) == (2, [line])
        assert not (desk / "out").exists()
    done = run("apply", "out", "patients.csv", "-o", "next", "--to", clinic, "--to-table", "visits")
    assert (done.code, done.errors) == (2, [there])


def test_where_only_the_database_fails_the_folder_stands_and_it_is_said(run, desk, clinic, monkeypatch):
    monkeypatch.setattr(sessions.Session, "ingest", lambda *_: None)
    done = run("anonymize", "patients.csv", "policy.yaml", "-o", "out", "--to", clinic, "--to-table", "open")
    assert done.code == 1
    assert f"note: the release is in {desk / 'out'}, and the database is as it was" in done.err
    assert done.errors == [
        f"open: does not hold what was published; nothing was changed in {clinic}: 60 rows of 60 were not read back, and 0 were"
    ]
    assert run("verify", "out").code == 0
    assert run("profile", clinic, "--table", "open").code == 2
