"""`likeness generate`."""

from __future__ import annotations

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from likeness import registry
from likeness.encode import encode
from likeness.policy import Policy
from likeness.tables import read

HOSPITAL = ("generate", "hospital", "--rows", "300", "--seed", "5")


def test_a_table_with_all_that_it_needs_to_be_anonymized(run, desk):
    found = run(*HOSPITAL, "-o", "hospital.csv")
    assert found.code == 0
    assert found.out == ""
    assert found.err.splitlines() == [
        "wrote hospital.csv, diagnosis.csv, hospital-policy.yaml",
        "next: likeness check hospital.csv hospital-policy.yaml",
    ]
    assert run("check", "hospital.csv", "hospital-policy.yaml").code == 0
    again = registry.create("datasets", "hospital", {}).generate(300, 5)
    assert_frame_equal(pl.read_csv(desk / "hospital.csv", infer_schema=False), again.cast(pl.String))


def test_parquet_and_the_same_again(run, desk):
    assert run(*HOSPITAL, "-o", "hospital.parquet").code == 0
    first = (desk / "hospital.parquet").read_bytes()
    # What belongs to it is there already, and the same: only the table itself needs --overwrite.
    found = run(*HOSPITAL, "-o", "hospital.parquet")
    assert found.code == 2
    assert len(found.errors) == 1
    assert "hospital.parquet: already exists" in found.errors[0]
    assert run(*HOSPITAL, "-o", "hospital.parquet", "--overwrite").code == 0
    assert (desk / "hospital.parquet").read_bytes() == first


def test_nothing_is_written_when_something_would_be_lost(run, desk):
    (desk / "hospital-policy.yaml").write_text("mine\n")
    before = sorted(desk.iterdir())
    found = run(*HOSPITAL, "-o", "hospital.csv")
    assert found.code == 2
    assert "hospital-policy.yaml: already exists" in found.errors[0]
    assert sorted(desk.iterdir()) == before
    assert (desk / "hospital-policy.yaml").read_text() == "mine\n"


@pytest.mark.parametrize("options", [(), ("--overwrite",)])
def test_a_hierarchy_whose_name_is_taken_gets_another_one(options, run, desk):
    assert run("generate", "informs", "--rows", "300", "-o", "informs.csv").code == 0
    before = (desk / "diagnosis.csv").read_bytes()
    found = run(*HOSPITAL, "-o", "hospital.csv", *options)
    assert found.code == 0
    assert found.err.startswith("wrote hospital.csv, hospital-diagnosis.csv, hospital-policy.yaml\n")
    assert (desk / "diagnosis.csv").read_bytes() == before
    for name in ("informs", "hospital"):  # each policy fits its table
        assert encode(read(desk / f"{name}.csv"), Policy.load(desk / f"{name}-policy.yaml")).data.size
    # The same again needs nothing but the table.
    found = run(*HOSPITAL, "-o", "hospital.csv", "--overwrite")
    assert found.err.startswith("wrote hospital.csv\n")


def test_stdout_gets_csv(run, desk):
    before = sorted(desk.iterdir())
    found = run("generate", "hospital", "--rows", "3")
    assert found.err == ""
    assert len(found.out.splitlines()) == 4
    assert sorted(desk.iterdir()) == before


def test_a_policy_for_people_with_several_records_fits_its_table(run, desk):
    assert run("generate", "hospital-visits", "--rows", "2000", "-o", "visits.csv").code == 0
    found = encode(read(desk / "visits.csv"), Policy.load(desk / "visits-policy.yaml"))
    assert found.individual == "patient_id"
    assert found.data.size + sum(found.dropped.values()) == 2000
    assert found.hygiene.inconsistent == 0


def test_a_policy_that_names_what_there_is_not_is_not_written(run, desk, monkeypatch):
    dataset = registry.load("datasets", "hospital-visits")
    policy = dataset().policy() | {"method": "of-another-version"}
    monkeypatch.setattr(dataset, "policy", lambda self: policy)
    found = run("generate", "hospital-visits", "--rows", "50", "-o", "visits.csv")
    assert found.code == 0
    assert "later version" in found.err
    assert not (desk / "visits-policy.yaml").exists()


@pytest.mark.parametrize("name", registry.names("datasets"))
def test_every_dataset(name, run, desk):
    assert run("generate", name, "--rows", "50", "-o", "table.csv").code == 0
    assert (desk / "table.csv").exists()


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("-o", "hospital.xlsx"), "unknown extension '.xlsx'"),
        (("-o", "no/hospital.csv"), "does not exist"),
        (("--seed", "-1"), "seed"),
        (("--rows", "many"), "--rows"),
    ],
)
def test_bad_usage(words, complaint, run):
    found = run("generate", "hospital", "--rows", "10", *words)
    assert found.code == 2
    assert complaint in found.errors[0]


@pytest.mark.slow
def test_a_sequence_has_its_knowledge_beside_it(run, desk):
    found = run("generate", "bkseq:releases=3", "--rows", "600", "--seed", "5", "-o", "exam.csv")
    assert found.code == 0
    assert found.err.splitlines()[0] == (
        "wrote exam.csv, exam-knowledge.csv, exam-transitions.csv, exam-01.csv, exam-02.csv, exam-policy.yaml"
    )
    assert "table: exam-knowledge.csv" in (desk / "exam-policy.yaml").read_text()
    dataset = registry.create("datasets", "bkseq", {"releases": 3})
    beside = dataset.beside(600, 5)
    for name, frame in beside.items():
        assert_frame_equal(pl.read_csv(desk / f"exam-{name}.csv", infer_schema=False), frame.cast(pl.String))
    done = run("anonymize", "exam.csv", "exam-policy.yaml", "-o", "out")
    assert done.code == 0, done.err
    assert run("verify", "out").code == 0
