"""Options that commands share."""

from __future__ import annotations

import pytest

from likeness.cli._options import AS_FOUND, Reading, pair, part
from likeness.errors import InvalidError


@pytest.mark.parametrize(
    ("text", "reading", "names"),
    [
        ("age;sex\n31,5;f\n", AS_FOUND, ("age", "sex")),
        ("age\tsex\n31\tf\n", Reading(delimiter="tab"), ("age", "sex")),
        ("age\tsex\n31\tf\n", Reading(delimiter="\\t"), ("age", "sex")),
        ("age,sex\n31,'f'\n", Reading(quote="'"), ("age", "sex")),
        ('age,sex\n31,"f\n', Reading(quote="none"), ("age", "sex")),
        ("31,f\n", Reading(no_header=True), ("column_1", "column_2")),
        ("31,f\n", Reading(header="age, sex"), ("age", "sex")),
    ],
)
def test_reading(text, reading, names, tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(text)
    table = reading.read(path)
    assert table.names == names
    assert table.height == 1


def test_encoding_and_decimal_mark(tmp_path):
    path = tmp_path / "table.csv"
    path.write_bytes("größe;name\n1,5;Jürgen\n".encode("cp1252"))
    table = Reading(encoding="cp1252", decimal=",").read(path)
    assert table.names == ("größe", "name")
    assert table.encode("größe").values.tolist() == [1.5]


def test_pairs():
    assert pair("a=b=c", "--role") == ("a=b", "c")
    for text in ("a", "=a", "a="):
        with pytest.raises(InvalidError, match="NAME=VALUE"):
            pair(text, "--role")


def test_parts():
    assert part("linkage") == ("linkage", {})
    assert part("x:a=1,b=0.5,c=true,d=word") == ("x", {"a": 1, "b": 0.5, "c": True, "d": "word"})
    with pytest.raises(InvalidError, match="NAME=VALUE"):
        part("x:a")
    with pytest.raises(InvalidError, match="is not a value"):
        part("x:a=[")
