"""Beside its original a release that was opened is the one that was written: every number, warning, table and byte."""

from __future__ import annotations

import dataclasses
import pickle
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import likeness as lk
from likeness import registry
from likeness.errors import VerificationError

ROWS = 80
COLUMNS = {
    "who": lk.identifier(action="pseudonym"),
    "age": lk.quasi(),
    "zip": lk.quasi(hierarchy={"prefix": 5}),
    "day": lk.other(),
    "visit": lk.other(),
    "note": lk.other(),
    "pay": lk.drop(),
    "disease": lk.sensitive(),
}
PEOPLE = {**COLUMNS, "who": lk.identifier()}
AGES = lk.quasi(hierarchy={"intervals": [0, 30, 40, 65]})
PAY = {"disease": lk.drop(), "pay": lk.sensitive()}
SOME = {"at_most": 0.3}


def table(seed: int, *, several: bool = False, rows: int = ROWS) -> pl.DataFrame:
    """Patients, or two visits of each."""
    rng = np.random.default_rng(seed)
    patients = rows // 2 if several else rows
    of = np.arange(rows) // (rows // patients)
    return pl.DataFrame(
        {
            "who": [f"p{i}" for i in of],
            "age": rng.integers(20, 60, patients)[of],
            "zip": rng.choice(["02139", "02141", "10001"], patients)[of],
            "day": pl.Series(np.arange(rows) % 9).cast(pl.Int32).cast(pl.Date),
            "visit": rng.integers(0, 9, rows) / 8,
            "note": np.resize(["plain", "=1+1", "-5"], rows),
            "pay": rng.normal(size=rows).round(1),
            "disease": rng.choice(["flu", "cold", "gout", "two\nlines"], rows, p=[0.4, 0.3, 0.2, 0.1]),
        }
    )


POLICIES: dict[str, dict[str, Any]] = {
    "chosen": {"columns": COLUMNS, "privacy": lk.KAnonymity(4) & lk.DistinctLDiversity(2)},
    "one model twice": {
        "columns": COLUMNS,
        "privacy": [lk.KAnonymity(4), lk.KAnonymity(4)],
        "method": "mondrian",
    },
    "cuts": {"columns": COLUMNS, "privacy": lk.KAnonymity(4), "method": lk.Mondrian(cut="utd")},
    "pairs": {
        "columns": {**COLUMNS, "day": lk.quasi()},
        "privacy": lk.BetaLikeness(3),
        "form": {"name": "generalized", "numeric_pairs": True},
        "method": "burel",
    },
    "means": {
        "columns": {**COLUMNS, "day": lk.quasi()},
        "privacy": lk.KAnonymity(4),
        "form": "microaggregated",
        "method": lk.Mondrian(cut="utd"),
    },
    "mixed": {
        "columns": COLUMNS,
        "privacy": lk.KAnonymity(4),
        "form": "mixed",
        "method": lk.Mondrian(cut="utd"),
    },
    "weights": {
        "columns": {**COLUMNS, "visit": lk.other()},
        "weights": "visit",
        "privacy": lk.KAnonymity(4),
        "method": "mondrian",
    },
    "withheld": {"columns": {**COLUMNS, "age": AGES}, "privacy": lk.KAnonymity(8), "method": "datafly"},
    "dropped": {
        "columns": {**COLUMNS, "disease": lk.sensitive(missing={"policy": "drop", "markers": ["gout"]})},
        "privacy": lk.KAnonymity(3),
        "method": "mondrian",
    },
    "two sensitive": {
        "columns": {**COLUMNS, "day": lk.sensitive()},
        "privacy": lk.DistinctLDiversity(2, sensitive="disease"),
        "method": "mondrian",
    },
    "anatomized": {
        "columns": COLUMNS,
        "privacy": lk.DistinctLDiversity(2),
        "method": {"name": "anatomy", "l": 2},
    },
    "angelized": {
        "columns": COLUMNS,
        "privacy": [lk.KAnonymity(2), lk.DistinctLDiversity(2)],
        "method": {"name": "angel", "batches": {"name": "mondrian", "cut": "widest"}},
    },
    "perturbed": {"columns": COLUMNS, "privacy": lk.BetaLikeness(2), "method": "perturbation"},
    "perturbed numbers": {"columns": COLUMNS | PAY, "privacy": lk.BetaLikeness(4), "method": "perturbation"},
    "baseline": {"columns": COLUMNS, "privacy": lk.BetaLikeness(2), "method": "baseline"},
    "linked": {
        "columns": PEOPLE,
        "individual": "who",
        "privacy": lk.IrKlAnonymity(k=3, l=2),
        "form": "identity-reserved",
        "method": "danonyir",
    },
    "wide regions": {
        "columns": {**PEOPLE, "age": AGES},
        "individual": "who",
        "privacy": lk.IrKAnonymity(k=3),
        "method": "geneir",
    },
    "people": {
        "columns": PEOPLE,
        "individual": "who",
        "privacy": lk.KAnonymity(3) & lk.EirLDiversity(2),
        "method": "mondrian",
    },
}


