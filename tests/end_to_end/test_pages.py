"""What the pages tell people to type does what they say."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from likeness.cli import main

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"(?:^`([\w-]+\.yaml)`:\n\n)?^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
"""A block of a page: the file that it is, its language, its text."""

FEWER = {"10000": "600"}
"""Rows that a page generates, and that are generated here."""


def blocks(page: str) -> list[tuple[str, str, str]]:
    """All blocks of a page, in order."""
    return BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))


def commands(text: str) -> list[list[str]]:
    """The commands of a block."""
    found = [shlex.split(line, comments=True) for line in text.splitlines()]
    return [words[1:] for words in found if words[:1] == ["likeness"]]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "number"), [("README.md", 9), ("docs/people.md", 19), ("docs/knowledge.md", 13)]
)
def test_what_a_page_says_works(page, number, tmp_path, monkeypatch, capsys):
    """As it stands, but of a table of `FEWER` rows: ten searches of 10,000 take minutes and show nothing else."""
    monkeypatch.chdir(tmp_path)
    ran = 0
    for file, language, text in blocks(page):
        if file:
            (tmp_path / file).write_text(text)
        elif language == "python":
            exec(compile(text, page, "exec"), {})
        elif language in {"", "sh"}:
            for typed in commands(text):
                words = [FEWER.get(word, word) for word in typed]
                assert main(words) == 0, (words, capsys.readouterr().err)
                ran += 1
    assert ran == number
