"""Releases put into databases: the same rows, or the database as it was."""

from __future__ import annotations

import csv
import datetime as dt
import functools
import signal
import sqlite3
import subprocess
import sys
import time

import numpy as np
import polars as pl
import pytest
from tests.postgresql import ADA, PASSWORD

import likeness as lk
from likeness.tables import read
from likeness.tables.columns import EncodedColumn, Labelled
from likeness.tables.databases import Stored, check_database, put, sessions
from likeness.tables.databases.storing import texts_of

N = 40
FRAME = pl.DataFrame(
    {
        "age": [30 + i % 8 for i in range(N)],
        "whole": [i % 3 for i in range(N)],
        "real": [0.1 * (i % 4) for i in range(N)],
        "flag": [i % 2 == 0 for i in range(N)],
        "day": [dt.date(2024, 1, 1 + i % 5) for i in range(N)],
        "moment": [dt.datetime(2024, 1, 1 + i % 5, 3, 0, 0, 5 * (i % 2)) for i in range(N)],  # noqa: DTZ001
        'odd "n; é': [["it's", 'a "b", c\n', "=1+1", "*", ""][i % 5] for i in range(N)],
        "gaps": [None if i % 4 == 0 else i % 3 for i in range(N)],
    }
)
ROLES = {name: lk.sensitive() for name in FRAME.columns} | {
    "age": lk.quasi(),
    "gaps": lk.other(),
    "moment": lk.other(),
}


def release(frame=FRAME, **more):
    given = {"privacy": lk.KAnonymity(2), "missing": {"policy": "category"}} | more
    return lk.anonymize(
        frame, lk.Policy(columns={name: ROLES[name] for name in frame.columns}, **given), seed=1
    )


@pytest.fixture(scope="module")
def made():
    return release()


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, tmp_path):
    """A database of each sort, with somebody else's table in it."""
    if request.param == "sqlite":
        with sqlite3.connect(tmp_path / "research.db") as connection:
            connection.execute("CREATE TABLE theirs AS SELECT 7 AS x")
        connection.close()
        return f"sqlite:///{tmp_path}/research.db"
    server = request.getfixturevalue("postgresql")
    name = server.fresh()
    server.run("CREATE TABLE theirs AS SELECT 7 AS x", "CREATE SCHEMA open", database=name)
    return server.url(name)


def tables(url):
    """All tables that are there, with all their rows in order."""
    with pytest.raises(lk.TableError) as caught:
        read(url, table="nix")
    listed = caught.value.refusals[0].remedy.removeprefix("there are: ").split(", ")
    return {name: sorted(read(url, table=name).frame.rows(), key=str) for name in listed}


def in_file(made, folder, table="release"):
    """The rows of a release's file, as texts, in order."""
    with (made.write(folder) / "public" / f"{table}.csv").open(newline="", encoding="utf-8") as file:
        names, *rows = csv.reader(file)
    return names, sorted(map(tuple, rows))


def test_the_rows_of_the_file_are_there_text_for_text(made, url, tmp_path):
    assert made.to_database(url, "people") == ("people",)
    frame = read(url, table="people").frame
    names, rows = in_file(made, tmp_path / "out")
    assert frame.columns == names
    if url.startswith("sqlite"):
        frame = frame.with_columns(pl.col("flag").cast(pl.Boolean))
    assert sorted(texts_of(frame).rows()) == rows
    assert tables(url).keys() == {"people", "theirs"}
    # Types are those of the original, where the database has them; and an empty cell is NULL.
    types = {name: type(dtype) for name, dtype in frame.schema.items() if name != "age"}
    exact = {"whole": pl.Int64, "real": pl.Float64, "flag": pl.Boolean, "gaps": pl.Int64}
    dated = (
        {"day": pl.Date, "moment": pl.Datetime}
        if url.startswith("postgres")
        else {"day": pl.String, "moment": pl.String}
    )
    assert types == exact | dated | {'odd "n; é': pl.String}
    assert frame['odd "n; é'].null_count() == N // 5


