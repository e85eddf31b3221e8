"""Writes what was found: CSV files, plots, and a report of claims."""

from __future__ import annotations

import csv
from collections import Counter
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from papers.figures.results import Claim, Panel, Results

SHORT = {True: "holds", False: "**no**", None: "–"}
READINGS = {"paper": "methods as in the paper", "library": "this library's defaults"}


class Titled(Protocol):
    """A table that is reported on."""

    @property
    def name(self) -> str:
        """Short, for folders."""

    @property
    def title(self) -> str:
        """What it is."""


def write_csv(panel: Panel, folder: Path) -> Path:
    """Write the numbers of a panel."""
    path = folder / f"figure_{panel.name}.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(panel.table())
    return path


def write_claims(claims: Sequence[Claim], path: Path) -> None:
    """Write all claims and what was found as CSV."""
    with path.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["figure", "section", "claim", "compared", "rule", "verdict", "measured", "why"])
        for one in claims:
            why = one.why if one.outcome.holds is False else ""
            compared = READINGS[one.reading]
            out.writerow(
                [one.panel, one.section, one.text, compared, one.rule, one.verdict, one.outcome.measured, why]
            )


def report(
    found: Iterable[tuple[Titled, Results]], notes: Iterable[str], plotted: str | None, title: str
) -> str:
    """Write the report.

    Parameters
    ----------
    found
        Tables with their results.
    notes
        Lines about the run.
    plotted
        Ending of the plots beside the numbers; None when there are none.
    title
        The paper.
    """
    both = list(found)
    twice = "A claim is judged twice: with the methods as the paper describes them, and with this library's defaults."
    lines = [
        f"# {title}: the paper's claims beside what was measured",
        "",
        "Every verdict is computed from the numbers in the CSV files by the rule beside it.",
        *([twice] if len(_readings(both)) > 1 else []),
        "How the runs were made is in `papers/README.md`.",
        "",
        *(f"* {note}" for note in notes),
    ]
    lines += ["", "## All claims", "", *_matrix(both)]
    for subject, results in both:
        lines += ["", f"## {subject.title}", "", *_summary(results.claims, _readings(both)), ""]
        for panel in results.panels:
            lines += _panel(subject, panel, results.claims, plotted)
    return "\n".join(lines) + "\n"


def _matrix(found: Sequence[tuple[Titled, Results]]) -> list[str]:
    """Write every claim with all its verdicts, one row each."""
    columns = [(subject.name, reading) for subject, _ in found for reading in _readings(found)]
    verdicts: dict[tuple[str, str], dict[tuple[str, str], str]] = {}
    for subject, results in found:
        for claim in results.claims:
            row = verdicts.setdefault((_unread(claim.panel), claim.text), {})
            row[subject.name, claim.reading] = SHORT[claim.outcome.holds]
    heads = ["figure", "the paper says", *(f"{name}: {READINGS[reading]}" for name, reading in columns)]
    lines = ["| " + " | ".join(heads) + " |", "| " + " | ".join("---" for _ in heads) + " |"]
    for (panel, text), row in verdicts.items():
        cells = [panel, text.replace("|", "\\|"), *(row.get(column, "") for column in columns)]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def _readings(found: Sequence[tuple[Titled, Results]]) -> list[str]:
    """Readings that claims are judged in, in order."""
    used = {claim.reading for _, results in found for claim in results.claims}
    return [reading for reading in READINGS if reading in used]


def _unread(panel: str) -> str:
    """Name the panel of both readings."""
    return panel.removesuffix("-library")


def _summary(claims: Sequence[Claim], readings: Sequence[str]) -> list[str]:
    """Count verdicts."""
    lines = []
    for reading in readings:
        compared = READINGS[reading]
        counts = Counter(claim.verdict for claim in claims if claim.reading == reading)
        plural = {"holds": "hold", "does not hold": "do not hold", "not measured": "could not be measured"}
        told = ", ".join(f"{counts[verdict]} {words}" for verdict, words in plural.items() if counts[verdict])
        lines.append(
            f"* {compared}: of {counts.total()} claims {told}" if told else f"* {compared}: no claim"
        )
    return lines


def _panel(subject: Titled, panel: Panel, claims: Sequence[Claim], plotted: str | None) -> list[str]:
    """Write one figure with its claims."""
    head = f"Figure {panel.name}: {panel.title}" if panel.name[0].isdigit() else panel.title
    lines = [f"### {head}", ""]
    if plotted is not None and panel.y:
        lines += [f"![{panel.title}]({subject.name}/figure_{panel.name}.{plotted})", ""]
    lines += [*_table(panel), ""]
    if panel.note:
        lines += [panel.note, ""]
    own = [claim for claim in claims if claim.panel == panel.name]
    if own:
        lines += [
            "| the paper says | compared | verdict | measured | rule |",
            "| --- | --- | --- | --- | --- |",
        ]
        lines += [_row(claim) for claim in own]
        lines.append("")
    return lines


def _row(claim: Claim) -> str:
    """Write one claim."""
    why = f" Why: {claim.why}." if claim.why and claim.outcome.holds is False else ""
    verdict = claim.verdict if claim.outcome.holds else f"**{claim.verdict}**"
    cells = (
        f"{claim.text} ({claim.section})",
        READINGS[claim.reading],
        verdict,
        f"{claim.outcome.measured}.{why}",
        claim.rule,
    )
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _table(panel: Panel) -> list[str]:
    """Write the curves of a panel."""
    columns = panel.shown
    lines = [
        "| " + " | ".join([panel.x, *columns, *panel.words]) + " |",
        "| " + " | ".join("---" for _ in range(len(columns) + len(panel.words) + 1)) + " |",
    ]
    for i, x in enumerate(panel.xs):
        cells = [_cell(values[i], panel.spread.get(name, [])[i : i + 1]) for name, values in columns.items()]
        words = [own[i].replace("|", "\\|") for own in panel.words.values()]
        first = panel.labels[i] if panel.labels else f"{x:g}"
        lines.append("| " + " | ".join([first, *cells, *words]) + " |")
    return lines


def _cell(value: float, spread: Sequence[float]) -> str:
    """Write a number, with half its interval where there is one."""
    if value != value:  # noqa: PLR0124  # NaN
        return "–"
    return " ± ".join([f"{value:.4g}", *(f"{half:.2g}" for half in spread if half == half)])  # noqa: PLR0124  # NaN
