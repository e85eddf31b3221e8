"""What the best known method loses beside every method that was tried: ``python -m benchmarks.choosing``."""

from __future__ import annotations

from time import process_time
from typing import TYPE_CHECKING, Any

import likeness as lk
from benchmarks import tables
from likeness.choosing import KEPT

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars as pl

GUARANTEES = (
    lk.KAnonymity(5),
    lk.DistinctLDiversity(3),
    lk.BetaLikeness(1),
    lk.BetaLikeness(2),
    lk.BetaLikeness(4),
    lk.BetaLikeness(4) & lk.KAnonymity(5),
    lk.TCloseness("0.05"),
    lk.TCloseness("0.2"),
)


def main() -> None:
    """Print one line a table and guarantee: processor seconds, and the loss of each method tried, the kept one in brackets."""
    for name, table, columns in _tables():
        for privacy in GUARANTEES:
            policy = lk.Policy(columns=columns, privacy=privacy)
            begun = process_time()
            release = lk.anonymize(table, policy, seed=1)
            seconds = process_time() - begun
            tried = [one for one in release.private.candidates if one.loss is not None]
            least = min(one.loss for one in tried if one.loss is not None)
            kept = next(one for one in tried if one.outcome == KEPT)
            if kept.loss != least:
                raise SystemExit(f"{name}: kept {kept.loss}, tried {least}")
            losses = "  ".join(
                f"[{one.method.name} {one.loss:.4f}]"
                if one.outcome == KEPT
                else f"{one.method.name} {one.loss:.4f}"
                for one in tried
            )
            print(f"{name:22} {privacy!s:42} {seconds:6.1f} s  {losses}", flush=True)


def _tables() -> Iterator[tuple[str, pl.DataFrame, dict[str, Any]]]:
    """Give generated census, and Adult with and without hierarchies where the real tables are."""
    for rows in (10_000, 500_000):
        table, columns = tables.census(rows)
        yield f"census, {rows:,}", table, columns
    folder = tables.data_folder()
    if folder is None:
        return
    table = tables.adult_rows(folder)
    for quasi in (tables.QUASI_3, tables.QUASI_6, tables.QUASI_8):
        for hierarchies in (None, folder):
            shape = "hierarchies" if hierarchies else "plain"
            yield f"Adult, {len(quasi)}, {shape}", table, tables.adult_columns(table, quasi, hierarchies)


if __name__ == "__main__":
    main()
