"""The folder of a comparison."""

from __future__ import annotations

import json
import stat

import pytest
from tests.comparing.runs import run

import likeness as lk
from likeness.comparing.kept import Identity, keeping, seed_kept

OWN = Identity("table", "policy", 7)


def begin(folder, identity=OWN, *, overwrite=False):
    with keeping(folder, identity, overwrite=overwrite) as kept:
        kept.keep("abc", run("mondrian", 5, 0.1))
        kept.finish({"policy.yaml": "columns: {}\n", "comparison.html": "<p>"})
    return folder


def test_finished_runs_are_found_again(tmp_path):
    folder = begin(tmp_path / "out")
    with keeping(folder, OWN, overwrite=False) as kept:
        assert kept.find("abc") == run("mondrian", 5, 0.1)
        assert kept.find("abd") is None
    assert seed_kept(folder) == 7
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out"]


def test_what_was_recommended_of_other_runs_goes(tmp_path):
    folder = begin(tmp_path / "out")
    assert (folder / "policy.yaml").exists()
    with keeping(folder, OWN, overwrite=False) as kept:
        kept.finish({"comparison.html": "<p>"})
    assert not (folder / "policy.yaml").exists()


def test_what_tells_of_the_original_is_the_stewards(tmp_path):
    folder = begin(tmp_path / "out")
    assert sorted(path.name for path in folder.iterdir()) == ["policy.yaml", "private"]
    assert stat.S_IMODE((folder / "private").stat().st_mode) == 0o700


@pytest.mark.parametrize(
    ("identity", "words"),
    [
        (Identity("other", "policy", 7), "of another table"),
        (Identity("table", "other", 7), "under another policy"),
        (Identity("table", "policy", 8), "with another seed"),
        (Identity("other", "other", 7), "of another table"),
    ],
)
def test_another_comparison_is_refused_or_begun_afresh(tmp_path, identity, words):
    folder = begin(tmp_path / "out")
    with (
        pytest.raises(lk.OutputError, match=f"{words}; say --overwrite"),
        keeping(folder, identity, overwrite=False),
    ):
        pass
    with keeping(folder, OWN, overwrite=False) as kept:
        assert kept.find("abc") is not None
    with keeping(folder, identity, overwrite=True) as kept:
        assert kept.find("abc") is None
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out"]
    assert not (folder / "policy.yaml").exists()


def test_another_version_is_refused(tmp_path):
    folder = begin(tmp_path / "out")
    asked = folder / "private" / "asked.json"
    asked.write_text(json.dumps(json.loads(asked.read_text()) | {"likeness": "0.1"}))
    with pytest.raises(lk.OutputError, match="another version"), keeping(folder, OWN, overwrite=False):
        pass


@pytest.mark.parametrize("overwrite", [False, True])
def test_what_is_no_comparison_stays(tmp_path, overwrite):
    other = tmp_path / "other"
    other.mkdir()
    (other / "thesis.txt").write_text("x")
    with pytest.raises(lk.OutputError, match="is no comparison"), keeping(other, OWN, overwrite=overwrite):
        pass
    assert (other / "thesis.txt").exists()
    folder = begin(tmp_path / "out")
    (folder / "thesis.txt").write_text("x")
    with pytest.raises(lk.OutputError, match=r"thesis\.txt"), keeping(folder, OWN, overwrite=overwrite):
        pass
    assert (folder / "thesis.txt").exists()


def test_one_process_at_a_time(tmp_path):
    with (
        keeping(tmp_path / "out", OWN, overwrite=False),
        pytest.raises(lk.OutputError, match="another process"),
        keeping(tmp_path / "out", OWN, overwrite=False),
    ):
        pass


def test_a_broken_file_is_named(tmp_path):
    folder = begin(tmp_path / "out")
    (folder / "private" / "runs" / "abc.json").write_text("{")
    with keeping(folder, OWN, overwrite=False) as kept, pytest.raises(lk.OutputError, match=r"abc\.json"):
        kept.find("abc")


def test_keys_tell_everything_apart():
    keys = {
        identity.key(entropy)
        for identity in (OWN, Identity("other", "policy", 7), Identity("table", "policy", 8))
        for entropy in (1, 2)
    }
    assert len(keys) == 6


def test_no_folder_to_put_it_in(tmp_path):
    with (
        pytest.raises(lk.OutputError, match="make it first"),
        keeping(tmp_path / "no" / "out", OWN, overwrite=False),
    ):
        pass


def test_without_a_folder_nothing_is_kept():
    with keeping(None, OWN, overwrite=False) as kept:
        kept.keep("abc", run("mondrian", 5, 0.1))
        assert kept.find("abc") is None
