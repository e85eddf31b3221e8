import bz2
import io
import subprocess
import sys

import pytest

import likeness as lk
from likeness.cli import main

TEXT = "age,disease\n" + "".join(f"{20 + i % 50},{'flu' if i % 3 else 'cold'}\n" for i in range(300))
POLICY = """
columns:
  age: {role: quasi, kind: integer}
  disease: {role: sensitive}
privacy: {model: k-anonymity, k: 5}
effort: quick
seed: 7
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text(TEXT)
    (tmp_path / "policy.yaml").write_text(POLICY)
    return tmp_path


@pytest.fixture
def say(monkeypatch):
    """Runs a command with these bytes on standard input."""

    def run(data, *tokens):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        return main(list(tokens))

    return run


def test_a_release_of_standard_input_is_that_of_the_file(here, say, capsys):
    assert main(["anonymize", "people.csv", "policy.yaml", "-o", "file"]) == 0
    assert say(TEXT.encode(), "anonymize", "-", "policy.yaml", "-o", "piped") == 0
    assert (
        say(bz2.compress(TEXT.encode()), "anonymize", "--overwrite", "-", "policy.yaml", "-o", "packed") == 0
    )
    made = [(here / out / "public/release.csv").read_bytes() for out in ("file", "piped", "packed")]
    assert made[0] == made[1] == made[2]
    assert say(TEXT.encode(), "verify", "piped", "--original", "-") == 0
    assert say(TEXT.replace("21,", "22,", 1).encode(), "verify", "piped", "--original", "-") == 1
    assert "does not cover the original's value" in capsys.readouterr().out


def test_options_and_errors(here, say, capsys):
    assert (
        say(TEXT.replace(",", "#").encode("utf-16"), "profile", "-", "--delimiter", "#", "-o", "p.yaml") == 0
    )
    assert "Profile of standard input: 300 records" in capsys.readouterr().out
    for data, message in (
        (b"", "error: standard input: the file is empty\n"),
        (
            b"a,b\n1\n",
            "error: standard input: line 2 has 1 cell, but there are 2 columns; correct the line\n",
        ),
        (b"\x89PNG\r\n\x1a\n\0\0", "error: standard input: holds zero bytes"),
        (bz2.compress(TEXT.encode())[:-9], "error: standard input: damaged or truncated bzip2 file"),
    ):
        assert say(data, "check", "-", "policy.yaml") == 2
        assert capsys.readouterr().err.startswith(message)
    assert say(TEXT.encode(), "check", "-", "policy.yaml", "--sheet", "a") == 2
    assert "sheet can be given for Excel files only" in capsys.readouterr().err


def test_options_that_are_not_there_are_no_tables(here, capsys):
    assert main(["check", "--foo", "people.csv", "policy.yaml"]) == 2
    assert "Unknown option: --foo" in capsys.readouterr().err


def test_a_real_pipe(here):
    ran = subprocess.run(
        [sys.executable, "-m", "likeness", "profile", "-"],
        input=TEXT.encode(),
        capture_output=True,
        check=True,
    )
    assert ran.stdout.decode().startswith("Profile of standard input: 300 records")


def test_open_files_are_csv(here):
    with (here / "people.csv").open("rb") as file:
        table = lk.read(file)
    assert (table.source, table.format) == (str(here / "people.csv"), "csv")
    assert table.digest == lk.read("people.csv").digest == lk.read(io.BytesIO(TEXT.encode())).digest
    with pytest.raises(lk.LikenessError, match=r"people\.csv: cannot be read"):
        lk.read(file)
    with (
        (here / "people.csv").open() as text,
        pytest.raises(lk.LikenessError, match="cannot read a table from"),
    ):
        lk.read(text)