@pytest.mark.slow
def test_the_original_is_not_replaced_whatever_is_asked(url):
    plain = FRAME.select("age", "whole")
    lk.anonymize(
        plain, lk.Policy(columns={"age": lk.other(), "whole": lk.other()}, privacy=lk.KAnonymity(2))
    ).to_database(url, "people")
    policy = lk.Policy(columns={"age": lk.quasi(), "whole": lk.sensitive()}, privacy=lk.KAnonymity(2))
    before = tables(url)
    for table, names in (
        (read(url, table="people"), {"people": True, "theirs": False}),
        (read(url, query="SELECT * FROM People WHERE age > 0"), {"people": True, "theirs": False}),
        (read(plain), {"people": False}),
    ):
        made = lk.anonymize(table, policy, seed=1)
        for name, kept in names.items():
            check = functools.partial(check_database, url, [name], overwrite=True, original=table.read_rows)
            if not kept:
                check()
                continue
            for ask in (check, functools.partial(made.to_database, url, name, overwrite=True)):
                with pytest.raises(
                    lk.OutputError,
                    match=f"'{name}' is the table that the release is made from; give another name",
                ):
                    ask()
        assert tables(url) == before
    part = lk.hold_out(read(url, table="people"), policy, 0.2).release
    with pytest.raises(lk.OutputError, match="'people' is the table that the release is made from"):
        part.to_database(url, "people", overwrite=True)
    assert lk.anonymize(read(url, table="people"), policy).to_database(url, "theirs", overwrite=True) == (
        "theirs",
    )
    assert tables(url)["people"] == before["people"]


def test_rows_stand_in_the_order_of_the_release(made, url):
    made.to_database(url, "people")
    assert read(url, table="people").frame["whole"].to_list() == made.table["whole"].to_list()


@pytest.mark.slow
def test_nothing_is_replaced_unasked(made, url):
    made.to_database(url, "people")
    before = tables(url)
    for name in ("people", "theirs"):
        for ask in (
            lambda name=name: made.to_database(url, name),
            lambda name=name: check_database(url, [name], overwrite=False),
        ):
            with pytest.raises(
                lk.OutputError, match=f"has a table '{name}' already; say --overwrite to replace it"
            ):
                ask()
    assert tables(url) == before
    other = release(FRAME.head(20))
    check_database(url, ["people"], overwrite=True)
    assert tables(url) == before
    assert other.to_database(url, "people", overwrite=True) == ("people",)
    assert (len(tables(url)["people"]), tables(url)["theirs"]) == (20, before["theirs"])


@pytest.mark.slow
def test_several_tables_are_put_together_or_not_at_all(url, tmp_path):
    asked = {"form": "anatomized", "method": {"name": "anatomy", "l": 2}, "privacy": lk.DistinctLDiversity(2)}
    made = release(FRAME.select("age", "whole"), **asked)
    assert made.to_database(url, "people") == ("people_quasi", "people_sensitive")
    for table in ("quasi", "sensitive"):
        rows = sorted(texts_of(read(url, table=f"people_{table}").frame).rows())
        assert rows == in_file(made, tmp_path / table, table)[1]
    made.to_database(url, "theirs_too")
    before = tables(url)
    sensitive = "people2_sensitive"
    release(FRAME.select("age", "whole")).to_database(url, sensitive)
    with pytest.raises(lk.OutputError, match=f"has a table '{sensitive}' already"):
        made.to_database(url, "people2")
    assert tables(url).keys() == {*before, sensitive}


def test_matrices_and_distributions_are_put_too(url):
    policy = lk.Policy(
        columns={"age": lk.quasi(), "whole": lk.sensitive()},
        privacy=lk.BetaLikeness(1),
        method="perturbation",
    )
    made = lk.anonymize(FRAME.select("age", "whole"), policy, seed=1)
    names = made.to_database(url, "people")
    assert set(names) == {f"people_{table}" for table in made.columns}
    assert tables(url).keys() == {*names, "theirs"}


def test_a_release_that_was_opened_is_put_too(made, url, tmp_path):
    opened = lk.open_release(made.write(tmp_path / "out") / "public")
    opened.to_database(url, "people")
    frame = read(url, table="people").frame
    assert sorted(texts_of(frame).rows()) == in_file(made, tmp_path / "again")[1]


