"""Whoever must end leaves nothing half-written, even where an exception would be swallowed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest
from tests.folder.samples import plain_release, text_of

from likeness.placing import undo_all, unfinished


def test_undone_however_the_block_ends():
    undone = []
    with pytest.raises(KeyError), unfinished(lambda: undone.append(1)):
        raise KeyError
    assert undone == [1]
    undo_all()
    assert undone == [1]


def test_what_cannot_be_undone_does_not_keep_the_others():
    undone = []

    def fail():
        raise OSError

    with unfinished(lambda: undone.append("first")), unfinished(fail):
        undo_all()
        assert undone == ["first"]


SWALLOWING = """
import os, signal, sys, time
from likeness.cli import main
from likeness.cli import schema
from likeness.policy import Policy

def wait():
    from pathlib import Path
    from likeness.folder.layout import put_in_place, staging
    {code}

Policy.json_schema = staticmethod(wait)
# Whoever runs the tests may have it ignored, as nohup does.
signal.signal(signal.SIGHUP, signal.SIG_DFL)
sys.argv = ["likeness", "schema"]
sys.exit(main())
"""

WRITING = """
    with staging(Path("out")) as stage:
        (stage / "file").write_text("half")
        try:
            os.kill(os.getpid(), {number})
        except BaseException:
            pass  # as a library in C does
        print("went on", flush=True)
"""

REPLACING = """
    real = Path.rename
    def rename(self, to):
        real(self, to)
        if self.name == "out":
            os.kill(os.getpid(), {number})
    Path.rename = rename
    with staging(Path("out").resolve(), overwrite=True) as stage:
        (stage / "file").write_text("new")
        put_in_place(stage, Path("out").resolve(), overwrite=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize("code", [WRITING, REPLACING], ids=["writing", "replacing"])
@pytest.mark.parametrize(
    ("number", "expected"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_a_command_ends_at_once_where_an_exception_is_swallowed(code, number, expected, tmp_path):
    before = []
    if code is REPLACING:
        plain_release(tmp_path / "out", "old")
        before = ["out"]
    found = subprocess.run(
        [sys.executable, "-c", SWALLOWING.format(code=code.format(number=int(number)))],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env=os.environ,
    )
    assert (found.returncode, found.stdout) == (expected, "")
    assert found.stderr.endswith("nothing half-written was left\n")
    assert len(found.stderr.splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == before
    assert not before or text_of(tmp_path / "out") == "old"
