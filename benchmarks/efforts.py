"""Time and loss of policies that name no method, at every effort, from 10⁴ to 10⁶ records: ``python -m benchmarks.efforts``."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

import likeness as lk
from benchmarks import tables
from benchmarks.clock import unit

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars as pl

EFFORTS = ("quick", "normal")


def growth(rows: tuple[int, ...]) -> None:
    """Print a line a table, guarantee and size: units and loss of each effort, and how much longer `normal` takes."""
    for privacy in (lk.KAnonymity(5), lk.BetaLikeness(4)):
        for name, table, columns in _tables(rows):
            told, taken = [], []
            sort = unit(table.height)
            for effort in EFFORTS:
                policy = lk.Policy(columns=columns, privacy=privacy, effort=effort)
                lk.anonymize(table.head(1_000), policy, seed=1)
                begun = perf_counter()
                release = lk.anonymize(table, policy, seed=1)
                taken.append(perf_counter() - begun)
                loss = release.loss("ncp-total")["ncp-total"]
                made = release.private.method.label
                told.append(
                    f"{effort} {taken[-1] / sort:,.0f} units, {taken[-1]:.1f} s, NCP {loss:.5f} ({made})"
                )
            times = f"{taken[1] / taken[0]:.1f} times"
            print(f"{privacy!s:20} {name:22}{table.height:>10,}  {'  '.join(told)}  {times}", flush=True)


def _tables(rows: tuple[int, ...]) -> Iterator[tuple[str, pl.DataFrame, dict[str, Any]]]:
    """Give generated census with five quasi-identifiers, and Adult resampled where the real tables are."""
    census, _ = tables.census(max(rows))
    roles = {name: lk.sensitive() if name == "salary_class" else lk.quasi() for name in census.columns}
    folder = tables.data_folder()
    for size in rows:
        yield "census, generated, 5", census.head(size), roles
        if folder is not None:
            adult = tables.resampled(tables.adult_rows(folder), size)
            yield "Adult, resampled, 6", adult, tables.adult_columns(adult, tables.QUASI_6)


if __name__ == "__main__":
    growth((10_000, 100_000, 1_000_000))
