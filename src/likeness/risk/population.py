"""What a release tells of people whose population is known: by a table of it, or by how large a share of it was drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from likeness.attacks.matching import identities_of, match_targets, reach_of, shared_cells
from likeness.encode import encode, missing_in
from likeness.errors import InvalidError, PolicyError
from likeness.microdata.regions import recode
from likeness.policy import Policy
from likeness.risk.individual import individual_risk, least_sample_size
from likeness.risk.latent_classes import class_sizes, held_out
from likeness.risk.reidentification import Spread
from likeness.risk.uniqueness import SampleClasses, check_fraction, usual_models
from likeness.tables import read, texts
from likeness.wording import count

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from numpy.typing import NDArray

    from likeness.encode import Encoded
    from likeness.forms.base import Publication
    from likeness.microdata.data import Microdata
    from likeness.microdata.plan import Plan
    from likeness.risk.latent_classes import ClassSizes
    from likeness.tables import Table

_PLAIN = frozenset({"integer", "real", "date", "categorical"})
"""Kinds that columns of other people have as the release's, where the policy leaves them to be found from the values."""
K_MAP = (3, 5, 11, 20)
"""Numbers of people that k-map is told for: 11 and 20 are one in eleven (0.09) and 0.05."""


@dataclass(frozen=True)
class PopulationRisk:
    """What an adversary learns who does not know whether somebody is in the table, but knows the population it is from.

    Parameters
    ----------
    counted
        Whether it was counted in a table of the population; else it is estimated from the sampling fraction.
    population
        N, how many people the population has.
    fraction
        How large a share of it the table is.
    unique
        Share of the published people whom nobody else in the population looks like, as the release shows them.
    k_map
        k to the share of the published people of whom the population has fewer than k; 0 where the release is k-map.
    smallest
        Fewest people of the population who look like somebody published: the k of k-map. None where it is estimated.
    presence
        Smallest, mean and largest chance, over the published people, that who looks like them is in the table: δ-presence
        holds for every δ between the first and the last.
    present
        Share of the published people for whom that chance is ``halfway`` or more.
    halfway
        Halfway between the sampling fraction, which is what anybody's chance is without the release, and certainty.
    journalist
        Chance of finding whose record a published one is, among all of the population who look like it.
    models
        Share of the population that is unique, by each of the usual models; None where one has no estimate. Empty where
        the population was counted, and where all are in the table.
    individual
        Mean of Benedetti and Franconi's individual risk (μ-Argus), to compare; None where the population was counted.
    least
        k to the smallest class of the table from which it can be said at level .05 that the population has k such people (El Emam
        and Dankar). Empty where the population was counted.
    uncovered
        Share of the published people of whom the population's table has fewer than this table: it is not all of the population.
    """

    counted: bool
    population: int
    fraction: float
    unique: float
    k_map: dict[int, float]
    smallest: int | None
    presence: tuple[float, float, float]
    present: float
    halfway: float
    journalist: Spread
    models: dict[str, float | None]
    individual: float | None
    least: dict[int, int]
    uncovered: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """Write it as JSON can hold it."""
        return {
            "counted": self.counted,
            "population": self.population,
            "sampling_fraction": self.fraction,
            "unique": self.unique,
            "k_map": {
                "smallest": self.smallest,
                "fewer_than": {str(k): share for k, share in self.k_map.items()},
            },
            "presence": {
                **dict(zip(("smallest", "mean", "largest"), self.presence, strict=True)),
                "halfway": self.halfway,
                "present": self.present,
            },
            "journalist": self.journalist.to_json(),
            "models": dict(self.models),
            "individual_risk": self.individual,
            "least_class": {str(k): size for k, size in self.least.items()},
            "uncovered": self.uncovered,
        }


@dataclass(frozen=True, eq=False)
class ShownPeople:
    """The published people, as the release shows them.

    ``identity``: (units,) which identity of the publication everybody has, -1 where none; ``alike``: (identities,) how many of
    the table look like each.
    """

    identity: NDArray[np.int64]
    alike: NDArray[np.int64]

    @classmethod
    def of(cls, publication: Publication, original: Microdata, plan: Plan) -> ShownPeople:
        """Find how everybody who is published is shown."""
        units = original.units
        match = match_targets(publication, units, np.arange(units.size))
        if match.exact is not None and publication.covers:
            identity = match.exact[match.targets.of]
        else:
            whole, recoding = recode(original, plan)
            by_class = np.append(identities_of(publication, original, recoding), -1)
            of_records = by_class[whole.classes]
            if units.members is None:
                identity = of_records
            else:
                # All records of a published person are in one class.
                identity = np.full(units.size, -1, np.int64)
                kept = of_records >= 0
                identity[units.members.of[kept]] = of_records[kept]
        return cls(np.asarray(identity, np.int64), people_of_identities(publication, units))


