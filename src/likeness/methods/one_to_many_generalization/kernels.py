"""Generalize sets of leaves top down, bucket by bucket, so that k rows share each set of nodes (He & Naughton 2009)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likeness.kernels import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray


class SortedTree(NamedTuple):
    """A hierarchy whose siblings stand in the order of their labels.

    ``low``, ``high``: (nodes,) first and last leaf below each node, numbered from left to right. ``begin``: (nodes + 1,) where
    the children of each begin in ``children``.
    """

    low: NDArray[np.int64]
    high: NDArray[np.int64]
    begin: NDArray[np.int64]
    children: NDArray[np.int64]


@njit(cache=True)
def _child_of(tree: SortedTree, node: int, leaf: int) -> int:
    """Position, among the children of a node, of the one that a leaf is below."""
    first, last = tree.begin[node], tree.begin[node + 1] - 1
    while first < last:
        middle = (first + last + 1) // 2
        if tree.low[tree.children[middle]] <= leaf:
            first = middle
        else:
            last = middle - 1
    return int(first - tree.begin[node])


@njit(cache=True)
def _below(tree: SortedTree, node: int, start: NDArray[np.int64], items: NDArray[np.int64], row: int) -> int:
    """Count the items of a row below a node."""
    found = 0
    for at in range(start[row], start[row + 1]):
        if tree.low[node] <= items[at] <= tree.high[node]:
            found += 1
    return found


@njit(cache=True)
def _grouped(
    tree: SortedTree, node: int, start: NDArray[np.int64], items: NDArray[np.int64], rows: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Group rows by the children of a node that they have items below.

    Returns (rows,) group of each, numbered in the order of the children's labels; of each group (groups + 1,) where its
    children begin in (…,) children, by position; (groups,) rows.
    """
    width = tree.begin[node + 1] - tree.begin[node]
    entries = 1
    for i in range(rows.size):
        entries += start[rows[i] + 1] - start[rows[i]]
    entries = min(entries, rows.size * width + 1)
    # A trie of the children's positions; siblings are linked in ascending order.
    symbol, parent = np.zeros(entries, np.int64), np.full(entries, -1, np.int64)
    first, following = np.full(entries, -1, np.int64), np.full(entries, -1, np.int64)
    ends, size = np.zeros(entries, np.int64), 1
    at_end = np.empty(rows.size, np.int64)
    for i in range(rows.size):
        row, place, last = rows[i], 0, -1
        for at in range(start[row], start[row + 1]):
            if items[at] < tree.low[node] or items[at] > tree.high[node]:
                continue
            child = _child_of(tree, node, items[at])
            if child == last:
                continue
            last = child
            before, there = -1, first[place]
            while there >= 0 and symbol[there] < child:
                before, there = there, following[there]
            if there < 0 or symbol[there] != child:
                symbol[size], parent[size], following[size] = child, place, there
                if before < 0:
                    first[place] = size
                else:
                    following[before] = size
                there = size
                size += 1
            place = there
        ends[place] += 1
        at_end[i] = place
    # In the order of the trie: a set, then those that begin with it.
    number = np.full(size, -1, np.int64)
    sizes = np.empty(size, np.int64)
    begin = np.zeros(size + 1, np.int64)
    path = np.empty(width + 1, np.int64)
    children = np.empty(max(1, entries * 4), np.int64)
    groups, depth, place = 0, 0, 0
    while True:
        if ends[place] > 0:
            number[place] = groups
            sizes[groups] = ends[place]
            while begin[groups] + depth > children.size:
                children = np.concatenate((children, np.empty(children.size, np.int64)))
            children[begin[groups] : begin[groups] + depth] = path[:depth]
            begin[groups + 1] = begin[groups] + depth
            groups += 1
        if first[place] >= 0:
            place = first[place]
            path[depth] = symbol[place]
            depth += 1
            continue
        while place > 0 and following[place] < 0:
            place = parent[place]
            depth -= 1
        if place == 0:
            break
        place = following[place]
        path[depth - 1] = symbol[place]
    of = np.empty(rows.size, np.int64)
    for i in range(rows.size):
        of[i] = number[at_end[i]]
    return of, begin[: groups + 1], children, sizes[:groups]


