"""`likeness warmup`."""

from __future__ import annotations

from pathlib import Path

import pytest

import likeness
from likeness import registry
from likeness.cli import warmup as command

SHARE = {
    "modules": ["attacks.kernels.beliefs", "queries.kernels", "kernels.node_summary", "kernels.hulls"],
    "methods": ["hilbert-index"],
}
"""What a test lets it compile, of all that takes four minutes of a processor."""


@pytest.mark.slow
def test_every_processor_compiles_a_share(run, tmp_path, monkeypatch):
    """From an empty cache, a few modules and a method; that it asks for all of them is the next test."""
    monkeypatch.setattr(command, "_modules", lambda: [f"likeness.{name}" for name in SHARE["modules"]])
    monkeypatch.setattr("likeness.registry.names", lambda kind: SHARE[kind])
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    found = run("warmup")
    assert found.code == 0
    assert found.out == ""
    assert "kernels are ready: 4 files" in found.err
    compiled = {path.name.split("-")[0] for path in tmp_path.rglob("*.nbi")}
    # What releases by a method call, and what only attacks and answers to queries do.
    assert {
        "kernels.greedy",
        "class_tests.transport_at_most",
        "beliefs.match_counts",
        "kernels.totals",
    } <= compiled
    # Nothing that only kernels call.
    assert not {"hulls.attribute_loss", "node_summary.side_losses"} & compiled


def test_everything_is_asked_for_once(run, monkeypatch):
    asked = []

    def take(waiting, progress, whole):
        while waiting:
            asked.append(waiting.popleft())

    monkeypatch.setattr(command, "_ask", take)
    assert run("warmup").code == 0
    package = Path(likeness.__file__).parent
    with_kernels = {
        ".".join(["likeness", *path.relative_to(package).with_suffix("").parts])
        for path in package.rglob("*.py")
        if "@njit(" in path.read_text(encoding="utf-8")
    }
    of_modules = sorted(name for kind, name in asked if kind == "module")
    assert with_kernels <= set(of_modules)
    assert len(set(of_modules)) == len(of_modules)
    assert [name for kind, name in asked if kind == "method"] == list(registry.names("methods"))


@pytest.fixture
def few(monkeypatch):
    """Let it compile two modules and make releases by no method."""
    monkeypatch.setattr(command, "_modules", lambda: ["likeness.kernels.hilbert", "likeness.kernels.dealing"])
    monkeypatch.setattr("likeness.registry.names", lambda kind: [])


@pytest.mark.slow
def test_it_says_when_kernels_are_ready(run, few):
    found = run("warmup")
    assert (found.code, found.out) == (0, "")
    assert "kernels are ready: 2 files" in found.err


@pytest.mark.slow
def test_quiet(run, few):
    assert run("warmup", "--quiet").err == ""


def test_a_process_that_fails_is_told(run, few, monkeypatch):
    monkeypatch.setattr(command, "_WORKER", "raise SystemExit(3)")
    found = run("warmup")
    assert found.code == 2
    assert "ended before it was done" in found.err
