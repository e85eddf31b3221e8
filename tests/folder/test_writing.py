"""Release folders are complete, deterministic, and there whole or not at all."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.folder.samples import ODD, patients, policy, put, release

import likeness as lk
from likeness.errors import LikenessError, OutputError, PolicyError, VerificationError
from likeness.folder import writing
from likeness.tables import read_published

if TYPE_CHECKING:
    from pathlib import Path


def _bytes(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.glob("*/*")}


def test_layout(written: Path) -> None:
    assert sorted(_bytes(written)) == [
        "private/audit.json", "private/classes.parquet", "private/report.html",
        "public/certificate.html", "public/certificate.json", "public/release.csv",
    ]  # fmt: skip
    assert (written / "private").stat().st_mode & 0o077 == 0
    assert written.stat().st_mode == (written / "public").stat().st_mode
    assert [path.name for path in written.parent.iterdir()] == ["out"]


def test_same_seed_same_bytes(written: Path, tmp_path: Path) -> None:
    again = _bytes(release().write(tmp_path / "other"))
    assert again == _bytes(written)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["polars", "pandas", "arrow", "csv", "parquet", "arrow file"])
def test_every_kind_of_original(kind: str, written: Path, tmp_path: Path) -> None:
    frame = patients()
    original: Any = frame
    if kind == "pandas":
        original = pd.DataFrame(frame.to_dict(as_series=False), index=range(1000, 1000 + frame.height))
    elif kind == "arrow":
        original = pa.table(frame.to_dict(as_series=False))
    elif kind != "polars":
        original = tmp_path / f"in.{kind.removesuffix(' file')}"
        {"csv": frame.write_csv, "parquet": frame.write_parquet, "arrow file": frame.write_ipc}[kind](
            original
        )
    folder = lk.anonymize(original, policy(), seed=11).write(tmp_path / "out")
    ending = {"parquet": "parquet", "arrow file": "arrow"}.get(kind, "csv")
    assert (folder / f"public/release.{ending}").exists()
    assert lk.verify(folder, original).ok
    if ending == "csv":
        assert (folder / "public/release.csv").read_bytes() == (written / "public/release.csv").read_bytes()
    else:
        read = pl.read_parquet if ending == "parquet" else pl.read_ipc
        texts = read(folder / f"public/release.{ending}").with_columns(pl.all().cast(pl.String))
        shown = read_published(written / "public/release.csv").frame
        assert texts.fill_null("").equals(shown)


@pytest.mark.parametrize("format_", ["csv", "parquet"])
def test_policy_chooses_the_format(format_: str, tmp_path: Path) -> None:
    folder = release(output={"format": format_, "numeric_pairs": True}).write(tmp_path / "out")
    assert (folder / f"public/release.{format_}").exists()
    assert lk.verify(folder, patients()).ok
    opened = lk.open_release(folder)
    assert opened.columns["release"].keys() >= {"age", "age_low", "age_high"}


def test_odd_values_come_back(written: Path) -> None:
    opened = lk.open_release(written)
    shown = {
        value for cells in opened.publication.cells for region in cells.regions for value in region.values
    }
    assert set(ODD) <= shown
    assert set(opened.table["note"]) == {"<script>", "plain", "", "1.50"}


def test_class_map(written: Path) -> None:
    original, classes = patients(), pl.read_parquet(written / "private/classes.parquet")
    shown = read_published(written / "public/release.csv").frame
    assert classes["row"].to_list() == list(range(original.height))
    assert sorted(classes["published_row"]) == list(range(shown.height))
    of_row = shown[classes["published_row"].to_numpy()]
    assert of_row["disease"].to_list() == original["disease"].to_list()
    assert set(of_row.group_by(classes["class"]).agg(pl.col("age").n_unique())["age"]) == {1}


def test_audit_accounts_for_every_row(tmp_path: Path) -> None:
    frame = patients().with_columns(
        age=pl.when(pl.int_range(pl.len()) % 20 == 3).then(None).otherwise("age"),
        zip=pl.when(pl.int_range(pl.len()) == 4).then(pl.lit("?")).otherwise("zip"),
        disease=pl.when(pl.int_range(pl.len()) < 1).then(pl.lit("rare")).otherwise("disease"),
    )
    chosen = policy(
        missing={"markers": ["?"], "policy": "drop"},
        columns={
            "zip": lk.quasi(),
            "age": lk.quasi(max_level=1, hierarchy={"intervals": {"width": [10, 80]}}),
        },
        privacy=lk.KAnonymity(4),
        withhold={"at_most": 0.5},
    )
    made = lk.anonymize(frame, chosen, seed=3)
    folder = made.write(tmp_path / "out")
    audit = json.loads((folder / "private/audit.json").read_bytes())
    counts = audit["counts"]
    assert counts["dropped"] == {"missing age": 4, "missing zip": 1}
    assert counts["published"] + sum(counts["withheld"].values()) + 5 == counts["input"] == 80
    assert sum(counts["withheld"].values()) == made.private.solution.plan.withheld > 0
    assert audit["missing"] == {"age": 4, "zip": 1}
    classes = pl.read_parquet(folder / "private/classes.parquet")
    assert classes.filter(pl.col("reason") == "missing age")["row"].to_list() == [3, 23, 43, 63]
    withheld = classes.filter(pl.col("status") == "withheld").group_by("reason").len()
    assert dict(withheld.iter_rows()) == counts["withheld"]
    assert lk.verify(folder, frame).ok


def test_public_tells_no_secret(tmp_path: Path) -> None:
    frame = patients(81).with_columns(
        zip=pl.when(pl.int_range(pl.len()) == 80).then(pl.lit("99999")).otherwise("zip"),
        disease=pl.when(pl.int_range(pl.len()) == 80).then(pl.lit("secret")).otherwise("disease"),
        note=pl.when(pl.int_range(pl.len()) == 80).then(pl.lit("hidden")).otherwise("note"),
    )
    source = tmp_path / "original.parquet"
    frame.write_parquet(source)
    columns = {"zip": lk.quasi(max_level=2, hierarchy={"prefix": 5}), "habit": lk.drop(), "age": lk.drop()}
    made = lk.anonymize(source, policy(columns=columns, withhold={"at_most": 0.1}), seed=987654321)
    folder = made.write(tmp_path / "out")
    assert made.private.solution.plan.withheld == 1
    everything = b"".join(path.read_bytes() for path in (folder / "public").iterdir())
    for secret in (
        b"99999",
        b"secret",
        b"hidden",
        b"987654321",
        b"withheld",
        str(tmp_path).encode(),
        b"person 80",
    ):
        assert secret not in everything
    table = pl.read_parquet(folder / "public/release.parquet")
    assert sorted(table["name"]) == list(range(1, 81))
    rows = pl.read_parquet(folder / "private/classes.parquet")["published_row"]
    assert np.abs(np.corrcoef(rows[:80], np.arange(80))[0, 1]) < 0.5
    carried = json.dumps([str(column.__dict__) for column in made.columns["release"].values()])
    assert "secret" not in carried
    assert "hidden" not in carried


def test_hierarchy_files_are_kept(tmp_path: Path) -> None:
    (tmp_path / "zip.yaml").write_text("'*': {east: ['02139', '02141'], south: ['10001', '10002']}")
    (tmp_path / "disease.csv").write_text('flu;lung;*\ncold;lung;*\ngout;joint;*\n"two\nlines";joint;*\n')
    columns = {
        "zip": lk.quasi(hierarchy=str(tmp_path / "zip.yaml")),
        "disease": lk.sensitive(hierarchy=str(tmp_path / "disease.csv"), distance="hierarchical"),
    }
    folder = release(columns=columns).write(tmp_path / "out")
    for path in (tmp_path / "zip.yaml", tmp_path / "disease.csv"):
        path.unlink()
    assert lk.verify(folder, patients()).ok
    assert "joint" in (folder / "public/certificate.json").read_text()


def test_bound_as_function(tmp_path: Path) -> None:
    frame = patients().with_columns(side=pl.col("disease").reverse())
    for privacy in (lk.BetaLikeness(bound=lambda p: min(4 * p, 1)), lk.BetaLikeness(bound=lambda p: 3 * p)):
        chosen = policy(privacy=privacy & lk.KAnonymity(2), columns={"side": lk.sensitive()})
        folder = lk.anonymize(frame, chosen, seed=2).write(tmp_path / f"out{len(list(tmp_path.iterdir()))}")
        assert lk.verify(folder / "public").ok
        assert lk.verify(folder, frame).ok
        assert lk.verify(folder, frame, policy=chosen).ok


def test_original_reference_needs_the_original(tmp_path: Path) -> None:
    folder = release(privacy=lk.BetaLikeness(3, reference="original")).write(tmp_path / "out")
    assert [proof.holds for proof in lk.verify(folder / "public").proofs] == [None]
    assert [proof.holds for proof in lk.verify(folder, patients()).proofs] == [True]


def test_reserved_names_are_renamed(tmp_path: Path) -> None:
    frame = patients().rename({"age": "person", "disease": "bucket", "note": "group"})
    columns = {
        "person": lk.quasi(), "bucket": lk.sensitive(), "group": lk.sensitive(),
        "name": lk.drop(), "zip": lk.quasi(), "habit": lk.quasi(), "visit": lk.other(),
    }  # fmt: skip
    privacy = lk.KAnonymity(4) & lk.BetaLikeness(4, sensitive="bucket", others="unknown")
    made = lk.anonymize(
        frame, lk.Policy(columns=columns, privacy=privacy, missing={"markers": ["?"]}), seed=1
    )
    folder = made.write(tmp_path / "out")
    assert {"person_original", "bucket_original"} <= set(made.table.columns)
    assert lk.verify(folder, frame).ok
    assert made.verify().ok
    assert "published as &#39;bucket_original&#39;" in (folder / "private/report.html").read_text()


def test_needs_the_original(written: Path, tmp_path: Path) -> None:
    with pytest.raises(LikenessError, match="no longer knows it"):
        lk.open_release(written).write(tmp_path / "out")
    assert not list(tmp_path.iterdir())


def _fail(error: type[BaseException]) -> Any:
    def failing(*_: Any, **__: Any) -> Any:
        raise error("stop")

    return failing


@pytest.mark.slow
@pytest.mark.parametrize(
    "step", ["write", "certificate_page", "report_page", "make_audit", "judge", "put_in_place"]
)
@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
def test_nothing_half_written(
    step: str, error: type[BaseException], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = release()
    monkeypatch.setattr(writing, step, _fail(error))
    with pytest.raises(OutputError if error is OSError else error):
        made.write(tmp_path / "out")
    assert not list(tmp_path.iterdir())


def test_bytes_that_prove_nothing_are_not_put_in_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = release()
    real = writing.write

    def one_row_less(columns: Any, path: Path, format_: Any, formulas: Any) -> None:
        real(columns, path, format_, formulas)
        put(read_published(path).frame[:-1], path)

    monkeypatch.setattr(writing, "write", one_row_less)
    with pytest.raises(VerificationError, match="rows"):
        made.write(tmp_path / "out")
    assert not list(tmp_path.iterdir())


def test_source_of_a_frame_is_no_path(written: Path) -> None:
    assert json.loads((written / "private/audit.json").read_bytes())["original"]["source"] == "polars frame"


def test_a_release_of_no_column_is_not_written(tmp_path: Path) -> None:
    columns = {"name": lk.identifier(), "note": lk.drop()}
    frame = pl.DataFrame({"name": ["a", "b"], "note": ["x", "y"]})
    nothing = lk.anonymize(frame, lk.Policy(columns=columns, privacy=lk.KAnonymity(2)))
    with pytest.raises(PolicyError, match="nothing would be published"):
        nothing.write(tmp_path / "out")
    assert list(tmp_path.iterdir()) == []
    pseudonyms = lk.Policy(
        columns=columns | {"name": lk.identifier(action="pseudonym")}, privacy=lk.KAnonymity(2)
    )
    assert lk.verify(lk.anonymize(frame, pseudonyms).write(tmp_path / "out")).ok
