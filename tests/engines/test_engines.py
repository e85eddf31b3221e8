"""Engines: the same classes as in memory on random tables, however they are cut into files; what is refused; failures."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from tests.engines.tables import HIERARCHY, policy_of, published, random_table, shown, written

import likeness as lk
from likeness.counting import encode_counted, find_counted
from likeness.engines.base import engine_for
from likeness.engines.streaming import StreamingEngine
from likeness.folder import parts as parts_module
from likeness.folder import verification
from likeness.folder.layout import PARTS, PRIVATE, PUBLIC
from likeness.folder.parts import part_name
from likeness.progress import Progress
from likeness.tables.parts import COPIES, count_cells, find_parts

if TYPE_CHECKING:
    from pathlib import Path

K = [{"model": "k-anonymity", "k": 3}]
BETA = [{"model": "k-anonymity", "k": 2}, {"model": "beta-likeness", "beta": 2, "others": "unknown"}]
KNOWN = [{"model": "distinct-l-diversity", "l": 2, "sensitive": "disease"}]
CLOSE = [{"model": "t-closeness", "t": "1/4", "others": "unknown"}]


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["memory", "streaming"])
@pytest.mark.parametrize(
    ("privacy", "method"),
    [
        (K, "mondrian"),
        (BETA, "mondrian"),
        (CLOSE, "local-recoding"),
        (KNOWN, "mondrian"),
        (BETA, {"name": "mondrian", "cut": "widest"}),
    ],
)
def test_the_same_classes_as_in_memory(tmp_path: Path, engine: str, privacy: Any, method: Any) -> None:
    """Rows, losses, counts and what is proven are those of a search on single records; so they are however files are cut."""
    rng = np.random.default_rng(sum(map(ord, f"{privacy}{method}")))
    for number in range(3):
        frame = random_table(rng, int(rng.integers(60, 300)))
        policy = policy_of(privacy, method)
        try:
            alone = lk.anonymize(frame, policy)
        except lk.CannotBeMetError:
            alone = None
        for parts in (1, 2, 7):
            source = written(
                frame.sample(fraction=1, shuffle=True, seed=parts), tmp_path / f"in-{number}-{parts}", parts
            )
            out = tmp_path / f"out-{number}-{parts}"
            if alone is None:
                with pytest.raises(lk.CannotBeMetError):
                    lk.publish(source, policy, out, engine=engine)
                assert not out.exists()
                continue
            made = lk.publish(source, policy, out, engine=engine)
            assert published(out) == shown(alone)
            assert made.loss["ncp"] == pytest.approx(alone.loss("ncp")["ncp"], abs=1e-12)
            assert made.counts == alone.counts
            assert [proof.strength for proof in made.verdict.proofs] == [
                p.strength for p in alone.verdict.proofs
            ]
            assert lk.verify(out, original=source, engine=engine).ok
            assert lk.verify(out / PUBLIC).ok


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["memory", "streaming"])
@pytest.mark.parametrize("share", ["0.25", "0.26"])
def test_who_is_too_many_is_told_of_counts_as_of_records(tmp_path: Path, engine: str, share: str) -> None:
    """Of a row only some records may go: then it becomes two."""
    rng = np.random.default_rng(11)
    privacy = [
        {"model": "alpha-k-anonymity", "alpha": share, "k": 2, "sensitive": "disease", "others": "unknown"}
    ]
    told, withheld = 0, 0
    for number in range(3):
        # Small domains: most rows stand for several records.
        frame = (
            random_table(rng, 200)
            .with_columns(pl.col("age") % 3, day=None)
            .drop("note", "day", "weight", "pay")
        )
        policy = policy_of(privacy, "mondrian")
        policy["columns"] = {name: policy["columns"][name] for name in frame.columns}
        alone = lk.anonymize(frame, policy)
        source = written(frame.sample(fraction=1, shuffle=True, seed=number), tmp_path / f"in-{number}", 3)
        made = lk.publish(source, policy, tmp_path / f"out-{number}", engine=engine)
        assert published(tmp_path / f"out-{number}") == shown(alone)
        assert made.counts == alone.counts
        assert lk.verify(tmp_path / f"out-{number}", original=source, engine=engine).ok
        withheld += alone.counts["input"] - alone.counts["published"]
        told += any("too many with" in reason for reason in made.counts["withheld"])
    assert told
    assert withheld


@pytest.mark.slow
def test_full_domain_methods_count_alike(tmp_path: Path) -> None:
    """Incognito and Datafly, which withhold what fails, withhold as many records of counts as of records."""
    rng = np.random.default_rng(5)
    frame = random_table(rng, 400).select("age", "letter", "disease")
    columns = {
        "age": {"role": "quasi", "hierarchy": {"intervals": [0, 25, 30, 35, 99]}},
        "letter": {"role": "quasi", "missing": {"policy": "category"}},
        "disease": {"role": "sensitive"},
    }
    source = written(frame, tmp_path / "in", 3)
    for method in ("incognito", "datafly"):
        policy = {"columns": columns, "privacy": K, "method": method, "withhold": {"at_most": 0.05}}
        alone = lk.anonymize(frame, policy)
        made = lk.publish(source, policy, tmp_path / method, engine="streaming")
        assert published(made.folder) == shown(alone)
        assert made.counts == alone.counts


def test_what_is_counted_is_what_is_there(tmp_path: Path) -> None:
    """Counts of random columns of every type are those of a plain count, nulls and NaN as one, and in the order of the values."""
    rng = np.random.default_rng(8)
    frame = random_table(rng, 500).with_columns(
        pl.Series("when", rng.integers(0, 3, 500)).cast(pl.Datetime("us")),
        pl.Series("yes", rng.random(500) < 0.5),
        pl.Series("large", rng.integers(0, 3, 500) + 2**60),
        pl.Series("zero", np.where(rng.random(500) < 0.5, -0.0, 0.0)),
        pl.Series("sort", ["u", "v"]).gather(rng.integers(0, 2, 500)).cast(pl.Categorical),
        pl.Series("nothing", [None] * 500, dtype=pl.Int8),
    )
    source = find_parts(written(frame, tmp_path / "in", 3))
    names = list(frame.columns)
    found = engine_for(source, "streaming").count(source, names, Progress())
    plain = frame.with_columns(
        pl.col("weight").fill_nan(None), pl.col("zero").abs(), pl.col("sort").cast(pl.String)
    )
    wanted = Counter(plain.rows())
    assert found.copies is not None
    got = dict(zip(found.frame.rows(), found.copies.tolist(), strict=True))
    assert got == wanted
    assert found.records == 500
    assert found.frame.rows() == found.frame.sort(names, nulls_last=True).rows()


def test_many_values_take_several_words() -> None:
    """Columns whose ranks do not fit into one number of 64 bits are counted all the same."""
    rng = np.random.default_rng(1)
    frame = pl.DataFrame({f"c{j}": rng.integers(0, 2000, 3000) for j in range(9)})
    frame = pl.concat([frame, frame[:1000]])
    found = count_cells(frame.lazy(), frame.columns, source="any", collect=lambda query: query.collect())
    assert found.copies is not None
    assert dict(zip(found.frame.rows(), found.copies.tolist(), strict=True)) == Counter(frame.rows())


def test_counts_of_counts() -> None:
    """Rows that stand for several records already are added up."""
    frame = pl.DataFrame({"a": ["x", "y", "x"], COPIES: [2, 1, 5]})
    found = count_cells(
        frame.lazy(), ["a"], source="any", collect=lambda query: query.collect(), counted=True
    )
    assert found.frame.rows() == [("x",), ("y",)]
    assert found.copies is not None
    assert found.copies.tolist() == [7, 1]


def test_csv_files(tmp_path: Path) -> None:
    """Semicolons, quotes, empty cells, and the release in the same kind, in parts."""
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(3):
        lines = [
            "age;town;disease",
            *(f'{30 + i % 2};"a;{number}";{["flu", "", "cold"][i % 3]}' for i in range(12)),
        ]
        (folder / f"{number}.csv").write_text("\n".join(lines) + "\n")
    (folder / "_SUCCESS").write_text("")
    columns = {
        "age": {"role": "quasi"},
        "town": {"role": "quasi"},
        "disease": {"role": "sensitive", "missing": {"policy": "category"}},
    }
    policy = {"columns": columns, "privacy": K, "method": "mondrian"}
    made = lk.publish(folder, policy, tmp_path / "out", engine="streaming")
    assert published(made.folder) != Counter()
    assert next(iter(made.certificate.files)) == "release/part-00000.csv"
    assert made.counts == lk.anonymize(folder, policy).counts
    assert lk.verify(made.folder, original=folder, engine="streaming").ok


@pytest.fixture
def release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A release of several files, of 100 rows each."""
    monkeypatch.setattr(parts_module, "ROWS", 100)
    frame = random_table(np.random.default_rng(11), 380)
    source = written(frame, tmp_path / "in", 2)
    return lk.publish(source, policy_of(BETA, "mondrian"), tmp_path / "out", engine="streaming").folder


