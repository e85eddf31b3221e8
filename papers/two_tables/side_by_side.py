"""All systems at one k: one table, one plot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from papers.figures.results import Panel, Results
from papers.two_tables.claims import claims_at_one_k
from papers.two_tables.measuring import attacks
from papers.two_tables.systems import EVERY, MU, SHARE, L, P

if TYPE_CHECKING:
    from papers.two_tables.bench import Bench
    from papers.two_tables.measuring import Measured

ASKED, UNASKED = "query error, sensitive condition", "query error, none"
COLUMNS = ("NCP", "NCP, invented counted", ASKED, UNASKED, "query error, figure 7")
AFTER = ("vulnerable", "RL / n", "vulnerable-classes", "invented", "withheld", "argsorts")
KNOWN = ("membership", "non-membership")
"""Attacks that come closer where the bucket is known."""


def side_by_side(bench: Bench, k: int) -> Results:
    """Measure all systems on everybody.

    Parameters
    ----------
    bench
        The table.
    k
        Smallest class and smallest bucket.
    """
    whole = bench.of_everybody()
    people = whole.subject.count
    whole.fill(EVERY, [k], people)
    found = [whole.one(one, k, people) for one in EVERY]
    names = [one.name for one in EVERY]
    own = list(attacks(k))
    bucket = [f"{name}, bucket known" for name in KNOWN]
    series = {what: [one[what] for one in found] for what in (*COLUMNS, *own, *bucket, *AFTER)}
    extra = [f"{name}, without the release" for name in own] + ["vulnerable, bucket known", "record-linkage"]
    panel = Panel(
        f"systems-{k}",
        f"All systems, k = {k}, {people:,} people",
        "system",
        "",
        range(1, len(names) + 1),
        series,
        extra={what: [one[what] for one in found] for what in extra},
        labels=names,
        words={"not measured, and why": [reasons(one) for one in found]},
        note=(
            f"p = {P}, l = {L}, μ = {MU}; ANGEL and the one table: no category above {SHARE} of a bucket. Query errors are "
            "medians of queries with conditions on two quasi-identifiers, about what each publishes: categories of people, or "
            "values. Attacks: share of their targets on which they succeed, one record or category known; what they reach "
            "without the release is in the CSV file. `vulnerable`: share of people of whom something becomes certain "
            "(figure 8A). θ-sensitive (paper) takes every record for a person's."
        ),
    )
    plot = Panel(
        f"systems-{k}-plot",
        f"What is lost, k = {k}, {people:,} people",
        "k",
        "error of queries with a sensitive condition",
        [float(k)],
        {name: [one[ASKED]] for name, one in zip(names, found, strict=True)},
        along=("NCP", {name: [one["NCP"]] for name, one in zip(names, found, strict=True)}),
    )
    return Results([panel, plot], claims_at_one_k(panel))


def reasons(measured: Measured) -> str:
    """Write why there is no release, or why something is not defined for it; the same reason once.

    Examples
    --------
    >>> from papers.two_tables.measuring import Measured
    >>> reasons(Measured(why={"": "nobody holds it"})), reasons(Measured(why={"a": "no", "b": "no", "c": "never"}))
    ('refused: nobody holds it', 'a, b: no; c: never')
    """
    if measured.refused:
        return f"refused: {measured.refused}"
    shown: dict[str, list[str]] = {}
    for name, why in measured.why.items():
        shown.setdefault(why.removeprefix(f"{name}: "), []).append(name)
    return "; ".join(f"{', '.join(names)}: {why}" for why, names in shown.items())