def people_of_identities(publication: Publication, units: Microdata) -> NDArray[np.int64]:
    """(identities,) How many people of a table look like each identity that is published: its regions hold their values."""
    from likeness.risk.kernels import count_inside

    match = match_targets(publication, units, np.arange(units.size))
    if match.exact is not None:
        there = match.exact >= 0
        size = int(publication.identities.max(initial=-1)) + 1
        return np.bincount(match.exact[there], match.targets.sizes[there], size).astype(np.int64)
    codes, kind, low, high, members = match.lay_out()
    return np.asarray(count_inside(codes, kind, low, high, members, match.targets.sizes[match.order]))


def encode_people(table: Table, encoded: Encoded, policy: Policy, roles: Collection[str]) -> Microdata:
    """Encode people who are not those of a release, by its policy: its columns of some roles, as the original has them.

    They are encoded together with the original: a hierarchy that is made from the values that occur, such as of prefixes, then
    has all that was published.

    Raises `InvalidError` where the table lacks one of these columns; whatever `encode` raises where it cannot be read so.
    """
    wanted = [name for name, role in encoded.roles.items() if role in roles]
    if not wanted:
        raise InvalidError(
            f"{table.source}: the release has no quasi-identifiers, so everybody looks like everybody, and a table of other "
            "people tells nothing"
        )
    absent = [name for name in wanted if name not in table.names]
    if absent:
        raise InvalidError(
            f"{table.source}: has no column {', '.join(map(repr, absent))}, which the release has; it needs all of "
            f"{', '.join(wanted)}"
        )
    policy = policy.naming(encoded.table.names)
    kinds = {domain.name: domain.kind for domain in (*encoded.data.quasi, *encoded.data.sensitive)}
    both: dict[str, pl.Series] = {}
    columns: dict[str, Any] = {}
    for name in wanted:
        own = policy.columns[name]
        kind = kinds.get(encoded.published_name(name))
        plain = own.kind is None and own.hierarchy is None and kind in _PLAIN
        columns[name] = own.replace(kind=kind) if plain else own
        mine, theirs = (_texts(one, name, encoded.table, policy) for one in (encoded.table, table))
        if theirs.null_count() and policy.missing_of(name).policy == "error":
            raise InvalidError(
                f"{table.source}: column {name!r} has {count(theirs.null_count(), 'missing value')}, which the policy of the "
                "release makes an error; leave these people out"
            )
        both[name] = pl.concat([mine, theirs])
    individual = policy.individual if policy.individual in table.names else None
    if individual is not None:
        columns[individual] = policy.columns[individual]
        # People of two tables are never the same, however they are called.
        both[individual] = pl.concat(
            [
                pl.Series([f"{number} "]) + _texts(one, individual, encoded.table, policy)
                for number, one in enumerate((encoded.table, table))
            ]
        )
    told = Policy(
        columns=columns,
        privacy=[{"model": "k-anonymity", "k": 1}],
        missing=policy.missing,
        individual=individual,
    )
    if individual is not None:
        told = told.replace(hygiene=policy.hygiene)
    data = encode(
        read(pl.DataFrame(both)), told if policy.folder is None else told.in_folder(policy.folder)
    ).data
    return data.take(np.flatnonzero(data.rows >= encoded.table.height))


def _texts(table: Table, name: str, original: Table, policy: Policy) -> pl.Series:
    """Write a column of a table as texts; null where it is missing."""
    markers = (missing_in(original, policy, name) if table is original else policy.missing_of(name)).markers
    column = table.encode(name, missing=markers)
    values = pl.Series(name, texts(column.values), pl.String)
    return values.gather(pl.Series(column.codes).replace(-1, None))


