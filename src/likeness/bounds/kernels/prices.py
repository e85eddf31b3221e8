"""What every cell makes others lose: prices of records by which no class is worth more than it loses."""

from __future__ import annotations

import numpy as np
from numba import float64, int32, int64, uint64

from likeness.kernels import borrowed, njit
from likeness.kernels.hulls import GEOMETRY, INTERVAL, SET, common_ancestor
from likeness.kernels.ordering import ascending_order

_DEPTH = 34
_KEYS = float(1 << 60)
_ROUNDED = 1.0 - 1e-9
_LISTED_A_STEP = 32
"""How many of those that must be together are gone through in the time of a step."""


@njit(int64(float64[::1], int64[::1], int64, float64, int64, int64), cache=True)
def kept_dearest(price, often, count, value, copies, most):
    """Add to a list of the dearest, descending, which ends where there are ``most`` of them; its new length."""
    have = int64(0)
    for place in range(count):
        if price[place] < value:
            break
        have += often[place]
        if have >= most:
            return count
    at = count
    while at > 0 and price[at - 1] < value:
        price[at], often[at] = price[at - 1], often[at - 1]
        at -= 1
    price[at], often[at] = value, copies
    count += 1
    total = int64(0)
    for place in range(count):
        total += often[place]
        if total >= most:
            return place + 1
    return count


@njit(
    float64(
        float64[::1],
        int64[::1],
        int64,
        float64[::1],
        int64[::1],
        int64[::1],
        int64,
        int64,
        float64,
        int64,
        int64,
    ),
    cache=True,
)
def dearest(price, often, count, prices, sizes, cells, begin, end, own_price, own, need):
    """Mean of the ``need`` dearest of a list, of the cells from ``begin`` to ``end``, dearest first, and of ``own`` more."""
    total, rest = 0.0, need
    place, other = 0, begin
    while rest > 0:
        listed = price[place] if place < count else -1.0
        further = prices[cells[other]] if other < end else -1.0
        mine = own_price if own > 0 else -1.0
        if mine >= listed and mine >= further:
            if mine < 0.0:
                break
            taken = min(rest, own)
            total += taken * mine
            own = 0
        elif listed >= further:
            taken = min(rest, often[place])
            total += taken * listed
            place += 1
        else:
            taken = min(rest, sizes[cells[other]])
            total += taken * further
            other += 1
        rest -= taken
    return total / need


@njit(float64(float64[::1], int64[::1], int64, float64, int64, int64), cache=True)
def left_for(price, often, count, lost, own, need):
    """What a class that loses so much leaves for each record of a cell, of which it has some beside the dearest of a list.

    Of the list it takes as many as it needs, and all that are dearer than what they lose themselves.
    """
    least = 1e300
    for copies in range(1, min(own, need) + 1):
        total, rest = need * lost, need - copies
        for place in range(count):
            taken = min(rest, often[place])
            total -= taken * price[place]
            rest -= taken
            # Where others need larger classes than the cell, dearer ones may be a class only together with it.
            if price[place] > lost:
                total += (often[place] - taken) * (lost - price[place])
            elif rest <= 0:
                break
        if rest <= 0:
            least = min(least, total / copies)
    return least


@njit(
    float64(
        GEOMETRY, int32[::1], int32[::1], uint64[::1], int64[::1], float64[::1], int32[::1], float64, float64
    ),
    cache=True,
)
def extended(geometry, low, high, bits, present, parts, codes, lost, most):
    """Loss of a hull and one more cell: exactly ``lost``, the hull's, if it covers it; at least ``most`` if it loses as much.

    ``present`` (d,): how many values its sets have. ``parts`` (d,): what it loses by each attribute.
    """
    total = lost
    for j in range(codes.shape[0]):
        code = codes[j]
        kind = geometry.kind[j]
        if kind == SET:
            if (bits[geometry.word[j] + (code >> 6)] >> uint64(code & 63)) & uint64(1):
                continue
            total += geometry.set_loss[j, present[j] + 1] - parts[j]
        elif low[j] <= code <= high[j]:
            continue
        else:
            first, last = min(low[j], code), max(high[j], code)
            if kind == INTERVAL:
                total += (
                    min(geometry.position[j, last] - geometry.position[j, first], geometry.most[j]) - parts[j]
                )
            else:
                node = common_ancestor(
                    geometry.parent[j], geometry.right[j], geometry.leaf_node[j, first], last
                )
                total += geometry.node_loss[j, node] - parts[j]
        if total >= most:
            return total
    return total


