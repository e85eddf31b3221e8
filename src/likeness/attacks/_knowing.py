"""What somebody who knows something of a person's sensitive values believes of the rest, where every record is one person's.

Such beliefs are quotients of whole numbers, and compared as such. Targets of one place and of the same knowledge are one case.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.attacks._individuals import ValueSets
from likeness.attacks.matching import match_targets
from likeness.exact import times
from likeness.forms.base import Joined
from likeness.microdata.grouping import add_up
from likeness.microdata.statistics import count_classes

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

    from numpy.typing import NDArray

    from likeness.attacks.base import Making
    from likeness.forms.base import Publication
    from likeness.microdata.data import Microdata

_MOST_ENTRIES = 1 << 22
"""Values of places looked at at once."""


@dataclass(frozen=True, eq=False)
class Told:
    """What may be known of somebody, one row each.

    ``allowed``: (known, V) bool, the published values that it leaves.
    ``taken``: (known, V) bool, the values of which one candidate record is set aside, as it is known to be the target's; or None.
    """

    allowed: NDArray[np.bool_]
    taken: NDArray[np.bool_] | None = None

    def with_unpublished(self) -> Told:
        """Leave possible what was not published: one more column, as `in_the_table` counts it."""
        more = np.ones((self.allowed.shape[0], 1), np.bool_)
        taken = None if self.taken is None else np.hstack([self.taken, ~more])
        return Told(np.hstack([self.allowed, more]), taken)


@dataclass(frozen=True, eq=False)
class Cases:
    """Targets with something known of them.

    ``target``: (c,) position of the target. ``told``: (c,) what is known, a row of `Told`. ``chance``: (c,) how likely that is
    to be what is known of the target. ``truths``: published values of the target's that are not known before, -1 for those not
    published.
    """

    target: NDArray[np.int64]
    told: NDArray[np.int64]
    chance: NDArray[np.float64]
    truths: ValueSets


def without_knowledge(truths: ValueSets) -> Cases:
    """Targets of whom nothing is known (row 0), with all that is true of them."""
    everybody = np.arange(truths.count)
    return Cases(everybody, np.zeros_like(everybody), np.ones(truths.count), truths)


def single(value: NDArray[np.int64], there: NDArray[np.bool_] | None = None) -> ValueSets:
    """One value of each, or of those where it is ``there``."""
    own = np.ones(value.size, np.bool_) if there is None else there
    return ValueSets(np.concatenate([[0], np.cumsum(own)]).astype(np.int64), value[own])


@dataclass(frozen=True, eq=False)
class ConditionalBeliefs:
    """What is believed in every one of c cases.

    ``most``, ``total``: (c,) largest belief in a truth, and the sum over all truths, as numerators over ``whole``, which is 0
    where nobody fits. ``credit``: (c,) chance that the likeliest value is a truth; of equally likely ones any is guessed.
    """

    most: NDArray[Any]
    total: NDArray[Any]
    whole: NDArray[Any]
    credit: NDArray[np.float64]

    def reaching(self, belief: Fraction) -> NDArray[np.bool_]:
        """(c,) Whether a truth is believed that strongly or more."""
        enough = times(self.most, belief.denominator) >= times(self.whole, belief.numerator)
        return np.asarray(enough & (self.most > 0), np.bool_)

    def figures(self, cases: Cases, targets: int, threshold: Fraction) -> dict[str, float]:
        """Shares of ``targets``: ``breached``, ``certain``, ``guessed``; and ``mean_belief`` where there is a truth."""
        total = max(1, targets)
        own = cases.truths.sizes
        whole = np.where(self.whole > 0, self.whole, 1)
        beliefs = np.asarray(self.total / whole, np.float64) / np.maximum(1, own)
        there = cases.chance[own > 0]
        return {
            "breached": _share(cases.chance[self.reaching(threshold)], total),
            "certain": _share(
                cases.chance[np.asarray(self.most == self.whole, np.bool_) & (self.most > 0)], total
            ),
            "guessed": _share(cases.chance * self.credit, total),
            "mean_belief": fsum((cases.chance * beliefs)[own > 0]) / fsum(there) if there.size else 0.0,
        }


def _share(chances: NDArray[np.float64], total: int) -> float:
    """Sum of chances over a total, the same in any order; rounding leaves it no larger than 1."""
    return min(1.0, fsum(chances) / total)


@dataclass(frozen=True, eq=False)
class Whereabouts:
    """Where targets may be: ``joined`` has the values of each place; ``of``: (t,) the place of each target, -1 for nowhere."""

    joined: Joined
    of: NDArray[np.int64]

    def believe(self, cases: Cases, known: Told) -> ConditionalBeliefs:
        """Say what is believed in every case: shares of what is known to be possible."""
        place = self.of[cases.target]
        there = np.flatnonzero(place >= 0)
        keys = place[there] * known.allowed.shape[0] + cases.told[there]
        pairs, of = np.unique(keys, return_inverse=True)
        case_of = np.full(place.size, -1, np.int64)
        case_of[there] = of
        whole, top, ties = self._sums(*np.divmod(pairs, known.allowed.shape[0]), known)
        # Nobody fits those who are nowhere.
        whole, top, ties = (np.append(own, end) for own, end in ((whole, 0), (top, 0), (ties, 1)))
        case, value = cases.truths.of, cases.truths.value
        weight = self._weights_of(place[case], cases.told[case], value, known)
        total, most = _by_case(case, weight, place.size)
        likeliest = (weight == top[case_of[case]]) & (weight > 0)
        credit = np.bincount(case, likeliest, place.size) / ties[case_of]
        return ConditionalBeliefs(most, total, whole[case_of], credit)

    def fitting(self, told: NDArray[np.int64], allowed: NDArray[np.bool_]) -> NDArray[np.int64]:
        """(t,) Sum of the weights that what is known of each target, row ``told`` (t,) of ``allowed``, leaves."""
        there = np.flatnonzero(self.of >= 0)
        keys = self.of[there] * allowed.shape[0] + told[there]
        pairs, of = np.unique(keys, return_inverse=True)
        whole, _, _ = self._sums(*np.divmod(pairs, allowed.shape[0]), Told(allowed))
        found = np.zeros(self.of.size, np.int64)
        found[there] = whole[of]
        return found

    def _sums(
        self, place: NDArray[np.int64], told: NDArray[np.int64], known: Told
    ) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.int64]]:
        """Of places with something known: sum of the weights, the largest, and how many values have that."""
        own, held = self.joined, np.diff(self.joined.start)[place]
        ends = np.cumsum(held)
        found: list[tuple[NDArray[Any], NDArray[Any], NDArray[np.int64]]] = []
        begin = 0
        while begin < place.size:
            stop = max(
                begin + 1, int(np.searchsorted(ends, (ends[begin - 1] if begin else 0) + _MOST_ENTRIES))
            )
            chosen = slice(begin, stop)
            first = np.cumsum(held[chosen]) - held[chosen]
            entries = np.repeat(own.start[place[chosen]] - first, held[chosen]) + np.arange(
                int(held[chosen].sum())
            )
            weight = self._weights(entries, np.repeat(told[chosen], held[chosen]), known)
            top = np.maximum.reduceat(weight, first)
            ties = np.add.reduceat((weight == np.repeat(top, held[chosen])).astype(np.int64), first)
            found.append((np.add.reduceat(weight, first), top, ties))
            begin = stop
        if not found:
            return own.weight[:0], own.weight[:0], np.zeros(0, np.int64)
        whole, top, ties = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return whole, top, ties

    def _weights(self, entries: NDArray[np.int64], told: NDArray[np.int64], known: Told) -> NDArray[Any]:
        """Weights of entries once something is known."""
        own = self.joined
        value = own.value[entries]
        weight = np.where(known.allowed[told, value], own.weight[entries], 0)
        if known.taken is not None:
            weight = np.maximum(weight - known.taken[told, value].astype(own.weight.dtype) * own.one, 0)
        return weight

    def _weights_of(
        self, place: NDArray[np.int64], told: NDArray[np.int64], value: NDArray[np.int64], known: Told
    ) -> NDArray[Any]:
        """Weights of single values of places, 0 where they have none."""
        own = self.joined
        keys = np.repeat(np.arange(own.start.size - 1), np.diff(own.start)) * own.values + own.value
        wanted = place * own.values + value
        at = np.minimum(np.searchsorted(keys, wanted), max(0, keys.size - 1))
        there = np.flatnonzero((place >= 0) & (value >= 0) & (keys[at] == wanted)) if keys.size else at[:0]
        found = np.zeros(wanted.size, own.weight.dtype)
        found[there] = self._weights(at[there], told[there], known)
        return found


def _by_case(case: NDArray[np.int64], weight: NDArray[Any], cases: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Sum and largest of the weights of every case; truths stand case by case."""
    total, most = np.zeros(cases, weight.dtype), np.zeros(cases, weight.dtype)
    first = np.flatnonzero(np.diff(case, prepend=-1))
    if first.size:
        total[case[first]] = np.add.reduceat(weight, first)
        most[case[first]] = np.maximum.reduceat(weight, first)
    return total, most