@njit(cache=True)
def _leave_over(of: NDArray[np.int64], gains: NDArray[np.int64], sizes: NDArray[np.int64], k: int) -> bool:
    """Decide which rows stay with the parent (-1 in ``of``), and whether they may be divided further.

    Groups of fewer than k rows do. Where these are some, but fewer than k, rows of the least gain join them from groups of more
    than k; where there are not enough such rows, the whole group of the least gain does. ``sizes`` is changed.
    """
    left, spare = 0, 0
    for group in range(sizes.size):
        if sizes[group] < k:
            left += sizes[group]
        else:
            spare += sizes[group] - k
    for i in range(of.size):
        if sizes[of[i]] < k:
            of[i] = -1
    if left == 0 or left >= k:
        return True
    if spare >= k - left:
        # By gain, then by group, then by row.
        order = np.argsort(of, kind="mergesort")
        order = order[np.argsort(gains[order], kind="mergesort")]
        for i in order:
            if left == k:
                break
            if of[i] >= 0 and sizes[of[i]] > k:
                sizes[of[i]] -= 1
                of[i] = -1
                left += 1
        return True
    total = np.zeros(sizes.size, np.int64)
    for i in range(of.size):
        if of[i] >= 0:
            total[of[i]] += gains[i]
    least = -1
    for group in range(sizes.size):
        if sizes[group] >= k and (least < 0 or total[group] < total[least]):
            least = group
    for i in range(of.size):
        if of[i] == least:
            of[i] = -1
    return False


@njit(cache=True)
def generalize(
    tree: SortedTree, start: NDArray[np.int64], items: NDArray[np.int64], k: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Generalize the sets of at least k rows; ``items[start[i] : start[i + 1]]`` are the leaves of row i, ascending.

    A bucket of rows has a set of nodes, at first the root. Of its nodes that are no leaves and have not been tried, that with the
    largest gain (items below it times leaves below it; of equal ones the first) is replaced, in rows that agree on it, by
    those of its children that they have items below; what too few agree on stays as it is.

    Returns (rows,) the bucket of each, and of each bucket (buckets + 1,) where its nodes begin in (…,) nodes.
    """
    rows = start.size - 1
    order = np.arange(rows)
    bucket = np.empty(rows, np.int64)
    found_begin, found_nodes, found = [0], [0 for _ in range(0)], 0
    # Of each bucket that waits: its rows, its nodes and which of them were tried.
    waiting = [(0, rows)]
    nodes_of = [np.zeros(1, np.int64)]
    tried_of = [np.zeros(1, np.bool_)]
    while len(waiting) > 0:
        first, stop = waiting.pop()
        nodes, tried = nodes_of.pop(), tried_of.pop()
        own = order[first:stop].copy()
        best, most = -1, -1
        if own.size > 0:
            for j in range(nodes.size):
                node = nodes[j]
                if tried[j] or tree.begin[node] == tree.begin[node + 1]:
                    continue
                items_below = 0
                for i in range(own.size):
                    items_below += _below(tree, node, start, items, own[i])
                gain = items_below * (tree.high[node] - tree.low[node] + 1)
                if gain > most:
                    best, most = j, gain
        if best < 0:
            for i in range(own.size):
                bucket[own[i]] = found
            for j in range(nodes.size):
                found_nodes.append(nodes[j])
            found_begin.append(len(found_nodes))
            found += 1
            continue
        node = nodes[best]
        of, begin, children, sizes = _grouped(tree, node, start, items, own)
        gains = np.empty(own.size, np.int64)
        for i in range(own.size):
            gains[i] = _below(tree, node, start, items, own[i])
        groups = sizes.size
        further = _leave_over(of, gains, sizes, k)
        arranged = np.argsort(of, kind="mergesort")
        order[first:stop] = own[arranged]
        counts = np.zeros(groups + 1, np.int64)
        for i in range(of.size):
            counts[of[i] + 1] += 1
        at = first
        for group in range(-1, groups):
            size = counts[group + 1]
            if size == 0:
                continue
            if group < 0:
                again = tried.copy()
                again[best] = True
                if not further:
                    again[:] = True
                nodes_of.append(nodes)
                tried_of.append(again)
            else:
                number = begin[group + 1] - begin[group]
                into = np.empty(nodes.size - 1 + number, np.int64)
                marks = np.zeros(into.size, np.bool_)
                into[:best], marks[:best] = nodes[:best], tried[:best]
                for j in range(number):
                    into[best + j] = tree.children[tree.begin[node] + children[begin[group] + j]]
                into[best + number :], marks[best + number :] = nodes[best + 1 :], tried[best + 1 :]
                nodes_of.append(into)
                tried_of.append(marks)
            waiting.append((at, at + size))
            at += size
    return bucket, np.array(found_begin), np.array(found_nodes)