def test_files_of_a_release(release: Path) -> None:
    """They hold as many rows as they may, numbered from 0; what holds nothing is none of them."""
    files = sorted((release / PUBLIC / PARTS).iterdir())
    assert [path.name for path in files] == [f"part-{i:05d}.parquet" for i in range(len(files))]
    heights = [pl.read_parquet(path).height for path in files]
    assert heights[:-1] == [100] * (len(files) - 1)
    assert len(files) > 2
    assert {path.name for path in (release / PRIVATE).iterdir()} == {
        "report.html",
        "audit.json",
        "cells.parquet",
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    "tampering", ["value", "row less", "file less", "file more", "swapped", "cells", "audit", "link"]
)
def test_tampering_is_found(release: Path, tmp_path: Path, tampering: str) -> None:
    """Whatever is changed in a release in parts is found, and where."""
    folder = release / PUBLIC / PARTS
    first, second = folder / "part-00000.parquet", folder / "part-00001.parquet"
    if tampering == "value":
        frame = pl.read_parquet(first)
        frame.with_columns(disease=pl.lit("HIV")).write_parquet(first)
    elif tampering == "row less":
        pl.read_parquet(first)[1:].write_parquet(first)
    elif tampering == "file less":
        second.unlink()
    elif tampering == "file more":
        shutil.copy(first, folder / "part-00099.parquet")
    elif tampering == "swapped":
        first.rename(folder / "x")
        second.rename(first)
        (folder / "x").rename(second)
    elif tampering == "cells":
        cells = release / PRIVATE / "cells.parquet"
        frame = pl.read_parquet(cells)
        frame.with_columns(records=frame["records"] + 1).write_parquet(cells)
    elif tampering == "audit":
        audit = release / PRIVATE / "audit.json"
        content = json.loads(audit.read_text())
        content["counts"]["published"] -= 1
        audit.write_text(json.dumps(content, indent=2) + "\n")
    else:
        first.rename(tmp_path / "elsewhere.parquet")
        first.symlink_to(tmp_path / "elsewhere.parquet")
    verdict = lk.verify(release)
    assert verdict.failed
    part = "private/" if tampering in {"cells", "audit"} else "public/release/"
    assert any(part in problem for problem in verdict.problems)


