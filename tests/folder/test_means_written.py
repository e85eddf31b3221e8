"""Releases of means and modes: written, read back from their bytes, and what was changed is found."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.folder.samples import Folder

import likeness as lk
from likeness import registry
from likeness.errors import PolicyError
from likeness.tables import read_published

FORMS = [
    name
    for name in registry.names("forms")
    if registry.load("forms", name)().shows("integer", "interval") == "mean"
]
COLUMNS = {
    "age": lk.quasi(missing={"markers": [""], "policy": "category"}),
    "pay": lk.quasi(kind="real"),
    "day": lk.quasi(kind="date"),
    "zip": lk.quasi(hierarchy={"prefix": 3}),
    "level": lk.quasi(kind="ordered", domain=["low", "middle", "high"]),
    "sex": lk.quasi(),
    "weight": lk.other(),
    "disease": lk.sensitive(),
}


def people(rows: int = 90, seed: int = 3, *, missing: float = 0.0) -> pl.DataFrame:
    """Numbers, days, codes, ordered and plain categories, and a survey weight."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 90, rows).astype(float)
    age[rng.random(rows) < missing] = np.nan
    return pl.DataFrame(
        {
            "age": pl.Series(age).fill_nan(None).cast(pl.Int64),
            "pay": np.round(rng.normal(2000, 300, rows), 2),
            "day": pl.Series(rng.integers(19_000, 19_400, rows)).cast(pl.Int32).cast(pl.Date),
            "zip": rng.choice(["021", "022", "100"], rows),
            "level": rng.choice(["low", "middle", "high"], rows),
            "sex": rng.choice(["f", "m", "*"], rows),
            "weight": rng.integers(1, 5, rows) / 2,
            "disease": rng.choice(["flu", "cold", "gout"], rows, p=[0.5, 0.3, 0.2]),
        }
    )


