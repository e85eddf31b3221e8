"""What the variants lose at equal β, beside every Mondrian."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import likeness as lk
from likeness.datasets.census import Census
from likeness.datasets.files import census_income

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

BETAS = [1, 2, 3, 4, 5]
CUTS = ["widest", "all", "least-loss"]


def lost(table: pl.DataFrame, sensitive: str, privacy: lk.PrivacyModel, method: lk.Method) -> float:
    columns = {name: lk.sensitive() if name == sensitive else lk.quasi() for name in table.columns}
    policy = lk.Policy(columns=columns, privacy=privacy, method=method, withhold={"at_most": 0})
    return float(lk.anonymize(table, policy, seed=1).loss("ail")["ail"])


def check_lowest(table: pl.DataFrame, sensitive: str, beta: int, *, below_others: float) -> dict[str, float]:
    """The default loses at most so much of what the best of the others loses."""
    model = lk.BetaLikeness(beta)
    best = lost(table, sensitive, model, lk.Burel())
    others = {cut: lost(table, sensitive, model, lk.Mondrian(cut=cut)) for cut in CUTS}
    others["paper"] = lost(table, sensitive, model, lk.Burel(variant="paper"))
    others["dmondrian"] = lost(table, sensitive, lk.DeltaDisclosure(beta=beta), lk.Mondrian(cut="all"))
    assert best <= below_others * min(others.values()), (best, others)
    return others


@pytest.mark.slow
@pytest.mark.parametrize("beta", BETAS)
@pytest.mark.parametrize("quasi", [3, 5])
def test_census(quasi: int, beta: int):
    table = Census().generate(20_000, seed=1)
    columns = ["age", "gender", "education", "marital_status", "work_class"][:quasi]
    table = table.select(*columns, "salary_class")
    others = check_lowest(table, "salary_class", beta, below_others=0.8)
    mirror = lost(table, "salary_class", lk.BetaLikeness(beta), lk.Burel(variant="mirror"))
    assert mirror < others["paper"]


@pytest.mark.slow
@pytest.mark.parametrize("beta", BETAS)
def test_census_income(data_folder: Path, beta: int):
    table = census_income(data_folder).select("age", "sex", "education", "major_occupation")
    check_lowest(table, "major_occupation", beta, below_others=0.6)
