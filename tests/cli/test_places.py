"""Where nothing private is written, whatever the command."""

from __future__ import annotations

import os

import pytest


@pytest.mark.parametrize(
    "words",
    [
        ("anonymize", "patients.csv", "policy.yaml", "-o", "out/public/again"),
        ("anonymize", "patients.csv", "policy.yaml", "-o", "link/again"),
        ("apply", "out", "patients.csv", "-o", "out/public/deeper/again"),
        (
            "strongest",
            "patients.csv",
            "policy.yaml",
            "--parameter",
            "k",
            "--loss",
            "ncp=0.5",
            "-o",
            "out/public/again",
        ),
        ("compare", "patients.csv", "policy.yaml", "-o", "out/public/again"),
        ("profile", "patients.csv", "-o", "out/public/again.yaml"),
        ("dossier", "out", "--for", "ema", "--original", "patients.csv", "-o", "out/public/again.html"),
    ],
    ids=lambda words: f"{words[0]} {words[-1]}",
)
def test_nothing_private_is_written_into_what_is_handed_out(run, released, words):
    public = released / "public"
    (public / "deeper").mkdir()
    (released.parent / "link").symlink_to(public)
    before = sorted(public.rglob("*"))
    found = run(*words)
    assert found.code == 2
    assert f"lies in {public}, the public part of a release" in found.errors[0]
    assert found.errors[0].startswith(f"{words[-1]}: ")
    assert sorted(public.rglob("*")) == before


def test_nothing_is_written_among_the_files_that_verify_knows(run, released):
    found = run("dossier", "out", "--for", "ema", "--original", "patients.csv", "-o", "out/private/ema.html")
    assert found.code == 2
    assert found.errors == [
        f"out/private/ema.html: lies in {released / 'private'}, whose files verify knows one by one; write it beside the release"
    ]
    assert run("verify", "out").code == 0


@pytest.mark.parametrize("words", [("profile", "patients.csv"), ("generate", "hospital", "--rows", "9")])
def test_what_is_no_file_is_not_replaced(run, desk, words):
    """As root `-o /dev/null --overwrite` made a file of it."""
    place = desk / "pipe.csv"
    os.mkfifo(place)
    found = run(*words, "-o", "pipe.csv", "--overwrite")
    assert found.code == 2
    assert "pipe.csv: is a device or a pipe, which would be replaced by a file; give a file" in found.err
    assert place.is_fifo()


def test_a_ledger_does_not_lie_in_what_is_handed_out(run, released):
    (released.parent / "m.yaml").write_text(
        "columns: {age: {role: quasi}, zip: {role: identifier}, disease: {role: sensitive}}\n"
        "privacy: [{model: m-invariance, m: 2}]\n"
    )
    ledger = ("--ledger", "out/public/ledger.json", "--on", "zip")
    found = run("anonymize", "patients.csv", "m.yaml", "-o", "new", *ledger)
    assert found.code == 2
    assert "the public part of a release, and a ledger names people; write it elsewhere" in found.errors[0]
    assert not (released / "public/ledger.json").exists()


@pytest.mark.parametrize("engine", ["memory", "streaming"])
def test_a_release_does_not_lie_among_the_files_of_its_table(run, released, engine):
    folder = released.parent / "files"
    folder.mkdir()
    (folder / "patients.csv").write_bytes((released.parent / "patients.csv").read_bytes())
    found = run("anonymize", "files", "policy.yaml", "-o", "files/out", "--engine", engine)
    assert found.code == 2
    assert found.errors == [
        "files/out: lies in files, whose files are the table, and would be read as some of it; give another folder"
    ]
    assert [path.name for path in folder.iterdir()] == ["patients.csv"]
    assert run("anonymize", "files", "policy.yaml", "-o", "new", "--engine", engine).code == 0


@pytest.mark.parametrize("place", ["out/again", "out/private/again"])
def test_a_release_does_not_lie_in_another(run, released, place):
    found = run("anonymize", "patients.csv", "policy.yaml", "-o", place)
    assert found.code == 2
    assert found.errors == [f"{place}: lies in {released}, which is another release; write it elsewhere"]
    assert run("verify", "out").code == 0


@pytest.mark.parametrize(
    "words",
    [
        ("apply", "out", "files", "-o", "files/again"),
        ("strongest", "files", "policy.yaml", "--parameter", "k", "--loss", "ncp=0.5", "-o", "files/again"),
        ("compare", "files", "policy.yaml", "-o", "files/again"),
        ("anonymize", "files/**/*.csv", "policy.yaml", "-o", "files/again", "--engine", "streaming"),
    ],
    ids=lambda words: words[0],
)
def test_so_it_is_of_whatever_command(run, released, words):
    folder = released.parent / "files"
    folder.mkdir()
    (folder / "patients.csv").write_bytes((released.parent / "patients.csv").read_bytes())
    found = run(*words)
    assert found.code == 2
    assert "whose files are the table, and would be read as some of it" in found.errors[0]
    assert [path.name for path in folder.iterdir()] == ["patients.csv"]
    # What is not read does no harm.
    assert run("anonymize", "files", "policy.yaml", "-o", "files/_again").code == 0
    assert run("check", "files", "policy.yaml").code == 0


def test_what_is_no_certificate_keeps_nobody_from_writing(run, released):
    (released.parent / "certificate.json").write_text("[" * 200_000)
    assert run("anonymize", "patients.csv", "policy.yaml", "-o", "new").code == 0
