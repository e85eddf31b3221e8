import time
from datetime import date, datetime

import pytest
from tests.postgresql import ADA, PASSWORD

from likeness.errors import LikenessError
from likeness.tables import read
from likeness.tables.databases.addresses import address_of
from likeness.tables.databases.sessions import session

KINDS = """
    SELECT i::int2 AS small, i::int4 AS whole, i::int8 AS big, i::float4 AS narrow, (i + 0.5)::float8 AS wide,
    (i + 0.5)::numeric(10, 2) AS exact, 12345678901234567.89::numeric AS long, 'x'::text AS word, 'y'::varchar(5) AS short,
    'z'::char(5) AS padded, i % 2 = 0 AS flag, date '2024-01-01' + i AS day,
    timestamp '2024-01-01 03:00' + i * interval '1 h' AS moment,
    date '2024-01-01' + i * interval '1 day' AS midnight, timestamptz '2024-01-01 03:00+02' AS zoned, time '10:00' AS hour,
    NULL::text AS nothing, CASE WHEN i > 1 THEN i END AS gaps,
    '00000000-0000-0000-0000-000000000001'::uuid AS id, '10.0.0.1'::inet AS host, 12.5::money::numeric AS price,
    4294967295::oid AS number, 'q'::name AS label, interval '1 day' AS span
    FROM generate_series(1, 3) AS s(i)"""


@pytest.fixture(scope="module")
def database(postgresql):
    name = postgresql.fresh()
    postgresql.run(
        "CREATE SCHEMA clinic",
        "CREATE TYPE mood AS ENUM ('sad', 'merry')",
        "CREATE DOMAIN years AS integer CHECK (VALUE > 0)",
        f"CREATE TABLE clinic.kinds AS {KINDS}",
        "CREATE TABLE clinic.lists AS SELECT 1 AS a, '{1,2}'::int[] AS listed, '{}'::jsonb AS nested, ''::bytea AS bytes",
        '''CREATE TABLE patients AS SELECT 30 + i AS "Age ""x""", \'merry\'::mood AS mood, (30 + i)::years AS years '''
        "FROM generate_series(1, 9) AS s(i)",
        f"GRANT SELECT ON patients TO {ADA}",
        "CREATE SEQUENCE counted",
        database=name,
    )
    return name


@pytest.fixture(scope="module")
def url(postgresql, database):
    return postgresql.url(database)


