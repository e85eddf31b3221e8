"""What only shows in a process of its own: exit codes, signals, pipes, warnings."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.end_to_end.conftest import SECONDS, environment, ran
from tests.pace import of_commands


@pytest.mark.slow
def test_exit_codes_of_the_installed_command(run, desk):
    before = sorted(desk.iterdir())
    assert run("--version").returncode == 0
    assert run("nope").returncode == 2
    found = run("anonymize", "none.csv", "hospital-policy.yaml", "-o", "nowhere")
    assert (found.returncode, found.stdout, found.stderr) == (2, "", "error: none.csv: no such file\n")
    assert sorted(desk.iterdir()) == before


ENDS = {signal.SIGINT: (130, "interrupted"), signal.SIGTERM: (143, "terminated")}
MOMENTS = {signal.SIGINT: (0.4, 1.2, 2.0), signal.SIGTERM: (0.8, 1.6, 2.4)}
"""Seconds after which the signal comes."""


@pytest.mark.slow
@pytest.mark.parametrize("number", ENDS)
def test_interrupted_while_reading(number, command, desk, tmp_path):
    pipe = tmp_path / "endless.csv"
    os.mkfifo(pipe)
    before = sorted(tmp_path.iterdir())
    words = [*command, "anonymize", pipe.name, desk / "hospital-policy.yaml", "-o", "never"]
    with subprocess.Popen(
        words, cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        table = pipe.open("w")  # opens once the command reads
        table.write("name,patient_id\n")
        table.flush()
        process.send_signal(number)
        # polars lets interrupted system calls go on: the signal is seen when the read ends.
        table.close()
        out, err = process.communicate(timeout=SECONDS)
    code, what = ENDS[number]
    assert process.returncode == code
    assert (out, err) == ("", f"error: {what}; nothing half-written was left\n")
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.slow
@pytest.mark.parametrize("number", ENDS)
def test_interrupted_at_any_moment_nothing_half_written_is_left(number, run, command, desk):
    assert run("generate", "hospital", "--rows", "30000", "-o", "large.csv", "--overwrite").returncode == 0
    before = sorted(desk.iterdir())
    ended = set()
    # Each signal at moments of its own.
    for seconds in MOMENTS[number]:
        words = [*command, "anonymize", "large.csv", "large-policy.yaml", "-o", "never"]
        with subprocess.Popen(
            words, cwd=desk, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        ) as process:
            time.sleep(seconds)
            process.send_signal(number)
            _, err = process.communicate(timeout=SECONDS)
        ended.add(process.returncode)
        if (desk / "never").exists():
            # The signal came after the release was put in place: then it is whole.
            assert run("verify", "never").returncode == 0
            shutil.rmtree(desk / "never")
            break
        # A negative code: the signal came before the command could listen to it.
        assert "Traceback" not in err or process.returncode == -number
        assert sorted(desk.iterdir()) == before
    assert ended <= {0, 130, 143, -number}


@pytest.mark.slow
def test_a_reader_that_has_seen_enough(command, desk):
    words = [*command, "generate", "hospital", "--rows", "20000"]
    with subprocess.Popen(
        words, cwd=desk, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("name,")
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == ""
    assert process.returncode == 141


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_behind_stdout_is_one_line(command, desk):
    with Path("/dev/full").open("w") as full:
        found = subprocess.run(
            [*command, "list", "models"],
            cwd=desk,
            env=environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=SECONDS,
            check=False,
        )
    assert found.returncode == 2
    assert found.stderr == "error: stdout: cannot be read or written (No space left on device)\n"


def with_closed(command, desk, closed, *words):
    """Run a command as a shell does that closes one of its streams."""
    return ran(["sh", "-c", f'"$@" {closed}', "sh", *command, *words], desk)


@pytest.mark.skipif(os.name != "posix", reason="needs a shell")
def test_a_closed_stdout_is_one_line(command, desk):
    found = with_closed(command, desk, ">&-", "list", "models")
    assert found.returncode == 2
    assert found.stderr == "error: stdout: cannot be read or written (Bad file descriptor)\n"


@pytest.mark.skipif(os.name != "posix", reason="needs a shell")
def test_without_stderr_what_was_asked_for_is_printed_all_the_same(command, desk):
    found = with_closed(command, desk, "2>&-", "list", "models")
    assert found.returncode == 0
    assert "k-anonymity" in found.stdout
    assert with_closed(command, desk, "2>&-", "list", "nothing").returncode == 2


@pytest.mark.slow
def test_nothing_is_printed_even_where_warnings_are_errors(desk):
    words = [sys.executable, "-W", "error", "-m", "likeness", "demo", "--rows", "300", "-o", "strict"]
    found = ran(words, desk)
    assert found.returncode == 0, found.stderr
    assert found.stderr == ""


LIBRARY = """
import warnings
import polars as pl, likeness as lk
table = pl.DataFrame({"age": [30, 31, 60, 61] * 5, "disease": ["flu", "cold", "flu", "cold"] * 5})
columns = {"age": lk.quasi(), "disease": lk.sensitive()}
for method in (lk.Mondrian(), lk.Burel()):
    policy = lk.Policy(columns=columns, privacy=lk.KAnonymity(2) & lk.BetaLikeness(beta=2), method=method)
    with warnings.catch_warnings():  # a filter set after the kernels were imported
        warnings.simplefilter("error")
        release = lk.anonymize(table, policy, seed=1)
        release.attack("linkage")
"""


@pytest.mark.slow
@pytest.mark.parametrize("option", ["-Werror", "-Wdefault"])
def test_the_library_prints_nothing(option, desk):
    found = ran([sys.executable, option, "-c", LIBRARY], desk)
    assert (found.returncode, found.stdout, found.stderr) == (0, "", "")


@pytest.mark.slow
def test_the_demonstration_takes_a_few_times_what_its_imports_take(command, desk):
    commands = [sys.executable, "-c", "import numba, polars, pydantic"], [*command, "demo", "--overwrite"]
    took = {"cwd": desk, "env": environment(), "stderr": subprocess.DEVNULL, "timeout": SECONDS}
    # It tries all methods, improves the best one's classes, attacks, and bounds the loss from below. The first one may compile.
    for _ in range(2):
        imports, demo = of_commands(1, *commands, **took)
        if demo < 30 * imports:
            return
    pytest.fail(f"it takes {demo / imports:.0f} times as long")
