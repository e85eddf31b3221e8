"""Rows that stand for several records: searches, proofs and losses of counts are those of the records themselves."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import likeness as lk
from likeness import anonymization, registry
from likeness.anonymization import anonymize_encoded
from likeness.encode import encode
from likeness.forms.base import as_labelled
from likeness.methods.base import Method
from likeness.metrics.base import Evaluation
from likeness.metrics.glm import Glm
from likeness.metrics.ncp import Ncp
from likeness.microdata import mechanism
from likeness.microdata.copies import written_out
from likeness.microdata.grouping import count_copies, group_codes
from likeness.microdata.plan import Plan, Reason
from likeness.policy import as_policy
from likeness.progress import Progress
from likeness.tables import Table

GUARANTEES: list[list[dict[str, Any]]] = [
    [{"model": "k-anonymity", "k": 3}],
    [{"model": "k-anonymity", "k": 2}, {"model": "beta-likeness", "beta": 2}],
    [{"model": "t-closeness", "t": "1/4"}],
    [
        {"model": "distinct-l-diversity", "l": 2, "sensitive": "s"},
        {"model": "alpha-k-anonymity", "alpha": 0.6, "k": 2},
    ],
    [{"model": "entropy-l-diversity", "l": 1.5}],
]
METHODS: list[Any] = [
    "mondrian",
    "local-recoding",
    {"name": "mondrian", "cut": "widest"},
    "incognito",
    "datafly",
]


DRAWING: list[Any] = ["perturbation", {"name": "perturbation", "rule": "uniform"}]
"""They publish values that are drawn record by record."""
APART: list[Any] = [
    "burel",
    "k-member",
    "sabre",
    "exchange-cuts",
    "hilbert-index",
    {"name": "mondrian", "cut": "widest", "strict": False},
]


def counted(frame: pl.DataFrame) -> Table:
    """Count the rows of a frame that say the same."""
    found = frame.group_by(frame.columns).agg(pl.len().alias("n")).sort(frame.columns, nulls_last=True)
    return Table(
        found.drop("n"), source="counts", library="polars", copies=found["n"].to_numpy().astype(np.int64)
    )


def rows_of(release: lk.Release) -> Counter[tuple[Any, ...]]:
    """Count what a release of counts publishes."""
    texts = [as_labelled(column) for column in release.columns["release"].values()]
    assert release.publication.copies is not None
    found: Counter[tuple[Any, ...]] = Counter()
    for row, number in enumerate(release.publication.copies.tolist()):
        found[tuple(own.labels[own.codes[row]] for own in texts)] += number
    return found


@st.composite
def tables(draw: st.DrawFn) -> pl.DataFrame:
    """Few values, many ties, some nulls."""
    size = draw(st.integers(8, 60))
    columns: dict[str, Any] = {}
    for j in range(draw(st.integers(1, 3))):
        values = draw(st.lists(st.integers(0, draw(st.integers(1, 5))), min_size=size, max_size=size))
        columns[f"q{j}"] = (
            values if j % 2 == 0 else [None if value == 5 else "abcde"[value] for value in values]
        )
    columns["s"] = ["xyzw"[i] for i in draw(st.lists(st.integers(0, 3), min_size=size, max_size=size))]
    return pl.DataFrame(columns)


@given(frame=tables(), privacy=st.sampled_from(GUARANTEES), method=st.sampled_from(METHODS))
def test_counts_are_searched_as_records_are(frame: pl.DataFrame, privacy: Any, method: Any) -> None:
    """The same classes, the same strength, the same losses, or the same refusal."""
    columns: dict[str, dict[str, Any]] = {
        name: {"role": "quasi", "missing": {"policy": "category"}} for name in frame.columns[:-1]
    }
    for name, column in columns.items():
        if frame[name].dtype == pl.Int64 and method in ("incognito", "datafly"):
            column["hierarchy"] = {"intervals": [0, 2, 4, 6]}
    policy = as_policy(
        {
            "columns": columns | {"s": {"role": "sensitive"}},
            "privacy": privacy,
            "method": method,
            "withhold": {"at_most": 0.3},
            "seed": 1,
        }
    )
    made: list[lk.Release | None] = []
    for table in (Table(frame, source="records", library="polars"), counted(frame)):
        try:
            made.append(anonymize_encoded(encode(table, policy), policy, Progress()))
        except lk.CannotBeMetError:
            made.append(None)
    alone, together = made
    assert (alone is None) == (together is None)
    if alone is None or together is None:
        return
    assert rows_of(together) == Counter(
        alone.table.select(frame.columns).cast(pl.String).fill_null("").rows()
    )
    assert [one.strength for one in together.verdict.proofs] == [one.strength for one in alone.verdict.proofs]
    assert together.certificate.records == alone.certificate.records
    losses = []
    for release in (alone, together):
        private = release.private
        evaluation = Evaluation(private.encoded.data, private.solution.plan, private.solution.recoding)
        losses.append([one.measure(evaluation) for one in (Ncp(), Ncp(charge_withheld=True), Glm())])
        assert sum(private.solution.plan.because.values()) == len(frame) - release.certificate.records
    assert losses[0] == pytest.approx(losses[1], abs=1e-12)


def asked_of(frame: pl.DataFrame, privacy: Any, method: Any, at_most: float) -> lk.Policy:
    """Missing values are a category, and the last column is sensitive."""
    columns = {name: {"role": "quasi", "missing": {"policy": "category"}} for name in frame.columns[:-1]}
    return as_policy(
        {
            "columns": columns | {"s": {"role": "sensitive"}},
            "privacy": privacy,
            "method": method,
            "withhold": {"at_most": at_most},
            "seed": 1,
        }
    )


@given(frame=tables(), privacy=st.sampled_from(GUARANTEES), method=st.sampled_from(APART))
def test_records_that_are_told_apart_are_counted_again(
    frame: pl.DataFrame, privacy: Any, method: Any
) -> None:
    """What is found of counts that were written out is found of the records in the order of their values; and so are losses."""
    policy = asked_of(frame, privacy, method, 0.3)
    records = Table(frame.sort(frame.columns, nulls_last=True), source="records", library="polars")
    together = encode(counted(frame), policy)
    apart = replace(together, data=written_out(together.data))
    assert not together.is_written_out
    assert apart.is_written_out
    made: list[lk.Release | str] = []
    for encoded in (encode(records, policy), apart):
        # Randomness is of a table, and counts are another than their records.
        with patch.object(anonymization, "entropy_of", return_value=7):
            try:
                made.append(anonymize_encoded(encoded, policy, Progress()))
            except lk.LikenessError as problem:
                made.append(type(problem).__name__)
    one, other = made
    if isinstance(one, str) or isinstance(other, str):
        assert one == other
        return
    data, plan = other.private.encoded.data, other.private.solution.plan
    assert data.copies is not None
    assert data.count_records() == frame.height
    assert len({*zip(data.rows.tolist(), plan.classes.tolist(), strict=True)}) == data.size
    assert rows_of(other) == Counter(one.table.select(frame.columns).cast(pl.String).fill_null("").rows())
    assert other.verdict.lines() == one.verdict.lines()
    losses = []
    for release in made:
        assert isinstance(release, lk.Release)
        private = release.private
        evaluation = Evaluation(private.encoded.data, private.solution.plan, private.solution.recoding)
        losses.append([own.measure(evaluation) for own in (Ncp(), Ncp(charge_withheld=True), Glm())])
        assert sum(private.solution.plan.because.values()) == frame.height - release.certificate.records
    assert losses[0] == pytest.approx(losses[1], abs=1e-12)


@given(
    frame=tables(),
    privacy=st.sampled_from(
        [
            [{"model": "basic-beta-likeness", "beta": 2}],
            [{"model": "beta-likeness", "beta": 3}, {"model": "k-anonymity", "k": 2}],
            [{"model": "alpha-k-anonymity", "alpha": "3/4", "k": 1}],
        ]
    ),
    method=st.sampled_from(DRAWING),
    drawn=st.sampled_from([1 << 20, 7, 1]),
)
def test_values_are_drawn_of_counts_as_of_records(
    frame: pl.DataFrame, privacy: Any, method: Any, drawn: int
) -> None:
    """The same draws as of the records in the order of their values, and the same matrix; some at a time, as many of each row."""
    policy = asked_of(frame, privacy, method, 0.5)
    records = Table(frame.sort(frame.columns, nulls_last=True), source="records", library="polars")
    made: list[lk.Release | str] = []
    for table in (records, counted(frame)):
        with (
            patch.object(anonymization, "entropy_of", return_value=7),
            patch.object(mechanism, "_DRAWN", drawn),
        ):
            try:
                made.append(anonymize_encoded(encode(table, policy), policy, Progress()))
            except lk.LikenessError as problem:
                made.append(str(problem))
    one, other = made
    if isinstance(one, str) or isinstance(other, str):
        assert one == other
        return
    shown = Counter(one.table.select(frame.columns).cast(pl.String).fill_null("").rows())
    assert (rows_of(other) == shown) or drawn < frame.height
    data, plan = other.private.encoded.data, other.private.solution.plan
    assert data.copies is not None
    assert plan.sensitive is not None
    own = np.bincount(data.rows, data.copies, int(data.rows.max()) + 1)
    assert own.tolist() == counted(frame).copies.tolist()  # type: ignore[union-attr]
    quasi = Counter({row[:-1]: 0 for row in shown})
    for row, number in rows_of(other).items():
        quasi[row[:-1]] += number
    for row, number in shown.items():
        quasi[row[:-1]] -= number
    assert not any(quasi.values())
    assert other.verdict.lines() == one.verdict.lines()
    assert other.certificate.records == one.certificate.records
    before, after = one.private.solution.plan, plan
    assert before.mechanism is not None
    assert after.mechanism is not None
    assert after.mechanism.counts.tolist() == before.mechanism.counts.tolist()
    assert after.mechanism.numerators.tolist() == before.mechanism.numerators.tolist()
    changed = data.copies[(plan.sensitive != data.sensitive_codes)[0] & plan.published].sum()
    assert after.history["changed"] == changed
    assert drawn < frame.height or after.history == before.history


def test_methods_that_keep_copies() -> None:
    """Whoever says that they do is asked for them above; others refuse counts, and name these."""
    keeping = {
        name
        for name in registry.names("methods")
        if registry.load("methods", name).keeps_copies is not Method.keeps_copies
    }
    assert keeping == {one if isinstance(one, str) else one["name"] for one in (*METHODS, *DRAWING)}
    frame = pl.DataFrame({"q": [1, 1, 2, 2], "s": ["x", "y", "x", "y"]})
    policy = as_policy(
        {
            "columns": {"q": {"role": "quasi"}, "s": {"role": "sensitive"}},
            "privacy": GUARANTEES[0],
            "method": {"name": "mondrian", "cut": "widest", "strict": False},
        }
    )
    with pytest.raises(
        lk.PolicyError, match="use datafly or incognito or local-recoding or mondrian, or engine: memory"
    ):
        anonymize_encoded(encode(counted(frame), policy), policy, Progress())


def test_level_limits_with_limits_on_shares_are_refused() -> None:
    """They move single records from part to part."""
    frame = pl.DataFrame({"q": ["a", "b", "c", "d"] * 5, "s": ["x", "y", "x", "z", "z"] * 4})
    columns = {
        "q": {
            "role": "quasi",
            "hierarchy": {"all": {"left": ["a", "b"], "right": ["c", "d"]}},
            "max_level": 1,
        },
        "s": {"role": "sensitive"},
    }
    policy = as_policy({"columns": columns, "privacy": GUARANTEES[1], "method": "mondrian"})
    with pytest.raises(lk.PolicyError, match="max_level"):
        anonymize_encoded(encode(counted(frame), policy), policy, Progress())


def test_counting_by_weight() -> None:
    """Numbers and groups count as often as their rows do; reasons, too."""
    copies = np.array([5, 1, 3])
    assert count_copies(np.array([0, 2, 2]), copies, 3).tolist() == [5, 0, 4]
    assert group_codes([np.array([1, 0, 1])], [2], copies).sizes.tolist() == [8, 1]
    plan = Plan(np.array([0, 0, 0])).withhold(np.array([True, False, True]), Reason("any", "any"))
    assert list(plan.because.values()) == [2]
    assert list(plan.counting(copies).because.values()) == [8]
    assert plan.counting(None) is plan
