"""The commands and how one is run: a function's docstring is its help, whatever happens becomes an exit code and lines."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

from cyclopts import App, Group, Parameter

from likeness._version import __version__
from likeness.cli._console import console
from likeness.errors import LikenessError, suggestion
from likeness.placing import undo_all

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from types import FrameType

COMMANDS = (
    "demo",
    "profile",
    "check",
    "compare",
    "strongest",
    "weakest",
    "anonymize",
    "apply",
    "verify",
    "measure",
    "attack",
    "risk",
    "dossier",
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
        # A hyphen alone is a value, a file or standard input, and no option; cyclopts takes it for one.
        words = ["./-" if word == "-" else word for word in tokens]
        return app(words, exit_on_error=False, print_error=False)

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
    from likeness import docstrings

    return "\n\n".join(" ".join(part.splitlines()) for part in docstrings.description(run).split("\n\n"))


def examples_of(run: Callable[..., Any]) -> str:
    """Take the examples of a docstring, for the end of the help.

    Examples
    --------
    >>> from likeness.cli.demo import demo
    >>> examples_of(demo).splitlines()[:2]
    ['Examples:', '  likeness demo']
    """
    from likeness import docstrings

    found = docstrings.examples(run)
    lines = [f"  {line}".rstrip() for line in found.splitlines() if line != "::"]
    return "\n".join(["Examples:", *lines]) if found else ""


USAGE, DEFECT, INTERRUPTED, CLOSED = 2, 70, 130, 141
ENDS = {"SIGINT": (INTERRUPTED, "interrupted"), "SIGTERM": (143, "terminated"), "SIGHUP": (129, "hung up")}
_ENDING = [one for one in signal.Signals if one.name in ENDS]
"""Signals that end a command; there are systems without SIGHUP."""
NOTHING_LEFT = "; nothing half-written was left"
SHOW_CURSOR = "\r\x1b[K\x1b[?25h"
"""Wipes the line away on which progress was drawn, and shows the cursor again."""


def main(tokens: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    tokens
        The words behind ``likeness``; those the process was started with when left out: then the process is the
        command's own, and Ctrl-C, SIGTERM and SIGHUP end it at once, with nothing half-written left.

    Returns
    -------
    int
        The exit code, as `likeness.cli` lists them.

    Examples
    --------
    >>> main(["show", "k-anonymty"])
    2
    """
    console.begin()
    if tokens is None:
        _listen()
        _fill_closed()
    try:
        with console.gathering():
            code = _run(sys.argv[1:] if tokens is None else list(tokens))
            console.flush()
    except LikenessError as problem:
        _trace()
        return _refuse(problem.lines, problem.exit_code)
    except KeyboardInterrupt:
        _trace()
        return _refuse([f"interrupted{_left()}"], INTERRUPTED)
    except BrokenPipeError:
        _close_stdout()
        return CLOSED
    except OSError as problem:
        _trace()
        _close_stdout()
        where = "" if problem.filename is None else f"{problem.filename}: "
        return _refuse([f"{where}cannot be read or written ({problem.strerror or problem})"], USAGE)
    except MemoryError:
        _trace()
        return _refuse(["there is not enough memory for this; try with fewer columns or records"], USAGE)
    except Exception as problem:  # noqa: BLE001  # no user of a command ever sees a traceback unasked
        _trace()
        kind = f"{type(problem).__name__}: " if str(problem) else type(problem).__name__
        line = " ".join(f"{kind}{problem}".split())
        return _refuse([f"a defect of likeness: {line} (--traceback shows where; please report it)"], DEFECT)
    return code


def _run(tokens: list[str]) -> int:
    """Parse the words and run the command they name."""
    from cyclopts import CycloptsError, MissingArgumentError, UnknownCommandError, UnusedCliTokensError

    try:
        code = build(tokens)(tokens, exit_on_error=False, print_error=False)
    except UnknownCommandError as problem:
        name = (problem.unused_tokens or [""])[0]
        return _refuse([f"there is no command {name!r}{suggestion(name, COMMANDS)}"], USAGE)
    except CycloptsError as problem:
        command = " ".join(("likeness", *(problem.command_chain or ())))
        line = " ".join(str(problem).split()).rstrip(".")
        if isinstance(problem, UnusedCliTokensError):
            line = f"too many arguments: {' '.join(problem.unused_tokens or [])}"
        elif isinstance(problem, MissingArgumentError) and problem.argument is not None:
            # An option without its value is there, and said to require one.
            there = problem.keyword is not None or problem.argument.tokens
            line = line if there else f"{problem.argument.name} is missing"
        return _refuse([f"{line}; see {command} --help"], USAGE)
    return code if isinstance(code, int) else 0


def _refuse(problems: Sequence[str], code: int) -> int:
    """Print one line a problem, and below it what is to be pasted somewhere."""
    for problem in problems:
        first, *below = problem.splitlines() or [""]
        console.error(first)
        for line in below:
            console.paste(line)
    return code


def _trace() -> None:
    """Show the traceback, to those who asked for it."""
    if console.tracebacks:
        traceback.print_exc()


def _close_stdout() -> None:
    """Let what cannot be written to stdout go nowhere: Python would try once more when it ends, and complain."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fill_closed() -> None:
    """Put something in the place of streams that were closed by whoever started the process (``>&-``).

    Python has None there, and a file that is opened later could get their number, and what is written to it. What is written
    to stdout fails as on a full disk, for somebody asked for it; what is said on stderr goes nowhere.
    """
    for name, mode, access in (
        ("stdin", "r", os.O_RDONLY),
        ("stdout", "w", os.O_RDONLY),
        ("stderr", "w", os.O_WRONLY),
    ):
        if vars(sys)[name] is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, access), mode, encoding="utf-8"))


def _left() -> str:
    """Say what an interruption left."""
    return f"{NOTHING_LEFT}; {console.if_interrupted}" if console.if_interrupted else NOTHING_LEFT


def _listen() -> None:
    """End the process cleanly on what ends a command, unless whoever started it wants that ignored."""
    for number in _ENDING:
        if signal.getsignal(number) in {signal.default_int_handler, signal.SIG_DFL}:
            signal.signal(number, _end)


def _end(number: int, frame: FrameType | None) -> NoReturn:
    """Undo what is unfinished and end the process at once (`likeness.placing` says why not by an exception)."""
    for other in _ENDING:
        signal.signal(other, signal.SIG_IGN)
    undo_all()
    if console.tracebacks:
        traceback.print_stack(frame)
    code, what = ENDS[signal.Signals(number).name]
    # Not through sys.stderr: the signal may have come while something was being written there.
    os.write(2, f"{SHOW_CURSOR if os.isatty(2) else ''}error: {what}{_left()}\n".encode())
    os._exit(code)
