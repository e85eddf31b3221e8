"""Time of the first run in a fresh process: with an empty kernel cache, and with a warm one."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time

SMALL_RUN = """
import polars as pl, likeness as lk
table = pl.DataFrame({"age": [30, 31, 60, 61] * 9, "sex": ["f", "m"] * 18, "disease": ["flu", "cold", "cough"] * 12})
columns = {"age": lk.quasi(), "sex": lk.quasi(), "disease": lk.sensitive()}
lk.anonymize(table, lk.Policy(columns=columns, privacy=lk.KAnonymity(2) & lk.BetaLikeness(2)), seed=1)
"""


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
