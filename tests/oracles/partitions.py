"""The least loss of all partitions of a tiny table, one after the other; nothing of the search is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tests.methods.problems import TREE_ROWS

from likeness.microdata.data import Microdata

Holds = Callable[[list[int], list[int]], bool]
"""Whether a class holds, from its counts of sensitive values and those of all that is published."""


def partitions(members: list[int]) -> Iterator[list[list[int]]]:
    """Every partition of some records."""
    if not members:
        yield []
        return
    first, rest = members[0], members[1:]
    for smaller in partitions(rest):
        yield [[first], *smaller]
        for i in range(len(smaller)):
            yield [*smaller[:i], [first, *smaller[i]], *smaller[i + 1 :]]


def kept(n: int, allowance: int) -> Iterator[list[int]]:
    """Every set of records that may be published."""
    for out in range(1 << n):
        if out.bit_count() <= allowance and out.bit_count() < n:
            yield [i for i in range(n) if not out >> i & 1]


def region(data: Microdata, members: list[int]) -> tuple[Any, ...]:
    """What a class shows: ends, or the set, or the lowest node of the hierarchy of `problems.TREE_ROWS`."""
    shown: list[Any] = []
    for j, domain in enumerate(data.quasi):
        values = {int(data.codes[j, i]) for i in members}
        if domain.shape == "interval":
            shown.append((min(values), max(values)))
        elif domain.shape == "set":
            shown.append(frozenset(values))
        else:
            paths = {tuple(TREE_ROWS[value]) for value in values}
            shown.append(
                next((i, path[i]) for path in paths for i in range(3) if len({p[i] for p in paths}) == 1)
            )
    return tuple(shown)


def loss(data: Microdata, members: list[int], form: str) -> float:
    """What one record of a class loses; attributes weigh the same."""
    total = 0.0
    for j, domain in enumerate(data.quasi):
        shown = region(data, members)[j]
        if domain.shape == "interval":
            total += (shown[1] - shown[0]) / (len(domain.values) - 1)
            continue
        size = len(domain.values)
        below = len(shown) if domain.shape == "set" else sum(row[shown[0]] == shown[1] for row in TREE_ROWS)
        if below > 1:
            total += below / size if form == "ncp" else (below - 1) / (size - 1)
    return total / len(data.quasi)


def least(data: Microdata, holds: Holds, form: str = "glm", allowance: int = 0) -> float | None:
    """Least summed loss, 1 for each record withheld; None where no partition holds.

    Classes that show the same are one class: a partition that has two of them is none.
    """
    values = data.sensitive[0].codes
    sick = data.sensitive_codes[0].tolist()
    best: float | None = None
    for members in kept(data.size, allowance):
        whole = [sum(sick[i] == value for i in members) for value in range(values)]
        good: dict[tuple[int, ...], bool] = {}
        costs: dict[tuple[int, ...], float] = {}
        shows: dict[tuple[int, ...], Any] = {}
        for classes in partitions(members):
            keys = [tuple(own) for own in classes]
            for key in keys:
                if key not in good:
                    counts = [sum(sick[i] == value for i in key) for value in range(values)]
                    good[key] = holds(counts, whole)
            if not all(good[key] for key in keys):
                continue
            for key in keys:
                if key not in costs:
                    costs[key] = len(key) * loss(data, list(key), form)
                    shows[key] = region(data, list(key))
            if len({shows[key] for key in keys}) < len(classes):
                continue
            total = sum(costs[key] for key in keys) + data.size - len(members)
            best = total if best is None else min(best, total)
    return best


def least_closed(data: Microdata, holds: Holds, form: str = "glm") -> float | None:
    """The same without withholding, for models that unions keep: subset by subset, the class of its first record first."""
    n, values = data.size, data.sensitive[0].codes
    sick = data.sensitive_codes[0].tolist()
    whole = [sick.count(value) for value in range(values)]
    cost: list[float | None] = [None] * (1 << n)
    for own in range(1, 1 << n):
        members = [i for i in range(n) if own >> i & 1]
        if holds([sum(sick[i] == value for i in members) for value in range(values)], whole):
            cost[own] = len(members) * loss(data, members, form)
    best: list[float | None] = [0.0] + [None] * ((1 << n) - 1)
    for every in range(1, 1 << n):
        first = every & -every
        rest = every ^ first
        some = rest
        while True:
            own, left = cost[some | first], best[rest ^ some]
            if own is not None and left is not None:
                so_far = best[every]
                best[every] = own + left if so_far is None else min(so_far, own + left)
            if some == 0:
                break
            some = (some - 1) & rest
    return best[-1]
