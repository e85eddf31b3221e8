"""Whatever byte is changed, verification fails with a sentence and never with a traceback."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.folder.samples import patients

import likeness as lk

FILES = [
    "public/release.csv",
    "public/certificate.json",
    "public/certificate.html",
    "private/audit.json",
    "private/classes.parquet",
    "private/report.html",
]
PIECES = st.one_of(
    st.binary(min_size=1, max_size=3),
    st.sampled_from(
        [b'"', b"\n", b",", b"{", b"}", b"[", b"null", b"-1", b"1e999", b"\\", b"*", b"NaN", b"\x00"]
    ),
)


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_every_change_is_found(name: str, written: Path) -> None:
    kept = (written / name).read_bytes()

    @settings(deadline=None, max_examples=12, database=None)
    @given(st.integers(0, len(kept) - 1), st.integers(0, 4), PIECES)
    def change(at: int, gone: int, piece: bytes) -> None:
        changed = kept[:at] + piece + kept[at + gone :]
        if changed == kept:
            return
        with tempfile.TemporaryDirectory() as place:
            folder = Path(shutil.copytree(written, Path(place) / "out"))
            (folder / name).write_bytes(changed)
            verdict = lk.verify(folder, patients())
            assert not verdict.ok
            assert any(Path(name).name in problem for problem in verdict.problems)
            if name.startswith("public"):
                assert not lk.verify(folder / "public").ok

    change()
