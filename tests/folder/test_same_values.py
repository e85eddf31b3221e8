"""Published texts are compared with the original as values, not as spellings."""

from __future__ import annotations

from datetime import date

import numpy as np
import polars as pl
import pytest

from likeness.folder.origin import exact_codes, same_cells
from likeness.microdata.domain import Domain
from likeness.tables import Labelled, read


@pytest.mark.parametrize(
    ("values", "texts", "expected"),
    [
        (["a", "", None, "b"], ["a", "", "", "c"], [True, True, True, False]),
        (["01", "1"], ["1", "1"], [False, True]),
        ([1, None, -3], ["1", "", "3"], [True, True, False]),
        ([1e-7, 0.1, None], ["1e-07", "0.10000000000000001", "0"], [True, True, False]),
        ([True, False, True], ["true", "False", "1"], [True, True, False]),
        ([1.5, 2.5], ["word", ""], [False, False]),
    ],
)
def test_same_cells(values: list[object], texts: list[str], expected: list[bool]) -> None:
    table = read(pl.DataFrame({"x": values}, strict=False))
    column = table.encode("x", missing=(), kind="text" if table.is_text("x") else None)
    labels = list(dict.fromkeys(texts))
    shown = Labelled(np.array([labels.index(text) for text in texts], np.int32), labels)
    assert same_cells(column, np.arange(len(values)), shown).tolist() == expected


def test_dates() -> None:
    column = read(pl.DataFrame({"x": [date(2024, 2, 29)]})).encode("x")
    shown = Labelled(np.array([0, 1], np.int32), ["2024-02-29", "2024-03-01"])
    assert same_cells(column, np.array([0, 0]), shown).tolist() == [True, False]


def test_rows_are_looked_up() -> None:
    column = read(pl.DataFrame({"x": ["a", "b", "c"]})).encode("x")
    shown = Labelled(np.array([0, 1], np.int32), ["c", "a"])
    assert same_cells(column, np.array([2, 0]), shown).all()


def test_exact_codes() -> None:
    original = Domain("x", "real", np.array([0.5, 1.0, 2.0]), "interval", missing=True)
    shown = Domain("x", "real", np.array([1.0, 3.0]), "interval", missing=True)
    assert exact_codes(shown, original).tolist() == [1, -1, 3]
    without = Domain("x", "real", np.array([0.5]), "interval")
    assert exact_codes(shown, without).tolist() == [-1, -1, -1]
