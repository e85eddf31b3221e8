from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from likeness.errors import PolicyError
from likeness.policy import Policy, files
from likeness.policy.files import Document, read_document, read_json, read_yaml, write_yaml


def content(text):
    return read_yaml(text, "p.yaml").content


def refused(call, *arguments):
    with pytest.raises(PolicyError) as problem:
        call(*arguments)
    (line,) = problem.value.problems
    return line


def test_keys_are_the_texts_that_stand_there():
    assert content("{no: 1, 2020: 2, 007: 3, 2024-01-01: 4, ~: 5, true: 6, 'a b': 7}") == {
        "no": 1, "2020": 2, "007": 3, "2024-01-01": 4, "~": 5, "true": 6, "a b": 7,
    }  # fmt: skip


def test_only_true_and_false_are_truths_and_only_plain_decimals_are_numbers():
    assert content("a: [yes, no, on, off, true, False]")["a"] == ["yes", "no", "on", "off", True, False]
    assert content("a: [012, 0, -3, 1_000, 0x1F, 12:30]")["a"] == ["012", 0, -3, "1_000", "0x1F", "12:30"]
    assert content("a: [1.5, 1e3, .5, 2., +1]")["a"] == [1.5, 1000.0, 0.5, 2.0, 1]
    assert content("a: [2024-01-31, 2024-13-01, null, '5']")["a"] == [
        date(2024, 1, 31),
        "2024-13-01",
        None,
        "5",
    ]
    assert content(f"a: {'9' * 5000}")["a"] == "9" * 5000


def test_markers_labels_and_listed_values_stay_texts():
    read = content(
        """
        missing: {markers: [-9, NA, null, 1.50, "?"]}
        columns:
          a: {missing: {markers: [0.0]}, kind: ordered, domain: [no, 1.10, 007]}
          b: {hierarchy: {"*": {north: [no, 250.00], south: }}}
          c: {hierarchy: [[250.00, "*"]]}
          d: {hierarchy: {intervals: [0, 18]}, domain: [0, 18]}
          missing: {markers: [1]}
        weights: 2020
        individual: null
        privacy: [{model: x, sensitive: 7, k: 5}]
        """
    )
    columns = read["columns"]
    assert read["missing"]["markers"] == ["-9", "NA", "null", "1.50", "?"]
    assert columns["a"] == {
        "missing": {"markers": ["0.0"]},
        "kind": "ordered",
        "domain": ["no", "1.10", "007"],
    }
    assert columns["b"]["hierarchy"] == {"*": {"north": ["no", "250.00"], "south": None}}
    assert columns["c"]["hierarchy"] == [["250.00", "*"]]
    assert columns["d"] == {"hierarchy": {"intervals": [0, 18]}, "domain": [0, 18]}
    assert columns["missing"] == {"markers": [1]}
    assert (read["weights"], read["individual"]) == ("2020", None)
    assert read["privacy"] == [{"model": "x", "sensitive": "7", "k": 5}]


def test_keys_given_twice_are_found_with_both_lines():
    document = read_yaml(
        "columns:\n  a: {role: quasi}\n  b: {}\n  a: {role: sensitive}\nseed: 1\nseed: 2\n", "p.yaml"
    )
    assert tuple(map(str, document.explain(document.problems))) == (
        "p.yaml, line 2: columns: 'a' is given twice, in line 2 and in line 4; a column has one role",
        "p.yaml, line 5: 'seed' is given twice, in line 5 and in line 6; keep one of them",
    )


def test_merge_keys_fill_in_and_never_override():
    read = content(
        "base: &b {role: quasi, weight: 2}\na: {<<: *b, weight: 3}\nc: {weight: 3, <<: [*b, {kind: real}]}"
    )
    assert read["a"] == {"role": "quasi", "weight": 3}
    assert read["c"] == {"role": "quasi", "weight": 3, "kind": "real"}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a: [", "p.yaml, line 1, column 5: is not YAML: expected the node content"),
        ("a: b: c", "p.yaml, line 1, column 5: is not YAML: mapping values are not allowed here"),
        ("a: 1\n---\nb: 2", "p.yaml, line 2, column 1: is not YAML: but found another document"),
        ("a: \x07", "p.yaml, line 1: is not YAML: special characters are not allowed (U+0007)"),
        ("a: *x", "p.yaml, line 1, column 4: is not YAML: found undefined alias 'x'"),
        ("a: &x [*x]", "p.yaml, line 1, column 4: is not YAML: an alias repeats what it stands in"),
        ("a: &x {<<: *x}", "p.yaml, line 1, column 4: is not YAML: << merges mappings"),
        ("[1, 2]: 3", "p.yaml, line 1, column 1: is not YAML: a key must be a text"),
        ("a: !!python/object:os.system x", "p.yaml, line 1, column 4: is not YAML: the tag"),
        ("a: !!set {x}", "p.yaml, line 1, column 4: is not YAML: the tag"),
        ("- a", "p.yaml: holds a list; a policy is a mapping"),
        ("a", "p.yaml: holds a single value; a policy is a mapping"),
        ("# nothing", "p.yaml: holds nothing; a policy needs the keys columns and privacy"),
        ("[" * 2000, "p.yaml: is nested too deeply to be a policy"),
    ],
)
def test_what_is_no_policy_is_one_line(text, problem):
    assert refused(read_yaml, text, "p.yaml").startswith(problem)


