"""Every kind of file that a table is published as: what is written is read back, and written again it has the same bytes."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import json
import lzma
import struct
import zipfile
import zlib
from datetime import date
from pathlib import Path

import fastexcel
import numpy as np
import polars as pl
import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from likeness.endings import FORMATS
from likeness.errors import OutputError, TableError
from likeness.forms.base import as_labelled
from likeness.tables import (
    EncodedColumn,
    FileFormat,
    Labelled,
    format_of,
    published,
    read,
    read_published,
    write,
    writing,
)

ODD = ["", " ", ",", ";", "\t", '"', "'", "\n", "\r", "\r\n", "=1+1", "é", "\ufeff", "a\0b", "\x1b", "\\", "\\n", "007", "null",
       "<b>&amp;</b>", "_x000D_", "\ufffe", "\U0001f642", " x ", "true", "1.50", '{"a":1}', '","b":']  # fmt: skip
CELL = st.one_of(st.sampled_from(ODD), st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=6))
NAME = st.text(alphabet=st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6).filter(str.strip)
PACKED = [ending for ending in FORMATS if FileFormat(ending).compression is not None]
DAYS = np.array(["1899-12-30", "2024-03-01"], "datetime64[D]")
TYPED = {
    "age": EncodedColumn("age", "integer", np.array([1, 0, -1], np.int32), np.array([-5, 40])),
    "far": EncodedColumn("far", "integer", np.array([1, 0, -1], np.int32), np.array([2**53 + 1, 2**62])),
    "cost": EncodedColumn("cost", "real", np.array([0, 2, 1], np.int32), np.array([-1e-7, 0.0, 1e22])),
    "well": EncodedColumn("well", "boolean", np.array([0, -1, 1], np.int32), np.array([False, True])),
    "day": EncodedColumn("day", "date", np.array([1, -1, 1], np.int32), DAYS[1:].repeat(2)[:2]),
    "old": EncodedColumn("old", "date", np.array([0, -1, 1], np.int32), DAYS),
    "text": EncodedColumn("text", "text", np.array([0, -1, 1], np.int32), np.array(["", "x"], object)),
    "none": EncodedColumn("none", "real", np.array([-1, -1, -1], np.int32), np.array([], float)),
    "region": Labelled(np.array([1, 0, 1], np.int32), ["[18, 40]", "{a|b}"]),
}


@pytest.fixture(params=FORMATS)
def ending(request):
    return request.param


def shown(table):
    """What everybody reads in a published table, by column."""
    found = {}
    for name in table.names:
        column = as_labelled(table.as_it_is(name))
        found[name] = [column.labels[code] for code in column.codes]
    return found


def again(path: Path, formulas="keep"):
    """The bytes of a table that was read, written again."""
    table = read_published(path, formulas)
    other = path.with_name(f"again-{path.name}")
    write({name: table.frame[name] for name in table.names}, other, format_of(path), formulas)
    return other.read_bytes()


def test_typed_columns_come_back(tmp_path, ending):
    path = tmp_path / f"release.{ending}"
    write(TYPED, path, ending)
    expected = {}
    for name, column in TYPED.items():
        told = as_labelled(column)
        expected[name] = [told.labels[code] for code in told.codes]
    assert shown(read_published(path)) == expected
    assert again(path) == path.read_bytes()


@pytest.mark.slow
@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    names=st.lists(NAME, min_size=1, max_size=3, unique=True),
    formulas=st.sampled_from(["keep", "escape"]),
    data=st.data(),
)
def test_texts_come_back_cell_for_cell(tmp_path, ending, names, formulas, data):
    rows = data.draw(st.integers(1, 5))
    columns = {name: data.draw(st.lists(CELL, min_size=rows, max_size=rows)) for name in names}
    labelled = {name: Labelled(np.arange(rows, dtype=np.int32), cells) for name, cells in columns.items()}
    path = tmp_path / f"release.{ending}"
    if FileFormat(ending).of_statistics:
        labelled = {f"v{i}": own for i, own in enumerate(labelled.values())}
        columns = {f"v{i}": own for i, own in enumerate(columns.values())}
        # Their texts are of one width: spaces at the end are not kept.
        if any(cell.rstrip() != cell or "\0" in cell for own in columns.values() for cell in own):
            with contextlib.suppress(OutputError):
                write(labelled, path, ending, formulas)
            return
    write(labelled, path, ending, formulas)
    table = read_published(path, formulas)
    assert list(table.names) == list(columns)
    assert shown(table) == columns
    assert again(path, formulas) == path.read_bytes()


def test_what_is_written_is_a_table_again(tmp_path, ending):
    """With the reader of any table, which takes nothing for granted."""
    path = tmp_path / f"release.{ending}"
    columns = {name: TYPED[name] for name in ("age", "cost", "day", "region")}
    write(columns, path, ending)
    table = read(path)
    assert table.names == tuple(columns)
    assert table.encode("age").values.tolist() == [-5, 40]
    assert table.encode("cost").values.tolist() == [-1e-7, 0.0, 1e22]
    assert table.encode("day").kind == "date"
    assert table.encode("day").values.tolist() == [date(2024, 3, 1)]
    assert table.encode("region").values.tolist() == ["[18, 40]", "{a|b}"]
    assert table.written.format.ending == ending
    assert table.written.other == {}


@pytest.mark.slow
def test_many_rows(tmp_path, ending, monkeypatch):
    """More than are written, or read, at once."""
    monkeypatch.setattr(published, "_PART", 1 << 12)
    monkeypatch.setattr(writing, "_LINES_AT_ONCE", 1 << 12)
    rng = np.random.default_rng(1)
    rows = (1 << 13) + 11
    columns = {
        "number": rng.integers(0, 1000, rows),
        "each": Labelled(np.arange(rows, dtype=np.int32), [f"é {i}" for i in range(rows)]),
        "few": Labelled(rng.integers(0, 3, rows, np.int32), ["a", 'b"', "c\n"]),
    }
    path = tmp_path / f"release.{ending}"
    write(columns, path, ending)
    table = read_published(path)
    assert table.height == rows
    assert shown(table)["each"] == columns["each"].labels
    assert shown(table)["number"] == list(map(str, columns["number"].tolist()))
    assert again(path) == path.read_bytes()


@pytest.mark.parametrize("delimiter", [";", "\t", "|", " ", "#", "a", "1"])
@pytest.mark.parametrize("packing", ["csv", "csv.gz"])
def test_delimiters_are_kept(tmp_path, delimiter, packing):
    path = tmp_path / f"release.{packing}"
    how = FileFormat(packing, delimiter)
    assert how.facts["delimiter"] == delimiter
    cells = {"a": [",", ";", "\t", "1", "a", "#"], f"b{delimiter}": ["|", " ", '"', "", "x", "="]}
    write({name: pl.Series(own) for name, own in cells.items()}, path, how)
    assert shown(read_published(path, facts=how.facts)) == cells
    with pytest.raises(TableError):
        read_published(path)


def test_a_delimiter_where_there_is_none(tmp_path):
    for ending in ("tsv", "parquet"):
        path = tmp_path / f"release.{ending}"
        write({"a": pl.Series(["x"])}, path, ending)
        with pytest.raises(TableError, match="is said to be delimited, or packed, as no file of its name is"):
            read_published(path, facts={"delimiter": ";"})
    with pytest.raises(TableError, match="is said to be delimited, or packed"):
        read_published(tmp_path / "release.tsv", facts={"packed_by": "zlib 1"})


TABLE = {"age": pl.Series([40, 31, 40]), "disease": pl.Series(["flu", "cold", "flu"])}
PACK = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": lambda data: zstandard.ZstdCompressor(write_checksum=True).compress(data),
}
UNPACK = {"gz": gzip.decompress, "bz2": bz2.decompress, "xz": lzma.decompress,
          "zst": lambda data: zstandard.ZstdDecompressor().decompressobj().decompress(data)}  # fmt: skip


@pytest.fixture(params=PACKED)
def packed(request, tmp_path):
    """A compressed file, what packs and unpacks such files, and what to say where another library packed it."""
    path = tmp_path / f"release.{request.param}"
    write(TABLE, path, request.param)
    how = request.param.split(".")[1]
    return path, PACK[how], UNPACK[how]


def _refused(path, *messages):
    """A file is refused, by whomever it is said to be packed."""
    with pytest.raises(TableError, match=messages[0]):
        read_published(path)
    if format_of(path).packer is not None:
        with pytest.raises(TableError, match=messages[-1]):
            read_published(path, facts={"packed_by": "other 1.0"})


def test_nothing_stands_behind_or_before_what_is_compressed(packed):
    path, pack, _ = packed
    data = path.read_bytes()
    behind = r"something stands behind its end|damaged or truncated"
    for more in (b"\0", b"\0\0\0\0", b"secret", pack(b""), pack(b"40,flu\n"), data):
        path.write_bytes(data + more)
        _refused(path, behind)
        path.write_bytes(more + data)
        _refused(path, r"does not begin as|something stands behind its end|damaged|empty|reads")


def test_cut_off(packed):
    path, _, _ = packed
    data = path.read_bytes()
    for size in (0, 4, len(data) // 2, len(data) - 1):
        path.write_bytes(data[:size])
        _refused(path, "damaged or truncated|does not begin as|the file is empty")


def test_the_content_of_compressed_files_has_one_text(packed):
    path, pack, unpack = packed
    text = unpack(path.read_bytes())
    changed = (
        text.replace(b"flu", b'"flu"', 1) if b'"flu"' not in text else text.replace(b'"flu"', b' "flu"', 1)
    )
    path.write_bytes(pack(changed))
    with pytest.raises(
        TableError, match=r"its bytes are not those|must read|does not begin|its lines are not as"
    ):
        read_published(path)
    out = io.BytesIO()
    with format_of(path).compression.open(out) as file:
        file.write(changed)
    path.write_bytes(out.getvalue())
    _refused(path, "must read|its lines are not as")


def test_another_library_packs_otherwise(tmp_path):
    """Bytes are compared where the same library packed them; else that they hold nothing beside their content."""
    path = tmp_path / "release.csv.gz"
    write(TABLE, path, "csv.gz")
    data = path.read_bytes()
    text = gzip.decompress(data)
    other = io.BytesIO()
    with gzip.GzipFile("", "wb", 9, other, mtime=0) as file:
        file.write(text)
    path.write_bytes(data[:10] + other.getvalue()[10:])
    longer = zlib.compressobj(0, zlib.DEFLATED, -15)
    stored = longer.compress(text) + longer.flush()
    path.write_bytes(data[:10] + stored + data[-8:])
    with pytest.raises(TableError, match=r"its bytes are not those that zlib .* makes of its content"):
        read_published(path)
    assert shown(read_published(path, facts={"packed_by": "zlib 0"})) == shown_of(TABLE)
    for header in (b"\x1f\x8b\x08\x08\0\0\0\0\0\xffname\0", b"\x1f\x8b\x08\0\1\0\0\0\0\xff"):
        path.write_bytes(header + stored + data[-8:])
        with pytest.raises(TableError, match="does not begin as the gzip files do that are written here"):
            read_published(path, facts={"packed_by": "zlib 0"})


@pytest.mark.parametrize(
    ("ending", "pack"), [("csv.xz", lzma.compress), ("csv.bz2", lambda data: bz2.compress(data, 1))]
)
def test_libraries_that_pack_alike_in_all_versions(tmp_path, ending, pack):
    path = tmp_path / f"release.{ending}"
    write(TABLE, path, ending)
    path.write_bytes(pack(UNPACK[ending[4:]](path.read_bytes())))
    with pytest.raises(
        TableError, match=r"its bytes are not those that (xz|bzip2) makes|does not begin as the"
    ):
        read_published(path)


def shown_of(columns):
    return {name: [str(value) for value in column] for name, column in columns.items()}


@pytest.mark.slow
@pytest.mark.parametrize("how", PACK)
def test_bombs_are_refused_before_they_fill_the_memory(tmp_path, how, monkeypatch):
    monkeypatch.setattr(published, "UNPACKED", 1 << 20)
    path = tmp_path / f"release.csv.{how}"
    path.write_bytes(b"")
    out = io.BytesIO()
    with format_of(path).compression.open(out) as file:
        file.write(b"a\n" + b"1\n" * (1 << 24))
    path.write_bytes(out.getvalue())
    # The small files are told by what all may hold.
    assert len(out.getvalue()) * 100 < 1 << 24
    with pytest.raises(TableError, match=r"holds more than [\d,]+ bytes; no more are read"):
        read_published(path)


def test_without_the_library(tmp_path, monkeypatch):
    path = tmp_path / "release.csv.zst"
    write(TABLE, path, "csv.zst")
    monkeypatch.setitem(__import__("sys").modules, "zstandard", None)
    with pytest.raises(
        TableError, match=r"zstandard, which reads that, is not installed; pip install 'likeness\[zstd\]'"
    ):
        read_published(path)
    with pytest.raises(OutputError, match=r"zstandard is not installed; pip install 'likeness\[zstd\]'"):
        write(TABLE, path, "csv.zst")


def test_parquet_that_is_packed_otherwise(tmp_path):
    path = tmp_path / "release.parquet"
    pl.DataFrame(TABLE).write_parquet(path, compression="zstd", compression_level=9, statistics=False)
    own = FileFormat("parquet").facts
    assert shown(read_published(path)) == shown_of(TABLE)
    with pytest.raises(TableError, match=r"its bytes are not those that polars .* makes of its content"):
        read_published(path, facts=own)
    write(TABLE, path, "parquet")
    assert shown(read_published(path, facts=own)) == shown_of(TABLE)


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ('{"age":40', '{"age": 40'),
        ('{"age":40', '{"age":040'),
        ('{"age":40', '{"age":40.0'),
        ('{"age":40', '{"age":4e1'),
        ('{"age":40', '{"age":"40"'),
        ('{"age":40', '{"age":[40]'),
        ('{"age":40', '{"age":' + "[" * 100000),
        ('{"age":40', '{"age":null,"age":40'),
        ('"flu"', '"fl\\u0075"'),
        ('"flu"', '"flu" '),
        ('"flu"', '"flu","more":1'),
        ('"flu"', '"flu","disease":"flu"'),
        ('"flu"', '"f\\ud800"'),
        ('"flu"', '"f\tlu"'),
        ('"flu"', '"f\\/lu"'),
        ('"flu"', "true"),
        ('"flu"', '{"a":1}'),
        (',"disease":"flu"', ""),
        ("}\n", "}\r\n"),
        ("}\n", "}\n\n"),
        ("}\n", "}"),
        ("", " "),
        ("", "\ufeff"),
    ],
)
def test_json_lines_have_one_text(tmp_path, good, bad):
    path = tmp_path / "release.jsonl"
    write(TABLE, path, "jsonl")
    text = path.read_text()
    for changed in (text.replace(good, bad, 1), bad.join(text.rsplit(good, 1)) if good else text + bad):
        assert changed != text
        path.write_text(changed)
        with pytest.raises(
            TableError,
            match=r"must read|not as they are written|is cut off|must not be there|stands for columns",
        ):
            read_published(path)


@pytest.mark.slow
def test_short_lines_of_many_columns(tmp_path):
    """A line that leaves keys out would take as much memory as one that has them."""
    path = tmp_path / "release.jsonl"
    write({f"column {i}": pl.Series(["x"]) for i in range(9000)}, path, "jsonl")
    text = path.read_text()
    path.write_text(text + "{}\n" * 1_000_000)
    with pytest.raises(TableError, match="it has rows of fewer cells"):
        read_published(path)
    path.write_text(text.replace("x", "x" * (1 << 25), 1))
    with pytest.raises(TableError, match=r"it is of [0-9,]+ bytes"):
        read_published(path)


def _zipped(members, comment=b"", level=None, **changes):
    """An Excel file of other members."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as archive:
        for name, content in members.items():
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            for key, value in changes.get(name, {}).items():
                setattr(info, key, value)
            archive.writestr(info, content, compresslevel=level)
        archive.comment = comment
    return out.getvalue()