def rows_of_people(original: Microdata) -> NDArray[np.int64]:
    """Row of ``original.units`` of every person of the records that it was made from, in the order of their numbers."""
    source = original.source
    if source is None or source.records.individuals is None:
        return np.arange(original.units.size)
    _, first = np.unique(source.records.individuals, return_index=True)
    return np.asarray(source.of[first])


def through_regions(
    publication: Publication,
    column: int,
    original: Microdata,
    rows: NDArray[np.int64],
    joined: Joined | None = None,
) -> Whereabouts:
    """Look for the targets ``rows`` (t,) of ``original.units`` by all quasi-identifiers: any record that fits is as likely.

    ``joined``: what every identity shows, where that is not how likely the values at ``column`` are.
    """
    from likeness.attacks.kernels.beliefs import list_matches

    joined = publication.joined(column) if joined is None else joined
    match = match_targets(publication, original.units, rows)
    if match.exact is not None:
        return Whereabouts(joined, match.exact[match.targets.of])
    codes, kind, low, high, members = match.lay_out()
    start, identities = list_matches(codes, kind, low, high, members)
    number = np.diff(start)
    place = np.where(number > 0, np.append(identities, -1)[start[:-1]], -1)
    several = np.flatnonzero(number > 1)
    if several.size:
        place[several] = joined.start.size - 1 + np.arange(several.size)
        joined = _united(joined, start[several], start[several + 1], identities)
    own = np.empty(place.size, np.int64)
    own[match.order] = place
    return Whereabouts(joined, own[match.targets.of])


