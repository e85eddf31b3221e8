"""How likely each member of a class has each of its values, given what is believed of each beforehand.

Classes are laid out as in `likeness.kernels.arrangements`.
"""

from __future__ import annotations

import numpy as np

from likeness.kernels import njit
from likeness.kernels.arrangements import balanced, believe_exactly

EVEN, EXACT, SAMPLED, BALANCED = 0, 1, 2, 3
"""How a class is looked at: all believed alike, every arrangement, some of them, by scaling rows and columns."""
_BATCHES = 32
"""Parts of a sample whose means say how far the whole may be off."""
_ROUNDS = 2000
_MISSED = 1e-2
"""Rows that still miss their sums by this part after all rounds cannot meet them."""


@njit(cache=True)
def _lifted(weights, members, counts):
    """Give impossible cells some weight, so that exchanges lead everywhere: about one of a class's members has one."""
    u, k = weights.shape
    lift = 0.25
    while True:
        found = weights.copy()
        for r in range(u):
            top = weights[r].max()
            for c in range(k):
                if weights[r, c] == 0.0:
                    found[r, c] = lift * top
        found, _ = balanced(found, members, counts, 100)
        expected = 0.0
        for r in range(u):
            for c in range(k):
                if weights[r, c] == 0.0:
                    expected += found[r, c]
        if expected <= 1.0 or lift < 1e-9:
            return found
        lift /= 4.0


