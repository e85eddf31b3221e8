"""Random tables for engines, in files."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from likeness.folder.layout import PARTS, PUBLIC

if TYPE_CHECKING:
    from pathlib import Path

LETTERS = "abcdefgh"
HIERARCHY = {"letters": {"left": list("abcd"), "right": list("efgh")}}


def random_table(rng: np.random.Generator, size: int) -> pl.DataFrame:
    """Numbers, days, letters with a hierarchy, nulls, two sensitive columns; ties everywhere."""
    letters = pl.Series(list(LETTERS)).gather(rng.integers(0, int(rng.integers(2, 9)), size))
    holes = pl.Series(rng.random(size) < 0.1)
    return pl.DataFrame(
        {
            "age": pl.Series(rng.integers(20, 20 + int(rng.integers(2, 30)), size), dtype=pl.Int16),
            "letter": letters.set(holes, None),
            "day": pl.Series(np.datetime64("2020-01-01") + rng.integers(0, 40, size)),
            "weight": pl.Series(np.round(rng.normal(70, 5, size)) / 2).set(
                pl.Series(rng.random(size) < 0.05), float("nan")
            ),
            "disease": pl.Series(["flu", "cold", "HIV", "cough"]).gather(rng.integers(0, 4, size)),
            "pay": pl.Series(rng.integers(1, 5, size)),
            "note": pl.Series(["x", "y"]).gather(rng.integers(0, 2, size)),
        }
    )


def policy_of(privacy: Any, method: Any, **more: Any) -> dict[str, Any]:
    """What the columns mean."""
    return {
        "columns": {
            "age": {"role": "quasi"},
            "letter": {"role": "quasi", "hierarchy": HIERARCHY, "missing": {"policy": "category"}},
            "day": {"role": "quasi"},
            "weight": {"role": "quasi", "missing": {"policy": "drop"}},
            "disease": {"role": "sensitive"},
            "pay": {"role": "sensitive"},
            "note": {"role": "other"},
        },
        "privacy": privacy,
        "method": method,
        "withhold": {"at_most": 0.2},
        "seed": 3,
        **more,
    }


def written(frame: pl.DataFrame, folder: Path, parts: int) -> Path:
    """Write a table in parts of about as many rows."""
    folder.mkdir()
    ends = np.linspace(0, frame.height, parts + 1).astype(int)
    for number in range(parts):
        own = frame[int(ends[number]) : int(ends[number + 1])]
        own.write_parquet(folder / f"part-{number}.parquet")
    return folder


def published(folder: Path) -> Counter[tuple[Any, ...]]:
    """Count the rows of a release in parts."""
    files = sorted((folder / PUBLIC / PARTS).iterdir())
    found: Counter[tuple[Any, ...]] = Counter()
    for path in files:
        frame = pl.read_parquet(path) if path.suffix == ".parquet" else pl.read_csv(path, infer_schema=False)
        found.update(frame.cast(pl.String).fill_null("").rows())
    return found


def shown(release: Any) -> Counter[tuple[Any, ...]]:
    """Count the rows of a release in memory."""
    return Counter(release.table.cast(pl.String).fill_null("").rows())
