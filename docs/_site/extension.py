"""The Sphinx extension of this site: what pages ask to have generated, and how docstrings name things."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sphinx.domains.python import PyXRefRole

from _site.blocks import blocks
from _site.listings import LISTINGS
from _site.pictures import Drawn, run, shown
from likeness.report import script

if TYPE_CHECKING:
    from docutils.nodes import Element
    from sphinx.addnodes import pending_xref
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

    from likeness.report.pictures import Picture

GENERATED = re.compile(r"^<!-- generated: (\S+) ?(.*?) -->$", re.MULTILINE)
"""Where a page asks for a listing (`LISTINGS`), or for ``pictures NAME …``."""
TUTORIAL, FOLDER, TABLE = "docs/tutorial.md", "out", "hospital.csv"
"""The page whose release is drawn, and where that release and its table are."""
REPORT = "tutorial-report"
"""Where the site has the pages that came with that release."""
DRAWING = "pictures.min.js"


class NamedRole(PyXRefRole):
    """What docstrings write between single backticks: a link where this site documents it, else code."""

    def process_link(
        self, env: BuildEnvironment, refnode: Element, has_explicit_title: bool, title: str, target: str
    ) -> tuple[str, str]:
        """Look names up among the public ones."""
        title, target = super().process_link(env, refnode, has_explicit_title, title, target)
        refnode.attributes.update({"refdomain": "py", "reftype": "obj", "only_named": True})
        return title, target if target.startswith("likeness.") else f"likeness.{target}"


def leave_as_code(app: Sphinx, env: BuildEnvironment, node: pending_xref, shown: Element) -> Element | None:
    """Let what is only named, and not documented, stay code."""
    del app, env
    return shown if node.get("only_named") else None


def generate(app: Sphinx, docname: str, source: list[str]) -> None:
    """Put what a page asks for in its place; a page that shows what commands print is run, and shows that."""
    page = f"docs/{docname}.md"
    drawn: dict[str, Picture] = {}
    if any(block.language == "console" for block in blocks(page)):
        release = Drawn(FOLDER, TABLE, Path(app.outdir) / REPORT) if page == TUTORIAL else None
        source[0], drawn = run(page, source[0], release)

    def write(asked: re.Match[str]) -> str:
        name, *words = asked[1], *asked[2].split()
        return shown(drawn, words) if name == "pictures" else LISTINGS[name](*words)

    source[0] = GENERATED.sub(write, source[0])


def draw(app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: Element | None) -> None:
    """Give pages with pictures the script that draws them; whoever has no mouse can scroll in a wide block."""
    del template, doctree
    if "body" in context:
        context["body"] = context["body"].replace("<pre>", '<pre tabindex="0">')
    if pagename == Path(TUTORIAL).stem:
        app.add_js_file(DRAWING, loading_method="defer")


def put_script(app: Sphinx, problem: Exception | None) -> None:
    """Put the drawing script beside the pages, and its licences beside it."""
    if problem is None and app.builder.format == "html":
        for name in (DRAWING, "LICENSES.txt"):
            shutil.copy(Path(script.__file__).with_name(name), Path(app.outdir) / "_static" / name)


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx."""
    app.add_role("named", NamedRole())
    app.connect("source-read", generate)
    app.connect("missing-reference", leave_as_code)
    app.connect("html-page-context", draw)
    app.connect("build-finished", put_script)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
