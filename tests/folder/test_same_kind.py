"""A release is a file of the kind its table came in."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from tests.folder.samples import Folder, policy
from tests.folder.samples import patients as any_patients

import likeness as lk
from likeness.cli import main
from likeness.endings import FORMATS
from likeness.tables import FileFormat, write

if TYPE_CHECKING:
    from pathlib import Path

TWO = ["csv.gz", *(ending for ending in FORMATS if "." not in ending)]


def patients(rows: int = 80) -> pl.DataFrame:
    """A table that every kind of file holds: those of statistics programs keep no spaces at the end of a text."""
    return any_patients(rows).with_columns(pl.col("habit").str.strip_chars_end())


def put(frame: pl.DataFrame, path: Path, how: Any) -> Path:
    """Write a table as somebody has it."""
    write({name: frame[name] for name in frame.columns}, path, how)
    return path


def simple(**changes: Any) -> lk.Policy:
    """A policy for `patients` that gives the same columns for all kinds of files."""
    columns = {"visit": lk.other(), "zip": lk.quasi(kind="categorical")}
    return policy(**({"method": "mondrian", "columns": columns} | changes))


def tampered(folder: Path, name: str, content: bytes) -> lk.Verdict:
    """What is found where a published file is another one, and everybody's hashes say so."""
    out = Folder.__new__(Folder)
    out.root = folder
    (folder / "public" / name).write_bytes(content)
    out.certify()
    out.audit()
    return lk.verify(folder)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> tuple[lk.Release, pl.DataFrame]:
    """The release of the table as CSV, and its published table as it is opened again."""
    folder = tmp_path_factory.mktemp("plain")
    release = lk.anonymize(put(patients(), folder / "plain.csv", "csv"), simple(), seed=11)
    return release, lk.open_release(release.write(folder / "out") / "public").table


@pytest.mark.slow
@pytest.mark.parametrize(
    "ending",
    [ending if ending in TWO else pytest.param(ending, marks=pytest.mark.slow) for ending in FORMATS],
)
def test_a_release_is_what_its_table_was(
    tmp_path: Path, ending: str, plain: tuple[lk.Release, pl.DataFrame]
) -> None:
    original = put(patients(), tmp_path / f"patients.{ending}", ending)
    release = lk.anonymize(original, simple(), seed=11)
    folder = release.write(tmp_path / "out")
    assert {path.name for path in (folder / "public").iterdir()} == {
        "certificate.html",
        "certificate.json",
        f"release.{ending}",
    }
    again = lk.verify(folder, original)
    assert again.ok, again
    assert lk.verify(folder / "public").ok
    # The same as from CSV, whatever the kind is.
    opened = lk.open_release(folder / "public")
    other, expected = plain
    assert other.columns["release"]["age"].labels == release.columns["release"]["age"].labels
    assert opened.publication.size == other.publication.size
    texts = pl.DataFrame(
        {name: opened.table[name].cast(pl.String).fill_null("") for name in opened.table.columns}
    )
    kept = [name for name in texts.columns if name != "visit"]
    assert texts.select(kept).equals(expected.select(kept))
    # A release that is opened beside its original and written again has the same bytes.
    beside = lk.open_release(folder, original=original).write(tmp_path / "again")
    name = f"release.{ending}"
    assert (beside / "public" / name).read_bytes() == (folder / "public" / name).read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("ending", TWO)
@pytest.mark.parametrize("form", ["anatomized", "perturbed"])
def test_forms_of_several_tables(tmp_path: Path, ending: str, form: str) -> None:
    frame = patients(200)
    original = put(frame, tmp_path / f"patients.{ending}", ending)
    privacy = lk.DistinctLDiversity(2) if form == "anatomized" else lk.BetaLikeness(2)
    method = {"name": "anatomy", "l": 2} if form == "anatomized" else {"name": "perturbation"}
    asked = simple(
        method=method,
        privacy=privacy,
    )
    folder = lk.anonymize(original, asked, seed=11).write(tmp_path / "out")
    names = {path.name for path in (folder / "public").iterdir()}
    tables = {"quasi", "sensitive"} if form == "anatomized" else {"release"}
    assert {f"{name}.{ending}" for name in tables} <= names
    assert ("perturbation.csv" in names) == (form == "perturbed")
    assert lk.verify(folder, original).ok
    assert lk.verify(folder / "public").ok


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_delimiters_are_kept(tmp_path: Path, delimiter: str) -> None:
    original = put(patients(), tmp_path / "patients.csv", FileFormat("csv", delimiter))
    folder = lk.anonymize(lk.read(original, delimiter=delimiter), simple(), seed=11).write(tmp_path / "out")
    head = (folder / "public" / "release.csv").read_text().splitlines()[0]
    assert head.split(delimiter) == ["name", "age", "zip", "habit", "disease", "visit", "note"]
    told = json.loads((folder / "public/certificate.json").read_text())["files"]["release.csv"]
    assert told["delimiter"] == delimiter
    assert lk.verify(folder, lk.read(original, delimiter=delimiter)).ok
    assert lk.verify(folder / "public").ok
    # A file means what its certificate says, and nothing else.
    out = Folder(folder)
    out.rewrite(lambda content: content["files"]["release.csv"].pop("delimiter"))
    assert not lk.verify(folder / "public").ok
    out.rewrite(lambda content: content["files"]["release.csv"].update(delimiter=","))
    assert "files.release.csv.delimiter" in str(lk.verify(folder / "public"))


