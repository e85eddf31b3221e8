"""The public page says what the certificate says, safely and always alike."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from hashlib import sha256
from html import escape, unescape
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from tests.report.html_check import check_html

import likeness as lk
from likeness.errors import VerificationError
from likeness.proving.certificate import Certificate
from likeness.published.columns import ColumnNote, PublishedColumns
from likeness.report.certificate_page import certificate_page

if TYPE_CHECKING:
    from pathlib import Path

ODD = '<script>alert("x")</script>'


@pytest.fixture(scope="module")
def certificate() -> Certificate:
    """A certificate with one of everything."""
    table = pl.DataFrame(
        {
            ODD: [30, 31, 60, 61] * 3,
            "grade": ["low", "mid", "high", "low"] * 3,
            "zip": ["a", "b", "a", "b"] * 3,
            "disease": ["flu", "cold", "gout"] * 4,
            "seen & done": list(range(12)),
        }
    )
    columns = {
        ODD: lk.quasi(kind="integer", domain=[0, 110]),
        "grade": lk.quasi(kind="ordered", domain=["low", "mid", "high"]),
        "zip": lk.quasi(hierarchy=[["a", "north", "*"], ["b", "south", "*"]]),
        "disease": lk.sensitive(),
        "seen & done": lk.other(),
    }
    privacy = lk.KAnonymity(2) & lk.BetaLikeness(2, reference="original")
    made = lk.anonymize(table, lk.Policy(columns=columns, privacy=privacy), seed=5).certificate
    facts = {"sha256": "0" * 64, "rows": 12, "columns": list(table.columns)}
    return replace(made, files={"release.csv": facts})


def _texts(page: str) -> str:
    return unescape(re.sub(r"<[^>]*>", " ", page))


def test_valid_escaped_self_contained(certificate: Certificate) -> None:
    page = certificate_page(certificate)
    check_html(page)
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert ODD in _texts(page)


def test_says_what_the_certificate_says(certificate: Certificate) -> None:
    said = " ".join(_texts(certificate_page(certificate)).split())
    assert "12 records" in said
    assert f"{certificate.classes} equivalence classes" in said
    assert f"likeness {certificate.version}" in said
    for entry in certificate.guarantee:
        assert entry["model"] in said
        assert (entry["measured"] is None) == (entry["scope"] == "steward")
        for name, value in (entry["measured"] or {}).items():
            assert f"{name} = {int(value) if float(value).is_integer() else value}" in said
    assert "k = 2" in said
    assert "beta = 2" in said
    assert "Every equivalence class holds at least k records." in said
    for words in (
        "public: anyone", "steward: only", "the steward alone can tell", "What is not of the scope steward was proven",
        "declared from 0 to 110", "an order of 3 values", "0" * 64,
        "hierarchy of 2 values", "seen & done", "A seed was given", "distance equal", *certificate.remarks,
    ):  # fmt: skip
        assert words in said
    assert "no model covers a sensitive column" not in said


def test_only_what_applies_is_said(certificate: Certificate) -> None:
    plain = replace(certificate, guarantee=certificate.guarantee[:1], reproducible=False)
    said = _texts(certificate_page(plain))
    for words in ("steward", "A seed was given"):
        assert words not in said
    assert "no model covers a sensitive column" in said


@pytest.mark.parametrize(
    "changes",
    [
        {"records": 13}, {"classes": 99}, {"reproducible": False}, {"version": "x"},
        {"columns": PublishedColumns((ColumnNote("x", "other"),))},
        {"files": {}}, {"form": {"name": "generalized", "recoding": "set"}},
    ],
)  # fmt: skip
def test_every_fact_shows(changes: dict[str, Any], certificate: Certificate) -> None:
    assert certificate_page(replace(certificate, **changes)) != certificate_page(certificate)


def test_deterministic(certificate: Certificate) -> None:
    again = Certificate.from_json(certificate.to_json(), "certificate.json")
    assert certificate_page(again) == certificate_page(certificate)


def test_never_rounds(certificate: Certificate) -> None:
    entry = certificate.guarantee[0] | {"measured": {"k": 2.0000000001}}
    assert "k = 2.0000000001" in certificate_page(replace(certificate, guarantee=(entry,)))


def test_one_is_not_several() -> None:
    frame = pl.DataFrame({"who": ["ann"], "age": [30], "disease": ["flu"]})
    columns = {"who": lk.identifier(), "age": lk.quasi(hierarchy=[["30", "*"]]), "disease": lk.sensitive()}
    policy = lk.Policy(columns=columns, individual="who", privacy=lk.IrKAnonymity(1))
    said = " ".join(_texts(certificate_page(lk.anonymize(frame, policy, seed=1).certificate)).split())
    assert "a release of 1 record of 1 individual in 1 equivalence class, in the form" in said
    assert "hierarchy of 1 value (in certificate.json)" in said


@pytest.mark.parametrize(
    ("privacy", "sensitive", "said"),
    [
        (lk.KAnonymity(2), True, "nothing above limits that"),
        (lk.DistinctLDiversity(2), True, "the models of a sensitive column above say how far that can go"),
        (lk.KAnonymity(2), False, None),
    ],
)
def test_how_far_a_sensitive_value_is_told_is_said_only_where_a_model_says_it(privacy, sensitive, said):
    table = pl.DataFrame({"age": [30, 31, 60, 61], "disease": ["flu", "cold"] * 2})
    columns = {"age": lk.quasi(), "disease": lk.sensitive() if sensitive else lk.drop()}
    page = certificate_page(
        lk.anonymize(table, lk.Policy(columns=columns, privacy=privacy), seed=1).certificate
    )
    sentence = "Whoever belongs to a class with few sensitive values"
    assert (sentence in page) == (said is not None)
    assert said is None or said in page
    assert ("say how far" in page) == (said is not None and "say how far" in said)


ABOUT = {
    "title": "<script>Visits & 'more'</script>",
    "publisher": "</title><img src=x onerror=alert(1)>",
    "contact": "javascript:alert(1)",
    "date": "2026-11-25",
}


def test_opens_with_what_the_publisher_says_escaped(certificate: Certificate) -> None:
    told = Certificate.from_json(replace(certificate, about=ABOUT).to_json(), "certificate.json")
    page = certificate_page(told)
    check_html(page)
    said = " ".join(_texts(page).split())
    assert f"<h1>{escape(ABOUT['title'], quote=False).replace(chr(39), '&#39;')}</h1>" in page
    for words in (*ABOUT.values(), "This is what the publisher says"):
        assert words in said
    assert "<script" not in page
    assert "<img" not in page
    assert "href" not in page
    assert "This is what the publisher says" not in _texts(certificate_page(certificate))


def test_promises_in_plain_words_and_how_to_check_them(certificate: Certificate) -> None:
    page = certificate_page(certificate)
    said = " ".join(_texts(page).split())
    for model in certificate.make_models():
        assert model.in_plain_words in said
    for words in (
        "anybody can check it", "only the publisher can check it", "likeness verify FOLDER", "What is not promised",
        f"likeness, version {certificate.version} or later", "sha256sum certificate.json",
        sha256(certificate.to_json().encode()).hexdigest(), "Every record is taken for a person of its own",
    ):  # fmt: skip
        assert words in said


@pytest.mark.parametrize(
    ("key", "value"),
    [("title", "two\nlines"), ("title", ""), ("publisher", "\u202eytic"), ("date", "20261125"), ("date", "soon"), ("who", "me"),
     ("contact", None), ("title", 3)],
)  # fmt: skip
def test_about_is_what_a_policy_can_say(key: str, value: Any, certificate: Certificate) -> None:
    changed = json.loads(replace(certificate, about=ABOUT).to_json())
    changed["about"][key] = value
    with pytest.raises(VerificationError, match="certificate"):
        Certificate.from_json(json.dumps(changed), "certificate.json")


def test_the_same_day_the_same_bytes(tmp_path: Path) -> None:
    """The date is the policy's, no clock's; who has private/ sees it changed."""
    table = pl.DataFrame({"age": [30, 31, 60, 61]})
    policy = lk.Policy(columns={"age": lk.quasi()}, privacy=lk.KAnonymity(2), seed=3, about=ABOUT)
    first, second = (lk.anonymize(table, policy).write(tmp_path / name) for name in ("one", "two"))
    for name in ("certificate.json", "certificate.html"):
        assert (first / "public" / name).read_bytes() == (second / "public" / name).read_bytes()
    assert lk.verify(first, table).ok
    assert any("nobody can check that" in str(one) for one in lk.verify(first / "public").statements)
    file = first / "public" / "certificate.json"
    file.write_text(file.read_text().replace("2026-11-25", "2026-11-26"))
    assert any("2026-11-25" in str(one) for one in lk.verify(first).refusals)
