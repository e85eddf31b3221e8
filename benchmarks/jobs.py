"""Runs of `anonymize` that are timed: a table, a policy, and what they are held against."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

import likeness as lk
from benchmarks import tables


@dataclass(frozen=True)
class Job:
    """One timed run and what it is held against."""

    what: str
    table: pl.DataFrame
    policy: lk.Policy
    against: str


def jobs(scale: int) -> list[Job]:
    """All timed runs; those on Adult only where the real tables are."""
    census, columns = tables.census(500_000 // scale)
    found = [
        Job(
            "BUREL as published, β=4, census, 3",
            census,
            policy(columns, lk.BetaLikeness(4), lk.Burel("paper")),
            "aim 15",
        ),
        Job("BUREL, default, β=4, census, 3", census, policy(columns, lk.BetaLikeness(4), lk.Burel()), ""),
        Job(
            "LMondrian (every median) β=4, census, 3",
            census,
            policy(columns, lk.BetaLikeness(4), lk.Mondrian(cut="all")),
            "the paper: BUREL takes half",
        ),
        Job(
            "DMondrian, δ of β=4, census, 3",
            census,
            policy(columns, lk.DeltaDisclosure(beta=4), lk.Mondrian(cut="all")),
            "the paper: BUREL takes half",
        ),
        Job(
            "perturbation, β=4, census, 3", census, policy(columns, lk.BetaLikeness(4), lk.Perturbation()), ""
        ),
        Job(
            "Mondrian least-loss β=4, census, 3",
            census,
            policy(columns, lk.BetaLikeness(4), lk.Mondrian()),
            "",
        ),
    ]
    folder = tables.data_folder()
    if folder is None:
        print("LIKENESS_DATA: the folder of real tables is not here; Adult is left out\n")
        return found
    adult = tables.adult_rows(folder)
    big = tables.resampled(adult, 1_000_000 // scale)
    six = tables.adult_columns(adult, tables.QUASI_6)
    found += [
        Job(
            "Mondrian widest k=10, Adult resampled, 6",
            big,
            policy(six, lk.KAnonymity(10), lk.Mondrian(cut="widest")),
            "aim 15",
        ),
        Job(
            "Mondrian all k=10, Adult resampled, 6",
            big,
            policy(six, lk.KAnonymity(10), lk.Mondrian(cut="all")),
            "",
        ),
        Job(
            "Mondrian least-loss k=10, Adult resampled, 6",
            big,
            policy(six, lk.KAnonymity(10), lk.Mondrian()),
            "aim 40",
        ),
    ]
    for quasi, arx_k, arx_beta in (
        (tables.QUASI_3, "6.5", "28"),
        (tables.QUASI_6, "", ""),
        (tables.QUASI_8, "274", "7,400"),
    ):
        columns = tables.adult_columns(adult, quasi)
        d = len(quasi)
        against_k = f"ARX local recoding {arx_k}" if arx_k else ""
        against_beta = f"ARX {arx_beta}" if arx_beta else ""
        found += [
            Job(
                f"Mondrian least-loss k=5, Adult, {d}",
                adult,
                policy(columns, lk.KAnonymity(5), lk.Mondrian()),
                against_k,
            ),
            Job(
                f"Mondrian least-loss β=4, Adult, {d}",
                adult,
                policy(columns, lk.BetaLikeness(4), lk.Mondrian()),
                against_beta,
            ),
        ]
    tree = tables.adult_columns(adult, tables.QUASI_8, folder)
    found += [
        Job(
            "Mondrian k=5, Adult, 8 with hierarchies (ncp)",
            adult,
            policy(tree, lk.KAnonymity(5), lk.Mondrian(loss="ncp")),
            "ARX .033",
        ),
        Job(
            "local recoding k=5, Adult, 8 with hierarchies",
            adult,
            policy(tree, lk.KAnonymity(5), lk.LocalRecoding()),
            "ARX .033, 274",
        ),
    ]
    return found


def policy(columns: dict[str, Any], privacy: Any, method: Any) -> lk.Policy:
    """A policy that withholds nobody."""
    return lk.Policy(columns=columns, privacy=privacy, method=method, withhold={"at_most": 0})
