"""Files are written whole or not at all."""

from __future__ import annotations

import pytest

from likeness.errors import OutputError
from likeness.placing import check_file, write_files, write_text


def test_written_as_any_new_file(tmp_path):
    (tmp_path / "other").write_text("")
    write_text(tmp_path / "a.yaml", "β\n", overwrite=False)
    assert (tmp_path / "a.yaml").read_bytes() == "β\n".encode()
    assert (tmp_path / "a.yaml").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_nothing_is_left_when_writing_fails(tmp_path):
    (tmp_path / "a.csv").write_text("before")

    def fail(stage):
        stage.write_text("half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_files({tmp_path / "a.csv": fail}, overwrite=True)
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]
    assert (tmp_path / "a.csv").read_text() == "before"


def test_a_full_disk_is_one_line(tmp_path):
    def fail(stage):
        raise OSError(28, "No space left on device")

    with pytest.raises(OutputError, match=r"a\.csv: cannot be written \(No space left on device\)"):
        write_files({tmp_path / "a.csv": fail}, overwrite=True)
    assert list(tmp_path.iterdir()) == []


def test_places_where_nothing_can_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    check_file(tmp_path / "new", overwrite=False)
    check_file(tmp_path / "file", overwrite=True)
    for path, words in (
        (tmp_path / "file", "already exists"),
        (tmp_path, "is a folder"),
        (tmp_path / "no" / "file", "does not exist"),
        (tmp_path / "file" / "x", "does not exist"),
    ):
        with pytest.raises(OutputError, match=words):
            check_file(path, overwrite=False)