def test_excel_files_hold_nothing_but_their_table(tmp_path):
    path = tmp_path / "release.xlsx"
    write(TABLE, path, "xlsx")
    good = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
        assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    assert _zipped(members) == good
    assert not any(name.startswith("docProps") for name in members)
    sheet = "xl/worksheets/sheet1.xml"
    core = "<coreProperties><creator>me</creator></coreProperties>"
    book = members["xl/workbook.xml"]
    two = book.replace(b"</sheets>", b'<sheet name="More" sheetId="2" r:id="rId3"/></sheets>')
    bad = {
        "a comment": _zipped(members, b"secret"),
        "properties": _zipped({**members, "docProps/core.xml": core}),
        "a second sheet": _zipped(
            {**members, "xl/workbook.xml": two, "xl/worksheets/sheet2.xml": members[sheet]}
        ),
        "a name": _zipped({**members, "xl/workbook.xml": book.replace(b"Sheet1", b"Sheet2")}),
        "a time": _zipped(members, **{sheet: {"date_time": (1990, 1, 1, 0, 0, 0)}}),
        "an extra field": _zipped(members, **{sheet: {"extra": b"\x99\x99\2\0hi"}}),
        "a comment of a member": _zipped(members, **{sheet: {"comment": b"hi"}}),
        "a mode": _zipped(members, **{sheet: {"external_attr": 1}}),
        "stored": _zipped(members, **{sheet: {"compress_type": zipfile.ZIP_STORED}}),
        "another order": _zipped(dict(reversed(members.items()))),
        "before": b"hi" + good,
        "behind": good + b"hi",
        "two": good + good,
        "cut off": good[:-30],
        "empty": b"",
        "text": b"a,b\n",
    }
    for old, new in (
        (b"<v>40</v>", b"<v>040</v>"), (b"<v>40</v>", b"<v>40.0</v>"), (b"<v>40</v>", b"<f>39+1</f><v>40</v>"),
        (b"<c><v>40</v></c>", b'<c t="inlineStr"><is><t xml:space="preserve">40</t></is></c>'),
        (b"<c><v>40</v></c>", b'<c r="B2"><v>40</v></c>'), (b">flu<", b">fl&#117;<"),
        (b">flu<", b">fl\tu<"), (b"<row>", b'<row hidden="1">'), (b"</sheetData>", b"</sheetData><!-- hi -->"),
        (b"<sheetData>", b"<sheetData>\n"), (b"</row><row>", b"</row>\n<row>"), (b"<c><v>40</v></c>", b""),
    ):  # fmt: skip
        assert old in members[sheet]
        bad[str(new)] = _zipped({**members, sheet: members[sheet].replace(old, new, 1)})
    for what, changed in bad.items():
        path.write_bytes(changed)
        for facts in ({}, {"packed_by": "zlib 0"}, FileFormat("xlsx").facts):
            with pytest.raises(TableError):
                print(what, read_published(path, facts=facts))
    path.write_bytes(_zipped(members, level=9))
    if path.read_bytes() != good:
        with pytest.raises(TableError, match="its bytes are not those that zlib"):
            read_published(path, facts=FileFormat("xlsx").facts)
    path.write_bytes(_zipped(members, level=0))
    with pytest.raises(TableError, match="its bytes are not those that zlib"):
        read_published(path, facts=FileFormat("xlsx").facts)
    assert shown(read_published(path, facts={"packed_by": "zlib 0"})) == shown_of(TABLE)


