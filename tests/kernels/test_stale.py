"""Compiled kernels go when what they inline changes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import likeness.kernels
from likeness.kernels._compiling import digests, drop_stale, kernel_files

FILES = {
    "alone": "x = 1\n",
    "low": "y = 1\n",
    "middle": "from likeness.kernels.low import y\n",
    "high": "if True:\n    from likeness.kernels.middle import (\n        z,\n    )\n",
}


def folders(tmp_path):
    sources, cache = tmp_path / "sources" / "kernels", tmp_path / "cache"
    sources.mkdir(parents=True)
    cache.mkdir()
    for name, text in FILES.items():
        (sources / f"{name}.py").write_text(text)
    return sources, cache


def compiled(cache):
    """Make a compiled kernel of each module."""
    for name in FILES:
        (cache / f"{name}.run-7.py311.nbi").write_text("index")
        (cache / f"{name}.run-7.py311.1.nbc").write_text("code")


def left(cache):
    return {path.name.split(".")[0] for path in cache.glob("*.nb?")}


def test_what_imports_a_changed_module_goes_with_it(tmp_path):
    sources, cache = folders(tmp_path)
    compiled(cache)
    drop_stale(sources.parent, lambda file: cache)
    assert left(cache) == set()  # nobody noted what these were compiled from
    compiled(cache)
    drop_stale(sources.parent, lambda file: cache)
    assert left(cache) == set(FILES)
    for name, stay in (
        ("low", {"alone"}),
        ("middle", {"alone", "low"}),
        ("high", {"alone", "low", "middle"}),
    ):
        compiled(cache)
        (sources / f"{name}.py").write_text(FILES[name] + "# changed\n")
        drop_stale(sources.parent, lambda file: cache)
        assert left(cache) == stay
        (sources / f"{name}.py").write_text(FILES[name])
        drop_stale(sources.parent, lambda file: cache)
    assert sorted(path.name for path in cache.glob("digests*")) == ["digests.json"]


def test_a_broken_note_is_as_none(tmp_path):
    sources, cache = folders(tmp_path)
    (cache / "digests.json").write_text("{")
    compiled(cache)
    drop_stale(sources.parent, lambda file: cache)
    assert left(cache) == set()
    assert json.loads((cache / "digests.json").read_text()) == {
        name.removeprefix("kernels."): digest for name, digest in digests(sources.parent).items()
    }


def test_a_place_that_cannot_be_written_is_left_alone(tmp_path):
    sources, _ = folders(tmp_path)
    drop_stale(sources.parent, lambda file: tmp_path / "nowhere")


def test_kernels_of_one_subject_go_with_shared_ones(tmp_path):
    package = tmp_path / "package"
    for name, text in {
        "kernels/shared": "x = 1\n",
        "methods/one/kernels": "from likeness.kernels.shared import x\n",
        "methods/other/kernels/deep": "y = 1\n",
        "methods/one/__init__": "x = 1\n",
    }.items():
        path = package / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    caches = {}

    def cache_of(file):
        cache = caches.setdefault(file.parent, tmp_path / str(len(caches)))
        cache.mkdir(exist_ok=True)
        return cache

    def compile_all():
        for path in kernel_files(package).values():
            (cache_of(path) / f"{path.stem}.run-7.py311.nbi").write_text("index")

    def left():
        return {path.name.split(".")[0] for path in tmp_path.glob("*/*.nbi")}

    drop_stale(package, cache_of)
    compile_all()
    drop_stale(package, cache_of)
    assert left() == {"shared", "kernels", "deep"}
    (package / "kernels/shared.py").write_text("x = 2\n")
    drop_stale(package, cache_of)
    assert left() == {"deep"}


def test_every_kernel_is_seen_to():
    package = Path(likeness.kernels.__file__).parents[1]
    files = kernel_files(package)
    assert set(files) == set(digests(package))
    for path in files.values():
        # Any other way to import a kernel would not be found.
        other = r"^\s*(import likeness|from likeness import|from \.)"
        assert not re.search(other, path.read_text(encoding="utf-8"), re.MULTILINE), path
    for path in set(package.rglob("*.py")) - set(files.values()):
        assert not re.search(r"^\s*(from|import) numba", path.read_text(encoding="utf-8"), re.MULTILINE), path
