"""Releases of people with several records are written, verified, opened and protected alike."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from tests.folder.samples import Folder

import likeness as lk
from likeness.published.columns import ColumnNote, PublishedColumns
from likeness.wording import count

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

COLUMNS = {
    "who": lk.identifier(),
    "age": lk.quasi(),
    "zip": lk.quasi(hierarchy={"prefix": 3}),
    "disease": lk.sensitive(),
    "class": lk.other(),
}


def visits(seed: int = 3) -> pl.DataFrame:
    """Forty people with one to four diseases; some moved, and some records stand twice."""
    rng = np.random.default_rng(seed)
    person = np.repeat(np.arange(40), rng.integers(1, 5, 40))
    rng.shuffle(person)
    age, zip_code = rng.integers(20, 60, 40)[person], rng.integers(0, 4, 40)[person]
    moved = rng.random(person.size) < 0.1
    return pl.DataFrame(
        {
            "who": [f"p{i:03}" for i in person],
            "age": age,
            "zip": [f"{100 + (code + own) % 4}" for code, own in zip(zip_code, moved, strict=True)],
            "disease": rng.choice(["flu", "cold", "gout", "cough", "angina", "measles"], person.size),
            "class": rng.choice(["A", "B"], person.size),
        }
    )


def policy(form: str, **changes: Any) -> lk.Policy:
    """A policy for `visits`."""
    given = {
        "columns": COLUMNS,
        "individual": "who",
        "privacy": lk.KAnonymity(3) & lk.AlphaKAnonymity(alpha="0.8", k=3),
        "method": {"name": "mondrian"},
        "form": {"name": form},
        "withhold": {"at_most": 0.2},
    }
    return lk.Policy(**(given | changes))


@pytest.fixture(scope="module", params=["identity-reserved", "generalized"])
def written(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release folder in both forms."""
    release = lk.anonymize(visits(), policy(request.param), seed=3)
    return release.write(tmp_path_factory.mktemp("individuals") / request.param)


@pytest.fixture
def folder(written: Path, tmp_path: Path) -> Folder:
    """The same, to tamper with."""
    return Folder(shutil.copytree(written, tmp_path / "out"))


ONLY_LINKED = pytest.mark.parametrize("written", ["identity-reserved"], indirect=True)
ONLY_UNLINKED = pytest.mark.parametrize("written", ["generalized"], indirect=True)


def linked(folder: Folder | Path) -> bool:
    root = folder.root if isinstance(folder, Folder) else folder
    return "person" in (root / "public/release.csv").read_text().split("\n")[0]


def test_what_is_proven_and_to_whom(written: Path) -> None:
    alone, steward, compared = lk.verify(written / "public"), lk.verify(written), lk.verify(written, visits())
    assert alone.ok is linked(written)
    assert not alone.failed
    assert alone.status == ("proven" if linked(written) else "nothing checkable")
    assert {proof.holds for proof in alone.proofs} == ({True} if linked(written) else {None})
    assert {proof.scope for proof in alone.proofs} == ({"public"} if linked(written) else {"steward"})
    for verdict in (steward, compared):
        assert verdict.ok
        assert all(proof.holds for proof in verdict.proofs)
        assert verdict.individuals == 40
    assert (alone.individuals == 40) is linked(written)
    assert ("nothing could be checked" in repr(alone)) is not linked(written)
    assert "proven (" in repr(steward)


def test_the_published_table(written: Path) -> None:
    table = pl.read_csv(written / "public/release.csv")
    own = ["person", "class"] if linked(written) else []
    assert table.columns == [*own, "age", "zip", "disease", "class_original"]


@ONLY_LINKED
def test_rows_of_a_person_share_a_number_and_a_class(written: Path) -> None:
    table = pl.read_csv(written / "public/release.csv")
    assert set(table["person"]) == set(range(1, 41))
    assert table.group_by("person").agg(pl.col("class").n_unique())["class"].max() == 1
    regions = table.group_by("class").agg(pl.col("age").n_unique(), pl.col("zip").n_unique())
    assert regions["age"].max() == regions["zip"].max() == 1
    sizes = table.group_by("class").agg(pl.col("person").n_unique())
    assert sizes["person"].min() >= 3


