"""How far releases are from the least loss: ``python -m benchmarks.optimum``; proven optima, lower bounds, tiny tables."""

from __future__ import annotations

from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

import likeness as lk
from benchmarks import tables
from likeness.choosing import EFFORTS
from likeness.errors import LikenessError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

OTHERS: tuple[Any, ...] = (None, "local-recoding", "k-member")
GUARANTEES = (
    lk.KAnonymity(2),
    lk.KAnonymity(3),
    lk.DistinctLDiversity(2),
    lk.TCloseness("0.35"),
    lk.BetaLikeness(1),
    lk.EntropyLDiversity("1.8"),
)


def proven(folder: Path) -> None:
    """Print, of Adult × 3 with the hierarchies, the optimum under k = 5, its time, and what other methods lose beyond it."""
    for rows in (300, 1_000, 5_000):
        table = tables.adult_rows(folder).head(rows)
        columns = tables.adult_columns(table, tables.QUASI_3, folder)
        form = {"name": "generalized", "recoding": "hierarchy"}
        policy = lk.Policy(columns=columns, privacy=lk.KAnonymity(5), form=form, method=lk.Optimal("ncp"))
        begun = perf_counter()
        release = lk.anonymize(table, policy, seed=1)
        seconds = perf_counter() - begun
        least = release.loss("ncp-total")["ncp-total"]
        history = release.private.solution.plan.history
        told = "proven" if history["proven"] else f"bound {history['lower_bound']:.5f}"
        others = [
            f"{method or 'default'} {_lost(table, policy.replace(method=method)) / least - 1:+.1%}"
            for method in OTHERS
        ]
        bound = release.lower_bound("ncp").value / least
        print(
            f"{rows:>6,}  NCP {least:.5f} {told}, {seconds:5.1f} s  bound {bound:.0%}  {'  '.join(others)}",
            flush=True,
        )


def gaps(folder: Path) -> None:
    """Print what today's default loses of Adult in sets (GLM, k = 5), and the lower bound."""
    table = tables.adult_rows(folder)
    for quasi in (tables.QUASI_3, tables.QUASI_6, tables.QUASI_8):
        policy = lk.Policy(columns=tables.adult_columns(table, quasi), privacy=lk.KAnonymity(5))
        release = lk.anonymize(table, policy, seed=1)
        loss = release.loss("glm")["glm"]
        begun = process_time()
        bound = release.lower_bound("glm")
        seconds = process_time() - begun
        print(
            f"Adult × {len(quasi)}: loss {loss:.5f}, bound {bound.value:.5f} ({bound.found_by}), gap {bound.gap(loss):.1%}, "
            f"{seconds:.1f} s",
            flush=True,
        )


def tiny(number: int) -> None:
    """Print how far each effort and k-member are from the exact optimum of tables of 6 to 12 records, on average and at worst."""
    for privacy in GUARANTEES:
        ratios: dict[str, list[float]] = {name: [] for name in (*EFFORTS, "k-member")}
        for table in _tables(number):
            columns = {"age": lk.quasi(), "job": lk.quasi(), "town": lk.quasi(), "sick": lk.sensitive()}
            policy = lk.Policy(
                columns=columns, privacy=privacy, method=lk.Optimal("ncp"), withhold={"at_most": 0}
            )
            try:
                release = lk.anonymize(table, policy, seed=1)
            except LikenessError:
                continue
            least = release.loss("ncp")["ncp"]
            if not release.private.solution.plan.history["proven"] or least <= 0:
                continue
            others = {effort: policy.replace(method=None, effort=effort) for effort in EFFORTS}
            for name, other in (others | {"k-member": policy.replace(method="k-member")}).items():
                try:
                    ratios[name].append(_lost(table, other) / least)
                except LikenessError:
                    continue
        told = "  ".join(
            f"{name} {np.mean(own):.3f} (best in {np.mean(np.array(own) < 1 + 1e-9):.0%}, worst {max(own):.2f})"
            for name, own in ratios.items()
            if own
        )
        print(f"{privacy!s:32} {len(ratios['normal']):>4} tables  {told}", flush=True)


def _lost(table: pl.DataFrame, policy: lk.Policy) -> float:
    """NCP per record, withheld ones at 1."""
    return lk.anonymize(table, policy, seed=1).loss("ncp-total")["ncp-total"]


def _tables(number: int) -> Iterator[pl.DataFrame]:
    """Give tables of 6 to 12 records of a number, two sets and a sensitive value."""
    rng = np.random.default_rng(7)
    for _ in range(number):
        n = int(rng.integers(6, 13))
        yield pl.DataFrame(
            {
                "age": rng.integers(20, 32, n),
                "job": [f"job {own}" for own in rng.integers(0, 3, n)],
                "town": [f"town {own}" for own in rng.integers(0, 4, n)],
                "sick": [f"sick {own}" for own in rng.integers(0, 3, n)],
            }
        )


def report(folder: Path | None, number: int) -> None:
    """Print all of it; what needs the real tables where they are."""
    if folder is not None:
        proven(folder)
        gaps(folder)
    tiny(number)


if __name__ == "__main__":
    report(tables.data_folder(), 200)
