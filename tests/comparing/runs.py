"""Comparisons without processes: of runs as they could have been."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

import likeness as lk
from likeness.comparing import ComparedRun, Comparison
from likeness.comparing.run import Attacked, RunLimits
from likeness.searching.scale import find_lever
from likeness.tables import read

if TYPE_CHECKING:
    from collections.abc import Sequence

TABLE = pl.DataFrame({"age": list(range(40)), "disease": ["flu", "cold"] * 20})
COLUMNS = {"age": lk.quasi(), "disease": lk.sensitive()}
POLICY = lk.Policy(columns=COLUMNS, privacy=lk.KAnonymity(5))
LIMITS = RunLimits(600.0, 10**9)


def run(method: str, k: int, loss: float | None, held: float | None = None, **more: Any) -> ComparedRun:
    """A run that made a release, or with an ``outcome`` of its own did not."""
    figures: dict[str, Any] = {"outcome": "made", "records": 40, "form": "generalized", "made_by": method}
    figures |= {"seconds": 0.5, "memory": 10**8, "limits": LIMITS, "attacks": {"linkage": Attacked(0.2, 0.1)}}
    figures |= {"loss": {} if loss is None else {"ncp-total": loss, "utility": 1 - loss}}
    figures |= {"strength": {} if held is None else {"k-anonymity.k": held}}
    return ComparedRun(method, {}, {"k-anonymity.k": k}, **(figures | more))


def comparison(
    runs: Sequence[ComparedRun], *, loss: str = "ncp-total", table: Any = TABLE, policy: lk.Policy = POLICY
) -> Comparison:
    """A comparison of such runs."""
    policies = tuple(
        policy.replace(privacy=lk.KAnonymity(int(one.asked["k-anonymity.k"])), method=_named(one), seed=3)
        for one in runs
    )
    return Comparison(tuple(runs), (find_lever(policy, "k"),), loss, policy, policies, *_named_table(table))


def _named_table(table: Any) -> tuple[str, str]:
    told = read(table)
    return told.source, told.library


def _named(one: ComparedRun) -> str | None:
    return None if one.method == "best" else one.method
