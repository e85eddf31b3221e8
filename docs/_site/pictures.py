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
class Drawn:
    """Which release of a page is drawn.

    Parameters
    ----------
    folder, table
        The release that the page makes, and the table that it makes it of.
    kept
        Where its report and its certificate are put.
    """

    folder: str
    table: str
    kept: Path

    def pictures(self, made: Path) -> dict[str, Picture]:
        """Keep its pages and draw it: pictures by name, those of columns by the column's."""
        import likeness as lk
        from likeness.report.pictures import pictures

        self.kept.mkdir(parents=True, exist_ok=True)
        for one in ("private/report.html", "public/certificate.html"):
            shutil.copy(made / self.folder / one, self.kept)
        drawn, _ = pictures(lk.open_release(made / self.folder, original=lk.read(made / self.table)))
        return {one.title if one.name.startswith("column-") else one.name: one for one in drawn}


def run(page: str, text: str, drawn: Drawn | None) -> tuple[str, dict[str, Picture]]:
    """Run a page's blocks, put what was printed into its text, and draw its release where it has one."""
    with tempfile.TemporaryDirectory() as place:
        runner = Runner(Path(place))
        runner.run(page)
        pictures = drawn.pictures(Path(place)) if drawn else {}
    done = 0
    for expected, printed in runner.shown:
        if expected:
            done = text.index(expected, done)
            text = text[:done] + printed + text[done + len(expected) :]
            done += len(printed)
    return text, pictures


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