@ONLY_LINKED
def test_people_are_numbered_in_no_order_of_the_original(written: Path) -> None:
    map_ = pl.read_parquet(written / "private/classes.parquet").filter(pl.col("status") == "published")
    first = map_.unique("person", keep="first", maintain_order=True)["person"].to_list()
    assert sorted(first) == list(range(1, 41))
    assert first != sorted(first)


def test_opened(written: Path) -> None:
    opened = lk.open_release(written / "public")
    assert opened.certificate.individuals == 40
    assert opened.verify().ok is linked(written)
    assert not opened.verify().failed
    for shown in (repr(opened), opened._repr_html_()):
        assert ("records of 40 individuals in" in shown) is linked(written)
    if linked(written):
        shares = opened.posterior({"age": 30})["disease"]
        assert max(shares.values()) <= 0.8
        assert sum(shares.values()) > 1


def _swap_persons(folder: Folder) -> None:
    """Give a disease of one person to another of the same class, and theirs to the first."""
    frame = folder.frame()
    rows = frame.with_row_index().filter(pl.col("person").len().over("person") > 1)
    rows = rows.filter(pl.col("class") == rows["class"].mode()[0])
    a, b = rows.unique("person", keep="first", maintain_order=True)["index"].to_list()[:2]
    persons = frame["person"].to_list()
    persons[a], persons[b] = persons[b], persons[a]
    folder.put(frame.with_columns(person=pl.Series(persons)))


def _split_person(folder: Folder) -> None:
    """Give one of somebody's records to a new person: classes have more people than they had."""
    frame = folder.frame()
    busy = frame.group_by("person", maintain_order=True).len().filter(pl.col("len") > 1)["person"][0]
    row = frame["person"].to_list().index(busy)
    persons = frame["person"].to_list()
    persons[row] = "41"
    folder.put(frame.with_columns(person=pl.Series(persons)))


def _mix_classes(folder: Folder) -> None:
    frame = folder.frame()
    classes = frame["class"].to_list()
    classes[0] = next(own for own in classes if own != classes[0])
    folder.put(frame.with_columns(pl.Series("class", classes)))


def _odd_number(folder: Folder) -> None:
    frame = folder.frame()
    folder.put(frame.with_columns(person=pl.Series(["Mike", *frame["person"].to_list()[1:]])))


def _no_persons(folder: Folder) -> None:
    folder.put(folder.frame().drop("person"))


def _person_of_two_classes(folder: Folder) -> None:
    """Exchange the numbers of a record of one class and of one of another, of people who have others."""
    frame = folder.frame().with_row_index()
    several = frame.filter(pl.col("person").len().over("person") > 1)
    a, b = several.unique("class", keep="first", maintain_order=True)["index"].to_list()[:2]
    persons = frame["person"].to_list()
    persons[a], persons[b] = persons[b], persons[a]
    folder.put(frame.drop("index").with_columns(person=pl.Series(persons)))


def _gap(folder: Folder) -> None:
    """Number the last person as if somebody had been left out."""
    frame = folder.frame()
    folder.put(frame.with_columns(pl.col("person").replace({"40": "41"})))


def _endless_number(folder: Folder) -> None:
    folder.put(folder.frame().with_columns(pl.col("class").replace({"1": "9" * 5000})))


TAMPERING: list[tuple[Callable[[Folder], None], str]] = [
    (_swap_persons, "is not shown as the other rows of the person"),
    (_split_person, "is not shown as the other rows of the person"),
    (_mix_classes, "column 'class': its numbers are not those of equal regions"),
    (_person_of_two_classes, "are not all in one class, as a person's must be"),
    (_gap, "column 'person': its numbers are not those from 1 to 40; one is 41"),
    (_endless_number, "one is 99999999999999999999…"),
    (_odd_number, "'Mike' is not a whole number from 1"),
    (_no_persons, "the column 'person' is missing"),
]


