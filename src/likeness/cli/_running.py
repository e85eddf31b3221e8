"""Run a command; turn whatever happens into an exit code and one line per problem."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from typing import TYPE_CHECKING, NoReturn

from likeness.cli._console import console
from likeness.errors import LikenessError, suggestion
from likeness.placing import undo_all

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType

USAGE, DEFECT, INTERRUPTED, CLOSED = 2, 70, 130, 141
ENDS = {signal.SIGINT: (INTERRUPTED, "interrupted"), signal.SIGTERM: (143, "terminated")}
NOTHING_LEFT = "; nothing half-written was left"
SHOW_CURSOR = "\r\x1b[K\x1b[?25h"
"""Wipes the line away on which progress was drawn, and shows the cursor again."""


def main(tokens: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    tokens
        The words behind ``likeness``; those the process was started with when left out: then the process is the
        command's own, and Ctrl-C and SIGTERM end it at once, with nothing half-written left.

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
    try:
        with console.gathering():
            code = _run(sys.argv[1:] if tokens is None else list(tokens))
            sys.stdout.flush()
    except LikenessError as problem:
        _trace()
        return _refuse(problem.lines, problem.exit_code)
    except KeyboardInterrupt:
        _trace()
        return _refuse([f"interrupted{NOTHING_LEFT}"], INTERRUPTED)
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
        return _refuse(["there is not enough memory for this; try with fewer columns or records"], DEFECT)
    except Exception as problem:  # noqa: BLE001  # no user of a command ever sees a traceback unasked
        _trace()
        kind = f"{type(problem).__name__}: " if str(problem) else type(problem).__name__
        line = " ".join(f"{kind}{problem}".split())
        return _refuse([f"a defect of likeness: {line} (--traceback shows where; please report it)"], DEFECT)
    return code


def _run(tokens: list[str]) -> int:
    """Parse the words and run the command they name."""
    from cyclopts import CycloptsError, UnknownCommandError

    from likeness.cli._app import COMMANDS, build

    try:
        code = build(tokens)(tokens, exit_on_error=False, print_error=False)
    except UnknownCommandError as problem:
        name = (problem.unused_tokens or [""])[0]
        return _refuse([f"there is no command {name!r}{suggestion(name, COMMANDS)}"], USAGE)
    except CycloptsError as problem:
        command = " ".join(("likeness", *(problem.command_chain or ())))
        line = " ".join(str(problem).split()).rstrip(".")
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


def _listen() -> None:
    """End the process cleanly on Ctrl-C and SIGTERM, unless whoever started it wants them ignored."""
    for number, ordinary in ((signal.SIGINT, signal.default_int_handler), (signal.SIGTERM, signal.SIG_DFL)):
        if signal.getsignal(number) is ordinary:
            signal.signal(number, _end)


def _end(number: int, frame: FrameType | None) -> NoReturn:
    """Undo what is unfinished and end the process at once (`likeness.placing` says why not by an exception)."""
    for other in (signal.SIGINT, signal.SIGTERM):
        signal.signal(other, signal.SIG_IGN)
    undo_all()
    if console.tracebacks:
        traceback.print_stack(frame)
    code, what = ENDS[signal.Signals(number)]
    # Not through sys.stderr: the signal may have come while something was being written there.
    os.write(2, f"{SHOW_CURSOR if os.isatty(2) else ''}error: {what}{NOTHING_LEFT}\n".encode())
    os._exit(code)
