"""What a report takes of a run, from a table to its release and report: ``python -m benchmarks.reports``."""

from __future__ import annotations

from time import process_time
from typing import TYPE_CHECKING, Any

import likeness as lk
from benchmarks import tables
from likeness.datasets.hospital import Hospital
from likeness.datasets.hospital_visits import HospitalVisits

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import polars as pl

DISEASE = lk.BetaLikeness(4) & lk.KAnonymity(5)
OF_PEOPLE = ({"model": "eir-l-diversity", "l": 4},)
PATIENTS: dict[str, Any] = {
    "zip": lk.quasi(hierarchy={"prefix": 5}),
    "age": lk.quasi(),
    "sex": lk.quasi(),
    "insurance": lk.quasi(),
    "diagnosis": lk.sensitive(),
    "*": lk.drop(),
}
VISITS: dict[str, Any] = {
    "patient_id": lk.identifier(),
    "zip": lk.quasi(hierarchy={"prefix": 5}),
    "birth_date": lk.quasi(kind="date"),
    "sex": lk.quasi(),
    "diagnosis": lk.sensitive(),
    "*": lk.drop(),
}


def shares(folder: Path | None, scale: int = 1) -> None:
    """Print processor seconds of release and report, and the report's part of both; the pages are thrown away."""
    print(f"{'':52}{'rows':>10}{'release':>10}{'report':>9}{'share':>8}{'kB':>8}")
    for name, table, policy in runs(folder, scale):
        begin = process_time()
        release = lk.anonymize(table, policy, seed=1)
        middle = process_time()
        page = release.report()
        end = process_time()
        print(
            f"{name:52}{table.height:>10,}{middle - begin:>10.2f}{end - middle:>9.2f}"
            f"{(end - middle) / (end - begin):>8.0%}{len(page.encode()) / 1000:>8,.0f}",
            flush=True,
        )


def runs(folder: Path | None, scale: int) -> Iterator[tuple[str, pl.DataFrame, lk.Policy]]:
    """Tables and policies: one of every kind of release."""
    for rows in (600, 10_000 // scale):
        yield f"hospital, {rows:,}", Hospital().generate(rows), lk.Policy(columns=PATIENTS, privacy=DISEASE)
        visits = HospitalVisits().generate(rows)
        yield (
            f"hospital, {rows:,}, people with several",
            visits,
            lk.Policy(columns=VISITS, privacy=OF_PEOPLE, individual="patient_id"),
        )
    if folder is None:
        return
    adult = tables.adult_rows(folder)[: 30_162 // scale]
    of_six, of_eight = (tables.adult_columns(adult, quasi) for quasi in (tables.QUASI_6, tables.QUASI_8))
    yield "Adult, 6", adult, lk.Policy(columns=of_six, privacy=DISEASE)
    yield "Adult, 8", adult, lk.Policy(columns=of_eight, privacy=DISEASE)
    perturbation = {"name": "perturbation"}
    yield (
        "Adult, 6, perturbed",
        adult,
        lk.Policy(columns=of_six, privacy=lk.BetaLikeness(4), method=perturbation),
    )
    two = lk.AlphaKAnonymity("1/2", 5)
    yield "Adult, 6, two tables", adult, lk.Policy(columns=of_six, privacy=two, method={"name": "angel"})


if __name__ == "__main__":
    shares(tables.data_folder())
