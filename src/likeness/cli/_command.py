"""From a function to a command: its docstring is its help, examples included."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from cyclopts import App, Parameter

if TYPE_CHECKING:
    from collections.abc import Callable

HEADING = "Examples\n--------\n"


def command(run: Callable[..., Any]) -> App:
    """Make a command of a function.

    Parameters
    ----------
    run
        Named for the command; its parameters are the arguments and options, its docstring, numpydoc, the help. What it
        returns is the exit code; None is 0.

    Returns
    -------
    App
        Which `likeness.cli._app` finds under the name ``command`` in the command's file.
    """
    made = App(
        name=run.__name__.rstrip("_"),
        default_parameter=Parameter(negative=()),
        help=description_of(run.__doc__ or ""),
        help_format="plaintext",
        help_epilogue=examples_of(run.__doc__ or ""),
    )
    made.default(run)
    return made


def description_of(docstring: str) -> str:
    r"""Take what a docstring says before its sections, one line a paragraph: terminals break lines themselves.

    Examples
    --------
    >>> description_of("Do it.\n\n    Now,\n    not later.\n\n    Parameters\n    ----------\n    x\n    ")
    'Do it.\n\nNow, not later.'
    """
    paragraphs = []
    for paragraph in inspect.cleandoc(docstring).split("\n\n"):
        lines = paragraph.splitlines()
        if len(lines) > 1 and set(lines[1]) == {"-"}:
            break
        paragraphs.append(" ".join(lines))
    return "\n\n".join(paragraphs)


def examples_of(docstring: str) -> str:
    r"""Take the examples of a docstring, for the end of the help.

    Examples
    --------
    >>> examples_of("Do it.\n\n    Examples\n    --------\n    likeness demo\n    ")
    'Examples:\n  likeness demo'
    """
    _, found, examples = inspect.cleandoc(docstring).partition(HEADING)
    lines = [f"  {line}".rstrip() for line in examples.strip().splitlines() if line != "::"]
    return "\n".join(["Examples:", *lines]) if found else ""
