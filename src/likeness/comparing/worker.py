"""A worker process: it is given a table once, then policies, and answers each with what became of it.

It reads pickles from stdin and writes lines of JSON to what stdout was. When its parent is gone, it ends.
"""

from __future__ import annotations

import json
import os
import pickle
import sys
import threading
from dataclasses import replace
from queue import SimpleQueue
from time import perf_counter
from typing import TYPE_CHECKING, Any, BinaryIO

import psutil

from likeness.anonymization import anonymize
from likeness.comparing.measuring import failed, figures_of

if TYPE_CHECKING:
    from likeness.comparing.run import ComparedRun

READY = {"ready": True}


def main() -> None:
    """Work until there is nothing more to do."""
    # What libraries print must not stand between answers.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    asked: SimpleQueue[Any] = SimpleQueue()
    table = pickle.load(sys.stdin.buffer)  # noqa: S301  # from our own parent
    threading.Thread(target=_listen, args=(sys.stdin.buffer, asked), daemon=True).start()
    _answer(answers, READY)
    while True:
        _answer(answers, work(table, *asked.get()))


def _listen(stdin: BinaryIO, asked: SimpleQueue[Any]) -> None:
    """Take what is asked; end the process when nobody is there any more, whatever it is doing."""
    while True:
        try:
            asked.put(pickle.load(stdin))  # noqa: S301  # from our own parent
        except (EOFError, OSError):
            os._exit(0)


def _answer(answers: Any, answer: dict[str, Any]) -> None:
    """Write an answer."""
    answers.write(json.dumps(answer) + "\n")
    answers.flush()


def work(table: Any, run: ComparedRun, policy: bytes) -> dict[str, Any]:
    """Make a release, measure it, and say what became of the run, as `ComparedRun.to_json` does.

    Parameters
    ----------
    table
        The original.
    run
        What is asked.
    policy
        The pickled policy: what cannot be read here is no reason to end.
    """
    begin = perf_counter()
    seconds = None
    try:
        release = anonymize(table, pickle.loads(policy))  # noqa: S301  # from our own parent
        seconds = perf_counter() - begin
        found = figures_of(release)
    except Exception as problem:  # noqa: BLE001  # a defect in one run is that run's outcome
        found = failed(problem)
    held = psutil.Process().memory_info().rss
    return replace(run, **found, seconds=seconds, memory=held).to_json()
