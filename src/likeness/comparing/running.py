"""Compare methods over a range of guarantees: run all that is asked for, keep it, and say what follows."""

from __future__ import annotations

import os
from contextlib import closing
from secrets import randbits
from typing import TYPE_CHECKING, Any

import psutil

from likeness.checks import number, whole
from likeness.choosing import LOSS, choose_form
from likeness.comparing.asking import grid_of, runs_asked
from likeness.comparing.comparison import Comparison, limit_at, loss_within
from likeness.comparing.kept import Identity, keeping, seed_kept
from likeness.comparing.pool import WorkerPool
from likeness.comparing.run import ComparedRun, RunLimits
from likeness.encode import encode
from likeness.policy import as_policy
from likeness.progress import Progress
from likeness.randomness import entropy_of
from likeness.tables import Table, read

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from pathlib import Path

    from likeness.comparing.asking import RunAsked
    from likeness.comparing.kept import Kept
    from likeness.encode import Encoded
    from likeness.methods.base import Method
    from likeness.policy import Policy

SECONDS = 600
"""What a run may take unless told otherwise."""
_SHARE_OF_MEMORY = 0.8
"""What all runs at once may hold of this machine's memory, unless told otherwise."""


def compare(
    table: Any,
    policy: Policy | Mapping[str, Any] | str | Path,
    *,
    methods: Sequence[Method | str] | None = None,
    vary: Mapping[str, Iterable[Any]] | None = None,
    loss: str | None = None,
    within: float | str | None = None,
    at: Mapping[str, float | str] | None = None,
    effort: str | Mapping[str, float] | None = None,
    folder: str | Path | None = None,
    overwrite: bool = False,
    jobs: int | None = None,
    time_limit: float = SECONDS,
    memory_limit: int | None = None,
    seed: int | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Compare methods over a range of guarantees: what each loses, how strong it is, what attacks achieve, what it takes.

    Every run makes and proves a release in a worker process, measures it and forgets it.

    Parameters
    ----------
    table, policy, progress
        As for `anonymize`; whether the policy names a method does not matter, but for its parameters.
    methods
        Methods, or their names; ``best`` is the best known one, which is what a policy without a method gets. Left out: it, and
        every method that publishes in the policy's form.
    vary
        Parameters of the guarantee, as for `strongest`, to the values to try; of several parameters every combination. Left out:
        the first that can be varied, at five values around its own.
    loss
        The metric that the frontier and the recommendation are about; left out: what the policy minimizes (``ncp-total``),
        or ``query-error`` where releases of different forms are compared.
    within, at
        What `Comparison.strongest_within` and `Comparison.least_loss_at` will be asked: what no comparison can answer is refused
        before anything runs.
    effort
        As in a policy, for ``best``.
    folder
        Where finished runs are kept, one file each, and what follows from them is written. A comparison that was interrupted
        goes on where it was: finished runs are not repeated, unless they were broken off, or are allowed more than they were
        then. None keeps nothing.
    overwrite
        Begin afresh in a folder that holds a comparison.
    jobs
        How many processes; as many as there are processors when left out.
    time_limit
        Seconds that a run may take: measuring is included and, once on a machine, compiling (``likeness warmup``).
    memory_limit
        Bytes that the process of a run may hold, as it is seen twenty times a second; when left out, 80 % of this machine's
        memory, divided by ``jobs``.
    seed
        Of every run: each makes the release that `anonymize` makes of the same table, policy and seed. Drawn, and kept in the
        folder, when neither this nor the policy gives one.

    Returns
    -------
    Comparison
        All runs, those without a release and why, and what follows. It is for the steward only: its figures come from the
        original.

    Raises
    ------
    InvalidError
        When policy, table, a method or a value is invalid, or the folder holds something else.

    Examples
    --------
    >>> import polars as pl, likeness as lk
    >>> table = pl.DataFrame({"age": list(range(40)), "disease": ["flu", "cold"] * 20})
    >>> policy = lk.Policy(columns={"age": lk.quasi(), "disease": lk.sensitive()}, privacy=lk.KAnonymity(5))
    >>> found = lk.compare(table, policy, methods=["mondrian", "datafly"], vary={"k": [2, 5]}, seed=1, jobs=1)
    >>> found
    Comparison: 4 runs, 2 methods × 2 values of k-anonymity.k; 2 made a release
    >>> [(run.method, run.asked["k-anonymity.k"], round(run.loss["ncp-total"], 3)) for run in found.frontier]
    [('mondrian', 2, 0.041), ('mondrian', 5, 0.103)]
    >>> found.strongest_within(0.05).asked, found.least_loss_at({"k": 3}).asked
    ({'k-anonymity.k': 2}, {'k-anonymity.k': 5})
    >>> found.recommend()
    Recommendation: recommended: mondrian under k-anonymity.k = 5: of the releases that hold the policy's guarantee it has the
    best ncp-total, 0.1026
    """
    progress = progress or Progress()
    original = table if isinstance(table, Table) else read(table)
    told = as_policy(policy)
    limits = _limits(time_limit, memory_limit, jobs := _jobs(jobs))
    if loss is not None:
        loss_within(within, loss, told)
    if effort is not None:
        told.replace(method=None, effort=effort)
    choose_form(told)
    progress.step("encode", 0, 1)
    encoded = encode(original, told.replace(method=None, form=None))
    told = told.naming(encoded.table.names)
    # Whatever lives only in Python is refused here: no other process could have it.
    told.to_mapping()
    seed = _seed(seed, told, folder, overwrite=overwrite)
    grid = grid_of(told, vary, encoded.data.units)
    asked = runs_asked(told, methods, grid, effort, seed)
    if within is not None and loss is None:
        forms = {choose_form(one.policy).name for one in asked}
        # Where forms differ, which ones make a release decides what they are compared by.
        loss_within(within, _default_loss(told, forms) if len(forms) == 1 else None, told)
    for name, value in (at or {}).items():
        limit_at(name, value, told, tuple(grid))
    identity = Identity(encoded.table.digest, f"{entropy_of(encoded, told.replace(seed=0)):064x}", seed)
    with keeping(folder, identity, overwrite=overwrite, source=original.source) as kept:
        runs = _run_all(encoded, asked, identity, kept, WorkerPool(original, jobs, limits), limits, progress)
        found = Comparison(
            tuple(runs),
            tuple(grid),
            loss or _default_loss(told, {run.form for run in runs if run.made}),
            told,
            tuple(one.policy for one in asked),
            original.source,
            original.library,
        )
        kept.finish(found.files(kept.root))
    return found


def _run_all(
    encoded: Encoded,
    asked: Sequence[RunAsked],
    identity: Identity,
    kept: Kept,
    pool: WorkerPool,
    limits: RunLimits,
    progress: Progress,
) -> list[ComparedRun]:
    """Run what was not run before; all runs in the order they were asked for."""
    keys = [identity.key(entropy_of(encoded, one.policy)) for one in asked]
    found: dict[str, ComparedRun] = {}
    waiting = {}
    for key, one in zip(keys, asked, strict=True):
        before = kept.find(key)
        if before is None or before.may_do_better(limits):
            waiting[key] = one
        else:
            found[key] = before
    progress.step("compare", len(found), len(keys))
    runs = (
        (key, ComparedRun(one.name, one.parameters, one.values, ""), one.policy)
        for key, one in waiting.items()
    )
    # Whatever happens here, also what a notebook remembers of it: the processes end.
    with closing(pool.run(runs)) as finished:
        for key, run in finished:
            kept.keep(key, run)
            found[key] = run
            progress.step("compare", len(found), len(keys))
    return [found[key] for key in keys]


def _jobs(given: int | None) -> int:
    """How many processes."""
    if given is not None:
        whole("compare", "jobs", given, at_least=1)
    return given or os.cpu_count() or 1


def _limits(seconds: float, memory: int | None, jobs: int) -> RunLimits:
    """What a run may take."""
    number("compare", "the time limit", seconds, above=0)
    if memory is None:
        memory = int(psutil.virtual_memory().total * _SHARE_OF_MEMORY / jobs)
    whole("compare", "the memory limit", memory, at_least=1)
    return RunLimits(float(seconds), memory)


def _seed(given: int | None, policy: Policy, folder: str | Path | None, *, overwrite: bool) -> int:
    """The seed of all runs: what is given, or what those that are finished had; else one is drawn."""
    if given is not None:
        return policy.replace(seed=given).seed or given
    if policy.seed is not None:
        return policy.seed
    before = None if folder is None or overwrite else seed_kept(folder)
    return randbits(63) if before is None else before


def _default_loss(policy: Policy, forms: Collection[str]) -> str:
    """What losses are compared by: what the policy minimizes; what queries lose where forms differ, for NCP sees regions."""
    if len(forms) > 1:
        return "query-error"
    if policy.minimize is None or policy.minimize.name == LOSS.name:
        return "ncp-total"
    return str(policy.minimize.name)
