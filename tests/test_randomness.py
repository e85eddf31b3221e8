"""What a seed gives: the same bytes to who has table and policy, and nothing to anybody else."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest

import likeness as lk
from likeness.encode import encode
from likeness.randomness import entropy_of, stream

N = 400
COLUMNS = {
    "ssn": {"role": "identifier", "action": "pseudonym"},
    "row": {"role": "other"},
    "age": {"role": "quasi"},
    "disease": {"role": "sensitive"},
    "memo": {"role": "drop"},
}
POLICY = {"columns": COLUMNS, "privacy": [{"model": "k-anonymity", "k": 4}]}
SEED = 43


def patients(n: int = N) -> pl.DataFrame:
    rng = np.random.default_rng(8)
    return pl.DataFrame(
        {
            "ssn": [f"n{i}" for i in range(n)],
            "row": np.arange(n),
            "age": rng.integers(18, 90, n),
            "disease": rng.choice(["angina", "cold", "flu", "gout"], n),
            "memo": rng.choice(["-", "x"], n),
        }
    )


def visits(n: int = N) -> pl.DataFrame:
    return patients(n).with_columns(pl.Series("ssn", [f"n{i // 2}" for i in range(n)]), age=pl.lit(30))


def positions(table: pl.DataFrame) -> list[int]:
    """The input's row of each published one: the order a seed may not give away."""
    return table["row"].to_list()


def entropy(frame, policy=POLICY, seed=SEED):
    made = policy if isinstance(policy, lk.Policy) else lk.Policy.from_mapping(policy)
    made = made.replace(seed=seed)
    return entropy_of(encode(lk.read(frame), made), made)


def alike(one, other) -> int:
    """How many of two orders' places agree; one by chance."""
    return sum(a == b for a, b in zip(one, other, strict=True))


def test_the_same_three_give_the_same_release():
    one, other = (lk.anonymize(patients(), POLICY, seed=SEED) for _ in range(2))
    assert one.table.equals(other.table)
    assert one.private.entropy == other.private.entropy


def test_a_guessed_seed_restores_no_order():
    # What an outsider has: the published table, and this library.
    shown = positions(lk.anonymize(patients(), POLICY, seed=SEED).table)
    for guessed in range(2 * SEED):
        for purpose in ("search", "publish", "names"):
            assert alike(stream(guessed, purpose).permutation(N), shown) < 12


def changed_tables():
    table = patients()
    yield "a dropped cell", table.with_columns(memo=pl.Series(["other", *table["memo"][1:]]))
    yield "an identifier", table.with_columns(ssn=pl.Series(["who", *table["ssn"][1:]]))
    yield "a sensitive cell", table.with_columns(disease=pl.Series(["hiv", *table["disease"][1:]]))
    yield "two rows changed places", pl.concat([table[1:2], table[:1], table[2:]])


@pytest.mark.parametrize(
    ("what", "table"), list(changed_tables()), ids=lambda given: given if isinstance(given, str) else ""
)
def test_another_table_has_another_order(what, table):
    one, other = (lk.anonymize(frame, POLICY, seed=SEED).table for frame in (patients(), table))
    assert alike(positions(one), positions(other)) < 12, what
    both = [dict(zip(shown["row"], shown["ssn"], strict=True)) for shown in (one, other)]
    assert sum(both[0][row] == both[1][row] for row in both[0]) < 12