def compare(opened: lk.Release, made: lk.Release) -> None:
    """Whether nothing tells an opened release from the one that was written."""
    for ours, theirs in ((opened.loss(), made.loss()), (opened.attack_all(), made.attack_all())):
        assert ours == theirs
        assert ours.skipped == theirs.skipped
    assert opened.loss().details == made.loss().details
    assert opened.measure() == made.measure()
    assert opened.counts == made.counts
    assert opened.individual_counts == made.individual_counts
    assert [(one.code, dict(one.facts), str(one)) for one in opened.findings] == [
        (one.code, dict(one.facts), str(one)) for one in made.findings
    ]
    assert opened.warnings
    assert opened.verdict.proofs == made.verdict.proofs
    assert opened.verify() == made.verify()
    for name, frame in made.tables.items():
        assert opened.tables[name].schema == frame.schema
        assert opened.tables[name].equals(frame)
    ours, theirs = opened.private, made.private
    assert ours.solution.plan.classes.tolist() == theirs.solution.plan.classes.tolist()
    assert [*ours.solution.plan.withheld_because.items()] == [*theirs.solution.plan.withheld_because.items()]
    assert (ours.method, ours.candidates, ours.entropy) == (theirs.method, theirs.candidates, theirs.entropy)
    assert opened.report() == made.report()


