"""The commands, and what every one of them understands; a function's docstring is the help of its command."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import App, Group, Parameter

from likeness import docstrings
from likeness._version import __version__
from likeness.cli._console import console

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

COMMANDS = (
    "demo",
    "profile",
    "check",
    "strongest",
    "weakest",
    "anonymize",
    "verify",
    "measure",
    "attack",
    "generate",
    "list",
    "show",
    "schema",
    "warmup",
)
"""In the order of a steward's work; each is the file of its name."""

ANYWHERE = Group("Anywhere", sort_key=99)

EPILOGUE = """
Examples:
  likeness demo
  likeness profile patients.csv -o policy.yaml
  likeness check patients.csv policy.yaml
  likeness anonymize patients.csv policy.yaml -o out/
  likeness verify out/

Exit codes:
  0    done, and verified
  1    a verification or a threshold failed
  2    invalid whatever the data: usage, policy, unreadable input
  3    valid, but this table cannot meet it
  4    nothing is wrong, but from these files nothing could be checked
  70   a defect of likeness
  130  interrupted

Messages go to stderr, what was asked for to stdout.
"""


def build(tokens: Collection[str]) -> App:
    """Make the command line for one run.

    Parameters
    ----------
    tokens
        The words behind ``likeness``. The command that they name is imported when it runs, the others are not. Where
        they name none, the list of commands will be shown, which quotes the docstring of each: then all are imported, and
        none imports anything heavy.

    Returns
    -------
    App
        To be called with the tokens.
    """
    app = App(
        name="likeness",
        version=__version__,
        help="Publish tables about people with a proven privacy guarantee at the least loss of information.",
        help_format="plaintext",
        help_epilogue=EPILOGUE.strip(),
        default_parameter=Parameter(negative=()),
        result_action="return_value",
        suppress_keyboard_interrupt=False,
    )
    named = any(token in COMMANDS for token in tokens)
    for place, name in enumerate(COMMANDS):
        path = f"likeness.cli.{name}"
        if named:
            app.command(f"{path}:command", name=name)
        else:
            known = import_module(path).command
            known.sort_key = place
            app.command(known)

    def launch(
        *tokens: Annotated[str, Parameter(show=False, allow_leading_hyphen=True)],
        quiet: Annotated[bool, Parameter(group=ANYWHERE, show_default=False)] = False,
        traceback: Annotated[bool, Parameter(group=ANYWHERE, show_default=False)] = False,
    ) -> object:
        """Run a command.

        Parameters
        ----------
        quiet
            Say nothing but errors and what was asked for.
        traceback
            Show where an error comes from; also by the environment: LIKENESS_TRACEBACK=1.
        """
        console.quiet = quiet
        console.tracebacks = console.tracebacks or traceback
        return app(tokens, exit_on_error=False, print_error=False)

    meta = app.meta
    meta.default_parameter = Parameter(negative=())
    meta.suppress_keyboard_interrupt = False
    meta.default(launch)
    return meta


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
