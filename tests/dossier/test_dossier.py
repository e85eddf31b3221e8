"""Dossiers: every figure stands where it is said to stand, what nobody has told is left open, and nothing is public."""

from __future__ import annotations

import json
import re
import sys

import docx
import polars as pl
import pytest

import likeness as lk
from likeness.dossier.base import Documents, OpenQuestion, TracedFact, kinds
from likeness.dossier.hipaa import IDENTIFIERS

TABLE = pl.DataFrame(
    {
        "name": [f"n{i}" for i in range(60)],
        "age": [20 + i % 30 for i in range(60)],
        "sex": ["f", "m", "m"] * 20,
        "disease": ["flu", "cold", "hiv", "gout"] * 15,
    }
)
COLUMNS = {"name": lk.identifier(), "age": lk.quasi(), "sex": lk.quasi(), "disease": lk.sensitive()}
SOURCES = {
    "27559": "de-identification framework",
    "800-188": "Governance, NIST SP 800-188",
    "ema": "template of the anonymisation report",
    "hipaa": "November 26, 2012",
    "wp216": "Opinion 05/2014",
}
KINDS = ("27559", "800-188", "ema", "hipaa", "wp216")


@pytest.fixture(scope="module")
def release():
    return lk.anonymize(TABLE, lk.Policy(columns=COLUMNS, privacy=lk.KAnonymity(5), effort="quick"), seed=1)


@pytest.fixture(scope="module")
def risk(release):
    return release.risk(sampling_fraction=0.2, control=TABLE.sample(20, seed=1), targets=30)


@pytest.fixture(scope="module")
def written(release, tmp_path_factory):
    folder = tmp_path_factory.mktemp("dossier") / "out"
    release.write(folder)
    return folder


def test_kinds_are_the_files_of_the_folder():
    assert sorted(kinds()) == sorted(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_every_figure_stands_in_the_files_where_it_is_said_to(release, risk, written, kind):
    files = Documents(
        {
            "public/certificate.json": json.loads((written / "public" / "certificate.json").read_text()),
            "private/audit.json": json.loads((written / "private" / "audit.json").read_text()),
            "risk.json": json.loads(json.dumps(risk.to_json())),
        }
    )
    found = release.dossier(kind, risk)
    assert len(found.facts) > 20
    assert SOURCES[kind] in found.source
    for fact in found.facts:
        assert files.at(fact.document, fact.pointer) == fact.value, fact.source
    # No figure stands in it but those that are traced: texts of sections and questions have none of the release's.
    assert {fact.document for fact in found.facts} == set(files.by_name)
    page = found.to_html()
    for fact in found.facts:
        assert fact.source.replace("'", "&#39;") in page
    assert page.count('contenteditable="true"') == len(found.open_questions)
    assert "<script" not in page


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_not_told_is_asked(release, risk, kind):
    less = release.dossier(kind, release.risk(attacks=False))
    assert sum("--population or --sampling-fraction" in one for one in less.open_questions) == 1
    more = release.dossier(kind, risk)
    assert not [one for one in more.open_questions if "--" in one]
    assert set(more.open_questions) < set(less.open_questions)
    assert len(set(more.open_questions)) == len(more.open_questions)


def test_nobody_answers_for_people(release, risk):
    for kind in KINDS:
        found = release.dossier(kind, risk)
        for own in found.sections:
            for entry in own.entries:
                assert isinstance(entry, TracedFact | OpenQuestion)
        rooms = re.findall(r'contenteditable="true"[^>]*>([^<]*)<', found.to_html())
        assert set(rooms) == {""}


def test_safe_harbor_lists_eighteen_and_answers_none(release, risk):
    assert len(IDENTIFIERS) == 18
    asked = release.dossier("hipaa", risk).open_questions
    letters = [one[1] for one in asked if one.startswith("(")]
    assert "".join(letters) == "ABCDEFGHIJKLMNOPQR"


def test_word_has_what_the_page_has(release, risk, tmp_path):
    found = release.dossier("ema", risk)
    found.write_docx(tmp_path / "ema.docx")
    page = docx.Document(tmp_path / "ema.docx")
    cells = [[cell.text for cell in row.cells] for table in page.tables for row in table.rows]
    assert [row for row in cells if len(row) == 3 and row[2] != "where it stands"] == [
        [fact.label, fact.shown, fact.source]
        for own in found.sections
        for fact in own.entries
        if isinstance(fact, TracedFact)
    ]
    assert [row for row in cells if len(row) == 2 and row[0]] == [[one, ""] for one in found.open_questions]
    assert page.core_properties.author == ""


def test_word_without_its_library_says_what_to_install(release, risk, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "docx", None)
    with pytest.raises(lk.InvalidError, match=r"pip install 'likeness\[word\]'"):
        release.dossier("ema", risk).write_docx(tmp_path / "ema.docx")
    assert list(tmp_path.iterdir()) == []


def test_a_kind_that_is_not_there_is_refused_at_once(release):
    with pytest.raises(lk.PolicyError, match="there is no kind 'emma'; did you mean 'ema'"):
        release.dossier("emma")


def test_pointers_lead_nowhere_but_where_they_say():
    documents = Documents({"d": {"a/b": [1, {"c~d": None}]}})
    assert documents.at("d", "/a~1b/0") == 1
    for wrong in ("/a", "/a~1b/7", "/a~1b/x", "/a~1b/0/z"):
        with pytest.raises(KeyError):
            documents.at("d", wrong)
    assert documents.told("c", "d", "/a~1b/1/c~0d") == OpenQuestion("c")
    assert documents.each("d", "/none") == []
