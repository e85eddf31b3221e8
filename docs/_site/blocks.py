"""The blocks of a page, and how each is run: by the tests, and by the build of the site where it shows what came of them.

A block's language says what it is. ``sh``, or none, is commands that must succeed. ``console`` is commands behind ``$`` with
what they print below, compared as doctests are; ``echo $?`` tells the exit code of the command before it, which is 0 otherwise.
``bash`` is a script, run whole. ``python`` is run, ``pycon`` is a doctest; both share one namespace a page. A block below a
line that is nothing but a file's name is that file. ``yaml``, ``json`` and ``toml`` must be such; ``text`` is only shown.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ROOT = Path(__file__).resolve().parents[2]
FENCED = re.compile(
    r"(?:^`(?P<file>[\w.-]+)`:\n\n)?^```(?P<language>[^\n`]*)\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE
)
"""A block, with the file that it is."""
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
COMPILING = "compiling, once on this machine: a first run may take minutes\n"
"""What is told once, where kernels are not kept yet; on pages it says nothing of the command."""
INSTALLERS = {"make", "pip"}
"""What sets the machine up: not run, the tests stand on what it did."""


class PageError(AssertionError):
    """A block does not do what its page says."""


@dataclass(frozen=True)
class Block:
    """A block of a page.

    Parameters
    ----------
    where
        Page and line.
    language
        What stands behind its first fence.
    text
        What it says.
    file
        The file that it is; empty where it is none.
    """

    where: str
    language: str
    text: str
    file: str


def blocks(page: str) -> list[Block]:
    """Take the blocks of a page of this repository, in order; directives of Sphinx are none."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return [
        Block(
            f"{page}:{text.count(chr(10), 0, found.start()) + 1}",
            found["language"].strip(),
            found["text"],
            found["file"] or "",
        )
        for found in FENCED.finditer(text)
        if not found["language"].startswith("{")
    ]


class Runner:
    """Runs the blocks of one page in one folder.

    Parameters
    ----------
    folder
        Where its commands run and its files are written; the working directory while it runs.
    instead
        Words that are typed instead of others, as where a smaller table shows the same.

    Attributes
    ----------
    ran
        How many commands ran.
    shown
        What pages say that commands print, each with what it was when it ran (`fill`).
    """

    def __init__(self, folder: Path, instead: Mapping[str, str] | None = None) -> None:
        self.folder = folder
        self.instead = dict(instead or {})
        self.ran = 0
        self.shown: list[tuple[str, str]] = []
        self._names: dict[str, Any] = {}
        self._code = 0

    def run(self, page: str) -> int:
        """Run a page, and count the commands.

        Raises
        ------
        PageError
            Where one does not do what the page says.
        """
        with contextlib.chdir(self.folder):
            for block in blocks(page):
                self._run(block)
        return self.ran

    def _run(self, block: Block) -> None:
        """Run one block."""
        if block.language == "yaml":
            yaml.safe_load(block.text)
        elif block.language == "json":
            json.loads(block.text)
        elif block.language == "toml":
            tomllib.loads(block.text)
        elif block.language == "python" and not block.file:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                exec(compile(block.text, block.where, "exec"), self._names)  # noqa: S102  # the page is ours
        elif block.language == "pycon":
            self._doctest(block)
        elif block.language == "console":
            for command, expected in _prompted(block):
                self._compare(block, command, expected)
            self._expect_success(block, "the end of the block")
        elif block.language == "bash" and not block.file:
            self._script(block)
        elif block.language in {"", "sh"}:
            for line in block.text.splitlines():
                self._type(block, line)
        elif block.language not in {"text", "python", "bash"}:
            raise PageError(f"{block.where}: nothing says how {block.language!r} is run")
        if block.file:
            (self.folder / block.file).write_text(block.text, encoding="utf-8")

    def _type(self, block: Block, line: str) -> None:
        """Run a command that must succeed; in a block of no language, text that is no command of ours is only shown."""
        words = shlex.split(line, comments=True)
        if not words or words[0] in INSTALLERS or (not block.language and words[0] != "likeness"):
            return
        code, printed = self._run_command(words, line)
        if code:
            raise PageError(f"{block.where}: {line} exits with {code}\n{printed}")

    def _compare(self, block: Block, command: str, expected: str) -> None:
        """Run a command and compare what it prints."""
        words = shlex.split(command, comments=True)
        if words[0] in INSTALLERS:
            return
        if words == ["echo", "$?"]:
            printed, self._code = f"{self._code}\n", 0
        else:
            self._expect_success(block, command)
            self._code, printed = self._run_command(words, command)
        shown = fill(expected, printed)
        if shown is None:
            raise PageError(f"{block.where}: {command} prints\n{printed}\nand not\n{expected}")
        self.shown.append((expected, shown))

    def _expect_success(self, block: Block, command: str) -> None:
        """Hold that the command before this one succeeded: a page that shows another exit code says so by ``echo $?``."""
        if self._code:
            raise PageError(f"{block.where}: what stands before {command} exits with {self._code}")

    def _run_command(self, words: list[str], line: str) -> tuple[int, str]:
        """Run ``likeness`` in this process, anything else by the shell; its exit code and what it printed."""
        if words[0] != "likeness":
            done = subprocess.run(line, shell=True, capture_output=True, text=True, check=False)  # noqa: S602
            return done.returncode, done.stdout + done.stderr
        from likeness.cli import main

        typed = [self.instead.get(word, word) for word in words[1:]]
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            code = main(typed)
        self.ran += 1
        return code, printed.getvalue().replace(COMPILING, "")

    def _script(self, block: Block) -> None:
        """Run a script by bash, with the ``likeness`` of this Python."""
        path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
        code = os.pathsep.join((str(ROOT / "src"), os.environ.get("PYTHONPATH", "")))
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", block.text],
            env={**os.environ, "PATH": path, "PYTHONPATH": code},
            capture_output=True,
            text=True,
            check=False,
        )
        self.ran += 1
        if done.returncode:
            raise PageError(f"{block.where}: exits with {done.returncode}\n{done.stdout}{done.stderr}")

    def _doctest(self, block: Block) -> None:
        """Run a doctest in the page's namespace."""
        test = doctest.DocTestParser().get_doctest(block.text, self._names, block.where, block.where, 0)
        said = io.StringIO()
        done = doctest.DocTestRunner(verbose=False, optionflags=OPTIONS).run(
            test, out=said.write, clear_globs=False
        )
        self._names.update(test.globs)
        if done.failed:
            raise PageError(f"{block.where}:\n{said.getvalue()}")


