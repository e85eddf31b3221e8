"""From a function to a command: its docstring is its help, examples included."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cyclopts import App, Parameter

from likeness import docstrings

if TYPE_CHECKING:
    from collections.abc import Callable


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
        help=description_of(run),
        help_format="plaintext",
        help_epilogue=examples_of(run),
    )
    made.default(run)
    return made


def description_of(run: Callable[..., Any]) -> str:
    """Take what a docstring says before its sections, one line a paragraph: terminals break lines themselves.

    Examples
    --------
    >>> description_of(description_of).partition(": ")[2]
    'terminals break lines themselves.'
    """
    return "\n\n".join(" ".join(part.splitlines()) for part in docstrings.description(run).split("\n\n"))


def examples_of(run: Callable[..., Any]) -> str:
    """Take the examples of a docstring, for the end of the help.

    Examples
    --------
    >>> from likeness.cli.demo import demo
    >>> examples_of(demo).splitlines()[:2]
    ['Examples:', '  likeness demo']
    """
    found = docstrings.examples(run)
    lines = [f"  {line}".rstrip() for line in found.splitlines() if line != "::"]
    return "\n".join(["Examples:", *lines]) if found else ""
