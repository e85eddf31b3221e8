"""Pages as people see them: in headless Chromium, on a phone, on a screen and on paper."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.adult import complete
from tests.browser import opened, shown
from tests.comparing.runs import comparison, run

import likeness as lk

pytestmark = pytest.mark.slow
MOST_BYTES = 2_000_000
WIDTHS = (390, 1280)
EIGHT = ("age", "sex", "education", "race", "marital-status", "native-country", "workclass", "salary-class")
# A word is broken where the letters of a text without blanks stand on several lines; hyphens and slashes are places to break at.
BROKEN = """() => {
  const found = [], walk = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const node = walk.currentNode, holder = node.parentElement;
    if (holder.closest('script, svg, pre, p code, li code') || !holder.getClientRects().length) continue;
    for (const word of node.data.matchAll(/[\\p{L}\\p{N}.,_]+/gu)) {
      const range = document.createRange();
      range.setStart(node, word.index); range.setEnd(node, word.index + word[0].length);
      const tops = new Set([...range.getClientRects()].filter((r) => r.width > 0).map((r) => Math.round(r.top)));
      if (tops.size > 1) found.push(word[0]);
    }
  }
  return found;
}"""


def _adult(folder: Path | None) -> lk.Release:
    """Eight quasi-identifiers, of Adult where it is here."""
    if folder is None:
        pytest.skip("LIKENESS_DATA: the folder of real tables is not here")
    frame = complete(folder, 3_000)
    columns: dict[str, Any] = {
        name: lk.quasi(hierarchy=str(folder / "adult" / f"adult_hierarchy_{name}.csv")) for name in EIGHT
    }
    privacy = lk.KAnonymity(5) & lk.TCloseness("0.4", distance="equal")
    policy = lk.Policy(
        columns=columns | {"occupation": lk.sensitive(), "*": lk.drop()}, privacy=privacy, effort="quick"
    )
    return lk.anonymize(frame, policy, seed=1)


def _people(_: Path | None) -> lk.Release:
    """People with several records."""
    rows = [
        (f"p{i}", 20 + i % 40, "fm"[i % 2], f"disease {i * k % 11}") for i in range(150) for k in (1, 2, 5)
    ]
    frame = pl.DataFrame(rows, ["who", "age", "sex", "disease"], orient="row")
    columns = {"who": lk.identifier(), "age": lk.quasi(), "sex": lk.quasi(), "disease": lk.sensitive()}
    policy = lk.Policy(
        columns=columns, individual="who", privacy=lk.IrKlAnonymity(4, 3), form={"name": "identity-reserved"}
    )
    return lk.anonymize(frame, policy, seed=1)


def _hospital(method: Any) -> lk.Release:
    """A generated hospital, by a method."""
    columns = {"age": lk.quasi(), "sex": lk.quasi(), "diagnosis": lk.sensitive(), "*": lk.drop()}
    privacy = lk.BetaLikeness(4)
    policy = lk.Policy(columns=columns, privacy=privacy, method=method)
    return lk.anonymize(lk.Hospital().generate(2_000, seed=1), policy, seed=1)


RELEASES = {
    "adult": _adult,
    "people": _people,
    "perturbed": lambda _: _hospital("perturbation"),
    "two tables": lambda _: _hospital("angel"),
}


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """A browser; skips, saying why, where there is none."""
    with opened() as browser:
        yield browser


@pytest.fixture(scope="module", params=list(RELEASES))
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release folder."""
    from tests.conftest import find_data_folder

    return RELEASES[request.param](find_data_folder()).write(tmp_path_factory.mktemp("pages") / "out")


PAGES = {"report": "private/report.html", "certificate": "public/certificate.html"}


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", PAGES)
def test_every_picture_is_drawn_and_no_word_is_broken(
    chromium: Any, folder: Path, name: str, width: int
) -> None:
    with shown(chromium, folder / PAGES[name], width) as (page, wrong):
        figures = page.locator("figure.picture").count()
        assert page.locator("figure.picture svg.marks").count() == figures
        assert (figures > 4) == (name == "report")
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        assert page.evaluate(BROKEN) == []
        # The page itself never scrolls to the side; tables and pictures do, in their places.
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert wrong == []
    assert (folder / PAGES[name]).stat().st_size <= MOST_BYTES


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_nobody_is_left_out(chromium: Any, folder: Path, name: str, scheme: str) -> None:
    from axe_playwright_python.sync_playwright import Axe

    with shown(chromium, folder / PAGES[name], 1280, scheme) as (page, _):
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        # The dark is the same page in other colours.
        asked = {"runOnly": ["color-contrast"]} if scheme == "dark" else {}
        found = Axe().run(page, options={"resultTypes": ["violations"], **asked}).response["violations"]
    assert [(own["id"], own["nodes"][0]["html"][:200]) for own in found] == []


@pytest.mark.parametrize("name", PAGES)
def test_on_paper_it_says_the_same(chromium: Any, folder: Path, name: str, tmp_path: Path) -> None:
    with shown(chromium, folder / PAGES[name], 1280, "dark") as (page, wrong):
        page.emulate_media(media="print", color_scheme="light")
        page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
        assert page.evaluate(
            "[...document.querySelectorAll('main > details, figure > details')].every((one) => one.open)"
        )
        assert page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
        page.pdf(path=tmp_path / "page.pdf", format="A4")
    assert wrong == []
    printed = (tmp_path / "page.pdf").read_bytes()
    assert printed.startswith(b"%PDF")
    streams = re.findall(rb"stream\r?\n(.*?)endstream", printed, re.DOTALL)
    assert sum(b"BT" in _inflated(one) for one in streams) >= 1


def _inflated(stream: bytes) -> bytes:
    """What a stream of a PDF holds."""
    try:
        return zlib.decompressobj().decompress(stream)
    except zlib.error:
        return stream


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1280, "light")])
def test_a_comparison_is_drawn_and_is_for_everybody(
    chromium: Any, tmp_path: Path, width: int, scheme: str
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    runs = [
        run(method, k, k / (80 - size)) for k in (2, 5, 20) for size, method in enumerate(("burel", "mdav"))
    ]
    page_of = tmp_path / "comparison.html"
    page_of.write_text(comparison(runs).page(), encoding="utf-8")
    with shown(chromium, page_of, width, scheme) as (page, wrong):
        assert page.locator("figure.picture svg.marks").count() == 1
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        # The dark is the same page in other colours.
        asked = {"runOnly": ["color-contrast"]} if scheme == "dark" else {}
        found = Axe().run(page, options={"resultTypes": ["violations"], **asked}).response["violations"]
        assert [(own["id"], own["nodes"][0]["html"][:200]) for own in found] == []
    assert wrong == []
