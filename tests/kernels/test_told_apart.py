"""Kernels that different processes compiled are loaded side by side."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from likeness.kernels import _compiling, njit

KERNELS = {
    "sorting": "def run(x):\n    x.sort()\n    return x\n",
    "ordering": "def run(x):\n    return np.argsort(x)\n",
}
LOADED = """
import numpy as np, sorting, ordering
print(sorting.run(np.array([30, 10, 20])).tolist(), ordering.run(np.array([30, 10, 20])).tolist())
assert all(kernel.stats.cache_hits for kernel in (sorting.run, ordering.run))
"""


def run(folder, *source: str) -> str:
    """Run some lines in a process of its own, which keeps and finds compiled kernels in a folder."""
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(source)],
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
        env={**os.environ, "NUMBA_CACHE_DIR": str(folder / "cache")},
    )
    return done.stdout


@pytest.mark.slow
def test_a_sort_is_not_run_in_the_place_of_an_argsort(tmp_path):
    # Both compile a quicksort of the same name; counted from 1, the two would have the same number too.
    for name, body in KERNELS.items():
        head = "import numpy as np\nfrom numba import int64\nfrom likeness.kernels import njit\n"
        signature = "@njit(int64[::1](int64[::1]), cache=True)\n"
        (tmp_path / f"{name}.py").write_text(head + signature + body)
        run(tmp_path, f"import numpy as np, {name}", f"{name}.run(np.array([1]))")
    assert run(tmp_path, LOADED) == "[10, 20, 30] [1, 2, 0]\n"


def test_a_process_numbers_functions_from_anywhere():
    def compiled() -> int:
        kernel = njit(lambda x: x + 1)
        kernel(1)
        return kernel.overloads[kernel.signatures[0]].fndesc.unique_name

    first, second = (int(compiled().split("$")[-1]) for _ in range(2))
    assert 1_000_000 < first < second
    _compiling.count_apart()
    assert abs(int(compiled().split("$")[-1]) - second) > 1_000_000
