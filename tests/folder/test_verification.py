"""A release that was tampered with fails, and says where."""

from __future__ import annotations

import hashlib
import json
import math
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2
import polars as pl
import pytest
from tests.folder.samples import Folder, patients, policy, release

import likeness as lk
from likeness._version import __version__
from likeness.cli import main
from likeness.errors import InvalidError
from likeness.folder import public_part
from likeness.folder.layout import digest
from likeness.forms.generalized import GeneralizedForm
from likeness.microdata.plan import Reason
from likeness.proving import certificate as certificates
from likeness.published.columns import ColumnNote, PublishedColumns
from likeness.report.certificate_page import certificate_page, is_page_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from likeness.proving.proof import Verdict


def _first_of(frame: pl.DataFrame, size: int) -> list[int]:
    """Rows of the first class of that size."""
    groups = frame.with_row_index().group_by("age", "zip", "habit", maintain_order=True).agg("index")
    return next(rows.to_list() for rows in groups["index"] if len(rows) == size)


def _failure(folder: Path | str, *words: str, original: Any = None) -> Verdict:
    """Verify what must fail; every word stands in one of its lines."""
    verdict = lk.verify(folder, original)
    assert not verdict.ok
    lines = "\n".join(line for line in verdict.lines() if not line.startswith(("ok:", "holds")))
    for word in words:
        assert word in lines, lines
    return verdict


# What anybody finds, from the published files alone.


def _cut_a_class(folder: Folder) -> tuple[str, ...]:
    frame = folder.frame()
    rows = _first_of(frame, 4)
    folder.put(frame.with_row_index().filter(pl.col("index") != rows[0]).drop("index"))
    return ("k-anonymity", "age = ", "79 rows", "says 80 records")


def _skew_a_value(folder: Folder) -> tuple[str, ...]:
    frame = folder.frame()
    rows = _first_of(frame, 4)
    skewed = pl.when(pl.int_range(pl.len()).is_in(rows)).then(pl.lit("gout")).otherwise("disease")
    folder.put(frame.with_columns(disease=skewed))
    return ("beta-likeness", "'disease'")


def _move_a_row(folder: Folder) -> tuple[str, ...]:
    frame = folder.frame()
    rows = _first_of(frame, 4)
    moved = [
        pl.when(pl.int_range(pl.len()) == rows[0])
        .then(pl.lit(frame[name][rows[-1] - 1]))
        .otherwise(name)
        .alias(name)
        for name in ("age", "zip", "habit")
    ]
    folder.put(frame.with_columns(moved))
    return ("k-anonymity", "violated in the class")


def _edit_a_region(folder: Folder) -> tuple[str, ...]:
    frame = folder.frame()
    one = pl.int_range(pl.len()) == 7
    folder.put(frame.with_columns(age=pl.when(one).then(pl.lit("[20, 79]")).otherwise("age")))
    return ("k-anonymity", "age = [20, 79]")


def _spoil_a_region(folder: Folder) -> tuple[str, ...]:
    frame = folder.frame()
    one = pl.int_range(pl.len()) == 7
    folder.put(frame.with_columns(age=pl.when(one).then(pl.lit("[2x, 79]")).otherwise("age")))
    line = 9 + sum(cell.count("\n") for row in frame.head(7).iter_rows() for cell in row)
    return (f"release.csv, line {line}: column 'age': '2x' is not of the kind integer",)


def _reorder_columns(folder: Folder) -> tuple[str, ...]:
    frame = folder.frame()
    folder.put(frame.select(reversed(frame.columns)))
    return ("release.csv: its columns are note, visit, disease",)


def _drop_a_column(folder: Folder) -> tuple[str, ...]:
    folder.put(folder.frame().drop("disease"))
    return ("release.csv: its columns are",)


def _empty(folder: Folder) -> tuple[str, ...]:
    folder.table.write_bytes(b"")
    return ("release.csv: the file is empty",)


CHANGES = [
    _cut_a_class, _skew_a_value, _move_a_row, _edit_a_region, _spoil_a_region, _reorder_columns, _drop_a_column, _empty
]  # fmt: skip


@pytest.mark.parametrize("hashes", ["as they were", "recomputed"])
@pytest.mark.parametrize("change", CHANGES)
def test_public_change(change: Callable[[Folder], tuple[str, ...]], hashes: str, folder: Folder) -> None:
    words = change(folder)
    if hashes == "recomputed":
        folder.certify()
    else:
        words += ("SHA-256 is not the one in certificate.json",)
    _failure(folder.root / "public", *words)
    _failure(folder.root, *words)


