import sqlite3
import subprocess
import sys

import polars as pl
import pytest

from likeness.errors import LikenessError
from likeness.tables import read
from likeness.tables.databases.addresses import address_of
from likeness.tables.databases.sessions import session

ROWS = [
    (30 + i % 9, i + 0.5, f"w{i % 3}", i % 2, "2024-01-31", i if i < 1500 else i + 0.5) for i in range(2000)
]


@pytest.fixture
def clinic(tmp_path, monkeypatch):
    """A database of two tables and a view, in the working folder."""
    monkeypatch.chdir(tmp_path)
    with sqlite3.connect("clinic.db") as connection:
        connection.execute(
            "CREATE TABLE patients (age INTEGER, real REAL, word TEXT, flag BOOLEAN, day DATE, late NUMERIC)"
        )
        connection.executemany("INSERT INTO patients VALUES (?, ?, ?, ?, ?, ?)", ROWS)
        connection.execute('CREATE TABLE "odd ""name" (x, empty)')
        connection.execute("""INSERT INTO "odd ""name" VALUES (NULL, NULL), ('007', NULL), (7, NULL)""")
        connection.execute("CREATE VIEW old AS SELECT age FROM patients WHERE age > 36")
    connection.close()
    return "sqlite:///clinic.db"


def refused(*given, **options):
    with pytest.raises(LikenessError) as caught:
        read(*given, **options)
    assert len(caught.value.lines) == 1
    return str(caught.value)


def test_a_table(clinic):
    table = read(clinic, table="patients")
    assert (table.source, table.format, table.height) == ("patients of sqlite:///clinic.db", "database", 2000)
    assert table.frame.rows() == ROWS
    # Its type is found from all values, not from the first that are fetched at once.
    assert table.frame.schema["late"] == pl.Float64
    assert [table.encode(name).kind for name in table.names] == [
        "integer",
        "real",
        "text",
        "integer",
        "date",
        "real",
    ]


def test_views_queries_and_odd_names(clinic, tmp_path):
    assert set(read(f"sqlite:///{tmp_path}/clinic.db", table="old").frame["age"]) == {37, 38}
    assert read(clinic, table='odd "name').frame.rows() == [(None, None), ("007", None), ("7", None)]
    found = read(
        clinic, query="SELECT age, count(*) AS n FROM patients GROUP BY age ORDER BY age DESC -- all;\n;"
    )
    assert (found.source, found.frame["age"].to_list()) == (
        "query of sqlite:///clinic.db",
        list(range(38, 29, -1)),
    )


def test_a_table_need_not_be_named_where_there_is_one(tmp_path):
    with sqlite3.connect(tmp_path / "one.db") as connection:
        connection.execute("CREATE TABLE only AS SELECT '1,5' AS x")
    connection.close()
    url = f"sqlite:///{tmp_path}/one.db"
    assert read(url, decimal=",").encode("x").values.tolist() == [1.5]
    with sqlite3.connect(tmp_path / "one.db") as connection:
        connection.execute("DROP TABLE only")
    connection.close()
    assert refused(url) == f"{url}: has no table"


@pytest.mark.parametrize(
    ("options", "refusal"),
    [
        ({}, 'has 3 tables: odd "name, old, patients; say which one (--table), or give a query (--query)'),
        ({"table": "patient"}, "has no table 'patient'; there are: odd \"name, old, patients"),
        ({"query": "SELECT nix FROM patients"}, "INVALID_ARGUMENT: [SQLite] Failed to prepare query: no such column: nix"),
        ({"query": "SELECT 1 AS a, 2 AS a"}, "column with name 'a' has more than one occurrence"),
    ],
)  # fmt: skip
def test_what_is_not_there(clinic, options, refusal):
    assert refused(clinic, **options) == f"sqlite:///clinic.db: {refusal}"


