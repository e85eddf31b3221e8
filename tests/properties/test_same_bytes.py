"""The same input, parameters and seed give the same bytes in any process, on any number of threads."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import sys
import likeness as lk
from likeness.datasets.hospital import Hospital
table = Hospital().generate(800, 4).drop("name", "patient_id", "length_of_stay")
roles = {"zip": lk.quasi(hierarchy={"prefix": 5}), "age": lk.quasi(), "sex": lk.quasi(), "insurance": lk.quasi()}
policy = lk.Policy(
    columns=roles | {"admitted": lk.quasi(), "diagnosis": lk.sensitive()},
    privacy=lk.KAnonymity(4) & lk.BetaLikeness(4),
    method={"name": sys.argv[2]},
    seed=11,
)
lk.anonymize(table, policy).write(sys.argv[1])
"""
SURROUNDINGS = [
    {"PYTHONHASHSEED": "0", "POLARS_MAX_THREADS": "1", "NUMBA_NUM_THREADS": "1"},
    {"PYTHONHASHSEED": "12345", "POLARS_MAX_THREADS": "4"},
]


def bytes_of(folder: Path) -> dict[str, str]:
    """Hash of every published file."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.glob("public/*")}


@pytest.mark.slow
@pytest.mark.parametrize("method", ["mondrian", "burel"])
def test_processes_agree(tmp_path, method):
    found = []
    for number, surroundings in enumerate(SURROUNDINGS):
        out = tmp_path / str(number)
        command = [sys.executable, "-c", SCRIPT, str(out), method]
        subprocess.run(command, check=True, env=os.environ | surroundings, timeout=300)
        found.append(bytes_of(out))
    assert len(found[0]) == 3
    assert found[0] == found[1]