def test_excel_bombs(tmp_path, monkeypatch):
    monkeypatch.setattr(published, "UNPACKED", 1 << 20)
    path = tmp_path / "release.xlsx"
    write(TABLE, path, "xlsx")
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    path.write_bytes(_zipped({**members, "xl/worksheets/sheet1.xml": b" " * (1 << 24)}))
    with pytest.raises(TableError, match=r"unpacks to [\d,]+ bytes; at most [\d,]+ are read"):
        read_published(path)


@pytest.mark.slow
def test_what_a_sheet_has_no_room_for(tmp_path):
    path = tmp_path / "release.xlsx"
    for columns, message in (
        ({"a": np.zeros(1 << 20, int)}, "it has 1,048,576 records, and a sheet has room for 1,048,575"),
        ({"a": pl.Series(["x" * 32768])}, "column 'a' holds a text of 32,768 characters, and a cell has room for 32,767"),
        ({f"{i}": pl.Series(["x"]) for i in range(16385)}, "it has 16,385 columns, and a sheet has room for 16,384"),
    ):  # fmt: skip
        with pytest.raises(OutputError, match=f"{message}; choose another format"):
            write(columns, path, "xlsx")
    write({"a": pl.Series(["é" * 32767])}, path, "xlsx")
    assert shown(read_published(path)) == {"a": ["é" * 32767]}


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cells=st.lists(CELL, min_size=1, max_size=6))
def test_other_programs_read_the_same_json_and_sheets(tmp_path, cells):
    """What stands there is what readers of any such file see, not only ours."""
    path = tmp_path / "release.jsonl"
    write({"text": pl.Series(cells), "n": np.arange(len(cells))}, path, "jsonl")
    found = [json.loads(line) for line in path.read_text().split("\n")[:-1]]
    assert found == [{"text": cell, "n": i} for i, cell in enumerate(cells)]
    # What XML has no characters for is written as Excel does, and not read back by all.
    plain = [cell for cell in cells if cell.isprintable() or cell in {"\n", "\t", "\r"}]
    path = tmp_path / "release.xlsx"
    write({"n": np.arange(len(plain)), "text": pl.Series(plain, dtype=pl.String)}, path, "xlsx")
    sheet = fastexcel.read_excel(path).load_sheet(0, dtypes={"text": "string"}).to_polars()
    if plain:
        assert sheet["n"].to_list() == list(range(len(plain)))
        read_back = [text or "" for text in sheet["text"].to_list()]
        assert [a for a, b in zip(read_back, plain, strict=True) if a != b and "_x" not in b] == []


