"""What commands print."""

from __future__ import annotations

import io
import json
import sys
from fractions import Fraction

import numpy as np

from likeness.cli._console import Console, plain


def test_json_holds_what_parts_give():
    value = {"a": Fraction(3), "b": np.float64(0.5), "c": np.int64(2), "d": (np.inf, None), "e": {1: True}}
    assert json.loads(json.dumps(plain(value), allow_nan=False)) == {
        "a": "3",
        "b": 0.5,
        "c": 2,
        "d": ["inf", None],
        "e": {"1": True},
    }


def test_what_an_encoding_lacks_does_not_end_the_run(monkeypatch):
    buffer = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(buffer, encoding="ascii"))
    Console().data("β = 4")
    sys.stdout.flush()
    assert buffer.getvalue() == b"\\u03b2 = 4\n"


def test_progress_is_silent_where_nobody_watches(capsys):
    console = Console()
    with console.gathering(), console.progress() as progress:
        progress.step("search", 0, 1)
        progress.note("a column was renamed")
        assert capsys.readouterr().err == ""
    assert capsys.readouterr().err == "note: a column was renamed\n"
