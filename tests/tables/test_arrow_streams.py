"""Whatever gives an Arrow stream is a table, whoever gives it."""

import subprocess
import sys

import duckdb
import polars as pl
import pyarrow as pa
import pytest

import likeness as lk
from likeness.errors import TableError
from likeness.tables import build, read

ROWS = {"age": [30 + i % 6 for i in range(24)], "disease": ["flu", "cold", "gout"] * 8}
POLICY = lk.Policy(columns={"age": lk.quasi(), "disease": lk.sensitive()}, privacy=lk.KAnonymity(2))


class Stranger:
    """A frame of a library that nobody here knows."""

    def __init__(self, held):
        self.held = held

    def __arrow_c_stream__(self, requested_schema=None):
        return self.held.__arrow_c_stream__(requested_schema)


def relation(connection, query="SELECT * FROM patients"):
    frame = pl.DataFrame(ROWS)
    connection.register("given", frame)
    connection.execute("CREATE TABLE patients AS SELECT age::INTEGER AS age, disease FROM given")
    return connection.sql(query)


@pytest.fixture
def connection():
    with duckdb.connect() as made:
        yield made


GIVERS = {
    "a stranger": lambda: Stranger(pl.DataFrame(ROWS)),
    "a reader": lambda: pa.table(ROWS).to_reader(),
    "a record batch": lambda: pa.record_batch(ROWS),
    "a relation": lambda: relation(duckdb.connect()),
}


@pytest.mark.parametrize("giver", GIVERS)
def test_every_giver_is_a_table_for_every_command(giver, tmp_path):
    give = GIVERS[giver]
    plain = pl.DataFrame(ROWS)
    expected = lk.anonymize(plain, POLICY, seed=3)
    release = lk.anonymize(give(), POLICY, seed=3)
    assert read(give()).digest == read(plain).digest
    folder = release.write(tmp_path / "out")
    expected.write(tmp_path / "expected")
    published = [(tmp_path / name / "public" / "release.csv").read_bytes() for name in ("out", "expected")]
    assert published[0] == published[1]
    assert lk.verify(folder, give()).ok
    assert lk.check(give(), POLICY).records == 24
    assert lk.profile(give()).policy().columns.keys() == ROWS.keys()
    assert lk.open_release(folder, original=give()).counts == expected.counts


@pytest.mark.parametrize(
    ("giver", "kind"),
    [("a stranger", pl.DataFrame), ("a reader", pa.Table), ("a record batch", pa.Table)],
)
def test_what_is_no_table_itself_comes_back_as_one(giver, kind):
    assert isinstance(lk.anonymize(GIVERS[giver](), POLICY, seed=3).table, kind)


def test_a_relation_comes_back_as_one_of_its_connection(connection):
    given = relation(connection, "SELECT age, disease FROM patients WHERE age > 30")
    table = lk.anonymize(given, POLICY, seed=3).table
    assert isinstance(table, duckdb.DuckDBPyRelation)
    assert table.columns == ["age", "disease"]
    joined = table.set_alias("t").join(connection.table("patients").set_alias("p"), "t.disease = p.disease")
    assert joined.aggregate("count(DISTINCT p.disease)").fetchall() == [(3,)]


def test_types_of_duckdb_are_kept_where_its_arrow_has_them_otherwise(connection):
    connection.execute("CREATE TYPE mood AS ENUM ('never', 'sad', 'o''k', 'merry')")
    given = connection.sql(
        """SELECT (30 + i % 4)::SMALLINT AS age, (CASE i % 3 WHEN 0 THEN 'sad' WHEN 1 THEN 'o''k' ELSE 'merry' END)::mood AS mood,
        sum(i % 3) OVER (PARTITION BY i % 3) AS "a ""sum", (i % 4)::DECIMAL(10, 2) AS price, i % 2 = 0 AS ill,
        DATE '2024-01-01' + (i % 4)::INTEGER AS day, TIMESTAMP '2024-01-01 03:00' + INTERVAL 1 DAY * (i % 2) AS moment,
        TIME '10:00' AS hour, (i % 2)::UTINYINT AS narrow, CASE WHEN i % 5 > 0 THEN i % 5 END AS gaps FROM range(24) r(i)"""
    )
    columns = dict.fromkeys(given.columns, lk.sensitive()) | {"age": lk.quasi()}
    policy = lk.Policy(columns=columns, privacy=[lk.KAnonymity(2)], missing={"policy": "category"})
    table = lk.anonymize(given, policy, seed=1).table
    assert table.columns == given.columns
    changed = {
        name: str(new)
        for name, old, new in zip(given.columns, given.types, table.types, strict=True)
        if old != new
    }
    assert changed == {"age": "VARCHAR", "mood": """ENUM('sad', 'o''k', 'merry')"""}
    ordered = table.aggregate("count(*) FILTER (WHERE mood > 'sad'), sum(gaps)").fetchall()
    assert ordered == given.aggregate("count(*) FILTER (WHERE mood > 'sad'), sum(gaps)").fetchall()


