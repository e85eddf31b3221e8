import gzip
import json

import polars as pl
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from likeness.cli import main
from likeness.errors import TableError
from likeness.tables import json_lines, read

RECORDS = [
    {"age": 20 + i % 50, "zip": f"{i:05}", "dose": i / 4, "disease": "flu" if i % 3 else "naïve"}
    for i in range(300)
]
CSV = pl.DataFrame(RECORDS).write_csv()
LINES = "".join(json.dumps(one) + "\n" for one in RECORDS)


@pytest.mark.parametrize("name", ["a.jsonl", "a.ndjson", "A.JSONL"])
def test_json_lines_are_the_table(csv_file, name):
    table, plain = read(csv_file(LINES, name)), read(csv_file(CSV))
    assert (table.library, table.format, table.names) == ("polars", "jsonl", plain.names)
    assert table.frame.equals(pl.DataFrame(RECORDS))
    assert table.digest == plain.digest
    assert [table.kind(name) for name in table.names] == [plain.kind(name) for name in plain.names]
    assert table.where(2) == "row 3"


@pytest.mark.parametrize(
    ("ending", "pack"), [(".gz", gzip.compress), (".zst", zstandard.ZstdCompressor().compress)]
)
def test_they_may_be_compressed(csv_file, ending, pack):
    table = read(csv_file(pack(LINES.encode()), f"a.jsonl{ending}"))
    assert table.digest == read(csv_file(CSV)).digest


def test_a_missing_key_is_a_missing_value(csv_file):
    text = '{"age": 40, "sex": null}\n\n{"sex": "x", "zip": "02139"}\r\n{}\n{"age": 1, "zip": ""}'
    table = read(csv_file(text, "a.jsonl"))
    assert table.frame.to_dict(as_series=False) == {
        "age": [40, None, None, 1],
        "sex": [None, "x", None, None],
        "zip": [None, "02139", None, ""],
    }
    assert table.encode("age").codes.tolist() == [1, -1, -1, 0]
    assert table.digest == read(csv_file("age,sex,zip\n40,,\n,x,02139\n,,\n1,,\n")).digest


def test_columns_that_come_late_are_seen(csv_file):
    text = '{"a": 1}\n' * 5000 + '{"a": 2.5, "b": true}\n'
    table = read(csv_file(text, "a.jsonl"))
    assert (table.names, table.frame["a"][-1], table.frame["b"][-1]) == (("a", "b"), 2.5, True)


def test_marks_and_encodings(csv_file):
    text = '{"city": "León", "dose": "3,5"}\n'
    for data in (text.encode("utf-8-sig"), text.encode("utf-16")):
        assert read(csv_file(data, "a.jsonl")).frame["city"].to_list() == ["León"]
    path = csv_file(text.encode("cp1252"), "a.jsonl")
    with pytest.raises(TableError, match=r"not utf-8 at line 1 .*--encoding cp1252"):
        read(path)
    assert read(path, encoding="cp1252", decimal=",").encode("dose").values.tolist() == [3.5]
    with pytest.raises(TableError, match="delimiter and header can be given for CSV files only"):
        read(path, delimiter=";", header=False)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("\n \n", "the file is empty"),
        ('{"a": 1}\n{"a": 2', r"line 2 is not JSON \("),
        ('{"a": 1}\n\n{"a": 2}x\n', r"line 3 is not JSON \(Extra data\)"),
        ('{"a": 1}{"a": 2}\n', r"line 1 is not JSON \(Extra data\)"),
        ('[{"a": 1}]\n', 'line 1 is not an object such as {"age": 40}'),
        ('{"a": 1}\n5\n', "line 2 is not an object"),
        ('{"a": NaN}\n', "line 1 is not JSON .*NaN is no number of JSON"),
        ("a,b\n1,2\n", "line 1 is not JSON"),
        (b"\x93rubbish\n", "not utf-8 at line 1"),
        (b"PK\x03\x04\x00\x00", "is no text but an archive, such as an Excel file"),
        ("[" * 100_000, "line 1 is not JSON"),
        ("{}\n{}\n", "has no columns"),
        ('{"": 1}\n', "column 1 has no name"),
        (
            '{"a": true}\n{"a": 2}\n',
            "holds true or false, the first on line 1, and numbers, the first on line 2",
        ),
        ('{"a": 1e400}\n', "cannot be read as JSON lines"),
    ],
)
def test_bad_files_are_one_line(csv_file, text, message):
    with pytest.raises(TableError, match=message) as caught:
        read(csv_file(text, "a.jsonl"))
    assert len(str(caught.value).splitlines()) == 1
    assert "a.jsonl" in str(caught.value)


@pytest.mark.parametrize(
    "values",
    [['["a"]'], ["{}"], ['{"x": 1}', "null"], ['"text"', "[1]"], ['"text"', '{"x": 1}'], ["1", "[1]"]],
)
def test_columns_of_nested_values_are_named(csv_file, values):
    text = "".join(f'{{"ok": 1, "tags": {value}}}\n' for value in ["null", *values])
    with pytest.raises(
        TableError, match=r"column 'tags' holds lists or objects, the first on line [23],"
    ) as caught:
        read(csv_file(text, "a.jsonl"))
    assert len(caught.value.problems) == 1


def test_texts_that_look_like_lists_are_texts(csv_file):
    table = read(csv_file('{"note": "[sic]"}\n{"note": "{x}"}\n', "a.jsonl"))
    assert table.frame["note"].to_list() == ["[sic]", "{x}"]