def test_formulas_are_escaped_where_files_escape_them(url, tmp_path):
    made = release(FRAME.select("age", 'odd "n; é'), output={"formulas": "escape"})
    made.to_database(url, "people")
    frame = read(url, table="people").frame.fill_null("")
    assert "'=1+1" in frame['odd "n; é']
    assert sorted(frame.rows()) == in_file(made, tmp_path / "out")[1]


def test_an_index_of_types(url):
    codes = np.array([0, 1, -1], np.int32)
    columns = {
        "big": EncodedColumn("big", "integer", codes, np.array([-(2**63), 2**63 - 1])),
        "tiny": EncodedColumn("tiny", "real", codes, np.array([1e-310, 0.1 + 0.2])),
        "old": EncodedColumn("old", "date", codes, np.array(["0001-01-01", "9999-12-31"], "datetime64[D]")),
        "none": Labelled(np.array([-1, -1, -1], np.int32), []),
        "pair": Labelled(codes, ["{a|b}", "[18, 40]"]),
        "as if": Labelled(codes, ["007", "1.50"]),
    }
    stored = Stored.of(columns, {"as if": pl.Int64(), "pair": pl.Boolean(), "none": pl.Date()}, "keep")
    put(url, {"any": stored}, overwrite=False)
    back = read(url, table="any").frame
    expected = stored.frame.with_columns(
        pl.col("old").cast(back.schema["old"]), pl.col("none").cast(back.schema["none"])
    )
    assert back.equals(expected)


def test_a_new_file_is_made_whole_or_not_at_all(made, tmp_path, monkeypatch):
    path = tmp_path / "new.db"
    check_database(f"sqlite:///{path}", ["people"], overwrite=False)
    assert not path.exists()
    with monkeypatch.context() as patch:
        patch.setattr(sessions.Session, "ingest", lambda *_: None)
        with pytest.raises(lk.VerificationError):
            made.to_database(f"sqlite:///{path}", "people")
    assert list(tmp_path.iterdir()) == []
    made.to_database(f"sqlite:///{path}", "people")
    assert [found.name for found in tmp_path.iterdir()] == ["new.db"]
    assert read(f"sqlite:///{path}").height == N
    with pytest.raises(lk.OutputError, match="does not exist"):
        check_database(f"sqlite:///{tmp_path}/none/new.db", ["people"], overwrite=False)


