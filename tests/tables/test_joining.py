"""A table of people and one of their records, as one."""

from __future__ import annotations

from datetime import date, datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from likeness.errors import TableError
from likeness.tables import JoinedTable, join, read
from likeness.tables.frames import library

PEOPLE = {"id": ["a", "b", "c", "d"], "age": [40, 31, 22, 57], "sex": ["f", "m", "f", None]}
VISITS = {"id": ["c", "a", "x", "a", None, "c"], "disease": ["flu", "cold", "flu", None, "hiv", "flu"]}
MADE = [
    ("c", 22, "f", "flu"), ("a", 40, "f", "cold"), ("x", None, None, "flu"), ("a", 40, "f", None),
    (None, None, None, "hiv"), ("c", 22, "f", "flu"), ("b", 31, "m", None), ("d", 57, None, None),
]  # fmt: skip


def joined(first, second, **options) -> JoinedTable:
    """Two frames joined on ``id``."""
    return join(read(first), read(second), options.pop("on", "id"), **options)


def rows_of(table: JoinedTable) -> list[tuple[object, ...]]:
    """Cells row by row, missing ones None, whatever the library."""
    columns = []
    for name in table.names:
        found = table.encode(name, missing=())
        values = [*found.values.tolist(), None]
        columns.append([values[code] for code in found.codes])
    return list(zip(*columns, strict=True))


def problem(first, second, **options) -> tuple[str, ...]:
    """Why they cannot be joined, one line each."""
    with pytest.raises(TableError) as refused:
        joined(first, second, **options)
    assert all("\n" not in line for line in refused.value.problems)
    return refused.value.problems


def test_records_come_first_then_people_without_any():
    table = joined(pl.DataFrame(PEOPLE), pl.DataFrame(VISITS))
    assert table.names == ("id", "age", "sex", "disease")
    assert table.frame.rows() == MADE
    assert table.without_records.tolist() == [False] * 6 + [True] * 2
    assert table.of_nobody.tolist() == [False, False, True, False, False, False, False, False]
    assert table.first_row.tolist() == [2, 0, -1, 0, -1, 2, 1, 3]
    assert table.second_row.tolist() == [0, 1, 2, 3, 4, 5, -1, -1]
    assert (table.height, table.library, table.format, table.on) == (8, "polars", "frame", "id")


@pytest.mark.parametrize("first", [pl.DataFrame, pd.DataFrame, pa.table])
@pytest.mark.parametrize("second", [pl.DataFrame, pd.DataFrame, pa.table])
def test_frames_of_any_library_go_together(first, second):
    table = joined(first(PEOPLE), second(VISITS))
    assert rows_of(table) == MADE
    assert table.kind("age") == "integer"
    assert table.library == read(first(PEOPLE)).library
    assert library(table.library).height(table.frame) == 8
    taken = table.take(np.array([6, 0]), ["age", "disease"])
    assert library(table.library).height(taken) == 2


def test_cells_of_any_type_survive_another_library():
    visits = pl.DataFrame(
        {
            "id": ["a", "a", "b"],
            "cost": [1.5, None, 3.25],
            "times": pl.Series([200, 1, None], dtype=pl.UInt8),
            "again": [True, None, False],
            "on": [date(2024, 2, 29), None, date(1969, 7, 20)],
            "at": [datetime(2024, 1, 1), datetime(2024, 1, 2), None],  # noqa: DTZ001
            "instant": [datetime(2024, 1, 1, 12, 30, 0, 250_000), None, datetime(2024, 1, 2)],  # noqa: DTZ001
            "kind": pl.Series(["x", "y", None], dtype=pl.Categorical),
            "nothing": pl.Series([None, None, None], dtype=pl.Null),
            "large": pl.Series([2**64 - 1, 5, None], dtype=pl.UInt64),
        }
    )
    plain = joined(pl.DataFrame(PEOPLE), visits)
    assert plain.frame.schema["times"] == pl.UInt8
    for kind in (pd.DataFrame, pa.table):
        table = joined(kind(PEOPLE), visits)
        assert rows_of(table) == rows_of(plain)
        assert [table.kind(name) for name in table.names] == [plain.kind(name) for name in plain.names]
    assert plain.kind("instant") == "text"


def test_a_pandas_index_and_its_labels_change_nothing():
    people = pd.DataFrame({0: [1, 2], "id": ["a", "b"]}, index=[9, 9])
    table = joined(people, pl.DataFrame(VISITS).head(2))
    assert table.frame.columns.tolist() == [0, "id", "disease"]
    assert table.frame.index.tolist() == [0, 1, 2]