POLICY = """
columns:
  age: {role: quasi, kind: integer}
  zip: {role: drop}
  dose: {role: drop}
  disease: {role: sensitive}
privacy: {model: k-anonymity, k: 5}
effort: quick
seed: 7
"""


def test_a_release_of_json_lines_is_that_of_the_csv(csv_file, tmp_path, capsys):
    policy, lines = (
        csv_file(f"{POLICY}output: {{format: csv}}\n", "policy.yaml"),
        csv_file(LINES, "people.jsonl"),
    )
    for table, out in ((csv_file(CSV), "plain"), (lines, "lines")):
        assert main(["anonymize", str(table), str(policy), "-o", str(tmp_path / out)]) == 0
    release = "public/release.csv"
    assert (tmp_path / "plain" / release).read_bytes() == (tmp_path / "lines" / release).read_bytes()
    for out in ("plain", "lines"):
        assert main(["verify", str(tmp_path / out), "--original", str(lines)]) == 0
    csv_file(LINES.replace('"age": 21', '"age": 22', 1), "people.jsonl")
    assert main(["verify", str(tmp_path / "lines"), "--original", str(lines)]) == 1
    csv_file(LINES[:-9], "people.jsonl")
    capsys.readouterr()
    assert main(["profile", str(lines)]) == 2
    assert "line 300 is not JSON" in capsys.readouterr().err


def test_the_second_table_may_be_json_lines(csv_file, tmp_path):
    people = csv_file("id,age\n" + "".join(f"{i},{20 + i % 5}\n" for i in range(60)), "people.csv")
    csv_file("".join(f'{{"id": {i}, "disease": "d{i % 7}"}}\n' for i in range(60)), "conditions.jsonl")
    policy = csv_file(
        """
individual: id
records: {table: conditions.jsonl, on: id}
columns:
  id: {role: identifier}
  age: {role: quasi, kind: integer}
  disease: {role: sensitive}
privacy: {model: k-anonymity, k: 5}
effort: quick
seed: 7
""",
        "policy.yaml",
    )
    assert main(["anonymize", str(people), str(policy), "-o", str(tmp_path / "out")]) == 0
    assert main(["verify", str(tmp_path / "out"), "--original", str(people)]) == 0


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ('{"a": 1, "a": 2, "b": "x"}', "a"),
        ('{"a": 1, "b": "x", "b": null}', "b"),
        ('{"a": null, "b": "x", "a": null}', "a"),
        ('{"a":1,"b":"x","\\u0061":1}', "a"),
        ('{"a": 1, "a": [1, "x"], "b": "x"}', "a"),
        ('{"b": "}, \\"a\\": 2", "a" : 1, "a" : 2}', "a"),
        ('{"b": "x", "c:d": 1, "c:d": "e:f"}', "c:d"),
    ],
)
@pytest.mark.parametrize("before", [3, 5000])
def test_a_key_twice_in_a_line_is_refused(csv_file, monkeypatch, line, key, before):
    monkeypatch.setattr(json_lines, "_PIECE", 1 << 12)
    text = '{"a": 1, "b": "x"}\n' * before + f"\n{line}\n" + '{"a": 2, "b": "y"}\n'
    wanted = rf"a\.jsonl: the key '{key}' stands twice on line {before + 2}; give each value its own$"
    with pytest.raises(TableError, match=wanted):
        read(csv_file(text, "a.jsonl"))


@pytest.mark.parametrize(
    "line",
    [
        '{"b": "a", "a": 1}',
        '{"b": "\\"a\\": 1, \\"a\\": 2", "a": 1}',
        '{"a": 1, "b": "x:y, {z}"}',
        '{"a:b": "a:b", "a": 1, "a:": ":"}',
        "{}",
        " ",
    ],
)
def test_what_only_looks_like_a_key_twice_is_read_once(csv_file, monkeypatch, line):
    monkeypatch.setattr(json_lines, "_refuse", None)
    text = f'{{"a": 1, "b": "x"}}\n{line}\n'
    table = read(csv_file(text, "a.jsonl"))
    assert table.frame.rows(named=True)[-1].items() >= json.loads(line if line.strip() else "{}").items()


KEYS = st.sampled_from(["a", "b", "a:b", '"', "\\", ":", "é", "{", ","])
VALUES = st.sampled_from(
    [0, -1.5e-7, True, None, "", "x", ":", '"a":1', '\\","a":', "{", "}", ",", "[1]", "é\n"]
)
RECORDS_OF_PAIRS = st.lists(st.lists(st.tuples(KEYS, VALUES), max_size=4), min_size=1, max_size=5)


@given(RECORDS_OF_PAIRS, st.sampled_from([",", " ,\t"]), st.sampled_from([":", " : "]), st.booleans())
def test_keys_are_found_twice_where_reading_every_line_finds_them(records, comma, colon, ascii_only):
    def written(value):
        return json.dumps(value, ensure_ascii=ascii_only)

    lines = [
        "{" + comma.join(f"{written(key)}{colon}{written(value)}" for key, value in one) + "}"
        for one in records
    ]
    names = sorted({key for one in records for key, _ in one})
    text = "\n\n".join(lines).encode()
    twice = any(len({key for key, _ in one}) < len(one) for one in records)
    assert json_lines._may_repeat_keys(text, names) is twice
