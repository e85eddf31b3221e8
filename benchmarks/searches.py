"""Searches timed by themselves: full-domain optima beside ARX's, and how clustering grows with the table."""

from __future__ import annotations

from time import process_time
from typing import TYPE_CHECKING

import numpy as np

import likeness as lk
from benchmarks import tables
from benchmarks.clock import best_of, unit
from likeness.encode import encode
from likeness.methods.base import Problem
from likeness.methods.danonyir.run import Run, lay_out_limits
from likeness.methods.danonyir.space import lay_out_space
from likeness.microdata.regions import LOSSES
from likeness.models.requirements import require, require_of
from likeness.tables import read

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

    from likeness.methods.base import Method
    from likeness.microdata.data import Microdata

ARX = ((8, 0, 14, 0.625), (8, 1, 173, 0.169), (9, 1, 1450, 0.228))
"""Quasi-identifiers, share that may be withheld, ARX's time in units, its loss (granularity, withheld records at 1)."""


def problem(data: Microdata, k: int, allowance: int) -> Problem:
    """What a method is asked."""
    requirements = require([lk.KAnonymity(k)], data.sensitive, data.sensitive_codes)
    return Problem(data, requirements, LOSSES["glm"], np.random.default_rng(0), None, allowance)


def full_domain(folder: Path, repeat: int) -> None:
    """Time Incognito's optimum on Adult."""
    table = tables.adult_rows(folder)
    for attributes, share, arx, loss in ARX:
        names = (*tables.QUASI_8, "occupation")[:attributes]
        columns = tables.adult_columns(table, names, folder)
        data = encode(read(table), lk.Policy(columns=columns, privacy=lk.KAnonymity(5))).data
        asked = problem(data, 5, int(share * data.size))
        method = lk.Incognito()
        plan = method.run(asked)
        seconds = best_of(repeat, lambda asked=asked, method=method: method.run(asked))
        what = f"Incognito k=5, Adult, {attributes}, {'withheld freely' if share else 'nobody withheld'}"
        print(
            f"{what:52}{data.size:>10,}{seconds:>10.3f}{seconds / unit(data.size):>8.1f}{plan.count:>9,}"
            f"{plan.history['loss']:>9.5f}  ARX {loss}, {arx:,}",
            flush=True,
        )


def clustering(folder: Path, rows: tuple[int, ...], method: Method, against: str = "") -> None:
    """Time a clustering method on Adult, resampled to several sizes."""
    table = tables.adult_rows(folder)
    for size in rows:
        own: pl.DataFrame = table[:size] if size <= table.height else tables.resampled(table, size)
        columns = tables.adult_columns(table, ("age", "sex", "native-country"))
        data = encode(read(own), lk.Policy(columns=columns, privacy=lk.KAnonymity(2))).data
        asked = problem(data, 2, 0)
        plan = method.run(asked)
        seconds = best_of(1, lambda asked=asked: method.run(asked))
        print(
            f"{f'{method.name} k=2, Adult, 3':52}{size:>10,}{seconds:>10.3f}{seconds / unit(size):>8.1f}"
            f"{plan.count:>9,}{'':>9}  {against}",
            flush=True,
        )


def individuals(rows: tuple[int, ...]) -> None:
    """Time DAnonyIR on generated patients with several records each (Wang et al.'s table has 456,767)."""
    models = (lk.EirLDiversity(6), lk.IrKlAnonymity(6, 6), lk.EirAlphaBetaAnonymity(0.6, 0.4))
    for size in rows:
        data = _patients(size)
        for model in models:
            requirements = require_of([model], data)
            asked = Problem(data, requirements, LOSSES["glm"], np.random.default_rng(0))
            for variant in ("paper", "best"):
                method = lk.Danonyir(variant)
                plan = method.run(asked)
                # Randomness goes on: another run begins its classes with others, and takes as long.
                seconds = best_of(1, lambda asked=asked, method=method: method.run(asked))
                name = f"danonyir ({variant}) {model.name}, 6"
                print(
                    f"{name:52}{size:>10,}{seconds:>10.3f}{seconds / unit(size):>8.1f}"
                    f"{plan.count:>9,}{'':>9}  {data.size:,} individuals",
                    flush=True,
                )


def deciding(rows: int) -> None:
    """Time what deciding EIR l-diversity costs: one run of DAnonyIR, and the same run again with its decisions given."""
    data = _patients(rows)
    asked = Problem(data, require_of([lk.EirLDiversity(6)], data), LOSSES["glm"], np.random.default_rng(0))
    limits, order = lay_out_limits(asked), np.random.default_rng(0).permutation(data.size)
    decided, seconds = None, []
    # The first run compiles.
    for given in (False, False, True):
        run = Run(lay_out_space(data), limits, order, decided if given else None)
        begin = process_time()
        run.cluster(asked.progress)
        seconds.append(process_time() - begin)
        decided = run.state.decided
    print(
        f"{'danonyir EIR 6, deciding / the same run given its decisions':52}{rows:>10,}"
        f"{seconds[1]:>10.3f}{seconds[1] / seconds[2]:>8.2f}  {data.size:,} individuals",
        flush=True,
    )


def _patients(rows: int) -> Microdata:
    """Encode generated patients, with six quasi-identifiers and their diagnoses as a plain set."""
    told = lk.Informs().policy(6)
    told["columns"]["diagnosis"] = {"role": "sensitive"}
    return encode(read(lk.Informs().generate(rows, seed=1)), lk.Policy(**told)).data.people
