"""Any table, any policy: what is written is proven from its bytes, and again from the original."""

from __future__ import annotations

import tempfile
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

import likeness as lk
from likeness.errors import CannotBeMetError

ROWS = 12
TEXTS = st.sampled_from(["a", "b|c", "*", "{x}", "", '"', "1", "[1, 2]", "\\", "x\ny", "ü", " "])
DAYS = st.integers(-40000, 40000).map(lambda n: date(1970, 1, 1) + timedelta(days=n))
KINDS = ["csv", "csv.gz", "tsv", "jsonl", "xlsx", "parquet", "arrow"]
GRADES = ["low, or so", "mid", "*"]
TREE = [["a", "A", "*"], ["b", "A", "*"], ["\\", "[B", "*"], ["{x}", "[B", "*"]]


def _column(values: st.SearchStrategy[Any], *, missing: bool) -> st.SearchStrategy[list[Any]]:
    given_values = st.one_of(st.none(), values) if missing else values
    return st.lists(given_values, min_size=ROWS, max_size=ROWS)


@st.composite
def cases(draw: st.DrawFn) -> tuple[pl.DataFrame, dict[str, Any]]:
    """A table and a policy for it."""
    treatment = draw(st.sampled_from(["category", "drop"]))
    empty = {"missing": {"policy": treatment, "markers": []}}
    reals = st.floats(-1e6, 1e6, allow_subnormal=False) | st.sampled_from(
        [1e-7, 0.1, 0.30000000000000004, 1e22]
    )
    kinds: dict[str, tuple[st.SearchStrategy[list[Any]], Any, dict[str, Any]]] = {
        "whole": (_column(st.integers(-(2**55), 2**55), missing=draw(st.booleans())), pl.Int64, empty),
        "real": (_column(reals, missing=draw(st.booleans())), pl.Float64, empty),
        "day": (_column(DAYS, missing=draw(st.booleans())), pl.Date, empty),
        "text": (_column(TEXTS, missing=draw(st.booleans())), pl.String, empty),
        "grade": (_column(st.sampled_from(GRADES), missing=draw(st.booleans())), pl.String,
                  {**empty, "kind": "ordered", "domain": GRADES}),
        "leaf": (_column(st.sampled_from([row[0] for row in TREE]), missing=draw(st.booleans())), pl.String,
                 {**empty, "hierarchy": TREE}),
    }  # fmt: skip
    chosen = draw(st.lists(st.sampled_from(sorted(kinds)), min_size=1, max_size=4, unique=True))
    sensitive = draw(st.sampled_from(sorted(kinds)))
    columns = {name: {"role": "quasi", **kinds[name][2]} for name in chosen}
    data = {name: pl.Series(draw(kinds[name][0]), dtype=kinds[name][1]) for name in chosen}
    data["secret"] = pl.Series(draw(kinds[sensitive][0]), dtype=kinds[sensitive][1])
    columns["secret"] = {"role": "sensitive", **kinds[sensitive][2]}
    data["as is"] = pl.Series(
        draw(_column(st.one_of(reals, st.none()), missing=draw(st.booleans()))), dtype=pl.Float64
    )
    columns["as is"] = {"role": "other"}
    # Mostly somebody else's in every record: pseudonyms that link records are refused.
    who = TEXTS | st.none() if draw(st.booleans()) else TEXTS
    unique = draw(st.integers(0, 4)) > 0
    names = st.lists(who, min_size=ROWS, max_size=ROWS, unique=unique)
    data["who"] = pl.Series(draw(names), dtype=pl.String)
    columns["who"] = {"role": "identifier", "action": "pseudonym"}
    policy = {
        "columns": columns,
        "privacy": [{"model": "k-anonymity", "k": draw(st.integers(1, 4))}],
        "method": draw(st.sampled_from(["mondrian", "local-recoding"])),
        "form": {"recoding": draw(st.sampled_from(["tight", "hierarchy", "set"]))},
        "output": {"format": draw(st.sampled_from(KINDS)), "numeric_pairs": draw(st.booleans())},
        "withhold": {"at_most": 1},
    }
    return pl.DataFrame(data), policy


def _regions(release: lk.Release) -> list[list[Any]]:
    """Region of every published row, column by column."""
    shown = release.publication
    return [[cells.regions[cells.of[number]] for number in shown.identities] for cells in shown.cells]


@pytest.mark.slow
@settings(deadline=None, max_examples=20, suppress_health_check=[HealthCheck.too_slow])
@given(cases(), st.integers(0, 2**32))
def test_written_is_proven(case: tuple[pl.DataFrame, dict[str, Any]], seed: int) -> None:
    frame, policy = case
    release, refusal = None, ""
    try:
        release = lk.anonymize(frame, policy, seed=seed)
    except (CannotBeMetError, lk.InvalidError) as problem:
        refusal = str(problem)
        if "a pseudonym would link them" in refusal:
            event("pseudonyms link records")
            assert frame["who"].drop_nulls().is_duplicated().any()
            return
    event("refused" if release is None else "released")
    if release is None:
        assert any(
            word in refusal
            for word in ("every value is missing", "every record has a missing", "cannot be met")
        )
        return
    with tempfile.TemporaryDirectory() as place:
        folder = release.write(Path(place) / "out")
        again = lk.verify(folder, frame)
        assert again.ok, again
        assert lk.verify(folder / "public").ok
        opened = lk.open_release(folder)
        assert _regions(opened) == _regions(release)
