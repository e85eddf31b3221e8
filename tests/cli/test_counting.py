"""Commands by engines that count."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

from likeness.cli import main
from likeness.cli._making import people_line

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.slow
def test_people_are_told_of_whoever_counts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The summaries of `anonymize` and `check` say by every engine what became of people."""
    rng = np.random.default_rng(2)
    people = rng.integers(0, 60, 150)
    source = tmp_path / "in"
    source.mkdir()
    pl.DataFrame(
        {
            "who": people,
            "age": 20 + people % 30,
            "dx": pl.Series(["flu", "cold", "hiv"]).gather(rng.integers(0, 3, 150)),
        }
    ).write_csv(source / "a.csv")
    (tmp_path / "policy.yaml").write_text(
        "columns: {who: {role: identifier}, age: {role: quasi}, dx: {role: sensitive}}\n"
        "individual: who\nprivacy: [{model: ir-k-anonymity, k: 4}]\n"
    )
    told = {}
    for engine in ("memory", "streaming"):
        for command in ("anonymize", "check"):
            out = ("-o", str(tmp_path / engine)) if command == "anonymize" else ()
            words = (
                command,
                str(source),
                str(tmp_path / "policy.yaml"),
                *out,
                "--seed",
                "1",
                "--engine",
                engine,
            )
            again = ("--overwrite",) if command == "anonymize" else ()
            assert main([*words, "--format", "json"]) == 0
            found = json.loads(capsys.readouterr().out)
            told[engine, command] = found["individuals"], found["smallest_class"]
            assert main([*words, *again]) == 0
            said = capsys.readouterr().out
            assert people_line(found["individuals"])[0] in said
            assert f"the smallest of {found['smallest_class']} individuals" in said
    assert len({json.dumps(one, sort_keys=True) for one in told.values()}) == 1
    assert told["memory", "check"][0]["published"] > 40
