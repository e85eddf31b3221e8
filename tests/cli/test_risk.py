"""`likeness risk`."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import likeness as lk


def test_json_is_what_python_says(run, released):
    found = run(
        "risk", "out", "--original", "patients.csv", "--population", "patients.csv", "--format", "json"
    )
    assert found.code == 0
    release = lk.open_release("out", "patients.csv")
    told = release.risk(population="patients.csv")
    assert found.json == told.to_json() | {"held_out": None}
    assert found.json["population"]["sampling_fraction"] == 1


def test_other_tables_are_read_by_the_hierarchies_of_the_release_wherever_one_is(run, tmp_path, monkeypatch):
    """A file of the same name in the current folder was taken, or asked for."""
    monkeypatch.chdir(tmp_path)
    labels = [f"c{i:02d}" for i in range(8)]
    Path("h.csv").write_text("".join(f"{own},g{i // 4},*\n" for i, own in enumerate(labels)))
    Path("t.csv").write_text("city,d\n" + "".join(f"{labels[i * 5 % 8]},{'xyz'[i % 3]}\n" for i in range(80)))
    Path("p.yaml").write_text(
        "columns:\n  city: {role: quasi, hierarchy: h.csv}\n  d: {role: sensitive}\n"
        "privacy: [{model: k-anonymity, k: 15}]\nmethod: mondrian\nseed: 1\n"
    )
    assert run("anonymize", "t.csv", "p.yaml", "-o", "out").code == 0
    words = ("--original", str(tmp_path / "t.csv"), "--targets", "40", "--format", "json")
    asked = [
        ("--hold-out", "0.3"),
        ("--control", str(tmp_path / "t.csv")),
        ("--population", str(tmp_path / "t.csv")),
    ]
    here = [run("risk", "out", *words, *more).json for more in asked]
    for folder in ("nothing", "other"):
        (tmp_path / folder).mkdir()
    Path("other/h.csv").write_text("".join(f"{own},q{i % 2},*\n" for i, own in enumerate(labels)))
    for folder in ("nothing", "other"):
        monkeypatch.chdir(tmp_path / folder)
        found = [run("risk", str(tmp_path / "out"), *words, *more) for more in asked]
        assert [one.code for one in found] == [0, 0, 0], found
        for one, first in zip(found, here, strict=True):
            for told in (one.json, first):
                told.pop("source", None)
            assert one.json["wp216"] == first["wp216"]
            assert one.json["population"] == first["population"]


def test_a_population_and_a_control_are_read_as_the_original_is(run, tmp_path, monkeypatch):
    """They were read as UTF-8 with points, whatever was said."""
    monkeypatch.chdir(tmp_path)
    lines = [f"{20 + i % 7},5;{'Köln' if i % 2 else 'Aachen'}" for i in range(60)]
    text = "\n".join(["größe;ort", *lines, ""])
    Path("table.csv").write_bytes(text.encode("cp1252"))
    Path("policy.yaml").write_text(
        "columns:\n  größe: {role: quasi, kind: real}\n  ort: {role: quasi}\nprivacy:\n  - {model: k-anonymity, k: 3}\n"
    )
    reading = ("--encoding", "cp1252", "--decimal", ",")
    assert run("anonymize", "table.csv", "policy.yaml", "-o", "out", *reading).code == 0
    words = ("risk", "out", "--original", "table.csv", "--format", "json", *reading)
    found = run(*words, "--population", "table.csv", "--control", "table.csv")
    assert found.code == 0, found.err
    assert found.json["population"]["population"] == 60
    pl.DataFrame({"größe": [20.5] * 9, "ort": ["Köln"] * 9}).write_parquet("more.parquet")
    assert run(*words, "--control", "more.parquet").code == 0


def test_text_says_all_there_is_and_who_only_when_asked(run, released):
    words = ("risk", "out", "--original", "patients.csv", "--sampling-fraction", "0.5", "--threshold", "0.05")
    found = run(*words)
    assert found.code == 0
    lines = found.out.splitlines()
    assert lines[1].split() == ["minimum", "mean", "maximum", "above", "0.05"]
    assert [line.split()[0] for line in lines[2:4]] == ["prosecutor", "journalist"]
    for what in ("δ-presence", "singling-out", "linkability", "inference", "linkage", "largest belief"):
        assert what in found.out
    assert "who carries most risk" not in found.out
    asked = run(*words, "--people")
    assert "who carries most risk (for you alone" in asked.out


def test_people_held_out_are_the_control(run, released):
    words = ("risk", "out", "--original", "patients.csv", "--hold-out", "0.25", "--seed", "3")
    found = run(*words, "--format", "json")
    assert found.code == 0
    assert {one["control"]["tries"] for one in found.json["wp216"]} == {15}
    second = lk.hold_out("patients.csv", "policy.yaml", 0.25, seed=3)
    assert found.json["wp216"] == [
        one.to_json() for one in second.release.risk(control=second.control, seed=3, attacks=False).three
    ]
    assert "note: singling out, linkability and inference are of a second release" in run(*words).err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--population", "patients.csv", "--sampling-fraction", "0.5"), "not both"),
        (("--control", "patients.csv", "--hold-out", "0.5"), "not both"),
        (("--sampling-fraction", "1.5"), "sampling_fraction must be a number above 0 and at most 1; got 1.5"),
        (("--threshold", "0"), "threshold must be a number above 0 and at most 1"),
        (("--hold-out", "0.99"), "hold-out: share must be a number above 0 and at most 0.9"),
    ],
)
def test_what_cannot_be_asked(run, released, words, said):
    found = run("risk", "out", "--original", "patients.csv", *words)
    assert found.code == 2
    assert found.out == ""
    assert len(found.errors) == 1
    assert said in found.errors[0]


def test_public_alone_tells_no_population(run, released):
    words = ("risk", "out/public", "--original", "patients.csv", "--policy", "policy.yaml")
    assert run(*words).code == 0
    found = run(*words, "--sampling-fraction", "0.5")
    assert found.code == 2
    assert "ask the release folder itself" in found.errors[0]
