"""Put files and folders in place whole or not at all: one writer at a time, and nothing left of one that was killed.

Whoever writes ``out`` holds a lock on ``.out.lock`` beside it, which ends with the process, and writes ``.out.….partial``, which
is then renamed. So what is found under such a name by somebody who holds the lock was left by a process that is no more.

A process that must end, because somebody pressed Ctrl-C, cannot rely on an exception: raised wherever the signal arrives, it is
swallowed by libraries written in C, comes out of them as another error, or ends numba's compiler with a segmentation fault. So
whoever writes something names here how to undo it, before it begins, and the command line undoes all of it and ends the process
at once.
"""

from __future__ import annotations

import os
import re
import warnings
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

from likeness.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

try:
    import fcntl
except ImportError:  # pragma: no cover  # where there are no such locks, nobody is kept from writing twice
    fcntl = None  # type: ignore[assignment]


_LISTENING = 0.1
"""Seconds after which who waits looks for signals: where polars is loaded, they wake nobody."""


class Apart(Thread):
    """Something that is done by a thread of its own, because in the main one it would keep Ctrl-C to itself.

    It keeps no process from ending.

    Examples
    --------
    >>> Apart(lambda: 2 + 3).result()
    5
    """

    def __init__(self, work: Callable[[], Any]) -> None:
        super().__init__(daemon=True)
        self._work, self._made = work, None
        self._raised: BaseException | None = None
        self.start()

    def run(self) -> None:
        """Do it, and keep what came of it."""
        try:
            self._made = self._work()
        except BaseException as error:  # noqa: BLE001  # whoever waits for it raises it
            self._raised = error

    def result(self) -> Any:
        """Wait until it is done; what it gave, or raised."""
        while self.is_alive():
            self.join(_LISTENING)
        if self._raised is not None:
            raise self._raised
        return self._made


_HEX = 16
PARTIAL, REPLACED = ".partial", ".replaced"


@contextmanager
def locked(target: Path) -> Iterator[None]:
    """Be the only one who writes a file or folder, for the time of the block.

    ``target``: absolute; the folder it is in must exist.
    Raises `OutputError` when another process writes it, or no lock can be had there.
    """
    path = target.parent / f".{target.name}.lock"
    held: list[int] = []
    with unfinished(partial(_unlock, path, held)):
        while not held:
            _lock(path, target, held)
        yield


def _lock(path: Path, target: Path, held: list[int]) -> None:
    """Lock a file that is still there when it is locked; try again otherwise."""
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
    except OSError as problem:
        raise OutputError(f"{target}: cannot be written ({problem.strerror or problem})") from None
    try:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(file), path.lstat()):
            held.append(file)
    except BlockingIOError:
        raise OutputError(
            f"{target}: another process is writing it; wait until it is done, or give another name"
        ) from None
    except FileNotFoundError:
        pass  # Whoever held the lock is done with it just now.
    except OSError as problem:
        raise OutputError(
            f"{target}: cannot be locked against other writers ({problem.strerror or problem}); write to another disk"
        ) from None
    finally:
        if not held:
            os.close(file)


def _unlock(path: Path, held: list[int]) -> None:
    """Take the lock's file away, and let go of it; a file that holds something is somebody's."""
    while held:
        file = held.pop()
        with suppress(OSError):
            if os.fstat(file).st_size == 0:
                path.unlink()
        os.close(file)


def clear(target: Path) -> None:
    """Put in order what processes left that were killed while they wrote a file or folder; say so in a warning.

    What is half-written is deleted. A folder that was moved aside goes back to its place, unless the new one got there:
    then it is deleted. ``target``: absolute. Raises `OutputError` when another process writes it at this moment.
    """
    if fcntl is None or not (_left(target) or (target.parent / f".{target.name}.lock").exists()):
        return
    with locked(target):
        clear_locked(target)


def clear_locked(target: Path) -> None:
    """Do what `clear` does, for somebody who holds the lock."""
    if fcntl is None:  # pragma: no cover
        return
    left = _left(target)
    for aside in (path for path in left if path.suffix == REPLACED):
        half = aside.with_suffix(PARTIAL)
        if half not in left:
            _delete(aside, f"{target} replaced it, and the process that did was killed before it deleted it")
        elif _is_free(target):
            # The place may have been taken already, by an empty folder.
            aside.rename(target)
            warnings.warn(f"{target}: is back; a process that was to replace it was killed", stacklevel=2)
        else:
            left = [path for path in left if path not in {aside, half}]
            warnings.warn(
                f"{aside}: was at {target}, and {half.name} was to replace it, when a process was killed; something else is "
                "there now, so move or delete both yourself",
                stacklevel=2,
            )
    for half in (path for path in left if path.suffix == PARTIAL):
        _delete(half, f"a process that was killed had written it, on the way to {target}")


def _left(target: Path) -> list[Path]:
    """Find what processes have left beside a place, or write there now."""
    name = re.compile(
        rf"\.{re.escape(target.name)}\.[0-9a-f]{{{_HEX}}}({re.escape(PARTIAL)}|{re.escape(REPLACED)})"
    )
    try:
        return sorted(path for path in target.parent.iterdir() if name.fullmatch(path.name))
    except OSError:
        return []


def _is_free(target: Path) -> bool:
    """Whether there is nothing at a place, or an empty folder."""
    if not os.path.lexists(target):
        return True
    return target.is_dir() and not target.is_symlink() and not any(target.iterdir())


