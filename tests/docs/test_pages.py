"""What the pages tell people to type does what they say: every block of README.md and of all of docs/."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import yaml
from docs._site.blocks import ROOT, PageError, Runner, blocks

FEWER = {"10000": "600"}
"""Rows that a page generates, and that are generated here: ten searches of 10,000 take minutes and show nothing else."""
PAGES = sorted(str(path.relative_to(ROOT)) for path in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
TYPED = re.compile(r"^(?:\$ )?likeness (?!\w+ …)", re.MULTILINE)
RAN = {"", "sh", "console"}
RUN_BY_THE_SITE = {page for page in PAGES if any(block.language == "console" for block in blocks(page))}
"""Run by `test_site.py`: the site shows what came of them."""


def languages(page: str) -> set[str]:
    """Languages of a page's blocks."""
    return {block.language for block in blocks(page)}


@pytest.mark.slow
@pytest.mark.parametrize(
    "page",
    [
        page
        for page in PAGES
        if page not in RUN_BY_THE_SITE and languages(page) & {*RAN, "python", "pycon", "bash"}
    ],
)
def test_what_a_page_says_works(page, tmp_path):
    typed = sum(len(TYPED.findall(block.text)) for block in blocks(page) if block.language in RAN)
    scripts = sum(block.language == "bash" for block in blocks(page))
    assert Runner(tmp_path, FEWER).run(page) == typed + scripts


def test_every_block_is_found():
    for page in PAGES:
        text = (ROOT / page).read_text(encoding="utf-8")
        directives = len(re.findall(r"^```\{", text, re.MULTILINE))
        assert len(re.findall(r"^\s*```", text, re.MULTILINE)) == 2 * (len(blocks(page)) + directives), page


def test_every_block_has_a_language_that_is_run_or_says_that_it_is_text():
    known = {*RAN, "python", "pycon", "bash", "yaml", "json", "toml", "text"}
    assert {language for page in PAGES for language in languages(page)} <= known


def test_yaml_is_yaml():
    texts = [block for page in PAGES for block in blocks(page) if block.language == "yaml"]
    assert len(texts) > 20
    for block in texts:
        assert isinstance(yaml.safe_load(block.text), dict), block.where


LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)|href=\"([^\"]+)\"")


def links(page: Path) -> list[str]:
    """Where a page links to, blocks left out."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    return [one or other for one, other in LINK.findall(text)]


def test_links_to_other_sites_are_written_as_such():
    """There is no internet here, so whether anybody answers is not asked."""
    for page in PAGES:
        for link in links(ROOT / page):
            if "://" in link:
                parts = urlsplit(link)
                assert parts.scheme == "https", (page, link)
                assert re.fullmatch(r"[\w-]+(\.[\w-]+)+", parts.netloc), (page, link)


def test_links_to_files_find_them_also_where_sphinx_does_not_look():
    """In the repository's own pages; of the site's Sphinx says it, with places within a page."""
    made = {"tutorial-report/report.html", "tutorial-report/certificate.html"}
    pages = [*(ROOT / page for page in PAGES), *ROOT.glob("*.md"), *(ROOT / "papers").rglob("*.md")]
    for page in pages:
        for link in links(page):
            file = link.partition("#")[0]
            if file and "://" not in link and link not in made:
                assert (page.parent / file).exists(), (page, link)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("```console\n$ likeness list knowledge\nsomething else\n```", "and not\nsomething else"),
        ("```console\n$ likeness show nothing\nerror: ...\n$ echo $?\n0\n```", "prints\n2\n"),
        ("```console\n$ likeness show nothing\n...\n$ likeness list forms\n...\n```", "exits with 2"),
        ("```sh\nlikeness show nothing\n```", "exits with 2"),
        ("```sh\nfalse\n```", "exits with 1"),
        ("```bash\nfalse\ntrue\n```", "exits with 1"),
        ("```pycon\n>>> 1 + 1\n3\n\n```", "Expected:\n    3"),
        ("```ruby\nputs 1\n```", "nothing says how 'ruby' is run"),
    ],
)
def test_a_block_that_is_wrong_is_noticed(text, why, tmp_path, monkeypatch):
    monkeypatch.setattr("docs._site.blocks.ROOT", tmp_path)
    (tmp_path / "page.md").write_text(f"{text}\n")
    with pytest.raises(PageError, match=re.escape(why)):
        Runner(tmp_path).run("page.md")


def test_a_last_command_that_fails_is_noticed(tmp_path, monkeypatch):
    monkeypatch.setattr("docs._site.blocks.ROOT", tmp_path)
    (tmp_path / "page.md").write_text("```console\n$ likeness show nothing\n...\n```\n")
    with pytest.raises(PageError, match="exits with 2"):
        Runner(tmp_path).run("page.md")


def test_what_is_told_once_on_a_machine_is_no_part_of_a_page(tmp_path, monkeypatch):
    from likeness import cli

    monkeypatch.setattr("docs._site.blocks.ROOT", tmp_path)
    (tmp_path / "page.md").write_text("```console\n$ likeness check\ncan be met\n```\n")

    def compiled(words):
        print("compiling, once on this machine: a first run may take minutes\ncan be met")
        return 0

    monkeypatch.setattr(cli, "main", compiled)
    assert Runner(tmp_path).run("page.md") == 1
