"""What certificates must say, and that everybody can see when they do not."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import polars as pl
import pytest
from tests.folder.samples import Folder

import likeness as lk
from likeness.forms._columns import ColumnNote, PublishedColumns
from likeness.forms.anatomized import AnatomizedForm
from likeness.forms.generalized import GeneralizedForm
from likeness.forms.identity_reserved import IdentityReservedForm
from likeness.remarks import AS_THEY_ARE, PSEUDONYMS, remark_on_columns, unexplained

if TYPE_CHECKING:
    from pathlib import Path

ODD = ["a', 'b", "a", "b", 'c"', "d, 'a'"]


def notes(*others: str) -> PublishedColumns:
    """An age, a disease, and columns that are neither."""
    return PublishedColumns(
        (
            ColumnNote("age", "quasi", "integer", "interval"),
            ColumnNote("disease", "sensitive"),
            *(ColumnNote(name, "other") for name in others),
        )
    )


@pytest.mark.parametrize("begin", [AS_THEY_ARE, PSEUDONYMS])
@pytest.mark.parametrize("said", [ODD, ODD[1:3], ODD[::2], ODD[3:], []])
def test_any_names_are_read_back(begin: str, said: list[str]) -> None:
    remarks = [*remark_on_columns(begin, said), "something else: 'a'"]
    assert unexplained(GeneralizedForm(), ["release"], notes(*ODD), remarks) == [
        name for name in ODD if name not in said
    ]


def test_columns_of_the_form_need_no_remark() -> None:
    pairs = notes("age_low", "age_high", "disease_low")
    assert unexplained(GeneralizedForm(numeric_pairs=True), ["release"], pairs, []) == ["disease_low"]
    assert unexplained(GeneralizedForm(), ["release"], pairs, []) == ["age_low", "age_high", "disease_low"]
    linked = notes("person", "class", "visit")
    assert unexplained(IdentityReservedForm(), ["release"], linked, []) == ["visit"]
    buckets = notes("bucket", "count", "visit")
    assert unexplained(AnatomizedForm(), ["quasi", "sensitive"], buckets, []) == ["visit"]


def test_how_other_sensitive_columns_are_taken_must_be_said(tmp_path: Path) -> None:
    table = pl.DataFrame({"age": list(range(20)), "s": ["a", "b"] * 10, "t": ["c", "d", "e", "f"] * 5})
    columns = {"age": lk.quasi(), "s": lk.sensitive(), "t": lk.sensitive()}
    models = lk.DistinctLDiversity(2, sensitive="s", others="unknown") & lk.EntropyLDiversity(1)
    release = lk.anonymize(table, lk.Policy(columns=columns, privacy=models), seed=1)
    folder = Folder(release.write(tmp_path / "out"))
    assert lk.verify(folder.root / "public").ok
    remarks = release.certificate.remarks
    for left_out in remarks[:3]:
        assert "taken as" in left_out
        folder.certify(remarks=tuple(remark for remark in remarks if remark != left_out))
        found = lk.verify(folder.root / "public")
        assert found.problems == (
            "certificate.json: lacks the remark that says whether other sensitive columns are taken as known",
        )


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
    remarks = json.loads((root / "public/certificate.json").read_text())["remarks"]
    (said,) = [remark for remark in remarks if remark.startswith(AS_THEY_ARE)]
    folder.certify(remarks=tuple(remark for remark in remarks if remark != said))
    (problem,) = lk.verify(root / "public").problems
    assert problem.startswith("certificate.json: does not say that 'visit' and ")
    assert problem.endswith(" are published as they are, unprotected")
    folder.certify(remarks=(*remarks, "differentially private with epsilon = 0.1"))
    assert lk.verify(root / "public").problems == (
        "certificate.json: says what no release says and nobody can check: 'differentially private with epsilon = 0.1'",
    )


def test_ends_of_columns_are_what_a_release_says(tmp_path: Path) -> None:
    table = pl.DataFrame({"age": list(range(40)), "disease": ["flu", "gout"] * 20})
    columns = {"age": lk.quasi(bottom=5, top=30), "disease": lk.sensitive()}
    root = lk.anonymize(table, lk.Policy(columns=columns, privacy=lk.KAnonymity(2))).write(tmp_path / "out")
    told = json.loads((root / "public/certificate.json").read_text())["remarks"]
    assert "'age': values above 30 are published as 30" in told
    assert lk.verify(root, table).ok
    Folder(root).certify(remarks=(*told, "'height': values above 30 are published as 30"))
    (problem,) = lk.verify(root / "public").problems
    assert problem.startswith("certificate.json: says what no release says")
