"""Nothing private is in what may be handed out: every form and every kind of file, taken apart down to its metadata."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import re
import socket
import zipfile
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.folder.test_opened_beside_its_original import POLICIES, table

import likeness as lk
from likeness import registry
from likeness.choosing import choose_form
from likeness.cli import main
from likeness.endings import FORMATS
from likeness.tables import write

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SEED = 987654321123
USER, HOST, HOME, NAME = "mallory", "ward-seven-server", "home-of-eve", "confidential-ward"
DROPPED = {
    "who": "nobody-knows-her",
    "age": None,
    "zip": "98765",
    "day": datetime(1931, 3, 17, tzinfo=UTC).date(),
    "visit": 0.62342,
    "note": "hidden-note",
    "pay": 765432.5,
    "disease": "secret-disease",
}
"""A person whose age is missing, who is dropped for that: nobody may learn that there was somebody."""
TRACES = ["nobody-knows-her", "98765", "1931-03-17", "0.62342", "hidden-note", "765432", "secret-disease"]


def original(folder: Path, ending: str, *, several: bool = False) -> Path:
    """Somebody's file, in a folder and under a name that tell whose it is."""
    frame = table(3, several=several)
    frame = frame.with_columns(who=pl.format("person-number-{}", pl.col("who").str.slice(1).str.zfill(3)))
    frame = pl.concat([frame, pl.DataFrame([DROPPED], schema=frame.schema)])
    # Files of statistics programs have neither line breaks nor -0.0.
    frame = frame.with_columns(
        pl.col("disease").str.replace("\n", " "),
        pl.when(pl.col("pay") == 0).then(0.0).otherwise("pay").alias("pay"),
    )
    path = folder / HOME / f"{NAME}.{ending}"
    path.parent.mkdir()
    write({name: frame[name] for name in frame.columns}, path, ending)
    return path


def released(tmp_path: Path, ending: str, policy: dict[str, Any]) -> tuple[lk.Release, Path]:
    """A release of such a file, written."""
    asked = {"withhold": {"at_most": 0.3}} | policy | {"missing": {"markers": [""], "policy": "drop"}}
    source = original(tmp_path, ending, several="individual" in policy)
    made = lk.anonymize(source, lk.Policy(**asked), seed=SEED)
    return made, made.write(tmp_path / "out-for-the-press")


def unpacked(path: Path) -> Iterator[bytes]:
    """Everything that a file is or holds: its bytes, what is packed in them, and all that is told beside the values."""
    content = path.read_bytes()
    yield content
    for ending, unpack in ((".gz", gzip.decompress), (".bz2", bz2.decompress), (".xz", lzma.decompress)):
        if path.name.endswith(ending):
            yield unpack(content)
    if path.name.endswith(".zst"):
        zstandard = pytest.importorskip("zstandard")
        yield zstandard.ZstdDecompressor().decompressobj().decompress(content)
    if path.suffix == ".xlsx":
        with zipfile.ZipFile(path) as archive:
            for one in archive.infolist():
                yield one.filename.encode() + one.comment + one.extra
                yield archive.read(one)
    if path.suffix == ".parquet":
        whole = pq.read_table(path)
        yield repr((pq.read_metadata(path).to_dict(), pq.read_metadata(path).metadata)).encode()
        yield repr((whole.schema, whole.to_pydict())).encode()
    if path.suffix == ".arrow":
        with pa.ipc.open_file(path) as reader:
            whole = reader.read_all()
        chunks = (chunk for column in whole.columns for chunk in column.chunks)
        dictionaries = [chunk.dictionary for chunk in chunks if pa.types.is_dictionary(chunk.type)]
        yield repr((whole.schema, whole.to_pydict(), dictionaries)).encode()
    if path.suffix in {".sav", ".zsav", ".dta", ".xpt"}:
        pyreadstat = pytest.importorskip("pyreadstat")
        read = {".dta": pyreadstat.read_dta, ".xpt": pyreadstat.read_xport}.get(
            path.suffix, pyreadstat.read_sav
        )
        frame, told = read(str(path))
        yield repr((frame.to_dict(), vars(told))).encode()


def secrets(made: lk.Release, folder: Path, tmp_path: Path) -> list[str]:
    """What must be nowhere: of people, of how it was made, of where and by whom."""
    audit = json.loads((folder / "private/audit.json").read_text())
    entropy = made.private.entropy
    now = datetime.now(UTC)
    days = [now.strftime(how) for how in ("%Y-%m-%d", "%d %b %Y", "%d%b%y", "%d %b %y", "%m/%d/%y", "%y%m%d")]
    return [
        *TRACES,
        "person-number",
        "withheld",
        str(SEED),
        str(entropy),
        f"{entropy:x}",
        audit["original"]["sha256"],
        *(str(tmp_path), tmp_path.name, USER, HOST, HOME, NAME, "for-the-press"),
        *days,
    ]


@pytest.fixture(autouse=True)
def somebody(monkeypatch: pytest.MonkeyPatch) -> None:
    """A user and a machine with names that can be told from anything else."""
    for name in ("USER", "LOGNAME", "USERNAME"):
        monkeypatch.setenv(name, USER)
    monkeypatch.setenv("HOSTNAME", HOST)
    monkeypatch.setattr(socket, "gethostname", lambda: HOST)


def look_for(secret: str, everything: list[bytes]) -> bool:
    """Whether a text stands somewhere, in any case, as bytes or as words of two bytes."""
    own = secret.lower()
    return any(own.encode(how) in content.lower() for content in everything for how in ("utf-8", "utf-16-le"))


