"""A small check of HTML: every element closed, nothing fetched, nothing run but the script that a page allows by its digest."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser

VOID = {"meta", "br", "hr", "img", "link", "input"}
KNOWN = {
    "html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "p", "ul", "li", "div", "table", "caption",
    "thead", "tbody", "tr", "th", "td", "pre", "code", "strong", "h3",
    "figure", "figcaption", "details", "summary", "span", "script",
}  # fmt: skip
INSIDE = {
    "li": {"ul"}, "caption": {"table"}, "thead": {"table"}, "tbody": {"table"}, "tr": {"thead", "tbody"},
    "th": {"tr"}, "td": {"tr"}, "title": {"head"}, "style": {"head"}, "meta": {"head"}, "main": {"body"},
    "table": {"div"}, "div": {"main", "div", "figure", "details"}, "p": {"main", "div", "figure"}, "ul": {"main", "div"},
    "h1": {"main"}, "h2": {"main", "div"}, "figure": {"div"}, "figcaption": {"figure"}, "summary": {"details"},
    "script": {"body", "figure"},
    "details": {"main", "figure"},
}  # fmt: skip


class _Checker(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.cells: list[int] = []
        self.declared = ""
        self.script: str | None = None
        self.scripts: list[tuple[str, str]] = []

    def handle_decl(self, decl: str) -> None:
        self.declared = decl

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in KNOWN, tag
        parent = self.open[-1] if self.open else ""
        assert parent in INSIDE.get(tag, {parent}), f"<{tag}> inside <{parent}>"
        for name, value in attrs:
            assert not name.startswith("on"), name
            assert name not in {"src", "href", "action"}, (name, value)
        if tag == "table":
            self.cells = []
        if tag == "tr":
            self.cells.append(0)
        if tag in {"th", "td"}:
            self.cells[-1] += 1
        if tag not in VOID:
            self.open.append(tag)
        if tag == "script":
            self.script = dict(attrs).get("type") or ""

    def handle_data(self, data: str) -> None:
        if self.script is not None:
            self.scripts.append((self.script, data))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, tag
        self.script = None
        if tag == "table":
            assert len(set(self.cells)) == 1, self.cells


def without_scripts(page: str) -> str:
    """Leave out the drawing script and the data of pictures, which stand in a page as JSON."""
    return re.sub(r'<script(?: type="application/json")?>[^<]*(?:<(?!/script)[^<]*)*</script>', "", page)


def check_html(page: str) -> None:
    """Fail when a page is not well formed, has uneven tables, fetches or runs anything."""
    assert page.startswith('<!DOCTYPE html>\n<html lang="en">')
    assert '<meta charset="utf-8">' in page
    styles = "".join(re.findall(r"<style>.*?</style>", page, re.DOTALL))
    assert "url(" not in styles
    assert "@import" not in styles
    checker = _Checker()
    checker.feed(page)
    checker.close()
    assert checker.declared == "DOCTYPE html"
    texts: dict[str, str] = {}
    for kind in ("", "application/json"):
        for own, text in checker.scripts:
            if own == kind == "application/json":
                json.loads(text)
            elif own == kind:
                texts[own] = texts.get(own, "") + text
    assert {own for own, _ in checker.scripts} <= {"", "application/json"}
    allowed = re.findall(r"script-src '(sha256-[^']+)'", page)
    if texts:
        assert allowed == [f"sha256-{b64encode(sha256(texts[''].encode()).digest()).decode()}"]
    assert checker.open == []
