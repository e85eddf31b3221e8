import gzip

import pytest

from likeness.errors import TableError
from likeness.tables.file_bytes import read_bytes, to_utf8

TEXT = "naïve\n東京\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_utf8_and_byte_order_marks_are_recognised(encoding):
    assert to_utf8(TEXT.encode(encoding), source="a", encoding=None) == TEXT.encode()


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "shift_jis", "utf-8", "UTF8"])
def test_a_given_encoding_is_used(encoding):
    text = "東京\n"
    assert to_utf8(text.encode(encoding), source="a", encoding=encoding) == text.encode()


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1"])
def test_western_bytes_only_when_given(encoding):
    data = "a\nb\nnaïve\n".encode(encoding)
    assert to_utf8(data, source="a", encoding=encoding) == "a\nb\nnaïve\n".encode()
    with pytest.raises(TableError) as caught:
        to_utf8(data, source="a.csv", encoding=None)
    assert str(caught.value) == (
        "a.csv: not utf-8 at line 3 (byte offset 6, value 0xEF); "
        "give its encoding, such as cp1252 or latin-1 (--encoding cp1252)"
    )


def test_a_given_encoding_may_be_wrong():
    with pytest.raises(TableError, match=r"a: not ascii at line 1 \(byte offset 2, value 0xC3\)"):
        to_utf8(TEXT.encode(), source="a", encoding="ascii")
    with pytest.raises(TableError, match="no such encoding: 'klingon'"):
        to_utf8(TEXT.encode(), source="a", encoding="klingon")


def test_the_mark_goes_even_when_the_encoding_is_given():
    assert to_utf8(TEXT.encode("utf-8-sig"), source="a", encoding="utf-8") == TEXT.encode()
    assert to_utf8(b"\xff\xfe" + TEXT.encode("utf-16-le"), source="a", encoding="utf-16-le") == TEXT.encode()


def test_zero_bytes_are_no_text():
    with pytest.raises(TableError, match=r"zero bytes.*utf-16-le"):
        to_utf8("ab".encode("utf-16-le"), source="a", encoding=None)


def test_a_truncated_utf16_file_is_an_error():
    with pytest.raises(TableError, match="not utf-16"):
        to_utf8(TEXT.encode("utf-16")[:-1], source="a", encoding=None)


def test_bare_carriage_returns_end_lines():
    assert to_utf8(b"a\r1\r", source="a", encoding=None) == b"a\n1\n"
    assert to_utf8(b"a\r\n1\r\n", source="a", encoding=None) == b"a\r\n1\r\n"


def test_gzip_is_decompressed(csv_file):
    assert read_bytes(csv_file(gzip.compress(b"a\n1\n"), "a.csv.gz")) == b"a\n1\n"


@pytest.mark.parametrize("cut", [5, 15, -3])
def test_truncated_gzip_is_an_error(csv_file, cut):
    with pytest.raises(TableError, match="damaged or truncated gzip"):
        read_bytes(csv_file(gzip.compress(b"a\n1\n" * 100)[:cut], "a.csv.gz"))


def test_no_such_file_and_folders(tmp_path):
    with pytest.raises(TableError, match=r"gone\.csv: no such file$"):
        read_bytes(tmp_path / "gone.csv")
    with pytest.raises(TableError, match="is a folder"):
        read_bytes(tmp_path)


def test_a_file_that_may_not_be_read(csv_file, monkeypatch):
    path = csv_file("a\n1\n")

    def refuse(self):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(type(path), "read_bytes", refuse)
    with pytest.raises(TableError, match=r"cannot be read \(Permission denied\)"):
        read_bytes(path)


MIXED = b"city\n" + "México\n".encode() * 99 + "León\n".encode("cp1252") + "Bogotá\n".encode()


def test_a_file_that_is_utf8_but_for_a_line_is_not_to_be_read_as_cp1252():
    with pytest.raises(TableError) as caught:
        to_utf8(MIXED, source="a.csv", encoding=None)
    assert str(caught.value) == (
        "a.csv: not utf-8 at line 101 (byte offset 799, value 0xF3); 1 line is not UTF-8, and 100 lines hold letters in UTF-8, "
        "such as 'México' on line 2, which cp1252 would turn into 'MÃ©xico'; give the encoding utf-8+cp1252 (--encoding "
        "utf-8+cp1252): what is UTF-8 is read as that, every other byte as cp1252"
    )


def test_a_file_that_is_utf8_in_part_is_read_without_a_loss():
    text = to_utf8(MIXED, source="a.csv", encoding="utf-8+cp1252").decode()
    assert text == "city\n" + "México\n" * 99 + "León\nBogotá\n"
    marked = b"\xef\xbb\xbf" + MIXED
    assert to_utf8(marked, source="a.csv", encoding="UTF8+CP1252").decode() == text
    both = "México,".encode() + "León\n".encode("cp1252")
    assert to_utf8(both, source="a.csv", encoding="utf-8+cp1252").decode() == "México,León\n"


def test_bytes_that_neither_encoding_has_are_named():
    with pytest.raises(TableError, match=r"not utf-8\+cp1252 at line 2 \(byte offset 4, value 0x81\)"):
        to_utf8("é\na".encode() + b"\x81", source="a.csv", encoding="utf-8+cp1252")


@pytest.mark.parametrize(
    "encoding", ["utf-8+klingon", "utf-8+shift_jis", "utf-16+cp1252", "utf-8+utf-16", "utf-8+"]
)
def test_only_encodings_of_single_bytes_may_stand_in_for_utf8(encoding):
    with pytest.raises(TableError, match="no such encoding"):
        to_utf8(MIXED, source="a.csv", encoding=encoding)


@pytest.mark.parametrize(
    ("data", "remedy"),
    [(MIXED, "give the encoding utf-8+cp1252"), ("México\n".encode(), "leave the encoding out")],
)
def test_an_encoding_that_garbles_utf8_is_refused(data, remedy):
    with pytest.raises(TableError, match="the encoding cp1252 was given, but") as caught:
        to_utf8(data, source="a.csv", encoding="cp1252")
    assert "'MÃ©xico'" in str(caught.value)
    assert remedy in str(caught.value)


def test_letters_that_are_utf8_by_chance_are_no_reason_to_refuse():
    # «É» of cp1252 is a letter of UTF-8; the other lines are not.
    data = "«É»\n".encode("cp1252")[1:] + "père\n".encode("cp1252") * 20
    assert to_utf8(data, source="a.csv", encoding="cp1252").decode() == "É»\n" + "père\n" * 20
    # Two bytes of GBK that are one letter of UTF-8: a famous one.
    assert to_utf8("联通\n".encode("gbk"), source="a.csv", encoding="gbk").decode() == "联通\n"
    with pytest.raises(TableError, match="leave the encoding out"):
        to_utf8("Ünal\nÖzil\nÄrzte\n".encode(), source="a.csv", encoding="gbk")
