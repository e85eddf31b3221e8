"""Parquet files of strangers: what would take gigabytes is refused before anything is unpacked."""

from __future__ import annotations

import io
from copy import deepcopy
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from likeness.errors import TableError
from likeness.tables import parquet_layout, published, read_published, write
from likeness.tables.parquet_layout import _FOOTER, _PAGE, _footer, _Thrift, read_layout

FRAME = pl.DataFrame(
    {
        "sex": ["f", None] * 20,
        "name": [f"name {i}" for i in range(40)],
        "age": range(40),
        "dose": [0.5, 1.5] * 20,
        "ill": [True, False] * 20,
        "born": pl.Series(range(40)).cast(pl.Date),
    }
)


@pytest.fixture
def path(tmp_path):
    """A file as it is written."""
    write({name: FRAME[name] for name in FRAME.columns}, tmp_path / "a.parquet", "parquet")
    return tmp_path / "a.parquet"


def packed(found: Any, fields: Any) -> bytes:
    """Write a structure in the compact protocol, the inverse of `_Thrift`."""
    written, before = b"", 0
    for number, value in sorted(found.items()):
        kind, data = _written(value, fields[number])
        written += bytes([(number - before) << 4 | kind]) + data
        before = number
    return written + b"\0"


def _written(value: Any, wanted: Any) -> tuple[int, bytes]:
    if wanted == "bool":
        return 1 if value else 2, b""
    if isinstance(wanted, dict):
        return 12, packed(value, wanted)
    if isinstance(wanted, list):
        items = [_written(item, wanted[0]) for item in value]
        kind = _written({} if isinstance(wanted[0], dict) else b"" if wanted[0] == "bytes" else 0, wanted[0])[
            0
        ]
        return 9, bytes([0xF0 | kind]) + varint(len(items)) + b"".join(data for _, data in items)
    if wanted == "bytes":
        return 8, varint(len(value)) + value
    kind = {"i8": 3, "i16": 4, "i32": 5, "i64": 6}[wanted]
    return kind, bytes([value]) if wanted == "i8" else varint((value << 1) ^ (value >> 63))


def varint(number: int) -> bytes:
    number &= (1 << 64) - 1
    written = []
    while number > 127:
        written.append(number & 127 | 128)
        number >>= 7
    return bytes([*written, number])


def with_footer(data: bytes, footer: bytes) -> bytes:
    """Replace the footer of a file."""
    _, begin = _footer(data)
    return data[:begin] + footer + len(footer).to_bytes(4, "little") + b"PAR1"


def changed(data: bytes, change: Any) -> bytes:
    """Change what the footer says."""
    footer, _ = _footer(data)
    told = deepcopy(footer)
    change(told)
    return with_footer(data, packed(told, _FOOTER))


@pytest.mark.parametrize("seed", range(3))
def test_what_is_written_is_read(seed, tmp_path):
    """All types, with nulls and without, several row groups, as pyarrow understands them."""
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(1, 400_000))
    frame = pl.DataFrame(
        {
            "text": pl.Series([None, "", "x", "ü" * 30])[rng.integers(0, 4, rows)],
            "number": [f"{i}" for i in range(rows)],
            "whole": rng.integers(0, rng.integers(1, 1 << 60), rows),
            "real": rng.random(rows).round(int(rng.integers(1, 9))),
            "truth": rng.random(rows) < rng.random(),
            "day": rng.integers(0, 9000, rows).astype("datetime64[D]"),
            "nothing": pl.Series([None] * rows, dtype=pl.String),
        }
    )
    file = tmp_path / "a.parquet"
    write({name: frame[name] for name in frame.columns}, file, "parquet")
    assert read_published(file).frame.equals(frame)
    found, told = read_layout(file.read_bytes(), "a.parquet"), pq.read_metadata(file)
    assert found.types == dict(frame.schema)
    assert found.rows == told.num_rows == rows
    groups = [told.row_group(i) for i in range(told.num_row_groups)]
    whole = sum(group.column(i).total_uncompressed_size for group in groups for i in range(frame.width))
    # Theirs counts the headers of the pages too.
    assert 0 < whole - found.unpacked < whole / 2