def test_another_original_is_told(release: Path, tmp_path: Path) -> None:
    """An original that differs in one record is not that of the release."""
    frame = pl.read_parquet(tmp_path / "in" / "part-0.parquet")
    frame[0, "pay"] = 99
    frame.write_parquet(tmp_path / "in" / "part-0.parquet")
    verdict = lk.verify(release, original=tmp_path / "in", engine="streaming")
    assert verdict.problems == (
        "the original is not the table that the release was made from: its values are others",
    )


def test_a_row_that_is_nobodys_is_found_with_the_original(release: Path, tmp_path: Path) -> None:
    """Rows that keep the guarantee and every digest, but are not those of the original: only the original tells."""
    layout = verification.find_layout(release)
    public = verification.read_public(layout)
    steward = verification.read_private(layout, release / PRIVATE, public)
    assert steward.cells is not None
    # Somebody stands in another class than the one that was published.
    moved = steward.cells.classes.copy()
    first = np.flatnonzero(moved >= 0)[0]
    moved[first] = moved[moved >= 0][moved[moved >= 0] != moved[first]][0]
    engine = engine_for(None, "streaming")
    assert steward.policy is not None
    found = find_counted(engine, tmp_path / "in", steward.policy)
    encoded = encode_counted(engine, found, steward.policy, Progress())
    steward.cells = replace(steward.cells, classes=moved)
    wrong, right = verification._compare_counts(public, steward, encoded, steward.policy)
    assert wrong
    assert not right


@pytest.mark.parametrize("asked", ["classes of persons", "persons"])
def test_people_and_their_records(tmp_path: Path, asked: str) -> None:
    """Two tables: the same bytes on every engine, however both are cut and ordered; verified, and opened beside the people."""
    rng = np.random.default_rng(3)
    frame = random_table(rng, 90).select("age", "letter", "disease", "note")
    people = frame.select("age", "letter").with_columns(
        pl.Series("who", range(90)), pl.lit("gone").alias("left out")
    )
    records = pl.DataFrame({"pid": rng.integers(0, 80, 240), "text": ["gone"] * 240})
    records = records.with_columns(frame["disease"].gather(rng.integers(0, 90, 240)))
    policy = (
        {
            "columns": {
                "age": {"role": "quasi"},
                "letter": {"role": "quasi", "hierarchy": HIERARCHY, "missing": {"policy": "category"}},
                "who": {"role": "identifier"},
                "disease": {"role": "sensitive"},
                "*": {"role": "drop"},
            },
            "withhold": {"at_most": 0.3},
            "seed": 5,
        }
        | SINGLE[asked]
        | {"hygiene": {"duplicates": "drop"}}
    )
    files = []
    for engine, parts in (("memory", 1), ("streaming", 2), ("streaming", 7)):
        shuffled = people.sample(fraction=1, shuffle=True, seed=parts)
        source = written(shuffled, tmp_path / f"people-{parts}", parts)
        second = written(
            records.sample(fraction=1, shuffle=True, seed=parts), tmp_path / f"records-{parts}", parts
        )
        policy["records"] = {"table": str(second), "on": "who", "key": "pid"}
        policy["individual"] = "who"
        made = lk.publish(source, policy, tmp_path / f"out-{parts}", engine=engine)
        files.append(made.certificate.files)
        assert made.counts["input"] == 240
        assert {*made.policy.with_role("drop")} == {"left out", "text"}
        assert lk.verify(made.folder, original=source, engine=engine).ok
    assert files[0] == files[1] == files[2]
    opened = lk.open_release(made.folder, original=lk.read(source))
    assert opened.counts == made.counts
    assert dict(opened.loss()) == dict(made.loss)
    # Whoever verifies has the release alone: the records are looked for beside the people, then where they were.
    policy["records"]["table"] = str(second / "*.parquet")
    again = lk.publish(source, policy, tmp_path / "by-pattern", engine="streaming")
    assert again.certificate.files == files[0]
    assert lk.verify(again.folder, original=source, engine="streaming").ok
    # A record of somebody else is told.
    other = records.with_columns(pl.col("pid").reverse())
    other.write_parquet(tmp_path / "other.parquet")
    policy["records"]["table"] = str(tmp_path / "other.parquet")
    assert lk.verify(made.folder, original=source, policy=policy, engine="streaming").failed