def risk_by_table(
    publication: Publication,
    shown: ShownPeople,
    published: NDArray[np.bool_],
    population: Microdata,
    thresholds: Iterable[Any],
) -> PopulationRisk:
    """Count in a table of the population.

    ``published``: (units,) whose risk is told.
    """
    everybody = people_of_identities(publication, population.units)
    of = shown.identity[published & (shown.identity >= 0)]
    seen = shown.alike[of]
    whole = np.maximum(everybody[of], seen)
    people, fraction = _sizes(population.units.size, published.size)
    # Where means are shown, some are nearest to nobody: then nobody is found by them.
    somebody = whole > 0
    one = np.maximum(1, whole)
    chance = seen / one
    halfway = (1 + fraction) / 2
    return PopulationRisk(
        True,
        people,
        fraction,
        _mean(whole == 1),
        {k: _mean(somebody & (whole < k)) for k in K_MAP},
        int(whole[somebody].min(initial=people)),
        (float(chance.min(initial=1.0)), _mean(chance), float(chance.max(initial=0.0))),
        _mean(chance >= halfway),
        halfway,
        Spread.of(somebody / one, thresholds),
        {},
        None,
        {},
        _mean(everybody[of] < seen),
    )


def risk_by_fraction(
    publication: Publication,
    original: Microdata,
    shown: ShownPeople,
    published: NDArray[np.bool_],
    sampling_fraction: float,
    thresholds: Iterable[Any],
) -> PopulationRisk:
    """Estimate from the share of the population that the table is, taken as drawn at random.

    ``published``: (units,) whose risk is told. Raises `PolicyError` for releases of means, which hold nobody.
    """
    fraction = check_fraction(sampling_fraction)
    if not publication.covers:
        raise PolicyError(
            f"risk: {publication.form} releases show means, which nobody looks like, so a sampling fraction tells nothing of the "
            "population; give a table of it"
        )
    units = original.units
    sizes = estimate_sizes(publication, original, shown, fraction)
    told = published & (shown.identity >= 0)
    keep = np.flatnonzero(told[shown.identity >= 0])
    seen = sizes.seen[keep]
    expected = sizes.expected_chance()[keep]
    halfway = (1 + fraction) / 2
    chance = np.minimum(1.0, seen * expected)
    present = np.floor(sizes.seen / halfway).astype(np.int64)
    classes = SampleClasses.of(np.bincount(shown.identity[shown.identity >= 0]), fraction)
    return PopulationRisk(
        False,
        max(units.size, round(units.size / fraction)),
        fraction,
        _mean(sizes.at_most(np.ones_like(sizes.seen))[keep]),
        {k: _mean(sizes.at_most(np.full_like(sizes.seen, k - 1))[keep]) for k in K_MAP},
        None,
        (float(chance.min(initial=1.0)), _mean(chance), float(chance.max(initial=0.0))),
        _mean(sizes.at_most(present)[keep]),
        halfway,
        Spread.of(expected, thresholds),
        usual_models(classes) if fraction < 1 else {},
        _mean(individual_risk(np.maximum(1, seen), fraction)),
        {k: least_sample_size(k, fraction) for k in K_MAP},
    )


def estimate_sizes(
    publication: Publication, original: Microdata, shown: ShownPeople, fraction: float
) -> ClassSizes:
    """Estimate how many of the population look like everybody who is shown, by `likeness.risk.latent_classes`."""
    units = original.units
    cells = shared_cells(publication, units)
    columns = [j for _, j in cells]
    reaches = [(i, reach_of(own, units.quasi[j]), own.of) for i, (own, j) in enumerate(cells)]
    there = shown.identity[shown.identity >= 0]
    people, population = units.size, max(units.size, round(units.size / fraction))
    if not columns:
        probability = np.ones(units.size)
    else:
        radices = [units.quasi[j].codes for j in columns]
        probability = held_out(units.codes[columns], radices, reaches, shown.identity)
    return class_sizes(
        np.maximum(1, shown.alike[there]), probability[shown.identity >= 0], people, population
    )


def _sizes(population: int, people: int) -> tuple[int, float]:
    """How many people there are, and the share of them that the table is."""
    whole = max(population, people)
    return whole, people / max(1, whole)


def _mean(values: NDArray[Any]) -> float:
    """Mean of what may be of nobody."""
    return float(values.mean()) if values.size else 0.0
