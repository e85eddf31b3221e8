"""Folders of strangers who know how likeness reads: one line, exit code 1 or 2, in bounded time, whatever they hold."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import time
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from tests.folder.samples import Folder, put

import likeness as lk
from likeness.cli import main
from likeness.errors import PolicyError, TableError, VerificationError
from likeness.folder import layout
from likeness.folder.layout import find_layout
from likeness.folder.parts import labelled_columns
from likeness.folder.public_part import read_public
from likeness.folder.writing import _write_public
from likeness.forms.base import as_labelled
from likeness.models.requirements import one_a_column
from likeness.tables import Labelled, Table, published, read_published, write

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ALL = [
    "public/release.csv",
    "public/certificate.json",
    "public/certificate.html",
    "private/audit.json",
    "private/classes.parquet",
]
UGLY = [1e-07, 0.1 + 0.2, 1e22, 2.0**60, -0.0, 12345.5]
BIG = [2**60, 2**60 + 1, -(2**53) - 1, 0, 7, 20]


def people(rows: int = 120) -> pl.DataFrame:
    """Numbers that can be written in many ways, on both sides."""
    rng = np.random.default_rng(3)
    return pl.DataFrame(
        {
            "pid": np.arange(rows) // 2,
            "age": rng.integers(18, 60, rows),
            "big": rng.choice(BIG, rows),
            "dose": rng.choice(UGLY, rows),
            "born": rng.choice(np.array(["1950-01-31", "1960-02-29", "0999-12-31"], "datetime64[D]"), rows),
            "sex": rng.choice(["f", "m", "*", "[x]"], rows),
            "town": rng.choice(["10001", "10002", "2", "[3]"], rows),
            "income": rng.choice(UGLY, rows),
            "w": rng.choice([0.5, 1e-07, 1.0], rows),
        }
    )


TOWNS = [["10001", "1", "*"], ["10002", "1", "*"], ["2", "2+", "*"], ["[3]", "2+", "*"]]
COLUMNS = {name: lk.quasi() for name in ("age", "big", "dose", "sex")} | {
    "born": lk.quasi(kind="date"),
    "town": lk.quasi(hierarchy=TOWNS),
    "income": lk.sensitive(kind="real"),
    "w": lk.other(),
    "pid": lk.identifier(),
}
POLICIES: dict[str, dict[str, Any]] = {
    "generalized": {
        "privacy": lk.KAnonymity(3),
        "method": {"name": "mondrian"},
        "output": {"numeric_pairs": True},
    },
    "identity-reserved": {
        "privacy": lk.KAnonymity(3),
        "output": {"numeric_pairs": True},
        "individual": "pid",
        "method": {"name": "mondrian"},
        "form": {"name": "identity-reserved"},
    },
    "anatomized": {"privacy": lk.DistinctLDiversity(2), "method": {"name": "anatomy", "l": 2}},
    "perturbed": {"privacy": lk.BasicBetaLikeness(3), "method": {"name": "perturbation"}},
    "baseline": {"privacy": lk.KAnonymity(1), "method": {"name": "baseline"}},
}


def releases(form: str, place: Path, format_: str = "csv") -> Path:
    """Write the public part of a release of some form."""
    given = {"columns": COLUMNS, "withhold": {"at_most": 1}, "weights": "w"} | POLICIES[form]
    output = {"output": {**given.get("output", {}), "format": format_}}
    made = lk.anonymize(people(), lk.Policy(**(given | output)), seed=5)
    # Without the private one, for which random queries are measured.
    _write_public(made, place / "public")
    return place


@pytest.fixture(scope="module", params=POLICIES)
def release(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A written release of every form, not to be changed."""
    return releases(request.param, tmp_path_factory.mktemp(request.param))


@pytest.fixture
def tampered(release: Path, tmp_path: Path) -> Folder:
    """A release of every form, to be tampered with."""
    return Folder(shutil.copytree(release, tmp_path / "out"))


