"""Sensitive columns with as many values as records: how time and memory grow, each size in a process of its own."""

from __future__ import annotations

import subprocess
import sys

_RUN = """
import resource, sys, tempfile, time
import numpy as np, polars as pl, likeness as lk
method, rows = sys.argv[1], int(sys.argv[2])
draw = np.random.default_rng(3)
def table(rows):
    return pl.DataFrame({
        "age": draw.integers(18, 90, rows), "sex": draw.choice(["F", "M"], rows), "zip": draw.integers(0, 500, rows),
        "income": draw.permutation(rows) * 7 + 10_000,
    })
columns = {name: lk.quasi() for name in ("age", "sex", "zip")} | {"income": lk.sensitive(kind="integer")}
asked = {
    "anatomy": (lk.DistinctLDiversity(3), lk.Anatomy(3)),
    "mondrian": (lk.TCloseness("0.2"), lk.Mondrian()),
    "sabre": (lk.TCloseness("0.2"), lk.Sabre()),
}
privacy, how = asked[method]
policy = lk.Policy(columns=columns, privacy=privacy, method=how)
lk.anonymize(table(200), policy, seed=1)
own = table(rows)
begin = time.process_time()
release = lk.anonymize(own, policy, seed=1)
with tempfile.TemporaryDirectory() as folder:
    release.write(folder + "/out")
    lk.verify(folder + "/out/public").raise_if_failed()
print(time.process_time() - begin, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def growth(rows: tuple[int, ...]) -> None:
    """Print CPU seconds and largest memory from table to verified folder, and the seconds over those of the size before."""
    for method in ("anatomy", "mondrian", "sabre"):
        before = None
        for size in rows:
            command = [sys.executable, "-c", _RUN, method, str(size)]
            told = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
            seconds, megabytes = map(float, told)
            times = "" if before is None else f"{seconds / before:.1f} times"
            before = seconds
            name = f"{method}, {size:,} sensitive values"
            print(f"{name:52}{size:>10,}{seconds:>10.3f}{times:>12}{megabytes:>9,.0f} MB", flush=True)