@pytest.mark.parametrize(
    "changes",
    [
        {"privacy": [{"model": "k-anonymity", "k": 5}]},
        {"withhold": {"at_most": 0.5}},
        {"method": {"name": "mondrian"}},
        {"output": {"numeric_pairs": True}},
        {"columns": COLUMNS | {"age": {"role": "quasi", "weight": 2}}},
        {"columns": COLUMNS | {"age": {"role": "quasi", "hierarchy": {"intervals": {"width": 10}}}}},
        {"columns": COLUMNS | {"memo": {"role": "other"}}},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_another_policy_has_another_order(changes):
    one, other = (lk.anonymize(patients(), policy, seed=SEED).table for policy in (POLICY, POLICY | changes))
    assert alike(positions(one), positions(other)) < 12


def test_persons_of_two_releases_cannot_be_joined():
    policy = {
        "columns": COLUMNS | {"ssn": {"role": "identifier"}},
        "privacy": [{"model": "k-anonymity", "k": 4}],
        "individual": "ssn",
        "form": {"name": "identity-reserved"},
        "method": {"name": "mondrian"},
    }
    one, other = (
        lk.anonymize(visits(), policy | {"withhold": {"at_most": share}}, seed=SEED).table
        for share in (0, 0.5)
    )
    both = [dict(zip(shown["row"], shown["person"], strict=True)) for shown in (one, other)]
    assert sum(both[0][row] == both[1][row] for row in both[0]) < 24


def test_the_second_table_counts():
    first = patients().select("ssn", "age")
    policy = {
        "columns": {name: COLUMNS[name] for name in ("row", "age", "disease", "memo")}
        | {"ssn": {"role": "identifier"}},
        "privacy": [{"model": "k-anonymity", "k": 4}],
        "individual": "ssn",
        "records": {"table": "records.csv", "on": "ssn"},
    }
    found = set()
    for change in ("-", "x"):
        second = patients().select("ssn", "row", "disease", "memo")
        second = second.with_columns(memo=pl.Series([change, *second["memo"][1:]]))
        joined = lk.tables.join(lk.read(first), lk.read(second), "ssn")
        made = lk.Policy.from_mapping(policy).replace(seed=SEED)
        found.add(entropy_of(encode(joined, made), made))
        # Where its file lies is no part of it.
        moved = lk.Policy.from_mapping(policy | {"records": {"table": "/else/r.csv", "on": "ssn"}}).replace(
            seed=SEED
        )
        found.add(entropy_of(encode(joined, moved), moved))
    assert len(found) == 2


def test_frames_and_files_of_the_same_values_are_one_table(tmp_path):
    rng = np.random.default_rng(1)
    table = patients().with_columns(
        real=pl.Series(rng.random(N).round(3)),
        day=pl.Series(np.datetime64("2020-01-01") + rng.integers(0, 99, N)),
        true=pl.Series(rng.random(N) < 0.5),
        some=pl.Series([None if i % 3 else "ä" for i in range(N)]),
        many=pl.Series([None if i % 3 else i for i in range(N)]),
    )
    table.write_csv(tmp_path / "t.csv")
    table.write_csv(tmp_path / "semicolon.csv", separator=";")
    table.write_parquet(tmp_path / "t.parquet")
    frames = [table, table.to_arrow(), *(tmp_path / name for name in ("t.csv", "semicolon.csv", "t.parquet"))]
    assert len({lk.read(frame).digest for frame in frames}) == 1
    assert lk.read(table.drop("many").to_pandas()).digest == lk.read(table.drop("many")).digest
    # Category or text, and in which order the categories were first seen, is nobody's business.
    shown = table["disease"].to_list()
    as_categories = pd.DataFrame(
        {"d": pd.Categorical(shown, categories=["gout", "flu", "cold", "angina", "never"])}
    )
    assert lk.read(as_categories).digest == lk.read(pl.DataFrame({"d": shown})).digest


def test_every_cell_name_and_place_counts():
    table = pl.DataFrame({"a": ["x", "y", None], "b": [1.5, 2.5, None], "c": [1, 2, 3]})
    changed = [
        table,
        table.rename({"a": "d"}),
        table.select("b", "a", "c"),
        table[::-1],
        table[:2],
        table.with_columns(a=pl.Series(["x", "y", "z"])),
        table.with_columns(a=pl.Series(["xy", "", None])),
        table.with_columns(b=pl.Series([1.5, 2.5000001, None])),
        table.with_columns(b=pl.Series([1.5, None, 2.5])),
        table.with_columns(c=pl.Series([1, 2, 4])),
        # No method could use these, and still they count.
        table.with_columns(c=pl.Series(["1", "2", "x"])),
        table.with_columns(c=pl.Series(["1", "2", "y"])),
        table.with_columns(c=pl.Series([1.0, 2.0, float("inf")])),
        table.with_columns(c=pl.Series([1.0, float("inf"), 2.0])),
    ]
    assert len({lk.read(frame).digest for frame in changed}) == len(changed)


def test_a_policy_counts_by_what_it_says(tmp_path):
    rows = [[str(age), "young" if age < 50 else "old", "*"] for age in range(18, 90)]
    (tmp_path / "age.csv").write_text("\n".join(";".join(row) for row in rows))

    def policy(hierarchy):
        return POLICY | {"columns": COLUMNS | {"age": {"role": "quasi", "hierarchy": hierarchy}}}

    written = lk.Policy.from_mapping(policy("age.csv"), folder=tmp_path)
    told = entropy(patients(), written)
    assert told == entropy(patients(), policy(str(tmp_path / "age.csv")))
    assert told == entropy(patients(), policy(rows))
    rows[0][1] = "old"
    assert told != entropy(patients(), policy(rows))
    # How it is written down decides nothing.
    plain = entropy(patients())
    assert plain == entropy(patients(), POLICY | {"output": {"format": "parquet"}})
    assert plain != entropy(patients(), seed=SEED + 1)
    (tmp_path / "policy.yaml").write_text(lk.Policy.from_mapping(POLICY).to_yaml())
    assert plain == entropy(patients(), lk.Policy.load(tmp_path / "policy.yaml"))


def test_categories_count_by_what_they_say(tmp_path):
    diseases = sorted(set(patients()["disease"]))
    rows = [["mild", *diseases[:1]], ["severe", *diseases[1:]]]
    (tmp_path / "severity.csv").write_text("\n".join(";".join(row) for row in rows))
    written = POLICY | {"categories": {"disease": "severity.csv"}}
    told = entropy(patients(), lk.Policy.from_mapping(written, folder=tmp_path))
    assert told == entropy(
        patients(), POLICY | {"categories": {"disease": {label: own for label, *own in rows}}}
    )
    assert told != entropy(patients())
    (tmp_path / "severity.csv").write_text("\n".join(";".join(row) for row in rows[::-1]))
    assert told != entropy(patients(), lk.Policy.from_mapping(written, folder=tmp_path))


def test_bounds_that_are_functions_count_by_what_they_give():
    def policy(slope):
        return lk.Policy(
            columns={name: dict(column) for name, column in COLUMNS.items()},
            privacy=lk.BetaLikeness(bound=lambda p: min(Fraction(1), slope * p)),
        )

    assert entropy(patients(), policy(3)) == entropy(patients(), policy(Fraction(3)))
    assert entropy(patients(), policy(3)) != entropy(patients(), policy(4))
    release = lk.anonymize(patients(), policy(3), seed=SEED)
    assert release.table.equals(lk.anonymize(patients(), policy(3), seed=SEED).table)


def test_without_a_seed_nothing_repeats():
    assert entropy(patients(), seed=None) != entropy(patients(), seed=None)