def _delete(path: Path, why: str) -> None:
    """Delete what was left; say so."""
    import shutil  # every command asks what an interruption undoes, few write

    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
    what = "cannot be deleted wholly; delete it yourself" if os.path.lexists(path) else "was deleted"
    warnings.warn(f"{path}: {what}: {why}", stacklevel=3)


def beside(target: Path) -> Path:
    """Choose a name for what will be put in a place."""
    return target.parent / f".{target.name}.{os.urandom(_HEX // 2).hex()}{PARTIAL}"


def write_files(files: Mapping[Path, Callable[[Path], object]], *, overwrite: bool) -> None:
    """Write files beside their places, then put them there: all of them, or none that was not there before.

    ``files``: place to what writes the file to the path it is given. Without ``overwrite`` nothing is replaced, whenever it
    appeared. Raises `OutputError` when one cannot be written; nothing is left then.
    """
    placed: list[Path] = []
    done: list[bool] = []
    with unfinished(partial(_take_back, placed, done)):
        _write_next(list(files.items()), [], placed, overwrite=overwrite)
        done.append(True)


def _write_next(
    files: list[tuple[Path, Callable[[Path], object]]],
    staged: list[tuple[Path, Path, Path]],
    placed: list[Path],
    *,
    overwrite: bool,
) -> None:
    """Write the next file with its lock held, then the others; put all in place when the last is written."""
    if not files:
        for path, stage, target in staged:
            _put(path, stage, target, placed, overwrite=overwrite)
        return
    (path, write), *others = files
    target = path.resolve()
    with locked(target):
        clear_locked(target)
        stage = beside(target)
        with unfinished(partial(stage.unlink, missing_ok=True)):
            try:
                stage.touch(exist_ok=False)
                write(stage)
            except OSError as problem:
                raise OutputError(f"{path}: cannot be written ({problem.strerror or problem})") from None
            _write_next(others, [*staged, (path, stage, target)], placed, overwrite=overwrite)


def _put(path: Path, stage: Path, target: Path, placed: list[Path], *, overwrite: bool) -> None:
    """Put a finished file in its place."""
    try:
        if overwrite:
            stage.replace(target)
            return
        # A link is never made in place of something else, as a file that is renamed is.
        try:
            os.link(stage, target)
        except FileExistsError:
            raise
        except OSError:
            # There are disks without links: there the place is taken by an empty file first.
            target.touch(exist_ok=False)
            placed.append(target)
            stage.replace(target)
        else:
            placed.append(target)
    except FileExistsError:
        raise OutputError(
            f"{path}: appeared while it was being made; say --overwrite to replace it, or give another name"
        ) from None
    except OSError as problem:
        raise OutputError(f"{path}: cannot be written ({problem.strerror or problem})") from None


def _take_back(placed: list[Path], done: list[bool]) -> None:
    """Take away what was put in place, unless all of it was."""
    if not done:
        for path in placed:
            path.unlink(missing_ok=True)


_UNDOING: list[Callable[[], object]] = []


def remember(undo: Callable[[], object]) -> None:
    """Undo something (see `unfinished`) when the process must end, for as long as it lives."""
    _UNDOING.append(undo)


@contextmanager
def unfinished(undo: Callable[[], object]) -> Iterator[None]:
    """Undo something when the block ends, however it ends, or when the process must end within it.

    ``undo`` leaves nothing half-written wherever the block was left; where the block finished its work, or was undone
    before, it changes nothing. An `OSError` of it is ignored.
    """
    remember(undo)
    try:
        yield
    finally:
        with suppress(OSError):
            undo()
        _UNDOING.remove(undo)


def undo_all() -> None:
    """Undo all that is unfinished, the last begun first; blocks that go on afterwards undo it again when they end."""
    for undo in reversed(_UNDOING):
        with suppress(OSError):
            undo()


def check_file(path: Path, *, overwrite: bool) -> None:
    """Refuse a place where a file cannot or must not be written, before any work is done.

    What a killed process had left of such a file is deleted.

    Parameters
    ----------
    path
        The file.
    overwrite
        Whether one that exists may be replaced.

    Raises
    ------
    OutputError
        Saying why.
    """
    parent = path.absolute().parent
    writable = parent.is_dir() and os.access(parent, os.W_OK | os.X_OK)
    if writable:
        clear(path.resolve())
    if path.is_dir():
        raise OutputError(f"{path}: is a folder; give a file")
    if path.exists() and not path.is_file():
        raise OutputError(f"{path}: is a device or a pipe, which would be replaced by a file; give a file")
    if path.exists() and not overwrite:
        raise OutputError(f"{path}: already exists; say --overwrite to replace it, or give another name")
    if not parent.is_dir():
        raise OutputError(f"{path}: cannot be written: the folder {parent} does not exist; make it first")
    if not writable:
        raise OutputError(f"{path}: cannot be written: no right to write in {parent}")


def write_text(path: Path, text: str, *, overwrite: bool) -> None:
    """Write a text file; UTF-8."""
    write_files({path: as_text(text)}, overwrite=overwrite)


def as_text(text: str) -> Callable[[Path], object]:
    """Make the writer of a text file; UTF-8."""
    return partial(Path.write_text, data=text, encoding="utf-8", newline="\n")