def test_aliases_of_aliases_are_not_written_out_without_end():
    bomb = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"{this}: &{this} [{', '.join([f'*{last}'] * 10)}]\n"
        for last, this in zip("abcdef", "bcdefg", strict=True)
    )
    assert "far too much" in refused(read_yaml, bomb, "p.yaml")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "p.json, line 1, column 2: is not JSON: Expecting property name"),
        ('{"a":\n 1,}', "p.json, line 2, column "),
        ("[1]", "p.json: holds a list"),
        ("[" * 100_000, "p.json: is no policy: it is nested too deeply"),
        ('{"a": ' + "9" * 5000 + "}", "p.json: is no policy: a number has too many digits"),
    ],
)
def test_what_is_no_json_is_one_line(text, problem):
    assert refused(read_json, text, "p.json").startswith(problem)


def test_json_keys_given_twice_are_found():
    document = read_json('{"columns": {"a": 1, "a": 2}}', "p.json")
    assert tuple(map(str, document.explain(document.problems))) == ("p.json: the key 'a' is given twice",)


def test_files_that_cannot_be_read_are_one_line(tmp_path):
    assert refused(read_document, tmp_path / "no.yaml").startswith("no.yaml: there is no such policy file")
    assert refused(read_document, tmp_path).endswith("is a folder; give the policy file in it")
    file = tmp_path / "p.yaml"
    file.write_bytes(b"")
    assert (
        refused(read_document, file)
        == "p.yaml: the file is empty; a policy needs the keys columns and privacy"
    )
    file.write_bytes("a: 1\nb: ä".encode("latin-1"))
    assert refused(read_document, file) == "p.yaml, line 2: byte 0xe4 is not UTF-8; save the file as UTF-8"
    file.write_bytes("a: 1".encode("utf-16"))
    assert "is not UTF-8" in refused(read_document, file)


def test_a_byte_order_mark_and_other_line_ends_do_not_matter(tmp_path):
    file = tmp_path / "p.yaml"
    file.write_bytes(b"\xef\xbb\xbfa: 1\r\nb: 2\r\n")
    assert read_document(file).content == {"a": 1, "b": 2}


def test_the_name_decides_what_is_json(tmp_path):
    file = tmp_path / "p.JSON"
    file.write_text('{"a":\t[1]}', encoding="utf-8")
    assert read_document(file).content == {"a": [1]}
    assert content('{"a": [1, true, null]}') == {"a": [1, True, None]}


def test_problems_come_in_the_order_of_the_file_with_their_nearest_line():
    from likeness.policy.problems import Entry

    document = read_yaml("b: 1\na:\n  - {x: 1}\n  - {x: 2}\n", "p.yaml")
    found = tuple(
        map(str, document.explain([Entry(("a", 1, "y"), "bad"), Entry(("b",), "bad"), Entry((), "bad", "c")]))
    )
    assert found == ("p.yaml: bad", "p.yaml, line 1: b: bad", "p.yaml, line 4: a[1].y: bad")


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)


@pytest.mark.slow
@given(st.dictionaries(st.text(), plain, min_size=1, max_size=4))
@settings(max_examples=50, deadline=None)
def test_what_is_written_reads_back_the_same(mapping):
    # Keys whose values are always texts are another matter (test_round_trip.py).
    mapping = {f"x{key}": value for key, value in mapping.items()}
    assert read_yaml(write_yaml(mapping), "p.yaml").content == mapping


@given(st.text(st.sampled_from("ab:-[]{},&*!<'\"#?|>% \n\t~09.\x00é\u2028")))
@settings(max_examples=50, deadline=None)
def test_any_text_is_a_document_or_a_policy_error(text):
    for read in (read_yaml, read_json):
        try:
            found = read(text, "p")
        except PolicyError as problem:
            found = problem
        assert isinstance(found, Document) or len(found.problems) == 1


def bomb(levels: int, merge: str) -> str:
    """A policy whose mappings each bring the one before twice."""
    lines = ["a0: &a0 {x: 1}"]
    lines += [f"a{i}: &a{i} {merge.replace('A', f'*a{i - 1}')}" for i in range(1, levels)]
    return "\n".join(lines)


def test_mappings_merged_twice_are_read_once():
    # Forty times twice would be a million million keys; merged again, a mapping brings nothing new.
    content = read_yaml(bomb(40, "{<<: [A, A], y: 2}"), "p.yaml").content
    assert content["a39"] == {"y": 2, "x": 1}