def refused(*given, **options):
    with pytest.raises(LikenessError) as caught:
        read(*given, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_every_type(url):
    table = read(url, table="clinic.kinds")
    assert table.source == f"kinds of {url}"
    kinds = {name: table.encode(name).kind for name in table.names if name != "nothing"}
    assert kinds == {
        **dict.fromkeys(("small", "whole", "big", "gaps", "number"), "integer"),
        **dict.fromkeys(("narrow", "wide", "exact", "long", "price"), "real"),
        **dict.fromkeys(
            ("word", "short", "padded", "moment", "zoned", "hour", "id", "host", "label", "span"), "text"
        ),
        **dict.fromkeys(("day", "midnight"), "date"),
        "flag": "boolean",
    }
    first = table.frame.row(0, named=True)
    assert [first[name] for name in ("small", "wide", "exact", "padded", "flag", "nothing", "gaps")] == [
        1,
        1.5,
        "1.50",
        "z",
        False,
        None,
        None,
    ]
    # What no float holds is whole, and what the driver takes for another number, or for bytes, is what people read.
    assert (first["long"], first["number"], first["id"][-2:], first["host"]) == (
        "12345678901234567.89",
        "4294967295",
        "01",
        "10.0.0.1/32",
    )
    assert (first["day"], first["moment"]) == (date(2024, 1, 2), datetime(2024, 1, 1, 4))  # noqa: DTZ001
    assert table.encode("zoned").values.tolist() == ["2024-01-01T01:00:00"]


def test_tables_are_found_by_name_or_behind_their_schema(url):
    assert read(url, table="patients").frame.rows() == read(url, table="public.patients").frame.rows()
    table = read(url, table="patients")
    assert table.names == ('Age "x"', "mood", "years")
    assert table.encode("years").values.tolist() == list(range(31, 40))
    assert table.encode("mood").values.tolist() == ["merry"]
    there = "clinic.kinds, clinic.lists, patients"
    assert refused(url, table="kinds") == f"{url}: has no table 'kinds'; there are: {there}"
    assert refused(url) == f"{url}: has 3 tables: {there}; say which one (--table), or give a query (--query)"


def test_queries(url):
    found = read(
        url, query='SELECT "Age ""x""" AS age, count(*) OVER () AS n FROM patients ORDER BY 1 DESC -- all\n;'
    )
    assert (found.source, found.frame["age"].to_list()) == (f"query of {url}", list(range(39, 30, -1)))
    assert found.encode("n").kind == "integer"
    assert read(url, query="SELECT 12.5::money AS m").frame["m"].to_list() == ["$12.50"]


@pytest.mark.slow
def test_a_query_is_run_once(url):
    begin = time.monotonic()
    assert read(url, query="SELECT 1 AS a, pg_sleep(2)::text AS b").height == 1
    assert time.monotonic() - begin < 4


def test_functions_that_write_are_refused(url):
    refusal = refused(url, query="SELECT nextval('counted') AS n")
    assert "cannot execute nextval() in a read-only transaction" in refusal


@pytest.mark.parametrize(
    ("options", "refusal"),
    [
        (
            {"query": "SELECT 1 AS a, 2 AS a"},
            "query: has several columns of the name 'a'; give each its own: SELECT … AS …",
        ),
        ({"query": "SELECT nix FROM patients"}, 'column "nix" does not exist'),
        ({"query": "SELECT 1 / 0 AS a"}, "division by zero"),
        ({"query": "SELECT 1 AS a; SELECT 2 AS a"}, 'syntax error at or near ";"'),
        ({"query": "DROP TABLE patients"}, "syntax error"),
        (
            {"query": "WITH gone AS (DELETE FROM patients RETURNING 1 AS a) SELECT * FROM gone"},
            "data-modifying",
        ),
        (
            {"query": "SELECT 'infinity'::date AS a"},
            "column 'a' holds infinity, or a day outside of the years 1 to 9999",
        ),
        ({"query": "SELECT '-infinity'::timestamp AS a"}, "column 'a' holds infinity"),
        ({"query": "SELECT 1 AS a WHERE false"}, "has columns and no records"),
    ],
)
def test_refusals_are_one_line_and_nothing_is_written(url, options, refusal):
    assert refusal in refused(url, **options)
    assert read(url, table="patients").height == 9


def test_the_transaction_itself_may_only_read(url):
    for statement in ("DELETE FROM patients", "SET TRANSACTION READ WRITE"):
        with (
            session(address_of(url)) as own,
            pytest.raises(LikenessError, match=r"read-only transaction|read-write mode"),
        ):
            own.ask("SELECT 1 AS a")
            own.run(statement)
    assert read(url, table="patients").height == 9


def test_lists_and_objects_are_refused_by_name(url):
    with pytest.raises(LikenessError) as caught:
        read(url, table="clinic.lists")
    assert caught.value.lines == tuple(
        f"{url}: column {name!r} holds {kind}, not single values; convert it or leave it out"
        for name, kind in (("listed", "integer[]"), ("nested", "jsonb"), ("bytes", "bytea"))
    )


def test_servers_that_are_not_there(url, postgresql):
    assert 'database "nix" does not exist' in refused(postgresql.url("nix"), table="a")
    assert "cannot be reached" in refused("postgresql://ada:geheim@/d?host=/nowhere", table="a")


def test_passwords_are_not_said(postgresql, database):
    good = postgresql.url(database, user=ADA)
    wrong = good.replace("se%2Fcr%40t", "wrong%40word")
    assert read(good, table="patients").height == 9
    said = [
        repr(read(good, table="patients")),
        refused(good, table="nix"),
        refused(good, table="clinic.kinds"),
        refused(good, query="SELECT * FROM clinic.kinds"),
        refused(good, query=f'SELECT 1 AS "{PASSWORD}" FROM nix'),
        refused(good, query=f"SELECT '{PASSWORD}'::integer AS a"),
        refused(wrong, table="patients"),
    ]
    for text in said:
        for secret in (PASSWORD, "se%2Fcr%40t", "wrong%40word", "wrong@word"):
            assert secret not in text
    assert f'password authentication failed for user "{ADA}"' in said[-1]
    assert "what the driver says holds the password, so it is not shown" in said[-2]
    assert "permission denied" in said[3]
