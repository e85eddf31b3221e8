"""How the second table is to be read: in the policy and on the command line, with clear refusals."""

from __future__ import annotations

import json

import polars as pl
import pytest

import likeness as lk
from likeness.encode import encode
from likeness.policy import Policy, Records, RecordsMissing

POLICY = """\
columns:
  who: {role: identifier}
  age: {role: quasi}
  disease: {role: sensitive}
  cost: {role: sensitive, kind: real}
individual: who
records: {table: visits.csv, on: who%s}
privacy: [{model: k-anonymity, k: 3}]
hygiene: {no_sensitive: value}
"""
SAID = (
    ', key: pid, delimiter: ";", encoding: cp1252, quote: "\'", decimal: ",", missing: {markers: [NA, "-9"]}'
)
DISEASES = ("Ménière's", "flu", "NA")


@pytest.fixture
def two(desk):
    """People in UTF-8 with commas; visits in cp1252 with semicolons, quotes of their own, and another name for the key."""
    people = "".join(f"p{i},{20 + i % 30}\n" for i in range(40))
    rows = [f"p{i % 38};{DISEASES[i % 3]};{i % 5},50\n" for i in range(80)]
    visits = "".join(row.replace("Ménière's", "'Ménière''s'") for row in rows)
    (desk / "people.csv").write_text("who,age\n" + people)
    (desk / "visits.csv").write_bytes(("pid;disease;cost\n" + visits).encode("cp1252"))
    (desk / "policy.yaml").write_text(POLICY % SAID)
    (desk / "silent.yaml").write_text(POLICY % "")
    return desk


FLAGS = [
    "--records-delimiter", ";", "--records-encoding", "cp1252", "--records-quote", "'", "--records-decimal", ",",
    "--records-key", "pid",
]  # fmt: skip


def test_what_the_policy_says(two):
    found = encode(lk.read("people.csv"), Policy.load("policy.yaml"))
    disease, cost = found.data.sensitive
    assert disease.labels == ["Ménière's", "flu"]
    assert disease.missing
    assert cost.kind == "real"
    assert cost.labels == ["0.5", "1.5", "2.5", "3.5", "4.5"]
    assert found.table.names == ("who", "age", "disease", "cost")
    assert found.hygiene.people_before == 40
    assert found.hygiene.without_records == 2


def test_in_python_it_is_the_same(two):
    given = Policy.load("policy.yaml")
    records = Records(
        table="visits.csv", on="who", key="pid", delimiter=";", encoding="cp1252", quote="'", decimal=",",
        missing=RecordsMissing(markers=["NA", -9]),
    )  # fmt: skip
    assert given.records == records
    made = given.replace(records=records.to_mapping())
    assert made == given
    assert Policy.from_mapping(given.to_mapping()) == given
    assert Policy.from_mapping(json.loads(json.dumps(given.to_mapping()))) == given


def test_the_whole_way_on_the_command_line(two, run):
    silent = run("check", "people.csv", "silent.yaml")
    assert silent.code == 2
    assert all("visits.csv" in line for line in silent.errors), silent.errors
    assert run("check", "people.csv", "silent.yaml", *FLAGS).code == 0
    assert run("anonymize", "people.csv", "silent.yaml", *FLAGS, "-o", "out").code == 0
    # How it was read is kept with the release: nobody has to say it again.
    for command in ("verify", "measure", "attack"):
        found = run(command, "out", "--original", "people.csv")
        assert found.code == 0, found.err
    found = run("verify", "out", "--original", "people.csv", "--policy", "silent.yaml")
    assert found.code == 1
    assert "key" not in str(found.errors)  # the key is what is read, not how
    assert any("policy: records: is not that of the policy" in line for line in found.out.splitlines())


def test_how_a_file_is_read_is_no_other_policy(two, run):
    (two / "half.yaml").write_text(POLICY % ", key: pid, missing: {markers: [NA, -9]}")
    flags = FLAGS[:-2]
    assert run("anonymize", "people.csv", "half.yaml", *flags, "-o", "out").code == 0
    found = run("verify", "out", "--original", "people.csv", "--policy", "half.yaml")
    assert found.code == 0, found.out + found.err


@pytest.mark.parametrize("command", ["strongest", "weakest"])
def test_searches_take_them_too(two, run, command):
    goal = ["--loss", "ncp=0.9"] if command == "strongest" else ["--measured", "distinct-l-diversity.l=1"]
    found = run(
        command,
        "people.csv",
        "silent.yaml",
        "--parameter",
        "k",
        "--between",
        "2..4",
        *goal,
        *FLAGS,
        "--seed",
        "1",
    )
    assert found.code == 0, found.err


def test_without_a_second_table_they_are_refused(two, run):
    (two / "one.yaml").write_text(
        "columns: {who: {role: identifier}, age: {role: quasi}}\nprivacy: [{model: k-anonymity, k: 2}]\n"
    )
    found = run("check", "people.csv", "one.yaml", "--records-delimiter", ";", "--records-no-header")
    assert found.code == 2
    assert found.errors == [
        "one.yaml: names no second table (records:), and --records-delimiter and --records-no-header is about one; leave it out"
    ]


