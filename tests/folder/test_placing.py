"""Folders are replaced only when they are releases, and restored when that fails."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from tests.folder.samples import plain_release, release, text_of

from likeness.errors import OutputError
from likeness.folder import layout as placing


def _refused(folder: Path | str, match: str, *, overwrite: bool = True) -> None:
    with pytest.raises(OutputError, match=match):
        placing.check_target(folder, overwrite=overwrite)


def test_refusals(written: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "empty").mkdir()
    _refused(tmp_path / "nowhere" / "out", "does not exist; make that folder first")
    _refused(tmp_path / "file", "is a file")
    _refused(tmp_path / "file" / "out", "is a file; make that folder first")
    _refused(written, r"already exists; overwrite=True \(--overwrite\) replaces it", overwrite=False)
    _refused(tmp_path / "empty", "is not a release folder")
    _refused("/", "current or home")
    _refused(Path.home(), "current or home")
    monkeypatch.chdir(tmp_path)
    _refused(".", "current or home")
    _refused("..", "current or home")
    assert placing.check_target("out", overwrite=False) == tmp_path.resolve() / "out"


def test_unwritable_parent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(placing.os, "access", lambda *_: False)
    _refused(tmp_path / "out", "no right to write")


@pytest.mark.parametrize("stranger", ["notes.txt", "public/draft.csv", "private/analysis.ipynb"])
def test_own_files_of_the_steward_are_not_lost(stranger: str, written: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(written, tmp_path / "out"))
    (folder / stranger).write_text("mine")
    with pytest.raises(OutputError, match="would be lost"):
        release().write(folder, overwrite=True)
    assert (folder / stranger).read_text() == "mine"


def test_overwrite_replaces(written: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(written, tmp_path / "out"))
    (folder / "public/certificate.html").write_text("old")
    release().write(folder, overwrite=True)
    assert (folder / "public/certificate.html").read_bytes() == (
        written / "public/certificate.html"
    ).read_bytes()
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_link_to_a_release_stays_a_link(written: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(written, tmp_path / "real"))
    (tmp_path / "out").symlink_to(folder)
    assert release().write(tmp_path / "out", overwrite=True) == folder.resolve()
    assert (tmp_path / "out").is_symlink()


def _stage_and_target(place: Path) -> tuple[Path, Path]:
    """A finished folder, and the release that it is to replace."""
    stage, target = place / ".out.0123456789abcdef.partial", place / "out"
    for folder, text in ((stage, "new"), (target, "old")):
        plain_release(folder, text)
    return stage, target


@pytest.mark.parametrize("failing", [1, 2])
@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
def test_failed_swap_restores(
    failing: int, error: type[BaseException], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage, target = _stage_and_target(tmp_path)
    real, calls = Path.rename, []

    def rename(self: Path, to: Path) -> Path:
        calls.append(self)
        if len(calls) == failing:
            raise error
        return real(self, to)

    monkeypatch.setattr(Path, "rename", rename)
    with pytest.raises(error):
        placing.put_in_place(stage, target, overwrite=True)
    assert text_of(target) == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == [stage.name, "out"]


def test_interrupted_after_the_swap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stage, target = _stage_and_target(tmp_path)
    real = Path.rename

    def rename(self: Path, to: Path) -> Path:
        real(self, to)
        if self == stage:
            raise KeyboardInterrupt
        return to

    monkeypatch.setattr(Path, "rename", rename)
    with pytest.raises(KeyboardInterrupt):
        placing.put_in_place(stage, target, overwrite=True)
    assert text_of(target) == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def _half(target: Path) -> None:
    with placing.staging(target) as stage:
        (stage / "file").write_text("half")
        raise OSError(28, "disk is full")


def test_staging_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="disk is full"):
        _half(tmp_path / "out")
    assert not list(tmp_path.iterdir())


def _appears(what: str, target: Path) -> None:
    """Something appears at the target; nobody asked for it to be replaced."""
    if what == "file":
        target.write_text("mine")
    elif what == "release":
        plain_release(target, "mine")
    elif what == "link":
        target.symlink_to(target.parent / "nowhere")
    else:
        target.mkdir()
        if what == "folder":
            (target / "notes").write_text("mine")


def _stands(what: str, target: Path) -> bool:
    """Whether it still stands there as it did."""
    match what:
        case "file":
            return target.read_text() == "mine"
        case "release":
            return text_of(target) == "mine"
        case "link":
            return target.is_symlink()
        case "folder":
            return (target / "notes").read_text() == "mine"
    return target.is_dir() and not list(target.iterdir())


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("what", ["file", "folder", "empty", "release", "link"])
def test_what_appears_while_a_release_is_made_is_not_deleted(
    what: str, overwrite: bool, tmp_path: Path
) -> None:
    target = tmp_path / "out"
    replaced = what == "release" and overwrite
    try:
        with placing.staging(target, overwrite=overwrite) as stage:
            plain_release(stage, "new", there=True)
            _appears(what, target)
            placing.put_in_place(stage, target, overwrite=overwrite)
    except OutputError as problem:
        assert not replaced
        assert str(problem).startswith(f"{target}: ")
        assert len(str(problem).splitlines()) == 1
        assert _stands(what, target)
    else:
        assert replaced
        assert text_of(target) == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("what", ["file", "folder", "empty", "release", "link"])
def test_what_appears_at_the_very_last_moment(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "out"
    real = placing._refuse_existing  # the last look before the place is taken

    def look(*given: Path, **how: bool) -> None:
        real(*given, **how)
        _appears(what, target)

    with placing.staging(target) as stage:
        plain_release(stage, "new", there=True)
        monkeypatch.setattr(placing, "_refuse_existing", look)
        with pytest.raises(OutputError, match="out: something appeared there while"):
            placing.put_in_place(stage, target)
        assert _stands(what, target)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_what_appears_where_a_release_was_moved_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage, target = _stage_and_target(tmp_path)
    real = Path.rename

    def rename(self: Path, to: Path) -> Path:
        real(self, to)
        if self == target:
            _appears("folder", target)
        return to

    monkeypatch.setattr(Path, "rename", rename)
    with pytest.raises(
        OutputError,
        match=r"out: something appeared .*; the release that stood there is now .*/out\.0123456789abcdef\.replaced",
    ):
        placing.put_in_place(stage, target, overwrite=True)
    assert _stands("folder", target)
    # Seen by everybody, and nothing that the next writer would take for its own.
    assert text_of(tmp_path / "out.0123456789abcdef.replaced") == "old"
    monkeypatch.undo()
    shutil.rmtree(stage)
    placing.clear(target)
    assert text_of(tmp_path / "out.0123456789abcdef.replaced") == "old"


def test_a_file_put_into_a_release_at_the_last_moment_is_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage, target = _stage_and_target(tmp_path)
    real = Path.rename

    def rename(self: Path, to: Path) -> Path:
        if self == target:
            (target / "notes.txt").write_text("mine")
        return real(self, to)

    monkeypatch.setattr(Path, "rename", rename)
    with pytest.raises(OutputError, match=r"holds 'notes\.txt', which is no part of a release"):
        placing.put_in_place(stage, target, overwrite=True)
    assert (target / "notes.txt").read_text() == "mine"
    assert text_of(target) == "old"


WRITER = """
import os, signal, sys
from pathlib import Path
from likeness.folder import layout as placing
from tests.folder.samples import plain_release