@pytest.mark.slow
def test_a_policy_names_the_format(tmp_path: Path) -> None:
    original = put(patients(), tmp_path / "patients.csv", FileFormat("csv", ";"))
    for ending in FORMATS:
        asked = simple(output={"format": ending})
        folder = lk.anonymize(original, asked, seed=11).write(tmp_path / f"out-{ending}")
        assert (folder / "public" / f"release.{ending}").is_file()
        assert lk.verify(folder, original).ok
    frame = lk.anonymize(patients(), simple(), seed=11).write(tmp_path / "frame")
    assert (frame / "public" / "release.csv").is_file()


def test_what_is_not_kept_is_said(tmp_path: Path) -> None:
    rows = [f"'{20 + i % 40}'; {i % 4},5; 'é{i % 3}'" for i in range(60)]
    path = tmp_path / "people.csv"
    path.write_bytes("\r\n".join(rows).encode("cp1252"))
    table = lk.read(path, delimiter="; ", quote="'", encoding="cp1252", header=["age", "cost", "job"])
    columns = {"age": lk.quasi(kind="integer"), "cost": lk.quasi(), "job": lk.sensitive()}
    release = lk.anonymize(
        table, lk.Policy(columns=columns, privacy=lk.KAnonymity(5), effort="quick"), seed=1
    )
    (found,) = (one for one in release.findings if one.code == "written-otherwise")
    assert found.facts == {
        "kind": "csv",
        "came_with": {
            "quote": "'",
            "delimiter": "; ",
            "header": "none",
            "encoding": "cp1252",
            "lines": "CR LF",
            "decimal": ",",
        },
    }
    assert not found.warned
    assert "in UTF-8 (it came in cp1252)" in str(found)
    assert "with a point in numbers (it came with a comma)" in str(found)
    folder = release.write(tmp_path / "out")
    assert (folder / "public/release.csv").read_text().startswith("age;cost;job\n")
    assert lk.verify(folder, table).ok


def test_a_file_that_is_kept_as_it_is_says_nothing(tmp_path: Path) -> None:
    original = put(patients(), tmp_path / "patients.tsv.gz", "tsv.gz")
    release = lk.anonymize(original, simple(), seed=1)
    assert [one for one in release.findings if one.code == "written-otherwise"] == []


def test_compressed_releases_hold_nothing_but_their_table(tmp_path: Path) -> None:
    original = put(patients(), tmp_path / "patients.csv.gz", "csv.gz")
    folder = lk.anonymize(original, simple(), seed=11).write(tmp_path / "out")
    name = "release.csv.gz"
    good = (folder / "public" / name).read_bytes()
    for changed in (
        good + gzip.compress(b""),
        good + gzip.compress(b"x"),
        good + b"\0",
        gzip.compress(gzip.decompress(good)),
    ):
        assert not tampered(folder, name, changed).ok
    assert tampered(folder, name, good).ok
    # Packed by another library: what it holds is looked at, and that this is all is said.
    out = Folder.__new__(Folder)
    out.root = folder
    out.rewrite(lambda content: content["files"][name].update(packed_by="zlib 0.9"))
    out.audit()
    found = lk.verify(folder)
    assert found.ok
    assert "was packed by zlib 0.9" in str(found)
    assert not tampered(folder, name, good + gzip.compress(b"")).ok


@pytest.mark.slow
def test_bombs(tmp_path: Path) -> None:
    original = put(patients(), tmp_path / "patients.csv.gz", "csv.gz")
    folder = lk.anonymize(original, simple(), seed=11).write(tmp_path / "out")
    bomb = b"".join(gzip.compress(b"\n" * (1 << 29), 9, mtime=0) for _ in range(1))
    bomb = bomb[:9] + b"\xff" + bomb[10:]
    bomb = bomb[:8] + b"\0" + bomb[9:]
    found = tampered(folder, "release.csv.gz", bomb)
    assert not found.ok
    assert "no more are read" in str(found)


@pytest.mark.slow
@pytest.mark.parametrize("ending", TWO)
def test_the_command(tmp_path: Path, ending: str, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    put(patients(), tmp_path / f"patients.{ending}", ending)
    roles = {
        "name": "drop",
        "age": "quasi",
        "zip": "quasi",
        "habit": "quasi",
        "disease": "sensitive",
        "visit": "other",
    }
    columns = {name: {"role": role} for name, role in (roles | {"note": "other"}).items()}
    columns["zip"]["kind"] = "categorical"
    asked = {
        "columns": columns,
        "privacy": {"model": "k-anonymity", "k": 4},
        "effort": "quick",
        "missing": {"policy": "category"},
    }
    (tmp_path / "policy.json").write_text(json.dumps(asked))
    assert main(["anonymize", f"patients.{ending}", "policy.json", "-o", "out"]) == 0
    assert (tmp_path / "out/public" / f"release.{ending}").is_file()
    assert main(["verify", "out", "--original", f"patients.{ending}"]) == 0
    assert main(["verify", "out/public"]) == 0
    assert main(["measure", "out", "--original", f"patients.{ending}"]) == 0
    assert "proven" in capsys.readouterr().out