def refuse_secrets(made: lk.Release, folder: Path, tmp_path: Path) -> None:
    """Scan all public files."""
    files = sorted((folder / "public").iterdir())
    everything = [content for path in files for content in (path.name.encode(), *unpacked(path))]
    assert [one for one in secrets(made, folder, tmp_path) if look_for(one, everything)] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", POLICIES)
def test_every_form(name: str, tmp_path: Path) -> None:
    made, folder = released(tmp_path, "csv", POLICIES[name])
    refuse_secrets(made, folder, tmp_path)
    assert any(made.counts["dropped"].values())
    # Rows, buckets and people's numbers are in no order that the original has.
    map_ = pl.read_parquet(folder / "private/classes.parquet").filter(pl.col("published_row") >= 0)
    main_table = made.columns[next(iter(made.columns))]
    orders = {"row": map_["published_row"].to_numpy()}
    for own in ("bucket", "person"):
        if own in main_table:
            numbers = np.asarray(main_table[own].values)[main_table[own].codes].astype(float)
            orders[own] = numbers[map_["published_row"].to_numpy()]
    rows = map_["row"].to_numpy()
    for own, order in orders.items():
        assert np.abs(np.corrcoef(order, rows)[0, 1]) < 0.4, own


def test_every_form_there_is_is_scanned() -> None:
    forms = {choose_form(lk.Policy(**one)).name for one in POLICIES.values()}
    assert forms == set(registry.names("forms"))


@pytest.mark.slow
@pytest.mark.parametrize("ending", FORMATS)
def test_every_kind_of_file(ending: str, tmp_path: Path) -> None:
    made, folder = released(tmp_path, ending, POLICIES["chosen"] | {"effort": "quick"})
    refuse_secrets(made, folder, tmp_path)
    path = folder / "public" / f"release.{ending}"
    content = path.read_bytes()
    if ending.endswith(".gz"):
        # No name (flags) and no time in the header.
        assert content[3:8] == bytes(5)
    if ending == "xlsx":
        with zipfile.ZipFile(path) as archive:
            assert archive.comment == b""
            assert {one.date_time for one in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
            assert not any(one.filename.startswith("docProps") for one in archive.infolist())
    if ending == "parquet":
        assert set(pq.read_metadata(path).metadata or {}) <= {b"ARROW:schema"}
        assert not pq.read_schema(path).metadata
        assert not any(field.metadata for field in pq.read_schema(path))
    if ending == "arrow":
        with pa.ipc.open_file(path) as reader:
            assert not reader.schema.metadata
            assert not any(field.metadata for field in reader.schema)
    if ending in {"sav", "zsav", "dta", "xpt"}:
        pyreadstat = pytest.importorskip("pyreadstat")
        read = {"dta": pyreadstat.read_dta, "xpt": pyreadstat.read_xport}.get(ending, pyreadstat.read_sav)
        _, told = read(str(path))
        assert not told.file_label
        assert not told.notes
        assert not any(told.column_labels)
        # The hour and minute it was written are in no header.
        assert not re.search(rb"\d\d:\d\d:\d\d", content[:1000].replace(b"00:00:00", b""))


@pytest.mark.parametrize("ending", ["parquet", "xlsx", "csv.gz", "arrow"])
@pytest.mark.parametrize("name", ["anatomized", "perturbed"])
def test_several_tables_in_other_kinds(name: str, ending: str, tmp_path: Path) -> None:
    made, folder = released(tmp_path, ending, POLICIES[name])
    assert sum(path.name.endswith(f".{ending}") for path in (folder / "public").iterdir()) >= 1
    refuse_secrets(made, folder, tmp_path)


def test_the_scan_finds_what_is_there(tmp_path: Path) -> None:
    """A file that carries a secret in its metadata, or packed, does not pass."""
    made, folder = released(tmp_path, "parquet", POLICIES["chosen"] | {"effort": "quick"})
    path = folder / "public/release.parquet"
    frame = pq.read_table(path)
    for where in ("key", "value"):
        changed = frame.replace_schema_metadata({"made by": USER}) if where == "key" else frame
        if where == "value":
            last = pa.array(["hidden-note"] + ["plain"] * (frame.num_rows - 1))
            changed = frame.set_column(frame.schema.get_field_index("note"), "note", last)
        pq.write_table(changed, path)
        with pytest.raises(AssertionError, match=USER if where == "key" else "hidden-note"):
            refuse_secrets(made, folder, tmp_path)
    with gzip.GzipFile(folder / "public/more.csv.gz", "wb") as file:
        file.write(b"98765")
    with pytest.raises(AssertionError, match="98765"):
        refuse_secrets(made, folder, tmp_path)


def test_the_command_tells_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Written by the command, whose paths are absolute, a release is the same, to the byte."""
    source = original(tmp_path, "csv")
    made = lk.anonymize(source, _plain(), seed=SEED)
    folder = made.write(tmp_path / "out-for-the-press")
    (tmp_path / "policy.json").write_text(json.dumps(_plain().to_mapping()))
    monkeypatch.chdir(source.parent)
    given = [
        "anonymize",
        str(source),
        str(tmp_path / "policy.json"),
        "-o",
        str(tmp_path / "again"),
        "--seed",
        str(SEED),
    ]
    assert main(given) == 0
    for path in (folder / "public").iterdir():
        assert path.read_bytes() == (tmp_path / "again/public" / path.name).read_bytes()


def _plain() -> lk.Policy:
    """A policy without functions."""
    columns = POLICIES["chosen"]["columns"]
    return lk.Policy(
        columns=columns,
        privacy=lk.KAnonymity(4),
        method="mondrian",
        missing={"markers": [""], "policy": "drop"},
    )
