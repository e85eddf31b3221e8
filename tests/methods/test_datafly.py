"""Datafly: the column with most values climbs; what may be withheld is; the same as a plain loop over records."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.methods.test_incognito import GUARANTEES, tables
from tests.oracles import full_domain

import likeness as lk
from likeness.methods.base import Problem
from likeness.methods.datafly import Datafly
from likeness.microdata.regions import LOSSES
from likeness.models.requirements import require


def plainly(data: Any, problem: Problem) -> list[int] | None:
    """Levels by the book, passing over levels that join nothing."""
    columns = [full_domain.levels(domain, "glm") for domain in data.quasi]
    at = [0] * len(columns)

    def texts(j: int, level: int) -> list[str]:
        return [columns[j][level][int(code)][0] for code in data.codes[j]]

    while True:
        keys = list(zip(*(texts(j, level) for j, level in enumerate(at)), strict=True))
        numbers = {key: i for i, key in enumerate(dict.fromkeys(keys))}
        classes = np.array([numbers[key] for key in keys])
        good = problem.holding(classes, len(numbers))
        failing = sum(n for key, n in Counter(keys).items() if not good[numbers[key]])
        if failing <= problem.allowance and failing < data.size:
            return at
        open_columns = []
        for j, level in enumerate(at):
            now = len(set(texts(j, level)))
            above = [x for x in range(level + 1, len(columns[j])) if len(set(texts(j, x))) < now]
            if above:
                open_columns.append((-now, j, above[0]))
        if not open_columns:
            return None
        _, j, level = min(open_columns)
        at[j] = level


@pytest.mark.slow
@pytest.mark.parametrize("guarantee", GUARANTEES)
@given(data=tables(), share=st.sampled_from([0, 0.3, 1]))
@settings(deadline=None, max_examples=40)
def test_it_climbs_as_the_book_says(guarantee, data, share):
    requirements = require(GUARANTEES[guarantee], data.sensitive, data.sensitive_codes)
    allowance = int(share * data.size)
    problem = Problem(data, requirements, LOSSES["glm"], np.random.default_rng(0), None, allowance)
    plan = Datafly().run(problem)
    expected = plainly(data, problem)
    if expected is None:
        assert not plan.published.any()
        return
    assert list(plan.history["levels"].values()) == expected
    assert plan.withheld <= allowance
    assert problem.holding(plan.classes, plan.count).all()


def test_the_column_with_most_values_climbs_first():
    table = pl.DataFrame({"zip": ["10", "11", "20", "21"], "sex": list("ffmm"), "disease": list("abab")})
    columns = {"zip": lk.quasi(hierarchy={"prefix": 2}), "sex": lk.quasi(), "disease": lk.sensitive()}
    release = lk.anonymize(table, lk.Policy(columns=columns, privacy=lk.KAnonymity(2), method=lk.Datafly()))
    assert sorted(release.table.select("zip", "sex").rows()) == [("1*", "f")] * 2 + [("2*", "m")] * 2
    assert release.private.solution.plan.history == {"levels": {"zip": 1, "sex": 0}, "climbed": ["zip"]}
