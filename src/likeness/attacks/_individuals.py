"""Individuals with several sensitive values, as adversaries look for them: by quasi-identifiers and by values they know."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import fsum
from typing import TYPE_CHECKING

import numpy as np

from likeness.attacks.matching import Match, Reach, match_targets
from likeness.microdata.grouping import Groups, group_codes, group_keys
from likeness.microdata.individuals import Individuals, find_individuals

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.attacks.kernels.candidates import CandidateIndividuals
    from likeness.forms.base import Publication
    from likeness.microdata.data import Microdata

_MOST_MATCHES = 1 << 24
"""Of targets and places, kept at once: 64 MB."""
_MOST_BITS = 1 << 29
"""Of individuals and the most frequent values: 64 MB."""


@dataclass(frozen=True, eq=False)
class ValueSets:
    """Some sensitive values of each of t individuals, ascending.

    Those of individual i are ``value[first[i]:first[i + 1]]``; ``first`` is (t + 1,), ``value`` (pairs,).
    """

    first: NDArray[np.int64]
    value: NDArray[np.int64]

    @property
    def count(self) -> int:
        """Number of individuals."""
        return int(self.first.size - 1)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """(t,) Number of values of each individual."""
        return np.diff(self.first)

    @property
    def of(self) -> NDArray[np.int64]:
        """(pairs,) Individual of each value."""
        return np.repeat(np.arange(self.count), self.sizes)

    def take(self, chosen: NDArray[np.int64]) -> ValueSets:
        """Keep some individuals, in the order given."""
        sizes = self.sizes[chosen]
        first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        at = np.repeat(self.first[chosen] - first[:-1], sizes) + np.arange(int(first[-1]))
        return ValueSets(first, self.value[at])

    def keep(self, inside: NDArray[np.bool_]) -> ValueSets:
        """Keep some values of each individual."""
        kept = np.concatenate([[0], np.cumsum(inside)]).astype(np.int64)
        return ValueSets(kept[self.first], self.value[inside])

    def has(self, guess: NDArray[np.int64]) -> NDArray[np.bool_]:
        """(t,) Whether each individual has a guessed value; -1 is nobody's."""
        return np.asarray(np.bincount(self.of, self.value == guess[self.of], self.count) > 0)

    def recoded(self, code_of: NDArray[np.int64]) -> ValueSets:
        """Give the values other codes."""
        return ValueSets(self.first, code_of[self.value])


def sets_of(original: Microdata, index: int) -> ValueSets:
    """Collect the distinct values S(p) that every row of ``original.units`` has of the sensitive attribute at ``index``."""
    codes = original.sensitive_codes[index].astype(np.int64)
    if original.individuals is None:
        return ValueSets(np.arange(original.size + 1), codes)
    of = original.people.members
    assert of is not None  # noqa: S101  # a table of people has members
    together = np.zeros(original.size, np.int64)
    found = find_individuals(together, 1, of.of, codes, original.sensitive[index].codes)
    return ValueSets(found.first, found.value)


def draw_known(sets: ValueSets, known: int | None, seed: int) -> NDArray[np.bool_]:
    """(pairs,) Draw the values that an adversary knows of everybody, each set of them as likely.

    ``known`` of each individual, all of them of those with fewer; None: all of everybody's.
    """
    if known is None or known == 0:
        return np.full(sets.value.size, known is None)
    # Not the stream that targets are drawn from.
    rng = np.random.Generator(np.random.PCG64([seed, 1]))
    order = np.argsort(rng.random(sets.value.size), kind="stable")
    # By individual, as drawn: whole numbers are sorted several times as fast by value as by their order.
    order = order[np.sort(sets.of[order] * order.size + np.arange(order.size)) % max(1, order.size)]
    rank = np.arange(order.size) - np.repeat(sets.first[:-1], sets.sizes)
    found = np.zeros(order.size, np.bool_)
    found[order[rank < known]] = True
    return found


