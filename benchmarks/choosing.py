"""What policies without a method lose at every effort, beside every method and the bound: ``python -m benchmarks.choosing``."""

from __future__ import annotations

import argparse
import gzip
from time import process_time
from typing import TYPE_CHECKING, Any

import polars as pl

import likeness as lk
from benchmarks import tables
from papers.identity_reserved.real import informs_2005

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from likeness.models.base import Model

SENSITIVE: tuple[Model, ...] = (
    lk.DistinctLDiversity(3),
    lk.BetaLikeness(1),
    lk.BetaLikeness(4),
    lk.BetaLikeness(4) & lk.KAnonymity(5),
    lk.DeltaDisclosure("1.0"),
    lk.TCloseness("0.05", distance="equal"),
    lk.TCloseness("0.2", distance="equal"),
)
"""What is asked of every sensitive column."""
HIERARCHICAL = lk.TCloseness("0.2", distance="hierarchical")
ORDERED = (lk.TCloseness("0.05", distance="ordered"), lk.TCloseness("0.2", distance="ordered"))
PEOPLE: tuple[dict[str, Any], ...] = (
    {"model": "ir-kl-anonymity", "k": 6, "l": 6},
    {"model": "eir-l-diversity", "l": 6},
    {"model": "eir-alpha-beta-anonymity", "alpha": 0.5, "beta": 0.4},
)
INFORMS: dict[str, Any] = {
    "patient_id": {"role": "identifier"},
    **{name: {"role": "quasi", "kind": "integer"} for name in ("month", "year", "educ_year")},
    **{name: {"role": "quasi"} for name in ("gender", "race", "marry", "poverty", "hispanx")},
    "diagnosis": {"role": "sensitive"},
}
"""What the columns of the real INFORMS mean."""
CENSUS_INCOME = {
    0: "age", 4: "education", 7: "marital status", 10: "race", 12: "sex", 34: "country of birth self",
    8: "major industry", 9: "major occupation", 6: "enrolled", 11: "hispanic origin", 15: "employment", 19: "tax filer",
    22: "household and family", 30: "parents", 35: "citizenship", 36: "own business",
}  # fmt: skip
"""Columns of the real census, by position."""