def test_how_numbers_are_written_is_kept(tmp_path: Path) -> None:
    """A table that was read with what stands between thousands is counted with it."""
    pl.DataFrame({"pay": ["1,200", "3,400", "5,600"] * 4}).write_csv(tmp_path / "pay.csv")
    table = lk.read(tmp_path / "pay.csv", thousands=",")
    policy = {"columns": {"pay": {"role": "quasi"}}, "privacy": [{"model": "k-anonymity", "k": 12}]}
    lk.publish(table, policy, tmp_path / "out", engine="memory")
    shown = pl.read_csv(tmp_path / "out" / PUBLIC / part_name(0, "csv"))
    assert shown["pay"].unique().to_list() == ["[1200, 5600]"]


def test_two_tables_that_do_not_go_together(tmp_path: Path) -> None:
    """What is wrong of either is said before anything is counted; nothing is left."""
    people = pl.DataFrame({"age": [30, 31, 60, 61] * 5, "who": range(20)})
    pl.DataFrame({"pid": [*range(20)], "disease": ["flu", "cold"] * 10, "ward": 1}).write_csv(
        tmp_path / "r.csv"
    )
    policy = {
        "columns": {
            "age": {"role": "quasi"},
            "who": {"role": "identifier"},
            "disease": {"role": "sensitive"},
        },
        "individual": "who",
        "privacy": K,
    }
    for said, wrong in (
        ({"table": "none.csv", "on": "who"}, "records: .*none.csv: "),
        (
            {"table": "r.csv", "on": "who"},
            "r.csv: no column 'who'; known: .*; where the column that names a person is called",
        ),
        ({"table": "r.csv", "on": "who", "key": "pi"}, "r.csv: no column 'pi'; did you mean 'pid'?"),
        ({"table": "r.csv", "on": "who", "key": "pid"}, "the policy does not name column 'ward'"),
    ):
        records = said | {"table": str(tmp_path / said["table"])}
        with pytest.raises(lk.InvalidError, match=wrong):
            lk.publish(people, policy | {"records": records}, tmp_path / "out", engine="memory")
    columns = policy["columns"] | {"ward": {"role": "drop"}, "pid": {"role": "identifier"}}
    said = {"table": str(tmp_path / "r.csv"), "on": "who", "key": "pid"}
    with pytest.raises(lk.PolicyError, match=r"'pid', which names people in .*: that is 'who'; leave it out"):
        lk.publish(people, policy | {"records": said, "columns": columns}, tmp_path / "out", engine="memory")
    assert not (tmp_path / "out").exists()


SINGLE: dict[str, dict[str, Any]] = {
    "baseline": {"privacy": [{"model": "basic-beta-likeness", "beta": 3}], "method": "baseline"},
    "anatomized": {
        "privacy": [{"model": "distinct-l-diversity", "l": 2}],
        "method": {"name": "anatomy", "l": 2},
    },
    "angelized": {"privacy": [*K, {"model": "distinct-l-diversity", "l": 2}], "method": "angel"},
    "invented": {"privacy": K, "method": {"name": "mdav"}, "form": "microaggregated"},
    "grown": {"privacy": K, "method": "mondrian", "form": {"name": "generalized", "attained": 2}},
    "persons": {
        "privacy": [{"model": "ir-kl-anonymity", "k": 2, "l": 2}],
        "individual": "who",
    },
    "classes of persons": {"privacy": K, "method": "mondrian", "individual": "who"},
    "minimized": {"privacy": K, "minimize": {"name": "query-error", "queries": 50}},
}


