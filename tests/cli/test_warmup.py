"""`likeness warmup`."""

from __future__ import annotations

import pytest

from likeness.cli import warmup as command


@pytest.mark.slow
def test_every_processor_compiles_a_share(run, tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    found = run("warmup")
    assert found.code == 0
    assert found.out == ""
    assert "kernels are ready" in found.err
    compiled = {path.name.split("-")[0] for path in tmp_path.rglob("*.nbi")}
    # What releases by every method call, and what only attacks and answers to queries do.
    assert {"cuts._partition_by_loss", "beliefs.match_counts", "dealing.deal", "kernels.totals"} <= compiled
    # Nothing that only kernels call.
    assert not {"hulls.attribute_loss", "node_summary.side_losses"} & compiled


@pytest.fixture
def few(monkeypatch):
    """Let it compile two modules and make releases by no method."""
    monkeypatch.setattr(command, "_modules", lambda: ["likeness.kernels.hilbert", "likeness.kernels.dealing"])
    monkeypatch.setattr("likeness.registry.names", lambda kind: [])


def test_it_says_when_kernels_are_ready(run, few):
    found = run("warmup")
    assert (found.code, found.out) == (0, "")
    assert "kernels are ready: 2 files" in found.err


def test_quiet(run, few):
    assert run("warmup", "--quiet").err == ""


def test_a_process_that_fails_is_told(run, few, monkeypatch):
    monkeypatch.setattr(command, "_WORKER", "raise SystemExit(3)")
    found = run("warmup")
    assert found.code == 2
    assert "ended before it was done" in found.err
