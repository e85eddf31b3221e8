"""An independent check of a release of a large table, by groups of polars: nothing here asks likeness."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import Any

import polars as pl
from tests.properties.plain_regions import Field, read

import likeness as lk

SLIP = 1e-12
"""Floats decide here; the exact decisions are checked on small tables."""


def columns_of(
    frame: pl.DataFrame, quasi: list[str], recoding: str, trees: dict[str, Path]
) -> dict[str, Field]:
    """The quasi-identifiers as a plain reader knows them."""
    found = {}
    for name in quasi:
        kind = "integer" if frame[name].dtype.is_integer() or name == "age" else "categorical"
        kind = "date" if frame[name].dtype == pl.Date else kind
        paths = None
        if name in trees:
            kind = "hierarchical"
            with trees[name].open(newline="", encoding="utf-8") as lines:
                paths = {row[0]: row for row in csv.reader(lines, delimiter=";")}
        found[name] = Field(name, kind, [], {"hierarchy": []}, None, paths)
    return found


def check_rows(
    release: lk.Release, frame: pl.DataFrame, fields: dict[str, Field], sensitive: list[str], recoding: str
) -> None:
    """Check that every row is a generalization of one original, with its sensitive values, and nobody is lost."""
    private = release.private
    rows = private.encoded.data.rows[private.rows["release"]]
    published = release.table
    plan = private.solution.plan
    assert pl.Series(rows).is_unique().all()
    assert published.height == len(rows)
    assert published.height + plan.withheld + sum(private.encoded.dropped.values()) == frame.height
    assert sum(plan.withheld_because.values()) == plan.withheld
    original = frame[rows]
    for name in sensitive:
        assert (published[name].cast(pl.String) == original[name].cast(pl.String)).all()
    for name, field in fields.items():
        pairs = pl.DataFrame({"text": published[name], "cell": original[name]}).unique()
        regions = {text: read(text, field, recoding) for text in pairs["text"].unique()}
        for text, cell in pairs.rows():
            own = int(cell) if field.kind == "integer" else cell
            assert regions[text].holds(own), f"{name}: {text!r} does not hold {cell!r}"


def counts(published: pl.DataFrame, quasi: list[str], sensitive: str) -> pl.DataFrame:
    """One row per class and value: share ``q`` in the class, ``p`` in the table, ``size`` of the class, ``len``."""
    found = published.group_by(*quasi, sensitive).len()
    sizes = found.group_by(quasi).agg(pl.col("len").sum().alias("size"), pl.len().alias("values"))
    table = published.group_by(sensitive).agg((pl.len() / published.height).alias("p"))
    joined = found.join(sizes, on=quasi, nulls_equal=True).join(table, on=sensitive, nulls_equal=True)
    assert joined.height == found.height
    return joined.with_columns((pl.col("len") / pl.col("size")).alias("q"))


def smallest_class(published: pl.DataFrame, quasi: list[str]) -> int:
    """Records of the smallest class."""
    return published.group_by(quasi).len()["len"].min()


def check_beta(found: pl.DataFrame, beta: float) -> None:
    """Enhanced β-likeness: ``q <= p (1 + min(β, -ln p))``."""
    cap = found["p"] * (1 + pl.select(pl.min_horizontal(pl.lit(beta), -found["p"].log())).to_series())
    assert (found["q"] <= cap + SLIP).all()


def check_t(found: pl.DataFrame, quasi: list[str], t: float) -> None:
    """t-closeness with equal distances: half of all that differs, absent values included."""
    differs = found.group_by(quasi).agg(((pl.col("q") - pl.col("p")).abs().sum() + 1 - pl.col("p").sum()) / 2)
    assert (differs["q"] <= t + SLIP).all()


def check_delta(found: pl.DataFrame, sensitive: str, delta: float) -> None:
    """δ-disclosure: every value in every class, its share changed by less than a factor of e^δ."""
    assert (found["values"] == found[sensitive].n_unique()).all()
    assert ((found["q"] / found["p"]).log().abs() < delta + SLIP).all()


def check_entropy(found: pl.DataFrame, quasi: list[str], l: float) -> None:  # noqa: E741
    """Entropy l-diversity."""
    entropies = found.group_by(quasi).agg(-(pl.col("q") * pl.col("q").log()).sum())
    assert (entropies["q"] >= math.log(l) - SLIP).all()


def check_recursive(found: pl.DataFrame, quasi: list[str], c: float, l: int) -> None:  # noqa: E741
    """Recursive (c, l)-diversity."""
    ranked = found.group_by(quasi).agg(pl.col("len").sort(descending=True))
    tail = ranked["len"].list.slice(l - 1).list.sum()
    assert (ranked["len"].list.first() < c * tail).all()


def policy(quasi: list[str], sensitive: list[str], trees: dict[str, Path], **given: Any) -> lk.Policy:
    """A policy for some columns."""
    columns = {name: lk.quasi(hierarchy=str(trees[name])) if name in trees else lk.quasi() for name in quasi}
    return lk.Policy(columns=columns | {name: lk.sensitive() for name in sensitive}, **given)
