"""Where a command speaks: what was asked for on stdout, everything else on stderr.

Plain text for people: tables in columns, numbers, shares; nothing in it moves the cursor.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import warnings
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from likeness.progress import Progress, when_compiling

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

COMPILING = "compiling, once on this machine: a first run may take minutes"
"""Said where no progress is drawn, so that the first run does not seem to hang."""


class Console:
    """What a command says, and to whom.

    Attributes
    ----------
    quiet : bool
        Only errors and what was asked for.
    tracebacks : bool
        Show where errors come from.
    if_interrupted : str
        What to say, beside that nothing half-written was left, where the command is interrupted; empty for nothing.
    """

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Forget an earlier run."""
        self.quiet = False
        self.tracebacks = os.environ.get("LIKENESS_TRACEBACK", "0") not in {"", "0"}
        self.if_interrupted = ""
        self._notes: list[str] = []

    def data(self, text: str) -> None:
        """Print what was asked for."""
        with _naming_stdout():
            sys.stdout.write(encodable(text if text.endswith("\n") else f"{text}\n", sys.stdout.encoding))

    @staticmethod
    def flush() -> None:
        """Let what was printed arrive."""
        with _naming_stdout():
            sys.stdout.flush()

    def lines(self, lines: Iterable[str]) -> None:
        """Print text for people; what could move the cursor, from a table's own cells, becomes an escape."""
        self.data("\n".join(map(printable, lines)))

    def json(self, value: Any) -> None:
        """Print what was asked for as JSON."""
        self.data(json.dumps(plain(value), indent=2, ensure_ascii=False, allow_nan=False))

    def say(self, message: str) -> None:
        """Say how things are going."""
        if not self.quiet:
            self._stderr(message)

    def note(self, message: str) -> None:
        """Say something after the work, once."""
        if message not in self._notes:
            self._notes.append(message)

    def error(self, line: str) -> None:
        """Say what is wrong."""
        self._stderr(f"error: {line}")

    def paste(self, line: str) -> None:
        """Write a line that is to be pasted somewhere, as it is."""
        self._stderr(line)

    @contextmanager
    def gathering(self) -> Iterator[None]:
        """Keep notes and warnings until the work is done, so that they do not tear the progress apart."""
        try:
            with warnings.catch_warnings(record=True) as caught:
                yield
        finally:
            for warning in caught:
                self.note(f"warning: {' '.join(str(warning.message).split())}")
            for note in self._notes:
                self.say(note)
            self._notes.clear()

    @contextmanager
    def progress(self) -> Iterator[Progress]:
        """Give a listener that draws on a terminal and is silent elsewhere, but for what takes minutes once."""
        with suppress(AttributeError):  # there is no such thing on Windows
            # Since polars was loaded, who waits for a thread would not be woken by Ctrl-C.
            signal.siginterrupt(signal.SIGINT, True)
        if self.quiet or not sys.stderr.isatty():

            def tell() -> None:
                self.say(COMPILING)

            when_compiling.append(tell)
            try:
                yield Noting(self)
            finally:
                # What was told is out of the list already.
                when_compiling[:] = [one for one in when_compiling if one is not tell]
            return

        from likeness.cli._progress import drawing  # rich takes longer to import than most commands run

        with drawing(self) as listener:
            yield listener

    @staticmethod
    def _stderr(line: str) -> None:
        """Write a line; stderr never fails to encode."""
        sys.stderr.write(f"{printable(line)}\n")
        sys.stderr.flush()


@contextmanager
def _naming_stdout() -> Iterator[None]:
    """Say of what cannot be written that it is stdout."""
    try:
        yield
    except OSError as problem:
        problem.filename = "stdout"
        raise


class Noting(Progress):
    """A silent listener that keeps notes."""

    def __init__(self, console: Console) -> None:
        self.console = console

    def note(self, message: str) -> None:
        """Keep it until the work is done."""
        self.console.note(f"note: {message}")


console = Console()
"""The console of this process."""


def printable(line: str) -> str:
    r"""Write what is not printable as an escape.

    Examples
    --------
    >>> printable("a\x1b[31mb"), printable("β")
    ('a\\x1b[31mb', 'β')
    """
    if line.isprintable():
        return line
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in line)


def encodable(text: str, encoding: str | None) -> str:
    r"""Write what an encoding lacks as an escape.

    Examples
    --------
    >>> encodable("β", "ascii"), encodable("β", "utf-8")
    ('\\u03b2', 'β')
    """
    name = encoding or "utf-8"
    return text.encode(name, "backslashreplace").decode(name)


def plain(value: Any) -> Any:
    """Turn a value into what JSON holds; infinite numbers become texts.

    Examples
    --------
    >>> from fractions import Fraction
    >>> plain({"beta": Fraction(1, 3), "measured": float("inf"), "of": (1, 2)})
    {'beta': '1/3', 'measured': 'inf', 'of': [1, 2]}
    """
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if abs(value) < float("inf") else str(value)
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    item = getattr(value, "item", None)
    return plain(item()) if callable(item) else str(value)


WIDEST = 32


def cell(text: str, widest: int = WIDEST) -> str:
    r"""Write a value in one short piece; what is not printable as an escape.

    Examples
    --------
    >>> cell("a\nb"), cell("x" * 40, 8)
    ('a\\nb', 'xxxxxxx…')
    """
    shown = printable(text)
    return shown if len(shown) <= widest else f"{shown[: widest - 1]}…"


def number(value: float) -> str:
    """Write six digits at most.

    Examples
    --------
    >>> number(0.25), number(1034122.0), number(float("inf"))
    ('0.25', '1,034,122', '∞')
    """
    if value == float("inf"):
        return "∞"
    return f"{value:,.0f}" if value == round(value) else f"{value:,.6g}"


def beyond(value: float, limit: float) -> tuple[str, str]:
    """Write a value and the limit it is beyond, in six digits where these tell them apart.

    Examples
    --------
    >>> beyond(0.0621515416, 0.05), beyond(0.30000001, 0.3)
    (('0.0621515', '0.05'), ('0.30000001', '0.3'))
    """
    shown = number(value), number(limit)
    return shown if shown[0] != shown[1] else (str(value), str(limit))


def share(value: float) -> str:
    """Write a share in percent; never 0 or 100 when it is not.

    Examples
    --------
    >>> share(0.9992), share(0), share(0.00001)
    ('99.92 %', '0 %', 'under 0.01 %')
    """
    if 0 < value < 1e-4:
        return "under 0.01 %"
    if 1 - 1e-4 < value < 1:
        return "over 99.99 %"
    return f"{100 * value:.2f}".rstrip("0").rstrip(".") + " %"


def parameters(given: dict[str, object]) -> str:
    """Write parameters in a phrase.

    Examples
    --------
    >>> parameters({"k": 5, "sensitive": "disease"})
    'k = 5, sensitive = disease'
    """
    return ", ".join(f"{name} = {value}" for name, value in given.items())
