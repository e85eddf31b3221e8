"""Figures 5, 6 and 7: information loss and time of BUREL, LMondrian and DMondrian (section 6.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from papers.beta_likeness.bench import BETAS, DEFAULT_BETA, DEFAULT_QUASI, DIMENSIONS, Bench
from papers.beta_likeness.systems import BUREL, BUREL_PAPER, GENERALIZING, LIBRARY, PAPER, chosen
from papers.figures import rules
from papers.figures.results import Claim, Panel, Results

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from papers.beta_likeness.bench import Timed

HALF = 0.6
FLAT = 0.1
UNACCEPTABLE = 0.5
AIL, UNITS = "AIL", "time of the search, in argsorts of as many int64"
_CORRELATED = (
    "where the sensitive value depends on the quasi-identifiers, cutting the space tells its values apart less than "
    "drawing from buckets costs: half the loss is only to be had against Mondrian on its widest dimension, and weak "
    "dependence"
)
_TIME = (
    "here both are compiled, and literal BUREL and Mondrian each cost a few sorts; the default BUREL begins with Mondrian's "
    "cuts and goes on from there, so it cannot be faster: it trades time for loss"
)
_JUMPS = (
    "the literal bucketization leaves no slack: at some larger β fewer buckets fit, each more mixed, and fewer classes come "
    "of it"
)


def figure_5(bench: Bench) -> Results:
    """Vary β."""
    made = {
        system.name: [bench.make(system, beta, repeat=bench.repeat) for beta in BETAS]
        for system in GENERALIZING
    }
    panels = _panels("5", "β", BETAS, made, [bench.argsort()] * len(BETAS))
    loss, time = panels[0].series, panels[1].series
    claims = [*_compared("5", "section 6.2, figure 5", loss, time)]
    for reading in (PAPER, LIBRARY):
        names = chosen(reading, *GENERALIZING)
        burel, l_mondrian, d_mondrian = names["BUREL"], names["LMondrian"], names["DMondrian"]
        claims += [
            Claim(
                "5a",
                "section 6.2, figure 5(a)",
                "As β grows, the information quality of BUREL rises",
                reading,
                "AIL never rises from one β to the next, and ends lower",
                rules.falls(loss[burel]),
                _JUMPS,
            ),
            Claim(
                "5a",
                "section 6.2, figure 5(a)",
                "LMondrian performs better than its stricter sibling, DMondrian",
                reading,
                "AIL of LMondrian is below that of DMondrian at every β",
                rules.below(loss, l_mondrian, d_mondrian),
                "where both stop at the same cut they lose the same",
            ),
            Claim(
                "5a",
                "section 6.2, figure 5(a)",
                "BUREL achieves almost half the information loss of its Mondrian-based competitors",
                reading,
                f"AIL of BUREL is at most {HALF:g} of each competitor's on (geometric) average over β",
                rules.everyone(
                    *(rules.mean_ratio(loss, burel, x, high=HALF) for x in (l_mondrian, d_mondrian))
                ),
                _CORRELATED,
            ),
            Claim(
                "5a",
                "section 6.2, figure 5(a), after [3]",
                "Mondrian adapted to δ-disclosure-privacy yields unacceptably high information loss",
                reading,
                f"AIL of DMondrian is at least {UNACCEPTABLE:g} at every β",
                rules.at_least(loss[d_mondrian], UNACCEPTABLE),
                "looking for the best cut on every dimension finds some that keep every value in both halves",
            ),
            Claim(
                "5b",
                "section 6.2, figure 5(b)",
                "BUREL needs about half the time of its Mondrian-based competitors",
                reading,
                f"time of BUREL is at most {HALF:g} of each competitor's on (geometric) average over β",
                rules.everyone(
                    *(rules.mean_ratio(time, burel, x, high=HALF) for x in (l_mondrian, d_mondrian))
                ),
                _TIME,
            ),
        ]
    return Results(panels, claims)


def figure_6(bench: Bench) -> Results:
    """Vary the number of quasi-identifiers."""
    made = {
        system.name: [bench.make(system, DEFAULT_BETA, d, repeat=bench.repeat) for d in DIMENSIONS]
        for system in GENERALIZING
    }
    panels = _panels(
        "6", "number of quasi-identifiers", DIMENSIONS, made, [bench.argsort()] * len(DIMENSIONS)
    )
    loss, time = panels[0].series, panels[1].series
    claims = _compared("6", "section 6.2, figure 6", loss, time)
    for reading in (PAPER, LIBRARY):
        names = chosen(reading, *GENERALIZING).values()
        claims.append(
            Claim(
                "6a",
                "section 6.2, figure 6(a)",
                "As the number of quasi-identifiers increases, information quality degrades",
                reading,
                "AIL of every method never falls from one number to the next by more than 5 %, and ends higher",
                rules.everyone(*(rules.of(name, rules.rises(loss[name], slack=0.05)) for name in names)),
                "AIL is the mean over the quasi-identifiers: one more that is little generalized lowers it",
            )
        )
    return Results(panels, claims)


def figure_7(bench: Bench) -> Results:
    """Vary the number of records."""
    rows = [subject.table.height for subject in bench.sizes]
    made = {
        system.name: [
            bench.make(system, DEFAULT_BETA, DEFAULT_QUASI, subject=subject, repeat=bench.repeat)
            for subject in bench.sizes
        ]
        for system in GENERALIZING
    }
    panels = _panels("7", "records", rows, made, [bench.argsort(size) for size in rows])
    loss, time = panels[0].series, panels[1].series
    claims = _compared("7", "section 6.2, figure 7", loss, time)
    for reading in (PAPER, LIBRARY):
        names = chosen(reading, *GENERALIZING)
        claims += [
            Claim(
                "7a",
                "section 6.2, figure 7(a)",
                "Data size has no clear effect on information quality",
                reading,
                f"largest and smallest AIL of BUREL differ by at most {FLAT:.0%} of the mean",
                rules.flat(loss[names["BUREL"]], FLAT),
                "more records allow classes that are smaller in space at the same guarantee; and how far the literal tree halves "
                "depends on the number of records by chance",
            ),
            Claim(
                "7b",
                "section 6.2, figure 7(b)",
                "The elapsed time increases as the table size grows",
                reading,
                "seconds of every method at all records are above those at a fifth of them",
                rules.everyone(
                    *(rules.of(x, rules.rises(_ends(panels[1].extra[f"{x}: s"]))) for x in names.values())
                ),
            ),
        ]
    return Results(panels, claims)


def _panels(
    number: str, x: str, xs: Sequence[float], made: dict[str, list[Timed]], unit: list[float]
) -> list[Panel]:
    """Lay out loss and time of the same releases."""
    loss = {name: [one.loss() for one in row] for name, row in made.items()}
    time = {
        name: [one.search / sort for one, sort in zip(row, unit, strict=True)] for name, row in made.items()
    }
    classes = {
        f"{name}: classes": [
            float("nan") if one.release is None else one.release.certificate.classes for one in row
        ]
        for name, row in made.items()
    }
    seconds = {f"{name}: s": [one.search for one in row] for name, row in made.items()}
    seconds |= {f"{name}: s to the proven release": [one.total for one in row] for name, row in made.items()}
    return [
        Panel(f"{number}a", f"Information loss by {x}", x, AIL, xs, loss, extra=classes),
        Panel(
            f"{number}b",
            f"Time by {x}",
            x,
            UNITS,
            xs,
            time,
            logarithmic=True,
            extra=seconds,
            note="Fastest of some warm runs; the unit is measured in the same process.",
        ),
    ]


def _compared(
    number: str, section: str, loss: dict[str, list[float]], time: dict[str, list[float]]
) -> list[Claim]:
    """What the paper says of every one of these figures: BUREL loses less, and is faster."""
    found = [
        Claim(
            f"{number}a",
            "not in the paper",
            "BUREL as it is here by default loses less than as printed",
            LIBRARY,
            "AIL of the default is below that of literal BUREL at every point",
            rules.below(loss, BUREL.name, BUREL_PAPER.name),
        )
    ]
    for reading in (PAPER, LIBRARY):
        names = chosen(reading, *GENERALIZING)
        burel, others = names["BUREL"], _others(names)
        found += [
            Claim(
                f"{number}a",
                f"{section}(a)",
                "BUREL outperforms both LMondrian and DMondrian in information quality",
                reading,
                "AIL of BUREL is below both others' at every point",
                rules.below(loss, burel, *others),
                _CORRELATED,
            ),
            Claim(
                f"{number}b",
                f"{section}(b)",
                "BUREL is faster than both LMondrian and DMondrian",
                reading,
                "time of BUREL is below both others' at every point",
                rules.below(time, burel, *others),
                _TIME,
            ),
        ]
    return found


def _others(names: dict[str, str]) -> Iterable[str]:
    """Take the Mondrians."""
    return [names["LMondrian"], names["DMondrian"]]


def _ends(values: Sequence[float]) -> list[float]:
    """Take the first and the last value."""
    return [values[0], values[-1]]
