"""The risk of a release in one summary: everything that those who ask for it ask for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness import registry
from likeness.checks import check_seed, number, whole
from likeness.docstrings import description
from likeness.errors import PolicyError, Refusal
from likeness.intervals import LEVEL, Interval, wilson
from likeness.risk.beliefs import ValueBelief, largest_beliefs
from likeness.risk.population import (
    PopulationRisk,
    ShownPeople,
    encode_people,
    risk_by_fraction,
    risk_by_table,
)
from likeness.risk.reidentification import (
    THRESHOLDS,
    USED_BY,
    Spread,
    chances_of_prosecutor,
    marketer,
    published_units,
    table_of,
    threshold_of,
)
from likeness.risk.uniqueness import check_fraction
from likeness.risk.wp216 import People, Wp216Risk, refuse_without_people, three_risks
from likeness.wording import columns, count, figure, printed, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from likeness.attacks.base import Attack, AttackResult
    from likeness.encode import Encoded
    from likeness.forms.base import Publication
    from likeness.microdata.data import Microdata
    from likeness.microdata.plan import Plan
    from likeness.policy import Policy
    from likeness.tables import Table

TARGETS = 2_000
"""How many people each of the three attacks is tried on, where nothing else is said."""
_SHOWN = 10
"""Values, and people, that a summary for people lists."""
_MOST_AT_RISK = 100
"""People of the highest risk who are kept."""


@dataclass(frozen=True)
class AttackRisk:
    """An attack of the catalogue, with how often it was repeated and where its success lies.

    Parameters
    ----------
    name
        The attack's.
    adversary
        What its adversary knows and does.
    success, baseline
        As the attack reports them.
    repetitions
        On how many people it was tried; None where its success is no mean over people.
    interval
        Of the success on people like them, by Wilson; None where it is no mean over people.
    meaning
        What the success is.
    """

    name: str
    adversary: str
    success: float
    baseline: float
    repetitions: int | None
    interval: Interval | None
    meaning: str

    @classmethod
    def of(cls, result: AttackResult, level: float) -> AttackRisk:
        """Take a result."""
        attack: type[Attack] = registry.load("attacks", result.attack)
        told = result.details.get("targets") if attack.averaged else None
        tries = None if told is None else int(told)
        return cls(
            result.attack,
            description(attack),
            result.success,
            result.baseline,
            tries,
            wilson(result.success * tries, tries, level) if tries else None,
            result.meaning,
        )

    def to_json(self) -> dict[str, Any]:
        """Write it as JSON can hold it."""
        return {
            "attack": self.name,
            "adversary": self.adversary,
            "meaning": self.meaning,
            "success": self.success,
            "baseline": self.baseline,
            "gain": self.success - self.baseline,
            "repetitions": self.repetitions,
            "interval": None if self.interval is None else self.interval.to_json(),
        }


@dataclass(frozen=True)
class PersonAtRisk:
    """Somebody of the original table, and their risk: for the steward alone.

    Parameters
    ----------
    row
        Their (first) row of the original table, from 0.
    chance
        Of being found by a prosecutor.
    """

    row: int
    chance: float


@dataclass(frozen=True, eq=False)
class Risk:
    """The risk of one release, in the words of those who ask.

    ``str`` is for people; `to_json` has all of it. Who carries most risk is in neither, but in ``highest``, for the steward.

    Parameters
    ----------
    people
        How many people were published, whose risk it is.
    prosecutor
        Chance of finding the record of somebody who is known to be in the release, by all quasi-identifiers.
    prosecutor_of_records
        The same, counted by records, each with the chance of its person; None where everybody has one.
    marketer
        Share of all published people linked right at once.
    population
        What is told of the population they are from; None where neither a table nor a sampling fraction was given.
    three
        Singling out, linkability and inference.
    beliefs
        Largest belief in every sensitive value, those of the largest gain first.
    attacks
        Every attack that is defined for the release.
    refusals
        Why what is missing is missing, by its name.
    highest
        Who carries most risk, most first.
    """

    people: int
    prosecutor: Spread
    prosecutor_of_records: Spread | None
    marketer: float
    population: PopulationRisk | None
    three: tuple[Wp216Risk, ...]
    beliefs: tuple[ValueBelief, ...]
    attacks: tuple[AttackRisk, ...]
    refusals: Mapping[str, tuple[Refusal, ...]]
    highest: tuple[PersonAtRisk, ...] = field(repr=False)

    @property
    def skipped(self) -> dict[str, str]:
        """Why what is missing is missing, in words."""
        return {name: " ".join(map(str, refusals)) for name, refusals in self.refusals.items()}

    def used_by(self) -> dict[str, str]:
        """Tell who uses each threshold, as far as it is known."""
        told = {given: USED_BY.get(threshold_of(given)) for given in self.prosecutor.above}
        return {given: who for given, who in told.items() if who is not None}

    def to_json(self) -> dict[str, Any]:
        """Write all of it but who carries most risk, as JSON can hold it."""
        records = self.prosecutor_of_records
        return {
            "people": self.people,
            "prosecutor": self.prosecutor.to_json(),
            "prosecutor_of_records": None if records is None else records.to_json(),
            "marketer": self.marketer,
            "thresholds_used_by": self.used_by(),
            "population": None if self.population is None else self.population.to_json(),
            "wp216": [one.to_json() for one in self.three],
            "beliefs": [one.to_json() for one in self.beliefs],
            "attacks": [one.to_json() for one in self.attacks],
            "skipped": self.skipped,
        }

    _repr_pretty_ = printed

    def __str__(self) -> str:
        """Write it for people."""
        return "\n".join(self.lines())

    def lines(self) -> list[str]:
        """Write it for people, in lines."""
        spreads = [("prosecutor", self.prosecutor)]
        if self.prosecutor_of_records is not None:
            spreads.append(("prosecutor, by record", self.prosecutor_of_records))
        if self.population is not None:
            spreads.append(("journalist", self.population.journalist))
        lines = [f"chance of finding somebody, of {count(self.people, 'published person')}"]
        lines += columns(table_of(spreads))
        lines += [f"  marketer: {figure(self.marketer)} of all people linked right at once"]
        lines += [f"  {given}: {who}" for given, who in self.used_by().items()]
        if self.population is not None:
            lines += ["", *_of_population(self.population)]
        if self.three:
            lines += ["", *_of_three(self.three)]
        if self.beliefs:
            lines += ["", *_of_beliefs(self.beliefs)]
        if self.attacks:
            lines += ["", *_of_attacks(self.attacks)]
        if self.refusals:
            lines += ["", "not told", *(f"  {name}: {why}" for name, why in self.skipped.items())]
        return lines

    def lines_of_highest(self) -> list[str]:
        """Write who carries most risk, for the steward."""
        shown = self.highest[:_SHOWN]
        rows = [
            ["row of the original", "chance"],
            *([f"{one.row + 1:,}", figure(one.chance)] for one in shown),
        ]
        return ["who carries most risk (for you alone; the first row is 1)", *columns(rows)]


def _of_population(found: PopulationRisk) -> list[str]:
    """Write what is told of the population."""
    how = "counted in its table" if found.counted else "estimated by latent classes"
    rows = [["nobody in the population looks like them", f"{figure(found.unique)} of them"]]
    rows += [
        [f"fewer than {k} in the population do", f"{figure(share)} of them"]
        for k, share in found.k_map.items()
    ]
    if found.smallest is not None:
        rows.append(["fewest who do (k of k-map)", f"{found.smallest:,}"])
    low, mean, high = (figure(one) for one in found.presence)
    rows.append(["chance that who looks so is in the table (δ-presence)", f"{low} to {high}, mean {mean}"])
    often = f"it is {figure(found.halfway)} or more"
    if found.counted:
        rows.append([often, f"{figure(found.present)} of them"])
    else:
        # An estimate is the mean over what the population may be, in which the chance is now and then far above its mean.
        rows.append([f"how likely {often}", f"mean {figure(found.present)}"])
    lines = [
        f"in a population of {found.population:,} (sampling fraction {figure(found.fraction)}), {how}",
        *columns(rows),
    ]
    if found.models:
        told = ", ".join(
            f"{name} {'has no estimate' if share is None else figure(share)}"
            for name, share in found.models.items()
        )
        lines.append(f"  share of the population that is unique, by the usual models: {told}")
    if found.individual is not None:
        lines.append(f"  mean individual risk (Benedetti and Franconi): {figure(found.individual)}")
    if found.uncovered:
        lines.append(
            f"  {figure(found.uncovered)} of them are more often in the table than in the population's"
        )
    return lines


def _of_three(three: Iterable[Wp216Risk]) -> list[str]:
    """Write the three risks."""
    rows = [["risk", "success", "not in the table", "guess", "gain", ""]]
    notes = []
    for one in three:
        gain = one.gain_interval
        control = "no control" if one.control is None else _within(one.control.rate, one.control.interval)
        rows.append(
            [
                one.name if one.column is None else f"{one.name} ({one.column})",
                _within(one.success.rate, one.success.interval),
                control,
                figure(one.naive.rate),
                _within(one.gain, gain),
                count(one.success.tries, "person"),
            ]
        )
        notes.append(f"  {one.name}: an adversary who {one.adversary}")
    return ["singling out, linkability, inference (WP216)", *columns(rows), *notes]


def _of_beliefs(beliefs: tuple[ValueBelief, ...]) -> list[str]:
    """Write the largest beliefs."""
    rows = [["largest belief in", "belief", "before", "gain"]]
    rows += [
        [f"{one.column}: {quoted(one.value)}", figure(one.belief), figure(one.prior), figure(one.gain)]
        for one in beliefs[:_SHOWN]
    ]
    further = len(beliefs) - _SHOWN
    return [*columns(rows, ""), *([f"  and {count(further, 'other value')}"] if further > 0 else [])]


def _of_attacks(attacks: Iterable[AttackRisk]) -> list[str]:
    """Write what the attacks achieved."""
    rows = [["attack", "success", "baseline", "people", "success is the"]]
    for one in attacks:
        success = figure(one.success) if one.interval is None else _within(one.success, one.interval)
        tries = "" if one.repetitions is None else f"{one.repetitions:,}"
        rows.append([one.name, success, figure(one.baseline), tries, one.meaning])
    return columns(rows, "")


def _within(value: float, interval: Interval) -> str:
    """Write a figure with its interval."""
    return f"{figure(value)} [{figure(interval.low)}, {figure(interval.high)}]"


@dataclass(frozen=True, eq=False)
class RiskQuestion:
    """What is asked about the risk of a release.

    Parameters
    ----------
    population
        A table of the population; or None.
    sampling_fraction
        How large a share of the population the table is, drawn at random; or None.
    control
        A table of people who are not in the release, but like those who are; or None.
    thresholds
        Of chances.
    targets
        How many people each of the three attacks is tried on; None: all.
    seed
        Which ones.
    level
        Of intervals.
    """

    population: Table | None = None
    sampling_fraction: float | None = None
    control: Table | None = None
    thresholds: tuple[Any, ...] = THRESHOLDS
    targets: int | None = TARGETS
    seed: int = 0
    level: float = LEVEL

    def check(self) -> None:
        """Refuse what cannot be asked; raises `PolicyError`."""
        if self.population is not None and self.sampling_fraction is not None:
            raise PolicyError(
                "risk: a table of the population says how large a share of it was drawn; give it or sampling_fraction, not both"
            )
        if self.sampling_fraction is not None:
            check_fraction(self.sampling_fraction)
        if self.targets is not None:
            whole("risk", "targets", self.targets, at_least=1)
        check_seed("risk", self.seed)
        number("risk", "level", self.level, above=0, at_most=0.999999)
        for given in self.thresholds:
            threshold_of(given)


def find_risk(
    publication: Publication,
    encoded: Encoded,
    policy: Policy | None,
    plan: Plan | None,
    attacks: Mapping[str, AttackResult],
    question: RiskQuestion,
) -> Risk:
    """Find the risk of a release; `likeness.Release.risk` says what each part is.

    ``plan``: of the original records; None where it is not known. ``policy``: what the columns are; needed where other people
    are looked at. ``attacks``: what every attack that is defined for the release achieved.
    """
    question.check()
    original = encoded.data
    refusals: dict[str, tuple[Refusal, ...]] = {}
    published = published_units(original, plan)
    chances = chances_of_prosecutor(publication, original, plan)
    units = original.units
    of_records = None
    if units.members is not None:
        of_records = Spread.of(chances[units.members.of][published[units.members.of]], question.thresholds)
    control = None
    if question.control is not None:
        control = _control(question.control, encoded, policy)
    people = People(publication, original, control, question.targets, question.seed, question.level)
    three, missing = three_risks(people)
    refusals |= {name: (why,) for name, why in missing.items()}
    return Risk(
        int(np.count_nonzero(published)),
        Spread.of(chances[published], question.thresholds),
        of_records,
        marketer(publication),
        _population(publication, encoded, policy, plan, published, question, refusals),
        tuple(three),
        tuple(largest_beliefs(publication, original, plan)),
        tuple(AttackRisk.of(result, question.level) for result in attacks.values()),
        refusals,
        _highest(units, chances, published),
    )


def _control(table: Table, encoded: Encoded, policy: Policy | None) -> Microdata:
    """Encode people who are not in the release."""
    if policy is None:
        raise PolicyError(
            "risk: a control is read as the policy of the release says, and without private/ nothing tells it; ask the "
            "release folder itself"
        )
    if encoded.data.source is not None:
        raise PolicyError(
            "risk: this release shows of everybody the highest category or a set of their values, made by its method alone, so "
            "that people who are not in it cannot be compared; leave the control out"
        )
    found = encode_people(table, encoded, policy, ("quasi", "sensitive"))
    refuse_without_people(found)
    return found


def _population(
    publication: Publication,
    encoded: Encoded,
    policy: Policy | None,
    plan: Plan | None,
    published: NDArray[np.bool_],
    question: RiskQuestion,
    refusals: dict[str, tuple[Refusal, ...]],
) -> PopulationRisk | None:
    """Find what is told of the population, if it was given."""
    if question.population is None and question.sampling_fraction is None:
        return None
    if plan is None or policy is None:
        raise PolicyError(
            "risk: of a population it is told for the people published, and without private/ nobody knows how each is shown; ask "
            "the release folder itself"
        )
    shown = ShownPeople.of(publication, encoded.data, plan)
    if question.population is not None:
        people = encode_people(question.population, encoded, policy, ("quasi",))
        return risk_by_table(publication, shown, published, people, question.thresholds)
    assert question.sampling_fraction is not None  # noqa: S101  # one of the two was given
    try:
        return risk_by_fraction(
            publication, encoded.data, shown, published, question.sampling_fraction, question.thresholds
        )
    except PolicyError as problem:
        refusals["population"] = problem.refusals
        return None


def _highest(
    units: Microdata, chances: NDArray[np.float64], published: NDArray[np.bool_]
) -> tuple[PersonAtRisk, ...]:
    """List who carries most risk, those of one risk in the order of the original."""
    rows = np.flatnonzero(published)
    order = rows[np.lexsort((units.rows[rows], -chances[rows]))][:_MOST_AT_RISK]
    return tuple(PersonAtRisk(int(units.rows[own]), float(chances[own])) for own in order)
