"""The first run in a fresh process, with an empty kernel cache, and the next one: ``python -m benchmarks.cold``.

It prints what each function costs to compile, itself and with what it calls, and which kernels the next run loads.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from typing import Any

SMALL_RUN = """
import polars as pl, likeness as lk
columns = {"age": lk.quasi(), "sex": lk.quasi(), "city": lk.quasi(), "disease": lk.sensitive()}
values = list(range(20, 56)), ["f", "m"] * 18, [*"abcdefghi"] * 4, ["flu", "cold", "cough"] * 12
table = pl.DataFrame(dict(zip(columns, values)))
lk.anonymize(table, lk.Policy(columns=columns, privacy=lk.KAnonymity(2) & lk.BetaLikeness(2)), seed=1)
"""
HEAVY = ("IPython", "jinja2", "matplotlib", "pandas", "pyarrow", "scipy.linalg", "scipy.optimize")
"""Modules that a small run of a polars frame has no need of."""


def cold_and_warm() -> tuple[float, float]:
    """Seconds of a small run in a new process, kernels not compiled yet and then loaded from the cache."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
        seconds = []
        for _ in range(2):
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", SMALL_RUN], check=True, env=environment)
            seconds.append(time.perf_counter() - start)
    return seconds[0], seconds[1]


def main() -> None:
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
        for what in ("kernels not compiled", "kernels compiled"):
            command = [sys.executable, "-m", "benchmarks.cold", "--watched"]
            found = json.loads(
                subprocess.run(command, check=True, env=environment, capture_output=True).stdout
            )
            compiled, loaded = found["compiled"], found["loaded"]
            print(
                f"{what}: {found['cpu']:.1f} CPU seconds, {len(compiled)} functions compiled "
                f"({sum(own for own, _, _ in compiled):.1f}), {len(loaded)} loaded ({sum(loaded.values()):.1f}); "
                f"no need of {', '.join(found['heavy']) or 'nothing else'}"
            )
            for own, whole, name in sorted(compiled, reverse=True):
                print(f"{own:8.2f}{whole:8.2f}  {name}")
            for name, seconds in sorted(loaded.items(), key=lambda one: -one[1]):
                print(f"{seconds:8.2f}          {name}")


def watched() -> dict[str, Any]:
    """Make the small run; CPU seconds of each function compiled (own, with what it calls), and of each one loaded."""
    from numba.core.caching import Cache
    from numba.core.event import Event, Listener, register

    compiled: list[tuple[float, float, str]] = []
    loaded: dict[str, float] = {}

    class Compiling(Listener):
        """Keeps how long what is being compiled has taken, and what it calls."""

        def __init__(self) -> None:
            self.under_way: list[list[float]] = []

        def on_start(self, event: Event) -> None:  # noqa: ARG002
            self.under_way.append([time.process_time(), 0.0])

        def on_end(self, event: Event) -> None:
            begin, others = self.under_way.pop()
            whole = time.process_time() - begin
            if self.under_way:
                self.under_way[-1][1] += whole
            function = event.data["dispatcher"].py_func
            compiled.append((whole - others, whole, f"{function.__module__}.{function.__qualname__}"))

    register("numba:compile", Compiling())
    load = Cache.load_overload

    def timed(self: Any, sig: Any, context: Any) -> Any:
        begin = time.process_time()
        found = load(self, sig, context)
        if found is not None:
            loaded[found.fndesc.qualname] = time.process_time() - begin
        return found

    Cache.load_overload = timed
    exec(SMALL_RUN, {})  # noqa: S102
    used = resource.getrusage(resource.RUSAGE_SELF)
    heavy = [name for name in HEAVY if name in sys.modules]
    return {"cpu": used.ru_utime + used.ru_stime, "compiled": compiled, "loaded": loaded, "heavy": heavy}


if __name__ == "__main__":
    if "--watched" in sys.argv:
        print(json.dumps(watched()))
    else:
        main()