def _united(
    joined: Joined, low: NDArray[np.int64], high: NDArray[np.int64], identities: NDArray[np.int64]
) -> Joined:
    """Add places that are several identities together: those from ``low`` to ``high`` each."""
    held = np.diff(joined.start)
    starts, values, weights = [joined.start], [joined.value], [joined.weight]
    filled, begin = int(joined.start[-1]), 0
    running = np.concatenate([[0], np.cumsum(held[identities])])
    ends = np.cumsum(running[high] - running[low])
    while begin < low.size:
        stop = max(begin + 1, int(np.searchsorted(ends, (ends[begin - 1] if begin else 0) + _MOST_ENTRIES)))
        sizes = high[begin:stop] - low[begin:stop]
        first = np.cumsum(sizes) - sizes
        own = identities[np.repeat(low[begin:stop] - first, sizes) + np.arange(int(sizes.sum()))]
        place = np.repeat(np.repeat(np.arange(sizes.size), sizes), held[own])
        before = np.cumsum(held[own]) - held[own]
        entries = np.repeat(joined.start[own] - before, held[own]) + np.arange(int(held[own].sum()))
        keys, weight = add_up(place * joined.values + joined.value[entries], joined.weight[entries])
        starts.append(filled + np.searchsorted(keys, np.arange(1, sizes.size + 1) * joined.values))
        values.append(keys % joined.values)
        weights.append(weight)
        filled, begin = filled + keys.size, stop
    start, value, weight = (np.concatenate(parts) for parts in (starts, values, weights))
    return Joined(start.astype(np.int64), value, weight, joined.one, joined.values)


