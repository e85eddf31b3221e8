"""What certificates must say, and that everybody can see when they do not."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from tests.folder.samples import Folder

import likeness as lk
from likeness.forms.anatomized import AnatomizedForm
from likeness.models.balanced_p_plus_sensitivity import BalancedPPlusSensitivity
from likeness.proving.certificate import (
    AS_THEY_ARE,
    PSEUDONYMS,
    Certificate,
    remark_on_columns,
    remark_on_joining,
    remarks_on,
)
from likeness.published.columns import ColumnNote, PublishedColumns

if TYPE_CHECKING:
    from pathlib import Path


def test_names_are_listed_by_what_the_notes_say() -> None:
    columns = PublishedColumns(
        (
            ColumnNote("age", "quasi", "integer", "interval", bottom=18, top=90),
            ColumnNote("disease", "sensitive"),
            ColumnNote("d, 'a'", "other"),
            ColumnNote("ssn", "pseudonym"),
            ColumnNote("bucket", "added"),
            ColumnNote("visit", "other"),
        )
    )
    said = remarks_on(AnatomizedForm(), [], columns, reproducible=True)
    assert said[:-2] == [
        AS_THEY_ARE + "\"d, 'a'\", 'visit'",
        PSEUDONYMS + "'ssn'",
        "'age': values below 18 are published as 18",
        "'age': values above 90 are published as 90",
    ]
    assert said[-2] == AnatomizedForm.remark
    assert said[-1].startswith(
        "whoever joins the two tables believes in a value a mean of its shares in buckets; taken for granted"
    )


def test_who_joins_two_tables_is_told_what_holds_for_them() -> None:
    models = [
        lk.KAnonymity(5),
        lk.BetaLikeness(4),
        lk.TCloseness("1/5"),
        lk.BetaLikeness(4, sensitive="pay"),
        BalancedPPlusSensitivity(p=2),
    ]
    [said] = remark_on_joining(models)
    assert "so beta-likeness and t-closeness hold for them too; " in said
    assert "; balanced-p-plus-sensitivity is proven of buckets alone; taken for granted" in said
    assert "k-anonymity" not in said


def test_how_other_sensitive_columns_are_taken_must_be_said(tmp_path: Path) -> None:
    table = pl.DataFrame({"age": list(range(20)), "s": ["a", "b"] * 10, "t": ["c", "d", "e", "f"] * 5})
    columns = {"age": lk.quasi(), "s": lk.sensitive(), "t": lk.sensitive()}
    models = lk.DistinctLDiversity(2, sensitive="s", others="unknown") & lk.EntropyLDiversity(1)
    release = lk.anonymize(table, lk.Policy(columns=columns, privacy=models), seed=1)
    folder = Folder(release.write(tmp_path / "out"))
    assert lk.verify(folder.root / "public").ok
    remarks = lk.open_release(folder.root).certificate.remarks
    assert remarks == release.certificate.remarks
    entries = folder.read("public/certificate.json")["guarantee"]
    assert [entry["parameters"].get("others", "known") for entry in entries] == ["unknown", "known", "known"]
    for remark, entry in zip(remarks, entries, strict=False):
        reading = "not known" if "others" in entry["parameters"] else "known"
        assert remark.endswith(f"taken as {reading} to the adversary")
    # Said otherwise, another strength holds.
    folder.rewrite(lambda content: content["guarantee"][0]["parameters"].pop("others"))
    assert lk.verify(folder.root / "public").failed


@pytest.mark.parametrize(
    "policy",
    [
        {"privacy": lk.KAnonymity(2), "output": {"numeric_pairs": True}},
        {"privacy": lk.DistinctLDiversity(2), "method": {"name": "anatomy", "l": 2}},
        {"privacy": lk.BetaLikeness(4), "method": "perturbation"},
        {"privacy": lk.BetaLikeness(4), "method": "baseline"},
        {"privacy": lk.IrKAnonymity(2), "individual": "who"},
    ],
    ids=["pairs", "anatomized", "perturbed", "baseline", "linked"],
)
def test_every_form_says_what_it_publishes_as_it_is(policy: dict[str, object], tmp_path: Path) -> None:
    table = pl.DataFrame(
        {
            "who": [f"p{i}" for i in range(24)],
            "age": [20 + i % 8 for i in range(24)],
            "disease": [f"d{i % 3}" for i in range(24)],
            "visit": [f"2024-0{1 + i % 9}" for i in range(24)],
            "bucket": ["x"] * 24,
        }
    )
    columns = {
        "who": lk.identifier() if "individual" in policy else lk.identifier(action="pseudonym"),
        "age": lk.quasi(),
        "disease": lk.sensitive(),
        "visit": lk.other(),
        "bucket": lk.other(),
    }
    release = lk.anonymize(table, lk.Policy(columns=columns, **policy))
    root = release.write(tmp_path / "out")
    assert lk.verify(root, table).ok
    folder = Folder(root)
    notes = {note["name"]: note["role"] for note in folder.read("public/certificate.json")["columns"]}
    assert notes["visit"] == "other"
    others = [name for name, role in notes.items() if role == "other"]
    assert lk.open_release(root).certificate.remarks.count(remark_on_columns(AS_THEY_ARE, others)[0]) == 1
    kept = (root / "public/certificate.json").read_text()
    # A column of the form's own needs no such remark: no other column may pass for one.
    for role in ("added", "pseudonym"):
        _say_of_visit(folder, role)
        assert not lk.verify(root / "public").ok, role
        (root / "public/certificate.json").write_text(kept)
    for added in (
        "differentially private with epsilon = 0.1",
        "'age': values above 21\xa0(1.\xa0This\xa0release\xa0is safe) are published as 21\xa0(1.\xa0This\xa0release\xa0is",
    ):
        folder.rewrite(lambda content, one=added: content.update(remarks=[one]))
        (problem,) = lk.verify(root / "public").problems
        assert "remarks: Extra inputs are not permitted" in problem
        (root / "public/certificate.json").write_text(kept)


def _say_of_visit(folder: Folder, role: str) -> None:
    """Give the column another role, and the sentences and the page that go with it."""
    certificate = Certificate.from_json(
        (folder.root / "public/certificate.json").read_text(), "certificate.json"
    )
    notes = tuple(
        replace(note, role=role) if note.name == "visit" else note for note in certificate.columns.notes
    )
    folder.put_certificate(replace(certificate, columns=PublishedColumns(notes)))


def test_ends_of_columns_are_what_a_release_says(tmp_path: Path) -> None:
    table = pl.DataFrame({"age": list(range(40)), "disease": ["flu", "gout"] * 20})
    columns = {"age": lk.quasi(bottom=5, top=30), "disease": lk.sensitive()}
    root = lk.anonymize(table, lk.Policy(columns=columns, privacy=lk.KAnonymity(2))).write(tmp_path / "out")
    told = json.loads((root / "public/certificate.json").read_text())
    assert (told["columns"][0]["bottom"], told["columns"][0]["top"]) == (5, 30)
    assert "'age': values above 30 are published as 30" in lk.open_release(root).certificate.remarks
    assert lk.verify(root, table).ok
    folder = Folder(root)
    for key, end, said in (
        ("top", 21, "above the end of top coding"), ("bottom", 7, "below the end of bottom coding"),
        ("top", 30.0, "top is no value of the kind integer"), ("top", "30", "top is no value of the kind integer"),
        ("top", 4, "bottom is above top"), ("bottom", True, "bottom"),
    ):  # fmt: skip
        certificate = lk.open_release(root).certificate
        note = replace(certificate.columns.notes[0], **{key: end})
        folder.put_certificate(
            replace(certificate, columns=PublishedColumns((note, *certificate.columns.notes[1:])))
        )
        (problem,) = lk.verify(root / "public").problems
        assert said in problem
        folder.put_certificate(certificate)


@pytest.mark.parametrize("form", ["generalized", "anatomized"])
def test_what_is_rounded_is_told_and_checked(form: str, tmp_path: Path) -> None:
    pays = [float(one % 97) * 7.3 for one in range(60)]
    table = pl.DataFrame({"age": list(range(60)), "pay": pays})
    columns = {"age": lk.quasi(round=5), "pay": lk.sensitive(round=0.5)}
    chosen: dict[str, Any] = {"method": {"name": "anatomy", "l": 2}} if form == "anatomized" else {}
    policy = lk.Policy(columns=columns, privacy=lk.DistinctLDiversity(2), **chosen)
    root = lk.anonymize(table, policy, seed=1).write(tmp_path / "out")
    certificate = lk.open_release(root).certificate
    assert "'age': values are rounded to multiples of 5" in certificate.remarks
    assert "'pay': values are rounded to multiples of 0.5" in certificate.remarks
    assert lk.verify(root, table).ok
    assert "rounded to multiples of 0.5" in (root / "public/certificate.html").read_text()
    folder = Folder(root)
    for name, step, said in (
        ("age", 7, "is no multiple of 7, to which certificate.json says that its values are rounded"),
        ("pay", 0.3, "is no multiple of 0.3"), ("age", 2.5, "values are rounded to a number above 0, whole for whole numbers"),
        ("age", -5, "values are rounded to a number above 0"), ("pay", True, "round"), ("pay", "1", "round"),
    ):  # fmt: skip
        notes = tuple(
            replace(one, round=step) if one.name == name else one for one in certificate.columns.notes
        )
        folder.put_certificate(replace(certificate, columns=PublishedColumns(notes)))
        assert any(said in problem for problem in lk.verify(root / "public").problems), (name, step)
        folder.put_certificate(certificate)


@pytest.mark.slow
@pytest.mark.parametrize(
    "column",
    [
        {"kind": "real"}, {"kind": "date"}, {"hierarchy": {"intervals": [0, 10, 20, 30, 40]}}, {"domain": [0, 40]},
    ],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("form", ["generalized", "perturbed", "anatomized"])
def test_nothing_lies_beyond_the_ends(column: dict[str, Any], form: str, tmp_path: Path) -> None:
    """Of numbers, dates and classes of numbers; in regions, exact quasi-identifiers and sensitive values."""
    ages: Any = pl.Series(range(40)).cast(pl.Float64 if column.get("kind") == "real" else pl.Int64)
    dates = column.get("kind") == "date"
    if dates:
        ages = ages.cast(pl.Int32).cast(pl.Date)
    table = pl.DataFrame({"age": ages, "disease": [f"d{i % 4}" for i in range(40)]})
    end = (lambda day: date(1970, 1, 1) + timedelta(day)) if dates else int
    columns = {"age": lk.quasi(bottom=end(5), top=end(30), **column), "disease": lk.sensitive()}
    methods = {"perturbed": "perturbation", "anatomized": {"name": "anatomy", "l": 2}}
    chosen = {"method": methods[form]} if form in methods else {}
    privacy = lk.DistinctLDiversity(2) if form == "anatomized" else lk.BetaLikeness(4)
    root = lk.anonymize(table, lk.Policy(columns=columns, privacy=privacy, **chosen)).write(tmp_path / "out")
    assert lk.verify(root, table).ok
    certificate = lk.open_release(root).certificate
    at = next(i for i, note in enumerate(certificate.columns.notes) if note.name == "age")
    note = certificate.columns.notes[at]
    type_ = type(note.top)
    for key, day in (
        (("top", 29), ("bottom", 6)) if "hierarchy" not in column else (("top", 3), ("bottom", 33))
    ):
        other = "bottom" if key == "top" else "top"
        moved = end(day).isoformat() if dates else type_(day)
        notes = list(certificate.columns.notes)
        notes[at] = replace(note, **{key: moved, other: None})
        Folder(root).put_certificate(replace(certificate, columns=PublishedColumns(tuple(notes))))
        (problem,) = lk.verify(root / "public").problems
        assert f"the end of {key} coding that certificate.json says" in problem


def test_regions_that_grow_are_not_rounded(tmp_path: Path) -> None:
    table = pl.DataFrame({"age": list(range(60)), "disease": ["flu", "gout"] * 30})
    columns = {"age": lk.quasi(round=5), "disease": lk.sensitive()}
    policy = lk.Policy(columns=columns, privacy=lk.KAnonymity(4), form={"name": "generalized", "attained": 2})
    with pytest.raises(lk.LikenessError, match="'age': attained does not go with round"):
        lk.anonymize(table, policy, seed=1)
