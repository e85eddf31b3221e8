"""Whatever a user's table, files and policy call things: no page runs it, and every page shows it as it is written."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import polars as pl
import pytest
from tests.report.html_check import without_scripts

import likeness as lk
from likeness.hierarchies.rows import from_rows
from likeness.tables.reading import read

FILE = "<script>file.csv"
NAMES = {role: f"<script>{role}</script>" for role in ("who", "age", "place", "disease", "note")}
PLACES = [f"<img src=x onerror=town{i}>" for i in range(4)]
REGION, ROOT = "<script>region</script>", "<script>everywhere</script>"
DISEASES = [f"'\"><script>disease{i}</script>&amp;" for i in range(3)]
MARKER = "</pre><script>marker</script>"


class _Seen(HTMLParser):
    """The tags of a page, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: set[str] = set()
        self.handlers: set[str] = set()
        self.said = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.handlers |= {name for name, _ in attrs if name.startswith("on")}

    def handle_data(self, data: str) -> None:
        self.said += data


def table(rows: int = 60) -> pl.DataFrame:
    """People with two records each."""
    return pl.DataFrame(
        {
            NAMES["who"]: [f"<script>person {i // 2}</script>" for i in range(rows)],
            NAMES["age"]: [30 + i // 2 for i in range(rows)],
            NAMES["place"]: [PLACES[i // 2 % 4] for i in range(rows)],
            NAMES["disease"]: [DISEASES[i % 3] for i in range(rows)],
            NAMES["note"]: [f"<script>note {i % 2}</script>" for i in range(rows)],
        }
    )


def policy() -> lk.Policy:
    """A policy that names all of it."""
    hierarchy = {ROOT: {REGION: PLACES[:2], "elsewhere": PLACES[2:]}}
    columns: dict[str, Any] = {
        NAMES["who"]: lk.identifier(),
        NAMES["age"]: lk.quasi(),
        NAMES["place"]: lk.quasi(hierarchy=hierarchy),
        NAMES["disease"]: lk.sensitive(kind="ordered", domain=DISEASES, missing={"markers": [MARKER]}),
        NAMES["note"]: lk.other(),
    }
    privacy = lk.KAnonymity(4) & lk.DistinctLDiversity(2, sensitive=NAMES["disease"])
    return lk.Policy(columns=columns, individual=NAMES["who"], privacy=privacy, method="mondrian")


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Every page there is, by its name."""
    folder = tmp_path_factory.mktemp("odd")
    file = folder / FILE
    table().write_csv(file)
    declared = policy()
    release = lk.anonymize(read(file), declared, seed=1)
    release.write(folder / "out")
    found = {path.name: path.read_text(encoding="utf-8") for path in sorted((folder / "out").rglob("*.html"))}
    rows = [[place, REGION if place in PLACES[:2] else "elsewhere", ROOT] for place in PLACES]
    shown = {
        "table": read(file),
        "policy": declared,
        "profile": lk.profile(read(file)),
        "hierarchy": from_rows(rows, NAMES["place"], where=str),
        "check": lk.check(read(file), declared, seed=1),
        "release": release,
    }
    return found | {name: one._repr_html_() for name, one in shown.items()}


PUBLISHED = [NAMES["age"], NAMES["place"], NAMES["disease"], NAMES["note"]]
DECLARED = [*NAMES.values(), REGION, ROOT, MARKER]
SAID = {
    "certificate.html": PUBLISHED,
    "report.html": [*DECLARED, *PLACES, *DISEASES],
    "table": [*NAMES.values(), *PLACES, FILE],
    "policy": [*DECLARED, DISEASES[0]],
    "profile": [*NAMES.values(), *DISEASES, FILE],
    "hierarchy": [NAMES["place"], REGION, ROOT],
    "check": [NAMES["disease"], FILE],
    "release": [NAMES["disease"]],
}
"""What each page shows of it; pages that are missing here fail the test below."""


def test_all_pages_are_looked_at(pages):
    assert set(pages) == set(SAID)


@pytest.mark.parametrize("name", SAID)
def test_nothing_of_a_users_texts_is_run(pages, name):
    page = pages[name]
    seen = _Seen(without_scripts(page))
    assert page.count("<script") == page.count("<figure") + (1 if "<figure" in page else 0)
    assert seen.tags.isdisjoint({"script", "img"})
    assert seen.handlers == set()
    for text in SAID[name]:
        assert text in seen.said