@njit(cache=True)
def _draw(state):
    """The next 53 random bits: SplitMix64."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.int64((z ^ (z >> np.uint64(31))) >> np.uint64(11))


@njit(cache=True)
def _shuffle(values, state):
    """Put values in random order."""
    for i in range(values.size - 1, 0, -1):
        j = _draw(state) % (i + 1)
        values[i], values[j] = values[j], values[i]


@njit(cache=True)
def _sweep(weights, chance, unit, value, order, holes, state, number, people):
    """Pair all members anew, count what each pair may have, and exchange its values; returns the impossible cells then.

    ``unit``, ``value`` (n,): distribution and value of each member; ``holes`` of them are impossible. Counted, where nobody else
    has an impossible value, in ``number`` (u, k) and ``people`` (u,).
    """
    _shuffle(order, state)
    if order.size % 2 == 1 and holes == 0:
        i = order[-1]
        number[unit[i], value[i]] += 1.0
        people[unit[i]] += 1.0
    for pair in range(order.size // 2):
        i, j = order[2 * pair], order[2 * pair + 1]
        x, y, s, t = unit[i], unit[j], value[i], value[j]
        if x == y or s == t:
            if holes == 0:
                number[x, s] += 1.0
                number[y, t] += 1.0
                people[x] += 1.0
                people[y] += 1.0
            continue
        now, then = chance[x, s] * chance[y, t], chance[x, t] * chance[y, s]
        here = (weights[x, s] == 0.0) + (weights[y, t] == 0.0)
        turned = (weights[x, t] == 0.0) + (weights[y, s] == 0.0)
        if holes == here:
            stay = now / (now + then) if here == 0 else 0.0
            turn = then / (now + then) if turned == 0 else 0.0
            number[x, s] += stay
            number[y, t] += stay
            number[x, t] += turn
            number[y, s] += turn
            people[x] += stay + turn
            people[y] += stay + turn
        if then >= now or _draw(state) * 2.0**-53 * now < then:
            value[i], value[j] = t, s
            holes += turned - here
    return holes


@njit(cache=True)
def believe_by_sampling(weights, members, counts, sweeps, seed, found, errors):
    """Estimate the beliefs by exchanging the values of pairs of members, accepted as Metropolis does; says whether that worked.

    In a sweep all members are paired anew. Counted is not what the pair has but how likely it is to have either of the two
    arrangements of its values, given those of all others. Where some cells are impossible, the chain also walks over
    arrangements that have them, and counts only the possible ones. Filled: ``found`` (u, k) and ``errors`` (u, k), the standard
    errors, from the means of batches.
    """
    u, k = weights.shape
    state = np.array([seed], np.uint64)
    chance = _lifted(weights, members, counts)
    unit, value = np.repeat(np.arange(u), members), np.repeat(np.arange(k), counts)
    order = np.arange(unit.size)
    _shuffle(value, state)
    holes = 0
    for i in range(unit.size):
        holes += weights[unit[i], value[i]] == 0.0
    number, people = np.zeros((u, k)), np.zeros(u)
    numbers, squares, products = np.zeros((u, k)), np.zeros((u, k)), np.zeros((u, k))
    totals, total_squares = np.zeros(u), np.zeros(u)
    for _ in range(sweeps // 4):
        holes = _sweep(weights, chance, unit, value, order, holes, state, number, people)
    for _ in range(_BATCHES):
        number[:] = 0.0
        people[:] = 0.0
        for _ in range(sweeps // _BATCHES):
            holes = _sweep(weights, chance, unit, value, order, holes, state, number, people)
        numbers += number
        squares += number**2
        products += number * people.reshape(u, 1)
        totals += people
        total_squares += people**2
    for r in range(u):
        if totals[r] == 0.0:
            return False
        for c in range(k):
            share = numbers[r, c] / totals[r]
            apart = squares[r, c] - 2 * share * products[r, c] + share**2 * total_squares[r]
            found[r, c] = share
            errors[r, c] = np.sqrt(max(0.0, apart) * _BATCHES / (_BATCHES - 1)) / totals[r]
    return True


@njit(cache=True)
def _believe(how, weights, members, counts, sweeps, seed, found, errors):
    """Fill the beliefs of one class; returns whether any arrangement of its values is possible."""
    if how == EXACT:
        return believe_exactly(weights, members, counts, found)
    if how == SAMPLED:
        return believe_by_sampling(weights, members, counts, sweeps, seed, found, errors)
    scaled, miss = balanced(weights, members, counts, _ROUNDS)
    for r in range(weights.shape[0]):
        for c in range(weights.shape[1]):
            found[r, c] = scaled[r, c] / members[r]
    return miss < _MISSED


@njit(cache=True)
def believe(  # compiled: positions only
    how, first_value, values, counts, first_unit, distributions, members, places, shares, least, sweeps, seed,
    found, errors, contradicted,
):  # fmt: skip
    """Fill, for every class, how likely its members have its values.

    Parameters
    ----------
    how : (E,)
        `EVEN`, `EXACT`, `SAMPLED` or `BALANCED`; changed to `BALANCED` where sampling is in vain.
    first_value, values, counts
        The values of class g and their records, from ``first_value[g]`` on.
    first_unit, distributions, members
        The distributions of class g, as rows of ``shares`` (c, m), and who has them, from ``first_unit[g]`` on.
    least
        What is believed of impossible values in classes that have no possible arrangement.
    sweeps, seed
        Of sampling; every class has a seed of its own.
    found, errors : (cells,)
        Filled: beliefs and their standard errors, from ``places[g]`` on row by row.
    contradicted : (E,) bool
        Filled: whether there is no possible arrangement.
    """
    for g in range(how.size):
        often = counts[first_value[g] : first_value[g + 1]]
        people = members[first_unit[g] : first_unit[g + 1]]
        u, k = people.size, often.size
        own = found[places[g] : places[g] + u * k].reshape(u, k)
        error = errors[places[g] : places[g] + u * k].reshape(u, k)
        if how[g] == EVEN:
            size = often.sum()
            for r in range(u):
                for c in range(k):
                    own[r, c] = often[c] / size
            continue
        weights = np.empty((u, k))
        for r in range(u):
            for c in range(k):
                weights[r, c] = shares[distributions[first_unit[g] + r], values[first_value[g] + c]]
        if _believe(how[g], weights, people, often, sweeps, seed + g, own, error):
            continue
        contradicted[g] = True
        for r in range(u):
            for c in range(k):
                weights[r, c] = max(weights[r, c], least)
        if how[g] == SAMPLED:
            # Exchanges that need two impossible cells on their way are never made.
            how[g] = BALANCED
        _believe(how[g], weights, people, often, sweeps, seed + g, own, error)
