"""The parts of a release folder are found, whichever part is given."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from likeness.errors import InvalidError
from likeness.folder import verify
from likeness.folder.layout import digest, find_layout
from likeness.proving.certificate import read_json

if TYPE_CHECKING:
    from pathlib import Path

    from tests.folder.samples import Folder


def test_folder_and_public_alone(written: Path) -> None:
    whole, part = find_layout(written), find_layout(written / "public")
    assert (whole.public, whole.private) == (written / "public", written / "private")
    assert (part.public, part.private) == (written / "public", None)
    assert whole.label(written / "public/release.csv") == "public/release.csv"
    assert part.label(written / "public/release.csv") == "release.csv"
    assert whole.strangers() == part.strangers() == []


@pytest.mark.parametrize("name", ["release.csv", "quasi.parquet", "certificate.json"])
def test_one_file_is_enough_to_look_at(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("")
    assert find_layout(tmp_path).public == tmp_path


def test_anything_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other.csv").write_text("")
    with pytest.raises(InvalidError, match="holds neither public/ nor certificate"):
        find_layout(tmp_path)


def test_digest(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"abc")
    assert digest(tmp_path / "x") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_a_link_to_itself_leads_nowhere(folder: Folder) -> None:
    folder.table.unlink()
    folder.table.symlink_to(folder.table.name)
    (problem,) = verify(folder.root / "public").problems
    assert problem == "release.csv: is a link that leads out of the release; nothing of it is read"


def test_a_page_of_any_size_is_not_read(folder: Folder) -> None:
    page = folder.root / "public/certificate.html"
    os.truncate(page, 1 << 32)
    assert "certificate.html: does not say what certificate.json says" in verify(page.parent).problems


def test_a_key_is_found_twice_among_very_many() -> None:
    keys = ", ".join(f'"{i}": 0' for i in range(200_000))
    with pytest.raises(ValueError, match="the key 'z' stands there twice"):
        read_json(f'{{{keys}, "z": 1, "z": 2}}')
