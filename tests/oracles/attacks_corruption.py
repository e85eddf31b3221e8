"""Corruption, by trying every target and every set of known members, with fractions."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from likeness.exact import Real


class Corrupted(NamedTuple):
    """What one class gives away when so many others are known."""

    success: Fraction
    largest: Fraction
    pinned: Fraction
    above: Fraction | None


def posteriors(values: Sequence[int], known: int) -> Iterator[tuple[int, dict[int, Fraction]]]:
    """Every target's true value and what is believed about it, for every set of known others."""
    members = range(len(values))
    for target in members:
        for chosen in combinations([i for i in members if i != target], known):
            left = [values[i] for i in members if i not in chosen]
            yield values[target], {s: Fraction(left.count(s), len(left)) for s in left}


def corrupt(values: Sequence[int], known: int, limits: Sequence[Real] | None = None) -> Corrupted:
    """Attack every member of one class."""
    every = list(posteriors(values, known))
    own = [beliefs[value] for value, beliefs in every]
    above = None
    if limits is not None:
        above = Fraction(
            sum(not limits[value].at_least(beliefs[value]) for value, beliefs in every), len(every)
        )
    return Corrupted(
        sum(own, Fraction(0)) / len(own),
        max(max(beliefs.values()) for _, beliefs in every),
        Fraction(sum(len(beliefs) == 1 for _, beliefs in every), len(every)),
        above,
    )


def breaks_at(values: Sequence[int], limits: Sequence[Real]) -> int:
    """Fewest known members that bring any belief above its limit; -1 where none do."""
    for known in range(len(values)):
        for _, beliefs in posteriors(values, known):
            if any(not limits[s].at_least(share) for s, share in beliefs.items()):
                return known
    return -1
