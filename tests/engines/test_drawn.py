"""Values that are drawn, of records that are counted: the same release on every engine, which is compared with its original."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from tests.engines.tables import HIERARCHY, published, random_table, written

import likeness as lk
from likeness import cli
from likeness.counting import encode_counted, find_counted
from likeness.engines.base import engine_for
from likeness.folder import parts as parts_module
from likeness.folder import verification
from likeness.folder.layout import PRIVATE, PUBLIC
from likeness.microdata import mechanism
from likeness.progress import Progress

if TYPE_CHECKING:
    from pathlib import Path

POLICY: dict[str, Any] = {
    "columns": {
        "age": {"role": "quasi"},
        "letter": {"role": "quasi", "hierarchy": HIERARCHY, "missing": {"policy": "drop"}},
        "disease": {"role": "sensitive", "missing": {"policy": "category"}},
        "note": {"role": "other"},
    },
    "privacy": [{"model": "k-anonymity", "k": 2}, {"model": "beta-likeness", "beta": 3}],
    "method": "perturbation",
    "withhold": {"at_most": 0.3},
    "seed": 5,
}


def people(size: int, seed: int = 1) -> pl.DataFrame:
    """Some whose letter is missing, some whose disease is, some whom nobody is like."""
    frame = random_table(np.random.default_rng(seed), size).select("age", "letter", "disease", "note")
    holes = pl.Series(np.random.default_rng(seed).random(size) < 0.1)
    return frame.with_columns(disease=frame["disease"].set(holes, None))


@pytest.fixture
def release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A release of several files, of 100 rows each."""
    monkeypatch.setattr(parts_module, "ROWS", 100)
    source = written(people(380), tmp_path / "in", 2)
    return lk.publish(source, POLICY, tmp_path / "out", engine="streaming").folder


def test_the_same_bytes_however_records_are_cut(tmp_path: Path) -> None:
    """On every engine, in one, two or seven files; and every record is accounted for."""
    frame, files = people(240), []
    for engine, parts in (("memory", 1), ("streaming", 2), ("streaming", 7)):
        source = written(frame.sample(fraction=1, shuffle=True, seed=parts), tmp_path / f"in-{parts}", parts)
        made = lk.publish(source, POLICY, tmp_path / f"out-{parts}", engine=engine)
        files.append(made.certificate.files)
        assert [*made.certificate.files][1:] == ["distribution.csv", "perturbation.csv"]
        counts = made.counts
        assert counts["input"] == 240
        assert sum(counts["dropped"].values()) == frame["letter"].null_count()
        assert sum(counts["withheld"].values()) > 0
        assert counts["published"] == made.certificate.records
        assert made.loss["ncp"] == 0
        verdict = lk.verify(made.folder, original=source, engine=engine)
        assert verdict.ok, verdict.problems
        assert "have values that the matrix PM allows" in verdict.lines()[-1]
    assert files[0] == files[1] == files[2]
    alone = lk.anonymize(frame, POLICY)
    assert counts == alone.counts
    rows = sorted(row[:2] + row[3:] for row in published(made.folder).elements())
    assert rows == sorted(alone.table.select("age", "letter", "note").cast(pl.String).fill_null("").rows())
    assert made.verdict.proofs == alone.verdict.proofs
    found = lk.preview(source, POLICY, engine="streaming")
    assert (found.records, found.classes) == (240, made.certificate.classes)


def test_analysts_ask_it_as_any_other(release: Path, tmp_path: Path) -> None:
    """What the files say, row by row, is what the same rows in one file say."""
    opened = lk.open_release(release / PUBLIC)
    rows = pl.concat([pl.read_parquet(path) for path in sorted((release / PUBLIC / "release").iterdir())])
    seen = rows.filter(pl.col("age").is_between(20, 30)).group_by("disease").len().sort("disease")
    plain = opened.publication.mechanism
    assert plain is not None
    where = {"age": (20, 30)}
    assert opened.estimate(where) == pytest.approx(seen["len"].sum())
    labels = opened.publication.sensitive[0].labels_with("")
    counts = np.array([dict(seen.rows()).get(label, 0) for label in labels])
    expected = dict(zip(labels, plain.reconstruct(counts), strict=True))
    found = opened.reconstruct(where)
    assert {name: found[name] for name in expected} == pytest.approx(expected)
    assert sum(opened.posterior({"age": int(rows["age"][0])})["disease"].values()) == pytest.approx(1)
    with pytest.raises(lk.InvalidError, match="was made of counts"):
        lk.open_release(release, tmp_path / "in")


