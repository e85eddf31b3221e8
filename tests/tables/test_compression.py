import builtins
import bz2
import gzip
import lzma
import random

import pytest
import zstandard

from likeness.cli import main
from likeness.errors import TableError
from likeness.tables import compression, read
from likeness.tables.compression import COMPRESSIONS, compression_of
from likeness.tables.file_bytes import read_bytes

PACK = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.ZstdCompressor(write_checksum=True).compress,
}
NAMES = {one.ending: one.name for one in COMPRESSIONS}
TEXT = "age,zip,disease\n" + "".join(
    f"{20 + i % 50},{i:05},{'flu' if i % 3 else 'cold'}\n" for i in range(300)
)


@pytest.fixture(params=PACK)
def ending(request):
    """Each ending in turn."""
    return request.param


def test_every_kind_is_tested():
    assert set(PACK) == set(compression.ENDINGS)


def test_a_compressed_table_is_the_table(csv_file, ending):
    plain = read(csv_file(TEXT))
    packed = read(csv_file(PACK[ending](TEXT.encode()), f"table.csv{ending}"))
    assert packed.frame.equals(plain.frame)
    assert (packed.digest, packed.format) == (plain.digest, "csv")
    assert packed.where(2) == "line 4"


def test_tabs_follow_from_the_name(csv_file, ending):
    path = csv_file(PACK[ending](b"a\tb;c;d\n1\t2;3;4\n"), f"table.TSV{ending.upper()}")
    assert read(path).names == ("a", "b;c;d")


def test_the_content_says_how_it_is_compressed(csv_file, ending):
    packed = PACK[ending](TEXT.encode())
    for name in ("table.csv", "table.csv.gz", "table.csv.xz"):
        assert read_bytes(csv_file(packed, name)) == TEXT.encode()


def test_streams_one_after_another_are_one_file(csv_file, ending):
    data = TEXT.encode()
    parts = b"".join(PACK[ending](data[i : i + 700]) for i in range(0, len(data), 700))
    assert read_bytes(csv_file(parts, f"a.csv{ending}")) == data


def test_pieces_of_any_size(csv_file, ending, monkeypatch):
    monkeypatch.setattr(compression, "_PIECE", 7)
    monkeypatch.setattr(compression, "_STEP", 3)
    assert read_bytes(csv_file(PACK[ending](TEXT.encode()), f"a.csv{ending}")) == TEXT.encode()


def test_truncated_files_are_errors(csv_file, ending):
    packed = PACK[ending](random.Random(1).randbytes(30_000))
    for keep in (10, 20, len(packed) // 2, len(packed) - 3, len(packed) - 1):
        with pytest.raises(TableError) as caught:
            read_bytes(csv_file(packed[:keep], f"a.csv{ending}"))
        assert f"damaged or truncated {NAMES[ending]} file (" in str(caught.value)
        assert len(str(caught.value).splitlines()) == 1


def test_damaged_files_are_errors(csv_file, ending):
    packed = bytearray(PACK[ending](TEXT.encode()))
    packed[len(packed) // 2] ^= 0x55
    with pytest.raises(TableError, match=f"damaged or truncated {NAMES[ending]}"):
        read_bytes(csv_file(bytes(packed), f"a.csv{ending}"))


def test_a_damaged_second_stream_loses_no_record_in_silence(csv_file, ending):
    # bz2.open and lzma.open leave away what they cannot read behind the first stream.
    packed, second = PACK[ending](TEXT.encode()), bytearray(PACK[ending](TEXT.encode()))
    second[2] ^= 0x55
    with pytest.raises(TableError, match="damaged or truncated"):
        read_bytes(csv_file(packed + bytes(second), f"a.csv{ending}"))


@pytest.mark.parametrize("pad", [".gz", ".xz"])
def test_zero_bytes_may_follow(csv_file, pad):
    assert read_bytes(csv_file(PACK[pad](b"a\n1\n") + bytes(8), f"a.csv{pad}")) == b"a\n1\n"


def test_what_is_not_compressed_though_its_name_says_so(csv_file, ending):
    message = f"is no {NAMES[ending]} file, though its name says so; fetch it again, or rename it"
    for content in (TEXT.encode(), b"\x00\x9f\x01rubbish", b"a"):
        with pytest.raises(TableError, match=message):
            read(csv_file(content, f"a.csv{ending}"))
    for content in (b"", PACK[ending](b"")):
        with pytest.raises(TableError, match="the file is empty"):
            read(csv_file(content, f"a.csv{ending}"))


def test_text_that_begins_like_bzip2_is_text(csv_file):
    assert compression_of(b"BZh9,age\n1,2\n") is None
    assert read(csv_file("BZh9,age\n1,2\n")).names == ("BZh9", "age")


def test_far_more_than_a_table_takes_is_refused(csv_file, ending, monkeypatch):
    monkeypatch.setattr(compression, "_ALWAYS", 1 << 20)
    monkeypatch.setattr(compression, "_PIECE", 1 << 16)
    path = csv_file(PACK[ending](bytes(1 << 24)), f"a.csv{ending}")
    with pytest.raises(TableError, match=r"holds more than \d+ MB, over 200 times what the file takes"):
        read_bytes(path)


def test_a_library_that_is_not_there_is_named(csv_file, monkeypatch):
    path = csv_file(PACK[".zst"](TEXT.encode()), "a.csv.zst")
    load = builtins.__import__

    def without(name, *args, **options):
        if name == "zstandard":
            raise ModuleNotFoundError(name)
        return load(name, *args, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(TableError, match=r"pip install 'likeness\[zstd\]'"):
        read(path)


@pytest.mark.parametrize("name", ["a.parquet.xz", "a.arrow.zst", "a.gz", "a.zst"])
def test_only_text_is_compressed(tmp_path, name):
    with pytest.raises(TableError, match=r"unknown extension .* and text compressed: \.csv\.gz, \.csv\.bz2"):
        read(tmp_path / name)


POLICY = """
columns:
  age: {role: quasi, kind: integer}
  zip: {role: drop}
  disease: {role: sensitive}
privacy: {model: k-anonymity, k: 5}
effort: quick
seed: 7
"""


@pytest.mark.slow
def test_a_release_of_a_compressed_table_is_that_of_the_table(csv_file, ending, tmp_path, capsys):
    policy, packed = csv_file(POLICY, "policy.yaml"), csv_file(PACK[ending](TEXT.encode()), f"p.csv{ending}")
    for table, out in ((csv_file(TEXT), "plain"), (packed, "packed")):
        assert main(["anonymize", str(table), str(policy), "-o", str(tmp_path / out)]) == 0
    release = tmp_path / "packed" / f"public/release.csv{ending}"
    assert (tmp_path / "plain/public/release.csv").read_bytes() == read_bytes(release)
    assert main(["verify", str(tmp_path / "packed"), "--original", str(packed)]) == 0
    assert main(["verify", str(tmp_path / "plain"), "--original", str(packed)]) == 0
    packed.write_bytes(packed.read_bytes()[:-5])
    capsys.readouterr()
    assert main(["check", str(packed), str(policy)]) == 2
    assert "damaged or truncated" in capsys.readouterr().err
