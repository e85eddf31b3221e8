"""Headless Chromium, for tests that look at pages as people see them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

SWITCHES = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip


@contextmanager
def opened() -> Iterator[Any]:
    """A browser; skips, saying why, where there is none."""
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        if os.environ.get("LIKENESS_BROWSER_REQUIRED"):
            pytest.fail("LIKENESS_BROWSER_REQUIRED is set, but there is no Chromium")
        pytest.skip("there is no Chromium: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=path, args=list(SWITCHES))
        yield browser
        browser.close()


@contextmanager
def shown(browser: Any, path: Path, width: int, scheme: str = "light") -> Iterator[tuple[Any, list[str]]]:
    """A page as it is shown, its pictures drawn, and what went wrong."""
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    wrong: list[str] = []
    page = context.new_page()
    page.on("console", lambda said: wrong.append(said.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on(
        "request",
        lambda asked: None if asked.url.startswith(("file:", "data:", "blob:")) else wrong.append(asked.url),
    )
    page.goto(path.resolve().as_uri())
    if page.locator("figure.picture").count():
        page.wait_for_selector("html[data-drawn]", timeout=60_000)
    yield page, wrong
    context.close()