def alike_sets(known: ValueSets, values: int) -> Groups:
    """Targets of whom the same values are known, below ``values`` and in the same order; -1 for those that nobody has."""
    sizes = known.sizes
    own, count = np.zeros(known.count, np.int64), 1
    by_size = np.argsort(sizes, kind="stable")
    begins = np.searchsorted(sizes[by_size], np.arange(int(sizes.max(initial=0))), side="right")
    # Whoever has no further value keeps the number that stands for all of its own.
    for k, begin in enumerate(begins.tolist()):
        more = by_size[begin:]
        value = known.value[known.first[more] + k]
        longer = group_codes([own[more], np.where(value < 0, values, value)], [count, values + 1])
        own[more] = count + longer.of
        count += longer.count
    return group_keys(own)


@dataclass(frozen=True, eq=False)
class Answers:
    """What is found about every one of t targets.

    ``candidates``: (t,) int64, individuals who may be the target: those where it may be who have all values known of it.
    ``most``: (t,) int64, largest number of candidates that have one of the target's further values.
    ``total``: (t,) int64, sum of these numbers over its further values.
    ``credit``: (t,) float64, chance that the value most candidates have, of those not known, is one of the further ones;
    of equally frequent values any is guessed.
    """

    candidates: NDArray[np.int64]
    most: NDArray[np.int64]
    total: NDArray[np.int64]
    credit: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Crowd:
    """Individuals among whom an adversary looks for targets, and where each target may be.

    ``match``: which places each target may be in; a place is a class, or a tuple of the original table.
    ``individuals``: who is in each place, with all their values; ``values`` is the number of codes of these.
    """

    match: Match
    individuals: Individuals
    values: int

    def ask(self, known: ValueSets, further: ValueSets | None = None) -> Answers:
        """Look for all targets: for individuals who have the values ``known`` of each, in the codes of ``individuals``.

        A known value that nobody has is -1. ``further`` are those of a target's other values to count candidates for; None:
        none.
        """
        from likeness.attacks.kernels.candidates import Questions, find_candidates

        people = self.match.targets.of.size
        if further is None:
            further = ValueSets(np.zeros(people + 1, np.int64), np.zeros(0, np.int64))
        known = self._rarest_first(known)
        place = np.empty(self.match.order.size, np.int64)
        place[self.match.order] = np.arange(place.size)
        tuples = place[self.match.targets.of]
        alike = alike_sets(known, self.values)
        questions = group_codes([tuples, alike.of], [max(1, place.size), max(1, alike.count)])
        # Targets in the order of their questions.
        targets = np.argsort(questions.of, kind="stable")
        sets, told = known.take(alike.first), further.take(targets)
        set_of = alike.of[questions.first]
        answers = (
            np.zeros(questions.count, np.int64),
            np.zeros(people, np.int64),
            np.zeros(people, np.int64),
            np.zeros(people),
        )
        exact = np.zeros(0, np.int64) if self.match.exact is None else self.match.exact[self.match.order]
        codes, kind, low, high, members = self.match.lay_out()
        find_candidates(
            codes,
            kind,
            low,
            high,
            members,
            exact.astype(np.int32),
            self._layout,
            Questions(
                tuples[questions.first],
                set_of,
                np.argsort(set_of, kind="stable"),
                sets.first,
                sets.value,
                np.concatenate([[0], np.cumsum(questions.sizes)]).astype(np.int64),
                told.first,
                told.value,
            ),
            _MOST_MATCHES,
            _MOST_BITS,
            answers,
        )
        back = np.empty(people, np.int64)
        back[targets] = np.arange(people)
        candidates, most, total, credit = answers
        return Answers(candidates[questions.of], most[back], total[back], credit[back])

    def _rarest_first(self, known: ValueSets) -> ValueSets:
        """Known values with those first that fewest individuals have."""
        # Values that nobody has, -1, are the last here, and the first in the order.
        often = np.append(np.bincount(self.individuals.value, minlength=self.values), 0)
        by_rank = np.lexsort((np.append(np.arange(self.values), -1), often))
        rank = np.empty(by_rank.size, np.int64)
        rank[by_rank] = np.arange(by_rank.size)
        keys = np.sort(known.of * by_rank.size + rank[known.value])
        value = by_rank[keys % by_rank.size]
        return ValueSets(known.first, np.where(value == self.values, -1, value))

    @cached_property
    def _layout(self) -> CandidateIndividuals:
        """Individuals, their values, and the holders of each value, as the kernel takes them."""
        from likeness.attacks.kernels.candidates import CandidateIndividuals

        people = self.individuals
        count = people.number.size
        person = np.repeat(np.arange(count), np.diff(people.first))
        holders = np.sort(people.value * max(1, count) + person) % max(1, count)
        often = np.bincount(people.value, minlength=self.values)
        return CandidateIndividuals(
            people.start,
            people.class_of,
            people.first,
            people.value,
            np.concatenate([[0], np.cumsum(often)]).astype(np.int64),
            holders,
        )