@pytest.mark.slow
@pytest.mark.parametrize("bring", ["[A, A]", "{one: A, two: A}", "{one: {<<: A}, <<: A, two: [A, A]}"])
def test_aliases_of_aliases_are_refused_when_they_write_out_too_much(bring):
    with pytest.raises(
        PolicyError, match=r"is not YAML: an alias repeats what it stands in, or far too much$"
    ):
        read_yaml(bomb(40, bring), "p.yaml")


@pytest.mark.slow
def test_many_mappings_that_merge_many_are_refused():
    many = "\n".join(f"m{i}: &m{i} {{same: {i}}}" for i in range(700))
    all_of_them = ", ".join(f"*m{i}" for i in range(700))
    merging = "\n".join(f"n{i}: {{<<: [{all_of_them}]}}" for i in range(200))
    with pytest.raises(PolicyError, match="far too much"):
        read_yaml(f"{many}\n{merging}", "p.yaml")


@pytest.mark.slow
def test_a_long_policy_without_aliases_is_read_whole():
    text = "columns:\n" + "".join(f"  c{i}: {{r: 1, s: 2, t: [3, 4, 5, 6, 7, 8]}}\n" for i in range(20_500))
    assert len(read_yaml(text, "p.yaml").content["columns"]) == 20_500


def test_mappings_that_merge_themselves_in_a_circle_are_refused():
    with pytest.raises(PolicyError, match=r"<< merges mappings|repeats what it stands in"):
        read_yaml("d: {<<: &b {x: 1, <<: {<<: *b}}}", "p.yaml")


def test_keys_of_json_that_are_given_twice_are_found_among_many():
    text = "{" + ", ".join(f'"k{i}": {i}' for i in range(20_000)) + ', "k7": 1}'
    assert [entry.message for entry in read_json(text, "p.json").problems] == ["the key 'k7' is given twice"]


def test_files_that_no_policy_is_as_large_as_are_not_read(tmp_path, monkeypatch):
    """Whatever they say of their size: a device says none."""
    sparse = tmp_path / "p.yaml"
    with sparse.open("wb") as file:
        file.truncate(20 << 30)
    (tmp_path / "zero.yaml").symlink_to("/dev/zero")
    for path in (sparse, tmp_path / "zero.yaml"):
        assert "is of more than 4,194,304 bytes, which no policy is; put" in refused(read_document, path)
    monkeypatch.setattr(files, "LARGEST", 10)
    (tmp_path / "p.json").write_text('{"a": 123}')
    assert read_document(tmp_path / "p.json").content == {"a": 123}
    (tmp_path / "p.json").write_text('{"a": 1234}')
    assert "is of more than 10 bytes" in refused(read_document, tmp_path / "p.json")


def test_more_keys_and_values_than_any_policy_has_are_not_all_read(monkeypatch):
    monkeypatch.setattr(files, "MOST_NODES", 100)
    assert len(content(f"a: [{'1, ' * 96}1]")["a"]) == 97
    said = refused(content, f"a: [{'1, ' * 97}1{', 1' * 1000}]")
    assert said.startswith("p.yaml, line 1, column 298: ")
    assert "more than 100 keys and values; put hierarchies into files of their own" in said


@pytest.mark.slow
@pytest.mark.parametrize(
    ("value", "word"),
    [
        ("9" * 1_000_000, "must be a whole number"),
        ("9" * 38, ""),
        ("9" * 4_000, "must be below 2^128"),
        ("1e999999999", "must be a whole number; got inf"),
        ("x" * 1_000_000, "must be a whole number"),
        ("'" + "x" * 1_000_000 + "'", "must be a whole number"),
        ("[" * 100_000 + "]" * 100_000, "nested too deeply"),
        ("!!python/object/apply:os.system ['true']", "means nothing in a policy"),
        ("!!python/object:os.system {}", "means nothing in a policy"),
    ],
)
def test_values_that_cost_or_mean_nothing(value, word, tmp_path):
    path = tmp_path / "p.yaml"
    path.write_text(f"columns: {{age: {{role: quasi}}}}\nprivacy: [{{model: alone, k: 2}}]\nseed: {value}\n")
    if not word:
        assert Policy.load(path).seed == int(value)
        return
    said = refused(Policy.load, path)
    assert word in said
    assert len(said) < 300


@pytest.mark.parametrize(
    ("name", "content"),
    [("t.csv", b"age,sex\n40,m\n"), ("t.parquet", b"PAR1\x15\xb5"), ("t.csv.gz", b"\x1f\x8b")],
)
def test_a_table_in_place_of_a_policy_is_called_that(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(
        PolicyError, match=r"is no policy, and named as tables are .*; the table stands first, and the policy"
    ):
        read_document(tmp_path / name)
    with pytest.raises(PolicyError, match="there is no such policy file"):
        read_document(tmp_path / f"no-{name}")
