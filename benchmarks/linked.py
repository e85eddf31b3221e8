"""Two tables that buckets link beside one table: the search, publishing and proving, and memory, on the same people."""

from __future__ import annotations

import tracemalloc
from typing import TYPE_CHECKING, Any

import numpy as np

import likeness as lk
from benchmarks import tables
from benchmarks.clock import best_of, unit
from likeness import registry
from likeness.encode import describe_columns, encode
from likeness.exact import rational
from likeness.forms.base import as_labelled
from likeness.models.alpha_k_anonymity import AlphaKAnonymity
from likeness.progress import Progress
from likeness.proving.proof import prove
from likeness.solve import Solution, solve
from likeness.tables import read

if TYPE_CHECKING:
    from pathlib import Path

    from likeness.encode import Encoded
    from likeness.methods.base import Method
    from likeness.models.base import PrivacyModel

SIZE = lk.KAnonymity(5)


def beside_one_table(folder: Path, rows: int, repeat: int) -> None:
    """Time ANGEL and Mondrian on Adult resampled: six quasi-identifiers and occupation."""
    adult = tables.adult_rows(folder)
    columns = tables.adult_columns(adult, tables.QUASI_6)
    encoded = encode(read(tables.resampled(adult, rows)), lk.Policy(columns=columns, privacy=SIZE))
    for asked in (AlphaKAnonymity(k=5, alpha="1/2"), lk.BetaLikeness(4)):
        alone = _stages(encoded, lk.Mondrian(), [SIZE], repeat)
        _print(f"Mondrian, k = 5 alone, {rows:,}", rows, alone, None)
        _print(f"angel, {asked.name}", rows, _stages(encoded, lk.Angel(), [SIZE, asked], repeat), alone)


def _stages(encoded: Encoded, method: Method, models: list[PrivacyModel], repeat: int) -> dict[str, float]:
    """Seconds of the search, and of publishing and proving; bytes a person that the search holds at most."""
    data, form = encoded.data, registry.create("forms", method.form, {})
    policy = lk.Policy(columns={name: {"role": role} for name, role in encoded.roles.items()}, privacy=models)

    def search() -> Solution:
        return solve(method, data, models, np.random.default_rng(0), rational(0), Progress())

    found = search()

    def publish() -> Any:
        published = form.publish(data, found.plan, found.recoding, np.random.default_rng(0))
        columns = describe_columns(encoded, policy, form, found.plan.published, published.tables)
        texts = {
            name: {key: as_labelled(column) for key, column in table.items()}
            for name, table in published.tables.items()
        }
        verdict = prove(form.read(texts, columns), models)
        assert verdict.ok  # noqa: S101  # what is timed is a proof
        return verdict

    seconds = {"search": best_of(repeat, search), "publish and prove": best_of(repeat, publish)}
    tracemalloc.start()
    search()
    publish()
    seconds["bytes a person"] = tracemalloc.get_traced_memory()[1] / data.size
    tracemalloc.stop()
    return seconds


def _print(what: str, rows: int, found: dict[str, float], against: dict[str, float] | None) -> None:
    """Print the stages in units of one argsort, and against those of one table."""
    argsort = unit(rows)
    stages = ("search", "publish and prove")
    shown = "  ".join(f"{name} {found[name] / argsort:.1f}" for name in stages)
    ratio = (
        ""
        if against is None
        else "  against one table: " + ", ".join(f"{found[name] / against[name]:.2f}" for name in stages)
    )
    print(f"{what:52}{shown}  bytes a person {found['bytes a person']:.0f}{ratio}", flush=True)
