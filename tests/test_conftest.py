"""How the tests themselves are run: the same every time, as a background job too."""

from __future__ import annotations

import gc
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.internal.conjecture import providers
from tests.conftest import REPOSITORY, SHARES, kind_of_run, slow_first

import likeness.exact  # noqa: F401  # a module with constants

INTERRUPTED = """
import signal, sys
sys.path.insert(0, "")
import tests.conftest
signal.raise_signal(signal.SIGINT)
"""


def test_what_judges_a_change_is_the_same_every_time():
    judge, explore = settings.get_profile("judge"), settings.get_profile("explore")
    assert (judge.derandomize, explore.derandomize) == (True, False)
    assert (judge.deadline, explore.deadline) == (None, None)


def test_properties_are_judged_unless_explored(request: pytest.FixtureRequest):
    exploring = request.config.getoption("--hypothesis-profile") == "explore"
    assert settings().derandomize is not exploring


def test_examples_do_not_depend_on_what_else_a_worker_has_loaded(request: pytest.FixtureRequest):
    exploring = request.config.getoption("--hypothesis-profile") == "explore"
    assert (len(providers._get_local_constants()) > 0) is exploring


@pytest.mark.skipif(sys.platform == "win32", reason="there are no background jobs of shells")
def test_what_a_background_job_starts_can_be_interrupted():
    def ignore():
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED],
        cwd=REPOSITORY,
        preexec_fn=ignore,
        capture_output=True,
        check=False,
    )
    assert b"KeyboardInterrupt" in done.stderr
    assert done.returncode == -signal.SIGINT


@given(draw=st.integers())
@settings(max_examples=40)
def test_of_every_property_a_share_of_the_examples_is_tried(request: pytest.FixtureRequest, draw: int):
    asked = request.function._hypothesis_internal_use_settings
    assert asked.max_examples == 40 * SHARES[kind_of_run(request.config)]


@pytest.mark.parametrize(
    ("files", "slow", "order"),
    [
        ("aabbccdd", "bd", "bbaaddcc"),
        ("aaaabcd", "", "aaaabcd"),
        # One file holds more than half of all tests.
        ("abbbbbc", "bc", "bbbbbca"),
    ],
)
def test_every_worker_begins_with_slow_files(files: str, slow: str, order: str):
    found = slow_first([Path(name) for name in files], {Path(name) for name in slow}, 2)
    assert sorted(found) == list(range(len(files)))
    assert "".join(files[i] for i in found) == order


def test_garbage_is_looked_for_while_tests_run():
    assert gc.isenabled()
    assert gc.get_freeze_count() > 0