def test_arrow_files_that_are_written_otherwise(tmp_path):
    path = tmp_path / "release.arrow"
    own = FileFormat("arrow").facts
    write(TYPED, path, "arrow")
    good = path.read_bytes()
    frame = pl.read_ipc(io.BytesIO(good))
    assert frame["day"].dtype == pl.Date
    assert frame["well"].dtype == pl.Boolean
    oldest = {"compat_level": pl.CompatLevel.oldest()}

    def other(frame, **given):
        out = io.BytesIO()
        frame.write_ipc(out, **({"compression": "uncompressed"} | oldest | given))
        return out.getvalue()

    def refused(data, message, facts):
        path.write_bytes(data)
        with pytest.raises(TableError, match=message):
            read_published(path, facts=facts)

    assert other(frame.rechunk()) == good
    for facts in ({}, own, {"packed_by": "polars 0"}):
        for codec in ("lz4", "zstd"):
            refused(other(frame, compression=codec), "it is compressed within", facts)
        refused(
            other(frame.with_columns(few=pl.col("region").cast(pl.Categorical))), "it has dictionaries", facts
        )
        refused(other(frame.with_columns(few=pl.lit(1).cast(pl.Time))), "'few' is of the type Time", facts)
        refused(other(frame.with_columns(x=float("nan"))), "nan is no number that is published", facts)
        refused(good[:-20], "is not as Arrow files are that are written here", facts)
        refused(good + b"hi", "it does not begin and end", facts)
        refused(b"", "the file is empty", facts)
    packed = "its bytes are not those that polars .* makes of its content"
    hidden = pl.Series("age", [40, -5, 777]).set(pl.Series([False, False, True]), None)
    assert pl.read_ipc(io.BytesIO(other(frame.with_columns(hidden)))).equals(frame)
    refused(other(frame.with_columns(hidden)), packed, own)
    refused(other(frame, compat_level=pl.CompatLevel.newest()), packed, own)
    refused(
        good[:-20] + b"hi" + good[-20:], "not as Arrow files|not a whole Arrow file|its bytes are not", own
    )
    path.write_bytes(other(frame, record_batch_size=1))
    assert read_published(path).height == 3
    refused(other(frame, record_batch_size=1), packed, own)


