"""A written release for every test that tampers with one."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.folder.samples import Folder, release


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release folder, not to be changed."""
    return release().write(tmp_path_factory.mktemp("written") / "out")


@pytest.fixture
def folder(written: Path, tmp_path: Path) -> Folder:
    """A release folder to tamper with."""
    return Folder(Path(shutil.copytree(written, tmp_path / "out")))
