"""Files of SPSS, Stata and SAS: what codes, labels and missing values mean; published ones say nothing but their table."""

from __future__ import annotations

import sys
from datetime import date, datetime

import polars as pl
import pyreadstat
import pytest

import likeness as lk
from likeness.cli import main
from likeness.errors import OutputError, TableError
from likeness.tables import FileFormat, published, read, read_published, statistics_files, write

KINDS = ["sav", "zsav", "dta", "xpt"]
PEOPLE = pl.DataFrame(
    {
        "age": [40, 31, 99, None],
        "sex": [1, 2, 1, 9],
        "scale": [1, 2, 3, 1],
        "cost": [1.5, 2.0, None, 3.25],
        "day": [date(2024, 3, 1), None, date(1961, 1, 2), date(1961, 1, 2)],
        "name": ["é", "=1+1", "", "x y"],
    }
)
LABELS = {
    "sex": {1: "male", 2: "female", 9: "unknown"},
    "age": {99: "refused"},
    "scale": {1: "a", 2: "a", 3: "b"},
}


def put(path, **given):
    """Write a file as those programs do."""
    functions = {"dta": pyreadstat.write_dta, "xpt": pyreadstat.write_xport}
    options = {"compress": True} if path.suffix.lower() == ".zsav" else {}
    frame = given.pop("frame", PEOPLE)
    functions.get(path.suffix[1:].lower(), pyreadstat.write_sav)(frame, str(path), **(options | given))
    return path


@pytest.mark.parametrize("kind", KINDS)
def test_plain_columns(tmp_path, kind):
    table = read(put(tmp_path / f"people.{kind.upper()}"))
    frame = table.frame
    assert frame["age"].to_list() == [40, 31, 99, None]
    assert frame["age"].dtype == pl.Int64
    assert frame["cost"].to_list() == [1.5, 2.0, None, 3.25]
    assert frame["day"].to_list() == PEOPLE["day"].to_list()
    assert frame["name"].to_list() == PEOPLE["name"].to_list()
    assert table.written.format.ending == kind
    assert table.written.read == {}
    assert (table.format, table.source) == (kind, str(tmp_path / f"people.{kind.upper()}"))


@pytest.mark.parametrize("kind", ["sav", "zsav", "dta"])
def test_labels(tmp_path, kind):
    """Labels stand for codes where every code has one of its own; else they say what some codes mean."""
    table = read(put(tmp_path / f"people.{kind}", variable_value_labels=LABELS))
    assert table.frame["sex"].to_list() == ["male", "female", "male", "unknown"]
    assert table.frame["age"].to_list() == [40, 31, 99, None]
    assert table.frame["scale"].to_list() == [1, 2, 3, 1]
    assert table.written.read == {"labelled": ["sex"], "partly_labelled": ["age", "scale"]}


def test_missing_values_of_spss(tmp_path):
    ranges = {"age": [{"lo": 90, "hi": 99}], "sex": [9], "name": ["x y"]}
    table = read(put(tmp_path / "people.sav", variable_value_labels=LABELS, missing_ranges=ranges))
    assert table.frame["age"].to_list() == [40, 31, None, None]
    assert table.frame["sex"].to_list() == ["male", "female", "male", None]
    assert table.frame["name"].to_list() == ["é", "=1+1", "", None]
    assert table.written.read["user_missing"] == {"age": 1, "sex": 1, "name": 1}


def test_missing_values_of_stata(tmp_path):
    frame = pl.DataFrame({"age": pl.Series([40, "a", "b", None], dtype=pl.Object)})
    path = put(tmp_path / "people.dta", frame=frame.to_pandas(), missing_user_values={"age": ["a", "b"]})
    table = read(path)
    assert table.frame["age"].to_list() == [40, None, None, None]
    assert table.written.read == {"user_missing": {"age": ["a", "b"]}}


def test_what_was_made_of_it_is_said_and_published(tmp_path):
    n = 60
    frame = pl.DataFrame(
        {
            "age": [20 + i % 30 for i in range(n)],
            "sex": [1 + i % 2 for i in range(n)],
            "ill": [i % 3 for i in range(n)],
        }
    )
    labels = {"sex": {1: "male", 2: "female"}, "ill": {0: "no"}}
    path = put(tmp_path / "p.sav", frame=frame, variable_value_labels=labels, missing_ranges={"age": [20]})
    columns = {"age": lk.quasi(missing={"policy": "category"}), "sex": lk.quasi(), "ill": lk.sensitive()}
    policy = lk.Policy(columns=columns, privacy=lk.KAnonymity(3), effort="quick")
    release = lk.anonymize(path, policy, seed=1)
    (found,) = (one for one in release.findings if one.code == "read-with-labels")
    assert found.facts == {"labelled": ["sex"], "partly_labelled": ["ill"], "user_missing": {"age": 2}}
    assert not found.warned
    assert str(found) == (
        "the table was read from a file of a statistics program: 'sex' by the labels of their values, 'ill' by their codes, of "
        "which not all have a label of their own, as missing what the file declares missing ('age', 2 values)"
    )
    folder = release.write(tmp_path / "out")
    shown, meta = pyreadstat.read_sav(str(folder / "public/release.sav"), output_format="polars")
    assert set(shown["sex"]) <= {"male", "female", "*", "{female|male}"}
    assert shown["ill"].sort().to_list() == sorted(map(float, frame["ill"]))
    assert meta.original_variable_types["ill"] == "F20.0"
    assert meta.creation_time == datetime(1970, 1, 1)  # noqa: DTZ001  # without a zone, as it is written
    assert lk.verify(folder, path).ok
    assert lk.verify(folder / "public").ok