def spellings(text: str) -> set[str]:
    """Other ways to write a text, which a reader who is not strict takes for the same value."""
    found = {
        f" {text}",
        f"{text} ",
        f"+{text}",
        f"0{text}",
        f"\\{text}",
        f"[{text}, {text}]",
        f"{{{text}}}",
        f"{text}.0",
    }
    if text[:1] == "[":
        found |= {
            f"[0{text[1:]}",
            f"[+{text[1:]}",
            f"[ {text[1:]}",
            text.replace(", ", ","),
            text.replace(", ", ",  "),
        }
    if text[:1] == "{":
        members = text[1:-1].split("|")
        found |= {"{" + "|".join(reversed(members)) + "}", "{" + "|".join([*members, members[0]]) + "}"}
    if "." in text and "e" not in text:
        found.add(f"{text}0")
    if "e" in text:
        found |= {text.replace("e", "E"), text.replace("e-0", "e-"), text.replace("e+", "e")}
    if text == "":
        found = {"\\e", "{}", "null", "NaN", " "}
    return found - {text}


WORDS = {"sex", "town"}
"""Columns of words: another text may be another value of them."""


def quoted(publication: Any, name: str) -> set[Any]:
    """Regions that a column shows, as they are understood."""
    (cells,) = [cells for cells in publication.cells if cells.note.name == name]
    return {cells.regions[i] for i in cells.of}


def test_every_text_is_the_only_one(release: Path) -> None:
    """Whatever text is written in another way in one row is no text of its column, or of another value, where those are words."""
    part = read_public(find_layout(release / "public"))
    assert part.form is not None
    assert part.certificate is not None
    notes = part.certificate.columns
    roles = {note.name: note.role for note in notes.notes}
    tables = {
        name: labelled_columns(table, {note.name: note for note in notes.notes})
        for name, table in part.tables.items()
    }
    part.form.read(tables, notes)
    tried = 0
    for table, columns in tables.items():
        for name, column in columns.items():
            if name in {"w", "pid"}:
                assert roles[name] == "other"
                continue
            for text in dict.fromkeys(
                [column.labels[0], *(label for label in column.labels if label in {"", "*", "1e-07", "0.0"})]
            ):
                for other in sorted(spellings(text) - {*column.labels}):
                    labels = [*column.labels, other]
                    codes = column.codes.copy()
                    codes[np.argmax(codes == column.labels.index(text))] = len(labels) - 1
                    changed = {**tables, table: {**columns, name: Labelled(codes, labels)}}
                    tried += 1
                    try:
                        found = part.form.read(changed, notes)
                    except TableError:
                        continue
                    # It is another value, with a text of its own.
                    assert name in WORDS, (table, name, text, other)
                    assert quoted(found, name) != quoted(part.publication, name), (table, name, text, other)
    assert tried > 50


def test_a_text_written_otherwise_is_found_where_it_stands(
    tampered: Folder, capsys: pytest.CaptureFixture[str]
) -> None:
    """On the command line, in every form."""
    for path in tampered.root.glob("public/*.csv"):
        frame = read_published(path).frame
        name = next(name for name in ("income", "age", frame.columns[0]) if name in frame.columns)
        frame = frame.with_columns(pl.Series(name, [f"0{frame[name][0]}", *frame[name].to_list()[1:]]))
        put(frame, path)
    said = hostile(tampered, lambda folder: folder.certify(), capsys)
    assert "one value is written in one way" in said


@pytest.mark.slow
@pytest.mark.parametrize("format_", ["csv", "parquet"])
@pytest.mark.parametrize("form", POLICIES)
def test_a_value_is_written_alike_in_all_files(form: str, format_: str, tmp_path: Path) -> None:
    """And in memory; `0.0000001` was called so in one file and `1e-07` in another."""
    root = releases(form, tmp_path, format_)
    assert lk.verify(root / "public").ok
    opened = lk.open_release(root / "public")
    shown: dict[str, set[str]] = {}
    for columns in opened.columns.values():
        for name, column in columns.items():
            shown.setdefault(name, set()).update(as_labelled(column).labels)
    expected = {"1e-07", "0.30000000000000004", "1e+22", "1.152921504606847e+18", "0.0", "12345.5"}
    assert shown["income"] == expected
    assert form not in {"anatomized", "perturbed", "baseline"} or shown["big"] == {
        str(value) for value in BIG
    }
    if form == "perturbed":
        assert {*opened.columns["perturbation"]} == {"published \\ original", *expected}
    for path in root.glob("public/*.csv"):
        for name in read_published(path).names:
            cells = {*read_published(path).frame[name]}
            assert name != "income" or cells <= expected
            assert name != "w" or cells == {"0.5", "1e-07", "1.0"}


