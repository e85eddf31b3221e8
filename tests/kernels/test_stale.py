"""Compiled kernels go when what they inline changes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import likeness.kernels
from likeness.kernels._stale import digests, drop_stale

FILES = {
    "alone": "x = 1\n",
    "low": "y = 1\n",
    "middle": "from likeness.kernels.low import y\n",
    "high": "if True:\n    from likeness.kernels.middle import (\n        z,\n    )\n",
}


def folders(tmp_path):
    sources, cache = tmp_path / "sources", tmp_path / "cache"
    sources.mkdir()
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
    drop_stale(sources, cache)
    assert left(cache) == set()  # nobody noted what these were compiled from
    compiled(cache)
    drop_stale(sources, cache)
    assert left(cache) == set(FILES)
    for name, stay in (
        ("low", {"alone"}),
        ("middle", {"alone", "low"}),
        ("high", {"alone", "low", "middle"}),
    ):
        compiled(cache)
        (sources / f"{name}.py").write_text(FILES[name] + "# changed\n")
        drop_stale(sources, cache)
        assert left(cache) == stay
        (sources / f"{name}.py").write_text(FILES[name])
        drop_stale(sources, cache)
    assert sorted(path.name for path in cache.glob("digests*")) == ["digests.json"]


def test_a_broken_note_is_as_none(tmp_path):
    sources, cache = folders(tmp_path)
    (cache / "digests.json").write_text("{")
    compiled(cache)
    drop_stale(sources, cache)
    assert left(cache) == set()
    assert json.loads((cache / "digests.json").read_text()) == digests(sources)


def test_a_place_that_cannot_be_written_is_left_alone(tmp_path):
    sources, _ = folders(tmp_path)
    drop_stale(sources, tmp_path / "nowhere")


def test_every_kernel_that_imports_another_is_seen_to():
    folder = Path(likeness.kernels.__file__).parent
    before = digests(folder)
    assert {path.stem for path in folder.glob("*.py")} == set(before)
    for path in folder.glob("*.py"):
        # Any other way to import a kernel would not be found.
        other = r"^\s*(import likeness|from likeness import|from likeness.kernels import|from \.)"
        assert not re.search(other, path.read_text(encoding="utf-8"), re.MULTILINE), path