def classes_of_regions(publication: Publication) -> Joined:
    """Records of every identity by the class they are in, in place of a value."""
    classes = int(publication.classes.max(initial=-1)) + 1
    keys, records = np.unique(
        publication.identities * max(1, classes) + publication.classes, return_counts=True
    )
    identities = int(publication.identities.max(initial=-1)) + 1
    start = np.searchsorted(keys, np.arange(identities + 1) * classes).astype(np.int64)
    return Joined(start, keys % max(1, classes), records.astype(np.int64), 1, classes)


def in_own_class(
    publication: Publication, column: int, original: Microdata, making: Making, rows: NDArray[np.int64]
) -> Whereabouts:
    """Where the class (in two tables, the bucket) of every target is known; those withheld are nowhere."""
    plan = making.plan
    classes = plan.classes if plan.buckets is None else plan.buckets
    index = original.sensitive_index(publication.sensitive[column].name)
    codes = (original.sensitive_codes if plan.sensitive is None else plan.sensitive)[index]
    own = original.sensitive[index].codes_in(publication.sensitive[column])[codes]
    where = classes
    if plan.added is not None:
        # Who knows the bucket cannot tell its invented records from the others.
        more = original.sensitive[index].codes_in(publication.sensitive[column])[plan.added.sensitive[index]]
        where, own = np.append(classes, classes[plan.added.of]), np.append(own, more)
    kept = where >= 0
    values = publication.sensitive[column].codes
    stats = count_classes(where[kept], int(classes.max(initial=-1)) + 1, own[kept], values)
    if original.individuals is not None:
        classes = classes[np.unique(original.individuals, return_index=True)[1]]
    return Whereabouts(Joined(stats.start, stats.value, stats.count, 1, values), classes[rows])


def in_the_table(publication: Publication, column: int, original: Microdata, targets: int) -> Whereabouts:
    """Without a release: any record of the original is as likely; values that were not published count too."""
    domain = publication.sensitive[column]
    index = original.sensitive_index(domain.name)
    own = original.sensitive[index].codes_in(domain)
    # One more code, for what was not published.
    shown = np.where(own >= 0, own, domain.codes)[original.sensitive_codes[index]]
    counts = np.bincount(shown, minlength=domain.codes + 1)
    value = np.flatnonzero(counts)
    joined = Joined(np.array([0, value.size]), value, counts[value], 1, domain.codes + 1)
    return Whereabouts(joined, np.zeros(targets, np.int64))


@dataclass(frozen=True, eq=False)
class RecordsByCategory:
    """Records of people of whom the highest category is published: ``counts`` (n, C), of every category, lowest first.

    ``name``: the column; ``labels``: its categories.
    """

    name: str
    labels: tuple[str, ...]
    counts: NDArray[np.int64]


def records_by_category(original: Microdata, name: str) -> RecordsByCategory:
    """Count the records of everybody, as `Microdata.source` has them, by the categories of a sensitive column."""
    source = original.source
    assert source is not None  # noqa: S101  # asked only of tables that were made so
    index = source.records.sensitive_index(name)
    domain = source.records.sensitive[index]
    assert domain.categories is not None  # noqa: S101  # without them there is no highest one
    labels = domain.categories.labels
    keys = source.of * len(labels) + domain.category_of[source.records.sensitive_codes[index]]
    counts = np.bincount(keys, minlength=original.size * len(labels))
    return RecordsByCategory(name, labels, counts.reshape(original.size, len(labels)))


