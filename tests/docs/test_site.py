"""The site builds without a warning, shows what its tutorial made, has every name, fetches nothing: one test, one build."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from docs._site.blocks import ROOT
from tests.browser import opened, shown

import likeness as lk


@pytest.mark.slow
def test_the_site(tmp_path):
    site = build(tmp_path)
    the_tutorial_shows_its_release(site)
    every_name_can_be_found(site)
    nothing_is_fetched(site)
    links_within_the_site_lead_somewhere(site)
    pictures_are_drawn(site)


def build(made: Path) -> Path:
    """Build it as `make docs` does."""
    words = [
        "-b",
        "html",
        "-E",
        "-W",
        "--keep-going",
        "-q",
        "-d",
        made / "trees",
        ROOT / "docs",
        made / "html",
    ]
    path = os.pathsep.join((str(ROOT / "src"), os.environ.get("PYTHONPATH", "")))
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", *map(str, words)],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return made / "html"


def text(site: Path, page: str) -> str:
    """A page of it."""
    return (site / page).read_text(encoding="utf-8")


def the_tutorial_shows_its_release(site: Path) -> None:
    page = text(site, "tutorial.html")
    for name in ("risk", "column-2", "column-4", "generalized", "losses", "query-error"):
        assert f'<figure class="picture" id="{name}"' in page
    assert "pictures.min.js" in page
    assert (site / "_static" / "pictures.min.js").is_file()
    assert re.search(r"proven \(1,000 records in \d+ classes\)", page), "what commands printed"
    assert "In pictures" in text(site, "tutorial-report/report.html")
    assert "A hospital" in text(site, "tutorial-report/certificate.html")


def every_name_can_be_found(site: Path) -> None:
    from sphinx.util.inventory import InventoryFile

    found = InventoryFile.loads((site / "objects.inv").read_bytes(), uri="").data
    names = {name for kind, objects in found.items() if kind.startswith("py:") for name in objects}
    missing = {f"likeness.{name}" for name in dir(lk)} - names
    assert not missing


def nothing_is_fetched(site: Path) -> None:
    """Links lead elsewhere when somebody follows them; scripts, styles, fonts and pictures are the site's own."""
    fetched = re.compile(
        r"<(?:script|img|iframe|source|embed)[^>]*\ssrc=\"(?:https?:)?//|<link[^>]*\shref=\"(?:https?:)?//[^>]*>"
    )
    for page in site.rglob("*.html"):
        assert not fetched.search(page.read_text(encoding="utf-8")), page
    for style in site.rglob("*.css"):
        assert not re.search(r"url\(['\"]?(?:https?:)?//|@import", style.read_text(encoding="utf-8")), style


def links_within_the_site_lead_somewhere(site: Path) -> None:
    """Also those that Sphinx passes on unread: raw HTML, and what was generated."""
    for page in site.rglob("*.html"):
        if page.parent.name == "tutorial-report":
            continue
        for href in re.findall(r"<a [^>]*href=\"([^\"]+)\"", page.read_text(encoding="utf-8")):
            file, _, place = href.partition("#")
            if "://" in href or href.startswith("mailto:"):
                continue
            target = (page.parent / file).resolve() if file else page
            assert target.is_file(), (page, href)
            if place and target.suffix == ".html":
                assert f'id="{place}"' in target.read_text(encoding="utf-8"), (page, href)


def pictures_are_drawn(site: Path) -> None:
    """On a phone, light and dark; in what is ours of the page, beside the theme's frame, nobody is left out."""
    from axe_playwright_python.sync_playwright import Axe

    with opened() as browser:
        for scheme in ("light", "dark"):
            with shown(browser, site / "tutorial.html", 390, scheme) as (page, wrong):
                assert page.locator("figure.picture svg.marks").count() == 6
                assert page.evaluate("document.documentElement.scrollWidth") <= 390
                assert wrong == []
                found = Axe().run(page, context="article").response["violations"]
                assert [(own["id"], own["nodes"][0]["html"][:200]) for own in found] == []
