"""Compiled kernels: whether numba is compiling one, which are older than what they inline, and that none is taken for another.

The first run on a machine spends its time there. numba compares a cached kernel with the file it stands in, not with those of
the functions it calls, which are compiled into it. After an upgrade such a kernel would go on with the old ones, and crash where
their arguments have changed.

numba tells functions of one name apart by a number that every process counts from 1, also those it compiles into a kernel. Two
cached kernels that two processes compiled may so hold different functions of the same name, as ``sort`` and ``argsort`` do; a
third process that loads both runs one in the place of the other (numba's issue 10486). Counted from a random number, they differ.
"""

from __future__ import annotations

import gc
import json
import os
import re
from contextlib import suppress
from hashlib import sha256
from itertools import count
from pathlib import Path
from secrets import randbits
from typing import TYPE_CHECKING

from numba.core.bytecode import FunctionIdentity
from numba.core.event import Listener, register

from likeness.progress import when_compiling

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numba.core.event import Event


_OBJECTS = 200_000
"""Objects that may be made while a kernel is compiled before the garbage collector looks at them: nearly all of them
stay until it is, and looking at them again and again took a fifth of a first run."""


class _Depth(Listener):
    """Counts compilations under way; one may begin others. While there are any, garbage is collected less often."""

    def __init__(self) -> None:
        self.depth = 0
        self.thresholds = gc.get_threshold()

    def on_start(self, event: Event) -> None:
        if self.depth == 0:
            self.thresholds = gc.get_threshold()
            gc.set_threshold(max(self.thresholds[0], _OBJECTS), *self.thresholds[1:])
        self.depth += 1
        while when_compiling:
            when_compiling.pop()()

    def on_end(self, event: Event) -> None:
        self.depth -= 1
        if self.depth == 0:
            gc.set_threshold(*self.thresholds)


_depth = _Depth()
register("numba:compile", _depth)


def compiling() -> bool:
    """Tell whether a kernel is being compiled; one that was compiled before is only loaded."""
    return _depth.depth > 0


def count_apart() -> None:
    """Number the functions that this process compiles as no other process does."""
    FunctionIdentity._unique_ids = count(randbits(62))  # noqa: SLF001


count_apart()
with suppress(AttributeError):  # there is no forking on Windows
    os.register_at_fork(after_in_child=count_apart)


_IMPORT = re.compile(r"^\s*from likeness\.([\w.]+) import", re.MULTILINE)
_NOTE = "digests.json"
# Part of every digest: raised when kernels compiled before must go though no source changed.
_GENERATION = b"6"


def kernel_files(package: Path) -> dict[str, Path]:
    """Files of the modules that hold kernels, named ``kernels`` or in folders of that name, by dotted name in the package."""
    found = {}
    # Every process that runs a kernel looks: not file by file.
    for place, _, names in os.walk(package):
        inside = Path(place).relative_to(package).parts
        for name in names:
            if name == "kernels.py" or (name.endswith(".py") and "kernels" in inside):
                found[".".join((*inside, name.removesuffix(".py")))] = Path(place, name)
    return found


def drop_stale(package: Path, cache_of: Callable[[Path], Path | None]) -> None:
    """Delete compiled kernels of modules that changed, or that import one that did, since this was last called.

    ``cache_of`` gives the folder where numba keeps what it compiled of a file, or None; digests are noted there.
    """
    files = kernel_files(package)
    now = _digests_of(files)
    places: dict[Path, dict[str, str]] = {}
    for folder in {path.parent for path in files.values()}:
        own = {path.stem: now[name] for name, path in files.items() if path.parent == folder}
        cache = cache_of(min(path for path in files.values() if path.parent == folder))
        if cache is not None:
            places.setdefault(cache, {}).update(own)
    for cache, of_files in places.items():
        _drop(cache, of_files)


def _drop(cache: Path, now: dict[str, str]) -> None:
    """Delete from one folder of compiled kernels."""
    note = cache / _NOTE
    before: dict[str, str] = {}
    with suppress(OSError, ValueError):
        before = json.loads(note.read_text(encoding="ascii"))
    if before == now:
        return
    with suppress(OSError):
        for name in sorted(now.keys() | before.keys()):
            if before.get(name) != now.get(name):
                for compiled in cache.glob(f"{name}.*.nb[ci]"):
                    compiled.unlink(missing_ok=True)
        mine = cache / f"{_NOTE}.{os.getpid()}"
        mine.write_text(json.dumps(now), encoding="ascii")
        mine.replace(note)


def digests(package: Path) -> dict[str, str]:
    """Digest each module of kernels, by dotted name, together with all those that it imports, directly or not."""
    return _digests_of(kernel_files(package))


def _digests_of(files: Mapping[str, Path]) -> dict[str, str]:
    """Digest modules, by dotted name and file."""
    texts = {name: path.read_text(encoding="utf-8") for name, path in files.items()}
    imports = {name: set(_IMPORT.findall(text)) & texts.keys() for name, text in texts.items()}
    found = {}
    for name in texts:
        reached, ahead = {name}, [name]
        while ahead:
            new = imports[ahead.pop()] - reached
            reached |= new
            ahead += new
        parts = [sha256(texts[one].encode()).digest() for one in sorted(reached)]
        found[name] = sha256(_GENERATION + b"".join(parts)).hexdigest()
    return found