def test_labels_of_columns_and_orders_that_are_lost_are_said_and_orders_proposed(tmp_path):
    frame = pl.DataFrame({"health": [1 + i % 3 for i in range(60)], "age": [20 + i % 30 for i in range(60)]})
    path = put(
        tmp_path / "p.sav",
        frame=frame,
        variable_value_labels={"health": {1: "poor", 2: "fair", 3: "good"}},
        variable_measure={"health": "ordinal"},
        column_labels={"health": "How do you feel?"},
    )
    columns = {"age": lk.quasi(), "health": lk.quasi()}
    policy = lk.Policy(columns=columns, privacy=lk.KAnonymity(3), effort="quick")
    (found,) = (one for one in lk.anonymize(path, policy, seed=1).findings if one.code == "read-with-labels")
    assert found.facts == {
        "labelled": ["health"],
        "titles": {"health": "How do you feel?"},
        "ordinal": {"health": ["poor", "fair", "good"]},
    }
    assert "without what its columns are labelled ('health': 'How do you feel?')" in str(found)
    assert "kind: ordered and a domain say ('health', poor < fair < good)" in str(found)
    proposed = lk.profile(path)["health"].settings
    assert (proposed["kind"], proposed["domain"]) == ("ordered", ["poor", "fair", "good"])
    told = policy.replace(
        columns={"age": lk.quasi(), "health": lk.quasi(kind="ordered", domain=proposed["domain"])}
    )
    (found,) = (one for one in lk.anonymize(path, told, seed=1).findings if one.code == "read-with-labels")
    assert "ordinal" not in found.facts


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_files_are_one_line(tmp_path, kind, capsys):
    path = put(tmp_path / f"people.{kind}")
    data = path.read_bytes()
    for changed, message in (
        (b"", "the file is empty"),
        (b"age,sex\n1,2\n", "not a whole S"),
        (data[: len(data) // 3], "not a whole S"),
    ):
        path.write_bytes(changed)
        with pytest.raises(TableError, match=message):
            read(path)
    assert main(["profile", str(path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    with pytest.raises(TableError, match="delimiter can be given for CSV files only"):
        read(path, delimiter=";")


def test_without_the_library(tmp_path, monkeypatch):
    path = put(tmp_path / "people.dta")
    other = tmp_path / "release.dta"
    write({"age": PEOPLE["age"]}, other, "dta")
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    message = r"is a file of Stata, and pyreadstat, which reads that, is not installed; pip install 'likeness\[statistics\]'"
    with pytest.raises(TableError, match=message):
        read(path)
    with pytest.raises(TableError, match=message):
        read_published(other)
    with pytest.raises(
        OutputError, match=r"pyreadstat is not installed; pip install 'likeness\[statistics\]'"
    ):
        write({"age": PEOPLE["age"]}, path, "dta")


@pytest.mark.parametrize("kind", KINDS)
def test_what_such_files_cannot_hold(tmp_path, kind):
    path = tmp_path / f"release.{kind}"
    for columns, message in (
        ({"a b": pl.Series(["x"])}, "cannot hold it .*contains a space"),
        ({"a": pl.Series(["x\0y"])}, "column 'a' holds 'x.*y', and a file of S.* would give back 'x'"),
        ({"a" * 80: pl.Series(["x"])}, "cannot hold it|would name its columns|Stata knows no names"),
    ):
        with pytest.raises(
            OutputError, match=rf"{message}.*; choose another format \(output: {{format: csv}}\)"
        ):
            write(columns, path, kind)


@pytest.mark.parametrize("kind", KINDS)
def test_published_files_say_nothing_but_their_table(tmp_path, kind):
    path = tmp_path / f"release.{kind}"
    columns = {name: PEOPLE[name] for name in ("age", "cost", "day", "name")}
    write(columns, path, kind)
    good = path.read_bytes()
    own = FileFormat(kind).facts
    assert read_published(path, facts=own).frame["age"].to_list() == [40, 31, 99, None]
    assert b"1970" in good or b"01JAN70" in good or b"01 Jan 70" in good
    frame = PEOPLE.select("age", "cost", "day", "name").with_columns(pl.col("age", "cost").cast(pl.Float64))
    formats = {"age": statistics_files._WHOLE[kind], "cost": statistics_files._REAL[kind]}
    given = {"frame": frame, "variable_format": formats} | ({"version": 14} if kind == "dta" else {})
    said = [{"column_labels": {"age": "secret"}}]
    said += [{"file_label": "secret"}] if kind != "zsav" else []
    said += [{"variable_value_labels": {"age": {40: "secret"}}}] if kind != "xpt" else []
    said += [{"note": "secret"}, {"missing_ranges": {"age": [40]}}] if kind in {"sav", "zsav"} else []
    for more in said:
        put(path, **given, **more)
        for facts in (own, {"packed_by": "pyreadstat 0"}):
            with pytest.raises(TableError, match="says something beside its table"):
                read_published(path, facts=facts)
    # Another time: only the bytes tell.
    put(path, **given)
    with pytest.raises(TableError, match=r"its bytes are not those that pyreadstat .* makes of its content"):
        read_published(path, facts=own)
    assert read_published(path, facts={"packed_by": "pyreadstat 0"}).frame["age"].to_list() == [
        40,
        31,
        99,
        None,
    ]
    for changed in (good + b"hi", good[:-1], good + good):
        path.write_bytes(changed)
        with pytest.raises(TableError):
            read_published(path, facts=own)


@pytest.mark.slow
def test_bombs(tmp_path, monkeypatch):
    path = tmp_path / "release.zsav"
    write({"a": pl.Series([0] * 3_000_000)}, path, "zsav")
    monkeypatch.setattr(statistics_files, "CELLS", 1 << 10)
    monkeypatch.setattr(statistics_files, "BYTES_OF_A_BYTE", 2)
    with pytest.raises(
        TableError, match=r"says it holds 3,000,000 records of 8 bytes; no more than [\d,]+ bytes are read"
    ):
        read_published(path)
    data = bytearray(path.read_bytes())
    for rows in (-1, 0, 5, 1 << 30):
        data[80:84] = rows.to_bytes(4, "little", signed=True)
        path.write_bytes(data)
        with pytest.raises(TableError):
            read_published(path, facts=FileFormat("zsav").facts)


@pytest.mark.parametrize("kind", ["sav", "dta", "xpt"])
def test_numbers_and_days_that_programs_do_not_have(tmp_path, kind):
    """What they would round, or take for another day, is text."""
    path = tmp_path / f"release.{kind}"
    columns = {
        "far": pl.Series([2**53 + 1, -(2**62)]),
        "old": pl.Series([date(1, 1, 1), date(2024, 3, 1)]),
        "well": pl.Series([True, None]),
        "none": pl.Series([None, None], dtype=pl.Float64),
    }
    write(columns, path, kind)
    table = read_published(path, facts=FileFormat(kind).facts)
    assert table.frame["far"].to_list() == [str(2**53 + 1), str(-(2**62))]
    assert table.frame["old"].to_list() == ["0001-01-01", "2024-03-01"]
    assert table.frame["well"].to_list() == ["true", ""]
    assert table.frame["none"].to_list() == [None, None]


def test_columns_of_published_files_are_counted(tmp_path, monkeypatch):
    monkeypatch.setattr(published, "COLUMNS", 2)
    path = tmp_path / "release.sav"
    write({name: pl.Series([1.5]) for name in "abc"}, path, "sav")
    with pytest.raises(TableError, match="has more than 2 columns"):
        read_published(path)


def test_sas_files_that_are_only_read(tmp_path, monkeypatch):
    """No library writes .sas7bdat, so there is none here: what is read of one goes the way of a transport file."""
    path = put(tmp_path / "people.xpt").rename(tmp_path / "people.sas7bdat")
    with pytest.raises(TableError, match="not a whole SAS file"):
        read(path)

    def other(file, *, user_missing=False, **options):
        return pyreadstat.read_xport(file, **options)

    monkeypatch.setattr(pyreadstat, "read_sas7bdat", other)
    columns = {name: lk.drop() for name in PEOPLE.columns} | {"scale": lk.quasi(), "cost": lk.other()}
    release = lk.anonymize(path, lk.Policy(columns=columns, privacy=lk.KAnonymity(2), effort="quick"), seed=1)
    (found,) = (one for one in release.findings if one.code == "written-otherwise")
    assert found.facts == {"kind": "xpt", "came_with": {"format": ".sas7bdat"}}
    assert "as a transport file (it came as .sas7bdat)" in str(found)
    folder = release.write(tmp_path / "out")
    assert (folder / "public/release.xpt").is_file()
    assert lk.verify(folder, path).ok
