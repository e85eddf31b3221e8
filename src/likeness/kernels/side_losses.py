"""Losses of both sides of every cut of one dimension, from the summary of a node."""

from __future__ import annotations

from numba import boolean, float64, int32, int64, njit, types, uint64

from likeness.kernels.hulls import GEOMETRY, INTERVAL, SET, TREE, attribute_loss, bits_set
from likeness.kernels.node_summary import ITEM, PREFIX, SCRATCH, SUFFIX

# Inlined: a call with a structure of arrays costs more than the few items these loops run over.


@njit(inline="always")
def _spread(a, items, order, s):
    """Smallest and largest code of every prefix and suffix in dimension a."""
    low, high = s.low[ITEM, a], s.high[ITEM, a]
    first, last = s.low[PREFIX, a], s.high[PREFIX, a]
    lowest, highest = int32(2147483647), int32(-1)
    for i in range(items):
        lowest = min(lowest, low[order[i]])
        highest = max(highest, high[order[i]])
        first[i + 1], last[i + 1] = lowest, highest
    first, last = s.low[SUFFIX, a], s.high[SUFFIX, a]
    lowest, highest = int32(2147483647), int32(-1)
    for i in range(items - 1, -1, -1):
        lowest = min(lowest, low[order[i]])
        highest = max(highest, high[order[i]])
        first[i], last[i] = lowest, highest


@njit(inline="always")
def _spread_bits(begin, end, items, order, s):
    """Set of codes of every prefix and suffix, for the words of one dimension."""
    for w in range(begin, end):
        own, prefix, suffix = s.bits[ITEM, w], s.bits[PREFIX, w], s.bits[SUFFIX, w]
        gathered = uint64(0)
        for i in range(items):
            gathered |= own[order[i]]
            prefix[i + 1] = gathered
        gathered = uint64(0)
        for i in range(items - 1, -1, -1):
            gathered |= own[order[i]]
            suffix[i] = gathered


@njit(inline="always")
def _add_losses(geometry, a, which, begin, end, s):
    """Add the loss of dimension a to rows [begin, end) of items, prefixes or suffixes."""
    low, high, loss = s.low[which, a], s.high[which, a], s.loss[which]
    kind = geometry.kind[a]
    if kind == INTERVAL:
        position, most = geometry.position[a], geometry.most[a]
        for i in range(begin, end):
            loss[i] += min(position[high[i]] - position[low[i]], most)
    elif kind == TREE:
        parent, right = geometry.parent[a], geometry.right[a]
        node_loss, leaf_node = geometry.node_loss[a], geometry.leaf_node[a]
        for i in range(begin, end):
            node = leaf_node[low[i]]
            last = high[i]
            while right[node] < last:
                node = parent[node]
            loss[i] += node_loss[node]
    else:
        set_loss = geometry.set_loss[a]
        first, stop = geometry.word[a], geometry.word[a + 1]
        for i in range(begin, end):
            present = 0
            for w in range(first, stop):
                present += bits_set(s.bits[which, w, i])
            loss[i] += set_loss[present]


@njit(types.void(GEOMETRY, int64, int64, int64, int64, boolean, SCRATCH), cache=True)
def side_losses(geometry, items, begin, end, j, singles, s):
    """Losses of the prefixes and suffixes [begin, end), and of single items where they are candidates."""
    for i in range(begin, end):
        s.loss[PREFIX, i] = 0.0
        s.loss[SUFFIX, i] = 0.0
    if singles:
        for i in range(items):
            s.loss[ITEM, i] = 0.0
    for v in range(s.varying[geometry.kind.shape[0]]):
        a = s.varying[v]
        _spread(a, items, s.order, s)
        if geometry.kind[a] == SET:
            _spread_bits(geometry.word[a], geometry.word[a + 1], items, s.order, s)
        _add_losses(geometry, a, PREFIX, begin, end, s)
        _add_losses(geometry, a, SUFFIX, begin, end, s)
        if singles:
            _add_losses(geometry, a, ITEM, 0, items, s)


@njit(float64(GEOMETRY, SCRATCH, int64, int64), cache=True)
def segment_loss(geometry, s, begin, end):
    """Loss of the hull of the items [begin, end) of the order (in ascending order of codes)."""
    if end == begin + 1:
        return s.loss[ITEM, s.order[begin]]
    scrap = s.low.shape[2] - 1
    for v in range(s.varying[geometry.kind.shape[0]]):
        a = s.varying[v]
        low, high = s.low[ITEM, a], s.high[ITEM, a]
        lowest, highest = low[s.order[begin]], high[s.order[begin]]
        for i in range(begin + 1, end):
            lowest = min(lowest, low[s.order[i]])
            highest = max(highest, high[s.order[i]])
        low[scrap], high[scrap] = lowest, highest
        for w in range(geometry.word[a], geometry.word[a + 1]):
            gathered = uint64(0)
            for i in range(begin, end):
                gathered |= s.bits[ITEM, w, s.order[i]]
            s.bits[ITEM, w, scrap] = gathered
    s.loss[ITEM, scrap] = 0.0
    for v in range(s.varying[geometry.kind.shape[0]]):
        a = s.varying[v]
        _add_losses(geometry, a, ITEM, scrap, scrap + 1, s)
    return s.loss[ITEM, scrap]


@njit(float64(GEOMETRY, SCRATCH, int64, int64, int64), cache=True)
def rest_loss(geometry, s, items, begin, end):
    """Loss of the hull of all items but [begin, end); neither end is an end of the order."""
    scrap = s.low.shape[2] - 1
    for v in range(s.varying[geometry.kind.shape[0]]):
        a = s.varying[v]
        s.low[ITEM, a, scrap] = min(s.low[PREFIX, a, begin], s.low[SUFFIX, a, end])
        s.high[ITEM, a, scrap] = max(s.high[PREFIX, a, begin], s.high[SUFFIX, a, end])
        for w in range(geometry.word[a], geometry.word[a + 1]):
            s.bits[ITEM, w, scrap] = s.bits[PREFIX, w, begin] | s.bits[SUFFIX, w, end]
    s.loss[ITEM, scrap] = 0.0
    for v in range(s.varying[geometry.kind.shape[0]]):
        a = s.varying[v]
        _add_losses(geometry, a, ITEM, scrap, scrap + 1, s)
    return s.loss[ITEM, scrap]


@njit(float64(GEOMETRY, SCRATCH), cache=True)
def node_loss_of(geometry, s):
    """Loss of the node's hull."""
    total = 0.0
    for a in range(geometry.kind.shape[0]):
        total += attribute_loss(geometry, a, s.hull_low[a], s.hull_high[a], s.hull_bits)
    return total