def hostile(
    folder: Folder,
    change: Callable[[Folder], Any],
    capsys: pytest.CaptureFixture[str],
    *,
    private: bool = False,
) -> str:
    """Change a folder, verify it on the command line, and give what was said."""
    change(folder)
    begin = time.process_time()
    code = main(["verify", str(folder.root if private else folder.root / "public")])
    assert time.process_time() - begin < 60, "it hung"
    out, err = capsys.readouterr()
    assert code in {1, 2}
    assert "Traceback" not in out + err
    assert "defect" not in err
    return out + err


def cell(column: str, text: str) -> Callable[[Folder], None]:
    """Write a text into the first row, and certify it."""

    def change(folder: Folder) -> None:
        frame = folder.frame()
        folder.put(frame.with_columns(pl.Series(column, [text, *frame[column].to_list()[1:]])))
        folder.certify()

    return change


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A generalized release of numbers, whose sensitive ones must differ by an amount."""
    asked = lk.Policy(
        columns={name: COLUMNS[name] for name in ("age", "born", "dose", "sex", "income", "w")},
        privacy=lk.KAnonymity(3) & lk.Proximity(epsilon="1e-9", m=2),
        method={"name": "mondrian"},
        weights="w",
        output={"numeric_pairs": True},
        withhold={"at_most": 1},
    )
    frame = (
        people().select([*asked.columns]).with_columns(dose=np.random.default_rng(1).random(people().height))
    )
    return lk.anonymize(frame, asked, seed=5).write(tmp_path_factory.mktemp("real") / "out")


@pytest.fixture
def numbers(real: Path, tmp_path: Path) -> Folder:
    """The same, to be tampered with."""
    return Folder(shutil.copytree(real, tmp_path / "out"))


@pytest.mark.slow
@pytest.mark.parametrize("column", ["age", "dose_high", "born", "income", "w"])
@pytest.mark.parametrize(
    "text",
    [
        "[0, 1e60000000]", "1e60000000", "[0.0, 1e400]", "1e400", "9" * 4000, "[1, " + "9" * 5000 + "]", "nan", "inf", "today",
        "NaT", "[NaT, NaT]", "٣", "2_0", "1/3", "[", "\x00", "[-1e+308, 1e+308]", "5e-324",
    ],
)  # fmt: skip
def test_texts_that_cost_or_mean_nothing(
    column: str, text: str, numbers: Folder, capsys: pytest.CaptureFixture[str]
) -> None:
    if column in {"w", "income"} and text == "5e-324":
        pytest.skip("a number like others")
    said = hostile(numbers, cell(column, text), capsys)
    assert column in said
    assert len(said) < 10_000


def certificate(*changes: tuple[tuple[Any, ...], str]) -> Callable[[Folder], None]:
    """Put raw JSON in places of the certificate."""

    def change(folder: Folder) -> None:
        path = folder.root / "public/certificate.json"
        content = json.loads(path.read_text())
        texts = {}
        for number, (place, raw) in enumerate(changes):
            inner = content
            for key in place[:-1]:
                inner = inner[key]
            inner[place[-1]] = f"<<{number}>>"
            texts[f'"<<{number}>>"'] = raw
        text = json.dumps(content, indent=2)
        for mark, raw in texts.items():
            text = text.replace(mark, raw)
        path.write_text(text)

    return change


@pytest.mark.slow
@pytest.mark.parametrize(
    ("place", "raw", "word"),
    [
        (("counts", "records"), "9" * 4000, "digits"),
        (("counts", "records"), "9" * 5000, "digits"),
        (("counts", "records"), "9" * 39, "certificate.json"),
        (("counts", "records"), "1e400", "not a number of 64 bits"),
        (("counts", "records"), "NaN", "not a number of 64 bits"),
        (("counts", "records"), "-Infinity", "not a number of 64 bits"),
        (("remarks",), "[" * 100_000 + "]" * 100_000, "nested"),
        (("remarks",), "[" * 200 + "]" * 200, "nested"),
        (("guarantee", 0, "parameters", "k"), '{"a":' * 5000 + "1" + "}" * 5000, "nested"),
        (("guarantee", 0, "parameters", "k"), "9" * 40, "certificate.json"),
        (("guarantee", 1, "parameters", "epsilon"), '"1e60000000"', "certificate"),
        (("guarantee", 1, "parameters", "epsilon"), '"1e400"', "certificate"),
        (("guarantee", 1, "parameters", "epsilon"), '"1e9999"', "certificate"),
        (("columns", 0, "low"), "1e308", "certificate"),
    ],
)  # fmt: skip
def test_certificates_that_cost(
    place: tuple[Any, ...], raw: str, word: str, numbers: Folder, capsys: pytest.CaptureFixture[str]
) -> None:
    said = hostile(numbers, certificate((place, raw)), capsys)
    assert word in said
    assert len(said) < 10_000


def test_a_certificate_too_large_to_read(
    numbers: Folder, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(layout, "LARGEST_JSON", 100)
    assert "at most 100 are read" in hostile(numbers, lambda folder: None, capsys)


def test_more_guarantees_than_can_be_proven_in_time(
    numbers: Folder, capsys: pytest.CaptureFixture[str]
) -> None:
    def many(folder: Folder) -> None:
        content = folder.read("public/certificate.json")
        (first, *_) = content["guarantee"]
        content["guarantee"] = [{**first, "parameters": {"k": i + 1}} for i in range(20_000)]
        (folder.root / "public/certificate.json").write_text(json.dumps(content, indent=2) + "\n")

    said = hostile(numbers, many, capsys)
    assert "guarantee: " in said
    assert "at most 1000 items" in said
    assert len(said) < 1000


def test_one_model_of_more_columns_than_can_be_proven_in_time() -> None:
    asked = [lk.DistinctLDiversity(2), lk.EntropyLDiversity(2)]
    assert len(one_a_column(asked, [f"s{i}" for i in range(500)])) == 1000
    with pytest.raises(PolicyError, match="asks for more than 1,000 guarantees"):
        one_a_column(asked, [f"s{i}" for i in range(501)])


def wide(folder: Folder, width: int, role: dict[str, Any]) -> None:
    """Add columns that all hold one letter, and certify them."""
    names = [f"x{i}" for i in range(width)]
    frame = folder.frame().with_columns(**dict.fromkeys(names, pl.lit("a")))
    folder.put(frame)
    content = folder.read("public/certificate.json")
    content["columns"] += [{"name": name, **role} for name in names]
    facts = content["files"]["release.csv"]
    facts |= {"columns": frame.columns, "sha256": layout.digest(folder.table)}
    folder.forge(content)


def test_every_column_is_taken_once(
    numbers: Folder, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each costs a millisecond, and there may be thousands; wrong ones are named five, and counted."""
    taken: list[str] = []
    encode = Table.encode

    def counted(self: Table, name: str, **given: Any) -> Any:
        taken.append(name)
        return encode(self, name, **given)

    monkeypatch.setattr(Table, "encode", counted)
    said = hostile(numbers, lambda folder: wide(folder, 200, {"role": "pseudonym"}), capsys)
    assert len(taken) == len({*taken}) > 200
    assert "the column 'x0' is said to hold random numbers" in said
    assert said.count("and so 195 further columns") == 2
    assert len(said) < 10_000


