"""Files are put in place all or none, by one writer at a time, and never in place of what appeared meanwhile."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from likeness import placing
from likeness.cli import main
from likeness.errors import OutputError
from likeness.placing import clear, locked, write_files


def text(said):
    return lambda path: path.write_text(said)


def test_all_or_none_are_put_in_place(tmp_path):
    places = [tmp_path / name for name in "abc"]
    write_files({place: text(place.name) for place in places}, overwrite=False)
    assert [place.read_text() for place in places] == ["a", "b", "c"]
    for place in places:
        place.unlink()

    def fails(path):
        path.write_text("half")
        raise OSError(28, "No space left on device")

    with pytest.raises(OutputError, match=r"b: cannot be written \(No space left on device\)"):
        write_files({places[0]: text("a"), places[1]: fails, places[2]: text("c")}, overwrite=False)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("links", [True, False], ids=["links", "no links"])
def test_what_appears_meanwhile_is_not_replaced(links, tmp_path, monkeypatch):
    if not links:
        # As on a disk that has none.
        monkeypatch.setattr(
            os, "link", lambda *_: (_ for _ in ()).throw(OSError(95, "Operation not supported"))
        )
    first, second = tmp_path / "a", tmp_path / "b"

    def appears(path):
        path.write_text("new")
        second.write_text("mine")

    with pytest.raises(OutputError, match="b: appeared while it was being made; say --overwrite"):
        write_files({first: text("new"), second: appears}, overwrite=False)
    # The first was there already when the second was refused: it went away again.
    assert [path.name for path in tmp_path.iterdir()] == ["b"]
    assert second.read_text() == "mine"
    write_files({first: text("new"), second: text("new")}, overwrite=True)
    assert (first.read_text(), second.read_text()) == ("new", "new")
    second.unlink()
    first.unlink()
    write_files({first: text("new"), second: text("new")}, overwrite=False)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]


def test_a_lock_is_one_writers(tmp_path):
    target = tmp_path / "out"
    with locked(target):
        with pytest.raises(OutputError, match="out: another process is writing it"), locked(target):
            pass
        # Others may write beside it.
        with locked(tmp_path / "other"):
            pass
        assert [path.name for path in tmp_path.iterdir()] == [".out.lock"]
    assert not list(tmp_path.iterdir())
    with locked(target):
        pass


def test_a_lock_on_a_file_that_went_away_is_none(tmp_path, monkeypatch):
    # Whoever held the lock took the file away between opening and locking it: nobody else would see that lock.
    if placing.fcntl is None:
        return
    real, opened = placing.fcntl.flock, []

    def flock(file, how):
        if not opened:
            (tmp_path / ".out.lock").unlink()
        opened.append(file)
        real(file, how)

    monkeypatch.setattr(placing.fcntl, "flock", flock)
    with locked(tmp_path / "out"):
        assert len(opened) == 2
        monkeypatch.undo()
        with pytest.raises(OutputError, match="another process"), locked(tmp_path / "out"):
            pass


def test_where_no_lock_can_be_had_nothing_is_written(tmp_path, monkeypatch):
    if placing.fcntl is None:
        return

    def flock(*_):
        raise OSError(37, "No locks available")

    monkeypatch.setattr(placing.fcntl, "flock", flock)
    with pytest.raises(
        OutputError, match=r"a: cannot be locked against other writers \(No locks available\)"
    ):
        write_files({tmp_path / "a": text("new")}, overwrite=False)
    assert not (tmp_path / "a").exists()


def test_systems_without_locks_write_all_the_same(tmp_path, monkeypatch):
    monkeypatch.setattr(placing, "fcntl", None)
    write_files({tmp_path / "a": text("new")}, overwrite=False)
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


KILLED = """
import os, signal, sys
from pathlib import Path
from likeness.placing import write_files
def write(path):
    path.write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
write_files({Path("t.csv"): write}, overwrite=False)
"""


@pytest.mark.filterwarnings("default")
def test_a_killed_run_leaves_nothing_for_long(tmp_path, capsys, monkeypatch):
    ended = subprocess.run([sys.executable, "-c", KILLED], cwd=tmp_path, timeout=60, check=False)
    assert ended.returncode == -signal.SIGKILL
    assert len(list(tmp_path.glob(".t.csv.*.partial"))) == 1
    monkeypatch.chdir(tmp_path)
    command = ["generate", "hospital", "--rows", "20", "-o", "t.csv"]
    with locked(tmp_path / "t.csv"):
        assert main(command) == 2
        said = capsys.readouterr().err
        assert said.startswith("error: ")
        assert "t.csv: another process is writing it" in said
        assert len(said.splitlines()) == 1
    assert main(command) == 0
    told = capsys.readouterr().err.splitlines()
    assert sum("was deleted: a process that was killed had written it" in line for line in told) == 1
    assert not list(tmp_path.glob(".*"))
    assert (tmp_path / "t.csv").read_text().count("\n") == 21


def test_what_cannot_be_deleted_is_told(tmp_path, monkeypatch):
    (tmp_path / ".out.0123456789abcdef.partial").mkdir()
    monkeypatch.setattr(shutil, "rmtree", partial(lambda *_, **__: None))
    with pytest.warns(UserWarning, match="partial: cannot be deleted wholly; delete it yourself"):
        clear(tmp_path / "out")


def test_nothing_is_said_where_nothing_is_left(tmp_path, recwarn):
    clear(tmp_path / "out")
    clear(Path(tmp_path / "nowhere" / "out"))
    assert not recwarn.list


WAITING = """
import os, signal, time
import polars
from threading import Timer
from likeness.placing import Apart
signal.signal(signal.SIGINT, signal.default_int_handler)
polars.DataFrame({"a": [1]}).lazy().collect()
Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    Apart(lambda: time.sleep(600)).result()
except KeyboardInterrupt:
    print("heard")
"""


def test_who_waits_hears_a_signal_where_polars_is_loaded():
    """And what is waited for keeps no process from ending."""
    done = subprocess.run(
        [sys.executable, "-c", WAITING], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stdout) == (0, "heard\n")


def test_what_is_done_apart_gives_and_raises():
    assert placing.Apart(lambda: 3).result() == 3
    with pytest.raises(ZeroDivisionError):
        placing.Apart(lambda: 1 // 0).result()