@pytest.mark.slow
@pytest.mark.parametrize("asked", list(SINGLE))
def test_what_is_about_single_records(tmp_path: Path, asked: str) -> None:
    """Other forms, people with several records: the same bytes on every engine, however files are cut; opened again."""
    rng = np.random.default_rng(len(asked))
    frame = random_table(rng, 240).select("age", "letter", "disease", "note")
    frame = frame.with_columns(pl.Series("who", rng.integers(0, 120, 240)))
    columns = {
        name: column for name, column in policy_of(K, None)["columns"].items() if name in frame.columns
    }
    policy = {
        "columns": columns | {"who": {"role": "identifier"}},
        "withhold": {"at_most": 0.3},
        "seed": 5,
    } | SINGLE[asked]
    files = []
    for engine, parts in (("memory", 1), ("streaming", 2), ("streaming", 7)):
        source = written(frame.sample(fraction=1, shuffle=True, seed=parts), tmp_path / f"in-{parts}", parts)
        made = lk.publish(source, policy, tmp_path / f"out-{parts}", engine=engine)
        files.append(made.certificate.files)
        assert made.counts["input"] == 240
        assert made.engine == engine
        assert lk.verify(made.folder, original=source, engine=engine).ok
    assert files[0] == files[1] == files[2]
    # Whoever reads the original, in whatever order: its rows are numbered by their values.
    opened = lk.open_release(made.folder, original=lk.read(source))
    assert dict(opened.loss()) == dict(made.loss)
    assert opened.counts == made.counts
    other = pl.read_parquet(tmp_path / "in-1" / "part-0.parquet")
    other[0, "age"] = 99
    verdict = lk.verify(made.folder, original=other)
    assert verdict.failed
    found = lk.preview(source, policy, engine="streaming")
    assert (found.records, found.classes) == (240, made.certificate.classes)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("privacy", "method"),
    [
        (BETA, "burel"),
        (K, "k-member"),
        (CLOSE, "sabre"),
        (BETA, {"name": "local-search", "steps": 50_000}),
        (K, None),
    ],
)
def test_records_that_say_the_same_in_several_classes(tmp_path: Path, privacy: Any, method: Any) -> None:
    """Methods that tell equal records apart find the same on every engine, however files are cut; cells say who is where."""
    rng = np.random.default_rng(sum(map(ord, f"{privacy}{method}")))
    frame = random_table(rng, 240).select("age", "letter", "disease", "pay", "note")
    policy = policy_of(privacy, method)
    policy["columns"] = {name: policy["columns"][name] for name in frame.columns}
    files, split = [], 0
    for engine, parts in (("memory", 1), ("streaming", 2), ("streaming", 7)):
        mixed = frame.sample(fraction=1, shuffle=True, seed=parts)
        source = written(mixed, tmp_path / f"in-{parts}", parts)
        made = lk.publish(source, policy, tmp_path / f"out-{parts}", engine=engine)
        files.append(made.certificate.files)
        assert lk.verify(made.folder, original=source, engine=engine).ok
        assert made.counts["published"] + sum(made.counts["withheld"].values()) == frame.height
        cells = pl.read_parquet(made.folder / PRIVATE / "cells.parquet")
        assert cells["records"].sum() == frame.height
        assert made.cells == frame.unique().height
        split = cells.height - made.cells
    assert files[0] == files[1] == files[2]
    assert split > 0 or method is None


