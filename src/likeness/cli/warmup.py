"""``likeness warmup``: compile what is compiled once, by small releases of every method."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from likeness.cli._app import command as as_command
from likeness.cli._console import console
from likeness.errors import LikenessError
from likeness.wording import count

if TYPE_CHECKING:
    from collections.abc import Iterator

_MODELS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("k-anonymity", {"k": 2}),
    ("distinct-l-diversity", {"l": 2}),
    ("eir-l-diversity", {"l": 2}),
    ("eir-alpha-beta-anonymity", {"alpha": "0.9", "beta": "0.9"}),
    ("beta-likeness", {"beta": 9}),
    ("t-closeness", {"t": "0.9"}),
)
_ROWS = 48


def small_releases() -> Iterator[str]:
    """Make a small release by every method, of people with one record and with several, under the models it takes.

    Yields
    ------
    str
        What is made next.
    """
    import polars as pl

    from likeness import registry
    from likeness.anonymization import anonymize
    from likeness.policy import Policy, identifier, quasi, sensitive

    columns = {
        "who": identifier(),
        "age": quasi(),
        "zip": quasi(hierarchy={"prefix": 2}),
        "illness": sensitive(),
    }
    table = pl.DataFrame(
        {
            "who": [f"p{i // 2}" for i in range(_ROWS)],
            "age": [20 + (i // 2) * 7 % 40 for i in range(_ROWS)],
            "zip": [f"{10 + (i // 2) % 3}" for i in range(_ROWS)],
            "illness": ["flu", "cold", "gout", "cough", "angina"] * (_ROWS // 5) + ["flu"] * (_ROWS % 5),
        }
    )
    for name in registry.names("methods"):
        for model, parameters in _MODELS:
            about_people = registry.load("models", model).about_individuals
            if about_people and not registry.load("methods", name).takes_individuals:
                continue
            yield f"{name}, {model}"
            try:
                policy = Policy(
                    columns=columns,
                    privacy=registry.create("models", model, parameters),
                    method={"name": name},
                    withhold={"at_most": 1},
                    individual="who" if about_people else None,
                )
                anonymize(table, policy, seed=1)
            except LikenessError:
                # This method does not take this model, or wants parameters: nothing of it to compile.
                continue


def warmup() -> None:
    """Compile the kernels, so that the first run on this machine is as fast as every other.

    They are kept on disk until likeness is upgraded or the kind of processor changes; NUMBA_CACHE_DIR says where, beside
    the installed package when it is not set.

    Examples
    --------
    likeness warmup
    """
    from importlib import import_module
    from pathlib import Path
    from time import perf_counter

    from likeness import kernels

    # Kernels of one subject stand beside it.
    root = Path(kernels.__path__[0]).parent
    files = sorted({*root.rglob("kernels.py"), *root.rglob("kernels/[!_]*.py")})
    names = [".".join(["likeness", *file.relative_to(root).with_suffix("").parts]) for file in files]
    begin = perf_counter()
    with console.progress() as progress:
        for done, name in enumerate(names):
            progress.step("compiling the kernels", done, len(names))
            import_module(name)
        for name in small_releases():
            progress.step(f"compiling the kernels: {name}", 0, 1)
    console.say(f"kernels are ready: {count(len(names), 'file')} ({perf_counter() - begin:.1f} s)")


command = as_command(warmup)