@pytest.mark.parametrize(
    "name",
    ["public/release.csv", "public/certificate.html", "private/report.html", "private/classes.parquet"],
)
def test_files_larger_than_any_are_not_read(
    name: str, numbers: Folder, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hole of 20 GB takes no room on a disk."""
    monkeypatch.setattr("likeness.tables.published.read_bytes", lambda *_, **__: pytest.fail("was read"))
    monkeypatch.setattr("hashlib.file_digest", lambda *_: pytest.fail("was read"))
    said = hostile(numbers, lambda folder: os.truncate(folder.root / name, 20 << 30), capsys, private=True)
    assert f"{name}: is of 21,474,836,480 bytes; at most" in said
    with pytest.raises(VerificationError, match="is of 21,474,836,480 bytes"):
        lk.open_release(numbers.root) if name.startswith("public") else lk.verify(
            numbers.root
        ).raise_if_failed()


def test_a_file_without_lines_is_not_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "release.csv"
    path.write_bytes(b"age\n" + b"1\n" * 200_000)
    monkeypatch.setattr(published, "LINES", 1 << 16)
    monkeypatch.setattr(published, "LINE", 4)
    assert read_published(path).height == 200_000
    os.truncate(path, 5 << 30)
    monkeypatch.setattr(published, "read_bytes", lambda *_, **__: pytest.fail("was read"))
    with pytest.raises(
        TableError, match=r"and its first 16,777,216 bytes are 200,001 lines; lines of at most 4"
    ):
        read_published(path)


def pack(name: str) -> Callable[[Folder], None]:
    def change(folder: Folder) -> None:
        path = folder.root / name
        path.write_bytes(gzip.compress(path.read_bytes() + b"\0" * 50_000_000))
        if name == "public/release.csv":
            folder.certify()

    return change


@pytest.mark.parametrize(
    "name", ["public/release.csv", "public/certificate.json", "private/audit.json", "private/classes.parquet"]
)
def test_bombs_are_not_unpacked(name: str, numbers: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    said = hostile(numbers, pack(name), capsys, private=True)
    assert name.rpartition("/")[2] in said


@pytest.mark.parametrize("name", ALL)
def test_links_that_lead_out(
    name: str, numbers: Folder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Even to the same bytes: what lies elsewhere is no part of a release, and not a stranger's to have read."""

    def change(folder: Folder) -> None:
        path = folder.root / name
        shutil.move(path, tmp_path / "elsewhere")
        path.symlink_to(tmp_path / "elsewhere")

    said = hostile(numbers, change, capsys, private=True)
    assert f"{name}: is a link that leads out of the release" in said


@pytest.mark.parametrize("name", ["public", "private"])
def test_folders_that_lead_out(
    name: str, numbers: Folder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def change(folder: Folder) -> None:
        shutil.move(folder.root / name, tmp_path / "elsewhere")
        (folder.root / name).symlink_to(tmp_path / "elsewhere")

    assert f"{name}: is a link that leads out" in hostile(numbers, change, capsys, private=True)


def test_a_link_to_a_release_is_one(real: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(real)
    assert lk.verify(tmp_path / "link").ok
    assert lk.verify(tmp_path / "link/public").ok


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir], ids=["pipe", "folder"])
@pytest.mark.parametrize("name", ALL)
def test_what_is_no_file(name: str, make: Any, numbers: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    def change(folder: Folder) -> None:
        (folder.root / name).unlink()
        make(folder.root / name)

    said = hostile(numbers, change, capsys, private=True)
    assert f"{name}: is no file" in said


def test_an_audit_that_names_files_elsewhere(numbers: Folder, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    content = numbers.read("private/audit.json")
    content["files"] |= {"../pipe": "0", str(tmp_path / "pipe"): "0", "/dev/zero": "0"}
    (numbers.root / "private/audit.json").write_text(json.dumps(content))
    assert not lk.verify(numbers.root).ok


def test_nothing_is_said_line_by_line_without_end(numbers: Folder) -> None:
    frame = numbers.frame()
    numbers.put(frame.with_columns(pl.Series("age", [f"x{i}" for i in range(frame.height)])))
    numbers.certify()
    about = [line for line in lk.verify(numbers.root / "public").problems if "column 'age'" in line]
    assert len(about) == 6
    assert about[-1].endswith(f"{frame.height - 5} more texts cannot stand there")


@pytest.mark.parametrize(
    ("old", "new", "word"),
    [
        (b",f,", b',"f",', "line"), (b"\n", b"\r\n", "line 1 reads"), (b"\n", b"\n\n", "line"),
        (b"age,", b'"age",', "line 1 reads"),
        (b'"', b"", "cells"), (b",f,", b",f ,", "VIOLATED"),
    ],
)  # fmt: skip
def test_bytes_that_tell_equal_rows_apart(
    old: bytes, new: bytes, word: str, numbers: Folder, capsys: pytest.CaptureFixture[str]
) -> None:
    def change(folder: Folder) -> None:
        data = folder.table.read_bytes()
        assert old in data
        folder.table.write_bytes(data.replace(old, new, 1))
        folder.certify()

    said = hostile(numbers, change, capsys)
    assert word in said


def first(name: str, value: float) -> Callable[[pl.DataFrame], pl.DataFrame]:
    """Put a number into the first row."""
    return lambda f: f.with_columns(
        pl.when(pl.int_range(pl.len()) == 0).then(value).otherwise(name).alias(name)
    )


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (first("income", -0.0), "-0.0 is no number"),
        (first("income", float("nan")), "nan is no number"),
        (lambda f: f.with_columns(sex=pl.col("sex").cast(pl.Categorical)), "of the type Categorical"),
        (lambda f: f.with_columns(born=pl.col("born_low").cast(pl.Datetime)), "of the type Datetime"),
        (lambda f: f.with_columns(hidden=pl.int_range(pl.len())), "its columns are"),
    ],
)  # fmt: skip
def test_parquet_that_tells_equal_rows_apart(change: Any, word: str, tmp_path: Path) -> None:
    root = releases("generalized", tmp_path, "parquet")
    path = root / "public/release.parquet"
    change(pl.read_parquet(path)).write_parquet(path)
    _folder(root).certify()
    said = lk.verify(root / "public").problems
    assert any(word in line for line in said), said


def _folder(root: Path) -> Folder:
    """A release without CSV files, to be certified anew."""
    folder = Folder.__new__(Folder)
    folder.root = root
    return folder


def test_null_and_the_empty_text_are_one_spelling_too_many(tmp_path: Path) -> None:
    frame = people().with_columns(sex=pl.when(pl.col("age") < 30).then(None).otherwise("sex"))
    asked = lk.Policy(
        columns=COLUMNS | {"sex": lk.sensitive(missing={"policy": "category"})},
        privacy=lk.KAnonymity(3),
        method={"name": "mondrian"},
        output={"format": "parquet"},
        withhold={"at_most": 1},
    )
    _write_public(lk.anonymize(frame, asked, seed=5), tmp_path / "public")
    root = tmp_path
    path = root / "public/release.parquet"
    shown = pl.read_parquet(path)
    assert shown["sex"].null_count() == 0
    row = shown["sex"].to_list().index("")
    shown = shown.with_columns(sex=pl.when(pl.int_range(pl.len()) == row).then(None).otherwise("sex"))
    write({name: shown[name] for name in shown.columns}, path, "parquet")
    _folder(root).certify()
    said = lk.verify(root / "public").problems
    assert any("column 'sex': holds both null and the empty text" in line for line in said), said


@pytest.mark.parametrize("text", ["-0.0", "nan", "inf", "1e400", "today", "٣", "2_0", "1/3"])
def test_the_stewards_own_table_is_read_as_strictly(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One clear line; save for -0.0, which is the number 0.0."""
    (tmp_path / "t.csv").write_text(
        "age,income\n" + "".join(f"{20 + i},{text if i == 3 else i}\n" for i in range(12))
    )
    policy = {"columns": {"age": {"role": "quasi"}, "income": {"role": "sensitive", "kind": "real"}}}
    policy["privacy"] = [{"model": "k-anonymity", "k": 2}, {"model": "proximity", "epsilon": 0.5, "m": 2}]  # type: ignore[assignment]
    (tmp_path / "p.json").write_text(json.dumps(policy | {"withhold": {"at_most": 1}}))
    code = main(["anonymize", str(tmp_path / "t.csv"), str(tmp_path / "p.json"), "-o", str(tmp_path / "out")])
    said = capsys.readouterr()
    if text == "-0.0":
        assert code == 0
        assert "-0.0" not in (tmp_path / "out/public/release.csv").read_text()
        return
    assert code == 2
    assert text in said.err
    assert "Traceback" not in said.err