@pytest.mark.parametrize("change", [_cut_a_class, _skew_a_value, _edit_a_region])
def test_public_change_that_is_certified(change: Callable[[Folder], tuple[str, ...]], folder: Folder) -> None:
    change(folder)
    folder.claim_what_holds()
    _failure(folder.root / "public", "VIOLATED")


@pytest.mark.parametrize("name", ["release.csv", "certificate.json", "certificate.html"])
def test_public_file_missing(name: str, folder: Folder) -> None:
    (folder.root / "public" / name).unlink()
    _failure(folder.root / "public", f"{name} is missing")
    _failure(folder.root, f"public/{name} is missing")


def test_public_file_added(folder: Folder) -> None:
    (folder.root / "public/extra.csv").write_text("a\n1\n")
    _failure(folder.root / "public", "extra.csv: is no part of the release")
    shutil.move(folder.root / "public/extra.csv", folder.root / "extra.csv")
    _failure(folder.root, "extra.csv: is no part of the release")


def _edit(*path: str | int, to: Any) -> Callable[[dict[str, Any]], None]:
    def change(content: dict[str, Any]) -> None:
        at: Any = content
        for step in path[:-1]:
            at = at[step]
        at[path[-1]] = to

    return change


EDITS = {
    "strength": _edit("guarantee", 1, "measured", "beta", to=0.5),
    "more strength": _edit("guarantee", 0, "measured", "k", to=5.0),
    "parameter": _edit("guarantee", 0, "parameters", "k", to=5),
    "scope": _edit("guarantee", 1, "scope", to="steward"),
    "unknown scope": _edit("guarantee", 1, "scope", to="everybody"),
    "sensitive": _edit("guarantee", 1, "sensitive", to="age"),
    "model": _edit("guarantee", 0, "model", to="k-anonimity"),
    "no guarantee": _edit("guarantee", to=[]),
    "extra claim": _edit("guarantee", 0, "note", to="safe"),
    "records": _edit("counts", "records", to=81),
    "classes": _edit("counts", "classes", to=20),
    "rows": _edit("files", "release.csv", "rows", to=81),
    "hash": _edit("files", "release.csv", "sha256", to="0" * 64),
    "file": _edit("files", "../private/audit.json", to={"sha256": "", "rows": 1, "columns": []}),
    "form": _edit("form", "name", to="anatomized"),
    "role": _edit("columns", 1, "role", to="other"),
    "kind": _edit("columns", 1, "kind", to="date"),
    "no sensitive": _edit("columns", 4, "role", to="other"),
    "column": _edit("columns", 1, "name", to="years"),
    "extra key": _edit("comment", to="all is well"),
    "format": _edit("format", to=3),
    "version": _edit("likeness", to="9.9"),
    "remark": _edit("remarks", to=["nothing at all"]),
    "reproducible": _edit("reproducible", to=False),
}


@pytest.mark.parametrize("edit", EDITS)
def test_certificate_edited(edit: str, folder: Folder) -> None:
    path = folder.root / "public/certificate.json"
    content = json.loads(path.read_text())
    EDITS[edit](content)
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n")
    _failure(folder.root / "public", "certificate.")
    _failure(folder.root, "certificate.json", "audit.json")


def test_certificate_is_no_json(folder: Folder) -> None:
    path = folder.root / "public/certificate.json"
    for text in (b"", b"[]", b"{", b"\xff", b'{"format": 1}'):
        path.write_bytes(text)
        _failure(folder.root / "public", "certificate.json")


def test_certificate_written_otherwise(folder: Folder) -> None:
    path = folder.root / "public/certificate.json"
    path.write_text(json.dumps(json.loads(path.read_text())))
    _failure(folder.root / "public", "is not as likeness writes it")


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"records": 81}, "81 records"),
        ({"classes": 3}, "3 classes"),
        ({"reproducible": False}, "a given seed"),
        ({"version": "0.99.1"}, f"likeness: {__version__!r}"),
    ],
)
def test_certificate_edited_and_rendered(changes: dict[str, Any], word: str, folder: Folder) -> None:
    folder.certify(**changes)
    _failure(folder.root, word)


