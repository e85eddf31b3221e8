"""Kernels are compiled when they are needed, as numba would have compiled them."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from numba import int64, types
from numba.core.event import install_recorder

from likeness.kernels import njit

KERNELS = """
import numpy as np
from numba import int64
from likeness.kernels import njit

@njit(int64(int64), cache=True)
def checked(x):
    if x < 0:
        raise ValueError("below 0", 7)
    return x

@njit(int64[::1](int64), cache=True)
def squares(n):
    found = np.empty(checked(n), np.int64)
    for i in range(n):
        found[i] = i * i
    return found

@njit(int64(int64), cache=True)
def total(n):
    found = 0
    for square in squares(n):
        found += square
    return found
"""
USED = """
import kernels
from numba.core.event import install_recorder
with install_recorder("numba:compile") as seen:
    print(kernels.total(4), kernels.squares(3).tolist())
    try:
        kernels.total(-1)
    except ValueError as problem:
        print(*problem.args)
print(len({event.data["dispatcher"].py_func for _, event in seen.buffer if event.is_start}))
print(sorted({name for name in ("checked", "squares", "total") if getattr(kernels, name).overloads}))
"""


@njit(int64(int64))
def doubled(x):
    return 2 * x


@njit([int64(int64), types.float64(types.float64)])
def halved(x):
    return x // 2


@njit(int64(int64))
def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)


@njit
def fourfold(x):
    return doubled(doubled(x))


def test_nothing_is_compiled_before_it_is_called():
    with install_recorder("numba:compile") as seen:

        @njit(int64(int64))
        def tripled(x):
            return 3 * x

    assert not seen.buffer
    assert tripled(2) == 6
    assert list(tripled.overloads) == [(int64,)]


def test_what_a_kernel_calls_gets_no_machine_code():
    assert fourfold(3) == 12
    assert not doubled.overloads
    (callee,) = doubled._callee.overloads.values()
    assert callee.library.get_pointer_to_function(callee.fndesc.mangled_name) == 0
    assert doubled(4) == 8  # called from Python it has


def test_a_declared_signature_is_the_only_one():
    assert doubled(np.int32(4)) == doubled(True) + 6 == 8
    with pytest.raises(TypeError, match="No matching definition"):
        doubled(np.arange(3))
    assert list(doubled.overloads) == [(int64,)]


def test_of_several_signatures_the_one_that_is_needed_is_compiled():
    assert halved(5) == 2
    assert list(halved.overloads) == [(int64,)]
    assert halved(5.0) == 2.0
    with pytest.raises(TypeError, match="No matching definition"):
        halved("5")
    assert len(halved.overloads) == 2


def test_a_kernel_may_call_itself():
    assert factorial(10) == 3628800


def test_a_kernel_is_a_function_pointer():
    pointer = types.FunctionType(int64(int64))

    @njit(int64(pointer, int64))
    def apply(function, x):
        return function(x)

    assert apply(doubled, 21) == 42


@pytest.mark.slow
def test_a_kernel_is_found_again_with_what_it_calls(tmp_path):
    (tmp_path / "kernels.py").write_text(KERNELS)
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    said = [
        subprocess.run(
            [sys.executable, "-c", USED],
            capture_output=True,
            text=True,
            check=True,
            cwd=tmp_path,
            env=environment,
        ).stdout.splitlines()
        for _ in range(2)
    ]
    assert said[0][:2] == said[1][:2] == ["14 [0, 1, 4]", "below 0 7"]
    assert int(said[0][2]) >= 3
    assert said[1][2] == "0"
    assert said[0][3] == said[1][3] == "['squares', 'total']"
