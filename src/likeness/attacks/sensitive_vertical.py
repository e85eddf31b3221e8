"""Vertical knowledge: one known value of somebody beside values that are published at another level of their hierarchy."""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.attacks._columns import ColumnAttack, column_of
from likeness.attacks._individuals import ValueSets, crowd_of_original, sets_of
from likeness.attacks._knowing import ONE_RECORD, in_own_class, rows_of_people, single, through_regions
from likeness.attacks.base import AttackResult, check_targets, choose_targets
from likeness.checks import choice, number
from likeness.exact import times
from likeness.microdata.grouping import add_up, group_codes

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

    from numpy.typing import NDArray

    from likeness.attacks._knowing import Whereabouts
    from likeness.attacks.base import Making
    from likeness.errors import Refusal
    from likeness.forms.base import Publication
    from likeness.microdata.data import Microdata
    from likeness.microdata.node_sets import NodeSets

_MOST_ENTRIES = 1 << 22
"""Values of places looked at at once."""


@dataclass(frozen=True)
class SensitiveVerticalAttack(ColumnAttack):
    """Learn a value of somebody, one of whose values is known, from sets of values at several levels of their hierarchy.

    Every published record whose region holds the target's quasi-identifiers and whose set covers the known value may be the
    target's. A value that such sets show itself, beside nodes above others, is believed as strongly as the share of them that do.
    The strongest is named where it is believed as the threshold says, and is right where the target has it. Where values are
    published at one level, that is at most the known one itself, so that nobody is found.

    The baseline knows the same of the target and has no release: it names the value that most people with the known one have.

    Parameters
    ----------
    sensitive
        The column; when left out every one in turn, and the result is that of the largest gain.
    record
        Which of a target's records is known: ``any`` (default), each as likely, exactly; or the ``first`` or ``last``.
    threshold
        The belief from which on a value is named.
    targets
        How many people to take as targets, drawn at random among those with several values; all when left out.
    seed
        Which ones are drawn; the same seed, the same draws.

    References
    ----------
    Fazal et al. 2023, definition 5 (sVer): headache, flu, tiredness and chills of one person become {Low, Chills}; sets are those
    of Gong et al. 2017.

    Examples
    --------
    >>> SensitiveVerticalAttack(record="first")
    SensitiveVerticalAttack(sensitive=None, record='first', threshold=0.5, targets=None, seed=0)
    """

    record: str = "any"
    threshold: float | str | Fraction = 0.5
    targets: int | None = None
    seed: int = 0

    name: ClassVar[str] = "sensitive-vertical"
    forms: ClassVar[frozenset[str] | None] = frozenset({"anatomized", "angelized", "generalized"})
    takes_individuals: ClassVar[bool] = True
    explained: ClassVar[Mapping[str, str]] = {
        "baseline": "the same for who has no release, among all people of the original table with the known value",
        "certain": "share of targets of whom a further value is in all sets that may be theirs, and true",
        "in_class": "the success where the target's bucket (its class, in one table) is known too",
        "mixed": "share of published records whose set has values beside nodes above values",
        "targets": "people attacked: those with several values",
    }

    def __post_init__(self) -> None:
        choice(self.name, "record", self.record, ("any", "first", "last"))
        number(self.name, "threshold", self.threshold, above=0, at_most=1)
        check_targets(self.name, self.targets, self.seed)

    def inapplicable(self, publication: Publication, original: Microdata) -> Refusal | None:
        """Find why the attack is not defined for a release: nobody has several values."""
        problem = super().inapplicable(publication, original)
        if problem is not None or original.source is not None or original.individuals is not None:
            return problem
        return self._refused(*ONE_RECORD)

    def attack_column(
        self, publication: Publication, original: Microdata, making: Making | None, sensitive: str
    ) -> AttackResult:
        """Learn values of one column.

        Returns
        -------
        AttackResult
            Its details: ``certain``, the share of targets of whom a true value becomes certain; ``in_class``, the success where
            the class is known; ``mixed``, the share of records whose set has several levels; ``targets``, their number.
        """
        column = column_of(publication.sensitive, sensitive)
        records = original if original.source is None else original.source.records
        everybody = sets_of(records, records.sensitive_index(sensitive))
        possible = np.flatnonzero(everybody.sizes > 1)
        rows = possible[choose_targets(possible.size, self.targets, self.seed)]
        target, known, chance = self._known(records, sensitive, everybody, rows)
        total = max(1, rows.size)
        details = {"certain": 0.0, "mixed": 0.0, "targets": float(rows.size)}
        success = 0.0
        sets = publication.sensitive[column].sets
        if making is not None:
            details["in_class"] = 0.0
        if sets is not None:
            own = records.sensitive[records.sensitive_index(sensitive)]
            leaf = np.array([sets.tree.leaf_rank(label) for label in own.labels], np.int64)
            asked = _Vertical(sets, target, leaf[known], chance, everybody.take(rows).recoded(leaf))
            units = rows_of_people(original)[rows]
            through = through_regions(publication, column, original, units)
            success, details["certain"] = asked.of(
                through, number(self.name, "threshold", self.threshold), total
            )
            if making is not None:
                there = in_own_class(publication, column, original, making, units)
                details["in_class"], _ = asked.of(
                    there, number(self.name, "threshold", self.threshold), total
                )
            details["mixed"] = float(sets.mixes_levels[publication.sensitive_codes[column]].mean())
        usual = self._usual(records, sensitive, everybody.take(rows), rows, target, known)
        return AttackResult(
            self.name,
            success,
            min(1.0, fsum(chance * usual) / total),
            f"share of people of whom a further {sensitive!r} is named rightly, believed with a probability of "
            f"{self.threshold} or more, given one known value",
            details,
        )

    def _known(
        self, records: Microdata, sensitive: str, everybody: ValueSets, rows: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Say which value of which target is known, and how likely that is."""
        sets = everybody.take(rows)
        if self.record == "any" or records.individuals is None:
            # Where everybody has one record, there is nobody here.
            return sets.of, sets.value, 1 / sets.sizes[sets.of]
        codes = records.sensitive_codes[records.sensitive_index(sensitive)].astype(np.int64)
        _, first = np.unique(records.individuals, return_index=True)
        _, last = np.unique(records.individuals[::-1], return_index=True)
        at = first if self.record == "first" else records.size - 1 - last
        return np.arange(rows.size), codes[at[rows]], np.ones(rows.size)

    def _usual(
        self,
        records: Microdata,
        sensitive: str,
        sets: ValueSets,
        rows: NDArray[np.int64],
        target: NDArray[np.int64],
        known: NDArray[np.int64],
    ) -> NDArray[np.float64]:
        """(c,) Chance of naming a further value rightly by how values go together in the original table."""
        own = sets.take(target)
        further = own.keep(own.value != known[own.of])
        crowd = crowd_of_original(records, records.sensitive_index(sensitive), rows[target], by_quasi=False)
        found = crowd.ask(single(known), further)
        limit = number(self.name, "threshold", self.threshold)
        enough = times(found.most, limit.denominator) >= times(found.candidates, limit.numerator)
        return np.where(enough.astype(np.bool_), found.credit, 0.0)


@dataclass(frozen=True, eq=False)
class _Vertical:
    """Of ``target`` (c,) the leaf ``known`` (c,) is known with some ``chance`` (c,); ``had``: all leaves of every target."""

    sets: NodeSets
    target: NDArray[np.int64]
    known: NDArray[np.int64]
    chance: NDArray[np.float64]
    had: ValueSets

    def of(self, places: Whereabouts, threshold: Fraction, total: int) -> tuple[float, float]:
        """Shares of targets of whom a further value is named rightly, and of whom one is certain."""
        right, sure = np.zeros(self.target.size), np.zeros(self.target.size, np.bool_)
        place = places.of[self.target]
        there = np.flatnonzero(place >= 0)
        held = np.diff(places.joined.start)[place[there]]
        ends = np.cumsum(held)
        begin = 0
        while begin < there.size:
            stop = max(
                begin + 1, int(np.searchsorted(ends, (ends[begin - 1] if begin else 0) + _MOST_ENTRIES))
            )
            chosen = there[begin:stop]
            right[chosen], sure[chosen] = self._some(places, chosen, place[chosen], threshold)
            begin = stop
        return min(1.0, fsum(self.chance * right) / total), min(1.0, fsum(self.chance[sure]) / total)

    def _some(
        self, places: Whereabouts, cases: NDArray[np.int64], place: NDArray[np.int64], threshold: Fraction
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Chance of naming rightly, and whether a true value is certain, of some cases."""
        joined, leaves = places.joined, self.sets.tree.size
        pairs = group_codes([place, self.known[cases]], [joined.start.size, leaves])
        held = np.diff(joined.start)[place[pairs.first]]
        pair = np.repeat(np.arange(pairs.count), held)
        before = np.cumsum(held) - held
        entries = np.repeat(joined.start[place[pairs.first]] - before, held) + np.arange(int(held.sum()))
        known = self.known[cases][pairs.first]
        distinct, row = np.unique(known, return_inverse=True)
        fits = self.sets.covering(distinct)[row.reshape(-1)[pair], joined.value[entries]]
        pair, entries = pair[fits], entries[fits]
        whole = np.zeros(pairs.count, joined.weight.dtype)
        np.add.at(whole, pair, joined.weight[entries])
        # Every leaf that a set shows, as often as the set may be the target's.
        of, leaf = self.sets.exactly
        first = np.searchsorted(of, np.arange(self.sets.count + 1))
        shown = np.diff(first)[joined.value[entries]]
        at = np.repeat(first[joined.value[entries]] - np.cumsum(shown) + shown, shown) + np.arange(
            int(shown.sum())
        )
        keys = np.repeat(pair, shown) * leaves + leaf[at]
        keys, weights = add_up(keys, np.repeat(joined.weight[entries], shown))
        further = keys % leaves != known[keys // leaves]
        keys, weights = keys[further], weights[further]
        top = np.zeros(pairs.count, joined.weight.dtype)
        np.maximum.at(top, keys // leaves, weights)
        named = (weights == top[keys // leaves]) & (
            times(weights, threshold.denominator) >= times(whole[keys // leaves], threshold.numerator)
        )
        return self._judged(
            cases, pairs.of, keys, np.asarray(named, np.bool_), weights == whole[keys // leaves]
        )

    def _judged(
        self,
        cases: NDArray[np.int64],
        pair: NDArray[np.int64],
        keys: NDArray[np.int64],
        named: NDArray[np.bool_],
        sure: NDArray[np.bool_],
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Compare what is named, and what is certain, with what the targets have."""
        leaves = self.sets.tree.size
        ties = np.bincount(keys[named] // leaves, minlength=int(pair.max(initial=-1)) + 1)
        own = self.had.take(self.target[cases])
        wanted = pair[own.of] * leaves + own.value
        right = np.bincount(own.of, np.isin(wanted, keys[named]), cases.size) / np.maximum(1, ties[pair])
        certain = np.bincount(own.of, np.isin(wanted, keys[np.asarray(sure, np.bool_)]), cases.size) > 0
        return right, certain
