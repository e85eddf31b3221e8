"""``likeness compare``: methods over a range of guarantees, side by side."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from likeness.cli._app import command as as_command
from likeness.cli._console import console
from likeness.cli._options import (
    AS_FOUND,
    AS_SAID,
    Format,
    Overwrite,
    PolicyPath,
    Reading,
    RecordsReading,
    Seed,
    TablePath,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from likeness.comparing import ComparedRun
    from likeness.errors import Refusal

_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


def size(text: str) -> int:
    """Read a number of bytes.

    Parameters
    ----------
    text
        A number, with KB, MB, GB or TB behind it.

    Raises
    ------
    InvalidError
        When it is none.

    Examples
    --------
    >>> size("1.5GB"), size("800 MB"), size("4096")
    (1500000000, 800000000, 4096)
    """
    import re

    from likeness.errors import InvalidError

    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)B?", text.strip(), re.IGNORECASE)
    if found is None:
        raise InvalidError(f"--memory-limit: give a number of bytes, such as 4GB; got {text!r}")
    return int(float(found[1]) * _UNITS[found[2].upper()])


def compare(
    table: TablePath,
    policy: PolicyPath,
    /,
    *,
    output: Annotated[Path, Parameter(name=["--output", "-o"])],
    methods: Annotated[list[str] | None, Parameter(name="--methods")] = None,
    vary: Annotated[list[str] | None, Parameter(name="--vary")] = None,
    loss: str | None = None,
    within: float | None = None,
    at: Annotated[list[str] | None, Parameter(name="--at")] = None,
    effort: str | None = None,
    jobs: int | None = None,
    time_limit: float = 600,
    memory_limit: str | None = None,
    overwrite: Overwrite = False,
    seed: Seed = None,
    format: Format = "text",  # noqa: A002  # the option's name
    reading: Reading = AS_FOUND,
    records: RecordsReading = AS_SAID,
) -> None:
    """Compare methods over a range of guarantees: what each loses, how strong it is, what attacks achieve, what it takes.

    Every run makes and proves a release in a worker process, measures it and forgets it. Finished runs are kept in the
    folder: the same command goes on where it was interrupted. Runs without a release are kept with the reason. The folder tells
    which releases no other one is better than, recommends one, and has the policy that gives it (policy.yaml).

    All of it comes from the original: keep the folder private.

    Parameters
    ----------
    output
        The folder of the comparison.
    methods
        The methods, with commas between, or one with its parameters (NAME:key=value,…); may be given several times. best is the
        best known one. Left out: it, and every method that publishes in the policy's form.
    vary
        A parameter of the guarantee and its values, such as k=2,5,10,20,50; may be given several times, for every combination.
        Left out: the first that can be varied, around its own value.
    loss
        The metric that the frontier and the recommendation are about; what the policy minimizes when left out.
    within
        Also find the strongest guarantee whose loss is at most this.
    at
        Also find the least loss of what holds this much of a parameter, such as k=5; may be given several times.
    effort
        quick, normal or thorough, for best.
    jobs
        How many processes; as many as there are processors when left out.
    time_limit
        Seconds that a run may take; once on a machine compiling is among them, which likeness warmup does beforehand.
    memory_limit
        What the process of a run may hold, such as 4GB; when left out, 80 % of this machine's memory, divided by --jobs.

    Examples
    --------
    likeness compare patients.csv policy.yaml -o comparison/
    likeness compare patients.csv policy.yaml -o comparison/ --methods best,burel,mondrian --vary beta=1,2,4,8
    likeness compare patients.csv policy.yaml -o comparison/ --within 0.2 --at k=10
    likeness compare patients.csv policy.yaml -o comparison/ --vary k=2,5,10 --time-limit 60 --memory-limit 2GB --jobs 4
    """
    from likeness.cli._options import pair
    from likeness.comparing import compare as run
    from likeness.errors import CannotBeMetError

    values = dict(pair(one, "--vary") for one in vary or [])
    held: dict[str, float | str] = dict(pair(one, "--at") for one in at or [])
    console.if_interrupted = f"finished runs are kept in {output}; the same command goes on"
    with console.progress() as progress:
        found = run(
            reading.read(table),
            records.of(policy),
            methods=None if methods is None else _methods(methods),
            vary={name: given.split(",") for name, given in values.items()} or None,
            loss=loss,
            within=within,
            at=held,
            effort=effort,
            folder=output,
            overwrite=overwrite,
            jobs=jobs,
            time_limit=time_limit,
            memory_limit=None if memory_limit is None else size(memory_limit),
            seed=seed,
            progress=progress,
        )
    console.if_interrupted = ""
    questions = {
        "strongest_within": None if within is None else partial(found.strongest_within, within),
        "least_loss_at": partial(found.least_loss_at, held) if held else None,
    }
    answers, refusals = _answers(questions)
    if format == "json":
        told = {name: run.to_json() for name, run in answers.items()}
        console.json(found.to_json() | told | {"folder": str(output)})
    else:
        answered = [f"{name.replace('_', ' ')}: {run}" for name, run in answers.items()]
        console.lines([*str(found).splitlines(), *answered])
    console.say(f"wrote {output}; it is the steward's alone: open {output}/private/comparison.html")
    if not found.compared:
        found.recommend()  # says why there is none
    if refusals:
        raise CannotBeMetError(*refusals)
    console.say(f"next: likeness anonymize {reading.said(table)} {output}/policy.yaml -o out/")


def _answers(
    questions: Mapping[str, Callable[[], ComparedRun] | None],
) -> tuple[dict[str, ComparedRun], list[Refusal]]:
    """Ask what is asked; what has no answer is said when all else is."""
    from likeness.errors import CannotBeMetError

    answers: dict[str, ComparedRun] = {}
    refusals: list[Refusal] = []
    for name, ask in questions.items():
        try:
            if ask is not None:
                answers[name] = ask()
        except CannotBeMetError as problem:
            refusals += problem.refusals
    return answers, refusals


def _methods(given: list[str]) -> list[Any]:
    """Read methods: names with commas between, or one with its parameters."""
    from likeness import registry
    from likeness.cli._options import part

    found: list[Any] = []
    for one in given:
        if ":" in one:
            name, parameters = part(one)
            found.append(registry.create("methods", name, parameters))
        else:
            found += [name.strip() for name in one.split(",")]
    return found


command = as_command(compare)