def main() -> None:
    """Print one line a table and guarantee."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--thorough", action="store_true", help="effort: thorough too, some minutes a line")
    parser.add_argument("--only", default="", help="tables whose name holds this")
    parser.add_argument("--guarantee", default="", help="guarantees whose name holds this")
    chosen = parser.parse_args()
    efforts = ("quick", "normal", "thorough") if chosen.thorough else ("quick", "normal")
    print(
        "NCP per record, withheld ones at 1; processor seconds in brackets; the bound that no release falls below"
    )
    for name, table, policy in rows():
        if chosen.only in name and chosen.guarantee in _told(policy):
            report(name, table, policy, efforts)


def report(name: str, table: Any, policy: lk.Policy, efforts: tuple[str, ...]) -> None:
    """Print what each effort loses, the bound, and what each method loses by itself."""
    told, methods, bound, least = [], "", 0.0, 1.0
    for effort in efforts:
        begun = process_time()
        release = lk.anonymize(table, policy.replace(effort=effort), seed=1)
        seconds = process_time() - begun
        least = release.loss("ncp-total")["ncp-total"]
        told.append(f"{effort} {least:.4f} ({seconds:.1f} s)")
        if effort == "quick":
            bound = float(release.lower_bound("ncp").value)
            tried = [one for one in release.private.candidates if one.loss is not None]
            methods = "  ".join(f"{one.method.name} {one.loss:.4f}" for one in tried)
    gap = f"bound {bound:.4f} (gap {1 - bound / least:.0%})" if least > 0 else "nothing is lost"
    print(f"{name:26} {_told(policy):44} {'  '.join(told)}  {gap}  |  {methods}", flush=True)


def rows() -> Iterator[tuple[str, Any, lk.Policy]]:
    """Give every table with every guarantee."""
    for name, table, columns, further in _tables():
        for privacy in (lk.KAnonymity(5), *SENSITIVE, *further):
            yield name, table, lk.Policy(columns=columns, privacy=privacy)
    patients = lk.Informs().generate(20_000, seed=1)
    asked: dict[str, Any] = lk.Informs().policy(6)
    asked["columns"]["diagnosis"] = {"role": "sensitive"}
    yield from _of_people("INFORMS, generated, 6", patients, asked)
    folder = tables.data_folder()
    if folder is not None:
        yield from _of_people("INFORMS, 8", informs_2005(folder), asked | {"columns": INFORMS})
        yield from _of_many_columns(folder)


def _of_people(name: str, table: pl.DataFrame, asked: dict[str, Any]) -> Iterator[tuple[str, Any, lk.Policy]]:
    """Give a table in which people have several records with what is asked of people."""
    for model in PEOPLE:
        own = asked | {"privacy": [model], "form": {"name": "identity-reserved"}}
        yield name, table, lk.Policy(**own)


def _tables() -> Iterator[tuple[str, pl.DataFrame, dict[str, Any], tuple[Model, ...]]]:
    """Give generated census and hospital, and Adult (sets, hierarchies) and the real census where the real tables are."""
    table, columns = tables.census(10_000)
    yield "census, generated, 3", table, columns, ORDERED
    roles = {name: lk.quasi() for name in ("age", "sex", "insurance", "admitted")}
    roles |= {"zip": lk.quasi(hierarchy={"prefix": 5}), "diagnosis": lk.sensitive()}
    patients = lk.Hospital().generate(10_000, seed=1)
    yield (
        "hospital, generated, 5",
        patients,
        {name: roles.get(name, lk.drop()) for name in patients.columns},
        (),
    )
    folder = tables.data_folder()
    if folder is None:
        return
    adult = tables.adult_rows(folder)
    for quasi in (tables.QUASI_3, tables.QUASI_6, tables.QUASI_8):
        for hierarchies in (None, folder):
            own = tables.adult_columns(adult, quasi, hierarchies)
            further: tuple[Model, ...] = ()
            if hierarchies is not None:
                own["occupation"] = lk.sensitive(
                    hierarchy=str(folder / "adult" / "adult_hierarchy_occupation.csv")
                )
                further = (HIERARCHICAL,)
            shape = "hierarchies" if hierarchies else "sets"
            yield f"Adult, {len(quasi)}, {shape}", adult, own, further
    census = _census_income(folder).head(30_000)
    names = list(CENSUS_INCOME.values())[:6]
    yield "census income, 6", census, _roles(census, names, "major occupation"), ()


def _of_many_columns(folder: Path) -> Iterator[tuple[str, pl.DataFrame, lk.Policy]]:
    """Give Adult with all of ARX's columns, and 5,000 records of many columns, under k-anonymity."""
    adult = tables.adult_rows(folder)
    nine = (*tables.QUASI_8, "occupation")
    for hierarchies in (None, folder):
        own = tables.adult_columns(adult, nine, hierarchies)
        shape = "hierarchies" if hierarchies else "sets"
        yield f"Adult, 9, {shape}", adult, lk.Policy(columns=own, privacy=lk.KAnonymity(5))
    census = _census_income(folder).head(5_000)
    names = [name for name in CENSUS_INCOME.values() if name != "major occupation"]
    for privacy in (lk.KAnonymity(5), lk.BetaLikeness(4), lk.TCloseness("0.2")):
        policy = lk.Policy(columns=_roles(census, names, "major occupation"), privacy=privacy)
        yield f"census income, 5,000 × {len(names)}", census, policy


def _census_income(folder: Path) -> pl.DataFrame:
    """The real census, `?` as a value of its own."""
    file = folder / "census_income" / "census_income_1994_1995_train.csv.gz"
    frame = pl.read_csv(gzip.decompress(file.read_bytes()), has_header=False, infer_schema=False)
    own = frame.select(pl.nth(number).str.strip_chars().alias(name) for number, name in CENSUS_INCOME.items())
    return own.with_columns(pl.col("age").cast(pl.Int64))


def _roles(table: pl.DataFrame, quasi: list[str], sensitive: str) -> dict[str, Any]:
    """Say what columns are."""
    return {
        name: lk.quasi() if name in quasi else lk.sensitive() if name == sensitive else lk.drop()
        for name in table.columns
    }


def _told(policy: lk.Policy) -> str:
    """Name the guarantee."""
    return " & ".join(map(str, policy.privacy))


if __name__ == "__main__":
    main()
