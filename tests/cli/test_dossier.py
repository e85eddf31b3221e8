"""`likeness dossier`."""

from __future__ import annotations

import json

import docx
import pytest


def test_page_and_what_it_refers_to(run, released):
    words = ("dossier", "out", "--for", "ema", "--original", "patients.csv", "--sampling-fraction", "0.5")
    found = run(*words, "-o", "ema.html")
    assert found.code == 0
    assert "private both" in found.err
    page = (released.parent / "ema.html").read_text()
    told = json.loads((released.parent / "risk.json").read_text())
    assert "risk.json#/population/sampling_fraction" in page
    assert told["population"]["sampling_fraction"] == 0.5
    again = run(*words, "-o", "ema.html")
    assert again.code == 2
    assert run(*words, "-o", "ema.html", "--overwrite").code == 0
    assert run("verify", "out", "--original", "patients.csv").code == 0


def test_dossiers_of_one_folder_share_what_is_the_same(run, released):
    words = ("dossier", "out", "--original", "patients.csv", "--targets", "50")
    assert run(*words, "--for", "ema", "-o", "ema.html").code == 0
    told = (released.parent / "risk.json").read_bytes()
    assert run(*words, "--for", "hipaa", "-o", "hipaa.html").code == 0
    assert (released.parent / "risk.json").read_bytes() == told
    other = run(*words, "--for", "wp216", "-o", "wp216.html", "--sampling-fraction", "0.5")
    assert other.code == 2
    assert "risk.json: already exists, with other figures; say --overwrite" in other.errors[0]
    assert not (released.parent / "wp216.html").exists()
    assert (released.parent / "risk.json").read_bytes() == told


def test_word(run, released):
    found = run("dossier", "out", "--for", "27559", "--original", "patients.csv", "-o", "iso.docx")
    assert found.code == 0
    assert docx.Document(str(released.parent / "iso.docx")).paragraphs[0].text.endswith("(ISO/IEC 27559)")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--for", "emma", "-o", "x.html"), "there is no kind 'emma'; did you mean 'ema'?"),
        (("--for", "ema", "-o", "x.pdf"), "name a file that ends in .html or .docx"),
        (("--for", "ema", "-o", "out/public/x.html"), "write it elsewhere"),
    ],
)
def test_what_cannot_be_written(run, released, words, said):
    found = run("dossier", "out", "--original", "patients.csv", *words)
    assert found.code == 2
    assert said in found.errors[0]
    assert not list(released.parent.rglob("x.*"))
    assert not (released.parent / "risk.json").exists()