def test_weaker_claim_is_no_lie_but_a_change(folder: Folder) -> None:
    guarantee = tuple(folder.read("public/certificate.json")["guarantee"][:1])
    folder.certify(guarantee=guarantee)
    assert lk.verify(folder.root / "public").ok
    _failure(folder.root, "does not claim beta-likeness, which the policy in private/audit.json asks for")
    assert not lk.verify(folder.root / "public", policy=policy()).ok


def test_page_says_something_else(folder: Folder) -> None:
    path = folder.root / "public/certificate.html"
    path.write_text(path.read_text().replace("k = 4", "k = 40"))
    _failure(folder.root / "public", "certificate.html: does not say what certificate.json says")


# What only the steward finds.


def _swap_within_a_class(folder: Folder) -> None:
    frame = folder.frame()
    a, *others = _first_of(frame, 4)
    b = next(row for row in others if frame["visit"][row] != frame["visit"][a])
    index = [b if row == a else a if row == b else row for row in range(frame.height)]
    folder.put(frame.with_columns(visit=frame["visit"][index]))


def _swap_regions(folder: Folder) -> None:
    frame = folder.frame()
    a = _first_of(frame, 4)[0]
    b = next(
        row
        for row in range(frame.height)
        if frame["age"][row] != frame["age"][a] and frame["disease"][row] == frame["disease"][a]
    )
    index = [b if row == a else a if row == b else row for row in range(frame.height)]
    folder.put(frame.with_columns(frame.select("age", "zip", "habit")[index]))


def _swap_sensitive(folder: Folder) -> None:
    frame = folder.frame()
    everybody = frame["disease"].to_list()
    groups = (
        frame.with_row_index().group_by("age", "zip", "habit", maintain_order=True).agg("index", "disease")
    )
    (a, b), *_ = (
        (x, y)
        for i, own in enumerate(groups.iter_rows(named=True))
        for other in list(groups.iter_rows(named=True))[i + 1 :]
        for x, one in zip(own["index"], own["disease"], strict=True)
        for y, two in zip(other["index"], other["disease"], strict=True)
        if one != two
        and _holds_swapped(own["disease"], one, two, everybody)
        and _holds_swapped(other["disease"], two, one, everybody)
    )
    index = [b if row == a else a if row == b else row for row in range(frame.height)]
    folder.put(frame.with_columns(disease=frame["disease"][index]))


def _holds_swapped(values: list[str], out: str, into: str, everybody: list[str]) -> bool:
    """A class keeps to enhanced β-likeness, β = 3, when one value leaves and another comes."""
    changed = list(values)
    changed.remove(out)
    changed.append(into)
    shares = {value: everybody.count(value) / len(everybody) for value in changed}
    return all(
        changed.count(value) / len(changed) < 0.99 * share * (1 + min(3, -math.log(share)))
        for value, share in shares.items()
    )


def _change_a_note(folder: Folder) -> None:
    frame = folder.frame()
    one = pl.int_range(pl.len()) == 3
    folder.put(frame.with_columns(note=pl.when(one).then(pl.lit("other")).otherwise("note")))


def _swap_rows(folder: Folder) -> None:
    frame = folder.frame()
    folder.put(frame[[1, 0, *range(2, frame.height)]])


@pytest.mark.parametrize(
    "change",
    [_swap_within_a_class, _swap_regions, _swap_sensitive, _change_a_note, _swap_rows],
)
def test_change_that_keeps_the_guarantee(change: Callable[[Folder], None], folder: Folder) -> None:
    change(folder)
    folder.claim_what_holds()
    assert lk.verify(folder.root / "public").ok
    _failure(folder.root, "public/release.csv: its SHA-256 is not the one in audit.json")
    folder.audit()
    _failure(folder.root, "release.csv, line", original=patients())


def test_swapped_regions_without_the_original(folder: Folder) -> None:
    _swap_regions(folder)
    folder.claim_what_holds()
    folder.audit()
    _failure(folder.root, "release.csv, line", "is not shown as the other rows of the class")


def test_swapped_sensitive_values_with_all_hashes(folder: Folder) -> None:
    _swap_sensitive(folder)
    folder.claim_what_holds()
    folder.audit()
    assert lk.verify(folder.root).ok
    verdict = _failure(folder.root, "column 'disease' is not the original's value", original=patients())
    assert "rows of the original" not in str(verdict.checks)
    assert [line.count("of the original)") for line in verdict.problems] == [2]