def test_files_of_different_kinds_go_together(tmp_path):
    (tmp_path / "people.csv").write_text("id;age;weight\n007;40;1,5\n7;31;2,5\n 7;22;0,5\n")
    pl.DataFrame({"id": ["7", "7", "007"], "cost": [1.5, 2.5, None]}).write_parquet(tmp_path / "v.parquet")
    people, visits = read(tmp_path / "people.csv"), read(tmp_path / "v.parquet")
    table = join(people, visits, "id")
    assert table.frame["id"].to_list() == ["7", "7", "007", " 7"]
    assert table.encode("weight").values.tolist() == [0.5, 1.5, 2.5]
    assert table.kind("cost") == "real"
    assert table.format == "csv"
    assert table.source == f"{tmp_path}/people.csv with {tmp_path}/v.parquet"
    stays = pl.DataFrame({"id": ["7"], "house": ["north"]})
    stays.write_parquet(tmp_path / "p.parquet")
    assert join(read(tmp_path / "p.parquet"), people, "id").format == "parquet"


def test_whole_numbers_and_their_texts_are_the_same_person(tmp_path):
    (tmp_path / "v.csv").write_text("id,disease\n3,flu\n03,cold\n")
    table = joined(pl.DataFrame({"id": [3, 4]}), tmp_path / "v.csv")
    assert table.frame.rows() == [("3", "flu"), ("03", "cold"), ("4", None)]
    assert table.of_nobody.tolist() == [False, True, False]


def test_places_are_those_of_the_file_a_cell_stands_in(tmp_path):
    (tmp_path / "people.csv").write_text('id,"age\nin years"\na,40\n"b\nb",31\nc,22\n')
    (tmp_path / "visits.csv").write_text("id,disease\nc,flu\nz,flu\n")
    table = joined(tmp_path / "people.csv", tmp_path / "visits.csv")
    people, visits = tmp_path / "people.csv", tmp_path / "visits.csv"
    assert [table.where(row) for row in range(4)] == [
        f"line 2 of {visits}", f"line 3 of {visits}", f"line 3 of {people}", f"line 4 of {people}",
    ]  # fmt: skip
    assert table.where(0, "age\nin years") == f"line 6 of {people}"
    assert table.where(1, "age\nin years") == f"line 3 of {visits}"
    assert table.where(2, "disease") == f"line 3 of {people}"
    assert table.where(0, "id") == table.where(0, "disease") == f"line 2 of {visits}"


def test_a_cell_of_the_wrong_kind_is_found_in_its_file(tmp_path):
    (tmp_path / "people.csv").write_text("id,age\na,40\nb,old\n")
    (tmp_path / "visits.csv").write_text("id,cost\na,1\nb,2\nb,much\n")
    table = joined(tmp_path / "people.csv", tmp_path / "visits.csv")
    with pytest.raises(TableError, match=r"'old' at line 3 of .*people\.csv is not a whole number"):
        table.encode("age", kind="integer")
    with pytest.raises(TableError, match=r"'much' at line 4 of .*visits\.csv is not a whole number"):
        table.encode("cost", kind="integer")


def test_markers_name_nobody():
    table = joined(
        pl.DataFrame({"id": ["a", "?", "?"], "age": [1, 2, 3]}),
        pl.DataFrame({"id": ["?", "a", ""], "s": [1, 2, 3]}),
        missing=("?", ""),
    )
    assert table.frame.rows() == [
        (None, None, 1),
        ("a", 1, 2),
        (None, None, 3),
        (None, 2, None),
        (None, 3, None),
    ]
    assert not table.of_nobody.any()


def test_a_name_in_both_tables_is_refused_unless_nobody_needs_it():
    people = pl.DataFrame({"id": ["a"], "year": [1], "house": [2], "age": [3]})
    visits = pl.DataFrame({"id": ["a"], "year": [9], "house": [8], "s": [7]})
    assert problem(people, visits, unused={"house"}) == (
        "polars frame: column 'year' stands in polars frame, too; rename it in one of them, or give it role: drop",
    )
    assert joined(people, visits, unused={"house", "year"}).frame.rows() == [("a", 1, 2, 3, 7)]


def test_a_person_who_stands_twice_is_named_by_rows():
    people = pl.DataFrame({"id": ["a", "b", "c", "b", "a", "b"]})
    assert problem(people, pl.DataFrame(VISITS)) == (
        (
            "polars frame: column 'id' names 2 people more than once, the first in row 1 and row 5; give each person one "
            "row, their records belong in records.table"
        ),
    )


def test_one_person_who_stands_twice():
    (line,) = problem(pl.DataFrame({"id": ["a", "b", "b"]}), pl.DataFrame(VISITS))
    assert "column 'id' names 1 person more than once, the first in row 2 and row 3" in line


def test_tables_that_have_nobody_in_common_are_refused():
    (line,) = problem(pl.DataFrame({"id": [7, 8]}), pl.DataFrame({"id": ["007", "008 "], "s": [1, 2]}))
    assert line == (
        "no row of polars frame is of a person of polars frame: they have no text of column 'id' in common (it holds "
        "integer values in one, text in the other); write people the same way in both: leading zeros, spaces and decimal "
        "places count"
    )
    (line,) = problem(pl.DataFrame({"id": ["a"]}), pl.DataFrame({"id": ["b"], "s": [1]}))
    assert "in common; write" in line
    (line,) = problem(pl.DataFrame({"id": ["a"]}), pl.DataFrame({"id": [None, ""], "s": [1, 2]}))
    assert "in common" in line


