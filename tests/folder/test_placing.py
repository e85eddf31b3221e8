"""Folders are replaced only when they are releases, and restored when that fails."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.folder.samples import release

from likeness.errors import OutputError
from likeness.folder import placing


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


@pytest.mark.parametrize("failing", [1, 2])
@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
def test_failed_swap_restores(
    failing: int, error: type[BaseException], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage, target = tmp_path / ".out.x.partial", tmp_path / "out"
    for folder, text in ((stage, "new"), (target, "old")):
        folder.mkdir()
        (folder / "file").write_text(text)
    real, calls = Path.rename, []

    def rename(self: Path, to: Path) -> Path:
        calls.append(self)
        if len(calls) == failing:
            raise error
        return real(self, to)

    monkeypatch.setattr(Path, "rename", rename)
    with pytest.raises(error):
        placing.put_in_place(stage, target)
    assert (target / "file").read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == [".out.x.partial", "out"]


def test_interrupted_after_the_swap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stage, target = tmp_path / ".out.x.partial", tmp_path / "out"
    for folder, text in ((stage, "new"), (target, "old")):
        folder.mkdir()
        (folder / "file").write_text(text)
    real = Path.rename

    def rename(self: Path, to: Path) -> Path:
        real(self, to)
        if self == stage:
            raise KeyboardInterrupt
        return to

    monkeypatch.setattr(Path, "rename", rename)
    with pytest.raises(KeyboardInterrupt):
        placing.put_in_place(stage, target)
    assert (target / "file").read_text() == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def _half(target: Path) -> None:
    with placing.staging(target) as stage:
        (stage / "file").write_text("half")
        raise OSError(28, "disk is full")


def test_staging_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="disk is full"):
        _half(tmp_path / "out")
    assert not list(tmp_path.iterdir())