@pytest.mark.parametrize("name", ["report.html", "classes.parquet", "audit.json"])
def test_private_file_missing_changed_added(name: str, folder: Folder) -> None:
    path = folder.root / "private" / name
    kept = path.read_bytes()
    path.write_bytes(kept + b" ")
    _failure(folder.root, f"private/{name}")
    path.unlink()
    _failure(folder.root, f"private/{name} is missing")
    path.write_bytes(kept)
    (folder.root / "private/notes.txt").write_text("mine")
    _failure(folder.root, "private/notes.txt: is no part of the release")
    assert lk.verify(folder.root / "public").ok


def test_audit_edited(folder: Folder) -> None:
    path = folder.root / "private/audit.json"
    kept = path.read_text()
    path.write_text(kept.replace('"seed": 11', '"seed": 12'))
    _failure(folder.root, "private/audit.json: its digest")
    folder.audit(counts={"input": 80, "published": 79, "withheld": {"x": 1}, "dropped": {}, "added": 0})
    _failure(folder.root, "private/classes.parquet: it counts", "published records: 79")
    for text in ("", "[]", "{}"):
        path.write_text(text)
        _failure(folder.root, "private/audit.json")


def _map(folder: Folder, **changes: Callable[[pl.DataFrame], Any]) -> None:
    frame = folder.classes()
    folder.put_classes(frame.with_columns(**{name: change(frame) for name, change in changes.items()}))
    folder.audit()


def test_class_map_edited(folder: Folder) -> None:
    kept = folder.classes()
    one = pl.int_range(pl.len()) == 5
    cases: dict[str, dict[str, Any]] = {
        "has a class": {"class": pl.when(one).then(-1).otherwise("class")},
        "has a published row": {"published_row": pl.when(one).then(-1).otherwise("published_row")},
        "no reason": {"reason": pl.when(one).then(pl.lit("because")).otherwise("reason")},
        "another one has": {
            "published_row": pl.when(one).then(kept["published_row"][6]).otherwise("published_row")
        },
        "that is not there": {"published_row": pl.when(one).then(800).otherwise("published_row")},
        "is not a status": {"status": pl.when(one).then(pl.lit("lost")).otherwise("status")},
        "is not shown as": {"class": pl.when(one).then((kept["class"][5] + 1) % 13).otherwise("class")},
        "show the same": {
            "class": pl.col("class").map_elements(lambda c: c, pl.Int64).mul(2) + (pl.col("row") % 2)
        },
        "must hold a whole number": {"class": pl.col("class").cast(pl.Float64)},
        "is not in its place": {"row": pl.col("row").reverse()},
    }
    for word, columns in cases.items():
        folder.put_classes(kept.with_columns(**columns))
        folder.audit()
        _failure(folder.root, "private/classes.parquet", word)
    for frame in (kept.head(79), kept.slice(1), kept.drop("reason")):
        folder.put_classes(frame)
        folder.audit()
        _failure(folder.root, "private/classes.parquet")
        _failure(folder.root, "cannot be compared", original=patients())