def fill(expected: str, printed: str) -> str | None:
    r"""Put what was printed in the place of every ``...`` within a line; None where something else was printed.

    White space is not compared; ``...`` alone on a line stands for any number of lines, which stay out.

    >>> print(fill("NCP ... of 1\n...\nend\n", "NCP   .35 of 1\nmore\nend\n"))
    NCP .35 of 1
    ...
    end
    <BLANKLINE>
    >>> fill("NCP ...\n...\n", "NCP .35\nmore\nend\n").splitlines()
    ['NCP .35', '...']
    >>> fill("NCP ... of 1", "GLM .35 of 1")
    """
    pieces = expected.split("...")
    pattern = ""
    for piece, after in pairwise([*pieces, None]):
        pattern += r"\s+".join(map(re.escape, piece.split()))
        if after is not None:
            pattern += r"\s*([^\n]*)\s*" if _ends_line(piece, after) else r"\s*(.*?)\s*"
    found = re.fullmatch(rf"\s*{pattern}\s*", printed, re.DOTALL)
    if found is None:
        return None
    shown = pieces[0]
    for group, (before, piece) in zip(found.groups(), pairwise(pieces), strict=True):
        shown += ("..." if _is_alone(before, piece) or "\n" in group else group) + piece
    return shown


def _is_alone(before: str, after: str) -> bool:
    """Whether dots stand alone on their line."""
    return not before.rpartition("\n")[2].strip() and not after.partition("\n")[0].strip()


def _ends_line(before: str, after: str) -> bool:
    """Whether dots stand for the rest of a line."""
    return not _is_alone(before, after) and not after.partition("\n")[0].strip()


def _prompted(block: Block) -> Iterator[tuple[str, str]]:
    """Take the commands of a console, each with what it prints."""
    for one in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, _, expected = one.partition("\n")
        while command.endswith("\\"):
            more, _, expected = expected.partition("\n")
            command = f"{command[:-1]} {more.removeprefix('> ').strip()}"
        yield command, expected