@pytest.mark.parametrize(
    ("said", "message"),
    [
        (
            ", delimiter: ;;",
            "records: delimiter must be one ASCII character, a space behind it at most; got ';;'",
        ),
        (
            ', quote: "**"',
            "records: quote must be one ASCII character other than the delimiter, or None; got '**'",
        ),
        (", encoding: cp9999", "visits.csv: no such encoding: 'cp9999'; try 'utf-8', 'cp1252' or 'latin-1'"),
        (
            ', delimiter: ";", encoding: cp1252, key: person',
            "visits.csv: no column 'person'; known: cost, disease, pid; where the column that names a person",
        ),
        (
            ', delimiter: ";", encoding: cp1252',
            "visits.csv: no column 'who'; known: cost, disease, pid; where the column",
        ),
        (', decimal: ";"', 'silent.yaml, line 7: records.decimal: must be "." or ","; got \';\''),
        (", headr: false", "records: unknown key 'headr'; did you mean 'header'?"),
        (", header: 5", "records.header: must be false, or a list of the columns' names; got 5"),
        (", missing: NA", """records.missing: must be a mapping such as {markers: ["NA"]}; got 'NA'"""),
        (", missing: {}", "records.missing"),
        (", missing: {markers: [NA], policy: drop}", "records.missing: unknown key 'policy'; known: markers"),
    ],
)
def test_refusals(two, run, said, message):
    (two / "silent.yaml").write_text(POLICY % said)
    found = run("check", "people.csv", "silent.yaml")
    assert found.code == 2
    assert message in "\n".join(found.errors)
    assert len(found.errors) == 1


def test_options_that_a_file_cannot_have(two, run):
    pl.DataFrame({"pid": ["p1"], "disease": ["flu"], "cost": [1.0]}).write_parquet("visits.parquet")
    text = (POLICY % ', key: pid, delimiter: ";"').replace("visits.csv", "visits.parquet")
    (two / "silent.yaml").write_text(text)
    found = run("check", "people.csv", "silent.yaml")
    (error,) = found.errors
    assert error.endswith("visits.parquet: delimiter can be given for CSV files only; leave it out")


@pytest.mark.parametrize("header", ["[pid, disease, cost]", "false"])
def test_a_second_table_without_a_header(two, header):
    lines = (two / "visits.csv").read_bytes().splitlines(keepends=True)
    (two / "visits.csv").write_bytes(b"".join(lines[1:]))
    text = (POLICY % SAID).replace("key: pid", f"key: pid, header: {header}")
    if header == "false":
        text = text.replace("key: pid", "key: column_1").replace("  disease:", "  column_2:")
        text = text.replace("  cost:", "  column_3:")
    (two / "policy.yaml").write_text(text)
    found = encode(lk.read("people.csv"), Policy.load("policy.yaml"))
    assert found.hygiene.people_before == 40
    assert found.data.sensitive[0].labels == ["Ménière's", "flu"]


def test_tab_and_none(two):
    (two / "visits.csv").write_text("".join(f'p{i % 38}\tflu "{i % 2}\t1\n' for i in range(80)))
    text = POLICY % ", delimiter: tab, quote: none, header: [who, disease, cost]"
    (two / "policy.yaml").write_text(text)
    found = encode(lk.read("people.csv"), Policy.load("policy.yaml"))
    assert found.data.sensitive[0].labels == ['flu "0', 'flu "1']


def test_markers_of_a_column_count_before_those_of_the_table(two):
    text = (POLICY % SAID).replace("{role: sensitive}", "{role: sensitive, missing: {markers: [flu]}}")
    (two / "policy.yaml").write_text(text)
    found = encode(lk.read("people.csv"), Policy.load("policy.yaml"))
    assert found.data.sensitive[0].labels == ["Ménière's", "NA"]


def test_markers_of_the_second_table_are_no_markers_of_the_first(two):
    (two / "people.csv").write_text(
        "who,age\n" + "".join(f"p{i},{'NA' if i == 3 else i}\n" for i in range(40))
    )
    with pytest.raises(lk.LikenessError):
        encode(lk.read("people.csv"), Policy.load("policy.yaml").replace(columns={
            **Policy.load("policy.yaml").columns, "age": lk.quasi(kind="integer"),
        }))  # fmt: skip


def test_the_name_of_the_key_is_no_column(two):
    (two / "policy.yaml").write_text(
        (POLICY % SAID).replace("individual: who", "  pid: {role: identifier}\nindividual: who")
    )
    with pytest.raises(lk.PolicyError) as caught:
        encode(lk.read("people.csv"), Policy.load("policy.yaml"))
    assert str(caught.value).endswith("visits.csv: that is 'who'; leave it out")


def test_the_schema_knows_them():
    records = Policy.json_schema()["$defs"]["Records"]["properties"]
    assert set(records) == {
        "table", "on", "key", "delimiter", "quote", "encoding", "decimal", "thousands", "header", "sheet",
            "missing",
    }  # fmt: skip
    assert all("description" in one or "$ref" in one for one in records.values())