def test_both_tables_need_the_column():
    assert problem(pl.DataFrame({"ID": ["a"]}), pl.DataFrame(VISITS)) == (
        "polars frame: no column 'id'; did you mean 'ID'?",
    )
    assert problem(pl.DataFrame(PEOPLE), pl.DataFrame({"idd": ["a"]})) == (
        "polars frame: no column 'id'; did you mean 'idd'?",
    )
    assert problem(pl.DataFrame(PEOPLE), pl.DataFrame({"whose": ["a"]})) == (
        (
            "polars frame: no column 'id'; known: whose; where the column that names a person is called otherwise in the second "
            "table, say so: records: {key: …}"
        ),
    )


def test_the_second_table_may_call_it_otherwise():
    visits = pl.DataFrame(VISITS).rename({"id": "whose"})
    table = joined(pl.DataFrame(PEOPLE), visits, key="whose")
    same = joined(pl.DataFrame(PEOPLE), pl.DataFrame(VISITS))
    assert table.frame.equals(same.frame)
    assert table.names == same.names
    assert table.where(0) == same.where(0)
    # A column that has the name of the first's stands in both.
    (why,) = problem(pl.DataFrame(PEOPLE), visits.with_columns(id=pl.lit(1)), key="whose")
    assert why.startswith("polars frame: column 'id' stands in polars frame, too")
    (why,) = problem(pl.DataFrame(PEOPLE), visits.with_columns(whose=pl.lit("nobody")), key="whose")
    assert "they have no text of column 'id' ('whose' in the second) in common" in why


def test_the_second_table_may_have_other_markers():
    people, visits = pl.DataFrame(PEOPLE), pl.DataFrame(VISITS)
    lost = pl.concat([visits, visits.head(1).with_columns(id=pl.lit("NA"))])
    assert joined(people, lost).of_nobody.sum() == joined(people, visits).of_nobody.sum() + 1
    marked = joined(people, lost, missing_in_second=("NA",))
    assert marked.of_nobody.sum() == joined(people, visits).of_nobody.sum()
    assert marked.frame["id"].null_count() == joined(people, visits).frame["id"].null_count() + 1


keys = st.none() | st.sampled_from(["", " ", "a", "A", "0", "00", "é", "a\nb", "?"])


@given(st.lists(keys.filter(bool), max_size=6, unique=True), st.lists(keys, max_size=8))
@settings(max_examples=60, deadline=None)
def test_every_row_of_both_is_there_once(people, records):
    first = pl.DataFrame(
        {"id": ["key", *people], "x": range(len(people) + 1)}, schema={"id": pl.String, "x": pl.Int64}
    )
    second = pl.DataFrame(
        {"id": ["key", *records], "y": range(len(records) + 1)}, schema={"id": pl.String, "y": pl.Int64}
    )
    table = joined(first, second)
    by_key = {key: x for x, key in enumerate(["key", *people]) if key}
    expected = [(key or None, by_key.get(key), y) for y, key in enumerate(["key", *records])]
    seen = {"key", *records}
    expected += [
        (key or None, x, None) for x, key in enumerate(["key", *people]) if key is None or key not in seen
    ]
    assert table.frame.rows() == expected
    assert table.of_nobody.tolist() == [bool(k) and x is None for k, x, _ in expected]
    assert np.count_nonzero(table.without_records) == table.height - second.height


def test_numbers_beyond_64_bits_are_the_same_person_as_their_text(tmp_path):
    (tmp_path / "v.csv").write_text(f"id,s\n{2**64 - 1},1\n{2**63 - 1},2\n{2**63},3\n")
    people = pl.DataFrame({"id": pl.Series([2**64 - 1, 2**63 - 1], dtype=pl.UInt64), "x": [1, 2]})
    table = joined(people, tmp_path / "v.csv")
    assert table.frame["x"].to_list() == [1, 2, None]
    assert table.of_nobody.tolist() == [False, False, True]


def test_a_joined_table_shows_itself():
    table = joined(pl.DataFrame(PEOPLE), pl.DataFrame(VISITS))
    assert repr(table).startswith("Table polars frame with polars frame (polars): 8 rows, 4 columns\n")
    assert read(table) is table


@pytest.mark.parametrize("other", [["7", "8", "7"], [7, 8, 7], ["7.0", "8.0", "7.0"]])
def test_numbers_of_people_that_went_through_floats_are_the_same_people(other):
    first = read(pl.DataFrame({"who": ["7.0", "8.0"], "age": [30, 31]}))
    joined = join(first, read(pl.DataFrame({"who": other, "disease": ["a", "b", "c"]})), "who")
    assert joined.first_row.tolist() == [0, 1, 0]
    assert joined.frame["who"].to_list() == ["7", "8", "7"]
