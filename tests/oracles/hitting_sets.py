"""Hitting sets by plain definition, as Wang et al. 2019 describes them: what the fast decision is tested against, and replays.

A family Ψ is a sequence of sets, one for each individual of a class. Only for small classes: these procedures enumerate.
`likeness.kernels.hitting_set` decides the same question for classes of any size.
"""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import TYPE_CHECKING, TypeVar

from likeness.checks import choice

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterable, Iterator

    T = TypeVar("T", bound=Hashable)
    Family = Iterable[Collection[T]]


def reasoning_space(records: Iterable[Collection[T]]) -> Iterator[tuple[T, ...]]:
    """Yield every reasoning set: one record chosen for each individual (definition 3.2, equation 8).

    Parameters
    ----------
    records
        Records (or values) of each individual, in the order wanted.

    Examples
    --------
    >>> list(reasoning_space([["r1", "r2"], ["r4"]]))
    [('r1', 'r4'), ('r2', 'r4')]
    """
    return product(*records)


def minimal_hitting_sets(family: Family[T]) -> set[frozenset[T]]:
    """Find all minimal hitting sets, individual by individual (algorithm 5: Berge's multiplication, with absorption).

    Examples
    --------
    >>> sorted(sorted(found) for found in minimal_hitting_sets([{2, 3}, {2, 4}, {1, 2}]))
    [[1, 3, 4], [2]]
    """
    found: set[frozenset[T]] = {frozenset()}
    for values in family:
        found = absorb(hitting | {value} for hitting in found for value in values)
    return found


def absorb(family: Family[T]) -> set[frozenset[T]]:
    """Drop every set that contains another."""
    kept: list[frozenset[T]] = []
    for one in sorted({frozenset(values) for values in family}, key=len):
        if not any(smaller <= one for smaller in kept):
            kept.append(one)
    return set(kept)


def bhs(family: Family[T], mode: str = "exact") -> set[frozenset[T]]:
    """Find minimal hitting sets by the Boolean recursion of algorithm 3 (after Jiang & Lin 2003).

    Parameters
    ----------
    family
        The sets; none is empty.
    mode
        ``literal`` as printed, to replay the paper; ``exact`` for all minimal hitting sets.

    Notes
    -----
    Printed, lines 6 and 7 return an element that all sets have in common as "the only" minimal hitting set. It is
    one, of the least size, but others without it may exist: in the paper's example {x3, x5}, {x5, x7} has {x5} and
    {x3, x7}, so that one of the four minimal hitting sets is missing there. What the literal recursion puts together
    from its branches need not be minimal either. ``exact`` leaves the rule out and absorbs what it found. Both give
    the same least size in every family tried (tests), so that the paper's decisions are right.

    Examples
    --------
    >>> family = [{1, 3}, {1, 3, 5}, {1, 6}, {3, 5}, {5, 7}, {4}, {4, 5}, {4, 6}]
    >>> sorted(sorted(found) for found in bhs(family, "literal"))
    [[1, 4, 5], [3, 4, 5, 6], [3, 4, 6, 7]]
    >>> sorted(sorted(found) for found in bhs(family))
    [[1, 3, 4, 7], [1, 4, 5], [3, 4, 5, 6], [3, 4, 6, 7]]
    """
    choice("bhs", "mode", mode, ("exact", "literal"))
    found = _boolean(family, literal=mode == "literal")
    return found if mode == "literal" else absorb(found)


def _boolean(family: Family[T], *, literal: bool) -> set[frozenset[T]]:
    """One step of the recursion; elements that decide ties come in the order of their texts."""
    sets = absorb(family)
    if not sets:
        return {frozenset()}
    if len(sets) == 1:
        return {frozenset({element}) for element in next(iter(sets))}
    frequency = Counter(element for values in sets for element in values)
    best = min(frequency, key=lambda element: (-frequency[element], str(element)))
    if literal and frequency[best] == len(sets):
        return {frozenset({best})}
    single = _single_values(sets)
    if single:
        rest = (values for values in sets if not values & single)
        return {single | found for found in _boolean(rest, literal=literal)}
    having = (values for values in sets if best not in values)
    without = (values - {best} for values in sets)
    return {found | {best} for found in _boolean(having, literal=literal)} | _boolean(
        without, literal=literal
    )


def _single_values(sets: Iterable[frozenset[T]]) -> frozenset[T]:
    """Values that are all somebody has: every hitting set has them."""
    return frozenset(value for values in sets if len(values) == 1 for value in values)


def diverse(family: Family[T], l: int, mode: str = "exact") -> bool:  # noqa: E741
    """Decide EIR l-diversity of a class at once (algorithm 2).

    Examples
    --------
    >>> diverse([{"Leukaemia", "Heart"}, {"Syphilis"}, {"Hypertension", "Diabetes"}], 3)
    True
    """
    sets = [frozenset(values) for values in family]
    single = _single_values(sets)
    if len(single) >= l:
        return True
    rest = [values for values in sets if not values & single]
    return len(single) + min(len(found) for found in bhs(rest, mode)) >= l


def diverse_step_by_step(family: Family[T], l: int) -> bool:  # noqa: E741
    """Decide EIR l-diversity of a class from all its minimal hitting sets (algorithm 5)."""
    return min(len(found) for found in minimal_hitting_sets(family)) >= l


def diverse_by_definition(family: Family[T], l: int) -> bool:  # noqa: E741
    """Decide EIR l-diversity of a class from its whole reasoning space (definition 3.3)."""
    return all(len(set(chosen)) >= l for chosen in reasoning_space(family))