def test_more_records_than_are_searched_one_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no method is named, only those that keep equal records together are tried of many."""
    monkeypatch.setattr("likeness.counting.SEARCHED_ONE_BY_ONE", 200)
    frame = random_table(np.random.default_rng(2), 300)
    made = lk.publish(frame, policy_of(K, None), tmp_path / "out", engine="memory")
    losses = {one.method.name: one.loss for one in made.candidates if one.loss is not None}
    assert {"mondrian", "local-recoding"} <= set(losses)
    assert made.loss["ncp-total"] == min(losses.values())
    assert made.method.keeps_copies
    one_by_one = lk.publish(frame[:150], policy_of(K, None), tmp_path / "other", engine="memory")
    assert not one_by_one.method.keeps_copies


def test_a_record_in_another_class_is_found(tmp_path: Path) -> None:
    """Two records that swap their classes in the cells: every count is as it was, and the original tells."""
    frame = random_table(np.random.default_rng(5), 200).select("age", "disease")
    policy = policy_of(BETA, "burel")
    policy["columns"] = {name: policy["columns"][name] for name in frame.columns}
    source = written(frame, tmp_path / "in", 2)
    made = lk.publish(source, policy, tmp_path / "out", engine="streaming")
    layout = verification.find_layout(made.folder)
    public = verification.read_public(layout)
    steward = verification.read_private(layout, made.folder / PRIVATE, public)
    assert steward.cells is not None
    assert steward.policy is not None
    engine = engine_for(None, "streaming")
    found = find_counted(engine, source, steward.policy)
    encoded = encode_counted(engine, found, steward.policy, Progress())
    assert verification._compare_counts(public, steward, encoded, steward.policy)[0] == []
    classes, copies = steward.cells.classes.copy(), steward.cells.copies
    ages = next(iter(steward.cells.originals)).codes
    one = next(
        (i, j)
        for i in range(classes.size)
        for j in range(i)
        if classes[i] != classes[j] and ages[i] != ages[j] and copies[i] == copies[j]
    )
    classes[list(one)] = classes[list(one[::-1])]
    steward.cells = replace(steward.cells, classes=classes)
    assert verification._compare_counts(public, steward, encoded, steward.policy)[0]


def test_sources_that_are_none(tmp_path: Path) -> None:
    """Folders without tables, files of two kinds, other columns, other types, damaged and empty files: one line, with where."""
    empty, mixed, odd, typed, broken = (
        tmp_path / name for name in ("empty", "mixed", "odd", "typed", "broken")
    )
    for folder in (empty, mixed, odd, typed, broken):
        folder.mkdir()
    one = pl.DataFrame({"a": [1]})
    one.write_parquet(mixed / "a.parquet")
    one.write_csv(mixed / "b.csv")
    one.write_parquet(odd / "a.parquet")
    one.rename({"a": "b"}).write_parquet(odd / "b.parquet")
    one.write_parquet(typed / "a.parquet")
    one.cast(pl.String).write_parquet(typed / "b.parquet")
    (broken / "a.parquet").write_bytes(b"PAR1 nothing of the kind")
    expected = {
        empty: "holds no file of a table",
        mixed: "holds files of several kinds",
        odd: "differs in column 'b' from a.parquet",
        typed: "column 'a' is String there, and Int64 in a.parquet",
        broken: "not a whole Parquet file",
        tmp_path / "*.parquet": "holds no file of a table",
    }
    for source, said in expected.items():
        with pytest.raises(lk.TableError, match=said.replace("*", r"\*")):
            find_parts(source)
    with pytest.raises(lk.TableError, match="only files can be counted"):
        lk.publish(
            one, {"columns": {"a": {"role": "quasi"}}, "privacy": K}, tmp_path / "out", engine="streaming"
        )
    with pytest.raises(lk.PolicyError, match="did you mean 'streaming'"):
        engine_for(one, "steaming")


def test_large_files_are_streamed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that take more than a share of the machine's memory are; frames and smaller files are not."""
    folder = written(random_table(np.random.default_rng(1), 50), tmp_path / "in", 2)
    assert engine_for(folder).name == "memory"
    monkeypatch.setattr("likeness.engines.streaming.memory_of_machine", lambda: 1000)
    assert engine_for(folder).name == "streaming"
    assert StreamingEngine.made_for(folder / "part-0.parquet")
    assert engine_for(pl.DataFrame({"a": [1]})).name == "memory"
    assert engine_for("sqlite:///clinic.db").name == "memory"


def test_a_folder_is_read_whole(tmp_path: Path) -> None:
    """In memory a folder is a table like any other."""
    frame = random_table(np.random.default_rng(4), 90)
    folder = written(frame, tmp_path / "in", 3)
    assert lk.read(folder).frame.equals(frame)
    assert lk.read(str(folder / "*.parquet")).frame.equals(frame)


