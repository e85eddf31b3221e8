"""Small releases whose measures are known by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from tests.metrics.tables import evaluate

from likeness.metrics.mini_table import mini_table
from likeness.microdata.domain import Domain

if TYPE_CHECKING:
    from likeness.metrics.base import Evaluation

MINI = mini_table()
"""Rows (20, M) (30, M) | (40, F) (50, M) (60, F); flu, flu | flu, ulcer, ulcer."""
LEVELS = mini_table(hierarchies=True)
NOTHING = mini_table(withheld=5)
NOTHING_LEVELS = mini_table(hierarchies=True, withheld=5)


def five_points(classes: list[int]) -> Evaluation:
    """Points (0, 0), (1, 0), (0, 1), (1, 1), (4, 4)."""
    x = Domain("x", "integer", np.array([0, 1, 4]), "interval", low=0, high=4)
    codes = [[0, 1, 0, 1, 2], [0, 0, 1, 1, 2]]
    return evaluate((x, replace(x, name="y")), codes, [0] * 5, classes)


def one_column(domain: Domain, codes: list[int], classes: list[int]) -> Evaluation:
    """A single quasi-identifier."""
    return evaluate((domain,), [codes], [0] * len(codes), classes)


def constant(*, classes: list[int]) -> Evaluation:
    """Three records of one value, as a number and as a text."""
    number = Domain("number", "integer", np.array([7]), "interval", low=7, high=7)
    text = Domain("text", "categorical", np.array(["a"]), "set")
    return evaluate((number, text), [[0, 0, 0], [0, 0, 0]], [0, 1, 1], classes)


def number_or_missing(classes: list[int]) -> Evaluation:
    """Ages 10, 20, missing, missing."""
    age = Domain("age", "integer", np.array([10, 20]), "interval", low=10, high=20, missing=True)
    return one_column(age, [0, 1, 2, 2], classes)