@ONLY_LINKED
@pytest.mark.parametrize(("tamper", "said"), TAMPERING)
def test_changed_numbers_are_found(folder: Folder, tamper: Callable[[Folder], None], said: str) -> None:
    tamper(folder)
    assert any("SHA-256" in line for line in lk.verify(folder.root / "public").problems)
    folder.certify()
    found = lk.verify(folder.root)
    assert not found.ok
    assert said in "\n".join(found.problems)


@ONLY_LINKED
def test_a_person_more_is_found_by_the_original_whatever_was_recomputed(folder: Folder) -> None:
    _split_person(folder)
    folder.claim_what_holds()
    folder.certify(individuals=41)
    assert lk.verify(folder.root / "public").ok
    shown = folder.frame()["person"].cast(pl.Int64).to_list()
    map_ = folder.classes()
    persons = [
        shown[row] if row >= 0 else own
        for row, own in zip(map_["published_row"].to_list(), map_["person"].to_list(), strict=True)
    ]
    folder.put_classes(map_.with_columns(person=pl.Series(persons)))
    folder.audit()
    found = lk.verify(folder.root, visits())
    assert not found.ok
    assert "do not go one to one" in "\n".join(found.problems)


def test_individuals_cannot_be_left_unsaid(folder: Folder) -> None:
    folder.certify(individuals=None)
    found = lk.verify(folder.root / "public") if linked(folder) else lk.verify(folder.root)
    assert "certificate.json says one record a person; found: 40 individuals" in "\n".join(found.problems)


def test_a_class_map_without_persons_is_found(folder: Folder) -> None:
    folder.put_classes(folder.classes().drop("person"))
    folder.audit()
    found = lk.verify(folder.root, visits())
    assert not found.ok
    assert "person" in "\n".join(found.problems) or "individuals" in "\n".join(found.problems)


def test_another_table_is_found(folder: Folder) -> None:
    table = visits()
    people = table["who"].to_list()
    people[0] = next(own for own in people if own != people[0])
    assert not lk.verify(folder.root, table.with_columns(who=pl.Series(people))).ok


def test_who_can_check_is_not_overstated(folder: Folder) -> None:
    claimed = folder.read("public/certificate.json")["guarantee"]
    other = "steward" if linked(folder) else "public"
    folder.certify(guarantee=tuple(entry | {"scope": other} for entry in claimed))
    found = lk.verify(folder.root / "public")
    assert not found.ok
    assert f"scope {other}" in "\n".join(found.problems)


def _as_role(folder: Folder, column: str, role: str) -> None:
    """Say of a column that it has another role."""
    content = folder.read("public/certificate.json")
    notes = [
        ({"name": column, "role": role} if note["name"] == column else note) for note in content["columns"]
    ]
    folder.certify(columns=PublishedColumns(tuple(ColumnNote.from_json(note) for note in notes)))


@ONLY_LINKED
@pytest.mark.parametrize(
    ("column", "role", "said"),
    [
        ("class", "quasi", "certificate.json: 'class' has the role quasi; in identity-reserved releases it is a random number"),
        ("person", "sensitive", "certificate.json: 'person' has the role sensitive; in identity-reserved releases it is"),
    ],
)  # fmt: skip
def test_random_numbers_are_no_attributes(column: str, role: str, said: str, folder: Folder) -> None:
    _as_role(folder, column, role)
    assert said in "\n".join(lk.verify(folder.root / "public").problems)


@ONLY_UNLINKED
def test_claims_that_cannot_be_checked_are_of_columns_that_there_are(folder: Folder) -> None:
    _as_role(folder, "disease", "other")
    assert lk.verify(folder.root / "public").problems == (
        "certificate.json claims alpha-k-anonymity on 'disease', which is no sensitive column",
    )


def test_what_could_not_be_checked_is_not_said_to_be_right(written: Path) -> None:
    checks = "\n".join(lk.verify(written / "public").checks)
    assert ("measured strengths" in checks) is linked(written)
    assert "measured strengths" in "\n".join(lk.verify(written).checks)