def test_what_lies_under_missing_values_is_not_published(tmp_path):
    """Arrow keeps memory as it is, and what was masked may be there still."""
    path = tmp_path / "release.arrow"
    masked = pl.Series([False, True, False])
    columns = {
        "number": pl.Series([1, 0x1122334455667788, 3]).set(masked, None),
        "text": pl.Series(["a", "somebody's secret text", "b"]).set(masked, None),
        "age": EncodedColumn(
            "age", "integer", np.array([0, -1, 0], np.int32), np.array([7, 0x99AABBCCDDEEFF])
        ),
    }
    write(columns, path, "arrow")
    data = path.read_bytes()
    assert b"secret" not in data
    assert bytes.fromhex("8877665544332211") not in data
    assert bytes.fromhex("ffeeddccbbaa99") not in data


@pytest.mark.slow
@settings(deadline=None, max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), ending=st.sampled_from(["arrow", "xlsx", "jsonl", "csv.gz", "csv.zst"]))
def test_any_change_of_a_file_is_an_error_or_another_table(tmp_path, data, ending):
    """Never a crash, and never the same table in other bytes."""
    path = tmp_path / f"release.{ending}"
    columns = {name: TYPED[name] for name in ("age", "cost", "text", "region", "well")}
    write(columns, path, ending)
    good = path.read_bytes()
    before = shown(read_published(path))
    at = data.draw(st.integers(0, len(good) - 1))
    new = data.draw(st.sampled_from([b"", b"\0", b"\xff", b"\x7f", b"1", b'"', b"<"]))
    many = data.draw(st.sampled_from([0, 1, 1, 1, 4, 8]))
    changed = good[:at] + new * max(many, 1) + good[at + many :]
    path.write_bytes(changed)
    try:
        found = shown(read_published(path, facts=FileFormat(ending).facts))
    except TableError:
        return
    assert changed == good or found != before or ending == "arrow"