def policy(form: str, **changes) -> lk.Policy:
    """A policy for `people`."""
    given = {"columns": COLUMNS, "privacy": lk.KAnonymity(4) & lk.DistinctLDiversity(2), "method": "mondrian"}
    return lk.Policy(**(given | {"form": form, "weights": "weight"} | changes))


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", ["csv", pytest.param("parquet", marks=pytest.mark.slow)])
@given(seed=st.integers(0, 999), rows=st.integers(12, 40), missing=st.sampled_from([0.0, 0.3]))
@settings(deadline=None, max_examples=3, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_round_trip_through_bytes(form, kind, seed, rows, missing, tmp_path):
    table = people(rows, seed, missing=missing)
    asked = policy(form, output={"format": kind}, withhold={"at_most": 0.5})
    release = lk.anonymize(table, asked, seed=seed)
    counts = release.counts
    assert counts["published"] + sum(counts["withheld"].values()) == rows
    out = release.write(tmp_path / f"{kind}{seed}{rows}{missing}", overwrite=True)
    for place, original in ((out / "public", None), (out, None), (out, table)):
        verdict = lk.verify(place, original)
        assert verdict.ok, verdict
        assert verdict.classes == release.certificate.classes
    again = lk.open_release(out, table)
    assert again.loss() == release.loss()
    assert again.attack_all() == release.attack_all()
    assert again.table.equals(release.table)
    assert release.report() == again.report()
    # Every class has its records' means, computed in another way.
    shown = release.table
    if "*" not in shown["age"].cast(pl.String).to_list():
        assert shown["age"].dtype == pl.Float64
        if not missing and not counts["withheld"]:
            assert shown["age"].sum() == pytest.approx(table["age"].sum())
    assert (shown["pay"].dtype, shown["day"].dtype) == (pl.Float64, pl.Date)
    public = read_published(out / f"public/release.{kind}").frame
    assert sorted(public["pay"].cast(pl.Float64)) == sorted(shown["pay"])


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of means, not to be changed."""
    release = lk.anonymize(people(), policy("microaggregated"), seed=11)
    return release.write(tmp_path_factory.mktemp("written") / "out")


@pytest.fixture
def folder(written: Path, tmp_path: Path) -> Folder:
    """A release to tamper with."""
    return Folder(Path(shutil.copytree(written, tmp_path / "out")))


def found(folder: Folder) -> list[str]:
    """What verify finds wrong beside the hashes that only the steward has."""
    verdict = lk.verify(folder.root, people())
    assert verdict.failed
    return [one for one in verdict.problems if "sha" not in one.lower()]


def test_nothing_is_wrong_with_it(folder):
    verdict = lk.verify(folder.root, people())
    assert verdict.ok
    assert (
        "every published row shows the means and modes of its class in the original; everything else is as it was"
        in verdict.checks
    )


@pytest.mark.parametrize("by", ["a unit", "the last digit"])
def test_a_mean_that_was_changed_is_found(folder, by):
    frame = folder.frame()
    old = frame["pay"][0]
    new = str(float(old) + 1) if by == "a unit" else str(np.nextafter(float(old), np.inf))
    folder.put(frame.with_columns(pl.col("pay").replace(old, new)))
    folder.certify()
    # Nobody else can know; whoever has the original does.
    assert lk.verify(folder.root / "public").ok
    (problem,) = (one for one in found(folder) if "mean" in one)
    assert "column 'pay' is not the mean of its class in the original" in problem


def test_a_mode_that_was_changed_is_found(folder):
    frame = folder.frame()
    same = pl.col("pay") == frame["pay"][0]
    other = next(value for value in ("low", "middle", "high") if value != frame["level"][0])
    folder.put(frame.with_columns(pl.when(same).then(pl.lit(other)).otherwise("level").alias("level")))
    folder.certify()
    (problem,) = (one for one in found(folder) if "mode" in one)
    assert "column 'level' is not the mode of its class in the original" in problem


def test_two_rows_that_changed_their_classes_are_found(folder):
    """The classes are as large as before, and k and l hold; the class map says what the table says."""
    frame, classes = folder.frame(), folder.classes()
    disease = frame["disease"].to_list()
    shows = frame["pay"].to_list()
    pairs = (
        (i, j)
        for i in range(len(shows))
        for j in range(i)
        if shows[i] != shows[j] and disease[i] == disease[j]
    )
    one, other = next(pairs)
    quasi = ["age", "pay", "day", "zip", "level", "sex"]
    order = np.arange(frame.height)
    order[[one, other]] = other, one
    folder.put(frame.with_columns(frame[order.tolist()][name] for name in quasi))
    folder.certify()
    assert lk.verify(folder.root / "public").ok
    at = {row: i for i, row in enumerate(classes["published_row"].to_list())}
    swapped = classes["class"].to_list()
    swapped[at[one]], swapped[at[other]] = swapped[at[other]], swapped[at[one]]
    folder.put_classes(classes.with_columns(pl.Series("class", swapped, classes["class"].dtype)))
    problems = found(folder)
    assert any("is not the mean of its class in the original" in one for one in problems), problems


def test_a_value_that_no_class_may_show(folder):
    frame = folder.frame()
    folder.put(frame.with_columns(pl.col("age").replace(frame["age"][0], "[20, 30]")))
    folder.certify()
    assert any("is not of the kind real" in problem for problem in lk.verify(folder.root / "public").problems)


@pytest.mark.parametrize("form", FORMS)
def test_people_with_several_records_are_refused_in_one_line(form):
    table = people().with_columns(pl.Series("who", np.arange(90) // 2))
    asked = policy(form, columns=COLUMNS | {"who": lk.identifier()}, individual="who", method=None)
    with pytest.raises(PolicyError) as refused:
        lk.anonymize(table, asked)
    (line,) = str(refused.value).splitlines()
    assert line.startswith(f"form: {form!r} takes every record for another person's")


@pytest.mark.parametrize("form", FORMS)
def test_level_limits_say_who_may_share_a_class(form):
    columns = COLUMNS | {"zip": lk.quasi(hierarchy={"prefix": 3}, max_level=1)}
    release = lk.anonymize(people(), policy(form, columns=columns, withhold={"at_most": 0.5}), seed=1)
    plan, table = release.private.solution.plan, people()
    areas = np.array([code[:2] for code in table["zip"]])
    for number in range(plan.count):
        assert len(set(areas[plan.classes == number])) == 1


@pytest.mark.parametrize("form", ["microaggregated", "mixed"])
def test_means_of_rounded_values_are_no_multiples(form, tmp_path):
    frame = pl.DataFrame({"age": [10, 10, 15, 20, 25, 30], "s": list("abcabc")})
    columns = {"age": lk.quasi(round=5), "s": lk.sensitive()}
    policy = lk.Policy(columns=columns, privacy=lk.KAnonymity(3), form=form)
    release = lk.anonymize(frame, policy, seed=1)
    assert lk.verify(release.write(tmp_path / "out"), original=frame).ok
