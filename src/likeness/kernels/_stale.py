"""Find compiled kernels that are older than what they inline.

numba compares a cached kernel with the file it stands in, not with those of the functions it calls, which are compiled
into it. After an upgrade such a kernel would go on with the old ones, and crash where their arguments have changed.
"""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_IMPORT = re.compile(rb"^\s*from likeness\.kernels\.(\w+) import", re.MULTILINE)
_NOTE = "digests.json"


def drop_stale(sources: Path, cache: Path) -> None:
    """Delete the compiled kernels of modules that changed, or that import one that did, since this was last called.

    Parameters
    ----------
    sources
        Folder of the kernels.
    cache
        Folder where numba keeps them compiled; notes what they were compiled from.
    """
    note, now = cache / _NOTE, digests(sources)
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


def digests(sources: Path) -> dict[str, str]:
    """Digest each module together with all that it imports, directly or not.

    Parameters
    ----------
    sources
        Folder of the kernels.
    """
    texts = {path.stem: path.read_bytes() for path in sorted(sources.glob("*.py"))}
    imports = {name: {found.decode() for found in _IMPORT.findall(text)} for name, text in texts.items()}
    found = {}
    for name in texts:
        reached, ahead = {name}, [name]
        while ahead:
            new = (imports[ahead.pop()] & texts.keys()) - reached
            reached |= new
            ahead += new
        parts = [sha256(texts[one]).digest() for one in sorted(reached)]
        found[name] = sha256(b"".join(parts)).hexdigest()
    return found