def test_what_is_no_single_value_or_not_exact(clinic):
    assert "column 'x' holds Binary, not single values" in refused(clinic, query="SELECT x'00' AS x")
    wide = "SELECT 9007199254740993 AS n UNION ALL SELECT 1.5"
    assert "whole numbers beyond 9,007,199,254,740,992 and numbers with decimals" in refused(
        clinic, query=wide
    )
    assert read(clinic, query="SELECT 1e300 AS n UNION ALL SELECT 2").encode("n").values.tolist() == [
        2.0,
        1e300,
    ]
    assert read(clinic, query="SELECT 9007199254740993 AS n").encode("n").values.tolist() == [
        9007199254740993
    ]
    assert "has columns and no records" in refused(clinic, query="SELECT * FROM patients WHERE false")


@pytest.mark.parametrize(
    "query",
    ["DROP TABLE patients", "DELETE FROM patients RETURNING age", "SELECT 1 AS a; DROP TABLE patients"],
)
def test_nothing_is_written(clinic, tmp_path, query):
    before = (tmp_path / "clinic.db").read_bytes()
    assert "syntax error" in refused(clinic, query=query)
    assert (tmp_path / "clinic.db").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["clinic.db"]


def test_the_transaction_itself_may_only_read(clinic):
    with (
        session(address_of(clinic)) as own,
        pytest.raises(LikenessError, match="attempt to write a readonly database"),
    ):
        own.run("DELETE FROM patients")
    assert read(clinic, table="patients").height == 2000


def test_what_is_no_database(tmp_path):
    assert refused(f"sqlite:///{tmp_path}/none.db") == f"sqlite:///{tmp_path}/none.db: there is no such file"
    assert not (tmp_path / "none.db").exists()
    (tmp_path / "bad.db").write_text("hello" * 1000)
    assert "file is not a database" in refused(f"sqlite:///{tmp_path}/bad.db")


@pytest.mark.parametrize("name", ["a.db", "a b.sqlite", "/data/a.sqlite3"])
def test_files_of_databases_are_given_by_url(name):
    url = f"sqlite:///{name.replace(' ', '%20')}"
    assert refused(name) == f"{name}: is a database, as it is called; give it by its URL, {url}"
    assert refused(url).endswith("there is no such file")


def test_options_of_files_and_of_databases(clinic, tmp_path):
    assert refused(clinic, table="old", delimiter=";", sheet="x").startswith(
        "delimiter and sheet can be given for files only"
    )
    assert refused(clinic, table="old", query="SELECT 1") == "a table and a query are given; give one of them"
    assert (
        refused(pl.DataFrame({"a": [1]}), table="x") == "table can be given for databases only; leave it out"
    )
    (tmp_path / "a.csv").write_text("a\n1\n")
    assert refused("a.csv", query="SELECT 1") == "query can be given for databases only; leave it out"


def test_pyarrow_is_not_needed_and_the_extra_is_named(clinic):
    program = """
import sys
class Without:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in sys.argv[1].split(","):
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Without())
import numpy as np
from likeness.tables import read
from likeness.tables.columns import Labelled
from likeness.tables.databases import Stored, put
print(read("sqlite:///clinic.db", table="patients").height)
codes = np.array([0, 1, -1], np.int32)
put("sqlite:///clinic.db", {"new": Stored.of({"x": Labelled(codes, ["a", "b"])}, {}, "keep")}, overwrite=False)
print(read("sqlite:///clinic.db", table="new").frame["x"].to_list())
"""
    run = [sys.executable, "-c", program]
    done = subprocess.run([*run, "pyarrow,pandas"], capture_output=True, text=True, check=True)
    assert done.stdout == "2000\n['a', 'b', None]\n"
    done = subprocess.run([*run, "adbc_driver_sqlite"], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1].endswith(
        "sqlite:///clinic.db: is a database, and adbc-driver-sqlite, which reads that, is not installed; "
        "pip install 'likeness[database]'"
    )