def test_rows_that_are_not_given_back_are_a_failed_proof(made, url, monkeypatch):
    before = tables(url)
    ingest = sessions.Session.ingest

    def swapped(own, name, schema, frame):
        # As many rows, each cell somebody's: only whole rows tell.
        ingest(own, name, schema, frame.with_columns(pl.col("whole").sort()))

    for wrong in (
        swapped,
        lambda own, name, schema, frame: ingest(own, name, schema, pl.concat([frame, frame.head(1)])),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(sessions.Session, "ingest", wrong)
            with pytest.raises(
                lk.VerificationError, match="people: does not hold what was published; nothing was changed in"
            ):
                made.to_database(url, "people")
            with pytest.raises(lk.VerificationError):
                made.to_database(url, "theirs", overwrite=True)
        assert tables(url) == before


TAMPER = (
    "CREATE FUNCTION tamper() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.whole = 1; RETURN NEW; END $$",
    "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(3); RETURN NULL; END $$",
)


def watched(postgresql, url, what):
    """Have every new table of a database tampered with, or be slow to fill."""
    name = url.partition("@/")[2].partition("?")[0]
    per = "EACH ROW" if what == "tamper" else "EACH STATEMENT"
    watch = f"""CREATE FUNCTION watch() RETURNS event_trigger LANGUAGE plpgsql AS $$ DECLARE made record; BEGIN
        FOR made IN SELECT * FROM pg_event_trigger_ddl_commands() LOOP
        EXECUTE format('CREATE TRIGGER watched BEFORE INSERT ON %s FOR {per} EXECUTE FUNCTION {what}()', made.object_identity);
        END LOOP; END $$"""
    postgresql.run(*TAMPER, watch, database=name)
    postgresql.run(
        "CREATE EVENT TRIGGER watching ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION watch()",
        database=name,
    )
    return name


@pytest.mark.parametrize("url", ["postgresql"], indirect=True)
def test_a_server_that_changes_rows_is_found_out(made, url, postgresql):
    watched(postgresql, url, "tamper")
    before = tables(url)
    with pytest.raises(lk.VerificationError, match="people: does not hold what was published"):
        made.to_database(url, "people")
    with pytest.raises(lk.VerificationError):
        made.to_database(url, "theirs", overwrite=True)
    assert tables(url) == before


@pytest.mark.parametrize("url", ["postgresql"], indirect=True)
def test_schemas_rights_and_what_postgresql_cannot_hold(made, url, postgresql):
    name = url.partition("@/")[2].partition("?")[0]
    assert made.to_database(url, "open.people") == ("open.people",)
    assert read(url, table="open.people").height == N
    with pytest.raises(lk.OutputError, match='schema "none" does not exist'):
        check_database(url, ["none.people"], overwrite=False)
    theirs = postgresql.url(name, user=ADA)
    with pytest.raises(lk.OutputError, match="permission denied for schema public") as caught:
        check_database(theirs, ["people"], overwrite=False)
    assert PASSWORD not in str(caught.value)
    postgresql.run("CREATE VIEW shown AS SELECT * FROM theirs", database=name)
    with pytest.raises(lk.OutputError, match="cannot drop table theirs because other objects depend on it"):
        made.to_database(url, "theirs", overwrite=True)
    before = tables(url)
    odd = release(pl.DataFrame({"age": [30, 30], 'odd "n; é': ["a\0b", "a\0b"]}))
    with pytest.raises(lk.OutputError, match="invalid byte sequence"):
        odd.to_database(url, "people")
    longer = Stored.of({"n" * 70: Labelled(np.zeros(1, np.int32), ["x"])}, {}, "keep")
    with pytest.raises(lk.OutputError, match="does not exist in target table"):
        put(url, {"people": longer}, overwrite=False)
    assert tables(url) == before


def test_what_cannot_be_written(made, tmp_path):
    path = tmp_path / "research.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE theirs (x)")
    connection.close()
    url = f"sqlite:///{path}"
    # From another process: within one, locks of files are nobody's.
    lock = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('BEGIN EXCLUSIVE'); print(1, flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", lock, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout.readline() == "1\n"
        with pytest.raises(lk.OutputError, match="database is locked"):
            made.to_database(url, "people")
        other.communicate("\n")
    (tmp_path / "text.db").write_text("hello" * 1000)
    with pytest.raises(lk.OutputError, match="file is not a database"):
        check_database(f"sqlite:///{tmp_path}/text.db", ["people"], overwrite=False)
    with pytest.raises(lk.OutputError, match="cannot be reached"):
        check_database("postgresql:///d?host=/nowhere", ["people"], overwrite=False)
    nothing = lk.Policy(columns={"age": lk.quasi(), "whole": lk.drop()}, privacy=lk.KAnonymity(2))
    assert lk.anonymize(FRAME.select("age", "whole"), nothing, seed=1).to_database(url, "people") == (
        "people",
    )


PUT = """
import sys, time
from pathlib import Path
import polars as pl
from likeness.cli import main
from likeness.tables.databases import sessions
if sys.argv[1] == "slow":
    def late(own):
        Path("late").touch()
        time.sleep(60)
    sessions.Session.commit = late
sys.argv[1:] = sys.argv[2:]
sys.exit(main())
"""


def put_by_command(folder, url, how, *words):
    """Start the command that puts a release of a file into a database."""
    FRAME.select("age", "whole").write_csv(folder / "people.csv")
    (folder / "policy.yaml").write_text(
        "columns: {age: {role: quasi}, whole: {role: sensitive}}\nprivacy: [{model: k-anonymity, k: 2}]\n"
        "method: mondrian\n"
    )
    command = [
        "anonymize",
        "people.csv",
        "policy.yaml",
        "-o",
        "out",
        "--overwrite",
        "--to",
        url,
        "--to-table",
    ]
    return subprocess.Popen(
        [sys.executable, "-c", PUT, how, *command, *words],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for(what, process=None):
    """Wait until something is so, while a process runs."""
    end = time.monotonic() + 120
    while not what():
        assert process is None or process.poll() is None, process.stderr.read()
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "table", "ended"),
    [(signal.SIGKILL, "theirs", -9), (signal.SIGINT, "theirs", 130), (signal.SIGTERM, "people", 143)],
)
def test_who_is_ended_before_the_commit_leaves_the_database_as_it_was(
    made, url, tmp_path, number, table, ended
):
    folder = tmp_path / "work"
    folder.mkdir()
    before = tables(url)
    process = put_by_command(folder, url, "slow", table)
    wait_for((folder / "late").exists, process)
    process.send_signal(number)
    said = process.communicate(timeout=60)[1]
    assert process.returncode == ended
    if number != signal.SIGKILL:
        assert said.splitlines()[-1].endswith("nothing half-written was left")
    assert tables(url) == before
    # And nothing stands in the way of the next one.
    made.to_database(url, "people")
    assert tables(url).keys() == {"people", "theirs"}


