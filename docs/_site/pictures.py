"""Pictures of the release that a page makes, drawn by the script that draws them in a steward's report."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from _site.blocks import Runner

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from likeness.report.pictures import Picture


@dataclass(frozen=True)
class Ran:
    """What came of a page's blocks.

    Parameters
    ----------
    pictures
        Those of its release, by name; those of columns by the column's.
    printed
        What the page says that its commands print, each with what they printed.
    """

    pictures: dict[str, Picture]
    printed: list[tuple[str, str]]

    def filled(self, text: str) -> str:
        """Put what was printed into the page's text."""
        place = 0
        for expected, printed in self.printed:
            if expected:
                place = text.index(expected, place)
                text = text[:place] + printed + text[place + len(expected) :]
                place += len(printed)
        return text


def run(page: str, folder: str, table: str, kept: Path) -> Ran:
    """Run a page's blocks, keep the pages that came with its release, and draw the release.

    Parameters
    ----------
    page
        The page.
    folder, table
        The release that it makes, and the table that it makes it of.
    kept
        Where the report and the certificate are put.
    """
    import likeness as lk
    from likeness.report.pictures import pictures

    with tempfile.TemporaryDirectory() as place:
        made = Path(place)
        runner = Runner(made)
        runner.run(page)
        kept.mkdir(parents=True, exist_ok=True)
        for one in ("private/report.html", "public/certificate.html"):
            shutil.copy(made / folder / one, kept)
        drawn, _ = pictures(lk.open_release(made / folder, original=lk.read(made / table)))
    named = {one.title if one.name.startswith("column-") else one.name: one for one in drawn}
    return Ran(named, runner.shown)


def shown(pictures: dict[str, Picture], names: Collection[str]) -> str:
    """Write pictures as a report has them: drawn, told, and as a table."""
    unknown = [name for name in names if name not in pictures]
    if unknown:
        raise ValueError(f"there is no picture {unknown[0]!r}; there are {', '.join(pictures)}")
    return "\n".join(_figure(pictures[name]) for name in names)


def _figure(one: Picture) -> str:
    """Write one picture as HTML that Markdown passes on: no empty line may stand in it."""
    return "\n".join(
        (
            f'<figure class="picture" id="{one.name}" data-told="{escape(one.told)}">',
            f"<figcaption>{escape(one.title)}</figcaption>",
            '<div class="drawn"></div>',
            f'<script type="application/json">{one.text}</script>',
            f"<p>{escape(one.told)}</p>",
            f"<details><summary>Numbers of {escape(one.title)}</summary>",
            f"<table><thead>{_row(one.head, 'th')}</thead><tbody>",
            *(_row(row, "td") for row in one.rows),
            "</tbody></table></details>",
            "</figure>",
        )
    )


def _row(cells: Sequence[str], tag: str) -> str:
    """Write a row of a table."""
    return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"