@pytest.mark.parametrize("number", [0, 1, 10**6])
def test_numbers_of_people_that_cannot_be(number: int, folder: Folder) -> None:
    folder.certify(individuals=number)
    found = lk.verify(folder.root / "public")
    assert not found.ok
    assert f"certificate.json says {count(number, 'individual')}" in found.problems[0]


@ONLY_UNLINKED
def test_every_class_has_k_people(folder: Folder) -> None:
    least = 3 * lk.verify(folder.root / "public").classes
    folder.certify(individuals=least)
    assert not [line for line in lk.verify(folder.root / "public").problems if "cannot be theirs" in line]
    folder.certify(individuals=least - 1)
    (problem,) = lk.verify(folder.root / "public").problems
    assert problem.startswith(f"certificate.json says {count(least - 1, 'individual')}; ")
    assert problem.endswith("of at least 3 individuals each cannot be theirs")


@pytest.fixture(scope="module")
def limited(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release whose model limits the share of one person's records."""
    release = lk.anonymize(
        visits(),
        policy("identity-reserved", privacy=lk.IrAlphaBetaAnonymity(alpha="0.5", beta="0.9"), method=None),
        seed=3,
    )
    return release.write(tmp_path_factory.mktemp("limited") / "out")


def test_people_are_not_taken_for_records(limited: Path, tmp_path: Path) -> None:
    folder = Folder(shutil.copytree(limited, tmp_path / "out"))
    folder.certify(form={"name": "generalized"}, individuals=None)
    folder.claim_what_holds()
    assert lk.verify(folder.root / "public").problems == (
        "release.csv: holds 'person', 'class', which generalized releases do not publish there",
        "certificate.json: 'person' has the role added; generalized releases add no such column",
        "certificate.json: 'class' has the role added; generalized releases add no such column",
        "certificate.json claims ir-alpha-beta-anonymity, which counts people, and does not say how many there are",
    )


def test_a_release_of_nobody_proves_nothing(limited: Path, tmp_path: Path) -> None:
    folder = Folder(shutil.copytree(limited, tmp_path / "out"))
    folder.put(folder.frame()[:0])
    facts = folder.read("public/certificate.json")["files"]["release.csv"]
    folder.certify(files={"release.csv": facts | {"rows": 0}}, individuals=0)
    folder.claim_what_holds()
    folder.certify(individuals=0)
    assert lk.verify(folder.root / "public").problems == (
        "release.csv: holds no records; there is no release of nobody",
    )


def test_a_region_written_in_two_ways_is_no_class(folder: Folder) -> None:
    """Or how it is written would tell people of one class apart."""
    frame = folder.frame()
    text = frame["age"].filter(frame["age"].str.starts_with("["))[0]
    row = frame["age"].to_list().index(text)
    frame[row, "age"] = text.replace("[", "[0")
    folder.put(frame)
    folder.certify()
    assert any(
        "column 'age'" in line and "one value is written in one way" in line
        for line in lk.verify(folder.root / "public").problems
    )


def test_repeated_rows_make_nobody_lighter(limited: Path, tmp_path: Path) -> None:
    folder = Folder(shutil.copytree(limited, tmp_path / "out"))
    frame = folder.frame()
    folder.put(pl.concat([frame, frame[:1]]))
    facts = folder.read("public/certificate.json")["files"]["release.csv"]
    folder.certify(files={"release.csv": facts | {"rows": frame.height + 1}})
    folder.claim_what_holds()
    found = lk.verify(folder.root / "public")
    assert found.problems[-1].startswith(f"release.csv, line {frame.height + 2}: says what another row says")


@ONLY_UNLINKED
def test_what_no_people_could_hold_is_found_without_knowing_them(folder: Folder) -> None:
    """Of classes of few records, nobody needs to know whose they are to see that k = 500 is not true."""
    path = folder.root / "public/certificate.json"
    claims = json.loads(path.read_text())["guarantee"]
    for entry in claims:
        if entry["model"] == "k-anonymity":
            entry["parameters"]["k"] = 500
    folder.certify(guarantee=tuple(claims))
    found = lk.verify(folder.root / "public")
    assert not found.ok
    assert [proof.holds for proof in found.proofs if proof.model == "k-anonymity"] == [False]
