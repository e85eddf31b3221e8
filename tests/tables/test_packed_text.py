"""Columns of text as codes take no more bytes a cell than their texts need, and say the same."""

from __future__ import annotations

import polars as pl
import pytest

from likeness.tables.columns import as_text, narrowed, packed, packed_text


@pytest.mark.parametrize(("values", "width"), [(1, 1), (255, 1), (256, 2), (65_535, 2), (65_536, 4)])
@pytest.mark.parametrize("null", [False, True])
def test_codes_are_as_narrow_as_the_number_of_texts_allows(values, width, null):
    texts = [f"text {i}" for i in range(values - null)] + [None] * null
    column = pl.Series("name", [*texts, *reversed(texts)], dtype=packed_text())
    found = narrowed(column)
    assert found.name == "name"
    assert found.to_physical().to_frame().schema["name"] == {1: pl.UInt8, 2: pl.UInt16, 4: pl.UInt32}[width]
    assert as_text(found).to_list() == column.cast(pl.String).to_list()
    codes, distinct = packed(found)
    assert [None if code < 0 else distinct[int(code)] for code in codes[:50]] == [*texts, *reversed(texts)][
        :50
    ]