@dataclass(frozen=True, eq=False)
class Inquiry:
    """Some targets, ``rows`` (t,) of ``original.units``, and what is known of them: what the release then gives away.

    ``column``: position of the sensitive attribute in what was published. ``truths``: all that is true of every target, for who
    knows nothing. ``threshold``: the belief that counts as a breach.
    """

    publication: Publication
    original: Microdata
    making: Making | None
    column: int
    rows: NDArray[np.int64]
    known: Told
    cases: Cases
    truths: ValueSets
    threshold: Fraction

    def answer(self) -> tuple[float, float, dict[str, float]]:
        """Success through all quasi-identifiers, the baseline without a release, and the details that all such attacks have."""
        total = self.rows.size
        through = through_regions(self.publication, self.column, self.original, self.rows)
        found = through.believe(self.cases, self.known).figures(self.cases, total, self.threshold)
        blind = without_knowledge(self.truths)
        nothing = through.believe(blind, self.known).figures(blind, total, self.threshold)
        table = in_the_table(self.publication, self.column, self.original, total)
        usual = table.believe(self.cases, self.known.with_unpublished()).figures(
            self.cases, total, self.threshold
        )
        details = {
            "without_knowledge": nothing["breached"],
            "mean_belief": found["mean_belief"],
            "mean_belief_without": nothing["mean_belief"],
            "certain": found["certain"],
            "guessed": found["guessed"],
            "unmatched": int(np.count_nonzero(through.of < 0)) / max(1, total),
            "targets": float(total),
        }
        if self.making is not None:
            own = in_own_class(self.publication, self.column, self.original, self.making, self.rows)
            there = own.believe(self.cases, self.known).figures(self.cases, total, self.threshold)
            details |= {f"{name}_in_class": value for name, value in there.items()}
        return found["breached"], usual["breached"], details


EXPLAINED = {
    "baseline": "the same for who has no release, from the shares of the original table",
    "without_knowledge": "share of targets breached by who knows no value, only quasi-identifiers",
    "mean_belief": "mean belief in what is true of the targets and was not known",
    "mean_belief_without": "mean belief in what is true of the targets, for who knows no value",
    "certain": "share of targets of whom something that was not known becomes certain",
    "guessed": "share of targets guessed right by naming the likeliest value that was not known",
    "unmatched": "share of targets whom no record fits",
    "targets": "people attacked: records, where each is another person's",
    "breached_in_class": "share of targets breached where the target's bucket (its class, in one table) is known too",
    "certain_in_class": "share of targets of whom something becomes certain where the bucket or class is known too",
    "guessed_in_class": "share of targets guessed right where the bucket or class is known too",
    "mean_belief_in_class": "mean belief in what was not known, where the bucket or class is known too",
}
"""What the figures of an `Inquiry` mean."""
ONE_RECORD = (
    "everybody has one record here, so that who knows a value of somebody knows all there is",
    "attack a release of people with several records",
)
"""Why who knows a value has nothing to learn, and what could be attacked."""
NO_SETS = "is defined for published values and highest categories, not for generalized sets of values; sensitive-vertical is"


def against_the_claim(
    publication: Publication, success: float, baseline: float, details: Mapping[str, float]
) -> str:
    """Say with numbers where a release that somebody claims immune is not; empty where it is, or nobody does."""
    there = details.get("breached_in_class", 0.0)
    if not publication.claimed_immune or max(success, there) <= 0:
        return ""
    known = f", and on {there:.1%} where the bucket is known too" if "breached_in_class" in details else ""
    return (
        f"{publication.claimed_immune} claim that two tables linked by buckets prevent this attack; it succeeds on "
        f"{success:.1%} of the targets{known}; without the release on {baseline:.1%}"
    )