def files(folder: Path) -> dict[str, bytes]:
    """Every file of a release."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.glob("*/*")}


def test_every_form_is_here():
    made = {lk.Policy(**given).form for given in POLICIES.values()}
    names = {None if form is None else form.name for form in made}
    methods = {
        registry.load("methods", name).form
        for name in ("anatomy", "angel", "perturbation", "baseline", "mondrian")
    }
    assert (names | methods) - {None} == set(registry.names("forms"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "format_"),
    [
        *((name, "csv") for name in POLICIES),
        *(
            pytest.param(name, "parquet", marks=pytest.mark.slow)
            for name in ("pairs", "means", "mixed", "anatomized", "perturbed numbers", "linked")
        ),
    ],
)
def test_the_release_that_was_written_comes_back(name: str, format_: str, tmp_path: Path) -> None:
    given = POLICIES[name]
    policy = lk.Policy(**given, withhold=SOME, output={"format": format_})
    frame = table(3, several="individual" in given)
    made = lk.anonymize(frame, policy, seed=5)
    assert name != "withheld" or made.private.solution.plan.withheld
    folder = made.write(tmp_path / "out")
    assert made.report() == (folder / "private/report.html").read_text()
    opened = lk.open_release(folder, original=frame)
    compare(opened, made)
    assert files(opened.write(tmp_path / "again")) == files(folder)
    assert lk.open_release(folder, frame, policy=policy).report() == made.report()


@pytest.mark.slow
@settings(deadline=None, max_examples=8, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, 2**32), st.integers(8, 30), st.sampled_from(sorted(POLICIES)), st.booleans())
def test_of_any_small_table(seed: int, rows: int, name: str, asked: bool) -> None:
    frame = table(seed, several="individual" in POLICIES[name], rows=rows - rows % 2)
    policy = lk.Policy(**POLICIES[name], withhold={"at_most": 0.9})
    try:
        made = lk.anonymize(frame, policy, seed=seed)
    except lk.LikenessError:
        assume(False)
    with tempfile.TemporaryDirectory() as place:
        folder = made.write(Path(place) / "out")
        opened = lk.open_release(folder, frame, policy=policy if asked else None)
        assert files(opened.write(Path(place) / "again")) == files(folder)
        assert opened.report() == (folder / "private/report.html").read_text()
    assert opened.loss() == made.loss()
    assert opened.attack_all() == made.attack_all()


@pytest.mark.slow
def test_a_bound_that_is_a_function_is_taken_from_the_policy_or_as_its_caps(tmp_path):
    policy = lk.Policy(
        columns=COLUMNS, privacy=lk.BetaLikeness(bound=lambda p: min(1, 3 * p)), method="mondrian"
    )
    frame = table(3)
    made = lk.anonymize(frame, policy, seed=5)
    folder = made.write(tmp_path / "out")
    for given_policy in (None, policy):
        opened = lk.open_release(folder, frame, policy=given_policy)
        assert opened.loss() == made.loss()
        assert opened.attack_all() == made.attack_all()
        assert opened.report() == made.report()


def test_paths_and_hierarchy_files_and_a_second_table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(4)
    people = [f"{i:03}" for i in range(60)]
    zips = [f"{100 + x}" for x in rng.integers(0, 4, 60)]
    Path("data").mkdir()
    pl.DataFrame({"pid": people, "age": rng.integers(20, 60, 60), "zip": zips}).write_csv("data/people.csv")
    diseases = rng.choice(["flu", "cold", "gout", "angina"], 150)
    pl.DataFrame({"pid": rng.choice(people[:50], 150), "disease": diseases}).write_csv("data/visits.csv")
    Path("data/zip.csv").write_text("".join(f"{100 + x};10{x // 2}*;*\n" for x in range(4)))
    Path("data/policy.yaml").write_text(
        "columns: {pid: {role: identifier}, age: {role: quasi}, zip: {role: quasi, hierarchy: zip.csv},"
        " disease: {role: sensitive}}\n"
        "individual: pid\nrecords: {table: visits.csv, on: pid}\nhygiene: {no_sensitive: value}\n"
        "privacy: [{model: k-anonymity, k: 9}]\nmethod: mondrian\nwithhold: {at_most: 0.2}\n"
    )
    made = lk.anonymize("data/people.csv", "data/policy.yaml", seed=3)
    folder = made.write("out")
    assert made.private.encoded.without_records is not None
    for policy in (None, "data/policy.yaml"):
        opened = lk.open_release("out", original="data/people.csv", policy=policy)
        compare(opened, made)
        assert files(opened.write(f"again{policy is None}")) == files(folder)


def test_the_public_part_beside_its_original_can_be_attacked(tmp_path):
    frame, policy = table(3), lk.Policy(**POLICIES["chosen"])
    made = lk.anonymize(frame, policy, seed=5)
    public = made.write(tmp_path / "out") / "public"
    opened = lk.open_release(public, frame, policy=policy)
    found, whole = opened.attack_all(), made.attack_all()
    for name, own in found.items():
        # Who does not know who is in which class is told nothing of who does.
        of_class = {key for key in whole[name].details if key.endswith("in_class")} - own.details.keys()
        told = {key: figure for key, figure in whole[name].details.items() if key not in of_class}
        assert dataclasses.replace(whole[name], details=told) == own
    assert whole.keys() - found.keys() == {"definetti", "minimality"}
    assert all("needs to know" in found.skipped[name] for name in ("definetti", "minimality"))
    for needs in (opened.loss, opened.measure, opened.report, lambda: opened.warnings):
        with pytest.raises(
            lk.InvalidError, match=r"^without private/ nobody knows which record is in which class; open "
        ):
            needs()
    with pytest.raises(lk.InvalidError, match=r"give the policy \(policy=, --policy\)$"):
        lk.open_release(public, frame)


def test_what_needs_the_original_says_how_to_give_it(tmp_path):
    frame = table(3)
    folder = lk.anonymize(frame, lk.Policy(**POLICIES["chosen"]), seed=5).write(tmp_path / "out")
    whole = lk.open_release(folder, original=frame)
    for opened in (lk.open_release(folder), pickle.loads(pickle.dumps(whole))):
        for needs in ("loss", "measure", "report", "attack_all"):
            with pytest.raises(lk.LikenessError, match=r"open_release\(folder, original=…\)$") as refused:
                getattr(opened, needs)()
            assert len(refused.value.problems) == 1


def test_another_policy_or_another_table_is_refused(tmp_path):
    frame, policy = table(3), lk.Policy(**POLICIES["chosen"])
    folder = lk.anonymize(frame, policy, seed=5).write(tmp_path / "out")
    with pytest.raises(
        lk.VerificationError, match="policy: privacy: is not that of the policy that was given"
    ):
        lk.open_release(folder, frame, policy=policy.replace(privacy=lk.KAnonymity(3)))
    with pytest.raises(lk.VerificationError, match="was made from: it has 79 rows, not 80"):
        lk.open_release(folder, frame[:-1])
    with pytest.raises(lk.InvalidError, match=r"^policy: "):
        lk.open_release(folder, policy=policy)


def test_what_is_dropped_is_said_not_to_be_compared(tmp_path):
    """Nothing was made of it: "the original is the table" was said of one whose dropped column had changed."""
    frame = table(1)
    columns = {
        "age": lk.quasi(),
        "disease": lk.sensitive(),
        "who": lk.identifier(),
        "pay": lk.drop(),
        "*": lk.other(),
    }
    policy = lk.Policy(columns=columns, privacy=lk.KAnonymity(2))
    folder = lk.anonymize(frame, policy, seed=1).write(tmp_path / "out")
    found = lk.verify(folder, original=frame.with_columns(pay=pl.lit(1.0)))
    assert found.ok
    told = "the original is the table the release was made from; 'who', 'pay' are dropped, and not compared"
    assert told in found.checks
    assert not lk.verify(folder, original=frame.with_columns(note=pl.lit("x"))).ok


def test_whose_records_are_whose_is_part_of_the_original(tmp_path):
    """Classes are counted in people: a record given to another person was said to be the table the release was made from."""
    frame = table(2, several=True)
    columns = {"who": lk.identifier(), "age": lk.quasi(), "disease": lk.sensitive(), "*": lk.drop()}
    policy = lk.Policy(columns=columns, privacy=lk.KAnonymity(3), individual="who")
    folder = lk.anonymize(frame, policy, seed=1).write(tmp_path / "out")
    who = frame["who"].to_list()
    # Of one age with the next, so that nothing published contradicts it.
    same = next(i for i in range(1, ROWS) if frame["age"][i] == frame["age"][i - 1] and who[i] != who[i - 1])
    changed = frame.with_columns(who=pl.Series([*who[:same], who[same - 1], *who[same + 1 :]]))
    assert not lk.verify(folder, original=changed).ok
    with pytest.raises(VerificationError, match="is not the table"):
        lk.open_release(folder, changed)
    names = {name: f"q{i}" for i, name in enumerate(dict.fromkeys(who))}
    assert lk.verify(folder, original=frame.with_columns(who=pl.col("who").replace(names))).ok