@njit(
    float64(GEOMETRY, int32[::1], int32[::1], uint64[::1], int64[::1], float64[::1], int32[::1]), cache=True
)
def cover(geometry, low, high, bits, present, parts, codes):
    """Let a hull cover one more cell; what it loses then."""
    lost = 0.0
    for j in range(codes.shape[0]):
        code = codes[j]
        kind = geometry.kind[j]
        if kind == SET:
            word, bit = geometry.word[j] + (code >> 6), uint64(1) << uint64(code & 63)
            if not bits[word] & bit:
                bits[word] |= bit
                present[j] += 1
            parts[j] = geometry.set_loss[j, present[j]]
        else:
            low[j], high[j] = min(low[j], code), max(high[j], code)
            if kind == INTERVAL:
                parts[j] = min(geometry.position[j, high[j]] - geometry.position[j, low[j]], geometry.most[j])
            else:
                node = geometry.leaf_node[j, low[j]]
                if low[j] < high[j]:
                    node = common_ancestor(geometry.parent[j], geometry.right[j], node, high[j])
                parts[j] = geometry.node_loss[j, node]
        lost += parts[j]
    return lost


@njit(
    float64[::1](
        GEOMETRY,
        int32[:, ::1],
        int64[::1],
        int64[::1],
        float64[::1],
        int64[::1],
        int64[::1],
        int32[::1],
        float64[::1],
        float64[::1],
        float64[::1],
        int64,
        int64,
    ),
    cache=True,
)
def grown(
    geometry, codes, sizes, needed, floors, anchors, begin, near, losses, reach, levels, most_steps, all_steps
):
    """Let the prices of cells grow together, each until a class would be worth more than it loses.

    Whatever class holds of some cells at least as many records as each of them needs: the prices of its members add up to no
    more than what they lose. Only the dearest matter: no class is worth more than it loses if of no hull the mean of
    the dearest that must be together is above its loss.

    Parameters
    ----------
    geometry, codes, sizes, needed, floors, anchors
        As for `neighbours`.
    begin, near, losses, reach
        What it returned.
    levels
        Prices to grow to, ascending; no cell is ever dearer than the level that is grown to, which bounds what is looked at.
    most_steps, all_steps
        Cells to look at for one price, and about how many for all; a price that needs more stays what it was.

    Returns
    -------
    numpy.ndarray
        (C,) The price of each record of a cell. Their sum over all records is a bound of what they lose together, whatever the
        classes. A price may be above 1.
    """
    geometry, codes, sizes, needed, floors = borrowed((geometry, codes, sizes, needed, floors))
    anchors, begin, near, losses, reach, levels = borrowed((anchors, begin, near, losses, reach, levels))
    d = codes.shape[1]
    prices = np.zeros(codes.shape[0])
    low, high = np.zeros((_DEPTH, d), np.int32), np.zeros((_DEPTH, d), np.int32)
    bits = np.zeros((_DEPTH, geometry.word[d]), np.uint64)
    present, parts = np.zeros((_DEPTH, d), np.int64), np.zeros((_DEPTH, d))
    most_near, most_needed = int64(0), int64(0)
    for place in range(anchors.shape[0]):
        most_near = max(most_near, begin[place + 1] - begin[place])
        most_needed = max(most_needed, needed[anchors[place]])
    candidates = np.zeros(_DEPTH * (most_near + 1), np.int64)
    joined = np.zeros(_DEPTH * (most_near + 1))
    keys = np.zeros(most_near + 1, np.int64)
    end, here = np.zeros(_DEPTH, np.int64), np.zeros(_DEPTH, np.int64)
    floor, count = np.zeros(_DEPTH), np.zeros(_DEPTH, np.int64)
    longest = min(most_needed, most_near) + 2
    price, often = np.zeros((_DEPTH, longest)), np.zeros((_DEPTH, longest), np.int64)
    settled = np.zeros(anchors.shape[0], np.bool_)
    scale = _KEYS / max(1.0, levels[levels.shape[0] - 1])
    steps, growing = int64(0), anchors.shape[0]
    for level in levels:
        for place in range(anchors.shape[0]):
            # Of cells beyond its reach it is only known that classes with them lose as much as that.
            if settled[place] or level > reach[place]:
                continue
            allowed = min(most_steps, max(0, all_steps - steps) // growing)
            cell = anchors[place]
            need, own, before = needed[cell], sizes[cell], prices[cell]
            best = min(level, left_for(price[0], often[0], 0, floors[cell], own, need))
            first, last = begin[place], begin[place + 1]
            number, limit, top = int64(0), -1.0, first
            done = int64(0)
            for at in range(first, last):
                if losses[at] >= level or done > allowed:
                    break
                one = near[at]
                number = kept_dearest(price[0], often[0], number, prices[one], sizes[one], most_needed)
                if losses[at] < dearest(
                    price[0], often[0], number, prices, sizes, candidates, 0, 0, best, own, need
                ):
                    limit, top = losses[at], at + 1
                done += number // _LISTED_A_STEP
            for at in range(first, top):
                keys[at - first] = -int64(prices[near[at]] * scale)
            order = ascending_order(keys[: top - first])
            for at in range(top - first):
                candidates[at], joined[at] = near[first + order[at]], losses[first + order[at]]
            for j in range(d):
                low[0, j] = high[0, j] = codes[cell, j]
                present[0, j] = 0
            bits[0, :] = uint64(0)
            cover(geometry, low[0], high[0], bits[0], present[0], parts[0], codes[cell])
            floor[0], count[0], here[0], end[0] = floors[cell], 0, 0, top - first
            depth, whole = 0, done <= allowed
            while whole and depth >= 0 and best > before:
                at = here[depth]
                if at >= end[depth]:
                    depth -= 1
                    continue
                here[depth] += 1
                chosen = candidates[at]
                limit = dearest(
                    price[depth],
                    often[depth],
                    count[depth],
                    prices,
                    sizes,
                    candidates,
                    at,
                    end[depth],
                    best,
                    own,
                    need,
                )
                done += 1
                # Classes with this one and dearer candidates were looked at; others are not worth what it makes them lose.
                if joined[at] >= limit:
                    continue
                below = depth + 1
                if below >= _DEPTH or done > allowed:
                    whole = False
                    break
                low[below, :] = low[depth]
                high[below, :] = high[depth]
                bits[below, :] = bits[depth]
                present[below, :] = present[depth]
                hull = cover(
                    geometry,
                    low[below],
                    high[below],
                    bits[below],
                    present[below],
                    parts[below],
                    codes[chosen],
                )
                floor[below] = max(floor[depth], floors[chosen])
                lost = max(hull, floor[below])
                number = count[depth]
                for one in range(number):
                    price[below, one], often[below, one] = price[depth, one], often[depth, one]
                number = kept_dearest(
                    price[below], often[below], number, prices[chosen], sizes[chosen], most_needed
                )
                done += (end[depth] - here[depth]) * (1 + number // _LISTED_A_STEP)
                bottom = top = end[depth]
                least = 1e300
                for other in range(here[depth], end[depth]):
                    if joined[other] >= limit:
                        continue
                    one = candidates[other]
                    loss = extended(
                        geometry,
                        low[below],
                        high[below],
                        bits[below],
                        present[below],
                        parts[below],
                        codes[one],
                        hull,
                        limit,
                    )
                    loss = max(loss, lost, floors[one])
                    if loss <= lost:
                        number = kept_dearest(
                            price[below], often[below], number, prices[one], sizes[one], most_needed
                        )
                    elif loss < limit:
                        candidates[top], joined[top] = one, loss
                        least = min(least, loss)
                        top += 1
                count[below] = number
                best = min(best, left_for(price[below], often[below], number, lost, own, need))
                while top > bottom:
                    limit = dearest(
                        price[below],
                        often[below],
                        number,
                        prices,
                        sizes,
                        candidates,
                        bottom,
                        top,
                        best,
                        own,
                        need,
                    )
                    if limit <= least:
                        top = bottom
                        break
                    kept = bottom
                    for other in range(bottom, top):
                        if joined[other] < limit:
                            candidates[kept], joined[kept] = candidates[other], joined[other]
                            kept += 1
                    if kept == top:
                        break
                    top = kept
                if top > bottom:
                    here[below], end[below] = bottom, top
                    depth = below
            steps += done
            if not whole or best < level:
                settled[place] = True
                growing -= 1
            if whole and best * _ROUNDED > before:
                prices[cell] = best * _ROUNDED
    return prices