where = sys.argv[1]
def end(here):
    if here == where:
        os.kill(os.getpid(), signal.SIGKILL)

rename, mkdir = Path.rename, Path.mkdir
def killed_rename(self, to):
    found = rename(self, to)
    end("aside" if self.name == "out" else "placed")
    return found
def killed_mkdir(self, *given, **how):
    mkdir(self, *given, **how)
    if self.name == "out":
        end("taken")
Path.rename, Path.mkdir = killed_rename, killed_mkdir
overwrite = Path("out").exists()
with placing.staging(Path("out").resolve(), overwrite=overwrite) as stage:
    plain_release(stage, "new", there=True)
    if where == "waiting":
        print("staged", flush=True)
        sys.stdin.read()
    end("staged")
    placing.put_in_place(stage, Path("out").resolve(), overwrite=overwrite)
"""


def _writer(where: str, place: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, where],
        cwd=place,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.mark.slow
@pytest.mark.parametrize("before", ["nothing", "release"])
@pytest.mark.parametrize("where", ["staged", "aside", "taken", "placed"])
def test_what_a_killed_writer_left_is_put_in_order_by_the_next(
    where: str, before: str, tmp_path: Path
) -> None:
    if before == "nothing" and where == "aside":
        return  # There is nothing to move aside.
    target = tmp_path / "out"
    if before == "release":
        plain_release(target, "old")
    with _writer(where, tmp_path) as process:
        process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    left = {path.name for path in tmp_path.iterdir()} - {"out"}
    assert left
    assert text_of(target) in {"old", "new", ""}
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        placing.clear(target)
    # All that was left is gone, and every piece of it was told of in a line; a lock's empty file is nothing.
    assert {path.name for path in tmp_path.iterdir()} <= {"out"}
    lines = [str(warning.message) for warning in told]
    assert all(len(line.splitlines()) == 1 for line in lines)
    kept = {"nothing": "", "release": "old"}[before]
    assert text_of(target) == ("new" if where == "placed" else kept)
    pieces = {name for name in left if not name.endswith(".lock")}
    assert len(lines) == len(pieces)
    if (before, where) == ("nothing", "taken"):
        # The empty folder that it took may as well be somebody's.
        target.rmdir()
    with placing.staging(target, overwrite=True) as stage:
        plain_release(stage, "newer", there=True)
        placing.put_in_place(stage, target, overwrite=True)
    assert text_of(target) == "newer"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.slow
def test_one_writer_at_a_time(tmp_path: Path) -> None:
    target = tmp_path / "out"
    with _writer("waiting", tmp_path) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "staged\n"
        half = next(tmp_path.glob(".out.*.partial"))
        for begin in (placing.check_target, lambda *_, **how: placing.staging(target, **how).__enter__()):
            with pytest.raises(OutputError, match="out: another process is writing it") as problem:
                begin(target, overwrite=False)
            assert problem.value.exit_code == 2
        assert half.exists()
        process.kill()
    with pytest.warns(
        UserWarning, match=rf"{half.name}: was deleted: a process that was killed had written it"
    ):
        placing.check_target(target, overwrite=False)
    assert not list(tmp_path.iterdir())


def test_a_release_that_was_moved_aside_is_kept_where_something_else_came(tmp_path: Path) -> None:
    stage, target = _stage_and_target(tmp_path)
    aside = target.rename(stage.with_suffix(".replaced"))
    _appears("folder", target)
    for _ in range(2):
        with pytest.warns(UserWarning, match="something else is there now, so move or delete both yourself"):
            placing.clear(target)
    assert text_of(aside) == "old"
    assert text_of(stage) == "new"
    assert _stands("folder", target)


def test_only_what_writers_leave_is_taken_for_it(tmp_path: Path) -> None:
    names = [
        ".out.partial",
        ".out.0123.partial",
        ".output.0123456789abcdef.partial",
        "out.0123456789abcdef.partial",
        ".out.draft.partial",
    ]
    for name in names:
        (tmp_path / name).mkdir()
    (tmp_path / ".out.lock").write_text("mine")
    with placing.staging(tmp_path / "out") as stage:
        assert stage.exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*names, ".out.lock"])
    assert (tmp_path / ".out.lock").read_text() == "mine"