def test_the_footer_can_be_written_again(path):
    data = path.read_bytes()
    assert changed(data, lambda _: None)[:4] == b"PAR1"
    assert _footer(changed(data, lambda _: None))[0] == _footer(data)[0]
    path.write_bytes(changed(data, lambda _: None))
    assert read_published(path).frame.equals(FRAME)


def test_a_page_that_unpacks_to_very_much(tmp_path, monkeypatch):
    """13 kB of zeros were 4 GB."""
    path = tmp_path / "a.parquet"
    pl.DataFrame({"x": ["0" * 20_000_000]}).write_parquet(path)
    assert path.stat().st_size < 20_000
    assert read_published(path).height == 1
    monkeypatch.setattr(published, "UNPACKED", 1 << 24)
    monkeypatch.setattr(published, "read_binary", lambda *_, **__: pytest.fail("was unpacked"))
    with pytest.raises(
        TableError, match=r"says it holds 20,000,[0-9]+ unpacked bytes; at most 1[0-9,]+ are read"
    ):
        read_published(path)


def test_one_long_text_in_very_many_rows(tmp_path, monkeypatch):
    """Stored once: to compare every row's text takes hours."""
    path = tmp_path / "a.parquet"
    pl.DataFrame({"x": pl.repeat("y" * 1000, 2000, eager=True)}).write_parquet(path)
    assert read_published(path).height == 2000
    monkeypatch.setattr(published, "TEXTS", 0)
    with pytest.raises(TableError, match=r"holds texts of 2,000,000 bytes; at most [0-9,]+ are read from"):
        read_published(path)
    # More than 32 bits count.
    frame = pl.DataFrame({"x": pl.repeat("y" * 1_000_000, 10_000, eager=True)})
    with pytest.raises(TableError, match=r"holds texts of 10,000,000,000 bytes"):
        published._check_texts(frame, 1000, path)


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"compression": "snappy"}, "not packed by zstd"),
        ({"compression": "none"}, "not packed by zstd"),
        ({"data_page_version": "2.0"}, "it has a field that is not known"),
        ({"use_dictionary": False, "column_encoding": "DELTA_BYTE_ARRAY"}, "not encoded as it is written"),
        ({}, ""),
    ],
)
def test_what_other_writers_write(options, word, tmp_path):
    """A prefix that each value repeats, and other ways to say much in little."""
    buffer = io.BytesIO()
    table = pa.table({"x": pa.array(["y" * 100, "y" * 101], pa.string_view())})
    pq.write_table(table, buffer, **{"compression": "zstd", "store_schema": False} | options)
    data = buffer.getvalue()
    own = io.BytesIO()
    pl.DataFrame({"x": ["y"]}).write_parquet(own)
    footer, _ = _footer(own.getvalue())
    path = tmp_path / "a.parquet"
    path.write_bytes(changed(data, lambda told: told.update({2: footer[2], 5: footer[5]})))
    if not word:
        assert read_published(path).height == 2
        return
    with pytest.raises(TableError, match=word):
        read_published(path)


def chunk(told: Any, column: int = 0) -> dict[int, Any]:
    """The metadata of a chunk."""
    return told[4][0][1][column][3]


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (lambda t: t.update({3: 1 << 40}), "other rows"),
        (lambda t: t[4].append(deepcopy(t[4][0])) or t.update({3: 80}), "overlap"),
        (lambda t: chunk(t).update({5: 1 << 40}), "other rows than its group"),
        (lambda t: chunk(t).update({7: 1 << 40}), "overlap"),
        (lambda t: chunk(t).update({7: chunk(t)[7] - 1}), "cut off"),
        (lambda t: chunk(t).update({9: 1 << 40, 11: 1 << 40}), "overlap"),
        (lambda t: chunk(t).update({11: -5}), "begins nowhere"),
        (lambda t: chunk(t).update({1: 2}), "not of its column"),
        (lambda t: chunk(t).update({3: [b"age"]}), "not of its column"),
        (lambda t: t[4][0].update({3: -1}), "no rows"),
        (lambda t: t[4][0][1].pop(), "other columns"),
        (lambda t: t[5].append({1: b"note", 2: b"a person's name"}), "metadata"),
        (lambda t: t.pop(5), "metadata"),
        (lambda t: t[5][0].update({2: t[5][0][2] * 2}), "metadata"),
        (lambda t: t[2][1].update({4: b"name"}), "stands for columns 1 and 2"),
        (lambda t: t[2][1].update({4: b"\xff"}), "UTF-8"),
        (lambda t: t[2][1].update({5: 1}), "of the type List, Struct"),
        (lambda t: t[2][1].update({3: 2}), "of the type List, Struct"),
        (lambda t: t[2][1].update({1: 99}), "of the type"),
        (lambda t: t[2].pop(), "schema is cut off"),
        (lambda t: t.pop(4), "no schema"),
    ],
)  # fmt: skip
def test_footers_that_say_what_is_not_there(change, word, path, monkeypatch):
    monkeypatch.setattr(published, "read_binary", lambda *_, **__: pytest.fail("was unpacked"))
    path.write_bytes(changed(path.read_bytes(), change))
    with pytest.raises(TableError, match=word) as refused:
        read_published(path)
    assert len(refused.value.problems) == 1


