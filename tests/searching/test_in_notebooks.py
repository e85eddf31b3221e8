"""What a search found, as a notebook shows it."""

from __future__ import annotations

import polars as pl

import likeness as lk


def test_every_value_that_was_tried_is_shown_and_escaped():
    table = pl.DataFrame({"<b>age": [30, 31, 60, 61] * 4, "disease": ["flu", "cold", "gout", "mumps"] * 4})
    columns = {"<b>age": lk.quasi(), "disease": lk.sensitive()}
    policy = lk.Policy(columns=columns, privacy=lk.KAnonymity(2), method="mondrian")
    found = lk.strongest(table, policy, "k", loss={"glm": 0.9}, seed=1)
    shown = found._repr_html_()
    assert shown.startswith(f"<div><b>Searched</b>: {found.parameter} = {found.value:g} (")
    assert shown.count("<tr>") == len(found.tried) + 1
    assert "<b>age" not in shown
