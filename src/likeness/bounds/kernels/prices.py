"""What every cell makes others lose: prices of records by which no class is worth more than it loses."""

from __future__ import annotations

import math

import numpy as np
from numba import float64, int32, int64, types, uint64

from likeness.bounds.kernels.hulls import join, joined_loss, pair_loss
from likeness.kernels import njit
from likeness.kernels.hulls import GEOMETRY

_BINS = 256
_TOP = 512


@njit(int64(float64[::1], int64[::1], int64, float64, int64, int64), cache=True)
def kept_cheapest(cost, often, count, value, copies, most):
    """Add to a list of the cheapest, ascending, which ends where there are ``most`` of them; its new length."""
    have = int64(0)
    for place in range(count):
        if cost[place] > value:
            break
        have += often[place]
        if have >= most:
            return count
    at = count
    while at > 0 and cost[at - 1] > value:
        cost[at], often[at] = cost[at - 1], often[at - 1]
        at -= 1
    cost[at], often[at] = value, copies
    count += 1
    total = int64(0)
    for place in range(count):
        total += often[place]
        if total >= most:
            return place + 1
    return count


@njit(float64(float64[::1], int64[::1], int64, float64, int64, float64, int64, int64), cache=True)
def cheapest(cost, often, count, gained, dear, own_cost, own, need):
    """What a class costs at least for each record of a cell: its own, the gains of ``dear`` others, the cheapest to fill up."""
    least = 1e300
    for copies in range(1, own + 1):
        total = copies * own_cost + gained
        rest = need - copies - dear
        place = 0
        while rest > 0 and place < count:
            taken = min(rest, often[place])
            total += taken * cost[place]
            rest -= taken
            place += 1
        if rest <= 0:
            least = min(least, total / copies)
    return least


@njit(
    types.void(
        GEOMETRY,
        int32[:, ::1],
        int64[::1],
        float64[::1],
        float64[::1],
        int64,
        int64,
        float64[::1],
        float64[::1],
        float64[::1],
        int64[::1],
    ),
    cache=True,
)
def left_by_pairs(geometry, codes, sizes, least, prices, cell, need, near, left, cost, often):
    """Find what is left for a cell in any class that loses at least so much, of `_BINS` steps of losses, going by pairs alone.

    ``near`` (C,) is set to what a class of both loses at least, ``left`` (_BINS + 1,) to what is left at each step.
    """
    count = codes.shape[0]
    base = least[cell]
    # Up to 1, which nobody is dearer than, in equal ratios.
    step = -math.log(min(base, 0.999)) / _BINS
    first = np.full(_BINS + 1, -1, np.int64)
    after = np.full(count, -1, np.int64)
    for one in range(count):
        near[one] = max(base, least[one])
        if one == cell:
            continue
        near[one] = max(near[one], pair_loss(geometry, codes[cell], codes[one], 2.0))
        inside = min(_BINS, max(0, int(math.log(near[one] / base) / step - 1e-9)))
        after[one] = first[inside]
        first[inside] = one
    # Of dear ones the prices, of others the cheapest of all: whoever may be a member at one step may be so at the next.
    dear_price, dear_size = np.zeros(_TOP), np.zeros(_TOP, np.int64)
    dear, filling = 0, 0
    for inside in range(_BINS + 1):
        loss = base * math.exp(inside * step)
        one = first[inside]
        while one >= 0:
            if prices[one] > loss:
                if dear == _TOP:
                    left[inside:] = 0.0
                    return
                dear_price[dear], dear_size[dear] = prices[one], sizes[one]
                dear += 1
            else:
                filling = kept_cheapest(cost, often, filling, -prices[one], sizes[one], need)
            one = after[one]
        gained, number, kept = 0.0, int64(0), 0
        for at in range(dear):
            if dear_price[at] > loss:
                gained += dear_size[at] * (loss - dear_price[at])
                number += dear_size[at]
                dear_price[kept], dear_size[kept] = dear_price[at], dear_size[at]
                kept += 1
            else:
                filling = kept_cheapest(cost, often, filling, -dear_price[at], dear_size[at], need)
        dear = kept
        left[inside] = 1e300
        for copies in range(1, sizes[cell] + 1):
            total = copies * (loss - prices[cell]) + gained
            rest = need - copies - number
            place = 0
            while rest > 0 and place < filling:
                taken = min(rest, often[place])
                total += taken * (loss + cost[place])
                rest -= taken
                place += 1
            if rest <= 0:
                left[inside] = min(left[inside], total / copies)