@pytest.mark.slow
@pytest.mark.parametrize(
    "tampering", ["value", "distribution", "matrix", "matrix less", "cells", "cells less"]
)
def test_tampering_is_found(release: Path, tampering: str) -> None:
    """Whatever is changed is found, and where."""
    first = release / PUBLIC / "release" / "part-00000.parquet"
    matrix, counts = release / PUBLIC / "perturbation.csv", release / PUBLIC / "distribution.csv"
    cells = release / PRIVATE / "cells.parquet"
    if tampering == "value":
        pl.read_parquet(first).with_columns(disease=pl.lit("HIV")).write_parquet(first)
    elif tampering == "distribution":
        head, line, *rest = counts.read_text().splitlines()
        value, number = line.rsplit(",", 1)
        counts.write_text("\n".join([head, f"{value},{int(number) + 1}", *rest]) + "\n")
    elif tampering == "matrix":
        matrix.write_text(matrix.read_text().replace("0.", "0.0", 1))
    elif tampering == "matrix less":
        matrix.unlink()
    else:
        frame = pl.read_parquet(cells)
        changed = frame.with_columns(pl.lit("flu").alias("published: disease"))
        (frame.drop("published: disease") if tampering == "cells less" else changed).write_parquet(cells)
    verdict = lk.verify(release)
    assert verdict.failed
    where = {"value": "public/release/", "distribution": "distribution.csv"}
    named = where.get(tampering, "perturbation.csv" if "matrix" in tampering else "private/cells.parquet")
    assert any(named in problem for problem in verdict.problems)


@pytest.mark.parametrize("other", ["value", "many", "nobody's", "none", "rule"])
def test_what_only_the_original_tells(
    release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, other: str
) -> None:
    """Values that were not drawn so, though every digest is right."""
    layout = verification.find_layout(release)
    public = verification.read_public(layout)
    steward = verification.read_private(layout, release / PRIVATE, public)
    policy = steward.policy
    assert steward.cells is not None
    assert policy is not None
    column = steward.cells.published["disease"]
    codes, labels = column.codes.copy(), list(column.labels)
    kept = np.flatnonzero(steward.cells.classes >= 0)
    told = "the published rows are not those that the classes of its original give"
    if other == "value":
        codes[kept[0]] = next(i for i, text in enumerate(labels) if text and i != codes[kept[0]])
    elif other == "many":
        texts = dict(zip(steward.cells.names, steward.cells.originals, strict=True))["disease"]
        place = {text: i for i, text in enumerate(labels)}
        codes[kept] = [place[texts.labels[code]] for code in texts.codes[kept].tolist()]
        told = "which the matrix PM does not make"
    elif other == "nobody's":
        labels.append("plague")
        codes[kept[0]] = len(labels) - 1
        told = "has values of 'disease' that the original does not have"
    elif other == "rule":
        policy = policy.replace(method={"name": "perturbation", "rule": "uniform"})
        told = "is not the one that the policy's method makes for the published records"
    changed = {} if other == "none" else {"disease": replace(column, codes=codes, labels=labels)}
    if other == "none":
        told = "does not say which values of 'disease' were published"
    steward.cells = replace(steward.cells, published=changed)
    engine = engine_for(None, "streaming")
    encoded = encode_counted(engine, find_counted(engine, tmp_path / "in", policy), policy, Progress())
    wrong, right = verification._compare_counts(public, steward, encoded, policy)
    assert any(told in str(problem) for problem in wrong), [str(problem) for problem in wrong]
    assert not right


def test_as_many_of_each_row_some_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that stand for more records than are drawn at a time, and rows that fall between two times."""
    frame = pl.DataFrame({"age": [1] * 50 + [2] * 3 + [3] * 47, "disease": ["flu", "cold"] * 50})
    policy = {
        "columns": {"age": {"role": "quasi"}, "disease": {"role": "sensitive"}},
        "privacy": [{"model": "beta-likeness", "beta": "1/4"}],
        "method": "perturbation",
    }
    monkeypatch.setattr(mechanism, "_DRAWN", 7)
    made = lk.publish(frame, policy, tmp_path / "out", engine="memory")
    rows = published(made.folder)
    assert {age: sum(n for row, n in rows.items() if row[0] == age) for age in "123"} == {
        "1": 50, "2": 3, "3": 47,
    }  # fmt: skip
    assert lk.verify(made.folder, original=frame).ok


def test_level_limits_are_kept_by_exact_values(tmp_path: Path) -> None:
    """Under them records are searched one by one, as ever; what is published is counted again."""
    columns = {**POLICY["columns"], "letter": {**POLICY["columns"]["letter"], "max_level": 1}}
    source = written(people(200), tmp_path / "in", 2)
    made = lk.publish(source, {**POLICY, "columns": columns}, tmp_path / "out", engine="streaming")
    assert lk.verify(made.folder, original=source, engine="streaming").ok


def test_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """From files to a proven release, whose files are told."""
    written(people(200), tmp_path / "in", 3)
    (tmp_path / "policy.json").write_text(json.dumps(POLICY))
    monkeypatch.chdir(tmp_path)
    assert cli.main(["anonymize", "in", "policy.json", "-o", "out", "--engine", "streaming"]) == 0
    said = capsys.readouterr().out
    assert "holds: beta-likeness" in said
    assert cli.main(["verify", "out", "--original", "in", "--engine", "streaming"]) == 0
    assert (tmp_path / "out" / "public" / "perturbation.csv").is_file()