@pytest.mark.parametrize("how", ["closed", "without variables"])
def test_where_there_is_no_way_back_it_is_a_polars_frame(connection, how):
    table = read(relation(connection))
    connection.execute("SET python_enable_replacements = false")
    if how == "closed":
        connection.close()
    built = build(table, {"age": table.encode("age")})
    assert isinstance(built, pl.DataFrame)
    assert built["age"].to_list() == ROWS["age"]


def test_whole_numbers_of_decimal_types_are_integers(connection):
    column = read(connection.sql("SELECT sum(i) AS x FROM range(5) r(i) GROUP BY i % 2")).encode("x")
    assert (column.kind, column.values.tolist()) == ("integer", [4, 6])


@pytest.mark.parametrize(
    ("giver", "refusal"),
    [
        (lambda: pl.Series([1, 2]), "Series: is one column, and no table; give a frame of it"),
        (lambda: pa.chunked_array([[1]]), "ChunkedArray: is one column, and no table; give a frame of it"),
        (lambda: Stranger(pa.chunked_array([[1]])), "Stranger: is one column, and no table; give a frame of it"),
        (
            lambda: duckdb.sql("SELECT 1 AS a, 2 AS a"),
            "DuckDBPyRelation: the name 'a' stands for columns 1 and 2; give each its own",
        ),
        (
            lambda: pa.table([pa.array([1]), pa.array([2])], names=["a", "a"]).to_reader(),
            "RecordBatchReader: the name 'a' stands for columns 1 and 2; give each its own",
        ),
        (
            lambda: duckdb.sql("SELECT CAST('x' || i AS INTEGER) AS a FROM range(2) r(i)"),
            "DuckDBPyRelation: gives no rows (Conversion Error: Could not convert string 'x0' to INT32",
        ),
        (lambda: Stranger(pl.DataFrame({"a": []})), "Stranger: has columns and no records"),
        (
            lambda: duckdb.sql("SELECT 1 AS a, INTERVAL 1 DAY AS span"),
            "DuckDBPyRelation: column 'span' holds intervals, not single values; convert it or leave it out",
        ),
        (
            lambda: Stranger(pa.table([pa.array([1]), pa.array([2])], names=["", "b"])),
            "Stranger: column 1 has no name; name every column",
        ),
        (lambda: duckdb.sql("SELECT [1] AS a"), "DuckDBPyRelation: column 'a' holds List(Int32), not single values"),
    ],
)  # fmt: skip
def test_refusals_are_one_line(giver, refusal, capfd):
    with pytest.raises(TableError) as caught:
        read(giver())
    assert [line[: len(refusal)] for line in caught.value.lines] == [refusal]
    assert "\n" not in str(caught.value)
    # Nor does a library say anything else beside it.
    assert capfd.readouterr().err == ""


def test_no_library_of_a_giver_is_imported():
    program = (
        "import sys, polars as pl; from likeness.tables import build, read\n"
        "class Stranger:\n    def __arrow_c_stream__(self, requested_schema=None):\n"
        "        return pl.DataFrame({'a': ['x']}).__arrow_c_stream__()\n"
        "t = read(Stranger()); build(t, {'a': t.encode('a')}); "
        "sys.exit(bool({'pandas', 'pyarrow', 'duckdb', 'nanoarrow'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