@njit(
    float64[::1](
        GEOMETRY,
        int32[:, ::1],
        int64[::1],
        int64[::1],
        float64[::1],
        int64[::1],
        float64[::1],
        float64,
        int64,
    ),
    cache=True,
)
def raised(geometry, codes, sizes, needed, least, order, begun, share, most_steps):
    """(C,) Prices of the cells' records, raised one cell after the other, such that no class is worth more than it loses.

    ``needed`` (C,): fewest records of a class of each cell. ``least`` (C,): what no hull that covers a cell and enough records
    falls below. ``order``: the cells to raise. ``begun``: such prices to begin with. ``share``: what a cell is given of
    what is left for it. ``most_steps``: hulls to look at for one cell; pairs say what is left where that does not do.

    The sum of such prices over all records is a bound of what they lose together, whatever the classes. A price may be above 1.
    """
    count, d = codes.shape
    prices = begun.copy()
    depth = 34
    low, high = np.zeros((depth, d), np.int32), np.zeros((depth, d), np.int32)
    bits, scratch = np.zeros((depth, geometry.word[d]), np.uint64), np.zeros(geometry.word[d], np.uint64)
    room = depth * count + 1
    candidates, losses = np.zeros(room, np.int64), np.zeros(room)
    end, here = np.zeros(depth, np.int64), np.zeros(depth, np.int64)
    members = np.zeros((depth, count), np.int64)
    held = np.zeros(depth, np.int64)
    near, left = np.zeros(count), np.zeros(_BINS + 1)
    most = int64(2)
    for cell in range(count):
        most = max(most, needed[cell] + 2)
    cost, often = np.zeros(most + 1), np.zeros(most + 1, np.int64)
    for place in range(order.shape[0]):
        cell = order[place]
        need, own, price = needed[cell], sizes[cell], prices[cell]
        if own >= need or least[cell] <= 0.0:
            continue
        left_by_pairs(geometry, codes, sizes, least, prices, cell, need, near, left, cost, often)
        for inside in range(_BINS - 1, -1, -1):
            left[inside] = min(left[inside], left[inside + 1])
        # Only classes that lose less than this need be looked at: pairs say enough of the others.
        step = -math.log(min(least[cell], 0.999)) / _BINS
        limit = 2.0
        best = left[_BINS]
        known = left[0]
        if best > 1e299:
            continue
        if known >= best:
            prices[cell] = price + share * max(0.0, best) * (1.0 - 1e-9)
            continue
        low[0, :] = codes[cell]
        high[0, :] = codes[cell]
        bits[0, :] = uint64(0)
        join(geometry, low[0], high[0], bits[0], codes[cell])
        for inside in range(_BINS + 1):
            if left[inside] >= best:
                limit = least[cell] * math.exp(inside * step)
                break
        top = 0
        for one in range(count):
            if one != cell and near[one] < limit:
                candidates[top] = one
                top += 1
        end[0], here[0], held[0] = top, 0, 0
        at, done, whole = 0, 0, True
        while at >= 0:
            if here[at] >= end[at]:
                at -= 1
                continue
            chosen = candidates[here[at]]
            here[at] += 1
            done += 1
            lost = joined_loss(geometry, low[at], high[at], bits[at], codes[chosen], scratch, limit)
            if lost >= limit:
                continue
            below = at + 1
            if done > most_steps or below >= depth or 2 * end[at] - here[at] > room:
                whole = False
                break
            low[below, :] = low[at]
            high[below, :] = high[at]
            bits[below, :] = bits[at]
            join(geometry, low[below], high[below], bits[below], codes[chosen])
            number = held[at]
            members[below, :number] = members[at, :number]
            members[below, number] = chosen
            number += 1
            top = end[at]
            next_loss = 1e300
            for position in range(here[at], end[at]):
                one = candidates[position]
                joined = joined_loss(
                    geometry, low[below], high[below], bits[below], codes[one], scratch, limit
                )
                done += 1
                if joined <= lost:
                    members[below, number] = one
                    number += 1
                elif joined < limit:
                    candidates[top], losses[top] = one, joined
                    next_loss = min(next_loss, joined)
                    top += 1
            held[below] = number
            least_here = max(lost, least[cell])
            # The hull as it is, then whatever it may grow to.
            for grown in range(2):
                if grown == 1:
                    if top == end[at]:
                        break
                    least_here = max(least_here, next_loss)
                gained, dear, filling = 0.0, int64(0), 0
                for position in range(number):
                    one = members[below, position]
                    worth = max(least_here, least[one]) - prices[one]
                    if worth < 0.0:
                        gained += sizes[one] * worth
                        dear += sizes[one]
                    else:
                        filling = kept_cheapest(cost, often, filling, worth, sizes[one], need)
                if grown == 1:
                    for position in range(end[at], top):
                        one = candidates[position]
                        worth = max(losses[position], least_here, least[one]) - prices[one]
                        if worth < 0.0:
                            gained += sizes[one] * worth
                            dear += sizes[one]
                        else:
                            filling = kept_cheapest(cost, often, filling, worth, sizes[one], need)
                found = cheapest(cost, often, filling, gained, dear, least_here - price, own, need)
                if grown == 0:
                    if found < best:
                        best = found
                        for inside in range(_BINS + 1):
                            if left[inside] >= best:
                                limit = min(limit, least[cell] * math.exp(inside * step))
                                break
                elif found < best:
                    here[below], end[below] = end[at], top
                    at = below
        if not whole:
            best = min(best, known)
        prices[cell] = price + share * max(0.0, best) * (1.0 - 1e-9)
    return prices