def page(data: bytes) -> tuple[int, int, dict[int, Any]]:
    """Where the header of the first page lies, and what it says."""
    footer, _ = _footer(data)
    begin = chunk(footer)[11]
    reader = _Thrift(data, begin, len(data))
    return begin, (told := reader.structure(_PAGE)) and reader.at, told


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (lambda t: t.update({2: -1}), "cut off"),
        (lambda t: t.update({3: -1}), "cut off"),
        (lambda t: t.update({3: 1 << 30}), "cut off"),
        (lambda t: t[7].update({1: 1 << 30}), "dictionary"),
        (lambda t: t[7].update({2: 7}), "dictionary"),
        (lambda t: t.update({1: 1}), "of a kind"),
        (lambda t: t.update({1: 0}), "of a kind"),
    ],
)
def test_pages_that_say_what_is_not_there(change, word, path):
    data = path.read_bytes()
    begin, end, told = page(data)
    change(told)
    header = packed(told, _PAGE)

    def longer(footer: Any) -> None:
        more = len(header) - (end - begin)
        for i in range(FRAME.width):
            own = chunk(footer, i)
            for key in {9, 11} & own.keys():
                own[key] += more if i or key == 9 else 0
            own[7] += more if i == 0 else 0

    footer, at = _footer(data)
    longer(footer)
    body = data[:begin] + header + data[end:at]
    written = packed(footer, _FOOTER)
    path.write_bytes(body + written + len(written).to_bytes(4, "little") + b"PAR1")
    with pytest.raises(TableError, match=word):
        read_published(path)


@pytest.mark.parametrize(
    ("footer", "word"),
    [
        (b"", "cut off"),
        (b"\x00\x00", "behind its footer"),
        (b"\x15\x04\x05\x02\x04\x00", "of the number 1"),  # twice the same field
        (b"\x19" + b"\xf5" + b"\xff" * 9 + b"\x01", "another type"),
        (b"\x29" + b"\xfc" + b"\xff" * 9 + b"\x01", "cut off"),
        (b"\x36" + b"\xff" * 11, "more than 64 bits"),
        (b"\x15" + b"\xff" * 5 + b"\x01", "more than 32 bits"),
        (b"\x68\xff\xff\xff\x07", "a text is cut off"),
        (b"\x7f\x00", "another type"),
        (b"\xf5\x00", "of the number 15"),
    ],
)
def test_footers_that_mean_nothing(footer, word, path):
    path.write_bytes(with_footer(path.read_bytes(), footer))
    with pytest.raises(TableError, match=word):
        read_published(path)


def test_footers_without_end(path, monkeypatch):
    monkeypatch.setattr(parquet_layout, "LARGEST_FOOTER", 100)
    with pytest.raises(TableError, match=r"its footer is of .* bytes; at most 100 are read"):
        read_published(path)


def test_whatever_byte_is_changed(path):
    """One line, and never more rows or columns than there were."""
    data = path.read_bytes()
    rng = np.random.default_rng(1)
    for at in rng.integers(4, len(data), 300).tolist():
        path.write_bytes(data[:at] + bytes([data[at] ^ (1 << int(rng.integers(8)))]) + data[at + 1 :])
        try:
            assert read_published(path).frame.shape == FRAME.shape
        except TableError as problem:
            assert len(problem.problems) == 1
    for size in range(0, len(data), 197):
        path.write_bytes(data[:size])
        with pytest.raises(TableError, match=r"not a whole Parquet file|is empty"):
            read_published(path)