def crowd_of_release(
    publication: Publication, column: int, original: Microdata, rows: NDArray[np.int64]
) -> Crowd:
    """Look in a release for the individuals ``rows`` (t,) of ``original.units``, by all their quasi-identifiers.

    The sensitive attribute is that at ``column`` of ``publication.sensitive``; ``publication.persons`` must be there.
    """
    assert publication.persons is not None  # noqa: S101  # the attacks are defined for releases that link records
    match = match_targets(publication, original.units, rows)
    places, values = match.reaches[0].low.size, publication.sensitive[column].codes
    codes = publication.sensitive_codes[column]
    found = find_individuals(publication.identities, places, publication.persons, codes, values)
    return Crowd(match, found, values)


def crowd_of_original(
    original: Microdata, index: int, rows: NDArray[np.int64], *, by_quasi: bool = True
) -> Crowd:
    """Look in the original table for individuals: among those of the same quasi-identifiers, or among everybody.

    ``rows`` (t,) of ``original.units`` are the targets, ``index`` is the sensitive attribute's. With ``by_quasi`` the
    adversary knows the targets' quasi-identifiers: those of an individual's first record.
    """
    units = original.units
    place = units.tuples.of if by_quasi else np.zeros(units.size, np.int64)
    count = int(place.max(initial=-1)) + 1
    sets = sets_of(original, index)
    order = np.argsort(place, kind="stable")
    own = sets.take(order)
    start = np.searchsorted(place[order], np.arange(count + 1)).astype(np.int64)
    # Records are not looked at.
    nothing = np.zeros(count, np.int64)
    found = Individuals(nothing, nothing, start, order, own.first, own.value)
    targets = group_keys(place[rows])
    there = np.zeros(max(1, count), np.int64)
    match = Match(
        targets,
        np.zeros((1, targets.count), np.int32),
        np.arange(targets.count),
        (Reach(False, there, there, np.zeros(0, np.int64)),),
        place[rows][targets.first],
    )
    return Crowd(match, found, original.sensitive[index].codes)


def shown_codes(publication: Publication, column: int, original: Microdata) -> NDArray[np.int64]:
    """(codes,) Published code of each original value of a sensitive attribute, -1 for those not published."""
    domain = publication.sensitive[column]
    own = original.sensitive[original.sensitive_index(domain.name)]
    return own.codes_in(domain)


def mean_chance(candidates: NDArray[np.int64], own: NDArray[np.int64] | None = None) -> float:
    """Mean probability of picking a target out of its candidates, the same float in any order of the targets.

    ``candidates`` (t,) counts those of each target, with none there is no chance; ``own`` (t,) of them are the target's
    (None: 1).

    >>> mean_chance(np.array([2, 4, 0, 4]))
    0.25
    """
    width = int(candidates.max(initial=0)) + 1
    own = np.ones_like(candidates) if own is None else np.minimum(own, candidates)
    keys, times = np.unique(own * width + candidates, return_counts=True)
    chances = (
        count * (key // width) / (key % width)
        for key, count in zip(keys.tolist(), times.tolist(), strict=True)
        if key % width
    )
    return fsum(chances) / max(1, candidates.size)


def known_values(known: int) -> str:
    """Say how many values are known: ``one known value``, ``2 known values``."""
    return "one known value" if known == 1 else f"{known} known values"
