"""What is cited can be found: papers by author and year, all of them in `docs/references.md`."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from tests.sources import FILES, ROOT, walked

TEXTS = [*FILES, *sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md", ROOT / "CHANGELOG.md"]

ELSEWHERE = re.compile(r"\b(?:spec(?:\s+sections?)?\s+[§A-Z]?\d|house\s+plan\b|paper\s+00\d)", re.IGNORECASE)
"""What stands in no repository that a reader has."""

NAME = r"(?:El )?[A-ZÀ-Ž][\w'-]*[a-zà-ž][\w'-]*"
CITED = re.compile(rf"({NAME}(?:(?:,\s+|,?\s+&\s+){NAME})*)(\s+et\s+al\.)?,?\s+\(?((?:19|20)\d\d)\b(?!-)")
"""Authors, whether there are more, and year."""

ENTRIES = [
    (re.split(r", | & ", authors.replace(" et al.", "")), year)
    for authors, year in re.findall(
        r"^\* \*\*(.+?) (\d{4})\*\*",
        (ROOT / "docs" / "references.md").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
]


def citations(text: str) -> list[tuple[list[str], bool, str]]:
    """Authors, whether there are more of them, and the year of every paper that a text cites."""
    return [
        (re.split(r",\s+|,?\s+&\s+", authors), bool(more), year)
        for authors, more, year in CITED.findall(text)
    ]


def listed(authors: list[str], more: bool, year: str) -> bool:
    """Whether references have a paper of these authors, the first one first."""
    return any(
        year == theirs
        and names[0].endswith(authors[0])
        and (more or len(names) == len(authors))
        and all(name in known for name, known in zip(authors, names, strict=False))
        for names, theirs in ENTRIES
    )


def docstrings(path: Path) -> list[str]:
    """Every docstring of a file, those of constants included."""
    return [
        node.value.value
        for node in walked(path)
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    ]


@pytest.mark.parametrize(
    "text", ["see spec 4.9", "Spec\nsection 2.1", "the house plan", "(Paper 002)", "spec T6"]
)
def test_what_a_reader_does_not_have_is_recognised(text):
    assert ELSEWHERE.search(text)


def test_only_what_a_reader_has_is_cited():
    found = {
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in TEXTS
        for match in ELSEWHERE.finditer(path.read_text(encoding="utf-8"))
    }
    assert not found


def test_how_citations_are_read():
    text = "(Xiao & Tao\n2006); Wang, Du, Luo & Li 2019 and Fazal et al. (2023), El Emam 2013; on 2024-03-01, 2005 people"
    assert citations(text) == [
        (["Xiao", "Tao"], False, "2006"),
        (["Wang", "Du", "Luo", "Li"], False, "2019"),
        (["Fazal"], True, "2023"),
        (["El Emam"], False, "2013"),
    ]
    assert listed(["Wang"], more=True, year="2019")
    assert not listed(["Wang"], more=False, year="2019")
    assert not listed(["Du", "Wang"], more=False, year="2019")
    assert not listed(["Wang"], more=True, year="2018")


def test_every_cited_paper_is_in_the_references():
    cited = {
        (" & ".join(authors), more, year, str(path.relative_to(ROOT)))
        for path in FILES
        for text in docstrings(path)
        for authors, more, year in citations(text)
    }
    assert len(cited) > 100
    missing = [one for one in sorted(cited) if not listed(one[0].split(" & "), more=one[1], year=one[2])]
    assert not missing


def test_every_reference_is_cited():
    cited = [one for path in FILES for text in docstrings(path) for one in citations(text)]
    for names, year in ENTRIES:
        assert any(year == theirs and names[0].endswith(authors[0]) for authors, _, theirs in cited), (
            f"{names} {year}"
        )