def test_what_stood_there_stays(release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk in the middle of writing leaves the release that was there, and no debris; the next run goes through."""
    before = {path: path.read_bytes() for path in release.rglob("*") if path.is_file()}
    real, written_files = parts_module.write, []

    def full(columns: Any, path: Path, *more: Any) -> None:
        if len(written_files) == 2:
            raise OSError(28, "No space left on device")
        written_files.append(path)
        real(columns, path, *more)

    monkeypatch.setattr(parts_module, "write", full)
    policy = policy_of(K, "mondrian")
    with pytest.raises(lk.OutputError, match="No space left on device"):
        lk.publish(tmp_path / "in", policy, release, engine="streaming", overwrite=True)
    assert {path: path.read_bytes() for path in release.rglob("*") if path.is_file()} == before
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []
    monkeypatch.setattr(parts_module, "write", real)
    assert lk.publish(tmp_path / "in", policy, release, engine="streaming", overwrite=True).verdict.ok


def test_the_same_bytes_again(tmp_path: Path) -> None:
    """A seed gives the same files on every engine that there is, however the table is cut."""
    frame = random_table(np.random.default_rng(6), 200)
    policy = policy_of(K, "mondrian")
    digests = set()
    for number, (engine, parts) in enumerate([("memory", 1), ("streaming", 2), ("streaming", 5)]):
        source = written(frame, tmp_path / f"in{number}", parts)
        made = lk.publish(source, policy, tmp_path / f"out{number}", engine=engine)
        digests.add(json.dumps(made.certificate.files))
    assert len(digests) == 1


def test_preview_says_what_publishing_gives(tmp_path: Path) -> None:
    """The dry run proves and loses what the release does, and writes nothing."""
    source = written(random_table(np.random.default_rng(7), 200), tmp_path / "in", 2)
    policy = policy_of(BETA, "mondrian")
    found = lk.preview(source, policy, engine="streaming")
    made = lk.publish(source, policy, tmp_path / "out", engine="streaming")
    assert dict(found.loss) == dict(made.loss)
    assert found.classes == made.certificate.classes
    assert found.records == 200
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in", "out"]


def test_shown(release: Path, tmp_path: Path) -> None:
    """What was made says what was proven, in a terminal and a notebook."""
    made = lk.publish(tmp_path / "in", policy_of(K, "mondrian"), release, engine="streaming", overwrite=True)
    assert repr(made).startswith("PartedRelease: ")
    assert "holds: k-anonymity" in repr(made)
    assert "holds: k-anonymity" in made._repr_html_()
    assert "different record" in (release / PRIVATE / "report.html").read_text()


def test_opened_again(release: Path, tmp_path: Path) -> None:
    """Whoever has the parts asks them as any release; who has the original too is told what is not known."""
    opened = lk.open_release(release / PUBLIC)
    assert shown(opened) == published(release)
    alone = lk.anonymize(tmp_path / "in", policy_of(BETA, "mondrian"))
    query = {"age": (20, 30), "disease": {"flu"}}
    assert opened.estimate(query) == pytest.approx(alone.estimate(query))
    assert opened.posterior({"age": 25}) == lk.open_release(alone.write(tmp_path / "whole")).posterior(
        {"age": 25}
    )
    with pytest.raises(lk.InvalidError, match="was made of counts"):
        lk.open_release(release, tmp_path / "in")


def test_names_that_lead_elsewhere(release: Path) -> None:
    """A certificate that calls files by other names than those of parts has none of them read."""
    assert not parts_module.is_in_parts(["release/part-00000.parquet/../../../secret"])
    assert not parts_module.is_in_parts(["release/part-00000.exe"])
    assert not parts_module.is_in_parts(["release/part-00001.csv"])
    assert not parts_module.is_in_parts([])


ODD = {
    b"age,zip,dx\n31,02139,flu\n32,02139\n": "line 3 has 2 cells, but there are 3 columns; correct the line",
    b"age,zip,dx\n31,02139,flu\n\n32,02139,flu\n": "line 3 is blank, but there are 3 columns; correct the line",
    b"age,zip,dx\n31,02139,flu,x\n": "line 2 has 4 cells, but there are 3 columns; correct the line",
    b"age,dx,dx\n31,cold,flu\n": "the name 'dx' stands for columns 2 and 3; give each its own",
    b"age,,dx\n31,cold,flu\n": "column 2 has no name; name every column",
    b"age,zip,dx\n31,0\x00,flu\n": "holds a zero byte at line 2, so it is no text in UTF-8",
    b"age,zip,dx\n31,02139,caf\xe9\n": "is not UTF-8 at line 2 (value 0xE9)",
    b"age,zip,dx\r31,02139,flu\r": "its lines end in CR alone; correct it, or read the file by itself",
    b"age, zip, dx\n31, 02139, flu\n": "a space stands behind every delimiter; correct it, or read the file by itself",
    b'age,zip,dx\n31,02139,"flu\n': "the record after line 1 cannot be read: unexpected end of data",
    b'age,zip,dx\n31,5",flu\n32,6,"x"\n': "quotes are used inconsistently; double every quote inside a quoted cell",
}


@pytest.mark.parametrize("data", ODD, ids=[said[:30] for said in ODD.values()])
@pytest.mark.parametrize("engine", ["memory", "streaming"])
def test_lines_that_are_none_of_a_table_are_refused_in_many_files_too(
    tmp_path: Path, engine: str, data: bytes
) -> None:
    """Polars takes a record without its last cells for one that has none there, renames the second of two columns, and so on."""
    source, out = tmp_path / "in", tmp_path / "out"
    source.mkdir()
    (source / "a.csv").write_bytes(data)
    policy = {
        "columns": {"age": {"role": "quasi"}, "*": {"role": "other"}},
        "privacy": [{"model": "k-anonymity", "k": 1}],
    }
    with pytest.raises(lk.LikenessError) as found:
        lk.publish(source, policy, out, engine=engine)
    assert ODD[data] in str(found.value)
    assert "\n" not in str(found.value)
    assert not out.exists()


def test_quoted_cells_and_byte_order_marks_of_many_files_are_read(tmp_path: Path) -> None:
    source = tmp_path / "in"
    source.mkdir()
    (source / "a.csv").write_bytes(b'\xef\xbb\xbfage,dx\r\n31,"flu, ""bad"""\r\n32,"two\nlines"\r\n')
    (source / "b.csv").write_bytes(b"\xef\xbb\xbfage,dx\n33,caf\xc3\xa9")
    found = StreamingEngine().count(find_parts(source), ["age", "dx"], Progress())
    assert found.frame.cast(pl.String).rows() == [
        ("31", 'flu, "bad"'),
        ("32", "two\nlines"),
        ("33", "café"),
    ]
    assert lk.read(source).frame.cast(pl.String).rows() == found.frame.cast(pl.String).rows()


def test_blank_lines_at_the_end_of_one_of_many_files_are_nothing(tmp_path: Path) -> None:
    """As of a file by itself; polars takes each for a record. Of one column they are empty cells there, too."""
    source, alone, one = tmp_path / "in", tmp_path / "alone.csv", tmp_path / "one"
    source.mkdir()
    (source / "a.csv").write_bytes(b"age,dx\r\n31,flu\r\n,\r\n\r\n\r\n")
    (source / "b.csv").write_bytes(b"age,dx\n33,cold\n\n")
    (source / "c.csv").write_bytes(b"age,dx\n\n\n")
    alone.write_bytes(b"age,dx\n31,flu\n,\n33,cold\n\n\n")
    rows = [("", ""), ("31", "flu"), ("33", "cold")]
    found = StreamingEngine().count(find_parts(source), ["age", "dx"], Progress())
    assert (found.frame.cast(pl.String).rows(), found.records) == (rows, 3)
    for own in (source, alone):
        assert sorted(lk.read(own).frame.cast(pl.String).rows()) == rows
    one.mkdir()
    (one / "a.csv").write_bytes(b"age\n31\n\n\n")
    assert StreamingEngine().count(find_parts(one), ["age"], Progress()).records == 3
    (source / "d.csv").write_bytes(b"age,dx\n33,cold\n\n\n34,cold\n")
    with pytest.raises(lk.TableError, match="line 3 is blank, but there are 2 columns"):
        StreamingEngine().count(find_parts(source), ["age", "dx"], Progress())


@pytest.mark.parametrize("engine", ["memory", "streaming"])
def test_cells_are_counted_by_records_not_by_different_ones(tmp_path: Path, engine: str) -> None:
    """Of records eight of nine have a number there, of different ones one of two: what a column is depends on no engine."""
    mixed = pl.DataFrame({"age": [1] * 9, "code": ["7"] * 8 + ["x"], "dx": [None, None, *["flu"] * 7]})
    policy = {
        "columns": {"age": {"role": "quasi"}, "code": {"role": "quasi"}, "dx": {"role": "sensitive"}},
        "privacy": [{"model": "k-anonymity", "k": 2}],
    }
    source = written(mixed, tmp_path / "in", 2)
    with pytest.raises(lk.LikenessError, match=r"column 'code' mixes numbers and text: 'x' at "):
        lk.publish(source, policy, tmp_path / "out", engine=engine)
    policy["columns"]["code"] = {"role": "drop"}
    with pytest.raises(lk.LikenessError, match=r"column 'dx': 2 missing values, the first in "):
        lk.publish(source, policy, tmp_path / "out", engine=engine)


def test_a_release_in_parts_of_which_some_is_missing(tmp_path: Path) -> None:
    """It is said to be that, and not to be another release, or another table's."""
    frame = pl.DataFrame({"age": [30, 31, 60, 61] * 5})
    source = written(frame, tmp_path / "in", 2)
    policy = lk.Policy(columns={"age": lk.quasi()}, privacy=lk.KAnonymity(2))
    out = lk.publish(source, policy, tmp_path / "out", engine="streaming").folder
    part = out / PUBLIC / part_name(0, "parquet")
    aside = part.rename(tmp_path / "aside")
    with pytest.raises(lk.VerificationError, match="is missing"):
        lk.apply(out, frame)
    aside.rename(part)
    (out / PUBLIC / "certificate.json").unlink()
    found = lk.verify(out)
    assert {refusal.about for refusal in found.refusals} == {"public/certificate.json"}
    for ask in (lambda: lk.open_release(out, frame), lambda: lk.apply(out, frame)):
        with pytest.raises(lk.VerificationError, match=r"^WRONG: public/certificate\.json is missing$"):
            ask()


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.tab"])
def test_a_file_says_in_a_folder_what_it_says_by_itself(tmp_path: Path, name: str) -> None:
    """Names with quotes, and tabs where the ending says so."""
    source = tmp_path / "in"
    source.mkdir()
    mark = "," if name.endswith("csv") else "\t"
    (source / name).write_text(
        f'"a""b"{mark}c,d\n1{mark}2\n3{mark}4\n' if mark == "\t" else '"a""b",c\n1,2\n3,4\n'
    )
    alone = lk.read(source / name)
    found = StreamingEngine().count(find_parts(source), list(alone.names), Progress())
    assert lk.read(source).names == alone.names == found.names
    assert (
        lk.read(source).frame.cast(pl.String).rows()
        == alone.frame.cast(pl.String).rows()
        == found.frame.cast(pl.String).rows()
    )
