"""`likeness warmup`."""

from __future__ import annotations

import sys


def test_every_kernel_is_compiled(run):
    found = run("warmup")
    assert found.code == 0
    assert found.out == ""
    assert "kernels are ready" in found.err
    assert {
        "likeness.methods.mondrian.kernels.cuts",
        "likeness.attacks.kernels.beliefs",
        "likeness.kernels.dealing",
        "likeness.queries.kernels",
    } <= set(sys.modules)


def test_quiet(run):
    assert run("warmup", "--quiet").err == ""