@pytest.fixture(scope="module")
def with_withheld(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release with a withheld and a dropped row."""
    chosen = policy(
        columns={"zip": lk.quasi(max_level=2, hierarchy={"prefix": 5}), "habit": lk.quasi()},
        missing={"policy": "drop", "markers": ["gone"]},
        withhold={"at_most": 0.2},
    )
    return lk.anonymize(_withheld_table(), chosen, seed=4).write(tmp_path_factory.mktemp("withheld") / "out")


def _withheld_table() -> pl.DataFrame:
    return patients().with_columns(
        zip=pl.when(pl.int_range(pl.len()) == 0).then(pl.lit("99999")).otherwise("zip"),
        habit=pl.when(pl.int_range(pl.len()) == 1).then(pl.lit("gone")).otherwise("habit"),
    )


def test_withheld_and_dropped(with_withheld: Path) -> None:
    assert lk.verify(with_withheld, _withheld_table()).ok
    counts = json.loads((with_withheld / "private/audit.json").read_text())["counts"]
    assert (counts["published"], sum(counts["withheld"].values()), counts["dropped"]) == (
        78,
        1,
        {"missing habit": 1},
    )


def test_lost_records(with_withheld: Path, tmp_path: Path) -> None:
    folder = Folder(Path(shutil.copytree(with_withheld, tmp_path / "out")))
    kept = folder.classes()
    assert kept["status"].to_list()[:2] == ["withheld", "dropped"]

    def forget(frame: pl.DataFrame) -> None:
        folder.put_classes(frame)
        folder.audit(counts=_counts(frame))

    forget(kept.filter(pl.col("row") != 0).with_columns(row=pl.int_range(pl.len())))
    assert lk.verify(folder.root).ok
    _failure(
        folder.root,
        "the original is not the table that the release was made from: it has 80 rows, not 79",
        original=_withheld_table(),
    )
    as_dropped = pl.when(pl.col("row") == 0).then(pl.lit("dropped")).otherwise("status")
    forget(kept.with_columns(status=as_dropped))
    _failure(
        folder.root, "row 1 of the original is said to be dropped and is not", original=_withheld_table()
    )
    forget(kept.with_columns(row=pl.col("row"), reason=pl.col("reason")))
    assert lk.verify(folder.root, _withheld_table()).ok


def _counts(frame: pl.DataFrame) -> dict[str, Any]:
    def of(status: str) -> dict[str, int]:
        rows = frame.filter(pl.col("status") == status).group_by("reason", maintain_order=True).len()
        return dict(zip(rows["reason"], rows["len"], strict=True))

    published = int((frame["status"] == "published").sum())
    return {
        "input": frame.height, "published": published, "withheld": of("withheld"), "dropped": of("dropped"), "added": 0
    }  # fmt: skip


def _said_of(folder: Folder, original: pl.DataFrame) -> list[str]:
    said = lk.verify(folder.root, original).problems
    assert said[0].startswith("the original is not the table that the release was made from: ")
    return [said[0].partition(": ")[2], *said[1:]]


def test_another_original_is_said_to_be_one_first(folder: Folder) -> None:
    (told,) = _said_of(folder, patients(seed=6))
    assert told.startswith(
        "80 of 80 published rows disagree with it: 'visit' in 70, 'note' in 63, 'age' in 58, "
    )
    assert _said_of(folder, patients(79)) == ["it has 79 rows, not 80"]
    (told,) = _said_of(folder, patients().rename({"habit": "habits"}))
    assert told.startswith("it lacks 'habit' of ")
    assert told.endswith(", and it has 'habits' besides")


def test_of_a_few_changed_cells_it_is_said_which(folder: Folder) -> None:
    other = "flu" if patients()["disease"][3] == "cold" else "cold"
    disease = pl.when(pl.int_range(pl.len()) == 3).then(pl.lit(other)).otherwise("disease")
    told, *more = _said_of(folder, patients().with_columns(disease=disease))
    assert told == "1 of 80 published rows disagree with it: 'disease' in 1"
    assert any("(row 4 of the original): column 'disease' is not" in one for one in more)


def test_everything_recomputed_but_untrue(folder: Folder) -> None:
    """Whoever holds all files can make them agree with each other, not with the original."""
    frame = folder.frame()
    one = frame["age"] == frame["age"][0]
    folder.put(frame.with_columns(age=pl.when(one).then(pl.lit("[20, 21]")).otherwise("age")))
    folder.claim_what_holds()
    folder.audit(counts=folder.read("private/audit.json")["counts"])
    assert lk.verify(folder.root).ok
    _failure(folder.root, "column 'age' does not cover the original's value", original=patients())


def test_told_otherwise_than_the_policy(folder: Folder) -> None:
    certificate = lk.open_release(folder.root).certificate
    notes = [
        replace(note, top=85) if note.name == "age" else note  # could be so, for all that is published
        for note in certificate.columns.notes
    ]
    folder.certify(columns=PublishedColumns(tuple(notes)))
    folder.audit()
    assert lk.verify(folder.root).ok
    _failure(folder.root, "says of column 'age'", original=patients())


def test_a_certificate_holds_no_sentences(folder: Folder) -> None:
    told = list(lk.open_release(folder.root).certificate.remarks)
    assert told
    assert not any(remark in (folder.root / "public/certificate.json").read_text() for remark in told)
    for remarks in ([], ["all is well"], told, ["1.\xa0This\xa0release\xa0is\xa0safe", *told]):
        folder.rewrite(lambda content, one=remarks: content.update(remarks=one))
        folder.audit()
        _failure(folder.root, "remarks: Extra inputs are not permitted")
        _failure(folder.root / "public", "remarks: Extra inputs are not permitted")


def _reword(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this be a later version, which says everything otherwise."""
    original = jinja2.Environment.get_template

    def reworded(self: jinja2.Environment, name: Any, *rest: Any, **more: Any) -> jinja2.Template:
        if name != "certificate.html" or self.loader is None:
            return original(self, name, *rest, **more)
        source, *_ = self.loader.get_source(self, name)
        for before, after in {
            "<h1>Certificate of a release<": "<h1>What was proven<",
            "does not mean<": "is not<",
        }.items():
            assert before in source
            source = source.replace(before, after)
        return self.from_string(source)

    monkeypatch.setattr(jinja2.Environment, "get_template", reworded)
    monkeypatch.setattr(GeneralizedForm, "remark", "what is sensitive is as it was")
    monkeypatch.setattr(certificates, "AS_THEY_ARE", "shown untouched: ")
    monkeypatch.setattr(public_part, "__version__", "0.4.0")


def test_older_releases_are_verified_however_later_versions_word_them(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = folder.root / "public/certificate.html"
    written = page.read_bytes()
    _reword(monkeypatch)
    certificate = lk.open_release(folder.root).certificate
    assert certificate_page(certificate).encode() != written
    assert "shown untouched: 'visit', 'note'" in certificate.remarks
    for found in (lk.verify(folder.root / "public"), lk.verify(folder.root, patients())):
        assert found.ok
        said = "certificate.html was made from certificate.json and not changed since; how likeness 0.3.0 words it"
        assert any(said in check for check in found.checks)
    for changed in (
        written.replace(b"k = 4", b"k = 40"), written.replace(b"</main>", b"<p>All is well.</p></main>"), written[:-1],
        written + b" ", b"", written.replace(b'name="likeness-page" content="', b'name="likeness-page" content="0'),
        re.sub(rb'<meta name="likeness-page"[^>]*>', b"", written), written * 2,
    ):  # fmt: skip
        assert changed != written
        page.write_bytes(changed)
        _failure(folder.root / "public", "certificate.html: does not say what certificate.json says")
    # The page of another release, whole as it is.
    folder.certify(records=81)
    other = page.read_bytes()
    folder.certify(records=80)
    page.write_bytes(other)
    _failure(folder.root / "public", "certificate.html: does not say what certificate.json says")
    page.write_bytes(written)
    assert lk.verify(folder.root / "public").ok


def test_reasons_have_names_however_later_versions_word_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = patients().with_columns(age=pl.when(pl.col("age") < 25).then(None).otherwise("age"))
    asked = policy(
        columns={"age": lk.quasi(missing={"policy": "drop"}), "zip": lk.quasi(hierarchy={"prefix": 5}, max_level=3)},
        privacy=lk.KAnonymity(12), withhold={"at_most": 0.9}, method="mondrian",
    )  # fmt: skip
    rare = table.with_columns(zip=pl.when(pl.int_range(pl.len()) < 60).then(pl.lit("02139")).otherwise("zip"))
    written = lk.anonymize(rare, asked, seed=2)
    folder = written.write(tmp_path / "out")
    audit = json.loads((folder / "private/audit.json").read_bytes())
    by_name = {own["reason"]: sentence for sentence, own in audit["reasons"].items()}
    assert by_name == {
        "part-fails": "the smallest part allowed by the level limits does not hold the guarantee",
        "missing-value": "missing age",
    }
    assert audit["reasons"]["missing age"] == {"reason": "missing-value", "column": "age"}
    because = written.private.solution.plan.because
    assert [*because] == [Reason("part-fails", "said otherwise")]
    assert by_name["part-fails"] in written.counts["withheld"]
    monkeypatch.setattr(Reason, "__str__", lambda self: f"{self.name}, in other words")
    assert written.private.encoded.dropped.keys() == {"missing-value, in other words"}
    assert lk.verify(folder, rare).ok
    assert lk.verify(folder, rare, policy=asked).ok
    opened = lk.open_release(folder, original=rare)
    assert opened.private.solution.plan.because == because
    assert lk.verify(opened.write(tmp_path / "again"), rare).ok
    changed = Folder(folder)
    changed.audit(reasons={"missing age": audit["reasons"]["missing age"]})
    _failure(folder, "private/classes.parquet: audit.json does not name the reason 'the smallest part")
    changed.audit(reasons={**audit["reasons"], "missing age": "missing-value"})
    _failure(folder, "private/audit.json: cannot be read; it was changed (reasons is not whole)")


def test_a_page_of_this_version_is_in_its_words(folder: Folder) -> None:
    """Whoever makes its digest anew cannot say something else."""
    page = folder.root / "public/certificate.html"
    certificate = lk.open_release(folder.root).certificate
    seal = re.search(rb'likeness-page" content="([0-9a-f]+)"', page.read_bytes())[1]
    changed = page.read_bytes().replace(b"k = 4", b"k = 40").replace(seal, b"0" * 64)
    changed = changed.replace(b"0" * 64, hashlib.sha256(changed).hexdigest().encode())
    page.write_bytes(changed)
    assert is_page_of(changed, certificate)
    _failure(folder.root / "public", "certificate.html: does not say what certificate.json says")


@pytest.mark.parametrize(
    ("name", "role"), [("visit", "pseudonym"), ("note", "pseudonym"), ("visit", "added")]
)
def test_what_is_published_as_it_is_cannot_be_called_otherwise(name: str, role: str, folder: Folder) -> None:
    notes = lk.open_release(folder.root).certificate.columns.notes
    changed = tuple(replace(note, role=role) if note.name == name else note for note in notes)
    folder.certify(columns=PublishedColumns(changed))
    said = "to hold random numbers in place of identifiers" if role == "pseudonym" else "add no such column"
    _failure(folder.root / "public", f"'{name}'", said)


def test_releases_of_an_older_format_need_their_own_version(folder: Folder) -> None:
    folder.rewrite(lambda content: content.update(format=1, likeness="0.2.0"))
    _failure(folder.root / "public", "certificate.json: is of format 1; this version reads format 2")


FORMAT_1 = """{
  "format": 1,
  "likeness": "0.2.0",
  "form": {
    "name": "generalized"
  },
  "guarantee": [
    {
      "model": "k-anonymity",
      "parameters": {
        "k": 2
      },
      "scope": "public",
      "measured": {
        "k": 2.0
      }
    }
  ],
  "counts": {
    "records": 4,
    "classes": 2
  },
  "reproducible": true,
  "remarks": [
    "sensitive values are published exactly, one per record"
  ],
  "columns": [
    {
      "name": "age",
      "role": "quasi",
      "kind": "integer",
      "shape": "interval"
    },
    {
      "name": "disease",
      "role": "sensitive",
      "kind": "categorical",
      "shape": "set",
      "distance": "equal"
    }
  ],
  "files": {
    "release.csv": {
      "sha256": "957d00e76d13c61a872808cadf3134c4411a5c1a06161adca82b578b9f35e50f",
      "rows": 4,
      "columns": [
        "age",
        "disease"
      ]
    }
  }
}
"""
"""What likeness 0.2.0 wrote."""


@pytest.mark.parametrize(
    ("said", "version"),
    [("0.2.0", "0.2.0"), ("0.1.0", "0.1.0"), ("9.9", "0.2.0"), ("pip install evil", "0.2.0")],
)
def test_a_certificate_of_format_1_names_the_version_that_verifies_it(
    said: str, version: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "release.csv").write_text(
        'age,disease\n"[60, 61]",flu\n"[30, 31]",flu\n"[60, 61]",cold\n"[30, 31]",cold\n'
    )
    (tmp_path / "certificate.json").write_text(FORMAT_1.replace('"0.2.0"', f'"{said}"'))
    line = (
        "certificate.json: is of format 1; this version reads format 2; verify it with likeness "
        f"{version}, which wrote it"
    )
    assert lk.verify(tmp_path).problems == (line,)
    assert main(["verify", str(tmp_path)]) == 1
    assert capsys.readouterr().out.count("WRONG") == 1
    with pytest.raises(lk.VerificationError) as caught:
        lk.open_release(tmp_path)
    assert caught.value.lines == (f"WRONG: {line}",)


def test_pseudonyms_are_numbers_and_nothing_else(folder: Folder) -> None:
    frame = folder.frame()
    for values in (frame["name"].str.replace("^1$", "Ann"), frame["name"].str.replace("^1$", "999")):
        folder.put(frame.with_columns(name=values))
        folder.claim_what_holds()
        _failure(
            folder.root / "public", "the column 'name' is said to hold random numbers in place of identifiers"
        )


def test_pseudonyms_that_link_records(folder: Folder) -> None:
    frame = folder.frame()
    merged = frame.with_columns(
        name=pl.when(pl.int_range(pl.len()) == 3).then(pl.lit(frame["name"][4])).otherwise("name")
    )
    # Without a gap, which would be seen, too.
    folder.put(merged.with_columns(name=pl.col("name").cast(pl.Int64).rank("dense").cast(pl.String)))
    folder.claim_what_holds()
    said = f"the random numbers of 'name' link: 1 of {frame.height - 1} numbers stands for several records"
    _failure(folder.root / "public", said)
    folder.audit()
    _failure(folder.root, said)
    _failure(
        folder.root,
        "'name': its numbers and the original's identifiers do not go one to one",
        original=patients(),
    )


def test_column_added_with_all_hashes(folder: Folder) -> None:
    folder.put(folder.frame().with_columns(extra=pl.lit("x")))
    content = folder.read("public/certificate.json")
    facts = {"release.csv": content["files"]["release.csv"]}
    facts["release.csv"]["columns"].append("extra")
    facts["release.csv"]["sha256"] = digest(folder.table)
    notes = (*(ColumnNote.from_json(note) for note in content["columns"]), ColumnNote("extra", "other"))
    folder.certify(files=facts, columns=PublishedColumns(notes))
    folder.audit()
    # It is said to be published as it is, and it is.
    assert "'extra'" in lk.open_release(folder.root).certificate.remarks[0]
    assert lk.verify(folder.root).ok
    _failure(folder.root, "column 'extra': neither the original nor the policy has it", original=patients())


def test_policy_is_compared(folder: Folder) -> None:
    assert lk.verify(folder.root, policy=policy()).ok
    assert lk.verify(folder.root / "public", policy=policy()).ok
    assert lk.verify(folder.root, patients(), policy=policy(seed=3, output={"format": "parquet"})).ok
    stronger = policy(privacy=lk.KAnonymity(4) & lk.BetaLikeness(1))
    verdict = lk.verify(folder.root / "public", policy=stronger)
    assert not verdict.ok
    assert any("does not claim beta-likeness (beta = 1)" in problem for problem in verdict.problems)
    assert any("policy: privacy" in problem for problem in lk.verify(folder.root, policy=stronger).problems)


def test_no_release(folder: Folder, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("x")
    for path, word in (("empty", "not a release"), ("nowhere", "there is no"), ("file", "is a file")):
        with pytest.raises(InvalidError, match=word):
            lk.verify(tmp_path / path)
    with pytest.raises(InvalidError, match="no private/ here"):
        lk.verify(folder.root / "public", patients())
    shutil.rmtree(folder.root / "public")
    _failure(folder.root, "public/ is missing")


def test_says_nothing_private_from_public_files(with_withheld: Path) -> None:
    said = "\n".join(lk.verify(with_withheld / "public").lines())
    assert "withheld" not in said
    assert "original" not in said


def test_parquet(tmp_path: Path) -> None:
    root = release(output={"format": "parquet"}).write(tmp_path / "out")
    path = root / "public/release.parquet"
    frame = pl.read_parquet(path)
    frame.with_columns(disease=pl.lit("flu")).write_parquet(path)
    _failure(root / "public", "release.parquet: its SHA-256", "beta-likeness")
    frame.with_columns(
        age=pl.when(pl.int_range(pl.len()) == 7).then(pl.lit("{")).otherwise("age")
    ).write_parquet(path)
    _failure(root / "public", "release.parquet, row 8: column 'age'")
    path.write_bytes(path.read_bytes()[:100])
    _failure(root / "public", "release.parquet: not a whole Parquet file")


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("columns", 1, "name"), None), (("columns", 1, "kind"), []), (("columns", 1, "low"), "x"),
        (("columns", 1, "hierarchy"), [[1]]), (("columns", 1, "values"), [{}]), (("guarantee",), None),
        (("files", "release.csv"), 0), (("counts", "records"), "x"), (("form",), []), (("remarks",), [1]),
    ],
)  # fmt: skip
def test_certificate_of_other_types(place: tuple[Any, ...], value: Any, folder: Folder) -> None:
    path = folder.root / "public/certificate.json"
    content = json.loads(path.read_text())
    _edit(*place, to=value)(content)
    path.write_text(json.dumps(content, indent=2) + "\n")
    _failure(folder.root, "public/certificate.json")


@pytest.mark.parametrize(
    "changes",
    [
        {"randomness": True}, {"original": "x"}, {"original": {}}, {"counts": 0}, {"policy": {"columns": 1}},
        {"hierarchies": {"zip": 1}}, {"missing": None}, {"likeness": 1}, {"policy": {}},
    ],
)  # fmt: skip
def test_audit_of_other_types(changes: dict[str, Any], folder: Folder) -> None:
    folder.audit(**changes)
    _failure(folder.root, "private/audit.json", original=patients())
