"""A small check of HTML: every element closed, nothing fetched, nothing run."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = {"meta", "br", "hr", "img", "link", "input"}
KNOWN = {
    "html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "p", "ul", "li", "div", "table", "caption",
    "thead", "tbody", "tr", "th", "td", "pre", "code", "strong",
}  # fmt: skip
INSIDE = {
    "li": {"ul"}, "caption": {"table"}, "thead": {"table"}, "tbody": {"table"}, "tr": {"thead", "tbody"},
    "th": {"tr"}, "td": {"tr"}, "title": {"head"}, "style": {"head"}, "meta": {"head"}, "main": {"body"},
    "table": {"div"}, "div": {"main"}, "p": {"main"}, "ul": {"main"}, "h1": {"main"}, "h2": {"main"},
}  # fmt: skip


class _Checker(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.cells: list[int] = []
        self.declared = ""

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

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, tag
        if tag == "table":
            assert len(set(self.cells)) == 1, self.cells


def check_html(page: str) -> None:
    """Fail when a page is not well formed, has uneven tables, fetches or runs anything."""
    assert page.startswith('<!DOCTYPE html>\n<html lang="en">')
    assert '<meta charset="utf-8">' in page
    assert "url(" not in page
    assert "@import" not in page
    checker = _Checker()
    checker.feed(page)
    checker.close()
    assert checker.declared == "DOCTYPE html"
    assert checker.open == []
