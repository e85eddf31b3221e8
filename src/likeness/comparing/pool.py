"""Worker processes, each bounded in time and memory: what breaks one run off leaves all others alone."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import threading
from collections import deque
from contextlib import suppress
from copy import copy
from dataclasses import replace
from queue import Empty, SimpleQueue
from time import monotonic
from typing import TYPE_CHECKING, Any

import psutil

from likeness.comparing.run import BROKEN, LARGE, LATE, ComparedRun
from likeness.errors import LikenessError, Refusal
from likeness.placing import unfinished

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator

    from likeness.comparing.run import RunLimits
    from likeness.policy import Policy
    from likeness.tables import Table

_TICK = 0.05
"""Seconds between two looks at how long a run takes and what its process holds."""
_START = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from likeness.comparing.worker import main; main()"


class _Worker:
    """One process, the run it is at, and what is known of that."""

    def __init__(self, table: bytes, threads: int, heard: SimpleQueue[tuple[_Worker, Any]]) -> None:
        few = dict.fromkeys(("POLARS_MAX_THREADS", "NUMBA_NUM_THREADS", "OMP_NUM_THREADS"), str(threads))
        # A session of its own: Ctrl-C reaches the one who asked, who decides what ends.
        self.process = subprocess.Popen(
            [sys.executable, "-c", _START, json.dumps(sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **few},
            start_new_session=True,
        )
        self.ready = False
        self.key = ""
        self.run: ComparedRun | None = None
        self.began = 0.0
        self.peak = 0
        self.ended: tuple[str, str] | None = None
        threading.Thread(target=self._hear, args=(table, heard), daemon=True).start()

    def _hear(self, table: bytes, heard: SimpleQueue[tuple[_Worker, Any]]) -> None:
        """Hand the table over, then pass on all answers; None when there are no more."""
        with suppress(OSError, ValueError):
            assert self.process.stdin is not None  # noqa: S101  # opened above
            assert self.process.stdout is not None  # noqa: S101  # opened above
            self.process.stdin.write(table)
            self.process.stdin.flush()
            for line in self.process.stdout:
                heard.put((self, json.loads(line)))
        heard.put((self, None))

    def give(self, key: str, run: ComparedRun, policy: Policy) -> None:
        """Give it a run."""
        self.key, self.run, self.began, self.peak = key, run, monotonic(), self._held()
        assert self.process.stdin is not None  # noqa: S101  # opened above
        # One that has just ended is found so by who hears it.
        with suppress(OSError):
            pickle.dump((run, pickle.dumps(policy)), self.process.stdin)
            self.process.stdin.flush()

    def watch(self, limits: RunLimits) -> None:
        """Look how long it takes and what it holds; end it where that is too much."""
        if self.run is None or self.ended is not None:
            return
        self.peak = max(self.peak, self._held())
        if self.peak > limits.memory:
            self.ended = LARGE, f"its process held more than {limits.memory / 1e6:,.0f} MB"
        elif monotonic() - self.began > limits.seconds:
            self.ended = LATE, f"it was not done after {limits.seconds:g} s"
        if self.ended is not None:
            self.process.kill()

    def _held(self) -> int:
        """Bytes that it holds; none once it is gone."""
        try:
            return int(psutil.Process(self.process.pid).memory_info().rss)
        except psutil.Error:
            return 0

    def taken(self, answer: dict[str, Any] | None, limits: RunLimits) -> ComparedRun:
        """What became of the run it was at."""
        assert self.run is not None  # noqa: S101  # it answers what it was given
        run, self.run = self.run, None
        if answer is not None:
            found = ComparedRun.from_json(answer)
            return replace(found, memory=max(self.peak, found.memory or 0), limits=limits)
        outcome, why = self.ended or (BROKEN, f"its process ended by itself, with {self.process.wait()}")
        return replace(run, outcome=outcome, why=(Refusal(why),), memory=self.peak or None, limits=limits)


class WorkerPool:
    """Worker processes that share a table.

    Parameters
    ----------
    table
        The original.
    jobs
        How many processes.
    limits
        What each run may take.
    """

    def __init__(self, table: Table, jobs: int, limits: RunLimits) -> None:
        own = copy(table)
        # What gave the frame, a connection of a database say, is not for other processes.
        own.giver = None
        self._table = pickle.dumps(own)
        self._jobs = jobs
        self._limits = limits
        self._heard: SimpleQueue[tuple[_Worker, Any]] = SimpleQueue()
        self._workers: set[_Worker] = set()

    def run(self, asked: Iterable[tuple[str, ComparedRun, Policy]]) -> Generator[tuple[str, ComparedRun]]:
        """Do all runs, each with its key; each is given back as soon as it is done, in any order.

        Raises `LikenessError` where no process can be started.
        """
        waiting = deque(asked)
        with unfinished(self._kill):
            try:
                for _ in range(min(self._jobs, len(waiting))):
                    self._start()
                yield from self._all(waiting)
            finally:
                for worker in tuple(self._workers):
                    self._end(worker)

    def _all(self, waiting: deque[tuple[str, ComparedRun, Policy]]) -> Iterator[tuple[str, ComparedRun]]:
        """Hear the workers, and give them what waits, until all runs are done."""
        left = len(waiting)
        while left:
            for worker in self._workers:
                worker.watch(self._limits)
            try:
                worker, answer = self._heard.get(timeout=_TICK)
            except Empty:
                continue
            if worker not in self._workers:
                continue  # It was ended for a run that it had just done.
            if worker.run is not None:
                left -= 1
                yield worker.key, worker.taken(answer, self._limits)
            elif answer is None and not worker.ready:
                raise LikenessError(
                    f"compare: a worker process ended before it could begin, with {worker.process.wait()}; try with fewer "
                    "--jobs"
                )
            worker.ready = True
            self._go_on(worker, waiting, gone=answer is None or worker.ended is not None)

    def _go_on(self, worker: _Worker, waiting: deque[tuple[str, ComparedRun, Policy]], *, gone: bool) -> None:
        """Give a worker its next run; where it is gone, start another for what is left."""
        if gone:
            self._end(worker)
            if waiting:
                self._start()
        elif waiting:
            worker.give(*waiting.popleft())

    def _start(self) -> None:
        threads = max(1, (os.cpu_count() or 1) // self._jobs)
        self._workers.add(_Worker(self._table, threads, self._heard))

    def _end(self, worker: _Worker) -> None:
        self._workers.discard(worker)
        worker.process.kill()
        worker.process.wait()
        for pipe in (worker.process.stdin, worker.process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()

    def _kill(self) -> None:
        """Kill all processes, and nothing else: this may be asked at any moment, in the midst of anything."""
        for worker in tuple(self._workers):
            worker.process.kill()