def test_arrow_files_whose_buffers_overlap(tmp_path):
    """Columns that name the same bytes would take them in memory again and again."""
    path = tmp_path / "release.arrow"
    write({name: pl.Series([1, 2, 3]) for name in ("a", "b", "c")}, path, "arrow")
    good = path.read_bytes()
    assert read_published(path).height == 3
    places = [struct.pack("<qq", place, 24) for place in (0, 64, 128)]
    assert all(good.count(place) == 1 for place in places)
    changes = {
        "its buffers overlap, or lie outside of it": [
            good.replace(places[1], places[0]),
            good.replace(places[2], struct.pack("<qq", 1 << 40, 24)),
            good.replace(places[2], struct.pack("<qq", 128, -1)),
            good.replace(places[2], struct.pack("<qq", 128, 1 << 40)),
        ],
        "a column has other rows than its batch": [
            good.replace(struct.pack("<qq", 3, 0), struct.pack("<qq", 9, 0))
        ],
    }
    for message, files in changes.items():
        for changed in files:
            path.write_bytes(changed)
            with pytest.raises(TableError, match=message):
                read_published(path)


def test_arrow_files_that_say_they_hold_very_many_rows(tmp_path):
    path = tmp_path / "release.arrow"
    pl.DataFrame({f"{i}": pl.Series([], dtype=pl.String) for i in range(20_000)}).write_ipc(path)
    with pytest.raises(TableError, match="has more than 16,384 columns"):
        read_published(path)
