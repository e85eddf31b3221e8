"""Tables 7 and 8: how far the distributions of the quasi-identifiers are off."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from likeness.errors import CannotBeMetError
from likeness.metrics.emd import Emd
from likeness.metrics.relative_difference import RelativeDifference
from papers.background_knowledge import why
from papers.background_knowledge.maps import READINGS, speaker
from papers.background_knowledge.measuring import NAN, Estimate, publish
from papers.background_knowledge.systems import KS, LIBRARY, PAPER, Setting, System
from papers.figures import rules
from papers.figures.results import Claim, Outcome, Panel, Results

if TYPE_CHECKING:
    from papers.background_knowledge.bench import Bench
    from papers.background_knowledge.subjects import Source

SETTINGS = tuple(Setting(k=k, j="0.3", beta=4.0) for k in KS)
SYSTEMS = (*PAPER, *LIBRARY)
FIXED = "J = 0.3, β = 4"
SMALL = 0.1
MEAN, HALF, ABSOLUTE = "mean", "half", "absolute"
ATTRIBUTES = ("sex", "education", "age")
"""In the order of what they are said to move."""


@dataclass(frozen=True)
class Compared:
    """Releases of one table whose distributions are compared with the original's.

    Parameters
    ----------
    source
        The table.
    seed
        Of the releases.
    systems, settings
        Each system is asked at each setting.
    """

    source: Source
    seed: int
    systems: tuple[System, ...] = SYSTEMS
    settings: tuple[Setting, ...] = SETTINGS


def compare(job: Compared) -> list[list[dict[str, float]]]:
    """Measure the releases: of each system, at each setting, relative differences and distances by column."""
    return [
        [_compared(job.source, system, setting, job.seed) for setting in job.settings]
        for system in job.systems
    ]


def _compared(source: Source, system: System, setting: Setting, seed: int) -> dict[str, float]:
    """Measure one release."""
    try:
        release, _ = publish(source, system, setting, seed)
    except CannotBeMetError:
        return dict.fromkeys((MEAN, HALF, ABSOLUTE, *ATTRIBUTES), NAN)
    evaluation, difference = release.evaluation, RelativeDifference()
    interval = difference.details(evaluation)
    return {
        MEAN: difference.measure(evaluation),
        HALF: (interval["high"] - interval["low"]) / 2,
        ABSOLUTE: RelativeDifference(absolute=True).measure(evaluation),
        **Emd().by_attribute(evaluation),
    }


def moved(bench: Bench) -> Results:
    """Measure tables 7 and 8."""
    jobs = [Compared(source, bench.seed + i) for i, source in enumerate(bench.subject.sources)]
    tables = bench.each(compare, jobs, "distributions")

    def curves(what: str) -> dict[str, list[float]]:
        return {
            system.name: [
                Estimate.of([table[i][s][what] for table in tables]).mean for s in range(len(SETTINGS))
            ]
            for i, system in enumerate(SYSTEMS)
        }

    ks = list(map(float, KS))
    mean, absolute = curves(MEAN), curves(ABSOLUTE)
    seven = Panel(
        "table7",
        f"Table 7: relative differences of the shares of the quasi-identifiers' values, {FIXED}",
        "k",
        "mean relative difference",
        ks,
        mean,
        spread=curves(HALF),
        beside={f"{name}: |D|": curve for name, curve in absolute.items()},
        note="± is half of the 95 % interval over values, as in the paper; |D| the mean without signs. "
        + why.NO_MICROAGGREGATION,
    )
    distances = {name: curves(name) for name in ATTRIBUTES}
    eight = Panel(
        "table8",
        f"Table 8: earth mover's distance of the quasi-identifiers' distributions, {FIXED}",
        "k",
        "EMD",
        ks,
        {
            f"{system.name}: {attribute}": distances[attribute][system.name]
            for system in SYSTEMS
            for attribute in ATTRIBUTES
        },
        note=why.NO_MICROAGGREGATION,
    )
    claims = [
        one
        for reading in READINGS
        for one in (*_differences(reading, mean, absolute), *_distances(reading, distances))
    ]
    return Results([seven, eight], claims)


def _differences(reading: str, mean: dict[str, list[float]], absolute: dict[str, list[float]]) -> list[Claim]:
    """What section 5.3 says of table 7."""
    inc, agg, beta = (system.name for system in READINGS[reading])
    say = speaker("table7", "section 5.3", reading)
    size = {name: [abs(one) for one in curve] for name, curve in mean.items()}
    return [
        *(
            say(
                f"The relative differences of {name} are small",
                "the mean, without its sign, at most 0.1 at every k",
                rules.at_most(size[name], SMALL),
                why.DIFFERENCES,
            )
            for name in (inc, agg)
        ),
        *(
            say(
                f"No value of {name} is far off: mean of the differences without their signs",
                "at most 0.1 at every k",
                rules.at_most(absolute[name], SMALL),
                why.DIFFERENCES,
            )
            for name in (inc, agg)
        ),
        say(
            "The relative differences of β_GE are the highest",
            "without signs, above those of kInc and kAgg at every k",
            rules.everyone(rules.below(absolute, inc, beta), rules.below(absolute, agg, beta)),
            why.MOVES_MOST,
        ),
    ]


def _distances(reading: str, distances: dict[str, dict[str, list[float]]]) -> list[Claim]:
    """What section 5.3 says of table 8."""
    inc, agg, beta = (system.name for system in READINGS[reading])
    say = speaker("table8", "section 5.3", reading)
    found = []
    for name in (inc, agg, beta):
        own = {attribute: distances[attribute][name] for attribute in ATTRIBUTES}
        least, middle, most = ATTRIBUTES
        outcome = rules.everyone(rules.below(own, least, middle), rules.below(own, middle, most))
        found.append(
            say(f"EMD of {name}: sex below education below age", "at every k", outcome, why.ORDER_OF_COLUMNS)
        )
    everywhere = {
        name: [value for attribute in ATTRIBUTES for value in distances[attribute][name]]
        for name in (inc, agg, beta)
    }
    found += [
        say(
            "EMD of β_GE is the highest",
            "above those of kInc and kAgg at every k, of every column",
            _most(everywhere, beta, (inc, agg)),
            why.MOVES_MOST,
        ),
        say(
            "EMD of kAgg is below that of kInc",
            "at every k, of every column",
            rules.below(everywhere, agg, inc),
            why.INC_AGG,
        ),
    ]
    return found


def _most(series: dict[str, list[float]], upper: str, others: tuple[str, ...]) -> Outcome:
    """Decide whether a curve is above all others."""
    return rules.everyone(*(rules.below(series, other, upper) for other in others))
