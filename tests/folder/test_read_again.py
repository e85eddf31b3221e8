"""How an original was read is kept in private/, so that whoever compares a release with it need not say it again."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import polars as pl
import pytest

import likeness as lk
from likeness.cli import main
from likeness.folder.audit import _digest
from likeness.tables import read, read_again, read_beside

if TYPE_CHECKING:
    from pathlib import Path

POLICY = lk.Policy(
    columns={"größe": lk.quasi(), "ort": lk.quasi(), "befund": lk.sensitive()}, privacy=lk.KAnonymity(4)
)
SAID = {"encoding": "cp1252", "decimal": ",", "header": ["größe", "ort", "befund"], "delimiter": "|"}
OPTIONS = ["--encoding", "cp1252", "--decimal", ",", "--header", "größe,ort,befund", "--delimiter", "|"]


def file_of(folder: Path, records: int = 40) -> Path:
    """A file that is another table, or none, where it is not said how to read it: 1,234 is a number of three decimal places."""
    path = folder / "klinik.csv"
    rows = [
        f"{1 + i % 9},{100 + i % 7}|{'Köln' if i % 3 else 'Ulm'}|{'grippe' if i % 2 else 'gicht'}"
        for i in range(records)
    ]
    path.write_bytes("\n".join(rows).encode("cp1252") + b"\n")
    return path


def test_whoever_has_the_file_need_not_say_how_it_is_read(tmp_path: Path) -> None:
    path = file_of(tmp_path)
    table = read(path, **SAID)
    assert table.reading == SAID
    made = lk.anonymize(table, POLICY, seed=1)
    out = made.write(tmp_path / "out")
    assert json.loads((out / "private" / "audit.json").read_text("utf-8"))["original"]["reading"] == SAID
    with pytest.raises(lk.LikenessError):
        read(path)
    assert lk.verify(out, path).ok
    assert lk.open_release(out, path).loss() == made.loss()
    for command in (["verify"], ["attack", "--attack", "linkage"], ["measure"], ["risk"]):
        assert main([command[0], str(out), *command[1:], "--original", str(path), "--format", "json"]) == 0
        assert main([command[0], str(out), *command[1:], "--original", str(path), *OPTIONS]) == 0
    # What is said is taken instead.
    without_decimal = [*OPTIONS[:2], *OPTIONS[4:]]
    assert main(["verify", str(out), "--original", str(path), *without_decimal]) == 1


def test_the_same_cells_may_come_in_another_kind_of_file(tmp_path: Path) -> None:
    table = read(file_of(tmp_path), **SAID)
    out = lk.anonymize(table, POLICY, seed=1).write(tmp_path / "out")
    table.frame.write_parquet(tmp_path / "klinik.parquet")
    table.frame.write_csv(tmp_path / "neu.csv", separator="|")
    (tmp_path / "neu.tsv").write_text(table.frame.write_csv(separator="\t"), "utf-8")
    assert lk.verify(out, tmp_path / "klinik.parquet").ok
    assert lk.verify(out, table.frame).ok
    # That it is cp1252 without a header was said of any file of this kind.
    with pytest.raises(lk.TableError) as refused:
        lk.verify(out, tmp_path / "neu.csv")
    assert str(refused.value).endswith(
        "it was read as the original was when the release was made (delimiter='|', encoding='cp1252', decimal=',', "
        "header=['größe', 'ort', 'befund']); if it is written in another way now, say how, in Python by giving what "
        "likeness.read returns"
    )
    assert lk.verify(out, read(tmp_path / "neu.csv", decimal=",")).ok
    parts = tmp_path / "parts"
    parts.mkdir()
    table.frame.write_csv(parts / "a.csv", separator="|")
    assert lk.verify(out, parts).ok


def test_a_population_is_written_as_the_original_is(tmp_path: Path) -> None:
    path = file_of(tmp_path)
    table = read(path, **SAID)
    wide = tmp_path / "alle.csv"
    lines = path.read_bytes()
    wide.write_bytes("größe|ort|befund\n".encode("cp1252") + lines + lines)
    release = lk.anonymize(table, POLICY, seed=1)
    assert read_beside(wide, table).names == table.names
    found = release.risk(population=wide, attacks=False)
    assert found.population is not None
    assert found.population.smallest == 2 * min(release.table.group_by("größe", "ort").len()["len"])


@pytest.mark.parametrize("engine", ["memory", "streaming"])
def test_engines_read_again_too(tmp_path: Path, engine: str) -> None:
    path = tmp_path / "klinik.csv"
    path.write_text("größe|ort|befund\n" + file_of(tmp_path).read_text("cp1252"), "utf-8")
    made = lk.publish(path, POLICY, tmp_path / "out", engine=engine, decimal=",", delimiter="|")
    assert made.verdict.ok
    assert lk.verify(tmp_path / "out", path, engine=engine).ok
    assert lk.verify(tmp_path / "out", path, engine="memory" if engine == "streaming" else "streaming").ok


def test_nothing_is_kept_where_nothing_was_said(tmp_path: Path) -> None:
    frame = pl.DataFrame({"größe": [1, 2] * 8, "ort": ["Ulm"] * 16, "befund": ["gicht"] * 8 + ["grippe"] * 8})
    frame.write_csv(tmp_path / "klinik.csv")
    out = lk.anonymize(tmp_path / "klinik.csv", POLICY, seed=1).write(tmp_path / "out")
    audit = out / "private" / "audit.json"
    content = json.loads(audit.read_text("utf-8"))
    assert "reading" not in content["original"]
    assert lk.verify(out, read_again(tmp_path / "klinik.csv", {})).ok
    # Whoever changes it is found, whether or not it could be read.
    for changed in ("decimal", {"decimal": 3}, {"encoding": "utf-99"}):
        del content["digest"]
        content["original"]["reading"] = changed
        content["digest"] = _digest(content)
        audit.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", "utf-8")
        assert not lk.verify(out).ok or main(
            ["verify", str(out), "--original", str(tmp_path / "klinik.csv")]
        ) in {1, 2}
