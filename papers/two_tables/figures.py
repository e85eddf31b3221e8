"""Figures 6 to 9, and those the paper lacks: queries with a sensitive condition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from papers.figures.results import Panel, Results
from papers.two_tables.claims import claims_of_figures
from papers.two_tables.measuring import PREDICATES, SELECTIVITIES, SELECTIVITY
from papers.two_tables.systems import CURVES

if TYPE_CHECKING:
    from papers.two_tables.bench import Bench

KS = (2, 4, 6, 8, 10)
"""Of the figures; the paper's axes have no numbers in its text."""
K = 4
"""What the paper fixes in figures 6B and 7B."""
PARTS = 6
"""Sizes of figures 6B and 9B: a sixth of the people, two sixths … (1,000 to 6,000 of 6,000)."""
BY_K, BY_PEOPLE, BY_SELECTIVITY = "k", "people", "selectivity"
ALL_QUASI, SENSITIVE = (
    "mean error of queries without a sensitive condition",
    "median error of queries with one",
)
SENSITIVE_NOTE = f"Queries have conditions on {PREDICATES} quasi-identifiers and on the sensitive column. "
RECORDS_NOTE = (
    "θ-sensitive (paper) takes every record for a person's, so that its n is the number of records, and its queries ask for "
    "values as those of (k,l)-diversity do; the others publish the highest category of everybody, and are asked for that."
)
OVERLAP_NOTE = (
    "Queries have a condition on every quasi-identifier, none on the sensitive column. A record counts as soon as its region "
    "meets the query (`counting: overlap`); the CSV file has the same with records spread evenly over their regions."
)
VULNERABLE_NOTE = (
    "Equation 25, read as the share of people of whom something that was not known becomes certain by the best "
    "of the attacks that the paper names (one record known, one category ruled out, one value known beside a set of several "
    "levels, a single candidate, one category in the class), through the quasi table. The CSV file has the same with the bucket "
    "known."
)
TIME_NOTE = "Processor time of the search and of what prepares the table for it; encoding and publishing are the same for all."


@dataclass(frozen=True)
class Figure:
    """One panel.

    Parameters
    ----------
    name
        As in the paper; ``queries-…`` for those that it lacks.
    title, y
        What it shows.
    what
        What of `Measured`; ``{x}`` stands for the selectivity.
    axis
        What changes: ``k``, ``people`` or ``selectivity``.
    extra
        What else the CSV file tells.
    note
        What a reader should know.
    """

    name: str
    title: str
    y: str
    what: str
    axis: str
    extra: tuple[str, ...] = ()
    note: str = ""

    def panel(self, bench: Bench) -> Panel:
        """Measure the curves."""
        everybody = bench.subject.count
        sizes = sorted({max(1, everybody * part // PARTS) for part in range(1, PARTS + 1)})
        axes: dict[str, list[tuple[float, int, int]]] = {
            BY_K: [(k, k, everybody) for k in KS],
            BY_PEOPLE: [(people, K, people) for people in sizes],
            BY_SELECTIVITY: [(share, K, everybody) for share in SELECTIVITIES],
        }
        at = axes[self.axis]
        for people in sorted({own for _, _, own in at}):
            bench.fill(CURVES, sorted({k for _, k, own in at if own == people}), people)

        def curves(what: str) -> dict[str, list[float]]:
            return {
                one.name: [bench.one(one, k, people)[what.format(x=f"{x:g}")] for x, k, people in at]
                for one in CURVES
            }

        fixed = {BY_K: f"{everybody:,} people", BY_PEOPLE: f"k = {K}"}.get(
            self.axis, f"k = {K}, {everybody:,} people"
        )
        more = {
            f"{name}: {what.format(x=self.axis)}": own
            for what in self.extra
            for name, own in curves(what).items()
        }
        xs = [float(x) for x, _, _ in at]
        return Panel(
            self.name,
            f"{self.title}; {fixed}",
            self.axis,
            self.y,
            xs,
            curves(self.what),
            extra=more,
            note=self.note,
            logarithmic=self.what != "vulnerable",
        )


LOSS, ERROR, SEARCH = "NCP", "relative error", "argsorts of as many int64"
ALL_AT = f"all, {SELECTIVITY:g}"
FIGURES = {
    one.name: one
    for one in (
        Figure("6a", "information loss", LOSS, "NCP", BY_K, ("NCP, invented counted", "invented")),
        Figure("6b", "information loss", LOSS, "NCP", BY_PEOPLE, ("NCP, invented counted", "invented")),
        Figure(
            "7a",
            ALL_QUASI,
            ERROR,
            ALL_AT,
            BY_K,
            (f"{ALL_AT}, uniform",),
            f"{OVERLAP_NOTE} {RECORDS_NOTE}",
        ),
        Figure(
            "7b",
            ALL_QUASI,
            ERROR,
            "all, {x}",
            BY_SELECTIVITY,
            ("all, {x}, uniform",),
            OVERLAP_NOTE,
        ),
        Figure(
            "8a",
            "vulnerable records",
            "share of people",
            "vulnerable",
            BY_K,
            ("vulnerable, bucket known",),
            VULNERABLE_NOTE,
        ),
        Figure("8b", "record linkability", "RL / n", "RL / n", BY_K, ("record-linkage",), RECORDS_NOTE),
        Figure("9a", "time", SEARCH, "argsorts", BY_K, note=TIME_NOTE),
        Figure("9b", "time", SEARCH, "argsorts", BY_PEOPLE, note=TIME_NOTE),
        Figure(
            "queries-k",
            SENSITIVE,
            ERROR,
            f"asked, {SELECTIVITY:g}",
            BY_K,
            note=SENSITIVE_NOTE + RECORDS_NOTE,
        ),
        Figure("queries-selectivity", SENSITIVE, ERROR, "asked, {x}", BY_SELECTIVITY, note=SENSITIVE_NOTE),
    )
}


def figures(bench: Bench) -> Results:
    """Measure all of them."""
    panels = {name: figure.panel(bench) for name, figure in FIGURES.items()}
    return Results(list(panels.values()), claims_of_figures(panels))