@pytest.mark.slow
@pytest.mark.parametrize(("number", "ended"), [(signal.SIGKILL, -9), (signal.SIGINT, 130)])
@pytest.mark.parametrize("url", ["postgresql"], indirect=True)
def test_who_is_ended_while_rows_are_written_leaves_the_database_as_it_was(
    url, postgresql, tmp_path, number, ended
):
    name = watched(postgresql, url, "slow")
    before = tables(url)
    process = put_by_command(tmp_path, url, "at once", "people")
    mine = f"datname = '{name}' AND query LIKE 'COPY%'"
    busy = f"SELECT count(*)::int FROM pg_stat_activity WHERE {mine} AND wait_event = 'PgSleep'"
    wait_for(lambda: postgresql.rows(busy) == [(1,)], process)
    process.send_signal(number)
    process.communicate(timeout=60)
    assert process.returncode == ended
    assert tables(url) == before
    wait_for(lambda: postgresql.rows(busy) == [(0,)])
    assert tables(url) == before


@pytest.mark.slow
def test_who_is_killed_while_a_file_is_made_leaves_nothing_that_matters(made, tmp_path):
    url = f"sqlite:///{tmp_path}/new.db"
    process = put_by_command(tmp_path, url, "slow", "people")
    wait_for((tmp_path / "late").exists, process)
    process.kill()
    process.communicate(timeout=60)
    assert not (tmp_path / "new.db").exists()
    with pytest.warns(UserWarning, match=r"\.partial: was deleted: a process that was killed had written it"):
        made.to_database(url, "people")
    assert read(url).height == N
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".new.db")] == []


WRITE_LATE = """
import sys, time
from pathlib import Path
import numpy as np
from likeness.tables.columns import Labelled
from likeness.tables.databases import Stored, put, sessions
def late(own):
    Path("late").touch()
    time.sleep(60)
sessions.Session.commit = late
codes = np.arange(300_000, dtype=np.int32) % 1000
stored = Stored.of({"x": Labelled(codes, [f"value {i}" for i in range(1000)])}, {}, "keep")
put(sys.argv[1], {"theirs": stored}, overwrite=True)
"""


@pytest.mark.slow
def test_a_file_that_a_killed_process_had_written_to_is_as_it_was(tmp_path):
    path = tmp_path / "research.db"
    with sqlite3.connect(path) as connection:
        connection.execute(
            "CREATE TABLE theirs AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 9999) SELECT x FROM n"
        )
    connection.close()
    url = f"sqlite:///{path}"
    before, size = read(url).digest, path.stat().st_size
    process = subprocess.Popen([sys.executable, "-c", WRITE_LATE, url], cwd=tmp_path)
    wait_for((tmp_path / "late").exists)
    process.kill()
    process.wait()
    # More was written than is kept in memory: it is in the file.
    assert path.stat().st_size > size
    assert read(url).digest == before
    assert path.stat().st_size == size
